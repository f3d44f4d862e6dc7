"""JSON states for the tests of the reader and the writer, and a small catalogue."""

from __future__ import annotations

import json
from typing import Any

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.keywords import TAUNT
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_json import state_from_dict, state_to_dict

CONTRACT = """{
  "mana": 6,
  "me": {
    "hero":  {"health": 30, "armor": 0},
    "board": [{"id": "me.board.0", "name": "Chillwind Yeti", "attack": 4, "health": 5,
               "keywords": ["taunt"], "attacks_left": 1}],
    "hand":  [{"id": "me.hand.0", "name": "Wolfrider", "cost": 3, "attack": 3, "health": 1,
               "keywords": ["charge"], "value": 1}]
  },
  "enemy": {
    "hero":  {"health": 12},
    "board": [{"name": "Sen'jin Shieldmasta", "attack": 3, "health": 5, "keywords": ["taunt"]}]
  }
}"""
ACTIONS = """[{"type": "play",   "card": "me.hand.0", "target": null},
 {"type": "attack", "attacker": "me.hand.0", "target": "enemy.board.0"},
 {"type": "attack", "attacker": "me.board.0", "target": "enemy.hero"},
 {"type": "hero_power", "target": null}]"""
YETI = Card("Chillwind Yeti", cost=4, attack=4, health=5)
GUARD = Card("Guard", cost=3, attack=2, health=4, keywords=TAUNT)
SMALL = Catalogue([YETI, GUARD, Card("Axe", "weapon", 2, 3, 2), Card("Bolt", "spell", 1), Card("Zap", "hero_power", 2)])


def minimal(**changes: Any) -> dict[str, Any]:
    return {"mana": 6, "me": {"hero": {"health": 30}}, "enemy": {"hero": {"health": 12}}, **changes}


def mine(**fields: Any) -> dict[str, Any]:
    return minimal(me={"hero": {"health": 30}, **fields})


def theirs(**fields: Any) -> dict[str, Any]:
    return minimal(enemy={"hero": {"health": 12}, **fields})


def again(state: GameState, cards: Catalogue | None = None) -> GameState:
    return state_from_dict(json.loads(json.dumps(state_to_dict(state, cards))), cards)
