"""Actions and setups as JSON. Cards are named; a hidden card is `?`."""

from __future__ import annotations

import shlex
from functools import partial
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.json_records import JsonField, JsonKind, JsonRecord
from planner.formats.values import as_list, at, integer, one_of, text
from planner.games.deckbuilder.amounts import known_word
from planner.games.deckbuilder.definition import Definition
from planner.games.deckbuilder.effects import ZONES
from planner.games.deckbuilder.table_state import Action, Setup

UNKNOWN: Final = "?"
ANYTHING: Final = JsonKind(lambda value: value, {})
_ACTION: Final = JsonRecord(
    {
        "type": JsonField(partial(one_of, choices=("play", "buy", "use", "choose", "done", "yes", "no", "end"))),
        "card": JsonField(ANYTHING, None),
        "from": JsonField(partial(one_of, choices=ZONES), "hand"),
        "option": JsonField(text, None),
    }
)


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
    number = partial(integer, minimum=definition.players[0], maximum=definition.players[-1])
    fields = {"players": JsonField(number, definition.players[0]), "kingdom": JsonField(ANYTHING, None)}
    with at("setup"):
        values = JsonRecord(fields).read(data)
    return make_setup(definition, values["players"], values["kingdom"])


def make_setup(definition: Definition, players: int, kingdom: Any = None) -> Setup:
    """Return a setup with a set of this name, with these piles, or with the first set of the game."""
    sets, count = definition.kingdom.sets, definition.kingdom.count
    known = [pile.name for pile in definition.kingdom.piles]
    if kingdom is None or kingdom in ("", [], ()):
        kingdom = next(iter(sets), known[:count])
    with at("kingdom"):
        if isinstance(kingdom, str):
            if not known:
                raise PlannerError(f"{definition.title} has no piles to choose, got {quote(kingdom)}")
            if kingdom not in sets:
                hint = did_you_mean(kingdom, sets) or f"; known sets: {', '.join(sets) or 'none'}"
                raise PlannerError(f"{quote(kingdom)} is not a set of {definition.title}{hint}")
            return Setup(players, kingdom, tuple(sorted(sets[kingdom], key=known.index)))
        piles = {known_word(pile, known, "unknown pile") for pile in as_list(kingdom)}
        if not len(piles) == len(kingdom) == count:
            raise PlannerError(f"a match has {count} different piles, got {len(piles)} of {len(kingdom)}")
    return Setup(players, "", tuple(sorted(piles, key=known.index)))


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
    with at(place):
        entry = _ACTION.read(data)
        kind, card = entry["type"], entry["card"]
        if kind == "choose" and entry["option"] is not None:
            return Action(kind, entry["option"], "options")
        if kind not in ("play", "buy", "use", "choose"):
            return Action(kind)
        if card != UNKNOWN:
            with at("card"):
                known_word(card, definition.ids, "unknown card")
        return Action(kind, card, entry["from"] if kind == "choose" else "")


def action_to_text(action: Action) -> str:
    """Return the action as one line, such as `choose Copper discard`; names with blanks are quoted."""
    return shlex.join(part for part in action if part)


def action_from_text(definition: Definition, line: str) -> Action:
    """Read the line that `action_to_text` writes."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise PlannerError(f"action: {quote(line)}: {error}") from None
    if not words or len(words) > 3:
        raise PlannerError(f"action: must be such as 'play Smithy', got {quote(line)}")
    data: dict[str, str] = {"type": words[0]}
    if words[2:] == ["options"]:
        data["option"] = words[1]
    else:
        data.update(zip(("card", "from"), words[1:], strict=False))
    return action_from_json(definition, data)
