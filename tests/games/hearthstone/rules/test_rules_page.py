"""docs/reference/rules.md names every keyword, effect, trigger, rule and schema, and only existing tests."""

from __future__ import annotations

import importlib
import re
from dataclasses import fields
from pathlib import Path

import pytest

from planner.games.hearthstone.cards.effect_vocabulary import EFFECTS, TRIGGERS
from planner.games.hearthstone.cards.keywords import NAMES
from planner.games.hearthstone.rules.ruleset import Ruleset
from tests.games.hearthstone.rules import test_formal_model

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")
SCHEMAS = [
    *("InitMinion", "Board", "PlayerState", "InitPlayerState", "P1NormalStart", "P2NormalStart", "P1DrawDeck"),
    *("P2DrawDeck", "TurnDraw", "TurnFatigue", "PassTurn", "SummonMinion: success", "SummonMinion: nothing changes"),
    *("MinionAttackPlayer: success", "MinionAttackPlayer: nothing changes", "MinionAttackMinion: success"),
    *("MinionAttackMinion: nothing changes", "P1Win", "P2Win", "Tie", "MatchEnd"),
]


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the tables under a heading."""
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_each_keyword_has_one_sentence() -> None:
    listed = {cells[0].strip("`"): cells[1] for cells in rows("Keywords")[1:]}
    assert tuple(listed) == NAMES
    assert all(text.count(".") == 1 for text in listed.values())


def test_each_effect_is_in_the_table_with_its_fields() -> None:
    table = {cells[0].strip("`"): cells[1] for cells in rows("Effects") if len(cells) == 3}
    for effect, (needed, optional) in EFFECTS.items():
        assert re.findall(r"`(\w+)`", table[effect]) == [*needed, *optional]
    assert all(f"`{trigger}`" in PAGE for trigger in TRIGGERS)


def test_the_table_of_rulesets_is_correct() -> None:
    table = {cells[0].strip("`"): cells[1:4] for cells in rows("Rulesets")[1:]}
    assert list(table) == [field.name for field in fields(Ruleset) if field.name != "name"]
    for column, name in enumerate(("standard", "thesis", "ha")):
        for rule, cells in table.items():
            value = getattr(Ruleset.of(name), rule)
            shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()
            assert cells[column] == shown, f"{name}: {rule}"


@pytest.mark.parametrize("schema", SCHEMAS)
def test_each_schema_names_a_function_and_a_test_that_exist(schema: str) -> None:
    found = next(cells for cells in rows("The formal model") if schema in (cells[0], *cells[0].split(", ")))
    for path in re.findall(r"`(\w[\w.]*)`", found[1]):
        if path in ("Play", "Attack"):
            continue
        module, *names = path.split(".")
        thing = importlib.import_module(f"planner.games.hearthstone.rules.{module}")
        for name in names:
            assert hasattr(thing, name) or name in getattr(thing, "_fields", ()), path
            thing = getattr(thing, name)
    tests = re.findall(r"`(test_\w+)`", found[2])
    assert tests
    assert all(hasattr(test_formal_model, name) for name in tests)
