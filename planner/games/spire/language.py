"""What a card, a status or an enemy's move does, as data: atomic actions, joined by AND, pointed by TO.

Reading refuses with the place and what would be right; the result is a tuple of `Step`s that `table` carries out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from planner.errors import PlannerError, did_you_mean, quote
from planner.games.spire.places import PILES, Place, pile, positive, whole

Who: TypeAlias = Literal["card", "status", "move"]
Acts: TypeAlias = Literal["fighters", "cards", "nobody"]


@dataclass(frozen=True)
class Amount:
    """A number on a card: `6`, `6 (9)` with an upgrade, `12 +4` with every upgrade, or a status's `stacks`."""

    base: int
    upgraded: int | None = None
    each: int = 0
    stacks: bool = False

    def at(self, level: int) -> int:
        """The number after so many upgrades."""
        return self.base + self.each * level if self.upgraded is None or not level else self.upgraded

    def __str__(self) -> str:
        if self.stacks:
            return "stacks"
        if self.upgraded is not None:
            return f"{self.base} ({self.upgraded})"
        return f"{self.base} +{self.each}" if self.each else str(self.base)


class Target(NamedTuple):
    """Whom TO points at: `how` (self, player, this, chosen, random, all) among `whom`, and for cards how many."""

    how: str
    whom: str  # enemies, everyone, or a pile; "" for self, player and this card
    number: int = 1

    @property
    def acts_on(self) -> Acts:
        """Fighters or cards."""
        return "cards" if self.how == "this" or self.whom in PILES else "fighters"


