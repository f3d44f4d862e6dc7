"""The weights of a plan: a profile, or numbers of one's own by sliders, each with the range in which the turn stays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from nicegui import ui

from planner.errors import PlannerError, quote
from planner.games.hearthstone.turn.weights import EXTRA_TERMS, SIGNS, TERMS, Weights
from planner.service.pages.parts import box, number, press, term_words, words

OWN: Final = "my own"
_LEAST_SCALE: Final = 20


def weights_from_text(text: str) -> Weights:
    """A profile's name, or `lethal:20,face_damage:18`."""
    if ":" not in text:
        if text not in Weights.names():
            raise PlannerError(f"{quote(text)} is not a profile")
        return Weights.of(text)
    given: dict[str, float] = {}
    for part in text.split(","):
        term, _, value = part.partition(":")
        try:
            found = float(value)
        except ValueError:
            raise PlannerError(f"{quote(part)} is not term:number") from None
        given[term.strip()] = int(found) if found.is_integer() else found
    return Weights.of(given)


class Weighing:
    """The form; `changed` is called when a weight is another."""

    def __init__(self, weights: Weights, changed: Callable[[], None]) -> None:
        self._values: dict[str, float] = {term: weights.terms().get(term, 0) for term in SIGNS}
        self._changed, self._quiet = changed, False
        self._rows: dict[str, _Row] = {}
        names = list(Weights.names())
        self._profile = ui.select(
            [*names, OWN], label="Profile", value=weights.name if weights.name in names else OWN,
            on_change=lambda event: self._take(event.value),
        ).props("outlined dense options-dense")  # fmt: skip
        self._about = words(weights.description, "soft", "p")
        with box("weights"):
            for term in TERMS:
                self._rows[term] = _Row(term, self._values[term], self._move)
        with ui.expansion("Further terms").props("dense"), box("weights"):
            for term in EXTRA_TERMS:
                self._rows[term] = _Row(term, self._values[term], self._move)

    def given(self) -> Any:
        """As a request has them: the profile's name, or numbers."""
        return self._profile.value if self._profile.value != OWN else self._numbers()

    def text(self) -> str:
        """As a link has them."""
        given = self.given()
        return given if isinstance(given, str) else ",".join(f"{term}:{number(value)}" for term, value in given.items())

    def show(self, ranges: Mapping[str, Any]) -> None:
        """How far each weight can move; nothing where nothing is known yet."""
        for term, row in self._rows.items():
            row.show(ranges.get(term))

    def _numbers(self) -> dict[str, float]:
        return {term: value for term, value in self._values.items() if value or term in TERMS}

    def _take(self, name: str) -> None:
        if self._quiet or name == OWN:
            return
        profile = Weights.of(name)
        self._about.text = profile.description
        self._quiet = True
        for term, row in self._rows.items():
            self._values[term] = profile.terms().get(term, 0)
            row.put(self._values[term])
        self._quiet = False
        self._changed()

    def _move(self, term: str, value: float) -> None:
        if self._quiet or self._values[term] == value:
            return
        self._values[term] = value
        self._quiet = True
        self._rows[term].put(value)
        self._profile.value = OWN
        self._about.text = "Weights of your own."
        self._quiet = False
        self._changed()


class _Row:
    """One weight: a slider, its number, and below it the range."""

    def __init__(self, term: str, value: float, move: Callable[[str, float], None]) -> None:
        self._term, self._move = term, move
        sign = "−" if SIGNS[term] < 0 else "+"
        with box("weight"):
            with box("title"):
                words(f"{sign} {term_words(term)}")
            self._slider = ui.slider(min=0, max=_scale(value), step=0.5, value=value).props("dense snap")
            self._slider.props["aria-label"] = f"Weight of {term_words(term)}"
            self._number = ui.number(value=value, format="%g").props("dense outlined hide-bottom-space")
            self._number.props["aria-label"] = f"Weight of {term_words(term)}, as a number"
            self._number.props["data-term"] = term
            with box("range") as self._lane:
                self._bar = box(tag="span")
            self._reach = box("reach")
        self._slider.on_value_change(lambda event: self._given(event.value))
        self._number.on_value_change(lambda event: self._given(event.value))
        self._lane.set_visibility(False)

    def put(self, value: float) -> None:
        """Show another weight."""
        least, most = self._slider._props["min"], self._slider._props["max"]
        if not least <= value <= most:
            self._slider._props["max"] = _scale(value)
            self._slider._props["min"] = -_scale(value) if value < 0 else 0
        self._slider.value = value
        self._number.value = value

    def show(self, found: Any) -> None:
        """The range; None: nothing is known."""
        self._reach.clear()
        self._lane.set_visibility(found is not None)
        if found is None:
            return
        low, high = _end(found, "low"), _end(found, "high")
        least, most = self._slider._props["min"], self._slider._props["max"]
        left, right = (min(max(end, least), most) for end in (low, high))
        self._bar.style(f"left: {_share(left, least, most)}%; width: {_share(right - left + least, least, most)}%")
        with self._reach:
            words(f"stays best {_range_words(found)}").props["data-range"] = self._term
            for side, name in (("below", "below"), ("above", "above")):
                if found[side] is not None:
                    self._beyond(name, found[side])

    def _beyond(self, name: str, turn: Any) -> None:
        told = "; ".join(turn["words"]).replace("->", "→") or "end the turn at once"
        line = f"{name.capitalize()} that, this is best: {told}"
        button = press(name, lambda: ui.notify(line, multi_line=True, position="top", close_button="OK", timeout=0))
        button.classes(replace="")
        button.props["title"] = told
        button.props["aria-label"] = f"The best turn {name}: {told}"

    def _given(self, value: float | None) -> None:
        if value is not None and math.isfinite(value):
            self._move(self._term, int(value) if float(value).is_integer() else round(float(value), 6))


def _scale(value: float) -> float:
    return max(_LEAST_SCALE, 10 * math.ceil(abs(value) * 1.5 / 10))


def _end(found: Any, name: str) -> float:
    if found[name] is not None:
        return float(found[name])
    return -math.inf if name == "low" else math.inf


def _share(value: float, least: float, most: float) -> str:
    return f"{100 * (value - least) / (most - least):.2f}"


def _range_words(found: Any) -> str:
    low, high = found["low_exact"], found["high_exact"]
    if low is None or high is None:
        return "in a range that is not known"
    if low == "-inf" and high == "inf":
        return "whatever this weight is"
    if low == "-inf":
        return f"up to {high}"
    return f"from {low} on" if high == "inf" else f"from {low} to {high}"
