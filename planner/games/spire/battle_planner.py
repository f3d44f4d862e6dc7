"""The best turn of a battle under a weight profile, and the regret of a turn that was played.

A turn counts after the moves that the enemies have shown. Random effects count by expectation. Every plan is replayed
by the rules before it is returned.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any, ClassVar, Final, TypeAlias

from planner.errors import PlannerError, quote
from planner.game import BaseGame
from planner.games.spire.battle_rules import (
    MAX_TURNS,
    TooManyOutcomesError,
    action_outcomes,
    apply,
    card_of,
    choice_pile,
    illegal_reason,
    is_over,
    keeps_order,
    legal_actions,
    outcome,
    turn_end_outcomes,
)
from planner.games.spire.battle_state import Action, ActiveStatus, Battle
from planner.planning.plan import AUTO, LUCK, UNPROVED, Plan, PlanOptions, Proof, Regret, Status, Stopped, UnjudgedError
from planner.planning.profiles import HardRule, Profile, RuleKind
from planner.planning.search import Branch, Ending, Found, Score, Search

SEARCH: Final = "search"  # the only solver for battles

# The required terms of a profile, then the optional ones. docs/reference/spire.md says what each one counts.
TERM_SIGNS: Final[Mapping[str, int]] = {
    "damage_dealt": 1,
    "enemies_killed": 1,
    "health_lost": -1,
    "block_kept": 1,
    "debuffs": 1,
    "buffs": 1,
    "energy_unused": -1,
    "victory": 1,
    "death": -1,
    "own_debuffs": -1,
    "enemy_buffs": -1,
    "enemy_block": -1,
    "cards_played": 1,
    "cards_exhausted": -1,
    "upgrades": 1,
}


# -- profiles


class BattleRule(HardRule):
    """A hard rule that a plan must keep."""

    kinds: ClassVar[Mapping[str, RuleKind]] = {"play": RuleKind("forbid", "word")}
    example = "play: Bash"


class BattleWeights(Profile):
    """A weight profile for battles."""

    game: ClassVar[str] = "spire"
    default: ClassVar[str] = "spire_balanced"
    term_signs: ClassVar[Mapping[str, int]] = TERM_SIGNS
    required: ClassVar[tuple[str, ...]] = tuple(TERM_SIGNS)[:7]
    rules: ClassVar[type[HardRule]] = BattleRule


# -- what a turn earns

TermAmounts: TypeAlias = dict[str, Score]


def term_amounts(start: Battle, last: Battle, after: Battle) -> TermAmounts:
    """Return the amount of each term for a turn that began in `start`, was ended in `last` and led to `after`.

    A designer's function may leave less than 0 health, which counts as 0.
    """
    killed = sum(enemy.health <= 0 for enemy in after.enemies)
    debuffs: Score = 0
    enemy_buffs: Score = 0
    damage = block = 0
    for before, enemy in zip(start.enemies, after.enemies, strict=True):
        damage += max(0, before.health) - max(0, enemy.health)
        block += enemy.block
        killed -= before.health <= 0
        if enemy.statuses:
            debuffs += _points(enemy.statuses, good=False)
            enemy_buffs += _points(enemy.statuses, good=True)
    victory = after.health > 0 and not any(enemy.health > 0 for enemy in after.enemies)
    is_last = is_over(after) or after.turn == MAX_TURNS  # a battle is lost when its last turn ends
    return {
        "damage_dealt": damage,
        "enemies_killed": killed,
        "health_lost": start.health - max(0, after.health),
        "block_kept": after.block,
        "debuffs": debuffs,
        "buffs": _points(after.statuses, good=True) if after.statuses else 0,
        "energy_unused": last.energy,
        "victory": int(victory),
        "death": int(is_last and not victory),
        "own_debuffs": _points(after.statuses, good=False) if after.statuses else 0,
        "enemy_buffs": enemy_buffs,
        "enemy_block": block,
        "cards_played": last.played - start.played,
        "cards_exhausted": len(after.exhaust) - len(start.exhaust),
        "upgrades": _upgrade_levels(after) - _upgrade_levels(start),
    }


def expected_amounts(start: Battle, last: Battle) -> TermAmounts:
    """Return the expected amounts for a turn that began in `start` and is ended in `last`."""
    return _mean([(share, term_amounts(start, last, after)) for share, after in turn_end_outcomes(last)])


def _mean(cases: Sequence[tuple[Fraction | int, TermAmounts]]) -> TermAmounts:
    if len(cases) == 1:
        return cases[0][1]
    return {term: sum((share * amounts[term] for share, amounts in cases), Fraction(0)) for term in TERM_SIGNS}


def _points(statuses: tuple[ActiveStatus, ...], good: bool) -> Score:
    total = sum(
        (active.status.points * active.amount for active in statuses if active.status.good == good), Fraction(0)
    )
    return total.numerator if total.denominator == 1 else total


def _upgrade_levels(state: Battle) -> int:
    cards = (*state.hand, *state.draw, *state.discard, *state.exhaust)
    return sum(card.level for card in cards) + (state.pending.card.level if state.pending else 0)


# -- planning


class BattleTurn:
    """One turn of a battle in the form that the search for any game needs.

    Where no word of the library depends on the order of the hand, the search sorts it: then states with the same cards
    are equal. A word that does not declare this is taken to depend on the order.
    """

    def __init__(self, start: Battle, weights: BattleWeights) -> None:
        self._sorts = start.library.ignores_hand_order
        self._start = start
        self._signed = [(term, weight) for term, weight in weights.signed_terms if weight]
        self._forbidden = frozenset(rule.word for rule in weights.forbid)
        self.skipped = False  # whether an action was skipped because it has too many outcomes

    def canonical(self, state: Battle) -> Battle:
        """Return the state in the form in which it is searched; while cards are being picked, their indices count."""
        if not self._sorts or (state.pending is not None and state.pending.picked):
            return state
        return state.with_sorted_hand()

    def actions(self, state: Battle) -> Iterator[Action]:
        """Yield the actions except ending the turn; of equal cards side by side only the first."""
        hand = state.hand
        for action in legal_actions(state):
            if action.type == "play":
                card, index = hand[action.position], action.position
                if (index == 0 or card is not hand[index - 1]) and card.name not in self._forbidden:
                    yield action
            elif action.type != "end":
                yield action

    def taking(self, state: Battle, action: Action) -> list[Branch[Battle]] | None:
        """Return where the action leads. An action itself earns nothing: all terms count at the end of the turn."""
        try:
            outcomes = action_outcomes(state, action)
        except TooManyOutcomesError:
            self.skipped = True
            return None
        merged: dict[Battle, Fraction | int] = {}
        for probability, outcome_state in outcomes:
            after = self.canonical(outcome_state)
            merged[after] = merged.get(after, 0) + probability
        return [Branch(0, after, probability) for after, probability in merged.items()]

    def ending(self, state: Battle) -> Ending | None:
        """Return what ending the turn here earns, or None while a choice is pending."""
        if state.pending is not None and not is_over(state):
            return None
        total: Score = 0
        try:
            outcomes = turn_end_outcomes(state)
        except TooManyOutcomesError:
            self.skipped = True
            return None
        for probability, after in outcomes:
            amounts = term_amounts(self._start, state, after)
            score: Score = 0
            for term, weight in self._signed:
                score += weight * amounts[term]
            total += score if probability == 1 else probability * score
        return Ending(total)

    def key(self, state: Battle) -> Battle:
        """Return the state itself: `taking` returns equal states where the rest of the turn is the same."""
        return state


class BattlePlan(Plan[Battle, Action]):
    """A plan whose JSON form names the cards."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, with the names of the cards."""
        data = super().to_dict()
        state = self.state
        for action, entry in zip(self.actions, data["actions"], strict=True):
            if (card := card_of(state, action)) is not None:
                entry["name"] = card.title
            state = action_outcomes(state, action)[0][1]  # only the last action of a plan can be random
        return data


