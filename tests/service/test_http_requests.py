"""Every request of the contract: what is request_, what comes back, and how refusals look."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from planner import plan_turn, plan_turns
from planner.games.hearthstone.cards.decks import deck_names
from planner.planning.plan import MAX_PLANS
from tests.service.conftest import HARD, LETHAL, served_bare


def without_time(plan: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key != "seconds"}


def test_a_plan_equals_plan_turn(server: httpx.Client) -> None:
    answer = server.post("/plan", json={"state": LETHAL, "weights": "aggro_face"})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert without_time(answer.json()) == without_time(plan_turn(LETHAL, "aggro_face").to_dict())


def test_several_plans(server: httpx.Client) -> None:
    found = server.post("/plan", json={"state": LETHAL, "k": 3}).json()
    wanted = [without_time(plan.to_dict()) for plan in plan_turns(LETHAL, k=3)]
    assert [without_time(plan) for plan in found["plans"]] == wanted


def test_custom_weights_a_solver_and_an_explanation(server: httpx.Client) -> None:
    request_ = {"state": LETHAL, "weights": {"lethal": 1}, "solver": "highs", "explain": True, "time_limit": 1000}
    found = server.post("/plan", json=request_).json()
    assert (found["solver"], found["objective"]) == ("highs", 1.0)
    assert found["explanation"]["lethal_exists"] is True


def test_another_game(server: httpx.Client) -> None:
    state = {"game": "spire", "hand": ["Strike"], "enemies": [{"name": "Goblin"}]}
    wanted = without_time(plan_turn(state).to_dict())
    assert without_time(server.post("/plan", json={"state": state}).json()) == wanted


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        ({}, "state: is missing"),
        ({"state": 3}, "state: must be an object, got 3"),
        ({"state": LETHAL, "wieghts": {}}, "unknown field 'wieghts'; did you mean 'weights'?"),
        ({"state": LETHAL, "k": 0}, f"k: must be between 1 and {MAX_PLANS}, got 0"),
        ({"state": LETHAL, "solver": "abacus"}, None),
        ({"state": LETHAL | {"game": "chess"}}, None),
        ({"state": LETHAL, "weights": "missing"}, None),
    ],
)
def test_an_error_is_one_line(server: httpx.Client, request_: Any, line: str | None) -> None:
    answer = server.post("/plan", json=request_)
    assert answer.status_code == 422
    assert list(answer.json()) == ["error"]
    assert line is None or answer.json()["error"] == line
    assert "\n" not in answer.json()["error"]


def test_a_batch_answers_every_line(server: httpx.Client) -> None:
    lines = [json.dumps({"id": n, "state": LETHAL, "weights": "aggro_face"}) for n in range(20)]
    lines[7] = "rubbish"
    lines[11] = json.dumps({"id": "eleven", "state": {}})
    answer = server.post("/plan/batch", content="\n".join(lines).encode() + b"\n\n")
    assert answer.headers["content-type"] == "application/x-ndjson"
    found = {one["id"]: one for one in map(json.loads, answer.text.splitlines())}
    assert set(found) == {*range(20)} - {7, 11} | {None, "eleven"}
    assert "error" in found[None]
    assert found["eleven"] == {"id": "eleven", "error": "mana: is missing"}
    wanted = without_time(plan_turn(LETHAL, "aggro_face").to_dict())
    assert all(without_time(found[n]["plan"]) == wanted for n in range(20) if n not in (7, 11))


def test_lists(server: httpx.Client) -> None:
    assert [deck["name"] for deck in server.get("/decks").json()["decks"]] == deck_names()
    assert "aggro_face" in [one["name"] for one in server.get("/weights").json()["weights"]]
    assert {"take_lethal": False, "mulligan_cost": 3}.items() <= server.get("/weights").json()["weights"][0].items()
    assert "spire_balanced" in [one["name"] for one in server.get("/weights?game=spire").json()["weights"]]
    assert server.get("/weights?game=../..").status_code == 422
    assert "Wolfrider" in [card["name"] for card in server.get("/cards", params={"q": "wolf"}).json()["cards"]]
    assert server.get("/cards?q=nothing+of+this+name").json() == {"cards": []}
    assert {one["state"] for one in server.get("/solvers").json()["solvers"]} <= {"ready", "missing"}


def test_health_and_metrics(server: httpx.Client) -> None:
    assert server.get("/health").json() == {"status": "ok", "version": "0.1.0"}
    limit = time.monotonic() + 30
    while "planner_workers 2.0" not in (text := server.get("/metrics").text) and time.monotonic() < limit:
        time.sleep(0.05)  # the server is ready when its first worker is
    assert "planner_workers 2.0" in text
    assert 'planner_requests_total{path="/health",status="200"}' in text
    for path in ("/decks/code?code=x", "/nosuch"):
        server.get(path)
    text = server.get("/metrics").text
    assert 'planner_requests_total{path="/decks/code",status="422"}' in text
    assert 'path="/nosuch"' not in text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *(("GET", "/plan", 405), ("DELETE", "/health", 405), ("POST", "/cards", 405), ("PUT", "/plan/batch", 405)),
        *(("PUT", "/", 405), ("TRACE", "/play", 405), ("DELETE", "/tournaments", 405), ("POST", "/analysis", 405)),
        *(("GET", "/nothing", 404), ("POST", "/plan/", 404), ("DELETE", "/plan/x", 404), ("GET", "/client/x", 404)),
    ],
)
def test_other_methods_and_paths(server: httpx.Client, method: str, path: str, status: int) -> None:
    answer = server.request(method, path)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]


@pytest.mark.parametrize(
    ("method", "path", "words", "allowed"),
    [
        ("GET", "/plan", "POST", "POST"),
        ("POST", "/health", "GET", "GET, HEAD"),
        ("DELETE", "/decks/code", "GET or POST", "GET, HEAD, POST"),
        ("PUT", "/review", "GET or POST", "GET, HEAD, POST"),
        ("POST", "/results", "GET", "GET, HEAD"),
        ("POST", "/table/abc", "GET", "GET, HEAD"),
    ],
)
def test_a_wrong_method_is_answered_with_the_right_ones(
    server: httpx.Client, method: str, path: str, words: str, allowed: str
) -> None:
    answer = server.request(method, path)
    assert answer.status_code == 405
    assert (answer.json(), answer.headers["allow"]) == ({"error": f"use {words} for {path}"}, allowed)


def test_an_invalid_query_names_its_place_and_its_value(server: httpx.Client) -> None:
    assert server.get("/cards?tokens=maybe").json()["error"].startswith("tokens: ")
    assert server.get("/cards?tokens=maybe").json()["error"].endswith(", got 'maybe'")
    assert server.get("/decks/code").json() == {"error": "code: is missing"}


def test_a_text_without_a_form_in_utf_8_is_returned_as_it_came(server: httpx.Client) -> None:
    """JSON can hold half of a surrogate pair."""
    minion = {"id": "\ud800", "name": "\ud800", "attack": 2, "health": 2}
    state = {**LETHAL, "me": {"hero": {"health": 30}, "board": [minion]}}
    for options in ({}, {"explain": True, "ranges": True}):
        answer = server.post("/plan", content=json.dumps({"state": state, **options}))
        assert answer.status_code == 200
        assert answer.json()["actions"][0]["attacker"] == "\ud800"
    assert server.post("/decks/code", content=json.dumps({"name": "\ud800"})).status_code == 422


@pytest.mark.parametrize("name", ["kind", "request", "self", "body"])
def test_no_field_of_a_deck_is_an_argument_of_the_server(server: httpx.Client, name: str) -> None:
    answer = server.post("/decks/code", json={name: "thesis_paladin"})
    assert answer.status_code == 422
    assert name in answer.json()["error"]


def test_a_browser_gets_an_error_page(server: httpx.Client) -> None:
    answer = server.get("/nothing", headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "There is nothing at &#x27;/nothing&#x27;." in answer.text
    assert '<a href="/">' in answer.text


def test_every_request_has_an_id(server: httpx.Client) -> None:
    assert server.get("/health", headers={"x-request-id": "mine.1"}).headers["x-request-id"] == "mine.1"
    made_up = server.get("/health", headers={"x-request-id": "two words"}).headers["x-request-id"]
    assert made_up.isalnum()


def test_the_client_in_the_documentation_works(server: httpx.Client, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "service.md").read_text(encoding="utf-8")
    program = page.partition("```py\n")[2].partition("```")[0]
    exec(program.replace("http://127.0.0.1:8000", str(server.base_url)), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed == [str(action) for action in plan_turn(LETHAL, "aggro_face").to_dict()["actions"]]


def test_a_plan_is_returned_where_its_explanation_takes_too_long() -> None:
    """A worker that is stopped during the explanation has already sent the plan."""
    with served_bare("workers=1, time_limit=0.2", log=None) as server:
        answer = server.client.post("/plan", json={"state": HARD, "explain": True, "ranges": True})
        assert answer.status_code == 200, answer.text
        assert answer.json()["status"] in ("feasible", "optimal")
        assert {"explanation", "ranges"} <= set(answer.json())
    with served_bare("workers=1") as server:
        body = {"state": LETHAL, "explain": True, "k": 2}
        plans = server.client.post("/plan", json=body).json()["plans"]
        assert plans[0]["explanation"]["lethal_exists"] is True
        assert "explanation" not in plans[1]
        assert server.client.post("/plan", json={**body, "k": -1}).status_code == 422
