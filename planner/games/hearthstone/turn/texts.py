"""Where texts of cards can matter in the rest of a turn, and where nothing is left but bodies that fight."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effects import Effect
from planner.games.hearthstone.cards.keywords import CHARGE, ECHO, MAGNETIC, REBORN, RUSH, TRADEABLE
from planner.games.hearthstone.rules.legal import TRADE_COST
from planner.games.hearthstone.rules.state import GameState, HandCard, Minion
from planner.games.hearthstone.turn.hardrules import hero_must_live
from planner.games.hearthstone.turn.weights import Weights

_NOBODY: Final[frozenset[str]] = frozenset()


def matters(card: Card) -> bool:
    """Can its text do anything during its owner's turn, once it is played?"""
    return bool(card.effects) and any(effect.on != "turn_start" for effect in card.effects)


@lru_cache(maxsize=10_000)
def plain_card(card: Card) -> bool:
    """Is it a body and no more? Such a card is played for what it is, whenever there are mana and room."""
    return card.type == "minion" and not card.keywords & (ECHO | MAGNETIC) and not matters(card)


def sealed(state: GameState) -> frozenset[str]:
    """The minions whose death does more than take them away: it sets a text loose, ends an aura, or brings them back
    under one."""
    if not any(m.card.effects and not m.silenced for player in (state.me, state.enemy) for m in player.board):
        return _NOBODY
    aura = under_auras(state)
    return frozenset(
        minion.id
        for player in (state.me, state.enemy)
        for minion in player.board
        if (aura and minion.keywords & REBORN)
        or (minion.card.effects and not minion.silenced and (minion.card.aura or minion.card.on("death")))
    )


def under_auras(state: GameState) -> bool:
    """Does an aura change those who come onto the board?"""
    return any(m.card.aura and not m.silenced for player in (state.me, state.enemy) for m in player.board)


def has_texts(state: GameState) -> bool:
    """Can an action of this turn do more than a plain play or a plain blow?"""
    return bool(sealed(state)) or texts_in_hand(state)


def texts_in_hand(state: GameState) -> bool:
    """Is there a card or hero power with a text that may be paid this turn?"""
    me = state.me
    if me.power is None and all(plain_card(held.card) and not held.card.keywords & TRADEABLE for held in me.hand):
        return False  # as in most turns of a game without texts
    gains = (effect for held in me.hand for effect in held.card.on("play") if effect.do == "mana")
    mana = me.mana + sum(max(0, effect.amount) for effect in gains)
    if me.power is not None and not me.power_used and me.power.cost <= mana:
        return True
    for held in me.hand:
        card = held.card
        if held.cost <= mana and card.type != "hidden" and not plain_card(card):
            return True
        if card.keywords & TRADEABLE and mana >= TRADE_COST and me.deck:
            return True
    return False


def ends_plainly(state: GameState, weights: Weights) -> bool:
    """Is what the end of the turn is worth decided by who then stands, as the plain formulation counts it?"""
    if weights.extra:
        return False
    if any(minion.attack_this_turn for minion in state.enemy.board):
        return False  # its attack now is not its attack in the end
    return not any(_busy_at_the_end(minion, weights) for minion in state.me.board)


def _busy_at_the_end(minion: Minion, weights: Weights) -> bool:
    if not minion.card.effects or minion.silenced:
        return False
    return any(hero_must_live(weights) or not _idle(effect) for effect in minion.card.on("turn_end"))


def _idle(effect: Effect) -> bool:
    """At the end of the turn: does it change nothing that the eight terms count?"""
    if effect.do in ("draw", "armor"):
        return True
    if effect.do == "summon":
        return effect.side == "friendly"
    helps = effect.do == "heal" or (effect.do == "buff" and effect.attack >= 0 and effect.health >= 0)
    return helps and effect.to is not None and (effect.to.side == "friendly" or effect.to.select == "self")


def plain_hand(state: GameState) -> tuple[HandCard, ...]:
    """The cards in hand that are bodies and no more.

    Where an aura changes who comes in, those who could fight at once are not among them.
    """
    aura = under_auras(state)
    return tuple(
        held
        for held in state.me.hand
        if plain_card(held.card) and not (aura and held.card.keywords & (CHARGE | RUSH))
    )


def bodies_only(state: GameState) -> GameState:
    """The state with nothing in hand but these."""
    hand = plain_hand(state)
    return state if len(hand) == len(state.me.hand) else state._replace(me=state.me._replace(hand=hand))
