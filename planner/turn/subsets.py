"""The exact optimum without a solver, where every attacker strikes at most once this turn.

Then a turn is a split of the attackers over the targets: each target takes a set of attackers, the hero takes a
set, the rest rest. What a set does to a target is known in advance, so the best split is a max-plus subset
convolution over the targets; the cards are a knapsack that meets the fights through mana, the places on the board
and the attackers that come from the hand. The optimum is that of the program in exact.py, tie-break and all, so
that the same schedule certifies it and the same plan comes back. docs/formulation.md has the argument.
"""

from __future__ import annotations

from math import lcm
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.cards.keywords import CHARGE, IMMUNE, LIFESTEAL, POISONOUS, REBORN, RUSH, STEALTH, TAUNT
from planner.rules.actions import Play
from planner.rules.state import GameState
from planner.turn.fighters import Blow, Life, Unit, after_blow, lives, units
from planner.turn.hardrules import attack_allowed, hero_must_live
from planner.turn.sets import LARGEST, NEVER, Array, Places, best_around, sets_of
from planner.turn.weights import Weights, exact

MOST_FIGHTERS: Final = 10  # 3^10 pairs of disjoint sets are half a millisecond for each target
MOST_CARDS: Final = 12


class Split(NamedTuple):
    """The best turn as the program would choose it: its objective, plays, and each unit's blows."""

    objective: int  # times scale
    scale: int
    units: list[Unit]
    plays: list[Play]
    struck: list[list[Blow]]


def best_split(
    state: GameState, weights: Weights, most: int = MOST_FIGHTERS, *, sealed: frozenset[str] = frozenset()
) -> Split | None:
    """The optimum of the program, or None where the turn is not of the kind that this method is proved for, or there
    are more than `most` attackers. Minions whose ids are `sealed`, on either side, must not die, not even once."""
    if weights.require or weights.extra or hero_must_live(weights) or weights.scaled()["board_clear"] < 0:
        return None
    everyone, targets = units(state, weights), lives(state.enemy)
    fighting = [number for number, unit in enumerate(everyone) if unit.start.able()]
    cards = sum(unit.held is not None for unit in everyone)
    if len(fighting) > most or cards > MOST_CARDS or not _plain(state, everyone, targets, fighting):
        return None
    return _Splitter(state, weights, everyone, targets, fighting, sealed).solve()


def _plain(state: GameState, everyone: list[Unit], targets: list[Life], fighting: list[int]) -> bool:
    """One blow for each attacker, and nothing that changes in the middle of the turn but who is dead."""
    for number in fighting:
        unit = everyone[number]
        returns = unit.start.keywords & REBORN and unit.card is not None and unit.card.keywords & (CHARGE | RUSH)
        if unit.start.attacks_left > 1 or returns:
            return False
    hero = state.enemy.hero
    for life in targets:
        if life.keywords & LIFESTEAL and life.attack > 0 and hero.health < hero.max_health:
            return False  # the enemy heals himself
        if life.second and life.reachable and bool(life.keywords & TAUNT) != _first(targets, life).guards:
            return False  # a guard comes up, or turns into a target like others
    return True


def _first(targets: list[Life], life: Life) -> Life:
    return next(other for other in targets if other.id == life.id and not other.second)


def _loses_a_life(unit: Unit, life: Life) -> bool:
    """Does it die of this blow, be it to return?"""
    mortal = unit.start._replace(keywords=unit.start.keywords & ~REBORN)
    return after_blow(unit, mortal, life) is None


class _Fight(NamedTuple):
    """One target (a minion with its lives, or the hero): what each set of attackers earns there."""

    lives: tuple[Life | None, ...]
    dead: Array  # where it dies for good
    best: Array  # whatever becomes of it
    deaths: Array  # how many of the attackers die there
    second: tuple[Array, ...] = ()  # where there are two lives: alive; killed; killed again, alive again


class _Way(NamedTuple):
    """A sequence of targets: for each its table of worths and the table before it; and the table at the end."""

    stages: list[tuple[_Fight, Array, Array]]
    table: Array  # a row for each number of own deaths, the last for that many or more; a column for each set


