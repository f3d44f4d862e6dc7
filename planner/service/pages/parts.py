"""The small parts that all pages are made of. Words from strangers are text nodes, never markup."""

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
_REMEMBER_DARK: Final = "document.cookie = 'dark=%s; path=/; max-age=31536000; samesite=strict'"


def words(content: object, classes: str = "", tag: str = "span") -> TextElement:
    """An element with nothing but text in it."""
    return TextElement(tag=tag, text=plain(str(content))).classes(classes)


def plain(text: str) -> str:
    """Without signs that are not seen: one that turns the direction of writing would turn our own words too."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)


def box(classes: str = "", tag: str = "div") -> ui.element:
    """An element to put others into."""
    return ui.element(tag).classes(classes)


def press(content: str, do: Callable[..., Any], classes: str = "", label: str = "") -> TextElement:
    """A button with words on it; `label` is what a screen reader says instead."""
    button = words(content, f"press {classes}", "button").on("click", do)
    button.props["type"] = "button"
    if label:
        button.props["aria-label"] = label
        button.props["title"] = label
    return button


def enable(element: ui.element, enabled: bool) -> None:
    """Let a button be pressed, or not."""
    if enabled:
        element.props.pop("disabled", None)
    else:
        element.props["disabled"] = True
    element.update()


def frame(here: str, dark: str | None, title: str) -> None:
    """What every page has: its style, the way to the other pages, dark or light."""
    ui.add_css(_STYLE)
    ui.add_head_html(f"<script>{_FOCUS}</script>")
    ui.page_title(f"{title} · planner")
    ui.colors(primary="#33614f", secondary="#1d5f8a", accent="#d99a2b", negative="#b2521c")
    ui.on_exception(_fault)
    mode = ui.dark_mode({"1": True, "0": False}.get(dark or ""))

    def turn_over() -> None:
        now = not mode.value if mode.value is not None else True
        mode.value = now
        ui.run_javascript(_REMEMBER_DARK % int(now))

    with box("bar", "header"):
        link = words("planner", "brand", "a")
        link.props["href"] = "/"
        with box(tag="nav"):
            for path, name in PAGES:
                link = words(name, "here" if path == here else "", "a")
                link.props["href"] = path
                if path == here:
                    link.props["aria-current"] = "page"
        link = words("for programs", "push soft", "a")
        link.props["href"] = "/docs"
        press("◐", turn_over, "small", "Dark or light")


def _fault(error: Exception) -> None:
    """A fault of ours is a message too; the server's log has the rest."""
    line = f"Something went wrong here: {short_error(error)}"
    ui.notify(line, type="negative", position="top", close_button="OK", timeout=0)


def keys(do: Callable[[Any], None]) -> None:
    """Keys for the whole page; in fields, and on a slider, which is a div, arrows have a meaning of their own."""
    ui.keyboard(do, ignore=cast(Any, ["input", "select", "textarea", "div"]))


def problem(line: str) -> None:
    """A refusal on the page."""
    words(line, "problem", "p").props["role"] = "alert"


def number(value: float) -> str:
    """As short as it is exact: `214`, `-1.5`."""
    return f"{value + 0.0:.6g}"


def counted(count: int, what: str) -> str:
    """`1 turn`, `2 turns`."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def signed(value: float) -> str:
    """With its sign, a true minus."""
    return f"+{number(value)}" if value > 0 else f"−{number(-value)}" if value < 0 else "0"


def term_words(term: str) -> str:
    """A term for a reader."""
    return term.replace("_", " ")


def bars(values: Sequence[tuple[str, float]]) -> None:
    """Numbers beside each other, from a common zero."""
    low, high = min([0.0, *(v for _, v in values)]), max([0.0, *(v for _, v in values)])
    width = (high - low) or 1
    with box("bars"):
        for name, value in values:
            words(name)
            with box("lane"):
                left, right = min(value, 0) - low, max(value, 0) - low
                style = f"left: {100 * left / width:.2f}%; width: {100 * (right - left) / width:.2f}%"
                box("plus" if value >= 0 else "minus", "span").style(style)
                box(tag="hr").style(f"left: {-100 * low / width:.2f}%")
            words(signed(value), "num")
