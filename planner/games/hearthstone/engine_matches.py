"""Whole matches by the compiled engine, between planners and the baselines of this game.

The engine deals, decides and carries out every action without Python in between. It plays the same matches as
planner/arena/match/referee.py: its random numbers are those of `random.Random`, and its plans are those of
turn/turn_plan.py. It declines what it does not support, and the match runner then plays the match.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from planner.games.hearthstone import engine
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.hearthstone_agents import CERTAIN_VALUE, win_share
from planner.games.hearthstone.match_setup import MatchSetup, card_lists
from planner.games.hearthstone.rules.match_flow import COIN, undealt_player
from planner.games.hearthstone.rules.state import GameState, Player, in_hand
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.native import hard_rules, signed_weights
from planner.match_options import Adjudication, Resign, StartPosition
from planner.planning.capabilities import AgentDescription, PlayedMatch, PlayedTurn
from planner.planning.plan import AUTO
from planner.planning.profiles import exact

_MAX_TURNS, _RESIGN = "max turns", "resign"  # what the engine calls the reasons of adjudication
_NEVER: Final = 2**62
# In the order of the enumerations in engine/match/agents.hpp.
_AGENTS: Final = ("random", "greedy", "planner")
_FORMULATIONS: Final = ("exact", "thesis", "thesis_every_minion")


@dataclass(frozen=True)
class EngineMatches:
    """Plays matches of one setup between the same two agents."""

    _player: Any  # of the engine
    _adjudication: Adjudication
    _counts_cards: bool

    def play(
        self, seeds: Sequence[tuple[int, ...]], with_moves: bool = False, heartbeat: memoryview | None = None
    ) -> list[PlayedMatch | None]:
        """Play a match for each tuple of seeds; None where the engine declines it."""
        return [match and self._played(match) for match in self._player.play(list(seeds), with_moves, heartbeat)]

    def _played(self, values: tuple[Any, ...]) -> PlayedMatch:
        match = PlayedMatch(*values)
        if match.reason in (_MAX_TURNS, _RESIGN):
            rules = self._adjudication
            match = match._replace(reason=rules.resign_reason if match.reason == _RESIGN else rules.max_turns_reason)
        if not self._counts_cards:
            match = match._replace(cards=())
        return match if match.moves is None else match._replace(moves=[PlayedTurn(*turn) for turn in match.moves])


def match_player(
    setup: MatchSetup | StartPosition,
    agents: Sequence[AgentDescription],
    move_time: float | None,
    game_time: float | None,
    adjudication: Adjudication,
) -> EngineMatches | None:
    """Return a player of matches between these agents, or None if the engine does not support one of them."""
    if not engine.available():
        return None
    begin = _from_position(setup.state) if isinstance(setup, StartPosition) else _from_decks(setup)
    if begin is None:
        return None
    state, deal = begin
    players = state.me, state.enemy
    # A plan with such cards is made again after every action.
    if any(card.unread_cards for player in players for card in _cards(player)):
        return None
    in_hands = [card for player in players for card in (*player.hand, *player.deck)]
    value_scale = math.lcm(*(exact(card.value).denominator for card in in_hands), 1)
    described = [entry for agent in agents if (entry := _describe(agent, value_scale)) is not None]
    if len(described) < len(agents):
        return None
    from planner.games.hearthstone import _engine  # noqa: PLC0415  (the module may be missing)

    options = {
        **deal,
        "move_seconds": move_time or 0.0,
        "game_seconds": game_time or 0.0,
        "max_turns": adjudication.max_turns or 0,
        **_resign_options(adjudication.resign),
    }
    player = _engine.make_match_player(state, value_scale, options, described)
    return None if player is None else EngineMatches(player, adjudication, not isinstance(setup, StartPosition))


def _from_decks(setup: MatchSetup) -> tuple[GameState, dict[str, Any]] | None:
    """Return the state before the deal, and how to deal."""
    if setup.rules.contradiction() or not all(deck.cards for deck in setup.decks):
        return None
    rules, lists = setup.rules, card_lists(setup)
    return _undealt(setup), {
        "dealt": False,
        "starting_hand": rules.starting_hand,
        "mulligan": rules.mulligan,
        "card_positions": [
            [cards.cards.index(card.name) for card in deck.cards]
            for deck, cards in zip(setup.decks, lists, strict=True)
        ],
        "different_cards": [len(cards.cards) for cards in lists],
    }


def _from_position(state: GameState) -> tuple[GameState, dict[str, Any]] | None:
    """Return the state from which a match starts; the match runner plays one that starts with the mulligan."""
    if state.turn < 1:
        return None
    return state, {
        "dealt": True,
        "starting_hand": (0, 0),
        "mulligan": False,
        "card_positions": ((), ()),
        "different_cards": (0, 0),
    }


def _cards(player: Player) -> list[Card]:
    """Return the cards of a player in all zones."""
    others = [player.weapon.card] if player.weapon else []
    others += [player.power] if player.power else []
    return [*others, *(minion.card for minion in player.board), *(held.card for held in (*player.hand, *player.deck))]


def _resign_options(resign: Resign | None) -> dict[str, int]:
    """Return how many turns to wait, and the values of a state from which the estimate counts for each player.

    The engine compares integers, so that it never differs from the match runner by a rounding error.
    """
    if resign is None:
        return {"resign_turns": 0, "winning_value": 0, "losing_value": 0}
    values, score = range(-CERTAIN_VALUE, CERTAIN_VALUE + 1), resign.score
    winning = next((value for value in values if win_share(value) >= score), _NEVER)
    losing = next((value for value in reversed(values) if 1 - win_share(value) >= score), -_NEVER)
    return {"resign_turns": resign.turns, "winning_value": winning, "losing_value": losing}


def _undealt(setup: MatchSetup) -> GameState:
    """Return the state before the deal: all cards are in their decks, and the coin waits in the second hand."""
    coin = (in_hand("p2.coin", catalogue.standard()[COIN]),) if setup.rules.coin else ()
    first, second = (undealt_player(deck, seat, setup.rules) for seat, deck in enumerate(setup.decks))
    return GameState(first, second._replace(hand=coin), setup.rules, turn=0)


def _describe(agent: AgentDescription, value_scale: int) -> dict[str, Any] | None:
    """Return the agent as the engine reads it, or None if the engine cannot play it."""
    if agent.is_user_code:
        return None
    weights, options = agent.weights, agent.options
    if weights is None:
        if agent.agent not in ("random", "greedy"):
            return None
        return {"kind": _AGENTS.index(agent.agent), "mulligan_cost": Weights.mulligan_cost}
    if options.formulation not in _FORMULATIONS:
        return None
    if options.solver != AUTO or options.time_limit is not None or options.ahead is not None or options.k != 1:
        return None
    assert isinstance(weights, Weights)
    win_weights = weights
    if weights.take_lethal:
        from planner.games.hearthstone.turn.turn_plan import win_first  # noqa: PLC0415  (the solvers take a while to load)

        win_weights = win_first(weights)
    return {
        "kind": _AGENTS.index("planner"),
        "mulligan_cost": weights.mulligan_cost,
        "formulation": _FORMULATIONS.index(options.formulation),
        "weights": signed_weights(weights, value_scale),
        "take_lethal": weights.take_lethal,
        "win_weights": signed_weights(win_weights, value_scale),
        "rules": hard_rules(weights),
        "effort": options.effort or 0,
    }
