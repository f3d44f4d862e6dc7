"""What targets, conditions and quantities mean on a table: who fits, what is so, and how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.conditions import Quantity, Requirement
from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.cards.targets import Target
from planner.games.hearthstone.rules.state import HandCard, Hero, Minion, Weapon


class Holder(Protocol):
    """What is asked about: a player, or a side of the table."""

    @property
    def hero(self) -> Hero: ...
    @property
    def hand(self) -> tuple[HandCard, ...]: ...
    @property
    def board(self) -> Sequence[Minion]: ...
    @property
    def weapon(self) -> Weapon | None: ...
    @property
    def crystals(self) -> int: ...


def is_given(
    condition: Requirement,
    owner: Holder,
    enemy: Holder,
    *,
    my_turn: bool = True,
    played: Card | None = None,
    source: Minion | None = None,
) -> bool:
    """Is that so which an effect of `owner` asks for? `played`: this card is still in the hand, and does not count
    there; `source` does not count among others. What is asked about a target is not asked here: before one is
    chosen, there is one for which it is so."""
    if condition.asked == "target":
        return True
    return _is_so(condition, owner, enemy, my_turn, played, source) != condition.negated


def _is_so(
    condition: Requirement, owner: Holder, enemy: Holder, my_turn: bool, played: Card | None, source: Minion | None
) -> bool:
    tribe = condition.word
    match condition.asked:
        case "weapon":
            return owner.weapon is not None
        case "turn":
            return my_turn
        case "holding":
            own = played is not None and tribe in played.tribes
            return sum(tribe in held.card.tribes for held in owner.hand) > own
        case "controlling":
            return any(tribe in one.card.tribes and not _is_same(one, source) for one in owner.board)
    assert condition.quantity is not None  # of all others
    number = how_many(condition.quantity, owner, enemy, source, played)
    return number >= condition.least if condition.least is not None else number <= (condition.most or 0)


def how_many(
    quantity: Quantity, owner: Holder, enemy: Holder, source: Minion | None = None, played: Card | None = None
) -> int:
    """The quantity now, for an effect of `owner`."""
    whose = enemy if quantity.enemy else owner
    match quantity.what:
        case "count":
            assert quantity.of is not None
            return _count(quantity.of, owner, enemy, source)
        case "attack":
            here = source and next((one for one in owner.board if _is_same(one, source)), source)
            return here.attack if here else 0
        case "hand":
            return len(whose.hand) - (played is not None and not quantity.enemy)
        case "crystals":
            return whose.crystals
        case "health":
            return max(0, whose.hero.health)
        case "armor":
            return whose.hero.armor
    weapon = 0 if whose.weapon is None else whose.weapon.attack
    return max(0, weapon + (whose.hero.attack_this_turn if quantity.what == "hero_attack" else 0))


def _count(target: Target, owner: Holder, enemy: Holder, source: Minion | None) -> int:
    found = 0
    for whose, side in ((owner, "friendly"), (enemy, "enemy")):
        if target.side in ("any", side):
            found += target.what != "minion" and fits_hero(target, whose.hero)
            if target.what != "hero":
                found += sum(fits(target, one) and not (target.other and _is_same(one, source)) for one in whose.board)
    return found


def _is_same(minion: Minion, source: Minion | None) -> bool:
    return source is not None and minion.id == source.id


def fits(target: Target, minion: Minion) -> bool:
    """Is the minion of the tribe and in the condition that the target names?"""
    if target.tribe is not None and target.tribe not in minion.card.tribes:
        return False
    if target.without is not None and target.without in minion.card.tribes:
        return False
    if target.keyword is not None and not minion.keywords & BIT[target.keyword]:
        return False
    if (target.least is not None and minion.attack < target.least) or (
        target.most is not None and minion.attack > target.most
    ):
        return False
    return target.damaged is None or target.damaged == (minion.health < minion.max_health)


def fits_hero(target: Target, hero: Hero) -> bool:
    """Is the hero in the condition that the target names?"""
    if target.keyword is not None and not hero.keywords & BIT[target.keyword]:
        return False
    return target.damaged is None or target.damaged == (hero.health < hero.max_health)
