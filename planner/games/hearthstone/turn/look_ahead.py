"""Planning with the opponent's reply in mind: of the best turns, the one that leaves the best state after the reply.

The turns come from the planner, each certified. The opponent's hidden cards are sampled, the same for every turn that
is compared; the opponent then plays its own best turn. The value of a turn is what its actions earn plus the score of
the best own turn after the reply: weights say how good a state is at the end of an own turn, so it is evaluated there.
That is an estimate, not a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from planner.errors import PlannerError, quote
from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.engine import referee
from planner.games.hearthstone.rules.actions import Action, EndTurn
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.narration import describe_turn
from planner.games.hearthstone.rules.state import GameState, HandCard, Player, in_hand, is_over
from planner.games.hearthstone.rules.state_json import action_to_dict
from planner.games.hearthstone.turn import native
from planner.games.hearthstone.turn.exhaustive_search import SearchableTurn
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.scoring import ActionTerms
from planner.games.hearthstone.turn.turn_plan import (
    StateLike,
    TurnPlan,
    WeightsLike,
    plans,
    read_state,
    wins_for_certain,
)
from planner.planning.plan import AheadOptions, Clock, PlanOptions, Status
from planner.planning.profiles import LIMIT, Number
from planner.planning.search import Search

OWN_EFFORT: Final = 20_000  # states of the own turn, unless the caller sets `effort`
_REPLY_SHARE: Final = 10  # a reply gets this fraction of the own turn's effort: 1/10


class SampledReply(NamedTuple):
    """The opponent's turn in one sample, and the value of the state after it."""

    value: float
    state: GameState  # in which the opponent was to move, with its sampled cards
    actions: tuple[Action, ...]  # from the opponent's view: `me` is the opponent

    def words(self) -> list[str]:
        """Describe the actions for the player who faces them."""
        return describe_turn(self.state, self.actions, reader=1 - self.state.seat)


@dataclass(frozen=True)
class Considered:
    """One of the turns that were compared."""

    plan: TurnPlan
    replies: tuple[SampledReply, ...]

    @property
    def value(self) -> float:
        """The mean over the samples."""
        return fmean(reply.value for reply in self.replies)

    @property
    def feared(self) -> SampledReply:
        """The reply with the lowest value."""
        return min(self.replies, key=lambda reply: reply.value)


