"""A deck-building game for matches and tournaments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from random import Random
from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.formats.json_schema import FileKind, Schema, any_of, enum_schema, integer_schema, list_schema
from planner.formats.values import Fields, as_list, integer
from planner.game import Agent, BaseGame, CardEntry
from planner.games.deckbuilder import codec, deck_plan, deckbuilder_table, deckbuilder_text, game_files, rules
from planner.games.deckbuilder.deck_weights import DeckWeights, DominionWeights
from planner.games.deckbuilder.deckbuilder_state_codec import state_from_json, state_schema, state_to_json
from planner.games.deckbuilder.definition import Definition
from planner.games.deckbuilder.definition_reader import LIBRARY, definition_file, load_definition
from planner.games.deckbuilder.menu_bots import make_bot, menu_files
from planner.games.deckbuilder.observation import observe, sample_hidden
from planner.games.deckbuilder.table_state import Action, Setup, State
from planner.planning.plan import Plan, PlanOptions, Regret
from planner.solvers.linear_model import LinearModel
from planner.table_view import SetupOption

RANDOM: Final = "random"
_RULES_TEXT: Final = """
A deck-building game. All players start with the same small deck. In your turn you play cards from your hand, which give
coins or other resources, and buy or gain cards for your deck. Then you discard everything and draw a new hand; if your
deck is empty, your discard pile is shuffled into a new one. The player with the most points at the end wins. A game
with health ends when a player has none left, and the most health wins. The texts of the cards say what they do.
"""
_PROFILES: Final = {DominionWeights.game: DominionWeights}


class DeckBuilder(BaseGame[State, Action, Setup]):
    """The game of one definition. It is read when it is first needed."""

    setup_fields = ("kingdoms", "players")

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return DeckBuilder, (self.name, self._folder)

    @cached_property
    def definition(self) -> Definition:
        """The definition of the game."""
        return load_definition(definition_file(self._folder))

    @property
    def states_name(self) -> str:
        """The name that states of this game have for it, if it is not one of the package."""
        return str(self.definition.path)

    # -- playing; functions that already have the right signature are used directly, since matches call them often

    to_move = staticmethod(rules.to_move)
    legal_actions = staticmethod(rules.legal_actions)
    illegal_reason = staticmethod(rules.illegal_reason)
    apply = staticmethod(rules.apply)
    outcome = staticmethod(rules.outcome)
    observe = staticmethod(observe)
    sample_hidden = staticmethod(sample_hidden)
    estimate_points = staticmethod(rules.estimate_points)

    def start(self, setup: Setup, rng: Random) -> State:
        """Return the first state of a match."""
        return rules.start(self.definition, setup, rng)

    def seats(self, state: State) -> int:
        """Return the number of players."""
        return len(state.players)

    def turn(self, state: State) -> int:
        """Return the turn number; the turns of all players are counted together."""
        return state.turn

    # -- planning

    @property
    def profiles(self) -> type[DeckWeights]:
        """The class of this game's weight profiles."""
        return _PROFILES.get(self.name, DeckWeights)

    def plans(self, state: State, weights: Any, options: PlanOptions) -> Iterator[Plan[State, Action]]:
        """Yield the best turns, best first."""
        return deck_plan.plans(self, state, self.profiles.of(weights), options)

    def turn_program(self, state: State, weights: Any, formulation: str = "exact") -> LinearModel:
        """Return the integer program of the purchase that ends the best turn."""
        return deck_plan.turn_program(self, state, self.profiles.of(weights), formulation)

    def regret(
        self, state: State, actions: Sequence[Action], rng: Random, weights: Any, time_limit: float | None = None
    ) -> Regret:
        """Compare the turn that began in this state with the best one; `rng` is the match's generator then."""
        return deck_plan.regret(self, state, actions, rng, self.profiles.of(weights), time_limit)

    def decide_prompt(self, state: State, profile: Any = None) -> Action | None:  # noqa: ARG002  (as other games)
        """Return a sensible choice in the turn of another player, else None."""
        return deck_plan.decide_prompt(state)

    # -- as data: docs/reference/deckbuilder.md

    action_to_json = staticmethod(codec.action_to_json)
    action_to_text = staticmethod(codec.action_to_text)
    setup_to_json = staticmethod(codec.setup_to_json)

    def action_from_json(self, data: Any, place: str = "action") -> Action:
        """Read an action."""
        return codec.action_from_json(self.definition, data, place)

    def action_from_text(self, text: str) -> Action:
        """Read the line that `action_to_text` writes."""
        return codec.action_from_text(self.definition, text)

    def state_to_json(self, state: State) -> dict[str, Any]:
        """Return the complete state as JSON values."""
        return state_to_json(self.name, state)

    def state_from_json(self, data: Any) -> State:
        """Read a state; a game that was loaded by its path may lie elsewhere now."""
        named = data.get("game", self.name) if isinstance(data, Mapping) else self.name
        if not isinstance(named, str) or Path(named).name != Path(self.name).name:
            raise PlannerError(f"game: must be {self.name!r}, got {quote(named)}")
        return state_from_json(self.definition, data)

    def state_schema(self) -> dict[str, Any]:
        """Return the JSON schema of a state."""
        return state_schema(self.definition)

    def setup_from_json(self, data: Any) -> Setup:
        """Read a setup."""
        return codec.setup_from_json(self.definition, data)

    # -- text

    show = staticmethod(deckbuilder_text.show)
    describe_action = staticmethod(deckbuilder_text.describe_action)

    def rules_text(self) -> str:
        """Return the rules in short."""
        return _RULES_TEXT

    # -- tables

    table_sides = staticmethod(deckbuilder_table.table_sides)
    bind_action = staticmethod(deckbuilder_table.bind_action)
    prompt = staticmethod(deckbuilder_table.prompt)
    describe_move = staticmethod(deckbuilder_table.describe_move)

    def seat_range(self) -> tuple[int, int]:
        """Return the least and the largest number of players."""
        return self.definition.players[0], self.definition.players[-1]

    def setup_options(self) -> Sequence[SetupOption]:
        """Return the choice of piles, where the game has one."""
        definition = self.definition
        if not definition.kingdom.piles:
            return ()
        default = codec.make_setup(definition, definition.players[0]).piles
        names = tuple(pile.name for pile in definition.kingdom.piles)
        return (SetupOption("kingdom", "Kingdom", names, default, count=definition.kingdom.count),)

    def setup_from_options(self, options: Mapping[str, Any], seats: int) -> Setup:
        """Return the setup with the chosen piles."""
        return codec.make_setup(self.definition, seats, options.get("kingdom"))

    def choose(self, state: State, cards: Sequence[str]) -> Action:  # noqa: ARG002
        """Cards are chosen one at a time."""
        raise PlannerError("choice: this decision is not a choice of several cards")

    # -- studies

    def with_seats(self, setup: Setup, seats: int) -> Setup:
        """Return the setup for this number of players."""
        definition = self.definition
        if not definition.players[0] <= seats <= definition.players[-1]:
            raise PlannerError(f"{definition.title} has {definition.players_text}, got {seats}")
        return setup._replace(players=seats)

    def setup_from_words(self, words: Sequence[str], rules: str = "") -> Setup:
        """Read the name of a set, `random`, `random:SEED`, or the names of the piles; nothing means the first set."""
        definition = self.definition
        if rules:
            raise PlannerError(f"--rules is not supported for {self.name}")
        kingdom: Any = words
        if len(words) == 1:
            word, piles, count = words[0], [pile.name for pile in definition.kingdom.piles], definition.kingdom.count
            if word.startswith("{"):
                try:
                    return self.setup_from_json(json.loads(word))
                except ValueError:
                    raise PlannerError(f"setup: {quote(word)} is not JSON") from None
            if piles and (word == RANDOM or word.startswith(f"{RANDOM}:")):
                seed = word.partition(":")[2] or "1"
                if not seed.isdecimal():
                    raise PlannerError(f"setup: must be such as {RANDOM}:7, got {quote(word)}")
                kingdom = Random(int(seed)).sample(piles, count)
            elif word in definition.kingdom.sets or count != 1:
                kingdom = word
        return codec.make_setup(definition, definition.players[0], kingdom)

    def setups_from_file(self, file: Fields) -> Sequence[Setup]:
        """Read `kingdoms`: names of sets, `random:SEED`, or lists of piles; and `players`."""
        least, most = self.seat_range()
        players = file.read("players", partial(integer, minimum=least, maximum=most), least)

        def read(entry: Any) -> Setup:
            words = [entry] if isinstance(entry, str) else [str(word) for word in as_list(entry)]
            return self.setup_from_words(words)._replace(players=players)

        default = [self.setup_from_words(())._replace(players=players)]
        return file.read("kingdoms", lambda entries: [*map(read, as_list(entries))], default)

    def setup_schema(self) -> Mapping[str, Schema]:
        """Return the JSON schema of the fields `kingdoms` and `players`."""
        definition = self.definition
        piles = list_schema(enum_schema([pile.name for pile in definition.kingdom.piles]))
        return {
            "kingdoms": list_schema(any_of({"type": "string", "minLength": 1}, piles)),
            "players": integer_schema(definition.players[0], definition.players[-1]),
        }

    def setup_names(self) -> Sequence[str]:
        """Return the names of the sets of piles."""
        return tuple(self.definition.kingdom.sets)

    def card_entries(self) -> Sequence[CardEntry]:
        """Return the cards of the definition."""
        return [
            CardEntry(card.name, "" if card.cost is None else str(card.cost.constant), ", ".join(card.types), card.text)
            for card in self.definition.cards
        ]

    def setup_columns(self, setup: Setup) -> Mapping[str, str]:
        """Return the set of piles, or the piles."""
        return {"kingdom": setup.name or ", ".join(setup.piles) or self.definition.title}

    def measures(self, state: State) -> Mapping[str, float]:
        """Return the points of the winner and the margin to the next player."""
        results = sorted(rules.scores(state), reverse=True)
        return {"best_score": results[0], "margin": results[0] - results[1] if len(results) > 1 else 0}

    def files(self) -> Sequence[FileKind]:
        """Return the kinds of files: games and bots."""
        return game_files.file_kinds(self.definition)

    def baselines(self) -> Mapping[str, Callable[[Random], Agent]]:
        """Return the agents of the folder `bots`."""
        definition = self.definition
        folder = definition.path.parent
        return {name: partial(make_bot, path, definition) for name, path in menu_files(folder).items()}


def game_by_path(name: str) -> DeckBuilder:
    """Return the game in a folder; the definition is read now, so that mistakes are reported at once."""
    game = DeckBuilder(name, Path(name))
    _ = game.definition
    return game


ASCENSION: Final = DeckBuilder("ascension", LIBRARY / "ascension")
CAVEMAN: Final = DeckBuilder("caveman", LIBRARY / "caveman")
DOMINION: Final = DeckBuilder("dominion", LIBRARY / "dominion")
