"""Finished tournaments as pandas tables, for notebooks and for people.

from planner import results
ours = results.load("thesis")          # results/thesis, or a path to any folder of results
ours.scores(), ours.turns()            # squares: first seat down, second seat across
ours.compare(results.thesis()).wins    # rank correlation with the thesis's table 7.1
"""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

import pandas as pd

from planner.arena.loaded import Comparison, Correlation, Results, complete_matrix, read_results, rebuilt_games
from planner.arena.store import SUMMARY
from planner.errors import PlannerError, did_you_mean
from planner.stats.ratings import rate

__all__ = ["Comparison", "Correlation", "Results", "available", "find", "load", "thesis", "thesis_table"]

_PROJECT = Path(__file__).resolve().parents[1]


def load(path_or_name: str | os.PathLike[str]) -> Results:
    """The results in a folder, or of that name below `results/`, here or in the project."""
    return read_results(find(path_or_name))


def find(path_or_name: str | os.PathLike[str]) -> Path:
    """The folder of these results."""
    given = Path(path_or_name)
    if given.exists():
        return given
    if len(given.parts) == 1:
        for home in homes():
            if (home / given).is_dir():
                return home / given
        known = available()
        there = f"there are {', '.join(known)}" if known else "there are none yet: `planner tournament` makes them"
        raise PlannerError(f"{given}: no such results{did_you_mean(str(given), known)} ({there})")
    raise PlannerError(f"{given}: no such folder")


def available() -> list[str]:
    """The names of finished tournaments below `results/`, sorted."""
    found = set()
    for home in homes():
        for manifest in home.glob("*/manifest.json"):
            if any((manifest.parent / table).exists() for table in ("matrix.csv", SUMMARY)):
                found.add(manifest.parent.name)
    return sorted(found)


def thesis_table() -> pd.DataFrame:
    """Guo's table 7.1 as printed: p1_profile, p2_profile, p1_wins, p2_wins, avg_turns of 7 x 7 x 1,000 games."""
    with resources.as_file(resources.files("planner.arena") / "data" / "guo_table_7_1.csv") as path:
        return pd.read_csv(path)


def thesis() -> Results:
    """The thesis's table as results; its games are rebuilt from the counts, so `rounds` is the pairing's mean."""
    matrix = complete_matrix(thesis_table(), "thesis")
    games = rebuilt_games(matrix)
    order = list(dict.fromkeys(matrix["p1_profile"]))
    manifest = {"name": "Guo, table 7.1", "agents": order, "games": len(games), "games_per_pairing": 1000, "seed": 1}
    times = pd.DataFrame({"agent": pd.Series(dtype=str)})
    return Results("Guo, table 7.1", games, matrix, rate(games, order).table, times, manifest, from_counts=True)


def homes() -> list[Path]:
    """The `results` folders to look in: the one here, and the project's for whoever sits in a folder of it."""
    here, project = Path("results"), _PROJECT / "results"
    if (_PROJECT / "planner" / "_shipped").is_dir():  # installed: what stands beside the package is not ours
        return [here] if here.is_dir() else []
    return [home for home in (here, *([] if here.resolve() == project else [project])) if home.is_dir()]
