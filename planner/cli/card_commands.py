"""`planner decks` and `cards`: what there is to play with."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from planner.cli.console import (
    AsCsv,
    AsJson,
    Cards,
    GameName,
    console,
    counted,
    data_table,
    examples,
    named_game,
    print_rows,
    reject_options,
    write_text,
)
from planner.errors import PlannerError, quote
from planner.formats.documents import read_text
from planner.game import ListsCards, require
from planner.games import DEFAULT
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import Catalogue, standard
from planner.games.hearthstone.cards.decks import Deck, deck_names, load_deck
from planner.games.hearthstone.rules.narration import format_keywords
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.protocol.listings import card_entry, deck_entry, find_cards

if TYPE_CHECKING:
    from planner.games.hearthstone.cards.real_card_index import Printed
    from planner.games.hearthstone.cards.real_cards import RealCards

STANDARD: Final = "standard"  # the rules of a deck, unless others are named
_BARS: Final = " ▁▂▃▄▅▆▇█"
_MAX_PATH: Final = 255  # characters: longer names are not those of files
_LAST_COST: Final = 7  # cards that cost more share the last bar of a curve
_PHRASES: Final = 25  # the most frequent unsupported phrases that --coverage lists
_Rules = Annotated[str, typer.Option(help="The rules that decide deck size and copies; as for `planner play`.")]


commands = typer.Typer()


class _ListByDefault(TyperGroup):
    """Makes `planner decks` and `planner decks NAME` mean `planner decks list`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert `list` where no subcommand is given."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


# -- decks

_OWN_DECK: Final = ("planner decks", "planner decks tiny.yaml --cards my_cards.yaml --rules '{deck_size: 6}'")
deck_group = typer.Typer(
    cls=_ListByDefault,
    help="List decks, or read and write deck codes of the real game.",
    epilog=examples(*_OWN_DECK, "planner decks export mage"),
)
commands.add_typer(deck_group, name="decks")


@deck_group.command("list", epilog=examples("planner decks list mage", *_OWN_DECK, "planner decks list --game spire"))
def decks(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[DECK]...", help="Names or YAML files; by default all of ours.")
    ] = None,
    own: Cards = None,
    rules: _Rules = STANDARD,
    game_name: GameName = DEFAULT,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """List decks: name, class, and the number of cards of each cost.

    The first bar of a curve counts the cards that cost 0, the last those that
    cost 7 or more. With --game: what matches of another game start from, such
    as scenarios or kingdoms.
    """
    if game_name != DEFAULT:
        reject_options("--game", {"--cards": own, "--rules": rules != STANDARD})
        listed = named_game(game_name).setup_names()
        if not listed:
            raise PlannerError(f"{game_name} has nothing to choose: every match starts alike")
        if wrong := [name for name in names or () if name not in listed]:
            raise PlannerError(f"unknown setup {quote(wrong[0])} of {game_name}; there are {', '.join(listed)}")
        _show_rows([{"name": name} for name in names or listed], as_json, as_csv)
        return
    catalogue, ruleset = _catalogue(own), Ruleset.of(rules)
    loaded = {name: load_deck(name, catalogue, ruleset.deck_size, ruleset.copies) for name in names or deck_names()}
    if as_json or as_csv:
        print_rows([deck_entry(name, deck) for name, deck in loaded.items()], as_csv)
        return
    rows = [
        (name, deck.hero_class, curve(deck.cards), len(deck.cards), f"{fmean(card.cost for card in deck.cards):.1f}")
        for name, deck in loaded.items()
    ]
    console().print(data_table(("deck", "class", "curve 0-7+", "cards", "mean cost"), rows))


