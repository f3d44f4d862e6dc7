"""The specification as the judge of the rules: states, transitions and refusals of matches under the ruleset `ha`.

A card of the specification is the id of a card of the match, and a minion has the id of its card. The minions that have
attacked this turn are those of the turn player without attacks left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from planner.games.hearthstone.formal_model import STATE, specification
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, Play
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.match_flow import outcome
from planner.games.hearthstone.rules.state import ENEMY_HERO, GameState, Player
from planner.specification.interpreter import Interpreter
from planner.specification.notation import PRIME, Name, Specification
from planner.specification.values import BindingValue, Environment, UndefinedError, concrete_sequence, concrete_set

PLAYERS: Final = ("P1", "P2")
SUCCESS: Final = {
    "SummonMinion": "SummonSuccess",
    "MinionAttackPlayer": "MinionAttackPlayerSuccess",
    "MinionAttackMinion": "MinionAttackMinionSuccess",
    "PassTurn": "PassTurn",
}
REFUSED: Final = {
    "SummonMinion": "SummonRefused",
    "MinionAttackPlayer": "MinionAttackPlayerRefused",
    "MinionAttackMinion": "MinionAttackMinionRefused",
}


def state_values(state: GameState) -> Environment:
    """Return a state of a match as values of the variables of GameState."""
    battled = [minion.id for minion in state.me.board if minion.attacks_left == 0]
    return {
        "curr_player": PLAYERS[state.seat],
        "battled_this_turn": concrete_set(battled),
        "pl_state": concrete_set((name, _player(state.player(seat))) for seat, name in enumerate(PLAYERS)),
    }


def _player(player: Player) -> BindingValue:
    board = ((minion.id, BindingValue({"attack": minion.attack, "health": minion.health})) for minion in player.board)
    return BindingValue(
        {
            "health": player.hero.health,
            "hand": concrete_set(card.id for card in player.hand),
            "deck": concrete_sequence(card.id for card in player.deck),
            "board": concrete_set(board),
        }
    )


def values_before_the_deal(state: GameState) -> Environment:
    """Return the state from which the deal led to this start of a match: every card is still in its deck."""
    players = [player._replace(hand=(), deck=player.hand + player.deck) for player in (state.me, state.enemy)]
    return state_values(state._replace(me=players[0], enemy=players[1]))


def operation_of(action: Action) -> tuple[str, Environment]:
    """Return the operation of an action and its inputs."""
    match action:
        case Play(card):
            return "SummonMinion", {"minion?": card}
        case Attack(attacker, target) if target == ENEMY_HERO:
            return "MinionAttackPlayer", {"attacker?": attacker}
        case Attack(attacker, target):
            return "MinionAttackMinion", {"attacker?": attacker, "defender?": target}
        case EndTurn():
            return "PassTurn", {}
    raise AssertionError(f"{action} is not an action of this game")


class Judge:
    """Judges the states and the actions of one match by a specification. Each method yields what is wrong."""

    def __init__(self, start: GameState, judged_by: Specification | None = None) -> None:
        printed = {
            held.id: BindingValue({"attack": held.card.attack, "health": held.card.health})
            for player in (start.me, start.enemy)
            for held in (*player.hand, *player.deck)
        }
        rules = start.rules
        constants = {
            "max_board_size": rules.board_limit,
            "hand_init_size": rules.starting_hand[0],
            "to_minion": printed.__getitem__,
        }
        self.interpreter = Interpreter(judged_by or specification(), constants)

    def _violations(self, schema: str, environment: Environment) -> Iterator[str]:
        for conjunct, condition in self.interpreter.run(Name(schema), environment).conditions:
            if condition is not True:
                yield str(conjunct)

    def _holds(self, schema: str, environment: Environment) -> bool:
        try:
            return self.interpreter.holds(Name(schema), environment) is True
        except UndefinedError:
            return False

    def _can(self, operation: str, environment: Environment) -> bool:
        return self.interpreter.precondition(Name(operation), environment) is True

    def state(self, state: GameState) -> Iterator[str]:
        """Yield the invariants that a state violates, and outcomes that differ."""
        values = state_values(state)
        yield from self._violations(STATE, values)
        end = outcome(state)
        expected = {"P1Win": 0, "P2Win": 1, "Tie": None}
        for schema, winner in expected.items():
            if self._holds(schema, values) != (end is not None and end.winner == winner):
                yield f"{schema} differs from the outcome {end}"
        if self._holds("MatchEnd", values) != (end is not None):
            yield f"MatchEnd differs from the outcome {end}"

    def deal(self, state: GameState) -> Iterator[str]:
        """Yield what is wrong with the start of a match."""
        before = values_before_the_deal(state)
        if not self._holds("InitGameState", before):
            yield "InitGameState does not hold before the deal"
        yield from self._transition("FullMatchStart", before, {}, state_values(state))

    def transition(self, before: GameState, action: Action, after: GameState) -> Iterator[str]:
        """Yield what is wrong with a legal action."""
        operation, inputs = operation_of(action)
        yield from self._transition(SUCCESS[operation], state_values(before), inputs, state_values(after))
        yield from self._transition("SimpleHearthstoneMatch", state_values(before), inputs, state_values(after))

    def _transition(self, name: str, before: Environment, inputs: Environment, after: Environment) -> Iterator[str]:
        environment = before | inputs | {key + PRIME: value for key, value in after.items()}
        wrong: list[str] = []
        for _, case in self.interpreter.alternatives(Name(name)):
            if any(key.endswith("?") and key not in environment for key in self.interpreter.signature(case)):
                continue  # an operation with other inputs
            outcome = self.interpreter.run(case, environment, until_false=True)
            found = [str(one) for one, condition in outcome.conditions if condition is not True]
            if not found:
                return
            wrong.append(found[0])
        yield f"{name} does not hold: {'; '.join(wrong)}"

    def legality(self, state: GameState, action: Action) -> Iterator[str]:
        """Yield where the specification and the rules differ on whether an action is legal."""
        operation, inputs = operation_of(action)
        environment = state_values(state) | inputs
        reason = illegal_reason(state, action)
        if self._can(SUCCESS[operation], environment) == (reason is not None):
            yield f"{SUCCESS[operation]} differs from the rules: {reason or 'legal'}"
        if operation in REFUSED and self._can(REFUSED[operation], environment) != (reason is not None):
            yield f"{REFUSED[operation]} differs from the rules: {reason or 'legal'}"
