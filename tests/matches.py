"""Random matches from a seed, with cards that cover most mechanics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.match_flow import mulligan, start_match
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from tests.build import card, effect, power_card, spell, weapon_card

IMP = card(1, 1, name="Imp", tribes=("demon",))
STICK = weapon_card(1, 3, "windfury")
MINIONS = (
    card(2, 3, "taunt", name="Wall"),
    card(3, 1, "charge", name="Runner"),
    card(2, 2, "windfury rush", name="Whirl"),
    card(1, 4, "divine_shield lifesteal reborn", name="Saint"),
    card(1, 2, "stealth poisonous", name="Snake"),
    card(1, 2, "echo", name="Echo", cost=1),
    card(1, 1, "magnetic rush", name="Plate", tribes=("mech",)),
    card(2, 2, "tradeable", name="Merchant", tribes=("mech",)),
    card(2, 2, "", effect("summon", makes=IMP, count=2, on="death"), name="Nest"),
    card(1, 2, "", effect("buff", "all other friendly minions", attack=1, health=1, on="aura"), name="Banner"),
    card(1, 2, "", effect("buff", "all enemy minions", attack=-1, on="aura"), name="Gloom"),
    card(2, 2, "", effect("silence", "chosen minion"), name="Hush"),
    card(2, 2, "", effect("buff", "chosen minion", attack=2, keywords="windfury", this_turn=True), name="Drum"),
    card(1, 3, "", effect("heal", "all friendly characters", amount=1, on="turn_end"), name="Medic", spell_damage=1),
    card(1, 3, "", effect("damage", "random enemy character", amount=1, on="turn_start"), name="Sniper", overload=1),
)
OTHERS = (
    spell(effect("damage", "chosen character", amount=3), name="Bolt"),
    spell(effect("damage", "all enemy characters", amount=3, split=True), name="Rain"),
    spell(effect("freeze", "all enemy minions"), effect("draw", count=1), name="Frost"),
    spell(effect("mana", amount=1, crystals=True), name="Grow", overload=1),
    weapon_card(2, 2, "lifesteal", effect("armor", amount=2)),
    spell(effect("equip", makes=STICK), name="Whittle"),
)
CARDS = Catalogue([*catalogue.standard().values(), *MINIONS, *OTHERS, IMP, STICK])


def played(seed: int) -> Iterator[tuple[GameState, Action | None]]:
    """Yield each state of a random match with its action; the action is None for a mulligan and at the end."""
    rng = Random(seed)
    shipped = catalogue.standard().values()
    stripped = [replace(card, keywords=0, effects=()) for card in shipped if card.type == "minion"]
    pool: list[Card] = [*MINIONS, *OTHERS, *stripped[:3]]
    power = power_card(effect("summon", makes=IMP), cost=1)
    decks = [Deck(f"{n}", "mage", tuple(rng.choices(pool, k=14)), power) for n in range(2)]
    rules = Ruleset(hero_health=20, mana_start=2, fatigue_growth=2, turn_limit=24, mulligan=seed % 2 == 0)
    state = start_match((decks[0], decks[1]), rules, rng)
    if rules.mulligan:
        yield state, None
        state = mulligan(state, [state.me.hand[0].id], rng)
        state = mulligan(state, [], rng)
    while actions := legal_actions(state):
        # End the turn rarely, so that the match progresses.
        action = rng.choice(actions if len(actions) == 1 or rng.random() < 0.2 else actions[:-1])
        yield state, action
        state = apply(state, action, rng)
    yield state, None
