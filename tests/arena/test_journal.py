"""The journal: truncation and damage are detected, and all other lines are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.arena.tournament.game_result import (
    BINS,
    Result,
    ThinkingTime,
    bin_edges,
    forfeited,
    read_histogram,
    result_of,
)
from planner.arena.tournament.journal import Journal, _line
from planner.arena.tournament.schedule import Fixture
from planner.errors import PlannerError
from tests.arena.helpers import play


def result(place: int) -> Result:
    times = (ThinkingTime(0.5, 0.25, "3:10 40:2"), ThinkingTime(0.125, 0.125, ""))
    return Result(place, place % 3 - 1, 'reason with "quotes", \u2028 and more', 9, 17, (30, 31), times, 0.75)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal.jsonl"
    opened = Journal(path)
    opened.append([result(1), result(0)], 1.5)
    opened.append([result(2)], 0.25)
    opened.close()
    return path


def test_round_trip(journal: Path) -> None:
    again = Journal(journal)
    assert dict(again) == {place: result(place) for place in range(3)}
    assert (again.seconds, again.repaired) == (1.75, 0)


def test_journal_cut_at_any_byte(journal: Path) -> None:
    content = journal.read_bytes()
    for length in {*range(0, len(content), 9), *(place for place, sign in enumerate(content) if sign == 10)}:
        journal.write_bytes(content[:length])
        whole = content[:length].count(b"\n")
        again = Journal(journal)
        assert again.repaired == (not content[:length].endswith(b"\n") and length > 0)
        assert len(again) == max(0, whole - 1 - (whole >= 4))
        again.append([result(7)], 0.5)  # goes on behind what is whole
        kept = dict(again)
        again.close()
        repaired = Journal(journal)
        assert dict(repaired) == kept
        assert repaired.repaired == 0


def test_damaged_line_in_the_middle(journal: Path) -> None:
    content = bytearray(journal.read_bytes())
    content[content.index(b"reason")] ^= 1
    journal.write_bytes(content)
    again = Journal(journal)
    assert again.repaired == 1
    assert set(again) == {0, 2}


def test_complete_lines_of_another_kind_are_removed(journal: Path) -> None:
    """Checksums detect accidents, not manipulation; neither may break a run."""
    content = journal.read_bytes()
    strange = ({"game": [3]}, {"game": [7, 0]}, {"game": ["x", 1]}, {"game": [-1, 1]}, {"seconds": "x"}, {}, [], 5)
    journal.write_bytes(content + b"".join(_line(entry) for entry in strange))
    again = Journal(journal, games=3)
    assert (list(again), again.seconds, again.repaired) == ([0, 1, 2], 1.75, len(strange))
    assert journal.read_bytes() == content
    journal.write_bytes(content + _line({"game": [3, "no result"]}))
    lying = Journal(journal, games=4)
    with pytest.raises(PlannerError, match="the line of game 3 is invalid"):
        lying[3]


def test_result_of_a_match() -> None:
    record = play()
    found = result_of(5, record, 1.0)
    assert (found.position, found.winner, found.reason) == (5, record.outcome.winner, record.outcome.reason)
    assert sum(found.decisions) == sum(len(turn.moves) for turn in record.turns if turn.number)
    edges = bin_edges()
    assert len(edges) == BINS + 1
    for seat, times in enumerate(found.times):
        spent = [move.seconds for turn in record.turns if turn.number and turn.seat == seat for move in turn.moves]
        counted = read_histogram(times.histogram)
        assert sum(count for _, count in counted) == len(spent)
        for number, count in counted:
            inside = sum(edges[number] * (1 - 1e-9) <= time <= edges[number + 1] * (1 + 1e-9) for time in spent)
            assert inside >= count
        assert times.slowest == max(spent)


def test_forfeit_has_the_length_of_the_game() -> None:
    assert forfeited(Fixture(3, (0, 1), 0, 0, 7, 0), 1, 8, "time: ...", 1.0)[:5] == (3, 0, "time: ...", 4, 8)
    assert forfeited(Fixture(3, (0,), 0, 0, 7, 0), 0, 8, "time: ...", 1.0)[:5] == (3, -1, "time: ...", 8, 8)
