"""Searches for weights: results, the same end after any interruption, and errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planner import PlannerError
from planner.arena.tournament.run_store import locked_folder
from planner.cli import main
from planner.formats.documents import shipped_folder
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.stats.intervals import Interval
from planner.tuning import tuning_outcome
from planner.tuning.tuning_outcome import PLOT, TABLE, write_profile
from planner.tuning.tuning_task import TuningTask, load_tuning
from planner.tuning.weight_search import HISTORY, League, TuneSearch, remove_folder

SMALL = """
name: tiny
rules: thesis
decks: {first: thesis_paladin, second: thesis_warrior}
swap: seats_and_decks
agents: [random]
games: 2
seed: 7
tune:
  start:
    weights: {lethal: 1, board_clear: 0, face_damage: 0, enemy_threat: 0, own_survival: 4, minion_damage: 0,
              damage_taken: 4, card_value: -1}
    take_lethal: true
  terms: [face_damage, card_value, own_survival]
  mulligan: true
  population: 4
  generations: 3
  champion_every: 2
  most_games: 6
  test: {games: 2}
"""
BREAKS = "class Breaks:\n    name = 'breaks'\n    def decide(self, state):\n        raise ValueError('so it goes')\n"


def write(folder: Path, text: str = SMALL, name: str = "tiny.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(PlannerError) as caught:
        load_tuning(write(folder, text))
    message = str(caught.value).removeprefix(f"{folder}/")
    assert "\n" not in message
    return message


def run(path: Path, *arguments: str) -> int:
    out = path.parent / "results"
    options = ["--workers", "1", "--out", str(out), "--save", str(path.parent / "w.yaml")]
    return main(["tune", str(path), *options, *arguments])


def test_test_may_have_other_opponents(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL.replace("test: {games: 2}", "test: {games: 2, agents: [greedy, value_trade]}"))
    assert run(path) == 0
    text = (tmp_path / "w.yaml").read_text()
    assert "League: random" in text
    assert "against greedy" in text
    assert "against value_trade" in text
    assert "against random" not in text


def test_search_writes_a_profile_with_its_origin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path)
    assert run(path) == 0
    printed = capsys.readouterr().out
    assert "against random" in printed
    text = (tmp_path / "w.yaml").read_text()
    for said in ("planner tune", "seed 7", "3 generations of 4", "League: random", "4 games each", "against random"):
        assert said in text
    found = Weights.of(str(tmp_path / "w.yaml"))
    assert found.take_lethal
    table = (tmp_path / "results" / "tiny" / "tuning.csv").read_text().splitlines()
    assert len(table) == 4
    assert (tmp_path / "results" / "tiny" / "tuning.png").stat().st_size > 10_000
    assert not list((tmp_path / "results" / "tiny").glob("generation-*"))
    assert run(path) == 2
    assert "--resume continues it" in capsys.readouterr().err


def test_killed_search_gives_the_same_profile(tmp_path: Path) -> None:
    """The process group is killed repeatedly at random moments."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for folder in (whole, broken):
        folder.mkdir()
        write(folder)
    assert run(whole / "tiny.yaml") == 0
    options = ["--workers", "1", "--out", "results", "--save", "w.yaml", "--resume"]
    script = "import sys; from planner.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", script, "tune", "tiny.yaml", *options]
    for delay in (1.2, 1.8, 2.6):
        child = subprocess.Popen(command, cwd=broken, start_new_session=True, stdout=subprocess.DEVNULL)
        time.sleep(delay)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    subprocess.run(command, cwd=broken, check=True, stdout=subprocess.DEVNULL)
    names = ("history.json", "tuning.csv", "test/matrix.csv")
    for name in names:
        assert (whole / "results/tiny" / name).read_bytes() == (broken / "results/tiny" / name).read_bytes()
    ends = [(folder / "w.yaml").read_text().partition("\n")[2] for folder in (whole, broken)]
    assert ends[0] == ends[1]


