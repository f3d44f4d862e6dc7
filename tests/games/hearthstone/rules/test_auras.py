"""Auras: attack and health that a minion gives to others while it is on the board."""

from __future__ import annotations

from planner import plan_turn
from planner.games.hearthstone.engine.referee import apply_verified
from planner.games.hearthstone.rules.actions import EndTurn, Play
from planner.games.hearthstone.rules.match_flow import end_turn
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.state import GameState, HandCard
from planner.games.hearthstone.rules.state_json import state_from_dict, state_to_dict
from tests.build import MINE, YOURS, attack, card, effect, find, get, minion, pass_turns, play, spell, state, stats

WARCHIEF_GIVES = {"to": "all other friendly minions", "attack": 1, "health": 1}
WARCHIEF = effect("buff", "all other friendly minions", attack=1, health=1, on="aura")


def test_aura_reaches_present_and_new_minions() -> None:
    before = state(board=[minion(1, 1)], hand=[card(6, 6, "", WARCHIEF), card(2, 2)])
    after = play(before)
    assert stats(after) == (2, 2)
    assert stats(after, "me.hand.0") == (6, 6)
    assert stats(play(after, card="me.hand.1"), "me.hand.1") == (3, 3)


def test_aura_ends_with_its_source_without_killing() -> None:
    end = spell(effect("destroy", "chosen minion"))
    before = play(state(board=[minion(1, 2)], hand=[card(6, 6, "", WARCHIEF), end], enemy=[minion(2, 9)]))
    hurt = attack(before)
    assert stats(hurt) == (2, 1)
    after = play(hurt, "me.hand.0", "me.hand.1")
    assert stats(after) == (1, 1)
    assert get(after).max_health == 2


def test_aura_ends_if_its_source_dies_together_with_others() -> None:
    storm = spell(effect("damage", "all minions", amount=2))
    before = play(state(board=[minion(1, 5), minion(1, 1)], hand=[card(6, 2, "", WARCHIEF), storm]))
    after = play(before, card="me.hand.1")
    assert [one.id for one in after.me.board] == [MINE]
    assert stats(after) == (1, 4)


def test_aura_stays_if_only_others_die() -> None:
    before = play(state(board=[minion(1, 5), minion(1, 1)], hand=[card(6, 6, "", WARCHIEF)], enemy=[minion(2, 2)]))
    after = attack(before, "me.board.1", YOURS)
    assert [one.id for one in after.me.board] == [MINE, "me.hand.0"]
    assert not after.enemy.board
    assert stats(after) == (2, 6)


def test_aura_of_two_sources_adds_up() -> None:
    after = play(state(board=[minion(1, 1)], hand=[card(6, 6, "", WARCHIEF)] * 2))
    after = play(after, card="me.hand.1")
    assert stats(after) == (3, 3)
    assert stats(after, "me.hand.0") == (7, 7)


def test_aura_of_a_silenced_source_ends() -> None:
    hush = spell(effect("silence", "chosen minion"))
    after = play(state(board=[minion(1, 1)], hand=[card(6, 6, "", WARCHIEF), hush]))
    assert stats(play(after, "me.hand.0", "me.hand.1")) == (1, 1)


def test_aura_stays_on_a_silenced_minion() -> None:
    hush, grow = spell(effect("silence", "chosen minion")), spell(effect("buff", "chosen minion", attack=5))
    after = play(state(board=[minion(1, 1)], hand=[card(6, 6, "", WARCHIEF), hush, grow]))
    after = play(play(after, MINE, "me.hand.2"), MINE, "me.hand.1")
    assert stats(after) == (2, 2)


def test_aura_may_be_for_a_tribe_or_for_the_enemy() -> None:
    pack = card(1, 1, "", effect("buff", "all other friendly beasts", attack=2, on="aura"))
    after = play(state(board=[minion(1, 1, tribes=("beast",)), minion(1, 1)], hand=[pack]))
    assert [m.attack for m in after.me.board] == [3, 1, 1]
    gloom = card(1, 1, "", effect("buff", "all enemy minions", attack=-1, on="aura"))
    assert stats(play(state(enemy=[minion(3, 3)], hand=[gloom]), None), YOURS) == (2, 3)


