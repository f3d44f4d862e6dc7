"""What a game is, as values: its cards, piles, phases and ends. `definition_reader` makes it from a YAML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from planner.games.deckbuilder.amounts import Amount, Condition, Filter

if TYPE_CHECKING:
    from planner.games.deckbuilder.effects import Step

# Phases with a meaning. In a phase with any other name, cards of all types can be played and bought.
ACTION_PHASE, BUY_PHASE, CLEAR_PHASE = "action", "buy", "clear"
ACTION_TYPE: Final = "action"  # cards of this type cost an action where the game has the stat `actions`
ACTIONS, BUYS = "actions", "buys"  # stats with a meaning
POINTS, HEALTH = "points", "health"  # kinds of victory
SHARED, FEWER_TURNS, LATER_SEAT = "shared", "fewer_turns", "later_seat"  # what decides a tie
EVENTS: Final[Mapping[str, str]] = {
    "played": "a card is played",
    "gained": "a card is bought, gained or acquired",
    "defeated": "a card that is not kept is bought",
    "attacked": "the player is attacked",
    "drawn": "a card is drawn by an effect",
    "discarded": "a card is discarded by an effect",
    "trashed": "a card is trashed",
    "shuffled": "the discard pile is shuffled into the deck",
    "turn_begins": "a turn begins",
    "turn_ends": "a turn ends, before the hand is discarded",
}
NO_BLOCK: Final = -1


@dataclass(frozen=True)
class Trigger:
    """What happens on an event while a card is in play, or until the end of the turn."""

    event: str
    filter: Filter
    block: int
    once: bool
    anyone: bool  # also events of other players


@dataclass(frozen=True)
class Count:
    """A named quantity: the cards of some zones, or the events of this turn, that match a filter."""

    zones: tuple[str, ...]
    event: str
    filter: Filter
    most: int | None  # larger numbers count as this one


@dataclass(frozen=True)
class Card:
    """One kind of card. Blocks are indices of `Definition.blocks`."""

    name: str
    types: tuple[str, ...]
    faction: str
    cost: Amount | None  # None: it cannot be bought
    currencies: tuple[int, ...]  # indices of the stats that pay, used in this order
    extra_currency: int | None  # pays as well while the condition holds
    extra_condition: Condition
    points: Amount
    effects: int  # when it is played, or bought if it is not kept
    on_gain: int
    ability: int  # once a turn while it is in play
    ability_condition: Condition
    kept: bool
    persistent: bool
    playable: bool
    stops_attacks: bool
    triggers: tuple[Trigger, ...]
    text: str


@dataclass(frozen=True)
class Pile:
    """A pile of the supply: its cards with their number by number of players."""

    name: str
    cards: tuple[tuple[int, tuple[int, ...]], ...]  # card, and the numbers for the least to the most players
    shuffled: bool
    permanent: bool
    for_sale: bool


@dataclass(frozen=True)
class EndRule:
    """One way in which a match ends: any of these holds at the end of a turn, or of a round."""

    condition: Condition
    piles: tuple[int, ...]  # all of these piles are empty
    reason: str
    whole_round: bool


@dataclass(frozen=True, eq=False)  # so that what is computed from a definition can be cached
class Definition:
    """A deck-building game."""

    title: str
    path: Path
    min_players: int
    max_players: int
    hand_size: Amount
    first_hands: tuple[int, ...]  # by seat; the last one also for the seats after it
    victory: str
    health: int
    ties: str
    turn_limit: int  # rounds
    plays_before_buys: bool
    stats: tuple[str, ...]
    stat_starts: tuple[int, ...]
    phases: tuple[str, ...]  # without `clear`, which always comes last
    plays: tuple[tuple[str, ...], ...]  # by phase, the types that can be played; empty for all
    starting_deck: tuple[int, ...]
    piles: tuple[Pile, ...]  # in every match
    choices: tuple[Pile, ...]  # of which `chosen_piles` are in a match
    chosen_piles: int
    sets: Mapping[str, tuple[str, ...]]  # recommended choices, by name
    centre: Pile | None  # the deck that feeds the row
    row: int
    centre_from_trash: bool  # an empty centre deck is made again from the trash
    reserve: tuple[int, ...]  # points that can be given out before the match ends, by number of players
    counts: Mapping[str, Count]
    ends: tuple[EndRule, ...]
    cards: tuple[Card, ...]
    blocks: tuple[tuple[Step, ...], ...]
    named_blocks: Mapping[str, int]  # the named effects
    function_names: tuple[str, ...]
    functions: Any  # functions.FunctionFile, or None
    colours: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The index of each card by its name."""
        return {card.name: index for index, card in enumerate(self.cards)}

    @property
    def players_text(self) -> str:
        """The number of players in words."""
        least, most = self.min_players, self.max_players
        return f"{least} players" if least == most else f"{least} to {most} players"

    @cached_property
    def has_triggers(self) -> bool:
        """Whether cards in play can react to events."""
        return any(card.triggers for card in self.cards)

    @cached_property
    def event_counts(self) -> tuple[tuple[str, Count], ...]:
        """The counts of events."""
        return tuple((name, count) for name, count in self.counts.items() if count.event)

    @cached_property
    def listens(self) -> bool:
        """Whether an event can matter when no effect waits for it."""
        return self.has_triggers or bool(self.event_counts)

    @cached_property
    def has_variable_costs(self) -> bool:
        """Whether what a card costs, or which stat pays for it, depends on the table."""
        return any((card.cost is not None and card.cost.terms) or card.extra_condition for card in self.cards)

    @cached_property
    def ends_by_zones(self) -> bool:
        """Whether a match can end by what the players hold, which changes at the end of a turn."""
        relations = [relation for rule in self.ends for relation in rule.condition]
        names = {
            name for relation in relations for amount in (relation.left, relation.right) for _, name in amount.terms
        }
        return not names <= {"empty_piles", "players", "turns", "seat", "points", "health", "owned", *self.stats}

    @cached_property
    def actions_stat(self) -> int:
        """The index of the stat `actions`, or -1."""
        return self.stats.index(ACTIONS) if ACTIONS in self.stats else -1

    @cached_property
    def buys_stat(self) -> int:
        """The index of the stat `buys`, or -1."""
        return self.stats.index(BUYS) if BUYS in self.stats else -1

    @cached_property
    def is_action(self) -> tuple[bool, ...]:
        """Whether each card has the type `action`."""
        return tuple(ACTION_TYPE in card.types for card in self.cards)

    def colour(self, card: Card) -> tuple[int, int, int] | None:
        """Return the colour of a card: that of its faction, of its first type with one, or the default."""
        for word in (card.faction, *card.types, "default"):
            if word in self.colours:
                return self.colours[word]
        return None
