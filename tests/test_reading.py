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
from planner.formats.values import Fields, read_field


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (values.text, "", "'' is not a text"),
        (values.text, 7, "7 is not a text"),
        (values.name, ["a"], "['a'] is not a name"),
        (values.integer, True, "True is not a whole number"),
        (values.integer, 1.0, "1.0 is not a whole number"),
        (values.integer, 2**70, f"{2**70} is not a whole number"),
        (partial(values.integer, minimum=1), 0, "0 is not a whole number of at least 1"),
        (partial(values.integer, maximum=3), 4, "4 is not a whole number of at most 3"),
        (partial(values.integer, minimum=0, maximum=3), -1, "-1 is not a whole number from 0 to 3"),
        (values.number, float("nan"), "nan is not a number"),
        (values.number, False, "False is not a number"),
        (partial(values.number, minimum=0, maximum=1), 1.5, "1.5 is not a number from 0 to 1"),
        (values.seconds, 0, "0 is not a positive number of seconds"),
        (values.seconds, float("inf"), "inf is not a positive number of seconds"),
        (values.seconds, 1e300, "1e+300 is not a positive number of seconds"),
        (values.seconds, "1", "'1' is not a positive number of seconds"),
        (values.boolean, 1, "1 is not true or false"),
        (values.as_list, "ab", "'ab' is not a list"),
        (values.as_mapping, [], "[] is not an object"),
        (partial(values.one_of, choices=("all", "cross")), "al", "'al' is not one of all, cross; did you mean 'all'?"),
        (partial(values.one_of, choices=("all",)), [], "[] is not one of all"),
    ],
)
def test_what_is_refused(read: Any, value: Any, message: str) -> None:
    with pytest.raises(PlannerError) as refusal:
        read(value)
    assert str(refusal.value) == message
    with pytest.raises(PlannerError) as refusal:
        read_field({"key": value}, "key", read, "place")
    assert str(refusal.value) == f"place.key: {message}"


def test_what_is_taken() -> None:
    assert [values.integer(7), values.integer(0, 0, 0), values.number(2), values.number(0.5)] == [7, 0, 2, 0.5]
    assert (values.seconds(2), values.boolean(False), values.as_list((1,)), values.one_of("a", "ab")) == (
        *(2.0, False, [1], "a"),
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "x.json:1:2: not JSON: Expecting property name enclosed in double quotes"),
        ('{"a": 1,\n "a": 2}', "x.json: 'a' stands twice in one object"),
        ("[" * 100_000, "x.json: nested too deeply"),
        ("1" * 5000, "x.json: a number of thousands of digits"),
    ],
)
def test_json(content: str, message: str) -> None:
    with pytest.raises(PlannerError) as refusal:
        parse_json(content, "x.json")
    assert str(refusal.value).startswith(message)
    assert "\n" not in str(refusal.value)


def test_a_key_twice_among_many_is_found_at_once() -> None:
    """A line of a request can have a hundred thousand keys, and whoever reads it has others to serve."""
    keys = [*range(60_000), 59_999]
    began = time.process_time()
    with pytest.raises(PlannerError, match="'59999' stands twice"):
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
    assert refused("size: 3\nnmae: x") == "x.yaml:2: 'nmae' is not known here; did you mean 'name'?"
    assert refused("size: 3") == "x.yaml:1: name: is missing"
    assert refused("name: x\n\nsize: 0") == "x.yaml:3: size: 0 is not a whole number of at least 1"
    assert read("name: x").at("size", values.integer, 5) == 5
    assert (read("{}").near("a.yaml"), read("{}").near("a")) == ("a.yaml", "a")
