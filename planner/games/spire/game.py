"""Battles, as everything outside this folder sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

from planner.errors import PlannerError
from planner.formats.json_schema import FileKind, Schema
from planner.formats.values import Fields, as_list
from planner.game import Agent, AnyGame, BaseGame, Encoding
from planner.games.spire import battle_codec, battle_rules, battle_text, scenario_files
from planner.games.spire.battle_agents import LOOKAHEAD_DEPTHS, FirstAgent, LookAheadAgent
from planner.games.spire.battle_encoding import BattleEncoding, card_lists, cards_used
from planner.games.spire.battle_planner import BattleWeights, plans, regret
from planner.games.spire.battle_state import Action, Battle, Setup
from planner.games.spire.card_library import load_library
from planner.planning.plan import Plan, PlanOptions, Regret


class Spire(BaseGame[Battle, Action, Setup]):
    """One player with a deck against one to four enemies. Nothing is hidden: a draw is decided when it happens."""

    name = "spire"
    profiles = BattleWeights
    setup_fields = ("scenarios",)

    def __init__(self, custom: Mapping[str, Any] | None = None) -> None:
        self._custom = custom or {}  # what exists beside that which comes with the game

    # -- playing. What has the right form already is bound as it is: a match is made of these calls.

    start = staticmethod(battle_rules.start)
    legal_actions = staticmethod(battle_rules.legal_actions)
    illegal_reason = staticmethod(battle_rules.illegal_reason)
    apply = staticmethod(battle_rules.apply)
    outcome = staticmethod(battle_rules.outcome)

    def seats(self, state: Battle) -> int:  # noqa: ARG002
        """One."""
        return 1

    def to_move(self, state: Battle) -> int:  # noqa: ARG002
        """Always the player."""
        return 0

    def turn(self, state: Battle) -> int:
        """From 1."""
        return state.turn

    def plans(self, state: Battle, weights: Any, options: PlanOptions) -> Iterator[Plan[Battle, Action]]:
        """The best turns from this state, best first."""
        return plans(GAME, state, weights, options)

    def regret(
        self, state: Battle, actions: Sequence[Action], chance: Random, weights: Any, time_limit: float | None = None
    ) -> Regret:
        """What the turn that began in this state fell short of; `chance` is where the battle's generator stood then."""
        return regret(GAME, state, actions, chance, weights, time_limit)

    # -- as data: docs/reference/spire.md

    state_to_json = staticmethod(battle_codec.state_to_json)
    state_schema = staticmethod(battle_codec.state_schema)
    action_to_json = staticmethod(battle_codec.action_to_json)
    action_from_json = staticmethod(battle_codec.action_from_json)
    setup_to_json = staticmethod(scenario_files.setup_to_json)
    action_to_text = staticmethod(battle_codec.action_to_text)
    action_from_text = staticmethod(battle_codec.action_from_text)

    def state_from_json(self, data: Any) -> Battle:
        """From that form."""
        return battle_codec.state_from_json(scenario_files.with_library(data, self._custom))

    def setup_from_json(self, data: Any) -> Setup:
        """From that form."""
        return scenario_files.setup_from_json(data, self._custom)

    # -- for people

    show = staticmethod(battle_text.show)
    describe_action = staticmethod(battle_text.describe_action)

    def seat_names(self, state: Battle) -> Sequence[str]:  # noqa: ARG002
        """There is only one."""
        return ["player"]

    # -- for studies

    def baselines(self) -> Mapping[str, Callable[[Random], Agent]]:
        """The first card that can be played, and looking a few actions ahead."""
        ahead: dict[str, Callable[[Random], Agent]] = {
            "lookahead" if depth == 1 else f"lookahead{depth}": partial(LookAheadAgent, depth=depth)
            for depth in LOOKAHEAD_DEPTHS
        }
        return {"first": FirstAgent, **ahead}

    def setups_from_file(self, file: Fields) -> Sequence[Setup]:
        """`scenarios`: names, YAML files, or setups in their JSON form."""

        def read(given: Any) -> list[Setup]:
            return [
                scenario_files.scenario(file.resolve(one), self._custom)
                if isinstance(one, str)
                else self.setup_from_json(one)
                for one in as_list(given)
            ]

        return file.read("scenarios", read, [])

    def setup_from_words(self, words: Sequence[str], rules: str = "") -> Setup:
        """A scenario."""
        if len(words) != 1 or rules:
            raise PlannerError(f"{' '.join((*words, rules)).strip()!r}: a battle is one scenario, such as starter")
        return scenario_files.scenario(words[0], self._custom)

    def files(self) -> Sequence[FileKind]:
        """Cards, and scenarios."""
        return scenario_files.file_kinds(self.name, self._custom)

    def setup_schema(self) -> Mapping[str, Schema]:
        """Scenarios."""
        return scenario_files.setup_schema()

    def with_cards(self, files: Sequence[Path]) -> AnyGame:
        """Cards, statuses and enemies, for the scenarios that name them."""
        return Spire(load_library(*files).custom)

    def setup_columns(self, setup: Setup) -> Mapping[str, str]:
        """The scenario's name."""
        return {"scenario": setup.name}

    cards_of = staticmethod(card_lists)
    cards_used = staticmethod(cards_used)

    def encoding(self, setup: Setup) -> Encoding:
        """By the places in the piles and on the table."""
        return BattleEncoding(setup)

    def measures(self, state: Battle) -> Mapping[str, float]:
        """The health that is left, and the cards that were played."""
        return {"health": state.health, "cards": state.played}


GAME: Final = Spire()
