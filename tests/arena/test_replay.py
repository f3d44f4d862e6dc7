"""A replay detects every kind of tampering, at the right move."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.arena.match.replay import load_logs, parse_log, verify_log, walk
from planner.errors import PlannerError
from tests.arena.helpers import THESIS, BadMulligan, Hostile, Passive, log_text, play, raises


def fresh_log() -> dict[str, Any]:
    log: dict[str, Any] = json.loads(log_text())
    return log


def places(log: dict[str, Any]) -> list[tuple[int, int]]:
    return [(t, m) for t, turn in enumerate(log["turns"]) for m in range(len(turn["moves"]))]


def test_unchanged_log_verifies() -> None:
    verdict = verify_log(fresh_log())
    assert verdict.ok
    assert verdict.moves == len(places(fresh_log()))


def test_log_with_thesis_rules_verifies() -> None:
    assert verify_log(play("random", "greedy", 11, THESIS).to_dict()).ok


@pytest.mark.parametrize("agent", [Hostile(raises(OSError())), Hostile(lambda _: None), BadMulligan(raises(OSError()))])
@pytest.mark.parametrize("seat", [0, 1])
def test_forfeits_verify(agent: Any, seat: int) -> None:
    agents = [agent, Passive()] if seat == 0 else [Passive(), agent]
    log = json.loads(json.dumps(play(*agents).to_dict()))
    assert verify_log(log).ok
    log["outcome"]["points"].reverse()
    assert "the end: expected player" in str(verify_log(log).problem)


def test_changed_digest_is_found_at_its_move() -> None:
    for turn, move in places(fresh_log())[::4]:
        log = fresh_log()
        log["turns"][turn]["moves"][move]["digest"] = "0123456789abcdef"
        verdict = verify_log(log)
        assert str(verdict.problem).startswith(f"turn {max(0, turn - 1)}, action {move + 1} (")
        assert "expected state 0123456789abcdef, actual state " in str(verdict.problem)
        assert verdict.moves == places(log).index((turn, move))


def test_changed_action_is_found_at_its_move() -> None:
    for turn, move in places(fresh_log())[::4]:
        log = fresh_log()
        moves = log["turns"][turn]["moves"]
        ends = moves[move]["action"]["type"] in ("end_turn", "mulligan")
        moves[move]["action"] = {"type": "play", "card": "p1.1"} if ends else {"type": "end_turn"}
        problem = str(verify_log(log).problem)
        assert problem.startswith(f"turn {max(0, turn - 1)}, action {move + 1} (")
        assert "expected" in problem
        assert "actual" in problem


def _swap_first_cards(log: dict[str, Any]) -> None:
    deck = log["initial"]["me"]["deck"]
    deck[0], deck[1] = deck[1], deck[0]


def _drop_turn(log: dict[str, Any]) -> None:
    del log["turns"][4]


def _move_after_end(log: dict[str, Any]) -> None:
    log["turns"][2]["moves"].append(log["turns"][2]["moves"][-1])


def _put_back(*cards: str) -> Callable[[dict[str, Any]], None]:
    def tamper(log: dict[str, Any]) -> None:
        log["turns"][0]["moves"][0]["action"]["cards"] = list(cards)

    return tamper


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        (lambda log: log.update(start="0" * 16), "the deal: expected state 0000000000000000, actual state"),
        (lambda log: log.update(seed=8), "the deal: expected state"),
        (lambda log: log["setup"]["undealt"]["me"]["deck"].pop(), "the deal: expected state"),
        (_put_back("p2.1"), "mulligan: p2.1 is not in the starting hand of player 1"),
        (_put_back(), "turn 0, action 1 (mulligan): expected state"),
        (lambda log: log["turns"].insert(2, log["turns"][1]), "turn 0: expected turn 0 of player 2, actual turn 1 of"),
        (lambda log: log["outcome"].update(rounds=99), "the end: expected 99 rounds, actual"),
        (lambda log: log["outcome"].update(points=[0, 1]), "the end: expected player 2 wins by damage, actual"),
        (lambda log: log["outcome"].update(reason="fatigue"), "the end: expected player 1 wins by fatigue"),
        (lambda log: log["outcome"].update(points=[0.5, 0.5]), "the end: expected a draw by damage"),
        (lambda log: log["turns"].pop(), "the end: expected player 1 wins by damage, actual: the match is not over"),
        (lambda log: log["turns"][3].update(seat=0), "turn 2: expected turn 2 of player 1, actual turn 2 of player 2"),
        (_drop_turn, "turn 4: expected turn 4 of player 2, actual turn 3 of player 1"),
        (_swap_first_cards, "the deal: expected state"),
        (_move_after_end, "actual: the turn had ended"),
    ],
)
def test_tampering_is_found(tamper: Callable[[dict[str, Any]], object], found: str) -> None:
    log = fresh_log()
    tamper(log)
    problem = verify_log(log).problem
    assert problem is not None
    assert found in problem
    assert "\n" not in problem


@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (lambda log: log.pop("match_log"), "not a match log"),
        (lambda log: log.update(match_log=1), "version must be 2, got 1"),
        (lambda log: log.update(match_log=3), "version must be 2, got 3"),
        (lambda log: log.update(game="herthstone"), "game: 'herthstone' is not a game; did you mean 'hearthstone'"),
        (
            lambda log: log["agents"].append("three"),
            r"outcome.points: \[1.0, 0.0\] is not a number from 0 to 1 for",
        ),
        (lambda log: log["setup"].pop("decks"), "setup: setup.decks: is missing"),
        (lambda log: log["setup"].update(decks=["Sparks", 7]), r"setup: setup.decks\[1\]: must be a name, got 7"),
        (lambda log: log.pop("seed"), "seed: is missing"),
        (lambda log: log.update(seed="7"), "seed: must be an integer, at most 18446744073709551615, got '7'"),
        (lambda log: log.update(agents=[7]), r"agents: \[7\] is not a list of names"),
        (lambda log: log.update(turns={}), r"turns: must be a list, got \{\}"),
        (lambda log: log["turns"].append(3), r"turns\[\d+\]: must be an object, got 3"),
        (lambda log: log["turns"][1].update(seat=True), r"turns\[1\].seat: must be an integer, got true"),
        (
            lambda log: log["turns"][1]["moves"][0].update(digest=1),
            r"turns\[1\].moves\[0\].digest: must be a non-empty string, got 1",
        ),
        (lambda log: log["turns"][0]["moves"][0]["action"].update(type="pass"), r"turns\[0\].moves\[0\].action.type"),
        (lambda log: log["turns"][0]["moves"].append([]), r"moves\[\d+\]: must be an object, got \[\]"),
        (
            lambda log: log["outcome"].update(points=[2, 0]),
            r"outcome.points: \[2, 0\] is not a number from 0 to 1 for",
        ),
        (
            lambda log: log["initial"]["me"]["hero"].update(health=0),
            r"initial: me.hero.health: must be at least 1, got 0",
        ),
        (_put_back(3.5), r"turns\[0\].moves\[0\].action.cards\[0\]: must be a non-empty string, got 3.5"),  # type: ignore[arg-type]
    ],
)
def test_invalid_log_is_refused_with_the_path(tamper: Callable[[dict[str, Any]], object], message: str) -> None:
    log = fresh_log()
    tamper(log)
    with pytest.raises(PlannerError, match=message):
        verify_log(log)


def test_walk_yields_the_states() -> None:
    log = fresh_log()
    steps = list(walk(parse_log(log_text())))
    assert len(steps) == len(places(log))
    assert all(one.after == two.before for one, two in pairwise(steps))


def test_files(tmp_path: Path) -> None:
    good = tmp_path / "log.json"
    good.write_text(log_text(), encoding="utf-8")
    assert verify_log(load_logs(good)[0]).ok
    with pytest.raises(PlannerError, match="no such file"):
        load_logs(tmp_path / "other.json")
    with pytest.raises(PlannerError, match="is a folder"):
        load_logs(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "[" * 100_000, "1" * 5000, '{"match_log": 2}', "NaN", "\0"])
def test_invalid_json_is_refused(text: str) -> None:
    with pytest.raises(PlannerError) as refusal:
        parse_log(text)
    assert "\n" not in str(refusal.value)


@given(st.integers(min_value=0, max_value=10_000_000))
@settings(max_examples=60)
def test_truncated_log_is_refused(cut: int) -> None:
    text = log_text()
    with pytest.raises(PlannerError):
        parse_log(text[: cut % len(text)])


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 40), st.floats(), st.text(max_size=6), st.just([]), st.just({}),
    st.just("me.hero"), st.just("p1.3"), st.integers(min_value=10**30, max_value=10**30),
)  # fmt: skip


def paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here, *(path for key, part in inside for path in paths(part, (*here, key)))]


ALL_PATHS = paths(fresh_log())[1:]


@given(st.integers(0, len(ALL_PATHS) - 1), JUNK, st.booleans())
@settings(max_examples=150)
def test_mutated_log_gives_one_line(which: int, junk: Any, delete: bool) -> None:
    log = copy.deepcopy(fresh_log())
    *path, last = ALL_PATHS[which]
    part: Any = log
    for key in path:
        part = part[key]
    if delete:
        del part[last]
    else:
        part[last] = junk
    try:
        said = verify_log(json.loads(json.dumps(log))).problem
    except PlannerError as refusal:
        said = str(refusal)
    # No problem: a default was omitted, or an unused value was changed, and the match is the same.
    assert said is None or (said and "\n" not in said)
