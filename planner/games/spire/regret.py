"""What a turn of a battle fell short of: what the best plan is worth, less what the actions earned."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

from planner.errors import PlannerError
from planner.game import Game
from planner.games.spire.chance import TooManyOutcomesError
from planner.games.spire.rules import apply, is_over
from planner.games.spire.state import Action, Battle
from planner.games.spire.turn import Amounts, average, ended, plans, takings
from planner.games.spire.weights import SIGNS, BattleWeights
from planner.planning.plan import PlanOptions
from planner.planning.regret import LUCK, UNPROVED, Regret, UnjudgedError


def regret(
    game: Game[Battle, Action, Any],
    start: Battle,
    actions: Sequence[Action],
    chance: Random,
    weights: Any,
    time_limit: float | None = None,
) -> Regret:
    """The regret of the turn that began in `start`; `chance` is where the battle's generator stood then.

    Where no action came after a draw or a throw, both sides count chance by expectation, and the difference is exact.
    Otherwise no plan could have known, and what was rolled counts for the actions.
    """
    profile = BattleWeights.of(weights)
    try:
        plan = next(plans(game, start, profile, PlanOptions(time_limit=time_limit)))
    except PlannerError as error:
        raise UnjudgedError(str(error)) from None
    played = [action for action in actions if action.type != "end"]
    try:
        expected = _expected(start, played)
        earned, estimate = (_as_rolled(start, played, chance), LUCK) if expected is None else (expected, None)
    except TooManyOutcomesError:
        raise UnjudgedError("the end of this turn has too many outcomes to say what it earned") from None
    if plan.status != "optimal":
        estimate = UNPROVED
    total = sum(SIGNS[term] * weight * earned[term] for term, weight in profile.scaled().items())
    return Regret(plan, float(Fraction(total) / profile.integer_scale()), estimate)


def _expected(start: Battle, actions: Sequence[Action]) -> Amounts | None:
    """What the actions earn on average; None where one of them could be chosen only after chance had decided."""
    cases: list[tuple[Fraction | int, Battle]] = [(1, start)]
    for action in actions:
        if len(cases) > 1:
            return None
        try:
            cases = takings(cases[0][1], action)
        except TooManyOutcomesError:
            return None
    if any(state.pending is not None and not is_over(state) for _, state in cases):
        return None
    return average([(share, ended(start, state)) for share, state in cases])


def _as_rolled(start: Battle, actions: Sequence[Action], chance: Random) -> Amounts:
    """What the actions earned with the luck that they had; the enemies' turn still counts by expectation."""
    rng = Random()
    rng.setstate(chance.getstate())  # the caller's stays where it is
    state = start
    for action in actions:
        state = apply(state, action, rng)
    if state.pending is not None and not is_over(state):
        raise UnjudgedError("the match ended before this turn had answered a card's question")
    return ended(start, state)
