"""The compiled rules and the Python rules agree on legal actions, their results and the amounts that they count."""

from __future__ import annotations

import pytest

from planner.games.hearthstone.engine import available

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from tests.games.hearthstone.cards.real import needs_real_cards
from tests.games.hearthstone.engine.both import compare_generated, compare_matches, compare_real_cards
from tests.games.hearthstone.engine.turns import fresh_seed


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_from_known_seeds(seed: int) -> None:
    compare_matches(seed, 500)
    compare_generated(seed, 1500)


def test_whole_matches() -> None:
    compare_matches(fresh_seed(), 20_000)


def test_generated_boards() -> None:
    compare_generated(fresh_seed(), 30_000)


@needs_real_cards
def test_boards_of_real_cards() -> None:
    compare_real_cards(fresh_seed(), 3000)


@pytest.mark.long
def test_whole_matches_at_length() -> None:
    compare_matches(fresh_seed(), 400_000)


@pytest.mark.long
def test_generated_boards_at_length() -> None:
    compare_generated(fresh_seed(), 600_000)


@needs_real_cards
@pytest.mark.long
def test_boards_of_real_cards_at_length() -> None:
    compare_real_cards(fresh_seed(), 200_000)
