"""The rules of a battle: legal actions, what they lead to with a given source of randomness, and all their outcomes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb
from random import Random
from typing import Any, Final, TypeAlias

from planner.errors import PlannerError, quote
from planner.game import Outcome
from planner.games.spire.action_language import Step
from planner.games.spire.battle_definitions import Card, EnemyKind
from planner.games.spire.battle_state import END, Action, Battle, Enemy, Fighter, MutableBattle, PendingCard, Setup
from planner.games.spire.card_library import Library, anonymous_name
from planner.games.spire.vocabulary import MAX_NUMBER

MAX_TURNS: Final = 100  # after which a battle is lost
MAX_PLAYS: Final = 2000  # cards in a whole battle, after which it is lost
MAX_ENEMIES: Final = 4
MAX_OUTCOMES: Final = 5000  # of one action
PLAYER: Final = -1  # the index of the player where a fighter is chosen
_PLAYS: Final = tuple(Action("play", index) for index in range(200))
Weighted: TypeAlias = list[tuple[Fraction | int, Battle]]  # probabilities and states


# -- starting and ending


def random_picker(rng: Random) -> Callable[[int], int]:
    """Return `pick(n)`: three times as fast as randrange, with a negligible bias for a few dozen cards."""
    random = rng.random
    return lambda count: int(random() * count)


def with_card(setup: Setup, name: str, library: Library) -> Setup:
    """Return the setup with one more card in the deck; the definitions of `library` are added."""
    own, other = json.loads(setup.custom), library.custom
    custom = {section: {**own.get(section, {}), **other.get(section, {})} for section in (*own, *other)}
    title = anonymous_name(name) if setup.anonymous else name
    return setup._replace(deck=(*setup.deck, title), custom=json.dumps(custom))


@lru_cache(maxsize=64)
def _look_up(setup: Setup) -> tuple[Library, tuple[Card, ...], tuple[EnemyKind, ...]]:
    library = setup.library
    return library, tuple(map(library.card, setup.deck)), tuple(library.enemies[name] for name in setup.enemies)


def start(setup: Setup, rng: Random) -> Battle:
    """Return the first turn: the enemies show their first moves, and the first hand is drawn."""
    pick = random_picker(rng)
    library, deck, kinds = _look_up(setup)
    enemies = []
    for kind in kinds:
        low, high = kind.health
        health = low + pick(high - low + 1)
        first, rotation = kind.pattern.first, kind.pattern.rotation
        move = first if first is not None else rotation[pick(len(rotation))]
        enemies.append(Enemy(kind, health, health, 0, (), move, 1))
    empty = Battle(
        library, setup.limits, setup.health, setup.health, 0, (), 0,
        (), deck, (), (), tuple(enemies), 0, 0, None,
    )  # fmt: skip
    battle = MutableBattle(empty, pick)
    _begin_turn(battle)
    return battle.state()


def is_over(state: Battle) -> bool:
    """Return whether the battle has ended."""
    if state.health <= 0 or state.turn > MAX_TURNS or state.played >= MAX_PLAYS:
        return True
    for enemy in state.enemies:  # noqa: SIM110  (a generator costs more than the whole loop)
        if enemy.health > 0:
            return False
    return True


def outcome(state: Battle) -> Outcome | None:
    """Return how the battle ended, with one point for a win, or None while it runs."""
    if not is_over(state):
        return None
    if state.health <= 0:
        return Outcome((0.0,), "death", state.turn)
    if not any(enemy.health > 0 for enemy in state.enemies):
        return Outcome((1.0,), "victory", state.turn)
    return Outcome((0.0,), "turn limit", min(state.turn, MAX_TURNS))


# -- legality


def legal_actions(state: Battle) -> list[Action]:
    """Return the affordable cards and the end of the turn; while a choice is pending, its options."""
    if is_over(state):
        return []
    if state.pending is not None:
        return choices(state, state.pending)
    energy = state.energy
    plays = _PLAYS if len(state.hand) <= len(_PLAYS) else [Action("play", index) for index in range(len(state.hand))]
    actions = [plays[index] for index, card in enumerate(state.hand) if card.cost <= energy]
    actions.append(END)
    return actions


def illegal_reason(state: Battle, action: Any) -> str | None:
    """Return why the action is illegal, or None if it is legal."""
    if not isinstance(action, Action):
        return f"{quote(action)} is not an action"
    if action in (legal := legal_actions(state)):
        return None
    if not legal:
        return "the battle is over"
    if state.pending is not None:
        return f"a choice is pending: {prompt_text(state)}"
    if action.type in ("fighter", "card"):
        return "no choice is pending"
    if action.type == "play":
        if not isinstance(action.position, int) or not 0 <= action.position < len(state.hand):
            return f"hand.{quote(action.position)}: there are {len(state.hand)} cards in hand"
        card = state.hand[action.position]
        return f"hand.{action.position}: {card.title} costs {card.cost}, but there is only {state.energy} energy"
    return f"{quote(action.type)} is not one of play, fighter, card, end"


def prompt_text(state: Battle) -> str:
    """Return the question that a pending choice asks."""
    assert state.pending is not None
    _, group, number, *_ = state.pending.played.program[state.pending.step].target
    noun = "fighter" if group.name == "of everyone" else group.name
    left = number - len(state.pending.picked)
    more = f" ({left} left to choose)" if group.pile and left > 1 else ""
    return f"{state.pending.played.title}: which {noun}{more}?"


def card_of(state: Battle, action: Action) -> Card | None:
    """Return the card that a legal action plays or chooses, or None if it does neither."""
    if action.type == "play":
        return state.hand[action.position]
    if action.type != "card":
        return None
    pile: Sequence[Card] = getattr(state, choice_pile(state))
    return pile[action.position]


def choice_pile(state: Battle) -> str:
    """Return the name of the pile from which the pending choice selects cards."""
    assert state.pending is not None
    return state.pending.played.program[state.pending.step].target.group.pile


def choices(state: Battle, pending: PendingCard) -> list[Action]:
    """Return the options of a pending choice."""
    step = pending.played.program[pending.step]
    battle = MutableBattle(state, _no_randomness)
    group = step.target.group
    if group.pile:
        return [Action("card", index) for index in _selectable(battle, step) if index not in pending.picked]
    options = [id(fighter) for fighter in group.function(battle, battle.player)]
    fighters = [(PLAYER, battle.player), *enumerate(battle.enemies)]
    return [Action("fighter", index) for index, fighter in fighters if id(fighter) in options]


def _no_randomness(_count: int) -> int:
    raise PlannerError("the options of a choice must not be random")


def _selectable(battle: MutableBattle, step: Step) -> list[int]:
    """Return the indices of the cards that a step can select; an upgrade selects only upgradable cards."""
    group, player, library = step.target.group, battle.player, battle.library
    upgrade = step.operations[0].verb.name == "upgrade"
    return [
        index
        for index, card in enumerate(battle.pile(group.pile))
        if group.function(battle, player, card) and not (upgrade and library.upgraded(card) is None)
    ]


# -- applying actions


def apply(state: Battle, action: Action, rng: Random) -> Battle:
    """Return the state after a legal action."""
    return apply_action(state, action, random_picker(rng)).state()


def apply_action(
    state: Battle, action: Action, pick: Callable[[int], int], battle_type: type[MutableBattle] = MutableBattle
) -> MutableBattle:
    """Carry out a legal action on a mutable copy of the state, and return the copy."""
    battle = battle_type(state, pick)
    kind, index = action
    if kind == "play":
        card = battle.hand.pop(index)
        battle.energy -= card.cost
        battle.card = battle.playing = card
        battle.goes_to = "exhaust" if card.type == "power" else "discard"
        battle.played += 1
        if battle.player.statuses:
            battle.broadcast("before_card", battle.player)
        _play(battle, 0, None, ())
    elif kind == "end":
        finish_turn(battle)
        if not battle.is_over():
            _next_turn(battle)
    else:
        pending = state.pending
        assert pending is not None
        if kind == "fighter":
            _play(battle, pending.step, battle.player if index == PLAYER else battle.enemies[index], ())
        else:
            _play(battle, pending.step, None, (*pending.picked, index))
    return battle


def _play(battle: MutableBattle, first: int, target: Fighter | None, picked: tuple[int, ...]) -> None:
    """Carry out the steps of the card in play from step `first` on; stop at a choice with more than one option."""
    card = battle.playing
    assert card is not None
    player = battle.player
    program = card.program
    is_chosen = target is not None or bool(picked)  # the condition of the first step was true before the choice
    for number in range(first, len(program)):
        if battle.is_over():
            break
        step = program[number]
        how, group = step.target.how, step.target.group
        if step.check is not None and not is_chosen and not step.check.holds(battle, player):
            continue
        if how == "this":
            battle.change_played_card(step.operations)
        elif group.pile:
            indices = _select_cards(battle, step, picked)
            if indices is None:
                battle.pending = PendingCard(battle.card or card, card, number, picked, battle.goes_to)
                return
            battle.change_cards(step.operations, group.pile, indices)
        elif how == "chosen":
            options = [target] if target is not None else group.function(battle, player)
            if len(options) > 1:
                battle.pending = PendingCard(battle.card or card, card, number, (), battle.goes_to)
                return
            battle.carry_out(step, player, options)
        else:
            battle.carry_out(step, player, battle.targets(step, player))
        target, picked, is_chosen = None, (), False
    if player.statuses:
        battle.broadcast("after_card", player)
    battle.pile(battle.goes_to).append(battle.card or card)
    battle.card = battle.playing = None


def _select_cards(battle: MutableBattle, step: Step, picked: tuple[int, ...]) -> Sequence[int] | None:
    """Return the indices of the cards that a step acts on, or None if the player has to choose first."""
    options = _selectable(battle, step)
    how, number = step.target.how, step.target.number
    if how == "all" or len(options) <= number:
        return options
    if how == "random":
        chosen = []
        for _ in range(number):
            chosen.append(options.pop(battle.chance(len(options)) if len(options) > 1 else 0))
        return chosen
    return picked if len(picked) == number else None


def finish_turn(battle: MutableBattle) -> None:
    """End the player's turn and carry out the moves that the enemies have shown."""
    for enemy in battle.enemies:
        enemy.block = 0
    # A status that keeps the hand counts for the turn that ends, even if it ends with it.
    battle.keeps_hand = any(active.status.keeps_hand for active in battle.player.statuses)
    battle.end_statuses(battle.player)
    for enemy in battle.enemies:
        if enemy.health > 0 and enemy.kind is not None:
            battle.run(enemy.kind.moves[enemy.move].program, enemy)
            if battle.is_over():
                return
            battle.end_statuses(enemy)


