"""The notebooks run from top to bottom, and states, plans and results show themselves in them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from planner import plan_turn
from tests.arena.folders import made_up

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "experiments" / "analysis.ipynb"
FIRST = ROOT / "experiments" / "first_board.ipynb"


def make_notebook() -> list[str]:
    """Return the command of `make notebook`."""
    recipe = re.search(r"^notebook: setup\n\t(.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert recipe is not None
    return recipe[1].replace("$(BIN)", str(Path(sys.executable).parent)).split()


def outputs(notebook: nbformat.NotebookNode) -> str:
    """Return the output of all cells as plain text."""
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not any(output.get("name") == "stderr" for output in shown), "a cell warns"
    return "\n".join(output.get("data", {}).get("text/plain", "") for output in shown)


def test_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = made_up(tmp_path, games=20)
    others = made_up(tmp_path, "random", "greedy", "aggro_face", games=3, pairs="gauntlet", name="others")
    monkeypatch.setenv("PLANNER_RESULTS", os.pathsep.join(map(str, (profiles, others))))
    command = [word.replace("../results", str(tmp_path)) for word in make_notebook()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    notebook = nbformat.read(tmp_path / "analysis.ipynb", as_version=4)
    text = outputs(notebook)
    assert "made-up: largest differences" in text
    assert "others: rounds" in text
    # Claims in the text of Guo 2025 that its table supports, and claims that it does not.
    (last,) = [output for output in notebook.cells[-1].outputs if "text/html" in output.get("data", {})]
    for words, answer in (
        ("W1 wins most games from the first seat against every opponent", "yes"),
        ("W7 from the first seat: above 95 % against at least two", "no"),
        ("The first seat wins every mirror", "no"),
        ("The four shortest pairings are those among W3 and W6", "yes"),
        ("Reversing the turn order reverses the outcome of most pairings", "no"),
    ):
        assert re.search(rf"<th>{re.escape(words)}</th>\s*<td>{answer}</td>", last["data"]["text/html"]), words


def test_the_short_notebook_runs_and_shows_pictures(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("jupyter-execute")), f"--output={tmp_path / 'out.ipynb'}", str(FIRST)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    cells = nbformat.read(tmp_path / "out.ipynb", as_version=4).cells
    shown = [output.get("data", {}) for cell in cells if cell.cell_type == "code" for output in cell.outputs]
    pages = [data["text/html"] for data in shown if "text/html" in data]
    assert "Magma Rager" in pages[0]  # the board
    assert "<li>plays Wolfrider 3/1 charge</li>" in pages[1]  # the plan
    assert "Score 265" in pages[1]
    assert "<svg" in pages[-1]  # the heat map of the results
    assert any("image/svg+xml" in data for data in shown)


def test_a_state_and_a_plan_show_names_as_text() -> None:
    state = {"mana": 1, "me": {"hero": {"health": 9}, "hand": [{"name": "<i>&", "cost": 1, "attack": 1, "health": 1}]},
             "enemy": {"hero": {"health": 9}}}  # fmt: skip
    plan = plan_turn(state)
    assert "<i>" not in plan._repr_html_()
    assert "&lt;i&gt;&amp;" in plan._repr_html_()


@pytest.mark.parametrize("path", [NOTEBOOK, FIRST], ids=["analysis", "first board"])
def test_notebook_is_stored_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
