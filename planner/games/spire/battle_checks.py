"""Checks of what a designer's function returned and did: a mistake names the function, and not a later action."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from planner.errors import PlannerError, quote
from planner.formats.values import at, integer
from planner.games.spire.battle_state import ActiveStatus, Fighter, MutableBattle, SelectedCard
from planner.games.spire.vocabulary import MAX_CARDS, MAX_NUMBER, PILES, Returns, pile_name

_FIXED: Final = ("library", "limits", "chance", "turn", "played", "pending", "playing", "reacting")


class Snapshot(NamedTuple):
    """What a function must not change."""

    fixed: tuple[Any, ...]
    fighters: tuple[Fighter, ...]
    state: Any  # of a function that must change nothing


def snapshot(battle: MutableBattle, returns: Returns) -> Snapshot:
    """Return what is compared after the call."""
    state = battle.state() if returns in ("fighters", "truth") else None
    return Snapshot(tuple(getattr(battle, name) for name in _FIXED), (battle.player, *battle.enemies), state)


def check_call(
    before: Snapshot, battle: MutableBattle, arguments: tuple[Any, ...], result: Any, returns: Returns
) -> Any:
    """Return the result of a function, or raise what is wrong with it or with the battle that it leaves behind."""
    for name, value in zip(_FIXED, before.fixed, strict=True):
        if getattr(battle, name) is not value:
            raise PlannerError(f"battle.{name} must not be changed, got {quote(getattr(battle, name))}")
    fighters = _fighters(battle)
    if len(fighters) != len(before.fighters) or any(map(_differ, fighters, before.fighters)):
        raise PlannerError(
            "battle.player and battle.enemies must stay the same fighters; one that dies keeps its place"
        )
    for fighter in fighters:
        _check_fighter(fighter, battle)
    for name in PILES:
        _check_pile(name, getattr(battle, name), battle)
    with at("battle.energy"):
        integer(battle.energy, 0, MAX_NUMBER)
    for argument in arguments:
        if isinstance(argument, SelectedCard):
            _check_selected(argument, battle)
    if before.state is not None and battle.state() != before.state:
        raise PlannerError("must not change the battle; only a verb or a function of a status may")
    if returns == "fighters":
        return _check_fighters(result, battle)
    if returns == "truth" and not isinstance(result, bool):
        raise PlannerError(f"must return True or False, got {quote(result)}")
    if returns == "value" and (type(result) is not int or abs(result) > MAX_NUMBER):
        raise PlannerError(f"must return the value, an integer up to {MAX_NUMBER}, got {quote(result)}")
    return result


def check_text(result: Any) -> str:
    """Return the text that a function returned."""
    if not isinstance(result, str) or not result.strip() or not result.isprintable():
        raise PlannerError(f"text: must return a phrase of one line, got {quote(result)}")
    return result


def _differ(one: object, other: object) -> bool:
    return one is not other


def _fighters(battle: MutableBattle) -> list[Fighter]:
    if not isinstance(battle.enemies, list):
        raise PlannerError(f"battle.enemies must stay a list of fighters, got {quote(battle.enemies)}")
    return [battle.player, *battle.enemies]


def _check_fighters(result: Any, battle: MutableBattle) -> list[Fighter]:
    """Return the living ones of the fighters that a function returned."""
    if not isinstance(result, list | tuple):
        raise PlannerError(f"must return a list of fighters, got {_name(result)}")
    known = {id(fighter) for fighter in (battle.player, *battle.enemies)}
    seen = set()
    for fighter in result:
        if id(fighter) not in known:
            raise PlannerError(f"must return fighters of this battle, got {_name(fighter)} among them")
        if id(fighter) in seen:
            raise PlannerError(f"must return each fighter once, got {_name(fighter)} twice")
        seen.add(id(fighter))
    return [fighter for fighter in result if fighter.health > 0]


def _name(value: Any) -> str:
    if not isinstance(value, Fighter):
        return quote(value)
    return "player" if value.kind is None else value.kind.name


def _check_fighter(fighter: Fighter, battle: MutableBattle) -> None:
    """Check the numbers and statuses of a fighter. Less than no health counts as none."""
    name = _name(fighter)
    if type(fighter.health) is int and fighter.health < 0:
        fighter.health = 0
    for attribute, minimum in (("health", 0), ("max_health", 1), ("block", 0)):
        with at(f"{attribute} of {name}"):
            integer(getattr(fighter, attribute), minimum, MAX_NUMBER)
    if fighter.health > fighter.max_health:
        raise PlannerError(f"health of {name}: must be at most max_health {fighter.max_health}, got {fighter.health}")
    with at(f"statuses of {name}"):
        fighter.statuses = _checked_statuses(fighter.statuses, battle) if fighter.health else ()


def _checked_statuses(statuses: Any, battle: MutableBattle) -> tuple[ActiveStatus, ...]:
    if not isinstance(statuses, tuple | list):
        raise PlannerError(f"must be a tuple, got {quote(statuses)}")
    seen = set()
    for active in statuses:
        if not isinstance(active, ActiveStatus):
            raise PlannerError(f"{quote(active)} is not a status; use apply_status")
        status, *numbers = active
        if battle.library.statuses.get(getattr(status, "name", "")) is not status:
            raise PlannerError(f"{quote(status)} is not a status of this battle")
        if status.name in seen and status.stacking != "apart":
            raise PlannerError(f"{status.name} occurs twice; use apply_status")
        seen.add(status.name)
        for field, number in zip(("amount", "turns", "lasting"), numbers, strict=True):
            with at(status.name, field):
                integer(number, 1 if field == "amount" else 0, MAX_NUMBER)
    return tuple(sorted(statuses, key=lambda active: active.status.rank))


def _check_pile(name: str, pile: Any, battle: MutableBattle) -> None:
    if not isinstance(pile, list) or len(pile) > MAX_CARDS:
        got = quote(pile) if not isinstance(pile, list) else f"{len(pile):,} cards"
        raise PlannerError(f"battle.{name}: must be a list of at most {MAX_CARDS:,} cards, got {got}")
    for card in pile:
        if not battle.library.owns(card):
            raise PlannerError(f"battle.{name}: {quote(card)} is not a card; use battle.library.card(title)")


def _check_selected(selected: SelectedCard, battle: MutableBattle) -> None:
    if not battle.library.owns(selected.card):
        raise PlannerError(f"card.card: {quote(selected.card)} is not a card; use battle.library.card(title)")
    with at("card.goes_to"):
        pile_name(selected.goes_to)
