"""What a seat sees of a match, and complete states that it may be in."""

from __future__ import annotations

from collections import Counter
from random import Random

from planner.games.deckbuilder.steps import CARDS
from planner.games.deckbuilder.table import DECK, DISCARD, HAND, LOOKED, merge
from planner.games.deckbuilder.table_state import HIDDEN, ZONE_BASE, Decision, Player, State


def observe(state: State, seat: int) -> State:
    """Return the state as this seat sees it: cards that it cannot know are `HIDDEN`, and listed in `pool`.

    While a player does not know the own deck, the hidden cards of all players are in one pool: those of the others
    alone would tell which cards have come into it.
    """
    players, shared = [], []
    is_shared = any(player.mixed for player in state.players)
    for other, player in enumerate(state.players):
        visible, hidden = _hide(player, other == seat, 1 << seat, _options_among(state, seat, other))
        if is_shared:
            shared += hidden
            hidden = []
        players.append(visible._replace(pool=merge((), (*player.pool, *hidden))))
    prompt = state.prompt
    if prompt is not None and prompt.seat != seat:
        prompt = Decision(prompt.seat, prompt.kind, 0, 0)
    frames = state.frames
    if prompt is not None and prompt.seat != seat:
        frames = tuple(frame._replace(chosen=(), memo="") for frame in frames)
    return state._replace(
        players=tuple(players),
        prompt=prompt,
        frames=frames,
        pool=merge(state.pool, shared),
    )


def _options_among(state: State, seat: int, other: int) -> Counter[int]:
    """Return the cards of another player that this seat sees because it has to choose among them."""
    prompt = state.prompt
    if prompt is None or (prompt.seat, prompt.kind) != (seat, CARDS) or state.frames[-1].player != other:
        return Counter()
    return Counter(prompt.options)


def _hide(player: Player, own: bool, bit: int, options: Counter[int]) -> tuple[Player, list[int]]:
    """Return what is visible of a player, and the cards that are not."""
    hidden: list[int] = []

    def mask(zone: int, cards: tuple[int, ...]) -> tuple[int, ...]:
        result = []
        for card in cards:
            code = zone * ZONE_BASE + card
            is_option = options[code] > 0
            options[code] -= is_option
            hidden.extend([] if is_option or card == HIDDEN else [card])
            result.append(card if is_option else HIDDEN)
        return tuple(result)

    def mask_sorted(zone: int, cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(mask(zone, cards)))

    top = tuple(
        card if seen & bit else mask(DECK, (card,))[0] for card, seen in zip(player.top, player.top_seen, strict=True)
    )
    unseen = mask_sorted(DISCARD, player.unseen)
    if own:
        deck = mask(DECK, player.deck) if player.mixed else player.deck
        return player._replace(deck=deck, top=top, discard=_tidy(player.discard), unseen=unseen), hidden
    return (
        player._replace(
            hand=mask_sorted(HAND, player.hand),
            deck=mask_sorted(DECK, player.deck),
            top=top,
            discard=mask(DISCARD, player.discard[:-1]) + player.discard[-1:],
            unseen=unseen,
            looked=mask_sorted(LOOKED, player.looked),
        ),
        hidden,
    )


def _tidy(discard: tuple[int, ...]) -> tuple[int, ...]:
    """Return the own discard pile with the cards below its top sorted: their order does not matter."""
    return (*sorted(discard[:-1]), *discard[-1:])


def sample_hidden(observation: State, rng: Random) -> State:
    """Return a complete state that the seat to move would observe like this: hidden cards are dealt from `pool`."""
    shared = rng.sample(observation.pool, len(observation.pool))
    players = []
    for player in observation.players:
        cards = shared or rng.sample(player.pool, len(player.pool))

        def deal(zone: tuple[int, ...], cards: list[int] = cards) -> tuple[int, ...]:
            return tuple(cards.pop() if card == HIDDEN else card for card in zone)

        players.append(
            player._replace(
                hand=tuple(sorted(deal(player.hand))),
                deck=tuple(sorted(deal(player.deck))),
                top=deal(player.top),
                discard=deal(player.discard),
                unseen=tuple(sorted(deal(player.unseen))),
                looked=tuple(sorted(deal(player.looked))),
                pool=(),
            )
        )
    return observation._replace(players=tuple(players), pool=())
