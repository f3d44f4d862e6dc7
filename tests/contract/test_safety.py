"""Safety for bots: no side effects of the import, unchanged arguments, and support for threads and processes."""

from __future__ import annotations

import copy
import json
import multiprocessing
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import pytest

from planner import GameState, PlannerError, Weights, plan_turn
from planner.solvers import installed
from tests.contract.boards import PROFILES, crowded_state, random_state

SOLVER_PACKAGES = ("highspy", "ortools", "pulp", "gurobipy", "pandas")
ROOT = str(Path(__file__).resolve().parents[2])


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in an empty folder without writing bytecode files."""
    path = f"import sys; sys.path.insert(0, {ROOT!r}); sys.dont_write_bytecode = True\n"
    return subprocess.run(
        [sys.executable, "-c", path + code], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


def test_importing_has_no_side_effects(tmp_path: Path) -> None:
    code = f"""
import os, signal, threading, logging, random
before = dict(os.environ), os.getcwd(), signal.getsignal(signal.SIGINT), threading.active_count(), random.getstate()
handlers = list(logging.getLogger().handlers)
import planner
assert before == (dict(os.environ), os.getcwd(), signal.getsignal(signal.SIGINT), threading.active_count(),
                  random.getstate())
assert handlers == logging.getLogger().handlers
loaded = [name for name in {SOLVER_PACKAGES!r} if name in sys.modules]
assert not loaded, loaded
"""
    completed = python(code, tmp_path)
    assert (completed.returncode, completed.stdout, completed.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("solver", ["auto", *installed()])
def test_planning_prints_nothing_and_leaves_no_files(solver: str, tmp_path: Path) -> None:
    state = crowded_state(Random("quiet"))
    state["me"]["hand"] = state["me"]["hand"][:2]
    state["enemy"]["board"] = state["enemy"]["board"][:3]
    code = f"from planner import plan_turn\nassert plan_turn({state!r}, 'aggro_face', solver={solver!r}).actions"
    completed = python(code, tmp_path)
    assert (completed.returncode, completed.stdout, completed.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_planning_draws_no_random_numbers() -> None:
    import random

    random.seed(7)
    before = random.getstate()
    plan_turn(random_state(Random("drawn")), "aggro_face")
    assert random.getstate() == before


# -- arguments


def test_the_state_and_the_weights_are_not_changed() -> None:
    for seed in range(20):
        state = random_state(Random(f"unchanged {seed}"))
        weights = dict(PROFILES["value_trade"])
        state_copy, weights_copy = copy.deepcopy(state), dict(weights)
        plan = plan_turn(state, weights)
        plan.explain(k=0)
        plan_turn(state, weights, formulation="thesis")
        assert state == state_copy
        assert weights == weights_copy


def test_changing_the_result_does_not_change_later_plans() -> None:
    state = random_state(Random("later"), 3, 3, 3)
    first = plan_turn(state, "aggro_face")
    text = json.dumps({**first.to_dict(), "seconds": 0})
    data = first.to_dict()
    data["actions"].clear()
    data["terms"].clear()
    assert json.dumps({**first.to_dict(), "seconds": 0}) == text
    assert json.dumps({**plan_turn(state, "aggro_face").to_dict(), "seconds": 0}) == text


def test_any_mapping_is_accepted() -> None:
    state = random_state(Random("mapping"), 2, 2, 2)

    def immutable(part: Any) -> Any:
        if isinstance(part, dict):
            return MappingProxyType({key: immutable(value) for key, value in part.items()})
        return tuple(map(immutable, part)) if isinstance(part, list) else part

    plan, same = plan_turn(state, "aggro_face"), plan_turn(immutable(state), MappingProxyType(PROFILES["aggro_face"]))
    assert plan.actions == same.actions
    assert isinstance(plan.state, GameState)
    again = plan_turn(plan.state, Weights.of("aggro_face"))
    assert (again.actions, again.objective) == (plan.actions, plan.objective)


def test_a_refusal_does_not_affect_later_plans() -> None:
    state = random_state(Random("after"), 3, 3, 3)
    before = plan_turn(state, "aggro_face").actions
    with pytest.raises(PlannerError):
        plan_turn({**state, "mana": -1}, "aggro_face")
    assert plan_turn(state, "aggro_face").actions == before


# -- threads and processes


def job(number: int, solver: str = "auto") -> str:
    """Return the plan of the random state with this number as JSON, without its time."""
    rng = Random(f"job {number}")
    plan = plan_turn(random_state(rng), rng.choice(sorted(PROFILES)), solver=solver)
    return json.dumps({**plan.to_dict(), "seconds": 0}, sort_keys=True)


@pytest.mark.parametrize("solver", ["auto", *installed()])
def test_threads_return_the_same_plans(solver: str) -> None:
    numbers = range(24)
    sequential = [job(number, solver) for number in numbers]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(job, numbers, [solver] * len(numbers))) == sequential


def test_threads_with_different_solvers_return_the_same_plans() -> None:
    names = installed()
    sequential = [job(number, names[number % len(names)]) for number in range(30)]
    with ThreadPoolExecutor(4) as pool:
        threaded = list(pool.map(lambda number: job(number, names[number % len(names)]), range(30)))
    assert threaded == sequential


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_return_the_same_plans(method: str) -> None:
    sequential = [job(number) for number in range(12)]  # before the fork, so that the parent has already run a solver
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert list(pool.map(job, range(12), timeout=120)) == sequential


@pytest.mark.long
def test_threads_over_many_states() -> None:
    sequential = [job(number) for number in range(500)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            assert list(pool.map(job, range(500))) == sequential


def test_a_plan_can_be_pickled() -> None:
    import pickle

    plan = plan_turn(random_state(Random("pickled"), 3, 3, 3), "aggro_face")
    assert pickle.loads(pickle.dumps(plan)) == plan
