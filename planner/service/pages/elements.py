"""The elements that all pages are made of. Text from users becomes text nodes, never markup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from planner.user_code import short_error

_STYLE: Final = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
_FOCUS: Final = Path(__file__).with_name("focus.js").read_text(encoding="utf-8")
PAGES: Final = (("/", "Table"), ("/play", "Play"), ("/match", "Match"), ("/tournament", "Tournament"))
_SET_DARK_COOKIE: Final = "document.cookie = 'dark=%s; path=/; max-age=31536000; samesite=strict'"


def text(content: object, classes: str = "", tag: str = "span") -> TextElement:
    """Add an element that contains only text."""
    return TextElement(tag=tag, text=visible(str(content))).classes(classes)


def visible(content: str) -> str:
    """Replace invisible characters: one that reverses the direction of writing would reverse our own text too."""
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in content)


def box(classes: str = "", tag: str = "div") -> ui.element:
    """Add an element that contains others."""
    return ui.element(tag).classes(classes)


def button(content: str, on_click: Callable[..., Any], classes: str = "", label: str = "") -> TextElement:
    """Add a button; `label` is its tooltip and what a screen reader says."""
    element = text(content, f"button {classes}", "button").on("click", on_click)
    element.props["type"] = "button"
    if label:
        element.props["aria-label"] = label
        element.props["title"] = label
    return element


def set_enabled(element: ui.element, enabled: bool) -> None:
    """Enable or disable a button."""
    if enabled:
        element.props.pop("disabled", None)
    else:
        element.props["disabled"] = True
    element.update()


def page_frame(path: str, dark: str | None, title: str) -> None:
    """Add what every page has: its style, the links to the other pages, the switch between dark and light."""
    ui.add_css(_STYLE)
    ui.add_head_html(f"<script>{_FOCUS}</script>")
    ui.page_title(f"{title} · planner")
    ui.colors(primary="#33614f", secondary="#1d5f8a", accent="#d99a2b", negative="#b2521c")
    ui.on_exception(_show_exception)
    mode = ui.dark_mode({"1": True, "0": False}.get(dark or ""))

    def toggle() -> None:
        mode.value = not mode.value if mode.value is not None else True
        ui.run_javascript(_SET_DARK_COOKIE % int(mode.value))

    with box("bar", "header"):
        text("planner", "brand", "a").props["href"] = "/"
        with box(tag="nav"):
            for target, name in PAGES:
                link = text(name, "here" if target == path else "", "a")
                link.props["href"] = target
                if target == path:
                    link.props["aria-current"] = "page"
        text("API", "push soft", "a").props["href"] = "/docs"
        button("◐", toggle, "small", "Dark or light")


def _show_exception(error: Exception) -> None:
    """Show a bug as a message; the server's log has the traceback."""
    line = f"Something went wrong: {short_error(error)}"
    ui.notify(line, type="negative", position="top", close_button="OK", timeout=0)


def on_key(handler: Callable[[Any], None]) -> None:
    """Handle keys on the whole page, except in fields and on sliders, where arrow keys have their own meaning."""
    ui.keyboard(handler, ignore=cast(Any, ["input", "select", "textarea", "div"]))


def error_text(line: str) -> None:
    """Add an error message."""
    text(line, "problem", "p").props["role"] = "alert"


def format_number(value: float) -> str:
    """Format a number as short as possible, such as `214` or `-1.5`."""
    return f"{value + 0.0:.6g}"


def format_signed(value: float) -> str:
    """Format a number with its sign, with a typographic minus."""
    return f"+{format_number(value)}" if value > 0 else f"−{format_number(-value)}" if value < 0 else "0"


def plural(count: int, noun: str) -> str:
    """Return `1 turn`, `2 turns`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def term_label(term: str) -> str:
    """Return a term's name for a reader."""
    return term.replace("_", " ")


def arrows(line: str) -> str:
    """Replace `->` by an arrow."""
    return line.replace("->", "→")


def bar_chart(values: Sequence[tuple[str, float]]) -> None:
    """Add labelled horizontal bars from a common zero."""
    low, high = min([0.0, *(v for _, v in values)]), max([0.0, *(v for _, v in values)])
    width = (high - low) or 1
    with box("bars"):
        for name, value in values:
            text(name)
            with box("lane"):
                left, right = min(value, 0) - low, max(value, 0) - low
                style = f"left: {100 * left / width:.2f}%; width: {100 * (right - left) / width:.2f}%"
                box("plus" if value >= 0 else "minus", "span").style(style)
                box(tag="hr").style(f"left: {-100 * low / width:.2f}%")
            text(format_signed(value), "num")
