"""Compile the engine with other flags, and use that library instead of the installed engine."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
NAME = "planner.games.hearthstone._engine"


def compiler() -> str:
    """Return the C++ compiler: the one that CXX names, or the system's."""
    return os.environ.get("CXX", "g++")


def cmake() -> str | None:
    """Return the path of CMake in this Python environment or on the machine, or None."""
    return shutil.which("cmake", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))


def compile_engine(folder: Path, *flags: str) -> Path:
    """Compile the engine in `folder` with exactly these flags, and return the library."""
    program = cmake()
    assert program is not None
    options = [
        "-DCMAKE_BUILD_TYPE=None",
        f"-DCMAKE_CXX_FLAGS={' '.join(flags)}",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    subprocess.run([program, "-S", str(ROOT), "-B", str(folder), *options], check=True, timeout=100)
    subprocess.run([program, "--build", str(folder), "--parallel", "2"], check=True, timeout=500)
    (library,) = folder.glob("_engine*.so")
    return library


def use(library: str) -> None:
    """Import this library as the engine, before anything imports the installed one."""
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
