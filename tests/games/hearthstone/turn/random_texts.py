"""Small random turns in which texts matter: every card of the collection takes its turn, beside cards that change its
worth. Small enough to try every sequence."""

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
from tests.games.hearthstone.cards.expected import SIMPLE
from tests.games.hearthstone.turn import random_states

CARDS: Final = standard()
COLLECTION: Final = tuple(CARDS[printed.name] for printed in SIMPLE)
_SIMPLE_NAMES: Final = frozenset(card.name for card in COLLECTION)


def _own(name: str, on: str, do: str, to: str | None = None, **fields: int | bool) -> Card:
    """Return a minion with one effect that no card of the catalogue has."""
    target = None if to is None else Target.parse(to)
    return Card(name, cost=2, attack=2, health=2, effects=(Effect(do, on=on, to=target, **fields),))  # type: ignore[arg-type]


# Triggers and effects that the catalogue does not pair.
OWN: Final = (
    _own("Sparkler", "death", "damage", "random enemy character", amount=2),
    _own("Avenger", "death", "buff", "all friendly minions", attack=1, health=1),
    _own("Nurse", "death", "heal", "friendly hero", amount=4),
    _own("Frost Heart", "death", "freeze", "all enemy minions"),
    _own("Hush", "death", "silence", "all enemy minions"),
    _own("Armourer", "turn_end", "armor", amount=2),
    _own("Drizzle", "turn_end", "damage", "all enemy minions", amount=1),
    _own("Firefly", "turn_end", "damage", "all enemy characters", amount=2, split=True),
    _own("Old Guard", "aura", "buff", "all other friendly minions", health=2),
    _own("Fear", "aura", "buff", "all enemy minions", attack=-1),
    _own("Fury", "play", "buff", "all other friendly minions", attack=1, this_turn=True),
    _own("Dart", "play", "damage", "random enemy minion", amount=2),
)
TEXTS: Final = tuple(card for card in CARDS.values() if card.effects and card.type != "hero_power"
                     and card.name not in _SIMPLE_NAMES) + OWN  # fmt: skip
TEXT_MINIONS: Final = tuple(card for card in TEXTS if card.type == "minion")
MINIONS: Final = tuple(card for card in COLLECTION if card.type == "minion" and card.cost <= 6)
CHEAP: Final = tuple(card for card in (*COLLECTION, *TEXTS) if card.cost <= 3)
DICE: Final = tuple(card for card in (*COLLECTION, *TEXTS) if any(effect.random for effect in card.effects))
WIDEST: Final = 5000  # keeps the search of all sequences below half a second, nearly always
WEAPONS: Final = tuple(card for card in CARDS.values() if card.type == "weapon")


def featured(seed: int) -> tuple[Card, Card]:
    """The two cards of the collection whose turn it is."""
    return COLLECTION[2 * seed % len(COLLECTION)], COLLECTION[(2 * seed + 1) % len(COLLECTION)]


def text_case(seed: int) -> tuple[GameState, Weights]:
    """The random turn with this number."""
    rng = Random(seed)
    return text_state(rng, *featured(seed)), random_weights(rng)


def text_state(rng: Random, first: Card, second: Card) -> GameState:
    """A turn with the first card in hand, and the second in hand or, a minion without text, on a board.

    In hand, either can be paid.
    """
    hand = [first]
    mine: list[Card] = []
    theirs: list[Card] = []
    if second.type == "minion" and not second.effects and rng.random() < 0.7:
        (mine if rng.random() < 0.5 else theirs).append(second)
    else:
        hand.append(second)
    least_mana = max(card.cost for card in hand)
    if rng.random() < 0.5:
        hand.append(rng.choice(rng.choice((CHEAP, CHEAP, DICE, (CARDS["The Coin"],)))))
    rng.shuffle(hand)
    fillers = [(rng.random() < 0.5, _filler(rng)) for _ in range(rng.randint(2, 6))]
    while True:
        my_cards = [*mine, *(card for is_mine, card in fillers if is_mine)][:3]
        their_cards = [*theirs, *(card for is_mine, card in fillers if not is_mine)][:3]
        state = _with_players(rng, hand, my_cards, their_cards, least_mana)
        if not fillers or _width(state) <= WIDEST:
            return state
        fillers.pop()


