"""The compiled engine: the rules, the search and the vanilla solver in C++.

The engine is optional. It is compiled during the installation where there is a C++ compiler; without it, all turns are
planned by the Python code, which takes longer.
"""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

from planner.games.hearthstone.engine.source_hash import source_hash


def available() -> bool:
    """Return whether the compiled engine is used."""
    return engine_id() is not None


@cache
def engine_id() -> str | None:
    """Return the content hash of the sources from which the engine was compiled, or None if no engine is used.

    An engine is not used if it does not load, or if it was compiled from other sources than those beside it: it may
    follow other rules.
    """
    try:
        from planner.games.hearthstone import _engine  # noqa: PLC0415  (the module may be missing)
    except ImportError:
        return None
    compiled_from: str | None = getattr(_engine, "SOURCE_HASH", None)
    if compiled_from is None or is_outdated(compiled_from, Path(__file__).parent):
        warnings.warn(
            "the engine was compiled from other sources and is not used; compile it with: make engine", stacklevel=3
        )
        return None
    return compiled_from


def is_outdated(compiled_from: str, folder: Path) -> bool:
    """Return whether `folder` holds other sources than the ones with the hash `compiled_from`.

    An installed package holds no sources, and its engine is never outdated.
    """
    return source_hash(folder) not in (None, compiled_from)
