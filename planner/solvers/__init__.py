"""Solvers for mixed-integer linear models: a neutral model in, a checked solution out.

    model = LinearModel()
    sword = model.add_var("sword", objective=3)
    model.add_row("mana", [(sword, 2)], upper=1)
    solution = get("highs").solve(model, time_limit=1.0)

The package of a solver is imported when the solver is first used, not before.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.errors import PlannerError, did_you_mean

if TYPE_CHECKING:
    from planner.solvers.backend import Solver

DEFAULT = "highs"


@dataclass(frozen=True)
class SolverInfo:
    """The capabilities of a solver, known before its package is imported."""

    name: str
    title: str
    package: str  # the name of the distribution and of the module
    backend: str  # module:class of its adapter, imported when the solver is first used
    install: str = "pip install turn-planner"
    warm_start: bool = True
    integers_only: bool = False
    in_process: bool = True
    note: str = ""
    exact_up_to: int = 2**40  # above this, its floating point may confuse two objectives that differ by 1


SOLVERS: tuple[SolverInfo, ...] = (
    SolverInfo("highs", "HiGHS", "highspy", "planner.solvers.highs:HighsSolver"),
    SolverInfo(
        "cpsat", "CP-SAT (OR-Tools)", "ortools", "planner.solvers.mathopt:CpSatSolver",
        integers_only=True, note="integer variables and coefficients only",
    ),
    SolverInfo(
        "scip", "SCIP (OR-Tools MathOpt)", "ortools", "planner.solvers.mathopt:ScipSolver", exact_up_to=2**33,
    ),
    SolverInfo(
        "cbc", "CBC (PuLP)", "pulp", "planner.solvers.cbc:CbcSolver",
        warm_start=False, in_process=False, note="continuous values and large integers carry eight digits",
    ),
    SolverInfo(
        "gurobi", "Gurobi", "gurobipy", "planner.solvers.gurobi:GurobiSolver", "pip install 'turn-planner[gurobi]'",
        note="without a full licence at most 2000 variables and 2000 rows", exact_up_to=2**33,
    ),
)  # fmt: skip
_BY_NAME = {info.name: info for info in SOLVERS}


def names() -> tuple[str, ...]:
    """Return the names of all supported solvers."""
    return tuple(_BY_NAME)


def installed() -> tuple[str, ...]:
    """Return the solvers whose package is installed; `get(name).usable()` also checks, for example, the licence."""
    return tuple(info.name for info in SOLVERS if importlib.util.find_spec(info.package) is not None)


def info(name: str) -> SolverInfo:
    """Return the capabilities of a solver."""
    if name not in _BY_NAME:
        known = ", ".join(names())
        raise PlannerError(f"solver: unknown solver {name!r}{did_you_mean(name, names())} (known: {known})")
    return _BY_NAME[name]


def version(name: str) -> str | None:
    """Return the version of the solver's package, or None if it is not installed."""
    import importlib.metadata  # noqa: PLC0415  (it takes half of this module's import time)

    try:
        return importlib.metadata.version(info(name).package)
    except importlib.metadata.PackageNotFoundError:
        return None


@functools.cache
def get(name: str) -> Solver:
    """Return a solver; an unknown or missing one raises an error that says how to install it."""
    record = info(name)
    module, _, attribute = record.backend.partition(":")
    try:
        backend = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise PlannerError(
            f"solver {name!r} needs the package {record.package}, which is not installed ({error}); "
            f"install it with: {record.install}"
        ) from None
    except ImportError as error:
        raise PlannerError(f"solver {name!r}: {record.package} is installed but cannot be loaded: {error}") from None
    solver: Solver = getattr(backend, attribute)(record)
    return solver
