"""Contestants plan the same turns, one after the other, and play the same matches: how long each of them takes.

The measure is processor time, because other work on the machine does not count there; wall time stands beside it.
On every turn all contestants take their turn, in a new order each time, so that all see the same machine.
"""

from __future__ import annotations

import csv
import gc
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from time import perf_counter, process_time
from typing import Any, Final, NamedTuple

from planner.agents.planner_agent import PlannerAgent
from planner.api import plan_turn
from planner.arena.match.referee import play_match
from planner.bench.states import Position, small_positions
from planner.errors import PlannerError
from planner.game import Agent
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_json import state_to_dict
from planner.games.hearthstone.turn.hearthstone_weights import Number, Weights, profile_names
from planner.planning.plan import AUTO

REFERENCE: Final = "reference"


class Question(NamedTuple):
    """A turn as the contestants are asked for it: put together before any clock runs.

    `plan_turn` gets what a bot has, plain mappings. The thesis's program gets our state and weights, already read:
    that saves it a reader of its own, and time.
    """

    mapping: dict[str, Any]
    style: str | dict[str, Number]
    state: GameState
    weights: Weights

    @classmethod
    def of(cls, position: Position) -> Question:
        """The position as it would come over a wire: no object in it is one that was seen before."""
        weights, state = position
        mapping = json.loads(json.dumps(state_to_dict(state)))
        style = weights.name if weights.name in profile_names() else dict(weights.terms())
        return cls(mapping, style, state, weights)


@dataclass(frozen=True)
class Contestant:
    """One way to plan a turn."""

    name: str
    plan: Callable[[Question], object]
    agent: Callable[[Weights], Agent]
    clock: Callable[[], float] = process_time


def percentile(numbers: Sequence[float], percent: float) -> float:
    """Between the two numbers that are next to it, in proportion."""
    ordered = sorted(numbers)
    below, part = divmod(percent / 100 * (len(ordered) - 1), 1)
    low = ordered[int(below)]
    return low + part * (ordered[min(int(below) + 1, len(ordered) - 1)] - low)


@dataclass
class TurnTimes:
    """Seconds of one contestant, a number for each turn."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def mean(self) -> float:
        return fmean(self.cpu)

    def percentile(self, percent: float) -> float:
        return percentile(self.cpu, percent)


def contestant(solver: str, formulation: str = "exact", in_process: bool = True) -> Contestant:
    """`plan_turn` with this solver and formulation."""

    def plan(question: Question) -> object:
        return plan_turn(question.mapping, question.style, solver, formulation)

    name = AUTO if (solver, formulation) == (AUTO, "exact") else f"{formulation} {solver}"
    clock = process_time if in_process else with_children
    return Contestant(name, plan, lambda weights: _agent(weights, solver, formulation), clock)


def _agent(weights: Weights, solver: str, formulation: str) -> Agent:
    return PlannerAgent(weights, solver=solver, formulation=formulation)


def reference() -> Contestant:
    """The thesis's program as it was written."""
    from planner.bench.thesis_program import solve_reference  # noqa: PLC0415  (numpy)

    return Contestant(REFERENCE, lambda question: solve_reference(question.state, question.weights), _ReferenceAgent)


class _ReferenceAgent(PlannerAgent):
    """Plays what is legal of the program's turn, as the thesis did."""

    def _plan(self, state: GameState) -> list[Action]:
        from planner.bench.thesis_program import reference_actions  # noqa: PLC0415  (numpy)

        assert isinstance(self.weights, Weights)
        return reference_actions(state, self.weights)


def with_children() -> float:
    """Processor time of this process and of the solvers that it started and waited for."""
    import resource  # noqa: PLC0415  (not everywhere, and only some need it)

    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


# -- turns


