"""Boards on which an unsound prune would lose the best turn: each name says what must not be pruned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planner import plan_turn
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from tests.games.hearthstone.exhaustive import best_by_search

REBORN = '{"name": "Phoenix", "cost": 3, "attack": 5, "health": 1, "keywords": ["charge", "reborn"]}'
BLAST = (
    '{"name": "Blast", "type": "spell", "cost": 4, "effects": '
    '[{"do": "damage", "amount": 5, "to": "chosen enemy character"}]}'
)
BOARDS: dict[str, tuple[str, Any]] = {
    "area damage after an attack kills a minion that it would have killed": (
        "2 mana | me 30hp: 9/9 | hand: Arcane Explosion | enemy 30hp: 0/1, 0/1",
        {"minion_damage": 1},
    ),
    "area damage after two attacks": (
        "2 mana | me 30hp: 9/9, 8/8 | hand: Arcane Explosion | enemy 30hp: 0/1, 0/1, 0/4",
        {"minion_damage": 1},
    ),
    "a weak attack before a strong one, before the spell": (
        "2 mana | me 30hp: 3/9, 4/9 | hand: Arcane Explosion | enemy 30hp: 0/4",
        {"minion_damage": 1},
    ),
    "a spell on a friendly minion for its card value, since the last attack ends the match": (
        "1 mana | me 30hp: Boulderfist Ogre | hand: Arcane Shot | enemy 2hp",
        "aggro_face",
    ),
    "a spell on a friendly minion improves a random effect": (
        "3 mana | me 30hp: 1/1 attacks_left=0 | hand: Arcane Shot, Mad Bomber | enemy 30hp: 7/1 stealth",
        {"enemy_threat": 1},
    ),
    "a random effect for its influence on an end-of-turn effect": (
        "1 mana | me 30hp: Ragnaros the Firelord | hand: Arcane Missiles | enemy 8hp: 0/1, 0/1, 0/1, 0/1",
        {"lethal": 100},
    ),
    "a reborn minion with charge attacks again": (
        f"4 mana | me 30hp | hand: Phoenix, Arcane Shot | enemy 30hp: 2/30 | cards: {REBORN}",
        {"minion_damage": 1},
    ),
    "a weapon with windfury repeats the hero's attack of this turn": (
        f"4 mana | me 30hp attack_this_turn=2 | hand: Blast, The Coin, Doomhammer | enemy 30hp | cards: {BLAST}",
        {"face_damage": 1},
    ),
    "fatigue ends the match": (
        "8 mana | me 3hp fatigue=1: 2/2 | hand: Gnomish Inventor, Arcane Intellect | enemy 30hp: 1/1",
        {"face_damage": 1, "card_value": 3, "minion_damage": 1},
    ),
    "the hero power ends the match": (
        "2 mana | me 30hp: 3/3 | power Steady Shot | enemy 2hp: 1/1",
        {"lethal": 5, "minion_damage": 1, "face_damage": 1},
    ),
    "a minion whose effect triggers next turn": (
        "9 mana | me 10hp: 1/1 | power Shapeshift | hand: Demolisher | enemy 30hp",
        {"card_value": 2, "face_damage": 1, "own_survival": 1},
    ),
    "an attack that heals the enemy hero before the spell that would kill it": (
        "1 mana | me 30hp: 6/2 | hand: Arcane Shot | enemy 2hp max_health=20: 1/2 lifesteal",
        {"board_clear": 20, "face_damage": 1, "minion_damage": 15, "card_value": 8},
    ),
    "each echo copy needs a free board slot": (
        '4 mana ruleset={"board_limit": 1} | me 30hp: 3/3 | hand: Hunting Mastiff | enemy 30hp: 5/9 poisonous',
        {"card_value": 1},
    ),
}


# Smaller boards with custom cards: each block has a title, a state and weights.
for block in (Path(__file__).parent / "pruning_boards.txt").read_text(encoding="utf-8").strip().split("\n\n"):
    title, board, profile = block.split("\n")
    BOARDS[title.removeprefix("# ")] = board, json.loads(profile)


@pytest.mark.parametrize("name", BOARDS)
def test_pruning_keeps_the_best_turn(name: str) -> None:
    text, profile = BOARDS[name]
    state, weights = state_from_text(text), Weights.of(profile)
    plan = plan_turn(state, weights)
    assert plan.status == "optimal"
    assert plan.objective == pytest.approx(float(best_by_search(state, weights)[0])), plan.actions
