"""Descriptions of what happens."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Play
from planner.games.hearthstone.rules.narration import describe_action
from tests.build import YOURS, card, effect, minion, play, spell, state


def test_a_transformed_minion_becomes_another_one_and_does_not_die() -> None:
    sheep = card(1, 1, name="Sheep")
    before = state(
        hand=[spell(effect("transform", "chosen minion", makes=sheep), name="Polymorph")],
        enemy=[minion(6, 7, "reborn", name="Ogre")],
    )
    action = Play("me.hand.0", YOURS)
    words = describe_action(before, action, play(before, YOURS))
    assert words == "casts Polymorph on Ogre; Ogre becomes Sheep 1/1"
