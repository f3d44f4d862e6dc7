"""The table page: a state to edit, share and export, with its best turn beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from nicegui import ui

from planner.errors import PlannerError
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.rules.state import GameState
from planner.service.pages.card_dialogs import CardDialogs
from planner.service.pages.elements import box, button, error_text, on_key, set_enabled, text
from planner.service.pages.plan_panel import PlanPanel
from planner.service.pages.table_editor import (
    EMPTY,
    EXAMPLES,
    FIRST_EXAMPLE,
    ZONES,
    TableEditor,
    Zone,
    drop_index,
    read_table,
)
from planner.service.pages.table_view import Spot, TableView
from planner.service.plan_pool import PlanPool

MAX_LINK_LENGTH: Final = 16_000  # characters that browsers and proxies accept


def table_page(pool: PlanPool, query: Mapping[str, str]) -> None:
    """Build the page for one visitor."""
    problem = ""
    try:
        state = read_table(query["state"]) if query.get("state") else read_table(EXAMPLES[FIRST_EXAMPLE])
    except PlannerError as error:
        problem, state = f"The link has an invalid state: {error}", read_table(EXAMPLES[FIRST_EXAMPLE])
    TablePage(pool, state, query.get("weights") or "aggro_face", problem)


class TablePage:
    """The table, the buttons above it, and the plan beside it."""

    def __init__(self, pool: PlanPool, state: GameState, weights: str, problem: str) -> None:
        self.editor = TableEditor(state)
        self._client = ui.context.client
        self.dialogs = CardDialogs(self.editor, self.apply, self._pick_up)
        self._picked_up: tuple[Zone, int] | None = None  # the card that the next click drops
        with box("page two", "main"):
            with box("stack over"):
                self._add_buttons()
                if problem:
                    error_text(problem)
                self._table = box("stack")
                below = box("stack below")
            self.plan = PlanPanel(pool, self.editor, weights, self.draw, self._update_address, below)
        on_key(self._key)
        self.draw()
        self.plan.search()

    def apply(self, change: Callable[[], None], focus: str = "") -> bool:
        """Make a change and return whether it was valid; an error is shown, and the table stays as it was."""
        try:
            change()
        except PlannerError as error:
            ui.notify(str(error), type="negative", position="top", multi_line=True, close_button="OK")
            return False
        self._picked_up = None
        self.plan.table_changed()
        self.draw()
        if focus:
            # Wait until the browser has drawn the new table.
            self._client.run_javascript(f"setTimeout(() => document.getElementById({json.dumps(focus)})?.focus(), 50)")
        return True

    # -- the buttons above the table

    def _add_buttons(self) -> None:
        with box("row"):
            self._undo = button("Undo", lambda: self.apply(self.editor.undo), label="Undo (Ctrl+Z)")
            self._redo = button("Redo", lambda: self.apply(self.editor.redo), label="Redo (Ctrl+Y)")
            examples = ui.select(
                list(EXAMPLES), label="Examples", on_change=lambda event: self._show_example(event.value)
            )
            examples.props("dense outlined options-dense").style("min-width: 190px")
            button("Clear", lambda: self.apply(lambda: self.editor.replace(GAME.state_from_json(EMPTY))))
            button("Import or export", self._import_or_export)
            button("Share", self._share)

    def _show_example(self, name: str | None) -> None:
        if name in EXAMPLES:
            self.apply(lambda: self.editor.replace(read_table(EXAMPLES[name])))

    def _key(self, event: Any) -> None:
        if not event.action.keydown:
            return
        key, held = event.key.name, event.modifiers
        if key == "Escape" and self._picked_up is not None:
            self._picked_up = None
            self.draw()
        if (held.ctrl or held.meta) and key in ("z", "Z"):
            self.apply(self.editor.redo if held.shift else self.editor.undo)
        elif (held.ctrl or held.meta) and key == "y":
            self.apply(self.editor.redo)
        elif not (held.shift or held.ctrl or held.alt or held.meta) and key in ("ArrowRight", "ArrowLeft"):
            self.plan.go_to(self.plan.position + (1 if key == "ArrowRight" else -1))

    # -- the table

    def draw(self) -> None:
        """Draw the table as edited, or after the actions of the plan that are shown."""
        set_enabled(self._undo, self.editor.can_undo)
        set_enabled(self._redo, self.editor.can_redo)
        self._table.clear()
        state, marks, caption = self.plan.shown_state()
        with self._table:
            if state is self.editor.state and self._picked_up is not None:
                zone, index = self._picked_up
                marks = {_card_id(state, zone, index): "chosen"}
                caption = "Click where to put the card: before another card or at the end. Click the card to cancel."
                view = TableView(self._pick, drop=self._drop, marks=marks, caption=caption)
            elif state is self.editor.state:
                view = TableView(self._pick, self.dialogs.add, self._move, self._remove, marks=marks, caption=caption)
            else:
                view = TableView(marks=marks, caption=caption, pick=lambda _: self._refuse_edit())
            view.draw(state)

    def _refuse_edit(self) -> None:
        ui.notify("The plan is being shown; go back to its start to edit the table.", position="top")

    def _pick(self, spot: Spot) -> None:
        zone = next((zone for zone in ZONES if zone == spot.zone), None)
        if zone is not None and self._picked_up is not None:
            self._drop(zone, spot.position)
        elif zone is not None:
            self.dialogs.edit(zone, spot.position)
        else:
            self.dialogs.edit_hero("enemy" if spot.zone.startswith("enemy") else "me")

    def _pick_up(self, zone: Zone, index: int) -> None:
        """Pick a card up, so that the next click drops it: touch screens cannot drag."""
        self._picked_up = (zone, index)
        self.draw()

    def _drop(self, end: Zone, to: int) -> None:
        assert self._picked_up is not None
        (start, index), self._picked_up = self._picked_up, None
        if (start, index) != (end, to):
            self._move(start, index, end, drop_index(start, index, end, to))
        self.draw()  # also where the move was invalid or the card stays

    def _move(self, start: Zone, index: int, end: Zone, to: int) -> None:
        self.apply(lambda: self.editor.move(start, index, end, to), f"{end}.{to}".replace(".", "-"))

    def _remove(self, zone: Zone, index: int) -> None:
        self.apply(lambda: self.editor.remove(zone, index), f"{zone}.{max(0, index - 1)}".replace(".", "-"))

    # -- import, export and links

    def _import_or_export(self) -> None:
        data = json.dumps(self.editor.to_json(), ensure_ascii=False, indent=1)
        with ui.dialog() as dialog, ui.card(), box("form"):
            text("Import or export", tag="h2")
            text("JSON or one line of text. Paste another state and import it, or copy this one.", "soft", "p")
            field = ui.textarea("JSON or text", value=data).props("outlined autogrow input-style='max-height: 40vh'")
            problem = text("", "problem", "p")
            problem.set_visibility(False)

            def read() -> None:
                try:
                    state = read_table(field.value or "")
                except PlannerError as error:
                    problem.text = str(error)
                    problem.set_visibility(True)
                    return
                dialog.close()
                self.apply(lambda: self.editor.replace(state))

            with box("row"):
                button("Import", read, "main")
                button("As JSON", lambda: field.set_value(data))
                button("As one line of text", lambda: field.set_value(GAME.state_to_text(self.editor.state)))
                button("Download", lambda: ui.download.content(data, "state.json"))
                button("Close", dialog.close)
        dialog.open()

    def _link(self) -> str:
        return "/?" + urlencode({"state": GAME.state_to_text(self.editor.state), "weights": self.plan.weights_text()})

    def _update_address(self) -> None:
        """Put the state into the browser's address, so that a reload shows the same table."""
        link = self._link()
        if len(link) <= MAX_LINK_LENGTH:
            self._client.run_javascript(f"history.replaceState({{}}, '', {json.dumps(link)})")

    def _share(self) -> None:
        link = self._link()
        if len(link) > MAX_LINK_LENGTH:
            line = "This table is too large for a link; use Import or export to save it as a file."
            ui.notify(line, type="warning", position="top", close_button="OK")
            return
        with ui.dialog() as dialog, ui.card(), box("form"):
            text("Share this table", tag="h2")
            text("The link contains the whole table and the weights; it works on any planner server.", "soft", "p")
            field = ui.textarea("Link").props("outlined readonly autogrow input-style='max-height: 30vh'")
            field.props["id"] = "link"
            with box("row"):
                button("Copy", lambda: ui.clipboard.write(field.value or ""), "main")
                button("Close", dialog.close)

        async def fill() -> None:
            origin = await ui.run_javascript("window.location.origin")
            field.value = f"{origin}{link}"

        ui.timer(0, fill, once=True)
        dialog.open()


def _card_id(state: GameState, zone: Zone, index: int) -> str:
    player = state.enemy if zone == "enemy.board" else state.me
    return str((player.hand if zone == "me.hand" else player.board)[index].id)
