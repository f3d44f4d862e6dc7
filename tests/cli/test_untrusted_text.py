"""Text from users must not control the terminal; odd paths and numbers are errors of one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from planner import play_match
from planner.cli import main
from planner.cli.console import console, json_text
from planner.errors import PlannerError, quote, stable_message
from planner.game import Outcome
from planner.games.hearthstone import GAME, Action, BaseAgent, MatchSetup, Ruleset, load_deck
from planner.games.hearthstone.turn.hearthstone_weights import Weights

CONTROL = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202e"
BAD = ("\x1b", "\x07", "\x9b", "\u202e")
ROOT = Path(__file__).resolve().parents[2]


def clean(text: str) -> bool:
    return not any(char in text for char in BAD)


def test_the_console_shows_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    console().print(f"a [/b] {CONTROL}")
    shown = capsys.readouterr().out
    assert "a [/b]" in shown
    assert clean(shown)
    assert clean(json_text({"name": CONTROL}))
    assert json.loads(json_text({"name": CONTROL + "\U000e0001"})) == {"name": CONTROL + "\U000e0001"}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with control characters in every kind of file."""
    control = json.dumps(CONTROL)
    cards = f"- {{name: {control}, cost: 1, attack: 1, health: 1, text: {control}}}\n"
    (tmp_path / "cards.yaml").write_text(cards, encoding="utf-8")
    deck = (ROOT / "decks" / "mage.yaml").read_text(encoding="utf-8").splitlines()
    deck = [f"name: {control}" if line.startswith("name:") else line for line in deck]
    (tmp_path / "deck.yaml").write_text("\n".join(deck), encoding="utf-8")
    weights = (ROOT / "weights" / "aggro_face.yaml").read_text(encoding="utf-8")
    lines = [line for line in weights.splitlines() if not line.startswith(("name:", "description:"))]
    style = "\n".join([f"description: {control}", *lines])
    (tmp_path / "style.yaml").write_text(style, encoding="utf-8")
    me = {"hero": {"health": 30}, "board": [{"name": CONTROL, "attack": 1, "health": 1}]}
    state = {"mana": 1, "me": me, "enemy": {"hero": {"health": 30}}}
    (tmp_path / "state.json").write_text(json.dumps(state), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["cards", "--cards", "cards.yaml"],
        ["play", "deck.yaml", "mage", "--agents", "random,random", "--seed", "1"],
        ["weights", "style.yaml"],
        ["plan", "state.json"],
        ["plan", "state.json", "--json"],
        ["plan", "state.json", "--explain"],
        ["plan", CONTROL],
    ],
    ids=" ".join,
)
def test_no_control_character_reaches_the_terminal(
    arguments: list[str], hostile: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(hostile)
    main([*arguments, "--no-color"])
    out, err = capsys.readouterr()
    assert out + err
    assert clean(out + err)


class Loud(BaseAgent):
    """Raises an error with control characters and a memory address."""

    name = "loud"

    def act(self, state: object) -> Action:
        raise ValueError(f"{CONTROL} {object()} " + "x" * 5000)


class Odd(BaseAgent):
    """Returns an object that is not an action, and whose text contains a memory address."""

    name = "odd"

    def act(self, state: object) -> Action:
        return object()  # type: ignore[return-value]


def test_the_error_of_an_agent_is_short_clean_and_reproducible() -> None:
    def ended(agent: object) -> Outcome:
        setup = MatchSetup.of("mage", "mage")
        return play_match((agent, "random"), setup, seed=1).outcome  # type: ignore[arg-type]

    reasons = [ended(agent()).reason for agent in (Loud, Odd)]
    assert all(clean(reason) and "0x" not in reason and len(reason) <= 200 for reason in reasons)
    assert reasons == [ended(agent()).reason for agent in (Loud, Odd)]
    assert stable_message("<a.B object at 0x7fff12> said\x1b[1m") == "<a.B object> said?[1m"
    assert quote(object()) == "<object object>"


@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "a\0b.yaml", "mage"],
        ["play", "mage", "mage", "--rules", "a\0b.yaml"],
        ["plan", "a\0b"],
        ["plan", "{lethal}", "--weights", "a\0b.yaml"],
        ["plan", "{lethal}", "--write-lp", "a\0b"],
        ["weights", "a\0b.yaml"],
        ["replay", "a\0b"],
        ["tournament", "a\0b.yaml"],
        ["cards", "--cards", "a\0b.yaml"],
        ["plan", "/dev/zero"],
        ["weights", "/dev/zero"],
        ["play", "/dev/zero.yaml", "mage"],
        ["plan", "{lethal}", "-k", "100000"],
        ["plan", "x" * 3000],
        ["play", "x" * 3000, "mage"],
        ["play", "mage", "mage", "--agents", "x" * 3000 + ",random"],
        ["play", "mage", "mage", "--rules", "{{board_limit: 1000000}}"],
        ["weights", "x" * 3000],
        ["cards", "x" * 3000],
        ["solvers", "x" * 3000],
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_errors_are_one_short_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lethal = str(ROOT / "experiments" / "states" / "lethal.json")
    assert main([one.replace("{lethal}", lethal).replace("{{", "{").replace("}}", "}") for one in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert len(err) <= 300


def test_an_endless_stream_is_cut() -> None:
    program = "import sys; from planner.cli import main; sys.exit(main())"
    with open("/dev/zero", "rb") as zeros:
        found = subprocess.run(
            [sys.executable, "-c", program, "plan", "-"], stdin=zeros, capture_output=True, text=True, check=False,
            timeout=60,
        )  # fmt: skip
    assert (found.returncode, found.stdout, found.stderr) == (
        2,
        "",
        "error: stdin: is larger than the limit of 64 MB\n",
    )


def test_the_linear_program_on_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["plan", str(ROOT / "experiments" / "states" / "lethal.json"), "--write-lp", "-"]) == 0
    out, err = capsys.readouterr()
    assert (out.rstrip().endswith("End"), err, os.listdir(tmp_path)) == (True, "", [])


def test_huge_numbers_are_errors() -> None:
    card = {"cost": 1, "attack": 1, "health": 1, "value": 5e-324}
    state = {"mana": 1, "me": {"hero": {"health": 30}, "hand": [card]}, "enemy": {"hero": {"health": 30}}}
    for read in (
        lambda: Weights.of({"lethal": 10**400}),
        lambda: Weights.of({"lethal": 10**5000}),
        lambda: GAME.state_from_json(state),
        lambda: GAME.state_from_json({**state, "mana": 10**5000}),
        lambda: Ruleset.of("{board_limit: 1000000}"),
        lambda: load_deck("a\0b.yaml"),
    ):
        with pytest.raises(PlannerError) as refusal:
            read()
        assert len(str(refusal.value)) <= 300


def test_a_rule_with_a_huge_number_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "style.yaml"
    text = (ROOT / "weights" / "aggro_face.yaml").read_text(encoding="utf-8")
    for number in ("1" + "0" * 400, "1" + "0" * 5000, "1e400", "5e-324"):
        path.write_text(f"{text}\nforbid: [{{trade_below: {number}}}]\n", encoding="utf-8")
        with pytest.raises(PlannerError) as refusal:
            Weights.of(str(path))
        assert len(str(refusal.value)) <= 300
