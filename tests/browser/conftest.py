"""A real browser and a real server: chromium, driven by Playwright. Without it these tests are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import pytest

from tests.service.conftest import served_bare

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
PHONE: Final = {"width": 390, "height": 844}
collect_ignore_glob = [] if CHROMIUM and find_spec("playwright") else ["test_*_page.py"]

NewVisitor = Callable[..., "Page"]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server for these tests; its agents do not wait until people have followed them."""
    with served_bare("workers=2, time_limit=5, agent_pause=0.02") as started:
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
def visitor(browser: Browser, address: str) -> Iterator[NewVisitor]:
    """Return a function that lets a new visitor arrive; an error in the browser fails the test.

    Errors are exceptions, what the content policy blocks, and requests to other servers.
    """
    contexts, errors = [], list[str]()
    ours = (address, address.replace("http", "ws", 1), "data:", "blob:")

    def arrive(phone: bool = False, **options: object) -> Page:
        size = PHONE if phone else {"width": 1280, "height": 900}
        context = browser.new_context(viewport=size, base_url=address, has_touch=phone, **options)  # type: ignore[arg-type]
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
        page.on("request", lambda sent: None if sent.url.startswith(ours) else errors.append(sent.url))
        return page

    yield arrive
    for context in contexts:
        context.close()
    assert errors == [], "errors in the page, or requests to other servers"


@pytest.fixture
def page(visitor: NewVisitor) -> Page:
    """A new visitor."""
    return visitor()


def press(page: Page, name: str) -> None:
    """Press the button with this name."""
    page.get_by_role("button", name=name, exact=True).first.click()
