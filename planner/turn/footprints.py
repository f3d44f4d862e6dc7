"""What an action looks at and what it changes: two actions that do not meet may change places.

That spares the search for the best line the orders that make no difference. A footprint may be larger than
it must be (then an order too many is looked at), never smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Final, NamedTuple

from planner.cards.card import Card
from planner.cards.effects import Effect
from planner.cards.keywords import (
    CHARGE,
    DIVINE_SHIELD,
    FROZEN,
    IMMUNE,
    LIFESTEAL,
    MAGNETIC,
    POISONOUS,
    REBORN,
    RUSH,
    STEALTH,
    TAUNT,
)
from planner.rules.actions import Action, Attack, HeroPower, Play
from planner.rules.legal import is_over
from planner.rules.state import ENEMY_HERO, MY_HERO, GameState, Hero, Minion, Player, hero_attack
from planner.turn.texts import plain_card

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


class Reach(NamedTuple):
    """What a text that may still come can look at and change at most; and of `one_of`, one, which it chooses."""

    reads: int
    writes: int
    one_of: int = 0

    def at(self, target: int) -> Reach:
        """The same with its choice made."""
        return Reach(self.reads | target, self.writes | target)

    def may_meet(self, one: Footprint) -> bool:
        """Whatever it chooses?"""
        return bool(one.writes & self.reads or one.reads & self.writes)


class Dangers(NamedTuple):
    """Which hero may die this turn; about the enemy's it takes some time to say."""

    to_foe: Callable[[], bool]
    to_us: bool


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
            reads |= self._death_reads(before, name)
        return EVERYTHING if reads == ALL else Footprint(reads, self._changes(before, action, after))

    def reaches(
        self,
        state: GameState,
        charged: Iterable[str],
        spared: Container[str],
        futile: Container[str],
        left: int,
        dangers: Dangers,
        more_is_better: bool,
    ) -> tuple[dict[str, Reach], list[Reach]]:
        """What the texts that may still come this turn can meet, by card (the hero power under ""), and what the deaths
        of the charged can.

        `spared`: texts that are not used on our own; `futile`: those by which chance earns us nothing;
        `more_is_better`: no damage that we deal counts against us. What ends the match meets everything.
        """
        me = state.me
        own = self._all(me) | self.bit(MY_HERO)
        for held in me.hand:
            own |= self.bit(held.id)
        theirs = self._all(state.enemy) | FOE
        sums = _sums_of_attacks(state)
        bodies = {held.id for held in me.hand if plain_card(held.card)}
        left += len(bodies)  # any of them may take a place first
        cards = [(held.id, held.card) for held in me.hand if held.id not in bodies and held.card.type != "hidden"]
        if me.power is not None and not me.power_used:
            cards.append(("", me.power))
        of_deaths = 0
        for name in charged:
            of_deaths |= self._death_reads(state, name)
        by_card: dict[str, Reach] = {}
        for name, card in cards:
            if self._may_end(state, name, card, futile, dangers):
                by_card[name] = Reach(ALL, ALL)
                continue
            one_of = own if card.keywords & MAGNETIC else 0
            for effect in card.on("play"):
                if effect.chosen and effect.to is not None:
                    mine, their = own, theirs
                    if effect.do == "damage":
                        mine, their = self._brittle(state, card, effect, sums)
                        mine |= own & ~self._all(state.me)
                    one_of |= mine if effect.to.side != "enemy" and name not in spared else 0
                    one_of |= their if effect.to.side != "friendly" else 0
            reads = self._card_reads(state, card, left, sums if more_is_better else None) | of_deaths
            writes = reads & ~(MANA | COUNT | SPELLS) | MINE
            if of_deaths or any(_raises(effect) for effect in card.on("play")):
                writes |= RISEN
            if any(effect.do == "mana" for effect in card.effects):
                writes |= MANA
            by_card[name] = Reach(reads, writes, one_of)
        deaths = []
        for name in charged:
            deadly = dangers.to_us or dangers.to_foe()
            reads = ALL if deadly else self._death_reads(state, name) | self.bit(name)
            deaths.append(Reach(reads, reads | MINE | RISEN, own | theirs))
        return by_card, deaths

    def _brittle(self, state: GameState, card: Card, effect: Effect, sums: int) -> tuple[int, int]:
        """Whose blows it matters to come before or after this damage: ours, theirs.

        Wounds add up. It is another thing where the damage alone would kill (it can then deprive someone of a blow), or
        might after other blows, or where a shield takes whichever comes first.
        """
        amount = effect.amount
        if card.type == "spell":
            amount += _spell_damage(state.me) + sum(held.card.spell_damage for held in state.me.hand)
        mine = theirs = 0
        special = DIVINE_SHIELD | REBORN | IMMUNE
        for minion in state.me.board:
            if minion.health <= amount or minion.keywords & special:
                mine |= self.bit(minion.id)
        for minion in state.enemy.board:
            window = sums >> max(0, minion.health - amount) & ((1 << min(amount, minion.health)) - 1)
            if minion.health <= amount or minion.keywords & special or window:
                theirs |= self.bit(minion.id)
        return mine, theirs

    def _may_end(
        self, state: GameState, name: str, card: Card, futile: Container[str], dangers: Dangers
    ) -> bool:
        """May the turn end with this card: by chance, after which it is planned anew, or with a hero's death?

        Where attacks on the enemy hero come before one that only harms whom it chooses, the last of them may as well
        come after it and kill; so such a card must be able to kill alone.
        """
        if name not in futile and any(effect.random for effect in card.on("play")):
            return True
        if dangers.to_us and _may_harm(card, "enemy"):
            return True
        if not _may_harm(card, "friendly"):
            return False
        if any(effect.to is not None and effect.to.select != "chosen" and effect.to.what != "hero"
               for effect in card.on("play")):  # fmt: skip
            return dangers.to_foe()
        hero = state.enemy.hero
        amount = sum(effect.amount for effect in card.on("play") if effect.do == "damage")
        return amount + _spell_damage(state.me) >= hero.health + hero.armor or card.keywords != 0

    def likely(self, state: GameState, action: Action) -> Footprint | None:
        """No less than what a plain action touches; None where others may follow from it."""
        if isinstance(action, Play):
            card = next(held.card for held in state.me.hand if held.id == action.card)
            if card.keywords & (CHARGE | RUSH):
                return None
            return Footprint(MANA | MINE, self.bit(action.card) | MINE | COUNT | (SPELLS if card.spell_damage else 0))
        assert isinstance(action, Attack)
        bits = self.bit(action.attacker)
        if action.attacker == MY_HERO:
            swings, kept, spells, power = state.me.hero.attacks_left, -1, 0, hero_attack(state.me)
        else:
            minion = next(minion for minion in state.me.board if minion.id == action.attacker)
            swings, kept, spells = minion.attacks_left, minion.keywords, minion.card.spell_damage
            power = minion.attack
        if swings > 1 or (kept & REBORN and action.attacker != MY_HERO):
            return None
        bits |= (self.bit(MY_HERO) if kept & LIFESTEAL else 0) | (SPELLS if spells else 0)
        if action.target == ENEMY_HERO:
            return Footprint(bits | FOE | FALLEN | RISEN, bits | FOE | WOUNDS | MINE)
        target = next(minion for minion in state.enemy.board if minion.id == action.target)
        if target.keywords & TAUNT:
            return None
        bits |= self.bit(action.target) | (FOE | WOUNDS if target.keywords & LIFESTEAL else 0)
        kills = power >= target.health or kept & POISONOUS
        return Footprint(bits | FALLEN | RISEN, bits | MINE | (THEIRS if kills else 0))

    def bit(self, name: str) -> int:
        """The bit of a character."""
        if name not in self._bits:
            self._bits[name] = 1 << (_FIRST_FREE + len(self._bits))
        return self._bits[name]

    def _all(self, player: Player) -> int:
        bits = 0
        for minion in player.board:
            bits |= self.bit(minion.id)
        return bits

    # -- what it looks at

    def _reads(self, state: GameState, action: Action, left: int) -> int:
        if isinstance(action, Attack):
            target = FOE if action.target == ENEMY_HERO else self.bit(action.target)
            guarded = action.target in _guards(state.enemy)
            return self.bit(action.attacker) | target | (0 if guarded else FALLEN | RISEN)
        me = state.me
        if isinstance(action, Play):
            card = next(held.card for held in me.hand if held.id == action.card)
        elif isinstance(action, HeroPower):
            assert me.power is not None
            card = me.power
        else:
            return MANA
        reads = self._card_reads(state, card, left)
        if action.target is not None and reads != ALL:
            heals = any(effect.do == "heal" for effect in card.on("play"))
            reads |= FOE | (WOUNDS if heals else 0) if action.target == ENEMY_HERO else self.bit(action.target)
        return reads

    def _card_reads(self, state: GameState, card: Card, left: int, sums: int | None = None) -> int:
        """What playing it looks at besides its chosen target; with `sums`, as far as blows before it may matter."""
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
            if sums is not None and effect.do == "damage" and effect.to is not None and effect.to.select == "all":
                reads |= self._area_reads(state, card, effect, sums)
            else:
                reads |= self._effect_reads(state, card, effect)
        # Where there may be no place for all, it matters who came and went before.
        if wanted and wanted > state.rules.board_limit - len(state.me.board) - left:
            reads |= MINE
        return reads

    def _death_reads(self, state: GameState, name: str) -> int:
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
                reads |= MINE | THEIRS | FOE | WOUNDS | self.bit(MY_HERO) | self._all(state.me) | self._all(state.enemy)
        return reads

    def _area_reads(self, state: GameState, card: Card, effect: Effect, sums: int) -> int:
        """The same for damage to all of a kind: who dies of a blow before it is spared damage that counts for us."""
        reads = self._effect_reads(state, card, effect)
        mine, theirs = self._brittle(state, card, effect, sums)
        return reads & ~(self._all(state.me) & ~mine | self._all(state.enemy) & ~theirs)

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
            reads |= MINE | self._all(state.me) if to.what != "hero" else 0
        if to.side != "friendly":
            reads |= FOE if to.what != "minion" else 0
            if to.what != "hero" and effect.do != "freeze":  # who is frozen strikes back all the same
                reads |= THEIRS | self._all(state.enemy)
            reads |= WOUNDS if effect.do == "heal" or to.select == "random" or to.damaged is not None else 0
        return reads

    # -- what it changes

    def _changes(self, before: GameState, action: Action, after: GameState) -> int:
        me, then = before.me, after.me
        mine = self._board_changes(me.board, then.board, MINE)
        theirs = self._board_changes(before.enemy.board, after.enemy.board, THEIRS)
        writes = mine | theirs
        if theirs:
            guarded, guards = _guards(before.enemy), _guards(after.enemy)
            writes |= (FALLEN if guarded - guards else 0) | (RISEN if guards - guarded else 0)
        if mine and _spell_damage(me) != _spell_damage(then):
            writes |= SPELLS
        if me.hero != then.hero or me.weapon != then.weapon:
            writes |= self.bit(MY_HERO)
        if before.enemy.hero != after.enemy.hero or before.enemy.weapon != after.enemy.weapon:
            writes |= WOUNDS if _only_harmed(before.enemy.hero, after.enemy.hero) else FOE | WOUNDS
        if then.mana > me.mana - _cost(me, action):
            writes |= MANA
        if me.cards_played == 0 and then.cards_played:
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


