"""Small random turns in which card effects matter.

The seed selects two cards of the collection in rotation and adds cards that change their value. Each turn is small
enough to try every sequence of actions.
"""

from __future__ import annotations

from random import Random
from typing import Final

from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.effect_vocabulary import Effect, Target
from planner.games.hearthstone.cards.keywords import (
    CANNOT_ATTACK,
    CHARGE,
    FROZEN,
    IMMUNE,
    RUSH,
    STEALTH,
    attacks_per_turn,
)
from planner.games.hearthstone.rules.effect_resolution import refresh_auras
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player, Weapon, hero_attack
from planner.games.hearthstone.turn.hearthstone_weights import EXTRA_TERMS, Weights
from tests.build import is_random
from tests.games.hearthstone.cards.expected import SIMPLE
from tests.games.hearthstone.turn import random_states

CARDS: Final = standard()
COLLECTION: Final = tuple(CARDS[printed.name] for printed in SIMPLE)
_SIMPLE_NAMES: Final = frozenset(card.name for card in COLLECTION)


def _custom(name: str, on: str, do: str, to: str | None = None, **fields: int | bool) -> Card:
    """Return a minion with one effect that no card of the catalogue has."""
    target = None if to is None else Target.parse(to)
    return Card(name, cost=2, attack=2, health=2, effects=(Effect(do, on=on, to=target, **fields),))  # type: ignore[arg-type]


# Triggers and effects that the catalogue does not pair.
CUSTOM: Final = (
    _custom("Sparkler", "death", "damage", "random enemy character", amount=2),
    _custom("Avenger", "death", "buff", "all friendly minions", attack=1, health=1),
    _custom("Nurse", "death", "heal", "friendly hero", amount=4),
    _custom("Frost Heart", "death", "freeze", "all enemy minions"),
    _custom("Hush", "death", "silence", "all enemy minions"),
    _custom("Armourer", "turn_end", "armor", amount=2),
    _custom("Drizzle", "turn_end", "damage", "all enemy minions", amount=1),
    _custom("Firefly", "turn_end", "damage", "all enemy characters", amount=2, split=True),
    _custom("Old Guard", "aura", "buff", "all other friendly minions", health=2),
    _custom("Fear", "aura", "buff", "all enemy minions", attack=-1),
    _custom("Fury", "play", "buff", "all other friendly minions", attack=1, this_turn=True),
    _custom("Dart", "play", "damage", "random enemy minion", amount=2),
)
EFFECT_CARDS: Final = tuple(card for card in CARDS.values() if card.effects and card.type != "hero_power"
                     and card.name not in _SIMPLE_NAMES) + CUSTOM  # fmt: skip
EFFECT_MINIONS: Final = tuple(card for card in EFFECT_CARDS if card.type == "minion")
MINIONS: Final = tuple(card for card in COLLECTION if card.type == "minion" and card.cost <= 6)
CHEAP: Final = tuple(card for card in (*COLLECTION, *EFFECT_CARDS) if card.cost <= 3)
RANDOM: Final = tuple(card for card in (*COLLECTION, *EFFECT_CARDS) if any(map(is_random, card.effects)))
MAX_WIDTH: Final = 5000  # keeps the exhaustive search below half a second in nearly every case
WEAPONS: Final = tuple(card for card in CARDS.values() if card.type == "weapon")


def featured(seed: int) -> tuple[Card, Card]:
    """Return the two cards of the collection that this seed selects."""
    return COLLECTION[2 * seed % len(COLLECTION)], COLLECTION[(2 * seed + 1) % len(COLLECTION)]


def effect_case(seed: int) -> tuple[GameState, Weights]:
    """Return the random turn of this seed."""
    rng = Random(seed)
    return effect_state(rng, *featured(seed)), random_weights(rng)


def effect_state(rng: Random, first: Card, second: Card) -> GameState:
    """Return a turn with the first card in hand, and the second in hand or, if it is a vanilla minion, on a board.

    There is enough mana for either of the two.
    """
    hand = [first]
    mine: list[Card] = []
    theirs: list[Card] = []
    if second.type == "minion" and not second.effects and rng.random() < 0.7:
        (mine if rng.random() < 0.5 else theirs).append(second)
    else:
        hand.append(second)
    min_mana = max(card.cost for card in hand)
    if rng.random() < 0.5:
        hand.append(rng.choice(rng.choice((CHEAP, CHEAP, RANDOM, (CARDS["The Coin"],)))))
    rng.shuffle(hand)
    fillers = [(rng.random() < 0.5, _filler(rng)) for _ in range(rng.randint(2, 6))]
    while True:
        my_cards = [*mine, *(card for is_mine, card in fillers if is_mine)][:3]
        their_cards = [*theirs, *(card for is_mine, card in fillers if not is_mine)][:3]
        state = _build_state(rng, hand, my_cards, their_cards, min_mana)
        if not fillers or _width(state) <= MAX_WIDTH:
            return state
        fillers.pop()