def test_candidates_share_seeds_and_setups() -> None:
    tuning = load_tuning("tune_small")
    point = tuning.origin()
    candidates = [tuning.entry(tuning.profile(point, f"candidate {n}")) for n in range(3)]
    league = League.of(tuning.league, tuning.league.agents, candidates, generation=4, games=5)
    games_by_candidate: dict[int, set[Any]] = {}
    for game in league:
        candidate = max(game.agents)
        games_by_candidate.setdefault(candidate, set()).add((min(game.agents), game.number, game.seed, game.setup))
    assert len(games_by_candidate) == 3
    assert len({frozenset(one) for one in games_by_candidate.values()}) == 1
    seats = [game.agents.index(max(game.agents)) for game in league]
    assert seats.count(0) == seats.count(1)
    other = League.of(tuning.league, tuning.league.agents, candidates, generation=5, games=5)
    assert {game.seed for game in league}.isdisjoint({game.seed for game in other})


def test_origin_is_the_start_profile() -> None:
    tuning = load_tuning("tune_champion")
    again = tuning.profile(tuning.origin(), "start")
    assert again.terms() == {**again.terms(), **tuning.start.terms()}
    assert again.forbid == tuning.start.forbid


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("face_damage, card_value", "fase_damage"), "terms: 'fase_damage' is not a term; did you mean 'face_damage'?"),
        (("[face_damage, card_value, own_survival]", "[]"), "terms: must be a list of terms, got []"),
        (("[face_damage, card_value, own_survival]", "[W3, face_damage]"), "face_damage is given twice"),
        (("decks: {first: thesis_paladin, second: thesis_warrior}", "decks: []"), "must be a deck"),
        (("start:", "begin:"), "unknown field 'begin'"),
        (("lethal: 1,", "lethal: x,"), "tiny.yaml:11: lethal: must be a number, got 'x'"),
        (("population: 4", "population: 1"), "population: must be between 4 and 1000, got 1"),
        (("test: {games: 2}", "test: {gmes: 2}"), "unknown field 'gmes'"),
        (("test: {games: 2}", "test: 5"), "test: must be a mapping with games, agents and decks, got 5"),
        (("agents: [random]", "agents: [randm]"), "'randm' is not an agent"),
        (("tune:", "tne:"), "tune: is missing"),
        (("games: 2\nseed", "games: 2\npairs: first\nseed"), "pairs is not supported in a search"),
        (("name: tiny", "name: random"), "'random' is also the name of an opponent"),
        (("test: {games: 2}", "test: {games: 2, agents: [tiny, random]}"), "'tiny'"),
    ],
)  # fmt: skip
def test_errors_are_one_line_with_the_path(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    assert change[0] in SMALL
    assert message in refusal(tmp_path, SMALL.replace(*change))


def test_tournament_command_names_the_tune_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", str(write(tmp_path))]) == 2
    assert "planner tune" in capsys.readouterr().err


def test_crash_of_a_league_member_ends_the_search_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "breaks.py").write_text(BREAKS)
    path = write(tmp_path, SMALL.replace("[random]", "[random, {name: breaks, agent: 'breaks:Breaks'}]"))
    assert run(path) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "league: breaks forfeited a game: crash: ValueError: so it goes" in error
    assert not list((tmp_path / "results" / "tiny").glob("generation-*"))  # once it is mended, it plays them again


