"""Randomly damaged files of every other kind, requests and Power logs, as in test_fuzz.py.

Damage is to characters, to values, or to structure: lines are dropped, doubled or swapped, and entities are renamed.
The long version has 5,000 cases.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from planner import play_match
from planner.cli import main
from planner.errors import PlannerError
from planner.file_kinds import file_kinds
from planner.games import game as game_by_name
from planner.games.deckbuilder.definition_reader import LIBRARY, read_definition
from planner.games.deckbuilder.menu_bots import read_menu
from planner.games.hearthstone import GAME, MatchSetup, load_deck
from planner.games.hearthstone.cards.deck_codes import deck_from_code, deck_to_code
from planner.games.hearthstone.logs.match_review import review_match
from planner.games.hearthstone.logs.power_log import read_log
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.match_options import Adjudication, Resign, read_positions
from planner.protocol.lines import answer_line
from planner.tuning.tuning_task import load_tuning
from tests.games.hearthstone.logs import sample
from tests.test_fuzz import MAX_MESSAGE, ROOT, accepts, damaged_data, damaged_text, files, logs_of
from tests.test_fuzz import read_log as replay_log

SPIRE = ROOT / "planner" / "games" / "spire" / "data"
LETHAL = json.loads((ROOT / "experiments" / "states" / "lethal.json").read_text(encoding="utf-8"))


# -- structure


def restructured(rng: Random, lines: list[str]) -> list[str]:
    """Drop, double, swap and move lines, and give entities other numbers."""
    lines = list(lines)
    for _ in range(rng.choice((1, 2, 3, 6))):
        if not lines:
            break
        first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
        kind = rng.randrange(7)
        if kind == 0:
            del lines[first : first + rng.choice((1, 1, 3, 20))]
        elif kind == 1:
            lines[first:first] = lines[first : first + rng.choice((1, 1, 5))]
        elif kind == 2:
            lines[first], lines[second] = lines[second], lines[first]
        elif kind == 3:
            lines.insert(second, lines.pop(first))
        elif kind == 4:
            old, new = str(rng.randrange(1, 30)), str(rng.choice((0, 1, 2, 3, 7, 99, -1, 10**9)))
            pattern = re.compile(rf"\b(Entity|ID|EntityID|Target|value)={old}\b")
            lines = [pattern.sub(rf"\g<1>={new}", line) for line in lines]
        elif kind == 5:
            lines[first] = re.sub(r"(tag|value|CardID|BlockType)=\w*", rf"\1={rng.choice(_WORDS)}", lines[first])
        else:
            lines[first] = damaged_text(rng, lines[first])
    return lines


_WORDS = ("", "ZONE", "PLAY", "HAND", "DECK", "HEALTH", "DAMAGE", "CONTROLLER", "-5", "99999999999", "CS2_029", "x\\ty",
          "MULLIGAN_STATE", "TURN", "NUM_TURNS_IN_PLAY", "CARDTYPE", "MINION", "WEAPON", "STATE", "COMPLETE")  # fmt: skip


def power_logs(rng: Random, count: int, folder: Path) -> int:
    pytest.importorskip("hslog")
    good = 0
    path = folder / "Power.log"
    originals = [sample.text().splitlines()]
    if count > 100 and sample.LOGS.is_dir():
        recorded = (
            gzip.decompress(log.read_bytes()).decode("utf-8", "replace") for log in sorted(sample.LOGS.iterdir())
        )
        originals += [text.splitlines()[:4000] for text in recorded]
    for _ in range(count):
        lines = restructured(rng, rng.choice((originals[0], rng.choice(originals))))
        path.write_bytes("\n".join(lines).encode("utf-8", "replace"))
        good += accepts(f"log {lines!r}"[-1500:], lambda: _review(path))
    return good


def _review(path: Path) -> None:
    for match in read_log(path):
        json.dumps(review_match(match, Weights.of("champion_standard")).to_dict())


# -- files


def structured_files(rng: Random, count: int, folder: Path, given: list[Path], read: Callable[[Path], object]) -> int:
    """Damage the values of YAML documents, which then stay YAML."""
    documents = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in given]
    path, good = folder / "mine.yaml", 0
    for _ in range(count):
        document = damaged_data(rng, rng.choice(documents))
        path.write_bytes(yaml.safe_dump(document, allow_unicode=True).encode("utf-8", "replace"))
        good += accepts(repr(document)[:1500], lambda: read(path))
    return good


def both(given: list[Path], read: Callable[[Path], object]) -> Callable[[Random, int, Path], int]:
    """Return the cases of one kind of file: damaged as text, and as data."""

    def run(rng: Random, count: int, folder: Path) -> int:
        half = count // 2
        return files(rng, count - half, folder, given, read) + structured_files(rng, half, folder, given, read)

    return run


def reader(game: str, kind: str) -> Callable[[Path], object]:
    """Return how `planner check` reads this kind of file."""
    file_kind = next(entry for entry in file_kinds(game_by_name(game)) if entry.name == kind)
    return lambda path: file_kind.read(path, "")


def positions(rng: Random, count: int, folder: Path) -> int:
    record = play_match(("random", "random"), MatchSetup.of("mage", "warrior"), 3)
    given = folder / "given.txt"
    states = [state for state in record.states if state.turn > 2][::9]
    lines = [*map(GAME.state_to_text, states), json.dumps(GAME.state_to_json(states[0]))]
    given.write_text("\n".join(lines), encoding="utf-8")
    return files(rng, count, folder, [given], lambda path: read_positions(GAME, path))


def logs(rng: Random, count: int, folder: Path) -> int:
    rules = Adjudication(9, Resign(2, 0.8))
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
    record = play_match(("greedy", "random"), setup, 4, digests=True, adjudication=rules)
    path = folder / "adjudicated.json"
    path.write_text(json.dumps(record.to_dict()), encoding="utf-8")
    given = [path, *logs_of(folder)]
    half = count // 2
    return files(rng, count - half, folder, given, replay_log) + structured_files(
        rng, half, folder, given, _replay_data
    )


def _replay_data(path: Path) -> None:
    path = path.rename(path.with_suffix(".json"))
    path.write_text(json.dumps(yaml.safe_load(path.read_text(encoding="utf-8")), default=str), encoding="utf-8")
    replay_log(path)


def scenarios(rng: Random, count: int, folder: Path) -> int:
    given = folder / "given.yaml"
    setup = game_by_name("spire").setup_from_words(["starter"])
    given.write_text(yaml.safe_dump(game_by_name("spire").setup_to_json(setup)), encoding="utf-8")
    return both([given], reader("spire", "scenario"))(rng, count, folder)


# -- text


def deck_codes(rng: Random, count: int, _: Path) -> int:
    codes = [deck_to_code(load_deck(name)) for name in ("mage", "warrior", "hunter")]
    codes += [f"### Mine\n# Class: Mage\n# 2x (1) Wisp\n#\n{codes[0]}\n# comment\n"]
    good = 0
    for _ in range(count):
        text = damaged_text(rng, rng.choice(codes))
        good += accepts(repr(text)[:1500], lambda text=text: deck_from_code(text))  # type: ignore[misc]
    return good


_REQUESTS: tuple[dict[str, Any], ...] = (
    {"id": 1, "state": LETHAL, "weights": "aggro_face", "k": 2, "effort": 200, "explain": True},
    {
        "request": "turn",
        "state": LETHAL,
        "actions": [{"type": "attack", "attacker": "me.board.0", "target": "enemy.hero"}],
    },
    {"request": "decide", "state": LETHAL, "agent": "greedy", "seed": 1},
    {"request": "judge", "state": LETHAL, "actions": [{"type": "end_turn"}], "weights": {"lethal": 5}},
    {"request": "cards", "q": "wolf"},
    {"request": "deck_code", "code": "AAEBAf0EAA=="},
    {"request": "weights"},
    {"request": "review", "log": sample.text()[:3000]},
)


def requests(rng: Random, count: int, _: Path) -> int:
    """Answer lines of the pipe; HTTP requests contain the same objects."""
    good = 0
    for _ in range(count):
        request = rng.choice(_REQUESTS)
        line = json.dumps(damaged_data(rng, request)) if rng.random() < 0.6 else damaged_text(rng, json.dumps(request))

        def answer(line: str = line) -> None:
            result = json.loads(json.dumps(answer_line(line.encode("utf-8", "replace"), 2)))
            if "error" in result:
                assert not result["error"].startswith("the planner failed"), result
                raise PlannerError(result["error"])

        good += accepts(line[:1500], answer)
    return good


BUILDERS = sorted(LIBRARY.glob("*/*.yaml"))
BOTS = sorted(LIBRARY.glob("dominion/bots/*.yaml"))
KINDS: dict[str, tuple[int, int, Callable[[Random, int, Path], int]]] = {  # cases by default, in the long version
    "searches": (6, 200, both(sorted(ROOT.glob("experiments/tune_*.yaml")), load_tuning)),
    "positions": (6, 300, positions),
    "logs": (4, 300, logs),
    "Power logs": (12, 1000, power_logs),
    "deck-building games": (3, 400, both(BUILDERS, read_definition)),
    "bots": (20, 400, both(BOTS, lambda path: read_menu(path, read_definition_once()))),
    "Spire cards": (6, 400, both([SPIRE / "cards.yaml", SPIRE / "statuses.yaml"], reader("spire", "cards"))),
    "scenarios": (8, 300, scenarios),
    "deck codes": (30, 500, deck_codes),
    "requests": (40, 1000, requests),
}


def read_definition_once() -> Any:
    return game_by_name("dominion").definition  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_input_is_an_error_of_one_line(kind: str, tmp_path: Path) -> None:
    count, _, run = KINDS[kind]
    assert run(Random(f"default {kind}"), count, tmp_path) <= count


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_five_thousand_cases(kind: str, tmp_path: Path) -> None:
    _, count, run = KINDS[kind]
    assert run(Random(f"long {kind}"), count, tmp_path) < count


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.long)])
def test_check_never_fails_otherwise(part: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`planner check` finds the kind of any file by itself."""
    rng = Random(f"check {part}")
    given = [*ROOT.glob("weights/*.yaml"), *ROOT.glob("decks/*.yaml"), *ROOT.glob("experiments/*.yaml"), *BOTS]
    texts = [path.read_text(encoding="utf-8") for path in sorted(given)]
    for _ in range(200 if part else 5):
        path = tmp_path / "mine.yaml"
        path.write_bytes(damaged_text(rng, rng.choice(texts)).encode("utf-8", "replace"))
        assert main(["check", str(path)]) in (0, 1, 2)
        shown = capsys.readouterr()
        assert "Traceback" not in shown.out + shown.err
        assert all(len(line) <= MAX_MESSAGE + len(str(path)) for line in shown.err.splitlines())
