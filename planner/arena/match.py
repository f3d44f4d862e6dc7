"""One match between two agents, refereed: who breaks the rules, or breaks, loses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from time import perf_counter
from typing import Final, TypeVar

from planner.agents.base import Agent
from planner.agents.registry import make_agent
from planner.arena.record import MatchRecord, Move, Turn, digest
from planner.arena.seeds import derive_seed
from planner.files import PlannerError, show
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Play, Trade
from planner.games.hearthstone.rules.legal import verify
from planner.games.hearthstone.rules.match import Outcome, mulligan, observe, outcome, start_match
from planner.games.hearthstone.rules.resolve import apply_verified
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState

ACTION_LIMIT: Final = 1000  # in one turn: a card that comes back for nothing could be played for ever
ACTIONS: Final = (Attack, EndTurn, HeroPower, Play, Trade)
NOBODY: Final = -1
_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Limits:
    """Seconds on the wall clock that an agent has; None: as long as it likes."""

    move_time: float | None = None  # for one decision
    game_time: float | None = None  # for all of its decisions in a match


class AgentLostError(Exception):
    """Raised by an agent that stands for another one: it has lost, and the message is the reason."""


def no_decision(seconds: float) -> str:
    """The reason of a loss by time: the limit, not what was measured, so that the same match has the same words."""
    return f"time: no decision within {seconds:g} s"


def play_match(
    agents: tuple[Agent | str, Agent | str],
    decks: tuple[Deck, Deck],
    rules: Ruleset,
    seed: int,
    digests: bool = False,
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    on_ask: Callable[[int, int], None] = lambda _seat, _turn: None,
) -> MatchRecord:
    """Play from the shuffle to the outcome. The seed decides all of it: shuffle, chance, and the named agents.

    An agent given by name is made here with a seed of its own; the first moves first. A record that shall become
    a log needs `digests`, the fingerprints of all states: they cost ten times as much as the match itself.
    `on_ask` is told whose decision begins, and `NOBODY` when it has been made, with the turn: a watchdog wants
    to know.
    """
    first, second = (
        make_agent(agent, agent_seed(seed, seat)) if isinstance(agent, str) else agent
        for seat, agent in enumerate(agents)
    )
    initial = start_match(decks, rules, Random(derive_seed(seed, "shuffle")))
    driver = _Driver((first, second), initial, chance(seed), digests, limits, on_ask)
    end = driver.run()
    return MatchRecord(
        agents=(first.name, second.name),
        decks=(decks[0].name, decks[1].name),
        seed=seed,
        initial=initial,
        mulligans=tuple(driver.mulligans),
        start=driver.start,
        turns=tuple(driver.turns),
        outcome=end,
        rounds=rounds_played(driver.state),
    )


def agent_seed(seed: int, seat: int) -> int:
    """What `play_match` hands to the named agent in this seat."""
    return derive_seed(seed, "agent", seat)


def chance(seed: int) -> Random:
    """The generator of what chance decides after the deal: a log names the seed, so a replay has the same luck."""
    return Random(derive_seed(seed, "chance"))


def rounds_played(state: GameState) -> int:
    """Rounds that were begun; the turn after the last one that the rules allow was not."""
    return (min(state.turn, state.rules.turn_limit) + 1) // 2


def mulligan_view(state: GameState, seat: int) -> GameState:
    """The deal as the player in this seat sees it: `me` is always the one who is asked."""
    if seat != state.seat:
        state = state._replace(me=state.enemy, enemy=state.me, seat=seat)
    return observe(state, seat)


class _ForfeitError(Exception):
    """The agent in this seat has lost by its own doing."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.outcome = Outcome(1 - seat, " ".join(reason.split())[:200])


def _crash(seat: int, error: BaseException) -> _ForfeitError:
    return _ForfeitError(seat, f"crash: {type(error).__name__}: {error}".rstrip(": "))


class _Driver:
    """The loop, and what it has seen so far; a forfeit may end it anywhere."""

    def __init__(
        self,
        agents: tuple[Agent, Agent],
        initial: GameState,
        rng: Random,
        digests: bool,
        limits: Limits,
        on_ask: Callable[[int, int], None],
    ) -> None:
        self.agents = agents
        self.state = initial
        self.rng = rng
        self.digests = digests
        self.limits = limits
        self.on_ask = on_ask
        self.used = [0.0, 0.0]  # seconds, by seat
        self.mulligans: list[tuple[str, ...]] = []
        self.start = ""
        self.turns: list[Turn] = []

    def run(self) -> Outcome:
        try:
            self._mulligans()
            self.start = self._digest()
            end = outcome(self.state)
            while end is None:
                self._turn()
                end = outcome(self.state)
        except _ForfeitError as forfeit:
            self.start = self.start or self._digest()
            return forfeit.outcome
        return end

    def _digest(self) -> str:
        return digest(self.state) if self.digests else ""

    def _mulligans(self) -> None:
        if not self.state.rules.mulligan:
            return
        for seat in (0, 1):
            replaced, _ = self._ask(seat, partial(_replaced, self.agents[seat]), mulligan_view(self.state, seat))
            if not all(isinstance(name, str) for name in replaced):
                raise _ForfeitError(seat, f"illegal action: mulligan: {show(replaced)} is not a list of ids")
            try:
                self.state = mulligan(self.state, seat, replaced, self.rng)
            except PlannerError as error:
                raise _ForfeitError(seat, f"illegal action: {error}") from None
            self.mulligans.append(replaced)

    def _ask(
        self, seat: int, question: Callable[[GameState], _Answer], view: GameState
    ) -> tuple[_Answer, float]:
        """The agent's answer, and how long it took."""
        self.on_ask(seat, view.turn)
        begin = perf_counter()
        try:
            answer = question(view)
        except AgentLostError as lost:
            raise _ForfeitError(seat, str(lost)) from lost
        except (Exception, SystemExit) as error:
            raise _crash(seat, error) from error
        seconds = perf_counter() - begin
        self.on_ask(NOBODY, view.turn)
        self.used[seat] += seconds
        move_time, game_time = self.limits.move_time, self.limits.game_time
        if move_time is not None and seconds > move_time:
            raise _ForfeitError(seat, no_decision(move_time))
        if game_time is not None and self.used[seat] > game_time:
            raise _ForfeitError(seat, f"time: more than {game_time:g} s in one game")
        return answer, seconds

    def _turn(self) -> None:
        """The moves of one turn; those before a forfeit count."""
        state, rng = self.state, self.rng
        number, seat = state.turn, state.seat
        agent = self.agents[seat]
        moves: list[Move] = []
        try:
            while state.turn == number and outcome(state) is None:
                action, seconds = self._ask(seat, agent.decide, observe(state, seat))
                problem = _problem(state, action)
                if problem is not None or len(moves) >= ACTION_LIMIT:
                    problem = problem or f"no end of the turn after {ACTION_LIMIT} actions"
                    raise _ForfeitError(seat, f"illegal action: {problem}")
                self.state = state = apply_verified(state, action, rng)
                moves.append(Move(action, self._digest(), seconds))
        finally:
            self.turns.append(Turn(number, seat, tuple(moves)))


def _replaced(agent: Agent, view: GameState) -> tuple[str, ...]:
    return tuple(agent.mulligan(view))  # a generator works here, within what is timed and may crash


def _problem(state: GameState, action: Action) -> str | None:
    """Why the referee refuses; an agent can return anything at all."""
    if type(action) not in ACTIONS:
        return f"{show(action)} is not an action"
    return verify(state, action)
