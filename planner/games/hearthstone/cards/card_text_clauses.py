"""What a clause of a card text makes happen: one pattern for each way to say it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from planner.games.hearthstone.cards.card_text_phrases import (
    COUNT,
    THIS,
    Context,
    UnreadError,
    Wanted,
    as_gift,
    as_harm,
    as_many,
    as_number,
    as_quantity,
    as_target,
)
from planner.games.hearthstone.cards.effect_vocabulary import MAX_COUNT, MULTIPLIED, TRIBES, Effect, Target
from planner.games.hearthstone.cards.keywords import BIT

_COMPANIONS: Final = ("Huffer", "Leokk", "Misha")
_ON_WEAPONS: Final = BIT["windfury"] | BIT["poisonous"] | BIT["lifesteal"]
_WORD: Final = r"(?:[A-Z][\w'!.:-]*|of|the|weapon|minions?)"
_A_NAME: Final = re.compile(rf"['\"]?{_WORD}(?: {_WORD})*['\"]?")  # and nothing else, such as what it does


def parse_clauses(sentence: str, context: Context) -> list[Effect]:
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
            return left + parse_clauses(_full(first, second), context)
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


@_pattern(r"(deal \$?\d+ damage|restore #?\d+ health) to (.+) and (the enemy hero|your hero)")
def _also_to_a_hero(match: re.Match[str], context: Context) -> list[Effect]:
    first = _clause(f"{match[1]} to {match[2]}", context)
    target, hero = first[0].to, match[3].lower()
    if target is None or (target.what != "minion" and (target.side, hero) != ("enemy", "your hero")):
        raise UnreadError(match[0])  # it may be the same hero
    return first + _clause(f"{match[1]} to {match[3]}", context)


@_pattern(r"restore (#?\d+) health(?: to (.+))?")
def _restore(match: re.Match[str], context: Context) -> list[Effect]:
    return [Effect("heal", to=as_target(match[2] or "a character", context), amount=as_number(match[1]))]


@_pattern(r"restore (.+) to full health")
def _restore_all(match: re.Match[str], context: Context) -> list[Effect]:
    return [Effect("heal", to=as_target(match[1], context), amount=MAX_COUNT)]  # nobody lacks more


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


@_pattern(r"(?:set|change) (.+?)'s? (attack|health|attack and health) to (\d+)")
def _set(match: re.Match[str], context: Context) -> list[Effect]:
    return _new_numbers(match[1], match[2], int(match[3]), int(match[3]), context)


@_pattern(r"(?:set|change) the (attack|health|attack and health) of (.+) to (\d+)")
def _set_of(match: re.Match[str], context: Context) -> list[Effect]:
    return _new_numbers(match[2], match[1], int(match[3]), int(match[3]), context)


@_pattern(r"(?:set|change) (.+?)'s? stats to (\d+)/(\d+)")
def _set_stats(match: re.Match[str], context: Context) -> list[Effect]:
    return _new_numbers(match[1], "attack and health", int(match[2]), int(match[3]), context)


def _new_numbers(who: str, which: str, attack: int, health: int, context: Context) -> list[Effect]:
    target = as_target(who, context)
    both = which.lower() == "attack and health"
    # A random one is drawn anew by every effect, and a hero's numbers are others.
    if (target.select != "self" and target.what != "minion") or (both and target.select == "random"):
        raise UnreadError(who)
    found = [Effect("set_attack", to=target, amount=attack), Effect("set_health", to=target, amount=health)]
    return [one for one in found if both or one.do == f"set_{which.lower()}"]


@_pattern(r"return (.+?)(?: from the battlefield)? to (your|its owner's|their owner's|your opponent's) hands?")
def _return(match: re.Match[str], context: Context) -> list[Effect]:
    target = as_target(match[1], context)
    context.it = None  # it is not on the board any more
    whose = {"your": "friendly", "your opponent's": "enemy"}.get(match[2].lower(), target.side)
    if target.what != "minion" or target.side != whose or match[2].isupper():
        raise UnreadError(match[0])
    return [Effect("return", to=target)]


@_pattern(r"transform (.+?) into (?:an? )?(?:(\d+)/(\d+) )?(.+?)(?: with (.+?))?")
def _transform(match: re.Match[str], context: Context) -> list[Effect]:
    target = as_target(match[1], context)
    context.it = None
    if target.select != "self" and target.what != "minion":
        raise UnreadError(match[0])
    several = target.select == "all"
    return [Effect("transform", to=target, card=(_made("minion", match.groups()[1:5], context, plural=several),))]


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


@_pattern(r"discard your hand")
def _discard_all(_match: re.Match[str], context: Context) -> list[Effect]:
    context.it = None
    return [Effect("discard", count=MAX_COUNT)]


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


@_pattern(r"add (['\"].+['\"]) to your hand")
def _add_named(match: re.Match[str], context: Context) -> list[Effect]:
    return _clause(f"add a {match[1]} to your hand", context)


@_pattern(rf"give your opponent ({COUNT}) (?:(\d+)/(\d+) )?(.+?)")
def _add_for_them(match: re.Match[str], context: Context) -> list[Effect]:
    article, *rest = match.groups()
    body = f"{rest[0]}/{rest[1]} " if rest[0] else ""
    return [replace(one, side="enemy") for one in _clause(f"add {article} {body}{rest[2]} to your hand", context)]


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


@_pattern(r"summon a random beast companion")
def _companion(_match: re.Match[str], context: Context) -> list[Effect]:
    context.it = None
    return [
        Effect(
            "summon",
            card=tuple(_made("minion", (None, None, name, None), context, plural=False) for name in _COMPANIONS),
        )
    ]


@_pattern(r"summon (an?|one|two|2|three|3) cop(?:y|ies) of this(?: minion)?")
def _copies(match: re.Match[str], context: Context) -> list[Effect]:
    # As it is printed: nothing has happened to it between its coming and its battlecry.
    if context.kind != "minion" or context.head != "battlecry":
        raise UnreadError(match[0])
    name = context.find(Wanted(THIS, ""))
    assert name is not None
    return [Effect("summon", card=(name,), count=as_number(match[1]))]


@_pattern(r"fill your board with (?:(\d+)/(\d+) )?(.+?)(?: with (.+?))?|"
          r"summon (?:(\d+)/(\d+) )?(.+?)(?: with (.+?))? until your side of the battlefield is full")  # fmt: skip
def _fill(match: re.Match[str], context: Context) -> list[Effect]:
    context.it = None
    wanted = match.groups()[:4] if match[3] else match.groups()[4:]
    return [Effect("summon", card=(_made("minion", wanted, context, plural=True),), count=MAX_COUNT)]


@_pattern(r"(.+) for each (.+)")
def _for_each(match: re.Match[str], context: Context) -> list[Effect]:
    if "$" in match[1]:
        raise UnreadError(match[0])  # is it raised once, or for each?
    return _times(_clause(match[1], context), match[2], context)


@_pattern(r"(deal damage|gain armor|restore health|draw cards)((?: to .+?)?) equal to (.+?)((?: to .+?)?)")
def _equal_to(match: re.Match[str], context: Context) -> list[Effect]:
    one = {"deal": "deal $1 damage" if context.kind == "spell" else "deal 1 damage", "gain": "gain 1 armor",
           "restore": "restore 1 health", "draw": "draw a card"}[match[1].lower().split()[0]]  # fmt: skip
    return _times(_clause(one + match[2] + match[4], context), match[3], context)


def _times(found: list[Effect], words: str, context: Context) -> list[Effect]:
    times = as_quantity(words, context)
    if any(one.do not in MULTIPLIED or one.times for one in found):
        raise UnreadError(words)
    return [replace(one, times=times) for one in found]


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
