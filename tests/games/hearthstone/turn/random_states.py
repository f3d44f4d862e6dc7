"""Random states of vanilla minions, heroes and weapons, for comparing the planner with other exact methods."""

from __future__ import annotations

from random import Random

from planner.games.hearthstone.cards import keywords as kw
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player, Weapon
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from tests.build import THESIS_PROFILES

OFFENSIVE = (kw.TAUNT, kw.CHARGE, kw.RUSH, kw.WINDFURY, kw.DIVINE_SHIELD, kw.POISONOUS, kw.LIFESTEAL, kw.STEALTH,
             kw.REBORN, kw.FROZEN, kw.IMMUNE, kw.FREEZE, kw.MEGA_WINDFURY, kw.CANNOT_ATTACK)  # fmt: skip
PRINTED = tuple(bit for bit in OFFENSIVE if bit not in (kw.FROZEN, kw.IMMUNE))


def random_keywords(rng: Random, choices: tuple[int, ...], density: float) -> int:
    bits = 0
    while rng.random() < density:
        bits |= rng.choice(choices)
    if bits & kw.MEGA_WINDFURY and rng.random() < 0.7:
        bits &= ~kw.MEGA_WINDFURY
    return bits


def random_minion(rng: Random, name: str, density: float, entered: int) -> Minion:
    printed = random_keywords(rng, PRINTED, density)
    card = Card(name, cost=rng.randint(0, 5), attack=rng.randint(0, 5), health=rng.randint(1, 6), keywords=printed)
    keywords = printed
    if rng.random() < 0.3:
        keywords = random_keywords(rng, OFFENSIVE, density)
    attack = card.attack if rng.random() < 0.7 else rng.randint(0, 6)
    max_health = card.health if rng.random() < 0.7 else rng.randint(1, 8)
    health = max_health if rng.random() < 0.6 else rng.randint(1, max_health)
    max_attacks = kw.attacks_per_turn(keywords)
    attacks_left = max_attacks if rng.random() < 0.8 else rng.randint(0, max_attacks)
    return Minion(name, card, attack, health, max_health, keywords, attacks_left, rng.random() < 0.1, entered)


def random_state(
    rng: Random, board: int = 4, hand: int = 4, density: float = 0.4, exact_size: bool = False
) -> GameState:
    """Return a state with up to `board` minions a side and up to `hand` cards in hand.

    The board limit is random too, so that full boards occur.
    """

    def size(maximum: int) -> int:
        return maximum if exact_size else rng.randint(0, maximum)

    mine = tuple(random_minion(rng, f"me.board.{n}", density, n) for n in range(size(board)))
    theirs = tuple(random_minion(rng, f"enemy.board.{n}", density, 10 + n) for n in range(size(board)))
    cards = []
    for n in range(size(hand)):
        minion = random_minion(rng, f"me.hand.{n}", density + 0.1, 0)
        value = rng.choice((0, 1, 1, 2, 3, 0.5))
        cards.append(HandCard(f"me.hand.{n}", minion.card, minion.card.cost, value))
    weapon = None
    if rng.random() < 0.35:
        keywords = random_keywords(rng, (kw.WINDFURY, kw.POISONOUS, kw.LIFESTEAL), 0.3)
        card = Card("weapon", "weapon", 1, rng.randint(1, 4), rng.randint(1, 3), keywords)
        weapon = Weapon(card, card.attack, card.health, keywords)

    def hero(low: int, high: int) -> Hero:
        max_health = rng.choice((high, 30))
        health = rng.randint(low, min(max_health, high))
        keywords = random_keywords(rng, (kw.FROZEN, kw.IMMUNE), 0.07)
        attack = rng.choice((0, 0, 0, 1, 2))
        attacks = 2 if weapon and weapon.keywords & kw.WINDFURY else 1
        return Hero(health, max_health, rng.choice((0, 0, 0, 2, 5)), keywords, attack, attacks)

    limit = 7 if exact_size or rng.random() < 0.6 else rng.randint(max(1, len(mine), len(theirs)), 7)
    me = Player(hero(1, 12), mine, tuple(cards), mana=rng.randint(0, 10), crystals=10, weapon=weapon)
    enemy = Player(hero(1, 25), theirs)
    return GameState(me, enemy, Ruleset(name=f"board{limit}", board_limit=limit), clock=100)


def random_weights(rng: Random) -> Weights:
    """Return one of the seven profiles, or random weights that include zero, negative and fractional values."""
    if rng.random() < 0.5:
        return Weights.of(rng.choice(THESIS_PROFILES))
    choices = (0, 0, 1, 2, 3, 5, 10, 20, 0.5, 1.25, -1, -3)
    return Weights.of({term: rng.choice(choices) for term in TERMS})
