"""Tables and actions of deck-building games in words."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from planner.games.deckbuilder import rules
from planner.games.deckbuilder.definition import HEALTH
from planner.games.deckbuilder.observation import observe
from planner.games.deckbuilder.table_state import HIDDEN, Action, Player, State


def card_list(state: State, cards: Sequence[int]) -> str:
    """Return cards as text, equal ones together: `Copper x3, Silver`."""
    names = state.match.definition.cards
    counts = Counter(cards)
    words = [
        (names[card].name if card != HIDDEN else "hidden") + (f" x{number}" if number > 1 else "")
        for card, number in sorted(counts.items())
    ]
    return ", ".join(words) or "none"


def show(state: State, width: int = 80) -> str:
    """Return the table as the seat to move sees it."""
    seat = rules.to_move(state)
    view = observe(state, seat)
    definition = state.match.definition
    lines: list[str] = []
    names = definition.cards
    piles = state.match.piles
    supply = []
    for slot, (top, left) in enumerate(zip(view.tops, view.left, strict=True)):
        if slot < len(piles):
            label = names[top].name if top >= 0 else piles[slot].name
            supply.append(f"{label} {'-' if piles[slot].permanent else left}")
    _add(lines, "supply", ", ".join(supply), width)
    if definition.row:
        _add(lines, "row", ", ".join(names[top].name for top in view.tops[len(piles) :] if top >= 0) or "empty", width)
    for other, player in enumerate(view.players):
        if other != seat:
            _add(lines, f"player {other + 1}", _counts(view, player), width)
    player = view.players[seat]
    _add(lines, "you", _counts(view, player), width)
    if player.in_play:
        _add(lines, "in play", card_list(view, player.in_play), width)
    if player.played:
        _add(lines, "played", card_list(view, player.played), width)
    _add(lines, "hand", card_list(view, player.hand), width)
    stats = ", ".join(f"{stat} {value}" for stat, value in zip(definition.stats, state.stats, strict=True))
    lines.append(f"{state.phase_name} phase: {stats}")
    if state.prompt is not None:
        lines.append(f"decision: {state.prompt.message}")
    return "\n".join(lines)


def _add(lines: list[str], label: str, text: str, width: int) -> None:
    lines += textwrap.wrap(f"{label}: {text}", max(20, width), subsequent_indent="  ")


def _counts(state: State, player: Player) -> str:
    definition = state.match.definition
    words = [
        f"hand {len(player.hand)}",
        f"deck {len(player.deck) + len(player.top)}",
        f"discard pile {len(player.discard) + len(player.unseen)}",
    ]
    if player.discard and player.discard[-1] != HIDDEN:
        words[-1] += f" ({definition.cards[player.discard[-1]].name} on top)"
    if definition.victory == HEALTH:
        words.append(f"health {player.health}")
    if player.points:
        words.append(f"points {player.points}")
    return ", ".join(words)


def describe_action(state: State, action: Action, after: State | None = None) -> str:
    """Return what the action does, with what it changed for the player where `after` is known."""
    words = _words(state, action)
    if after is None:
        return words
    return f"{words}{_results(state, action, after)}"


def _words(state: State, action: Action) -> str:
    prompt = state.prompt
    if prompt is not None:
        who = f"player {prompt.seat + 1}: " if prompt.seat != state.active else ""
        message = prompt.message or "choose"
        if action.type == "choose":
            return f"{who}{message}: {action.card}"
        return f"{who}{message}: {action.type}"
    if action.type == "play":
        return f"plays {action.card}"
    if action.type == "use":
        return f"uses {action.card}"
    if action.type == "buy":
        kind = state.match.definition.cards[state.match.definition.ids[action.card]]
        return f"{'buys' if kind.kept else 'defeats'} {action.card}"
    last = state.phase >= len(state.match.definition.phases) - 1
    return "ends the turn" if last else f"ends the {state.phase_name} phase"


def _results(state: State, action: Action, after: State) -> str:
    """Return the changes that matter: stats, cards drawn, gained and trashed, health and points.

    Another player who decides in this turn must not read what its owner draws.
    """
    parts: list[str] = []
    seat = state.active
    definition = state.match.definition
    if rules.to_move(state) == seat == after.active and after.turn == state.turn and not after.ended:
        for stat, before, now in zip(definition.stats, state.stats, after.stats, strict=True):
            if now > before:
                parts.append(f"+{now - before} {stat}")
        hand = Counter(after.players[seat].hand) - Counter(state.players[seat].hand)
        if hand:
            parts.append(f"gets {card_list(state, sorted(hand.elements()))}")
    trashed = Counter(after.trash) - Counter(state.trash)
    if trashed and action.type != "buy":
        parts.append(f"{card_list(state, sorted(trashed.elements()))} trashed")
    for other, (before_player, player) in enumerate(zip(state.players, after.players, strict=True)):
        who = f"player {other + 1} " if other != seat else ""
        if player.health != before_player.health:
            parts.append(f"{who}health {before_player.health} -> {player.health}")
        if player.points != before_player.points:
            parts.append(f"{who}+{player.points - before_player.points} points")
    if after.ended:
        totals = ", ".join(str(score) for score in rules.scores(after))
        parts.append(f"the match ends: {totals}")
    return f" ({'; '.join(parts)})" if parts else ""
