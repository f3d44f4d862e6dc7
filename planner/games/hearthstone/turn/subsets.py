"""The exact optimum without a solver, where every attacker strikes at most once this turn.

Then a turn is a split of the attackers over the targets: each target takes a set of attackers, the hero takes a
set, the rest rest. What a set does to a target is known in advance, so the best split is a packing of such sets
(packing.py); the cards are a knapsack that meets the fights through mana, the places on the board and the attackers
that come from the hand. The optimum is that of the program in exact.py, tie-break and all, so that the same schedule
certifies it and the same plan comes back. docs/formulation.md has the argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Final, NamedTuple

from planner.games.hearthstone.cards.keywords import CHARGE, IMMUNE, LIFESTEAL, POISONOUS, REBORN, RUSH, STEALTH, TAUNT
from planner.games.hearthstone.rules.actions import Play
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.face import Face, FaceBlow
from planner.games.hearthstone.turn.fighters import Blow, Life, Unit, after_blow, lives, loses_life, units
from planner.games.hearthstone.turn.hands import CardInHand, Hand, best_hands
from planner.games.hearthstone.turn.hardrules import attack_allowed, hero_must_live
from planner.games.hearthstone.turn.objective import starting_health
from planner.games.hearthstone.turn.packing import Option, Packed, Packing, TooManyError, all_packings, best_packing
from planner.games.hearthstone.turn.weights import TERMS, Weights, exact

MOST_FIGHTERS: Final = 16
MOST_SPLITS: Final = 500  # in search of one that has a legal order


class Split(NamedTuple):
    """The best turn as the program would choose it: its objective, plays, and each unit's blows."""

    objective: int  # times scale
    scale: int
    units: list[Unit]
    plays: list[Play]
    struck: list[list[Blow]]


def best_split(state: GameState, weights: Weights, *, sealed: frozenset[str] = frozenset()) -> Split | None:
    """The optimum of the program, or None where the turn is not of the kind that this method is proved for. Minions
    whose ids are `sealed`, on either side, must not die, not even once."""
    return next(splits(state, weights, sealed=sealed), None)


def splits(
    state: GameState,
    weights: Weights,
    *,
    sealed: frozenset[str] = frozenset(),
    health: Mapping[str, int] | None = None,
    pause: Callable[[], None] = lambda: None,
) -> Iterator[Split]:
    """The best split, then the next best with other fights, and so on, as far as this method is proved and carries.

    `health` is what own_survival counts, where the turn began before this state. `pause` is called now and then,
    and may raise.
    """
    if weights.require or weights.extra or hero_must_live(weights) or weights.board_clear < 0:
        return
    everyone, targets = units(state, weights), lives(state.enemy)
    fighting = [number for number, unit in enumerate(everyone) if unit.start.able()]
    if len(fighting) > MOST_FIGHTERS or not _plain(state, everyone, targets, fighting):
        return
    try:
        counted = starting_health(state) if health is None else health
        yield from _Splitter(state, weights, everyone, targets, fighting, sealed, counted, pause).splits()
    except TooManyError:
        return


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


class _Fight(NamedTuple):
    """An enemy minion with its lives: the sets of attackers of which it dies for good, and the others."""

    lives: list[Life]
    dead: list[Option]
    alive: list[Option]


_NOBODY: Final = Option(0, 0, 0, 0)


