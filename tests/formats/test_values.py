"""The readers of values: what they take, and one wording for each fault."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from planner.errors import PlannerError
from planner.formats import values
from planner.formats.documents import parse_json
from planner.formats.values import Fields, read_list


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (values.text, "", "must be a non-empty string, got ''"),
        (values.text, 7, "must be a non-empty string, got 7"),
        (values.name, ["a"], "must be a name, got ['a']"),
        (values.integer, True, "must be an integer, got true"),
        (values.integer, 1.0, "must be an integer, got 1.0"),
        (values.integer, 2**70, f"must be at most {2**63 - 1}, got {2**70}"),
        (partial(values.integer, minimum=1), 0, "must be at least 1, got 0"),
        (partial(values.integer, maximum=3), 4, "must be at most 3, got 4"),
        (partial(values.integer, minimum=0, maximum=3), -1, "must be between 0 and 3, got -1"),
        (values.number, float("nan"), "must be a number, got NaN"),
        (values.number, False, "must be a number, got false"),
        (partial(values.number, minimum=0, maximum=1), 1.5, "must be between 0 and 1, got 1.5"),
        (values.seconds, 0, "must be a positive number of seconds, got 0"),
        (values.seconds, float("inf"), "must be less than 1000000000 seconds, got Infinity"),
        (values.seconds, 1e300, "must be less than 1000000000 seconds, got 1e+300"),
        (values.seconds, "1", "must be a positive number of seconds, got '1'"),
        (values.boolean, 1, "must be true or false, got 1"),
        (values.as_list, "ab", "must be a list, got 'ab'"),
        (values.as_mapping, [], "must be an object, got []"),
        (
            partial(values.one_of, choices=("all", "cross")),
            "al",
            "must be one of all, cross; got 'al'; did you mean 'all'?",
        ),
        (partial(values.one_of, choices=("all",)), [], "must be one of all; got []"),
    ],
)
def test_what_is_refused(read: Any, value: Any, message: str) -> None:
    with pytest.raises(PlannerError) as refusal:
        read(value)
    assert str(refusal.value) == message
    with pytest.raises(PlannerError) as refusal:
        read_list({"key": [value]}, "key", read)
    assert str(refusal.value) == f"key[0]: {message}"


def test_what_is_taken() -> None:
    assert [values.integer(7), values.integer(0, 0, 0), values.number(2), values.number(0.5)] == [7, 0, 2, 0.5]
    assert (values.seconds(2), values.boolean(False), values.as_list((1,)), values.one_of("a", "ab")) == (
        *(2.0, False, [1], "a"),
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "x.json:1:2: invalid JSON: Expecting property name enclosed in double quotes"),
        ('{"a": 1,\n "a": 2}', "x.json: duplicate key 'a'"),
        ("[" * 100_000, "x.json: nested too deeply"),
        ("1" * 5000, "x.json: contains a number with thousands of digits"),
    ],
)
def test_json(content: str, message: str) -> None:
    with pytest.raises(PlannerError) as refusal:
        parse_json(content, "x.json")
    assert str(refusal.value).startswith(message)
    assert "\n" not in str(refusal.value)


def test_a_key_twice_among_many_is_found_at_once() -> None:
    """A line of a request can have a hundred thousand keys, and its reader has other requests to serve."""
    keys = [*range(60_000), 59_999]
    began = time.process_time()
    with pytest.raises(PlannerError, match="duplicate key '59999'"):
        parse_json("{" + ",".join(f'"{key}":1' for key in keys) + "}", "x.json")
    assert time.process_time() - began < 5


def test_yaml_with_file_and_line() -> None:
    def read(content: str) -> Fields:
        return Fields.of_file(Path("x.yaml"), "a thing", "with a name", content)

    def size(content: str) -> int:
        file = read(content)
        file.check_keys(("name", "size"), ("name",))
        return file.read("size", partial(values.integer, minimum=1))

    def refused(content: str) -> str:
        with pytest.raises(PlannerError) as refusal:
            size(content)
        return str(refusal.value)

    assert refused("- 1") == "x.yaml:1: a thing is a mapping with a name"
    assert refused("size: 3\nnmae: x") == "x.yaml:2: unknown field 'nmae'; did you mean 'name'?"
    assert refused("size: 3") == "x.yaml:1: name: is missing"
    assert refused("name: x\n\nsize: 0") == "x.yaml:3: size: must be at least 1, got 0"
    assert read("name: x").read("size", values.integer, 5) == 5
    assert (read("{}").resolve("a.yaml"), read("{}").resolve("a")) == ("a.yaml", "a")
