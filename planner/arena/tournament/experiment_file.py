"""Read experiment files (YAML) and describe every kind of file that users write, as JSON schema.

Every error is one line with the file, the line number and the value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

from planner.agents.agent_spec import AgentSpec, agent_spec
from planner.agents.user_agents import COMMAND, command_words
from planner.arena.match.referee import TimeLimits
from planner.arena.tournament.experiment import MAX_GAMES, PAIRS, SWAPS, Entry, Experiment, SprtOptions
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList, YamlMapping, load_yaml, read_text, shipped_folder
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
from planner.games import DEFAULT, game, game_names, load_game
from planner.planning.capabilities import PlansTurns
from planner.planning.plan import AHEAD_COUNTS, AheadOptions
from planner.planning.profile_file import profile_kind

OPTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "solver": name, "formulation": name, "time_limit": seconds, "effort": partial(integer, minimum=1),
}  # fmt: skip
FIELDS: Final = (
    "name", "description", "game", "cards", "agents", "games", "seed", "pairs", "swap", "move_time", "game_time",
    "start_time", "memory", "sprt", "open_decks",
)  # fmt: skip
AGENT_KINDS: Final = ("profile", "agent", "command")
AGENT_FIELDS: Final = ("name", *AGENT_KINDS, *OPTIONS, "ahead")
AHEAD_FIELDS: Final = ("k", "samples", "reply")
SPRT_FIELDS: Final = ("elo0", "elo1", "alpha", "beta")
OLD_GAUNTLET: Final = "cross"
_FOR_TWO: Final = ("pairs", "swap", "sprt", "open_decks")
_NAME: Final = re.compile(r"\w[\w .:+@-]{0,59}")


def load_experiment(which: str | os.PathLike[str]) -> Experiment:
    """An experiment of ours by name, or a YAML file by path; `module:Class` agents are not imported yet."""
    path = Path(which)
    if path.suffix not in (".yaml", ".yml"):
        known = sorted(file.stem for file in shipped_folder("experiments").glob("*.yaml"))
        if str(which) not in known:
            raise PlannerError(
                f"{str(which)!r} is not an experiment{did_you_mean(str(which), known)} (or give a YAML file)"
            )
        path = shipped_folder("experiments") / f"{which}.yaml"
    return read_experiment(read_text(path), path)


def read_experiment(text: str, path: Path) -> Experiment:
    """The experiment in this text, as if it were the file of this name."""
    file = Fields.of_file(path, "an experiment", "with agents, games and what they play", text)
    if "tune" in file:
        raise file.error("tune: this file is a search for weights; run it with: planner tune", "tune")
    return read_entry(file, text)


def read_entry(file: Fields, text: str) -> Experiment:
    """The experiment in these fields of a file, whose text goes into the manifest."""
    return _Reader(file, text).experiment()


class _Reader:
    """One file, the game that it is about, and the setups that it names."""

    def __init__(self, file: Fields, text: str) -> None:
        self.file, self.text = file, text
        self.folders = (str(file.path.resolve().parent), os.getcwd())
        self.game: AnyGame = file.read("game", lambda value: load_game(name(value), self.folders)) or load_game(DEFAULT)
        if "cards" in file and "cards" not in self.game.setup_fields and (files := self.cards()):
            self.game = require(self.game, HasCards, "cards").with_cards(files)

    def experiment(self) -> Experiment:
        file, collector = self.file, ErrorCollector()
        plain: dict[str, Any] = {}
        setups: list[Any] = []
        entries: tuple[Entry, ...] = ()
        sprt, seats = None, 2
        with collector:
            file.check_keys((*FIELDS, *OPTIONS, *self.game.setup_fields), ("agents", "games"))
        for key, read in PLAIN.items():
            with collector:
                plain |= {key: file.read(key, read)} if key in file else {}
        with collector:
            sprt = self.sprt()
        with collector:
            setups = self.setups(plain.get("swap", "seats"))
            seats = self.game.seats(self.game.start(setups[0], Random(0)))
            for key in _FOR_TWO if seats == 1 else ():
                if key in file:
                    raise file.error(f"{key}: is for games of two seats", key)
        with collector:
            if "agents" in file:
                entries = self.agents(setups[0] if setups else None)
        collector.raise_if_any()
        limits = TimeLimits(plain.pop("move_time", 60.0), plain.pop("game_time", 600.0), plain.pop("start_time", None))
        title = plain.pop("name", file.path.stem)
        settings = {key: value for key, value in plain.items() if key not in OPTIONS}
        try:
            return Experiment(
                title, entries, tuple(setups), game=self.game_name(), seats=seats, limits=limits, sprt=sprt, **settings,
                folders=self.folders, text=self.text,
            )  # fmt: skip
        except PlannerError as error:
            message = str(error)
            raise error if message.startswith(f"{file.path}:") else file.error(message, "sprt") from None

    def setups(self, swap: str) -> list[Any]:
        """What the game reads from its own fields."""
        setups = list(self.game.setups_from_file(self.file))
        if not setups:
            raise self.file.error(f"{' or '.join(self.game.setup_fields)}: is missing")
        if swap == "seats_and_decks":  # everybody plays every deck from both seats
            setups = list(dict.fromkeys(one for setup in setups for one in (setup, self.game.swapped(setup))))
        return setups

    def cards(self) -> list[Path]:
        """The files with the designer's own cards: one, or a list."""

        def read(value: Any) -> list[Path]:
            names = [value] if isinstance(value, str) else as_list(value)
            return [self.file.path.parent / name(one) for one in names]

        return self.file.read("cards", read)

    def game_name(self) -> str:
        """As the file names it: other processes find a game of one's own by `module:GAME`."""
        return str(self.file.entry.get("game", DEFAULT))

    def agents(self, setup: Any) -> tuple[Entry, ...]:
        file = self.file
        given = file.entry["agents"]
        if not isinstance(given, YamlList) or not given:
            raise file.error("agents: is a list such as '- aggro_face'", "agents")
        entries: list[Entry] = []
        collector = ErrorCollector()
        for line, item in zip(given.lines, given, strict=True):
            with collector:
                try:
                    entry = self.agent(item, setup)
                    if entry.name in [other.name for other in entries]:
                        raise PlannerError(f"agents: {entry.name!r} stands here twice; give it another 'name'")
                except PlannerError as error:
                    message = str(error)
                    placed = message.startswith(f"{file.path}:")
                    raise error if placed else PlannerError(f"{file.path}:{line}: {message}") from None
                entries.append(entry)
        collector.raise_if_any()
        if len(entries) < 2 and file.entry.get("pairs", "all") != "all":
            raise file.error("pairs: there is only one agent", "pairs")
        return tuple(entries)

    def agent(self, item: Any, setup: Any) -> Entry:
        """The agent; the file's own planner options hold for every planner that does not set them itself."""
        fields = Fields(self.file.path, item) if isinstance(item, YamlMapping) else None
        if fields is None:
            what, kind, own = name(item), "", {}
        else:
            fields.check_keys(AGENT_FIELDS)
            kinds = [key for key in AGENT_KINDS if key in fields]
            if len(kinds) != 1:
                raise PlannerError("an agent needs one of 'profile', 'agent' and 'command'")
            kind = kinds[0]
            what = fields.read(kind, name)
            what = f"{COMMAND}{what}" if kind == "command" else what
            own = {key: fields.read(key, read) for key, read in OPTIONS.items() if key in fields}
            if "ahead" in fields:
                own["ahead"] = fields.read("ahead", self.ahead)
        what = what if what.startswith(COMMAND) else self.file.resolve(what)
        spec = agent_spec(what, self.game, **own)
        if spec.weights is not None:
            general = {key: self.file.read(key, read) for key, read in OPTIONS.items() if key in self.file}
            spec = agent_spec(what, self.game, **{**general, **own})
            if setup is not None:  # else something is wrong there already
                spec.check(self.game, setup)
        elif kind == "profile":
            raise PlannerError(f"profile: {quote(what)} is not a weight profile; write 'agent: {what}'")
        return Entry(fields.read("name", _name) if fields and "name" in fields else _short(spec), spec)

    def ahead(self, given: Any) -> AheadOptions:
        """How this agent looks at the reply: `{k: 8, samples: 4, reply: PROFILE}`, each of which may be left out."""
        if not isinstance(given, YamlMapping):
            raise PlannerError(f"{quote(given)} is not a mapping such as {{k: 8, samples: 4}}")
        if (wrong := first_unknown_key(given, AHEAD_FIELDS)) is not None:
            raise PlannerError(unknown_field(wrong, AHEAD_FIELDS))
        options = dict(given)
        if "reply" in options and isinstance(self.game, PlansTurns):
            options["reply"] = self.game.profiles.of(self.file.resolve(name(options["reply"])))
        return AheadOptions(**options)

    def sprt(self) -> SprtOptions | None:
        given = self.file.entry.get("sprt")
        if given is None:
            return None
        if not isinstance(given, YamlMapping) or not {"elo0", "elo1"} <= set(given):
            raise self.file.error("sprt: needs elo0 and elo1, such as {elo0: 0, elo1: 20}", "sprt")
        fields = Fields(self.file.path, given)
        fields.check_keys(SPRT_FIELDS)
        options = SprtOptions(**{key: fields.read(key, number) for key in given})
        chances = options.alpha, options.beta
        if not options.elo0 < options.elo1 or min(chances) <= 0 or sum(chances) >= 1:
            why = "sprt: needs elo0 below elo1, and alpha and beta above 0 that together are below 1"
            raise self.file.error(why, "sprt")
        return options


