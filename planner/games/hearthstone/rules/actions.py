"""The actions of a player. They name characters and cards by id; the heroes are `me.hero` and `enemy.hero`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Play:
    """Play a card from the hand, with a target if it needs one."""

    card: str
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Attack:
    """Attack with a minion or with the hero."""

    attacker: str
    target: str


@dataclass(frozen=True, slots=True)
class HeroPower:
    """Use the hero power."""

    target: str | None = None


@dataclass(frozen=True, slots=True)
class Trade:
    """Shuffle a tradeable card into the deck and draw another one, for one mana."""

    card: str


@dataclass(frozen=True, slots=True)
class EndTurn:
    """End the turn."""


@dataclass(frozen=True, slots=True)
class Mulligan:
    """Replace these cards of the starting hand, before the first turn."""

    cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """Carry out plays and attacks together, as section 6.5 of Guo (2025) prints it.

    Minions at 0 health are removed after the last of them: until then they attack and are attacked. Taunt is not
    checked. A batch is legal only under a ruleset with `execution: printed`.
    """

    actions: tuple[Play | Attack, ...]


Action = Play | Attack | HeroPower | Trade | EndTurn | Mulligan | Batch
