"""A second, naive implementation of the rules for minions, written from docs/reference/rules.md.

It converts a state into plain dictionaries and does not use the rules of the game. It supports attacks, minion cards,
the keywords of KNOWN, and the end of the turn.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from planner.games.hearthstone.cards.keywords import names
from planner.games.hearthstone.rules.state import GameState, Player

KNOWN = {
    "taunt",
    "charge",
    "rush",
    "windfury",
    "divine_shield",
    "poisonous",
    "lifesteal",
    "stealth",
    "reborn",
    "frozen",
}
World = dict[str, Any]


def world(state: GameState) -> World:
    """Return the state as plain data."""

    def side(player: Player) -> World:
        return {
            "health": player.hero.health,
            "most": player.hero.max_health,
            "mana": player.mana,
            "crystals": player.crystals,
            "fatigue": player.fatigue,
            "deck": [_card(held.id, held.card, held.cost) for held in player.deck],
            "hand": [_card(held.id, held.card, held.cost) for held in player.hand],
            "board": [
                {
                    "id": minion.id,
                    "attack": minion.attack,
                    "health": minion.health,
                    "words": set(names(minion.keywords)),
                    "left": minion.attacks_left,
                    "new": minion.fresh,
                    "printed": _card(minion.id, minion.card, 0),
                }
                for minion in player.board
            ],
        }

    found: World = {"me": side(state.me), "enemy": side(state.enemy), "places": state.rules.board_limit}
    words = [thing["words"] for who in ("me", "enemy") for zone in ("deck", "hand") for thing in found[who][zone]]
    words += [minion["words"] for who in ("me", "enemy") for minion in found[who]["board"]]
    assert all(KNOWN.issuperset(these) for these in words), "this state is not for the naive rules"
    return found


def _card(name: str, card: Any, cost: int) -> World:
    assert card.type == "minion"
    assert not card.effects
    return {"id": name, "cost": cost, "attack": card.attack, "health": card.health, "words": set(names(card.keywords))}


def moves(now: World) -> list[tuple[str, ...]]:
    """Return all legal moves."""
    me, enemy = now["me"], now["enemy"]
    if me["health"] <= 0 or enemy["health"] <= 0:
        return []
    found: list[tuple[str, ...]] = [("end",)]
    for card in me["hand"]:
        if card["cost"] <= me["mana"] and len(me["board"]) < now["places"]:
            found.append(("play", card["id"]))
    walls = [m for m in enemy["board"] if "taunt" in m["words"] and "stealth" not in m["words"]]
    for minion in me["board"]:
        words = minion["words"]
        if minion["attack"] < 1 or minion["left"] < 1 or "frozen" in words:
            continue
        if minion["new"] and "charge" not in words and "rush" not in words:
            continue
        for target in walls or enemy["board"]:
            if "stealth" not in target["words"]:
                found.append(("attack", minion["id"], target["id"]))
        if not walls and not (minion["new"] and "charge" not in words):
            found.append(("attack", minion["id"], "enemy.hero"))
    return found


def after(before: World, move: tuple[str, ...]) -> World:
    """Return the world after this move."""
    now = deepcopy(before)
    me, enemy = now["me"], now["enemy"]
    if move[0] == "play":
        card = next(card for card in me["hand"] if card["id"] == move[1])
        me["hand"].remove(card)
        me["mana"] -= card["cost"]
        me["board"].append(_arrive(card))
    elif move[0] == "attack":
        fighter = next(minion for minion in me["board"] if minion["id"] == move[1])
        fighter["left"] -= 1
        fighter["words"].discard("stealth")
        if move[2] == "enemy.hero":
            enemy["health"] -= fighter["attack"]
            dealt, back = fighter["attack"], 0
        else:
            other = next(minion for minion in enemy["board"] if minion["id"] == move[2])
            poison = "poisonous" in fighter["words"], "poisonous" in other["words"]
            dealt, back = _hit(other, fighter["attack"], poison[0]), _hit(fighter, other["attack"], poison[1])
            if "lifesteal" in other["words"]:
                enemy["health"] = min(enemy["most"], enemy["health"] + back)
        if "lifesteal" in fighter["words"]:
            me["health"] = min(me["most"], me["health"] + dealt)
        for side in (me, enemy):
            _bury(side)
    else:
        _pass(now)
    return now


def _arrive(card: World) -> World:
    return {
        "id": card["id"],
        "attack": card["attack"],
        "health": card["health"],
        "words": set(card["words"]),
        "left": 2 if "windfury" in card["words"] else 1,
        "new": True,
        "printed": card,
    }


def _hit(minion: World, amount: int, poison: bool) -> int:
    if amount == 0:
        return 0
    if "divine_shield" in minion["words"]:
        minion["words"].remove("divine_shield")
        return 0
    minion["health"] -= amount
    if poison:
        minion["health"] = min(minion["health"], 0)
    return amount


def _bury(side: World) -> None:
    dead = [minion for minion in side["board"] if minion["health"] <= 0]
    side["board"] = [minion for minion in side["board"] if minion["health"] > 0]
    for minion in dead:
        if "reborn" in minion["words"]:
            back = _arrive(minion["printed"])
            back["health"] = 1
            back["words"].discard("reborn")
            side["board"].append(back)


def _pass(now: World) -> None:
    me = now["me"]
    for minion in me["board"]:
        ready = not minion["new"] or minion["words"] & {"charge", "rush"}
        if minion["left"] > 0 and ready:
            minion["words"].discard("frozen")
    now["me"], now["enemy"] = now["enemy"], me
    me = now["me"]
    me["crystals"] = min(10, me["crystals"] + 1)
    me["mana"] = me["crystals"]
    for minion in me["board"]:
        minion["new"], minion["left"] = False, 2 if "windfury" in minion["words"] else 1
    if me["deck"]:
        card = me["deck"].pop(0)
        if len(me["hand"]) < 10:
            me["hand"].append(card)
    else:
        me["fatigue"] += 1
        me["health"] -= me["fatigue"]


def count(now: World, depth: int) -> int:
    """Return the number of sequences of this many moves."""
    if depth == 0:
        return 1
    return sum(count(after(now, move), depth - 1) for move in moves(now))