def test_crash_of_a_test_opponent_gives_no_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The search is kept, and the test is played again when the opponent is repaired."""
    (tmp_path / "breaks.py").write_text(BREAKS)
    other = "{games: 2, agents: [{name: breaks, agent: 'breaks:Breaks'}]}"
    path = write(tmp_path, SMALL.replace("{games: 2}", other).replace("generations: 3", "generations: 1"))
    assert run(path) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "test: breaks forfeited a game: crash: ValueError: so it goes (breaks.py:4); the search is kept" in error
    assert not (tmp_path / "w.yaml").exists()
    assert sorted(file.name for file in (tmp_path / "results" / "tiny").iterdir()) == [HISTORY, TABLE, PLOT]


def test_test_opponent_that_cannot_be_created_is_refused_before_the_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, SMALL.replace("{games: 2}", "{games: 2, agents: [{name: gone, agent: 'nowhere:Missing'}]}"))
    assert run(path) == 2
    assert "nowhere" in capsys.readouterr().err
    assert not (tmp_path / "results" / "tiny" / HISTORY).exists()


def test_folder_of_games_is_removed_atomically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the process is killed while files are removed, no run folder is left."""
    place = tmp_path / "generation-0003"
    place.mkdir()
    (place / "journal.jsonl").touch()

    def killed(path: Path, **_: object) -> None:
        if path.exists():
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("planner.tuning.weight_search.shutil.rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            remove_folder(place)
    assert not place.exists()
    place.mkdir()
    remove_folder(place)
    assert not list(tmp_path.iterdir())


def test_candidates_use_the_options_of_the_file_if_the_league_has_no_planner(tmp_path: Path) -> None:
    plain = load_tuning(write(tmp_path))
    limited = load_tuning(write(tmp_path, SMALL.replace("seed: 7", "seed: 7\neffort: 50")))
    assert (plain.options.effort, limited.options.effort) == (None, 50)
    assert plain.digest != limited.digest
    with_planner = SMALL.replace("[random]", "[random, {profile: value_trade, effort: 60}]")
    assert load_tuning(write(tmp_path, with_planner.replace("seed: 7", "seed: 7\neffort: 50"))).options.effort == 60


def test_other_package_version_is_refused(tmp_path: Path) -> None:
    """Another version would assign the old scores to other weights."""
    tuning = load_tuning(write(tmp_path))
    history = {"digest": tuning.digest, "versions": {"cma": "0.1", "numpy": "1"}, "generations": []}
    (tmp_path / HISTORY).write_text(json.dumps(history))
    with pytest.raises(PlannerError, match=r"was begun with cma 0\.1, numpy 1, this is cma"):
        TuneSearch(tuning, tmp_path)


def test_another_engine_is_refused(tmp_path: Path) -> None:
    tuning = load_tuning(write(tmp_path))
    history = {"digest": tuning.digest, "engine": "0123456789abcdef", "generations": []}
    (tmp_path / HISTORY).write_text(json.dumps(history))
    with pytest.raises(PlannerError, match=r"was begun with engine 01234567, this is a run with.* engine"):
        TuneSearch(tuning, tmp_path)


def test_changed_agent_of_the_league_is_refused(tmp_path: Path) -> None:
    tuning = load_tuning(write(tmp_path))
    history = {"digest": tuning.digest, "sources": {"bot": "0123456789abcdef"}, "generations": []}
    (tmp_path / HISTORY).write_text(json.dumps(history))
    with pytest.raises(PlannerError, match="was begun with another version of the files of bot; all generations"):
        TuneSearch(tuning, tmp_path)


@pytest.mark.parametrize("damage", [{"versions": 1}, {"versions": []}, {"sources": [2]}, {"sources": []}])
def test_damaged_history_is_one_line(damage: dict[str, object], tmp_path: Path) -> None:
    tuning = load_tuning(write(tmp_path))
    (tmp_path / HISTORY).write_text(json.dumps({"digest": tuning.digest, "generations": []} | damage))
    with pytest.raises(PlannerError, match="is not the history of a search"):
        TuneSearch(tuning, tmp_path)
    (tmp_path / HISTORY).write_text("[" * 10**5)
    with pytest.raises(PlannerError, match="is not the history of a search"):
        TuneSearch(tuning, tmp_path)


def test_second_search_in_a_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path)
    with locked_folder(tmp_path / "results" / "tiny"):
        assert run(path) == 2
    assert "another run is using this folder" in capsys.readouterr().err


