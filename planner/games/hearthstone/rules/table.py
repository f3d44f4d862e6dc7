"""The table while something happens on it: a state taken apart, changed, and put together again.

Only `planner.games.hearthstone.rules` changes a table, and only between two states; nobody else sees it half-way.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effects import Effect
from planner.games.hearthstone.cards.keywords import (
    DIVINE_SHIELD,
    FREEZE,
    FROZEN,
    IMMUNE,
    LIFESTEAL,
    POISONOUS,
    REBORN,
    attacks_per_turn,
)
from planner.games.hearthstone.cards.targets import Target
from planner.games.hearthstone.rules.asked import fits, is_given
from planner.games.hearthstone.rules.state import (
    GameState,
    HandCard,
    Hero,
    Minion,
    Player,
    Weapon,
    in_hand,
    new,
    new_minion,
)

HERO = -1  # a hero's place on its side, beside the minions' 0, 1, 2, ...
ME, ENEMY = 0, 1


class ChanceError(ValueError):
    """Chance has to decide among `count` on this table, up to so many `times`, and no generator was handed in, or it
    tells no more."""

    def __init__(self, table: Table, count: int, times: int) -> None:
        super().__init__("this action is decided by chance: apply(state, action, rng) needs a generator")
        self.table, self.count, self.times = table, count, times


class Told:
    """In the place of a generator: choices told in advance, and no more."""

    def __init__(self, choices: Sequence[int]) -> None:
        self._choices = iter(choices)

    def randrange(self, _count: int) -> int:
        """The next of them; -1 where there is none."""
        return next(self._choices, -1)


Chance = Random | Told
CERTAIN_ONLY = Told(())  # each effect is carried out up to where chance would decide


class Side:
    """One player's things, which can be changed: the board in place."""

    __slots__ = (
        "board",
        "cards_played",
        "crystals",
        "deck",
        "fatigue",
        "hand",
        "hero",
        "locked",
        "mana",
        "overload",
        "power",
        "power_used",
        "weapon",
    )

    def __init__(self, player: Player) -> None:
        self.hero: Hero
        self.hand: tuple[HandCard, ...]
        self.deck: tuple[HandCard, ...]
        self.weapon: Weapon | None
        self.power: Card | None
        (
            self.hero,
            board,
            self.hand,
            self.deck,
            self.mana,
            self.crystals,
            self.overload,
            self.locked,
            self.fatigue,
            self.weapon,
            self.power,
            self.power_used,
            self.cards_played,
        ) = player[:]  # a slice is a plain tuple, which Python takes apart in half the time
        self.board: list[Minion] = [*board]

    def player(self) -> Player:
        """The side as a value again."""
        values = (
            self.hero,
            tuple(self.board),
            self.hand,
            self.deck,
            self.mana,
            self.crystals,
            self.overload,
            self.locked,
            self.fatigue,
            self.weapon,
            self.power,
            self.power_used,
            self.cards_played,
        )
        return new(Player, values)

    def place(self, minion_id: str) -> int | None:
        """Where the minion stands, if it does."""
        for place, minion in enumerate(self.board):
            if minion.id == minion_id:
                return place
        return None

    def take_card(self, card_id: str) -> HandCard:
        """Take the card out of the hand."""
        hand = self.hand
        for place, held in enumerate(hand):
            if held.id == card_id:
                self.hand = hand[:place] + hand[place + 1 :]
                return held
        raise LookupError(card_id)  # verified before

    def swings(self) -> int:
        """How often the hero may attack in a turn: windfury is its own or its weapon's."""
        return attacks_per_turn(self.hero.keywords | (self.weapon.keywords if self.weapon else 0))

    def spell_damage(self) -> int:
        """What this side's minions add to its spells' damage."""
        return sum(minion.card.spell_damage for minion in self.board if not minion.silenced)


