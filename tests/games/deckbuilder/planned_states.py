"""Random states for tests of planning, and a second search that shares only rules and deck strengths with the planner.

The second search tries every legal action in every order, also the order of treasures and purchases. Where a deck is
drawn from, it applies the action once for every order of the deck, given as known cards on top, and groups the results.
It needs states in which no discard pile is shuffled.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import permutations
from random import Random
from typing import Any

from planner.games import game
from planner.games.deckbuilder import rules
from planner.games.deckbuilder.deck_strength import (
    card_facts,
    deck_sums,
    expected_turn,
    price_list,
    strength,
    sums_of,
)
from planner.games.deckbuilder.table import Table
from planner.games.deckbuilder.table_state import END, Action, State

DOMINION: Any = game("dominion")
SIMPLE = ("Village", "Smithy", "Laboratory", "Market", "Festival", "Militia", "Witch", "Moat", "Woodcutter")
COMPLEX = ("Chapel", "Moneylender", "Remodel", "Workshop", "Merchant", "Throne Room", "Poacher", "Mine", "Vassal")
BASIC = ("Copper", "Copper", "Silver", "Gold", "Estate", "Curse")


PILES = {"Copper": 46, "Silver": 40, "Gold": 30, "Estate": 8, "Duchy": 8, "Province": 8, "Gardens": 8}


def owned(state: State, seat: int) -> list[int]:
    """Return all cards of a player."""
    player = state.players[seat]
    return [*player.hand, *player.deck, *player.top, *player.discard, *player.played, *player.looked, *player.revealed,
            *player.aside]  # fmt: skip


def random_state(rng: Random, small: bool = False) -> State:
    """Return a state at the beginning of a turn; a small one has a hand of at most 4 and a deck of at most 3 cards."""
    kingdom = [*rng.sample(SIMPLE, 5), *rng.sample(COMPLEX, 4), "Gardens"]
    state: State = DOMINION.start(DOMINION.setup_from_words(kingdom), rng)
    ids = state.match.definition.ids

    def some(number: int, actions: int) -> tuple[int, ...]:
        names = [rng.choice(BASIC) for _ in range(number)] + [rng.choice(kingdom) for _ in range(actions)]
        return tuple(sorted(ids[name] for name in names))

    own = state.players[0]._replace(
        hand=some(rng.randint(1, 2) if small else rng.randint(1, 4), rng.randint(0, 2)),
        deck=some(rng.randint(0, 2) if small else rng.randint(2, 12), rng.randint(0, 1)),
        discard=() if small else some(rng.randint(0, 6), 1),
        top=(), top_seen=(), turns=8,
    )  # fmt: skip
    other = state.players[1]._replace(turns=rng.choice([7, 8]))
    left = list(state.left)
    for slot in range(len(left)):
        if rng.random() < 0.35:
            left[slot] = rng.choice([0, 0, 1, 2, 3])
    tops = tuple(top if count else -1 for top, count in zip(state.tops, left, strict=True))
    state = state._replace(players=(own, other), left=tuple(left), tops=tops, turn=15, phase=0)
    return rules._settle(Table(state, rng))


# -- the second search


class _StopTable(Table):
    stops_at_turn_end = True


class SlowSearch:
    """The best expected score of a turn, by trying everything."""

    def __init__(self, start: State, weights: dict[str, int]) -> None:
        self.start, self.weights = start, weights
        self.definition = start.match.definition
        self.known: dict[Any, Fraction] = {}
        self.calls = 0
        self.measure()

    def best(self, state: State, bought: tuple[str, ...] = (), before: State | None = None) -> Fraction:
        self.calls += 1
        key = (state[1:], bought)
        if key not in self.known:
            self.known[key] = self._best(state, bought, before)
        return self.known[key]

    def _best(self, state: State, bought: tuple[str, ...], before: State | None) -> Fraction:
        phases = len(self.definition.phases)
        if state.ended or state.phase >= phases:
            return self.score(before or state, bought, state)
        options = []
        is_last = state.phase == phases - 1 and state.prompt is None
        legal = rules.legal_actions(state)
        if state.prompt is not None and state.prompt.seat != 0:
            legal = legal[-1:]
        for action in legal:
            if is_last and action == END:
                options.append(self.score(before or state, bought, state))
                continue
            now, then = (
                (before or state, tuple(sorted((*bought, action.card)))) if action.type == "buy" else (before, bought)
            )
            options.append(sum(share * self.best(after, then, now) for share, after in self.outcomes(state, action)))
        return max(options)

    def outcomes(self, state: State, action: Action) -> list[tuple[Fraction, State]]:
        """Apply the action for every order of the own deck."""
        player = state.players[0]
        results: dict[State, int] = defaultdict(int)
        orders = Counter(permutations(player.deck))
        for order, count in orders.items():
            known = player._replace(deck=(), top=(*player.top, *order), top_seen=(*player.top_seen, *[0] * len(order)))
            after = rules.apply(state._replace(players=(known, *state.players[1:])), action, Random(0), _StopTable)
            own = after.players[0]
            # Unseen cards go back into the deck; cards that were put on top keep their place.
            seen = [(card, mask) for card, mask in zip(own.top, own.top_seen, strict=True) if mask]
            unknown = tuple(sorted(card for card, mask in zip(own.top, own.top_seen, strict=True) if not mask))
            own = own._replace(
                deck=tuple(sorted((*own.deck, *unknown))),
                top=tuple(card for card, _ in seen),
                top_seen=tuple(mask for _, mask in seen),
            )
            results[after._replace(players=(own, *after.players[1:]))] += count
        total = sum(results.values())
        return [(Fraction(count, total), after) for after, count in results.items()]

    def score(self, before: State, bought: tuple[str, ...], end: State) -> Fraction:
        """Return the weighted sum of the terms, written from docs/reference/deckbuilder_weights.md."""
        weights, definition, start = self.weights, self.definition, self.start
        ids, facts = definition.ids, card_facts(definition)
        in_hand = self._coins(self._play_treasures(before)) - self._coins(before)
        points = rules.scores(end)[0] - rules.scores(start)[0]
        own, deck, final = owned(start, 0), owned(before, 0), owned(end, 0)
        amounts = self.deck_change(own, deck, start)
        counts = Counter(own)
        for card, number in Counter(deck).items():
            for copy in range(counts[card] + 1, number + 1):
                amounts["new_actions"] += self.new_action(facts[card], copy)
        counts = Counter(deck)
        for name, number in Counter(bought).items():
            for copy in range(1, number + 1):
                smaller = [*deck, *[ids[name]] * (copy - 1)]
                for term, amount in self.deck_change(smaller, [*smaller, ids[name]], before).items():
                    amounts[term] += amount
                amounts["new_actions"] += self.new_action(facts[ids[name]], counts[ids[name]] + copy)
                amounts["exposure"] -= self.exposure(before, (name,) * copy) - self.exposure(
                    before, (name,) * (copy - 1)
                )
        amounts["exposure"] -= self.exposure(before, ()) - self.exposure(start, ())
        trashed = Counter(end.trash)
        trashed.subtract(start.trash)
        curse = ids["Curse"]
        slots = {pile.name: number for number, pile in enumerate(start.match.piles)}
        own_curses = max(0, Counter(deck)[curse] - Counter(own)[curse])
        amounts |= {
            "points": Fraction(points),
            "points_late": points * self.share,
            "points_ahead": self.ahead(final) - self.ahead(own),
            "points_denied": self.denied(own, deck, start) + self.denied(deck, final, before),
            "junk_trashed": Fraction(sum(n for card, n in trashed.items() if not definition.cards[card].playable)),
            "curses_dealt": Fraction(start.left[slots["Curse"]] - before.left[slots["Curse"]] - own_curses),
            "opponent_hand": Fraction(len(start.players[1].hand) - len(end.players[1].hand)),
            "coins_unused": Fraction(-self._coins(end) - in_hand),
            "buys_unused": Fraction(-end.stats[definition.stats.index("buys")]),
            "piles_emptied": Fraction(sum(a > 0 == b for a, b in zip(start.left, end.left, strict=True))),
        }
        if end.left[slots["Province"]] == 0 or end.left.count(0) >= 3:
            keys = [(rules.scores(end)[seat], -end.players[seat].turns) for seat in (0, 1)]
            amounts["win"] = Fraction(keys[0] > keys[1])
            amounts["loss"] = -Fraction(keys[0] < keys[1])
        return sum((weights.get(term, 0) * amount for term, amount in amounts.items()), Fraction(0))

    # -- the clock and the deck

    def measure(self) -> None:
        """Compute what all scores of the turn share: turns left, prices of points, and the next player's deck."""
        start, own = self.start, owned(self.start, 0)
        decks = [[card for card in (*owned(start, seat), *start.players[seat].pool) if card >= 0] for seat in (0, 1)]
        facts = card_facts(self.definition)
        parts = tuple(map(sums_of, facts))
        turns = [expected_turn(deck_sums(parts, deck), 5) for deck in decks]
        gains = [strength(deck_sums(parts, deck), 5).gained_cards for deck in decks]
        names = [pile.name for pile in start.match.piles]
        self.sizes = [PILES.get(name, 10) for name in names]
        self.turns = int(100 * self.clock(start, [turn.chance(8) for turn in turns], gains))
        self.share = Fraction(max(0, 100 - self.turns // 18), 100)
        self.used = max(0, self.turns - 100 * len(own) // 10)
        self.growth = self.turns * (100 + gains[0]) // 100
        self.next_turn = turns[1]
        points = {"Estate": 100, "Duchy": 300, "Province": 600}
        points["Gardens"] = int(100 * (Fraction(len(own) // 10) + self.one_ahead(len(own), self.growth)))
        costs = {"Estate": 2, "Duchy": 5, "Province": 8, "Gardens": 4}
        offers = [
            (costs[name], points[name]) for name, left in zip(names, start.left, strict=True) if left and name in costs
        ]
        self.prices = price_list(offers)
        self.parts = tuple(sums_of(card, self.prices) for card in facts)
        coins = strength(deck_sums(self.parts, own), 5, self.prices).buying_power
        sold = [name for name, left in zip(names, start.left, strict=True) if left]
        can_buy = [n for n, cost in (("Copper", 0), ("Silver", 3), ("Gold", 6)) if 100 * cost <= coins and n in sold]
        self.expected = [self.definition.ids[name] for name in can_buy[-1:]] * (15 * self.turns // 10_000)

    def clock(self, state: State, chances: list[float], gains: list[int]) -> Fraction | float:
        """Return the turns until the Provinces are bought or three piles are empty, at most 18."""
        left = state.left[[pile.name for pile in state.match.piles].index("Province")]
        low, high = 0.0, 100.0
        for _ in range(
            200
        ):  # as many are bought in T turns: three fifths of the turns that can pay for one, and 0.022 more in each turn
            middle = (low + high) / 2
            low, high = (low, middle) if 0.6 * sum(chances) * middle + 0.022 * middle**2 > left else (middle, high)
        piles = sorted(zip(state.left, self.sizes, strict=True))
        gone = [size - number for number, size in piles]
        share = Fraction(sum(gone[:3]), max(1, sum(gone)))
        each_turn = 2 + Fraction(sum(gains), 100)
        empty = sum(number for number, _ in piles[:3]) / (share * each_turn) if share else 100
        return max(0, min(18, 100 - (state.turn - 1) // 2, high, empty))

    def deck_change(self, old: list[int], new: list[int], state: State) -> dict[str, Fraction]:
        """Return the amounts of the terms about a turn with the deck."""
        then, now = (strength(deck_sums(self.parts, [*cards, *self.expected]), 5, self.prices) for cards in (new, old))
        slot = [pile.name for pile in state.match.piles].index("Curse")
        start_curses = self.start.left[slot] if state is self.start else state.left[slot]
        curses = 100 * start_curses // 10
        early = Fraction(self.used // 18, 100)
        return defaultdict(Fraction, {
            "buying_power": Fraction(then.buying_power - now.buying_power, 100) * early,
            "buying_power_late": Fraction(then.buying_power - now.buying_power, 100) * self.share,
            "scoring": Fraction((then.scoring - now.scoring) * self.used, 10_000),
            "terminal_collisions": -Fraction(then.collisions - now.collisions, 100),
            "cursing": Fraction((then.cursing - now.cursing) * self.used * curses // 100, 10_000),
            "attacking": Fraction((then.attacking - now.attacking) * self.used, 10_000),
            "trashing": Fraction(then.trashing - now.trashing, 100) * early,
            "gaining": Fraction(then.gaining - now.gaining, 100) * early,
        })  # fmt: skip

    @staticmethod
    def new_action(card: Any, copy: int) -> Fraction:
        return Fraction(10_000 * card.cost // copy, 10_000) if card.is_action else Fraction(0)

    @staticmethod
    def one_ahead(size: int, growth: int) -> Fraction:
        """Return what one Gardens is expected to add to its points: a tenth for each card, less 0.45 for rounding."""
        return Fraction(10 * (100 * size + growth) // 10, 10_000) * 10 - Fraction(45, 100) - size // 10

    def ahead(self, cards: list[int]) -> Fraction:
        return cards.count(self.definition.ids["Gardens"]) * self.one_ahead(len(cards), self.growth)

    def denied(self, old: list[int], new: list[int], state: State) -> Fraction:
        """Return what the gained cards would count for the opponent, times the share of their piles that is gone."""
        total = Fraction(0)
        other = len(owned(self.start, 1))
        for slot, pile in enumerate(state.match.piles):
            points = {"Province": 6, "Gardens": other // 10 + self.one_ahead(other, self.turns)}
            card, size = self.definition.ids[pile.name], self.sizes[slot]
            for copy in range(new.count(card) - old.count(card) if pile.name in points else 0):
                gone = size - (state.left[slot] - copy) + 1
                total += (
                    Fraction(int(10_000 * points[pile.name]) * gone // size, 10_000) if points[pile.name] > 0 else 0
                )
        return total

    def exposure(self, state: State, bought: tuple[str, ...]) -> Fraction:
        """Return the chance that the opponent ends the match in the next turn and wins."""
        names = [pile.name for pile in state.match.piles]
        left = list(state.left)
        if left[names.index("Province")] > 4 and sum(number <= 4 for number in left) < 3:
            return Fraction(0)
        scores = rules.scores(state)
        lead, size = scores[0] - scores[1], len(owned(state, 0)) + len(bought)
        for name in bought:
            left[names.index(name)] -= 1
            lead += {"Estate": 1, "Duchy": 3, "Province": 6, "Curse": -1, "Gardens": size // 10}.get(name, 0)
        other = len(owned(self.start, 1))
        points = {"Estate": 1, "Duchy": 3, "Province": 6, "Curse": -1}
        points["Gardens"] = int(other // 10 + self.one_ahead(other, self.turns))
        best = 0.0
        for name, number in zip(names, left, strict=True):
            ends = name == "Province" or left.count(0) == 2
            cost = self.definition.cards[self.definition.ids[name]].cost
            assert cost is not None
            if number == 1 and ends and lead < points.get(name, 0):
                best = max(best, self.next_turn.chance(cost.constant))
        return Fraction(int(10_000 * best), 10_000)

    def _coins(self, state: State) -> int:
        return state.stats[self.definition.stats.index("coins")]

    def _play_treasures(self, state: State) -> State:
        """Return the state with all treasures played: a treasure that stays in the hand is unused as well."""
        while not state.bought and state.phase == len(self.definition.phases) - 1 and state.prompt is None:
            play = next((action for action in rules.legal_actions(state) if action.type == "play"), None)
            if play is None:
                break
            state = rules.apply(state, play, Random(0), _StopTable)
        return state
