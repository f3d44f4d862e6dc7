"""Parse English card texts into effects. Unknown sentences are returned unread; nothing is guessed.

A text consists of keywords ("Taunt") and of parts that begin with a trigger ("Battlecry:"). Each part consists of
sentences ("Deal 3 damage to an enemy minion."). A sentence is read completely or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from planner.games.hearthstone.cards.card_text_clauses import parse_clauses
from planner.games.hearthstone.cards.card_text_phrases import (
    BUFF_KEYWORDS,
    EXTRA_CARD,
    HEADS,
    KEYWORDS,
    THIS,
    CardDescription,
    Context,
    FindCard,
    UnreadError,
    parse_buff,
    parse_condition_phrase,
    parse_damage,
    parse_target,
    parse_target_phrase,
)
from planner.games.hearthstone.cards.effect_vocabulary import Effect, Target, negate_condition
from planner.games.hearthstone.cards.keywords import BIT

_SPELL_KEYWORDS: Final = ("lifesteal", "echo", "tradeable")
_SPLIT: Final = re.compile(
    r"(?:^|(?<=[\s.,]))(battlecry(?: and deathrattle)?:|deathrattle:|combo:|inspire:|at the (?:end|start) of your turn,"
    r"|(?:whenever|after) you cast a spell,|after you use your hero power,|after your hero attacks,"
    r"|(?:whenever|after) this(?: minion)? attacks,|overload: \(\d+\)|spell damage \+\d+)\s*",
    re.IGNORECASE,
)
# The effects that may happen before a spell or an attack is carried out. Others could kill or move a character, and
# then the real game checks again.
_BEFORE_ACTION: Final = {
    "cast": ("draw", "armor", "add", "summon", "buff"),
    "attack": ("draw", "armor", "add", "mana", "buff"),
}
# Keywords that also add another card to the hand: a smaller or larger version, or a copy.
_EXTRA_CARD: Final = re.compile(r"^(miniaturize|gigantify|twinspell)[ ,.]*", re.IGNORECASE)
_SIZES: Final = re.compile(r"^(?:mini|gigantic)\b[ ,.]*", re.IGNORECASE)


@dataclass
class Reading:
    """The parsed text of a card."""

    effects: list[Effect] = field(default_factory=list)
    keywords: int = 0
    spell_damage: int = 0
    overload: int = 0
    heads: set[str] = field(default_factory=set)  # the triggers that the text names
    unread: list[str] = field(default_factory=list)  # sentences that the grammar does not know
    choice: Target | None = None  # from a sentence such as `Choose a minion.`
    extra_card: Effect | None = None  # from a keyword such as miniaturize


def strip_markup(text: str) -> str:
    """Remove layout and bold marks; the `$` and `#` before numbers stay."""
    text = text.replace("[x]", "").split("~")[0].replace("&", "")
    text = re.sub(r"</?[bi]>", "", text)
    text = re.sub(r"\(\+\d+ Attack/\+\d+ Health\)", "", text.replace("_", " "))  # repeats the meaning of +4/+4
    text = re.sub(r"[\s_\u00a0]+", " ", text).replace("\u2019", "'").strip()
    return re.sub(r"\s+([.:,;])", r"\1", text)


def parse_card_text(text: str, kind: str, find: FindCard, tribes: tuple[str, ...] = ()) -> Reading:
    """Parse the text of a card of this type (`kind`) with these tribes."""
    reading = Reading()
    words = strip_markup(text)
    if re.search(r"[@{}|]", words):  # numbers that the real game fills in during a match
        reading.unread.append(words)
        return reading
    words = _SIZES.sub("", words)
    if extra := _EXTRA_CARD.match(words):
        name = find(CardDescription(EXTRA_CARD, ""))
        if name is None:
            reading.unread.append(extra[1])
        else:
            reading.extra_card = Effect("add", card=(name,))
            reading.effects.append(reading.extra_card)
        words = words[extra.end() :]
    pieces = _SPLIT.split(words)
    _part(pieces[0], Context("", kind, find, tribes), reading)
    for head, part in zip(pieces[1::2], pieces[2::2], strict=True):
        _part(part, Context(head.lower().rstrip(":,"), kind, find, tribes), reading)
    if reading.choice is not None and not any(effect.chosen for effect in reading.effects):
        reading.unread.append(words)  # the choice has no effect
    played = [effect for effect in reading.effects if effect.on == "play"]
    if played and re.search(r"\bcop(?:y|ies) of this\b", words):
        first = played[0]
        if first.card != (find(CardDescription(THIS, "")),) or first.given.startswith("attack"):
            reading.unread.append(words)  # an earlier effect changes the minion, so its copies are not as printed
    return reading


def _part(text: str, context: Context, reading: Reading) -> None:
    """Parse the sentences after one trigger, or before the first."""
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
            keywords, sentence = _leading_keywords(sentence, kind)  # noqa: PLW2901
            reading.keywords |= keywords
            if not sentence:
                continue
        try:
            reading.effects += _sentence(sentence, context, reading)
        except UnreadError:
            reading.unread.append(f"{head}: {sentence}" if head else sentence)


def _sentences(text: str) -> Iterator[str]:
    for sentence in re.split(r"(?<=[.!])\s+", text.strip(" .,;")):
        if stripped := sentence.strip(" .,;!"):
            yield stripped


def _leading_keywords(sentence: str, kind: str) -> tuple[int, str]:
    """Return the keywords at the start of the sentence, and what follows them."""
    words = sentence.lower()
    if words in KEYWORDS:
        return BIT[KEYWORDS[words]], ""
    allowed = _SPELL_KEYWORDS if kind == "spell" else (*BUFF_KEYWORDS, "echo", "magnetic", "tradeable")
    bits, remainder = 0, sentence
    while True:
        word = next((word for word in allowed if re.match(rf"{word}(?![\w'-])", remainder, re.IGNORECASE)), None)
        if word is None and remainder.lower() in KEYWORDS:
            return bits | BIT[KEYWORDS[remainder.lower()]], ""
        if word is None:
            return bits, remainder
        bits |= BIT[KEYWORDS[word]]
        remainder = re.sub(r"^(?:,? and |, |\. | )", "", remainder[len(word) :])


# -- sentences


def _sentence(sentence: str, context: Context, reading: Reading) -> list[Effect]:
    if re.fullmatch("this has all minion types", sentence, re.IGNORECASE) and "all" in context.tribes:
        return []
    if not context.head and context.kind == "minion":
        return [_aura(sentence, context, reading)]
    if context.kind != "minion" and (context.triggers != ("play",) or (context.kind == "weapon" and not context.head)):
        raise UnreadError(sentence)
    if chosen := re.fullmatch(r"choose ((?:an?|another) .+)", sentence, re.IGNORECASE):
        reading.choice = parse_target(chosen[1], context)
        return []
    condition, sentence = _split_condition(sentence, context, reading)
    instead = re.sub(r",? instead$", "", sentence)
    combo = True if context.head == "combo" else None
    if instead != sentence:
        return _replace_earlier(instead, condition, context, reading)
    effects = parse_clauses(sentence, context)
    context.last_condition = condition
    result = [replace(effect, on=on, combo=combo, given=condition) for on in context.triggers for effect in effects]
    for effect in result:
        if effect.chosen and (
            effect.on != "play" or (context.kind == "spell" and condition and "target" not in condition)
        ):
            raise UnreadError(sentence)
        if effect.do not in _BEFORE_ACTION.get(effect.on, (effect.do,)):
            raise UnreadError(sentence)
    return result


def _split_condition(sentence: str, context: Context, reading: Reading) -> tuple[str, str]:
    """Return the condition of the sentence in the vocabulary of effects, and the sentence without it."""
    condition = ""
    if match := re.fullmatch(r"if (.+?), (.+)", sentence, re.IGNORECASE):
        condition, sentence = parse_condition_phrase(match[1], context, reading.keywords), match[2]
    elif match := re.fullmatch(r"(.+) if (you're holding .+|this has .+)", sentence, re.IGNORECASE):
        condition, sentence = parse_condition_phrase(match[2], context, reading.keywords), match[1]
    elif (match := re.fullmatch(r"otherwise, (.+)", sentence, re.IGNORECASE)) and context.last_condition:
        condition, sentence = negate_condition(context.last_condition), match[1]
    if "target" in condition and context.triggers != ("play",):
        raise UnreadError(sentence)
    if condition or context.head == "combo":
        sentence = re.sub("^also ", "", sentence, flags=re.IGNORECASE)
    return condition, sentence


def _replace_earlier(sentence: str, condition: str, context: Context, reading: Reading) -> list[Effect]:
    """Parse effects that replace the earlier ones, with a combo or on a condition."""
    combo = context.head == "combo"
    earlier = [effect for effect in reading.effects if effect.on in context.triggers]
    unconditional = all(not effect.given and effect.combo is None for effect in earlier)
    if not earlier or bool(condition) == combo or not unconditional or len({effect.do for effect in earlier}) != 1:
        raise UnreadError(sentence)
    if condition and (len(earlier) != 1 or context.triggers != ("play",)):
        raise UnreadError(sentence)
    first = earlier[0]
    deal = re.fullmatch(r"deal (\$?\d+)(?: damage)?(?: to it)?", sentence, re.IGNORECASE)
    if deal and first.do == "damage":
        effects = [replace(effect, amount=parse_damage(deal[1], context)) for effect in earlier]
    elif sentence.startswith("+") and first.do == "buff" and len(earlier) == 1:
        effects = [replace(parse_buff(sentence), to=first.to)]
    else:
        effects = parse_clauses(sentence, context)
    otherwise = {"combo": False} if combo else {"given": negate_condition(condition)}
    for index, effect in enumerate(reading.effects):
        if effect in earlier:
            reading.effects[index] = replace(effect, **otherwise)
    return [replace(effect, on="play", combo=True if combo else None, given=condition) for effect in effects]


# -- auras


def _aura(sentence: str, context: Context, reading: Reading) -> Effect:
    if match := re.fullmatch(r"has \+(\d+) attack while damaged|enrage: \+(\d+) attack", sentence, re.IGNORECASE):
        return Effect("buff", "aura", Target("self", damaged=True), attack=int(match[1] or match[2]))
    if match := re.fullmatch(r"while at full health, this has (\+\d+ attack)", sentence, re.IGNORECASE):
        return replace(parse_buff(match[1]), on="aura", to=Target("self", damaged=False))
    if match := re.fullmatch(r"has (.+) (?:during|on) (your|your opponent's) turn", sentence, re.IGNORECASE):
        return _own_aura(match[1], "my turn" if match[2].lower() == "your" else "not my turn")
    if match := re.fullmatch(r"has (.+) while (.+)", sentence, re.IGNORECASE):
        return _own_aura(match[1], parse_condition_phrase(match[2], context, reading.keywords))
    match = re.fullmatch(r"(your .*|all .*|other .*) have (.*)", sentence, re.IGNORECASE)
    if not match:
        raise UnreadError(sentence)
    words = match[1].lower()
    if words.startswith("other "):
        words = "all " + words
    target = parse_target_phrase(words, Context("", "minion", lambda _: None))
    buff = parse_buff(match[2], lasting=False)
    if buff.keywords or target.what == "hero":
        raise UnreadError(sentence)
    return replace(buff, on="aura", to=target)


def _own_aura(words: str, condition: str) -> Effect:
    buff = parse_buff(words, lasting=False)
    if buff.keywords or buff.health:
        raise UnreadError(words)
    return replace(buff, on="aura", to=Target("self"), given=condition)
