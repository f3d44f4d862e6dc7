"""Themes of generated states: keywords and effects that interact."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.effect_vocabulary import Effect
from tests.build import card, effect, weapon_card

BANNER: Final = card(1, 1, "", effect("buff", "all other friendly minions", health=2, on="aura"), name="Banner")
GROWTH: Final = effect("mana", amount=1, crystals=True, empty=True, makes=standard()["Excess Mana"])


class Theme(NamedTuple):
    """A theme: keywords that minions have more often, and effects that interact with them."""

    words: tuple[str, ...] = ()
    hand: tuple[Effect, ...] = ()  # my spells
    texts: tuple[Effect, ...] = ()  # on minions of both sides
    cards: tuple[str, ...] = ()  # keywords of my hand cards
    crowded: bool = False
    frail: bool = False  # low health on both sides


THEMES: Final = {
    "anything": Theme(),
    "silence and reborn": Theme(
        ("reborn", "taunt"),
        (effect("silence", "chosen minion"), effect("destroy", "chosen minion"), effect("silence", "all minions")),
    ),
    "poison and windfury": Theme(("poisonous", "windfury", "mega_windfury", "divine_shield", "lifesteal")),
    "auras on both sides": Theme(
        ("taunt", "rush"),
        (effect("damage", "all minions", amount=1), effect("silence", "chosen minion")),
        (
            effect("buff", "all other friendly minions", health=2, on="aura"),
            effect("buff", "all enemy minions", attack=-1, on="aura"),
            effect("buff", "all damaged minions", attack=2, on="aura"),
            effect("buff", "all minions", attack=1, health=1, on="aura"),
        ),
        frail=True,
    ),
    "echo and magnetic": Theme(("reborn", "windfury"), (), (), ("echo", "magnetic", "magnetic", "tradeable")),
    "ends of turns": Theme(
        ("reborn",),
        (),
        (
            effect("damage", "self", amount=1, on="turn_end"),
            effect("heal", "all friendly characters", amount=2, on="turn_end"),
            effect("damage", "all characters", amount=1, on="turn_end"),
            effect("destroy", "all other friendly minions", on="turn_start"),
            effect("damage", "enemy hero", amount=2, on="turn_start"),
            effect("summon", makes=BANNER, on="turn_end"),
            effect("silence", "all other minions", on="turn_end"),
        ),
        frail=True,
    ),
    "deathrattles": Theme(
        ("reborn", "lifesteal", "poisonous"),
        (effect("damage", "all characters", amount=2),),
        (
            effect("damage", "all minions", amount=1, on="death"),
            effect("heal", "enemy hero", amount=5, on="death"),
            effect("damage", "enemy hero", amount=3, on="death"),
            effect("buff", "friendly hero", health=3, on="death"),
            effect("buff", "all friendly minions", attack=1, health=1, on="death"),
        ),
        frail=True,
    ),
    "full hands": Theme(
        (),
        (GROWTH, effect("draw", count=2)),
        (replace(GROWTH, on="death"), replace(GROWTH, on="turn_end"), effect("draw", count=1, on="turn_start")),
        ("echo", "tradeable"),
        frail=True,
    ),
    "full boards": Theme(("taunt", "rush", "charge"), crowded=True),
    "near lethal": Theme(
        ("charge", "windfury", "divine_shield"),
        (effect("damage", "chosen character", amount=2), effect("damage", "all enemy characters", amount=1)),
        frail=True,
    ),
    "burn and attackers": Theme(
        ("charge", "taunt", "divine_shield"),
        (
            effect("damage", "chosen character", amount=3),
            effect("damage", "chosen enemy minion", amount=2),
            effect("damage", "all enemy minions", amount=1),
        ),
        frail=True,
    ),
    "freeze and windfury": Theme(
        ("windfury", "mega_windfury", "freeze"),
        (
            effect("freeze", "chosen character"),
            effect("buff", "chosen friendly minion", keywords="windfury", this_turn=True),
            effect("silence", "chosen minion"),
        ),
    ),
    "attacks of this turn": Theme(
        ("reborn",),
        (
            effect("buff", "chosen minion", attack=-2, this_turn=True),
            effect("buff", "all friendly minions", attack=1, this_turn=True),
            effect("buff", "chosen enemy minion", attack=2),
            effect("buff", "chosen minion", attack=-1),
        ),
        (effect("buff", "all minions", attack=-1, on="aura"), effect("buff", "self", attack=2, on="turn_end")),
    ),
    "combo": Theme(
        (),
        (
            effect("damage", "chosen enemy character", amount=3, combo=True),
            effect("buff", "chosen minion", attack=1, health=1, combo=False),
            effect("mana", amount=1),
        ),
        (),
        ("echo",),
    ),
    "lifesteal near death": Theme(
        ("lifesteal", "poisonous"),
        (
            effect("damage", "all characters", amount=2),
            effect("damage", "friendly hero", amount=2),
            effect("buff", "chosen minion", keywords="lifesteal divine_shield"),
        ),
        (
            effect("damage", "friendly hero", amount=2, on="death"),
            effect("damage", "all heroes", amount=1, on="turn_end"),
        ),
        frail=True,
    ),
    "draws": Theme(
        (),
        (effect("draw", count=2), effect("damage", "chosen character", amount=1)),
        (effect("draw", count=1, on="death"), effect("draw", count=1, on="turn_end")),
        ("tradeable",),
        frail=True,
    ),
    "gifts of the dead": Theme(
        ("reborn", "taunt"),
        (effect("destroy", "chosen minion"), effect("buff", "chosen minion", keywords="reborn")),
        (
            effect("mana", amount=1, on="death"),
            effect("summon", on="death", makes=BANNER, side="enemy"),
            effect("armor", amount=2, on="death"),
            effect("silence", "all other minions", on="death"),
        ),
        frail=True,
    ),
    "the hero in arms": Theme(
        ("taunt", "freeze"),
        (
            effect("equip", makes=weapon_card(2, 1, "windfury")),
            effect("equip", makes=weapon_card(1, 2, "poisonous lifesteal")),
            effect("buff", "friendly hero", attack=2, this_turn=True),
            effect("buff", "friendly hero", attack=1, keywords="windfury", this_turn=True),
        ),
        (effect("equip", makes=weapon_card(3, 1, "freeze"), on="death"),),
    ),
}
