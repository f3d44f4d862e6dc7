"""A match from a log, turn by turn: what the player saw and did, the best turn, and what the difference was worth."""

from __future__ import annotations

import time
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.logs.reading import LoggedMatch
from planner.games.hearthstone.logs.seen import Sight, class_of, printed, sight
from planner.games.hearthstone.logs.tracking import Board, Done, OwnTurn, Tracker
from planner.games.hearthstone.metagame import Opponent
from planner.games.hearthstone.rules.actions import Action, HeroPower, Play, Trade
from planner.games.hearthstone.rules.codec import action_to_dict, state_to_dict
from planner.games.hearthstone.rules.legal import verify
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.words import narrate
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.scoring import replay_observed
from planner.games.hearthstone.turn.turn_plan import TurnPlan, plan_turn
from planner.meta.known_decks import Metagame

EFFORT: Final = 20_000  # states for each plan: fractions of a second for nearly every turn
LIMIT: Final = 1.0  # seconds, where even that is long
_KILL: Final = {"lethal": 1}


class Move(NamedTuple):
    """One action that the player took, and what our referee says to it."""

    words: str
    action: Action | None
    refused: str  # why our rules do not allow it; empty where they do
    exact: bool  # all cards that it has to do with are expressed in full


class ReviewedTurn(NamedTuple):
    """One own turn."""

    number: int
    seen: Sight
    moves: tuple[Move, ...]
    end: GameState
    best: TurnPlan
    earned: float  # what was played, by the same weights
    kill: TurnPlan | None  # a turn that wins for certain
    won: bool
    likely: tuple[tuple[str, float], ...]  # what the opponent probably plays next
    seconds: float

    @property
    def estimate(self) -> bool:
        """Is something in this turn that our rules do not express in full?"""
        return bool(self.seen.unread) or any(move.refused for move in self.moves) or bool(self.best.ignored)

    @property
    def lost(self) -> float:
        """What the best turn is worth beyond what was played; never below 0, since luck is no skill."""
        return 0.0 if self.won else max(self.best.objective - self.earned, 0.0)

    @property
    def missed_lethal(self) -> bool:
        """Could this turn have won, and did not?"""
        return self.kill is not None and not self.won

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "turn": self.number,
            "state": state_to_dict(self.seen.state),
            "played": [
                {
                    "words": move.words,
                    "action": None if move.action is None else action_to_dict(move.action),
                    "refused": move.refused or None,
                    "exact": move.exact,
                }
                for move in self.moves
            ],
            "earned": self.earned,
            "best": self.best.to_dict(),
            "lost": self.lost,
            "missed_lethal": self.missed_lethal,
            "won": self.won,
            "estimate": self.estimate,
            "unread": list(self.seen.unread),
            "likely": [{"card": card, "chance": chance} for card, chance in self.likely],
            "seconds": round(self.seconds, 4),
        }


class Review(NamedTuple):
    """One match, from the friendly player's side."""

    player: str
    opponent: str
    classes: tuple[str, str]
    weights: Weights
    turns: tuple[ReviewedTurn, ...]
    problem: str = ""

    @property
    def illegal(self) -> list[Move]:
        """What was played although our rules forbid it, where all cards are expressed in full."""
        return [move for turn in self.turns for move in turn.moves if move.exact and move.refused]

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        moves = [move for turn in self.turns for move in turn.moves]
        return {
            "player": self.player,
            "opponent": self.opponent,
            "classes": list(self.classes),
            "weights": self.weights.name,
            "actions": len(moves),
            "exact_actions": sum(move.exact for move in moves),
            "illegal_exact_actions": len(self.illegal),
            "missed_lethals": [turn.number for turn in self.turns if turn.missed_lethal],
            "turns": [turn.to_dict() for turn in self.turns],
            "problem": self.problem or None,
        }


