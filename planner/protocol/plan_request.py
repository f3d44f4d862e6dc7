"""A request for the best turns from a state: the plans, and on request why, how robust, and step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from planner.api import best_plans, plan_looking_ahead
from planner.errors import PlannerError
from planner.formats.values import as_list, as_mapping, boolean, integer, optional, read_field
from planner.game import AnyGame
from planner.games.hearthstone.turn.turn_plan import TurnPlan
from planner.planning.plan import AheadOptions, CanBeExplained, Plan, PlanOptions
from planner.protocol.fields import profile_for, read_state, request_fields, time_limit

if TYPE_CHECKING:
    from planner.games.hearthstone.turn.explanation import WeightRange

NEXT_BEST: Final = 3  # alternatives in an explanation
EXTRA_SHARE: Final = 0.5  # of the time limit, for the explanation and for the ranges each
_SEARCH_FIELDS: Final = ("solver", "formulation", "time_limit", "effort", "k")
PLAN_FIELDS: Final = ("state", "weights", *_SEARCH_FIELDS, "explain", "ranges", "ahead", "exclude", "steps")
AHEAD_FIELDS: Final = ("k", "samples", "reply_weights", "seed")
# What cannot be combined with a look ahead, and the values that change nothing.
_NOT_WITH_AHEAD: Final = {"k": 1, "formulation": PlanOptions.formulation, "ranges": False, "exclude": []}


def plan(data: Any, max_seconds: float | None = None) -> dict[str, Any]:
    """Answer a request for plans."""
    return PlanRequest.from_json(data, max_seconds).answer()


@dataclass(frozen=True)
class PlanRequest:
    """A request for plans, and its answer: each part is computed when it is read first.

    All parts share one search for the best turns.
    """

    game: AnyGame
    state: Any
    weights: Any  # a profile of the game
    options: PlanOptions
    explain: bool = False  # add why: lethal, the loss without each action, the next best plans
    ranges: bool = False  # add how far each weight can move before another turn is better
    steps: bool = False  # add what each action does and earns, and the state after it
    exclude: Sequence[Any] = ()  # actions in JSON form that no plan may contain
    alternatives: int = NEXT_BEST  # next best plans in an explanation
    seed: int = 0  # of the samples of a look ahead

    @classmethod
    def from_json(cls, data: Any, max_seconds: float | None = None) -> PlanRequest:
        """Read a request; no search gets more time than `max_seconds`."""
        fields = request_fields(data, PLAN_FIELDS)
        game, state = read_state(fields)
        search = {key: fields[key] for key in _SEARCH_FIELDS if key in fields}
        ahead, seed = (
            read_field(fields, "ahead", lambda value: _read_ahead(game, value)) if "ahead" in fields else (None, 0)
        )
        if ahead is not None and (
            other := next((key for key, same in _NOT_WITH_AHEAD.items() if fields.get(key, same) != same), None)
        ):
            raise PlannerError(f"{other}: cannot be combined with ahead")
        return cls(
            game,
            state,
            profile_for(game, fields.get("weights")),
            PlanOptions(**search | {"time_limit": time_limit(fields, max_seconds)}, ahead=ahead),
            **{key: optional(fields, key, boolean, False) for key in ("explain", "ranges", "steps")},
            exclude=optional(fields, "exclude", as_list, []),
            seed=seed,
        )

    def answer(self) -> dict[str, Any]:
        """Return the plan in JSON form, or `{"plans": [...]}`, best first, where `k` is above 1."""
        first, *extras = self.parts()
        best = first["plans"][0] if self.options.k > 1 else first
        for extra in extras:
            best |= extra
        return first

    def parts(self) -> Iterator[dict[str, Any]]:
        """Yield the answer in parts, each as soon as it is ready: the plans, then further fields of the best one."""
        plans = [plan.to_dict() for plan in self.plans]
        if self.steps:
            plans[0] |= self.steps_json()
        yield plans[0] if self.options.k == 1 else {"plans": plans}
        if self.explain:
            yield {"explanation": self.explanation_json()}
        if self.ranges:
            yield {"ranges": self.ranges_json()}

    @cached_property
    def plans(self) -> list[Plan[Any, Any]]:
        """The plans, best first."""
        if self.options.ahead is not None:
            return [plan_looking_ahead(self.game, self.state, self.weights, self.options, self.seed)]
        return best_plans(self.game, self.state, self.weights, self.options, self._excluded)

    @cached_property
    def _excluded(self) -> list[Any]:
        return [self.game.action_from_json(action, f"exclude[{index}]") for index, action in enumerate(self.exclude)]

    @cached_property
    def explanation(self) -> Any:
        """Why the best plan was chosen."""
        plan = self.plans[0]
        if not isinstance(plan, TurnPlan) and isinstance(plan, CanBeExplained):
            return plan.explain(self.alternatives, self._extra_time)
        from planner.games.hearthstone.turn.explanation import explain  # noqa: PLC0415  (most requests do not ask)

        # A search for several plans takes far longer than one for the best: it is shared only if the request has it.
        ranked: Any = self.plans if self.options.k > self.alternatives else None
        return explain(self._best("explain"), self.alternatives, self._extra_time, self._excluded, ranked)

    @cached_property
    def weight_ranges(self) -> Sequence[WeightRange] | None:
        """The range of each weight in which the best plan stays the best turn; None where it is not proved best."""
        plan = self._best("ranges")
        if plan.status != "optimal" or plan.formulation != "exact":
            return None
        from planner.games.hearthstone.turn.explanation import weight_ranges  # noqa: PLC0415  (it plans again)

        return weight_ranges(plan, self._extra_time, exclude=self._excluded)

    def steps_json(self) -> dict[str, Any]:
        """Return what each action of the best plan does and earns, the state after it, and what the end earns."""
        from planner.games.hearthstone.turn.turn_steps import turn_steps  # noqa: PLC0415  (most requests do not ask)

        plan = self._best("steps")
        result = turn_steps(plan.state, plan.actions, plan.weights)
        steps = [
            {
                "action": self.game.action_to_json(step.action),
                "words": step.words,
                "earned": step.earned,
                "state": self.game.state_to_json(step.state),
                "chance": step.chance,
            }
            for step in result.steps
        ]
        return {"steps": steps, "ending": result.ending}

    def explanation_json(self) -> dict[str, Any]:
        """Return the explanation in JSON form, with the next best plans in words."""
        explanation = self.explanation
        data: dict[str, Any] = explanation.to_dict()
        for entry, plan in zip(data["next_best"], explanation.others, strict=True):
            entry["words"] = self.game.describe_turn(plan.state, plan.actions, briefly=True)
        return data

    def ranges_json(self) -> dict[str, Any] | None:
        """Return the ranges by term in JSON form, with the turns beyond them in words."""
        if self.weight_ranges is None:
            return None
        result = {}
        for interval in self.weight_ranges:
            data = result[interval.term] = interval.to_dict()
            for side, end in (("below", interval.low), ("above", interval.high)):
                if data[side] is not None and end is not None and end.turn is not None:
                    data[side]["words"] = self.game.describe_turn(self.state, end.turn, briefly=True)
        return result

    def _best(self, option: str) -> TurnPlan:
        plan = self.plans[0]
        if not isinstance(plan, TurnPlan):
            raise PlannerError(f"{option} is not supported for {self.game.name}")
        return plan

    @property
    def _extra_time(self) -> float | None:
        limit = self.options.time_limit
        return None if limit is None else EXTRA_SHARE * limit


def _read_ahead(game: AnyGame, value: Any) -> tuple[AheadOptions | None, int]:
    """Read the options of a look ahead, and the seed of its samples: `true` for the defaults, or an object."""
    if isinstance(value, bool):
        return (AheadOptions() if value else None), 0
    fields = request_fields(as_mapping(value), AHEAD_FIELDS)
    options = {key: fields[key] for key in ("k", "samples") if key in fields}
    try:
        reply = profile_for(game, fields["reply_weights"]) if "reply_weights" in fields else None
    except PlannerError as error:  # it begins with `weights: `
        raise PlannerError(f"reply_{error}") from None
    ahead = AheadOptions(**options, reply=reply)
    return ahead, optional(fields, "seed", integer, 0)
