"""English card texts as effects: a small grammar. What it does not know it hands back as it is, and guesses nothing.

A text is keywords ("Taunt"), then parts that begin with when they happen ("Battlecry:"), each of sentences that say
what happens ("Deal 3 damage to an enemy minion."). A sentence is read whole or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from planner.games.hearthstone.cards.effects import TRIBES, Effect, Target
from planner.games.hearthstone.cards.keywords import BIT

_NUMBERS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNT: Final = r"an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+"
_KEYWORDS: Final = {
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
_GIVEN: Final = (
    "taunt", "charge", "rush", "windfury", "mega-windfury", "divine shield", "poisonous", "lifesteal", "stealth",
    "reborn", "elusive", "immune",
)  # fmt: skip
_ON_WEAPONS: Final = BIT["windfury"] | BIT["poisonous"] | BIT["lifesteal"]
_OF_SPELLS: Final = ("lifesteal", "echo", "tradeable")
_HEADS: Final = {
    "battlecry": ("play",),
    "deathrattle": ("death",),
    "battlecry and deathrattle": ("play", "death"),
    "at the end of your turn": ("turn_end",),
    "at the start of your turn": ("turn_start",),
}
_SPLIT: Final = re.compile(
    r"(?:^|(?<=[\s.,]))(battlecry(?: and deathrattle)?:|deathrattle:|combo:|at the (?:end|start) of your turn,"
    r"|overload: \(\d+\)|spell damage \+\d+)\s*",
    re.IGNORECASE,
)
_WORD: Final = r"(?:[A-Z][\w'!.:-]*|of|the|weapon|minions?)"
_A_NAME: Final = re.compile(rf"['\"]?{_WORD}(?: {_WORD})*['\"]?")  # and nothing else, such as what it does
_TRIBE: Final = "|".join(TRIBES)
_IF: Final = re.compile(
    rf"if (?:you're holding an?(?:other)? (?P<held>{_TRIBE})|you control an?(?:other)? (?P<here>{_TRIBE})"
    r"|you have a (?P<weapon>weapon) equipped), (?P<then>.+)",
    re.IGNORECASE,
)

Find = Callable[["Wanted"], str | None]  # the name of the card that a description means, where exactly one is meant


class Wanted(NamedTuple):
    """A card that a text speaks of: `a 2/2 Wolf with Rush`."""

    kind: str  # minion, weapon or spell
    name: str
    attack: int | None = None
    health: int | None = None
    keywords: int = 0
    plural: bool = False


class UnreadError(ValueError):
    """A sentence that the grammar does not know."""


@dataclass
class Reading:
    """What became of a text."""

    effects: list[Effect] = field(default_factory=list)
    keywords: int = 0
    spell_damage: int = 0
    overload: int = 0
    heads: set[str] = field(default_factory=set)  # triggers that it names
    unread: list[str] = field(default_factory=list)  # sentences that were not understood


def plain(text: str) -> str:
    """A text without its marks: layout, bold, glue, and the `$` and `#` before numbers that effects can raise."""
    text = text.replace("[x]", "").split("~")[0].replace("&", "")
    text = re.sub(r"</?[bi]>", "", text)
    text = re.sub(r"\(\+\d+ Attack/\+\d+ Health\)", "", text.replace("_", " "))  # says again what +4/+4 means
    text = re.sub(r"[\s_\u00a0]+", " ", text).replace("\u2019", "'").strip()
    return re.sub(r"\s+([.:,;])", r"\1", text)


def read(text: str, kind: str, find: Find, tribes: tuple[str, ...] = ()) -> Reading:
    """The effects and keywords of a text; `kind` is the type of its card, `tribes` are its own."""
    reading = Reading()
    words = plain(text)
    if re.search(r"[@{}|]", words):  # numbers that the match fills in
        reading.unread.append(words)
        return reading
    pieces = _SPLIT.split(words)
    _part(pieces[0], _Context("", kind, find, tribes), reading)
    for head, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        _part(rest, _Context(head.lower().rstrip(":,"), kind, find, tribes), reading)
    return reading


def _part(text: str, context: _Context, reading: Reading) -> None:
    """What comes behind one head, or before the first."""
    head, kind = context.head, context.kind
    if head.startswith("overload"):
        reading.overload += int(head.split("(")[1].rstrip(")"))
        head = ""
    elif head.startswith("spell damage"):
        reading.spell_damage += int(head.split("+")[1])
        head = ""
    if head in _HEADS:
        reading.heads.update(_HEADS[head])
    context.head = head
    for sentence in _sentences(text):
        if not head:
            found, sentence = _keywords_before(sentence, kind)  # noqa: PLW2901  (the rest of it)
            reading.keywords |= found
            if not sentence:
                continue
        try:
            reading.effects += _sentence(sentence, context, reading)
        except UnreadError:
            reading.unread.append(f"{head}: {sentence}" if head else sentence)


def _sentences(text: str) -> Iterator[str]:
    for sentence in re.split(r"(?<=[.!])\s+", text.strip(" .,;")):
        if found := sentence.strip(" .,;!"):
            yield found


def _keywords_before(sentence: str, kind: str) -> tuple[int, str]:
    """The keywords with which the sentence begins, and the rest of it."""
    words = sentence.lower()
    if words in _KEYWORDS:
        return BIT[_KEYWORDS[words]], ""
    allowed = _OF_SPELLS if kind == "spell" else (*_GIVEN, "echo", "magnetic", "tradeable")
    bits, rest = 0, sentence
    while True:
        word = next((word for word in allowed if re.match(rf"{word}(?![\w'-])", rest, re.IGNORECASE)), None)
        if word is None and rest.lower() in _KEYWORDS:
            return bits | BIT[_KEYWORDS[rest.lower()]], ""
        if word is None:
            return bits, rest
        bits |= BIT[_KEYWORDS[word]]
        rest = re.sub(r"^(?:,? and |, |\. | )", "", rest[len(word) :])


# -- sentences


@dataclass
class _Context:
    """What a sentence may refer to: when it happens, and whom the sentence before spoke of."""

    head: str
    kind: str
    find: Find
    tribes: tuple[str, ...] = ()
    it: Target | None = None

    @property
    def triggers(self) -> tuple[str, ...]:
        if self.head in _HEADS:
            return _HEADS[self.head]
        return ("play",)


def _sentence(sentence: str, context: _Context, reading: Reading) -> list[Effect]:
    if not context.head and context.kind == "minion":
        return [_aura(sentence)]
    given = ""
    if asked := _IF.fullmatch(sentence):
        given, sentence = _condition(asked, context), asked["then"]
        if sentence.lower().endswith("instead"):
            raise UnreadError(sentence)
    if context.kind == "weapon" and context.triggers != ("play",):
        raise UnreadError(sentence)
    if context.kind == "weapon" and not context.head:
        raise UnreadError(sentence)
    combo = None
    instead = re.sub(r",? instead$", "", sentence)
    if context.head == "combo":
        combo = True
        if instead != sentence:
            earlier = [effect for effect in reading.effects if effect.on == "play"]
            if not earlier or len({effect.do for effect in earlier}) != 1:
                raise UnreadError(sentence)
            sentence = instead
            found = _clauses(sentence, context)
            reading.effects[:] = [
                replace(effect, combo=False) if effect.on == "play" else effect for effect in reading.effects
            ]
            return [replace(effect, combo=True) for effect in found]
    found = _clauses(sentence, context)
    result = [replace(effect, on=on, combo=combo, given=given) for on in context.triggers for effect in found]
    for effect in result:
        if effect.chosen and (effect.on != "play" or (given and context.kind == "spell")):
            raise UnreadError(sentence)
    return result


def _condition(asked: re.Match[str], context: _Context) -> str:
    if asked["weapon"]:
        return "weapon"
    if asked["here"] and asked["here"].lower() in context.tribes and " another " not in asked[0].lower():
        raise UnreadError(asked[0])  # does it count itself?
    return f"{'holding' if asked['held'] else 'controlling'} {(asked['held'] or asked['here']).lower()}"


def _clauses(sentence: str, context: _Context) -> list[Effect]:
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
            return left + _clauses(_full(first, second), context)
        except UnreadError:
            context.it = before
    raise UnreadError(sentence)


def _full(first: str, second: str) -> str:
    """`deal 2 damage to X and 1 damage to Y`: the second half with the verb of the first."""
    if re.match(r"\$?\d+ damage", second):
        return f"deal {second}"
    if re.match(r"#?\d+ health to", second):
        return f"restore {second}"
    if re.match(rf"(?:{_COUNT}) ", second) and first.lower().startswith("summon"):
        return f"summon {second}"
    if re.match(r"\d+ armor", second) and first.lower().startswith("gain"):
        return f"gain {second}"
    return second


def _clause(sentence: str, context: _Context) -> list[Effect]:
    words = sentence.strip()
    before = context.it
    for pattern, build in _PATTERNS:
        if match := pattern.fullmatch(words):
            with suppress(UnreadError):
                return build(match, context)
            context.it = before
    raise UnreadError(sentence)


def _number(word: str) -> int:
    word = word.lower().lstrip("$#")
    return 1 if word in ("a", "an") else _NUMBERS.index(word) if word in _NUMBERS else int(word)


def _harm(word: str, context: _Context) -> int:
    """Damage: we raise a spell's, which is marked with `$`, and no minion's; what is marked otherwise is not read."""
    if word.startswith("$") != (context.kind == "spell"):
        raise UnreadError(word)
    return _number(word)


# -- whom

_RANDOM_SELF: Final = "a random friendly minion"


def _target(words: str, context: _Context) -> Target:
    """Whom the words name."""
    words = words.lower().strip()
    if words in ("it", "them", "that minion", "those minions"):
        if context.it is None:
            raise UnreadError(words)
        return context.it
    found = _whom(words, context)
    if found.select == "self" and context.kind != "minion":
        raise UnreadError(words)
    # A random one is drawn anew by every effect, so nothing later can speak of the same.
    context.it = None if found.select == "random" else found
    return found


def _whom(words: str, context: _Context) -> Target:
    if words in ("this minion", "itself", "himself", "herself", "this"):
        return Target("self")
    if words in ("your hero", "the friendly hero"):
        return Target("all", "friendly", "hero")
    if words in ("the enemy hero", "your opponent", "the opponent"):
        return Target("all", "enemy", "hero")
    if words in ("both heroes", "each hero", "all heroes"):
        return Target("all", "any", "hero")
    if match := re.fullmatch(r"(all|your|all your|all of your|the enemy|each) (.*)", words):
        every, rest = match[1], match[2]
        if every == "each":
            rest = _many(rest)
        side = {"your": "friendly ", "all your": "friendly ", "all of your": "friendly ", "the enemy": "enemy "}
        return _plural(side.get(every, "") + rest, "all", context)
    if match := re.fullmatch(r"(?:(another) random|a(nother)? random|an? random(?: other)?) (.*)", words):
        other = "another" in words or "other" in words.split()
        found = _singular(match[3], "random")
        friendly = found.side != "enemy" and found.what != "hero"
        if friendly and not other and "play" in context.triggers and context.kind == "minion":
            raise UnreadError(words)  # may it hit itself?
        return replace(found, other=other)
    if match := re.fullmatch(r"(another|an?|any) (.*)", words):
        if "play" not in context.triggers:
            raise UnreadError(words)
        # Whoever is played is not on the board yet when its player chooses: never itself.
        return _singular(match[2], "chosen")
    raise UnreadError(words)


def _many(word: str) -> str:
    return word + "s"


def _plural(words: str, select: str, context: _Context) -> Target:
    if words == "enemies":
        return Target(select, "enemy")
    if words in ("minions on the battlefield", "other minions on the battlefield"):
        words = words.removesuffix(" on the battlefield")
    parts = words.split()
    if not parts:
        raise UnreadError(words)
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
    for part in parts:
        if seen:
            raise UnreadError(" ".join(parts))
        if part in ("friendly", "enemy"):
            found = replace(found, side=part)
        elif part == "other":
            found = replace(found, other=True)
        elif part in ("damaged", "undamaged"):
            found = replace(found, damaged=part == "damaged")
        elif part in ("minion", "character", "hero"):
            found, seen = replace(found, what=part), True
        elif part in TRIBES:
            found, seen = replace(found, what="minion", tribe=part), True
        else:
            raise UnreadError(" ".join(parts))
    if not seen or (found.what != "minion" and (found.least, found.most) != (None, None)):
        raise UnreadError(" ".join(parts))
    return found


# -- what is given


def _gift(words: str, lasting: bool = True) -> Effect:
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
        elif item in _GIVEN:
            bits |= BIT[_KEYWORDS[item]]
        else:
            raise UnreadError(words)
    if (this_turn and health) or (not lasting and this_turn):
        raise UnreadError(words)
    if bits & BIT["immune"] and not this_turn:
        raise UnreadError(words)
    return Effect("buff", attack=attack, health=health, keywords=bits, this_turn=this_turn)


def _aura(sentence: str) -> Effect:
    if match := re.fullmatch(r"has \+(\d+) attack while damaged|enrage: \+(\d+) attack", sentence, re.IGNORECASE):
        return Effect("buff", "aura", Target("self", damaged=True), attack=int(match[1] or match[2]))
    match = re.fullmatch(r"(your .*|all .*|other .*) have (.*)", sentence, re.IGNORECASE)
    if not match:
        raise UnreadError(sentence)
    words = match[1].lower()
    if words.startswith("other "):
        words = "all " + words
    target = _whom(words, _Context("", "minion", lambda _: None))
    gift = _gift(match[2], lasting=False)
    if gift.keywords or target.what == "hero":
        raise UnreadError(sentence)
    return replace(gift, on="aura", to=target)


# -- clauses

_Build = Callable[[re.Match[str], _Context], list[Effect]]
_PATTERNS: Final[list[tuple[re.Pattern[str], _Build]]] = []


def _pattern(text: str) -> Callable[[_Build], _Build]:
    def register(build: _Build) -> _Build:
        _PATTERNS.append((re.compile(text, re.IGNORECASE), build))
        return build

    return register


@_pattern(r"deal (\$?\d+) damage(?: to (.+))?")
def _deal(match: re.Match[str], context: _Context) -> list[Effect]:
    amount = _harm(match[1], context)
    target = _target(match[2] or "a character", context)
    return [Effect("damage", to=target, amount=amount)]


@_pattern(r"deal (\$?\d+) damage (?:randomly split|split randomly|split) (?:among|between) all (.+)")
def _deal_split(match: re.Match[str], context: _Context) -> list[Effect]:
    amount = _harm(match[1], context)
    context.it = None
    return [Effect("damage", to=_plural(match[2].lower(), "all", context), amount=amount, split=True)]


@_pattern(r"restore (#?\d+) health(?: to (.+))?")
def _restore(match: re.Match[str], context: _Context) -> list[Effect]:
    return [Effect("heal", to=_target(match[2] or "a character", context), amount=_number(match[1]))]


@_pattern(r"gain (\d+) armor")
def _gain_armor(match: re.Match[str], _context: _Context) -> list[Effect]:
    return [Effect("armor", amount=int(match[1]))]


@_pattern(r"gain (\+\d+ attack this turn)")
def _hero_gains(match: re.Match[str], context: _Context) -> list[Effect]:
    if context.kind != "spell":
        raise UnreadError(match[0])
    return [replace(_gift(match[1]), to=Target("all", "friendly", "hero"))]


@_pattern(r"your hero is (immune this turn)")
def _hero_immune(match: re.Match[str], _context: _Context) -> list[Effect]:
    return [replace(_gift(match[1]), to=Target("all", "friendly", "hero"))]


@_pattern(r"(.+?),? (twice|three times)")
def _repeated(match: re.Match[str], context: _Context) -> list[Effect]:
    return _clause(match[1], context) * (2 if match[2].lower() == "twice" else 3)


@_pattern(r"gain (.+)")
def _gain(match: re.Match[str], context: _Context) -> list[Effect]:
    if context.kind != "minion" or context.triggers == ("death",):
        raise UnreadError(match[0])
    return [replace(_gift(match[1]), to=Target("self"))]


@_pattern(r"give (.+?) (\+\d.*|-\d.*|taunt.*|charge.*|rush.*|windfury.*|divine shield.*|poisonous.*|lifesteal.*|"
          r"stealth.*|reborn.*|elusive.*|immune.*|mega-windfury.*)")  # fmt: skip
def _give(match: re.Match[str], context: _Context) -> list[Effect]:
    gift = _gift(match[2])
    target = _target(match[1], context)
    if target.what == "hero" and target.select == "all" and (gift.health or not gift.this_turn):
        raise UnreadError(match[0])
    return [replace(gift, to=target)]


@_pattern(r"destroy (.+)")
def _destroy(match: re.Match[str], context: _Context) -> list[Effect]:
    target = _target(match[1], context)
    if target.what != "minion" and target.select != "self":
        raise UnreadError(match[0])
    return [Effect("destroy", to=target)]


@_pattern(r"silence (.+)")
def _silence(match: re.Match[str], context: _Context) -> list[Effect]:
    return [Effect("silence", to=_target(match[1], context))]


@_pattern(r"freeze (.+)")
def _freeze(match: re.Match[str], context: _Context) -> list[Effect]:
    return [Effect("freeze", to=_target(match[1], context))]


@_pattern(rf"draw ({_COUNT}) cards?")
def _draw(match: re.Match[str], context: _Context) -> list[Effect]:
    context.it = None
    return [Effect("draw", count=_number(match[1]))]


@_pattern(rf"your opponent draws ({_COUNT}) cards?")
def _they_draw(match: re.Match[str], context: _Context) -> list[Effect]:
    context.it = None
    return [Effect("draw", count=_number(match[1]), side="enemy")]


@_pattern(rf"(?:each player|both players) draws? ({_COUNT}) cards?")
def _all_draw(match: re.Match[str], context: _Context) -> list[Effect]:
    context.it = None
    return [Effect("draw", count=_number(match[1]), side=side) for side in ("friendly", "enemy")]


@_pattern(rf"discard ({_COUNT}) random cards?")
def _discard(match: re.Match[str], context: _Context) -> list[Effect]:
    context.it = None
    return [Effect("discard", count=_number(match[1]))]


@_pattern(r"destroy your opponent's weapon")
def _disarm(_match: re.Match[str], context: _Context) -> list[Effect]:
    context.it = None
    return [Effect("disarm", side="enemy")]


@_pattern(r"give your weapon (.+)")
def _hone(match: re.Match[str], context: _Context) -> list[Effect]:
    context.it = None
    gift = _gift(re.sub("durability", "health", match[1], flags=re.IGNORECASE))
    if gift.this_turn or gift.keywords & ~_ON_WEAPONS or gift.attack < 0 or gift.health < 0:
        raise UnreadError(match[0])
    return [replace(gift, do="hone")]


@_pattern(rf"(?:add ({_COUNT}) (?:(\d+)/(\d+) )?(.+?)(?: with (.+?))? to your hand|"
          rf"get ({_COUNT}) (?:(\d+)/(\d+) )?(.+?)(?: with (.+?))?)")  # fmt: skip
def _add(match: re.Match[str], context: _Context) -> list[Effect]:
    count, *wanted = match.groups()[:5] if match[1] else match.groups()[5:]
    context.it = None
    number = _number(count)
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


@_pattern(rf"gain (?:({_COUNT}) )?(empty )?mana crystals?( this turn only)?")
def _crystals(match: re.Match[str], _context: _Context) -> list[Effect]:
    amount = _number(match[1] or "a")
    if match[3]:
        return [Effect("mana", amount=amount)]
    return [Effect("mana", amount=amount, crystals=True, empty=match[2] is not None)]


@_pattern(rf"summon ({_COUNT}) (?:(\d+)/(\d+) )?(.+?)(?: with (.+?))?( for your opponent)?")
def _summon(match: re.Match[str], context: _Context) -> list[Effect]:
    count = _number(match[1])
    context.it = None
    name = _made("minion", match.groups()[1:5], context, plural=count > 1)
    side = "enemy" if match[6] else "friendly"
    return [Effect("summon", card=(name,), count=count, side=side)]


@_pattern(r"equip (an?) (?:(\d+)/(\d+) )?(.+?)(?: with (.+?))?")
def _equip(match: re.Match[str], context: _Context) -> list[Effect]:
    context.it = None
    return [Effect("equip", card=(_made("weapon", match.groups()[1:5], context, plural=False),))]


def _made(kind: str, words: tuple[str | None, ...], context: _Context, plural: bool) -> str:
    """The name of the one card that the words mean: attack, health, name, keywords."""
    attack, health, name, gifts = words
    assert name is not None  # of all patterns that make something
    bits = _gift(gifts).keywords if gifts else 0
    of_a_tribe = name.lower().removesuffix("s") in TRIBES
    if (gifts and not bits) or not _A_NAME.fullmatch(name) or (attack is None and of_a_tribe):
        raise UnreadError(name)
    name = "The Coin" if name.lower() in ("coin", "coins") else name.strip("'\"")
    body = None if attack is None else int(attack), None if health is None else int(health)
    found = context.find(Wanted(kind, name, *body, bits, plural))
    if found is None:
        raise UnreadError(name)
    return found
