"""The best turn where texts matter: every line of actions with a text, and behind each the best plain turn.

A line alternates actions that do more than a plain play or blow (texts) with the plain actions that must come before
them. Plain actions that no later text needs are not part of a line: the plain formulation finds the best of them, and
proves it, for the state in which the line ends. Three things keep the lines few: orders that make no difference are
looked at once (footprints.py), states that are reached twice are gone on from once, and lines that cannot become
better than the best so far are left (promise.py). docs/formulation.md says why none of them loses the optimum.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, cast

from planner.games.hearthstone.cards.keywords import CHARGE, REBORN, RUSH
from planner.games.hearthstone.rules.actions import Action, Attack, HeroPower, Play
from planner.games.hearthstone.rules.legal import is_over
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, Minion
from planner.games.hearthstone.turn.choices import (
    futile_chances,
    name_of,
    never_on_our_own,
    one_of_each,
    target_of,
    we_may_die,
)
from planner.games.hearthstone.turn.exhaustive import allowed_actions
from planner.games.hearthstone.turn.footprints import FALLEN, FOE, MINE, THEIRS, Footprint, Footprints, guards, meets
from planner.games.hearthstone.turn.judge import Judge, Worth
from planner.games.hearthstone.turn.lexicographic import Clock, OutOfTimeError
from planner.games.hearthstone.turn.plain import Chosen, PlainTurn, fallen
from planner.games.hearthstone.turn.promise import Promise
from planner.games.hearthstone.turn.reaches import Dangers, Reach, Reaches
from planner.games.hearthstone.turn.texts import (
    bodies_only,
    ends_plainly,
    plain_card,
    plain_hand,
    sealed,
    texts_in_hand,
)
from planner.games.hearthstone.turn.weights import Weights
from planner.solvers import Solver

Bag = frozenset[tuple[Action, int]]


def as_a_bag(actions: Sequence[Action]) -> Bag:
    """The actions of a turn in any order, each as often as it is taken."""
    return frozenset(Counter(actions).items())


class Line(NamedTuple):
    """A turn and what it is worth, times the weights' integer scale."""

    worth: Worth
    actions: tuple[Action, ...]


class _Node(NamedTuple):
    """A state on the way, and what was earned before it.

    `waiting`: plain actions since the last text that still wait for one that needs them; `last`: right behind a text,
    its place in the order of texts, and its footprint; `left`: own minions that left the board in these.
    """

    state: GameState
    gone: Worth
    waiting: tuple[Footprint, ...] = ()
    last: tuple[int, Footprint] | None = None
    left: int = 0


class _Chance(NamedTuple):
    """A turn that ends with an action about which chance decides, and what it earns at most."""

    most: float | Fraction
    path: tuple[Action, ...]
    state: GameState
    gone: Worth
    action: Action


