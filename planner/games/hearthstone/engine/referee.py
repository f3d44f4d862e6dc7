"""The compiled rules in the place of the referee: the same answers, several times faster, for whoever plays matches.

What the engine declines the referee answers, and where it is not compiled, everything.
"""

from __future__ import annotations

from random import Random

from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules import legal, resolve
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState

if available():
    from planner.games.hearthstone import _engine

    def legal_actions(state: GameState) -> list[Action]:
        """All that the player may do in this turn, as the referee lists it."""
        found = _engine.legal_actions(state)
        return legal.legal_actions(state) if found is None else found

    def apply_verified(state: GameState, action: Action, rng: Random | None = None) -> GameState:
        """The state after an action that comes from `legal_actions`; the generator is asked as the referee would."""
        after = _engine.next_state(state, action, rng)
        return resolve.apply_verified(state, action, rng) if after is None else after

else:
    legal_actions, apply_verified = legal.legal_actions, resolve.apply_verified
