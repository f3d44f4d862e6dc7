"""A battle as a table that any client can show: the enemies, the player, the piles, and what to click for an action."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Sequence
from typing import Final

from planner.errors import PlannerError
from planner.games.spire.battle_definitions import Card
from planner.games.spire.battle_rules import PLAYER, card_of, choice_pile, is_over, prompt_text
from planner.games.spire.battle_state import Action, ActiveStatus, Battle, Enemy
from planner.games.spire.battle_text import (
    describe_action,
    describe_card,
    describe_intent,
    describe_turns,
    narrate_action,
)
from planner.table_view import Binding, CardView, Counter, Prompt, Side, Zone

_PLAYER: Final = "seat.0"
_PILES: Final = {"draw": "Draw pile", "discard": "Discard pile", "exhaust": "Exhaust pile"}


def table_sides(state: Battle, seat: int | None) -> Sequence[Side]:  # noqa: ARG001  (nothing is hidden)
    """Return the enemies above the player with hand and piles."""
    enemies = Zone("enemies", "Enemies", cards=tuple(_enemy(index, enemy) for index, enemy in enumerate(state.enemies)))
    choosing = state.pending is not None
    hand = tuple(
        _card(card, card_id, ("ready",) if card.cost <= state.energy and not choosing else ())
        for card, card_id in zip(state.hand, _card_ids("hand", state.hand), strict=True)
    )
    zones = [Zone("hand", "Hand", "hand", hand)]
    if state.pending is not None:
        in_play = _card(state.pending.card, "in play", ("in play",))
        zones.insert(0, Zone("play", "In play", cards=(in_play,)))
    for name, label in _PILES.items():
        pile: Sequence[Card] = getattr(state, name)
        cards = tuple(_card(card, card_id) for card, card_id in zip(pile, _card_ids(name, pile), strict=True))
        zones.append(Zone(name, label, "pile", cards, len(pile)))
    counters = (
        Counter("health", state.health, state.max_health),
        Counter("energy", state.energy, max(state.energy, state.limits.energy)),
        *([Counter("block", state.block)] if state.block else ()),
        *_statuses(state.statuses),
    )
    marks = ("dead",) if state.health <= 0 else ()
    return Side("enemies.side", "Enemies", zones=(enemies,)), Side(_PLAYER, "You", 0, counters, marks, tuple(zones))


def _enemy(index: int, enemy: Enemy) -> CardView:
    if enemy.health <= 0:
        return CardView(f"enemy.{index}", enemy.kind.name, "enemy", marks=("dead",))
    move = enemy.next_move
    counters = (
        Counter("health", enemy.health, enemy.max_health),
        *([Counter("block", enemy.block)] if enemy.block else ()),
        *_statuses(enemy.statuses),
    )
    text = f"{move.name}: {describe_intent(move)}"
    return CardView(f"enemy.{index}", enemy.kind.name, "enemy", None, counters, text=text)


def _statuses(statuses: Sequence[ActiveStatus]) -> list[Counter]:
    return [Counter(active.status.name + describe_turns(active), active.amount) for active in statuses]


def _card(card: Card, card_id: str, marks: tuple[str, ...] = ()) -> CardView:
    return CardView(card_id, card.title, card.type, card.cost, text=describe_card(card), marks=marks)


def _card_ids(pile: str, cards: Sequence[Card]) -> list[str]:
    """Return an id for each card of a pile: equal cards are numbered, so that the others keep their ids."""
    seen: Multiset[str] = Multiset()
    ids = []
    for card in cards:
        ids.append(f"{pile}.{card.title}.{seen[card.title]}")
        seen[card.title] += 1
    return ids


def bind_action(state: Battle, action: Action, seat: int) -> Binding:  # noqa: ARG001  (there is one seat)
    """Return the card or the fighter to click."""
    if action.type == "end":
        return Binding("End turn")
    label = describe_action(state, action).removeprefix("You ")
    label = label[0].upper() + label[1:]
    if action.type == "fighter":
        return Binding(label, _PLAYER if action.position == PLAYER else f"enemy.{action.position}")
    pile = "hand"
    if action.type == "card":
        pile = choice_pile(state)
    assert card_of(state, action) is not None
    return Binding(label, _card_ids(pile, getattr(state, pile))[action.position])


def prompt(state: Battle) -> Prompt | None:
    """Ask for the fighter or the card that a card in play needs."""
    return None if state.pending is None or is_over(state) else Prompt(prompt_text(state))


def choose(state: Battle, cards: Sequence[str]) -> Action:  # noqa: ARG001
    """Cards are chosen one at a time."""
    raise PlannerError("choice: this decision is not a choice of several cards")


def describe_move(before: Battle, action: Action, after: Battle, seat: int | None) -> str:  # noqa: ARG001
    """Describe a move; nothing is hidden."""
    return narrate_action(before, action, after)
