"""A sequential test stops at the same game, whatever other games are finished by then."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from planner.arena.tournament.early_stopping import Stopping, stopping_rule
from planner.arena.tournament.experiment import Experiment, SprtOptions
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.runner import run_tournament
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError
from tests.arena.tournaments import rows, small, tables


def ab_test(games: int = 200, **changes: object) -> Experiment:
    return small("greedy", "random", games=games, pairs="gauntlet", sprt=SprtOptions(0, 100), **changes)


def results(experiment: Experiment) -> dict[int, Result]:
    """Return results in which the first agent wins two of three games."""
    rng = Random(4)

    def winner(first: int) -> int:
        return first if rng.random() < 2 / 3 else 1 - first

    return {g.position: Result(g.position, winner(g.first), "damage", 5, 9, (9, 9)) for g in schedule(experiment)}


@pytest.mark.parametrize("swap", ["seats", "none"])
def test_order_of_completion_does_not_matter(swap: str) -> None:
    experiment = ab_test(swap=swap)
    games, all_results = schedule(experiment), results(experiment)
    rule = stopping_rule(experiment, games, all_results)
    at_once = rule.length()
    assert rule.stopped
    assert 10 < at_once < len(games)
    finished: dict[int, Result] = {}
    rule = stopping_rule(experiment, games, finished)
    for place in Random(5).sample(range(len(games)), len(games)):
        finished[place] = all_results[place]
        assert rule.length() <= at_once
    assert rule.counted == at_once
    assert rule.summary()["sprt"]["decision"] == "accept H1"


def test_without_a_rule_all_games_are_played() -> None:
    experiment = small(games=3)
    games = schedule(experiment)
    rule = stopping_rule(experiment, games, {g.position: Result(g.position, 0, "", 1, 1, (1, 1)) for g in games[:5]})
    assert type(rule) is Stopping
    assert rule.length() == 5
    assert not rule.stopped


def test_stopped_test_gives_the_same_tables(tmp_path: Path) -> None:
    folders = [run_tournament(ab_test(), tmp_path / str(workers), workers=workers) for workers in (1, 2)]
    assert tables(folders[0]) == tables(folders[1])
    assert 2 <= len(rows(folders[0])) < 400


def test_sprt_needs_two_agents() -> None:
    with pytest.raises(PlannerError, match="sprt: needs an A/B test"):
        small("greedy", "random", "aggro_face", pairs="gauntlet", sprt=SprtOptions(0, 10))
