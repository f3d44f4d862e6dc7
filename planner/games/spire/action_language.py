"""The language of cards, status callbacks and enemy moves: actions, joined by `and`, aimed by `to`, depending on `if`.

`ActionReader` turns the YAML or JSON form into a tuple of `Step`s. Errors name the file, the line and the definition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList, YamlMapping
from planner.formats.values import first_unknown_key, integer, unknown_field
from planner.games.spire.vocabulary import (
    MAX_NUMBER,
    Condition,
    OwnerKind,
    Target,
    Verb,
    Vocabulary,
    field_kind,
    pile_name,
)

_Value = TypeVar("_Value")


# -- values


natural_number: Final = partial(integer, minimum=0, maximum=MAX_NUMBER)
positive_number: Final = partial(integer, minimum=1, maximum=MAX_NUMBER)
signed_number: Final = partial(integer, minimum=-MAX_NUMBER, maximum=MAX_NUMBER)


def factor(value: Any) -> Fraction:
    """Return a factor of at least 0, written as 2 or 3/4."""
    try:
        result = Fraction(value) if isinstance(value, int | str) and not isinstance(value, bool) else None
    except (ValueError, ZeroDivisionError):
        result = None
    if result is None or not 0 <= result <= MAX_NUMBER or result.denominator > MAX_NUMBER:
        raise PlannerError(f"{quote(value)} is not a factor such as 2 or 3/4")
    return result


class SourceLocation:
    """The place of a definition: a file, its line if known, and the names that lead to the definition."""

    def __init__(self, source: str, line: int | None = None, trail: str = "") -> None:
        self.source, self.line, self.trail = source, line, trail

    def at(self, holder: Any, key: str | int, name: str = "") -> SourceLocation:
        """Return the location of `holder[key]`; definitions that come as JSON have no line numbers."""
        line = self.line
        if isinstance(holder, YamlMapping | YamlList):
            lines: Any = holder.lines
            line = lines[key]
        return SourceLocation(self.source, line, f"{self.trail}: {name}" if self.trail and name else self.trail or name)

    def error(self, message: str) -> PlannerError:
        """Return an error that starts with the file, the line and the trail."""
        source = f"{self.source}:{self.line}" if self.line is not None else self.source
        return PlannerError(": ".join(part for part in (source, self.trail, message) if part))

    def read(self, holder: Any, key: str, reader: Callable[[Any], _Value]) -> _Value:
        """Return `holder[key]`, validated by `reader`."""
        try:
            return reader(holder[key])
        except PlannerError as error:
            raise self.at(holder, key, key).error(str(error)) from None

    def check_keys(self, entry: dict[str, Any], required: Iterable[str], optional: Iterable[str] = ()) -> None:
        """Raise an error for the first unknown or missing field."""
        known = (*required, *optional)
        if (unknown := first_unknown_key(entry, known)) is not None:
            raise self.at(entry, unknown).error(unknown_field(unknown, known))
        for key in required:
            if key not in entry:
                raise self.error(f"{key} is missing")


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


# -- actions


@dataclass(frozen=True, eq=False)
class Atom:
    """One atomic action, without its target."""

    verb: Verb
    arguments: Mapping[str, Any]  # by field: an `Amount`, the name of a status or pile, or a number of turns

    @property
    def amounts(self) -> Mapping[str, Amount]:
        """Return the numbers that an upgrade may change."""
        return {name: value for name, value in self.arguments.items() if isinstance(value, Amount)}

    @property
    def amount(self) -> Amount:
        """Return the main number, or 0 for an action without one."""
        return self.amounts.get("amount", Amount(0))


class Check(NamedTuple):
    """A condition with its argument."""

    condition: Condition
    argument: int | str | None  # a number or the name of a status


@dataclass(frozen=True, eq=False)
class Step:
    """Atomic actions that share one target; the target is None if none of them needs one."""

    atoms: tuple[Atom, ...]
    target: Target | None
    check: Check | None = None


class ActionReader:
    """Reads the actions of a card, a status or an enemy's move; knows the words and statuses that exist."""

    def __init__(self, owner: OwnerKind, vocabulary: Vocabulary, statuses: Collection[str]) -> None:
        self._owner, self._words, self._statuses = owner, vocabulary, statuses
        self.ignores_hand_order = True  # whether every word so far does

    def steps(self, items: Any, location: SourceLocation) -> tuple[Step, ...]:
        """Read a list of actions, which run in this order."""
        if not isinstance(items, list) or not items:
            raise location.error(f"{quote(items)} is not a list of actions, such as - {{do: draw, amount: 1}}")
        steps: list[Step] = []
        for index, item in enumerate(items):
            steps += self._action(item, location.at(items, index), None, None)
        return tuple(steps)

    def _action(
        self, item: Any, location: SourceLocation, outer_target: Target | None, outer_check: Check | None
    ) -> list[Step]:
        if not isinstance(item, dict) or ("do" in item) == ("and" in item):
            raise location.error(f"{quote(item)} is not an action: it must have either do or and")
        target = location.read(item, "to", self._target) if "to" in item else outer_target
        check = location.read(item, "if", self._check) if "if" in item else outer_check
        if "if" in item and outer_check is not None:
            raise location.at(item, "if", "if").error("the actions around it have a condition already")
        if "do" in item:
            return [self._atom(item, location, target, check)]
        location.check_keys(item, ("and",), ("to", "if"))
        if not isinstance(item["and"], list) or not item["and"]:
            raise location.at(item, "and", "and").error(f"{quote(item['and'])} is not a list of actions")
        parts: list[Step] = []
        for index, part in enumerate(item["and"]):
            parts += self._action(part, location.at(item["and"], index), target, check)
        if "to" not in item:
            return parts
        steps = _join(parts, target)
        if sum(step.target == target for step in steps) > 1:
            raise location.at(item, "and", "and").error(
                "parts that share a target must be adjacent, so that it is chosen once"
            )
        return steps

    def _atom(self, item: dict[str, Any], location: SourceLocation, target: Target | None, check: Check | None) -> Step:
        name, verbs = item["do"], self._words.verbs
        here = location.at(item, "do")
        if not isinstance(name, str) or name not in verbs:
            hint = did_you_mean(name, verbs) or f"; must be one of {', '.join(verbs)}"
            raise here.error(f"{quote(name)} is not an action{hint}")
        verb = verbs[name]
        if self._owner == "move" and verb.acts_on != "fighters":
            raise here.error(f"{name} is for cards, not for an enemy")
        location.check_keys(item, ("do",), ("to", "if", *verb.fields))
        for key in verb.required:
            if key not in item:
                raise here.error(f"{name} needs {key}")
        if verb.acts_on == "nothing":
            if "to" in item:
                raise location.at(item, "to").error(f"{name} takes no target such as {quote(item['to'])}")
            target = None
        elif target is None:
            example = "chosen enemy" if verb.acts_on == "fighters" else "chosen card in hand"
            raise here.error(f"{name} needs a target, such as to: {example}")
        elif target.acts_on != verb.acts_on:
            raise here.error(f"{name} acts on {verb.acts_on}, not on {target.acts_on}")
        self.ignores_hand_order &= verb.ignores_hand_order
        arguments = {field: self._argument(field, item, location) for field in verb.fields if field in item}
        for field, default in verb.defaults.items():
            if field not in arguments and field_kind(field) == "status":
                arguments[field] = self._argument(field, {field: default}, here)
            arguments.setdefault(field, Amount(default) if field_kind(field) == "number" else default)
        return Step((Atom(verb, arguments),), target, check)

    def _argument(self, field: str, item: dict[str, Any], location: SourceLocation) -> Any:
        kind = field_kind(field)
        if kind == "status":
            try:
                return self._status(item[field])
            except PlannerError as error:
                raise location.at(item, field).error(str(error)) from None
        readers: dict[str, Callable[[Any], Any]] = {"number": self._amount, "pile": pile_name, "turns": positive_number}
        return location.read(item, field, readers[kind])

    def _status(self, name: Any) -> str:
        if not isinstance(name, str) or name not in self._statuses:
            hint = did_you_mean(name, self._statuses) or f"; must be one of {', '.join(self._statuses)}"
            raise PlannerError(f"{quote(name)} is not a status{hint}")
        return name

    def _amount(self, value: Any) -> Amount:
        if value == "stacks" and self._owner == "status":
            return Amount(0, stacks=True)
        amount = read_amount(value)
        if self._owner != "card" and (amount.upgraded is not None or amount.each):
            raise PlannerError(f"{quote(value)}: only cards can be upgraded; write {amount.base}")
        return amount

    def _target(self, value: Any) -> Target:
        target = self._words.read_target(value)
        if self._owner != "card" and (target.how in ("chosen", "this") or target.acts_on == "cards"):
            raise PlannerError(f"{quote(value)} is only for cards: the player makes no choice here")
        if self._owner not in target.group.owners:
            raise PlannerError(f"{quote(value)} is for enemies; write 'self' for a card")
        self.ignores_hand_order &= target.group.ignores_hand_order
        return target

    def _check(self, value: Any) -> Check:
        condition, rest = self._words.split_condition(value)
        self.ignores_hand_order &= condition.ignores_hand_order
        if not condition.field:
            if rest:
                raise PlannerError(f"{quote(value)}: {condition.name} takes nothing after it, got {quote(rest)}")
            return Check(condition, None)
        if field_kind(condition.field) == "status":
            return Check(condition, self._status(rest))
        if not re.fullmatch(r"\d{1,4}", rest):
            raise PlannerError(f"{quote(value)}: {condition.name} needs a number, such as {condition.name} 5")
        return Check(condition, int(rest))


def _join(parts: list[Step], target: Target | None) -> list[Step]:
    """Merge adjacent steps that share the target of the join, so that it is chosen once for all of them."""
    steps: list[Step] = []
    for part in parts:
        if (
            steps
            and part.target in (target, None)
            and steps[-1].target in (target, None)
            and steps[-1].check == part.check
        ):
            steps[-1] = Step((*steps[-1].atoms, *part.atoms), target, part.check)
        else:
            steps.append(part)
    return steps
