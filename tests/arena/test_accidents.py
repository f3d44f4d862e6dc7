"""Failures of disks, folders and processes during a tournament: one line, exit code 2, and the run can be resumed.

The full disk and the read-only one are real: small file systems of their own, where this machine lets us mount them.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.journal import Journal
from planner.arena.tournament.run_store import JOURNAL, MANIFEST, Store
from planner.arena.tournament.runner import run_tournament
from planner.cli import main
from planner.cli.experiment_commands import run_summary
from planner.errors import PlannerError
from tests.arena.test_determinism import PROGRAM
from tests.arena.tournaments import ROOT, small, tables

FILE = """
name: tiny
rules: thesis
decks: {first: thesis_paladin, second: thesis_warrior}
agents: [random, greedy]
games: 40
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "any.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the tables of an undisturbed run."""
    folder = tmp_path_factory.mktemp("whole")
    path = folder / "any.yaml"
    path.write_text(FILE, encoding="utf-8")
    return tables(run_tournament(load_experiment(path), folder, workers=2))


def command(file: Path, out: Path, *more: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, "tournament", str(file), "--out", str(out), "--workers", "1", *more]


def ended(done: subprocess.CompletedProcess[str]) -> str:
    """Return the error line of a failed command."""
    assert done.returncode == 2, done
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    return lines[0]


def in_a_file_system(options: str, out: Path, then: str) -> subprocess.CompletedProcess[str]:
    """Run these shell commands with `out` as a separate file system; skip if mounting is not permitted."""
    out.mkdir(exist_ok=True)
    script = f"mount -t tmpfs -o {options} none {out} || exit 99; {then}"
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare")
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
        cwd=ROOT, env=os.environ | {"NO_COLOR": "1"}, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    if done.returncode == 99 or "unshare:" in done.stderr:
        pytest.skip("this machine does not let us mount a file system")
    return done


def quoted(words: list[str]) -> str:
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def test_full_disk(file: Path, tmp_path: Path, whole: dict[str, bytes]) -> None:
    """A real file system of 32 KiB; the run is moved to a larger disk and completed there."""
    out, kept = tmp_path / "out", tmp_path / "kept"
    run = quoted(command(file, out))
    done = in_a_file_system("size=24k", out, f"{run}; code=$?; cp -r {out} {kept}; exit $code")
    line = ended(done)
    assert "tiny/journal.jsonl: No space left on device" in line
    assert "earlier games are kept; continue with --resume" in line
    journal = kept / "tiny" / JOURNAL
    finished = len(Journal(journal))
    assert 0 < finished < 160
    assert journal.read_bytes().endswith(b"\n")  # nothing half written is left
    assert not [path.name for path in (kept / "tiny").iterdir() if path.name.endswith(".part")]
    again = run_tournament(load_experiment(file), kept, workers=2, resume=True)
    assert tables(again) == whole


def test_disk_that_is_full_from_the_start(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    fill = f"head -c 200000 /dev/zero > {out}/ballast 2>/dev/null"
    line = ended(in_a_file_system("size=8k", out, f"{fill}; {quoted(command(file, out))}"))
    assert "No space left on device" in line


def test_read_only_disk(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    line = ended(in_a_file_system("ro", out, quoted(command(file, out))))
    assert line == f"error: {out}/tiny: Read-only file system"


def test_read_only_folder(file: Path, tmp_path: Path) -> None:
    """A read-only bind mount, which also applies to the superuser."""
    out = tmp_path / "out"
    with Store(out / "tiny", load_experiment(file)) as store:
        store.append([Result(0, 0, "damage", 5, 9, (9, 9))], 1.0)
    before = (out / "tiny" / JOURNAL).read_bytes()
    bind = f"mount --bind -o ro {out} {out} || mount -o bind,ro {out} {out} || exit 99"
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
         f"{bind}; touch {out}/x 2>/dev/null && exit 99; {quoted(command(file, out, '--resume'))}"],
        cwd=ROOT, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    if done.returncode == 99 or "unshare:" in done.stderr:
        pytest.skip("this machine does not let us mount a folder")
    assert ended(done) == f"error: {out}/tiny/{JOURNAL}: Read-only file system"
    assert (out / "tiny" / JOURNAL).read_bytes() == before


def test_file_size_limit(file: Path, tmp_path: Path, whole: dict[str, bytes]) -> None:
    """A limit on the size of files, which needs no mount."""
    out = tmp_path / "out"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))

    done = subprocess.run(
        command(file, out), cwd=ROOT, preexec_fn=limit, capture_output=True, text=True, timeout=100, check=False
    )
    assert "journal.jsonl: File too large; earlier games are kept" in ended(done)
    journal = out / "tiny" / JOURNAL
    assert 0 < len(Journal(journal)) < 160
    assert journal.stat().st_size <= 12_000
    again = run_tournament(load_experiment(file), out, workers=2, resume=True)
    assert tables(again) == whole


