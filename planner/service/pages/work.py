"""What the pages ask the workers for: JSON in, JSON out. Nothing here draws, and nothing of it runs in the server."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate, islice
from typing import Any, Final

from planner.agents.agent_spec import agent_names, agent_spec
from planner.arena.match.record import MatchRecord
from planner.arena.match.replay import parse_log, verify_log, walk, walk_turns
from planner.errors import PlannerError, quote
from planner.game import AnyGame, HasPrompts, require
from planner.games import game
from planner.games.hearthstone.game import GAME
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.match import observe
from planner.games.hearthstone.turn.explain import lethal_missed_by
from planner.games.hearthstone.turn.objective import ActionTerms, at_end, certain, starting_health, taken
from planner.games.hearthstone.turn.plan import TurnPlan, plan_without, plans
from planner.games.hearthstone.turn.weights import SIGNS, Weights, exact
from planner.planning.capabilities import JudgesTurns, PlansTurns
from planner.planning.plan import PlanOptions
from planner.planning.regret import UnjudgedError
from planner.service.pages.sitting import PICTURE

MOST_OTHERS: Final = 4


def answer(question: dict[str, Any], most_seconds: float) -> Any:
    """The answer to one question of a page; `do` says which, the rest is what it is about."""
    asked = dict(question)
    return _ANSWERS[asked.pop("do")](most_seconds=most_seconds, **asked)


# -- the table


def _best(state: Any, weights: Any, without: Sequence[Any], most_seconds: float) -> TurnPlan:
    """The best turn without these actions."""
    options = PlanOptions(time_limit=most_seconds)
    return next(plans(GAME.state_from_json(state), _profile(weights), options, _actions(without)))


def look(state: Any, weights: Any, without: Sequence[Any], most_seconds: float) -> Any:
    """The best turn, and what each of its actions does and earns."""
    plan = _best(state, weights, without, most_seconds)
    return {"plan": plan.to_dict(), "finite": plan.bound != float("inf"), **_steps(plan)}


def others(state: Any, weights: Any, without: Sequence[Any], most_seconds: float) -> Any:
    """The next best turns, and what the turn loses without each of its actions: half of the time for both."""
    banned, half = _actions(without), most_seconds / 2
    options = PlanOptions(time_limit=half, k=MOST_OTHERS + 1)
    best, *rest = islice(plans(GAME.state_from_json(state), _profile(weights), options, banned), MOST_OTHERS + 1)
    share = half / max(1, len(best.actions))
    losses = [
        best.objective - plan_without(best, *banned, action, time_limit=share).objective for action in best.actions
    ]
    return {
        "losses": losses,
        "others": [
            {
                "objective": other.objective,
                "loss": best.objective - other.objective,
                "words": GAME.describe_turn(other.state, other.actions, briefly=True),
            }
            for other in rest
        ],
    }


def lethal(state: Any, most_seconds: float) -> Any:  # noqa: ARG001  (a search without a limit: the pool has one)
    """The least that any turn leaves the enemy hero; null where nobody knows."""
    return {"missed_by": lethal_missed_by(GAME.state_from_json(state))}


def ranges(state: Any, weights: Any, most_seconds: float) -> Any:
    """How far each weight can move, and in words what comes beyond; half of the time is for the turn itself."""
    half = most_seconds / 2
    plan = _best(state, weights, (), half)
    if plan.status != "optimal":
        return {"ranges": {}}
    found = {}
    for one in plan.ranges(half):
        data = one.to_dict()
        for side, end in (("below", one.low), ("above", one.high)):
            if data[side] is not None and end is not None and end.turn is not None:
                data[side]["words"] = GAME.describe_turn(plan.state, end.turn, briefly=True)
        found[one.term] = data
    return {"ranges": found}


def _profile(weights: Any, of: AnyGame = GAME) -> Any:
    """By the name of a profile that comes with the package, or its numbers; never a path."""
    profiles = require(of, PlansTurns, "planning").profiles
    if isinstance(weights, str) and weights not in profiles.names():
        raise PlannerError(f"weights: {quote(weights)} is not a profile")
    return profiles.of(weights)


def _actions(given: Sequence[Any]) -> tuple[Action, ...]:
    return tuple(GAME.action_from_json(action, f"without[{place}]") for place, action in enumerate(given))


def _steps(plan: TurnPlan) -> dict[str, Any]:
    """The states between the actions, what each did in words, and what it earned by term; the rest is the end's."""
    state = observe(plan.state, plan.state.seat)
    health = starting_health(state)
    words = GAME.describe_turn(plan.state, plan.actions)
    steps: list[dict[str, Any]] = []
    for action, told in zip(plan.actions, words, strict=True):
        one = certain(state, action)
        if one is not None:
            state, earned = one.state, _worth(plan.weights, one.step._asdict())
        else:  # chance decides, and this is the last action
            possible = taken(state, action)
            mean = {
                term: sum(Fraction(each.probability) * exact(getattr(each.step, term)) for each in possible)
                for term in ActionTerms._fields
            }
            state, earned = plan.end, _worth(plan.weights, mean)
        steps.append({
            "action": GAME.action_to_json(action), "words": told, "earned": earned, "state": GAME.state_to_json(state),
            "chance": one is None,
        })  # fmt: skip
    if steps and steps[-1]["chance"]:
        ending = {term: worth - sum(s["earned"].get(term, 0) for s in steps) for term, worth in plan.terms.items()}
    else:
        ending = _worth(plan.weights, at_end(state, health))
    return {"steps": steps, "ending": {term: worth for term, worth in ending.items() if abs(worth) > 1e-9}}


