"""Where a run is kept: one folder with a manifest, the journal, and at the end the tables.

A folder belongs to one experiment, known by its digest, and to one run at a time.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.journal import Journal, write_bytes
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError
from planner.games import load_game

MANIFEST: Final = "manifest.json"
JOURNAL: Final = "journal.jsonl"
SAID: Final = "stderr.jsonl"  # what users' agents wrote there, a line for each game in which one did
_MOST_SAID: Final = 2**24  # bytes of that file: a million games could fill a disk
SUMMARY: Final = "summary.csv"  # where there is one seat, in place of the matrix
# Packages that can change how a game goes, and then those that can change how a table is written.
_DECIDING: Final = ("turn-planner", "highspy", "ortools", "PuLP", "gurobipy")
_OTHERS: Final = ("numpy", "pandas", "pyarrow", "scipy", "distributed")


class Store:
    """An open folder. Close it, or use it with `with`."""

    def __init__(self, folder: Path, experiment: Experiment, resume: bool = False) -> None:
        self.folder, self.experiment = folder, experiment
        self._lock = _locked(folder)
        try:
            self.manifest = self._begin(resume)
            self.journal = Journal(folder / JOURNAL, len(schedule(experiment)))
        except BaseException:
            os.close(self._lock)
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def results(self) -> Mapping[int, Result]:
        """The finished games, by their place in the schedule."""
        return self.journal

    @property
    def repaired(self) -> int:
        """Incomplete lines that were removed from the journal when it was opened."""
        return self.journal.repaired

    @property
    def finished(self) -> bool:
        """Whether all was played and the tables were written."""
        return bool(self.manifest.get("finished"))

    def append(self, results: Sequence[Result], seconds: float) -> None:
        """Keep these; they are on the disk on return."""
        self.journal.append(results, seconds)
        self._keep_said([result for result in results if any(result.stderr)])

    def _keep_said(self, results: Sequence[Result]) -> None:
        path = self.folder / SAID
        try:
            for result in results:
                said = {f"p{seat + 1}": text for seat, text in enumerate(result.stderr) if text}
                line = json.dumps({"game": result.position, **said}) + "\n"
                with path.open("a", encoding="utf-8") as file:
                    if file.tell() + len(line) <= _MOST_SAID:
                        file.write(line)
        except OSError as error:
            raise PlannerError(f"{path}: {error.strerror}") from None

    def finish(self, workers: int, games: int, **more: Any) -> None:
        """Say that all is done, last of all."""
        seconds = self.journal.seconds
        self.manifest |= {
            "finished": True,
            "games": games,
            "played": len(self.results),  # more than count, where a test has stopped the run
            "workers": workers,
            "seconds": round(seconds, 3),
            "games_per_second": round(len(self.results) / seconds, 3) if seconds else None,
            **more,
        }
        self._write_manifest()

    def close(self) -> None:
        """Let go of the folder; one in which no game was ever finished is not left behind."""
        self.journal.close()
        if self._new and not self.results and not self.finished:
            with contextlib.suppress(OSError):
                (self.folder / JOURNAL).unlink()
                (self.folder / MANIFEST).unlink()
                self.folder.rmdir()
        os.close(self._lock)

    def _begin(self, resume: bool) -> dict[str, Any]:
        path = self.folder / MANIFEST
        self._new = not path.exists()
        if self._new:
            others = [name for name in os.listdir(self.folder) if not name.startswith(".")]
            if others:
                raise PlannerError(f"{self.folder}: holds {sorted(others)[0]}, but no run; give another --out")
            self.manifest = _describe(self.experiment)
            self._write_manifest()
            return self.manifest
        try:
            manifest: dict[str, Any] = json.loads(path.read_bytes())
            digest, finished, versions = manifest["digest"], manifest["finished"], manifest["versions"]
        except (ValueError, KeyError, TypeError, OSError):
            raise PlannerError(f"{path}: is not the manifest of a run") from None
        if digest != self.experiment.digest:
            raise PlannerError(f"{self.folder}: holds a different experiment ({digest[:8]}, not "
                               f"{self.experiment.digest[:8]}); give another --out, or remove it")  # fmt: skip
        if finished and not (self.folder / JOURNAL).exists():
            raise PlannerError(f"{self.folder}: holds the finished tables of this experiment; "
                               "to play it again, give another --out")  # fmt: skip
        if not resume:
            state = "holds this experiment, finished already" if finished else "holds an unfinished run"
            hint = "writes its tables anew" if finished else "continues it"
            raise PlannerError(f"{self.folder}: {state}; --resume {hint}")
        for name, now in _versions(_DECIDING).items():
            if versions.get(name) != now:
                begun = "played" if finished else "begun"
                raise PlannerError(f"{self.folder}: was {begun} with {name} {versions.get(name)}, this is {now}: "
                                   "one table needs one version")  # fmt: skip
        return manifest

    def _write_manifest(self) -> None:
        text = json.dumps(self.manifest, indent=2, ensure_ascii=False) + "\n"
        try:
            write_bytes(self.folder / MANIFEST, text.encode())
        except OSError as error:
            raise PlannerError(f"{self.folder / MANIFEST}: {error.strerror}") from None


def read_manifest(folder: Path, finished: bool = True) -> dict[str, Any]:
    """The manifest of a finished run, or of any where that is not asked for."""
    if not folder.is_dir():
        raise PlannerError(f"{folder}: {'is a file, not a folder of results' if folder.exists() else 'no such folder'}")
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise PlannerError(f"{folder}: is not a folder of results: it has no manifest.json") from None
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror}") from None
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict) or "finished" not in manifest:
        raise PlannerError(f"{path}: is not the manifest of a run")
    if finished and not manifest["finished"]:
        raise PlannerError(f"{folder}: holds an unfinished run; `planner tournament EXPERIMENT --resume` continues it")
    return manifest


def _locked(folder: Path) -> int:
    """The folder, made where it is missing, and nobody else's until what is returned is closed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise PlannerError(f"{folder}: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise PlannerError(f"{folder}: another run is using this folder") from None
    return lock


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """A folder that belongs to one run at a time, for runs that keep more in it than one store."""
    lock = _locked(folder)
    try:
        yield
    finally:
        os.close(lock)


def _describe(experiment: Experiment) -> dict[str, Any]:
    """What was run, with what, and on which machine."""
    return {
        "name": experiment.name,
        "digest": experiment.digest,
        "seed": experiment.seed,
        "agents": experiment.names,
        "game": experiment.game,
        **load_game(experiment.game, experiment.folders).setups_summary(experiment.setups),
        "games_per_pairing": experiment.games,
        "pairs": experiment.pairs,
        "swap": experiment.swap,
        "finished": False,
        "versions": {"python": platform.python_version(), **_versions(_DECIDING), **_versions(_OTHERS)},
        "machine": {
            "cores": os.cpu_count(),
            "system": platform.system(),
            "release": platform.release(),
            "processor": platform.machine(),
        },
        "experiment": experiment.text,
    }


def _versions(packages: Sequence[str]) -> dict[str, str | None]:
    def find(name: str) -> str | None:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return None

    return {name: find(name) for name in packages}
