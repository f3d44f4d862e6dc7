"""Random new cards from a grammar, with numbers within the ranges of the existing cards of the same cost.

    card    = cost type does
    does    = part {part}                      each with its own target
    part    = action TO target | (action AND action) TO target | action without a target
    action  = attack | block | heal | apply | draw | energy | discard | exhaust | upgrade | copy

The grammar knows nothing about the strength of a card; `planner playtest` measures it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from planner.games.spire.action_language import Step
from planner.games.spire.battle_definitions import Status
from planner.games.spire.built_in_words import BUILT_IN
from planner.games.spire.card_library import Library

_VERBS: Final = dict(BUILT_IN.verbs)  # an extension may have others, about which the grammar knows nothing
# For actions that no existing card has, and for energy: a card that gains more than it costs and draws another one can
# be played for ever, so only those of cost 0 and 1 gain more.
_DEFAULT_RANGES: Final[Mapping[str, Mapping[int, tuple[int, int]]]] = {
    "heal": {0: (1, 2), 1: (2, 4), 2: (4, 8)},
    "draw": {0: (1, 1), 1: (2, 2), 2: (3, 4)},
    "energy": {0: (1, 1), 1: (1, 2), 2: (1, 2), 3: (1, 3)},
}
_ENEMY_TARGETS: Final = ("chosen enemy", "chosen enemy", "chosen enemy", "random enemy", "all enemies")
_CARD_TARGETS: Final[Mapping[str, tuple[str, ...]]] = {
    "discard": ("chosen card in hand", "random card in hand", "2 chosen cards in hand"),
    "exhaust": ("this card", "chosen card in hand", "random card in hand"),
    "upgrade": ("chosen card in hand", "random card in hand", "all cards in hand"),
    "copy": ("this card", "chosen card in hand", "random card in discard"),
}
_COPY_PILES: Final = ("discard", "draw", "hand")
_SYLLABLES: Final = (
    "ar", "bel", "cor", "dan", "el", "fen", "gor", "hal", "il", "kar", "lum", "mor", "nim", "or", "pel", "qua",
)  # fmt: skip
_MAX_PARTS: Final = 3


Range: TypeAlias = tuple[int, int]


class CardRanges(NamedTuple):
    """The ranges of the numbers on the existing cards, by cost."""

    amounts: Mapping[str, Mapping[int, Range]]  # by action, then by cost
    statuses: Mapping[str, Mapping[int, Range]]  # amounts by status, then by cost
    turns: Mapping[str, int]  # by status
    costs: tuple[int, ...]
    hits: tuple[int, ...]
    upgrades: tuple[float, ...]  # upgraded number divided by base number


def range_at(ranges: Mapping[int, Range], cost: int) -> Range:
    """Return the range at this cost: at least that of every cheaper card.

    Without a card of this cost it is that of the nearest cost, in proportion to cost + 1: a card also costs its place
    in the hand, so a card of cost 0 is not free.
    """
    nearest = min(ranges, key=lambda other: (abs(other - cost), other))
    low, high = (round(number * (cost + 1) / (nearest + 1)) for number in ranges[nearest])
    cheaper = [ranges[other] for other in ranges if other <= cost]
    return max(1, low, *(low for low, _ in cheaper)), max(1, high, *(high for _, high in cheaper))


def card_ranges(library: Library) -> CardRanges:
    """Return the ranges of the numbers on the cards of a library.

    A card that exhausts itself has larger numbers than one that can be played again, and an attack of 0 relies on
    other cards: these do not count.
    """
    amounts: dict[str, dict[int, Range]] = {verb: dict(ranges) for verb, ranges in _DEFAULT_RANGES.items()}
    statuses: dict[str, dict[int, Range]] = {}
    turns: dict[str, int] = {}
    costs, hits, upgrades = [], [], []
    for card in map(library.card, library.card_names):
        costs.append(card.cost)
        operations = [operation for step in card.program for operation in step.operations]
        exhausts = any(_exhausts_itself(step) for step in card.program)
        better = card if card.next is None else card.next
        upgraded_operations = [operation for step in better.program for operation in step.operations]
        for (verb, arguments, _), upgraded in zip(operations, upgraded_operations, strict=True):
            if "amount" not in verb.required:
                continue
            if verb.name == "attack":
                hits.append(arguments["hits"])
            total = arguments["amount"]
            if exhausts or not total or verb.name in _DEFAULT_RANGES:
                continue
            status = str(arguments.get("status", ""))
            table = statuses.setdefault(status, {}) if status else amounts.setdefault(verb.name, {})
            low, high = table.get(card.cost, (total, total))
            table[card.cost] = min(low, total), max(high, total)
            if arguments.get("turns"):
                turns[status] = arguments["turns"]
            if upgraded.arguments["amount"] != total:
                upgrades.append(upgraded.arguments["amount"] / total)
    return CardRanges(amounts, statuses, turns, tuple(costs), tuple(hits), tuple(upgrades))


def _exhausts_itself(step: Step) -> bool:
    return step.target.how == "this" and any(operation.verb.name == "exhaust" for operation in step.operations)


def _is_affordable(ranges: Mapping[int, Range], cost: int) -> bool:
    """Return whether the smallest card with this number costs no more, in proportion to cost + 1."""
    nearest = min(ranges, key=lambda other: (abs(other - cost), other))
    return ranges[nearest][1] * (cost + 1) >= nearest + 1


def generate_cards(count: int, seed: int, library: Library) -> dict[str, Any]:
    """Return this many new cards in the form of a definition file."""
    grammar = _Grammar(library, Random(seed))
    cards: dict[str, Any] = {}
    while len(cards) < count:
        name = grammar.name()
        if name not in cards and name not in library.card_names:
            cards[name] = grammar.card()
    return {"cards": cards}


class _Grammar:
    def __init__(self, library: Library, rng: Random) -> None:
        self._rng, self._ranges = rng, card_ranges(library)
        self._cost = 0  # of the card that is being made
        self._statuses: Sequence[Status] = [library.statuses[name] for name in self._ranges.statuses]

    def name(self) -> str:
        """Return a name of two or three syllables."""
        return "".join(self._rng.choice(_SYLLABLES) for _ in range(self._rng.choice((2, 2, 3)))).capitalize()

    def card(self) -> dict[str, Any]:
        """Return a card: an attack if it attacks, a power if it only applies statuses to the player."""
        self._cost = self._rng.choice(self._ranges.costs)
        does: list[dict[str, Any]] = []
        verbs: list[str] = []
        for _ in range(self._rng.choice((1, 1, 2, 2, _MAX_PARTS))):
            does.append(self._part(() if "energy" not in verbs else ("energy",)))  # two gains would pay for the card
            verbs += [atom["do"] for atom in does[-1].get("and", [does[-1]])]
        card_type = "attack" if "attack" in verbs else "skill"
        if set(verbs) == {"apply"} and all(part["to"] == "self" for part in does):
            card_type = "power"
        return {"cost": self._cost, "type": card_type, "does": does}

    def _part(self, without: Sequence[str]) -> dict[str, Any]:
        verb = self._rng.choice(tuple(verb for verb in _VERBS if verb not in ("damage", *without)))
        action = self._action(verb)
        target = self._target(verb, action)
        if target is None:
            return action
        if _VERBS[verb].acts_on == "fighters" and self._rng.random() < 0.3:
            choices = ("block", "apply", "heal") if target == "self" else ("attack", "apply")
            other = self._action(self._rng.choice(choices))
            if other.get("do") != action.get("do") and self._is_harmful(other) == (target != "self"):
                return {"and": [action, other], "to": target}
        return {**action, "to": target}

    def _action(self, verb: str) -> dict[str, Any]:
        action: dict[str, Any] = {"do": verb}
        if verb == "apply":
            amounts = self._ranges.statuses
            status = self._rng.choice(
                [each for each in self._statuses if _is_affordable(amounts[each.name], self._cost)]
            )
            action |= {"status": status.name, "amount": self._amount(self._ranges.statuses[status.name])}
            if status.name in self._ranges.turns:
                action["turns"] = self._ranges.turns[status.name]
        elif "amount" in _VERBS[verb].required:
            action["amount"] = self._amount(self._ranges.amounts[verb], verb != "energy")
        if verb == "attack" and (maximum := self._rng.choice(self._ranges.hits)) > 1:
            highest = range_at(self._ranges.amounts[verb], self._cost)[1]  # of a single hit, and so of all together
            action["hits"] = self._rng.randint(2, min(maximum, max(2, highest)))
            action["amount"] = self._rng.randint(1, max(1, highest // action["hits"]))
        if verb == "copy":
            action["into"] = self._rng.choice(_COPY_PILES)
        return action

    def _target(self, verb: str, action: Mapping[str, Any]) -> str | None:
        if verb in _CARD_TARGETS:
            return self._rng.choice(_CARD_TARGETS[verb])
        if _VERBS[verb].acts_on == "nothing":
            return None
        return self._rng.choice(_ENEMY_TARGETS) if self._is_harmful(action) else "self"

    def _is_harmful(self, action: Mapping[str, Any]) -> bool:
        if action["do"] == "apply":
            return not next(status.good for status in self._statuses if status.name == action["status"])
        return bool(action["do"] == "attack")

    def _amount(self, ranges: Mapping[int, Range], upgrades: bool = True) -> int | str:
        number = self._rng.randint(*range_at(ranges, self._cost))
        upgraded = round(number * self._rng.choice(self._ranges.upgrades))
        is_better = upgrades and upgraded > number and self._rng.random() < 0.5
        return f"{number} ({upgraded})" if is_better else number
