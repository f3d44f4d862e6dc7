"""Actions and setups as JSON. Cards are named; a hidden card is `?`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.values import as_list, as_mapping, first_unknown_key, integer, read_field, unknown_field
from planner.games.deckbuilder.definition import Definition
from planner.games.deckbuilder.effects import ZONES
from planner.games.deckbuilder.table_state import Action, Setup

UNKNOWN: Final = "?"
ACTION_TYPES: Final = ("play", "buy", "use", "choose", "done", "yes", "no", "end")


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
