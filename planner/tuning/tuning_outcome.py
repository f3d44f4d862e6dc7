"""What comes of a search: the test on seeds and decks that it never saw, the profile's file, a table and a plot."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any, Final

import pandas as pd

from planner.arena.report.tournament_results import load_results
from planner.arena.tournament.runner import Watcher, run_tournament
from planner.errors import PlannerError
from planner.formats.atomic_files import write_bytes
from planner.formats.documents import read_text
from planner.planning.profiles import HardRule, Number, Profile
from planner.stats.intervals import Interval
from planner.stats.paired_tests import compare_agents
from planner.tuning.tuning_task import MULLIGAN, TuningTask
from planner.tuning.weight_search import TuneSearch, broken, drop

TABLE: Final = "tuning.csv"
PLOT: Final = "tuning.png"


def play_test(
    tuning: TuningTask, found: Profile, folder: Path, workers: int | None, watch: Watcher
) -> dict[str, Interval]:
    """The score of what was found against each opponent of the test, on what the search never saw."""
    opponents = tuning.test.agents
    experiment = dataclasses.replace(tuning.test, agents=(tuning.entry(found), *opponents))
    tables = run_tournament(experiment, folder, workers, resume=(folder / experiment.name).exists(), watch=watch)
    games = load_results(tables).games
    for seat, winner, other in ((0, "p1", "p2"), (1, "p2", "p1")):
        won = games[(games["winner"] == seat) & (games[winner] == found.name)]
        for opponent, reason in zip(won[other], won["reason"], strict=True):
            if broken(reason):
                drop(folder / experiment.name)  # once it is mended, it plays them again
                raise PlannerError(
                    f"test: {opponent} lost a game by its own doing: {reason}; "
                    "the search is kept, and --resume plays the test again"
                )
    scores = {}
    for entry in opponents:
        paired = compare_agents(games, found.name, entry.name)
        scores[entry.name] = paired.score
    return scores


def words(score: Interval) -> str:
    """A score as people read it."""
    return f"{100 * score.estimate:.1f} % ({100 * score.low:.1f} to {100 * score.high:.1f})"


def check_free(path: Path, command: str) -> None:
    """Refuse a file that anybody but this command wrote: what a search finds may replace only what it found before."""
    if path.exists() and not read_text(path).startswith(f"{_origin(command)}\n"):
        raise PlannerError(f"{path}: is there, and was not found by this command; --save names another, or it")


def _origin(command: str) -> str:
    return f"# Found by: {command}"


def write_profile(path: Path, tuning: TuningTask, found: Profile, scores: dict[str, Interval], command: str) -> None:
    """The profile as a file that says where it comes from."""
    league = ", ".join(tuning.league.names)
    decks = _decks(tuning.test)
    lines = [
        _origin(command),
        f"# {tuning.generations} generations of {tuning.population} candidates, seed {tuning.league.seed}.",
        f"# League: {league}.",
        f"# On seeds that the search never saw ({decks}; {2 * tuning.test.games} games each), its score was",
        *(f"#   {words(score)} against {name}" for name, score in scores.items()),
        f"description: {json.dumps(tuning.description or 'Found by search against a league.', ensure_ascii=False)}",
    ]
    if not found.is_default_game:
        lines.append(f"game: {found.game}")
    for habit in found.options:
        value = getattr(found, habit)
        lines.append(f"{habit}: {str(value).lower() if isinstance(value, bool) else value}")
    for under in ("forbid", "require"):
        rules = getattr(found, under)
        if rules:
            lines.append(f"{under}:")
            lines += [f"  - {_rule(rule)}" for rule in rules]
    lines += ["weights:", *(f"  {term}: {_plain(value)}" for term, value in found.terms().items())]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, ("\n".join(lines) + "\n").encode())
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror}") from None


def _rule(rule: HardRule) -> str:
    takes = rule.kinds[rule.kind].takes
    if not takes:
        return rule.kind
    return f"{rule.kind}: {json.dumps(rule.word) if takes == 'word' else _plain(rule.number)}"


def _plain(value: Number) -> str:
    """All of its digits (a weight has six decimals at most), and no exponent: YAML takes 1e+06 for text."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _decks(experiment: Any) -> str:
    from planner.games import load_game  # noqa: PLC0415

    columns = load_game(experiment.game, experiment.folders).setup_columns
    names = dict.fromkeys(value for setup in experiment.setups for value in columns(setup).values())
    return ", ".join(names)


def write_table(search: TuneSearch) -> pd.DataFrame:
    """One row for each generation: its scores, its games, and the favourite's weights before it."""
    tuning = search.tuning
    rows = []
    for number, (one, point) in enumerate(zip(search.played, search.favourites, strict=True)):
        profile = tuning.profile(point, "favourite")
        weights = {term: float(profile.terms().get(term, 0)) for term in tuning.terms}
        if tuning.mulligan:
            weights[MULLIGAN] = getattr(profile, MULLIGAN)
        mean = sum(one.scores) / len(one.scores)
        rows.append({"generation": number, "best": max(one.scores), "mean": mean, "games": one.games,
                     "members": one.members, "agreement": one.agreement, **weights})  # fmt: skip
    table = pd.DataFrame(rows)
    text = table.to_csv(index=False, float_format="%.4f", lineterminator="\n")
    try:
        write_bytes(search.folder / TABLE, text.encode())
        write_bytes(search.folder / PLOT, _plot(table, tuning))
    except OSError as error:
        raise PlannerError(f"{search.folder}: {error.strerror}") from None
    return table


def _plot(table: pd.DataFrame, tuning: TuningTask) -> bytes:
    """Score and weights over the generations."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (a second, for this alone)

    from planner.stats.figure_style import BLUE, GRID, MUTED, png, style  # noqa: PLC0415

    with style():
        figure = Figure(figsize=(8.9, 6.4), layout="constrained")
        top, low = figure.subplots(2, 1, sharex=True, height_ratios=[1, 1.5])
        top.axhline(50, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        top.plot(table["generation"], 100 * table["mean"], color=BLUE, linewidth=2, label="mean of the candidates")
        top.plot(table["generation"], 100 * table["best"], ".", color=BLUE, alpha=0.4, label="the luckiest of them")
        top.set_ylabel("score against the league, %")
        top.legend(frameon=False, loc="lower right")
        units = dict(zip(tuning.dimensions, tuning.units, strict=True))
        ends = []
        for term in tuning.dimensions:
            line = table[term] / units[term]
            (drawn,) = low.plot(table["generation"], line, linewidth=1.6)
            ends.append([float(line.iloc[-1]), term, drawn.get_color()])
        low.set_ylabel("weight, in units of its start")
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
    """The heights, sorted, moved apart far enough for a line of text each."""
    least = (span[1] - span[0]) / 22
    found: list[float] = []
    for height in sorted(heights):
        found.append(max(height, found[-1] + least) if found else height)
    over = max(0.0, found[-1] - span[1]) if found and math.isfinite(found[-1]) else 0.0
    return [height - over for height in found]
