"""Compare two versions of a setup (cards, rules, a deck) by playing both from the same seeds.

The two games of a pair share the seed, the agents and the seats, so that a difference comes from the change alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from planner.agents.agent_spec import AgentSpec, running
from planner.arena.match.referee import agent_seed, derive_seed, play_match
from planner.arena.tournament.experiment import Entry, Experiment
from planner.arena.tournament.game_result import Result, other_seats, score
from planner.arena.tournament.runner import MemoryStore, check_user_agents, open_pool, play_all
from planner.arena.tournament.schedule import Fixture
from planner.errors import PlannerError
from planner.game import AnyGame, CardList, HasCards
from planner.games import load_game
from planner.stats.intervals import LEVEL, Interval, Shift, mean_interval, shift

# -- games of one seat, played in this process


@dataclass(frozen=True)
class AgentChange:
    """What a change does to one agent, by measure: its means before, and the difference in each game."""

    agent: str
    games: int
    before: Mapping[str, float]  # `score` is the agent's points; all else are the game's measures
    differences: Mapping[str, Sequence[float]]

    @property
    def change(self) -> dict[str, Interval]:
        """The mean differences with their intervals."""
        return {key: mean_interval(values) for key, values in self.differences.items()}


def playtest(
    game: AnyGame, before: Any, versions: Iterable[Any], agents: Sequence[AgentSpec], games: int, seed: int
) -> Iterator[list[AgentChange]]:
    """Play versions of a setup of a game of one seat, and yield for each what it changes for each agent."""
    seeds = [derive_seed(seed, number) for number in range(games)]
    unchanged = [[_play(game, before, spec, game_seed) for game_seed in seeds] for spec in agents]
    for after in versions:
        changes = []
        for spec, old in zip(agents, unchanged, strict=True):
            new = [_play(game, after, spec, game_seed) for game_seed in seeds]
            before = {key: fmean(values[key] for values in old) for key in old[0]}
            differences = {key: [b[key] - a[key] for a, b in zip(old, new, strict=True)] for key in old[0]}
            changes.append(AgentChange(spec.agent, games, before, differences))
        yield changes


def verdict(changes: Sequence[AgentChange], measure: str, strong: float, useful: float) -> str:
    """Return `too strong`, `dead`, `undecided` where more games could show one of them, or nothing.

    A change is too strong if an agent clearly gains more than `strong` by it, and dead if every agent clearly gains
    less than `useful`. The intervals are as wide as several agents need: all of them hold with 95 % (Bonferroni).
    """
    level = 1 - (1 - LEVEL) / len(changes)
    intervals = [mean_interval(agent.differences[measure], level)[1:] for agent in changes]
    if any(low > strong for low, _ in intervals):
        return "too strong"
    if all(high < useful for _, high in intervals):
        return "dead"
    is_useful, may_be_strong = any(low > 0 for low, _ in intervals), any(high > strong for _, high in intervals)
    return "" if is_useful and not may_be_strong else "undecided"


def _play(game: AnyGame, setup: Any, spec: AgentSpec, seed: int) -> dict[str, float]:
    with running(spec.make(game, agent_seed(seed, 0))) as agent:
        record = play_match([agent], setup, seed, game)
    return {"score": record.outcome.points[0], **game.measures(record.final)}


# -- any game, played by workers


class Finding(NamedTuple):
    """A number that may have changed."""

    what: str  # deck, pairing, setup, first seat, rounds, or a measure of the game
    name: str
    against: str
    shift: Shift


@dataclass(frozen=True)
class VersionComparison:
    """The results of a comparison."""

    games: int  # in each version
    untouched: int  # setups that are equal in both versions, and were not played
    other_winner: int  # games that had another winner after the change
    findings: Sequence[Finding]


def compare_versions(
    game_name: str,
    setups: Sequence[tuple[Any, Any]],
    agents: Sequence[AgentSpec],
    games: int,
    seed: int = 1,
    workers: int | None = None,
    watch: Callable[[int, int], None] = lambda _done, _total: None,
    folders: tuple[str, ...] = (),
    template: Experiment | None = None,
) -> VersionComparison:
    """Play this many games of each setup before and after the change; agents alternate between the seats.

    If the versions come from an experiment, `template` gives the agents its limits and folders.
    """
    if template is not None:
        folders = (*template.folders, *folders)
    changed = [pair for pair in setups if pair[0] != pair[1]]
    if not changed:
        raise PlannerError("the two versions are equal: no deck contains a card that differs")
    both = tuple(setup for pair in changed for setup in pair)
    game = load_game(game_name, folders)
    seats = game.seats(game.start(both[0], Random(0)))
    entries = tuple(Entry(f"{number} {spec.agent}", spec) for number, spec in enumerate(agents, 1))
    experiment = Experiment("compare", entries, both, games, game_name, seats, seed, folders=folders)
    if template is not None:
        experiment = replace(experiment, **limits_of(template))
    check_user_agents(experiment)
    fixtures = list(paired_fixtures(experiment))
    store = MemoryStore()
    with open_pool(workers) as pool:
        play_all(experiment, store, fixtures, pool, lambda progress: watch(progress.done, progress.total))
    results = store.results
    pairs = [(fixture, results[fixture.position], results[fixture.position + 1]) for fixture in fixtures[::2]]
    other_winner = sum(old.winner != new.winner for _, old, new in pairs)
    findings = list(_findings(game, experiment, pairs))
    return VersionComparison(len(pairs), len(setups) - len(changed), other_winner, findings)


def limits_of(experiment: Experiment) -> dict[str, Any]:
    """Return the fields that limit what agents may use and know."""
    return {name: getattr(experiment, name) for name in ("limits", "memory", "open_decks")}


def paired_fixtures(experiment: Experiment) -> Iterator[Fixture]:
    """Yield the games; each game before the change has an even position and is followed by its game after it."""
    agents = list(product(range(len(experiment.agents)), repeat=experiment.seats))
    position = 0
    for number in range(experiment.games):
        for setup in range(0, len(experiment.setups), 2):
            seed = derive_seed(experiment.seed, "compare", setup, number)
            for version in (0, 1):
                yield Fixture(position, agents[number % len(agents)], number, setup + version, seed, position // 2)
                position += 1


_Pairs = Sequence[tuple[Fixture, Result, Result]]


def _findings(game: AnyGame, experiment: Experiment, pairs: _Pairs) -> Iterator[Finding]:
    rounds = shift([old.rounds for _, old, _ in pairs], [new.rounds for _, _, new in pairs])
    if experiment.seats == 1:
        yield from _setup_findings(game, experiment, pairs)
    else:
        yield from _deck_findings(game, experiment, pairs)
        others = other_seats(0, experiment.seats)
        points = [(score(old, 0, others), score(new, 0, others)) for _, old, new in pairs]
        yield Finding("first seat", "", "", _score_shift(points))
    yield Finding("rounds", "", "", rounds)
    for key in dict.fromkeys(key for _, old, _ in pairs for key in old.measures):
        known = [(old, new) for _, old, new in pairs if key in old.measures and key in new.measures]
        if known:
            values = ([old.measures[key] for old, _ in known], [new.measures[key] for _, new in known])
            yield Finding(key, "", "", shift(*values))


def _score_shift(pairs: Sequence[tuple[float, float]]) -> Shift:
    return shift([old for old, _ in pairs], [new for _, new in pairs], max_difference=1.0)


def _setup_findings(game: AnyGame, experiment: Experiment, pairs: _Pairs) -> Iterator[Finding]:
    for setup in range(0, len(experiment.setups), 2):
        name = " ".join(game.setup_columns(experiment.setups[setup]).values())
        own = [(score(old, 0, []), score(new, 0, [])) for fixture, old, new in pairs if fixture.setup == setup]
        yield Finding("setup", name, "", _score_shift(own))


def _deck_findings(game: AnyGame, experiment: Experiment, pairs: _Pairs) -> Iterator[Finding]:
    """Yield each deck's score against all others and against each of them, from either seat."""
    decks = [game.cards_of(setup) if isinstance(game, HasCards) else () for setup in experiment.setups]
    points: dict[tuple[CardList, CardList], list[tuple[float, float]]] = {}
    for fixture, old, new in pairs:
        by_seat = decks[fixture.setup]
        for seat in (0, 1) if len(by_seat) == 2 and by_seat[0] != by_seat[1] else ():
            key = (by_seat[seat], by_seat[1 - seat])
            points.setdefault(key, []).append((score(old, seat, [1 - seat]), score(new, seat, [1 - seat])))
    for deck in dict.fromkeys(own for own, _ in points):
        against = [values for (own, _), values in points.items() if own == deck]
        if len(against) > 1:
            yield Finding("deck", deck.name, "", _score_shift([pair for values in against for pair in values]))
    done: set[tuple[CardList, CardList]] = set()
    for (own, other), values in points.items():
        if (other, own) not in done:
            done.add((own, other))
            yield Finding("pairing", own.name, other.name, _score_shift(values))