class _Splitter:
    def __init__(
        self,
        state: GameState,
        weights: Weights,
        everyone: list[Unit],
        targets: list[Life],
        fighting: list[int],
        sealed: frozenset[str],
        health: Mapping[str, int],
        pause: Callable[[], None],
    ) -> None:
        self.state, self.weights, self.units, self.lives, self.fighting = state, weights, everyone, targets, fighting
        self.sealed, self.health, self.pause = sealed, health, pause
        self.cards = [number for number, unit in enumerate(everyone) if unit.held is not None]
        fractions = [exact(held.value) for held in state.me.hand if not isinstance(held.value, int)]
        self.value_scale = math.lcm(*(value.denominator for value in fractions))
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
        scaled = weights.scaled()
        self.plain = {term: scaled[term] * self.value_scale for term in TERMS}
        self.given = {term: weight * self.unit for term, weight in self.plain.items()}
        self.room = state.rules.board_limit - len(state.me.board)
        self.scarce = h > self.room  # only then deaths are counted: they make places
        self.board = sum(1 << place for place, number in enumerate(fighting) if everyone[number].held is None)

    def splits(self) -> Iterator[Split]:
        """From best to worst, as far as it goes."""
        # Where nobody can attack the cards are all there is to choose.
        fights = [self._fight(place) for place in range(len(self.state.enemy.board)) if self.fighting]
        hands = best_hands(self._cards(), self.state.me.mana, self.room, len(self.fighting))
        ways = list(self._ways(fights, hands))
        best: Packed | None = None
        for way in ways:
            if way.bonus and best is not None and all(map(list.__contains__, way.groups, best.options)):
                best = best._replace(worth=best.worth + way.bonus)  # the best turn through the guards clears the board
            else:
                best = best_packing(way, -1 if best is None else best.worth, self.pause) or best
        assert best is not None  # doing nothing is always possible, and worth 0
        yield self._split(fights, best)
        if self._hero_may_die():
            return  # then plays and blows on the hero count as well, and only the best of these are known here
        known = {self._key(best)}
        at_least, gap = best.worth, self.unit
        while at_least > 0 and len(known) < MOST_SPLITS:  # to attack nobody is always legal, and worth 0 or more
            at_least, gap = max(0, at_least - gap), 2 * gap
            found = [packed for way in ways for packed in all_packings(way, at_least, self.pause)]
            for packed in sorted(found, key=lambda packed: -packed.worth):
                if self._key(packed) not in known:
                    known.add(self._key(packed))
                    yield self._split(fights, packed)

    def _hero_may_die(self) -> bool:
        hero = self.units[-1]
        return hero.start.able() and any(life.attack >= hero.start.health for life in self.lives)

    @staticmethod
    def _key(packed: Packed) -> tuple[int, ...]:
        return tuple(number for option in packed.options for number in (option.attackers, option.first))

    def _split(self, fights: list[_Fight], packed: Packed) -> Split:
        plays = [Play(self.units[n].id) for place, n in enumerate(self.cards) if packed.hand.cards >> place & 1]
        struck: list[list[Blow]] = [[] for _ in self.units]
        self._strike(None, packed.face, struck)
        for fight, option in zip(fights, packed.options, strict=False):
            self._strike(fight.lives[0], option.first, struck)
            self._strike(fight.lives[-1], option.attackers & ~option.first, struck)
        return Split(self._objective(packed.worth), self.scale, self.units, plays, struck)

    def _strike(self, life: Life | None, attackers: int, struck: list[list[Blow]]) -> None:
        for place, number in enumerate(self.fighting) if attackers else ():
            if attackers >> place & 1:
                unit = self.units[number]
                after = unit.start if life is None else after_blow(unit, unit.start, life)
                struck[number].append(Blow(unit.start, life, after))

    def _objective(self, total: int) -> int:
        """The objective without the tie-break, and with what does not depend on the plan."""
        given, me, enemy = self.plain, self.state.me, self.state.enemy
        ties = sum(self.by_card) + self.nobody * sum(self.by_fighter)
        constant = given["own_survival"] * sum(self.health.get(minion.id, 0) for minion in me.board)
        constant -= given["enemy_threat"] * sum(minion.attack for minion in enemy.board)
        if not enemy.board:
            constant += given["board_clear"]
        return -((ties - total) // self.unit) + constant

    def _cards(self) -> list[CardInHand]:
        fighter = {number: 1 << place for place, number in enumerate(self.fighting)}
        found = []
        for place, number in enumerate(self.cards):
            held = self.units[number].held
            assert held is not None
            scaled = held.value if isinstance(held.value, int) else exact(held.value)
            worth = int(scaled * self.value_scale) * (self.given["card_value"] // self.value_scale)
            worth += self.given["own_survival"] * self._health(number) + self.by_card[place] - self.by_action
            found.append(CardInHand(held.cost, worth, fighter.get(number, 0)))
        return found

    # -- fights

    def _fight(self, place: int) -> _Fight:
        first, *then = here = [life for life in self.lives if life.place == place]
        threat = self.given["enemy_threat"]
        if not then:
            dead, alive = self._against(first, threat * first.attack)
            return _Fight(here, dead, alive)
        killed, alive = self._against(first, threat * (first.attack - then[0].attack))
        killed_again, alive_again = self._against(then[0], threat * then[0].attack)
        return _Fight(here, _one_after_the_other(killed, killed_again),
                      [*alive, *_one_after_the_other(killed, alive_again)])  # fmt: skip

    def _against(self, life: Life, gain: int) -> tuple[list[Option], list[Option]]:
        """The sets that kill this life, all blows but the last leaving it alive; and those that leave it alive."""
        given, health = self.given, life.health
        rank = self.lives.index(life)
        able: list[tuple[int, int, int, int]] = []  # harm, bit, worth, dies
        for place, number in enumerate(self.fighting) if life.reachable else ():
            unit = self.units[number]
            now = unit.start
            shown = None if unit.is_hero else now.keywords
            if self.weights.forbid and not attack_allowed(self.weights, now.attack, shown, life.attack):
                continue
            mortal = loses_life(unit, now, life)
            if mortal and unit.id in self.sealed:
                continue
            worth = given["minion_damage"] * now.attack - given["damage_taken"] * life.attack - self.by_action
            dies = mortal and not now.keywords & REBORN
            if dies:
                worth -= given["own_survival"] * self._health(number)
            harm = health if now.keywords & POISONOUS else min(now.attack, health)
            able.append(
                (harm, 1 << place, worth + self.by_fighter[place] * (self.nobody - rank), int(dies and self.scarce))
            )
        able.sort()  # the strongest last: then the others leave it alive if they can
        kills: list[tuple[int, int, int]] = []
        leaves = [(0, 0, 0, 0)]  # attackers, worth, deaths, harm
        for own, bit, worth, death in able:
            grown = []
            for attackers, earlier, deaths, harm in leaves:
                if harm + own >= health:
                    kills.append((attackers | bit, earlier + worth, deaths + death))
                else:
                    grown.append((attackers | bit, earlier + worth, deaths + death, harm + own))
            leaves += grown
        alive = [Option(attackers, worth, deaths, attackers) for attackers, worth, deaths, _ in leaves]
        dead = [Option(attackers, worth + gain, deaths, attackers) for attackers, worth, deaths in kills]
        if life.shielded:
            dead, alive = _with_one_more(dead, able), [_NOBODY, *_with_one_more(alive, able)]
        return [] if life.id in self.sealed else dead, alive

    def _health(self, number: int) -> int:
        """What own_survival counts for this unit."""
        return self.health.get(self.units[number].id, 0)

    def _face(self) -> Face:
        hero = self.state.enemy.hero
        blows = []
        for place, number in enumerate(self.fighting) if not hero.keywords & (IMMUNE | STEALTH) else ():
            unit = self.units[number]
            now = unit.start
            shown = None if unit.is_hero else now.keywords
            if now.reaches_hero() and attack_allowed(self.weights, now.attack, shown, None):
                worth = self.given["face_damage"] * now.attack - self.by_action + self.by_fighter[place]
                blows.append(FaceBlow(now.attack, 1 << place, worth))
        return Face(blows, hero.health + hero.armor, self.given["lethal"])

    # -- all together

    def _ways(self, fights: list[_Fight], hands: list[Hand]) -> Iterator[Packing]:
        """The kinds of turn: through the guards; clearing the board; stuck at the guards."""
        face, size = self._face(), len(self.fighting)
        any_end = [[*fight.alive, *fight.dead] for fight in fights]
        guards = [fight.lives[0].guards for fight in fights]
        through = [
            fight.dead if guard else options for guard, fight, options in zip(guards, fights, any_end, strict=True)
        ]
        if all(through):
            yield Packing(through, hands, face, 0, self.board, size)
        cleared = [fight.dead for fight in fights]
        if self.given["board_clear"] and all(cleared) and 0 < len(fights) <= size:
            yield Packing(cleared, hands, face, self.given["board_clear"], self.board, size)
        if any(guards):
            stuck = [options if guard else [_NOBODY] for guard, options in zip(guards, any_end, strict=True)]
            yield Packing(stuck, hands, None, 0, self.board, size)


def _one_after_the_other(first: list[Option], second: list[Option]) -> list[Option]:
    """Both lives: the sets for the one with those for the other."""
    return [
        Option(a.attackers | b.attackers, a.worth + b.worth, a.deaths + b.deaths, a.attackers)
        for a, b in product(first, second)
        if not a.attackers & b.attackers
    ]


def _with_one_more(options: list[Option], able: list[tuple[int, int, int, int]]) -> list[Option]:
    """A shield: any one attacker more breaks it, and the others do the rest."""
    found: dict[int, Option] = {}
    for attackers, worth, deaths, _ in options:
        for _, bit, own, dies in able:
            if not attackers & bit:
                both = attackers | bit
                found[both] = Option(both, worth + own, deaths + dies, both)
    return list(found.values())
