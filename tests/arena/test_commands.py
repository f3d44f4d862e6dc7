"""Programs as agents, under the same limits as classes: a misbehaving program only loses its own game."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from planner import plan_turn
from planner.agents.agent_spec import agent_spec
from planner.agents.user_agents import CommandAgent
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import TimeLimits, agent_seed, play_match
from planner.arena.match.replay import verify_log, walk
from planner.arena.tournament.experiment import Entry
from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.game_worker import FixturePlayer
from planner.arena.tournament.run_store import STDERR
from planner.arena.tournament.runner import run_tournament
from planner.arena.tournament.schedule import schedule
from planner.cli import main
from planner.errors import PlannerError
from planner.games import game
from planner.games.hearthstone.match_setup import MatchSetup
from tests.arena.tournaments import ROOT, left_behind, rows, small, tables

FACE = "cmd:sh experiments/face.sh"
HOSTILE = "cmd:sh tests/arena/hostile.sh"
PASSES = "time: no decision within 1.5 s"
BEHAVIOURS = {  # by number in the script, the reason's beginning; where there is none, its opponent ends the match
    0: "illegal action: 'hello, referee' is not JSON",
    1: PASSES,
    2: "illegal action: a line of more than 100000 bytes",
    3: "crash: its process ended (exit code 3)",
    4: "crash: its process ended (signal 9)",
    5: "",
    6: PASSES,
    7: PASSES,
    8: "",
    9: "",
    10: "crash: its process ended (it has closed its output)",
    11: "illegal action: your hero has no attack",
    12: "illegal action: '[[[[",
    13: "illegal action: '",
    14: "illegal action: ",
    15: "crash: its process ended (exit code 0)",
    16: "crash: its process ended (",
    17: "",
}
pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="needs a POSIX shell")


def behaviour_of(seed: int) -> int:
    return int(str(seed)[-2:]) % len(BEHAVIOURS)


def test_hostile_program_loses_only_its_own_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = uuid.uuid4().hex
    monkeypatch.setenv("PLANNER_TEST_MARK", mark)
    limits = TimeLimits(move_time=1.5, game_time=30.0)
    plain = small("random", "random", games=12, seed=214, pairs="gauntlet", limits=limits, memory=256)
    experiment = replace(plain, agents=(plain.agents[0], Entry("program", agent_spec(HOSTILE))))
    folder = run_tournament(experiment, tmp_path, workers=2)
    done = {}
    for row in rows(folder):
        seat = (row["p1"], row["p2"]).index("program")
        misbehaviour = behaviour_of(agent_seed(row["seed"], seat))
        done[misbehaviour] = row["game"]
        assert row["reason"].startswith(BEHAVIOURS[misbehaviour]), (misbehaviour, row["reason"])
        assert row["winner"] == 1 - seat, (misbehaviour, row["reason"])
    assert set(done) == set(BEHAVIOURS)
    said = {line["game"]: line for line in map(json.loads, (folder / STDERR).read_text().splitlines())}
    flood = next(text for key, text in said[done[5]].items() if key != "game")
    assert len(flood) < 5000
    assert flood.startswith("eeee")
    assert flood.endswith("last words\n")
    assert "bytes left out" in flood
    assert (folder / STDERR).stat().st_size < 100_000
    monkeypatch.delenv("PLANNER_TEST_MARK")
    assert left_behind(mark) == []


def test_example_program_plays_equal_matches_with_equal_seeds(tmp_path: Path) -> None:
    """From an experiment file, with a path relative to it; with one or two workers."""
    shutil.copy(ROOT / "experiments" / "face.sh", tmp_path / "my_bot.sh")
    path = tmp_path / "mine.yaml"
    path.write_text(
        "agents:\n  - random\n  - {name: mine, command: 'sh ./my_bot.sh --fast'}\n  - {command: ./my_bot.sh}\n"
        "games: 1\npairs: gauntlet\nrules: thesis\ndecks: [thesis_paladin, thesis_warrior]\n"
        "start_time: 20\nmemory: 512\n"
    )
    experiment = load_experiment(path)
    assert experiment.names == ["random", "mine", "my_bot.sh"]
    assert (experiment.memory, experiment.limits.start_time) == (512, 20.0)
    one, two = (run_tournament(experiment, tmp_path / str(workers), workers=workers) for workers in (1, 2))
    assert tables(one) == tables(two)
    played = rows(one)
    assert {row["reason"] for row in played} <= {"damage", "fatigue"}
    assert sum(row["winner"] == (row["p1"] == "random") for row in played) > len(played) / 2
    assert not (one / STDERR).exists()


def test_program_and_class_play_the_same_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program and a class that play the first legal action see the same states."""
    monkeypatch.chdir(ROOT)
    first = "import json, sys\nfor line in sys.stdin: print(json.dumps(json.loads(line)['legal'][0]), flush=True)"

    class First:
        name = "first"

        def decide(self, state: object) -> object:
            return game("hearthstone").legal_actions(state)[0]

    setup = MatchSetup.of("mage", "warrior")
    command = f'cmd:"{sys.executable}" -c "{first}"'
    there = play_match((command, "greedy"), setup, 5, digests=True)
    here = play_match((First(), "greedy"), setup, 5, digests=True)
    assert [turn.moves[-1].digest for turn in there.turns] == [turn.moves[-1].digest for turn in here.turns]
    assert verify_log(json.loads(json.dumps(there.to_dict()))).ok


