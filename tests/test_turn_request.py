"""Requests for a turn of one's own, for words of a game, and for a match as a client shows it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planner import PlannerError, plan_turn
from planner.arena.match.referee import play_match
from planner.games.hearthstone import MatchSetup
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.rules.actions import Attack, Play
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn.explanation import explain
from planner.games.hearthstone.turn.turn_plan import plan_without
from planner.games.hearthstone.turn.turn_steps import equal_actions, turn_key
from planner.protocol import answer_request
from tests.games.hearthstone.turn.random_effects import effect_case

BOARD = "4 mana | me 9hp: Chillwind Yeti, Bloodfen Raptor | hand: Wolfrider, Fireball | enemy 12hp: Sen'jin Shieldmasta"
TWINS = "1 mana | me 30hp: 2/2, 2/2, 2/2, 2/2 | hand: Stonetusk Boar, Stonetusk Boar | enemy 30hp: 3/2"


def ask(kind: str, **fields: Any) -> dict[str, Any]:
    return answer_request({"request": kind, **fields})


def test_a_turn_scores_what_its_steps_earn() -> None:
    actions = ["attack me.board.0 -> enemy.board.0", {"type": "play", "card": "me.hand.0", "target": None}]
    answer = ask("turn", state=BOARD, actions=actions, weights="aggro_face")
    assert [step["words"].partition(" ")[0] for step in answer["steps"]] == ["Chillwind", "plays"]
    earned = sum(sum(step["earned"].values()) for step in answer["steps"]) + sum(answer["ending"].values())
    # 4 damage to a minion for 3 each, its 3 attack for 1; a card for 10; the taunt's 3 attack for 3; 5 + 2 + 1 health.
    assert earned == answer["score"] == 4 * 3 - 3 * 1 + 10 - 3 * 3 + (5 + 2 + 1) * 1
    assert sum(answer["terms"].values()) == answer["score"]
    assert answer["steps"][0]["source"] == "me.board.0"
    assert {move["text"] for move in answer["moves"]} == {
        "attack me.board.1 -> enemy.board.0",
        "attack me.hand.0 -> enemy.board.0",
    }


@pytest.mark.parametrize("seed", range(30))
def test_the_plan_as_a_turn_of_ones_own_loses_nothing(seed: int) -> None:
    state, weights = effect_case(seed)
    plan = plan_turn(state, weights)
    data = {"state": GAME.state_to_json(state), "weights": dict(plan.weights.terms())}
    answer = ask("turn", **data, actions=[GAME.action_to_json(action) for action in plan.actions])
    assert answer["score"] == pytest.approx(plan.objective)
    assert answer["outcome"] == plan.outcome
    again = ask("turn", state=answer["text"], weights=data["weights"], actions=[s["text"] for s in answer["steps"]])
    assert again["score"] == pytest.approx(plan.objective)
    for move in answer["moves"]:
        longer = ask("turn", **data, actions=[*(step["text"] for step in answer["steps"]), move["text"]])
        assert longer["score"] <= plan.objective + 1e-6 or plan.status != "optimal" or plan.weights.take_lethal


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"state": ""}, "state: must be a non-empty string, got ''"),
        ({"state": {"mana": 1}}, "is missing"),
        ({"state": BOARD, "actions": ["attack me.board.9 -> enemy.hero"]}, "actions: "),
        ({"state": BOARD, "actions": ["attack me.board.0 -> enemy.hero"]}, "actions: "),
        ({"state": BOARD, "actions": ["jump"]}, "actions"),
        ({"state": BOARD, "actions": ["end"] * 300}, "the limit is 200"),
        ({"state": BOARD, "actions": 3}, "actions"),
        ({"state": {"game": "spire"}}, "turn is not supported for spire|is missing"),
    ],
)
def test_an_invalid_turn_is_refused_in_one_line(fields: dict[str, Any], line: str) -> None:
    with pytest.raises(PlannerError, match=line):
        ask("turn", **fields)


def test_a_state_may_be_json_in_a_text() -> None:
    state = {"mana": 1, "me": {"hero": {"health": 5}}, "enemy": {"hero": {"health": 5}}}
    assert ask("turn", state=json.dumps(state)) == ask("turn", state=state)
    decision = ask("decide", state=state, agent="greedy")
    assert ask("decide", state=json.dumps(state), agent="greedy") == decision
    assert ask("decide", state="1 mana | me 5hp | enemy 5hp", agent="greedy") == decision


def test_nothing_is_legal_after_chance_has_decided() -> None:
    state = "10 mana | me 30hp: 1/1 | hand: Arcane Missiles | enemy 30hp: 2/3, 4/4"
    answer = ask("turn", state=state, actions=["play me.hand.0"])
    assert answer["steps"][0]["chance"]
    assert answer["moves"] == []


# -- equal cards


def test_equal_actions_are_those_of_copies() -> None:
    state = state_from_text(TWINS)
    equal = equal_actions(state, Play("me.hand.1"))
    assert equal == [Play("me.hand.1"), Play("me.hand.0")]
    attacks = equal_actions(state, Attack("me.board.2", "enemy.board.0"))
    assert {attack.attacker for attack in attacks if isinstance(attack, Attack)} == {f"me.board.{i}" for i in range(4)}
    damaged = state_from_text("1 mana | me 30hp: 2/2, 2/2 taunt, 3/2 | enemy 30hp")
    assert equal_actions(damaged, Attack("me.board.0", "enemy.hero")) == [Attack("me.board.0", "enemy.hero")]


def test_the_next_best_turns_differ_in_more_than_equal_minions() -> None:
    state = state_from_text(TWINS)
    plan = plan_turn(state, "aggro_face")
    explanation = explain(plan)
    turns = [plan, *explanation.others]
    keys = {(turn.objective, turn_key(turn.state, turn.actions)) for turn in turns}
    assert len(keys) == len(turns) == 4
    # A second copy does not replace the first: without any Boar the turn has one attack and one card less.
    boar = next(index for index, action in enumerate(plan.actions) if isinstance(action, Play))
    without = plan_without(plan, Play("me.hand.0"), Play("me.hand.1"))
    assert explanation.losses[boar] == plan.objective - without.objective > 0
    entry = explanation.to_dict()["loss_without"][boar]
    assert {entry["action"]["card"], *(other["card"] for other in entry["equal"])} == {"me.hand.0", "me.hand.1"}


# -- words and matches


def test_the_vocabulary_names_every_term_once() -> None:
    words = ask("vocabulary")
    profiles = {entry["name"]: entry for entry in ask("weights")["weights"]}
    assert words["strongest"] in profiles
    assert words["profile"] in profiles
    terms = [term["name"] for term in words["terms"]]
    assert len(set(terms)) == len(terms)
    assert all(set(profile["weights"]) <= set(terms) for profile in profiles.values())
    assert "taunt" in words["keywords"]
    assert "frozen" in words["statuses"]
    assert "mage" in words["classes"]
    assert "keywords" not in ask("vocabulary", game="spire")


def test_a_match_with_views_keeps_its_log_as_text() -> None:
    record = play_match(["greedy", "greedy"], MatchSetup.of("mage", "warrior"), 2**63 + 1, digests=True)
    log = json.dumps(record.to_dict())
    match = ask("replay", log=log, views=True)
    assert match["problem"] is None
    assert json.loads(match["log"]) == record.to_dict()
    assert all(frame["view"]["seat"] == 0 and "state" not in frame for frame in match["frames"])
    assert all(frame["view"]["sides"][-1]["seat"] == 0 for frame in match["frames"]), "the table does not turn round"
    first = ask("judge", log=log, turns=[2])["turns"][0]
    assert first["turn"] == 1
