"""Profiles that take every turn that wins for certain, whatever else it costs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planner.cli import main
from planner.errors import PlannerError
from planner.games.hearthstone import GAME
from planner.games.hearthstone.rules.legal import is_over
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights, load_profile
from planner.games.hearthstone.turn.turn_plan import plan_turn, plan_turns
from planner.planning.plan import NoTurnError, Stopped
from tests.games.hearthstone.generated import random_state

HUG = Weights(own_survival=50, damage_taken=9, lethal=1, name="hug")  # would rather keep its minions than win
TAKER = replace(HUG, take_lethal=True)


def board(**changes: Any) -> dict[str, Any]:
    """The kill takes the place of a trade that these weights like better."""
    state: dict[str, Any] = {
        "mana": 0,
        "me": {"hero": {"health": 30}, "board": [{"attack": 3, "health": 2}]},
        "enemy": {"hero": {"health": 3}, "board": [{"attack": 0, "health": 3}]},
    }
    return state | changes


def test_a_certain_win_comes_before_all_weights() -> None:
    no_kill = Weights(minion_damage=100, lethal=1)
    assert not plan_turn(board(), no_kill).lethal
    plan = plan_turn(board(), replace(no_kill, take_lethal=True))
    assert plan.outcome == "win"
    assert plan.status == "optimal"
    assert plan.objective == 1  # scored by the profile's own weights


def test_among_winning_turns_the_best_by_the_weights() -> None:
    """Two ways to kill: with the minion, or with the spell that leaves its attack for the enemy minion."""
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
    """The only kill takes the own hero along: without the rule nothing forces it."""
    both_die = [{"do": "damage", "amount": 3, "to": "all heroes"}]
    state = board(mana=1)
    state["me"]["hero"]["health"] = 3
    state["me"]["board"] = []
    quake = {"name": "Quake", "type": "spell", "cost": 1, "effects": both_die}
    state["me"]["hand"] = [{"name": "Quake", "card": quake}]
    assert plan_turn(state, Weights(lethal=1)).lethal
    assert plan_turn(state, Weights(lethal=0, card_value=-1, take_lethal=True)).actions == ()


def test_a_chance_to_win_is_not_a_certain_one() -> None:
    state = board(mana=1)
    state["me"]["board"] = []
    dice = [{"do": "damage", "amount": 3, "to": "random enemy character"}]
    state["me"]["hand"] = [{"name": "Dice", "card": {"name": "Dice", "type": "spell", "cost": 1, "effects": dice}}]
    assert plan_turn(state, Weights(card_value=-1, take_lethal=True)).actions == ()


@pytest.mark.parametrize("seed", range(40))
def test_generated_turns(seed: int) -> None:
    """A kill that lethal-only weights find is taken, and no turn of the profile is lost where there is none."""
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
        wins = [one for one in plan_turns(state, replace(HUG, lethal=10**6), k=20) if one.outcome == "win"]
        assert plan.objective >= max((one.objective - 10**6 + 1 for one in wins), default=plan.objective)


def test_weights_that_outvote_the_kill_do_not_lose_it() -> None:
    plan = plan_turn(board(), Weights(minion_damage=10**6, take_lethal=True))
    assert plan.outcome == "win"


def test_the_next_best_after_a_win_are_other_turns() -> None:
    """Also where the weights outvote the kill: the win comes first and once, then what they like best."""
    for trade in (100, 10**6):
        found = plan_turns(board(), Weights(minion_damage=trade, take_lethal=True), k=5)
        assert [plan.outcome for plan in found] == ["win", None, None]
        assert [plan.objective for plan in found] == [0, 3 * trade, 0]
        assert len({plan.actions for plan in found}) == 3
    assert len(plan_turns(board(), Weights(minion_damage=10**6, take_lethal=True), k=2)) == 2


def test_nothing_is_proved_where_a_win_is_uncertain(monkeypatch: pytest.MonkeyPatch) -> None:
    trader = Weights(minion_damage=100, lethal=1, take_lethal=True)
    monkeypatch.setattr(
        "planner.games.hearthstone.turn.turn_plan._certain_win", lambda *_: (None, Stopped.EFFORT_LIMIT)
    )
    plan = plan_turn(board(), trader)
    assert plan.actions[0].target == "enemy.board.0"
    assert (plan.status, plan.proof, plan.stopped) == ("feasible", None, Stopped.EFFORT_LIMIT)
    assert plan_turn(board(), Weights(face_damage=1, take_lethal=True)).status == "optimal"  # it wins anyway


def test_ranges_of_a_win_compare_it_with_wins() -> None:
    """With the minion, or with the spell: from half of the card's value on, the minion trades instead."""
    state = board(mana=2)
    state["me"]["hand"] = [
        {"name": "Bolt", "card": {"name": "Bolt", "type": "spell", "cost": 2,
                                  "effects": [{"do": "damage", "amount": 3, "to": "chosen character"}]}}
    ]  # fmt: skip
    plan = plan_turn(state, Weights(minion_damage=7, card_value=-100, face_damage=-1, take_lethal=True))
    assert plan.outcome == "win"
    ranges = {one.term: one for one in plan.ranges()}
    for one in ranges.values():
        assert one.low is not None
        assert one.high is not None
        assert one.low.at <= one.weight <= one.high.at
    high = ranges["card_value"].high
    assert high is not None
    assert high.at == -21  # the score of the trade
    assert ranges["lethal"].high == ranges["lethal"].high._replace(at=float("inf"))


