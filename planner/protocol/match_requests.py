"""Requests about matches: an agent's decision, a match log step by step, and the points lost in its turns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from itertools import accumulate, islice
from typing import Any, Final

from planner.agents.agent_spec import agent_names, agent_spec
from planner.agents.tree_search import MCTS
from planner.arena.match.record import MatchRecord
from planner.arena.match.replay import parse_log, verify_log, walk, walk_turns
from planner.errors import PlannerError
from planner.formats.values import as_list, boolean, integer, one_of, optional, read_field
from planner.game import AnyGame, require
from planner.planning.capabilities import JudgesTurns, PlansTurns
from planner.planning.plan import UnjudgedError
from planner.protocol.fields import profile_for, read_state, request_fields, time_limit
from planner.table_view import DescribesTable, table_view

PICTURE_WIDTH: Final = 88  # characters in a line of a game's text picture: what a page has room for
_MAX_SEED: Final = 2**64 - 1
_index = partial(integer, minimum=0)


def decide(data: Any, max_seconds: float | None = None) -> dict[str, Any]:
    """Return an agent's action in a state, which should contain only what the agent's seat can see."""
    fields = request_fields(data, ("state", "agent", "seed", "time_limit", "effort"))
    game, state = read_state(fields)
    if game.outcome(state) is not None:
        raise PlannerError("state: the match is over, there is nothing to decide")
    # Only names from this list: an agent of a user's own is a module or a command.
    name = read_field(fields, "agent", lambda agent: one_of(agent, agent_names(game)))
    seed = optional(fields, "seed", partial(integer, minimum=0, maximum=_MAX_SEED), 0)
    limits = {
        # Half of the time, since an agent may search twice.
        "time_limit": time_limit(fields, None if max_seconds is None else max_seconds / 2),
        "effort": optional(fields, "effort", partial(integer, minimum=1), None),
    }
    if name == MCTS:
        del limits["effort"]
    elif not isinstance(game, PlansTurns) or name not in game.profiles.names():
        limits = {}
    action = agent_spec(name, game, **limits).make(game, seed).decide(state)
    return {"action": game.action_to_json(action)}


def judge(data: Any, max_seconds: float | None = None) -> dict[str, Any]:
    """Return for each turn of a match its score, the best turn under a profile, and the points lost.

    `turns` are positions in the log, all by default. The time limit is for all turns together.
    """
    fields = request_fields(data, ("log", "weights", "turns", "time_limit"))
    record = _read_log(fields)
    game = record.game
    judging = require(game, JudgesTurns, "judging")
    weights = profile_for(game, fields.get("weights"))
    every_turn = list(range(len(record.turns)))
    wanted = set(optional(fields, "turns", lambda value: [_index(turn) for turn in as_list(value)], every_turn))
    limit = time_limit(fields, max_seconds)
    share = None if limit is None else limit / max(1, len(wanted))
    judged: list[dict[str, Any]] = []
    try:
        # Stop after the last wanted turn: a log need not be valid beyond it.
        turns_until_last = list(zip(range(max(wanted, default=-1) + 1), walk_turns(record), strict=False))
    except PlannerError as error:
        raise PlannerError(f"log: {error}") from None
    for index, (before, turn, chance) in turns_until_last:
        if index not in wanted or not turn.number:
            continue
        entry: dict[str, Any] = {"index": index, "turn": turn.number, "seat": turn.seat}
        judged.append(entry)
        try:
            regret = judging.regret(before, [move.action for move in turn.moves], chance, weights, share)
        except UnjudgedError as error:
            entry["problem"] = str(error)
            continue
        best = regret.plan
        entry |= {
            "score": regret.earned,
            "best_score": best.objective,
            "points_lost": regret.value,
            "estimate": regret.estimate,
            "missed_win": bool(regret.missed_win),
            "best_turn": game.describe_turn(best.state, best.actions, briefly=True),
        }
    return {"turns": judged}


def replay(data: Any, max_seconds: float | None = None) -> dict[str, Any]:  # noqa: ARG001  (as all requests)
    """Return the states of a match from its log, up to the first move that the rules do not confirm."""
    fields = request_fields(data, ("log", "views"))
    record = _read_log(fields)
    verdict = verify_log(record)
    return describe_match(record, verdict.problem, verdict.moves, optional(fields, "views", boolean, False))


def _read_log(fields: Mapping[str, Any]) -> MatchRecord:
    """Read a log: an object, or its text. In JavaScript a log must stay text: its seeds exceed 53 bits."""
    log = read_field(fields, "log", lambda value: value)
    return parse_log(log) if isinstance(log, str) else MatchRecord.from_dict(log)


def describe_match(record: MatchRecord, problem: str | None, moves: int, views: bool = False) -> dict[str, Any]:
    """Return the states of a match up to so many moves, what led from each to the next, and the log.

    With `views` a frame has the table as a client shows it, and the state as text; the log is text, too.
    """
    game = record.game
    frame = _table_frame if views else _frame
    steps = list(islice(walk(record), moves))
    turn_of_move = [index for index, turn in enumerate(record.turns) for _ in turn.moves]
    frames = [frame(game, 0, record.initial)]
    for index, (before, move, after) in zip(turn_of_move, steps, strict=False):
        entry = frame(game, index, after, game.describe_action(before, move.action, after))
        entry["action"] = game.action_to_json(move.action)
        if views and isinstance(game, DescribesTable):
            binding = game.bind_action(before, move.action, game.to_move(before))
            entry |= {"source": binding.source, "target": binding.target}
        frames.append(entry)
    ends = accumulate(len(turn.moves) for turn in record.turns)
    return {
        "game": game.name,
        "agents": list(record.agents),
        "seats": list(game.seat_names(record.initial)),
        "turns": [
            {
                "number": turn.number,
                "seat": turn.seat,
                "moves": len(turn.moves),
                "complete": bool(turn.moves) and end <= len(steps),
            }
            for turn, end in zip(record.turns, ends, strict=True)
        ],
        "outcome": str(record.outcome),
        "rounds": record.outcome.rounds,
        "winner": record.outcome.winner,
        "problem": problem,
        "frames": frames,
        "log": json.dumps(record.to_dict()) if views else record.to_dict(),
        "profiles": list(game.profiles.names()) if isinstance(game, JudgesTurns) else [],
        "profile": game.profiles.strongest or game.profiles.default if isinstance(game, PlansTurns) else None,
    }


def _table_frame(game: AnyGame, turn: int, state: Any, words: str = "") -> dict[str, Any]:
    view = table_view(game, state, 0, reveal=True)
    return {"turn": turn, "words": words, "text": game.state_to_text(state), "view": view}


def _frame(game: AnyGame, turn: int, state: Any, words: str = "") -> dict[str, Any]:
    picture = game.show(state, PICTURE_WIDTH)
    return {"turn": turn, "words": words, "state": game.state_to_json(state), "picture": picture}
