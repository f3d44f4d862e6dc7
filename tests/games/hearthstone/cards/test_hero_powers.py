"""The hero power of each class makes exactly the expected changes."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest

from planner import plan_turn
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.rules.actions import Attack, HeroPower, Play
from planner.games.hearthstone.rules.legal import illegal_reason, legal_actions
from planner.games.hearthstone.rules.resolve import apply
from tests.build import effect
from tests.games.hearthstone.cards.expected import Fact, Printed, armor, damage, draw, equip, heal, hero_attack, summon
from tests.games.hearthstone.cards.helpers import CARDS, called, facts, round_later, run, scene, scene_minion
from tests.games.hearthstone.cards.oracle import carry_out, targets

POWERS: dict[str, tuple[str, int, tuple[Fact, ...]]] = {
    # class: name, cost, expected changes
    "deathknight": ("Ghoul Charge", 2, (summon("Frail Ghoul"),)),
    "demonhunter": ("Demon Claws", 1, (hero_attack(1),)),
    "druid": ("Shapeshift", 2, (hero_attack(1), armor(1))),
    "hunter": ("Steady Shot", 2, (damage(2, "enemy hero"),)),
    "mage": ("Fireblast", 2, (damage(1, "one character"),)),
    "paladin": ("Reinforce", 2, (summon("Silver Hand Recruit"),)),
    "priest": ("Lesser Heal", 2, (heal(2, "one character"),)),
    "rogue": ("Dagger Mastery", 2, (equip("Wicked Knife"),)),
    "shaman": ("Totemic Call", 2, ()),  # one of four at random, see below
    "warlock": ("Life Tap", 2, (damage(2, "my hero"), draw(1))),
    "warrior": ("Armor Up!", 2, (armor(2),)),
}
TOTEMS = ("Healing Totem", "Searing Totem", "Stoneclaw Totem", "Wrath of Air Totem")


def test_no_power_is_missing() -> None:
    assert {card_class: card.name for card_class, card in CARDS.hero_powers.items()} == {
        card_class: name for card_class, (name, _, _) in POWERS.items()
    }
    assert set(POWERS) == set(CLASSES)
    assert sum(card.type == "hero_power" for card in CARDS.values()) == len(CLASSES)


@pytest.mark.parametrize("card_class", [name for name in POWERS if name != "shaman"])
@pytest.mark.parametrize("spell_damage", [0, 2])
def test_a_power_changes_exactly_what_is_expected(card_class: str, spell_damage: int) -> None:
    name, cost, powers = POWERS[card_class]
    printed = Printed(name, "hero_power", cost, facts=powers)
    state = scene(power=CARDS[name], spell_damage=spell_damage)  # it does not affect hero powers
    may = targets(state, printed)
    assert {action.target for action in legal_actions(state) if isinstance(action, HeroPower)} == may
    for target in may:
        world = deepcopy(facts(state))
        world["me"]["mana"] -= cost
        world["me"]["power_used"] = True
        for fact in powers:
            carry_out(world, fact, printed, target)
        after = apply(state, HeroPower(target))
        assert facts(after) == world
        assert illegal_reason(after, HeroPower(target)) == "your hero power was used this turn"
        assert illegal_reason(round_later(after), HeroPower(target)) is None


def test_it_needs_its_mana() -> None:
    for name, cost, _ in POWERS.values():
        state = scene(power=CARDS[name])
        poor = state._replace(me=state.me._replace(mana=cost - 1))
        assert illegal_reason(poor, HeroPower()) == f"{name} costs {cost}, you have {cost - 1} mana"


def test_totems_are_random_and_different() -> None:
    first = set()
    for seed in range(20):
        rng = Random(seed)
        state = scene(power=CARDS["Totemic Call"])
        state = state._replace(me=state.me._replace(board=()))
        for count in range(1, 5):
            state = run(state, HeroPower(), rng=rng)
            here = [minion.card.name for minion in state.me.board]
            assert len(set(here)) == len(here) == count
            assert set(here) <= set(TOTEMS)
            first.add(here[0])
            state = round_later(state)
        assert illegal_reason(state, HeroPower()) == "Totemic Call has no new minion to summon"
    assert first == set(TOTEMS)


def test_only_summoned_minions_must_be_new() -> None:
    """A power that puts one of two minions into the hand does so although both stand on the board."""
    one, other = CARDS["Searing Totem"], CARDS["Stoneclaw Totem"]
    power = Card("Call to Hand", "hero_power", cost=1, effects=(effect("add", makes=(one, other)),))
    state = scene(power=power)
    board = tuple(scene_minion(f"totem.{card.name}")._replace(card=card) for card in (one, other))
    state = state._replace(me=state.me._replace(board=board))
    found = {run(state, HeroPower(), rng=Random(seed)).me.hand[-1].card for seed in range(9)}
    assert found == {one, other}
    assert plan_turn(state).status == "optimal"


def test_a_full_board_stops_powers_that_summon() -> None:
    for name in ("Ghoul Charge", "Reinforce", "Totemic Call"):
        state = scene(power=CARDS[name])
        board = tuple(scene_minion(f"crowd.{number}") for number in range(7))
        assert (
            illegal_reason(state._replace(me=state.me._replace(board=board)), HeroPower()) == "your board is full (7)"
        )


def test_created_minions_and_weapons_can_be_used() -> None:
    ghoul = run(scene(power=CARDS["Ghoul Charge"]), HeroPower())
    assert run(ghoul, Attack(called(ghoul, "Frail Ghoul")[0].id, "enemy.hero")).enemy.hero.health == 21
    knife = run(scene(power=CARDS["Dagger Mastery"]), HeroPower(), Attack("me.hero", "enemy.hero"))
    assert knife.enemy.hero.health == 21
    assert knife.me.weapon is not None
    assert knife.me.weapon.durability == 1
    claws = run(scene(power=CARDS["Demon Claws"]), HeroPower(), Attack("me.hero", "enemy.hero"))
    assert claws.enemy.hero.health == 21
    totem = scene(CARDS["Wrath of Air Totem"], CARDS["Fireball"])
    assert run(totem, Play("card"), Play("card.1", "enemy.hero")).enemy.hero.health == 22 - 7
