"""The phrases of English card texts: numbers, targets, quantities, buffs and conditions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from planner.games.hearthstone.cards.effect_vocabulary import TARGET_WORDS, TRIBES, Effect, Target
from planner.games.hearthstone.cards.keywords import BIT

_NUMBERS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
COUNT: Final = r"an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+"
BUFF_KEYWORDS: Final = (
    "taunt", "charge", "rush", "windfury", "mega-windfury", "divine shield", "poisonous", "lifesteal", "stealth",
    "reborn", "elusive", "immune",
)  # fmt: skip
KEYWORDS: Final = {
    **{word: re.sub("[ -]", "_", word) for word in (*BUFF_KEYWORDS, "echo", "magnetic", "tradeable")},
    "can't attack": "cannot_attack",
    "can't be targeted by spells or hero powers": "elusive",
    **{f"freeze any character damaged by {by}": "freeze" for by in ("this minion", "this weapon", "your hero")},
    **{f"destroy any minion damaged by {by}": "poisonous" for by in ("this minion", "this")},
}
_NOUNS: Final = ("minion", "character", "hero", *TRIBES)
# The words before the noun of a target in the vocabulary of targets, also after `with`: `your minions with Taunt`.
_ADJECTIVES: Final = {
    **{word: word for word, (field, _) in TARGET_WORDS.items() if field in ("side", "other", "damaged", "without")},
    **{word: word for word in ("taunt", "frozen", "divine_shield", "rush", "lifesteal", "windfury", "reborn")},
    "stealthed": "stealth",
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

FindCard = Callable[["CardDescription"], str | None]  # the name of the described card, if exactly one fits


class CardDescription(NamedTuple):
    """A card as a text describes it: `a 2/2 Wolf with Rush`."""

    kind: str  # minion, weapon or spell
    name: str
    attack: int | None = None
    health: int | None = None
    keywords: int = 0
    plural: bool = False


# The `kind` of a description that means the card itself, or the other card that comes with it.
THIS: Final = "this"
EXTRA_CARD: Final = "extra card"


class UnreadError(ValueError):
    """A phrase that the grammar does not know."""


@dataclass
class Context:
    """What a sentence may refer to: its trigger, and the target of the sentence before."""

    head: str
    kind: str
    find: FindCard
    tribes: tuple[str, ...] = ()
    it: Target | None = None
    last_condition: str = ""  # of the sentence before, for `Otherwise`

    def is_own(self, tribe: str) -> bool:
        """Return whether the card itself has this tribe."""
        return self.kind == "minion" and (tribe in self.tribes or "all" in self.tribes)

    @property
    def triggers(self) -> tuple[str, ...]:
        """The triggers of the effects of this sentence."""
        if self.head in HEADS:
            return HEADS[self.head]
        return ("play",)


def parse_number(word: str) -> int:
    """Parse `3`, `three` or `a`, also with the marks `$` and `#`."""
    word = word.lower().lstrip("$#")
    return 1 if word in ("a", "an") else _NUMBERS.index(word) if word in _NUMBERS else int(word)


def parse_damage(word: str, context: Context) -> int:
    """Parse an amount of damage; `$` marks the amounts of spells, which spell damage raises."""
    if word.startswith("$") != (context.kind == "spell"):
        raise UnreadError(word)
    return parse_number(word)


# -- targets


def parse_target(words: str, context: Context) -> Target:
    """Parse a target; `it` is the target of the sentence before."""
    words = words.lower().strip()
    if words in ("it", "them", "that minion", "those minions"):
        if context.it is None:
            raise UnreadError(words)
        return context.it
    target = parse_target_phrase(words, context)
    if target.select == "self" and context.kind != "minion":
        raise UnreadError(words)
    # Each effect draws its own random target, so later sentences cannot refer to it.
    context.it = None if target.select == "random" else target
    return target


def parse_target_phrase(words: str, context: Context) -> Target:
    """Parse a target that is named by its own words."""
    if words in ("this minion", "itself", "himself", "herself", "this"):
        return Target("self")
    if words in ("your hero", "the friendly hero"):
        return Target("all", "friendly", "hero")
    if words in ("the enemy hero", "your opponent", "the opponent"):
        return Target("all", "enemy", "hero")
    if words in ("both heroes", "each hero", "all heroes"):
        return Target("all", "any", "hero")
    if (match := re.fullmatch(rf"({COUNT}) random (.*)", words)) and (count := parse_number(match[1])) > 1:
        return replace(_check_random(parse_plural(match[2], "random", context), words, context), count=count)
    if match := re.fullmatch(r"(all|your|all your|all of your|the enemy|each) (.*)", words):
        every, noun = match[1], match[2]
        if every == "each":
            noun += "s"
        side = {"your": "friendly ", "all your": "friendly ", "all of your": "friendly ", "the enemy": "enemy "}
        return parse_plural(side.get(every, "") + noun, "all", context)
    if match := re.fullmatch(r"(?:(another) random|a(nother)? random|an? random(?: other)?) (.*)", words):
        other = "another" in words or "other" in words.split()
        return _check_random(replace(_singular(match[3], "random"), other=other), words, context)
    if match := re.fullmatch(r"(another|an?|any) (.*)", words):
        if context.triggers in (("turn_end",), ("turn_start",)):  # without a choice of the player the target is random
            return replace(_singular(match[2], "random"), other=match[1] == "another")
        if "play" not in context.triggers:
            raise UnreadError(words)
        # The player chooses before the minion is on the board, so it is never itself.
        return _singular(match[2], "chosen")
    raise UnreadError(words)


def _check_random(target: Target, words: str, context: Context) -> Target:
    friendly = target.side != "enemy" and target.what != "hero"
    if friendly and not target.other and "play" in context.triggers and context.kind == "minion":
        raise UnreadError(words)  # it is unclear whether it may hit itself
    return target


def parse_plural(words: str, select: str, context: Context) -> Target:
    """Parse a target in the plural, such as `other minions`."""
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
        return replace(parse_plural(match[1], select, context), without=match[2])
    noun = parts.index("with") - 1 if "with" in parts else -1
    parts[noun] = parts[noun].removesuffix("s")
    target = _described(parts, select)
    if context.kind == "spell" and target.other:
        raise UnreadError(words)
    return target


def _singular(words: str, select: str) -> Target:
    if words == "enemy":
        return Target(select, "enemy")
    return _described(words.split(), select)


def _described(parts: list[str], select: str) -> Target:
    """Translate a description such as `other friendly minion with Taunt` into the vocabulary of targets."""
    words, bounds = " ".join(parts), ""
    if bound := re.fullmatch(r"(.*) with (\d+) or (less|more) attack", words):
        words, bounds = bound[1], f"attack{'<' if bound[3] == 'less' else '>'}={bound[2]}"
    if having := re.fullmatch(r"(.*) with (.*)", words):
        words = f"{having[2]} {having[1]}"
    *adjectives, noun = words.replace("divine shield", "divine_shield").split() or [""]
    if noun not in _NOUNS or not _ADJECTIVES.keys() >= set(adjectives):
        raise UnreadError(words)
    try:
        target = Target.parse(" ".join([select, *(_ADJECTIVES[word] for word in adjectives), noun, bounds]))
    except ValueError:
        raise UnreadError(words) from None
    if target.keyword is not None and target.what != "minion":
        raise UnreadError(words)
    return target


# -- quantities

_QUANTITIES: Final = {
    **dict.fromkeys(("card in your hand", "other card in your hand", "your hand size"), "hand"),
    "the number of cards in your hand": "hand",
    "card in your opponent's hand": "enemy hand",
    **dict.fromkeys(("your armor", "armor you have"), "armor"),
    "your hero's attack": "hero_attack",
    **dict.fromkeys(("your weapon's attack", "the attack of your weapon"), "weapon_attack"),
}


def parse_quantity_phrase(words: str, context: Context) -> str:
    """Parse a quantity into the vocabulary of effects."""
    words = words.lower().strip()
    if words in _QUANTITIES:
        return _QUANTITIES[words]
    if words == "this minion's attack" and context.kind == "minion":
        return "attack"
    words = words.removesuffix(" on the battlefield")
    if match := re.fullmatch(r"(other )?(.*) (?:you control|you have)", words):
        words = f"{match[1] or ''}friendly {match[2]}"
    return str(parse_counted(words, context))


def parse_counted(words: str, context: Context) -> Target:
    """Parse characters that a text counts, such as `other friendly Beast`."""
    target = _described(words.split(), "all")
    own = target.tribe is None or context.is_own(target.tribe)
    if context.kind == "minion" and own and not target.other and target.side != "enemy" and target.damaged is not True:
        raise UnreadError(words)  # it is unclear whether it counts itself
    return target


# -- buffs


def parse_buff(words: str, lasting: bool = True) -> Effect:
    """Parse a buff such as `+2/+2 and Taunt` or `+3 Attack this turn`."""
    phrase = words.lower().strip()
    this_turn = phrase.endswith(" this turn")
    phrase = phrase.removesuffix(" this turn")
    attack = health = bits = 0
    for item in re.split(r",? and |, ", phrase):
        if match := re.fullmatch(r"([+-]\d+)/([+-]\d+)", item):
            attack, health = attack + int(match[1]), health + int(match[2])
        elif match := re.fullmatch(r"([+-]\d+) attack", item):
            attack += int(match[1])
        elif match := re.fullmatch(r"([+-]\d+) health", item):
            health += int(match[1])
        elif item in BUFF_KEYWORDS:
            bits |= BIT[KEYWORDS[item]]
        else:
            raise UnreadError(words)
    if (this_turn and health) or (not lasting and this_turn):
        raise UnreadError(words)
    if bits & BIT["immune"] and not this_turn:
        raise UnreadError(words)
    return Effect("buff", attack=attack, health=health, keywords=bits, this_turn=this_turn)


# -- conditions

_TRIBE: Final = "|".join(TRIBES)
# A pattern, and the condition with the groups of the match.
_CONDITIONS: Final = (
    (rf"you(?:'re| are) holding an?(?:other)? ({_TRIBE})", r"holding \1"),
    (r"you have a weapon(?: equipped)?", "weapon"),
    (r"this(?: minion)? has (?:at least (\d+)|(\d+) or more) attack", r"attack>=\1\2"),
    (r"it's your opponent's turn", "not my turn"),
    (r"you have (\d+) or less health", r"health<=\1"),
    (r"your opponent has (\d+) or less health", r"enemy health<=\1"),
    (r"your hand is empty", "hand<=0"),
    (r"your opponent has (\d+) or more cards in hand", r"enemy hand>=\1"),
    (r"you have (?:at least )?(\d+) mana crystals", r"crystals>=\1"),
    (r"(?:your hero has|you have) armor", "armor>=1"),
    (r"you have (\d+) or more armor", r"armor>=\1"),
    (r"your weapon has at least (\d+) attack", r"weapon_attack>=\1"),
    (r"you (?:control|have) no other minions", "all other friendly minions<=0"),
    (r"you (?:control|have) (?:at least )?(\d+) other minions", r"all other friendly minions>=\1"),
    (r"your opponent (?:controls|has) (\d+) or more minions", r"all enemy minions>=\1"),
    ("an enemy is frozen", "all frozen enemy characters>=1"),
)
# Conditions on the target of the sentence before, if the player chose it.
_TARGET_CONDITIONS: Final = {
    **dict.fromkeys(("it dies", "that kills it", "this kills it"), "not target alive"),
    **dict.fromkeys(("it survives", "it lives"), "target alive"),
    **{f"it's {'an' if tribe[0] in 'aeiou' else 'a'} {tribe}": f"target {tribe}" for tribe in TRIBES},
}


def parse_condition_phrase(words: str, context: Context, keywords: int) -> str:
    """Parse a condition into the vocabulary of effects; `keywords` are those of the card, as far as they are read."""
    words = words.lower().strip()
    if words in _TARGET_CONDITIONS:
        if context.it is None or context.it.select != "chosen":
            raise UnreadError(words)
        return _TARGET_CONDITIONS[words]
    for pattern, template in _CONDITIONS:
        if match := re.fullmatch(pattern, words):
            condition = match.expand(template)
            if condition.startswith("attack") and not (context.kind == "minion" and context.head):
                raise UnreadError(words)  # an aura would depend on what it changes
            return condition
    if match := re.fullmatch(rf"you (?:control|have) (a|an|another) ({_TRIBE})", words):
        if context.is_own(match[2]) and match[1] != "another":
            raise UnreadError(words)  # it is unclear whether it counts itself
        return f"controlling {match[2]}"
    if match := re.fullmatch(
        r"(you (?:control|have)|your opponent (?:controls|has)|there is) (?:another|an?) (.+)", words
    ):
        whose = {"you": "other friendly ", "your": "enemy ", "there": ""}[match[1].split()[0]]
        target = parse_counted(whose + match[2], context)
        bounded = target.min_attack is not None or target.max_attack is not None
        if bounded or (target.keyword and keywords & BIT[target.keyword]):
            raise UnreadError(words)  # it is unclear whether it counts itself
        return f"{target}>=1"
    if match := re.fullmatch(r"an enemy minion has (.+)", words):
        return f"{parse_counted(f'enemy minion with {match[1]}', context)}>=1"
    raise UnreadError(words)
