"""Results folders with the tables and manifest of a real run, but made-up games."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from planner.arena.report.tournament_results import guo_results
from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.game_result import Result, ThinkingTime
from planner.arena.tournament.result_tables import write_tables
from planner.arena.tournament.run_store import Store
from planner.arena.tournament.schedule import Fixture, schedule
from tests.arena.tournaments import small

PROFILES = (
    "keep_alive", "board_clear", "aggro_face", "value_trade", "aggro_tempo", "true_balanced", "author_favorite",
)  # fmt: skip


def made_up(root: Path, *agents: str, games: int = 4, draws: float = 0.0, crashes: float = 0.0, **more: Any) -> Path:
    """Write a finished run below `root`: profiles win about as often as in Guo 2025, other agents equally often."""
    experiment = small(*(agents or PROFILES), games=games, **{"name": "made-up", **more})
    played = [_result(experiment, game, draws, crashes) for game in schedule(experiment)]
    with Store(root / experiment.name, experiment) as store:
        store.append(played, 2.0)
        write_tables(store.folder, experiment, store.results, range(len(played)))
        store.finish(2, len(played))
        return store.folder


_GUO = guo_results()
_CHANCES, _TURNS = _GUO.scores(), _GUO.turns()


def _result(experiment: Experiment, game: Fixture, draws: float, crashes: float) -> Result:
    rng = Random(f"{game.seed} {game.position}")
    p1, p2 = experiment.names[game.agents[0]], experiment.names[game.agents[-1]]
    known = p1 in _CHANCES and p2 in _CHANCES
    chance, turns = (_CHANCES.loc[p1, p2], _TURNS.loc[p1, p2]) if known else (0.6, 12.0)
    winner = -1 if rng.random() < draws else int(rng.random() >= chance)
    rounds = max(4, round(rng.gauss(turns, turns / 5)))
    reason = "crash: ValueError: <made up>" if winner >= 0 and rng.random() < crashes else "damage"
    spent = tuple(ThinkingTime(0.0014 * rounds + 0.009, 0.0048, f"31:{rounds} 36:2") for _ in range(2))
    return Result(
        game.position, winner, reason, rounds, 2 * rounds, (rounds + 2, rounds + 2), (spent[0], spent[1]), 0.03
    )
