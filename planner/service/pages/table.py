"""The page of the table: put cards on it, change them, undo, take it along; and beside it the best turn."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from nicegui import ui

from planner.errors import PlannerError
from planner.games.hearthstone.game import GAME
from planner.games.hearthstone.rules.state import GameState
from planner.service.pages.dialogs import Dialogs
from planner.service.pages.drawing import Drawing, Spot
from planner.service.pages.examples import EXAMPLES, FIRST
from planner.service.pages.parts import box, enable, keys, press, problem, words
from planner.service.pages.plan import PlanPanel
from planner.service.pages.sketch import EMPTY, ZONES, Sketch, Zone, landing, read
from planner.service.pool import Pool

LONGEST_LINK: Final = 16_000  # signs: what browsers and the servers between take


def table_page(pool: Pool, query: Mapping[str, str]) -> None:
    """One visitor's table: nobody else sees it."""
    refused = ""
    try:
        state = read(query["state"]) if query.get("state") else read(EXAMPLES[FIRST])
    except PlannerError as error:
        refused, state = f"The link holds no table: {error}", read(EXAMPLES[FIRST])
    TablePage(pool, state, query.get("weights") or "aggro_face", refused)


class TablePage:
    """The table, the buttons above it, and the plan beside it."""

    def __init__(self, pool: Pool, state: GameState, weights: str, refused: str) -> None:
        self.sketch = Sketch(state)
        self._client = ui.context.client
        self.dialogs = Dialogs(self.sketch, self.do, self._lift)
        self._lifted: tuple[Zone, int] | None = None  # a card that waits to be put down
        with box("page two", "main"):
            with box("stack over"):
                self._tools()
                if refused:
                    problem(refused)
                self._table = box("stack")
                below = box("stack below")
            self.plan = PlanPanel(pool, self.sketch, weights, self.draw, self._remember, below)
        keys(self._key)
        self.draw()
        self.plan.ask()

    def do(self, change: Callable[[], None], focus: str = "") -> bool:
        """Carry a change out; a refusal is shown, and the table stays as it was."""
        try:
            change()
        except PlannerError as error:
            ui.notify(str(error), type="negative", position="top", multi_line=True, close_button="OK")
            return False
        self._lifted = None
        self.plan.changed()
        self.draw()
        if focus:
            # When the new table has been drawn, which takes the browser a moment.
            self._client.run_javascript(f"setTimeout(() => document.getElementById({json.dumps(focus)})?.focus(), 50)")
        return True

    # -- the buttons above

    def _tools(self) -> None:
        with box("row"):
            self._undo = press("Undo", lambda: self.do(self.sketch.undo), label="Undo (Ctrl+Z)")
            self._redo = press("Redo", lambda: self.do(self.sketch.redo), label="Redo (Ctrl+Y)")
            examples = ui.select(list(EXAMPLES), label="Examples", on_change=lambda event: self._example(event.value))
            examples.props("dense outlined options-dense").style("min-width: 190px")
            press("Clear", lambda: self.do(lambda: self.sketch.put(GAME.state_from_json(EMPTY))))
            press("Import or export", self._exchange)
            press("Share", self._share)

    def _example(self, name: str | None) -> None:
        if name in EXAMPLES:
            self.do(lambda: self.sketch.put(read(EXAMPLES[name])))

    def _key(self, event: Any) -> None:
        if not event.action.keydown:
            return
        key, held = event.key.name, event.modifiers
        if key == "Escape" and self._lifted is not None:
            self._lifted = None
            self.draw()
        if (held.ctrl or held.meta) and key in ("z", "Z"):
            self.do(self.sketch.redo if held.shift else self.sketch.undo)
        elif (held.ctrl or held.meta) and key == "y":
            self.do(self.sketch.redo)
        elif not (held.shift or held.ctrl or held.alt or held.meta) and key in ("ArrowRight", "ArrowLeft"):
            self.plan.go(self.plan.at + (1 if key == "ArrowRight" else -1))

    # -- the table

    def draw(self) -> None:
        """The table as it is, or as it will be after so many actions of the plan."""
        enable(self._undo, self.sketch.can_undo)
        enable(self._redo, self.sketch.can_redo)
        self._table.clear()
        state, marks, banner = self.plan.shown()
        with self._table:
            if state is self.sketch.state and self._lifted is not None:
                zone, place = self._lifted
                marks = {_card_id(state, zone, place): "chosen"}
                banner = "Where to? Before the card that you choose next, or at the end; on itself it stays."
                drawing = Drawing(self._pick, put_down=self._put_down, marks=marks, banner=banner)
            elif state is self.sketch.state:
                drawing = Drawing(self._pick, self.dialogs.add, self._move, self._remove, marks=marks, banner=banner)
            else:
                drawing = Drawing(marks=marks, banner=banner, pick=lambda _: self._no_change())
            drawing.draw(state)

    def _no_change(self) -> None:
        ui.notify("The plan is being played; go back to its start to change the table.", position="top")

    def _pick(self, spot: Spot) -> None:
        zone = next((zone for zone in ZONES if zone == spot.zone), None)
        if zone is not None and self._lifted is not None:
            self._put_down(zone, spot.place)
        elif zone is not None:
            self.dialogs.edit(zone, spot.place)
        else:
            self.dialogs.hero("enemy" if spot.zone.startswith("enemy") else "me")

    def _lift(self, zone: Zone, place: int) -> None:
        """Take a card up: also where nothing can be dragged, it can be put down with the next click."""
        self._lifted = (zone, place)
        self.draw()

    def _put_down(self, end: Zone, to: int) -> None:
        assert self._lifted is not None
        (start, place), self._lifted = self._lifted, None
        if (start, place) != (end, to):
            self._move(start, place, end, landing(start, place, end, to))
        self.draw()  # also where it was refused, or stays

    def _move(self, start: Zone, place: int, end: Zone, to: int) -> None:
        self.do(lambda: self.sketch.move(start, place, end, to), f"{end}.{to}".replace(".", "-"))

    def _remove(self, zone: Zone, place: int) -> None:
        self.do(lambda: self.sketch.remove(zone, place), f"{zone}.{max(0, place - 1)}".replace(".", "-"))

    # -- in and out

    def _exchange(self) -> None:
        data = json.dumps(self.sketch.data(), ensure_ascii=False, indent=1)
        with ui.dialog() as dialog, ui.card(), box("form"):
            words("Import or export", tag="h2")
            words("JSON or one line of text. Paste another table here and read it, or copy this one.", "soft", "p")
            given = ui.textarea("JSON or text", value=data).props("outlined autogrow input-style='max-height: 40vh'")
            refused = words("", "problem", "p")
            refused.set_visibility(False)

            def take() -> None:
                try:
                    state = read(given.value or "")
                except PlannerError as error:
                    refused.text = str(error)
                    refused.set_visibility(True)
                    return
                dialog.close()
                self.do(lambda: self.sketch.put(state))

            with box("row"):
                press("Read it", take, "main")
                press("As JSON", lambda: given.set_value(data))
                press("As one line of text", lambda: given.set_value(GAME.state_to_text(self.sketch.state)))
                press("Download", lambda: ui.download.content(data, "state.json"))
                press("Close", dialog.close)
        dialog.open()

    def _link(self) -> str:
        return "/?" + urlencode({"state": GAME.state_to_text(self.sketch.state), "weights": self.plan.weights_text()})

    def _remember(self) -> None:
        """In the browser's own address, so that a page that is loaded again, or by a new server, has the same table."""
        link = self._link()
        if len(link) <= LONGEST_LINK:
            self._client.run_javascript(f"history.replaceState({{}}, '', {json.dumps(link)})")

    def _share(self) -> None:
        link = self._link()
        if len(link) > LONGEST_LINK:
            ui.notify(
                "This table is too large for a link; Import or export has it as a file.",
                type="warning", position="top", close_button="OK",
            )  # fmt: skip
            return
        with ui.dialog() as dialog, ui.card(), box("form"):
            words("A link that carries the whole table", tag="h2")
            words("Whoever opens it sees this table and these weights, on any server like this one.", "soft", "p")
            shown = ui.textarea("Link").props("outlined readonly autogrow input-style='max-height: 30vh'")
            shown.props["id"] = "link"
            with box("row"):
                press("Copy", lambda: ui.clipboard.write(shown.value or ""), "main")
                press("Close", dialog.close)

        async def fill() -> None:
            origin = await ui.run_javascript("window.location.origin")
            shown.value = f"{origin}{link}"

        ui.timer(0, fill, once=True)
        dialog.open()


def _card_id(state: GameState, zone: Zone, place: int) -> str:
    player = state.enemy if zone == "enemy.board" else state.me
    return str((player.hand if zone == "me.hand" else player.board)[place].id)
