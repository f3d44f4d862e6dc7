"""What is kept between plans, computed late or carried out at once: the results are those of a plan from scratch."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planner import plan_turn
from planner.bench.benchmark_positions import load_positions
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.rules.actions import Action, EndTurn
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state_json import state_from_dict, state_to_dict
from planner.games.hearthstone.turn.hearthstone_weights import TERMS
from planner.games.hearthstone.turn.scoring import (
    ActionTerms,
    certain_transition,
    ending_amounts,
    replay,
    starting_health,
)
from tests.games.hearthstone.generated import random_state

STATE: dict[str, Any] = {
    "mana": 4,
    "me": {"hero": {"health": 9}, "board": [{"attack": 3, "health": 2}], "hand": ["Wolfrider"]},
    "enemy": {"hero": {"health": 12}, "board": [{"attack": 2, "health": 3}]},
}


# -- the replay


@pytest.mark.parametrize("seed", range(4))
def test_a_replay_is_the_same_as_its_actions_one_by_one(seed: int) -> None:
    rng = Random(seed)
    lengths: Counter[int] = Counter()
    for _ in range(60):
        start = state = observe(random_state(rng, most_minions=4, most_cards=5), 0)
        health, actions = starting_health(start), list[Action]()
        totals: Counter[str] = Counter()
        reveals, created = None, {}
        while len(actions) < 8 and (legal := [each for each in legal_actions(state) if each != EndTurn()]):
            action = rng.choice(legal)
            transition = certain_transition(state, action)
            if transition is None:  # chance decides
                break
            if transition.terms.cards_drawn and reveals is None:
                reveals = len(actions)
            if transition.created:
                created[len(actions)] = set(transition.created)
            totals.update(transition.terms._asdict())
            actions.append(action)
            state = transition.state
        for term, amount in ending_amounts(state, health).items():
            totals[term] += amount  # type: ignore[assignment]
        earned = replay(start, actions)
        assert earned.end == state
        assert {term: earned.amounts.get(term, 0) for term in (*TERMS, *ActionTerms._fields)} == {
            term: totals[term] for term in (*TERMS, *ActionTerms._fields)
        }
        assert earned.reveals == reveals
        for index, cards in earned.created.items():
            assert {card.id for card in cards} <= created[index]
        lengths[len(actions)] += 1
    assert sum(count for length, count in lengths.items() if length > 2) > 20


# -- caches


def profile(**weights: int) -> str:
    lines = [f"  {term}: {weights.get(term, 0)}" for term in TERMS]
    return "\n".join(["description: for a test", "weights:", *lines]) + "\n"


def test_a_profile_that_was_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(profile(face_damage=1), encoding="utf-8")
    face = plan_turn(STATE, path)
    path.write_text(profile(minion_damage=1), encoding="utf-8")
    trade = plan_turn(STATE, path)
    assert (face.terms["face_damage"], face.terms["minion_damage"]) == (6, 0)
    assert (trade.terms["face_damage"], trade.terms["minion_damage"]) == (0, 3)


def test_a_mapping_of_weights_that_was_changed_is_read_again() -> None:
    weights: dict[str, Any] = {"face_damage": 1}
    assert plan_turn(STATE, weights).objective == 6
    weights["face_damage"] = 2
    assert plan_turn(STATE, weights).objective == 12
    weights["face_damage"] = 0.5
    assert plan_turn(STATE, weights).objective == 3
    weights["card_value"] = 7
    assert plan_turn(STATE, weights).objective == 10


def test_a_card_file_that_was_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "cards.yaml"
    data = {**STATE, "me": {"hero": {"health": 9}, "board": ["Trainee"]}}
    objectives = []
    for attack in (1, 4):
        path.write_text(f"- name: Trainee\n  cost: 1\n  attack: {attack}\n  health: 1\n", encoding="utf-8")
        objectives.append(plan_turn(state_from_dict(data, standard().extended(path)), {"face_damage": 1}).objective)
    assert objectives == [1, 4]


def test_a_state_that_was_changed_is_read_again() -> None:
    data = copy.deepcopy(STATE)
    before = plan_turn(data, {"face_damage": 1})
    data["me"]["board"][0]["attack"] = 5
    data["me"]["hand"].clear()
    assert (before.objective, plan_turn(data, {"face_damage": 1}).objective) == (6, 5)


# -- terms, which are computed when they are read


def test_terms_are_those_of_the_state_that_was_planned() -> None:
    data, weights = copy.deepcopy(STATE), {"face_damage": 2, "enemy_threat": 3}
    plan = plan_turn(data, weights)
    expected = plan_turn(copy.deepcopy(STATE), dict(weights)).to_dict()
    data["me"]["board"].clear()
    data["enemy"]["board"].append({"attack": 9, "health": 9})
    weights.clear()
    found = plan.to_dict()
    assert plan.terms["face_damage"] == 6
    assert sum(plan.terms.values()) == plan.objective
    assert {**found, "seconds": 0} == {**expected, "seconds": 0}


def test_a_plan_can_be_copied_compared_and_sent_before_its_terms_are_read() -> None:
    for _, state in load_positions("recorded")[::60]:
        plan = plan_turn(state_to_dict(state), "aggro_face")
        copies = [copy.copy(plan), replace(plan), pickle.loads(pickle.dumps(plan))]
        assert all(each.terms == plan.terms for each in copies)
        assert all(each == plan for each in copies)
        assert plan != replace(plan, terms={})
