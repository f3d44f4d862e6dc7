"""What a turn of a battle fell short of."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from planner import play_match
from planner.arena.match.record import MatchRecord
from planner.arena.match.replay import walk_turns
from planner.cli import main
from planner.games.spire.game import GAME, Spire
from planner.games.spire.regret import _as_rolled, _expected
from planner.games.spire.rules import apply, legal_actions
from planner.games.spire.setups import scenario
from planner.games.spire.state import END, Action
from planner.planning.regret import LUCK, UNPROVED, Regret, UnjudgedError
from tests.games.spire.battles import battle
from tests.games.spire.random_battles import ODD, random_setup

PROFILE = "spire_balanced"
SPIRE = Spire()


def regrets(record: MatchRecord) -> list[Regret]:
    return [
        SPIRE.regret(before, [move.action for move in turn.moves], chance, PROFILE)
        for before, turn, chance in walk_turns(record)
    ]


def fought(agent: str, seed: int = 3, name: str = "starter") -> MatchRecord:
    return play_match((agent,), scenario(name), seed, of=GAME)


def test_who_plays_the_best_turns_regrets_nothing() -> None:
    found = regrets(fought(PROFILE))
    assert len(found) > 1
    assert all(one.value == 0 and one.estimate is None for one in found)
    others = regrets(fought("random"))
    assert all(one.value >= 0 for one in others)
    assert any(one.value > 0 for one in others)


def test_with_chance_what_is_exact_is_never_below_nothing() -> None:
    exact = []
    for seed in range(12):
        record = play_match(("random",), random_setup(Random(seed)), seed, of=GAME)
        for before, turn, chance in list(walk_turns(record))[:3]:
            one = SPIRE.regret(before, [move.action for move in turn.moves], chance, PROFILE, 0.5)
            if one.estimate is None:
                exact.append(one)
    assert exact
    assert all(one.value >= 0 for one in exact)


def test_with_the_luck_that_it_had_a_turn_without_luck_earns_the_same() -> None:
    for before, turn, chance in walk_turns(fought("random")):
        actions = [move.action for move in turn.moves if move.action != END]
        then = chance.getstate()
        assert _as_rolled(before, actions, chance) == _expected(before, actions)
        assert chance.getstate() == then


def test_a_draw_counts_on_average_until_it_is_used() -> None:
    start = battle("Insight", draw=["Strike", "Strike", "Defend", "Defend"], library=ODD)
    drawn = [Action("play", 0)]
    assert SPIRE.regret(start, drawn, Random(1), PROFILE).estimate is None
    after = apply(start, drawn[0], Random(1))
    used = [*drawn, next(action for action in legal_actions(after) if action != END)]
    if legal_actions(apply(after, used[-1], Random(1)))[0].type == "fighter":
        used.append(Action("fighter", 0))
    assert SPIRE.regret(start, used, Random(1), PROFILE).estimate == LUCK


def test_a_question_without_an_answer_is_no_turn() -> None:
    start = battle("Strike", enemies=[{"name": "Goblin"}, {"name": "Goblin"}])
    with pytest.raises(UnjudgedError, match="had answered a card's question"):
        SPIRE.regret(start, [Action("play", 0)], Random(1), PROFILE)


def test_a_search_that_was_ended_gives_an_estimate() -> None:
    start = battle(*5 * ["Strike"], *3 * ["Defend"], enemies=[{"name": "Goblin"}] * 3)
    assert SPIRE.regret(start, [END], Random(1), PROFILE, 1e-6).estimate == UNPROVED


def test_the_command_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "battle.json"
    assert main(["play", "--game", "spire", "starter", "--agents", "first", "--seed", "3", "--json", str(log)]) == 0
    capsys.readouterr()
    assert main(["replay", str(log), "--regret", PROFILE]) == 0
    assert "regret" in capsys.readouterr().out
