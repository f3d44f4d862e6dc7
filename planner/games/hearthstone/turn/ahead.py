"""A look at the reply: of the best turns, the one after whose best answer the table looks best.

The turns come from the planner, each certified. What the opponent may hold and draw is drawn from the cards that are
not seen, the same for every turn that is compared; the opponent then plays its own best turn. A turn is worth what its
actions earn, and what the best turn from the table after the reply would be worth: weights say how good a table is at
the end of an own turn, so that is where it is looked at. That is an estimate, not a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

from planner.games.hearthstone.engine import referee
from planner.games.hearthstone.rules.actions import Action, EndTurn
from planner.games.hearthstone.rules.codec import action_to_dict
from planner.games.hearthstone.rules.legal import verify
from planner.games.hearthstone.rules.match import observe
from planner.games.hearthstone.rules.state import GameState, is_over
from planner.games.hearthstone.rules.words import narrate_turn
from planner.games.hearthstone.turn import native
from planner.games.hearthstone.turn.clock import Clock
from planner.games.hearthstone.turn.exhaustive import TurnOfState
from planner.games.hearthstone.turn.objective import ActionTerms
from planner.games.hearthstone.turn.plan import StateLike, TurnPlan, WeightsLike, plans, read_state, wins_for_certain
from planner.games.hearthstone.turn.unseen import Unseen
from planner.games.hearthstone.turn.weights import Number, Weights
from planner.planning.plan import AheadOptions, PlanOptions
from planner.planning.search import Search
from planner.planning.weights import LIMIT

OWN_EFFORT: Final = 20_000  # states of the own turn, unless the caller says how many
_REPLY_SHARE: Final = 10  # a reply gets one state for so many of the own turn


class SampledReply(NamedTuple):
    """What the opponent did in one sample, and what could be made of the table after it."""

    value: float
    state: GameState  # in which it was to move, with the cards that it was thought to hold
    actions: tuple[Action, ...]  # as the opponent sees them: `me` is the opponent there

    def words(self) -> list[str]:
        """The actions in words, told to the one who fears them."""
        return narrate_turn(self.state, self.actions, reader=1 - self.state.seat)


@dataclass(frozen=True)
class Considered:
    """One of the turns that were compared."""

    plan: TurnPlan
    replies: tuple[SampledReply, ...]

    @property
    def value(self) -> float:
        """The mean over the samples."""
        return fmean(reply.value for reply in self.replies)

    @property
    def feared(self) -> SampledReply:
        """The reply that hurts most."""
        return min(self.replies, key=lambda reply: reply.value)


@dataclass(frozen=True)
class AheadPlan(TurnPlan):
    """A turn that was chosen with a look at the reply; `considered` are the turns that were compared, best first.

    It is empty where there was nothing to look at: a certain win, or no time.
    """

    considered: tuple[Considered, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The plan in the JSON form, with what it expects and fears."""
        found = super().to_dict()
        if not self.considered:
            return found | {"ahead": None}
        chosen = self.considered[0]
        feared = chosen.feared
        return found | {
            "ahead": {
                "proved": False,  # a comparison of samples
                "value": chosen.value,
                "samples": len(chosen.replies),
                "considered": [
                    {
                        "actions": [action_to_dict(action) for action in one.plan.actions],
                        "objective": one.plan.objective,
                        "value": one.value,
                    }
                    for one in self.considered
                ],
                "feared": {
                    "value": feared.value,
                    "actions": [action_to_dict(action) for action in feared.actions],
                    "words": feared.words(),
                },
            }
        }


