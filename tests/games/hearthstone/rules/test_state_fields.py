"""The description of the fields: it covers every field of a state, and reader, writer, schema and text form follow it."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import jsonschema_rs
import pytest

from planner.errors import PlannerError
from planner.games.hearthstone.cards.field_kinds import COUNT
from planner.games.hearthstone.rules import state_fields, state_reader, state_text, state_writer
from planner.games.hearthstone.rules.entities import Entity, Field
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player, Weapon
from planner.games.hearthstone.rules.state_fields import (
    HAND_CARD,
    HERO,
    MINION,
    PLAYER,
    STATE,
    WEAPON,
)
from planner.games.hearthstone.rules.state_json import state_from_dict, state_to_dict
from planner.games.hearthstone.rules.state_text import state_from_text, state_to_text

DESCRIBED: dict[type[Any], Entity] = {
    Minion: MINION,
    Weapon: WEAPON,
    Hero: HERO,
    HandCard: HAND_CARD,
    Player: PLAYER,
    GameState: STATE,
}


@pytest.mark.parametrize("kind", DESCRIBED, ids=lambda kind: kind.__name__)
def test_every_field_of_a_tuple_is_described(kind: type[Any]) -> None:
    described = {field.name for field in DESCRIBED[kind].fields if not field.of_card}
    only_in_json = {"mana", "finished", "cards"} if kind is GameState else set()
    assert described == {*kind._fields, *only_in_json}


# A `Minion` with one more field, at its end.
LargerMinion = namedtuple(  # type: ignore[misc]
    "LargerMinion", (*Minion._fields, "new_field"), defaults=(*Minion._field_defaults.values(), 0)
)


@pytest.fixture
def _a_new_field(monkeypatch: pytest.MonkeyPatch) -> None:
    entity = Entity(LargerMinion, *MINION.fields, Field("new_field", COUNT, 0))
    for module in (state_fields, state_reader, state_text, state_writer):
        monkeypatch.setattr(module, "MINION", entity)
    for module in (state_reader, state_writer):
        monkeypatch.setattr(module, "Minion", LargerMinion)


def with_minion(**fields: Any) -> dict[str, Any]:
    minion = {"id": "m", "name": "Minion", "attack": 2, "health": 3, "keywords": [], "attacks_left": 1, **fields}
    me = {"hero": {"health": 30, "armor": 0}, "board": [minion], "hand": []}
    return {"mana": 1, "me": me, "enemy": {"hero": {"health": 30, "armor": 0}, "board": []}}


@pytest.mark.usefixtures("_a_new_field")
def test_a_new_field_is_read_written_described_and_in_the_text_form() -> None:
    state = state_from_dict(with_minion(new_field=7))
    assert state.me.board[0].new_field == 7  # type: ignore[attr-defined]
    assert state_to_dict(state) == with_minion(new_field=7)
    assert state_to_dict(state_from_dict(with_minion())) == with_minion()
    line = "1 mana | me 30hp: Minion 2/3 #m new_field=7 | enemy 30hp"
    assert state_to_text(state) == line
    assert state_from_text(line) == state
    validator = jsonschema_rs.validator_for(state_fields.state_schema())
    assert validator.is_valid(with_minion(new_field=7))
    assert not validator.is_valid(with_minion(new_field=-1))
    with pytest.raises(PlannerError, match=r"^me\.board\[0\]\.new_field: must be between 0 and 1000000, got -1$"):
        state_from_dict(with_minion(new_field=-1))


def test_without_its_description_a_field_is_unknown() -> None:
    with pytest.raises(PlannerError, match=r"^me\.board\[0\]: unknown field 'new_field'"):
        state_from_dict(with_minion(new_field=7))
