"""How strong a deck is, from the numbers on its cards: what a turn with it can be expected to do.

A turn begins with a hand. Cards that give back their action replace themselves, so a turn sees more cards; of the other
actions ("terminals") about one can be played, and one more for each extra action. Coins are taken for normally
distributed. The formulas are rough on purpose: they compare decks that differ by a few cards, and a profile's weights
say how much the result counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from math import erfc, sqrt
from typing import Final, NamedTuple

from planner.games.deckbuilder.definition import Definition
from planner.games.deckbuilder.effects import (
    NO_BLOCK,
    ZONES,
    AddHealth,
    AddPoints,
    AddStat,
    Choose,
    Damage,
    Draw,
    Each,
    Gain,
    MoveThis,
    Repeat,
    Step,
    TakeTop,
)

HUNDREDTHS: Final = 100  # strengths are integers, so that scores are exact
_HAND: Final = ZONES.index("hand")
_OWN_CARDS: Final = frozenset((_HAND, ZONES.index("looked")))
_COUNTED: Final = ("coins", "cards", "actions", "buys", "curses", "attacks", "trashes", "gains", "points")
_REPEATED_DRAWS: Final = 2  # what an effect draws that draws until something holds
_LEAST_VARIANCE: Final = 0.25  # of the coins of a turn: actions are not drawn in every turn


class CardFacts(NamedTuple):
    """What one card adds to a deck."""

    is_action: bool = False
    is_junk: bool = False  # it cannot be played
    coins: int = 0
    cards: int = 0
    actions: int = 0
    buys: int = 0
    curses: int = 0  # it gives cards with negative points to others
    attacks: int = 0  # it makes others discard
    points: int = 0  # that it adds when it is played, or health that it takes
    trashes: int = 0  # cards that it can trash from the hand
    gains: int = 0  # the cost of the card that it gains
    gain_limit: int = 0  # the highest cost of any card that it may gain from the supply
    cost: int = 0
    is_simple: bool = False  # it only adds constant numbers and cards, and concerns no card of the own hand
    only_adds: bool = False  # it draws cards and adds to stats, and does nothing to others


class Strength(NamedTuple):
    """What a turn with a deck can be expected to do, in hundredths."""

    buying_power: int = 0  # coins
    collisions: int = 0  # terminals that cannot be played
    cursing: int = 0
    attacking: int = 0
    trashing: int = 0  # cards
    gaining: int = 0  # cost
    gained_cards: int = 0
    scoring: int = 0  # points of the best card that the coins buy, of those that actions gain, and that cards add

    def minus(self, other: Strength) -> Strength:
        """Return the difference."""
        return Strength(*(own - theirs for own, theirs in zip(self, other, strict=True)))


@cache
def card_facts(definition: Definition) -> tuple[CardFacts, ...]:
    """Return the facts of every card of a definition."""
    return tuple(_facts(definition, index) for index in range(len(definition.cards)))


def _facts(definition: Definition, index: int) -> CardFacts:
    card = definition.cards[index]
    steps = definition.blocks[card.effects] if card.effects != NO_BLOCK else ()
    currencies = {currency for kind in definition.cards for currency in kind.currencies}
    numbers = Counter[str]()
    is_simple = bool(steps)
    for step in steps:
        is_simple = is_simple and _is_simple(definition, step)
        _count(definition, step, numbers, currencies)
    doubles = any(isinstance(step, Choose) and step.do == "play" and _HAND in step.zones for step in steps)
    limits = [_gain_limit(step) for step in steps if isinstance(step, Gain)]
    if any(isinstance(step, MoveThis) and step.to == "trash" for step in steps):
        numbers["gains"], limits = 0, []  # once only
    numbers["actions"] += doubles
    return CardFacts(
        is_action=definition.is_action[index],
        is_junk=not card.playable,
        **{name: numbers[name] for name in _COUNTED},
        gain_limit=max(limits, default=0),
        cost=card.cost.constant if card.cost is not None else 0,
        is_simple=is_simple,
        only_adds=is_simple and all(isinstance(step, AddStat | Draw) for step in steps),
    )


def _gain_limit(step: Gain) -> int:
    """Return the constant cost up to which any card of the supply can be gained, else 0."""
    wanted = step.filter
    is_any = not (wanted.types or wanted.cards or wanted.factions or wanted.cost)
    if not is_any or step.source != "supply" or wanted.up_to is None or wanted.up_to.terms:
        return 0
    return wanted.up_to.constant


def _is_simple(definition: Definition, step: Step) -> bool:
    if isinstance(step, AddStat | Draw | AddPoints | AddHealth | Damage):
        return not step.amount.terms and step.amount.constant >= 0
    if isinstance(step, Each):
        return not step.everyone and all(
            isinstance(part, Gain | Choose | Draw) for part in definition.blocks[step.block]
        )
    return False


def _count(definition: Definition, step: Step, numbers: Counter[str], currencies: set[int]) -> None:
    """Add what a step gives."""
    cards = definition.cards
    if isinstance(step, AddStat):
        for name, stats in (
            ("coins", currencies), ("actions", {definition.actions_stat}), ("buys", {definition.buys_stat}),
        ):  # fmt: skip
            if step.stat in stats:
                numbers[name] += step.amount.constant
    elif isinstance(step, AddPoints | Damage):
        numbers["points"] += step.amount.constant
    elif isinstance(step, Draw):
        numbers["cards"] += step.amount.constant
    elif isinstance(step, Repeat):
        numbers["cards"] += _REPEATED_DRAWS
    elif isinstance(step, Gain):
        cheapest = min((_cost(definition, card) for card in step.filter.cards), default=0)
        numbers["gains"] += step.filter.up_to.constant if step.filter.up_to is not None else cheapest
    elif isinstance(step, TakeTop) and step.to == "looked":
        numbers["looked"] += step.amount.constant
    elif isinstance(step, Choose) and step.do == "trash" and _OWN_CARDS.intersection(step.zones):
        there = definition.hand_size.constant if _HAND in step.zones else numbers["looked"]
        numbers["trashes"] += step.high.constant if step.high is not None else there
        if step.then != NO_BLOCK:
            before = numbers["coins"]
            for part in definition.blocks[step.then]:
                _count(definition, part, numbers, currencies)
            numbers["coins"] -= numbers["coins"] > before  # the trashed card would have given something itself
    elif isinstance(step, Each) and step.attack:
        for part in definition.blocks[step.block]:
            if isinstance(part, Gain) and any(cards[card].points.constant < 0 for card in part.filter.cards):
                numbers["curses"] += 1
            elif isinstance(part, Choose) and part.do == "discard":
                numbers["attacks"] += 1


def _cost(definition: Definition, card: int) -> int:
    cost = definition.cards[card].cost
    return 0 if cost is None else cost.constant


class Price(NamedTuple):
    """A cost from which on a turn can buy more points, and how many more, in hundredths."""

    cost: int
    points: int


def price_list(offers: Iterable[tuple[int, int]]) -> tuple[Price, ...]:
    """Return the prices of points, given the cost and the points (in hundredths) of cards for sale."""
    prices, best = list[Price](), 0
    for cost, points in sorted(offers):
        if points > best:
            prices.append(Price(cost, points - best))
            best = points
    return tuple(prices)


class DeckSums(NamedTuple):
    """The numbers of a deck that its strength depends on: sums over its cards."""

    cards: int = 0
    junk: int = 0
    treasure: int = 0  # coins of cards that are not actions
    squares: int = 0  # of these coins
    replaced: int = 0  # actions that give back their action
    draws: int = 0  # of these actions
    extra_actions: int = 0  # that they give beyond it
    coins: int = 0  # that they give
    terminals: int = 0
    terminal_draws: int = 0
    terminal_coins: int = 0
    curses: int = 0
    attacks: int = 0
    trashes: int = 0
    gains: int = 0
    gainers: int = 0  # cards that gain a card
    points: int = 0  # that cards add when they are played
    gained_points: int = 0  # of the best card that each of them can gain, in hundredths


def sums_of(facts: CardFacts, prices: Sequence[Price] = ()) -> DeckSums:
    """Return what one card adds to the sums; `prices` are those of cards with points."""
    also = {
        "curses": facts.curses, "attacks": facts.attacks, "trashes": facts.trashes, "gains": facts.gains,
        "gainers": int(facts.gains > 0), "points": facts.points,
        "gained_points": sum(price.points for price in prices if price.cost <= facts.gain_limit),
    }  # fmt: skip
    if not facts.is_action:
        return DeckSums(
            cards=1, junk=int(facts.is_junk), treasure=facts.coins, squares=facts.coins**2, points=facts.points
        )
    if facts.actions:
        extra = facts.actions - 1
        return DeckSums(cards=1, replaced=1, draws=facts.cards, extra_actions=extra, coins=facts.coins, **also)
    return DeckSums(cards=1, terminals=1, terminal_draws=facts.cards, terminal_coins=facts.coins, **also)


def add(sums: DeckSums, more: DeckSums, times: int = 1) -> DeckSums:
    """Return the sums with so many more copies of a card."""
    return DeckSums(*[own + times * other for own, other in zip(sums, more, strict=True)])


def deck_sums(parts: tuple[DeckSums, ...], cards: Iterable[int]) -> DeckSums:
    """Return the sums of a deck; `parts` are those of each kind of card."""
    return DeckSums(*map(sum, zip(DeckSums(), *[parts[card] for card in cards if card >= 0], strict=True)))


class ExpectedTurn(NamedTuple):
    """What a turn with a deck sees and plays."""

    share: float  # of the cards that are drawn like treasures: it sees so many of them
    terminals: float  # in the hand
    played: float  # of them
    rate: float  # the share of an action's copies that are played in a turn
    mean: float  # coins
    cases: tuple[tuple[float, float, float], ...]  # without and with terminals: probability, mean and variance of coins

    def chance(self, coins: int) -> float:
        """Return the probability of at least so many coins."""
        return sum(
            0.5 * probability * erfc((coins - 0.5 - mean) / sqrt(2 * variance))
            for probability, mean, variance in self.cases
        )


def expected_turn(sums: DeckSums, hand_size: int) -> ExpectedTurn:
    """Return what a turn with a deck can be expected to see and play. The deck must not be empty."""
    size = float(sums.cards)
    seen, rate = min(size, float(hand_size)), 0.0
    for others in range(sums.replaced):
        # One more such action is played if it lies among the cards that the others let the turn see.
        rate = (seen - others * rate) / (size - others)
        seen = min(size, hand_size + (others + 1) * rate * sums.draws / sums.replaced)
    plain = size - sums.replaced
    found = seen - sums.replaced * rate
    share = found / plain if plain else 0.0
    in_hand = share * sums.terminals
    played = _expected_plays(sums.terminals, share, 1 + rate * sums.extra_actions)
    any_played = min(1.0, _expected_plays(sums.terminals, share, 1.0))
    money = plain - sums.terminals  # cards
    mean = sums.treasure / money if money else 0.0
    spread = sums.squares / money - mean * mean if money else 0.0
    cases, total = [], 0.0
    for probability, is_with_terminals in ((1 - any_played, False), (any_played, True)):
        cards, extra = found, rate * sums.coins
        if is_with_terminals and probability:
            cards = max(0.0, found - in_hand / probability)
            plays = played / (sums.terminals * probability)  # of each of them
            # What they draw comes from the rest of the deck, which has actions as well.
            cards += plays * sums.terminal_draws * max(0.0, money - cards) / max(1.0, size - seen)
            extra += plays * sums.terminal_coins
        cards = min(money, cards)
        coins = cards * mean + extra
        cases.append((probability, coins, max(_LEAST_VARIANCE, cards * spread * (1 - cards / max(1.0, money)))))
        total += probability * coins
    each = played / sums.terminals if sums.terminals else rate
    return ExpectedTurn(share, in_hand, played, each, total, tuple(cases))


def _expected_plays(terminals: int, share: float, actions: float) -> float:
    """Return how many terminals are played if each is in the hand with this probability."""
    missing = (1 - share) ** terminals if share < 1 else float(not terminals)  # the chance of none in the hand
    played, more, number = 0.0, 1 - missing, 1  # the chance of at least `number` in the hand
    while actions > 0 and more > 0 and number <= terminals:
        played += min(1.0, actions) * more
        actions -= 1
        missing = missing * (terminals - number + 1) * share / (number * (1 - share)) if share < 1 else 0.0
        more, number = more - missing, number + 1
    return played


def strength(sums: DeckSums, hand_size: int, prices: Sequence[Price] = ()) -> Strength:
    """Return what a turn with this deck can be expected to do."""
    if not sums.cards:
        return Strength()
    turn = expected_turn(sums, hand_size)
    points = sum(price.points * turn.chance(price.cost) for price in prices) + turn.rate * sums.gained_points
    points += HUNDREDTHS * turn.share * sums.points
    return Strength(
        buying_power=_round(turn.mean),
        collisions=_round(turn.terminals - turn.played),
        cursing=_round(min(1.0, turn.rate * sums.curses)),
        attacking=_round(min(1.0, turn.rate * sums.attacks)),
        trashing=_round(min(turn.rate * sums.trashes, hand_size * (sums.junk + 1) / sums.cards)),
        gaining=_round(turn.rate * sums.gains),
        gained_cards=_round(turn.rate * sums.gainers),
        scoring=int(points + 0.5),
    )


def _round(value: float) -> int:
    return int(value * HUNDREDTHS + 0.5)
