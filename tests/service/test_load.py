"""Many clients at once, in small: `planner bench serve` does the same for a minute."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from copy import copy

import pytest

from planner.bench.load_server import LoadServer
from planner.bench.page_views import measure_views
from planner.bench.server_load import LoadResult, Probe, make_probes, run_load


@pytest.fixture(scope="module")
def server() -> Iterator[LoadServer]:
    with LoadServer(2) as found:
        yield found


@pytest.fixture(scope="module")
def asked() -> list[Probe]:
    return make_probes(12, seed=3)


def test_every_answer_is_the_right_one(server: LoadServer, asked: list[Probe]) -> None:
    found = asyncio.run(run_load(server, asked, clients=8, seconds=1, chaos=None, seed=3))
    assert found.faultless
    assert found.right == len(found.seconds) > 8
    assert found.unavailable == 0


def test_other_answers_and_lost_ones_are_noticed(server: LoadServer, asked: list[Probe]) -> None:
    others = [probe._replace(expected={"status": "optimal"}) for probe in asked]
    wrong = asyncio.run(run_load(server, others, clients=2, seconds=0.3, chaos=None, seed=3))
    nowhere = copy(server)
    nowhere.port = 1  # no server listens there
    lost = asyncio.run(run_load(nowhere, asked, clients=2, seconds=0.1, chaos=None, seed=3))
    assert wrong.wrong
    assert wrong.right == 0
    assert lost.lost
    assert not wrong.faultless
    assert not lost.faultless
    assert not LoadResult(unavailable=2, killed=1).faultless


def test_a_little_chaos(server: LoadServer, asked: list[Probe]) -> None:
    found = asyncio.run(run_load(server, asked, clients=8, seconds=2, chaos=0.7, seed=4))
    assert found.killed >= 1
    assert found.faultless, (found.wrong[:3], found.lost, found.unavailable)
    assert found.right > 8


def test_visits_of_pages_cost_the_server_little() -> None:
    result = measure_views(rate=10, seconds=4)
    assert result.views >= 10
    assert result.files > 8
    assert result.wire_bytes < 250_000
    assert len(result.alone) > 5
    assert len(result.beside) > 5
    assert result.processor_seconds < 0.02  # 0.005 on a quiet machine
