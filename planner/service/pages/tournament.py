"""The page of tournaments: who beats whom, how surely, and from there to single games; a running one grows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from nicegui import ui

from planner.errors import PlannerError
from planner.service.pages.parts import box, press, problem, words

if TYPE_CHECKING:
    from planner.service.pages.standings import GameRow, Standing

_AGAIN: Final = 2.0  # seconds between looks at a run that goes on


def tournament_page(query: Mapping[str, str]) -> None:
    """One visitor's view of the server's results."""
    TournamentPage(query.get("results", ""))


async def _of_standings(what: str, *about: str) -> Any:
    """Tables are read beside the server's loop, and what reads them is loaded there too, when somebody comes."""

    def read() -> Any:
        from planner.service.pages import standings  # noqa: PLC0415  (pandas)

        return getattr(standings, what)(*about)

    return await asyncio.to_thread(read)


class TournamentPage:
    """The list of runs, one of them as a square, and the games of one pairing."""

    def __init__(self, name: str) -> None:
        self._name: str | None = None  # of the run that is wanted
        self._shown: Standing | None = None
        self._lengths = False
        self._pairing: tuple[str, str] | None = None
        self._listed: list[GameRow] | None = None  # the games that the side shows
        self._client = ui.context.client
        with box("page", "main"):
            with box("row"):
                self._choice = ui.select({}, label="Results", on_change=lambda event: self._open(event.value))
                self._choice.props("outlined dense options-dense").style("min-width: 240px")
                self._kind = press("Show lengths", self._switch)
            self._head = box("stack")
            with box("page two").style("padding: 0; max-width: none"):
                self._square = box("stack")
                self._side = box("stack")
        ui.timer(0, partial(self._list, name), once=True)
        ui.timer(_AGAIN, self._look_again)

    async def _list(self, name: str) -> None:
        found = await self._name_runs()
        first = "thesis" if "thesis" in found else next(iter(found), None)
        if name and name not in found:
            with self._head:
                problem(f"{name!r}: no such results on this server")
        elif name or first:
            self._choice.value = name or first
        else:
            with self._head:
                words("There are no results yet: `planner tournament` makes them.", "panel", "p")

    async def _name_runs(self) -> dict[str, bool]:
        found: dict[str, bool] = await _of_standings("tournaments")
        self._choice.set_options({one: one if done else f"{one} (running)" for one, done in found.items()})
        return found

    async def _open(self, name: str | None) -> None:
        if name and name != self._name:
            self._name = name
            self._pairing = self._listed = self._shown = None
            for part in (self._square, self._side):
                part.clear()
            await self._load(name)

    async def _look_again(self) -> None:
        if self._name is not None and (self._shown is None or not self._shown.finished):
            await self._load(self._name)

    async def _load(self, name: str) -> None:
        try:
            found = await _of_standings("standing", name)
        except PlannerError as error:
            self._shown = None
            self._head.clear()
            with self._head:
                problem(str(error))
            return
        if name == self._name and found is not self._shown:
            was_running = self._shown is not None and not self._shown.finished
            self._shown = found
            self._draw()
            await self._list_games()
            if was_running and found.finished:
                await self._name_runs()

    def _switch(self) -> None:
        self._lengths = not self._lengths
        self._kind.text = "Show scores" if self._lengths else "Show lengths"
        self._draw()

    # -- drawing

    def _draw(self) -> None:
        shown = self._shown
        if shown is None:
            return
        self._head.clear()
        with self._head:
            line = f"{shown.played} games" if shown.finished else f"Running: {shown.played} of {shown.total} games"
            words(line, "soft", "p").props["id"] = "progress"
        self._square.clear()
        with self._square:
            with box("panel stack", "section"):
                what = "Average length in rounds" if self._lengths else "Score of the first seat, in percent"
                if shown.one_seat:
                    what = "Average length in rounds" if self._lengths else "Games won, in percent"
                words(what, tag="h2")
                words("A click on a cell lists its games.", "soft", "p")
                with box("scroll"):
                    self._draw_square(shown)
            if shown.ratings:
                with box("panel stack", "section"):
                    words("Ratings", tag="h2")
                    words("Elo with its 95 % interval.", "soft", "p")
                    _draw_ratings(shown.ratings)

    def _draw_square(self, shown: Standing) -> None:
        low = min([cell.rounds for cell in shown.cells.values()], default=0)
        high = max([cell.rounds for cell in shown.cells.values()], default=1)
        with box("square", "table"):
            with box(tag="thead"), box(tag="tr"):
                words("", tag="th")
                for name in shown.columns:
                    words(name.replace("_", " "), tag="th").props["scope"] = "col"
            with box(tag="tbody"):
                for row in shown.rows:
                    with box(tag="tr"):
                        words(row.replace("_", " "), tag="th").props["scope"] = "row"
                        for column in shown.columns:
                            with box(tag="td"):
                                self._draw_cell(shown, row, column, low, high)

    def _draw_cell(self, shown: Standing, row: str, column: str, low: float, high: float) -> None:
        cell = shown.cells.get((row, column))
        if cell is None:
            words("–", "soft")
            return
        share = (cell.rounds - low) / ((high - low) or 1) if self._lengths else cell.score
        text = f"{cell.rounds:.1f}" if self._lengths else f"{100 * cell.score:.0f}"
        button = words(text, "here" if self._pairing == (row, column) else "", "button")
        button.props["type"] = "button"
        button.style(f"background: {_colour(share)}")
        interval = f"{100 * cell.score:.1f} % ({100 * cell.low:.1f} to {100 * cell.high:.1f})"
        told = f"{row} against {column}: {interval}, {cell.rounds:.1f} rounds, {cell.games} games"
        button.props["title"] = button.props["aria-label"] = told
        button.props["data-focus"] = f"{row} against {column}"  # its numbers may change under whoever is on it
        button.on("click", partial(self._choose, row, column))

    async def _choose(self, row: str, column: str) -> None:
        self._pairing, self._listed = (row, column), None
        self._draw()
        await self._list_games()
        # On a narrow screen the list is far below.
        self._client.run_javascript("document.getElementById('pairing')?.scrollIntoView({block: 'nearest'})")

    async def _list_games(self) -> None:
        """The games of the chosen pairing, where there are others than those that are listed."""
        shown, pairing = self._shown, self._pairing
        if shown is None or pairing is None:
            return
        try:
            games = await _of_standings("games_of", shown.name, *pairing)
        except PlannerError as error:
            self._side.clear()
            self._listed = None
            with self._side:
                problem(str(error))
            return
        if pairing == self._pairing and games != self._listed:
            self._listed = games
            self._draw_games(shown, *pairing, games)

    def _draw_games(self, shown: Standing, row: str, column: str, games: list[GameRow]) -> None:
        self._side.clear()
        with self._side, box("panel stack", "section"):
            title = f"{column} from {row}" if shown.one_seat else f"{row} against {column}"
            words(title, tag="h2").props["id"] = "pairing"
            cell = shown.cells.get((row, column))
            if cell is not None and len(games) < cell.games:
                words(f"The first {len(games)} games.", "soft", "p")
            with box("list", "table"):
                with box(tag="thead"), box(tag="tr"):
                    for title in ("game", "winner", "by", "rounds"):
                        words(title, tag="th")
                with box(tag="tbody"):
                    for game in games:
                        self._draw_game(shown, row, column, game)

    def _draw_game(self, shown: Standing, row: str, column: str, game: GameRow) -> None:
        winner = {0: row, 1: column}.get(game.winner, "nobody")
        if shown.one_seat:
            winner = "won" if game.winner == 0 else "lost"
        with box(tag="tr"):
            with box(tag="td"):
                link = words(game.number, "num", "a")
                link.props["href"] = "/match?" + urlencode({"results": shown.name, "game": game.number})
            words(winner, tag="td")
            words(game.reason, tag="td")
            words(game.rounds, "num", "td")


