"""How strong a deck is, from the numbers on its cards: what a turn with it can be expected to do.

A turn begins with a hand. Cards that give back their action replace themselves, so a turn sees more cards; of the other
actions ("terminals") about one can be played, and one more for each extra action. The formulas are rough on purpose:
they compare decks that differ by a few cards, and a profile's weights say how much the result counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from planner.games.deckbuilder.definition import NO_BLOCK, Definition
from planner.games.deckbuilder.effects import ZONES, AddStat, Choose, Draw, Each, Gain, Repeat, Step

HUNDREDTHS: Final = 100  # strengths are integers, so that scores are exact
_HAND: Final = ZONES.index("hand")
_REPEATED_DRAWS: Final = 2  # what an effect draws that draws until something holds


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
    trashes: int = 0  # cards that it can trash from the hand
    gains: int = 0  # the cost of the card that it gains
    cost: int = 0
    is_simple: bool = False  # it only adds constant numbers and cards, and concerns no card of the own hand


class Strength(NamedTuple):
    """What a turn with a deck can be expected to do, in hundredths."""

    buying_power: int = 0  # coins
    collisions: int = 0  # terminals that cannot be played
    cursing: int = 0
    attacking: int = 0
    trashing: int = 0  # cards
    gaining: int = 0  # cost

    def minus(self, other: Strength) -> Strength:
        """Return the difference."""
        return Strength(*(own - theirs for own, theirs in zip(self, other, strict=True)))


_FACTS: Final[dict[int, tuple[Definition, tuple[CardFacts, ...]]]] = {}


def card_facts(definition: Definition) -> tuple[CardFacts, ...]:
    """Return the facts of every card of a definition; they are computed once."""
    entry = _FACTS.get(id(definition))
    if entry is None or entry[0] is not definition:
        entry = definition, tuple(_facts(definition, index) for index in range(len(definition.cards)))
        _FACTS[id(definition)] = entry
    return entry[1]


def _facts(definition: Definition, index: int) -> CardFacts:
    card = definition.cards[index]
    steps = definition.blocks[card.effects] if card.effects != NO_BLOCK else ()
    currencies = {currency for kind in definition.cards for currency in kind.currencies}
    numbers = {"coins": 0, "cards": 0, "actions": 0, "buys": 0, "curses": 0, "attacks": 0, "trashes": 0, "gains": 0}
    is_simple = bool(steps)
    for step in steps:
        is_simple = is_simple and _is_simple(definition, step)
        _count(definition, step, numbers, currencies)
    doubles = any(isinstance(step, Choose) and step.do == "play" for step in steps)
    return CardFacts(
        is_action=definition.is_action[index],
        is_junk=not card.playable,
        **{**numbers, "actions": numbers["actions"] + doubles},
        cost=card.cost.constant if card.cost is not None else 0,
        is_simple=is_simple,
    )


def _is_simple(definition: Definition, step: Step) -> bool:
    if isinstance(step, AddStat | Draw):
        return not step.amount.terms and step.amount.constant >= 0
    if isinstance(step, Each):
        return not step.everyone and all(
            isinstance(part, Gain | Choose | Draw) for part in definition.blocks[step.block]
        )
    return False


def _count(definition: Definition, step: Step, numbers: dict[str, int], currencies: set[int]) -> None:
    """Add what a step gives."""
    cards = definition.cards
    if isinstance(step, AddStat):
        for name, stats in (
            ("coins", currencies), ("actions", {definition.actions_stat}), ("buys", {definition.buys_stat}),
        ):  # fmt: skip
            if step.stat in stats:
                numbers[name] += step.amount.constant
    elif isinstance(step, Draw):
        numbers["cards"] += step.amount.constant
    elif isinstance(step, Repeat):
        numbers["cards"] += _REPEATED_DRAWS
    elif isinstance(step, Gain):
        cheapest = min((_cost(definition, card) for card in step.filter.cards), default=0)
        numbers["gains"] += step.filter.up_to.constant if step.filter.up_to is not None else cheapest
    elif isinstance(step, Choose) and step.do == "trash" and _HAND in step.zones:
        numbers["trashes"] += step.high.constant if step.high is not None else definition.hand_size.constant
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


class DeckSums(NamedTuple):
    """The numbers of a deck that its strength depends on: sums over its cards."""

    cards: int = 0
    junk: int = 0
    treasure: int = 0  # coins of cards that are not actions
    draws: int = 0  # of actions that give back their action
    extra_actions: int = 0  # that they give beyond it
    coins: int = 0  # that they give
    terminals: int = 0
    terminal_draws: int = 0
    terminal_coins: int = 0
    curses: int = 0
    attacks: int = 0
    trashes: int = 0
    gains: int = 0


def sums_of(facts: CardFacts) -> DeckSums:
    """Return what one card adds to the sums."""
    also = {"curses": facts.curses, "attacks": facts.attacks, "trashes": facts.trashes, "gains": facts.gains}
    if not facts.is_action:
        return DeckSums(cards=1, junk=int(facts.is_junk), treasure=facts.coins)
    if facts.actions:
        extra = facts.actions - 1
        return DeckSums(cards=1, draws=facts.cards, extra_actions=extra, coins=facts.coins, **also)
    return DeckSums(cards=1, terminals=1, terminal_draws=facts.cards, terminal_coins=facts.coins, **also)


def add(sums: DeckSums, more: DeckSums, times: int = 1) -> DeckSums:
    """Return the sums with so many more copies of a card."""
    return DeckSums(*[own + times * other for own, other in zip(sums, more, strict=True)])


def deck_sums(parts: tuple[DeckSums, ...], cards: Iterable[int]) -> DeckSums:
    """Return the sums of a deck; `parts` are those of each kind of card."""
    return DeckSums(*map(sum, zip(DeckSums(), *[parts[card] for card in cards if card >= 0], strict=True)))


def strength(sums: DeckSums, hand_size: int) -> Strength:
    """Return what a turn with this deck can be expected to do."""
    if not sums.cards:
        return Strength()
    size = float(sums.cards)
    seen = min(size, hand_size / max(0.2, 1 - sums.draws / size))
    share = seen / size
    terminals = share * sums.terminals
    actions = 1 + share * sums.extra_actions
    played = min(actions, 2 * actions * terminals / (2 * actions + terminals))
    each = played / sums.terminals if sums.terminals else 0.0  # the share of a terminal that is played in a turn
    rate = each if sums.terminals else share
    seen = min(size, seen + each * sums.terminal_draws)
    coins = seen / size * sums.treasure + share * sums.coins + each * sums.terminal_coins
    return Strength(
        buying_power=_round(coins),
        collisions=_round(terminals - played),
        cursing=_round(min(1.0, rate * sums.curses)),
        attacking=_round(min(1.0, rate * sums.attacks)),
        trashing=_round(min(rate * sums.trashes, hand_size * (sums.junk + 1) / size)),
        gaining=_round(rate * sums.gains),
    )


def _round(value: float) -> int:
    return int(value * HUNDREDTHS + 0.5)
