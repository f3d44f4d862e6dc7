"""Who can fight whom this turn, and what each blow does to the one who strikes it.

The enemy does not act during our turn, so a target hits back with the same force every time, and what happens
to an attacker depends only on its own earlier blows. Each attacker is therefore a small graph of conditions
(`Condition`), and a turn is a path through each graph. What the blows do to a target is the business of the
formulation: there the blows of different attackers meet.
"""

from __future__ import annotations

from typing import NamedTuple

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.keywords import (
    CANNOT_ATTACK,
    CHARGE,
    DIVINE_SHIELD,
    FREEZE,
    FROZEN,
    IMMUNE,
    LIFESTEAL,
    POISONOUS,
    REBORN,
    RUSH,
    STEALTH,
    TAUNT,
    attacks_per_turn,
)
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, HandCard, Minion, Player, hero_attack
from planner.games.hearthstone.turn.hardrules import attack_allowed, play_allowed
from planner.games.hearthstone.turn.weights import Weights

_UNSEEN = STEALTH | IMMUNE


class Life(NamedTuple):
    """One life of an enemy minion: the second is the one that reborn gives it."""

    id: str
    place: int  # on the enemy's board
    second: bool
    attack: int
    health: int
    keywords: int
    guards: bool  # keeps attackers from others while it lives

    @property
    def shielded(self) -> bool:
        return bool(self.keywords & DIVINE_SHIELD)

    @property
    def reachable(self) -> bool:
        """Can it be attacked at all this turn?"""
        return not self.keywords & _UNSEEN


class Condition(NamedTuple):
    """What an attacker has become by its own blows."""

    attack: int
    health: int
    keywords: int
    attacks_left: int
    fresh: bool = False
    swings: int = 0  # a hero's weapon: blows until it breaks; 0: no weapon
    weapon: int = 0  # the part of a hero's attack that goes with it
    own: int = 0  # the part of a hero's keywords that does not
    blows: int = 0  # struck so far
    past_guards: bool = False  # has struck one that guards kept from it: those are dead by now

    def able(self) -> bool:
        """Can it attack now?"""
        if self.attack <= 0 or self.attacks_left <= 0 or self.keywords & (FROZEN | CANNOT_ATTACK):
            return False
        return not self.fresh or bool(self.keywords & (CHARGE | RUSH))

    def reaches_hero(self) -> bool:
        """May it attack the hero now, if nobody guards him?"""
        return not self.fresh or bool(self.keywords & CHARGE)


class Unit(NamedTuple):
    """Someone who may attack this turn, or a minion that may be played."""

    id: str
    start: Condition
    card: Card | None  # None: the hero
    held: HandCard | None = None  # in hand: must be played first

    @property
    def is_hero(self) -> bool:
        return self.card is None


class Blow(NamedTuple):
    """A step in a unit's graph: on a life or (None) the enemy hero, to a condition or (None) death."""

    source: Condition
    life: Life | None
    after: Condition | None

    @property
    def target(self) -> str:
        return ENEMY_HERO if self.life is None else self.life.id


def lives(enemy: Player) -> list[Life]:
    """The lives of the enemy's minions, in board order, a second life behind its first."""
    found: list[Life] = []
    for place, minion in enumerate(enemy.board):
        guards = _guards(minion.keywords)
        found.append(Life(minion.id, place, False, minion.attack, minion.health, minion.keywords, guards))
        if minion.keywords & REBORN:
            card = minion.card
            kept = card.keywords & ~REBORN
            # A second life that guards where the first did not comes up in the middle of the turn: what was
            # legal before it is not after it. That is left to `legal_order`.
            found.append(Life(minion.id, place, True, card.attack, 1, kept, guards and _guards(kept)))
    return found


def _guards(keywords: int) -> bool:
    return bool(keywords & TAUNT) and not keywords & _UNSEEN


def comes_back_as_guard(minion: Minion) -> bool:
    """Does it guard in its second life only? Then what was legal before its death is not after it."""
    return bool(minion.keywords & REBORN) and _guards(minion.card.keywords) and not _guards(minion.keywords)


def units(state: GameState, weights: Weights) -> list[Unit]:
    """Own minions, then minions in hand that can be paid, then the hero: the caller's order."""
    me = state.me
    found = [Unit(minion.id, _on_board(minion), minion.card) for minion in me.board]
    for held in me.hand:
        card = held.card
        if card.type == "minion" and held.cost <= me.mana and play_allowed(weights, card.name):
            found.append(Unit(held.id, _as_printed(card), card, held))
    found.append(Unit(MY_HERO, _hero(me), None))
    return found


