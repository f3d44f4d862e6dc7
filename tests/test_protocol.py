"""The request protocol: answers equal those of the library, errors are one line, and a request is only data."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from planner import PlannerError, plan_ahead, plan_turn, plan_turns, play_match
from planner.games import game_names
from planner.games.hearthstone import MatchSetup
from planner.games.hearthstone.hearthstone_game import GAME
from planner.protocol import MAX_LINE_BYTES, PlanRequest, answer_line, answer_request, line_id, plan_request

GAMES = ", ".join(game_names())
STATE = {"mana": 3, "me": {"hero": {"health": 30}, "hand": ["Wolfrider"]}, "enemy": {"hero": {"health": 3}}}
BOARD = {
    "mana": 4,
    "me": {"hero": {"health": 30}, "board": ["Chillwind Yeti", "Bloodfen Raptor"], "hand": ["Wolfrider", "Fireball"]},
    "enemy": {"hero": {"health": 25}, "board": ["River Crocolisk", "Magma Rager"]},
}
BATTLE = {"game": "spire", "hand": ["Strike", "Bash"], "enemies": [{"name": "Jaw Worm", "health": 17}]}


def without_time(plan: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key != "seconds"}


def ask(**fields: Any) -> Any:
    """Answer a request through JSON in both directions, as a client sees it."""
    return json.loads(json.dumps(answer_request(json.loads(json.dumps(fields))), allow_nan=False))


# -- plans


@pytest.mark.parametrize(
    ("fields", "arguments"),
    [
        ({}, {}),
        ({"weights": "aggro_face"}, {"weights": "aggro_face"}),
        ({"weights": {"face_damage": 2}}, {"weights": {"face_damage": 2}}),
        ({"solver": "highs", "formulation": "thesis"}, {"solver": "highs", "formulation": "thesis"}),
        ({"time_limit": 5, "effort": 100, "k": None, "explain": False}, {"time_limit": 5, "effort": 100}),
    ],
)
def test_the_answer_equals_plan_turn(fields: dict[str, Any], arguments: dict[str, Any]) -> None:
    answer = PlanRequest.from_json({"state": STATE, **fields}).answer()
    assert without_time(answer) == without_time(plan_turn(STATE, **arguments).to_dict())


def test_several_plans_and_an_explanation() -> None:
    answer = PlanRequest.from_json({"state": STATE, "k": 2, "explain": True}).answer()
    assert [plan["objective"] for plan in answer["plans"]] == [plan.objective for plan in plan_turns(STATE, k=2)]
    assert [list(plan).count("explanation") for plan in answer["plans"]] == [1, 0]
    explanation = answer["plans"][0]["explanation"]
    assert explanation["lethal_missed_by"] == 0
    assert len(explanation["loss_without"]) == len(answer["plans"][0]["actions"])
    assert explanation["next_best"][0]["words"] == ["plays Wolfrider 3/1 charge"]


def test_ranges_are_those_of_the_plan() -> None:
    answer = ask(state=BOARD, weights="aggro_face", ranges=True)
    expected = plan_turn(BOARD, "aggro_face")
    for interval in expected.ranges():  # type: ignore[attr-defined]  # a plan of this game has them
        found = answer["ranges"][interval.term]
        for side in ("below", "above"):
            if found[side] is not None:
                assert found[side].pop("words")
        assert found == json.loads(json.dumps(interval.to_dict()))
    assert list(answer["ranges"]) == list(expected.weights.terms())


def test_a_plan_that_is_not_proved_has_no_ranges() -> None:
    assert ask(state=BOARD, formulation="thesis", ranges=True)["ranges"] is None


@pytest.mark.parametrize(
    ("option", "arguments"),
    [
        (True, {}),
        ({}, {}),
        ({"k": 3, "samples": 2, "seed": 7}, {"k": 3, "samples": 2, "seed": 7}),
        ({"reply_weights": "aggro_face", "k": 2}, {"reply_weights": "aggro_face", "k": 2}),
    ],
)
def test_a_look_ahead_equals_plan_ahead(option: Any, arguments: dict[str, Any]) -> None:
    answer = ask(state=BOARD, weights="true_balanced", effort=200, ahead=option)
    expected = plan_ahead(BOARD, "true_balanced", effort=200, **arguments).to_dict()
    assert without_time(answer) == without_time(json.loads(json.dumps(expected)))
    assert answer["ahead"]["samples"] == arguments.get("samples", 4)


def test_a_look_ahead_may_name_what_is_the_default_anyway() -> None:
    same = {"k": 1, "formulation": "exact", "ranges": False, "exclude": []}
    fields = {"state": BOARD, "effort": 200, "ahead": {"k": 2}}
    assert without_time(ask(**fields, **same)) == without_time(ask(**fields))


def test_excluded_actions_are_not_planned() -> None:
    best = ask(state=BOARD, weights="aggro_face")
    other = ask(state=BOARD, weights="aggro_face", exclude=best["actions"][:2])
    assert not [action for action in other["actions"] if action in best["actions"][:2]]
    assert other["objective"] < best["objective"]


def test_steps_say_what_each_action_earns() -> None:
    plan = ask(state=BOARD, weights="aggro_face", steps=True)
    assert [step["action"] for step in plan["steps"]] == plan["actions"]
    earned = sum(sum(step["earned"].values()) for step in plan["steps"]) + sum(plan["ending"].values())
    assert earned == pytest.approx(plan["objective"])


def test_the_parts_of_an_answer_share_one_state_and_one_search(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    read, search = GAME.state_from_json, plan_request.best_plans
    monkeypatch.setattr(type(GAME), "state_from_json", lambda _, *a: calls.append("read") or read(*a))
    monkeypatch.setattr(plan_request, "best_plans", lambda *a: calls.append("search") or search(*a))
    request = PlanRequest.from_json({"state": BOARD, "explain": True, "ranges": True, "steps": True})
    parts = list(request.parts())
    assert [list(part)[-1] for part in parts] == ["ending", "explanation", "ranges"]
    assert calls == ["read", "search"]


def test_any_game_is_planned() -> None:
    assert ask(state=BATTLE)["weights"] == "spire_balanced"
    for option in ("explain", "ranges", "steps", "ahead"):
        with pytest.raises(PlannerError, match=f"{option} is not supported for spire"):
            ask(state=BATTLE, **{option: True})
    with pytest.raises(PlannerError, match="exclude is not supported for spire"):
        ask(state=BATTLE, exclude=[{"type": "end"}])


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ([], 'a request must be an object such as {"state": ...}, got []'),
        ({}, "state: is missing"),
        ({"state": None}, "state: is missing"),
        ({"state": 3}, "state: must be an object, got 3"),
        ({"state": {}, "wieghts": 1}, "unknown field 'wieghts'; did you mean 'weights'?"),
        ({"state": {}, "hint": []}, "unknown field 'hint'"),
        ({"state": STATE, "weights": "weights/aggro_face.yaml"}, "weights: "),
        ({"state": STATE, "weights": "/etc/passwd"}, "weights: "),
        ({"state": STATE, "weights": ["aggro_face"]}, "weights: must be a profile's name or an object of terms"),
        ({"state": STATE, "weights": {"lethal": "1"}}, "weights: lethal: "),
        ({"state": STATE, "weights": "spire_careful"}, "weights: "),
        ({"state": STATE, "solver": "os:system"}, ""),
        ({"state": STATE, "solver": 1}, "solver: must be a name, got 1"),
        (
            {"state": STATE, "formulation": "x"},
            "formulation: must be one of exact, thesis, thesis_every_minion, thesis_keywords; got 'x'",
        ),
        ({"state": STATE, "time_limit": 0}, "time_limit: must be a positive number of seconds, got 0"),
        ({"state": STATE, "time_limit": True}, "time_limit: must be a positive number of seconds, got true"),
        ({"state": STATE, "time_limit": 10**400}, "time_limit: must be less than 1000000000 seconds, got an integer"),
        ({"state": STATE, "effort": 0.5}, "effort: must be an integer, at least 1, got 0.5"),
        ({"state": STATE, "k": 100_000}, "k: must be between 1 and 1000, got 100000"),
        ({"state": STATE, "explain": 1}, "explain: must be true or false, got 1"),
        ({"state": STATE, "ranges": "yes"}, "ranges: must be true or false, got 'yes'"),
        ({"state": STATE, "steps": 0}, "steps: must be true or false, got 0"),
        ({"state": STATE, "ahead": 8}, "ahead: must be an object, got 8"),
        ({"state": STATE, "ahead": {"deep": 2}}, "ahead: unknown field 'deep'"),
        ({"state": STATE, "ahead": {"k": 0}}, "ahead: k: must be between 1 and 1000, got 0"),
        ({"state": STATE, "ahead": {"reply_weights": "/etc/passwd"}}, "ahead: reply_weights: "),
        ({"state": STATE, "ahead": True, "ranges": True}, "ranges: cannot be combined with ahead"),
        ({"state": STATE, "ahead": True, "k": 2}, "k: cannot be combined with ahead"),
        ({"state": STATE, "exclude": {}}, "exclude: must be a list, got {}"),
        ({"state": STATE, "exclude": [1]}, "exclude[0]"),
        ({"state": {**STATE, "mana": -1}}, "mana: "),
        ({"state": {**STATE, "game": "os:system"}}, f"game: must be one of {GAMES}; got 'os:system'"),
        ({"state": {**STATE, "game": {}}}, f"game: must be one of {GAMES}; got {{}}"),
    ],
)
@pytest.mark.parametrize("max_seconds", [None, 2.0])
def test_an_invalid_request_is_an_error_of_one_line(request_: Any, message: str, max_seconds: float | None) -> None:
    with pytest.raises(PlannerError) as caught:
        PlanRequest.from_json(request_, max_seconds).answer()
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_the_time_limit_of_a_request_is_capped() -> None:
    limits = [
        PlanRequest.from_json({"state": STATE, "time_limit": limit}, 2.0).options.time_limit for limit in (None, 1, 99)
    ]
    assert limits == [2.0, 1.0, 2.0]


def test_a_request_opens_no_file_and_imports_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.yaml").write_text("weights: {}\n")
    (tmp_path / "evil.py").write_text("GAME = Bot = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert ask(state=STATE)["lethal"]  # reads what comes with the package
    assert ask(request="decide", state=STATE, agent="greedy")
    opened: list[Any] = []
    monkeypatch.setattr(Path, "read_text", lambda path, **_: opened.append(path))
    names = ("mine.yaml", "./mine.yaml", str(tmp_path / "mine.yaml"), "evil:Bot", "../weights/aggro_face", "a\0b")
    for name in names:
        assert answer_line(json.dumps({"state": STATE, "weights": name}))["error"].startswith("weights: ")
        line = json.dumps({"request": "decide", "state": STATE, "agent": name})
        assert answer_line(line)["error"].startswith("agent: must be one of")
        ahead = {"state": STATE, "ahead": {"reply_weights": name}}
        assert answer_line(json.dumps(ahead))["error"].startswith("ahead: reply_weights: ")
    assert "error" in answer_line(json.dumps({"request": "decide", "state": STATE, "agent": "cmd:ls"}))
    for name in ("evil:GAME", "mine.yaml"):
        assert "must be one of" in answer_line(json.dumps({"state": {**STATE, "game": name}}))["error"]
        assert "must be one of" in answer_line(json.dumps({"request": "weights", "game": name}))["error"]
    assert "error" in answer_line(json.dumps({"state": {**STATE, "ruleset": "mine.yaml"}}))
    assert (opened, "evil" in sys.modules) == ([], False)


# -- decisions, matches and lists


def test_an_agent_decides() -> None:
    action = ask(request="decide", state=STATE, agent="greedy", seed=3)["action"]
    assert action == {"type": "play", "card": "me.hand.0", "target": None}
    assert ask(request="decide", state=STATE, agent="aggro_face", effort=50, time_limit=1)["action"] == action
    assert ask(request="decide", state=BATTLE, agent="random", seed=1)["action"]["type"]


@pytest.mark.parametrize("agent", ["first", "random", "mcts", "lookahead", "spire_balanced"])
def test_nothing_is_decided_after_the_end(agent: str) -> None:
    over = {**BATTLE, "enemies": [{"name": "Jaw Worm", "health": 0}]}
    with pytest.raises(PlannerError, match="state: the match is over"):
        ask(request="decide", state=over, agent=agent)


def log_of(agents: tuple[str, ...], setup: Any, game: str = "hearthstone") -> Any:
    return json.loads(json.dumps(play_match(agents, setup, 3, game, digests=True).to_dict()))


def test_a_match_is_replayed_and_judged() -> None:
    log = log_of(("true_balanced", "random"), MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis"))
    match = ask(request="replay", log=log)
    assert match["problem"] is None
    assert match["log"] == log
    assert len(match["frames"]) == 1 + sum(turn["moves"] for turn in match["turns"])
    judged = ask(request="judge", log=log, weights="true_balanced")["turns"]
    assert [entry["index"] for entry in judged] == [i for i, turn in enumerate(match["turns"]) if turn["number"]]
    assert all(entry["points_lost"] == 0 for entry in judged if entry["seat"] == 0)
    some = ask(request="judge", log=log, weights="true_balanced", turns=[2, 3])["turns"]
    assert [entry["index"] for entry in some] == [2, 3]


def test_a_battle_is_replayed_and_judged() -> None:
    from planner.games.spire.battle_codec import scenario

    for agent in ("spire_careful", "random"):
        log = log_of((agent,), scenario("starter"), "spire")
        match = ask(request="replay", log=log)
        assert (match["profile"], "spire_careful" in match["profiles"]) == ("spire_balanced", True)
        turns = [index for index, turn in enumerate(match["turns"]) if turn["complete"]]
        judged = ask(request="judge", log=log, turns=turns, weights="spire_careful")["turns"]
        assert [entry["index"] for entry in judged] == turns
        assert all(entry["points_lost"] == 0 for entry in judged) == (agent == "spire_careful")
    with pytest.raises(PlannerError, match="weights: "):
        ask(request="judge", log=log, weights="aggro_face")


def test_a_log_with_an_illegal_move_is_replayed_and_judged_up_to_it() -> None:
    log = log_of(("greedy", "random"), MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis"))
    log["turns"][4]["moves"][0]["action"] = {"type": "attack", "attacker": "missing", "target": "enemy.hero"}
    match = ask(request="replay", log=log)
    complete = [index for index, turn in enumerate(match["turns"]) if turn["complete"]]
    assert complete == [0, 1, 2, 3]
    assert len(ask(request="judge", log=log, turns=complete, weights="true_balanced")["turns"]) >= 3
    for turns in ([4], [2**63 - 1], None):  # what the log asks for is never played on an impossible board
        with pytest.raises(PlannerError, match=r"^log: turn 5, action 1 \(attack missing -> enemy.hero\): "):
            ask(request="judge", log=log, turns=turns, weights="true_balanced")


@pytest.mark.parametrize("log", ["[", "{}", {}, 3])
def test_an_error_names_the_log_once(log: Any) -> None:
    for kind in ("judge", "replay"):
        with pytest.raises(PlannerError) as caught:
            ask(request=kind, log=log)
        assert str(caught.value).removeprefix("log:").startswith(("1:2: invalid JSON", " not a match log"))


def test_a_log_with_a_wrong_digest_is_replayed_up_to_it() -> None:
    log = log_of(("greedy", "random"), MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis"))
    log["turns"][4]["moves"][0]["digest"] = "0" * 16
    match = ask(request="replay", log=log)
    assert "expected state" in match["problem"]
    assert len(match["frames"]) == 1 + sum(turn["moves"] for turn in match["turns"][:4])


@pytest.mark.parametrize("log", [None, 1, [], {}, {"match_log": 2}])
def test_an_invalid_log_is_an_error(log: Any) -> None:
    for request_ in ("replay", "judge"):
        with pytest.raises(PlannerError, match=r"^log"):
            ask(request=request_, log=log)


def test_lists() -> None:
    assert "aggro_face" in [profile["name"] for profile in ask(request="weights")["weights"]]
    assert "spire_balanced" in [profile["name"] for profile in ask(request="weights", game="spire")["weights"]]
    assert "mage" in [deck["name"] for deck in ask(request="decks")["decks"]]
    assert [card["name"] for card in ask(request="cards", q="wolfrider")["cards"]] == ["Wolfrider"]
    assert {solver["state"] for solver in ask(request="solvers")["solvers"]} <= {"ready", "missing"}
    for fields in ({"request": "decks", "game": "x"}, {"request": "cards", "q": "x" * 201}, {"request": "lists"}):
        with pytest.raises(PlannerError):
            ask(**fields)


# -- lines


@pytest.mark.parametrize(
    ("line", "id_", "message"),
    [
        ("", None, "line:1:1: invalid JSON: Expecting value"),
        ("{", None, "line:1:2: invalid JSON"),
        ("[1, 2]", None, 'a request must be an object such as {"state": ...}, got [1, 2]'),
        (b"\xff\xfe{}", None, "line: is not UTF-8 text"),
        (b" " * (MAX_LINE_BYTES + 1), None, "the line exceeds the size limit of 1,000,000 bytes"),
        ("[" * 100_000, None, "line: nested too deeply"),
        ('{"id": 1, "id": 2}', None, "line: duplicate key 'id'"),
        ('{"id": {"a": 1}, "state": {}}', None, "id: must be a text or a number of at most 2^63 - 1 in size"),
        ('{"id": NaN, "state": {}}', None, "id: must be a text or a number of at most 2^63 - 1 in size, got NaN"),
        ('{"id": 9223372036854775808}', None, "id: must be a text or a number of at most 2^63 - 1 in size, got 9"),
        ('{"id": 9223372036854775807}', 2**63 - 1, "state: is missing"),
        (json.dumps({"id": "x" * 201}), None, "id: is 201 characters long; the limit is 200"),
        ('{"id": "a\\u0000\\ud800", "state": 7}', "a\0\ud800", "state: must be an object, got 7"),
        ('{"id": 2.5}', 2.5, "state: is missing"),
        ('{"id": 3, "request": "fetch"}', 3, "request: must be one of plan, turn, decide, judge"),
        ('{"id": 3, "request": ["plan"]}', 3, "request: must be one of plan, turn, decide, judge"),
        ('{"id": 3, "request": ""}', 3, "request: must be one of plan, turn, decide, judge"),
        ('{"id": 3, "request": false}', 3, "request: must be one of plan, turn, decide, judge"),
        (json.dumps({"id": 1, "state": {"x" * 5000: 1}}), 1, ""),
        (json.dumps({"id": 1, "state": {"game": "x" * 500_000}}), 1, "game: "),
        (json.dumps({"id": 1, "state": STATE, "weights": "x" * 500_000}), 1, "weights: "),
    ],
)
def test_an_invalid_line_gets_its_error(line: str | bytes, id_: Any, message: str) -> None:
    answer = answer_line(line)
    assert (list(answer), answer["id"]) == (["id", "error"], id_)
    assert answer["error"].startswith(message)
    assert len(answer["error"]) <= 300
    json.dumps(answer, allow_nan=False)


def test_a_line_of_each_kind_is_answered() -> None:
    assert list(answer_line(json.dumps({"id": 1, "state": STATE}))) == ["id", "plan"]
    assert list(answer_line(json.dumps({"id": 1, "state": STATE, "request": "plan", "k": 2}))) == ["id", "plans"]
    assert list(answer_line('{"id": 1, "request": "decks"}')) == ["id", "decks"]
    assert list(answer_line(json.dumps({"request": "decide", "state": STATE, "agent": "random"}))) == ["id", "action"]


@pytest.mark.parametrize(
    ("line", "id_"),
    [
        (b'{"id": 7}', 7), (b'{"id": "x"}', "x"), (b'{"id": 0.5, "state": 1}', 0.5), (b"{}", None), (b"[1]", None),
        (b'{"id": NaN}', None), (b'{"id": 1e400}', None), (b'{"id": true}', None), (b'{"id": [1]}', None),
        (b'{"id": "' + b"x" * 201 + b'"}', None), (b"[" * 100_000, None), (b"\xff", None), (b"{", None),
    ],
)  # fmt: skip
def test_the_id_of_a_line_is_what_its_answer_repeats(line: bytes, id_: Any) -> None:
    """The service repeats it where the worker that should have answered was lost."""
    assert line_id(line) == id_ == answer_line(line)["id"]


def test_a_line_may_begin_with_a_byte_order_mark() -> None:
    assert answer_line(b"\xef\xbb\xbf" + json.dumps({"id": 1, "state": STATE}).encode())["plan"]["lethal"]


def test_a_bug_costs_one_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no\nidea")

    monkeypatch.setattr(plan_request, "best_plans", fail)
    answer = answer_line(json.dumps({"id": 4, "state": STATE}))
    assert answer == {"id": 4, "error": "the planner failed: RuntimeError: no idea"}


def test_mutated_lines_are_answered() -> None:
    """Bytes are removed, doubled and replaced: every line gets an answer in JSON, and none raises an exception."""
    rng = random.Random(5)
    seed = json.dumps({"id": 1, "state": STATE, "weights": {"lethal": 20, "face_damage": 1.5}, "effort": 50, "k": 2})
    answered = 0
    for _ in range(600):
        line = bytearray(seed.encode())
        for _ in range(rng.randint(1, 3)):
            start = rng.randrange(len(line))
            piece = line[start : start + rng.randint(0, 6)]
            other = bytes(rng.choices(b'{}[]":,0123456789-e.\\ntrul\xc3\x00', k=rng.randint(0, 3)))
            line[start : start + len(piece)] = rng.choice([b"", bytes(piece) * 2, other])
        answer = answer_line(bytes(line))
        assert list(answer) in (["id", "plans"], ["id", "error"], ["id", "plan"]), line
        assert "planner failed" not in answer.get("error", ""), line
        json.dumps(answer, allow_nan=False)
        answered += "error" not in answer
    assert answered > 10
