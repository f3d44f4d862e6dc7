"""Requests from strangers: answered as `plan_turn` answers, refused in one line, and never more than data."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from planner import PlannerError, plan_turn, plan_turns
from planner import protocol as asked
from planner.protocol import MAX_LINE_BYTES, PlanRequest, answer_line

STATE = {"mana": 3, "me": {"hero": {"health": 30}, "hand": ["Wolfrider"]}, "enemy": {"hero": {"health": 3}}}
BATTLE = {"game": "spire", "hand": ["Strike", "Bash"], "enemies": [{"name": "Jaw Worm", "health": 17}]}


def timeless(plan: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key != "seconds"}


@pytest.mark.parametrize(
    ("request_", "same"),
    [
        ({}, {}),
        ({"weights": "aggro_face"}, {"weights": "aggro_face"}),
        ({"weights": {"face_damage": 2}}, {"weights": {"face_damage": 2}}),
        ({"solver": "highs", "formulation": "thesis"}, {"solver": "highs", "formulation": "thesis"}),
        ({"time_limit": 5, "effort": 100, "k": None, "explain": False}, {"time_limit": 5, "effort": 100}),
    ],
)
def test_the_answer_is_what_plan_turn_says(request_: dict[str, Any], same: dict[str, Any]) -> None:
    answer = PlanRequest.of({"state": STATE, **request_}).answer()
    assert timeless(answer) == timeless(plan_turn(STATE, **same).to_dict())


def test_several_plans_and_an_explanation() -> None:
    answer = PlanRequest.of({"state": STATE, "k": 2, "explain": True}).answer()
    assert [plan["objective"] for plan in answer["plans"]] == [plan.objective for plan in plan_turns(STATE, k=2)]
    assert [list(plan).count("explanation") for plan in answer["plans"]] == [1, 0]
    assert answer["plans"][0]["explanation"]["lethal_missed_by"] == 0


def test_any_game() -> None:
    assert PlanRequest.of({"state": BATTLE}).answer()["weights"] == "spire_balanced"
    with pytest.raises(PlannerError, match="explain: is not for spire"):
        PlanRequest.of({"state": BATTLE, "explain": True}).answer()


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ([], '[] is not an object such as {"state": ...}'),
        ({}, "state: is missing"),
        ({"state": None}, "state: is missing"),
        ({"state": "3 mana"}, "state: must be an object, got '3 mana'"),
        ({"state": {}, "wieghts": 1}, "unknown field 'wieghts'; did you mean 'weights'?"),
        ({"state": {}, "hint": []}, "unknown field 'hint'"),
        ({"state": STATE, "weights": "weights/aggro_face.yaml"}, "weights: 'weights/aggro_face.yaml' is not a profile"),
        ({"state": STATE, "weights": "/etc/passwd"}, "weights: '/etc/passwd' is not a profile"),
        ({"state": STATE, "weights": ["aggro_face"]}, "weights: ['aggro_face'] is not a profile's name or an object"),
        ({"state": STATE, "weights": {"lethal": "1"}}, "weights: lethal: '1' is not a number"),
        ({"state": STATE, "weights": "spire_careful"}, "weights: 'spire_careful' is not a profile"),
        ({"state": STATE, "solver": "os:system"}, "there is no solver 'os:system'"),
        ({"state": STATE, "solver": 1}, "solver: must be a name, got 1"),
        ({"state": STATE, "formulation": "x"}, "formulation: must be one of exact, thesis; got 'x'"),
        ({"state": STATE, "time_limit": 0}, "time_limit: must be a positive number of seconds, got 0"),
        ({"state": STATE, "time_limit": True}, "time_limit: must be a positive number of seconds, got true"),
        (
            {"state": STATE, "time_limit": 10**400},
            "time_limit: must be a positive number of seconds, got an integer of 1329 bits",
        ),
        ({"state": STATE, "effort": 0.5}, "effort: must be an integer, at least 1, got 0.5"),
        ({"state": STATE, "k": 100_000}, "k: must be between 1 and 1000, got 100000"),
        ({"state": STATE, "explain": 1}, "explain: must be true or false, got 1"),
        ({"state": {**STATE, "mana": -1}}, "mana: must be between 0 and 10, got -1"),
        ({"state": {**STATE, "game": "os:system"}}, "game: must be one of hearthstone, spire; got 'os:system'"),
        ({"state": {**STATE, "game": {}}}, "game: must be one of hearthstone, spire; got {}"),
    ],
)
@pytest.mark.parametrize("most_seconds", [None, 2.0])
def test_refused_in_one_line(request_: Any, message: str, most_seconds: float | None) -> None:
    with pytest.raises(PlannerError) as caught:
        PlanRequest.of(request_, most_seconds).answer()
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_nobody_gets_more_time_than_there_is() -> None:
    limits = [PlanRequest.of({"state": STATE, "time_limit": limit}, 2.0).options.time_limit for limit in (None, 1, 99)]
    assert limits == [2.0, 1.0, 2.0]


def test_a_request_opens_no_file_and_imports_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.yaml").write_text("weights: {}\n")
    (tmp_path / "evil.py").write_text("GAME = Bot = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert PlanRequest.of({"state": STATE}).answer()["lethal"]  # what comes with the package is read by now
    opened: list[Any] = []
    monkeypatch.setattr(Path, "read_text", lambda path, **_: opened.append(path))
    for weights in (
        "mine.yaml",
        "./mine.yaml",
        str(tmp_path / "mine.yaml"),
        "evil:Bot",
        "../weights/aggro_face",
        "a\0b",
    ):
        assert "is not a profile" in answer_line(json.dumps({"state": STATE, "weights": weights}))["error"]
    for game in ("evil:GAME", "mine.yaml"):
        assert "must be one of" in answer_line(json.dumps({"state": {**STATE, "game": game}}))["error"]
    assert "error" in answer_line(json.dumps({"state": {**STATE, "ruleset": "mine.yaml"}}))
    assert (opened, "evil" in sys.modules) == ([], False)


@pytest.mark.parametrize(
    ("line", "id_", "message"),
    [
        ("", None, "line:1:1: invalid JSON: Expecting value"),
        ("{", None, "line:1:2: invalid JSON"),
        ("[1, 2]", None, "must be an object, got [1, 2]"),
        (b"\xff\xfe{}", None, "the line is not UTF-8 text"),
        (b" " * (MAX_LINE_BYTES + 1), None, "the line has more than 1000000 bytes"),
        ("[" * 100_000, None, "line: nested too deeply"),
        ('{"id": 1, "id": 2}', None, "line: duplicate key 'id'"),
        ('{"id": {"a": 1}, "state": {}}', None, "id: {'a': 1} is not text or a number"),
        ('{"id": NaN, "state": {}}', None, "id: nan is not text or a number"),
        (json.dumps({"id": "x" * 201}), None, "id: 'xxxx"),
        ('{"id": "a\\u0000\\ud800", "state": 7}', "a\0\ud800", "state: must be an object, got 7"),
        ('{"id": 2.5}', 2.5, "state: is missing"),
        (json.dumps({"id": 1, "state": {"x" * 5000: 1}}), 1, "state: unknown field 'xxx"),
        (
            json.dumps({"id": 1, "state": {"game": "x" * 500_000}}),
            1,
            "game: must be one of hearthstone, spire; got 'xxx",
        ),
        (json.dumps({"id": 1, "state": STATE, "weights": "x" * 500_000}), 1, "weights: 'xxx"),
    ],
)
def test_a_bad_line_gets_its_error(line: str | bytes, id_: Any, message: str) -> None:
    answer = answer_line(line)
    assert (list(answer), answer["id"]) == (["id", "error"], id_)
    assert answer["error"].startswith(message)
    assert len(answer["error"]) <= 300
    json.dumps(answer, allow_nan=False)


def test_a_fault_of_ours_costs_one_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no\nidea")

    monkeypatch.setattr(asked, "plans", fail)
    answer = answer_line(json.dumps({"id": 4, "state": STATE}))
    assert answer == {"id": 4, "error": "the planner failed: RuntimeError: no idea"}


def test_mutated_lines_are_answered() -> None:
    """Bytes are cut out, doubled and replaced: there is always an answer that is JSON, never an exception."""
    chance = random.Random(5)
    seed = json.dumps({"id": 1, "state": STATE, "weights": {"lethal": 20, "face_damage": 1.5}, "effort": 50, "k": 2})
    answered = 0
    for _ in range(600):
        line = bytearray(seed.encode())
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(line))
            piece = line[at : at + chance.randint(0, 6)]
            other = bytes(chance.choices(b'{}[]":,0123456789-e.\\ntrul\xc3\x00', k=chance.randint(0, 3)))
            line[at : at + len(piece)] = chance.choice([b"", bytes(piece) * 2, other])
        answer = answer_line(bytes(line))
        assert list(answer) in (["id", "plans"], ["id", "error"], ["id", "plan"]), line
        assert "planner failed" not in answer.get("error", ""), line
        json.dumps(answer, allow_nan=False)
        answered += "error" not in answer
    assert answered > 10