def test_negative_aura_stops_at_zero_attack_and_returns_it() -> None:
    gloom = card(1, 1, "", effect("buff", "all enemy minions", attack=-2, on="aura"))
    end, grow = spell(effect("destroy", "chosen minion")), spell(effect("buff", "chosen minion", attack=3))
    after = play(state(enemy=[minion(1, 3)], hand=[gloom, end, grow]))
    assert stats(after, YOURS) == (0, 3)
    assert stats(play(after, "me.hand.0", "me.hand.1"), YOURS) == (1, 3)
    assert stats(play(after, YOURS, "me.hand.2"), YOURS) == (2, 3)


def test_aura_on_itself_affects_only_its_source() -> None:
    lonely = card(1, 1, "", effect("buff", "self", attack=2, on="aura"))
    after = play(state(board=[minion(1, 1)], enemy=[minion(1, 1)], hand=[lonely]))
    assert [stats(after, name)[0] for name in (MINE, YOURS, "me.hand.0")] == [1, 1, 3]


def test_aura_for_damaged_minions_follows_their_health() -> None:
    rage = card(1, 1, "", effect("buff", "all friendly damaged minions", attack=2, on="aura"))
    after = play(state(board=[minion(1, 3), minion(1, 3, hurt=1)], hand=[rage]))
    assert [m.attack for m in after.me.board] == [1, 3, 1]


def test_aura_health_does_not_save_a_dying_minion() -> None:
    # A minion that dies together with the source of the aura does not survive by the health of the aura.
    storm = spell(effect("damage", "all friendly minions", amount=6))
    after = play(play(state(board=[minion(1, 6)], hand=[card(6, 6, "", WARCHIEF), storm])), card="me.hand.1")
    assert find(after, "me.hand.0") is None
    assert stats(after) == (1, 1)


def test_aura_applies_in_the_enemy_turn() -> None:
    before = play(state(board=[minion(1, 1)], hand=[card(6, 6, "", WARCHIEF)]))
    assert stats(pass_turns(before)) == (2, 2)


def test_aura_is_included_in_the_numbers_of_a_caller() -> None:
    # The numbers include the aura, so playing a card must not add it again.
    chief = {"name": "Chief", "health": 6, "attack": 6, "effects": [{"do": "buff", "on": "aura", **WARCHIEF_GIVES}]}
    raider = {"name": "Raider", "attack": 2, "health": 1}
    whole, hurt = ({"name": "Raider", "attack": 3, "health": health} for health in (2, 1))
    before = state_from_dict(
        {
            "mana": 1,
            "cards": [chief, raider],
            "me": {"hero": {"health": 30}, "board": ["Chief", "Raider", whole, hurt], "hand": ["The Coin"]},
            "enemy": {"hero": {"health": 12}},
        }
    )
    after = play(before)
    for now in (before, after):
        stats = [(m.attack, m.health, m.max_health) for m in now.me.board]
        assert stats == [(6, 6, 6), (3, 2, 2), (3, 2, 2), (3, 1, 2)]
    assert state_from_dict(state_to_dict(after)) == after


def unlisted_minion_beside_a_warchief(**fields: object) -> GameState:
    """Return an unlisted minion with the numbers that a player sees, and several spells in hand."""
    chief = {"name": "Chief", "attack": 6, "health": 6, "effects": [{"do": "buff", "on": "aura", **WARCHIEF_GIVES}]}
    board = [{"attack": 3, "health": 3, **fields}, {"card": chief}]
    document = {"mana": 10, "me": {"hero": {"health": 30}, "board": board}, "enemy": {"hero": {"health": 30}}}
    before = state_from_dict(document)
    assert state_from_dict(state_to_dict(before)) == before
    spells = [spell(effect(do, "chosen minion")) for do in ("silence", "destroy")]
    hand = tuple(HandCard(f"me.hand.{number}", one, 1) for number, one in enumerate(spells))
    return before._replace(me=before.me._replace(hand=hand))


def test_aura_is_included_in_the_numbers_of_an_unlisted_minion() -> None:
    before = unlisted_minion_beside_a_warchief()
    assert (stats(before), get(before).max_health) == ((3, 3), 3)
    assert stats(play(before, MINE, "me.hand.0")) == (3, 3)
    assert stats(play(before, "me.board.1", "me.hand.1")) == (2, 2)


