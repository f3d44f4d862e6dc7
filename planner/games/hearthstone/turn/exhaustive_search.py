"""The best turn by trying everything with the referee: slow and simple.

It checks the engine and the formulations on small states, and plans where the engine is not available, or where a
card calls a function that the engine does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import NamedTuple

from planner.games.hearthstone.cards.effect_reads import Reads
from planner.games.hearthstone.cards.keywords import REBORN
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, Play
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.resolve import IllegalActionError
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, Minion, hero_attack, is_over
from planner.games.hearthstone.turn.hearthstone_weights import Weights, attack_allowed, play_allowed
from planner.games.hearthstone.turn.legal_order import VanillaChoice, find_legal_order
from planner.games.hearthstone.turn.scoring import Earned, Evaluator, replay
from planner.games.hearthstone.turn.turn_effects import is_vanilla, reads_within_reach
from planner.games.hearthstone.turn.vanilla_units import Life, enemy_lives, hits_along, own_units
from planner.planning.plan import Clock, Stopped
from planner.planning.search import Branch, Ending, Search


def allowed_actions(state: GameState, weights: Weights, banned: Collection[Action] = ()) -> Iterator[Action]:
    """Yield the legal actions of the rest of this turn that the profile's hard rules allow."""
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


def _attack_allowed(state: GameState, action: Attack, weights: Weights) -> bool:
    back = None
    if action.target != ENEMY_HERO:
        back = next(minion.attack for minion in state.enemy.board if minion.id == action.target)
    if action.attacker == MY_HERO:
        return attack_allowed(weights, hero_attack(state.me), None, back)
    minion = next(minion for minion in state.me.board if minion.id == action.attacker)
    return attack_allowed(weights, minion.attack, minion.keywords, back)


class SearchableTurn:
    """One turn in the form that the search of any game expects.

    An action about which chance decides ends the turn, and counts for what it earns on average.
    """

    def __init__(self, start: GameState, weights: Weights, banned: Collection[Action] = ()) -> None:
        self._weights, self._banned = weights, banned
        self._evaluator = Evaluator(start, weights)
        self._reads = reads_within_reach(start)
        cards = (
            card
            for player in (start.me, start.enemy)
            for zone in (player.board, player.hand, player.deck)
            for card in zone
        )
        self._clock_matters = bool(banned) or any(card.id.startswith("new.") for card in cards)

    @property
    def all_outcomes(self) -> bool:
        """Whether every outcome of chance was listed; otherwise nothing is proved."""
        return self._evaluator.all_outcomes

    def actions(self, state: GameState) -> Iterator[Action]:
        """Yield the allowed actions without ending the turn."""
        return allowed_actions(state, self._weights, self._banned)

    def taking(self, state: GameState, action: Action) -> list[Branch[GameState]] | None:
        """Return where the action leads."""
        transition = self._evaluator.certain(state, action)
        if transition is not None:
            return [Branch(*transition)]
        end = self._evaluator.expected(state, action)
        return None if end is None else [Branch(end.score, None, preference=end.preference)]

    def ending(self, state: GameState) -> Ending | None:
        """Return what ending the turn here earns."""
        return self._evaluator.ending(state)

    def key(self, state: GameState) -> Hashable:
        """Return the same key for states from which the rest of the turn is the same."""
        key = position_key(state, self._reads)
        # The clock decides the ids of minions to come. An action with such an id may be banned, or the id may be that
        # of another minion.
        return (key, state.clock) if self._clock_matters else key

    def completed(self, search: Search[GameState, Action], start: GameState) -> tuple[Action, ...]:
        """Return the best turn that comes first in the tie-break order, after `search` has finished.

        The order is described in docs/explanation/formulation.md ("Tie-breaking").
        """
        actions, state = first_best_line(search, start, lambda now: is_vanilla(now) and not is_over(now))
        if state is not None:
            actions += _VanillaTieBreak(search, state, self._weights).actions(start, actions)
        return tuple(actions)

    def reason(self, stopped: Stopped) -> Stopped:
        """Return `stopped`, or why a finished search of this turn proves nothing."""
        return Stopped.CHANCE_LIMIT if stopped == Stopped.FINISHED and not self.all_outcomes else stopped


def position_key(state: GameState, reads: Reads) -> Hashable:
    """Return what matters for the rest of the turn, where the cards within reach read this much of a state.

    Unless a card reads the order of arrival, it counts only among minions with effects or reborn; unless a card reads
    positions, they do not count.
    """
    if Reads.ANYTHING_ELSE in reads:
        return state
    me, enemy = state.me, state.enemy
    ordered = [
        minion
        for minion in (*me.board, *enemy.board)
        if Reads.ARRIVAL_ORDER in reads or minion.card.effects or minion.keywords & REBORN
    ]
    # Of equally old minions ours come first, left before right: the sort is stable.
    ordered.sort(key=lambda minion: minion.entered)
    rank = {minion.id: number for number, minion in enumerate(ordered, start=1)}

    def board_key(board: Sequence[Minion]) -> Hashable:
        minions = [minion._replace(entered=rank.get(minion.id, 0)) for minion in board]
        return tuple(minions) if Reads.BOARD_POSITION in reads else frozenset(minions)

    players = me._replace(board=(), cards_played=min(me.cards_played, 1)), enemy._replace(board=())
    return board_key(me.board), board_key(enemy.board), *players


