"""The game of this package: Hearthstone-like card games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from planner.errors import PlannerError, quote
from planner.formats.values import Fields
from planner.game import Agent, AnyGame, BaseGame, CardEntry, Encoding
from planner.games.hearthstone import engine, match_table
from planner.games.hearthstone.board_picture import draw_board
from planner.games.hearthstone.cards.catalogue import Catalogue, standard
from planner.games.hearthstone.engine import referee
from planner.games.hearthstone.hearthstone_agents import (
    GreedyAgent,
    RandomPlayer,
    estimate_points,
    mulligan_expensive,
)
from planner.games.hearthstone.match_setup import SETUP_FIELDS, MatchSetup, card_lists, cards_used, setups_from_file
from planner.games.hearthstone.rules import legal, match_flow, resolve, state_json
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.legal import MulliganOptions
from planner.games.hearthstone.rules.narration import describe_action, describe_turn, hero_names
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_fields import state_schema
from planner.games.hearthstone.rules.state_json import action_from_dict, action_to_dict, state_to_dict
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.match_options import Adjudication, StartPosition
from planner.planning.plan import UNKNOWN_CARDS, PlanOptions

if TYPE_CHECKING:
    from planner.formats.json_schema import FileKind, Schema
    from planner.games.hearthstone.turn.look_ahead import HiddenPool
    from planner.planning.capabilities import AgentDescription, MatchPlayer
    from planner.planning.plan import Regret

_ACTIONS: Final = frozenset((Attack, Batch, EndTurn, HeroPower, Mulligan, Play, Trade))
_END_TURN: Final = EndTurn()
_RULES_TEXT: Final = """
Two heroes fight. A hero whose health falls to 0 loses. In your turn you spend mana to play minions and spells from
your hand and to use your hero power, and each of your minions may attack once: an enemy minion, or the enemy hero.
Minions in combat deal damage equal to their attack to each other. A minion cannot attack in the turn in which it was
played, unless it has charge, or rush (minions only). Enemy minions with taunt must be attacked first. A divine shield
absorbs the first damage. Mana is full again in each turn and grows by one up to ten. You draw a card at the start of
each turn.
"""


class Hearthstone(BaseGame[GameState, Action, MatchSetup]):
    """Two players with minions, spells and heroes. A state is always seen by the player to move, who is `me`."""

    name = "hearthstone"
    profiles = Weights
    setup_fields = SETUP_FIELDS

    def __init__(self, cards: Catalogue | None = None) -> None:
        self._cards = cards  # None: the cards of the project

    # -- playing; functions that already have the right signature are used directly, since matches call them often

    observe = staticmethod(match_flow.observe)
    outcome = staticmethod(match_flow.outcome)
    apply = staticmethod(referee.apply_verified)

    _actions_of_a_turn = staticmethod(referee.legal_actions)

    def referee(self) -> Any:
        """Return the same game by the Python rules."""
        return _PYTHON_RULES

    def engine_id(self) -> str | None:
        """Return the content hash of the compiled rules, or None where the Python rules play."""
        return engine.engine_id()

    def match_player(
        self,
        setup: MatchSetup | StartPosition,
        agents: Sequence[AgentDescription],
        move_time: float | None = None,
        game_time: float | None = None,
        adjudication: Adjudication = Adjudication(),  # noqa: B008  (frozen)
    ) -> MatchPlayer | None:
        """Return a player of whole matches by the compiled engine, or None where it cannot play them."""
        from planner.games.hearthstone.engine_matches import match_player  # noqa: PLC0415  (a plan needs none)

        return match_player(setup, agents, move_time, game_time, adjudication)

    def start(self, setup: MatchSetup, rng: Random) -> GameState:
        """Shuffle and deal. The mulligan comes next if the rules have one."""
        return match_flow.start_match(setup.decks, setup.rules, rng)

    def start_from(self, state: GameState, rng: Random) -> GameState:
        """Shuffle both decks, the first player's first: what was known about their order is not part of a state."""
        return match_flow.shuffle_decks(state, rng)

    def seats(self, state: GameState) -> int:  # noqa: ARG002
        """Return 2."""
        return 2

    def to_move(self, state: GameState) -> int:
        """Return the seat of `me`."""
        return state.seat

    def turn(self, state: GameState) -> int:
        """Return the number of the turn, counting the turns of both players; 0 during the mulligan."""
        return state.turn

    def legal_actions(self, state: GameState) -> Sequence[Action]:
        """Return the options of the mulligan, or the legal actions of the turn."""
        if state.turn < 1 and legal.awaits_mulligan(state) and not state.finished:
            return MulliganOptions(state)
        return self._actions_of_a_turn(state)

    def illegal_reason(self, state: GameState, action: Any) -> str | None:
        """Return why the action is illegal, or None; agents may return any value."""
        return legal.illegal_reason(state, action) if type(action) in _ACTIONS else f"{quote(action)} is not an action"

    def default_action(self, state: GameState) -> Action:
        """Return the end of the turn, or the mulligan that keeps the hand."""
        return Mulligan() if state.turn < 1 and legal.awaits_mulligan(state) else _END_TURN

    def decide_prompt(self, state: GameState, profile: Weights | None = None) -> Action | None:
        """Replace expensive cards in the mulligan."""
        if state.turn >= 1 or not legal.awaits_mulligan(state):
            return None
        return mulligan_expensive(state) if profile is None else mulligan_expensive(state, profile.mulligan_cost)

    # -- as data

    state_to_json = staticmethod(state_to_dict)
    action_to_json = staticmethod(action_to_dict)
    action_from_json = staticmethod(action_from_dict)
    setup_from_json = staticmethod(MatchSetup.from_json)

    def setup_to_json(self, setup: MatchSetup) -> dict[str, Any]:
        """Return both decks, card by card, and the rules."""
        return setup.to_json()

    def state_from_json(self, data: Any) -> GameState:
        """Read a state in the JSON form."""
        return state_json.state_from_dict(data, self._cards)

    def state_schema(self) -> dict[str, Any]:
        """Return the JSON schema of states."""
        return state_schema()

    def state_to_text(self, state: GameState) -> str:
        """Return the state as one line."""
        from planner.games.hearthstone.rules.state_text import state_to_text  # noqa: PLC0415  (a plan from JSON needs none)

        return state_to_text(state)

    def state_from_text(self, text: str) -> GameState:
        """Read a state from one line."""
        from planner.games.hearthstone.rules.state_text import state_from_text  # noqa: PLC0415

        return state_from_text(text, self._cards)

    def action_to_text(self, action: Action) -> str:
        """Return the action as one line."""
        from planner.games.hearthstone.rules.state_text import action_to_text  # noqa: PLC0415

        return action_to_text(action)

    def action_from_text(self, text: str) -> Action:
        """Read an action from one line."""
        from planner.games.hearthstone.rules.state_text import action_from_text  # noqa: PLC0415

        return action_from_text(text)

    # -- for people

    seat_names = staticmethod(hero_names)
    show = staticmethod(draw_board)
    describe_turn = staticmethod(describe_turn)
    describe_action = staticmethod(describe_action)

    def rules_text(self) -> str:
        """Return the rules in short."""
        return _RULES_TEXT

    def card_entries(self) -> Sequence[CardEntry]:
        """Return the cards of the project and the custom ones."""
        cards = (self._cards or standard()).values()
        return [CardEntry(card.name, str(card.cost), card.type, card.text) for card in cards]

    # -- at a table

    table_sides = staticmethod(match_table.table_sides)
    bind_action = staticmethod(match_table.bind_action)
    prompt = staticmethod(match_table.prompt)
    choose = staticmethod(match_table.choose)
    describe_move = staticmethod(match_table.describe_move)
    setup_options = staticmethod(match_table.setup_options)
    setup_from_options = staticmethod(match_table.setup_from_options)

    def seat_range(self) -> tuple[int, int]:
        """Return two players."""
        return 2, 2

    # -- for studies

    def baselines(self) -> Mapping[str, Callable[[Random], Agent]]:
        """Return the greedy and the random agent."""
        return {"greedy": GreedyAgent, "random": RandomPlayer}

    def plans(self, state: GameState, weights: Any, options: PlanOptions) -> Iterator[Any]:
        """Yield the best turns from this state, best first."""
        return _planner()(state, weights, options)

    def turn_program(self, state: GameState, weights: Any, formulation: str = "exact") -> Any:
        """Return the linear program of a turn; card effects are left out."""
        from planner.games.hearthstone.turn.turn_plan import linear_model  # noqa: PLC0415  (as above)

        return linear_model(state, weights, formulation)

    def plan_ahead(self, state: GameState, weights: Any, options: PlanOptions, rng: Random, unseen: HiddenPool) -> Any:
        """Return the turn with the best expected score after the opponent's best reply."""
        from planner.games.hearthstone.turn.look_ahead import plan_ahead  # noqa: PLC0415  (see above)

        return plan_ahead(state, weights, options, rng, unseen)

    def hidden_pool(self, decklist: Any = None, opponent: str | None = None) -> HiddenPool:
        """Return the cards that may be hidden: from a list of cards, a prediction, or the opponent's class."""
        from planner.games.hearthstone.turn.look_ahead import HiddenPool  # noqa: PLC0415  (see above)

        if opponent is None:
            return HiddenPool(decklist)
        if opponent == UNKNOWN_CARDS:
            return HiddenPool()
        from planner.games.hearthstone.metagame import load_metagame, opponent_of  # noqa: PLC0415  (see above)

        return HiddenPool(predict=partial(opponent_of, load_metagame(opponent)))

    def sample_hidden(self, observation: GameState, rng: Random) -> GameState:
        """Replace the hidden cards of both players by cards of their classes."""
        from planner.games.hearthstone.turn.look_ahead import sample_hidden  # noqa: PLC0415  (see above)

        return sample_hidden(observation, rng)

    estimate_points = staticmethod(estimate_points)

    def regret(
        self, state: GameState, actions: Sequence[Action], rng: Random, weights: Any, time_limit: float | None = None
    ) -> Regret:
        """Return the score that a turn missed; `rng` is the generator of the match at the start of the turn."""
        from planner.games.hearthstone.turn.turn_regret import regret  # noqa: PLC0415  (see above)

        return regret(state, actions, rng, weights, time_limit)

    def decklist(self, setup: MatchSetup, seat: int) -> Sequence[Any]:
        """Return the cards of this player's deck."""
        return setup.decks[seat].cards

    def setups_from_file(self, file: Fields) -> Sequence[MatchSetup]:
        """Read `decks` and `rules` (docs/how-to/tournaments.md)."""
        return setups_from_file(file, self._cards)

    def setup_from_words(self, words: Sequence[str], rules: str = "") -> MatchSetup:
        """Load two decks by name or file."""
        if len(words) != 2:
            raise PlannerError(f"a match needs two decks, such as mage warrior; got {len(words)}")
        return MatchSetup.of(words[0], words[1], rules or "standard", self._cards)

    def files(self) -> Sequence[FileKind]:
        """Return the kinds of card, deck and rules files."""
        from planner.games.hearthstone.hearthstone_files import file_kinds  # noqa: PLC0415  (a plan needs none)

        return file_kinds(self.name, self._cards or standard())

    def setup_schema(self) -> Mapping[str, Schema]:
        """Return the schemas of `decks` and `rules`."""
        from planner.games.hearthstone.hearthstone_files import setup_schema  # noqa: PLC0415

        return setup_schema()

    def with_cards(self, files: Sequence[Path]) -> AnyGame:
        """Return the game with these card files; a card with a known name replaces the known one."""
        return Hearthstone((self._cards or standard()).extended(*files))

    def encoding(self, setup: MatchSetup) -> Encoding:
        """Return an encoding by positions on the boards and in the hand."""
        from planner.games.hearthstone.match_encoding import MatchEncoding  # noqa: PLC0415  (only learners need it)

        return MatchEncoding(setup)

    def swapped(self, setup: MatchSetup) -> MatchSetup:
        """Return the setup with the decks exchanged."""
        return MatchSetup(setup.decks[::-1], setup.rules)

    def setup_columns(self, setup: MatchSetup) -> Mapping[str, str]:
        """Return the name of each player's deck."""
        return {"p1_deck": setup.decks[0].name, "p2_deck": setup.decks[1].name}

    cards_of = staticmethod(card_lists)
    cards_used = staticmethod(cards_used)

    def setups_summary(self, setups: Sequence[MatchSetup]) -> Mapping[str, Any]:
        """Return the rules and the name of every deck."""
        decks = dict.fromkeys(deck.name for setup in setups for deck in setup.decks)
        return {"rules": setups[0].rules.name, "decks": list(decks)}


class _PythonRules(Hearthstone):
    """The same game without compiled code, to check what was played."""

    apply = staticmethod(resolve.apply_verified)
    _actions_of_a_turn = staticmethod(legal.legal_actions)


@cache
def _planner() -> Callable[[GameState, Any, PlanOptions], Iterator[Any]]:
    from planner.games.hearthstone.turn.turn_plan import plans  # noqa: PLC0415  (the solvers take a while to load)

    return plans


GAME: Final = Hearthstone()
_PYTHON_RULES: Final = _PythonRules()
