"""The project's files agree about Python versions, tools and make targets."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TESTS_WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))


def test_supported_python_versions_agree() -> None:
    classifiers = re.findall(r"Python :: (3\.\d+)\b", " ".join(PROJECT["project"]["classifiers"]))
    assert PROJECT["project"]["requires-python"] == f">={classifiers[0]}"
    assert TESTS_WORKFLOW["jobs"]["test"]["strategy"]["matrix"]["python"] == classifiers
    wheels = re.findall(r"cp3(\d+)-", PROJECT["tool"]["cibuildwheel"]["build"])
    assert [f"3.{minor}" for minor in wheels] == classifiers


def test_hooks_use_pinned_tools() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    tools = {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in hooks}
    pinned = set(re.findall(r"^([\w-]+)==", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE))
    assert tools <= pinned
    assert {"cmake", "nanobind", "ninja", "scikit-build-core"} <= pinned


def test_workflows_and_guide_use_existing_make_targets() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert set(re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split()) == targets
    steps = [step.get("run", "") for job in TESTS_WORKFLOW["jobs"].values() for step in job["steps"]]
    texts = [
        *steps,
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
        (ROOT / ".ci/run").read_text(encoding="utf-8"),
    ]
    mentioned = set(re.findall(r"\bmake ([a-z-]+)", "\n".join(texts)))
    assert mentioned
    assert mentioned <= targets
