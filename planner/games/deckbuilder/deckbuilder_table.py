"""A deck-building game as a table that any client can show: players, the supply, and what to click for an action."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Sequence
from typing import Final

from planner.games.deckbuilder import rules
from planner.games.deckbuilder.deckbuilder_text import describe_action
from planner.games.deckbuilder.definition import HEALTH
from planner.games.deckbuilder.table_state import HIDDEN, Action, Decision, Player, State
from planner.table_view import Binding, CardView, Counter, Prompt, Side, Zone

_OPEN_ZONES: Final = {
    "in_play": "In play",
    "played": "Played",
    "revealed": "Revealed",
    "aside": "Set aside",
    "looked": "Looking at",
}
_PRIVATE: Final = ("hand", "looked", "deck")


def table_sides(state: State, seat: int | None) -> Sequence[Side]:
    """Return the opponents, the supply, and the seat that looks."""
    others = [other for other in range(len(state.players)) if other != seat]
    if seat is not None:  # the next player first
        others = [(seat + offset) % len(state.players) for offset in range(1, len(state.players))]
    sides = [_player_side(state, other, False) for other in others]
    sides.append(_shared_side(state))
    if seat is not None:
        sides.append(_player_side(state, seat, True))
    return sides


def _card(state: State, card: int, card_id: str, count: int = 1, marks: tuple[str, ...] = ()) -> CardView:
    if card == HIDDEN:
        return CardView(card_id, count=count, face_down=True)
    kind = state.match.definition.cards[card]
    points = (Counter("points", kind.points.constant),) if kind.points.constant and not kind.points.terms else ()
    cost = None
    if kind.cost is not None:
        cost = rules.cost_of(state, card)
    return CardView(
        card_id,
        kind.name,
        kind.types[0],
        cost,
        points,
        tuple(filter(None, (kind.faction, *kind.types[1:]))),
        kind.text,
        marks,
        count,
    )


def _cards(state: State, cards: Sequence[int], prefix: str) -> tuple[CardView, ...]:
    """Return equal cards as one pile each."""
    return tuple(
        _card(state, card, _card_id(state, prefix, card), count) for card, count in sorted(Multiset(cards).items())
    )


def _card_id(state: State, prefix: str, card: int) -> str:
    return f"{prefix}.{state.match.definition.cards[card].name if card != HIDDEN else 'hidden'}"


def _player_side(state: State, seat: int, own: bool) -> Side:
    player: Player = state.players[seat]
    definition, prefix = state.match.definition, f"seat.{seat}"
    zones = []
    for name, label in _OPEN_ZONES.items():
        cards = getattr(player, name)
        if cards:
            zones.append(Zone(f"{prefix}.{name}", label, "row", _cards(state, cards, f"{prefix}.{name}")))
    hand = Zone(f"{prefix}.hand", "Hand", "hand", _cards(state, player.hand, f"{prefix}.hand"), len(player.hand))
    known = tuple(_card(state, card, f"{prefix}.top.{index}") for index, card in enumerate(player.top))
    deck = Zone(f"{prefix}.deck", "Deck", "pile", known, len(player.deck) + len(player.top))
    if own:  # players know their own discard pile
        shown = _cards(state, player.discard, f"{prefix}.discard")
    else:
        shown = _cards(state, player.discard[-1:], f"{prefix}.discard")
    discard = Zone(f"{prefix}.discard", "Discard pile", "pile", shown, len(player.discard) + len(player.unseen))
    zones += [hand, deck, discard]
    counters = [Counter("health", player.health)] if definition.victory == HEALTH else []
    if player.points:
        counters.append(Counter("points", player.points))
    marks: tuple[str, ...] = ()
    if seat == state.active and not state.ended:
        counters += [Counter(stat, value) for stat, value in zip(definition.stats, state.stats, strict=True)]
        marks = ("on turn",)
    return Side(prefix, f"Player {seat + 1}", seat, tuple(counters), marks, tuple(zones))


def _shared_side(state: State) -> Side:
    definition, piles = state.match.definition, state.match.piles
    supply = []
    for slot, pile in enumerate(piles):
        top, left = state.tops[slot], state.left[slot]
        if top < 0:
            supply.append(CardView(f"supply.{slot}", pile.name, marks=("empty",), count=0))
        else:
            supply.append(_card(state, top, f"supply.{slot}", left))
    zones = [Zone("supply", "Supply", "grid", tuple(supply))]
    row = [
        _card(state, top, f"supply.{slot}") for slot, top in enumerate(state.tops) if slot >= len(piles) and top >= 0
    ]
    if definition.row:
        zones.insert(0, Zone("row", "Centre row", "row", tuple(row)))
    zones.append(Zone("trash", "Trash", "pile", _cards(state, state.trash, "trash"), len(state.trash)))
    counters = (Counter("reserve", state.reserve),) if definition.reserve else ()
    return Side("table", f"Supply ({state.phase_name} phase)", None, counters, (), tuple(zones))


def bind_action(state: State, action: Action, seat: int) -> Binding:
    """Return the card to click, or a button."""
    definition = state.match.definition
    if action.type in ("play", "use"):
        zone = "hand" if action.type == "play" else "in_play"
        label = f"{action.type.capitalize()} {action.card}"
        return Binding(label, _card_id(state, f"seat.{seat}.{zone}", definition.ids[action.card]))
    if action.type == "buy":
        words = describe_action(state, action)
        return Binding(words[0].upper() + words[1:].replace("s ", " ", 1), _supply_id(state, action.card))
    if action.type == "choose" and action.zone != "options":
        return Binding(f"Choose {action.card}", _choice_id(state, action))
    if action.type == "choose":
        return Binding(action.card)
    if action.type == "end":
        last = state.phase >= len(definition.phases) - 1
        return Binding("End turn" if last else f"End {state.phase_name} phase")
    return Binding(action.type.capitalize())


def _supply_id(state: State, card: str) -> str:
    number = state.match.definition.ids[card]
    slot = next((slot for slot, top in state.offers if top == number), None)
    return f"supply.{state.tops.index(number) if slot is None else slot}"


def _choice_id(state: State, action: Action) -> str | None:
    ids = state.match.definition.ids
    if action.zone == "supply":
        return _supply_id(state, action.card)
    card = ids.get(action.card, HIDDEN)
    if action.zone == "trash":
        return _card_id(state, "trash", card)
    owner = state.frames[-1].player if state.frames else state.active
    player = state.players[owner]
    if action.zone == "deck":
        return f"seat.{owner}.deck"
    if card not in getattr(player, action.zone):
        return None
    if action.zone == "discard" and owner != rules.to_move(state) and card != player.discard[-1]:
        return f"seat.{owner}.discard"
    return _card_id(state, f"seat.{owner}.{action.zone}", card)


def prompt(state: State) -> Prompt | None:
    """Return what a card in play asks."""
    decision: Decision | None = state.prompt
    if decision is None or state.ended:
        return None
    words = decision.message or "choose"
    if decision.kind == "cards":
        number = f"{decision.low}" if decision.low == decision.high else f"{decision.low} to {decision.high}"
        chosen = f"; chosen {len(decision.picked)}" if decision.picked else ""
        words = f"{words} ({number}{chosen})"
    return Prompt(words[0].upper() + words[1:])


def describe_move(before: State, action: Action, after: State, seat: int | None) -> str:
    """Describe a move; what others draw, look at or choose from their hands is not named."""
    if seat == rules.to_move(before):
        return describe_action(before, action, after)
    if before.prompt is None:
        return describe_action(before, action)
    if action.type == "choose" and action.zone in _PRIVATE:
        return "chooses a card"
    if action.type == "choose":
        return f"chooses {action.card}"
    return {"yes": "answers yes", "no": "answers no"}.get(action.type, "has chosen")
