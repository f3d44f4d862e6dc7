"""Read finished tournaments into pandas tables, for notebooks, reports and the terminal.

Example:

    from planner import guo_results, load_results
    results = load_results("thesis")          # results/thesis, or a path to any results folder
    results.scores(), results.turns()         # square tables: the row agent moves first
    results.compare(guo_results()).wins       # rank correlation with table 7.1 of Guo 2025
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from planner.arena.match.referee import FORFEITS
from planner.arena.tournament.result_tables import CARDS, SEATS, read_cards, read_ratings, read_summary, read_table
from planner.arena.tournament.run_store import PLACES, SUMMARY, read_manifest
from planner.errors import PlannerError, did_you_mean
from planner.stats.games_table import (
    DRAW,
    FIRST,
    SECOND,
    UNPAIRED,
    Floats,
    agents_in,
    check,
    in_order,
    score_table,
    seat_columns,
)
from planner.stats.intervals import wilson
from planner.stats.nash_ranking import SAMPLES, nash_ranking
from planner.stats.placings import PAIRWISE_COLUMNS, seat_count
from planner.stats.plackett_luce import PlaceRatings, rate_places
from planner.stats.ratings import Ratings, rate
from planner.stats.seat_advantage import SeatAdvantage, seat_advantage, seat_advantage_by_agent

if TYPE_CHECKING:
    from planner.stats.figure_style import Picture

# The columns that Guo 2025 prints and every matrix needs; all others follow from these.
_COUNTS: Final = ("p1_profile", "p2_profile", "p1_wins", "p2_wins", "avg_turns")


@dataclass(frozen=True)
class Correlation:
    """The agreement of two tables, cell by cell."""

    spearman: float  # of ranks; nan if all values of a table are equal
    pearson: float
    mean_difference: float  # of absolute values


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison of two tournaments, over the ordered pairings that both played."""

    wins: Correlation  # of the first seat's score, 0 to 1
    turns: Correlation
    favourites: float  # share of pairings in which the same seat scored more
    table: pd.DataFrame  # p1, p2, score, other_score, score_difference, turns, other_turns, turns_difference

    def largest(self, value: str = "score", count: int = 5) -> pd.DataFrame:
        """Return the pairings that differ most in `score` or `turns`."""
        column = f"{value}_difference"
        by_size = self.table[column].abs().sort_values(ascending=False, kind="stable").index
        return self.table.loc[by_size[:count], ["p1", "p2", value, f"other_{value}", column]].reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class Results:
    """The tables of one tournament. In square tables the row agent moves first, the column agent second."""

    name: str
    games: pd.DataFrame  # one row per game: p1, p2, winner (0, 1 or -1), rounds, pair, reason, ...
    matrix: pd.DataFrame  # one row per ordered pairing: p1_profile, p2_profile, p1_wins, p2_wins, draws, avg_turns, ...
    ratings: pd.DataFrame  # agent, elo, low, high, games, score; empty if no two agents met
    times: pd.DataFrame  # one row per agent: decisions, mean, p50, p90, p95, p99, max in seconds; may be empty
    manifest: dict[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    from_counts: bool = False  # games were rebuilt from the matrix; `rounds` is the mean of the pairing

    @cached_property
    def agents(self) -> list[str]:
        """The agents that played, in the order of the experiment."""
        return agents_in(self.games, self.manifest.get("agents") or list(self.matrix["p1_profile"]))

    @cached_property
    def fitted(self) -> Ratings:
        """The model behind the ratings, with the advantage of the first seat and likelihoods of superiority."""
        return rate(self.games, self.agents)

    def square(self, column: str) -> pd.DataFrame:
        """Return one column of the matrix as a square table; nan for pairings that were not played."""
        matrix = self.matrix.rename(columns={"p1_profile": "p1", "p2_profile": "p2"})
        return score_table(matrix, column).reindex(index=self.agents, columns=self.agents)

    def wins(self) -> pd.DataFrame:
        """Return how many games the row agent won when moving first."""
        return self.square("p1_wins")

    def scores(self) -> pd.DataFrame:
        """Return the row agent's score when moving first, 0 to 1: wins plus half the draws, per game."""
        return self.square("p1_score")

    def turns(self) -> pd.DataFrame:
        """Return the average length of a game in rounds."""
        return self.square("avg_turns")

    @cached_property
    def cards(self) -> pd.DataFrame:
        """One row per deck and card: games, and the score where it was drawn or played; empty if not counted."""
        is_counted = self.folder is not None and (self.folder / CARDS).exists()
        return read_cards(self.folder) if is_counted and self.folder else pd.DataFrame({"deck": [], "card": []})

    def plot_matrix(self) -> Picture:
        """Plot the row agent's score when moving first as a heat map."""
        return _picture(lambda plots: plots.wins_heatmap(self.scores()))

    def plot_games(self) -> Picture:
        """Plot the lengths of the games: their distribution, and quantiles for each agent."""
        from planner.stats.durations import length_by_agent, length_distribution  # noqa: PLC0415  (see `_picture`)

        lengths = length_by_agent(self.games, self.agents)
        return _picture(lambda plots: plots.length_plot(length_distribution(self.games), lengths))

    def plot_turns(self) -> Picture:
        """Plot the average number of rounds of each pairing as a heat map."""
        return _picture(lambda plots: plots.turns_heatmap(self.turns()))

    def plot_ratings(self) -> Picture:
        """Plot the Elo ratings with their intervals."""
        return _picture(lambda plots: plots.elo_plot(self.ratings))

    def plot_cards(self, count: int = 20) -> Picture:
        """Plot the cards whose score when drawn differs most from that of their deck."""
        if not len(self.cards):
            raise PlannerError(f"{self.name}: has no {CARDS}: the decks of its games are not known")
        by_difference = (self.cards["drawn_score"] - self.cards["score"]).abs().sort_values(ascending=False).index
        return _picture(lambda plots: plots.cards_plot(self.cards.loc[by_difference[:count]]))

    def _repr_html_(self) -> str:
        """Show the results in a notebook: the heat map and the ratings."""
        title = f"<h4>{escape(self.name)}: {len(self.games):,} games of {len(self.agents)} agents</h4>"
        ratings = self.ratings.round(3).to_html(index=False) if len(self.ratings) else ""
        return f"{title}{self.plot_matrix()._repr_svg_()}{ratings}"

    def by_seat(self) -> pd.DataFrame:
        """Return each agent's mean score when moving first and second; all opponents have the same weight."""
        scores = self.scores()
        table = pd.DataFrame({"first": scores.mean(axis=1), "second": 1 - scores.mean(axis=0)}, self.agents)
        return table.assign(both=table.mean(axis=1)).rename_axis("agent")

    def first_player_advantage(self) -> pd.DataFrame:
        """Return for each agent the first seat's score in mirror matches, its scores by seat, and their difference."""
        return self._advantage.copy()

    @cached_property
    def _advantage(self) -> pd.DataFrame:
        table = seat_advantage_by_agent(self.games, self.agents)
        # With few games the normal interval exceeds the range of a difference of scores.
        return table.assign(low=table["low"].clip(-1, 1), high=table["high"].clip(-1, 1))

    @cached_property
    def first_seat(self) -> SeatAdvantage:
        """The score of the first seat over all games, with its interval."""
        return seat_advantage(self.games)

    def seat_decks(self) -> tuple[str, str] | None:
        """Return the decks of the two seats if each seat always had the same one and they differ, else None."""
        if not {"p1_deck", "p2_deck"} <= set(self.games) or not len(self.games):
            return None
        first, second = self.games["p1_deck"].unique(), self.games["p2_deck"].unique()
        return (str(first[0]), str(second[0])) if len(first) == len(second) == 1 and first[0] != second[0] else None

    def nash(self, samples: int = SAMPLES, seed: int | None = None) -> pd.DataFrame:
        """Return Nash averaging with bootstrap intervals; by default the experiment's seed draws the samples."""
        seed = int(self.manifest.get("seed", 1)) if seed is None else seed
        return nash_ranking(self.games, np.random.default_rng(seed), self.agents, samples)

    def forfeits(self) -> pd.DataFrame:
        """Return forfeited games: agent, kind (crash, illegal action, time), games and one reason as an example."""
        if "reason" not in self.games:
            return count_forfeits([], [])
        kind = self.games["reason"].str.split(":").str[0]
        lost = self.games[kind.isin(FORFEITS) & self.games["winner"].isin([FIRST, SECOND])]
        loser = lost["p2"].where(lost["winner"] == FIRST, lost["p1"])
        return count_forfeits(loser, lost["reason"])

    def compare(self, other: Results) -> Comparison:
        """Compare with another tournament, over the ordered pairings that both played."""
        keys = ["p1_profile", "p2_profile"]
        mine, theirs = (results.matrix[[*keys, "p1_score", "avg_turns"]] for results in (self, other))
        both = mine.merge(theirs, on=keys, suffixes=("", "_other"))
        if len(both) < 2:
            raise PlannerError(
                f"{self.name} and {other.name} have {len(both)} pairings in common; a comparison needs at least 2"
            )
        both.columns = pd.Index(["p1", "p2", "score", "turns", "other_score", "other_turns"])
        for value in ("score", "turns"):
            both[f"{value}_difference"] = both[value] - both[f"other_{value}"]
        table = both[["p1", "p2", *(f"{a}{value}{b}" for value in ("score", "turns")
                                    for a, b in (("", ""), ("other_", ""), ("", "_difference")))]]  # fmt: skip
        same = np.sign((both["score"] - 0.5).round(9)) == np.sign((both["other_score"] - 0.5).round(9))
        wins, turns = (_correlation(both[value], both[f"other_{value}"]) for value in ("score", "turns"))
        return Comparison(wins, turns, float(same.mean()), table)


class MultiplayerResults:
    """The tables of a finished run in a game of more than two seats."""

    from_counts = False

    def __init__(self, folder: Path) -> None:
        self.folder, self.manifest = folder, read_manifest(folder)
        self.name = str(self.manifest.get("name") or folder.resolve().name)
        self.games = read_table(folder / "games.parquet")
        self.seats = seat_count(self.games)
        self.agents = in_order(self.games, self.manifest.get("agents"))
        self.matrix = read_table(folder / "matrix.csv", PAIRWISE_COLUMNS[:2], PAIRWISE_COLUMNS)
        self.by_seat = read_table(folder / SEATS, ["agent"], ("seat", "score"))
        places = read_table(folder / PLACES, ["agent"], ("games", "score", "low", "high", "mean_place"))
        self.places = places.sort_values("score", ascending=False, kind="stable", ignore_index=True)
        self.times = read_table(folder / "decisions.csv", ["agent"])
        has_ratings = (folder / "ratings.csv").exists()
        self.ratings = read_ratings(folder) if has_ratings else pd.DataFrame(columns=["agent", "elo"])

    @cached_property
    def fitted(self) -> PlaceRatings:
        """The model behind the ratings, with the advantage of each seat and likelihoods of superiority."""
        return rate_places(self.games, self.agents)

    def scores(self) -> pd.DataFrame:
        """Return how often the row agent finished ahead of the column agent, as a square table, best agents first."""
        order = list(self.places["agent"])
        return self.matrix.pivot(index="agent", columns="opponent", values="score").reindex(order, columns=order)

    def forfeits(self) -> pd.DataFrame:
        """Return forfeits: agent, kind (crash, illegal action, time), games and one reason as an example."""
        seats = seat_columns(self.games)
        agents, reasons = (pd.concat([self.games[f"{seat}{end}"] for seat in seats]) for end in ("", "_forfeit"))
        return count_forfeits(agents[reasons != ""], reasons[reasons != ""])


class SoloResults:
    """The tables of a finished run in a game of one seat."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.manifest = folder, read_manifest(folder)
        self.name = str(self.manifest.get("name", "tournament"))
        self.summary = read_summary(folder)
        columns = list(map(str, self.summary))
        self.setup_columns = columns[: columns.index("agent")]
        means = [column.removeprefix("mean_") for column in columns if column.startswith("mean_")]
        self.measures = [name for name in means if name != "p1_decisions"]  # the rounds, and the game's own measures
        self.agents = list(dict.fromkeys(self.summary["agent"]))
        self.wins = self.summary.assign(setup=self._setup_names(self.summary))
        self.setups = list(dict.fromkeys(self.wins["setup"]))

    @cached_property
    def games(self) -> pd.DataFrame:
        """One row per game."""
        games = read_table(self.folder / "games.parquet")
        return games.assign(setup=self._setup_names(games), score=(games["winner"] == 0).astype(float))

    def _setup_names(self, frame: pd.DataFrame) -> list[str]:
        return [" ".join(map(str, row)) for row in frame[self.setup_columns].itertuples(index=False)]

    def values(self, setup: str, agent: str, column: str) -> Floats:
        """Return a column of this agent's games from this setup, sorted by seed as for every agent; nan if unknown."""
        games = self.games[(self.games["setup"] == setup) & (self.games["p1"] == agent)].sort_values("seed")
        return games[column].to_numpy(np.float64)


AnyResults = Results | MultiplayerResults | SoloResults


def count_forfeits(losers: Iterable[str], reasons: Iterable[str]) -> pd.DataFrame:
    """Return a row for each agent and kind of forfeit: agent, kind, games and one reason as an example."""
    lost = pd.DataFrame({"agent": list(losers), "example": list(reasons)}, dtype=str)
    lost["kind"] = lost["example"].str.split(":").str[0]
    counts = lost.groupby(["agent", "kind"], as_index=False).agg(games=("kind", "size"), example=("example", "min"))
    return counts.sort_values(["games", "agent", "kind"], ascending=[False, True, True], ignore_index=True)


def _picture(draw: Callable[[Any], Any]) -> Picture:
    """Return what `draw` makes with the module of the plots, which takes a while to import: tables do not need it."""
    from planner.arena.report import report_plots  # noqa: PLC0415
    from planner.stats.figure_style import Picture  # noqa: PLC0415

    return Picture(draw(report_plots))


def _correlation(ours: pd.Series[float], theirs: pd.Series[float]) -> Correlation:
    difference = float((ours - theirs).abs().mean())
    if ours.nunique() == 1 or theirs.nunique() == 1:
        return Correlation(float("nan"), float("nan"), difference)
    # Spearman's correlation is Pearson's of the ranks. Importing scipy.stats for it would take two seconds.
    spearman, pearson = (float(np.corrcoef(a, b)[0, 1]) for a, b in ((ours.rank(), theirs.rank()), (ours, theirs)))
    return Correlation(spearman, pearson, difference)


def read_results(folder: Path) -> Results:
    """Read the tables of a finished run; raise a PlannerError if the folder does not contain one."""
    manifest = read_manifest(folder)
    if (folder / SUMMARY).exists():
        raise PlannerError(
            f"{folder}: results of a game of one seat have no matrix; read {SUMMARY} and games.parquet with pandas"
        )
    if (folder / PLACES).exists():
        raise PlannerError(
            f"{folder}: results of a game of more than two seats have no matrix of pairings; read {PLACES}, matrix.csv "
            "and games.parquet with pandas"
        )
    matrix = complete_matrix(read_table(folder / "matrix.csv", _COUNTS[:2], _COUNTS), str(folder / "matrix.csv"))
    games, from_counts = rebuilt_games(matrix), True
    if (folder / "games.parquet").exists():
        games, from_counts = read_table(folder / "games.parquet"), False
        try:
            check(games, "rounds")
        except PlannerError as error:
            raise PlannerError(f"{folder / 'games.parquet'}: {error}") from None
    ratings = times = pd.DataFrame({"agent": pd.Series(dtype=str)})
    if (folder / "ratings.csv").exists():
        ratings = read_ratings(folder)
    if (folder / "decisions.csv").exists():
        times = read_table(folder / "decisions.csv", ["agent"])
    name = str(manifest.get("name") or folder.resolve().name)
    return Results(name, games, matrix, ratings, times, manifest, folder, from_counts)


def results_of(folder: Path) -> AnyResults:
    """Read the tables of a finished run, whatever the number of seats of its game."""
    if (folder / SUMMARY).exists():
        return SoloResults(folder)
    return MultiplayerResults(folder) if (folder / PLACES).exists() else read_results(folder)


def complete_matrix(matrix: pd.DataFrame, source: str) -> pd.DataFrame:
    """Return the matrix with all columns that follow from its counts."""
    missing = [column for column in _COUNTS if column not in matrix]
    if missing:
        raise PlannerError(f"{source}: missing column {', '.join(missing)}")
    matrix = matrix.copy()
    if "draws" not in matrix:
        matrix["draws"] = 0
    if "games" not in matrix:
        matrix["games"] = matrix["p1_wins"] + matrix["p2_wins"] + matrix["draws"]
    # Computed even if the table has them: the table is rounded to four digits, and rounding again for display could
    # change the last digit.
    points = matrix["p1_wins"] + matrix["draws"] / 2
    if not ((points >= 0) & (points <= matrix["games"])).all():
        raise PlannerError(f"{source}: the wins and draws of a pairing are not from 0 to its games")
    ends = [wilson(float(won), float(played)) for won, played in zip(points, matrix["games"], strict=True)]
    matrix[["p1_score", "p1_low", "p1_high"]] = np.asarray(ends, np.float64).reshape(-1, 3)
    return matrix


def rebuilt_games(matrix: pd.DataFrame) -> pd.DataFrame:
    """Return one row per game from the counts of a matrix: unpaired, and with the mean length of the pairing."""
    kinds: Sequence[tuple[str, int]] = (("p1_wins", FIRST), ("p2_wins", SECOND), ("draws", DRAW))
    parts = []
    for column, winner in kinds:
        rows = matrix.loc[matrix.index.repeat(matrix[column].to_numpy(np.int64)), [*_COUNTS[:2], "avg_turns"]]
        parts.append(rows.assign(winner=winner))
    games = pd.concat(parts).sort_index(kind="stable").reset_index(drop=True)
    games.columns = pd.Index(["p1", "p2", "rounds", "winner"])
    return games[["p1", "p2", "winner", "rounds"]].assign(pair=UNPAIRED)


_PROJECT = Path(__file__).resolve().parents[3]


def load_results(path_or_name: str | os.PathLike[str]) -> Results:
    """Load the results in a folder, or with that name in `results/`, here or in the project."""
    return read_results(find_results(path_or_name))


def find_results(path_or_name: str | os.PathLike[str]) -> Path:
    """Return the folder of these results."""
    path = Path(path_or_name)
    if path.exists():
        return path
    if len(path.parts) == 1:
        for folder in results_folders():
            if (folder / path).is_dir():
                return folder / path
        known = available_results()
        hint = f"available: {', '.join(known)}" if known else "there are none yet; `planner tournament` creates them"
        raise PlannerError(f"{path}: no such results{did_you_mean(str(path), known)} ({hint})")
    raise PlannerError(f"{path}: no such folder")


def available_results() -> list[str]:
    """Return the names of the tournaments in `results/`, sorted."""
    manifests = [manifest for folder in results_folders() for manifest in folder.glob("*/manifest.json")]
    tables = ("matrix.csv", SUMMARY)
    return sorted({path.parent.name for path in manifests if any((path.parent / table).exists() for table in tables)})


def guo_table() -> pd.DataFrame:
    """Return table 7.1 of Guo 2025 as printed: p1_profile, p2_profile, p1_wins, p2_wins, avg_turns."""
    with resources.as_file(resources.files("planner.arena") / "data" / "guo_table_7_1.csv") as path:
        return pd.read_csv(path)


def guo_results() -> Results:
    """Return table 7.1 of Guo 2025 as results. Games are rebuilt from its counts; `rounds` is the pairing's mean."""
    matrix = complete_matrix(guo_table(), "Guo 2025")
    games = rebuilt_games(matrix)
    order = list(dict.fromkeys(matrix["p1_profile"]))
    manifest = {"name": "Guo, table 7.1", "agents": order, "games": len(games), "games_per_pairing": 1000, "seed": 1}
    times = pd.DataFrame({"agent": pd.Series(dtype=str)})
    return Results("Guo, table 7.1", games, matrix, rate(games, order).table, times, manifest, from_counts=True)


def results_folders() -> list[Path]:
    """Return the `results` folders to search: in the current folder, and in the checkout of the project."""
    here, project = Path("results"), _PROJECT / "results"
    if (_PROJECT / "planner" / "_shipped").is_dir():  # installed: the folder beside the package is not a checkout
        return [here] if here.is_dir() else []
    return [folder for folder in (here, *([] if here.resolve() == project else [project])) if folder.is_dir()]
