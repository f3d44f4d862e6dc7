"""The best turn of a battle: what its ends are worth, and plans that the referee has replayed."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any, Final, TypeAlias

from planner.errors import PlannerError, quote
from planner.game import Game
from planner.games.spire.chance import ListingTable, Told, TooManyOutcomesError, outcomes
from planner.games.spire.rules import applied, card_of, finish_turn, illegal_reason, is_over, legal_actions, outcome
from planner.games.spire.state import Action, Battle, Held
from planner.games.spire.table import Table
from planner.games.spire.weights import SIGNS, BattleWeights
from planner.planning.plan import AUTO, EFFORT_LIMIT, EXHAUSTIVE, FINISHED, Plan, PlanOptions
from planner.planning.search import Branch, Ending, Found, Search, Worth

Amounts: TypeAlias = dict[str, Worth]
SEARCH: Final = "search"  # the one method that battles have


def ends(state: Battle) -> list[tuple[Fraction | int, Battle]]:
    """Where ending the turn here leads: after the enemies have done what they have shown."""
    if is_over(state):
        return [(1, state)]

    def finished(told: Told) -> Table:
        table = ListingTable(state, told)
        finish_turn(table)
        return table

    return outcomes(finished)


def takings(state: Battle, action: Action) -> list[tuple[Fraction | int, Battle]]:
    """Where a legal action leads."""
    return outcomes(lambda told: applied(state, action, told, ListingTable))


def amounts(start: Battle, last: Battle, after: Battle) -> Amounts:
    """How much of each term a turn has earned that began in `start`, was ended in `last` and led to `after`."""
    dead = sum(enemy.health == 0 for enemy in after.enemies)
    debuffs: Worth = 0
    enemy_buffs: Worth = 0
    dealt = block = 0
    for before, enemy in zip(start.enemies, after.enemies, strict=True):
        dealt += before.health - enemy.health
        block += enemy.block
        dead -= before.health == 0
        if enemy.statuses:
            debuffs += _points(enemy.statuses, good=False)
            enemy_buffs += _points(enemy.statuses, good=True)
    return {
        "damage_dealt": dealt,
        "enemies_killed": dead,
        "health_lost": start.health - after.health,
        "block_kept": after.block,
        "debuffs": debuffs,
        "buffs": _points(after.statuses, good=True) if after.statuses else 0,
        "energy_unused": last.energy,
        "victory": int(after.health > 0 and not any(enemy.health for enemy in after.enemies)),
        "death": int(after.health == 0),
        "own_debuffs": _points(after.statuses, good=False) if after.statuses else 0,
        "enemy_buffs": enemy_buffs,
        "enemy_block": block,
        "cards_played": last.played - start.played,
        "cards_exhausted": len(after.exhaust) - len(start.exhaust),
        "upgrades": _levels(after) - _levels(start),
    }


def ended(start: Battle, last: Battle) -> Amounts:
    """What a turn has earned that began in `start` and is ended in `last`: by expectation."""
    return average([(share, amounts(start, last, after)) for share, after in ends(last)])


def average(cases: Sequence[tuple[Fraction | int, Amounts]]) -> Amounts:
    """What is earned where each of these comes with its probability."""
    if len(cases) == 1:
        return cases[0][1]
    return {term: sum((share * found[term] for share, found in cases), Fraction(0)) for term in SIGNS}


def _points(statuses: tuple[Held, ...], good: bool) -> Worth:
    total = sum((held.status.points * held.amount for held in statuses if held.status.good == good), Fraction(0))
    return total.numerator if total.denominator == 1 else total


def _levels(state: Battle) -> int:
    cards = (*state.hand, *state.draw, *state.discard, *state.exhaust)
    return sum(card.level for card in cards) + (state.pending.card.level if state.pending else 0)


class BattleTurn:
    """One turn of a battle as the search of any game sees it."""

    def __init__(self, start: Battle, weights: BattleWeights) -> None:
        self._start = start
        self._signed = [(term, SIGNS[term] * weight) for term, weight in weights.scaled().items() if weight]
        self._forbidden = frozenset(rule.word for rule in weights.forbid)
        self.left_out = False  # has an action been left out because too much can come of it?

    def actions(self, state: Battle) -> Iterator[Action]:
        """What may be done besides ending the turn; of equal cards only the first."""
        before = None
        for action in legal_actions(state):
            if action.type == "play":
                card = state.hand[action.place]
                if card is not before and card.name not in self._forbidden:
                    yield action
                before = card
            elif action.type != "end":
                yield action

    def taking(self, state: Battle, action: Action) -> list[Branch[Battle]] | None:
        """Where the action leads; all that counts is counted at the end."""
        try:
            return [Branch(0, after, probability) for probability, after in takings(state, action)]
        except TooManyOutcomesError:
            self.left_out = True
            return None

    def ending(self, state: Battle) -> Ending | None:
        """What ending the turn here earns; a question must be answered first."""
        if state.pending is not None and not is_over(state):
            return None
        total: Worth = 0
        try:
            found_ends = ends(state)
        except TooManyOutcomesError:
            self.left_out = True
            return None
        for probability, after in found_ends:
            found = amounts(self._start, state, after)
            worth: Worth = 0
            for term, weight in self._signed:
                worth += weight * found[term]
            total += worth if probability == 1 else probability * worth
        return Ending(total)

    def key(self, state: Battle) -> Battle:
        """States are equal when all that matters is: piles are sorted."""
        return state


class _Replay:
    """A plan carried out by the referee: what it earns, where it leads."""

    def __init__(self, start: Battle, search: Search[Battle, Action]) -> None:
        self._start, self._search = start, search

    def earned(self, now: Battle, actions: tuple[Action, ...]) -> tuple[Amounts, Battle]:
        """Carry out these actions; where chance decides about one, what the search would do then."""
        for place, action in enumerate(actions):
            if (problem := illegal_reason(now, action)) is not None:
                raise AssertionError(f"a plan that is not legal: {problem}")
            found = takings(now, action)
            if len(found) > 1:
                assert place == len(actions) - 1
                return average([(share, self._policy(state)) for share, state in found]), found[0][1]
            now = found[0][1]
        return ended(self._start, now), now

    def _policy(self, now: Battle) -> Amounts:
        if (action := self._search.choice(now)) is None:
            return ended(self._start, now)
        return average([(share, self._policy(state)) for share, state in takings(now, action)])


class BattlePlan(Plan[Battle, Action]):
    """Its JSON form names the cards: a place counts in the sorted pile, and the caller's may have another order."""

    def to_dict(self) -> dict[str, Any]:
        """The plan in the JSON form, with the names of its cards."""
        found = super().to_dict()
        now = self.state
        for action, written in zip(self.actions, found["actions"], strict=True):
            if (card := card_of(now, action)) is not None:
                written["name"] = card.title
            now = takings(now, action)[0][1]  # chance has no part in any but the last
        return found


