"""The corrected specification: every theorem is proved, with small bounds here and with the full ones in the long tests."""

from __future__ import annotations

import pytest

from planner.games.hearthstone.formal_model import FULL_BOUNDS, OPERATIONS, SMALL_BOUNDS, STATE, specification
from planner.specification.prover import PROVED, Prover

pytest.importorskip("z3")

CORRECTED = specification("corrected")
CONJECTURES = [one.name for one in CORRECTED.of_kind("conjecture")]


def unproved_of_operation(operation: str, bounds: dict[str, int], time_limit: float = 60.0) -> list[str]:
    prover = Prover(CORRECTED, STATE, OPERATIONS, bounds, time_limit)
    found = list(prover.operation_theorems(operation))
    assert len(found) >= 4
    return [str(one) for one in found if one.status != PROVED]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations(operation: str) -> None:
    assert unproved_of_operation(operation, SMALL_BOUNDS) == []


@pytest.mark.parametrize("name", CONJECTURES)
def test_conjectures(name: str) -> None:
    prover = Prover(CORRECTED, STATE, OPERATIONS, SMALL_BOUNDS)
    assert prover.conjecture(CORRECTED.paragraph(name)).status == PROVED


@pytest.mark.long
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_within_full_bounds(operation: str) -> None:
    assert unproved_of_operation(operation, FULL_BOUNDS, 600.0) == []


@pytest.mark.long
@pytest.mark.parametrize("name", CONJECTURES)
def test_conjectures_within_full_bounds(name: str) -> None:
    prover = Prover(CORRECTED, STATE, OPERATIONS, FULL_BOUNDS, 600.0)
    assert prover.conjecture(CORRECTED.paragraph(name)).status == PROVED
