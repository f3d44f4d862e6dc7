"""The core that a newcomer has to learn stays small, and a fact about minions is in few places."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.game import Game
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.rules.state_fields import MINION

PACKAGE = Path(__file__).resolve().parents[1] / "planner"
FILES = sorted(PACKAGE.rglob("*.py"))

# -- games


def test_the_core_of_a_game_has_at_most_16_methods() -> None:
    methods = [name for name, value in vars(Game).items() if callable(value) and not name.startswith("_")]
    assert {"start", "legal_actions", "apply", "outcome"} <= set(methods)
    assert len(methods) <= 16


def guesses(text: str) -> list[str]:
    """Return the calls that look for an attribute of a game instead of asking for a capability by its type."""
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and (node.func.id == "hasattr" or (node.func.id == "getattr" and len(node.args) == 3))
        and re.search(r"\bgame\w*\b", ast.unparse(node.args[0]))
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_capabilities_of_games_are_asked_for_by_type(path: Path) -> None:
    assert guesses(path.read_text(encoding="utf-8")) == []


def test_a_guess_is_found() -> None:
    assert guesses("if hasattr(game, 'plans'):\n    pass")
    assert guesses("plans = getattr(self.game, 'plans', None)")
    assert not guesses("plans = getattr(plan, 'bound', None)\nname = getattr(game, name)")


# -- minions

MOST_FILES = 5
SOURCES = {".py", ".cpp", ".hpp", ".js"}
HEARTHSTONE = PACKAGE / "games" / "hearthstone"
# Rules and search are about these fields; other games have fields of their own with the same names.
ABOUT_MINIONS = [
    HEARTHSTONE / "rules",
    HEARTHSTONE / "turn",
    HEARTHSTONE / "engine" / "rules",
    HEARTHSTONE / "engine" / "search",
    HEARTHSTONE / "engine" / "vanilla",
]
OTHERS = [
    path
    for path in sorted(PACKAGE.rglob("*"))
    if path.suffix in SOURCES
    and not any(path.is_relative_to(folder) for folder in ABOUT_MINIONS)
    and (path.is_relative_to(HEARTHSTONE) or "games" not in path.relative_to(PACKAGE).parts)
]


def own_fields() -> Iterator[tuple[str, str]]:
    """Yield key and name of the fields that a minion does not share with its card, such as `attack`."""
    for field in MINION.fields:
        if not field.of_card and field.name not in {*Card.__dataclass_fields__, "id", "card"}:
            yield field.key, field.name


def reads(text: str, key: str, name: str) -> bool:
    """Return whether the source text names the field: as an attribute, an argument, a string or for the engine."""
    either = f"(?:{key}|{name})"
    return re.search(rf"(?:\.|->){either}\b|\b{either}=(?!=)|[\"']{either}[\"']|FIELD\({either}\)", text) is not None


@pytest.mark.parametrize(("key", "name"), list(own_fields()))
def test_a_minion_field_is_known_in_few_files(key: str, name: str) -> None:
    named = [str(path.relative_to(PACKAGE)) for path in OTHERS if reads(path.read_text(encoding="utf-8"), key, name)]
    assert "games/hearthstone/engine/generated/fields.hpp" in named
    assert len(named) <= MOST_FILES, named


def test_the_fields_of_minions_are_counted() -> None:
    names = [name for _, name in own_fields()]
    assert {"max_health", "attacks_left", "fresh", "silenced", "keywords_this_turn"} <= set(names)


@pytest.mark.parametrize(
    "text",
    [
        "minion.fresh",
        "minion->fresh = true;",
        "minion._replace(fresh=False)",
        "{'summoned_this_turn': 1}",
        "FIELD(fresh)",
    ],
)
def test_a_field_is_found(text: str) -> None:
    assert reads(text, "summoned_this_turn", "fresh")


@pytest.mark.parametrize("text", ["a fresh start", "if fresh == old:", "card.freshness", "refresh_auras()"])
def test_another_word_is_not_a_field(text: str) -> None:
    assert not reads(text, "summoned_this_turn", "fresh")
