"""An order in which chosen plays and attacks are legal, or the proof that there is none.

The order depends only on what is chosen, so the plan is the same whichever method chose it. The engine has the same
procedure in C++ (engine/vanilla/), and a test compares the orders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from planner.games.hearthstone.cards.keywords import DIVINE_SHIELD, LIFESTEAL, POISONOUS, REBORN
from planner.games.hearthstone.rules.actions import Action, Attack, Play
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.resolve import apply_verified
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState
from planner.games.hearthstone.turn.scoring import Earned
from planner.games.hearthstone.turn.vanilla_units import Hit, Life, Unit, enemy_healing, returns_with_taunt
from planner.planning.plan import Clock, OutOfTimeError

# Replays the actions; returns what they earn, or None where they are illegal or do not earn what they should.
Certify = Callable[[Sequence[Action]], Earned | None]


class VanillaChoice(NamedTuple):
    """Which minions are played in a vanilla turn, and which attacks each unit makes, in the unit's own order."""

    state: GameState
    units: Sequence[Unit]
    plays: Sequence[Play]
    paths: Sequence[Sequence[Hit]]  # by unit
    heals_count: bool = False  # the objective counts the enemy hero's health, so it matters when he is healed

    @property
    def free_slots(self) -> int:
        return self.state.rules.board_limit - len(self.state.me.board)


class _NumberedHit(NamedTuple):
    unit_index: int
    unit: Unit
    hit: Hit

    def by_attack(self) -> tuple[int, int, int]:
        return self.hit.source.attack, self.unit_index, self.hit.source.attacks

    @property
    def action(self) -> Attack:
        return Attack(self.unit.id, self.hit.target)


def find_legal_order(choice: VanillaChoice, certify: Certify, clock: Clock) -> tuple[list[Action], Earned] | None:
    """Return the first order of the chosen actions that is certified, and what it earns; None where there is none.

    That order may hit another life of a reborn minion than the chosen one. Since the tie-break compares lives, there
    must then be a certified order that hits the chosen ones: otherwise None is returned.
    """
    first = _first_order(choice, certify, clock)
    if first is None or _hits_chosen_lives(first[0], choice):
        return first

    def certify_lives(order: Sequence[Action]) -> Earned | None:
        earned = certify(order)
        return earned if earned is not None and _hits_chosen_lives(order, choice) else None

    return None if _search(choice, certify_lives, clock) is None else first


def _first_order(choice: VanillaChoice, certify: Certify, clock: Clock) -> tuple[list[Action], Earned] | None:
    usual = _usual_order(choice)
    if _keeps_paths(usual, choice):
        earned = certify(usual)
        if earned is not None:
            return usual, earned
    return _search(choice, certify, clock)


def _hits_chosen_lives(actions: Sequence[Action], choice: VanillaChoice) -> bool:
    """Return whether every attack on a reborn minion hits the chosen life of it; the actions are legal."""
    state = choice.state
    reborn = {minion.id for minion in state.enemy.board if minion.keywords & REBORN}
    if not reborn:
        return True
    left = {unit.id: iter(path) for unit, path in zip(choice.units, choice.paths, strict=True)}
    for action in actions:
        if isinstance(action, Attack):
            life = next(left[action.attacker]).life
            if life is not None and life.id in reborn:
                target = next(minion for minion in state.enemy.board if minion.id == life.id)
                if life.second == bool(target.keywords & REBORN):
                    return False
        state = apply_verified(state, action)
    return True


def _keeps_paths(actions: Sequence[Action], choice: VanillaChoice) -> bool:
    """Return whether every unit with several attacks makes them in the chosen order."""
    for unit, path in zip(choice.units, choice.paths, strict=True):
        if len(path) > 1:
            order = [action.target for action in actions if isinstance(action, Attack) and action.attacker == unit.id]
            if order != [hit.target for hit in path]:
                return False
    return True


def _usual_order(choice: VanillaChoice) -> list[Action]:
    """Cards first if there is room for all; taunt minions before others, small hits before large; the hero last."""
    fights: dict[Life | None, list[_NumberedHit]] = {}
    for index, (unit, path) in enumerate(zip(choice.units, choice.paths, strict=True)):
        for hit in path:
            fights.setdefault(hit.life, []).append(_NumberedHit(index, unit, hit))
    face = [numbered.action for numbered in sorted(fights.pop(None, []), key=_NumberedHit.by_attack)]
    targets = [life for life in fights if life is not None]
    targets.sort(key=lambda life: (not life.taunts, life.position, life.second))
    ordered = [(life, _small_hits_first(life, fights[life])) for life in targets]
    if len(choice.plays) <= choice.free_slots:
        return [*choice.plays, *(numbered.action for _, hits in ordered for numbered in hits), *face]
    waiting = {play.card: play for play in choice.plays}
    fought = _fight_for_room(ordered, waiting, choice.free_slots)
    return [*fought, *waiting.values(), *face]


