"""What a turn of a deck-building game earns: the amount of every term, in integers, so that scores are exact.

All amounts compare the end of the turn with its beginning. docs/reference/deckbuilder_weights.md describes the terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from planner.games.deckbuilder import rules
from planner.games.deckbuilder.buy_program import UNIT, points_ahead
from planner.games.deckbuilder.deck_strength import (
    HUNDREDTHS,
    DeckSums,
    Price,
    Strength,
    add,
    card_facts,
    deck_sums,
    expected_turn,
    price_list,
    strength,
    sums_of,
)
from planner.games.deckbuilder.deck_weights import TERM_SIGNS, DeckWeights
from planner.games.deckbuilder.definition import POINTS
from planner.games.deckbuilder.match_clock import TYPICAL_TURNS, empty_piles_needed, turns_left
from planner.games.deckbuilder.table import owned_cards
from planner.games.deckbuilder.table_state import State

PERCENT: Final = 100
_EXPECTED: Final = 15  # percent of the turns left: so many treasures are added to the deck that is measured
_NEAR: Final = 4  # so few cards of a pile can be gone after two turns
Amounts: TypeAlias = dict[str, int]  # by term, in units


class TurnTerms:
    """The terms of one turn under a profile."""

    def __init__(self, start: State, weights: DeckWeights) -> None:
        self.start, self.weights, self.seat = start, weights, start.active
        self.definition = definition = start.match.definition
        self.signed = {term: weight for term, weight in weights.signed_terms if weight}
        self.facts = card_facts(definition)
        self._strengths: dict[DeckSums, Strength] = {}
        owned = owned_cards(start.players[self.seat])
        self._hand_size = definition.hand_size.constant
        self.turns_left = turns_left(start)
        self.progress = max(0, PERCENT - self.turns_left // TYPICAL_TURNS)
        # A new card is drawn after half a deck on average.
        self.turns_used = max(0, self.turns_left - HUNDREDTHS * len(owned) // (2 * max(1, self._hand_size)))
        self._prices: tuple[Price, ...] = ()
        self._expected = DeckSums()  # the treasures that the next turns are expected to add to the deck
        self.parts = tuple(map(sums_of, self.facts))
        more = self._strength_of(owned).gained_cards
        self.growth = self.turns_left * (HUNDREDTHS + more) // HUNDREDTHS  # cards until the end, in hundredths
        self._strengths, self._prices = {}, self._price_list(len(owned))
        self.parts = tuple(sums_of(facts, self._prices) for facts in self.facts)
        self._expected = self._expected_treasures(self._strength_of(owned).buying_power)
        self._strengths = {}
        self._rates = {
            index: _per_owned(card.points.terms, card.points.divisor)
            for index, card in enumerate(definition.cards)
            if card.points.terms
        }
        self._sizes = [max(1, size) for size in start.match.sizes]
        self._ending_slots = frozenset(slot for _, slots in start.match.ends for slot in slots)
        needed = [empty_piles_needed(rule.condition) for rule in definition.ends]
        self._ending_count = min((count for count in needed if count), default=0)
        self._denied_points = self._denied_by_pile()
        following = start.players[(self.seat + 1) % len(start.players)]
        known = [card for card in (*owned_cards(following), *following.pool) if card >= 0]
        self._next_turn = expected_turn(deck_sums(self.parts, known or owned), self._hand_size)
        self._bases: dict[tuple[object, ...], tuple[int, Amounts]] = {}
        self._start_strength = self._strength_of(owned)
        self._start_scores = rules.scores(start)

    def _strength(self, sums: DeckSums) -> Strength:
        found = self._strengths.get(sums)
        if found is None:
            found = self._strengths[sums] = strength(add(sums, self._expected), self._hand_size, self._prices)
        return found

    def _strength_of(self, cards: Sequence[int]) -> Strength:
        return self._strength(deck_sums(self.parts, cards))

    def _expected_treasures(self, coins: int) -> DeckSums:
        """Return the best treasures that an average turn can buy now, for a share of the turns that are left.

        Cards that draw are worth more in the deck of some turns later than in that of today.
        """
        best = DeckSums()
        for card, pile in zip(self.start.tops, self.start.match.piles, strict=False):
            if card < 0 or not pile.for_sale or self.facts[card].is_action:
                continue
            if HUNDREDTHS * self.facts[card].cost <= coins and self.parts[card].treasure > best.treasure:
                best = self.parts[card]
        return add(DeckSums(), best, _EXPECTED * self.turns_left // (PERCENT * HUNDREDTHS))

    def _price_list(self, owned: int) -> tuple[Price, ...]:
        """Return what points cost at the start of the turn; cards that count all cards count those at the end."""
        offers = []
        for card, pile in zip(self.start.tops, self.start.match.piles, strict=False):
            if card < 0 or not pile.for_sale:
                continue
            cost, points = self.definition.cards[card].cost, self.definition.cards[card].points
            if cost is None:
                continue
            value = HUNDREDTHS * points.constant
            if points.terms:
                factor, divisor = _per_owned(points.terms, points.divisor)
                value = points_ahead((factor, divisor), owned, self.growth) * HUNDREDTHS // UNIT
                value += HUNDREDTHS * (factor * owned // divisor)
            offers.append((cost.constant, value))
        return price_list(offers)

    def _strength_amounts(self, change: Strength, state: State) -> Amounts:
        early, late = self.turns_used // TYPICAL_TURNS, self.progress
        curses = self._curses_left(state)
        return {
            "buying_power": change.buying_power * early,
            "buying_power_late": change.buying_power * late,
            "scoring": change.scoring * self.turns_used,
            "terminal_collisions": change.collisions * PERCENT,
            "cursing": change.cursing * self.turns_used * curses // PERCENT,
            "attacking": change.attacking * self.turns_used,
            "trashing": change.trashing * early,
            "gaining": change.gaining * early,
        }

    def _new_action(self, card: int, copies: int) -> Amounts:
        """Return the amount of `new_actions` for one more copy of a card."""
        facts = self.facts[card]
        return {"new_actions": UNIT * facts.cost // copies if facts.is_action else 0}

    def _copies(self, state: State, owned: Sequence[int], slot: int, number: int) -> Iterator[Amounts]:
        """Yield the amounts of each further copy of the top card of a pile; its points count on their own."""
        card, sums = state.tops[slot], deck_sums(self.parts, owned)
        count, now = owned.count(card), self._strength(sums)
        for copy in range(1, number + 1):
            then = self._strength(add(sums, self.parts[card], copy))
            amounts = self._strength_amounts(then.minus(now), state) | self._new_action(card, count + copy)
            yield amounts | self._offer_amounts(state, owned, slot, copy)
            now = then

    def _offer_amounts(self, state: State, owned: Sequence[int], slot: int, copy: int) -> Amounts:
        """Return the amounts of a further copy of the top card of a pile that depend on the pile and the scores."""
        amounts = {"points_denied": self._denied(slot, state.left[slot] - copy + 1)}
        if "exposure" in self.signed and self._is_near_end(state.left):
            card, size = state.tops[slot], len(owned) + copy
            factor, divisor = self._rates.get(card, (0, 1))
            constant = 0 if card in self._rates else self.definition.cards[card].points.constant
            points = [constant * n + n * (factor * size // divisor) for n in (copy - 1, copy)]
            lead = self._lead(rules.scores(state))
            left = [(*state.left[:slot], state.left[slot] - n, *state.left[slot + 1 :]) for n in (copy - 1, copy)]
            exposures = [self._exposure(now, lead + more) for now, more in zip(left, points, strict=True)]
            amounts["exposure"] = exposures[1] - exposures[0]
        return amounts

    def _is_near_end(self, left: Sequence[int]) -> bool:
        """Return whether the next player may be able to end the match."""
        piles = left[: len(self._sizes)]
        count = self._ending_count
        return any(piles[slot] <= _NEAR for slot in self._ending_slots) or (
            0 < count <= sum(number <= _NEAR for number in piles)
        )

    def _exposure(self, left: Sequence[int], lead: int) -> int:
        """Return the chance that the next player ends the match and wins, with this lead of the planning player."""
        cards, tops = self.definition.cards, self.start.tops
        best = 0.0
        piles = left[: len(self._sizes)]
        missing = self._ending_count - piles.count(0) if self._ending_count else 0
        for slot, number in enumerate(piles):
            card = tops[slot]
            cost = cards[card].cost if card >= 0 else None
            if number != 1 or cost is None or not (slot in self._ending_slots or missing == 1):
                continue
            points = self._denied_points[slot] // UNIT if card in self._rates else cards[card].points.constant
            if lead < points:
                best = max(best, self._next_turn.chance(cost.constant))
        return int(UNIT * best)

    def _lead(self, scores: Sequence[int]) -> int:
        return scores[self.seat] - max((s for seat, s in enumerate(scores) if seat != self.seat), default=0)

    def _denied(self, slot: int, left: int) -> int:
        """Return the amount of `points_denied` for the top card of a pile in which so many are left."""
        points = self._denied_points[slot]
        size = self._sizes[slot]
        return points * (size - left + 1) // size if points > 0 else 0

    def _denied_by_pile(self) -> list[int]:
        """Return what the top card of a pile that all players want counts for the opponent with the most cards."""
        start, cards = self.start, self.definition.cards
        others = [player for seat, player in enumerate(start.players) if seat != self.seat]
        owned = max((len(owned_cards(player)) for player in others), default=0)
        values = []
        for slot in range(len(start.match.piles)):
            card = start.tops[slot]
            points = UNIT * cards[card].points.constant if card >= 0 and slot in self._ending_slots else 0
            if card in self._rates:
                factor, divisor = self._rates[card]
                points = UNIT * (factor * owned // divisor) + points_ahead((factor, divisor), owned, self.turns_left)
            values.append(points)
        return values

    def _curses_left(self, state: State) -> int:
        """Return how many of the cards with negative points are left, in percent."""
        cards, match = self.definition.cards, state.match
        for slot, pile in enumerate(match.piles):
            card, counts = pile.cards[0]
            if cards[card].points.constant < 0:
                return PERCENT * state.left[slot] // max(1, match.number(counts))
        return 0

    def _score(self, amounts: Mapping[str, int]) -> int:
        signed = self.signed
        return sum(signed[term] * amount for term, amount in amounts.items() if amount and term in signed)

    def _base(self, state: State) -> tuple[int, Amounts]:
        """Return what the turn has earned before a purchase, as a score and by term."""
        player = state.players[self.seat]
        owned = tuple(sorted(owned_cards(player)))
        hands = tuple(len(other.hand) for other in state.players)
        key = (owned, state.left, state.trash, hands, rules.scores(state))
        if key not in self._bases:
            amounts = self._base_amounts(state, owned)
            self._bases[key] = self._score(amounts), amounts
        return self._bases[key]

    def earned(self, state: State) -> int:
        """Return what the turn has earned before a purchase."""
        return self._base(state)[0]

    def _base_amounts(self, state: State, owned: tuple[int, ...]) -> Amounts:
        start, seat = self.start, self.seat
        change = self._strength(deck_sums(self.parts, owned)).minus(self._start_strength)
        points = self._points(rules.scores(state)) - self._points(self._start_scores)
        amounts = self._strength_amounts(change, start) | {
            "points": points * UNIT, "points_late": points * PERCENT * self.progress,
            "points_ahead": self._points_ahead(owned) - self._points_ahead(owned_cards(start.players[seat])),
        }  # fmt: skip
        trashed = Counter(state.trash)
        trashed.subtract(start.trash)
        amounts["junk_trashed"] = UNIT * sum(n for card, n in trashed.items() if n > 0 and self.facts[card].is_junk)
        before = Counter(owned_cards(start.players[seat]))
        gained = Counter(owned)
        if "exposure" in self.signed and self._is_near_end(state.left):
            lead, old = self._lead(rules.scores(state)), self._lead(self._start_scores)
            amounts["exposure"] = self._exposure(state.left, lead) - self._exposure(start.left, old)
        amounts["points_denied"] = sum(
            self._denied(slot, start.left[slot] - copy)
            for slot, card in enumerate(start.tops[: len(self._sizes)])
            if card >= 0 and self._denied_points[slot] > 0
            for copy in range(gained[card] - before[card])
        )
        amounts["new_actions"] = sum(
            self._new_action(card, copies)["new_actions"]
            for card, count in gained.items()
            if card >= 0
            for copies in range(before[card] + 1, count + 1)
        )
        cards = self.definition.cards
        curses = [slot for slot, pile in enumerate(state.match.piles) if cards[pile.cards[0][0]].points.constant < 0]
        dealt = sum(start.left[slot] - state.left[slot] for slot in curses)
        own = {state.match.piles[slot].cards[0][0] for slot in curses}
        dealt -= sum(max(0, gained[card] - before[card]) for card in own)
        amounts["curses_dealt"] = UNIT * max(0, dealt)
        amounts["opponent_hand"] = UNIT * sum(
            len(old.hand) - len(new.hand)
            for other, (old, new) in enumerate(zip(start.players, state.players, strict=True))
            if other != seat
        )
        emptied = sum(old > 0 and new == 0 for old, new in zip(start.left, state.left, strict=True))
        amounts["piles_emptied"] = UNIT * emptied
        return amounts

    def _points_ahead(self, owned: Sequence[int]) -> int:
        """Return the points that cards which count all cards are expected to add until the end, in units."""
        rates = [self._rates[card] for card in owned if card in self._rates]
        return sum(points_ahead(rate, len(owned), self.growth) for rate in rates)

    def _points(self, scores: Sequence[int]) -> int:
        """Return the own points, or in a match for health the lead over the best opponent."""
        if self.definition.victory == POINTS:
            return scores[self.seat]
        return self._lead(scores)

    def _end_value(self, state: State) -> int:
        """Return what the end of a turn without a purchase counts: unused coins and buys, and a win or loss."""
        return self._score(self._end_amounts(state))

    def _end_amounts(self, state: State) -> Amounts:
        definition = self.definition
        amounts: Amounts = {}
        if not state.ended:
            currencies = {currency for kind in definition.cards for currency in kind.currencies}
            amounts["coins_unused"] = UNIT * sum(state.stats[currency] for currency in currencies)
            amounts["buys_unused"] = UNIT * state.stats[definition.buys_stat] if definition.buys_stat >= 0 else 0
        ended = rules.after_turn(state)
        result = rules.outcome(ended) if ended.ended else None
        if result is not None:
            points = result.points[self.seat]
            amounts["win"] = UNIT * (points == 1)
            amounts["loss"] = UNIT * (
                points < Fraction(1, 2) if len(result.points) == 2 else result.places[self.seat] > 1
            )
        return amounts

    def amounts(self, before: State, bought: Sequence[int], end: State) -> Amounts:
        """Return the amount of every term for a turn: the state before the purchase, the purchase, and the end."""
        owned = owned_cards(before.players[self.seat])
        amounts = dict.fromkeys(TERM_SIGNS, 0) | self._base_amounts(before, owned)
        if bought:
            for card, number in Counter(bought).items():
                for more in self._copies(before, owned, before.tops.index(card), number):
                    for term, amount in more.items():
                        amounts[term] += amount
            points = self._points(rules.scores(end)) - self._points(rules.scores(before))
            amounts["points"] += points * UNIT
            amounts["points_late"] += points * PERCENT * self.progress
            had, have = (owned_cards(state.players[self.seat]) for state in (before, end))
            amounts["points_ahead"] += self._points_ahead(have) - self._points_ahead(had)
            amounts["piles_emptied"] += UNIT * sum(
                old > 0 and new == 0 for old, new in zip(before.left, end.left, strict=True)
            )
        return amounts | self._end_amounts(end)


def _per_owned(terms: tuple[tuple[int, str], ...], divisor: int) -> tuple[int, int]:
    """Return factor and divisor of points that depend on the number of own cards."""
    return sum(factor for factor, name in terms if name == "owned"), divisor
