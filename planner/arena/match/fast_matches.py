"""Matches that a game plays by itself, and the audit that compares them with the match runner.

A game with the capability `PlaysMatches` plays whole matches between its own agents: the same ones as `play_match`.
The audit plays a match again with the match runner; a difference is a bug, and ends the run with an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import TimeLimits
from planner.errors import PlannerError
from planner.game import AnyGame
from planner.match_options import Adjudication
from planner.planning.capabilities import AgentDescription, MatchPlayer, PlayedMatch, PlaysMatches


class MatchDifferenceError(PlannerError):
    """A game and the match runner have played a match differently."""

    max_length = None  # the first difference in full, so that the bug can be found


def match_player(
    game: AnyGame, setup: Any, agents: Sequence[AgentDescription], limits: TimeLimits, adjudication: Adjudication
) -> MatchPlayer | None:
    """Return what plays matches between these agents by itself, or None where the match runner has to play them."""
    if not isinstance(game, PlaysMatches):
        return None
    return game.match_player(setup, agents, limits.move_time, limits.game_time, adjudication)


def check_match(played: PlayedMatch, record: MatchRecord) -> None:
    """Raise a `MatchDifferenceError` if the match with moves and the record of the match runner differ."""
    problem = _difference(played, record)
    if problem is not None:
        names = " against ".join(record.agents)
        raise MatchDifferenceError(
            f"the match of {names} with seed {record.seed} differs from that of the match runner; please report it: "
            f"{problem}"
        )


def _difference(played: PlayedMatch, record: MatchRecord) -> str | None:
    assert played.moves is not None
    for turn, recorded in zip(played.moves, record.turns, strict=False):
        actual = turn.number, turn.seat, [(action, bool(planned)) for action, planned in turn.moves]
        expected = recorded.number, recorded.seat, [(move.action, move.thought) for move in recorded.moves]
        if actual != expected:
            return f"turn {recorded.number}: expected {expected}, actual {actual}"
    outcome = record.outcome
    winner = -1 if outcome.winner is None else outcome.winner
    pairs = {
        "turns": (len(record.turns), len(played.moves)),
        "outcome": ((winner, outcome.reason, outcome.rounds), (played.winner, played.reason, played.rounds)),
        "cards": (record.cards_used(), tuple(played.cards)),
    }
    for what, (expected_value, actual_value) in pairs.items():
        if expected_value != actual_value:
            return f"{what}: expected {expected_value}, actual {actual_value}"
    return None
