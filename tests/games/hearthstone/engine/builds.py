"""Another build of the engine, in the place of the one that is installed."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
SOURCES = ROOT / "planner/games/hearthstone/engine"
NAME = "planner.games.hearthstone._engine"


def compiler() -> str:
    """The C++ compiler: the one that CXX names, or the system's."""
    return os.environ.get("CXX", "g++")


def compile_engine(target: Path, *flags: str) -> None:
    """Compile all sources into one library."""
    command = [compiler(), "-std=c++17", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", *flags]
    headers = f"-I{sysconfig.get_paths()['include']}"
    subprocess.run(
        [*command, headers, *map(str, sorted(SOURCES.glob("*.cpp"))), "-o", str(target)], check=True, timeout=500
    )


def use(library: str) -> None:
    """Let this library be the engine, before anything imports the installed one."""
    loader = importlib.machinery.ExtensionFileLoader(NAME, library)
    spec = importlib.util.spec_from_file_location(NAME, library, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[NAME] = module


if __name__ == "__main__":
    use(sys.argv[1])
    from tests.games.hearthstone.engine.both import _engine, compare_generated, compare_matches

    assert _engine.__file__ == sys.argv[1]
    compare_matches(int(sys.argv[2]), int(sys.argv[3]))
    compare_generated(int(sys.argv[2]), int(sys.argv[3]))
