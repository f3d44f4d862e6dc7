"""Invalid states and arguments are refused with one line that names the location and the value."""

from __future__ import annotations

import copy
import json
import math
from random import Random
from typing import Any

import pytest

from planner import PlannerError, plan_turn, plan_turns
from tests.contract.boards import random_state


def valid_state() -> dict[str, Any]:
    return {
        "mana": 6,
        "me": {
            "hero": {"health": 30},
            "board": [{"id": "a", "attack": 4, "health": 5}, {"attack": 1, "health": 1}],
            "hand": [{"name": "Wolfrider"}],
        },
        "enemy": {"hero": {"health": 12}, "board": [{"attack": 1, "health": 1} for _ in range(3)]},
    }


def refused(state: Any, **options: Any) -> str:
    """Return the message of the PlannerError, after checking that it is one short line."""
    with pytest.raises(PlannerError) as caught:
        plan_turn(state, **options)
    line = str(caught.value)
    assert line.strip() == line
    assert 0 < len(line) < 500
    assert "\n" not in line
    return line


def test_the_valid_state_is_accepted() -> None:
    assert plan_turn(valid_state()).status == "optimal"


def test_health_0_is_refused_in_the_words_of_the_contract() -> None:
    state = valid_state()
    state["enemy"]["board"][2]["health"] = 0
    assert refused(state) == "enemy.board[2].health: must be at least 1, got 0"


BROKEN: list[tuple[tuple[Any, ...], Any, str, str]] = [  # path, invalid value, expected location, expected value
    (("mana",), -1, "mana", "-1"),
    (("mana",), "six", "mana", "'six'"),
    (("mana",), 2.5, "mana", "2.5"),
    (("mana",), None, "mana", "null"),
    (("mana",), True, "mana", "true"),
    (("me", "hero", "health"), 0, "me.hero.health", "0"),
    (("me", "hero", "health"), -3, "me.hero.health", "-3"),
    (("me", "hero", "armor"), -2, "me.hero.armor", "-2"),
    (("enemy", "hero", "health"), 0, "enemy.hero.health", "0"),
    (("enemy", "hero", "health"), "many", "enemy.hero.health", "'many'"),
    (("me", "board", 1, "health"), 0, "me.board[1].health", "0"),
    (("me", "board", 0, "health"), -7, "me.board[0].health", "-7"),
    (("me", "board", 0, "attack"), -1, "me.board[0].attack", "-1"),
    (("me", "board", 0, "attack"), [], "me.board[0].attack", "[]"),
    (("me", "board", 0, "keywords"), ["tount"], "me.board[0].keywords", "'tount'"),
    (("me", "board", 0, "keywords"), "taunt", "me.board[0].keywords", "'taunt'"),
    (("me", "board", 0, "keywords"), [7], "me.board[0].keywords", "7"),
    (("me", "board", 0, "attacks_left"), -1, "me.board[0].attacks_left", "-1"),
    (("enemy", "board", 1, "keywords"), ["taunt", "flying"], "enemy.board[1].keywords", "'flying'"),
    (("me", "hand", 0), {"name": "Wolfridder"}, "me.hand[0]", "'Wolfridder'"),
    (("me", "hand", 0), "No Such Card", "me.hand[0]", "'No Such Card'"),
    (("me", "hand", 0), 17, "me.hand[0]", "17"),
    (("me", "hand", 0), {"cost": -1, "attack": 1, "health": 1}, "me.hand[0].cost", "-1"),
    (("me", "hand", 0), {"cost": 1, "attack": 1, "health": 1, "value": "x"}, "me.hand[0].value", "'x'"),
    (("me", "hand", 0), {"cost": 1, "attack": 1, "health": 1, "value": math.nan}, "me.hand[0].value", "NaN"),
    (("enemy", "board", 0), {"name": "Chillwind Yetti"}, "enemy.board[0]", "'Chillwind Yetti'"),
    (("me", "board", 1, "id"), "a", "me.board[1].id", "'a'"),
    (("enemy", "board", 2, "id"), "a", "enemy.board[2].id", "'a'"),
    (("me", "board", 1, "id"), "me.hero", "me.board[1].id", "'me.hero'"),
    (("enemy", "board", 2, "id"), "enemy.hero", "enemy.board[2].id", "'enemy.hero'"),
    (("me", "board", 1, "id"), 5.5, "me.board[1].id", "5.5"),
    (("me", "board", 1, "id"), "", "me.board[1].id", "''"),
    (("me", "board"), "none", "me.board", "'none'"),
    (("me", "hero"), 30, "me.hero", "30"),
    (("me",), [], "me", "[]"),
    (("enemy",), None, "enemy", "null"),
    (("me", "weapon"), {"attack": 3, "durability": 0}, "me.weapon.durability", "0"),
    (("me", "weapon"), {"attack": -3, "durability": 1}, "me.weapon.attack", "-3"),
    (("me", "helth"), 3, "me", "'helth'"),
    (("me", "board", 0, "atack"), 3, "me.board[0]", "'atack'"),
]


