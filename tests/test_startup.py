"""Commands import only what they need: planning a turn loads no solver, table or plot."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import typer

import planner
from planner.cli import COMMANDS, _commands_of, app
from planner.games.hearthstone.engine import available

HEAVY = ("highspy", "ortools", "pulp", "gurobipy", "numpy", "scipy", "pandas", "matplotlib")
DRAWING = ("rich.console", "rich.table", "rich.markdown", "pydantic")
PACKAGES = ("planner.games.hearthstone", "planner.games.spire", "planner.arena", "planner.agents", "planner.planning")
STATE = {
    "mana": 3,
    "me": {"hero": {"health": 30}, "board": [{"attack": 2, "health": 3}], "hand": ["Wolfrider", "Fireball"]},
    "enemy": {"hero": {"health": 12}, "board": [{"attack": 3, "health": 2, "keywords": ["taunt"]}]},
}
PLAN = f"import planner; assert planner.plan_turn({STATE!r}).status == 'optimal'"
PINS = (Path(__file__).parents[1] / "requirements.txt").read_text()
COMMAND = "from planner.cli import main; assert main({!r}) == 0"


def imported_by(code: str, names: tuple[str, ...] = HEAVY) -> list[str]:
    asking = f"{code}\nimport sys; print([name for name in {names!r} if name in sys.modules], file=sys.stderr)"
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
def test_help_and_lists_load_nothing_heavy(arguments: list[str]) -> None:
    assert imported_by(COMMAND.format(arguments)) == []


@pytest.mark.skipif(f"typer=={version('typer')}\n" not in PINS, reason="typer is not the pinned version")
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "JSON"])
def test_a_plan_loads_no_pydantic(options: list[str], tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps(STATE))
    assert imported_by(COMMAND.format(["plan", str(path), *options]), ("pydantic", "importlib.metadata")) == []


def test_a_named_solver_loads_only_its_own_packages() -> None:
    code = PLAN.replace(").status", ", solver='highs').status")
    assert imported_by(code) == ["highspy", "numpy"]


def test_the_list_of_commands_loads_no_command() -> None:
    code = COMMAND.format(["--help"]) + "; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = done.stdout.splitlines()[-1].split()
    assert not {*HEAVY, *DRAWING, *PACKAGES} & set(loaded)
    assert [name for name in loaded if name.startswith("planner.cli.")] == ["planner.cli.console"]


def test_a_plan_loads_no_arena_and_no_other_game(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps(STATE))
    code = COMMAND.format(["plan", str(path), "--json"])
    others = (
        "planner.arena", "planner.agents", "planner.games.spire", "planner.cli.match_commands", "planner.cli.bench_commands",
        "planner.games.hearthstone.hearthstone_files",
    )  # fmt: skip
    assert imported_by(code, (*HEAVY, "rich", "planner.games.hearthstone.turn.explanation", *others)) == []


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "planner", "plan", "none.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "error: none.json: no such file\n")


def test_importing_the_package_loads_none_of_its_modules() -> None:
    assert imported_by("import planner", (*PACKAGES, "planner.formats.documents", "yaml")) == []


def test_public_names_are_loaded_lazily() -> None:
    assert sorted(planner._HOMES) == sorted(planner.__all__)
    assert all(getattr(planner, name) is vars(planner)[name] for name in planner.__all__)
    assert set(planner.__all__) <= set(dir(planner))
    with pytest.raises(AttributeError, match="has no attribute 'plan_trun'"):
        planner.plan_trun  # noqa: B018


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_of_commands_matches_their_help(name: str) -> None:
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    assert command.help.split("\n\n")[0].replace("\n", " ").strip() == COMMANDS[name].summary


def test_every_command_of_a_module_is_in_the_table() -> None:
    modules = {info.module for info in COMMANDS.values()}
    assert sorted(name for module in modules for name in _commands_of(module)) == sorted(COMMANDS)
    folder = Path(planner.__file__).parent / "cli"
    with_commands = {path.stem for path in folder.glob("*.py") if "\ncommands = typer.Typer(" in path.read_text()}
    assert with_commands == modules
