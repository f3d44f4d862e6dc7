"""/openapi.json describes exactly what the server does."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from planner import plan_turn
from planner.protocol import PlanRequest
from planner.protocol.plan_request import PLAN_FIELDS
from planner.service.gate import BATCH
from tests.schemas import disagreements
from tests.service.conftest import LETHAL

REQUEST: dict[str, Any] = {
    "state": LETHAL, "weights": {"lethal": 1, "face_damage": 0.5}, "solver": "auto", "formulation": "exact",
    "time_limit": 1.5, "effort": 10, "k": 2, "explain": False, "ranges": False,
    "ahead": None, "exclude": [], "steps": True,
}  # fmt: skip
# Not checked: that all data valid by the schema is a legal state. No schema says that ids differ or that a card exists.
CHECKS = [
    getattr(schemathesis.checks, name)
    for name in (
        *("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance"),
        *("response_schema_conformance", "negative_data_rejection", "unsupported_method", "allow_header_conformance"),
    )
]
CHECKS_OF_A_BATCH = [
    check for check in CHECKS if check.__name__ != "negative_data_rejection"
]  # each line has its own error


@schemathesis.serializer("application/x-ndjson")
def one_line(_: Any, value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.fixture(scope="session")
def description(server: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = server.get("/openapi.json").json()
    return found


def test_the_example_has_every_field() -> None:
    assert tuple(REQUEST) == PLAN_FIELDS


def test_reader_and_schema_of_requests_agree(description: dict[str, Any]) -> None:
    schema = {"$ref": "#/components/schemas/PlanRequest", "components": description["components"]}
    beyond = r"is missing|hero|state: |Blessing|Windfury|Raptor|scale factor|cannot be combined"
    assert (
        disagreements(REQUEST, lambda data: PlanRequest.from_json(data).answer(), schema, beyond, free=r"^state\.")
        == []
    )


def test_plans_match_their_schema(description: dict[str, Any]) -> None:
    import jsonschema_rs

    schema = {"$ref": "#/components/schemas/Plan", "components": description["components"]}
    validator = jsonschema_rs.validator_for(schema)
    for solver, formulation in (("auto", "exact"), ("highs", "thesis")):
        validator.validate(plan_turn(LETHAL, solver=solver, formulation=formulation).to_dict())
    validator.validate(PlanRequest.from_json({"state": LETHAL, "explain": True}).answer())


def send_generated(server: httpx.Client, description: dict[str, Any], mode: GenerationMode, examples: int) -> int:
    """Send generated requests to every operation, check each answer, and return their number."""
    schema = schemathesis.openapi.from_dict(description)
    schema.config.update(base_url=str(server.base_url))
    asked = 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: Any) -> None:
            nonlocal asked
            asked += 1
            checks = CHECKS if case.operation.path != BATCH else CHECKS_OF_A_BATCH
            case.call_and_validate(checks=checks, timeout=30)

        with suppress(Unsatisfiable):  # an operation without parameters has no invalid requests
            ask()
    return asked


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_no_undocumented_answer(server: httpx.Client, description: dict[str, Any], mode: GenerationMode) -> None:
    assert send_generated(server, description, mode, 15) > 50


@pytest.mark.long
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_no_undocumented_answer_at_length(
    server: httpx.Client, description: dict[str, Any], mode: GenerationMode
) -> None:
    assert send_generated(server, description, mode, 600) > 1000


def test_batch_lines_are_described(description: dict[str, Any]) -> None:
    content = description["paths"][BATCH]["post"]["requestBody"]["content"]
    line = content["application/x-ndjson"]["schema"]
    assert {"plan", "decide", "replay"} <= set(line["properties"]["request"]["enum"])
    # Generators of clients do not know ndjson and would leave the operation out.
    assert content["application/octet-stream"]["schema"]["format"] == "binary"


def test_the_description_is_short_and_names_its_operations(description: dict[str, Any]) -> None:
    assert len(json.dumps(description)) < 80_000
    names = [operation["operationId"] for methods in description["paths"].values() for operation in methods.values()]
    assert len(set(names)) == len(names)
    assert {"plan", "plan_batch", "list_tables", "get_table", "list_cards"} <= set(names)
    schemas = description["components"]["schemas"]
    assert {"HearthstoneState", "Player", "Minion", "CardDefinition", "CardEffect", "PlanRequest", "Plan"} <= set(
        schemas
    )
    text = json.dumps(description)
    used = set(re.findall(r"#/components/schemas/(\w+)", text))
    assert used <= set(schemas)


def test_a_state_may_be_one_line(server: httpx.Client) -> None:
    line = "3 mana | me 30hp | hand: Wolfrider (3) 3/1 charge | enemy 3hp"
    answer = server.post("/plan", json={"state": line, "weights": "aggro_face"})
    assert (answer.status_code, answer.json()["lethal"]) == (200, True)
    error = server.post("/plan", json={"state": "nothing"})
    assert (error.status_code, error.json()["error"][:16]) == (422, "state: column 1:")
