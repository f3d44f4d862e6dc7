"""A record reads, writes and describes the objects of one kind; errors name the place in the document."""

from __future__ import annotations

import pickle
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from planner.errors import PlannerError
from planner.formats.documents import parse_yaml
from planner.formats.json_records import JsonField, JsonKind, JsonRecord, kind_of, list_of, mapping_of, nullable
from planner.formats.json_schema import TEXT
from planner.formats.values import PlacedError, at, boolean, integer, one_of, read_items, string, text
from tests.schemas import disagreements

SHELF = JsonRecord(
    {
        "label": JsonField(text, attribute="owner.name"),
        "books": JsonField(list_of(JsonKind(text, TEXT, attrgetter("title")), 1, 3)),
        "open": JsonField(boolean, False, omit=True),
    }
)
ROOM = JsonRecord(
    {
        "size": JsonField(partial(integer, minimum=1, maximum=9)),
        "use": JsonField(partial(one_of, choices=("office", "store")), "store"),
        "shelves": JsonField(list_of(SHELF, 0, 2), ()),
        "main": JsonField(nullable(SHELF), None, omit=True),
        "note": JsonField(string, ""),
    }
)
FULL: dict[str, Any] = {
    "size": 3, "use": "office", "shelves": [{"label": "A", "books": ["x"], "open": True}],
    "main": {"label": "B", "books": ["x", "y"]}, "note": "",
}  # fmt: skip


def test_reading_fills_in_defaults() -> None:
    assert ROOM.read({"size": 3}) == {"size": 3, "use": "store", "shelves": (), "main": None, "note": ""}
    assert ROOM.read(FULL)["main"] == {"label": "B", "books": ["x", "y"], "open": False}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "room: must be an object, got []"),
        ({"sise": 3}, "room: unknown field 'sise'; did you mean 'size'?"),
        ({}, "size: is missing"),
        ({"size": 12}, "size: must be between 1 and 9, got 12"),
        ({"size": 3, "shelves": {}}, "shelves: must be a list, got {}"),
        ({"size": 3, "shelves": [{"label": "A", "books": []}]},
         "shelves[0].books: must have between 1 and 3 items, got 0"),
        ({"size": 3, "shelves": [FULL["main"], {"books": ["x"]}]}, "shelves[1].label: is missing"),
        ({"size": 3, "shelves": [{"label": "A", "books": ["x", 7]}]},
         "shelves[0].books[1]: must be a non-empty string, got 7"),
        ({"size": 3, "shelves": ["A"]}, "shelves[0]: must be an object, got 'A'"),
        ({"size": 3, "main": {"label": "A", "books": ["x"], "opn": True}},
         "main: unknown field 'opn'; did you mean 'open'?"),
    ],
)  # fmt: skip
def test_errors_name_the_place(data: Any, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        ROOM.read_document(data, "room")
    assert str(caught.value) == message


def test_writing_is_the_inverse_of_reading() -> None:
    books = [SimpleNamespace(title="x"), SimpleNamespace(title="y")]
    shelf = SimpleNamespace(owner=SimpleNamespace(name="B"), books=books, open=False)
    room = SimpleNamespace(size=3, use="store", shelves=(shelf,), main=None, note="")
    written = {"size": 3, "use": "store", "shelves": [{"label": "B", "books": ["x", "y"]}], "note": ""}
    assert ROOM.write(room) == written
    room.main, shelf.open = shelf, True
    assert ROOM.write(room)["main"] == {"label": "B", "books": ["x", "y"], "open": True}
    assert ROOM.read(ROOM.write(room))["shelves"] == [{"label": "B", "books": ["x", "y"], "open": True}]


def test_reader_and_schema_accept_the_same_values() -> None:
    assert disagreements(FULL, ROOM.read, ROOM.schema, r"(?!)") == []
    assert kind_of(list_of(text, 2)).schema == {"type": "array", "items": TEXT, "minItems": 2}
    with pytest.raises(PlannerError, match="must have at least 2 items, got 1"):
        list_of(text, 2).read(["x"])


def test_later_checks_name_the_same_places() -> None:
    def check(title: str) -> str:
        raise PlannerError(f"unknown book {title}", "second problem")

    with pytest.raises(PlacedError) as caught, at("shelves", 2), at("books"):
        read_items(check, ["x"])
    assert caught.value.problems == ("shelves[2].books[0]: unknown book x", "shelves[2].books[0]: second problem")
    assert caught.value.path == ("shelves", 2, "books", 0)
    assert pickle.loads(pickle.dumps(caught.value)).problems == caught.value.problems


def test_mapping_has_any_names() -> None:
    kind = mapping_of(ROOM, 1)
    assert kind.read({"A": {"size": 3}})["A"]["use"] == "store"
    assert disagreements({"A": FULL}, kind.read, kind.schema, r"(?!)") == []
    with pytest.raises(PlannerError, match=r"^A\.shelves\[0\]\.label: is missing$"):
        kind.read({"A": {"size": 3, "shelves": [{"books": ["x"]}]}})
    with pytest.raises(PlannerError, match="must have at least 1 fields, got 0"):
        kind.read({})


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("note: x\nsize: 12\n", 2),
        ("size: 3\nshelves:\n- books: [x]\n  label: 5\n", 4),
        ("size: 3\nshelves:\n- books: [x]\n  label: A\n  opn: true\n", 5),
        ("size: 3\nshelves:\n- label: A\n", 3),  # a missing field: the line of the object
    ],
)
def test_line_of_an_error_in_a_yaml_file(content: str, line: int) -> None:
    document = parse_yaml(content, Path("x.yaml"))
    with pytest.raises(PlacedError) as caught:
        ROOM.read(document)
    assert caught.value.line_in(document) == line
    assert caught.value.line_in({}) is None
