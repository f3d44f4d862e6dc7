"""The optimum of the thesis's model without a solver, for the turns in which its rows come apart.

A minion on the board attacks one target, one from the hand as many as it likes (row (1) does not speak of it), any
number may pile on a target, and a target is dead where they sum up to its health. So for each choice of chargers
to be played the best turn is again a convolution over sets of board minions. Tie-break as in thesis.py.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from planner.games.hearthstone.cards.keywords import CHARGE, RUSH, TAUNT, WINDFURY
from planner.games.hearthstone.rules.state import GameState, HandCard
from planner.games.hearthstone.turn.sets import LARGEST, NEVER, Array, sets_of
from planner.games.hearthstone.turn.thesis import Choice, minions_in_hand, value_scale_of
from planner.games.hearthstone.turn.weights import Weights, exact

MOST_CHARGERS = 4
MOST_CARDS = 12


class _Target(NamedTuple):
    """A minion, or the hero (place n): what each set of board minions earns there, the chargers' help included."""

    place: int
    dead: Array
    best: Array
    help_dead: list[int]  # for each amount of harm that the board leaves to do: the chargers that do it best
    help_best: int  # the chargers that gain by attacking it anyway
    harm: Array
    health: int


class _Numbers:
    """The state and the weights as the model reads them, with the digits of the tie-break."""

    def __init__(self, state: GameState, weights: Weights) -> None:
        me = state.me
        self.state = state
        self.enemies = state.enemy.board
        self.hand: list[HandCard] = minions_in_hand(state)
        self.m, self.n = len(me.board), len(self.enemies)
        self.fighters = [i for i, minion in enumerate(me.board) if minion.attack > 0]
        self.cards = [k for k, held in enumerate(self.hand) if held.cost <= me.mana]
        at_once = CHARGE | RUSH
        self.chargers = [k for k in self.cards if self.hand[k].card.keywords & at_once and self.hand[k].card.attack > 0]
        self.value_scale = value_scale_of(self.hand)
        self.scale = weights.integer_scale() * self.value_scale
        self.plain = {term: weight * self.value_scale for term, weight in weights.scaled().items()}
        # From the least significant digit: each charger's targets (bits), board minions' target, cards, actions.
        self.nobody = self.n + 1
        self.hit_bit: dict[tuple[int, int], int] = {}
        unit = 1
        for k in reversed(self.chargers):
            for j in reversed(range(self.n + 1)):
                if j < self.n or self.hand[k].card.keywords & CHARGE:
                    self.hit_bit[k, j] = unit
                    unit *= 2
        self.by_fighter: dict[int, int] = {}
        for i in reversed(self.fighters):
            self.by_fighter[i] = unit
            unit *= self.nobody + 1
        self.by_card: dict[int, int] = {}
        for k in reversed(self.cards):
            self.by_card[k] = unit
            unit *= 2
        self.by_action = unit
        self.unit = unit * (len(self.cards) + len(self.fighters) + len(self.hit_bit) + 1)
        self.given = {term: weight * self.unit for term, weight in self.plain.items()}

    def most_cards(self) -> int:
        """How many of the cards can be paid together."""
        costs = accumulate(sorted(self.hand[k].cost for k in self.cards))
        return sum(cost <= self.state.me.mana for cost in costs)

    def largest(self) -> int:
        me, given = self.state.me, self.given
        mine = [minion.attack for minion in me.board] + [held.card.attack for held in self.hand]
        attack, back = sum(mine), sum(enemy.attack for enemy in self.enemies)
        health = sum(minion.health for minion in me.board) + sum(held.card.health for held in self.hand)
        value = sum(abs(held.value) for held in self.hand)
        blows = len(mine)
        return (
            given["lethal"] + given["board_clear"] + given["face_damage"] * attack
            + given["minion_damage"] * attack * max(1, self.n) + given["damage_taken"] * back * blows
            + given["own_survival"] * health + given["enemy_threat"] * back
            + int(given["card_value"] * value) + 2 * self.unit
        )  # fmt: skip


