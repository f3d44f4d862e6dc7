"""The best turn of a deck-building game under a weight profile, its explanation, and the regret of a played turn.

A plan lists the actions up to the first chance event, such as a draw; after it the turn is planned again. Its score is
the expected score of the whole turn. The rules replay every plan before it is returned.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any, Final

from planner import solvers
from planner.errors import PlannerError, quote
from planner.game import BaseGame
from planner.games.deckbuilder import rules
from planner.games.deckbuilder.buy_program import UNIT, best_purchases, program
from planner.games.deckbuilder.chance_outcomes import outcomes, without_clean_up
from planner.games.deckbuilder.deck_strength import card_facts
from planner.games.deckbuilder.deck_turn import DeckTurn, Node, is_turn_over
from planner.games.deckbuilder.deck_weights import TERM_SIGNS, DeckWeights
from planner.games.deckbuilder.observation import observe
from planner.games.deckbuilder.steps import ASK
from planner.games.deckbuilder.table_state import END, YES, Action, Setup, State
from planner.games.deckbuilder.turn_terms import Amounts
from planner.planning.plan import (
    AUTO,
    LUCK,
    UNPROVED,
    NoTurnError,
    Plan,
    PlanOptions,
    Proof,
    Regret,
    Status,
    Stopped,
    UnjudgedError,
)
from planner.planning.search import Found, Search
from planner.solvers.linear_model import LinearModel

SEARCH: Final = "search"
DEFAULT_EFFORT: Final = 300  # states; turns with several draws have far more
_SHOWN_OUTCOMES: Final = 8

Deck = BaseGame[State, Action, Setup]


class Terms(Mapping[str, float]):
    """The part of each term in the objective. For a plan with a chance event it is computed when it is first read."""

    def __init__(self, compute: Any) -> None:
        self._compute, self._values = compute, dict[str, float]()

    def _read(self) -> dict[str, float]:
        self._values = self._values or self._compute()
        return self._values

    def __getitem__(self, term: str) -> float:
        return self._read()[term]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self._read(),)


@dataclass(frozen=True)
class DeckPlan(Plan[State, Action]):
    """A plan for a turn of a deck-building game."""

    bought: tuple[str, ...] = ()  # the cards that the plan buys

    def explain(self, k: int = 3, time_limit: float | None = None, solver: str = AUTO) -> DeckExplanation:
        """Explain the plan: what is lost without each card, what chance can bring, and the next best `k` turns."""
        options = PlanOptions(solver, time_limit=time_limit, k=k + 1)
        ranked = plans(self.game, self.state, self.weights, options) if k else iter(())
        others = [plan for plan in ranked if plan.actions != self.actions]
        words = tuple(self.game.describe_turn(self.state, self.actions))
        return DeckExplanation(self, words, tuple(self._losses(time_limit)), tuple(others[:k]), tuple(self._hands()))

    def _losses(self, time_limit: float | None) -> Iterator[float | None]:
        """Yield for each action how much less the best turn without its card scores."""
        known: dict[Action, float] = {}
        for action in self.actions:
            if action.type not in ("play", "buy"):
                yield None
                continue
            if action not in known:
                rule = self.weights.rules(action.type, word=action.card)
                profile = replace(self.weights, forbid=(*self.weights.forbid, rule))
                options = PlanOptions(time_limit=time_limit)
                known[action] = self.objective - next(plans(self.game, self.state, profile, options)).objective
            yield known[action]

    def _hands(self) -> Iterator[tuple[Fraction, str]]:
        """Yield the hands after the chance event, the likeliest first."""
        if self.reveals is None:
            return
        turn, state = DeckTurn(self.state, self.weights), self.state
        for action in self.actions[: self.reveals]:
            state = turn.outcomes(Node(0, state), action)[0][0].state
        results, _ = turn.outcomes(Node(0, state), self.actions[self.reveals])
        names = [card.name for card in turn.definition.cards]
        for probability, after in sorted(results, key=lambda outcome: -outcome.probability):
            hand = ", ".join(names[card] for card in after.players[turn.seat].hand if card >= 0)
            yield probability, hand or "an empty hand"


@dataclass(frozen=True)
class DeckExplanation:
    """Why a turn was chosen."""

    plan: DeckPlan
    words: tuple[str, ...]  # one line for each action
    losses: tuple[float | None, ...]  # for each card played or bought: how much less the best turn without it scores
    others: tuple[Plan[State, Action], ...]  # the next best turns
    chances: tuple[tuple[Fraction, str], ...]  # the hands after the chance event, the likeliest first

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as data."""
        return {
            "words": list(self.words),
            "loss_without": [
                {"action": self.plan.game.action_to_json(action), "loss": loss}
                for action, loss in zip(self.plan.actions, self.losses, strict=True)
            ],
            "outcomes": [{"probability": float(share), "hand": hand} for share, hand in self.chances],
            "next_best": [plan.to_dict() for plan in self.others],
        }

    def chance_lines(self) -> list[str]:
        """Return the likeliest hands after the chance event, in words."""
        if not self.chances:
            return []
        lines = [f"{len(self.chances)} outcomes; the likeliest hands after it:"]
        return lines + [f"  {float(share):.1%} {hand}" for share, hand in self.chances[:_SHOWN_OUTCOMES]]

    def __str__(self) -> str:
        plan = self.plan
        lines = [f"score {plan.objective:g}"]
        lines += [f"  {term} {value:+g}" for term, value in plan.terms.items() if value]
        for words, loss in zip(self.words, self.losses, strict=True):
            lines.append(words if loss is None else f"{words} ({loss:g} less without it)")
        lines += self.chance_lines()
        for other in self.others:
            words = ", ".join(plan.game.describe_turn(other.state, other.actions, briefly=True)) or "end the turn"
            lines.append(f"{plan.objective - other.objective:g} less: {words}")
        return "\n".join(lines)


