"""Compile the engine with other flags, and use that library instead of the installed engine."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[4]
NAME = "planner.games.hearthstone._engine"


def compiler() -> str:
    """Return the C++ compiler: the one that CXX names, or the system's."""
    return os.environ.get("CXX", "g++")


def cmake() -> str | None:
    """Return the path of CMake in this Python environment or on the machine, or None."""
    return shutil.which("cmake", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))


def compile_engine(folder: Path, *flags: str, reverse_link_order: bool = False) -> Path:
    """Compile the engine in `folder` with these flags instead of the usual optimisation, and return the library."""
    program = cmake()
    assert program is not None
    options = [
        "-DCMAKE_BUILD_TYPE=None",
        f"-DCMAKE_CXX_FLAGS={' '.join(flags)}",
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-DREVERSE_LINK_ORDER={'ON' if reverse_link_order else 'OFF'}",
    ]
    _run([program, "-S", str(ROOT), "-B", str(folder), *options])
    _run([program, "--build", str(folder), "--parallel", "2"])
    (library,) = folder.glob("_engine*.so")
    return library


def _run(command: list[str]) -> None:
    """Run a command; if it fails, fail with what it printed."""
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=800, check=False
    )
    assert result.returncode == 0, result.stdout[-4000:]


def use(library: str) -> None:
    """Import this library as the engine, before anything imports the installed one."""
    loader = importlib.machinery.ExtensionFileLoader(NAME, library)
    spec = importlib.util.spec_from_file_location(NAME, library, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[NAME] = module


def exercise(seed: int, actions: int, turns: int) -> None:
    """Run the rules, the search, the bound, the vanilla solver and whole matches through the binding.

    `actions` are compared with the Python rules, in matches and from generated states. `turns` are planned.
    """
    # Imported after `use`, because these modules import the engine.
    from planner.games.hearthstone.turn import native
    from planner.games.hearthstone.turn.thesis_program import READINGS
    from tests.games.hearthstone import generated
    from tests.games.hearthstone.engine import both
    from tests.games.hearthstone.engine.both_drivers import compare_match
    from tests.games.hearthstone.engine.turns import random_weights
    from tests.games.hearthstone.turn import random_states

    both.compare_matches(seed, actions)
    both.compare_generated(seed, actions)
    for number in range(seed, seed + turns // 6):
        compare_match(number)
    for number in range(seed, seed + turns):
        rng = Random(number)
        state = generated.random_state(rng, most_minions=4, most_cards=4)
        weights = random_weights(rng)
        native.best_turns(state, weights, turns=3, effort=2000)
        native.compare_bound(state, weights, effort=500)
        vanilla = random_states.random_state(rng, 4, 4)
        assert native.plan_vanilla(vanilla, weights, work=100_000) is not None
        native.best_turns(vanilla, weights, turns=3, effort=2000)
        for reading in READINGS.values():
            native.thesis_choice(vanilla, weights, reading)


if __name__ == "__main__":
    use(sys.argv[1])
    from planner.games.hearthstone import _engine, engine

    assert _engine.__file__ == sys.argv[1]
    assert engine.available()
    exercise(*map(int, sys.argv[2:]))
