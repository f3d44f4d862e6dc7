"""Self-contained HTML pages: styles and pictures are embedded, and there are no scripts."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final, NamedTuple

STYLE: Final = """
:root { --ink: #1f2933; --muted: #5f6b7a; --line: #e3e8ee; --blue: #2166ac; --orange: #b35806; }
* { box-sizing: border-box; }
body { margin: 0; background: #f6f8fa; color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0; }
h2 { font-size: 20px; margin: 0 0 4px; }
h3 { font-size: 15px; margin: 24px 0 6px; }
p { margin: 4px 0 14px; max-width: 76ch; }
.muted, figcaption { color: var(--muted); font-size: 14px; }
section, .tiles > div { background: #fff; border: 1px solid var(--line); border-radius: 10px; }
section { padding: 22px 26px; margin-top: 20px; }
.tiles { display: flex; flex-wrap: wrap; gap: 14px; margin: 22px 0 0; }
.tiles > div { padding: 14px 18px; flex: 1 1 160px; max-width: 100%; }
.tiles b { display: block; font-size: 24px; line-height: 1.25; overflow-wrap: break-word; }
.tiles span { color: var(--muted); font-size: 13.5px; }
nav { margin-top: 18px; display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 14.5px; }
a { color: var(--blue); }
figure { margin: 10px 0 4px; }
img { max-width: 100%; height: auto; display: block; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding-bottom: 6px; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { color: var(--muted); font-weight: 600; vertical-align: bottom; }
td.text, th.text { text-align: left; }
td.long { white-space: normal; min-width: 24ch; overflow-wrap: anywhere; }
tbody tr:hover td { background: #f3f7fb; }
svg { vertical-align: middle; }
.warning { border-left: 5px solid var(--orange); }
details > summary { cursor: pointer; color: var(--blue); font-size: 14.5px; margin-top: 10px; }
pre { background: #f6f8fa; border: 1px solid var(--line); border-radius: 8px; padding: 14px; }
pre { overflow-x: auto; font-size: 13px; }
@media print { body { background: #fff; } section, .tiles > div { break-inside: avoid; } nav { display: none; } }
"""


class Grid(NamedTuple):
    """A table before it becomes HTML or LaTeX: the first `words` columns are text, the column `long` may wrap."""

    headers: Sequence[str]
    rows: Sequence[Sequence[object]]
    words: int = 1
    long: int = -1


class Html(str):
    """A string that is HTML; all other strings are escaped when they are put into a page."""

    __slots__ = ()


def text(value: object) -> str:
    """Return HTML unchanged and anything else escaped."""
    return value if isinstance(value, Html) else escape(str(value))


def page(title: str, parts: Iterable[str]) -> str:
    """Return the complete document."""
    content = "\n".join(parts)
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{STYLE}</style></head>
<body><main>
{content}
</main></body></html>
"""


def section(anchor: str, title: str, *parts: str, warning: bool = False) -> Html:
    """Return one box of the page."""
    kind = ' class="warning"' if warning else ""
    return Html(f'<section id="{anchor}"{kind}>\n<h2>{escape(title)}</h2>\n' + "\n".join(parts) + "\n</section>")


def sections_page(title: str, head: Iterable[str], sections: Iterable[tuple[str, str, Iterable[str]]]) -> str:
    """Return a document of sections: anchor, title and contents of each; sections without contents are left out."""
    shown = [(anchor, name, parts) for anchor, name, contents in sections if (parts := list(contents))]
    links = "".join(f'<a href="#{anchor}">{name}</a>' for anchor, name, _ in shown)
    boxes = [section(anchor, name, *parts, warning=anchor == "forfeits") for anchor, name, parts in shown]
    return page(title, [*head, f"<nav>{links}</nav>", *boxes])


def paragraph(words: object) -> Html:
    """Return a paragraph."""
    return Html(f"<p>{text(words)}</p>")


def note(words: object) -> Html:
    """Return a muted paragraph that explains what follows."""
    return Html(f'<p class="muted">{text(words)}</p>')


def tiles(numbers: Iterable[tuple[object, object]]) -> Html:
    """Return tiles with the most important numbers: (number, label)."""
    return Html(
        '<div class="tiles">'
        + "".join(f"<div><b>{text(n)}</b><span>{text(w)}</span></div>" for n, w in numbers)
        + "</div>"
    )


def picture(svg: bytes, words: str, caption: object = "") -> Html:
    """Return an embedded SVG; `words` is its alternative text."""
    data = base64.b64encode(svg).decode("ascii")
    below = f"<figcaption>{text(caption)}</figcaption>" if caption else ""
    return Html(f'<figure><img alt="{escape(words)}" src="data:image/svg+xml;base64,{data}">{below}</figure>')


def table(grid: Grid) -> Html:
    """Return a table; text is aligned to the left, numbers to the right."""
    headers, rows, words, long = grid

    def kind(column: int) -> str:
        names = ["text"] * (column < words or column == long) + ["long"] * (column == long)
        return f' class="{" ".join(names)}"' if names else ""

    head = "".join(f'<th scope="col"{kind(k)}>{text(name)}</th>' for k, name in enumerate(headers))
    body = "\n".join(
        "<tr>" + "".join(f"<td{kind(k)}>{text(value)}</td>" for k, value in enumerate(row)) + "</tr>" for row in rows
    )
    return Html(f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>')


def folded(summary: str, *parts: str) -> Html:
    """Return parts that are shown when the summary is clicked."""
    return Html(f"<details><summary>{escape(summary)}</summary>\n" + "\n".join(parts) + "\n</details>")


def score_cells(row: Mapping[Any, Any], prefix: str = "") -> tuple[str, str, Html]:
    """Return a score, its interval and a picture of both, from the columns `score`, `low` and `high`."""
    score, low, high = (row[f"{prefix}{name}"] for name in ("score", "low", "high"))
    return percent(score), span(low, high), interval_bar(score, low, high)


def interval_bar(estimate: float, low: float, high: float) -> Html:
    """Return a dot with its interval on a line from 0 to 1, small enough for a table cell."""
    if not all(map(math.isfinite, (estimate, low, high))):
        return Html("")
    width, pad = 120, 6
    x, left, right = (round(pad + (width - 2 * pad) * min(max(value, 0.0), 1.0), 1) for value in (estimate, low, high))
    colour = "#2166ac" if estimate >= 0.5 else "#b35806"
    half = width / 2
    mark = f'<path d="M{half:g} 1V13" stroke="#aab4c0" stroke-dasharray="2 2"/>'
    return Html(
        f'<svg width="{width}" height="14" aria-hidden="true"><path d="M{pad} 7H{width - pad}" stroke="#e3e8ee"/>{mark}'
        f'<path d="M{left:g} 7H{right:g}" stroke="{colour}" stroke-width="6" stroke-opacity=".4"/>'
        f'<circle cx="{x:g}" cy="7" r="3" fill="{colour}"/></svg>'
    )


def percent(value: float, digits: int = 1) -> str:
    """Format 0.5 as 50.0%; a dash if the value is not known."""
    return f"{100 * value:.{digits}f}%" if math.isfinite(value) else "–"


def number(value: float, form: str = ".1f") -> str:
    """Format a number with a true minus sign; a dash if the value is not known."""
    return format(value, form).replace("-", "−") if math.isfinite(value) else "–"


def span(low: float, high: float) -> str:
    """Format an interval of proportions: 48.1 – 52.0%."""
    return f"{100 * low:.1f} – {100 * high:.1f}%" if math.isfinite(low + high) else "–"


def seconds(value: float) -> str:
    """Format a time in a suitable unit, from microseconds to hours."""
    if not math.isfinite(value):
        return "–"
    for unit, factor in (("µs", 1e6), ("ms", 1e3)):
        if float(f"{value * factor:.3g}") < 1000:  # rounded: 0.9997 s is not 1e+03 ms
            return f"{value * factor:.3g} {unit}"
    if value < 120:
        return f"{value:.1f} s"
    total = round(value)
    hours, minutes = total // 3600, total // 60 % 60
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {total % 60:02} s"
