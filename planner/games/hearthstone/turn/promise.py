"""No less than what the rest of a turn can earn: what lets the search for the best line turn back early.

Everything that can be good is taken to happen at once. Each blow and each point of damage earns at its best target, and
brings its share of what that target's death is worth: the shares of those who kill it add up to all of it, and
all shares together to no more than all deaths are worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effects import Effect
from planner.games.hearthstone.cards.keywords import (
    CANNOT_ATTACK,
    CHARGE,
    DIVINE_SHIELD,
    ECHO,
    FROZEN,
    IMMUNE,
    MAGNETIC,
    MEGA_WINDFURY,
    POISONOUS,
    REBORN,
    RUSH,
    WINDFURY,
    attacks_per_turn,
)  # fmt: skip
from planner.games.hearthstone.rules.state import GameState, HandCard, Minion, hero_attack
from planner.games.hearthstone.turn.texts import plain_card
from planner.games.hearthstone.turn.weights import Weights, exact

_AT_ONCE: Final = CHARGE | RUSH
_TWICE: Final = WINDFURY | MEGA_WINDFURY
_SAFE: Final = IMMUNE | DIVINE_SHIELD | REBORN


class Gain(NamedTuple):
    """What something can earn: with its share of the deaths that it helps to bring about, and without."""

    shared: int
    bare: int


_NOTHING: Final = Gain(0, 0)
_ONLY_HARM: Final = Weights(face_damage=1, name="harm to the hero")


class _Texts(NamedTuple):
    """What the texts that may still be played can do to those who fight."""

    unknown: bool  # a function of somebody's
    weaken: bool  # targets strike back with less
    protect: bool  # attackers need not die
    invite: bool  # the enemy may get more minions
    swings: int  # as often as anybody could strike
    mana: int  # more mana
    spells: int  # spell damage of those who may be summoned
    poison: bool  # damage by a text may kill at once
    strength: int  # more attack for one of ours


class Promise:
    """Bounds for the states of one turn; none where a weight is negative or a term beyond the eight counts."""

    def __init__(self, weights: Weights, health: Mapping[str, int]) -> None:
        given = weights.scaled()
        self.valid = not weights.extra and all(weight >= 0 for weight in given.values())
        self.health = health
        self.once = given["lethal"] + given["board_clear"]
        self.face, self.minions = given["face_damage"], given["minion_damage"]
        self.threat, self.survival = given["enemy_threat"], given["own_survival"]
        self.back, self.value = given["damage_taken"], given["card_value"]
        self._lethal = given["lethal"]
        self.gains: dict[object, Gain] = {}  # what cards can earn, against whom they were looked at already
        self._texts: dict[object, _Texts] = {}
        self._harm = None if weights == _ONLY_HARM else Promise(_ONLY_HARM, {})

    def exceeds(self, state: GameState, worth: float | Fraction, texts: bool = True) -> bool:
        """May more than this be earned from here on, the end included? `texts`: with them, or by bodies alone."""
        most = self.most(state, texts)
        if most > worth >= most - self._lethal:
            return self.may_die(state, texts)
        return most > worth

    def may_die(self, state: GameState, texts: bool = True) -> bool:
        """Could the enemy hero die this turn?"""
        hero = state.enemy.hero
        if hero.health <= 0 or self._harm is None:
            return True
        return self._harm.most(state, texts) >= hero.health + hero.armor

    def most(self, state: GameState, texts: bool = True) -> float:
        """A bound on what can be earned from here on, the end included."""
        if not self.valid or _hurts_himself(state):
            return math.inf
        rest = _Rest(self, state, self._of_texts(state, texts), texts)
        return math.inf if rest.of.unknown else rest.total()

    def most_by(self, state: GameState, card: Card, value: float) -> float:
        """A bound on what this card earns more than ending the turn at once, if the turn ends with it."""
        boards = (*state.me.board, *state.enemy.board)
        if not self.valid or any(minion.card.effects and not minion.silenced for minion in boards):
            return math.inf  # it may set off others
        rest = _Rest(self, state, self._of_texts(state, texts=True), texts=True)
        if rest.of.unknown:
            return math.inf
        body = self.survival * card.health if card.type == "minion" else 0
        gain = rest.effects(card.effects, card.type == "spell")
        worth = math.ceil(self.value * exact(value)) + body + min(gain.shared, gain.bare + rest.deaths)
        return worth + (self.once if rest.may_decide(card) else 0)

    def _of_texts(self, state: GameState, texts: bool) -> _Texts:
        me = state.me
        boards = tuple(m.card for p in (me, state.enemy) for m in p.board if m.card.effects and not m.silenced)
        power = me.power if not me.power_used else None
        key = (texts, me.hand, power, boards, me.weapon and me.weapon.keywords)
        found = self._texts.get(key)
        if found is None:
            cards = [held.card for held in me.hand if held.card.type != "hidden"] if texts else []
            told = [*cards, *([power] if power and texts else []), *boards]
            found = self._texts[key] = _what_texts_do(told, cards, me.weapon.keywords if me.weapon else 0)
        return found


def _what_texts_do(told: list[Card], cards: list[Card], keywords: int) -> _Texts:
    effects = [effect for card in told for effect in card.effects]
    made = [card for effect in effects for card in effect.made]
    effects += [effect for card in made for effect in card.effects]
    for card in (*told, *cards, *made):
        keywords |= card.keywords
    for effect in effects:
        keywords |= effect.keywords
    changing = [effect for effect in effects if effect.do in ("buff", "silence")]
    weaken = any(effect.do == "silence" or effect.attack < 0 for effect in changing)
    heal = any(effect.do == "heal" and effect.to is not None and effect.to.what != "hero" for effect in effects)
    protect = weaken or heal or any(effect.health > 0 or effect.keywords & _SAFE for effect in changing)
    magnetic = [card for card in cards if card.keywords & MAGNETIC]
    strength = sum(max(0, effect.attack) for effect in changing) + sum(card.attack for card in magnetic)
    strongest = max((card.attack for card in (*cards, *made)), default=0)
    unknown = any(effect.do == "hook" or _kills_heroes(effect) for effect in effects)
    invite = any(effect.do == "summon" and (effect.side != "friendly" or effect.on == "death") for effect in effects)
    protect = protect or bool(magnetic)
    spells = sum(effect.count * max(m.spell_damage for m in effect.made) for effect in effects if effect.do == "summon")
    mana = sum(max(0, effect.amount) for effect in effects if effect.do == "mana")
    swings, poison = attacks_per_turn(keywords), bool(keywords & POISONOUS)
    return _Texts(unknown, weaken, protect, invite, swings, mana, spells, poison, strength + strongest)


class _Rest:
    """The bound for one state."""

    def __init__(self, promise: Promise, state: GameState, of: _Texts, texts: bool) -> None:
        self.p, self.state, self.of, self.texts = promise, state, of, texts
        threat = promise.threat
        # What each enemy minion's death is worth, its health, what it strikes back with, and its keywords.
        self.targets = [
            (threat * max(0, m.attack - m.attack_this_turn), m.health, *_strikes_back(m)) for m in state.enemy.board
        ]
        self.dearest = max((gain for gain, *_ in self.targets), default=0)
        self.deaths = sum(gain for gain, *_ in self.targets)
        self.known: dict[int, Gain] = {}
        board = state.me.board
        self.poison = of.poison or any(m.keywords & POISONOUS for m in (*board, *state.enemy.board))
        self.aura = sum(max(0, e.attack) for m in board if not m.silenced for e in m.card.aura)
        self.spells = of.spells + sum(m.card.spell_damage for m in board)
        self.spells += sum(held.card.spell_damage for held in state.me.hand)
        self.strongest = of.strength + max(hero_attack(state.me), *(minion.attack for minion in board), 0)
        self.swings = max(of.swings, state.me.hero.attacks_left, *(attacks_per_turn(m.keywords) for m in board), 1)

    def total(self) -> int:
        state, p = self.state, self.p
        me = state.me
        shared = bare = p.once - self.deaths + p.survival * sum(p.health.get(minion.id, 0) for minion in me.board)
        gains = [self._blows(minion) for minion in me.board]
        power = hero_attack(me)
        if power > 0 and me.hero.attacks_left:
            poison = bool(me.weapon and me.weapon.keywords & POISONOUS)
            gains.append(_times(me.hero.attacks_left, self._strike(power, poison)))
        for player in (me, state.enemy):
            for minion in player.board:
                if minion.card.effects and not minion.silenced:
                    gain = self.effects(e for e in minion.card.effects if e.on in ("death", "turn_end"))
                    gains.append(_times(2 if minion.keywords & REBORN else 1, gain))
        gains.append(self._hand())
        for gain in gains:
            shared += gain.shared
            bare += gain.bare
        return min(shared, bare + self.deaths)

    def may_decide(self, card: Card) -> bool:
        """Could this card alone kill the enemy hero or the last of his minions?"""
        effects = [effect for effect in card.effects if not _harmless(effect)]
        if not effects or any(effect.do != "damage" for effect in effects):
            return bool(effects)
        harm = sum(self._amount(effect, card.type == "spell") for effect in effects)
        hero = self.state.enemy.hero
        spread = all(effect.split for effect in effects)
        kills = sum(h for _, h, *_ in self.targets) <= harm if spread else all(h <= harm for _, h, *_ in self.targets)
        return harm >= hero.health + hero.armor or kills

    # -- blows

    def _blows(self, minion: Minion) -> Gain:
        kept = minion.keywords
        returns = kept & REBORN and minion.card.keywords & _AT_ONCE  # and strikes again
        again = self._as_attacker(minion.card) if returns else _NOTHING
        if minion.attack <= 0 or minion.attacks_left <= 0 or kept & (FROZEN | CANNOT_ATTACK):
            return again  # what would change that counts for it: see `_gift`
        if minion.fresh and not kept & _AT_ONCE:
            return again
        if minion.attacks_left == 1 and not self.of.weaken and not returns:
            return self._careful(minion)
        return _sum([_times(minion.attacks_left, self._strike(minion.attack, bool(kept & POISONOUS))), again])

    def _careful(self, minion: Minion) -> Gain:
        """One blow where targets keep their strength: what it costs is known."""
        p, attack, kept = self.p, minion.attack, minion.keywords
        shared = bare = p.face * attack
        mortal = not (kept & _SAFE or self.of.protect)
        for gain, health, back, theirs in self.targets:
            share = gain if kept & POISONOUS or attack >= health else -(-gain * attack // health)
            worth = p.minions * attack - p.back * back
            if mortal and back > 0 and (back >= minion.health or theirs & POISONOUS):
                worth -= p.survival * p.health.get(minion.id, 0)
            shared, bare = max(shared, worth + share), max(bare, worth)
        if self.of.invite:  # on somebody who is still to come
            shared, bare = max(shared, p.minions * attack), max(bare, p.minions * attack)
        return Gain(shared, bare)

    def _strike(self, attack: int, poison: bool = False) -> Gain:
        """One blow, on whomever it is worth most."""
        p = self.p
        bare = max(p.face, p.minions) * attack
        if poison:
            return Gain(max(p.face * attack, p.minions * attack + self.dearest), bare)
        found = self.known.get(attack)
        if found is None:
            share = max((g if attack >= h else -(-g * attack // h) for g, h, *_ in self.targets), default=0)
            found = self.known[attack] = Gain(max(p.face * attack, p.minions * attack + share), bare)
        return found

    # -- cards

    def _hand(self) -> Gain:
        """The best use of the mana."""
        me = self.state.me
        mana = me.mana + self.of.mana
        priced: list[tuple[Gain, int]] = []
        for held in me.hand:
            card = held.card
            if card.type == "hidden" or not (self.texts or plain_card(card)):
                continue
            us = (self.strongest, self.swings, self.spells, self.aura, self.poison, self.of.invite)
            key = (held, us, tuple(self.targets))
            gain = self.p.gains.get(key) or self.p.gains.setdefault(key, self._card(held))
            times = 1 + mana // max(1, held.cost) if card.keywords & ECHO else 1
            priced += [(gain, held.cost)] * times
        if self.texts and me.power is not None and not me.power_used:
            priced.append((self.effects(me.power.effects), me.power.cost))
        shared = _fill(mana, [(gain.shared, cost) for gain, cost in priced])
        return Gain(shared, _fill(mana, [(gain.bare, cost) for gain, cost in priced]))

    def _card(self, held: HandCard) -> Gain:
        card, p = held.card, self.p
        worth = math.ceil(p.value * exact(held.value))
        gains = []
        if card.type == "minion":
            worth += p.survival * p.health.get(held.id, 0)
            gains.append(self._as_attacker(card))
        if self.texts:
            gains.append(self.effects(card.effects, card.type == "spell"))
            if card.keywords & REBORN:
                gains.append(self.effects(card.on("death")))
            if card.type == "weapon":
                gains.append(self._armed(card))
            if card.keywords & MAGNETIC:
                gains.append(self._gift(card.attack, card.keywords))
        total = _sum(gains)
        return Gain(worth + total.shared, worth + total.bare)

    def _as_attacker(self, card: Card) -> Gain:
        attack = card.attack + self.aura
        if not card.keywords & _AT_ONCE or attack <= 0:
            return _NOTHING
        blows = attacks_per_turn(card.keywords) * (2 if card.keywords & REBORN else 1)
        return _times(blows, self._strike(attack, bool(card.keywords & POISONOUS)))

    def _gift(self, attack: int, keywords: int) -> Gain:
        """Attack and keywords for one of ours."""
        gains = []
        if attack > 0:
            gains.append(_times(self.swings, self._strike(attack)))
        if keywords & (_AT_ONCE | _TWICE | REBORN):
            gains.append(_times(self.swings, self._strike(self.strongest)))
        if keywords & POISONOUS:
            gains.append(Gain(self.swings * self.dearest, 0))
        return _sum(gains)

    def _second_deaths(self) -> Gain:
        """What the deaths of those can do who are given another life."""
        me, enemy = self.state.me, self.state.enemy
        cards = [minion.card for minion in (*me.board, *enemy.board)] + [held.card for held in me.hand]
        return _sum([self.effects(card.on("death")) for card in cards if card.effects])

    def _armed(self, weapon: Card) -> Gain:
        """A weapon: its attack, and where it lets the hero strike twice, all that he has otherwise."""
        blows = _times(self.swings, self._strike(weapon.attack, bool(weapon.keywords & POISONOUS)))
        return _sum([blows, self._gift(0, weapon.keywords)])

    def effects(self, effects: Iterable[Effect], spell: bool = False) -> Gain:
        """What they can earn together."""
        return _sum([self._effect(effect, spell) for effect in effects])

    def _effect(self, effect: Effect, spell: bool) -> Gain:
        """The most that it can earn, on whomever it is worth most."""
        to, do = effect.to, effect.do
        everyone = to is not None and to.select == "all"
        if do == "damage":
            return self._damage(effect, everyone, spell)
        if do == "destroy":
            return Gain(self.deaths if everyone else self.dearest, 0)
        if do == "silence":
            ours = self.state.rules.board_limit if everyone else 1
            freed = _times(ours, self._gift(self.strongest, _AT_ONCE | _TWICE))
            return Gain(self.deaths + freed.shared, freed.bare)
        if do == "buff":
            ours = self.state.rules.board_limit if everyone and to is not None and to.what != "hero" else 1
            gain = _times(ours, self._gift(effect.attack, effect.keywords))
            if effect.keywords & REBORN:
                gain = _sum([gain, self._second_deaths()])
            lost = self.deaths if effect.attack < 0 or effect.health < 0 or effect.on == "aura" else 0
            return Gain(gain.shared + lost, gain.bare)
        if do == "equip":
            return self._armed(effect.made[0])
        if do == "summon":
            tokens = [
                _sum([self._as_attacker(card), self.effects(e for e in card.effects if e.on != "turn_start")])
                for card in effect.made
            ]
            most = Gain(max(gain.shared for gain in tokens), max(gain.bare for gain in tokens))
            return _times(effect.count, most)
        return _NOTHING

    def _damage(self, effect: Effect, everyone: bool, spell: bool) -> Gain:
        p, to = self.p, effect.to
        assert to is not None
        amount = self._amount(effect, spell)
        if to.side == "friendly":
            return _NOTHING
        if effect.split:
            return _times(amount, self._strike(1, self.poison))
        if not everyone:
            return self._strike(amount, self.poison)
        bare = p.face * amount if to.what != "minion" else 0
        if to.what == "hero":
            return Gain(bare, bare)
        bare += p.minions * amount * (self.state.rules.board_limit if self.of.invite else len(self.targets))
        shares = (g if self.poison or amount >= h else -(-g * amount // h) for g, h, *_ in self.targets)
        return Gain(bare + sum(shares), bare)


    def _amount(self, effect: Effect, spell: bool) -> int:
        return effect.amount + (self.spells if spell else 0)


def _kills_heroes(effect: Effect) -> bool:
    """Can a hero die of it though it deals no damage?"""
    ends = effect.do == "destroy" or (effect.do == "buff" and effect.health < 0)
    return ends and effect.to is not None and effect.to.select != "self" and effect.to.what != "minion"


def _hurts_himself(state: GameState) -> bool:
    """May the enemy's own texts harm him: others die of an aura's end, he draws from an empty deck?"""
    draws = 0
    for minion in state.enemy.board:
        if not minion.card.effects or minion.silenced:
            continue
        if minion.card.aura:
            return True
        for effect in minion.card.on("death"):
            if effect.do == "damage" and effect.to is not None and effect.to.side == "friendly":
                return True
            if effect.do == "draw":
                draws += effect.count * (2 if minion.keywords & REBORN else 1)
    return draws > len(state.enemy.deck)


def _strikes_back(minion: Minion) -> tuple[int, int]:
    """With what force and which keywords, in the weaker of its lives: who is reborn comes back as printed."""
    if not minion.keywords & REBORN:
        return minion.attack, minion.keywords
    return min(minion.attack, minion.card.attack), minion.keywords & minion.card.keywords


def _harmless(effect: Effect) -> bool:
    """Can nobody die of it this turn?"""
    if effect.do == "summon":
        return all(not made.keywords & _AT_ONCE and all(map(_harmless, made.effects)) for made in effect.made)
    return effect.do in ("draw", "heal", "armor", "mana", "freeze")


def _times(count: int, gain: Gain) -> Gain:
    return gain if count == 1 else Gain(count * gain.shared, count * gain.bare)


def _sum(gains: list[Gain]) -> Gain:
    return Gain(sum(gain.shared for gain in gains), sum(gain.bare for gain in gains))


def _fill(mana: int, priced: list[tuple[int, int]]) -> int:
    """The most that the mana can buy."""
    best = [0] * (mana + 1)
    for worth, cost in priced:
        if worth > 0 and cost <= mana:
            for paid in range(mana, cost - 1, -1):
                with_it = best[paid - cost] + worth
                best[paid] = max(best[paid], with_it)
    return best[mana]
