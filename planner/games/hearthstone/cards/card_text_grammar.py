"""English card texts as effects: a small grammar. What it does not know it hands back as it is, and guesses nothing.

A text is keywords ("Taunt"), then parts that begin with when they happen ("Battlecry:"), each of sentences that say
what happens ("Deal 3 damage to an enemy minion."). A sentence is read whole or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from planner.games.hearthstone.cards.asking import as_condition
from planner.games.hearthstone.cards.card_text_clauses import parse_clauses
from planner.games.hearthstone.cards.card_text_phrases import (
    BESIDE,
    GIFTS,
    HEADS,
    KEYWORDS,
    THIS,
    Context,
    Find,
    UnreadError,
    Wanted,
    as_gift,
    as_harm,
    as_target,
    whom,
)
from planner.games.hearthstone.cards.effect_vocabulary import Effect, Target, negate_condition
from planner.games.hearthstone.cards.keywords import BIT

_OF_SPELLS: Final = ("lifesteal", "echo", "tradeable")
_SPLIT: Final = re.compile(
    r"(?:^|(?<=[\s.,]))(battlecry(?: and deathrattle)?:|deathrattle:|combo:|inspire:|at the (?:end|start) of your turn,"
    r"|(?:whenever|after) you cast a spell,|after you use your hero power,|after your hero attacks,"
    r"|(?:whenever|after) this(?: minion)? attacks,|overload: \(\d+\)|spell damage \+\d+)\s*",
    re.IGNORECASE,
)
# Before a spell is carried out, or a blow falls, nobody may be hurt or moved by a text: the real game looks anew then.
_BEFOREHAND: Final = {
    "cast": ("draw", "armor", "add", "summon", "buff"),
    "attack": ("draw", "armor", "add", "mana", "buff"),
}
# A card that comes into the hand beside what the text does: smaller, larger or once more.
_BESIDE: Final = re.compile(r"^(miniaturize|gigantify|twinspell)[ ,.]*", re.IGNORECASE)
_SIZES: Final = re.compile(r"^(?:mini|gigantic)\b[ ,.]*", re.IGNORECASE)


@dataclass
class Reading:
    """What became of a text."""

    effects: list[Effect] = field(default_factory=list)
    keywords: int = 0
    spell_damage: int = 0
    overload: int = 0
    heads: set[str] = field(default_factory=set)  # triggers that it names
    unread: list[str] = field(default_factory=list)  # sentences that were not understood
    choice: Target | None = None  # of a sentence of its own: `Choose a minion.`
    beside: Effect | None = None  # by a keyword, whatever else the text does


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
    words = _SIZES.sub("", words)
    if beside := _BESIDE.match(words):
        name = find(Wanted(BESIDE, ""))
        if name is None:
            reading.unread.append(beside[1])
        else:
            reading.beside = Effect("add", card=(name,))
            reading.effects.append(reading.beside)
        words = words[beside.end() :]
    pieces = _SPLIT.split(words)
    _part(pieces[0], Context("", kind, find, tribes), reading)
    for head, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        _part(rest, Context(head.lower().rstrip(":,"), kind, find, tribes), reading)
    if reading.choice is not None and not any(effect.chosen for effect in reading.effects):
        reading.unread.append(words)  # chosen, and for what?
    played = [effect for effect in reading.effects if effect.on == "play"]
    if played and re.search(r"\bcop(?:y|ies) of this\b", words):
        first = played[0]
        if first.card != (find(Wanted(THIS, "")),) or first.given.startswith("attack"):
            reading.unread.append(words)  # something has happened to it before: copies are not as it is printed
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
    if re.fullmatch("this has all minion types", sentence, re.IGNORECASE) and "all" in context.tribes:
        return []
    if not context.head and context.kind == "minion":
        return [_aura(sentence, context, reading)]
    if context.kind != "minion" and (context.triggers != ("play",) or (context.kind == "weapon" and not context.head)):
        raise UnreadError(sentence)
    if chosen := re.fullmatch(r"choose ((?:an?|another) .+)", sentence, re.IGNORECASE):
        reading.choice = as_target(chosen[1], context)
        return []
    given, sentence = _asked(sentence, context, reading)
    instead = re.sub(r",? instead$", "", sentence)
    combo = True if context.head == "combo" else None
    if instead != sentence:
        return _in_place_of_earlier(instead, given, context, reading)
    found = parse_clauses(sentence, context)
    context.last_given = given
    result = [replace(effect, on=on, combo=combo, given=given) for on in context.triggers for effect in found]
    for effect in result:
        if effect.chosen and (effect.on != "play" or (context.kind == "spell" and given and "target" not in given)):
            raise UnreadError(sentence)
        if effect.do not in _BEFOREHAND.get(effect.on, (effect.do,)):
            raise UnreadError(sentence)
    return result


def _asked(sentence: str, context: Context, reading: Reading) -> tuple[str, str]:
    """What the sentence asks for, in the words of `conditions`, and what happens then."""
    given = ""
    if asked := re.fullmatch(r"if (.+?), (.+)", sentence, re.IGNORECASE):
        given, sentence = as_condition(asked[1], context, reading.keywords), asked[2]
    elif asked := re.fullmatch(r"(.+) if (you're holding .+|this has .+)", sentence, re.IGNORECASE):
        given, sentence = as_condition(asked[2], context, reading.keywords), asked[1]
    elif (asked := re.fullmatch(r"otherwise, (.+)", sentence, re.IGNORECASE)) and context.last_given:
        given, sentence = negate_condition(context.last_given), asked[1]
    if "target" in given and context.triggers != ("play",):
        raise UnreadError(sentence)
    return given, re.sub("^also ", "", sentence, flags=re.IGNORECASE) if given or context.head == "combo" else sentence


def _in_place_of_earlier(sentence: str, given: str, context: Context, reading: Reading) -> list[Effect]:
    """What happens instead of what the text said before, with a combo or where something is so."""
    combo = context.head == "combo"
    earlier = [effect for effect in reading.effects if effect.on in context.triggers]
    plainly = all(not effect.given and effect.combo is None for effect in earlier)
    if not earlier or bool(given) == combo or not plainly or len({effect.do for effect in earlier}) != 1:
        raise UnreadError(sentence)
    if given and (len(earlier) != 1 or context.triggers != ("play",)):
        raise UnreadError(sentence)
    first = earlier[0]
    deal = re.fullmatch(r"deal (\$?\d+)(?: damage)?(?: to it)?", sentence, re.IGNORECASE)
    if deal and first.do == "damage":
        found = [replace(effect, amount=as_harm(deal[1], context)) for effect in earlier]
    elif sentence.startswith("+") and first.do == "buff" and len(earlier) == 1:
        found = [replace(as_gift(sentence), to=first.to)]
    else:
        found = parse_clauses(sentence, context)
    without = {"combo": False} if combo else {"given": negate_condition(given)}
    for place, effect in enumerate(reading.effects):
        if effect in earlier:
            reading.effects[place] = replace(effect, **without)
    return [replace(effect, on="play", combo=True if combo else None, given=given) for effect in found]


# -- auras


def _aura(sentence: str, context: Context, reading: Reading) -> Effect:
    if match := re.fullmatch(r"has \+(\d+) attack while damaged|enrage: \+(\d+) attack", sentence, re.IGNORECASE):
        return Effect("buff", "aura", Target("self", damaged=True), attack=int(match[1] or match[2]))
    if match := re.fullmatch(r"while at full health, this has (\+\d+ attack)", sentence, re.IGNORECASE):
        return replace(as_gift(match[1]), on="aura", to=Target("self", damaged=False))
    if match := re.fullmatch(r"has (.+) (?:during|on) (your|your opponent's) turn", sentence, re.IGNORECASE):
        given = "my turn" if match[2].lower() == "your" else "not my turn"
        return _own_aura(match[1], given)
    if match := re.fullmatch(r"has (.+) while (.+)", sentence, re.IGNORECASE):
        return _own_aura(match[1], as_condition(match[2], context, reading.keywords))
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


def _own_aura(words: str, given: str) -> Effect:
    gift = as_gift(words, lasting=False)
    if gift.keywords or gift.health:
        raise UnreadError(words)
    return replace(gift, on="aura", to=Target("self"), given=given)
