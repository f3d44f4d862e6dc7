"""States and actions as one line of text, for bug reports: another spelling of the JSON form, parsed both ways.

    6 mana | me 30hp: Chillwind Yeti 4/5 taunt | hand: Wolfrider (3) 3/1 charge | enemy 12hp: Raptor 3/2, Ooze 3/2
    play me.hand.0 -> enemy.board.1

docs/reference/state.md has the grammar.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.codec import state_from_dict, write_state
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.text_read import ID, NAME_WORD, TextReader

_WORD: Final = re.compile(r"[A-Za-z_]+")
_RESERVED: Final = ("true", "false", "null")  # unquoted, these are JSON's


# -- states


def state_to_text(state: GameState, cards: Catalogue | None = None) -> str:
    """The state as one line; reading it back with the same catalogue gives an equal state."""
    out = write_state(state, catalogue.standard() if cards is None else cards, full=False)
    sections = [f"{out.pop('mana')} mana"]
    players = {side: out.pop(side) for side in ("me", "enemy")}
    definitions = out.pop("cards", [])
    sections[0] += _options(out)
    for side, player in players.items():
        sections.extend(_player(side, player))
    if definitions:
        sections.append("cards: " + ", ".join(json.dumps(card) for card in definitions))
    return " | ".join(sections)


def state_from_text(text: str, cards: Catalogue | None = None) -> GameState:
    """The state that the line describes."""
    return state_from_dict(TextReader(text).state(), cards)


def _player(side: str, player: dict[str, Any]) -> list[str]:
    hero = player.pop("hero")
    zones = {key: player.pop(key, None) for key in ("board", "weapon", "hero_power", "hand", "deck")}
    health, keywords = hero.pop("health"), hero.pop("keywords", [])
    head = " ".join([side, f"{health}hp", *keywords]) + _options({**hero, **player})
    board = ", ".join(map(_entry, zones["board"]))
    sections = [f"{head}: {board}" if board else head]
    if zones["weapon"] is not None:
        sections.append(f"weapon {_entry(zones['weapon'])}")
    if zones["hero_power"] is not None:
        sections.append(f"power {_entry(zones['hero_power'])}")
    for key in ("hand", "deck"):
        zone = zones[key]
        if zone:
            listed = str(zone) if isinstance(zone, int) else ", ".join(map(_entry, zone))
            sections.append(f"{key}: {listed}")
    return sections


def _entry(entry: str | dict[str, Any]) -> str:
    """`Name (cost) attack/health keywords #id field=value`."""
    if isinstance(entry, str):
        return _name(entry)
    rest = dict(entry)
    words = [_name(rest.pop("name"))] if "name" in rest else []
    if "cost" in rest:
        words.append(f"({rest.pop('cost')})")
    if "attack" in rest:
        body = rest.pop("durability") if "durability" in rest else rest.pop("health")
        words.append(f"{rest.pop('attack')}/{body}")
    words.extend(rest.pop("keywords", []))
    if "id" in rest:
        words.append(f"#{_id(rest.pop('id'))}")
    return (" ".join(words) + _options(rest)).strip()


def _options(fields: Mapping[str, Any]) -> str:
    return "".join(f" {key}={_value(value)}" for key, value in fields.items())


def _value(value: Any) -> str:
    if isinstance(value, str) and _WORD.fullmatch(value) and value not in _RESERVED:
        return value
    return json.dumps(value)


def _name(name: str) -> str:
    return name if all(map(NAME_WORD.fullmatch, name.split(" "))) else json.dumps(name)


def _id(name: str) -> str:
    return name if ID.fullmatch(name) else json.dumps(name)


# -- actions


def action_to_text(action: Action) -> str:
    """The action as one line, such as `attack me.board.0 -> enemy.hero`."""
    match action:
        case Play():
            words, target = f"play {_id(action.card)}", action.target
        case Attack():
            words, target = f"attack {_id(action.attacker)}", action.target
        case HeroPower():
            words, target = "power", action.target
        case Trade():
            words, target = f"trade {_id(action.card)}", None
        case EndTurn():
            words, target = "end", None
        case Mulligan():
            words, target = " ".join(["mulligan", *map(_id, action.cards)]), None
    return words if target is None else f"{words} -> {_id(target)}"


def action_from_text(text: str) -> Action:
    """The action that the line describes."""
    return TextReader(text).action()
