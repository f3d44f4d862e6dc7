"""Certified optimal turns for card games, and matches and tournaments around them.

    from planner import plan_turn
    plan = plan_turn(state, weights="aggro_face")

Public are the names listed here and those that `planner.games.hearthstone` lists; everything else may move.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planner.agents.planner_agent import PlannerAgent
    from planner.api import plan_ahead, plan_turn, plan_turns
    from planner.arena.match.record import MatchRecord
    from planner.arena.match.referee import TimeLimits, play_match
    from planner.arena.report.tournament_results import Results, available_results, guo_results, load_results
    from planner.environment import Environment
    from planner.errors import PlannerError
    from planner.game import Agent, BaseGame, Game, Outcome
    from planner.games.hearthstone.rules.state import GameState
    from planner.games.hearthstone.turn.hearthstone_weights import Weights
    from planner.planning.plan import Plan

__all__ = [
    "Agent",
    "BaseGame",
    "Environment",
    "Game",
    "GameState",
    "MatchRecord",
    "Outcome",
    "Plan",
    "PlannerAgent",
    "PlannerError",
    "Results",
    "TimeLimits",
    "Weights",
    "available_results",
    "guo_results",
    "load_results",
    "plan_ahead",
    "plan_turn",
    "plan_turns",
    "play_match",
]
__version__ = "0.1.0"

# The module of each name, imported on first use: a bot that only plans does not wait for the rest.
_MODULES = {
    "planner.agents.planner_agent": ("PlannerAgent",),
    "planner.api": ("plan_ahead", "plan_turn", "plan_turns"),
    "planner.arena.match.record": ("MatchRecord",),
    "planner.arena.match.referee": ("TimeLimits", "play_match"),
    "planner.arena.report.tournament_results": ("Results", "available_results", "guo_results", "load_results"),
    "planner.environment": ("Environment",),
    "planner.errors": ("PlannerError",),
    "planner.game": ("Agent", "BaseGame", "Game", "Outcome"),
    "planner.games.hearthstone.rules.state": ("GameState",),
    "planner.games.hearthstone.turn.hearthstone_weights": ("Weights",),
    "planner.planning.plan": ("Plan",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
