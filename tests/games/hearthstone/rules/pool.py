"""A pool of cards that uses the whole vocabulary of effects, and decks from it."""

from __future__ import annotations

from random import Random

from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.cards.effect_vocabulary import HOOKS
from planner.games.hearthstone.cards.keywords import NAMES
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.state import Minion
from planner.games.hearthstone.rules.targeting import Spot
from tests.build import card, effect, spell, weapon_card

HOOK = "tests: swap attack and health"
TOKEN = card(1, 1, "rush", name="Token")
TOKENS = [card(0, 2, "taunt", name="Wall"), card(2, 1, "charge", name="Dog"), TOKEN]


def _swap(state: MutableState, side: int, source: Minion | None, spots: list[Spot]) -> None:
    for owner, position in spots:
        minion = state.sides[owner].board[position]
        state.sides[owner].board[position] = minion._replace(
            attack=minion.health,
            health=minion.attack,
            max_health=minion.attack,
            attack_this_turn=0,
            aura_attack=0,
            aura_health=0,
        )


HOOKS.setdefault(HOOK, _swap)

# One card for each keyword, cheap enough to be played.
KEYWORD_CARDS = [
    card(2, 2, word, cost=number % 4, name=f"{word} 2/2", tribes=("mech",) if number % 3 == 0 else ())
    for number, word in enumerate(NAMES)
    if word != "frozen"
] + [card(3, 3, "frozen reborn taunt", cost=2, name="Ice")]

EFFECT_CARDS = [
    spell(effect("damage", "chosen character", amount=3), name="Bolt"),
    spell(effect("damage", "all enemy minions", amount=1), words="lifesteal echo", name="Drain"),
    spell(effect("damage", "all enemy characters", amount=4, split=True), name="Missiles"),
    spell(effect("heal", "chosen friendly character", amount=4), effect("draw", count=1), name="Cure"),
    spell(effect("armor", amount=3), cost=0, name="Plate"),
    spell(effect("buff", "chosen minion", attack=2, health=2, keywords="taunt"), overload=1, name="Growth"),
    spell(effect("buff", "all friendly minions", attack=2, keywords="immune windfury", this_turn=True), name="Rage"),
    spell(effect("buff", "chosen enemy minion", attack=-3, this_turn=True), cost=0, name="Weaken"),
    spell(effect("buff", "friendly hero", attack=2, keywords="lifesteal windfury", this_turn=True), name="Claws"),
    spell(effect("summon", makes=TOKENS, count=2), cost=2, name="Call"),
    spell(effect("destroy", "chosen damaged minion"), cost=2, name="Execute"),
    spell(effect("silence", "chosen minion"), cost=0, name="Hush"),
    spell(effect("freeze", "random enemy character"), effect("draw", count=1), cost=1, name="Frost"),
    spell(effect("equip", makes=weapon_card(2, 2, "windfury poisonous")), cost=2, name="Forge"),
    spell(effect("mana", amount=2), cost=0, name="Spark"),
    spell(effect("mana", amount=1, crystals=True), words="tradeable", cost=2, name="Bloom"),
    spell(effect("hook", "chosen minion", name=HOOK), cost=1, name="Swap"),
    spell(effect("damage", "enemy hero", amount=2, combo=False), effect("destroy", "random enemy minion", combo=True)),
    weapon_card(3, 2, "lifesteal", effect("damage", "all enemy minions", amount=1), cost=2),
    card(1, 3, "", effect("buff", "all other friendly minions", attack=1, health=1, on="aura"), cost=2, name="Chief"),
    card(1, 3, "", effect("buff", "all enemy minions", attack=-1, on="aura"), cost=2, name="Gloom"),
    card(2, 1, "", effect("summon", makes=TOKEN, count=2, on="death"), cost=2, name="Nest"),
    card(1, 1, "reborn", effect("damage", "all minions", amount=1, on="death"), cost=1, name="Bomb"),
    card(2, 2, "", effect("draw", count=1, on="death"), cost=1, name="Hoarder"),
    card(1, 4, "", effect("damage", "random enemy character", amount=2, on="turn_end"), cost=2, name="Ragnaros"),
    card(0, 3, "", effect("heal", "all friendly characters", amount=1, on="turn_start"), cost=1, name="Totem"),
    card(2, 2, "", effect("destroy", "self", on="turn_end"), cost=0, name="Ghost"),
    card(1, 2, "", effect("damage", "chosen enemy minion", amount=2), cost=1, name="Archer"),
    card(2, 2, "", effect("silence", "all other minions"), cost=3, name="Silencer"),
    card(1, 2, "", cost=1, spell_damage=1, name="Caster"),
    card(4, 4, "", effect("summon", makes=TOKEN, side="enemy", count=2), cost=2, overload=1, name="Gift"),
    card(2, 2, "magnetic divine_shield", cost=1, tribes=("mech",), name="Module"),
    card(3, 3, "", effect("damage", "all other characters", amount=1, on="turn_end"), cost=3, name="Storm"),
    card(1, 2, "", effect("add", makes=TOKENS, count=2), effect("add", makes=TOKEN, on="death"), cost=1, name="Giver"),
    card(4, 2, "charge", effect("discard", count=1), effect("draw", count=1, side="enemy"), cost=2, name="Spender"),
    spell(effect("hone", attack=1, health=1, keywords="lifesteal"), cost=0, name="Hone"),
    card(2, 2, "", effect("disarm", side="enemy"), effect("destroy", "chosen minion attack<=2", given="weapon")),
    card(1, 4, "", effect("buff", "damaged self", attack=3, on="aura"), cost=2, name="Berserk"),
    spell(effect("set_attack", "all minions", amount=1), effect("set_health", "all minions", amount=3), name="Level"),
    spell(effect("return", "chosen minion"), effect("armor", amount=1, times="hand"), name="Sap"),
    spell(effect("transform", "chosen minion", makes=TOKEN), cost=2, name="Hex"),
    card(1, 3, "", effect("draw", count=1, on="cast"), effect("damage", "all minions", amount=1, on="after_cast")),
    card(2, 3, "", effect("buff", "self", health=1, on="after_power"), effect("armor", amount=1, on="after_swing")),
    card(2, 4, "", effect("buff", "self", attack=1, on="attack"), effect("return", "self", on="after_attack")),
]
POOL: tuple[Card, ...] = (*KEYWORD_CARDS, *EFFECT_CARDS)


def decks(rng: Random, size: int = 15) -> tuple[Deck, Deck]:
    """Return two random decks from the pool, each with a hero power."""
    powers = catalogue.standard().hero_powers

    def deck(name: str) -> Deck:
        hero = rng.choice(CLASSES)
        return Deck(name, hero, tuple(rng.choice(POOL) for _ in range(size)), powers[hero])

    return deck("first"), deck("second")
