"""Regret: the points that a played turn lost against the best turn."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from planner import plan_turn, play_match
from planner.arena.match.record import MatchRecord
from planner.arena.match.replay import walk, walk_turns
from planner.cli import main
from planner.games.hearthstone import GAME, EndTurn, MatchSetup
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn import turn_regret as module
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.games.hearthstone.turn.scoring import replay
from planner.games.hearthstone.turn.turn_regret import BARRED, LUCK, UNPROVED, Regret, regret

PROFILE = "true_balanced"


def match(first: str, second: str, seed: int = 3, rules: str = "standard") -> MatchRecord:
    decks = ("thesis_paladin", "thesis_warrior") if rules == "thesis" else ("mage", "warlock")
    return play_match((first, second), MatchSetup.of(*decks, rules=rules), seed)


def regrets(record: MatchRecord) -> list[tuple[int, Regret]]:
    return [
        (turn.seat, regret(before, [move.action for move in turn.moves], chance, PROFILE))
        for before, turn, chance in walk_turns(record)
        if turn.number
    ]


def test_optimal_turns_have_no_regret() -> None:
    results = regrets(match(PROFILE, "random", rules="thesis"))
    mine = [result for seat, result in results if seat == 0]
    assert mine
    assert all(result.value == 0 and result.estimate is None for result in mine)
    theirs = [result for seat, result in results if seat == 1]
    assert all(result.value >= 0 for result in theirs)
    assert any(result.value > 0 for result in theirs)


def test_exact_regret_is_never_negative_with_effects() -> None:
    results = [result for seed in range(3) for _, result in regrets(match("greedy", "random", seed))]
    exact = [result for result in results if result.estimate is None]
    assert exact
    assert all(result.value >= 0 for result in exact)
    assert any(result.estimate == LUCK for result in results), "no turn played a card that it had drawn"


def test_a_deterministic_turn_scores_the_same_with_recorded_chance() -> None:
    checked = 0
    for before, turn, chance in walk_turns(match("greedy", "random")):
        actions = [move.action for move in turn.moves if not isinstance(move.action, EndTurn)]
        if turn.number and (result := regret(before, actions, chance, PROFILE)).estimate is None:
            try:
                planned = replay(observe(before, before.seat), actions)
            except ValueError:
                continue
            if planned.reveals is None:
                rolled = module.replay_rolled(before, actions, chance)
                assert rolled.scaled_score(result.plan.weights) == planned.scaled_score(result.plan.weights)
                checked += bool(actions)
    assert checked > 3


def test_walking_by_turns_equals_walking_by_moves() -> None:
    record = match("greedy", "random")
    states = iter(walk(record))
    for before, turn, chance in walk_turns(record):
        state = before
        for move in turn.moves:
            expected = next(states)
            assert state == expected.before
            state = GAME.apply(state, move.action, chance)
            assert state == expected.after


def test_the_callers_generator_is_not_advanced() -> None:
    state = state_from_text("9 mana | me 30hp | hand: Arcane Missiles, Wolfrider | enemy 20hp: 2/2, 3/3")
    actions = [GAME.action_from_text(text) for text in ("play me.hand.0", "play me.hand.1", "end")]
    chance = Random(5)
    before = chance.getstate()
    result = regret(state, actions, chance, PROFILE)
    assert chance.getstate() == before
    assert result.estimate == LUCK
    assert result.earned == regret(state, actions, Random(5), PROFILE).earned
    assert len({regret(state, actions, Random(seed), PROFILE).earned for seed in range(20)}) > 1


def test_chance_at_the_end_counts_by_expectation() -> None:
    state = state_from_text("1 mana | me 30hp | hand: Arcane Missiles | enemy 20hp: 2/4, 3/4")
    actions = [GAME.action_from_text(text) for text in ("play me.hand.0", "end")]
    weights = {"face_damage": 1}
    assert {regret(state, actions, Random(seed), weights).earned for seed in range(5)} == {1.0}


def test_without_a_proof_it_is_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    state = state_from_text("0 mana | me 30hp: 4/4 | enemy 20hp: 3/5")
    plan = dataclasses.replace(plan_turn(state, PROFILE), status="feasible", proof=None)
    monkeypatch.setattr(module, "plans", lambda *_: iter([plan]))
    assert regret(state, [], Random(1), PROFILE).estimate == UNPROVED


KILL_OR_TRADE = "0 mana | me 30hp: 3/2 #a, 3/2 #b | enemy 3hp: 0/3 #x"
TRADER = Weights(minion_damage=100, lethal=1, take_lethal=True)


def regret_of(text: str, weights: Weights, *actions: str) -> Regret:
    return regret(
        state_from_text(text), [GAME.action_from_text(action) for action in (*actions, "end")], Random(1), weights
    )


def test_between_turns_that_win_the_weights_decide() -> None:
    best = regret_of(KILL_OR_TRADE, TRADER, "attack a -> x", "attack b -> enemy.hero")
    assert (best.value, best.estimate, best.missed_win) == (0, None, 0)
    immediate = regret_of(KILL_OR_TRADE, TRADER, "attack a -> enemy.hero")
    assert (immediate.value, immediate.estimate, immediate.missed_win) == (300, None, 0)


def test_a_missed_certain_win_costs_the_bonus_of_the_planner() -> None:
    state = "0 mana | me 30hp: 3/2 #a | enemy 3hp: 0/3 #x"
    missed = regret_of(state, TRADER, "attack a -> x")
    assert (missed.plan.objective, missed.earned) == (1, 300)  # by the weights alone the played turn scores more
    assert (missed.value, missed.estimate) == (10**6 - 300, None)
    assert regret_of(state, replace(TRADER, take_lethal=False), "attack a -> enemy.hero").value == 299


def test_a_draw_is_not_a_win() -> None:
    state = "4 mana | me 2hp: 3/2 #a | hand: Hellfire #h | enemy 3hp: 0/3 #x"
    draw = regret_of(state, TRADER, "play h")
    assert draw.plan.outcome == "win"
    assert (draw.estimate, draw.missed_win) == (BARRED, 10**6 - 1)
    assert draw.value > 0


def test_a_turn_against_the_rules_is_an_estimate() -> None:
    state = "0 mana | me 30hp: 3/2 #a | enemy 30hp: 0/3 #x"
    face_only = Weights(minion_damage=100, forbid=(Rule("attack_on", word="minions"),))
    result = regret_of(state, face_only, "attack a -> x")
    assert (result.value, result.estimate) == (-300, BARRED)
    assert regret_of(state, face_only, "attack a -> enemy.hero").estimate is None


def test_exact_regret_is_never_negative_with_take_lethal() -> None:
    results = [
        regret(before, [move.action for move in turn.moves], chance, TRADER)
        for seed in range(4)
        for before, turn, chance in walk_turns(match("greedy", "random", seed, rules="thesis"))
        if turn.number
    ]
    assert all(result.value >= 0 for result in results if result.estimate is None)
    assert any(result.plan.outcome == "win" for result in results)


def test_the_replay_command_shows_regret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    play = ["play", "thesis_paladin", "thesis_warrior", "--rules", "thesis", "--agents", f"{PROFILE},random"]
    assert main([*play, "--seed", "3", "--json", "match.json", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["replay", "match.json", "--regret", PROFILE, "--no-color"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines if line.strip()[:1].isdigit()]
    assert rows
    assert {row[4] for row in rows if row[1] == "Paladin"} == {"0"}
