"""The best turn by trying everything: slow, simple, and the judge of the formulations on small states."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction

from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, Play
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, hero_attack
from planner.games.hearthstone.turn.hardrules import attack_allowed, play_allowed
from planner.games.hearthstone.turn.judge import Judge
from planner.games.hearthstone.turn.weights import Weights
from planner.planning.search import Branch, Ending, Search, Worth


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


class TurnOfState:
    """One turn as the search of any game sees it. Chance ends it, and counts by what it earns on average."""

    def __init__(self, start: GameState, weights: Weights) -> None:
        self._weights = weights
        self._judge = Judge(start, weights)

    def actions(self, state: GameState) -> Iterator[Action]:
        """What may be done besides ending the turn."""
        return allowed_actions(state, self._weights)

    def taking(self, state: GameState, action: Action) -> list[Branch[GameState]] | None:
        """Where the action leads."""
        found = self._judge.taking(state, action)
        return None if found is None else [Branch(*found)]

    def ending(self, state: GameState) -> Ending | None:
        """What ending the turn here earns."""
        worth = self._judge.ending(state)
        return None if worth is None else Ending(worth)

    def key(self, state: GameState) -> Hashable:
        """Equal for states from which the rest of the turn is the same."""
        return position(state)


def best_by_search(state: GameState, weights: Weights) -> tuple[Worth, list[Action]]:
    """The objective's true maximum over all legal sequences, and the shortest sequence that earns it.

    A sequence ends with the first action about which chance decides; it counts for what it earns on average.
    """
    found = Search(TurnOfState(state, weights)).best(state)
    assert found is not None  # ending the turn at once keeps every rule
    objective = Fraction(found.worth) / weights.integer_scale()
    return int(objective) if objective.denominator == 1 else objective, list(found.actions)


def _attack_allowed(state: GameState, action: Attack, weights: Weights) -> bool:
    back = None
    if action.target != ENEMY_HERO:
        back = next(minion.attack for minion in state.enemy.board if minion.id == action.target)
    if action.attacker == MY_HERO:
        return attack_allowed(weights, hero_attack(state.me), None, back)
    minion = next(minion for minion in state.me.board if minion.id == action.attacker)
    return attack_allowed(weights, minion.attack, minion.keywords, back)


def position(state: GameState) -> Hashable:
    """What matters for the rest of the turn: of the order in which minions entered, only that of those with texts."""
    me, enemy = state.me, state.enemy
    told = sorted(minion.entered for minion in (*me.board, *enemy.board) if minion.card.effects)
    rank = {entered: place for place, entered in enumerate(told, start=1)}
    mine = frozenset(minion._replace(entered=rank.get(minion.entered, 0)) for minion in me.board)
    theirs = frozenset(minion._replace(entered=rank.get(minion.entered, 0)) for minion in enemy.board)
    return mine, theirs, me._replace(board=()), enemy._replace(board=())
