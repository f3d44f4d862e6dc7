"""How much harm each target can suffer this turn at most: who cannot kill even with all help needs no such column."""

from __future__ import annotations

from collections.abc import Sequence

from planner.turn.fighters import Blow, Life, Unit


class Reach:
    """The most harm by target, unit and number of the blow."""

    def __init__(self, units: Sequence[Unit], mana: int) -> None:
        self.costs = [0 if unit.held is None else unit.held.cost for unit in units]
        self.mana = mana
        self.harm: dict[Life | None, dict[int, dict[int, int]]] = {}  # target -> unit -> number of the blow -> harm

    def add(self, number: int, blow: Blow, harm: int) -> None:
        by_blow = self.harm.setdefault(blow.life, {}).setdefault(number, {})
        count = blow.source.blows
        by_blow[count] = max(by_blow.get(count, 0), harm)

    def kills(self, number: int, blow: Blow, harm: int, health: int) -> bool:
        """Can this blow be the last on its target?"""
        by_unit = self.harm[blow.life]
        if blow.life is not None and blow.life.shielded:
            if len(by_unit) == len(by_unit[number]) == 1:
                return False  # nobody else breaks the shield
        elif harm >= health:
            return True
        own = sum(most for count, most in by_unit[number].items() if count != blow.source.blows)
        return harm + own + self._help(by_unit, number) >= health

    def _help(self, by_unit: dict[int, dict[int, int]], number: int) -> int:
        """The most harm that others can do, with the mana that is left."""
        free, paid = 0, []
        for other, by_blow in by_unit.items():
            if other != number:
                if self.costs[other]:
                    paid.append((self.costs[other], sum(by_blow.values())))
                else:
                    free += sum(by_blow.values())
        left = self.mana - self.costs[number]
        if sum(cost for cost, _ in paid) <= left:
            return free + sum(harm for _, harm in paid)
        most = [0] * (max(left, 0) + 1)
        for cost, harm in paid:
            for mana in range(left, cost - 1, -1):
                most[mana] = max(most[mana], most[mana - cost] + harm)
        return free + most[-1]