@dataclass(frozen=True)
class AheadPlan(TurnPlan):
    """A turn that was chosen with the opponent's reply in mind.

    `considered` holds the turns that were compared, best first. It is empty for a certain win, and where the time ran
    out before any comparison.
    """

    considered: tuple[Considered, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan in its JSON form, with the comparison under `ahead`."""
        data = super().to_dict()
        if not self.considered:
            return data | {"ahead": None}
        chosen = self.considered[0]
        feared = chosen.feared
        return data | {
            "ahead": {
                "proved": False,  # a comparison of samples
                "value": chosen.value,
                "samples": len(chosen.replies),
                "considered": [
                    {
                        "actions": [action_to_dict(action) for action in candidate.plan.actions],
                        "objective": candidate.plan.objective,
                        "value": candidate.value,
                    }
                    for candidate in self.considered
                ],
                "feared": {
                    "value": feared.value,
                    "actions": [action_to_dict(action) for action in feared.actions],
                    "words": feared.words(),
                },
            }
        }


def plan_ahead(
    state: StateLike,
    weights: WeightsLike,
    options: PlanOptions,
    chance: Random,
    hidden: HiddenPool,
) -> AheadPlan:
    """Return the turn with the highest expected value after the opponent's best reply."""
    profile, known = Weights.of(weights), read_state(state)
    visible = observe(known, known.seat)
    hidden.look(visible)
    ahead = options.ahead or AheadOptions()
    reply_weights = profile if ahead.reply is None else Weights.of(ahead.reply)
    clock = Clock(options.time_limit)
    effort = options.effort or OWN_EFFORT
    half = None if options.time_limit is None else options.time_limit / 2
    turns = list(plans(known, profile, replace(options, k=ahead.k, effort=effort, time_limit=half, ahead=None)))
    best = turns[0]
    if wins_for_certain(best):
        return _chosen(best, (), best, clock)
    if len(turns) == 1:  # there is nothing to choose, so later decisions keep their random numbers
        chance = copy(chance)
    view = _View(visible, profile, reply_weights, max(1, effort // _REPLY_SHARE), clock)
    rounds: list[list[SampledReply]] = []
    for _ in range(ahead.samples):
        seed = chance.random()
        sampled = hidden.sample(visible, Random(seed))
        answers = []
        for plan in turns:
            if not clock.out():
                answers.append(view.reply(plan, sampled, Random(seed)))
        if clock.out():
            break  # an incomplete round would compare turns by different luck
        rounds.append(answers)
    if not rounds:
        return _chosen(best, (), best, clock)
    by_turn = zip(*rounds, strict=True)
    considered = [Considered(plan, tuple(replies)) for plan, replies in zip(turns, by_turn, strict=True)]
    considered.sort(key=lambda candidate: -candidate.value)  # stable: of equals, the one with the higher score
    return _chosen(considered[0].plan, tuple(considered), best, clock)


def _chosen(plan: TurnPlan, considered: tuple[Considered, ...], best: TurnPlan, clock: Clock) -> AheadPlan:
    """Return the chosen plan; a proof holds for its own turn only."""
    fields = {name: getattr(plan, name) for name in TurnPlan.__dataclass_fields__}
    fields["seconds"] = clock.elapsed()
    if plan is not best:
        fields |= {"status": Status.FEASIBLE, "proof": None, "bound": max(plan.objective, best.bound)}
    return AheadPlan(**fields, considered=considered)


class _ScoredTurn(NamedTuple):
    actions: tuple[Action, ...]
    score: float


class _View:
    """Continues the match from what one player sees."""

    def __init__(self, visible: GameState, weights: Weights, reply: Weights, effort: int, clock: Clock) -> None:
        self.visible, self.effort, self.clock = visible, effort, clock
        self.weights = _without_rules(weights)
        self.reply_weights = _without_rules(reply.with_weights(lethal=LIMIT) if reply.take_lethal else reply)

    def reply(self, plan: TurnPlan, state: GameState, rng: Random) -> SampledReply:
        """Carry out the turn and the opponent's best reply, and evaluate the state after it."""
        seat = self.visible.seat
        state = _carried_out(state, (*plan.actions, EndTurn()), rng)
        before_reply, actions = state, tuple[Action, ...]()
        if state.seat != seat and not is_over(state):
            actions = self._best(observe(state, state.seat), self.reply_weights).actions
            state = _carried_out(state, (*actions, EndTurn()), rng)
        earned = sum(amount for term, amount in plan.terms.items() if term in ActionTerms._fields)
        return SampledReply(earned + self._outlook(state), before_reply, actions)

    def _outlook(self, state: GameState) -> float:
        """Return the score of the own best turn from here, without the card that was drawn."""
        seat = self.visible.seat
        if is_over(state):
            won, lost = (state.player(player).hero.health <= 0 for player in (1 - seat, seat))
            return float(self.weights.terms()["lethal"]) * won - float(_cost_of_defeat(self.weights)) * lost
        return self._best(observe(state, seat), self.weights).score

    def _best(self, visible: GameState, weights: Weights) -> _ScoredTurn:
        """Return the best turn within effort and time; it is not certified."""
        seconds = self.clock.left()
        answer = native.best_turns(visible, weights, effort=self.effort, time_limit=seconds)
        if answer is not None and answer.turns:
            return _ScoredTurn(answer.turns[0].actions, float(answer.turns[0].score))
        found = Search(SearchableTurn(visible, weights, ()), seconds, self.effort).best(visible)
        assert found is not None  # no rule forbids ending the turn
        return _ScoredTurn(tuple(found.actions), float(found.score) / weights.integer_scale())


def _without_rules(weights: Weights) -> Weights:
    """A player that cannot keep a rule has to move all the same."""
    return replace(weights, forbid=(), require=()) if weights.forbid or weights.require else weights


def _cost_of_defeat(weights: Weights) -> Number:
    """As much as the kill earns; for a profile that takes every win without a weight for it, more than anything."""
    if weights.terms()["lethal"] > 0 or not weights.take_lethal:
        return max(weights.terms()["lethal"], 0)
    return LIMIT


def _carried_out(state: GameState, actions: Sequence[Action], rng: Random) -> GameState:
    """Carry out the actions that are still legal: chance may have made some of them illegal."""
    for action in actions:
        if illegal_reason(state, action) is None:
            state = referee.apply_verified(state, action, rng)
    return state


# -- the opponent's hidden cards


@runtime_checkable
class OpponentModel(Protocol):
    """A prediction of the opponent's cards; `planner.games.hearthstone.metagame.Opponent` is one."""

    def forget(self) -> None:
        """Start a new match: nothing has been seen."""

    def look(self, enemy: Player) -> None:
        """Learn the opponent's cards that are visible now and were not at the last look."""

    def sample(self, state: GameState, seed: int) -> GameState:
        """Return the state with the hidden cards replaced by possible ones."""


class HiddenPool:
    """The cards that the opponent may hold and draw, from what is known about them; hidden cards are never looked at.

    With the opponent's decklist, that list without every minion and weapon that was visible; with a prediction, what
    it says after those cards (`predict` makes one for the opponent's class, or None); otherwise, the cards of the
    opponent's class and the neutral ones. An agent keeps one pool for a whole match. It remembers visible cards for
    each seat, until another match begins.
    """

    def __init__(
        self,
        decklist: Sequence[Card] | OpponentModel | None = None,
        predict: Callable[[str], OpponentModel | None] = lambda _hero_class: None,
    ) -> None:
        self._list: Sequence[Card] | None = None
        self._predict = predict
        if isinstance(decklist, Sequence):
            if wrong := [card for card in decklist if not isinstance(card, Card)]:
                raise PlannerError(f"hidden_pool: {quote(wrong[0])} is not a card, such as load_deck('mage').cards[0]")
            self._list = decklist
        elif isinstance(decklist, OpponentModel):
            self._predict = lambda _hero_class: decklist
        elif decklist is not None:
            raise PlannerError(f"hidden_pool: {quote(decklist)} is neither a list of cards nor an Opponent")
        self._turn = 0
        # By the seat of the player who looks:
        self._seen: dict[int, SeenCards] = {}
        self._predictions: dict[int, OpponentModel | None] = {}

    def look(self, visible: GameState) -> None:
        """Remember the opponent's cards that are visible now."""
        if visible.turn < self._turn:  # another match: turns only count up
            for earlier in self._predictions.values():
                if earlier is not None:
                    earlier.forget()
            self._seen.clear()
            self._predictions.clear()
        self._turn = visible.turn
        self._seen.setdefault(visible.seat, SeenCards()).note(visible.enemy)
        if (prediction := self._prediction(visible)) is not None:
            prediction.look(visible.enemy)

    def _prediction(self, visible: GameState) -> OpponentModel | None:
        """Return the prediction of this player's opponent."""
        if visible.seat not in self._predictions:
            self._predictions[visible.seat] = self._predict(visible.enemy.hero.hero_class)
        return self._predictions[visible.seat]

    def pool(self, visible: GameState) -> list[Card]:
        """Return the cards that may be hidden, where there is no prediction."""
        if self._list is None:
            return list(_class_cards(visible.enemy.hero.hero_class))
        left = list(self._list)
        for card in self._seen[visible.seat].used if visible.seat in self._seen else ():
            if card in left:
                left.remove(card)
        return left or list(self._list)

    def sample(self, visible: GameState, chance: Random) -> GameState:
        """Return the state with sampled cards in place of the opponent's hidden ones."""
        if (prediction := self._prediction(visible)) is not None:
            return _with_distinct_ids(prediction.sample(visible, chance.getrandbits(64)))
        enemy, pool = visible.enemy, self.pool(visible)
        in_hand_count, in_deck_count = len(enemy.hand), len(enemy.deck)
        cards: list[Card] = []
        while pool and len(cards) < in_hand_count + in_deck_count:
            cards += chance.sample(pool, len(pool))
        hand = tuple(in_hand(f"enemy.hand.{index}", card) for index, card in enumerate(cards[:in_hand_count]))
        left = cards[in_hand_count : in_hand_count + in_deck_count]
        deck = tuple(in_hand(f"enemy.deck.{index}", card) for index, card in enumerate(left))
        return _with_distinct_ids(visible._replace(enemy=enemy.with_cards(hand or enemy.hand, deck or enemy.deck)))


@cache
def _class_cards(hero_class: str) -> tuple[Card, ...]:
    """Return the cards that a deck of this class can have."""
    classes = ("neutral", hero_class)
    return tuple(
        card
        for card in standard().values()
        if card.card_class in classes and card.type != "hero_power" and not card.token
    )


def sample_hidden(observation: GameState, chance: Random) -> GameState:
    """Return the state with cards of each player's class in place of the hidden ones, in hand and deck."""

    def player(owner: Player) -> Player:
        pool = _class_cards(owner.hero.hero_class)

        def cards(zone: tuple[HandCard, ...]) -> tuple[HandCard, ...]:
            return tuple(
                in_hand(card.id, pool[int(chance.random() * len(pool))]) if card.card == HIDDEN else card
                for card in zone
            )

        return owner.with_cards(cards(owner.hand), cards(owner.deck)) if pool else owner

    return observation._replace(me=player(observation.me), enemy=player(observation.enemy))


class SeenCards:
    """The opponent's cards that one player has seen in a match."""

    def __init__(self) -> None:
        self.used: list[Card] = []  # no longer in hand or deck, in the order in which they became visible
        self._minions: set[str] = set()
        self._weapon: Card | None = None

    def note(self, enemy: Player) -> list[Card]:
        """Remember the visible cards, and return the new ones."""
        new = [minion.card for minion in enemy.board if minion.id not in self._minions]
        self._minions.update(minion.id for minion in enemy.board)
        weapon = enemy.weapon.card if enemy.weapon is not None else None
        if weapon is not None and weapon != self._weapon:
            new.append(weapon)
        self._weapon = weapon
        self.used += new
        return new


def _with_distinct_ids(state: GameState) -> GameState:
    """Rename sampled cards whose id is taken: ids are the caller's, so a minion may have any."""
    enemy = state.enemy
    taken = {card.id for zone in (state.me.board, state.me.hand, enemy.board) for card in zone}

    def renamed(cards: tuple[HandCard, ...]) -> tuple[HandCard, ...]:
        return tuple(card._replace(id=_free_id(card.id, taken)) if card.id in taken else card for card in cards)

    return state._replace(enemy=enemy.with_cards(renamed(enemy.hand), renamed(enemy.deck)))


def _free_id(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "+"
    taken.add(name)
    return name
