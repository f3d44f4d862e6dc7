"""How planning time grows with the board and the hand, up to twice the game's limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

from planner.api import plan_turn
from planner.arena.match.referee import derive_seed
from planner.bench.benchmark_positions import GUO_PROFILES, crowded_state, thesis_decks
from planner.bench.speed import percentile
from planner.errors import file_errors
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.scoring import replay
from planner.games.hearthstone.turn.turn_plan import TurnPlan

BOARDS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14)
HANDS: Final = (0, 2, 4, 6, 8, 10, 12, 16, 20)
# By name: (board, hand) of each size, and the index of the one on the x axis.
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
GAME_LIMITS: Final = {"board": 7, "hand": 10, "both": 7}  # on the x axis


@dataclass(frozen=True)
class Measurement:
    """All turns of one size with one solver and limit. Times are in seconds; a gap is a share of the possible gain."""

    series: str
    size: int
    solver: str
    limit: float | None  # None means without a time limit, except for the patience
    cpu: tuple[float, ...]
    wall: tuple[float, ...]
    gaps: tuple[float, ...]

    @property
    def proved(self) -> int:
        """Return the number of proved plans."""
        return sum(gap == 0 for gap in self.gaps)

    def row(self) -> dict[str, Any]:
        """Return the row of the table."""
        return {
            "series": self.series,
            "size": self.size,
            "solver": self.solver,
            "time_limit": "" if self.limit is None else f"{self.limit:g}",
            "turns": len(self.cpu),
            "proved": self.proved,
            "cpu_median_s": percentile(self.cpu, 50),
            "cpu_p95_s": percentile(self.cpu, 95),
            "wall_max_s": max(self.wall),
            "gap_median": median(self.gaps),
            "gap_max": max(self.gaps),
        }


def measure_growth(
    solvers: Sequence[str], states: int, limit: float, patience: float, series: Sequence[str] = tuple(SERIES)
) -> Iterator[Measurement]:
    """Measure every series with every solver, without and with the time limit.

    A solver that proves no turn of one size within the patience is not tried without a limit on larger sizes.
    """
    for name in series:
        sizes, axis = SERIES[name]
        gave_up: set[str] = set()
        for board, hand in sizes:
            turns = positions_of_size(board, hand, states)
            for solver in solvers:
                for time_limit in (None, limit):
                    if time_limit is None and solver in gave_up:
                        continue
                    measurement = _measure(turns, name, (board, hand)[axis], solver, time_limit, patience)
                    if time_limit is None and not measurement.proved:
                        gave_up.add(solver)
                    yield measurement


def positions_of_size(board: int, hand: int, count: int) -> list[tuple[GameState, Weights]]:
    """Return random turns of one size, the same in every run; the profiles take turns."""
    rules = Ruleset.of("thesis")
    first, second = thesis_decks(rules)
    turns = []
    for number in range(count):
        rng = Random(derive_seed(number, "growth", board, hand))
        decks = (first, second) if number % 2 == 0 else (second, first)
        state = crowded_state(rng, decks, rules, board, board, hand, mana=10)
        turns.append((state, Weights.of(GUO_PROFILES[number % len(GUO_PROFILES)])))
    return turns


def _measure(
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
    """Return the unproved share of the possible gain; it is 1 for a plan no better than ending the turn at once."""
    end_turn = sum(replay(plan.state, ()).contributions(plan.weights).values())
    return (plan.bound - plan.objective) / max(1.0, plan.bound - end_turn)


def plot_growth(measurements: Sequence[Measurement], path: Path) -> None:
    """Plot the times, and below them the gaps of searches that the time limit ended."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (slow to import)

    from planner.stats.figure_style import Picture  # noqa: PLC0415

    shown = [name for name in SERIES if any(one.series == name for one in measurements)]
    figure = Figure(figsize=(3.4 * len(shown), 5.2), layout="constrained")
    axes = figure.subplots(2, len(shown), sharex="col", sharey="row", squeeze=False, height_ratios=(2, 1))
    for column, name in enumerate(shown):
        _plot_series([one for one in measurements if one.series == name], axes[0, column], axes[1, column])
        axes[0, column].set_title(TITLES[name], fontsize=9)
        axes[1, column].set_xlabel("n")
        axes[1, column].set_xticks(range(0, 2 * GAME_LIMITS[name] + 1, GAME_LIMITS[name] // 3))
        for axis in axes[:, column]:
            axis.axvline(GAME_LIMITS[name], color="0.7", linewidth=1, linestyle=":")
            axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("processor time, s: median, to p95")
    axes[1, 0].set_ylabel("largest gap, %")
    axes[0, 0].legend(fontsize=7)
    with file_errors(path):
        Picture(figure).save(path)


def _plot_series(measurements: Sequence[Measurement], times: Any, gaps: Any) -> None:
    solvers = dict.fromkeys(one.solver for one in measurements)
    for number, solver in enumerate(solvers):
        colour = f"C{number}"
        for limit in dict.fromkeys(one.limit for one in measurements):
            own = [one for one in measurements if one.solver == solver and one.limit == limit]
            sizes = [one.size for one in own]
            p50, p95 = ([percentile(one.cpu, percent) for one in own] for percent in (50, 95))
            if limit is None:
                times.plot(sizes, p50, color=colour, marker="o", markersize=3, label=solver)
                times.fill_between(sizes, p50, p95, color=colour, alpha=0.15)
            else:
                times.plot(sizes, p50, color=colour, linestyle="--", label=f"{solver}, limit {limit:g} s")
                worst = [100 * max(one.gaps) for one in own]
                gaps.plot(sizes, worst, color=colour, linestyle="--", marker="o", markersize=3)
    times.set_yscale("log")
