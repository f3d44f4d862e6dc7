"""Complete matches as text, one per class: `make playthroughs` writes them, a test compares them.

A change of the rules, a card or a deck shows up here as a readable difference. Look at it, and if it is meant, write
the files again.
"""

from __future__ import annotations

from pathlib import Path

from planner.arena.match.referee import play_match
from planner.arena.match.replay import walk
from planner.games.hearthstone.cards.card import CLASSES
from planner.games.hearthstone.cards.decks import deck_names
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.narration import describe_action, hero_names
from planner.games.hearthstone.rules.state_text import action_to_text

FOLDER = Path(__file__).parent.parent / "playthroughs"
SEED = 7


def class_decks() -> list[str]:
    """Return the deck of each class, sorted by name."""
    return [name for name in deck_names() if name in CLASSES]


def playthrough(deck: str) -> str:
    """Return the match of this class against the next: a line per action, with the digest of the state after it."""
    decks = class_decks()
    enemy = decks[(decks.index(deck) + 1) % len(decks)]
    record = play_match(("greedy", "random"), MatchSetup.of(deck, enemy), SEED, digests=True)
    heroes = hero_names(record.initial)
    lines = [f"{deck} (greedy) against {enemy} (random), standard rules, seed {SEED}"]
    turn = (-1, 0)
    for before, move, after in walk(record):
        if (before.turn, before.seat) != turn:
            turn = (before.turn, before.seat)
            lines.append(f"turn {before.turn}: {heroes[before.seat]}")
        description = describe_action(before, move.action, after)
        lines.append(f"{move.digest}  {action_to_text(move.action)}  # {description}")
    lines.append(f"{record.outcome}, {record.rounds} rounds")
    return "\n".join(lines) + "\n"


def write_all() -> None:
    """Write all files, and remove those of decks that no longer exist."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for deck in class_decks():
        (FOLDER / f"{deck}.txt").write_text(playthrough(deck), encoding="utf-8")


if __name__ == "__main__":
    write_all()
