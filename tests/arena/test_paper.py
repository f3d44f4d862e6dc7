"""Figures and tables for papers: complete, reproducible bytes, and LaTeX that is valid for any name."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from planner.arena.report import report_plots, report_tables
from planner.arena.report.html_page import Grid, Html
from planner.arena.report.report_files import latex_table, latex_text, write_figures
from planner.arena.report.tournament_results import load_results, results_of
from planner.cli import app
from planner.errors import PlannerError
from planner.stats import figure_style
from tests.arena.folders import PROFILES, made_up
from tests.arena.tournaments import ROOT

FIGURES = {"wins", "turns", "elo", "seats", "length"}
TABLES = {"scores", "turns", "matchups", "ratings", "superiority", "pairs", "seats", "length", "times"}
NASTY = r"a_b & 100% of $x^2$ {#1} ~ \end{tabular} <|>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_up(tmp_path_factory.mktemp("results"), *PROFILES[:2], games=6, draws=0.1)


@pytest.fixture(scope="module")
def paper(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("paper") / "new"
    write_figures(load_results(folder), into)
    return into


def rows(text: str) -> list[list[str]]:
    """Return the cells of a table; all rows must have the same number."""
    begin = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", text.splitlines()[0])
    assert begin is not None
    assert text.splitlines()[-1] == r"\end{tabular}"
    assert text.count(r"\hline") == 3
    cells = [line.removesuffix(r" \\").split(" & ") for line in text.splitlines() if line.endswith(r" \\")]
    assert {len(row) for row in cells} == {len(begin[1])}
    return cells


def test_all_files_are_written_in_all_formats(folder: Path, paper: Path, tmp_path: Path) -> None:
    names = {path.name for path in paper.iterdir()}
    assert names == {f"{name}.{form}" for name in FIGURES for form in ("svg", "pdf")} | {
        f"{name}.tex" for name in TABLES
    }
    for path in paper.glob("*.pdf"):
        content = path.read_bytes()
        assert content.startswith(b"%PDF-")
        assert b"CreationDate" not in content
        assert b"/Type3" not in content  # letters that can be searched, which some journals ask for
    assert ">keep_alive</text>" in (paper / "elo.svg").read_text(encoding="utf-8")
    # By the command, a second time: the same bytes.
    result = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"}).invoke(
        app, ["report", str(folder), "--figures", str(tmp_path)]
    )
    assert result.exit_code == 0, result.output
    assert f"figures and tables: {tmp_path}/ (wins.svg, wins.pdf, " in result.stdout
    for path in paper.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_tables_agree_with_the_page(folder: Path, paper: Path) -> None:
    results = load_results(folder)
    text = (paper / "ratings.tex").read_text(encoding="utf-8")
    page = report_tables.ratings(results.ratings)
    assert rows(text)[0] == ["agent", "Elo", r"95 \% interval", "score", "games"]
    for row, shown in zip(rows(text)[1:], page.rows, strict=True):
        plain = [cell.replace(r"\_", "_").replace(r"\%", "%").replace("$-$", "−") for cell in row]
        assert plain == list(map(str, shown))
    square = rows((paper / "scores.tex").read_text(encoding="utf-8"))
    assert [row[0] for row in square[1:]] == [latex_text(name) for name in results.agents]
    assert float(square[1][2]) == pytest.approx(100 * results.scores().iloc[0, 1], abs=0.05)
    matchups = rows((paper / "matchups.tex").read_text(encoding="utf-8"))
    assert len(matchups) == 1 + 4
    assert not any("svg" in cell for row in matchups for cell in row)


def test_special_characters_are_escaped() -> None:
    text = latex_table(Grid(["", "n", "picture"], [(NASTY, "−1.5 ± ∞", Html("<svg>")), ("[x] *", "½ µs", Html(""))]))
    nasty = (
        r"a\_b and 100\% of \$x\textasciicircum{}2\$ \{\#1\} \textasciitilde{} "
        r"\textbackslash{}end\{tabular\} $<$$|$$>$"
    )
    assert rows(text.replace(r"\&", "and"))[1:] == [
        [nasty, r"$-$1.5 $\pm$ $\infty$"],
        ["{[}x{]} {*}", r"$\frac12$ $\mu$s"],
    ]
    assert "svg" not in text


@pytest.mark.filterwarnings("error")
def test_names_in_any_script_are_drawn_without_warnings() -> None:
    """Matplotlib would warn about each letter that the font lacks."""
    figure = report_plots.wins_heatmap(pd.DataFrame([[0.5]], index=["短い名前"], columns=["αβγ ж"]))
    assert "短い名前" in figure_style.svg(figure).decode()
    assert figure_style.pdf(figure).startswith(b"%PDF")
    assert figure_style.png(figure).startswith(b"\x89PNG")


def test_results_of_one_seat(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "results" / "spire", tmp_path / "spire")
    summary = pd.read_csv(tmp_path / "spire" / "summary.csv")
    first = list(summary.columns[: list(summary.columns).index("agent")])
    summary = summary.head(3)  # three agents in one battle: a small picture
    summary.to_csv(tmp_path / "spire" / "summary.csv", index=False)
    games = pd.read_parquet(tmp_path / "spire" / "games.parquet")
    for column in first:
        games = games[games[column] == summary[column].iloc[0]]
    games[games["p1"].isin(summary["agent"])].to_parquet(tmp_path / "spire" / "games.parquet")
    files = {path.name for path in write_figures(results_of(tmp_path / "spire"), tmp_path / "paper")}
    assert {"wins.pdf", "rounds.svg", "health.pdf", "wins.tex"} <= files
    assert len(rows((tmp_path / "paper" / "wins.tex").read_text(encoding="utf-8"))) == 1 + 3


def test_invalid_folder_is_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PlannerError, match=r"file/x: Not a directory$"):
        write_figures(load_results(folder), tmp_path / "file" / "x")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
def test_latex_compiles(paper: Path, tmp_path: Path) -> None:
    for path in paper.glob("*.tex"):
        shutil.copy(path, tmp_path)
    (tmp_path / "nasty.tex").write_text(latex_table(Grid([NASTY], [[NASTY]])), encoding="utf-8")
    inputs = "\n\n".join(rf"\input{{{path.stem}}}" for path in sorted(tmp_path.glob("*.tex")))
    (tmp_path / "all.tex").write_text(
        "\\documentclass{article}\\begin{document}\n" + inputs + "\n\\end{document}\n", encoding="utf-8"
    )
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"],
        cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
