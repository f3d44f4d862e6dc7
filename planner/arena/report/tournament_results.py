"""Read finished tournaments into pandas tables, for notebooks, reports and the terminal.

from planner import guo_results, load_results
ours = load_results("thesis")            # results/thesis, or a path to any results folder
ours.scores(), ours.turns()              # square tables: first seat as rows, second seat as columns
ours.compare(guo_results()).wins         # rank correlation with table 7.1 of Guo 2025
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from planner.arena.match.referee import FORFEITS
from planner.arena.tournament.result_tables import read_table
from planner.arena.tournament.run_store import SUMMARY, read_manifest
from planner.errors import PlannerError, did_you_mean
from planner.stats.games_table import DRAW, FIRST, SECOND, UNPAIRED, agents_in, check, score_table
from planner.stats.intervals import wilson
from planner.stats.nash_ranking import SAMPLES, nash_ranking
from planner.stats.ratings import Ratings, rate
from planner.stats.seat_advantage import SeatAdvantage, seat_advantage, seat_advantage_by_agent

# What the thesis prints, and what every matrix needs; the rest follows from these.
_COUNTS: Final = ("p1_profile", "p2_profile", "p1_wins", "p2_wins", "avg_turns")


@dataclass(frozen=True)
class Correlation:
    """How well two tables agree cell by cell."""

    spearman: float  # of ranks; nan where one table is all alike
    pearson: float
    mean_difference: float  # of absolute values


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two tournaments, over the ordered pairings that both played."""

    wins: Correlation  # of the first seat's score, 0 to 1
    turns: Correlation
    favourites: float  # share of pairings in which the same seat scored more
    table: pd.DataFrame  # p1, p2, score, other_score, score_difference, turns, other_turns, turns_difference

    def largest(self, value: str = "score", count: int = 5) -> pd.DataFrame:
        """The pairings that differ most in `score` or `turns`."""
        column = f"{value}_difference"
        by_size = self.table[column].abs().sort_values(ascending=False, kind="stable").index
        return self.table.loc[by_size[:count], ["p1", "p2", value, f"other_{value}", column]].reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class Results:
    """The tables of one tournament. In squares the first seat's agent is the row, the second seat's the column."""

    name: str
    games: pd.DataFrame  # one row per game: p1, p2, winner (0, 1 or -1), rounds, pair, reason, ...
    matrix: pd.DataFrame  # one row per ordered pairing: p1_profile, p2_profile, p1_wins, p2_wins, draws, avg_turns, ...
    ratings: pd.DataFrame  # agent, elo, low, high, games, score; empty if nobody met another
    times: pd.DataFrame  # one row per agent: decisions, mean, p50, p90, p95, p99, max in seconds; may be empty
    manifest: dict[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    from_counts: bool = False  # the games were rebuilt from the matrix: `rounds` is then the pairing's mean

    @cached_property
    def agents(self) -> list[str]:
        """Everybody who played, in the order of the experiment."""
        return agents_in(self.games, self.manifest.get("agents") or list(self.matrix["p1_profile"]))

    @cached_property
    def fitted(self) -> Ratings:
        """The model behind the ratings: also the worth of the first seat, and who is likely to be better."""
        return rate(self.games, self.agents)

    def square(self, column: str) -> pd.DataFrame:
        """One column of the matrix as a square; nan where two did not meet."""
        matrix = self.matrix.rename(columns={"p1_profile": "p1", "p2_profile": "p2"})
        return score_table(matrix, column).reindex(index=self.agents, columns=self.agents)

    def wins(self) -> pd.DataFrame:
        """Games that the first seat won."""
        return self.square("p1_wins")

    def scores(self) -> pd.DataFrame:
        """The first seat's score, 0 to 1: wins and half the draws, per game."""
        return self.square("p1_score")

    def turns(self) -> pd.DataFrame:
        """The average length of a game, in rounds."""
        return self.square("avg_turns")

    def by_seat(self, mirrors: bool = True) -> pd.DataFrame:
        """Per agent its mean score from the first and from the second seat, every opponent weighing the same."""
        scores = self.scores()
        if not mirrors:
            scores = scores.mask(np.eye(len(scores), dtype=bool))
        table = pd.DataFrame({"first": scores.mean(axis=1), "second": 1 - scores.mean(axis=0)}, self.agents)
        return table.assign(both=table.mean(axis=1)).rename_axis("agent")

    def first_player_advantage(self) -> pd.DataFrame:
        """Per agent: the first seat's score in its mirrors, its scores from both seats, and their difference."""
        return self._advantage.copy()

    @cached_property
    def _advantage(self) -> pd.DataFrame:
        table = seat_advantage_by_agent(self.games, self.agents)
        # With few games the interval, a normal one, reaches beyond what a difference of scores can be.
        return table.assign(low=table["low"].clip(-1, 1), high=table["high"].clip(-1, 1))

    @cached_property
    def first_seat(self) -> SeatAdvantage:
        """The first seat's score over all games, with its interval."""
        return seat_advantage(self.games)

    def seat_decks(self) -> tuple[str, str] | None:
        """The decks of the two seats, where each seat had always the same and not the other's; else nothing."""
        if not {"p1_deck", "p2_deck"} <= set(self.games) or not len(self.games):
            return None
        first, second = self.games["p1_deck"].unique(), self.games["p2_deck"].unique()
        return (str(first[0]), str(second[0])) if len(first) == len(second) == 1 and first[0] != second[0] else None

    def nash(self, samples: int = SAMPLES, seed: int | None = None) -> pd.DataFrame:
        """Nash averaging with bootstrap intervals; drawn from the experiment's own seed unless another is given."""
        seed = int(self.manifest.get("seed", 1)) if seed is None else seed
        return nash_ranking(self.games, np.random.default_rng(seed), self.agents, samples)

    def forfeits(self) -> pd.DataFrame:
        """Games lost by a crash, an illegal action or the clock: agent, kind, games and one reason of that kind."""
        columns = ["agent", "kind", "games", "example"]
        if "reason" not in self.games:
            return pd.DataFrame(columns=columns)
        kind = self.games["reason"].str.split(":").str[0]
        lost = self.games[kind.isin(FORFEITS) & self.games["winner"].isin([FIRST, SECOND])]
        loser = lost["p2"].where(lost["winner"] == FIRST, lost["p1"])
        table = pd.DataFrame({"agent": loser, "kind": kind, "example": lost["reason"]}, lost.index)
        found = table.groupby(["agent", "kind"], as_index=False).agg(games=("kind", "size"), example=("example", "min"))
        return found[columns].sort_values(["games", "agent", "kind"], ascending=[False, True, True], ignore_index=True)

    def compare(self, other: Results) -> Comparison:
        """Rank correlations and differences over the ordered pairings that both played."""
        keys = ["p1_profile", "p2_profile"]
        mine, theirs = (given.matrix[[*keys, "p1_score", "avg_turns"]] for given in (self, other))
        both = mine.merge(theirs, on=keys, suffixes=("", "_other"))
        if len(both) < 2:
            raise PlannerError(f"{self.name} and {other.name} have {len(both)} pairings in common: nothing to compare")
        both.columns = pd.Index(["p1", "p2", "score", "turns", "other_score", "other_turns"])
        for value in ("score", "turns"):
            both[f"{value}_difference"] = both[value] - both[f"other_{value}"]
        table = both[["p1", "p2", *(f"{a}{value}{b}" for value in ("score", "turns")
                                    for a, b in (("", ""), ("other_", ""), ("", "_difference")))]]  # fmt: skip
        same = np.sign((both["score"] - 0.5).round(9)) == np.sign((both["other_score"] - 0.5).round(9))
        wins, turns = (_correlation(both[value], both[f"other_{value}"]) for value in ("score", "turns"))
        return Comparison(wins, turns, float(same.mean()), table)


def _correlation(ours: pd.Series[float], theirs: pd.Series[float]) -> Correlation:
    difference = float((ours - theirs).abs().mean())
    if ours.nunique() == 1 or theirs.nunique() == 1:
        return Correlation(float("nan"), float("nan"), difference)
    # Spearman's is Pearson's of the ranks, ties sharing theirs; scipy.stats would take two seconds to load for it.
    spearman, pearson = (float(np.corrcoef(a, b)[0, 1]) for a, b in ((ours.rank(), theirs.rank()), (ours, theirs)))
    return Correlation(spearman, pearson, difference)


def read_results(folder: Path) -> Results:
    """The tables of a finished run; whatever else the folder may be is refused in one line."""
    manifest = read_manifest(folder)
    if (folder / SUMMARY).exists():
        raise PlannerError(f"{folder}: games of one seat have no matrix; read {SUMMARY} and games.parquet with pandas")
    matrix = complete_matrix(read_table(folder / "matrix.csv"), str(folder / "matrix.csv"))
    games, from_counts = rebuilt_games(matrix), True
    if (folder / "games.parquet").exists():
        games, from_counts = read_table(folder / "games.parquet"), False
        try:
            check(games, "rounds")
        except PlannerError as error:
            raise PlannerError(f"{folder / 'games.parquet'}: {error}") from None
    ratings, times = (
        read_table(path) if (path := folder / name).exists() else pd.DataFrame({"agent": pd.Series(dtype=str)})
        for name in ("ratings.csv", "decisions.csv")
    )
    name = str(manifest.get("name") or folder.resolve().name)
    return Results(name, games, matrix, ratings, times, manifest, folder, from_counts)


def complete_matrix(matrix: pd.DataFrame, place: str) -> pd.DataFrame:
    """The matrix with the columns that follow from its counts, where it lacks them."""
    missing = [column for column in _COUNTS if column not in matrix]
    if missing:
        raise PlannerError(f"{place}: no column {', '.join(missing)}")
    matrix = matrix.copy()
    if "draws" not in matrix:
        matrix["draws"] = 0
    if "games" not in matrix:
        matrix["games"] = matrix["p1_wins"] + matrix["p2_wins"] + matrix["draws"]
    # Also where the table has them, rounded to four digits: rounded once more they can differ from the same score and
    # interval elsewhere, by one in the last digit.
    points = matrix["p1_wins"] + matrix["draws"] / 2
    ends = [wilson(float(won), float(played)) for won, played in zip(points, matrix["games"], strict=True)]
    matrix[["p1_score", "p1_low", "p1_high"]] = np.asarray(ends, np.float64).reshape(-1, 3)
    return matrix


def rebuilt_games(matrix: pd.DataFrame) -> pd.DataFrame:
    """One row per game as far as counts tell: who won; unpaired, and of the pairing's mean length."""
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
    """The results in a folder, or of that name below `results/`, here or in the project."""
    return read_results(find_results(path_or_name))


def find_results(path_or_name: str | os.PathLike[str]) -> Path:
    """The folder of these results."""
    given = Path(path_or_name)
    if given.exists():
        return given
    if len(given.parts) == 1:
        for home in results_folders():
            if (home / given).is_dir():
                return home / given
        known = available_results()
        there = f"there are {', '.join(known)}" if known else "there are none yet: `planner tournament` makes them"
        raise PlannerError(f"{given}: no such results{did_you_mean(str(given), known)} ({there})")
    raise PlannerError(f"{given}: no such folder")


def available_results() -> list[str]:
    """The names of finished tournaments below `results/`, sorted."""
    found = set()
    for home in results_folders():
        for manifest in home.glob("*/manifest.json"):
            if any((manifest.parent / table).exists() for table in ("matrix.csv", SUMMARY)):
                found.add(manifest.parent.name)
    return sorted(found)


def guo_table() -> pd.DataFrame:
    """Guo's table 7.1 as printed: p1_profile, p2_profile, p1_wins, p2_wins, avg_turns of 7 x 7 x 1,000 games."""
    with resources.as_file(resources.files("planner.arena") / "data" / "guo_table_7_1.csv") as path:
        return pd.read_csv(path)


def guo_results() -> Results:
    """The thesis's table as results; its games are rebuilt from the counts, so `rounds` is the pairing's mean."""
    matrix = complete_matrix(guo_table(), "thesis")
    games = rebuilt_games(matrix)
    order = list(dict.fromkeys(matrix["p1_profile"]))
    manifest = {"name": "Guo, table 7.1", "agents": order, "games": len(games), "games_per_pairing": 1000, "seed": 1}
    times = pd.DataFrame({"agent": pd.Series(dtype=str)})
    return Results("Guo, table 7.1", games, matrix, rate(games, order).table, times, manifest, from_counts=True)


def results_folders() -> list[Path]:
    """The `results` folders to look in: the one here, and the project's for whoever sits in a folder of it."""
    here, project = Path("results"), _PROJECT / "results"
    if (_PROJECT / "planner" / "_shipped").is_dir():  # installed: what stands beside the package is not ours
        return [here] if here.is_dir() else []
    return [home for home in (here, *([] if here.resolve() == project else [project])) if home.is_dir()]