def plans(
    game: BaseGame[Battle, Action, Any], state: Battle, weights: Any, options: PlanOptions
) -> Iterator[Plan[Battle, Action]]:
    """Yield the best turns, best first."""
    profile = BattleWeights.of(weights)
    if options.solver not in (AUTO, SEARCH):
        raise PlannerError(f"solver: {quote(options.solver)} is not supported for spire; use {AUTO} or {SEARCH}")
    if options.formulation != "exact":
        raise PlannerError(f"formulation: {quote(options.formulation)} is not supported for spire; use exact")
    if is_over(state):
        raise PlannerError("state: the battle is over, there is no turn to plan")
    began = time.perf_counter()
    turn = BattleTurn(state, profile)
    search = Search(turn, options.time_limit, options.effort)
    replay = _Replay(state, turn, search)
    canonical = turn.canonical(state)
    best = search.best(canonical)
    if best is None:
        raise PlannerError("state: the turn cannot be planned: a random effect has too many outcomes")
    for candidate in [best] if options.k == 1 else islice(search.ranked(canonical, _action_key), options.k):
        limited = turn.skipped and candidate.stopped == Stopped.FINISHED
        result = replace(candidate, stopped=Stopped.EFFORT_LIMIT) if limited else candidate
        yield replay.certified_plan(game, profile, result, time.perf_counter() - began)