# -- the tie-break


def first_best_line(
    search: Search[GameState, Action], start: GameState, until: Callable[[GameState], bool]
) -> tuple[list[Action], GameState | None]:
    """Return the best turn whose actions come first in legal order, up to the first state for which `until` holds.

    The state is that one, or None where the turn ends before.
    """
    actions: list[Action] = []
    state: GameState | None = start
    while state is not None and not until(state):
        action, state = next(search.equally_good(state), (None, None))
        if action is not None:
            actions.append(action)
    return actions, state


class _Step(NamedTuple):
    """The best way to go on from a state: its digits, and its first action (None: end the turn)."""

    digits: tuple[int, ...]
    action: Action | None
    state: GameState | None


class _VanillaTieBreak:
    """Chooses among the best turns from a vanilla state.

    The digits of a turn are the number of each card (0 if it is played, else 1) in hand order, then for each unit and
    each of its attacks the index of the target: enemy minions in board order, the hero, no attack. The turn with the
    lexicographically smallest digits is chosen. Every action decides one digit, so the rest of a turn can be chosen
    without knowing how its state was reached, apart from the number of attacks that each unit has made.
    """

    _MAX_ATTACKS = 10  # of one unit in a turn

    def __init__(self, search: Search[GameState, Action], state: GameState, weights: Weights) -> None:
        self._search, self._state, self._weights = search, state, weights
        self._units = own_units(state, weights)
        self._unit_index = {unit.id: index for index, unit in enumerate(self._units)}
        cards = [unit.id for unit in self._units if unit.held is not None]
        self._card_digit = {card: index for index, card in enumerate(cards)}
        lives = enemy_lives(state.enemy)
        self._targets: list[Life | None] = [*lives, None]
        self._first = {life.id: index for index, life in enumerate(lives) if not life.second}
        self._no_action = (1,) * len(cards) + (len(self._targets),) * (len(self._units) * self._MAX_ATTACKS)
        self._known: dict[tuple[GameState, tuple[int, ...]], _Step] = {}

    def actions(self, start: GameState, prefix: Sequence[Action]) -> list[Action]:
        """Return the chosen rest of the turn that began in `start` with `prefix`, in its canonical order."""
        plays: list[Play] = []
        targets: list[list[Life | None]] = [[] for _ in self._units]
        state: GameState | None = self._state
        made = (0,) * len(self._units)
        found: list[Action] = []
        while state is not None:
            step = self._best(state, made)
            found += [] if step.action is None else [step.action]
            if isinstance(step.action, Play):
                plays.append(step.action)
            elif isinstance(step.action, Attack):
                unit = self._unit_index[step.action.attacker]
                targets[unit].append(self._targets[self._target(state, step.action)])
                made = _incremented(made, unit)
            state = step.state
        plays.sort(key=lambda play: self._card_digit[play.card])
        paths = [hits_along(unit, path) for unit, path in zip(self._units, targets, strict=True)]
        heals_count = bool(self._weights.scaled().get("enemy_health"))
        choice = VanillaChoice(self._state, self._units, plays, paths, heals_count)
        best = replay(start, (*prefix, *found))
        goal = best.scaled_score(self._weights), best.end.me.hero.health > 0

        def certify(order: Sequence[Action]) -> Earned | None:
            try:
                earned = replay(start, (*prefix, *order))
            except IllegalActionError:
                return None
            return earned if (earned.scaled_score(self._weights), earned.end.me.hero.health > 0) == goal else None

        ordered = find_legal_order(choice, certify, Clock(None))
        return found if ordered is None else ordered[0]  # rarely, the canonical order is not found

    def _target(self, state: GameState, action: Attack) -> int:
        if action.target == ENEMY_HERO:
            return len(self._targets) - 1
        first = self._first[action.target]
        now = next(minion for minion in state.enemy.board if minion.id == action.target)
        life = self._targets[first]
        assert life is not None
        return first + bool(life.keywords & REBORN and not now.keywords & REBORN)

    def _best(self, state: GameState, made: tuple[int, ...]) -> _Step:
        key = state._replace(clock=0), made
        if key in self._known:
            return self._known[key]
        best: _Step | None = None
        for action, after in self._search.equally_good(state):
            assert after is not None  # chance decides about nothing in a vanilla turn
            if isinstance(action, Attack):
                unit = self._unit_index[action.attacker]
                digit = len(self._card_digit) + unit * self._MAX_ATTACKS + made[unit]
                value, then = self._target(state, action), _incremented(made, unit)
            else:
                assert isinstance(action, Play)
                digit, value, then = self._card_digit[action.card], 0, made
            later = self._best(after, then).digits
            digits = (*later[:digit], value, *later[digit + 1 :])
            if best is None or digits < best.digits:
                best = _Step(digits, action, after)
        self._known[key] = best or _Step(self._no_action, None, None)
        return self._known[key]


def _incremented(counts: tuple[int, ...], index: int) -> tuple[int, ...]:
    return (*counts[:index], counts[index] + 1, *counts[index + 1 :])
