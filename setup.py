"""Puts the top-level data folders into the wheel; everything else about the build is in pyproject.toml.

pyproject.toml can either find packages or map folders to them, not both, and a list kept by hand would
forget the next package.
"""

from pathlib import Path

from setuptools import find_namespace_packages, setup

KINDS = ("weights", "decks", "experiments")

packages = find_namespace_packages(include=["planner", "planner.*"], exclude=["*.__pycache__"])
# planner.files.shipped looks for the folders under these names.
folders = {f"planner._shipped.{kind}": kind for kind in KINDS if Path(kind).is_dir()}

setup(packages=[*packages, *folders], package_dir=folders)
