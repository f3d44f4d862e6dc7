"""What an extension adds, and a trial of it: battles with its cards must keep the rules that every game keeps."""

from __future__ import annotations

import json
import os
from random import Random
from typing import Any, Final

from planner.errors import PlannerError
from planner.game import AnyGame
from planner.games.spire.battle_codec import describe_definitions
from planner.games.spire.battle_planner import BattleWeights
from planner.games.spire.battle_state import Battle
from planner.games.spire.battle_text import describe_card
from planner.games.spire.built_in_words import BUILT_IN
from planner.games.spire.card_library import shipped_library
from planner.games.spire.extensions import load_extension
from planner.planning.plan import PlanOptions

_KINDS: Final = {
    "verbs": "actions", "targets": "targets", "conditions": "conditions", "events": "events", "functions": "functions",
}  # fmt: skip
_BATTLES: Final = 20
_MAX_ACTIONS: Final = 100  # of one battle
_EFFORT: Final = 200  # states of one plan
_PLAN_EVERY: Final = 25  # actions


def describe_extension(name: str) -> list[str]:
    """Return what the file adds to the game: words and definitions."""
    extension = load_extension(os.path.abspath(name))
    lines = []
    for attribute, title in _KINDS.items():
        words = getattr(extension, attribute)
        added = {words[word]: word for word in reversed(words) if word not in getattr(BUILT_IN, attribute)}
        if added:
            lines.append(f"{title}: {', '.join(reversed(added.values()))}")
    lines += describe_definitions(extension.definitions)
    if extension.scenarios:
        lines.append(f"scenarios: {', '.join(extension.scenarios)}")
    library = shipped_library(os.path.abspath(name))
    lines += [f"{card}: {describe_card(library.card(card))}" for card in extension.definitions.get("cards", {})]
    if not library.ignores_hand_order:
        lines.append("warning: a word may depend on the order of the hand, so plans take longer (ignores_hand_order)")
    return lines


def try_extension(game: AnyGame, name: str, seed: int) -> str:
    """Play random battles with the cards and enemies of the file; return what was tried, or raise the first mistake."""
    extension = load_extension(os.path.abspath(name))
    cards, enemies = (list(extension.definitions.get(section, {})) for section in ("cards", "enemies"))
    rng = Random(seed)
    battles: list[list[Battle]] = []
    for number in range(_BATTLES):
        deck = ["Strike", "Strike", "Defend", "Bash", *(rng.choice(cards or ["Strike"]) for _ in range(6))]
        sides = [rng.choice(enemies or ["Goblin"]), *rng.sample(["Goblin", "Leech", "Acid Slime"], number % 3)]
        battles.append(_play(game, game.setup_from_json({"deck": deck, "enemies": sides}), rng))
    for scenario in extension.scenarios:
        battles.append(_play(game, game.setup_from_words([scenario]), rng))
    for state in (state for states in battles for state in states[::_PLAN_EVERY]):  # a search needs repeatable actions
        plan = next(game.plans(state, BattleWeights.default, PlanOptions(effort=_EFFORT)))  # type: ignore[attr-defined]
        game.describe_turn(state, plan.actions)
    tried = sum(map(len, battles))
    return f"{tried} states of random battles: correct as JSON, repeatable, with a plan that the rules confirm"


def _play(game: AnyGame, setup: Any, rng: Random) -> list[Battle]:
    """Play random actions, each of which must be repeatable; return the states."""
    state = game.start(setup, rng)
    states: list[Battle] = []
    while game.outcome(state) is None and len(states) < _MAX_ACTIONS:
        _check_state(game, state)
        action = rng.choice(list(game.legal_actions(state)))
        chance = rng.random()
        after = game.apply(state, action, Random(chance))
        if game.apply(state, action, Random(chance)) != after:
            shown = game.describe_action(state, action)
            raise PlannerError(f"{shown}: has another result with the same random numbers; use battle.pick for chance")
        game.describe_action(state, action, after)
        states.append(state)
        state = after
    return states


def _check_state(game: AnyGame, state: Battle) -> None:
    """Check that the state is valid and survives JSON."""
    shown = game.state_to_text(state)
    try:
        read = game.state_from_json(json.loads(shown))
    except PlannerError as error:
        raise PlannerError(f"a battle leads to an invalid state: {error}: {shown}") from None
    if read != state:
        raise PlannerError(f"a state changes when it is written and read: {shown}")
