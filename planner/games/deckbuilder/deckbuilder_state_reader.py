"""Read states from JSON. A state from outside can be wrong in any way; every error names the field."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import partial
from random import Random
from typing import Any, Final, TypeVar

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.values import (
    as_list,
    as_mapping,
    boolean,
    first_unknown_key,
    integer,
    join_path,
    one_of,
    read_field,
    unknown_field,
)
from planner.games.deckbuilder import rules
from planner.games.deckbuilder.codec import CARD_ZONES, MAX_NUMBER, STATE_FIELDS, UNKNOWN, setup_from_json
from planner.games.deckbuilder.definition import Definition
from planner.games.deckbuilder.effects import ZONES, Choose, ChooseOne, Gain, May, When
from planner.games.deckbuilder.steps import ASK, CALL, CARDS, OPTION, choose_options, gain_options
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
_ORDERED_ZONES: Final = ("top", "discard")
_PLAYER_FIELDS: Final = (*CARD_ZONES, "top_seen", "points", "health", "turns", "mixed")
_MAX_CARDS: Final = 2000  # of one zone
_MAX_TEXT: Final = 200
_Value = TypeVar("_Value")


class _Entry:
    """A JSON object that is read field by field."""

    def __init__(self, data: Any, path: str, known: Collection[str]) -> None:
        if not isinstance(data, Mapping):
            raise PlannerError(f"{path or 'state'}: must be an object, got {quote(data)}")
        if (unknown := first_unknown_key(data, known)) is not None:
            raise PlannerError(f"{path}{': ' if path else ''}{unknown_field(unknown, known)}")
        self.data, self.path = data, path

    def at(self, key: str, index: int | None = None) -> str:
        """Return the place of a field, or of an item of it."""
        return join_path(self.path, key) + ("" if index is None else f"[{index}]")

    def read(self, key: str, read: Callable[[Any], _Value], default: _Value | None = None) -> _Value:
        """Return a field; one without a default is required."""
        if default is not None and key not in self.data:
            return default
        return read_field(self.data, key, read, self.path)

    def number(self, key: str, default: int | None = None, minimum: int = 0, maximum: int = MAX_NUMBER) -> int:
        """Return an integer."""
        return self.read(key, partial(integer, minimum=minimum, maximum=maximum), default)

    def items(self, key: str) -> list[Any]:
        """Return a list, which may be absent."""
        return self.read(key, as_list, [])

    def text(self, key: str) -> str:
        """Return a text, which may be absent."""
        return self.read(key, _any_text, "")


def state_from_json(definition: Definition, data: Any) -> State:
    """Read a state of this game."""
    return _StateReader(definition, _Entry(data, "", STATE_FIELDS)).read()


class _StateReader:
    """Reads a state of one game."""

    def __init__(self, definition: Definition, state: _Entry) -> None:
        self._definition, self._state = definition, state
        self._entries = state.read("players", as_list)
        self._seats = len(self._entries)

    def read(self) -> State:
        definition, state, seats = self._definition, self._state, self._seats
        setup = setup_from_json(definition, {"players": seats, **state.read("setup", as_mapping, {})})
        if seats != setup.players:
            raise PlannerError(f"players: the match has {setup.players} players, got {seats}")
        fresh = rules.start(definition, setup, Random(0))
        tops, left, below = self._supply(fresh)
        phases = (*definition.phases, "clear")
        phase = state.read("phase", partial(one_of, choices=phases), phases[0])
        prompt = self._prompt(state.data["prompt"]) if state.data.get("prompt") is not None else None
        frames = tuple(self._frame(entry, state.at("frames", i)) for i, entry in enumerate(state.items("frames")))
        ended = state.text("ended")
        if phase == phases[-1] and prompt is None and not ended:
            raise PlannerError(f"phase: {phase!r} needs a prompt, since nothing else can be done in it")
        active, turn = state.number("active", 0, maximum=seats - 1), state.number("turn", 1, minimum=1)

        def turns(seat: int) -> int:
            return max(0, (turn - 1 - (active - seat) % seats) // seats + 1)

        result = State(
            match=Match(definition, setup),
            players=tuple(self._player(seat, turns(seat)) for seat in range(seats)),
            tops=tops,
            left=left,
            below=below,
            centre=self._cards(state, "centre", fresh.centre),
            trash=self._cards(state, "trash"),
            stats=self._stats(),
            active=active,
            turn=turn,
            phase=phases.index(phase),
            bought=state.read("bought", boolean, False),
            used=self._cards(state, "used"),
            reserve=state.number("reserve", 0 if "turn" in state.data else fresh.reserve),
            frames=frames,
            prompt=prompt,
            listeners=tuple(
                self._listener(entry, state.at("listeners", i)) for i, entry in enumerate(state.items("listeners"))
            ),
            memory=self._memory(),
            ended=ended,
            pool=self._cards(state, "pool"),
        )
        for index, frame in enumerate(frames[:-1] if prompt is not None else frames):
            if frame.block == CALL and "asked" in json.loads(frame.memo or "{}"):
                raise PlannerError(f"frames[{index}].memo: asks, but only the last of frames can wait for a prompt")
        if prompt is not None:
            if not frames:
                raise PlannerError("prompt: needs frames, the effects that wait for the answer")
            self._check_prompt(result, prompt, frames[-1])
        return result

    # -- cards

    def _card(self, value: Any, place: str) -> int:
        if value == UNKNOWN:
            return HIDDEN
        ids = self._definition.ids
        if not isinstance(value, str) or value not in ids:
            raise PlannerError(f"{place}: unknown card {quote(value)}{did_you_mean(value, ids)}")
        return ids[value]

    def _cards(
        self, entry: _Entry, key: str, default: tuple[int, ...] = (), keep_order: bool = False
    ) -> tuple[int, ...]:
        if key not in entry.data:
            return default
        values = entry.items(key)
        if len(values) > _MAX_CARDS:
            raise PlannerError(f"{entry.at(key)}: has {len(values)} cards; the limit is {_MAX_CARDS}")
        cards = [self._card(value, entry.at(key, index)) for index, value in enumerate(values)]
        return tuple(cards) if keep_order else tuple(sorted(cards))

    def _source(self, entry: _Entry) -> int:
        return self._card(entry.data["source"], entry.at("source")) if entry.data.get("source") else HIDDEN

    # -- parts

    def _player(self, seat: int, turns: int) -> Player:
        entry = _Entry(self._entries[seat], f"players[{seat}]", _PLAYER_FIELDS)
        zones = {zone: self._cards(entry, zone, keep_order=zone in _ORDERED_ZONES) for zone in CARD_ZONES}
        everyone = (1 << self._seats) - 1
        seen = (everyone,) * len(zones["top"])
        if "top_seen" in entry.data:
            seen = entry.read(
                "top_seen", lambda values: tuple(integer(value, 0, everyone) for value in as_list(values))
            )
            if len(seen) != len(zones["top"]):
                raise PlannerError(f"{entry.at('top_seen')}: must have a number for each card of top")
        return Player(
            **zones,
            top_seen=seen,
            points=entry.number("points", 0, -MAX_NUMBER),
            health=entry.number("health", self._definition.health),
            turns=entry.number("turns", turns),
            mixed=entry.read("mixed", boolean, False),
        )

    def _supply(self, fresh: State) -> tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...]]:
        if "supply" not in self._state.data:
            return fresh.tops, fresh.left, fresh.below
        entries = self._state.items("supply")
        if len(entries) != len(fresh.tops):
            raise PlannerError(f"supply: the match has {len(fresh.tops)} piles, got {len(entries)}")
        tops, left, below = [], [], []
        piles = fresh.match.piles
        for slot, data in enumerate(entries):
            path = self._state.at("supply", slot)
            name = piles[slot].name if slot < len(piles) else "row"
            if not isinstance(data, Mapping) or data.get("pile") != name:
                raise PlannerError(f"{path}: must be an object with the pile {name!r}, got {quote(data)}")
            entry = _Entry(data, path, ("pile", "card", "left", "below"))
            left.append(entry.number("left", maximum=_MAX_CARDS))
            tops.append(EMPTY if data.get("card") is None else self._card(data["card"], entry.at("card")))
            if (tops[-1] == EMPTY) != (left[-1] == 0):
                raise PlannerError(f"{path}.left: must be 0 for an empty pile and above 0 for others, got {left[-1]}")
            shuffled = slot < len(piles) and piles[slot].shuffled
            below.append(self._cards(entry, "below", keep_order=not shuffled))
        return tuple(tops), tuple(left), tuple(below)

    def _stats(self) -> tuple[int, ...]:
        names, starts = self._definition.stats, self._definition.stat_starts
        entry = _Entry(self._state.data.get("stats", {}), "stats", names)
        return tuple(entry.number(name, start) for name, start in zip(names, starts, strict=True))

    def _memory(self) -> tuple[tuple[str, int], ...]:
        def numbers(value: Any) -> tuple[tuple[str, int], ...]:
            entry = as_mapping(value)
            return tuple(sorted((str(key), integer(number, -MAX_NUMBER, MAX_NUMBER)) for key, number in entry.items()))

        return self._state.read("memory", numbers, ())

    # -- effects that wait

    def _frame(self, data: Any, path: str) -> Frame:
        entry = _Entry(data, path, Frame._fields)
        definition = self._definition
        blocks = definition.blocks
        block = entry.number("block", minimum=-2, maximum=len(blocks) - 1)
        if block == CALL and not definition.function_names:
            raise PlannerError(f"{path}.block: the game has no functions, got {block}")
        places = {-1: len(definition.function_names), -2: len(blocks)}
        seat = self._seats - 1
        return Frame(
            block,
            entry.number("position", maximum=max(0, (places[block] if block < 0 else len(blocks[block])) - 1)),
            entry.number("player", maximum=seat),
            entry.number("owner", maximum=seat),
            self._source(entry),
            entry.read("chosen", self._chosen, ()),
            entry.read("memo", _call_memo if block == CALL else _step_memo, ""),
        )

    def _chosen(self, value: Any) -> tuple[int, ...]:
        return tuple(integer(card, HIDDEN, len(self._definition.cards) - 1) for card in as_list(value))

    def _listener(self, data: Any, path: str) -> Listener:
        entry = _Entry(data, path, Listener._fields)
        blocks = self._definition.blocks
        block = entry.number("block", minimum=-1, maximum=len(blocks) - 1)
        highest = len(self._definition.function_names if block < 0 else blocks[block]) - 1
        position = entry.number("position", maximum=max(0, highest))
        if highest < 0 or (block >= 0 and not isinstance(blocks[block][position], When)):
            raise PlannerError(f"{path}.position: must be that of a step `when`, got {position} of block {block}")
        return Listener(
            entry.text("event"),
            block,
            position,
            entry.number("player", maximum=self._seats - 1),
            self._source(entry),
            entry.read("memo", _call_memo, ""),
        )

    def _prompt(self, data: Any) -> Decision:
        entry = _Entry(data, "prompt", Decision._fields)
        kind = entry.read("kind", partial(one_of, choices=(CARDS, ASK, OPTION)))
        labels = tuple(map(str, entry.items("labels")))

        def codes(key: str) -> tuple[int, ...]:
            values = entry.items(key)
            if kind != CARDS:
                return tuple(integer(value, 0, max(0, len(labels) - 1)) for value in values)
            result = []
            for value in values:
                if value == UNKNOWN:
                    result.append(HIDDEN)
                    continue
                if not isinstance(value, list) or len(value) != 2 or value[0] not in ZONES or value[1] == UNKNOWN:
                    raise PlannerError(f"prompt.{key}: must be a list of pairs [zone, card], got {quote(value)}")
                result.append(ZONES.index(value[0]) * ZONE_BASE + self._card(value[1], f"prompt.{key}"))
            return tuple(result)

        options, picked = codes("options"), codes("picked")
        if Counter(picked) - Counter(options):
            raise PlannerError("prompt.picked: must be among the options")
        return Decision(
            seat=entry.number("seat", maximum=self._seats - 1),
            kind=kind,
            low=entry.number("low", maximum=_MAX_CARDS),
            high=entry.number("high", maximum=_MAX_CARDS),
            options=options,
            picked=picked,
            labels=labels,
            message=entry.text("message")[:_MAX_TEXT],
        )

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


def _any_text(value: Any) -> str:
    if not isinstance(value, str):
        raise PlannerError(f"must be a text, got {quote(value)}")
    return value


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
    except (AttributeError, TypeError, ValueError):
        pass
    raise PlannerError(f"must be the text of a JSON object as a function leaves it, got {quote(value)}")