def _next_turn(battle: MutableBattle) -> None:
    battle.player.block = 0
    if not battle.keeps_hand:
        battle.discard += [card for card in battle.hand if not card.retain]
        battle.hand = [card for card in battle.hand if card.retain]
    for enemy in battle.enemies:
        if enemy.health > 0:
            _choose_move(enemy, battle.chance)
    _begin_turn(battle)


def _begin_turn(battle: MutableBattle) -> None:
    battle.turn += 1
    energy, cards = battle.limits
    player = battle.player
    if player.statuses:
        energy = battle.changed("energy_count", player, energy)
        cards = battle.changed("draw_count", player, cards)
    battle.energy = min(MAX_NUMBER, energy)
    battle.draw_cards(cards)
    if player.statuses:
        battle.broadcast("turn_start", player)


def _choose_move(enemy: Fighter, pick: Callable[[int], int]) -> None:
    assert enemy.kind is not None
    rotation, _, all_chances, max_repeats = enemy.kind.pattern
    previous = enemy.move
    if rotation:
        enemy.move = rotation[(rotation.index(previous) + 1) % len(rotation)]
    else:
        chances = list(all_chances)
        if max_repeats[previous] and enemy.run >= max_repeats[previous]:
            chances[previous] = 0
        left = pick(sum(chances))
        for move, chance in enumerate(chances):
            left -= chance
            if left < 0:
                enemy.move = move
                break
    enemy.run = enemy.run + 1 if enemy.move == previous else 1


