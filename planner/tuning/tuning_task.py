"""The task of a search for weights, as a value and as a file.

The file is an experiment with an additional section `tune`; the agents of the experiment are the league.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from planner.agents.agent_spec import AgentSpec
from planner.arena.tournament.experiment import Entry, Experiment
from planner.arena.tournament.experiment_file import OPTIONS, experiment_schema, read_entry
from planner.errors import PlannerError, quote
from planner.formats.documents import YamlList, YamlMapping, is_file_name, read_text, shipped_folder
from planner.formats.json_schema import (
    BOOLEAN,
    TEXT,
    FileKind,
    Schema,
    any_of,
    list_schema,
    object_schema,
    schema_of,
)
from planner.formats.values import ErrorCollector, Fields, boolean, integer, name, number
from planner.formats.values import text as text_line
from planner.game import AnyGame
from planner.games import load_game
from planner.planning.capabilities import PlansTurns
from planner.planning.plan import PlanOptions
from planner.planning.profiles import LIMIT, Number, Profile, profile_schema

TUNE: Final = "tune"
# The optional numbers of the section; what they mean is beside the fields of TuningTask.
_NUMBERS: Final[dict[str, Callable[[Any], Any]]] = {
    "population": partial(integer, minimum=4, maximum=1000),
    "generations": partial(integer, minimum=1, maximum=100_000),
    "step": partial(number, minimum=0.001, maximum=10),
    "most_games": partial(integer, minimum=0),
    "champion_every": partial(integer, minimum=0),
}
_FIELDS: Final = ("start", "terms", "mulligan", *_NUMBERS, "test")
_NOT_SUPPORTED: Final = ("pairs", "sprt", "positions")  # every candidate plays every member of the league
_DECIMALS: Final = 2  # of a weight: finer differences are smaller than the noise of the scores
MULLIGAN: Final = "mulligan_cost"
_MAX_MULLIGAN_COST: Final = 10


@dataclass(frozen=True)
class TuningTask:
    """A search for weights."""

    league: Experiment  # its agents are the opponents; `games` counts each candidate against each of them
    test: Experiment  # the same with other seeds, and other decks and opponents if the file names some
    start: Profile
    terms: tuple[str, ...]  # whose weights are searched; the others keep their start values
    mulligan: bool = False  # whether the mulligan cost is searched as well
    population: int = 12
    generations: int = 30
    step: float = 0.4  # the spread of the first candidates, as a share of the weights
    most_games: int = 0  # limit to which the number of games grows if scores are too noisy; 0: no growth
    description: str = ""  # of the resulting profile
    champion_every: int = 0  # the favourite joins the league after every this many generations; 0: never
    options: PlanOptions = PlanOptions()  # noqa: RUF009  (frozen)  # of the candidates

    @property
    def name(self) -> str:
        """The name of the resulting profile."""
        return self.league.name

    @property
    def digest(self) -> str:
        """A fingerprint of everything that decides the outcome."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        del fields["league"], fields["test"], fields["description"]
        if any(entry.spec.weights for entry in self.league.agents) or self.options == PlanOptions():
            del fields["options"]  # equal to those of the league, which has a digest
        text = f"{self.league.digest} {self.test.digest} {sorted(fields.items())}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The terms that are searched, and the mulligan cost if it is searched."""
        return (*self.terms, MULLIGAN) if self.mulligan else self.terms

    @property
    def units(self) -> list[float]:
        """For each dimension the size of a step of 1, in proportion to its weight."""
        sizes = [abs(float(value)) for value in self.start.terms().values() if value]
        typical = median(sizes) if sizes else 1.0
        units = [max(abs(float(self.start.terms().get(term, 0))), typical / 2) for term in self.terms]
        return [*units, float(_MAX_MULLIGAN_COST)] if self.mulligan else units

    def origin(self) -> list[float]:
        """Return the point at which the search begins."""
        values: list[Any] = [self.start.terms().get(term, 0) for term in self.terms]
        if self.mulligan:
            values.append(getattr(self.start, MULLIGAN))
        return [float(value) / unit for value, unit in zip(values, self.units, strict=True)]

    def profile(self, point: list[float], name: str) -> Profile:
        """Return the profile at this point of the search."""
        moved = dict(zip(self.dimensions, (x * unit for x, unit in zip(point, self.units, strict=True)), strict=True))
        changes: dict[str, Any] = {"name": name, "description": ""}
        if self.mulligan:
            changes[MULLIGAN] = min(max(round(moved.pop(MULLIGAN)), 0), _MAX_MULLIGAN_COST)
        changes |= {term: _weight(value) for term, value in moved.items()}
        return dataclasses.replace(self.start, **changes)

    def entry(self, profile: Profile) -> Entry:
        """Return an agent that plays this profile."""
        return Entry(profile.name, AgentSpec(profile.name, profile, self.options))


def _weight(value: float) -> Number:
    value = round(min(max(value, -LIMIT), LIMIT), _DECIMALS)
    return int(value) if value.is_integer() else value


def load_tuning(which: str | os.PathLike[str]) -> TuningTask:
    """Load a file by path, or a shipped search by name."""
    path = Path(which)
    if not is_file_name(str(which)):
        path = shipped_folder("experiments") / f"{which}.yaml"
        if not path.exists():
            raise PlannerError(f"{str(which)!r} is not a search for weights; give a YAML file with a section 'tune'")
    return read_tuning(read_text(path), path)


