"""All outcomes of an action with their exact probabilities, up to the end of the turn.

The rules carry out the action once for each outcome: a table that follows a script decides every random pick. Cards of
the same kind are one outcome, and cards that are drawn together into the hand are one pick with a hypergeometric
probability, since their order does not matter.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import comb
from random import Random
from typing import Final, NamedTuple

from planner.games.deckbuilder import rules
from planner.games.deckbuilder.table import Table, merge
from planner.games.deckbuilder.table_state import HIDDEN, Action, State

_SEED: Final = 1  # of the sample where there are too many outcomes
_TRIES: Final = 10  # for each outcome that may be listed, the action is carried out at most so often


class ChanceOutcome(NamedTuple):
    """One result of an action."""

    probability: Fraction
    state: State  # if the turn has ended, before the clean-up: its phase is the number of phases


class _Choice(NamedTuple):
    """One way in which a random pick can go."""

    weight: int
    cards: tuple[int, ...]


class _OpenPickError(BaseException):
    """A pick that the script does not decide yet. It must pass through functions, whose `Exception`s end the match."""

    def __init__(self, choices: list[_Choice]) -> None:
        super().__init__()
        self.choices = choices


class _Script(Random):
    """Decides picks in order. A pick after its end raises, or is drawn at random if `sampling`."""

    def __init__(self, sampling: bool = False) -> None:
        super().__init__(_SEED)
        self.picks: list[tuple[int, ...]] = []
        self.position = 0
        self.sampling = sampling
        self.is_unknown = False  # hidden cards decide, and nothing says what they may be
        self.is_surprise = False  # the real cards of another player may differ from what was carried out

    def choose(self, choices: list[_Choice]) -> tuple[int, ...]:
        """Return the cards of the next pick."""
        if len(choices) == 1:
            return choices[0].cards
        if self.sampling:
            at = self.random() * sum(choice.weight for choice in choices)
            for choice in choices:
                at -= choice.weight
                if at < 0:
                    return choice.cards
            return choices[-1].cards
        if self.position == len(self.picks):
            raise _OpenPickError(choices)
        self.position += 1
        return self.picks[self.position - 1]


class _ScriptedTable(Table):
    """A table whose random picks follow a script."""

    stops_at_turn_end = True

    def __init__(self, state: State, rng: Random) -> None:
        super().__init__(state, rng)
        assert isinstance(rng, _Script)
        self.script = rng
        self.random = self._random_number

    def _random_number(self) -> float:
        """Return a number for a function that draws one itself: the outcomes cannot be listed."""
        self.script.is_unknown = True
        return self.script.random()

    def pick(self, cards: tuple[int, ...]) -> int:
        counts = Counter(cards)
        chosen = self.script.choose([_Choice(count, (card,)) for card, count in counts.items()])
        return cards.index(chosen[0])

    def draw_one(self, player: int) -> int | None:
        card = super().draw_one(player)
        if card == HIDDEN and player == self.active:
            self.script.is_unknown = True
        return card

    def reveal(self, player: int, card: int) -> int:
        """Pick a hidden card from those that the other players cannot see."""
        owner = self.players[player]
        if card != HIDDEN:
            return card
        if not owner.pool:
            self.script.is_unknown = True
            return card
        index = self.pick(owner.pool)
        self.script.is_surprise = True
        card, owner.pool = owner.pool[index], owner.pool[:index] + owner.pool[index + 1 :]
        return card

    def meet_hidden_cards(self) -> None:
        self.script.is_surprise = True

    def stopping_card(self, player: int) -> int | None:
        """Return a card of the hand that stops attacks; hidden cards are taken for others, but may surprise."""
        shown = super().stopping_card(player)
        owner, cards = self.players[player], self.definition.cards
        if shown is None and HIDDEN in owner.hand:
            may_stop = any(cards[card].stops_attacks for card in (*owner.pool, *self.state.pool))
            self.script.is_surprise = self.script.is_surprise or may_stop
        return shown

    def draw(self, player: int, number: int) -> None:
        """Draw cards one by one where their order is known or matters, else together."""
        if self.listeners or self.definition.listens or HIDDEN in self.players[player].deck:
            super().draw(player, number)
            return
        owner = self.players[player]
        for _ in range(2):  # a second time after the discard pile was shuffled
            known = min(number, len(owner.top))
            if known > 0:
                super().draw(player, known)
                number -= known
            size = min(number, len(owner.deck))
            if size > 0:
                drawn = self.script.choose(draws(owner.deck, size))
                if HIDDEN in drawn and player == self.active:
                    self.script.is_unknown = True
                rest = Counter(owner.deck)
                rest.subtract(drawn)
                owner.deck = tuple(sorted(rest.elements()))
                owner.hand = merge(owner.hand, drawn)
                number -= size
            if number <= 0 or not (owner.discard or owner.unseen):
                break
            self.shuffle_in(player)
        if owner.mixed and not owner.deck and not owner.unseen:
            owner.mixed = False


@lru_cache(maxsize=4096)
def draws(deck: tuple[int, ...], number: int) -> list[_Choice]:
    """Return every multiset of this many cards of a deck, with the number of ways to draw it."""
    kinds = sorted(Counter(deck).items())

    def extend(index: int, left: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        if left == 0:
            yield 1, ()
            return
        if index == len(kinds):
            return
        card, count = kinds[index]
        for taken in range(min(count, left), -1, -1):
            for weight, rest in extend(index + 1, left - taken):
                yield comb(count, taken) * weight, (card,) * taken + rest

    return [_Choice(weight, cards) for weight, cards in extend(0, number)]


def outcomes(
    state: State, action: Action, limit: int, deadline: float | None = None
) -> tuple[list[ChanceOutcome], bool]:
    """Return the outcomes of a legal action, and whether they are all: beyond `limit` a sample of that size.

    A sample is also taken where too many orders of the cards lead to the same outcomes, and once the deadline (of
    `time.monotonic`) is over. A sample without a deadline is the same every time; its outcomes have equal
    probabilities. An action whose result the player cannot foresee has at least two outcomes, which may be equal.
    """
    script = _Script()
    results: dict[State, Fraction] = {}
    stack: list[tuple[tuple[tuple[int, ...], ...], Fraction]] = [((), Fraction(1))]
    tries = 0
    while stack:
        picks, probability = stack.pop()
        script.picks, script.position = list(picks), 0
        tries += 1
        try:
            after = rules.apply(state, action, script, _ScriptedTable)
        except _OpenPickError as pick:
            total = sum(choice.weight for choice in pick.choices)
            stack += [((*picks, c.cards), probability * Fraction(c.weight, total)) for c in reversed(pick.choices)]
            is_late = deadline is not None and time.monotonic() > deadline
            if len(stack) + len(results) > limit or tries > _TRIES * limit or is_late:
                return _foreseen(_sample(state, action, limit, deadline), limit > 1), False
            continue
        results[after] = results.get(after, Fraction(0)) + probability
    found = [ChanceOutcome(probability, after) for after, probability in results.items()]
    asks_another = any(after.prompt is not None and after.prompt.seat != after.active for after in results)
    is_surprise = script.is_unknown or script.is_surprise or asks_another
    return _foreseen(found, is_surprise), not script.is_unknown


def _foreseen(found: list[ChanceOutcome], is_surprise: bool) -> list[ChanceOutcome]:
    """Split an only outcome in two equal ones where the player cannot foresee it: it would look certain."""
    if len(found) > 1 or not is_surprise:
        return found
    return [ChanceOutcome(Fraction(1, 2), found[0].state)] * 2


def _sample(state: State, action: Action, size: int, deadline: float | None) -> list[ChanceOutcome]:
    script = _Script(sampling=True)
    counts: Counter[State] = Counter()
    for _ in range(size):
        counts[rules.apply(state, action, script, _ScriptedTable)] += 1
        if deadline is not None and time.monotonic() > deadline:
            break
    return [ChanceOutcome(Fraction(count, counts.total()), after) for after, count in counts.items()]


def without_clean_up(state: State, action: Action, rng: Random) -> State:
    """Return the state after an action as the rules give it, but without the clean-up at the end of the turn."""
    return rules.apply(state, action, rng, _UncleanedTable)


class _UncleanedTable(Table):
    stops_at_turn_end = True
