"""The files that designers of deck-building games write, for `planner check` and `planner schema`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from planner.formats.json_schema import BOOLEAN, TEXT, FileKind, Schema, any_of, enum_schema, list_schema, object_schema
from planner.formats.values import ErrorCollector
from planner.games.deckbuilder.amounts import MAX_NUMBER
from planner.games.deckbuilder.definition import EVENTS, Definition
from planner.games.deckbuilder.definition_reader import (
    ABILITY_FIELDS,
    CARD_FIELDS,
    CENTRE_FIELDS,
    COUNT_FIELDS,
    END_FIELDS,
    EXTRA_FIELDS,
    GAME_FIELDS,
    KINGDOM_FIELDS,
    LIBRARY,
    PILE_FIELDS,
    REQUIRED_FIELDS,
    definition_file,
    load_definition,
    read_definition,
)
from planner.games.deckbuilder.effects import (
    CHOOSE_FIELDS,
    DESTINATIONS,
    FILTER_FIELDS,
    GAIN_FIELDS,
    GAIN_SOURCES,
    MODIFIERS,
    MOVE_FIELDS,
    NUMBER_WORDS,
    STEP_WORDS,
    TOP_FIELDS,
    TRIGGER_FIELDS,
    ZONES,
)
from planner.games.deckbuilder.functions import check_functions
from planner.games.deckbuilder.menu_bots import menu_files, menu_schema, read_menu

FAMILY: Final = "deckbuilder"  # the kind of a definition does not belong to one of the games
_NUMBER: Final[Schema] = {"type": "integer", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER}
_AMOUNT: Final = any_of(_NUMBER, TEXT)
_WORDS: Final = any_of(TEXT, list_schema(TEXT))
_ANYTHING: Final[Schema] = {}


def file_kinds(definition: Definition) -> Sequence[FileKind]:
    """Return the kinds of files: a game, and a bot of this game or of the one in whose folder it is."""

    def read_bot(path: Path, _rules: str) -> Sequence[str]:
        menu = read_menu(path, _definition_of(path, definition))
        return [f"{len(menu.buy)} lines to buy, {len(menu.trash)} to trash"]

    return (
        FileKind("game", FAMILY, game_schema, describe_game),
        FileKind("bot", FAMILY, menu_schema, read_bot),
    )


def _definition_of(bot: Path, default: Definition) -> Definition:
    """Return the game of a bot: a user's own one that was named, or the one to whose folder `bots` the file belongs."""
    folder = bot.resolve().parent
    if not default.path.is_relative_to(LIBRARY):
        return default
    if folder.name == "bots" and any(folder.parent.glob("*.yaml")):
        return load_definition(definition_file(folder.parent))
    return default


def describe_game(path: Path, _rules: str = "") -> Sequence[str]:
    """Read a game with its bots, import its functions, and return a summary."""
    definition = read_definition(path)
    errors = ErrorCollector()
    bots = menu_files(path.parent)
    for bot in bots.values():
        with errors:
            read_menu(bot, definition)
    with errors:
        check_functions(definition)
    errors.raise_if_any()
    piles = f"{len(definition.piles)} piles"
    if definition.choices:
        piles += f" and {definition.chosen_piles} of {len(definition.choices)} more"
    lines = [f"{definition.title}: {definition.players_text}, {len(definition.cards)} cards, {piles}"]
    if definition.function_names:
        lines.append(f"functions: {', '.join(definition.function_names)}")
    if bots:
        lines.append(f"bots: {', '.join(bots)}")
    return [*lines, *_warnings(definition)]


def _warnings(definition: Definition) -> list[str]:
    """Return what is allowed but hardly intended."""
    used = {card for pile in (*definition.piles, *definition.choices) for card, _ in pile.cards}
    used |= {card for card, _ in definition.centre.cards} if definition.centre is not None else set()
    used |= set(definition.starting_deck)
    unused = [card.name for index, card in enumerate(definition.cards) if index not in used]
    found = [f"warning: no pile and no deck has the card {name}" for name in unused]
    if not definition.ends and not definition.reserve and definition.victory == "points":
        found.append(f"warning: without `ends`, a match lasts {definition.turn_limit} rounds")
    return found


# -- schemas


def _fields(names: Sequence[str], **known: Schema) -> dict[str, Schema]:
    return {name: known.get(name, _ANYTHING) for name in names}


