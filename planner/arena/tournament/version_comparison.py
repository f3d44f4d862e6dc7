"""Compare two versions of a setup (cards, rules, a deck) by playing both from the same seeds.

The two games of a pair share the seed, the agents and the seats, so that a difference comes from the change alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

from planner.agents.agent_spec import AgentSpec
from planner.arena.match.referee import agent_seed, derive_seed, play_match
from planner.arena.tournament import game_worker
from planner.arena.tournament.experiment import Entry, Experiment
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.runner import check_user_agents, open_pool
from planner.arena.tournament.schedule import Fixture
from planner.errors import PlannerError
from planner.game import AnyGame, CardList, HasCards
from planner.games import load_game
from planner.stats.intervals import Interval, Shift, mean_interval, shift


@dataclass(frozen=True)
class AgentChange:
    """What one agent scores and measures before and after the change, and the mean difference with its interval."""

    agent: str
    games: int
    before: Mapping[str, float]
    after: Mapping[str, float]
    change: Mapping[str, Interval]


def playtest(
    of: AnyGame, before: Any, after: Any, agents: Sequence[AgentSpec], games: int, seed: int
) -> list[AgentChange]:
    """Play both setups of a game of one seat with each agent: `score` is its points, the rest the game's measures."""
    changes = []
    for spec in agents:
        seeds = [derive_seed(seed, number) for number in range(games)]
        without, with_it = ([_play(of, setup, spec, one) for one in seeds] for setup in (before, after))
        changes.append(
            AgentChange(
                spec.agent,
                games,
                {key: fmean(one[key] for one in without) for key in without[0]},
                {key: fmean(one[key] for one in with_it) for key in without[0]},
                {
                    key: mean_interval([new[key] - old[key] for old, new in zip(without, with_it, strict=True)])
                    for key in without[0]
                },
            )
        )
    return changes


def _play(of: AnyGame, setup: Any, spec: AgentSpec, seed: int) -> dict[str, float]:
    record = play_match([spec.make(of, agent_seed(seed, 0))], setup, seed, of)
    return {"score": record.outcome.points[0], **of.measures(record.final)}


_CHUNK: Final = 40
_TICK_SECONDS: Final = 0.25


class Finding(NamedTuple):
    """One number that may have changed: what it is about, against whom, and how it moved."""

    what: str  # deck, pairing, setup, first seat, rounds, or a measure of the game
    name: str
    against: str
    shift: Shift


@dataclass(frozen=True)
class Versions:
    """All that is known about a change."""

    games: int  # in each version
    untouched: int  # setups that are the same in both versions, and were not played
    other_winner: int  # of these, how many ended with another winner
    findings: Sequence[Finding]


def compare_versions(
    of: str,
    setups: Sequence[tuple[Any, Any]],
    agents: Sequence[AgentSpec],
    games: int,
    seed: int = 1,
    workers: int | None = None,
    watch: Callable[[int, int], None] = lambda _done, _total: None,
    folders: tuple[str, ...] = (),
    like: Experiment | None = None,
) -> Versions:
    """Play so many games of each setup before and after the change, the agents taking turns in both seats.

    Where the versions are of an experiment, its agents have the time, the memory and the folders that it gives them.
    """
    if like is not None:
        folders = (*like.folders, *folders)
    touched = [pair for pair in setups if pair[0] != pair[1]]
    if not touched:
        raise PlannerError("the two versions make no difference to what is played: no deck has a card that differs")
    both = tuple(one for pair in touched for one in pair)
    game = load_game(of, folders)
    seats = game.seats(game.start(both[0], Random(0)))
    entries = tuple(Entry(f"{number} {spec.agent}", spec) for number, spec in enumerate(agents, 1))
    experiment = Experiment("compare", entries, both, games, of, seats, seed, folders=folders)
    if like is not None:
        experiment = replace(experiment, **limits_of(like))
    check_user_agents(experiment)
    fixtures = list(twins(experiment))
    results = _played(experiment, fixtures, workers, watch)
    pairs = [(one, results[one.position], results[one.position + 1]) for one in fixtures[::2]]
    other = sum(old.winner != new.winner for _, old, new in pairs)
    return Versions(len(pairs), len(setups) - len(touched), other, list(_findings(game, experiment, pairs)))


def limits_of(experiment: Experiment) -> dict[str, Any]:
    """What an experiment allows its agents."""
    return {name: getattr(experiment, name) for name in ("limits", "memory", "open_decks")}