def test_profile_of_another_origin_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    there = tmp_path / "weights/tiny.yaml"
    there.parent.mkdir()
    by_hand = "# Found by: planner tune tiny.yaml.old\ndescription: mine\n"
    there.write_text(by_hand)
    begun = []
    monkeypatch.setattr(TuneSearch, "run", lambda *_: begun.append(1))
    monkeypatch.setattr(tuning_outcome, "write_table", lambda *_: None)
    monkeypatch.setattr(tuning_outcome, "play_test", lambda *_: {"random": Interval(0.5, 0.4, 0.6)})
    for resume in ([], ["--resume"]):
        assert main(["tune", "tiny.yaml", *resume]) == 2
        message = capsys.readouterr().err
        assert message.startswith("error: weights/tiny.yaml: exists and was not written by this command; choose")
        assert message.count("\n") == 1
    assert (there.read_text(), begun) == (by_hand, [])
    assert not Path("results").exists()
    assert main(["tune", "tiny.yaml", "--save", "weights/tiny.yaml"]) == 0  # who names it means it
    assert there.read_text().startswith("# Found by: planner tune tiny.yaml\n")
    assert main(["tune", "tiny.yaml"]) == 0  # its own may be found again


@pytest.mark.parametrize("name", ["champion", "champion_standard"])
def test_shipped_profiles_name_their_command(name: str) -> None:
    path = shipped_folder("weights") / f"{name}.yaml"
    tuning_outcome.check_free(path, f"planner tune experiments/tune_{name}.yaml")
    with pytest.raises(PlannerError, match="was not written by this command"):
        tuning_outcome.check_free(path, "planner tune mine.yaml")


def test_written_profile_can_be_read_back(tmp_path: Path) -> None:
    """Large, small and fractional numbers, and rules with a word or 0, are read back."""
    tuning = load_tuning(write(tmp_path))
    found = Weights(
        lethal=10**6, face_damage=123456.78, card_value=-0.01, own_survival=0.000001, take_lethal=True, mulligan_cost=0,
        name="found", enemy_health=1234567 / 1000,
        forbid=(Rule("play", word='Fire: "Ball" # 1'), Rule("own_hero_death"), Rule("trade_below", number=0.5)),
        require=(Rule("keep_mana", number=0),),
    )  # fmt: skip
    write_profile(tmp_path / "found.yaml", tuning, found, {"random": Interval(0.5, 0.4, 0.6)}, "planner tune x")
    assert replace(Weights.load(tmp_path / "found.yaml"), description="") == found
    fine = Weights(lethal=1, face_damage=1 / 1024, name="found")  # with more than six decimals
    write_profile(tmp_path / "found.yaml", tuning, fine, {"random": Interval(0.5, 0.4, 0.6)}, "planner tune x")
    assert replace(Weights.load(tmp_path / "found.yaml"), description="") == fine


def test_other_search_in_the_folder_is_refused(tmp_path: Path) -> None:
    tuning: TuningTask = load_tuning(write(tmp_path))
    (tmp_path / HISTORY).write_text(json.dumps({"digest": "0" * 32, "generations": []}))
    with pytest.raises(PlannerError, match="contains a different search"):
        TuneSearch(tuning, tmp_path)
    half = {"games": 2, "members": 1, "scores": [0.5], "agreement": 1}
    (tmp_path / HISTORY).write_text(json.dumps({"digest": tuning.digest, "generations": [half]}))
    with pytest.raises(PlannerError, match="is not the history of a search"):
        TuneSearch(tuning, tmp_path)
    odd = {"games": 2, "members": 1, "scores": [0.5] * 4, "agreement": None}
    for content in ([], {"digest": 5, "generations": []}, {"digest": tuning.digest, "generations": [odd]}):
        (tmp_path / HISTORY).write_text(json.dumps(content))
        with pytest.raises(PlannerError, match="is not the history of a search"):
            TuneSearch(tuning, tmp_path)


@pytest.mark.long
def test_bad_start_improves(tmp_path: Path) -> None:
    """The complete shipped search: from losing nearly all games to about 50 % against both opponents."""
    assert main(["tune", "tune_small", "--out", str(tmp_path), "--save", str(tmp_path / "w.yaml")]) == 0
    played = json.loads((tmp_path / "tune_small" / HISTORY).read_text())["generations"]
    first, last = (sum(one["scores"]) / len(one["scores"]) for one in (played[0], played[-1]))
    assert last > first + 0.2
