"""An order in which the chosen plays and blows are legal, or the proof that there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner.cards.keywords import LIFESTEAL, POISONOUS
from planner.rules.actions import Action, Attack, Play
from planner.rules.legal import verify
from planner.rules.resolve import IllegalActionError, apply_verified
from planner.rules.state import GameState
from planner.turn.fighters import Blow, Life, Unit
from planner.turn.lexicographic import Clock, OutOfTimeError
from planner.turn.objective import Earned, replay

__all__ = ["OutOfTimeError", "schedule"]

Accepts = Callable[[Earned], bool]


def schedule(
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
    attacks = [Attack(unit.id, blow.target) for life in order for unit, blow in _against(life, fights[life])]
    face = [Attack(unit.id, blow.target) for _, unit, blow in sorted(fights.get(None, []), key=_by_attack)]
    if len(state.me.board) + len(plays) <= state.rules.board_limit:
        return [*plays, *attacks, *face]
    waiting = {play.card: play for play in plays}
    actions: list[Action] = []
    for attack in attacks:
        if attack.attacker in waiting:
            actions.append(waiting.pop(attack.attacker))
        actions.append(attack)
    return [*actions, *waiting.values(), *face]


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
    fighting: list[list[Action]] = []  # one list for each unit: these stay in order
    waiting: list[Action] = []
    face: list[tuple[int, Unit, Blow]] = []
    played = {play.card: play for play in plays}
    for number, (unit, path) in enumerate(zip(units, struck, strict=True)):
        plain = all(blow.life is None for blow in path)
        if plain and len(path) <= 1 and not unit.start.keywords & LIFESTEAL:
            face.extend((number, unit, blow) for blow in path)
            if unit.id in played:
                waiting.append(played[unit.id])
            continue
        own: list[Action] = [played[unit.id]] if unit.id in played else []
        fighting.append([*own, *(Attack(unit.id, blow.target) for blow in path)])
    waiting += [Attack(unit.id, blow.target) for _, unit, blow in sorted(face, key=_by_attack)]
    return _orders(state, [*fighting, waiting], accepts, clock)


def _orders(
    start: GameState, chains: list[list[Action]], accepts: Accepts, clock: Clock
) -> tuple[list[Action], Earned] | None:
    lengths = [len(chain) for chain in chains]
    failed: set[tuple[tuple[int, ...], GameState]] = set()
    actions: list[Action] = []

    def go(state: GameState, done: tuple[int, ...]) -> Earned | None:
        if list(done) == lengths:
            outcome = replay(start, actions)
            return outcome if accepts(outcome) else None
        key = (done, state._replace(clock=0))
        if key in failed:
            return None
        if clock.out():
            raise OutOfTimeError
        for number, chain in enumerate(chains):
            if done[number] < lengths[number]:
                action = chain[done[number]]
                if verify(state, action) is None:
                    actions.append(action)
                    after = (*done[:number], done[number] + 1, *done[number + 1 :])
                    found = go(apply_verified(state, action), after)
                    if found is not None:
                        return found
                    actions.pop()
        failed.add(key)
        return None

    earned = go(start, (0,) * len(chains))
    return (actions, earned) if earned is not None else None
