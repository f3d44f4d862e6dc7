"""The page of a match: step through it, and beside each turn what the planner would have done."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from nicegui import events, ui

from planner.errors import PlannerError
from planner.games.hearthstone.game import GAME
from planner.games.hearthstone.rules.state import GameState
from planner.service.pages.asking import Errand, ask
from planner.service.pages.drawing import POWER, Drawing
from planner.service.pages.parts import box, counted, enable, keys, number, press, problem, words
from planner.service.pool import Pool

LONGEST_LOG: Final = 950_000  # bytes: with what goes around it, as much as the server takes
_AT_ONCE: Final = 4  # turns that are judged with one question
_MOST_KEPT: Final = 64
# Logs on their way from the page where they were played to this one: found by whoever knows the long name.
_kept: OrderedDict[str, str] = OrderedDict()


def keep_log(text: str) -> str:
    """Remember a log for a while; the name that finds it."""
    name = secrets.token_urlsafe(24)
    _kept[name] = text
    while len(_kept) > _MOST_KEPT:
        _kept.popitem(last=False)
    return name


def match_page(pool: Pool, query: Mapping[str, str]) -> None:
    """One visitor's match: of a log, or of a tournament."""
    MatchPage(pool, query)


class MatchPage:
    """First which match, then its states one by one."""

    def __init__(self, pool: Pool, query: Mapping[str, str]) -> None:
        self._pool = pool
        self._match: Any = None
        self._at = 0
        self._judged: dict[int, Any] = {}
        self._drawn = -1  # the turn that the side shows
        with box("page two", "main"):
            with box("stack"):
                self._title = box("stack")
                self._table = box("stack")
            self._side = box("stack")
        self._errand = Errand(ui.context.client)
        keys(self._key)
        if query.get("log"):
            text = _kept.get(query["log"])
            if text is None:
                self._offer("This log is not kept any more; open the file that you saved.")
            else:
                self._open("open_log", text=text)
        elif query.get("results"):
            try:
                self._open("rerun", folder=query["results"], number=int(query.get("game", "")))
            except ValueError:
                self._offer(f"{query.get('game')!r} is not the number of a game.")
        else:
            self._offer("")

    # -- which match

    def _offer(self, refused: str) -> None:
        self._title.clear()
        with self._title, box("panel stack", "section"):
            words("Open a match", tag="h2")
            if refused:
                problem(refused)
            words("A log that Play or planner play --json has saved. A tournament's page opens its games.", "soft", "p")
            upload = ui.upload(
                label="Choose a log, or drop it here", auto_upload=True, max_file_size=LONGEST_LOG,
                on_upload=self._uploaded,
            )  # fmt: skip
            upload.on("rejected", lambda: self._offer(f"The file has more than {LONGEST_LOG} bytes."))
            upload.props("accept=.json flat bordered")

    async def _uploaded(self, event: events.UploadEventArguments) -> None:
        try:
            text = (await event.file.read()).decode("utf-8")
        except UnicodeDecodeError:
            self._offer("The file is not UTF-8 text.")
            return
        self._open("open_log", text=text)

    def _open(self, do: str, **about: Any) -> None:
        self._title.clear()
        with self._title:
            words("Playing the match again …" if do == "rerun" else "Checking the log …", "panel", "p")
        self._errand.begin(partial(self._load, do, about))

    async def _load(self, do: str, about: dict[str, Any]) -> None:
        try:
            self._match = await ask(self._pool, do, **about)
        except PlannerError as error:
            self._offer(str(error))
            return
        self._at = 0
        self._show()
        if self._match["profiles"]:
            await self._judge(str(self._profile.value))

    # -- the match

    def _show(self) -> None:
        match = self._match
        self._title.clear()
        with self._title:
            with box("panel stack", "section"):
                who = " against ".join(f"{s} ({a})" for s, a in zip(match["seats"], match["agents"], strict=True))
                words(who, tag="h2").props["id"] = "who"
                words(f"{match['outcome'].capitalize()} after {counted(match['rounds'], 'round')}.", "soft", "p")
                if match["problem"]:
                    problem(f"Shown up to where it differs from the rules: {match['problem']}")
            with box("row"):
                self._buttons = [
                    press("|◀", lambda: self._go(0), label="To the beginning"),
                    press("◀", lambda: self._go(self._at - 1), label="One action back"),
                    press("▶", lambda: self._go(self._at + 1), "main", label="One action on"),
                    press("▶|", lambda: self._go(10**6), label="To the end"),
                ]
                press("Save the log", lambda: ui.download.content(match["log"], "match.json"))
                press("Open another", lambda: self._offer(""))
            self._line = ui.slider(min=0, max=max(1, len(match["frames"]) - 1), value=0, on_change=self._slid)
            self._line.props["aria-label"] = "Timeline"
        self._side.clear()
        with self._side:
            with box("panel stack", "section"):
                words("What each turn fell short of", tag="h2")
                if match["profiles"]:
                    self._profile = ui.select(
                        match["profiles"], label="Judged by the weights of", value=match["profile"],
                        on_change=lambda event: self._errand.begin(partial(self._judge, event.value)),
                    ).props("outlined dense options-dense")  # fmt: skip
                    self._chart = box("chart")
                    self._verdict = box("stack")
                else:
                    line = f"Turns of {match['game']} cannot be planned, so there is no best turn to compare them with."
                    words(line, "soft", "p").props["id"] = "unjudged"
            with box("panel", "section"):
                words("Turn by turn", tag="h2")
                self._turns = box("turns")
        self._judged, self._drawn = {}, -1
        self._draw()

    def _slid(self, event: events.ValueChangeEventArguments[float | None]) -> None:
        self._go(int(event.value or 0))

    def _key(self, event: Any) -> None:
        if self._match is not None and event.action.keydown and event.key.name in ("ArrowRight", "ArrowLeft"):
            self._go(self._at + (1 if event.key.name == "ArrowRight" else -1))

    def _go(self, to: int) -> None:
        now = min(max(to, 0), len(self._match["frames"]) - 1)
        if now != self._at:
            self._at = now
            self._line.value = now
            self._draw()

    def _turn_at(self) -> int:
        """The turn of the next action, or of the last one."""
        frames = self._match["frames"]
        return int(frames[min(self._at + 1, len(frames) - 1)]["turn"])

    def _draw(self) -> None:
        match, last = self._match, len(self._match["frames"]) - 1
        for place, button in enumerate(self._buttons):
            enable(button, self._at > 0 if place < 2 else self._at < last)
        frame = match["frames"][self._at]
        line = frame["words"].replace("->", "→")
        banner = f"{self._at} of {last}: {line}" if line else "Before the first action"
        self._table.clear()
        with self._table:
            if match["game"] == GAME.name:
                self._draw_table(frame, banner)
            else:
                words(banner, "soft", "p")
                words(frame["picture"], "panel picture", "pre")
        if self._turn_at() != self._drawn:
            self._draw_side()

    def _draw_side(self) -> None:
        """The turns, the chart and the verdict: other ones for another turn, and when one more is judged."""
        self._drawn = self._turn_at()
        self._turns.clear()
        with self._turns:
            self._draw_turns()
        if self._match["profiles"]:
            self._draw_chart()

    def _draw_table(self, frame: Any, banner: str) -> None:
        state: GameState = GAME.state_from_json(frame["state"])
        names = self._match["seats"]
        action = frame.get("action") or {}
        marks = {}
        mine = state.seat == self._match["turns"][frame["turn"]]["seat"] if self._match["turns"] else True
        if mine and action.get("type") not in (None, "end_turn", "mulligan"):
            marks = {str(action.get("attacker") or action.get("card") or POWER): "acting"}
            if action.get("target"):
                marks[action["target"]] = "target"
        titles = (str(names[state.seat]), str(names[1 - state.seat]))
        Drawing(marks=marks, titles=titles, banner=banner, flat=True).draw(state)

    def _draw_turns(self) -> None:
        match, now = self._match, self._turn_at()
        first = 0
        for place, turn in enumerate(match["turns"]):
            title = f"Turn {turn['number']}" if turn["number"] else "Before"
            button = box("step now" if place == now else "step", "button")
            button.props["type"] = "button"
            button.on("click", partial(self._go, first))
            with button:
                words(turn["number"] or "", "at num")
                words(f"{title}: {match['seats'][turn['seat']]}")
                judged = self._judged.get(place)
                line = counted(turn["moves"], "action")
                if judged is not None:
                    line += f" · {_judged_words(judged)}"
                words(line, "earned num")
            first += turn["moves"]

    # -- what the planner would have done

    async def _judge(self, profile: str) -> None:
        self._judged.clear()
        self._draw_side()
        places = [place for place, turn in enumerate(self._match["turns"]) if turn["number"] and turn["whole"]]
        for begin in range(0, len(places), _AT_ONCE):
            some = places[begin : begin + _AT_ONCE]
            try:
                found = await ask(self._pool, "judge", text=self._match["log"], turns=some, weights=profile)
            except PlannerError as error:
                self._verdict.clear()
                with self._verdict:
                    problem(str(error))
                return
            self._judged |= {int(place): one for place, one in found["turns"].items()}
            self._draw_side()

    def _draw_chart(self) -> None:
        match, now = self._match, self._turn_at()
        most = max([1e-9, *(one.get("regret", 0) for one in self._judged.values())])
        first = 0
        self._chart.clear()
        with self._chart:
            for place, turn in enumerate(match["turns"]):
                judged = self._judged.get(place)
                if turn["number"]:
                    classes = ["first" if turn["seat"] == 0 else "second", "here" if place == now else ""]
                    classes += ["guess"] if judged is not None and judged.get("estimate") else []
                    button = box(" ".join(classes), "button").on("click", partial(self._go, first))
                    button.props["type"] = "button"
                    shown = "not judged" if judged is None else _judged_words(judged)
                    button.props["aria-label"] = f"Turn {turn['number']}, {match['seats'][turn['seat']]}: {shown}"
                    button.props["title"] = button.props["aria-label"]
                    with button:
                        height = 0 if judged is None else max(0.0, judged.get("regret", 0)) / most
                        box(tag="span").style(f"height: {100 * height:.1f}%")
                first += turn["moves"]
        self._verdict.clear()
        with self._verdict:
            for seat, name in enumerate(match["seats"]):
                mine = [
                    one["regret"] for place, one in self._judged.items()
                    if match["turns"][place]["seat"] == seat and "regret" in one
                ]  # fmt: skip
                total = sum(mine)
                look = "solid" if seat == 0 else "striped"
                words(f"{name} ({look}): {number(total)} in {counted(len(mine), 'turn')}", "soft", "p")
            judged = self._judged.get(now)
            if judged is not None:
                self._draw_verdict(now, judged)

    def _draw_verdict(self, place: int, judged: Any) -> None:
        turn = self._match["turns"][place]
        words(f"Turn {turn['number']}: {self._match['seats'][turn['seat']]}", tag="h3")
        if "problem" in judged:
            words(f"Not judged: {judged['problem']}.", "soft", "p")
            return
        best, earned = number(judged["best"]), number(judged["earned"])
        words(f"Earned {earned}, the best turn {best}: a regret of {number(judged['regret'])}.", tag="p")
        if judged["estimate"] == "luck":
            words("An estimate: the turn used what it had itself drawn or rolled.", "soft", "p")
        elif judged["estimate"] == "barred":
            words("An estimate: the profile's rules forbid the turn that was played.", "soft", "p")
        elif judged["estimate"]:
            words("An estimate: the search for the best turn was ended by its limit.", "soft", "p")
        if judged["missed_win"]:
            words("A certain win was missed, which this profile puts before all weights.", "soft", "p")
        words("The planner would:", "soft", "p")
        with box("steps", "ol").props("id=planned"):
            for line in judged["words"] or ["end the turn at once"]:
                words(line.replace("->", "→"), tag="li")


def _judged_words(judged: Any) -> str:
    if "problem" in judged:
        return "not judged"
    return f"regret {number(judged['regret'])}{' (estimate)' if judged['estimate'] else ''}"
