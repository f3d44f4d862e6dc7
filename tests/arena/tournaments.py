"""Small tournaments of baselines, which play a game in a few milliseconds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from planner.agents.agent_spec import agent_spec
from planner.arena.match.referee import TimeLimits
from planner.arena.tournament.experiment import Entry, Experiment
from planner.games.hearthstone.cards.decks import load_deck
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.ruleset import Ruleset

TABLES = ("games.parquet", "matrix.csv", "ratings.csv", "cards.csv")  # the same bytes for the same games
HOSTILE = "tests.arena.hostile"
ROOT = Path(__file__).resolve().parents[2]


def small(
    *agents: str,
    games: int = 2,
    rules: str | Ruleset = "thesis",
    deck_pairs: Sequence[tuple[int, int]] = ((0, 1),),
    **changes: Any,
) -> Experiment:
    """Return an experiment of these agents with the rules of Guo 2025."""
    entries = [Entry(name.rpartition(":")[2], agent_spec(name)) for name in agents or ("random", "greedy")]
    decks = load_deck("thesis_paladin"), load_deck("thesis_warrior")
    experiment = Experiment(
        name="small",
        agents=tuple(entries),
        setups=tuple(MatchSetup((decks[a], decks[b]), Ruleset.of(rules)) for a, b in deck_pairs),
        games=games,
        seed=7,
        limits=TimeLimits(move_time=30.0, game_time=100.0),
        folders=(str(ROOT),),
    )
    return replace(experiment, **changes)


def rows(folder: Path) -> list[dict[str, Any]]:
    """Return the games of a finished run."""
    games: list[dict[str, Any]] = pq.read_table(folder / "games.parquet").to_pylist()
    return games


def tables(folder: Path) -> dict[str, bytes]:
    """Return the tables that must not differ between two runs."""
    return {name: (folder / name).read_bytes() for name in TABLES}


def left_behind(mark: str) -> list[int]:
    """Return the processes that still have this mark in their environment after some time to end."""
    deadline = time.monotonic() + 10
    while (processes := _marked(mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return processes


def _marked(mark: str) -> list[int]:
    """Return the processes that have the mark now."""
    processes = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                processes.append(int(entry.name))
        except OSError:
            continue
    return processes
