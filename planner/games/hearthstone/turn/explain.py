"""Why this plan: the actions in words, the terms, lethal, what each action is worth, and the next best plans."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from planner.games.hearthstone.rules.codec import action_to_dict
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.words import narrate_turn
from planner.games.hearthstone.turn.plan import Plan, plan_turn, plan_turns, plan_without, solver_of
from planner.games.hearthstone.turn.weights import Weights


@dataclass(frozen=True)
class Explanation:
    """The parts of an explanation; `str` makes a text of them."""

    plan: Plan
    words: tuple[str, ...]  # one line for each action
    missed_by: int  # damage that the enemy hero would survive with, whatever we do; 0: lethal exists
    losses: tuple[float, ...]  # for each action: what the best plan without it earns less (more, if below 0)
    others: tuple[Plan, ...]  # the best other plans: the next best, unless this one is not proved

    def to_dict(self) -> dict[str, Any]:
        """The explanation as data."""
        return {
            "words": list(self.words),
            "lethal_exists": self.missed_by == 0,
            "lethal_missed_by": self.missed_by,
            "loss_without": [
                {"action": action_to_dict(action), "loss": loss}
                for action, loss in zip(self.plan.actions, self.losses, strict=True)
            ],
            "next_best": [other.to_dict() for other in self.others],
        }

    def __str__(self) -> str:
        plan = self.plan
        lines = [f"{plan.status} plan for {plan.weights.name}: {_number(plan.objective)}"]
        if plan.status != "optimal":
            lines[0] += f" (at most {_number(plan.bound)})" if math.isfinite(plan.bound) and not plan.ignored else ""
        if plan.claimed != plan.objective:
            lines.append(f"  the {plan.formulation} formulation claimed {_number(plan.claimed)}")
        if not self.words:
            lines.append("  end the turn at once")
        width = max(map(len, self.words), default=0)
        for number, (words, loss) in enumerate(zip(self.words, self.losses, strict=True), start=1):
            better = "worse" if loss > 0 else "better"
            worth = "as good without it" if loss == 0 else f"{_number(abs(loss))} {better} without it"
            lines.append(f"  {number}. {words.ljust(width)}   {worth}")
        earned = {term: amount for term, amount in plan.terms.items() if amount}
        lines.append("terms: " + (", ".join(f"{term} {_number(amount)}" for term, amount in earned.items()) or "none"))
        if plan.lethal:
            lines.append("lethal: yes, this plan kills the enemy hero")
        elif self.missed_by == 0:
            why = "these weights prefer this plan" if plan.status == "optimal" else "this plan misses it"
            lines.append(f"lethal: possible, but {why}")
        else:
            lines.append(f"lethal: no turn kills the enemy hero; the best leaves him {self.missed_by}")
        if self.others:
            lines.append("next best:" if plan.status == "optimal" else "the best turns:")
            for other in self.others:
                words = "; ".join(narrate_turn(other.state, other.actions)) or "end the turn at once"
                lines.append(f"  {_number(other.objective)} ({_number(other.objective - plan.objective)}): {words}")
        if plan.ignored:
            lines.append(f"planned as if there were no text: {', '.join(plan.ignored)}")
        return "\n".join(lines)


def explain(plan: Plan, k: int = 3) -> Explanation:
    """Explain a plan by planning again: for lethal, without each action, and for the next best `k`."""
    solver = solver_of(plan)
    losses = tuple(plan.objective - plan_without(plan, action).objective for action in plan.actions)
    best = plan_turns(plan.state, plan.weights, solver, k=k + 1) if k else []
    others = tuple(other for other in best if other.actions != plan.actions)[:k]
    words = tuple(narrate_turn(plan.state, plan.actions))
    return Explanation(plan, words, lethal_missed_by(plan.state, plan.weights, solver), losses, others)


def lethal_missed_by(state: GameState, weights: Weights, solver: str = "auto") -> int:
    """The least health and armor that any legal turn leaves the enemy hero: 0 if lethal exists.

    The profile's hard rules are kept; its weights are not looked at.
    """
    # A blow more than enough is worth less than lethal, so the plan that hits hardest kills where it can.
    for_lethal = Weights(lethal=10**5, face_damage=1, forbid=weights.forbid, require=weights.require)
    plan = plan_turn(state, for_lethal, solver)
    hero = plan.end.enemy.hero
    return 0 if plan.lethal or hero.health <= 0 else hero.health + hero.armor


def _number(value: float) -> str:
    return f"{value:g}"
