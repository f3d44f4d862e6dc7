"""Matches are the same with the compiled rules and with the Python rules."""

from __future__ import annotations

from random import Random

import pytest

from planner.games.hearthstone.engine import available

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from planner.games.hearthstone.cards.effect_vocabulary import HOOKS, card_hook
from planner.games.hearthstone.engine import referee
from planner.games.hearthstone.rules import legal, resolve
from planner.games.hearthstone.rules.actions import EndTurn, Mulligan, Play
from planner.games.hearthstone.rules.random_choices import ChanceError
from tests.build import CARD, effect, minion, spell, state
from tests.games.hearthstone.engine.both import Recorder, match

DICE = spell(effect("damage", "random enemy minion", amount=1))


def test_whole_matches_are_equal_with_equal_generators() -> None:
    seed = Random().randrange(2**40)
    for number in range(seed, seed + 40):
        engine, python = Random(number), Random(number)
        now = match(Recorder(number))
        while actions := referee.legal_actions(now):
            action = actions[engine.getrandbits(20) % len(actions)]
            assert action == legal.legal_actions(now)[python.getrandbits(20) % len(actions)], number
            after = referee.apply_verified(now, action, engine)
            assert after == resolve.apply_verified(now, action, python), number
            now = after
        assert engine.getstate() == python.getstate(), number


def test_the_python_rules_handle_what_the_engine_declines() -> None:
    card_hook("engine.heal")(lambda table, side, *_: table.heal(side, -1, 3))
    try:
        before = state(hand=[spell(effect("hook", name="engine.heal"))], health=20)
        assert Play(CARD) in referee.legal_actions(before)
        assert referee.apply_verified(before, Play(CARD)).me.hero.health == 23
    finally:
        del HOOKS["engine.heal"]


def test_the_python_rules_handle_the_mulligan() -> None:
    before = state(mana=0, turn=0)._replace(seat=1)
    assert referee.legal_actions(before) == []
    assert referee.apply_verified(before, Mulligan(), Random(1)).turn == 1


def test_random_effects_need_a_generator() -> None:
    before = state(hand=[DICE], enemy=[minion(1, 2), minion(1, 2)])
    with pytest.raises(ChanceError):
        referee.apply_verified(before, Play(CARD))
    assert referee.apply_verified(before, EndTurn()).turn == 2


def test_an_error_of_the_generator_is_raised() -> None:
    class Broken(Random):
        def randrange(self, *_: object) -> int:
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        referee.apply_verified(state(hand=[DICE], enemy=[minion(1, 2), minion(1, 2)]), Play(CARD), Broken())


def test_interleaved_matches_are_not_mixed_up() -> None:
    rng, python = Random(5), Random(5)
    running = [match(Recorder(number)) for number in (1, 2)] * 2
    expected = list(running)
    for step in range(600):
        index = step % len(running)
        if actions := referee.legal_actions(running[index]):
            action = actions[step % len(actions)]
            running[index] = referee.apply_verified(running[index], action, rng)
            expected[index] = resolve.apply_verified(expected[index], action, python)
            assert running[index] == expected[index]


@pytest.mark.parametrize("every", [1, 100])
def test_a_generator_may_apply_actions_to_other_states(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "AUDIT", referee.Audit(every))
    other, before = state(hand=[DICE], enemy=[minion(1, 2)]), state(hand=[DICE], enemy=[minion(1, 2), minion(1, 2)])

    class Interfering(Random):
        def randrange(self, *_: object) -> int:
            for one in (before, other):
                assert referee.apply_verified(one, EndTurn()).turn == 2
            return 1

    after = referee.apply_verified(before, Play(CARD), Interfering())
    assert [one.health for one in after.enemy.board] == [2, 1]
    assert referee.legal_actions(after) == legal.legal_actions(after)
