"""Matches for tests, and agents that misbehave."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import play_match
from planner.games.hearthstone.cards.decks import Deck, load_deck
from planner.games.hearthstone.hearthstone_agents import BaseAgent
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.actions import Action, EndTurn, Mulligan
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState

STANDARD, THESIS = Ruleset.of("standard"), Ruleset.of("thesis")
SHORT = Ruleset("short", hero_health=15)


def decks(first: str = "mage", second: str = "warrior") -> tuple[Deck, Deck]:
    return load_deck(first), load_deck(second)


def play(first: Any = "greedy", second: Any = "random", seed: int = 7, rules: Ruleset = STANDARD) -> MatchRecord:
    return play_match((first, second), MatchSetup(decks(), rules), seed, digests=True)


@cache
def log_text() -> str:
    """Return the log of a short match with small decks, which tests replay many times."""
    first, second = (replace(deck, cards=deck.cards[::3]) for deck in decks())
    record = play_match(("greedy", "random"), MatchSetup((first, second), SHORT), 7, digests=True)
    return json.dumps(record.to_dict(seconds=False))


class Passive(BaseAgent):
    """Ends its turn."""

    name = "passive"

    def act(self, state: GameState) -> Action:
        return EndTurn()


class Hostile(Passive):
    """Ends its turns until `turn`, then misbehaves as the test says."""

    name = "hostile"

    def __init__(self, misbehave: Any, turn: int = 3) -> None:
        self.misbehave, self.turn = misbehave, turn

    def act(self, state: GameState) -> Action:
        return self.misbehave(state) if state.turn >= self.turn else EndTurn()


class BadMulligan(Passive):
    """Answers the mulligan as the test says."""

    def __init__(self, misbehave: Any) -> None:
        self.misbehave = misbehave

    def mulligan(self, state: GameState) -> Mulligan:
        return self.misbehave(state)


def raises(error: BaseException) -> Any:
    def misbehave(_state: GameState) -> Action:
        raise error

    return misbehave
