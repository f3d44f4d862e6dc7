"""Search for weights with CMA-ES: candidates are scored by games against a league, one generation after another.

The method is that of Hansen (arXiv:1604.00772). Scores are noisy, and its literature says how to deal with that (Hansen
et al. 2009, Beyer and Hellwig 2017): the result is the mean of the distribution, not the candidate with the highest
score, and the number of games grows when two halves of the games no longer agree about the order of the candidates.
All candidates of a generation play with the same seeds and decks (common random numbers), so that they differ by how
they play and not by what they draw.

The next generation depends only on the scores of the earlier ones, which are on disk before it begins. A search that
was killed therefore continues where it stopped, and ends with the same weights.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any, Final

import numpy as np

from planner.arena.match.referee import derive_seed, is_forfeit
from planner.arena.tournament.experiment import Entry, Experiment
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.run_store import Store, check_software, engine_of, package_versions, sources_of
from planner.arena.tournament.runner import Progress, WorkerPool, check_user_agents, open_pool, play_all
from planner.arena.tournament.schedule import Fixture, Schedule
from planner.errors import PlannerError, file_errors
from planner.formats.atomic_files import write_bytes
from planner.stats.intervals import Interval, wilson
from planner.tuning.tuning_task import TuningTask


class League(Schedule):
    """The games of one generation: every candidate against every member of the league, from both seats.

    In the list of agents the members come before the candidates.
    """

    def __init__(self, experiment: Experiment, members: int) -> None:
        self.members, self.candidates = members, len(experiment.agents) - members
        super().__init__(experiment, 2 * self.members * self.candidates)

    @classmethod
    def of(
        cls, experiment: Experiment, members: Sequence[Entry], candidates: Sequence[Entry], generation: int, games: int
    ) -> League:
        """Return the games of a generation: `games` for each candidate, member and seat."""
        seed = derive_seed(experiment.seed, "generation", generation)
        agents = (*members, *candidates)
        name = _generation_name(generation)
        return cls(dataclasses.replace(experiment, name=name, agents=agents, games=games, seed=seed), len(members))

    def _fixture(self, position: int) -> Fixture:
        number, in_round = divmod(position, self.games_per_round)
        pairing, swapped = divmod(in_round, 2)
        candidate, member = divmod(pairing, self.members)
        agents = (self.members + candidate, member)
        seed, setup = (derive_seed(self.experiment.seed, part, member, number) for part in ("game", "setup"))
        return Fixture(
            position,
            agents[::-1] if swapped else agents,
            number,
            setup % len(self.experiment.setups),
            seed,
            position // 2,
        )

    def scores(self, results: Mapping[int, Result], only: int | None = None) -> list[float]:
        """Return each candidate's mean points; with `only`, over games with an even (0) or odd (1) number.

        Raises a PlannerError if a member of the league forfeited a game, which says nothing about the candidates.
        """
        points = [0.0] * self.candidates
        games = [0] * self.candidates
        for fixture in self:
            result = results[fixture.position]
            seat = 0 if fixture.agents[0] >= self.members else 1
            if result.winner == seat and is_forfeit(result.reason):
                member = self.experiment.agents[fixture.agents[1 - seat]].name
                raise PlannerError(
                    f"league: {member} forfeited a game: {result.reason}; "
                    "earlier generations are kept, and --resume plays this one again"
                )
            if only is None or fixture.number % 2 == only:
                candidate = fixture.agents[seat] - self.members
                points[candidate] += 0.5 if result.winner < 0 else float(result.winner == seat)
                games[candidate] += 1
        return [won / played for won, played in zip(points, games, strict=True)]


HISTORY: Final = "history.json"
_DECISIVE_PACKAGES: Final = ("cma", "numpy")  # they decide the next weights
_MIN_AGREEMENT: Final = 0.3  # rank correlation of two halves of the games; below it more games are played
_GROWTH: Final = 1.5  # of the number of games


@dataclass
class Generation:
    """A generation that was played."""

    games: int  # of each candidate against each member, from each seat
    members: int
    scores: list[float]
    agreement: float  # rank correlation of two halves of the games


@dataclass
class TuneProgress:
    """The progress of a search, for a progress line."""

    generations: int
    generation: int = 0
    best: float = 0.0  # score of the best candidate in the last generation
    mean: Interval = field(default_factory=lambda: Interval(0.0, 0.0, 1.0))  # over all its candidates
    games: int = 0  # of the last generation
    within: float = 0.0  # the share of the current generation that is played
    seconds_left: float | None = None


Watcher = Callable[[TuneProgress], None]


class TuneSearch:
    """A search with the generations that were played so far."""

    def __init__(self, tuning: TuningTask, folder: Path) -> None:
        self.tuning, self.folder = tuning, folder
        self.played: list[Generation] = []
        self.favourites: list[list[float]] = []  # the mean of the distribution before each generation, and at the end
        self.champions: list[Entry] = []
        self._strategy = _strategy(tuning)
        self._restore()

    @property
    def favourite(self) -> list[float]:
        """The mean of the distribution, which is the current estimate of the best weights."""
        return [float(x) for x in self._strategy.result.xfavorite]

    def run(self, workers: int | None, watch: Watcher) -> None:
        """Play the remaining generations."""
        progress = TuneProgress(self.tuning.generations, len(self.played))
        for experiment in (self.tuning.league, self.tuning.test):  # before hours are spent on games
            check_user_agents(experiment)
        for number in range(len(self.played)):  # the search may have been killed after it saved the scores
            remove_folder(self.folder / _generation_name(number))
        begin, before = perf_counter(), len(self.played)
        with open_pool(workers) as pool:
            while len(self.played) < self.tuning.generations:
                self._play_generation(pool, progress, watch)
                done = len(self.played)
                pace = (perf_counter() - begin) / (done - before)
                progress.seconds_left = pace * (self.tuning.generations - done)
                watch(progress)

    def _play_generation(self, pool: WorkerPool, progress: TuneProgress, watch: Watcher) -> None:
        generation, games = len(self.played), self._games_per_pairing()
        points = self._strategy.ask()
        candidates = [
            self.tuning.entry(self.tuning.profile(list(map(float, point)), f"candidate {number}"))
            for number, point in enumerate(points)
        ]
        members = (*self.tuning.league.agents, *self.champions)
        league = League.of(self.tuning.league, members, candidates, generation, games)

        def watch_games(playing: Progress) -> None:
            progress.within = playing.done / playing.total
            watch(progress)

        folder = self.folder / league.experiment.name
        with Store(folder, league.experiment, resume=True) as store:
            play_all(league.experiment, store, league, pool, watch_games)
            try:
                scores = league.scores(store.results)
            except PlannerError:  # play these games again when the member is repaired
                remove_folder(folder)
                raise
            halves = [league.scores(store.results, half) for half in (0, 1)] if games > 1 else [scores, scores]
        self.played.append(Generation(games, len(members), scores, _rank_correlation(*halves)))
        self._save()
        remove_folder(folder)
        self._learn(points, scores)
        progress.generation, progress.within = len(self.played), 0.0
        progress.best = max(scores)
        progress.games = len(league)
        progress.mean = wilson(sum(scores) / len(scores) * len(league), len(league))

    def _games_per_pairing(self) -> int:
        """Return the games of each candidate against each member from each seat: more if scores are too noisy."""
        minimum = self.tuning.league.games
        if not self.played or not self.tuning.most_games:
            return minimum
        last = self.played[-3:]
        games = self.played[-1].games
        is_steady = len(last) == 3 and len({generation.games for generation in last}) == 1
        if is_steady and fmean(generation.agreement for generation in last) < _MIN_AGREEMENT:
            games = min(round(games * _GROWTH), max(minimum, self.tuning.most_games))
        return games

    def _learn(self, points: Any, scores: list[float]) -> None:
        self.favourites.append(self.favourite)
        self._strategy.tell(points, [-score for score in scores])
        every = self.tuning.champion_every
        number = len(self.favourites)
        if every and number % every == 0:
            self.champions.append(self.tuning.entry(self.tuning.profile(self.favourite, f"champion {number}")))

    def _restore(self) -> None:
        """Repeat the generations of the history; the strategy asks for the same points again."""
        path = self.folder / HISTORY
        if not path.exists():
            return
        try:
            history = json.loads(path.read_bytes())
            digest, played = history["digest"], [Generation(**entry) for entry in history["generations"]]
            history.get("versions", {}).items(), history.get("sources", {}).items()  # other values cannot be compared
            is_valid = isinstance(digest, str) and (digest != self.tuning.digest or _is_complete(played, self.tuning))
        except (AttributeError, ValueError, KeyError, TypeError, OSError, RecursionError):
            raise PlannerError(f"{path}: is not the history of a search") from None
        if not is_valid:
            raise PlannerError(f"{path}: is not the history of a search")
        if digest != self.tuning.digest:
            raise PlannerError(
                f"{self.folder}: contains a different search ({digest[:8]}, not {self.tuning.digest[:8]}); "
                "choose another folder with --out, or remove it"
            )
        # With another version the same scores would belong to other weights.
        versions = package_versions(_DECISIVE_PACKAGES)
        check_software(self.folder, "was begun", history, versions, self.tuning.league, "all generations of a search")
        for generation in played:
            points = self._strategy.ask()
            self.played.append(generation)
            self._learn(points, generation.scores)

    def _save(self) -> None:
        generations = [vars(generation) for generation in self.played]
        history = {
            "digest": self.tuning.digest,
            "versions": package_versions(_DECISIVE_PACKAGES),
            "engine": engine_of(self.tuning.league),
            "sources": sources_of(self.tuning.league),
            "generations": generations,
        }
        path = self.folder / HISTORY
        with file_errors(path, "; earlier generations are kept"):
            write_bytes(path, (json.dumps(history) + "\n").encode())


def _strategy(tuning: TuningTask) -> Any:
    try:
        import cma  # noqa: PLC0415  (an optional extra)
    except ModuleNotFoundError:
        command = "pip install 'turn-planner[tune]'"
        raise PlannerError(f"planner tune needs the package cma; install it with: {command}") from None
    rng = np.random.default_rng(tuning.league.seed)
    options = {
        "popsize": tuning.population,
        "randn": lambda *shape: rng.standard_normal(shape),
        "seed": np.nan,  # all random numbers come from the line above
        "verbose": -9,
        # Only the number of generations ends the search: equal scores are chance, not convergence.
        "tolfun": 0, "tolfunhist": 0, "tolx": 0, "tolflatfitness": 10**9, "tolstagnation": 10**9, "maxiter": 10**9,
    }  # fmt: skip
    return cma.CMAEvolutionStrategy(tuning.origin(), tuning.step, options)


def _is_complete(played: list[Generation], tuning: TuningTask) -> bool:
    """Return whether every generation has a valid score for each of its candidates."""
    return len(played) <= tuning.generations and all(
        generation.games >= 1
        and generation.members >= 1
        and -1.001 <= generation.agreement <= 1.001
        and len(generation.scores) == tuning.population
        and all(0 <= score <= 1 for score in generation.scores)
        for generation in played
    )


def _generation_name(number: int) -> str:
    """Return the name of the folder that keeps the games of a generation while they are played."""
    return f"generation-{number:04}"


def remove_folder(folder: Path) -> None:
    """Remove a folder atomically: a process that is killed here leaves all of it or nothing."""
    renamed = folder.with_name(f".{folder.name}")
    shutil.rmtree(renamed, ignore_errors=True)
    with contextlib.suppress(OSError):  # the next run removes what is left
        folder.rename(renamed)
        shutil.rmtree(renamed)


def _rank_correlation(one: list[float], other: list[float]) -> float:
    """Return Spearman's rank correlation; 0 if all values of a list are equal."""
    from scipy.stats import rankdata  # noqa: PLC0415  (slow to import)

    a, b = rankdata(one), rankdata(other)
    if not a.std() or not b.std():
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
