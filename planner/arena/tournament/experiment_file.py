"""Read experiment files (YAML) and describe them as JSON schema.

Every error is one line with the file, the line number and the value.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

import yaml

from planner.agents.agent_spec import agent_spec
from planner.agents.language_model import LANGUAGE_MODEL, names_language_model, settings_file
from planner.agents.user_agents import COMMAND
from planner.arena.match.referee import TimeLimits
from planner.arena.tournament.experiment import MAX_GAMES, PAIRS, SWAPS, Entry, Experiment, SprtOptions
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import (
    YamlList,
    YamlMapping,
    is_file_name,
    load_yaml,
    parse_yaml,
    read_text,
    shipped_folder,
)
from planner.formats.json_schema import (
    TEXT,
    FileKind,
    Schema,
    any_of,
    enum_schema,
    list_schema,
    object_schema,
    schema_of,
)
from planner.formats.values import (
    ErrorCollector,
    Fields,
    as_list,
    boolean,
    first_unknown_key,
    integer,
    name,
    number,
    one_of,
    seconds,
    unknown_field,
)
from planner.game import AnyGame, HasCards, require
from planner.games import DEFAULT, is_own_game, load_game
from planner.match_options import (
    MAX_SCORE,
    MIN_SCORE,
    RESIGN_FIELDS,
    Adjudication,
    StartPosition,
    begin,
    max_turns,
    read_positions,
    read_resign,
)
from planner.planning.capabilities import PlansTurns
from planner.planning.plan import AHEAD_COUNTS, AheadOptions

# Planner options, of the whole file or of one agent.
OPTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "solver": name, "formulation": name, "time_limit": seconds, "effort": partial(integer, minimum=1),
}  # fmt: skip
FIELDS: Final = (
    "name", "description", "game", "cards", "agents", "games", "seed", "pairs", "swap", "move_time", "game_time",
    "start_time", "memory", "sprt", "open_decks", "audit", "positions", "max_turns", "resign",
)  # fmt: skip
AGENT_KINDS: Final = ("profile", "agent", "command")
AGENT_FIELDS: Final = ("name", *AGENT_KINDS, *OPTIONS, "ahead")
AHEAD_FIELDS: Final = ("k", "samples", "reply", "opponent")
_elo: Final = partial(number, minimum=-4000, maximum=4000)  # farther away scores are 0 and 1 in floating point
SPRT_FIELDS: Final[dict[str, Callable[[Any], Any]]] = {
    "elo0": _elo, "elo1": _elo, "alpha": number, "beta": number, "base": name,
}  # fmt: skip
OLD_GAUNTLET: Final = "cross"  # the value of `pairs` in old files
_TWO_SEATS_ONLY: Final = ("pairs", "swap", "sprt", "open_decks")
_NAME: Final = re.compile(r"\w[\w .:+@-]{0,59}")


def load_experiment(which: str | os.PathLike[str]) -> Experiment:
    """Load a shipped experiment by name, or a YAML file by path; `module:Class` agents are not imported yet."""
    path = Path(which)
    if not is_file_name(str(which)):
        files = shipped_folder("experiments").glob("*.yaml")
        known = sorted(file.stem for file in files if "\ntune:" not in file.read_text(encoding="utf-8"))
        if str(which) not in known:
            hint = did_you_mean(str(which), known) or f"; there are {', '.join(known)}"
            raise PlannerError(f"{str(which)!r} is not an experiment{hint} (or give a YAML file)")
        path = shipped_folder("experiments") / f"{which}.yaml"
    return read_experiment(read_text(path), path)


def experiment_of_words(
    agents: Sequence[str],
    setups: Sequence[str],
    games: int,
    seed: int | None,
    game_name: str,
    options: Mapping[str, Any],
) -> Experiment:
    """Return the experiment that the words of a command line describe, with the text of an equal file.

    `options` are further fields of the file; empty ones are omitted, and a mapping may be a string such as `{a: 1}`.
    """
    game = load_game(game_name, [os.getcwd()])
    if not setups and not options.get("positions") and (game_name == DEFAULT or game.setup_names()):
        raise PlannerError(f"--decks: is missing: the {game.setup_fields[0]} of {game_name}, separated by commas")
    document: dict[str, Any] = {"game": game_name} if game_name != DEFAULT else {}
    document |= {"agents": list(agents), "games": games, "seed": 1 if seed is None else seed}
    document |= {game.setup_fields[0]: list(setups)} if setups else {}
    for key, value in options.items():
        if value:
            is_mapping = isinstance(value, str) and value.startswith("{")
            document[key] = _parse_option(key, value) if is_mapping else value
    document |= {"pairs": "gauntlet"} if "sprt" in document else {}
    title = re.sub(r"[^\w.+@-]+", "_", "-".join(agents)).strip("_-.")[:60]
    return read_experiment(yaml.safe_dump(document, sort_keys=False), Path(f"{title}.yaml"))


def _parse_option(key: str, value: str) -> Any:
    """Return the YAML value of an option as plain data, which can be written to a file."""
    return json.loads(json.dumps(parse_yaml(value, Path(f"--{key.replace('_', '-')}")), default=str))


def read_experiment(text: str, path: Path) -> Experiment:
    """Read the experiment in this text as if it were the content of this file."""
    file = Fields.of_file(path, "an experiment", "with agents, games and what they play", text)
    if "tune" in file:
        raise file.error("tune: this file is a search for weights; run it with: planner tune", "tune")
    return read_entry(file, text)


def read_entry(file: Fields, text: str) -> Experiment:
    """Read the experiment in these fields of a file; its text goes into the manifest."""
    return _Reader(file, text).experiment()


class _Reader:
    """Reads one file: the game, the setups and the agents that it names."""

    def __init__(self, file: Fields, text: str) -> None:
        self.file, self.text = file, text
        self.folders = (str(file.path.resolve().parent), os.getcwd())
        self.game: AnyGame = file.read("game", lambda value: load_game(name(value), self.folders)) or load_game(DEFAULT)
        if "cards" in file and "cards" not in self.game.setup_fields and (files := self.card_files()):
            self.game = require(self.game, HasCards, "cards").with_cards(files)

    def experiment(self) -> Experiment:
        file, collector = self.file, ErrorCollector()
        values: dict[str, Any] = {}
        setups: list[Any] = []
        entries: tuple[Entry, ...] = ()
        seats = 2
        with collector:
            file.check_keys((*FIELDS, *OPTIONS, *self.game.setup_fields), ("agents", "games"))
        for key, read in PLAIN_FIELDS.items():
            with collector:
                values |= {key: file.read(key, read)} if key in file else {}
        sprt = collector.attempt(self.sprt, None)
        adjudication = Adjudication(values.pop("max_turns", None), values.pop("resign", None))
        for key in self.game.setup_fields if "positions" in file else ():
            with collector:
                if key in file:
                    raise file.error(f"{key}: remove it: the states in 'positions' have their own cards and rules", key)
        with collector:
            setups = self.positions() if "positions" in file else self.setups(values.get("swap", "seats"))
            seats = self.game.seats(begin(self.game, setups[0], Random(0)))
            with self.errors_at(file.entry.lines.get("resign")):
                adjudication.check(self.game, seats)
            for key in _TWO_SEATS_ONLY if seats == 1 else ():
                if key in file:
                    raise file.error(f"{key}: needs a game of at least two seats", key)
        if "agents" in file:
            entries = collector.attempt(lambda: self.agents(setups[0] if setups else None), ())
        collector.raise_if_any()
        limits = TimeLimits(
            values.pop("move_time", 60.0), values.pop("game_time", 600.0), values.pop("start_time", None)
        )
        options = {key: value for key, value in values.items() if key not in ("name", *OPTIONS)}
        with self.errors_at():
            return Experiment(
                values.get("name", file.path.stem),
                entries,
                tuple(setups),
                # Other processes find a user's own game by the name in the file.
                game=str(file.entry.get("game", DEFAULT)),
                seats=seats,
                limits=limits,
                sprt=sprt,
                adjudication=adjudication,
                folders=self.folders,
                text=self.text,
                **options,
            )

    @contextmanager
    def errors_at(self, line: int | None = None) -> Iterator[None]:
        """Put the file and the line before errors that do not name them; by default the line of the field they name."""
        try:
            yield
        except PlannerError as error:
            message, entry = str(error), self.file.entry
            if message.startswith(f"{self.file.path}:"):
                raise
            line = line or entry.lines.get(message.partition(":")[0], entry.line)
            raise PlannerError(f"{self.file.path}:{line}: {message}") from None

    def setups(self, swap: str) -> list[Any]:
        """Let the game read its own fields."""
        setups = list(self.game.setups_from_file(self.file))
        if not setups:
            raise self.file.error(f"{' or '.join(self.game.setup_fields)}: is missing")
        if swap == "seats_and_decks":  # every agent plays every deck from both seats
            setups = list(dict.fromkeys(each for setup in setups for each in (setup, self.game.swapped(setup))))
        return setups

    def positions(self) -> list[StartPosition]:
        """Read the file of states from which the games start, in place of the game's own fields."""
        return self.file.read("positions", lambda value: read_positions(self.game, self.file.path.parent / name(value)))

    def card_files(self) -> list[Path]:
        """Return the files with additional cards: one name, or a list."""

        def read(value: Any) -> list[Path]:
            names = [value] if isinstance(value, str) else as_list(value)
            return [self.file.path.parent / name(file) for file in names]

        return self.file.read("cards", read)

    def agents(self, setup: Any) -> tuple[Entry, ...]:
        file = self.file
        items = file.entry["agents"]
        if not isinstance(items, YamlList) or not items:
            raise file.error("agents: must be a list such as '- aggro_face'", "agents")
        entries: list[Entry] = []
        collector = ErrorCollector()
        for line, item in zip(items.lines, items, strict=True):
            with collector, self.errors_at(line):
                entry = self.agent(item, setup)
                if entry.name in [other.name for other in entries]:
                    raise PlannerError(f"agents: duplicate agent {entry.name!r}; give one of them a 'name'")
                entries.append(entry)
        collector.raise_if_any()
        if len(entries) < 2 and file.entry.get("pairs", "all") != "all":
            raise file.error("pairs: needs at least two agents", "pairs")
        return tuple(entries)

    def agent(self, item: Any, setup: Any) -> Entry:
        """Read one agent. The file's planner options apply to planners that do not set them."""
        fields = Fields(self.file.path, item) if isinstance(item, YamlMapping) else None
        if fields is None:
            agent, kind, own_options = name(item), "", {}
        else:
            fields.check_keys(AGENT_FIELDS)
            kinds = [key for key in AGENT_KINDS if key in fields]
            if len(kinds) != 1:
                raise PlannerError("an agent needs exactly one of 'profile', 'agent' and 'command'")
            kind = kinds[0]
            agent = fields.read(kind, name)
            agent = f"{COMMAND}{agent}" if kind == "command" else agent
            own_options = {key: fields.read(key, read) for key, read in OPTIONS.items() if key in fields}
            if "ahead" in fields:
                own_options["ahead"] = fields.read("ahead", self.ahead)
        if names_language_model(agent):
            agent = f"{LANGUAGE_MODEL}{self.file.resolve(str(settings_file(agent)))}"
        elif not agent.startswith(COMMAND):
            agent = self.file.resolve(agent)
        spec = agent_spec(agent, self.game, **own_options)
        if spec.weights is not None:
            file_options = {key: self.file.read(key, read) for key, read in OPTIONS.items() if key in self.file}
            spec = agent_spec(agent, self.game, **{**file_options, **own_options})
            if setup is not None:  # otherwise the setups have an error of their own
                spec.check(self.game, setup)
        elif kind == "profile":
            raise PlannerError(f"profile: {quote(agent)} is not a weight profile; write 'agent: {agent}'")
        return Entry(fields.read("name", _name) if fields and "name" in fields else spec.short_name, spec)

    def ahead(self, value: Any) -> AheadOptions:
        """Read how an agent looks ahead: `{k: 8, samples: 4, reply: PROFILE}`, all optional."""
        if not isinstance(value, YamlMapping):
            raise PlannerError(f"must be a mapping such as {{k: 8, samples: 4}}, got {quote(value)}")
        if (unknown := first_unknown_key(value, AHEAD_FIELDS)) is not None:
            raise PlannerError(unknown_field(unknown, AHEAD_FIELDS))
        options = dict(value)
        if "reply" in options and isinstance(self.game, PlansTurns):
            options["reply"] = self.game.profiles.of(self.file.resolve(name(options["reply"])))
        if "opponent" in options:
            source = self.file.path.parent / name(options["opponent"])
            options["opponent"] = str(source) if source.exists() else options["opponent"]
        return AheadOptions(**options)

    def sprt(self) -> SprtOptions | None:
        value = self.file.entry.get("sprt")
        if value is None:
            return None
        if not isinstance(value, YamlMapping) or not {"elo0", "elo1"} <= set(value):
            raise self.file.error("sprt: needs elo0 and elo1, such as {elo0: 0, elo1: 20}", "sprt")
        fields = Fields(self.file.path, value)
        fields.check_keys(SPRT_FIELDS)
        options = SprtOptions(**{key: fields.read(key, SPRT_FIELDS[key]) for key in value})
        error_rates = options.alpha, options.beta
        if not options.elo0 < options.elo1 or min(error_rates) <= 0 or sum(error_rates) >= 1:
            message = "sprt: needs elo0 below elo1, and alpha and beta above 0 with a sum below 1"
            raise self.file.error(message, "sprt")
        return options


