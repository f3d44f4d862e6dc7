"""A match in which one seat is a person's: the referee decides, and what was played becomes a log."""

from __future__ import annotations

from typing import Any, Final

from planner.arena.match.record import MatchRecord, RecordedMove, RecordedTurn, digest
from planner.arena.match.referee import chance, deal, derive_seed, forfeit
from planner.errors import PlannerError
from planner.game import AnyGame, Outcome
from planner.games.hearthstone.rules.actions import Mulligan, Trade
from planner.games.hearthstone.rules.match import observe
from planner.games.hearthstone.rules.state import GameState

YOU: Final = "you"
LEFT: Final = "time: the log was saved before the end"  # a match that was not played to its end is lost by the clock
PICTURE: Final = 88  # signs in a line of a game's own picture: as many as a page has room for
MOST_ACTIONS: Final = 3000  # of one match: a visitor is no reason to keep more


class Sitting:
    """A match between a person and an agent, or of a person alone."""

    def __init__(self, of: AnyGame, setup: Any, seat: int, agent: str, seed: int) -> None:
        self.game, self.setup, self.seat, self.agent, self.seed = of, setup, seat, agent, seed
        self._initial = self.state = deal(of, setup, seed)
        self._chance = chance(seed)
        self._moves: list[tuple[int, int, RecordedMove]] = []  # turn, seat, move

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, once it has."""
        return self.game.outcome(self.state)

    @property
    def mine(self) -> bool:
        """Is it the person's decision?"""
        return self.outcome is None and self.game.to_move(self.state) == self.seat

    def seen(self, seat: int) -> Any:
        """The state as this seat sees it."""
        return self.game.observe(self.state, seat)

    def view(self) -> GameState:
        """This game's table from the person's side, also while the other one is to move."""
        seen = observe(self.state, self.seat)
        return seen if seen.seat == self.seat else seen._replace(me=seen.enemy, enemy=seen.me, seat=self.seat)

    def agent_seed(self) -> int:
        """For the agent's next decision: the same match has the same luck."""
        return derive_seed(self.seed, "agent", 1 - self.seat, len(self._moves))

    def act(self, action: Any) -> str:
        """Carry an action out, and say what came of it; what is not legal is refused with the reason."""
        game, before = self.game, self.state
        if self.outcome is not None:
            raise PlannerError("the match is over")
        if (reason := game.illegal_reason(before, action)) is not None:
            raise PlannerError(reason)
        if len(self._moves) >= MOST_ACTIONS:
            raise PlannerError(f"this match has had {MOST_ACTIONS} actions, which is enough")
        turn, seat = game.turn(before), game.to_move(before)
        # What the person sees of it: a card that the other one draws stays covered.
        self.state = game.apply(before, action, self._chance)
        self._moves.append((turn, seat, RecordedMove(action, digest(game, self.state))))
        after = self.state if game.to_move(self.state) == seat else None
        hidden = seat != self.seat and after is not None
        if seat != self.seat and isinstance(action, Mulligan | Trade):
            return _covered(action)
        return game.describe_action(
            *((game.observe(before, seat), action, None) if hidden else (before, action, after))
        )

    def record(self) -> MatchRecord:
        """The match so far as a log has it."""
        game, turns = self.game, list[RecordedTurn]()
        for turn, seat, move in self._moves:
            if turns and (turns[-1].number, turns[-1].seat) == (turn, seat):
                turns[-1] = turns[-1]._replace(moves=(*turns[-1].moves, move))
            else:
                turns.append(RecordedTurn(turn, seat, (move,)))
        end = self.outcome
        if end is None:
            seats = game.seats(self.state)
            end = forfeit(game.to_move(self.state), seats, LEFT, game.turn(self.state))
        agents = [self.agent] * game.seats(self.state)
        agents[self.seat] = YOU
        return MatchRecord(
            game, tuple(agents), self.setup, self.seed, self._initial, digest(game, self._initial), tuple(turns), end,
            self.state,
        )  # fmt: skip


def _covered(action: Mulligan | Trade) -> str:
    """What the one who sits opposite sees of cards that go back unseen."""
    if isinstance(action, Trade):
        return "trades a card"
    count = len(action.cards)
    return f"puts {count} card{'' if count == 1 else 's'} back" if count else "keeps the starting hand"