# Every way to point at fighters. Cards of a pile: `chosen card in hand`, `2 random cards in draw`, `all cards in hand`.
FIGHTERS: Final[Mapping[str, Target]] = {
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
_CARDS: Final = re.compile(r"(?:([1-9]\d?) )?(chosen|random|all) cards? in (\w+)")
_AMOUNT: Final = re.compile(r"(\d+)(?: \((\d+)\)| \+(\d+))?")


class Verb(NamedTuple):
    """What an atomic action takes."""

    acts_on: Acts
    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


VERBS: Final[Mapping[str, Verb]] = {
    "attack": Verb("fighters", ("amount",), ("hits",)),
    "damage": Verb("fighters", ("amount",)),
    "block": Verb("fighters", ("amount",)),
    "heal": Verb("fighters", ("amount",)),
    "apply": Verb("fighters", ("status", "amount"), ("turns",)),
    "energy": Verb("nobody", ("amount",)),
    "draw": Verb("nobody", ("amount",)),
    "discard": Verb("cards"),
    "exhaust": Verb("cards"),
    "upgrade": Verb("cards"),
    "copy": Verb("cards", ("into",)),
}


@dataclass(frozen=True)
class Atom:
    """One atomic action, not yet pointed at anybody."""

    verb: str
    amount: Amount = Amount(0)
    hits: Amount = Amount(1)
    status: str = ""
    turns: int = 0  # how many turns the status lasts; 0: until something else ends it
    into: str = ""

    @property
    def upgrades(self) -> tuple[Amount, ...]:
        """The numbers that an upgrade may change."""
        return self.amount, self.hits


@dataclass(frozen=True)
class Step:
    """Atomic actions joined by AND and pointed by one TO; no target where none of them acts on anybody."""

    atoms: tuple[Atom, ...]
    target: Target | None


class Reader:
    """Reads what something of one kind `does`; it knows the statuses that exist."""

    def __init__(self, who: Who, statuses: Collection[str]) -> None:
        self._who, self._statuses = who, statuses

    def steps(self, given: Any, place: Place) -> tuple[Step, ...]:
        """The list of actions, joined in this order."""
        if not isinstance(given, list) or not given:
            raise place.error(f"{quote(given)} is not a list of actions, such as - {{do: draw, amount: 1}}")
        found: list[Step] = []
        for index, item in enumerate(given):
            found += self._action(item, place.at(given, index), None)
        return tuple(found)

    def _action(self, item: Any, place: Place, outer: Target | None) -> list[Step]:
        if not isinstance(item, dict) or ("do" in item) == ("and" in item):
            raise place.error(f"{quote(item)} is not an action: it has either do or and")
        target = place.read(item, "to", self._target) if "to" in item else outer
        if "do" in item:
            return [self._atom(item, place, target)]
        place.check(item, ("and",), ("to",))
        if not isinstance(item["and"], list) or not item["and"]:
            raise place.at(item, "and", "and").error(f"{quote(item['and'])} is not a list of actions")
        parts: list[Step] = []
        for index, part in enumerate(item["and"]):
            parts += self._action(part, place.at(item["and"], index), target)
        if "to" not in item:
            return parts
        found = _joined(parts, target)
        if sum(step.target == target for step in found) > 1:
            here = place.at(item, "and", "and")
            raise here.error("parts that share a target stand side by side, so that it is chosen once")
        return found

    def _atom(self, item: dict[str, Any], place: Place, target: Target | None) -> Step:
        name = item["do"]
        here = place.at(item, "do")
        if not isinstance(name, str) or name not in VERBS:
            hint = did_you_mean(str(name), VERBS) or f"; there are {', '.join(VERBS)}"
            raise here.error(f"{quote(name)} is not an action{hint}")
        verb = VERBS[name]
        if self._who == "move" and verb.acts_on != "fighters":
            raise here.error(f"{name} is for cards, not for an enemy")
        place.check(item, ("do",), ("to", *verb.needs, *verb.may))
        for key in verb.needs:
            if key not in item:
                raise here.error(f"{name} needs {key}")
        if verb.acts_on == "nobody":
            if "to" in item:
                raise place.at(item, "to").error(f"{name} takes no target such as {quote(item['to'])}")
            target = None
        elif target is None:
            example = "chosen enemy" if verb.acts_on == "fighters" else "chosen card in hand"
            raise here.error(f"{name} needs a target, such as to: {example}")
        elif target.acts_on != verb.acts_on:
            raise here.error(f"{name} acts on {verb.acts_on}, not on {target.acts_on}")
        atom = Atom(name)
        if "amount" in item:
            atom = replace(atom, amount=place.read(item, "amount", self._amount))
        if "hits" in item:
            atom = replace(atom, hits=place.read(item, "hits", self._amount))
        if "turns" in item:
            atom = replace(atom, turns=place.read(item, "turns", positive))
        if "status" in item:
            status = item["status"]
            if not isinstance(status, str) or status not in self._statuses:
                hint = did_you_mean(str(status), self._statuses) or f"; there are {', '.join(self._statuses)}"
                raise place.at(item, "status").error(f"{quote(status)} is not a status{hint}")
            atom = replace(atom, status=status)
        if "into" in item:
            atom = replace(atom, into=place.read(item, "into", pile))
        return Step((atom,), target)

    def _amount(self, given: Any) -> Amount:
        if given == "stacks" and self._who == "status":
            return Amount(0, stacks=True)
        found = amount(given)
        if self._who != "card" and (found.upgraded is not None or found.each):
            raise PlannerError(f"{quote(given)}: only cards are upgraded; say {found.base}")
        return found

    def _target(self, given: Any) -> Target:
        found = read_target(given)
        if self._who != "card" and (found.how in ("chosen", "this") or found.acts_on == "cards"):
            raise PlannerError(f"{quote(given)} is for cards: nobody is asked here")
        if found.how == "player" and self._who == "card":
            raise PlannerError("'player' is for enemies; a card says 'self'")
        return found


def _joined(parts: list[Step], target: Target | None) -> list[Step]:
    """Neighbours that share the join's target become one step: whoever is chosen is chosen once for all of them."""
    found: list[Step] = []
    for part in parts:
        if found and part.target in (target, None) and found[-1].target in (target, None):
            found[-1] = Step((*found[-1].atoms, *part.atoms), target)
        else:
            found.append(part)
    return found


def amount(given: Any) -> Amount:
    """The number in any of its spellings."""
    if isinstance(given, int) and not isinstance(given, bool):
        return Amount(whole(given))
    found = _AMOUNT.fullmatch(given) if isinstance(given, str) and len(given) < 30 else None
    if found is None:
        raise PlannerError(f"{quote(given)} is not a number such as 6, 6 (9) or 12 +4")
    numbers = [None if part is None else whole(int(part)) for part in found.groups()]
    return Amount(numbers[0] or 0, numbers[1], numbers[2] or 0)


def read_target(given: Any) -> Target:
    """Whom TO points at."""
    if given == "this card":
        return THIS_CARD
    if not isinstance(given, str):
        raise PlannerError(f"{quote(given)} is not a target, such as chosen enemy")
    if given in FIGHTERS:
        return FIGHTERS[given]
    if found := _CARDS.fullmatch(given):
        count, how, where = found.groups()
        if how == "all" and count:
            raise PlannerError(f"{quote(given)}: all takes no number")
        return Target(how, pile(where), 1 if count is None else int(count))
    known = (*FIGHTERS, "this card", "chosen card in hand", "random card in discard", "all cards in draw")
    raise PlannerError(f"{quote(given)} is not a target{did_you_mean(given, known) or '; such as ' + ', '.join(known)}")
