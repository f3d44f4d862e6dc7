"""Tables of games for the tests of statistics: literal, or simulated from agents of known strength."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from planner.stats.ratings import probabilities


def games(rows: Iterable[tuple[object, ...]]) -> pd.DataFrame:
    """Return a table from rows of p1, p2, winner and optionally pair and rounds."""
    table = pd.DataFrame(list(rows))
    table.columns = pd.Index(["p1", "p2", "winner", "pair", "rounds"][: table.shape[1]])
    if "rounds" not in table:
        table["rounds"] = 10
    return table


def counted(results: Mapping[tuple[str, str], tuple[int, int, int]]) -> pd.DataFrame:
    """Return games from counts of wins, draws and losses of the first seat by ordered pairing."""
    return games(
        (p1, p2, winner)
        for (p1, p2), numbers in results.items()
        for winner, number in zip((0, -1, 1), numbers, strict=True)
        for _ in range(number)
    )


def played(
    strengths: Mapping[str, float], each: int, rng: np.random.Generator, seat: float = 0.0, nu: float = 0.0
) -> pd.DataFrame:
    """Simulate `each` pairs of games of every two agents with these natural log-strengths."""
    rows: list[tuple[object, ...]] = []
    names = list(strengths)
    for k, a in enumerate(names):
        for b in names[k + 1 :]:
            for p1, p2 in ((a, b), (b, a)):
                eta = np.array([strengths[p1] - strengths[p2] + seat])
                chances = [float(p[0]) for p in probabilities(eta, nu)]
                winners = rng.choice([0, -1, 1], size=each, p=chances).tolist()
                rounds = rng.integers(3, 20, size=each).tolist()
                rows += [(p1, p2, *numbers) for numbers in zip(winners, range(each), rounds, strict=True)]
    return games(rows)


@st.composite
def any_games(draw: st.DrawFn, complete: bool = False) -> pd.DataFrame:
    """Generate tables of up to four agents with paired, unpaired and mirror games; `complete`: all pairs have met."""
    names = ["ann", "bob", "cid", "dee"][: draw(st.integers(2, 4))]
    row = st.tuples(
        st.sampled_from(names), st.sampled_from(names), st.sampled_from([0, 1, -1]), st.integers(-1, 5),
        st.integers(1, 40),
    )  # fmt: skip
    rows = draw(st.lists(row, min_size=1, max_size=40))
    if complete:
        winner = st.sampled_from([0, 1, -1])
        rows += [(a, b, draw(winner), -1, 7) for a in names for b in names if a < b]
    return games(rows)
