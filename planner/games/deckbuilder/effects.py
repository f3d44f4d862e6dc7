"""The vocabulary of effects: the steps that cards are made of, and the words with which a definition writes them.

A list of steps is a block. Blocks refer to each other by index, so that a pending decision can be stored in a state as
a few numbers. `effect_reader` reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from planner.games.deckbuilder.amounts import ANY_CARD, Amount, Condition, Filter
from planner.games.deckbuilder.definition import NO_BLOCK, Trigger

# The zones of a player and of the table. The order is fixed: states store the index.
ZONES: Final = (
    "hand", "deck", "discard", "played", "in_play", "looked", "revealed", "aside", "supply", "trash",
)  # fmt: skip
PLAYER_ZONES: Final = ZONES[:8]
DESTINATIONS: Final[Mapping[str, str]] = {
    "trash": "out of the game, to the trash",
    "discard": "to the discard pile",
    "hand": "to the hand",
    "top": "onto the deck, so that it is drawn next",
    "deck": "into the deck, which is shuffled",
    "aside": "set aside",
    "looked": "where only the player sees it",
    "revealed": "where all see it",
    "in_play": "into play",
    "play": "played at once",
    "take": "to the discard pile of the player who plays the card",
    "nothing": "nowhere: only chosen",
}
FILTER_FIELDS: Final[Mapping[str, str]] = {
    "type": "a type, or a list of types",
    "faction": "a faction, or a list",
    "card": "a card, or a list of cards",
    "not": "a card, or a list of cards, that does not count",
    "currency": "the stat that pays for it",
    "up_to": "the highest cost",
    "cost": "the exact cost",
}


@dataclass(frozen=True)
class AddStat:
    """Add to a stat of the player whose turn it is."""

    stat: int
    amount: Amount


@dataclass(frozen=True)
class Draw:
    """Draw cards."""

    amount: Amount


@dataclass(frozen=True)
class AddPoints:
    """Give points to the player, from the reserve where the game has one."""

    amount: Amount


@dataclass(frozen=True)
class AddHealth:
    """Change the player's health."""

    amount: Amount


@dataclass(frozen=True)
class Damage:
    """Reduce the health of every opponent."""

    amount: Amount


@dataclass(frozen=True)
class Choose:
    """Choose cards of some zones and do something with them."""

    zones: tuple[int, ...]
    low: Amount
    high: Amount | None  # None: as many as there are
    filter: Filter = ANY_CARD
    do: str = "nothing"
    by_owner: bool = False  # the player who played the card chooses, not the one whom the step concerns
    among: bool = False  # only among the cards that the step before chose
    ordered: bool = False  # one after the other
    shown: bool = False  # all players see the chosen cards
    times: int = 1  # how often a card is played
    message: str = ""
    then: int = NO_BLOCK
    otherwise: int = NO_BLOCK


@dataclass(frozen=True)
class TakeTop:
    """Take the top cards of the deck."""

    amount: Amount
    to: str
    then: int
    otherwise: int


@dataclass(frozen=True)
class Gain:
    """Gain a card from the supply."""

    filter: Filter
    source: str  # supply, row or piles
    to: str
    optional: bool
    message: str
    then: int
    otherwise: int


@dataclass(frozen=True)
class MoveAll:
    """Move all matching cards of a zone."""

    zone: int
    filter: Filter
    to: str


@dataclass(frozen=True)
class MoveThis:
    """Move the card that is being resolved, if it is still where it was played."""

    to: str


@dataclass(frozen=True)
class If:
    """Go on with one block or another."""

    condition: Condition
    then: int
    otherwise: int


@dataclass(frozen=True)
class May:
    """Ask yes or no."""

    message: str
    then: int
    otherwise: int


@dataclass(frozen=True)
class ChooseOne:
    """Choose one of several blocks by its text."""

    texts: tuple[str, ...]
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class Each:
    """Carry a block out for every opponent, or every player, in turn order."""

    block: int
    attack: bool
    everyone: bool


@dataclass(frozen=True)
class Repeat:
    """Repeat a block until the condition holds, or it takes no card from the deck any more."""

    until: Condition
    block: int


@dataclass(frozen=True)
class When:
    """React to an event until the end of the turn."""

    trigger: Trigger


@dataclass(frozen=True)
class Call:
    """Call a function of the function file."""

    function: int


@dataclass(frozen=True)
class Run:
    """Carry out a named effect."""

    block: int


@dataclass(frozen=True)
class Seize:
    """Put one card into play, wherever in the supply or in play it is."""

    card: int


Step = (
    AddStat | Draw | AddPoints | AddHealth | Damage | Choose | TakeTop | Gain | MoveAll | MoveThis | If | May
    | ChooseOne | Each | Repeat | When | Call | Run | Seize
)  # fmt: skip

# The words that begin a step, with their meaning; the stats of the game are words as well.
NUMBER_WORDS: Final[Mapping[str, str]] = {
    "cards": "draw this many cards",
    "points": "gain points",
    "health": "gain or lose health",
    "damage": "every opponent loses this much health",
}
STEP_WORDS: Final[Mapping[str, str]] = {
    "trash": "trash cards from the hand: a number, or [least, most]",
    "discard": "discard cards from the hand: a number, or [least, most]",
    "gain": "gain a card from the supply: the highest cost, or a mapping",
    "choose": "choose cards of a zone and move or play them",
    "top": "take the top cards of the deck",
    "move": "move all cards of a zone",
    "this": "move the card itself",
    "if": "a condition, for `then` and `else`",
    "may": "ask yes or no, for `then` and `else`",
    "choose_one": "choose one of several effects by its text",
    "each_opponent": "an effect for every other player, in turn order",
    "each_player": "an effect for every player, in turn order",
    "attack": "like each_opponent, but reactions can stop it",
    "attack_all": "like each_player, but reactions of the others can stop it",
    "repeat": "repeat an effect, for `until`",
    "when": "react to an event until the end of the turn",
    "call": "call a function of the function file",
    "run": "carry out an effect of the section `effects`",
    "seize": "take control of a card in play or in the supply",
}
MODIFIERS: Final[Mapping[str, tuple[str, ...]]] = {
    "gain": ("then", "else"),
    "choose": ("then", "else"),
    "trash": ("then", "else"),
    "discard": ("then", "else"),
    "top": ("then", "else"),
    "if": ("then", "else"),
    "may": ("then", "else"),
    "repeat": ("until",),
}
CHOOSE_FIELDS: Final = (
    "from", "count", "at_most", "at_least", "do", "by", "among", "ordered", "shown", "times", "message", *FILTER_FIELDS,
)  # fmt: skip
GAIN_FIELDS: Final = ("from", "to", "optional", "message", *FILTER_FIELDS)
TOP_FIELDS: Final = ("count", "to")
MOVE_FIELDS: Final = ("from", "to", *FILTER_FIELDS)
TRIGGER_FIELDS: Final = ("event", "do", "once", "anyone", *FILTER_FIELDS)
GAIN_SOURCES: Final = ("supply", "row", "piles")
