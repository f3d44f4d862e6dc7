"""The best cards to buy: a bounded knapsack, solved by listing all purchases or as an integer program.

The value of a purchase is a sum over its cards, where further copies of a card can be worth less, plus its points,
which can depend on the number of cards (Gardens), minus what is left of coins and buys, plus what a win or loss counts
where the purchase ends the match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import chain, combinations, pairwise
from operator import attrgetter
from typing import Final, NamedTuple

from planner.errors import PlannerError
from planner.solvers import get
from planner.solvers.backend import SolveStatus
from planner.solvers.linear_model import LinearModel

UNIT: Final = 10_000  # amounts are integers in this fraction of a term
MAX_PURCHASES: Final = 20_000  # beyond, a turn is planned with the best of the first ones


class Offer(NamedTuple):
    """A card that can be bought."""

    card: int
    cost: int
    left: int
    pile: int
    values: tuple[int, ...]  # by number of copies, from 0: what they are worth without their points
    points: int  # of one copy
    per_owned: tuple[int, int] = (0, 1)  # further points of each copy: (factor * all own cards) // divisor
    name: str = ""

    def points_at(self, size: int) -> int:
        """Return the points of one copy in a deck of this size."""
        factor, divisor = self.per_owned
        return self.points + factor * size // divisor

    @property
    def label(self) -> str:
        """The name in a linear program."""
        return "".join(sign if sign.isalnum() else "_" for sign in self.name) or str(self.card)


def points_ahead(rate: tuple[int, int], size: int, growth: int) -> int:
    """Return the points that a card which counts all cards is expected to add until the end, in units.

    `growth` is by how many hundredths of a card the deck of `size` cards will grow. On average, rounding down loses
    almost half a point.
    """
    factor, divisor = rate
    if not factor:
        return 0
    points = UNIT * factor * (100 * size + growth) // (100 * divisor) - UNIT * (divisor - 1) // (2 * divisor)
    return points - UNIT * (factor * size // divisor)


class Purchase(NamedTuple):
    """Cards to buy, and what they are worth together."""

    value: int
    cards: tuple[int, ...]


@dataclass(frozen=True)
class Market:
    """Everything that decides what to buy. All numbers are integers, so that values are exact."""

    offers: Sequence[Offer]
    coins: int
    buys: int
    owned: int  # all own cards
    variable: Sequence[tuple[int, tuple[int, int]]]  # own cards with points per own card: copies, and (factor, divisor)
    point_value: int
    ahead_value: int = 0  # of a unit of the points that cards which count all cards add until the end
    growth: int = 0  # hundredths of cards that the player will own more at the end
    coin_cost: int = 0  # of a coin that is not used
    buy_cost: int = 0
    lead: int = 0  # own points minus those of the best opponent, before the purchase
    tie: int = 0  # what equal points are at the end: 1 a win, 0 a draw, -1 a loss
    win_value: int = 0
    loss_cost: int = 0
    empty_value: int = 0  # of a pile that becomes empty
    empty_piles: int = 0
    ending_piles: frozenset[int] = field(default_factory=frozenset)  # each of them ends the match when it is empty
    ending_count: int = 0  # so many empty piles end the match; 0: any number is allowed
    is_over: bool = False  # the match ends with this turn whatever is bought

    def points(self, counts: Sequence[int]) -> int:
        """Return the points of a purchase, given the copies of each offer."""
        size = self.owned + sum(counts)
        points = [offer.points_at(size) * count for offer, count in zip(self.offers, counts, strict=True) if count]
        return sum(points) + self.more_points(size)

    def more_points(self, size: int) -> int:
        """Return how many points more own cards which count all cards have in a deck of this size."""
        return sum(
            copies * (factor * size // divisor - factor * self.owned // divisor)
            for copies, (factor, divisor) in self.variable
        )

    def ahead(self, counts: Sequence[int]) -> int:
        """Return how many points more cards which count all cards are expected to add later, in units."""
        if not self.ahead_value:
            return 0
        size = self.owned + sum(counts)
        bought = zip(self.offers, counts, strict=True)
        new = sum(count * points_ahead(offer.per_owned, size, self.growth) for offer, count in bought if count)
        return new + self.more_ahead(size)

    def more_ahead(self, size: int) -> int:
        """Return how many points more own cards are expected to add later in a deck of this size, in units."""
        return sum(
            copies * (points_ahead(rate, size, self.growth) - points_ahead(rate, self.owned, self.growth))
            for copies, rate in self.variable
        )

    def emptied(self, counts: Sequence[int]) -> list[int]:
        """Return the piles that the purchase empties."""
        return [offer.pile for offer, count in zip(self.offers, counts, strict=True) if count == offer.left]

    def ends(self, emptied: Sequence[int]) -> bool:
        """Return whether the match is over after these piles have become empty."""
        many = emptied and self.ending_count and self.empty_piles + len(emptied) >= self.ending_count
        return self.is_over or bool(many) or any(pile in self.ending_piles for pile in emptied)

    def result(self, points: int) -> int:
        """Return 1 for a win, 0 for a draw and -1 for a loss if the match ends after a purchase with these points."""
        lead = self.lead + points
        return self.tie if lead == 0 else 1 if lead > 0 else -1

    def value(self, counts: Sequence[int]) -> int:
        """Return what a purchase is worth."""
        points, emptied = self.points(counts), self.emptied(counts)
        spent = sum(offer.cost * count for offer, count in zip(self.offers, counts, strict=True))
        value = sum(offer.values[count] for offer, count in zip(self.offers, counts, strict=True))
        value += self.point_value * points + self.ahead_value * self.ahead(counts) + self.empty_value * len(emptied)
        value -= self.coin_cost * (self.coins - spent) + self.buy_cost * (self.buys - sum(counts))
        if self.ends(emptied):
            result = self.result(points)
            value += self.win_value if result > 0 else -self.loss_cost if result < 0 else 0
        return value


def purchases(market: Market) -> Iterator[Purchase]:
    """Yield every purchase, the empty one first."""
    counts = [0] * len(market.offers)

    def extend(index: int, coins: int, buys: int) -> Iterator[Purchase]:
        yield _purchase(market, counts)
        for later in range(index, len(counts)):
            offer = market.offers[later]
            if buys and offer.cost <= coins and counts[later] < len(offer.values) - 1:
                counts[later] += 1
                yield from extend(later, coins - offer.cost, buys - 1)
                counts[later] -= 1

    return extend(0, market.coins, market.buys)


def _purchase(market: Market, counts: Sequence[int]) -> Purchase:
    cards = tuple(offer.card for offer, count in zip(market.offers, counts, strict=True) for _ in range(count))
    return Purchase(market.value(counts), cards)


def best_purchases(market: Market, number: int = 1) -> tuple[list[Purchase], bool]:
    """Return the best purchases, best first, and whether all were compared.

    Among purchases of equal value the one with the fewest cards is first, then the one with the first cards.
    """
    complete = True

    def limited() -> Iterator[Purchase]:
        nonlocal complete
        for count, purchase in enumerate(purchases(market)):
            if count == MAX_PURCHASES:
                complete = False
                return
            yield purchase

    def rank(purchase: Purchase) -> tuple[int, int, tuple[int, ...]]:
        return purchase.value, -len(purchase.cards), tuple(-card for card in purchase.cards)

    if number == 1:
        return [_best_purchase(market)], True
    return nlargest(number, limited(), key=rank), complete


def _best_purchase(market: Market) -> Purchase:
    """Return the first of `best_purchases` by dynamic programming over the offers.

    Which piles become empty is fixed first, since that can end the match. Where points depend on the number of cards,
    that number is fixed as well; then the value of a purchase is a sum over its cards.
    """
    offers = market.offers
    if market.buys == 1:
        return _best_single(market)
    can_empty = [
        index
        for index, offer in enumerate(offers)
        if offer.left <= min(market.buys, len(offer.values) - 1) and offer.left * offer.cost <= market.coins
    ]
    many = market.ending_count and market.empty_piles + len(can_empty) >= market.ending_count
    if not many and not market.empty_value:  # other piles may become empty without consequences
        can_empty = [index for index in can_empty if offers[index].pile in market.ending_piles]
    is_variable = bool(market.variable) or any(offer.per_owned[0] for offer in offers)
    numbers = range(market.buys + 1) if is_variable else [-1]
    best: tuple[int, int, tuple[int, ...]] | None = None
    for emptied in chain.from_iterable(combinations(can_empty, size) for size in range(len(can_empty) + 1)):
        for number in numbers:
            for counts in _candidates(market, emptied, can_empty, number):
                rank = (market.value(counts), -sum(counts), counts)
                if best is None or rank > best:
                    best = rank
    assert best is not None  # buying nothing is always possible
    return _purchase(market, best[2])


def _best_single(market: Market) -> Purchase:
    """Return the first of `best_purchases` where at most one card can be bought."""
    counts = [0] * len(market.offers)
    best, best_index = market.value(counts), -1
    for index, offer in enumerate(market.offers):
        if offer.cost <= market.coins and len(offer.values) > 1:
            counts[index] = 1
            value = market.value(counts)
            counts[index] = 0
            if value > best:
                best, best_index = value, index
    return Purchase(best, () if best_index < 0 else (market.offers[best_index].card,))


def _candidates(
    market: Market, emptied: Sequence[int], can_empty: Sequence[int], number: int
) -> Iterator[tuple[int, ...]]:
    """Yield the best purchases that empty exactly these piles, one for each number of points if the match then ends.

    `number` fixes the number of cards; -1: any number.
    """
    ends = market.ends([market.offers[index].pile for index in emptied])
    size = market.owned + max(0, number)
    # By cards bought, coins spent and points (if they matter): the best value, and the copies of each offer so far.
    states: dict[tuple[int, int, int], tuple[int, tuple[int, ...]]] = {(0, 0, 0): (0, ())}
    for index, offer in enumerate(market.offers):
        most = len(offer.values) - 1
        least = 0
        if index in emptied:
            least = most = offer.left
        elif index in can_empty:
            most = offer.left - 1
        points = offer.points_at(size)
        ahead = market.ahead_value * points_ahead(offer.per_owned, size, market.growth)
        worth = [
            offer.values[copies]
            + copies * (market.point_value * points + ahead + market.coin_cost * offer.cost + market.buy_cost)
            for copies in range(most + 1)
        ]
        after: dict[tuple[int, int, int], tuple[int, tuple[int, ...]]] = {}
        for (bought, spent, total), (value, counts) in states.items():
            room = min(most, market.buys - bought)
            if offer.cost:
                room = min(room, (market.coins - spent) // offer.cost)
            for copies in range(least, room + 1):
                key = (bought + copies, spent + copies * offer.cost, total + copies * points if ends else 0)
                entry = (value + worth[copies], (*counts, copies))
                if key not in after or entry > after[key]:
                    after[key] = entry
        states = after
    best: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}  # by points, and by cards bought
    for (bought, _, total), entry in states.items():
        if number in (-1, bought) and entry > best.get((total, bought), (entry[0] - 1, ())):
            best[total, bought] = entry
    yield from (counts for _, counts in best.values())


# -- the integer program


def program(market: Market, bought: int) -> tuple[LinearModel, list[list[int]]]:
    """Return the program for exactly `bought` cards, and the variables of each offer, one for each further copy.

    With the number of cards fixed, the points of every card are a constant. `ends`, `win` and `loss` are binary
    variables that the rows force to be true or false.
    """
    if market.win_value < 0 or market.loss_cost < 0:
        raise PlannerError("solver: the weights of win and loss must not be negative for an integer program")
    model = LinearModel("purchase")
    size = market.owned + bought
    copies: list[list[int]] = []
    points: list[tuple[int, float]] = []
    last: list[int] = []  # variables that are 1 where a pile becomes empty
    ending_last: list[int] = []
    for offer in market.offers:
        each = offer.points_at(size)
        variables = []
        for copy in range(1, len(offer.values)):
            value = offer.values[copy] - offer.values[copy - 1] + market.point_value * each
            value += market.ahead_value * points_ahead(offer.per_owned, size, market.growth)
            value += market.coin_cost * offer.cost + market.buy_cost
            value += market.empty_value * (copy == offer.left)
            variables.append(model.add_var(f"buy_{offer.label}_{copy}", objective=value))
        for before, after in pairwise(variables):
            model.add_row(f"order_{offer.label}_{after}", [(before, 1), (after, -1)], lower=0)
        points += [(variable, each) for variable in variables]
        if len(variables) == offer.left:
            last.append(variables[-1])
            ending_last += [variables[-1]] if offer.pile in market.ending_piles else []
        copies.append(variables)
    pairs = list(zip(market.offers, copies, strict=True))
    model.add_row("coins", [(v, offer.cost) for offer, own in pairs for v in own], upper=market.coins)
    model.add_row("buys", [(v, 1) for own in copies for v in own], lower=bought, upper=bought)
    growth = market.more_points(size)
    model.constant = market.point_value * growth + market.ahead_value * market.more_ahead(size)
    model.constant -= market.coin_cost * market.coins + market.buy_cost * market.buys
    _add_end(model, market, points, growth, last, ending_last)
    return model, copies


def _add_end(
    model: LinearModel,
    market: Market,
    points: list[tuple[int, float]],
    growth: int,
    last: list[int],
    ending_last: list[int],
) -> None:
    """Add `ends`, which is 1 exactly if the purchase ends the match, and `win` and `loss`."""
    if not (market.win_value or market.loss_cost):
        return
    ends = model.add_var("ends", lower=int(market.is_over))
    win, loss = model.add_var("win"), model.add_var("loss")
    missing = market.ending_count - market.empty_piles
    reasons = [(variable, 1.0) for variable in ending_last]
    for variable in ending_last:
        model.add_row(f"ends_{variable}", [(ends, 1), (variable, -1)], lower=0)
    if market.ending_count and 0 < missing <= len(last):
        many = model.add_var("many_empty")
        model.add_row("many_low", [*((v, 1.0) for v in last), (many, -missing)], lower=0)
        model.add_row("many_high", [*((v, 1.0) for v in last), (many, -len(last))], upper=missing - 1)
        model.add_row("ends_many", [(ends, 1), (many, -1)], lower=0)
        reasons.append((many, 1.0))
    if not market.is_over:
        model.add_row("ends_only", [*reasons, (ends, -1)], lower=0)
    # lead + points is at least 1 (0 if equal points win) for a win, and below 0 (or 0) for a loss.
    least = -market.lead - growth + (0 if market.tie > 0 else 1)
    most_lost = -market.lead - growth - (0 if market.tie < 0 else 1)
    reach = sum(abs(value) for _, value in points) + abs(market.lead) + abs(growth) + 2
    model.add_row("win_ends", [(ends, 1), (win, -1)], lower=0)
    model.add_row("win_points", [*points, (win, -2 * reach)], lower=least - 2 * reach)
    model.add_row("loss_ends", [(ends, 1), (loss, -1)], lower=0)
    # An ended match with at most `most_lost` points is lost: points >= most_lost + 1 unless loss, or not ended.
    model.add_row("loss_points", [*points, (loss, 2 * reach), (ends, -2 * reach)], lower=most_lost + 1 - 2 * reach)
    model.set_objective([*model.objective, (win, market.win_value), (loss, -market.loss_cost)], model.constant)


def solve_program(market: Market, solver: str, time_limit: float | None = None) -> tuple[Purchase, bool]:
    """Return the best purchase by integer programs, one for each number of cards, and whether it is proved."""
    backend = get(solver)
    best = _purchase(market, [0] * len(market.offers))
    is_proved = True
    copies = sum(len(offer.values) - 1 for offer in market.offers)
    for bought in range(min(market.buys, copies) + 1):
        model, variables = program(market, bought)
        solution = backend.solve(model, time_limit=time_limit)
        is_proved = is_proved and solution.status in (SolveStatus.OPTIMAL, SolveStatus.INFEASIBLE)
        if not solution.has_solution:
            continue
        counts = [round(sum(solution.values[v] for v in own)) for own in variables]
        best = max(best, _purchase(market, counts), key=attrgetter("value"))
    return best, is_proved
