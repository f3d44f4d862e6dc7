"""Many games between two menu bots in C++, for cards that only add numbers, draw, gain, curse or make others discard.

A game is the same as the one that the Python rules play with the same seed. Where a card, a bot or a missing compiler
does not allow it, `compile_games` returns None, and `play_in_python` plays the game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from random import Random
from typing import Final

from planner.games.deckbuilder import rules
from planner.games.deckbuilder.amounts import Amount
from planner.games.deckbuilder.definition import FEWER_TURNS, POINTS, Definition
from planner.games.deckbuilder.effects import NO_BLOCK, ZONES, AddStat, Choose, Draw, Each, Gain, Step
from planner.games.deckbuilder.match_clock import empty_piles_needed
from planner.games.deckbuilder.menu_bots import CardValues, Menu, MenuBot, Operand
from planner.games.deckbuilder.observation import observe
from planner.games.deckbuilder.table_state import Match, Setup

# The orders of these words are those of the enumerations in engine/bot_games.cpp.
_OPERATIONS: Final = ("actions", "buys", "coins", "draw", "curse", "discard_to", "others_draw", "gain")
_QUANTITIES: Final = ("number", "own", "left", "money", "treasures", "cards", "turn", "empty_piles")
_RELATIONS: Final = ("<", "<=", "==", "!=", ">=", ">")
_STATS: Final = ("actions", "buys", "coins")
Result = tuple[int, int, int, int]  # scores and turns of both seats


class _UnsupportedError(Exception):
    """The compiled loop does not know this card, rule or bot."""


def compile_games(
    definition: Definition, setup: Setup, menus: Sequence[Menu]
) -> Callable[[Sequence[int]], list[Result]] | None:
    """Return a function that plays a game for each seed below 2**32, or None where the loop cannot play them."""
    try:
        play_games = import_module("planner.games.deckbuilder._bots").play_games
        return partial(play_games, *_tables(definition, setup, menus))
    except (ImportError, _UnsupportedError):
        return None


def play_in_python(definition: Definition, setup: Setup, menus: Sequence[Menu], seed: int) -> Result:
    """Play one game by the rules: the reference for the compiled loop."""
    rng = Random(seed)
    bots = [MenuBot(menu, definition) for menu in menus]
    state = rules.start(definition, setup, rng)
    while not state.ended:
        seat = rules.to_move(state)
        state = rules.apply(state, bots[seat].decide(observe(state, seat)), rng)
    first, second = rules.scores(state)
    return first, second, state.players[0].turns, state.players[1].turns


def _tables(definition: Definition, setup: Setup, menus: Sequence[Menu]) -> tuple[object, ...]:
    """Return the arguments of the compiled loop, except the seeds."""
    _require(setup.players == len(menus) == 2 and definition.victory == POINTS and definition.ties == FEWER_TURNS)
    _require(definition.stats == _STATS and definition.phases == ("action", "buy") and definition.plays_before_buys)
    _require(definition.plays == (("action",), ("treasure",)) and not definition.row and not definition.functions)
    _require(not definition.first_hands and not definition.hand_size.terms and not definition.reserve)
    values, match = CardValues(definition), Match(definition, setup)
    supply = [-1] * len(definition.cards)
    for pile in match.piles:
        _require(len(pile.cards) == 1 and pile.for_sale and not pile.permanent)
        number, counts = pile.cards[0]
        supply[number] = match.number(counts)
    used = [left >= 0 or index in definition.starting_deck for index, left in enumerate(supply)]
    cards, effects = [], []
    for index, card in enumerate(definition.cards):
        steps = definition.blocks[card.effects] if card.effects != NO_BLOCK and used[index] else ()
        effects.append([number for step in steps for number in _step(definition, step)])
        points, divisor = card.points.constant, 0
        if card.points.terms:
            _require(card.points.terms == ((1, "owned"),) and not points)
            divisor = card.points.divisor
        _require(not used[index] or (card.kept and not card.persistent and card.on_gain == NO_BLOCK))
        _require(card.cost is None or not card.cost.terms)
        numbers = (
            values.cost[index] if card.cost is not None else -1, card.playable, definition.is_action[index],
            values.is_treasure[index], values.money[index], values.actions[index], points, divisor, card.stops_attacks,
        )  # fmt: skip
        cards.append([*map(int, numbers)])
    deck = [definition.starting_deck.count(index) for index in range(len(cards))]
    end_piles, end_empty = _ends(match)
    fixed = [end_empty, definition.hand_size.constant, definition.turn_limit, *definition.stat_starts]
    lines = [[_menu_line(line.card, line.conditions) for line in menu.buy] for menu in menus]
    return cards, effects, [deck, supply, end_piles], fixed, lines, [list(menu.play) for menu in menus]


def _require(condition: bool) -> None:
    if not condition:
        raise _UnsupportedError


def _fixed(amount: Amount) -> int:
    _require(not amount.terms and amount.divisor == 1)
    return amount.constant


def _step(definition: Definition, step: Step) -> tuple[int, int]:
    """Return the operation of a step and its number."""
    if isinstance(step, AddStat):
        return _OPERATIONS.index(definition.stats[step.stat]), _fixed(step.amount)
    if isinstance(step, Draw):
        return _OPERATIONS.index("draw"), _fixed(step.amount)
    if isinstance(step, Gain):
        wanted = step.filter
        _require(wanted.up_to is not None and (step.source, step.to, step.optional) == ("supply", "discard", False))
        _require(not (wanted.types or wanted.cards or wanted.excluded or wanted.factions or wanted.cost))
        assert wanted.up_to is not None
        return _OPERATIONS.index("gain"), _fixed(wanted.up_to)
    _require(isinstance(step, Each) and not step.everyone)
    assert isinstance(step, Each)
    block = definition.blocks[step.block]
    _require(len(block) == 1)
    inner = block[0]
    if isinstance(inner, Draw) and not step.attack:
        return _OPERATIONS.index("others_draw"), _fixed(inner.amount)
    _require(step.attack)
    if isinstance(inner, Gain):
        _require(
            len(inner.filter.cards) == 1 and (inner.source, inner.to, inner.optional) == ("supply", "discard", False)
        )
        return _OPERATIONS.index("curse"), inner.filter.cards[0]
    _require(isinstance(inner, Choose) and inner.do == "discard" and inner.zones == (ZONES.index("hand"),))
    assert isinstance(inner, Choose)
    _require(inner.low == inner.high and inner.low.terms == ((1, "hand"),) and inner.low.divisor == 1)
    return _OPERATIONS.index("discard_to"), -inner.low.constant


def _ends(match: Match) -> tuple[list[int], int]:
    """Return the cards whose pile must not be empty, and the number of empty piles at which a match ends."""
    cards, empty = [], len(match.piles) + 1
    for rule, slots in match.ends:
        _require(rule.at == "turn")
        if rule.piles:
            _require(len(rule.piles) == 1 and not rule.condition)
            cards.append(match.piles[slots[0]].cards[0][0])
        else:
            needed = empty_piles_needed(rule.condition)
            _require(needed > 0)
            empty = min(empty, needed)
    return cards, empty


def _menu_line(card: int, conditions: Sequence[tuple[Operand, str, Operand]]) -> list[int]:
    numbers = [card]
    for left, operator, right in conditions:
        numbers += [*_operand(left), _RELATIONS.index(operator), *_operand(right)]
    return numbers


def _operand(operand: Operand) -> tuple[int, int, int]:
    return _QUANTITIES.index(operand.kind), operand.value, operand.divisor
