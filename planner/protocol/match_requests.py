"""Requests about matches: an agent's decision, a match log step by step, and the points lost in its turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice
from typing import Any, Final

from planner.agents.agent_spec import agent_names, agent_spec
from planner.api import read_state
from planner.arena.match.record import MatchRecord
from planner.arena.match.replay import verify_log, walk, walk_turns
from planner.formats.values import as_list, as_mapping, integer, one_of, read_field
from planner.game import AnyGame, require
from planner.planning.capabilities import JudgesTurns, PlansTurns
from planner.planning.plan import UnjudgedError
from planner.protocol.fields import optional, profile_for, request_fields, time_limit

PICTURE_WIDTH: Final = 88  # characters in a line of a game's text picture: what a page has room for
_MAX_SEED: Final = 2**64 - 1
_index = partial(integer, minimum=0)


@dataclass(frozen=True)
class DecideRequest:
    """Ask for an agent's action in a state, which should contain only what the agent's seat can see."""

    state: Mapping[str, Any]
    agent: Any  # the name of a baseline or of a profile
    seed: int = 0
    time_limit: float | None = None  # for agents that plan
    effort: int | None = None  # likewise

    @classmethod
    def from_json(cls, data: Any, max_seconds: float | None = None) -> DecideRequest:
        """Read a request; a search gets at most half of `max_seconds`, since an agent may search twice."""
        fields = request_fields(data, ("state", "agent", "seed", "time_limit", "effort"))
        return cls(
            read_field(fields, "state", as_mapping),
            read_field(fields, "agent", lambda name: name),
            optional(fields, "seed", partial(integer, minimum=0, maximum=_MAX_SEED), 0),
            time_limit(fields, None if max_seconds is None else max_seconds / 2),
            optional(fields, "effort", partial(integer, minimum=1), None),
        )

    def answer(self) -> dict[str, Any]:
        """Return `{"action": ...}`."""
        game, state = read_state(self.state)
        # Only names from this list: an agent of a user's own is a module or a command.
        name = read_field(vars(self), "agent", lambda agent: one_of(agent, agent_names(game)))
        plans = isinstance(game, PlansTurns) and name in game.profiles.names()
        options = {"time_limit": self.time_limit, "effort": self.effort} if plans else {}
        action = agent_spec(name, game, **options).make(game, self.seed).decide(state)
        return {"action": game.action_to_json(action)}


@dataclass(frozen=True)
class JudgeRequest:
    """Ask how many points each turn of a match lost against the best turn under a profile."""

    record: MatchRecord
    weights: Any  # a profile of the log's game
    turns: Sequence[int] | None = None  # positions in the log; None: all
    time_limit: float | None = None  # for all turns together

    @classmethod
    def from_json(cls, data: Any, max_seconds: float | None = None) -> JudgeRequest:
        """Read a request."""
        fields = request_fields(data, ("log", "weights", "turns", "time_limit"))
        record = read_field(fields, "log", MatchRecord.from_dict)
        turns = optional(fields, "turns", lambda value: [_index(turn) for turn in as_list(value)], None)
        weights = profile_for(record.game.name, fields.get("weights"))
        return cls(record, weights, turns, time_limit(fields, max_seconds))

    def answer(self) -> dict[str, Any]:
        """Return `{"turns": [...]}`: for each turn its score, the best score and turn, and the points lost."""
        game = self.record.game
        judge = require(game, JudgesTurns, "judging")
        wanted = set(range(len(self.record.turns)) if self.turns is None else self.turns)
        share = None if self.time_limit is None else self.time_limit / max(1, len(wanted))
        judged: list[dict[str, Any]] = []
        # Stop after the last wanted turn: a log need not be valid beyond it.
        for index, (before, turn, chance) in zip(
            range(max(wanted, default=-1) + 1), walk_turns(self.record), strict=False
        ):
            if index not in wanted or not turn.number:
                continue
            entry: dict[str, Any] = {"index": index, "turn": turn.number, "seat": turn.seat}
            judged.append(entry)
            try:
                regret = judge.regret(before, [move.action for move in turn.moves], chance, self.weights, share)
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


@dataclass(frozen=True)
class ReplayRequest:
    """Ask for the states of a match, step by step, from its log; the rules check every move."""

    record: MatchRecord

    @classmethod
    def from_json(cls, data: Any, max_seconds: float | None = None) -> ReplayRequest:  # noqa: ARG003  (as all requests)
        """Read a request."""
        return cls(read_field(request_fields(data, ("log",)), "log", MatchRecord.from_dict))

    def answer(self) -> dict[str, Any]:
        """Return the match up to the first move that the rules do not confirm."""
        verdict = verify_log(self.record)
        return describe_match(self.record, verdict.problem, verdict.moves)


def describe_match(record: MatchRecord, problem: str | None, moves: int) -> dict[str, Any]:
    """Return the states of a match up to so many moves, what led from each to the next, and the log."""
    game = record.game
    steps = list(islice(walk(record), moves))
    turn_of_move = [index for index, turn in enumerate(record.turns) for _ in turn.moves]
    frames = [_frame(game, 0, record.initial)]
    for index, (before, move, after) in zip(turn_of_move, steps, strict=False):
        words = game.describe_action(before, move.action, after)
        frames.append(_frame(game, index, after, words) | {"action": game.action_to_json(move.action)})
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
        "log": record.to_dict(),
        "profiles": list(game.profiles.names()) if isinstance(game, JudgesTurns) else [],
        "profile": game.profiles.default if isinstance(game, PlansTurns) else None,
    }


def _frame(game: AnyGame, turn: int, state: Any, words: str = "") -> dict[str, Any]:
    picture = game.show(state, PICTURE_WIDTH)
    return {"turn": turn, "words": words, "state": game.state_to_json(state), "picture": picture}
