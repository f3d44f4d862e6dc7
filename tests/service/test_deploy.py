"""The container files match the service. Whether they run can only be tested on a machine with containers."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from planner.service.app import create_app
from planner.service.openapi import openapi

ROOT = Path(__file__).resolve().parents[2]


def test_balancer_forwards_every_request() -> None:
    text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    location = re.search(r"location ~ \^/\(([^)]*)\)\$", text)
    assert location is not None
    paths = {path.removeprefix("/") for path in openapi(create_app())["paths"]}
    of_tables = {path for path in paths if path.startswith(("tables", "games", "players"))}  # of the one server
    assert set(location[1].split("|")) == paths - {"metrics"} - of_tables | {"openapi.json"}
    assert text.count("{") == text.count("}")


def test_compose_runs_two_replicas_that_require_a_token() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert services["planner"]["deploy"]["replicas"] == 2
    assert services["planner"]["environment"]["PLANNER_TOKEN"].startswith("${PLANNER_TOKEN:?")
    assert services["tables"]["volumes"] == ["tables:/tables"]
    assert services["tables"]["environment"]["PLANNER_JOURNAL"].startswith("/tables/")
    for volume in services["balancer"]["volumes"]:
        assert (ROOT / volume.split(":")[0]).is_file()


def test_image_receives_every_file_that_the_build_needs() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    included = {line[1:] for line in lines if line.startswith("!")}
    sources = {"planner", "weights", "decks", "experiments"}
    build_files = {"pyproject.toml", "CMakeLists.txt", "requirements.txt", "README.md", "LICENSE"}
    assert sources | build_files <= included
    assert all((ROOT / name).exists() for name in included)
