"""The ratings computed independently, from docs/reference/statistics.md alone: another optimiser, no project code.

The page says what is maximised, down to the prior; scipy's general optimiser and differences instead of derivatives
must then find the same Elo, the same advantage of the seat and the same intervals, to a tenth of a point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from planner.stats.ratings import rate
from tests.stats.tables import counted, played

RESULTS = Path(__file__).resolve().parents[2] / "results"
STUDIES = sorted(path.parent.name for path in RESULTS.glob("*/ratings.csv"))


def independent_fit(games: pd.DataFrame, names: Sequence[str], m: float = 1.0) -> tuple[dict[str, list[float]], float]:
    """Return Elo, low and high of each agent, and the Elo of the first seat, as the page describes them."""
    n = len(names)
    counts = games.groupby(["p1", "p2", "winner"], as_index=False).size()
    first, second = (counts[seat].map({name: k for k, name in enumerate(names)}).to_numpy() for seat in ("p1", "p2"))
    winner, number = counts["winner"].to_numpy(), counts["size"].to_numpy()
    any_draw = bool((winner == -1).any())

    def objective(x: NDArray[np.float64]) -> float:
        """The negated objective of the page: x is theta by agent, gamma, and ln nu if games were drawn."""
        theta, gamma, log_nu = x[:n], x[n], x[n + 1] if any_draw else -np.inf
        eta = theta[first] - theta[second] + gamma
        weight = np.select([winner == 0, winner == 1], [eta / 2, -eta / 2], log_nu)
        likelihood = number @ (weight - np.logaddexp(np.logaddexp(eta / 2, -eta / 2), log_nu))
        prior = m * np.logaddexp(np.logaddexp(x[: n + 1] / 2, -x[: n + 1] / 2), log_nu).sum()
        return float(prior - likelihood)

    start = np.zeros(n + 1 + any_draw)
    found = minimize(objective, start, method="BFGS", options={"gtol": 1e-7}).x
    found = minimize(objective, found, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-12}).x
    step = 1e-3
    size = len(found)
    hessian = np.empty((size, size))
    for i in range(size):
        for j in range(size):
            a, b = np.eye(size)[i] * step, np.eye(size)[j] * step
            corners = objective(found + a + b) - objective(found + a - b) - objective(found - a + b)
            hessian[i, j] = (corners + objective(found - a - b)) / (4 * step**2)
    covariance = np.linalg.inv(hessian)
    scale = 400 / math.log(10)
    rated = {}
    for k, name in enumerate(names):
        away = np.zeros(size)
        away[:n] = -1 / n
        away[k] += 1
        elo, reach = scale * float(away @ found), 1.959964 * scale * math.sqrt(float(away @ covariance @ away))
        rated[name] = [elo, elo - reach, elo + reach]
    return rated, scale * float(found[n])


TABLES = {
    "seats and draws": lambda: played({"a": 0.9, "b": 0.1, "c": -1.0}, 30, np.random.default_rng(5), 0.4, 0.5),
    "no draws": lambda: played({"a": 0.5, "b": 0.0, "c": -0.2, "d": -0.3}, 20, np.random.default_rng(6), 0.2),
    "a winner of everything": lambda: counted(
        {("a", "b"): (9, 0, 0), ("b", "a"): (0, 0, 9), ("b", "c"): (4, 2, 3), ("c", "a"): (0, 0, 5)}
    ),
    "mirrors, and two that never met": lambda: counted(
        {("a", "b"): (3, 1, 6), ("b", "a"): (2, 0, 1), ("c", "c"): (9, 1, 2), ("c", "a"): (1, 0, 0)}
    ),
    "one game": lambda: counted({("a", "b"): (1, 0, 0)}),
    "one draw": lambda: counted({("a", "b"): (0, 1, 0), ("b", "a"): (1, 0, 0)}),
}


@pytest.mark.parametrize("name", TABLES)
def test_independent_fit_gives_the_same_ratings(name: str) -> None:
    games = TABLES[name]()
    ours = rate(games)
    theirs, seat = independent_fit(games, sorted({*games["p1"], *games["p2"]}))
    for row in ours.table.to_dict("records"):
        assert [row["elo"], row["low"], row["high"]] == pytest.approx(theirs[row["agent"]], abs=0.1)
    assert ours.first_seat.estimate == pytest.approx(seat, abs=0.1)


def test_weight_of_the_prior() -> None:
    games = TABLES["a winner of everything"]()
    for m in (0.25, 4.0):
        theirs, _ = independent_fit(games, ["a", "b", "c"], m)
        assert rate(games, prior_games=m).elo("a") == pytest.approx(theirs["a"][0], abs=0.1)
    weak, strong = (rate(games, prior_games=m).elo("a") for m in (0.25, 4.0))
    assert weak > strong + 100


@pytest.mark.parametrize("study", STUDIES)
def test_published_ratings_agree_with_an_independent_fit(study: str) -> None:
    games = pd.read_parquet(RESULTS / study / "games.parquet", columns=["p1", "p2", "winner"])
    published = pd.read_csv(RESULTS / study / "ratings.csv")
    theirs, _ = independent_fit(games, list(published["agent"]))
    for row in published.to_dict("records"):
        assert [row["elo"], row["low"], row["high"]] == pytest.approx(theirs[row["agent"]], abs=0.1)
