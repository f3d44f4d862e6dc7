"""The generated readers of plain objects judge every state as the reader that goes field by field does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from planner.bench.benchmark_positions import load_positions, random_positions
from planner.errors import PlannerError
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.rules import state_reader
from planner.games.hearthstone.rules.entities import Entity
from planner.games.hearthstone.rules.state_fields import HAND_CARD, HERO, MINION, PLAYER, STATE
from planner.games.hearthstone.rules.state_json import state_from_dict, state_to_dict
from tests.games.hearthstone.generated import random_state
from tests.games.hearthstone.rules.entries import SMALL, mine, minimal
from tests.games.hearthstone.rules.test_codec_refused import REFUSED
from tests.test_fuzz import damaged_data

ENTITIES = (STATE, PLAYER, HERO, MINION, HAND_CARD)


@pytest.fixture
def field_by_field(monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    def read(data: Any, cards: Catalogue | None = None) -> object:
        with monkeypatch.context() as patch:
            for entity in ENTITIES:
                patch.setattr(entity, "plain_reader", lambda *_: None)
            return judgement(data, cards)

    return read


def judgement(data: Any, cards: Catalogue | None = None) -> object:
    try:
        state = state_from_dict(data, cards)
    except PlannerError as error:
        return str(error)
    known = [
        (type(card.value), card.value, card.text, card.dbf)
        for player in (state.me, state.enemy)
        for card in [*(minion.card for minion in player.board), *(held.card for held in player.hand)]
    ]
    return state, known, [type(value) for player in state[:2] for minion in player.board for value in minion]


def shuffled(rng: Random, data: Any) -> Any:
    """Return the same data with the keys of its objects in another order, and some of them left out."""
    if isinstance(data, list):
        return [shuffled(rng, value) for value in data]
    if not isinstance(data, dict):
        return data
    keys = [key for key in data if rng.random() < 0.95]
    return {key: shuffled(rng, data[key]) for key in rng.sample(keys, len(keys))}


def states(rng: Random, count: int) -> Iterator[dict[str, Any]]:
    recorded = [state_to_dict(state) for _, state in load_positions("recorded")[::10]]
    recorded += [state_to_dict(state) for _, state in load_positions("texts")[::5]]
    recorded += [state_to_dict(state) for _, state in random_positions("mixed", 5, 20)]
    for number in range(count):
        yield recorded[number % len(recorded)] if number % 2 else state_to_dict(random_state(rng))


@pytest.mark.parametrize("change", [lambda _, data: data, shuffled, damaged_data], ids=["valid", "shuffled", "damaged"])
def test_both_ways_of_reading_agree(
    change: Callable[[Random, Any], Any], field_by_field: Callable[..., object]
) -> None:
    rng = Random(20261118)
    accepted = 0
    for data in states(rng, 250):
        changed = change(rng, data)
        expected = field_by_field(changed)
        assert judgement(changed) == expected, changed
        accepted += not isinstance(expected, str)
    assert accepted > 10


FURTHER = [
    (mine(board=[{"attack": 1, "health": 2, "max_health": 1}]), "me.board[0].max_health: must be at least"),
    (mine(hand=[{"cost": 1, "attack": 1, "health": 0}]), "me.hand[0].health: must be at least 1"),
    (
        minimal(
            me={"hero": {"health": 1}, "deck": 5},
            enemy={"hero": {"health": 1}, "board": [{"id": "me.deck.3", "attack": 1, "health": 1}]},
        ),
        "enemy.board[0].id: duplicate id 'me.deck.3', also used by me.deck[3]",
    ),
]


@pytest.mark.parametrize(("data", "message"), [*REFUSED, *FURTHER])
def test_an_invalid_object_is_refused_with_the_same_message(
    data: Any, message: str, field_by_field: Callable[..., object]
) -> None:
    expected = field_by_field(data, SMALL)
    assert isinstance(expected, str)
    assert judgement(data, SMALL) == expected
    assert expected.startswith(message)


@pytest.mark.parametrize("source", ["recorded", "crowded"])
def test_the_states_of_the_benchmark_are_plain(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    by_field = state_reader.StateReader._fields

    def fields(self: Any, entity: Entity, entry: Any, path: str) -> Any:
        read.append(path)
        return by_field(self, entity, entry, path)

    monkeypatch.setattr(state_reader.StateReader, "_fields", fields)
    for _, state in load_positions(source)[::7]:
        assert state_from_dict(state_to_dict(state)) == state
    assert read == []
    state_from_dict(mine(board=[{"name": "Chillwind Yeti", "tribes": ["beast"]}]))
    assert read == ["me.board[0]"]


def test_a_card_of_a_state_does_not_stay_for_the_next_state() -> None:
    """The readers are kept between states; what they look up is not."""
    named = mine(board=["Bear"]) | {"cards": [{"name": "Bear", "attack": 5, "health": 6}]}
    with_numbers = mine(board=[{"name": "Bear", "attack": 1, "health": 2}])
    for _ in range(2):
        own = state_from_dict(with_numbers | {"cards": named["cards"]}).me.board[0]
        assert (own.card.attack, own.attack, own.max_health) == (5, 1, 6)
        unlisted = state_from_dict(with_numbers).me.board[0]
        assert (unlisted.card.attack, unlisted.attack, unlisted.max_health) == (1, 1, 2)
        other = {"name": "Bear", "attack": 2, "health": 2}
        assert state_from_dict(named | {"cards": [other]}).me.board[0].attack == 2


def test_a_subclass_of_dict_is_not_a_plain_object() -> None:
    class Minion(dict[str, Any]):
        """Its `values` may be anything."""

        def values(self) -> Any:
            return [1, 1]

    (minion,) = state_from_dict(mine(board=[Minion(attack=2, health=3)])).me.board
    assert (minion.attack, minion.health) == (2, 3)
