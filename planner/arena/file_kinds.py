"""Every kind of file that people write: what a game brings, weight profiles, and experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from planner.arena.experiment import PAIRS
from planner.arena.experiment_file import (
    AGENT_FIELDS,
    AGENT_KINDS,
    AHEAD_FIELDS,
    FIELDS,
    OLD_GAUNTLET,
    OPTIONS,
    PLAIN,
    SPRT_FIELDS,
    load_experiment,
)
from planner.arena.schedule import schedule
from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlMapping, load_yaml
from planner.formats.json_schema import (
    TEXT,
    FileKind,
    Schema,
    any_of,
    enum_schema,
    list_schema,
    number_schema,
    object_schema,
    schema_of,
)
from planner.game import AnyGame
from planner.games import DEFAULT, game, game_names
from planner.planning.plan import AHEAD_COUNTS
from planner.planning.profile_file import profile_kind

_NAMED: Final[Schema] = {**TEXT, "maxLength": 60}  # which signs, the reader says: patterns know few letters


def kinds_of(of: AnyGame) -> list[FileKind]:
    """The kinds of files of this game."""
    profiles = [profile_kind(of.profiles)] if of.profiles is not None else []
    return [*of.files(), *profiles, experiment_kind(of)]


def find_kind(path: Path, of: AnyGame, name: str = "") -> FileKind:
    """What kind of file this is, of this game before others: from what is in it, or the kind of this name."""
    document = load_yaml(path)
    here = kinds_of(of)
    if name:
        return named_kind(of, name)
    others = [kind for other in game_names() if other != of.name for kind in kinds_of(game(other))]
    found = max([*here, *others], key=lambda kind: kind.similarity(document))  # the first of equals
    if found.similarity(document) <= 0:
        names = ", ".join(dict.fromkeys(kind.name for kind in (*here, *others)))
        raise PlannerError(f"{path}: looks like none of {names}; --kind says what it is meant to be")
    return found


def named_kind(of: AnyGame, name: str) -> FileKind:
    """The kind of this name."""
    known = {kind.name: kind for kind in kinds_of(of)}
    if name not in known:
        hint = did_you_mean(name, known) or f"; {of.name} has {', '.join(known)}"
        raise PlannerError(f"{quote(name)} is not a kind of file{hint}")
    return known[name]


def experiment_kind(of: AnyGame) -> FileKind:
    """Experiments of this game."""
    return FileKind("experiment", of.name, lambda: experiment_schema(of), lambda path, _rules: _told(path, of))


def _told(path: Path, of: AnyGame) -> list[str]:
    document = load_yaml(path)
    named = document.get("game", DEFAULT) if isinstance(document, YamlMapping) else DEFAULT
    if isinstance(named, str) and ":" in named and named != of.name:  # reading would run what a stranger names
        raise PlannerError(f"{path}: game: {quote(named)} is a program; if you trust it, name it with --game")
    found = load_experiment(path)
    games = len(schedule(found))
    setups = f"{len(found.setups)} setup{'s' * (len(found.setups) > 1)}"
    return [f"{len(found.agents)} agents ({', '.join(found.names)}), {setups}, {games:,} games of {found.game}"]


def experiment_schema(of: AnyGame) -> Schema:
    """The schema of an experiment, from the tables of its reader and what the game says of its own fields."""
    options = {key: schema_of(read) for key, read in OPTIONS.items()}
    counts = {key: schema_of(AHEAD_COUNTS[key]) for key in AHEAD_FIELDS[:2]}
    own = {"name": _NAMED, "ahead": object_schema({**counts, "reply": TEXT})}
    agent = object_schema({key: options.get(key, TEXT) for key in AGENT_FIELDS} | own)
    one_kind = {"oneOf": [{"required": [kind]} for kind in AGENT_KINDS]}
    sprt = object_schema(dict.fromkeys(SPRT_FIELDS, number_schema()), SPRT_FIELDS[:2])
    special: dict[str, Schema] = {
        "name": _NAMED,
        "pairs": enum_schema((*PAIRS, OLD_GAUNTLET)),
        "description": {},
        "game": {"const": of.name},
        "cards": any_of(TEXT, list_schema(TEXT)),
        "agents": list_schema(any_of(TEXT, {**agent, **one_kind}), 1),
        "sprt": any_of({"type": "null"}, sprt),
    }
    plain = {key: special[key] if key in special else schema_of(PLAIN[key]) for key in (*FIELDS, *OPTIONS)}
    # A game's first field is what its matches start from; nothing is played without.
    needed = ["agents", "games", *of.setup_fields[:1], *([] if of.name == DEFAULT else ["game"])]
    return object_schema({**plain, **of.setup_schema()}, needed)
