"""Sealed minions may fight but not die: the program with them, against a search that never lets them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from planner.games.hearthstone.cards.keywords import REBORN
from planner.games.hearthstone.rules.state import GameState, Minion
from planner.games.hearthstone.turn import exact
from planner.games.hearthstone.turn.exhaustive import allowed_actions
from planner.games.hearthstone.turn.judge import Judge
from planner.games.hearthstone.turn.lexicographic import Clock, solve_ranked
from planner.games.hearthstone.turn.objective import Earned
from planner.games.hearthstone.turn.schedule import schedule
from planner.games.hearthstone.turn.weights import Weights
from planner.solvers import get
from tests.games.hearthstone.turn.random_states import random_state, random_weights


def minions(state: GameState) -> dict[str, Minion]:
    return {minion.id: minion for minion in (*state.me.board, *state.enemy.board)}


def someone_sealed_died(before: GameState, after: GameState, sealed: frozenset[str]) -> bool:
    left = minions(after)
    return any(
        name in sealed and (name not in left or bool(minion.keywords & REBORN and not left[name].keywords & REBORN))
        for name, minion in minions(before).items()
    )


def best_by_search(start: GameState, weights: Weights, sealed: frozenset[str]) -> float:
    """The best worth, in the weights' integer scale, of all turns in which no sealed minion dies."""
    judge = Judge(start, weights)
    memo: dict[GameState, float] = {}

    def best(now: GameState) -> float:
        key = now._replace(clock=0)
        if key not in memo:
            ending = judge.ending(now)
            value = -float("inf") if ending is None else float(ending)
            for action in allowed_actions(now, weights):
                found = judge.taking(now, action)
                assert found is not None
                gained, after = found
                assert after is not None
                if not someone_sealed_died(now, after, sealed):
                    value = max(value, float(gained) + best(after))
            memo[key] = value
        return memo[key]

    return best(start)


def best_by_program(state: GameState, weights: Weights, sealed: frozenset[str]) -> float:
    problem = exact.build(state, weights, sealed=sealed)
    times = problem.scale // weights.integer_scale()

    def check(values: Sequence[float]) -> bool:
        plays, struck = problem.chosen(values)

        def accepts(earned: Earned) -> bool:
            left, held = minions(earned.end), {card.id for card in earned.end.me.hand}
            played = {card.id: card.card for card in state.me.hand if card.id in sealed - held}
            alive = not someone_sealed_died(state, earned.end, sealed) and all(
                name in left and (left[name].keywords & REBORN) == (card.keywords & REBORN)
                for name, card in played.items()
            )
            return alive and earned.worth(weights) * times == problem.claimed(values)

        found = schedule(state, problem.units, plays, struck, accepts, Clock(None)) is not None
        if not found:
            problem.forbid(values)
        return found

    best = solve_ranked(problem, get("highs"), Clock(None), check, ties=False)
    assert best.proved
    return best.objective / times


def test_the_program_with_sealed_minions_equals_a_search_that_never_lets_them_die() -> None:
    costly = 0
    for seed in range(150):
        rng = Random(110_000 + seed)
        state, weights = random_state(rng, 3, 2), random_weights(rng)
        names = [*minions(state), *(held.id for held in state.me.hand)]
        sealed = frozenset(name for name in names if rng.random() < 0.5)
        found = best_by_program(state, weights, sealed)
        assert found == best_by_search(state, weights, sealed), f"seed {seed}: {sealed}"
        costly += found < best_by_program(state, weights, frozenset())
    assert costly > 30, "sealing hardly ever mattered: the test proves nothing"
