"""Which solvers there are. A solver's package is imported when the solver is first used, not before."""

from __future__ import annotations

import importlib
import importlib.metadata
import threading
from planner.files import PlannerError, nearest
from planner.solvers.base import Solver

