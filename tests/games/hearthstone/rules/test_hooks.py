"""Hooks: functions for effects that data cannot express."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from planner.games.hearthstone.cards.effect_vocabulary import HOOKS, card_hook
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.state import Minion
from planner.games.hearthstone.rules.targeting import Spot
from tests.build import FACE, YOURS, attack, card, effect, find, minion, pass_turns, play, spell, state


@pytest.fixture(autouse=True)
def _own_hooks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    registered = dict(HOOKS)
    yield
    HOOKS.clear()
    HOOKS.update(registered)


def test_hook_is_called_with_state_side_source_and_targets() -> None:
    calls: list[tuple[int, str | None, list[Spot]]] = []

    @card_hook("remember")
    def remember(state: MutableState, side: int, source: Minion | None, spots: list[Spot]) -> None:
        calls.append((side, source and source.id, spots))

    play(state(hand=[spell(effect("hook", "all enemy characters", name="remember"))], enemy=[minion(1, 1)]))
    play(state(hand=[card(1, 1, "", effect("hook", name="remember"))]))
    dying = minion(1, 1, "", effect("hook", name="remember", on="death"))
    attack(state(board=[minion(1, 9)], enemy=[dying]))
    assert calls == [(0, None, [(1, -1), (1, 0)]), (0, "me.hand.0", []), (1, YOURS, [])]


def test_hook_changes_the_state_and_deaths_follow() -> None:
    @card_hook("swap")
    def swap(state: MutableState, side: int, source: Minion | None, spots: list[Spot]) -> None:
        for owner, position in spots:
            old = state.sides[owner].board[position]
            state.sides[owner].board[position] = old._replace(attack=old.health, health=old.attack)

    crazed = spell(effect("hook", "chosen minion", name="swap"))
    after = play(state(hand=[crazed], enemy=[minion(0, 4), minion(2, 5)]), YOURS)
    assert find(after, YOURS) is None


def test_hook_works_at_the_end_of_a_turn() -> None:
    @card_hook("draw for both")
    def draw(state: MutableState, side: int, source: Minion | None, spots: list[Spot]) -> None:
        state.draw(0)
        state.draw(1)

    after = pass_turns(state(board=[minion(1, 1, "", effect("hook", name="draw for both", on="turn_end"))]))
    assert (len(after.me.hand), len(after.enemy.hand)) == (2, 1)


def test_hook_can_deal_damage() -> None:
    @card_hook("three")
    def three(state: MutableState, side: int, source: Minion | None, spots: list[Spot]) -> None:
        for owner, position in spots:
            state.damage(owner, position, 3)

    bolt = spell(effect("hook", "chosen character", name="three"))
    assert play(state(hand=[bolt]), FACE).enemy.hero.health == 27
