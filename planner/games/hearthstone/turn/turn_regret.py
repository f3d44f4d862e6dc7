"""The regret of a played turn: the score of the best plan less what the actions earned."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from random import Random

from planner.games.hearthstone.rules.actions import Action, EndTurn, Mulligan
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.resolve import IllegalActionError
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.exhaustive_search import SearchableTurn
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.scoring import Earned, replay, replay_rolled
from planner.games.hearthstone.turn.turn_plan import WeightsLike, plans, win_first, wins_for_certain
from planner.planning.plan import BARRED, LUCK, UNPROVED, PlanOptions, Regret, Status
from planner.planning.profiles import LIMIT, exact


def regret(
    start: GameState, actions: Sequence[Action], chance: Random, weights: WeightsLike, time_limit: float | None = None
) -> Regret:
    """Return the regret of the turn that began in `start`; `chance` is the match's generator at that moment.

    Where no action used what the turn itself revealed, both sides count chance by expectation, and the difference is
    exact. Otherwise no plan could have known, and the actions count with the outcomes that were rolled. A turn that
    the profile's rules forbid was not compared with the best one, and may have earned more.
    """
    plan = next(plans(start, weights, PlanOptions(time_limit=time_limit)))
    visible = observe(start, start.seat)
    played = [action for action in actions if not isinstance(action, EndTurn | Mulligan)]
    takes_win = plan.weights.take_lethal and wins_for_certain(plan)
    try:
        earned, estimate = replay(visible, played), None
    except IllegalActionError:
        earned, estimate = replay_rolled(start, played, copy(chance)), LUCK  # the caller's generator stays unchanged
    else:
        if not _keeps_rules(visible, played, win_first(plan.weights) if takes_win else plan.weights):
            estimate = BARRED
    if plan.status != Status.OPTIMAL:
        estimate = UNPROVED
    missed_win = _missed_win(plan.weights, earned) if takes_win else 0.0
    return Regret(plan, float(earned.score(plan.weights)), estimate, missed_win)


def _missed_win(weights: Weights, earned: Earned) -> float:
    """Return what `win_first` adds to a certain win, as far as this turn did not win."""
    kills = earned.amounts["lethal"]
    share = (exact(kills) if isinstance(kills, float) else kills) if earned.end.me.hero.health > 0 else 0
    return float((LIMIT - exact(weights.terms()["lethal"])) * (1 - share))


def _keeps_rules(state: GameState, actions: Sequence[Action], weights: Weights) -> bool:
    """Return whether the turn keeps every hard rule."""
    turn = SearchableTurn(state, weights)
    for action in actions:
        if action not in turn.actions(state):
            return False
        branches = turn.taking(state, action)
        if branches is None or branches[0].state is None:  # chance decides, so it is the last
            return branches is not None
        state = branches[0].state
    return turn.ending(state) is not None
