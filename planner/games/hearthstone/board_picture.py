"""Draw the board as plain text: both heroes, the minions as boxes, and the hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from planner.games.hearthstone.cards.keywords import TAUNT
from planner.games.hearthstone.rules.narration import format_health, format_keywords, format_status, hero_names
from planner.games.hearthstone.rules.state import GameState, Minion, Player, hero_attack

_FRAME: Final = "╭─╮│╰╯"
_TAUNT_FRAME: Final = "╔═╗║╚╝"
_MIN_WIDTH: Final = 20


def draw_board(state: GameState, width: int = 80) -> str:
    """Draw the enemy above `me` and the hand. Heroes without a class are called `you` and `enemy`."""
    seats = hero_names(state)
    mine, theirs = seats[state.seat], seats[1 - state.seat]
    if state.me.hero.hero_class == state.enemy.hero.hero_class == "neutral":
        mine, theirs = "you", "enemy"
    margin = max(map(len, (mine, theirs, "hand"))) + 2
    board_width = max(_MIN_WIDTH, width - margin - 2)

    def board(player: Player) -> list[str]:
        return [" " * margin + line for line in _boxes(player.board, board_width)]

    hand = ", ".join(f"{card.card.name} ({card.cost})" for card in state.me.hand) or "nothing"
    lines = [
        theirs.ljust(margin) + _hero_line(state.enemy, with_hand=True),
        *board(state.enemy),
        *board(state.me),
        mine.ljust(margin) + _hero_line(state.me, with_hand=False),
        "hand".ljust(margin) + f"{hand}; {state.me.mana} mana",
    ]
    return "\n".join(line.rstrip() for line in lines)


def _hero_line(player: Player, with_hand: bool) -> str:
    """Return health, weapon, keywords, and the number of hidden cards."""
    hero = player.hero
    parts = [f"health {format_health(hero)}"]
    if player.weapon is not None:
        parts.append(f"{player.weapon.card.name} {player.weapon.attack}/{player.weapon.durability}")
    elif hero_attack(player):
        parts.append(f"attack {hero_attack(player)}")
    parts.extend(format_keywords(hero.keywords))
    if with_hand and player.hand:
        parts.append(f"hand {len(player.hand)}")
    if player.deck:
        parts.append(f"deck {len(player.deck)}")
    return ", ".join(parts)


def _boxes(board: tuple[Minion, ...], width: int) -> Iterator[str]:
    """Yield the lines of the minions side by side, in as many rows as the width needs."""
    row: list[tuple[str, str, str]] = []
    used = 0
    for box in map(_box, board):
        size = len(box[0]) + 1
        if row and used + size > width:
            yield from map(" ".join, zip(*row, strict=True))
            row, used = [], 0
        row.append(box)
        used += size
    if row:
        yield from map(" ".join, zip(*row, strict=True))


def _box(minion: Minion) -> tuple[str, str, str]:
    """Return three lines with the name, attack/health and keywords. Taunt minions have a double frame."""
    status = format_status(minion)
    stats = f"{minion.attack}/{minion.health}" + (f"  {', '.join(status)}" if status else "")
    left, line, right, side, low_left, low_right = _TAUNT_FRAME if minion.keywords & TAUNT else _FRAME
    name = minion.card.name
    inner = max(len(name), len(stats)) + 2
    top = f"{left}{line}{name}{line * (inner - 1 - len(name))}{right}"
    return top, f"{side} {stats.ljust(inner - 2)} {side}", f"{low_left}{line * inner}{low_right}"
