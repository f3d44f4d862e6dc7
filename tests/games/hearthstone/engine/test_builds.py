"""The engine compiles without ODR violations, and the sanitisers find nothing while it plans."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from planner.games.hearthstone.engine import available
from tests.games.hearthstone.engine.builds import ROOT, cmake, compile_engine, compiler

pytestmark = [
    pytest.mark.skipif(shutil.which(compiler()) is None, reason="there is no C++ compiler"),
    pytest.mark.skipif(cmake() is None, reason="there is no CMake"),
]


def test_engine_is_available_where_there_is_a_compiler() -> None:
    assert available()


@pytest.fixture(scope="session")
def sanitised_engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine with sanitisers and a check for types with two definitions, compiled once for all test processes."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with (shared / "sanitised.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        compiled = list((shared / "sanitised").glob("_engine*.so"))
        if compiled:
            return compiled[0]
        # One build serves both tests, because it takes a minute. Without optimisation and in the reverse link order, a
        # type with two definitions also shows as an overflow.
        flags = ("-O0", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
        one_definition = ("-flto=2", "-Werror=odr", "-Werror=lto-type-mismatch")
        return compile_engine(shared / "sanitised", *flags, *one_definition, reverse_link_order=True)


def test_every_type_is_defined_once(sanitised_engine: Path) -> None:
    assert sanitised_engine.exists()


@pytest.mark.parametrize(
    ("actions", "turns"), [(600, 60), pytest.param(20_000, 3000, marks=pytest.mark.long)], ids=["small", "large"]
)
def test_sanitisers_find_nothing(sanitised_engine: Path, actions: int, turns: int) -> None:
    runtimes = [
        subprocess.run([compiler(), f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout
        for name in ("libasan.so", "libubsan.so", "libstdc++.so")
    ]
    environment = os.environ | {
        "LD_PRELOAD": ":".join(map(str.strip, runtimes)),
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONMALLOC": "malloc",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    seed = Random().randrange(2**40)
    command = [sys.executable, "-m", "tests.games.hearthstone.engine.builds", str(sanitised_engine)]
    result = subprocess.run(
        [*command, str(seed), str(actions), str(turns)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert result.returncode == 0, f"seed {seed}\n{result.stderr[-4000:]}"
