"""The rules for playing matches: the compiled rules where they support the state, else the Python rules.

Both give the same answers; the compiled rules are several times faster. The Python rules are the authority. They check
every hundredth action, and a difference ends the match with an error.
"""

from __future__ import annotations

from random import Random

from planner.errors import PlannerError
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules import legal, resolve
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState


class Audit:
    """Decides which actions the Python rules check: one in `every`."""

    def __init__(self, every: int) -> None:
        self.every, self._count = every, 0

    def due(self) -> bool:
        """Count an action, and return whether to check it."""
        self._count += 1
        return self._count % self.every == 0


AUDIT = Audit(every=100)  # tests check every action


class DisagreementError(PlannerError):
    """The compiled rules and the Python rules differ: a bug in the engine."""

    max_length = None  # the whole state, so that the bug can be found


if available():
    from planner.games.hearthstone import _engine

    def legal_actions(state: GameState) -> list[Action]:
        """Return the legal actions, in the order of the Python rules."""
        actions = _engine.legal_actions(state)
        return legal.legal_actions(state) if actions is None else actions

    def apply_verified(state: GameState, action: Action, rng: Random | None = None) -> GameState:
        """Return the state after an action from `legal_actions`. It draws from `rng` as the Python rules do."""
        if not AUDIT.due() or type(rng) not in _COPYABLE_GENERATORS:
            after = _engine.next_state(state, action, rng)
            return resolve.apply_verified(state, action, rng) if after is None else after
        rng_copy = None if rng is None else _copy(rng)
        after = _engine.next_state(state, action, rng)
        if after is None:
            return resolve.apply_verified(state, action, rng)
        if after != resolve.apply_verified(state, action, rng_copy):
            raise DisagreementError(
                f"the engine and the Python rules disagree about {action}; please report it: {state}"
            )
        return after

else:
    legal_actions, apply_verified = legal.legal_actions, resolve.apply_verified


_COPYABLE_GENERATORS = (type(None), Random)  # a subclass may have more state than `getstate` returns


def _copy(rng: Random) -> Random:
    copy = Random()
    copy.setstate(rng.getstate())
    return copy
