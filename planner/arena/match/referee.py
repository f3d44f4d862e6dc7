"""Play one refereed match: an agent that breaks the rules, crashes or runs out of time forfeits.

With one or two seats a forfeit ends the match. With more seats the others play on: the seat continues with the game's
default action and is ranked last. The match also ends when only one seat has not forfeited.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from time import perf_counter
from typing import Any, Final

from planner.agents.agent_spec import make_agent, running
from planner.agents.user_agents import AgentLostError
from planner.arena.match.record import Forfeit, MatchRecord, RecordedMove, RecordedTurn, digest
from planner.errors import PlannerError, stable_message
from planner.game import OMIT_DEFAULT_FROM_DIGEST, Agent, AnyGame, Outcome
from planner.games import DEFAULT, load_game
from planner.match_options import Adjudication, Adjudicator, begin
from planner.user_code import located_error

MAX_TURN_ACTIONS: Final = 1000  # a card that costs nothing and returns to the hand could be played for ever
NO_SEAT: Final = -1
FORFEITS: Final = ("crash", "illegal action", "time")  # reasons that the referee adds to those of the game
# Reasons of matches between people that the rules did not end: a player left or ran out of time; play did not go on.
LEFT, UNTERMINATED = "forfeit", "unterminated"


@dataclass(frozen=True)
class TimeLimits:
    """Limits in seconds of wall-clock time; None means no limit."""

    move_time: float | None = None  # for one decision
    game_time: float | None = None  # for all decisions of one agent in a match
    # For user agents: to import the module, and again for the constructor. None means 30 seconds.
    start_time: float | None = field(default=None, metadata=OMIT_DEFAULT_FROM_DIGEST)


def no_decision(seconds: float) -> str:
    """Return the reason of a loss on time. It names the limit, not the measured time, so that it is reproducible."""
    return f"time: no decision within {seconds:g} s"


def play_match(
    agents: Sequence[Agent | str],
    setup: Any,
    seed: int,
    game: AnyGame | str = DEFAULT,
    digests: bool = False,
    limits: TimeLimits = TimeLimits(),  # noqa: B008  (frozen)
    on_decision: Callable[[int, int], None] = lambda _seat, _turn: None,
    adjudication: Adjudication = Adjudication(),  # noqa: B008  (frozen)
) -> MatchRecord:
    """Play a match from the deal to the outcome. The seed decides the deal, all chance events and the named agents.

    `setup` is what this game starts from, or a `StartPosition`. `agents` are listed by seat; seat 0 moves first. An
    agent given by name is created here with its own seed. `digests` adds the fingerprints of all states, which a log
    needs and which take ten times as long as the match itself. `on_decision` is called with the seat and the turn
    before every decision, and with `NO_SEAT` after it. `adjudication` may end a match early.
    """
    game = load_game(game) if isinstance(game, str) else game
    initial = deal(game, setup, seed)
    if len(agents) != game.seats(initial):
        raise PlannerError(f"agents: this match needs {game.seats(initial)} agents, got {len(agents)}")
    with ExitStack() as own:
        players = [
            own.enter_context(running(make_agent(agent, agent_seed(seed, seat), game)))
            if isinstance(agent, str)
            else agent
            for seat, agent in enumerate(agents)
        ]
        adjudication.check(game, len(players))
        adjudicator = Adjudicator(game, adjudication)
        driver = _Driver(game, players, initial, chance(seed), digests, limits, on_decision, adjudicator)
        outcome = driver.run()
    return MatchRecord(
        game=game,
        agents=tuple(player.name for player in players),
        setup=setup,
        seed=seed,
        initial=initial,
        start=digest(game, initial) if digests else "",
        turns=tuple(driver.turns),
        outcome=outcome,
        forfeits=tuple(driver.forfeits) if len(players) > 2 else (),
        adjudication=adjudication,
        final=driver.state,
        states=tuple(driver.states),
    )


# -- seeds: one number decides a match, and each part of it has its own generator


def derive_seed(seed: int, *parts: object) -> int:
    """Return a seed for the part of a match or study that `parts` name; the same on every machine."""
    text = "/".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def deal(game: AnyGame, setup: Any, seed: int) -> Any:
    """Return the first state of the match with this seed."""
    return begin(game, setup, Random(_deal_seed(seed)))


def _deal_seed(seed: int) -> int:
    return derive_seed(seed, "shuffle")


def agent_seed(seed: int, seat: int) -> int:
    """Return the seed of a named agent in this seat."""
    return derive_seed(seed, "agent", seat)


def chance(seed: int) -> Random:
    """Return the generator of all chance events after the deal. A log stores the seed, so a replay is identical."""
    return Random(_chance_seed(seed))


def _chance_seed(seed: int) -> int:
    return derive_seed(seed, "chance")


def seeds_of_match(seed: int, seats: int) -> tuple[int, ...]:
    """Return the seeds of the deal, of chance and of the agent in each seat."""
    return _deal_seed(seed), _chance_seed(seed), *(agent_seed(seed, seat) for seat in range(seats))


# -- playing


def forfeit(seat: int, seats: int, reason: str, turn: int) -> Outcome:
    """Return the outcome when the agent in this seat forfeits in this turn: all others win."""
    points = tuple(0.0 if other == seat else 1.0 for other in range(seats))
    return Outcome(points, stable_message(reason)[:200], -(-turn // seats))


def rank_forfeits(ended: Outcome | None, forfeits: Sequence[Forfeit], seats: int, turn: int) -> Outcome:
    """Return the outcome of a match of more than two seats: forfeited seats come after all others, the first one last.

    `ended` is the outcome by the rules of the game, or None if the match ended in this turn because all seats but one
    had forfeited.
    """
    if not forfeits and ended is not None:
        return ended
    order = [forfeit.seat for forfeit in forfeits]
    scores = [
        (order.index(seat) - len(order), 0.0) if seat in order else (0, ended.points[seat] if ended else 1.0)
        for seat in range(seats)
    ]
    if ended is not None:
        return Outcome.ranked(scores, ended.reason, ended.rounds)
    return Outcome.ranked(scores, forfeits[-1].reason, -(-turn // seats))


def give_up(forfeits: Sequence[Forfeit], seats: int, reason: str, turn: int) -> Outcome:
    """Return the outcome of a match that people did not play to the end: who left comes last, the others are equal."""
    order = [forfeit.seat for forfeit in forfeits]
    scores = [order.index(seat) if seat in order else len(order) for seat in range(seats)]
    return Outcome.ranked(scores, reason, -(-turn // seats))


def forfeit_of(record: MatchRecord, seat: int) -> str:
    """Return why this seat forfeited the match; empty if it did not."""
    if len(record.agents) > 2:
        return next((forfeit.reason for forfeit in record.forfeits if forfeit.seat == seat), "")
    outcome = record.outcome
    return outcome.reason if is_forfeit(outcome.reason) and outcome.points[seat] == 0 else ""


def is_forfeit(reason: str) -> bool:
    """Return whether a match that ended for this reason was forfeited; it says little about strength."""
    return reason.partition(":")[0] in FORFEITS


class _ForfeitError(Exception):
    """The agent in this seat has forfeited the match."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.seat, self.reason = seat, reason


