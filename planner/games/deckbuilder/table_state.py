"""The values of a match: setup, state, players, decisions and actions.

Cards are the indices of `Definition.cards`; `HIDDEN` stands for a card that the observer does not know. The order of a
shuffled deck is not part of a state: a card is drawn at random when it is needed. So a state holds no more secrets
than the hands and what some players know about the top of a deck.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from planner.games.deckbuilder.definition import CLEAR_PHASE, Definition, EndRule, Pile
from planner.games.deckbuilder.definition_reader import LIBRARY, load_definition

HIDDEN: Final = -1
EMPTY: Final = -1  # the top card of a pile that is empty


class Action(NamedTuple):
    """One decision: play, buy, use, choose, done, yes, no or end."""

    type: str
    card: str = ""  # the card, or the text of an option
    zone: str = ""  # for `choose`: where the card is


class Setup(NamedTuple):
    """What a match starts from: the number of players and the chosen piles."""

    players: int = 2
    name: str = ""  # of a recommended set, or empty
    piles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Match:
    """The definition and the setup of a match; all its states share it."""

    definition: Definition
    setup: Setup

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Match) and self.setup == other.setup and self.definition.path == other.definition.path
        )

    def __hash__(self) -> int:
        return hash((self.setup, self.definition.path))

    def __reduce__(self) -> tuple[Any, ...]:
        return _load_match, (self.definition.path, self.setup)

    @cached_property
    def piles(self) -> tuple[Pile, ...]:
        """The piles of this match."""
        definition = self.definition
        return (*definition.piles, *(pile for pile in definition.kingdom.piles if pile.name in self.setup.piles))

    @cached_property
    def slots(self) -> tuple[Pile, ...]:
        """The piles of this match, in the order of the supply, and after them the places of the row."""
        return (*self.piles, *[_ROW] * self.definition.row)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of cards in each pile at the start."""
        return tuple(sum(self.number(counts) for _, counts in pile.cards) for pile in self.piles)

    def number(self, counts: tuple[int, ...]) -> int:
        """Return the number for this number of players."""
        return counts[self.setup.players - self.definition.players[0]]

    @cached_property
    def ends(self) -> tuple[tuple[EndRule, tuple[int, ...]], ...]:
        """The rules for the end whose piles are all in this match, with the slots of these piles."""
        names = [pile.name for pile in self.piles]
        rules = (rule for rule in self.definition.ends if {*rule.piles} <= {*names})
        return tuple((rule, tuple(map(names.index, rule.piles))) for rule in rules)


_ROW: Final = Pile(name="row", cards=())


def _load_match(path: Path, setup: Setup) -> Match:
    return Match(load_definition(path), setup)


class Player(NamedTuple):
    """What belongs to one player. Zones are sorted, except `top` and `discard`."""

    hand: tuple[int, ...] = ()
    deck: tuple[int, ...] = ()  # cards whose order no player knows
    top: tuple[int, ...] = ()  # known cards on the deck; the first is drawn next
    top_seen: tuple[int, ...] = ()  # for each of them, the seats that know it, as a bit set
    discard: tuple[int, ...] = ()  # the last one is on top, and open
    unseen: tuple[int, ...] = ()  # in the discard pile, but not even its owner knows them
    played: tuple[int, ...] = ()
    in_play: tuple[int, ...] = ()
    looked: tuple[int, ...] = ()
    revealed: tuple[int, ...] = ()
    aside: tuple[int, ...] = ()
    points: int = 0
    health: int = 0
    turns: int = 0
    mixed: bool = False  # cards were exchanged unseen: the owner does not know the own deck any more
    pool: tuple[int, ...] = ()  # of an observation: the cards behind this player's `HIDDEN` ones


class Frame(NamedTuple):
    """An effect that is being carried out: the next step of a block, or a call of a function."""

    block: int  # or -1 for a call
    position: int  # of the next step, or the function
    player: int  # whom the step concerns
    owner: int  # who played the card
    source: int  # the card, or -1
    chosen: tuple[int, ...] = ()
    memo: str = ""  # of a call: what an earlier call kept, as JSON


class Decision(NamedTuple):
    """A decision that is open: `seat` chooses between `low` and `high` options, or yes or no."""

    seat: int
    kind: str  # cards, yes or option
    low: int
    high: int
    options: tuple[int, ...] = ()  # zone * ZONE_BASE + card, sorted, with repetitions
    picked: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    message: str = ""


class Listener(NamedTuple):
    """A reaction until the end of the turn: a `When` step, or a function."""

    event: str
    block: int  # of the `When` step, or -1
    position: int  # in that block, or the function
    player: int
    source: int
    memo: str = ""


class Slot(NamedTuple):
    """A pile of the supply, or a place of the row."""

    pile: str  # or `row`
    card: int  # on top
    left: int
    below: tuple[int, ...]


class State(NamedTuple):
    """A match at one moment."""

    match: Match
    players: tuple[Player, ...]
    tops: tuple[int, ...]  # the top card of each pile and each place of the row
    left: tuple[int, ...]  # the number of cards in each
    below: tuple[tuple[int, ...], ...]  # the cards below the top, of piles with several kinds
    centre: tuple[int, ...]  # the deck that feeds the row
    trash: tuple[int, ...]
    stats: tuple[int, ...]  # of the player whose turn it is
    active: int = 0  # whose turn it is
    turn: int = 1
    phase: int = 0
    bought: bool = False  # in this phase
    used: tuple[int, ...] = ()  # cards in play whose ability was used this turn
    reserve: int = 0
    frames: tuple[Frame, ...] = ()
    prompt: Decision | None = None
    listeners: tuple[Listener, ...] = ()
    memory: tuple[tuple[str, int], ...] = ()  # numbers that functions keep until the end of the turn
    ended: str = ""  # the reason why the match is over
    pool: tuple[int, ...] = ()  # of an observation: the hidden cards of all players whose cards were mixed

    @property
    def game(self) -> str:
        """The name of the game: that of its folder if the package has it, else the path of its file."""
        path = self.match.definition.path
        return path.parent.name if path.is_relative_to(LIBRARY) else str(path)

    @property
    def supply(self) -> list[Slot]:
        """The piles and the places of the row."""
        return list(map(Slot, (pile.name for pile in self.match.slots), self.tops, self.left, self.below))

    @property
    def offers(self) -> Iterator[tuple[int, int]]:
        """The piles and places of the row whose top card is for sale, with this card."""
        for slot, (card, pile) in enumerate(zip(self.tops, self.match.slots, strict=True)):
            if card != EMPTY and pile.for_sale:
                yield slot, card

    @property
    def empty_piles(self) -> int:
        """The number of piles without a card."""
        return self.left[: len(self.match.piles)].count(0)

    @property
    def phase_name(self) -> str:
        """The name of the phase."""
        return (*self.match.definition.phases, CLEAR_PHASE)[self.phase]


ZONE_BASE: Final = 4096  # more than a game has cards
END: Final = Action("end")
DONE: Final = Action("done")
YES: Final = Action("yes")
NO: Final = Action("no")
