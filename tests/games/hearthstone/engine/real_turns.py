"""Small turns of fully known real cards, drawn so that their effects interact."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Final

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.effect_vocabulary import Effect
from planner.games.hearthstone.cards.keywords import ECHO, MAGNETIC, NAMES, TRADEABLE, attacks_per_turn, bits
from planner.games.hearthstone.rules.effect_resolution import refresh_auras
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player, Weapon
from tests.games.hearthstone.cards.real import known
from tests.games.hearthstone.engine.turns import Turn, ruled_weights

CLOCK: Final = 40
MAX_COST: Final = 6  # of a card in hand, so that a turn can play several
GAINED: Final = ("frozen", "immune", "stealth")


@cache
def by_kind(kind: str) -> tuple[tuple[frozenset[str], Card], ...]:
    """Return the cards of a type, each with its features."""
    return tuple((_features(card), card) for card in known() if card.type == kind)


def _features(card: Card) -> frozenset[str]:
    """Return what the card does and when, its targets, conditions, keywords and tribes, as words."""
    features = {f"{effect.on} {effect.do}" for effect in card.effects} | {effect.do for effect in card.effects}
    features |= {word for effect in card.effects for word in _words(effect)}
    features |= {name for bit, name in enumerate(NAMES) if card.keywords >> bit & 1}
    features |= {f"tribe {tribe}" for tribe in card.tribes}
    features |= {"overload"} if card.overload else set()
    features |= {"spell_damage"} if card.spell_damage else set()
    return frozenset(features)


def _words(effect: Effect) -> set[str]:
    words = {effect.given} if effect.given else set()
    if effect.combo is not None:
        words.add("combo")
    if effect.to is not None:
        words |= {effect.to.select} | ({f"tribe {effect.to.tribe}"} if effect.to.tribe else set())
        words |= {"damaged"} if effect.to.damaged is not None else set()
    return words | ({f"tribe {effect.given.split()[1]}"} if " " in effect.given else set())


class _Draw:
    """Draws cards, most of them with one of a few features that this turn is about."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        features = {word for kind in ("minion", "spell", "weapon") for words, _ in by_kind(kind) for word in words}
        self.about = frozenset(rng.sample(sorted(features), 4))

    def card(self, kind: str, max_cost: int = 99) -> Card:
        """Draw a card of this type."""
        cards = [(words, card) for words, card in by_kind(kind) if card.cost <= max_cost]
        fitting = [card for words, card in cards if self.about & words]
        return self.rng.choice(fitting if fitting and self.rng.random() < 0.8 else [card for _, card in cards])

    def minion(self, name: str, mine: bool) -> Minion:
        """Draw a minion for a board, as printed or with damage, buffs and gained keywords."""
        rng, card = self.rng, self.card("minion")
        more = (rng.choice((0, 1, 3)), rng.choice((0, 1, 2))) if rng.random() < 0.2 else (0, 0)
        top = card.health + more[1]
        health = rng.randint(1, min(top, 3)) if rng.random() < 0.5 else top
        silenced = rng.random() < 0.05
        gained = bits([rng.choice(GAINED)]) if rng.random() < 0.1 else 0
        kept = (0 if silenced else card.keywords & ~(ECHO | MAGNETIC | TRADEABLE)) | gained
        return Minion(
            name, card, card.attack + more[0], health, top, kept, attacks_per_turn(kept), mine and rng.random() < 0.1,
            rng.randint(0, 20), silenced,
        )  # fmt: skip

    def hand(self, count: int) -> tuple[HandCard, ...]:
        """Draw the own hand."""
        kinds = [self.rng.choice(("minion", "minion", "spell", "spell", "weapon")) for _ in range(count)]
        cards = [self.card(kind, MAX_COST) for kind in kinds]
        return tuple(HandCard(f"me.hand.{index}", card, card.cost, card.value) for index, card in enumerate(cards))

    def player(self, side: str, minions: int, cards: int) -> Player:
        """Draw a player in the middle of a match."""
        rng = self.rng
        weapon = None
        if rng.random() < 0.35:
            card = self.card("weapon")
            weapon = Weapon(card, card.attack, rng.randint(1, card.health), card.keywords)
        powers = standard().hero_powers
        hero = Hero(
            rng.choice((rng.randint(1, 8), rng.randint(1, 30))), 30, rng.choice((0, 0, 2)), 0, 0,
            attacks_per_turn(weapon.keywords if weapon else 0),
        )  # fmt: skip
        deck = tuple(HandCard(f"{side}.deck.{index}", self.card("minion"), 1) for index in range(rng.choice((0, 1, 3))))
        return Player(
            hero,
            tuple(self.minion(f"{side}.board.{index}", side == "me") for index in range(minions)),
            self.hand(cards) if side == "me" else (),
            deck,
            mana=rng.randint(1, 10),
            crystals=10,
            fatigue=rng.choice((0, 2)),
            weapon=weapon,
            power=rng.choice([powers[name] for name in sorted(powers)]) if rng.random() < 0.6 else None,
            power_used=rng.random() < 0.2,
            cards_played=rng.choice((0, 0, 1)),
        )


def real_state(rng: Random) -> GameState:
    """Return a state with boards of real cards on both sides and a hand."""
    draw = _Draw(rng)
    me = draw.player("me", rng.choice((0, 1, 2, 2, 3)), rng.choice((1, 2, 2, 3)))
    enemy = draw.player("enemy", rng.choice((0, 1, 2, 2, 3)), 0)
    limit = rng.choice((7, 7, 4))
    rules = Ruleset(name=f"board{limit}", board_limit=limit)
    state = GameState(me, enemy, rules, turn=rng.randint(1, 9), seat=rng.randint(0, 1), clock=CLOCK)
    table = MutableState(state, None)
    refresh_auras(table)
    while table.remove_dead():
        refresh_auras(table)
    return table.to_state()


def small_turn_of_real_cards(rng: Random) -> Turn:
    """Return such a state as its player sees it, with random weights."""
    state = real_state(rng)
    state = observe(state, state.seat)
    return state, ruled_weights(rng, state)
