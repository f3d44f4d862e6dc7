"""An independent planner for tests: it tries every sequence of actions and counts the terms itself.

It shares only the rules with the planner.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random

from planner.games.spire import battle_rules
from planner.games.spire.battle_state import END, Action, Battle, MutableBattle

SIDES = 12  # of a die that is fair for up to four options
COSTS = ("health_lost", "energy_unused", "death", "own_debuffs", "enemy_buffs", "enemy_block", "cards_exhausted")


class FixedDice(Random):
    """Returns these numbers; raises LookupError after the last one."""

    def __init__(self, numbers: tuple[float, ...]) -> None:
        super().__init__(0)
        self.numbers = iter(numbers)

    def random(self) -> float:
        for number in self.numbers:
            return number
        raise LookupError


def best(start: Battle, weights: Mapping[str, Fraction]) -> Fraction:
    """Return the score of the best sequence; a random event may have up to four outcomes."""

    def score(last: Battle, after: Battle, enemies_acted: Battle) -> Fraction:
        good = {held.status.name: held.amount for held in enemies_acted.statuses if held.status.good}
        bombs = sum(held.amount for held in enemies_acted.statuses if held.status.name == "bomb")
        good["bomb"] = bombs
        bad = sum(held.amount for held in enemies_acted.statuses if not held.status.good)
        amounts = {
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
            total += weight * int(amounts[term]) * (-1 if term in COSTS else 1)
        return total

    def explore(now: Battle) -> Fraction | None:
        legal = battle_rules.legal_actions(now)
        if not legal:
            return score(now, now, now)
        values = []
        for action in legal:
            if action == END:
                after = battle_rules.apply(now, END, Random(0))
                # Changes of the next turn do not count: block is lost, a hand is drawn, new moves are chosen.
                acted = after if battle_rules.outcome(after) is not None else _after_enemy_moves(now)
                values.append(score(now, after, acted))
            elif (value := average(now, action, ())) is not None:
                values.append(value)
        return max(values, default=None)

    def average(now: Battle, action: Action, dice: tuple[float, ...]) -> Fraction | None:
        """Return the mean score after the action over all rolls of the dice."""
        try:
            after = battle_rules.apply(now, action, FixedDice(dice))
        except LookupError:
            cases = [average(now, action, (*dice, (side + 0.5) / SIDES)) for side in range(SIDES)]
            return None if None in cases else sum((case for case in cases if case is not None), Fraction(0)) / SIDES
        return explore(after)

    result = explore(start)
    assert result is not None
    return result


def _after_enemy_moves(now: Battle) -> Battle:
    """Return the state after the moves of the enemies, before the next turn begins."""
    battle = MutableBattle(now, lambda count: 0)
    battle_rules.finish_turn(battle)
    return battle.state()


def _levels(state: Battle) -> int:
    return sum(card.level for pile in (state.hand, state.draw, state.discard, state.exhaust) for card in pile)
