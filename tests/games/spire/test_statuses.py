"""Every shipped status, the order of callbacks, and custom statuses."""

from __future__ import annotations

from typing import Any

import pytest

from planner.errors import PlannerError
from planner.games.spire.battle_state import Fighter, MutableBattle
from planner.games.spire.built_in_words import BUILT_IN
from planner.games.spire.card_library import shipped_library
from tests.games.spire.battles import GOBLIN, amounts, battle, end, play, titles


def status(name: str, amount: int = 1, turns: int = 0) -> dict[str, Any]:
    return {"status": name, "amount": amount, **({"turns": turns} if turns else {})}


def goblin(*statuses: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**GOBLIN, "statuses": list(statuses), **fields}


def test_every_status_has_a_test() -> None:
    for name in shipped_library("").statuses:
        assert f"test_{name.replace(' ', '_')}" in globals(), name


def test_strength() -> None:
    state = battle("Strike", "Cleave", enemies=(goblin(), goblin()), statuses=[status("strength", 3)])
    after = play(play(state, "Strike", 0), "Cleave")
    assert [enemy.health for enemy in after.enemies] == [44 - 9 - 11, 44 - 11]
    assert amounts(end(after).statuses) == {"strength": 3}
    assert end(battle(enemies=(goblin(status("strength", 2)),))).health == 80 - 13


def test_vigor() -> None:
    state = battle("Defend", "Cleave", "Strike", enemies=(goblin(), goblin()), statuses=[status("vigor", 4)])
    after = play(play(state, "Defend"), "Cleave")  # one attack on both enemies uses it up
    assert [enemy.health for enemy in after.enemies] == [32, 32]
    assert play(after, "Strike", 0).enemies[0].health == 26
    assert amounts(end(state).statuses) == {"vigor": 4}


def test_weak() -> None:
    state = battle("Strike", statuses=[status("weak", 2)])
    assert play(state, "Strike").enemies[0].health == 44 - 4  # 4.5
    assert [amounts(end(state).statuses), amounts(end(end(state)).statuses)] == [{"weak": 1}, {}]
    assert end(battle(enemies=(goblin(status("weak")),))).health == 80 - 8  # 8.25


def test_vulnerable() -> None:
    state = battle("Strike", enemies=(goblin(status("vulnerable", 2)),))
    assert play(state, "Strike").enemies[0].health == 44 - 9
    assert amounts(end(state).enemies[0].statuses) == {"vulnerable": 1}


def test_after_image() -> None:
    assert play(battle("Anger", statuses=[status("after image", 3)]), "Anger").block == 3


def test_tolerance() -> None:
    after = end(battle(statuses=[status("tolerance", 5)]))
    assert (after.health, after.block, amounts(after.statuses)) == (80 - 6, 0, {"tolerance": 7})


def test_bomb() -> None:
    after = end(battle(statuses=[status("bomb", 40, 1), status("bomb", 5, 1), status("strength", 9)]))
    assert (after.enemies[0].health, amounts(after.statuses)) == (
        0,
        {"strength": 9},
    )  # not an attack, so strength does not count


def test_additions_come_before_factors_and_rounding_is_last() -> None:
    statuses = [status("strength", 1), status("vigor", 2), status("weak")]
    after = play(battle("Strike", enemies=(goblin(status("vulnerable")),), statuses=statuses), "Strike")
    assert after.enemies[0].health == 44 - 10  # (6 + 1 + 2) * 3/4 * 3/2 = 10.125


def with_status(entry: dict[str, Any], *hand: str, **fields: Any) -> Any:
    cards = {"Test": {"cost": 0, "type": "skill", "does": [
        {"do": "apply", "status": "custom", "amount": 2, "to": "self"}]}}  # fmt: skip
    library = {"statuses": {"custom": {"good": True, "stacking": "add", **entry}}, "cards": cards}
    return battle(*hand, library=library, **fields)


