"""The generated C++ lists of fields and terms are up to date."""

from __future__ import annotations

from planner.games.hearthstone.engine.generate_fields import TARGET, fields_header


def test_the_generated_header_is_up_to_date() -> None:
    command = "python -m planner.games.hearthstone.engine.generate_fields"
    assert TARGET.read_text(encoding="utf-8") == fields_header(), f"run: {command}"
