"""One turn of a deck-building game in the form that the search for any game needs.

All terms count when the turn ends. Where bought cards only go to the discard pile, the purchase is the last step of the
turn and is solved by itself (`buy_program`); in other games buying is an action like others. Where chance decides, the
search goes on from every outcome, or from a sample where there are too many.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Final, NamedTuple

from planner.games.deckbuilder import rules
from planner.games.deckbuilder.amounts import Amount
from planner.games.deckbuilder.buy_program import UNIT, Market, Offer, Purchase, best_purchases, solve_program
from planner.games.deckbuilder.chance_outcomes import ChanceOutcome, outcomes
from planner.games.deckbuilder.deck_weights import DeckWeights
from planner.games.deckbuilder.definition import (
    ACTION_PHASE,
    BUY_PHASE,
    FEWER_TURNS,
    LATER_SEAT,
    POINTS,
    Definition,
)
from planner.games.deckbuilder.effects import NO_BLOCK, AddStat, Choose, Step, When
from planner.games.deckbuilder.function_file import GAME_OVER
from planner.games.deckbuilder.match_clock import empty_piles_needed
from planner.games.deckbuilder.table import owned_cards
from planner.games.deckbuilder.table_state import DONE, END, Action, State
from planner.games.deckbuilder.turn_terms import PERCENT, TurnTerms
from planner.planning.plan import AUTO
from planner.planning.search import Branch, Ending

_MOVED: Final = {"trash": "trashed", "discard": "discarded", "take": "gained"}  # events of chosen cards
_END: Final = "turn_ends"  # the event
_LEAST_TIME: Final = 0.01  # seconds for an integer program after the deadline
_LIMITS: Final = (120, 4, 1)  # outcomes of an action that are listed, by the chance events before it in the turn


class Node(NamedTuple):
    """A state of the search, and how many chance events led to it."""

    events: int
    state: State


def is_turn_over(state: State, turn: int) -> bool:
    """Return whether the planned turn is over."""
    if state.ended or state.turn != turn:
        return True
    return state.prompt is None and state.phase >= len(state.match.definition.phases)


@cache
def counts_only_cards(definition: Definition) -> bool:
    """Return whether it can matter only which cards are played, gained and trashed, and not what else happens then.

    Cards in play must do nothing, reactions must only add to stats, costs must be constant, and points must be constant
    or depend on the number of own cards.
    """
    return (
        not definition.listens
        and not definition.has_variable_costs
        and all(card.ability is None and _is_simple_score(card.points) for card in definition.cards)
        and all(_only_adds(definition, when.trigger.block) for when in _reactions(definition))
        and not any(amount.terms for when in _reactions(definition) for amount in when.trigger.filter.amounts)
    )


def _reactions(definition: Definition) -> Iterator[When]:
    return (step for block in definition.blocks for step in block if isinstance(step, When))


@cache
def buys_are_last(definition: Definition) -> bool:
    """Return whether buying a card does nothing but put it into the discard pile, after all cards are played.

    All cards that can be played while buying must only add to stats, so that their order does not matter and none is
    better kept; and the program must know the rules by which the match ends and ties are decided.
    """
    cards = definition.cards
    piles = (*definition.piles, *definition.kingdom.piles)
    sold = [card for pile in piles if pile.for_sale for card, _ in pile.cards]
    supply = [card for pile in piles for card, _ in pile.cards]
    return (
        counts_only_cards(definition)
        and not any(when.trigger.event in ("gained", _END) for when in _reactions(definition))
        and definition.plays_before_buys
        and definition.phases[-1] == BUY_PHASE
        and not definition.row
        and all(len(pile.cards) == 1 and not pile.permanent for pile in piles)
        and len(set(supply)) == len(supply)
        and all(cards[card].kept and cards[card].on_gain == NO_BLOCK for card in sold)
        and all(
            is_action or not card.playable or _only_adds(definition, card.effects)
            for card, is_action in zip(cards, definition.is_action, strict=True)
        )
        and definition.buys_stat >= 0
        and definition.ties != LATER_SEAT
        and all(kind.cost is None or len(kind.currencies) == 1 for kind in cards)
        and len({kind.currencies for kind in cards if kind.cost is not None}) == 1
        and all(rule.piles or empty_piles_needed(rule.condition) for rule in definition.ends)
        and all(len(rule.piles) <= 1 and rule.at == "turn" for rule in definition.ends)
        and not any(rule.piles and rule.condition for rule in definition.ends)
        and definition.victory == POINTS
        and definition.functions is None
    )


def _ends_by_piles(definition: Definition) -> bool:
    """Return whether only empty piles end the match, so that more cards and coins cannot end it."""
    conditions = [rule.condition for rule in definition.ends if rule.condition]
    return all(map(empty_piles_needed, conditions)) and GAME_OVER not in definition.function_names


def _only_adds(definition: Definition, block: int) -> bool:
    """Return whether a block does nothing but add constants to stats."""
    steps = definition.blocks[block] if block != NO_BLOCK else ()
    return all(isinstance(step, AddStat) and not step.amount.terms and step.amount.constant >= 0 for step in steps)


def _is_simple_score(points: Amount) -> bool:
    return not points.terms or (points.constant == 0 and all(name == "owned" for _, name in points.terms))


class DeckTurn(TurnTerms):
    """One turn under a profile: legal actions, their outcomes, and what ending the turn earns."""

    def __init__(self, start: State, weights: DeckWeights, solver: str = AUTO, time_limit: float | None = None) -> None:
        super().__init__(start, weights)
        definition = self.definition
        self.solver = solver
        self.deadline = None if time_limit is None else time.monotonic() + time_limit
        self.buys_are_last = buys_are_last(definition)
        # False: a chance event has too many outcomes, or comes after the turn, and a sample of them was taken
        self.is_exact = not (definition.ends_by_chance and (self.signed.get("win") or self.signed.get("loss")))
        self.no_plays = {rule.word for rule in weights.forbid if rule.kind == "play"}
        self.no_buys = {rule.word for rule in weights.forbid if rule.kind == "buy"}
        self._react_to_end = {
            index for index, card in enumerate(definition.cards) if any(each.event == _END for each in card.triggers)
        }
        self._outcomes: dict[object, tuple[list[ChanceOutcome], bool]] = {}
        self._offers: dict[tuple[object, ...], tuple[Offer, ...]] = {}
        self._purchases: dict[tuple[object, ...], Purchase] = {}
        wants_all = not self.signed.get("coins_unused") and not self.signed.get("buys_unused")
        self._first_plays = wants_all and counts_only_cards(definition) and _ends_by_piles(definition)

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
            step = self._waiting_step(state)
            if isinstance(step, Choose) and step.do == "play":
                legal = [action for action in legal if action.card not in self.no_plays]
            is_in_order = isinstance(step, Choose) and not step.ordered and not self._order_counts(state, step)
            if prompt.picked and prompt != self.start.prompt and is_in_order:
                # Only choices in the order of the options. Those made before the plan can be in any order.
                later = set(prompt.options[prompt.options.index(prompt.picked[-1]) :])
                allowed = {rules.choice_action(self.definition, code) for code in later}
                return [action for action in legal if action == DONE or action in allowed]
            return legal
        is_last = state.phase == len(self.definition.phases) - 1
        plays = [a for a in legal if a.type in ("play", "use") and a.card not in self.no_plays]
        if self.buys_are_last and is_last:
            return () if self._plain_treasures(state) else plays[:1]
        if first := self._obvious_play(state, plays):
            return (first,)
        buys = [a for a in legal if a.type == "buy" and a.card not in self.no_buys]
        return [*plays, *buys, *([] if is_last and not self.reacts_to_end(state) else [END])]

    def reacts_to_end(self, state: State) -> bool:
        """Return whether something happens at the end of the turn; then the search carries it out."""
        return any(listener.event == _END for listener in state.listeners) or any(
            not self._react_to_end.isdisjoint(player.in_play) for player in state.players
        )

    def _order_counts(self, state: State, step: Choose) -> bool:
        """Return whether it matters which card is chosen first."""
        sees_pile = self.definition.functions is not None  # a function sees the order of the discard pile
        if step.do in ("play", "top") or (sees_pile and step.do in ("discard", "take")):
            return True
        triggers = (trigger.event for card in self.definition.cards for trigger in card.triggers)
        return _MOVED.get(step.do) in (*triggers, *(listener.event for listener in state.listeners))

    def _waiting_step(self, state: State) -> Step | None:
        """Return the step that asks for the decision; None where a function does."""
        frame = state.frames[-1] if state.frames else None
        return None if frame is None or frame.block < 0 else self.definition.blocks[frame.block][frame.position]

    def _obvious_play(self, state: State, plays: Sequence[Action]) -> Action | None:
        """Return a card that gives back its action and only adds numbers, where it can be played before all others.

        More cards, coins and buys never make a turn worse, unless the profile counts unused ones; the other cards in
        the hand, and those that may be drawn, must not concern it. A card that is bought first may be drawn.
        """
        calls_functions = any(listener.block < 0 for listener in state.listeners)
        if not self._first_plays or calls_functions or self.definition.phases[state.phase] != ACTION_PHASE:
            return None
        ids, facts, player = self.definition.ids, self.facts, state.players[self.seat]
        concerned = {card for card in player.hand if card >= 0}
        if any(facts[card].cards for card in concerned):
            concerned |= {*player.deck, *player.top, *player.discard, *player.unseen}
        if not all(card >= 0 and (facts[card].is_simple or facts[card].is_junk) for card in concerned):
            return None
        return next((a for a in plays if a.type == "play" and facts[ids[a.card]].actions > 0
                     and facts[ids[a.card]].only_adds and facts[ids[a.card]].is_action), None)  # fmt: skip

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
        if state.prompt is not None or state.phase != len(self.definition.phases) - 1 or self.reacts_to_end(state):
            return False
        return not self.buys_are_last or self._plain_treasures(state)

    def key(self, node: Node) -> tuple[object, ...]:
        """Return what the rest of the turn depends on."""
        return (min(node.events, len(_LIMITS) - 1), *node.state[1:])

    # -- treasures

    def _plain_treasures(self, state: State) -> bool:
        """Return whether the treasures in hand only add their numbers: nothing reacts to them."""
        return not (state.bought or state.listeners) or not self.treasures(state)

    def treasures(self, state: State) -> list[int]:
        """Return the cards of the hand that can be played in the buy phase."""
        if state.bought or state.phase != len(self.definition.phases) - 1:
            return []
        types = self.definition.plays[state.phase]
        cards, is_action = self.definition.cards, self.definition.is_action
        return [
            card
            for card in state.players[self.seat].hand
            if card >= 0 and cards[card].name not in self.no_plays and cards[card].playable and not is_action[card]
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
        return stats[currency], stats[definition.buys_stat]

    # -- purchases

    def purchase(self, state: State) -> Purchase:
        """Return the best purchase at the end of the turn."""
        coins, buys = self._money(state)
        player = state.players[self.seat]
        owned = tuple(sorted(owned_cards(player)))
        key = (coins, buys, owned, state.left, rules.scores(state))
        if key not in self._purchases:
            market = self.market(state, coins, buys, owned)
            if self.solver == AUTO:
                results, is_complete = best_purchases(market)
                self.is_exact = self.is_exact and is_complete
                self._purchases[key] = results[0]
            else:
                limit = None if self.deadline is None else max(_LEAST_TIME, self.deadline - time.monotonic())
                self._purchases[key], is_proved = solve_program(market, self.solver, limit)
                self.is_exact = self.is_exact and is_proved
        return self._purchases[key]

    def market_at(self, state: State) -> Market:
        """Return the market where the turn ends with a purchase in this state."""
        coins, buys = self._money(state)
        return self.market(state, coins, buys, tuple(sorted(owned_cards(state.players[self.seat]))))

    def market(self, state: State, coins: int, buys: int, owned: tuple[int, ...]) -> Market:
        """Return the market at the end of the turn."""
        signed = self.signed
        scores = rules.scores(state)
        variable = [(count, self._rates[card]) for card, count in Counter(owned).items() if card in self._rates]
        return Market(
            offers=self._offers_of(state, owned, buys),
            coins=coins,
            buys=buys,
            owned=len(owned),
            variable=variable,
            point_value=signed.get("points", 0) * UNIT + signed.get("points_late", 0) * PERCENT * self.progress,
            ahead_value=signed.get("points_ahead", 0),
            growth=self.growth,
            coin_cost=-signed.get("coins_unused", 0) * UNIT,
            buy_cost=-signed.get("buys_unused", 0) * UNIT,
            lead=self._lead(scores),
            tie=self._tie(state),
            win_value=signed.get("win", 0) * UNIT,
            loss_cost=-signed.get("loss", 0) * UNIT,
            empty_value=signed.get("piles_emptied", 0) * UNIT,
            empty_piles=state.empty_piles,
            ending_piles=self._ending_slots,
            ending_count=self._ending_count,
            is_over=bool(rules.after_turn(state).ended),
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
        key = (owned, state.left, buys, rules.scores(state))
        if key in self._offers:
            return self._offers[key]
        definition = self.definition
        offers = []
        for slot, card in state.offers:
            kind, left = definition.cards[card], state.left[slot]
            if kind.name in self.no_buys or kind.cost is None:
                continue
            scores = map(self._score, self._copies(state, owned, slot, min(left, buys)))
            values = tuple(accumulate(scores, initial=0))
            per_owned = self._rates.get(card, (0, 1))
            points = 0 if card in self._rates else kind.points.constant
            offers.append(Offer(card, kind.cost.constant, left, slot, values, points, per_owned, kind.name))
        result = tuple(sorted(offers))
        self._offers[key] = result
        return result