def curve(deck: tuple[Card, ...]) -> str:
    """Return the number of cards of each cost as bars."""
    counts = Counter(min(card.cost, _LAST_COST) for card in deck)
    highest = max(counts.values())
    return "".join(_BARS[-(-counts[cost] * (len(_BARS) - 1) // highest)] for cost in range(_LAST_COST + 1))


@deck_group.command(
    "import",
    epilog=examples("planner decks import AAECAf0E... --name 'Tempo Mage'", "planner decks import clipboard.txt"),
)
def import_code(
    code: Annotated[
        str,
        typer.Argument(metavar="CODE", help="A deck code as the game copies it, or a file; - reads stdin."),
    ],
    name: Annotated[str, typer.Option(metavar="NAME", help="The name of the deck and of its file.")] = "",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write; by default its name is that of the deck.")
    ] = None,
) -> None:
    """Write the deck of a code as a deck file.

    Each card is listed, with the parts of its text that our effects do not
    support. A code also works wherever a deck is named.
    """
    from planner.games.hearthstone.cards.deck_codes import deck_from_code  # noqa: PLC0415  (an extra)

    is_file = code == "-" or (len(code) < _MAX_PATH and "\n" not in code and Path(code).is_file())
    deck = deck_from_code(read_text(Path(code)) if is_file else code, name)
    _import_deck(console(stderr=str(out) == "-"), deck, out)


@deck_group.command(epilog=examples("planner decks export mage", "planner decks export my_deck.yaml"))
def export(
    name: Annotated[str, typer.Argument(metavar="DECK", help="A name from `planner decks`, or a YAML file.")],
    own: Cards = None,
    rules: _Rules = STANDARD,
) -> None:
    """Print the code of a deck."""
    from planner.games.hearthstone.cards.deck_codes import deck_to_code  # noqa: PLC0415  (an extra)

    ruleset = Ruleset.of(rules)
    typer.echo(deck_to_code(load_deck(name, _catalogue(own), ruleset.deck_size, ruleset.copies)))


def deck_yaml(deck: Deck) -> str:
    """Return the deck as a file that `planner play` reads."""
    import yaml  # noqa: PLC0415  (the other commands here do not write YAML)

    document: dict[str, object] = {"name": deck.name, "class": deck.hero_class}
    document["cards"] = [f"{count} x {name}" for name, count in Counter(card.name for card in deck.cards).items()]
    if deck.sideboard:
        side = Counter(f"{card.name} for {owner.name}" for card, owner in deck.sideboard)
        document["sideboard"] = [f"{count} x {line}" for line, count in side.items()]
    if deck.format:
        document["format"] = deck.format
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)


def _import_deck(out: Console, deck: Deck, path: Path | None) -> None:
    """Write the deck to a file of its name, and print how far its cards are supported."""
    from planner.games.hearthstone.cards.real_cards import EXACT, PARTIAL, VANILLA  # noqa: PLC0415  (an extra)

    if path is None:
        path = Path(re.sub(r"[^\w-]+", "_", deck.name).strip("_").lower() or "deck").with_suffix(".yaml")
        if path.exists():
            raise PlannerError(f"{path}: exists already; give the deck another name with --name")
    write_text(path, deck_yaml(deck))
    kinds: Counter[str] = Counter()
    for card, count in Counter(deck.cards).items():
        kinds[PARTIAL if card.unread else EXACT if card.effects else VANILLA] += count
        out.print(Text(f"  {count} x {card.name}" + (f"  (not supported: {card.unread})" if card.unread else "")))
    for card, owner in deck.sideboard:
        out.print(Text(f"  sideboard of {owner.name}: {card.name}; the rules do not use it"), soft_wrap=True)
    summary = ", ".join(f"{kinds[kind]} {kind}" for kind in (EXACT, VANILLA, PARTIAL))
    out.print(Text(f"{len(deck.cards)} cards of {quote(deck.name)}, {deck.hero_class}: {summary}. Written to {path}."))


# -- cards


@commands.command(
    epilog=examples(
        "planner cards",
        "planner cards wolf",
        'planner cards "paladin divine shield"',
        "planner cards warden --cards my_cards.yaml",
        'planner cards --real "Fire Fly"',
        "planner cards --coverage",
        "planner cards gold --game dominion",
    )
)
def cards(
    query: Annotated[
        str, typer.Argument(metavar="TEXT", help="Words in the name, class, keywords or text of a card.")
    ] = "",
    own: Cards = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Also cards that only other cards create, and hero powers.")
    ] = False,
    real: Annotated[
        bool, typer.Option("--real", help="The real game's cards; TEXT is a name, dbf id or words.")
    ] = False,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="How many real cards our effects support, set by set.")
    ] = False,
    game_name: GameName = DEFAULT,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """List the cards, or those that contain all of these words."""
    if real or coverage:
        others = {
            "--cards": own,
            "--tokens": tokens,
            "--game": game_name != DEFAULT,
            "--json": as_json,
            "--csv": as_csv,
        }
        reject_options("--real" if real else "--coverage", {"--coverage": real and coverage, **others})
        if coverage:
            _show_coverage(console())
        elif query:
            _show_real_cards(console(), query)
        else:
            raise PlannerError("--real: there are tens of thousands of cards; give TEXT: a name, a dbf id or words")
        return
    if game_name != DEFAULT:
        reject_options("--game", {"--tokens": tokens})
        entries = require(named_game(game_name, own), ListsCards, "a list of cards").card_entries()
        words = query.lower().split()
        rows = [entry._asdict() for entry in entries if all(word in " ".join(entry).lower() for word in words)]
        if not rows:
            raise PlannerError(f"no card of {game_name} contains {query!r}")
        _show_rows(rows, as_json, as_csv)
        return
    matching = find_cards(_catalogue(own), query, tokens)
    if not matching:
        raise PlannerError(f"no card contains {query!r}{'' if tokens else '; --tokens searches more cards'}")
    if as_json or as_csv:
        print_rows([card_entry(card) for card in matching], as_csv)
        return
    found = []
    for card in matching:
        stats = f"{card.attack}/{card.health}" if card.type in ("minion", "weapon") else ""
        card_class = [] if card.card_class == "neutral" else [card.card_class]
        kind = " ".join([*card_class, *card.tribes, card.type.replace("_", " ")])
        keywords = ", ".join(format_keywords(card.keywords))
        effect = Text.assemble((keywords, "cyan"), ". " if keywords and card.text else "", card.text)
        found.append((card.cost, card.name, kind, stats, effect))
    out = console()
    out.print(data_table(("cost", "name", "kind", "stats", "effect"), found))
    out.print(counted(len(matching), "card"))


