"""The health, moves and move pattern of every shipped enemy."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from planner.games.spire import battle_rules
from planner.games.spire.battle_codec import setup_from_json
from planner.games.spire.battle_state import END, Battle
from planner.games.spire.battle_text import describe_intent
from planner.games.spire.card_library import shipped_library
from tests.games.spire.battles import amounts, battle, end


def test_every_enemy_has_a_test() -> None:
    for name in shipped_library("").enemies:
        assert f"test_{name.lower().replace(' ', '_')}" in globals(), name


def moves(name: str, turns: int, seed: int) -> list[str]:
    """Return the moves of an enemy in these turns, against a player with much health."""
    setup = setup_from_json({"deck": ["Defend"], "enemies": [name], "health": 9999})
    rng = Random(seed)
    state = battle_rules.start(setup, rng)
    shown = []
    for _ in range(turns):
        shown.append(state.enemies[0].kind.moves[state.enemies[0].move].name)
        state = battle_rules.apply(state, END, rng)
    return shown


def possible_health(name: str) -> set[int]:
    setup = setup_from_json({"deck": ["Defend"], "enemies": [name]})
    return {battle_rules.start(setup, Random(seed)).enemies[0].health for seed in range(200)}


def facing(name: str, move: str) -> Battle:
    return battle(enemies=({"name": name, "move": move},))


def test_jaw_worm() -> None:
    assert possible_health("Jaw Worm") == set(range(40, 45))
    assert end(facing("Jaw Worm", "Chomp")).health == 80 - 11
    after = end(facing("Jaw Worm", "Bellow"))
    assert (after.health, after.enemies[0].block, amounts(after.enemies[0].statuses)) == (80, 5, {"strength": 3})
    after = end(facing("Jaw Worm", "Thrash"))
    assert (after.health, after.enemies[0].block) == (80 - 7, 5)
    after_bellow: Counter[str] = Counter()
    for seed in range(100):
        shown = moves("Jaw Worm", 40, seed)
        assert shown[0] == "Chomp"
        text = "".join(name[0] for name in shown)
        assert not any(never in text for never in ("BB", "CC", "TTT"))
        # Bellow must not repeat, so Thrash and Chomp follow it in the ratio 30 to 25.
        after_bellow.update(second for first, second in pairwise(text) if first == "B")
    assert set(after_bellow) == {"T", "C"}
    assert 0.5 < after_bellow["T"] / after_bellow.total() < 0.59


def test_acid_slime() -> None:
    assert possible_health("Acid Slime") == set(range(8, 13))
    assert end(facing("Acid Slime", "Tackle")).health == 80 - 3
    assert amounts(end(facing("Acid Slime", "Lick")).statuses) == {"weak": 1}
    starts = Counter(tuple(moves("Acid Slime", 3, seed)) for seed in range(50))
    assert set(starts) == {("Tackle", "Lick", "Tackle"), ("Lick", "Tackle", "Lick")}


def test_spike_slime() -> None:
    assert possible_health("Spike Slime") == set(range(10, 15))
    assert end(facing("Spike Slime", "Tackle")).health == 80 - 5
    assert set(moves("Spike Slime", 5, 0)) == {"Tackle"}


@pytest.mark.parametrize("seed", range(3))
def test_goblin(seed: int) -> None:
    assert possible_health("Goblin") == {44}
    assert moves("Goblin", 4, seed) == ["Strike", "Guard", "Strike", "Guard"]
    assert end(facing("Goblin", "Strike")).health == 80 - 11
    after = end(facing("Goblin", "Guard"))
    assert (after.health, after.enemies[0].block) == (80 - 7, 5)


def test_hobgoblin() -> None:
    assert possible_health("Hobgoblin") == {44}
    assert moves("Hobgoblin", 3, 0) == ["Strike", "Guard", "Strike"]
    assert end(facing("Hobgoblin", "Strike")).health == 80 - 22
    after = end(facing("Hobgoblin", "Guard"))
    assert (after.health, after.enemies[0].block) == (80 - 10, 10)


def test_leech() -> None:
    assert possible_health("Leech") == {70}
    assert moves("Leech", 3, 0) == ["Sap", "Bite", "Sap"]
    after = end(facing("Leech", "Sap"))
    assert (after.health, amounts(after.statuses)) == (80 - 1, {"weak": 1})
    assert end(facing("Leech", "Bite")).health == 80 - 4


def test_living_enemies_act_in_order() -> None:
    state = battle(enemies=(
        {"name": "Goblin"}, {"name": "Goblin", "health": 0}, {"name": "Hobgoblin"}, {"name": "Leech"},
    ))  # fmt: skip
    assert end(state).health == 80 - 11 - 22 - 1
    assert describe_intent(state.enemies[3].kind.moves[0]) == "1 damage, 1 weak"
