"""The compiled rules, where the package was installed with a C++ compiler at hand; all else works without them."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path


@cache
def available() -> bool:
    """Was the engine compiled, and does it load here?"""
    try:
        from planner.games.hearthstone import _engine  # noqa: PLC0415  (that it can be missing is the point)
    except ImportError:
        return False
    if older_than_its_sources(Path(str(_engine.__file__)), Path(__file__).parent):
        warnings.warn("the engine is older than its sources and is not used; compile it with: make setup", stacklevel=2)
        return False
    return True


def older_than_its_sources(compiled: Path, sources: Path) -> bool:
    """Whether it may hold other rules than the files beside it; an installed package has no sources."""
    built = compiled.stat().st_mtime
    return any(path.stat().st_mtime > built for path in sources.glob("*.?pp"))