def _worth(weights: Weights, amounts: Any) -> dict[str, float]:
    """The amounts times their weights, without those that count nothing."""
    given = weights.terms()
    worths = {
        term: float(SIGNS[term] * exact(given[term]) * Fraction(exact(amount) if isinstance(amount, float) else amount))
        for term, amount in amounts.items()
        if term in given
    }
    return {term: worth for term, worth in worths.items() if worth}


# -- matches


def decide(of: str, agent: str, seed: int, state: Any, most_seconds: float) -> Any:
    """What an agent of the registry does in a state that it sees."""
    played = game(of)
    if agent not in agent_names(played):
        raise PlannerError(f"{quote(agent)} is not an agent of {of}")
    planner = isinstance(played, PlansTurns) and agent in played.profiles.names()
    spec = agent_spec(agent, played, **({"time_limit": most_seconds / 2} if planner else {}))
    action = spec.make(played, seed).decide(played.state_from_json(state))
    return {"action": played.action_to_json(action)}


def advise(of: str, state: Any, weights: Any, most_seconds: float) -> Any:
    """The best turn from a state of any game, in words."""
    played: Any = game(of)
    seen = played.state_from_json(state)
    question = played.decide_prompt(seen) if isinstance(game(of), HasPrompts) else None
    if question is not None:
        return {
            "actions": [played.action_to_json(question)],
            "words": [played.describe_action(seen, question)],
            "objective": None,
        }
    plan = next(iter(played.plans(seen, weights, PlanOptions(time_limit=most_seconds))))
    return {
        "actions": [played.action_to_json(action) for action in plan.actions],
        "words": played.describe_turn(seen, plan.actions, briefly=True),
        "objective": plan.objective,
        "status": plan.status,
        "lethal": plan.lethal,
    }


def open_log(text: str, most_seconds: float) -> Any:  # noqa: ARG001
    """A match from its log, checked move by move."""
    record = parse_log(text)
    verdict = verify_log(record)
    return _match(record, verdict.problem, verdict.moves)


def rerun(folder: str, number: int, most_seconds: float) -> Any:  # noqa: ARG001
    """A game of one of the server's tournaments, played again from its seed."""
    from planner.arena.tournament.rerun import rerun_game  # noqa: PLC0415  (reads tables, which takes a second)
    from planner.service.pages.standings import folder_of  # noqa: PLC0415

    record, problem = rerun_game(folder_of(folder), number)
    return _match(record, problem, sum(len(turn.moves) for turn in record.turns))


def _match(record: MatchRecord, problem: str | None, moves: int) -> Any:
    """The states of a match up to so many moves, what led from each to the next, and the log itself."""
    of = record.game
    walked = list(islice(walk(record), moves))
    first = record.initial
    frames = [{"turn": 0, "words": "", "state": of.state_to_json(first), "picture": of.show(first, PICTURE)}]
    places = [place for place, turn in enumerate(record.turns) for _ in turn.moves]
    for place, (before, move, after) in zip(places, walked, strict=False):
        frames.append({
            "turn": place, "words": of.describe_action(before, move.action, after), "state": of.state_to_json(after),
            "picture": of.show(after, PICTURE), "action": of.action_to_json(move.action),
        })  # fmt: skip
    return {
        "game": of.name,
        "agents": list(record.agents),
        "seats": list(of.seat_names(record.initial)),
        "turns": _turns(record, len(walked)),
        "outcome": str(record.outcome),
        "rounds": record.outcome.rounds,
        "winner": record.outcome.winner,
        "problem": problem,
        "frames": frames,
        "log": json.dumps(record.to_dict(), ensure_ascii=False),
        "profiles": list(of.profiles.names()) if isinstance(of, JudgesTurns) else [],
        "profile": of.profiles.default if isinstance(of, PlansTurns) else None,
    }


def _turns(record: MatchRecord, moves: int) -> list[dict[str, Any]]:
    """The turns, and whether each is whole among so many moves."""
    ends = accumulate(len(turn.moves) for turn in record.turns)
    return [
        {"number": turn.number, "seat": turn.seat, "moves": len(turn.moves), "whole": bool(turn.moves) and end <= moves}
        for turn, end in zip(record.turns, ends, strict=True)
    ]


def judge(text: str, turns: Sequence[int], weights: Any, most_seconds: float) -> Any:
    """What these turns of a match fell short of, by place; the planner's turn in words, or why nobody can say."""
    record = parse_log(text)
    of: Any = record.game
    profile, wanted, found = _profile(weights, of), set(turns), dict[str, Any]()
    # Not beyond the last of them: what comes after it may be no match.
    for place, (before, turn, chance) in zip(range(max(wanted, default=-1) + 1), walk_turns(record), strict=False):
        if place in wanted and turn.number:
            share = most_seconds / len(wanted)
            try:
                one = of.regret(before, [move.action for move in turn.moves], chance, profile, share)
            except UnjudgedError as error:
                found[str(place)] = {"problem": str(error)}
                continue
            found[str(place)] = {
                "earned": one.earned,
                "best": one.plan.objective,
                "regret": one.value,
                "estimate": one.estimate,
                "missed_win": bool(one.missed_win),
                "words": of.describe_turn(one.plan.state, one.plan.actions, briefly=True),
            }
    return {"turns": found}


_ANSWERS: Final[dict[str, Callable[..., Any]]] = {
    "look": look, "others": others, "lethal": lethal, "ranges": ranges, "decide": decide, "advise": advise,
    "open_log": open_log, "rerun": rerun, "judge": judge,
}  # fmt: skip
