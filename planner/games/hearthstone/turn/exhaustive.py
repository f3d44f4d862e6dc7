"""The best turn by trying everything: slow, simple, and the judge of the formulations on small states."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, Play
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, hero_attack
from planner.games.hearthstone.turn.hardrules import attack_allowed, play_allowed
from planner.games.hearthstone.turn.judge import Judge, Worth
from planner.games.hearthstone.turn.weights import Weights


def allowed_actions(state: GameState, weights: Weights) -> Iterator[Action]:
    """The legal actions of the rest of this turn that the profile's hard rules allow."""
    if not weights.forbid:
        yield from (action for action in legal_actions(state) if not isinstance(action, EndTurn))
        return
    for action in legal_actions(state):
        if isinstance(action, Attack):
            if _attack_allowed(state, action, weights):
                yield action
        elif isinstance(action, Play):
            if play_allowed(weights, next(held.card.name for held in state.me.hand if held.id == action.card)):
                yield action
        elif not isinstance(action, EndTurn):
            yield action


def best_by_search(state: GameState, weights: Weights) -> tuple[Worth, list[Action]]:
    """The objective's true maximum over all legal sequences, and the first sequence found that earns it.

    A sequence ends with the first action about which chance decides; it counts for what it earns on average.
    """
    judge = Judge(state, weights)
    memo: dict[object, tuple[Worth | None, Action | None]] = {}

    def best(now: GameState) -> Worth | None:
        key = position(now)
        if key in memo:
            return memo[key][0]
        value, choice = judge.ending(now), None
        for action in allowed_actions(now, weights):
            found = judge.taking(now, action)
            if found is not None:
                worth, after = found
                later = best(after) if after is not None else 0
                if later is not None and (value is None or worth + later > value):
                    value, choice = worth + later, action
        memo[key] = value, choice
        return value

    total = best(state)
    assert total is not None  # ending the turn at once keeps every rule
    actions: list[Action] = []
    now: GameState | None = state
    while now is not None and (action := memo[position(now)][1]) is not None:
        actions.append(action)
        found = judge.taking(now, action)
        assert found is not None
        now = found[1]
    objective = Fraction(total) / weights.integer_scale()
    return int(objective) if objective.denominator == 1 else objective, actions


def _attack_allowed(state: GameState, action: Attack, weights: Weights) -> bool:
    back = None
    if action.target != ENEMY_HERO:
        back = next(minion.attack for minion in state.enemy.board if minion.id == action.target)
    if action.attacker == MY_HERO:
        return attack_allowed(weights, hero_attack(state.me), None, back)
    minion = next(minion for minion in state.me.board if minion.id == action.attacker)
    return attack_allowed(weights, minion.attack, minion.keywords, back)


def position(state: GameState) -> object:
    """What matters for the rest of the turn: of the order in which minions entered, only that of those with texts."""
    me, enemy = state.me, state.enemy
    told = sorted(minion.entered for minion in (*me.board, *enemy.board) if minion.card.effects)
    rank = {entered: place for place, entered in enumerate(told, start=1)}
    mine = frozenset(minion._replace(entered=rank.get(minion.entered, 0)) for minion in me.board)
    theirs = frozenset(minion._replace(entered=rank.get(minion.entered, 0)) for minion in enemy.board)
    return mine, theirs, me._replace(board=()), enemy._replace(board=())
