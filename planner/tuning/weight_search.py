"""The games of one generation: every candidate against every member of the league, from both seats, with the same luck.

Candidates share their seeds and decks, so that they differ by how they play and not by what they drew (common random
numbers); the next generation has others.

The search: CMA-ES over the weights, scored by games against the league, one generation after another.

The method is that of Hansen (arXiv:1604.00772). Scores are luck as much as strength, and its literature says what to
do about that (Hansen et al. 2009, Beyer and Hellwig 2017): what is reported is the mean of the distribution, not the
candidate that was luckiest, and the number of games grows where two halves of them no longer agree about the order.

Nothing but the scores of each generation decides what comes next, and they are on the disk before it does. So a
search that was killed goes on where it was, and ends with the same weights.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np

from planner.arena.match.referee import derive_seed
from planner.arena.tournament.experiment import Entry, Experiment
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.run_store import Store
from planner.arena.tournament.runner import Progress, WorkerPool, check_user_agents, open_pool, play_all
from planner.arena.tournament.schedule import Fixture, Schedule
from planner.errors import PlannerError
from planner.formats.atomic_files import write_bytes
from planner.stats.intervals import Interval, wilson
from planner.tuning.tuning_task import TuningTask

_BROKEN = ("crash", "illegal action", "time")


def broken(reason: str) -> bool:
    """Did the loser break, or break the rules? Such a game says nothing about who is stronger."""
    return reason.startswith(_BROKEN)


def generation_name(number: int) -> str:
    """What the folder of its games is called while they are played."""
    return f"generation-{number:04}"


class League(Schedule):
    """The candidates come after the members in the list of agents."""

    def __init__(self, experiment: Experiment, members: int) -> None:
        self.members, self.candidates = members, len(experiment.agents) - members
        super().__init__(experiment, 2 * self.members * self.candidates)

    @classmethod
    def of(
        cls, experiment: Experiment, members: Sequence[Entry], candidates: Sequence[Entry], generation: int, games: int
    ) -> League:
        """The games of this generation: so many for each candidate and member, times two for the seats."""
        seed = derive_seed(experiment.seed, "generation", generation)
        agents = (*members, *candidates)
        name = generation_name(generation)
        return cls(dataclasses.replace(experiment, name=name, agents=agents, games=games, seed=seed), len(members))

    def _fixture(self, place: int) -> Fixture:
        number, at = divmod(place, self.games_per_round)
        at, turned = divmod(at, 2)
        candidate, member = divmod(at, self.members)
        agents = (self.members + candidate, member)
        seed, setup = (derive_seed(self.experiment.seed, part, member, number) for part in ("game", "setup"))
        return Fixture(
            place, agents[::-1] if turned else agents, number, setup % len(self.experiment.setups), seed, place // 2
        )

    def scores(self, results: Mapping[int, Result], only: int | None = None) -> list[float]:
        """For each candidate the mean of its points; of games with an odd (1) or even (0) number, where one is named.

        A member that breaks says nothing about the candidates: then nothing goes on.
        """
        points = [0.0] * self.candidates
        games = [0] * self.candidates
        for fixture in self:
            result = results[fixture.position]
            seat = 0 if fixture.agents[0] >= self.members else 1
            if result.winner == seat and broken(result.reason):
                member = self.experiment.agents[fixture.agents[1 - seat]].name
                raise PlannerError(
                    f"league: {member} lost a game by its own doing: {result.reason}; "
                    "earlier generations are kept, and --resume plays this one again"
                )
            if only is None or fixture.number % 2 == only:
                candidate = fixture.agents[seat] - self.members
                points[candidate] += 0.5 if result.winner < 0 else float(result.winner == seat)
                games[candidate] += 1
        return [won / played for won, played in zip(points, games, strict=True)]


HISTORY: Final = "history.json"
_AGREE: Final = 0.3  # the rank correlation of two halves of the games below which there should be more
_MORE: Final = 1.5


@dataclass
class Generation:
    """One generation that was played."""

    games: int  # of each candidate against each member, from each seat
    members: int
    scores: list[float]
    agreement: float  # of two halves of the games about the order of the candidates


@dataclass
class TuneProgress:
    """How far a search is: what its line of progress shows."""

    generations: int
    generation: int = 0
    best: float = 0.0  # the best candidate's score in the last generation
    mean: Interval = field(default_factory=lambda: Interval(0.0, 0.0, 1.0))  # of all its candidates
    games: int = 0  # that were played in it
    within: float = 0.0  # the share of the generation under way that is played
    seconds_left: float | None = None


Watcher = Callable[[TuneProgress], None]


class TuneSearch:
    """A search, as far as it has come."""

    def __init__(self, tuning: TuningTask, folder: Path) -> None:
        self.tuning, self.folder = tuning, folder
        self.played: list[Generation] = []
        self.favourites: list[list[float]] = []  # the mean of the distribution before each generation, and at the end
        self.champions: list[Entry] = []
        self._strategy = _strategy(tuning)
        self._restore()

    @property
    def favourite(self) -> list[float]:
        """The mean of the distribution: where the search believes the best weights to be."""
        return [float(x) for x in self._strategy.result.xfavorite]

    def run(self, workers: int | None, watch: Watcher) -> None:
        """Play what is missing."""
        progress = TuneProgress(self.tuning.generations, len(self.played))
        for experiment in (self.tuning.league, self.tuning.test):  # before hours are spent
            check_user_agents(experiment)
        for number in range(len(self.played)):  # a kill may have come between the scores and the end of the games
            drop(self.folder / generation_name(number))
        begin, before = perf_counter(), len(self.played)
        with open_pool(workers) as crew:
            while len(self.played) < self.tuning.generations:
                self._generation(crew, progress, watch)
                done = len(self.played)
                pace = (perf_counter() - begin) / (done - before)
                progress.seconds_left = pace * (self.tuning.generations - done)
                watch(progress)

    def _generation(self, crew: WorkerPool, progress: TuneProgress, watch: Watcher) -> None:
        number, games = len(self.played), self._games()
        points = self._strategy.ask()
        candidates = [
            self.tuning.entry(self.tuning.profile(list(map(float, point)), f"candidate {place}"))
            for place, point in enumerate(points)
        ]
        members = (*self.tuning.league.agents, *self.champions)
        league = League.of(self.tuning.league, members, candidates, number, games)

        def tell(playing: Progress) -> None:
            progress.within = playing.done / playing.total
            watch(progress)

        place = self.folder / league.experiment.name
        with Store(place, league.experiment, resume=True) as store:
            play_all(league.experiment, store, league, crew, tell)
            try:
                scores = league.scores(store.results)
            except PlannerError:  # a member that was mended gets these games again
                drop(place)
                raise
            halves = [league.scores(store.results, half) for half in (0, 1)] if games > 1 else [scores, scores]
        self.played.append(Generation(games, len(members), scores, _rank_correlation(*halves)))
        self._save()
        drop(place)
        self._learn(points, scores)
        progress.generation, progress.within = len(self.played), 0.0
        progress.best = max(scores)
        progress.games = len(league)
        progress.mean = wilson(sum(scores) / len(scores) * len(league), len(league))

    def _games(self) -> int:
        """How many games each candidate plays against each member, from each seat: more where luck hides the order."""
        least = self.tuning.league.games
        if not self.played or not self.tuning.most_games:
            return least
        last = self.played[-3:]
        games = self.played[-1].games
        if len(last) == 3 and len({one.games for one in last}) == 1 and _mean(last) < _AGREE:
            games = min(round(games * _MORE), max(least, self.tuning.most_games))
        return games

    def _learn(self, points: Any, scores: list[float]) -> None:
        self.favourites.append(self.favourite)
        self._strategy.tell(points, [-score for score in scores])
        every = self.tuning.champion_every
        number = len(self.favourites)
        if every and number % every == 0:
            self.champions.append(self.tuning.entry(self.tuning.profile(self.favourite, f"champion {number}")))

    def _restore(self) -> None:
        """Go through the generations that were played before; the strategy asks for the same points again."""
        path = self.folder / HISTORY
        if not path.exists():
            return
        try:
            history = json.loads(path.read_bytes())
            digest, played = history["digest"], [Generation(**one) for one in history["generations"]]
            ours = isinstance(digest, str) and (digest != self.tuning.digest or _whole(played, self.tuning))
        except (ValueError, KeyError, TypeError, OSError):
            raise PlannerError(f"{path}: is not the history of a search") from None
        if not ours:
            raise PlannerError(f"{path}: is not the history of a search")
        if digest != self.tuning.digest:
            raise PlannerError(f"{self.folder}: holds a different search ({digest[:8]}, not {self.tuning.digest[:8]}); "
                               "give another --out, or remove it")  # fmt: skip
        if (begun := history.get("versions", _versions())) != _versions():  # the same scores would be of other weights
            raise PlannerError(f"{self.folder}: was begun with {_listed(begun)}, this is {_listed(_versions())}: "
                               "one search needs one version")  # fmt: skip
        for one in played:
            points = self._strategy.ask()
            self.played.append(one)
            self._learn(points, one.scores)

    def _save(self) -> None:
        generations = [vars(one) for one in self.played]
        history = {"digest": self.tuning.digest, "versions": _versions(), "generations": generations}
        path = self.folder / HISTORY
        try:
            write_bytes(path, (json.dumps(history) + "\n").encode())
        except OSError as error:
            raise PlannerError(f"{path}: {error.strerror}; what was finished before is kept") from None


def _strategy(tuning: TuningTask) -> Any:
    try:
        import cma  # noqa: PLC0415  (an optional extra)
    except ModuleNotFoundError:
        how = "pip install 'turn-planner[tune]'"
        raise PlannerError(f"planner tune needs the package cma; install it with: {how}") from None
    luck = np.random.default_rng(tuning.league.seed)
    options = {
        "popsize": tuning.population,
        "randn": lambda *shape: luck.standard_normal(shape),
        "seed": np.nan,  # all that is random comes from the line above
        "verbose": -9,
        # It ends with its generations: scores that tie for a while are luck, not convergence.
        "tolfun": 0, "tolfunhist": 0, "tolx": 0, "tolflatfitness": 10**9, "tolstagnation": 10**9, "maxiter": 10**9,
    }  # fmt: skip
    return cma.CMAEvolutionStrategy(tuning.origin(), tuning.step, options)


def _whole(played: list[Generation], tuning: TuningTask) -> bool:
    """Has every generation a score for each of its candidates?"""
    return len(played) <= tuning.generations and all(
        one.games >= 1
        and one.members >= 1
        and -1.001 <= one.agreement <= 1.001
        and len(one.scores) == tuning.population
        and all(0 <= score <= 1 for score in one.scores)
        for one in played
    )


def _versions() -> dict[str, str]:
    """Of what decides which weights come next."""
    return {package: version(package) for package in ("cma", "numpy")}


def _listed(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in versions.items())


def drop(folder: Path) -> None:
    """Remove a folder of games: all of it or nothing, since a kill may come at any moment."""
    away = folder.with_name(f".{folder.name}")
    shutil.rmtree(away, ignore_errors=True)
    with contextlib.suppress(OSError):  # what is left goes with the next run
        folder.rename(away)
        shutil.rmtree(away)


def _mean(played: list[Generation]) -> float:
    return sum(one.agreement for one in played) / len(played)


def _rank_correlation(one: list[float], other: list[float]) -> float:
    """Spearman's; 0 where all are alike."""
    from scipy.stats import rankdata  # noqa: PLC0415  (a while, for this alone)

    a, b = rankdata(one), rankdata(other)
    if not a.std() or not b.std():
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
