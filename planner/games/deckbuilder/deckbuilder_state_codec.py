"""States as JSON. Cards are named; a hidden card is `?`.

A state from outside can be wrong in any way; every error names the field.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import cache, partial
from random import Random
from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.formats.json_records import JsonField, JsonKind, JsonRecord, kind_of, list_of, nullable
from planner.formats.json_schema import Schema, enum_schema
from planner.formats.values import PlacedError, as_list, as_mapping, at, boolean, integer, one_of
from planner.games.deckbuilder import rules
from planner.games.deckbuilder.amounts import known_word
from planner.games.deckbuilder.codec import ANYTHING, UNKNOWN, setup_from_json, setup_to_json
from planner.games.deckbuilder.definition import Definition
from planner.games.deckbuilder.effects import ZONES, Choose, ChooseOne, Gain, May, When
from planner.games.deckbuilder.steps import ASK, ATTACK, CALL, CARDS, OPTION, choose_options, gain_options
from planner.games.deckbuilder.table import Table
from planner.games.deckbuilder.table_state import (
    EMPTY,
    HIDDEN,
    ZONE_BASE,
    Decision,
    Frame,
    Listener,
    Match,
    Player,
    State,
)

_ASKING: Final[dict[type, str]] = {Choose: CARDS, Gain: CARDS, May: ASK, ChooseOne: OPTION}
_MAX_NUMBER: Final = 1_000_000
_MAX_CARDS: Final = 2000  # of one zone
_MAX_TEXT: Final = 200
_NUMBER: Final = partial(integer, minimum=0, maximum=_MAX_NUMBER)


def state_to_json(name: str, state: State) -> dict[str, Any]:
    """Return the complete state of the game of this name as JSON values; fields that are empty are omitted."""
    definition = state.match.definition
    data = {"game": name} | _codec(definition, len(state.players)).state.write(state)
    absent = {"centre": definition.centre is None, "reserve": not state.reserve}
    return {key: value for key, value in data.items() if not absent.get(key)}


def state_from_json(definition: Definition, data: Any) -> State:
    """Read a state of this game."""
    if not isinstance(data, Mapping):
        raise PlannerError(f"state: must be an object, got {quote(data)}")
    if "players" not in data:
        raise PlacedError(("players",), "is missing")
    with at("players"):
        seats = len(as_list(data["players"]))
    with at("setup"):
        setup = as_mapping(data.get("setup", {}))
    match = Match(definition, setup_from_json(definition, {"players": seats, **setup}))
    if seats != match.setup.players:
        raise PlannerError(f"players: the match has {match.setup.players} players, got {seats}")
    return _codec(definition, seats).read(match, data)


def state_schema(definition: Definition) -> Schema:
    """Return the JSON schema of a state."""
    schema = _codec(definition, definition.players[-1]).state.schema
    return schema | {"properties": {"game": {}} | schema["properties"]}


@cache
def _codec(definition: Definition, seats: int) -> _StateCodec:
    return _StateCodec(definition, seats)


class _StateCodec:
    """Reads and writes states of one game with this number of players."""

    def __init__(self, definition: Definition, seats: int) -> None:
        self._definition, self._seats = definition, seats
        names = self._names = [card.name for card in definition.cards]
        phases = (*definition.phases, "clear")
        seat = partial(integer, minimum=0, maximum=seats - 1)
        block = partial(integer, minimum=-2, maximum=len(definition.blocks) - 1)
        card = JsonKind(self._read_card, {"enum": [UNKNOWN, *names]}, self._write_card)
        top = JsonKind(  # of a pile
            lambda value: EMPTY if value is None else self._read_card(value),
            {"enum": [None, UNKNOWN, *names]},
            lambda card: None if card == EMPTY else names[card],
        )
        source = JsonKind(
            lambda value: self._read_card(value) if value else HIDDEN,
            {"enum": ["", *names]},
            lambda card: names[card] if card >= 0 else "",
        )
        phase = JsonKind(lambda word: phases.index(one_of(word, phases)), enum_schema(phases), phases.__getitem__)
        ordered = _tuple_of(card, _MAX_CARDS)
        cards = JsonKind(lambda value: tuple(sorted(ordered.read(value))), ordered.schema, ordered.write)
        zone, ordered_zone = JsonField(cards, (), omit=True), JsonField(ordered, (), omit=True)
        starts = zip(definition.stats, definition.stat_starts, strict=True)
        stats = JsonRecord({name: JsonField(_NUMBER, start) for name, start in starts})
        self._player = JsonRecord({
            **dict.fromkeys(("hand", "deck"), zone),
            **dict.fromkeys(("top", "discard"), ordered_zone),
            **dict.fromkeys(("unseen", "played", "in_play", "looked", "revealed", "aside", "pool"), zone),
            "top_seen": JsonField(_tuple_of(partial(integer, minimum=0, maximum=(1 << seats) - 1)), (), omit=True),
            "points": JsonField(partial(integer, minimum=-_MAX_NUMBER, maximum=_MAX_NUMBER), 0),
            "health": JsonField(_NUMBER, definition.health),
            "turns": JsonField(_NUMBER, None),
            "mixed": JsonField(boolean, False, omit=True),
        })  # fmt: skip
        self._frame = JsonRecord({
            "block": JsonField(block),
            "position": JsonField(_NUMBER),
            "player": JsonField(seat),
            "owner": JsonField(seat),
            "source": JsonField(source, HIDDEN),
            "chosen": JsonField(_tuple_of(partial(integer, minimum=HIDDEN, maximum=len(names) - 1)), ()),
            "memo": JsonField(_TEXT, ""),
        })  # fmt: skip
        self._listener = JsonRecord({
            "event": JsonField(_TEXT, ""),
            "block": JsonField(block),
            "position": JsonField(_NUMBER),
            "player": JsonField(seat),
            "source": JsonField(source, HIDDEN),
            "memo": JsonField(JsonKind(_call_memo, _TEXT.schema), ""),
        })  # fmt: skip
        self._prompts = {}
        for is_cards, code in ((True, JsonKind(self._read_code, {}, self._write_code)), (False, kind_of(_NUMBER))):
            codes = JsonField(_tuple_of(code), (), omit=True)
            self._prompts[is_cards] = JsonRecord({
                "seat": JsonField(seat),
                "kind": JsonField(partial(one_of, choices=(CARDS, ASK, OPTION))),
                "low": JsonField(partial(integer, minimum=0, maximum=_MAX_CARDS)),
                "high": JsonField(partial(integer, minimum=0, maximum=_MAX_CARDS)),
                "options": codes,
                "picked": codes,
                "labels": JsonField(_tuple_of(_TEXT), (), omit=True),
                "message": JsonField(_TEXT, "", omit=True),
            })  # fmt: skip
        prompt = JsonKind(self._read_prompt, {}, lambda prompt: self._prompts[prompt.kind == CARDS].write(prompt))
        slot = JsonRecord({
            "pile": JsonField(ANYTHING),
            "card": JsonField(top, EMPTY),
            "left": JsonField(partial(integer, minimum=0, maximum=_MAX_CARDS)),
            "below": ordered_zone,
        })  # fmt: skip
        self.state = JsonRecord({
            "setup": JsonField(JsonKind(as_mapping, {"type": "object"}, setup_to_json), None, "match.setup"),
            "players": JsonField(list_of(self._player, 1)),
            "supply": JsonField(list_of(slot), None),
            "trash": JsonField(cards, ()),
            "stats": JsonField(
                JsonKind(
                    lambda data: tuple(stats.read(data).values()),
                    stats.schema,
                    lambda values: dict(zip(definition.stats, values, strict=True)),
                ),
                definition.stat_starts,
            ),
            "active": JsonField(seat, 0),
            "turn": JsonField(partial(integer, minimum=1, maximum=_MAX_NUMBER), 1),
            "phase": JsonField(phase, 0),
            "centre": JsonField(cards, None, omit=True),
            "bought": JsonField(boolean, False, omit=True),
            "used": zone,
            "reserve": JsonField(_NUMBER, None),
            "frames": JsonField(_tuple_of(self._frame), (), omit=True),
            "prompt": JsonField(nullable(prompt), None, omit=True),
            "listeners": JsonField(_tuple_of(self._listener), (), omit=True),
            "memory": JsonField(_MEMORY, (), omit=True),
            "ended": JsonField(_TEXT, "", omit=True),
            "pool": zone,
        })  # fmt: skip

    def read(self, match: Match, data: Mapping[str, Any]) -> State:
        """Read a state of this match."""
        values = self.state.read({key: value for key, value in data.items() if key != "game"})
        fresh, seats = rules.start(self._definition, match.setup, Random(0)), self._seats
        active, turn, prompt = values["active"], values["turn"], values["prompt"]
        if values["phase"] == len(self._definition.phases) and prompt is None and not values["ended"]:
            raise PlannerError("phase: 'clear' needs a prompt, since nothing else can be done in it")
        for seat, player in enumerate(values["players"]):
            if player["turns"] is None:
                player["turns"] = max(0, (turn - 1 - (active - seat) % seats) // seats + 1)
            if not player["top_seen"]:
                player["top_seen"] = ((1 << seats) - 1,) * len(player["top"])
            elif len(player["top_seen"]) != len(player["top"]):
                raise PlannerError(f"players[{seat}].top_seen: must have a number for each card of top")
        frames = tuple(Frame(**frame) for frame in values["frames"])
        listeners = tuple(Listener(**listener) for listener in values["listeners"])
        for index, frame in enumerate(frames):
            with at("frames", index):
                self._check_frame(frame, prompt is not None and index == len(frames) - 1)
        for index, listener in enumerate(listeners):
            with at("listeners", index):
                self._check_listener(listener)
        del values["setup"]
        reserve = 0 if "turn" in data else fresh.reserve
        tops, left, below = self._supply(values.pop("supply"), fresh)
        state = State(
            **values
            | {
                "match": match,
                "players": tuple(Player(**player) for player in values["players"]),
                "tops": tops,
                "left": left,
                "below": below,
                "centre": fresh.centre if values["centre"] is None else values["centre"],
                "reserve": reserve if values["reserve"] is None else values["reserve"],
                "frames": frames,
                "listeners": listeners,
            }
        )
        if prompt is not None:
            if not frames:
                raise PlannerError("prompt: needs frames, the effects that wait for the answer")
            self._check_prompt(state, prompt, frames[-1])
        return state

    # -- cards

    def _read_card(self, value: Any) -> int:
        if value == UNKNOWN:
            return HIDDEN
        ids = self._definition.ids
        return ids[known_word(value, ids, "unknown card")]

    def _write_card(self, card: int) -> str:
        return self._names[card] if card >= 0 else UNKNOWN

    def _read_code(self, value: Any) -> int:
        """Read an option of a prompt: a zone and a card."""
        if value == UNKNOWN:
            return HIDDEN
        if not isinstance(value, list) or len(value) != 2 or value[0] not in ZONES or value[1] == UNKNOWN:
            raise PlannerError(f"must be a pair [zone, card], got {quote(value)}")
        return ZONES.index(value[0]) * ZONE_BASE + self._read_card(value[1])

    def _write_code(self, code: int) -> Any:
        return [ZONES[code // ZONE_BASE], self._names[code % ZONE_BASE]] if code >= 0 else UNKNOWN

    def _supply(self, slots: list[Any] | None, fresh: State) -> tuple[tuple[Any, ...], ...]:
        """Return the top cards, the numbers of cards and the cards below of all piles."""
        if slots is None:
            return fresh.tops, fresh.left, fresh.below
        if len(slots) != len(fresh.tops):
            raise PlannerError(f"supply: the match has {len(fresh.tops)} piles, got {len(slots)}")
        for index, (slot, expected) in enumerate(zip(slots, fresh.supply, strict=True)):
            if slot["pile"] != expected.pile:
                raise PlannerError(f"supply[{index}].pile: must be {expected.pile!r}, got {quote(slot['pile'])}")
            if (slot["card"] == EMPTY) != (slot["left"] == 0):
                problem = f"must be 0 for an empty pile and above 0 for others, got {slot['left']}"
                raise PlannerError(f"supply[{index}].left: {problem}")
            if index < len(fresh.match.piles) and fresh.match.piles[index].shuffled:
                slot["below"] = tuple(sorted(slot["below"]))
        return tuple(tuple(slot[key] for slot in slots) for key in ("card", "left", "below"))

    # -- effects that wait

    def _check_frame(self, frame: Frame, is_asking: bool) -> None:
        """Refuse a frame of a step or function that does not exist."""
        definition, block = self._definition, frame.block
        if block == CALL and not definition.function_names:
            raise PlacedError(("block",), f"the game has no functions, got {block}")
        places = {CALL: definition.function_names, ATTACK: definition.blocks}
        with at("position"):
            integer(frame.position, 0, max(1, len(places[block] if block < 0 else definition.blocks[block])) - 1)
        with at("memo"):
            if block != CALL:
                _step_memo(frame.memo)
            elif "asked" in json.loads(_call_memo(frame.memo) or "{}") and not is_asking:
                raise PlannerError("asks, but only the last of frames can wait for a prompt")

    def _check_listener(self, listener: Listener) -> None:
        """Refuse a listener that is neither a step `when` nor a function."""
        block, position, blocks = listener.block, listener.position, self._definition.blocks
        steps = self._definition.function_names if block == CALL else blocks[block] if block >= 0 else ()
        if position >= len(steps) or (block >= 0 and not isinstance(steps[position], When)):
            raise PlacedError(("position",), f"must be that of a step `when`, got {position} of block {block}")

    def _read_prompt(self, data: Any) -> Decision:
        prompt = Decision(**self._prompts[as_mapping(data).get("kind") == CARDS].read(data))
        if Counter(prompt.picked) - Counter(prompt.options):
            raise PlacedError(("picked",), "must be among the options")
        if prompt.kind != CARDS and max(prompt.options, default=0) > max(0, len(prompt.labels) - 1):
            raise PlacedError(("options",), f"must be numbers of labels, got {quote(list(prompt.options))}")
        return prompt._replace(message=prompt.message[:_MAX_TEXT])

    def _check_prompt(self, state: State, prompt: Decision, frame: Frame) -> None:
        """Refuse a prompt that does not fit what waits for it. The prompt of another seat has no options."""
        kind, options = ASK, prompt.options
        labels: tuple[str, ...] = ()
        table = Table(state, Random(0))
        if frame.block == CALL:
            memo = json.loads(frame.memo or "{}")
            if not memo and not prompt.options:  # of another seat
                return
            kind, labels = memo.get("asked", ""), tuple(memo.get("labels", ()))
            zones = {code // ZONE_BASE for code in prompt.options if code >= 0}
            options = tuple(z * ZONE_BASE + card for z in zones for card in table.zone(z, prompt.seat) if card >= 0)
        elif frame.block >= 0:
            step = self._definition.blocks[frame.block][frame.position]
            kind = _ASKING.get(type(step), "")
            if isinstance(step, Choose):
                options = choose_options(table, frame, step)
            elif isinstance(step, Gain):
                options = gain_options(table, frame, step)
            elif isinstance(step, ChooseOne):
                labels = tuple(step.blocks)
        if prompt.kind != kind:
            raise PlannerError(f"prompt.kind: the last of frames asks for {kind or 'nothing'}, got {prompt.kind}")
        if prompt.options and prompt.labels != labels:
            raise PlannerError(f"prompt.labels: must be those of the last of frames: {', '.join(labels) or 'none'}")
        if kind == CARDS and Counter(prompt.options) - Counter(options):
            raise PlannerError("prompt.options: must be cards among which the last of frames lets the player choose")
        if prompt.low > min(len(prompt.options), prompt.high):
            raise PlannerError(f"prompt.low: must be at most high and the number of options, got {prompt.low}")


def _step_memo(value: Any) -> str:
    """Read what a step that is repeated remembers."""
    if not isinstance(value, str) or (value and not (value.isascii() and value.isdigit())):
        raise PlannerError(f"must be the text of a whole number, got {quote(value)}")
    return value


def _call_memo(value: Any) -> str:
    """Read what a call of a function remembers: a text with a JSON object, or nothing."""
    try:
        memo = json.loads(value or "{}")
        if (
            isinstance(value, str)
            and isinstance(memo.get("memo", {}), dict)
            and isinstance(memo.get("event", ""), str)
            and memo.get("asked", ASK) in (CARDS, ASK, OPTION)
            and isinstance(memo.get("labels", []), list)
        ):
            return value
    except (AttributeError, RecursionError, TypeError, ValueError):
        pass
    raise PlannerError(f"must be the text of a JSON object as a function leaves it, got {quote(value)}")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise PlannerError(f"must be a text, got {quote(value)}")
    return value


def _numbers(value: Any) -> tuple[tuple[str, int], ...]:
    """Read numbers by their names."""
    pairs = as_mapping(value).items()
    return tuple(sorted((str(key), integer(number, -_MAX_NUMBER, _MAX_NUMBER)) for key, number in pairs))


def _tuple_of(reader: Any, maximum: int | None = None) -> JsonKind:
    items = list_of(reader, 0, maximum)
    return JsonKind(lambda value: tuple(items.read(value)), items.schema, items.write)


_TEXT: Final = JsonKind(_text, {"type": "string"})
_MEMORY: Final = JsonKind(_numbers, {"type": "object"}, dict)