def plans(
    game: Game[Battle, Action, Any], state: Battle, weights: Any, options: PlanOptions
) -> Iterator[Plan[Battle, Action]]:
    """The best turns, best first, each replayed by the referee."""
    profile = BattleWeights.of(weights)
    if options.solver not in (AUTO, SEARCH):
        raise PlannerError(f"solver: {quote(options.solver)} does not plan battles; leave it out, or say {SEARCH}")
    if options.formulation != "exact":
        raise PlannerError(f"formulation: {quote(options.formulation)} is not for battles; there is exact")
    if is_over(state):
        raise PlannerError("state: the battle is over, there is no turn to plan")
    began = time.perf_counter()
    turn = BattleTurn(state, profile)
    search = Search(turn, options.time_limit, options.effort)
    best = search.best(state)
    if best is None:
        raise PlannerError("state: no turn can be planned: chance can answer what is asked in too many ways")
    for one in [best] if options.k == 1 else islice(search.ranked(state, _done), options.k):
        found = replace(one, stopped=EFFORT_LIMIT) if turn.left_out and one.stopped == FINISHED else one
        yield _plan(game, state, profile, found, search, time.perf_counter() - began)


def _done(state: Battle, action: Action) -> tuple[str, object]:
    """What an action does, wherever its card lies by then."""
    card = card_of(state, action)
    return action if card is None else (action.type, card)


def _plan(
    game: Game[Battle, Action, Any],
    state: Battle,
    weights: BattleWeights,
    found: Found[Action],
    search: Search[Battle, Action],
    seconds: float,
) -> Plan[Battle, Action]:
    earned, end = _Replay(state, search).earned(state, found.actions)
    scale = weights.integer_scale()
    worths = {term: SIGNS[term] * weight * earned[term] for term, weight in weights.scaled().items()}
    total = sum(worths.values())
    assert total == found.worth, "the replay does not earn what the search has promised"
    objective = float(Fraction(total) / scale)
    proved = found.stopped == FINISHED
    ended = outcome(end)
    return BattlePlan(
        status="optimal" if proved else "feasible",
        proof=EXHAUSTIVE if proved else None,
        stopped=found.stopped,
        objective=objective,
        bound=objective if proved else math.inf,
        terms={term: float(Fraction(worth) / scale) for term, worth in worths.items()},
        actions=found.actions,
        lethal=found.reveals is None and not any(enemy.health for enemy in end.enemies),
        outcome=None if ended is None or found.reveals is not None else "win" if ended.winner == 0 else "loss",
        reveals=found.reveals,
        solver=SEARCH,
        formulation="exact",
        seconds=seconds,
        claimed=objective,
        ignored=(),
        creates=((),) * len(found.actions),
        game=game,
        state=state,
        end=end,
        weights=weights,
    )
