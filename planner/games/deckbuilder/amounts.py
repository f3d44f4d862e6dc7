"""Numbers, conditions and filters of a definition: `3`, `cost + 2`, `hand < 7`, `{type: treasure, up_to: 4}`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote

# What an amount can name besides the stats and the counts of a game. All concern the player whom the step concerns.
QUANTITIES: Final[Mapping[str, str]] = {
    "chosen": "cards that the last step of this effect chose, revealed or gained",
    "cost": "total cost of the chosen cards",
    "hand": "cards in hand",
    "deck": "cards in the deck",
    "discard": "cards in the discard pile",
    "played": "cards played this turn and still on the table",
    "in_play": "persistent cards in play",
    "looked": "cards that the player is looking at",
    "revealed": "revealed cards",
    "aside": "cards set aside",
    "owned": "all cards of the player",
    "empty_piles": "supply piles without a card",
    "players": "players",
    "opponents": "other players",
    "turns": "turns that the player has begun",
    "seat": "position in turn order, from 1",
    "points": "points of the player, without those printed on cards",
    "health": "health of the player",
}
MAX_NUMBER: Final = 10_000
_TOKEN: Final = re.compile(r"\s*(\d+|[A-Za-z_]\w*|[+\-*/])")
_COMPARISON: Final = re.compile(r"\s*(.+?)\s*(<=|>=|==|!=|<|>)\s*(.+?)\s*")


@dataclass(frozen=True)
class Amount:
    """A number that may depend on the table: a constant plus multiples of quantities, divided and rounded down."""

    constant: int = 0
    terms: tuple[tuple[int, str], ...] = ()
    divisor: int = 1


ZERO: Final = Amount()
ONE: Final = Amount(1)


@dataclass(frozen=True)
class Relation:
    """Two amounts and `<`, `<=`, `==`, `!=`, `>=` or `>` between them."""

    left: Amount
    operator: str
    right: Amount


Condition = tuple[Relation, ...]  # all must hold


def known_word(value: Any, known: Collection[str], problem: str, hint: str = "") -> str:
    """Return the value if it is one of the known words; else raise an error that begins with `problem`."""
    if not isinstance(value, str) or value not in known:
        raise PlannerError(f"{problem} {quote(value)}{did_you_mean(value, known)}{hint}")
    return value


def read_amount(value: Any, names: Collection[str]) -> Amount:
    """Read an integer, or a text such as `2 * chosen + 1` or `owned / 10`; `names` are the known quantities."""
    if type(value) is int:
        if abs(value) > MAX_NUMBER:
            raise PlannerError(f"must be between -{MAX_NUMBER} and {MAX_NUMBER}, got {value}")
        return Amount(value)
    if not isinstance(value, str):
        raise PlannerError(f"must be an integer or a text such as 'chosen + 1', got {quote(value)}")
    return _AmountParser(value, names).parse()


class _AmountParser:
    """Reads sums of integers, quantities and their products; a division comes last and applies to the whole."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        self._text, self._names = text, names
        self._tokens: list[str] = []
        position = 0
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            if match is None or len(self._tokens) > 40:
                raise self._error()
            self._tokens.append(match.group(1))
            position = match.end()

    def parse(self) -> Amount:
        constant, terms, sign = 0, [], 1
        if self._next_is("-"):
            sign = -1
        while True:
            factor, name = self._product()
            if name is None:
                constant += sign * factor
            else:
                terms.append((sign * factor, name))
            if self._next_is("+"):
                sign = 1
            elif self._next_is("-"):
                sign = -1
            else:
                break
        divisor = self._integer() if self._next_is("/") else 1
        if self._tokens or divisor < 1:
            raise self._error()
        return Amount(constant, tuple(terms), divisor) if terms else Amount(constant // divisor)

    def _product(self) -> tuple[int, str | None]:
        if not self._tokens:
            raise self._error()
        if self._tokens[0].isdigit():
            factor = self._integer()
            return (factor, self._name()) if self._next_is("*") else (factor, None)
        name = self._name()
        return (self._integer() if self._next_is("*") else 1), name

    def _next_is(self, token: str) -> bool:
        if self._tokens and self._tokens[0] == token:
            del self._tokens[0]
            return True
        return False

    def _integer(self) -> int:
        if not self._tokens or not self._tokens[0].isdigit() or len(self._tokens[0]) > len(str(MAX_NUMBER)):
            raise self._error()
        return int(self._tokens.pop(0))

    def _name(self) -> str:
        if not self._tokens:
            raise self._error()
        return known_word(self._tokens.pop(0), self._names, "unknown quantity")

    def _error(self) -> PlannerError:
        return PlannerError(f"must be a sum such as 'cost + 2', '2 * chosen' or 'owned / 10', got {quote(self._text)}")


def read_condition(value: Any, names: Collection[str]) -> Condition:
    """Read comparisons joined by `and`, such as `hand < 7 and empty_piles == 0`."""
    if not isinstance(value, str):
        raise PlannerError(f"must be a comparison such as 'hand < 7', got {quote(value)}")
    comparisons = []
    for part in value.split(" and "):
        match = _COMPARISON.fullmatch(part)
        if match is None:
            raise PlannerError(f"must be a comparison such as 'hand < 7', got {quote(value)}")
        left, operator, right = match.groups()
        comparisons.append(Relation(read_amount(left, names), operator, read_amount(right, names)))
    return tuple(comparisons)


def compare(left: int, operator: str, right: int) -> bool:
    """Return whether the comparison holds."""
    if operator == "<":
        return left < right
    if operator == "<=":
        return left <= right
    if operator == ">":
        return left > right
    if operator == ">=":
        return left >= right
    return (left == right) == (operator == "==")
