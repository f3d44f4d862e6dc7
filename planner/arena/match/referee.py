"""Play one refereed match: an agent that breaks the rules, crashes or runs out of time loses."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from time import perf_counter
from typing import Any, Final

from planner.agents.agent_spec import make_agent
from planner.agents.user_agents import AgentLostError, CommandAgent
from planner.arena.match.record import MatchRecord, RecordedMove, RecordedTurn, digest
from planner.errors import PlannerError, stable_message
from planner.game import OMIT_DEFAULT_FROM_DIGEST, Agent, AnyGame, Outcome
from planner.games import DEFAULT, load_game
from planner.user_code import located_error

MAX_TURN_ACTIONS: Final = 1000  # a card that costs nothing and returns to the hand could be played for ever
NO_SEAT: Final = -1
FORFEITS: Final = ("crash", "illegal action", "time")  # reasons that the referee adds to those of the game


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
) -> MatchRecord:
    """Play a match from the deal to the outcome. The seed decides the deal, all chance events and the named agents.

    `setup` is what this game starts from. `agents` are listed by seat; seat 0 moves first. An agent given by name is
    created here with its own seed. `digests` adds the fingerprints of all states, which a log needs and which take ten
    times as long as the match itself. `on_decision` is called with the seat and the turn before every decision, and
    with `NO_SEAT` after it.
    """
    game = load_game(game) if isinstance(game, str) else game
    initial = deal(game, setup, seed)
    if len(agents) != game.seats(initial):
        raise PlannerError(f"agents: this match has {game.seats(initial)} seats, got {len(agents)} agents")
    players: list[Agent] = []
    with ExitStack() as programs:
        for seat, agent in enumerate(agents):
            player = make_agent(agent, agent_seed(seed, seat), game) if isinstance(agent, str) else agent
            players.append(player)
            if isinstance(agent, str) and isinstance(player, CommandAgent):
                programs.callback(player.close)
        driver = _Driver(game, players, initial, chance(seed), digests, limits, on_decision)
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
    return game.start(setup, Random(derive_seed(seed, "shuffle")))


def agent_seed(seed: int, seat: int) -> int:
    """Return the seed of a named agent in this seat."""
    return derive_seed(seed, "agent", seat)


def chance(seed: int) -> Random:
    """Return the generator of all chance events after the deal. A log stores the seed, so a replay is identical."""
    return Random(derive_seed(seed, "chance"))


# -- playing


def forfeit(seat: int, seats: int, reason: str, turn: int) -> Outcome:
    """Return the outcome when the agent in this seat forfeits in this turn: all others win."""
    points = tuple(0.0 if other == seat else 1.0 for other in range(seats))
    return Outcome(points, stable_message(reason)[:200], -(-turn // seats))


def is_forfeit(reason: str) -> bool:
    """Return whether a match that ended for this reason was forfeited; it says little about strength."""
    return reason.partition(":")[0] in FORFEITS


class _ForfeitError(Exception):
    """The agent in this seat has forfeited the match."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.seat, self.reason = seat, reason


class _Driver:
    """The loop over turns. A forfeit can end it at any point; the moves before it are kept."""

    def __init__(
        self,
        game: AnyGame,
        agents: Sequence[Agent],
        initial: Any,
        rng: Random,
        digests: bool,
        limits: TimeLimits,
        on_decision: Callable[[int, int], None],
    ) -> None:
        self.game = game
        self.agents = agents
        self.state = initial
        self.rng = rng
        self.digests = digests
        self.limits = limits
        self.on_decision = on_decision
        self.used = [0.0] * len(agents)  # seconds, by seat
        self.turns: list[RecordedTurn] = []
        self.states: list[Any] = []  # before each move

    def run(self) -> Outcome:
        try:
            while (outcome := self.game.outcome(self.state)) is None:
                self._play_turn()
        except _ForfeitError as lost:
            return forfeit(lost.seat, len(self.agents), lost.reason, self.game.turn(self.state))
        return outcome

    def _ask(self, seat: int, decide: Callable[[Any], Any], view: Any, turn: int) -> tuple[Any, float]:
        """Return the agent's action and the seconds it took."""
        self.on_decision(seat, turn)
        begin = perf_counter()
        try:
            action = decide(view)
        except AgentLostError as lost:
            raise _ForfeitError(seat, str(lost)) from lost
        except (Exception, SystemExit) as error:
            raise _ForfeitError(seat, f"crash: {located_error(error)}") from error
        seconds = perf_counter() - begin
        self.on_decision(NO_SEAT, turn)
        self.used[seat] += seconds
        move_time, game_time = self.limits.move_time, self.limits.game_time
        if move_time is not None and seconds > move_time:
            raise _ForfeitError(seat, no_decision(move_time))
        if game_time is not None and self.used[seat] > game_time:
            raise _ForfeitError(seat, f"time: more than {game_time:g} s in one game")
        return action, seconds

    def _play_turn(self) -> None:
        state, rng, game = self.state, self.rng, self.game
        turn, to_move, outcome, observe, illegal_reason = (
            game.turn,
            game.to_move,
            game.outcome,
            game.observe,
            game.illegal_reason,
        )
        number, seat = turn(state), to_move(state)
        agent = self.agents[seat]
        decide = agent.decide
        moves: list[RecordedMove] = []
        try:
            while turn(state) == number and to_move(state) == seat and outcome(state) is None:
                action, seconds = self._ask(seat, decide, observe(state, seat), number)
                problem = illegal_reason(state, action)
                if problem is not None or len(moves) >= MAX_TURN_ACTIONS:
                    problem = problem or f"no end of the turn after {MAX_TURN_ACTIONS} actions"
                    raise _ForfeitError(seat, f"illegal action: {problem}")
                self.states.append(state)
                self.state = state = game.apply(state, action, rng)
                thought = getattr(agent, "planned", True)  # an agent without this attribute thinks every time
                moves.append(RecordedMove(action, digest(game, state) if self.digests else "", seconds, thought))
        finally:
            self.turns.append(RecordedTurn(number, seat, tuple(moves)))
