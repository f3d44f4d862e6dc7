"""The tables of a report, before they are HTML or LaTeX: the same words and digits in both."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from planner.arena.report.html_page import Grid, interval_bar, number, percent, seconds, span
from planner.arena.report.tournament_results import Results
from planner.arena.tournament.result_tables import deck_scores
from planner.stats.card_scores import STAGES
from planner.stats.durations import length_by_agent
from planner.stats.paired_tests import paired_table

TIMES = ("mean", "p50", "p90", "p95", "p99", "max")


def scores(found: Results) -> Grid:
    """The first seat's score in percent, as a square."""
    return _square(100 * found.scores(), ".1f")


def turns(found: Results) -> Grid:
    """Average rounds, as a square."""
    return _square(found.turns(), ".1f")


def _square(square: pd.DataFrame, form: str) -> Grid:
    rows = [
        (agent, *("" if math.isnan(value) else number(value, form) for value in values))
        for agent, *values in square.itertuples()
    ]
    return Grid(["first seat", *map(str, square.columns)], rows)


def ratings(found: Results) -> Grid:
    """Elo with its interval, best first."""
    rows = [
        (row["agent"], number(row["elo"], "+.1f"), reach(row), percent(row["score"]), f"{row['games']:,}")
        for row in found.ratings.to_dict("records")
    ]
    return Grid(["agent", "Elo", "95 % interval", "score", "games"], rows)


def superiority(found: Results) -> Grid:
    """How sure it is that one is stronger than another."""
    sure = found.fitted.superiority()
    rows = [
        (agent, *("" if agent == other else percent(float(sure.loc[agent, other])) for other in sure.columns))
        for agent in sure.index
    ]
    return Grid(["", *map(str, sure.columns)], rows)


def pairs(found: Results) -> Grid:
    """Every two agents by the points of their pairs."""
    rows = [
        (row["agent"], row["opponent"], *(row[f"points_{points}"] for points in ("0", "0.5", "1", "1.5", "2")),
         percent(row["score"]), span(row["score_low"], row["score_high"]), _elo(row["elo"]), percent(row["los"]))
        for row in paired_table(found.games, found.agents).to_dict("records")
    ]  # fmt: skip
    headers = ["agent", "opponent", "0", "½", "1", "1½", "2", "score", "95 % interval", "Elo", "superior"]
    return Grid(headers, rows, words=2)


def nash(ranked: pd.DataFrame) -> Grid:
    """Skill and share in the mixture."""
    rows = [
        (row["agent"], percent(row["skill"]), span(row["skill_low"], row["skill_high"]),
         interval_bar(row["skill"], row["skill_low"], row["skill_high"]), percent(row["mass"]),
         span(row["mass_low"], row["mass_high"]), percent(row["in_mixture"], 0))
        for row in ranked.to_dict("records")
    ]  # fmt: skip
    return Grid(["agent", "skill", "95 % interval", "", "share", "95 % interval", "in the mixture"], rows)


def seats(found: Results) -> Grid:
    """What the first seat is worth to each agent."""
    rows = [
        (row["agent"], percent(row["first_score"]), percent(row["second_score"]),
         number(100 * row["difference"], "+.1f"), reach(row, 100), percent(row["mirror_score"]),
         span(row["mirror_low"], row["mirror_high"]))
        for row in found.first_player_advantage().to_dict("records")
    ]  # fmt: skip
    headers = ["agent", "first seat", "second seat", "difference", "95 % interval", "mirror: first seat"]
    return Grid([*headers, "95 % interval"], rows)


def length(found: Results) -> Grid:
    """The rounds of each agent's games."""
    columns = ("mean", "deviation", "min", "p10", "q25", "median", "q75", "p90", "max")
    rows = [
        (row["agent"], f"{row['games']:,}", *(number(row[column]) for column in columns))
        for row in length_by_agent(found.games, found.agents).to_dict("records")
    ]
    return Grid(["agent", "games", *columns], rows)


def times(found: Results) -> Grid:
    """How long decisions took."""
    counts = [column for column in ("decisions", "thought") if column in found.times]
    rows = [
        (row["agent"], *(f"{row[column]:,}" for column in counts), *(seconds(row[column]) for column in TIMES))
        for row in found.times.to_dict("records")
    ]
    return Grid(["agent", *counts, "mean", "median", "90 %", "95 %", "99 %", "longest"], rows)


def forfeits(lost: pd.DataFrame) -> Grid:
    """Who lost by its own doing, and how."""
    rows = [(row["agent"], row["kind"], f"{row['games']:,}", row["example"]) for row in lost.to_dict("records")]
    return Grid(["agent", "kind", "games", "for example"], rows, words=2, long=3)


def matchups(found: Results) -> Grid:
    """A row for every ordered pairing."""
    matrix = found.matrix.reindex(columns=[*found.matrix.columns, *({"turns_low", "turns_high"} - set(found.matrix))])
    rows = [
        (row["p1_profile"], row["p2_profile"], f"{row['games']:,}", row["p1_wins"], row["p2_wins"], row["draws"],
         percent(row["p1_score"]), span(row["p1_low"], row["p1_high"]),
         interval_bar(row["p1_score"], row["p1_low"], row["p1_high"]), number(row["avg_turns"], ".2f"),
         f"± {(row['turns_high'] - row['turns_low']) / 2:.2f}" if math.isfinite(row["turns_high"]) else "")
        for row in matrix.to_dict("records")
    ]  # fmt: skip
    return Grid(
        ["first seat", "second seat", "games", "wins", "losses", "draws", "score", "95 % interval", "", "rounds", ""],
        rows, words=2,
    )  # fmt: skip


def reach(row: dict[Any, Any], factor: float = 1) -> str:
    """The interval of a difference."""
    return f"{number(factor * row['low'], '+.1f')} to {number(factor * row['high'], '+.1f')}"


def _elo(value: float) -> str:
    return number(value, "+.0f") if math.isfinite(value) else ("∞" if value > 0 else "−∞" if value < 0 else "–")


def decks_table(found: Results) -> Grid:
    """A row for each deck."""
    rows = [
        (row["deck"], f"{row['games']:,}", percent(row["score"]), span(row["low"], row["high"]),
         interval_bar(row["score"], row["low"], row["high"]))
        for row in deck_scores(found.games).to_dict("records")
    ]  # fmt: skip
    return Grid(["deck", "games", "score", "95 % interval", ""], rows)


def cards_table(rows: pd.DataFrame, decks: bool = True) -> Grid:
    """Best first, by what the card's score when drawn is above that of its deck."""
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
    headers = ["card", *(["deck"] if decks else []), "drawn", "score", "95 % interval", "", "− deck's"]
    return Grid([*headers, "played", "score", "95 % interval"], parts, words=1 + decks)
