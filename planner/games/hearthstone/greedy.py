"""A baseline that looks one action ahead: it does what makes the table look best at once, while anything does."""

from __future__ import annotations

from random import Random
from typing import Final

from planner.games.hearthstone.agents import BaseAgent, cheap_hand
from planner.games.hearthstone.cards.keywords import (
    CHARGE,
    DIVINE_SHIELD,
    LIFESTEAL,
    MEGA_WINDFURY,
    POISONOUS,
    REBORN,
    STEALTH,
    TAUNT,
    WINDFURY,
)
from planner.games.hearthstone.rules.actions import Action, EndTurn, Mulligan
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.resolve import apply_verified
from planner.games.hearthstone.rules.state import GameState, Player

# What one of each is worth. A card in hand is worth less than the worst minion that it could become (a 1/1), or
# nothing would be played, and more than the 2 health that a warlock pays for it. What a hero can still hit with
# is worth less than the hit, or it would never swing.
HEALTH: Final = 2  # a point of the hero's health or armor
STAT: Final = 3  # a point of a minion's attack or health
KEYWORD: Final = 1
CARD: Final = 5
SWING: Final = 1  # a point of the hero's attack, for every time that it can still hit
WIN: Final = 100_000  # a dead hero is everything

_GOOD: Final = TAUNT | CHARGE | WINDFURY | MEGA_WINDFURY | DIVINE_SHIELD | POISONOUS | LIFESTEAL | STEALTH | REBORN


def board_value(state: GameState) -> int:
    """How good the table looks for `me`: mine minus the enemy's."""
    return _side_value(state.me) - _side_value(state.enemy)


def _side_value(player: Player) -> int:
    hero = player.hero
    if hero.health <= 0:
        return -WIN
    value = HEALTH * (hero.health + hero.armor) + CARD * len(player.hand)
    for minion in player.board:
        value += STAT * (minion.attack + minion.health) + KEYWORD * (minion.keywords & _GOOD).bit_count()
    if player.weapon is not None:
        value += SWING * player.weapon.attack * player.weapon.durability
    if hero.attack_this_turn and hero.attacks_left > 0:
        value += SWING * hero.attack_this_turn
    return value


class GreedyAgent(BaseAgent):
    """The action after which the table looks best, as long as it looks better than before; then the turn ends.

    What chance decides is tried once, with a generator of its own: it hopes for the luck that it saw there.
    """

    name = "greedy"

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def act(self, state: GameState) -> Action:
        """The best action, the first of equals; `EndTurn` where none improves the table."""
        best: Action = EndTurn()
        best_value = board_value(state)
        for action in legal_actions(state):
            if not isinstance(action, EndTurn):
                value = board_value(apply_verified(state, action, self._rng))
                if value > best_value:
                    best, best_value = action, value
        return best

    def mulligan(self, state: GameState) -> Mulligan:
        """Put back what cannot be played early."""
        return cheap_hand(state)