@pytest.mark.parametrize("seed", range(12))
def test_generated_ranges_hold_the_weight(seed: int) -> None:
    rng = Random(seed)
    state = random_state(rng, most_minions=3, most_cards=2)
    state = state._replace(enemy=state.enemy._replace(hero=state.enemy.hero._replace(health=2, armor=0)))
    plan = plan_turn(state, TAKER)
    for one in plan.ranges(time_limit=2) if plan.status == "optimal" else ():
        assert one.low is None or one.low.at <= one.weight
        assert one.high is None or one.weight <= one.high.at


def test_the_command_claims_no_more_than_it_proves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, profile = tmp_path / "state.json", tmp_path / "mine.yaml"
    path.write_text(json.dumps(board()))
    profile.write_text("weights: {W1: 1, W2: 0, W3: 0, W4: 0, W5: 0, W6: 100, W7: 0, W8: 0}\ntake_lethal: true\n")
    assert main(["plan", str(path), "--weights", str(profile)]) == 0
    assert "Proved: no winning turn scores more" in capsys.readouterr().out


def test_a_profile_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    eight = "weights: {W1: 1, W2: 0, W3: 0, W4: 0, W5: 0, W6: 0, W7: 0, W8: 0}\n"
    path.write_text(f"{eight}take_lethal: true\nmulligan_cost: 2\n")
    found = load_profile(path)
    assert found.take_lethal
    assert found.mulligan_cost == 2
    for wrong, message in (
        ("take_lethal: 1", "2: take_lethal: must be true or false, got 1"),
        ("mulligan_cost: -1", "2: "),
    ):
        path.write_text(f"{eight}{wrong}\n")
        with pytest.raises(PlannerError, match=f"mine.yaml:{message}"):
            load_profile(path)


def test_options_are_shown_where_they_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    from planner import PlannerAgent  # the front door
    from planner.games.hearthstone import MatchSetup

    state: GameState = GAME.start(MatchSetup.of("mage", "warrior"), Random(3))
    costs = {held.id: held.cost for held in state.me.hand}
    for most in (0, 2, 10):
        answer = PlannerAgent(replace(Weights.of("true_balanced"), mulligan_cost=most)).decide(state)
        assert set(answer.cards) == {card for card, cost in costs.items() if cost > most}


def test_an_agent_moves_where_no_turn_keeps_its_rules() -> None:
    from planner import PlannerAgent

    state = board()
    bomb = {"name": "Bomb", "cost": 1, "attack": 0, "health": 1,
            "effects": [{"do": "damage", "amount": 9, "to": "all friendly heroes", "on": "turn_end"}]}  # fmt: skip
    state["me"]["hero"]["health"] = 3
    state["me"]["board"] = [{"name": "Bomb", "card": bomb}]
    careful = Weights(lethal=1, forbid=(Rule("own_hero_death"),))
    with pytest.raises(NoTurnError):
        plan_turn(state, careful)
    found = GAME.state_from_json(state)
    assert GAME.illegal_reason(found, PlannerAgent(careful).decide(found)) is None