def turn_program(game: Deck, state: State, weights: DeckWeights, formulation: str) -> LinearModel:
    """Return the integer program of the purchase that ends the best turn, for the number of cards that it buys."""
    plan = next(plans(game, state, weights, PlanOptions(formulation=formulation)))
    turn = DeckTurn(plan.state, plan.weights)
    if not turn.buys_are_last:
        raise PlannerError(f"write-lp: in {game.name} buying is an action like others, not an integer program")
    if plan.reveals is not None:
        action = game.describe_turn(plan.state, plan.actions, briefly=True)[plan.reveals]
        raise PlannerError(f"write-lp: the purchase depends on chance; write it after the best turn {action}")
    state = turn.start
    for step in plan.actions:
        if step.type == "buy" or turn.may_end(state):
            break
        state = _replayed(state, step)
    model = program(turn.market_at(state), len(plan.bought))[0]
    earned, scale = turn.earned(state), turn.weights.integer_scale() * UNIT
    model.set_objective([(var, factor / scale) for var, factor in model.objective], (model.constant + earned) / scale)
    return model


# -- planning


def plans(game: Deck, state: State, profile: DeckWeights, options: PlanOptions) -> Iterator[DeckPlan]:
    """Yield the best turns from this state, best first."""
    if options.solver not in (AUTO, SEARCH, *solvers.names()):
        known = ", ".join((AUTO, SEARCH, *solvers.names()))
        raise PlannerError(f"solver: {quote(options.solver)} is not one of {known}")
    if options.formulation != "exact":
        raise PlannerError(f"formulation: {quote(options.formulation)} is not supported for {game.name}; use exact")
    if state.ended:
        raise PlannerError("state: the match is over, there is no turn to plan")
    seat = rules.to_move(state)
    if seat != state.active:
        raise PlannerError("state: another player's turn; only the player whose turn it is can plan it")
    began = time.perf_counter()
    solver = AUTO if options.solver == SEARCH else options.solver
    turn = DeckTurn(observe(state, seat), profile, solver, options.time_limit)
    search: Search[Node, Action] = Search(turn, options.time_limit, options.effort or DEFAULT_EFFORT)
    root = Node(0, turn.start)
    best = search.best(root)
    if best is None:
        raise NoTurnError("no turn keeps every hard rule of the profile")
    for candidate, bought in [(best, None)] if options.k == 1 else _best_turns(turn, search, root, options.k):
        yield _certified(game, turn, search, candidate, bought, time.perf_counter() - began)