def measure_turns(contestants: Sequence[Contestant], positions: Sequence[Position]) -> Iterator[dict[str, TurnTimes]]:
    """Plan every turn once with every contestant; yields the times so far after each turn.

    Once, because a second time would be a different turn for whoever remembers the first.
    """
    times = {one.name: TurnTimes() for one in contestants}
    for position in small_positions():  # what is loaded or tabulated once, is so now
        for one in contestants:
            _run(one, Question.of(position))
    questions = [Question.of(position) for position in positions]
    gc.collect()
    gc.freeze()  # what was made for the benchmark is not for the contestants to clean up
    for number, question in enumerate(questions):
        shift = number % len(contestants)
        for one in (*contestants[shift:], *contestants[:shift]):
            began = perf_counter()
            cpu = _run(one, question)
            mine = times[one.name]
            mine.wall.append(perf_counter() - began)
            mine.cpu.append(cpu)
        yield times
    gc.unfreeze()


def _run(one: Contestant, question: Question) -> float:
    began = one.clock()
    try:
        one.plan(question)
    except PlannerError as error:
        raise PlannerError(f"{one.name}: {error}: {question.style}: {question.state}") from None
    return one.clock() - began


TURN_COLUMNS: Final = (
    "contestant", "turns", "mean_ms", "p50_ms", "p95_ms", "p99_ms", "max_ms", "wall_mean_ms",
    "faster_mean", "faster_p95",
)  # fmt: skip


def turn_rows(times: dict[str, TurnTimes], base: str) -> list[tuple[str | float, ...]]:
    """The table: milliseconds of processor time, and how many times faster than `base`."""
    yardstick = times[base]
    rows: list[tuple[str | float, ...]] = []
    for name, mine in times.items():
        mean, p95 = mine.mean(), mine.percentile(95)
        rows.append((
            name, len(mine.cpu), 1000 * mean, *(1000 * mine.percentile(p) for p in (50, 95, 99, 100)),
            1000 * fmean(mine.wall), yardstick.mean() / mean, yardstick.percentile(95) / p95,
        ))  # fmt: skip
    return rows


# -- matches


@dataclass
class Played:
    """What one contestant has played."""

    matches: int = 0
    turns: int = 0
    cpu: float = 0.0
    wall: float = 0.0


def measure_matches(
    contestants: Sequence[Contestant],
    pairs: Iterable[tuple[Weights, Weights]],
    decks: tuple[Deck, Deck],
    rules: Ruleset,
    seed: int = 1,
) -> Iterator[dict[str, Played]]:
    """One match for each pair of profiles and each contestant, who plays both seats; yields after each pair."""
    played = {one.name: Played() for one in contestants}
    for number, (first, second) in enumerate(pairs):
        shift = number % len(contestants)
        for one in (*contestants[shift:], *contestants[:shift]):
            began, cpu = perf_counter(), one.clock()
            record = play_match((one.agent(first), one.agent(second)), MatchSetup(decks, rules), seed + number)
            mine = played[one.name]
            mine.cpu += one.clock() - cpu
            mine.wall += perf_counter() - began
            mine.matches += 1
            mine.turns += len(record.turns)
            if record.outcome.reason.startswith(("crash", "illegal")):
                raise PlannerError(f"{one.name}: {record.outcome.reason}")
        yield played


MATCH_COLUMNS: Final = (
    "contestant", "matches", "matches_per_second", "turns_per_match", "ms_per_turn", "wall_matches_per_second",
    "faster",
)  # fmt: skip


def match_rows(played: dict[str, Played], base: str) -> list[tuple[str | float, ...]]:
    """The table; the last number is how many times faster a match is than with `base`."""
    yardstick = played[base].cpu / played[base].matches
    return [
        (
            name, one.matches, one.matches / one.cpu, one.turns / one.matches, 1000 * one.cpu / one.turns,
            one.matches / one.wall, yardstick / (one.cpu / one.matches),
        )
        for name, one in played.items()
    ]  # fmt: skip


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """The table as a small CSV file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([f"{cell:.4g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    return out.getvalue()