def test_aura_counts_once_for_an_unlisted_minion_with_reborn() -> None:
    after = play(unlisted_minion_beside_a_warchief(keywords=["reborn"]), MINE, "me.hand.1")
    assert stats(after) == (3, 2)


COGMASTER = effect("buff", "self", attack=2, on="aura", given="controlling mech")
DEFENDER = effect("buff", "self", attack=2, on="aura", given="not all other friendly minions>=1")


def test_conditional_aura_ends_when_a_minion_without_effects_dies() -> None:
    """Cogmaster has +2 attack only while its owner controls a mech."""
    before = state(board=[minion(1, 1, tribes=("mech",)), minion(1, 2, "", COGMASTER)], enemy=[minion(1, 9)])
    assert stats(attack(before), "me.board.1") == (1, 2)


def test_conditional_aura_begins_when_a_minion_without_effects_dies() -> None:
    """Proud Defender has +2 attack only while it is alone."""
    before = state(board=[minion(1, 1), minion(2, 6, "", DEFENDER)], enemy=[minion(1, 9)])
    assert stats(attack(before), "me.board.1") == (4, 6)


def test_attack_this_turn_under_a_reducing_aura_ends_with_the_turn() -> None:
    """1 attack, 2 more for this turn, less 3 by the aura: without both it is 1 again."""
    weakener = minion(0, 1, "", effect("buff", "all enemy minions", attack=-3, on="aura"))
    pump = spell(effect("buff", "all friendly minions", attack=2, this_turn=True))
    end = spell(effect("destroy", "all enemy minions"), name="End")
    before = state(board=[minion(1, 5)], enemy=[weakener], hand=[pump, end])
    for apply_action in (apply, apply_verified):
        after = before
        for action in (Play("me.hand.0"), EndTurn(), EndTurn()):
            after = apply_action(after, action)
        assert stats(after) == (0, 5)
        assert stats(apply_action(after, Play("me.hand.1"))) == (1, 5)


def test_attack_lost_this_turn_comes_back_without_the_aura_that_ended() -> None:
    """3 attack and 2 by the aura, less 5 for this turn: when the aura has ended, 3 of them were lost."""
    banner = minion(0, 1, "", effect("buff", "all other friendly minions", attack=2, on="aura"))
    weaken = spell(effect("buff", "all enemy minions", attack=-5, this_turn=True), cost=0)
    before = state(board=[minion(1, 1)], hand=[weaken], enemy=[banner, minion(5, 9, of=card(3, 9), aura_attack=2)])
    after = attack(play(before))
    assert (get(after, "enemy.board.1").attack, get(after, "enemy.board.1").attack_this_turn) == (0, -3)
    assert get(end_turn(after), "enemy.board.1").attack == 3


def test_attack_lost_this_turn_comes_back_under_a_reducing_aura() -> None:
    """5 attack, less 3 for this turn, less 4 by the aura: without the loss for this turn it is 1."""
    weaken = spell(effect("buff", "all enemy minions", attack=-3, this_turn=True), cost=0)
    gloom = card(1, 1, "", effect("buff", "all enemy minions", attack=-4, on="aura"))
    after = play(play(state(hand=[weaken, gloom], enemy=[minion(5, 9)])), card="me.hand.1")
    assert get(after, YOURS).attack == 0
    assert get(end_turn(after), YOURS).attack == 1


def test_the_threat_of_a_minion_whose_aura_ended() -> None:
    """The spell saves the attacker, and the minion without its aura is a threat of 3, not of 5."""
    banner = minion(3, 1, "", effect("buff", "all other friendly minions", attack=2, on="aura"))
    weaken = spell(effect("buff", "all enemy minions", attack=-5, this_turn=True), cost=0)
    before = state(board=[minion(1, 1)], hand=[weaken], enemy=[banner, minion(5, 9, of=card(3, 9), aura_attack=2)])
    plan = plan_turn(before, {"enemy_threat": 1, "own_survival": 1})
    assert (plan.status, plan.objective) == ("optimal", -3 + 1)
