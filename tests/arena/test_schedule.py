"""The schedule: pairings, seeds and pairs."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import pytest

from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.schedule import UNPAIRED, Fixture, schedule
from planner.errors import PlannerError
from planner.games.hearthstone.rules.ruleset import Ruleset
from tests.arena.tournaments import small

THREE = ("random", "greedy", "aggro_face")


def pairs(games: Sequence[Fixture]) -> list[list[Fixture]]:
    fixtures = defaultdict(list)
    for game in games:
        if game.pair != UNPAIRED:
            fixtures[game.pair].append(game)
    return list(fixtures.values())


def test_all_pairings_in_both_seats_and_mirrors() -> None:
    games = schedule(small(*THREE, games=4))
    assert [game.position for game in games] == list(range(36))
    assert set(Counter((game.agents[0], game.agents[-1]) for game in games).values()) == {4}
    assert len({(game.agents[0], game.agents[-1]) for game in games}) == 9
    assert [game.number for game in games] == sorted(game.number for game in games)  # round by round


def test_games_of_a_pair_share_a_seed_and_are_neighbours() -> None:
    games = schedule(small(*THREE, games=4))
    fixtures = pairs(games)
    assert len(fixtures) == 3 * 4
    for a, b in fixtures:
        assert (a.agents[0], a.agents[-1], a.seed, a.number) == (b.agents[-1], b.agents[0], b.seed, b.number)
        assert b.position == a.position + 1
    assert len({pair[0].seed for pair in fixtures}) == len(fixtures)


def test_mirror_games_have_different_seeds() -> None:
    """Swapping the seats of a mirror match gives the same game."""
    mirrors = [game for game in schedule(small(*THREE, games=4)) if game.agents[0] == game.agents[-1]]
    assert {game.pair for game in mirrors} == {UNPAIRED}
    assert len({game.seed for game in mirrors}) == len(mirrors) == 12


def test_swapped_decks() -> None:
    experiment = small(*THREE, games=4, swap="seats_and_decks", deck_pairs=((0, 1), (1, 0)))
    games = schedule(experiment)
    for a, b in pairs(games):
        assert a.seed == b.seed
        assert {a.setup, b.setup} == {0, 1}
    played = Counter((game.agents[0], game.setup) for game in games)
    assert len(set(played.values())) == 1  # everybody has both decks in the first seat equally often
    mirrors = [pair for pair in pairs(games) if pair[0].agents[0] == pair[0].agents[-1]]
    assert [[game.number for game in pair] for pair in mirrors] == [[0, 1]] * 3 + [[2, 3]] * 3


def test_without_swap_games_are_unpaired() -> None:
    games = schedule(small(*THREE, games=2, swap="none"))
    assert {game.pair for game in games} == {UNPAIRED}
    assert len({game.seed for game in games}) == len(games) == 18


@pytest.mark.parametrize(
    ("which", "seats"),
    [
        ("gauntlet", {(0, 1), (1, 0), (0, 2), (2, 0)}),
        ("first", {(0, 1), (0, 2)}),
        ("round_robin", {(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)}),
    ],
)
def test_round_robin_gauntlet_and_first(which: str, seats: set[tuple[int, int]]) -> None:
    games = schedule(small(*THREE, games=2, pairs=which))
    assert {(game.agents[0], game.agents[-1]) for game in games} == seats
    assert len(games) == 2 * len(seats)
    everybody = {(game.agents, game.number): game.seed for game in schedule(small(*THREE, games=2))}
    if which != "first":  # the same games as when all meet
        assert all(everybody[game.agents, game.number] == game.seed for game in games)


def test_unknown_value_of_pairs_is_refused() -> None:
    with pytest.raises(PlannerError, match="pairs: must be one of all, round_robin, gauntlet, first; got 'everybody'"):
        small(pairs="everybody")


def test_game_does_not_depend_on_other_agents() -> None:
    def seeds(experiment: Experiment) -> dict[tuple[str, str, int], int]:
        names = experiment.names
        return {(names[g.agents[0]], names[g.agents[-1]], g.number): g.seed for g in schedule(experiment)}

    few, many = seeds(small("random", "greedy")), seeds(small("aggro_face", "greedy", "random", games=5))
    assert few.items() <= many.items()


def test_digest_depends_on_everything_that_decides_the_games() -> None:
    experiment = small()
    assert experiment.digest == small(text="another", folders=("elsewhere",)).digest
    others = [
        small(seed=8), small(games=3), small(swap="none"), small("greedy", "random"), small("random", "aggro_face"),
        small(deck_pairs=((1, 0),)), small(rules=replace(Ruleset.of("thesis"), hero_health=29)),
        experiment.with_games(9),
    ]  # fmt: skip
    assert len({experiment.digest, *(other.digest for other in others)}) == 1 + len(others)
    assert experiment.with_games(9).name == "small-9"


def test_seeds_never_change() -> None:
    assert [game.seed for game in schedule(small(games=1))] == [
        2627896999717962915, 12499206616144615630, 12499206616144615630, 14112738422938932174,
    ]  # fmt: skip


# What the schedules of this project have always been, place by place: tables that were published rest on them.
KNOWN = [
    ("all", "seats", 3, ((0, 1),), "6d27cfa5cdc6a9d5"),
    ("all", "seats_and_decks", 8, ((0, 0), (0, 1), (1, 0)), "69d9f4232c18a29e"),
    ("all", "seats_and_decks", 7, ((0, 1), (1, 0)), "20856b4c05eed23f"),
    ("all", "none", 3, ((0, 1), (1, 1)), "e96f702ae9d7fbee"),
    ("gauntlet", "seats_and_decks", 6, ((0, 1), (0, 0), (1, 0), (1, 1)), "93977ef32ec45717"),
    ("first", "seats", 5, ((0, 1), (1, 0)), "141a6d3fa553a594"),
]  # fmt: skip


@pytest.mark.parametrize(("which", "swap", "games", "deck_pairs", "known"), KNOWN)
def test_schedules_never_change(
    which: str, swap: str, games: int, deck_pairs: Sequence[tuple[int, int]], known: str
) -> None:
    fixtures = schedule(small(*THREE, games=games, pairs=which, swap=swap, deck_pairs=deck_pairs))
    text = repr([tuple(game) for game in fixtures])
    assert hashlib.blake2b(text.encode(), digest_size=8).hexdigest() == known


def test_schedule_of_ten_million_games_is_created_at_once() -> None:
    few, many = (schedule(small(*THREE, games=games)) for games in (4, 10_000_000))
    assert len(many) == 90_000_000
    assert many[:36] == list(few)
    last = many[-1]
    assert (last.position, last.agents, last.number) == (89_999_999, (2, 2), 9_999_999)
    with pytest.raises(IndexError):
        many[len(many)]
