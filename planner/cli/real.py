"""`planner cards --real` and `--coverage`, `planner decks import` and `export`: the real game's cards and decks."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

import typer
import yaml
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from planner.cli.common import write_text
from planner.errors import PlannerError, quote
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.cards.real_card_index import Printed, index_file, installed
from planner.games.hearthstone.cards.real_cards import EXACT, PARTIAL, VANILLA, RealCards, real_cards
from planner.games.hearthstone.rules.narration import format_keywords

_CLASSES = (EXACT, VANILLA, PARTIAL)
_PHRASES = 25  # the most frequent that are not covered


def _real_cards() -> RealCards:
    """The real cards, with a word where reading them takes a while."""
    if installed() and not index_file().exists():
        typer.echo("reading the real cards, once for this version of the package: some ten seconds ...", err=True)
    return real_cards()


def show_real(out: Console, text: str) -> None:
    """The cards that hold all of these words; one in full where they are its name, its dbf number or its id."""
    real = _real_cards()
    if (one := real.lookup(text)) is not None:
        _show_one(out, real, one)
        return
    words = text.casefold().split()
    found = [one for one in real.collectible() if all(word in _said(one) for word in words)]
    if not found:
        real.named(text)  # refuses, with a name that is near
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for title in ("dbf", "cost", "name", "kind", "stats", "class", "text"):
        table.add_column(title, justify="right" if title in ("dbf", "cost", "stats") else "left")
    for one in sorted(found, key=lambda one: (one.cost, one.name, one.dbf)):
        card = real.card(one)
        stats = f"{card.attack}/{card.health}" if card.type != "spell" else ""
        row = (str(one.dbf), str(one.cost), one.name, _kind(one), stats, real.kind(one), card.text)
        table.add_row(*(Text(cell) for cell in row))
    out.print(table)
    out.print(f"{len(found)} {'card' if len(found) == 1 else 'cards'}")


def _said(one: Printed) -> str:
    parts = (one.name, one.type, one.set, one.text, *one.classes, *one.tribes, *one.keywords)
    return re.sub(r"</?[bi]>|[_\s]+", " ", " ".join(parts)).casefold()


def _kind(one: Printed) -> str:
    classes = [name for name in one.classes if name != "neutral"]
    return " ".join([*classes, *one.tribes, one.type])


def _show_one(out: Console, real: RealCards, one: Printed) -> None:
    card, kind = real.card(one), real.kind(one)
    stats = f", {card.attack}/{card.health}" if one.type in ("minion", "weapon") else ""
    out.print(Text(f"{one.name}: {_kind(one)}, cost {one.cost}{stats}; set {one.set}, dbf {one.dbf}, id {one.id}"))
    rows = [("text", card.text), ("keywords", ", ".join(format_keywords(card.keywords)))]
    rows += [("effect", _effect(card, place)) for place in range(len(card.effects))]
    rows += [("class", kind), ("not expressed", card.unread)]
    for title, value in rows:
        if value:
            out.print(Text(f"  {title:14}{value}"), soft_wrap=True)


def _effect(card: Card, place: int) -> str:
    from planner.games.hearthstone.rules.state_writer import card_to_dict  # noqa: PLC0415  (one card in words)

    return ", ".join(f"{key}: {value}" for key, value in card_to_dict(card)["effects"][place].items())


def show_coverage(out: Console) -> None:
    """How many cards of each set are exact, body and partial, and what most of the partial ones lack."""
    real = _real_cards()
    sets: dict[str, Counter[str]] = defaultdict(Counter)
    phrases: Counter[str] = Counter()
    for one in real.collectible():
        sets[one.set][real.kind(one)] += 1
        phrases.update({re.sub(r"\d+", "N", phrase) for phrase in real.card(one).unread.split("; ") if phrase})
    total = sum(sets.values(), Counter())
    table = Table(box=box.SIMPLE_HEAD)
    for title in ("set", *_CLASSES, "cards", "exact or body"):
        table.add_column(title, justify="left" if title == "set" else "right")
    for name, counts in [*sorted(sets.items()), ("all", total)]:
        covered = counts[EXACT] + counts[VANILLA]
        numbers = [counts[kind] for kind in _CLASSES]
        table.add_row(name, *map(str, numbers), str(counts.total()), f"{covered} ({covered / counts.total():.0%})")
    out.print(table)
    out.print("What is not expressed, and on how many cards (N for any number):")
    for phrase, count in phrases.most_common(_PHRASES):
        out.print(Text(f"{count:5}  {phrase}"), soft_wrap=True)


def deck_yaml(deck: Deck) -> str:
    """The deck as a file that `planner play` takes."""
    document: dict[str, object] = {"name": deck.name, "class": deck.hero_class}
    document["cards"] = [f"{count} x {name}" for name, count in Counter(card.name for card in deck.cards).items()]
    if deck.sideboard:
        side = Counter(f"{card.name} for {owner.name}" for card, owner in deck.sideboard)
        document["sideboard"] = [f"{count} x {line}" for line, count in side.items()]
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)


def import_deck(out: Console, deck: Deck) -> None:
    """Write the deck to a file of its name, and say what is known of its cards."""
    path = Path(re.sub(r"[^\w-]+", "_", deck.name).strip("_").lower() or "deck").with_suffix(".yaml")
    if path.exists():
        raise PlannerError(f"{path}: is there already; another name is given with --name")
    write_text(path, deck_yaml(deck))
    kinds: Counter[str] = Counter()
    for card, count in Counter(deck.cards).items():
        kind = PARTIAL if card.unread else EXACT if card.effects else VANILLA
        kinds[kind] += count
        out.print(Text(f"  {count} x {card.name}" + (f"  (not expressed: {card.unread})" if card.unread else "")))
    for card, owner in deck.sideboard:
        out.print(Text(f"  beside the deck, for {owner.name}: {card.name}; the rules do not use it"), soft_wrap=True)
    counted = ", ".join(f"{kinds[kind]} {kind}" for kind in _CLASSES)
    out.print(Text(f"{len(deck.cards)} cards of {quote(deck.name)}, {deck.hero_class}: {counted}. Written to {path}."))
