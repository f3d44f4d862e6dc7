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
from planner.games.spire import codec, rules, schema, setups, words
from planner.games.spire.agents import DEPTHS, FirstAgent, LookAheadAgent
from planner.games.spire.files import file_kinds, setup_schema
from planner.games.spire.library import load_library
from planner.games.spire.regret import regret
from planner.games.spire.rules import Setup
from planner.games.spire.state import Action, Battle
from planner.games.spire.turn import plans
from planner.games.spire.usage import card_lists, cards_used
from planner.games.spire.weights import BattleWeights
from planner.planning.plan import Plan, PlanOptions
from planner.planning.regret import Regret


class Spire(BaseGame[Battle, Action, Setup]):
    """One player with a deck against one to four enemies. Nothing is hidden: a draw is decided when it happens."""

    name = "spire"
    profiles = BattleWeights
    setup_fields = ("scenarios",)

    def __init__(self, added: Mapping[str, Any] | None = None) -> None:
        self._added = added or {}  # what exists beside that which comes with the game

    # -- playing. What has the right form already is bound as it is: a match is made of these calls.

    start = staticmethod(rules.start)
    legal_actions = staticmethod(rules.legal_actions)
    illegal_reason = staticmethod(rules.illegal_reason)
    apply = staticmethod(rules.apply)
    outcome = staticmethod(rules.outcome)

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

    state_to_json = staticmethod(codec.state_to_json)
    state_schema = staticmethod(schema.state_schema)
    action_to_json = staticmethod(codec.action_to_json)
    action_from_json = staticmethod(codec.action_from_json)
    setup_to_json = staticmethod(setups.setup_to_json)
    action_to_text = staticmethod(codec.action_to_text)
    action_from_text = staticmethod(codec.action_from_text)

    def state_from_json(self, data: Any) -> Battle:
        """From that form."""
        return codec.state_from_json(setups.with_library(data, self._added))

    def setup_from_json(self, data: Any) -> Setup:
        """From that form."""
        return setups.setup_from_json(data, self._added)

    # -- for people

    show = staticmethod(words.show)
    describe_action = staticmethod(words.describe_action)

    def seat_names(self, state: Battle) -> Sequence[str]:  # noqa: ARG002
        """There is only one."""
        return ["player"]

    # -- for studies

    def baselines(self) -> Mapping[str, Callable[[Random], Agent]]:
        """The first card that can be played, and looking a few actions ahead."""
        ahead: dict[str, Callable[[Random], Agent]] = {
            "lookahead" if depth == 1 else f"lookahead{depth}": partial(LookAheadAgent, depth=depth) for depth in DEPTHS
        }
        return {"first": FirstAgent, **ahead}

    def setups_from_file(self, file: Fields) -> Sequence[Setup]:
        """`scenarios`: names, YAML files, or setups in their JSON form."""

        def read(given: Any) -> list[Setup]:
            return [
                setups.scenario(file.resolve(one), self._added) if isinstance(one, str) else self.setup_from_json(one)
                for one in as_list(given)
            ]

        return file.read("scenarios", read, [])

    def setup_from_words(self, words: Sequence[str], rules: str = "") -> Setup:
        """A scenario."""
        if len(words) != 1 or rules:
            raise PlannerError(f"{' '.join((*words, rules)).strip()!r}: a battle is one scenario, such as starter")
        return setups.scenario(words[0], self._added)

    def files(self) -> Sequence[FileKind]:
        """Cards, and scenarios."""
        return file_kinds(self.name, self._added)

    def setup_schema(self) -> Mapping[str, Schema]:
        """Scenarios."""
        return setup_schema()

    def with_cards(self, files: Sequence[Path]) -> AnyGame:
        """Cards, statuses and enemies, for the scenarios that name them."""
        return Spire(load_library(*files).added)

    def setup_columns(self, setup: Setup) -> Mapping[str, str]:
        """The scenario's name."""
        return {"scenario": setup.name}

    cards_of = staticmethod(card_lists)
    cards_used = staticmethod(cards_used)

    def encoding(self, setup: Setup) -> Encoding:
        """By the places in the piles and on the table."""
        from planner.games.spire.encoding import BattleEncoding  # noqa: PLC0415  (only learners need it)

        return BattleEncoding(setup)

    def measures(self, state: Battle) -> Mapping[str, float]:
        """The health that is left, and the cards that were played."""
        return {"health": state.health, "cards": state.played}


GAME: Final[AnyGame] = Spire()
