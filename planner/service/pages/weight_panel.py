"""The weights of a plan: a profile or custom numbers, each with the range in which the turn stays best."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from nicegui import ui

from planner.errors import PlannerError, quote
from planner.games.hearthstone.turn.hearthstone_weights import EXTRA_TERMS, TERM_SIGNS, TERMS, Weights
from planner.service.pages.elements import arrows, box, button, format_number, term_label, text

CUSTOM: Final = "custom"
_MIN_SCALE: Final = 20


def weights_from_text(source: str) -> Weights:
    """Read a profile's name, or numbers such as `lethal:20,face_damage:18`."""
    if ":" not in source:
        if source not in Weights.names():
            raise PlannerError(f"unknown profile {quote(source)}")
        return Weights.of(source)
    terms: dict[str, float] = {}
    for part in source.split(","):
        term, _, number = part.partition(":")
        try:
            value = float(number)
        except ValueError:
            raise PlannerError(f"must be term:number, got {quote(part)}") from None
        terms[term.strip()] = int(value) if value.is_integer() else value
    return Weights.of(terms)


class WeightPanel:
    """The form; `on_change` is called when a weight changes."""

    def __init__(self, weights: Weights, on_change: Callable[[], None]) -> None:
        self._values: dict[str, float] = {term: weights.terms().get(term, 0) for term in TERM_SIGNS}
        self._on_change, self._updating = on_change, False
        self._rows: dict[str, _WeightRow] = {}
        names = list(Weights.names())
        self._profile = ui.select(
            [*names, CUSTOM],
            label="Profile",
            value=weights.name if weights.name in names else CUSTOM,
            on_change=lambda event: self._select(event.value),
        ).props("outlined dense options-dense")
        self._description = text(weights.description, "soft", "p")
        with box("weights"):
            for term in TERMS:
                self._rows[term] = _WeightRow(term, self._values[term], self._set)
        with ui.expansion("More terms").props("dense"), box("weights"):
            for term in EXTRA_TERMS:
                self._rows[term] = _WeightRow(term, self._values[term], self._set)

    def to_json(self) -> Any:
        """Return the weights as a request contains them: the profile's name, or numbers by term."""
        if self._profile.value != CUSTOM:
            return self._profile.value
        return {term: value for term, value in self._values.items() if value or term in TERMS}

    def to_text(self) -> str:
        """Return the weights as a link contains them."""
        weights = self.to_json()
        if isinstance(weights, str):
            return weights
        return ",".join(f"{term}:{format_number(value)}" for term, value in weights.items())

    def show_ranges(self, ranges: Mapping[str, Any]) -> None:
        """Show how far each weight can move; clear the terms that `ranges` does not contain."""
        for term, row in self._rows.items():
            row.show_range(ranges.get(term))

    def _select(self, name: str) -> None:
        if self._updating or name == CUSTOM:
            return
        profile = Weights.of(name)
        self._description.text = profile.description
        self._updating = True
        for term, row in self._rows.items():
            self._values[term] = profile.terms().get(term, 0)
            row.set_value(self._values[term])
        self._updating = False
        self._on_change()

    def _set(self, term: str, value: float) -> None:
        if self._updating or self._values[term] == value:
            return
        self._values[term] = value
        self._updating = True
        self._rows[term].set_value(value)
        self._profile.value = CUSTOM
        self._description.text = "Custom weights."
        self._updating = False
        self._on_change()


class _WeightRow:
    """One weight: a slider, its number, and the range in which the turn stays best."""

    def __init__(self, term: str, value: float, on_change: Callable[[str, float], None]) -> None:
        self._term, self._on_change = term, on_change
        label = term_label(term)
        with box("weight"):
            with box("title"):
                text(f"{label} (cost)" if TERM_SIGNS[term] < 0 else label)
            self._slider = ui.slider(min=0, max=_scale(value), step=0.5, value=value).props("dense snap")
            self._slider.props["aria-label"] = f"Weight of {label}"
            self._number = ui.number(value=value, format="%g").props("dense outlined hide-bottom-space")
            self._number.props["aria-label"] = f"Weight of {label}, as a number"
            self._number.props["data-term"] = term
            with box("range") as self._lane:
                self._bar = box(tag="span")
            self._range = box("range-text")
        self._slider.on_value_change(lambda event: self._changed(event.value))
        self._number.on_value_change(lambda event: self._changed(event.value))
        self._lane.set_visibility(False)

    def set_value(self, value: float) -> None:
        """Show another weight."""
        low, high = self._slider._props["min"], self._slider._props["max"]
        if not low <= value <= high:
            self._slider._props["max"] = _scale(value)
            self._slider._props["min"] = -_scale(value) if value < 0 else 0
        self._slider.value = value
        self._number.value = value

    def show_range(self, limits: Any) -> None:
        """Show the range, or nothing where it is None."""
        self._range.clear()
        self._lane.set_visibility(limits is not None)
        if limits is None:
            return
        low, high = self._slider._props["min"], self._slider._props["max"]
        left, right = (min(max(end, low), high) for end in (_end(limits, "low"), _end(limits, "high")))
        self._bar.style(f"left: {_share(left, low, high)}%; width: {_share(right - left + low, low, high)}%")
        with self._range:
            text(_range_text(limits)).props["data-range"] = self._term
            for side in ("below", "above"):
                if limits[side] is not None:
                    self._show_beyond(side, limits[side])

    def _show_beyond(self, side: str, turn: Any) -> None:
        words = arrows("; ".join(turn["words"])) or "end the turn"
        line = f"{side.capitalize()} that, the best turn is: {words}"
        element = button(side, lambda: ui.notify(line, multi_line=True, position="top", close_button="OK", timeout=0))
        element.classes(replace="")
        element.props["title"] = words
        element.props["aria-label"] = f"The best turn {side}: {words}"

    def _changed(self, value: float | None) -> None:
        if value is not None and math.isfinite(value):
            self._on_change(self._term, int(value) if float(value).is_integer() else round(float(value), 6))


def _scale(value: float) -> float:
    return max(_MIN_SCALE, 10 * math.ceil(abs(value) * 1.5 / 10))


def _end(limits: Any, name: str) -> float:
    if limits[name] is not None:
        return float(limits[name])
    return -math.inf if name == "low" else math.inf


def _share(value: float, low: float, high: float) -> str:
    return f"{100 * (value - low) / (high - low):.2f}"


def _range_text(limits: Any) -> str:
    low, high = (None if end is None else end.replace("-", "−") for end in (limits["low_exact"], limits["high_exact"]))
    if low is None or high is None:
        return "range not known"
    if low == "−inf" and high == "inf":
        return "best for any value"
    if low == "−inf":
        return f"best for {high} and below"
    return f"best for {low} and above" if high == "inf" else f"best from {low} to {high}"