def _best_turns(
    turn: DeckTurn, search: Search[Node, Action], root: Node, number: int
) -> list[tuple[Found[Action], tuple[int, ...] | None]]:
    """Return the best turns that differ in their actions, and their purchases."""
    turns: list[tuple[Found[Action], tuple[int, ...] | None]] = []
    for found in islice(search.ranked(root), number):
        state = _certain_end(turn, found)
        if state is None or not turn.buys_are_last or is_turn_over(state, turn.start.turn):
            turns.append((found, None))
            continue
        results, is_complete = best_purchases(turn.market_at(state), number)
        turn.is_exact = turn.is_exact and is_complete
        best = turn.purchase(state)
        results = [best, *(each for each in results if each.cards != best.cards)]
        turns += [(replace(found, score=found.score + each.value - best.value), each.cards) for each in results]
    turns.sort(key=lambda entry: (-entry[0].score, len(entry[0].actions) + len(entry[1] or ())))
    return turns[:number]


def _certain_end(turn: DeckTurn, found: Found[Action]) -> State | None:
    """Return the state after the actions of a turn without a chance event, or None."""
    state = turn.start
    for action in found.actions:
        results, _ = turn.outcomes(Node(0, state), action)
        if len(results) > 1:
            return None
        state = results[0].state
    return state


def _certified(
    game: Deck,
    turn: DeckTurn,
    search: Search[Node, Action],
    found: Found[Action],
    bought: tuple[int, ...] | None,
    seconds: float,
) -> DeckPlan:
    """Replay a turn by the rules, and build its plan from what the replay earned."""
    scale = turn.weights.integer_scale() * UNIT
    state, actions, names = turn.start, list(found.actions), list[str]()
    for action in found.actions[: len(actions) if found.reveals is None else found.reveals]:
        state = _replayed(state, action)
    score = found.score
    compute: Any
    if found.reveals is None:
        before, state, rest = _finish(turn, state, bought)
        actions += rest
        names = [action.card for action in rest if action.type == "buy"]
        ids = turn.definition.ids
        amounts = turn.amounts(before, [ids[name] for name in names], state)
        earned = sum(turn.signed.get(term, 0) * amount for term, amount in amounts.items())
        assert earned == score, f"the replay earns {earned}, the search {score}"
        values = _terms(turn, amounts)
        compute = lambda: values  # noqa: E731
    else:
        assert rules.illegal_reason(state, found.actions[-1]) is None, "illegal plan"
        node = Node(0, state)
        compute = lambda: _terms(turn, _expected(turn, search, node, found.actions[-1]))  # noqa: E731
    is_limited = not turn.is_exact and found.stopped == Stopped.FINISHED
    stopped = Stopped.CHANCE_LIMIT if is_limited else found.stopped
    proved = stopped == Stopped.FINISHED
    ended = rules.after_turn(state) if found.reveals is None else state
    result = rules.outcome(ended) if found.reveals is None else None
    outcome = None
    if result is not None:
        place, shared = result.places[turn.seat], result.winner is None
        outcome = "loss" if place > 1 else "draw" if shared else "win"
    objective = float(Fraction(score) / scale)
    return DeckPlan(
        status=Status.OPTIMAL if proved else Status.FEASIBLE,
        proof=(Proof.EXHAUSTIVE if turn.solver == AUTO else Proof.PROGRAM) if proved else None,
        stopped=stopped,
        objective=objective,
        bound=objective if proved else math.inf,
        terms=Terms(compute),
        actions=tuple(actions),
        lethal=outcome == "win",
        outcome=outcome,
        reveals=found.reveals,
        solver=SEARCH if turn.solver == AUTO else turn.solver,
        formulation="exact",
        seconds=seconds,
        claimed=objective,
        ignored=(),
        creates=((),) * len(actions),
        game=game,
        state=turn.start,
        end=state,
        weights=turn.weights,
        bought=tuple(names),
    )


def _replayed(state: State, action: Action) -> State:
    problem = rules.illegal_reason(state, action)
    assert problem is None, f"illegal plan: {problem}"
    return without_clean_up(state, action, Random(0))


def _finish(turn: DeckTurn, state: State, bought: tuple[int, ...] | None) -> tuple[State, State, list[Action]]:
    """Play all treasures and buy; return the state before the purchase, the last state, and the actions."""
    if not turn.buys_are_last or is_turn_over(state, turn.start.turn):
        return state, state, []
    cards = turn.definition.cards
    purchase = turn.purchase(state).cards if bought is None else bought
    actions: list[Action] = []
    for card in sorted(turn.treasures(state)):
        actions.append(Action("play", cards[card].name))
        state = _replayed(state, actions[-1])
    before = state
    for card in purchase:
        actions.append(Action("buy", cards[card].name))
        state = _replayed(state, actions[-1])
    return before, state, actions


