"""What a turn earns: the terms of the objective, counted while the referee carries the actions out.

`replay` certifies a whole turn. `Evaluator` scores single actions and ends for a search. Where chance decides about
an action, amounts are expectations over all outcomes with exact probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from planner.games.hearthstone.cards.keywords import CANNOT_ATTACK, FROZEN, HELPFUL, attacks_per_turn
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, Play, Trade
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.match_flow import end_of_turn_effects, observe
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.random_choices import CERTAIN_ONLY, Chance, ChanceError, ScriptedChoices
from planner.games.hearthstone.rules.resolve import IllegalActionError, carry_out_action, resolve_action
from planner.games.hearthstone.rules.state import AnyState, GameState, HandCard, Hero, Minion, new
from planner.games.hearthstone.turn.chance_outcomes import (
    RunBudget,
    TooManyRunsError,
    certain_part,
    list_outcomes,
    outcomes,
)
from planner.games.hearthstone.turn.hearthstone_weights import Weights, end_allowed, restricts_end
from planner.planning.profiles import Number, exact
from planner.planning.search import Ending, Score

Amount = Number | Fraction


# -- what an action and an end count for


class ActionTerms(NamedTuple):
    """What one action counts for, whatever comes after it."""

    face_damage: int = 0
    minion_damage: int = 0
    damage_taken: int = 0
    card_value: Number = 0
    cards_drawn: int = 0
    overkill: int = 0


_NO_TERMS: Final = ActionTerms()
_NOTHING: Final[Mapping[int, Any]] = MappingProxyType({})


class Transition(NamedTuple):
    """One state that an action can lead to."""

    probability: Fraction | int
    state: GameState
    terms: ActionTerms
    complete: bool = True  # False: chance has too many outcomes, and is left out
    created: Sequence[str] = ()  # the ids of what effects created, and of reborn minions


class Created(NamedTuple):
    """A card or minion that came into being during a turn."""

    id: str
    name: str  # of its card
    zone: str  # me.board, me.hand, enemy.board, enemy.hand


class Earned(NamedTuple):
    """The result of a turn: its last state, and the amount of each term (without weights and directions).

    Where chance decides about the last action, or at the end of the turn, amounts are expectations, and `end` is the
    state without what chance does.
    """

    end: GameState
    amounts: Mapping[str, Amount]
    reveals: int | None = None  # the index of the first action that reveals something: a draw, or chance
    created: Mapping[int, tuple[Created, ...]] = _NOTHING  # by the index of the action; chance may create other things
    outcome: str | None = None  # win, draw or loss, where the match is over for certain
    complete: bool = True  # False: chance has too many outcomes, and the amounts are those of the certain part

    def scaled_terms(self, weights: Weights) -> dict[str, Fraction | int]:
        """Return each term with its sign and its weight times `weights.integer_scale()`, exactly."""
        amounts = self.amounts
        return {
            term: weight * (amount if type(amount := amounts.get(term, 0)) is int else _exactly(amount))
            for term, weight in weights.signed_terms
        }

    def scaled_score(self, weights: Weights) -> Fraction | int:
        """Return the objective times `weights.integer_scale()`, exactly."""
        return sum(self.scaled_terms(weights).values())

    def score(self, weights: Weights) -> Fraction:
        """Return the objective in the weights' own units, exactly."""
        return Fraction(self.scaled_score(weights), weights.integer_scale())

    def contributions(self, weights: Weights) -> dict[str, float]:
        """Return each term with its weight and sign: their sum is the objective."""
        scale = weights.integer_scale()
        return {term: float(amount / scale) for term, amount in self.scaled_terms(weights).items()}


def _exactly(amount: Amount) -> Fraction | int:
    return exact(amount) if isinstance(amount, float) else amount


def starting_health(state: GameState) -> dict[str, int]:
    """Return the health that own_survival counts, by id: on the board now, or printed on the card in hand."""
    me = state.me
    health = {minion.id: minion.health for minion in me.board}
    for held in me.hand:
        card = held.card
        if card.type == "minion":
            health[held.id] = card.health
    return health


