"""One option for each target, and no attacker twice: the best turn as a packing of sets of attackers.

A target's options are the sets of attackers that may fall on it. A table over the attackers used so far grows target
by target; the hero takes the best of those who are left, and the cards are chosen with them. Prices for attackers
(prices.py) bound what is still to come, so that on a crowded board only what can still win is looked at. All numbers
are Python's integers: there is no limit to their size, and equal means equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from planner.turn.face import Face
from planner.turn.prices import Prices

LITTLE: Final = 20_000  # steps, up to which prices would cost more than they spare
MOST_STATES: Final = 200_000


class Option(NamedTuple):
    """Attackers (as bits) against a target: what they earn, how many of them die, and who meets its first life."""

    attackers: int
    worth: int
    deaths: int
    first: int


class Hand(NamedTuple):
    """Cards to be played (as bits): their worth, who can then attack, and the own deaths that make places for them."""

    worth: int
    fighters: int
    places: int
    cards: int


class Packing(NamedTuple):
    """A kind of turn: the options for each target, of which one is chosen, and how it ends."""

    groups: list[list[Option]]
    hands: list[Hand]
    face: Face | None  # None: out of reach
    bonus: int
    board: int  # the attackers that need no card, as bits
    size: int  # the number of attackers


class Packed(NamedTuple):
    """What was chosen."""

    worth: int
    options: list[Option]
    hand: Hand
    face: int


class TooManyError(Exception):
    """More to look at than this method is made for."""


def best_packing(problem: Packing, floor: int, pause: Callable[[], None]) -> Packed | None:
    """The best choice, if it is worth more than `floor`. `pause` is called now and then."""
    if _work(problem) <= LITTLE:
        return _Search(problem, None, 0, pause).best(floor)
    prices = Prices(problem)
    gap = abs(prices.bound) // 256 + 1
    best: Packed | None = None
    while floor < prices.bound:
        found = _Search(problem, prices, gap, pause).best(floor)
        if found is not None:
            best, floor = found, found.worth
        if prices.bound - gap <= floor:
            break  # all that is worth more was looked at
        gap = min(2 * gap, prices.bound - floor)
    return best


def all_packings(problem: Packing, at_least: int, pause: Callable[[], None]) -> list[Packed]:
    """Every choice of fights that is worth so much, each with its best ending."""
    prices = Prices(problem) if _work(problem) > LITTLE else None
    gap = 0 if prices is None else prices.bound - at_least
    return _Search(problem, prices, gap, pause).all(at_least) if gap >= 0 else []


def _work(problem: Packing) -> int:
    """About how many pairs of a state and an option there are to look at."""
    work, states = 0, 1
    for group in problem.groups:
        work += states * len(group)
        states = min(states * len(group), 1 << problem.size)
    return work


_Row = tuple[int, int, int, Option]  # worth less the price; attackers; the step in the key; the option
_Table = dict[int, int]  # key: attackers used, as bits, and above them the number of own deaths


class _Search:
    """The tables of all choices; where there are prices, of those that lose at most `gap` against the bound."""

    def __init__(self, problem: Packing, prices: Prices | None, gap: int, pause: Callable[[], None]) -> None:
        self.problem, self.prices, self.pause = problem, prices, pause
        self.at_least = 0  # endings worth less are of no interest
        size = problem.size
        self.rows: list[list[_Row]] = []
        self.tables: list[_Table] = [{0: problem.bonus}]
        limit: float = -math.inf if prices is None else problem.bonus - gap
        for number, group in enumerate(problem.groups):
            if prices is None:
                rows = [(o[1], o[0], o[0] + (o[2] << size), o) for o in group]
            else:
                rows = []
                for place, price in prices.promising(number, gap):
                    o = group[place]
                    rows.append((o[1] - price, o[0], o[0] + (o[2] << size), o))
                rows.sort(key=lambda row: -row[0])
                limit += prices.tops[number] * prices.unit
            self.rows.append(rows)
            self.tables.append(self._join(self.tables[-1], rows, limit))

    def _join(self, table: _Table, rows: list[_Row], limit: float) -> _Table:
        """One more target."""
        self.pause()
        after: _Table = {}
        for key, value in table.items():
            for worth, attackers, step, _ in rows:
                total = value + worth
                if total < limit:
                    break
                if not key & attackers:
                    place = key + step
                    known = after.get(place)
                    if known is None or total > known:
                        after[place] = total
        if len(after) > MOST_STATES:
            raise TooManyError
        return after

    def _endings(self) -> Iterator[tuple[int, int, Hand, int]]:
        """For each state of the last table its best ending: worth of all, key, hand, who attacks the hero."""
        problem = self.problem
        everyone = (1 << problem.size) - 1
        face, board = problem.face, problem.board
        from_hand = everyone & ~board
        promises = self._promises()
        for key, value in self.tables[-1].items():
            used, deaths, worth = key & everyone, key >> problem.size, value
            if self.prices is not None:
                worth += self.prices.of(used, deaths)
            most = worth if face is None else worth + face.most(board & ~used) + max(0, face.gain)
            best: tuple[int, Hand, int] | None = None
            for promise, hand in promises:
                if most + promise < self.at_least or (best is not None and most + promise <= best[0]):
                    break
                if hand.places > deaths or used & from_hand & ~hand.fighters:
                    continue
                blows = (0, 0) if face is None else face.best((board | hand.fighters) & ~used)
                total = worth + hand.worth + blows[0]
                if best is None or total > best[0]:
                    best = total, hand, blows[1]
            if best is not None and best[0] >= self.at_least:
                yield best[0], key, best[1], best[2]

    def _promises(self) -> list[tuple[int, Hand]]:
        """The hands with the most that each can bring, best first."""
        face = self.problem.face
        found = [(hand.worth + (face.most(hand.fighters) if face else 0), hand) for hand in self.problem.hands]
        return sorted(found, reverse=True)

    def best(self, floor: int) -> Packed | None:
        """The best of all, if it is worth more than `floor`."""
        found: tuple[int, int, Hand, int] | None = None
        self.at_least = floor
        for ending in self._endings():
            if ending[0] > self.at_least:
                found, self.at_least = ending, ending[0]
        if found is None:
            return None
        worth, key, hand, face = found
        options = next(self._walk_back(len(self.rows), key, 0))[1]
        return Packed(worth, options, hand, face)

    def all(self, at_least: int) -> list[Packed]:
        """All that are worth so much."""
        self.at_least = at_least
        return [
            Packed(worth - lost, options, hand, face)
            for worth, key, hand, face in self._endings()
            for lost, options in self._walk_back(len(self.rows), key, worth - at_least)
        ]

    def _walk_back(self, stage: int, key: int, slack: int) -> Iterator[tuple[int, list[Option]]]:
        """The ways into this state of a table that lose at most `slack` against the best: the loss, and the options."""
        if stage == 0:
            yield 0, []
            return
        before, value = self.tables[stage - 1], self.tables[stage][key]
        for worth, attackers, step, option in self.rows[stage - 1]:
            if attackers & ~key:
                continue
            earlier = before.get(key - step)
            if earlier is not None and value - earlier - worth <= slack:
                lost = value - earlier - worth
                for further, options in self._walk_back(stage - 1, key - step, slack - lost):
                    yield lost + further, [*options, option]
