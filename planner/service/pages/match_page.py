"""The match page: step through a match log, with the points that each turn lost against the best turn."""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from nicegui import events, ui

from planner.errors import PlannerError
from planner.formats.documents import parse_json
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.rules.state import GameState
from planner.service.pages.elements import (
    arrows,
    box,
    button,
    error_text,
    format_number,
    on_key,
    plural,
    set_enabled,
    text,
)
from planner.service.pages.page_tasks import LatestTask, send_request
from planner.service.pages.table_view import HERO_POWER, TableView
from planner.service.plan_pool import PlanPool
from planner.service.plan_worker import TOURNAMENT_GAME

MAX_LOG_BYTES: Final = 950_000  # with the request around it, this is what the server accepts
_TURNS_PER_REQUEST: Final = 4
_MAX_KEPT_LOGS: Final = 64
# Logs on their way from the play page to this one. Their long random names cannot be guessed.
_kept_logs: OrderedDict[str, str] = OrderedDict()


def keep_log(log: str) -> str:
    """Keep a log for a while, and return the name that finds it."""
    name = secrets.token_urlsafe(24)
    _kept_logs[name] = log
    while len(_kept_logs) > _MAX_KEPT_LOGS:
        _kept_logs.popitem(last=False)
    return name


def match_page(pool: PlanPool, query: Mapping[str, str]) -> None:
    """Build the page for one visitor."""
    MatchPage(pool, query)


