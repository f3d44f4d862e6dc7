"""What a turn earns: the eight terms of the objective, counted while the referee carries the actions out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from planner.rules.actions import Action, Attack, Play
from planner.rules.resolve import apply
from planner.rules.state import ENEMY_HERO, MY_HERO, GameState, hero_attack
from planner.turn.weights import TERMS, Number, Weights, exact

SIGNS: Final[Mapping[str, int]] = {
    **dict.fromkeys(TERMS, 1),
    "enemy_threat": -1,
    "damage_taken": -1,
}


class Step(NamedTuple):
    """What one action counts for when it is taken, whatever comes after it."""

    face_damage: int = 0
    minion_damage: int = 0
    damage_taken: int = 0
    card_value: Number = 0


class Earned(NamedTuple):
    """A turn carried out: where it leads, and how much of each term was counted (without weights and signs)."""

    end: GameState
    amounts: Mapping[str, Number]

    def scaled(self, weights: Weights) -> dict[str, Fraction | int]:
        """Each term with its sign and its weight times `weights.integer_scale()`, exactly."""
        worths: dict[str, Fraction | int] = {}
        for term, weight in weights.scaled().items():
            amount = self.amounts.get(term, 0)
            worths[term] = SIGNS.get(term, 1) * weight * (amount if isinstance(amount, int) else exact(amount))
        return worths

    def worth(self, weights: Weights) -> Fraction | int:
        """The objective times `weights.integer_scale()`, exactly."""
        return sum(self.scaled(weights).values())

    def contributions(self, weights: Weights) -> dict[str, float]:
        """Each term with its weight and sign: together they are the objective."""
        scale = weights.integer_scale()
        return {term: float(worth) / scale for term, worth in self.scaled(weights).items()}


def starting_health(state: GameState) -> dict[str, int]:
    """The health that own_survival counts: on the board now, or printed on the card in hand."""
    known = {minion.id: minion.health for minion in state.me.board}
    known.update((held.id, held.card.health) for held in state.me.hand if held.card.type == "minion")
    return known


def step(state: GameState, action: Action) -> Step:
    """What this action counts for in this state."""
    if isinstance(action, Attack):
        if action.attacker == MY_HERO:
            power = hero_attack(state.me)
        else:
            power = next(minion.attack for minion in state.me.board if minion.id == action.attacker)
        if action.target == ENEMY_HERO:
            return Step(face_damage=power)
        back = next(minion.attack for minion in state.enemy.board if minion.id == action.target)
        return Step(minion_damage=power, damage_taken=back)
    if isinstance(action, Play):
        return Step(card_value=next(held.value for held in state.me.hand if held.id == action.card))
    return Step()


def at_end(end: GameState, health: Mapping[str, int]) -> dict[str, Number]:
    """The terms that look only at where the turn ends."""
    return {
        "lethal": int(end.enemy.hero.health <= 0),
        "board_clear": int(not end.enemy.board),
        "enemy_threat": sum(minion.attack for minion in end.enemy.board),
        "own_survival": sum(health.get(minion.id, 0) for minion in end.me.board),
    }


def replay(state: GameState, actions: Iterable[Action]) -> Earned:
    """Carry the actions out with the referee, which refuses an illegal one, and count what they earn."""
    health = starting_health(state)
    totals: list[Number] = [0, 0, 0, 0]
    for action in actions:
        after = apply(state, action)
        totals = [a + b for a, b in zip(totals, step(state, action), strict=True)]
        state = after
    return Earned(state, {**at_end(state, health), **dict(zip(Step._fields, totals, strict=True))})
