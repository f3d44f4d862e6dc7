"""The outcome of a search: a test on new seeds and decks, the file of the profile, a table and a plot."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, Final

import pandas as pd
import yaml

from planner.arena.match.referee import is_forfeit
from planner.arena.report.tournament_results import load_results
from planner.arena.tournament.runner import Watcher, run_tournament
from planner.errors import PlannerError, file_errors
from planner.formats.atomic_files import write_bytes
from planner.formats.documents import read_text
from planner.planning.profiles import HardRule, Profile
from planner.stats.intervals import Interval
from planner.stats.paired_tests import compare_agents
from planner.tuning.tuning_task import MULLIGAN, TuningTask
from planner.tuning.weight_search import TuneSearch, remove_folder

TABLE: Final = "tuning.csv"
PLOT: Final = "tuning.png"


def play_test(
    tuning: TuningTask, profile: Profile, folder: Path, workers: int | None, watch: Watcher
) -> dict[str, Interval]:
    """Play the profile against each opponent of the test, on new seeds; return its scores."""
    opponents = tuning.test.agents
    experiment = dataclasses.replace(tuning.test, agents=(tuning.entry(profile), *opponents))
    tables = run_tournament(experiment, folder, workers, resume=(folder / experiment.name).exists(), watch=watch)
    games = load_results(tables).games
    for seat, winner, other in ((0, "p1", "p2"), (1, "p2", "p1")):
        won = games[(games["winner"] == seat) & (games[winner] == profile.name)]
        for opponent, reason in zip(won[other], won["reason"], strict=True):
            if is_forfeit(reason):
                remove_folder(folder / experiment.name)  # play these games again when the opponent is repaired
                raise PlannerError(
                    f"test: {opponent} forfeited a game: {reason}; "
                    "the search is kept, and --resume plays the test again"
                )
    scores = {}
    for entry in opponents:
        paired = compare_agents(games, profile.name, entry.name)
        scores[entry.name] = paired.score
    return scores


def score_text(score: Interval) -> str:
    """Format a score with its interval."""
    return f"{100 * score.estimate:.1f} % ({100 * score.low:.1f} to {100 * score.high:.1f})"


def check_free(path: Path, command: str) -> None:
    """Raise if the file exists and was not written by this command, which may only replace its own results."""
    if path.exists() and not read_text(path).startswith(f"{_origin(command)}\n"):
        raise PlannerError(f"{path}: exists and was not written by this command; choose a file with --save")


def _origin(command: str) -> str:
    return f"# Found by: {command}"


def write_profile(path: Path, tuning: TuningTask, profile: Profile, scores: dict[str, Interval], command: str) -> None:
    """Write the profile to a file whose comments say how it was found."""
    league = ", ".join(tuning.league.names)
    decks = _decks(tuning.test)
    lines = [
        _origin(command),
        f"# {tuning.generations} generations of {tuning.population} candidates, seed {tuning.league.seed}.",
        f"# League: {league}.",
        f"# On seeds that the search never saw ({decks}; {2 * tuning.test.games} games each), its score was",
        *(f"#   {score_text(score)} against {name}" for name, score in scores.items()),
    ]
    content: dict[str, Any] = {"description": tuning.description or "Found by search against a league."}
    content |= {} if profile.is_default_game else {"game": profile.game}
    content |= {option: getattr(profile, option) for option in profile.options}
    for under in ("forbid", "require"):
        if rules := getattr(profile, under):
            content[under] = list(map(_rule, rules))
    content["weights"] = profile.terms()
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    with file_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, ("\n".join(lines) + f"\n{text}").encode())


def _rule(rule: HardRule) -> str | dict[str, Any]:
    takes = rule.kinds[rule.kind].takes
    return {rule.kind: rule.word if takes == "word" else rule.number} if takes else rule.kind


def _decks(experiment: Any) -> str:
    from planner.games import load_game  # noqa: PLC0415

    columns = load_game(experiment.game, experiment.folders).setup_columns
    names = dict.fromkeys(value for setup in experiment.setups for value in columns(setup).values())
    return ", ".join(names)


def write_table(search: TuneSearch) -> pd.DataFrame:
    """Write and plot one row per generation: scores, games, and the favourite's weights before it; return the table."""
    tuning = search.tuning
    rows = []
    for number, (generation, point) in enumerate(zip(search.played, search.favourites, strict=True)):
        profile = tuning.profile(point, "favourite")
        weights = {term: float(profile.terms().get(term, 0)) for term in tuning.terms}
        if tuning.mulligan:
            weights[MULLIGAN] = getattr(profile, MULLIGAN)
        mean = sum(generation.scores) / len(generation.scores)
        rows.append({"generation": number, "best": max(generation.scores), "mean": mean, "games": generation.games,
                     "members": generation.members, "agreement": generation.agreement, **weights})  # fmt: skip
    table = pd.DataFrame(rows)
    text = table.to_csv(index=False, float_format="%.4f", lineterminator="\n")
    with file_errors(search.folder):
        write_bytes(search.folder / TABLE, text.encode())
        write_bytes(search.folder / PLOT, _plot(table, tuning))
    return table


def _plot(table: pd.DataFrame, tuning: TuningTask) -> bytes:
    """Plot score and weights over the generations."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (slow to import)

    from planner.stats.figure_style import BLUE, GRID, MUTED, png, style  # noqa: PLC0415

    with style():
        figure = Figure(figsize=(8.9, 6.4), layout="constrained")
        top, low = figure.subplots(2, 1, sharex=True, height_ratios=[1, 1.5])
        top.axhline(50, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        top.plot(table["generation"], 100 * table["mean"], color=BLUE, linewidth=2, label="mean of the candidates")
        top.plot(table["generation"], 100 * table["best"], ".", color=BLUE, alpha=0.4, label="best candidate")
        top.set_ylabel("score against the league, %")
        top.legend(frameon=False, loc="lower right")
        units = dict(zip(tuning.dimensions, tuning.units, strict=True))
        ends = []
        for term in tuning.dimensions:
            line = table[term] / units[term]
            (drawn,) = low.plot(table["generation"], line, linewidth=1.6)
            ends.append([float(line.iloc[-1]), term, drawn.get_color()])
        low.set_ylabel("weight, relative to its start")
        low.set_xlabel("generation")
        for axes in (top, low):
            axes.spines[:].set_visible(False)
            axes.grid(color=GRID, linewidth=1)
            axes.tick_params(length=0)
        heights = _apart([end[0] for end in ends], low.get_ylim())
        for height, (_, term, colour) in zip(heights, sorted(ends), strict=True):
            low.annotate(
                term, (1.01, height), xycoords=("axes fraction", "data"), color=colour, fontsize=8.5, va="center"
            )
    return png(figure)


def _apart(heights: list[float], span: tuple[float, float]) -> list[float]:
    """Return the heights, sorted and moved apart so that each has room for a line of text."""
    distance = (span[1] - span[0]) / 22
    moved: list[float] = []
    for height in sorted(heights):
        moved.append(max(height, moved[-1] + distance) if moved else height)
    over = max(0.0, moved[-1] - span[1]) if moved and math.isfinite(moved[-1]) else 0.0
    return [height - over for height in moved]
