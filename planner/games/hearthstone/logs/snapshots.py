"""Turn the entities of a log into states that the planner understands, also from a log that is still being written."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import CLASS_NUMBERS, CLASSES, Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.keywords import TAG, attacks_per_turn, bits
from planner.games.hearthstone.cards.real_card_index import Printed
from planner.games.hearthstone.cards.real_cards import find_real_card, real_cards
from planner.games.hearthstone.logs.entity_tracker import (
    BROKEN_LOG_ERRORS,
    Board,
    EntityTracker,
    LoggedEntity,
    available_mana,
)
from planner.games.hearthstone.logs.power_log import LineReader
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_json import state_from_dict

_MINION, _WEAPON, _HERO_POWER, _LOCATION = 4, 7, 10, 39  # values of the tag CARDTYPE
_KEYWORDS: Final = {**{tag: name for name, tag in TAG.items()}, "CANT_BE_TARGETED_BY_SPELLS": "elusive"}
_HERO_KEYWORDS: Final = ("FROZEN", "IMMUNE", "STEALTH", "WINDFURY", "LIFESTEAL")
# Heroes and basic hero powers, with all their skins: the number stands for the class.
_HERO: Final = re.compile(r"HERO_(\d\d)[a-z]*")
_BASIC_POWER: Final = re.compile(r"HERO_(\d\d)[a-z]*bp")
_OLD_BASIC_POWER: Final = re.compile(r"(\w+?)(?:_H\d|_HS\d)?")
_CLASSES_BY_NUMBER: Final = {number: name for name, number in CLASS_NUMBERS.items()}
_CLASSES_BY_OLD_POWER: Final = {
    "CS2_102": "warrior", "CS2_049": "shaman", "CS2_083b": "rogue", "CS2_101": "paladin", "DS1h_292": "hunter",
    "CS2_017": "druid", "CS2_056": "warlock", "CS2_034": "mage", "CS1h_001": "priest",
}  # fmt: skip
_MAX_MANA: Final = 10
_MAX_HAND: Final = 10
_MAX_BOARD: Final = 7
_POLL_SECONDS: Final = 0.2


class Snapshot(NamedTuple):
    """The state at one moment, and the names of cards that it does not express in full: then plans are estimates."""

    state: GameState
    unread: tuple[str, ...]


def take_snapshot(board: Board) -> Snapshot:
    """Return the state as the friendly player saw it."""
    from planner.games.hearthstone.turn.turn_effects import unknown_effects  # noqa: PLC0415  (slow to import)

    unread: list[str] = []
    me, enemy = board.players()
    crystals = min(me["RESOURCES"], _MAX_MANA)
    mine = _player(board, me, True, unread)
    theirs = _player(board, enemy, False, unread)
    dead = mine["hero"]["health"] <= 0 or theirs["hero"]["health"] <= 0
    data: dict[str, Any] = {
        "mana": min(available_mana(me.tags), _MAX_MANA),
        "me": {**mine, "crystals": crystals},
        "enemy": {**theirs, "crystals": min(enemy["RESOURCES"], _MAX_MANA)},
        "turn": max(board.turn, 1),
        "seat": 0 if me["FIRST_PLAYER"] else 1,
    }
    if dead:
        data["finished"] = True
    state = state_from_dict(data)
    return Snapshot(state, tuple(dict.fromkeys([*unread, *unknown_effects(state)])))


def _player(board: Board, player: LoggedEntity, friendly: bool, unread: list[str]) -> dict[str, Any]:
    number = player["PLAYER_ID"]
    in_play = board.zone(number, "PLAY")
    weapon = next((entity for entity in in_play if entity["CARDTYPE"] == _WEAPON), None)
    power = next((entity for entity in in_play if entity["CARDTYPE"] == _HERO_POWER), None)
    hero = board.entities.get(player["HERO_ENTITY"], LoggedEntity(0, "", {}))
    data: dict[str, Any] = {
        "hero": _hero(hero, weapon, friendly),
        "board": [_minion(entity, friendly, unread) for entity in minions(board, number)[:_MAX_BOARD]],
        "deck": len(board.zone(number, "DECK")),
        "fatigue": player["FATIGUE"],
        "overload": player["OVERLOAD_OWED"],
        "locked": player["OVERLOAD_LOCKED"],
        "cards_played": player["NUM_CARDS_PLAYED_THIS_TURN"] if friendly else 0,
    }
    hand = board.zone(number, "HAND")[:_MAX_HAND]
    data["hand"] = [_hand_card(entity, unread) for entity in hand] if friendly else len(hand)
    if weapon is not None:
        data["weapon"] = _weapon(weapon, unread)
    if power is not None:
        _add_power(power, data, friendly, unread)
    if board.zone(number, "SECRET"):
        unread.append("secrets and quests")
    for entity in in_play:
        if entity["CARDTYPE"] == _LOCATION or (entity["CARDTYPE"] == _MINION and entity["DORMANT"]):
            unread.append(_name(entity.card_id))
    return data


def minions(board: Board, player: int) -> list[LoggedEntity]:
    """Return a player's minions on the board; a dormant minion cannot be attacked or targeted."""
    return [entity for entity in board.zone(player, "PLAY") if entity["CARDTYPE"] == _MINION and not entity["DORMANT"]]