def read_tuning(text: str, path: Path) -> TuningTask:
    """Read the search in this text as if it were the content of this file; an error has all problems."""
    file = Fields.of_file(path, "a search for weights", "with agents as the league, decks, games and 'tune'", text)
    if TUNE not in file:
        raise file.error(f"{TUNE}: is missing, such as {{start: true_balanced, terms: [lethal]}}")
    entry = file.entry[TUNE]
    if not isinstance(entry, YamlMapping):
        raise file.error(f"{TUNE}: must be a mapping with start and terms, got {quote(entry)}", TUNE)
    section, collector = Fields(path, entry), ErrorCollector()
    for key in _NOT_SUPPORTED:
        with collector:
            if key in file:
                problem = "is not supported in a search: every candidate plays every member of the league"
                raise file.error(f"{key} {problem}", key)
    test = None
    league = collector.attempt(lambda: read_entry(_without(file), text), None)
    with collector:
        section.check_keys(_FIELDS, ("start", "terms"))
    numbers: dict[str, Any] = {}
    for key, read in _NUMBERS.items():
        with collector:
            numbers |= {key: section.read(key, read)} if key in section else {}
    mulligan = collector.attempt(lambda: section.read("mulligan", boolean, False), False)
    if league is None:  # the game is needed to read the rest
        collector.raise_if_any()
        raise AssertionError
    with collector:
        test = _test(file, section, league, text)
        if league.name in (*league.names, *test.names):  # the new profile would play against itself in the test
            taken = f"name: {quote(league.name)} is also the name of an opponent; give the search another name"
            raise file.error(taken)
    tuned = load_game(league.game, league.folders)
    if not isinstance(tuned, PlansTurns) or league.seats != 2:
        collector.add(file.error(f"{TUNE}: {league.game} is not a game of two seats with a planner", TUNE))
        collector.raise_if_any()
        raise AssertionError
    kind = tuned.profiles
    start = collector.attempt(lambda: _start(kind, section), kind()) if "start" in section else kind()
    terms: tuple[str, ...] = collector.attempt(lambda: section.read("terms", partial(_terms, kind), ()), ())
    description = collector.attempt(lambda: file.read("description", text_line, ""), "")
    with collector:
        if mulligan and MULLIGAN not in kind.options:
            raise section.error(f"mulligan is not supported for {league.game}", "mulligan")
    collector.raise_if_any()
    assert test is not None
    return TuningTask(
        league, test, start, terms, mulligan, description=description, options=_options(file, league), **numbers
    )


def tuning_kind(game: AnyGame) -> FileKind:
    """Return the kind of file for searches for weights in this game."""

    def summarise(path: Path, _rules: str) -> list[str]:
        task = load_tuning(path)
        games = task.league.games * len(task.league.agents)
        size = f"{task.generations} generations of {task.population} candidates, {games:,} games each"
        return [f"{len(task.terms)} terms from {task.start.name}: {size}", f"run it with: planner tune {path}"]

    return FileKind("tune", game.name, lambda: tuning_schema(game), summarise)


def tuning_schema(game: AnyGame) -> Schema:
    """Return the JSON schema of a search: an experiment with the section `tune`."""
    experiment = experiment_schema(game)
    properties = {key: schema for key, schema in experiment["properties"].items() if key not in _NOT_SUPPORTED}
    start: Schema = {"type": "string"}
    if isinstance(game, PlansTurns):
        start = any_of(TEXT, profile_schema(game.profiles))
    test = object_schema({key: properties[key] for key in ("games", "agents", *game.setup_fields)})
    own: dict[str, Schema] = {
        "start": start,
        "terms": list_schema(TEXT, 1),
        "mulligan": BOOLEAN,
        **{key: schema_of(read) for key, read in _NUMBERS.items()},
        "test": test,
    }
    required = (*experiment["required"], *game.setup_fields[:1], TUNE)
    return object_schema({**properties, TUNE: object_schema(own, ("start", "terms"))}, required)


def _without(file: Fields, **changes: Any) -> Fields:
    """Return the fields of the file without `tune`, with some of them replaced."""
    entry = YamlMapping({key: value for key, value in file.entry.items() if key != TUNE} | changes)
    entry.lines, entry.line = {**file.entry.lines, **dict.fromkeys(changes, file.entry.lines[TUNE])}, file.entry.line
    return Fields(file.path, entry)


def _test(file: Fields, section: Fields, league: Experiment, text: str) -> Experiment:
    """Return the test at the end, on new seeds: the same league and decks, unless the file names others."""
    entry = section.entry.get("test", YamlMapping())
    if not isinstance(entry, YamlMapping):
        raise section.error(f"test: must be a mapping with games, agents and decks, got {quote(entry)}", "test")
    game = load_game(league.game, league.folders)
    changes: dict[str, Any] = dict(entry)
    if entry:
        Fields(file.path, entry).check_keys(("games", "agents", *game.setup_fields))
    experiment = read_entry(_without(file, **changes), text)
    return dataclasses.replace(experiment, name="test", pairs="gauntlet", seed=league.seed + 1)


def _options(file: Fields, league: Experiment) -> PlanOptions:
    """Return the options of the first planner of the league, or those of the file if the league has none."""
    options = {key: file.read(key, read) for key, read in OPTIONS.items() if key in file}
    return next((entry.spec.options for entry in league.agents if entry.spec.weights), PlanOptions(**options))


def _start(kind: type[Profile], section: Fields) -> Profile:
    value = section.entry["start"]
    if isinstance(value, YamlMapping):  # its errors have their own line numbers
        return kind.read(Fields(section.path, value), "start")
    return section.read("start", lambda value: kind.of(section.resolve(name(value))))


def _terms(kind: type[Profile], value: Any) -> tuple[str, ...]:
    if not isinstance(value, YamlList) or not value:
        raise PlannerError(f"must be a list of terms, got {quote(value)}")
    return kind.term_names(value)
