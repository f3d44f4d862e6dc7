"""A table that somebody puts together: every change is read by the game's own reader, and can be undone.

A change that breaks the rules is refused with the reader's line, and the table stays as it was.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from planner.api import game_of
from planner.errors import PlannerError
from planner.formats.documents import parse_json
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.keywords import STATUSES, names
from planner.games.hearthstone.game import GAME
from planner.games.hearthstone.rules.state import GameState

Zone = Literal["me.board", "me.hand", "enemy.board"]
ZONES: Final[tuple[Zone, ...]] = ("me.board", "me.hand", "enemy.board")
MOST_STEPS: Final = 200  # that can be undone
_HAPPEN: Final = names(STATUSES)  # what no card says of itself
_BY_PLACE: Final = re.compile(r"(me|enemy)\.(board|hand|deck)\.\d+")
# What only a minion on a board has, and what only a card in a hand has.
_ON_A_BOARD: Final = ("name", "card", "attack", "health", "keywords")
_IN_A_HAND: Final = ("name", "card", "cost", "attack", "health", "keywords", "value")
EMPTY: Final = {"mana": 10, "me": {"hero": {"health": 30}}, "enemy": {"hero": {"health": 30}}}


def read(text: str) -> GameState:
    """A state that was pasted: JSON where it begins with a brace, else the line of text."""
    line = text.strip()
    if not line:
        raise PlannerError("nothing is written there; a state is JSON, or one line of text")
    if line[0] not in "{[":
        found = GAME.state_from_text(line)
    else:
        name, data = game_of(parse_json(line, "state"))
        if name != GAME.name:
            raise PlannerError(f"this is a state of {name}, which has no table here; planner plan takes it")
        found = GAME.state_from_json(data)
    assert isinstance(found, GameState)
    return found


class Sketch:
    """The table now, and those before and after it."""

    def __init__(self, state: GameState) -> None:
        self.state = state
        self._before: list[GameState] = []
        self._after: list[GameState] = []

    @property
    def can_undo(self) -> bool:
        """Is there something before?"""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Is there something that was undone?"""
        return bool(self._after)

    def undo(self) -> None:
        """Back to the table before."""
        if self._before:
            self._after.append(self.state)
            self.state = self._before.pop()

    def redo(self) -> None:
        """What was undone, again."""
        if self._after:
            self._before.append(self.state)
            self.state = self._after.pop()

    def put(self, state: GameState) -> None:
        """Another table in the place of this one."""
        if state != self.state:
            self._before = [*self._before, self.state][-MOST_STEPS:]
            self._after.clear()
            self.state = state

    def data(self) -> dict[str, Any]:
        """The table in the JSON form."""
        found: dict[str, Any] = GAME.state_to_json(self.state)
        return found

    def change(self, edit: Callable[[dict[str, Any]], None]) -> None:
        """Change the JSON form; what the reader refuses is not done."""
        data = copy.deepcopy(self.data())
        edit(data)
        for side in ("me", "enemy"):
            for pile in ("board", "hand", "deck"):
                entries = data[side].get(pile)
                if isinstance(entries, list):
                    for entry in entries:
                        if isinstance(entry, dict) and _BY_PLACE.fullmatch(str(entry.get("id", ""))):
                            del entry["id"]  # the next reader gives it the one of its new place
        self.put(GAME.state_from_json(data))

    # -- cards

    def add(self, zone: Zone, entry: dict[str, Any] | str) -> None:
        """Put a card at the end of a zone."""
        self.change(lambda data: _pile(data, zone).append(entry))

    def make_up(self, zone: Zone, name: str, cost: Any, attack: Any, health: Any, keywords: list[str]) -> None:
        """A card that nobody knows: what is said of it is all that it does, so that plans with it can be proved."""
        printed = [word for word in keywords if word not in _HAPPEN]
        card = {"name": name, "cost": cost, "attack": attack, "health": health, "keywords": printed}
        self.add(zone, {"card": card, "keywords": keywords})

    def remove(self, zone: Zone, place: int) -> None:
        """Take a card away."""
        self.change(lambda data: _pile(data, zone).pop(place))

    def copy(self, zone: Zone, place: int) -> None:
        """The same card once more, beside it."""

        def edit(data: dict[str, Any]) -> None:
            pile = _pile(data, zone)
            twin = {key: value for key, value in pile[place].items() if key != "id"}
            pile.insert(place + 1, twin)

        self.change(edit)

    def update(self, zone: Zone, place: int, **fields: Any) -> None:
        """Other numbers or keywords for a card."""
        self.change(lambda data: _pile(data, zone)[place].update(fields))

    def move(self, start: Zone, place: int, end: Zone, to: int) -> None:
        """Take a card from one place to another, before the one that is there."""

        def edit(data: dict[str, Any]) -> None:
            entry = _pile(data, start).pop(place)
            pile = _pile(data, end)
            if start != end:
                entry = _for_zone(entry, end)
            pile.insert(min(to, len(pile)), entry)

        self.change(edit)


def landing(start: Zone, place: int, end: Zone, to: int) -> int:
    """Where a card ends that is put before the one at `to`: it leaves a gap where it was."""
    return to - 1 if start == end and place < to else to


def _pile(data: dict[str, Any], zone: Zone) -> list[Any]:
    side, name = zone.split(".")
    pile: Any = data[side].setdefault(name, [])
    if not isinstance(pile, list):  # a number of cards that nobody has seen
        pile = data[side][name] = ["?"] * pile
    found: list[Any] = pile
    return found


def _for_zone(entry: Any, zone: Zone) -> Any:
    """A card of a hand as a minion, or a minion as a card of a hand."""
    if isinstance(entry, str):
        return entry
    card = next((standard()[name] for name in [entry.get("name")] if name in standard()), None)
    if zone.endswith("board"):
        if card is not None and card.type != "minion":
            raise PlannerError(f"{card.name} is a {card.type}: only minions stand on a board")
        return {key: value for key, value in entry.items() if key in _ON_A_BOARD}
    if card is not None:
        return {"name": card.name}
    return {"cost": entry.get("cost", 0), **{key: entry[key] for key in _IN_A_HAND if key in entry}}


def matching(text: str, kinds: Sequence[str], most: int = 12) -> list[Card]:
    """Cards of these kinds whose name holds this part: names that begin with it first."""
    part = text.strip().lower()
    found = [card for card in standard().values() if card.type in kinds and part in card.name.lower()]
    found.sort(key=lambda card: (not card.name.lower().startswith(part), card.token, card.name))
    return found[:most]


def printed(card: Card) -> dict[str, Any]:
    """What a card says, as fields of an entry."""
    return {"attack": card.attack, "health": card.health, "keywords": names(card.keywords)}
