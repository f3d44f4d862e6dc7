"""The commands do what their help says, and the help of every command has an example."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from planner.cli import app, main
from planner.games.hearthstone.cards.decks import deck_names

LETHAL = Path(__file__).resolve().parents[2] / "experiments" / "states" / "lethal.json"
RUNNER = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})


def run(*arguments: str) -> str:
    result = RUNNER.invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    command = typer.main.get_command(app) if command is None else command
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, (*path, name))


ALL = list(commands())


@pytest.mark.parametrize(("path", "command"), ALL, ids=[" ".join(path) or "planner" for path, _ in ALL])
def test_every_command_has_help_with_an_example(path: tuple[str, ...], command: Any) -> None:
    text = run(*path, "--help")
    assert len(command.help or "") > 20
    assert "Usage:" in text
    assert f"planner {' '.join(path)}".strip() in text.split("Example", 1)[1]
    for parameter in command.params:
        assert parameter.help, f"{path}: {parameter.name} has no help"


def words_of(text: str) -> list[str]:
    return re.findall(r"[\w'{}\[\]<>=-]+", text)


@pytest.mark.parametrize(("path", "command"), ALL[1:], ids=[" ".join(path) for path, _ in ALL[1:]])
def test_the_help_contains_every_word_of_its_source(path: tuple[str, ...], command: Any) -> None:
    """rich would swallow `[own_attack, ...]` as a style."""
    shown = run(*path, "--help")
    plain = re.sub(r"[\s│]+", "", shown)
    for source in (command.help, *(parameter.help for parameter in command.params)):
        for word in words_of(re.sub(r"\\(?=\[)", "", source or "")):
            assert word in plain, f"{word!r} is missing"
    assert len(words_of(shown)) > 10


def test_the_commands_are_grouped() -> None:
    groups = re.findall(r"^([A-Z][a-z ]+):$", run("--help"), re.MULTILINE)
    assert groups == ["Options", "Plan", "Play and watch", "Studies", "Cards and decks", "Service", "Tools", "Examples"]


def test_well_known_commands_exist() -> None:
    assert {"play", "replay", "decks", "cards", "bench"} <= {path[0] for path, _ in ALL if path}


def test_play_shows_a_match() -> None:
    command = ("play", "mage", "warrior", "--agents", "greedy,random", "--seed", "7", "--no-color")
    text = run(*command)
    assert text == run(*command)
    lines = text.splitlines()
    assert lines[0] == "Mage is played by greedy"
    assert any(line.startswith("Before the first turn: Warrior ") for line in lines)
    assert any(line.startswith("Turn 1: Mage ") for line in lines)
    assert "Warrior  health 30, hand 5, deck 26" in lines
    assert re.search(r"> +\S.* attacks Warrior \(\d+(\+\d+)? -> -?\d+(\+\d+)?\)", text)
    assert re.search(r"╔═.*═╗", text)  # a taunt minion
    assert re.fullmatch(r"Mage \(greedy\) wins by damage after \d+ rounds\.", lines[-1])
    assert max(map(len, lines)) <= 100
    assert "\x1b" not in text


def test_agents_have_defaults() -> None:
    assert run("play", "starter", "--game", "spire", "--quiet").startswith("player (lookahead) ")
    assert run("play", "mage", "warrior", "--quiet").split("(")[1].startswith(("true_balanced", "greedy"))


def test_play_in_colour() -> None:
    result = CliRunner(env={"COLUMNS": "100", "FORCE_COLOR": "1", "NO_COLOR": None, "TERM": "xterm-256color"}).invoke(
        app, ["play", "mage", "warrior", "--seed", "7"]
    )
    assert "\x1b[" in result.stdout


@pytest.mark.parametrize("name", deck_names())
def test_every_deck_can_be_shown(name: str) -> None:
    text = run("play", name, name, "--agents", "greedy,greedy", "--no-color")
    assert "Turn 2: " in text
    assert text.splitlines()[-1].endswith("rounds.")


def test_quiet_and_json(tmp_path: Path) -> None:
    log = tmp_path / "match.json"
    text = run("play", "hunter", "druid", "--quiet", "--json", str(log), "--rules", "thesis")
    assert len(text.splitlines()) == 1
    printed = json.loads(run("play", "hunter", "druid", "--json", "-", "--rules", "thesis"))
    written = json.loads(log.read_text(encoding="utf-8"))
    assert [turn["turn"] for turn in printed["turns"]] == [turn["turn"] for turn in written["turns"]]
    summary = run("replay", str(log))
    assert "all correct" in summary
    assert "Turn 1: Hunter" in run("replay", str(log), "--show")


def test_replay_of_an_action_for_a_dead_minion_ends_with_2(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log = json.loads(run("play", "hunter", "druid", "--json", "-"))
    log["turns"][6]["moves"][0]["action"] = {"type": "attack", "attacker": "p1.99", "target": "enemy.hero"}
    path = tmp_path / "dead.json"
    path.write_text(json.dumps(log), encoding="utf-8")
    assert main(["replay", str(path)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "turn 5, action 1 (" in err
    assert "p1.99 is not on your board" in err
    assert len(err.splitlines()) == 1


def test_replay_of_a_changed_log_ends_with_2(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log = json.loads(run("play", "hunter", "druid", "--json", "-"))
    log["turns"][6]["moves"][0]["digest"] = "f" * 16
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(log), encoding="utf-8")
    assert main(["replay", str(path)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "turn 5, action 1 (" in err
    assert len(err.splitlines()) == 1


def test_decks_lists_every_deck() -> None:
    text = run("decks")
    assert all(name in text for name in deck_names())


def test_cards_finds_by_words() -> None:
    assert "Wolfrider" in run("cards", "wolfrider")
    found = run("cards", "paladin divine shield")
    assert "Tirion Fordring" in found
    assert "Wolfrider" not in found
    assert "Silver Hand Recruit" in run("cards", "silver hand", "--tokens")


def test_bench_rules_measures() -> None:
    lines = run("bench", "rules", "--seconds", "0.2").splitlines()
    assert [line.split(": ")[0] for line in lines] == ["rules of tournaments", "readable referee", "whole matches"]
    assert all(re.search(r": \d+ matches/s, \d+ actions/s \(\d+ matches of \d+ actions", line) for line in lines)


def test_version() -> None:
    assert re.fullmatch(r"planner \d+\.\d+\.\d+\S*\n", run("--version"))


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["weights"], "name"), (["weights", "--game", "spire"], "name"), (["solvers"], "name"), (["decks"], "name"),
        (["cards", "wolf"], "name"), (["report", "thesis"], "p1_profile"), (["report", "spire"], "scenario"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_lists_can_be_read_by_programs(arguments: list[str], field: str) -> None:
    rows = list(csv.DictReader(StringIO(run(*arguments, "--csv"))))
    assert rows
    assert all(row[field] for row in rows)
    listed = json.loads(run(*arguments, "--json"))
    if arguments[0] == "report":
        listed = listed.get("matrix") or listed["summary"]
    assert [str(entry[field]) for entry in listed] == [row[field] for row in rows]


def test_a_number_as_game_gives_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "results/thesis", "--game", "12"]) == 2
    error = capsys.readouterr().err
    assert "use --number 12" in error
    assert error.count("\n") == 1


def test_k_counts_all_turns() -> None:
    plan = json.loads(run("plan", str(LETHAL), "--json", "-k", "2"))
    assert len(plan["next_best"]) == 1


def on_terminal(*arguments: str, **environment: str) -> str:
    """Return what a command prints on a terminal of 40 columns."""
    ours, theirs = pty.openpty()
    kept = {key: value for key, value in os.environ.items() if key not in ("LC_ALL", "LANG", "NO_COLOR", "TERM")}
    command = [str(Path(sys.executable).with_name("planner")), *arguments]
    process = subprocess.Popen(
        command, stdout=theirs, stderr=theirs, env={**kept, "COLUMNS": "40", "TERM": "xterm", **environment}
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait() == 0
    return shown.decode()


def test_colours_are_used_only_where_they_are_allowed() -> None:
    assert "\x1b[1m" in on_terminal("weights", "aggro_face")
    assert "\x1b" not in on_terminal("weights", "aggro_face", NO_COLOR="1")
    assert "\x1b" not in on_terminal("weights", "aggro_face", "--no-color")


def test_frames_are_ascii_in_the_c_locale() -> None:
    shown = on_terminal("plan", str(LETHAL), "--no-color", LC_ALL="C")
    assert "+-Magma Rager-+" in shown
    assert shown.isascii()
    assert "?" not in shown


def test_no_weight_is_lost_on_a_narrow_terminal() -> None:
    shown = on_terminal("weights", "--no-color")
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 40


def test_cards_and_setups_of_every_game_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert [row["name"] for row in json.loads(run("cards", "bandit", "--game", "dominion", "--json"))] == ["Bandit"]
    assert "Deal 6 damage" in run("cards", "strike", "--game", "spire")
    assert "starter" in run("decks", "--game", "spire")
    assert main(["cards", "nonsense", "--game", "spire"]) == 2
    assert "no card of spire contains 'nonsense'" in capsys.readouterr().err
    assert main(["cards", "--real"]) == 2
    assert "--real: " in capsys.readouterr().err


def test_shells_can_complete_commands() -> None:
    assert "--install-completion" in run("--help")
    planner = str(Path(sys.executable).with_name("planner"))
    environment = {**os.environ, "COMP_WORDS": "planner pla", "COMP_CWORD": "1", "_PLANNER_COMPLETE": "complete_bash"}
    shown = subprocess.run([planner], env=environment, capture_output=True, text=True, check=False).stdout
    assert shown.split() == ["plan", "play", "playtest"]
