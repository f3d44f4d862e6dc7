"""CBC, the program that comes with PuLP, run as a child process on an LP file."""

from __future__ import annotations

import math
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pulp

from planner.solvers.backend import Answer, Solver, SolveStatus
from planner.solvers.linear_model import Floats, LinearModel
from planner.solvers.lp_format import write

# CBC checks the clock between its steps; after this much more time it is killed.
GRACE_SECONDS = 0.5


class CbcSolver(Solver):
    def usable(self) -> str | None:
        return None if program().is_file() else f"PuLP comes without CBC on this platform: {program()} is missing"

    def _run(self, model: LinearModel, _start: Floats | None, time_limit: float | None) -> Answer:
        # CBC 2.10.3 gets the sign of a warm start's objective wrong when maximising and then "proves" the start
        # optimal, so it gets no warm start.
        missing = self.usable()
        if missing:
            return Answer(SolveStatus.ERROR, message=missing)
        with tempfile.TemporaryDirectory(prefix="planner-cbc-") as folder:
            return _run_in(Path(folder), model, time_limit)


def program() -> Path:
    """Return the path of the bundled program."""
    return Path(pulp.PULP_CBC_CMD.pulp_cbc_path).resolve()


def _run_in(folder: Path, model: LinearModel, time_limit: float | None) -> Answer:
    # Names contain the index, since CBC numbers the columns in its own order.
    names = [f"x{i}" for i in range(model.num_vars)]
    with (folder / "model.lp").open("w", encoding="ascii") as stream:
        write(model, stream, names)
    command = ["-ratioGap", "0", "-allowableGap", "0", "-integerTolerance", "1e-9"]
    command += ["-randomSeed", "1", "-randomCbcSeed", "1"]
    # On about one small random model in 300 the preprocessing of CBC 2.10.3 loses the optimum, and what is left is
    # "proved". Without it some infeasible models crash CBC, so a crash is looked at again with it, and only a
    # verdict of infeasible is believed then.
    answer = _child(folder, model, [*command, "-preprocess", "off"], time_limit)
    if answer.status is SolveStatus.ERROR:
        again = _child(folder, model, command, time_limit)
        if again.status in (SolveStatus.INFEASIBLE, SolveStatus.INFEASIBLE_OR_UNBOUNDED):
            return again
    return answer


def _child(folder: Path, model: LinearModel, settings: list[str], time_limit: float | None) -> Answer:
    command = [str(program()), "model.lp", *settings]
    patience = None
    if time_limit is not None:
        command += ["-timeMode", "elapsed", "-seconds", str(time_limit)]
        patience = time_limit + GRACE_SECONDS
    solution = folder / "solution.txt"
    solution.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            [*command, "-solve", "-solution", solution.name],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=patience,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return Answer(SolveStatus.NO_SOLUTION, message="time limit; CBC did not stop by itself and was ended")
    if done.returncode != 0 or not solution.is_file():
        last = (done.stdout.strip().splitlines() or [""])[-1]
        return Answer(SolveStatus.ERROR, message=f"CBC ended with code {done.returncode}: {last}")
    return _answer(model, solution.read_text(encoding="ascii"), done.stdout)


def _answer(model: LinearModel, solution: str, log: str) -> Answer:
    head, *lines = solution.splitlines() or [""]
    state = head.lower()
    if state.startswith(("infeasible", "integer infeasible", "unbounded")):
        # CBC says infeasible of some unbounded models as well.
        return Answer(SolveStatus.INFEASIBLE_OR_UNBOUNDED)
    bound = _logged_bound(log)
    if "no integer solution" in state:
        return Answer(SolveStatus.NO_SOLUTION, bound=bound, message="time limit")
    values = np.zeros(model.num_vars)
    for line in lines:
        words = line.replace("**", "").split()
        if len(words) >= 3 and words[1].startswith("x"):
            values[int(words[1][1:])] = float(words[2])
    if state.startswith("optimal"):
        found = re.search(r"objective value\s+(\S+)", state)
        claimed = float(found.group(1)) if found else math.nan
        return Answer(SolveStatus.OPTIMAL, values, bound if math.isfinite(bound) else claimed)
    if state.startswith("stopped"):
        return Answer(SolveStatus.FEASIBLE, values, bound, "time limit")
    return Answer(SolveStatus.ERROR, message=f"CBC: {head}")


def _logged_bound(log: str) -> float:
    found = re.search(r"^Upper bound:\s+(\S+)", log, re.MULTILINE)
    # CBC prints three decimals; half a unit of the last one keeps the bound a bound.
    return float(found.group(1)) + 0.0005 if found else math.inf
