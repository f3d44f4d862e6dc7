"""A tournament has the same games, move by move, with and without the shortcuts of the planner."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from planner.agents.agent_spec import agent_spec
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import play_match
from planner.arena.match.replay import walk
from planner.arena.tournament.experiment import Entry, Experiment
from planner.arena.tournament.schedule import schedule
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.state_text import action_to_text
from tests.arena.playthroughs import class_decks
from tests.arena.tournaments import small
from tests.build import THESIS_PROFILES

PROGRAM = "highs"  # by name: it always solves the program


def tournament(solver: str, profiles: list[str], games: int, formulation: str = "exact") -> Experiment:
    """Decks and rules of Guo 2025."""
    agents = tuple(Entry(name, agent_spec(name, solver=solver, formulation=formulation)) for name in profiles)
    return small(games=games, agents=agents)


def with_texts(solver: str, profiles: list[str], decks: list[str]) -> Experiment:
    """Standard rules; every deck plays the next one."""
    agents = tuple(Entry(name, agent_spec(name, solver=solver)) for name in profiles)
    pairs = tuple((place, (place + 1) % len(decks)) for place in range(len(decks)))
    setups = tuple(MatchSetup.of(decks[a], decks[b]) for a, b in pairs)
    return small(games=len(decks), agents=agents, setups=setups)


def played(experiment: Experiment) -> Iterator[MatchRecord]:
    for game in schedule(experiment):
        agents = [experiment.agents[place].spec.make(GAME, 0) for place in game.agents]
        yield play_match(agents, experiment.setups[game.setup], game.seed)


def assert_same_games(shortcuts: Experiment, program: Experiment) -> None:
    assert len(schedule(shortcuts)) == len(schedule(program))
    for one, other in zip(played(shortcuts), played(program), strict=True):
        game = f"{' v '.join(one.agents)}, {' v '.join(deck.name for deck in one.setup.decks)}, seed {one.seed}"
        assert one.outcome.reason in ("damage", "fatigue", "turn limit"), game
        for step, same in zip(walk(one), walk(other), strict=False):
            # The first difference says more than all that follow from it.
            moves = action_to_text(step.move.action), action_to_text(same.move.action)
            assert moves[0] == moves[1], f"{game}: {one.agents[step.before.seat]}\t{step.before}"
        assert (len(one.turns), one.outcome) == (len(other.turns), other.outcome), game


@pytest.mark.parametrize("formulation", ["exact", "thesis"])
def test_tournament_without_shortcuts_has_the_same_games(formulation: str) -> None:
    profiles = ["aggro_face", "keep_alive", "value_trade", "true_balanced"]
    assert_same_games(*(tournament(solver, profiles, 1, formulation) for solver in ("auto", PROGRAM)))


def test_tournament_with_card_effects_has_the_same_games() -> None:
    assert_same_games(*(with_texts(solver, ["aggro_tempo"], ["warrior"]) for solver in ("auto", PROGRAM)))


@pytest.mark.long
@pytest.mark.parametrize("formulation", ["exact", "thesis"])
def test_tournament_without_shortcuts_has_the_same_games_long(formulation: str) -> None:
    assert_same_games(*(tournament(solver, THESIS_PROFILES, 10, formulation) for solver in ("auto", PROGRAM)))


@pytest.mark.long
@pytest.mark.parametrize("profile", THESIS_PROFILES)
def test_tournament_with_card_effects_has_the_same_games_long(profile: str) -> None:
    assert_same_games(*(with_texts(solver, [profile], class_decks()) for solver in ("auto", PROGRAM)))
