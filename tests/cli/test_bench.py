"""The benchmarks: their positions, the program of Guo 2025 as a reference, the measurements and the commands."""

from __future__ import annotations

import csv
import gc
import subprocess
import tracemalloc
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from planner import plan_turn
from planner.bench import growth as bench_growth
from planner.bench import speed
from planner.bench.benchmark_positions import (
    RANDOM_SETS,
    Position,
    crowded_state,
    evenly_spaced,
    load_positions,
    random_positions,
    thesis_decks,
)
from planner.bench.speed import reference_actions, solve_reference
from planner.cli import app, main
from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import CLASSES
from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state_json import state_from_dict
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.turn_effects import is_vanilla
from planner.solvers import reference

RUNNER = CliRunner(env={"COLUMNS": "140", "NO_COLOR": "1", "TERM": "dumb"})
RECORDED, CROWDED, TEXTS = map(load_positions, ("recorded", "crowded", "texts"))
needs_reference = pytest.mark.skipif(reference.problem() is not None, reason="the program of Guo 2025 needs Gurobi")


def run(*arguments: str) -> str:
    result = RUNNER.invoke(app, ["bench", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


# -- recorded positions


def test_recorded_positions_cover_all_rounds_and_profiles() -> None:
    assert len(RECORDED) == 300
    assert set(range(1, 16)) <= {position.state.round for position in RECORDED}
    assert len({position.weights.name for position in RECORDED}) == 7
    assert {position.state.rules.name for position in RECORDED} == {"thesis"}
    assert {position.state.seat for position in RECORDED} == {0, 1}


def test_crowded_positions_have_full_boards() -> None:
    assert len(CROWDED) == 98
    for _, state in CROWDED:
        assert {len(state.me.board), len(state.enemy.board)} <= {6, 7}
        assert 8 <= len(state.me.hand) <= 10
        assert state.me.mana == 10
    damaged = sum(minion.health < minion.max_health for _, state in CROWDED for minion in state.enemy.board)
    assert 50 < damaged < 400


def test_effect_positions_cover_every_class() -> None:
    assert len(TEXTS) == 100
    assert not any(is_vanilla(state) for _, state in TEXTS)
    assert set(range(1, 13)) <= {position.state.round for position in TEXTS}
    assert len({position.weights.name for position in TEXTS}) == 7
    assert {position.state.rules.name for position in TEXTS} == {"standard"}
    assert {position.state.me.hero.hero_class for position in TEXTS} == set(CLASSES)
    assert {held.card.type for _, state in TEXTS for held in state.me.hand} == {"minion", "spell", "weapon"}
    for _, state in TEXTS:
        assert state == observe(state, state.seat)  # decks and the enemy's hand are hidden
        assert state.me.deck or state.me.fatigue
        assert state.me.power is not None


# -- random positions


@pytest.mark.parametrize("which", RANDOM_SETS)
def test_seed_determines_random_positions(which: str) -> None:
    made = random_positions(which, 5, 10)
    assert made == random_positions(which, 5, 10)
    assert not set(made) & set(random_positions(which, 6, 10))
    assert len(set(made)) == 10


def test_random_positions_cover_all_sizes_and_keywords() -> None:
    mixed, crowded = (random_positions(which, 1, 300) for which in ("mixed", "crowded"))
    for made, boards, hands in ((mixed, range(6), range(7)), (crowded, (6, 7), (8, 9, 10))):
        assert {len(state.me.board) for _, state in made} == set(boards)
        assert {len(state.enemy.board) for _, state in made} == set(boards)
        assert {len(state.me.hand) for _, state in made} == set(hands)
        minions = [minion for _, state in made for minion in state.me.board + state.enemy.board]
        for word in ("taunt", "charge", "rush", "windfury", "divine_shield"):
            assert 0.09 < sum(bool(minion.keywords & BIT[word]) for minion in minions) / len(minions) < 0.15
    assert len({weights.terms()["lethal"] for weights, _ in mixed}) == 21


def test_random_effect_positions_have_effects() -> None:
    made = random_positions("texts", 1, 40)
    assert not any(is_vanilla(state) for _, state in made)
    assert len({state.me.hero.hero_class for _, state in made}) > 1


@pytest.mark.parametrize("position", [*RECORDED[:3], *CROWDED[:3], *evenly_spaced(TEXTS, 10)])
def test_position_round_trips_through_its_line(position: Position) -> None:
    profile, text = position.to_line().split("\t")
    assert Position(Weights.of(profile), state_from_text(text)) == position


@pytest.mark.parametrize("position", evenly_spaced(RECORDED, 25))
def test_engine_and_solver_plan_the_same_actions(position: Position) -> None:
    plan = plan_turn(position.state, position.weights)
    assert plan.status == "optimal"
    assert plan.actions == plan_turn(position.state, position.weights, solver="highs").actions


def test_invalid_position_file_is_rejected_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "states.txt"
    for text, message in (
        ("", "contains no state"),
        ("true_balanced 1 mana | me 30hp | enemy 3hp\n", "states.txt:1: must have the form"),
        ("\ntrue_balanced\t1 mana | me 0hp | enemy 3hp\n", "states.txt:2: me.hero.health"),
        ("unknown\t1 mana | me 30hp | enemy 3hp\n", "states.txt:1: "),
    ):
        path.write_text(text)
        with pytest.raises(PlannerError, match=message):
            load_positions(str(path))


# -- the reference


@needs_reference
@pytest.mark.parametrize(
    "positions", [evenly_spaced(RECORDED, 60), evenly_spaced(CROWDED, 14)], ids=["recorded", "crowded"]
)
def test_reference_and_thesis_formulation_have_the_same_optimum(positions: list[Position]) -> None:
    for weights, state in positions:
        claimed = plan_turn(state, weights, solver="highs", formulation="thesis").claimed
        assert solve_reference(state, weights)["objective"] == pytest.approx(claimed), state


@needs_reference
def test_reference_counts_a_divine_shield_as_one_health() -> None:
    state = state_from_text("0 mana | me 30hp: Raptor 3/2 | enemy 30hp: Squire 1/3 divine_shield")
    weights = Weights.of({"enemy_threat": 1})
    assert solve_reference(state, weights)["objective"] == -1  # alive: four points of damage would kill it
    assert plan_turn(state, weights, solver="highs", formulation="thesis").claimed == -1


@needs_reference
def test_reference_counts_minions_in_hand_as_survivors() -> None:
    # The printed objective sums W5 over the board; its description and the program sum it over board and hand.
    state = state_from_text("2 mana | me 30hp | hand: Bloodfen Raptor | enemy 30hp")
    weights = Weights.of({"own_survival": 1})
    assert solve_reference(state, weights)["objective"] == 2
    assert plan_turn(state, weights, solver="highs", formulation="thesis").claimed == 2


@needs_reference
def test_reference_actions_are_legal() -> None:
    state = state_from_text("3 mana | me 30hp | hand: Wolfrider | enemy 3hp")
    actions = reference_actions(state, Weights.of("aggro_face"))
    assert [str(type(action).__name__) for action in actions] == ["Play", "Attack"]


# -- the measurements


def test_every_contestant_plans_every_turn_once_in_blocks() -> None:
    positions = evenly_spaced(RECORDED, 30)
    asked: list[tuple[str, Position]] = []

    def fake(name: str) -> speed.Contestant:
        def plan(task: speed.PlanningTask) -> None:
            asked.append((name, Position(task.weights, task.state)))

        return speed.Contestant(name, plan, lambda weights: None)  # type: ignore[arg-type, return-value]

    *_, times = speed.measure_turns([fake("a"), fake("b")], positions)
    for name in "ab":
        assert [position for who, position in asked if who == name][-30:] == positions
        assert len(times[name].cpu) == len(times[name].wall) == 30
    assert "".join(name for name, _ in asked[-60:]) == 25 * "a" + 25 * "b" + 5 * "b" + 5 * "a"


def test_speed_up_is_relative_to_the_baseline() -> None:
    times = {
        "base": speed.TurnTimes([0.002, 0.004], [0.1, 0.1]),
        "fast": speed.TurnTimes([0.001, 0.001], [0.1, 0.1]),
    }
    base, fast = speed.turn_rows(times, "base")
    assert base["mean_ms"] == pytest.approx(3)
    assert base["max_ms"] == pytest.approx(4)
    assert (base["faster_mean"], base["faster_p95"]) == (1, 1)
    assert fast["faster_mean"] == pytest.approx(3)
    assert fast["faster_p95"] == pytest.approx(3.9)


@pytest.mark.parametrize("position", [*evenly_spaced(TEXTS, 5), *random_positions("mixed", 3, 5)])
def test_mapping_and_state_of_a_task_are_equal(position: Position) -> None:
    task = speed.PlanningTask.from_position(position)
    assert state_from_dict(task.mapping) == task.state
    assert Weights.of(task.profile) == task.weights


# -- the commands


def test_bench_turns_prints_and_writes_a_table(tmp_path: Path) -> None:
    out = tmp_path / "turns.csv"
    text = run("turns", "--limit", "3", "--solvers", "auto,highs", "--out", str(out))
    assert "3 turns, recorded; x = speed-up over auto" in text
    rows = list(csv.DictReader(out.open()))
    assert [row["contestant"] for row in rows[:4]] == ["auto", "thesis auto", "exact highs", "thesis highs"]
    assert rows[0]["faster_mean"] == "1"
    assert {row["turns"] for row in rows[:4]} == {"3"}
    profiles = {position.weights.name for position in evenly_spaced(RECORDED, 3)}
    assert {row["states"] for row in rows[4:]} == {f"recorded, {profile}" for profile in profiles}


def test_bench_turns_plans_each_turn_with_each_profile(tmp_path: Path) -> None:
    out = tmp_path / "turns.csv"
    run("turns", "--limit", "2", "--profiles", "champion, aggro_face", "--solvers", "auto", "--out", str(out))
    counts = {row["states"]: row["turns"] for row in csv.DictReader(out.open()) if row["contestant"] == "auto"}
    assert counts == {"recorded": "4", "recorded, aggro_face": "2", "recorded, champion": "2"}


@needs_reference
def test_bench_turns_compares_with_the_reference(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text(RECORDED[0].to_line() + "\n")
    assert "x = speed-up over reference" in run("turns", "--states", str(path), "--solvers", "reference,auto")


@needs_reference
def test_bench_turns_compares_effect_positions_with_the_reference() -> None:
    assert "2 turns, texts; x = speed-up over reference" in run(
        "turns", "--states", "texts", "--limit", "2", "--solvers", "reference,auto"
    )


def test_bench_turns_generates_random_sets_and_prints_the_seed(tmp_path: Path) -> None:
    out = tmp_path / "turns.csv"
    text = run("turns", "--states", "random", "--seed", "11", "--limit", "2", "--solvers", "auto", "--out", str(out))
    titles = [f"random:{which} of seed 11" for which in RANDOM_SETS]
    assert all(f"2 turns, {title}; x = speed-up over auto" in text for title in titles)
    sets = [row["states"] for row in csv.DictReader(out.open()) if "," not in row["states"]]
    assert list(dict.fromkeys(sets)) == titles


def test_bench_games_prints_a_table() -> None:
    text = run("games", "--seconds", "0.1", "--solvers", "auto")
    assert "matches per contestant; x = speed-up over auto" in text


def test_bench_games_plays_the_profiles_of_guo(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs: list[Any] = []

    def watched(contestants: Any, given: Any, *others: Any) -> Any:
        pairs.extend(islice(given, 60))
        return measure_matches(contestants, pairs[:1], *others)

    measure_matches = speed.measure_matches
    monkeypatch.setattr(speed, "measure_matches", watched)
    run("games", "--seconds", "0.1", "--solvers", "auto")
    assert {weights.name for pair in pairs for weights in pair} == {
        "keep_alive", "board_clear", "aggro_face", "value_trade", "aggro_tempo", "true_balanced", "author_favorite",
    }  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ("turns", "--solvers", "gurobbi"),
        ("turns", "--states", "nowhere.txt"),
        ("turns", "--profiles", "unknown"),
        ("turns", "--states", "random:sky"),
        ("turns", "--states", "crowded", "--seed", "1"),
        ("growth", "--series", "sky"),
    ],
)
def test_invalid_arguments_are_rejected_in_one_line(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *arguments]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_growth_reaches_twice_the_game_limits(tmp_path: Path) -> None:
    out, plot = tmp_path / "growth.csv", tmp_path / "growth.png"
    run("growth", "--solvers", "highs", "--series", "hand", "--states", "1", "--patience", "0.05",
        "--time-limit", "0.05", "--out", str(out), "--plot", str(plot))  # fmt: skip
    assert plot.read_bytes().startswith(b"\x89PNG")
    rows = list(csv.DictReader(out.open()))
    assert rows[-1]["size"] == "20"
    assert all(float(row["gap_max"]) >= 0 for row in rows)


def test_large_boards_have_rules_that_allow_them() -> None:
    _, state = bench_growth.positions_of_size(14, 20, 1)[0]
    assert (len(state.me.board), len(state.enemy.board), len(state.me.hand)) == (14, 14, 20)
    assert (state.rules.board_limit, state.rules.hand_limit) == (14, 20)


@pytest.mark.parametrize("position", evenly_spaced(CROWDED, 4)[:3])
def test_time_limited_plan_has_a_valid_bound(position: Position) -> None:
    optimum = plan_turn(position.state, position.weights).objective
    for limit in (0.001, 0.02, 0.1):
        plan = plan_turn(position.state, position.weights, time_limit=limit)
        assert plan.objective <= optimum <= plan.bound


# -- memory


def test_planning_does_not_leak_memory() -> None:
    def plan_all(positions: list[Position]) -> None:
        for weights, state in positions:
            plan_turn(state, weights)
            plan_turn(state, weights, solver="highs")

    plan_all(RECORDED[::3])  # fill the caches
    tracemalloc.start()
    try:
        plan_all(RECORDED[1::6])
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        plan_all(RECORDED[2::3])
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 100_000, f"100 turns left {grown} bytes behind"


def test_bench_memory_prints_ten_lines() -> None:
    assert len([line for line in run("memory", "--turns", "20").splitlines() if line.strip()[:1].isdigit()]) == 10


def test_crowded_states_come_from_the_decks() -> None:
    from random import Random

    rules = Ruleset.of("thesis")
    decks = thesis_decks(rules)
    state = crowded_state(Random(3), decks, rules, 7, 6, 10, mana=10)
    assert state.rules is rules
    assert {minion.card for minion in state.me.board} <= set(decks[0].cards)
    assert {held.card for held in state.me.hand} <= set(decks[0].cards)
    assert {minion.card for minion in state.enemy.board} <= set(decks[1].cards)


def test_bench_start_measures_complete_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def watched(*given: Any, **settings: Any) -> Any:
        folder = Path(settings["env"]["PYTHONPYCACHEPREFIX"])
        started.append(any(path.stem.startswith("plan_command.") for path in folder.rglob("cli/*.pyc")))
        return subprocess_run(*given, **settings)

    subprocess_run = subprocess.run
    monkeypatch.setattr(subprocess, "run", watched)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    lines = run("start", "--runs", "1").splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "planner --help", "planner plan STATE", "planner plan STATE --json"
    ]  # fmt: skip
    assert all(0 < float(line.split()[-2]) < 30 for line in lines)
    assert started == [False, False, False, True, True, True]  # the first run compiles and is not measured
