"""What a solver can do, known before anything of it is imported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SolverInfo:
    """What a solver can do, as data."""

    name: str
    title: str
    package: str  # the name of the distribution and of the module
    install: str
    backend: str  # module:class of ours, imported when the solver is first used
    warm_start: bool
    integers_only: bool
    in_process: bool
    note: str = ""
