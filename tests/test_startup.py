"""What nobody asked for is not imported: a bot that plans a turn pays for no solver, table or plot."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from planner.games.hearthstone.engine import available

HEAVY = ("highspy", "ortools", "pulp", "gurobipy", "numpy", "scipy", "pandas", "matplotlib")
STATE = {
    "mana": 3,
    "me": {"hero": {"health": 30}, "board": [{"attack": 2, "health": 3}], "hand": ["Wolfrider", "Fireball"]},
    "enemy": {"hero": {"health": 12}, "board": [{"attack": 3, "health": 2, "keywords": ["taunt"]}]},
}
PLAN = f"import planner; assert planner.plan_turn({STATE!r}).status == 'optimal'"
COMMAND = "from planner.cli import main; assert main({!r}) == 0"


def imported_by(code: str) -> list[str]:
    asking = f"{code}\nimport sys; print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stderr.splitlines()[-1].replace("'", '"'))
    return found


@pytest.mark.skipif(not available(), reason="without the engine a solver plans")
@pytest.mark.parametrize("code", [PLAN, COMMAND.format(["plan", "STATE"])], ids=["plan_turn", "planner plan"])
def test_a_turn_is_planned_without_solvers_tables_and_plots(code: str, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps(STATE))
    assert imported_by(code.replace("STATE", str(path))) == []


@pytest.mark.parametrize("arguments", [["--help"], ["bench", "turns", "--help"], ["plan", "--help"], ["cards"]])
def test_help_and_lists_need_none_of_them(arguments: list[str]) -> None:
    assert imported_by(COMMAND.format(arguments)) == []


def test_a_named_solver_imports_what_it_needs_and_no_more() -> None:
    code = PLAN.replace(").status", ", solver='highs').status")
    assert imported_by(code) == ["highspy", "numpy"]
