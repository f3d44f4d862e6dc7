"""`planner review` and `planner watch` on the command line."""

from __future__ import annotations

import json
import threading
import time
from importlib import util
from pathlib import Path

import pytest

pytest.importorskip("hslog")

from planner.cli import main
from tests.games.hearthstone.logs.sample import sample, text


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "Power.log"
    path.write_text(text(), encoding="utf-8")
    return path


def test_a_review_is_shown(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "review.html"
    assert main(["review", str(log), "--html", str(page), "--no-color"]) == 0
    out = capsys.readouterr().out
    assert "Missed lethal: turn 3." in out
    assert "3 of 3 actions are legal" in out
    html = page.read_text(encoding="utf-8")
    assert "Turn 3: missed lethal" in html
    assert "<svg" in html or "image/svg+xml" in html
    assert "<script" not in html


def test_a_review_as_json(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(log), "--json", "--weights", "aggro_face", "--decks", "ours"]) == 0
    (match,) = json.loads(capsys.readouterr().out)["matches"]
    assert match["missed_lethals"] == [3]
    assert match["illegal_exact_actions"] == 0
    assert [turn["turn"] for turn in match["turns"]] == [1, 3]
    assert len(match["turns"][1]["likely"]) == 5


def test_names_from_a_log_are_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = tmp_path / "Power.log", tmp_path / "page.html"
    names = "D 12:00:00.0000000 GameState.DebugPrintGame() - PlayerID=1, PlayerName=<b>[red]Eve\n"
    path.write_text(text() + names, encoding="utf-8")
    assert main(["review", str(path), "--html", str(page)]) == 0
    assert "<b>[red]Eve" not in page.read_text(encoding="utf-8")
    capsys.readouterr()


@pytest.mark.parametrize(
    ("content", "why"), [("", "is empty"), ("nothing\n", "contains no match"), (None, "no such file")]
)
def test_errors_are_one_line(tmp_path: Path, content: str | None, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "Power.log"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert main(["review", str(path)]) == 2
    error = capsys.readouterr().err
    assert why in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", ["review", "watch"])
def test_a_missing_extra_is_one_line(
    log: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    find = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name, *more: None if name == "hslog" else find(name, *more))
    assert main([command, str(log)]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert "pip install 'turn-planner[logs]'" in error


def test_a_growing_log_is_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "Power.log"
    lines = sample()
    path.write_text("\n".join(lines[:40]) + "\n" + lines[40][:30], encoding="utf-8")

    def write() -> None:
        time.sleep(0.3)
        with path.open("a", encoding="utf-8") as file:
            file.write(lines[40][30:] + "\n" + "\n".join(lines[41:-3]) + "\n")

    writer = threading.Thread(target=write)
    writer.start()
    assert main(["watch", str(path), "--idle", "1.5", "--no-color"]) == 0
    writer.join()
    out = capsys.readouterr().out
    assert "Turn 3" in out
    assert "Lethal: this turn wins." in out
    assert out.count("Turn ") == 1  # turn 1 was over before anybody looked
