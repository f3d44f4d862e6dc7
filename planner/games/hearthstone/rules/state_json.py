"""The JSON form of states and actions. docs/reference/state.md describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.values import as_list, first_unknown_key, missing_field, read_field, unknown_field
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.field_kinds import read_name
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_reader import StateReader, as_mapping_at
from planner.games.hearthstone.rules.state_writer import write_state

# type: (the class, its required fields, its optional fields)
_ACTIONS: Final[dict[str, tuple[type[Any], tuple[str, ...], tuple[str, ...]]]] = {
    "play": (Play, ("card",), ("target",)),
    "attack": (Attack, ("attacker", "target"), ()),
    "hero_power": (HeroPower, (), ("target",)),
    "trade": (Trade, ("card",), ()),
    "end_turn": (EndTurn, (), ()),
    "mulligan": (Mulligan, ("cards",), ()),  # a list of ids
    "batch": (Batch, ("actions",), ()),  # a list of plays and attacks; all other fields are one id
}
_TYPES: Final = {action: name for name, (action, _, _) in _ACTIONS.items()}


def state_from_dict(mapping: Mapping[str, Any], cards: Catalogue | None = None) -> GameState:
    """Return the state that the JSON form describes, or raise a PlannerError that names the place and the value."""
    try:
        return StateReader(catalogue.standard() if cards is None else cards).state(mapping)
    except RecursionError:
        raise PlannerError("state: nested too deeply") from None


def state_to_dict(state: GameState, cards: Catalogue | None = None) -> dict[str, Any]:
    """Return the JSON form: the fields that every caller wants to see, and all that differ from their default.

    Reading it with the same catalogue gives an equal state.
    """
    return write_state(state, catalogue.standard() if cards is None else cards, full=True)


def action_from_dict(data: Any, place: str = "action") -> Action:
    """Return the action that the JSON form describes; error messages begin with `place`."""
    entry = as_mapping_at(data, place)
    if "type" not in entry:
        raise missing_field("type", place)
    action_type = entry["type"]
    if not isinstance(action_type, str) or action_type not in _ACTIONS:
        suggestion = did_you_mean(action_type, _ACTIONS)
        raise PlannerError(f"{place}.type: unknown type of action {quote(action_type)}{suggestion}")
    action, required, optional = _ACTIONS[action_type]
    known = ("type", *required, *optional)
    if (unknown := first_unknown_key(entry, known)) is not None:
        raise PlannerError(f"{place}: {unknown_field(unknown, known)}")
    if action is Mulligan:
        return Mulligan(_read_ids(entry, "cards", place))
    if action is Batch:
        return Batch(_read_plays_and_attacks(entry, place))
    ids = {key: read_field(entry, key, read_name, place) for key in required}
    ids |= {key: read_field(entry, key, read_name, place) for key in optional if entry.get(key) is not None}
    result: Action = action(**ids)
    return result


def _read_ids(entry: Mapping[str, Any], key: str, path: str) -> tuple[str, ...]:
    ids = {f"{path}.{key}[{index}]": value for index, value in enumerate(read_field(entry, key, as_list, path))}
    return tuple(read_field(ids, place, read_name) for place in ids)


def _read_plays_and_attacks(entry: Mapping[str, Any], path: str) -> tuple[Play | Attack, ...]:
    parts: list[Play | Attack] = []
    for index, value in enumerate(read_field(entry, "actions", as_list, path)):
        place = f"{path}.actions[{index}]"
        part_type = as_mapping_at(value, place).get("type")
        if part_type not in ("play", "attack"):
            raise PlannerError(f"{place}.type: must be play or attack, got {quote(part_type)}")
        part = action_from_dict(value, place)
        assert isinstance(part, Play | Attack)
        parts.append(part)
    return tuple(parts)


def action_to_dict(action: Action) -> dict[str, Any]:
    """Return the action in the JSON form."""
    action_type = _TYPES[type(action)]
    if isinstance(action, Mulligan):
        return {"type": action_type, "cards": list(action.cards)}
    if isinstance(action, Batch):
        return {"type": action_type, "actions": [action_to_dict(part) for part in action.actions]}
    _, required, optional = _ACTIONS[action_type]
    return {"type": action_type, **{key: getattr(action, key) for key in (*required, *optional)}}
