"""What an assistant can ask about a game, as `planner mcp` offers it: each function is a tool, its docstring the help.

States and actions are in their JSON form. As everywhere in the protocol, a request is data: it names no file and no
module.
"""

from __future__ import annotations

from typing import Any, Final

from planner.games import game as game_named
from planner.games import game_names
from planner.planning.capabilities import JudgesTurns, PlansTurns
from planner.protocol.fields import read_state
from planner.protocol.match_requests import judge
from planner.protocol.plan_request import PlanRequest

MAX_SECONDS: Final = 10.0  # for one plan
_WIDTH: Final = 100


def list_games() -> dict[str, Any]:
    """List the games, and for each whether turns can be planned and matches reviewed."""
    games = [(name, game_named(name)) for name in game_names()]
    return {
        "games": [
            {
                "name": name,
                "plan": isinstance(game, PlansTurns),
                "review": isinstance(game, JudgesTurns),
                "profiles": list(game.profiles.names()) if isinstance(game, PlansTurns) else [],
                "rules": game.rules_text().strip(),
            }
            for name, game in games
        ]
    }


def check_state(state: dict[str, Any]) -> dict[str, Any]:
    """Check a state in JSON form; its field "game" names the game, by default hearthstone. Shows the board in words."""
    game, position = read_state({"state": state})
    outcome = game.outcome(position)
    return {
        "game": game.name,
        "shown": game.show(position, _WIDTH),
        "state": game.state_to_json(position),
        "outcome": None if outcome is None else str(outcome),
    }


def list_legal_actions(state: dict[str, Any]) -> dict[str, Any]:
    """List the legal actions in a state, in JSON form and in words."""
    game, position = read_state({"state": state})
    actions = game.legal_actions(position)
    return {
        "actions": [
            {"action": game.action_to_json(action), "words": game.describe_action(position, action)}
            for action in actions
        ]
    }


def why_illegal(state: dict[str, Any], action: dict[str, Any]) -> dict[str, Any]:
    """Say why an action is illegal in a state; the reason is null for a legal action."""
    game, position = read_state({"state": state})
    return {"reason": game.illegal_reason(position, game.action_from_json(action))}


def plan(state: dict[str, Any], weights: str | dict[str, Any] | None = None, k: int = 1) -> dict[str, Any]:
    """Find the best legal turn, or the best k turns, and prove it: actions, words, score, bound and status.

    `weights` is the name of a profile, or an object of terms and numbers; list_games shows the profiles.
    """
    return _plans(state, weights, k=k)


def explain(state: dict[str, Any], weights: str | dict[str, Any] | None = None) -> dict[str, Any]:
    """Find the best turn, and explain it: what is lost without each action, the next best turns, and each step."""
    return _plans(state, weights, explain=True, steps=True)


def review(log: dict[str, Any], weights: str | None = None) -> dict[str, Any]:
    """Review a match log as `planner play --json` writes it: for each turn the points lost against the best one."""
    return judge({"log": log, "weights": weights}, MAX_SECONDS)


TOOLS: Final = (list_games, check_state, list_legal_actions, why_illegal, plan, explain, review)


def _plans(state: Any, weights: Any, **fields: Any) -> dict[str, Any]:
    """Answer a request for plans, and add the actions in words."""
    request = PlanRequest.from_json({"state": state, "weights": weights, **fields}, MAX_SECONDS)
    answer = request.answer()
    game = request.game
    for entry in answer.get("plans", [answer]):
        actions = [game.action_from_json(action) for action in entry["actions"]]
        entry["words"] = game.describe_turn(request.state, actions)
    return answer
