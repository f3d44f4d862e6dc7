"""Report a missing browser."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.browser.conftest import CHROMIUM


def test_a_browser_is_available() -> None:
    if CHROMIUM is None or find_spec("playwright") is None:
        pytest.skip("chromium or playwright is missing: the pages are not tested (apt-get install chromium)")
