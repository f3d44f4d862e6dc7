"""What the opponent may hold and draw, for who looks ahead: never its hidden cards, only what is known about them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Protocol, runtime_checkable

from planner.errors import PlannerError, quote
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.rules.state import GameState, HandCard, Player, in_hand


@runtime_checkable
class Opponent(Protocol):
    """A prediction of the opponent's cards; `planner.games.hearthstone.metagame.Opponent` is one."""

    def forget(self) -> None:
        """Start a new match: nothing has been seen."""

    def see(self, card: str, mana: float | None = None) -> None:
        """Learn that a card of this name was played with so much mana; None where chance revealed it."""

    def sample(self, state: GameState, seed: int) -> GameState:
        """Return the state with the hidden cards replaced by possible ones."""


class Unseen:
    """The cards that lie face down on the other side, as far as they can be known.

    With the list of what the opponent brought, that list less every minion and weapon that was seen; with a prediction,
    what it says after those cards; with neither, the cards of its class and the neutral ones. An agent keeps one for a
    whole match: what has died since is remembered, for each seat in which the agent plays, until another match begins.
    """

    def __init__(self, brought: Sequence[Card] | Opponent | None = None) -> None:
        self._list: Sequence[Card] | None = None
        self._prediction: Opponent | None = None
        if isinstance(brought, Sequence):
            if wrong := [card for card in brought if not isinstance(card, Card)]:
                raise PlannerError(f"unseen: {quote(wrong[0])} is not a card such as those of load_deck('mage').cards")
            self._list = brought
        elif brought is not None and not isinstance(brought, Opponent):
            raise PlannerError(f"unseen: {quote(brought)} is neither a list of cards nor an Opponent")
        else:
            self._prediction = brought
        self._turn = 0
        self._memories: dict[int, _Memory] = {}  # by the seat of the one who looks

    def look(self, seen: GameState) -> None:
        """Take note of what lies on the other side of the table."""
        if seen.turn < self._turn:  # turns only count up in a match
            self._memories.clear()
            if self._prediction is not None:
                self._prediction.forget()
        self._turn = seen.turn
        new = self._memories.setdefault(seen.seat, _Memory()).note(seen.enemy)
        if self._prediction is not None:
            from planner.games.hearthstone.metagame import is_card  # noqa: PLC0415  (only predictions need it)

            for card in new:
                if not card.token and is_card(card.name):
                    self._prediction.see(card.name, seen.enemy.crystals)

    def pool(self, seen: GameState) -> list[Card]:
        """The cards that may be among those face down, where there is no prediction."""
        if self._list is None:
            classes = ("neutral", seen.enemy.hero.hero_class)
            return [
                card
                for card in standard().values()
                if card.card_class in classes and card.type != "hero_power" and not card.token
            ]
        left = list(self._list)
        if (memory := self._memories.get(seen.seat)) is not None:
            for card in memory.gone:
                if card in left:
                    left.remove(card)
        return left or list(self._list)

    def turned_over(self, seen: GameState, chance: Random) -> GameState:
        """The state with cards for those that lie face down on the other side, as this luck has it."""
        if self._prediction is not None:
            return _distinct(self._prediction.sample(seen, chance.getrandbits(64)))
        enemy, pool = seen.enemy, self.pool(seen)
        held, lying = len(enemy.hand), len(enemy.deck)
        cards: list[Card] = []
        while pool and len(cards) < held + lying:
            cards += chance.sample(pool, len(pool))
        hand = tuple(in_hand(f"enemy.hand.{place}", card) for place, card in enumerate(cards[:held]))
        deck = tuple(in_hand(f"enemy.deck.{place}", card) for place, card in enumerate(cards[held : held + lying]))
        return _distinct(seen._replace(enemy=enemy.with_cards(hand or enemy.hand, deck or enemy.deck)))


class _Memory:
    """What one player has seen of the other's cards in a match."""

    def __init__(self) -> None:
        self.gone: list[Card] = []  # out of hand and deck for good, in the order in which they were seen
        self._minions: set[str] = set()
        self._weapon: Card | None = None

    def note(self, enemy: Player) -> list[Card]:
        """What of this was not known before."""
        new = [minion.card for minion in enemy.board if minion.id not in self._minions]
        self._minions.update(minion.id for minion in enemy.board)
        weapon = enemy.weapon.card if enemy.weapon is not None else None
        if weapon is not None and weapon != self._weapon:
            new.append(weapon)
        self._weapon = weapon
        self.gone += new
        return new


def _distinct(state: GameState) -> GameState:
    """Ids are the caller's: a minion on the table may have the one that a card turned over got by its place."""
    enemy = state.enemy
    taken = {one.id for pile in (state.me.board, state.me.hand, enemy.board) for one in pile}

    def renamed(pile: tuple[HandCard, ...]) -> tuple[HandCard, ...]:
        return tuple(card._replace(id=_free(card.id, taken)) if card.id in taken else card for card in pile)

    return state._replace(enemy=enemy.with_cards(renamed(enemy.hand), renamed(enemy.deck)))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "+"
    taken.add(name)
    return name