def _width(state: GameState) -> int:
    """About how many ends this turn has, were there no taunts and room for all: each who can act multiplies them."""
    me, targets = state.me, len(state.enemy.board) + 1
    characters = len(me.board) + 1 + targets
    attacks = sum(minion.attacks_left for minion in me.board if minion.attack)
    attacks += me.hero.attacks_left if hero_attack(me) else 0
    cards = [held.card for held in me.hand if held.cost <= me.mana] + ([me.power] if me.power else [])
    coming = [*cards, *(made for card in cards for effect in card.effects for made in effect.made)]
    at_once = (card for card in coming if card.type == "weapon" or card.keywords & (CHARGE | RUSH))
    attacks += sum(attacks_per_turn(card.keywords) for card in at_once)
    width: int = (1 + targets) ** attacks
    for card in cards:
        width *= 1 + (characters if card.target(True) else 1)
    rolling = [*cards, *(minion.card for minion in (*me.board, *state.enemy.board))]
    for effect in (effect for card in rolling for effect in card.effects if effect.random):
        width *= characters * effect.amount if effect.split else characters if effect.on == "turn_end" else 2
    return width


def _filler(rng: Random) -> Card:
    return rng.choice(TEXT_MINIONS if rng.random() < 0.5 else MINIONS)


def _with_players(rng: Random, hand: list[Card], mine: list[Card], theirs: list[Card], least_mana: int) -> GameState:
    order = rng.sample(range(1, 20), len(mine) + len(theirs))
    my_board = tuple(_minion(rng, card, f"me.board.{n}", order.pop()) for n, card in enumerate(mine))
    their_board = tuple(_minion(rng, card, f"enemy.board.{n}", order.pop()) for n, card in enumerate(theirs))
    held = tuple(
        HandCard(f"me.hand.{n}", card, card.cost, rng.choice((1, 1, 1, 0, 2, 0.5))) for n, card in enumerate(hand)
    )
    deck = _hidden("me.deck", rng.choice((0, 1, 2, 9)))
    weapon = _weapon(rng.choice(WEAPONS)) if rng.random() < 0.2 else None
    power = rng.choice(tuple(CARDS.hero_powers.values())) if rng.random() < 0.3 else None
    me = Player(
        _hero(rng, 12, weapon), my_board, held, deck, mana=rng.randint(least_mana, 10), crystals=10, weapon=weapon,
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
    more_attack, more_health = (rng.choice((0, 1, 2)), rng.choice((0, 1, 2))) if rng.random() < 0.2 else (0, 0)
    top = card.health + more_health
    health = rng.randint(1, top) if rng.random() < 0.35 else top
    gained = rng.choice((FROZEN, STEALTH, IMMUNE, CANNOT_ATTACK)) if rng.random() < 0.1 else 0
    kept = card.keywords | gained
    most = attacks_per_turn(kept)
    left = most if rng.random() < 0.85 else rng.randint(0, most)
    attack = card.attack + more_attack
    silenced = rng.random() < 0.05
    if silenced:
        attack, top, health, kept, left = card.attack, card.health, min(health, card.health), gained, min(left, 1)
    return Minion(name, card, attack, health, top, kept, left, rng.random() < 0.1, entered, silenced)


def _hero(rng: Random, most: int, weapon: Weapon | None) -> Hero:
    top = rng.choice((most, 30))
    kept = rng.choice((FROZEN, IMMUNE)) if rng.random() < 0.06 else 0
    attacks = attacks_per_turn(weapon.keywords) if weapon else 1
    return Hero(rng.randint(1, most), top, rng.choice((0, 0, 0, 2, 5)), kept, rng.choice((0, 0, 0, 0, 2)), attacks)


def _hidden(zone: str, count: int) -> tuple[HandCard, ...]:
    return tuple(HandCard(f"{zone}.{number}", HIDDEN, 0) for number in range(count))


def _weapon(card: Card) -> Weapon:
    return Weapon(card, card.attack, card.health, card.keywords)


def random_weights(rng: Random) -> Weights:
    """A profile or random numbers, in three of ten turns with some of the further terms."""
    weights = random_states.random_weights(rng)
    if rng.random() < 0.7:
        return weights
    choices = (0, 0, 1, 2, 3, 0.5, 1.25, -1, -2)
    return Weights.of(weights.terms() | {term: rng.choice(choices) for term in EXTRA_TERMS})
