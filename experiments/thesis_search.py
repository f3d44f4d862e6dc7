"""Search for decks with which the played table is nearest to given cells of table 7.1.

The result of one game says almost nothing about a card: its effect on a win rate is a point or two, and a game is won
or lost. So the search does not judge proposals one by one. Around the current decks it plays each deal with other
random changes of the cards, and fits to all these games, cell by cell, how wins and rounds depend on a few sums over
the decks: cards of each cost, attack and health, keywords. On this response surface it looks for the best decks within
a number of changes, plays a few of them, and goes on from the best.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from experiments.thesis_cells import Decks, Table, play_deal, play_table, say, scores
from planner.arena.match.referee import derive_seed
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.keywords import CHARGE, RUSH, TAUNT
from planner.games.hearthstone.turn.thesis_program import ThesisReading

Cards = dict[str, list[Card]]  # by class
ROUND = 3.0  # points of the win rate that a round counts for
SAMPLED = 75_000  # games with changed cards in each step
POOLED = 3  # steps whose games the response surface is fitted to: the latest ones
CHANGED = 0.35  # the share of the cards that a sample changes
STEPS = (3, 6, 12, 24)  # changes within which the surface is searched; each result is played
PLAYED = 10_000  # games for each of these results, and for the current decks
ANNEALED = 4000  # proposals on the surface
RIDGE = 20.0  # in deals
JUDGED = 1000  # games for each cell of the table by which the best search is chosen
COST_BANDS = ((1, 2), (3, 4), (5, 6), (7, 10))


class Problem(NamedTuple):
    """What is searched for: cells, the rows of the model, and the cards that may be chosen."""

    cells: Sequence[int]
    reading: ThesisReading
    pools: Cards
    fixed: dict[str, int]  # cards at the beginning of each deck that stay
    decks_of: Callable[[Cards], Decks]
    target: Table  # these cells of table 7.1

    def loss(self, table: Table) -> float:
        """What the search minimises: the mean square of the differences in points, where a round counts as `ROUND`."""
        wins, rounds = table.wins - self.target.wins, ROUND * (table.rounds - self.target.rounds)
        return float((wins**2).mean() + (rounds**2).mean())

    def play(self, cards: Cards, games: int, seed: int) -> Table:
        """Play this many games for each cell."""
        return play_table(self.decks_of(cards), games, seed, self.reading, cells=self.cells)


class Sample(NamedTuple):
    """Deals with changed cards: a row for each deal."""

    features: np.ndarray
    results: np.ndarray  # scores in percent, then rounds times `ROUND`, for each cell


class Search(NamedTuple):
    """A search on its way."""

    cards: Cards
    loss: float = np.inf
    samples: tuple[Sample, ...] = ()


class Surface(NamedTuple):
    """Wins, as logits, and rounds of each cell near the decks that it is centred on, as a linear function."""

    centre: np.ndarray  # features
    level: np.ndarray  # of the centre: logits, then rounds
    slope: np.ndarray
    doubt: np.ndarray  # the covariance of the slopes, divided by the variance of a game
    variance: np.ndarray  # of a game

    def loss(self, features: np.ndarray, goal: np.ndarray) -> float:
        """Return the expected loss of decks with these features, which includes what is not known about the slopes."""
        step = features - self.centre
        values = self.level + self.slope @ step
        half = len(values) // 2
        values[:half] = 100 / (1 + np.exp(-values[:half]))
        return float(((values - goal) ** 2).mean() + self.variance.mean() * (step @ self.doubt @ step)) * 2


def card_features(card: Card) -> list[float]:
    """Describe a card by numbers whose sums over a deck are what the response surface depends on."""
    bands = [float(low <= card.cost <= high) for low, high in COST_BANDS]
    values = [float(card.cost == cost) for cost in range(1, 8)]
    values += [band * card.attack for band in bands] + [band * card.health for band in bands]
    for keyword, size in ((TAUNT, card.health), (CHARGE, card.attack), (RUSH, card.attack)):
        has = float(bool(card.keywords & keyword))
        values += [has, has * size]
    return values


class Features:
    """The features of decks, with those of each card computed once."""

    def __init__(self, pools: Cards) -> None:
        self.by_card = {card: np.array(card_features(card)) for pool in pools.values() for card in pool}

    def of(self, cards: Cards) -> np.ndarray:
        """Return the sums over both decks."""
        return np.concatenate([sum(self.by_card[card] for card in deck) for deck in cards.values()])


def run(problem: Problem, starts: Sequence[Cards], stages: Sequence[tuple[int, int]], rng: Random, name: str) -> Cards:
    """Search from each start and return the best decks. A stage says how many of the best go on, for how many steps."""
    searches, begin = [Search(cards) for cards in starts], time.process_time()
    for kept, steps in stages:
        searches = sorted(searches, key=lambda search: search.loss)[:kept]
        for index in range(len(searches)):
            for step in range(steps):
                searches[index] = improve(problem, searches[index], rng)
                seconds, loss = time.process_time() - begin, searches[index].loss
                say(f"{name}: search {index + 1}, step {step + 1}, {seconds:.0f} s, loss {loss:.1f}")
    seed = rng.getrandbits(32)
    losses = [problem.loss(problem.play(search.cards, JUDGED, seed)) for search in searches]
    say(f"{name}: losses with new games: " + ", ".join(f"{loss:.1f}" for loss in losses))
    return searches[int(np.argmin(losses))].cards


def improve(problem: Problem, search: Search, rng: Random) -> Search:
    """Make one step: sample, fit the response surface, play the best decks on it."""
    features, games = Features(problem.pools), PLAYED // len(problem.cells)
    samples = (*search.samples, _sample(problem, features, search.cards, rng))[-POOLED:]
    seed = rng.getrandbits(32)
    now = problem.play(search.cards, games, seed)
    surface = _fit_surface(samples, features.of(search.cards), now)
    best = Search(search.cards, problem.loss(now), samples)
    for most in STEPS:
        cards = _best_on_surface(problem, features, surface, search.cards, most, rng)
        loss = problem.loss(problem.play(cards, games, seed))
        if loss < best.loss:
            best = Search(cards, loss, samples)
    return best


def _sample(problem: Problem, features: Features, cards: Cards, rng: Random) -> Sample:
    rows, results = [], []
    for _ in range(SAMPLED // len(problem.cells)):
        changed = cards
        for hero_class, deck in cards.items():
            for slot in range(problem.fixed[hero_class], len(deck)):
                if rng.random() < CHANGED:
                    changed = _replaced(problem, changed, hero_class, slot, rng)
        seed = derive_seed(rng.getrandbits(32))
        matches = play_deal(problem.decks_of(changed), seed, problem.reading, cells=problem.cells)
        rows.append(features.of(changed))
        results.append([100 * score for score in scores(matches)] + [ROUND * match.rounds for match in matches])
    return Sample(np.array(rows), np.array(results))


def _replaced(problem: Problem, cards: Cards, hero_class: str, slot: int, rng: Random) -> Cards:
    """Replace one card, most often by one of a similar cost, so that no card is there three times."""
    deck = cards[hero_class]
    near = rng.random() < 0.8
    while True:
        new = rng.choice(problem.pools[hero_class])
        if (not near or abs(new.cost - deck[slot].cost) <= 1) and deck.count(new) < 2:
            return _with(cards, hero_class, slot, new)


def _with(cards: Cards, hero_class: str, slot: int, card: Card) -> Cards:
    deck = cards[hero_class]
    return {**cards, hero_class: [*deck[:slot], card, *deck[slot + 1 :]]}


def _fit_surface(samples: Sequence[Sample], centre: np.ndarray, now: Table) -> Surface:
    steps = np.concatenate([sample.features for sample in samples]) - centre
    results = np.concatenate([sample.results for sample in samples])
    mean = results.mean(axis=0)
    steps = steps - steps.mean(axis=0)
    scale = np.maximum(steps.std(axis=0), 0.1)
    doubt = np.linalg.inv(steps.T @ steps + RIDGE * np.diag(scale**2))
    slope = doubt @ steps.T @ (results - mean)
    half = len(now.wins)
    share = np.clip(mean[:half] / 100, 0.02, 0.98)
    slope[:, :half] /= 100 * share * (1 - share)  # from percent to logits
    wins = np.clip(now.wins / 100, 0.005, 0.995)
    level = np.concatenate([np.log(wins / (1 - wins)), ROUND * now.rounds])
    return Surface(centre, level, slope.T, doubt, results.var(axis=0))


def _best_on_surface(
    problem: Problem, features: Features, surface: Surface, start: Cards, most: int, rng: Random
) -> Cards:
    """Anneal the decks on the surface, with at most this many changes."""
    goal = np.concatenate([problem.target.wins, ROUND * problem.target.rounds])
    cards, value = start, surface.loss(features.of(start), goal)
    best, best_value, heat = cards, value, value / 10
    slots = [
        (hero_class, slot) for hero_class, deck in start.items() for slot in range(problem.fixed[hero_class], len(deck))
    ]
    for number in range(ANNEALED):
        hero_class, slot = rng.choice(slots)
        first = start[hero_class][slot]
        if rng.random() < 0.3 and cards[hero_class].count(first) < 2:  # take a change back
            changed = _with(cards, hero_class, slot, first)
        else:
            changed = _replaced(problem, cards, hero_class, slot, rng)
        if sum(changed[name][index] != start[name][index] for name, index in slots) > most:
            continue
        new = surface.loss(features.of(changed), goal)
        if new < value + heat * (1 - number / ANNEALED) * rng.expovariate(1):
            cards, value = changed, new
            if new < best_value:
                best, best_value = changed, new
    return best