def game_schema() -> Schema:
    """Return the JSON schema of a game. Steps refer to each other, so they are definitions of the schema."""
    steps: Schema = {"$ref": "#/$defs/steps"}
    filters = {
        "type": _WORDS, "faction": _WORDS, "card": _WORDS, "not": _WORDS, "currency": TEXT, "up_to": _AMOUNT,
        "cost": _AMOUNT,
    }  # fmt: skip
    assert list(filters) == list(FILTER_FIELDS)
    places = enum_schema(list(DESTINATIONS))
    zones = any_of(enum_schema(ZONES), list_schema(enum_schema(ZONES)))
    bounds = any_of(_NUMBER, TEXT, list_schema(_AMOUNT, 2))
    trigger = object_schema(
        _fields(TRIGGER_FIELDS, event=enum_schema(list(EVENTS)), do=steps, once=BOOLEAN, anyone=BOOLEAN, **filters),
        ("event", "do"),
    )
    words: dict[str, Schema] = {
        "trash": bounds,
        "discard": bounds,
        "gain": any_of(
            _AMOUNT,
            object_schema(_fields(GAIN_FIELDS, **{"from": enum_schema(GAIN_SOURCES)}, to=places, **filters)),
        ),
        "choose": object_schema(
            _fields(CHOOSE_FIELDS, **{"from": zones}, count=bounds, do=places, ordered=BOOLEAN, **filters)
        ),
        "top": object_schema(_fields(TOP_FIELDS, count=_AMOUNT, to=places)),
        "move": object_schema(_fields(MOVE_FIELDS, **{"from": enum_schema(ZONES)}, to=places, **filters)),
        "this": places,
        "if": TEXT,
        "may": TEXT,
        "choose_one": {"type": "object", "additionalProperties": steps, "minProperties": 2},
        "when": trigger,
        "call": TEXT,
        "run": TEXT,
        "seize": TEXT,
        **dict.fromkeys(("each_opponent", "each_player", "attack", "attack_all", "repeat"), steps),
    }
    described = {word: words[word] | {"description": meaning} for word, meaning in STEP_WORDS.items()}
    modifiers = {key: TEXT if key == "until" else steps for keys in MODIFIERS.values() for key in keys}
    numbers = {word: _AMOUNT | {"description": meaning} for word, meaning in NUMBER_WORDS.items()}
    step: Schema = {
        "type": "object",
        "properties": {**numbers, **described, **modifiers},
        "additionalProperties": _AMOUNT,  # the stats of the game
        "minProperties": 1,
    }
    ability = object_schema(_fields(ABILITY_FIELDS, **{"if": TEXT}, do=steps), ("do",))
    card = object_schema(
        _described(
            CARD_FIELDS,
            type=_WORDS, cost=_AMOUNT, currency=_WORDS, also=object_schema(_fields(EXTRA_FIELDS), EXTRA_FIELDS),
            faction=TEXT, points=_AMOUNT, effects=steps, on_gain=steps, ability=ability,
            on=any_of(trigger, list_schema(trigger)), kept=BOOLEAN, persistent=BOOLEAN, stops_attacks=BOOLEAN,
            text=TEXT,
        ),
        ("type",),
    )  # fmt: skip
    count = any_of(_NUMBER, {"type": "object", "additionalProperties": _NUMBER})
    counted: Schema = {"type": "object", "additionalProperties": count}
    pile = any_of(
        TEXT,
        object_schema(
            _described(
                PILE_FIELDS, name=TEXT, cards=any_of(TEXT, counted), count=count, shuffled=BOOLEAN, permanent=BOOLEAN,
                for_sale=BOOLEAN,
            ),
            ("cards",),
        ),
    )  # fmt: skip
    kingdom = object_schema(_fields(KINGDOM_FIELDS, count=_NUMBER, piles=list_schema(pile)), ("count", "piles"))
    centre = object_schema(_fields(CENTRE_FIELDS, cards=counted, row=_NUMBER, from_trash=BOOLEAN), ("cards", "row"))
    end = object_schema(
        _fields(END_FIELDS, empty=_WORDS, **{"if": TEXT}, reason=TEXT, at=enum_schema(("turn", "round")))
    )
    colour: Schema = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}}
    fields = _described(
        GAME_FIELDS,
        title=TEXT, players=any_of(_NUMBER, list_schema(_NUMBER, 2)), hand_size=_AMOUNT,
        first_hands=any_of(_NUMBER, list_schema(_NUMBER)), victory=enum_schema(("points", "health")), health=_NUMBER,
        ties=enum_schema(("shared", "fewer_turns", "later_seat")), turn_limit=_NUMBER, plays_before_buys=BOOLEAN,
        stats={"type": "object", "additionalProperties": _NUMBER}, currency=TEXT, phases=list_schema(TEXT, 2),
        plays={"type": "object", "additionalProperties": _WORDS}, starting_deck=counted, piles=list_schema(pile),
        kingdom=kingdom, centre=centre, reserve=count,
        counts={"type": "object", "additionalProperties": object_schema(_fields(COUNT_FIELDS, **filters))},
        effects={"type": "object", "additionalProperties": steps}, ends=list_schema(end), functions=TEXT,
        colours={"type": "object", "additionalProperties": colour},
        cards={"type": "object", "additionalProperties": card, "minProperties": 1},
    )  # fmt: skip
    return object_schema(fields, REQUIRED_FIELDS) | {"$defs": {"step": step, "steps": _one_or_more("step")}}


def _one_or_more(name: str) -> Schema:
    reference: Schema = {"$ref": f"#/$defs/{name}"}
    return any_of(reference, list_schema(reference))


def _described(meanings: Any, **schemas: Schema) -> dict[str, Schema]:
    """Return the schema of each field with its meaning; every field has one."""
    return {name: schemas[name] | {"description": meaning} for name, meaning in meanings.items()}
