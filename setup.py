"""Puts the top-level data folders into the wheel and compiles the engine; everything else about the build is in
pyproject.toml.

pyproject.toml can either find packages or map folders to them, not both, and a list kept by hand would
forget the next package.
"""

from pathlib import Path

from setuptools import Extension, find_namespace_packages, setup

KINDS = ("weights", "decks", "experiments")
ENGINE = Path("planner/games/hearthstone/engine")

packages = find_namespace_packages(include=["planner", "planner.*"], exclude=["*.__pycache__"])
# planner.files.shipped looks for the folders under these names.
folders = {f"planner._shipped.{kind}": kind for kind in KINDS if Path(kind).is_dir()}
engine = Extension(
    "planner.games.hearthstone._engine",
    sources=sorted(map(str, ENGINE.glob("*.cpp"))),
    depends=sorted(map(str, ENGINE.glob("*.hpp"))),
    extra_compile_args=["-O2", "-g0", "-std=c++17", "-Wall", "-Wextra"],
    optional=True,  # without a compiler the package installs all the same, and plans without the engine
)

setup(packages=[*packages, *folders], package_dir=folders, ext_modules=[engine])