def _on_board(minion: Minion) -> Condition:
    return Condition(minion.attack, minion.health, minion.keywords, minion.attacks_left, minion.fresh)


def _as_printed(card: Card) -> Condition:
    return Condition(card.attack, card.health, card.keywords, attacks_per_turn(card.keywords), fresh=True)


def _hero(me: Player) -> Condition:
    """The hero as an attacker. Whether it survives depends on others' healing: `legal_order` sees to that."""
    weapon = me.weapon
    own = me.hero.keywords & ~CANNOT_ATTACK  # that is said of minions only
    kept = own | (weapon.keywords & ~(CANNOT_ATTACK | FROZEN | IMMUNE) if weapon else 0)
    return Condition(
        hero_attack(me), me.hero.health + me.hero.armor, kept, me.hero.attacks_left,
        swings=weapon.durability if weapon else 0, weapon=weapon.attack if weapon else 0, own=own,
    )  # fmt: skip


def blows(unit: Unit, targets: list[Life], hero_open: bool, weights: Weights) -> list[Blow]:
    """Every blow that the unit can strike on some path, each condition's blows together, the start's first."""
    guarded = any(life.guards for life in targets)
    found: list[Blow] = []
    seen = {unit.start}
    waiting = [unit.start]
    for now in waiting:
        if not now.able():
            continue
        shown = None if unit.is_hero else now.keywords
        for life in targets:
            if not life.reachable or (now.past_guards and life.guards):
                continue
            if not attack_allowed(weights, now.attack, shown, life.attack):
                continue
            after = after_blow(unit, now, life, guarded and not life.guards)
            found.append(Blow(now, life, after))
            if after is not None and after not in seen:
                seen.add(after)
                waiting.append(after)
        if hero_open and now.reaches_hero() and attack_allowed(weights, now.attack, shown, None):
            after = _worn(now._replace(past_guards=guarded))
            found.append(Blow(now, None, after))
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return found


def _worn(now: Condition) -> Condition:
    """After striking a blow: one attack less, no stealth, a weapon one swing nearer to breaking."""
    now = now._replace(attacks_left=now.attacks_left - 1, keywords=now.keywords & ~STEALTH, blows=now.blows + 1)
    if now.swings == 0:
        return now
    if now.swings > 1:
        return now._replace(swings=now.swings - 1)
    # The weapon breaks, and takes its attack and keywords along, and the blows that it allowed.
    kept = (now.own & ~STEALTH) | (now.keywords & FROZEN)
    left = now.attacks_left + attacks_per_turn(kept) - attacks_per_turn(now.keywords)
    return now._replace(swings=0, weapon=0, attack=now.attack - now.weapon, keywords=kept, attacks_left=max(0, left))


def loses_life(unit: Unit, now: Condition, life: Life) -> bool:
    """Does it die of this blow, be it to return?"""
    if life.attack <= 0 or unit.is_hero or now.keywords & (IMMUNE | DIVINE_SHIELD):
        return False
    return now.health <= life.attack or bool(life.keywords & POISONOUS)


def after_blow(unit: Unit, now: Condition, life: Life, past_guards: bool = False) -> Condition | None:
    """What the unit becomes by this blow, or None where it dies of it."""
    after = _worn(now)._replace(past_guards=past_guards)
    if life.attack <= 0 or now.keywords & IMMUNE:
        return after
    if unit.is_hero:
        frozen = FROZEN if life.keywords & FREEZE else 0
        return after._replace(health=after.health - life.attack, keywords=after.keywords | frozen)
    if now.keywords & DIVINE_SHIELD:
        return after._replace(keywords=after.keywords & ~DIVINE_SHIELD)
    if not loses_life(unit, now, life):
        frozen = FROZEN if life.keywords & FREEZE else 0
        return after._replace(health=now.health - life.attack, keywords=after.keywords | frozen)
    if now.keywords & REBORN:
        assert unit.card is not None
        back = _as_printed(unit.card)
        return back._replace(health=1, keywords=back.keywords & ~REBORN, blows=after.blows, past_guards=past_guards)
    return None


def heals_enemy(blow: Blow) -> int:
    """What the enemy hero gains when this blow is answered by a minion with lifesteal."""
    life = blow.life
    if life is None or not life.keywords & LIFESTEAL or life.attack <= 0:
        return 0
    return 0 if blow.source.keywords & (IMMUNE | DIVINE_SHIELD) else life.attack
