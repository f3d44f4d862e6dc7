"""Experiment files: YAML to an `Experiment`, and every refusal is one line with the file, the line and the value."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

from planner.agents.spec import AgentSpec, agent_spec
from planner.arena.experiment import PAIRS, SWAPS, Entry, Experiment, SprtOptions
from planner.arena.match import TimeLimits
from planner.files import Located, LocatedList, PlannerError, nearest, read_text, shipped, show
from planner.game import AnyGame
from planner.games import DEFAULT, load_game
from planner.reading import Fields, name, number, one_of, seconds, whole

_OPTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "solver": name, "formulation": name, "time_limit": seconds, "effort": partial(whole, least=1),
}  # fmt: skip
_FIELDS: Final = (
    "name", "description", "game", "agents", "games", "seed", "pairs", "swap", "move_time", "game_time", "sprt",
)  # fmt: skip
_FOR_TWO: Final = ("pairs", "swap", "sprt")
_NAME: Final = re.compile(r"\w[\w .:+@-]{0,59}")


def load_experiment(which: str | os.PathLike[str]) -> Experiment:
    """An experiment of ours by name, or a YAML file by path; `module:Class` agents are not imported yet."""
    path = Path(which)
    if path.suffix not in (".yaml", ".yml"):
        known = sorted(file.stem for file in shipped("experiments").glob("*.yaml"))
        if str(which) not in known:
            raise PlannerError(f"{str(which)!r} is not an experiment{nearest(str(which), known)} (or give a YAML file)")
        path = shipped("experiments") / f"{which}.yaml"
    return read_experiment(read_text(path), path)


def read_experiment(text: str, path: Path) -> Experiment:
    """The experiment in this text, as if it were the file of this name."""
    file = Fields.of_file(path, "an experiment", "with agents, games and what they play", text)
    return _Reader(file, text).experiment()


class _Reader:
    """One file, the game that it is about, and the setups that it names."""

    def __init__(self, file: Fields, text: str) -> None:
        self.file, self.text = file, text
        self.folders = (str(file.path.resolve().parent), os.getcwd())
        self.game: AnyGame = file.at("game", lambda value: load_game(name(value), self.folders)) or load_game(DEFAULT)

    def experiment(self) -> Experiment:
        file = self.file
        file.check((*_FIELDS, *_OPTIONS, *self.game.setup_fields), ("agents", "games"))
        swap = file.at("swap", partial(one_of, choices=SWAPS), "seats")
        setups = list(self.game.setups_from_file(file))
        if not setups:
            raise file.refuse(f"{' or '.join(self.game.setup_fields)}: is missing")
        if swap == "seats_and_decks":  # everybody plays every deck from both seats
            setups = list(dict.fromkeys(one for setup in setups for one in (setup, self.game.swapped(setup))))
        seats = self.game.seats(self.game.start(setups[0], Random(0)))
        for key in _FOR_TWO if seats == 1 else ():
            if key in file:
                raise file.refuse(f"{key}: is for games of two seats", key)
        settings: dict[str, Any] = {
            "games": file.at("games", partial(whole, least=1)),
            "seed": file.at("seed", partial(whole, least=0), 1),
            "pairs": file.at("pairs", partial(one_of, choices=PAIRS), "all"),
            "swap": swap,
            "limits": TimeLimits(file.at("move_time", seconds, 60.0), file.at("game_time", seconds, 600.0)),
            "sprt": self.sprt(),
        }
        try:
            return Experiment(
                file.at("name", _name, file.path.stem), self.agents(setups[0]), tuple(setups), game=self.game_name(),
                seats=seats, **settings, folders=self.folders, text=self.text,
            )  # fmt: skip
        except PlannerError as error:
            message = str(error)
            raise error if message.startswith(f"{file.path}:") else file.refuse(message, "sprt") from None

    def game_name(self) -> str:
        """As the file names it: other processes find a game of one's own by `module:GAME`."""
        return str(self.file.entry.get("game", DEFAULT))

    def agents(self, setup: Any) -> tuple[Entry, ...]:
        file = self.file
        given = file.entry["agents"]
        if not isinstance(given, LocatedList) or not given:
            raise file.refuse("agents: is a list such as '- aggro_face'", "agents")
        entries: list[Entry] = []
        for line, item in zip(given.lines, given, strict=True):
            try:
                entry = self.agent(item, setup)
                if entry.name in [other.name for other in entries]:
                    raise PlannerError(f"agents: {entry.name!r} stands here twice; give it another 'name'")
            except PlannerError as error:
                message = str(error)
                placed = message.startswith(f"{file.path}:")
                raise error if placed else PlannerError(f"{file.path}:{line}: {message}") from None
            entries.append(entry)
        if len(entries) < 2 and file.entry.get("pairs", "all") != "all":
            raise file.refuse("pairs: there is only one agent", "pairs")
        return tuple(entries)

    def agent(self, item: Any, setup: Any) -> Entry:
        """The agent; the file's own planner options hold for every planner that does not set them itself."""
        fields = Fields(self.file.path, item) if isinstance(item, Located) else None
        if fields is None:
            what, kind, own = name(item), "", {}
        else:
            fields.check(("name", "profile", "agent", *_OPTIONS))
            kinds = [key for key in ("profile", "agent") if key in fields]
            if len(kinds) != 1:
                raise PlannerError("an agent needs one of 'profile' and 'agent'")
            kind = kinds[0]
            what = fields.at(kind, name)
            own = {key: fields.at(key, read) for key, read in _OPTIONS.items() if key in fields}
        spec = agent_spec(self.file.near(what), self.game, **own)
        if spec.weights is not None:
            general = {key: self.file.at(key, read) for key, read in _OPTIONS.items() if key in self.file}
            spec = agent_spec(self.file.near(what), self.game, **{**general, **own})
            spec.check(self.game, setup)
        elif kind == "profile":
            raise PlannerError(f"profile: {show(what)} is not a weight profile; write 'agent: {what}'")
        return Entry(fields.at("name", _name) if fields and "name" in fields else _short(spec), spec)

    def sprt(self) -> SprtOptions | None:
        given = self.file.entry.get("sprt")
        if given is None:
            return None
        if not isinstance(given, Located) or not {"elo0", "elo1"} <= set(given):
            raise self.file.refuse("sprt: needs elo0 and elo1, such as {elo0: 0, elo1: 20}", "sprt")
        fields = Fields(self.file.path, given)
        fields.check(("elo0", "elo1", "alpha", "beta"))
        options = SprtOptions(**{key: fields.at(key, number) for key in given})
        chances = options.alpha, options.beta
        if not options.elo0 < options.elo1 or min(chances) <= 0 or sum(chances) >= 1:
            why = "sprt: needs elo0 below elo1, and alpha and beta above 0 that together are below 1"
            raise self.file.refuse(why, "sprt")
        return options


def _short(spec: AgentSpec) -> str:
    return spec.agent.rpartition(":")[2]


def _name(value: Any) -> str:
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        raise PlannerError(f"{show(value)} is not a name of at most 60 letters, digits and . : + @ - _")
    return value
