"""Programs that generate clients from /openapi.json: the clients are small, and their `plan` works.

Needs `openapi-python-client`, or `openapi-typescript` and `tsc`, in the PATH (docs/development.md).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from planner.service.app import create_app
from planner.service.openapi import openapi
from tests.service.conftest import LETHAL

PYTHON = """
import json, sys
from generated import Client
from generated.api.default import plan
from generated.models import Error, Plan, PlanRequest, Plans

client = Client(base_url=sys.argv[1], raise_on_unexpected_status=True)
request = json.loads(sys.argv[2])
best = plan.sync(client=client, body=PlanRequest.from_dict({**request, "time_limit": 5.0}))
two = plan.sync(client=client, body=PlanRequest.from_dict({**request, "k": 2}))
wrong = plan.sync(client=client, body=PlanRequest.from_dict({"state": "nothing"}))
assert isinstance(best, Plan) and isinstance(two, Plans) and isinstance(wrong, Error), (best, two, wrong)
assert two.plans[0].objective == best.objective
print(json.dumps({"lethal": best.lethal, "objective": best.objective, "error": wrong.error}))
"""
TYPESCRIPT = """
import type { components, paths } from "./api";
type Post = paths["/plan"]["post"];
type Request = Post["requestBody"]["content"]["application/json"];
type Answer = Post["responses"][200]["content"]["application/json"];
declare const process: { argv: string[] };
async function send(request: Request): Promise<Answer | components["schemas"]["Error"]> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${process.argv[2]}/plan`, { method: "POST", headers, body: JSON.stringify(request) });
  return answer.json();
}
async function main(): Promise<void> {
  const { state, weights } = JSON.parse(process.argv[3]) as Request;
  const best = await send({ state, weights, time_limit: 5 });
  const wrong = await send({ state: "nothing" });
  if (!("objective" in best) || !("error" in wrong)) throw new Error(JSON.stringify([best, wrong]));
  const { lethal, objective } = best;
  console.log(JSON.stringify({ lethal, objective, error: wrong.error }));
}
void main();
"""
REQUEST: dict[str, Any] = {"state": LETHAL, "weights": "aggro_face"}
needs_python_generator = pytest.mark.skipif(
    shutil.which("openapi-python-client") is None, reason="openapi-python-client is not installed"
)
needs_typescript = pytest.mark.skipif(
    not all(map(shutil.which, ("openapi-typescript", "tsc", "node"))),
    reason="openapi-typescript, tsc or node is not installed",
)


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("generated") / "openapi.json"
    path.write_text(json.dumps(openapi(create_app())), encoding="utf-8")
    return path


def run(*command: str, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(server: httpx.Client, output: str) -> None:
    plan = server.post("/plan", json=REQUEST).json()
    answer = json.loads(output)
    assert (answer["lethal"], answer["objective"]) == (True, plan["objective"])
    assert answer["error"].startswith("state: column 1:")


def enums(value: Any) -> list[list[Any]]:
    if isinstance(value, dict):
        own = [value["enum"]] if isinstance(value.get("enum"), list) else []
        return own + [found for entry in value.values() for found in enums(entry)]
    return [found for entry in value for found in enums(entry)] if isinstance(value, list) else []


def test_no_list_of_words_has_the_same_word_twice(description: Path) -> None:
    """Generators refuse it."""
    found = enums(json.loads(description.read_text(encoding="utf-8")))
    assert len(found) > 10
    assert [words for words in found if len({str(word).upper() for word in words}) < len(words)] == []


@pytest.mark.long
@needs_python_generator
def test_a_generated_python_client_plans(server: httpx.Client, description: Path, tmp_path: Path) -> None:
    generate = ("openapi-python-client", "generate", "--path", str(description), "--meta", "none")
    run(*generate, "--output-path", "generated", folder=tmp_path)
    assert len([path for path in (tmp_path / "generated").rglob("*") if path.suffix == ".py"]) < 80
    url = str(server.base_url).rstrip("/")
    check(server, run(sys.executable, "-c", PYTHON, url, json.dumps(REQUEST), folder=tmp_path, PYTHONPATH="."))


@pytest.mark.long
@needs_typescript
def test_generated_typescript_types_compile_and_plan(server: httpx.Client, description: Path, tmp_path: Path) -> None:
    run("openapi-typescript", str(description), "-o", "api.ts", folder=tmp_path)
    (tmp_path / "main.ts").write_text(TYPESCRIPT, encoding="utf-8")
    options = ("--strict", "--target", "es2022", "--module", "commonjs", "--lib", "es2022,dom")
    run("tsc", *options, "main.ts", folder=tmp_path)
    url = str(server.base_url).rstrip("/")
    check(server, run("node", "main.js", url, json.dumps(REQUEST), folder=tmp_path))
