"""What a player can do. Characters and cards are named by their ids, heroes `me.hero` and `enemy.hero`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Play:
    """Play a card from the hand, at a target if it wants one."""

    card: str
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Attack:
    """Attack with a minion, or with the hero."""

    attacker: str
    target: str


@dataclass(frozen=True, slots=True)
class HeroPower:
    """Use the hero power."""

    target: str | None = None


@dataclass(frozen=True, slots=True)
class Trade:
    """Shuffle a tradeable card into the deck for a new one, for one mana."""

    card: str


@dataclass(frozen=True, slots=True)
class EndTurn:
    """End the turn; the other player's begins."""


@dataclass(frozen=True, slots=True)
class Mulligan:
    """Before the first turn: put these cards of the starting hand back for others; none of them keeps it."""

    cards: tuple[str, ...] = ()


Action = Play | Attack | HeroPower | Trade | EndTurn | Mulligan
