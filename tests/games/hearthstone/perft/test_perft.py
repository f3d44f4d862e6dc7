"""Perft: the number of action sequences from fixed states, counted in several ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Play, Trade
from planner.games.hearthstone.rules.legal import illegal_reason, legal_actions
from planner.games.hearthstone.rules.resolve import apply, apply_verified
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState
from tests.games.hearthstone.perft import naive
from tests.games.hearthstone.perft.positions import PLAIN, RICH

ALL = {**PLAIN, **RICH}


def perft(state: GameState, depth: int) -> int:
    """Return the number of sequences of this many legal actions."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(legal_actions(state))
    return sum(perft(apply_verified(state, action), depth - 1) for action in legal_actions(state))


def split(state: GameState, depth: int) -> dict[str, int]:
    """Return the counts by first move, to locate a difference."""
    return {str(action): perft(apply(state, action), depth - 1) for action in legal_actions(state)}


def conceivable(state: GameState) -> Iterable[Action]:
    """Return every action with ids of this state, legal or not."""
    here = [thing.id for side in (state.me, state.enemy) for zone in (side.board, side.hand) for thing in zone]
    names = [MY_HERO, ENEMY_HERO, *here]
    for name in names:
        yield Trade(name)
        yield from (Play(name, target) for target in (None, *names))
        yield from (Attack(name, target) for target in names)
    yield from (HeroPower(target) for target in (None, *names))
    yield EndTurn()


def brute(state: GameState, depth: int) -> int:
    """Count without `legal_actions`: every conceivable action that `illegal_reason` allows."""
    if depth == 0:
        return 1
    allowed = [action for action in conceivable(state) if illegal_reason(state, action) is None]
    return len(allowed) if depth == 1 else sum(brute(apply(state, action), depth - 1) for action in allowed)


def compare(name: str, counted: Callable[[GameState, int], int], deepest: int) -> None:
    state, numbers = ALL[name]
    for depth, number in enumerate(numbers[:deepest], start=1):
        found = counted(state, depth)
        if found != number:
            lines = "\n".join(f"  {move}: {count}" for move, count in split(state, depth).items())
            pytest.fail(f"{name}: {found} sequences of {depth} actions instead of {number}; by first move:\n{lines}")


def test_each_state_has_counts_for_three_actions() -> None:
    assert len(ALL) >= 20
    assert all(len(numbers) >= 3 for _, numbers in ALL.values())


@pytest.mark.parametrize("name", ALL)
def test_perft(name: str) -> None:
    compare(name, perft, deepest=9)


@pytest.mark.parametrize("name", PLAIN)
def test_perft_of_minions_by_the_naive_rules(name: str) -> None:
    compare(name, lambda state, depth: naive.count(naive.world(state), depth), deepest=3)


@pytest.mark.parametrize("name", ALL)
def test_perft_by_checking_all_conceivable_actions(name: str) -> None:
    compare(name, brute, deepest=2 if name in PLAIN else 3)


@pytest.mark.long
@pytest.mark.parametrize("name", PLAIN)
def test_perft_of_minions_by_the_naive_rules_completely(name: str) -> None:
    compare(name, lambda state, depth: naive.count(naive.world(state), depth), deepest=9)


def test_a_wrong_count_is_reported_by_first_move(monkeypatch: pytest.MonkeyPatch) -> None:
    state, numbers = ALL["two against two"]
    monkeypatch.setitem(ALL, "two against two", (state, (numbers[0] + 1,)))
    with pytest.raises(pytest.fail.Exception, match=r"(?s)instead of .*by first move:.*Attack\(attacker='me.board.0'"):
        compare("two against two", perft, deepest=1)
