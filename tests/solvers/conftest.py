from __future__ import annotations

import pytest

from planner import solvers
from planner.solvers.backend import Solver


def _usable() -> list[str]:
    return [name for name in solvers.installed() if solvers.get(name).usable() is None]


@pytest.fixture(params=_usable())
def solver(request: pytest.FixtureRequest) -> Solver:
    """Return each usable solver in turn."""
    return solvers.get(request.param)


@pytest.fixture(params=[name for name in _usable() if not solvers.info(name).integers_only])
def mixed_solver(request: pytest.FixtureRequest) -> Solver:
    """Return each usable solver that supports continuous variables."""
    return solvers.get(request.param)
