"""States, actions and setups as JSON. Cards are named; a hidden card is `?`. `state_reader` reads states."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.json_schema import Schema, integer_schema, list_schema, object_schema
from planner.formats.values import as_list, as_mapping, first_unknown_key, integer, read_field, unknown_field
from planner.games.deckbuilder.definition import Definition
from planner.games.deckbuilder.effects import ZONES
from planner.games.deckbuilder.table_state import EMPTY, ZONE_BASE, Action, Decision, Frame, Setup, State

UNKNOWN: Final = "?"
ACTION_TYPES: Final = ("play", "buy", "use", "choose", "done", "yes", "no", "end")
CARD_ZONES: Final = (
    "hand", "deck", "top", "discard", "unseen", "played", "in_play", "looked", "revealed", "aside", "pool",
)  # fmt: skip
STATE_FIELDS: Final = (
    "game", "setup", "players", "supply", "centre", "trash", "stats", "active", "turn", "phase", "bought", "used",
    "reserve", "frames", "prompt", "listeners", "memory", "ended", "pool",
)  # fmt: skip
MAX_NUMBER: Final = 1_000_000  # in a state


# -- setups


def setup_to_json(setup: Setup) -> dict[str, Any]:
    """Return the setup as JSON values."""
    data: dict[str, Any] = {"players": setup.players}
    if setup.name:
        data["kingdom"] = setup.name
    elif setup.piles:
        data["kingdom"] = list(setup.piles)
    return data


def setup_from_json(definition: Definition, data: Any) -> Setup:
    """Read a setup: `players`, and `kingdom` as the name of a set or a list of piles."""
    entry = as_mapping(data)
    if (unknown := first_unknown_key(entry, ("players", "kingdom"))) is not None:
        raise PlannerError(f"setup: {unknown_field(unknown, ('players', 'kingdom'))}")
    players = definition.players[0]
    if "players" in entry:
        players = read_field(
            entry, "players", lambda value: integer(value, definition.players[0], definition.players[-1]), "setup"
        )
    kingdom = entry.get("kingdom")
    if kingdom is None:
        return make_setup(definition, players)
    if isinstance(kingdom, str):
        return make_setup(definition, players, kingdom)
    return make_setup(definition, players, "", tuple(as_list(kingdom)))


def make_setup(definition: Definition, players: int, name: str = "", piles: Sequence[Any] = ()) -> Setup:
    """Return a setup with a named set, with these piles, or with the first set of the game."""
    known = [pile.name for pile in definition.kingdom.piles]
    if name:
        if not definition.kingdom.piles:
            raise PlannerError(f"kingdom: {definition.title} has no piles to choose, got {quote(name)}")
        if name not in definition.kingdom.sets:
            hint = (
                did_you_mean(name, definition.kingdom.sets)
                or f"; known sets: {', '.join(definition.kingdom.sets) or 'none'}"
            )
            raise PlannerError(f"kingdom: {quote(name)} is not a set of {definition.title}{hint}")
        return Setup(players, name, tuple(sorted(definition.kingdom.sets[name], key=known.index)))
    if piles:
        for pile in piles:
            if pile not in known:
                raise PlannerError(f"kingdom: unknown pile {quote(pile)}{did_you_mean(pile, known)}")
        if len(piles) != definition.kingdom.count or len(set(piles)) != len(piles):
            raise PlannerError(
                f"kingdom: a match has {definition.kingdom.count} different piles, "
                f"got {len(set(piles))} of {len(piles)}"
            )
        return Setup(players, "", tuple(sorted(piles, key=known.index)))
    if definition.kingdom.sets:
        return make_setup(definition, players, next(iter(definition.kingdom.sets)))
    return Setup(players, "", tuple(known[: definition.kingdom.count]))


def random_setup(definition: Definition, players: int, rng: Random) -> Setup:
    """Return a setup with a random choice of piles."""
    known = [pile.name for pile in definition.kingdom.piles]
    chosen = set(rng.sample(known, definition.kingdom.count))
    return Setup(players, "", tuple(name for name in known if name in chosen))


# -- actions


def action_to_json(action: Action) -> dict[str, Any]:
    """Return the action as JSON values."""
    data = {"type": action.type}
    if action.zone == "options":
        data["option"] = action.card
    elif action.card:
        data["card"] = action.card
        if action.zone:
            data["from"] = action.zone
    return data


def action_from_json(definition: Definition, data: Any, place: str = "action") -> Action:
    """Read an action; errors begin with `place`."""
    if not isinstance(data, Mapping):
        raise PlannerError(f"{place}: must be an object, got {quote(data)}")
    if (unknown := first_unknown_key(data, ("type", "card", "from", "option"))) is not None:
        raise PlannerError(f"{place}: {unknown_field(unknown, ('type', 'card', 'from', 'option'))}")
    kind = data.get("type")
    if kind not in ACTION_TYPES:
        raise PlannerError(f"{place}.type: must be one of {', '.join(ACTION_TYPES)}; got {quote(kind)}")
    if kind == "choose" and "option" in data:
        option = data["option"]
        if not isinstance(option, str) or not option:
            raise PlannerError(f"{place}.option: must be a text, got {quote(option)}")
        return Action(kind, option, "options")
    if kind not in ("play", "buy", "use", "choose"):
        return Action(kind)
    card = data.get("card")
    if not isinstance(card, str) or (card != UNKNOWN and card not in definition.ids):
        raise PlannerError(f"{place}.card: unknown card {quote(card)}{did_you_mean(card, definition.ids)}")
    if kind != "choose":
        return Action(kind, str(card))
    zone = data.get("from", "hand")
    if zone not in ZONES:
        raise PlannerError(f"{place}.from: must be one of {', '.join(ZONES)}; got {quote(zone)}")
    return Action(kind, str(card), zone)


def action_to_text(action: Action) -> str:
    """Return the action as one line, such as `choose Copper discard`; names with blanks are quoted."""
    return shlex.join(part for part in action if part)


def action_from_text(definition: Definition, text: str) -> Action:
    """Read the line that `action_to_text` writes."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise PlannerError(f"action: {quote(text)}: {error}") from None
    if not words or len(words) > 3:
        raise PlannerError(f"action: must be such as 'play Smithy', got {quote(text)}")
    data: dict[str, str] = {"type": words[0]}
    if words[2:] == ["options"]:
        data["option"] = words[1]
    else:
        data.update(zip(("card", "from"), words[1:], strict=False))
    return action_from_json(definition, data)


