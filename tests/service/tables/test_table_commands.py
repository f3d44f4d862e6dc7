"""Any commands in any order: each is refused with a reason, or leads to a table that its journal leads to again."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

import pytest

from planner.arena.match.replay import verify_log
from planner.errors import PlannerError
from planner.service.tables.live_table import ENDED, PLAYING, LiveTable, create_event
from planner.service.tables.table_frames import Presence, table_frame
from planner.service.tables.table_routes import match_record
from planner.service.tables.table_spec import AGENT, PERSON, TableSpec, read_create, table_games
from tests.service.tables.test_frames import PLAYERS, seat_counts

CREATOR, VISITOR = PLAYERS[0], "w" * 16
JUNK = (None, -1, 0, 1, 7, True, 1.5, 10**20, "x", "\ud800", [], {}, [1], {"type": "x"})
Made: TypeAlias = tuple[list[Any], Any]  # events, and the state after a move


def random_spec(rng: Random) -> TableSpec:
    game = rng.choice(table_games())
    agent = {"kind": AGENT, "agent": "random"}
    others = rng.choices(({"kind": PERSON}, agent), k=rng.choice(seat_counts(game)) - 1)
    kinds = [{"kind": PERSON}, *others]
    request = {"game": game, "seats": kinds, "leave": {"then": rng.choice((AGENT, "remove"))}}
    clock = {"clock": {"seconds": 60, "increment": 2}} if rng.random() < 0.5 else {}
    return read_create(request | clock).spec


def play(table: LiveTable, rng: Random) -> Made:
    """Play a random legal action of the seat to move."""
    if table.to_move is None:
        return [], None
    seat = table.seats[table.to_move]
    actions = table.game.legal_actions(table.state)
    action = actions[rng.randrange(len(actions))]
    if not seat.player:
        return table.play(table.to_move, action)
    events, after = table.move(seat.player, len(table.moves), table.game.action_to_json(action), None)
    if seat.left is not None:
        events[0]["left"] = seat.left - 0.5
    return events, after


def give_up(table: LiveTable, rng: Random) -> Made:
    """Give up the seat of a person who is gone, while others wait."""
    if table.status != PLAYING or len(table.people) < 2:
        return [], None
    return table.give_up(rng.choice(table.people), "was gone", table.spec.leave.then == AGENT), None


def random_command(table: LiveTable, rng: Random) -> Made:
    """Carry out a command of a random visitor, valid or not."""
    visitors = (*PLAYERS[: len(table.seats)], VISITOR) if rng.random() < 0.1 else PLAYERS[: len(table.seats)]
    player, junk = rng.choice(visitors), rng.choice(JUNK)
    commands: dict[Callable[[], Made], float] = {
        lambda: (table.join(player, player[0], rng.choice((None, None, 0, 1, 7))), None): 12,
        lambda: (table.set_ready(player, rng.random() < 0.95), None): 12,
        lambda: play(table, rng): 50,
        lambda: table.move(player, rng.choice((len(table.moves), junk)), junk, rng.choice((None, junk))): 4,
        lambda: (table.take_back(player), None): 3,
        lambda: (table.say(player, player[0], rng.choice(("hello", junk)), 1.0), None): 2,
        lambda: (table.share(player, rng.random() < 0.5), None): 1,
        lambda: (table.switch_chat(player, rng.random() < 0.5), None): 0.5,
        lambda: (table.leave(player), None): 1,
        lambda: give_up(table, rng): 1,
    }
    return rng.choices(list(commands), list(commands.values()))[0]()


def frames(table: LiveTable) -> list[Any]:
    """Return what every player and visitor would receive."""
    readers = [(player, seat) for player in (*PLAYERS, VISITOR) for seat in (None, 0, 1)]
    return [table_frame(table, Presence(), player, table.view_seat(player, seat)) for player, seat in readers]


def check_table(seed: int, commands: int) -> set[str]:
    """Compare a table with what its journal leads to after every command; return the kinds of its events."""
    rng = Random(seed)
    journal = [json.dumps(create_event("t", random_spec(rng), CREATOR, seed) | {"at": 0.0})]
    table = LiveTable.from_events([json.loads(journal[0])])
    for _ in range(commands):
        try:
            events, after = random_command(table, rng)
        except PlannerError:
            continue
        for event in events:
            journal.append(json.dumps(event | {"at": 0.0}))
            table.apply(json.loads(journal[-1]), after)
        if events:
            again = LiveTable.from_events([json.loads(event) for event in journal])
            assert frames(again) == frames(table)
            assert again.entry(0, []) == table.entry(0, [])
    if table.status == ENDED and table.moves:
        verdict = verify_log(json.loads(json.dumps(match_record(table).to_dict())))
        assert verdict.ok, verdict.problem
    return {json.loads(event)["type"] for event in journal}


def test_a_table_equals_what_its_journal_leads_to() -> None:
    kinds = set().union(*(check_table(seed, 60) for seed in range(40)))
    assert kinds >= {"sit", "stand", "ready", "start", "move", "take_back", "chat", "share", "replace", "remove", "end"}


@pytest.mark.long
def test_many_tables_equal_what_their_journals_lead_to() -> None:
    for seed in range(100, 400):
        check_table(seed, 150)
