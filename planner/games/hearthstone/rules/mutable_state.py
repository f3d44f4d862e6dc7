"""A mutable copy of a state, on which the rules carry out one action.

Only the rules change it, and only between two states: all other code sees the immutable state before or after.
"""

from __future__ import annotations

from planner.games.hearthstone.cards.card import Card
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
from planner.games.hearthstone.rules.random_choices import Chance, ChanceError, ScriptedChoices
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

HERO = -1  # the position of a hero on its side; minions have 0, 1, 2, ...
ME, ENEMY = 0, 1


# -- players


class MutablePlayer:
    """A player whose attributes, and whose board, can be changed."""

    __slots__ = Player._fields

    def __init__(self, player: Player) -> None:
        self.hero: Hero
        self.hand: tuple[HandCard, ...]
        self.deck: tuple[HandCard, ...]
        self.weapon: Weapon | None
        self.power: Card | None
        (
            self.hero, board, self.hand, self.deck, self.mana, self.crystals, self.overload, self.locked,
            self.fatigue, self.weapon, self.power, self.power_used, self.cards_played,
        ) = player[:]  # fmt: skip  # a slice is a plain tuple, which Python unpacks twice as fast
        self.board: list[Minion] = [*board]

    def to_player(self) -> Player:
        """Return an immutable copy."""
        values = (
            self.hero, tuple(self.board), self.hand, self.deck, self.mana, self.crystals, self.overload, self.locked,
            self.fatigue, self.weapon, self.power, self.power_used, self.cards_played,
        )  # fmt: skip
        return new(Player, values)

    def position_of(self, minion_id: str) -> int | None:
        """Return the position of a minion on the board, or None if it is not there."""
        for position, minion in enumerate(self.board):
            if minion.id == minion_id:
                return position
        return None

    def take_card(self, card_id: str) -> HandCard:
        """Remove a card from the hand and return it. The card must be there."""
        hand = self.hand
        for index, card in enumerate(hand):
            if card.id == card_id:
                self.hand = hand[:index] + hand[index + 1 :]
                return card
        raise LookupError(card_id)

    def hero_attacks_per_turn(self) -> int:
        """Return how often the hero may attack in a turn: windfury may be the hero's or its weapon's."""
        return attacks_per_turn(self.hero.keywords | (self.weapon.keywords if self.weapon else 0))

    def spell_damage(self) -> int:
        """Return what the minions of this player add to the damage of its spells."""
        return sum(minion.card.spell_damage for minion in self.board if not minion.silenced)


# -- both players


