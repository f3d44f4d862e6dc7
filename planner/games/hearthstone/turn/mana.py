"""Cards must be paid: the row that says so, and what follows from it for whole cards."""

from __future__ import annotations

from planner.games.hearthstone.turn.lexicographic import Terms
from planner.solvers.model import INF, LinearModel


def add_mana(model: LinearModel, name: str, costs: Terms, mana: int) -> None:
    """No more is paid than there is. The further rows bring the linear relaxation closer to whole cards: of a card and
    all those that are too expensive beside it, at most one is played; likewise at most two, and so on."""
    model.add_row(name, costs, -INF, mana)
    costs = sorted(costs, key=lambda term: term[1])
    if sum(cost for _, cost in costs) <= mana:
        return
    for most in range(1, len(costs)):
        for place in range(len(costs) - most):
            dear = _too_expensive(costs, place, most, mana)
            if dear is None:
                continue  # even the most expensive ones can be paid beside it
            cards = [costs[place], *costs[dear:]]
            model.add_row(f"{name}[{most},{place}]", [(var, 1) for var, _ in cards], -INF, most)
            if dear == place + 1:
                break  # what follows for those behind it is part of this row
        if place == 0:
            break  # that row was about all cards


def _too_expensive(costs: Terms, place: int, most: int, mana: int) -> int | None:
    """From where on so many cards in order of their costs cannot be paid together with the one at `place`."""
    for dear in range(place + 1, len(costs) - most + 1):
        if costs[place][1] + sum(cost for _, cost in costs[dear : dear + most]) > mana:
            return dear
    return None