def _hero(hero: LoggedEntity, weapon: LoggedEntity | None, friendly: bool) -> dict[str, Any]:
    health = hero["HEALTH"] or 30
    extra = max(hero["ATK"] - (weapon["ATK"] if weapon is not None else 0), 0) if friendly else 0
    keywords = [_KEYWORDS[tag] for tag in _HERO_KEYWORDS if hero[tag]]
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


def _keywords(entity: LoggedEntity, card: Card | None) -> list[str]:
    """Return the keywords that the tags of a minion or weapon stand for."""
    keywords = {keyword for tag, keyword in _KEYWORDS.items() if entity[tag]}
    if "mega_windfury" in keywords:
        keywords.discard("windfury")
    if card is not None and "freeze" not in card.keyword_names:
        keywords.discard("freeze")  # a card with the effect has the same tag
    return sorted(keywords)


def _minion(entity: LoggedEntity, friendly: bool, unread: list[str]) -> dict[str, Any]:
    card = _find_card(entity, unread)
    keywords = _keywords(entity, card)
    attacks = attacks_per_turn(bits(keywords))
    used, exhausted = entity["NUM_ATTACKS_THIS_TURN"], friendly and entity["EXHAUSTED"]
    # A new minion is exhausted; with rush it is not, but has a tag of its own until it attacks.
    is_new = (exhausted and not used) or (friendly and entity["ATTACKABLE_BY_RUSH"])
    can_attack = is_new or not exhausted
    return {
        "name": entity.card_id if card is not None else _name(entity.card_id),
        "id": f"e{entity.id}",
        "attack": max(entity["ATK"], 0),
        "health": max(entity["HEALTH"] - entity["DAMAGE"], 1),
        "max_health": max(entity["HEALTH"], 1),
        "keywords": keywords,
        "attacks_left": max(attacks - used, 0) if can_attack else 0,
        "summoned_this_turn": bool(is_new),
        "silenced": bool(entity["SILENCED"]),
    }


def _hand_card(entity: LoggedEntity, unread: list[str]) -> Any:
    if not entity.card_id:
        return "?"
    card = _find_card(entity, unread)
    cost = max(entity["COST"], 0)
    if card is None:
        custom = {"name": _name(entity.card_id), "type": "spell", "cost": cost, "unread": "all of it"}
        return {"card": custom, "id": f"e{entity.id}"}
    held: dict[str, Any] = {"name": entity.card_id, "id": f"e{entity.id}", "cost": cost}
    if card.type == "minion" and entity["HEALTH"]:
        held |= {"attack": max(entity["ATK"], 0), "health": entity["HEALTH"]}
    return held


