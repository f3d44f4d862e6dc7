"""The units of a vanilla turn, and the attacks that each of them can make.

The enemy does not act during our turn, so a target hits back with the same
force every time, and what happens to an attacker depends only on its own earlier attacks. Each attacker is
therefore a small graph of conditions (`UnitCondition`), and a turn is a path through each graph. The effect on a target
depends on the attacks of all units together, so it is left to the formulation.
"""

from __future__ import annotations

from collections.abc import Iterable
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
from planner.games.hearthstone.rules.state import (
    ENEMY_HERO,
    MY_HERO,
    GameState,
    HandCard,
    Minion,
    Player,
    hero_attack,
)
from planner.games.hearthstone.turn.hearthstone_weights import Weights, attack_allowed, play_allowed

_UNTARGETABLE = STEALTH | IMMUNE


class Life(NamedTuple):
    """One life of an enemy minion. Reborn gives a minion a second one."""

    id: str
    position: int  # on the enemy board
    second: bool
    attack: int
    lasting_attack: int  # without what ends with this turn
    health: int
    keywords: int
    taunts: bool  # protects the other targets while it is alive

    @property
    def shielded(self) -> bool:
        return bool(self.keywords & DIVINE_SHIELD)

    @property
    def reachable(self) -> bool:
        """Whether it can be attacked at all this turn."""
        return not self.keywords & _UNTARGETABLE


class UnitCondition(NamedTuple):
    """What an attacker's own attacks have made of it."""

    attack: int
    health: int
    keywords: int
    attacks_left: int
    fresh: bool = False  # summoned this turn
    durability: int = 0  # a hero's weapon: attacks until it breaks; 0: no weapon
    weapon: int = 0  # the part of a hero's attack that comes from the weapon
    own: int = 0  # the part of a hero's keywords that does not
    attacks: int = 0  # made so far
    past_taunts: bool = False  # has attacked a target behind taunt minions: those are dead by now

    def can_attack(self) -> bool:
        if self.attack <= 0 or self.attacks_left <= 0 or self.keywords & (FROZEN | CANNOT_ATTACK):
            return False
        return not self.fresh or bool(self.keywords & (CHARGE | RUSH))

    def can_attack_hero(self) -> bool:
        """Whether it may attack the enemy hero where no taunt minion protects him."""
        return not self.fresh or bool(self.keywords & CHARGE)


class Unit(NamedTuple):
    """A character that may attack this turn, or a minion that may be played."""

    id: str
    start: UnitCondition
    card: Card | None  # None: the hero
    held: HandCard | None = None  # in hand: must be played first

    @property
    def is_hero(self) -> bool:
        return self.card is None


class Hit(NamedTuple):
    """One attack of a unit: from a condition, on a life or (None) the enemy hero, to a condition or (None) death."""

    source: UnitCondition
    life: Life | None
    after: UnitCondition | None

    @property
    def target(self) -> str:
        return ENEMY_HERO if self.life is None else self.life.id


def enemy_lives(enemy: Player) -> list[Life]:
    """Return the lives of the enemy minions in board order, a second life right after its first."""
    lives: list[Life] = []
    for index, minion in enumerate(enemy.board):
        taunts = _taunts(minion.keywords)
        lasting = max(0, minion.attack - minion.attack_this_turn) if minion.attack_this_turn else minion.attack
        lives.append(Life(minion.id, index, False, minion.attack, lasting, minion.health, minion.keywords, taunts))
        if minion.keywords & REBORN:
            card = minion.card
            kept = card.keywords & ~REBORN
            # A second life that taunts where the first did not appears in the middle of the turn: what was legal
            # before it is not legal after it. `find_legal_order` handles that.
            lives.append(Life(minion.id, index, True, card.attack, card.attack, 1, kept, taunts and _taunts(kept)))
    return lives


def _taunts(keywords: int) -> bool:
    return bool(keywords & TAUNT) and not keywords & _UNTARGETABLE


def returns_with_taunt(minion: Minion) -> bool:
    """Return whether only its second life taunts: then its death makes other attacks illegal."""
    return bool(minion.keywords & REBORN) and _taunts(minion.card.keywords) and not _taunts(minion.keywords)


def own_units(state: GameState, weights: Weights) -> list[Unit]:
    """Return the own minions, then the minions in hand that can be paid, then the hero."""
    me = state.me
    units = [Unit(minion.id, _on_board(minion), minion.card) for minion in me.board]
    for held in me.hand:
        card = held.card
        if card.type == "minion" and held.cost <= me.mana and play_allowed(weights, card.name):
            units.append(Unit(held.id, _as_printed(card), card, held))
    units.append(Unit(MY_HERO, _hero(me), None))
    return units


