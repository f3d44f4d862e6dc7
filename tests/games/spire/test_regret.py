"""The regret of turns that were played."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from planner import play_match
from planner.arena.match.record import MatchRecord
from planner.arena.match.replay import walk_turns
from planner.cli import main
from planner.games.spire.battle_codec import scenario
from planner.games.spire.battle_planner import _earned_on_average, _earned_with_luck
from planner.games.spire.battle_rules import apply, legal_actions
from planner.games.spire.battle_state import END, Action
from planner.games.spire.spire_game import GAME, Spire
from planner.planning.plan import LUCK, UNPROVED, Regret, UnjudgedError
from tests.games.spire.battles import battle
from tests.games.spire.random_battles import ODD, random_setup

PROFILE = "spire_balanced"
SPIRE = Spire()


def regrets(record: MatchRecord) -> list[Regret]:
    return [
        SPIRE.regret(before, [move.action for move in turn.moves], rng, PROFILE)
        for before, turn, rng in walk_turns(record)
    ]


def play_battle(agent: str, seed: int = 3, name: str = "starter") -> MatchRecord:
    return play_match((agent,), scenario(name), seed, game=GAME)


def test_best_turns_have_no_regret() -> None:
    planned = regrets(play_battle(PROFILE))
    assert len(planned) > 1
    assert all(regret.value == 0 and regret.estimate is None for regret in planned)
    random = regrets(play_battle("random"))
    assert all(regret.value >= 0 for regret in random)
    assert any(regret.value > 0 for regret in random)


def test_exact_regret_is_never_negative_in_battles_with_random_effects() -> None:
    exact = []
    for seed in range(12):
        record = play_match(("random",), random_setup(Random(seed)), seed, game=GAME)
        for before, turn, rng in list(walk_turns(record))[:3]:
            regret = SPIRE.regret(before, [move.action for move in turn.moves], rng, PROFILE, 0.5)
            if regret.estimate is None:
                exact.append(regret)
    assert exact
    assert all(regret.value >= 0 for regret in exact)


def test_turn_without_random_events_earns_the_same_with_and_without_luck() -> None:
    for before, turn, rng in walk_turns(play_battle("random")):
        actions = [move.action for move in turn.moves if move.action != END]
        rng_state = rng.getstate()
        assert _earned_with_luck(before, actions, rng) == _earned_on_average(before, actions)
        assert rng.getstate() == rng_state


def test_draw_counts_on_average_until_an_action_uses_it() -> None:
    start = battle("Insight", draw=["Strike", "Strike", "Defend", "Defend"], library=ODD)
    draw = [Action("play", 0)]
    assert SPIRE.regret(start, draw, Random(1), PROFILE).estimate is None
    after = apply(start, draw[0], Random(1))
    used = [*draw, next(action for action in legal_actions(after) if action != END)]
    if legal_actions(apply(after, used[-1], Random(1)))[0].type == "fighter":
        used.append(Action("fighter", 0))
    assert SPIRE.regret(start, used, Random(1), PROFILE).estimate == LUCK


def test_turn_with_a_pending_choice_cannot_be_judged() -> None:
    start = battle("Strike", enemies=[{"name": "Goblin"}, {"name": "Goblin"}])
    with pytest.raises(UnjudgedError, match="while a choice of this turn was pending"):
        SPIRE.regret(start, [Action("play", 0)], Random(1), PROFILE)


def test_interrupted_search_gives_an_estimate() -> None:
    start = battle(*5 * ["Strike"], *3 * ["Defend"], enemies=[{"name": "Goblin"}] * 3)
    assert SPIRE.regret(start, [END], Random(1), PROFILE, 1e-6).estimate == UNPROVED


def test_replay_command_shows_regret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "battle.json"
    assert main(["play", "--game", "spire", "starter", "--agents", "first", "--seed", "3", "--json", str(log)]) == 0
    capsys.readouterr()
    assert main(["replay", str(log), "--regret", PROFILE]) == 0
    assert "points lost" in capsys.readouterr().out
