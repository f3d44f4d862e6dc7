"""A battle as a value: the player, the enemies with what they intend, and four piles of cards.

Nothing is hidden, because nothing is decided before it happens: a draw takes any card of the draw pile with equal
chance, which is what drawing from a shuffled pile is, so there is no future shuffle to be seen. Piles have no order;
they are kept sorted, so that equal states are equal values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from planner.games.spire.enemies import EnemyKind
from planner.games.spire.library import Card, Library, Status


class Held(NamedTuple):
    """A status that somebody has."""

    status: Status
    amount: int
    turns: int = 0  # how many turns are left; 0: it does not end by time


class Enemy(NamedTuple):
    """An enemy; one with health 0 is dead and keeps its place."""

    kind: EnemyKind
    health: int
    max_health: int
    block: int
    statuses: tuple[Held, ...]
    move: int  # what it will do next, as the place of a move of its kind
    run: int  # how many times in a row that is


class Limits(NamedTuple):
    """What a player gets each turn."""

    energy: int = 3
    cards: int = 5


class Pending(NamedTuple):
    """A card that is being played and asks something: which enemy, or which cards."""

    card: Card  # as it is now: it may have been upgraded on the way
    played: Card  # as it was played: its steps count
    step: int
    picked: tuple[int, ...]  # places of cards that are chosen already
    goes_to: str  # the pile in which it ends


class Battle(NamedTuple):
    """The whole state. Equal cards are the same object, so states compare fast."""

    library: Library
    limits: Limits
    health: int
    max_health: int
    block: int
    statuses: tuple[Held, ...]
    energy: int
    hand: tuple[Card, ...]
    draw: tuple[Card, ...]
    discard: tuple[Card, ...]
    exhaust: tuple[Card, ...]
    enemies: tuple[Enemy, ...]
    turn: int
    played: int  # cards, in the whole battle
    pending: Pending | None

    @property
    def game(self) -> str:
        """Which game this is a state of."""
        return "spire"

    def __reduce__(self) -> tuple[Any, ...]:
        # Cards and kinds compare by identity: another process finds its own by their names.
        from planner.games.spire.codec import state_from_json, state_to_json  # noqa: PLC0415  (it needs this module)

        return state_from_json, (state_to_json(self),)


class Action(NamedTuple):
    """play a card of the hand, choose a fighter or a card by its place, or end the turn."""

    type: str  # play, fighter, card, end
    place: int = 0


END = Action("end")
