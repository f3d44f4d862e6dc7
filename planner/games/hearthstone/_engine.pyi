"""The compiled engine. `None` means declined: there is something in the state that it does not know."""

from collections.abc import Sequence
from random import Random

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState

# The state; damage dealt to the hero and to minions, overkill, cards drawn; where chance was left undecided, among how
# many and how often; how many choices were used.
Carried = tuple[GameState, tuple[int, int, int, int], tuple[int, int] | None, int]

SOURCE_HASH: str  # of the sources from which the engine was compiled

def understands(state: GameState) -> bool: ...
def legal_actions(state: GameState) -> list[Action] | None: ...
def apply(state: GameState, action: Action, choices: Sequence[int], certain_only: bool = False) -> Carried | None: ...
def next_state(state: GameState, action: Action, rng: Random | None) -> GameState | None: ...
def last_effects(state: GameState, choices: Sequence[int], certain_only: bool = False) -> Carried | None: ...

# Actions and the worth as a fraction for each turn; why the search stopped; whether states were left out; whether all
# chances were listed; states looked at; the bound as a fraction where one is known.
Answer = tuple[list[tuple[list[Action], int, int]], int, bool, bool, int, tuple[int, int] | None]

def best_turns(
    state: GameState,
    weights: tuple[int, ...],
    value_scale: int,
    hard_rules: tuple[object, ...] | None,
    banned: list[Action],
    turns: int,
    worst: bool,
    seconds: float,
    states: int,
    shortcuts: int,
    hint: list[Action],
) -> Answer | None: ...

# States looked at, states whose bound was compared with the truth, and the most by which the truth was above a bound.
def compare_bound(
    state: GameState,
    weights: tuple[int, ...],
    value_scale: int,
    hard_rules: tuple[object, ...] | None,
    worst: bool,
    states: int,
) -> tuple[int, int, tuple[int, int]] | None: ...

# Actions, their score, a bound where one is known, whether our hero lives, whether it is proved.
def plan_vanilla(
    state: GameState,
    weights: tuple[int, ...],
    value_scale: int,
    hard_rules: tuple[object, ...] | None,
    banned: list[Action],
    prunes: int,
    work: int,
) -> tuple[list[Action], int, int | None, bool, bool] | None: ...

# The first own minion after a hit on the first enemy minion: attack, health, keywords, attacks left, fresh; None where
# it dies. And the damage that it takes.
def resolve_hit(state: GameState) -> tuple[tuple[int, int, int, int, bool] | None, int] | None: ...

# Objective, plays, hits, face.
def thesis_choice(
    state: GameState, weights: tuple[int, ...], value_scale: int
) -> tuple[int, list[int], list[tuple[int, int]], list[int]] | None: ...
