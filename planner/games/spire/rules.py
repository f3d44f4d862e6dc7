"""The battle loop: who may do what, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import Any, Final, NamedTuple

from planner.errors import quote
from planner.game import Outcome
from planner.games.spire.enemies import EnemyKind
from planner.games.spire.library import Card, Library, library_of_text, unreadable
from planner.games.spire.places import PILES
from planner.games.spire.program import Run
from planner.games.spire.state import END, Action, Battle, Enemy, Limits, Pending
from planner.games.spire.table import Fighter, Table

MOST_TURNS: Final = 100  # a battle without end is lost
MOST_PLAYS: Final = 2000  # and so is one turn without end
MOST_ENEMIES: Final = 4
PLAYER: Final = -1  # the place of the player where a fighter is chosen
_PLAYS: Final = tuple(Action("play", place) for place in range(200))


class Setup(NamedTuple):
    """What a battle starts from, in words: other processes find cards and enemies by them."""

    deck: tuple[str, ...]
    enemies: tuple[str, ...]
    health: int = 80
    limits: Limits = Limits()
    name: str = ""  # of the scenario, for tables
    added: str = "{}"  # what does not come with the game, as JSON
    anonymous: bool = False

    @property
    def library(self) -> Library:
        """What exists in this battle."""
        return library_of_text(self.added, self.anonymous)


def picker(chance: Random) -> Callable[[int], int]:
    """Chance as the table asks for it; three times as fast as randrange, and as fair for a few dozen cards."""
    random = chance.random
    return lambda count: int(random() * count)


def with_card(setup: Setup, name: str, library: Library) -> Setup:
    """The same battle with one card of this library more."""
    ours, theirs = json.loads(setup.added), library.added
    added = {kind: {**ours.get(kind, {}), **theirs.get(kind, {})} for kind in (*ours, *theirs)}
    title = unreadable(name) if setup.anonymous else name
    return setup._replace(deck=(*setup.deck, title), added=json.dumps(added))


@lru_cache(maxsize=64)
def _made(setup: Setup) -> tuple[Library, tuple[Card, ...], tuple[EnemyKind, ...]]:
    library = setup.library
    return library, tuple(map(library.card, setup.deck)), tuple(library.enemies[name] for name in setup.enemies)


def start(setup: Setup, chance: Random) -> Battle:
    """The first turn: enemies show what they intend, the first hand is drawn."""
    pick = picker(chance)
    library, deck, kinds = _made(setup)
    enemies = []
    for kind in kinds:
        low, high = kind.health
        health = low + pick(high - low + 1)
        move = kind.first if kind.first is not None else kind.in_turn[pick(len(kind.in_turn))]
        enemies.append(Enemy(kind, health, health, 0, (), move, 1))
    empty = Battle(
        library, setup.limits, setup.health, setup.health, 0, (), 0,
        (), deck, (), (), tuple(enemies), 0, 0, None,
    )  # fmt: skip
    table = Table(empty, pick)
    _begin_turn(table)
    return table.state()


def is_over(state: Battle) -> bool:
    """Has the battle ended?"""
    if state.health <= 0 or state.turn > MOST_TURNS or state.played >= MOST_PLAYS:
        return True
    for enemy in state.enemies:  # noqa: SIM110  (a generator costs more than the whole loop)
        if enemy.health > 0:
            return False
    return True


def outcome(state: Battle) -> Outcome | None:
    """How the battle ended: one point for a win."""
    if not is_over(state):
        return None
    if state.health <= 0:
        return Outcome((0.0,), "death", state.turn)
    if not any(enemy.health > 0 for enemy in state.enemies):
        return Outcome((1.0,), "victory", state.turn)
    return Outcome((0.0,), "turn limit", min(state.turn, MOST_TURNS))


def legal_actions(state: Battle) -> list[Action]:
    """Cards that can be paid for, then the end of the turn; or the answers to the question that is asked."""
    if is_over(state):
        return []
    if state.pending is not None:
        return _answers(state, state.pending)
    energy = state.energy
    plays = _PLAYS if len(state.hand) <= len(_PLAYS) else [Action("play", place) for place in range(len(state.hand))]
    found = [plays[place] for place, card in enumerate(state.hand) if card.cost <= energy]
    found.append(END)
    return found


def illegal_reason(state: Battle, action: Any) -> str | None:
    """Why this is not legal, or None if it is."""
    if not isinstance(action, Action):
        return f"{quote(action)} is not an action"
    if action in (legal := legal_actions(state)):
        return None
    if not legal:
        return "the battle is over"
    if state.pending is not None:
        return f"a question is asked: {question(state)}"
    if action.type in ("fighter", "card"):
        return "no question is asked"
    if action.type == "play":
        if not isinstance(action.place, int) or not 0 <= action.place < len(state.hand):
            return f"hand.{quote(action.place)}: there are {len(state.hand)} cards in hand"
        card = state.hand[action.place]
        return f"hand.{action.place}: {card.title} costs {card.cost}, but there is only {state.energy} energy"
    return f"{quote(action.type)} is not one of play, fighter, card, end"


def question(state: Battle) -> str:
    """What is asked, in words."""
    assert state.pending is not None
    step = state.pending.played.program[state.pending.step]
    if step.whom in PILES:
        left = step.number - len(state.pending.picked)
        more = f" ({left} left to choose)" if left > 1 else ""
        return f"{state.pending.played.title}: which card in {step.whom}{more}?"
    return f"{state.pending.played.title}: which {'enemy' if step.whom == 'enemies' else 'fighter'}?"


def card_of(state: Battle, action: Action) -> Card | None:
    """The card that a legal action plays or chooses."""
    if action.type == "play":
        return state.hand[action.place]
    if action.type != "card":
        return None
    assert state.pending is not None
    pile: Sequence[Card] = getattr(state, state.pending.played.program[state.pending.step].whom)
    return pile[action.place]


def apply(state: Battle, action: Action, chance: Random) -> Battle:
    """The state after a legal action."""
    return applied(state, action, picker(chance)).state()


def applied(state: Battle, action: Action, pick: Callable[[int], int], table_of: type[Table] = Table) -> Table:
    """The table after a legal action."""
    table = table_of(state, pick)
    kind, place = action
    if kind == "play":
        card = table.hand.pop(place)
        table.energy -= card.cost
        table.card = table.playing = card
        table.goes_to = "exhaust" if card.type == "power" else "discard"
        table.played += 1
        if table.player.statuses:
            table.moment("before_card", table.player)
        _play(table, 0, None, ())
    elif kind == "end":
        finish_turn(table)
        if not table.over():
            _next_turn(table)
    else:
        pending = state.pending
        assert pending is not None
        if kind == "fighter":
            _play(table, pending.step, table.player if place == PLAYER else table.enemies[place], ())
        else:
            _play(table, pending.step, None, (*pending.picked, place))
    return table


def _play(table: Table, first: int, target: Fighter | None, picked: tuple[int, ...]) -> None:
    """Carry out the steps of the card in play from this one on; stop where a question has more than one answer."""
    card = table.playing
    assert card is not None
    player = table.player
    program = card.program
    for index in range(first, len(program)):
        if table.over():
            break
        step = program[index]
        how = step.how
        if how == "this":
            table.this_card(step.ops)
        elif step.whom in PILES:
            places = _places(table, step, picked)
            if places is None:
                table.pending = Pending(table.card or card, card, index, picked, table.goes_to)
                return
            table.to_cards(step.ops, step.whom, places)
        elif how == "chosen":
            if target is None:
                options = table.options(step, player)
                if len(options) > 1:
                    table.pending = Pending(table.card or card, card, index, (), table.goes_to)
                    return
                target = options[0]
            table.carry_out(step, player, [target])
        else:
            table.carry_out(step, player, table.fighters(step, player))
        target, picked = None, ()
    if player.statuses:
        table.moment("after_card", player)
    table.pile(table.goes_to).append(table.card or card)
    table.card = table.playing = None


def _places(table: Table, step: Run, picked: tuple[int, ...]) -> Sequence[int] | None:
    """Which cards of a pile a step is pointed at; None where that has to be asked first."""
    options = _open_places(table.pile(step.whom), step, table.library, ())
    if step.how == "all" or len(options) <= step.number:
        return options
    if step.how == "random":
        chosen = []
        for _ in range(step.number):
            chosen.append(options.pop(table.pick(len(options)) if len(options) > 1 else 0))
        return chosen
    return picked if len(picked) == step.number else None


def _open_places(pile: Sequence[Card], step: Run, library: Library, picked: tuple[int, ...]) -> list[int]:
    """The places of the cards that can be chosen: only what can be upgraded is."""
    upgrade = step.ops[0].verb == "upgrade"
    return [
        place
        for place, card in enumerate(pile)
        if place not in picked and not (upgrade and library.upgraded(card) is None)
    ]


def _answers(state: Battle, pending: Pending) -> list[Action]:
    step = pending.played.program[pending.step]
    if step.whom in PILES:
        options = _open_places(getattr(state, step.whom), step, state.library, pending.picked)
        return [Action("card", place) for place in options]
    enemies = [Action("fighter", place) for place, enemy in enumerate(state.enemies) if enemy.health > 0]
    return [Action("fighter", PLAYER), *enemies] if step.whom == "everyone" else enemies


def finish_turn(table: Table) -> None:
    """The end of the player's turn, and the enemies' turn: everything up to what the enemies have shown."""
    for enemy in table.enemies:
        enemy.block = 0
    table.end_statuses(table.player)
    for enemy in table.enemies:
        if enemy.health > 0 and enemy.kind is not None:
            table.run(enemy.kind.moves[enemy.move].program, enemy)
            if table.over():
                return
            table.end_statuses(enemy)


def _next_turn(table: Table) -> None:
    table.player.block = 0
    table.discard += table.hand
    table.hand = []
    for enemy in table.enemies:
        if enemy.health > 0:
            _choose_move(enemy, table.pick)
    _begin_turn(table)


def _begin_turn(table: Table) -> None:
    table.turn += 1
    table.energy = table.limits.energy
    table.draw_cards(table.limits.cards)
    if table.player.statuses:
        table.moment("turn_start", table.player)


def _choose_move(enemy: Fighter, pick: Callable[[int], int]) -> None:
    kind = enemy.kind
    assert kind is not None
    before = enemy.move
    if kind.in_turn:
        enemy.move = kind.in_turn[(kind.in_turn.index(before) + 1) % len(kind.in_turn)]
    else:
        chances = list(kind.chances)
        if kind.in_a_row[before] and enemy.run >= kind.in_a_row[before]:
            chances[before] = 0
        left = pick(sum(chances))
        for move, chance in enumerate(chances):
            left -= chance
            if left < 0:
                enemy.move = move
                break
    enemy.run = enemy.run + 1 if enemy.move == before else 1
