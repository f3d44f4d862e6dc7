"""The best turn of a battle by trying every sequence, written a second time: no search, no merging, its own counting.

It shares nothing with the planner but the rules: what an action leads to.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random

from planner.games.spire import battle_rules
from planner.games.spire.battle_state import END, Action, Battle, MutableBattle

SIDES = 12  # of a die that is fair for one of one, two, three or four
COSTS = ("health_lost", "energy_unused", "death", "own_debuffs", "enemy_buffs", "enemy_block", "cards_exhausted")


class Dice(Random):
    """Shows these numbers, and no more."""

    def __init__(self, numbers: tuple[float, ...]) -> None:
        super().__init__(0)
        self.numbers = iter(numbers)

    def random(self) -> float:
        for number in self.numbers:
            return number
        raise LookupError


def best(start: Battle, weights: Mapping[str, Fraction]) -> Fraction:
    """What the best sequence earns; where chance decides, of up to four possibilities, the best is done after it."""

    def worth(last: Battle, after: Battle, enemies_acted: Battle) -> Fraction:
        good = {held.status.name: held.amount for held in enemies_acted.statuses if held.status.good}
        bombs = sum(held.amount for held in enemies_acted.statuses if held.status.name == "bomb")
        good["bomb"] = bombs
        bad = sum(held.amount for held in enemies_acted.statuses if not held.status.good)
        found = {
            "damage_dealt": sum(e.health for e in start.enemies) - sum(e.health for e in after.enemies),
            "enemies_killed": sum(e.health == 0 for e in after.enemies) - sum(e.health == 0 for e in start.enemies),
            "health_lost": start.health - after.health,
            "block_kept": enemies_acted.block,
            "debuffs": sum(h.amount for e in enemies_acted.enemies for h in e.statuses if not h.status.good),
            "buffs": sum(good.values()),
            "energy_unused": last.energy,
            "victory": after.health > 0 and all(e.health == 0 for e in after.enemies),
            "death": after.health == 0,
            "own_debuffs": bad,
            "enemy_buffs": sum(h.amount for e in enemies_acted.enemies for h in e.statuses if h.status.good),
            "enemy_block": sum(e.block for e in enemies_acted.enemies),
            "cards_played": after.played - start.played,
            "cards_exhausted": len(after.exhaust) - len(start.exhaust),
            "upgrades": _levels(last) - _levels(start),
        }
        total = Fraction(0)
        for term, weight in weights.items():
            total += weight * int(found[term]) * (-1 if term in COSTS else 1)
        return total

    def explore(now: Battle) -> Fraction | None:
        legal = battle_rules.legal_actions(now)
        if not legal:
            return worth(now, now, now)
        values = []
        for action in legal:
            if action == END:
                after = battle_rules.apply(now, END, Random(0))
                # What the next turn changes is not this turn's: block is lost, a hand is drawn, new moves are chosen.
                acted = after if battle_rules.outcome(after) is not None else _before_the_next_turn(now)
                values.append(worth(now, after, acted))
            elif (value := average(now, action, ())) is not None:
                values.append(value)
        return max(values, default=None)

    def average(now: Battle, action: Action, dice: tuple[float, ...]) -> Fraction | None:
        """What the action leads to is worth, over all that the dice can show."""
        try:
            after = battle_rules.apply(now, action, Dice(dice))
        except LookupError:
            cases = [average(now, action, (*dice, (side + 0.5) / SIDES)) for side in range(SIDES)]
            return None if None in cases else sum((case for case in cases if case is not None), Fraction(0)) / SIDES
        return explore(after)

    found = explore(start)
    assert found is not None
    return found


def _before_the_next_turn(now: Battle) -> Battle:
    """The state when the last enemy has acted: with cards and energy for the next turn it is not what matters."""
    table = MutableBattle(now, lambda count: 0)
    battle_rules.finish_turn(table)
    return table.state()


def _levels(state: Battle) -> int:
    return sum(card.level for pile in (state.hand, state.draw, state.discard, state.exhaust) for card in pile)
