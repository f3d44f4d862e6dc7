"""The compiled engine asked for a turn: what it needs as plain numbers, and what it answers as a value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from planner.games.hearthstone import engine
from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import (
    TERM_SIGNS,
    Weights,
    exact,
    hero_must_live,
    required_amount,
)
from planner.planning.plan import Stopped

if TYPE_CHECKING:
    from planner.games.hearthstone.turn.thesis_program import Choice

# In the order of the engine's enumeration.
_STOPPED: Final = (Stopped.FINISHED, Stopped.TIME_LIMIT, Stopped.EFFORT_LIMIT, Stopped.ACTION_LIMIT)
_SHORTEST: Final = 1e-9  # seconds: 0 is no limit for the engine
EVERY_SHORTCUT: Final = 0xFFFFFFFF
EVERY_PRUNE: Final = 0xFFFFFFFF
BOUND: Final = 1 << 3  # the shortcut by which states are left out that cannot be better


@dataclass(frozen=True)
class NativeTurn:
    """A turn that the engine found, and what it claims for it."""

    actions: tuple[Action, ...]
    worth: Fraction  # in the weights' own units


@dataclass(frozen=True)
class NativeAnswer:
    """What the engine found out about a turn."""

    turns: tuple[NativeTurn, ...]  # best first; none where no turn keeps every hard rule
    stopped: Stopped
    left_out: bool  # were states left out because a bound says that they cannot be better?
    states: int
    bound: Fraction | None  # no turn is worth more; None where nothing is known

    @property
    def proved(self) -> bool:
        """Is the first turn the best there is?"""
        return self.stopped == Stopped.FINISHED


def best_turns(
    state: GameState,
    weights: Weights,
    *,
    turns: int = 1,
    banned: Sequence[Action] = (),
    hint: Sequence[Action] = (),
    time_limit: float | None = None,
    effort: int | None = None,
    worst: bool = False,
    shortcuts: int = EVERY_SHORTCUT,
) -> NativeAnswer | None:
    """The best turns by the engine; None where the engine is not there or does not know something in this state.

    `worst`: an action about which chance decides counts for the worst that may come of it, not for the average.
    """
    if not engine.available():
        return None
    from planner.games.hearthstone import _engine  # noqa: PLC0415  (it may not be there)

    asked = _as_numbers(state, weights)
    seconds = 0.0 if time_limit is None else max(time_limit, _SHORTEST)
    answer = _engine.best_turns(
        *asked, list(banned), turns, worst, seconds, effort or 0, shortcuts, list(hint),
    )  # fmt: skip
    if answer is None:
        return None
    found, stopped, left_out, all_chances, states, bound = answer
    scale = weights.integer_scale() * asked.value_scale
    return NativeAnswer(
        tuple(NativeTurn(tuple(actions), Fraction(top, bottom * scale)) for actions, top, bottom in found),
        Stopped.CHANCE_LIMIT if _STOPPED[stopped] == Stopped.FINISHED and not all_chances else _STOPPED[stopped],
        left_out,
        states,
        None if bound is None else Fraction(bound[0], bound[1] * scale),
    )


class BoundCompared(NamedTuple):
    """The engine's bound beside the truth, over the states of a turn."""

    states: int  # that were looked at to the end of the turn
    bounded: int  # for which a bound is known
    excess: Fraction  # the most by which the truth was above a bound: 0, or the bound is wrong


def compare_bound(state: GameState, weights: Weights, *, effort: int, worst: bool = False) -> BoundCompared | None:
    """How the bound keeps at every state of a turn that the search reaches; None where the engine declines."""
    from planner.games.hearthstone import _engine  # noqa: PLC0415

    asked = _as_numbers(state, weights)
    answer = _engine.compare_bound(*asked, worst, effort)
    if answer is None:
        return None
    states, bounded, (top, bottom) = answer
    return BoundCompared(states, bounded, Fraction(top, bottom * weights.integer_scale() * asked.value_scale))


class VanillaPlan(NamedTuple):
    """The plan of the vanilla solver."""

    actions: tuple[Action, ...]
    score: Fraction
    bound: Fraction | None  # None where nothing is known
    hero_lives: bool  # our hero, at the end
    proved: bool


def plan_vanilla(state: GameState, weights: Weights, *, prunes: int = EVERY_PRUNE, work: int = 0) -> VanillaPlan | None:
    """Return the best turn by the vanilla solver; None where the turn is not vanilla, or the engine declines."""
    from planner.games.hearthstone import _engine  # noqa: PLC0415

    asked = _as_numbers(state, weights)
    answer = _engine.plan_vanilla(*asked, [], prunes, work)
    if answer is None:
        return None
    actions, score, bound, hero_lives, proved = answer
    scale = weights.integer_scale() * asked.value_scale
    known = None if bound is None else Fraction(bound, scale)
    return VanillaPlan(tuple(actions), Fraction(score, scale), known, hero_lives, proved)


def thesis_choice(state: GameState, weights: Weights) -> Choice | None:
    """Return the optimum of Guo's model; None where the engine is not available or declines."""
    if not engine.available():
        return None
    from planner.games.hearthstone import _engine  # noqa: PLC0415
    from planner.games.hearthstone.turn.thesis_program import Choice  # noqa: PLC0415  (numpy)

    asked = _as_numbers(state, weights)
    answer = _engine.thesis_choice(asked.state, asked.weights, asked.value_scale)
    if answer is None:
        return None
    objective, plays, hits, face = answer
    return Choice(objective, weights.integer_scale() * asked.value_scale, plays, hits, face)


class _Asked(NamedTuple):
    """A turn as the engine is told of it."""

    state: GameState
    weights: tuple[int, ...]
    value_scale: int
    hard_rules: tuple[object, ...] | None


def _as_numbers(state: GameState, weights: Weights) -> _Asked:
    scale = 1
    for held in state.me.hand:
        if not isinstance(held.value, int):
            scale = math.lcm(scale, exact(held.value).denominator)
    return _Asked(state, _signed(weights, scale), scale, _hard_rules(state, weights))


def _signed(weights: Weights, value_scale: int) -> tuple[int, ...]:
    """The weight of every term, with its sign, in the order of `TERM_SIGNS`."""
    scaled = weights.scaled()
    return tuple(
        sign * scaled.get(term, 0) * (1 if term == "card_value" else value_scale)  # values bring the scale along
        for term, sign in TERM_SIGNS.items()
    )


def _hard_rules(state: GameState, weights: Weights) -> tuple[object, ...] | None:
    if not (weights.forbid or weights.require):
        return None
    attack_with, no_hero, no_face, no_trades = 0, False, False, False
    ratios: list[tuple[int, int]] = []
    names: list[str] = []
    for rule in weights.forbid:
        if rule.kind == "attack_with":
            if rule.word == "hero":
                no_hero = True
            else:
                attack_with |= BIT[rule.word]
        elif rule.kind == "attack_on":
            no_face |= rule.word == "hero"
            no_trades |= rule.word == "minions"
        elif rule.kind == "trade_below":
            ratios.append(exact(rule.number).as_integer_ratio())
        elif rule.kind == "play":
            names.append(rule.word)
    me = state.me
    return (
        attack_with, no_hero, no_face, no_trades, hero_must_live(weights), ratios, names,
        required_amount(weights, "keep_mana", me.mana), required_amount(weights, "keep_minions", len(me.board)),
        required_amount(weights, "keep_cards", len(me.hand)),
    )  # fmt: skip
