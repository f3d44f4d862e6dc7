"""The readers of values: what they take, and one wording for each fault."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from planner import reading
from planner.files import PlannerError
from planner.reading import Fields, field, parse_json


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (reading.text, "", "'' is not a text"),
        (reading.text, 7, "7 is not a text"),
        (reading.name, ["a"], "['a'] is not a name"),
        (reading.whole, True, "True is not a whole number"),
        (reading.whole, 1.0, "1.0 is not a whole number"),
        (reading.whole, 2**70, f"{2**70} is not a whole number"),
        (partial(reading.whole, least=1), 0, "0 is not a whole number of at least 1"),
        (partial(reading.whole, most=3), 4, "4 is not a whole number of at most 3"),
        (partial(reading.whole, least=0, most=3), -1, "-1 is not a whole number from 0 to 3"),
        (reading.number, float("nan"), "nan is not a number"),
        (reading.number, False, "False is not a number"),
        (partial(reading.number, least=0, most=1), 1.5, "1.5 is not a number from 0 to 1"),
        (reading.seconds, 0, "0 is not a positive number of seconds"),
        (reading.seconds, float("inf"), "inf is not a positive number of seconds"),
        (reading.seconds, 1e300, "1e+300 is not a positive number of seconds"),
        (reading.seconds, "1", "'1' is not a positive number of seconds"),
        (reading.truth, 1, "1 is not true or false"),
        (reading.listed, "ab", "'ab' is not a list"),
        (reading.mapping, [], "[] is not an object"),
        (partial(reading.one_of, choices=("all", "cross")), "al", "'al' is not one of all, cross; did you mean 'all'?"),
        (partial(reading.one_of, choices=("all",)), [], "[] is not one of all"),
    ],
)
def test_what_is_refused(read: Any, value: Any, message: str) -> None:
    with pytest.raises(PlannerError) as refusal:
        read(value)
    assert str(refusal.value) == message
    with pytest.raises(PlannerError) as refusal:
        field({"key": value}, "key", read, "place")
    assert str(refusal.value) == f"place.key: {message}"


def test_what_is_taken() -> None:
    assert [reading.whole(7), reading.whole(0, 0, 0), reading.number(2), reading.number(0.5)] == [7, 0, 2, 0.5]
    assert (reading.seconds(2), reading.truth(False), reading.listed((1,)), reading.one_of("a", "ab")) == (
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
        file.check(("name", "size"), ("name",))
        return file.at("size", partial(reading.whole, least=1))

    def refused(content: str) -> str:
        with pytest.raises(PlannerError) as refusal:
            size(content)
        return str(refusal.value)

    assert refused("- 1") == "x.yaml:1: a thing is a mapping with a name"
    assert refused("size: 3\nnmae: x") == "x.yaml:2: 'nmae' is not known here; did you mean 'name'?"
    assert refused("size: 3") == "x.yaml:1: name: is missing"
    assert refused("name: x\n\nsize: 0") == "x.yaml:3: size: 0 is not a whole number of at least 1"
    assert read("name: x").at("size", reading.whole, 5) == 5
    assert (read("{}").near("a.yaml"), read("{}").near("a")) == ("a.yaml", "a")
