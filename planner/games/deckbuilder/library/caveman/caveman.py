"""The one card of Caveman that needs a function: cards move between players unseen."""


def prophet(game, player, chosen):  # noqa: ARG001
    """Shuffle the top cards of all decks together and deal them to the discard piles, face down."""
    game.exchange_unseen([player, *game.opponents(player)])