def certain_transition(state: GameState, action: Action) -> Transition | None:
    """Return where this legal action leads; None where chance decides about it."""
    if isinstance(action, Trade):  # the position of the card in a shuffled deck does not matter
        transition = _transition(state, action, 1, resolve_action(state, action, ScriptedChoices((0,))))
        return transition._replace(state=observe(transition.state, transition.state.seat))
    try:
        return _transition(state, action, 1, resolve_action(state, action))
    except ChanceError:
        return None


def transitions(state: GameState, action: Action) -> list[Transition]:
    """Return every state that this legal action can lead to."""
    transition = certain_transition(state, action)
    if transition is not None:
        return [transition]
    possible = outcomes(lambda rng: resolve_action(state, action, rng))
    return [_transition(state, action, *outcome) for outcome in possible]


def _transition(
    state: GameState, action: Action, probability: Fraction | int, table: MutableState, complete: bool = True
) -> Transition:
    values = probability, table.to_state(), _terms_of(state, action, table), complete, table.created_ids
    return new(Transition, values)


def _terms_of(state: GameState, action: Action, table: MutableState) -> ActionTerms:
    """Return what the action that led from this state to this table counts for."""
    dealt = table.dealt_to_hero, table.dealt_to_minions
    return new(ActionTerms, (*dealt, *_terms_before(state, action), table.drawn, table.overkill))


def _terms_before(state: AnyState, action: Action) -> tuple[int, Number]:
    """Return `damage_taken` and `card_value` of a legal action: they are known before it is carried out."""
    if isinstance(action, Attack):
        target = action.target
        for minion in state.enemy.board:
            if minion.id == target:
                return minion.attack, 0
    elif isinstance(action, Play):
        card = action.card
        for held in state.me.hand:
            if held.id == card:
                return 0, held.value
    elif isinstance(action, Batch):
        parts = [_terms_before(state, part) for part in action.actions]
        return sum(back for back, _ in parts), sum(value for _, value in parts)
    return 0, 0


class Ended(NamedTuple):
    """One state that an action can lead to, and every state that ending the turn there can lead to."""

    transition: Transition
    ends: Sequence[Transition]


def transitions_to_the_end(state: GameState, action: Action) -> list[Ended]:
    """Return every state that this legal action, and then the end of the turn, can lead to."""

    def run(rng: Chance | None) -> MutableState:
        return resolve_action(state, action, rng)

    if (certain := certain_transition(state, action)) is not None:
        return [Ended(certain, ends(certain.state))]
    budget = RunBudget()
    try:
        possible = [_transition(state, action, *outcome) for outcome in list_outcomes(run, budget)]
        return [Ended(transition, _ends(transition.state, budget)) for transition in possible]
    except TooManyRunsError:
        certain = _transition(state, action, *certain_part(run))
        return [Ended(certain, ends(certain.state))]


def expected_terms(state: GameState, action: Action) -> dict[str, Amount]:
    """Return what this legal action counts for on average, whatever comes after it."""
    total: dict[str, Amount] = {}
    for transition in transitions(state, action):
        _add(total, transition.terms._asdict(), transition.probability)
    return total


def ends(state: GameState) -> list[Transition]:
    """Return every state that ending the turn here can lead to, after the effects at its end."""
    try:
        return _ends(state, RunBudget())
    except TooManyRunsError:
        return [_end(*certain_part(lambda rng: end_of_turn_effects(state, rng)))]


def _ends(state: GameState, budget: RunBudget) -> list[Transition]:
    if not _acts_at_end(state):
        return [Transition(1, state, _NO_TERMS)]
    return [_end(*outcome) for outcome in list_outcomes(lambda rng: end_of_turn_effects(state, rng), budget)]


def _end(probability: Fraction | int, table: MutableState, complete: bool) -> Transition:
    terms = ActionTerms(table.dealt_to_hero, table.dealt_to_minions, 0, 0, table.drawn, table.overkill)
    return Transition(probability, table.to_state(), terms, complete)


