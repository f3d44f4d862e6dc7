"""`planner decks` and `planner cards`: what there is to play with."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Final

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from planner.cli.common import NoColor, console, examples
from planner.files import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.decks import deck_names, load_deck
from planner.games.hearthstone.rules.words import keyword_words

_BARS: Final = " ▁▂▃▄▅▆▇█"
_LAST_COST: Final = 7  # dearer cards share the last bar of a curve


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(epilog=examples("planner decks"))(decks)
    app.command(epilog=examples("planner cards", "planner cards wolf", 'planner cards "paladin divine shield"'))(cards)


def decks(no_color: NoColor = False) -> None:
    """List the decks: name, class, and how many cards there are of each cost.

    The first bar of a curve counts the cards that cost 0, the last those that
    cost 7 or more.
    """
    table = Table(box=box.SIMPLE_HEAD)
    for title in ("deck", "class", "curve 0-7+", "cards", "mean cost"):
        table.add_column(title, justify="right" if title in ("cards", "mean cost") else "left")
    for name in deck_names():
        deck = load_deck(name)
        mean = sum(card.cost for card in deck.cards) / len(deck.cards)
        table.add_row(name, deck.hero_class, curve(deck.cards), str(len(deck.cards)), f"{mean:.1f}")
    console(no_color).print(table)


def curve(deck: tuple[Card, ...]) -> str:
    """How many cards there are of each cost, as bars."""
    counts = Counter(min(card.cost, _LAST_COST) for card in deck)
    most = max(counts.values())
    return "".join(_BARS[-(-counts[cost] * (len(_BARS) - 1) // most)] for cost in range(_LAST_COST + 1))


def cards(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words in its name, class, keywords or text.")] = "",
    tokens: Annotated[bool, typer.Option("--tokens", help="Also what only other cards make, and hero powers.")] = False,
    no_color: NoColor = False,
) -> None:
    """List the cards, or those that hold all of these words."""
    wanted = text.lower().split()
    found = [card for card in standard().values() if _holds(card, wanted) and (tokens or not _made(card))]
    if not found:
        raise PlannerError(f"no card holds {text!r}{'' if tokens else ' (--tokens looks at more)'}")
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("cost", justify="right")
    table.add_column("name", no_wrap=True)
    table.add_column("kind")
    table.add_column("stats", justify="right")
    table.add_column("what it does", ratio=1)
    for card in sorted(found, key=lambda card: (card.cost, card.name)):
        stats = f"{card.attack}/{card.health}" if card.type in ("minion", "weapon") else ""
        card_class = [] if card.card_class == "neutral" else [card.card_class]
        kind = " ".join([*card_class, *card.tribes, card.type.replace("_", " ")])
        words = ", ".join(keyword_words(card.keywords))
        what = Text.assemble((words, "cyan"), ". " if words and card.text else "", card.text)
        table.add_row(str(card.cost), card.name, kind, stats, what)
    out = console(no_color)
    out.print(table)
    out.print(f"{len(found)} {'card' if len(found) == 1 else 'cards'}")


def _made(card: Card) -> bool:
    return card.token or card.type == "hero_power"


def _holds(card: Card, words: list[str]) -> bool:
    parts = (card.name, card.card_class, card.type, " ".join(keyword_words(card.keywords)), *card.tribes, card.text)
    text = " ".join(parts).lower()
    return all(word in text for word in words)
