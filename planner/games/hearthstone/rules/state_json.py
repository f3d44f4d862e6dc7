"""The JSON form of states and actions. docs/reference/state.md describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.values import PlacedError, as_mapping, at, first_unknown_key, read_field, read_list, unknown_field
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.field_kinds import read_name
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_reader import StateReader
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
    with at(place):
        return _read_action(data)


def _read_action(data: Any) -> Action:
    entry = as_mapping(data)
    if "type" not in entry:
        raise PlacedError(("type",), "is missing")
    action_type = entry["type"]
    if not isinstance(action_type, str) or action_type not in _ACTIONS:
        suggestion = did_you_mean(action_type, _ACTIONS)
        raise PlacedError(("type",), f"unknown type of action {quote(action_type)}{suggestion}")
    action, required, optional = _ACTIONS[action_type]
    known = ("type", *required, *optional)
    if (unknown := first_unknown_key(entry, known)) is not None:
        raise PlannerError(unknown_field(unknown, known))
    if action is Mulligan:
        return Mulligan(tuple(read_list(entry, "cards", read_name)))
    if action is Batch:
        return Batch(tuple(read_list(entry, "actions", _read_play_or_attack)))
    given = (*required, *(key for key in optional if entry.get(key) is not None))
    result: Action = action(**{key: read_field(entry, key, read_name) for key in given})
    return result


def _read_play_or_attack(data: Any) -> Play | Attack:
    part_type = as_mapping(data).get("type")
    if part_type not in ("play", "attack"):
        raise PlacedError(("type",), f"must be play or attack, got {quote(part_type)}")
    part = _read_action(data)
    assert isinstance(part, Play | Attack)
    return part


def action_to_dict(action: Action) -> dict[str, Any]:
    """Return the action in the JSON form."""
    action_type = _TYPES[type(action)]
    if isinstance(action, Mulligan):
        return {"type": action_type, "cards": list(action.cards)}
    if isinstance(action, Batch):
        return {"type": action_type, "actions": [action_to_dict(part) for part in action.actions]}
    _, required, optional = _ACTIONS[action_type]
    return {"type": action_type, **{key: getattr(action, key) for key in (*required, *optional)}}
