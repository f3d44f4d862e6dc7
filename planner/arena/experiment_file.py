"""Experiment files: YAML to an `Experiment`, and every refusal is one line with the file, the line and the value."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

from planner.agents.spec import AgentSpec, agent_spec
from planner.arena.experiment import PAIRS, SWAPS, Entry, Experiment, SprtOptions
from planner.arena.match import Limits
from planner.files import Located, LocatedList, PlannerError, load_yaml, nearest, read_text, shipped, show
from planner.games.hearthstone.cards.decks import Deck, load_deck
from planner.games.hearthstone.rules.ruleset import Ruleset

_KEYS: Final = (
    "name", "description", "agents", "decks", "rules", "games", "seed", "pairs", "swap",
    "solver", "formulation", "time_limit", "effort", "move_time", "game_time", "sprt",
)  # fmt: skip
_OPTIONS: Final = ("solver", "formulation", "time_limit", "effort")
_NAME: Final = re.compile(r"\w[\w .:+@-]{0,59}")
_Value = TypeVar("_Value")


def load_experiment(which: str | os.PathLike[str]) -> Experiment:
    """An experiment of ours by name, or a YAML file by path; `module:Class` agents are not imported yet."""
    path = Path(which)
    if path.suffix not in (".yaml", ".yml"):
        known = sorted(file.stem for file in shipped("experiments").glob("*.yaml"))
        if str(which) not in known:
            raise PlannerError(f"{str(which)!r} is not an experiment{nearest(str(which), known)} (or give a YAML file)")
        path = shipped("experiments") / f"{which}.yaml"
    document = load_yaml(path)
    if not isinstance(document, Located):
        raise PlannerError(f"{path}:1: an experiment is a mapping with agents, decks, rules and games")
    return _Reader(path, document).experiment()


class _Reader:
    """One file, and the line of whatever is wrong in it."""

    def __init__(self, path: Path, document: Located) -> None:
        self.path, self.document = path, document

    def experiment(self) -> Experiment:
        document = self.document
        self.known(document, _KEYS, "an experiment")
        for key in ("agents", "decks", "games"):
            if key not in document:
                raise self.refuse(document.line, f"an experiment needs {key!r}")
        rules = self.at("rules", lambda value: Ruleset.of(self.near(_text(value)))) or Ruleset.of("standard")
        swap = self.at("swap", lambda value: _one_of(value, SWAPS), "seats")
        decks, deck_pairs = self.decks(rules)
        if swap == "seats_and_decks":  # everybody plays every deck from both seats
            deck_pairs = list(dict.fromkeys(pair for a, b in deck_pairs for pair in ((a, b), (b, a))))
        name = self.at("name", _name, self.path.stem)
        settings: dict[str, Any] = {
            "rules": rules,
            "games": self.at("games", lambda value: _whole(value, 1)),
            "seed": self.at("seed", lambda value: _whole(value, 0), 1),
            "pairs": self.at("pairs", lambda value: _one_of(value, PAIRS), "all"),
            "swap": swap,
            "limits": Limits(self.at("move_time", _seconds, 60.0), self.at("game_time", _seconds, 600.0)),
            "sprt": self.sprt(),
        }
        agents = self.agents()
        folders = (str(self.path.resolve().parent), os.getcwd())
        text = read_text(self.path)
        try:
            return Experiment(name, agents, decks, tuple(deck_pairs), **settings, folders=folders, text=text)
        except PlannerError as error:
            raise self.refuse(document.lines.get("sprt", document.line), str(error)) from None

    def refuse(self, line: int, why: str) -> PlannerError:
        return PlannerError(f"{self.path}:{line}: {why}")

    def known(self, entry: Located, keys: Iterable[str], what: str) -> None:
        for key in entry:
            if key not in keys:
                raise self.refuse(entry.lines[key], f"{key!r} is not a field of {what}{nearest(key, keys)}")

    def at(self, key: str, read: Callable[[Any], _Value], default: Any = None, entry: Located | None = None) -> _Value:
        """This key's value as `read` understands it; its refusal gets the place."""
        entry = self.document if entry is None else entry
        if key not in entry:
            return default  # type: ignore[no-any-return]
        try:
            return read(entry[key])
        except PlannerError as error:
            raise self.refuse(entry.lines[key], f"{key}: {error}") from None

    def near(self, name: str) -> str:
        """A path in an experiment file starts at that file."""
        return str(self.path.parent / name) if name.endswith((".yaml", ".yml")) else name

    def decks(self, rules: Ruleset) -> tuple[tuple[Deck, ...], list[tuple[int, int]]]:
        """The decks, and which two meet."""
        given, line = self.document["decks"], self.document.lines["decks"]

        def load(names: list[Any]) -> tuple[Deck, ...]:
            try:
                paths = [self.near(_text(name)) for name in names]
                return tuple(load_deck(path, size=rules.deck_size, copies=rules.copies) for path in paths)
            except PlannerError as error:
                raise self.refuse(line, f"decks: {error}") from None

        mirror = False
        if isinstance(given, Located) and "pool" not in given:
            self.known(given, ("first", "second", "pool", "mirror"), "decks")
            if not {"first", "second"} <= set(given) or "mirror" in given:
                raise self.refuse(line, "decks: needs 'first' and 'second', or a 'pool'")
            return load([given["first"], given["second"]]), [(0, 1)]
        if isinstance(given, Located):
            self.known(given, ("pool", "mirror"), "a pool of decks")
            mirror = self.at("mirror", _yes_or_no, False, given)
            given = given["pool"]
        pool = [given] if isinstance(given, str) else given
        if not isinstance(pool, list) or not pool:
            raise self.refuse(line, f"decks: {show(given)} is not a deck, a list of decks, or 'first' and 'second'")
        loaded = load(pool)
        places = range(len(loaded))
        return loaded, [(a, b) for a in places for b in places if a == b or not mirror]

    def agents(self) -> tuple[Entry, ...]:
        given = self.document["agents"]
        if not isinstance(given, LocatedList) or not given:
            raise self.refuse(self.document.lines["agents"], "agents: is a list such as '- aggro_face'")
        entries: list[Entry] = []
        for line, item in zip(given.lines, given, strict=True):
            try:
                entry = self.agent(item)
            except PlannerError as error:
                text = str(error)
                raise error if text.startswith(f"{self.path}:") else self.refuse(line, text) from None
            if entry.name in [other.name for other in entries]:
                raise self.refuse(line, f"agents: {entry.name!r} stands here twice; give it another 'name'")
            entries.append(entry)
        if len(entries) < 2 and self.document.get("pairs", "all") != "all":
            raise self.refuse(self.document.lines["pairs"], "pairs: there is only one agent")
        return tuple(entries)

    def agent(self, item: Any) -> Entry:
        if not isinstance(item, Located):
            return self.entry(agent_spec(self.near(_text(item))), {}, None)
        self.known(item, ("name", "profile", "agent", *_OPTIONS), "an agent")
        kinds = [key for key in ("profile", "agent") if key in item]
        if len(kinds) != 1:
            raise PlannerError("an agent needs one of 'profile' and 'agent'")
        what = self.at(kinds[0], _text, entry=item)
        own = {key: self.at(key, _option(key), entry=item) for key in _OPTIONS if key in item}
        spec = agent_spec(self.near(what), **own)
        if kinds[0] == "profile" and spec.weights is None:
            raise PlannerError(f"profile: {what!r} is not a weight profile; write 'agent: {what}'")
        return self.entry(spec, own, self.at("name", _name, entry=item))

    def entry(self, spec: AgentSpec, own: dict[str, Any], name: str | None) -> Entry:
        """The agent; the file's own planner options hold for every planner that does not set them itself."""
        if spec.weights is not None:
            general = {key: self.at(key, _option(key)) for key in _OPTIONS if key in self.document}
            spec = AgentSpec(spec.agent, spec.weights, **{**general, **own})
            spec.check()
        return Entry(name or spec.agent.rpartition(":")[2], spec)

    def sprt(self) -> SprtOptions | None:
        given = self.document.get("sprt")
        if given is None:
            return None
        line = self.document.lines["sprt"]
        if not isinstance(given, Located) or not {"elo0", "elo1"} <= set(given):
            raise self.refuse(line, "sprt: needs elo0 and elo1, such as {elo0: 0, elo1: 20}")
        self.known(given, ("elo0", "elo1", "alpha", "beta"), "sprt")
        options = SprtOptions(**{key: self.at(key, _number, entry=given) for key in given})
        chances = options.alpha, options.beta
        if not options.elo0 < options.elo1 or min(chances) <= 0 or sum(chances) >= 1:
            raise self.refuse(line, "sprt: needs elo0 below elo1, and alpha and beta above 0 that together are below 1")
        return options


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise PlannerError(f"{show(value)} is not a name")
    return value


def _name(value: Any) -> str:
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        raise PlannerError(f"{show(value)} is not a name of at most 60 letters, digits and . : + @ - _")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise PlannerError(f"{show(value)} is not a number")
    return float(value)


def _seconds(value: Any) -> float:
    seconds = _number(value)
    if seconds <= 0:
        raise PlannerError(f"{show(value)} is not a positive number of seconds")
    return seconds


def _whole(value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**63:
        raise PlannerError(f"{show(value)} is not a whole number of at least {least}")
    return value


def _yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise PlannerError(f"{show(value)} is not true or false")
    return value


def _one_of(value: Any, choices: tuple[str, ...]) -> str:
    if value not in choices:
        hint = nearest(value, choices) if isinstance(value, str) else ""
        raise PlannerError(f"{show(value)} is not one of {', '.join(choices)}{hint}")
    return str(value)


def _option(key: str) -> Callable[[Any], Any]:
    if key == "effort":
        return lambda value: _whole(value, 1)
    return _seconds if key == "time_limit" else _text