def review(match: LoggedMatch, weights: Weights, player: int | None = None, metagame: Metagame | None = None) -> Review:
    """Every own turn of a match; where one cannot be read, those before it, and why."""
    tracker = Tracker(match)
    turns = tracker.run(player)
    problem = tracker.problem
    found: list[ReviewedTurn] = []
    for turn in turns:
        try:
            found.append(reviewed(turn, weights, metagame))
        except PlannerError as error:
            problem = problem or f"turn {turn.number}: {error}"
    mine, theirs = classes(turns[0].start) if turns else ("", "")
    names = match.names
    friendly = tracker.friendly
    one, two = names.get(friendly) or "the player", names.get(3 - friendly) or "the opponent"
    return Review(one, two, (mine, theirs), weights, tuple(found), problem)


def classes(board: Board) -> tuple[str, str]:
    """The classes of the friendly player and of the opponent."""
    me, enemy = (board.things.get(player["HERO_ENTITY"]) for player in board.players())
    return class_of(me.card_id if me else ""), class_of(enemy.card_id if enemy else "")


def best_turn(seen: Sight, weights: Weights) -> tuple[TurnPlan, TurnPlan | None]:
    """The best turn by these weights, and one that wins for certain, where there is one."""
    best = plan_turn(seen.state, weights, effort=EFFORT, time_limit=LIMIT)
    if best.lethal:
        return best, best
    kill = plan_turn(seen.state, _KILL, effort=EFFORT, time_limit=LIMIT)
    return best, kill if kill.lethal else None


def reviewed(turn: OwnTurn, weights: Weights, metagame: Metagame | None = None) -> ReviewedTurn:
    """One turn: its state, its actions, and the best one in its place."""
    before = time.perf_counter()
    start = sight(turn.start)
    steps = [(done, sight(done.before)) for done in turn.actions]
    moves = tuple(_move(done, seen) for done, seen in steps)
    end = sight(turn.end).state
    best, kill = best_turn(start, weights)
    known = [
        (seen.state, move.action)
        for (_, seen), move in zip(steps, moves, strict=True)
        if move.action is not None and not move.refused
    ]
    worth = float(replay_observed(start.state, known, end).score(weights))
    likely = _likely(turn.start, metagame) if metagame is not None else ()
    won = end.enemy.hero.health <= 0
    seconds = time.perf_counter() - before
    return ReviewedTurn(turn.number, start, moves, end, best, worth, kill, won, likely, seconds)


def _move(done: Done, seen: Sight) -> Move:
    card = printed(done.card_id)
    name = card.name if card is not None else done.card_id or "something"
    if done.action is None:
        return Move(f"uses {name}", None, "it is none of the actions that our rules know", False)
    refused = verify(seen.state, done.action) or ""
    try:
        words = narrate(seen.state, done.action, None)
    except (KeyError, StopIteration, PlannerError, AttributeError):
        words = f"uses {name}"
    return Move(words, done.action, refused, _exact(seen.state, done.action))


def _exact(state: GameState, action: Action) -> bool:
    """Is everything expressed in full that decides about this action: the card, both boards, the weapons?"""
    cards: list[Card] = [minion.card for minion in (*state.me.board, *state.enemy.board) if not minion.silenced]
    cards += [player.weapon.card for player in (state.me, state.enemy) if player.weapon is not None]
    if isinstance(action, Play | Trade):
        held = next((held.card for held in state.me.hand if held.id == action.card), None)
        if held is None:
            return False
        cards.append(held)
    if isinstance(action, HeroPower) and state.me.power is None:
        return False
    return not any(card.unread for card in cards)


def _likely(board: Board, metagame: Metagame) -> tuple[tuple[str, float], ...]:
    """The opponent's next cards, from what it has shown of its deck so far."""
    own = classes(board)[1]
    if own not in metagame.classes:
        return ()
    opponent = Opponent(metagame, own)
    for card_id, mana in board.shown:
        card = printed(card_id)
        if card is not None:
            opponent.see(card.name, mana)
    _, enemy = board.players()
    return tuple(opponent.predict(min(enemy["RESOURCES"] + 1, 10)).top(5))
