"""The folder of a run: a manifest, the journal and, at the end, the tables.

A folder belongs to one experiment, identified by its digest, and to one run at a time.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from planner.agents.language_model import names_language_model, settings_file
from planner.agents.user_agents import COMMAND, command_words, is_user_agent
from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.journal import Journal
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError, file_errors
from planner.formats.atomic_files import write_bytes
from planner.formats.values import as_list, integer, number, read_field, text
from planner.game import HasReferee
from planner.games import load_game
from planner.match_options import setups_summary

MANIFEST: Final = "manifest.json"
JOURNAL: Final = "journal.jsonl"
STDERR: Final = "stderr.jsonl"  # what user agents wrote to stderr, one line per game
_MAX_STDERR_BYTES: Final = 2**24  # of that file: a million games could fill a disk
SUMMARY: Final = "summary.csv"  # in games of one seat, instead of the matrix
PLACES: Final = "places.csv"  # in games of more than two seats
# Packages that can change how a game goes, and packages that can change how a table is written.
_DECISIVE_PACKAGES: Final = ("turn-planner", "highspy", "ortools", "PuLP", "gurobipy")
_OTHER_PACKAGES: Final = ("numpy", "pandas", "pyarrow", "scipy", "distributed")


def _names(value: Any) -> list[str]:
    return [text(each) for each in as_list(value)]


# What readers of a manifest compute with; further fields are only shown.
_MANIFEST_FIELDS: Final[dict[str, Callable[[Any], Any]]] = {
    "seed": integer, "agents": _names, "games_per_pairing": partial(integer, minimum=1), "played": integer,
    "seconds": number, "games_per_second": number,
}  # fmt: skip


class Store:
    """An open run folder. Close it, or use it in a `with` statement."""

    def __init__(self, folder: Path, experiment: Experiment, resume: bool = False) -> None:
        self.folder, self.experiment = folder, experiment
        self._lock = _lock_folder(folder)
        try:
            self.manifest = self._open_manifest(resume)
            self.journal = Journal(folder / JOURNAL, len(schedule(experiment)))
        except BaseException:
            os.close(self._lock)
            raise
        self.results: Mapping[int, Result] = self.journal  # the finished games, by their position in the schedule
        self.repaired = self.journal.repaired  # incomplete lines that were removed from the journal

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def finished(self) -> bool:
        """Whether all games were played and the tables were written."""
        return bool(self.manifest.get("finished"))

    def append(self, results: Sequence[Result], seconds: float) -> None:
        """Store these results; they are on disk on return."""
        self.journal.append(results, seconds)
        self._append_stderr([result for result in results if any(result.stderr)])

    def _append_stderr(self, results: Sequence[Result]) -> None:
        path = self.folder / STDERR
        with file_errors(path):
            for result in results:
                by_seat = {f"p{seat + 1}": text for seat, text in enumerate(result.stderr) if text}
                line = json.dumps({"game": result.position, **by_seat}) + "\n"
                with path.open("a", encoding="utf-8") as file:
                    if file.tell() + len(line) <= _MAX_STDERR_BYTES:
                        file.write(line)

    def finish(self, workers: int, games: int, **more: Any) -> None:
        """Mark the run as finished; call this after everything else is written."""
        seconds = self.journal.seconds
        self.manifest |= {
            "finished": True,
            "date": self.manifest.get("date", datetime.now(UTC).date().isoformat()),  # tables can be written again
            "games": games,
            "played": len(self.results),  # more than `games` if a test stopped the run
            "workers": workers,
            "seconds": round(seconds, 3),
            "games_per_second": round(len(self.results) / seconds, 3) if seconds else None,
            **more,
        }
        self._write_manifest()

    def close(self) -> None:
        """Release the folder; remove it if the run created it and no game was finished."""
        self.journal.close()
        if self._is_new and not self.results and not self.finished:
            with contextlib.suppress(OSError):
                (self.folder / JOURNAL).unlink()
                (self.folder / MANIFEST).unlink()
                self.folder.rmdir()
        os.close(self._lock)

    def _open_manifest(self, resume: bool) -> dict[str, Any]:
        path = self.folder / MANIFEST
        self._is_new = not path.exists()
        if self._is_new:
            others = [name for name in os.listdir(self.folder) if not name.startswith(".")]
            if others:
                raise PlannerError(
                    f"{self.folder}: contains {sorted(others)[0]}, but no run; choose another folder with --out"
                )
            self.manifest = _new_manifest(self.experiment)
            self._write_manifest()
            return self.manifest
        try:
            manifest: dict[str, Any] = json.loads(path.read_bytes())
            digest, finished = manifest["digest"], manifest["finished"]
            manifest["versions"].items(), manifest.get("sources", {}).items()  # other values cannot be compared
        except (AttributeError, ValueError, KeyError, TypeError, OSError, RecursionError):
            raise PlannerError(f"{path}: is not the manifest of a run") from None
        if digest != self.experiment.digest:
            raise PlannerError(
                f"{self.folder}: contains a different experiment ({digest[:8]}, not {self.experiment.digest[:8]}); "
                "choose another folder with --out, or remove it"
            )
        if finished and not (self.folder / JOURNAL).exists():
            raise PlannerError(
                f"{self.folder}: contains the finished tables of this experiment; to play it again, choose another "
                "folder with --out"
            )
        if not resume:
            state = "contains this experiment, already finished" if finished else "contains an unfinished run"
            hint = "writes its tables again" if finished else "continues it"
            raise PlannerError(f"{self.folder}: {state}; --resume {hint}")
        begun = "was played" if finished else "was begun"
        versions = package_versions(_DECISIVE_PACKAGES)
        check_software(self.folder, begun, manifest, versions, self.experiment, "all games of a table")
        return manifest

    def _write_manifest(self) -> None:
        text = json.dumps(self.manifest, indent=2, ensure_ascii=False) + "\n"
        with file_errors(self.folder / MANIFEST):
            write_bytes(self.folder / MANIFEST, text.encode())


def read_manifest(folder: Path, finished: bool = True) -> dict[str, Any]:
    """Read the manifest of a run; by default the run must be finished."""
    if not folder.is_dir():
        raise PlannerError(f"{folder}: {'is a file, not a results folder' if folder.exists() else 'no such folder'}")
    path = folder / MANIFEST
    if not path.exists():
        raise PlannerError(f"{folder}: is not a results folder: it has no {MANIFEST}")
    with file_errors(path):
        content = path.read_bytes()
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError):
        manifest = None
    if not isinstance(manifest, dict) or "finished" not in manifest:
        raise PlannerError(f"{path}: is not the manifest of a run")
    for key, read in _MANIFEST_FIELDS.items():
        if manifest.get(key) is not None:
            try:
                read_field(manifest, key, read)
            except PlannerError as error:
                raise PlannerError(f"{path}: {error}") from None
    if finished and not manifest["finished"]:
        raise PlannerError(
            f"{folder}: contains an unfinished run; `planner tournament EXPERIMENT --resume` continues it"
        )
    return manifest


@contextlib.contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Lock a folder for one run at a time, for runs that keep more in it than one store."""
    lock = _lock_folder(folder)
    try:
        yield
    finally:
        os.close(lock)