def _width(state: GameState) -> int:
    """Estimate the number of sequences: the product of the choices of each attack, card and random effect.

    Ignores taunts and the board limit.
    """
    me, targets = state.me, len(state.enemy.board) + 1
    characters = len(me.board) + 1 + targets
    attacks = sum(minion.attacks_left for minion in me.board if minion.attack)
    attacks += me.hero.attacks_left if hero_attack(me) else 0
    cards = [hand_card.card for hand_card in me.hand if hand_card.cost <= me.mana] + ([me.power] if me.power else [])
    entering = [*cards, *(token for card in cards for effect in card.effects for token in effect.made)]
    ready = (card for card in entering if card.type == "weapon" or card.keywords & (CHARGE | RUSH))
    attacks += sum(attacks_per_turn(card.keywords) for card in ready)
    width: int = (1 + targets) ** attacks
    for card in cards:
        width *= 1 + (characters if card.target(True) else 1)
    sources = [*cards, *(minion.card for minion in (*me.board, *state.enemy.board))]
    for effect in (effect for card in sources for effect in card.effects if is_random(effect)):
        width *= characters * effect.amount if effect.split else characters if effect.on == "turn_end" else 2
    return width


def _filler(rng: Random) -> Card:
    return rng.choice(EFFECT_MINIONS if rng.random() < 0.5 else MINIONS)


def _build_state(rng: Random, hand: list[Card], mine: list[Card], theirs: list[Card], min_mana: int) -> GameState:
    order = rng.sample(range(1, 20), len(mine) + len(theirs))
    my_board = tuple(_minion(rng, card, f"me.board.{n}", order.pop()) for n, card in enumerate(mine))
    their_board = tuple(_minion(rng, card, f"enemy.board.{n}", order.pop()) for n, card in enumerate(theirs))
    hand_cards = tuple(
        HandCard(f"me.hand.{n}", card, card.cost, rng.choice((1, 1, 1, 0, 2, 0.5))) for n, card in enumerate(hand)
    )
    deck = _hidden("me.deck", rng.choice((0, 1, 2, 9)))
    weapon = _weapon(rng.choice(WEAPONS)) if rng.random() < 0.2 else None
    power = rng.choice(tuple(CARDS.hero_powers.values())) if rng.random() < 0.3 else None
    me = Player(
        _hero(rng, 12, weapon), my_board, hand_cards, deck, mana=rng.randint(min_mana, 10), crystals=10, weapon=weapon,
        power=power, power_used=rng.random() < 0.1, cards_played=rng.choice((0, 0, 0, 1)), fatigue=rng.randint(0, 2),
    )  # fmt: skip
    enemy = Player(_hero(rng, 20, None), their_board, deck=_hidden("enemy.deck", 1), fatigue=rng.randint(0, 2))
    fullest = max(1, len(mine), len(theirs))
    limit = 7 if rng.random() < 0.7 else rng.randint(fullest, fullest + 1)
    rules = Ruleset(name=f"board{limit}", board_limit=limit)
    table = MutableState(GameState(me, enemy, rules, turn=9, clock=100), None)
    refresh_auras(table)
    return table.to_state()


def _minion(rng: Random, card: Card, name: str, entered: int) -> Minion:
    bonus_attack, bonus_health = (rng.choice((0, 1, 2)), rng.choice((0, 1, 2))) if rng.random() < 0.2 else (0, 0)
    max_health = card.health + bonus_health
    health = rng.randint(1, max_health) if rng.random() < 0.35 else max_health
    gained = rng.choice((FROZEN, STEALTH, IMMUNE, CANNOT_ATTACK)) if rng.random() < 0.1 else 0
    keywords = card.keywords | gained
    max_attacks = attacks_per_turn(keywords)
    attacks_left = max_attacks if rng.random() < 0.85 else rng.randint(0, max_attacks)
    attack = card.attack + bonus_attack
    silenced = rng.random() < 0.05
    if silenced:
        attack, max_health, health = card.attack, card.health, min(health, card.health)
        keywords, attacks_left = gained, min(attacks_left, 1)
    fresh = rng.random() < 0.1
    return Minion(name, card, attack, health, max_health, keywords, attacks_left, fresh, entered, silenced)


def _hero(rng: Random, health_limit: int, weapon: Weapon | None) -> Hero:
    max_health = rng.choice((health_limit, 30))
    keywords = rng.choice((FROZEN, IMMUNE)) if rng.random() < 0.06 else 0
    attacks = attacks_per_turn(weapon.keywords) if weapon else 1
    health = rng.randint(1, health_limit)
    armor = rng.choice((0, 0, 0, 2, 5))
    return Hero(health, max_health, armor, keywords, rng.choice((0, 0, 0, 0, 2)), attacks)


def _hidden(zone: str, count: int) -> tuple[HandCard, ...]:
    return tuple(HandCard(f"{zone}.{number}", HIDDEN, 0) for number in range(count))


def _weapon(card: Card) -> Weapon:
    return Weapon(card, card.attack, card.health, card.keywords)


def random_weights(rng: Random) -> Weights:
    """Return a profile or random weights; three in ten also weight some of the extra terms."""
    weights = random_states.random_weights(rng)
    if rng.random() < 0.7:
        return weights
    choices = (0, 0, 1, 2, 3, 0.5, 1.25, -1, -2)
    return Weights.of(weights.terms() | {term: rng.choice(choices) for term in EXTRA_TERMS})