class _Splitter:
    def __init__(
        self,
        state: GameState,
        weights: Weights,
        everyone: list[Unit],
        targets: list[Life],
        fighting: list[int],
        sealed: frozenset[str],
    ) -> None:
        self.state, self.weights, self.units, self.lives, self.fighting = state, weights, everyone, targets, fighting
        self.sealed = sealed
        self.sets = sets_of(len(fighting))
        self.size = self.sets.size
        self.cards = [number for number, unit in enumerate(everyone) if unit.held is not None]
        self.value_scale = lcm(*(exact(held.value).denominator for held in state.me.hand), 1)
        self.scale = weights.integer_scale() * self.value_scale
        # The digits of the tie-break, as in exact.py: actions; cards; then for each attacker its target.
        self.nobody = len(targets) + 1
        n, h = len(fighting), len(self.cards)
        radix = self.nobody + 1
        self.by_fighter: list[int] = [radix ** (n - 1 - place) for place in range(n)]
        by_cards: int = radix**n
        self.by_card = [by_cards << (h - 1 - place) for place in range(h)]
        self.by_action = by_cards << h
        self.unit = self.by_action * (n + h + 1)
        self.plain = {term: weight * self.value_scale for term, weight in weights.scaled().items()}
        self.given = {term: weight * self.unit for term, weight in self.plain.items()}

    def solve(self) -> Split | None:
        if self._largest() > LARGEST:
            return None
        fights = [self._fight(place) for place in range(len(self.state.enemy.board))]
        room = self.state.rules.board_limit - len(self.state.me.board)
        cost, count, worth = self._card_sets()
        payable = cost <= self.state.me.mana
        top = max(0, min(int(count[payable].max()) - room, len(self.fighting)))
        if top and any(life.second for life in self.lives):
            return None  # which of two lives an attacker meets decides whether it dies
        # cards[level, c]: the best set of cards around c, with places for `level` deaths.
        fit = [payable & (count <= room + level) for level in range(top + 1)]
        cards = np.stack([best_around(np.where(fits, worth, NEVER)) for fits in fit])
        ways = self._ways(fights, top)
        table = np.maximum.reduce([way.table for way in ways])
        needed = self._from_hand()
        total = table + cards[:, needed]
        level, chosen = divmod(int(np.argmax(total)), self.size)
        masks = np.arange(len(cost))
        around = fit[level] & ((masks & needed[chosen]) == needed[chosen])
        mask = int(np.argmax(np.where(around, worth, NEVER)))
        plays = [Play(self.units[number].id) for place, number in enumerate(self.cards) if mask >> place & 1]
        struck: list[list[Blow]] = [[] for _ in self.units]
        way = next(way for way in ways if way.table[level, chosen] == table[level, chosen])
        self._walk_back(way, level, chosen, struck)
        return Split(self._objective(int(total[level, chosen])), self.scale, self.units, plays, struck)

    def _largest(self) -> int:
        """More than any value can be, with its tie-break."""
        me, given = self.state.me, {term: abs(weight) for term, weight in self.given.items()}
        attack = sum(self.units[number].start.attack for number in self.fighting)
        back = sum(life.attack for life in self.lives)
        health = sum(minion.health for minion in me.board) + sum(held.card.health for held in me.hand)
        value = sum(abs(held.value) for held in me.hand)
        return (
            given["lethal"] + given["board_clear"] + (given["face_damage"] + given["minion_damage"]) * attack
            + given["damage_taken"] * back * len(self.fighting) + given["own_survival"] * health
            + given["enemy_threat"] * back + int(given["card_value"] * value) + 2 * self.unit
        )  # fmt: skip

    def _objective(self, total: int) -> int:
        """The objective without the tie-break, and with what does not depend on the plan."""
        given, me, enemy = self.plain, self.state.me, self.state.enemy
        ties = sum(self.by_card) + self.nobody * sum(self.by_fighter)
        constant = given["own_survival"] * sum(minion.health for minion in me.board)
        constant -= given["enemy_threat"] * sum(minion.attack for minion in enemy.board)
        if not enemy.board:
            constant += given["board_clear"]
        return -((ties - total) // self.unit) + constant

    # -- cards

    def _card_sets(self) -> tuple[Array, Array, Array]:
        """Cost, number and worth of every set of cards."""
        rows = []
        for place, number in enumerate(self.cards):
            held = self.units[number].held
            assert held is not None
            value = int(exact(held.value) * self.value_scale) * (self.given["card_value"] // self.value_scale)
            worth = value + self.given["own_survival"] * held.card.health + self.by_card[place] - self.by_action
            rows.append((held.cost, 1, worth))
        cost, count, worth_of = np.array(rows, dtype=np.int64).reshape(-1, 3).T @ sets_of(len(self.cards)).member
        return cost, count, worth_of

    def _from_hand(self) -> Places:
        """For each set of attackers: the set of cards that must be played for it."""
        bits = [1 << self.cards.index(number) if number in self.cards else 0 for number in self.fighting]
        return (np.array(bits, dtype=np.int64) @ self.sets.member).astype(np.intp)

    # -- fights

    def _fight(self, place: int) -> _Fight:
        first, *then = [life for life in self.lives if life.place == place]
        killed, alive, deaths = self._against(first)
        threat = self.given["enemy_threat"]
        if not then:
            killed = killed + threat * first.attack
            return _Fight((first,), killed, np.maximum(killed, alive), deaths)
        killed = killed + threat * (first.attack - then[0].attack)
        killed_again, alive_again, _ = self._against(then[0])
        killed_again = killed_again + threat * then[0].attack
        dead = self.sets.convolve(killed, killed_again)
        best = np.maximum(alive, self.sets.convolve(killed, np.maximum(killed_again, alive_again)))
        return _Fight((first, then[0]), dead, best, deaths, (alive, killed, killed_again, alive_again))

    def _against(self, life: Life) -> tuple[Array, Array, Array]:
        """What each set earns if it kills this life, if it leaves it alive, and how many of the set die."""
        given, health = self.given, life.health
        rank = self.lives.index(life)
        worths, harms, dying, barred = [], [], [], []
        for place, number in enumerate(self.fighting):
            unit = self.units[number]
            now = unit.start
            shown = None if unit.is_hero else now.keywords
            allowed = life.reachable and attack_allowed(self.weights, now.attack, shown, life.attack)
            barred.append(not allowed or (unit.id in self.sealed and _loses_a_life(unit, life)))
            dies = after_blow(unit, now, life) is None
            worth = given["minion_damage"] * now.attack - given["damage_taken"] * life.attack
            if dies:
                worth -= given["own_survival"] * self._health(number)
            worths.append(worth - self.by_action + self.by_fighter[place] * (self.nobody - rank))
            harms.append(health if now.keywords & POISONOUS else min(now.attack, health))
            dying.append(dies)
        worth_of, total, deaths, bad = np.array((worths, harms, dying, barred), dtype=np.int64) @ self.sets.member
        largest = self.sets.largest(harms)
        kills = (total >= health) & (total - largest < health)
        leaves = total < health
        if life.shielded:  # any one of them breaks the shield, and the others do the rest
            kills, leaves = self._with_one_more(kills), self._with_one_more(leaves)
            leaves[0] = True
        if life.id in self.sealed:
            kills[:] = False
        open_to = bad == 0
        return np.where(kills & open_to, worth_of, NEVER), np.where(leaves & open_to, worth_of, NEVER), deaths

    def _with_one_more(self, holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The sets that are one attacker more than a set for which it holds."""
        found = np.zeros(self.size, dtype=np.bool_)
        sets = np.arange(self.size)
        for place in range(len(self.fighting)):
            bit = 1 << place
            found |= ((sets & bit) != 0) & holds[sets & ~bit]
        return found

    def _health(self, number: int) -> int:
        """What own_survival counts for this unit."""
        held = self.units[number].held
        return held.card.health if held is not None else self.state.me.board[number].health

    def _face(self) -> _Fight:
        """The enemy hero: all blows but the last leave him alive."""
        hero = self.state.enemy.hero
        health = hero.health + hero.armor
        worths, attacks, barred = [], [], []
        for place, number in enumerate(self.fighting):
            unit = self.units[number]
            now = unit.start
            shown = None if unit.is_hero else now.keywords
            closed = bool(hero.keywords & (IMMUNE | STEALTH)) or not now.reaches_hero()
            barred.append(closed or not attack_allowed(self.weights, now.attack, shown, None))
            worths.append(self.given["face_damage"] * now.attack - self.by_action + self.by_fighter[place])
            attacks.append(now.attack)
        worth_of, total, bad = np.array((worths, attacks, barred), dtype=np.int64) @ self.sets.member
        largest = self.sets.largest(attacks)
        lethal = (total >= health) & (total - largest < health)
        worth_of = worth_of + np.where(lethal, self.given["lethal"], 0)
        worth_of = np.where((bad == 0) & (lethal | (total < health)), worth_of, NEVER)
        return _Fight((None,), worth_of, worth_of, np.zeros(self.size, dtype=np.int64))

    # -- all together

    def _join(self, before: Array, fight: _Fight, worth: Array, top: int) -> Array:
        """One more target. Tables have a row for each number of deaths, the last for that many or more."""
        if not top:
            return self.sets.convolve(before, worth)
        after = np.full_like(before, NEVER * 2)
        for number in range(int(fight.deaths.max()) + 1):
            joined = self.sets.convolve(before, np.where(fight.deaths == number, worth, NEVER))
            for level in range(top + 1):
                to = min(level + number, top)
                np.maximum(after[to], joined[level], out=after[to])
        return after

    def _ways(self, fights: list[_Fight], top: int) -> list[_Way]:
        """The kinds of turn: stuck at the guards; through them; through them and clearing the board."""
        guards = [fight for fight in fights if fight.lives[0] is not None and fight.lives[0].guards]
        others = [fight for fight in fights if fight.lives[0] is not None and not fight.lives[0].guards]
        face = self._face()
        through = [(fight, fight.dead) for fight in guards]
        free = [*through, *((fight, fight.best) for fight in others), (face, face.best)]
        ways = [self._way(free, top, 0)]
        if guards:
            ways.append(self._way([(fight, fight.best) for fight in guards], top, 0))
        bonus = self.given["board_clear"]
        if fights and bonus:
            clearing = [*through, *((fight, fight.dead) for fight in others), (face, face.best)]
            ways.append(self._way(clearing, top, bonus))
        return ways

    def _way(self, targets: list[tuple[_Fight, Array]], top: int, bonus: int) -> _Way:
        table = np.full((top + 1, self.size), NEVER, dtype=np.int64)
        table[0, 0] = bonus
        stages = []
        for fight, worth in targets:
            stages.append((fight, worth, table))
            table = self._join(table, fight, worth, top)
        return _Way(stages, table)

    # -- the way back

    def _walk_back(self, way: _Way, level: int, chosen: int, struck: list[list[Blow]]) -> None:
        """Find for each target, from the last, the attackers that the best split sent there."""
        top, value = len(way.table) - 1, way.table[level, chosen]
        for fight, worth, before in reversed(way.stages):
            parts, rests = self.sets.pairs(chosen)
            for earlier in range(level + 1):
                met = before[earlier, parts] + worth[rests] == value
                if top:
                    met &= np.minimum(earlier + fight.deaths[rests], top) == level
                if met.any():
                    break
            at = int(np.argmax(met))
            chosen, sent, level = int(parts[at]), int(rests[at]), earlier
            value = before[level, chosen]
            self._strike(fight, worth, sent, struck)

    def _strike(self, fight: _Fight, worth: Array, sent: int, struck: list[list[Blow]]) -> None:
        first, sent_first, sent_second = fight.lives[0], sent, 0
        if fight.second:
            alive, killed, killed_again, alive_again = fight.second
            if alive[sent] != worth[sent]:
                parts, rests = self.sets.pairs(sent)
                after = np.maximum(killed_again, alive_again) if worth is fight.best else killed_again
                at = int(np.argmax(killed[parts] + after[rests] == worth[sent]))
                sent_first, sent_second = int(parts[at]), int(rests[at])
        for life, attackers in ((first, sent_first), (fight.lives[-1], sent_second)):
            for place, number in enumerate(self.fighting):
                if attackers >> place & 1:
                    unit = self.units[number]
                    after_it = unit.start if life is None else after_blow(unit, unit.start, life)
                    struck[number].append(Blow(unit.start, life, after_it))
