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


def derive_seed(seed: int, *parts: object) -> int:
    """A seed for the part of the match that the words name: the same in every process and on every machine."""
    text = "/".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


ACTION_LIMIT: Final = 1000  # in one turn: a card that comes back for nothing could be played for ever
NOBODY: Final = -1


@dataclass(frozen=True)
class TimeLimits:
    """Seconds on the wall clock that an agent has; None: as long as it likes."""

    move_time: float | None = None  # for one decision
    game_time: float | None = None  # for all of its decisions in a match
    # where it is a user's own: to import its module, and again for its constructor; None: half a minute
    start_time: float | None = field(default=None, metadata=OMIT_DEFAULT_FROM_DIGEST)


def no_decision(seconds: float) -> str:
    """The reason of a loss by time: the limit, not what was measured, so that the same match has the same words."""
    return f"time: no decision within {seconds:g} s"


def play_match(
    agents: Sequence[Agent | str],
    setup: Any,
    seed: int,
    of: AnyGame | str = DEFAULT,
    digests: bool = False,
    limits: TimeLimits = TimeLimits(),  # noqa: B008  (frozen)
    on_ask: Callable[[int, int], None] = lambda _seat, _turn: None,
) -> MatchRecord:
    """Play from the deal to the outcome. The seed decides all of it: deal, chance, and the named agents.

    `setup` is what the game `of` this name starts from. An agent given by name is made here with a seed of its own; by
    seat, the first moves first. A record that shall become a log needs `digests`, the fingerprints of all states: they
    cost ten times as much as the match itself. `on_ask` is told whose decision begins, and `NOBODY` when it has been
    made, with the turn: a watchdog wants to know.
    """
    of = load_game(of) if isinstance(of, str) else of
    initial = deal(of, setup, seed)
    if len(agents) != of.seats(initial):
        raise PlannerError(f"agents: {len(agents)}, but {of.seats(initial)} play this match")
    players: list[Agent] = []
    with ExitStack() as programs:
        for seat, agent in enumerate(agents):
            player = make_agent(agent, agent_seed(seed, seat), of) if isinstance(agent, str) else agent
            players.append(player)
            if isinstance(agent, str) and isinstance(player, CommandAgent):
                programs.callback(player.close)
        driver = _Driver(of, players, initial, chance(seed), digests, limits, on_ask)
        end = driver.run()
    return MatchRecord(
        game=of,
        agents=tuple(player.name for player in players),
        setup=setup,
        seed=seed,
        initial=initial,
        start=digest(of, initial) if digests else "",
        turns=tuple(driver.turns),
        outcome=end,
        final=driver.state,
        states=tuple(driver.states),
    )


def deal(of: AnyGame, setup: Any, seed: int) -> Any:
    """The first state of the match with this seed."""
    return of.start(setup, Random(derive_seed(seed, "shuffle")))


def agent_seed(seed: int, seat: int) -> int:
    """What `play_match` hands to the named agent in this seat."""
    return derive_seed(seed, "agent", seat)


def chance(seed: int) -> Random:
    """The generator of what chance decides after the deal: a log names the seed, so a replay has the same luck."""
    return Random(derive_seed(seed, "chance"))


def forfeit(seat: int, seats: int, reason: str, turn: int) -> Outcome:
    """The outcome where the agent in this seat has lost by its own doing, in this turn: the others win."""
    points = tuple(0.0 if place == seat else 1.0 for place in range(seats))
    return Outcome(points, stable_message(reason)[:200], -(-turn // seats))


class _ForfeitError(Exception):
    """The agent in this seat has lost by its own doing."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.seat, self.reason = seat, reason


class _Driver:
    """The loop, and what it has seen so far; a forfeit may end it anywhere."""

    def __init__(
        self,
        of: AnyGame,
        agents: Sequence[Agent],
        initial: Any,
        rng: Random,
        digests: bool,
        limits: TimeLimits,
        on_ask: Callable[[int, int], None],
    ) -> None:
        self.game = of
        self.agents = agents
        self.state = initial
        self.rng = rng
        self.digests = digests
        self.limits = limits
        self.on_ask = on_ask
        self.used = [0.0] * len(agents)  # seconds, by seat
        self.turns: list[RecordedTurn] = []
        self.states: list[Any] = []  # before each move that was made

    def run(self) -> Outcome:
        try:
            while (end := self.game.outcome(self.state)) is None:
                self._turn()
        except _ForfeitError as lost:
            return forfeit(lost.seat, len(self.agents), lost.reason, self.game.turn(self.state))
        return end

    def _ask(self, seat: int, decide: Callable[[Any], Any], view: Any, turn: int) -> tuple[Any, float]:
        """The agent's answer, and how long it took."""
        self.on_ask(seat, turn)
        begin = perf_counter()
        try:
            answer = decide(view)
        except AgentLostError as lost:
            raise _ForfeitError(seat, str(lost)) from lost
        except (Exception, SystemExit) as error:
            raise _ForfeitError(seat, f"crash: {type(error).__name__}: {error}".rstrip(": ")) from error
        seconds = perf_counter() - begin
        self.on_ask(NOBODY, turn)
        self.used[seat] += seconds
        move_time, game_time = self.limits.move_time, self.limits.game_time
        if move_time is not None and seconds > move_time:
            raise _ForfeitError(seat, no_decision(move_time))
        if game_time is not None and self.used[seat] > game_time:
            raise _ForfeitError(seat, f"time: more than {game_time:g} s in one game")
        return answer, seconds

    def _turn(self) -> None:
        """The moves of one turn; those before a forfeit count."""
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
                if problem is not None or len(moves) >= ACTION_LIMIT:
                    problem = problem or f"no end of the turn after {ACTION_LIMIT} actions"
                    raise _ForfeitError(seat, f"illegal action: {problem}")
                self.states.append(state)
                self.state = state = game.apply(state, action, rng)
                thought = getattr(agent, "planned", True)  # those who do not say think every time
                moves.append(RecordedMove(action, digest(game, state) if self.digests else "", seconds, thought))
        finally:
            self.turns.append(RecordedTurn(number, seat, tuple(moves)))
