"""Prices for attackers and for places on the board, at which every target may choose for itself.

What the targets, the hero and the hand then take, each the best for itself, bounds every legal choice from above
(Lagrange's relaxation), whatever the prices. The best prices are the duals of a small linear program in which a
target may take a part of an option; they come from some pivots in floating point and are rounded, and the bound is
computed anew in integers, so nothing rests on the floats but speed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from planner.games.hearthstone.turn.packing import Packing

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_PIVOTS: Final = 200
COARSE: Final = 2**24  # worths are rounded up to this many steps: prices need no tie-break
RUIN: Final = 16.0 * COARSE  # what a group loses that takes nothing
DEAREST: Final = 2**30  # of a price; with the health that follows, all sums stay within 64 bits
MOST_HEALTH: Final = 2**20  # of the hero, beyond which harm has no price


class Prices:
    """The bound, and what is left of each option's worth when its attackers are paid."""

    def __init__(self, problem: Packing) -> None:
        rows, sizes = _rows(problem)
        top = max(abs(row[0]) for row in rows)
        self.unit = top // COARSE + 1
        columns = np.array([(-(-row[0] // self.unit), *row[1:]) for row in rows], dtype=np.int64)
        worth, use = columns[:, 0], _uses(columns, problem, sum(map(len, problem.groups)))
        limits = np.array([(problem.board >> place) & 1 for place in range(problem.size)] + [0, 0, 0], dtype=np.int64)
        duals = _duals(worth.astype(float), use.astype(float), limits.astype(float), sizes)
        prices = np.clip(np.rint(duals), 0, DEAREST).astype(np.int64)
        self._each: list[int] = [price * self.unit for price in prices.tolist()]
        self._paid: Integers = use @ prices
        self._left = worth - self._paid
        self._starts = np.cumsum([0, *sizes[:-1]])
        grouped = sum(sizes)
        self.tops: list[int] = np.maximum.reduceat(self._left[:grouped], self._starts).tolist()
        bound = int(limits @ prices) + sum(self.tops)
        bound += int(np.maximum(self._left[grouped:], 0).sum())
        self.bound = bound * self.unit + problem.bonus
        self.idle = self._idle(problem, grouped)
        # What there is to be added to an option for each target and a hand.
        self.rest = (bound - sum(self.tops[: len(problem.groups) + 1])) * self.unit

    def _idle(self, problem: Packing, grouped: int) -> list[int]:
        """What the bound loses at least by each attacker where it fights no minion. One from the hand need not come."""
        idle = [price if problem.board >> place & 1 else 0 for place, price in enumerate(self._each[: problem.size])]
        blows = [] if problem.face is None else problem.face.blows
        for blow, left in zip(blows, self._left[grouped:].tolist(), strict=True):
            place = blow.bit.bit_length() - 1
            idle[place] = min(idle[place], max(0, -left) * self.unit)
        return idle

    def of(self, attackers: int, deaths: int) -> int:
        """What these attackers cost, less what is paid for the places that they leave."""
        *each, place, _, _ = self._each
        paid = [price for number, price in enumerate(each) if attackers >> number & 1]
        return sum(paid) - deaths * place

    def promising(self, group: int, gap: int) -> list[tuple[int, int]]:
        """The options of a group that lose at most `gap` against its best: their places, and what they have to pay."""
        start = self._starts[group]
        left = self._left[start : self._starts[group + 1]]
        places = np.flatnonzero(left >= self.tops[group] - gap // self.unit - 1)
        return [(place, self._paid[start + place].item() * self.unit) for place in places.tolist()]


def _rows(problem: Packing) -> tuple[list[tuple[int, ...]], list[int]]:
    """Of every option, of every hand, of letting the hero live or die, and of every blow on him: worth, attackers,
    places needed, harm to the hero that is allowed and that is needed. And the number of rows in each group."""
    rows: list[tuple[int, ...]] = [
        (worth, attackers, -deaths, 0, 0) for group in problem.groups for attackers, worth, deaths, _ in group
    ]
    rows += [(hand.worth, hand.fighters, hand.places, 0, 0) for hand in problem.hands]
    sizes = [*map(len, problem.groups), len(problem.hands)]
    face = problem.face
    if face is None or not face.blows:
        return rows, sizes
    priced = int(face.health <= MOST_HEALTH)
    ends = [(0, 0, 0, priced * (1 - face.health), 0)]
    if face.mortal:
        # The last blow alone may go beyond what kills him.
        allowed = face.health - 1 + min(face.blows[-1].attack, face.health)
        ends.append((face.gain, 0, 0, -priced * allowed, priced * face.health))
    harms = [(worth, bit, priced * min(attack, face.health)) for attack, bit, worth in face.blows]
    return [*rows, *ends, *((worth, bit, 0, harm, -harm) for worth, bit, harm in harms)], [*sizes, len(ends)]


def _uses(columns: Integers, problem: Packing, hands: int) -> Integers:
    """How much of each thing that has a price a row takes: of the attackers, of places, of harm to the hero."""
    use = np.concatenate(((columns[:, 1:2] >> np.arange(problem.size)) & 1, columns[:, 2:]), axis=1)
    use[hands : hands + len(problem.hands), : problem.size] *= -1  # a hand brings its attackers
    return use


def _duals(worth: Floats, use: Floats, limits: Floats, sizes: list[int]) -> Floats:
    """The prices of the limits, by the simplex method: one option of each group, in parts if need be."""
    groups, things, count, grouped = len(sizes), len(limits), len(worth), sum(sizes)
    height = groups + things
    # A row for each option, and for what may be left of each thing: which group it stands for, and what it uses.
    choices = np.zeros((count + things, height))
    choices[np.arange(grouped), np.repeat(np.arange(groups), sizes)] = 1
    choices[:count, groups:] = use
    choices[count:, groups:] = np.eye(things)
    worths = np.append(worth, np.zeros(things))
    # The inverse of the basis with the amounts beside it, and below what one more of each group or thing would gain. At
    # first every group has a stand-in at a ruinous price, and all things are left.
    table = np.eye(height + 1)
    table[:groups, -1] = 1
    # Slightly different limits, so that no two run out at once and every pivot is a step.
    table[groups:-1, -1] = limits + 1e-4 * np.arange(1, things + 1)
    table[-1, :groups] = RUIN
    amounts, gains = table[:-1, -1], table[-1, :-1]
    for _ in range(MOST_PIVOTS):
        reduced = worths + choices @ gains
        enters = reduced.argmax()
        if reduced[enters] <= 0.5:
            break
        column = table[:, :-1] @ choices[enters]
        column[-1] = reduced[enters]
        lasts = np.full(height, np.inf)
        np.divide(amounts, column[:-1], out=lasts, where=column[:-1] > 1e-9)
        leaves = lasts.argmin()
        row = table[leaves] / column[leaves]
        column[leaves] -= 1
        table -= column[:, None] * row
    return -gains[groups:]
