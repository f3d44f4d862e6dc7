"""A reviewed match as an HTML page: a chart of the points lost, and a board for each turn."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from planner.arena.report.html_page import (
    Grid,
    Html,
    folded,
    note,
    number,
    page,
    paragraph,
    picture,
    section,
    table,
    tiles,
)
from planner.cli.review_command import TITLES, best_turn_text, cells_of, likely_cards, players, summarise
from planner.games.hearthstone.board_picture import draw_board
from planner.games.hearthstone.logs.match_review import MatchReview, ReviewedTurn
from planner.stats.figure_style import BLUE, GRID, INK, MUTED, ORANGE, style, svg


def review_page(name: str, reviews: Sequence[MatchReview]) -> str:
    """Return the HTML document."""
    parts: list[str] = [Html(f"<h1>{escape(name)}</h1>")]
    for number_, review in enumerate(reviews, 1):
        parts.append(section(f"match{number_}", players(review), *_match(review)))
        parts += [_turn(turn, number_) for turn in review.turns]
    return page(f"Review of {name}", parts)


def _match(review: MatchReview) -> list[str]:
    missed = [turn.number for turn in review.turns if turn.missed_lethal]
    parts: list[str] = [paragraph(line) for line in summarise(review)]
    if not review.turns:
        return parts
    parts.append(
        tiles(
            [
                (len(missed), "missed lethals"),
                (number(sum(turn.lost for turn in review.turns), ".0f"), f"points lost, by {review.weights.name}"),
                (len(review.turns), "turns"),
            ]
        )
    )
    words = "Points lost and health of both heroes, turn by turn"
    parts.append(picture(svg(_chart(review)), words, "Orange: points lost against the best turn."))
    rows = [_row(turn) for turn in review.turns]
    parts.append(table(Grid(TITLES, rows, words=1, long=4)))
    parts.append(note("~ marks an estimate: a card's effects are not fully supported."))
    return parts


def _row(turn: ReviewedTurn) -> list[str]:
    *cells, played, best = cells_of(turn)
    return [*cells, _lines(played), _lines(best)]


def _lines(words: Sequence[str]) -> Html:
    return Html(f'<div style="text-align: left">{"<br>".join(map(escape, words))}</div>')


def _turn(turn: ReviewedTurn, match: int) -> Html:
    parts = [Html(f"<pre>{escape(draw_board(turn.snapshot.state))}</pre>")]
    played = [(number_, move.text, move.illegal_reason or "") for number_, move in enumerate(turn.moves, 1)]
    parts.append(table(Grid(("", "played", "our rules say"), played, words=3, long=1)))
    best = [(number_, words) for number_, words in enumerate(best_turn_text(turn), 1)]
    parts.append(table(Grid(("", "best"), best, words=2, long=1)))
    words = f"Played: {turn.earned:.0f}. Best: {turn.best.objective:.0f} ({turn.best.status}). Lost: {turn.lost:.0f}."
    parts.append(paragraph(words))
    if turn.snapshot.unread:
        parts.append(note(f"An estimate because of {', '.join(turn.snapshot.unread)}"))
    if turn.likely:
        parts.append(note(f"The opponent's most likely next cards: {likely_cards(turn)}"))
    title = f"Turn {turn.number}" + (": missed lethal" if turn.missed_lethal else "")
    anchor = f"match{match}turn{turn.number}"
    return section(anchor, title, folded("board and turns", *parts), warning=turn.missed_lethal)


def _chart(review: MatchReview) -> Figure:
    turns = [turn.number for turn in review.turns]
    with style():
        figure = Figure(figsize=(8.9, 4.2), layout="constrained")
        top, low = figure.subplots(2, 1, sharex=True)
        top.bar(turns, [turn.lost for turn in review.turns], color=ORANGE, width=1.1)
        missed = [turn for turn in review.turns if turn.missed_lethal]
        top.plot([turn.number for turn in missed], np.zeros(len(missed)), "v", color="#b2182b", label="missed lethal")
        if missed:
            top.legend(frameon=False)
        top.set_ylabel("points lost")
        for who, colour, name in (("me", BLUE, "own hero"), ("enemy", MUTED, "enemy hero")):
            heroes = [getattr(turn.snapshot.state, who).hero for turn in review.turns]
            low.plot(turns, [hero.health + hero.armor for hero in heroes], "o-", color=colour, label=name, markersize=4)
        low.set_ylabel("health and armor")
        low.set_xlabel("turn")
        low.legend(frameon=False)
        low.xaxis.set_major_locator(MaxNLocator(integer=True))
        for axes in (top, low):
            axes.spines[:].set_visible(False)
            axes.grid(axis="y", color=GRID)
            axes.tick_params(length=0, labelcolor=INK)
            axes.set_axisbelow(True)
    return figure
