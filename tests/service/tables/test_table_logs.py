"""The log of a table agrees with the rules, however the match ended; results say who won and who left."""

from __future__ import annotations

import gc
import json
import tracemalloc
from random import Random
from typing import Any

import pytest

from planner.arena.match.replay import verify_log
from planner.errors import PlannerError
from planner.service.tables.live_table import LiveTable, create_event
from planner.service.tables.table_frames import Presence, table_frame
from planner.service.tables.table_routes import match_record
from planner.service.tables.table_spec import table_games
from tests.service.tables.test_frames import PLAYERS, new_table, random_moves, seat_counts


def carry_out(table: LiveTable, events: list[Any], after: Any = None) -> None:
    for event in events:
        table.apply(event | {"at": 0.0}, after)


def downloaded(table: LiveTable) -> Any:
    return json.loads(json.dumps(match_record(table).to_dict()))


@pytest.mark.parametrize("game", table_games())
def test_the_log_of_a_table_is_true_at_the_end(game: str) -> None:
    for seats in seat_counts(game):
        table = new_table(game, 5, seats)
        for _ in random_moves(table, Random(5)):
            pass
        if table.status == "playing":
            carry_out(table, table.expire("nothing happened"))
            assert match_record(table).outcome.reason == "unterminated: nothing happened"
        verdict = verify_log(downloaded(table))
        assert verdict.ok, verdict.problem


@pytest.mark.parametrize("game", table_games())
def test_the_log_is_true_when_players_leave_in_their_turn_or_in_that_of_another(game: str) -> None:
    for seats in seat_counts(game):
        for first in range(seats):
            table = new_table(game, 5, seats)
            for _ in random_moves(table, Random(5), 15):
                pass
            leaving = [(first + step) % seats for step in range(max(1, seats - 1))]
            for seat in leaving:
                assert table.status == "playing"
                carry_out(table, table.give_up(seat, "left", by_agent=False))
            assert table.status == "ended"
            log = downloaded(table)
            assert log["outcome"]["reason"] == f"forfeit: {PLAYERS[leaving[-1]][0]} left"
            assert table.outcome is not None
            assert log["outcome"]["points"] == list(table.outcome.points)
            assert [table.outcome.points[seat] for seat in leaving] == sorted(log["outcome"]["points"])[: len(leaving)]
            verdict = verify_log(log)
            assert verdict.ok, verdict.problem
            check_that_changes_are_found(log)


def check_that_changes_are_found(log: Any) -> None:
    """Who left, when, and in which order decides the outcome: a log that says otherwise is wrong."""
    forfeits, outcome = log["forfeits"], log["outcome"]
    late = [*forfeits[:-1], {**forfeits[-1], "move": forfeits[-1]["move"] + 1}]
    changed = [{"forfeits": []}, {"forfeits": late}, {"outcome": {**outcome, "reason": "forfeit: x"}}]
    if len(outcome["points"]) > 1:
        changed.append({"outcome": {**outcome, "points": outcome["points"][::-1]}})
        other = next(seat for seat in range(len(outcome["points"])) if seat not in {lost["seat"] for lost in forfeits})
        changed.append({"forfeits": [*forfeits[:-1], {**forfeits[-1], "seat": other}]})
    for change in changed:
        assert str(verify_log({**log, **change}).problem).startswith("the end: "), change


def test_who_left_has_lost_whatever_the_agent_achieves_that_plays_on() -> None:
    table = new_table("dominion", 5, 3)
    carry_out(table, table.give_up(1, "left", by_agent=True))
    for _ in random_moves(table, Random(5), 40):
        pass
    carry_out(table, table.give_up(0, "left", by_agent=False))
    assert table.status == "playing"
    carry_out(table, table.expire("nothing happened"))  # no result for the last person
    rows = {row.player: (row.name, row.points, row.agent) for row in table.results()}
    assert rows == {PLAYERS[0]: ("p", 0.0, False), PLAYERS[1]: ("q", 0.0, False)}
    table = new_table("hearthstone", 5, 2)
    carry_out(table, table.give_up(1, "left", by_agent=True))
    for _ in random_moves(table, Random(1), 5000):
        pass
    assert table.outcome is not None
    assert {row.player: row.points for row in table.results()} == {
        PLAYERS[0]: table.outcome.points[0],
        PLAYERS[1]: 0.0,
    }
    assert downloaded(table)["agents"] == ["p", "q, then greedy"]


@pytest.mark.parametrize("by_agent", [True, False])
def test_a_match_that_began_between_people_has_no_take_back_after_they_left(by_agent: bool) -> None:
    table = new_table("dominion", 5, 3)
    creator = table.seats[0].player
    for _ in random_moves(table, Random(3), 30):
        pass
    carry_out(table, table.give_up(1, "left", by_agent=True))
    carry_out(table, table.give_up(2, "left", by_agent=by_agent))
    assert (table.status, table.people) == ("playing", [0])
    while table.to_move != 0 or len(table.moves) < 60:  # also not those that followed
        list(random_moves(table, Random(3), len(table.moves) + 1))
    assert not table.may_take_back(creator)
    with pytest.raises(PlannerError, match="only against agents"):
        table.take_back(creator)


def test_a_take_back_returns_to_the_clock_before_the_move() -> None:
    table = new_table("dominion", 5, 1, agents=1)
    table.seats[0].left = 600.0

    def play(most: int) -> None:
        while len(table.moves) < most:
            seat = table.to_move
            assert seat is not None
            events, after = table.play(seat, table.game.legal_actions(table.state)[0])
            events[0]["left"] = 600.0 - len(table.moves) if seat == 0 else None
            carry_out(table, events, after)

    play(30)
    own = [index for index, move in enumerate(table.moves) if move.seat == 0]
    carry_out(table, table.take_back(PLAYERS[0]))
    assert len(table.moves) == own[-1]
    assert [seat.left for seat in table.seats] == [600.0 - own[-2], None]
    play(60)
    carry_out(table, table.leave(PLAYERS[0]))
    verdict = verify_log(downloaded(table))
    assert verdict.ok, verdict.problem


def test_a_match_with_a_take_back_or_a_chosen_deal_is_not_counted() -> None:
    def finished(taken_back: bool, seed_chosen: bool) -> LiveTable:
        spec = new_table("caveman", 5, 1, agents=1).spec
        table = LiveTable.from_events([create_event("t", spec, PLAYERS[0], 5, seed_chosen) | {"at": 0.0}])
        carry_out(table, table.join(PLAYERS[0], "p", None))
        carry_out(table, table.set_ready(PLAYERS[0], True))
        list(random_moves(table, Random(1), 40))
        if taken_back:
            carry_out(table, table.take_back(PLAYERS[0]))
        carry_out(table, table.leave(PLAYERS[0]))
        return table

    assert [row.points for row in finished(False, False).results()] == [0.0, 1.0]
    for taken_back, seed_chosen in ((True, False), (False, True)):
        table = finished(taken_back, seed_chosen)
        assert table.results() == []
        frame = table_frame(table, Presence(), PLAYERS[0], 0)
        assert frame["table"]["counted"] is False


def test_a_move_takes_little_memory() -> None:
    """A server keeps the moves of all matches that are being played, so its memory would grow with them."""
    table = new_table("caveman", 1, 2)
    list(random_moves(table, Random(1), 200))
    tracemalloc.start()
    list(random_moves(table, Random(2), 500))
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept / (len(table.moves) - 200) < 800  # bytes