# -- all outcomes of an action, with their probabilities: for planning


class TooManyOutcomesError(Exception):
    """An action has more than `MAX_OUTCOMES` outcomes."""


class ScriptedChoices:
    """A `pick` that follows a script, takes option 0 beyond its end, and records the weights of every choice."""

    def __init__(self, script: tuple[int, ...]) -> None:
        self._script = script
        self.weights: list[Sequence[int]] = []  # of the options of each choice

    def __call__(self, count: int) -> int:
        """Choose one of `count` equally likely options."""
        return self.weighted((1,) * count)

    def weighted(self, weights: Sequence[int]) -> int:
        """Choose one of the options with these weights."""
        self.weights.append(weights)
        return self._script[len(self.weights) - 1] if len(self.weights) <= len(self._script) else 0


class GroupedDrawBattle(MutableBattle):
    """Chooses how many copies of each card are drawn, instead of one card after the other: far fewer outcomes."""

    __slots__ = ()

    def draw_cards(self, count: int) -> None:
        """Draw from one pile at once as many cards as it has."""
        while count > 0 and (self.draw or self.discard):
            if not self.draw:
                self.draw, self.discard = self.discard, []
            drawn = self._choose_drawn(self.draw, min(count, len(self.draw)))
            count -= len(drawn)
            for card in drawn:
                self.draw.remove(card)
            self.hand += drawn

    def _choose_drawn(self, pile: list[Card], count: int) -> list[Card]:
        """Choose `count` cards of a pile, card by card how many copies (hypergeometric)."""
        choices = self.chance
        assert isinstance(choices, ScriptedChoices)
        drawn: list[Card] = []
        others, missing = len(pile), count
        for card, copies in Counter(pile).items():
            others -= copies
            low, high = max(0, missing - others), min(copies, missing)
            number = low
            if high > low:
                ways = [comb(copies, taken) * comb(others, missing - taken) for taken in range(low, high + 1)]
                number += choices.weighted(ways)
            drawn += [card] * number
            missing -= number
        return drawn


