"""The best turn by trying everything: slow, simple, and the judge of the formulations on small states."""

from __future__ import annotations

from collections.abc import Iterator

from planner.rules.actions import Action, Attack, EndTurn, Play
from planner.rules.legal import legal_actions
from planner.rules.resolve import apply_verified
from planner.rules.state import ENEMY_HERO, MY_HERO, GameState, hero_attack
from planner.turn.hardrules import attack_allowed, end_allowed, play_allowed
from planner.turn.objective import SIGNS, Step, at_end, starting_health, step
from planner.turn.weights import Number, Weights


def allowed_actions(state: GameState, weights: Weights) -> Iterator[Action]:
    """The legal actions of the rest of this turn that the profile's hard rules allow."""
    for action in legal_actions(state):
        if isinstance(action, Attack):
            if _attack_allowed(state, action, weights):
                yield action
        elif isinstance(action, Play):
            if play_allowed(weights, next(held.card.name for held in state.me.hand if held.id == action.card)):
                yield action
        elif not isinstance(action, EndTurn):
            yield action


def best_by_search(state: GameState, weights: Weights) -> tuple[Number, list[Action]]:
    """The objective's true maximum over all legal sequences, and the first sequence found that earns it."""
    given = weights.terms()
    signed = {term: SIGNS.get(term, 1) * weight for term, weight in given.items()}
    factors = [signed[term] for term in Step._fields]
    health = starting_health(state)
    memo: dict[object, tuple[Number | None, Action | None]] = {}

    def best(now: GameState) -> Number | None:
        key = _position(now)
        if key in memo:
            return memo[key][0]
        value: Number | None = None
        if end_allowed(weights, state, now):
            value = sum(signed[term] * amount for term, amount in at_end(now, health).items())
        choice: Action | None = None
        for action in allowed_actions(now, weights):
            later = best(apply_verified(now, action))
            if later is not None:
                worth = later + sum(f * x for f, x in zip(factors, step(now, action), strict=True))
                if value is None or worth > value:
                    value, choice = worth, action
        memo[key] = value, choice
        return value

    total = best(state)
    assert total is not None  # ending the turn at once keeps every rule
    actions: list[Action] = []
    while (action := memo[_position(state)][1]) is not None:
        actions.append(action)
        state = apply_verified(state, action)
    return total, actions


def _attack_allowed(state: GameState, action: Attack, weights: Weights) -> bool:
    back = None
    if action.target != ENEMY_HERO:
        back = next(minion.attack for minion in state.enemy.board if minion.id == action.target)
    if action.attacker == MY_HERO:
        return attack_allowed(weights, hero_attack(state.me), None, back)
    minion = next(minion for minion in state.me.board if minion.id == action.attacker)
    return attack_allowed(weights, minion.attack, minion.keywords, back)


def _position(state: GameState) -> object:
    """What matters for the rest of the turn: the order in which minions entered does not, without effects."""
    me, enemy = state.me, state.enemy
    if any(minion.card.effects for minion in (*me.board, *enemy.board)):
        return state
    mine = frozenset(minion._replace(entered=0) for minion in me.board)
    theirs = frozenset(minion._replace(entered=0) for minion in enemy.board)
    return mine, theirs, me._replace(board=()), enemy._replace(board=())