def _expected(turn: DeckTurn, search: Search[Node, Action], node: Node, action: Action) -> dict[str, Fraction | int]:
    """Return the expected amounts of a turn that goes on with this action, and then as the search decides."""
    totals: dict[str, Fraction | int] = dict.fromkeys(TERM_SIGNS, 0)
    branches = turn.taking(node, action)
    assert branches is not None
    for branch in branches:
        after = branch.state
        assert after is not None
        choice = search.choice(after)
        amounts: Mapping[str, Fraction | int]
        if choice is None:
            before, end, actions = _finish(turn, after.state, None)
            ids = turn.definition.ids
            amounts = turn.amounts(before, [ids[a.card] for a in actions if a.type == "buy"], end)
        else:
            amounts = _expected(turn, search, after, choice)
        for term, amount in amounts.items():
            totals[term] += branch.probability * amount
    return totals


def _terms(turn: DeckTurn, amounts: Mapping[str, Fraction | int]) -> dict[str, float]:
    scale = turn.weights.integer_scale() * UNIT
    return {term: float(Fraction(sign * amounts[term]) / scale) for term, sign in turn.signed.items()}


# -- decisions in the turns of others


def decide_prompt(state: State) -> Action | None:
    """Return a choice in another player's turn: show a card that helps, and keep what the next turn needs most."""
    seat = rules.to_move(state)
    if state.prompt is None or seat == state.active:
        return None
    legal = rules.legal_actions(state)
    if state.prompt.kind == ASK:
        return YES
    definition = state.match.definition
    values = [3 * facts.coins + 2 * facts.cost * facts.is_action for facts in card_facts(definition)]

    def kept(action: Action) -> int:
        hand = without_clean_up(state, action, Random(0)).players[seat].hand
        is_card = action.type == "choose" and action.card in definition.ids
        given_up = values[definition.ids[action.card]] if is_card else 0
        return sum(values[card] for card in hand if card >= 0) - given_up

    return max(legal, key=kept)


# -- regret


def _is_surprise(state: State, seat: int, action: Action) -> bool:
    """Return whether another player, or cards that this one does not see, decide what an action does."""
    if state.prompt is not None and state.prompt.seat != seat:
        return True
    results, is_complete = outcomes(observe(state, seat), action, 2)
    return len(results) > 1 or not is_complete


def regret(
    game: Deck,
    start: State,
    actions: Sequence[Action],
    rng: Random,
    profile: DeckWeights,
    time_limit: float | None = None,
) -> Regret:
    """Compare the turn that began in this state with the best one; `rng` is the match's generator then."""
    try:
        plan = next(plans(game, start, profile, PlanOptions(time_limit=time_limit)))
    except PlannerError as error:
        raise UnjudgedError(str(error)) from None
    turn = DeckTurn(start, profile)
    copy = Random()
    copy.setstate(rng.getstate())  # the caller's generator must not change
    unused = copy.getstate()
    state, before, bought, luck = start, None, list[int](), False
    for action in actions:
        if turn.buys_are_last and action.type == "buy":
            before = before or state
            bought.append(turn.definition.ids[action.card])
        luck = luck or copy.getstate() != unused or _is_surprise(state, turn.seat, action)
        is_last = action == END and state.phase == len(turn.definition.phases) - 1 and state.prompt is None
        if is_last and not turn.reacts_to_end(state):
            break
        state = without_clean_up(state, action, copy)
    if state.prompt is not None and not state.ended:
        raise UnjudgedError("the match ended while a choice of this turn was pending")
    amounts: Amounts = turn.amounts(before or state, bought, state)
    if turn.buys_are_last and not state.ended:  # the best turn plays all treasures
        amounts["coins_unused"] += UNIT * sum(turn.facts[card].coins for card in turn.treasures(before or state))
    earned = Fraction(sum(turn.signed.get(term, 0) * amount for term, amount in amounts.items()))
    estimate = LUCK if luck or copy.getstate() != unused else None
    if plan.status != Status.OPTIMAL:
        estimate = UNPROVED
    return Regret(plan, float(earned / (profile.integer_scale() * UNIT)), estimate)
