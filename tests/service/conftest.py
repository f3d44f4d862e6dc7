"""A real server in its own process, as an operator starts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import psutil
import pytest

LETHAL: dict[str, Any] = {
    "mana": 3,
    "me": {"hero": {"health": 30}, "board": ["Bloodfen Raptor"], "hand": ["Windfury", "Blessing of Might"]},
    "enemy": {"hero": {"health": 12}},
}
# Two full boards and nine spells that need a target: no time limit is long enough.
HARD: dict[str, Any] = {
    "mana": 10,
    "me": {
        "hero": {"health": 30},
        "board": [{"attack": attack, "health": attack + 1} for attack in range(1, 8)],
        "hand": [
            *("Moonfire", "Arcane Shot", "Eviscerate", "Silence", "Frostbolt", "Bestial Wrath"),
            *("Blessing of Might", "Divine Strength", "Hand of Protection"),
        ],
    },
    "enemy": {"hero": {"health": 60}, "board": [{"attack": health, "health": health + 2} for health in range(1, 8)]},
}


BY_COMMAND = "import sys; from planner.cli import main; sys.exit(main())"
BY_SETTINGS = """
import logging, sys
from planner.service.app import create_app
from planner.service.server import Settings, run_server
logging.basicConfig(stream=sys.stderr, level=logging.INFO)
run_server(create_app(Settings(port=0, {})), lambda address: print("planner serves on", address, flush=True))
"""


@dataclass
class Served:
    """A server and a client."""

    client: httpx.Client
    process: subprocess.Popen[str]
    log: Path

    @property
    def url(self) -> str:
        return str(self.client.base_url)

    @property
    def port(self) -> int:
        port = self.client.base_url.port
        assert port is not None
        return port

    def workers(self) -> list[psutil.Process]:
        children = psutil.Process(self.process.pid).children()
        return [child for child in children if "planner.service.plan_worker" in child.cmdline()]


@contextmanager
def served(*options: str, log: Path | None = None, code: int = 0, **environment: str) -> Iterator[Served]:
    """Start a server by the command; stop it afterwards, and check its exit code."""
    with _served(
        [sys.executable, "-c", BY_COMMAND, "serve", "--port", "0", *options], log, code, environment
    ) as server_:
        yield server_


@contextmanager
def served_bare(settings: str, log: Path | None = None, code: int = 0) -> Iterator[Served]:
    """Start a server with settings that the command does not offer."""
    with _served([sys.executable, "-c", BY_SETTINGS.format(settings)], log, code, {}) as server_:
        yield server_


@contextmanager
def _served(command: list[str], log: Path | None, code: int, environment: dict[str, str]) -> Iterator[Served]:
    log = log or Path("/dev/null")
    with log.open("wb") as err, TemporaryDirectory() as folder:
        tables = {"PLANNER_JOURNAL": f"{folder}/tables.db"}  # each server has its own tables
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=err, text=True, env={**os.environ, **tables, **environment}
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            assert line.startswith("planner serves on http://"), line
            with httpx.Client(base_url=line.split()[-1], timeout=30) as client:
                yield Served(client, process, log)
        finally:
            process.send_signal(signal.SIGTERM)
            ended = process.wait(30)
            process.stdout.close()
    assert ended == code


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests that do it no harm."""
    log = tmp_path_factory.mktemp("running") / "log"
    with served("--workers", "2", "--time-limit", "5", log=log) as server_:
        yield server_


@pytest.fixture(scope="session")
def server(running: Served) -> httpx.Client:
    """The client of the shared server."""
    return running.client