def _acts_at_end(state: GameState) -> bool:
    """Return whether a minion has an effect at the end of the turn."""
    return any(minion.card.effects and minion.card.on("turn_end") for minion in state.me.board)


def ending_amounts(state: GameState, health: Mapping[str, int], further: bool = True) -> dict[str, Amount]:
    """Return what ending the turn here counts for; `further`: also in the terms beyond the eight."""
    return _amounts_at_end(ends(state), health, further)


def _amounts_at_end(possible: Sequence[Transition], health: Mapping[str, int], further: bool) -> dict[str, Amount]:
    if possible[0].terms is _NO_TERMS:
        return final_amounts(possible[0].state, health, further)
    total: dict[str, Amount] = {}
    for end in possible:
        amounts = final_amounts(end.state, health, further)
        _add(amounts, end.terms._asdict())
        _add(total, amounts, end.probability)
    return total


def final_amounts(end: GameState, health: Mapping[str, int], further: bool = True) -> dict[str, Amount]:
    """Return what a state counts for after the effects at the end; `further`: also in the terms beyond the eight."""
    me, enemy = end.me, end.enemy
    amounts: dict[str, Amount] = {
        "lethal": int(enemy.hero.health <= 0),
        "board_clear": int(not enemy.board),
        "enemy_threat": sum(
            [_lasting_attack(minion) if minion.attack_this_turn else minion.attack for minion in enemy.board]
        ),
        "own_survival": sum([health.get(minion.id, 0) for minion in me.board]),
    }
    if further:
        tokens = (minion for minion in me.board if minion.id not in health)
        amounts["own_health"] = _health(me.hero)
        amounts["enemy_health"] = _health(enemy.hero)
        amounts["damage_to_come"] = sum(
            _lasting_attack(minion) * attacks_per_turn(keywords)
            for minion in enemy.board
            if not (keywords := _lasting_keywords(minion)) & (FROZEN | CANNOT_ATTACK)
        )
        amounts["mana_unused"] = me.mana
        amounts["weapon_durability"] = me.weapon.durability if me.weapon else 0
        amounts["token_worth"] = sum(_lasting_attack(minion) + minion.health for minion in tokens)
        for side, board in (("own", me.board), ("enemy", enemy.board)):
            amounts[f"{side}_attack"] = sum(map(_lasting_attack, board))
            amounts[f"{side}_remaining_health"] = sum(minion.health for minion in board)
            amounts[f"{side}_keywords"] = sum(map(_helpful_keywords, board))
        amounts["cards_in_hand"] = sum(not held.echo for held in me.hand)
    return amounts


def _health(hero: Hero) -> int:
    """Health and armor; 0 for a dead hero."""
    return hero.health + hero.armor if hero.health > 0 else 0


def _lasting_keywords(minion: Minion) -> int:
    """The keywords without those that end with the turn."""
    return minion.keywords & ~minion.keywords_this_turn


def _helpful_keywords(minion: Minion) -> int:
    """The number of keywords that help their minion and last longer than this turn."""
    return (_lasting_keywords(minion) & HELPFUL).bit_count()


def _lasting_attack(minion: Minion) -> int:
    """The attack without the part that ends with the turn."""
    return max(0, minion.attack - minion.attack_this_turn)


def _add(total: dict[str, Amount], amounts: Mapping[str, Amount], probability: Fraction | int = 1) -> None:
    for term, amount in amounts.items():
        exactly = exact(amount) if isinstance(amount, float) else amount
        total[term] = total.get(term, 0) + (exactly if probability == 1 else probability * exactly)


# -- whole turns


def replay(state: GameState, actions: Sequence[Action], further: bool = True) -> Earned:
    """Carry the actions out and count what they earn; an illegal action raises an `IllegalActionError`.

    Where chance decides about an action, it must be the last. `further`: count the terms beyond the eight, too.
    """
    return _carry_out(state, actions, strictly=True, further=further)[1]


def replay_legal(state: GameState, actions: Sequence[Action]) -> tuple[list[Action], Earned]:
    """Carry out those of the actions that are legal when their turn comes, and count what they earn."""
    return _carry_out(state, actions, strictly=False)


