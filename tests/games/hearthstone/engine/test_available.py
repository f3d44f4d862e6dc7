"""An engine that was compiled from other sources may follow other rules: it is not used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planner.games.hearthstone import engine
from planner.games.hearthstone.engine import is_outdated
from planner.games.hearthstone.engine.source_hash import source_hash


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "state.hpp").write_text("struct State {};\n", encoding="utf-8")
    (tmp_path / "module.cpp").write_text("int main() {}\n", encoding="utf-8")
    return tmp_path


def test_engine_of_the_same_sources_is_current(sources: Path) -> None:
    compiled_from = source_hash(sources)
    assert compiled_from is not None
    os.utime(sources / "module.cpp", (1, 1))
    assert not is_outdated(compiled_from, sources)
    (sources / "module.cpp").write_bytes(b"int main() {}\r\n")
    assert not is_outdated(compiled_from, sources)


@pytest.mark.parametrize("change", ["edit", "add", "move", "delete"])
def test_any_change_of_the_sources_makes_the_engine_outdated(sources: Path, change: str) -> None:
    compiled_from = source_hash(sources)
    assert compiled_from is not None
    state = sources / "rules" / "state.hpp"
    if change == "edit":
        modified = state.stat().st_mtime
        state.write_text("struct Other {};\n", encoding="utf-8")
        os.utime(state, (modified, modified))
    elif change == "add":
        (sources / "search.cpp").touch()
    elif change == "move":
        state.rename(sources / "state.hpp")
    else:
        state.unlink()
    assert is_outdated(compiled_from, sources)


def test_installed_engine_without_sources_is_current(tmp_path: Path) -> None:
    assert source_hash(tmp_path) is None
    assert not is_outdated("0123456789abcdef", tmp_path)


def test_outdated_engine_is_refused_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("planner.games.hearthstone._engine")
    monkeypatch.setattr(engine, "source_hash", lambda folder: "0" * 16)
    with pytest.warns(UserWarning, match="make engine"):
        assert engine.engine_id.__wrapped__() is None
