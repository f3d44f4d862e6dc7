"""Compare the Python rules, which are the authority, with the compiled rules, action by action.

`python -m tests.games.hearthstone.engine.both SEED ACTIONS` runs the comparison from the shell.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from planner.games.hearthstone import _engine
from planner.games.hearthstone.cards.decks import deck_names, load_deck
from planner.games.hearthstone.rules.actions import Action, EndTurn
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.match_flow import end_of_turn_effects, mulligan, pass_turn, start_match
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.random_choices import CERTAIN_ONLY, Chance, ChanceError, ScriptedChoices
from planner.games.hearthstone.rules.resolve import resolve_action
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_json import action_to_dict, state_to_dict
from tests import matches
from tests.games.hearthstone.engine.real_turns import real_state
from tests.games.hearthstone.generated import random_state

MAX_ACTIONS = 30  # from one generated board


class Recorder(Random):
    """A generator that records its choices."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.chosen: list[int] = []

    def randrange(self, *bounds: Any) -> int:
        """Record and return the next choice."""
        self.chosen.append(super().randrange(*bounds))
        return self.chosen[-1]


class DifferenceError(AssertionError):
    """The two implementations of the rules differ."""

    def __init__(self, what: str, state: GameState, action: Action | None, python: object, engine: object) -> None:
        action_json = json.dumps(None if action is None else action_to_dict(action))
        super().__init__(
            f"{what}\nstate: {json.dumps(state_to_dict(state))}\naction: {action_json}\n"
            + "\n".join(_parts(python, engine))
        )


def _parts(python: object, engine: object, path: str = "") -> Iterator[str]:
    """Yield the innermost parts in which two values differ."""
    if isinstance(python, tuple) and isinstance(engine, tuple) and len(python) == len(engine):
        names = getattr(python, "_fields", range(len(python)))
        for name, one, other in zip(names, python, engine, strict=True):
            yield from _parts(one, other, f"{path}.{name}")
    elif python != engine:
        yield f"{path}: Python {python}, engine {engine}"


def accounts(table: MutableState) -> tuple[int, int, int, int]:
    """Return the amounts that the state counted, in the order in which the engine returns them."""
    return table.dealt_to_hero, table.dealt_to_minions, table.overkill, table.drawn


Run = Callable[[Chance | None], MutableState | GameState]


def compare_legality(state: GameState) -> list[Action]:
    """Return the legal actions, on which both agree."""
    expected = legal_actions(state)
    actions = _engine.legal_actions(state)
    if actions != expected:
        raise DifferenceError("legal actions", state, None, tuple(expected), tuple(actions or ()))
    return expected


def _compare(state: GameState, action: Action | None, run: Run, choices: list[int], certain_only: bool = False) -> None:
    """Run an action, or the end-of-turn effects, in both with these choices, as far as they go."""
    undecided = None
    try:
        after = run(CERTAIN_ONLY if certain_only else ScriptedChoices(choices))
    except ChanceError as chance:
        after, undecided = chance.state, (chance.count, chance.times)
    if action is None:
        engine = _engine.end_of_turn_effects(state, choices, certain_only)
    else:
        engine = _engine.apply(state, action, choices, certain_only)
    if engine is None:
        raise DifferenceError("declined", state, action, after, None)
    found, counted, open_choice, used = engine
    expected = after.to_state() if isinstance(after, MutableState) else after
    if undecided is not None:  # in the middle of an action, the cause of a death is not final
        expected, found = expected._replace(cause=""), found._replace(cause="")
    if isinstance(after, MutableState) and counted != accounts(after):
        raise DifferenceError("accounts", state, action, accounts(after), counted)
    if (found, open_choice) != (expected, undecided):
        raise DifferenceError(f"after choices {choices}", state, action, (expected, undecided), (found, open_choice))
    if used != len(choices):
        raise DifferenceError("choices used", state, action, len(choices), used)


def compare(state: GameState, action: Action, rng: Recorder) -> GameState:
    """Return the state after the action, on which both agree: with all, some and no random choices."""

    def run(chance: Chance | None) -> MutableState | GameState:
        if isinstance(action, EndTurn):
            return pass_turn(state, chance)  # type: ignore[arg-type]
        return resolve_action(state, action, chance)

    rng.chosen = []
    after = run(rng)
    choices = rng.chosen
    _compare(state, action, run, choices)
    if choices:
        _compare(state, action, run, choices[: rng.getrandbits(8) % len(choices)])
        _compare(state, action, run, [], certain_only=True)
    return after.to_state() if isinstance(after, MutableState) else after


def compare_ends(state: GameState, rng: Recorder) -> None:
    """Compare the end-of-turn effects."""
    rng.chosen = []
    end_of_turn_effects(state, rng)
    choices = rng.chosen
    _compare(state, None, lambda chance: end_of_turn_effects(state, chance), choices)
    if choices:
        _compare(state, None, lambda chance: end_of_turn_effects(state, chance), [], certain_only=True)


def walk(state: GameState, rng: Recorder, max_actions: int) -> int:
    """Compare along random actions from this state, and return their number."""
    for done in range(max_actions):
        actions = compare_legality(state)
        if not actions:
            return done
        compare_ends(state, rng)
        # Random turns should have several actions.
        last = len(actions) == 1 or rng.random() < 0.15
        state = compare(state, rng.choice(actions if last else actions[:-1]), rng)
    return max_actions


def match(rng: Recorder) -> GameState:
    """Return the first turn of a match between two shipped decks or between decks with many different effects."""
    if rng.random() < 0.3:
        return next(state for state, action in matches.played(rng.getrandbits(32)) if action is not None)
    decks = tuple(load_deck(rng.choice(deck_names())) for _ in range(2))
    state = start_match((decks[0], decks[1]), Ruleset.of(rng.choice(("standard", "standard", "thesis", "ha"))), rng)
    if state.turn == 0:
        state = mulligan(mulligan(state, [state.me.hand[0].id], rng), [], rng)
    return state


def compare_matches(seed: int, actions: int) -> None:
    """Compare this many actions of whole matches."""
    _compare_from(match, seed, actions, max_actions=1000)


def compare_generated(seed: int, actions: int) -> None:
    """Compare this many actions from generated boards."""
    _compare_from(random_state, seed, actions, MAX_ACTIONS)


def compare_real_cards(seed: int, actions: int) -> None:
    """Compare this many actions from boards of real cards."""
    _compare_from(real_state, seed, actions, MAX_ACTIONS)


def _compare_from(start: Callable[[Recorder], GameState], seed: int, actions: int, max_actions: int) -> None:
    done, number = 0, seed
    try:
        while done < actions:
            rng = Recorder(number)
            done += 1 + walk(start(rng), rng, max_actions)
            number += 1
    except DifferenceError as difference:
        raise AssertionError(f"seed {number}: {difference}") from None


if __name__ == "__main__":
    compare_matches(int(sys.argv[1]), int(sys.argv[2]))
    compare_generated(int(sys.argv[1]), int(sys.argv[2]))
