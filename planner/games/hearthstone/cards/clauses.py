"""What a clause of a card text makes happen: one pattern for each way to say it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from planner.games.hearthstone.cards.effects import TRIBES, Effect, Target
from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.cards.wording import (
    COUNT,
    Context,
    UnreadError,
    Wanted,
    as_gift,
    as_harm,
    as_many,
    as_number,
    as_target,
)

_ON_WEAPONS: Final = BIT["windfury"] | BIT["poisonous"] | BIT["lifesteal"]
_WORD: Final = r"(?:[A-Z][\w'!.:-]*|of|the|weapon|minions?)"
_A_NAME: Final = re.compile(rf"['\"]?{_WORD}(?: {_WORD})*['\"]?")  # and nothing else, such as what it does


def clauses(sentence: str, context: Context) -> list[Effect]:
    """One clause, or two that `and` joins: the first way to read all of it."""
    before = context.it
    try:
        return _clause(sentence, context)
    except UnreadError:
        context.it = before
    for joint in re.finditer(r"(?:,? and|, then|\. then|, then) (?=[a-z])", sentence, re.IGNORECASE):
        first, second = sentence[: joint.start()], sentence[joint.end() :]
        try:
            left = _clause(first, context)
            return left + clauses(_full(first, second), context)
        except UnreadError:
            context.it = before
    raise UnreadError(sentence)


def _full(first: str, second: str) -> str:
    """`deal 2 damage to X and 1 damage to Y`: the second half with the verb of the first."""
    if re.match(r"\$?\d+ damage", second):
        return f"deal {second}"
    if re.match(r"#?\d+ health to", second):
        return f"restore {second}"
    if re.match(rf"(?:{COUNT}) ", second) and first.lower().startswith("summon"):
        return f"summon {second}"
    if re.match(r"\d+ armor", second) and first.lower().startswith("gain"):
        return f"gain {second}"
    return second


def _clause(sentence: str, context: Context) -> list[Effect]:
    words = sentence.strip()
    before = context.it
    for pattern, build in PATTERNS:
        if match := pattern.fullmatch(words):
            with suppress(UnreadError):
                return build(match, context)
            context.it = before
    raise UnreadError(sentence)


# -- clauses

_Build = Callable[[re.Match[str], Context], list[Effect]]
PATTERNS: Final[list[tuple[re.Pattern[str], _Build]]] = []


def _pattern(text: str) -> Callable[[_Build], _Build]:
    def register(build: _Build) -> _Build:
        PATTERNS.append((re.compile(text, re.IGNORECASE), build))
        return build

    return register


@_pattern(r"deal (\$?\d+) damage(?: to (.+))?")
def _deal(match: re.Match[str], context: Context) -> list[Effect]:
    amount = as_harm(match[1], context)
    target = as_target(match[2] or "a character", context)
    return [Effect("damage", to=target, amount=amount)]


@_pattern(r"deal (\$?\d+) damage (?:randomly split|split randomly|split) (?:among|between) all (.+)")
def _deal_split(match: re.Match[str], context: Context) -> list[Effect]:
    amount = as_harm(match[1], context)
    context.it = None
    return [Effect("damage", to=as_many(match[2].lower(), "all", context), amount=amount, split=True)]


@_pattern(r"restore (#?\d+) health(?: to (.+))?")
def _restore(match: re.Match[str], context: Context) -> list[Effect]:
    return [Effect("heal", to=as_target(match[2] or "a character", context), amount=as_number(match[1]))]


@_pattern(r"gain (\d+) armor")
def _gain_armor(match: re.Match[str], _context: Context) -> list[Effect]:
    return [Effect("armor", amount=int(match[1]))]


@_pattern(r"gain (\+\d+ attack this turn)")
def _hero_gains(match: re.Match[str], context: Context) -> list[Effect]:
    if context.kind != "spell":
        raise UnreadError(match[0])
    return [replace(as_gift(match[1]), to=Target("all", "friendly", "hero"))]


@_pattern(r"your hero is (immune this turn)")
def _hero_immune(match: re.Match[str], _context: Context) -> list[Effect]:
    return [replace(as_gift(match[1]), to=Target("all", "friendly", "hero"))]


@_pattern(r"(.+?),? (twice|three times)")
def _repeated(match: re.Match[str], context: Context) -> list[Effect]:
    return _clause(match[1], context) * (2 if match[2].lower() == "twice" else 3)


@_pattern(r"gain (.+)")
def _gain(match: re.Match[str], context: Context) -> list[Effect]:
    if context.kind != "minion" or context.triggers == ("death",):
        raise UnreadError(match[0])
    return [replace(as_gift(match[1]), to=Target("self"))]


@_pattern(r"give (.+?) (\+\d.*|-\d.*|taunt.*|charge.*|rush.*|windfury.*|divine shield.*|poisonous.*|lifesteal.*|"
          r"stealth.*|reborn.*|elusive.*|immune.*|mega-windfury.*)")  # fmt: skip
def _give(match: re.Match[str], context: Context) -> list[Effect]:
    gift = as_gift(match[2])
    target = as_target(match[1], context)
    if target.what == "hero" and target.select == "all" and (gift.health or not gift.this_turn):
        raise UnreadError(match[0])
    return [replace(gift, to=target)]


@_pattern(r"destroy (.+)")
def _destroy(match: re.Match[str], context: Context) -> list[Effect]:
    target = as_target(match[1], context)
    if target.what != "minion" and target.select != "self":
        raise UnreadError(match[0])
    return [Effect("destroy", to=target)]


@_pattern(r"silence (.+)")
def _silence(match: re.Match[str], context: Context) -> list[Effect]:
    return [Effect("silence", to=as_target(match[1], context))]


@_pattern(r"freeze (.+)")
def _freeze(match: re.Match[str], context: Context) -> list[Effect]:
    return [Effect("freeze", to=as_target(match[1], context))]


@_pattern(rf"draw ({COUNT}) cards?")
def _draw(match: re.Match[str], context: Context) -> list[Effect]:
    context.it = None
    return [Effect("draw", count=as_number(match[1]))]


@_pattern(rf"your opponent draws ({COUNT}) cards?")
def _they_draw(match: re.Match[str], context: Context) -> list[Effect]:
    context.it = None
    return [Effect("draw", count=as_number(match[1]), side="enemy")]


@_pattern(rf"(?:each player|both players) draws? ({COUNT}) cards?")
def _all_draw(match: re.Match[str], context: Context) -> list[Effect]:
    context.it = None
    return [Effect("draw", count=as_number(match[1]), side=side) for side in ("friendly", "enemy")]


@_pattern(rf"discard ({COUNT}) random cards?")
def _discard(match: re.Match[str], context: Context) -> list[Effect]:
    context.it = None
    return [Effect("discard", count=as_number(match[1]))]


@_pattern(r"destroy your opponent's weapon")
def _disarm(_match: re.Match[str], context: Context) -> list[Effect]:
    context.it = None
    return [Effect("disarm", side="enemy")]


@_pattern(r"give your weapon (.+)")
def _hone(match: re.Match[str], context: Context) -> list[Effect]:
    context.it = None
    gift = as_gift(re.sub("durability", "health", match[1], flags=re.IGNORECASE))
    if gift.this_turn or gift.keywords & ~_ON_WEAPONS or gift.attack < 0 or gift.health < 0:
        raise UnreadError(match[0])
    return [replace(gift, do="hone")]


@_pattern(rf"(?:add ({COUNT}) (?:(\d+)/(\d+) )?(.+?)(?: with (.+?))? to your hand|"
          rf"get ({COUNT}) (?:(\d+)/(\d+) )?(.+?)(?: with (.+?))?)")  # fmt: skip
def _add(match: re.Match[str], context: Context) -> list[Effect]:
    count, *wanted = match.groups()[:5] if match[1] else match.groups()[5:]
    context.it = None
    number = as_number(count)
    kinds: tuple[str, ...] = ("minion", "spell", "weapon")
    if (name := wanted[2] or "").endswith((" spell", " spells")):
        kinds, wanted[2] = ("spell",), name.rpartition(" ")[0]
    found = []
    for kind in kinds:
        with suppress(UnreadError):
            found.append(_made(kind, tuple(wanted), context, number > 1))
    if len(found) != 1:  # nobody, or one name for two things
        raise UnreadError(match[0])
    return [Effect("add", card=(found[0],), count=number)]


@_pattern(rf"gain (?:({COUNT}) )?(empty )?mana crystals?( this turn only)?")
def _crystals(match: re.Match[str], _context: Context) -> list[Effect]:
    amount = as_number(match[1] or "a")
    if match[3]:
        return [Effect("mana", amount=amount)]
    return [Effect("mana", amount=amount, crystals=True, empty=match[2] is not None)]


@_pattern(rf"summon ({COUNT}) (?:(\d+)/(\d+) )?(.+?)(?: with (.+?))?( for your opponent)?")
def _summon(match: re.Match[str], context: Context) -> list[Effect]:
    count = as_number(match[1])
    context.it = None
    name = _made("minion", match.groups()[1:5], context, plural=count > 1)
    side = "enemy" if match[6] else "friendly"
    return [Effect("summon", card=(name,), count=count, side=side)]


@_pattern(r"equip (an?) (?:(\d+)/(\d+) )?(.+?)(?: with (.+?))?")
def _equip(match: re.Match[str], context: Context) -> list[Effect]:
    context.it = None
    return [Effect("equip", card=(_made("weapon", match.groups()[1:5], context, plural=False),))]


def _made(kind: str, words: tuple[str | None, ...], context: Context, plural: bool) -> str:
    """The name of the one card that the words mean: attack, health, name, keywords."""
    attack, health, name, gifts = words
    assert name is not None  # of all patterns that make something
    bits = as_gift(gifts).keywords if gifts else 0
    of_a_tribe = name.lower().removesuffix("s") in TRIBES
    if (gifts and not bits) or not _A_NAME.fullmatch(name) or (attack is None and of_a_tribe):
        raise UnreadError(name)
    name = "The Coin" if name.lower() in ("coin", "coins") else name.strip("'\"")
    body = None if attack is None else int(attack), None if health is None else int(health)
    found = context.find(Wanted(kind, name, *body, bits, plural))
    if found is None:
        raise UnreadError(name)
    return found
