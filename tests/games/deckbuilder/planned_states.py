"""Random states for tests of planning, and a second search that shares no code with the planner.

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
from planner.games.deckbuilder.deck_strength import card_facts, deck_sums, strength, sums_of
from planner.games.deckbuilder.table import Table
from planner.games.deckbuilder.table_state import END, Action, State

DOMINION: Any = game("dominion")
SIMPLE = ("Village", "Smithy", "Laboratory", "Market", "Festival", "Militia", "Witch", "Moat", "Woodcutter")
COMPLEX = ("Chapel", "Moneylender", "Remodel", "Workshop", "Merchant", "Throne Room", "Poacher", "Mine", "Vassal")
BASIC = ("Copper", "Copper", "Silver", "Gold", "Estate", "Curse")


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
        share = self._progress(start)

        def owned(state: State) -> list[int]:
            player = state.players[0]
            return [*player.hand, *player.deck, *player.top, *player.discard, *player.played, *player.looked,
                    *player.revealed, *player.aside]  # fmt: skip

        def power(cards: list[int]) -> Fraction:
            parts = tuple(map(sums_of, facts))
            return Fraction(strength(deck_sums(parts, cards), 5).buying_power, 100)

        points = rules.scores(end)[0] - rules.scores(start)[0]
        gained = power(owned(before)) - power(owned(start))
        counts = Counter(owned(start))
        new_actions = Fraction(0)
        for card, number in Counter(owned(before)).items():
            for copy in range(counts[card] + 1, number + 1):
                new_actions += Fraction(10_000 * facts[card].cost // copy, 10_000) if facts[card].is_action else 0
        counts = Counter(owned(before))
        for name, number in Counter(bought).items():
            deck = owned(before)
            gained += power([*deck, *[ids[name]] * number]) - power(deck)
            for copy in range(counts[ids[name]] + 1, counts[ids[name]] + number + 1):
                card = facts[ids[name]]
                new_actions += Fraction(10_000 * card.cost // copy, 10_000) if card.is_action else 0
        trashed = Counter(end.trash)
        trashed.subtract(start.trash)
        curse = ids["Curse"]
        slot = [pile.name for pile in start.match.piles].index("Curse")
        own_curses = max(0, Counter(owned(before))[curse] - Counter(owned(start))[curse])
        amounts = {
            "points": Fraction(points),
            "points_late": points * share,
            "buying_power": gained * (1 - share),
            "new_actions": new_actions,
            "junk_trashed": Fraction(sum(n for card, n in trashed.items() if not definition.cards[card].playable)),
            "curses_dealt": Fraction(start.left[slot] - before.left[slot] - own_curses),
            "opponent_hand": Fraction(len(start.players[1].hand) - len(end.players[1].hand)),
            "coins_unused": Fraction(-self._coins(end) - in_hand),
            "buys_unused": Fraction(-end.stats[definition.stats.index("buys")]),
            "piles_emptied": Fraction(sum(a > 0 == b for a, b in zip(start.left, end.left, strict=True))),
        }
        slots = {pile.name: number for number, pile in enumerate(start.match.piles)}
        if end.left[slots["Province"]] == 0 or end.left.count(0) >= 3:
            keys = [(rules.scores(end)[seat], -end.players[seat].turns) for seat in (0, 1)]
            amounts["win"] = Fraction(keys[0] > keys[1])
            amounts["loss"] = -Fraction(keys[0] < keys[1])
        return sum((weights.get(term, 0) * amount for term, amount in amounts.items()), Fraction(0))

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

    def _progress(self, state: State) -> Fraction:
        slots = {pile.name: number for number, pile in enumerate(state.match.piles)}
        shares = [
            1 - Fraction(state.left[slots["Province"]], 8),
            Fraction(state.left.count(0), 3),
            Fraction(state.turn - 1, 200),
        ]
        return Fraction(int(100 * min(Fraction(1), max(shares))), 100)
