"""Hearthstone-like card games, as everything outside this folder sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from planner.errors import PlannerError, quote
from planner.formats.values import Fields
from planner.game import Agent, AnyGame, BaseGame, Encoding
from planner.games.hearthstone import engine
from planner.games.hearthstone.agents import RandomPlayer, cheap_hand
from planner.games.hearthstone.cards.catalogue import Catalogue, standard
from planner.games.hearthstone.engine import referee
from planner.games.hearthstone.greedy import GreedyAgent
from planner.games.hearthstone.pictures import table_picture
from planner.games.hearthstone.rules import legal, match_flow, resolve, state_json
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.legal import MulliganOptions
from planner.games.hearthstone.rules.narration import describe_action, describe_turn, hero_names
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_json import action_from_dict, action_to_dict, state_to_dict
from planner.games.hearthstone.setup import FIELDS, MatchSetup, setups_from_file
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.usage import card_lists, cards_used
from planner.planning.plan import PlanOptions

if TYPE_CHECKING:
    from planner.formats.json_schema import FileKind, Schema
    from planner.games.hearthstone.turn.look_ahead import HiddenPool
    from planner.planning.plan import Regret

_ACTIONS: Final = frozenset((Attack, EndTurn, HeroPower, Mulligan, Play, Trade))
_END_TURN: Final = EndTurn()


class Hearthstone(BaseGame[GameState, Action, MatchSetup]):
    """Two players, minions, spells and heroes; the state is always seen by the player to move, who is `me`."""

    name = "hearthstone"
    profiles = Weights
    setup_fields = FIELDS

    def __init__(self, cards: Catalogue | None = None) -> None:
        self._cards = cards  # None: those that come with the project

    # -- playing. What has the right form already is bound as it is: a match is made of these calls.

    observe = staticmethod(match_flow.observe)
    outcome = staticmethod(match_flow.outcome)
    apply = staticmethod(referee.apply_verified)

    _actions_of_a_turn = staticmethod(referee.legal_actions)

    def referee(self) -> Any:
        """The same game by the readable rules alone."""
        return _BY_THE_REFEREE

    def engine_id(self) -> str | None:
        """Return the content hash of the compiled rules, or None where the Python rules play."""
        return engine.engine_id()

    def start(self, setup: MatchSetup, rng: Random) -> GameState:
        """Shuffled and dealt; the mulligan comes next where the rules have one."""
        return match_flow.start_match(setup.decks, setup.rules, rng)

    def seats(self, state: GameState) -> int:  # noqa: ARG002
        """Two."""
        return 2

    def to_move(self, state: GameState) -> int:
        """The seat of `me`."""
        return state.seat

    def turn(self, state: GameState) -> int:
        """Turns of both players together; the mulligan is before the first."""
        return state.turn

    def legal_actions(self, state: GameState) -> Sequence[Action]:
        """The answers to the mulligan, or what may be done in a turn."""
        if state.turn < 1 and legal.awaits_mulligan(state) and not state.finished:
            return MulliganOptions(state)
        return self._actions_of_a_turn(state)

    def illegal_reason(self, state: GameState, action: Any) -> str | None:
        """What the referee says; an agent can return anything at all."""
        return legal.illegal_reason(state, action) if type(action) in _ACTIONS else f"{quote(action)} is not an action"

    def default_action(self, state: GameState) -> Action:
        """End the turn, or keep the starting hand."""
        return Mulligan() if state.turn < 1 and legal.awaits_mulligan(state) else _END_TURN

    def decide_prompt(self, state: GameState, profile: Weights | None = None) -> Action | None:
        """Cheap cards for the first turns."""
        if state.turn >= 1 or not legal.awaits_mulligan(state):
            return None
        return cheap_hand(state) if profile is None else cheap_hand(state, profile.mulligan_cost)

    # -- as data

    def state_to_json(self, state: GameState) -> dict[str, Any]:
        """docs/reference/state.md."""
        return state_to_dict(state)

    def state_from_json(self, data: Any) -> GameState:
        """docs/reference/state.md."""
        return state_json.state_from_dict(data, self._cards)

    def state_schema(self) -> dict[str, Any]:
        """docs/reference/state.md, for machines."""
        from planner.games.hearthstone.rules.state_schema import state_schema  # noqa: PLC0415  (a plan needs none)

        return state_schema()

    def action_to_json(self, action: Action) -> dict[str, Any]:
        """docs/reference/state.md."""
        return action_to_dict(action)

    def action_from_json(self, data: Any, place: str = "action") -> Action:
        """docs/reference/state.md."""
        return action_from_dict(data, place)

    def setup_to_json(self, setup: MatchSetup) -> dict[str, Any]:
        """Both decks, card by card, and the rules."""
        return setup.to_json()

    def setup_from_json(self, data: Any) -> MatchSetup:
        """From that form."""
        return MatchSetup.from_json(data)

    def state_to_text(self, state: GameState) -> str:
        """docs/reference/state.md."""
        from planner.games.hearthstone.rules.state_text import state_to_text  # noqa: PLC0415  (a plan from JSON needs none)

        return state_to_text(state)

    def state_from_text(self, text: str) -> GameState:
        """docs/reference/state.md."""
        from planner.games.hearthstone.rules.state_text import state_from_text  # noqa: PLC0415

        return state_from_text(text, self._cards)

    def action_to_text(self, action: Action) -> str:
        """docs/reference/state.md."""
        from planner.games.hearthstone.rules.state_text import action_to_text  # noqa: PLC0415

        return action_to_text(action)

    def action_from_text(self, text: str) -> Action:
        """docs/reference/state.md."""
        from planner.games.hearthstone.rules.state_text import action_from_text  # noqa: PLC0415

        return action_from_text(text)

    # -- for people

    def seat_names(self, state: GameState) -> Sequence[str]:
        """The classes of the heroes."""
        return hero_names(state)

    def show(self, state: GameState, width: int = 80) -> str:
        """Both heroes, both boards and the hand."""
        return table_picture(state, width)

    def describe_action(self, state: GameState, action: Action, after: GameState | None = None) -> str:
        """The action, and what came of it."""
        return describe_action(state, action, after)

    def describe_turn(self, state: GameState, actions: Sequence[Action], briefly: bool = False) -> list[str]:
        """With what is certain to come of them."""
        return describe_turn(state, actions, briefly)

    # -- for studies

    def baselines(self) -> Mapping[str, Callable[[Random], Agent]]:
        """One who looks an action ahead, and chance, which keeps its starting hand."""
        return {"greedy": GreedyAgent, "random": RandomPlayer}

    def plans(self, state: GameState, weights: Any, options: PlanOptions) -> Iterator[Any]:
        """The best turns from this state, best first."""
        from planner.games.hearthstone.turn.turn_plan import plans  # noqa: PLC0415  (the solvers take a while to load)

        return plans(state, weights, options)

    def plan_ahead(self, state: GameState, weights: Any, options: PlanOptions, rng: Random, unseen: HiddenPool) -> Any:
        """Of the best turns, the one after whose best reply the table is expected to look best."""
        from planner.games.hearthstone.turn.look_ahead import plan_ahead  # noqa: PLC0415  (see above)

        return plan_ahead(state, weights, options, rng, unseen)

    def hidden_pool(self, brought: Any = None) -> HiddenPool:
        """What may lie face down on the other side: from a list of cards, a prediction, or the opponent's class."""
        from planner.games.hearthstone.turn.look_ahead import HiddenPool  # noqa: PLC0415  (see above)

        return HiddenPool(brought)

    def regret(
        self, state: GameState, actions: Sequence[Action], rng: Random, weights: Any, time_limit: float | None = None
    ) -> Regret:
        """What the turn that began in this state fell short of; `rng` is where the match's generator stood then."""
        from planner.games.hearthstone.turn.turn_regret import regret  # noqa: PLC0415  (see above)

        return regret(state, actions, rng, weights, time_limit)

    def decklist(self, setup: MatchSetup, seat: int) -> Sequence[Any]:
        """The cards of this player's deck."""
        return setup.decks[seat].cards

    def setups_from_file(self, file: Fields) -> Sequence[MatchSetup]:
        """`decks` and `rules`: docs/how-to/tournaments.md."""
        return setups_from_file(file, self._cards)

    def setup_from_words(self, words: Sequence[str], rules: str = "") -> MatchSetup:
        """Two decks."""
        if len(words) != 2:
            raise PlannerError(f"{len(words)} decks: a match has two, such as mage warrior")
        return MatchSetup.of(words[0], words[1], rules or "standard", self._cards)

    def files(self) -> Sequence[FileKind]:
        """Cards, decks and rules."""
        from planner.games.hearthstone.files import file_kinds  # noqa: PLC0415  (a plan needs none)

        return file_kinds(self.name, self._cards or standard())

    def setup_schema(self) -> Mapping[str, Schema]:
        """Decks and rules."""
        from planner.games.hearthstone.files import setup_schema  # noqa: PLC0415

        return setup_schema()

    def with_cards(self, files: Sequence[Path]) -> AnyGame:
        """A card of the same name replaces ours."""
        return Hearthstone((self._cards or standard()).extended(*files))

    def encoding(self, setup: MatchSetup) -> Encoding:
        """By the places on the boards and in the hand."""
        from planner.games.hearthstone.encoding import MatchEncoding  # noqa: PLC0415  (only learners need it)

        return MatchEncoding(setup)

    def swapped(self, setup: MatchSetup) -> MatchSetup:
        """The decks change seats."""
        return MatchSetup(setup.decks[::-1], setup.rules)

    def setup_columns(self, setup: MatchSetup) -> Mapping[str, str]:
        """The name of each player's deck."""
        return {"p1_deck": setup.decks[0].name, "p2_deck": setup.decks[1].name}

    cards_of = staticmethod(card_lists)
    cards_used = staticmethod(cards_used)

    def setups_summary(self, setups: Sequence[MatchSetup]) -> Mapping[str, Any]:
        """The rules, and every deck once."""
        decks = dict.fromkeys(deck.name for setup in setups for deck in setup.decks)
        return {"rules": setups[0].rules.name, "decks": list(decks)}


class _ByTheReferee(Hearthstone):
    """Nothing compiled: for whoever checks what was played."""

    apply = staticmethod(resolve.apply_verified)
    _actions_of_a_turn = staticmethod(legal.legal_actions)


GAME: Final = Hearthstone()
_BY_THE_REFEREE: Final = _ByTheReferee()