@dataclass
class _Driver:
    """The loop over turns. A forfeit can end it at any point; the moves before it are kept."""

    game: AnyGame
    agents: Sequence[Agent]
    state: Any
    rng: Random
    digests: bool
    limits: TimeLimits
    on_decision: Callable[[int, int], None]
    adjudicator: Adjudicator
    turns: list[RecordedTurn] = field(default_factory=list)
    states: list[Any] = field(default_factory=list)  # before each move
    forfeits: list[Forfeit] = field(default_factory=list)
    used: dict[int, float] = field(default_factory=dict)  # seconds, by seat

    def run(self) -> Outcome:
        outcome = None
        seats = len(self.agents)
        try:
            while outcome is None and (outcome := self.game.outcome(self.state)) is None:
                self._play_turn()
                outcome = self._adjudicate()
        except _ForfeitError as lost:
            if seats <= 2:
                return forfeit(lost.seat, seats, lost.reason, self.game.turn(self.state))
        return rank_forfeits(outcome, self.forfeits, seats, self.game.turn(self.state))

    def _adjudicate(self) -> Outcome | None:
        """Return the outcome if the match is not over, but adjudicated after the last turn."""
        number = self.turns[-1].number
        over = number < 1 or self.game.outcome(self.state) is not None
        return None if over else self.adjudicator.judge(self.state, number)

    def _lose(self, lost: _ForfeitError) -> None:
        """Let the game's default action continue for this seat, or end the match if only one other seat is left."""
        reason = stable_message(lost.reason)[:200]
        self.forfeits.append(Forfeit(lost.seat, len(self.states), reason))
        if len(self.forfeits) >= len(self.agents) - 1:
            raise lost

    def _ask(self, seat: int, turn: int) -> tuple[Any, float]:
        """Return the agent's action and the seconds it took."""
        view = self.game.observe(self.state, seat)
        self.on_decision(seat, turn)
        begin = perf_counter()
        try:
            action = self.agents[seat].decide(view)
        except AgentLostError as lost:
            raise _ForfeitError(seat, str(lost)) from lost
        except (Exception, SystemExit) as error:
            raise _ForfeitError(seat, f"crash: {located_error(error)}") from error
        seconds = perf_counter() - begin
        self.on_decision(NO_SEAT, turn)
        self.used[seat] = self.used.get(seat, 0.0) + seconds
        move_time, game_time = self.limits.move_time, self.limits.game_time
        if move_time is not None and seconds > move_time:
            raise _ForfeitError(seat, no_decision(move_time))
        if game_time is not None and self.used[seat] > game_time:
            raise _ForfeitError(seat, f"time: more than {game_time:g} s in one game")
        return action, seconds

    def _play_turn(self) -> None:
        state, game = self.state, self.game
        number, owner = game.turn(state), game.to_move(state)
        moves: list[RecordedMove] = []
        left = [MAX_TURN_ACTIONS] * len(self.agents)  # actions that each seat may still make in this turn
        try:
            while game.turn(state) == number and game.outcome(state) is None:
                seat = game.to_move(state)
                if seat != owner and number == 0:
                    break  # before the first turn, each seat's decisions are recorded separately
                agent, is_forfeited = self.agents[seat], any(seat == forfeit.seat for forfeit in self.forfeits)
                try:
                    if is_forfeited:
                        action, seconds = game.default_action(game.observe(state, seat)), 0.0
                    else:
                        action, seconds = self._ask(seat, number)
                    problem = game.illegal_reason(state, action)
                    if problem is not None or not left[seat]:
                        problem = problem or f"no end of the turn after {MAX_TURN_ACTIONS} actions"
                        raise _ForfeitError(seat, f"illegal action: {problem}")
                except _ForfeitError as lost:
                    if is_forfeited:
                        raise PlannerError(f"{game.name}: default_action: {lost.reason}") from lost
                    self._lose(lost)
                    left[seat] = MAX_TURN_ACTIONS
                    continue
                left[seat] -= 1
                self.states.append(state)
                self.state = state = game.apply(state, action, self.rng)
                # An agent without this attribute thinks every time.
                thought = not is_forfeited and getattr(agent, "planned", True)
                text = digest(game, state) if self.digests else ""
                moves.append(RecordedMove(action, text, seconds, thought, None if seat == owner else seat))
        finally:
            self.turns.append(RecordedTurn(number, owner, tuple(moves)))
