"""Predict an opponent's cards: known decks, clusters of decks, and three methods of prediction.

    from planner.meta import Mixture, Seen
    Mixture(metagame).predict([Seen("Fireball", 4)], mana=5).top(10)

Decks are multisets of card names, so most modules work for any game. Clustering needs scipy, plots need matplotlib.
docs/explanation/prediction.md has the formulas and measured results.
"""

from planner.meta.deck_clusters import ClusterTree
from planner.meta.known_decks import KnownDeck, Metagame
from planner.meta.prediction import Belief, Forecast, Mixture, Seen, Stochastic

__all__ = ["Belief", "ClusterTree", "Forecast", "KnownDeck", "Metagame", "Mixture", "Seen", "Stochastic"]
