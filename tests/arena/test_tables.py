"""The tables are written in blocks, and their bytes do not depend on the size of the blocks."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from planner.arena.tournament import result_tables as written
from planner.arena.tournament.early_stopping import Stopping
from planner.arena.tournament.game_result import Result, ThinkingTime
from planner.arena.tournament.journal import Journal
from planner.arena.tournament.runner import _Queue
from planner.arena.tournament.schedule import schedule
from tests.arena.tournaments import small

SCHEMA = pa.schema({"game": pa.int64(), "name": pa.string(), "more": pa.float64()})


def rows(count: int) -> list[tuple[int, str, float | None]]:
    return [(k, f"agent {k * k % 7}", None if k % 3 else k / 7) for k in range(count)]


@pytest.mark.parametrize("count", [1, 9, 10, 11, 30, 31, 60, 61])
def test_bytes_do_not_depend_on_blocks(count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes are those of the format's own writer for the complete table."""
    monkeypatch.setattr(written, "_ROW_BLOCK", 10)
    monkeypatch.setattr(written, "_ROW_GROUP", 30)
    with written.parquet(tmp_path / "x.parquet", SCHEMA) as file:
        for row in rows(count):
            file.add(row)
    columns = zip(zip(*rows(count), strict=True), SCHEMA.types, strict=True)
    whole = pa.table([pa.array(column, kind) for column, kind in columns], SCHEMA)
    buffer = io.BytesIO()
    pq.write_table(whole, buffer, compression="zstd", row_group_size=30)
    assert (tmp_path / "x.parquet").read_bytes() == buffer.getvalue()


def test_small_blocks_give_the_same_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = small("random", "greedy", "aggro_face", games=5)
    results = {g.position: result(g.position) for g in schedule(experiment)}
    for name in ("large", "small"):
        (tmp_path / name).mkdir()
        written.write_tables(tmp_path / name, experiment, results, range(40))
        monkeypatch.setattr(written, "_ROW_BLOCK", 7)
    names = {path.name for path in (tmp_path / "large").iterdir()}
    assert names >= {"games.parquet", "times.parquet", "matrix.csv", "ratings.csv", "decisions.csv"}
    for name in names:
        assert (tmp_path / "large" / name).read_bytes() == (tmp_path / "small" / name).read_bytes()


def result(place: int) -> Result:
    times = (ThinkingTime(0.5, 0.25, "3:10 40:2"), ThinkingTime(0.125, 0.125, "3:1"))
    return Result(place, place % 3 - 1, "damage", 9 + place % 5, 17, (30, 31), times, 0.75)


def test_run_of_millions_of_games_needs_little_memory(tmp_path: Path) -> None:
    """Lists and dictionaries would take over a kilobyte per game."""
    tracemalloc.start()
    try:
        games = schedule(small(games=10_000_000))
        journal = Journal(tmp_path / "journal.jsonl")
        waiting, rule = _Queue(games, journal), Stopping(journal, games)
        assert len(waiting) == 40_000_000
        assert tracemalloc.get_traced_memory()[0] < 200_000
        before = tracemalloc.get_traced_memory()[0]
        for part in range(10):
            chunk = [waiting.pop() for _ in range(500)]
            journal.append([result(game.position) for game in reversed(chunk)], 1.0)
            rule.update()
            assert rule.counted == 500 * (part + 1)
            del chunk
        assert tracemalloc.get_traced_memory()[0] - before < 20 * 5000
    finally:
        tracemalloc.stop()
    assert len(waiting) == 40_000_000 - 5000
    waiting.put_back([games[3], games[5]])
    assert [waiting.peek().position, waiting.pop().position, waiting.pop().position, waiting.pop().position] == [
        3,
        3,
        5,
        5000,
    ]
    assert journal[4321] == result(4321)
    again = _Queue(games, Journal(tmp_path / "journal.jsonl"))
    assert (len(again), again.pop().position) == (40_000_000 - 5000, 5000)
