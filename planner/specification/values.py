"""Values of Z with conditions in them: one representation for concrete states and for Z3's formulas.

A set is a list of slots, each an element and the condition under which the set has it. In a concrete state the
conditions are True and the numbers are integers, and every function here returns such values again. In a proof they are
formulas of Z3, and so are the results. Two slots may hold equal elements; a set has what one of its slots has.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Final, TypeAlias

Condition: TypeAlias = Any  # a bool, or a formula of Z3
Value: TypeAlias = (
    Any  # an integer, a string (an element of a given or free type), a tuple, one of these classes, or Z3's
)
Environment: TypeAlias = dict[str, Value]


class UndefinedError(Exception):
    """An expression has no value, such as the head of the empty sequence."""


class UnassignedError(Exception):
    """A predicate reads a variable of the after-state that no equation has determined yet."""


@dataclass(frozen=True)
class SetValue:
    """A finite set, function or relation. `distinct`: no two slots hold the same element."""

    slots: tuple[tuple[Condition, Value], ...] = ()
    distinct: bool = False

    @cached_property
    def names(self) -> frozenset[str] | None:
        """The elements of a concrete set of strings, for a quick look-up; None for any other set."""
        if all(present is True and isinstance(element, str) for present, element in self.slots):
            return frozenset(element for _, element in self.slots)
        return None


@dataclass(frozen=True)
class SequenceValue:
    """A sequence: the items from index `start` up to, but not including, `end`. A part of it needs no other items."""

    start: Value
    end: Value
    items: tuple[Value, ...] = ()

    @property
    def length(self) -> Value:
        """The number of items."""
        return self.end - self.start

    def has(self, index: int) -> Condition:
        """Return whether the item at an index belongs to the sequence."""
        return all_of((compare("≤", self.start, index), compare("<", index, self.end)))


@dataclass(frozen=True)
class RangeValue:
    """The integers from `low` to `high`."""

    low: Value
    high: Value


@dataclass(frozen=True)
class BindingValue:
    """The components of a schema and their values."""

    components: Mapping[str, Value]


@dataclass(eq=False)
class Unassigned:
    """A place of the after-state. An equation gives it its value."""

    label: str
    kind: Any  # its type, as a node
    values: list[Value] = field(default_factory=list)


EMPTY = SetValue((), distinct=True)


def concrete_set(elements: Iterable[Value]) -> SetValue:
    """Return a set of different concrete elements."""
    return SetValue(tuple((True, element) for element in elements), distinct=True)


def concrete_sequence(items: Iterable[Value]) -> SequenceValue:
    """Return a sequence of concrete items."""
    listed = tuple(items)
    return SequenceValue(0, len(listed), listed)


def resolve(value: Value) -> Value:
    """Return the value of an assigned place of the after-state, and any other value itself."""
    while isinstance(value, Unassigned) and value.values:
        value = value.values[0]
    return value


def known(value: Value) -> Value:
    """Return a value that is known; raise UnassignedError if it is not."""
    value = resolve(value)
    if isinstance(value, Unassigned):
        raise UnassignedError(value.label)
    return value


def leaves(value: Value) -> Iterator[Value]:
    """Yield what a value is made of: numbers, strings, variables of Z3, and unassigned places."""
    value = resolve(value)
    if isinstance(value, BindingValue):
        value = tuple(value.components.values())
    elif isinstance(value, SetValue):
        value = tuple(element for _, element in value.slots)
    elif isinstance(value, SequenceValue):
        value = value.items
    if isinstance(value, tuple):
        for part in value:
            yield from leaves(part)
    else:
        yield value


# -- conditions and numbers


@cache
def _z3() -> Any:
    import z3  # noqa: PLC0415  (concrete states need no solver)

    return z3


def negate(condition: Condition) -> Condition:
    """Return `¬ condition`."""
    return not condition if isinstance(condition, bool) else _z3().Not(condition)


def all_of(conditions: Iterable[Condition]) -> Condition:
    """Return the conjunction."""
    formulas = []
    for condition in conditions:
        if condition is False:
            return False
        if condition is not True:
            formulas.append(condition)
    return _z3().And(formulas) if len(formulas) > 1 else formulas[0] if formulas else True


def any_of(conditions: Iterable[Condition]) -> Condition:
    """Return the disjunction."""
    formulas = []
    for condition in conditions:
        if condition is True:
            return True
        if condition is not False:
            formulas.append(condition)
    return _z3().Or(formulas) if len(formulas) > 1 else formulas[0] if formulas else False


def implies(condition: Condition, then: Condition) -> Condition:
    """Return `condition ⇒ then`."""
    return any_of((negate(condition), then))


def total(numbers: Iterable[Value]) -> Value:
    """Return the sum."""
    listed = list(numbers)
    formulas = [number for number in listed if not isinstance(number, int)]
    constant = sum(number for number in listed if isinstance(number, int))
    return _z3().Sum([*formulas, constant]) if formulas else constant


_COMPARISONS: Final = {"<": operator.lt, "≤": operator.le, ">": operator.gt, "≥": operator.ge}


def compare(op: str, left: Value, right: Value) -> Condition:
    """Return `left op right` for integers."""
    return _COMPARISONS[op](left, right)


def same(one: Value, other: Value) -> Condition:
    """Return whether two values are equal."""
    one, other = known(one), known(other)
    if one is other:
        return True
    if isinstance(one, BindingValue):
        return all_of(same(value, other.components[name]) for name, value in one.components.items())
    if isinstance(one, tuple):
        return all_of(same(*both) for both in zip(one, other, strict=True))
    if isinstance(one, SequenceValue) and isinstance(other, SequenceValue) and one.items is other.items:
        return all_of((same(one.start, other.start), same(one.end, other.end)))
    if isinstance(one, SetValue | SequenceValue | RangeValue):
        return all_of((is_subset(one, other), is_subset(other, one)))
    if isinstance(one, int | str) and isinstance(other, int | str):
        return one == other
    if not isinstance(one, int | str) and not isinstance(other, int | str) and one.eq(other):
        return True
    return one == other


def choose(condition: Condition, one: Value, other: Value) -> Value:
    """Return `if condition then one else other`."""
    one, other = known(one), known(other)
    if isinstance(condition, bool):
        return one if condition else other
    if one is other:
        return one
    if isinstance(one, BindingValue):
        return BindingValue(
            {name: choose(condition, value, other.components[name]) for name, value in one.components.items()}
        )
    if isinstance(one, tuple):
        return tuple(choose(condition, *both) for both in zip(one, other, strict=True))
    if isinstance(one, SetValue | SequenceValue):
        first, second = as_set(one), as_set(other)
        slots = [(all_of((condition, present)), element) for present, element in first.slots]
        slots += [(all_of((negate(condition), present)), element) for present, element in second.slots]
        return SetValue(tuple(slots), first.distinct and second.distinct)
    if isinstance(one, int | str) and isinstance(other, int | str) and one == other:
        return one
    return _z3().If(condition, one, other)


# -- sets


def as_set(value: Value) -> SetValue:
    """Return a sequence as the set of its pairs of position and item, and any set itself."""
    value = known(value)
    if isinstance(value, SequenceValue):
        slots = ((value.has(at), (at + 1 - value.start, item)) for at, item in enumerate(value.items))
        return SetValue(tuple(slots), distinct=True)
    if isinstance(value, RangeValue):
        return concrete_set(range(value.low, value.high + 1))
    assert isinstance(value, SetValue)
    return value


def contains(value: Value, element: Value) -> Condition:
    """Return whether the element is in the set."""
    value = known(value)
    if isinstance(value, RangeValue):
        return all_of((compare("≤", value.low, element), compare("≤", element, value.high)))
    if isinstance(element, str) and isinstance(value, SetValue) and value.names is not None:
        return element in value.names
    return any_of(all_of((present, same(other, element))) for present, other in as_set(value).slots)


def is_subset(one: Value, other: Value) -> Condition:
    """Return whether every element of the first set is in the second."""
    return all_of(implies(present, contains(other, element)) for present, element in as_set(one).slots)


def filtered(value: Value, keep: Any) -> SetValue:
    """Return the elements for which `keep` gives a condition that holds."""
    source = as_set(value)
    return SetValue(tuple((all_of((at, keep(element))), element) for at, element in source.slots), source.distinct)


def union(one: Value, other: Value) -> SetValue:
    """Return the union."""
    return SetValue(as_set(one).slots + as_set(other).slots)


def size(value: Value) -> Value:
    """Return the number of elements, where equal elements count once."""
    value = known(value)
    if isinstance(value, SequenceValue):
        return value.length
    slots = as_set(value).slots
    counted = []
    for index, (present, element) in enumerate(slots):
        earlier = () if as_set(value).distinct else slots[:index]
        again = any_of(all_of((before, same(other, element))) for before, other in earlier)
        counted.append(choose(all_of((present, negate(again))), 1, 0))
    return total(counted)


# -- functions and sequences


def apply_function(function: Value, argument: Value) -> tuple[Value, Condition]:
    """Return the value of a function for an argument, and the condition under which there is one."""
    found: list[tuple[Condition, Value]] = []
    for present, pair in as_set(function).slots:
        condition = all_of((present, same(pair[0], argument)))
        if condition is True:
            return resolve(pair[1]), True
        if condition is not False:
            found.append((condition, pair[1]))
    if not found:
        raise UndefinedError
    result = found[-1][1]
    for condition, value in reversed(found[:-1]):
        result = choose(condition, value, result)
    return result, any_of(condition for condition, _ in found)


def first_item(sequence: SequenceValue) -> Value:
    """Return the first item of a sequence; any item if it is empty."""
    if not sequence.items:
        raise UndefinedError
    result = sequence.items[-1]
    for at in range(len(sequence.items) - 2, -1, -1):
        result = choose(same(sequence.start, at), sequence.items[at], result)
    return result


def extract(positions: RangeValue, sequence: SequenceValue) -> SequenceValue:
    """Return the items of a sequence at a range of positions, as a sequence."""
    low = choose(compare("<", positions.low, 1), 1, positions.low)
    high = choose(compare("<", sequence.length, positions.high), sequence.length, positions.high)
    start, end = sequence.start + low - 1, sequence.start + high
    return SequenceValue(start, choose(compare("<", end, start), start, end), sequence.items)


def filter_sequence(sequence: SequenceValue, kept: Value) -> SetValue:
    """Return the items that are in a set, as the pairs of a sequence without gaps."""
    pairs: list[tuple[Condition, Value]] = []
    position: Value = 1
    for at, item in enumerate(sequence.items):
        condition = all_of((sequence.has(at), contains(kept, item)))
        pairs.append((condition, (position, item)))
        position = total((position, choose(condition, 1, 0)))
    return SetValue(tuple(pairs), distinct=True)


def is_function(value: Value) -> Condition:
    """Return whether no two pairs have the same first element and different second elements."""
    slots = as_set(value).slots
    return all_of(
        implies(all_of((here, there, same(one[0], other[0]))), same(one[1], other[1]))
        for index, (here, one) in enumerate(slots)
        for there, other in slots[:index]
    )


def is_sequence(value: Value) -> Condition:
    """Return whether a set of pairs is a sequence: its positions are 1 to its size."""
    value = known(value)
    if isinstance(value, SequenceValue):
        return True
    count = size(value)
    in_range = (
        implies(present, all_of((compare("≤", 1, pair[0]), compare("≤", pair[0], count))))
        for present, pair in as_set(value).slots
    )
    return all_of((is_function(value), *in_range))
