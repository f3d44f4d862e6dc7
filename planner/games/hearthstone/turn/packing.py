"""One option for each target, and no attacker twice: the best turn as a packing of sets of attackers.

A target's options are the sets of attackers that may fall on it. A table over the attackers used so far grows target
by target; the hero takes the best of those who are left, and the cards are chosen with them. Prices for attackers
(prices.py) bound what is still to come, so that on a crowded board only what can still win is looked at. All numbers
are Python's integers: there is no limit to their size, and equal means equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, NamedTuple

from planner.games.hearthstone.turn.face import Face
from planner.games.hearthstone.turn.hands import Hand
from planner.games.hearthstone.turn.prices import Prices

LITTLE: Final = 10_000  # pairs of a state and an option
FIRST_GAP: Final = 2**11  # the part of the bound that is given up at first
WIDER: Final = 3  # times, until it is enough
MOST_STATES: Final = 200_000


class Option(NamedTuple):
    """Attackers (as bits) against a target: what they earn, how many of them die, and who meets its first life."""

    attackers: int
    worth: int
    deaths: int
    first: int


@dataclass
class Packing:
    """A kind of turn: the options for each target, of which one is chosen, and how it ends."""

    groups: list[list[Option]]
    hands: list[Hand]
    face: Face | None  # None: out of reach
    bonus: int
    board: int  # the attackers that need no card, as bits
    size: int  # the number of attackers

    def __post_init__(self) -> None:
        self._prices: Prices | None = None
        self.from_hand = (1 << self.size) - 1 & ~self.board
        # The attackers from the hand that can be paid together, where not all can.
        self.payable: set[int] | None = None
        if all(self.from_hand & ~hand.fighters for hand in self.hands):
            self.payable = {part for hand in self.hands for part in parts_of(hand.fighters)}
            self.groups = [[option for option in group if self.can_pay(option[0])] for group in self.groups]

    def can_pay(self, attackers: int) -> bool:
        """Is there a hand that brings all of these that are not on the board?"""
        return self.payable is None or attackers & self.from_hand in self.payable

    def most(self) -> int:
        """No choice is worth more: everybody attacks everywhere."""
        most = self.bonus + sum(max(option[1] for option in group) for group in self.groups)
        most += max(hand[0] for hand in self.hands)
        return most if self.face is None else most + self.face.most(-1) + max(0, self.face.gain)

    def prices(self) -> Prices | None:
        """None where there is so little to look at that they would cost more than they spare."""
        if self._prices is None:
            work, states = 0, 1
            for group in self.groups:
                work += states * len(group)
                states = min(states * len(group), 1 << self.size)
            if work > LITTLE:
                self._prices = Prices(self)
        return self._prices


class Packed(NamedTuple):
    """What was chosen."""

    worth: int
    options: list[Option]
    hand: Hand
    face: int


def parts_of(whole: int) -> Iterator[int]:
    """All subsets of a set of bits."""
    part = whole
    while part:
        yield part
        part = (part - 1) & whole
    yield 0


class TooManyError(Exception):
    """More to look at than this method is made for."""


def best_packing(problem: Packing, floor: int, pause: Callable[[], None]) -> Packed | None:
    """The best choice, if it is worth more than `floor`. `pause` is called now and then."""
    if not all(problem.groups) or problem.most() <= floor:
        return None
    prices = problem.prices()
    if prices is None:
        return _Search(problem, floor, pause).best(floor)
    gap = min(abs(prices.bound) // FIRST_GAP + 1, prices.bound - floor)
    best: Packed | None = None
    while floor < prices.bound:
        found = _Search(problem, prices.bound - gap, pause).best(max(floor, prices.bound - WIDER * gap))
        if found is not None:
            best, floor = found, found.worth
        if prices.bound - gap <= floor:
            break  # all that is worth more was looked at
        gap = min(WIDER * gap, prices.bound - floor)
    return best


def all_packings(problem: Packing, at_least: int, pause: Callable[[], None]) -> list[Packed]:
    """Every choice of fights that is worth so much, each with its best ending."""
    if not all(problem.groups) or problem.most() < at_least:
        return []
    return _Search(problem, at_least, pause).all(at_least)


_Row = tuple[int, int, int, Option]  # worth less the price; attackers; the step in the key; the option
_Table = dict[int, int]  # key: attackers used, as bits, and above them the number of own deaths


class _Search:
    """The tables of all choices that can be worth `at_least` so much, as far as the bound can tell."""

    def __init__(self, problem: Packing, at_least: int, pause: Callable[[], None]) -> None:
        prices = problem.prices()
        self.problem, self.prices, self.pause = problem, prices, pause
        self.at_least = at_least  # endings worth less are of no interest
        gap = (problem.most() if prices is None else prices.bound) - at_least
        rows = [self._rows(number, gap) for number in range(len(problem.groups))]
        # The largest first: the tables are still small then.
        self.order = sorted(range(len(rows)), key=lambda number: len(rows[number]), reverse=True)
        self.rows = [rows[number] for number in self.order]
        self.tables: list[_Table] = [{0: problem.bonus}]
        limit = problem.bonus - gap
        for stage, number in enumerate(self.order):
            if prices is not None:
                limit += prices.tops[number] * prices.unit
            else:
                limit += rows[number][0][0]
            table = self._join(self.tables[-1], rows[number], limit)
            if problem.payable is not None:
                table = {key: value for key, value in table.items() if problem.can_pay(key)}
            if prices is not None:
                table = self._without_idlers(table, stage, limit)
            self.tables.append(table)

    def _without_idlers(self, table: _Table, stage: int, limit: int) -> _Table:
        """Without the states that leave out attackers whom nobody can use later, and so lose too much."""
        assert self.prices is not None
        later = 0
        for rows in self.rows[stage + 1 :]:
            for row in rows:
                later |= row[1]
        idle = [(1 << place, loss) for place, loss in enumerate(self.prices.idle) if loss and not later >> place & 1]
        return {
            key: value
            for key, value in table.items()
            if value - sum([loss for bit, loss in idle if not key & bit]) >= limit
        }

    def _rows(self, number: int, gap: int) -> list[_Row]:
        """The options of a group that may be chosen."""
        group, size = self.problem.groups[number], self.problem.size
        if self.prices is None:
            rows = [(o[1], o[0], o[0] + (o[2] << size), o) for o in group]
        else:
            promising = [(group[place], price) for place, price in self.prices.promising(number, gap)]
            rows = [(o[1] - price, o[0], o[0] + (o[2] << size), o) for o, price in promising]
        rows.sort(key=itemgetter(0), reverse=True)
        return rows

    def _join(self, table: _Table, rows: list[_Row], limit: int) -> _Table:
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
        problem, prices = self.problem, self.prices
        everyone = (1 << problem.size) - 1
        face, board, from_hand = problem.face, problem.board, problem.from_hand
        hands = self._hands()
        fitting: dict[tuple[int, int], list[tuple[int, Hand]]] = {}  # for attackers from the hand and deaths
        for key, value in sorted(self.tables[-1].items(), key=lambda state: -state[1]):
            used, deaths = key & everyone, key >> problem.size
            if prices is not None:
                rest = prices.rest
                if value + hands[0][0] + rest < self.at_least:
                    break
                worth = value + prices.of(used, deaths)
            else:
                rest, worth = 0 if face is None else face.most(board & ~used) + max(0, face.gain), value
            needed = used & from_hand
            fit = fitting.get((needed, deaths))
            if fit is None:
                fit = [entry for entry in hands if entry[1].places <= deaths and not needed & ~entry[1].fighters]
                fitting[needed, deaths] = fit
            best: tuple[int, Hand, int] | None = None
            for left, hand in fit:
                most = value + left + rest
                if most < self.at_least or (best is not None and most <= best[0]):
                    break
                blows = (0, 0) if face is None else face.best((board | hand.fighters) & ~used)
                total = worth + hand.worth + blows[0]
                if best is None or total > best[0]:
                    best = total, hand, blows[1]
            if best is not None and best[0] >= self.at_least:
                yield best[0], key, best[1], best[2]

    def _hands(self) -> list[tuple[int, Hand]]:
        """The hands, each with the most that it can add to a state, best first."""
        hands, face, prices = self.problem.hands, self.problem.face, self.prices
        if prices is not None:
            found = [(hand.worth + prices.of(hand.fighters, hand.places), hand) for hand in hands]
        else:
            found = [(hand.worth + (face.most(hand.fighters) if face else 0), hand) for hand in hands]
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
        return Packed(worth, self._in_order(options), hand, face)

    def all(self, at_least: int) -> list[Packed]:
        """All that are worth so much."""
        self.at_least = at_least
        return [
            Packed(worth - lost, self._in_order(options), hand, face)
            for worth, key, hand, face in self._endings()
            for lost, options in self._walk_back(len(self.rows), key, worth - at_least)
        ]

    def _in_order(self, options: list[Option]) -> list[Option]:
        """As the groups are, not as they were joined."""
        return [option for _, option in sorted(zip(self.order, options, strict=True))]

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
