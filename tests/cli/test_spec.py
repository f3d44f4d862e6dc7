"""`planner spec`: schemas, type errors and proofs."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from planner.cli import app
from planner.errors import PlannerError


def spec(*arguments: str) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, ["spec", *arguments])
    return result.exit_code, result.output.splitlines()


def test_schemas_by_name() -> None:
    code, lines = spec("Board", "--printed")
    assert code == 0
    assert lines[:4] == ["§ 4.2 Player State", "", "┌─ Board ──", "│ on_board : ℙ Minion"]
    assert lines[-1] == "└──"


def test_all_schemas_without_the_conjectures() -> None:
    text = "\n".join(spec()[1])
    assert "SimpleHearthstoneMatch ==" in text
    assert "⊢?" not in text


def test_an_unknown_schema() -> None:
    result = CliRunner().invoke(app, ["spec", "Bord"])
    assert isinstance(result.exception, PlannerError)
    assert str(result.exception) == "unknown schema 'Bord'; did you mean 'Board'?"


def test_type_errors_have_schema_and_line() -> None:
    code, lines = spec("--check", "--printed")
    assert code == 1
    assert "4.3 InitTurnState, line 61: unknown schema TurnPlayer" in lines
    assert lines[-1] == "77 type errors in the printed specification"
    assert spec("--check") == (0, ["no type errors"])


def test_proofs_of_the_printed_specification_show_counterexamples() -> None:
    pytest.importorskip("z3")
    code, lines = spec("--prove", "--printed")
    assert code == 1
    assert lines[0].startswith("Bounds: board 2")
    assert "refuted: conjecture: a legal summon happens" in lines
    assert lines[-1].endswith("refuted")
