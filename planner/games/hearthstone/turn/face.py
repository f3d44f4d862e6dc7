"""The blows on the enemy hero: the best of those that a set of attackers can strike."""

from __future__ import annotations

from typing import NamedTuple


class FaceBlow(NamedTuple):
    """One attacker against the hero: its attack, its bit among the attackers, and what the blow earns."""

    attack: int
    bit: int
    worth: int


Blows = tuple[int, int]  # what they earn, and who strikes


class Face:
    """The enemy hero, with who may attack him. All blows but the last must leave him alive."""

    def __init__(self, blows: list[FaceBlow], health: int, lethal: int) -> None:
        self.blows = sorted(blows)  # the strongest last: then the others leave him alive if they can
        self.health = health
        self.mortal = sum(blow.attack for blow in blows) >= health
        self.gain = lethal if self.mortal else 0
        self._known: dict[int, Blows] = {}

    def best(self, free: int) -> Blows:
        """The best blows of those who are free."""
        known = self._known.get(free)
        if known is None:
            known = self._known[free] = self._by_harm(free) if self.mortal else self._gladly(free)
        return known

    def most(self, free: int) -> int:
        """No less than what those who are free earn together without killing him."""
        return self._gladly(free)[0]

    def _gladly(self, free: int) -> Blows:
        """All blows that are worth something."""
        worth = bits = 0
        for blow in self.blows:
            if blow[1] & free and blow[2] > 0:
                worth += blow[2]
                bits |= blow[1]
        return worth, bits

    def _by_harm(self, free: int) -> Blows:
        """A knapsack over the harm done, the strongest blows last."""
        best: Blows = (0, 0)
        alive: dict[int, Blows] = {0: best}
        for attack, bit, worth in self.blows:
            if not bit & free:
                continue
            for harm, (earlier, bits) in list(alive.items()):
                found = earlier + worth, bits | bit
                if harm + attack >= self.health:
                    best = max(best, (found[0] + self.gain, found[1]))
                elif harm + attack not in alive or found > alive[harm + attack]:
                    alive[harm + attack] = found
        return max(best, *alive.values())
