"""What the functions of a function file can see and do.

A function is called with the table, the seat of the player and `chosen`: None on the first call, or the names of the
cards that the player chose after `ask`. It may change the table, and ask one question; then it is called again, or the
function that `then` names. So a pending question is a value, and a state can be stored and sent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.games.deckbuilder.amounts import known_word
from planner.games.deckbuilder.definition import Definition
from planner.games.deckbuilder.effects import DESTINATIONS, EVENTS, ZONES, Call
from planner.games.deckbuilder.function_file import GAME_OVER
from planner.games.deckbuilder.table import REFILLED, Table
from planner.games.deckbuilder.table_state import EMPTY, HIDDEN, ZONE_BASE, Decision, Frame, Listener

_NO_ZONES: Final = ("play", "take", "nothing")  # destinations of cards that are not zones


def call_function(table: Table, frame: Frame) -> tuple[Frame, Decision] | None:
    """Call the function of a frame; return the frame and the prompt to wait with, if it asks a question."""
    definition = table.definition
    memo = json.loads(frame.memo) if frame.memo else {}
    asked = memo.get("asked", "")
    chosen: list[str] | bool | None = None
    if asked == "yes":
        chosen = bool(frame.chosen[0])
    elif asked == "option":
        chosen = [memo["labels"][index] for index in frame.chosen]
    elif asked or "event" in memo:
        chosen = [definition.cards[code % ZONE_BASE].name for code in frame.chosen]
    assert definition.functions is not None
    name = definition.function_names[frame.position]
    api = FunctionTable(table, frame, memo)
    result = definition.functions.call(name, api, frame.player if "event" not in memo else frame.owner, chosen)
    if memo.get("event") and result is True:
        api.stop_listening()
    return api._question


def check_functions(definition: Definition) -> None:
    """Import the function file; what the rules call in it must take what they pass."""
    functions = definition.functions
    if functions is None:
        return
    called = {step.function for block in definition.blocks for step in block if isinstance(step, Call)}
    parameters = {definition.function_names[index]: ("game", "player", "chosen") for index in sorted(called)}
    over = {GAME_OVER: ("game",)} if GAME_OVER in functions.names else {}
    functions.check({**parameters, **over})


def game_over(table: Table) -> bool:
    """Return whether the function file says that the match is over."""
    functions = table.definition.functions
    if functions is None or GAME_OVER not in functions.names:
        return False
    return bool(functions.call(GAME_OVER, FunctionTable(table, Frame(-1, 0, table.active, table.active, -1), {})))


class FunctionTable:
    """What a function can see and do. Cards and zones are named by text, players by seat from 0."""

    def __init__(self, table: Table, frame: Frame, memo: dict[str, Any]) -> None:
        self._table, self._frame = table, frame
        self._memo = memo
        self._question: tuple[Frame, Decision] | None = None
        self.memo: dict[str, Any] = dict(memo.get("memo", {}))  # kept between the calls of one card

    # -- looking

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self._table.players)

    @property
    def active(self) -> int:
        """The seat whose turn it is."""
        return self._table.active

    @property
    def this(self) -> str:
        """The name of the card that is being resolved."""
        source = self._frame.source
        return self._table.definition.cards[source].name if source >= 0 else ""

    @property
    def event(self) -> str:
        """The event that this call reacts to, or an empty text."""
        event: str = self._memo.get("event", "")
        return event

    @property
    def event_player(self) -> int:
        """The seat that the event concerns."""
        return self._frame.player

    def opponents(self, player: int) -> list[int]:
        """Return the other seats in turn order."""
        return [(player + offset) % self.players for offset in range(1, self.players)]

    def zone(self, player: int, zone: str) -> list[str]:
        """Return the names of the cards in a zone; `row` is the row of the centre."""
        cards = self._table.definition.cards
        if zone == "row":
            return [cards[card].name for card in self._table.tops[len(self._table.match.piles) :] if card != EMPTY]
        held = self._table.zone(self._zone(zone), self._seat(player))
        if HIDDEN in held:
            self._table.meet_hidden_cards()
        return [cards[card].name for card in held if card >= 0]

    def count(self, player: int, zone: str, **wanted: str) -> int:
        """Return the number of cards in a zone, of a `type` or `faction` or with a `name`."""
        return sum(self.has(card, **wanted) for card in self.zone(player, zone))

    def has(self, card: str, type: str = "", faction: str = "", name: str = "") -> bool:  # noqa: A002
        """Return whether a card has this type, faction and name; empty ones do not count."""
        kind = self._table.definition.cards[self._card(card)]
        return (
            (not type or type in kind.types)
            and (not faction or faction == kind.faction)
            and (not name or name == kind.name)
        )

    def faction(self, card: str) -> str:
        """Return the faction of a card."""
        return self._table.definition.cards[self._card(card)].faction

    def cost(self, player: int, card: str) -> int:
        """Return what a card costs this player now."""
        return self._table.cost(self._card(card), self._seat(player))

    def stat(self, name: str) -> int:
        """Return a stat of the player whose turn it is."""
        return self._table.stats[self._stat(name)]

    def health(self, player: int) -> int:
        """Return the health of a player."""
        return self._table.players[self._seat(player)].health

    def empty_piles(self) -> int:
        """Return the number of empty piles."""
        return self._table.empty_piles()

    def left(self, card: str) -> int:
        """Return the number of cards in the pile with this card on top; 0 if there is none."""
        slot = self._table.slot_of(self._card(card))
        return 0 if slot is None else self._table.left[slot]

    def remember(self, key: str, value: int) -> None:
        """Keep a number until the end of the turn."""
        if not isinstance(key, str):
            raise PlannerError(f"remember: the name must be a text, got {quote(key)}")
        self._table.remember(key, int(value))

    def recall(self, key: str) -> int:
        """Return a number that was kept this turn, or 0."""
        return dict(self._table.memory).get(key, 0)

    # -- changing

    def add(self, stat: str, amount: int) -> None:
        """Change a stat of the player whose turn it is."""
        index = self._stat(stat)
        self._table.stats[index] = max(0, self._table.stats[index] + int(amount))

    def draw(self, player: int, number: int = 1) -> None:
        """Draw cards."""
        self._table.draw(self._seat(player), int(number))

    def points(self, player: int, amount: int) -> None:
        """Give points to a player."""
        self._table.players[self._seat(player)].points += int(amount)
        self._table.reserve = max(0, self._table.reserve - int(amount))

    def top(self, player: int, to: str = "revealed") -> str | None:
        """Take the top card of a deck to another zone and return its name; None if there is no card."""
        card = self._table.draw_one(self._seat(player))
        if card is None:
            return None
        card = self._table.reveal(player, card)
        self._table.put(self._destination(to), player, card, self._table.everyone)
        return self._table.definition.cards[card].name

    def move(self, player: int, card: str, zone: str, to: str) -> None:
        """Move a card of a player from one zone to another."""
        index, number = self._held(player, card, zone)
        self._table.move(index, player, number, self._destination(to))

    def gain(self, player: int, card: str, to: str = "discard") -> bool:
        """Gain a card of the supply, or defeat it; return whether there was one."""
        slot = self._table.slot_of(self._card(card))
        if slot is None:
            return False
        self._table.gain(self._seat(player), slot, self._destination(to))
        return True

    def banish(self, card: str) -> str:
        """Move a card of the row to the trash; return the card that takes its place, or an empty text."""
        table, number, row = self._table, self._card(card), len(self._table.match.piles)
        if number not in table.tops[row:]:
            raise PlannerError(f"{card} is not in the row")
        slot = table.tops.index(number, row)
        table.refill(slot)
        table.put("trash", self._frame.player, number, table.everyone)
        new = table.tops[slot]
        return "" if new == EMPTY else table.definition.cards[new].name

    def refilled(self) -> str:
        """Return the card that last took the place of another in the row, or an empty text."""
        slot = dict(self._table.memory).get(REFILLED, -1)
        card = self._table.tops[slot] if slot >= 0 else EMPTY
        return "" if card == EMPTY else self._table.definition.cards[card].name

    def give_back(self, player: int, card: str, zone: str) -> None:
        """Put a card of a player back onto its pile."""
        table, number = self._table, self._card(card)
        for slot, pile in enumerate(table.match.piles):
            if any(number == kind for kind, _ in pile.cards):
                table.take(self._held(player, card, zone)[0], player, number)
                if len(pile.cards) > 1 and table.tops[slot] != EMPTY:
                    below = (table.tops[slot], *table.below[slot])
                    table.below[slot] = tuple(sorted(below)) if pile.shuffled else below
                table.tops[slot] = number
                table.left[slot] += 1
                return
        raise PlannerError(f"{card} has no pile")

    def perform(self, player: int, card: str) -> None:
        """Carry out the effects of a card without moving it."""
        number = self._card(card)
        self._table.push(self._table.definition.cards[number].effects, self._seat(player), number)

    def run(self, player: int, effect: str) -> None:
        """Carry out a named effect of the definition after this function has returned."""
        blocks = self._table.definition.named_blocks
        self._table.push(blocks[known_word(effect, blocks, "unknown effect")], self._seat(player), self._frame.source)

    def play(self, player: int, card: str, zone: str = "hand") -> None:
        """Play a card of a zone; it costs no action."""
        index, number = self._held(player, card, zone)
        self._table.take(index, player, number)
        self._table.play(player, number)

    def shuffle(self, player: int) -> None:
        """Shuffle the discard pile into the deck."""
        self._table.shuffle_in(self._seat(player))

    def random(self) -> float:
        """Return a random number from 0 to 1."""
        return self._table.random()

    def exchange_unseen(self, players: Sequence[int]) -> None:
        """Take the top card of each deck, shuffle these cards and deal them to the discard piles, face down."""
        table, cards, seats = self._table, [], []
        for seat in players:
            card = table.draw_one(self._seat(seat))
            if card is not None:
                cards.append(card)
                seats.append(seat)
        for seat in seats:
            card = cards.pop(table.pick(tuple(cards)))
            owner = table.players[seat]
            owner.unseen = tuple(sorted((*owner.unseen, card)))
            owner.mixed = True

    # -- asking

    def ask(
        self,
        player: int,
        zone: str | Sequence[str],
        low: int,
        high: int,
        message: str,
        then: str = "",
        where: Callable[[str], bool] | None = None,
    ) -> bool:
        """Let a player choose cards of a zone; `then` is the function that gets them, by default this one again.

        Return False without asking where there is no card to choose.
        """
        ids = self._table.definition.ids
        codes: list[int] = []
        for name in [zone] if isinstance(zone, str) else zone:
            base = ZONE_BASE * self._zone("supply" if name == "row" else name)
            cards = self.zone(player, name)
            kinds = cards if name != "row" else dict.fromkeys(cards)  # equal cards of the row are one option
            codes += [base + ids[card] for card in kinds if where is None or where(card)]
        prompt = Decision(self._seat(player), "cards", low, high, tuple(sorted(codes)), message=message)
        return self._ask(prompt, then)

    def ask_row(
        self, player: int, low: int, message: str, then: str = "", where: Callable[[str], bool] | None = None
    ) -> bool:
        """Let a player choose a card of the row."""
        return self.ask(player, "row", low, 1, message, then, where)

    def ask_option(self, player: int, labels: Sequence[str], message: str, then: str = "") -> bool:
        """Let a player choose one of these texts."""
        texts = tuple(map(str, labels))
        options = tuple(range(len(texts)))
        return self._ask(Decision(self._seat(player), "option", 1, 1, options, labels=texts, message=message), then)

    def ask_yes(self, player: int, message: str, then: str = "") -> bool:
        """Ask a player yes or no; the function gets True or False."""
        return self._ask(Decision(self._seat(player), "yes", 0, 0, message=message), then)

    def _ask(self, prompt: Decision, then: str) -> bool:
        if self._question is not None:
            raise PlannerError("asks two questions at once; ask the second one in the function named by `then`")
        low, high, number = prompt.low, prompt.high, len(prompt.options)
        if prompt.kind != "yes" and not number:
            return False
        if not (isinstance(low, int) and isinstance(high, int) and 0 <= low <= high and low <= number):
            raise PlannerError(f"asks for {low} to {high} of {number} cards")
        position = self._function(then) if then else self._frame.position
        labels = {"labels": prompt.labels} if prompt.labels else {}
        memo = json.dumps({"asked": prompt.kind, "memo": self._kept(), **labels})
        owner = self._frame.owner if self.event else self._frame.player
        frame = self._frame._replace(position=position, player=owner, chosen=(), memo=memo)
        self._question = frame, prompt._replace(high=min(high, number), message=str(prompt.message)[:200])
        return True

    # -- events

    def listen(self, event: str, function: str) -> None:
        """Call a function at every such event until the end of the turn, or until it returns True."""
        known_word(event, EVENTS, "unknown event")
        memo = json.dumps({"event": event, "memo": self._kept()})
        listener = Listener(event, -1, self._function(function), self._frame.player, self._frame.source, memo)
        self._table.listeners += (listener,)

    def stop_listening(self) -> None:
        """Remove the reaction that this call belongs to."""
        frame, kept = self._frame, list(self._table.listeners)
        for listener in kept:
            if (listener.block, listener.position, listener.memo) == (-1, frame.position, frame.memo):
                kept.remove(listener)
                break
        self._table.listeners = tuple(kept)

    # -- names

    def _seat(self, player: int) -> int:
        if not isinstance(player, int) or not 0 <= player < self.players:
            raise PlannerError(f"player must be between 0 and {self.players - 1}, got {quote(player)}")
        return player

    def _card(self, name: str) -> int:
        ids = self._table.definition.ids
        return ids[known_word(name, ids, "unknown card")]

    def _held(self, player: int, card: str, zone: str) -> tuple[int, int]:
        """Return the numbers of a zone and of a card that must be in it."""
        index, number = self._zone(zone), self._card(card)
        if number not in self._table.zone(index, self._seat(player)):
            raise PlannerError(f"{card} is not in {zone} of player {player + 1}")
        return index, number

    def _kept(self) -> dict[str, Any]:
        if not isinstance(self.memo, dict):
            raise PlannerError(f"memo must be a dictionary, got {quote(self.memo)}")
        return self.memo

    def _zone(self, name: str) -> int:
        return ZONES.index(known_word(name, ZONES, "unknown zone", f"; must be one of {', '.join(ZONES)}"))

    def _destination(self, name: str) -> str:
        return known_word(name, [place for place in DESTINATIONS if place not in _NO_ZONES], "unknown zone")

    def _stat(self, name: str) -> int:
        stats = self._table.definition.stats
        return stats.index(known_word(name, stats, "unknown stat", f"; must be one of {', '.join(stats)}"))

    def _function(self, name: str) -> int:
        names = self._table.definition.function_names
        return names.index(known_word(name, names, "unknown function"))
