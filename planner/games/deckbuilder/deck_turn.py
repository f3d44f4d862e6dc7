"""One turn of a deck-building game in the form that the search for any game needs, and what it earns.

All terms count when the turn ends. Where bought cards only go to the discard pile, the purchase is the last step of the
turn and is solved by itself (`buy_program`); in other games buying is an action like others. Where chance decides, the
search goes on from every outcome, or from a sample where there are too many.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Final, NamedTuple, TypeAlias

from planner.games.deckbuilder import rules
from planner.games.deckbuilder.buy_program import Market, Offer, Purchase, best_purchases, solve_program
from planner.games.deckbuilder.chance_outcomes import ChanceOutcome, outcomes
from planner.games.deckbuilder.deck_strength import DeckSums, Strength, add, card_facts, deck_sums, strength, sums_of
from planner.games.deckbuilder.deck_weights import TERM_SIGNS, DeckWeights
from planner.games.deckbuilder.definition import BUY_PHASE, FEWER_TURNS, NO_BLOCK, POINTS, Definition
from planner.games.deckbuilder.effects import AddStat
from planner.games.deckbuilder.table import Table
from planner.games.deckbuilder.table_state import DONE, END, Action, Player, State
from planner.planning.plan import AUTO
from planner.planning.search import Branch, Ending

UNIT: Final = 10_000  # amounts are integers in this fraction of a term
PERCENT: Final = 100
_LIMITS: Final = (120, 4, 1)  # outcomes of an action that are listed, by the chance events before it in the turn
Amounts: TypeAlias = dict[str, int]  # by term, in units


class Node(NamedTuple):
    """A state of the search, and how many chance events led to it."""

    events: int
    state: State


def owned_cards(player: Player) -> tuple[int, ...]:
    """Return all cards of a player, sorted."""
    return tuple(
        sorted(
            (*player.hand, *player.deck, *player.top, *player.discard, *player.unseen, *player.played, *player.in_play,
             *player.looked, *player.revealed, *player.aside)
        )
    )  # fmt: skip


def is_turn_over(state: State, turn: int) -> bool:
    """Return whether the planned turn is over."""
    return bool(state.ended) or state.turn != turn or state.phase >= len(state.match.definition.phases)


def progress(state: State) -> int:
    """Return how much of the match is over, in percent: by piles that end it, empty piles, reserve and turns."""
    definition, match = state.match.definition, state.match
    option = match.setup.players - definition.min_players
    shares = [Fraction(state.turn - 1, definition.turn_limit * len(state.players))]
    slots = {index: slot for slot, index in enumerate(match.pile_indices)}
    for rule in definition.ends:
        for index in rule.piles:
            if index in slots:
                size = sum(counts[option] for _, counts in match.piles[slots[index]].cards)
                shares.append(1 - Fraction(state.left[slots[index]], max(1, size)))
        if (needed := _empty_piles_needed(rule.condition)) > 1:
            shares.append(Fraction(state.left[: len(match.piles)].count(0), needed))
    if definition.reserve:
        shares.append(1 - Fraction(state.reserve, max(1, definition.reserve[option])))
    return int(PERCENT * min(Fraction(1), max(shares)))


def _empty_piles_needed(condition: Sequence[object]) -> int:
    """Return n for the condition `empty_piles >= n`, and 0 for any other."""
    for part in condition:
        left, operator, right = (getattr(part, name) for name in ("left", "operator", "right"))
        if len(condition) == 1 and left.terms == ((1, "empty_piles"),) and operator == ">=" and not right.terms:
            return int(right.constant)
    return 0


def buys_are_last(definition: Definition) -> bool:
    """Return whether buying a card does nothing but put it into the discard pile, after all cards are played."""
    cards = definition.cards
    piles = (*definition.piles, *definition.choices)
    sold = [card for pile in piles if pile.for_sale for card, _ in pile.cards]
    return (
        definition.plays_before_buys
        and definition.phases[-1] == BUY_PHASE
        and not definition.row
        and not definition.listens
        and all(len(pile.cards) == 1 and not pile.permanent for pile in piles)
        and all(cards[card].kept and cards[card].on_gain == NO_BLOCK for card in sold)
        and all(kind.cost is None or (not kind.cost.terms and len(kind.currencies) == 1) for kind in cards)
        and len({kind.currencies for kind in cards if kind.cost is not None}) == 1
        and all(rule.piles or _empty_piles_needed(rule.condition) for rule in definition.ends)
        and all(len(rule.piles) <= 1 and not rule.whole_round for rule in definition.ends)
        and definition.victory == POINTS
        and definition.functions is None
    )


class DeckTurn:
    """One turn under a profile: legal actions, their outcomes, and what ending the turn earns."""

    def __init__(self, start: State, weights: DeckWeights, solver: str = AUTO, time_limit: float | None = None) -> None:
        self.start, self.weights, self.solver = start, weights, solver
        self.deadline = None if time_limit is None else time.monotonic() + time_limit
        self.seat = start.active
        self.definition = definition = start.match.definition
        self.facts = card_facts(definition)
        self.parts = tuple(map(sums_of, self.facts))
        self.progress = progress(start)
        self.buys_are_last = buys_are_last(definition)
        self.is_exact = True  # False: a chance event has too many outcomes, and a sample of them was taken
        signed = weights.scaled()
        self.signed = {term: TERM_SIGNS[term] * signed[term] for term in signed if signed[term]}
        self.no_plays = {definition.ids.get(rule.word, -1) for rule in weights.forbid if rule.kind == "play"}
        self.no_buys = {definition.ids.get(rule.word, -1) for rule in weights.forbid if rule.kind == "buy"}
        self._hand_size = definition.hand_size.constant
        self._outcomes: dict[object, tuple[list[ChanceOutcome], bool]] = {}
        self._strengths: dict[DeckSums, Strength] = {}
        self._bases: dict[tuple[object, ...], tuple[int, Amounts]] = {}
        self._offers: dict[tuple[object, ...], tuple[Offer, ...]] = {}
        self._purchases: dict[tuple[object, ...], Purchase] = {}
        self._start_strength = self._strength(deck_sums(self.parts, owned_cards(start.players[self.seat])))
        self._start_scores = rules.scores(start)
        self._first_plays = not self.signed.get("coins_unused") and not self.signed.get("buys_unused")

    # -- the search

    def actions(self, node: Node) -> Iterable[Action]:
        """Return the actions that the search tries."""
        state = node.state
        if is_turn_over(state, self.start.turn):
            return ()
        legal = rules.legal_actions(state)
        prompt = state.prompt
        if prompt is not None:
            if prompt.seat != self.seat:
                return legal[-1:]  # others are assumed to do the least
            if prompt.picked and not prompt.low == prompt.high == len(prompt.options):
                # The order does not matter: only choices in the order of the options.
                later = set(prompt.options[prompt.options.index(prompt.picked[-1]) :])
                allowed = {rules.choice_action(self.definition, code) for code in later}
                return [action for action in legal if action == DONE or action in allowed]
            return legal
        is_last = state.phase == len(self.definition.phases) - 1
        ids = self.definition.ids
        plays = [a for a in legal if a.type in ("play", "use") and ids[a.card] not in self.no_plays]
        if self.buys_are_last and is_last:
            return () if self._plain_treasures(state) else plays[:1]
        if first := self._obvious_play(state, plays):
            return (first,)
        buys = [a for a in legal if a.type == "buy" and ids[a.card] not in self.no_buys]
        return [*plays, *buys, *([] if is_last else [END])]

    def _obvious_play(self, state: State, plays: Sequence[Action]) -> Action | None:
        """Return a card that gives back its action and only adds numbers, where it can be played before all others.

        More cards, coins and buys never make a turn worse, unless the profile counts unused ones; the other actions
        in the hand must not concern it.
        """
        if not self._first_plays:
            return None
        ids, facts = self.definition.ids, self.facts
        hand = [facts[card] for card in state.players[self.seat].hand if card >= 0 and facts[card].is_action]
        if not all(card.is_simple for card in hand):
            return None
        return next((a for a in plays if a.type == "play" and facts[ids[a.card]].actions > 0
                     and facts[ids[a.card]].is_action), None)  # fmt: skip

    def taking(self, node: Node, action: Action) -> Sequence[Branch[Node]] | None:
        """Return where an action leads. It earns nothing itself: all terms count at the end of the turn."""
        results, is_complete = self.outcomes(node, action)
        if not is_complete:
            self.is_exact = False
        events = node.events + (len(results) > 1)
        return [Branch(0, Node(events, after), probability) for probability, after in results]

    def outcomes(self, node: Node, action: Action) -> tuple[list[ChanceOutcome], bool]:
        """Return the outcomes of an action, and whether they are all. They stay the same after the deadline."""
        if self.deadline is None:
            return outcomes(node.state, action, self._limit(node))
        key = (self.key(node), action)
        if key not in self._outcomes:
            self._outcomes[key] = outcomes(node.state, action, self._limit(node), self.deadline)
        return self._outcomes[key]

    def _limit(self, node: Node) -> int:
        """Return how many outcomes of an action are listed."""
        return _LIMITS[min(node.events, len(_LIMITS) - 1)]

    def ending(self, node: Node) -> Ending | None:
        """Return what ending the turn here earns, with the best purchase where the turn ends with buying."""
        state = node.state
        if not self.may_end(state):
            return None
        base, _ = self._base(state)
        if not self.buys_are_last or is_turn_over(state, self.start.turn):
            return Ending(base + self._end_value(state))
        return Ending(base + self.purchase(state).value)

    def may_end(self, state: State) -> bool:
        """Return whether the turn can end in this state."""
        if is_turn_over(state, self.start.turn):
            return True
        if state.prompt is not None or state.phase != len(self.definition.phases) - 1:
            return False
        return not self.buys_are_last or self._plain_treasures(state)

    def key(self, node: Node) -> tuple[object, ...]:
        """Return what the rest of the turn depends on."""
        return (min(node.events, len(_LIMITS) - 1), *node.state[1:])

    # -- treasures

    def _plain_treasures(self, state: State) -> bool:
        """Return whether all cards that can still be played only add constant numbers."""
        if state.bought or state.listeners:
            return not self.treasures(state)
        cards, blocks = self.definition.cards, self.definition.blocks
        return all(
            isinstance(step, AddStat) and not step.amount.terms
            for card in set(self.treasures(state))
            if cards[card].effects != NO_BLOCK
            for step in blocks[cards[card].effects]
        )

    def treasures(self, state: State) -> list[int]:
        """Return the cards of the hand that can be played in the buy phase."""
        if state.bought or state.phase != len(self.definition.phases) - 1:
            return []
        types = self.definition.plays[state.phase]
        cards, is_action = self.definition.cards, self.definition.is_action
        return [
            card
            for card in state.players[self.seat].hand
            if card >= 0 and card not in self.no_plays and cards[card].playable and not is_action[card]
            and (not types or any(word in types for word in cards[card].types))
        ]  # fmt: skip

    def _money(self, state: State) -> tuple[int, int]:
        """Return the coins and buys once all treasures are played."""
        definition = self.definition
        stats = list(state.stats)
        for card in self.treasures(state):
            for step in definition.blocks[definition.cards[card].effects]:
                assert isinstance(step, AddStat)
                stats[step.stat] += step.amount.constant
        currency = next(kind.currencies[0] for kind in definition.cards if kind.cost is not None)
        return stats[currency], stats[definition.buys_stat] if definition.buys_stat >= 0 else stats[currency]

    # -- purchases

    def purchase(self, state: State) -> Purchase:
        """Return the best purchase at the end of the turn."""
        coins, buys = self._money(state)
        player = state.players[self.seat]
        owned = owned_cards(player)
        key = (coins, buys, owned, state.left, rules.scores(state))
        if key not in self._purchases:
            market = self.market(state, coins, buys, owned)
            if self.solver == AUTO:
                results, is_complete = best_purchases(market)
                self.is_exact = self.is_exact and is_complete
                self._purchases[key] = results[0]
            else:
                self._purchases[key] = solve_program(market, self.solver)
        return self._purchases[key]

    def market(self, state: State, coins: int, buys: int, owned: tuple[int, ...]) -> Market:
        """Return the market at the end of the turn."""
        definition, signed = self.definition, self.signed
        match = state.match
        scores = rules.scores(state)
        cards = definition.cards
        variable = [
            (count, _per_owned(cards[card].points.terms, cards[card].points.divisor))
            for card, count in Counter(owned).items()
            if card >= 0 and cards[card].points.terms
        ]
        slots = {index: slot for slot, index in enumerate(match.pile_indices)}
        return Market(
            offers=self._offers_of(state, owned, buys),
            coins=coins,
            buys=buys,
            owned=len(owned),
            variable=variable,
            point_value=signed.get("points", 0) * UNIT + signed.get("points_late", 0) * PERCENT * self.progress,
            coin_cost=-signed.get("coins_unused", 0) * UNIT,
            buy_cost=-signed.get("buys_unused", 0) * UNIT,
            lead=scores[self.seat] - max((s for seat, s in enumerate(scores) if seat != self.seat), default=0),
            tie=self._tie(state),
            win_value=signed.get("win", 0) * UNIT,
            loss_cost=-signed.get("loss", 0) * UNIT,
            empty_value=signed.get("piles_emptied", 0) * UNIT,
            empty_piles=state.left[: len(match.piles)].count(0),
            ending_piles=frozenset(slots[i] for rule in definition.ends for i in rule.piles if i in slots),
            ending_count=max((_empty_piles_needed(rule.condition) for rule in definition.ends), default=0),
            is_over=bool(self.after_turn(state).ended),
        )

    def _tie(self, state: State) -> int:
        """Return what equal points with the best opponent mean if the match ends with this turn."""
        if self.definition.ties != FEWER_TURNS:
            return 0
        own, scores = state.players[self.seat].turns, rules.scores(state)
        others = [seat for seat in range(len(scores)) if seat != self.seat]
        best = max(scores[seat] for seat in others)
        fewest = min(state.players[seat].turns for seat in others if scores[seat] == best)
        return 0 if own == fewest else 1 if own < fewest else -1

    def _offers_of(self, state: State, owned: tuple[int, ...], buys: int) -> tuple[Offer, ...]:
        """Return the cards for sale with their values for this deck, sorted by card."""
        key = (owned, state.left, buys)
        if key in self._offers:
            return self._offers[key]
        definition = self.definition
        sums = deck_sums(self.parts, owned)
        counts = Counter(owned)
        offers = []
        for slot, pile in enumerate(state.match.piles):
            card, left = state.tops[slot], state.left[slot]
            if card < 0 or not pile.for_sale or card in self.no_buys or definition.cards[card].cost is None:
                continue
            kind = definition.cards[card]
            values, now = [0], self._strength(sums)
            for copy in range(1, min(left, buys) + 1):
                then = self._strength(add(sums, self.parts[card], copy))
                amounts = self._strength_amounts(then.minus(now), state) | self._new_action(card, counts[card] + copy)
                values.append(values[-1] + self._score(amounts))
                now = then
            points = kind.points
            per_owned = _per_owned(points.terms, points.divisor) if points.terms else (0, 1)
            constant = 0 if points.terms else points.constant
            assert kind.cost is not None
            offers.append(Offer(card, kind.cost.constant, left, slot, tuple(values), constant, per_owned))
        result = tuple(sorted(offers))
        self._offers[key] = result
        return result

    # -- what a turn earns

    def _strength(self, sums: DeckSums) -> Strength:
        found = self._strengths.get(sums)
        if found is None:
            found = self._strengths[sums] = strength(sums, self._hand_size)
        return found

    def _strength_amounts(self, change: Strength, state: State) -> Amounts:
        early, late = PERCENT - self.progress, self.progress
        curses = self._curses_left(state)
        return {
            "buying_power": change.buying_power * early,
            "buying_power_late": change.buying_power * late,
            "terminal_collisions": change.collisions * PERCENT,
            "cursing": change.cursing * curses,
            "attacking": change.attacking * PERCENT,
            "trashing": change.trashing * early,
            "gaining": change.gaining * early,
        }

    def _new_action(self, card: int, copies: int) -> Amounts:
        """Return the amount of `new_actions` for one more copy of a card."""
        facts = self.facts[card]
        return {"new_actions": UNIT * facts.cost // copies if facts.is_action else 0}

    def _curses_left(self, state: State) -> int:
        """Return how many of the cards with negative points are left, in percent."""
        cards, match = self.definition.cards, state.match
        option = match.setup.players - self.definition.min_players
        for slot, pile in enumerate(match.piles):
            card, counts = pile.cards[0]
            if cards[card].points.constant < 0:
                return PERCENT * state.left[slot] // max(1, counts[option])
        return 0

    def _score(self, amounts: Mapping[str, int]) -> int:
        signed = self.signed
        return sum(signed[term] * amount for term, amount in amounts.items() if amount and term in signed)

    def _base(self, state: State) -> tuple[int, Amounts]:
        """Return what the turn has earned before a purchase, as a score and by term."""
        player = state.players[self.seat]
        owned = owned_cards(player)
        hands = tuple(len(other.hand) for other in state.players)
        key = (owned, state.left, state.trash, hands, rules.scores(state))
        if key not in self._bases:
            amounts = self._base_amounts(state, owned)
            self._bases[key] = self._score(amounts), amounts
        return self._bases[key]

    def _base_amounts(self, state: State, owned: tuple[int, ...]) -> Amounts:
        start, seat = self.start, self.seat
        change = self._strength(deck_sums(self.parts, owned)).minus(self._start_strength)
        points = self._points(rules.scores(state)) - self._points(self._start_scores)
        amounts = self._strength_amounts(change, start) | {
            "points": points * UNIT, "points_late": points * PERCENT * self.progress
        }  # fmt: skip
        trashed = Counter(state.trash)
        trashed.subtract(start.trash)
        amounts["junk_trashed"] = UNIT * sum(n for card, n in trashed.items() if n > 0 and self.facts[card].is_junk)
        before = Counter(owned_cards(start.players[seat]))
        gained = Counter(owned)
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

    def _points(self, scores: Sequence[int]) -> int:
        """Return the own points, or in a match for health the lead over the best opponent."""
        if self.definition.victory == POINTS:
            return scores[self.seat]
        return scores[self.seat] - max((s for seat, s in enumerate(scores) if seat != self.seat), default=0)

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
        ended = self.after_turn(state)
        result = rules.outcome(ended) if ended.ended else None
        if result is not None:
            points = result.points[self.seat]
            amounts["win"] = UNIT * (points == 1)
            amounts["loss"] = UNIT * (
                points < Fraction(1, 2) if len(result.points) == 2 else result.places[self.seat] > 1
            )
        return amounts

    def after_turn(self, state: State) -> State:
        """Return the state with the match ended, if the rules end it with this turn."""
        if state.ended:
            return state
        table = Table(state, Random(0))
        rules.check_end(table)
        return table.freeze()

    def amounts(self, before: State, bought: Sequence[int], end: State) -> Amounts:
        """Return the amount of every term for a turn: the state before the purchase, the purchase, and the end."""
        amounts = dict.fromkeys(TERM_SIGNS, 0) | self._base_amounts(before, owned_cards(before.players[self.seat]))
        if bought:
            sums = deck_sums(self.parts, owned_cards(before.players[self.seat]))
            counts = Counter(owned_cards(before.players[self.seat]))
            for card, number in Counter(bought).items():
                now = self._strength(sums)
                for copy in range(1, number + 1):
                    then = self._strength(add(sums, self.parts[card], copy))
                    more = self._strength_amounts(then.minus(now), before)
                    for term, amount in (more | self._new_action(card, counts[card] + copy)).items():
                        amounts[term] += amount
                    now = then
            points = self._points(rules.scores(end)) - self._points(rules.scores(before))
            amounts["points"] += points * UNIT
            amounts["points_late"] += points * PERCENT * self.progress
            amounts["piles_emptied"] += UNIT * sum(
                old > 0 and new == 0 for old, new in zip(before.left, end.left, strict=True)
            )
        return amounts | self._end_amounts(end)


def _per_owned(terms: tuple[tuple[int, str], ...], divisor: int) -> tuple[int, int]:
    """Return factor and divisor of points that depend on the number of own cards."""
    return sum(factor for factor, name in terms if name == "owned"), divisor
