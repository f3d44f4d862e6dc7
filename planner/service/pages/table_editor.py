"""The state on the table, with undo, and examples to start from.

The game's reader checks every change: an invalid one raises a PlannerError and leaves the state as it was.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from planner.api import split_game
from planner.errors import PlannerError
from planner.formats.documents import parse_json
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.keywords import STATUSES, names
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.rules.state import GameState

Zone = Literal["me.board", "me.hand", "enemy.board"]
ZONES: Final[tuple[Zone, ...]] = ("me.board", "me.hand", "enemy.board")
MAX_UNDO: Final = 200
_STATUS_NAMES: Final = names(STATUSES)  # keywords that no card has printed on it
_GENERATED_ID: Final = re.compile(r"(me|enemy)\.(board|hand|deck)\.\d+")
_BOARD_FIELDS: Final = ("name", "card", "attack", "health", "keywords")
_HAND_FIELDS: Final = ("name", "card", "cost", "attack", "health", "keywords", "value")
EMPTY: Final = {"mana": 10, "me": {"hero": {"health": 30}}, "enemy": {"hero": {"health": 30}}}
# One for each keyword: in each, the keyword matters for the best turn.
EXAMPLES: Final[dict[str, str]] = {
    "Lethal behind a taunt": (
        "4 mana | me 9hp: Chillwind Yeti, Bloodfen Raptor, Boulderfist Ogre"
        " | hand: Wolfrider, Stonetusk Boar, Sen'jin Shieldmasta"
        " | enemy 12hp: Sen'jin Shieldmasta, Magma Rager"
    ),
    "Two spells on one minion": ("3 mana | me 30hp: Bloodfen Raptor | hand: Windfury, Blessing of Might | enemy 12hp"),
    "Taunt": "2 mana | me 8hp: 3/2, 2/3 | hand: Frostwolf Grunt | enemy 20hp: 2/4 taunt, 5/1",
    "Charge": "4 mana | me 20hp | hand: Wolfrider, Stonetusk Boar | enemy 4hp: 2/2",
    "Rush": "4 mana | me 20hp | hand: Minion (3) 4/2 rush, Minion (1) 1/1 | enemy 15hp: 4/4, 1/1",
    "Windfury": "0 mana | me 20hp: 4/5 windfury, 2/2 | enemy 10hp: 3/2, 1/4",
    "Mega windfury": "0 mana | me 20hp: 3/6 mega_windfury | enemy 14hp: 1/1, 2/2, 4/3",
    "Divine shield": "1 mana | me 20hp: 3/1 divine_shield, 3/3 | hand: Argent Squire | enemy 20hp: 5/3, 2/3",
    "Poisonous": "0 mana | me 20hp: 1/1 poisonous, 4/4 | enemy 20hp: 8/8, 2/1",
    "Lifesteal": "0 mana | me 5hp: 3/4 lifesteal, 2/2 | enemy 20hp: 4/3, 3/1",
    "Stealth": "0 mana | me 20hp: 4/2 stealth, 3/3 | enemy 9hp: 2/2 stealth, 3/3",
    "Reborn": "0 mana | me 20hp: 2/3 reborn, 3/3 | enemy 20hp: 3/1 reborn, 4/3",
    "Frozen": "0 mana | me 20hp: 5/5 frozen, 3/2 | enemy 12hp: 3/3, 2/4",
    "Freeze": "0 mana | me 10hp: 3/6 freeze, 2/2 | enemy 20hp: 7/7, 3/2",
    "Immune": "0 mana | me 12hp: 3/3 immune, 2/2 | enemy 20hp: 6/6, 2/3",
    "Elusive": "4 mana | me 20hp | hand: Fireball | enemy 20hp: 4/3 elusive, 3/3",
    "Cannot attack": "0 mana | me 20hp: 4/5 cannot_attack, 3/2 | enemy 12hp: 3/3",
    "Echo": "6 mana | me 20hp | hand: Minion (2) 2/1 echo | enemy 20hp: 3/3",
    "Magnetic": "4 mana | me 20hp: Harvest Golem | hand: Wargear | enemy 6hp: 2/3",
    "Tradeable": "2 mana | me 20hp: 2/2 | hand: Minion (3) 3/3 tradeable | deck: 5 | enemy 20hp: 3/2",
}
FIRST_EXAMPLE: Final = "Lethal behind a taunt"


def read_table(text: str) -> GameState:
    """Read a pasted state: JSON where it begins with a brace, else one line of text."""
    line = text.strip()
    if not line:
        raise PlannerError("the text is empty; a state is JSON or one line of text")
    if line[0] not in "{[":
        state = GAME.state_from_text(line)
    else:
        name, data = split_game(parse_json(line, "state"))
        if name != GAME.name:
            raise PlannerError(f"the table does not support {name}; `planner plan` does")
        state = GAME.state_from_json(data)
    assert isinstance(state, GameState)
    return state


class TableEditor:
    """The current state, and the ones before and after it."""

    def __init__(self, state: GameState) -> None:
        self.state = state
        self._undo: list[GameState] = []
        self._redo: list[GameState] = []

    @property
    def can_undo(self) -> bool:
        """Return whether there is a change to undo."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Return whether there is a change to redo."""
        return bool(self._redo)

    def undo(self) -> None:
        """Undo the last change."""
        if self._undo:
            self._redo.append(self.state)
            self.state = self._undo.pop()

    def redo(self) -> None:
        """Redo the change that was undone last."""
        if self._redo:
            self._undo.append(self.state)
            self.state = self._redo.pop()

    def replace(self, state: GameState) -> None:
        """Replace the whole state."""
        if state != self.state:
            self._undo = [*self._undo, self.state][-MAX_UNDO:]
            self._redo.clear()
            self.state = state

    def to_json(self) -> dict[str, Any]:
        """Return the state in JSON form."""
        data: dict[str, Any] = GAME.state_to_json(self.state)
        return data

    def change(self, edit: Callable[[dict[str, Any]], None]) -> None:
        """Change the state through its JSON form."""
        data = copy.deepcopy(self.to_json())
        edit(data)
        for side in ("me", "enemy"):
            for pile in ("board", "hand", "deck"):
                entries = data[side].get(pile)
                if isinstance(entries, list):
                    for entry in entries:
                        if isinstance(entry, dict) and _GENERATED_ID.fullmatch(str(entry.get("id", ""))):
                            del entry["id"]  # the reader assigns one for the new position
        self.replace(GAME.state_from_json(data))

    # -- cards

    def add(self, zone: Zone, entry: dict[str, Any] | str) -> None:
        """Add a card at the end of a zone."""
        self.change(lambda data: _pile(data, zone).append(entry))

    def add_custom(self, zone: Zone, name: str, cost: Any, attack: Any, health: Any, keywords: list[str]) -> None:
        """Add a card that is not in the catalogue; it has no effects, so plans with it can be proved."""
        printed = [word for word in keywords if word not in _STATUS_NAMES]
        card = {"name": name, "cost": cost, "attack": attack, "health": health, "keywords": printed}
        self.add(zone, {"card": card, "keywords": keywords})

    def remove(self, zone: Zone, index: int) -> None:
        """Remove a card."""
        self.change(lambda data: _pile(data, zone).pop(index))

    def copy(self, zone: Zone, index: int) -> None:
        """Insert a copy of a card next to it."""

        def edit(data: dict[str, Any]) -> None:
            pile = _pile(data, zone)
            pile.insert(index + 1, {key: value for key, value in pile[index].items() if key != "id"})

        self.change(edit)

    def update(self, zone: Zone, index: int, **fields: Any) -> None:
        """Change fields of a card."""
        self.change(lambda data: _pile(data, zone)[index].update(fields))

    def move(self, start: Zone, index: int, end: Zone, to: int) -> None:
        """Move a card to another position, in the same zone or another one."""

        def edit(data: dict[str, Any]) -> None:
            entry = _pile(data, start).pop(index)
            pile = _pile(data, end)
            pile.insert(min(to, len(pile)), entry if start == end else _for_zone(entry, end))

        self.change(edit)


