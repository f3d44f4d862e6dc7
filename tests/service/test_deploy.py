"""The container files fit the service; whether they run, only a machine with containers can say."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from planner.service.app import create_app
from planner.service.openapi import openapi

ROOT = Path(__file__).resolve().parents[2]


def test_the_balancer_knows_every_request() -> None:
    text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    found = re.search(r"location ~ \^/\(([^)]*)\)\$", text)
    assert found is not None
    described = {path.removeprefix("/") for path in openapi(create_app())["paths"]}
    assert set(found[1].split("|")) == described - {"metrics"} | {"openapi.json", "docs"}
    assert text.count("{") == text.count("}")


def test_compose_runs_two_replicas_that_want_a_token() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert services["planner"]["deploy"]["replicas"] == 2
    assert services["planner"]["environment"]["PLANNER_TOKEN"].startswith("${PLANNER_TOKEN:?")
    for volume in services["balancer"]["volumes"]:
        assert (ROOT / volume.split(":")[0]).is_file()


def test_the_image_gets_all_that_the_package_is_made_of() -> None:
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"}
    assert {
        "planner",
        "weights",
        "decks",
        "experiments",
        "pyproject.toml",
        "CMakeLists.txt",
        "requirements.txt",
    } <= let_in
    assert all((ROOT / name).exists() for name in let_in)
