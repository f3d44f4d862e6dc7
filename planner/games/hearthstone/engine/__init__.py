"""The compiled rules, where the package was installed with a C++ compiler at hand; all else works without them."""

from __future__ import annotations

from functools import cache


@cache
def available() -> bool:
    """Was the engine compiled, and does it load here?"""
    try:
        from planner.games.hearthstone import _engine  # noqa: F401, PLC0415  (that it can be missing is the point)
    except ImportError:
        return False
    return True
