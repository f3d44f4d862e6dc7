"""What a card text asks for before something happens (`If you're holding a Dragon`), in the words of `conditions`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from planner.games.hearthstone.cards.card_text_phrases import Context, UnreadError, counted
from planner.games.hearthstone.cards.effect_vocabulary import TRIBES
from planner.games.hearthstone.cards.keywords import BIT

_TRIBE: Final = "|".join(TRIBES)
# What is asked, and how the words for it are made of the match.
_ASKED: Final[tuple[tuple[str, Callable[[re.Match[str]], str]], ...]] = (
    (rf"you(?:'re| are) holding an?(?:other)? ({_TRIBE})", lambda match: f"holding {match[1]}"),
    (r"you have a weapon(?: equipped)?", lambda _: "weapon"),
    (r"this(?: minion)? has (?:at least (\d+)|(\d+) or more) attack", lambda match: f"attack>={match[1] or match[2]}"),
    (r"it's your opponent's turn", lambda _: "not my turn"),
    (r"you have (\d+) or less health", lambda match: f"health<={match[1]}"),
    (r"your opponent has (\d+) or less health", lambda match: f"enemy health<={match[1]}"),
    (r"your hand is empty", lambda _: "hand<=0"),
    (r"your opponent has (\d+) or more cards in hand", lambda match: f"enemy hand>={match[1]}"),
    (r"you have (?:at least )?(\d+) mana crystals", lambda match: f"crystals>={match[1]}"),
    (r"(?:your hero has|you have) armor", lambda _: "armor>=1"),
    (r"you have (\d+) or more armor", lambda match: f"armor>={match[1]}"),
    (r"your weapon has at least (\d+) attack", lambda match: f"weapon_attack>={match[1]}"),
    (r"you (?:control|have) no other minions", lambda _: "all other friendly minions<=0"),
    (r"you (?:control|have) (?:at least )?(\d+) other minions", lambda one: f"all other friendly minions>={one[1]}"),
    (r"your opponent (?:controls|has) (\d+) or more minions", lambda match: f"all enemy minions>={match[1]}"),
    (r"an enemy is (frozen)", lambda match: f"all {match[1]} enemy characters>=1"),
)
# What is asked of the one whom the sentence before was about, if its player chose it.
_OF_IT: Final = {
    **dict.fromkeys(("it dies", "that kills it", "this kills it"), "not target alive"),
    **dict.fromkeys(("it survives", "it lives"), "target alive"),
    **{f"it's {'an' if tribe[0] in 'aeiou' else 'a'} {tribe}": f"target {tribe}" for tribe in TRIBES},
}


def as_condition(words: str, context: Context, keywords: int) -> str:
    """The condition; `keywords` are the card's own, as far as they are read."""
    words = words.lower().strip()
    if words in _OF_IT:
        if context.it is None or context.it.select != "chosen":
            raise UnreadError(words)
        return _OF_IT[words]
    for pattern, build in _ASKED:
        if match := re.fullmatch(pattern, words):
            asked = build(match)
            if asked.startswith("attack") and not (context.kind == "minion" and context.head):
                raise UnreadError(words)  # an aura would ask for what it changes
            return asked
    if match := re.fullmatch(rf"you (?:control|have) (a|an|another) ({_TRIBE})", words):
        if context.is_own(match[2]) and match[1] != "another":
            raise UnreadError(words)  # does it count itself?
        return f"controlling {match[2]}"
    if match := re.fullmatch(
        r"(you (?:control|have)|your opponent (?:controls|has)|there is) (?:another|an?) (.+)", words
    ):
        whose = {"you": "other friendly ", "your": "enemy ", "there": ""}[match[1].split()[0]]
        found = counted(whose + match[2], context)
        if found.least is not None or found.most is not None or (found.keyword and keywords & BIT[found.keyword]):
            raise UnreadError(words)  # does it count itself?
        return f"{found}>=1"
    if match := re.fullmatch(r"an enemy minion has (.+)", words):
        return f"{counted(f'enemy minion with {match[1]}', context)}>=1"
    raise UnreadError(words)
