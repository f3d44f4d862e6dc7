"""The printed keywords of a card take effect when the card is played.

Each test checks one property of every card and reports the cards that fail: a card without a keyword must not behave
as if it had it.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from planner.games.hearthstone.cards.keywords import bits
from planner.games.hearthstone.rules.actions import Attack, EndTurn, Play, Trade
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.state import GameState
from tests.games.hearthstone.cards.expected import SIMPLE, Printed
from tests.games.hearthstone.cards.helpers import (
    CARDS,
    DOOM,
    PING,
    RAIN,
    attack_targets,
    choices,
    find,
    round_later,
    run,
    scene,
)
from tests.games.hearthstone.cards.oracle import attacks_per_turn

MINIONS = [card for card in SIMPLE if card.type == "minion"]
WEAPONS = [card for card in SIMPLE if card.type == "weapon"]
ENEMY_MINIONS = {"e.whole", "e.beast", "e.murloc"}


def wrong(check: Callable[[Printed], bool], cards: list[Printed] = MINIONS) -> list[str]:
    return [card.name for card in cards if not check(card)]


def played(card: Printed) -> GameState:
    """Return the scene after the card was played, with my plain minion as the target of a battlecry."""
    state = scene(CARDS[card.name], PING)
    target = "plain" if "plain" in choices(state) else min(map(str, choices(state) - {None}), default=None)
    if "magnetic" in card.keywords:
        target = None
    return run(state, Play("card", target), rng=Random(0))


def bits_without(card: Printed, word: str) -> int:
    return bits(card.keywords - {word})


def enemy_turn(card: Printed) -> GameState:
    """Return the next turn of the enemy with three spells in its hand: ping, rain and doom."""
    state = played(card)
    hand = scene(PING, RAIN, DOOM).me.hand
    return run(state._replace(enemy=state.enemy._replace(hand=hand)), EndTurn())


def test_charge_attacks_at_once_and_rush_only_minions() -> None:
    def check(card: Printed) -> bool:
        may = set()
        if card.attack and card.keywords & {"charge", "rush"}:
            may = ENEMY_MINIONS | ({"enemy.hero"} if "charge" in card.keywords else set())
        return attack_targets(played(card), "card") == may

    assert wrong(check) == []


def test_next_turn_every_minion_with_attack_can_attack_any_target() -> None:
    def check(card: Printed) -> bool:
        return attack_targets(round_later(played(card)), "card") == (
            ENEMY_MINIONS | {"enemy.hero"} if card.attack else set()
        )

    assert wrong(check) == []


def test_taunt_must_be_attacked_and_stealth_cannot_be() -> None:
    def check(card: Printed) -> bool:
        state = enemy_turn(card)
        others = {minion.id for minion in state.enemy.board} - {"card"}
        taunts = {minion.id for minion in state.enemy.board if "taunt" in words(minion.id, card)}
        if taunts:
            return attack_targets(state, "e.whole") == taunts
        hidden = {minion.id for minion in state.enemy.board if "stealth" in words(minion.id, card)}
        return attack_targets(state, "e.whole") == (others | {"card", "enemy.hero"}) - hidden

    def words(name: str, card: Printed) -> frozenset[str]:
        if name == "card":
            return card.keywords
        given = [fact.keywords for fact in card.facts if fact.who.startswith("one ")]
        # The target of the battlecry was `plain`, or the only minion of its tribe.
        aimed = {"one friendly beast": "beast"}.get(card.facts[0].who, "plain") if card.facts else ""
        return given[0] if given and name == aimed else frozenset()

    assert wrong(check) == []


def test_spells_cannot_target_elusive_and_enemy_spells_cannot_target_stealth() -> None:
    def check(card: Printed) -> bool:
        elusive, stealth = "elusive" in card.keywords, "stealth" in card.keywords
        mine = "card" in choices(played(card), "card.1")
        theirs = "card" in choices(enemy_turn(card), "card")
        return (mine, theirs) == (not elusive, not (elusive or stealth))

    assert wrong(check) == []


def test_one_damage_removes_the_shield_or_one_health() -> None:
    def check(card: Printed) -> bool:
        minion = find(run(enemy_turn(card), Play("card.1")), "card")
        if "divine_shield" in card.keywords:
            left = bits_without(card, "divine_shield")
            return minion is not None and (minion.health, minion.keywords) == (card.health, left)
        if card.health > 1:
            return minion is not None and minion.health == card.health - 1
        return (minion is not None) == ("reborn" in card.keywords)

    assert wrong(check) == []


def test_reborn_minions_return_once_with_one_health() -> None:
    def check(card: Printed) -> bool:
        state = run(enemy_turn(card), Play("card.2"))
        minion = find(state, "card")
        if "reborn" not in card.keywords:
            return minion is None
        if minion is None or (minion.health, minion.max_health) != (1, card.health):
            return False
        again = scene(DOOM)._replace(me=scene(DOOM).me._replace(board=(minion,)))
        return minion.keywords == bits_without(card, "reborn") and find(run(again, Play("card")), "card") is None

    assert wrong(check) == []


def test_a_fight_heals_with_lifesteal_and_kills_with_poison() -> None:
    def check(card: Printed) -> bool:
        state = round_later(played(card))
        before = state.me.hero.health
        after = run(state, Attack("card", "e.whole"))
        whole, old = find(after, "e.whole"), find(state, "e.whole")
        assert old is not None
        healed = min(card.attack, 30 - before) if "lifesteal" in card.keywords else 0
        if after.me.hero.health != before + healed:
            return False
        if "poisonous" in card.keywords:
            return whole is None
        return whole is not None and whole.health == old.health - card.attack

    assert wrong(check, [card for card in MINIONS if card.attack]) == []


def test_windfury_attacks_twice() -> None:
    def check(card: Printed) -> bool:
        state, times = round_later(played(card)), 0
        while "enemy.hero" in attack_targets(state, "card"):
            state, times = run(state, Attack("card", "enemy.hero")), times + 1
        return times == attacks_per_turn(card.keywords)

    assert wrong(check, [card for card in MINIONS if card.attack]) == []


def test_stealth_ends_with_the_first_attack() -> None:
    def check(card: Printed) -> bool:
        state = run(round_later(played(card)), Attack("card", "enemy.hero"), EndTurn())
        return "card" in attack_targets(state, "e.whole")

    assert wrong(check, [card for card in MINIONS if "stealth" in card.keywords]) == []


def test_spell_damage_raises_the_damage_of_spells() -> None:
    def check(card: Printed) -> bool:
        before = played(card)
        after = run(before, Play("card.1", "enemy.hero"))
        return before.enemy.hero.health - after.enemy.hero.health == 1 + card.spell_damage

    assert wrong(check) == []


def test_overload_locks_mana_next_turn_and_only_then() -> None:
    def check(card: Printed) -> bool:
        state = scene(CARDS[card.name])
        target = min(map(str, choices(state) - {None}), default=None)
        after = run(state, Play("card", None if "magnetic" in card.keywords else target), rng=Random(0))
        following = round_later(after)
        return (following.me.mana, following.me.locked, round_later(following).me.mana) == (
            10 - card.overload,
            card.overload,
            10,
        )

    assert wrong(check, list(SIMPLE)) == []


def test_echo_gives_copies_until_the_turn_ends() -> None:
    echoing = [card for card in MINIONS if "echo" in card.keywords]
    assert len(echoing) == 4
    for card in echoing:
        state = played(card)
        for times in range(2, 4):
            (copy,) = (held for held in state.me.hand if held.echo)
            state = run(state, Play(copy.id))
            assert sum(minion.card.name == card.name for minion in state.me.board) == times
        assert any(held.echo for held in state.me.hand)
        after = run(state, EndTurn())
        assert not any(held.echo for held in after.enemy.hand)


def test_tradeable_is_shuffled_into_the_deck_for_one_mana_and_a_new_card() -> None:
    def check(card: Printed) -> bool:
        state = scene(CARDS[card.name])
        if "tradeable" not in card.keywords:
            return illegal_reason(state, Trade("card")) == f"{card.name} is not tradeable"
        after = run(state, Trade("card"), rng=Random(1))
        return (
            after.me.mana == 9
            and [held.id for held in after.me.hand] == ["spare", "my.0"]
            and {held.id for held in after.me.deck} == {held.id for held in state.me.deck} - {"my.0"} | {"card"}
        )

    assert wrong(check, list(SIMPLE)) == []


def test_a_weapon_attacks_until_it_breaks_with_its_printed_keywords() -> None:
    def check(card: Printed) -> bool:
        state = run(scene(CARDS[card.name]), Play("card"))
        for left in range(card.health - 1, -1, -1):
            before = state
            state = run(state, Attack("me.hero", "e.murloc"))
            prey, old = find(state, "e.murloc"), find(before, "e.murloc")
            assert old is not None
            healed = card.attack if "lifesteal" in card.keywords else 0
            if state.me.hero.health != before.me.hero.health - 3 + healed:
                return False
            if "poisonous" in card.keywords:
                return prey is None and state.me.weapon is not None and state.me.weapon.durability == left
            if prey is None or prey.health != old.health - card.attack or attack_targets(state, "me.hero"):
                return False
            if (state.me.weapon.durability if state.me.weapon else 0) != left:
                return False
            state = round_later(state)
        return state.me.weapon is None

    assert len(WEAPONS) == 8
    assert wrong(check, WEAPONS) == []
