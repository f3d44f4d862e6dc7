"""Tournaments on a real Dask cluster with two worker processes, one of which is killed."""

from __future__ import annotations

import logging
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from planner.arena.tournament.runner import Progress, run_tournament
from planner.errors import PlannerError
from tests.arena.tournaments import small, tables

distributed = pytest.importorskip("distributed")


def test_tables_are_the_same_if_a_cluster_loses_a_worker(tmp_path: Path) -> None:
    experiment = small("random", "greedy", games=40)
    killed: list[int] = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.CRITICAL
    ) as cluster:

        def watch(progress: Progress) -> None:
            if progress.done >= 20 and not killed:
                workers: list[Any] = list(cluster.workers.values())
                killed.append(workers[0].process.process.pid)
                os.kill(killed[0], signal.SIGKILL)

        folder = run_tournament(experiment, tmp_path / "cluster", dask=cluster.scheduler_address, watch=watch)
    assert killed
    assert tables(folder) == tables(run_tournament(experiment, tmp_path / "here", workers=2))


def test_missing_cluster_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PlannerError, match="--dask nowhere: "):
        run_tournament(small(), tmp_path, dask="nowhere")
