"""The rules that all deck-building games share: the start, legal actions, turns, and the end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, Final

from planner.errors import quote
from planner.game import Outcome
from planner.games.deckbuilder.definition import (
    ACTION_PHASE,
    BUY_PHASE,
    FEWER_TURNS,
    LATER_SEAT,
    POINTS,
    Definition,
)
from planner.games.deckbuilder.effects import ZONES
from planner.games.deckbuilder.functions import game_over
from planner.games.deckbuilder.steps import ASK, CARDS, EndlessEffectError, finish_prompt, run
from planner.games.deckbuilder.table import HAND, Table, insert
from planner.games.deckbuilder.table_state import (
    DONE,
    EMPTY,
    END,
    HIDDEN,
    NO,
    YES,
    ZONE_BASE,
    Action,
    Decision,
    Match,
    Player,
    Setup,
    State,
)
from planner.user_code import FunctionError

FAILED: Final = "error: "  # begins the reason of a match that a mistake in its definition ended
_CLEAR_LEAD: Final = 10  # points or health: who leads by so much wins nearly always
_NO_ACTIONS: Final[tuple[Action, ...]] = ()


# -- the start


def start(definition: Definition, setup: Setup, rng: Random) -> State:
    """Return the first state: decks shuffled, hands drawn, rows dealt."""
    match = Match(definition, setup)
    tops: list[int] = []
    left: list[int] = []
    below: list[tuple[int, ...]] = []
    for pile in match.piles:
        cards = _pile_cards(match, pile.cards)
        left.append(len(cards))
        several = len(pile.cards) > 1
        index = int(rng.random() * len(cards)) if several and pile.shuffled else 0
        tops.append(cards[index])
        rest = cards[:index] + cards[index + 1 :] if several else ()
        below.append(tuple(sorted(rest)) if pile.shuffled else rest)
    centre = tuple(sorted(_pile_cards(match, definition.centre.cards))) if definition.centre is not None else ()
    tops += [EMPTY] * definition.row
    left += [0] * definition.row
    below += [()] * definition.row
    player = Player(deck=definition.starting_deck, health=definition.health)
    state = State(
        match=match,
        players=(player,) * setup.players,
        tops=tuple(tops),
        left=tuple(left),
        below=tuple(below),
        centre=centre,
        trash=(),
        stats=definition.stat_starts,
        reserve=match.number(definition.reserve) if definition.reserve else 0,
    )
    table = Table(state, rng)
    for slot in range(len(match.piles), len(tops)):
        table.refill(slot)
    for seat in range(setup.players):
        _draw_hand(table, seat, _first_hand(table, seat))
    _begin_turn(table)
    return _settle(table)


def _pile_cards(match: Match, cards: Sequence[tuple[int, tuple[int, ...]]]) -> tuple[int, ...]:
    return tuple(card for card, counts in cards for _ in range(match.number(counts)))


def _first_hand(table: Table, seat: int) -> int:
    hands = table.definition.first_hands
    return hands[min(seat, len(hands) - 1)] if hands else table.amount(table.definition.hand_size, seat)


# -- legal actions


@cache
def _actions(definition: Definition, kind: str) -> list[Action]:
    """Return the actions of this kind by the index of their card; they are made once."""
    return [Action(kind, card.name) for card in definition.cards]


def to_move(state: State) -> int:
    """Return the seat that decides next."""
    return state.active if state.prompt is None else state.prompt.seat


def legal_actions(state: State) -> Sequence[Action]:
    """Return every legal action of the seat to move, in a fixed order; the way on (done, no, end) is the last."""
    if state.ended:
        return _NO_ACTIONS
    if state.prompt is not None:
        return _prompt_actions(state.match.definition, state.prompt)
    return [*_phase_actions(state), END]


def _prompt_actions(definition: Definition, prompt: Decision) -> Sequence[Action]:
    if prompt.kind == ASK:
        return YES, NO
    if prompt.kind != CARDS:
        return [Action("choose", prompt.labels[index], "options") for index in prompt.options]
    remaining = list(prompt.options)
    for code in prompt.picked:
        remaining.remove(code)
    actions = [choice_action(definition, code) for code in dict.fromkeys(remaining)]
    if len(prompt.picked) >= prompt.low:
        actions.append(DONE)
    return actions


def choice_action(definition: Definition, code: int) -> Action:
    """Return the action that chooses an option of a decision."""
    if code < 0:
        return Action("choose", "?", "hand")
    zone, card = divmod(code, ZONE_BASE)
    return Action("choose", definition.cards[card].name, ZONES[zone])


def _phase_actions(state: State) -> list[Action]:
    """Return what can be played, bought and used in this phase."""
    definition, player = state.match.definition, state.players[state.active]
    phase = definition.phases[state.phase]
    cards, is_action = definition.cards, definition.is_action
    result: list[Action] = []
    if not (state.bought and definition.plays_before_buys):
        made = _actions(definition, "play")
        types = definition.plays[state.phase]
        has_action = definition.actions_stat < 0 or state.stats[definition.actions_stat] > 0
        for card in dict.fromkeys(player.hand):
            if card < 0 or not cards[card].playable or (types and not any(word in types for word in cards[card].types)):
                continue
            if not is_action[card] or (has_action and phase != BUY_PHASE):
                result.append(made[card])
    table: Table | None = None
    if phase != ACTION_PHASE and (definition.buys_stat < 0 or state.stats[definition.buys_stat] > 0):
        table = Table(state, _NO_CHANCE) if definition.has_variable_costs else None
        made = _actions(definition, "buy")
        result += [made[card] for card in _affordable(state, table)]
    if player.in_play:
        for card in dict.fromkeys(player.in_play):
            ability = cards[card].ability
            if ability is not None and state.used.count(card) < player.in_play.count(card):
                table = table or Table(state, _NO_CHANCE)
                if table.holds(ability.condition, state.active):
                    result.append(_actions(definition, "use")[card])
    return result


_NO_CHANCE: Final = Random(0)  # for tables that only compute amounts


def _affordable(state: State, table: Table | None) -> list[int]:
    """Return the cards of the supply that the player can pay for, sorted, each once."""
    stats, cards = state.stats, state.match.definition.cards
    result = set()
    for card, pile in zip(state.tops, state.match.slots, strict=True):
        if card < 0 or not pile.for_sale:
            continue
        kind = cards[card]
        if kind.cost is None:
            continue
        cost = kind.cost.constant if table is None else table.cost(card, state.active)
        currencies = kind.currencies if table is None else table.currencies(card, state.active)
        if cost <= sum(map(stats.__getitem__, currencies)):
            result.add(card)
    return sorted(result)


def cost_of(state: State, card: int) -> int:
    """Return what a card costs the player whose turn it is."""
    return Table(state, _NO_CHANCE).cost(card, state.active)


def illegal_reason(state: State, action: Any) -> str | None:
    """Return in one line why the action is illegal now, or None if it is legal."""
    actions = legal_actions(state)
    if isinstance(action, Action) and action in actions:
        return None
    if not actions:
        return "the match is over"
    shown = " ".join(map(str, filter(None, action[:2]))) if isinstance(action, Action) else quote(action)
    few = ", ".join(" ".join(filter(None, one[:2])) for one in actions[:8])
    return f"{quote(shown)} is not legal now; legal are {few}{', ...' if len(actions) > 8 else ''}"


# -- actions


def apply(state: State, action: Action, rng: Random, make_table: type[Table] = Table) -> State:
    """Return the state after a legal action; planners give their own kind of table."""
    table = make_table(state, rng)
    definition = table.definition
    try:
        if state.prompt is not None:
            _answer(table, state.prompt, action)
        elif action.type == "play":
            card = definition.ids[action.card]
            if definition.is_action[card] and definition.actions_stat >= 0:
                table.stats[definition.actions_stat] -= 1
            table.take(HAND, table.active, card)
            table.play(table.active, card)
        elif action.type == "buy":
            _buy(table, definition.ids[action.card])
        elif action.type == "use":
            card = definition.ids[action.card]
            table.used = insert(table.used, card)
            ability = definition.cards[card].ability
            assert ability is not None
            table.push(ability.block, table.active, card)
        else:
            _end_phase(table)
        return _settle(table)
    except (FunctionError, EndlessEffectError) as error:
        table.ended = f"{FAILED}{error}"
        table.prompt = None
    return table.freeze()


def _answer(table: Table, prompt: Decision, action: Action) -> None:
    if prompt.kind == ASK:
        finish_prompt(table, prompt, action.type == "yes")
        return
    if action.type == "done":
        finish_prompt(table, prompt)
        return
    if prompt.kind == CARDS:
        known = table.definition.ids
        code = ZONES.index(action.zone) * ZONE_BASE + known[action.card] if action.card in known else HIDDEN
    else:
        code = prompt.labels.index(action.card)
    picked = (*prompt.picked, code)
    prompt = prompt._replace(picked=picked)
    if len(picked) >= prompt.high:
        finish_prompt(table, prompt)
    else:
        table.prompt = prompt


def _buy(table: Table, card: int) -> None:
    definition = table.definition
    cost = table.cost(card, table.active)
    for currency in table.currencies(card, table.active):
        paid = min(cost, table.stats[currency])
        table.stats[currency] -= paid
        cost -= paid
    if definition.buys_stat >= 0:
        table.stats[definition.buys_stat] -= 1
    table.bought = True
    slots = table.match.slots
    table.gain(table.active, next(slot for slot, top in enumerate(table.tops) if top == card and slots[slot].for_sale))


def _settle(table: Table) -> State:
    """Carry out what is on the stack, then end every phase in which nothing can be done."""
    phases = len(table.definition.phases)
    while True:
        if table.frames:
            run(table)
        if table.ended or table.prompt is not None:
            return table.freeze()
        if table.phase == phases:
            if table.stops_at_turn_end:
                return table.freeze()
            _clean_up(table)
            continue
        state = table.freeze()
        if _phase_actions(state) or (table.phase == phases - 1 and not _may_end_alone(table)):
            return state
        _end_phase(table)


def _may_end_alone(table: Table) -> bool:
    """Return whether the turn ends by itself: not before the player has done anything in it."""
    return table.bought or bool(table.players[table.active].played)


# -- turns


def _begin_turn(table: Table) -> None:
    definition, player = table.definition, table.players[table.active]
    table.stats = list(definition.stat_starts)
    table.phase, table.bought, table.used = 0, False, ()
    player.turns += 1
    for card in player.in_play:
        table.push(definition.cards[card].effects, table.active, card)
    table.fire("turn_begins", table.active, HIDDEN)


def _end_phase(table: Table) -> None:
    """Go on to the next phase. After the last one, reactions to the end of the turn come before the clean-up."""
    table.phase += 1
    table.bought = False
    if table.phase == len(table.definition.phases):
        table.fire("turn_ends", table.active, HIDDEN)


def _clean_up(table: Table) -> None:
    """Discard, draw, and let the next player begin, unless the match is over."""
    _next_hand(table)
    check_end(table)
    if table.ended:
        return
    table.active = (table.active + 1) % len(table.players)
    table.turn += 1
    _begin_turn(table)


def _next_hand(table: Table) -> None:
    """Discard the hand and what was played, and draw the next hand."""
    seat = table.active
    player = table.players[seat]
    player.discard += (*player.hand, *player.played)
    player.hand = player.played = ()
    table.listeners = ()
    _draw_hand(table, seat, table.amount(table.definition.hand_size, seat))


def _draw_hand(table: Table, seat: int, number: int) -> None:
    """Draw a hand. It belongs to no turn: nothing reacts to it or counts it."""
    table.draw(seat, number)
    table.frames.clear()
    table.memory = ()


def check_end(table: Table) -> None:
    """End the match if it is over after this turn."""
    definition, seat = table.definition, table.active
    last_of_round = seat == len(table.players) - 1
    for rule, slots in table.match.ends:
        is_tested = rule.at == "turn" or last_of_round
        if is_tested and not any(table.left[slot] for slot in slots) and table.holds(rule.condition, seat):
            table.ended = rule.reason
            return
    if definition.reserve and not table.reserve and last_of_round:
        table.ended = "the reserve is used up"
    elif game_over(table):
        table.ended = "the end of the game"
    elif last_of_round and table.turn >= definition.turn_limit * len(table.players):
        table.ended = "turn limit"


def after_turn(state: State) -> State:
    """Return the state with the match ended, if it is over after this turn."""
    if state.ended:
        return state
    table = Table(state, Random(0))
    if table.definition.ends_by_zones:
        _next_hand(table)
    check_end(table)
    return table.freeze()


# -- the end


def scores(state: State) -> tuple[int, ...]:
    """Return the points, or the health, of each seat."""
    table = Table(state, _NO_CHANCE)
    return tuple(table.score(seat) for seat in range(len(state.players)))


def outcome(state: State) -> Outcome | None:
    """Return how the match ended, or None while it runs."""
    if not state.ended:
        return None
    definition, seats = state.match.definition, len(state.players)
    rounds = -(-state.turn // seats)
    if state.ended.startswith(FAILED):
        return Outcome((0.5,) * seats, state.ended[:200], rounds)
    results = scores(state)
    keys: list[tuple[int, int]] = []
    for seat, player in enumerate(state.players):
        tie = 0
        if definition.victory == POINTS and definition.ties == FEWER_TURNS:
            tie = -player.turns
        elif definition.ties == LATER_SEAT:
            tie = seat
        keys.append((results[seat], tie))
    return Outcome.ranked(keys, state.ended, rounds)


def estimate_points(state: State) -> tuple[float, ...]:
    """Return the points that each seat can expect, by the scores so far."""
    results = scores(state)
    others = max(1, len(results) - 1)
    return tuple(
        sum(0.5 + 0.5 * math.tanh((own - other) / _CLEAR_LEAD) for j, other in enumerate(results) if j != i) / others
        for i, own in enumerate(results)
    )
