"""The corrected specification: every theorem is proved, with small bounds here and with full ones in the long tests."""

from __future__ import annotations

import pytest

from planner.games.hearthstone.formal_model import FULL_BOUNDS, OPERATIONS, SMALL_BOUNDS, STATE, specification
from planner.specification.prover import PROVED, Prover

pytest.importorskip("z3")

CORRECTED = specification("corrected")
CONJECTURES = [one.name for one in CORRECTED.of_kind("conjecture")]
THEOREMS = 4 * 12 + len(CONJECTURES)  # the twelve cases of the five operations, with four theorems each


def unproved(bounds: dict[str, int], time_limit: float) -> list[str]:
    theorems = list(Prover(CORRECTED, STATE, OPERATIONS, bounds, time_limit).theorems())
    assert len(theorems) == THEOREMS
    return [str(one) for one in theorems if one.status != PROVED]


def test_every_theorem() -> None:
    assert unproved(SMALL_BOUNDS, 60.0) == []


@pytest.mark.long
def test_every_theorem_within_full_bounds() -> None:
    assert unproved(FULL_BOUNDS, 600.0) == []


@pytest.mark.long
@pytest.mark.parametrize("name", CONJECTURES)
def test_conjectures_without_the_lemma_that_invariants_are_kept(name: str) -> None:
    prover = Prover(CORRECTED, STATE, OPERATIONS, SMALL_BOUNDS)
    assert prover.conjecture(CORRECTED.paragraph(name)).status == PROVED
