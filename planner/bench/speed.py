"""Measure how long different planners ("contestants") take for the same turns and the same matches.

The measure is processor time, so that other work on the machine does not count; wall time is reported too. All
contestants plan the same turns, in blocks and in a rotating order, so that all run under the same conditions. Within a
block a contestant plans one turn after the other: if they took turns, each would start with the processor's caches full
of the other's program, which doubles the time of a contestant with a small program.
"""

from __future__ import annotations

import gc
import json
import resource
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planner.agents.planner_agent import PlannerAgent
from planner.api import plan_turn
from planner.arena.match.referee import play_match
from planner.bench.benchmark_positions import Position, warm_up_positions
from planner.errors import PlannerError
from planner.game import Agent
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.cards.keywords import CHARGE, DIVINE_SHIELD, RUSH, TAUNT, WINDFURY
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_json import state_to_dict
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from planner.games.hearthstone.turn.scoring import replay_legal
from planner.planning.plan import AUTO
from planner.planning.profiles import Number

if TYPE_CHECKING:
    from planner.solvers.reference import TurnInputs

REFERENCE: Final = "reference"  # the program of Guo 2025
_BLOCK: Final = 25  # turns that a contestant plans one after the other


# -- contestants


class PlanningTask(NamedTuple):
    """A turn to plan, prepared before the clock starts.

    `plan_turn` gets `mapping` and `profile`, which is what a bot has. The program of Guo 2025 has no reader, so it
    gets `state` and `weights`, which saves it time.
    """

    mapping: dict[str, Any]
    profile: str | dict[str, Number]
    state: GameState
    weights: Weights

    @classmethod
    def from_position(cls, position: Position) -> PlanningTask:
        """Copy the position through JSON, so that no object has been seen before."""
        weights, state = position
        mapping = json.loads(json.dumps(state_to_dict(state)))
        profile = weights.name if weights.name in Weights.names() else dict(weights.terms())
        return cls(mapping, profile, state, weights)


@dataclass(frozen=True)
class Contestant:
    """One way to plan a turn."""

    name: str
    plan: Callable[[PlanningTask], object]
    make_agent: Callable[[Weights], Agent]
    clock: Callable[[], float] = process_time


def planner_contestant(solver: str, formulation: str = "exact", in_process: bool = True) -> Contestant:
    """Return `plan_turn` with this solver and formulation as a contestant."""

    def plan(task: PlanningTask) -> object:
        return plan_turn(task.mapping, task.profile, solver, formulation)

    def make_agent(weights: Weights) -> Agent:
        return PlannerAgent(weights, solver=solver, formulation=formulation)

    name = AUTO if (solver, formulation) == (AUTO, "exact") else f"{formulation} {solver}"
    return Contestant(name, plan, make_agent, process_time if in_process else process_time_with_children)


def reference_contestant() -> Contestant:
    """Return the program of Guo 2025 as a contestant."""
    return Contestant(REFERENCE, lambda task: solve_reference(task.state, task.weights), _ReferenceAgent)


def process_time_with_children() -> float:
    """Return the processor time of this process and of the solver processes that it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


# -- the program of Guo 2025. It needs an optional package; `planner.solvers.reference.problem` says what is missing.
# `plan_turn(..., formulation="thesis")` solves the same model with any solver.


def solve_reference(state: GameState, weights: Weights) -> dict[str, Any]:
    """Return the decisions of the program for a turn, by name."""
    from planner.solvers import reference  # noqa: PLC0415  (numpy is slow to import)

    return reference.solve_as_written(_reference_inputs(state, weights))


def reference_actions(state: GameState, weights: Weights) -> list[Action]:
    """Return the legal part of those decisions as actions, for matches."""
    from planner.games.hearthstone.turn.thesis_program import Choice, decode  # noqa: PLC0415  (numpy)

    solution = solve_reference(state, weights)
    played, hits, face = (
        [key for key, value in solution[part].items() if value] for part in ("cards_played", "x_minions", "x_hero")
    )
    return replay_legal(state, decode(state, Choice(0, 1, played, hits, face)))[0]


class _ReferenceAgent(PlannerAgent):
    """Plays the legal part of the program's turns, as Guo 2025 does."""

    def _plan(self, state: GameState) -> list[Action]:
        assert isinstance(self.weights, Weights)
        return reference_actions(state, self.weights)


def _reference_inputs(state: GameState, weights: Weights) -> TurnInputs:
    from planner.games.hearthstone.turn.thesis_program import minions_in_hand  # noqa: PLC0415  (numpy)
    from planner.solvers.reference import TurnInputs  # noqa: PLC0415

    me, hero, enemies, hand = state.me, state.enemy.hero, state.enemy.board, minions_in_hand(state)
    board = me.board
    keywords = [minion.keywords for minion in board] + [held.card.keywords for held in hand]
    return TurnInputs(
        m=len(board),
        n=len(enemies),
        h=len(hand),
        mana=me.mana,
        hero_health=hero.health + hero.armor,
        A=[minion.attack for minion in board] + [held.card.attack for held in hand],
        B=[minion.health for minion in board] + [held.card.health for held in hand],
        P=[enemy.attack for enemy in enemies],
        Q=[enemy.health for enemy in enemies],
        C=[0] * len(board) + [held.cost for held in hand],
        S=[0] * len(board) + [held.value for held in hand],
        charge=[bool(bits & CHARGE) for bits in keywords],
        rush=[bool(bits & RUSH) for bits in keywords],
        windfury=[bool(bits & WINDFURY) for bits in keywords],
        shield=[bool(bits & DIVINE_SHIELD) for bits in keywords],
        enemy_taunt=[bool(enemy.keywords & TAUNT) for enemy in enemies],
        enemy_shield=[bool(enemy.keywords & DIVINE_SHIELD) for enemy in enemies],
        weights=[weights.terms()[term] for term in TERMS],
    )


