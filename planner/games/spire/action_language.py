"""The language of cards, status callbacks and enemy moves: actions, joined by `and`, aimed by `to`, depending on `if`.

`ActionReader` turns the YAML or JSON form into `Step`s and describes that form as a JSON schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planner.errors import PlannerError, quote
from planner.formats.json_records import REQUIRED, JsonField, JsonKind, JsonRecord
from planner.formats.json_schema import STRING, TEXT, Schema, any_of, enum_schema, list_schema, schema_of
from planner.formats.values import PlacedError, at, integer, one_of, read_items
from planner.games.spire.vocabulary import (
    MAX_NUMBER,
    NO_TARGET,
    PILES,
    Condition,
    OwnerKind,
    Target,
    Verb,
    Vocabulary,
    field_kind,
    look_up,
)

if TYPE_CHECKING:
    from planner.games.spire.card_library import Library

# -- values


natural_number: Final = partial(integer, minimum=0, maximum=MAX_NUMBER)
positive_number: Final = partial(integer, minimum=1, maximum=MAX_NUMBER)
signed_number: Final = partial(integer, minimum=-MAX_NUMBER, maximum=MAX_NUMBER)


def _read_factor(value: Any) -> Fraction:
    """Return a factor of at least 0, written as 2 or 3/4."""
    try:
        result = Fraction(value) if isinstance(value, int | str) and not isinstance(value, bool) else None
    except (ValueError, ZeroDivisionError):
        result = None
    if result is None or not 0 <= result <= MAX_NUMBER or result.denominator > MAX_NUMBER:
        raise PlannerError(f"{quote(value)} is not a factor such as 2 or 3/4")
    return result


FACTOR: Final = JsonKind(_read_factor, any_of(schema_of(natural_number), STRING))


# -- amounts


@dataclass(frozen=True)
class Amount:
    """A number on a card: `6`, `6 (9)` with an upgrade, `12 +4` per upgrade, or the `stacks` of a status."""

    base: int
    upgraded: int | None = None
    each: int = 0  # added by every upgrade
    stacks: bool = False

    def at(self, level: int) -> int:
        """Return the number after `level` upgrades."""
        return self.base + self.each * level if self.upgraded is None or not level else self.upgraded


_AMOUNT: Final = re.compile(r"(\d+)(?: \((\d+)\)| \+(\d+))?")


def read_amount(value: Any) -> Amount:
    """Read an amount in any of its notations, except `stacks`."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Amount(natural_number(value))
    match = _AMOUNT.fullmatch(value) if isinstance(value, str) and len(value) < 30 else None
    if match is None:
        raise PlannerError(f"{quote(value)} is not a number such as 6, 6 (9) or 12 +4")
    base, upgraded, each = (None if part is None else natural_number(int(part)) for part in match.groups())
    return Amount(base or 0, upgraded, each or 0)


AMOUNT_SCHEMA: Final = any_of(
    schema_of(natural_number), {**STRING, "maxLength": 29, "pattern": r"^\d+( \(\d+\)| \+\d+)?$|^stacks$"}
)


# -- steps. Those of a card that can be upgraded have amounts; `at` fixes them for one level.


class Operation(NamedTuple):
    """An atomic action with its arguments."""

    verb: Verb
    arguments: Mapping[str, Any]  # by field: an `Amount` or a number, a `Status`, or the name of a pile
    stacks: tuple[str, ...] = ()  # the arguments that are the amount of the status that runs this operation

    def at(self, level: int) -> Operation:
        """Return the operation after `level` upgrades."""
        fixed = {
            name: value.at(level) if isinstance(value, Amount) else value for name, value in self.arguments.items()
        }
        return Operation(self.verb, fixed, self.stacks)


class Check(NamedTuple):
    """A condition with its argument."""

    condition: Condition
    arguments: tuple[Any, ...] = ()  # a number or a status, or nothing

    def holds(self, battle: Any, source: Any) -> bool:
        """Return whether the condition is true for the acting fighter."""
        return self.condition.function(battle, source, *self.arguments)


