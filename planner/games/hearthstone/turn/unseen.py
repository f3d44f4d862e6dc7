"""What the opponent may hold and draw, for who looks ahead: never its hidden cards, only what is known about them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from planner.files import PlannerError, show
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.rules.state import GameState, in_hand

if TYPE_CHECKING:
    from planner.games.hearthstone.metagame import Opponent


class Unseen:
    """The cards that lie face down on the other side, as far as they can be known.

    With the list of what the opponent brought, that list less every card that was seen; with a prediction, what it says
    after those cards; with neither, the cards of its class and the neutral ones. An agent keeps one for a whole match:
    what has died since is remembered.
    """

    def __init__(self, brought: Sequence[Card] | Opponent | None = None) -> None:
        self._list: Sequence[Card] | None = None
        self._prediction: Opponent | None = None
        if isinstance(brought, Sequence):
            if wrong := [card for card in brought if not isinstance(card, Card)]:
                raise PlannerError(f"unseen: {show(wrong[0])} is not a card such as those of load_deck('mage').cards")
            self._list = brought
        elif brought is not None and not hasattr(brought, "sample"):
            raise PlannerError(f"unseen: {show(brought)} is neither a list of cards nor an Opponent")
        else:
            self._prediction = brought
        self._minions: set[str] = set()
        self._weapon: Card | None = None
        self._gone: list[Card] = []  # out of hand and deck for good, in the order in which they were seen

    def look(self, seen: GameState) -> None:
        """Take note of what lies on the other side of the table."""
        enemy = seen.enemy
        new = [minion.card for minion in enemy.board if minion.id not in self._minions]
        self._minions.update(minion.id for minion in enemy.board)
        weapon = enemy.weapon.card if enemy.weapon is not None else None
        if weapon is not None and weapon != self._weapon:
            new.append(weapon)
        self._weapon = weapon
        self._gone += new
        if self._prediction is not None:
            for card in new:
                if not card.token:
                    self._prediction.see(card.name, enemy.crystals)

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
        for card in self._gone:
            if card in left:
                left.remove(card)
        return left or list(self._list)

    def turned_over(self, seen: GameState, chance: Random) -> GameState:
        """The state with cards for those that lie face down on the other side, as this luck has it."""
        if self._prediction is not None:
            return self._prediction.sample(seen, chance.getrandbits(64))
        enemy, pool = seen.enemy, self.pool(seen)
        held, lying = len(enemy.hand), len(enemy.deck)
        cards: list[Card] = []
        while pool and len(cards) < held + lying:
            cards += chance.sample(pool, len(pool))
        hand = tuple(in_hand(f"enemy.hand.{place}", card) for place, card in enumerate(cards[:held]))
        deck = tuple(in_hand(f"enemy.deck.{place}", card) for place, card in enumerate(cards[held : held + lying]))
        return seen._replace(enemy=enemy.with_cards(hand or enemy.hand, deck or enemy.deck))
