"""Certified optimal turns for Hearthstone-like card games.

    from planner import plan_turn
    plan = plan_turn(state, weights="aggro_face")
"""

from planner.files import PlannerError
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.plan import Plan, plan_turn, plan_turns
from planner.games.hearthstone.turn.weights import Weights

__all__ = ["GameState", "Plan", "PlannerError", "Weights", "plan_turn", "plan_turns"]
__version__ = "0.1.0"
