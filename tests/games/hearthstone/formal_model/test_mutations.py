"""A change of a single predicate of the corrected specification makes a proof or a comparison with the rules fail."""

from __future__ import annotations

import pytest

pytest.importorskip("z3")

from planner.games.hearthstone.formal_model import specification
from tests.games.hearthstone.formal_model.mutation import mutants, noticed, noticed_by_matches, sample


def test_the_specification_itself_is_not_noticed() -> None:
    assert noticed_by_matches(specification("corrected")) is None


@pytest.mark.parametrize(
    "change",
    [
        "TurnDraw: p.hand ∪ {head p.deck}  becomes  p.hand ∩ {head p.deck}",
        "MinionAttackPlayerRefused: attacker? ∈ battled_this_turn  becomes  attacker? ∉ battled_this_turn",
        "InitMinion: health > 0  becomes  health ≥ 0",
        "PlayerState: removed: hand ∩ ran deck = ∅",
        "Playing: removed: ∀ p : PLAYER • pl_state(p).health > 0",
    ],
)
def test_a_change_is_noticed(change: str) -> None:
    assert noticed(dict(mutants(specification("corrected")))[change]) is not None


@pytest.mark.long
def test_at_least_90_of_100_random_changes_are_noticed() -> None:
    survivors = [text for text, mutant in sample(100, 2024) if noticed(mutant) is None]
    assert len(survivors) <= 10, "\n".join(survivors)
