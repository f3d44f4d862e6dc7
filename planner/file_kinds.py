"""The kinds of files that users write, for every game: its own kinds, profiles, experiments, searches and states."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from planner.arena.tournament.experiment_file import experiment_kind
from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.all_problems import read_all
from planner.formats.documents import load_yaml, parse_json, read_text
from planner.formats.json_schema import FileKind
from planner.game import AnyGame
from planner.games import DEFAULT, game_names
from planner.games import game as game_by_name
from planner.match_options import read_states
from planner.planning.capabilities import PlansTurns
from planner.planning.profiles import profile_kind
from planner.tuning.tuning_task import tuning_kind

LINES_OF_STATES: Final = ".txt"  # a state in each line, as `planner plan` and tournaments read it


def file_kinds(game: AnyGame) -> list[FileKind]:
    """Return the kinds of files that users write for this game."""
    kinds = [*game.files()]
    if isinstance(game, PlansTurns):
        kinds += [profile_kind(game.profiles)]
    # A search is an experiment with one more section: it comes first, so that a file with a mistake is recognised.
    return [*kinds, tuning_kind(game), experiment_kind(game), state_kind(game)]


def find_kind(path: Path, game: AnyGame, name: str = "") -> FileKind:
    """Return the kind of a file, from its content or by `name`; this game's kinds come before those of others."""
    if name or path.suffix == LINES_OF_STATES:
        return named_kind(game, name or "state")
    document = _load(path)
    if document is None:
        raise PlannerError(f"{path}: is empty")
    others = [kind for other in game_names() if other != game.name for kind in file_kinds(game_by_name(other))]
    kinds = [*file_kinds(game), *others]
    most_similar = max(kinds, key=lambda kind: kind.similarity(document))  # the first of equally similar kinds
    if most_similar.similarity(document) <= 0:
        names = ", ".join(dict.fromkeys(kind.name for kind in kinds))
        raise PlannerError(f"{path}: is not similar to any of {names}; name its kind with --kind")
    return most_similar


def named_kind(game: AnyGame, name: str) -> FileKind:
    """Return the kind with this name."""
    known = {kind.name: kind for kind in file_kinds(game)}
    if name not in known:
        hint = did_you_mean(name, known) or f"; {game.name} has {', '.join(known)}"
        raise PlannerError(f"{quote(name)} is not a kind of file{hint}")
    return known[name]


def state_kind(game: AnyGame) -> FileKind:
    """Return the kind of file that holds a state of this game, as `planner plan` reads it."""

    def schema() -> dict[str, Any]:
        described = game.state_schema()
        properties = {**described.get("properties", {}), "game": {"const": game.name}}
        required = {*described.get("required", ()), *(["game"] if game.name != DEFAULT else [])}
        return {**described, "type": "object", "properties": properties, "required": sorted(required)}

    def read(path: Path, _rules: str) -> list[str]:
        if path.suffix == LINES_OF_STATES:
            states = [game.state_to_text(state) for state in read_states(game, path).values()]
            return states if len(states) == 1 else [f"{len(states)} states"]

        def state_of(document: Any) -> Any:
            fields = document if not isinstance(document, dict) else {k: document[k] for k in document if k != "game"}
            return game.state_from_json(fields)

        state = read_all(state_of, _load(path), path, "state")
        return [game.state_to_text(state)]

    return FileKind("state", game.name, schema, read)


def _load(path: Path) -> Any:
    """Return the data of a YAML or JSON file, with line numbers."""
    if path.suffix == ".json":
        parse_json(read_text(path), str(path))  # for its errors, which name line and column
    return load_yaml(path)