def _fight_for_room(
    fights: list[tuple[Life, list[_NumberedHit]]], waiting: dict[str, Play], free_slots: int
) -> list[Action]:
    """Order the fights on a crowded board: attackers that die first, minions from the hand when a slot is free.

    Removes the cards that are played here from `waiting`.
    """
    actions: list[Action] = []
    done: Counter[str] = Counter()
    while fights:
        taunts = fights[0][0].taunts
        ready = [
            (numbered.unit.id in waiting, numbered.hit.after is not None, index, number)
            for index, (life, hits) in enumerate(fights)
            if life.taunts == taunts and not (life.second and index and fights[index - 1][0].id == life.id)
            # The last hit kills, and the first breaks a shield; between them the order does not matter.
            for number, numbered in enumerate(hits[:1] if life.shielded else hits[:-1] or hits)
            if numbered.hit.source.attacks == done[numbered.unit.id]
            and (free_slots > 0 or numbered.unit.id not in waiting)
        ]
        if not ready:
            break  # the search finds another order, or that there is none
        enters, survives, index, number = min(ready)
        numbered = fights[index][1].pop(number)
        done[numbered.unit.id] += 1
        if enters:
            actions.append(waiting.pop(numbered.unit.id))
        actions.append(numbered.action)
        free_slots += (not survives) - enters
        if not fights[index][1]:
            del fights[index]
    return actions


def _small_hits_first(life: Life, hits: list[_NumberedHit]) -> list[_NumberedHit]:
    """Then all but the last leave the target alive if any order does.

    The smallest breaks a shield; a poisonous hit, which kills at once, comes last.
    """
    return sorted(hits, key=lambda numbered: (_kills_alone(numbered.hit, life), *numbered.by_attack()))


def _kills_alone(hit: Hit, life: Life) -> bool:
    return bool(hit.source.keywords & POISONOUS) or hit.source.attack >= life.health


def _search(choice: VanillaChoice, certify: Certify, clock: Clock) -> tuple[list[Action], Earned] | None:
    """Try every order of the fights and of the plays that they need; actions that can always wait come at the end."""
    fighting: list[tuple[bool, bool, list[Action]]] = []  # one chain for each unit, which keeps its order
    waiting: list[Action] = []
    face: list[_NumberedHit] = []
    played = {play.card: play for play in choice.plays}
    for index, (unit, path) in enumerate(zip(choice.units, choice.paths, strict=True)):
        if _can_wait(unit, path):
            face.extend(_NumberedHit(index, unit, hit) for hit in path)
            if unit.id in played:
                waiting.append(played[unit.id])
            continue
        own: list[Action] = [played[unit.id]] if unit.id in played else []
        dies = bool(path) and path[-1].after is None
        fighting.append((bool(own), not dies, [*own, *(Attack(unit.id, hit.target) for hit in path)]))
    # Units that free a slot come first, and units that need one last.
    chains = [chain for *_, chain in sorted(fighting, key=lambda entry: entry[:2])]
    waiting += [numbered.action for numbered in sorted(face, key=_NumberedHit.by_attack)]
    orders = _Orders(choice, certify, clock)
    if _nothing_can_wait(choice):
        # The waiting actions as one chain first, which nearly always works.
        found = orders.first([*chains, waiting], [])
        return found or (orders.first([*chains, *([action] for action in waiting)], []) if len(waiting) > 1 else None)
    return None if _too_full(choice, played) else orders.first(chains, waiting)


def _nothing_can_wait(choice: VanillaChoice) -> bool:
    """Return whether plays and single attacks on the hero may have to come before other actions.

    That is so where our hero may die, where the enemy hero may be healed or killed in the middle of the turn, and
    where a minion returns with taunt.
    """
    if any(returns_with_taunt(minion) for minion in choice.state.enemy.board):
        return True
    hero = choice.state.enemy.hero
    damage = sum(hit.source.attack for path in choice.paths for hit in path if hit.life is None)
    in_danger = damage >= hero.health + hero.armor
    return any(
        (unit.is_hero and hit.after is not None and hit.after.health <= 0 < hit.source.health - hit.after.health)
        or (enemy_healing(hit) and (in_danger or choice.heals_count))
        or (in_danger and hit.life is None and not _can_wait(unit, path))
        for unit, path in zip(choice.units, choice.paths, strict=True)
        for hit in path
    )


