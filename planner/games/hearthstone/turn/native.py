"""Calls the compiled engine: passes a turn as plain numbers and returns its results as values.

Every function returns None if the engine is not available or does not support something in the state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntFlag
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planner.games.hearthstone import engine
from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState, new
from planner.games.hearthstone.turn.hearthstone_weights import TERM_SIGNS, Weights
from planner.planning.plan import Stopped
from planner.planning.profiles import HardRule, exact

if TYPE_CHECKING:
    from planner.games.hearthstone.turn.thesis_program import Choice, ThesisReading

# In the order of the engine's enumerations.
_RULES: Final = (
    "attack_with",
    "attack_on hero",
    "attack_on minions",
    "trade_below",
    "own_hero_death",
    "play",
    "keep_mana",
    "keep_minions",
    "keep_cards",
)
_STOPPED: Final = (Stopped.FINISHED, Stopped.TIME_LIMIT, Stopped.EFFORT_LIMIT, Stopped.ACTION_LIMIT)
_FINISHED: Final = Stopped.FINISHED
_MIN_SECONDS: Final = 1e-9  # the engine takes 0 for no limit
EVERY_PRUNE: Final = 0xFFFFFFFF


class Technique(IntFlag):
    """The techniques that make the search faster, as in engine/search/search.hpp; tests switch them off."""

    MERGE_STATES = 1
    MERGE_ACTIONS = 2
    SOLVE_VANILLA = 4
    PRUNE_STATES = 8
    ALL = 15


ALL_TECHNIQUES: Final = int(Technique.ALL)


class EngineTurn(NamedTuple):
    """A turn that the engine found, and the score that it claims, in the units of the weights."""

    actions: tuple[Action, ...]
    numerator: int
    denominator: int

    @property
    def score(self) -> Fraction:
        """The score as a number."""
        return Fraction(self.numerator, self.denominator)


class EngineResult(NamedTuple):
    """The result of a search by the engine."""

    turns: list[EngineTurn]  # best first; empty if no turn satisfies the hard rules
    stopped: Stopped
    pruned: bool  # whether states were skipped because their bound is below the best score
    states: int
    all_outcomes: bool  # False: an effect of chance was left out of a score, because its average takes too long
    bound_ratio: tuple[int, int] | None

    @property
    def bound(self) -> Fraction | None:
        """No turn has a higher score; None if no bound is known."""
        return None if self.bound_ratio is None else Fraction(*self.bound_ratio)

    @property
    def proved(self) -> bool:
        """Whether the first turn is proved optimal."""
        return self.stopped is _FINISHED


def best_turns(
    state: GameState,
    weights: Weights,
    *,
    turns: int = 1,
    banned: Sequence[Action] = (),
    hint: Sequence[Action] = (),
    time_limit: float | None = None,
    effort: int | None = None,
    pessimistic: bool = False,
    techniques: int = ALL_TECHNIQUES,
    ties: bool = True,
) -> EngineResult | None:
    """Return the best turns.

    With `pessimistic`, an action with several outcomes counts as its worst outcome, not as the average. Without `ties`
    any turn with the best score may be returned, which is faster.
    """
    if not engine.available():
        return None
    turn = _engine_turn(state, weights)
    seconds = 0.0 if time_limit is None else max(time_limit, _MIN_SECONDS)
    result = compiled_engine().best_turns(
        *turn, list(banned), turns, pessimistic, seconds, effort or 0, techniques, list(hint), ties
    )
    if result is None:
        return None
    found, stopped, pruned, all_outcomes, states, bound = result
    scale = weights.integer_scale() * turn.value_scale
    reason = _STOPPED[stopped]
    values = (
        [new(EngineTurn, (tuple(actions), top, bottom * scale)) for actions, top, bottom in found],
        Stopped.CHANCE_LIMIT if not all_outcomes and reason == Stopped.FINISHED else reason,
        pruned,
        states,
        all_outcomes,
        None if bound is None else (bound[0], bound[1] * scale),
    )
    return new(EngineResult, values)


@cache
def compiled_engine() -> Any:
    """Return the extension module; the engine must be available."""
    from planner.games.hearthstone import _engine  # noqa: PLC0415  (the module may be missing)

    return _engine


class BoundComparison(NamedTuple):
    """The engine's bound compared with the true score, over the states of a turn."""

    states: int  # that were searched to the end of the turn
    bounded: int  # that have a bound
    excess: Fraction  # the largest amount by which a true score exceeds its bound; more than 0 is a fault


def compare_bound(
    state: GameState, weights: Weights, *, effort: int, pessimistic: bool = False
) -> BoundComparison | None:
    """Compare the bound with the true score at every state of a turn."""
    from planner.games.hearthstone import _engine  # noqa: PLC0415

    turn = _engine_turn(state, weights)
    result = _engine.compare_bound(*turn, pessimistic, effort)
    if result is None:
        return None
    states, bounded, (top, bottom) = result
    return BoundComparison(states, bounded, Fraction(top, bottom * weights.integer_scale() * turn.value_scale))


