"""A match in which a person plays one seat: the rules check every action, and the match becomes a log."""

from __future__ import annotations

from typing import Any, Final

from planner.arena.match.record import MatchRecord, RecordedMove, RecordedTurn, digest
from planner.arena.match.referee import chance, deal, derive_seed, forfeit
from planner.errors import PlannerError
from planner.game import AnyGame, Outcome
from planner.games.hearthstone.rules.actions import Mulligan, Trade
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state import GameState

YOU: Final = "you"
UNFINISHED: Final = "time: the log was saved before the end"  # such a match counts as lost on time
MAX_ACTIONS: Final = 3000  # of one match: a visitor must not fill the server's memory


class HumanMatch:
    """A match between a person and an agent, or of a person alone."""

    def __init__(self, game: AnyGame, setup: Any, seat: int, agent: str, seed: int) -> None:
        self.game, self.setup, self.seat, self.agent, self.seed = game, setup, seat, agent, seed
        self._initial = self.state = deal(game, setup, seed)
        self._chance = chance(seed)
        self._moves: list[tuple[int, int, RecordedMove]] = []  # turn, seat, move

    @property
    def outcome(self) -> Outcome | None:
        """Return how the match ended, or None while it runs."""
        return self.game.outcome(self.state)

    @property
    def is_my_turn(self) -> bool:
        """Return whether the person has to decide."""
        return self.outcome is None and self.game.to_move(self.state) == self.seat

    def observed(self, seat: int) -> Any:
        """Return the state as this seat sees it."""
        return self.game.observe(self.state, seat)

    def view(self) -> GameState:
        """Return the table from the person's side, also while the agent is to move."""
        state = observe(self.state, self.seat)
        return state if state.seat == self.seat else state._replace(me=state.enemy, enemy=state.me, seat=self.seat)

    def agent_seed(self) -> int:
        """Return the seed of the agent's next decision, which depends only on the match's seed."""
        return derive_seed(self.seed, "agent", 1 - self.seat, len(self._moves))

    def act(self, action: Any) -> str:
        """Apply an action and describe what the person sees of it; an illegal one raises a PlannerError."""
        game, before = self.game, self.state
        if self.outcome is not None:
            raise PlannerError("the match is over")
        if (reason := game.illegal_reason(before, action)) is not None:
            raise PlannerError(reason)
        if len(self._moves) >= MAX_ACTIONS:
            raise PlannerError(f"this match has reached the limit of {MAX_ACTIONS} actions")
        turn, seat = game.turn(before), game.to_move(before)
        self.state = game.apply(before, action, self._chance)
        self._moves.append((turn, seat, RecordedMove(action, digest(game, self.state))))
        after = self.state if game.to_move(self.state) == seat else None
        if seat == self.seat:
            return game.describe_action(before, action, after)
        if isinstance(action, Mulligan | Trade):
            return _hidden_exchange(action)
        # Cards that the opponent draws stay hidden.
        return game.describe_action(game.observe(before, seat) if after is not None else before, action, None)

    def record(self) -> MatchRecord:
        """Return the match so far as a log contains it."""
        game, turns = self.game, list[RecordedTurn]()
        for turn, seat, move in self._moves:
            if turns and (turns[-1].number, turns[-1].seat) == (turn, seat):
                turns[-1] = turns[-1]._replace(moves=(*turns[-1].moves, move))
            else:
                turns.append(RecordedTurn(turn, seat, (move,)))
        outcome = self.outcome
        if outcome is None:
            seats = game.seats(self.state)
            outcome = forfeit(game.to_move(self.state), seats, UNFINISHED, game.turn(self.state))
        agents = [self.agent] * game.seats(self.state)
        agents[self.seat] = YOU
        return MatchRecord(
            game,
            tuple(agents),
            self.setup,
            self.seed,
            self._initial,
            digest(game, self._initial),
            tuple(turns),
            outcome,
            self.state,
        )


def _hidden_exchange(action: Mulligan | Trade) -> str:
    """Describe cards that the opponent exchanges without showing them."""
    if isinstance(action, Trade):
        return "trades a card"
    count = len(action.cards)
    return f"replaces {count} card{'' if count == 1 else 's'}" if count else "keeps the starting hand"
