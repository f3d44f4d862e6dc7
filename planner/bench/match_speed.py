"""How many matches a second the match runner and the compiled engine play, over the same kinds of matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from random import Random
from time import process_time
from typing import Any, Final, NamedTuple

from planner.agents.agent_spec import AgentSpec, agent_spec
from planner.arena.match.fast_matches import match_player
from planner.arena.match.referee import TimeLimits, agent_seed, play_match, seeds_of_match
from planner.bench.benchmark_positions import GUO_PROFILES
from planner.games.hearthstone.cards.decks import deck_names, load_deck
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.match_options import Adjudication

_GUO_DECKS: Final = ("thesis_paladin", "thesis_warrior")
_CLASS_DECKS: Final = tuple(deck for deck in deck_names() if not deck.startswith("thesis"))


class MatchKind(NamedTuple):
    """Which decks, rules and agents a benchmark draws from."""

    title: str
    decks: tuple[str, ...]
    rules: str
    agents: tuple[str, ...]
    options: Mapping[str, Any] = {}  # of planners
    batch: int = 1  # matches that the engine plays for each match of the match runner

    def draw(self, rng: Random) -> tuple[MatchSetup, list[AgentSpec]]:
        """Draw two decks and two agents."""
        first, second = (load_deck(rng.choice(self.decks)) for _ in range(2))
        agents = [agent_spec(rng.choice(self.agents), **self.options) for _ in range(2)]
        return MatchSetup((first, second), Ruleset.of(self.rules)), agents


KINDS: Final = (
    MatchKind("random, class decks", _CLASS_DECKS, "standard", ("random",), batch=20),
    MatchKind("greedy, class decks", _CLASS_DECKS, "standard", ("greedy",), batch=20),
    # With a limit, so that a single turn that is hard to prove does not take most of the time.
    MatchKind("profiles, class decks", _CLASS_DECKS, "standard", GUO_PROFILES, {"effort": 2000}),
    MatchKind("profiles, Guo's decks", _GUO_DECKS, "thesis", GUO_PROFILES),
    MatchKind("Guo's model, his decks", _GUO_DECKS, "thesis", GUO_PROFILES, {"formulation": "thesis"}),
)


@dataclass
class MatchSpeed:
    """The matches of both drivers and their processor time."""

    by_runner: int = 0
    runner_seconds: float = 0.0
    by_engine: int = 0
    engine_seconds: float = 0.0
    declined: int = 0  # by the engine; the match runner plays them, which counts as time of the engine

    @property
    def runner_rate(self) -> float:
        """Matches a second of the match runner."""
        return self.by_runner / self.runner_seconds

    @property
    def engine_rate(self) -> float:
        """Matches a second of the engine."""
        return self.by_engine / self.engine_seconds


def measure_kind(kind: MatchKind, seconds: float, seed: int = 1) -> MatchSpeed:
    """Play matches of this kind with both drivers for about so many seconds."""
    rng, speed = Random(seed), MatchSpeed()
    for number in count(seed):
        setup, agents = kind.draw(rng)
        player = match_player(GAME, setup, agents, TimeLimits(), Adjudication())
        if player is None:
            continue
        if number == seed:
            _play(setup, agents, number)  # loads everything that is loaded once
        began = process_time()
        _play(setup, agents, number)
        speed.runner_seconds += process_time() - began
        speed.by_runner += 1
        seeds = [number + 1_000_000 * index for index in range(kind.batch)]
        began = process_time()
        matches = player.play([seeds_of_match(each, 2) for each in seeds])
        for each, match in zip(seeds, matches, strict=True):
            if match is None:
                _play(setup, agents, each)
                speed.declined += 1
        speed.engine_seconds += process_time() - began
        speed.by_engine += len(seeds)
        if speed.runner_seconds + speed.engine_seconds > seconds:
            break
    return speed


def _play(setup: MatchSetup, agents: list[AgentSpec], seed: int) -> None:
    play_match([spec.make(GAME, agent_seed(seed, seat)) for seat, spec in enumerate(agents)], setup, seed, GAME)