def replay_rolled(state: GameState, actions: Sequence[Action], rng: Random) -> Earned:
    """Count what the actions earned with the outcomes that this generator rolls.

    The end of the turn still counts by expectation.
    """
    health = starting_health(state)
    total: dict[str, Amount] = {}
    for action in actions:
        table = resolve_action(state, action, rng)
        _add(total, _terms_of(state, action, table)._asdict())
        state = table.to_state()
    _add(total, ending_amounts(state, health))
    return Earned(state, total)


def replay_observed(start: GameState, steps: Sequence[tuple[GameState, Action]], end: GameState) -> Earned:
    """Count what observed actions earned: each from the state before it, and the end as it was observed."""
    total = ending_amounts(end, starting_health(start))
    for state, action in steps:
        _add(total, expected_terms(state, action))
    return Earned(end, total)


def _carry_out(
    start: GameState, actions: Sequence[Action], strictly: bool, further: bool = True
) -> tuple[list[Action], Earned]:
    health = starting_health(start)
    table = MutableState(start, None)
    done: list[Action] = []
    taken = 0
    value: Amount = 0
    reveals: int | None = None
    created: dict[int, tuple[Created, ...]] = {}
    for index, action in enumerate(actions):
        problem = illegal_reason(table, action)
        if problem is not None:
            if strictly:
                raise IllegalActionError(problem)
            continue
        action_taken, action_value = _terms_before(table, action)
        try:
            _carry_out_certain(table, action)
        except ChanceError:
            if index + 1 < len(actions):
                raise IllegalActionError(f"chance decides about {action}: plan again after it") from None
            table = MutableState(start, None)
            for earlier in done:
                _carry_out_certain(table, earlier)
            earned = _by_chance(table.to_state(), action, _counted(table, taken, value), health, further)
            return [*done, action], earned._replace(reveals=index if reveals is None else reveals, created=created)
        done.append(action)
        taken += action_taken
        value += action_value if isinstance(action_value, int) else exact(action_value)
        if reveals is None and table.drawn:
            reveals = index
        if table.created_ids:
            created[len(done) - 1] = _locate(table, table.created_ids)
    state = table.to_state()
    counted = _counted(table, taken, value)
    if not (table.has_effects and _acts_at_end(state)):
        amounts = final_amounts(state, health, further) | counted
        return done, new(Earned, (state, amounts, reveals, created, _result(state), True))
    last = [Ended(Transition(1, state, _NO_TERMS), ends(state))]
    totals = _amounts_at_end(last[0].ends, health, further)
    _add(totals, counted)
    return done, Earned(state, totals, reveals, created, _outcome(last), _complete(last))


def _counted(table: MutableState, damage_taken: int, card_value: Amount) -> dict[str, Amount]:
    """Return what the actions on this table counted for."""
    return {
        "face_damage": table.dealt_to_hero,
        "minion_damage": table.dealt_to_minions,
        "damage_taken": damage_taken,
        "card_value": card_value,
        "cards_drawn": table.drawn,
        "overkill": table.overkill,
    }


def _carry_out_certain(table: MutableState, action: Action) -> None:
    """Carry out an action as `certain_transition` does; a `ChanceError` leaves the table in the middle of it."""
    table.begin_action()
    if isinstance(action, Trade):
        table.rng = ScriptedChoices((0,))
        carry_out_action(table, action)
        table.rng = None
        table.load(observe(table.to_state(), table.seat))
    else:
        carry_out_action(table, action)


def _by_chance(
    state: GameState, action: Action, counted: Mapping[str, Amount], health: Mapping[str, int], further: bool
) -> Earned:
    """Return what a turn earns: `counted` for its earlier actions, and an action decided by chance at its end."""
    possible = transitions_to_the_end(state, action)
    # Integer weights with one common denominator: sums of fractions would take most of the time.
    weight_of_all = math.lcm(*(Fraction(each.transition.probability).denominator for each in possible))
    expected: dict[str, Amount] = {}
    for transition, last in possible:
        weight = int(transition.probability * weight_of_all)
        _add(expected, transition.terms._asdict(), weight)
        _add(expected, _amounts_at_end(last, health, further), weight)
    totals = dict(counted)
    _add(totals, expected, Fraction(1, weight_of_all))
    end = resolve_action(state, action, CERTAIN_ONLY).to_state()
    return Earned(end, totals, outcome=_outcome(possible), complete=_complete(possible))


