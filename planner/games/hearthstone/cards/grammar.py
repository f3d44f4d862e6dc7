"""English card texts as effects: a small grammar. What it does not know it hands back as it is, and guesses nothing.

A text is keywords ("Taunt"), then parts that begin with when they happen ("Battlecry:"), each of sentences that say
what happens ("Deal 3 damage to an enemy minion."). A sentence is read whole or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from planner.games.hearthstone.cards.clauses import clauses
from planner.games.hearthstone.cards.effects import TRIBES, Effect, Target
from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.cards.wording import GIFTS, HEADS, KEYWORDS, Context, Find, UnreadError, as_gift, whom

_OF_SPELLS: Final = ("lifesteal", "echo", "tradeable")
_SPLIT: Final = re.compile(
    r"(?:^|(?<=[\s.,]))(battlecry(?: and deathrattle)?:|deathrattle:|combo:|at the (?:end|start) of your turn,"
    r"|overload: \(\d+\)|spell damage \+\d+)\s*",
    re.IGNORECASE,
)
_TRIBE: Final = "|".join(TRIBES)
_IF: Final = re.compile(
    rf"if (?:you're holding an?(?:other)? (?P<held>{_TRIBE})|you control an?(?:other)? (?P<here>{_TRIBE})"
    r"|you have a (?P<weapon>weapon) equipped), (?P<then>.+)",
    re.IGNORECASE,
)


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
    _part(pieces[0], Context("", kind, find, tribes), reading)
    for head, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        _part(rest, Context(head.lower().rstrip(":,"), kind, find, tribes), reading)
    return reading


def _part(text: str, context: Context, reading: Reading) -> None:
    """What comes behind one head, or before the first."""
    head, kind = context.head, context.kind
    if head.startswith("overload"):
        reading.overload += int(head.split("(")[1].rstrip(")"))
        head = ""
    elif head.startswith("spell damage"):
        reading.spell_damage += int(head.split("+")[1])
        head = ""
    if head in HEADS:
        reading.heads.update(HEADS[head])
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
    if words in KEYWORDS:
        return BIT[KEYWORDS[words]], ""
    allowed = _OF_SPELLS if kind == "spell" else (*GIFTS, "echo", "magnetic", "tradeable")
    bits, rest = 0, sentence
    while True:
        word = next((word for word in allowed if re.match(rf"{word}(?![\w'-])", rest, re.IGNORECASE)), None)
        if word is None and rest.lower() in KEYWORDS:
            return bits | BIT[KEYWORDS[rest.lower()]], ""
        if word is None:
            return bits, rest
        bits |= BIT[KEYWORDS[word]]
        rest = re.sub(r"^(?:,? and |, |\. | )", "", rest[len(word) :])


# -- sentences


def _sentence(sentence: str, context: Context, reading: Reading) -> list[Effect]:
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
            found = clauses(sentence, context)
            reading.effects[:] = [
                replace(effect, combo=False) if effect.on == "play" else effect for effect in reading.effects
            ]
            return [replace(effect, combo=True) for effect in found]
    found = clauses(sentence, context)
    result = [replace(effect, on=on, combo=combo, given=given) for on in context.triggers for effect in found]
    for effect in result:
        if effect.chosen and (effect.on != "play" or (given and context.kind == "spell")):
            raise UnreadError(sentence)
    return result


def _condition(asked: re.Match[str], context: Context) -> str:
    if asked["weapon"]:
        return "weapon"
    if asked["here"] and asked["here"].lower() in context.tribes and " another " not in asked[0].lower():
        raise UnreadError(asked[0])  # does it count itself?
    return f"{'holding' if asked['held'] else 'controlling'} {(asked['held'] or asked['here']).lower()}"


def _aura(sentence: str) -> Effect:
    if match := re.fullmatch(r"has \+(\d+) attack while damaged|enrage: \+(\d+) attack", sentence, re.IGNORECASE):
        return Effect("buff", "aura", Target("self", damaged=True), attack=int(match[1] or match[2]))
    match = re.fullmatch(r"(your .*|all .*|other .*) have (.*)", sentence, re.IGNORECASE)
    if not match:
        raise UnreadError(sentence)
    words = match[1].lower()
    if words.startswith("other "):
        words = "all " + words
    target = whom(words, Context("", "minion", lambda _: None))
    gift = as_gift(match[2], lasting=False)
    if gift.keywords or target.what == "hero":
        raise UnreadError(sentence)
    return replace(gift, on="aura", to=target)
