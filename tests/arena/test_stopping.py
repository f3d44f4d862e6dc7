"""A sequential test stops at the same game, whatever other games are finished by then."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from planner.arena.tournament.early_stopping import Stopping
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

    return {g.position: Result(g.position, winner(g.agents[0]), "damage", 5, 9, (9, 9)) for g in schedule(experiment)}


def counted(rule: Stopping) -> list[int]:
    """Return the positions of the games that count by now."""
    rule.update()
    return list(rule.positions())


@pytest.mark.parametrize("swap", ["seats", "none"])
def test_order_of_completion_does_not_matter(swap: str) -> None:
    experiment = ab_test(swap=swap)
    games, all_results = schedule(experiment), results(experiment)
    rule = Stopping(all_results, games)
    at_once = counted(rule)
    assert rule.stopped
    assert at_once == list(range(len(at_once)))
    assert 10 < len(at_once) < len(games)
    finished: dict[int, Result] = {}
    rule = Stopping(finished, games)
    for place in Random(5).sample(range(len(games)), len(games)):
        finished[place] = all_results[place]
        assert len(counted(rule)) <= len(at_once)
    assert counted(rule) == at_once
    assert rule.summary()["sprt"]["decision"] == "accept H1"


def test_without_a_rule_all_games_are_played() -> None:
    experiment = small(games=3)
    games = schedule(experiment)
    rule = Stopping({g.position: Result(g.position, 0, "", 1, 1, (1, 1)) for g in games[:5]}, games)
    assert counted(rule) == [0, 1, 2, 3, 4]
    assert not rule.stopped


def test_stopped_test_gives_the_same_tables(tmp_path: Path) -> None:
    folders = [run_tournament(ab_test(), tmp_path / str(workers), workers=workers) for workers in (1, 2)]
    assert tables(folders[0]) == tables(folders[1])
    assert 2 <= len(rows(folders[0])) < 400


# -- several candidates against a base


def gauntlet(games: int = 300, **changes: object) -> Experiment:
    """Return an experiment that tests three candidates against aggro_face: two similar ones and a weaker one."""
    return small(
        "aggro_face", "value_trade", "random", "aggro_tempo", games=games, pairs="gauntlet",
        sprt=SprtOptions(0, 100, base="aggro_face"), **changes,
    )  # fmt: skip


def test_each_candidate_stops_by_itself_like_an_a_b_test_of_its_own() -> None:
    experiment = gauntlet()
    games = schedule(experiment)
    rng, wins = Random(4), (0.0, 0.75, 0.3, 0.6)  # of each candidate against the base

    def result(position: int) -> Result:
        first, second = games[position].agents
        candidate_wins = rng.random() < wins[max(first, second)]
        winner = int(first == 0) if candidate_wins else int(first != 0)
        return Result(position, winner, "damage", 5, 9, (9, 9))

    all_results = {position: result(position) for position in range(len(games))}
    rule = Stopping(all_results, games)
    positions = counted(rule)
    assert rule.stopped
    tests = rule.summary()["sprt"]
    assert [(test["agent"], test["base"]) for test in tests] == [
        ("value_trade", "aggro_face"), ("random", "aggro_face"), ("aggro_tempo", "aggro_face"),
    ]  # fmt: skip
    assert [test["decision"] for test in tests] == ["accept H1", "accept H0", "accept H1"]
    assert len({test["games"] for test in tests}) == 3
    for number, test in enumerate(tests, 1):
        own = [position for position in range(len(games)) if number in games[position].agents]
        assert [position for position in positions if position in own] == own[: test["games"]]
        # The same games as an experiment of two agents, with the third of alpha.
        pair = small("aggro_face", experiment.names[number], games=300, pairs="gauntlet",
                     sprt=SprtOptions(0, 100, alpha=0.05 / 3, base="aggro_face"))  # fmt: skip
        alone = {i: all_results[position]._replace(position=i) for i, position in enumerate(own)}
        single = Stopping(alone, schedule(pair))
        assert len(counted(single)) == test["games"]
        assert single.summary()["sprt"] == [test]


def test_base_may_be_the_first_of_two_agents() -> None:
    experiment = ab_test()
    all_results = results(experiment)  # the first agent wins two of three games
    reversed_test = small("greedy", "random", games=200, pairs="gauntlet", sprt=SprtOptions(0, 100, base="greedy"))
    rule = Stopping(all_results, schedule(reversed_test))
    counted(rule)
    assert [(test["agent"], test["decision"]) for test in rule.summary()["sprt"]] == [("random", "accept H0")]


def test_gauntlet_gives_the_same_tables_for_any_workers_and_after_a_kill(tmp_path: Path) -> None:
    experiment = gauntlet(games=60)
    folders = [run_tournament(experiment, tmp_path / str(workers), workers=workers) for workers in (1, 2)]
    games = rows(folders[0])
    played = [sum(name in (game["p1"], game["p2"]) for game in games) for name in experiment.names[1:]]
    assert len(set(played)) > 1  # they stopped at different games
    assert sum(played) == len(games) < 3 * 120
    killed = folders[1]
    lines = (killed / "journal.jsonl").read_bytes().splitlines(keepends=True)
    manifest = json.loads((killed / "manifest.json").read_text())
    (killed / "manifest.json").write_text(json.dumps({**manifest, "finished": False}))
    (killed / "journal.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]) + lines[-1][:9])
    before = tables(killed)
    run_tournament(experiment, tmp_path / "2", workers=2, resume=True)
    assert tables(folders[0]) == before == tables(killed)
    again = json.loads((killed / "manifest.json").read_text())
    assert (again["sprt"], again["games"]) == (manifest["sprt"], manifest["games"])


@pytest.mark.parametrize(
    ("agents", "changes", "message"),
    [
        (("greedy", "random", "aggro_face"), {}, "write 'base: greedy'"),
        (("greedy", "random", "aggro_face"), {"base": "random"}, "write 'base: greedy'"),
        (("greedy", "random"), {"base": "gredy"}, "is not an agent of this experiment; did you mean 'greedy'?"),
        (("greedy",), {}, "needs two or more agents"),
    ],
)
def test_sprt_says_what_it_needs(agents: tuple[str, ...], changes: dict[str, str], message: str) -> None:
    with pytest.raises(PlannerError, match="sprt") as error:
        small(*agents, pairs="gauntlet", sprt=SprtOptions(0, 10, **changes))  # type: ignore[arg-type]
    assert message in str(error.value)


def test_sprt_of_several_agents_needs_a_gauntlet() -> None:
    with pytest.raises(PlannerError, match="'pairs: gauntlet'"):
        small("greedy", "random", "aggro_face", pairs="round_robin", sprt=SprtOptions(0, 10, base="greedy"))
