"""The boards that the analysis page offers: each is valid, and there is one for each keyword."""

from __future__ import annotations

import re
from typing import Final

import pytest

from planner import plan_turn
from planner.games.hearthstone.cards.keywords import NAMES
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.service.static_files import FOLDER

_SOURCE: Final = (FOLDER / "analysis" / "examples.js").read_text(encoding="utf-8")
FIRST: Final = re.search(r'FIRST = "([^"]+)"', _SOURCE)[1]  # type: ignore[index]
EXAMPLES: Final = {
    (FIRST if name == "[FIRST]" else name.strip('"')): text
    for name, text in re.findall(r'^  (\[FIRST\]|"[^"]+"|\w+):\s+"([^"]+)",$', _SOURCE, re.MULTILINE)
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_has_a_best_turn(name: str) -> None:
    plan = plan_turn(state_from_text(EXAMPLES[name]), "aggro_face")
    assert plan.status == "optimal"
    assert plan.actions


def test_every_keyword_has_an_example() -> None:
    assert len(EXAMPLES) == _SOURCE.count("|enemy") + _SOURCE.count("| enemy")
    assert {name.lower().replace(" ", "_") for name in EXAMPLES} >= set(NAMES)
