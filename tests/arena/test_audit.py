"""Games that a game's own engine plays are audited by the match runner; a difference ends the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planner.agents.agent_spec import agent_spec
from planner.arena.match import fast_matches
from planner.arena.match.fast_matches import MatchDifferenceError
from planner.arena.tournament import game_worker
from planner.arena.tournament.experiment import Entry, Experiment
from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.game_result import Result, result_of
from planner.arena.tournament.game_worker import FixturePlayer, Guard
from planner.arena.tournament.runner import run_tournament
from planner.arena.tournament.schedule import Fixture, schedule
from planner.games.hearthstone.engine import available
from planner.planning.capabilities import MatchPlayer, PlayedMatch
from tests.arena.tournaments import small, tables

pytestmark = pytest.mark.skipif(not available(), reason="the engine is not compiled")


def without_times(result: Result) -> Result:
    """Return what must not depend on who plays; times differ."""
    return result._replace(times=(), seconds=0.0)


def planners(**changes: Any) -> Experiment:
    experiment = small("random", "greedy", games=3, **changes)
    profiles = (Entry("aggro", agent_spec("aggro_face")), Entry("guo", agent_spec("keep_alive", formulation="thesis")))
    return replace(experiment, agents=(*experiment.agents, *profiles))


def test_results_are_those_of_the_match_runner() -> None:
    experiment = planners(audit=0)
    player = FixturePlayer(experiment)
    games = schedule(experiment)[:]
    played = player.play_batch(games)
    assert [result.position for result in played] == [game.position for game in games]
    for game, result in zip(games, played, strict=True):
        assert without_times(result) == without_times(result_of(game.position, player.match(game), 0.0))
        assert all(times.histogram for times in result.times)


class Faulty:
    """A match player whose matches have another winner than they should."""

    def __init__(self, player: MatchPlayer) -> None:
        self.player = player
        self.audited: list[bool] = []

    def play(
        self, seeds: Sequence[tuple[int, ...]], with_moves: bool = False, heartbeat: memoryview | None = None
    ) -> list[PlayedMatch | None]:
        """Play, and change the winner."""
        self.audited += [with_moves] * len(seeds)
        matches = self.player.play(seeds, with_moves, heartbeat)
        return [match and match._replace(winner=1 - abs(match.winner)) for match in matches]


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> list[Faulty]:
    """Make every match player faulty; return those that were made."""
    made: list[Faulty] = []

    def make(*arguments: Any) -> Faulty:
        player = fast_matches.match_player(*arguments)
        assert player is not None
        made.append(Faulty(player))
        return made[-1]

    monkeypatch.setattr(game_worker, "match_player", make)
    return made


def play(experiment: Experiment, games: Sequence[Fixture]) -> list[Result]:
    return FixturePlayer(experiment).play_batch(games)


@pytest.mark.usefixtures("faulty")
def test_an_audited_game_that_differs_is_an_error_with_its_seed() -> None:
    experiment = planners(audit=1)
    game = schedule(experiment)[5]
    with pytest.raises(MatchDifferenceError, match=rf"with seed {game.seed} differs .* outcome: expected"):
        play(experiment, [game])


def test_one_in_so_many_games_is_audited(faulty: list[Faulty]) -> None:
    experiment = replace(planners(audit=4), games=30)
    games = schedule(experiment)[:]
    harmless = [game for game in games if game.seed % 4]
    assert len(play(experiment, harmless)) == len(harmless)
    assert not any(audited for player in faulty for audited in player.audited)
    with pytest.raises(MatchDifferenceError):
        play(experiment, [game for game in games if game.seed % 4 == 0])


def test_audit_can_be_switched_off(faulty: list[Faulty]) -> None:
    experiment = planners(audit=0)
    games = schedule(experiment)[:]
    assert len(play(experiment, games)) == len(games)
    assert not any(audited for player in faulty for audited in player.audited)


def test_a_difference_in_a_worker_ends_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The worker sends the difference, and the run ends with it."""
    difference = MatchDifferenceError("the match of a against b with seed 7 differs")
    monkeypatch.setattr(game_worker.pickle, "loads", lambda _: difference)
    with pytest.raises(MatchDifferenceError, match="with seed 7 differs"):
        run_tournament(small(), tmp_path, workers=1)


def test_the_setting_changes_no_result_and_no_digest(tmp_path: Path) -> None:
    never, always = planners(audit=0), planners(audit=1)
    assert never.digest == always.digest
    folders = [run_tournament(each, tmp_path / str(each.audit), workers=2) for each in (never, always)]
    assert tables(folders[0]) == tables(folders[1])


def test_the_setting_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("agents: [random]\ngames: 1\ndecks: mage\naudit: 7\n")
    assert load_experiment(path).audit == 7
    path.write_text("agents: [random]\ngames: 1\ndecks: mage\n")
    assert load_experiment(path).audit == 1  # in tests; otherwise 100


def test_a_guard_grows_its_batches_and_plays_all_games(tmp_path: Path) -> None:
    experiment = small("random", "random", games=40, pairs="gauntlet")
    guard = Guard()
    try:
        games = schedule(experiment)[:]
        sizes, results = [], []
        while len(results) < len(games):
            sizes.append(guard.batch_size)
            results += guard.play(experiment, games[len(results) : len(results) + guard.batch_size])
        assert [result.position for result in results] == list(range(len(games)))
        assert sizes[-1] > sizes[0] == 1
    finally:
        guard.close()
