"""What the creator of a table decides, read from a message and checked."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final, TypeVar

from planner.agents.agent_spec import agent_names
from planner.errors import PlannerError, quote
from planner.formats.values import as_mapping, at, boolean, integer, number, one_of, optional, read_field, read_list
from planner.game import AnyGame
from planner.games import game, game_names
from planner.protocol.fields import request_fields
from planner.table_view import DescribesTable, complete_options, options_json

PERSON, AGENT, REMOVED = "person", "agent", "removed"
MAX_NAME: Final = 40
MAX_TITLE: Final = 60
MAX_CHAT: Final = 300
DEFAULT_AGENT: Final = "greedy"
CREATE_FIELDS: Final = ("game", "title", "options", "seats", "public", "chat", "clock", "leave", "sit", "seed")
_Value = TypeVar("_Value")
_MAX_SEED: Final = 2**53 - 1  # every JSON reader keeps it exact


@dataclass(frozen=True)
class TableClock:
    """Seconds of each person for the whole match, and the increment for each move."""

    seconds: float
    increment: float = 0.0


@dataclass(frozen=True)
class LeavePolicy:
    """What happens to a person who is gone: after `wait` seconds an agent plays on, or the seat is removed."""

    wait: float = 60.0
    then: str = AGENT
    agent: str = DEFAULT_AGENT


@dataclass(frozen=True)
class TableSpec:
    """The table as its creator wants it. Every value is checked; `options` are those of the game."""

    game: str
    title: str
    options: dict[str, Any]
    seats: tuple[str, ...]  # by seat: the name of an agent, or empty for a person
    public: bool = True
    chat: bool = True
    clock: TableClock | None = None
    leave: LeavePolicy = LeavePolicy()

    def to_json(self) -> dict[str, Any]:
        """Return the form that the journal keeps."""
        return asdict(self)

    @classmethod
    def from_journal(cls, data: dict[str, Any]) -> TableSpec:
        """Read the form that `to_json` writes."""
        clock = data["clock"]
        return cls(
            **data
            | {
                "seats": tuple(data["seats"]),
                "clock": None if clock is None else TableClock(**clock),
                "leave": LeavePolicy(**data["leave"]),
            }
        )

    def rotated(self) -> TableSpec:
        """Return the table of a rematch: everybody one seat further, with what belongs to them."""
        per_seat = {
            option["name"] for option in options_json(game(self.game))["options"] if option.get("per_seat", False)
        }
        options = {name: _rotate(value) if name in per_seat else value for name, value in self.options.items()}
        return replace(self, options=options, seats=tuple(_rotate(self.seats)))


def _rotate(values: Any) -> list[Any]:
    """Move the last value to the front."""
    return [values[-1], *values[:-1]]


def table_game(name: str) -> AnyGame:
    """Return a game that can be played at a table."""
    loaded = game(name)
    if not isinstance(loaded, DescribesTable):
        raise PlannerError(f"tables are not supported for {name}")
    return loaded


def table_games() -> list[str]:
    """Return the names of the games that can be played at tables."""
    return [name for name in game_names() if isinstance(game(name), DescribesTable)]


def default_agent(name: str) -> str:
    """Return the agent that replaces people in this game unless the creator says otherwise."""
    known = agent_names(game(name))
    return DEFAULT_AGENT if DEFAULT_AGENT in known else known[-1]


@dataclass(frozen=True)
class CreateRequest:
    """A message that creates a table."""

    spec: TableSpec
    sit: bool  # whether the creator takes the first seat for a person
    seed: int | None


def read_create(data: Any) -> CreateRequest:
    """Read the fields of a `create` message; an invalid one raises a PlannerError."""
    fields = request_fields(data, CREATE_FIELDS)
    name = read_field(fields, "game", partial(one_of, choices=table_games()))
    chosen = table_game(name)
    least, _ = options_json(chosen)["seats"]
    agents = agent_names(chosen)
    seats = tuple(read_list(fields, "seats", partial(_read_seat, agents))) if "seats" in fields else ("",) * least
    options = complete_options(chosen, optional(fields, "options", as_mapping, {}), len(seats))
    chosen.setup_from_options(options, len(seats))  # type: ignore[attr-defined]  # raises where they are invalid
    seed = optional(fields, "seed", partial(integer, minimum=0, maximum=_MAX_SEED), None)
    if seed is not None and seats.count("") > 1:
        raise PlannerError("seed: the creator would know the other people's cards; leave it out")
    spec = TableSpec(
        name,
        optional(fields, "title", partial(read_line, maximum=MAX_TITLE), ""),
        options,
        seats,
        optional(fields, "public", boolean, True),
        optional(fields, "chat", boolean, True),
        _optional_part(fields, "clock", _read_clock, None),
        _optional_part(fields, "leave", partial(_read_leave, name, agents), LeavePolicy(agent=default_agent(name))),
    )
    return CreateRequest(spec, optional(fields, "sit", boolean, True), seed)


def _optional_part(fields: Mapping[str, Any], key: str, read: Callable[[Any], _Value], default: _Value) -> _Value:
    """Return a field that has fields or items of its own; an error names the whole way to the value."""
    if key not in fields:
        return default
    with at(key):
        return read(fields[key])


def _read_seat(agents: list[str], value: Any) -> str:
    fields = as_mapping(value)
    kind = read_field(fields, "kind", partial(one_of, choices=(PERSON, AGENT)))
    return read_field(fields, "agent", partial(one_of, choices=agents)) if kind == AGENT else ""


def _read_clock(value: Any) -> TableClock:
    fields = request_fields(as_mapping(value), ("seconds", "increment"))
    seconds = read_field(fields, "seconds", partial(_float, minimum=1, maximum=86_400))
    return TableClock(seconds, optional(fields, "increment", partial(_float, minimum=0, maximum=600), 0.0))


def _read_leave(name: str, agents: list[str], value: Any) -> LeavePolicy:
    fields = request_fields(as_mapping(value), ("wait", "then", "agent"))
    wait = optional(fields, "wait", partial(_float, minimum=1, maximum=86_400), 60.0)
    then = optional(fields, "then", partial(one_of, choices=(AGENT, "remove")), AGENT)
    return LeavePolicy(wait, then, optional(fields, "agent", partial(one_of, choices=agents), default_agent(name)))


def _float(value: Any, minimum: float, maximum: float) -> float:
    return float(number(value, minimum, maximum))


def read_line(value: Any, maximum: int) -> str:
    """Return one line of visible text from a visitor: no control characters, which could reverse other text."""
    if not isinstance(value, str):
        raise PlannerError(f"must be a text, got {quote(value)}")
    if len(value) > 4 * maximum:  # before anything that takes time
        raise PlannerError(f"is {len(value):,} characters long; the limit is {maximum}")
    clean = " ".join(unicodedata.normalize("NFC", value).split())
    if len(clean) > maximum:
        raise PlannerError(f"is {len(clean):,} characters long; the limit is {maximum}")
    return "".join(char if char.isprintable() else "\ufffd" for char in clean)
