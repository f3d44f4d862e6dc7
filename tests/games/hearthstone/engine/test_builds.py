"""How the engine is built: with a compiler it is there, without one nothing else suffers, and it is clean in memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from planner.games.hearthstone.engine import available
from tests.games.hearthstone.engine.builds import ROOT, compile_engine, compiler

WITH_COMPILER = pytest.mark.skipif(shutil.which(compiler()) is None, reason="no C++ compiler")


@WITH_COMPILER
def test_where_there_is_a_compiler_the_engine_is_there() -> None:
    assert available()


@pytest.mark.long
@WITH_COMPILER
def test_addresses_and_arithmetic_are_clean(tmp_path: Path) -> None:
    library = compile_engine(tmp_path, "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    names = ("libasan.so", "libubsan.so", "libstdc++.so")
    runtimes = [
        subprocess.run([compiler(), f"-print-file-name={name}"], capture_output=True, text=True, check=True)
        for name in names
    ]
    preload = ":".join(found.stdout.strip() for found in runtimes)
    environment = os.environ | {"LD_PRELOAD": preload, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    seed = str(Random().randrange(2**40))
    done = subprocess.run(
        [sys.executable, "-m", "tests.games.hearthstone.engine.builds", str(library), seed, "20000"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"seed {seed}\n{done.stderr[-4000:]}"


@pytest.mark.long
def test_without_a_compiler_the_package_builds_all_the_same(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    environment = os.environ | {"CC": nowhere, "CXX": nowhere}
    wheel = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path / "lib"), "."]
    copy = tmp_path / "copy"
    left_out = shutil.ignore_patterns(".venv", ".git", "build", "*.so", ".*_cache")
    shutil.copytree(ROOT, copy, ignore=left_out)
    subprocess.run(wheel, cwd=copy, env=environment, check=True, timeout=500)
    question = "from planner.games.hearthstone import engine; print(engine.__file__, engine.available())"
    answer = subprocess.run(
        [sys.executable, "-c", question], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path / "lib")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert answer.stdout.split() == [str(tmp_path / "lib/planner/games/hearthstone/engine/__init__.py"), "False"]