def _pairs(value: Any) -> str:
    return "gauntlet" if value == OLD_GAUNTLET else one_of(value, PAIRS)


def _name(value: Any) -> str:
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        allowed = "at most 60 letters, digits, spaces and . : + @ - _"
        raise PlannerError(f"must be a name of {allowed}; got {quote(value)}")
    return value


# Fields that need no context to be read.
PLAIN_FIELDS: Final[dict[str, Callable[[Any], Any]]] = {
    "name": _name,
    "games": partial(integer, minimum=1, maximum=MAX_GAMES),
    "seed": partial(integer, minimum=0),
    "pairs": _pairs,
    "swap": partial(one_of, choices=SWAPS),
    "move_time": seconds,
    "game_time": seconds,
    "start_time": seconds,
    "memory": partial(integer, minimum=64, maximum=2**20),
    "open_decks": boolean,
    "audit": partial(integer, minimum=0),
    "max_turns": max_turns,
    "resign": read_resign,
    **OPTIONS,
}


# -- the kind of file, and its JSON schema

# The reader checks which characters are allowed: patterns of a schema know few letters.
_NAME_SCHEMA: Final[Schema] = {**TEXT, "maxLength": 60}


def experiment_kind(game: AnyGame) -> FileKind:
    """Return the kind of file for experiments of this game."""
    return FileKind("experiment", game.name, lambda: experiment_schema(game), lambda path, _rules: _check(path, game))


