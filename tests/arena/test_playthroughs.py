"""The recorded matches are played in the same way."""

from __future__ import annotations

import pytest

from planner.games.hearthstone.cards.card import CLASSES
from tests.arena.playthroughs import FOLDER, class_decks, playthrough


def test_one_playthrough_per_class() -> None:
    assert class_decks() == sorted(CLASSES)
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == class_decks()


@pytest.mark.parametrize("deck", class_decks())
def test_matches_are_played_as_recorded(deck: str) -> None:
    recorded = (FOLDER / f"{deck}.txt").read_text(encoding="utf-8").splitlines()
    played = playthrough(deck).splitlines()
    for number, (was, now) in enumerate(zip(recorded, played, strict=False), 1):
        # The first difference says more than all that follow from it.
        assert now == was, f"{deck}.txt:{number} (if this is meant: make playthroughs)"
    assert len(played) == len(recorded)
