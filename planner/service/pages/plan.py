"""The plan beside the table: the best turn under a profile, found anew whenever something changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from nicegui import ui

from planner.errors import PlannerError
from planner.games.hearthstone.game import GAME
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.weights import Weights
from planner.service.pages.asking import Errand, ask
from planner.service.pages.drawing import POWER
from planner.service.pages.parts import bars, box, enable, number, press, problem, signed, term_words, words
from planner.service.pages.sketch import Sketch
from planner.service.pages.weighing import Weighing, weights_from_text
from planner.service.pool import Pool

_PAUSE: Final = 0.08  # seconds of rest before the workers are asked: a slider moves often
_PATIENCE: Final = 0.2  # seconds until a wheel turns
_PROOFS: Final = {
    "exhaustive": "every state that the turn can lead to was looked at",
    "bound": "what was left out cannot be better, by a bound that never says too little",
    "program": "an integer program was solved to its optimum",
}


class PlanPanel:
    """What the planner would do with the sketch."""

    def __init__(
        self,
        pool: Pool,
        sketch: Sketch,
        weights: str,
        redraw: Callable[[], None],
        changed: Callable[[], None],
        below_the_table: ui.element,
    ) -> None:
        self._pool, self._sketch, self._redraw, self._changed = pool, sketch, redraw, changed
        self.at = 0  # so many actions of the plan are on the table
        self._answer: dict[str, Any] | None = None
        self._losses: list[float] = []
        self._without: list[tuple[Any, str]] = []  # actions that are not wanted, and their words
        refused = ""
        try:
            given = weights_from_text(weights)
        except PlannerError as error:
            given, refused = Weights.of(Weights.default), f"The link holds no weights: {error}"
        with box("stack"):
            with box("panel stack", "section"):
                with box("row"):
                    words("The best turn", tag="h2").style("margin: 0")
                    self._spin = box("spin")
                    self._spin.props["role"] = "status"
                if refused:
                    problem(refused)
                self._head = box("stack")
                with box("row") as self._controls:
                    self._buttons = [
                        press("|◀", lambda: self.go(0), label="Before the turn"),
                        press("◀", lambda: self.go(self.at - 1), label="One action back"),
                        press("▶", lambda: self.go(self.at + 1), "main", label="One action on"),
                        press("▶|", lambda: self.go(10**6), label="After the turn"),
                    ]
                self._steps = box("steps", "ol")
                self._bans = box("chips")
                self._verdict = box("stack")
            with box("panel", "section"):
                words("The next best turns", tag="h2")
                self._others = box("stack")
        with below_the_table:
            with box("panel", "section"):
                words("What it is worth", tag="h2")
                self._terms = box()
            with box("panel", "section"):
                words("What counts", tag="h2")
                self.weighing = Weighing(given, self._weigh)
        self._errand = Errand(ui.context.client)

    def weights_text(self) -> str:
        """The weights as a link carries them."""
        return self.weighing.text()

    # -- what the table shows

    def shown(self) -> tuple[GameState, Mapping[str, str], str]:
        """The state on the table, who is marked, and the words in its middle."""
        steps = self._answer["steps"] if self._answer else []
        if not self.at or self.at > len(steps):
            return self._sketch.state, {}, ""
        step = steps[self.at - 1]
        action = step["action"]
        marks = {str(action.get("attacker") or action.get("card") or POWER): "acting"}
        if action.get("target"):
            marks[action["target"]] = "target"
        banner = f"After action {self.at} of {len(steps)}: {_arrows(step['words'])}"
        return GAME.state_from_json(step["state"]), marks, banner

    def go(self, to: int) -> None:
        """Show the table after so many actions of the plan."""
        most = len(self._answer["steps"]) if self._answer else 0
        now = min(max(to, 0), most)
        if now != self.at:
            self.at = now
            self._redraw()
            self._show_steps()

    # -- asking

    def changed(self) -> None:
        """Another table: what was forbidden on the old one says nothing about this one."""
        self._without.clear()
        self._weigh()

    def _weigh(self) -> None:
        self._changed()
        self.ask()

    def ask(self) -> None:
        """Find the best turn anew; whatever was being looked for is not wanted any more."""
        if self.at:
            self.at = 0
            self._redraw()
        self._errand.begin(self._find)

    async def _find(self) -> None:
        await asyncio.sleep(_PAUSE)
        turning = asyncio.get_running_loop().call_later(_PATIENCE, lambda: self._spin.classes("on"))
        asked = {
            "state": self._sketch.data(),
            "weights": self.weighing.given(),
            "without": [action for action, _ in self._without],
        }
        try:
            self._answer, refused = await ask(self._pool, "look", **asked), ""
        except PlannerError as error:
            self._answer, refused = None, str(error)
        finally:
            turning.cancel()
            self._spin.classes(remove="on")
        self._losses = []
        self._show(refused)
        if self._answer is not None:
            more = [self._find_others(asked), self._find_lethal(asked["state"])]
            if not self._without and self._answer["plan"]["status"] == "optimal":
                more.append(self._find_ranges(asked["state"], asked["weights"]))
            await asyncio.gather(*more)

    async def _find_others(self, asked: dict[str, Any]) -> None:
        try:
            found = await ask(self._pool, "others", **asked)
        except PlannerError as error:
            refused = str(error)
            self._fill(self._others, lambda: problem(refused))
            return
        self._losses = found["losses"]
        self._show_steps()
        self._fill(self._others, lambda: _show_others(found["others"]))

    async def _find_lethal(self, state: Any) -> None:
        try:
            missed = (await ask(self._pool, "lethal", state=state))["missed_by"]
        except PlannerError as error:
            line = f"Lethal: not known ({error})"
        else:
            line = self._lethal_words(missed)
        with self._verdict:
            words(line, tag="p").props["id"] = "lethal"

    async def _find_ranges(self, state: Any, weights: Any) -> None:
        try:
            found = (await ask(self._pool, "ranges", state=state, weights=weights))["ranges"]
        except PlannerError:
            found = {}
        self.weighing.show(found)

    def _lethal_words(self, missed: int | None) -> str:
        if missed == 0:
            plan = self._answer["plan"] if self._answer else {}
            here = plan.get("lethal")
            return "Lethal: this turn wins." if here else "Lethal exists, but these weights prefer this turn."
        if missed is None:
            return "Lethal: not known: a turn without an end, too much chance, or a text that nobody knows."
        return f"No lethal: the hardest turn leaves the enemy hero {missed} health and armor."

    # -- showing

    @staticmethod
    def _fill(place: ui.element, draw: Callable[[], object]) -> None:
        place.clear()
        with place:
            draw()

    def _show(self, refused: str) -> None:
        self.weighing.show({})
        self._fill(self._head, lambda: problem(refused) if refused else self._show_head())
        self._fill(self._verdict, self._show_proof)
        self._fill(self._bans, self._show_bans)
        self._fill(self._terms, self._show_terms)
        self._fill(self._others, lambda: words("Looking …" if self._answer else "None.", "soft"))
        self._show_steps()

    def _show_head(self) -> None:
        if self._answer is None:
            return
        plan = self._answer["plan"]
        with box("row"):
            words(number(plan["objective"]), "worth num").props["id"] = "worth"
            words("proved best" if plan["status"] == "optimal" else "not proved", "tag")
            if plan["lethal"]:
                words("lethal", "tag win")
            if plan["outcome"] in ("draw", "loss"):
                words(plan["outcome"], "tag")

    def _show_steps(self) -> None:
        steps = self._answer["steps"] if self._answer else []
        for place, button in enumerate(self._buttons):
            enable(button, self.at > 0 if place < 2 else self.at < len(steps))
        self._fill(self._steps, lambda: self._list_steps(steps))

    def _list_steps(self, steps: list[Any]) -> None:
        for place, step in enumerate(steps, start=1):
            with box(tag="li"):
                button = box("step now" if place == self.at else "step", "button")
                button.props["type"] = "button"
                button.on("click", lambda place=place: self.go(place))
                with button:
                    words(place, "at num")
                    words(_arrows(step["words"]))
                    words(self._earned(place - 1, step["earned"]), "earned num")
                press("not this", partial(self._forbid, step), "small", "not this: the best turn without it")
        if self._answer and not steps:
            words("End the turn at once.", tag="li")
        elif self._answer:
            with box(tag="li"), box("step", "div"):
                words("")
                words("at the end of the turn")
                words(_earned_words(self._answer["ending"]), "earned num")

    def _earned(self, place: int, earned: Mapping[str, float]) -> str:
        line = _earned_words(earned)
        if place < len(self._losses):
            loss = self._losses[place]
            line += " · " + (f"{number(loss)} less without it" if loss > 1e-9 else "as good without it")
        return line

    def _forbid(self, step: Any) -> None:
        self._without.append((step["action"], step["words"].partition(";")[0]))
        self.ask()

    def _show_bans(self) -> None:
        for entry in self._without:
            press(f"without: {_arrows(entry[1])} ✕", lambda entry=entry: self._allow(entry), "small", "Allow it again")

    def _allow(self, entry: tuple[Any, str]) -> None:
        self._without.remove(entry)
        self.ask()

    def _show_proof(self) -> None:
        if self._answer is None:
            return
        plan = self._answer["plan"]
        milliseconds = f"{1000 * plan['seconds']:.1f} ms"
        among = " without what you ruled out" if self._without else ""
        takes_wins = plan["weights"] in Weights.names() and Weights.named(plan["weights"]).take_lethal
        among = f" that wins{among}" if plan["lethal"] and takes_wins else among
        if plan["status"] == "optimal":
            words(f"Proved: no legal turn{among} is worth more; {_PROOFS[plan['proof']]} ({milliseconds}).", tag="p")
        elif plan["ignored"]:
            names = ", ".join(plan["ignored"])
            words(f"Not proved: what these cards do is not known in full: {names} ({milliseconds}).", tag="p")
        else:
            most = "how far off is not known"
            if plan["bound"] is not None:
                most = f"no legal turn{among} is worth more than {number(plan['bound'])}"
            words(f"Not proved: the {plan['stopped']} ended the search; {most}.", tag="p")
        if plan["reveals"] is not None:
            words(f"Plan again after action {plan['reveals'] + 1}: it reveals something.", tag="p")

    def _show_terms(self) -> None:
        if self._answer is not None:
            terms = self._answer["plan"]["terms"].items()
            bars([(term_words(term), worth) for term, worth in terms if worth] or [("nothing", 0.0)])


def _show_others(others: list[Any]) -> None:
    for other in others:
        with box("step", "div").style("cursor: default; grid-template-columns: 64px minmax(0, 1fr)"):
            words(f"−{number(other['loss'])}" if other["loss"] > 1e-9 else "as good", "at num")
            words(_arrows("; ".join(other["words"])) or "End the turn at once.")
    if not others:
        words("No other turn was found.", "soft")  # the time may have ended the search


def _earned_words(earned: Mapping[str, float]) -> str:
    return ", ".join(f"{signed(worth)} {term_words(term)}" for term, worth in earned.items()) or "nothing by itself"


def _arrows(line: str) -> str:
    return line.replace("->", "→")
