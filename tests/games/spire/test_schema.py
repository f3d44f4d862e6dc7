"""The JSON schema of a state agrees with its reader."""

from __future__ import annotations

from random import Random
from typing import Any

import jsonschema_rs

from planner.games.spire import battle_codec
from planner.games.spire.battle_codec import state_schema
from planner.games.spire.spire_game import GAME
from tests.schemas import disagreements

GOBLIN = GAME.state_from_json({"game": "spire", "enemies": [{"name": "Goblin"}]})
STATE: dict[str, Any] = {
    "game": "spire", "turn": 2, "health": 50, "max_health": 80, "block": 3,
    "statuses": [{"status": "strength", "amount": 3, "turns": 2, "lasting": 1}], "energy": 3,
    "hand": ["Strike"], "draw": [], "discard": ["Defend"], "exhaust": [],
    "enemies": [
        {
            "name": "Goblin", "health": 5, "max_health": 9, "block": 0, "statuses": [], "run": 1,
            "move": GOBLIN.enemies[0].kind.moves[0].name,
        }
    ],
    "played": 1, "energy_per_turn": 3, "cards_per_turn": 5, "library": {}, "anonymous": False, "pending": None,
}  # fmt: skip
ONLY_READER = "must be one of|is not a card|at most max_health|duplicate status|a dead enemy|library|pending|lasting: must be at most"


def test_example_has_every_field() -> None:
    assert set(STATE) == set(battle_codec.STATE.fields)
    assert set(STATE["enemies"][0]) == set(battle_codec.ENEMY.fields)
    assert set(STATE["statuses"][0]) == set(battle_codec.STATUS.fields)


def test_reader_and_schema_accept_the_same_values() -> None:
    GAME.state_from_json(STATE)
    # A file must name its game, by which it is recognised; the reader knows it.
    only_file = ["without game: the reader accepts it, the schema does not"]
    assert disagreements(STATE, GAME.state_from_json, state_schema("spire"), ONLY_READER) == only_file


def test_written_states_match_the_schema() -> None:
    validator, rng = jsonschema_rs.validator_for(state_schema("spire")), Random(5)
    state = GAME.start(GAME.setup_from_words(["starter"]), rng)
    while GAME.outcome(state) is None:
        validator.validate(GAME.state_to_json(state))
        state = GAME.apply(state, rng.choice(GAME.legal_actions(state)), rng)
