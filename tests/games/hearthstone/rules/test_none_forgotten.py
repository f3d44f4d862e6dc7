"""Every keyword, effect and trigger has a test of its own, named `test_WORD_...`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from planner.games.hearthstone.cards.effect_vocabulary import EFFECTS, TRIGGERS
from planner.games.hearthstone.cards.keywords import NAMES


def names_of_tests() -> list[str]:
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in Path(__file__).parent.glob("test_*.py"))
    functions = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return [node.name for node in functions if node.name.startswith("test_")]


@pytest.mark.parametrize("word", [*NAMES, *EFFECTS, *TRIGGERS])
def test_each_word_has_a_named_test(word: str) -> None:
    # `test_freeze_...` is about freeze; `test_windfury_...` does not cover mega windfury.
    assert any(name == f"test_{word}" or name.startswith(f"test_{word}_") for name in names_of_tests())
