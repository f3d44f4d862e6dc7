"""An order in which the chosen plays and blows are legal, or the proof that there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Sequence

from planner.games.hearthstone.cards.keywords import DIVINE_SHIELD, LIFESTEAL, POISONOUS, REBORN
from planner.games.hearthstone.rules.actions import Action, Attack, Play
from planner.games.hearthstone.rules.legal import verify
from planner.games.hearthstone.rules.resolve import IllegalActionError, apply_verified
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState
from planner.games.hearthstone.turn.clock import Clock, OutOfTimeError
from planner.games.hearthstone.turn.fighters import Blow, Life, Unit, comes_back_as_guard, heals_enemy
from planner.games.hearthstone.turn.objective import Earned, replay

__all__ = ["OutOfTimeError", "legal_order"]

Accepts = Callable[[Earned], bool]


def legal_order(
    state: GameState,
    units: Sequence[Unit],
    plays: Sequence[Play],
    struck: Sequence[list[Blow]],
    accepts: Accepts,
    clock: Clock,
) -> tuple[list[Action], Earned] | None:
    """The actions in a legal order whose outcome is accepted, with what they earn; None where there is no such order.

    The order depends only on what is to be done, not on the solver that chose it.
    """
    usual = _usual_order(state, units, plays, struck)
    if _keeps_paths(usual, units, struck):
        earned = _try(state, usual)
        if earned is not None and accepts(earned):
            return usual, earned
    return _search(state, units, plays, struck, accepts, clock)


def _keeps_paths(actions: Sequence[Action], units: Sequence[Unit], struck: Sequence[list[Blow]]) -> bool:
    """Does everyone who strikes more than once strike in the chosen order?"""
    for unit, path in zip(units, struck, strict=True):
        if len(path) > 1:
            order = [action.target for action in actions if isinstance(action, Attack) and action.attacker == unit.id]
            if order != [blow.target for blow in path]:
                return False
    return True


def _try(state: GameState, actions: Sequence[Action]) -> Earned | None:
    try:
        return replay(state, actions)
    except IllegalActionError:
        return None


def _usual_order(
    state: GameState, units: Sequence[Unit], plays: Sequence[Play], struck: Sequence[list[Blow]]
) -> list[Action]:
    """Cards first if all find a place; guards before others, the small blows before the large; the hero last."""
    fights: dict[Life | None, list[tuple[int, Unit, Blow]]] = {}
    for number, (unit, path) in enumerate(zip(units, struck, strict=True)):
        for blow in path:
            fights.setdefault(blow.life, []).append((number, unit, blow))
    known = [life for life in fights if life is not None]
    order = sorted(known, key=lambda life: (not life.guards, life.place, life.second))
    against = [(life, _against(life, fights[life])) for life in order]
    face = [Attack(unit.id, blow.target) for _, unit, blow in sorted(fights.get(None, []), key=_by_attack)]
    room = state.rules.board_limit - len(state.me.board)
    if len(plays) <= room:
        attacks = [Attack(unit.id, blow.target) for _, blows in against for unit, blow in blows]
        return [*plays, *attacks, *face]
    waiting = {play.card: play for play in plays}
    fought = _making_room(against, waiting, room)
    return [*fought, *waiting.values(), *face]


def _making_room(
    against: list[tuple[Life, list[tuple[Unit, Blow]]]], waiting: dict[str, Play], room: int
) -> list[Action]:
    """The fights on a crowded board: those who die there first, those who have to come in when there is a place.

    Takes the cards that come in from those that wait.
    """
    actions: list[Action] = []
    struck: Counter[str] = Counter()
    while against:
        guarded = against[0][0].guards
        ready = [
            (unit.id in waiting, blow.after is not None, place, number)
            for place, (life, blows) in enumerate(against)
            if life.guards == guarded and not (life.second and place and against[place - 1][0].id == life.id)
            # The last blow kills, and the first breaks a shield; between them any order will do.
            for number, (unit, blow) in enumerate(blows[:1] if life.shielded else blows[:-1] or blows)
            if blow.source.blows == struck[unit.id] and (room > 0 or unit.id not in waiting)
        ]
        if not ready:
            break  # the search will find another order, or that there is none
        enters, survives, place, number = min(ready)
        unit, blow = against[place][1].pop(number)
        struck[unit.id] += 1
        if enters:
            actions.append(waiting.pop(unit.id))
        actions.append(Attack(unit.id, blow.target))
        room += (not survives) - enters
        if not against[place][1]:
            del against[place]
    return actions


def _by_attack(entry: tuple[int, Unit, Blow]) -> tuple[int, int, int]:
    number, _, blow = entry
    return blow.source.attack, number, blow.source.blows


def _against(life: Life, entries: list[tuple[int, Unit, Blow]]) -> list[tuple[Unit, Blow]]:
    """Small blows first: then all but the last leave it alive if any order does. The smallest breaks a shield;
    poison, which kills at once, goes last."""
    ordered = sorted(entries, key=lambda entry: (_kills_alone(entry[2], life), *_by_attack(entry)))
    return [(unit, blow) for _, unit, blow in ordered]


def _kills_alone(blow: Blow, life: Life) -> bool:
    return bool(blow.source.keywords & POISONOUS) or blow.source.attack >= life.health


def _search(
    state: GameState,
    units: Sequence[Unit],
    plays: Sequence[Play],
    struck: Sequence[list[Blow]],
    accepts: Accepts,
    clock: Clock,
) -> tuple[list[Action], Earned] | None:
    """Every order of the fights and of the plays that they need. What can always wait goes in one piece."""
    fighting: list[tuple[bool, bool, list[Action]]] = []  # one list for each unit: these stay in order
    waiting: list[Action] = []
    face: list[tuple[int, Unit, Blow]] = []
    played = {play.card: play for play in plays}
    for number, (unit, path) in enumerate(zip(units, struck, strict=True)):
        if _can_wait(unit, path):
            face.extend((number, unit, blow) for blow in path)
            if unit.id in played:
                waiting.append(played[unit.id])
            continue
        own: list[Action] = [played[unit.id]] if unit.id in played else []
        dies = bool(path) and path[-1].after is None
        fighting.append((bool(own), not dies, [*own, *(Attack(unit.id, blow.target) for blow in path)]))
    # Whoever leaves its place goes first, and whoever needs one last.
    chains = [chain for *_, chain in sorted(fighting, key=lambda entry: entry[:2])]
    waiting += [Attack(unit.id, blow.target) for _, unit, blow in sorted(face, key=_by_attack)]
    orders = _Orders(state, units, accepts, clock)
    if _nothing_waits(state, units, struck):
        # In one piece first, which nearly always will do.
        found = orders.first([*chains, waiting], [])
        return found or (orders.first([*chains, *([action] for action in waiting)], []) if len(waiting) > 1 else None)
    if _too_full(state, units, played, struck):
        return None
    return orders.first(chains, waiting)


def _nothing_waits(state: GameState, units: Sequence[Unit], struck: Sequence[list[Blow]]) -> bool:
    """Where our hero may die all may have to come before it, where the enemy's is healed it matters when, where a blow
    on him stands in a chain it may be the one that ends the match, and where a guard comes back to life it is too late.
    """
    if any(comes_back_as_guard(minion) for minion in state.enemy.board):
        return True
    hero = state.enemy.hero
    harm = sum(blow.source.attack for path in struck for blow in path if blow.life is None)
    in_danger = harm >= hero.health + hero.armor
    return any(
        (unit.is_hero and blow.after is not None and blow.after.health <= 0 < blow.source.health - blow.after.health)
        or (in_danger and (heals_enemy(blow) or (blow.life is None and not _can_wait(unit, path))))
        for unit, path in zip(units, struck, strict=True)
        for blow in path
    )


def _can_wait(unit: Unit, path: list[Blow]) -> bool:
    """Does it fight nobody, or but the hero, once, and without healing ours?"""
    return not path or (len(path) == 1 and path[0].life is None and not unit.start.keywords & LIFESTEAL)


def _too_full(state: GameState, units: Sequence[Unit], played: Container[str], struck: Sequence[list[Blow]]) -> bool:
    """Is there too little room for those who must come in to fight, whatever the order?

    Whoever fights a guard does so before any fight with others, so only deaths in fights with guards make room for it.
    """
    room = state.rules.board_limit - len(state.me.board)
    fights = [(unit, path) for unit, path in zip(units, struck, strict=True) if any(blow.life for blow in path)]
    for early in (True, False):
        coming = [unit for unit, path in fights if unit.id in played and (_on_guard(path[0]) or not early)]
        dead = [unit for unit, path in fights if path[-1].after is None and (_on_guard(path[-1]) or not early)]
        here = sum(unit.id not in played for unit in dead)
        if coming and (room + here < 1 or len(coming) > room + len(dead)):
            return True
    return False


def _on_guard(blow: Blow) -> bool:
    return blow.life is not None and blow.life.guards


class _Orders:
    """The search over orders in which each chain keeps its own, and those that wait come at the end."""

    def __init__(self, start: GameState, units: Sequence[Unit], accepts: Accepts, clock: Clock) -> None:
        self._start, self._accepts, self._clock = start, accepts, clock
        self._starts = {unit.id: unit.start for unit in units}

    def first(self, chains: list[list[Action]], waiting: list[Action]) -> tuple[list[Action], Earned] | None:
        """The first accepted order."""
        self._chains, self._waiting = chains, waiting
        self._lengths = tuple(len(chain) for chain in chains)
        self._failed: set[tuple[tuple[int, ...], GameState]] = set()
        self._actions: list[Action] = []
        earned = self._go(self._start, (0,) * len(chains))
        return ([*self._actions, *waiting], earned) if earned is not None else None

    def _go(self, state: GameState, done: tuple[int, ...]) -> Earned | None:
        if done == self._lengths:
            outcome = _try(self._start, [*self._actions, *self._waiting])
            return outcome if outcome is not None and self._accepts(outcome) else None
        key = (done, state._replace(clock=0))
        if key in self._failed:
            return None
        if self._clock.out():
            raise OutOfTimeError
        for number, chain in enumerate(self._chains):
            if done[number] < self._lengths[number]:
                action = chain[done[number]]
                if verify(state, action) is None:
                    self._actions.append(action)
                    after = (*done[:number], done[number] + 1, *done[number + 1 :])
                    following = apply_verified(state, action)
                    found = self._go(following, after) if self._can_follow(following, after) else None
                    if found is not None:
                        return found
                    self._actions.pop()
        self._failed.add(key)
        return None

    def _can_follow(self, state: GameState, done: tuple[int, ...]) -> bool:
        """Can everybody who is still to strike or to be struck do so? They must be alive, and of several blows on one
        who does not come back all but the strongest must leave it alive."""
        mine = {MY_HERO, *(minion.id for minion in state.me.board)}
        theirs = {minion.id: minion for minion in state.enemy.board}
        harms: dict[str, list[int]] = {}
        for chain, number in zip(self._chains, done, strict=True):
            coming = {action.card for action in chain[number:] if isinstance(action, Play)}
            for action in chain[number:]:
                if not isinstance(action, Attack):
                    continue
                if action.attacker not in mine and action.attacker not in coming:
                    return False
                if action.target == ENEMY_HERO:
                    continue
                target = theirs.get(action.target)
                if target is None:
                    return False
                begins = self._starts[action.attacker]
                changes = begins.keywords & REBORN or begins.swings  # and its blows with it
                if not changes and not target.keywords & (REBORN | DIVINE_SHIELD):
                    harm = target.health if begins.keywords & POISONOUS else begins.attack
                    harms.setdefault(action.target, []).append(harm)
        return all(sum(harm) - max(harm) < theirs[name].health for name, harm in harms.items())
