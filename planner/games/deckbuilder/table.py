"""A state that is being changed: zones, draws, gains, scores and events. `steps` carries out effects on it."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import attrgetter
from random import Random
from typing import Final

from planner.games.deckbuilder.amounts import Amount, Condition, compare
from planner.games.deckbuilder.definition import Card, Count
from planner.games.deckbuilder.effects import ANY_CARD, NO_BLOCK, PLAYER_ZONES, ZONES, Filter, When
from planner.games.deckbuilder.table_state import EMPTY, HIDDEN, Decision, Frame, Listener, Player, State

HAND, DECK, DISCARD, PLAYED, IN_PLAY, LOOKED, REVEALED, ASIDE, SUPPLY, TRASH = range(len(ZONES))
REFILLED: Final = "refilled"  # in the memory: the place of the row that was filled last


class MutablePlayer:
    """A player whose zones can be replaced; zones stay tuples."""

    __slots__ = Player._fields

    def __init__(self, player: Player) -> None:
        (
            self.hand, self.deck, self.top, self.top_seen, self.discard, self.unseen, self.played, self.in_play,
            self.looked, self.revealed, self.aside, self.points, self.health, self.turns, self.mixed, self.pool,
        ) = player  # fmt: skip

    def freeze(self) -> Player:
        """Return the player as a value."""
        return Player._make(_FIELDS(self))

    def zone(self, zone: int) -> tuple[int, ...]:
        """Return the cards of a zone; those of the deck include the known ones on top."""
        if zone == DECK:
            return merge(self.deck, self.top) if self.top else self.deck
        cards: tuple[int, ...] = getattr(self, ZONES[zone])
        return merge((), (*cards, *self.unseen)) if zone == DISCARD and self.unseen else cards

    def deck_size(self) -> int:
        """Return the number of cards in the deck."""
        return len(self.deck) + len(self.top)


_FIELDS: Final = attrgetter(*Player._fields)
_CARDS: Final = attrgetter(
    "hand", "deck", "top", "discard", "unseen", "played", "in_play", "looked", "revealed", "aside"
)


def owned_cards(player: MutablePlayer | Player) -> tuple[int, ...]:
    """Return all cards of a player, zone by zone."""
    return tuple(chain.from_iterable(_CARDS(player)))


def merge(cards: tuple[int, ...], more: Iterable[int]) -> tuple[int, ...]:
    """Return both multisets as one, sorted."""
    return tuple(sorted((*cards, *more)))


def insert(cards: tuple[int, ...], card: int) -> tuple[int, ...]:
    """Return a sorted multiset with one more card."""
    result = list(cards)
    insort(result, card)
    return tuple(result)


def remove(cards: tuple[int, ...], card: int) -> tuple[int, ...]:
    """Return a multiset with one card less."""
    index = cards.index(card)
    return cards[:index] + cards[index + 1 :]


class Table:
    """A state that is being changed by one action. All chance comes from `rng`."""

    stops_at_turn_end = False  # True: an action that ends the turn leaves the clean-up to the caller

    def __init__(self, state: State, rng: Random) -> None:
        self.state = state
        self.match = state.match
        self.definition = state.match.definition
        self.random = rng.random
        self.players = [MutablePlayer(player) for player in state.players]
        self.tops, self.left, self.below = list(state.tops), list(state.left), list(state.below)
        self.centre, self.trash = state.centre, state.trash
        self.stats = list(state.stats)
        self.active, self.turn, self.phase = state.active, state.turn, state.phase
        self.bought, self.used, self.reserve = state.bought, state.used, state.reserve
        self.frames = list(state.frames)
        self.prompt: Decision | None = state.prompt
        self.listeners = state.listeners
        self.memory = state.memory
        self.ended = state.ended

    def freeze(self) -> State:
        """Return the table as a value."""
        return State(
            self.match,
            tuple([player.freeze() for player in self.players]),
            tuple(self.tops),
            tuple(self.left),
            tuple(self.below),
            self.centre,
            self.trash,
            tuple(self.stats),
            self.active,
            self.turn,
            self.phase,
            self.bought,
            self.used,
            self.reserve,
            tuple(self.frames),
            self.prompt,
            self.listeners,
            self.memory,
            self.ended,
            self.state.pool,
        )

    # -- amounts

    def amount(self, amount: Amount, player: int, chosen: Sequence[int] = ()) -> int:
        """Return the value of an amount for this player."""
        value = amount.constant
        for factor, name in amount.terms:
            value += factor * self.quantity(name, player, chosen)
        return value // amount.divisor if amount.divisor != 1 else value

    def holds(self, condition: Condition, player: int, chosen: Sequence[int] = ()) -> bool:
        """Return whether all comparisons hold."""
        return all(
            compare(self.amount(part.left, player, chosen), part.operator, self.amount(part.right, player, chosen))
            for part in condition
        )

    def quantity(self, name: str, player: int, chosen: Sequence[int]) -> int:
        """Return the value of a quantity for this player."""
        if name in PLAYER_ZONES:
            return len(self.players[player].zone(ZONES.index(name)))
        compute = _QUANTITIES.get(name)
        if compute is not None:
            return compute(self, player, chosen)
        count = self.definition.counts.get(name)
        if count is not None:
            value = dict(self.memory).get(name, 0) if count.event else self._count_cards(count, player)
            return value if count.most is None else min(value, count.most)
        return self.stats[self.definition.stats.index(name)]

    def _count_cards(self, count: Count, player: int) -> int:
        return sum(self.matches(count.filter, card, player) for zone in count.zones for card in self.zone(zone, player))

    def currencies(self, card: int, player: int) -> tuple[int, ...]:
        """Return the stats that pay for a card now."""
        kind = self.definition.cards[card]
        if kind.extra is not None and self.holds(kind.extra.condition, player):
            return (*kind.currencies, kind.extra.currency)
        return kind.currencies

    def cost(self, card: int, player: int) -> int:
        """Return what a card costs this player now; a card that cannot be bought costs 0."""
        cost = self.definition.cards[card].cost
        return 0 if cost is None else max(0, self.amount(cost, player))

    def matches(self, wanted: Filter, card: int, player: int, chosen: Sequence[int] = ()) -> bool:
        """Return whether the card passes the filter."""
        if card < 0:
            return False
        kind: Card = self.definition.cards[card]
        if wanted.types and not any(word in kind.types for word in wanted.types):
            return False
        if wanted.factions and kind.faction not in wanted.factions:
            return False
        if wanted.cards and card not in wanted.cards:
            return False
        if card in wanted.excluded:
            return False
        if wanted.currency is not None and wanted.currency not in kind.currencies:
            return False
        if wanted.up_to is not None and self.cost(card, player) > self.amount(wanted.up_to, player, chosen):
            return False
        return wanted.cost is None or self.cost(card, player) == self.amount(wanted.cost, player, chosen)

    # -- zones

    def zone(self, zone: int, player: int) -> tuple[int, ...]:
        """Return the cards of a zone."""
        if zone == SUPPLY:
            return tuple(sorted({card for card in self.tops if card != EMPTY}))
        return self.trash if zone == TRASH else self.players[player].zone(zone)

    def take(self, zone: int, player: int, card: int) -> None:
        """Remove one card from a zone; it must be there."""
        if zone == TRASH:
            self.trash = remove(self.trash, card)
            return
        owner = self.players[player]
        if zone == DECK and card in owner.top:
            index = owner.top.index(card)
            owner.top, owner.top_seen = _without(owner.top, index), _without(owner.top_seen, index)
        elif zone == DISCARD and card not in owner.discard:
            owner.unseen = remove(owner.unseen, card)
        elif zone == DISCARD:  # the one nearest to the top
            index = len(owner.discard) - 1 - owner.discard[::-1].index(card)
            owner.discard = _without(owner.discard, index)
        else:
            name = ZONES[zone]
            setattr(owner, name, remove(getattr(owner, name), card))

    def put(self, to: str, player: int, card: int, seen: int) -> None:
        """Put a card into a zone; `seen` are the seats that know it, as a bit set."""
        owner = self.players[player]
        if to == "trash":
            self.trash = insert(self.trash, card)
            self.fire("trashed", player, card)
        elif to == "discard":
            owner.discard += (card,)
        elif to == "top":
            owner.top, owner.top_seen = (card, *owner.top), (seen, *owner.top_seen)
        elif to == "deck":
            owner.deck = insert(owner.deck, card)
        else:
            setattr(owner, to, insert(getattr(owner, to), card))

    def move(self, zone: int, player: int, card: int, to: str, shown: bool = False) -> None:
        """Move a card of this player; all players know it if it was open or is shown."""
        is_open = zone in _OPEN or (zone == DISCARD and self.players[player].discard[-1:] == (card,))
        self.take(zone, player, card)
        self.put(to, player, card, self.everyone if shown or is_open else 1 << player)

    @property
    def everyone(self) -> int:
        """The bit set of all seats."""
        return (1 << len(self.players)) - 1

    def shuffle_in(self, player: int) -> None:
        """Shuffle the discard pile into the deck, with the known cards on top of it."""
        owner = self.players[player]
        owner.deck = merge(owner.deck, (*owner.discard, *owner.unseen, *owner.top))
        owner.discard = owner.unseen = owner.top = owner.top_seen = ()
        self.fire("shuffled", player, HIDDEN)

    def pick(self, cards: tuple[int, ...]) -> int:
        """Return the index of a random card. All chance of a match is here."""
        return int(self.random() * len(cards))

    def reveal(self, player: int, card: int) -> int:
        """Return the card that all players see now; planners decide here what a hidden card is."""
        del player
        return card

    def meet_hidden_cards(self) -> None:
        """Hidden cards decide what can be chosen; planners take note of it."""

    def stopping_card(self, player: int) -> int | None:
        """Return the first card of the hand that stops attacks, or None."""
        cards = self.definition.cards
        return next((card for card in self.players[player].hand if card >= 0 and cards[card].stops_attacks), None)

    def draw_one(self, player: int) -> int | None:
        """Remove the top card of the deck and return it; shuffle the discard pile first if the deck is empty."""
        owner = self.players[player]
        if owner.top:
            card = owner.top[0]
            owner.top, owner.top_seen = owner.top[1:], owner.top_seen[1:]
            return card
        deck = owner.deck
        if not deck:
            if not owner.discard and not owner.unseen:
                return None
            self.shuffle_in(player)
            deck = owner.deck
        index = self.pick(deck)
        card = deck[index]
        owner.deck = deck = deck[:index] + deck[index + 1 :]
        if owner.mixed and not deck and not owner.unseen:
            owner.mixed = False  # every card has been seen again
        return card

    def draw(self, player: int, number: int) -> None:
        """Draw cards into the hand, as many as there are."""
        if number <= 0:
            return
        hand = list(self.players[player].hand)
        for _ in range(number):
            card = self.draw_one(player)
            if card is None:
                break
            insort(hand, card)
            if self.listeners or self.definition.listens:
                self.fire("drawn", player, card)
        self.players[player].hand = tuple(hand)

    # -- supply

    def slot_of(self, card: int) -> int | None:
        """Return the first pile or place of the row that shows this card."""
        try:
            return self.tops.index(card)
        except ValueError:
            return None

    def take_from_supply(self, slot: int) -> int:
        """Remove the top card of a pile and turn the next one up; return the card."""
        card, piles = self.tops[slot], self.match.piles
        if slot >= len(piles):
            self.refill(slot)
            self.remember(REFILLED, slot)
            return card
        pile = piles[slot]
        if pile.permanent:
            return card
        self.left[slot] -= 1
        if not self.left[slot]:
            self.tops[slot] = EMPTY
        elif self.below[slot]:
            rest = self.below[slot]
            index = self.pick(rest) if pile.shuffled else 0
            self.tops[slot], self.below[slot] = rest[index], _without(rest, index)
        return card

    def refill(self, slot: int) -> None:
        """Deal a card of the centre deck to a place of the row."""
        pile = self.definition.centre
        if not self.centre and pile is not None and pile.from_trash:
            kinds = {card for card, _ in pile.cards}
            self.centre = tuple(card for card in self.trash if card in kinds)
            self.trash = tuple(card for card in self.trash if card not in kinds)
        if not self.centre:
            self.tops[slot], self.left[slot] = EMPTY, 0
            return
        index = self.pick(self.centre)
        self.tops[slot], self.left[slot] = self.centre[index], 1
        self.centre = _without(self.centre, index)

    def empty_piles(self) -> int:
        """Return the number of piles of the supply without a card."""
        return self.left[: len(self.match.piles)].count(0)

    def gain(self, player: int, slot: int, to: str = "discard") -> int:
        """Give the top card of a pile to a player and return it; what it does then is put onto the stack."""
        card = self.take_from_supply(slot)
        kind = self.definition.cards[card]
        if not kind.kept:  # defeated: its effects happen now
            if not self.match.slots[slot].permanent:
                self.trash = insert(self.trash, card)
            self.fire("defeated", player, card)
            self.push(kind.effects, player, card)
            return card
        self.put(to, player, card, self.everyone)
        self.fire("gained", player, card)
        if kind.on_gain != NO_BLOCK:
            self.push(kind.on_gain, player, card, (card,))
        return card

    # -- effects

    def push(
        self, block: int, player: int, source: int, chosen: tuple[int, ...] = (), owner: int | None = None
    ) -> None:
        """Put a block onto the stack; it is carried out before what is already there."""
        if block != NO_BLOCK:
            self.frames.append(Frame(block, 0, player, player if owner is None else owner, source, chosen))

    def play(self, player: int, card: int, times: int = 1) -> None:
        """Put a card that has left its zone onto the table, and its effects onto the stack."""
        kind = self.definition.cards[card]
        owner = self.players[player]
        if kind.persistent:
            owner.in_play = insert(owner.in_play, card)
        else:
            owner.played = insert(owner.played, card)
        for _ in range(times):
            self.push(kind.effects, player, card)
            self.fire("played", player, card)

    def fire(self, event: str, player: int, card: int) -> None:
        """Put the reactions to an event onto the stack."""
        definition = self.definition
        if definition.event_counts and player == self.active:
            for name, count in definition.event_counts:
                if count.event == event and self._passes(count.filter, card, player):
                    self.remember(name, dict(self.memory).get(name, 0) + 1)
        if self.listeners:
            kept = []
            for listener in self.listeners:
                if listener.event != event or not self._react(listener, player, card):
                    kept.append(listener)
            self.listeners = tuple(kept)
        if definition.has_triggers:
            for seat, owner in enumerate(self.players):
                for source in owner.in_play:
                    for trigger in definition.cards[source].triggers:
                        mine = trigger.anyone or seat == player
                        if trigger.event == event and mine and self._passes(trigger.filter, card, seat):
                            self.push(trigger.block, seat, source, (card,))

    def remember(self, key: str, value: int) -> None:
        """Keep a number until the end of the turn."""
        self.memory = tuple(sorted((dict(self.memory) | {key: value}).items()))

    def _react(self, listener: Listener, player: int, card: int) -> bool:
        """Push the reaction of a listener; return whether it is used up."""
        if listener.block < 0:  # a function, which hears of the events of all players
            chosen = (card,) if card >= 0 else ()
            self.frames.append(
                Frame(-1, listener.position, player, listener.player, listener.source, chosen, listener.memo)
            )
            return False
        step = self.definition.blocks[listener.block][listener.position]
        assert isinstance(step, When)
        trigger = step.trigger
        if not (trigger.anyone or listener.player == player):
            return False
        if not self._passes(trigger.filter, card, player):
            return False
        self.push(trigger.block, listener.player, listener.source, (card,) if card >= 0 else ())
        return trigger.once

    def _passes(self, wanted: Filter, card: int, player: int) -> bool:
        return wanted == ANY_CARD or self.matches(wanted, card, player)

    # -- scores

    def score(self, player: int) -> int:
        """Return the points of a player: those collected and those on all own cards, or the health."""
        owner = self.players[player]
        if self.definition.victory == "health":
            return owner.health
        cards = self.definition.cards
        total = owner.points
        for card in (*owned_cards(owner), *owner.pool):
            if card >= 0:
                points = cards[card].points
                total += self.amount(points, player) if points.terms else points.constant
        return total


_OPEN: Final = (PLAYED, IN_PLAY, REVEALED, ASIDE, TRASH, SUPPLY)


def _without(cards: tuple[int, ...], index: int) -> tuple[int, ...]:
    return cards[:index] + cards[index + 1 :]


_QUANTITIES: Final[dict[str, Callable[[Table, int, Sequence[int]], int]]] = {
    "chosen": lambda _table, _player, chosen: len(chosen),
    "cost": lambda table, player, chosen: sum(table.cost(card, player) for card in chosen if card >= 0),
    "owned": lambda table, player, _: len(owned_cards(table.players[player])),
    "empty_piles": lambda table, _player, _: table.empty_piles(),
    "players": lambda table, _player, _: len(table.players),
    "opponents": lambda table, _player, _: len(table.players) - 1,
    "turns": lambda table, player, _: table.players[player].turns,
    "seat": lambda _table, player, _: player + 1,
    "points": lambda table, player, _: table.players[player].points,
    "health": lambda table, player, _: table.players[player].health,
}


def contains(cards: tuple[int, ...], card: int) -> bool:
    """Return whether a sorted multiset has this card."""
    index = bisect_left(cards, card)
    return index < len(cards) and cards[index] == card