def action_outcomes(state: Battle, action: Action) -> Weighted:
    """Return all states that a legal action can lead to, with their probabilities.

    Where no action can depend on the order of the hand, outcomes that differ only in the order of the drawn cards are
    one outcome.
    """
    return _enumerate_outcomes(lambda choices: apply_action(state, action, choices, _outcome_type(state)))


def _outcome_type(state: Battle) -> type[MutableBattle]:
    return GroupedDrawBattle if state.library.ignores_hand_order else MutableBattle


def keeps_order(state: Battle, action: Action) -> bool:
    """Return whether the order of the hand after a legal action is certain."""
    choices = ScriptedChoices(())
    after = apply_action(state, action, choices)
    return not choices.weights or len(set(after.hand)) < 2


def turn_end_outcomes(state: Battle) -> Weighted:
    """Return all states after the moves that the enemies have shown, if the turn ends now."""
    if is_over(state):
        return [(1, state)]

    def finish(choices: ScriptedChoices) -> MutableBattle:
        battle = _outcome_type(state)(state, choices)
        finish_turn(battle)
        return battle

    return _enumerate_outcomes(finish)


def _enumerate_outcomes(simulate: Callable[[ScriptedChoices], MutableBattle]) -> Weighted:
    """Run a simulation once for every sequence of random choices; equal results are merged."""
    probabilities: dict[Battle, Fraction | int] = {}
    waiting: list[tuple[tuple[int, ...], Fraction | int]] = [((), 1)]
    runs = 0
    while waiting:
        runs += 1
        script, probability = waiting.pop()
        choices = ScriptedChoices(script)
        state = simulate(choices).state()
        # Beyond the script option 0 was taken: the other options of those choices wait for a later run.
        for position in range(len(script), len(choices.weights)):
            weights = choices.weights[position]
            prefix = script + (0,) * (position - len(script))
            share = Fraction(probability) / sum(weights)
            waiting += [((*prefix, other), share * weights[other]) for other in range(1, len(weights))]
            probability = share * weights[0]
        if runs + len(waiting) > MAX_OUTCOMES:  # each of them has an outcome
            raise TooManyOutcomesError
        probabilities[state] = probabilities.get(state, 0) + probability
    return [(probability, state) for state, probability in probabilities.items()]