def twins(experiment: Experiment) -> Iterator[Fixture]:
    """The games: those at even places before the change, each followed by its twin after it."""
    agents = list(product(range(len(experiment.agents)), repeat=experiment.seats))
    place = 0
    for number in range(experiment.games):
        for setup in range(0, len(experiment.setups), 2):
            seed = derive_seed(experiment.seed, "compare", setup, number)
            for version in (0, 1):
                yield Fixture(place, agents[number % len(agents)], number, setup + version, seed, place // 2)
                place += 1


def _played(
    experiment: Experiment, fixtures: Sequence[Fixture], workers: int | None, watch: Callable[[int, int], None]
) -> dict[int, Result]:
    waiting, results = deque(fixtures), dict[int, Result]()
    running: dict[Future[list[Result]], list[Fixture]] = {}
    with open_pool(workers) as crew:
        while waiting or running:
            while waiting and len(running) < crew.size + 1:
                size = max(1, min(_CHUNK, len(waiting) // (2 * crew.size)))
                chunk = [waiting.popleft() for _ in range(size)]
                running[crew.executor.submit(game_worker.play_chunk, experiment, chunk)] = chunk
            done, _ = wait(running, timeout=_TICK_SECONDS, return_when=FIRST_COMPLETED)
            for future in done:
                chunk = running.pop(future)
                results |= {result.position: result for result in _handed_in(future, chunk)}
                waiting.extendleft(one for one in reversed(chunk) if one.position not in results)
            watch(len(results), len(fixtures))
    return results


def _handed_in(future: Future[list[Result]], chunk: Sequence[Fixture]) -> list[Result]:
    try:
        return future.result()
    except PlannerError:
        raise
    except Exception as error:
        raise PlannerError(f"game {chunk[0].position} was lost: {type(error).__name__}: {error}") from error


def _findings(
    game: AnyGame, experiment: Experiment, pairs: Sequence[tuple[Fixture, Result, Result]]
) -> Iterator[Finding]:
    rounds = shift([old.rounds for _, old, _ in pairs], [new.rounds for _, _, new in pairs])
    if experiment.seats == 1:
        yield from _alone(game, experiment, pairs)
    else:
        yield from _decks(game, experiment, pairs)
        points = [(_points(old), _points(new)) for _, old, new in pairs]
        yield Finding("first seat", "", "", _score_shift(points))
    yield Finding("rounds", "", "", rounds)
    for key in pairs[0][1].measures:
        known = [(old, new) for _, old, new in pairs if key in old.measures and key in new.measures]
        values = ([old.measures[key] for old, _ in known], [new.measures[key] for _, new in known])
        yield Finding(key, "", "", shift(*values))


def _score_shift(pairs: Sequence[tuple[float, float]]) -> Shift:
    return shift([old for old, _ in pairs], [new for _, new in pairs], widest=1.0)


def _points(result: Result, seat: int = 0) -> float:
    return 0.5 if result.winner < 0 else float(result.winner == seat)


def _won(result: Result) -> float:
    return float(result.winner == 0)


def _alone(game: AnyGame, experiment: Experiment, pairs: Sequence[tuple[Fixture, Result, Result]]) -> Iterator[Finding]:
    for setup in range(0, len(experiment.setups), 2):
        name = " ".join(game.setup_columns(experiment.setups[setup]).values())
        own = [(_won(old), _won(new)) for fixture, old, new in pairs if fixture.setup == setup]
        yield Finding("setup", name, "", _score_shift(own))


def _decks(game: AnyGame, experiment: Experiment, pairs: Sequence[tuple[Fixture, Result, Result]]) -> Iterator[Finding]:
    """What each deck scores against the others, and against each of them, from either seat."""
    decks = [game.cards_of(setup) if isinstance(game, HasCards) else () for setup in experiment.setups]
    points: dict[tuple[CardList, CardList], list[tuple[float, float]]] = {}
    for fixture, old, new in pairs:
        held = decks[fixture.setup]
        for seat in (0, 1) if len(held) == 2 and held[0] != held[1] else ():
            points.setdefault((held[seat], held[1 - seat]), []).append((_points(old, seat), _points(new, seat)))
    for deck in dict.fromkeys(own for own, _ in points):
        against = [values for (own, _), values in points.items() if own == deck]
        if len(against) > 1:
            yield Finding("deck", deck.name, "", _score_shift([pair for values in against for pair in values]))
    seen: set[tuple[CardList, CardList]] = set()
    for (own, other), values in points.items():
        if (other, own) not in seen:
            seen.add((own, other))
            yield Finding("pairing", own.name, other.name, _score_shift(values))