class Lines:
    """The search for the best line of one turn."""

    def __init__(
        self,
        start: GameState,
        weights: Weights,
        solver: Solver,
        clock: Clock,
        shortcut: bool = True,
        banned: Sequence[Action] = (),
        known: Collection[Bag] = (),
        effort: int | None = None,
    ) -> None:
        """`shortcut`: plain turns without the solver, where that is proved to come to the same; `known`: turns, as bags
        of their actions, that are not wanted again; `effort`: so many states are looked at, at most."""
        self.start, self.weights, self.solver, self.clock = start, weights, solver, clock
        self.shortcut, self.banned, self.known = shortcut, banned, known
        self.effort = math.inf if effort is None else effort
        self.judge = Judge(start, weights)
        self.promise = Promise(weights, self.judge.health)
        self.footprints = Footprints()
        self.reaches = Reaches(self.footprints, start)
        self.best: Line | None = None
        self.nodes = 0
        self._path: list[Action] = []
        self._chances: list[_Chance] = []
        self._order = {held.id: place for place, held in enumerate(start.me.hand)}
        self._seen: dict[object, Worth] = {}
        self._loose_end: tuple[int, GameState] | None = None  # of the best line: its length, and where it ended

    def search(self) -> None:
        """Find the best line. Where time or effort is spent, `OutOfTimeError`, and `best` is the best so far."""
        try:
            self._visit(_Node(self.start, 0))
            self._try_chances()
        except OutOfTimeError:
            self._settle_ties()  # where effort is spent the plan is the same, too, whoever solved the program
            raise
        self._settle_ties()

    def _settle_ties(self) -> None:
        """Of several equal plain turns the solver gave any: take the one that all solvers agree on, if time is left."""
        if self._loose_end is None or self.best is None or self.clock.out():
            return
        length, state = self._loose_end
        turn = self._plain_turn(state, None)
        turn.solve(self.shortcut, self.banned)
        if turn.found is None or not turn.best.proved:
            return  # the time ran out: what was found before is worth as much
        actions = (*self.best.actions[:length], *turn.found.actions)
        if as_a_bag(actions) not in self.known:
            self.best = Line(self.best.worth, actions)

    def offer(self, actions: Sequence[Action]) -> None:
        """A turn to start from, as far as it is legal and certain: nothing that is worth less is looked at."""
        state, gone = self.start, cast("Worth", 0)
        for place, action in enumerate(actions):
            taken = self.judge.certain(state, action) if action in self._actions(state) else None
            if taken is None:
                actions = actions[:place]
                break
            gone, state = gone + taken[0], taken[1]
        ending = self.judge.ending(state)
        if ending is not None:
            self._offer(gone + ending, actions)

    def bound(self) -> float:
        """No less than any line is worth."""
        return max(self.promise.most(self.start), -math.inf if self.best is None else float(self.best.worth))

    def _offer(self, worth: Worth, actions: Sequence[Action], loose_end: GameState | None = None) -> bool:
        """Keep it if it is the best so far; False where it is not wanted again."""
        if self.known and as_a_bag((*self._path, *actions)) in self.known:
            return False
        if self.best is None or worth > self.best.worth:
            self.best = Line(worth, (*self._path, *actions))
            self._loose_end = None if loose_end is None else (len(self._path), loose_end)
        return True

    def _hopeless(self, state: GameState, gone: Worth, texts: bool = True) -> bool:
        return self.best is not None and not self.promise.exceeds(state, self.best.worth - gone, texts)

    def _visit(self, node: _Node) -> None:
        if self.clock.out() or self.nodes >= self.effort:
            raise OutOfTimeError
        state, gone, waiting, *_ = node
        key = (self._position(state), frozenset(waiting))
        before = self._seen.get(key)
        if before is not None and before >= gone:
            return
        if self._hopeless(state, gone):
            return
        self._seen[key] = gone
        self.nodes += 1
        if is_over(state):
            self._end_here(state, gone)
        elif not self.weights.require and ends_plainly(state, self.weights):
            self._extend(node)
        else:
            self._end_here(state, gone)
            for action in self._actions(state):
                taken = self.judge.certain(state, action)
                if taken is None:
                    self._leave_to_chance(state, gone, action)
                else:
                    self._go_on([(action, _Node(taken[1], gone + taken[0]))])

    def _position(self, state: GameState) -> object:
        """What matters for the rest of the turn: not the order in which minions without texts entered."""
        me, enemy = state.me, state.enemy
        mine, theirs = me.board, enemy.board
        if state.clock != self.start.clock:  # somebody has entered
            mine, theirs = self._in_any_order(mine), self._in_any_order(theirs)
        # The decks are only drawn from: their sizes say all.
        return (
            frozenset(mine), frozenset(theirs), me.hero, me.hand, len(me.deck), me[4:],
            enemy.hero, len(enemy.deck), enemy[4:],
        )  # fmt: skip

    def _in_any_order(self, board: tuple[Minion, ...]) -> tuple[Minion, ...]:
        return tuple(
            minion if minion.entered <= self.start.clock or minion.card.effects else minion._replace(entered=0)
            for minion in board
        )

    def _end_here(self, state: GameState, gone: Worth) -> None:
        ending = self.judge.ending(state)
        if ending is not None:
            self._offer(gone + ending, ())

    def _actions(self, state: GameState) -> Iterator[Action]:
        return (action for action in allowed_actions(state, self.weights) if action not in self.banned)

    def _extend(self, node: _Node) -> None:
        """From a state where a plain turn is well understood: end the line here, or go on to another text."""
        state, gone, waiting, _, left = node
        charged = sealed(state)
        if not waiting and not self._hopeless(state, gone, texts=False):
            self._finish(state, gone)
        if not (charged or texts_in_hand(state)):
            return
        plain_ids = {held.id for held in plain_hand(state)}
        texts: list[Action] = []
        plain: list[Action] = []
        for action in self._actions(state):
            is_plain = isinstance(action, Attack) or (isinstance(action, Play) and action.card in plain_ids)
            (plain if is_plain else texts).append(action)
        spared = never_on_our_own(state, self.promise)
        if spared:
            ours = {minion.id for minion in state.me.board if not minion.keywords & REBORN} - charged | {MY_HERO}
            texts = [text for text in texts if not (name_of(text) in spared and target_of(text) in ours)]
        if not waiting:
            texts = one_of_each(state, texts, self.judge.health)
        dangers = Dangers(lambda: self.promise.may_die(state), we_may_die(state))
        futile = futile_chances(state, self.promise)
        by_card, deaths = self.reaches.of(state, charged, spared, futile, left, dangers, self.promise.valid)
        self._go_on(self._children(node, texts, charged, by_card))
        self._go_on(self._plain_children(node, plain, charged, [*by_card.values(), *deaths]))

    def _finish(self, state: GameState, gone: Worth) -> None:
        """The best plain turn from here on."""
        excluded: list[Chosen] = []
        while True:
            turn = self._plain_turn(state, None if self.best is None else self.best.worth - gone)
            turn.solve(self.shortcut, self.banned, excluded, ties=False)
            if turn.found is None:
                if not turn.best.proved and self.clock.out():
                    raise OutOfTimeError
                return
            worth = Fraction(turn.found.claimed, turn.scale // self.weights.integer_scale())
            loose = None if turn.method == "sets" else state
            if self._offer(gone + (int(worth) if worth.denominator == 1 else worth), turn.found.actions, loose):
                return
            excluded.append(turn.found.chosen)

    def _plain_turn(self, state: GameState, beat: Worth | None) -> PlainTurn:
        return PlainTurn(
            bodies_only(state), self.weights, self.solver, self.clock,
            sealed=sealed(state), health=self.judge.health, beat=beat,
        )  # fmt: skip

    def _children(
        self, node: _Node, actions: Sequence[Action], charged: frozenset[str], reaches: Mapping[str, Reach]
    ) -> list[tuple[Action, _Node]]:
        """Where these texts lead, where all that waits for a text is needed for them.

        Two texts that do not meet are taken in one order: that of the hand, and the hero power last.
        """
        state, gone, waiting, last, left = node
        found = []
        for action in actions:
            if waiting and name_of(action) in reaches:
                reach, target = reaches[name_of(action)], target_of(action)
                if target is None and reach.one_of:
                    reach = reach.at(MINE | THEIRS)
                elif target is not None:
                    bit = FOE if target == ENEMY_HERO else self.footprints.bit(target)
                    reach = reach.at(bit & reach.one_of)
                if not all(reach.may_meet(one) for one in waiting):
                    continue
            taken = self.judge.certain(state, action)
            if taken is None:
                self._leave_to_chance(state, gone, action)
                continue
            earned, after = taken
            dead = fallen(state, after, charged)
            footprint = self.footprints.of(state, action, after, left, dead)
            if not all(meets(one, footprint) for one in waiting):
                continue
            place = self._order.get(name_of(action), len(self._order))
            if last is not None and place < last[0] and not meets(last[1], footprint):
                continue
            found.append((action, _Node(after, gone + earned, (), (place, footprint), _lost(state, after))))
        return found

    def _leave_to_chance(self, state: GameState, gone: Worth, action: Action) -> None:
        """End the turn with an action about which chance decides: what comes after it is planned when it is known."""
        ending, more = self.judge.ending(state), math.inf
        if ending is None:
            ending = 0
        elif isinstance(action, Play):
            held = next(held for held in state.me.hand if held.id == action.card)
            more = self.promise.most_by(state, held.card, held.value)
        elif isinstance(action, HeroPower) and state.me.power is not None:
            more = self.promise.most_by(state, state.me.power, 0)
        if self.best is not None and gone + ending + more <= self.best.worth:
            return
        self._chances.append(_Chance(gone + ending + more, tuple(self._path), state, gone, action))

    def _try_chances(self) -> None:
        """What chance decides, the most promising first: to list what can come of it takes time."""
        self._chances.sort(key=lambda chance: -chance.most)
        for most, path, state, gone, action in self._chances:
            if self.best is not None and most <= self.best.worth:
                return
            if self.clock.out():
                raise OutOfTimeError
            worth = self.judge.expected(state, action)
            if worth is not None:
                self._path = [*path, action]
                self._offer(gone + worth, ())

    def _plain_children(
        self, node: _Node, actions: Sequence[Action], charged: frozenset[str], reaches: Sequence[Reach]
    ) -> list[tuple[Action, _Node]]:
        """Where these plain actions lead, as far as a text may need them; a death that sets off a text is one."""
        state, gone, waiting, _, left = node
        found = []
        twice = any(minion.attacks_left > 1 for minion in state.me.board) or state.me.hero.attacks_left > 1
        for action in actions:
            if not (twice or charged or self._worth_a_look(state, action, waiting, reaches)):
                continue
            taken = self.judge.certain(state, action)
            if taken is None:
                self._leave_to_chance(state, gone, action)
                continue
            earned, after = taken
            dead = fallen(state, after, charged)
            footprint = self.footprints.of(state, action, after, left, dead)
            if dead:
                if all(meets(one, footprint) for one in waiting):
                    found.append((action, _Node(after, gone + earned)))
                continue
            if is_over(after):
                continue  # no text comes after it
            still = (*(one for one in waiting if not meets(one, footprint)), footprint)
            if twice or self._reachable(after, still, reaches):
                found.append((action, _Node(after, gone + earned, still, None, left + _lost(state, after))))
        return found

    def _worth_a_look(
        self, state: GameState, action: Action, waiting: Sequence[Footprint], reaches: Sequence[Reach]
    ) -> bool:
        """Before a plain action is carried out: may a text need it?"""
        likely = self.reaches.likely(state, action)
        if likely is None:
            return True
        still = [one for one in waiting if not meets(one, likely)]
        return self._reachable(state, [*still, likely], reaches, action)

    def _reachable(
        self, state: GameState, waiting: Sequence[Footprint], reaches: Sequence[Reach], action: Action | None = None
    ) -> bool:
        """Can one text still meet all that waits for one, once this action is taken?

        Another blow can take the place of a waiting one on its target, but it cannot bring two targets together: nobody
        here strikes twice.
        """
        able = 0
        for minion in state.me.board:
            if minion.attacks_left and (not minion.fresh or minion.keywords & (CHARGE | RUSH)):
                able |= self.footprints.bit(minion.id)
        if isinstance(action, Attack):
            able &= ~self.footprints.bit(action.attacker)
        for name in guards(state.enemy):
            able |= self.footprints.bit(name)  # others may bring it down
        bodies = sum(plain_card(held.card) for held in state.me.hand)
        moving = FALLEN | (MINE if len(state.me.board) + bodies >= state.rules.board_limit else 0)
        settled = [one for one in waiting if not (one.writes & moving or (one.reads | one.writes) & able)]
        for reach in reaches:
            one_of = -1
            for one in settled:
                if not reach.may_meet(one):
                    one_of &= reach.one_of & (one.reads | one.writes)
            if one_of:
                return True
        return False

    def _go_on(self, children: list[tuple[Action, _Node]]) -> None:
        for action, child in children:
            self._path.append(action)
            self._visit(child)
            self._path.pop()


def _lost(before: GameState, after: GameState) -> int:
    """How many own minions left the board."""
    here = {minion.id for minion in after.me.board}
    return sum(minion.id not in here for minion in before.me.board)
