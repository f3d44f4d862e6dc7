"""What a turn that was played fell short of: what the best plan is worth, less what the actions earned."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

from planner.games.hearthstone.rules.actions import Action, EndTurn, Mulligan
from planner.games.hearthstone.rules.match import observe
from planner.games.hearthstone.rules.resolve import IllegalActionError, carried
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.exhaustive import TurnOfState
from planner.games.hearthstone.turn.objective import (
    ActionTerms,
    Amount,
    Earned,
    at_end,
    replay,
    starting_health,
    step_of,
)
from planner.games.hearthstone.turn.plan import WeightsLike, plan_turn, win_first, wins_for_certain
from planner.games.hearthstone.turn.weights import Weights, exact
from planner.planning.regret import BARRED, LUCK, UNPROVED, Regret
from planner.planning.weights import LIMIT


def regret(
    start: GameState, actions: Sequence[Action], chance: Random, weights: WeightsLike, time_limit: float | None = None
) -> Regret:
    """The regret of the turn that began in `start`; `chance` is where the match's generator stood then.

    Where no action used what the turn itself had revealed, both sides count chance by expectation, and the difference
    is exact. Otherwise no plan could have known, and what was rolled counts for the actions. A turn that the profile's
    rules forbid was never compared with the best one, and may have earned more.
    """
    plan = plan_turn(start, weights, time_limit=time_limit)
    seen = observe(start, start.seat)
    played = [action for action in actions if not isinstance(action, EndTurn | Mulligan)]
    takes_win = plan.weights.take_lethal and wins_for_certain(plan)
    try:
        earned, estimate = replay(seen, played), None
    except IllegalActionError:
        earned, estimate = _as_rolled(start, played, chance), LUCK
    else:
        if not _allowed(seen, played, win_first(plan.weights) if takes_win else plan.weights):
            estimate = BARRED
    if plan.status != "optimal":
        estimate = UNPROVED
    worth = Fraction(earned.worth(plan.weights), plan.weights.integer_scale())
    return Regret(plan, float(worth), estimate, _missed_win(plan.weights, earned) if takes_win else 0.0)


def _missed_win(weights: Weights, earned: Earned) -> float:
    """What `win_first` adds to a certain win, as far as this turn was none."""
    kills = earned.amounts["lethal"]
    share = (exact(kills) if isinstance(kills, float) else kills) if earned.end.me.hero.health > 0 else 0
    return float((LIMIT - exact(weights.lethal)) * (1 - share))


def _allowed(state: GameState, actions: Sequence[Action], weights: Weights) -> bool:
    """Does the turn keep every hard rule?"""
    turn = TurnOfState(state, weights)
    for action in actions:
        if action not in turn.actions(state):
            return False
        found = turn.taking(state, action)
        if found is None or found[0].state is None:  # chance decides, so it is the last
            return found is not None
        state = found[0].state
    return turn.ending(state) is not None


def _as_rolled(state: GameState, actions: Sequence[Action], chance: Random) -> Earned:
    """What the actions earned with the luck that they had; the end of the turn still counts by expectation."""
    rng = Random()
    rng.setstate(chance.getstate())  # the caller's stays where it is
    health = starting_health(state)
    total: dict[str, Amount] = {}
    for action in actions:
        table = carried(state, action, rng)
        _add(total, step_of(state, action, table))
        state = table.state()
    for term, amount in at_end(state, health).items():
        total[term] = total.get(term, 0) + amount
    return Earned(state, total)


def _add(total: dict[str, Amount], step: ActionTerms) -> None:
    for term, amount in step._asdict().items():
        total[term] = total.get(term, 0) + (exact(amount) if isinstance(amount, float) else amount)