def _weapon(entity: LoggedEntity, unread: list[str]) -> dict[str, Any]:
    card = _find_card(entity, unread)
    durability = max((entity["DURABILITY"] or entity["HEALTH"]) - entity["DAMAGE"], 1)
    name = entity.card_id if card is not None else _name(entity.card_id)
    keywords = {*_keywords(entity, card), *(card.keyword_names if card is not None else ())}
    return {
        "name": name,
        "attack": max(entity["ATK"], 0),
        "durability": durability,
        "keywords": sorted(keywords),
    }


def _add_power(entity: LoggedEntity, data: dict[str, Any], friendly: bool, unread: list[str]) -> None:
    new, old = _BASIC_POWER.fullmatch(entity.card_id), _OLD_BASIC_POWER.fullmatch(entity.card_id)
    player_class = _CLASSES_BY_NUMBER.get(new[1], "") if new else _CLASSES_BY_OLD_POWER.get(old[1], "") if old else ""
    if (power := standard().hero_powers.get(player_class)) is not None:
        data["hero_power"] = {"name": power.name, "cost": max(entity["COST"], 0)}
        data["hero_power_used"] = bool(entity["EXHAUSTED"])
    elif friendly:
        unread.append(_name(entity.card_id))


def class_of(hero: str) -> str:
    """Return the class of the hero with this card id."""
    if match := _HERO.fullmatch(hero):
        return _CLASSES_BY_NUMBER.get(match[1], "neutral")
    card = printed(hero)
    return next((name for name in card.classes if name in CLASSES), "neutral") if card is not None else "neutral"


def printed(card_id: str) -> Printed | None:
    """Return the card of the real game with this id, or None."""
    return real_cards().lookup(card_id) if card_id else None


def _find_card(entity: LoggedEntity, unread: list[str]) -> Card | None:
    """Return the card in our rules; if there is none, add its name to `unread` and return None."""
    card = find_real_card(entity.card_id) if entity.card_id else None
    if card is None or (entity["CARDTYPE"] == _MINION and card.type != "minion"):
        unread.append(_name(entity.card_id))
        return None
    return card


def _name(card_id: str) -> str:
    card = printed(card_id)
    return card.name if card is not None else card_id or "a card"


# -- a log that is still being written


def follow(path: Path, player: int | None = None, idle: float | None = None) -> Iterator[Snapshot]:
    """Yield a snapshot at the start of each turn of the player; end after `idle` seconds without a new line."""
    reader, offset, unfinished_line, last_turn = LineReader(), 0, b"", (0, 0)
    last_change, inode = time.monotonic(), 0
    while True:
        try:
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                if status.st_size < offset or inode not in (0, status.st_ino):  # the client has started a new file
                    reader, offset, unfinished_line, last_turn = LineReader(), 0, b"", (0, 0)
                inode = status.st_ino
                file.seek(offset)
                data = file.read()
        except FileNotFoundError:  # the old file is removed, and the new one does not exist yet
            data = b""
        except OSError as error:
            raise PlannerError(f"{path}: {error.strerror}") from None
        if data:
            last_change = time.monotonic()
            offset += len(data)
            *lines, unfinished_line = (unfinished_line + data).split(b"\n")
            turn_begins = [reader.read(line.decode("utf-8", errors="replace")) for line in lines]
            started = _started_turn(reader, player) if any(turn_begins) else None
            if started is not None and started[0] != last_turn:
                last_turn = started[0]
                yield started[1]
        elif idle is not None and time.monotonic() - last_change >= idle:
            return
        else:
            time.sleep(_POLL_SECONDS)


def _started_turn(reader: LineReader, player: int | None) -> tuple[tuple[int, int], Snapshot] | None:
    """Return the unfinished turn of the player: the numbers of match and turn, and a snapshot of its start."""
    matches = reader.matches()
    if not matches:
        return None
    tracker = EntityTracker(matches[-1])
    try:
        tracker.follow(player)
        board = tracker.turn_start
        return None if board is None else ((len(matches), board.turn), take_snapshot(board))
    except (*BROKEN_LOG_ERRORS, PlannerError):  # the log ends inside a packet
        return None
