"""Review a logged match turn by turn: what the player did, the best turn, and the points lost.

`logged_folds` prepares the cards that both players played for the evaluation of predictions.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.logs.entity_tracker import Board, EntityTracker, LoggedAction, LoggedTurn
from planner.games.hearthstone.logs.power_log import LoggedMatch, read_log
from planner.games.hearthstone.logs.snapshots import Snapshot, class_of, printed, take_snapshot
from planner.games.hearthstone.metagame import Opponent
from planner.games.hearthstone.rules.actions import Action, HeroPower, Play, Trade
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.narration import describe_action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_json import action_to_dict, state_to_dict
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.scoring import replay_observed
from planner.games.hearthstone.turn.turn_plan import TurnPlan, plans, wins_for_certain
from planner.meta.known_decks import Metagame
from planner.meta.prediction_study import Fold, PlayedSequence
from planner.planning.plan import PlanOptions

EFFORT: Final = 20_000  # states for each plan: fractions of a second for nearly every turn
TIME_LIMIT: Final = 1.0  # seconds for each plan
_LETHAL_ONLY: Final = {"lethal": 1}


class ReviewedMove(NamedTuple):
    """An action of the player, checked against our rules."""

    text: str
    action: Action | None
    illegal_reason: str  # empty if our rules allow it
    exact: bool  # our rules express all cards that affect it in full


class ReviewedTurn(NamedTuple):
    """One turn of the player beside the best turn."""

    number: int
    snapshot: Snapshot
    moves: tuple[ReviewedMove, ...]
    end: GameState
    best: TurnPlan
    earned: float  # by the played actions, under the same weights
    lethal_plan: TurnPlan | None  # a turn that wins for certain
    won: bool
    likely: tuple[tuple[str, float], ...]  # the opponent's most likely next cards
    seconds: float

    @property
    def estimate(self) -> bool:
        """Return whether the turn contains something that our rules do not express in full."""
        is_unread = bool(self.snapshot.unread) or bool(self.best.ignored)
        return is_unread or any(move.illegal_reason for move in self.moves)

    @property
    def lost(self) -> float:
        """Return the score of the best turn minus the played one; 0 if luck made the played turn better."""
        return 0.0 if self.won else max(self.best.objective - self.earned, 0.0)

    @property
    def missed_lethal(self) -> bool:
        """Return whether this turn could have won but did not."""
        return self.lethal_plan is not None and not self.won

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "turn": self.number,
            "state": state_to_dict(self.snapshot.state),
            "played": [
                {
                    "words": move.text,
                    "action": None if move.action is None else action_to_dict(move.action),
                    "refused": move.illegal_reason or None,
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
            "unread": list(self.snapshot.unread),
            "likely": [{"card": card, "chance": chance} for card, chance in self.likely],
            "seconds": round(self.seconds, 4),
        }


class MatchReview(NamedTuple):
    """All turns of one player in one match."""

    player: str
    opponent: str
    classes: tuple[str, str]
    weights: Weights
    turns: tuple[ReviewedTurn, ...]
    problem: str = ""  # why the match could not be read to its end

    @property
    def illegal(self) -> list[ReviewedMove]:
        """Return the moves that our rules forbid although they express all their cards in full."""
        return [move for turn in self.turns for move in turn.moves if move.exact and move.illegal_reason]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
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


def review_match(
    match: LoggedMatch, weights: Weights, player: int | None = None, metagame: Metagame | None = None
) -> MatchReview:
    """Review every turn of the player; turns that cannot be read are left out, and `problem` says why."""
    tracker = EntityTracker(match)
    logged_turns = tracker.run(player)
    problem = tracker.problem
    turns: list[ReviewedTurn] = []
    for turn in logged_turns:
        try:
            turns.append(_review_turn(turn, weights, metagame))
        except PlannerError as error:
            problem = problem or f"turn {turn.number}: {error}"
    classes = ("", "")
    with suppress(PlannerError):  # of a log that does not describe both players
        classes = classes_of(logged_turns[0].start) if logged_turns else classes
    friendly = tracker.friendly
    me, opponent = match.names.get(friendly) or "the player", match.names.get(3 - friendly) or "the opponent"
    return MatchReview(me, opponent, classes, weights, tuple(turns), problem)


def classes_of(board: Board) -> tuple[str, str]:
    """Return the classes of the friendly player and of the opponent."""
    me, enemy = (board.entities.get(player["HERO_ENTITY"]) for player in board.players())
    return class_of(me.card_id if me else ""), class_of(enemy.card_id if enemy else "")


def best_turn(snapshot: Snapshot, weights: Weights) -> tuple[TurnPlan, TurnPlan | None]:
    """Return the best turn under these weights, and a turn that wins for certain, if there is one."""
    options = PlanOptions(effort=EFFORT, time_limit=TIME_LIMIT)
    best = next(plans(snapshot.state, weights, options))
    if wins_for_certain(best):
        return best, best
    lethal = next(plans(snapshot.state, _LETHAL_ONLY, options))
    return best, lethal if wins_for_certain(lethal) else None


def _review_turn(turn: LoggedTurn, weights: Weights, metagame: Metagame | None = None) -> ReviewedTurn:
    began = time.perf_counter()
    start = take_snapshot(turn.start)
    states = [take_snapshot(logged.before).state for logged in turn.actions]
    moves = tuple(_review_move(logged, state) for logged, state in zip(turn.actions, states, strict=True))
    end = take_snapshot(turn.end).state
    best, lethal_plan = best_turn(start, weights)
    known_actions = [
        (state, move.action)
        for state, move in zip(states, moves, strict=True)
        if move.action is not None and not move.illegal_reason
    ]
    score = float(replay_observed(start.state, known_actions, end).score(weights))
    likely = _likely_cards(turn.start, metagame) if metagame is not None else ()
    won = end.enemy.hero.health <= 0 < end.me.hero.health
    seconds = time.perf_counter() - began
    return ReviewedTurn(turn.number, start, moves, end, best, score, lethal_plan, won, likely, seconds)


def _review_move(logged: LoggedAction, state: GameState) -> ReviewedMove:
    card = printed(logged.card_id)
    name = card.name if card is not None else logged.card_id or "something"
    if logged.action is None:
        return ReviewedMove(f"uses {name}", None, "our rules do not have this action", False)
    reason = illegal_reason(state, logged.action) or ""
    try:
        text = describe_action(state, logged.action, None)
    except (KeyError, StopIteration, PlannerError, AttributeError):
        text = f"uses {name}"
    return ReviewedMove(text, logged.action, reason, _is_exact(state, logged.action))


def _is_exact(state: GameState, action: Action) -> bool:
    """Return whether our rules express everything in full that affects this action: its card, boards, weapons."""
    cards: list[Card] = [minion.card for minion in (*state.me.board, *state.enemy.board) if not minion.silenced]
    cards += [player.weapon.card for player in (state.me, state.enemy) if player.weapon is not None]
    if isinstance(action, Play | Trade):
        card = next((held.card for held in state.me.hand if held.id == action.card), None)
        if card is None:
            return False
        cards.append(card)
    if isinstance(action, HeroPower) and state.me.power is None:
        return False
    return not any(card.unread for card in cards)


def _likely_cards(board: Board, metagame: Metagame) -> tuple[tuple[str, float], ...]:
    """Return the opponent's most likely next cards, from the cards that it has played so far."""
    player_class = classes_of(board)[1]
    if player_class not in metagame.classes:
        return ()
    opponent = Opponent(metagame, player_class)
    for card_id, mana in board.shown:
        card = printed(card_id)
        if card is not None:
            opponent.see(card.name, mana)
    _, enemy = board.players()
    return tuple(opponent.predict(min(enemy["RESOURCES"] + 1, 10)).top(5))


