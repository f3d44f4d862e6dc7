"""The public calls for the best turn of any game: a state says which game it belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from random import Random
from typing import Any, overload

from planner.errors import PlannerError
from planner.formats.values import integer, one_of, read_field
from planner.game import require
from planner.games import DEFAULT, game, game_names, is_loaded
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.turn_plan import TurnPlan, WeightsLike, plans
from planner.planning.capabilities import LooksAhead, PlansTurns
from planner.planning.plan import AUTO, AheadOptions, Plan, PlanOptions


@overload
def plan_turn(
    state: GameState,
    weights: WeightsLike | None = None,
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    hint: Sequence[Any] = (),
    effort: int | None = None,
) -> TurnPlan: ...
@overload
def plan_turn(
    state: Any,
    weights: Any = None,
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    hint: Sequence[Any] = (),
    effort: int | None = None,
) -> Plan[Any, Any]: ...
def plan_turn(
    state: Any,
    weights: Any = None,
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    hint: Sequence[Any] = (),
    effort: int | None = None,
) -> Plan[Any, Any]:
    """Return the best turn from a state: certified by the rules, and proved unless a limit ended the search.

    - `state`: a state of a game, or a mapping in JSON form; its field `game` names the game, by default Hearthstone.
    - `weights`: the name of a profile, the path of its YAML file, a mapping of terms to numbers, or a profile. None
      means the default profile of the game.
    - `solver`: `auto`, or a name that `planner solvers` lists.
    - `formulation`: `exact` or `thesis`.
    - `time_limit`: seconds. When they are over, the best turn so far is returned with its bound.
    - `hint`: actions to start the search from, such as the rest of an earlier plan.
    - `effort`: how many states to search. Unlike a time limit it gives the same plan every time.
    """
    return plan_all(state, weights, _options(solver, formulation, time_limit, effort, hint))[0]


def _options(*values: Any) -> PlanOptions:
    try:
        return _checked_options(*values)
    except TypeError:  # a list of actions is not hashable
        return PlanOptions(*values)


_checked_options = lru_cache(maxsize=16, typed=True)(PlanOptions)  # a bot plans every turn with the same options


@overload
def plan_turns(
    state: GameState,
    weights: WeightsLike | None = None,
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    k: int = 5,
    effort: int | None = None,
) -> list[TurnPlan]: ...
@overload
def plan_turns(
    state: Any,
    weights: Any = None,
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    k: int = 5,
    effort: int | None = None,
) -> list[Plan[Any, Any]]: ...
def plan_turns(
    state: Any,
    weights: Any = None,
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    k: int = 5,
    effort: int | None = None,
) -> list[TurnPlan] | list[Plan[Any, Any]]:
    """Return the best `k` turns that differ in their actions, best first; fewer where there are no more.

    The other arguments are those of `plan_turn`. The limits apply to all turns together.
    """
    return plan_all(state, weights, PlanOptions(solver, formulation, time_limit, effort, k=k))


def plan_ahead(
    state: Any,
    weights: Any = None,
    reply_weights: Any = None,
    k: int = 8,
    samples: int = 4,
    seed: int = 0,
    hidden_pool: Any = None,
    time_limit: float | None = None,
    effort: int | None = None,
    solver: str = AUTO,
) -> Plan[Any, Any]:
    """Return, of the best `k` turns, the one with the best expected state after the opponent's best reply.

    The opponent is assumed to play by `reply_weights` (default: your own) with `samples` hands drawn from
    `hidden_pool`: the opponent's decklist, an `Opponent` that predicts it (docs/how-to/opponent.md), or by default the
    cards of its class. Hidden cards of the state are never used. `seed` decides the samples. A comparison of samples
    is an estimate: the plan is proved only where it is also the best turn by itself.
    """
    options = PlanOptions(solver, time_limit=time_limit, effort=effort, ahead=AheadOptions(k, samples, reply_weights))
    return plan_looking_ahead(*read_state(state), weights, options, seed, hidden_pool)


# -- the same for callers that have read the state


def plan_all(state: Any, weights: Any, options: PlanOptions) -> list[Plan[Any, Any]]:
    """Return the best `options.k` turns from a state, best first."""
    return best_plans(*read_state(state), weights, options)


def best_plans(
    game: Any, state: Any, weights: Any, options: PlanOptions, exclude: Sequence[Any] = ()
) -> list[Plan[Any, Any]]:
    """Return the best `options.k` turns of a game that contain none of the excluded actions, best first."""
    profile = game.profiles.default if weights is None else weights
    if not exclude:
        return list(islice(game.plans(state, profile, options), options.k))
    if game.name != DEFAULT:
        raise PlannerError(f"exclude is not supported for {game.name}")
    return list(islice(plans(state, profile, options, exclude), options.k))


def plan_looking_ahead(
    game: Any, state: Any, weights: Any, options: PlanOptions, seed: int, hidden_pool: Any = None
) -> Plan[Any, Any]:
    """Return the turn that `plan_ahead` describes; `options.ahead` says how to look ahead."""
    planner = require(game, LooksAhead, "ahead")
    chance = Random(read_field({"seed": seed}, "seed", integer))
    profile = planner.profiles.default if weights is None else weights
    opponent = None if options.ahead is None else options.ahead.opponent
    return planner.plan_ahead(state, profile, options, chance, planner.hidden_pool(hidden_pool, opponent))


def read_state(state: Any) -> tuple[Any, Any]:
    """Return the game of a state, which must have a planner, and the state itself, read from its JSON form."""
    name, content = split_game(state)
    owner = game(name)
    require(owner, PlansTurns, "planning")
    # Only a mapping is read; the first check is much faster than the second.
    is_json = type(content) is dict or isinstance(content, Mapping)
    return owner, owner.state_from_json(content) if is_json else content


def split_game(state: Any) -> tuple[str, Any]:
    """Return the name of a state's game, and the state as the game's reader expects it."""
    if type(state) is not dict and not isinstance(state, Mapping):
        return getattr(state, "game", DEFAULT), state
    if "game" not in state:
        return DEFAULT, state
    # Only a known name: a state from outside must not make Python import a module.
    name = read_field(state, "game", lambda value: value if is_loaded(value) else one_of(value, game_names()))
    return name, {key: value for key, value in state.items() if key != "game"} if name == DEFAULT else state
