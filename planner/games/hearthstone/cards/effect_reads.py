"""What each effect reads of a state beyond the obvious numbers: the declarations that merging states rests on.

Two states that differ only in something that no effect within reach reads have the same future, so a search may treat
them as one. The engine has the same declarations in engine/rules/effect_reads.hpp.
tests/games/hearthstone/cards/test_effect_reads.py checks them by carrying effects out on permuted states.
"""

from __future__ import annotations

from enum import Flag, auto
from typing import Final

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import REACTIONS, Effect
from planner.games.hearthstone.cards.keywords import MAGNETIC, REBORN


class Reads(Flag):
    """Something that an effect may look at."""

    NOTHING = 0
    BOARD_POSITION = auto()  # which of several minions stands further left
    ARRIVAL_ORDER = auto()  # which of several minions entered earlier, also among minions without effects
    ANYTHING_ELSE = auto()  # such as ids, or how many cards were played
    EVERYTHING = BOARD_POSITION | ARRIVAL_ORDER | ANYTHING_ELSE


def acts_in_arrival_order(card: Card) -> bool:
    """Return whether minions of this card do something in their order of arrival: at deaths, turn ends, or actions."""
    triggers = ("death", "turn_end", *REACTIONS)
    return bool(card.keywords & REBORN) or any(effect.on in triggers for effect in card.effects)


_READS_NOTHING: Final = (
    "damage", "heal", "armor", "summon", "destroy", "set_attack", "set_health", "silence", "freeze", "draw", "discard",
    "add", "equip", "hone", "disarm", "mana",
)  # fmt: skip


def effect_reads(effect: Effect) -> Reads:
    """Return what this effect reads; everything, if it has no declaration."""
    match effect.do:
        case "return":  # several minions return from left to right until the hand is full
            several = effect.to is None or effect.to.select == "all" or effect.to.count > 1
            return Reads.BOARD_POSITION if several else Reads.NOTHING
        case "transform":  # the new minion keeps the arrival of the old one
            return Reads.ARRIVAL_ORDER if any(map(acts_in_arrival_order, effect.made)) else Reads.NOTHING
        case "buff":  # a minion that is given reborn comes back in the order of deaths, which is the order of arrival
            return Reads.ARRIVAL_ORDER if effect.keywords & REBORN else Reads.NOTHING
    return Reads.NOTHING if effect.do in _READS_NOTHING else Reads.EVERYTHING


def card_reads(card: Card) -> Reads:
    """Return what playing this card, or its presence on a board, can read."""
    reads = Reads.ARRIVAL_ORDER if card.keywords & MAGNETIC and card.keywords & REBORN else Reads.NOTHING
    for effect in card.effects:
        reads |= effect_reads(effect)
    return reads
