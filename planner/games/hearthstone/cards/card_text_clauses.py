"""The effects of single clauses of card texts: one pattern for each wording."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

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
_WORD: Final = r"(?:[A-Z][\w'!.:-]*|of|the|weapon|minions?)"
_CARD: Final = r"(?:(\d+)/(\d+) )?(.+?)(?: with (.+?))?"  # attack, health, name, keywords
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
    for pattern, build, keeps_it in PATTERNS:
        if match := pattern.fullmatch(words):
            if not keeps_it:
                context.it = None
            with suppress(UnreadError):
                return build(match, context)
            context.it = before
    raise UnreadError(sentence)


# -- clauses

_Build = Callable[[re.Match[str], Context], list[Effect]]
PATTERNS: Final[list[tuple[re.Pattern[str], _Build, bool]]] = []


def _pattern(text: str, keeps_it: bool = True) -> Callable[[_Build], _Build]:
    """Register the function that builds the effects of this wording; unless it `keeps_it`, `it` means nothing later."""

    def register(build: _Build) -> _Build:
        PATTERNS.append((re.compile(text, re.IGNORECASE), build, keeps_it))
        return build

    return register


@_pattern(r"deal (\$?\d+) damage(?: to (.+))?")
def _deal(match: re.Match[str], context: Context) -> list[Effect]:
    amount = parse_damage(match[1], context)
    target = parse_target(match[2] or "a character", context)
    return [Effect("damage", to=target, amount=amount)]


@_pattern(r"deal (\$?\d+) damage (?:randomly split|split randomly|split) (?:among|between) all (.+)", keeps_it=False)
def _deal_split(match: re.Match[str], context: Context) -> list[Effect]:
    amount = parse_damage(match[1], context)
    return [Effect("damage", to=parse_plural(match[2].lower(), "all", context), amount=amount, split=True)]


@_pattern(r"(deal \$?\d+ damage|restore #?\d+ health) to (.+) and (the enemy hero|your hero)")
def _also_to_a_hero(match: re.Match[str], context: Context) -> list[Effect]:
    first = _clause(f"{match[1]} to {match[2]}", context)
    target, hero = first[0].to, match[3].lower()
    if target is None or (target.what != "minion" and (target.side, hero) != ("enemy", "your hero")):
        raise UnreadError(match[0])  # the target may be the same hero
    return first + _clause(f"{match[1]} to {match[3]}", context)


@_pattern(r"restore (#?\d+) health(?: to (.+))?")
def _restore(match: re.Match[str], context: Context) -> list[Effect]:
    return [Effect("heal", to=parse_target(match[2] or "a character", context), amount=parse_number(match[1]))]


@_pattern(r"restore (.+) to full health")
def _restore_all(match: re.Match[str], context: Context) -> list[Effect]:
    return [Effect("heal", to=parse_target(match[1], context), amount=MAX_COUNT)]  # more than any missing health


@_pattern(r"gain (\d+) armor")
def _gain_armor(match: re.Match[str], _context: Context) -> list[Effect]:
    return [Effect("armor", amount=int(match[1]))]


@_pattern(r"gain (\+\d+ attack this turn)")
def _hero_gains_attack(match: re.Match[str], context: Context) -> list[Effect]:
    if context.kind != "spell":
        raise UnreadError(match[0])
    return [replace(parse_buff(match[1]), to=Target("all", "friendly", "hero"))]


@_pattern(r"your hero is (immune this turn)")
def _hero_immune(match: re.Match[str], _context: Context) -> list[Effect]:
    return [replace(parse_buff(match[1]), to=Target("all", "friendly", "hero"))]


@_pattern(r"(.+?),? (twice|three times)")
def _repeated(match: re.Match[str], context: Context) -> list[Effect]:
    return _clause(match[1], context) * (2 if match[2].lower() == "twice" else 3)


@_pattern(r"gain (.+)")
def _gain(match: re.Match[str], context: Context) -> list[Effect]:
    if context.kind != "minion" or context.triggers == ("death",):
        raise UnreadError(match[0])
    return [replace(parse_buff(match[1]), to=Target("self"))]


@_pattern(r"give (.+?) (\+\d.*|-\d.*|taunt.*|charge.*|rush.*|windfury.*|divine shield.*|poisonous.*|lifesteal.*|"
          r"stealth.*|reborn.*|elusive.*|immune.*|mega-windfury.*)")  # fmt: skip
def _give(match: re.Match[str], context: Context) -> list[Effect]:
    buff = parse_buff(match[2])
    target = parse_target(match[1], context)
    if target.what == "hero" and target.select == "all" and (buff.health or not buff.this_turn):
        raise UnreadError(match[0])
    return [replace(buff, to=target)]


@_pattern(r"destroy (.+)")
def _destroy(match: re.Match[str], context: Context) -> list[Effect]:
    target = parse_target(match[1], context)
    if target.what != "minion" and target.select != "self":
        raise UnreadError(match[0])
    return [Effect("destroy", to=target)]


@_pattern(r"(?:set|change) (.+?)'s? (attack|health|attack and health) to (\d+)")
def _set(match: re.Match[str], context: Context) -> list[Effect]:
    return _set_numbers(match[1], match[2], int(match[3]), int(match[3]), context)


@_pattern(r"(?:set|change) the (attack|health|attack and health) of (.+) to (\d+)")
def _set_of(match: re.Match[str], context: Context) -> list[Effect]:
    return _set_numbers(match[2], match[1], int(match[3]), int(match[3]), context)


@_pattern(r"(?:set|change) (.+?)'s? stats to (\d+)/(\d+)")
def _set_stats(match: re.Match[str], context: Context) -> list[Effect]:
    return _set_numbers(match[1], "attack and health", int(match[2]), int(match[3]), context)


def _set_numbers(target_words: str, which: str, attack: int, health: int, context: Context) -> list[Effect]:
    target = parse_target(target_words, context)
    both = which.lower() == "attack and health"
    # Each effect draws its own random target, and heroes have no such numbers.
    if (target.select != "self" and target.what != "minion") or (both and target.select == "random"):
        raise UnreadError(target_words)
    effects = [Effect("set_attack", to=target, amount=attack), Effect("set_health", to=target, amount=health)]
    return [effect for effect in effects if both or effect.do == f"set_{which.lower()}"]


@_pattern(r"return (.+?)(?: from the battlefield)? to (your|its owner's|their owner's|your opponent's) hands?")
def _return(match: re.Match[str], context: Context) -> list[Effect]:
    target = parse_target(match[1], context)
    context.it = None  # it is no longer on the board
    whose = {"your": "friendly", "your opponent's": "enemy"}.get(match[2].lower(), target.side)
    if target.what != "minion" or target.side != whose or match[2].isupper():
        raise UnreadError(match[0])
    return [Effect("return", to=target)]


@_pattern(rf"transform (.+?) into (?:an? )?{_CARD}")
def _transform(match: re.Match[str], context: Context) -> list[Effect]:
    target = parse_target(match[1], context)
    context.it = None
    if target.select != "self" and target.what != "minion":
        raise UnreadError(match[0])
    several = target.select == "all"
    return [Effect("transform", to=target, card=(_find_card("minion", match.groups()[1:5], context, plural=several),))]


@_pattern(r"silence (.+)")
def _silence(match: re.Match[str], context: Context) -> list[Effect]:
    return [Effect("silence", to=parse_target(match[1], context))]


@_pattern(r"freeze (.+)")
def _freeze(match: re.Match[str], context: Context) -> list[Effect]:
    return [Effect("freeze", to=parse_target(match[1], context))]


@_pattern(rf"(your opponent draws|(?:each player|both players) draws?|draw) ({COUNT}) cards?", keeps_it=False)
def _draw(match: re.Match[str], _context: Context) -> list[Effect]:
    who = match[1].lower()
    sides = ["friendly"] if who == "draw" else ["enemy"] if who.startswith("your") else ["friendly", "enemy"]
    return [Effect("draw", count=parse_number(match[2]), side=side) for side in sides]


@_pattern(rf"discard ({COUNT}) random cards?", keeps_it=False)
def _discard(match: re.Match[str], _context: Context) -> list[Effect]:
    return [Effect("discard", count=parse_number(match[1]))]


@_pattern(r"discard your hand", keeps_it=False)
def _discard_all(_match: re.Match[str], _context: Context) -> list[Effect]:
    return [Effect("discard", count=MAX_COUNT)]


@_pattern(r"destroy your opponent's weapon", keeps_it=False)
def _destroy_weapon(_match: re.Match[str], _context: Context) -> list[Effect]:
    return [Effect("disarm", side="enemy")]


@_pattern(r"give your weapon (.+)", keeps_it=False)
def _buff_weapon(match: re.Match[str], _context: Context) -> list[Effect]:
    buff = parse_buff(re.sub("durability", "health", match[1], flags=re.IGNORECASE))
    if buff.this_turn or buff.keywords & ~_WEAPON_KEYWORDS or buff.attack < 0 or buff.health < 0:
        raise UnreadError(match[0])
    return [replace(buff, do="hone")]


@_pattern(rf"(?:add ({COUNT}) {_CARD} to your hand|get ({COUNT}) {_CARD})", keeps_it=False)
def _add(match: re.Match[str], context: Context) -> list[Effect]:
    count, *description = match.groups()[:5] if match[1] else match.groups()[5:]
    number = parse_number(count)
    kinds: tuple[str, ...] = ("minion", "spell", "weapon")
    if (name := description[2] or "").endswith((" spell", " spells")):
        kinds, description[2] = ("spell",), name.rpartition(" ")[0]
    cards = []
    for kind in kinds:
        with suppress(UnreadError):
            cards.append(_find_card(kind, tuple(description), context, number > 1))
    if len(cards) != 1:  # no card, or an ambiguous name
        raise UnreadError(match[0])
    return [Effect("add", card=(cards[0],), count=number)]


@_pattern(r"add (['\"].+['\"]) to your hand")
def _add_named(match: re.Match[str], context: Context) -> list[Effect]:
    return _clause(f"add a {match[1]} to your hand", context)


@_pattern(rf"give your opponent ({COUNT}) (?:(\d+)/(\d+) )?(.+?)")
def _add_for_opponent(match: re.Match[str], context: Context) -> list[Effect]:
    article, attack, health, name = match.groups()
    stats = f"{attack}/{health} " if attack else ""
    effects = _clause(f"add {article} {stats}{name} to your hand", context)
    return [replace(effect, side="enemy") for effect in effects]


@_pattern(rf"gain (?:({COUNT}) )?(empty )?mana crystals?( this turn only)?")
def _crystals(match: re.Match[str], _context: Context) -> list[Effect]:
    amount = parse_number(match[1] or "a")
    if match[3]:
        return [Effect("mana", amount=amount)]
    return [Effect("mana", amount=amount, crystals=True, empty=match[2] is not None)]


@_pattern(rf"summon ({COUNT}) {_CARD}( for your opponent)?", keeps_it=False)
def _summon(match: re.Match[str], context: Context) -> list[Effect]:
    count = parse_number(match[1])
    name = _find_card("minion", match.groups()[1:5], context, plural=count > 1)
    side = "enemy" if match[6] else "friendly"
    return [Effect("summon", card=(name,), count=count, side=side)]


@_pattern(r"summon a random beast companion", keeps_it=False)
def _companion(_match: re.Match[str], context: Context) -> list[Effect]:
    return [
        Effect(
            "summon",
            card=tuple(_find_card("minion", (None, None, name, None), context, plural=False) for name in _COMPANIONS),
        )
    ]


@_pattern(r"summon (an?|one|two|2|three|3) cop(?:y|ies) of this(?: minion)?")
def _copies(match: re.Match[str], context: Context) -> list[Effect]:
    # The copies are as printed: nothing happens to the minion between its summoning and its battlecry.
    if context.kind != "minion" or context.head != "battlecry":
        raise UnreadError(match[0])
    name = context.find(CardDescription(THIS, ""))
    assert name is not None
    return [Effect("summon", card=(name,), count=parse_number(match[1]))]


@_pattern(rf"fill your board with {_CARD}|summon {_CARD} until your side of the battlefield is full", keeps_it=False)
def _fill(match: re.Match[str], context: Context) -> list[Effect]:
    description = match.groups()[:4] if match[3] else match.groups()[4:]
    return [Effect("summon", card=(_find_card("minion", description, context, plural=True),), count=MAX_COUNT)]


@_pattern(r"(.+) for each (.+)")
def _for_each(match: re.Match[str], context: Context) -> list[Effect]:
    if "$" in match[1]:
        raise UnreadError(match[0])  # it is unclear whether spell damage raises it once or for each
    return _times(_clause(match[1], context), match[2], context)


@_pattern(r"(deal damage|gain armor|restore health|draw cards)((?: to .+?)?) equal to (.+?)((?: to .+?)?)")
def _equal_to(match: re.Match[str], context: Context) -> list[Effect]:
    clause = {"deal": "deal $1 damage" if context.kind == "spell" else "deal 1 damage", "gain": "gain 1 armor",
           "restore": "restore 1 health", "draw": "draw a card"}[match[1].lower().split()[0]]  # fmt: skip
    return _times(_clause(clause + match[2] + match[4], context), match[3], context)


def _times(effects: list[Effect], words: str, context: Context) -> list[Effect]:
    times = parse_quantity_phrase(words, context)
    if any(effect.do not in MULTIPLIED or effect.times for effect in effects):
        raise UnreadError(words)
    return [replace(effect, times=times) for effect in effects]


@_pattern(rf"equip (an?) {_CARD}", keeps_it=False)
def _equip(match: re.Match[str], context: Context) -> list[Effect]:
    return [Effect("equip", card=(_find_card("weapon", match.groups()[1:5], context, plural=False),))]


def _find_card(kind: str, words: tuple[str | None, ...], context: Context, plural: bool) -> str:
    """Return the name of the only card that fits attack, health, name and keywords."""
    attack, health, name, keywords = words
    assert name is not None  # every pattern has a name
    bits = parse_buff(keywords).keywords if keywords else 0
    is_tribe = name.lower().removesuffix("s") in TRIBES
    if (keywords and not bits) or not _CARD_NAME.fullmatch(name) or (attack is None and is_tribe):
        raise UnreadError(name)
    name = "The Coin" if name.lower() in ("coin", "coins") else name.strip("'\"")
    stats = None if attack is None else int(attack), None if health is None else int(health)
    card = context.find(CardDescription(kind, name, *stats, bits, plural))
    if card is None:
        raise UnreadError(name)
    return card
