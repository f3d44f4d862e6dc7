"""Outcomes of a match: win, loss, tie or turn limit, with the reason."""

from __future__ import annotations

import pytest

from planner.games.hearthstone.rules.actions import EndTurn
from planner.games.hearthstone.rules.legal import illegal_reason, is_over, legal_actions
from planner.games.hearthstone.rules.match_flow import outcome
from planner.games.hearthstone.rules.resolve import IllegalActionError, apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from tests.build import FACE, ME, attack, effect, minion, pass_turns, play, player, spell, state, weapon


def ended(after: GameState) -> tuple[int | None, str]:
    """Return the winner and the reason."""
    end = outcome(after)
    assert end is not None
    return end.winner, end.reason


def test_there_is_no_outcome_while_both_heroes_are_alive() -> None:
    assert outcome(state()) is None


def test_a_win_by_damage() -> None:
    after = attack(state(board=[minion(3, 3)], enemy_health=3), target=FACE)
    assert ended(after) == (0, "damage")
    assert str(outcome(after)) == "player 1 wins by damage"


def test_a_loss_by_an_own_attack() -> None:
    after = attack(state(health=2, weapon=weapon(1, 1), enemy=[minion(5, 5)]), ME)
    assert ended(after) == (1, "damage")


def test_the_winner_is_a_seat_from_every_view() -> None:
    theirs = pass_turns(state(health=3, enemy=[minion(3, 3)]))
    assert ended(attack(theirs, "enemy.board.0", FACE)) == (1, "damage")


def test_a_tie_when_both_die_together() -> None:
    bomb = spell(effect("damage", "all characters", amount=5))
    after = play(state(health=5, enemy_health=4, hand=[bomb]))
    assert ended(after) == (None, "damage")
    assert str(outcome(after)) == "a draw by damage"


def test_a_deathrattle_does_not_save_a_hero_that_died_at_the_same_time() -> None:
    chow = minion(2, 3, "", effect("heal", "enemy hero", amount=5, on="death"))
    hellfire = spell(effect("damage", "all characters", amount=3))
    after = play(state(board=[chow], hand=[hellfire], enemy_health=3))
    assert ended(after) == (0, "damage")
    assert after.enemy.hero.health == 0


def test_a_deathrattle_that_adds_health_does_not_save_a_hero() -> None:
    gift = minion(2, 3, "", effect("buff", "friendly hero", health=5, on="death"))
    after = play(state(board=[gift], hand=[spell(effect("damage", "all characters", amount=3))], health=3))
    assert ended(after) == (1, "damage")


def test_a_deathrattle_saves_a_hero_from_an_earlier_deathrattle() -> None:
    bomb = minion(1, 1, "", effect("damage", "enemy hero", amount=3, on="death"), entered=1)
    chow = minion(1, 1, "", effect("heal", "enemy hero", amount=5, on="death"), entered=2)
    after = play(state(board=[bomb, chow], hand=[spell(effect("damage", "all minions", amount=1))], enemy_health=3))
    assert outcome(after) is None
    assert after.enemy.hero.health == 5


def test_a_loss_by_fatigue() -> None:
    after = pass_turns(state(enemy=player("enemy", health=1, deck=[])))
    assert ended(after) == (0, "fatigue")


def test_the_turn_limit_ends_in_a_draw() -> None:
    after = pass_turns(state(rules=Ruleset(turn_limit=4), turn=4))
    assert ended(after) == (None, "turn limit")
    assert outcome(pass_turns(state(rules=Ruleset(turn_limit=4), turn=3))) is None


def test_the_turn_limit_comes_before_the_next_draw() -> None:
    after = pass_turns(state(rules=Ruleset(turn_limit=4), turn=4, enemy=player("enemy", health=1, deck=[])))
    assert ended(after) == (None, "turn limit")


def test_a_death_in_the_last_turn_is_not_a_draw() -> None:
    killer = minion(1, 1, "", effect("damage", "enemy hero", amount=1, on="turn_end"))
    after = pass_turns(state(rules=Ruleset(turn_limit=4), turn=4, board=[killer], enemy_health=1))
    assert ended(after) == (0, "damage")


@pytest.mark.parametrize(("health", "enemy_health", "turn"), [(0, 5, 1), (5, 0, 1), (-2, -2, 1), (5, 5, 181)])
def test_after_the_end_nothing_is_legal(health: int, enemy_health: int, turn: int) -> None:
    over = state(board=[minion(3, 3)], health=health, enemy_health=enemy_health, turn=turn)
    assert is_over(over)
    assert legal_actions(over) == []
    assert illegal_reason(over, EndTurn()) == "the match is over"
    with pytest.raises(IllegalActionError, match="the match is over"):
        apply(over, EndTurn())
