"""Hard rules of a profile: which actions they allow, and which ends of a turn.

A requirement never asks for more than ending the turn at once would leave, so there is always a plan that
keeps every rule.
"""

from __future__ import annotations

from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.weights import Weights, exact
from planner.planning.weights import HardRule


def attack_allowed(weights: Weights, attack: int, keywords: int | None, back: int | None) -> bool:
    """May a character with this attack and these keywords (None: the hero) hit a target that deals `back`?

    `back` is None where the target is the enemy hero.
    """
    return all(_attack_allowed(rule, attack, keywords, back) for rule in weights.forbid)


def _attack_allowed(rule: HardRule, attack: int, keywords: int | None, back: int | None) -> bool:
    if rule.kind == "attack_with":
        if rule.word == "hero":
            return keywords is not None
        return keywords is None or not keywords & BIT[rule.word]
    if rule.kind == "attack_on":
        return (back is None) != (rule.word == "hero")
    if rule.kind == "trade_below":
        return not back or attack >= exact(rule.number) * back
    return True


def play_allowed(weights: Weights, card_name: str) -> bool:
    """May this card be played?"""
    return not any(rule.kind == "play" and rule.word == card_name for rule in weights.forbid)


def keep(weights: Weights, kind: str, at_once: int) -> int:
    """How much must be left of what `keep_mana`, `keep_minions` or `keep_cards` counts, of `at_once` now."""
    wanted = max((int(rule.number) for rule in weights.require if rule.kind == kind), default=0)
    return min(wanted, at_once)


def hero_must_live(weights: Weights) -> bool:
    """Is a plan in which the own hero dies forbidden?"""
    return any(rule.kind == "own_hero_death" for rule in weights.forbid)


def end_allowed(weights: Weights, start: GameState, end: GameState) -> bool:
    """May the turn that began in `start` end in `end`?"""
    me = end.me
    return (
        me.mana >= keep(weights, "keep_mana", start.me.mana)
        and len(me.board) >= keep(weights, "keep_minions", len(start.me.board))
        and len(me.hand) >= keep(weights, "keep_cards", len(start.me.hand))
        and (me.hero.health > 0 or not hero_must_live(weights))
    )