def _action_key(state: Battle, action: Action) -> tuple[str, object]:
    """Return what an action does, independent of the index of its card."""
    card = card_of(state, action)
    return action if card is None else (action.type, card)


class _Replay:
    """Carries out the actions of a search by the rules, and finds them in the caller's hand, which has an order."""

    def __init__(self, start: Battle, turn: BattleTurn, search: Search[Battle, Action]) -> None:
        self._start, self._turn, self._search = start, turn, search

    def certified_plan(
        self, game: BaseGame[Battle, Action, Any], weights: BattleWeights, candidate: Found[Action], seconds: float
    ) -> BattlePlan:
        """Replay a turn by the rules, and build its plan from what the replay earned."""
        amounts, end = self._earned(candidate.actions)
        actions, reveals = self._translated(candidate.actions, candidate.reveals)
        scale = weights.integer_scale()
        scores = {term: weight * amounts[term] for term, weight in weights.signed_terms}
        total = sum(scores.values())
        assert total == candidate.score, "the replay does not earn the score of the search"
        objective = float(Fraction(total) / scale)
        proved = candidate.stopped == Stopped.FINISHED
        result = outcome(end)
        return BattlePlan(
            status=Status.OPTIMAL if proved else Status.FEASIBLE,
            proof=Proof.EXHAUSTIVE if proved else None,
            stopped=candidate.stopped,
            objective=objective,
            bound=objective if proved else math.inf,
            terms={term: float(Fraction(score) / scale) for term, score in scores.items()},
            actions=actions,
            lethal=reveals is None and not any(enemy.health > 0 for enemy in end.enemies),
            outcome=None if result is None or reveals is not None else "win" if result.winner == 0 else "loss",
            reveals=reveals,
            solver=SEARCH,
            formulation="exact",
            seconds=seconds,
            claimed=objective,
            ignored=(),
            creates=((),) * len(actions),
            game=game,
            state=self._start,
            end=end,
            weights=weights,
        )

    def _earned(self, actions: Sequence[Action]) -> tuple[TermAmounts, Battle]:
        """Return what these actions earn and where they lead; after a random one, the search decides how to go on."""
        state = self._turn.canonical(self._start)
        for index, action in enumerate(actions):
            if (problem := illegal_reason(state, action)) is not None:
                raise AssertionError(f"illegal plan: {problem}")
            cases = self._cases(state, action)
            state = cases[0][1]
            if len(cases) > 1:
                assert index == len(actions) - 1
                return _mean([(share, self._follow(after)) for share, after in cases]), state
        return expected_amounts(self._start, state), state

    def _cases(self, state: Battle, action: Action) -> list[tuple[Fraction | int, Battle]]:
        branches = self._turn.taking(state, action)
        assert branches is not None
        return [(branch.probability, branch.state) for branch in branches if branch.state is not None]

    def _follow(self, state: Battle) -> TermAmounts:
        if (action := self._search.choice(state)) is None:
            return expected_amounts(self._start, state)
        return _mean([(share, self._follow(after)) for share, after in self._cases(state, action)])

    def _translated(self, searched: Sequence[Action], reveals: int | None) -> tuple[tuple[Action, ...], int | None]:
        """Return the actions with the indices of the caller's hand, up to the first after which these are unknown."""
        state, canonical = self._start, self._turn.canonical(self._start)
        actions: list[Action] = []
        for index, other in enumerate(searched):
            action = _same_action(canonical, other, state)
            assert illegal_reason(state, action) is None
            actions.append(action)
            if index == len(searched) - 1:
                break
            if not keeps_order(state, action):
                return tuple(actions), index
            state, canonical = action_outcomes(state, action)[0][1], self._cases(canonical, other)[0][1]
        return tuple(actions), reveals