def test_stacking_rules() -> None:
    state = with_status({"stacking": "keep"}, "Test", "Test")
    assert amounts(play(play(state, "Test"), "Test").statuses) == {"custom": 2}
    assert amounts(play(play(with_status({}, "Test", "Test"), "Test"), "Test").statuses) == {"custom": 4}
    apart = play(play(with_status({"stacking": "apart"}, "Test", "Test"), "Test"), "Test")
    assert [active.amount for active in apart.statuses] == [2, 2]


def test_callbacks_for_block_and_turn_start() -> None:
    agile = {"on": [{"event": "block_gained", "add": "stacks"}, {"event": "block_gained", "times": "1/2"}]}
    assert play(play(with_status(agile, "Test", "Defend"), "Test"), "Defend").block == 3  # (5 + 2) / 2
    eager = {"on": [{"event": "turn_start", "does": [{"do": "energy", "amount": "stacks"}]}]}
    assert end(play(with_status(eager, "Test"), "Test")).energy == 5


def test_callback_triggers_no_further_callbacks() -> None:
    fury = {"on": [{"event": "after_attack", "does": [{"do": "attack", "amount": "stacks", "to": "all enemies"}]}]}
    assert play(play(with_status(fury, "Test", "Strike"), "Test"), "Strike").enemies[0].health == 44 - 6 - 2


@BUILT_IN.function("thorns for tests")
def _thorns(battle: MutableBattle, owner: Fighter, active: Any, value: int) -> int:
    for enemy in battle.enemies:
        if enemy is not owner:
            enemy.take_damage(active.amount)
    return value


def test_registered_function_runs_as_a_callback() -> None:
    thorns = {"on": [{"event": "attack_taken", "call": "thorns for tests"}]}
    after = end(play(with_status(thorns, "Test"), "Test"))
    assert (after.enemies[0].health, after.health) == (42, 69)
    with pytest.raises(PlannerError, match=r"library: custom: on: call: 'no such' is not a function"):
        with_status({"on": [{"event": "attack_taken", "call": "no such"}]})


def test_draw_count_and_energy_count_change_the_next_turns() -> None:
    fields = {"draw": ["Strike"] * 20, "energy_per_turn": 3, "cards_per_turn": 5}
    prepared = {"on": [{"event": "draw_count", "add": "stacks"}, {"event": "turn_start", "remove": True}]}
    after = end(play(with_status(prepared, "Test", **fields), "Test"))
    assert (len(after.hand), amounts(after.statuses)) == (7, {})
    assert len(end(after).hand) == 5
    drained = {"on": [{"event": "energy_count", "add": -2}, {"event": "draw_count", "times": "1/2"}]}
    after = end(play(with_status(drained, "Test", **fields), "Test"))
    assert (after.energy, len(after.hand)) == (1, 2)


def test_status_keeps_the_hand_in_the_turn_in_which_it_ends() -> None:
    calm = {"keeps_hand": True, "each_turn": -2}
    state = with_status(calm, "Bash", "Test", "Strike", draw=["Defend"] * 9, cards_per_turn=1)
    after = end(play(state, "Test"))
    assert (titles(after.hand), titles(after.discard), amounts(after.statuses)) == (
        ["Bash", "Strike", "Defend"],
        ["Test"],
        {},
    )
    assert titles(end(after).hand) == ["Defend"]


def test_retained_card_stays_in_hand() -> None:
    trap = {"Trap": {"cost": 1, "type": "skill", "retain": True, "does": [{"do": "energy", "amount": 1}]}}
    state = battle("Strike", "Trap", "Defend", draw=["Bash"] * 9, cards_per_turn=2, library={"cards": trap})
    after = end(state)
    assert (titles(after.hand), titles(after.discard)) == (["Trap", "Bash", "Bash"], ["Strike", "Defend"])
    assert titles(play(after, "Trap").discard) == ["Strike", "Defend", "Trap"]
