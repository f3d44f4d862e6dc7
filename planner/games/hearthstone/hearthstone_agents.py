"""The agents of this game: a base class, random actions, and a greedy agent that looks one action ahead."""

from __future__ import annotations

import math
from random import Random
from typing import Final

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
from planner.games.hearthstone.rules.legal import awaits_mulligan, legal_actions
from planner.games.hearthstone.rules.resolve import apply_verified
from planner.games.hearthstone.rules.state import GameState, Player, unspent_attack
from planner.games.hearthstone.turn.hearthstone_weights import Weights


class BaseAgent:
    """Base class of agents that keep their starting hand and only decide the actions of their turns."""

    name = "agent"

    def decide(self, state: GameState) -> Action:
        """Return the mulligan, or the next action of this turn."""
        if state.turn < 1 and awaits_mulligan(state):
            return self.mulligan(state)
        return self.act(state)

    def mulligan(self, state: GameState) -> Mulligan:  # noqa: ARG002  (subclasses use it)
        """Return which cards of the starting hand to replace: none."""
        return Mulligan()

    def act(self, state: GameState) -> Action:
        """Return the next action of this turn; `EndTurn()` ends it."""
        raise NotImplementedError(f"{type(self).__name__} must define act()")


def mulligan_expensive(state: GameState, max_cost: int = Weights.mulligan_cost) -> Mulligan:
    """Replace the cards above this cost, since the first turns decide most."""
    return Mulligan(tuple(card.id for card in state.me.hand if card.cost > max_cost))


class RandomPlayer(BaseAgent):
    """Plays each legal action with the same probability, and keeps its starting hand."""

    name = "random"

    def __init__(self, rng: Random) -> None:
        self._random = rng.random

    def decide(self, state: GameState) -> Action:
        """Return one of the legal actions of the turn, which may be its end."""
        if not (actions := legal_actions(state)):
            return Mulligan()
        # Three times as fast as rng.choice, and practically as uniform: a turn has a few dozen actions, not 2 ** 53.
        return actions[int(self._random() * len(actions))]


# -- the greedy agent

# The value of one of each. A card in hand is worth less than the smallest minion that it could become (a 1/1),
# otherwise nothing would be played, and more than the 2 health that a warlock pays for it. A point of the attack that a
# hero can still use is worth less than the damage it deals, otherwise the hero would never attack.
HEALTH: Final = 2  # a point of the hero's health or armor
STAT: Final = 3  # a point of a minion's attack or health
KEYWORD: Final = 1
CARD: Final = 5
HERO_ATTACK: Final = 1  # a point of the hero's attack, for each attack that is left
WIN: Final = 100_000
_EVEN_ODDS: Final = 30  # a lead of this value, such as 15 health, wins about three matches of four
CERTAIN_VALUE: Final = 20 * _EVEN_ODDS  # of a position: a larger lead is not more certain

_GOOD_KEYWORDS: Final = (
    TAUNT | CHARGE | WINDFURY | MEGA_WINDFURY | DIVINE_SHIELD | POISONOUS | LIFESTEAL | STEALTH | REBORN
)


def state_value(state: GameState) -> int:
    """Return the value of the position for `me`: its own value minus the enemy's."""
    return _player_value(state.me) - _player_value(state.enemy)


def _player_value(player: Player) -> int:
    hero = player.hero
    if hero.health <= 0:
        return -WIN
    value = HEALTH * (hero.health + hero.armor) + CARD * len(player.hand)
    for minion in player.board:
        value += STAT * (minion.attack + minion.health) + KEYWORD * (minion.keywords & _GOOD_KEYWORDS).bit_count()
    if player.weapon is not None:
        value += HERO_ATTACK * player.weapon.attack * player.weapon.durability
    return value + HERO_ATTACK * unspent_attack(hero)


def estimate_points(state: GameState) -> tuple[float, float]:
    """Return the points that each seat can expect, by the value of the position."""
    own = win_share(state_value(state))
    return (own, 1 - own) if state.seat == 0 else (1 - own, own)


def win_share(value: int) -> float:
    """Return the points that a player can expect from a position of this value."""
    return 1 / (1 + math.exp(-max(-CERTAIN_VALUE, min(CERTAIN_VALUE, value)) / _EVEN_ODDS))


class GreedyAgent(BaseAgent):
    """Plays the action after which the position has the highest value, as long as the value rises.

    Random outcomes are tried once with the agent's own generator, so it expects the outcome that it saw there.
    """

    name = "greedy"

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def act(self, state: GameState) -> Action:
        """Return the best action, the first of equals, or `EndTurn` if none raises the value."""
        best: Action = EndTurn()
        best_value = state_value(state)
        for action in legal_actions(state):
            if not isinstance(action, EndTurn):
                value = state_value(apply_verified(state, action, self._rng))
                if value > best_value:
                    best, best_value = action, value
        return best

    def mulligan(self, state: GameState) -> Mulligan:
        """Replace the cards that cannot be played early."""
        return mulligan_expensive(state)
