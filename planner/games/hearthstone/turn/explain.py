"""Why this plan: the actions in words, the terms, lethal, what each action is worth, and the next best plans."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.codec import action_to_dict
from planner.games.hearthstone.rules.match import observe
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.words import narrate_turn
from planner.games.hearthstone.turn import native
from planner.games.hearthstone.turn.exhaustive import TurnOfState
from planner.games.hearthstone.turn.ignored import unread
from planner.games.hearthstone.turn.objective import certain, ends, taken
from planner.games.hearthstone.turn.plan import TurnPlan, plan_turns, plan_without
from planner.games.hearthstone.turn.weights import Weights
from planner.planning.plan import FINISHED
from planner.planning.search import Branch, Ending, Search, Worth


@dataclass(frozen=True)
class Explanation:
    """The parts of an explanation; `str` makes a text of them."""

    plan: TurnPlan
    words: tuple[str, ...]  # one line for each action
    missed_by: int | None  # the least that any turn leaves the enemy hero; 0: lethal exists; None: nobody knows
    losses: tuple[float, ...]  # for each action: what the best plan without it earns less (more, if below 0)
    others: tuple[TurnPlan, ...]  # the best other plans: the next best, unless this one is not proved

    def to_dict(self) -> dict[str, Any]:
        """The explanation as data."""
        return {
            "words": list(self.words),
            "lethal_exists": None if self.missed_by is None else self.missed_by == 0,
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
        elif self.missed_by is None:
            lines.append("lethal: not known: a turn without an end, too much chance, or a text that nobody knows")
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


def explain(plan: TurnPlan, k: int = 3) -> Explanation:
    """Explain a plan by planning again: for lethal, without each action, and for the next best `k`."""
    losses = tuple(plan.objective - plan_without(plan, action).objective for action in plan.actions)
    best = plan_turns(plan.state, plan.weights, k=k + 1) if k else []
    others = tuple(other for other in best if other.actions != plan.actions)[:k]
    words = tuple(narrate_turn(plan.state, plan.actions))
    return Explanation(plan, words, lethal_missed_by(plan.state), losses, others)


def lethal_missed_by(state: GameState) -> int | None:
    """The least health and armor that any legal turn leaves the enemy hero for certain: 0 if lethal exists.

    None where some turns could not be looked at to their end, or nobody knows what a card does, and none of the others
    kills.
    """
    seen = observe(state, state.seat)
    for_lethal = Weights(extra=(("enemy_health", 1),))
    answer = native.best_turns(seen, for_lethal, worst=True)
    if answer is not None and answer.turns:
        least, proved = int(-answer.turns[0].worth), answer.proved
    else:
        turn = _LeastHealth(seen, for_lethal)
        found = Search(turn).best(seen)
        assert found is not None  # no rule forbids to end the turn
        least, proved = int(-found.worth), found.stopped == FINISHED and turn.all_chances
    return least if least == 0 or (proved and not unread(state)) else None


class _LeastHealth(TurnOfState):
    """The turn by what it leaves the enemy hero; chance counts for the worst that it can do."""

    def taking(self, state: GameState, action: Action) -> list[Branch[GameState]] | None:
        """Where the action leads."""
        found = certain(state, action)
        if found is not None:
            return [Branch(0, found.state)]
        possible = taken(state, action)
        self._judge.all_chances &= possible[0].complete
        return [Branch(min(self._left(one.state) for one in possible), None)]

    def ending(self, state: GameState) -> Ending:
        """What ending the turn here leaves."""
        return Ending(self._left(state))

    def _left(self, state: GameState) -> Worth:
        possible = ends(state)
        self._judge.all_chances &= possible[0].complete
        heroes = [one.state.enemy.hero for one in possible]
        return min(-(hero.health + hero.armor) if hero.health > 0 else 0 for hero in heroes)


def _number(value: float) -> str:
    return f"{value:g}"
