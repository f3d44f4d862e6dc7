"""The plan beside the table: the best turn under the chosen weights, searched again whenever something changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, Final

from nicegui import ui

from planner.errors import PlannerError
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.service.pages.elements import (
    arrows,
    bar_chart,
    box,
    button,
    error_text,
    format_number,
    format_signed,
    set_enabled,
    term_label,
    text,
)
from planner.service.pages.page_tasks import LatestTask, plan_parts
from planner.service.pages.table_editor import TableEditor
from planner.service.pages.table_view import HERO_POWER
from planner.service.pages.weight_panel import WeightPanel, weights_from_text
from planner.service.plan_pool import PlanPool

_DELAY: Final = 0.08  # seconds before a search starts: a slider moves often
_SPINNER_DELAY: Final = 0.2  # seconds until the spinner is shown
_END_TURN: Final = "End the turn."
_PROOFS: Final = {
    "exhaustive": "every reachable state was searched",
    "bound": "every unsearched line is bounded below this score",
    "program": "an integer program was solved to optimality",
}


class PlanPanel:
    """Shows the best turn, its steps, its score and the weights."""

    def __init__(
        self,
        pool: PlanPool,
        editor: TableEditor,
        weights: str,
        redraw: Callable[[], None],
        on_change: Callable[[], None],
        below_table: ui.element,
    ) -> None:
        self._pool, self._editor, self._redraw, self._on_change = pool, editor, redraw, on_change
        self.position = 0  # how many actions of the plan the table shows
        self._plan: dict[str, Any] | None = None
        self._losses: list[float] = []
        self._excluded: list[tuple[Any, str]] = []  # actions, and how the page describes them
        problem = ""
        try:
            profile = weights_from_text(weights)
        except PlannerError as error:
            profile, problem = Weights.of(Weights.default), f"The link has invalid weights: {error}"
        with box("stack"):
            with box("panel stack", "section"):
                with box("row"):
                    text("Best turn", tag="h2").style("margin: 0")
                    self._spinner = box("spin")
                    self._spinner.props["role"] = "status"
                if problem:
                    error_text(problem)
                self._head = box("stack")
                with box("row"):
                    self._buttons = [
                        button("|◀", lambda: self.go_to(0), label="Before the turn"),
                        button("◀", lambda: self.go_to(self.position - 1), label="Previous action"),
                        button("▶", lambda: self.go_to(self.position + 1), "main", label="Next action"),
                        button("▶|", lambda: self.go_to(10**6), label="After the turn"),
                    ]
                self._step_list = box("steps", "ol")
                self._exclusions = box("chips")
                self._verdict = box("stack")
            with box("panel", "section"):
                text("Next best turns", tag="h2")
                self._alternatives = box("stack")
        with below_table:
            with box("panel", "section"):
                text("Score breakdown", tag="h2")
                self._terms = box()
            with box("panel", "section"):
                text("Weights", tag="h2")
                self.weights = WeightPanel(profile, self._weights_changed)
        self._task = LatestTask(ui.context.client)

    def weights_text(self) -> str:
        """Return the weights as a link contains them."""
        return self.weights.to_text()

    # -- what the table shows

    def shown_state(self) -> tuple[GameState, Mapping[str, str], str]:
        """Return the state for the table, the marked cards and the caption."""
        steps = self._steps()
        if not self.position or self.position > len(steps):
            return self._editor.state, {}, ""
        step = steps[self.position - 1]
        action = step["action"]
        marks = {str(action.get("attacker") or action.get("card") or HERO_POWER): "acting"}
        if action.get("target"):
            marks[action["target"]] = "target"
        caption = f"After action {self.position} of {len(steps)}: {arrows(step['words'])}"
        return GAME.state_from_json(step["state"]), marks, caption

    def go_to(self, position: int) -> None:
        """Show the table after this many actions of the plan."""
        position = min(max(position, 0), len(self._steps()))
        if position != self.position:
            self.position = position
            self._redraw()
            self._show_steps()

    def _steps(self) -> list[Any]:
        return self._plan["steps"] if self._plan else []

    # -- searching

    def table_changed(self) -> None:
        """Search again for a changed table; exclusions of the old one do not apply to it."""
        self._excluded.clear()
        self._weights_changed()

    def _weights_changed(self) -> None:
        self._on_change()
        self.search()

    def search(self) -> None:
        """Search for the best turn; a search that is still running is cancelled."""
        if self.position:
            self.position = 0
            self._redraw()
        self._task.begin(self._search)

    async def _search(self) -> None:
        await asyncio.sleep(_DELAY)
        spin = asyncio.get_running_loop().call_later(_SPINNER_DELAY, lambda: self._spinner.classes("on"))
        request = {
            "state": self._editor.to_json(),
            "weights": self.weights.to_json(),
            "exclude": [action for action, _ in self._excluded],
            "steps": True,
            "explain": True,
            "ranges": not self._excluded,
        }
        self._plan, self._losses, problem = None, [], ""
        try:
            async with aclosing(plan_parts(self._pool, **request)) as parts:
                async for part in parts:
                    spin.cancel()
                    self._spinner.classes(remove="on")
                    self._show_part(part)
        except PlannerError as error:
            problem = str(error)
        finally:
            spin.cancel()
            self._spinner.classes(remove="on")
        if problem and self._plan is None:
            self._show(problem)
        elif problem:
            self._fill(self._alternatives, lambda: error_text(problem))

    def _show_part(self, part: dict[str, Any]) -> None:
        """Show what a worker has sent: the plan first, then its explanation, then the ranges of the weights."""
        if "status" in part:
            self._plan = part
            self._show("")
        elif "explanation" in part:
            explanation = part["explanation"]
            self._losses = [entry["loss"] for entry in explanation["loss_without"]]
            self._show_steps()
            self._fill(self._alternatives, lambda: self._show_alternatives(explanation["next_best"]))
            with self._verdict:
                text(self._lethal_line(explanation["lethal_missed_by"]), tag="p").props["id"] = "lethal"
        elif "ranges" in part:
            self.weights.show_ranges(part["ranges"] or {})

    def _lethal_line(self, missed_by: int | None) -> str:
        if missed_by == 0:
            lethal = self._plan is not None and self._plan["lethal"]
            return "Lethal: this turn wins." if lethal else "Lethal exists, but these weights prefer this turn."
        if missed_by is None:
            return "Lethal: unknown, because the search did not finish or the effect of a card is not known."
        return f"No lethal: the most damaging turn leaves the enemy hero {missed_by} health and armor."

    # -- showing

    @staticmethod
    def _fill(container: ui.element, draw: Callable[[], object]) -> None:
        container.clear()
        with container:
            draw()

    def _show(self, problem: str) -> None:
        self.weights.show_ranges({})
        self._fill(self._head, lambda: error_text(problem) if problem else self._show_head())
        self._fill(self._verdict, self._show_proof)
        self._fill(self._exclusions, self._show_exclusions)
        self._fill(self._terms, self._show_terms)
        self._fill(self._alternatives, lambda: text("Searching …" if self._plan else "–", "soft"))
        self._show_steps()

    def _show_head(self) -> None:
        plan = self._plan
        if plan is None:
            return
        with box("row"):
            text(format_number(plan["objective"]), "score num").props["id"] = "score"
            text("proved best" if plan["status"] == "optimal" else "not proved", "tag")
            if plan["lethal"]:
                text("lethal", "tag win")
            if plan["outcome"] in ("draw", "loss"):
                text(plan["outcome"], "tag")

    def _show_steps(self) -> None:
        steps = self._steps()
        for index, element in enumerate(self._buttons):
            set_enabled(element, self.position > 0 if index < 2 else self.position < len(steps))
        self._fill(self._step_list, lambda: self._list_steps(steps))

    def _list_steps(self, steps: list[Any]) -> None:
        for number, step in enumerate(steps, start=1):
            with box(tag="li"):
                element = box("step now" if number == self.position else "step", "button")
                element.props["type"] = "button"
                element.on("click", lambda number=number: self.go_to(number))
                with element:
                    text(number, "at num")
                    text(arrows(step["words"]))
                    text(self._step_score(number - 1, step["earned"]), "earned num")
                button("Exclude", partial(self._exclude, step), "small", "Exclude: find the best turn without it")
        if self._plan and not steps:
            text(_END_TURN, tag="li")
        elif self._plan:
            with box(tag="li"), box("step", "div"):
                text("")
                text("at the end of the turn")
                text(_terms_line(self._plan["ending"]), "earned num")

    def _step_score(self, index: int, earned: Mapping[str, float]) -> str:
        line = _terms_line(earned)
        if index < len(self._losses):
            loss = self._losses[index]
            line += " · " + (f"{format_signed(-loss)} if excluded" if loss > 1e-9 else "same score if excluded")
        return line

    def _exclude(self, step: Any) -> None:
        self._excluded.append((step["action"], step["words"].partition(";")[0]))
        self.search()

    def _show_exclusions(self) -> None:
        for entry in self._excluded:
            button(f"excluded: {arrows(entry[1])} ✕", lambda entry=entry: self._allow(entry), "small", "Allow it again")

    def _allow(self, entry: tuple[Any, str]) -> None:
        self._excluded.remove(entry)
        self.search()

    def _show_proof(self) -> None:
        plan = self._plan
        if plan is None:
            return
        time = f"{1000 * plan['seconds']:.1f} ms"
        which = " without the excluded actions" if self._excluded else ""
        takes_wins = plan["weights"] in Weights.names() and Weights.named(plan["weights"]).take_lethal
        which = f" that wins{which}" if plan["lethal"] and takes_wins else which
        if plan["status"] == "optimal":
            text(f"Proved: no legal turn{which} scores more; {_PROOFS[plan['proof']]} ({time}).", tag="p")
        elif plan["ignored"]:
            names = ", ".join(plan["ignored"])
            text(f"Not proved: the effects of these cards are not fully known: {names} ({time}).", tag="p")
        else:
            bound = "the best possible score is not known"
            if plan["bound"] is not None:
                bound = f"no legal turn{which} scores more than {format_number(plan['bound'])}"
            text(f"Not proved: the {plan['stopped']} ended the search; {bound}.", tag="p")
        if plan["reveals"] is not None:
            text(f"Plan again after action {plan['reveals'] + 1}: it reveals hidden information.", tag="p")

    def _show_terms(self) -> None:
        if self._plan is not None:
            terms = self._plan["terms"].items()
            bar_chart([(term_label(term), points) for term, points in terms if points] or [("no points", 0.0)])

    def _show_alternatives(self, plans: list[Any]) -> None:
        assert self._plan is not None
        for plan in plans:
            loss = self._plan["objective"] - plan["objective"]
            with box("step", "div").style("cursor: default; grid-template-columns: 64px minmax(0, 1fr)"):
                text(f"−{format_number(loss)}" if loss > 1e-9 else "same", "at num")
                text(arrows("; ".join(plan["words"])) or _END_TURN)
        if not plans:
            text("No other turn was found.", "soft")


def _terms_line(earned: Mapping[str, float]) -> str:
    return ", ".join(f"{format_signed(points)} {term_label(term)}" for term, points in earned.items()) or "no points"