# -- turns


def percentile(numbers: Sequence[float], percent: float) -> float:
    """Return a percentile, linearly interpolated."""
    ordered = sorted(numbers)
    below, part = divmod(percent / 100 * (len(ordered) - 1), 1)
    low = ordered[int(below)]
    return low + part * (ordered[min(int(below) + 1, len(ordered) - 1)] - low)


@dataclass
class TurnTimes:
    """The seconds of one contestant for each turn."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)


def measure_turns(contestants: Sequence[Contestant], positions: Sequence[Position]) -> Iterator[dict[str, TurnTimes]]:
    """Plan every turn once with every contestant; yield the times so far after each turn of the last of them.

    A turn is planned only once, because a contestant may remember it.
    """
    times = {contestant.name: TurnTimes() for contestant in contestants}
    for position in warm_up_positions():
        for contestant in contestants:
            _time_plan(contestant, PlanningTask.from_position(position))
    tasks = [PlanningTask.from_position(position) for position in positions]
    gc.collect()
    gc.freeze()  # the contestants must not pay for collecting the benchmark's objects
    for start in range(0, len(tasks), _BLOCK):
        block = tasks[start : start + _BLOCK]
        order = _rotated(contestants, start // _BLOCK)
        for contestant in order:
            own = times[contestant.name]
            for task in block:
                began = perf_counter()
                own.cpu.append(_time_plan(contestant, task))
                own.wall.append(perf_counter() - began)
                if contestant is order[-1]:
                    yield times
    gc.unfreeze()


def _rotated(contestants: Sequence[Contestant], number: int) -> Sequence[Contestant]:
    shift = number % len(contestants)
    return (*contestants[shift:], *contestants[:shift])


def _time_plan(contestant: Contestant, task: PlanningTask) -> float:
    began = contestant.clock()
    try:
        contestant.plan(task)
    except PlannerError as error:
        raise PlannerError(f"{contestant.name}: {error}: {task.profile}: {task.state}") from None
    return contestant.clock() - began


def turn_rows(times: dict[str, TurnTimes], base: str) -> list[dict[str, Any]]:
    """Return the rows of the table: milliseconds of processor time, and the speed-up over `base`."""
    baseline = times[base].cpu
    return [
        {
            "contestant": name,
            "turns": len(own.cpu),
            "mean_ms": 1000 * fmean(own.cpu),
            **{f"p{percent}_ms": 1000 * percentile(own.cpu, percent) for percent in (50, 95, 99)},
            "max_ms": 1000 * max(own.cpu),
            "wall_mean_ms": 1000 * fmean(own.wall),
            "faster_mean": fmean(baseline) / fmean(own.cpu),
            "faster_p95": percentile(baseline, 95) / percentile(own.cpu, 95),
        }
        for name, own in times.items()
    ]


def times_by_profile(times: dict[str, TurnTimes], positions: Sequence[Position]) -> dict[str, dict[str, TurnTimes]]:
    """Return the same times for each profile of the positions, in order of their names."""
    indices: dict[str, list[int]] = {}
    for index, position in enumerate(positions):
        indices.setdefault(position.weights.name, []).append(index)
    return {
        profile: {
            name: TurnTimes([own.cpu[index] for index in chosen], [own.wall[index] for index in chosen])
            for name, own in times.items()
        }
        for profile, chosen in sorted(indices.items())
    }


# -- matches


@dataclass
class MatchTimes:
    """The matches of one contestant, and the seconds they took."""

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
) -> Iterator[dict[str, MatchTimes]]:
    """Play one match per pair of profiles and contestant, which plays both seats; yield the times after each pair."""
    times = {contestant.name: MatchTimes() for contestant in contestants}
    for number, (first, second) in enumerate(pairs):
        for contestant in _rotated(contestants, number):
            began, cpu = perf_counter(), contestant.clock()
            agents = contestant.make_agent(first), contestant.make_agent(second)
            record = play_match(agents, MatchSetup(decks, rules), seed + number)
            own = times[contestant.name]
            own.cpu += contestant.clock() - cpu
            own.wall += perf_counter() - began
            own.matches += 1
            own.turns += len(record.turns)
            if record.outcome.reason.startswith(("crash", "illegal")):
                raise PlannerError(f"{contestant.name}: {record.outcome.reason}")
        yield times


def match_rows(times: dict[str, MatchTimes], base: str) -> list[dict[str, Any]]:
    """Return the rows of the table; the last column is the speed-up of a match over `base`."""
    baseline = times[base].cpu / times[base].matches
    return [
        {
            "contestant": name,
            "matches": own.matches,
            "matches_per_second": own.matches / own.cpu,
            "turns_per_match": own.turns / own.matches,
            "ms_per_turn": 1000 * own.cpu / own.turns,
            "wall_matches_per_second": own.matches / own.wall,
            "faster": baseline / (own.cpu / own.matches),
        }
        for name, own in times.items()
    ]
