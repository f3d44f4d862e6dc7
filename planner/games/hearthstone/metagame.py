"""Load known decks (files, deck codes, finished tournaments), and predict an opponent's cards from them."""

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
from planner.games.hearthstone.cards.catalogue import find_card, standard
from planner.games.hearthstone.cards.decks import Deck, deck_names, load_deck
from planner.games.hearthstone.created_cards import created_cards
from planner.games.hearthstone.rules.state import GameState, HandCard, Player, in_hand
from planner.games.hearthstone.turn.look_ahead import SeenCards
from planner.meta.known_decks import KnownDeck, Metagame, read_metagame
from planner.meta.prediction import Forecast, Mixture, Seen

__all__ = ["Opponent", "load_metagame"]

SHIPPED: Final = "ours"  # the name of the metagame that comes with the package
_VARIANTS: Final = 12  # of each class deck
_DECK_FILES: Final = (".yaml", ".yml", ".txt")


# -- cards


def card_name_and_cost(key: int | str) -> tuple[str, int] | None:
    """Return the name and cost of a card of the catalogue or of the real game, by its name or DBF id."""
    if isinstance(key, str) and key in standard():
        return key, standard()[key].cost
    from planner.games.hearthstone.cards.real_card_index import INSTALL, installed  # noqa: PLC0415  (an extra)
    from planner.games.hearthstone.cards.real_cards import real_cards  # noqa: PLC0415

    if isinstance(key, bool) or not isinstance(key, int | str):
        return None
    if not installed():
        if str(key).isdecimal():  # only real cards have numbers
            raise PlannerError(f"{quote(key)} is the number of a real card; real cards are an extra: {INSTALL}")
        return None
    card = real_cards().by_dbf(key) if isinstance(key, int) else real_cards().lookup(key)
    return (card.name, card.cost) if card is not None else None


def card_named(name: str) -> Card:
    """Return the card with this name."""
    card = find_card(name)
    if card is None:
        raise PlannerError(f"{quote(name)} is not a card{did_you_mean(name, standard())}")
    return card


# -- metagames


def load_metagame(source: str | Path = SHIPPED) -> Metagame:
    """Load `ours`, a JSON file of decks, a folder of deck files and deck codes, or the results of a tournament."""
    if str(source) == SHIPPED:
        return shipped_metagame()
    path = Path(source)
    if path.is_dir() and (path / "manifest.json").exists():
        return _load_results(path)
    if path.is_dir():
        return _load_folder(path)
    return _with_created_cards(read_metagame(path, card_name_and_cost))


def _known_deck(deck: Deck, archetype: str = "", games: float = 1.0, win_rate: float | None = None) -> KnownDeck:
    counts = Counter(card.name for card in deck.cards)
    return KnownDeck(tuple(sorted(counts.items())), deck.hero_class, archetype or deck.name, games, win_rate, deck.name)


def _metagame(decks: Iterable[tuple[Deck, KnownDeck]]) -> Metagame:
    pairs = sorted(decks, key=lambda pair: pair[1].archetype)
    costs = {card.name: card.cost for deck, _ in pairs for card in deck.cards}
    return _with_created_cards(Metagame([known for _, known in pairs], costs))


def _with_created_cards(metagame: Metagame) -> Metagame:
    created, costs = created_cards(metagame.cards)
    return Metagame(metagame.decks, costs | metagame.costs, created)


@cache
def shipped_metagame() -> Metagame:
    """Return the class decks of this project and variants of them, in which some cards are swapped.

    A base deck is as popular as all its variants together. This is enough to try every command; files of real decks
    describe what people play.
    """
    rng = Random(2019)
    decks = []
    for name in deck_names():
        deck = load_deck(name)
        if any(standard()[card.name] != card for card in deck.cards):  # vanilla minions, for studies of planning
            continue
        decks.append((deck, _known_deck(deck, deck.name, 100.0 * _VARIANTS)))
        for number in range(1, _VARIANTS + 1):
            other = variant_of(deck, f"{deck.name} {number}", rng)
            decks.append((other, _known_deck(other, deck.name, 100.0)))
    return _metagame(decks)


def variant_of(deck: Deck, name: str, rng: Random) -> Deck:
    """Return the deck with two to eight cards swapped for others of about the same cost."""
    classes = ("neutral", deck.hero_class)
    pool = [card for card in standard().values() if not card.token and card.type != "hero_power"]
    candidates = [card for card in pool if card.card_class in classes]
    cards = list(deck.cards)
    for index in rng.sample(range(len(cards)), rng.randint(2, 8)):
        cost = cards[index].cost
        similar = [card for card in candidates if abs(card.cost - cost) <= 1 and cards.count(card) < 2]
        cards[index] = rng.choice(similar) if similar else cards[index]
    return Deck(name, deck.hero_class, tuple(cards), deck.power)


