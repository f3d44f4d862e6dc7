"""Conditions of effects, quantities that multiply them, and targets."""

from __future__ import annotations

from random import Random

import pytest

from planner.games.hearthstone.cards.effect_vocabulary import Target, negate_condition, parse_condition, parse_quantity
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.state import GameState
from tests.build import FACE, MINE, YOURS, card, effect, get, minion, pass_turns, play, player, spell, state, weapon

DRAGON = card(2, 2, tribes=("dragon",))
FULL = {
    "board": [minion(2, 5, hurt=1), minion(1, 1, "taunt", tribes=("beast",))],
    "enemy": player("enemy", board=[minion(3, 3, "frozen")], hand=3, health=12, armor=2, first=101),
    "health": 20, "armor": 4, "weapon": weapon(3, 2), "crystals": 7,
}  # fmt: skip

SO = [
    "weapon", "my turn", "holding dragon", "controlling beast", "health>=20", "health<=20", "armor>=4", "hand>=1",
    "hand<=1", "crystals>=7", "weapon_attack>=3", "hero_attack>=3", "enemy health<=12", "enemy armor>=2",
    "enemy hand>=3", "all friendly minions>=2", "all other friendly minions<=2", "all damaged minions>=1",
    "all frozen enemy characters>=1", "all enemy non-beast minions>=1", "not holding mech", "not enemy hand<=2",
]  # fmt: skip


def _armor(given: str = "", **fields: object) -> int:
    before = state(hand=[spell(effect("armor", amount=1, given=given, **fields)), DRAGON], **FULL)  # type: ignore[arg-type]
    return play(before).me.hero.armor - 4


@pytest.mark.parametrize("given", SO)
def test_given_is_checked_when_the_effect_happens(given: str) -> None:
    assert _armor(given) == 1
    assert _armor(negate_condition(given)) == 0


@pytest.mark.parametrize(
    ("times", "count"),
    [("hand", 1), ("armor", 4), ("enemy hand", 3), ("hero_attack", 3), ("weapon_attack", 3), ("health", 20),
     ("crystals", 7), ("attack", 0), ("all minions", 3), ("all friendly beasts", 1), ("all characters", 5)],
)  # fmt: skip
def test_times_multiplies_an_effect(times: str, count: int) -> None:
    assert _armor(times=times) == count


def test_times_attack_is_the_current_attack_of_the_minion() -> None:
    grows = card(2, 2, "", effect("buff", "self", attack=3), effect("damage", "enemy hero", amount=1, times="attack"))
    assert play(state(hand=[grows])).enemy.hero.health == 25
    martyr = minion(4, 1, "", effect("damage", "enemy hero", amount=1, times="attack", on="death"))
    ping = spell(effect("damage", "all minions", amount=1))
    assert play(state(board=[martyr], hand=[ping])).enemy.hero.health == 26


def test_times_counts_cards_and_minions_too() -> None:
    imps = spell(
        effect("summon", makes=card(1, 1), times="hand"), effect("draw", count=1, times="all friendly minions")
    )
    after = play(state(hand=[imps, DRAGON, DRAGON], deck=9))
    assert (len(after.me.board), len(after.me.hand)) == (2, 4)


def test_conditions_on_a_target_use_its_current_state() -> None:
    coil = spell(effect("damage", "chosen minion", amount=3), effect("draw", count=1, given="not target alive"))
    slam = spell(effect("damage", "chosen minion", amount=3), effect("draw", count=1, given="target alive"))
    for one, other in ((coil, 0), (slam, 1)):
        alive = play(state(enemy=[minion(1, 4)], hand=[one]), YOURS)
        dead = play(state(enemy=[minion(1, 3)], hand=[one]), YOURS)
        assert (len(alive.me.hand), len(dead.me.hand)) == (other, 1 - other)


