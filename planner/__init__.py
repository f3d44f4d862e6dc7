"""Certified optimal turns for card games, and matches and tournaments around them.

    from planner import plan_turn
    plan = plan_turn(state, weights="aggro_face")

What stands here is public, and what `planner.games.hearthstone` lists for that game; the rest may move.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planner.agents.planner_agent import PlannerAgent
    from planner.api import plan_ahead, plan_turn, plan_turns
    from planner.arena.match.record import MatchRecord
    from planner.arena.match.referee import TimeLimits, play_match
    from planner.arena.report.tournament_results import Results, available_results, guo_results, load_results
    from planner.environment import Environment
    from planner.errors import PlannerError
    from planner.game import Agent, BaseGame, Game, Outcome
    from planner.games.hearthstone.rules.state import GameState
    from planner.games.hearthstone.turn.hearthstone_weights import Weights
    from planner.planning.plan import Plan

__all__ = [
    "Agent",
    "BaseGame",
    "Environment",
    "Game",
    "GameState",
    "MatchRecord",
    "Outcome",
    "Plan",
    "PlannerAgent",
    "PlannerError",
    "Results",
    "TimeLimits",
    "Weights",
    "available_results",
    "guo_results",
    "load_results",
    "plan_ahead",
    "plan_turn",
    "plan_turns",
    "play_match",
]  # fmt: skip
__version__ = "0.1.0"

# Imported when somebody asks for it: a command, or a bot that plans, pays for nothing else.
_HOMES = {
    "Agent": "planner.game",
    "BaseGame": "planner.game",
    "Environment": "planner.environment",
    "Game": "planner.game",
    "GameState": "planner.games.hearthstone.rules.state",
    "MatchRecord": "planner.arena.match.record",
    "Outcome": "planner.game",
    "Plan": "planner.planning.plan",
    "PlannerAgent": "planner.agents.planner_agent",
    "PlannerError": "planner.formats.documents",
    "Results": "planner.arena.report.tournament_results",
    "TimeLimits": "planner.arena.match.referee",
    "Weights": "planner.games.hearthstone.turn.hearthstone_weights",
    "available_results": "planner.arena.report.tournament_results",
    "guo_results": "planner.arena.report.tournament_results",
    "load_results": "planner.arena.report.tournament_results",
    "plan_ahead": "planner.api",
    "plan_turn": "planner.api",
    "plan_turns": "planner.api",
    "play_match": "planner.arena.match.referee",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