def _lock_folder(folder: Path) -> int:
    """Create the folder if it is missing and lock it until the returned descriptor is closed."""
    with file_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise PlannerError(f"{folder}: another run is using this folder") from None
    return lock


def sources_of(experiment: Experiment) -> dict[str, str]:
    """Return a fingerprint of the files of the user's own game and agents, by name; what they import does not count."""
    begin = experiment.folders[:1]  # where commands are run
    sources = {}
    for name, spec in (
        (experiment.game, experiment.game),
        *((each.name, each.spec.agent) for each in experiment.agents),
    ):
        if names_language_model(spec):
            files = [settings_file(spec)]
        elif spec.startswith(COMMAND):
            files = [Path(*begin, word) for word in command_words(spec)]
        elif is_user_agent(spec):
            module = spec.partition(":")[0].replace(".", "/")
            folders = (*sys.path, *experiment.folders)
            found = [Path(folder, module + end) for folder in folders for end in (".py", "/__init__.py")]
            files = [next(filter(Path.is_file, found), Path())]
        else:
            continue
        content = b"".join(file.read_bytes() for file in files if file.is_file())
        sources[name] = hashlib.blake2b(content, digest_size=16).hexdigest()
    return sources


def check_software(
    folder: Path,
    begun: str,
    recorded: Mapping[str, Any],
    versions: Mapping[str, str | None],
    experiment: Experiment,
    games: str,
) -> None:
    """Raise if packages, the engine or files of the user that decide games are not the recorded ones."""
    before = recorded.get("versions", versions)
    if changed := [name for name in versions if before.get(name) != versions[name]]:
        old, new = (", ".join(f"{name} {each.get(name)}" for name in changed) for each in (before, versions))
        raise PlannerError(f"{folder}: {begun} with {old}, this is {new}; {games} need the same version")
    engine = engine_of(experiment)
    if recorded.get("engine", engine) != engine:
        engines = recorded["engine"], engine
        old, new = (f"with engine {str(each)[:8]}" if each else "without an engine" for each in engines)
        raise PlannerError(f"{folder}: {begun} {old}, this is a run {new}; {games} need the same engine")
    sources = sources_of(experiment)
    if changed := [name for name, digest in recorded.get("sources", {}).items() if sources.get(name) != digest]:
        old = f"another version of the files of {', '.join(changed)}"
        raise PlannerError(f"{folder}: {begun} with {old}; {games} need the same version")


def engine_of(experiment: Experiment) -> str | None:
    """Return the id of the compiled engine that plays this experiment's games, or None if no engine is used."""
    game = load_game(experiment.game, experiment.folders)
    return game.engine_id() if isinstance(game, HasReferee) else None


def _new_manifest(experiment: Experiment) -> dict[str, Any]:
    """Describe what is run, with which software and on which machine."""
    return {
        "name": experiment.name,
        "digest": experiment.digest,
        "seed": experiment.seed,
        "agents": experiment.names,
        "game": experiment.game,
        "engine": engine_of(experiment),
        **({"sources": sources} if (sources := sources_of(experiment)) else {}),
        **setups_summary(load_game(experiment.game, experiment.folders), experiment.setups),
        "games_per_pairing": experiment.games,
        "pairs": experiment.pairs,
        **experiment.adjudication.to_json(),
        "swap": experiment.swap,
        "finished": False,
        "versions": {
            "python": platform.python_version(),
            **package_versions((*_DECISIVE_PACKAGES, *_OTHER_PACKAGES)),
        },
        "machine": {
            "cores": os.cpu_count(),
            "system": platform.system(),
            "release": platform.release(),
            "processor": platform.machine(),
        },
        "experiment": experiment.text,
    }


def package_versions(packages: Sequence[str]) -> dict[str, str | None]:
    """Return the versions of these packages; None for one that is not installed."""

    def find(name: str) -> str | None:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return None

    return {name: find(name) for name in packages}