def _pairs(value: Any) -> str:
    # Files from before the field's own word was used for it say cross; everything of ours says gauntlet.
    return "gauntlet" if value == OLD_GAUNTLET else one_of(value, PAIRS)


def _short(spec: AgentSpec) -> str:
    if spec.agent.startswith(COMMAND):
        return Path(command_words(spec.agent)[0]).name
    return spec.agent.rpartition(":")[2]


def _name(value: Any) -> str:
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        raise PlannerError(f"{quote(value)} is not a name of at most 60 letters, digits, spaces and . : + @ - _")
    return value


# The fields whose values stand for themselves.
PLAIN: Final[dict[str, Callable[[Any], Any]]] = {
    "name": _name, "games": partial(integer, minimum=1, maximum=MAX_GAMES), "seed": partial(integer, minimum=0),
    "pairs": _pairs,
    "swap": partial(one_of, choices=SWAPS), "move_time": seconds, "game_time": seconds, "start_time": seconds,
    "memory": partial(integer, minimum=64, maximum=2**20), "open_decks": boolean, **OPTIONS,
}  # fmt: skip


_NAMED: Final[Schema] = {**TEXT, "maxLength": 60}  # which signs, the reader says: patterns know few letters


def kinds_of(of: AnyGame) -> list[FileKind]:
    """The kinds of files of this game."""
    profiles = [profile_kind(of.profiles)] if isinstance(of, PlansTurns) else []
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