class VanillaPlan(NamedTuple):
    """The plan of the vanilla solver."""

    actions: tuple[Action, ...]
    score: Fraction
    bound: Fraction | None  # None if no bound is known
    hero_lives: bool  # the own hero, at the end
    proved: bool


def plan_vanilla(state: GameState, weights: Weights, *, prunes: int = EVERY_PRUNE, work: int = 0) -> VanillaPlan | None:
    """Return the best turn by the vanilla solver; also None if the turn is not vanilla."""
    from planner.games.hearthstone import _engine  # noqa: PLC0415

    turn = _engine_turn(state, weights)
    result = _engine.plan_vanilla(*turn, [], prunes, work)
    if result is None:
        return None
    actions, score, bound, hero_lives, proved = result
    scale = weights.integer_scale() * turn.value_scale
    return VanillaPlan(
        tuple(actions), Fraction(score, scale), None if bound is None else Fraction(bound, scale), hero_lives, proved
    )


def thesis_choice(state: GameState, weights: Weights, reading: ThesisReading) -> Choice | None:
    """Return the optimum of Guo's model in this reading."""
    if not engine.available() or (bits := reading.bits) is None:
        return None
    from planner.games.hearthstone import _engine  # noqa: PLC0415
    from planner.games.hearthstone.turn.thesis_program import Choice  # noqa: PLC0415  (numpy)

    turn = _engine_turn(state, weights)
    result = _engine.thesis_choice(turn.state, turn.weights, turn.value_scale, bits)
    if result is None:
        return None
    objective, plays, hits, face = result
    return Choice(objective, weights.integer_scale() * turn.value_scale, plays, hits, face)


class ThesisMatch(NamedTuple):
    """A match of two players who solve Guo's model, carried out as section 6.5 prints."""

    winner: int  # the seat; -1: a draw
    rounds: int
    turns: int
    several_optima: int  # turns with more than one optimum; 0 if they were not counted


def thesis_matches(
    state: GameState,
    pairings: Sequence[tuple[Weights, Weights]],
    reading: ThesisReading,
    *,
    skip_dead: bool = False,
    count_optima: bool = False,
) -> list[ThesisMatch | None] | None:
    """Play a match for each pairing from the same deal, at the start of a turn.

    `skip_dead` leaves out attacks on and by dead minions. A match is None if one of its turns is too large.
    """
    if not engine.available() or (bits := reading.bits) is None:
        return None
    from planner.games.hearthstone import _engine  # noqa: PLC0415

    cards = [card for player in (state.me, state.enemy) for card in (*player.hand, *player.deck)]
    scale = math.lcm(*(exact(card.value).denominator for card in cards), 1)
    weights = [(signed_weights(first, scale), signed_weights(second, scale)) for first, second in pairings]
    matches = _engine.thesis_matches(state, weights, scale, bits, skip_dead, count_optima)
    return None if matches is None else [None if match is None else ThesisMatch(*match) for match in matches]


class _EngineTurnInput(NamedTuple):
    """The first arguments of the engine's functions that plan a turn."""

    state: GameState
    weights: tuple[int, ...]
    value_scale: int
    hard_rules: list[tuple[int, int, tuple[int, int], str, int]]


def _engine_turn(state: GameState, weights: Weights) -> _EngineTurnInput:
    scale = 1
    for card in state.me.hand:
        if type(card.value) is not int:
            scale = math.lcm(scale, exact(card.value).denominator)
    return new(_EngineTurnInput, (state, signed_weights(weights, scale), scale, hard_rules(weights)))


def signed_weights(weights: Weights, value_scale: int) -> tuple[int, ...]:
    """Return the weight of every term as an integer with its sign, in the order in which the engine reads them.

    Card values are multiplied by `value_scale` already, so all other weights are, too.
    """
    if value_scale == 1:
        return weights.engine_weights
    by_term = zip(TERM_SIGNS, weights.engine_weights, strict=True)
    return tuple(weight if term == "card_value" else value_scale * weight for term, weight in by_term)


def hard_rules(weights: Weights) -> list[tuple[int, int, tuple[int, int], str, int]]:
    """Return the hard rules as the engine reads them: kind, keyword, ratio, name of a card, amount."""
    return [_rule(rule) for rule in (*weights.forbid, *weights.require)]


def _rule(rule: HardRule) -> tuple[int, int, tuple[int, int], str, int]:
    kind = f"{rule.kind} {rule.word}" if rule.kind == "attack_on" else rule.kind
    keyword = BIT[rule.word] if kind == "attack_with" and rule.word != "hero" else 0
    ratio = exact(rule.number).as_integer_ratio() if kind == "trade_below" else (0, 1)
    amount = int(rule.number) if kind.startswith("keep_") else 0
    return _RULES.index(kind), keyword, ratio, rule.word if kind == "play" else "", amount
