"""The JSON form of a battle as a JSON schema: names, kinds and bounds. A test holds it and the reader together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from planner.games.spire.codec import ENEMY_FIELDS, HELD_FIELDS, MOST_CARDS, PENDING_FIELDS, STATE_FIELDS
from planner.games.spire.places import MOST, PILES
from planner.games.spire.rules import MOST_ENEMIES

Schema = dict[str, Any]


def _whole(least: int = 0) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": MOST}


_TEXT: Final[Schema] = {"type": "string", "minLength": 1}
_STATUSES_MOST: Final = 100


def _object(known: Sequence[str], needed: Sequence[str], **here: Schema) -> Schema:
    properties = {name: here.get(name, _whole()) for name in known}
    return {"type": "object", "properties": properties, "additionalProperties": False, "required": list(needed)}


def state_schema() -> Schema:
    """The schema of a battle. Names of cards, enemies, moves and statuses may come from its own `library`."""
    status = _object(HELD_FIELDS, ("status", "amount"), status=_TEXT, amount=_whole(1))
    statuses = {"type": "array", "items": status, "maxItems": _STATUSES_MOST}
    enemy = _object(
        ENEMY_FIELDS, ("name",), name=_TEXT, move=_TEXT, statuses=statuses, max_health=_whole(1), run=_whole(1)
    )
    pile = {"type": "array", "items": _TEXT, "maxItems": MOST_CARDS}
    pending = _object(
        PENDING_FIELDS, ("played", "step"), card=_TEXT, played=_TEXT, goes_to={"enum": ["discard", "exhaust"]},
        picked={"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": _STATUSES_MOST},
    )  # fmt: skip
    here: dict[str, Schema] = {
        "game": {"const": "spire"},
        "enemies": {"type": "array", "items": enemy, "minItems": 1, "maxItems": MOST_ENEMIES},
        "statuses": statuses,
        "turn": _whole(1),
        "max_health": _whole(1),
        "library": {"type": "object"},
        "anonymous": {"type": "boolean"},
        "pending": {"anyOf": [pending, {"type": "null"}]},
        **dict.fromkeys(PILES, pile),
    }
    return _object(STATE_FIELDS, ("game", "enemies"), **here)