# -- states


def state_to_json(name: str, state: State) -> dict[str, Any]:
    """Return the complete state as JSON values; fields that are empty are omitted."""
    definition = state.match.definition
    names = [card.name for card in definition.cards]

    def cards(zone: Sequence[int]) -> list[str]:
        return [names[card] if card >= 0 else UNKNOWN for card in zone]

    players = []
    for player in state.players:
        entry: dict[str, Any] = {zone: cards(getattr(player, zone)) for zone in CARD_ZONES if getattr(player, zone)}
        if player.top:
            entry["top_seen"] = list(player.top_seen)
        entry |= {"points": player.points, "health": player.health, "turns": player.turns}
        players.append(entry | ({"mixed": True} if player.mixed else {}))
    supply = []
    piles = state.match.piles
    for slot, (top, left, below) in enumerate(zip(state.tops, state.left, state.below, strict=True)):
        pile: dict[str, Any] = {"pile": piles[slot].name if slot < len(piles) else "row"}
        pile |= {"card": names[top] if top != EMPTY else None, "left": left}
        supply.append(pile | ({"below": cards(below)} if below else {}))
    data: dict[str, Any] = {
        "game": name,
        "setup": setup_to_json(state.match.setup),
        "players": players,
        "supply": supply,
        "trash": cards(state.trash),
        "stats": dict(zip(definition.stats, state.stats, strict=True)),
        "active": state.active,
        "turn": state.turn,
        "phase": definition.phases[state.phase] if state.phase < len(definition.phases) else "clear",
    }
    more: dict[str, Any] = {
        "centre": cards(state.centre),
        "bought": state.bought,
        "used": cards(state.used),
        "reserve": state.reserve,
        "frames": [_frame_to_json(frame, names) for frame in state.frames],
        "prompt": _prompt_to_json(state.prompt, names) if state.prompt is not None else None,
        "listeners": [
            {**listener._asdict(), "source": names[listener.source] if listener.source >= 0 else ""}
            for listener in state.listeners
        ],
        "memory": dict(state.memory),
        "ended": state.ended,
        "pool": cards(state.pool),
    }
    return data | {key: value for key, value in more.items() if value}


def _frame_to_json(frame: Frame, names: Sequence[str]) -> dict[str, Any]:
    data = frame._asdict()
    data["source"] = names[frame.source] if frame.source >= 0 else ""
    data["chosen"] = list(frame.chosen)
    return data


def _prompt_to_json(prompt: Decision, names: Sequence[str]) -> dict[str, Any]:
    def codes(values: Sequence[int]) -> list[Any]:
        if prompt.kind != "cards":
            return list(values)
        return [[ZONES[code // ZONE_BASE], names[code % ZONE_BASE]] if code >= 0 else UNKNOWN for code in values]

    data: dict[str, Any] = {"seat": prompt.seat, "kind": prompt.kind, "low": prompt.low, "high": prompt.high}
    more = {
        "options": codes(prompt.options),
        "picked": codes(prompt.picked),
        "labels": list(prompt.labels),
        "message": prompt.message,
    }
    return data | {key: value for key, value in more.items() if value}


def state_schema(definition: Definition) -> Schema:
    """Return the JSON schema of a state."""
    card: Schema = {"enum": [UNKNOWN, *(card.name for card in definition.cards)]}
    cards, number = list_schema(card), integer_schema(0, MAX_NUMBER)
    player = object_schema(
        dict.fromkeys(CARD_ZONES, cards)
        | {
            "top_seen": list_schema(number),
            "points": integer_schema(-MAX_NUMBER, MAX_NUMBER),
            "health": number,
            "turns": number,
        }
        | {"mixed": {"type": "boolean"}}
    )
    anything: Schema = {}
    properties = dict.fromkeys(STATE_FIELDS, anything) | {"players": list_schema(player, 1), "trash": cards}
    return object_schema(properties, ("players",))
