"""The game of this package, with all its capabilities."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

from planner.errors import PlannerError
from planner.formats.json_schema import FileKind, Schema
from planner.formats.values import Fields, as_list
from planner.game import Agent, BaseGame, CardEntry, Encoding
from planner.games.spire import battle_chain, battle_codec, battle_rules, battle_table, battle_text
from planner.games.spire.battle_agents import LOOKAHEAD_DEPTHS, LookAheadAgent, estimate_points
from planner.games.spire.battle_encoding import BattleEncoding, card_lists, cards_used
from planner.games.spire.battle_planner import BattleWeights, plans, regret
from planner.games.spire.battle_state import Action, Battle, Setup
from planner.games.spire.card_library import Library, library_with, load_library, shipped_library
from planner.planning.plan import Plan, PlanOptions, Regret
from planner.table_view import SetupOption

_RULES_TEXT: Final = """
You fight a battle against one or more enemies. You win if all enemies have no health left, and lose if you have none.
Each turn you draw a new hand and get energy, which cards cost. Enemies show what they will do after your turn. Block
absorbs damage until your next turn. The cards that you have not played are discarded at the end of your turn.
"""


class Spire(BaseGame[Battle, Action, Setup]):
    """One player with a deck against one to four enemies. Nothing is hidden: a draw is random when it happens."""

    profiles = BattleWeights
    setup_fields = ("scenarios",)

    def __init__(self, custom: Mapping[str, Any] | None = None, name: str = "spire", extension: str = "") -> None:
        self._custom = custom or {}  # definitions that do not come with the game
        self.name = name
        self._extension = extension  # the absolute path of a file that adds words to the game

    # -- playing; functions that already have the right signature are used directly, since matches call them often

    start = staticmethod(battle_rules.start)
    legal_actions = staticmethod(battle_rules.legal_actions)
    illegal_reason = staticmethod(battle_rules.illegal_reason)
    apply = staticmethod(battle_rules.apply)
    outcome = staticmethod(battle_rules.outcome)
    estimate_points = staticmethod(estimate_points)

    def seats(self, state: Battle) -> int:  # noqa: ARG002
        """Return 1."""
        return 1

    def to_move(self, state: Battle) -> int:  # noqa: ARG002
        """Return seat 0, the player."""
        return 0

    def turn(self, state: Battle) -> int:
        """Return the turn number, from 1."""
        return state.turn

    def plans(self, state: Battle, weights: Any, options: PlanOptions) -> Iterator[Plan[Battle, Action]]:
        """Yield the best turns from this state, best first."""
        return plans(self, state, weights, options)

    def regret(
        self, state: Battle, actions: Sequence[Action], rng: Random, weights: Any, time_limit: float | None = None
    ) -> Regret:
        """Compare the turn that began in this state with the best one; `rng` is the battle's generator then."""
        return regret(self, state, actions, rng, weights, time_limit)

    # -- as data: docs/reference/spire.md

    action_to_json = staticmethod(battle_codec.action_to_json)
    action_from_json = staticmethod(battle_codec.action_from_json)
    setup_to_json = staticmethod(battle_codec.setup_to_json)
    action_to_text = staticmethod(battle_codec.action_to_text)
    action_from_text = staticmethod(battle_codec.action_from_text)

    def state_to_json(self, state: Battle) -> dict[str, Any]:
        """Return the complete state in its JSON form."""
        return {**battle_codec.state_to_json(state), "game": self.name}

    def state_schema(self) -> Schema:
        """Return the JSON schema of a state."""
        return battle_codec.state_schema(self.name)

    def state_from_json(self, data: Any) -> Battle:
        """Read a state, which may use the custom definitions."""
        return battle_codec.state_from_json(data, self.library())

    def setup_from_json(self, data: Any) -> Setup:
        """Read a setup, which may use the custom definitions."""
        return battle_codec.setup_from_json(data, self.library())

    # -- text

    show = staticmethod(battle_text.show)
    describe_action = staticmethod(battle_text.describe_action)

    def rules_text(self) -> str:
        """Return the rules in short."""
        return _RULES_TEXT

    def seat_names(self, state: Battle) -> Sequence[str]:  # noqa: ARG002
        """Return the name of the only seat."""
        return ["player"]

    # -- at a table

    table_sides = staticmethod(battle_table.table_sides)
    bind_action = staticmethod(battle_table.bind_action)
    prompt = staticmethod(battle_table.prompt)
    choose = staticmethod(battle_table.choose)
    describe_move = staticmethod(battle_table.describe_move)

    def setup_options(self) -> Sequence[SetupOption]:
        """Return the scenarios that come with the game."""
        return (SetupOption("scenario", "Scenario", tuple(self.setup_names()), "starter"),)

    def setup_from_options(self, options: Mapping[str, Any], seats: int) -> Setup:  # noqa: ARG002  (always one)
        """Return the scenario with this name."""
        return battle_codec.scenario(options["scenario"], self.library())

    def seat_range(self) -> tuple[int, int]:
        """Return one player."""
        return 1, 1

    # -- studies

    def baselines(self) -> Mapping[str, Callable[[Random], Agent]]:
        """Return the agents that look a few actions ahead."""
        return {
            "lookahead" if depth == 1 else f"lookahead{depth}": partial(LookAheadAgent, depth=depth)
            for depth in LOOKAHEAD_DEPTHS
        }

    def setups_from_file(self, file: Fields) -> Sequence[Setup]:
        """Read `scenarios`: names, YAML files, or setups in their JSON form."""

        def read(entry: Any) -> Setup:
            if isinstance(entry, str):
                return battle_codec.scenario(file.resolve(entry), self.library())
            return self.setup_from_json(entry)

        return file.read("scenarios", lambda entries: [*map(read, as_list(entries))], [])

    def setup_from_words(self, words: Sequence[str], rules: str = "") -> Setup:
        """Return the scenario with this name, or of this file."""
        if len(words) != 1 or rules:
            raise PlannerError(
                f"a battle takes one scenario, such as starter; got {' '.join((*words, rules)).strip()!r}"
            )
        return battle_codec.scenario(words[0], self.library())

    def files(self) -> Sequence[FileKind]:
        """Return the kinds of files: definitions, scenarios and chains."""
        kinds = battle_codec.file_kinds(self.name, self.library)
        return [*kinds, battle_chain.chain_kind(self.name, self.library)]

    def chain(self, name: str) -> battle_chain.Chain:
        """Return the chain of battles with this name, or of this file."""
        return battle_chain.read_chain(name, self.library())

    def setup_schema(self) -> Mapping[str, Schema]:
        """Return the JSON schema of the field `scenarios`."""
        return battle_codec.setup_schema()

    def with_cards(self, files: Sequence[Path]) -> Spire:
        """Return the game with the cards, statuses and enemies of these files added."""
        return Spire(load_library(*files, extension=self._extension).custom, self.name, self._extension)

    def library(self, custom: Mapping[str, Any] | None = None) -> Library:
        """Return the cards, statuses and enemies of the game, with these definitions added."""
        own = library_with(self._custom, base=shipped_library(self._extension))
        return library_with(custom, base=own) if custom else own

    def setup_names(self) -> Sequence[str]:
        """Return the names of the scenarios."""
        return battle_codec.scenario_names(self._extension)

    def card_entries(self) -> Sequence[CardEntry]:
        """Return the cards of the game and the custom ones."""
        library = self.library()
        cards = [library.card(name) for name in library.card_names]
        return [CardEntry(card.title, str(card.cost), card.type, battle_text.describe_card(card)) for card in cards]

    def setup_columns(self, setup: Setup) -> Mapping[str, str]:
        """Return the name of the scenario."""
        return {"scenario": setup.name}

    cards_of = staticmethod(card_lists)
    cards_used = staticmethod(cards_used)

    def encoding(self, setup: Setup) -> Encoding:
        """Return the numeric form of battles with this setup."""
        return BattleEncoding(setup)

    def measures(self, state: Battle) -> Mapping[str, float]:
        """Return the remaining health and the number of played cards."""
        return {"health": state.health, "cards": state.played}


GAME: Final = Spire()


def game_by_path(name: str) -> Spire:
    """Return the game with the words and definitions of this Python file, which runs now."""
    path = os.path.abspath(name)
    shipped_library(path)  # its errors concern the command, and not the first battle
    battle_codec.check_scenarios(path)
    return Spire(name=name, extension=path)
