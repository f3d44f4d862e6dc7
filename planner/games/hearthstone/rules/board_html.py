"""Draw a board as HTML, for notebooks: both heroes, the minions as boxes, and the hand."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

from planner.games.hearthstone.cards.keywords import TAUNT
from planner.games.hearthstone.rules.narration import format_card, format_health, format_keywords, format_status
from planner.games.hearthstone.rules.state import GameState, Player, hero_attack

# Colours that are readable on a white and on a black page.
_BOX: Final = "border:{width}px solid #888;border-radius:6px;padding:2px 8px;text-align:center;min-width:5em"
_ROW: Final = "display:flex;flex-wrap:wrap;gap:6px;margin:4px 0;align-items:center"


def board_html(state: GameState) -> str:
    """Draw the enemy above `me` and the hand; taunt minions have a thick frame."""
    mana = f"{state.me.mana} mana"
    hand = [(held.card.name, f"{held.cost} mana", format_card(held.card)) for held in state.me.hand]
    rows = [
        _row([_hero("enemy", state.enemy)]),
        _row(_minions(state.enemy)),
        _row(_minions(state.me)),
        _row([_hero("you", state.me), _box("mana", mana)]),
        _row([_box(name, cost, title) for name, cost, title in hand]),
    ]
    return f'<div style="font-size:90%">{"".join(rows)}</div>'


def _row(boxes: Iterable[str]) -> str:
    return f'<div style="{_ROW}">{"".join(boxes)}</div>'


def _box(name: str, numbers: str, title: str = "", width: int = 1) -> str:
    style = _BOX.format(width=width)
    return f'<div style="{style}" title="{escape(title)}"><b>{escape(name)}</b><br>{escape(numbers)}</div>'


def _hero(name: str, player: Player) -> str:
    parts = [f"{format_health(player.hero)} health"]
    if player.weapon is not None:
        parts.append(f"{player.weapon.card.name} {player.weapon.attack}/{player.weapon.durability}")
    elif hero_attack(player):
        parts.append(f"{hero_attack(player)} attack")
    return _box(name, ", ".join([*parts, *format_keywords(player.hero.keywords)]), width=2)


def _minions(player: Player) -> list[str]:
    return [
        _box(
            minion.card.name,
            " ".join([f"{minion.attack}/{minion.health}", *format_status(minion)]),
            minion.card.text,
            3 if minion.keywords & TAUNT else 1,
        )
        for minion in player.board
    ]