def _check(path: Path, game: AnyGame) -> list[str]:
    """Read the experiment and return a summary of it. The code of a game that only the file names is not run."""
    document = load_yaml(path)
    named = document.get("game", DEFAULT) if isinstance(document, YamlMapping) else DEFAULT
    if isinstance(named, str) and is_own_game(named) and named != game.name:
        raise PlannerError(f"{path}: game: {quote(named)} can run code; if you trust it, name it with --game {named}")
    experiment = load_experiment(path)
    games = len(schedule(experiment))
    setups = f"{len(experiment.setups)} setup{'s' * (len(experiment.setups) > 1)}"
    agents = f"{len(experiment.agents)} agents ({', '.join(experiment.names)})"
    return [f"{agents}, {setups}, {games:,} games of {experiment.game}"]


def experiment_schema(game: AnyGame) -> Schema:
    """Return the JSON schema of an experiment, from the tables above and the schema of the game's own fields."""
    options = {key: schema_of(read) for key, read in OPTIONS.items()}
    counts = {key: schema_of(AHEAD_COUNTS[key]) for key in AHEAD_FIELDS[:2]}
    own = {"name": _NAME_SCHEMA, "ahead": object_schema({**counts, "reply": TEXT, "opponent": TEXT})}
    agent = object_schema({key: options.get(key, TEXT) for key in AGENT_FIELDS} | own)
    one_kind = {"oneOf": [{"required": [kind]} for kind in AGENT_KINDS]}
    sprt = object_schema({key: schema_of(read) for key, read in SPRT_FIELDS.items()}, ("elo0", "elo1"))
    score = {"type": "number", "exclusiveMinimum": MIN_SCORE, "maximum": MAX_SCORE}
    resign = object_schema({"turns": schema_of(max_turns), "score": score}, RESIGN_FIELDS)
    special: dict[str, Schema] = {
        "name": _NAME_SCHEMA,
        "pairs": enum_schema((*PAIRS, OLD_GAUNTLET)),
        "description": {},
        "game": {"const": game.name},
        "cards": any_of(TEXT, list_schema(TEXT)),
        "agents": list_schema(any_of(TEXT, {**agent, **one_kind}), 1),
        "sprt": any_of({"type": "null"}, sprt),
        "positions": TEXT,
        "resign": resign,
    }
    plain = {key: special[key] if key in special else schema_of(PLAIN_FIELDS[key]) for key in (*FIELDS, *OPTIONS)}
    required = ["agents", "games", *([] if game.name == DEFAULT else ["game"])]
    # Matches start from the first of a game's own fields, or from positions.
    starts = any_of(*({"required": [key]} for key in (*game.setup_fields[:1], "positions")))
    return object_schema({**plain, **game.setup_schema()}, required) | starts