@pytest.mark.parametrize(("path", "value", "location", "shown"), BROKEN)
def test_an_invalid_state_is_refused_with_location_and_value(
    path: tuple[Any, ...], value: Any, location: str, shown: str
) -> None:
    state: Any = valid_state()
    inner = state
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    line = refused(state)
    assert line.startswith(location), line
    assert shown in line, line


MAX_LENGTH = 1000  # characters of a string, see docs/reference/state.md


@pytest.mark.parametrize(
    ("path", "location"),
    [
        (("me", "board", 0, "id"), "me.board[0].id"),
        (("me", "board", 0, "name"), "me.board[0].name"),
        (("enemy", "board", 2, "name"), "enemy.board[2].name"),
        (("me", "hand", 0, "id"), "me.hand[0].id"),
        (("cards", 0, "name"), "cards[0]: name"),
        (("cards", 0, "text"), "cards[0]: text"),
        (("cards", 0, "id"), "cards[0]: id"),
        (("cards", 0, "unread"), "cards[0]: unread"),
        (("cause",), "cause"),
        (("ruleset", "name"), "ruleset.name"),
    ],
)
@pytest.mark.parametrize("character", ["x", "\U0001f409"])
def test_a_string_above_the_length_limit_is_refused(path: tuple[Any, ...], location: str, character: str) -> None:
    state: Any = valid_state() | {"cards": [{"name": "Own", "type": "spell"}], "ruleset": {}}
    inner = state
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = character * MAX_LENGTH
    plan_turn(state)
    inner[path[-1]] = character * (MAX_LENGTH + 1)
    line = refused(state)
    assert line == f"{location}: is 1,001 characters long; the limit is 1,000"
    inner[path[-1]] = character * 10**6
    assert len(refused(state)) <= 300


@pytest.mark.parametrize("side", ["me", "enemy"])
def test_eight_minions_are_refused(side: str) -> None:
    state = valid_state()
    state[side]["board"] = [{"attack": 1, "health": 1} for _ in range(8)]
    line = refused(state)
    assert line.startswith(f"{side}.board: ")
    assert "8" in line
    state[side]["board"].pop()
    assert plan_turn(state).status == "optimal"


def test_a_hand_that_is_too_large_is_refused() -> None:
    state = valid_state()
    state["me"]["hand"] = [{"name": "Wolfrider"} for _ in range(11)]
    line = refused(state)
    assert line.startswith("me.hand: ")
    assert "11" in line


def test_a_default_id_that_is_already_used_is_refused() -> None:
    state = valid_state()
    state["me"]["board"][0]["id"] = "me.board.1"
    assert "'me.board.1'" in refused(state)


@pytest.mark.parametrize(
    ("path", "location"),
    [
        (("mana",), "mana"),
        (("me",), "me"),
        (("enemy",), "enemy"),
        (("me", "hero"), "me.hero"),
        (("me", "hero", "health"), "me.hero.health"),
        (("me", "board", 0, "attack"), "me.board[0].attack"),
        (("me", "board", 0, "health"), "me.board[0].health"),
    ],
)
def test_a_missing_required_field_is_named(path: tuple[Any, ...], location: str) -> None:
    state: Any = valid_state()
    inner = state
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    assert refused(state).startswith(location)


@pytest.mark.parametrize("state", [None, 5, "state", [], (), b"{}", object(), 1.5])
def test_a_state_that_is_not_a_mapping_is_refused(state: Any) -> None:
    refused(state)


def test_two_invalid_fields_raise_one_error() -> None:
    state = valid_state()
    state["mana"] = -1
    state["me"]["hero"]["health"] = 0
    refused(state)


# -- the other arguments


