"""Measure Monte-Carlo tree search against `random` and `first` in every game: `python -m experiments.tree_search`.

In games with two seats the agents change seats from match to match, and the table shows the search's share of points.
In battles each agent fights alone on the same seeds, and the table shows the battles won. It is written to
results/tree_search; rows that are there already are not played again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from planner.arena.match.referee import play_match
from planner.game import AnyGame
from planner.games import load_game
from planner.stats.intervals import wilson

OUT = Path("results/tree_search/strength.csv")


class Study(NamedTuple):
    """What is played, and the budget of each decision."""

    game: str
    words: Sequence[str]
    agent: str
    matches: int
    others: Sequence[str] = ("random", "first")


STUDIES = (
    Study("spire", ("worms",), "mcts", 100),
    Study("spire", ("band",), "mcts", 100),
    Study("hearthstone", ("mage", "warrior"), "mcts", 100),
    Study("dominion", (), "mcts:20", 30, ("random",)),
    Study("caveman", (), "mcts:20", 100, ("random",)),
    Study("caveman", (), "mcts:20", 12, ("first",)),
    Study("dominion", (), "mcts:20", 12, ("first",)),
    Study("ascension", (), "mcts:20", 4, ("random",)),
    Study("ascension", (), "mcts:60", 12, ("first",)),
)


def points(study: Study, other: str, game: AnyGame, setup: Any) -> tuple[float, float]:
    """Return the points of the search and of the other agent."""
    if game.seats(game.start(setup, Random(0))) == 1:
        each = [
            sum(play_match([name], setup, seed, game).outcome.points[0] for seed in range(study.matches))
            for name in (study.agent, other)
        ]
        return each[0], each[1]
    total = 0.0
    for seed in range(study.matches):
        names = [study.agent, other] if seed % 2 == 0 else [other, study.agent]
        total += play_match(names, setup, seed, game).outcome.points[seed % 2]
    return total, study.matches - total


def main() -> None:
    """Play all matches, and write a row for each game and opponent."""
    OUT.parent.mkdir(parents=True, exist_ok=True)
    header = "game,setup,agent,other,matches,share,low,high,other_share"
    lines = OUT.read_text(encoding="utf-8").splitlines() if OUT.exists() else [header]
    for study in STUDIES:
        game = load_game(study.game)
        setup = game.setup_from_words(study.words)
        for other in study.others:
            row = f"{study.game},{' '.join(study.words)},{study.agent},{other},{study.matches},"
            if any(line.startswith(row) for line in lines):
                continue
            own, others = points(study, other, game, setup)
            share = wilson(own, study.matches)
            lines.append(f"{row}{share.estimate:.3f},{share.low:.3f},{share.high:.3f},{others / study.matches:.3f}")
            OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
