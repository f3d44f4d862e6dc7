"""New cards from a grammar: actions, joined and pointed, with numbers within the ranges of the cards that exist.

    card    = cost type does
    does    = part {part}                      joined by AND, each pointed for itself
    part    = action TO target | (action AND action) TO target | action that needs nobody
    action  = attack | block | heal | apply | draw | energy | discard | exhaust | upgrade | copy

It says nothing about how good a card is: that is what playing it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from planner.games.spire.language import VERBS
from planner.games.spire.library import Library, Status, library_of

# Where no card that exists gives a range.
_RANGES: Final[Mapping[str, tuple[int, int]]] = {"heal": (1, 5), "draw": (1, 2), "energy": (1, 2)}
_ENEMIES: Final = ("chosen enemy", "chosen enemy", "chosen enemy", "random enemy", "all enemies")
_CARDS: Final[Mapping[str, tuple[str, ...]]] = {
    "discard": ("chosen card in hand", "random card in hand", "2 chosen cards in hand"),
    "exhaust": ("this card", "chosen card in hand", "random card in hand"),
    "upgrade": ("chosen card in hand", "random card in hand", "all cards in hand"),
    "copy": ("this card", "chosen card in hand", "random card in discard"),
}
_INTO: Final = ("discard", "draw", "hand")
_SYLLABLES: Final = (
    "ar", "bel", "cor", "dan", "el", "fen", "gor", "hal", "il", "kar", "lum", "mor", "nim", "or", "pel", "qua",
)  # fmt: skip
_MOST_PARTS: Final = 3


class Ranges(NamedTuple):
    """What the cards that exist show: numbers by action, numbers and turns by status, costs, hits, upgrades."""

    amounts: Mapping[str, tuple[int, int]]
    statuses: Mapping[str, tuple[int, int]]
    turns: Mapping[str, int]
    costs: tuple[int, ...]
    hits: tuple[int, ...]
    upgrades: tuple[float, ...]  # upgraded number over the first one


def ranges(library: Library) -> Ranges:
    """Look at every card."""
    amounts: dict[str, tuple[int, int]] = dict(_RANGES)
    statuses: dict[str, tuple[int, int]] = {}
    turns: dict[str, int] = {}
    costs, hits, upgrades = [], [], []
    cards = [library.card(name) for name in library.card_names]
    for card in cards:
        costs.append(card.cost)
        for atom in (atom for step in card.steps for atom in step.atoms):
            if "amount" not in VERBS[atom.verb].needs:
                continue
            table, key = (statuses, atom.status) if atom.status else (amounts, atom.verb)
            low, high = table.get(key, (atom.amount.base, atom.amount.base))
            table[key] = min(low, atom.amount.base), max(high, atom.amount.base)
            if atom.turns:
                turns[atom.status] = atom.turns
            if atom.verb == "attack":
                hits.append(atom.hits.base)
            if atom.amount.upgraded:
                upgrades.append(atom.amount.upgraded / atom.amount.base)
    return Ranges(amounts, statuses, turns, tuple(costs), tuple(hits), tuple(upgrades))


def generated(count: int, seed: int, library: Library | None = None) -> dict[str, Any]:
    """So many new cards, in the form of a card file."""
    library = library or library_of()
    grammar = _Grammar(library, Random(seed))
    cards: dict[str, Any] = {}
    while len(cards) < count:
        name = grammar.name()
        if name not in cards and name not in library.card_names:
            cards[name] = grammar.card()
    return {"cards": cards}


class _Grammar:
    def __init__(self, library: Library, rng: Random) -> None:
        self._rng, self._ranges = rng, ranges(library)
        self._statuses: Sequence[Status] = [library.statuses[name] for name in self._ranges.statuses]

    def name(self) -> str:
        """Two or three syllables."""
        return "".join(self._rng.choice(_SYLLABLES) for _ in range(self._rng.choice((2, 2, 3)))).capitalize()

    def card(self) -> dict[str, Any]:
        """One card: an attack if it attacks, a power if it does nothing but give a status that stays."""
        does = [self._part() for _ in range(self._rng.choice((1, 1, 2, 2, _MOST_PARTS)))]
        verbs = [atom["do"] for part in does for atom in part.get("and", [part])]
        kind = "attack" if "attack" in verbs else "skill"
        if set(verbs) == {"apply"} and all(part["to"] == "self" for part in does):
            kind = "power"
        return {"cost": self._rng.choice(self._ranges.costs), "type": kind, "does": does}

    def _part(self) -> dict[str, Any]:
        verb = self._rng.choice(tuple(verb for verb in VERBS if verb != "damage"))
        action = self._action(verb)
        target = self._target(verb, action)
        if target is None:
            return action
        if VERBS[verb].acts_on == "fighters" and self._rng.random() < 0.3:
            choices = ("block", "apply", "heal") if target == "self" else ("attack", "apply")
            other = self._action(self._rng.choice(choices))
            if other.get("do") != action.get("do") and self._fits(other, target):
                return {"and": [action, other], "to": target}
        return {**action, "to": target}

    def _action(self, verb: str) -> dict[str, Any]:
        action: dict[str, Any] = {"do": verb}
        if verb == "apply":
            status = self._rng.choice(self._statuses)
            action |= {"status": status.name, "amount": self._amount(self._ranges.statuses[status.name])}
            if status.name in self._ranges.turns:
                action["turns"] = self._ranges.turns[status.name]
        elif "amount" in VERBS[verb].needs:
            action["amount"] = self._amount(self._ranges.amounts[verb])
        if verb == "attack" and (most := self._rng.choice(self._ranges.hits)) > 1:
            action["hits"] = self._rng.randint(2, most)  # together no more than the hardest single blow
            action["amount"] = self._rng.randint(0, self._ranges.amounts[verb][1] // action["hits"])
        if verb == "copy":
            action["into"] = self._rng.choice(_INTO)
        return action

    def _target(self, verb: str, action: Mapping[str, Any]) -> str | None:
        if verb in _CARDS:
            return self._rng.choice(_CARDS[verb])
        if VERBS[verb].acts_on == "nobody":
            return None
        return self._rng.choice(_ENEMIES) if self._harms(action) else "self"

    def _fits(self, action: Mapping[str, Any], target: str) -> bool:
        return self._harms(action) == (target != "self")

    def _harms(self, action: Mapping[str, Any]) -> bool:
        if action["do"] == "apply":
            return not next(status.good for status in self._statuses if status.name == action["status"])
        return bool(action["do"] == "attack")

    def _amount(self, bounds: tuple[int, int]) -> int | str:
        number = self._rng.randint(*bounds)
        more = round(number * self._rng.choice(self._ranges.upgrades))
        return f"{number} ({more})" if more > number and self._rng.random() < 0.5 else number
