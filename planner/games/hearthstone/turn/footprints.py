"""What an action looks at and what it changes: two actions that do not meet may change places.

That spares the search for the best line the orders that make no difference. A footprint may be larger than
it must be (then an order too many is looked at), never smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effects import Effect
from planner.games.hearthstone.cards.keywords import (
    FROZEN,
    IMMUNE,
    LIFESTEAL,
    REBORN,
    STEALTH,
    TAUNT,
)
from planner.games.hearthstone.rules.actions import Action, Attack, HeroPower, Play
from planner.games.hearthstone.rules.legal import is_over
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, Hero, Minion, Player

ALL: Final = -1
# Who is on a board; guards that fell, and that rose; mana gained; whether a card was played; spell damage; the order of
# texts; the enemy hero's wounds, and all else about him.
MINE, THEIRS, FALLEN, RISEN, MANA, COUNT, SPELLS, ORDER, WOUNDS, FOE = (1 << place for place in range(10))
_FIRST_FREE: Final = 10
_SUMS: Final = MINE | THEIRS | FALLEN | RISEN | COUNT | SPELLS | WOUNDS  # changes of these add up in any order


class Footprint(NamedTuple):
    """As bits: what is looked at, and what is changed."""

    reads: int
    writes: int


def meets(one: Footprint, then: Footprint) -> bool:
    """Does it matter that `one` was taken before `then`?

    Who strikes past the guards looks at whether they have fallen; that one falls later does not matter to him.
    """
    return bool(one.writes & (then.reads | (then.writes & ~_SUMS)) or one.reads & then.writes & ~FALLEN)


EVERYTHING: Final = Footprint(ALL, ALL)


class Footprints:
    """Footprints of the actions of one turn."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}

    def of(
        self, before: GameState, action: Action, after: GameState, left: int, dead: Iterable[str] = ()
    ) -> Footprint:
        """What this action looked at and changed.

        `left`: own minions that left the board just before it; `dead`: who died of it and whose death does more than
        take them away.
        """
        if is_over(after):
            return EVERYTHING  # nothing comes after it
        reads = self._reads(before, action, left)
        for name in dead:
            reads |= self.death_reads(before, name)
        return EVERYTHING if reads == ALL else Footprint(reads, self._changes(before, action, after))

    def bit(self, name: str) -> int:
        """The bit of a character."""
        if name not in self._bits:
            self._bits[name] = 1 << (_FIRST_FREE + len(self._bits))
        return self._bits[name]

    def everyone(self, player: Player) -> int:
        """The bits of its minions."""
        bits = 0
        for minion in player.board:
            bits |= self.bit(minion.id)
        return bits

    # -- what it looks at

    def _reads(self, state: GameState, action: Action, left: int) -> int:
        if isinstance(action, Attack):
            target = FOE if action.target == ENEMY_HERO else self.bit(action.target)
            guarded = action.target in guards(state.enemy)
            heals = any(m.id == action.target and m.keywords & LIFESTEAL for m in state.enemy.board)
            return self.bit(action.attacker) | target | (0 if guarded else FALLEN | RISEN) | (WOUNDS if heals else 0)
        me = state.me
        if isinstance(action, Play):
            card = next(held.card for held in me.hand if held.id == action.card)
        elif isinstance(action, HeroPower):
            assert me.power is not None
            card = me.power
        else:
            return MANA
        reads = self.card_reads(state, card, left)
        if action.target is None and card.target(me.cards_played > 0) is not None:
            reads |= MINE | THEIRS  # nobody was left to choose
        if action.target is not None and reads != ALL:
            heals = any(effect.do == "heal" for effect in card.on("play"))
            reads |= FOE | (WOUNDS if heals else 0) if action.target == ENEMY_HERO else self.bit(action.target)
        return reads

    def card_reads(self, state: GameState, card: Card, left: int) -> int:
        """What playing it looks at besides its chosen target."""
        wanted = int(card.type == "minion")
        if card.aura:
            return ALL
        reads = MANA | (self.bit(MY_HERO) if card.type == "weapon" else 0)
        if _in_order(card):
            reads |= ORDER
        for effect in card.on("play"):
            if effect.do == "hook":
                return ALL
            if effect.do == "summon":
                if any(made.aura for made in effect.made):
                    return ALL
                wanted += effect.count
                reads |= THEIRS if effect.side != "friendly" else 0
                reads |= ORDER if any(_in_order(made) for made in effect.made) else 0
            reads |= self._effect_reads(state, card, effect)
        # Where there may be no place for all, it matters who came and went before.
        if wanted and wanted > state.rules.board_limit - len(state.me.board) - left:
            reads |= MINE
        return reads

    def death_reads(self, state: GameState, name: str) -> int:
        """What the death of this minion looks at."""
        mine = any(minion.id == name for minion in state.me.board)
        minion = next(m for m in (*state.me.board, *state.enemy.board) if m.id == name)
        if minion.card.aura or minion.keywords & REBORN:
            return ALL
        reads = ORDER
        for effect in minion.card.on("death"):
            if effect.do == "hook":
                return ALL
            if effect.do == "summon":
                reads |= MINE | THEIRS
            elif mine:
                reads |= self._effect_reads(state, minion.card, effect)
            elif effect.to is not None or effect.do in ("armor", "equip", "draw"):
                reads |= MINE | THEIRS | FOE | WOUNDS | self.bit(MY_HERO)
                reads |= self.everyone(state.me) | self.everyone(state.enemy)
        return reads

    def _effect_reads(self, state: GameState, card: Card, effect: Effect) -> int:
        reads = COUNT if effect.combo is not None else 0
        if effect.do == "damage" and card.type == "spell":
            reads |= SPELLS
        if effect.do in ("armor", "equip", "draw"):
            reads |= self.bit(MY_HERO)
        to = effect.to
        if to is None or to.select in ("chosen", "self"):
            return reads
        if to.side != "enemy":
            reads |= self.bit(MY_HERO) if to.what != "minion" else 0
            reads |= MINE | self.everyone(state.me) if to.what != "hero" else 0
        if to.side != "friendly":
            reads |= FOE if to.what != "minion" else 0
            if to.what != "hero" and effect.do != "freeze":  # who is frozen strikes back all the same
                reads |= THEIRS | self.everyone(state.enemy)
            reads |= WOUNDS if effect.do == "heal" or to.select == "random" or to.damaged is not None else 0
        return reads

    # -- what it changes

    def _changes(self, before: GameState, action: Action, after: GameState) -> int:
        me, then = before.me, after.me
        mine = self._board_changes(me.board, then.board, MINE)
        theirs = self._board_changes(before.enemy.board, after.enemy.board, THEIRS)
        writes = mine | theirs
        if theirs:
            guarded, guarding = guards(before.enemy), guards(after.enemy)
            writes |= (FALLEN if guarded - guarding else 0) | (RISEN if guarding - guarded else 0)
        if mine and spell_damage(me) != spell_damage(then):
            writes |= SPELLS
        if me.hero != then.hero or me.weapon != then.weapon:
            writes |= self.bit(MY_HERO)
        if before.enemy.hero != after.enemy.hero or before.enemy.weapon != after.enemy.weapon:
            writes |= WOUNDS if _only_harmed(before.enemy.hero, after.enemy.hero) else FOE | WOUNDS
        if then.mana != me.mana - _cost(me, action) or _moves_mana(me, action):
            writes |= MANA
        if then.cards_played > me.cards_played:
            writes |= COUNT
        if (mine | theirs) & (MINE | THEIRS):
            known = {minion.id for minion in (*me.board, *before.enemy.board)}
            if any(_in_order(m.card) and m.id not in known for m in (*then.board, *after.enemy.board)):
                writes |= ORDER
        return writes

    def _board_changes(self, before: Sequence[Minion], after: Sequence[Minion], members: int) -> int:
        old = {minion.id: minion for minion in before}
        writes = 0
        for minion in after:
            was = old.pop(minion.id, None)
            if was is None:
                writes |= members | self.bit(minion.id)
            elif was is not minion and was != minion:
                frozen = members == THEIRS and was._replace(keywords=was.keywords | FROZEN) == minion
                writes |= 0 if frozen else self.bit(minion.id)
        for name in old:
            writes |= members | self.bit(name)
        return writes


