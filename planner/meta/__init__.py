"""What the others play: known decks, clusters of them, and what a player who has shown these cards holds.

    from planner.meta import Mixture, Seen
    Mixture(metagame).predict([Seen("Fireball", 4)], mana=5).top(10)

Decks are multisets of named cards, whatever the game. Each method is imported from its own module as well: `distance`
and `clusters` need scipy, the plots matplotlib. docs/explanation/prediction.md has the formulas
and measured results.
"""

from planner.meta.decks import KnownDeck, Metagame
from planner.meta.forecast import Forecast, Seen
from planner.meta.mixture import Belief, Mixture
from planner.meta.stochastic import Stochastic
from planner.meta.tree import ClusterTree

__all__ = ["Belief", "ClusterTree", "Forecast", "KnownDeck", "Metagame", "Mixture", "Seen", "Stochastic"]
