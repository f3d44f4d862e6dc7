"""The question before the first turn: which cards of the starting hand go back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from planner.errors import quote
from planner.games.hearthstone.rules.actions import Mulligan
from planner.games.hearthstone.rules.state import GameState


class MulliganAnswers(Sequence[Mulligan]):
    """Every choice of cards to put back, from none on; made when asked for, since a large hand has millions."""

    def __init__(self, state: GameState) -> None:
        self._hand = [held.id for held in state.me.hand]

    def __len__(self) -> int:
        return 1 << len(self._hand)

    @overload
    def __getitem__(self, which: int) -> Mulligan: ...
    @overload
    def __getitem__(self, which: slice) -> list[Mulligan]: ...
    def __getitem__(self, which: int | slice) -> Mulligan | list[Mulligan]:
        if isinstance(which, slice):
            return [self[number] for number in range(*which.indices(len(self)))]
        number = range(len(self))[which]
        return Mulligan(tuple(name for place, name in enumerate(self._hand) if number >> place & 1))


def mulligan_problem(state: GameState, action: Mulligan) -> str | None:
    """Why these cards cannot be put back, or None if they can; that it is the time for it is known already."""
    cards = action.cards
    if not isinstance(cards, tuple | list) or not all(isinstance(name, str) for name in cards):
        return f"mulligan: {quote(cards)} is not a list of ids"
    known = {card.id for card in state.me.hand}
    for name in cards:
        if name not in known:
            return f"mulligan: {name} is not in the starting hand of player {state.seat + 1}"
        if cards.count(name) > 1:
            return f"mulligan: {name} stands here twice"
    return None