class Step(NamedTuple):
    """Operations that share one target, and the condition on which they depend."""

    target: Target
    operations: tuple[Operation, ...]
    check: Check | None

    def at(self, level: int) -> Step:
        """Return the step after `level` upgrades."""
        return self._replace(operations=tuple(operation.at(level) for operation in self.operations))


def amounts(steps: Sequence[Step]) -> Iterator[Amount]:
    """Yield the numbers that an upgrade may change."""
    for step in steps:
        for operation in step.operations:
            yield from (value for value in operation.arguments.values() if isinstance(value, Amount))


# -- reading


_REFERENCE: Final[Schema] = {"$ref": "#/$defs/actions"}


class ActionReader:
    """Reads the actions of a card, a status or an enemy's move, with the words and statuses of a library."""

    def __init__(self, owner: OwnerKind, library: Library) -> None:
        self._owner, self._library, self._words = owner, library, library.vocabulary
        self._aim = {
            "to": JsonField(JsonKind(self._read_target, _target_schema(self._words)), None),
            "if": JsonField(JsonKind(self._read_check, TEXT), None),
        }
        self._kinds = {
            "number": JsonKind(self._read_amount, AMOUNT_SCHEMA),
            "turns": positive_number,
            "status": JsonKind(library.status, TEXT),
            "pile": partial(one_of, choices=PILES),
        }
        self.steps = JsonKind(self._read_steps, _REFERENCE)  # a list of actions, which run in this order
        self._records: dict[str, JsonRecord] = {}  # by verb

    @cached_property
    def _join(self) -> JsonRecord:
        return JsonRecord({"and": JsonField(JsonKind(_list_of_actions, _REFERENCE)), **self._aim})

    def schema(self) -> Schema:
        """Return the schema of a list of actions; which one may have which target, only the reader knows."""
        verbs = self._words.verbs.values()
        return list_schema(any_of(*(self._record(verb).schema for verb in verbs), self._join.schema), 1)

    def _record(self, verb: Verb) -> JsonRecord:
        if verb.name in self._records:
            return self._records[verb.name]
        fields = {"do": JsonField(JsonKind(str, {"const": verb.name}))}
        for field in verb.fields:
            kind, default = field_kind(field), verb.defaults.get(field, REQUIRED)
            is_amount = kind == "number" and default is not REQUIRED
            fields[field] = JsonField(self._kinds[kind], Amount(default) if is_amount else default)
        aim = ("if",) if verb.acts_on == "nothing" else ("to", "if")
        record = self._records[verb.name] = JsonRecord(fields | {key: self._aim[key] for key in aim})
        return record

    def _read_steps(self, items: Any) -> tuple[Step, ...]:
        return tuple(self._read_list(items, NO_TARGET, None))

    def _read_list(self, items: Any, target: Target, check: Check | None) -> list[Step]:
        read = partial(self._read_action, target=target, check=check)
        return [step for steps in read_items(read, _list_of_actions(items)) for step in steps]

    def _read_action(self, item: Any, target: Target, check: Check | None) -> list[Step]:
        if not isinstance(item, dict) or ("do" in item) == ("and" in item):
            raise PlannerError(f"{quote(item)} is not an action: it must have either do or and")
        verb = self._verb(item) if "do" in item else None
        values = self._join.read(item) if verb is None else self._record(verb).read(item)
        own_target = values.get("to")
        target = own_target or target
        if check is not None and values["if"] is not None:
            raise PlacedError(("if",), "the actions around it have a condition already")
        check = check or values["if"]
        if verb is not None:
            arguments = {field: values[field] for field in verb.fields}
            if isinstance(default := arguments.get("status"), str):
                arguments["status"] = self._library.status(default)
            stacks = tuple(name for name, value in arguments.items() if isinstance(value, Amount) and value.stacks)
            return [Step(_aimed(verb, target), (Operation(verb, arguments, stacks),), check)]
        with at("and"):
            parts = self._read_list(item["and"], target, check)
            if own_target is None:
                return parts
            steps = _join(parts, target)
            if sum(step.target == target for step in steps) > 1:
                raise PlannerError("parts that share a target must be adjacent, so that it is chosen once")
        return steps

    def _verb(self, item: Mapping[str, Any]) -> Verb:
        with at("do"):
            verb = look_up(self._words.verbs, item["do"], "an action")
            if self._owner == "move" and verb.acts_on != "fighters":
                raise PlannerError(f"{verb.name} is for cards, not for an enemy")
        if verb.acts_on == "nothing" and "to" in item:
            raise PlannerError(f"{verb.name} takes no target such as {quote(item['to'])}")
        self._library.ignores_hand_order &= verb.ignores_hand_order
        return verb

    def _read_amount(self, value: Any) -> Amount:
        if value == "stacks" and self._owner == "status":
            return Amount(0, stacks=True)
        amount = read_amount(value)
        if self._owner != "card" and (amount.upgraded is not None or amount.each):
            raise PlannerError(f"{quote(value)}: only cards can be upgraded; write {amount.base}")
        return amount

    def _read_target(self, value: Any) -> Target:
        target = self._words.read_target(value)
        if self._owner != "card" and (target.how in ("chosen", "this") or target.acts_on == "cards"):
            raise PlannerError(f"{quote(value)} is only for cards: the player makes no choice here")
        if self._owner not in target.group.owners:
            raise PlannerError(f"{quote(value)} is for enemies; write 'self' for a card")
        self._library.ignores_hand_order &= target.group.ignores_hand_order
        return target

    def _read_check(self, value: Any) -> Check:
        condition, rest = self._words.split_condition(value)
        self._library.ignores_hand_order &= condition.ignores_hand_order
        if not condition.field:
            if rest:
                raise PlannerError(f"{quote(value)}: {condition.name} takes nothing after it, got {quote(rest)}")
            return Check(condition)
        if field_kind(condition.field) == "status":
            return Check(condition, (self._library.status(rest),))
        if not re.fullmatch(r"\d{1,4}", rest):
            raise PlannerError(f"{quote(value)}: {condition.name} needs a number, such as {condition.name} 5")
        return Check(condition, (int(rest),))


