"""Hearthstone-like card games: what bots, designers and researchers of this game import.

    from planner.games.hearthstone import GAME, MatchSetup

The rest of this folder may move.
"""

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import Catalogue, standard
from planner.games.hearthstone.cards.decks import Deck, load_deck
from planner.games.hearthstone.hearthstone_agents import BaseAgent
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import is_over

__all__ = [
    "GAME", "Action", "Attack", "BaseAgent", "Batch", "Card", "Catalogue", "Deck", "EndTurn", "HeroPower",
    "MatchSetup", "Mulligan", "Play", "Ruleset", "Trade", "is_over", "load_deck", "standard",
]  # fmt: skip
