"""Words that the sentences of card texts are made of: numbers, whom something concerns, and what is given to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from planner.games.hearthstone.cards.effect_vocabulary import TRIBES, Effect, Target
from planner.games.hearthstone.cards.keywords import BIT

_NUMBERS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
COUNT: Final = r"an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+"
KEYWORDS: Final = {
    "taunt": "taunt",
    "charge": "charge",
    "rush": "rush",
    "windfury": "windfury",
    "mega-windfury": "mega_windfury",
    "divine shield": "divine_shield",
    "poisonous": "poisonous",
    "lifesteal": "lifesteal",
    "stealth": "stealth",
    "reborn": "reborn",
    "elusive": "elusive",
    "immune": "immune",
    "echo": "echo",
    "magnetic": "magnetic",
    "tradeable": "tradeable",
    "can't attack": "cannot_attack",
    "can't be targeted by spells or hero powers": "elusive",
    "freeze any character damaged by this minion": "freeze",
    "freeze any character damaged by this weapon": "freeze",
    "freeze any character damaged by your hero": "freeze",
    "destroy any minion damaged by this minion": "poisonous",
    "destroy any minion damaged by this": "poisonous",
}
GIFTS: Final = (
    "taunt", "charge", "rush", "windfury", "mega-windfury", "divine shield", "poisonous", "lifesteal", "stealth",
    "reborn", "elusive", "immune",
)  # fmt: skip
# Keywords by which a text tells minions apart: `a Frozen minion`, `your minions with Taunt`.
_STATES: Final = {
    "stealthed": "stealth",
    **{word: word for word in ("taunt", "frozen", "divine_shield", "rush", "lifesteal", "windfury", "reborn")},
}
HEADS: Final = {
    "battlecry": ("play",),
    "deathrattle": ("death",),
    "battlecry and deathrattle": ("play", "death"),
    "at the end of your turn": ("turn_end",),
    "at the start of your turn": ("turn_start",),
    "whenever you cast a spell": ("cast",),
    "after you cast a spell": ("after_cast",),
    "inspire": ("after_power",),
    "after you use your hero power": ("after_power",),
    "after your hero attacks": ("after_swing",),
    "whenever this attacks": ("attack",),
    "whenever this minion attacks": ("attack",),
    "after this attacks": ("after_attack",),
    "after this minion attacks": ("after_attack",),
}

Find = Callable[["Wanted"], str | None]  # the name of the card that a description means, where exactly one is meant


class Wanted(NamedTuple):
    """A card that a text speaks of: `a 2/2 Wolf with Rush`."""

    kind: str  # minion, weapon or spell
    name: str
    attack: int | None = None
    health: int | None = None
    keywords: int = 0
    plural: bool = False


# The kinds of cards that are wanted where a text speaks of the card itself, or of another printing that comes with it.
THIS: Final = "this"
BESIDE: Final = "beside"


class UnreadError(ValueError):
    """A sentence that the grammar does not know."""


@dataclass
class Context:
    """What a sentence may refer to: when it happens, and whom the sentence before spoke of."""

    head: str
    kind: str
    find: Find
    tribes: tuple[str, ...] = ()
    it: Target | None = None
    last_given: str = ""  # what the sentence before asked for: `Otherwise`

    def is_own(self, tribe: str) -> bool:
        """Is the card itself of this tribe?"""
        return self.kind == "minion" and (tribe in self.tribes or "all" in self.tribes)

    @property
    def triggers(self) -> tuple[str, ...]:
        if self.head in HEADS:
            return HEADS[self.head]
        return ("play",)


def as_number(word: str) -> int:
    word = word.lower().lstrip("$#")
    return 1 if word in ("a", "an") else _NUMBERS.index(word) if word in _NUMBERS else int(word)


def as_harm(word: str, context: Context) -> int:
    """Damage: we raise a spell's, which is marked with `$`, and no minion's; what is marked otherwise is not read."""
    if word.startswith("$") != (context.kind == "spell"):
        raise UnreadError(word)
    return as_number(word)


# -- whom

_RANDOM_SELF: Final = "a random friendly minion"


def as_target(words: str, context: Context) -> Target:
    """Whom the words name."""
    words = words.lower().strip()
    if words in ("it", "them", "that minion", "those minions"):
        if context.it is None:
            raise UnreadError(words)
        return context.it
    found = whom(words, context)
    if found.select == "self" and context.kind != "minion":
        raise UnreadError(words)
    # A random one is drawn anew by every effect, so nothing later can speak of the same.
    context.it = None if found.select == "random" else found
    return found


def whom(words: str, context: Context) -> Target:
    if words in ("this minion", "itself", "himself", "herself", "this"):
        return Target("self")
    if words in ("your hero", "the friendly hero"):
        return Target("all", "friendly", "hero")
    if words in ("the enemy hero", "your opponent", "the opponent"):
        return Target("all", "enemy", "hero")
    if words in ("both heroes", "each hero", "all heroes"):
        return Target("all", "any", "hero")
    if (match := re.fullmatch(rf"({COUNT}) random (.*)", words)) and (count := as_number(match[1])) > 1:
        return replace(_random(as_many(match[2], "random", context), words, context), count=count)
    if match := re.fullmatch(r"(all|your|all your|all of your|the enemy|each) (.*)", words):
        every, rest = match[1], match[2]
        if every == "each":
            rest = _plural_of(rest)
        side = {"your": "friendly ", "all your": "friendly ", "all of your": "friendly ", "the enemy": "enemy "}
        return as_many(side.get(every, "") + rest, "all", context)
    if match := re.fullmatch(r"(?:(another) random|a(nother)? random|an? random(?: other)?) (.*)", words):
        other = "another" in words or "other" in words.split()
        return _random(replace(_singular(match[3], "random"), other=other), words, context)
    if match := re.fullmatch(r"(another|an?|any) (.*)", words):
        if context.triggers in (("turn_end",), ("turn_start",)):  # nobody is asked: chance chooses
            return replace(_singular(match[2], "random"), other=match[1] == "another")
        if "play" not in context.triggers:
            raise UnreadError(words)
        # Whoever is played is not on the board yet when its player chooses: never itself.
        return _singular(match[2], "chosen")
    raise UnreadError(words)


def _random(found: Target, words: str, context: Context) -> Target:
    friendly = found.side != "enemy" and found.what != "hero"
    if friendly and not found.other and "play" in context.triggers and context.kind == "minion":
        raise UnreadError(words)  # may it hit itself?
    return found


def _plural_of(word: str) -> str:
    return word + "s"


def as_many(words: str, select: str, context: Context) -> Target:
    if words == "enemies":
        return Target(select, "enemy")
    if words in ("minions on the battlefield", "other minions on the battlefield"):
        words = words.removesuffix(" on the battlefield")
    parts = words.split()
    if not parts:
        raise UnreadError(words)
    if match := re.fullmatch(r"(.*) except (\w+)s", words):  # all minions except Demons
        if match[2] not in TRIBES or match[1].split()[-1] != "minions":
            raise UnreadError(words)
        return replace(as_many(match[1], select, context), without=match[2])
    noun = parts.index("with") - 1 if "with" in parts else -1
    parts[noun] = parts[noun].removesuffix("s")
    found = _described(parts, select)
    if context.kind == "spell" and found.other:
        raise UnreadError(words)
    return found


def _singular(words: str, select: str) -> Target:
    if words == "enemy":
        return Target(select, "enemy")
    return _described(words.split(), select)


def _described(parts: list[str], select: str) -> Target:
    found = Target(select)
    seen = False
    if bound := re.fullmatch(r"(.*) with (\d+) or (less|more) attack", " ".join(parts)):
        number = int(bound[2])
        found = replace(found, most=number) if bound[3] == "less" else replace(found, least=number)
        parts = bound[1].split()
    if having := re.fullmatch(r"(.*) with (.*)", " ".join(parts)):
        parts = [having[2], *having[1].split()]
    words = re.sub("divine shield", "divine_shield", " ".join(parts))
    for part in words.split():
        if seen:
            raise UnreadError(" ".join(parts))
        if part in ("friendly", "enemy"):
            found = replace(found, side=part)
        elif part == "other":
            found = replace(found, other=True)
        elif part in ("damaged", "undamaged"):
            found = replace(found, damaged=part == "damaged")
        elif part in _STATES:
            found = replace(found, keyword=_STATES[part])
        elif part.startswith("non-") and part.removeprefix("non-") in TRIBES:
            found = replace(found, without=part.removeprefix("non-"))
        elif part in ("minion", "character", "hero"):
            found, seen = replace(found, what=part), True
        elif part in TRIBES:
            found, seen = replace(found, what="minion", tribe=part), True
        else:
            raise UnreadError(" ".join(parts))
    of_minions = (found.least, found.most, found.without, found.keyword)
    if not seen or (found.what != "minion" and any(one is not None for one in of_minions)):
        raise UnreadError(" ".join(parts))
    return found


# -- how many

_NUMBERS_OF_OURS: Final = {
    **dict.fromkeys(("card in your hand", "other card in your hand", "your hand size"), "hand"),
    "the number of cards in your hand": "hand",
    "card in your opponent's hand": "enemy hand",
    **dict.fromkeys(("your armor", "armor you have"), "armor"),
    "your hero's attack": "hero_attack",
    **dict.fromkeys(("your weapon's attack", "the attack of your weapon"), "weapon_attack"),
}


def as_quantity(words: str, context: Context) -> str:
    """What is counted, in the words of `conditions`."""
    words = words.lower().strip()
    if words in _NUMBERS_OF_OURS:
        return _NUMBERS_OF_OURS[words]
    if words == "this minion's attack" and context.kind == "minion":
        return "attack"
    words = words.removesuffix(" on the battlefield")
    if match := re.fullmatch(r"(other )?(.*) (?:you control|you have)", words):
        words = f"{match[1] or ''}friendly {match[2]}"
    return str(counted(words, context))


def counted(words: str, context: Context) -> Target:
    """Those of whom a text asks how many there are: `other friendly Beast`."""
    found = _described(words.split(), "all")
    own = found.tribe is None or context.is_own(found.tribe)
    if context.kind == "minion" and own and not found.other and found.side != "enemy" and found.damaged is not True:
        raise UnreadError(words)  # does it count itself?
    return found


# -- what is given


def as_gift(words: str, lasting: bool = True) -> Effect:
    """`+2/+2 and Taunt`, `+3 Attack this turn`."""
    rest = words.lower().strip()
    this_turn = rest.endswith(" this turn")
    rest = rest.removesuffix(" this turn")
    attack = health = bits = 0
    for item in re.split(r",? and |, ", rest):
        if match := re.fullmatch(r"([+-]\d+)/([+-]\d+)", item):
            attack, health = attack + int(match[1]), health + int(match[2])
        elif match := re.fullmatch(r"([+-]\d+) attack", item):
            attack += int(match[1])
        elif match := re.fullmatch(r"([+-]\d+) health", item):
            health += int(match[1])
        elif item in GIFTS:
            bits |= BIT[KEYWORDS[item]]
        else:
            raise UnreadError(words)
    if (this_turn and health) or (not lasting and this_turn):
        raise UnreadError(words)
    if bits & BIT["immune"] and not this_turn:
        raise UnreadError(words)
    return Effect("buff", attack=attack, health=health, keywords=bits, this_turn=this_turn)
