"""The colours and fonts of every figure, and figures as SVG, PDF and PNG bytes.

Figures are made without pyplot: no global state, no window, and the same figure gives the same bytes.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable
from typing import Any, Final

import matplotlib as mpl
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from planner.errors import PlannerError

BLUE: Final = "#2166ac"
ORANGE: Final = "#b35806"
INK: Final = "#1f2933"
MUTED: Final = "#5f6b7a"
GRID: Final = "#e3e8ee"
# Halves of PuOr and RdBu of ColorBrewer: white is exactly one half.
DIVERGING: Final = LinearSegmentedColormap.from_list(
    "seat", ["#8f4200", "#e08214", "#fdc98a", "#fbfbfb", "#a9cfe5", "#5a9fcc", "#1a5596"]
)
SEQUENTIAL: Final = LinearSegmentedColormap.from_list("length", ["#f4f1fa", "#bfb5da", "#7b6bae", "#3f2a6e"])
_STYLE: Final[dict[Any, Any]] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": INK,
    "svg.fonttype": "none",  # text stays text, whatever the script of an agent's name
    "svg.hashsalt": "planner",
    "pdf.fonttype": 42,  # embed fonts, so that the text of a paper can be searched
    "text.parse_math": False,  # names may contain $
}


def style() -> Any:
    """Return the context in which every figure is drawn and saved."""
    return mpl.rc_context(_STYLE)


class Picture:
    """A figure that shows itself in a notebook; `figure` is the matplotlib figure."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    def _repr_svg_(self) -> str:
        return svg(self.figure).decode()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture as SVG, PDF or PNG, by the ending of the name."""
        kind = os.fspath(path).rpartition(".")[2]
        if kind not in _WRITERS:
            raise PlannerError(f"{path}: the name of a picture ends with {', '.join(f'.{kind}' for kind in _WRITERS)}")
        with open(path, "wb") as file:
            file.write(_WRITERS[kind](self.figure))


def svg(figure: Figure) -> bytes:
    """Return the figure as SVG, without a date."""
    return _save(figure, "svg", {"Date": None, "Creator": None})


def pdf(figure: Figure) -> bytes:
    """Return the figure as PDF, without a date."""
    return _save(figure, "pdf", {"CreationDate": None, "Creator": None, "Producer": None})


def png(figure: Figure) -> bytes:
    """Return the figure as PNG."""
    return _save(figure, "png", {"Software": None})


def _save(figure: Figure, form: str, metadata: dict[str, None]) -> bytes:
    buffer = io.BytesIO()
    with style(), warnings.catch_warnings():
        # If the font lacks the script of a name, a PNG or PDF shows boxes; do not also warn for each letter.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.savefig(buffer, format=form, dpi=150 if form == "png" else "figure", metadata=metadata)
    return buffer.getvalue()


_WRITERS: Final[dict[str, Callable[[Figure], bytes]]] = {"svg": svg, "pdf": pdf, "png": png}
