"""A worker that dies, hangs or works for a client that left does not disturb the other requests."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from planner import plan_turn
from planner.service.plan_pool import PlanPool, Worker, WorkerLostError, WorkerTimeoutError
from planner.service.plan_worker import PLAN
from tests.service.conftest import HARD, LETHAL, Served, served_bare


def eventually(true: Callable[[], bool], seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def ask(server: Served, state: Any, **more: Any) -> httpx.Response:
    return httpx.post(f"{server.url}plan", json={"state": state, **more}, timeout=30)


def replaced(server: Served, why: str) -> float:
    line = next(line for line in server.client.get("/metrics").text.splitlines() if f'why="{why}"' in line)
    return float(line.split()[-1])


def busy(worker: psutil.Process) -> bool:
    return worker.is_running() and worker.cpu_percent(0.1) > 20


def test_a_hard_turn_does_not_block_others_and_a_dead_worker_costs_one_answer() -> None:
    with served_bare("workers=2, time_limit=8") as server, ThreadPoolExecutor() as pool:
        eventually(lambda: len(server.workers()) == 2)
        hard = pool.submit(ask, server, HARD)
        eventually(lambda: "planner_workers_busy 1.0" in server.client.get("/metrics").text)
        began = time.monotonic()
        assert ask(server, LETHAL).json()["lethal"] is True
        assert time.monotonic() - began < 5
        victim = max(server.workers(), key=lambda one: one.cpu_percent(0.3))
        others = [pool.submit(ask, server, LETHAL) for _ in range(20)]
        victim.kill()
        answer = hard.result()
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "1"
        assert "died" in answer.json()["error"]
        assert {other.result().status_code for other in others} == {200}
        eventually(lambda: len(server.workers()) == 2)
        assert replaced(server, "died") == 1


def test_a_hanging_worker_is_replaced() -> None:
    with served_bare("workers=1, time_limit=0.2") as server:
        server.workers()[0].send_signal(signal.SIGSTOP)
        answer = ask(server, LETHAL)
        assert answer.status_code == 503
        assert "timed out after 1.5 s" in answer.json()["error"]
        assert ask(server, LETHAL).status_code == 200
        assert replaced(server, "too long") == 1
        # A health check finds an idle worker that hangs.
        server.workers()[0].send_signal(signal.SIGSTOP)
        assert server.client.get("/health").status_code == 503
        eventually(lambda: server.client.get("/health").status_code == 200)


def test_the_server_caps_the_time_limit() -> None:
    with served_bare("workers=1, time_limit=0.3") as server:
        began = time.monotonic()
        plan = ask(server, HARD, time_limit=1000).json()
        assert (plan["status"], plan["stopped"]) == ("feasible", "time limit")
        assert time.monotonic() - began < 3


def test_requests_of_clients_that_left_are_cancelled() -> None:
    with served_bare("workers=1, time_limit=20") as server:
        body = json.dumps({"state": HARD}).encode()
        sockets = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(3)]
        for one in sockets:
            one.sendall(b"POST /plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        eventually(lambda: "planner_waiting 2.0" in server.client.get("/metrics").text)
        for one in sockets:
            one.close()
        began = time.monotonic()
        assert ask(server, LETHAL).status_code == 200
        assert time.monotonic() - began < 10
        assert replaced(server, "caller gone") == 1


def test_a_full_queue_answers_503() -> None:
    with served_bare("workers=1, time_limit=2, queue=2") as server, ThreadPoolExecutor(8) as pool:
        answers = [one.result() for one in [pool.submit(ask, server, HARD, time_limit=0.5) for _ in range(8)]]
        assert {answer.status_code for answer in answers} == {200, 503}
        refused = [answer for answer in answers if answer.status_code == 503]
        assert all(answer.headers["retry-after"] == "1" for answer in refused)
        assert len(answers) - len(refused) >= 3


def test_running_requests_are_answered_before_the_server_stops(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with ThreadPoolExecutor(4) as pool:
        with served_bare("workers=1, time_limit=1", log=log) as server:
            asked = [pool.submit(ask, server, HARD) for _ in range(2)]
            eventually(lambda: "planner_waiting 1.0" in server.client.get("/metrics").text)
            workers = server.workers()
        assert [one.result().status_code for one in asked] == [200, 200]
        assert not any(worker.is_running() for worker in workers)
    lines = log.read_text(encoding="utf-8").splitlines()
    assert sum("POST /plan 200" in line and "id=" in line for line in lines) == 2
    assert not [line for line in lines if "Traceback" in line or "ERROR" in line]


def test_workers_end_when_the_server_is_killed() -> None:
    with served_bare("workers=2, time_limit=20", code=-signal.SIGKILL) as server:
        eventually(lambda: len(server.workers()) == 2)
        workers = server.workers()
        with ThreadPoolExecutor() as pool:
            asked = pool.submit(ask, server, HARD)
            eventually(lambda: any(busy(worker) for worker in workers))
            server.process.kill()
            with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):  # closed, or reset if not all was read
                asked.result()
    eventually(lambda: not any(worker.is_running() and worker.status() != "zombie" for worker in workers))


def test_a_server_starts_although_its_first_worker_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = Worker.start, list[int]()

    async def killed_at_first(*limits: Any) -> Worker:
        started.append(1)
        if len(started) == 1:
            raise asyncio.IncompleteReadError(b"", 4)
        return await start(*limits)

    async def run() -> bool:
        pool = PlanPool(1, 1, 5, 1_000_000_000)
        await pool.start()
        try:
            return await pool.check()
        finally:
            await pool.stop()

    monkeypatch.setattr(Worker, "start", killed_at_first)
    assert asyncio.run(run())


async def _use_a_worker_with_little_memory() -> tuple[list[int], dict[str, int]]:
    pool = PlanPool(1, 1, 5, 40_000_000)  # more than a worker has at the start
    await pool.start()
    request = PLAN + json.dumps({"state": LETHAL}).encode()
    try:
        answers = [(await pool.ask(request)).status for _ in range(2)]
        return answers, dict(pool.replaced)
    finally:
        await pool.stop()


def test_a_worker_that_is_too_large_is_replaced_after_its_answer() -> None:
    answers, counted = asyncio.run(_use_a_worker_with_little_memory())
    assert answers == [200, 200]
    assert counted["too large"] == 2


async def _ask_for_too_long() -> dict[str, int]:
    pool = PlanPool(1, 1, 30, 1_000_000_000)
    await pool.start()
    try:
        with pytest.raises(WorkerTimeoutError, match=r"timed out after 0\.3 s"):
            await pool.ask(PLAN + json.dumps({"state": HARD}).encode(), seconds=0.3)
        return dict(pool.replaced)
    finally:
        await pool.stop()


def test_a_request_can_have_less_time_than_the_server_allows() -> None:
    assert asyncio.run(_ask_for_too_long())["too long"] == 1


async def _ask_after_stop() -> None:
    pool = PlanPool(1, 1, 1, 1_000_000_000)
    await pool.start()
    await pool.stop()
    await asyncio.wait_for(pool.ask(PLAN), 5)


def test_a_stopped_pool_refuses_requests() -> None:
    with pytest.raises(WorkerLostError, match="stopping"):
        asyncio.run(_ask_after_stop())


def test_a_batch_survives_a_dead_worker() -> None:
    with served_bare("workers=1, time_limit=20") as server, ThreadPoolExecutor() as pool:
        lines = [json.dumps({"id": name, "state": state}) for name, state in (("x", HARD), ("y", LETHAL))]
        asked = pool.submit(httpx.post, f"{server.url}plan/batch", content="\n".join(lines).encode(), timeout=30)
        worker = server.workers()[0]
        eventually(lambda: busy(worker))
        worker.kill()
        found = {one["id"]: one for one in map(json.loads, asked.result().text.splitlines())}
        assert "died" in found["x"]["error"]
        assert found["y"]["plan"]["objective"] == plan_turn(LETHAL).objective