def _show_rows(rows: list[dict[str, Any]], as_json: bool, as_csv: bool) -> None:
    """Print rows with the same fields as a table, or for other programs."""
    if as_json or as_csv:
        print_rows(rows, as_csv)
        return
    console().print(data_table(list(rows[0]), [list(row.values()) for row in rows]))


def _catalogue(own: list[Path] | None) -> Catalogue:
    """Return our cards, and those of these files."""
    return standard().extended(*own) if own else standard()


# -- cards of the real game


def _load_real_cards() -> RealCards:
    """Return the real cards, with a message where reading them takes a while."""
    from planner.games.hearthstone.cards.real_card_index import index_file, installed  # noqa: PLC0415  (an extra)
    from planner.games.hearthstone.cards.real_cards import real_cards  # noqa: PLC0415

    if installed() and not index_file().exists():
        typer.echo("reading the real cards, once for this version of the package: about ten seconds ...", err=True)
    return real_cards()


def _show_real_cards(out: Console, query: str) -> None:
    """Print one card in full where the query is its name, dbf number or id; else all cards with these words."""
    real = _load_real_cards()
    if (card := real.lookup(query)) is not None:
        _show_real_card(out, real, card)
        return
    words = query.casefold().split()
    matching = [card for card in real.collectible() if all(word in _search_text(card) for word in words)]
    if not matching:
        real.named(query)  # raises an error with a similar name
    rows = []
    for printed in sorted(matching, key=lambda card: (card.cost, card.name, card.dbf)):
        card_ = real.card(printed)
        stats = f"{card_.attack}/{card_.health}" if card_.type != "spell" else ""
        kind = _kind_text(printed)
        rows.append((printed.dbf, printed.cost, printed.name, kind, stats, real.kind(printed), card_.text))
    out.print(data_table(("dbf", "cost", "name", "kind", "stats", "class", "text"), rows))
    out.print(counted(len(matching), "card"))


def _search_text(printed: Printed) -> str:
    words = (*printed.classes, *printed.tribes, *printed.keywords)
    parts = (printed.name, printed.type, printed.set, printed.text, *words)
    return re.sub(r"</?[bi]>|[_\s]+", " ", " ".join(parts)).casefold()


def _kind_text(printed: Printed) -> str:
    classes = [name for name in printed.classes if name != "neutral"]
    return " ".join([*classes, *printed.tribes, printed.type])


def _show_real_card(out: Console, real: RealCards, printed: Printed) -> None:
    from planner.games.hearthstone.cards.card_format import card_to_dict  # noqa: PLC0415  (one card in words)

    card = real.card(printed)
    stats = f", {card.attack}/{card.health}" if printed.type in ("minion", "weapon") else ""
    where = f"set {printed.set}, dbf {printed.dbf}, id {printed.id}"
    out.print(Text(f"{printed.name}: {_kind_text(printed)}, cost {printed.cost}{stats}; {where}"))
    rows = [("text", card.text), ("keywords", ", ".join(format_keywords(card.keywords)))]
    effects = card_to_dict(card)["effects"] if card.effects else []
    rows += [("effect", ", ".join(f"{key}: {value}" for key, value in effect.items())) for effect in effects]
    rows += [("class", real.kind(printed)), ("not supported", card.unread)]
    for title, value in rows:
        if value:
            out.print(Text(f"  {title:14}{value}"), soft_wrap=True)


def _show_coverage(out: Console) -> None:
    """Print how many cards of each set are supported, and the most frequent phrases that are not."""
    from planner.games.hearthstone.cards.real_cards import EXACT, PARTIAL, VANILLA  # noqa: PLC0415  (an extra)

    real = _load_real_cards()
    sets: dict[str, Counter[str]] = defaultdict(Counter)
    phrases: Counter[str] = Counter()
    for printed in real.collectible():
        sets[printed.set][real.kind(printed)] += 1
        phrases.update({re.sub(r"\d+", "N", phrase) for phrase in real.card(printed).unread.split("; ") if phrase})
    kinds = (EXACT, VANILLA, PARTIAL)
    rows = []
    for name, counts in [*sorted(sets.items()), ("all", sum(sets.values(), Counter()))]:
        covered = counts[EXACT] + counts[VANILLA]
        numbers = [counts[kind] for kind in kinds]
        rows.append((name, *numbers, counts.total(), f"{covered} ({covered / counts.total():.0%})"))
    out.print(data_table(("set", *kinds, "cards", f"{EXACT} or {VANILLA}"), rows))
    out.print("Phrases that are not supported, and the number of cards with them (N for any number):")
    for phrase, count in phrases.most_common(_PHRASES):
        out.print(Text(f"{count:5}  {phrase}"), soft_wrap=True)
