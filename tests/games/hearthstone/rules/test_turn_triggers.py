"""Effects at the start and at the end of the turn."""

from __future__ import annotations

from random import Random

from planner.games.hearthstone.rules.match_flow import outcome
from planner.games.hearthstone.rules.state import Minion
from tests.build import MINE, YOURS, board, card, effect, find, get, minion, pass_turns, player, state, stats

IMP = card(1, 1, name="Imp")


def minion_with_turn_effect(amount: int, on: str, to: str = "enemy hero", **fields: int) -> Minion:
    return minion(1, 5, "", effect("damage", to, amount=amount, on=on), **fields)


def test_turn_end_effects_happen_at_the_end_of_their_owners_turn() -> None:
    theirs = pass_turns(state(board=[minion_with_turn_effect(2, "turn_end")]))
    assert theirs.me.hero.health == 28
    assert pass_turns(theirs).enemy.hero.health == 28


def test_turn_start_effects_happen_at_the_start_of_their_owners_turn() -> None:
    theirs = pass_turns(state(enemy=[minion_with_turn_effect(2, "turn_start")]))
    assert theirs.enemy.hero.health == 28
    assert pass_turns(theirs).me.hero.health == 28


def test_turn_start_comes_before_the_draw() -> None:
    # With an empty deck the draw would kill the hero, but the effect before it ends the match.
    last = player("enemy", board=[minion_with_turn_effect(9, "turn_start")], deck=[], health=1)
    after = pass_turns(state(health=9, enemy=last))
    assert str(outcome(after)) == "player 2 wins by damage"


def test_turn_end_effects_happen_in_order_of_entering() -> None:
    summon = [effect("summon", makes=card(1, 1, name=name), on="turn_end") for name in "AB"]
    minions = [minion(1, 1, "", summon[0], entered=7), minion(1, 1, "", summon[1], entered=3)]
    assert board(pass_turns(state(board=minions)).enemy)[2:] == ["B", "A"]


def test_turn_end_effect_of_a_dying_minion_still_happens() -> None:
    killer = minion(1, 5, "", effect("destroy", "all other friendly minions", on="turn_end"), entered=1)
    after = pass_turns(state(board=[killer, minion_with_turn_effect(5, "turn_end", entered=2)]))
    assert after.me.hero.health == 25
    assert len(after.enemy.board) == 1


def imp_master(health: int, **fields: int) -> Minion:
    """Return a minion that damages itself and then summons an imp."""
    hurts = effect("damage", "self", amount=1, on="turn_end")
    return minion(1, 5, "", hurts, effect("summon", makes=IMP, on="turn_end"), hurt=5 - health, **fields)


def test_turn_end_healing_comes_before_the_deaths() -> None:
    healer = minion(0, 2, "", effect("heal", "all friendly minions", amount=1, on="turn_end"), entered=2)
    after = pass_turns(state(board=[imp_master(1, entered=1), healer]))
    assert stats(after, MINE) == (1, 1)


def test_turn_end_deaths_make_no_room_for_summons_of_other_effects() -> None:
    fillers = [minion(1, 1)] * 4
    after = pass_turns(state(board=[imp_master(1), imp_master(1), *fillers]))
    assert board(after.enemy) == ["1/1"] * 4 + ["Imp"]


def test_turn_end_random_effects_skip_dying_minions() -> None:
    hits = [minion_with_turn_effect(2, "turn_end", "random enemy minion", entered=place) for place in (1, 2)]
    after = pass_turns(state(board=hits, enemy=[minion(1, 2), minion(1, 2)]), rng=Random(1))
    assert after.me.board == ()


def test_turn_end_auras_of_new_minions_count_for_the_next_effect() -> None:
    banner = card(1, 1, "", effect("buff", "all other friendly minions", health=2, on="aura"), name="Banner")
    first = minion(1, 3, "", effect("summon", makes=banner, on="turn_end"), entered=1)
    second = minion(1, 3, "", effect("damage", "all minions", amount=3, on="turn_end"), entered=2)
    after = pass_turns(state(board=[first, second]))
    # With the aura they have 5 health; after its source died they keep at most their own.
    assert [stats(after, one) for one in (MINE, "me.board.1")] == [(1, 2), (1, 2)]


def test_turn_start_deaths_come_after_all_effects() -> None:
    hurts = minion(1, 1, "", effect("damage", "self", amount=1, on="turn_start"), entered=1)
    healer = minion(0, 2, "", effect("heal", "all friendly minions", amount=1, on="turn_start"), entered=2)
    assert stats(pass_turns(state(enemy=[hurts, healer])), YOURS) == (1, 1)


def test_turn_end_effect_of_a_minion_that_was_just_silenced_is_lost() -> None:
    hush = minion(1, 5, "", effect("silence", "all other friendly minions", on="turn_end"), entered=1)
    after = pass_turns(state(board=[hush, minion_with_turn_effect(5, "turn_end", entered=2)]))
    assert after.me.hero.health == 30


def test_turn_end_of_a_silenced_minion_does_nothing() -> None:
    assert (
        pass_turns(state(board=[minion_with_turn_effect(2, "turn_end")._replace(silenced=True)])).me.hero.health == 30
    )


def test_turn_end_stops_when_a_hero_has_died() -> None:
    # The first effect wins the match; the second, which would kill its own hero, does not happen.
    first, second = (
        minion_with_turn_effect(5, "turn_end", entered=1),
        minion_with_turn_effect(5, "turn_end", "friendly hero", entered=2),
    )
    after = pass_turns(state(board=[first, second], health=5, enemy=player("enemy", health=5)))
    assert str(outcome(after)) == "player 1 wins by damage"


def test_turn_start_summons_cannot_attack_in_that_turn() -> None:
    parent = minion(1, 5, "", effect("summon", makes=card(1, 1, name="Token"), on="turn_start"))
    after = pass_turns(state(enemy=[parent]))
    assert [m.fresh for m in after.me.board] == [False, True]


def test_turn_end_deaths_trigger_deathrattles() -> None:
    bomb = minion(1, 1, "", effect("summon", makes=card(1, 1, name="Token"), on="death"))
    after = pass_turns(state(board=[minion_with_turn_effect(1, "turn_end", "all enemy minions")], enemy=[bomb]))
    assert find(after, YOURS) is None
    assert board(after.me) == ["Token"]


def test_turn_end_heals_and_buffs_itself() -> None:
    grower = minion(1, 5, "", effect("buff", "self", attack=1, health=1, on="turn_end"))
    after = pass_turns(state(board=[grower]))
    assert stats(after, MINE) == (2, 6)
    assert get(after, MINE).max_health == 6
