"""The compiled engine asked for a turn: what it needs as plain numbers, and what it answers as a value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from planner.games.hearthstone import engine
from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hardrules import hero_must_live, keep
from planner.games.hearthstone.turn.weights import SIGNS, Weights, exact
from planner.planning.plan import ACTION_LIMIT, EFFORT_LIMIT, FINISHED, TIME_LIMIT

_STOPPED: Final = (FINISHED, TIME_LIMIT, EFFORT_LIMIT, ACTION_LIMIT)  # in the order of the engine's enumeration
EVERY_SHORTCUT: Final = 0xFFFFFFFF


@dataclass(frozen=True)
class NativeTurn:
    """A turn that the engine found, and what it claims for it."""

    actions: tuple[Action, ...]
    worth: Fraction  # in the weights' own units


@dataclass(frozen=True)
class NativeAnswer:
    """What the engine found out about a turn."""

    turns: tuple[NativeTurn, ...]  # best first; none where no turn keeps every hard rule
    stopped: str
    left_out: bool  # were states left out because a bound says that they cannot be better?
    all_chances: bool  # were all chances listed to their end?
    states: int
    bound: Fraction | None  # no turn is worth more; None where nothing is known

    @property
    def proved(self) -> bool:
        """Is the first turn the best there is?"""
        return self.stopped == FINISHED


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

    value_scale = 1
    for held in state.me.hand:
        if not isinstance(held.value, int):
            value_scale = math.lcm(value_scale, exact(held.value).denominator)
    answer = _engine.best_turns(
        state, _signed(weights, value_scale), value_scale, _hard_rules(state, weights), list(banned),
        turns, worst, time_limit or 0.0, effort or 0, shortcuts, list(hint),
    )  # fmt: skip
    if answer is None:
        return None
    found, stopped, left_out, all_chances, states, bound = answer
    scale = weights.integer_scale() * value_scale
    return NativeAnswer(
        tuple(NativeTurn(tuple(actions), Fraction(top, bottom * scale)) for actions, top, bottom in found),
        _STOPPED[stopped],
        left_out,
        all_chances,
        states,
        None if bound is None else Fraction(bound[0], bound[1] * scale),
    )


def _signed(weights: Weights, value_scale: int) -> tuple[int, ...]:
    """The weight of every term, with its sign, in the order of `SIGNS`."""
    scaled = weights.scaled()
    return tuple(
        sign * scaled.get(term, 0) * (1 if term == "card_value" else value_scale)  # values bring the scale along
        for term, sign in SIGNS.items()
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
        keep(weights, "keep_mana", me.mana), keep(weights, "keep_minions", len(me.board)),
        keep(weights, "keep_cards", len(me.hand)),
    )  # fmt: skip
