"""One clear line where the pages cannot be tried."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.browser.conftest import CHROMIUM


def test_a_browser_is_there() -> None:
    if CHROMIUM is None or find_spec("playwright") is None:
        pytest.skip("no chromium, or no playwright: the pages are not tried (apt-get install chromium)")
