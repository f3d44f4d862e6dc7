"""The parser of the one-line forms. A state comes out in the JSON form, which `codec` checks; an action as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.codec_fields import HERO_FIELDS

NAME_WORD: Final = re.compile(r"[^\W\d_][\w.'!&?-]*|\?")  # anything else in a name: the name is quoted
ID: Final = re.compile(r"[\w.]+(?:-[\w.]+)*")

_SPACE: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[A-Za-z_]+")
_KEY: Final = re.compile(r"([A-Za-z_]+)=")
_MANA: Final = re.compile(r"mana\b")
_ARROW: Final = re.compile("->")
_INTEGER: Final = re.compile(r"-?\d+")
_COUNT: Final = re.compile(r"(\d+)\s*(?=\||$)")
_COST: Final = re.compile(r"\(\s*(-?\d+)\s*\)")
_STATS: Final = re.compile(r"(-?\d+)/(-?\d+)")
_HEALTH: Final = re.compile(r"(-?\d+)hp\b")
_JSON: Final = re.compile(r'["\[{\d-]|(?:true|false|null)\b')
_DECODER: Final = json.JSONDecoder()
_ACTIONS: Final = ("play", "attack", "power", "trade", "end", "mulligan")
_SECTIONS: Final = ("me", "enemy", "weapon", "power", "hand", "deck", "cards")

Entry = dict[str, Any]


class TextReader:
    """A line of text and a place in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    # -- states

    def state(self) -> Entry:
        """The whole line, as a state in the JSON form."""
        state: Entry = {}
        state["mana"] = self._integer(self._expect(_INTEGER, "a number of mana, such as '6 mana'").group())
        self._expect(_MANA, "'mana'")
        self._options(state)
        side = ""
        while self._take("|"):
            start = self._skip()
            section = self._word(_SECTIONS, "a section")
            if section in ("me", "enemy"):
                side = section
                self._set(state, section, self._player(), start)
            elif section == "cards":
                self._colon()
                self._set(state, section, self._listed(self._json), start)
            elif not side:
                raise self._refuse(f"{section} stands before 'me' and 'enemy'", start)
            elif section == "weapon":
                self._set(state[side], section, self._entry("durability"), start)
            elif section == "power":
                power = self._entry()
                if not power.get("keywords", True):
                    del power["keywords"]  # a hero power with a cost of its own says nothing about keywords
                self._set(state[side], "hero_power", power, start)
            else:
                self._colon()
                self._set(state[side], section, self._zone(), start)
        self._end("'|'")
        return state

    def _player(self) -> Entry:
        hero: Entry = {"health": self._integer(self._expect(_HEALTH, "health, such as '30hp'")[1])}
        words = self._words()
        if words:
            hero["keywords"] = words
        options = self._options({})
        player: Entry = {"hero": hero}
        for key, value in options.items():
            (hero if key in HERO_FIELDS and key not in hero else player)[key] = value
        if self._take(":") and not self._ended():
            player["board"] = self._listed(self._entry)
        return player

    def _zone(self) -> int | list[Any]:
        self._skip()
        if count := _COUNT.match(self._text, self._at):
            self._at = count.end()
            return self._integer(count[1])
        return [] if self._ended() else self._listed(self._entry)

    def _entry(self, body: str = "health") -> Entry:
        """`Name (cost) attack/health keywords #id field=value`."""
        start = self._skip()
        entry: Entry = {}
        name = self._name()
        if name is not None:
            entry["name"] = name
        if found := self._match(_COST):
            entry["cost"] = self._integer(found[1])
        if found := self._match(_STATS):
            entry["attack"], entry[body] = self._integer(found[1]), self._integer(found[2])
        words = self._words()
        if words or "cost" in entry or "attack" in entry:
            entry["keywords"] = words  # whoever gives numbers gives all keywords, and none means none
        if self._take("#"):
            entry["id"] = self._id()
        self._options(entry)
        if not entry:
            raise self._refuse("expected a card", start)
        return entry

    def _name(self) -> str | None:
        self._skip()
        if self._text[self._at : self._at + 1] == '"':
            return str(self._json())
        words: list[str] = []
        while found := self._peek(NAME_WORD):
            if self._text[found.end() : found.end() + 1] == "=":  # a field's name, no longer the card's
                break
            words.append(found.group())
            self._at = found.end()
        return " ".join(words) if words else None

    def _words(self) -> list[str]:
        words: list[str] = []
        while (found := self._peek(_WORD)) and self._text[found.end() : found.end() + 1] != "=":
            words.append(found.group())
            self._at = found.end()
        return words

    def _options(self, fields: Entry) -> Entry:
        """`field=value` after what is there already."""
        while found := self._peek(_KEY):
            start = self._at
            self._at = found.end()
            if _JSON.match(self._text, self._at):
                value = self._json()
            else:
                value = self._expect(_WORD, "a value: a word, a number or JSON").group()
            self._set(fields, found[1], value, start)
        return fields

    def _listed(self, one: Callable[[], Any]) -> list[Any]:
        items = [one()]
        while self._take(","):
            items.append(one())
        return items

    # -- actions

    def action(self) -> Action:
        """The whole line, as an action."""
        kind = self._word(_ACTIONS, "an action")
        if kind == "mulligan":
            cards = []
            while not self._ended():
                cards.append(self._id())
            return Mulligan(tuple(cards))
        subject = self._id() if kind in ("play", "attack", "trade") else ""
        target = None
        if kind == "attack" or (kind in ("play", "power") and not self._ended()):
            self._expect(_ARROW, "'->' and a target")
            target = self._id()
        self._end("the end")
        match kind:
            case "play":
                return Play(subject, target)
            case "attack":
                return Attack(subject, target or "")
            case "power":
                return HeroPower(target)
            case "trade":
                return Trade(subject)
        return EndTurn()

    # -- the pieces of a line

    def _skip(self) -> int:
        """Go past spaces, and say where that is."""
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._at

    def _peek(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        self._skip()
        return pattern.match(self._text, self._at)

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = self._peek(pattern)
        if found:
            self._at = found.end()
        return found

    def _expect(self, pattern: re.Pattern[str], wanted: str) -> re.Match[str]:
        found = self._match(pattern)
        if not found:
            raise self._refuse(f"expected {wanted}")
        return found

    def _take(self, sign: str) -> bool:
        self._skip()
        found = self._text.startswith(sign, self._at)
        self._at += len(sign) * found
        return found

    def _colon(self) -> None:
        if not self._take(":"):
            raise self._refuse("expected ':'")

    def _word(self, known: tuple[str, ...], wanted: str) -> str:
        start = self._skip()
        word = self._expect(_WORD, f"{wanted}: {', '.join(known)}").group()
        if word not in known:
            raise self._refuse(f"expected {wanted}: {', '.join(known)}{did_you_mean(word, known)}", start)
        return word

    def _id(self) -> str:
        self._skip()
        if self._text[self._at : self._at + 1] == '"':
            return str(self._json())
        return self._expect(ID, "an id").group()

    def _integer(self, digits: str) -> int:
        if len(digits) > 20:  # Python refuses to read numbers of thousands of digits
            raise self._refuse("a number of too many digits, just before")
        return int(digits)

    def _json(self) -> Any:
        self._skip()
        try:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
        except json.JSONDecodeError as error:
            raise self._refuse(error.msg, error.pos) from None
        except (ValueError, RecursionError):
            raise self._refuse("too long or nested too deeply") from None
        return value

    def _set(self, fields: Entry, key: str, value: Any, start: int) -> None:
        if key in fields:
            raise self._refuse(f"{key} stands here twice", start)
        fields[key] = value

    def _ended(self) -> bool:
        self._skip()
        return self._at == len(self._text) or self._text[self._at] == "|"

    def _end(self, wanted: str) -> None:
        self._skip()
        if self._at < len(self._text):
            raise self._refuse(f"expected {wanted}")

    def _refuse(self, why: str, at: int | None = None) -> PlannerError:
        place = self._at if at is None else at
        found = quote(self._text[place : place + 20]) if place < len(self._text) else "the end"
        return PlannerError(f"column {place + 1}: {why}; found {found}")
