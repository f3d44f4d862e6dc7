"""Measure where the champion's strength comes from: `python -m experiments.strength_parts terms|curve|drift`.

terms   the champion without each of its weights in turn, against the full champion
curve   looking ahead with more turns, samples and states: strength against time
drift   where a search leads from each of the seven profiles of Guo (2025)

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

from planner.agents.agent_spec import AgentSpec
from planner.arena.report.tournament_results import Results, load_results
from planner.arena.tournament.experiment import Entry, Experiment
from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.runner import run_tournament
from planner.bench.benchmark_positions import GUO_PROFILES
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from planner.games.hearthstone.turn.look_ahead import OWN_EFFORT
from planner.planning.plan import AheadOptions, PlanOptions
from planner.stats.figure_style import BLUE, GRID, MUTED, ORANGE, png, style
from planner.stats.paired_tests import compare_agents
from planner.tuning.tuning_task import TuningTask, load_tuning
from planner.tuning.weight_search import TuneSearch

OUT = Path("results/strength_parts")
SEED = 77
TIMED = 10  # games that measure the time per decision


def played(agents: Sequence[Entry], games: int, field: str = "strength", workers: int | None = None) -> Results:
    """Play the first agent against the others on the decks of this study, from both seats, with open deck lists."""
    experiment: Experiment = dataclasses.replace(
        load_experiment(field), name="parts", agents=tuple(agents), games=games, pairs="gauntlet", seed=SEED
    )
    with tempfile.TemporaryDirectory() as folder:
        return load_results(run_tournament(experiment, folder, workers))


def entry(profile: Weights, name: str, ahead: AheadOptions | None = None, effort: int | None = None) -> Entry:
    """Return an experiment entry for a planner with this profile."""
    options = PlanOptions(effort=effort, ahead=ahead)
    return Entry(name, AgentSpec(name, dataclasses.replace(profile, name=name), options))


def terms(games: int = 500) -> None:
    """Score the champion without each of its terms."""
    champion = Weights.of("champion")
    weighed = [term for term, weight in champion.terms().items() if weight and term != "lethal"]
    agents = [entry(champion, "champion")]
    for term in weighed:
        others = {other: weight for other, weight in champion.terms().items() if other != term}
        bare = Weights.of(others)
        options = {key: getattr(champion, key) for key in ("take_lethal", "mulligan_cost", "forbid", "require")}
        agents.append(entry(dataclasses.replace(bare, **options), f"no {term}"))
    results = played(agents, games).games
    rows = []
    for term in weighed:
        score = compare_agents(results, f"no {term}", "champion").score
        ends = {"score": score.estimate, "low": score.low, "high": score.high}
        rows.append({"left out": term, **ends, "games": 2 * games})
    table = pd.DataFrame(rows).sort_values("score")
    write("terms", table, _bars(table, "left out", "score against the full champion, %"))


def curve(games: int = 250) -> None:
    """Vary turns and samples on the decks of Guo (2025), and states per turn on class decks with card effects."""
    pairs = ((2, 2), (4, 2), (4, 4), (8, 4), (12, 8), (16, 16))
    thesis = [("thesis", "champion", "strength", k, samples, OWN_EFFORT) for k, samples in pairs]
    settings = ((2, 2, 5000), (4, 4, 5000), (8, 4, 200), (8, 4, 1000), (8, 4, 5000))
    class_decks = [("class", "champion_standard", "strength_standard", *setting) for setting in settings]
    rows = []
    for decks, profile, study, k, samples, effort in (*thesis, *class_decks):
        weights = Weights.of(profile)
        ahead, plain = entry(weights, "ahead", AheadOptions(k, samples), effort), entry(weights, "plain", effort=effort)
        score = compare_agents(played([ahead, plain], games, study).games, "ahead", "plain").score
        times = played([ahead, plain], TIMED, study, workers=1).times.set_index("agent")  # on one idle core
        rows.append({"decks": decks, "k": k, "samples": samples, "effort": effort,
                     "score": score.estimate, "low": score.low, "high": score.high,
                     "mean_ms": 1000 * float(times.loc["ahead", "mean"]), "games": 2 * games})  # fmt: skip
    table = pd.DataFrame(rows)
    write("curve", table, _curve(table))


def drift(generations: int = 14) -> None:
    """Search from each of the seven profiles over the eight terms of Guo (2025)."""
    base = load_tuning("tune_small")
    rows = []
    for name in GUO_PROFILES:
        task: TuningTask = dataclasses.replace(base, start=Weights.of(name), terms=TERMS, generations=generations)
        with tempfile.TemporaryDirectory() as folder:
            search = TuneSearch(task, Path(folder))
            search.run(None, lambda _: None)
            for number, point in enumerate([*search.favourites, search.favourite]):
                weights = task.profile(point, name).terms()
                rows.append({"start": name, "generation": number, **{term: float(weights[term]) for term in TERMS}})
    table = pd.DataFrame(rows)
    write("drift", table, _drift(table))


def write(name: str, table: pd.DataFrame, plot: bytes) -> None:
    """Write the table and the plot."""
    OUT.mkdir(parents=True, exist_ok=True)
    table.to_csv(OUT / f"{name}.csv", index=False, float_format="%.4f", lineterminator="\n")
    (OUT / f"{name}.png").write_bytes(plot)


def _bars(table: pd.DataFrame, label: str, words: str) -> bytes:
    with style():
        figure = Figure(figsize=(8.9, 0.36 * len(table) + 1.2), layout="constrained")
        axes = figure.add_subplot()
        position = np.arange(len(table))
        axes.axvline(50, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axes.hlines(position, 100 * table["low"], 100 * table["high"], color=BLUE, linewidth=3, alpha=0.45)
        axes.plot(100 * table["score"], position, "o", color=BLUE)
        axes.set_yticks(position, list(table[label]))
        axes.invert_yaxis()
        axes.set_xlabel(words)
        _plain(axes)
    return png(figure)


def _curve(table: pd.DataFrame) -> bytes:
    with style():
        figure = Figure(figsize=(8.9, 6.4), layout="constrained")
        for axes, (decks, rows) in zip(figure.subplots(2, 1), table.groupby("decks", sort=False), strict=True):
            axes.axhline(50, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
            axes.vlines(rows["mean_ms"], 100 * rows["low"], 100 * rows["high"], color=BLUE, linewidth=3, alpha=0.45)
            axes.plot(rows["mean_ms"], 100 * rows["score"], "o", color=BLUE)
            for row in rows.itertuples():
                states = f", {row.effort:,}" if decks == "class" else ""
                axes.annotate(f"{row.k} x {row.samples}{states}", (row.mean_ms, 100 * row.score),
                              xytext=(6, 4), textcoords="offset points", fontsize=8.5, color=MUTED)  # fmt: skip
            axes.set_xscale("log")
            for which in (axes.xaxis.set_major_formatter, axes.xaxis.set_minor_formatter):
                which(lambda ms, _: f"{ms:g}" if str(ms)[0] in "125" else "")
            axes.margins(x=0.12)
            what = "turns x samples" + (", states" if decks == "class" else "")
            axes.set_title(f"{decks} decks: {what}", loc="left", fontsize=10)
            axes.set_ylabel("score against the same weights\nwithout looking ahead, %")
            _plain(axes)
        axes.set_xlabel("mean time per decision, ms")
    return png(figure)


def _drift(table: pd.DataFrame) -> bytes:
    """Plot the directions of the weights (scaling them does not change the style) on two principal components."""
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
    {"terms": terms, "curve": curve, "drift": drift}[sys.argv[1]]()
