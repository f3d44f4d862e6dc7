"""The table as a picture of plain text: both heroes, the minions as boxes, the hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from planner.games.hearthstone.cards.keywords import TAUNT
from planner.games.hearthstone.rules.narration import format_health, format_keywords, hero_names
from planner.games.hearthstone.rules.state import GameState, Minion, Player, hero_attack

_ROUND: Final = "╭─╮│╰╯"
_DOUBLE: Final = "╔═╗║╚╝"  # a taunt minion is a wall
_LEAST_WIDTH: Final = 20


def table_picture(state: GameState, width: int = 80) -> str:
    """The enemy above, `me` and the hand below. Heroes without a class are you and the enemy."""
    seats = hero_names(state)
    mine, theirs = seats[state.seat], seats[1 - state.seat]
    if state.me.hero.hero_class == state.enemy.hero.hero_class == "neutral":
        mine, theirs = "you", "enemy"
    margin = max(map(len, (mine, theirs, "hand"))) + 2
    room = max(_LEAST_WIDTH, width - margin - 2)

    def board(player: Player) -> list[str]:
        return [" " * margin + line for line in _boxes(player.board, room)]

    hand = ", ".join(f"{held.card.name} ({held.cost})" for held in state.me.hand) or "nothing"
    lines = [
        theirs.ljust(margin) + _hero_line(state.enemy, hand=True),
        *board(state.enemy),
        *board(state.me),
        mine.ljust(margin) + _hero_line(state.me, hand=False),
        "hand".ljust(margin) + f"{hand}; {state.me.mana} mana",
    ]
    return "\n".join(line.rstrip() for line in lines)


def _hero_line(player: Player, hand: bool) -> str:
    """Life, weapon, keywords, and how many cards nobody sees."""
    hero = player.hero
    parts = [f"health {format_health(hero)}"]
    if player.weapon is not None:
        parts.append(f"{player.weapon.card.name} {player.weapon.attack}/{player.weapon.durability}")
    elif hero_attack(player):
        parts.append(f"attack {hero_attack(player)}")
    parts.extend(format_keywords(hero.keywords))
    if hand and player.hand:
        parts.append(f"hand {len(player.hand)}")
    if player.deck:
        parts.append(f"deck {len(player.deck)}")
    return ", ".join(parts)


def _boxes(board: tuple[Minion, ...], width: int) -> Iterator[str]:
    """The minions side by side, in as many rows as the width needs."""
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
    """Three lines: the name in the frame, then attack/health and keywords; a double frame is a taunt."""
    marks = format_keywords(minion.keywords) + (["silenced"] if minion.silenced else [])
    stats = f"{minion.attack}/{minion.health}" + (f"  {', '.join(marks)}" if marks else "")
    left, line, right, side, low_left, low_right = _DOUBLE if minion.keywords & TAUNT else _ROUND
    name = minion.card.name
    inner = max(len(name), len(stats)) + 2
    top = f"{left}{line}{name}{line * (inner - 1 - len(name))}{right}"
    return top, f"{side} {stats.ljust(inner - 2)} {side}", f"{low_left}{line * inner}{low_right}"
