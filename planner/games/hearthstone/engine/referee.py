"""The compiled rules in the place of the referee: the same answers, several times faster, for whoever plays matches.

What the engine declines the referee answers, and where it is not compiled, everything. The referee is the authority:
now and then it carries an action out as well, and a difference ends the match with a line that says where.
"""

from __future__ import annotations

from random import Random

from planner.errors import PlannerError
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules import legal, resolve
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState


class Audit:
    """One action in so many is carried out by the referee as well."""

    def __init__(self, every: int) -> None:
        self.every, self._count = every, 0

    def due(self) -> bool:
        """Is this one of those?"""
        self._count += 1
        return self._count % self.every == 0


AUDIT = Audit(every=100)  # tests ask for every action


class DisagreementError(PlannerError):
    """The compiled rules and the referee differ: a fault of ours."""

    max_length = None  # the whole state, so that the fault can be found


if available():
    from planner.games.hearthstone import _engine

    def legal_actions(state: GameState) -> list[Action]:
        """All that the player may do in this turn, as the referee lists it."""
        found = _engine.legal_actions(state)
        return legal.legal_actions(state) if found is None else found

    def apply_verified(state: GameState, action: Action, rng: Random | None = None) -> GameState:
        """The state after an action that comes from `legal_actions`; the generator is asked as the referee would."""
        if not AUDIT.due() or type(rng) not in _CAN_BE_COPIED:
            after = _engine.next_state(state, action, rng)
            return resolve.apply_verified(state, action, rng) if after is None else after
        same_luck = None if rng is None else _copy(rng)
        after = _engine.next_state(state, action, rng)
        if after is None:
            return resolve.apply_verified(state, action, rng)
        if after != resolve.apply_verified(state, action, same_luck):
            raise DisagreementError(f"engine and referee disagree about {action}; please report it: {state}")
        return after

else:
    legal_actions, apply_verified = legal.legal_actions, resolve.apply_verified


_CAN_BE_COPIED = (type(None), Random)  # a caller's own kind of generator may draw in ways that its state does not tell


def _copy(rng: Random) -> Random:
    same = Random()
    same.setstate(rng.getstate())
    return same
