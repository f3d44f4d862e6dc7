"""How the time for a turn grows with the board and the hand, up to twice the game's limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

from planner.arena.match.referee import derive_seed
from planner.bench.bench import percentile
from planner.bench.states import crowded_state, thesis_decks
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import Weights, profile_names
from planner.games.hearthstone.turn.scoring import replay
from planner.games.hearthstone.turn.turn_plan import TurnPlan, plan_turn

BOARDS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14)
HANDS: Final = (0, 2, 4, 6, 8, 10, 12, 16, 20)
# name: (board, hand) of each step, and which of the two the axis shows
SERIES: Final[dict[str, tuple[tuple[tuple[int, int], ...], int]]] = {
    "board": (tuple((board, 4) for board in BOARDS), 0),
    "hand": (tuple((4, hand) for hand in HANDS), 1),
    "both": (tuple((board, round(board * 10 / 7)) for board in BOARDS), 0),
}
TITLES: Final = {
    "board": "n v n minions, 4 cards in hand",
    "hand": "n cards in hand, 4 v 4 minions",
    "both": "n v n minions, 10n/7 cards in hand",
}
LIMITS: Final = {"board": 7, "hand": 10, "both": 7}  # of the game, on the same axis


@dataclass(frozen=True)
class Measurement:
    """All turns of one size, planned in one way. Times in seconds, gaps relative to what a plan could gain."""

    series: str
    size: int
    solver: str
    limit: float | None  # None: planned to the end, or as long as the patience lasts
    cpu: tuple[float, ...]
    wall: tuple[float, ...]
    gaps: tuple[float, ...]

    @property
    def proved(self) -> int:
        return sum(gap == 0 for gap in self.gaps)

    def row(self) -> tuple[str | float, ...]:
        limit = "" if self.limit is None else f"{self.limit:g}"
        middle, p95 = (percentile(self.cpu, percent) for percent in (50, 95))
        return (
            self.series, self.size, self.solver, limit, len(self.cpu), self.proved, middle, p95,
            max(self.wall), median(self.gaps), max(self.gaps),
        )  # fmt: skip


COLUMNS: Final = (
    "series", "size", "solver", "time_limit", "turns", "proved", "cpu_median_s", "cpu_p95_s", "wall_max_s",
    "gap_median", "gap_max",
)  # fmt: skip


def measure_growth(
    solvers: Sequence[str], states: int, limit: float, patience: float, series: Sequence[str] = tuple(SERIES)
) -> Iterator[Measurement]:
    """Every series with every solver, with the limit and without; larger sizes end where patience did for all."""
    for name in series:
        sizes, axis = SERIES[name]
        lost: set[str] = set()
        for board, hand in sizes:
            turns = positions(board, hand, states)
            for solver in solvers:
                for given in (None, limit):
                    if given is None and solver in lost:
                        continue
                    step = _step(turns, name, (board, hand)[axis], solver, given, patience)
                    if given is None and not step.proved:
                        lost.add(solver)
                    yield step


def positions(board: int, hand: int, count: int) -> list[tuple[GameState, Weights]]:
    """Random turns of one size: the same ones in every run, each under the next profile."""
    rules = Ruleset.of("thesis")
    first, second = thesis_decks(rules)
    names = profile_names()
    found = []
    for number in range(count):
        rng = Random(derive_seed(number, "growth", board, hand))
        decks = (first, second) if number % 2 == 0 else (second, first)
        state = crowded_state(rng, decks, rules, board, board, hand, mana=10)
        found.append((state, Weights.of(names[number % len(names)])))
    return found


def _step(
    turns: Sequence[tuple[GameState, Weights]],
    series: str,
    size: int,
    solver: str,
    limit: float | None,
    patience: float,
) -> Measurement:
    cpu, wall, gaps = [], [], []
    for state, weights in turns:
        began, used = perf_counter(), process_time()
        plan = plan_turn(state, weights, solver, time_limit=patience if limit is None else limit)
        cpu.append(process_time() - used)
        wall.append(perf_counter() - began)
        gaps.append(0.0 if plan.status == "optimal" else _gap(plan))
    return Measurement(series, size, solver, limit, tuple(cpu), tuple(wall), tuple(gaps))


def _gap(plan: TurnPlan) -> float:
    """The part of the possible gain that is not proved to be had: 1 for a plan no better than ending the turn."""
    nothing = sum(replay(plan.state, ()).contributions(plan.weights).values())
    return (plan.bound - plan.objective) / max(1.0, plan.bound - nothing)


def plot_growth(steps: Sequence[Measurement], path: Path) -> None:
    """Above, the time; below, the gap where the limit ended the search."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (half a second that other commands need not spend)

    shown = [name for name in SERIES if any(step.series == name for step in steps)]
    figure = Figure(figsize=(3.4 * len(shown), 5.2), layout="constrained")
    axes = figure.subplots(2, len(shown), sharex="col", sharey="row", squeeze=False, height_ratios=(2, 1))
    for column, name in enumerate(shown):
        _draw([step for step in steps if step.series == name], axes[0, column], axes[1, column])
        axes[0, column].set_title(TITLES[name], fontsize=9)
        axes[1, column].set_xlabel("n")
        axes[1, column].set_xticks(range(0, 2 * LIMITS[name] + 1, LIMITS[name] // 3))
        for axis in axes[:, column]:
            axis.axvline(LIMITS[name], color="0.7", linewidth=1, linestyle=":")
            axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("processor time, s: median, to p95")
    axes[1, 0].set_ylabel("largest gap, %")
    axes[0, 0].legend(fontsize=7)
    figure.savefig(path, dpi=90)


def _draw(steps: Sequence[Measurement], times: Any, gaps: Any) -> None:
    solvers = dict.fromkeys(step.solver for step in steps)
    for number, solver in enumerate(solvers):
        colour = f"C{number}"
        for limit in dict.fromkeys(step.limit for step in steps):
            mine = [step for step in steps if step.solver == solver and step.limit == limit]
            sizes = [step.size for step in mine]
            low, high = ([percentile(step.cpu, percent) for step in mine] for percent in (50, 95))
            if limit is None:
                times.plot(sizes, low, color=colour, marker="o", markersize=3, label=solver)
                times.fill_between(sizes, low, high, color=colour, alpha=0.15)
            else:
                times.plot(sizes, low, color=colour, linestyle="--", label=f"{solver}, limit {limit:g} s")
                worst = [100 * max(step.gaps) for step in mine]
                gaps.plot(sizes, worst, color=colour, linestyle="--", marker="o", markersize=3)
    times.set_yscale("log")
