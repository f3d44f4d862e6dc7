"""The task of a search for weights, as a value and as a file.

The file is an experiment with an additional section `tune`; the agents of the experiment are the league.
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
        weights = dict(self.start.terms()) | {term: _weight(value) for term, value in moved.items()}
        changes |= {term: weights.pop(term) for term in self.start.required}
        return dataclasses.replace(self.start, extra=tuple(weights.items()), **changes)

    def entry(self, profile: Profile) -> Entry:
        """Return an agent that plays this profile."""
        return Entry(profile.name, AgentSpec(profile.name, profile, self.options))


def _weight(value: float) -> Number:
    value = round(min(max(value, -LIMIT), LIMIT), _DECIMALS)
    return int(value) if value.is_integer() else value


def load_tuning(which: str | os.PathLike[str]) -> TuningTask:
    """Load a file by path, or a shipped search by name."""
    path = Path(which)
    if path.suffix not in (".yaml", ".yml"):
        path = shipped_folder("experiments") / f"{which}.yaml"
        if not path.exists():
            raise PlannerError(f"{str(which)!r} is not a search for weights; give a YAML file with a section 'tune'")
    text = read_text(path)
    file = Fields.of_file(path, "a search for weights", "with agents as the league, decks, games and 'tune'", text)
    if TUNE not in file:
        raise file.error(f"{TUNE}: is missing, such as {{start: true_balanced, terms: [lethal]}}")
    entry = file.entry[TUNE]
    if not isinstance(entry, YamlMapping):
        raise file.error(f"{TUNE}: must be a mapping with start and terms, got {quote(entry)}", TUNE)
    for key in ("pairs", "sprt"):
        if key in file:
            raise file.error(
                f"{key} is not supported in a search: every candidate plays every member of the league", key
            )
    league = read_entry(_without(file), text)
    section = Fields(path, entry)
    section.check_keys(_FIELDS, ("start", "terms"))
    test = _test(file, section, league, text)
    if league.name in (*league.names, *test.names):  # the new profile would play against itself in the test
        raise file.error(f"name: {quote(league.name)} is also the name of an opponent; give the search another name")
    tuned = load_game(league.game, league.folders)
    if not isinstance(tuned, PlansTurns) or league.seats != 2:
        raise file.error(f"{TUNE}: {league.game} is not a game of two seats with a planner", TUNE)
    kind = tuned.profiles
    start = _start(kind, section)
    mulligan = section.read("mulligan", boolean, False)
    if mulligan and MULLIGAN not in kind.options:
        raise section.error(f"mulligan is not supported for {league.game}", "mulligan")
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