def _in_order(card: Card) -> bool:
    """Does it matter when it entered, among others of which the same is true?"""
    return bool(card.effects) and bool(card.on("death") or card.on("turn_end"))


def guards(player: Player) -> set[str]:
    return {m.id for m in player.board if m.keywords & TAUNT and not m.keywords & (STEALTH | IMMUNE)}


def _only_harmed(before: Hero, after: Hero) -> bool:
    same = before._replace(health=after.health, armor=after.armor) == after
    return same and after.health <= before.health and after.armor <= before.armor


def _moves_mana(me: Player, action: Action) -> bool:
    """May it give or take mana, though there was no more to take or room for more?"""
    if isinstance(action, Play):
        card = next(held.card for held in me.hand if held.id == action.card)
    elif isinstance(action, HeroPower) and me.power is not None:
        card = me.power
    else:
        return False
    return any(effect.do == "mana" for effect in card.effects)


def _cost(me: Player, action: Action) -> int:
    if isinstance(action, Play):
        return next(held.cost for held in me.hand if held.id == action.card)
    if isinstance(action, HeroPower):
        return me.power.cost if me.power else 0
    return 0 if isinstance(action, Attack) else 1


def spell_damage(player: Player) -> int:
    """What its minions add to the damage of its spells."""
    return sum(minion.card.spell_damage for minion in player.board if not minion.silenced)
