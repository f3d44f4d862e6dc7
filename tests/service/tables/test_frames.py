"""Every frame that a reader receives is a function of what `observe` shows to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import copy
from random import Random
from typing import Any

import pytest

from planner.game import ListsCards
from planner.service.tables.live_table import ENDED, LiveTable, create_event
from planner.service.tables.table_frames import Presence, table_frame
from planner.service.tables.table_spec import read_create, table_games
from planner.table_view import options_json, seen_by

PLAYERS = ("p" * 16, "q" * 16, "r" * 16, "s" * 16)
MAX_MOVES = 150  # random play in some games takes very long


def new_table(game: str, seed: int, seats: int, agents: int = 0) -> LiveTable:
    """Return a table with so many people, and agents after them, just started."""
    kinds = [{"kind": "person"}] * seats + [{"kind": "agent", "agent": "random"}] * agents
    spec = read_create({"game": game, "seats": kinds}).spec
    table = LiveTable.from_events([create_event("t", spec, PLAYERS[0], seed) | {"at": 0.0}])
    for player in PLAYERS[:seats]:
        for event in table.join(player, player[0], None):
            table.apply(event | {"at": 0.0})
    for player in PLAYERS[:seats]:
        for event in table.set_ready(player, True):
            table.apply(event | {"at": 0.0})
    return table


def random_moves(table: LiveTable, rng: Random, most: int = MAX_MOVES) -> Iterator[tuple[Any, Any]]:
    """Play at most so many random moves; yield the state before each, and the action."""
    while table.status != ENDED and len(table.moves) < most:
        before = table.state
        actions = table.game.legal_actions(before)
        action = actions[rng.randrange(len(actions))]
        events, after = table.play(table.game.to_move(before), action)
        for event in events:
            table.apply(json.loads(json.dumps(event)) | {"at": 0.0}, after)  # as the journal would return it
        yield before, action


Reader = tuple[str, int | None]  # the player, and the seat whose view they see


def check_match(game: str, seed: int, seats: int, most: int = MAX_MOVES) -> int:
    """Compare all frames of a random match; return their number."""
    table, frames = new_table(game, seed, seats), 0
    readers: list[Reader] = [*((PLAYERS[seat], seat) for seat in range(seats)), ("w" * 16, None)]
    names = visible_names(table, readers)
    for before, action in random_moves(table, Random(seed), most):
        names_before, names = names, visible_names(table, readers)
        for index, (player, view) in enumerate(readers):
            known = len(table.moves) - 1
            frame = table_frame(table, Presence(), player, view, known)
            seen = copy(table)
            seen.state = seen_by(table.game, table.state, view)  # all that this reader may know
            assert table_frame(seen, Presence(), player, view, known) == frame
            assert frame["moves"] == [] or view == table.to_move
            (line,) = frame["log"]["lines"]
            visible = names_before[index] | names[index] | public_names(table, before, action, view)
            words = line["words"]
            for name in visible:  # a visible "Mage Armor" contains a hidden "Mage"
                words = words.replace(name, "")
            hidden = {name for name in names_before[-1] | names[-1] if name not in visible and name in words}
            assert not hidden, (line, hidden)
            frames += 1
    return frames


def visible_names(table: LiveTable, readers: list[Reader]) -> list[set[str]]:
    """Return the names of cards that each reader sees, and at the end all names."""
    game = table.game
    states = [*(seen_by(game, table.state, view) for _, view in readers), table.state]
    found = [{name for name in names_in(game.state_to_json(state)) if len(name) > 2} for state in states]
    if isinstance(game, ListsCards):  # a prompt may also name a faction
        cards = {entry.name for entry in game.card_entries()}
        return [names & cards for names in found]
    return found


def public_names(table: LiveTable, before: Any, action: Any, view: int | None) -> set[str]:
    """Return the names that the action makes known: a played card, and to its player every card that it names."""
    data = table.game.action_to_json(action)
    if table.game.to_move(before) != view and data["type"] != "play":
        return set()
    ids = {value for value in data.values() if isinstance(value, str)} | set(data.get("cards", ()))
    return names_of_ids(table.game.state_to_json(before), ids)


def names_in(data: Any) -> set[str]:
    """Return all names in the JSON form of a state: of cards, whatever it calls their field."""
    if isinstance(data, dict):
        own = {value for key, value in data.items() if key in ("name", "card") and isinstance(value, str)}
        keys = {key for key, value in data.items() if isinstance(value, int) and key[:1].isupper()}
        return own | keys | {name for value in data.values() for name in names_in(value)}
    if isinstance(data, list):
        return {entry for entry in data if isinstance(entry, str)} | {n for entry in data for n in names_in(entry)}
    return set()


def names_of_ids(data: Any, ids: set[str]) -> set[str]:
    """Return the names of the things with these ids."""
    if isinstance(data, dict):
        own = {data["name"]} if data.get("id") in ids and "name" in data else set()
        return own | {name for value in data.values() for name in names_of_ids(value, ids)}
    if isinstance(data, list):
        return {name for entry in data for name in names_of_ids(entry, ids)}
    return set()


def seat_counts(game: str) -> list[int]:
    from planner.games import game as game_named

    least, most = options_json(game_named(game))["seats"]
    return list(range(least, min(most, len(PLAYERS)) + 1))


@pytest.mark.parametrize("game", table_games())
def test_frames_are_made_from_observations(game: str) -> None:
    for seats in seat_counts(game):
        assert sum(check_match(game, seed, seats) for seed in range(2)) > 50


@pytest.mark.long
@pytest.mark.parametrize("game", table_games())
def test_frames_of_200_matches_are_made_from_observations(game: str) -> None:
    counts = seat_counts(game)
    assert sum(check_match(game, seed, counts[seed % len(counts)], 1500) for seed in range(200)) > 5_000


def test_a_frame_that_shows_a_hidden_card_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above must be able to fail."""
    from planner.service.tables import table_frames

    monkeypatch.setattr(table_frames, "table_view", lambda game, state, _: game.state_to_json(state))
    with pytest.raises(AssertionError):
        check_match("hearthstone", 1, 2)


def test_a_line_that_names_a_hidden_card_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from planner.service.tables import live_table

    def leaky(game: Any, before: Any, action: Any, after: Any, seat: int | None) -> dict[str, Any]:
        del seat
        return {"turn": 1, "seat": game.to_move(before), "words": game.describe_action(before, action, after)}

    monkeypatch.setattr(live_table, "describe_move", leaky)
    with pytest.raises(AssertionError):
        check_match("hearthstone", 1, 2)