@pytest.mark.skipif(shutil.which("perl") is None, reason="the example is in Perl")
def test_match_of_a_bot_that_uses_the_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot in another language that asks `planner engine` before every action: about as strong as the planner, and
    all that it costs beyond the plans (two processes, their start, the JSON) is less than a second of processor time.
    """
    planner = tmp_path / "planner"
    planner.write_text(f"#!{sys.executable}\nfrom planner.cli import main\nmain()\n")
    planner.chmod(0o755)
    monkeypatch.setenv("PLANNER", str(planner))
    monkeypatch.chdir(ROOT)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    record = play_match(("cmd:perl experiments/piped.pl", "random"), MatchSetup.of("mage", "warrior"), 4)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (record.outcome.winner, record.outcome.reason) == (0, "damage")
    assert sum(len(turn.moves) for turn in record.turns if turn.seat == 0) > 20
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < 1.0 + sum(plan_seconds(record))


def plan_seconds(record: MatchRecord) -> list[float]:
    """Return the time that the plans of this match take alone."""
    return [
        plan_turn(one.before, "aggro_face").seconds
        for one in walk(record)
        if record.game.turn(one.before) and record.game.to_move(one.before) == 0
    ]


def test_contents_of_a_question(tmp_path: Path) -> None:
    record = tmp_path / "seen.jsonl"
    bot = tmp_path / "bot.sh"
    bot.write_text(
        f'exec 3>{record}\nwhile IFS= read -r q; do printf "%s\\n" "$q" >&3; echo "{{}}"; done\necho over >&3\n'
    )
    of = game("spire")
    setup = of.setup_from_words(["starter"])
    outcome = play_match((f"cmd:sh {bot}",), setup, 3, of).outcome
    assert outcome.reason.startswith("illegal action: ")
    question, end = record.read_text().splitlines()
    asked = json.loads(question)
    assert list(asked) == ["game", "seed", "seat", "turn", "state", "legal"]
    assert (asked["game"], asked["seed"], asked["seat"], asked["turn"]) == ("spire", agent_seed(3, 0), 0, 1)
    state = of.state_from_json(asked["state"])
    assert [of.action_from_json(action) for action in asked["legal"]] == list(of.legal_actions(state))
    assert end == "over"  # its input ended with the match, and it had the time to say so


def test_question_contains_nothing_hidden(tmp_path: Path) -> None:
    """The enemy's hand and both decks are hidden, as for a class."""
    seen = tmp_path / "seen.jsonl"
    bot = tmp_path / "bot.sh"
    bot.write_text(f'while IFS= read -r q; do printf "%s\\n" "$q" >> {seen}; echo "{{}}"; done\n')
    play_match((f"cmd:sh {bot}", "random"), MatchSetup.of("mage", "warrior"), 3)
    state = json.loads(seen.read_text().splitlines()[0])["state"]
    assert [type(state[side]["deck"]) for side in ("me", "enemy")] == [int, int]
    assert type(state["enemy"]["hand"]) is int


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "command: '' is not a command such as './mybot --fast'"),
        ("'open", 'command: "\'open": No closing quotation'),
        ("a\0b", "command: 'a\\x00b' is not a command"),
    ],
)
def test_invalid_command_is_refused(command: str, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        agent_spec(f"cmd:{command}")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("command", "message"),
    [("./no_such_bot", "cannot be started: No such file"), ("./notes.txt", "cannot be started: Permission denied")],
)
def test_program_that_cannot_be_started_is_refused_before_any_game(
    tmp_path: Path, command: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.txt").write_text("not a program")
    experiment = replace(small("random", f"cmd:{command}"), folders=(str(tmp_path),))
    with pytest.raises(PlannerError, match=message):
        run_tournament(experiment, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    monkeypatch.chdir(tmp_path)
    assert main(["play", "mage", "warrior", "--agents", f"cmd:{command},random"]) == 2
    assert message in capsys.readouterr().err


def test_play_ends_all_processes_of_a_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program that continues after its match is ended, with all processes it started."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv("PLANNER_TEST_MARK", mark)
    bot = tmp_path / "bot.sh"
    bot.write_text("sleep 1000 &\nread -r q\necho '{}'\nsleep 1000\n")
    agent = CommandAgent(f"cmd:sh {bot}", game("hearthstone"), 1)
    monkeypatch.delenv("PLANNER_TEST_MARK")
    begin = time.monotonic()
    agent.close()
    assert time.monotonic() - begin < 5
    assert left_behind(mark) == []


def test_no_process_is_left_if_the_other_agent_cannot_be_created(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = uuid.uuid4().hex
    monkeypatch.setenv("PLANNER_TEST_MARK", mark)
    with pytest.raises(PlannerError, match="cannot be started"):
        play_match(("cmd:sleep 1000", "cmd:./no_such_bot"), MatchSetup.of("mage", "warrior"), 1)
    monkeypatch.delenv("PLANNER_TEST_MARK")
    assert left_behind(mark) == []


def test_programs_end_when_the_tournament_is_killed(tmp_path: Path) -> None:
    """After `kill -9` the processes in between end the program and all processes it started."""
    bot = tmp_path / "bot.sh"
    bot.write_text(f"trap '' TERM INT HUP\nsleep 1000 &\ntouch {tmp_path}/begun\nsleep 1000\n")
    experiment = tmp_path / "x.yaml"
    experiment.write_text(f"agents: [random, 'cmd:sh {bot}']\ngames: 1\npairs: gauntlet\ndecks: [mage]\n")
    mark = uuid.uuid4().hex
    code = f"import sys; from planner.cli import main; main(['tournament', '{experiment}', '--out', '{tmp_path}/out'])"
    environment = {**os.environ, "PLANNER_TEST_MARK": mark}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.DEVNULL) as run:
        deadline = time.monotonic() + 30
        while not (tmp_path / "out" / "x" / "journal.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        (tmp_path / "begun").unlink(missing_ok=True)  # that was the trial before the first game
        while not (tmp_path / "begun").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert (tmp_path / "begun").exists()
        run.kill()
    assert left_behind(mark) == []


def test_program_that_dies_gets_a_second_chance(tmp_path: Path) -> None:
    """If the system kills the process, the match is played again."""
    bot = tmp_path / "bot.sh"
    once = tmp_path / "once"
    bot.write_text(f"[ -e {once} ] || {{ touch {once}; kill -9 $$; }}\n. {ROOT}/experiments/face.sh\n")
    experiment = replace(small("random", f"cmd:sh {bot}"), games=1)
    player = FixturePlayer(experiment)
    try:
        fixture = next(one for one in schedule(experiment) if 1 in one.agents)
        assert player.play(fixture).reason in ("damage", "fatigue")
    finally:
        player.close()
