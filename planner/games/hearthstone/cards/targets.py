"""Whom an effect concerns: words, and what they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from planner.games.hearthstone.cards.keywords import NAMES

_ATTACK: Final = re.compile(r"attack([<>])=([0-9]{1,6})")
_COUNT: Final = re.compile(r"[2-9]|[1-9][0-9]")
SELECTORS: Final = ("chosen", "all", "random", "self")
TRIBES: Final = (
    "beast",
    "demon",
    "dragon",
    "elemental",
    "mech",
    "murloc",
    "naga",
    "pirate",
    "quilboar",
    "totem",
    "undead",
)


@dataclass(frozen=True, slots=True)
class Target:
    """Whom an effect concerns, such as `chosen friendly mech` or `all other characters`."""

    select: str  # one of SELECTORS
    side: str = "any"  # friendly, enemy, any
    what: str = "character"  # minion, hero, character
    other: bool = False  # not the card itself
    tribe: str | None = None
    damaged: bool | None = None
    least: int | None = None  # a minion's attack
    most: int | None = None
    keyword: str | None = None  # a minion that has it
    without: str | None = None  # a minion that is not of this tribe
    count: int = 1  # random: so many different ones

    @classmethod
    def parse(cls, text: str) -> Target:
        """From words: [chosen|all|self|random [N]] [other] [friendly|enemy] [damaged|undamaged] [a keyword] [non-TRIBE]
        what [attack>=N attack<=N].

        Raises ValueError with the word that is not understood.
        """
        found: dict[str, Any] = {"select": "", "what": ""}
        for word in text.split():
            singular = "hero" if word == "heroes" else word.removesuffix("s")
            if bound := _ATTACK.fullmatch(word):
                found["most" if bound[1] == "<" else "least"] = int(bound[2])
            elif word in SELECTORS:
                found["select"] = word
            elif _COUNT.fullmatch(word):
                found["count"] = int(word)
            elif word in ("friendly", "enemy"):
                found["side"] = word
            elif word == "other":
                found["other"] = True
            elif word in ("damaged", "undamaged"):
                found["damaged"] = word == "damaged"
            elif word in NAMES:
                found["keyword"] = word
            elif word.startswith("non-") and word.removeprefix("non-") in TRIBES:
                found["without"] = word.removeprefix("non-")
            elif singular in ("minion", "hero", "character"):
                found["what"] = singular
            elif singular in TRIBES:
                found |= {"what": "minion", "tribe": singular}
            else:
                raise ValueError(f"target {text!r}: {word!r} is not a word for a target")
        if found["select"] == "self":
            return cls("self", damaged=found.get("damaged"))
        if not found["what"]:
            raise ValueError(f"target {text!r}: say minion, hero, character or a tribe")
        if not found["select"]:
            if found["what"] != "hero":
                raise ValueError(f"target {text!r}: say chosen, all or random")
            found["select"] = "all"
        if found["what"] != "minion" and found.keys() & {"least", "most", "without"}:
            raise ValueError(f"target {text!r}: only of minions it is asked what attack they have, and of what tribe")
        if "count" in found and found["select"] != "random":
            raise ValueError(f"target {text!r}: only random ones are counted")
        return cls(**found)

    def __str__(self) -> str:
        damaged = {True: "damaged", False: "undamaged", None: ""}[self.damaged]
        if self.select == "self":
            return f"{damaged} self".strip()
        words = (
            self.select,
            "" if self.count == 1 else str(self.count),
            "other" if self.other else "",
            "" if self.side == "any" else self.side,
            damaged,
            self.keyword or "",
            "" if self.without is None else f"non-{self.without}",
            self.tribe or self.what,
            "" if self.least is None else f"attack>={self.least}",
            "" if self.most is None else f"attack<={self.most}",
        )
        return " ".join(word for word in words if word)