def test_tables_that_cannot_be_written(tmp_path: Path) -> None:
    experiment = small(games=3)
    folder = run_tournament(experiment, tmp_path, workers=1)
    whole = tables(folder)
    for name in whole:
        (folder / name).unlink()
        (folder / name).mkdir()  # in the way
        (folder / name / "x").touch()
        with pytest.raises(PlannerError, match=rf"{name}: .*; --resume writes the tables again"):
            run_tournament(experiment, tmp_path, resume=True, workers=1)
        shutil.rmtree(folder / name)
    assert not list(folder.glob(".*.part"))
    run_tournament(experiment, tmp_path, resume=True, workers=1)
    assert tables(folder) == whole


def test_interrupted_write_leaves_complete_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "j")
    journal.append([Result(0, 0, "damage", 5, 9, (9, 9))], 1.0)
    kept = (tmp_path / "j").read_bytes()
    real = os.write

    def half(descriptor: int, data: memoryview) -> int:
        if len(data) < 40:
            raise OSError(28, "No space left on device")
        return real(descriptor, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(PlannerError, match="No space left on device"):
        journal.append([Result(1, 0, "damage", 5, 9, (9, 9))], 1.0)
    monkeypatch.undo()
    assert (tmp_path / "j").read_bytes() == kept
    assert list(journal) == [0]
    journal.append([Result(2, 1, "damage", 5, 9, (9, 9))], 1.0)  # room was made: it goes on
    assert journal[2].winner == 1
    journal.close()
    assert list(Journal(tmp_path / "j")) == [0, 2]


def test_second_run_in_a_folder_is_refused(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The second process is refused in one line; the first is not affected."""
    out = tmp_path / "out"
    with Store(out / "tiny", load_experiment(file)) as store:
        for more in ([], ["--resume"]):
            done = subprocess.run(
                command(file, out, *more), cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
            )
            assert ended(done) == f"error: {out}/tiny: another run is using this folder"
        store.append([Result(0, 0, "damage", 5, 9, (9, 9))], 1.0)
    assert main(["tournament", str(file), "--out", str(out)]) == 2
    assert capfd.readouterr().err == f"error: {out}/tiny: contains an unfinished run; --resume continues it\n"


@pytest.mark.parametrize(
    ("agent", "source"),
    [
        ("{agent: 'own_bot:Bot'}", "own_bot.py"),
        ("{command: python3 own_program.py, name: mine}", "own_program.py"),
        ("'llm:own_model.yaml'", "own_model.yaml"),
    ],
)
def test_changed_source_of_an_agent_is_noticed(agent: str, source: str, file: Path, tmp_path: Path) -> None:
    file.write_text(FILE.replace("greedy", agent), encoding="utf-8")
    (tmp_path / source).write_text("model: one\naddress: http://localhost:1\n", encoding="utf-8")
    experiment = load_experiment(file)
    with Store(tmp_path / "run", experiment) as store:
        store.append([Result(0, 0, "damage", 5, 9, (9, 9))], 1.0)
    with Store(tmp_path / "run", experiment, resume=True) as store:
        assert len(store.results) == 1
    (tmp_path / source).write_text("model: two\naddress: http://localhost:1\n", encoding="utf-8")
    name = experiment.names[1]
    with pytest.raises(PlannerError, match=rf"run: was begun with another version of the files of {name}; all games"):
        Store(tmp_path / "run", experiment, resume=True)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_tournament(small(games=2), tmp_path_factory.mktemp("finished"), workers=1)


@pytest.mark.parametrize("damage", ["none", "cut", "cut at the end of a line", "flipped", "foreign", "empty"])
def test_damaged_journal_is_repaired(damage: str, finished: Path, tmp_path: Path) -> None:
    """Reports the lines it found and removed; the tables are those of an undisturbed run."""
    folder = tmp_path / "small"
    folder.mkdir()
    if damage == "none":
        shutil.copy(finished / MANIFEST, folder)
    else:
        manifest = (finished / MANIFEST).read_text(encoding="utf-8").replace('"finished": true', '"finished": false')
        (folder / MANIFEST).write_text(manifest, encoding="utf-8")
    content = (finished / JOURNAL).read_bytes()
    lines = content.splitlines(keepends=True)
    game = next(k for k, line in enumerate(lines) if b'{"game":[5,' in line)
    torn = {
        "none": (content, 8, 0),
        "cut": (content[:-20], 7, 1),
        "cut at the end of a line": (b"".join(lines[:-1]), 7, 0),
        "flipped": (b"".join([*lines[:game], lines[game].replace(b"damage", b"dbmage"), *lines[game + 1 :]]), 7, 1),
        "foreign": (content + b"\x00\xff not ours\n\n", 8, 2),
        "empty": (b"", 0, 0),
    }
    left, found, dropped = torn[damage]
    (folder / JOURNAL).write_bytes(left)
    summaries: list[str] = []
    run_tournament(
        small(games=2), tmp_path, workers=1, resume=True,
        watch=lambda progress: summaries.append(run_summary("small", progress, True)),
    )  # fmt: skip
    words = {
        0: "; nothing was damaged",
        1: "; dropped 1 incomplete line of the journal, whose games are played again",
        2: "; dropped 2 incomplete lines of the journal, whose games are played again",
    }
    to_play = (
        f"{8 - found} games to play" if found < 8 else "no games are left to play, and the tables are written again"
    )
    if damage == "empty":
        assert summaries[0] == f"small: no finished game of an earlier run was found; {to_play}"
    else:
        assert summaries[0] == f"small: found {found} finished games of 8{words[dropped]}; {to_play}"
    assert tables(folder) == tables(finished)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_sigterm_interrupts_the_run(name: str, file: Path, tmp_path: Path) -> None:
    file.write_text(FILE.replace("games: 40", "games: 2000"), encoding="utf-8")
    out = tmp_path / "out"
    # A job in the background of a script is born deaf to interrupts.
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); " + PROGRAM
    process = subprocess.Popen(
        [sys.executable, "-c", listening, "tournament", str(file), "--out", str(out), "--workers", "2"],
        cwd=ROOT, env=os.environ | {"NO_COLOR": "1"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    journal = out / "tiny" / JOURNAL
    while not journal.exists() or journal.read_bytes().count(b"\n") < 10:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(getattr(signal, name))
    text, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error.splitlines() == ["interrupted; the finished games are saved, and --resume continues"]
    assert text.splitlines()[0] == "tiny: 8,000 games to play"
    assert journal.read_bytes().endswith(b"\n")
    assert not (out / "tiny" / "games.parquet").exists()


def test_missing_cluster_leaves_no_folder(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    out = tmp_path / "out"
    assert main(["tournament", str(file), "--out", str(out), "--dask", "nowhere"]) == 2
    error = capfd.readouterr().err
    assert len(error.splitlines()) == 1
    assert "--dask nowhere: " in error
    assert not (out / "tiny").exists()
