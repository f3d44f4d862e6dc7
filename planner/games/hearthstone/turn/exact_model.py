"""The exact program together with what its columns mean: from a solution back to plays and blows, cuts, tie-break."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from planner.games.hearthstone.cards.keywords import LIFESTEAL
from planner.games.hearthstone.rules.actions import Action, Attack, Play
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.fighters import Blow, Life, Unit, comes_back_as_guard, heals_enemy
from planner.games.hearthstone.turn.lexicographic import Digit, Terms
from planner.games.hearthstone.turn.reach import Strength
from planner.solvers.model import INF, LinearModel


class Column(NamedTuple):
    """A blow in one role."""

    var: int
    unit: int
    blow: Blow
    role: str  # part, first, last
    strength: Strength

    @property
    def harm(self) -> int:
        return self.strength.harm


@dataclass
class ExactModel:
    """The program, and what its columns mean."""

    state: GameState
    model: LinearModel
    scale: int  # objective of the program = scale * the true objective
    objective: Terms
    constant: int
    units: list[Unit]
    columns: list[Column]
    plays: dict[int, int]  # unit -> variable
    digits: list[Digit] = field(default_factory=list)
    death: int | None = None  # the variable of our hero's death; None: it cannot die
    cuts: int = 0

    def chosen(self, values: Sequence[float]) -> tuple[list[Play], list[list[Blow]]]:
        """The plays, and each unit's blows in the order in which it strikes them."""
        plays = [Play(self.units[unit].id) for unit, var in self.plays.items() if values[var]]
        struck: list[list[Blow]] = [[] for _ in self.units]
        for column in self.columns:
            if values[column.var]:
                struck[column.unit].append(column.blow)
        for path in struck:
            path.sort(key=lambda blow: blow.source.blows)
        return plays, struck

    def claimed(self, values: Sequence[float]) -> int:
        """The objective that this choice should earn, times `scale`."""
        return self.constant + round(sum(factor * values[var] for var, factor in self.objective))

    def lives(self, values: Sequence[float]) -> bool:
        """Should our hero live in the end?"""
        return self.death is None or not values[self.death]

    def ban(self, action: Action) -> None:
        """No plan with this action."""
        if isinstance(action, Play):
            terms: Terms = [(var, 1) for number, var in self.plays.items() if self.units[number].id == action.card]
        else:
            terms = [
                (column.var, 1)
                for column in self.columns
                if isinstance(action, Attack) and action == Attack(self.units[column.unit].id, column.blow.target)
            ]
        if terms:
            self.model.add_row("banned", terms, -INF, 0)

    def forbid(self, values: Sequence[float]) -> None:
        """Cut off this choice of fights in these roles, and nothing else: in others the same blows earn something else.

        Plays of those who do not fight, and ordinary blows on the hero, do not decide whether the fights have a
        legal order: they need no place that the rows do not grant, and can wait to the end. So they are left out,
        and one cut serves all choices of them. Only where our hero may die of a blow, the enemy's may be healed or a
        guard may come back to life it matters when they are struck.
        """
        exposed = self._hero_may_die() or any(heals_enemy(column.blow) for column in self.columns)
        exposed = exposed or any(comes_back_as_guard(minion) for minion in self.state.enemy.board)
        groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for column in self.columns:
            lethal = column.blow.life is None and column.role == "last"
            waits = column.blow.life is None and not lethal and self.units[column.unit].start.attacks_left <= 1
            if exposed or not waits or column.blow.source.keywords & LIFESTEAL:
                groups[column.unit, column.blow, column.role].append(column.var)
        if exposed:
            groups.update(((number,), [var]) for number, var in self.plays.items())
        if self.death is not None:
            groups[()].append(self.death)
        terms: Terms = []
        count = 0
        for variables in groups.values():
            on = any(values[var] for var in variables)
            terms.extend((var, 1 if on else -1) for var in variables)
            count += on
        self.model.add_row(f"cut{self.cuts}", terms, -INF, count - 1)
        self.cuts += 1

    def _hero_may_die(self) -> bool:
        struck = [column.blow for column in self.columns if self.units[column.unit].is_hero]
        return any(blow.after is not None and blow.after.health <= 0 for blow in struck)


def digits(
    columns: Sequence[Column], plays: Mapping[int, int], targets: Sequence[Life], death: int | None
) -> list[Digit]:
    """The tie-break: our hero lives; fewer actions; then cards in hand order, played rather than not; then each unit's
    blows, each on the earliest target: enemy minions in board order, the hero, nobody."""
    acts: Terms = [(var, 1) for var in (*(column.var for column in columns), *plays.values())]
    most = len(plays) + len({column.strength[1:] for column in columns})
    found = [] if death is None else [Digit([(death, 1)], 0, 1)]
    found += [Digit(acts, 0, most)] if acts else []
    found += [Digit([(var, -1)], 1, 1) for var in plays.values()]
    rank: Mapping[Life | None, int] = {life: place for place, life in enumerate([*targets, None])}
    nobody = len(rank)
    by_blow: dict[tuple[int, ...], Terms] = defaultdict(list)
    for column in columns:
        by_blow[column.strength[1:]].append((column.var, rank[column.blow.life] - nobody))
    return found + [Digit(terms, nobody, nobody) for _, terms in sorted(by_blow.items())]
