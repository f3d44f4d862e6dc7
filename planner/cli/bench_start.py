"""`planner bench start`: from nothing to an answer."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer

from planner.cli.common import console, examples
from planner.formats.documents import shipped_folder

_STATE: Final = shipped_folder("experiments") / "states" / "lethal.json"
_CALLS: Final = (
    ("planner --help", ["--help"]),
    ("planner plan STATE", ["plan", str(_STATE)]),
    ("planner plan STATE --json", ["plan", str(_STATE), "--json"]),
)


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command(epilog=examples("planner bench start", "planner bench start --runs 20"))(start)


def start(runs: Annotated[int, typer.Option(min=1, max=1000, help="How often each is started.")] = 10) -> None:
    """Processor time of whole commands, their start included.

    Each is a new process, and user and system time are counted, so other
    processes on this machine disturb less than they would a clock. They do
    disturb: measure on a quiet machine. Python has compiled all modules
    before, as for a program that is installed: it takes longer where Python
    is told to write down none of them (PYTHONDONTWRITEBYTECODE).
    """
    out = console()
    with TemporaryDirectory() as compiled:
        # A folder of its own: no module is left behind in ours, and none is missing where they must not be written.
        environment = os.environ | {"PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for title, arguments in _CALLS:
            _processor_time(arguments, environment)  # this one compiles
            times = [_processor_time(arguments, environment) for _ in range(runs)]
            out.print(f"{title}: {median(times):.3f} s, at best {min(times):.3f} s", soft_wrap=True, markup=False)


def _processor_time(arguments: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = "import sys; from planner.cli import main; sys.exit(main())"
    subprocess.run([sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
