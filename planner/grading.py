"""Grade an agent: the points that its turns lose against the proved best ones, over a fixed set of states.

The states come with the package, as `experiments/states/grade_GAME_VERSION.txt`: grades are comparable only on the same
set. The agent plays one turn from each state; the game's `regret` compares it with the best turn by a profile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from planner.agents.agent_spec import AgentSpec, running
from planner.errors import PlannerError
from planner.formats.documents import shipped_folder
from planner.game import Agent, AnyGame, require
from planner.planning.capabilities import JudgesTurns
from planner.planning.plan import Regret
from planner.stats.intervals import Interval, mean_interval
from planner.user_code import short_error

VERSION: Final = 1  # of the shipped sets; another set of states gets another number
MAX_ACTIONS: Final = 200  # in one turn
FAILED: Final = "crash or illegal action"
MISSED_LETHAL: Final = "missed lethal"
TOO_FEW: Final = "too few actions"
ORDER: Final = "wrong order"
_TOLERANCE: Final = 1e-9  # of a score


@dataclass(frozen=True)
class GradedTurn:
    """One state of the set: the points that the agent's turn lost, and the kind of mistake, if any."""

    lost: float
    mistake: str | None


@dataclass(frozen=True)
class Grade:
    """The grade of one agent."""

    agent: str
    game: str
    states: str  # the name of the set
    profile: str
    turns: tuple[GradedTurn, ...]
    estimates: int = 0  # turns that used what they revealed, or whose best turn is not proved; they count 0 at least
    problems: tuple[str, ...] = field(default=(), compare=False)

    @property
    def points_lost(self) -> Interval:
        """The points lost per turn, with Student's interval."""
        return mean_interval([turn.lost for turn in self.turns])

    @property
    def mistakes(self) -> dict[str, tuple[int, float]]:
        """By kind of mistake: how many turns, and the points that they lost per turn of the set; most points first."""
        count = Counter(turn.mistake for turn in self.turns if turn.mistake is not None)
        lost = {kind: sum(turn.lost for turn in self.turns if turn.mistake == kind) for kind in count}
        order = sorted(count, key=lambda kind: (-lost[kind], kind))
        return {kind: (count[kind], lost[kind] / len(self.turns)) for kind in order}

    def to_dict(self) -> dict[str, Any]:
        """Return the grade as JSON values."""
        lost_mean, *ends = self.points_lost
        return {
            "agent": self.agent,
            "game": self.game,
            "states": self.states,
            "profile": self.profile,
            "turns": len(self.turns),
            "points_lost": round(lost_mean, 6),
            "interval": [round(end, 6) for end in ends] if len(self.turns) > 1 else None,
            "best_turns": sum(turn.mistake is None for turn in self.turns),
            "estimates": self.estimates,
            "mistakes": {
                kind: {"turns": count, "points_lost": round(lost, 6)} for kind, (count, lost) in self.mistakes.items()
            },
            "problems": list(self.problems),
        }


def shipped_states(game: AnyGame) -> Path:
    """Return the file of the states on which agents of this game are graded."""
    path = shipped_folder("experiments") / "states" / f"grade_{game.name}_{VERSION}.txt"
    if not path.exists():
        raise PlannerError(f"--states: is required for {game.name}: a file with one state in each line")
    return path


def grade_agent(
    agent: AgentSpec,
    game: AnyGame,
    states: Sequence[Any],
    set_name: str,
    weights: Any,
    seed: int = 1,
) -> Grade:
    """Let an agent play one turn from each state, and a new one from the next."""
    judging = require(game, JudgesTurns, "grading")
    turns, estimates, problems, name = [], 0, list[str](), ""
    for index, state in enumerate(states):
        with running(agent.make(game, seed * len(states) + index)) as player:
            name = player.name
            actions, problem = _play_turn(game, player, state, Random(index))
        if problem is not None:
            problems.append(f"state {index + 1}: {problem}")
        regret = judging.regret(state, actions, Random(index), weights)
        estimates += regret.estimate is not None
        # A missed win counts by the weight of the kill: the value that the search gives it has no end.
        lost = max(0.0, regret.value - regret.missed_win)
        lost = 0.0 if lost < _TOLERANCE else lost
        wrong = lost > 0 or regret.missed_win > 0
        turns.append(GradedTurn(lost, (FAILED if problem else _mistake(game, regret, actions)) if wrong else None))
    return Grade(name, game.name, set_name, weights.name, tuple(turns), estimates, tuple(problems))


def _play_turn(game: AnyGame, agent: Agent, state: Any, rng: Random) -> tuple[list[Any], str | None]:
    """Return the legal actions of the agent in this turn, and why it ended early, if it did."""
    seat, turn, actions = game.to_move(state), game.turn(state), list[Any]()
    while len(actions) < MAX_ACTIONS and game.outcome(state) is None:
        if game.to_move(state) != seat or game.turn(state) != turn:
            break
        try:
            action = agent.decide(game.observe(state, seat))
            reason = game.illegal_reason(state, action)
        except (Exception, SystemExit) as error:  # an agent that fails has lost the rest of its turn
            return actions, short_error(error)
        if reason is not None:
            return actions, reason
        actions.append(action)
        state = game.apply(state, action, rng)
    return actions, None


def _mistake(game: AnyGame, regret: Regret, actions: Sequence[Any]) -> str:
    """Return what the turn did differently from the best one: the first kind that applies."""
    if regret.plan.lethal:
        return MISSED_LETHAL
    best, played = _by_type(game, regret.plan.actions), _by_type(game, actions)
    played.pop("end", None)
    played.pop("end_turn", None)
    for kind, wanted in best.items():
        if sorted(wanted) != sorted(played.get(kind, [])) and len(played.get(kind, [])) >= len(wanted):
            return f"other {kind.replace('_', ' ')}"
    if sum(map(len, played.values())) < sum(map(len, best.values())):
        return TOO_FEW
    for kind in played:
        if sorted(played[kind]) != sorted(best.get(kind, [])):
            return f"other {kind.replace('_', ' ')}"
    return ORDER


def _by_type(game: AnyGame, actions: Sequence[Any]) -> dict[str, list[str]]:
    """Return the actions as text, by their type."""
    result: dict[str, list[str]] = {}
    for action in actions:
        kind = str(game.action_to_json(action).get("type", "action"))
        result.setdefault(kind, []).append(game.action_to_text(action))
    return result
