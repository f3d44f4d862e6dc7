"""What the texts that may still come can meet: plain actions that none of them can meet need not come before them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Final, NamedTuple

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effects import Effect
from planner.games.hearthstone.cards.keywords import (
    CHARGE,
    DIVINE_SHIELD,
    FREEZE,
    IMMUNE,
    LIFESTEAL,
    MAGNETIC,
    POISONOUS,
    REBORN,
    RUSH,
    TAUNT,
)
from planner.games.hearthstone.rules.actions import Action, Attack, Play
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, Minion, hero_attack
from planner.games.hearthstone.turn.footprints import (
    ALL,
    COUNT,
    FALLEN,
    FOE,
    MANA,
    MINE,
    RISEN,
    SPELLS,
    THEIRS,
    WOUNDS,
    Footprint,
    Footprints,
    spell_damage,
)  # fmt: skip
from planner.games.hearthstone.turn.texts import plain_card

_SPECIAL: Final = DIVINE_SHIELD | REBORN | IMMUNE


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


class Reaches:
    """Of the texts of one turn, state by state."""

    def __init__(self, footprints: Footprints, start: GameState) -> None:
        self.footprints = footprints
        boards = (*start.me.board, *start.enemy.board)
        self._special = {minion.id for minion in boards if minion.keywords & _SPECIAL}  # also once the shield is gone

    def of(
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
        own = self.footprints.everyone(me) | self.footprints.bit(MY_HERO)
        for held in me.hand:
            own |= self.footprints.bit(held.id)
        theirs = self.footprints.everyone(state.enemy) | FOE
        sums = _sums_of_attacks(state)
        bodies = {held.id for held in me.hand if plain_card(held.card)}
        left += len(bodies)  # any of them may take a place first
        cards = [(held.id, held.card) for held in me.hand if held.id not in bodies and held.card.type != "hidden"]
        if me.power is not None and not me.power_used:
            cards.append(("", me.power))
        of_deaths = 0
        for name in charged:
            of_deaths |= self.footprints.death_reads(state, name)
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
                        mine |= own & ~self.footprints.everyone(state.me)
                    one_of |= mine if effect.to.side != "enemy" and name not in spared else 0
                    one_of |= their if effect.to.side != "friendly" else 0
            reads = self.footprints.card_reads(state, card, left)
            if more_is_better:
                reads &= ~self._sturdy(state, card, sums)
            reads |= of_deaths
            writes = reads & ~(MANA | COUNT | SPELLS) | MINE
            if of_deaths or any(_raises(effect) for effect in card.on("play")):
                writes |= RISEN
            if any(effect.do == "mana" for effect in card.effects):
                writes |= MANA
            if _may_harm(card, "friendly"):  # a blow before it that heals the enemy hero matters
                reads, writes = reads | FOE, writes | WOUNDS
            by_card[name] = Reach(reads, writes, one_of)
        deaths = []
        for name in charged:
            deadly = dangers.to_us or dangers.to_foe()
            reads = ALL if deadly else self.footprints.death_reads(state, name) | self.footprints.bit(name)
            deaths.append(Reach(reads, reads | MINE | RISEN, own | theirs))
        return by_card, deaths

    def _brittle(self, state: GameState, card: Card, effect: Effect, sums: int) -> tuple[int, int]:
        """Whose blows it matters to come before or after this damage: ours, theirs.

        Wounds add up. It is another thing where the damage alone would kill (it can then deprive someone of a blow), or
        might after other blows, or where a shield takes whichever comes first.
        """
        to = effect.to
        if card.keywords & (POISONOUS | FREEZE) or (to is not None and to.damaged is not None):
            return self.footprints.everyone(state.me), self.footprints.everyone(state.enemy)
        hits = [one for one in card.on("play") if one.do == "damage"]
        amount = sum(one.amount for one in hits)
        if card.type == "spell":
            amount += len(hits) * (spell_damage(state.me) + sum(held.card.spell_damage for held in state.me.hand))
        mine = theirs = 0
        for minion in state.me.board:
            if minion.fresh or minion.health <= amount or self._is_special(minion):
                mine |= self.footprints.bit(minion.id)
        for minion in state.enemy.board:
            window = sums >> max(0, minion.health - amount) & ((1 << min(amount, minion.health)) - 1)
            if minion.health <= amount or self._is_special(minion) or window:
                theirs |= self.footprints.bit(minion.id)
        return mine, theirs

    def _is_special(self, minion: Minion) -> bool:
        return bool((minion.keywords | minion.card.keywords) & _SPECIAL) or minion.id in self._special

    def _sturdy(self, state: GameState, card: Card, sums: int) -> int:
        """Who may be struck before or after this card, if all that it does to many is damage: the same comes of it, but
        who dies of the blow is spared damage that counts for us."""
        many = [effect for effect in card.on("play") if effect.to is not None and effect.to.select in ("all", "random")]
        if any(effect.do != "damage" or effect.random for effect in many):
            return 0
        bits = self.footprints.everyone(state.me) | self.footprints.everyone(state.enemy)
        for effect in many:
            mine, theirs = self._brittle(state, card, effect, sums)
            bits &= ~(mine | theirs)
        return bits

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
        at_once = any(effect.do == "destroy" or effect.health < 0 for effect in card.on("play"))
        return at_once or amount + spell_damage(state.me) >= hero.health + hero.armor or card.keywords != 0

    def likely(self, state: GameState, action: Action) -> Footprint | None:
        """No less than what a plain action touches; None where others may follow from it."""
        if isinstance(action, Play):
            card = next(held.card for held in state.me.hand if held.id == action.card)
            if card.keywords & (CHARGE | RUSH):
                return None
            writes = self.footprints.bit(action.card) | MINE | COUNT | (SPELLS if card.spell_damage else 0)
            return Footprint(MANA | MINE, writes)
        assert isinstance(action, Attack)
        bits = self.footprints.bit(action.attacker)
        if action.attacker == MY_HERO:
            swings, kept, spells, power = state.me.hero.attacks_left, -1, 0, hero_attack(state.me)
        else:
            minion = next(minion for minion in state.me.board if minion.id == action.attacker)
            swings, kept, spells = minion.attacks_left, minion.keywords, minion.card.spell_damage
            power = minion.attack
        if swings > 1 or (kept & REBORN and action.attacker != MY_HERO):
            return None
        bits |= (self.footprints.bit(MY_HERO) if kept & LIFESTEAL else 0) | (SPELLS if spells else 0)
        if action.target == ENEMY_HERO:
            frozen = FOE if kept & FREEZE else 0
            return Footprint(bits | FOE | FALLEN | RISEN, bits | frozen | WOUNDS | MINE)
        target = next(minion for minion in state.enemy.board if minion.id == action.target)
        if target.keywords & TAUNT:
            return None
        bits |= self.footprints.bit(action.target) | (FOE | WOUNDS if target.keywords & LIFESTEAL else 0)
        kills = power >= target.health or kept & POISONOUS
        return Footprint(bits | FALLEN | RISEN, bits | MINE | (THEIRS if kills else 0))


def _may_harm(card: Card, spared: str) -> bool:
    """Can playing it harm the hero of the side that is not spared? Who draws may draw from an empty deck."""
    return any(
        ((effect.do in ("damage", "destroy") or effect.health < 0) and effect.to is not None
         and effect.to.what != "minion" and effect.to.side != spared) or (effect.do == "draw" and spared == "enemy")
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
    if power > 0 and state.me.hero.attacks_left:
        sums |= sums << power
    return sums


def _raises(effect: Effect) -> bool:
    """May it give the enemy a guard?"""
    if effect.do == "summon":
        return effect.side != "friendly"
    gives = effect.do == "buff" and effect.keywords & TAUNT
    return bool(gives and effect.to is not None and effect.to.side != "friendly")
