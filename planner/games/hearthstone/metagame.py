"""Metagames of this game: decks from files, codes and finished tournaments, and the opponent that they make likely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import read_text
from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.decks import Deck, deck_names, load_deck
from planner.games.hearthstone.rules.state import GameState, HandCard, in_hand
from planner.meta.deckfile import read_metagame
from planner.meta.decks import KnownDeck, Metagame
from planner.meta.forecast import Forecast, Seen
from planner.meta.mixture import Mixture

__all__ = ["Opponent", "load_metagame"]

SHIPPED: Final = "ours"  # the name of the metagame that needs no file
_VARIANTS: Final = 12  # of each class deck
_DECK_FILES: Final = (".yaml", ".yml", ".txt")


def load_metagame(which: str | Path = SHIPPED) -> Metagame:
    """`ours`, a JSON file of decks, a folder of deck files and deck codes, or the results of a tournament."""
    if str(which) == SHIPPED:
        return shipped_metagame()
    path = Path(which)
    if path.is_dir() and (path / "manifest.json").exists():
        return _from_results(path)
    if path.is_dir():
        return _from_folder(path)
    return read_metagame(path, lookup)


def lookup(which: int | str) -> tuple[str, int] | None:
    """The name and cost of a card of the catalogue or of the real game, by name or dbf number."""
    if isinstance(which, str) and which in standard():
        return which, standard()[which].cost
    from planner.games.hearthstone.cards.printed import INSTALL, installed  # noqa: PLC0415  (an extra)
    from planner.games.hearthstone.cards.real import real_cards  # noqa: PLC0415

    if isinstance(which, bool) or not isinstance(which, int | str):
        return None
    if not installed():
        if str(which).isdecimal():  # only the real cards have numbers
            raise PlannerError(f"{quote(which)} is a number of a real card, and the real cards are an extra: {INSTALL}")
        return None
    found = real_cards().by_dbf(which) if isinstance(which, int) else real_cards().lookup(which)
    return (found.name, found.cost) if found is not None else None


def card_named(name: str) -> Card:
    """The card behind a name in a metagame."""
    if name in standard():
        return standard()[name]
    found = _real(name)
    if found is None:
        raise PlannerError(f"{quote(name)} is not a card{did_you_mean(name, standard())}")
    return found


def is_card(name: str) -> bool:
    """Is there a card of this name? A minion in somebody's state may have any."""
    return name in standard() or _real(name) is not None


def _real(name: str) -> Card | None:
    from planner.games.hearthstone.cards.real import find  # noqa: PLC0415  (an extra)

    return find(name)


def _known(deck: Deck, archetype: str = "", games: float = 1.0, win_rate: float | None = None) -> KnownDeck:
    counts = Counter(card.name for card in deck.cards)
    return KnownDeck(tuple(sorted(counts.items())), deck.hero_class, archetype or deck.name, games, win_rate, deck.name)


def _metagame(decks: Iterable[tuple[Deck, KnownDeck]]) -> Metagame:
    pairs = sorted(decks, key=lambda pair: pair[1].archetype)
    costs = {card.name: card.cost for deck, _ in pairs for card in deck.cards}
    return Metagame([known for _, known in pairs], costs)


@cache
def shipped_metagame() -> Metagame:
    """The class decks of the project and variants of them: some cards swapped for others of the class.

    A base deck is played as often as all its variants together. Enough to try everything on; what people play today is
    in files of theirs.
    """
    chance = Random(2019)
    pool = [card for card in standard().values() if not card.token and card.type != "hero_power"]
    found = []
    for name in deck_names():
        deck = load_deck(name)
        if any(standard()[card.name] != card for card in deck.cards):  # bare bodies, for studies of planning
            continue
        others = [card for card in pool if card.card_class in ("neutral", deck.hero_class)]
        found.append((deck, _known(deck, deck.name, 100.0 * _VARIANTS)))
        for number in range(1, _VARIANTS + 1):
            cards = list(deck.cards)
            for place in chance.sample(range(len(cards)), chance.randint(2, 8)):
                near = [card for card in others if abs(card.cost - cards[place].cost) <= 1 and cards.count(card) < 2]
                cards[place] = chance.choice(near) if near else cards[place]
            variant = Deck(f"{deck.name} {number}", deck.hero_class, tuple(cards), deck.power)
            found.append((variant, _known(variant, deck.name, 100.0)))
    return _metagame(found)


