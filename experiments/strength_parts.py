"""What the champion's strength is made of: `python -m experiments.strength_parts terms|curve|wander`.

terms   each of its weights left out in turn, against the whole champion: which terms carry the strength
curve   the look at the reply with more turns and more samples: strength against time
wander  where the seven profiles of the thesis go when each is the start of a search

Each writes a table and a plot to results/strength_parts.
"""

from __future__ import annotations

import dataclasses
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planner.agents.spec import AgentSpec
from planner.arena.experiment import Entry, Experiment
from planner.arena.experiment_file import load_experiment
from planner.arena.plots import BLUE, GRID, MUTED, ORANGE, png, style
from planner.arena.run import run_tournament
from planner.games.hearthstone.turn.weights import TERMS, Weights
from planner.planning.plan import AheadOptions, PlanOptions
from planner.results import Results, load
from planner.stats.paired import compare_agents
from planner.tuning.search import TuneSearch
from planner.tuning.task import TuningTask, load_tuning

OUT = Path("results/strength_parts")
SEVEN = ("keep_alive", "board_clear", "aggro_face", "value_trade", "aggro_tempo", "true_balanced", "author_favorite")
SEED = 77


def played(agents: Sequence[Entry], games: int, pairs: str = "gauntlet") -> Results:
    """These agents on the thesis's decks, from both seats and with both decks, open."""
    field = load_experiment("strength")
    experiment: Experiment = dataclasses.replace(
        field, name="parts", agents=tuple(agents), games=games, pairs=pairs, seed=SEED
    )
    with tempfile.TemporaryDirectory() as folder:
        return load(run_tournament(experiment, folder))


def entry(profile: Weights, name: str, ahead: AheadOptions | None = None) -> Entry:
    """One who plays."""
    return Entry(name, AgentSpec(name, dataclasses.replace(profile, name=name), PlanOptions(ahead=ahead)))


def terms(games: int = 500) -> None:
    """Each term left out in turn."""
    champion = Weights.of("champion")
    weighed = [term for term, weight in champion.terms().items() if weight and term != "lethal"]
    agents = [entry(champion, "champion")]
    for term in weighed:
        rest = {other: weight for other, weight in champion.terms().items() if other != term}
        bare = Weights.of(rest)
        habits = {key: getattr(champion, key) for key in ("take_lethal", "mulligan_cost", "forbid", "require")}
        agents.append(entry(dataclasses.replace(bare, **habits), f"no {term}"))
    found = played(agents, games).games
    rows = []
    for term in weighed:
        score = compare_agents(found, f"no {term}", "champion").score
        ends = {"score": score.estimate, "low": score.low, "high": score.high}
        rows.append({"left out": term, **ends, "games": 2 * games})
    table = pd.DataFrame(rows).sort_values("score")
    write("terms", table, _bars(table, "left out", "score against the whole champion, %"))


def curve(games: int = 250) -> None:
    """More turns, more samples."""
    champion = Weights.of("champion")
    rows = []
    for k, samples in ((2, 2), (4, 2), (8, 2), (8, 4), (8, 8), (16, 8), (32, 16)):
        name = f"k {k}, samples {samples}"
        found = played([entry(champion, name, AheadOptions(k, samples)), entry(champion, "champion")], games)
        score = compare_agents(found.games, name, "champion").score
        times = found.times.set_index("agent")
        rows.append({"k": k, "samples": samples, "score": score.estimate, "low": score.low, "high": score.high,
                     "mean_ms": 1000 * float(times.loc[name, "mean"]), "games": 2 * games})  # fmt: skip
    table = pd.DataFrame(rows)
    write("curve", table, _curve(table))


def wander(generations: int = 14) -> None:
    """A search from each of the seven, over the thesis's eight terms."""
    base = load_tuning("tune_small")
    rows = []
    for name in SEVEN:
        task: TuningTask = dataclasses.replace(base, start=Weights.of(name), terms=TERMS, generations=generations)
        with tempfile.TemporaryDirectory() as folder:
            search = TuneSearch(task, Path(folder))
            search.run(None, lambda _: None)
            for number, point in enumerate([*search.favourites, search.favourite]):
                weights = task.profile(point, name).terms()
                rows.append({"start": name, "generation": number, **{term: float(weights[term]) for term in TERMS}})
    table = pd.DataFrame(rows)
    write("wander", table, _wander(table))


def write(name: str, table: pd.DataFrame, plot: bytes) -> None:
    """The table and the plot."""
    OUT.mkdir(parents=True, exist_ok=True)
    table.to_csv(OUT / f"{name}.csv", index=False, float_format="%.4f", lineterminator="\n")
    (OUT / f"{name}.png").write_bytes(plot)


def _bars(table: pd.DataFrame, label: str, words: str) -> bytes:
    with style():
        figure = Figure(figsize=(8.9, 0.36 * len(table) + 1.2), layout="constrained")
        axes = figure.add_subplot()
        place = np.arange(len(table))
        axes.axvline(50, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axes.hlines(place, 100 * table["low"], 100 * table["high"], color=BLUE, linewidth=3, alpha=0.45)
        axes.plot(100 * table["score"], place, "o", color=BLUE)
        axes.set_yticks(place, list(table[label]))
        axes.invert_yaxis()
        axes.set_xlabel(words)
        _plain(axes)
    return png(figure)


def _curve(table: pd.DataFrame) -> bytes:
    with style():
        figure = Figure(figsize=(8.9, 4.2), layout="constrained")
        axes = figure.add_subplot()
        axes.axhline(50, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axes.vlines(table["mean_ms"], 100 * table["low"], 100 * table["high"], color=BLUE, linewidth=3, alpha=0.45)
        axes.plot(table["mean_ms"], 100 * table["score"], "o", color=BLUE)
        for row in table.itertuples():
            axes.annotate(f"{row.k} turns, {row.samples} samples", (row.mean_ms, 100 * row.score),
                          xytext=(6, 6), textcoords="offset points", fontsize=8.5, color=MUTED)  # fmt: skip
        axes.set_xscale("log")
        axes.set_xlabel("milliseconds a decision, mean")
        axes.set_ylabel("score against the same weights\nwithout a look ahead, %")
        _plain(axes)
    return png(figure)


def _wander(table: pd.DataFrame) -> bytes:
    """Directions only, since twice the weights are the same style; two principal components of where they lie."""
    values = table[list(TERMS)].to_numpy(np.float64)
    directions = values / np.linalg.norm(values, axis=1, keepdims=True)
    centred = directions - directions.mean(axis=0)
    _, _, axes_of = np.linalg.svd(centred, full_matrices=False)
    flat = centred @ axes_of[:2].T
    with style():
        figure = Figure(figsize=(8.9, 6.2), layout="constrained")
        axes = figure.add_subplot()
        for name, rows in table.groupby("start", sort=False).groups.items():
            path = flat[list(rows)]
            axes.plot(path[:, 0], path[:, 1], color=BLUE, linewidth=1, alpha=0.5)
            axes.plot(*path[0], "o", color=ORANGE)
            axes.plot(*path[-1], "o", color=BLUE)
            axes.annotate(str(name), path[0], xytext=(6, 4), textcoords="offset points", fontsize=9)
        axes.set_xlabel("where the weights point: first principal component (orange: start, blue: end)")
        axes.set_ylabel("second")
        _plain(axes)
    return png(figure)


def _plain(axes: Axes) -> None:
    axes.spines[:].set_visible(False)
    axes.grid(color=GRID, linewidth=1)
    axes.set_axisbelow(True)


if __name__ == "__main__":
    {"terms": terms, "curve": curve, "wander": wander}[sys.argv[1]]()