def _load_folder(folder: Path) -> Metagame:
    """Load every deck file, and every text file with one deck code per line; the file's name is the archetype."""
    decks = []
    for path in sorted(folder.iterdir()):
        if path.suffix not in _DECK_FILES:
            continue
        if path.suffix == ".txt":
            decks += [(deck, _known_deck(deck, path.stem)) for deck in _read_codes(path)]
        else:
            deck = load_deck(path)
            decks.append((deck, _known_deck(deck)))
    if not decks:
        raise PlannerError(f"{folder}: contains no deck files (.yaml) and no deck codes (.txt)")
    return _metagame(decks)


def _read_codes(path: Path) -> list[Deck]:
    from planner.games.hearthstone.cards.deck_codes import deck_from_code  # noqa: PLC0415  (an extra)

    lines = [line.strip() for line in read_text(path).splitlines()]
    try:
        return [deck_from_code(line) for line in lines if line and not line.startswith("#")]
    except PlannerError as error:
        raise PlannerError(f"{path}: {error}") from None


def _load_results(folder: Path) -> Metagame:
    """Load the decks of a finished tournament, with their games and win rates."""
    import pandas as pd  # noqa: PLC0415  (slow to import)

    path = folder / "games.parquet"
    try:
        games = pd.read_parquet(path, columns=["p1_deck", "p2_deck", "winner"])
    except (OSError, ValueError, KeyError):
        raise PlannerError(f"{path}: is not the table of a finished tournament with two seats") from None
    shipped = {deck.name: deck for deck in map(load_deck, deck_names())}
    played: Counter[str] = Counter()
    won: Counter[str] = Counter()
    for first, second, winner in games.itertuples(index=False):
        for seat, name in enumerate((str(first), str(second))):
            played[name] += 1
            won[name] += winner == seat
    unknown = sorted(set(played) - set(shipped))
    if unknown:
        raise PlannerError(f"{path}: {quote(unknown[0])} is not a shipped deck, and the table does not list its cards")
    return _metagame(
        (shipped[name], _known_deck(shipped[name], name, float(count), won[name] / count))
        for name, count in played.items()
    )


# -- opponents


@dataclass
class Opponent:
    """Predicts what the opponent holds from the cards that were seen; for agents that look ahead.

    Call `see` for every card of the opponent's own deck that becomes visible. Cards that other cards created are not
    part of the deck: leave them out.
    """

    metagame: Metagame
    player_class: str

    def __post_init__(self) -> None:
        self._mixture = Mixture(self.metagame, self.player_class)
        self.forget()

    def forget(self) -> None:
        """Forget all seen cards, because a new match begins."""
        self._belief = self._mixture.belief()
        self._seen = SeenCards()

    def see(self, card: str, mana: float | None = None) -> None:
        """Add a card of the opponent's deck; `mana` is what it could spend, or None if the card was not played."""
        self._belief.see(Seen(card, mana))

    def look(self, enemy: Player) -> None:
        """Add the minions and the weapon that are visible now and were not at the last look."""
        for card in self._seen.note(enemy):
            if not card.token and find_card(card.name) is not None:  # a minion in a user's state may have any name
                self.see(card.name, enemy.crystals)

    def predict(self, mana: float | None = None) -> Forecast:
        """Predict the next card and the deck."""
        return self._belief.forecast(mana)

    def sample_hand(self, size: int, seed: int) -> list[Card]:
        """Return random cards that the opponent may hold."""
        return [card_named(name) for name in self._belief.sample(size, Random(seed))]

    def sample(self, state: GameState, seed: int) -> GameState:
        """Return the state with random cards in place of the enemy's hidden ones.

        The cards come from one deck that fits the seen cards. Visible cards stay; so do hidden cards if the deck is
        used up.
        """
        enemy = state.enemy
        hidden = sum(held.card == HIDDEN for held in (*enemy.hand, *enemy.deck))
        cards = iter(self.sample_hand(hidden, seed))

        def reveal(pile: Sequence[HandCard]) -> tuple[HandCard, ...]:
            return tuple(
                in_hand(held.id, card) if held.card == HIDDEN and (card := next(cards, None)) is not None else held
                for held in pile
            )

        return state._replace(enemy=enemy.with_cards(reveal(enemy.hand), reveal(enemy.deck)))


def opponent_of(metagame: Metagame, hero_class: str) -> Opponent | None:
    """Return the prediction of an opponent before its first card, or None if no deck of this class is known."""
    return Opponent(metagame, hero_class) if hero_class in metagame.classes else None
