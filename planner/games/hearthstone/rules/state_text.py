"""States and actions as one line of text, for bug reports: another notation for the JSON form, parsed both ways.

    6 mana | me 30hp: Chillwind Yeti 4/5 taunt | hand: Wolfrider (3) 3/1 charge | enemy 12hp: Raptor 3/2, Ooze 3/2
    play me.hand.0 -> enemy.board.1

docs/reference/state.md has the grammar.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.entities import Entity
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_fields import HERO, MINION, WEAPON
from planner.games.hearthstone.rules.state_json import action_to_dict, state_from_dict
from planner.games.hearthstone.rules.state_writer import write_state

_Entry = dict[str, Any]
_NAME_WORD: Final = re.compile(r"[^\W\d_][\w.'!&?-]*|\?")  # a name with anything else is quoted
_ID: Final = re.compile(r"[\w.]+(?:-[\w.]+)*")
_SPACE: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[A-Za-z_]+")
_KEY: Final = re.compile(r"([A-Za-z_]+)=")
_MANA: Final = re.compile(r"mana\b")
_ARROW: Final = re.compile("->")
_AND: Final = re.compile("&")
_INTEGER: Final = re.compile(r"-?\d+")
_COUNT: Final = re.compile(r"(\d+)\s*(?=\||$)")
_COST: Final = re.compile(r"\(\s*(-?\d+)\s*\)")
_STATS: Final = re.compile(r"(-?\d+)/(-?\d+)")
_HEALTH: Final = re.compile(r"(-?\d+)hp\b")
_JSON: Final = re.compile(r'["\[{\d-]|(?:true|false|null)\b')
_DECODER: Final = json.JSONDecoder()
_JSON_WORDS: Final = ("true", "false", "null")  # without quotes these are not strings
_ACTION_WORDS: Final[dict[type[Any], str]] = {
    Play: "play", Attack: "attack", HeroPower: "power", Trade: "trade", EndTurn: "end", Mulligan: "mulligan",
    Batch: "batch",
}  # fmt: skip
_SECTIONS: Final = ("me", "enemy", "weapon", "power", "hand", "deck", "cards")


# -- writing


def state_to_text(state: GameState, cards: Catalogue | None = None) -> str:
    """Return the state as one line. Reading it with the same catalogue gives an equal state."""
    out = write_state(state, catalogue.standard() if cards is None else cards, full=False)
    sections = [f"{out.pop('mana')} mana"]
    players = {side: out.pop(side) for side in ("me", "enemy")}
    definitions = out.pop("cards", [])
    sections[0] += _format_options(out)
    for side, player in players.items():
        sections.extend(_format_player(side, player))
    if definitions:
        sections.append("cards: " + ", ".join(json.dumps(card) for card in definitions))
    return " | ".join(sections)


def _format_player(side: str, player: _Entry) -> list[str]:
    hero = player.pop("hero")
    zones = {key: player.pop(key, None) for key in ("board", "weapon", "hero_power", "hand", "deck")}
    health, keywords = hero.pop("health"), hero.pop("keywords", [])
    head = " ".join([side, f"{health}hp", *keywords]) + _format_options({**hero, **player})
    board = ", ".join(map(_format_entry, zones["board"]))
    sections = [f"{head}: {board}" if board else head]
    if zones["weapon"] is not None:
        sections.append(f"weapon {_format_entry(zones['weapon'], WEAPON)}")
    if zones["hero_power"] is not None:
        sections.append(f"power {_format_entry(zones['hero_power'])}")
    for key in ("hand", "deck"):
        zone = zones[key]
        if zone:
            content = str(zone) if isinstance(zone, int) else ", ".join(map(_format_entry, zone))
            sections.append(f"{key}: {content}")
    return sections


def _format_entry(entry: str | _Entry, entity: Entity = MINION) -> str:
    """Format an object as `Name (cost) attack/health keywords #id field=value`."""
    if isinstance(entry, str):
        return _format_name(entry)
    options = dict(entry)
    words = [_format_name(options.pop("name"))] if "name" in options else []
    if "cost" in options:
        words.append(f"({options.pop('cost')})")
    if "attack" in options:
        words.append("/".join(str(options.pop(key)) for key in entity.stats))
    words.extend(options.pop("keywords", []))
    if "id" in options:
        words.append(f"#{_format_id(options.pop('id'))}")
    return (" ".join(words) + _format_options(options)).strip()


def _format_options(fields: Mapping[str, Any]) -> str:
    return "".join(f" {key}={_format_value(value)}" for key, value in fields.items())


def _format_value(value: Any) -> str:
    if isinstance(value, str) and _WORD.fullmatch(value) and value not in _JSON_WORDS:
        return value
    return json.dumps(value)


def _format_name(name: str) -> str:
    return name if all(map(_NAME_WORD.fullmatch, name.split(" "))) else json.dumps(name)


def _format_id(name: str) -> str:
    return name if _ID.fullmatch(name) else json.dumps(name)


def action_to_text(action: Action) -> str:
    """Return the action as one line, such as `attack me.board.0 -> enemy.hero`."""
    match action:
        case Mulligan(cards):
            words = [_format_id(card) for card in cards]
        case Batch(parts):
            words = [" & ".join(map(action_to_text, parts))] if parts else []
        case _:
            ids = action_to_dict(action)
            target = ids.pop("target", None)
            words = [_format_id(name) for key, name in ids.items() if key != "type"]
            words += [] if target is None else ["->", _format_id(target)]
    return " ".join([_ACTION_WORDS[type(action)], *words])


# -- reading


def state_from_text(text: str, cards: Catalogue | None = None) -> GameState:
    """Return the state that the line describes."""
    return state_from_dict(_TextParser(text).state(), cards)


def action_from_text(text: str) -> Action:
    """Return the action that the line describes."""
    return _TextParser(text).action()


class _TextParser:
    """A line of text and a position in it. States are returned in the JSON form, which its reader validates."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    def state(self) -> _Entry:
        """Parse the whole line as a state."""
        state: _Entry = {}
        state["mana"] = self._integer(self._expect(_INTEGER, "a number of mana, such as '6 mana'").group())
        self._expect(_MANA, "'mana'")
        self._options(state)
        side = ""
        while self._skip("|"):
            start = self._skip_spaces()
            section = self._one_of(_SECTIONS, "a section")
            if section in ("me", "enemy"):
                side = section
                self._set(state, section, self._player(), start)
            elif section == "cards":
                self._colon()
                self._set(state, section, self._list(self._json), start)
            elif not side:
                raise self._error(f"{section} must come after 'me' or 'enemy'", start)
            elif section == "weapon":
                self._set(state[side], section, self._entry(WEAPON), start)
            elif section == "power":
                power = self._entry()
                if not power.get("keywords", True):
                    del power["keywords"]  # a hero power has no keywords
                self._set(state[side], "hero_power", power, start)
            else:
                self._colon()
                self._set(state[side], section, self._zone(), start)
        self._expect_end("'|'")
        return state

    def _player(self) -> _Entry:
        hero: _Entry = {"health": self._integer(self._expect(_HEALTH, "health, such as '30hp'")[1])}
        keywords = self._words()
        if keywords:
            hero["keywords"] = keywords
        player: _Entry = {"hero": hero}
        for key, value in self._options({}).items():
            (hero if key in HERO.readers and key not in hero else player)[key] = value
        if self._skip(":") and not self._at_end():
            player["board"] = self._list(self._entry)
        return player

    def _zone(self) -> int | list[Any]:
        self._skip_spaces()
        if count := _COUNT.match(self._text, self._position):
            self._position = count.end()
            return self._integer(count[1])
        return [] if self._at_end() else self._list(self._entry)

    def _entry(self, entity: Entity = MINION) -> _Entry:
        """Parse `Name (cost) attack/health keywords #id field=value`."""
        start = self._skip_spaces()
        entry: _Entry = {}
        name = self._name()
        if name is not None:
            entry["name"] = name
        if cost := self._match(_COST):
            entry["cost"] = self._integer(cost[1])
        if stats := self._match(_STATS):
            for key, digits in zip(entity.stats, stats.groups(), strict=True):
                entry[key] = self._integer(digits)
        keywords = self._words()
        if keywords or "cost" in entry or "attack" in entry:
            entry["keywords"] = keywords  # numbers without keywords mean that there are none
        if self._skip("#"):
            entry["id"] = self._id()
        self._options(entry)
        if not entry:
            raise self._error("expected a card", start)
        return entry

    def _name(self) -> str | None:
        self._skip_spaces()
        if self._text[self._position : self._position + 1] == '"':
            return str(self._json())
        words = self._matches(_NAME_WORD)
        return " ".join(words) if words else None

    def _words(self) -> list[str]:
        return self._matches(_WORD)

    def _matches(self, pattern: re.Pattern[str]) -> list[str]:
        """Return the words up to the next `field=`."""
        words: list[str] = []
        while (word := self._peek(pattern)) and self._text[word.end() : word.end() + 1] != "=":
            words.append(word.group())
            self._position = word.end()
        return words

    def _options(self, fields: _Entry) -> _Entry:
        """Add `field=value` pairs to the fields."""
        while key := self._peek(_KEY):
            start = self._position
            self._position = key.end()
            if _JSON.match(self._text, self._position):
                value = self._json()
            else:
                value = self._expect(_WORD, "a value: a word, a number or JSON").group()
            self._set(fields, key[1], value, start)
        return fields

    def _list(self, item: Callable[[], Any]) -> list[Any]:
        items = [item()]
        while self._skip(","):
            items.append(item())
        return items

    def action(self) -> Action:
        """Parse the whole line as an action."""
        action = self._action(tuple(_ACTION_WORDS.values()), "an action")
        self._expect_end("the end")
        return action

    def _action(self, words: tuple[str, ...], expected: str) -> Action:
        match self._one_of(words, expected):
            case "play":
                return Play(self._id(), self._target())
            case "attack":
                return Attack(self._id(), self._required_target())
            case "power":
                return HeroPower(self._target())
            case "trade":
                return Trade(self._id())
            case "mulligan":
                return Mulligan(tuple(self._up_to_end(self._id)))
            case "batch":
                return Batch(tuple(self._up_to_end(self._batch_part)))
        return EndTurn()

    def _up_to_end(self, item: Callable[[], Any]) -> Iterator[Any]:
        while not self._at_end():
            yield item()

    def _batch_part(self) -> Action:
        part = self._action(("play", "attack"), "play or attack")
        if not self._at_end():
            self._expect(_AND, "'&' and an action")
        return part

    def _target(self) -> str | None:
        return None if self._at_end() or self._peek(_AND) else self._required_target()

    def _required_target(self) -> str:
        self._expect(_ARROW, "'->' and a target")
        return self._id()

    # -- tokens

    def _skip_spaces(self) -> int:
        """Skip spaces and return the new position."""
        spaces = _SPACE.match(self._text, self._position)
        self._position = spaces.end() if spaces else self._position
        return self._position

    def _skip(self, token: str) -> bool:
        """Skip the token if it comes next, and return whether it did."""
        self._skip_spaces()
        is_next = self._text.startswith(token, self._position)
        self._position += len(token) * is_next
        return is_next

    def _peek(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        self._skip_spaces()
        return pattern.match(self._text, self._position)

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = self._peek(pattern)
        if match:
            self._position = match.end()
        return match

    def _expect(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        match = self._match(pattern)
        if not match:
            raise self._error(f"expected {expected}")
        return match

    def _expect_end(self, expected: str) -> None:
        self._skip_spaces()
        if self._position < len(self._text):
            raise self._error(f"expected {expected}")

    def _colon(self) -> None:
        if not self._skip(":"):
            raise self._error("expected ':'")

    def _one_of(self, words: tuple[str, ...], expected: str) -> str:
        start = self._skip_spaces()
        message = f"{expected}: {', '.join(words)}"
        word = self._expect(_WORD, message).group()
        if word not in words:
            raise self._error(f"expected {message}{did_you_mean(word, words)}", start)
        return word

    def _id(self) -> str:
        self._skip_spaces()
        if self._text[self._position : self._position + 1] == '"':
            return str(self._json())
        return self._expect(_ID, "an id").group()

    def _integer(self, digits: str) -> int:
        if len(digits) > 20:  # Python refuses to parse numbers of thousands of digits
            raise self._error("the number before has too many digits")
        return int(digits)

    def _json(self) -> Any:
        self._skip_spaces()
        try:
            value, self._position = _DECODER.raw_decode(self._text, self._position)
        except json.JSONDecodeError as error:
            raise self._error(error.msg, error.pos) from None
        except (ValueError, RecursionError):
            raise self._error("too long or nested too deeply") from None
        return value

    def _set(self, fields: _Entry, key: str, value: Any, start: int) -> None:
        if key in fields:
            raise self._error(f"duplicate key {key!r}", start)
        fields[key] = value

    def _at_end(self) -> bool:
        self._skip_spaces()
        return self._position == len(self._text) or self._text[self._position] == "|"

    def _error(self, problem: str, position: int | None = None) -> PlannerError:
        start = self._position if position is None else position
        rest = quote(self._text[start : start + 20]) if start < len(self._text) else "the end"
        return PlannerError(f"column {start + 1}: {problem}; got {rest}")
