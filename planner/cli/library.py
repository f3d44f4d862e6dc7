"""`planner decks` and `planner cards`: what there is to play with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich import box
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from planner.cli.common import Cards, NoColor, console, examples
from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import Catalogue, standard
from planner.games.hearthstone.cards.decks import deck_names, load_deck
from planner.games.hearthstone.rules.narration import format_keywords
from planner.games.hearthstone.rules.ruleset import Ruleset

_BARS: Final = " ▁▂▃▄▅▆▇█"
_LAST_COST: Final = 7  # dearer cards share the last bar of a curve


class _ListByDefault(TyperGroup):
    """`planner decks` alone, and before names of decks, lists them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Say `list` where no other command is meant."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    ours = "planner decks", "planner decks tiny.yaml --cards my_cards.yaml --rules '{deck_size: 6}'"
    group = typer.Typer(
        cls=_ListByDefault,
        help="List decks, or read and write deck codes of the real game.",
        epilog=examples(*ours, "planner decks export mage"),
    )
    group.command("list", epilog=examples("planner decks list mage", *ours))(decks)
    group.command("import", epilog=examples("planner decks import AAECAf0E... --name 'Tempo Mage'"))(import_code)
    group.command("export", epilog=examples("planner decks export mage", "planner decks export my_deck.yaml"))(export)
    app.add_typer(group, name="decks")
    app.command(
        epilog=examples(
            "planner cards",
            "planner cards wolf",
            'planner cards "paladin divine shield"',
            "planner cards warden --cards my_cards.yaml",
            'planner cards --real "Fire Fly"',
            "planner cards --coverage",
        )
    )(cards)


def decks(
    which: Annotated[
        list[str] | None, typer.Argument(metavar="[DECK]...", help="Names or YAML files; all that come with us.")
    ] = None,
    own: Cards = None,
    rules: Annotated[str, typer.Option(help="Whose deck size and copies count; as for `planner play`.")] = "standard",
    no_color: NoColor = False,
) -> None:
    """List decks: name, class, and how many cards there are of each cost.

    The first bar of a curve counts the cards that cost 0, the last those that
    cost 7 or more.
    """
    known, ruleset = _known(own), Ruleset.of(rules)
    table = Table(box=box.SIMPLE_HEAD)
    for title in ("deck", "class", "curve 0-7+", "cards", "mean cost"):
        table.add_column(title, justify="right" if title in ("cards", "mean cost") else "left")
    for name in which or deck_names():
        deck = load_deck(name, known, ruleset.deck_size, ruleset.copies)
        mean = sum(card.cost for card in deck.cards) / len(deck.cards)
        table.add_row(Text(name), deck.hero_class, curve(deck.cards), str(len(deck.cards)), f"{mean:.1f}")
    console(no_color).print(table)


def import_code(
    code: Annotated[str, typer.Argument(metavar="CODE", help="A deck code, as the game copies it.")],
    name: Annotated[str, typer.Option(metavar="NAME", help="What to call the deck, and its file.")] = "",
    no_color: NoColor = False,
) -> None:
    """Write the deck of a code as a deck file.

    Each card is listed, with what of its text our effects cannot say. A code
    is also taken wherever a deck is named, as it is.
    """
    from planner.cli.real import import_deck  # noqa: PLC0415  (an extra)
    from planner.games.hearthstone.cards.deck_codes import deck_from_code  # noqa: PLC0415

    import_deck(console(no_color), deck_from_code(code, name))


def export(
    which: Annotated[str, typer.Argument(metavar="DECK", help="A name from `planner decks`, or a YAML file.")],
    own: Cards = None,
    rules: Annotated[str, typer.Option(help="Whose deck size and copies count; as for `planner play`.")] = "standard",
) -> None:
    """Print the code of a deck."""
    from planner.games.hearthstone.cards.deck_codes import deck_to_code  # noqa: PLC0415  (an extra)

    ruleset = Ruleset.of(rules)
    typer.echo(deck_to_code(load_deck(which, _known(own), ruleset.deck_size, ruleset.copies)))


def curve(deck: tuple[Card, ...]) -> str:
    """How many cards there are of each cost, as bars."""
    counts = Counter(min(card.cost, _LAST_COST) for card in deck)
    most = max(counts.values())
    return "".join(_BARS[-(-counts[cost] * (len(_BARS) - 1) // most)] for cost in range(_LAST_COST + 1))


def cards(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words in its name, class, keywords or text.")] = "",
    own: Cards = None,
    tokens: Annotated[bool, typer.Option("--tokens", help="Also what only other cards make, and hero powers.")] = False,
    real: Annotated[bool, typer.Option("--real", help="The real game's cards; a name, dbf id or words.")] = False,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="How many real cards our effects express, set by set.")
    ] = False,
    no_color: NoColor = False,
) -> None:
    """List the cards, or those that hold all of these words."""
    if real or coverage:
        from planner.cli.real import show_coverage, show_real  # noqa: PLC0415  (an extra)

        if real:
            show_real(console(no_color), text)
        if coverage:
            show_coverage(console(no_color))
        return
    found = find_cards(_known(own), text, tokens)
    if not found:
        raise PlannerError(f"no card holds {text!r}{'' if tokens else ' (--tokens looks at more)'}")
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("cost", justify="right")
    table.add_column("name", no_wrap=True)
    table.add_column("kind")
    table.add_column("stats", justify="right")
    table.add_column("what it does", ratio=1)
    for card in found:
        stats = f"{card.attack}/{card.health}" if card.type in ("minion", "weapon") else ""
        card_class = [] if card.card_class == "neutral" else [card.card_class]
        kind = " ".join([*card_class, *card.tribes, card.type.replace("_", " ")])
        words = ", ".join(format_keywords(card.keywords))
        what = Text.assemble((words, "cyan"), ". " if words and card.text else "", card.text)
        table.add_row(str(card.cost), card.name, kind, stats, what)
    out = console(no_color)
    out.print(table)
    out.print(f"{len(found)} {'card' if len(found) == 1 else 'cards'}")


def _known(own: list[Path] | None) -> Catalogue:
    """Our cards, and those of these files."""
    return standard().extended(*own) if own else standard()


def find_cards(known: Catalogue, text: str, tokens: bool = False) -> list[Card]:
    """The cards that hold all of these words, cheapest first; also what only other cards make, where it is wanted."""
    wanted = text.lower().split()
    found = [card for card in known.values() if _holds(card, wanted) and (tokens or not _made(card))]
    return sorted(found, key=lambda card: (card.cost, card.name))


def _made(card: Card) -> bool:
    return card.token or card.type == "hero_power"


def _holds(card: Card, words: list[str]) -> bool:
    parts = (card.name, card.card_class, card.type, " ".join(format_keywords(card.keywords)), *card.tribes, card.text)
    text = " ".join(parts).lower()
    return all(word in text for word in words)