def _on_board(minion: Minion) -> UnitCondition:
    return UnitCondition(minion.attack, minion.health, minion.keywords, minion.attacks_left, minion.fresh)


def _as_printed(card: Card) -> UnitCondition:
    return UnitCondition(card.attack, card.health, card.keywords, attacks_per_turn(card.keywords), fresh=True)


def _hero(me: Player) -> UnitCondition:
    """Whether the hero survives depends on healing by other units, so `find_legal_order` checks that."""
    weapon = me.weapon
    own = me.hero.keywords & ~DIVINE_SHIELD  # applies to minions only
    kept = own | (weapon.keywords & ~(CANNOT_ATTACK | DIVINE_SHIELD | FROZEN | IMMUNE) if weapon else 0)
    return UnitCondition(
        hero_attack(me),
        me.hero.health + me.hero.armor,
        kept,
        me.hero.attacks_left,
        durability=weapon.durability if weapon else 0,
        weapon=weapon.attack if weapon else 0,
        own=own,
    )


def possible_hits(unit: Unit, targets: list[Life], hero_reachable: bool, weights: Weights) -> list[Hit]:
    """Return every attack that the unit can make on some path, grouped by condition, the start's first."""
    protected = any(life.taunts for life in targets)
    hits: list[Hit] = []
    known = {unit.start}
    queue = [unit.start]
    for now in queue:
        if not now.can_attack():
            continue
        keywords = None if unit.is_hero else now.keywords
        reachable: list[Life | None] = [
            life for life in targets if life.reachable and not (now.past_taunts and life.taunts)
        ]
        if hero_reachable and now.can_attack_hero():
            reachable.append(None)
        for life in reachable:
            if not attack_allowed(weights, now.attack, keywords, None if life is None else life.attack):
                continue
            after = after_attack(unit, now, life, protected and not (life is not None and life.taunts))
            hits.append(Hit(now, life, after))
            if after is not None and after not in known:
                known.add(after)
                queue.append(after)
    return hits


def hits_along(unit: Unit, targets: Iterable[Life | None]) -> list[Hit]:
    """Return the attacks of a unit on these targets, one after the other."""
    hits: list[Hit] = []
    now: UnitCondition | None = unit.start
    for life in targets:
        assert now is not None
        after = after_attack(unit, now, life)
        hits.append(Hit(now, life, after))
        now = after
    return hits


def _with_attack_used(now: UnitCondition) -> UnitCondition:
    """One attack fewer, no stealth, and one durability less."""
    now = now._replace(attacks_left=now.attacks_left - 1, keywords=now.keywords & ~STEALTH, attacks=now.attacks + 1)
    if now.durability == 0:
        return now
    if now.durability > 1:
        return now._replace(durability=now.durability - 1)
    # The weapon breaks: its attack, its keywords and the attacks that it allowed are lost.
    kept = (now.own & ~STEALTH) | (now.keywords & FROZEN)
    left = now.attacks_left + attacks_per_turn(kept) - attacks_per_turn(now.keywords)
    return now._replace(
        durability=0, weapon=0, attack=now.attack - now.weapon, keywords=kept, attacks_left=max(0, left)
    )


def after_attack(unit: Unit, now: UnitCondition, life: Life | None, past_taunts: bool = False) -> UnitCondition | None:
    """Return the condition of the unit after an attack on this life or (None) the enemy hero; None where it dies."""
    after = _with_attack_used(now)._replace(past_taunts=past_taunts)
    if life is None or life.attack <= 0 or now.keywords & IMMUNE:
        return after
    if unit.is_hero:
        frozen = FROZEN if life.keywords & FREEZE else 0
        return after._replace(health=after.health - life.attack, keywords=after.keywords | frozen)
    if now.keywords & DIVINE_SHIELD:
        return after._replace(keywords=after.keywords & ~DIVINE_SHIELD)
    if now.health > life.attack and not life.keywords & POISONOUS:
        frozen = FROZEN if life.keywords & FREEZE else 0
        return after._replace(health=now.health - life.attack, keywords=after.keywords | frozen)
    if now.keywords & REBORN:
        assert unit.card is not None
        back = _as_printed(unit.card)
        return back._replace(health=1, keywords=back.keywords & ~REBORN, attacks=after.attacks, past_taunts=past_taunts)
    return None


def enemy_healing(hit: Hit) -> int:
    """Return how much the enemy hero is healed where the target has lifesteal and hits back."""
    life = hit.life
    if life is None or not life.keywords & LIFESTEAL or life.attack <= 0:
        return 0
    return 0 if hit.source.keywords & (IMMUNE | DIVINE_SHIELD) else life.attack
