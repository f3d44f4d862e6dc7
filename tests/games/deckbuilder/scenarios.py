"""Short scenarios: a table with known cards, a few actions in words, and what the zones hold afterwards.

Decks are given as `top`, so that draws are known. Zones are lists of names; `Copper*3` stands for three Coppers.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from planner.game import AnyGame
from planner.games import game
from planner.games.deckbuilder import rules
from planner.games.deckbuilder.table_state import State


def cards(text: str) -> list[str]:
    """Read `Copper*3, Silver` as a list of names."""
    result: list[str] = []
    for part in filter(None, (word.strip() for word in text.split(","))):
        name, _, number = part.partition("*")
        result += [name.strip()] * int(number or 1)
    return result


class Scenario:
    """A match in progress, with players whose zones are given as text."""

    def __init__(
        self, game_name: str | AnyGame, *players: dict[str, Any], kingdom: Sequence[str] = (), **fields: Any
    ) -> None:
        self.game = game(game_name) if isinstance(game_name, str) else game_name
        entries = [
            {key: cards(value) if isinstance(value, str) else value for key, value in player.items()}
            for player in players
        ]
        setup: dict[str, Any] = {"players": len(players)}
        if kingdom:
            setup["kingdom"] = list(kingdom) if not isinstance(kingdom, str) else kingdom
        left, row, tops_of = fields.pop("left", {}), fields.pop("row", None), fields.pop("tops", {})
        data = {"setup": setup, "players": entries, **fields}
        self.state: State = self.game.state_from_json(data)
        if left:
            numbers = list(self.state.left)
            tops = list(self.state.tops)
            for name, number in left.items():
                slot = [pile.name for pile in self.state.match.piles].index(name)
                numbers[slot] = number
                tops[slot] = tops[slot] if number else -1
            self.state = self.state._replace(left=tuple(numbers), tops=tuple(tops))
        ids, piles = self.state.match.definition.ids, self.state.match.piles
        shown = list(self.state.tops)
        for pile, name in tops_of.items():  # the card on top of a shuffled pile
            shown[[entry.name for entry in piles].index(pile)] = ids[name]
        if row is not None:
            places = self.state.match.definition.row
            shown[len(piles) :] = [ids[name] for name in (cards(row) + ["Cavern Horror"] * places)[:places]]
        self.state = self.state._replace(tops=tuple(shown))
        self.rng = Random(1)

    def do(self, *lines: str) -> Scenario:
        """Carry out actions such as `play Smithy`, `choose Copper`, `done`; a zone may be omitted."""
        for line in lines:
            words = shlex.split(line)
            wanted = [
                action
                for action in self.game.legal_actions(self.state)
                if action.type == words[0]
                and (len(words) < 2 or action.card == words[1])
                and (len(words) < 3 or action.zone == words[2])
            ]
            legal = [" ".join(filter(None, action)) for action in self.game.legal_actions(self.state)]
            assert len(wanted) == 1, f"{line!r} is not among {legal}"
            self.state = self.game.apply(self.state, wanted[0], self.rng)
        return self

    def zone(self, zone: str, seat: int = 0) -> Counter[str]:
        """Return the cards of a zone."""
        names = self.state.match.definition.cards
        held = self.state.trash if zone == "trash" else getattr(self.state.players[seat], zone)
        return Counter(names[card].name if card >= 0 else "?" for card in held)

    def top(self, seat: int = 0) -> list[str]:
        """Return the known cards on a deck, from the top."""
        names = self.state.match.definition.cards
        return [names[card].name for card in self.state.players[seat].top]

    def is_in(self, zone: str, text: str, seat: int = 0) -> None:
        """Check that a zone holds exactly these cards."""
        assert self.zone(zone, seat) == Counter(cards(text)), zone

    def row(self) -> Counter[str]:
        """Return the cards of the row."""
        names = self.state.match.definition.cards
        return Counter(names[card].name for card in self.state.tops[len(self.state.match.piles) :])

    def refill_with(self, name: str) -> Scenario:
        """Let the centre deck hold only cards of this name, so that it is known what fills the row."""
        self.state = self.state._replace(centre=(self.state.match.definition.ids[name],) * 10)
        return self

    def stat(self, name: str) -> int:
        """Return a stat of the player whose turn it is."""
        return self.state.stats[self.state.match.definition.stats.index(name)]

    def legal(self) -> list[str]:
        """Return the legal actions as text, without zones."""
        return [" ".join(filter(None, action[:2])) for action in self.game.legal_actions(self.state)]

    def to_move(self) -> int:
        """Return the seat that decides."""
        return rules.to_move(self.state)

    def score(self, seat: int = 0) -> int:
        """Return the points of a seat."""
        return rules.scores(self.state)[seat]

    def left(self, pile: str) -> int:
        """Return the number of cards in a pile."""
        return self.state.left[[entry.name for entry in self.state.match.piles].index(pile)]
