"""Views of tables: every legal action can be clicked, and nothing in a view depends on hidden information."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from planner.arena.match.referee import chance, deal
from planner.errors import PlannerError
from planner.game import BaseGame
from planner.games import game as game_named
from planner.games import game_names
from planner.games.hearthstone.rules.actions import Mulligan, Play, Trade
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state import GameState
from planner.table_view import (
    DescribesTable,
    describe_move,
    legal_moves,
    options_json,
    setup_from_options,
    spectator_state,
    table_view,
)

GAMES = [name for name in game_names() if isinstance(game_named(name), DescribesTable)]
MATCHES = 4


def random_states(name: str, seed: int, seats: int | None = None) -> Any:
    """Yield state, action and state after it of a random match."""
    game = game_named(name)
    least, _ = options_json(game)["seats"]
    state = deal(game, setup_from_options(game, {}, seats or least), seed)
    rng, choice = chance(seed), Random(seed)
    for _ in range(2000):
        if game.outcome(state) is not None:
            return
        actions = game.legal_actions(state)
        action = actions[choice.randrange(len(actions))]
        after = game.apply(state, action, rng)
        yield state, action, after
        state = after


def ids_of(view: dict[str, Any]) -> list[str]:
    sides = view["sides"]
    zones = [zone for side in sides for zone in side.get("zones", ())]
    return [thing["id"] for thing in (*sides, *zones, *(card for zone in zones for card in zone.get("cards", ())))]


@pytest.mark.parametrize("name", GAMES)
def test_every_action_has_something_to_click_in_the_view(name: str) -> None:
    game = game_named(name)
    for seed in range(MATCHES):
        for state, _, _ in random_states(name, seed):
            seat = game.to_move(state)
            view, moves = table_view(game, state, seat), legal_moves(game, state)
            ids = ids_of(view)
            assert len(set(ids)) == len(ids)
            for move in moves:
                assert move["label"]
                assert {move.get("source"), move.get("target")} <= {*ids, None}
                assert game.illegal_reason(state, game.action_from_json(move["action"])) is None
            choice = view.get("prompt", {}).get("choice")
            assert bool(moves) != bool(choice)
            if choice:
                assert set(choice["cards"]) <= set(ids)
            else:
                assert len(moves) == len(game.legal_actions(state))
            json.dumps([view, moves])


@pytest.mark.parametrize("name", GAMES)
def test_a_view_is_made_from_the_observation_alone(name: str) -> None:
    game = game_named(name)
    for seed in range(MATCHES):
        for state, _, _ in random_states(name, seed):
            for seat in range(game.seats(state)):
                assert table_view(game, game.observe(state, seat), seat) == table_view(game, state, seat)
            watched = spectator_state(game, state)
            assert table_view(game, watched, None) == table_view(game, state, None)
            for seat in range(game.seats(state)):  # a spectator sees no more than any seat does
                assert spectator_state(game, game.observe(state, seat)) == watched


# -- words: the same for all states that look the same to the reader


def shuffle_hidden(state: GameState, reader: int | None, keep: set[str], rng: Random) -> GameState:
    """Return another state that looks the same to the reader: other hidden cards in hands and decks."""
    for seat in (0, 1):
        player = state.player(seat)
        hidden = [] if seat == reader else [card for card in player.hand if card.id not in keep]
        pool = [*hidden, *player.deck]
        rng.shuffle(pool)
        drawn = iter(pool)
        hand = tuple(next(drawn) if card in hidden else card for card in player.hand)
        changed = player._replace(hand=hand, deck=tuple(drawn))
        state = state._replace(me=changed) if seat == state.seat else state._replace(enemy=changed)
    return state


def seen(state: GameState, reader: int | None) -> GameState:
    return observe(observe(state, 0), 1) if reader is None else observe(state, reader)


def test_words_of_hearthstone_do_not_depend_on_hidden_cards() -> None:
    game, rng, compared = game_named("hearthstone"), Random(1), 0
    for seed in range(MATCHES):
        for before, action, after in random_states("hearthstone", seed):
            named = {action.card} if isinstance(action, Play) else set[str]()
            for reader in (0, 1, None):
                if reader == before.seat and isinstance(action, Trade | Mulligan):
                    named = {card.id for card in before.me.hand}
                other = shuffle_hidden(before, reader, named, rng)
                assert seen(other, reader) == seen(before, reader)
                if game.illegal_reason(other, action) is not None:  # its card is in the deck now
                    continue
                other_after = game.apply(other, action, Random(seed))
                if seen(other_after, reader) != seen(after, reader):
                    continue
                compared += 1
                words = describe_move(game, before, action, after, reader)
                assert describe_move(game, other, action, other_after, reader) == words
    assert compared > 100 * MATCHES


def test_a_drawn_card_is_named_to_its_player_only() -> None:
    game = game_named("hearthstone")
    setup = setup_from_options(game, {}, 2)
    state = deal(game, setup, 1)
    for _ in range(2):
        state = game.apply(state, Mulligan(), chance(1))
    end = game.default_action(state)
    after = game.apply(state, end, chance(1))
    drawn = after.me.hand[-1].card.name
    assert [drawn in describe_move(game, state, end, after, seat)["words"] for seat in (0, 1, None)] == [
        False,
        True,
        False,
    ]


# -- options


@pytest.mark.parametrize("name", GAMES)
def test_default_options_make_a_setup_for_every_number_of_seats(name: str) -> None:
    game = game_named(name)
    least, most = options_json(game)["seats"]
    for seats in range(least, most + 1):
        assert game.seats(deal(game, setup_from_options(game, {}, seats), 1)) == seats
    with pytest.raises(PlannerError, match="seats"):
        setup_from_options(game, {}, most + 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decks": ["mage"]}, "options.decks: must be a list of 2 values, one for each seat"),
        ({"decks": ["mage", "/etc/passwd.yaml"]}, r"options.decks\[1\]: must be the name of a deck, or a deck code"),
        ({"decks": ["mage", 3]}, r"options.decks\[1\]: must be one of .*, or a deck code, got 3"),
        ({"rules": "blitz.yaml"}, "options.rules: must be one of"),
        ({"colour": "red"}, "options: unknown option 'colour'; one of decks, rules"),
    ],
)
def test_an_invalid_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlannerError, match=message):
        setup_from_options(game_named("hearthstone"), options, 2)


def test_a_game_without_a_table_is_shown_as_text() -> None:
    class Nim(BaseGame[int, int, int]):
        name = "nim"

        def seats(self, state: int) -> int:
            return 2

        def to_move(self, state: int) -> int:
            return state % 2

        def turn(self, state: int) -> int:
            return 10 - state

        def legal_actions(self, state: int) -> list[int]:
            return [1, 2]

        def outcome(self, state: int) -> None:
            return None

        def state_to_json(self, state: int) -> dict[str, Any]:
            return {"left": state}

        def action_to_json(self, action: int) -> dict[str, Any]:
            return {"take": action}

    game = Nim()
    assert table_view(game, 8, 0) == {"seat": 0, "turn": 2, "to_move": 0, "text": '{"left": 8}', "sides": []}
    assert [move["action"] for move in legal_moves(game, 8)] == [{"take": 1}, {"take": 2}]
    with pytest.raises(PlannerError, match="play at a table is not supported for nim"):
        setup_from_options(game, {}, 2)