def drop_index(start: Zone, index: int, end: Zone, to: int) -> int:
    """Return the final index of a card that is dropped before the one at `to`: its old position closes up."""
    return to - 1 if start == end and index < to else to


def _pile(data: dict[str, Any], zone: Zone) -> list[Any]:
    side, name = zone.split(".")
    pile: Any = data[side].setdefault(name, [])
    if not isinstance(pile, list):  # a number of unknown cards
        pile = data[side][name] = ["?"] * pile
    cards: list[Any] = pile
    return cards


def _for_zone(entry: Any, zone: Zone) -> Any:
    """Turn a hand card into a minion, or a minion into a hand card."""
    if isinstance(entry, str):
        return entry
    card = next((standard()[name] for name in [entry.get("name")] if name in standard()), None)
    if zone.endswith("board"):
        if card is not None and card.type != "minion":
            raise PlannerError(f"{card.name} is a {card.type}: a board holds only minions")
        return {key: value for key, value in entry.items() if key in _BOARD_FIELDS}
    if card is not None:
        return {"name": card.name}
    return {"cost": entry.get("cost", 0), **{key: entry[key] for key in _HAND_FIELDS if key in entry}}


def search_cards(query: str, types: Sequence[str], limit: int = 12) -> list[Card]:
    """Return cards of these types whose name contains the query; names that begin with it come first."""
    part = query.strip().lower()
    cards = [card for card in standard().values() if card.type in types and part in card.name.lower()]
    cards.sort(key=lambda card: (not card.name.lower().startswith(part), card.token, card.name))
    return cards[:limit]
