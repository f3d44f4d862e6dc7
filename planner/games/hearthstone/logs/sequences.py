"""What the players of real matches played of their own decks, turn by turn: for the evaluation of predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from planner.games.hearthstone.logs.reading import LoggedMatch, read_log
from planner.games.hearthstone.logs.review import classes
from planner.games.hearthstone.logs.seen import printed
from planner.games.hearthstone.logs.tracking import Tracker
from planner.games.hearthstone.rules.actions import Play
from planner.meta.known_decks import Metagame
from planner.meta.prediction_study import Fold, PlayedSequence


def logged_folds(paths: Iterable[Path], known: Metagame) -> list[Fold]:
    """Each player of each match whose class is known and whose first turn is in the log."""
    found = []
    for path in paths:
        for match in read_log(path):
            for player_class, turns in played(match):
                if player_class in known.classes:
                    sequence = PlayedSequence(tuple(map(tuple, turns)), player_class, path.name)
                    found.append(Fold(f"{path.name}: {player_class}", player_class, known, [sequence]))
    return found


def played(match: LoggedMatch) -> Iterator[tuple[str, list[list[str]]]]:
    """The class and the cards of each turn, first of the friendly player, then of the opponent."""
    turns = Tracker(match).run()
    if not turns or turns[0].number > 2:  # a log that begins in the middle
        return
    mine, theirs = classes(turns[0].start)
    own = []
    for turn in turns:
        cards = []
        for done in turn.actions:
            thing = isinstance(done.action, Play) and done.before.things.get(int(done.action.card.removeprefix("e")))
            if thing and not thing["CREATOR"]:
                cards.append(done.card_id)
        own.append(_names(cards))
    yield mine, own
    # The opponent's turns lie between ours; one that comes before our first is a turn of its own.
    boards = [*([turns[0].start] if turns[0].number == 2 else []), *(turn.start for turn in turns[1:]), turns[-1].end]
    other, before = [], 0
    for board in boards:
        other.append(_names([card_id for card_id, _ in board.shown[before:]]))
        before = len(board.shown)
    yield theirs, other


def _names(card_ids: Iterable[str]) -> list[str]:
    cards = (printed(card_id) for card_id in card_ids)
    return [card.name for card in cards if card is not None]
