"""The games of one generation: every candidate against every member of the league, from both seats, with the same luck.

Candidates share their seeds and decks, so that they differ by how they play and not by what they drew (common random
numbers); the next generation has others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from planner.arena.experiment import Entry, Experiment
from planner.arena.result import Result
from planner.arena.schedule import Fixture, Schedule
from planner.arena.seeds import derive_seed
from planner.errors import PlannerError

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

    def _game(self, place: int) -> Fixture:
        number, at = divmod(place, self.in_round)
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
            result = results[fixture.place]
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