# -- sequences of played cards


def logged_folds(paths: Iterable[Path], known: Metagame) -> list[Fold]:
    """Return one fold for each player of each match, if its class is known and its first turn is in the log."""
    folds = []
    for path in paths:
        for match in read_log(path):
            for player_class, turns in played_cards(match):
                if player_class in known.classes:
                    sequence = PlayedSequence(tuple(map(tuple, turns)), player_class, path.name)
                    folds.append(Fold(f"{path.name}: {player_class}", player_class, known, [sequence]))
    return folds


def played_cards(match: LoggedMatch) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the class and the cards of each turn: first of the friendly player, then of the opponent."""
    turns = EntityTracker(match).run()
    if not turns or turns[0].number > 2:  # the log begins in the middle of the match
        return
    friendly_class, opponent_class = classes_of(turns[0].start)
    friendly_turns = []
    for turn in turns:
        cards = []
        for logged in turn.actions:
            if isinstance(logged.action, Play):
                entity = logged.before.entities.get(int(logged.action.card.removeprefix("e")))
                if entity is not None and not entity["CREATOR"]:
                    cards.append(logged.card_id)
        friendly_turns.append(_names(cards))
    yield friendly_class, friendly_turns
    # The opponent's turns lie between ours; if it moves first, its first turn lies before ours.
    first = [turns[0].start] if turns[0].number == 2 else []
    boards = [*first, *(turn.start for turn in turns[1:]), turns[-1].end]
    opponent_turns, shown_before = [], 0
    for board in boards:
        opponent_turns.append(_names([card_id for card_id, _ in board.shown[shown_before:]]))
        shown_before = len(board.shown)
    yield opponent_class, opponent_turns


def _names(card_ids: Iterable[str]) -> list[str]:
    cards = (printed(card_id) for card_id in card_ids)
    return [card.name for card in cards if card is not None]
