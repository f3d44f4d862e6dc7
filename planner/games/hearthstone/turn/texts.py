"""Where texts of cards can matter in the rest of a turn, and where only bodies are left to be played and to fight."""

from __future__ import annotations

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effects import ANSWERS
from planner.games.hearthstone.cards.keywords import ECHO, MAGNETIC, REBORN, TRADEABLE
from planner.games.hearthstone.rules.legal import TRADE_COST
from planner.games.hearthstone.rules.state import GameState, Minion, is_over
from planner.games.hearthstone.turn.weights import Weights


def only_bodies(state: GameState) -> bool:
    """Can no action of the rest of this turn do more than a plain play of a body or a plain blow?

    The engine asks the same question (`only_bodies` in engine/plain.cpp), and a test compares the answers.
    """
    mine, theirs = state.me.board, state.enemy.board
    return (
        not any(_reacts(minion, ("death", "aura", "turn_end", *ANSWERS)) for minion in mine)
        and not any(_reacts(minion, ("death", "aura")) for minion in theirs)
        and not _texts_in_hand(state)
    )


def _reacts(minion: Minion, triggers: tuple[str, ...]) -> bool:
    """Can its text do something by itself? Silence takes it away, and being reborn brings it back."""
    if not minion.card.effects or (minion.silenced and not minion.keywords & REBORN):
        return False
    return any(effect.on in triggers for effect in minion.card.effects)


def is_body(card: Card) -> bool:
    """Is it a body and no more? Such a card is played for what it is, whenever there are mana and room."""
    texts = any(effect.on != "turn_start" for effect in card.effects)
    return card.type == "minion" and not card.keywords & (ECHO | MAGNETIC) and not texts


def _texts_in_hand(state: GameState) -> bool:
    """Is there a card or hero power with a text that can be paid? Bodies give no mana, so what is there now is all."""
    me = state.me
    power = me.power
    if power is not None and power.type != "hidden" and not me.power_used and power.cost <= me.mana:
        return True
    for held in me.hand:
        card = held.card
        if held.cost <= me.mana and card.type != "hidden" and not is_body(card):
            return True
        if card.keywords & TRADEABLE and me.mana >= TRADE_COST and me.deck:
            return True
    return False


def in_the_program(state: GameState, weights: Weights) -> bool:
    """Does the program of exact.py know all that can happen and count in the rest of this turn?"""
    if is_over(state) or weights.extra or any(minion.attack_this_turn for minion in state.enemy.board):
        return False  # it counts the eight terms, and an enemy's attack now as its attack in the end
    return only_bodies(state)
