"""A state of ours from the entities of a log: what the player saw at that moment, and what of it we cannot express."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.keywords import TAG
from planner.games.hearthstone.cards.printed import Printed
from planner.games.hearthstone.cards.real import find, real_cards
from planner.games.hearthstone.logs.tracking import Board, Thing, mana_of
from planner.games.hearthstone.rules.codec import state_from_dict
from planner.games.hearthstone.rules.state import GameState

_MINION, _WEAPON, _HERO_POWER, _LOCATION = 4, 7, 10, 39  # of the tag CARDTYPE
_KEYWORDS: Final = {**{tag: name for name, tag in TAG.items()}, "CANT_BE_TARGETED_BY_SPELLS": "elusive"}
_OF_HEROES: Final = ("FROZEN", "IMMUNE", "STEALTH", "WINDFURY", "LIFESTEAL")
# Heroes and the hero powers that every deck of a class begins with, in whatever dress: the number says the class.
_HERO: Final = re.compile(r"HERO_(\d\d)[a-z]*")
_PLAIN_POWER: Final = re.compile(r"HERO_(\d\d)[a-z]*bp")
_OLD_POWER: Final = re.compile(r"(\w+?)(?:_H\d|_HS\d)?")
_NUMBERS: Final = {
    "01": "warrior", "02": "shaman", "03": "rogue", "04": "paladin", "05": "hunter", "06": "druid", "07": "warlock",
    "08": "mage", "09": "priest", "10": "demonhunter", "11": "deathknight",
}  # fmt: skip
_OLD_POWERS: Final = {
    "CS2_102": "warrior", "CS2_049": "shaman", "CS2_083b": "rogue", "CS2_101": "paladin", "DS1h_292": "hunter",
    "CS2_017": "druid", "CS2_056": "warlock", "CS2_034": "mage", "CS1h_001": "priest",
}  # fmt: skip
_MOST_MANA: Final = 10
_MOST_IN_HAND: Final = 10
_PLACES: Final = 7


class Sight(NamedTuple):
    """A moment as a state of ours, and the names of what is not expressed in it: then plans are estimates."""

    state: GameState
    unread: tuple[str, ...]


def sight(board: Board) -> Sight:
    """The state that the friendly player saw."""
    unread: list[str] = []
    me, enemy = board.players()
    crystals = min(me["RESOURCES"], _MOST_MANA)
    mine = _player(board, me, True, unread)
    theirs = _player(board, enemy, False, unread)
    dead = mine["hero"]["health"] <= 0 or theirs["hero"]["health"] <= 0
    data: dict[str, Any] = {
        "mana": min(mana_of(me.tags), _MOST_MANA),
        "me": {**mine, "crystals": crystals},
        "enemy": {**theirs, "crystals": min(enemy["RESOURCES"], _MOST_MANA)},
        "turn": max(board.turn, 1),
        "seat": 0 if me["FIRST_PLAYER"] else 1,
    }
    if dead:
        data["finished"] = True
    state = state_from_dict(data)
    return Sight(state, tuple(dict.fromkeys([*unread, *_texts(state)])))


def _player(board: Board, player: Thing, friendly: bool, unread: list[str]) -> dict[str, Any]:
    number = player["PLAYER_ID"]
    in_play = board.zone(number, "PLAY")
    weapon = next((one for one in in_play if one["CARDTYPE"] == _WEAPON), None)
    power = next((one for one in in_play if one["CARDTYPE"] == _HERO_POWER), None)
    hero = board.things.get(player["HERO_ENTITY"], Thing(0, "", {}))
    found: dict[str, Any] = {
        "hero": _hero(hero, weapon, friendly),
        "board": [_minion(one, friendly, unread) for one in minions(board, number)[:_PLACES]],
        "deck": len(board.zone(number, "DECK")),
        "fatigue": player["FATIGUE"],
        "overload": player["OVERLOAD_OWED"],
        "locked": player["OVERLOAD_LOCKED"],
        "cards_played": player["NUM_CARDS_PLAYED_THIS_TURN"] if friendly else 0,
    }
    hand = board.zone(number, "HAND")[:_MOST_IN_HAND]
    found["hand"] = [_held(one, unread) for one in hand] if friendly else len(hand)
    if weapon is not None:
        found["weapon"] = _weapon(weapon, unread)
    if power is not None:
        _power(power, found, friendly, unread)
    if board.zone(number, "SECRET"):
        unread.append("secrets and quests")
    for one in in_play:
        if one["CARDTYPE"] == _LOCATION or (one["CARDTYPE"] == _MINION and one["DORMANT"]):
            unread.append(_name(one.card_id))
    return found


def minions(board: Board, player: int) -> list[Thing]:
    """The minions that can be attacked and hit: those who sleep are not here yet."""
    return [one for one in board.zone(player, "PLAY") if one["CARDTYPE"] == _MINION and not one["DORMANT"]]


def _hero(hero: Thing, weapon: Thing | None, friendly: bool) -> dict[str, Any]:
    health = hero["HEALTH"] or 30
    extra = max(hero["ATK"] - (weapon["ATK"] if weapon is not None else 0), 0) if friendly else 0
    keywords = [_KEYWORDS[tag] for tag in _OF_HEROES if hero[tag]]
    attacks = 2 if hero["WINDFURY"] or (weapon is not None and weapon["WINDFURY"]) else 1
    return {
        "health": health - hero["DAMAGE"],
        "max_health": health,
        "armor": hero["ARMOR"],
        "class": class_of(hero.card_id),
        "keywords": keywords,
        "attack_this_turn": extra,
        "attacks_left": 0 if friendly and hero["EXHAUSTED"] else max(attacks - hero["NUM_ATTACKS_THIS_TURN"], 0),
    }


def _minion(one: Thing, friendly: bool, unread: list[str]) -> dict[str, Any]:
    known = _known(one, unread)
    keywords = list(dict.fromkeys(word for tag, word in _KEYWORDS.items() if one[tag]))
    if "mega_windfury" in keywords and "windfury" in keywords:
        keywords.remove("windfury")
    attacks = 4 if "mega_windfury" in keywords else 2 if "windfury" in keywords else 1
    can = not one["EXHAUSTED"] or one["CHARGE"] or one["RUSH"] or not friendly
    return {
        "name": one.card_id if known is not None else _name(one.card_id),
        "id": f"e{one.id}",
        "attack": max(one["ATK"], 0),
        "health": max(one["HEALTH"] - one["DAMAGE"], 1),
        "max_health": max(one["HEALTH"], 1),
        "keywords": keywords,
        "attacks_left": max(attacks - one["NUM_ATTACKS_THIS_TURN"], 0) if can else 0,
        "summoned_this_turn": bool(friendly and one["EXHAUSTED"] and not one["NUM_ATTACKS_THIS_TURN"]),
        "silenced": bool(one["SILENCED"]),
    }


def _held(one: Thing, unread: list[str]) -> Any:
    if not one.card_id:
        return "?"
    known = _known(one, unread)
    cost = max(one["COST"], 0)
    if known is None:
        unknown = {"name": _name(one.card_id), "type": "spell", "cost": cost, "unread": "all of it"}
        return {"card": unknown, "id": f"e{one.id}"}
    held: dict[str, Any] = {"name": one.card_id, "id": f"e{one.id}", "cost": cost}
    if known.type == "minion" and one["HEALTH"]:
        held |= {"attack": max(one["ATK"], 0), "health": one["HEALTH"]}
    return held


def _weapon(one: Thing, unread: list[str]) -> dict[str, Any]:
    known = _known(one, unread)
    uses = max((one["DURABILITY"] or one["HEALTH"]) - one["DAMAGE"], 1)
    name = one.card_id if known is not None else _name(one.card_id)
    return {"name": name, "attack": max(one["ATK"], 0), "durability": uses}


def _power(one: Thing, found: dict[str, Any], friendly: bool, unread: list[str]) -> None:
    new, old = _PLAIN_POWER.fullmatch(one.card_id), _OLD_POWER.fullmatch(one.card_id)
    own = _NUMBERS.get(new[1], "") if new else _OLD_POWERS.get(old[1], "") if old else ""
    if (plain := standard().hero_powers.get(own)) is not None:
        found["hero_power"] = {"name": plain.name, "cost": max(one["COST"], 0)}
        found["hero_power_used"] = bool(one["EXHAUSTED"])
    elif friendly:
        unread.append(_name(one.card_id))


def class_of(hero: str) -> str:
    """The class of the hero with this id."""
    if found := _HERO.fullmatch(hero):
        return _NUMBERS.get(found[1], "neutral")
    card = printed(hero)
    return next((name for name in card.classes if name in CLASSES), "neutral") if card is not None else "neutral"


def printed(card_id: str) -> Printed | None:
    """The card of the real game with this id."""
    return real_cards().lookup(card_id) if card_id else None


def _known(one: Thing, unread: list[str]) -> Card | None:
    """The card as one of ours; None, and a name among what is not expressed, where we do not know it."""
    card = find(one.card_id) if one.card_id else None
    if card is None or (one["CARDTYPE"] == _MINION and card.type != "minion"):
        unread.append(_name(one.card_id))
        return None
    return card


def _name(card_id: str) -> str:
    found = printed(card_id)
    return found.name if found is not None else card_id or "a card"


def _texts(state: GameState) -> tuple[str, ...]:
    from planner.games.hearthstone.turn.turn_effects import unknown_effects  # noqa: PLC0415  (the planner; watching needs it too)

    return unknown_effects(state)