def _may_harm(card: Card, spared: str) -> bool:
    """Can playing it harm the hero of the side that is not spared? Who draws may draw from an empty deck."""
    return any(
        (effect.do in ("damage", "destroy") and effect.to is not None and effect.to.what != "minion"
         and effect.to.side != spared) or (effect.do == "draw" and spared == "enemy")
        for effect in card.on("play")
    )  # fmt: skip


def _sums_of_attacks(state: GameState) -> int:
    """As bits: what wounds some of our attackers can deal together."""
    sums = 1
    for minion in state.me.board:
        if minion.attacks_left and minion.attack > 0:
            for _ in range(minion.attacks_left):
                sums |= sums << minion.attack
    for held in state.me.hand:
        if held.card.keywords & (CHARGE | RUSH):
            sums |= sums << held.card.attack
    power = hero_attack(state.me)
    if power and state.me.hero.attacks_left:
        sums |= sums << power
    return sums


def _raises(effect: Effect) -> bool:
    """May it give the enemy a guard?"""
    if effect.do == "summon":
        return effect.side != "friendly"
    gives = effect.do == "buff" and effect.keywords & TAUNT
    return bool(gives and effect.to is not None and effect.to.side != "friendly")


def _guards(player: Player) -> set[str]:
    return {m.id for m in player.board if m.keywords & TAUNT and not m.keywords & (STEALTH | IMMUNE)}


def _only_harmed(before: Hero, after: Hero) -> bool:
    same = before._replace(health=after.health, armor=after.armor) == after
    return same and after.health <= before.health and after.armor <= before.armor


def _cost(me: Player, action: Action) -> int:
    if isinstance(action, Play):
        return next(held.cost for held in me.hand if held.id == action.card)
    if isinstance(action, HeroPower):
        return me.power.cost if me.power else 0
    return 0 if isinstance(action, Attack) else 1


def _spell_damage(player: Player) -> int:
    return sum(minion.card.spell_damage for minion in player.board if not minion.silenced)