def plan_ahead(
    state: StateLike,
    weights: WeightsLike,
    options: PlanOptions,
    chance: Random,
    unseen: Unseen,
) -> AheadPlan:
    """The turn after whose best reply the table is expected to look best."""
    given, found = Weights.of(weights), read_state(state)
    seen = observe(found, found.seat)
    unseen.look(seen)
    ahead = options.ahead or AheadOptions()
    reply_weights = given if ahead.reply is None else Weights.of(ahead.reply)
    clock = Clock(options.time_limit)
    effort = options.effort or OWN_EFFORT
    half = None if options.time_limit is None else options.time_limit / 2
    turns = list(plans(found, given, replace(options, k=ahead.k, effort=effort, time_limit=half, ahead=None)))
    best = turns[0]
    if wins_for_certain(best):
        return _chosen(best, (), best, clock)
    if len(turns) == 1:  # nothing to choose, only to fear: that takes no luck away from later decisions
        chance = _same(chance)
    view = _View(seen, given, reply_weights, max(1, effort // _REPLY_SHARE), clock)
    rounds: list[list[SampledReply]] = []
    for _ in range(ahead.samples):
        seed = chance.random()
        sampled = unseen.turned_over(seen, Random(seed))
        answers = []
        for plan in turns:
            if not clock.out():
                answers.append(view.reply(plan, sampled, Random(seed)))
        if clock.out():
            break  # half a round would compare turns by different luck, and a reply in haste is not the best
        rounds.append(answers)
    if not rounds:
        return _chosen(best, (), best, clock)
    of_turns = zip(*rounds, strict=True)
    considered = [Considered(plan, tuple(replies)) for plan, replies in zip(turns, of_turns, strict=True)]
    considered.sort(key=lambda one: -one.value)  # stable: of equals, the one that earns more in this turn
    return _chosen(considered[0].plan, tuple(considered), best, clock)


def _same(chance: Random) -> Random:
    """A generator with the same future."""
    found = Random()
    found.setstate(chance.getstate())
    return found


def _chosen(plan: TurnPlan, considered: tuple[Considered, ...], best: TurnPlan, clock: Clock) -> AheadPlan:
    """The plan as the caller gets it: what is proved of it is proved of its own turn."""
    fields = {name: getattr(plan, name) for name in TurnPlan.__dataclass_fields__}
    fields["seconds"] = clock.elapsed()
    if plan is not best:
        fields |= {"status": "feasible", "proof": None, "bound": max(plan.objective, best.bound)}
    return AheadPlan(**fields, considered=considered)


class _Turn(NamedTuple):
    actions: tuple[Action, ...]
    worth: float


class _View:
    """What one player sees, and how the match may go on from there."""

    def __init__(self, seen: GameState, weights: Weights, reply: Weights, effort: int, clock: Clock) -> None:
        self.seen, self.effort, self.clock = seen, effort, clock
        self.weights = _ruleless(weights)
        self.reply_weights = _ruleless(replace(reply, lethal=LIMIT) if reply.take_lethal else reply)

    def reply(self, plan: TurnPlan, state: GameState, rng: Random) -> SampledReply:
        """The turn, its end, the opponent's best turn, and what the table counts for then."""
        seat = self.seen.seat
        state = _carried_out(state, (*plan.actions, EndTurn()), rng)
        asked, actions = state, tuple[Action, ...]()
        if state.seat != seat and not is_over(state):
            actions = self._best(observe(state, state.seat), self.reply_weights).actions
            state = _carried_out(state, (*actions, EndTurn()), rng)
        earned = sum(amount for term, amount in plan.terms.items() if term in ActionTerms._fields)
        return SampledReply(earned + self._outlook(state), asked, actions)

    def _outlook(self, state: GameState) -> float:
        """What the own best turn from here is worth, without the card that was drawn."""
        seat = self.seen.seat
        if is_over(state):
            won, lost = (state.player(one).hero.health <= 0 for one in (1 - seat, seat))
            return float(self.weights.lethal) * won - float(_cost_of_defeat(self.weights)) * lost
        return self._best(observe(state, seat), self.weights).worth

    def _best(self, seen: GameState, weights: Weights) -> _Turn:
        """The best turn, as far as effort and time go; nothing of it is certified."""
        seconds = self.clock.left()
        answer = native.best_turns(seen, weights, effort=self.effort, time_limit=seconds)
        if answer is not None and answer.turns:
            return _Turn(answer.turns[0].actions, float(answer.turns[0].worth))
        found = Search(TurnOfState(seen, weights, ()), seconds, self.effort).best(seen)
        assert found is not None  # no rule forbids to end the turn
        return _Turn(tuple(found.actions), float(found.worth) / weights.integer_scale())


def _ruleless(weights: Weights) -> Weights:
    """Whoever cannot keep a rule has to move all the same."""
    return replace(weights, forbid=(), require=()) if weights.forbid or weights.require else weights


def _cost_of_defeat(weights: Weights) -> Number:
    """As much as the kill would earn; who takes every win without giving it a weight fears defeat above all."""
    if weights.lethal > 0 or not weights.take_lethal:
        return max(weights.lethal, 0)
    return LIMIT


def _carried_out(state: GameState, actions: Sequence[Action], rng: Random) -> GameState:
    """As far as they stay legal: what chance brings may forbid the rest, but never to end the turn."""
    for action in actions:
        if verify(state, action) is None:
            state = referee.apply_verified(state, action, rng)
    return state
