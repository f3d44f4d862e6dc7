"""The tables of a report before they become HTML or LaTeX, so that both have the same text and digits."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from planner.arena.report.html_page import Grid, interval_bar, number, percent, score_cells, seconds, span
from planner.arena.report.tournament_results import Results
from planner.arena.tournament.result_tables import deck_scores
from planner.stats.card_scores import STAGES
from planner.stats.paired_tests import paired_table

TIMES = ("mean", "p50", "p90", "p95", "p99", "max")


def scores(results: Results) -> Grid:
    """Return the row agent's score when moving first, in percent, as a square table."""
    return _square(100 * results.scores(), ".1f")


def turns(results: Results) -> Grid:
    """Return the average number of rounds as a square table."""
    return _square(results.turns(), ".1f")


def _square(square: pd.DataFrame, form: str) -> Grid:
    rows = [
        (agent, *("" if math.isnan(value) else number(value, form) for value in values))
        for agent, *values in square.itertuples()
    ]
    return Grid(["moves first", *map(str, square.columns)], rows)


def ratings(rated: pd.DataFrame) -> Grid:
    """Return Elo ratings with intervals, best first."""
    rows = [
        (row["agent"], number(row["elo"], "+.1f"), interval_text(row), percent(row["score"]), f"{row['games']:,}")
        for row in rated.to_dict("records")
    ]
    return Grid(["agent", "Elo", "95 % interval", "score", "games"], rows)


def superiority(likelihood: pd.DataFrame) -> Grid:
    """Return the likelihood that the row agent is stronger than the column agent."""
    rows = [
        (
            agent,
            *("" if agent == other else percent(float(likelihood.loc[agent, other])) for other in likelihood.columns),
        )
        for agent in likelihood.index
    ]
    return Grid(["", *map(str, likelihood.columns)], rows)


def pairs(results: Results) -> Grid:
    """Return a row for every two agents, with the points of their pairs of games."""
    rows = [
        (row["agent"], row["opponent"], *(row[f"points_{points}"] for points in ("0", "0.5", "1", "1.5", "2")),
         percent(row["score"]), span(row["score_low"], row["score_high"]), _elo(row["elo"]), percent(row["los"]))
        for row in paired_table(results.games, results.agents).to_dict("records")
    ]  # fmt: skip
    headers = ["agent", "opponent", "0", "½", "1", "1½", "2", "score", "95 % interval", "Elo", "superior"]
    return Grid(headers, rows, words=2)


def nash(ranked: pd.DataFrame) -> Grid:
    """Return skill and share in the mixture of Nash averaging."""
    rows = [
        (row["agent"], percent(row["skill"]), span(row["skill_low"], row["skill_high"]),
         interval_bar(row["skill"], row["skill_low"], row["skill_high"]), percent(row["mass"]),
         span(row["mass_low"], row["mass_high"]), percent(row["in_mixture"], 0))
        for row in ranked.to_dict("records")
    ]  # fmt: skip
    return Grid(["agent", "skill", "95 % interval", "", "share", "95 % interval", "in the mixture"], rows)


def seats(results: Results) -> Grid:
    """Return each agent's scores when moving first and second."""
    rows = [
        (row["agent"], percent(row["first_score"]), percent(row["second_score"]),
         number(100 * row["difference"], "+.1f"), interval_text(row, 100), percent(row["mirror_score"]),
         span(row["mirror_low"], row["mirror_high"]))
        for row in results.first_player_advantage().to_dict("records")
    ]  # fmt: skip
    headers = ["agent", "moving first", "moving second", "difference", "95 % interval", "mirror: moving first"]
    return Grid([*headers, "95 % interval"], rows)


def length(by_agent: pd.DataFrame) -> Grid:
    """Return statistics of the rounds of each agent's games."""
    columns = ("mean", "deviation", "min", "p10", "q25", "median", "q75", "p90", "max")
    rows = [
        (row["agent"], f"{row['games']:,}", *(number(row[column]) for column in columns))
        for row in by_agent.to_dict("records")
    ]
    return Grid(["agent", "games", *columns], rows)


def times(decisions: pd.DataFrame) -> Grid:
    """Return the times of decisions."""
    counts = [column for column in ("decisions", "thought") if column in decisions]
    rows = [
        (row["agent"], *(f"{row[column]:,}" for column in counts), *(seconds(row[column]) for column in TIMES))
        for row in decisions.to_dict("records")
    ]
    return Grid(["agent", *counts, "mean", "median", "90 %", "95 %", "99 %", "longest"], rows)


def forfeits(lost: pd.DataFrame) -> Grid:
    """Return a row for each agent and kind of forfeit."""
    rows = [(row["agent"], row["kind"], f"{row['games']:,}", row["example"]) for row in lost.to_dict("records")]
    return Grid(["agent", "kind", "games", "example"], rows, words=2, long=3)


def matchups(results: Results) -> Grid:
    """Return a row for every ordered pairing."""
    matrix = results.matrix.reindex(
        columns=[*results.matrix.columns, *({"turns_low", "turns_high"} - set(results.matrix))]
    )
    rows = [
        (row["p1_profile"], row["p2_profile"], f"{row['games']:,}", row["p1_wins"], row["p2_wins"], row["draws"],
         *score_cells(row, "p1_"), number(row["avg_turns"], ".2f"),
         f"± {(row['turns_high'] - row['turns_low']) / 2:.2f}" if math.isfinite(row["turns_high"]) else "")
        for row in matrix.to_dict("records")
    ]  # fmt: skip
    return Grid(
        ["moves first", "moves second", "games", "wins", "losses", "draws", "score", "95 % interval", "", "rounds", ""],
        rows, words=2,
    )  # fmt: skip


def interval_text(row: dict[Any, Any], factor: float = 1) -> str:
    """Format the interval of a difference."""
    return f"{number(factor * row['low'], '+.1f')} to {number(factor * row['high'], '+.1f')}"


def _elo(value: float) -> str:
    return number(value, "+.0f") if math.isfinite(value) else ("∞" if value > 0 else "−∞" if value < 0 else "–")


def decks_table(results: Results) -> Grid:
    """Return a row for each deck."""
    rows = [
        (row["deck"], f"{row['games']:,}", *score_cells(row)) for row in deck_scores(results.games).to_dict("records")
    ]
    return Grid(["deck", "games", "score", "95 % interval", ""], rows)


def cards_table(rows: pd.DataFrame, decks: bool = True) -> Grid:
    """Return a row for each card, sorted by its score when drawn minus the score of its deck."""
    parts = []
    rows = rows.assign(above=rows["drawn_score"] - rows["score"])
    for row in rows.sort_values("above", ascending=False, kind="stable").to_dict("records"):
        cells: list[object] = [row["card"], *([row["deck"]] if decks else [])]
        for stage in STAGES:
            score, low, high = (row[f"{stage}_{end}"] for end in ("score", "low", "high"))
            counted = row[stage] > 0
            cells += [f"{row[stage]:,}", percent(score) if counted else "–", span(low, high) if counted else "–"]
            if stage == STAGES[0]:
                cells += [interval_bar(score, low, high), number(100 * row["above"], "+.1f")]
        parts.append(cells)
    headers = ["card", *(["deck"] if decks else []), "drawn", "score", "95 % interval", "", "− deck"]
    return Grid([*headers, "played", "score", "95 % interval"], parts, words=1 + decks)
