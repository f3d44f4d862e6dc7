"""The one call for the best turn of any game: a state says which game it is of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any, Final, overload

from planner.formats.values import integer, one_of, read_field
from planner.game import require
from planner.games import DEFAULT, game, game_names
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.plan import TurnPlan, WeightsLike
from planner.planning.capabilities import LooksAhead, PlansTurns
from planner.planning.plan import AUTO, AheadOptions, PlanOptions

_PLAINEST: Final[Any] = object()  # stands for the profile that a game takes where none is given


@overload
def plan_turn(
    state: GameState,
    weights: WeightsLike = _PLAINEST,
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    hint: Sequence[Any] = (),
    effort: int | None = None,
) -> TurnPlan: ...
@overload
def plan_turn(
    state: Any,
    weights: Any = _PLAINEST,
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    hint: Sequence[Any] = (),
    effort: int | None = None,
) -> Any: ...
def plan_turn(
    state: Any,
    weights: Any = _PLAINEST,
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    hint: Sequence[Any] = (),
    effort: int | None = None,
) -> Any:
    """The best turn from this state under these weights: certified, and proved unless a limit ended the search.

    `state` is a game's own state, or a mapping in the JSON form whose `game` names it (Hearthstone, unless it does);
    `weights` a profile's name, a path, a mapping or a profile of that game, and its plainest one unless given; `solver`
    is `auto` or one of the names that `planner solvers` lists; `formulation` is `exact` or `thesis`; `time_limit` is in
    seconds. `hint` are actions that are thought to be good, such as what is left of a plan that revealed something, and
    `effort` limits the states that are looked at: unlike a limit of time it gives the same plan every time.
    """
    return next(plans(state, weights, PlanOptions(solver, formulation, time_limit, effort, hint)))


def plan_turns(
    state: Any,
    weights: Any = _PLAINEST,
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    k: int = 5,
) -> list[Any]:
    """The best `k` different turns, best first: fewer where there are no more. The time limit is for all of them."""
    return list(plans(state, weights, PlanOptions(solver, formulation, time_limit, k=k)))


def plan_ahead(
    state: Any,
    weights: Any = _PLAINEST,
    reply_weights: Any = None,
    k: int = 8,
    samples: int = 4,
    seed: int = 0,
    unseen: Any = None,
    time_limit: float | None = None,
    effort: int | None = None,
) -> Any:
    """Of the best `k` turns, the one after whose best reply the table is expected to look best.

    The opponent is thought to answer by `reply_weights` (your own unless given), with cards drawn `samples` times from
    those that are `unseen`: the list of what it brought, or an `Opponent` (docs/how-to/bots.md), where there is one,
    else the cards of its class. Hidden cards are never looked at. The seed decides the samples; a comparison of samples
    is no proof, and the plan does not call it one.
    """
    of, known = _game_and_state(state)
    looking = require(of, LooksAhead, "looking ahead")
    options = PlanOptions(time_limit=time_limit, effort=effort, ahead=AheadOptions(k, samples, reply_weights))
    chance = Random(read_field({"seed": seed}, "seed", integer))
    profile = of.profiles.default if weights is _PLAINEST else weights
    return looking.plan_ahead(known, profile, options, chance, looking.hidden_pool(unseen))


def plans(state: Any, weights: Any, options: PlanOptions) -> Iterator[Any]:
    """The best `options.k` turns from this state, best first."""
    of, known = _game_and_state(state)
    return islice(of.plans(known, of.profiles.default if weights is _PLAINEST else weights, options), options.k)


def _game_and_state(state: Any) -> tuple[Any, Any]:
    """A game that has a planner, and a state of it."""
    name, known = game_of(state)
    of: Any = require(game(name), PlansTurns, "planning")
    return of, of.state_from_json(known) if isinstance(known, Mapping) else known


def game_of(state: Any) -> tuple[str, Any]:
    """The game that a state is of, and the state without saying so."""
    if isinstance(state, Mapping):
        if "game" not in state:
            return DEFAULT, state
        rest = dict(state)
        name = rest.pop("game", DEFAULT)
        read_field(state, "game", lambda value: one_of(value, game_names()))  # a state must not make us import a module
        return name, rest if name == DEFAULT else state
    return getattr(state, "game", DEFAULT), state