def _same_action(state: Battle, action: Action, other: Battle) -> Action:
    """Return the action of another state, with the hand in another order, that does the same."""
    card = card_of(state, action)
    if card is None or state == other:
        return action
    pile = other.hand if action.type == "play" else getattr(other, choice_pile(other))
    picked = other.pending.picked if other.pending is not None else ()
    return Action(action.type, next(i for i, held in enumerate(pile) if held is card and i not in picked))


# -- regret


def regret(
    game: BaseGame[Battle, Action, Any],
    start: Battle,
    actions: Sequence[Action],
    rng: Random,
    weights: Any,
    time_limit: float | None = None,
) -> Regret:
    """Return the score of the best plan minus what these actions earned.

    `rng` is the battle's generator as it was in `start`. If no action followed a random event, both sides count by
    expectation, and the difference is exact. Otherwise the actions could use what no plan could know: they count with
    the luck that they had, and the result is an estimate.
    """
    profile = BattleWeights.of(weights)
    try:
        plan = next(plans(game, start, profile, PlanOptions(time_limit=time_limit)))
    except PlannerError as error:
        raise UnjudgedError(str(error)) from None
    played = [action for action in actions if action.type != "end"]
    try:
        expected = _earned_on_average(start, played)
        earned, estimate = (_earned_with_luck(start, played, rng), LUCK) if expected is None else (expected, None)
    except TooManyOutcomesError:
        raise UnjudgedError("the end of this turn has too many outcomes to compute what it earned") from None
    if plan.status != "optimal":
        estimate = UNPROVED
    total = sum(weight * earned[term] for term, weight in profile.signed_terms)
    return Regret(plan, float(Fraction(total) / profile.integer_scale()), estimate)


def _earned_on_average(start: Battle, actions: Sequence[Action]) -> TermAmounts | None:
    """Return the expected amounts, or None if an action followed a random event."""
    cases: list[tuple[Fraction | int, Battle]] = [(1, start)]
    for action in actions:
        if len(cases) > 1:
            return None
        try:
            cases = action_outcomes(cases[0][1], action)
        except TooManyOutcomesError:
            return None
    if any(state.pending is not None and not is_over(state) for _, state in cases):
        return None
    return _mean([(share, expected_amounts(start, state)) for share, state in cases])


def _earned_with_luck(start: Battle, actions: Sequence[Action], rng: Random) -> TermAmounts:
    """Return the amounts with the luck that the actions had; the enemies' moves still count by expectation."""
    copy = Random()
    copy.setstate(rng.getstate())  # the caller's generator must not change
    state = start
    for action in actions:
        state = apply(state, action, copy)
    if state.pending is not None and not is_over(state):
        raise UnjudgedError("the match ended while a choice of this turn was pending")
    return expected_amounts(start, state)
