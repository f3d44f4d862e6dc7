"""Which blows can kill: who cannot, even with all the help there is, needs no such column in the program.

Among the blows that kill a target together, the strongest may be called the last: the others leave it alive all the
more. So a blow counts only on the help of weaker ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from planner.games.hearthstone.turn.fighters import Life, Unit


class Strength(NamedTuple):
    """Which of two blows on one target is the stronger."""

    harm: int  # what it takes from the target, where it is not stopped by the shield
    unit: int
    earlier: int  # blows of the unit


class Reach:
    """The blows on each target, and how much harm they can do together."""

    def __init__(self, units: Sequence[Unit], mana: int) -> None:
        self.costs = [0 if unit.held is None else unit.held.cost for unit in units]
        self.mana = mana
        self.blows: dict[Life | None, list[Strength]] = {}

    def add(self, blow: Strength, life: Life | None) -> None:
        self.blows.setdefault(life, []).append(blow)

    def kills(self, mine: Strength, life: Life | None, health: int, ranked: bool = True) -> bool:
        """Can this blow be the last on its target? Unless `ranked`, also after stronger ones."""
        others = [other for other in self.blows[life] if other[1:] != mine[1:]]
        if life is not None and life.shielded and len(others) < (1 if mine.harm >= health else 2):
            return False  # somebody else must break the shield
        if mine.harm >= health:
            return True
        helpers: dict[tuple[int, ...], int] = {}
        for other in others:
            if not ranked or other < mine:
                helpers[other[1:]] = max(other.harm, helpers.get(other[1:], 0))
        return mine.harm + self.most(helpers, mine.unit) >= health

    def most(self, gains: Mapping[tuple[int, ...], int], paid: int | None = None) -> int:
        """The most that these blows can gain with the mana there is, where the unit `paid` is paid from it first.

        A blow is a unit and the number of its earlier blows.
        """
        free, cards = 0, dict[int, int]()
        for (unit, _), gain in gains.items():
            if unit == paid or not self.costs[unit]:
                free += gain
            else:
                cards[unit] = cards.get(unit, 0) + gain
        left = self.mana - (0 if paid is None else self.costs[paid])
        if sum(self.costs[unit] for unit in cards) <= left:
            return free + sum(cards.values())
        most = [0] * (max(left, 0) + 1)
        for unit, gain in cards.items():
            cost = self.costs[unit]
            for mana in range(left, cost - 1, -1):
                most[mana] = max(most[mana], most[mana - cost] + gain)
        return free + most[-1]
