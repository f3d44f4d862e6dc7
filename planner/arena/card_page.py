"""The parts of a report that a designer looks for: decks against decks, and what cards do to matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from planner.arena import plots
from planner.arena.card_table import CARDS, DECKS, deck_matrix, deck_scores
from planner.arena.loaded import Results, read_table
from planner.arena.page import Grid, Html, folded, interval_bar, note, number, percent, picture, span, table
from planner.stats.cards import STAGES
from planner.stats.matrix import score_table


def decks_plot(found: Results) -> Figure | None:
    """The matrix of decks; nothing where there are not several."""
    matrix = deck_matrix(found.games)
    if matrix is None:
        return None
    return plots.wins_heatmap(score_table(matrix.rename(columns={"p1_deck": "p1", "p2_deck": "p2"})))


def decks_part(found: Results, figures: Mapping[str, Figure]) -> Iterator[Html]:
    """The matrix of decks, and what each scores against the others; nothing where there are not several."""
    if "decks" not in figures:
        return
    written = found.folder is not None and (found.folder / DECKS).exists()
    yield note(
        "Score of the deck in the first seat (rows) against the one in the second seat (columns), whoever played them."
        + " The numbers are in decks.csv." * written
    )
    yield picture(plots.svg(figures["decks"]), "Heatmap of decks against decks; the table follows")
    yield note("Each deck against the others, from both seats together.")
    yield table(decks_table(found))


def decks_table(found: Results) -> Grid:
    """A row for each deck."""
    rows = [
        (row["deck"], f"{row['games']:,}", percent(row["score"]), span(row["low"], row["high"]),
         interval_bar(row["score"], row["low"], row["high"]))
        for row in deck_scores(found.games).to_dict("records")
    ]  # fmt: skip
    return Grid(["deck", "games", "score", "95 % interval", ""], rows)


def cards_part(folder: Path | None) -> Iterator[Html]:
    """A table per deck: the score of those who drew each card, and of those who played it."""
    if folder is None or not (folder / CARDS).exists():
        return
    cards = read_table(folder / CARDS)
    yield note(
        "What those scored who had drawn a card, and who had played it, at least once in a game. Where a deck meets "
        "itself, games in which both did so say nothing and do not count. Long games draw more cards: compare a card "
        "with the others of its deck. The numbers are in cards.csv."
    )
    beyond = cards[(cards["drawn_low"] > cards["score"]) | (cards["drawn_high"] < cards["score"])]
    if len(beyond):
        yield note(
            f"The cards whose interval when drawn leaves out the score of their deck, {len(beyond)} of {len(cards)}; "
            f"by luck alone about {max(1, round(len(cards) / 20))} would."
        )
        yield table(cards_table(beyond))
    else:
        yield note(f"Of the {len(cards)} cards none is clearly above or below the score of its deck when drawn.")
    for name, rows in cards.groupby("deck", sort=False):
        head = f"{name}, which scored {percent(float(rows['score'].iloc[0]))} of {rows['games'].iloc[0]:,} games"
        yield folded(head, table(cards_table(rows, decks=False)))


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
