"""The tournament page: scores of all pairings with links to single games; a running tournament updates itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from nicegui import ui

from planner.errors import PlannerError
from planner.service.pages.elements import box, button, error_text, text

if TYPE_CHECKING:
    from planner.service.standings import GameRow, Standings

_REFRESH_SECONDS: Final = 2.0  # for a running tournament


def tournament_page(query: Mapping[str, str]) -> None:
    """Build the page for one visitor."""
    TournamentPage(query.get("results", ""))


async def _read_standings(function: str, *arguments: str) -> Any:
    """Call a function of the standings module in a thread: it reads tables, and importing it loads pandas."""

    def call() -> Any:
        from planner.service import standings  # noqa: PLC0415  (pandas)

        return getattr(standings, function)(*arguments)

    return await asyncio.to_thread(call)


class TournamentPage:
    """The list of tournaments, the matrix of one of them, and the games of one pairing."""

    def __init__(self, name: str) -> None:
        self._name: str | None = None  # of the selected tournament
        self._standings: Standings | None = None
        self._shows_lengths = False
        self._pairing: tuple[str, str] | None = None
        self._games: list[GameRow] | None = None  # that the side shows
        self._client = ui.context.client
        with box("page", "main"):
            with box("row"):
                self._select = ui.select({}, label="Results", on_change=lambda event: self._open(event.value))
                self._select.props("outlined dense options-dense").style("min-width: 240px")
                self._toggle = button("Show lengths", self._switch)
            self._head = box("stack")
            with box("page two").style("padding: 0; max-width: none"):
                self._matrix = box("stack")
                self._side = box("stack")
        ui.timer(0, partial(self._list, name), once=True)
        ui.timer(_REFRESH_SECONDS, self._refresh)

    async def _list(self, name: str) -> None:
        names = await self._update_names()
        first = "thesis" if "thesis" in names else next(iter(names), None)
        if name and name not in names:
            with self._head:
                error_text(f"{name!r}: no such results on this server")
        elif name or first:
            self._select.value = name or first
        else:
            with self._head:
                text("There are no results yet; `planner tournament` creates them.", "panel", "p")

    async def _update_names(self) -> dict[str, bool]:
        finished: dict[str, bool] = await _read_standings("tournaments")
        self._select.set_options({name: name if done else f"{name} (running)" for name, done in finished.items()})
        return finished

    async def _open(self, name: str | None) -> None:
        if name and name != self._name:
            self._name = name
            self._pairing = self._games = self._standings = None
            for part in (self._matrix, self._side):
                part.clear()
            await self._load(name)

    async def _refresh(self) -> None:
        if self._name is not None and (self._standings is None or not self._standings.finished):
            await self._load(self._name)

    async def _load(self, name: str) -> None:
        try:
            standings = await _read_standings("standings", name)
        except PlannerError as error:
            self._standings = None
            self._head.clear()
            with self._head:
                error_text(str(error))
            return
        if name == self._name and standings is not self._standings:
            was_running = self._standings is not None and not self._standings.finished
            self._standings = standings
            self._draw()
            await self._list_games()
            if was_running and standings.finished:
                await self._update_names()

    def _switch(self) -> None:
        self._shows_lengths = not self._shows_lengths
        self._toggle.text = "Show scores" if self._shows_lengths else "Show lengths"
        self._draw()

    # -- drawing

    def _draw(self) -> None:
        standings = self._standings
        if standings is None:
            return
        self._head.clear()
        with self._head:
            line = f"{standings.played} games"
            if not standings.finished:
                line = f"Running: {standings.played} of {standings.total} games"
            text(line, "soft", "p").props["id"] = "progress"
        self._matrix.clear()
        with self._matrix:
            with box("panel stack", "section"):
                title = "Row agent's score when moving first, in percent"
                if standings.one_seat:
                    title = "Games won, in percent"
                text("Average length in rounds" if self._shows_lengths else title, tag="h2")
                text("Click a cell to list its games.", "soft", "p")
                with box("scroll"):
                    self._draw_matrix(standings)
            if standings.ratings:
                with box("panel", "section"):
                    text("Ratings", tag="h2")
                    text("Elo with its 95 % interval.", "soft", "p")
                    _draw_ratings(standings.ratings)

    def _draw_matrix(self, standings: Standings) -> None:
        low = min([cell.rounds for cell in standings.cells.values()], default=0)
        high = max([cell.rounds for cell in standings.cells.values()], default=1)
        with box("square", "table"):
            with box(tag="thead"), box(tag="tr"):
                text("", tag="th")
                for name in standings.columns:
                    text(name.replace("_", " "), tag="th").props["scope"] = "col"
            with box(tag="tbody"):
                for row in standings.rows:
                    with box(tag="tr"):
                        text(row.replace("_", " "), tag="th").props["scope"] = "row"
                        for column in standings.columns:
                            with box(tag="td"):
                                self._draw_cell(standings, row, column, low, high)

    def _draw_cell(self, standings: Standings, row: str, column: str, low: float, high: float) -> None:
        cell = standings.cells.get((row, column))
        if cell is None:
            text("–", "soft")
            return
        share = (cell.rounds - low) / ((high - low) or 1) if self._shows_lengths else cell.score
        value = f"{cell.rounds:.1f}" if self._shows_lengths else f"{100 * cell.score:.0f}"
        element = text(value, "here" if self._pairing == (row, column) else "", "button")
        element.props["type"] = "button"
        element.style(f"background: {_colour(share)}")
        interval = f"{100 * cell.score:.1f} % ({100 * cell.low:.1f} to {100 * cell.high:.1f})"
        label = f"{row} against {column}: {interval}, {cell.rounds:.1f} rounds, {cell.games} games"
        element.props["title"] = element.props["aria-label"] = label
        element.props["data-focus"] = f"{row} against {column}"  # keeps the focus when the numbers change
        element.on("click", partial(self._choose, row, column))

    async def _choose(self, row: str, column: str) -> None:
        self._pairing, self._games = (row, column), None
        self._draw()
        await self._list_games()
        # On a narrow screen the list is far below.
        self._client.run_javascript("document.getElementById('pairing')?.scrollIntoView({block: 'nearest'})")

    async def _list_games(self) -> None:
        """Show the games of the chosen pairing, if they differ from those on the page."""
        standings, pairing = self._standings, self._pairing
        if standings is None or pairing is None:
            return
        try:
            games = await _read_standings("pairing_games", standings.name, *pairing)
        except PlannerError as error:
            self._side.clear()
            self._games = None
            with self._side:
                error_text(str(error))
            return
        if pairing == self._pairing and games != self._games:
            self._games = games
            self._draw_games(standings, *pairing, games)

    def _draw_games(self, standings: Standings, row: str, column: str, games: list[GameRow]) -> None:
        self._side.clear()
        with self._side, box("panel stack", "section"):
            title = f"{column} from {row}" if standings.one_seat else f"{row} against {column}"
            text(title, tag="h2").props["id"] = "pairing"
            cell = standings.cells.get((row, column))
            if cell is not None and len(games) < cell.games:
                text(f"The first {len(games)} games.", "soft", "p")
            with box("list", "table"):
                with box(tag="thead"), box(tag="tr"):
                    for header in ("game", "winner", "by", "rounds"):
                        text(header, tag="th")
                with box(tag="tbody"):
                    for game in games:
                        self._draw_game(standings, row, column, game)

    def _draw_game(self, standings: Standings, row: str, column: str, game: GameRow) -> None:
        winner = {0: row, 1: column}.get(game.winner, "draw")
        if standings.one_seat:
            winner = "won" if game.winner == 0 else "lost"
        with box(tag="tr"):
            with box(tag="td"):
                link = text(game.number, "num", "a")
                link.props["href"] = "/match?" + urlencode({"results": standings.name, "game": game.number})
            text(winner, tag="td")
            text(game.reason, tag="td")
            text(game.rounds, "num", "td")


def _draw_ratings(ratings: list[dict[str, Any]]) -> None:
    low = min(rating["low"] for rating in ratings)
    width = (max(rating["high"] for rating in ratings) - low) or 1
    with box("list", "table"), box(tag="tbody"):
        for rating in ratings:
            with box(tag="tr"):
                text(str(rating["agent"]).replace("_", " "), tag="td")
                text(f"{rating['elo']:+.0f}", "num", "td")
                with box(tag="td").style("width: 55%"), box("interval") as lane:
                    lane.props["title"] = f"{rating['low']:.0f} to {rating['high']:.0f}"
                    left, right = (100 * (rating[key] - low) / width for key in ("low", "high"))
                    box(tag="span").style(f"left: {left:.2f}%; width: {right - left:.2f}%")
                    box(tag="i").style(f"left: calc({100 * (rating['elo'] - low) / width:.2f}% - 2px)")


def _colour(share: float) -> str:
    """Return a colour from orange over white to blue, which most colour-blind people can tell apart."""
    bad, middle, good = (232, 145, 90), (247, 244, 236), (112, 172, 214)
    start, end, at = (bad, middle, 2 * share) if share < 0.5 else (middle, good, 2 * share - 1)
    mixed = (round(a + (b - a) * min(max(at, 0), 1)) for a, b in zip(start, end, strict=True))
    return f"rgb({', '.join(map(str, mixed))})"
