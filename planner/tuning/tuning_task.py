"""What a search for weights is asked for, as a value and as a file.

The file is an experiment, whose agents are the league, with a section `tune` beside it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from planner.agents.agent_spec import AgentSpec
from planner.arena.tournament.experiment import Entry, Experiment
from planner.arena.tournament.experiment_file import OPTIONS, read_entry
from planner.errors import PlannerError, quote
from planner.formats.documents import YamlList, YamlMapping, read_text, shipped_folder
from planner.formats.values import Fields, boolean, integer, name, number
from planner.formats.values import text as text_line
from planner.games import load_game
from planner.planning.capabilities import PlansTurns
from planner.planning.plan import PlanOptions
from planner.planning.profiles import LIMIT, Number, Profile

TUNE: Final = "tune"
_FIELDS: Final = (
    "start", "terms", "mulligan", "population", "generations", "step", "most_games", "champion_every", "test",
)  # fmt: skip
_DECIMALS: Final = 2  # of a weight: finer differences are lost in the luck of the draw
MULLIGAN: Final = "mulligan_cost"
_DEAREST: Final = 10


@dataclass(frozen=True)
class TuningTask:
    """A search for weights."""

    league: Experiment  # its agents are the opponents, its games those of each candidate against each of them
    test: Experiment  # the same with other seeds, and other decks and opponents where the file names some
    start: Profile
    terms: tuple[str, ...]  # whose weights are looked for; the others stay as they are at the start
    mulligan: bool = False  # is what the mulligan keeps looked for as well?
    population: int = 12
    generations: int = 30
    step: float = 0.4  # the spread of the first candidates, as a share of the weights
    most_games: int = 0  # as many as the games may grow to, where luck hides the order of candidates; 0: no growth
    description: str = ""  # of the profile that comes of it
    champion_every: int = 0  # after so many generations the favourite joins the league; 0: never
    options: PlanOptions = PlanOptions()  # noqa: RUF009  (frozen)  # how candidates plan

    @property
    def name(self) -> str:
        """Of the profile that comes of it."""
        return self.league.name

    @property
    def digest(self) -> str:
        """A fingerprint of all that decides the outcome."""
        rest = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        del rest["league"], rest["test"], rest["description"]
        if any(entry.spec.weights for entry in self.league.agents) or self.options == PlanOptions():
            del rest["options"]  # as the league does, which has a digest
        text = f"{self.league.digest} {self.test.digest} {sorted(rest.items())}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def dimensions(self) -> tuple[str, ...]:
        """What is looked for."""
        return (*self.terms, MULLIGAN) if self.mulligan else self.terms

    @property
    def units(self) -> list[float]:
        """For each dimension the size of a step of 1: weights of one size move alike."""
        given = [abs(float(value)) for value in self.start.terms().values() if value]
        usual = median(given) if given else 1.0
        sizes = [max(abs(float(self.start.terms().get(term, 0))), usual / 2) for term in self.terms]
        return [*sizes, float(_DEAREST)] if self.mulligan else sizes

    def origin(self) -> list[float]:
        """Where the search begins."""
        values: list[Any] = [self.start.terms().get(term, 0) for term in self.terms]
        if self.mulligan:
            values.append(getattr(self.start, MULLIGAN))
        return [float(value) / unit for value, unit in zip(values, self.units, strict=True)]

    def profile(self, point: list[float], called: str) -> Profile:
        """The profile at this point of the search."""
        moved = dict(zip(self.dimensions, (x * unit for x, unit in zip(point, self.units, strict=True)), strict=True))
        changes: dict[str, Any] = {"name": called, "description": ""}
        if self.mulligan:
            changes[MULLIGAN] = min(max(round(moved.pop(MULLIGAN)), 0), _DEAREST)
        weights = dict(self.start.terms()) | {term: _weight(value) for term, value in moved.items()}
        changes |= {term: weights.pop(term) for term in self.start.required}
        return dataclasses.replace(self.start, extra=tuple(weights.items()), **changes)

    def entry(self, profile: Profile) -> Entry:
        """The profile as one who plays."""
        return Entry(profile.name, AgentSpec(profile.name, profile, self.options))


def _weight(value: float) -> Number:
    value = round(min(max(value, -LIMIT), LIMIT), _DECIMALS)
    return int(value) if value.is_integer() else value


def load_tuning(which: str | os.PathLike[str]) -> TuningTask:
    """A file by path, or one of ours by name."""
    path = Path(which)
    if path.suffix not in (".yaml", ".yml"):
        path = shipped_folder("experiments") / f"{which}.yaml"
        if not path.exists():
            raise PlannerError(f"{str(which)!r} is not a search for weights: give a YAML file with a section 'tune'")
    text = read_text(path)
    file = Fields.of_file(path, "a search for weights", "with agents as the league, decks, games and 'tune'", text)
    if TUNE not in file:
        raise file.error(f"{TUNE}: is missing: what is looked for, such as {{start: true_balanced, terms: [lethal]}}")
    given = file.entry[TUNE]
    if not isinstance(given, YamlMapping):
        raise file.error(f"{TUNE}: {quote(given)} is not a mapping with start and terms", TUNE)
    for key in ("pairs", "sprt"):
        if key in file:
            raise file.error(f"{key}: is not for a search: every candidate plays every member of the league", key)
    league = read_entry(_without(file), text)
    section = Fields(path, given)
    section.check_keys(_FIELDS, ("start", "terms"))
    test = _test(file, section, league, text)
    if league.name in (*league.names, *test.names):  # its profile would meet itself in the test
        raise file.error(f"name: {quote(league.name)} is also one of its opponents; give the search another name")
    tuned = load_game(league.game, league.folders)
    if not isinstance(tuned, PlansTurns) or league.seats != 2:
        raise file.error(f"{TUNE}: {league.game} is no game of two in which turns are planned", TUNE)
    kind = tuned.profiles
    start = _start(kind, section)
    mulligan = section.read("mulligan", boolean, False)
    if mulligan and MULLIGAN not in kind.options:
        raise section.error(f"mulligan: {league.game} has none", "mulligan")
    return TuningTask(
        league,
        test,
        start,
        section.read("terms", partial(_terms, kind)),
        mulligan,
        section.read("population", partial(integer, minimum=4, maximum=1000), 12),
        section.read("generations", partial(integer, minimum=1, maximum=100_000), 30),
        section.read("step", partial(number, minimum=0.001, maximum=10), 0.4),
        section.read("most_games", partial(integer, minimum=0), 0),
        file.read("description", text_line, ""),
        section.read("champion_every", partial(integer, minimum=0), 0),
        _options(file, league),
    )


def _without(file: Fields, **changes: Any) -> Fields:
    """The file as an experiment, with some fields of its own."""
    entry = YamlMapping({key: value for key, value in file.entry.items() if key != TUNE} | changes)
    entry.lines, entry.line = {**file.entry.lines, **dict.fromkeys(changes, file.entry.lines[TUNE])}, file.entry.line
    return Fields(file.path, entry)


def _test(file: Fields, section: Fields, league: Experiment, text: str) -> Experiment:
    """What is played at the end, on seeds not seen before: the same league and decks, unless the file names others."""
    given = section.entry.get("test", YamlMapping())
    if not isinstance(given, YamlMapping):
        raise section.error(f"test: {quote(given)} is not a mapping with games, agents and decks", "test")
    game = load_game(league.game, league.folders)
    changes: dict[str, Any] = {key: given[key] for key in given}
    if given:
        Fields(file.path, given).check_keys(("games", "agents", *game.setup_fields))
    found = read_entry(_without(file, **changes), text)
    return dataclasses.replace(found, name="test", pairs="gauntlet", seed=league.seed + 1)


def _options(file: Fields, league: Experiment) -> PlanOptions:
    """As the first planner of the league plans; where it has none, as the file says."""
    given = {key: file.read(key, read) for key, read in OPTIONS.items() if key in file}
    return next((entry.spec.options for entry in league.agents if entry.spec.weights), PlanOptions(**given))


def _start(kind: type[Profile], section: Fields) -> Profile:
    value = section.entry["start"]
    if isinstance(value, YamlMapping):  # what is wrong there has a line of its own
        return kind.read(Fields(section.path, value), "start")
    return section.read("start", lambda given: kind.of(section.resolve(name(given))))


def _terms(kind: type[Profile], value: Any) -> tuple[str, ...]:
    if not isinstance(value, YamlList) or not value:
        raise PlannerError(f"{quote(value)} is not a list of terms")
    return kind.term_names(value)
