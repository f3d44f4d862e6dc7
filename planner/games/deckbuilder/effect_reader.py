"""Read the effects of a definition into blocks of steps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Set
from functools import partial
from typing import Any, Final, TypeVar

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList, YamlMapping
from planner.formats.values import ErrorCollector, Fields, boolean, integer, one_of, text
from planner.games.deckbuilder.amounts import (
    ANY_CARD,
    MAX_NUMBER,
    Amount,
    Condition,
    Filter,
    read_amount,
    read_condition,
)
from planner.games.deckbuilder.definition import EVENTS, NO_BLOCK, Trigger
from planner.games.deckbuilder.effects import (
    CHOOSE_FIELDS,
    DESTINATIONS,
    FILTER_FIELDS,
    GAIN_FIELDS,
    GAIN_SOURCES,
    MODIFIERS,
    MOVE_FIELDS,
    NUMBER_WORDS,
    PLAYER_ZONES,
    STEP_WORDS,
    TOP_FIELDS,
    TRIGGER_FIELDS,
    ZONES,
    AddHealth,
    AddPoints,
    AddStat,
    Call,
    Choose,
    ChooseOne,
    Damage,
    Draw,
    Each,
    Gain,
    If,
    May,
    MoveAll,
    MoveThis,
    Repeat,
    Run,
    Seize,
    Step,
    TakeTop,
    When,
)

_GAIN_PLACES: Final = ("discard", "hand", "top", "in_play")
_MOVE_PLACES: Final = ("trash", "discard", "hand", "top", "deck", "aside", "looked", "revealed", "in_play")
_ALL: Final = "all"
_NUMBER_STEPS: Final[Mapping[str, Callable[[Amount], Step]]] = {
    "cards": Draw, "points": AddPoints, "health": AddHealth, "damage": Damage,
}  # fmt: skip
_EACH: Final = {  # whether it is an attack, and whether it concerns every player
    "each_opponent": (False, False), "each_player": (False, True), "attack": (True, False), "attack_all": (True, True),
}  # fmt: skip
_Node = TypeVar("_Node")


class EffectReader:
    """Reads effects into blocks. The names of the game are known before the first effect is read."""

    def __init__(
        self,
        fields: Fields,
        cards: Mapping[str, int],
        types: Collection[str],
        factions: Collection[str],
        stats: tuple[str, ...],
        quantities: Collection[str],
        functions: tuple[str, ...],
        has_row: bool,
    ) -> None:
        self._path = fields.path
        self._cards, self._types, self._factions = cards, types, factions
        self._stats, self._quantities, self._functions = stats, quantities, functions
        self._has_row = has_row
        self.blocks: list[tuple[Step, ...]] = []
        self.named: dict[str, int] = {}
        self._words = (*stats, *NUMBER_WORDS, *STEP_WORDS)

    # -- blocks

    def reserve(self, name: str) -> None:
        """Make room for a named effect, so that effects can name each other."""
        self.named[name] = len(self.blocks)
        self.blocks.append(())

    def define(self, name: str, value: Any, line: int) -> None:
        """Read a named effect."""
        self.blocks[self.named[name]] = self._steps(value, line)

    def runs_itself(self, name: str) -> bool:
        """Return whether a named effect always leads to itself again, so that it cannot end."""
        return leads_to_itself(
            self.named[name], lambda block: {step.block for step in self.blocks[block] if isinstance(step, Run)}
        )

    def block(self, value: Any, line: int) -> int:
        """Read an effect, a step or a list of steps, and return the index of its block."""
        steps = self._steps(value, line)
        self.blocks.append(steps)
        return len(self.blocks) - 1

    def _steps(self, value: Any, line: int) -> tuple[Step, ...]:
        entries = value if isinstance(value, YamlList) else YamlList([value])
        lines = value.lines if isinstance(value, YamlList) else [line]
        steps: list[Step] = []
        collector = ErrorCollector()
        for entry, entry_line in zip(entries, lines, strict=True):
            with collector:
                if not isinstance(entry, YamlMapping) or not entry:
                    raise PlannerError(
                        f"{self._path}:{entry_line}: a step of an effect is a mapping such as {{cards: 2}}, "
                        f"got {quote(entry)}"
                    )
                steps += self._step(Fields(self._path, entry))
        collector.raise_if_any()
        return tuple(steps)

    def _step(self, step: Fields) -> list[Step]:
        entry = step.entry
        words = [key for key in entry if key in STEP_WORDS]
        if not words:
            return [self._number_word(step, key) for key in entry]
        word = words[0]
        known = (word, *MODIFIERS.get(word, ()))
        for key in entry:
            if key not in known:
                hint = "a step has one word" if key in self._words else f"unknown field {quote(key)}"
                raise step.error(f"{hint}; with {word!r} can come {', '.join(known[1:]) or 'nothing else'}", key)
        if word in ("trash", "discard"):
            return [self._from_hand(step, word)]
        if word in _EACH:
            attack, everyone = _EACH[word]
            return [Each(self._sub(step, word), attack, everyone)]
        read: Callable[[Fields], Step] = getattr(self, f"_read_{word}")
        return [read(step)]

    def _number_word(self, step: Fields, key: str) -> Step:
        amount = step.read(key, self.amount) if key in (*self._stats, *NUMBER_WORDS) else None
        if amount is None:
            raise step.error(f"unknown word {quote(key)} in an effect{did_you_mean(key, self._words)}", key)
        if key in self._stats:
            return AddStat(self._stats.index(key), amount)
        return _NUMBER_STEPS[key](amount)

    # -- values

    def amount(self, value: Any) -> Amount:
        """Read an amount."""
        return read_amount(value, self._quantities)

    def condition(self, value: Any) -> Condition:
        """Read a condition."""
        return read_condition(value, self._quantities)

    def card(self, value: Any) -> int:
        """Read the name of a card."""
        if not isinstance(value, str) or value not in self._cards:
            raise PlannerError(f"unknown card {quote(value)}{did_you_mean(value, self._cards)}")
        return self._cards[value]

    def filter(self, fields: Fields) -> Filter:
        """Read the fields of a filter from a mapping that may have others."""
        if not any(key in fields for key in FILTER_FIELDS):
            return ANY_CARD
        return Filter(
            types=fields.read("type", partial(_several, partial(_known, known=self._types, what="type")), ()),
            factions=fields.read(
                "faction", partial(_several, partial(_known, known=self._factions, what="faction")), ()
            ),
            cards=fields.read("card", partial(_several, self.card), ()),
            excluded=fields.read("not", partial(_several, self.card), ()),
            currency=fields.read("currency", self._stat),
            up_to=fields.read("up_to", self.amount),
            cost=fields.read("cost", self.amount),
        )

    def trigger(self, fields: Fields) -> Trigger:
        """Read a reaction to an event."""
        fields.check_keys(TRIGGER_FIELDS, ("event", "do"))
        return Trigger(
            event=fields.read("event", partial(one_of, choices=EVENTS)),
            filter=self.filter(fields),
            block=self._sub(fields, "do"),
            once=fields.read("once", boolean, False),
            anyone=fields.read("anyone", boolean, False),
        )

    def function(self, value: Any) -> int:
        """Read the name of a function."""
        if not isinstance(value, str) or value not in self._functions:
            missing = "" if self._functions else "; the game has no `functions` file with a `def` of this name"
            raise PlannerError(f"unknown function {quote(value)}{did_you_mean(value, self._functions)}{missing}")
        return self._functions.index(value)

    def _stat(self, value: Any) -> int:
        return self._stats.index(one_of(value, self._stats))

    def _sub(self, fields: Fields, key: str) -> int:
        return self.block(fields.entry[key], fields.entry.lines[key]) if key in fields else NO_BLOCK

    def _branches(self, step: Fields) -> tuple[int, int]:
        return self._sub(step, "then"), self._sub(step, "else")

    def _part(self, step: Fields, key: str, known: Collection[str]) -> Fields:
        """Return the mapping below a word, whose fields must be known."""
        value = step.entry[key]
        if not isinstance(value, YamlMapping):
            raise step.error(f"{key}: must be a mapping with {', '.join(known)}; got {quote(value)}", key)
        part = Fields(step.path, value)
        part.check_keys(known)
        return part

    # -- words

    def _from_hand(self, step: Fields, word: str) -> Step:
        low, high = step.read(word, self._bounds)
        then, otherwise = self._branches(step)
        return Choose((ZONES.index("hand"),), low, high, do=word, then=then, otherwise=otherwise)

    def _bounds(self, value: Any) -> tuple[Amount, Amount | None]:
        if isinstance(value, list):
            if len(value) != 2:
                raise PlannerError(f"must be a number or [least, most], got {quote(value)}")
            low, high = self.amount(value[0]), None if value[1] == _ALL else self.amount(value[1])
            if high is not None and not low.terms and not high.terms and low.constant > high.constant:
                raise PlannerError(f"must be [least, most], got {quote(value)}")
            return low, high
        if value == _ALL:
            return Amount(MAX_NUMBER), None
        amount = self.amount(value)
        return amount, amount

    def _read_gain(self, step: Fields) -> Step:
        then, otherwise = self._branches(step)
        if not isinstance(step.entry["gain"], YamlMapping):
            up_to = step.read("gain", self.amount)
            return Gain(Filter(up_to=up_to), "supply", "discard", False, "", then, otherwise)
        part = self._part(step, "gain", GAIN_FIELDS)
        to = part.read("to", partial(one_of, choices=_GAIN_PLACES), "discard")
        optional = part.read("optional", boolean, False)
        source = part.read("from", partial(one_of, choices=GAIN_SOURCES), "supply")
        if source == "row" and not self._has_row:
            raise part.error("from: the game has no row; `centre` defines one", "from")
        return Gain(self.filter(part), source, to, optional, part.read("message", text, ""), then, otherwise)

    def _read_choose(self, step: Fields) -> Step:
        part = self._part(step, "choose", CHOOSE_FIELDS)
        low, high = part.read("count", self._bounds, (Amount(0), Amount(1)))
        if "count" in part and ("at_most" in part or "at_least" in part):
            raise part.error("count: use either count, or at_least and at_most", "count")
        low = part.read("at_least", self.amount, low)
        if "at_most" in part:
            high = None if part.entry["at_most"] == _ALL else part.read("at_most", self.amount)
        then, otherwise = self._branches(step)
        do = part.read("do", partial(one_of, choices=DESTINATIONS), "nothing")
        zones = part.read("from", partial(_several, _zone), (ZONES.index("hand"),))
        if ZONES.index("supply") in zones and do != "nothing":
            raise part.error("from: cards of the supply are gained; use 'gain'", "from")
        return Choose(
            zones=zones,
            low=low,
            high=high,
            filter=self.filter(part),
            do=do,
            by_owner=part.read("by", partial(one_of, choices=("player", "owner")), "player") == "owner",
            among=part.read("among", partial(one_of, choices=("chosen",)), "") == "chosen",
            ordered=part.read("ordered", boolean, False),
            shown=part.read("shown", boolean, False),
            times=part.read("times", partial(integer, minimum=1, maximum=10), 1),
            message=part.read("message", text, ""),
            then=then,
            otherwise=otherwise,
        )

    def _read_top(self, step: Fields) -> Step:
        then, otherwise = self._branches(step)
        part = self._part(step, "top", TOP_FIELDS)
        to = part.read("to", partial(one_of, choices=_MOVE_PLACES), "revealed")
        return TakeTop(part.read("count", self.amount, Amount(1)), to, then, otherwise)

    def _read_move(self, step: Fields) -> Step:
        part = self._part(step, "move", MOVE_FIELDS)
        part.check_keys(MOVE_FIELDS, ("from", "to"))
        zone = part.read("from", partial(one_of, choices=PLAYER_ZONES))
        to = part.read("to", partial(one_of, choices=_MOVE_PLACES))
        return MoveAll(ZONES.index(zone), self.filter(part), to)

    def _read_this(self, step: Fields) -> Step:
        return MoveThis(step.read("this", partial(one_of, choices=_MOVE_PLACES)))

    def _read_if(self, step: Fields) -> Step:
        return If(step.read("if", self.condition), *self._branches(step))

    def _read_may(self, step: Fields) -> Step:
        return May(step.read("may", partial(text, maximum=200)), *self._branches(step))

    def _read_choose_one(self, step: Fields) -> Step:
        options = step.entry["choose_one"]
        if not isinstance(options, YamlMapping) or len(options) < 2:
            raise step.error("choose_one: must be a mapping of at least two texts to effects", "choose_one")
        part = Fields(step.path, options)
        return ChooseOne(tuple(options), tuple(self._sub(part, key) for key in options))

    def _read_repeat(self, step: Fields) -> Step:
        until = step.read("until", self.condition, ())
        return Repeat(until, self._sub(step, "repeat"))

    def _read_when(self, step: Fields) -> Step:
        return When(self.trigger(self._part(step, "when", TRIGGER_FIELDS)))

    def _read_call(self, step: Fields) -> Step:
        return Call(step.read("call", self.function))

    def _read_run(self, step: Fields) -> Step:
        def named(value: Any) -> int:
            if value not in self.named:
                raise PlannerError(f"unknown effect {quote(value)}{did_you_mean(value, self.named)}")
            return self.named[value]

        return Run(step.read("run", named))

    def _read_seize(self, step: Fields) -> Step:
        return Seize(step.read("seize", self.card))


def leads_to_itself(start: _Node, next_nodes: Callable[[_Node], Set[_Node]]) -> bool:
    """Return whether a node of a graph can be reached from itself."""
    seen: set[_Node] = set()
    left = [start]
    while left:
        following = next_nodes(left.pop()) - seen
        left += following
        seen |= following
    return start in seen


def _several(read: Callable[[Any], Any], value: Any) -> tuple[Any, ...]:
    """Read one value, or a list of values."""
    return tuple(read(item) for item in value) if isinstance(value, list) else (read(value),)


def _known(value: Any, known: Collection[str], what: str) -> str:
    if not isinstance(value, str) or value not in known:
        raise PlannerError(f"no card has the {what} {quote(value)}{did_you_mean(value, known)}")
    return value


def _zone(value: Any) -> int:
    return ZONES.index(one_of(value, ZONES))