def test_conditions_on_a_target_fail_without_one() -> None:
    eats = card(1, 1, "", effect("destroy", "chosen friendly beast"), effect("buff", "self", attack=2, given="target"),
                effect("armor", amount=1, given="not target alive"))  # fmt: skip
    alone = play(state(hand=[eats]))
    assert (alone.me.board[0].attack, alone.me.hero.armor) == (1, 0)
    fed = play(state(board=[minion(1, 1, tribes=("beast",))], hand=[eats]), MINE)
    assert (fed.me.board[0].attack, fed.me.hero.armor) == (3, 1)


def test_a_spell_with_two_opposite_conditions_always_has_a_target() -> None:
    kill = spell(
        effect("damage", "chosen character", amount=3, given="not controlling beast"),
        effect("damage", "chosen character", amount=5, given="controlling beast"),
    )
    assert play(state(hand=[kill]), FACE).enemy.hero.health == 27
    assert play(state(board=[minion(1, 1, tribes=("beast",))], hand=[kill]), FACE).enemy.hero.health == 25


def test_a_card_does_not_count_itself_in_the_hand() -> None:
    last = card(1, 1, "", effect("damage", "chosen enemy character", amount=3, given="hand<=0"))
    targets = {getattr(action, "target", "") for action in legal_actions(state(hand=[last]))}
    assert FACE in targets
    assert play(state(hand=[last, DRAGON])).enemy.hero.health == 30


def test_an_aura_may_have_a_condition() -> None:
    pirate = minion(1, 5, "", effect("buff", "self", attack=2, on="aura", given="weapon"))
    arm = spell(effect("hone", attack=1), name="Hone")
    armed = play(state(board=[pirate], hand=[arm], weapon=weapon(1, 1)))
    assert get(armed, MINE).attack == 3
    disarm = spell(effect("disarm", side="friendly"))
    assert get(play(armed._replace(me=armed.me._replace(hand=state(hand=[disarm]).me.hand))), MINE).attack == 1


def test_an_aura_of_the_enemy_turn_follows_the_turns() -> None:
    creeper = minion(1, 5, "taunt", effect("buff", "self", attack=2, on="aura", given="not my turn"))
    turns: list[GameState] = [state(board=[creeper])]
    for _ in range(2):
        turns.append(pass_turns(turns[-1]))
    assert [get(one, MINE).attack for one in turns] == [1, 3, 1]


def test_several_random_targets_are_different() -> None:
    two = spell(effect("damage", "random 2 enemy minions", amount=2))
    for seed in range(5):
        after = play(state(enemy=[minion(1, 3), minion(1, 3), minion(1, 3)], hand=[two]), rng=Random(seed))
        assert sorted(one.health for one in after.enemy.board) == [1, 1, 3]
    (alone,) = play(state(enemy=[minion(1, 3)], hand=[two])).enemy.board
    assert alone.health == 1


def test_discarding_the_whole_hand_is_not_random() -> None:
    assert play(state(hand=[spell(effect("discard", count=1000)), DRAGON, DRAGON])).me.hand == ()


def test_cards_can_be_added_to_the_enemy_hand() -> None:
    after = play(state(hand=[spell(effect("add", makes=DRAGON, count=2, side="enemy"))]))
    assert [held.card for held in after.enemy.hand] == [DRAGON, DRAGON]


@pytest.mark.parametrize("words", ["weapons", "not not weapon", "hand>3", "hand>=-1", "beasts>=1", "all>=1"])
def test_unknown_conditions(words: str) -> None:
    with pytest.raises(ValueError, match=r"condition|counted|target"):
        parse_condition(words)


def test_words_round_trip() -> None:
    for words in ("hand", "enemy armor", "attack", "all other friendly taunt beast", "all non-demon minion"):
        assert str(parse_quantity(words)) == words
    for words in ("random 3 enemy minion", "chosen enemy frozen minion", "all damaged non-mech minion attack>=2"):
        assert str(Target.parse(words)) == words
    for words in ("chosen 2 minions", "all non-beast heroes", "random 1 minion"):
        with pytest.raises(ValueError, match="target"):
            Target.parse(words)
