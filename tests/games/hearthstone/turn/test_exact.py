"""The exact formulation compared with exhaustive search, beam search and every solver."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import process_time

import pytest

from planner import plan_turn, plan_turns
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.resolve import apply_verified
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn.exhaustive_search import allowed_actions
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights, end_allowed
from planner.games.hearthstone.turn.scoring import replay
from planner.games.hearthstone.turn.turn_plan import linear_model
from planner.solvers import get, installed
from tests.games.hearthstone.exhaustive import best_by_search
from tests.games.hearthstone.turn.random_states import random_state, random_weights

SOLVERS = [name for name in installed() if get(name).usable() is None]


def case(seed: int, board: int, hand: int, **options: object) -> tuple[GameState, Weights]:
    rng = Random(seed)
    return random_state(rng, board, hand, **options), random_weights(rng)  # type: ignore[arg-type]


def check_against_search(seed: int, board: int, hand: int, solver: str = "auto") -> None:
    state, weights = case(seed, board, hand)
    best, _ = best_by_search(state, weights)
    plan = plan_turn(state, weights, solver)
    assert plan.status == "optimal"
    assert plan.objective == pytest.approx(best), f"seed {seed}: {plan.actions}"
    assert plan.bound == plan.objective


@pytest.mark.parametrize("block", range(10))
def test_equals_exhaustive_search(block: int) -> None:
    """Mixes all keywords, random weights and profiles; `make test-long` runs 6,000 states."""
    for seed in range(50 * block, 50 * (block + 1)):
        check_against_search(seed, 3, 3)


@pytest.mark.parametrize("block", range(2))
def test_the_program_equals_exhaustive_search(block: int) -> None:
    """A named solver solves the integer program, even where `auto` needs no solver."""
    for seed in range(15_000 + 40 * block, 15_000 + 40 * (block + 1)):
        check_against_search(seed, 3, 3, "highs")


@pytest.mark.parametrize("block", range(2))
def test_equals_exhaustive_search_on_four_against_four(block: int) -> None:
    for seed in range(10_000 + 20 * block, 10_000 + 20 * (block + 1)):
        check_against_search(seed, 4, 4)


@pytest.mark.long
@pytest.mark.parametrize("block", range(60))
def test_equals_exhaustive_search_at_length(block: int) -> None:
    for seed in range(20_000 + 100 * block, 20_000 + 100 * (block + 1)):
        check_against_search(seed, 4, 4, "highs" if seed % 2 else "auto")


def beam_search(state: GameState, weights: Weights, width: int) -> float:
    """Return the best score that a beam search reaches: never better than the optimum."""
    beam: list[tuple[float, list[Action], GameState]] = [(0, [], state)]
    best = float(replay(state, []).scaled_score(weights)) / weights.integer_scale()
    visited = {state}
    while beam:
        candidates = []
        for _, actions, current in beam:
            for action in allowed_actions(current, weights):
                after = apply_verified(current, action)
                if after in visited:
                    continue
                visited.add(after)
                score = float(replay(state, [*actions, action]).scaled_score(weights)) / weights.integer_scale()
                if end_allowed(weights, state, after):
                    best = max(best, score)
                candidates.append((score, [*actions, action], after))
        candidates.sort(key=lambda entry: -entry[0])
        beam = candidates[:width]
    return best


@pytest.mark.parametrize("seed", range(6))
def test_no_beam_search_does_better_on_crowded_boards(seed: int) -> None:
    state, weights = case(30_000 + seed, 7, 10, density=0.25, exact_size=True)
    plan = plan_turn(state, weights)
    assert plan.status == "optimal"
    assert beam_search(state, weights, 6) <= plan.objective


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100))
def test_no_long_beam_search_does_better_on_crowded_boards(seed: int) -> None:
    state, weights = case(40_000 + seed, 7, 10, density=0.25, exact_size=True)
    assert beam_search(state, weights, 100) <= plan_turn(state, weights).objective


def check_solvers_agree(seed: int) -> None:
    board, hand = (3, 3) if seed % 2 else (5, 5)
    state, weights = case(50_000 + seed, board, hand, density=0.25)
    for formulation in ("exact", "thesis"):
        plans = {name: plan_turn(state, weights, name, formulation) for name in SOLVERS}
        assert len({plan.objective for plan in plans.values()}) == 1, f"seed {seed}, {formulation}"
        assert len({plan.actions for plan in plans.values()}) == 1, f"seed {seed}, {formulation}: {plans}"


@pytest.mark.parametrize("block", range(5))
def test_all_solvers_return_the_same_plan(block: int) -> None:
    for seed in range(8 * block, 8 * (block + 1)):
        check_solvers_agree(seed)


@pytest.mark.long
@pytest.mark.parametrize("block", range(25))
def test_all_solvers_return_the_same_plan_at_length(block: int) -> None:
    for seed in range(20 * block, 20 * (block + 1)):
        check_solvers_agree(seed)


def test_the_program_alone_is_an_upper_bound() -> None:
    """Without ordering checks and cuts the program may overestimate the optimum, but never underestimates it."""
    for seed in range(60):
        state, weights = case(60_000 + seed, 4, 3)
        solution = get("highs").solve(linear_model(state, weights))
        assert solution.objective >= plan_turn(state, weights).objective - 1e-6


RULES = (
    Rule("attack_with", word="taunt"),
    Rule("attack_with", word="hero"),
    Rule("attack_on", word="hero"),
    Rule("attack_on", word="minions"),
    Rule("trade_below", 1.5),
    Rule("own_hero_death"),
    Rule("play", word="me.hand.0"),
    Rule("keep_mana", 3),
    Rule("keep_minions", 2),
    Rule("keep_cards", 1),
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind} {rule.word or rule.number}")
def test_hard_rules_are_constraints(rule: Rule) -> None:
    """Under each rule the plan is the best legal one, and the rule lowers the score of at least one turn."""
    field = "require" if rule.kind.startswith("keep") else "forbid"
    cost = 0
    for seed in range(40):
        state, weights = case(70_000 + seed, 3, 3)
        # Without own_survival these weights reward breaking every rule.
        eager = {term: abs(weight) for term, weight in weights.terms().items() if term != "own_survival"}
        ruled = Weights(**eager, **{field: (rule,)})
        best, _ = best_by_search(state, ruled)
        plan = plan_turn(state, ruled)
        assert plan.objective == pytest.approx(best), f"seed {seed}"
        assert end_allowed(ruled, state, plan.end)
        cost += plan_turn(state, Weights(**eager)).objective > plan.objective
    assert cost, "this rule never mattered: the test proves nothing"


def test_a_requirement_is_limited_to_what_ending_the_turn_at_once_leaves() -> None:
    """A minion that dies at the end of the turn cannot be kept, nor a card that is discarded then."""
    cards = (
        'cards: {"name": "Brief", "attack": 1, "health": 1, "effects":'
        ' [{"do": "destroy", "to": "self", "on": "turn_end"}, {"do": "discard", "count": 1, "on": "turn_end"}]}'
    )
    state = state_from_text(f"3 mana | me 30hp: Brief | hand: Ox (3) 2/2, Ox (3) 2/2 | enemy 9hp | {cards}")
    for rule, actions in ((Rule("keep_minions", 1), 2), (Rule("keep_cards", 2), 1)):
        weights = Weights(face_damage=1, card_value=1, require=(rule,))
        plan = plan_turn(state, weights)
        assert plan.objective == best_by_search(state, weights)[0] == actions
        assert len(plan.actions) == actions


def test_a_card_that_comes_at_the_end_of_the_turn_is_required() -> None:
    """A win ends the match before the card comes."""
    cards = (
        'cards: {"name": "Scribe", "attack": 4, "health": 1, "effects":'
        ' [{"do": "add", "card": "The Coin", "count": 1, "on": "turn_end"}]}'
    )
    state = state_from_text(f"0 mana | me 30hp: Scribe | enemy 4hp | {cards}")
    weights = Weights(lethal=9, require=(Rule("keep_cards", 1),))
    assert best_by_search(state, weights) == (0, [])
    assert plan_turn(state, weights).actions == ()
    assert [plan.actions for plan in plan_turns(state, weights, k=2)] == [()]


def test_an_echo_copy_is_not_a_card_that_is_kept() -> None:
    state = state_from_text("1 mana | me 30hp | hand: Ghost (1) 1/1 echo charge | enemy 9hp")
    weights = Weights(face_damage=1, require=(Rule("keep_cards", 1),))
    assert not plan_turn(state, weights).actions
    assert best_by_search(state, weights) == (0, [])


@pytest.mark.parametrize("solver", ["auto", "highs"])
@pytest.mark.parametrize("kept", [0, 1])
def test_an_echo_copy_can_be_played_whatever_is_kept(solver: str, kept: int) -> None:
    state = state_from_text("4 mana | me 30hp | hand: Minion (1) 1/1 echo=true, Minion (3) 2/2 | enemy 9hp")
    weights = Weights(card_value=1, require=(Rule("keep_cards", kept),) if kept else ())
    plan = plan_turn(state, weights, solver=solver)
    assert plan.objective == best_by_search(state, weights)[0] == 2 - kept
    assert plan.status == "optimal"


def test_every_action_of_a_plan_is_legal_when_it_is_taken() -> None:
    for seed in range(50):
        state, weights = case(80_000 + seed, 5, 4)
        for formulation in ("exact", "thesis"):
            current = state
            for action in plan_turn(state, weights, formulation=formulation).actions:
                assert action in legal_actions(current)
                current = apply_verified(current, action)


def test_the_lp_file_solved_by_another_program_gives_the_same_optimum(tmp_path: Path) -> None:
    """HiGHS reads the LP file; where no cut is needed, its optimum is the score that the plan claims."""
    import highspy

    equal = 0
    for seed in range(25):
        state, weights = case(90_000 + seed, 3, 3, density=0.1)
        for formulation in ("exact", "thesis"):
            model = linear_model(state, weights, formulation)
            model.write_lp(tmp_path / "turn.lp")
            other = highspy.Highs()
            other.setOptionValue("output_flag", False)
            other.setOptionValue("mip_rel_gap", 0.0)
            assert other.readModel(str(tmp_path / "turn.lp")) == highspy.HighsStatus.kOk
            other.run()
            objective = other.getObjectiveValue()
            assert objective == pytest.approx(get("scip").solve(model).objective)
            equal += objective == pytest.approx(plan_turn(state, weights, formulation=formulation).claimed)
    assert equal > 40


def test_a_short_limit_is_kept_on_crowded_boards() -> None:
    """Measures processor time, so that other load on the machine does not matter."""
    lines = (Path(__file__).parents[4] / "experiments/states/crowded.txt").read_text(encoding="utf-8").splitlines()
    for line in [line for line in lines if line and not line.startswith("#")][:8]:
        profile, text = line.split("\t")
        state = state_from_text(text)
        started = process_time()
        plan = plan_turn(state, profile, time_limit=0.2)
        assert process_time() - started < 0.2 + 0.05
        assert plan.actions, "the planner always has a quick plan"
        assert plan.bound >= plan.objective


def test_a_turn_in_which_either_hero_may_die_needs_no_endless_cuts() -> None:
    """This profile prefers an attack that kills our hero, which excludes lethal."""
    rng = Random(20)
    state, weights = random_state(rng, 5, 5, density=0.25), random_weights(rng)
    plan = plan_turn(state, weights, "highs", time_limit=20)
    assert (plan.status, plan.objective) == (
        "optimal",
        358.0,
    )  # the result of `best_by_search`, which takes many seconds
