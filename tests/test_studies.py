"""The committed studies load, and the reproduction of Guo 2025 agrees with its table."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner import guo_results, load_results

STUDIES = sorted(path.parent.name for path in (Path(__file__).parents[1] / "results").glob("*/matrix.csv"))


def test_studies_exist() -> None:
    assert {"thesis", "thesis_legal", "exact", "field", "effects", "no_effects"} <= set(STUDIES)


@pytest.mark.parametrize("name", STUDIES)
def test_study_loads(name: str) -> None:
    study = load_results(name)
    assert study.manifest["finished"]
    played = study.games[["p1", "p2"]].drop_duplicates()  # a gauntlet leaves pairings out
    assert len(study.matrix) == len(played) > 1


def test_results_of_guo_are_reproduced() -> None:
    printed, legal = (load_results(name).compare(guo_results()) for name in ("thesis", "thesis_legal"))
    assert printed.wins.spearman >= 0.95
    assert printed.turns.spearman >= 0.95
    assert printed.wins.mean_difference <= 0.066
    assert legal.wins.mean_difference >= 0.12
