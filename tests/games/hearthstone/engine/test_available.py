"""An engine that was compiled before its sources changed may know other rules: it is not used."""

from __future__ import annotations

import os
from pathlib import Path

from planner.games.hearthstone.engine import older_than_its_sources


def test_an_engine_older_than_its_sources_is_noticed(tmp_path: Path) -> None:
    compiled, source = tmp_path / "_engine.so", tmp_path / "rules.cpp"
    compiled.write_bytes(b"")
    assert not older_than_its_sources(compiled, tmp_path)  # installed: no sources
    source.write_text("")
    os.utime(source, (1000, 1000))
    os.utime(compiled, (2000, 2000))
    assert not older_than_its_sources(compiled, tmp_path)
    (tmp_path / "state.hpp").write_text("")
    assert older_than_its_sources(compiled, tmp_path)
