"""The engine's reader of the JSON form against the one in Python: equal states, nothing read that is refused there."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest

from planner.bench.fresh import fresh_positions
from planner.bench.states import load_positions
from planner.files import PlannerError
from planner.games.hearthstone.cards.catalogue import LONGEST_TEXT
from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.engine.reader import read_plain
from planner.games.hearthstone.rules import codec
from planner.games.hearthstone.rules.codec import state_to_dict
from planner.games.hearthstone.rules.codec_fields import (
    HELD_FIELDS,
    HERO_FIELDS,
    MINION_FIELDS,
    MY_FIELDS,
    STATE_FIELDS,
)
from planner.games.hearthstone.rules.state import GameState
from tests.games.hearthstone.generated import random_state

pytestmark = pytest.mark.skipif(not available(), reason="the engine is not compiled")
FIELDS = sorted(STATE_FIELDS | MY_FIELDS | HERO_FIELDS | MINION_FIELDS | HELD_FIELDS)
VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2, 7, 30, 10**6, 10**6 + 1, 10**30, 0.5, 1.0, float("nan"), float("inf"), "", "?",
    "new.3", "new.0", "new.1000001", "CS2_182", "90", "Murloc Warleader",
    "x" * LONGEST_TEXT, "x" * (LONGEST_TEXT + 1),
    "Wisp", "Fireball", "Fiery War Axe", "Life Tap", "Nobody", "me.hero", "me.board.0", "me.deck.1", "mage", "neutral",
    "thesis", "standard", [], ["taunt"], ["windfury", "frozen"], ["tount"], [1], {}, {"name": "Wisp"},
    {"attack": 1, "health": 1}, [{"attack": 2, "health": 3}], [{"name": "Wisp"}] * 2, ("taunt",),
)  # fmt: skip


def read_in_python(mapping: dict[str, Any]) -> GameState | None:
    try:
        return codec.state_from_dict(mapping)
    except PlannerError:
        return None


def objects_in(value: Any) -> list[dict[str, Any]]:
    found = [value] if isinstance(value, dict) else []
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return found + [one for part in parts for one in objects_in(part)]


def exactly(state: GameState | None) -> str:
    """All of a state; unlike equality it tells 1 from 1.0 and true."""
    return repr(state)


@pytest.mark.parametrize("which", ["mixed", "crowded", "recorded"])
def test_plain_states_are_read_by_the_engine_and_equal(which: str) -> None:
    positions = load_positions(which) if which == "recorded" else fresh_positions(which, 9, 100)
    for _, state in positions:
        assert exactly(read_plain(state_to_dict(state))) == exactly(state)


@pytest.mark.parametrize("key", ["id", "name"])
@pytest.mark.parametrize("sign", ["x", "\U0001f409"])
def test_both_hold_the_same_bound_of_texts(key: str, sign: str) -> None:
    minion = {"attack": 1, "health": 1, key: sign * LONGEST_TEXT}
    held = {"cost": 1, "attack": 1, "health": 1}
    mapping: dict[str, Any] = {
        "mana": 1, "me": {"hero": {"health": 1}, "hand": [held]}, "enemy": {"hero": {"health": 1}, "board": [minion]},
    }  # fmt: skip
    assert exactly(read_plain(mapping)) == exactly(read_in_python(mapping)) != exactly(None)
    minion[key] += sign
    assert (read_plain(mapping), read_in_python(mapping)) == (None, None)
    del minion[key]
    held[key] = sign * (LONGEST_TEXT + 1)
    assert (read_plain(mapping), read_in_python(mapping)) == (None, None)


def test_generated_states_are_read_alike_or_declined() -> None:
    rng, read = Random(20), 0
    for _ in range(330):
        mapping = state_to_dict(random_state(rng, texts=rng.random() < 0.5))
        found = read_plain({**mapping, "ruleset": "standard"})
        if found is not None:
            assert exactly(found) == exactly(read_in_python({**mapping, "ruleset": "standard"}))
            read += 1
    assert read > 30


def test_changed_states_are_read_alike_or_declined() -> None:
    rng = Random(21)
    plain = [state_to_dict(state) for which in ("mixed", "texts") for _, state in fresh_positions(which, 21, 40)]
    plain += [state_to_dict(state) for _, state in load_positions("recorded")[::10]]
    for mapping in plain:
        for part in ("me", "enemy"):
            mapping[part].pop("hero_power", None)  # with one, the engine declines them all
    read = refused = 0
    for _ in range(4000):
        mapping = copy.deepcopy(rng.choice(plain))
        for _ in range(rng.choice((1, 1, 2))):
            entry = rng.choice(objects_in(mapping))
            if entry and rng.random() < 0.3:
                entry.pop(rng.choice(list(entry)))
            else:
                value = rng.choice(VALUES) if rng.random() < 0.8 else [rng.choice(list(BIT))]
                entry[rng.choice(FIELDS if rng.random() < 0.5 or not entry else list(entry))] = copy.deepcopy(value)
        found, truth = read_plain(mapping), read_in_python(mapping)
        refused += truth is None
        if found is not None:
            assert exactly(found) == exactly(truth), mapping
            read += 1
    assert read > 400
    assert refused > 400
