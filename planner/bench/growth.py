"""How planning time grows with the board and the hand, up to twice the game's limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

from planner.api import plan_turn
from planner.arena.match.referee import derive_seed
from planner.bench.benchmark_positions import GUO_PROFILES, Position, crowded_state, thesis_decks
from planner.bench.speed import percentile
from planner.errors import file_errors
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.scoring import replay
from planner.games.hearthstone.turn.turn_plan import TurnPlan

_BOARDS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14)
# By name: board and hand of each size.
SERIES: Final[dict[str, list[tuple[int, int]]]] = {
    "board": [(board, 4) for board in _BOARDS],
    "hand": [(4, hand) for hand in (0, 2, 4, 6, 8, 10, 12, 16, 20)],
    "both": [(board, round(board * 10 / 7)) for board in _BOARDS],
}
# By name: the title of its plot, and the largest size that the game allows.
_TITLES: Final = {
    "board": ("n v n minions, 4 cards in hand", 7),
    "hand": ("n cards in hand, 4 v 4 minions", 10),
    "both": ("n v n minions, 10n/7 cards in hand", 7),
}


def measure_growth(
    solvers: Sequence[str], states: int, limit: float, patience: float, series: Sequence[str] = tuple(SERIES)
) -> Iterator[dict[str, Any]]:
    """Measure every series with every solver, without and with the time limit; yield the rows of the table.

    A solver that proves no turn of one size within the patience is not tried without a limit on larger sizes.
    """
    for name in series:
        gave_up: set[str] = set()
        for board, hand in SERIES[name]:
            turns = positions_of_size(board, hand, states)
            for solver in solvers:
                for time_limit in (None, limit):
                    if time_limit is None and solver in gave_up:
                        continue
                    numbers = _measure(turns, solver, patience if time_limit is None else time_limit)
                    if time_limit is None and not numbers["proved"]:
                        gave_up.add(solver)
                    size = hand if name == "hand" else board
                    shown = "" if time_limit is None else f"{time_limit:g}"
                    yield {"series": name, "size": size, "solver": solver, "time_limit": shown, **numbers}


def positions_of_size(board: int, hand: int, count: int) -> list[Position]:
    """Return random turns of one size, the same in every run; the profiles take turns."""
    rules = Ruleset.of("thesis")
    first, second = thesis_decks(rules)
    turns = []
    for number in range(count):
        rng = Random(derive_seed(number, "growth", board, hand))
        decks = (first, second) if number % 2 == 0 else (second, first)
        state = crowded_state(rng, decks, rules, board, board, hand, mana=10)
        turns.append(Position(Weights.of(GUO_PROFILES[number % len(GUO_PROFILES)]), state))
    return turns


def _measure(turns: Sequence[Position], solver: str, limit: float) -> dict[str, float]:
    """Plan all turns; times are in seconds, a gap is a share of the possible gain."""
    cpu, wall, gaps = [], [], []
    for weights, state in turns:
        began, used = perf_counter(), process_time()
        plan = plan_turn(state, weights, solver, time_limit=limit)
        cpu.append(process_time() - used)
        wall.append(perf_counter() - began)
        gaps.append(0.0 if plan.status == "optimal" else _gap(plan))
    return {
        "turns": len(turns),
        "proved": gaps.count(0.0),
        "cpu_median_s": median(cpu),
        "cpu_p95_s": percentile(cpu, 95),
        "wall_max_s": max(wall),
        "gap_median": median(gaps),
        "gap_max": max(gaps),
    }


def _gap(plan: TurnPlan) -> float:
    """Return the unproved share of the possible gain; it is 1 for a plan no better than ending the turn at once."""
    end_turn = sum(replay(plan.state, ()).contributions(plan.weights).values())
    return (plan.bound - plan.objective) / max(1.0, plan.bound - end_turn)


def plot_growth(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Plot the times, and below them the gaps of searches that the time limit ended."""
    import pandas as pd  # noqa: PLC0415  (slow to import)
    from matplotlib.figure import Figure  # noqa: PLC0415

    from planner.stats.figure_style import Picture  # noqa: PLC0415

    table = pd.DataFrame(rows)
    names = list(table["series"].unique())
    figure = Figure(figsize=(3.4 * len(names), 5.2), layout="constrained")
    axes = figure.subplots(2, len(names), sharex="col", sharey="row", squeeze=False, height_ratios=(2, 1))
    colours = {solver: f"C{number}" for number, solver in enumerate(table["solver"].unique())}
    for name, (times, gaps) in zip(names, axes.T, strict=True):
        title, game_limit = _TITLES[name]
        for (solver, limit), own in table[table["series"] == name].groupby(["solver", "time_limit"], sort=False):
            if not limit:
                times.plot(own["size"], own["cpu_median_s"], color=colours[solver], marker="o", ms=3, label=solver)
                times.fill_between(
                    own["size"], own["cpu_median_s"], own["cpu_p95_s"], color=colours[solver], alpha=0.15
                )
            else:
                label = f"{solver}, limit {limit} s"
                times.plot(own["size"], own["cpu_median_s"], color=colours[solver], linestyle="--", label=label)
                gaps.plot(own["size"], 100 * own["gap_max"], color=colours[solver], linestyle="--", marker="o", ms=3)
        times.set_title(title, fontsize=9)
        times.set_yscale("log")
        times.yaxis.set_major_formatter("{x:g}")
        gaps.set_xlabel("n")
        gaps.set_xticks(range(0, 2 * game_limit + 1, game_limit // 3))
        for axis in (times, gaps):
            axis.axvline(game_limit, color="0.7", linewidth=1, linestyle=":")
            axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("processor time, s: median, to p95")
    axes[1, 0].set_ylabel("largest gap, %")
    axes[0, 0].legend(fontsize=7)
    with file_errors(path):
        Picture(figure).save(path)
