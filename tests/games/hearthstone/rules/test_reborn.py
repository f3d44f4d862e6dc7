"""Reborn: when it dies for the first time, it returns as printed with 1 health."""

from __future__ import annotations

from planner.games.hearthstone.cards.keywords import names
from planner.games.hearthstone.rules.actions import Attack
from planner.games.hearthstone.rules.state import HandCard, Minion
from planner.games.hearthstone.rules.state_json import state_from_dict, state_to_dict
from tests.build import (
    CARD,
    FACE,
    MINE,
    YOURS,
    attack,
    board,
    card,
    effect,
    find,
    get,
    legal,
    minion,
    pass_turns,
    play,
    spell,
    state,
    stats,
    words,
)


def test_reborn_returns_once_with_one_health() -> None:
    before = state(board=[minion(5, 5), minion(5, 5)], enemy=[minion(2, 4, "reborn taunt")])
    once = attack(before)
    assert stats(once, YOURS) == (2, 1)
    assert get(once, YOURS).max_health == 4
    assert words(once, YOURS) == ["taunt"]
    assert find(attack(once, "me.board.1"), YOURS) is None


def test_reborn_with_rush_attacks_again_after_returning() -> None:
    before = state(hand=[card(3, 1, "rush reborn")], enemy=[minion(2, 9)])
    once = attack(play(before), CARD)
    twice = attack(once, CARD)
    assert stats(twice, YOURS) == (2, 3)
    assert find(twice, CARD) is None
    assert not legal(once, Attack(CARD, FACE))


def test_reborn_without_rush_waits_a_turn() -> None:
    after = attack(state(board=[minion(3, 1, "reborn")], enemy=[minion(2, 9)]))
    assert not legal(after, Attack(MINE, YOURS))
    assert legal(pass_turns(after, 2), Attack(MINE, YOURS))


def test_reborn_returns_without_buffs() -> None:
    grow = spell(effect("buff", "chosen minion", attack=4, keywords="taunt"))
    end = spell(effect("destroy", "chosen minion"))
    before = state(board=[minion(1, 1, "reborn")], hand=[grow, end])
    after = play(play(before, MINE), MINE, "me.hand.1")
    assert stats(after) == (1, 1)
    assert words(after) == []


def test_reborn_given_by_a_spell_works_once() -> None:
    gift = spell(effect("buff", "chosen minion", keywords="reborn"))
    end = spell(effect("destroy", "chosen minion"))
    before = state(board=[minion(2, 5)], hand=[gift, end, end])
    after = play(play(before, MINE), MINE, "me.hand.1")
    assert stats(after) == (2, 1)
    assert find(play(after, MINE, "me.hand.2"), MINE) is None


def test_reborn_silenced_stays_dead() -> None:
    hush, end = spell(effect("silence", "chosen minion")), spell(effect("destroy", "chosen minion"))
    before = state(board=[minion(2, 5, "reborn")], hand=[hush, end])
    assert find(play(play(before, MINE), MINE, "me.hand.1"), MINE) is None


def test_reborn_returns_after_the_deathrattles() -> None:
    token = card(1, 1, name="Token")
    dies = minion(1, 1, "reborn", effect("summon", makes=token, on="death"), name="Parent")
    after = attack(state(board=[dies], enemy=[minion(1, 9)]))
    assert board(after.me) == ["Token", "Parent"]


def test_reborn_needs_room_on_the_board() -> None:
    token = card(1, 1, name="Token")
    dies = minion(1, 1, "reborn", effect("summon", makes=token, count=7, on="death"))
    after = attack(state(board=[dies], enemy=[minion(1, 9)]))
    assert board(after.me) == ["Token"] * 7


def reborn_after(entry: dict[str, object]) -> Minion:
    """Return the minion of this entry after it was killed by a spell."""
    document = {"mana": 10, "me": {"hero": {"health": 30}, "board": [{"attack": 2, "health": 2, **entry}]},
                "enemy": {"hero": {"health": 30}}}  # fmt: skip
    before = state_from_dict(document)
    end = HandCard(CARD, spell(effect("destroy", "all friendly minions")), 1)
    return get(play(before._replace(me=before.me._replace(hand=(end,)))))


def test_reborn_returns_without_statuses() -> None:
    assert names(reborn_after({"keywords": ["frozen", "immune", "taunt", "reborn"]}).keywords) == ["taunt"]


def test_reborn_returns_without_temporary_buffs() -> None:
    back = reborn_after({
        "attack": 5, "attack_this_turn": 3,
        "keywords": ["windfury", "taunt", "reborn"], "keywords_this_turn": ["windfury"],
    })  # fmt: skip
    assert (back.attack, names(back.keywords), back.attacks_left) == (2, ["taunt"], 1)


def test_reborn_given_to_a_silenced_minion_returns_no_other_buffs() -> None:
    assert reborn_after({"silenced": True, "keywords": ["taunt", "reborn"]}).keywords == 0


def test_statuses_round_trip() -> None:
    given = {"attack": 5, "health": 2, "attack_this_turn": 3, "keywords": ["frozen", "taunt", "reborn"]}
    hero = {"hero": {"health": 9}}
    before = state_from_dict({"mana": 1, "me": {**hero, "board": [given]}, "enemy": hero})
    written = state_to_dict(before)
    assert "card" not in written["me"]["board"][0]
    assert state_from_dict(written) == before