class Table:
    """Both sides, and what can happen to what is on them."""

    __slots__ = (
        "_doomed", "_fallen", "_gone", "cause", "clock", "dealt_to_hero", "dealt_to_minions", "drawn", "made",
        "overkill", "rng", "rules", "seat", "sides", "turn",
    )  # fmt: skip

    def __init__(self, state: GameState, rng: Chance | None) -> None:
        me, enemy, self.rules, self.turn, self.seat, self.clock, self.cause = state[:]
        self.sides = (Side(me), Side(enemy))
        self.rng = rng
        self._doomed: set[str] = set()  # destroyed, but not removed yet
        self._gone: set[str] = set()  # who died by now: texts still speak of them, and reborn brings them back
        self._fallen: list[Side] = []  # whose hero has died: nothing brings it back
        # For whoever keeps accounts: damage by `me` to the enemy's side, as it was dealt out (a shield or armor that
        # takes it does not lessen it), how much of it was more than was left to take, and cards that `me` drew.
        self.dealt_to_hero = 0
        self.dealt_to_minions = 0
        self.overkill = 0
        self.drawn = 0
        self.made: list[str] = []  # ids: of what effects made, and of who was reborn

    def state(self) -> GameState:
        """The table as a value again."""
        me, enemy = self.sides
        if self.cause and not self.over():
            self.cause = ""  # a hero that was healed again did not die of it
        values = (me.player(), enemy.player(), self.rules, self.turn, self.seat, self.clock, self.cause)
        return new(GameState, values)

    def position(self) -> object:
        """All of the table as a value, also while something happens on it."""
        accounts = self.dealt_to_hero, self.dealt_to_minions, self.overkill, self.drawn
        return self.state(), frozenset(self._doomed), tuple(side in self._fallen for side in self.sides), accounts

    def over(self) -> bool:
        """Has a hero died?"""
        me, enemy = self.sides
        return me.hero.health <= 0 or enemy.hero.health <= 0

    def alive(self, side: int, place: int) -> bool:
        """Is this character still alive? Who is destroyed or at 0 health only waits to be removed."""
        owner = self.sides[side]
        if place == HERO:
            return owner.hero.health > 0
        minion = owner.board[place]
        return minion.health > 0 and minion.id not in self._doomed

    def is_over(self) -> bool:
        """Has the match ended?"""
        me, enemy = self.sides
        return me.hero.health <= 0 or enemy.hero.health <= 0 or self.turn > self.rules.turn_limit

    # -- chance

    def choose_at_random(self, count: int, times: int = 1) -> int:
        """A number below `count` from the generator that was handed in; what is certain needs none.

        `times`: how often the effect will ask, this time included.
        """
        if count == 1:
            return 0
        choice = -1 if self.rng is None else self.rng.randrange(count)
        if choice < 0:
            raise ChanceError(self, count, times)
        return choice

    # -- harm and help

    def damage(self, side: int, place: int, amount: int, source: int = 0, by: int = ME) -> int:
        """Deal damage to a character; `source` are the keywords of what deals it, for side `by`.

        Returns what was dealt: 0 where a shield or immunity took it.
        """
        if amount <= 0:
            return 0
        owner = self.sides[side]
        if place == HERO:
            hero = owner.hero
            if hero.keywords & IMMUNE:
                return 0
            if side == ENEMY and by == ME:
                self.dealt_to_hero += amount
                self.overkill += max(0, amount - hero.armor - max(0, hero.health))
            absorbed = min(hero.armor, amount)
            kept = hero.keywords | FROZEN if source & FREEZE else hero.keywords
            owner.hero = hero.with_health(hero.health - amount + absorbed, hero.armor - absorbed, kept)
        else:
            minion = owner.board[place]
            kept = minion.keywords
            if kept & IMMUNE:
                return 0
            if side == ENEMY and by == ME:
                self.dealt_to_minions += amount
            if kept & DIVINE_SHIELD:
                owner.board[place] = minion.with_health(minion.health, kept & ~DIVINE_SHIELD)
                return 0
            if side == ENEMY and by == ME:
                self.overkill += max(0, amount - max(0, minion.health))
            if source & FREEZE:
                kept |= FROZEN
            if source & POISONOUS:
                self._doomed.add(minion.id)
            owner.board[place] = minion.with_health(minion.health - amount, kept)
        if source & LIFESTEAL:
            self.heal(by, HERO, amount)
        return amount

    def heal(self, side: int, place: int, amount: int) -> None:
        """Restore health, up to the maximum."""
        owner = self.sides[side]
        if place == HERO:
            if owner in self._fallen:
                return
            hero = owner.hero
            owner.hero = hero.with_health(min(hero.max_health, hero.health + amount), hero.armor, hero.keywords)
        else:
            minion = owner.board[place]
            health = min(minion.max_health, minion.health + amount)
            owner.board[place] = minion.with_health(health, minion.keywords)

    def destroy(self, side: int, place: int) -> None:
        """Mark a minion to die with the next deaths; a hero dies at once."""
        owner = self.sides[side]
        if place == HERO:
            owner.hero = owner.hero._replace(health=0)
        else:
            self._doomed.add(owner.board[place].id)

    def set_attack(self, side: int, place: int, amount: int) -> None:
        """Give a minion this attack in place of its own; what lasts only this turn is lost with it."""
        if place == HERO:
            return
        owner = self.sides[side]
        minion = owner.board[place]
        aura = max(minion.aura_attack, -amount)
        owner.board[place] = minion._replace(attack=amount + aura, aura_attack=aura, attack_this_turn=0)

    def set_health(self, side: int, place: int, amount: int) -> None:
        """Give a minion this health in place of its own; damage is gone."""
        if place == HERO:
            return
        owner = self.sides[side]
        minion = owner.board[place]
        health = amount + minion.aura_health
        owner.board[place] = minion._replace(health=health, max_health=health)

    def transform(self, side: int, place: int, card: Card) -> None:
        """Make another minion of this one: new on the board, in its place and with its id."""
        if place == HERO:
            return
        board = self.sides[side].board
        before = board[place]
        self._doomed.discard(before.id)
        board[place] = new_minion(before.id, card, before.entered)

    def to_hand(self, side: int, minion_id: str) -> None:
        """Take a minion back to its owner's hand as the card that it was; where the hand is full it dies."""
        owner = self.sides[side]
        place = owner.place(minion_id)
        if place is None:
            return
        if len(owner.hand) >= self.rules.hand_limit:
            self._doomed.add(minion_id)
            return
        self._doomed.discard(minion_id)
        minion = owner.board.pop(place)
        owner.hand += (in_hand(minion.id, minion.card),)

    def freeze(self, side: int, place: int) -> None:
        """Freeze a character: it misses its next attack."""
        owner = self.sides[side]
        if place == HERO:
            hero = owner.hero
            owner.hero = hero.with_health(hero.health, hero.armor, hero.keywords | FROZEN)
        else:
            minion = owner.board[place]
            owner.board[place] = minion.with_health(minion.health, minion.keywords | FROZEN)

    def buff(self, side: int, place: int, attack: int, health: int, keywords: int, this_turn: bool) -> None:
        """Add attack, health or keywords to a character, for good or for this turn."""
        owner = self.sides[side]
        if place == HERO:
            hero, swings = owner.hero, owner.swings()
            if owner in self._fallen:
                health = min(health, 0)
            gained, passing = _gain(hero.keywords, hero.keywords_this_turn, keywords, this_turn)
            owner.hero = hero._replace(
                attack_this_turn=hero.attack_this_turn + attack,
                health=hero.health + health,
                max_health=hero.max_health + health,
                keywords=gained,
                keywords_this_turn=passing,
            )
            self._rearm(owner, owner.weapon, swings)
            return
        minion = owner.board[place]
        gained, passing = _gain(minion.keywords, minion.keywords_this_turn, keywords, this_turn)
        more = attacks_per_turn(gained) - attacks_per_turn(minion.keywords)
        attack = max(attack, -minion.attack)  # nobody has less than 0, and only what was taken comes back
        owner.board[place] = minion._replace(
            attack=minion.attack + attack,
            health=minion.health + health,
            max_health=minion.max_health + health,
            keywords=gained,
            attacks_left=minion.attacks_left + more,
            attack_this_turn=minion.attack_this_turn + (attack if this_turn else 0),
            keywords_this_turn=passing,
        )

    def silence(self, side: int, place: int) -> None:
        """Take away text, keywords and buffs. Health that was lost stays lost, and silence never kills."""
        if place == HERO:
            return
        owner = self.sides[side]
        minion = owner.board[place]
        card = minion.card
        # What a windfury minion has used of its two attacks stays used.
        used = attacks_per_turn(minion.keywords) - minion.attacks_left
        owner.board[place] = minion._replace(
            attack=card.attack + minion.aura_attack,
            max_health=card.health + minion.aura_health,
            health=min(minion.health, card.health + minion.aura_health),
            keywords=0,
            attacks_left=max(0, 1 - used),
            silenced=True,
            attack_this_turn=0,
            keywords_this_turn=0,
        )

    # -- things that come and go

    def new_id(self) -> str:
        """An id for something that an effect makes, different from all on the table and from who just left it."""
        used = {thing.id for side in self.sides for zone in (side.board, side.hand, side.deck) for thing in zone}
        while True:
            self.clock += 1
            name = f"new.{self.clock}"
            if name not in used and name not in self._gone:
                self.made.append(name)
                return name

    def summon(self, side: int, card: Card, minion_id: str | None = None) -> bool:
        """Put a minion onto a board, rightmost; False where there is no place."""
        board = self.sides[side].board
        if len(board) >= self.rules.board_limit:
            return False
        name = self.new_id() if minion_id is None else minion_id
        self.clock += 1
        board.append(new_minion(name, card, self.clock))
        return True

    def equip(self, side: int, card: Card) -> None:
        """Put a weapon into the hero's hands; the old one breaks."""
        owner = self.sides[side]
        self._rearm(owner, Weapon(card, card.attack, card.health, card.keywords), owner.swings())

    def hone(self, side: int, attack: int, durability: int, keywords: int) -> None:
        """Make a hero's weapon better, if it has one."""
        owner = self.sides[side]
        weapon = owner.weapon
        if weapon is not None:
            better = Weapon(
                weapon.card, weapon.attack + attack, weapon.durability + durability, weapon.keywords | keywords
            )
            self._rearm(owner, better, owner.swings())

    def disarm(self, side: int) -> None:
        """Destroy a hero's weapon."""
        owner = self.sides[side]
        self._rearm(owner, None, owner.swings())

    def wear_weapon(self, side: int) -> None:
        """A swing costs one durability; at 0 the weapon breaks."""
        owner = self.sides[side]
        weapon = owner.weapon
        if weapon is not None:
            worn = weapon.durability - 1
            self._rearm(owner, weapon._replace(durability=worn) if worn > 0 else None, owner.swings())

    def _rearm(self, owner: Side, weapon: Weapon | None, swings: int) -> None:
        """Change the weapon of a hero that had so many swings a turn; those that it has used stay used."""
        owner.weapon = weapon
        more = owner.swings() - swings
        if more:
            owner.hero = owner.hero._replace(attacks_left=max(0, owner.hero.attacks_left + more))

    def draw(self, side: int) -> None:
        """Draw a card: a full hand burns it, an empty deck costs health."""
        owner = self.sides[side]
        if owner.deck:
            card, owner.deck = owner.deck[0], owner.deck[1:]
            if len(owner.hand) < self.rules.hand_limit:
                owner.hand += (card,)
                self.drawn += side == ME
            return
        amount = self.rules.fatigue_start + self.rules.fatigue_growth * owner.fatigue
        owner.fatigue += 1
        before = owner.hero.health
        self.damage(side, HERO, amount, by=side)
        if before > 0 >= owner.hero.health:
            self.cause = "fatigue"

    # -- death

    def unrest(self) -> tuple[bool, bool]:
        """Is anybody to be removed, and can an aura have changed? The answers are nearly always no."""
        dying, auras = bool(self._doomed), False
        for side in self.sides:
            for minion in side.board:
                if minion.health <= 0:
                    dying = True
                if minion.card.aura or minion.aura_attack or minion.aura_health:
                    auras = True
        return dying, auras

    def mark_fallen_heroes(self) -> None:
        """Heroes at 0 have died by now: no deathrattle that is still to come saves them."""
        self._fallen += [side for side in self.sides if side.hero.health <= 0 and side not in self._fallen]

    def take_dead(self) -> list[tuple[int, Minion]]:
        """Remove the dead of both sides together; they come back in order of entering the board."""
        dead: list[tuple[int, Minion]] = []
        doomed = self._doomed
        for number, side in enumerate(self.sides):
            alive: list[Minion] = []
            for minion in side.board:
                if minion.health <= 0 or (doomed and minion.id in doomed):
                    dead.append((number, minion))
                else:
                    alive.append(minion)
            side.board = alive
        doomed.clear()
        self._gone.update([minion.id for _, minion in dead])
        if len(dead) > 1:
            dead.sort(key=lambda entry: entry[1].entered)
        return dead

    def rebirth(self, side: int, minion: Minion) -> None:
        """A minion with reborn comes back once, as printed, with 1 health; it is the same minion, so keeps its id."""
        if minion.keywords & REBORN and self.summon(side, minion.card, minion.id):
            board = self.sides[side].board
            back = board[-1]
            board[-1] = back.with_health(1, back.keywords & ~REBORN)
            self.made.append(back.id)

    # -- auras

    def _holds(self, aura: Effect, side: int, source: Minion) -> bool:
        asked = aura.condition
        sides = self.sides
        return asked is None or is_given(asked, sides[side], sides[1 - side], my_turn=side == ME, source=source)

    def refresh_auras(self) -> None:
        """Give each minion what the auras on the table now add, and take what they no longer add."""
        sources: list[tuple[int, Minion, Effect]] = []
        leftover = False
        for number, side in enumerate(self.sides):
            for minion in side.board:
                if minion.card.aura and not minion.silenced:
                    sources += [(number, minion, one) for one in minion.card.aura if self._holds(one, number, minion)]
                    leftover = True  # what one of them asks for may be so no more
                elif minion.aura_attack or minion.aura_health:
                    leftover = True
        if not (sources or leftover):
            return
        for number, side in enumerate(self.sides):
            for place, minion in enumerate(side.board):
                attack = health = 0
                for owner, source, effect in sources:
                    if effect.to is not None and _under_aura(effect.to, owner == number, source, minion):
                        attack += effect.attack
                        health += effect.health
                own = minion.attack - minion.aura_attack
                attack = max(attack, -own)  # nobody has less than 0
                if attack != minion.aura_attack or health != minion.aura_health:
                    more = health - minion.aura_health
                    top = minion.max_health + more
                    side.board[place] = minion._replace(
                        attack=own + attack,
                        max_health=top,
                        health=minion.health + more if more > 0 else min(minion.health, top),
                        aura_attack=attack,
                        aura_health=health,
                    )


def _gain(keywords: int, passing: int, gift: int, this_turn: bool) -> tuple[int, int]:
    """The keywords, and those of them that end with the turn, after a gift of some."""
    return keywords | gift, passing | (gift & ~keywords) if this_turn else passing & ~gift


def _under_aura(target: Target, friendly: bool, source: Minion, minion: Minion) -> bool:
    if target.select == "self":
        return source.id == minion.id and fits(target, minion)
    if target.other and source.id == minion.id:
        return False
    if target.side != "any" and (target.side == "friendly") != friendly:
        return False
    return target.what != "hero" and fits(target, minion)