def best_choice(state: GameState, weights: Weights) -> Choice | None:
    """The optimum of the program of thesis.py, or None where the turn is not of the kind that this is proved for."""
    if any(weight < 0 for weight in weights.scaled().values()):
        return None
    numbers = _Numbers(state, weights)
    crowded = numbers.m + numbers.most_cards() > state.rules.board_limit
    too_many = len(numbers.chargers) > MOST_CHARGERS or len(numbers.cards) > MOST_CARDS
    windfury = any(minion.keywords & WINDFURY for minion in state.me.board)
    if crowded or too_many or windfury or numbers.largest() > LARGEST:
        return None
    return _best(numbers)


def _best(numbers: _Numbers) -> Choice:
    hand, given = numbers.hand, numbers.given
    rows = []
    for k in numbers.cards:
        value = int(exact(hand[k].value) * numbers.value_scale) * (given["card_value"] // numbers.value_scale)
        worth = value + given["own_survival"] * hand[k].card.health + numbers.by_card[k] - numbers.by_action
        rows.append((hand[k].cost, worth))
    cost, worths = np.array(rows, dtype=np.int64).reshape(-1, 2).T @ sets_of(len(rows)).member
    worths = np.where(cost <= numbers.state.me.mana, worths, NEVER)
    masks = np.arange(len(worths))
    bits = [1 << numbers.cards.index(k) for k in numbers.chargers]
    best: tuple[int, int, _Fights, int] | None = None
    for chosen in range(1 << len(bits)):
        wanted = sum(bit for place, bit in enumerate(bits) if chosen >> place & 1)
        fitting = np.where((masks & sum(bits)) == wanted, worths, NEVER)
        mask = int(np.argmax(fitting))
        if fitting[mask] <= NEVER // 2:
            continue
        fights = _Fights(numbers, [k for place, k in enumerate(numbers.chargers) if chosen >> place & 1])
        total = int(fitting[mask]) + fights.value
        if best is None or total > best[0]:
            best = total, mask, fights, chosen
    assert best is not None  # playing nothing is always possible
    total, mask, fights, _ = best
    hits, face = fights.hits()
    plays = [numbers.m + k for place, k in enumerate(numbers.cards) if mask >> place & 1]
    return Choice(_objective(numbers, total), numbers.scale, plays, hits, face)


def _objective(numbers: _Numbers, total: int) -> int:
    """The objective without the tie-break, and with what does not depend on the choice."""
    ties = sum(numbers.by_card.values()) + numbers.nobody * sum(numbers.by_fighter.values())
    ties += sum(numbers.hit_bit.values())
    given = numbers.plain
    constant = given["own_survival"] * sum(minion.health for minion in numbers.state.me.board)
    constant -= given["enemy_threat"] * sum(enemy.attack for enemy in numbers.enemies)
    if not numbers.enemies:
        constant += given["board_clear"]
    return -((ties - total) // numbers.unit) + constant


class _Fights:
    """The best fights with these chargers on the table."""

    def __init__(self, numbers: _Numbers, chargers: list[int]) -> None:
        self.numbers, self.chargers = numbers, chargers
        self.sets = sets_of(len(numbers.fighters))
        taunts = [j for j, enemy in enumerate(numbers.enemies) if enemy.keywords & TAUNT]
        others = [j for j in range(numbers.n) if j not in taunts]
        targets = [self._target(j) for j in range(numbers.n + 1)]
        through = [(targets[j], targets[j].dead) for j in taunts]
        face = (targets[numbers.n], targets[numbers.n].best)
        ways = [self._way([*through, *((targets[j], targets[j].best) for j in others), face], 0)]
        if taunts:
            ways.append(self._way([(targets[j], targets[j].best) for j in taunts], 0))
        if numbers.n and numbers.given["board_clear"]:
            dead = [(targets[j], targets[j].dead) for j in others]
            ways.append(self._way([*through, *dead, face], numbers.given["board_clear"]))
        self.stages, self.table = max(ways, key=lambda way: int(way[1].max()))
        self.value = int(self.table.max())

    def _way(
        self, targets: list[tuple[_Target, Array]], bonus: int
    ) -> tuple[list[tuple[_Target, Array, Array]], Array]:
        table = np.full(self.sets.size, NEVER, dtype=np.int64)
        table[0] = bonus
        stages = []
        for target, worth in targets:
            stages.append((target, worth, table))
            table = self.sets.convolve(table, worth)
        return stages, table

    def _target(self, j: int) -> _Target:
        numbers, given = self.numbers, self.numbers.given
        me = numbers.state.me
        is_hero = j == numbers.n
        if is_hero:
            hero = numbers.state.enemy.hero
            health, back, gain = hero.health + hero.armor, 0, given["lethal"]
            per_attack = given["face_damage"]
        else:
            enemy = numbers.enemies[j]
            health, back, gain = enemy.health, enemy.attack, given["enemy_threat"] * enemy.attack
            per_attack = given["minion_damage"]
        worths, harms = [], []
        for i in numbers.fighters:
            minion = me.board[i]
            worth = per_attack * minion.attack - given["damage_taken"] * back - numbers.by_action
            if back >= minion.health and back > 0:  # ceil((P - B + 1) / P) is 1, so (5) lets it die
                worth -= given["own_survival"] * minion.health
            worths.append(worth + numbers.by_fighter[i] * (numbers.nobody - j))
            harms.append(minion.attack)
        worth_of, harm = np.array((worths, harms), dtype=np.int64).reshape(2, -1) @ self.sets.member
        if not self.chargers:
            dead = np.where(harm >= health, worth_of + gain, NEVER)
            return _Target(j, dead, np.maximum(dead, worth_of), [0] * (health + 1), 0, harm, health)
        # What the chargers add, for each amount of harm that is still missing.
        help_worth, help_set = self._help(j, per_attack, back, health)
        dead = worth_of + gain + help_worth[np.maximum(health - harm, 0)]
        best = np.maximum(dead, worth_of + help_worth[0])
        return _Target(j, dead, best, help_set, help_set[0], harm, health)

    def _help(self, j: int, per_attack: int, back: int, health: int) -> tuple[Array, list[int]]:
        """For each harm from 0 to the target's health: the best set of chargers that does at least that much."""
        numbers = self.numbers
        worth, harm = [0], [0]
        for k in self.chargers:
            card = numbers.hand[k].card
            bit = numbers.hit_bit.get((k, j))
            if bit is None:  # rush does not reach the hero
                worth += [NEVER] * len(worth)
                harm += harm
            else:
                own = per_attack * card.attack - numbers.given["damage_taken"] * back - numbers.by_action + bit
                worth += [earlier + own for earlier in worth]
                harm += [earlier + card.attack for earlier in harm]
        table, chosen = [NEVER] * (health + 1), [0] * (health + 1)
        for mask, (value, done) in enumerate(zip(worth, harm, strict=True)):
            for needed in range(min(done, health) + 1):
                if value > table[needed]:
                    table[needed], chosen[needed] = value, mask
        return np.array(table, dtype=np.int64), chosen

    def hits(self) -> tuple[list[tuple[int, int]], list[int]]:
        """Who attacks whom, and who attacks the hero, in the numbering of thesis.py."""
        numbers = self.numbers
        pairs: list[tuple[int, int]] = []
        chosen = int(np.argmax(self.table))
        value = self.table[chosen]
        for target, worth, before in reversed(self.stages):
            parts, rests = self.sets.pairs(chosen)
            at = int(np.argmax(before[parts] + worth[rests] == value))
            chosen, sent = int(parts[at]), int(rests[at])
            value = before[chosen]
            pairs += [(i, target.place) for place, i in enumerate(numbers.fighters) if sent >> place & 1]
            missing = max(0, target.health - int(target.harm[sent]))
            helpers = target.help_dead[missing] if worth[sent] == target.dead[sent] else target.help_best
            pairs += [
                (numbers.m + k, target.place) for place, k in enumerate(self.chargers) if helpers >> place & 1
            ]
        hits = sorted(pair for pair in pairs if pair[1] < numbers.n)
        return hits, sorted(i for i, j in pairs if j == numbers.n)