@cache
def _target_schema(words: Vocabulary) -> Schema:
    counted = rf"^[1-9]\d? (chosen|random) ({'|'.join(words.card_nouns)})$"
    return any_of(enum_schema(tuple(words.targets)), {**STRING, "pattern": counted})


def _list_of_actions(items: Any) -> list[Any]:
    if not isinstance(items, list) or not items:
        raise PlannerError(f"{quote(items)} is not a list of actions, such as - {{do: draw, amount: 1}}")
    return items


def _aimed(verb: Verb, target: Target) -> Target:
    """Return the target of an action, which its verb must accept."""
    if verb.acts_on == "nothing":
        return NO_TARGET
    if target is NO_TARGET:
        example = "chosen enemy" if verb.acts_on == "fighters" else "chosen card in hand"
        raise PlannerError(f"{verb.name} needs a target, such as to: {example}")
    if target.acts_on != verb.acts_on:
        raise PlannerError(f"{verb.name} acts on {verb.acts_on}, not on {target.acts_on}")
    return target


def _join(parts: list[Step], target: Target) -> list[Step]:
    """Merge adjacent steps that share the target of the join, so that it is chosen once for all of them."""
    steps: list[Step] = []
    shared = (target, NO_TARGET)
    for part in parts:
        if steps and part.target in shared and steps[-1].target in shared and steps[-1].check == part.check:
            steps[-1] = Step(target, (*steps[-1].operations, *part.operations), part.check)
        else:
            steps.append(part)
    return steps