def _from_folder(folder: Path) -> Metagame:
    """Every deck file, and every text file with a deck code on each line; the file's name is the archetype."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix not in _DECK_FILES:
            continue
        if path.suffix == ".txt":
            found += [(deck, _known(deck, path.stem)) for deck in _codes(path)]
        else:
            deck = load_deck(path)
            found.append((deck, _known(deck)))
    if not found:
        raise PlannerError(f"{folder}: no deck files (.yaml) and no deck codes (.txt) in this folder")
    return _metagame(found)


def _codes(path: Path) -> list[Deck]:
    from planner.games.hearthstone.cards.deckcodes import deck_from_code  # noqa: PLC0415  (an extra)

    lines = [line.strip() for line in read_text(path).splitlines()]
    try:
        return [deck_from_code(line) for line in lines if line and not line.startswith("#")]
    except PlannerError as error:
        raise PlannerError(f"{path}: {error}") from None


def _from_results(folder: Path) -> Metagame:
    """The decks of a finished tournament, with the games they were in and the share of them they won."""
    import pandas as pd  # noqa: PLC0415  (a while, for this alone)

    path = folder / "games.parquet"
    try:
        games = pd.read_parquet(path, columns=["p1_deck", "p2_deck", "winner"])
    except (OSError, ValueError, KeyError):
        raise PlannerError(f"{path}: is not the table of a finished tournament of two seats") from None
    ours = {deck.name: deck for deck in map(load_deck, deck_names())}
    played: Counter[str] = Counter()
    won: Counter[str] = Counter()
    for first, second, winner in games.itertuples(index=False):
        for seat, name in enumerate((str(first), str(second))):
            played[name] += 1
            won[name] += winner == seat
    strangers = sorted(set(played) - set(ours))
    if strangers:
        raise PlannerError(f"{path}: {quote(strangers[0])} is not a deck of ours, and the table does not say its cards")
    return _metagame(
        (ours[name], _known(ours[name], name, float(count), won[name] / count)) for name, count in played.items()
    )


@dataclass
class Opponent:
    """What the player across the table may hold, from the cards that were seen: for agents that look ahead.

    Tell it every card of the opponent's own deck that comes into sight, with the mana that was there to pay for it, or
    None where it came by chance. Cards that others made are no part of the deck: leave them out.
    """

    metagame: Metagame
    player_class: str

    def __post_init__(self) -> None:
        self._mixture = Mixture(self.metagame, self.player_class)
        self.forget()

    def forget(self) -> None:
        """Another match begins: nothing has been seen."""
        self._belief = self._mixture.belief()

    def see(self, card: str, mana: float | None = None) -> None:
        """One more card of the opponent's deck."""
        self._belief.see(Seen(card, mana))

    def predict(self, mana: float | None = None) -> Forecast:
        """The next card, and the deck."""
        return self._belief.forecast(mana)

    def sample_hand(self, size: int, seed: int) -> list[Card]:
        """So many cards that the opponent may hold, by this seed."""
        return [card_named(name) for name in self._belief.sample(size, Random(seed))]

    def sample(self, state: GameState, seed: int) -> GameState:
        """The state with the enemy's covered cards turned over as they may be: one deck that fits what was seen, dealt
        to hand and deck. Cards that are open in the state stay; so do covered ones for which no card is left."""
        enemy = state.enemy
        covered = sum(held.card == HIDDEN for held in (*enemy.hand, *enemy.deck))
        cards = iter(self.sample_hand(covered, seed))

        def turned(pile: Sequence[HandCard]) -> tuple[HandCard, ...]:
            return tuple(
                in_hand(held.id, card) if held.card == HIDDEN and (card := next(cards, None)) is not None else held
                for held in pile
            )

        return state._replace(enemy=enemy.with_cards(turned(enemy.hand), turned(enemy.deck)))
