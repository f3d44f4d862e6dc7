"""A real browser and a real server: chromium, driven by Playwright. Without it these tests are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import pytest

from tests.service.conftest import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
collect_ignore_glob = [] if CHROMIUM and find_spec("playwright") else ["test_*_page.py"]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server for these tests."""
    with served("--workers", "2", "--time-limit", "5") as started:
        yield started.url.rstrip("/")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser process for the tests of a module; while it runs, no other test can have an event loop."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=15_000)  # for busy machines
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A new visitor. An error in the browser fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=address)
    context.set_default_timeout(20_000)
    opened = context.new_page()
    errors: list[str] = []
    ours = (address, address.replace("http", "ws", 1), "data:", "blob:")
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("request", lambda sent: None if sent.url.startswith(ours) else errors.append(sent.url))
    yield opened
    context.close()
    assert errors == [], "errors in the page, or requests to other servers"
