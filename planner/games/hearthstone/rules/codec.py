"""The JSON form of states and actions, read and written. docs/reference/state.md describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import parse_json, read_text
from planner.formats.values import missing_field
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.catalogue import LARGEST, Catalogue
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.codec_fields import (
    STATE_FIELDS,
    Entry,
    any_id,
    check_fields,
    check_list,
    check_object,
    flag,
    number,
    text,
    without_card,
)
from planner.games.hearthstone.rules.codec_read import Reader
from planner.games.hearthstone.rules.codec_write import Writer
from planner.games.hearthstone.rules.ruleset import Ruleset, problem_of, ruleset_names
from planner.games.hearthstone.rules.state import GameState, Minion, is_over
from planner.games.hearthstone.rules.table import Table

# type: (the action, the fields that name something, the fields that may)
_ACTIONS: Final[dict[str, tuple[type[Any], tuple[str, ...], tuple[str, ...]]]] = {
    "play": (Play, ("card",), ("target",)),
    "attack": (Attack, ("attacker", "target"), ()),
    "hero_power": (HeroPower, (), ("target",)),
    "trade": (Trade, ("card",), ()),
    "end_turn": (EndTurn, (), ()),
    "mulligan": (Mulligan, ("cards",), ()),  # the one field that is a list of names
}
_TYPES: Final = {action: kind for kind, (action, _, _) in _ACTIONS.items()}


# -- states


def state_from_dict(mapping: Mapping[str, Any], cards: Catalogue | None = None) -> GameState:
    """The state that the JSON form describes; one that breaks the rules is refused with the place and the value."""
    try:
        return _state(check_object(mapping, "state"), catalogue.standard() if cards is None else cards)
    except RecursionError:
        raise PlannerError("state: nested too deeply") from None


def _state(entry: Entry, cards: Catalogue) -> GameState:
    check_fields(entry, STATE_FIELDS, "")
    rules = read_ruleset(entry["ruleset"]) if "ruleset" in entry else rulesets()["standard"]
    reader = Reader(cards, rules, flag(entry, "finished", ""))
    if "cards" in entry:
        reader.define(check_list(entry, "cards", ""))
    # Only rules that start beyond the limit allow more mana than the limit.
    mana = number(entry, "mana", None, "", most=max(rules.mana_limit, rules.mana_start))
    me = reader.player(entry, "me", mana, min(mana, rules.mana_limit))
    enemy = reader.player(entry, "enemy", 0, me.crystals)
    last = max([minion.entered for minion in me.board + enemy.board], default=0)
    state = GameState(
        me,
        enemy,
        rules,
        turn=number(entry, "turn", 1, ""),
        seat=number(entry, "seat", 0, "", most=1),
        clock=max(number(entry, "clock", last, ""), reader.clock),
        cause=text(entry, "cause", "", ""),
    )
    if reader.finished != is_over(state):
        if reader.finished:
            raise PlannerError("finished: true, but both heroes are alive and the turn limit is not passed")
        raise PlannerError(f"turn: {state.turn} is past the limit of {rules.turn_limit}, and finished is not true")
    if any(minion.card.aura for minion in me.board + enemy.board):
        return _under_auras(state, reader)
    return state


def _under_auras(state: GameState, reader: Reader) -> GameState:
    """A caller gives the numbers that a player sees, with auras; what is as printed gets them here."""
    table = Table(state, None)
    table.refresh_auras()

    def seen(before: Minion, after: Minion) -> Minion:
        entry = reader.minions[before.id]
        if "aura_attack" in entry or "aura_health" in entry:
            return before  # the caller knows better
        if before.id in reader.made_up_minions:  # all its numbers are what a player sees
            seen_numbers = before._replace(aura_attack=after.aura_attack, aura_health=after.aura_health)
            return without_card(seen_numbers)
        if "attack" in entry:
            after = after._replace(attack=before.attack)
        if "health" in entry:
            after = after._replace(health=before.health)
        if "max_health" in entry:
            after = after._replace(max_health=before.max_health)
        elif "health" in entry:
            after = after._replace(max_health=max(before.health, after.card.health + after.aura_health))
        return after

    me, enemy = (
        player._replace(board=tuple(seen(*both) for both in zip(player.board, side.board, strict=True)))
        for player, side in ((state.me, table.sides[0]), (state.enemy, table.sides[1]))
    )
    return state._replace(me=me, enemy=enemy)


@cache
def rulesets() -> dict[str, Ruleset]:
    """The rulesets that come with the project, by name."""
    return {name: Ruleset.of(name) for name in ruleset_names()}


def read_ruleset(entry: object) -> Ruleset:
    """A ruleset of ours by name, or what differs from `standard`. Never a path: a state opens no files."""
    known = rulesets()
    if isinstance(entry, str):
        if entry not in known:
            raise PlannerError(f"ruleset: {quote(entry)} is not a ruleset{did_you_mean(entry, known)}")
        return known[entry]
    given = check_object(entry, "ruleset")
    names = [field.name for field in fields(Ruleset)]
    check_fields(given, frozenset(names), "ruleset")
    values: dict[str, Any] = {name: getattr(known["standard"], name) for name in names}
    for key, value in given.items():
        values[key] = tuple(value) if isinstance(value, list) else value
        if key != "name":
            parts = value if isinstance(value, list) else [value]
            if any(isinstance(part, int) and part > LARGEST for part in parts):
                raise PlannerError(f"ruleset.{key}: {quote(value)} is not a whole number of at most {LARGEST}")
            problem = problem_of(key, values[key])
            if problem is not None:
                raise PlannerError(f"ruleset.{key}: {problem}")
    values["name"] = text(given, "name", "custom", "ruleset")
    return Ruleset(**values)


def state_to_dict(state: GameState, cards: Catalogue | None = None) -> dict[str, Any]:
    """The state in JSON form: what every caller wants to see, and all that differs from the defaults.

    Reading it back with the same catalogue gives an equal state.
    """
    return write_state(state, catalogue.standard() if cards is None else cards, full=True)


def write_state(state: GameState, cards: Catalogue, full: bool) -> dict[str, Any]:
    """The JSON form; not `full`: without ids and numbers that are the defaults."""
    writer = Writer(state, cards, full)
    out: dict[str, Any] = {"mana": state.me.mana}
    crystals = min(state.me.mana, state.rules.mana_limit)
    out["me"] = writer.player(state.me, "me", crystals)
    out["enemy"] = writer.player(state.enemy, "enemy", state.me.crystals)
    last = max([minion.entered for minion in state.me.board + state.enemy.board], default=0)
    for key, value, default in (
        ("turn", state.turn, 1),
        ("seat", state.seat, 0),
        ("clock", state.clock, last),
        ("cause", state.cause, ""),
        ("finished", is_over(state), False),
    ):
        if value != default:
            out[key] = value
    if state.rules != rulesets()["standard"]:
        out["ruleset"] = _ruleset_to_dict(state.rules)
    if definitions := writer.definitions():
        out["cards"] = definitions
    return out


def _ruleset_to_dict(rules: Ruleset) -> str | dict[str, Any]:
    known = rulesets()
    if known.get(rules.name) == rules:
        return rules.name
    out: dict[str, Any] = {"name": rules.name}
    for field in fields(Ruleset):
        value = getattr(rules, field.name)
        if value != getattr(known["standard"], field.name):
            out[field.name] = list(value) if isinstance(value, tuple) else value
    return out


def load_state(path: Path, cards: Catalogue | None = None) -> GameState:
    """The state in a JSON file."""
    document = parse_json(read_text(path), str(path))
    try:
        return state_from_dict(document, cards)
    except PlannerError as error:
        raise PlannerError(f"{path}: {error}") from None


# -- actions


def action_from_dict(mapping: Mapping[str, Any], place: str = "action") -> Action:
    """The action that the JSON form describes; `place` is how a refusal calls it."""
    entry = check_object(mapping, place)
    if "type" not in entry:
        raise missing_field("type", place)
    kind = entry["type"]
    if not isinstance(kind, str) or kind not in _ACTIONS:
        raise PlannerError(f"{place}.type: {quote(kind)} is not a type of action{did_you_mean(str(kind), _ACTIONS)}")
    action, needs, may = _ACTIONS[kind]
    check_fields(entry, frozenset(("type", *needs, *may)), place)
    names: dict[str, str] = {}
    for key in needs:
        if key not in entry:
            raise missing_field(key, place)
        if action is Mulligan:
            return Mulligan(_ids(entry, key, place))
        names[key] = any_id(entry, key, place)
    for key in may:
        if entry.get(key) is not None:
            names[key] = any_id(entry, key, place)
    made: Action = action(**names)
    return made


def _ids(entry: Entry, key: str, place: str) -> tuple[str, ...]:
    given = check_list(entry, key, place)
    return tuple(any_id({f"{key}[{number}]": one}, f"{key}[{number}]", place) for number, one in enumerate(given))


def action_to_dict(action: Action) -> dict[str, Any]:
    """The action in JSON form."""
    kind = _TYPES[type(action)]
    if isinstance(action, Mulligan):
        return {"type": kind, "cards": list(action.cards)}
    _, needs, may = _ACTIONS[kind]
    return {"type": kind, **{key: getattr(action, key) for key in (*needs, *may)}}
