"""The exact program and the meaning of its columns: from a solution back to plays and attacks, cuts, tie-break."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from planner.games.hearthstone.cards.keywords import LIFESTEAL
from planner.games.hearthstone.rules.actions import Action, Attack, Play
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.legal_order import VanillaChoice
from planner.games.hearthstone.turn.lexicographic import Digit, RankedModel, Terms
from planner.games.hearthstone.turn.vanilla_units import (
    Hit,
    Life,
    Unit,
    enemy_healing,
    returns_with_taunt,
)
from planner.solvers.linear_model import INF


class Strength(NamedTuple):
    """Orders the attacks on one target by how much damage they do."""

    damage: int  # no more than the health of the target; nothing where a shield absorbs it
    unit: int
    earlier: int  # attacks of the unit


class Column(NamedTuple):
    """An attack in one role."""

    var: int
    unit: int
    hit: Hit
    role: str  # part, first, last
    strength: Strength

    @property
    def damage(self) -> int:
        return self.strength.damage


@dataclass
class ExactModel(RankedModel):
    """The program, and the meaning of its columns."""

    state: GameState
    units: list[Unit]
    columns: list[Column]
    plays: dict[int, int]  # unit -> variable
    death: int | None  # the variable of our hero's death; None: the hero cannot die
    cuts: int = 0

    def choice(self, values: Sequence[float]) -> VanillaChoice:
        """Return the chosen plays, and each unit's attacks in the order in which the unit makes them."""
        plays = [Play(self.units[unit].id) for unit, var in self.plays.items() if values[var]]
        paths: list[list[Hit]] = [[] for _ in self.units]
        for column in self.columns:
            if values[column.var]:
                paths[column.unit].append(column.hit)
        for path in paths:
            path.sort(key=lambda hit: hit.source.attacks)
        return VanillaChoice(self.state, self.units, plays, paths)

    def hero_lives(self, values: Sequence[float]) -> bool:
        """Return whether our hero should be alive at the end."""
        return self.death is None or not values[self.death]

    def ban(self, action: Action) -> None:
        """Exclude every plan with this action."""
        if isinstance(action, Play):
            terms: Terms = [(var, 1) for number, var in self.plays.items() if self.units[number].id == action.card]
        else:
            terms = [
                (column.var, 1)
                for column in self.columns
                if isinstance(action, Attack) and action == Attack(self.units[column.unit].id, column.hit.target)
            ]
        if terms:
            self.model.add_row("banned", terms, -INF, 0)

    def cut_off(self, values: Sequence[float]) -> None:
        """Exclude exactly this choice of fights in these roles: in other roles the same attacks earn something else.

        Plays of minions that do not fight, and single attacks on the hero, do not decide whether the fights have a
        legal order: they need no slot that the rows do not grant, and can wait to the end. So they are left out, and
        one cut serves all choices of them. They count only where our hero may die, where the enemy hero may be
        healed, or where a minion may return with taunt.
        """
        exposed = self._hero_may_die() or any(enemy_healing(column.hit) for column in self.columns)
        exposed = exposed or any(returns_with_taunt(minion) for minion in self.state.enemy.board)
        groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for column in self.columns:
            lethal = column.hit.life is None and column.role == "last"
            waits = column.hit.life is None and not lethal and self.units[column.unit].start.attacks_left <= 1
            if exposed or not waits or column.hit.source.keywords & LIFESTEAL:
                groups[column.unit, column.hit, column.role].append(column.var)
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
        hits = [column.hit for column in self.columns if self.units[column.unit].is_hero]
        return any(hit.after is not None and hit.after.health <= 0 for hit in hits)


def tie_break_digits(
    columns: Sequence[Column], plays: Mapping[int, int], targets: Sequence[Life], death: int | None
) -> list[Digit]:
    """Return the tie-break of vanilla turns, the most significant digit first.

    Our hero lives; fewer actions; each card in hand order is played rather than not; each attack of each unit is on
    the earliest target: enemy minions in board order, the hero, no attack.
    """
    actions: Terms = [(var, 1) for var in (*(column.var for column in columns), *plays.values())]
    maximum = len(plays) + len({column.strength[1:] for column in columns})
    digits = [] if death is None else [Digit([(death, 1)], 0, 1)]
    digits += [Digit(actions, 0, maximum)] if actions else []
    digits += [Digit([(var, -1)], 1, 1) for var in plays.values()]
    rank: Mapping[Life | None, int] = {life: index for index, life in enumerate([*targets, None])}
    no_attack = len(rank)
    by_attack: dict[tuple[int, ...], Terms] = defaultdict(list)
    for column in columns:
        by_attack[column.strength[1:]].append((column.var, rank[column.hit.life] - no_attack))
    return digits + [Digit(terms, no_attack, no_attack) for _, terms in sorted(by_attack.items())]