class MatchPage:
    """A form to open a match, then its states one by one."""

    def __init__(self, pool: PlanPool, query: Mapping[str, str]) -> None:
        self._pool = pool
        self._match: Any = None
        self._position = 0
        self._judged: dict[int, Any] = {}
        self._drawn_turn = -1
        with box("page two", "main"):
            with box("stack"):
                self._title = box("stack")
                self._table = box("stack")
            self._side = box("stack")
        self._task = LatestTask(ui.context.client)
        on_key(self._key)
        if query.get("log"):
            log = _kept_logs.get(query["log"])
            if log is None:
                self._show_form("This log has expired; open the file that you saved.")
            else:
                self._open_log(log)
        elif query.get("results"):
            try:
                number = int(query.get("game", ""))
            except ValueError:
                self._show_form(f"{query.get('game')!r} is not a game number.")
            else:
                self._open("Replaying the game …", TOURNAMENT_GAME, results=query["results"], game=number)
        else:
            self._show_form("")

    # -- opening a match

    def _show_form(self, problem: str) -> None:
        self._title.clear()
        with self._title, box("panel stack", "section"):
            text("Open a match", tag="h2")
            if problem:
                error_text(problem)
            text("A log that Play or planner play --json saved. The tournament page opens its games.", "soft", "p")
            upload = ui.upload(
                label="Choose a log, or drop it here",
                auto_upload=True,
                max_file_size=MAX_LOG_BYTES,
                on_upload=self._uploaded,
            )
            upload.on(
                "rejected", lambda: self._show_form(f"The file exceeds the size limit of {MAX_LOG_BYTES:,} bytes.")
            )
            upload.props("accept=.json flat bordered")

    async def _uploaded(self, event: events.UploadEventArguments) -> None:
        try:
            log = (await event.file.read()).decode("utf-8")
        except UnicodeDecodeError:
            self._show_form("The file is not UTF-8 text.")
            return
        self._open_log(log)

    def _open_log(self, log: str) -> None:
        try:
            self._open("Checking the log …", "replay", log=parse_json(log, "log"))
        except PlannerError as error:
            self._show_form(str(error))

    def _open(self, progress: str, kind: str, **fields: Any) -> None:
        self._title.clear()
        with self._title:
            text(progress, "panel", "p")
        self._task.begin(partial(self._load, kind, fields))

    async def _load(self, kind: str, fields: dict[str, Any]) -> None:
        try:
            self._match = await send_request(self._pool, kind, **fields)
        except PlannerError as error:
            self._show_form(str(error))
            return
        self._position = 0
        self._show()
        if self._match["profiles"]:
            await self._judge(str(self._profile.value))

    # -- the match

    def _show(self) -> None:
        match = self._match
        self._title.clear()
        with self._title:
            with box("panel stack", "section"):
                title = " against ".join(f"{s} ({a})" for s, a in zip(match["seats"], match["agents"], strict=True))
                text(title, tag="h2").props["id"] = "who"
                text(f"{match['outcome'].capitalize()} after {plural(match['rounds'], 'round')}.", "soft", "p")
                if match["problem"]:
                    error_text(f"Shown up to the first move that breaks the rules: {match['problem']}")
            with box("row"):
                self._buttons = [
                    button("|◀", lambda: self._go_to(0), label="To the start"),
                    button("◀", lambda: self._go_to(self._position - 1), label="Previous action"),
                    button("▶", lambda: self._go_to(self._position + 1), "main", label="Next action"),
                    button("▶|", lambda: self._go_to(10**6), label="To the end"),
                ]
                log = json.dumps(match["log"], ensure_ascii=False)
                button("Save log", lambda: ui.download.content(log, "match.json"))
                button("Open another", lambda: self._show_form(""))
            self._slider = ui.slider(min=0, max=max(1, len(match["frames"]) - 1), value=0, on_change=self._slid)
            self._slider.props["aria-label"] = "Timeline"
        self._side.clear()
        with self._side:
            with box("panel stack", "section"):
                text("Points lost per turn", tag="h2")
                if match["profiles"]:
                    self._profile = ui.select(
                        match["profiles"],
                        label="Weights",
                        value=match["profile"],
                        on_change=lambda event: self._task.begin(partial(self._judge, event.value)),
                    ).props("outlined dense options-dense")
                    self._chart = box("chart")
                    self._verdict = box("stack")
                else:
                    line = f"Turns of {match['game']} cannot be planned, so there is no best turn to compare with."
                    text(line, "soft", "p").props["id"] = "unjudged"
            with box("panel", "section"):
                text("Turns", tag="h2")
                self._turns = box("turns")
        self._judged, self._drawn_turn = {}, -1
        self._draw()

    def _slid(self, event: events.ValueChangeEventArguments[float | None]) -> None:
        self._go_to(int(event.value or 0))

    def _key(self, event: Any) -> None:
        if self._match is not None and event.action.keydown and event.key.name in ("ArrowRight", "ArrowLeft"):
            self._go_to(self._position + (1 if event.key.name == "ArrowRight" else -1))

    def _go_to(self, position: int) -> None:
        position = min(max(position, 0), len(self._match["frames"]) - 1)
        if position != self._position:
            self._position = position
            self._slider.value = position
            self._draw()

    def _current_turn(self) -> int:
        """Return the index of the turn of the next action, or of the last one."""
        frames = self._match["frames"]
        return int(frames[min(self._position + 1, len(frames) - 1)]["turn"])

    def _draw(self) -> None:
        match, last = self._match, len(self._match["frames"]) - 1
        for index, element in enumerate(self._buttons):
            set_enabled(element, self._position > 0 if index < 2 else self._position < last)
        frame = match["frames"][self._position]
        line = arrows(frame["words"])
        caption = f"{self._position} of {last}: {line}" if line else "Before the first action"
        self._table.clear()
        with self._table:
            if match["game"] == GAME.name:
                self._draw_table(frame, caption)
            else:
                text(caption, "soft", "p")
                text(frame["picture"], "panel picture", "pre")
        if self._current_turn() != self._drawn_turn:
            self._draw_side()

    def _draw_side(self) -> None:
        """Draw the turns, the chart and the verdict: when the turn changes, and when one more is judged."""
        self._drawn_turn = self._current_turn()
        self._turns.clear()
        with self._turns:
            self._draw_turns()
        if self._match["profiles"]:
            self._draw_chart()

    def _draw_table(self, frame: Any, caption: str) -> None:
        state: GameState = GAME.state_from_json(frame["state"])
        names = self._match["seats"]
        action = frame.get("action") or {}
        marks = {}
        mine = state.seat == self._match["turns"][frame["turn"]]["seat"] if self._match["turns"] else True
        if mine and action.get("type") not in (None, "end_turn", "mulligan"):
            marks = {str(action.get("attacker") or action.get("card") or HERO_POWER): "acting"}
            if action.get("target"):
                marks[action["target"]] = "target"
        titles = (str(names[state.seat]), str(names[1 - state.seat]))
        TableView(marks=marks, titles=titles, caption=caption, read_only=True).draw(state)

    def _draw_turns(self) -> None:
        match, current = self._match, self._current_turn()
        first = 0
        for index, turn in enumerate(match["turns"]):
            title = f"Turn {turn['number']}" if turn["number"] else "Mulligan"
            element = box("step now" if index == current else "step", "button")
            element.props["type"] = "button"
            element.on("click", partial(self._go_to, first))
            with element:
                text(turn["number"] or "", "at num")
                text(f"{title}: {match['seats'][turn['seat']]}")
                line = plural(turn["moves"], "action")
                if index in self._judged:
                    line += f" · {_loss_text(self._judged[index])}"
                text(line, "earned num")
            first += turn["moves"]

    # -- the points lost

    async def _judge(self, profile: str) -> None:
        self._judged.clear()
        self._draw_side()
        turns = [index for index, turn in enumerate(self._match["turns"]) if turn["number"] and turn["complete"]]
        for start in range(0, len(turns), _TURNS_PER_REQUEST):
            some = turns[start : start + _TURNS_PER_REQUEST]
            try:
                answer = await send_request(self._pool, "judge", log=self._match["log"], turns=some, weights=profile)
            except PlannerError as error:
                self._verdict.clear()
                with self._verdict:
                    error_text(str(error))
                return
            self._judged |= {entry["index"]: entry for entry in answer["turns"]}
            self._draw_side()

    def _draw_chart(self) -> None:
        match, current = self._match, self._current_turn()
        highest = max([1e-9, *(entry.get("points_lost", 0) for entry in self._judged.values())])
        first = 0
        self._chart.clear()
        with self._chart:
            for index, turn in enumerate(match["turns"]):
                judged = self._judged.get(index)
                if turn["number"]:
                    classes = ["first" if turn["seat"] == 0 else "second", "here" if index == current else ""]
                    classes += ["guess"] if judged is not None and judged.get("estimate") else []
                    element = box(" ".join(classes), "button").on("click", partial(self._go_to, first))
                    element.props["type"] = "button"
                    label = "not judged" if judged is None else _loss_text(judged)
                    element.props["aria-label"] = f"Turn {turn['number']}, {match['seats'][turn['seat']]}: {label}"
                    element.props["title"] = element.props["aria-label"]
                    with element:
                        height = 0 if judged is None else max(0.0, judged.get("points_lost", 0)) / highest
                        box(tag="span").style(f"height: {100 * height:.1f}%")
                first += turn["moves"]
        self._verdict.clear()
        with self._verdict:
            for seat, name in enumerate(match["seats"]):
                losses = [
                    entry["points_lost"]
                    for entry in self._judged.values()
                    if entry["seat"] == seat and "points_lost" in entry
                ]
                pattern = "solid" if seat == 0 else "striped"
                total = format_number(sum(losses))
                text(f"{name} ({pattern}): {total} points lost over {plural(len(losses), 'turn')}", "soft", "p")
            if current in self._judged:
                self._draw_verdict(current, self._judged[current])

    def _draw_verdict(self, index: int, judged: Any) -> None:
        turn = self._match["turns"][index]
        text(f"Turn {turn['number']}: {self._match['seats'][turn['seat']]}", tag="h3")
        if "problem" in judged:
            text(f"Not judged: {judged['problem']}.", "soft", "p")
            return
        score, best = format_number(judged["score"]), format_number(judged["best_score"])
        text(f"Score {score}, best turn {best}: {format_number(judged['points_lost'])} points lost.", tag="p")
        if judged["estimate"]:
            text(_ESTIMATES.get(judged["estimate"], _ESTIMATES["unproved"]), "soft", "p")
        if judged["missed_win"]:
            text("A certain win was missed; this profile prefers a win to any score.", "soft", "p")
        text("Best turn:", "soft", "p")
        with box("steps", "ol").props("id=planned"):
            for line in judged["best_turn"] or ["end the turn"]:
                text(arrows(line), tag="li")


_ESTIMATES: Final = {
    "luck": "An estimate: the turn used cards that it drew or results that it rolled itself.",
    "barred": "An estimate: the profile's rules forbid the turn that was played.",
    "unproved": "An estimate: the search for the best turn was ended by its limit.",
}


def _loss_text(judged: Any) -> str:
    if "problem" in judged:
        return "not judged"
    return f"{format_number(judged['points_lost'])} points lost{' (estimate)' if judged['estimate'] else ''}"
