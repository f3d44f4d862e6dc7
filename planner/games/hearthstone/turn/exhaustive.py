"""The best turn by trying everything with the referee: slow and simple. It judges the engine and the formulations on
small states, and plans where there is no engine, or where a card calls a function that the engine does not know."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from fractions import Fraction

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.keywords import MAGNETIC, REBORN
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, Play
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, Minion, hero_attack
from planner.games.hearthstone.turn.hardrules import attack_allowed, play_allowed
from planner.games.hearthstone.turn.judge import Judge
from planner.games.hearthstone.turn.weights import Weights
from planner.planning.search import Branch, Ending, Search, Worth


def allowed_actions(state: GameState, weights: Weights, banned: Collection[Action] = ()) -> Iterator[Action]:
    """The legal actions of the rest of this turn that the profile's hard rules allow."""
    for action in legal_actions(state):
        if isinstance(action, EndTurn) or action in banned:
            continue
        if weights.forbid:
            if isinstance(action, Attack) and not _attack_allowed(state, action, weights):
                continue
            if isinstance(action, Play):
                name = next(held.card.name for held in state.me.hand if held.id == action.card)
                if not play_allowed(weights, name):
                    continue
        yield action


class TurnOfState:
    """One turn as the search of any game sees it. Chance ends it, and counts by what it earns on average."""

    def __init__(self, start: GameState, weights: Weights, banned: Collection[Action] = ()) -> None:
        self._weights, self._banned = weights, banned
        self._judge = Judge(start, weights)
        self._everybody_counts = reborn_is_given(start)

    @property
    def all_chances(self) -> bool:
        """Were all chances that were met listed to their end? Otherwise nothing is proved."""
        return self._judge.all_chances

    def actions(self, state: GameState) -> Iterator[Action]:
        """What may be done besides ending the turn."""
        return allowed_actions(state, self._weights, self._banned)

    def taking(self, state: GameState, action: Action) -> list[Branch[GameState]] | None:
        """Where the action leads."""
        found = self._judge.certain(state, action)
        if found is not None:
            return [Branch(*found)]
        ended = self._judge.expected(state, action)
        return None if ended is None else [Branch(ended.worth, None, preference=ended.preference)]

    def ending(self, state: GameState) -> Ending | None:
        """What ending the turn here earns."""
        return self._judge.ending(state)

    def key(self, state: GameState) -> Hashable:
        """Equal for states from which the rest of the turn is the same."""
        found = position(state, self._everybody_counts)
        return (found, state.clock) if self._banned else found  # the clock names those who come next, who may be banned


def best_by_search(state: GameState, weights: Weights) -> tuple[Worth, list[Action]]:
    """The objective's true maximum over all legal sequences, and the shortest sequence that earns it.

    A sequence ends with the first action about which chance decides; it counts for what it earns on average.
    """
    found = Search(TurnOfState(state, weights)).best(state)
    assert found is not None  # for states in which ending the turn at once keeps every rule
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


def position(state: GameState, everybody_counts: bool = True) -> Hashable:
    """What matters for the rest of the turn: of the order in which minions entered, only that of those whose end or
    turn sets something off, or, where somebody can be given another life, that of all."""
    me, enemy = state.me, state.enemy
    counting = [m for m in (*me.board, *enemy.board) if everybody_counts or _sets_something_off(m)]
    # Of equally old ones ours come first, left before right; a sort keeps that.
    rank = {minion.id: place for place, minion in enumerate(sorted(counting, key=lambda m: m.entered), start=1)}
    mine = frozenset(minion._replace(entered=rank.get(minion.id, 0)) for minion in me.board)
    theirs = frozenset(minion._replace(entered=rank.get(minion.id, 0)) for minion in enemy.board)
    return mine, theirs, me._replace(board=(), cards_played=min(me.cards_played, 1)), enemy._replace(board=())


def _sets_something_off(minion: Minion) -> bool:
    return bool(minion.card.effects) or bool(minion.keywords & REBORN)


def reborn_is_given(state: GameState) -> bool:
    """Can a card that is here, or that one of these makes, give somebody another life?"""
    waiting: list[Card] = [minion.card for player in (state.me, state.enemy) for minion in player.board]
    waiting += [held.card for player in (state.me, state.enemy) for held in player.hand]
    waiting += [power for player in (state.me, state.enemy) if (power := player.power) is not None]
    waiting += [weapon.card for player in (state.me, state.enemy) if (weapon := player.weapon) is not None]
    known: set[int] = set()
    while waiting:
        card = waiting.pop()
        if id(card) in known:
            continue
        known.add(id(card))
        if card.keywords & MAGNETIC and card.keywords & REBORN:
            return True
        for effect in card.effects:
            if effect.keywords & REBORN or effect.do == "hook":
                return True
            waiting += effect.made
    return False
