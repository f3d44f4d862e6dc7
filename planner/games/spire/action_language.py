"""The language of card effects, status callbacks and enemy moves: atomic actions, joined by `and`, aimed by `to`.

`ActionReader` turns the YAML or JSON form into a tuple of `Step`s. Errors name the file, the line and the definition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList, YamlMapping
from planner.formats.values import first_unknown_key, integer, unknown_field

PILES: Final = ("hand", "draw", "discard", "exhaust")
MAX_NUMBER: Final = 9999  # the largest number on a card, so that sums stay small
OwnerKind: TypeAlias = Literal["card", "status", "move"]
ActsOn: TypeAlias = Literal["fighters", "cards", "nothing"]
_Value = TypeVar("_Value")


# -- values


natural_number: Final = partial(integer, minimum=0, maximum=MAX_NUMBER)
positive_number: Final = partial(integer, minimum=1, maximum=MAX_NUMBER)
signed_number: Final = partial(integer, minimum=-MAX_NUMBER, maximum=MAX_NUMBER)


def pile_name(value: Any) -> str:
    """Return the name of a pile."""
    if not isinstance(value, str) or value not in PILES:
        raise PlannerError(f"{quote(value)} is not a pile; must be one of {', '.join(PILES)}")
    return value


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


# -- amounts and targets


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


class Target(NamedTuple):
    """The target of an action: how it is selected, from which group, and for cards how many."""

    how: str  # self, player, this, chosen, random, all
    group: str  # enemies, everyone, or a pile; empty for self, player and this card
    number: int = 1

    @property
    def acts_on(self) -> ActsOn:
        """Return whether this target consists of fighters or of cards."""
        return "cards" if self.how == "this" or self.group in PILES else "fighters"


# Targets in a pile are not listed: `chosen card in hand`, `2 random cards in draw`, `all cards in hand`, ...
FIGHTER_TARGETS: Final[Mapping[str, Target]] = {
    "self": Target("self", ""),
    "player": Target("player", ""),
    "chosen enemy": Target("chosen", "enemies"),
    "random enemy": Target("random", "enemies"),
    "all enemies": Target("all", "enemies"),
    "chosen of everyone": Target("chosen", "everyone"),
    "random of everyone": Target("random", "everyone"),
    "everyone": Target("all", "everyone"),
}
THIS_CARD: Final = Target("this", "")
_CARD_TARGET: Final = re.compile(r"(?:([1-9]\d?) )?(chosen|random|all) cards? in (\w+)")


def read_target(value: Any) -> Target:
    """Read the value of `to`."""
    if value == "this card":
        return THIS_CARD
    if not isinstance(value, str):
        raise PlannerError(f"{quote(value)} is not a target, such as chosen enemy")
    if value in FIGHTER_TARGETS:
        return FIGHTER_TARGETS[value]
    if match := _CARD_TARGET.fullmatch(value):
        count, how, pile = match.groups()
        if how == "all" and count:
            raise PlannerError(f"{quote(value)}: all takes no number")
        return Target(how, pile_name(pile), 1 if count is None else int(count))
    known = (*FIGHTER_TARGETS, "this card", "chosen card in hand", "random card in discard", "all cards in draw")
    hint = did_you_mean(value, known) or "; such as " + ", ".join(known)
    raise PlannerError(f"{quote(value)} is not a target{hint}")


# -- actions


class Verb(NamedTuple):
    """The signature of an atomic action."""

    acts_on: ActsOn
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


VERBS: Final[Mapping[str, Verb]] = {
    "attack": Verb("fighters", ("amount",), ("hits",)),
    "damage": Verb("fighters", ("amount",)),
    "block": Verb("fighters", ("amount",)),
    "heal": Verb("fighters", ("amount",)),
    "apply": Verb("fighters", ("status", "amount"), ("turns",)),
    "energy": Verb("nothing", ("amount",)),
    "draw": Verb("nothing", ("amount",)),
    "discard": Verb("cards"),
    "exhaust": Verb("cards"),
    "upgrade": Verb("cards"),
    "copy": Verb("cards", ("into",)),
}


@dataclass(frozen=True)
class Atom:
    """One atomic action, without its target."""

    verb: str
    amount: Amount = Amount(0)
    hits: Amount = Amount(1)
    status: str = ""
    turns: int = 0  # how many turns the status lasts; 0 means until something removes it
    into: str = ""

    @property
    def upgradable(self) -> tuple[Amount, ...]:
        """Return the amounts that an upgrade may change."""
        return self.amount, self.hits


@dataclass(frozen=True)
class Step:
    """Atomic actions that share one target; the target is None if none of them needs one."""

    atoms: tuple[Atom, ...]
    target: Target | None


class ActionReader:
    """Reads the actions of a card, a status or an enemy's move; knows the statuses that exist."""

    def __init__(self, owner: OwnerKind, statuses: Collection[str]) -> None:
        self._owner, self._statuses = owner, statuses

    def steps(self, items: Any, location: SourceLocation) -> tuple[Step, ...]:
        """Read a list of actions, which run in this order."""
        if not isinstance(items, list) or not items:
            raise location.error(f"{quote(items)} is not a list of actions, such as - {{do: draw, amount: 1}}")
        steps: list[Step] = []
        for index, item in enumerate(items):
            steps += self._action(item, location.at(items, index), None)
        return tuple(steps)

    def _action(self, item: Any, location: SourceLocation, outer_target: Target | None) -> list[Step]:
        if not isinstance(item, dict) or ("do" in item) == ("and" in item):
            raise location.error(f"{quote(item)} is not an action: it must have either do or and")
        target = location.read(item, "to", self._target) if "to" in item else outer_target
        if "do" in item:
            return [self._atom(item, location, target)]
        location.check_keys(item, ("and",), ("to",))
        if not isinstance(item["and"], list) or not item["and"]:
            raise location.at(item, "and", "and").error(f"{quote(item['and'])} is not a list of actions")
        parts: list[Step] = []
        for index, part in enumerate(item["and"]):
            parts += self._action(part, location.at(item["and"], index), target)
        if "to" not in item:
            return parts
        steps = _join(parts, target)
        if sum(step.target == target for step in steps) > 1:
            raise location.at(item, "and", "and").error(
                "parts that share a target must be adjacent, so that it is chosen once"
            )
        return steps

    def _atom(self, item: dict[str, Any], location: SourceLocation, target: Target | None) -> Step:
        name = item["do"]
        here = location.at(item, "do")
        if not isinstance(name, str) or name not in VERBS:
            hint = did_you_mean(name, VERBS) or f"; must be one of {', '.join(VERBS)}"
            raise here.error(f"{quote(name)} is not an action{hint}")
        verb = VERBS[name]
        if self._owner == "move" and verb.acts_on != "fighters":
            raise here.error(f"{name} is for cards, not for an enemy")
        location.check_keys(item, ("do",), ("to", *verb.required, *verb.optional))
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
        atom = Atom(name)
        if "amount" in item:
            atom = replace(atom, amount=location.read(item, "amount", self._amount))
        if "hits" in item:
            atom = replace(atom, hits=location.read(item, "hits", self._amount))
        if "turns" in item:
            atom = replace(atom, turns=location.read(item, "turns", positive_number))
        if "status" in item:
            status = item["status"]
            if not isinstance(status, str) or status not in self._statuses:
                hint = did_you_mean(status, self._statuses) or f"; must be one of {', '.join(self._statuses)}"
                raise location.at(item, "status").error(f"{quote(status)} is not a status{hint}")
            atom = replace(atom, status=status)
        if "into" in item:
            atom = replace(atom, into=location.read(item, "into", pile_name))
        return Step((atom,), target)

    def _amount(self, value: Any) -> Amount:
        if value == "stacks" and self._owner == "status":
            return Amount(0, stacks=True)
        amount = read_amount(value)
        if self._owner != "card" and (amount.upgraded is not None or amount.each):
            raise PlannerError(f"{quote(value)}: only cards can be upgraded; write {amount.base}")
        return amount

    def _target(self, value: Any) -> Target:
        target = read_target(value)
        if self._owner != "card" and (target.how in ("chosen", "this") or target.acts_on == "cards"):
            raise PlannerError(f"{quote(value)} is only for cards: the player makes no choice here")
        if target.how == "player" and self._owner == "card":
            raise PlannerError("'player' is for enemies; write 'self' for a card")
        return target


def _join(parts: list[Step], target: Target | None) -> list[Step]:
    """Merge adjacent steps that share the target of the join, so that it is chosen once for all of them."""
    steps: list[Step] = []
    for part in parts:
        if steps and part.target in (target, None) and steps[-1].target in (target, None):
            steps[-1] = Step((*steps[-1].atoms, *part.atoms), target)
        else:
            steps.append(part)
    return steps
