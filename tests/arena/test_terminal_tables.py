"""Tables on terminals of any width: names may be folded, but no digit is lost."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from planner.agents.agent_spec import AgentSpec
from planner.arena.report.tournament_results import guo_results, load_results
from planner.arena.tournament.experiment import Entry
from planner.cli.report_command import show_matrix, show_ratings, show_seats
from tests.arena.folders import made_up

NUMBER = re.compile(r"(?<![\w.])\d+\.\d\b")


def shown_matrix(width: int, names: list[str]) -> str:
    """Return the matrix at this width; all agents have different scores, and every score must be visible."""
    count = len(names)
    pairings = [(a, b) for a in names for b in names]
    matrix = pd.DataFrame(pairings, columns=["p1_profile", "p2_profile"]).assign(
        p1_score=np.linspace(0, 1, count * count), avg_turns=12.3
    )
    games = pd.DataFrame({"p1": names, "p2": names, "winner": 0, "rounds": 10})
    results = replace(guo_results(), matrix=matrix, games=games, manifest={"agents": names})
    screen = Console(width=width, no_color=True)
    with screen.capture() as captured:
        show_matrix(screen, results)
    text = captured.get()
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    wanted = [f"{100 * score:.1f}" for score in matrix["p1_score"]] + ["12.3"] * (count * count)
    assert sorted(NUMBER.findall(text)) == sorted(wanted)
    return text


@pytest.mark.parametrize(("count", "width", "parts"), [
    (2, 40, 0), (7, 80, 0), (8, 80, 0), (12, 80, 2), (12, 200, 0), (12, 40, 4), (30, 80, 4),
])  # fmt: skip
def test_columns_that_do_not_fit_are_printed_below(count: int, width: int, parts: int) -> None:
    text = shown_matrix(width, [f"agent_{'x' * (k % 9)}{k}" for k in range(count)])
    assert text.count("second seats") == parts


def test_long_names_are_folded_but_numbers_are_not() -> None:
    text = shown_matrix(80, [f"{k}{'n' * 58}" for k in range(12)])
    assert text.count("second seats") == 3
    assert text.count("n" * 20) > 12


def test_ratings_and_seats_of_a_dozen_with_long_names(tmp_path: Path) -> None:
    names = [f"an agent with a name of sixty letters at most and number {k:02}" for k in range(12)]
    results = load_results(made_up(tmp_path, games=1, agents=tuple(Entry(name, AgentSpec("random")) for name in names)))
    screen = Console(width=80, no_color=True)
    with screen.capture() as captured:
        show_ratings(screen, results.ratings)
        show_seats(screen, results)
    text = captured.get()
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for row in results.ratings.to_dict("records"):
        assert re.search(rf"\{round(row['elo']):+d} +[+-]\d+ to [+-]\d+ +{row['score']:.1%} +22\b", text)
    assert len(re.findall(r"\d\.\d +\d+\.\d +[+-]\d+\.\d +[+-]\d+\.\d to [+-]\d+\.\d +\d+\.\d", text)) == 12
