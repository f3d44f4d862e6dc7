"""A wheel installs a package that uses its engine and finds its data; a source distribution holds all it needs."""

from __future__ import annotations

import email
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import planner
from planner.games.hearthstone.engine.source_hash import source_hash
from tests.games.hearthstone.engine.builds import ROOT, cmake, compiler

NEEDS_COMPILER = pytest.mark.skipif(
    shutil.which(compiler()) is None or cmake() is None, reason="there is no C++ compiler or no CMake"
)
LETHAL = {
    "mana": 0,
    "me": {"hero": {"health": 30}, "board": [{"attack": 3, "health": 2}]},
    "enemy": {"hero": {"health": 3}},
}
INSPECT = """
import json
import planner
from planner.games.hearthstone.cards.decks import deck_names
from planner.games.hearthstone.engine import available, engine_id
print(json.dumps([planner.__file__, available(), engine_id(), deck_names()]))
"""


def environment(**variables: str) -> dict[str, str]:
    """The variables of this process without the ones that make the checkout importable."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | variables


def build_wheel(folder: Path, *options: str, **variables: str) -> Path:
    """Build a wheel of this checkout into `folder`."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), *options, "."]
    result = subprocess.run(
        command, cwd=ROOT, env=environment(**variables), capture_output=True, text=True, timeout=900, check=False
    )
    assert result.returncode == 0, result.stderr[-4000:]
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """Install the wheel into a new virtual environment that borrows its dependencies, and return the scripts' folder."""
    venv.create(folder)
    scripts = folder / "bin"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(scripts / "python"),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*pip, str(wheel)], env=environment(), check=True, timeout=300)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return scripts


def run(folder: Path, *command: str, stdin: str = "") -> str:
    """Run a command in `folder` and return what it prints."""
    result = subprocess.run(
        command, cwd=folder, env=environment(), input=stdin, capture_output=True, text=True, timeout=300, check=False
    )
    assert result.returncode == 0, result.stderr[-4000:]
    return result.stdout


def check_installation(wheel: Path, folder: Path) -> None:
    """Install the wheel and plan a turn from another directory."""
    scripts = install(wheel, folder / "environment")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    module, available, engine_id, decks = json.loads(
        run(elsewhere, str(scripts / "python"), "-W", "error", "-c", INSPECT)
    )
    assert Path(module).is_relative_to(folder / "environment")
    assert available
    assert engine_id == source_hash(ROOT / "planner/games/hearthstone/engine")
    assert "hunter" in decks
    (elsewhere / "state.json").write_text(json.dumps(LETHAL), encoding="utf-8")
    answer = run(elsewhere, str(scripts / "planner"), "plan", "state.json", "--weights", "aggro_face", "--json")
    plan = json.loads(answer)
    assert plan["lethal"]
    assert plan["proof"] in ("exhaustive", "bound")  # the engine's; a solver's proof is "program"
    assert run(elsewhere, str(scripts / "planner"), "--version").split() == ["planner", planner.__version__]


@NEEDS_COMPILER
def test_wheel_uses_its_engine(tmp_path: Path) -> None:
    # Without optimisation the engine compiles in half the time.
    wheel = build_wheel(tmp_path, "--no-build-isolation", "--config-settings=cmake.build-type=None")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = email.message_from_bytes(archive.read(next(name for name in names if name.endswith("/METADATA"))))
    assert [name for name in names if name.endswith((".cpp", ".hpp"))] == []
    assert {name.split("/")[0] for name in names} == {"planner", f"turn_planner-{planner.__version__}.dist-info"}
    assert {path.relative_to(ROOT).as_posix() for path in ROOT.glob("planner/**/__init__.py")} <= set(names)
    assert "planner/py.typed" in names
    for folder in ("decks", "experiments", "weights"):
        files = {f"planner/_shipped/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / folder).rglob("*.yaml")}
        assert files
        assert files <= set(names)
    assert metadata["Version"] == planner.__version__
    assert metadata["Author"] == "planner maintainers"
    assert metadata["Keywords"]
    assert "Programming Language :: Python :: 3.11" in metadata.get_all("Classifier", [])
    check_installation(wheel, tmp_path)


@pytest.mark.long
@NEEDS_COMPILER
def test_wheel_built_in_isolation_uses_its_engine(tmp_path: Path) -> None:
    check_installation(build_wheel(tmp_path), tmp_path)


def test_without_a_compiler_the_package_installs_without_its_engine(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    wheel = build_wheel(tmp_path, "--no-build-isolation", CC=missing, CXX=missing)
    assert wheel.name.endswith("-py3-none-any.whl")
    scripts = install(wheel, tmp_path / "environment")
    _, available, engine_id, _ = json.loads(run(tmp_path, str(scripts / "python"), "-W", "error", "-c", INSPECT))
    assert (available, engine_id) == (False, None)


def test_source_distribution_is_complete(tmp_path: Path) -> None:
    build = f"from scikit_build_core.build import build_sdist; build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=ROOT, env=environment(), check=True, timeout=300)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    engine = ROOT / "planner/games/hearthstone/engine"
    sources = {path.relative_to(ROOT).as_posix() for path in engine.rglob("*.?pp")}
    assert sources <= names
    assert {"CHANGELOG.md", "CMakeLists.txt", "LICENSE", "README.md", "docs/index.md", "pyproject.toml"} <= names
    assert {"tests/packaging/test_wheel.py", "weights/aggro_face.yaml", "decks/hunter.yaml"} <= names
    assert [name for name in names if name.endswith((".so", ".pyc")) or name.startswith(("results", "build"))] == []