def _draw_ratings(ratings: list[dict[str, Any]]) -> None:
    low = min(one["low"] for one in ratings)
    width = (max(one["high"] for one in ratings) - low) or 1
    with box("list", "table"), box(tag="tbody"):
        for one in ratings:
            with box(tag="tr"):
                words(str(one["agent"]).replace("_", " "), tag="td")
                words(f"{one['elo']:+.0f}", "num", "td")
                with box(tag="td").style("width: 55%"), box("interval") as lane:
                    lane.props["title"] = f"{one['low']:.0f} to {one['high']:.0f}"
                    left, right = (100 * (one[key] - low) / width for key in ("low", "high"))
                    box(tag="span").style(f"left: {left:.2f}%; width: {right - left:.2f}%")
                    box(tag="i").style(f"left: calc({100 * (one['elo'] - low) / width:.2f}% - 2px)")


def _colour(share: float) -> str:
    """From orange over white to blue: told apart by most eyes, and the number stands on it."""
    bad, middle, good = (232, 145, 90), (247, 244, 236), (112, 172, 214)
    start, end, at = (bad, middle, 2 * share) if share < 0.5 else (middle, good, 2 * share - 1)
    mixed = (round(a + (b - a) * min(max(at, 0), 1)) for a, b in zip(start, end, strict=True))
    return f"rgb({', '.join(map(str, mixed))})"
