"""The effects of single clauses of card texts: one pattern for each wording."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from planner.games.hearthstone.cards.card_text_phrases import (
    COUNT,
    THIS,
    CardDescription,
    Context,
    UnreadError,
    parse_buff,
    parse_damage,
    parse_number,
    parse_plural,
    parse_quantity_phrase,
    parse_target,
)
from planner.games.hearthstone.cards.effect_vocabulary import MAX_COUNT, MULTIPLIED, TRIBES, Effect, Target
from planner.games.hearthstone.cards.keywords import BIT

_COMPANIONS: Final = ("Huffer", "Leokk", "Misha")
_WEAPON_KEYWORDS: Final = BIT["windfury"] | BIT["poisonous"] | BIT["lifesteal"]
_HERO: Final = Target("all", "friendly", "hero")
_WORD: Final = r"(?:[A-Z][\w'!.:-]*|of|the|weapon|minions?)"
_CARD: Final = re.compile(r"(?:(\d+)/(\d+) )?(.+?)(?: with (.+?))?")  # attack, health, name, keywords
_CARD_NAME: Final = re.compile(rf"['\"]?{_WORD}(?: {_WORD})*['\"]?")


def parse_clauses(sentence: str, context: Context) -> list[Effect]:
    """Parse one clause, or several joined by `and` or `then`."""
    before = context.it
    try:
        return _clause(sentence, context)
    except UnreadError:
        context.it = before
    for joint in re.finditer(r"(?:,? and|, then|\. then|, then) (?=[a-z])", sentence, re.IGNORECASE):
        first, second = sentence[: joint.start()], sentence[joint.end() :]
        try:
            left = _clause(first, context)
            return left + parse_clauses(_with_verb(first, second), context)
        except UnreadError:
            context.it = before
    raise UnreadError(sentence)


def _with_verb(first: str, second: str) -> str:
    """Add the verb of the first clause to the second: `deal 2 damage to X and 1 damage to Y`."""
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
    for wording in WORDINGS:
        if match := wording.pattern.fullmatch(words):
            with suppress(UnreadError):
                effects = wording.build(match, context)
                if wording.forgets_it:
                    context.it = None
                return effects
            context.it = before
    raise UnreadError(sentence)


# -- wordings of one effect

_Build = Callable[[re.Match[str], Context], list[Effect]]


class _Wording(NamedTuple):
    pattern: re.Pattern[str]
    build: _Build
    forgets_it: bool  # afterwards, `it` means nothing


def _read_group(group: str, words: str, context: Context, effect: Effect) -> Effect:
    """Return the effect with the fields that a group of its pattern describes."""
    match group:
        case "damage":
            return replace(effect, amount=parse_damage(words, context))
        case "amount":
            return replace(effect, amount=parse_number(words))
        case "count":
            return replace(effect, count=parse_number(words))
        case "empty":
            return replace(effect, empty=True)
        case "to":
            return replace(effect, to=parse_target(words, context))
        case "all":
            return replace(effect, to=parse_plural(words.lower(), "all", context))
        case "buff":
            buff = parse_buff(words)
            return replace(buff, to=effect.to)
    several = effect.count > 1 or (effect.to is not None and effect.to.select == "all")
    return replace(effect, card=(_find_card("weapon" if effect.do == "equip" else "minion", words, context, several),))


def _check(effect: Effect) -> None:
    """Refuse effects that the rules would carry out differently."""
    target = effect.to
    if target is None:
        return
    if effect.do in ("destroy", "transform", "return", "set_attack", "set_health"):
        supported = target.what == "minion" or target.select == "self"
    else:
        to_hero = target.what == "hero" and target.select == "all"
        supported = effect.do != "buff" or not to_hero or (effect.this_turn and not effect.health)
    if not supported:
        raise UnreadError(str(target))


def _one_effect(effect: Effect) -> _Build:
    """Return a function that reads the groups of a match into this effect, in the order of the pattern."""

    def build(match: re.Match[str], context: Context) -> list[Effect]:
        result = effect
        for group, words in match.groupdict().items():
            if words is not None:
                result = _read_group(group, words, context, result)
        if result.to is None and result.do in ("damage", "heal"):
            result = replace(result, to=parse_target("a character", context))
        _check(result)
        return [result]

    return build


_FEW: Final = rf"(?P<count>{COUNT})"
_BUFF_WORDS: Final = (
    r"\+\d|-\d|taunt|charge|rush|windfury|divine shield|poisonous|lifesteal|stealth|reborn|elusive|immune|mega-windfury"
)
# A pattern whose groups are read by `_read_group`, and the effect with the fields that the words imply.
_ONE_EFFECT: Final = (
    (r"deal (?P<damage>\$?\d+) damage(?: to (?P<to>.+))?", Effect("damage")),
    (r"restore (?P<amount>#?\d+) health(?: to (?P<to>.+))?", Effect("heal")),
    (r"restore (?P<to>.+) to full health", Effect("heal", amount=MAX_COUNT)),  # more than any missing health
    (r"gain (?P<amount>\d+) armor", Effect("armor")),
    (r"your hero is (?P<buff>immune this turn)", Effect("buff", to=_HERO)),
    (rf"give (?P<to>.+?) (?P<buff>(?:{_BUFF_WORDS}).*)", Effect("buff")),
    (r"destroy (?P<to>.+)", Effect("destroy")),
    (r"silence (?P<to>.+)", Effect("silence")),
    (r"freeze (?P<to>.+)", Effect("freeze")),
    (rf"gain (?:(?P<amount>{COUNT}) )?mana crystals? this turn only", Effect("mana", amount=1)),
    (rf"gain (?:(?P<amount>{COUNT}) )?(?P<empty>empty )?mana crystals?", Effect("mana", amount=1, crystals=True)),
)
# The same where `it` means nothing afterwards.
_ONE_FORGETTING_EFFECT: Final = (
    (
        r"deal (?P<damage>\$?\d+) damage (?:randomly split|split randomly|split) (?:among|between) all (?P<all>.+)",
        Effect("damage", split=True),
    ),
    (r"transform (?P<to>.+?) into (?:an? )?(?P<card>.+)", Effect("transform")),
    (rf"draw {_FEW} cards?", Effect("draw")),
    (rf"your opponent draws {_FEW} cards?", Effect("draw", side="enemy")),
    (rf"discard {_FEW} random cards?", Effect("discard")),
    (r"discard your hand", Effect("discard", count=MAX_COUNT)),
    (r"destroy your opponent's weapon", Effect("disarm", side="enemy")),
    (rf"summon {_FEW} (?P<card>.+?)", Effect("summon")),
    (rf"summon {_FEW} (?P<card>.+?) for your opponent", Effect("summon", side="enemy")),
    (r"fill your board with (?P<card>.+)", Effect("summon", count=MAX_COUNT)),
    (r"summon (?P<card>.+) until your side of the battlefield is full", Effect("summon", count=MAX_COUNT)),
    (r"equip an? (?P<card>.+)", Effect("equip")),
)
WORDINGS: Final[list[_Wording]] = [
    _Wording(re.compile(pattern, re.IGNORECASE), _one_effect(effect), forgets_it)
    for wordings, forgets_it in ((_ONE_EFFECT, False), (_ONE_FORGETTING_EFFECT, True))
    for pattern, effect in wordings
]


# -- other wordings


def _wording(pattern: str, forgets_it: bool = False) -> Callable[[_Build], _Build]:
    """Register the function that builds the effects of this wording."""

    def register(build: _Build) -> _Build:
        WORDINGS.append(_Wording(re.compile(pattern, re.IGNORECASE), build, forgets_it))
        return build

    return register


@_wording(rf"(?:each player|both players) draws? ({COUNT}) cards?", forgets_it=True)
def _both_draw(match: re.Match[str], _context: Context) -> list[Effect]:
    return [Effect("draw", count=parse_number(match[1]), side=side) for side in ("friendly", "enemy")]


@_wording(r"(deal \$?\d+ damage|restore #?\d+ health) to (.+) and (the enemy hero|your hero)")
def _also_to_a_hero(match: re.Match[str], context: Context) -> list[Effect]:
    first = _clause(f"{match[1]} to {match[2]}", context)
    target, hero = first[0].to, match[3].lower()
    if target is None or (target.what != "minion" and (target.side, hero) != ("enemy", "your hero")):
        raise UnreadError(match[0])  # the target may be the same hero
    return first + _clause(f"{match[1]} to {match[3]}", context)


@_wording(r"(.+?),? (twice|three times)")
def _repeated(match: re.Match[str], context: Context) -> list[Effect]:
    return _clause(match[1], context) * (2 if match[2].lower() == "twice" else 3)


@_wording(r"gain (.+)")
def _gain(match: re.Match[str], context: Context) -> list[Effect]:
    buff = parse_buff(match[1])
    if context.kind == "spell" and buff.this_turn and not buff.keywords:
        return [replace(buff, to=_HERO)]
    if context.kind != "minion" or context.triggers == ("death",):
        raise UnreadError(match[0])
    return [replace(buff, to=Target("self"))]


@_wording(r"(?:set|change) (?P<to>.+?)'s? (?P<which>attack|health|attack and health) to (?P<attack>(?P<health>\d+))")
@_wording(r"(?:set|change) the (?P<which>attack|health|attack and health) of (?P<to>.+) to (?P<attack>(?P<health>\d+))")
@_wording(r"(?:set|change) (?P<to>.+?)'s? (?P<which>stats) to (?P<attack>\d+)/(?P<health>\d+)")
def _set(match: re.Match[str], context: Context) -> list[Effect]:
    target, which = parse_target(match["to"], context), match["which"].lower()
    numbers = (which,) if which in ("attack", "health") else ("attack", "health")
    if len(numbers) > 1 and target.select == "random":
        raise UnreadError(match[0])  # each effect draws its own random target
    effects = [Effect(f"set_{number}", to=target, amount=int(match[number])) for number in numbers]
    _check(effects[0])
    return effects


@_wording(r"return (.+?)(?: from the battlefield)? to (your|its owner's|their owner's|your opponent's) hands?", True)
def _return(match: re.Match[str], context: Context) -> list[Effect]:
    target = parse_target(match[1], context)
    whose = {"your": "friendly", "your opponent's": "enemy"}.get(match[2].lower(), target.side)
    if target.what != "minion" or target.side != whose or match[2].isupper():
        raise UnreadError(match[0])
    return [Effect("return", to=target)]


@_wording(r"give your weapon (.+)", forgets_it=True)
def _buff_weapon(match: re.Match[str], _context: Context) -> list[Effect]:
    buff = parse_buff(re.sub("durability", "health", match[1], flags=re.IGNORECASE))
    if buff.this_turn or buff.keywords & ~_WEAPON_KEYWORDS or buff.attack < 0 or buff.health < 0:
        raise UnreadError(match[0])
    return [replace(buff, do="hone")]


@_wording(rf"add ({COUNT}) (.+) to your hand", forgets_it=True)
@_wording(rf"get ({COUNT}) (.+)", forgets_it=True)
def _add(match: re.Match[str], context: Context) -> list[Effect]:
    number, words = parse_number(match[1]), match[2]
    kinds: tuple[str, ...] = ("minion", "spell", "weapon")
    if words.endswith((" spell", " spells")):
        kinds, words = ("spell",), words.rpartition(" ")[0]
    cards = []
    for kind in kinds:
        with suppress(UnreadError):
            cards.append(_find_card(kind, words, context, number > 1))
    if len(cards) != 1:  # no card, or an ambiguous name
        raise UnreadError(match[0])
    return [Effect("add", card=(cards[0],), count=number)]


@_wording(r"add (['\"].+['\"]) to your hand")
def _add_named(match: re.Match[str], context: Context) -> list[Effect]:
    return _clause(f"add a {match[1]} to your hand", context)


@_wording(rf"give your opponent ((?:{COUNT}) .+)")
def _add_for_opponent(match: re.Match[str], context: Context) -> list[Effect]:
    return [replace(effect, side="enemy") for effect in _clause(f"add {match[1]} to your hand", context)]


@_wording(r"summon a random beast companion", forgets_it=True)
def _companion(_match: re.Match[str], context: Context) -> list[Effect]:
    return [Effect("summon", card=tuple(_find_card("minion", name, context, several=False) for name in _COMPANIONS))]


@_wording(r"summon (an?|one|two|2|three|3) cop(?:y|ies) of this(?: minion)?")
def _copies(match: re.Match[str], context: Context) -> list[Effect]:
    # The copies are as printed: nothing happens to the minion between its summoning and its battlecry.
    if context.kind != "minion" or context.head != "battlecry":
        raise UnreadError(match[0])
    name = context.find(CardDescription(THIS, ""))
    assert name is not None
    return [Effect("summon", card=(name,), count=parse_number(match[1]))]


@_wording(r"(.+) for each (.+)")
def _for_each(match: re.Match[str], context: Context) -> list[Effect]:
    if "$" in match[1]:
        raise UnreadError(match[0])  # it is unclear whether spell damage raises it once or for each
    return _times(_clause(match[1], context), match[2], context)


@_wording(r"(deal damage|gain armor|restore health|draw cards)((?: to .+?)?) equal to (.+?)((?: to .+?)?)")
def _equal_to(match: re.Match[str], context: Context) -> list[Effect]:
    clause = {"deal": "deal $1 damage" if context.kind == "spell" else "deal 1 damage", "gain": "gain 1 armor",
           "restore": "restore 1 health", "draw": "draw a card"}[match[1].lower().split()[0]]  # fmt: skip
    return _times(_clause(clause + match[2] + match[4], context), match[3], context)


def _times(effects: list[Effect], words: str, context: Context) -> list[Effect]:
    times = parse_quantity_phrase(words, context)
    if any(effect.do not in MULTIPLIED or effect.times for effect in effects):
        raise UnreadError(words)
    return [replace(effect, times=times) for effect in effects]


def _find_card(kind: str, words: str, context: Context, several: bool) -> str:
    """Return the name of the only card that is described like `2/2 Wolf with Rush`."""
    described = _CARD.fullmatch(words)
    assert described is not None  # the name may be anything
    attack, health, name, keywords = described.groups()
    bits = parse_buff(keywords).keywords if keywords else 0
    is_tribe = name.lower().removesuffix("s") in TRIBES
    if (keywords and not bits) or not _CARD_NAME.fullmatch(name) or (attack is None and is_tribe):
        raise UnreadError(name)
    name = "The Coin" if name.lower() in ("coin", "coins") else name.strip("'\"")
    stats = None if attack is None else int(attack), None if health is None else int(health)
    card = context.find(CardDescription(kind, name, *stats, bits, several))
    if card is None:
        raise UnreadError(name)
    return card