@pytest.mark.parametrize(
    ("weights", "shown"),
    [
        ("agro_face", "'agro_face'"),
        ("", "''"),
        ("no/such/profile.yaml", "no/such/profile.yaml"),
        (5, "5"),
        ([], "[]"),
        ({"lethal": "high"}, "'high'"),
        ({"lethal": None}, "null"),
        ({"lethal": True}, "true"),
        ({"lethal": math.nan}, "NaN"),
        ({"lethal": math.inf}, "Infinity"),
        ({"lethal": 10**9}, "1000000000"),
        ({"lethal": 0.1 + 0.2}, "0.30000000000000004"),
        ({"fase_damage": 1}, "'fase_damage'"),
        ({"lethal": 1, "W1": 1}, "lethal"),
        ({"W9": 1}, "'W9'"),
        ({3: 1}, "3"),
    ],
)
def test_invalid_weights_are_refused(weights: Any, shown: str) -> None:
    assert shown in refused(valid_state(), weights=weights)


def json_repr(value: Any) -> str:
    """Return the value as error messages show it: JSON's word for None."""
    return "null" if value is None else repr(value)


@pytest.mark.parametrize("solver", ["higs", "", "HIGHS", "cplex", None, 5, [], {}])
def test_an_invalid_solver_is_refused(solver: Any) -> None:
    assert json_repr(solver) in refused(valid_state(), solver=solver)


@pytest.mark.parametrize("formulation", ["exacter", "", "Exact", None, 5, [], {}])
def test_an_invalid_formulation_is_refused(formulation: Any) -> None:
    assert json_repr(formulation) in refused(valid_state(), formulation=formulation)


@pytest.mark.parametrize("limit", [0, -1, -0.5, math.nan, math.inf, "1", [], b"1", pytest.param(10**400, id="huge")])
def test_an_invalid_time_limit_is_refused(limit: Any) -> None:
    assert refused(valid_state(), time_limit=limit).startswith("time_limit: ")


@pytest.mark.parametrize("k", [0, -1, "five", None, 1.5])
def test_an_invalid_number_of_plans_is_refused(k: Any) -> None:
    with pytest.raises(PlannerError, match=r"^k: "):
        plan_turns(valid_state(), k=k)


def test_next_best_plans_need_the_exact_formulation() -> None:
    with pytest.raises(PlannerError, match="thesis"):
        plan_turns(valid_state(), formulation="thesis")


# -- randomly corrupted states


JUNK: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        10**9,
        10**30,
        2.5,
        math.nan,
        -math.inf,
        "",
        "x",
        "taunt",
        "Wolfrider",
        "a\nb",
        "\x00",
    ),
    *([], {}, [[]], [None], {"id": "a"}, {"health": 0}, ["taunt", "taunt"], [{"attack": 1, "health": 1}] * 9),
)


def all_paths(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return every path into a JSON value."""
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [path, *[deep for key, value in inner for deep in all_paths(value, (*path, key))]]


def corrupt(rng: Random, state: dict[str, Any]) -> dict[str, Any]:
    """Return the state with one to three values replaced, removed, duplicated or renamed."""
    state = copy.deepcopy(state)
    for _ in range(rng.randint(1, 3)):
        paths = [path for path in all_paths(state) if path]
        if not paths:
            break
        *parents, last = rng.choice(paths)
        inner: Any = state
        for key in parents:
            inner = inner[key]
        kind = rng.random()
        if kind < 0.6:
            inner[last] = copy.deepcopy(rng.choice(JUNK))
        elif kind < 0.75:
            del inner[last]
        elif isinstance(inner, list):
            inner.insert(last, copy.deepcopy(inner[last]))
        else:
            inner[rng.choice(("x", "", "board", "health", "keywords", "cards", "clock", 5))] = inner.pop(last)
    return state


def count_refusals(seeds: range) -> int:
    """Return how many corrupted states were refused; each of the others has a plan."""
    count = 0
    for seed in seeds:
        rng = Random(f"mangled {seed}")
        state = corrupt(rng, random_state(rng, 2, 2, 2))
        line = "refused in one line"
        try:
            json.dumps(plan_turn(state, "aggro_face").to_dict())
        except PlannerError as error:
            count += 1
            line = str(error)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r} for {state!r}") from error
        assert "\n" not in line, (seed, state)
        assert 0 < len(line) < 500, (seed, state)
    return count


def test_corrupted_states_are_planned_or_refused() -> None:
    assert 200 < count_refusals(range(600)) < 600


@pytest.mark.long
def test_many_corrupted_states_are_planned_or_refused() -> None:
    count_refusals(range(1000, 21000))


def test_a_refusal_writes_numbers_as_json_does() -> None:
    state = valid_state()
    state["me"]["hero"]["armor"] = math.nan
    assert refused(state).endswith("got NaN")
    state["me"]["hero"]["armor"] = -math.inf
    assert refused(state).endswith("got -Infinity")
