"""Solvers for mixed-integer linear models: a neutral model in, a checked solution out.

    model = LinearModel()
    sword = model.add_var("sword", objective=3)
    model.add_row("mana", [(sword, 2)], upper=1)
    solution = get("highs").solve(model, SolveOptions(time_limit=1.0))

The package of a solver is imported when the solver is first asked for, not before.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from planner.errors import PlannerError, did_you_mean
from planner.solvers.info import SolverInfo

if TYPE_CHECKING:
    from planner.solvers.base import DEFAULT_OPTIONS, Solution, SolveOptions, Solver, Status
    from planner.solvers.model import INF, LinearModel

__all__ = [
    "DEFAULT", "DEFAULT_OPTIONS", "INF", "SOLVERS", "LinearModel", "Solution", "SolveOptions", "Solver", "SolverInfo",
    "Status", "get", "info", "installed", "names", "version",
]  # fmt: skip

DEFAULT = "highs"

# What needs numpy is imported when it is asked for: most turns need no solver.
_LATER = {
    **dict.fromkeys(("DEFAULT_OPTIONS", "Solution", "SolveOptions", "Solver", "Status"), "planner.solvers.base"),
    **dict.fromkeys(("INF", "LinearModel"), "planner.solvers.model"),
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)


SOLVERS: tuple[SolverInfo, ...] = (
    SolverInfo(
        name="highs",
        title="HiGHS",
        package="highspy",
        install="pip install turn-planner",
        backend="planner.solvers.highs:HighsSolver",
        warm_start=True,
        integers_only=False,
        in_process=True,
    ),
    SolverInfo(
        name="cpsat",
        title="CP-SAT (OR-Tools)",
        package="ortools",
        install="pip install turn-planner",
        backend="planner.solvers.cpsat:CpSatSolver",
        warm_start=True,
        integers_only=True,
        in_process=True,
        note="integer variables and coefficients only",
    ),
    SolverInfo(
        name="scip",
        title="SCIP (OR-Tools MathOpt)",
        package="ortools",
        install="pip install turn-planner",
        backend="planner.solvers.scip:ScipSolver",
        warm_start=True,
        integers_only=False,
        in_process=True,
    ),
    SolverInfo(
        name="cbc",
        title="CBC (PuLP)",
        package="pulp",
        install="pip install turn-planner",
        backend="planner.solvers.cbc:CbcSolver",
        warm_start=False,
        integers_only=False,
        in_process=False,
        note="continuous values and large integers carry eight digits",
    ),
    SolverInfo(
        name="gurobi",
        title="Gurobi",
        package="gurobipy",
        install="pip install 'turn-planner[gurobi]'",
        backend="planner.solvers.gurobi:GurobiSolver",
        warm_start=True,
        integers_only=False,
        in_process=True,
        note="without a licence of your own at most 2000 variables and 2000 rows",
    ),
)
_BY_NAME = {info.name: info for info in SOLVERS}


def names() -> tuple[str, ...]:
    """Every solver that there is a backend for."""
    return tuple(_BY_NAME)


def installed() -> tuple[str, ...]:
    """The solvers whose package is there. Whether it can be used, a licence say, only `get(name).usable()` tells."""
    return tuple(info.name for info in SOLVERS if importlib.util.find_spec(info.package) is not None)


def info(name: str) -> SolverInfo:
    """What the solver of this name can do."""
    if name not in _BY_NAME:
        raise PlannerError(f"there is no solver {name!r}{did_you_mean(name, names())} (known: {', '.join(names())})")
    return _BY_NAME[name]


def version(name: str) -> str | None:
    """The version of the solver's package, or None if it is not installed."""
    import importlib.metadata  # noqa: PLC0415  (half of what importing this module would take)

    try:
        return importlib.metadata.version(info(name).package)
    except importlib.metadata.PackageNotFoundError:
        return None


@functools.cache
def get(name: str) -> Solver:
    """The solver of this name; a name that is unknown or not installed is refused with the way out."""
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
