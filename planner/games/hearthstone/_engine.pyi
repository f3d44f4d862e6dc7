"""The compiled engine. Functions return `None` for a state that has something the engine does not support."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState

# The state; damage dealt to the hero and to minions, overkill, cards drawn; the random choice that was missing, as the
# number of options and how often it repeats; the number of choices used.
ActionResult = tuple[GameState, tuple[int, int, int, int], tuple[int, int] | None, int]

SOURCE_HASH: str  # of the sources from which the engine was compiled

def supports(state: GameState) -> bool: ...
def card_reads(card: Card) -> int | None: ...
def legal_actions(state: GameState) -> list[Action] | None: ...
def apply(
    state: GameState, action: Action, choices: Sequence[int], certain_only: bool = False
) -> ActionResult | None: ...
def next_state(state: GameState, action: Action, generator: Random | None) -> GameState | None: ...
def end_of_turn_effects(
    state: GameState, choices: Sequence[int], certain_only: bool = False
) -> ActionResult | None: ...

# For each turn its actions and its score as numerator and denominator; why the search stopped; whether states were
# pruned; whether every outcome of chance was listed; states visited; a bound on the score, if one is known.
BestTurns = tuple[list[tuple[list[Action], int, int]], int, bool, bool, int, tuple[int, int] | None]

def best_turns(
    state: GameState,
    weights: tuple[int, ...],
    value_scale: int,
    rules: list[tuple[int, int, tuple[int, int], str, int]],
    banned: list[Action],
    turns: int,
    pessimistic: bool,
    seconds: float,
    states: int,
    techniques: int,
    hint: list[Action],
    break_ties: bool = True,
) -> BestTurns | None: ...

# States visited, states with a bound, and the largest amount by which a true score exceeds its bound.
def compare_bound(
    state: GameState,
    weights: tuple[int, ...],
    value_scale: int,
    rules: list[tuple[int, int, tuple[int, int], str, int]],
    pessimistic: bool,
    states: int,
) -> tuple[int, int, tuple[int, int]] | None: ...

# Actions, their score, a bound if one is known, whether the own hero survives, whether the turn is proved optimal.
def plan_vanilla(
    state: GameState,
    weights: tuple[int, ...],
    value_scale: int,
    rules: list[tuple[int, int, tuple[int, int], str, int]],
    banned: list[Action],
    prunes: int,
    work: int,
) -> tuple[list[Action], int, int | None, bool, bool] | None: ...

# The state after a hit of the first own minion on the first enemy minion, of which only the own minion changes; None
# if it dies.
def resolve_hit(state: GameState) -> GameState | None: ...

# Objective, plays, hits, attacks on the hero.
def thesis_choice(
    state: GameState, weights: tuple[int, ...], value_scale: int, reading: int = 0
) -> tuple[int, list[int], list[tuple[int, int]], list[int]] | None: ...

# Winner, reason, rounds, turns, decisions, times, seconds, cards and turns; see `PlayedMatch`.
class MatchPlayer:
    def play(
        self, seeds: list[tuple[int, ...]], with_moves: bool, heartbeat: memoryview | None
    ) -> list[tuple[Any, ...] | None]: ...

def make_match_player(
    undealt: GameState, value_scale: int, options: Mapping[str, object], agents: Sequence[Mapping[str, Any]]
) -> MatchPlayer | None: ...

# For each pairing: the winning seat or -1, rounds, turns, turns with several optima.
def thesis_matches(
    state: GameState,
    pairings: list[tuple[tuple[int, ...], tuple[int, ...]]],
    value_scale: int,
    reading: int = 0,
    skip_dead: bool = False,
    count_optima: bool = False,
) -> list[tuple[int, int, int, int] | None] | None: ...
