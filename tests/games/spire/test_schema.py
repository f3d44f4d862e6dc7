"""The schema of a battle says what the reader of battles accepts."""

from __future__ import annotations

from random import Random
from typing import Any

import jsonschema_rs

from planner.games.spire import codec
from planner.games.spire.game import GAME
from planner.games.spire.schema import state_schema
from tests.schemas import disagreements

GOBLIN = GAME.state_from_json({"game": "spire", "enemies": [{"name": "Goblin"}]})
STATE: dict[str, Any] = {
    "game": "spire", "turn": 2, "health": 50, "max_health": 80, "block": 3,
    "statuses": [{"status": "Strength", "amount": 1, "turns": 0}], "energy": 3,
    "hand": ["Strike"], "draw": [], "discard": ["Defend"], "exhaust": [],
    "enemies": [
        {
            "name": "Goblin", "health": 5, "max_health": 9, "block": 0, "statuses": [], "run": 1,
            "move": GOBLIN.enemies[0].kind.moves[0].name,
        }
    ],
    "played": 1, "energy_per_turn": 3, "cards_per_turn": 5, "library": {}, "anonymous": False, "pending": None,
}  # fmt: skip
BEYOND = (
    "must be one of|is not one of|is not a card|more than max_health|stands here twice|the dead have none|after which a battle|library"
    "|pending"
)


def test_the_example_has_every_field() -> None:
    assert set(STATE) == set(codec.STATE_FIELDS)
    assert set(STATE["enemies"][0]) == set(codec.ENEMY_FIELDS)
    assert set(STATE["statuses"][0]) == set(codec.HELD_FIELDS)


def test_reader_and_schema_judge_alike() -> None:
    assert disagreements(STATE, GAME.state_from_json, state_schema(), BEYOND) == []


def test_what_is_written_fits_the_schema() -> None:
    validator, chance = jsonschema_rs.validator_for(state_schema()), Random(5)
    state = GAME.start(GAME.setup_from_words(["starter"]), chance)
    while GAME.outcome(state) is None:
        validator.validate(GAME.state_to_json(state))
        state = GAME.apply(state, chance.choice(GAME.legal_actions(state)), chance)