class MutableState:
    """Both players, and the changes that effects make to them."""

    def __init__(self, state: GameState, rng: Chance | None) -> None:
        self.load(state)
        self.rng = rng
        self.minions_hit = False  # whether a minion was damaged in this action
        self.doomed_ids: set[str] = set()  # minions that are destroyed, but still on the board
        self.dead_ids: set[str] = set()  # minions that died: effects may refer to them, and reborn returns them
        self.dead_heroes: list[MutablePlayer] = []  # the owners of heroes that cannot be healed any more
        # What the objective counts: the damage that `me` dealt to the enemy side (also where a shield or armor absorbed
        # it), the part of it above the remaining health, and the cards that `me` drew.
        self.dealt_to_hero = 0
        self.dealt_to_minions = 0
        self.overkill = 0
        self.drawn = 0
        self.created_ids: list[str] = []  # of everything that effects created, and of reborn minions

    def load(self, state: GameState) -> None:
        """Take over another state; what was counted stays."""
        me, enemy, self.rules, self.turn, self.seat, self.clock, self.cause = state[:]
        self.set_sides(MutablePlayer(me), MutablePlayer(enemy))
        # False: no effect was carried out, and no minion on the boards has one or is under an aura. Then nothing is
        # triggered and no aura changes, which need not be looked for after every action.
        self.has_effects = self._effects_on_board()

    def _effects_on_board(self) -> bool:
        for side in self.sides:
            for minion in side.board:
                if minion.card.effects or minion.aura_attack or minion.aura_health:
                    return True
        return False

    def set_sides(self, me: MutablePlayer, enemy: MutablePlayer) -> None:
        """Set the player whose turn it is, and the other one."""
        self.me, self.enemy = self.sides = me, enemy

    def begin_action(self) -> None:
        """Forget what lasts only for one action, so that the next one starts as from an immutable copy."""
        self.minions_hit = False
        if self.cause and not self.hero_died():
            self.cause = ""
        if self.dead_ids or self.doomed_ids or self.dead_heroes or self.created_ids:
            self.dead_ids, self.doomed_ids, self.dead_heroes, self.created_ids = set(), set(), [], []

    def to_state(self) -> GameState:
        """Return an immutable copy."""
        me, enemy = self.sides
        if self.cause and not self.hero_died():
            self.cause = ""  # the hero was healed again
        values = (me.to_player(), enemy.to_player(), self.rules, self.turn, self.seat, self.clock, self.cause)
        return new(GameState, values)

    def snapshot(self) -> object:
        """Return everything as a hashable value, also in the middle of an action."""
        totals = self.dealt_to_hero, self.dealt_to_minions, self.overkill, self.drawn
        dead_heroes = tuple(side in self.dead_heroes for side in self.sides)
        players = tuple(side.to_player() for side in self.sides)
        others = self.turn, self.seat, self.clock, self.cause
        return players, others, frozenset(self.doomed_ids), dead_heroes, totals

    def checkpoint(self, *memory: object) -> None:
        """Mark a point from which on only this state and `memory` decide how the action goes on.

        Call it before an effect. `memory` is everything that the rules remember beside the state: which effect comes
        next, its source, and minions that still act although they have left the board. While outcomes of chance are
        listed, runs that meet here are merged; without a checkpoint they are not.
        """
        if isinstance(self.rng, ScriptedChoices) and self.rng.lists_outcomes and not self.rng.in_function:
            self.rng.pass_checkpoint((self.snapshot(), frozenset(self.dead_ids)), memory)

    def repetition(self, left: int) -> None:
        """Mark a point inside an effect that repeats something, if only this state and `left` decide how it goes on."""
        if isinstance(self.rng, ScriptedChoices) and self.rng.lists_outcomes and not self.rng.in_function:
            self.rng.pass_repetition((self.snapshot(), frozenset(self.dead_ids)), left)

    def hero_died(self) -> bool:
        """Return whether a hero is at 0 health or less."""
        me, enemy = self.sides
        return me.hero.health <= 0 or enemy.hero.health <= 0

    def is_over(self) -> bool:
        """Return whether the match has ended."""
        return self.hero_died() or self.turn > self.rules.turn_limit

    def is_alive(self, side: int, position: int) -> bool:
        """Return whether a character is alive: neither destroyed nor at 0 health."""
        owner = self.sides[side]
        if position == HERO:
            return owner.hero.health > 0
        minion = owner.board[position]
        return minion.health > 0 and minion.id not in self.doomed_ids

    def choose_at_random(self, count: int, times: int = 1) -> int:
        """Return a random number below `count`; a single option needs no generator.

        `times` is how many choices the effect still needs, this one included.
        """
        if count == 1:
            return 0
        choice = -1 if self.rng is None else self.rng.randrange(count)
        if choice < 0:
            raise ChanceError(self, count, times)
        return choice

    # -- changes to characters

    def damage(self, side: int, position: int, amount: int, keywords: int = 0, by: int = ME) -> int:
        """Deal damage to a character from a source with these keywords that belongs to side `by`.

        Returns the damage dealt: 0 if a divine shield or immunity prevented it.
        """
        if amount <= 0:
            return 0
        owner = self.sides[side]
        if position == HERO:
            hero = owner.hero
            if hero.keywords & IMMUNE:
                return 0
            if side == ENEMY and by == ME:
                self.dealt_to_hero += amount
                if amount > hero.armor + hero.health:  # rare, and calls of `max` take longer
                    self.overkill += max(0, amount - hero.armor - max(0, hero.health))
            absorbed = min(hero.armor, amount) if hero.armor else 0
            hero_keywords = hero.keywords | FROZEN if keywords & FREEZE else hero.keywords
            owner.hero = hero.with_health(hero.health - amount + absorbed, hero.armor - absorbed, hero_keywords)
        else:
            minion = owner.board[position]
            minion_keywords = minion.keywords
            if minion_keywords & IMMUNE:
                return 0
            self.minions_hit = True
            if side == ENEMY and by == ME:
                self.dealt_to_minions += amount
            if minion_keywords & DIVINE_SHIELD:
                owner.board[position] = minion.with_health(minion.health, minion_keywords & ~DIVINE_SHIELD)
                return 0
            if side == ENEMY and by == ME and amount > minion.health:
                self.overkill += amount - max(0, minion.health)
            if keywords & FREEZE:
                minion_keywords |= FROZEN
            if keywords & POISONOUS:
                self.doomed_ids.add(minion.id)
            owner.board[position] = minion.with_health(minion.health - amount, minion_keywords)
        if keywords & LIFESTEAL:
            self.heal(by, HERO, amount)
        return amount

    def heal(self, side: int, position: int, amount: int) -> None:
        """Restore health, up to the maximum."""
        owner = self.sides[side]
        if position == HERO:
            if owner in self.dead_heroes:
                return
            hero = owner.hero
            owner.hero = hero.with_health(min(hero.max_health, hero.health + amount), hero.armor, hero.keywords)
        else:
            minion = owner.board[position]
            health = min(minion.max_health, minion.health + amount)
            owner.board[position] = minion.with_health(health, minion.keywords)

    def destroy(self, side: int, position: int) -> None:
        """Mark a minion to die with the next deaths; a hero dies at once, and nothing saves it."""
        owner = self.sides[side]
        if position == HERO:
            owner.hero = owner.hero._replace(health=0)
            self._mark_dead_hero(owner)
        else:
            self.doomed_ids.add(owner.board[position].id)

    def set_attack(self, side: int, position: int, amount: int) -> None:
        """Set the attack of a minion. Attack that lasts only this turn is lost."""
        if position == HERO:
            return
        owner = self.sides[side]
        minion = owner.board[position]
        aura = max(minion.aura_attack, -amount)
        owner.board[position] = minion._replace(attack=amount + aura, aura_attack=aura, attack_this_turn=0)

    def set_health(self, side: int, position: int, amount: int) -> None:
        """Set the health and the maximum health of a minion."""
        if position == HERO:
            return
        owner = self.sides[side]
        minion = owner.board[position]
        health = amount + minion.aura_health
        owner.board[position] = minion._replace(health=health, max_health=health)

    def transform(self, side: int, position: int, card: Card) -> None:
        """Replace a minion by another one, which counts as newly summoned but keeps the position and the id."""
        if position == HERO:
            return
        board = self.sides[side].board
        before = board[position]
        self.doomed_ids.discard(before.id)
        board[position] = new_minion(before.id, card, before.entered)

    def return_to_hand(self, side: int, minion_id: str) -> None:
        """Return a minion to its owner's hand as its card; if the hand is full, the minion dies."""
        owner = self.sides[side]
        position = owner.position_of(minion_id)
        if position is None:
            return
        if len(owner.hand) >= self.rules.hand_limit:
            self.doomed_ids.add(minion_id)
            return
        self.doomed_ids.discard(minion_id)
        minion = owner.board.pop(position)
        owner.hand += (in_hand(minion.id, minion.card),)

    def freeze(self, side: int, position: int) -> None:
        """Freeze a character: it misses its next attack."""
        owner = self.sides[side]
        if position == HERO:
            hero = owner.hero
            owner.hero = hero.with_health(hero.health, hero.armor, hero.keywords | FROZEN)
        else:
            minion = owner.board[position]
            owner.board[position] = minion.with_health(minion.health, minion.keywords | FROZEN)

    def buff(self, side: int, position: int, attack: int, health: int, keywords: int, this_turn: bool) -> None:
        """Add attack, health or keywords to a character, permanently or for this turn."""
        owner = self.sides[side]
        if position == HERO:
            hero, attacks_before = owner.hero, owner.hero_attacks_per_turn()
            if owner in self.dead_heroes:
                health = min(health, 0)
            all_keywords, temporary = _add_keywords(hero.keywords, hero.keywords_this_turn, keywords, this_turn)
            owner.hero = hero._replace(
                attack_this_turn=hero.attack_this_turn + attack,
                health=hero.health + health,
                max_health=hero.max_health + health,
                keywords=all_keywords,
                keywords_this_turn=temporary,
            )
            _keep_used_attacks(owner, attacks_before)
            return
        minion = owner.board[position]
        all_keywords, temporary = _add_keywords(minion.keywords, minion.keywords_this_turn, keywords, this_turn)
        more_attacks = attacks_per_turn(all_keywords) - attacks_per_turn(minion.keywords)
        attack = max(attack, -minion.attack)  # attack is never negative, and only what was taken comes back
        owner.board[position] = minion._replace(
            attack=minion.attack + attack,
            health=minion.health + health,
            max_health=minion.max_health + health,
            keywords=all_keywords,
            attacks_left=minion.attacks_left + more_attacks,
            attack_this_turn=minion.attack_this_turn + (attack if this_turn else 0),
            keywords_this_turn=temporary,
        )

    def silence(self, side: int, position: int) -> None:
        """Remove the text, the keywords and all changes of a minion. Damage stays, but only an aura can kill it."""
        if position == HERO:
            return
        owner = self.sides[side]
        minion = owner.board[position]
        card = minion.card
        attacks_used = attacks_per_turn(minion.keywords) - minion.attacks_left
        max_health = card.health + minion.aura_health
        restored = max(0, max_health - minion.max_health)  # what an effect such as "set health to 1" had taken
        aura = max(minion.aura_attack, -card.attack)  # attack is never negative
        owner.board[position] = minion._replace(
            attack=card.attack + aura,
            aura_attack=aura,
            max_health=max_health,
            health=min(minion.health + restored, max_health),
            keywords=0,
            attacks_left=max(0, 1 - attacks_used),
            silenced=True,
            attack_this_turn=0,
            keywords_this_turn=0,
        )

    # -- minions, weapons and cards

    def new_id(self) -> str:
        """Return an id for something that an effect creates; it differs from all ids in the match."""
        used = {thing.id for side in self.sides for zone in (side.board, side.hand, side.deck) for thing in zone}
        while True:
            self.clock += 1
            name = f"new.{self.clock}"
            if name not in used and name not in self.dead_ids:
                self.created_ids.append(name)
                return name

    def summon(self, side: int, card: Card, minion_id: str | None = None) -> bool:
        """Summon a minion at the right end of a board. Returns False if the board is full."""
        board = self.sides[side].board
        if len(board) >= self.rules.board_limit:
            return False
        name = self.new_id() if minion_id is None else minion_id
        self.clock += 1
        self.has_effects |= bool(card.effects)
        board.append(new_minion(name, card, self.clock))
        return True

    def resurrect_reborn(self, side: int, minion: Minion) -> None:
        """Return a dead minion with reborn as printed, without reborn and with 1 health. It keeps its id."""
        if minion.keywords & REBORN and self.summon(side, minion.card, minion.id):
            board = self.sides[side].board
            reborn = board[-1]
            board[-1] = reborn.with_health(1, reborn.keywords & ~REBORN)
            self.created_ids.append(reborn.id)

    def has_dying_minions(self) -> bool:
        """Return whether a minion has to be removed; only damage and effects kill minions."""
        if not (self.minions_hit or self.has_effects):
            return False
        if self.doomed_ids:
            return True
        for side in self.sides:
            for minion in side.board:
                if minion.health <= 0:
                    return True
        return False

    def remove_dead(self) -> list[tuple[int, Minion]]:
        """Remove the dead minions of both sides and return them, each with its side, in order of entering the board."""
        dead: list[tuple[int, Minion]] = []
        doomed = self.doomed_ids
        for number, side in enumerate(self.sides):
            alive: list[Minion] = []
            for minion in side.board:
                if minion.health <= 0 or (doomed and minion.id in doomed):
                    dead.append((number, minion))
                else:
                    alive.append(minion)
            side.board = alive
        doomed.clear()
        self.dead_ids.update([minion.id for _, minion in dead])
        if len(dead) > 1:
            dead.sort(key=lambda entry: entry[1].entered)
        return dead

    def mark_dead_heroes(self) -> None:
        """Mark heroes at 0 health as dead: no later effect saves them."""
        for side in self.sides:
            if side.hero.health <= 0:
                self._mark_dead_hero(side)

    def _mark_dead_hero(self, owner: MutablePlayer) -> None:
        if owner not in self.dead_heroes:
            self.dead_heroes.append(owner)

    def equip(self, side: int, card: Card) -> None:
        """Equip a weapon; it replaces the old one."""
        owner = self.sides[side]
        self._change_weapon(owner, Weapon(card, card.attack, card.health, card.keywords))

    def buff_weapon(self, side: int, attack: int, durability: int, keywords: int) -> None:
        """Add attack, durability or keywords to a weapon, if there is one."""
        owner = self.sides[side]
        weapon = owner.weapon
        if weapon is not None:
            better = Weapon(
                weapon.card, weapon.attack + attack, weapon.durability + durability, weapon.keywords | keywords
            )
            self._change_weapon(owner, better)

    def destroy_weapon(self, side: int) -> None:
        """Destroy the weapon of a hero."""
        self._change_weapon(self.sides[side], None)

    def use_weapon(self, side: int) -> None:
        """Reduce the durability of a weapon after an attack; at 0 it breaks."""
        owner = self.sides[side]
        weapon = owner.weapon
        if weapon is not None:
            durability = weapon.durability - 1
            self._change_weapon(owner, weapon._replace(durability=durability) if durability > 0 else None)

    @staticmethod
    def _change_weapon(owner: MutablePlayer, weapon: Weapon | None) -> None:
        attacks_before = owner.hero_attacks_per_turn()
        owner.weapon = weapon
        _keep_used_attacks(owner, attacks_before)

    def draw(self, side: int) -> None:
        """Draw a card. A full hand burns it; an empty deck deals fatigue damage."""
        owner = self.sides[side]
        if owner.deck:
            card, owner.deck = owner.deck[0], owner.deck[1:]
            if len(owner.hand) < self.rules.hand_limit:
                owner.hand += (card,)
                self.drawn += side == ME
            return
        amount = self.rules.fatigue_start + self.rules.fatigue_growth * owner.fatigue
        owner.fatigue += 1
        health_before = owner.hero.health
        self.damage(side, HERO, amount, by=side)
        if health_before > 0 >= owner.hero.health:
            self.cause = "fatigue"


def _add_keywords(keywords: int, temporary: int, added: int, this_turn: bool) -> tuple[int, int]:
    """Return all keywords, and those that end with the turn, after some were added."""
    return keywords | added, temporary | (added & ~keywords) if this_turn else temporary & ~added


def _keep_used_attacks(owner: MutablePlayer, attacks_before: int) -> None:
    """Change the attacks left of a hero whose attacks per turn have changed; attacks that were used stay used."""
    more_attacks = owner.hero_attacks_per_turn() - attacks_before
    if more_attacks:
        owner.hero = owner.hero._replace(attacks_left=max(0, owner.hero.attacks_left + more_attacks))
