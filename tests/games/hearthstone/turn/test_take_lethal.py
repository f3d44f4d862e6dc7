"""Profiles with take_lethal: they take every certain win, whatever the other terms say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planner import plan_turn, plan_turns
from planner.cli import main
from planner.errors import PlannerError
from planner.games.hearthstone import GAME
from planner.games.hearthstone.rules.legal import is_over
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.planning.plan import NoTurnError, Stopped
from tests.games.hearthstone.generated import random_state

HUG = Weights(own_survival=50, damage_taken=9, lethal=1, name="hug")  # prefers keeping its minions to winning
TAKER = replace(HUG, take_lethal=True)


def board(**changes: Any) -> dict[str, Any]:
    """Return a state with a choice between lethal and a trade."""
    state: dict[str, Any] = {
        "mana": 0,
        "me": {"hero": {"health": 30}, "board": [{"attack": 3, "health": 2}]},
        "enemy": {"hero": {"health": 3}, "board": [{"attack": 0, "health": 3}]},
    }
    return state | changes


def test_a_certain_win_comes_before_all_weights() -> None:
    trader = Weights(minion_damage=100, lethal=1)
    assert not plan_turn(board(), trader).lethal
    plan = plan_turn(board(), replace(trader, take_lethal=True))
    assert plan.outcome == "win"
    assert plan.status == "optimal"
    assert plan.objective == 1  # scored by the profile's own weights


def test_among_winning_turns_the_best_by_the_weights() -> None:
    """Either the minion or the spell kills the hero; with the spell, the minion can attack the enemy minion."""
    state = board(mana=2)
    state["me"]["hand"] = [
        {"name": "Bolt", "card": {"name": "Bolt", "type": "spell", "cost": 2,
                                  "effects": [{"do": "damage", "amount": 3, "to": "chosen character"}]}}
    ]  # fmt: skip
    trader = Weights(minion_damage=7, card_value=0, take_lethal=True)
    plan = plan_turn(state, trader)
    assert plan.outcome == "win"
    assert plan.objective == 21


def test_a_draw_is_not_a_win() -> None:
    """The only lethal turn also kills my hero, so take_lethal does not force it."""
    both_die = [{"do": "damage", "amount": 3, "to": "all heroes"}]
    state = board(mana=1)
    state["me"]["hero"]["health"] = 3
    state["me"]["board"] = []
    quake = {"name": "Quake", "type": "spell", "cost": 1, "effects": both_die}
    state["me"]["hand"] = [{"name": "Quake", "card": quake}]
    assert plan_turn(state, Weights(lethal=1)).lethal
    assert plan_turn(state, Weights(lethal=0, card_value=-1, take_lethal=True)).actions == ()


def test_a_possible_win_is_not_a_certain_win() -> None:
    state = board(mana=1)
    state["me"]["board"] = []
    random_damage = [{"do": "damage", "amount": 3, "to": "random enemy character"}]
    state["me"]["hand"] = [
        {"name": "Dice", "card": {"name": "Dice", "type": "spell", "cost": 1, "effects": random_damage}}
    ]
    assert plan_turn(state, Weights(card_value=-1, take_lethal=True)).actions == ()


@pytest.mark.parametrize("seed", range(40))
def test_random_turns(seed: int) -> None:
    """Every win that lethal-only weights find is taken; without one, the plan is that of the plain profile."""
    rng = Random(seed)
    state = random_state(rng, most_minions=3, most_cards=3)
    hero = state.enemy.hero._replace(health=rng.randint(1, 6), armor=0)
    state = state._replace(enemy=state.enemy._replace(hero=hero))
    if is_over(state):
        return
    kill = Weights(lethal=1, forbid=(Rule("own_hero_death"),))
    try:
        exists = plan_turn(state, kill).lethal
    except NoTurnError:
        exists = False
    plan, plain = plan_turn(state, TAKER), plan_turn(state, HUG)
    assert plan.lethal == (exists or plain.lethal)
    if not exists:
        assert plan.objective == plain.objective
        assert plan.actions == plain.actions
    elif plan.status == "optimal":
        wins = [turn for turn in plan_turns(state, replace(HUG, lethal=10**6), k=20) if turn.outcome == "win"]
        assert plan.objective >= max((turn.objective - 10**6 + 1 for turn in wins), default=plan.objective)


def test_large_weights_do_not_outweigh_a_certain_win() -> None:
    plan = plan_turn(board(), Weights(minion_damage=10**6, take_lethal=True))
    assert plan.outcome == "win"


def test_next_best_plans_after_a_win_are_other_turns() -> None:
    """The win comes first and only once, then the best turns by the weights, even with large weights."""
    for trade in (100, 10**6):
        plans = plan_turns(board(), Weights(minion_damage=trade, take_lethal=True), k=5)
        assert [plan.outcome for plan in plans] == ["win", None, None]
        assert [plan.objective for plan in plans] == [0, 3 * trade, 0]
        assert len({plan.actions for plan in plans}) == 3
    assert len(plan_turns(board(), Weights(minion_damage=10**6, take_lethal=True), k=2)) == 2


def test_no_proof_if_the_search_for_a_win_stops_early(monkeypatch: pytest.MonkeyPatch) -> None:
    trader = Weights(minion_damage=100, lethal=1, take_lethal=True)
    monkeypatch.setattr(
        "planner.games.hearthstone.turn.turn_plan._certain_win", lambda *_: (None, Stopped.EFFORT_LIMIT)
    )
    plan = plan_turn(board(), trader)
    assert plan.actions[0].target == "enemy.board.0"
    assert (plan.status, plan.proof, plan.stopped) == ("feasible", None, Stopped.EFFORT_LIMIT)
    assert (
        plan_turn(board(), Weights(face_damage=1, take_lethal=True)).status == "optimal"
    )  # the plan is a win in any case


def test_a_win_without_a_proof_has_a_bound() -> None:
    """Too many outcomes of the spell to list; attacks kill the hero. Attacks on minions would earn more."""
    spell = {
        "name": "Madness", "type": "spell", "cost": 3,
        "effects": [{"do": "damage", "amount": 10, "to": "all characters", "split": True}],
    }  # fmt: skip
    state = {
        "mana": 3,
        "me": {
            "hero": {"health": 20},
            "board": [{"attack": 6, "health": 6}, {"attack": 6, "health": 8}, {"attack": 3, "health": 4}],
            "hand": [{"name": "Madness", "card": spell}],
        },
        "enemy": {
            "hero": {"health": 9},
            "board": [{"attack": 8, "health": 4}, {"attack": 4, "health": 4}, {"attack": 4, "health": 5}],
        },
    }
    plan = plan_turn(state, Weights(minion_damage=7, card_value=9, take_lethal=True))
    assert (plan.outcome, plan.stopped) == ("win", Stopped.CHANCE_LIMIT)
    # Attacks of 6 and 3 kill the hero, and one of 6 hits a minion. No turn deals more than all attacks and the spell.
    assert plan.objective == 7 * 6
    assert plan.objective < plan.bound <= 7 * (15 + 10) + 9


def test_ranges_of_a_win_compare_it_with_other_wins() -> None:
    """Above card_value -21 the spell kills the hero, and the minion trades instead."""
    state = board(mana=2)
    state["me"]["hand"] = [
        {"name": "Bolt", "card": {"name": "Bolt", "type": "spell", "cost": 2,
                                  "effects": [{"do": "damage", "amount": 3, "to": "chosen character"}]}}
    ]  # fmt: skip
    plan = plan_turn(state, Weights(minion_damage=7, card_value=-100, face_damage=-1, take_lethal=True))
    assert plan.outcome == "win"
    ranges = {weight_range.term: weight_range for weight_range in plan.ranges()}
    for weight_range in ranges.values():
        assert weight_range.low is not None
        assert weight_range.high is not None
        assert weight_range.low.at <= weight_range.weight <= weight_range.high.at
    high = ranges["card_value"].high
    assert high is not None
    assert high.at == -21  # the score of the trade
    assert ranges["lethal"].high == ranges["lethal"].high._replace(at=float("inf"))


@pytest.mark.parametrize("seed", range(12))
def test_ranges_of_random_turns_contain_the_weight(seed: int) -> None:
    rng = Random(seed)
    state = random_state(rng, most_minions=3, most_cards=2)
    state = state._replace(enemy=state.enemy._replace(hero=state.enemy.hero._replace(health=2, armor=0)))
    plan = plan_turn(state, TAKER)
    for weight_range in plan.ranges(time_limit=2) if plan.status == "optimal" else ():
        assert weight_range.low is None or weight_range.low.at <= weight_range.weight
        assert weight_range.high is None or weight_range.weight <= weight_range.high.at


def test_the_plan_command_states_what_is_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, profile = tmp_path / "state.json", tmp_path / "mine.yaml"
    path.write_text(json.dumps(board()))
    profile.write_text("weights: {W1: 1, W2: 0, W3: 0, W4: 0, W5: 0, W6: 100, W7: 0, W8: 0}\ntake_lethal: true\n")
    assert main(["plan", str(path), "--weights", str(profile)]) == 0
    assert "Proved: no winning turn scores more" in capsys.readouterr().out


def test_a_profile_file_sets_the_options(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    eight = "weights: {W1: 1, W2: 0, W3: 0, W4: 0, W5: 0, W6: 0, W7: 0, W8: 0}\n"
    path.write_text(f"{eight}take_lethal: true\nmulligan_cost: 2\n")
    profile = Weights.load(path)
    assert profile.take_lethal
    assert profile.mulligan_cost == 2
    for wrong, message in (
        ("take_lethal: 1", "2: take_lethal: must be true or false, got 1"),
        ("mulligan_cost: -1", "2: "),
    ):
        path.write_text(f"{eight}{wrong}\n")
        with pytest.raises(PlannerError, match=f"mine.yaml:{message}"):
            Weights.load(path)


def test_only_options_that_differ_from_the_default_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("weights: {W1: 1, W2: 0, W3: 0, W4: 0, W5: 0, W6: 0, W7: 0, W8: 0}\ntake_lethal: true\n")
    for command in ("weights", "check"):
        assert main([command, str(path)]) == 0
        shown = capsys.readouterr().out
        assert "take_lethal: true" in shown
        assert "mulligan_cost" not in shown
    assert main(["weights", "true_balanced"]) == 0
    assert "take_lethal" not in capsys.readouterr().out


def test_the_mulligan_of_a_profile() -> None:
    from planner import PlannerAgent
    from planner.games.hearthstone import MatchSetup

    state: GameState = GAME.start(MatchSetup.of("mage", "warrior"), Random(3))
    costs = {card.id: card.cost for card in state.me.hand}
    for max_cost in (0, 2, 10):
        mulligan = PlannerAgent(replace(Weights.of("true_balanced"), mulligan_cost=max_cost)).decide(state)
        assert set(mulligan.cards) == {card for card, cost in costs.items() if cost > max_cost}


def test_an_agent_moves_even_if_no_turn_keeps_its_rules() -> None:
    from planner import PlannerAgent

    state = board()
    bomb = {"name": "Bomb", "cost": 1, "attack": 0, "health": 1,
            "effects": [{"do": "damage", "amount": 9, "to": "all friendly heroes", "on": "turn_end"}]}  # fmt: skip
    state["me"]["hero"]["health"] = 3
    state["me"]["board"] = [{"name": "Bomb", "card": bomb}]
    careful = Weights(lethal=1, forbid=(Rule("own_hero_death"),))
    with pytest.raises(NoTurnError):
        plan_turn(state, careful)
    parsed = GAME.state_from_json(state)
    assert GAME.illegal_reason(parsed, PlannerAgent(careful).decide(parsed)) is None