def _can_wait(unit: Unit, path: Sequence[Hit]) -> bool:
    """Return whether the unit makes no attack, or a single one on the hero that does not heal ours."""
    return not path or (len(path) == 1 and path[0].life is None and not unit.start.keywords & LIFESTEAL)


def _too_full(choice: VanillaChoice, played: Container[str]) -> bool:
    """Return whether there is too little room for the minions that are played to fight, whatever the order.

    Fights with taunt minions come before all others, so only deaths in such fights make room for them.
    """
    pairs = zip(choice.units, choice.paths, strict=True)
    fights = [(unit, path) for unit, path in pairs if any(hit.life for hit in path)]
    for early in (True, False):
        coming = [unit for unit, path in fights if unit.id in played and (_on_taunt(path[0]) or not early)]
        dead = [unit for unit, path in fights if path[-1].after is None and (_on_taunt(path[-1]) or not early)]
        dead_on_board = sum(unit.id not in played for unit in dead)
        if coming and (choice.free_slots + dead_on_board < 1 or len(coming) > choice.free_slots + len(dead)):
            return True
    return False


def _on_taunt(hit: Hit) -> bool:
    return hit.life is not None and hit.life.taunts


class _Orders:
    """A search over the orders in which each chain of actions keeps its own, and waiting actions come at the end."""

    def __init__(self, choice: VanillaChoice, certify: Certify, clock: Clock) -> None:
        self._start, self._certify, self._clock = choice.state, certify, clock
        self._starts = {unit.id: unit.start for unit in choice.units}

    def first(self, chains: list[list[Action]], waiting: list[Action]) -> tuple[list[Action], Earned] | None:
        """Return the first certified order."""
        self._chains, self._waiting = chains, waiting
        self._lengths = tuple(len(chain) for chain in chains)
        self._failed: set[tuple[tuple[int, ...], GameState]] = set()
        self._actions: list[Action] = []
        earned = self._extend(self._start, (0,) * len(chains))
        return ([*self._actions, *waiting], earned) if earned is not None else None

    def _extend(self, state: GameState, done: tuple[int, ...]) -> Earned | None:
        if done == self._lengths:
            return self._certify([*self._actions, *self._waiting])
        key = (done, state._replace(clock=0))
        if key in self._failed:
            return None
        if self._clock.out():
            raise OutOfTimeError
        for number, chain in enumerate(self._chains):
            if done[number] < self._lengths[number]:
                action = chain[done[number]]
                if illegal_reason(state, action) is None:
                    self._actions.append(action)
                    after = (*done[:number], done[number] + 1, *done[number + 1 :])
                    following = apply_verified(state, action)
                    earned = self._extend(following, after) if self._can_follow(following, after) else None
                    if earned is not None:
                        return earned
                    self._actions.pop()
        self._failed.add(key)
        return None

    def _can_follow(self, state: GameState, done: tuple[int, ...]) -> bool:
        """Return False where a remaining attack has become impossible.

        Attackers and targets must be alive, and all hits but the strongest must leave a target without a second life
        alive.
        """
        mine = {MY_HERO, *(minion.id for minion in state.me.board)}
        theirs = {minion.id: minion for minion in state.enemy.board}
        damage: dict[str, list[int]] = {}
        left = [action for chain, number in zip(self._chains, done, strict=True) for action in chain[number:]]
        mine |= {action.card for action in left if isinstance(action, Play)}
        for action in left:
            if not isinstance(action, Attack):
                continue
            if action.attacker not in mine:
                return False
            if action.target == ENEMY_HERO:
                continue
            target = theirs.get(action.target)
            if target is None:
                return False
            start = self._starts[action.attacker]
            changes = start.keywords & REBORN or start.durability  # and its hits with it
            if not changes and not target.keywords & (REBORN | DIVINE_SHIELD):
                amount = target.health if start.keywords & POISONOUS else start.attack
                damage.setdefault(action.target, []).append(amount)
        return all(sum(amounts) - max(amounts) < theirs[name].health for name, amounts in damage.items())
