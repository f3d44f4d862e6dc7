"""Certified optimal turns for card games, and matches and tournaments around them.

    from planner import plan_turn
    plan = plan_turn(state, weights="aggro_face")

What stands here is public, and what `planner.games.hearthstone` lists for that game; the rest may move.
"""

from planner.agents.planning import PlannerAgent
from planner.arena.match import TimeLimits, play_match
from planner.arena.record import MatchRecord
from planner.files import PlannerError
from planner.game import Agent, BaseGame, Game, Outcome
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.weights import Weights
from planner.planning.plan import Plan
from planner.turns import plan_turn, plan_turns

__all__ = [
    "Agent",
    "BaseGame",
    "Game",
    "GameState",
    "MatchRecord",
    "Outcome",
    "Plan",
    "PlannerAgent",
    "PlannerError",
    "TimeLimits",
    "Weights",
    "plan_turn",
    "plan_turns",
    "play_match",
]  # fmt: skip
__version__ = "0.1.0"
