"""Drawing cards, burning them with a full hand, and fatigue with an empty deck."""

from __future__ import annotations

from planner.games.hearthstone.rules.match_flow import outcome
from planner.games.hearthstone.rules.ruleset import Ruleset
from tests.build import FILLER, card, effect, minion, pass_turns, play, player, spell, state


def test_a_turn_begins_with_a_draw_from_the_top() -> None:
    top = card(1, 1, name="Top")
    theirs = pass_turns(state(enemy=player("enemy", deck=[top, FILLER])))
    assert [held.card.name for held in theirs.me.hand] == ["Top"]
    assert [held.card.name for held in theirs.me.deck] == ["Filler"]


def test_a_full_hand_burns_the_card() -> None:
    theirs = pass_turns(state(enemy=player("enemy", hand=10, deck=2)))
    assert (len(theirs.me.hand), len(theirs.me.deck)) == (10, 1)


def test_fatigue_grows() -> None:
    after = state(deck=[], hand=[spell(effect("draw", count=3))])
    assert play(after).me.hero.health == 30 - 1 - 2 - 3
    assert play(after).me.fatigue == 3


def test_fatigue_may_stay_the_same() -> None:
    rules = Ruleset(fatigue_start=1, fatigue_growth=0)
    assert play(state(deck=[], hand=[spell(effect("draw", count=3))], rules=rules)).me.hero.health == 27


def test_fatigue_takes_armor_first_and_can_kill() -> None:
    after = pass_turns(state(enemy=player("enemy", deck=[], health=1, armor=1)))
    assert after.me.hero.health == 1
    after = pass_turns(state(enemy=player("enemy", deck=[], health=1)))
    assert str(outcome(after)) == "player 1 wins by fatigue"


def test_fatigue_that_was_healed_is_not_the_cause_of_a_later_death() -> None:
    gamble = spell(effect("draw", count=1), effect("heal", "friendly hero", amount=5))
    alive = play(state(deck=[], health=1, hand=[gamble, spell(effect("damage", "friendly hero", amount=9))]))
    assert outcome(alive) is None
    assert str(outcome(play(alive, card="me.hand.1"))) == "player 2 wins by damage"


def test_the_ruleset_sets_the_hand_limit_and_the_draws() -> None:
    rules = Ruleset(hand_limit=2, starting_hand=(1, 1), draws_per_turn=3)
    theirs = pass_turns(state(rules=rules, enemy=player("enemy", deck=5)))
    assert (len(theirs.me.hand), len(theirs.me.deck)) == (2, 2)


AUCTIONEER = effect("draw", count=1, on="cast")


def test_a_spell_does_not_save_a_hero_that_died_before_it() -> None:
    """Gadgetzan Auctioneer draws before the spell: the fatigue kills, and the spell's healing comes too late."""
    heal = spell(effect("heal", "friendly hero", amount=5))
    before = state(board=[minion(4, 4, "", AUCTIONEER)], hand=[heal], deck=[], health=1)
    after = play(before)
    assert after.me.hero.health <= 0
    assert outcome(after) is not None