_OUTCOMES: Final = {(False, True): "win", (True, True): "draw", (True, False): "loss"}  # by which heroes are dead


def _outcome(last: Sequence[Ended]) -> str | None:
    """Return how the match has ended, whatever chance does in the last action and at the end of the turn."""
    if not _complete(last):
        return None
    possible = {_result(end.state) for each in last for end in each.ends}
    return possible.pop() if len(possible) == 1 else None


def _complete(last: Sequence[Ended]) -> bool:
    return all(each.transition.complete and all(end.complete for end in each.ends) for each in last)


def _result(state: GameState) -> str | None:
    return _OUTCOMES.get((state.me.hero.health <= 0, state.enemy.hero.health <= 0))


def _locate(state: AnyState, ids: Sequence[str]) -> tuple[Created, ...]:
    """Return what has these ids, by zone and in the order of the zone; what has left every zone is skipped."""
    zones: dict[str, Sequence[Minion | HandCard]] = {
        "me.board": state.me.board,
        "me.hand": state.me.hand,
        "enemy.board": state.enemy.board,
        "enemy.hand": state.enemy.hand,
    }
    return tuple(
        Created(card.id, card.card.name, zone) for zone, cards in zones.items() for card in cards if card.id in ids
    )


# -- for a search


class Evaluator:
    """Scores the actions and ends of one turn under a profile, times `weights.integer_scale()`.

    Among ends of equal score those in which the own hero lives are preferred.
    """

    def __init__(self, start: GameState, weights: Weights) -> None:
        self._start, self._weights = start, weights
        self._health = starting_health(start)
        self.all_outcomes = True  # False once a random effect had too many outcomes to list
        self._signed = {term: weight for term, weight in weights.signed_terms if weight}
        self._by_action_term = [self._signed.get(term, 0) for term in ActionTerms._fields]

    def action_score(self, terms: ActionTerms) -> Score:
        """Return what an action earns, whatever comes after it."""
        return sum(
            weight * _exactly(amount) for weight, amount in zip(self._by_action_term, terms, strict=True) if weight
        )

    def ending(self, state: GameState) -> Ending | None:
        """Return what ending the turn here earns; None where a hard rule forbids it."""
        return self._ending(ends(state))

    def _ending(self, possible: Sequence[Transition]) -> Ending | None:
        total: Score = 0
        lives = True
        for end in possible:
            self.all_outcomes &= end.complete
            if not end_allowed(self._weights, self._start, end.state):
                return None
            score = self.action_score(end.terms)
            for term, amount in final_amounts(end.state, self._health, self._weights.has_further_terms).items():
                if term in self._signed:
                    score += self._signed[term] * _exactly(amount)
            total += score if end.probability == 1 else end.probability * score
            lives = lives and end.state.me.hero.health > 0
        return Ending(total, int(lives))

    def certain(self, state: GameState, action: Action) -> tuple[Score, GameState] | None:
        """Return what the action earns, and the state after it; None where chance decides about it."""
        transition = certain_transition(state, action)
        return None if transition is None else (self.action_score(transition.terms), transition.state)

    def expected(self, state: GameState, action: Action) -> Ending | None:
        """Return what a random action earns on average if the turn ends with it.

        None if a hard rule forbids one of these ends, or might forbid one that is not listed.
        """
        total: Score = 0
        lives = 1
        for transition, last in transitions_to_the_end(state, action):
            self.all_outcomes &= transition.complete
            end = self._ending(last)
            if end is None or (not transition.complete and restricts_end(self._weights)):
                return None
            total += transition.probability * (end.score + self.action_score(transition.terms))
            lives = min(lives, end.preference)
        return Ending(total, lives)
