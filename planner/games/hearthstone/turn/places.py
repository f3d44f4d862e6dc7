"""A minion that is played needs a place on the board: the rows of the exact program that say so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from planner.games.hearthstone.turn.exact_model import Column
from planner.games.hearthstone.turn.fighters import Unit
from planner.games.hearthstone.turn.lexicographic import Terms
from planner.solvers.model import INF, LinearModel


def add_places(
    model: LinearModel, units: Sequence[Unit], plays: Mapping[int, int], columns: Sequence[Column], room: int
) -> None:
    """Where more may be played than there is room for, deaths must make it."""
    if len(plays) <= room:
        return
    dead = [column for column in columns if column.blow.after is None]
    played: Terms = [(var, 1) for var in plays.values()]
    model.add_row("places", played + _freed(dead), -INF, room)
    if room <= 0:
        # The first minion to be played waits for the death of one that is on the board now.
        here = _freed(column for column in dead if column.unit not in plays)
        for unit, var in plays.items():
            model.add_row(f"place_first[{units[unit].id}]", [(var, 1), *here], -INF, 0)
    _add_places_before_guards(model, units, plays, columns, room)


def _add_places_before_guards(
    model: LinearModel, units: Sequence[Unit], plays: Mapping[int, int], columns: Sequence[Column], room: int
) -> None:
    """Who is played to strike one that guards finds a place while it stands: only fights against those who guard can
    have made it free by then."""
    fights = [column for column in columns if column.blow.life is not None and column.blow.life.guards]
    early: dict[int, Terms] = defaultdict(list)
    for column in fights:
        if column.unit in plays and not column.strength.earlier:
            early[column.unit].append((column.var, 1))
    if len(early) <= room:
        return
    dead = [column for column in fights if column.blow.after is None]
    everyone: Terms = [term for terms in early.values() for term in terms]
    model.add_row("places_guarded", everyone + _freed(dead), -INF, room)
    if room <= 0:
        here = _freed(column for column in dead if column.unit not in plays)
        for unit, terms in early.items():
            model.add_row(f"place_first_guarded[{units[unit].id}]", terms + here, -INF, 0)


def _freed(dead: Iterable[Column]) -> Terms:
    return [(column.var, -1) for column in dead]
