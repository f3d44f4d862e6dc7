"""Effects on hands and weapons, and conditions of effects."""

from __future__ import annotations

from random import Random

import pytest

from planner.games.hearthstone.rules.actions import Play
from planner.games.hearthstone.rules.legal import illegal_reason, legal_actions
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from tests.build import attack, card, effect, minion, pass_turns, play, player, spell, state, weapon, weapon_card

IMP = card(1, 1, name="Imp", cost=1, tribes=("demon",))


def test_add_gives_cards_that_can_be_played_at_once() -> None:
    after = play(state(mana=5, hand=[card(1, 1, "", effect("add", makes=IMP, count=2))]))
    assert [held.card.name for held in after.me.hand] == ["Imp", "Imp"]
    assert len({held.id for held in after.me.hand}) == 2
    assert len(play(after, card=after.me.hand[0].id).me.board) == 2


def test_add_stops_at_a_full_hand() -> None:
    rules = Ruleset(name="small", hand_limit=2, starting_hand=(1, 1))
    after = play(state(mana=5, hand=[spell(effect("add", makes=IMP, count=9)), IMP], rules=rules))
    assert len(after.me.hand) == 2


def test_add_on_death_is_for_the_owner() -> None:
    nest = card(1, 1, "", effect("add", makes=IMP, on="death"))
    after = attack(state(board=[minion(3, 3)], enemy=[minion(1, 1, of=nest)]))
    assert [held.card.name for held in after.enemy.hand] == ["Imp"]
    assert after.me.hand == ()


def test_discard_removes_random_cards_but_not_the_played_one() -> None:
    waste = spell(effect("discard", count=2), name="Waste")
    seen = set()
    for seed in range(20):
        after = apply(state(mana=5, hand=[waste, IMP, card(2, 2), card(3, 3)]), Play("me.hand.0"), Random(seed))
        assert len(after.me.hand) == 1
        seen.add(after.me.hand[0].card.name)
    assert seen == {"Imp", "2/2", "3/3"}


def test_discard_of_the_last_card_is_not_random() -> None:
    after = apply(state(mana=5, hand=[spell(effect("discard", count=3)), IMP]), Play("me.hand.0"))
    assert after.me.hand == ()


def test_hone_improves_a_weapon_and_gives_attacks_at_once() -> None:
    better = spell(effect("hone", attack=2, health=1, keywords="windfury"))
    after = play(state(mana=5, hand=[better], weapon=weapon(1, 1)))
    assert after.me.weapon is not None
    assert after.me.weapon[1:3] == (3, 2)
    assert after.me.hero.attacks_left == 2


def test_hone_needs_a_weapon_for_a_spell_but_not_for_a_battlecry() -> None:
    better = effect("hone", attack=2)
    assert "you have none" in str(illegal_reason(state(mana=5, hand=[spell(better)]), Play("me.hand.0")))
    assert play(state(mana=5, hand=[card(1, 1, "", better)])).me.weapon is None


def test_disarm_destroys_the_enemy_weapon() -> None:
    ooze = card(3, 2, "", effect("disarm", side="enemy"))
    after = play(state(mana=5, hand=[ooze], enemy=player("enemy", weapon=weapon(4, 2)), weapon=weapon(1, 1)))
    assert after.enemy.weapon is None
    assert after.me.weapon is not None


def test_draw_for_the_enemy() -> None:
    enemy = player("enemy", deck=[IMP, IMP, IMP])
    after = play(state(mana=5, hand=[spell(effect("draw", count=2, side="enemy"))], enemy=enemy))
    assert (len(after.enemy.hand), len(after.enemy.deck), after.me.fatigue) == (2, 1, 0)


# -- conditions


def test_holding_a_tribe_does_not_count_the_card_itself() -> None:
    whelp = card(2, 1, "", effect("buff", "self", attack=2, given="holding dragon"), tribes=("dragon",))
    assert play(state(mana=9, hand=[whelp])).me.board[0].attack == 2
    assert play(state(mana=9, hand=[whelp, whelp])).me.board[0].attack == 4


def test_controlling_a_tribe_means_another_minion() -> None:
    pup = card(1, 1, "", effect("buff", "self", attack=2, given="controlling beast"), tribes=("beast",))
    alone = play(state(mana=9, hand=[pup, pup]))
    assert alone.me.board[0].attack == 1
    assert play(alone, card="me.hand.1").me.board[1].attack == 3


def test_a_condition_on_a_weapon_also_decides_whether_there_is_a_target() -> None:
    raider = card(2, 2, "", effect("damage", "chosen character", amount=2, given="weapon"))
    without = state(mana=9, hand=[raider])
    assert [action for action in legal_actions(without) if isinstance(action, Play)] == [Play("me.hand.0")]
    armed = state(mana=9, hand=[raider], weapon=weapon(1, 1))
    assert {action.target for action in legal_actions(armed) if isinstance(action, Play)} == {"me.hero", "enemy.hero"}
    assert play(armed, target="enemy.hero").enemy.hero.health == 28


def test_conditions_are_checked_when_the_effect_happens() -> None:
    """The first effect equips a weapon, so the condition of the second holds."""
    axe = weapon_card(2, 2)
    smith = spell(effect("equip", makes=axe), effect("armor", amount=3, given="weapon"))
    assert play(state(mana=9, hand=[smith])).me.hero.armor == 3


# -- targets by attack, and auras while damaged


@pytest.mark.parametrize(("words", "hit"), [("attack<=3", {1, 3}), ("attack>=4", {4, 7})])
def test_targets_by_their_attack(words: str, hit: set[int]) -> None:
    foes = [minion(attack, 9) for attack in (1, 3, 4, 7)]
    chosen = state(mana=9, hand=[spell(effect("destroy", f"chosen minion {words}"))], enemy=foes)
    targets = {action.target for action in legal_actions(chosen) if isinstance(action, Play)}
    assert {foe.attack for foe in chosen.enemy.board if foe.id in targets} == hit
    after = play(state(mana=9, hand=[spell(effect("destroy", f"all enemy minions {words}"))], enemy=foes))
    assert {foe.attack for foe in after.enemy.board} == {1, 3, 4, 7} - hit


def test_an_aura_on_itself_while_it_is_damaged() -> None:
    angry = card(1, 5, "", effect("buff", "damaged self", attack=3, on="aura"))
    heal = spell(effect("heal", "all friendly minions", amount=9))
    hurt = play(state(mana=9, hand=[angry, spell(effect("damage", "all minions", amount=1)), heal]))
    assert hurt.me.board[0].attack == 1
    hurt = play(hurt, card="me.hand.1")
    assert hurt.me.board[0].attack == 4
    assert pass_turns(hurt, 2).me.board[0].attack == 4
    assert play(hurt, card="me.hand.2").me.board[0].attack == 1
