"""The expected behaviour of the cards, written by hand from the real cards and independent of the YAML files.

`EFFECTS` lists the changes that playing a card causes, `MORE_KEYWORDS` the keywords that simple_cards.csv does not have,
and `OTHERS` the cards that are not in that file. `oracle.py` resolves groups such as "one minion".
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Fact:
    """One change that playing a card causes."""

    verb: str
    who: str = ""
    amount: int = 0
    attack: int = 0
    health: int = 0
    keywords: frozenset[str] = frozenset()
    this_turn: bool = False
    card: str = ""


@dataclass(frozen=True)
class Printed:
    """A card as the tests expect it."""

    name: str
    type: str
    cost: int
    attack: int = 0
    health: int = 0
    keywords: frozenset[str] = frozenset()
    facts: tuple[Fact, ...] = ()
    card_class: str = "neutral"
    overload: int = 0
    spell_damage: int = 0
    id: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.name


def damage(amount: int, who: str) -> Fact:
    return Fact("damage", who, amount)


def missiles(amount: int, who: str) -> Fact:
    return Fact("missiles", who, amount)


def heal(amount: int, who: str) -> Fact:
    return Fact("heal", who, amount)


def armor(amount: int) -> Fact:
    return Fact("armor", "my hero", amount)


def draw(amount: int) -> Fact:
    return Fact("draw", amount=amount)


def destroy(who: str) -> Fact:
    return Fact("destroy", who)


def freeze(who: str) -> Fact:
    return Fact("freeze", who)


def silence(who: str) -> Fact:
    return Fact("silence", who)


def give(who: str, *words: str, attack: int = 0, health: int = 0, this_turn: bool = False) -> Fact:
    return Fact("give", who, 0, attack, health, frozenset(words), this_turn)


def hero_attack(amount: int) -> Fact:
    return Fact("hero attack", "my hero", amount)


def aura(who: str, attack: int = 0, health: int = 0) -> Fact:
    return Fact("aura", who, attack=attack, health=health)


def summon(card: str, count: int = 1, side: str = "me") -> Fact:
    return Fact("summon", side, count, card=card)


def equip(card: str) -> Fact:
    return Fact("equip", card=card)


def mana(amount: int) -> Fact:
    return Fact("mana", amount=amount)


def empty_crystal() -> Fact:
    return Fact("empty crystal", amount=1)


EFFECTS: dict[str, tuple[Fact, ...]] = {
    # Battlecries: armor, buffs, keywords
    "GVG_053": (armor(5),),
    "BOT_079": (give("one friendly mech", attack=1, health=1),),
    "ICC_094": (give("one friendly minion", attack=1, health=1),),
    "UNG_073": (give("one friendly murloc", attack=1, health=1),),
    "EX1_019": (give("one friendly minion", attack=1, health=1),),
    "DS1_070": (give("one friendly beast", "taunt", attack=2, health=2),),
    "GVG_055": (give("one friendly mech", attack=2, health=2),),
    "AT_096": (give("one friendly mech", attack=1, health=1),),
    "CFM_816": (give("one friendly beast", attack=2, health=2),),
    "ICC_705": (give("one friendly minion", "taunt", attack=4, health=4),),
    "CS2_188": (give("one minion", attack=2, this_turn=True),),
    "VAN_CS2_188": (give("one minion", attack=2, this_turn=True),),
    "ICC_092": (give("one friendly minion", attack=1),),
    "ULD_191": (give("one friendly minion", health=2),),
    "EX1_195": (give("one friendly minion", health=2),),
    "AT_084": (give("one friendly minion", attack=2),),
    "CFM_626": (give("one friendly minion", health=3),),
    "EX1_046": (give("one minion", attack=2, this_turn=True),),
    "EX1_623": (give("one friendly minion", health=3),),
    "VAN_EX1_623": (give("one friendly minion", health=3),),
    "SW_067": (give("one friendly minion", "taunt"),),
    "EX1_362": (give("one friendly minion", "divine_shield"),),
    "VAN_EX1_362": (give("one friendly minion", "divine_shield"),),
    "AT_069": (give("one minion", "taunt"),),
    "VAN_NEW1_014": (give("one friendly minion", "stealth"),),
    "EX1_587": (give("one friendly minion", "windfury"),),
    "BT_142": (hero_attack(1),),
    "SW_093": (hero_attack(2),),
    # Battlecries: damage
    "OG_149": (damage(1, "other minions"),),
    "OG_083": (damage(1, "enemy minions"),),
    "BAR_750": (damage(1, "enemy minions"),),
    "TRL_526": (damage(1, "other minions"),),
    "CS2_064": (damage(1, "other characters"),),
    "CFM_751": (damage(3, "other characters"),),
    "UNG_848": (damage(2, "other minions"),),
    "CS2_189": (damage(1, "one character"),),
    "CFM_647": (damage(1, "one character"),),
    "TRL_512": (damage(1, "one character"),),
    "CS2_141": (damage(1, "one character"),),
    "BOT_308": (damage(2, "one character"),),
    "UNG_084": (damage(2, "one character"),),
    "CS2_150": (damage(2, "one character"),),
    "CS2_042": (damage(4, "one character"),),
    "VAN_CS2_042": (damage(3, "one character"),),
    "ULD_190": (damage(5, "one character"),),
    "AT_103": (damage(4, "one character"),),
    "EX1_593": (damage(3, "enemy hero"),),
    "LOOT_347": (missiles(3, "enemies"),),
    # Battlecries: cards and healing
    "EX1_015": (draw(1),),
    "CS2_147": (draw(1),),
    "DRG_054": (draw(1),),
    "DAL_544": (heal(2, "friends"),),
    "EX1_011": (heal(2, "one character"),),
    "CFM_659": (heal(2, "one character"),),
    "CS2_117": (heal(3, "one character"),),
    "LOOT_388": (heal(2, "friends"),),
    "UNG_938": (heal(3, "one character"),),
    "AT_111": (heal(4, "heroes"),),
    "LOOT_291": (heal(4, "one character"),),
    "DAL_078": (heal(3, "one character"),),
    "DRG_226": (heal(8, "one character"),),
    "GVG_069": (heal(8, "my hero"),),
    "DS1_055": (heal(2, "friends"),),
    "OG_234": (heal(5, "one character"),),
    "EX1_583": (heal(4, "my hero"),),
    "CS2_088": (heal(6, "my hero"),),
    "VAN_CS2_088": (heal(6, "my hero"),),
    # Spells: armor, buffs, keywords
    "UNG_923": (armor(5),),
    "OG_223": (give("one minion", attack=1, health=2),),
    "BT_257": (give("one minion", "lifesteal", attack=1, health=2),),
    "EX1_194": (give("one minion", attack=2, health=6),),
    "OG_094": (give("one minion", attack=2, health=6),),
    "CFM_614": (give("my minions", attack=1, health=1),),
    "DRG_215": (give("my minions", attack=1, health=1),),
    "BAR_534": (give("my minions", attack=1, health=3),),
    "CS2_087": (give("one minion", attack=3),),
    "ULD_265": (give("one minion", "reborn"),),
    "EX1_371": (give("one minion", "divine_shield"),),
    "CS2_039": (give("one minion", "windfury"),),
    "TRL_243": (hero_attack(2),),
    "CS2_105": (hero_attack(4),),
    "BT_512": (hero_attack(8),),
    # Spells: damage
    "BOT_246": (damage(1, "minions"),),
    "DRG_206": (damage(1, "characters"),),
    "EX1_400": (damage(1, "minions"),),
    "CS2_025": (damage(1, "enemy minions"),),
    "EX1_259": (damage(3, "enemy minions"),),
    "CFM_065": (damage(2, "minions"),),
    "CS2_093": (damage(2, "enemies"),),
    "CS2_062": (damage(3, "characters"),),
    "BT_235": (damage(4, "minions"),),
    "CFM_094": (damage(5, "characters"),),
    "CS2_032": (damage(5, "enemy minions"),),
    "VAN_CS2_032": (damage(4, "enemy minions"),),
    "CS2_008": (damage(1, "one character"),),
    "DS1_185": (damage(2, "one character"),),
    "VAN_CS1_130": (damage(2, "one character"),),
    "EX1_238": (damage(3, "one character"),),
    "GVG_015": (damage(3, "one character"),),
    "EX1_241": (damage(5, "one character"),),
    "CS2_029": (damage(6, "one character"),),
    "EX1_279": (damage(10, "one character"),),
    "CS2_075": (damage(3, "enemy hero"),),
    "DS1_233": (damage(5, "enemy hero"),),
    "CS2_072": (damage(2, "one undamaged minion"),),
    "GIL_600": (damage(2, "one minion"),),
    "TRL_321": (damage(4, "one damaged minion"),),
    "CS1_130": (damage(3, "one minion"),),
    "LOOT_060": (damage(8, "one minion"),),
    "OG_206": (damage(4, "one minion"),),
    "CS2_057": (damage(4, "one minion"),),
    "AT_001": (damage(8, "one minion"),),
    "EX1_277": (missiles(3, "enemies"),),
    "VAN_EX1_277": (missiles(3, "enemies"),),
    "DMF_522": (missiles(5, "minions"),),
    "GIL_147": (missiles(5, "enemies"),),
    "OG_116": (missiles(9, "characters"),),
    "UNG_025": (missiles(15, "minions"),),
    "EX1_384": (missiles(8, "enemies"),),
    "VAN_EX1_384": (missiles(8, "enemies"),),
    "DMF_103": (missiles(10, "enemies"),),
    "CS2_076": (destroy("one enemy minion"),),
    "VAN_CS2_076": (destroy("one enemy minion"),),
    "EX1_312": (destroy("minions"),),
    # Spells: cards, freeze, healing
    "AT_053": (draw(2),),
    "CS2_023": (draw(2),),
    "CS2_077": (draw(4),),
    "VAN_CS2_077": (draw(4),),
    "CS2_026": (freeze("enemy minions"),),
    "EX1_621": (heal(4, "minions"),),
    "BAR_309": (heal(5, "heroes"),),
    "TRL_128": (heal(3, "one character"),),
    "UNG_030": (heal(5, "one minion"), heal(5, "my hero")),
    "AT_055": (heal(5, "one character"),),
    "EX1_192": (heal(5, "my hero"),),
    "GIL_661": (heal(6, "friends"),),
    "CS2_089": (heal(8, "my hero"),),
    "VAN_CS2_089": (heal(6, "one character"),),
    "GVG_057": (heal(4, "my hero"), hero_attack(2)),
    "CS2_007": (heal(8, "one character"),),
    "CFM_604": (heal(12, "one friend"),),
    "ULD_273": (heal(5, "characters"), draw(5)),
}

_ELUSIVE = "UNG_019 DRG_066 NEW1_023 ICC_419 GVG_091 DRG_073 FP1_008 DRG_079 BOT_237 DRG_310 YOD_003 OG_340 UNG_852"
_MAGNETIC = "BOT_906 BOT_020 BOT_035 BOT_021 BOT_911 BOT_563 BOT_548 BOT_237"
MORE_KEYWORDS: dict[str, list[str]] = {"SW_033": ["rush", "lifesteal"], "AT_069": ["taunt"]}
for _word, _ids in (
    ("elusive", _ELUSIVE),
    ("magnetic", _MAGNETIC),
    ("echo", "GIL_678 GIL_607t GIL_207 GIL_680"),
    ("tradeable", "SW_055 SW_061"),
):
    for _id in _ids.split():
        MORE_KEYWORDS.setdefault(_id, []).append(_word)
MORE_OVERLOAD = {"SW_033": 1}
PLAIN_KINDS = {"vanilla", "keyword", "keyword_ext", "weapon_plain", "weapon_keyword"}


def _other(name: str, cost: int, kind_and_stats: str, words: str = "", *facts: Fact, **more: object) -> Printed:
    """A minion ("3/2"), a weapon ("weapon 3/2") or a "spell"."""
    kind, numbers = ("minion", kind_and_stats) if kind_and_stats[0].isdigit() else (*kind_and_stats.split(), "0/0")[:2]
    attack, health = map(int, numbers.split("/"))
    return Printed(name, kind, cost, attack, health, frozenset(words.split()), facts, **more)  # type: ignore[arg-type]


OTHERS: tuple[Printed, ...] = (
    # The Coin, and tokens of hero powers
    _other("The Coin", 0, "spell", "", mana(1)),
    _other("Frail Ghoul", 1, "1/1", "charge", card_class="deathknight"),
    _other("Silver Hand Recruit", 1, "1/1", card_class="paladin"),
    _other("Wicked Knife", 1, "weapon 1/2", card_class="rogue"),
    _other("Healing Totem", 1, "0/2", card_class="shaman"),
    _other("Searing Totem", 1, "1/1", card_class="shaman"),
    _other("Stoneclaw Totem", 1, "0/2", "taunt", card_class="shaman"),
    _other("Wrath of Air Totem", 1, "0/2", card_class="shaman", spell_damage=1),
    # Named by Guo (2025)
    _other("Leeroy Jenkins", 5, "6/2", "charge", summon("Whelp", 2, "enemy")),
    _other("Tirion Fordring", 8, "6/6", "taunt divine_shield", card_class="paladin"),
    _other("Warbot", 1, "1/3", "rush", card_class="warrior"),
    _other("Town Crier", 1, "1/2", "rush", card_class="warrior"),
    _other("Armorsmith", 2, "1/4", card_class="warrior"),
    _other("Whelp", 1, "1/1"),
    _other("Ashbringer", 5, "weapon 5/3", card_class="paladin"),
    # One or more for each mechanic
    _other("Leper Gnome", 1, "2/1"),
    _other("Zombie Chow", 1, "2/3"),
    _other("Loot Hoarder", 2, "2/1"),
    _other("Explosive Sheep", 2, "1/1"),
    _other("Harvest Golem", 3, "2/3"),
    _other("Abomination", 5, "4/4", "taunt"),
    _other("Savannah Highmane", 6, "6/5", card_class="hunter"),
    _other("Timber Wolf", 1, "1/1", "", aura("my other beasts", attack=1), card_class="hunter"),
    _other("Raid Leader", 3, "2/3", "", aura("my other minions", attack=1)),
    _other("Murloc Warleader", 3, "3/3", "", aura("my other murlocs", attack=2)),
    _other("Murloc Warleader (Vanilla)", 3, "3/3", "", aura("other murlocs", attack=2, health=1)),
    _other("Stormwind Champion", 7, "7/7", "", aura("my other minions", attack=1, health=1)),
    _other("Eviscerate", 2, "spell", "", damage(2, "one character"), card_class="rogue"),
    _other("SI:7 Agent", 3, "3/3", card_class="rogue"),
    _other("Vilespine Slayer", 5, "3/4", card_class="rogue"),
    _other("Doomsayer", 2, "0/7"),
    _other("Demolisher", 3, "1/4"),
    _other("Shade of Naxxramas", 3, "2/2", "stealth"),
    _other("Young Priestess", 1, "2/1"),
    _other("Imp Master", 3, "1/5"),
    _other("Mana Tide Totem", 3, "0/3", card_class="shaman"),
    _other("Ragnaros the Firelord", 8, "8/8", "cannot_attack"),
    _other("Silence", 0, "spell", "", silence("one minion"), card_class="priest"),
    _other("Ironbeak Owl", 3, "2/1", "", silence("one minion")),
    _other("Frostbolt", 2, "spell", "", damage(3, "one character"), freeze("one character"), card_class="mage"),
    _other("Water Elemental", 4, "3/6", "freeze", card_class="mage"),
    _other(
        "Bestial Wrath",
        1,
        "spell",
        "",
        give("one friendly beast", "immune", attack=2, this_turn=True),
        card_class="hunter",
    ),
    _other("Ancient Watcher", 2, "4/5", "cannot_attack"),
    _other("V-07-TR-0N", 8, "4/8", "charge mega_windfury"),
    _other("Murloc Tidehunter", 2, "2/1", "", summon("Murloc Scout")),
    _other("Feral Spirit", 3, "spell", "", summon("Spirit Wolf", 2), card_class="shaman", overload=1),
    _other("Arathi Weaponsmith", 4, "3/3", "", equip("Battle Axe"), card_class="warrior"),
    _other("Doomhammer", 5, "weapon 2/8", "windfury", card_class="shaman", overload=2),
    _other("Innervate", 0, "spell", "", mana(1), card_class="druid"),
    _other("Wild Growth", 3, "spell", "", empty_crystal(), card_class="druid"),
    _other("Excess Mana", 0, "spell", "", draw(1), card_class="druid"),
    _other("Flame Imp", 1, "3/2", "", damage(3, "my hero"), card_class="warlock"),
    _other("Mad Bomber", 2, "3/2", "", missiles(3, "other characters")),
    _other("Damaged Golem", 1, "2/1"),
    _other("Hyena", 2, "2/2", card_class="hunter"),
    _other("Imp", 1, "1/1"),
    _other("Murloc Scout", 1, "1/1"),
    _other("Spirit Wolf", 2, "2/3", "taunt", card_class="shaman"),
    _other("Battle Axe", 1, "weapon 2/2", card_class="warrior"),
)


def rows() -> list[dict[str, str]]:
    """Return the rows of the 357 simple cards as published."""
    with (Path(__file__).parent / "simple_cards.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def simple_cards() -> list[Printed]:
    """Return the simple cards with the additions of this file."""
    table = rows()
    names = [row["name"] for row in table]
    cards = []
    for row in table:
        twice = names.count(row["name"]) > 1 and row["id"].startswith("VAN_")
        printed = set(filter(None, row["keywords"].split("|"))) | set(MORE_KEYWORDS.get(row["id"], ()))
        cards.append(
            Printed(
                name=row["name"] + (" (Vanilla)" if twice else ""),
                type=row["type"].lower(),
                cost=int(row["cost"]),
                attack=int(row["attack"]),
                health=int(row["health"]),
                keywords=frozenset(printed),
                facts=EFFECTS.get(row["id"], ()),
                card_class=row["class"].lower(),
                overload=int(row["overload"]) + MORE_OVERLOAD.get(row["id"], 0),
                spell_damage=int(row["spell_damage"]),
                id=row["id"],
            )
        )
    return cards


SIMPLE: tuple[Printed, ...] = tuple(simple_cards())
ALL: tuple[Printed, ...] = SIMPLE + OTHERS
BY_NAME = {card.name: card for card in ALL}
