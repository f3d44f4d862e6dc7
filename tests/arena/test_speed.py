"""Two workers play nearly twice as many games as one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planner.arena.tournament.runner import Progress, run_tournament
from planner.processes import available_cores
from tests.arena.tournaments import small


def games_per_second(workers: int, folder: Path) -> float:
    """Measure from the first result on, without the start of the processes."""
    seen: list[tuple[float, int]] = []

    def watch(progress: Progress) -> None:
        if progress.done > workers:
            seen.append((progress.seconds, progress.done))

    run_tournament(small("aggro_face", "board_clear", games=100), folder, workers=workers, watch=watch)
    return (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0])


@pytest.mark.long
@pytest.mark.skipif(available_cores() < 2, reason="one core")
def test_two_workers_are_nearly_twice_as_fast(tmp_path: Path) -> None:
    if os.getloadavg()[0] > 0.75:
        pytest.skip("the machine has other work")
    ratios = []
    for attempt in range(3):
        one, two = (games_per_second(workers, tmp_path / f"{attempt}-{workers}") for workers in (1, 2))
        ratios.append(two / one)
        if ratios[-1] >= 1.8:
            return
    assert max(ratios) >= 1.8, ratios
