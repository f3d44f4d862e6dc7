"""Battles, as everything outside this folder sees them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, Final

from planner.files import PlannerError
from planner.game import Agent, AnyGame, BaseGame, Outcome
from planner.games.spire import codec, rules, words
from planner.games.spire.agents import DEPTHS, FirstAgent, LookAheadAgent
from planner.games.spire.rules import Setup
from planner.games.spire.state import Action, Battle
from planner.games.spire.turn import plans
from planner.games.spire.weights import BattleWeights
from planner.planning.plan import Plan, PlanOptions


class Spire(BaseGame[Battle, Action, Setup]):
    """One player with a deck against one to four enemies."""

    name = "spire"
    profiles = BattleWeights

    # -- playing

    def start(self, setup: Setup, chance: Random) -> Battle:
        """The first turn, with its hand."""
        return rules.start(setup, chance)

    def seats(self, state: Battle) -> int:  # noqa: ARG002
        """One."""
        return 1

    def to_move(self, state: Battle) -> int:  # noqa: ARG002
        """Always the player."""
        return 0

    def turn(self, state: Battle) -> int:
        """From 1."""
        return state.turn

    def legal_actions(self, state: Battle) -> Sequence[Action]:
        """Cards to play and the end of the turn, or the answers to a question."""
        return rules.legal_actions(state)

    def why_not(self, state: Battle, action: Any) -> str | None:
        """What is wrong with it."""
        return rules.why_not(state, action)

    def apply(self, state: Battle, action: Action, chance: Random) -> Battle:
        """The state after it."""
        return rules.apply(state, action, chance)

    def outcome(self, state: Battle) -> Outcome | None:
        """A point for a win."""
        return rules.outcome(state)

    def observe(self, state: Battle, seat: int) -> Battle:  # noqa: ARG002
        """Nothing is hidden: a draw is decided when it happens."""
        return state

    def plans(self, state: Battle, weights: Any, options: PlanOptions) -> Iterator[Plan[Battle, Action]]:
        """The best turns from this state, best first."""
        return plans(self, state, weights, options)

    # -- as data

    def state_to_json(self, state: Battle) -> dict[str, Any]:
        """docs/battles.md."""
        return codec.state_to_json(state)

    def state_from_json(self, data: Any) -> Battle:
        """docs/battles.md."""
        return codec.state_from_json(data)

    def action_to_json(self, action: Action) -> dict[str, Any]:
        """docs/battles.md."""
        return codec.action_to_json(action)

    def action_from_json(self, data: Any, place: str = "action") -> Action:
        """docs/battles.md."""
        return codec.action_from_json(data, place)

    def setup_to_json(self, setup: Setup) -> dict[str, Any]:
        """docs/battles.md."""
        return codec.setup_to_json(setup)

    def setup_from_json(self, data: Any) -> Setup:
        """docs/battles.md."""
        return codec.setup_from_json(data)

    def state_to_text(self, state: Battle) -> str:
        """The JSON form in one line."""
        return json.dumps(codec.state_to_json(state))

    def state_from_text(self, text: str) -> Battle:
        """From that line."""
        try:
            return codec.state_from_json(json.loads(text))
        except (json.JSONDecodeError, RecursionError) as error:
            raise PlannerError(f"state: not JSON: {str(error).splitlines()[0]}") from None

    def action_to_text(self, action: Action) -> str:
        """`play 2`, `fighter 0`, `card 1`, `end`."""
        return codec.action_to_text(action)

    def action_from_text(self, text: str) -> Action:
        """From that line."""
        return codec.action_from_text(text)

    # -- for people

    def show(self, state: Battle, width: int = 80) -> str:
        """The enemies with what they intend, the player, and the piles."""
        return words.show(state, width)

    def tell(self, state: Battle, action: Action, after: Battle | None = None) -> str:
        """The action as a sentence."""
        return words.tell(state, action, after)

    # -- for studies

    def baselines(self) -> Mapping[str, Callable[[Random], Agent]]:
        """The first card, and looking a few actions ahead."""
        ahead = {f"lookahead{depth}" if depth > 1 else "lookahead": depth for depth in DEPTHS}
        return {"first": FirstAgent, **{name: partial(LookAheadAgent, depth=depth) for name, depth in ahead.items()}}


GAME: Final[AnyGame] = Spire()
