"""Take the pictures of the web client: `python docs/screenshots.py` in a checkout with `make setup` and Chromium.

`python docs/screenshots.py FOLDER` takes pictures of every page at two sizes, light and dark, into a folder. Further
arguments name the pages: `python docs/screenshots.py /tmp/pages home lobby`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

expect.set_options(timeout=60_000)
IMAGES = Path(__file__).parent / "images"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu")
SERVE = "import sys; from planner.cli import main; sys.exit(main(['serve', '--port', '0', '--workers', '2']))"
BOARD = (
    "4 mana | me 9hp: Chillwind Yeti, Bloodfen Raptor, Boulderfist Ogre"
    " | hand: Wolfrider, Stonetusk Boar, Sen'jin Shieldmasta | enemy 12hp: Sen'jin Shieldmasta, Magma Rager"
)
SAME_DEAL = """
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  const message = JSON.parse(text);
  const people = (message.seats ?? []).filter((seat) => seat.kind === "person");
  send.call(this, message.type === "create" && people.length < 2 ? JSON.stringify({ ...message, seed: 3 }) : text);
};
"""  # so that the pictures of matches can be taken again
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()


def analysis(page: Page) -> None:
    """The README's turn with its arrows, and a turn of one's own."""
    page.goto(f"/analysis#state={BOARD}&weights=aggro_face")
    expect(page.locator("[data-range]").first).to_be_visible()
    page.locator("[data-id='me.board.2']").click()
    page.locator("[data-id='enemy.board.0']").click()
    expect(page.locator("#own-turn")).to_be_visible()
    press(page, "Back to the suggested turn")
    expect(page.locator("svg .arrow.best")).to_have_count(7)


def play(page: Page) -> None:
    """A match against an agent in the middle of a turn, with advice."""
    page.goto("/play")
    press(page, "Hearthstone against greedy")
    press(page, "Confirm none")
    for _ in range(5):
        expect(page.locator("#whose")).to_have_text("Your turn")
        press(page, "Suggest")
        expect(page.locator("#suggestion")).to_be_visible()
        move = page.get_by_role("button", name="Play this move", exact=True)
        while move.count():
            lines = page.locator(".log .line").count()
            move.click()
            expect(page.locator(".log .line")).not_to_have_count(lines)
        lines = page.locator(".log .line").count()
        press(page, "End turn")
        expect(page.locator(".log .line").nth(lines + 1)).to_be_visible()
    expect(page.locator("#whose")).to_have_text("Your turn")
    press(page, "Suggest")
    expect(page.locator("#suggestion")).to_be_visible()


def review(page: Page) -> None:
    """A game of the committed study, judged turn by turn."""
    page.goto("/review?results=effects&game=0&at=49")
    expect(page.locator(".curve .hit").last).to_have_attribute("aria-label", re.compile("lost"), timeout=120_000)


def tournaments(page: Page) -> None:
    """The committed reproduction of Guo (2025), with the games of one pairing."""
    page.goto("/tournaments?results=thesis&row=keep_alive&column=aggro_face")
    expect(page.locator("#pairing")).to_be_visible()


def opened(path: str, ready: str) -> Callable[[Page], None]:
    def prepare(page: Page) -> None:
        page.goto(path)
        expect(page.locator(ready).first).to_be_visible()

    return prepare


def started(button: str) -> Callable[[Page], None]:
    """The first turn of a match that one click starts."""

    def prepare(page: Page) -> None:
        page.goto("/play")
        page.get_by_role("button", name=re.compile(f"^{button}")).click()
        expect(page.locator(".zone.hand .card").first).to_be_visible()
        expect(page.locator("#whose")).to_have_text("Your turn")

    return prepare


def create(page: Page) -> None:
    """The dialog that makes a table."""
    page.goto("/play")
    press(page, "Create a table …")
    expect(page.locator("dialog")).to_be_visible()


def waiting(page: Page) -> None:
    """A table for two people before the start."""
    create(page)
    page.get_by_label("Seat 2", exact=True).select_option("person")
    press(page, "Create table")
    expect(page.locator("#status")).to_be_visible()


def ended(page: Page) -> None:
    """A match that its player has left."""
    started("Spire")(page)
    page.once("dialog", lambda dialog: dialog.accept())
    press(page, "End turn")
    press(page, "Leave")
    expect(page.locator("#result")).to_be_visible()


PICTURES: dict[str, Callable[[Page], None]] = {
    "analysis": analysis, "play": play, "review": review, "tournaments": tournaments,
}  # fmt: skip
OTHERS: dict[str, Callable[[Page], None]] = {
    "home": opened("/", "h1"), "lobby": opened("/play", "#quick button"), "create": create, "waiting": waiting,
    "battle": started("Spire"), "kingdom": started("Dominion"), "market": started("Ascension"), "ended": ended,
    "review_start": opened("/review", ".drop"), "tournament_list": opened("/tournaments", "table.matrix"),
    "library": opened("/library?q=dragon", ".card-face"), "api": opened("/api", "#schemas"),
}  # fmt: skip


def main(folder: Path | None, names: list[str]) -> None:
    """Take each picture as a new visitor."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    pages = {name: prepare for name, prepare in (PICTURES | OTHERS).items() if name in names or not names}
    with TemporaryDirectory() as tables:
        environment = {**os.environ, "PLANNER_JOURNAL": f"{tables}/tables.db"}
        server = subprocess.Popen([sys.executable, "-c", SERVE], stdout=subprocess.PIPE, text=True, env=environment)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))

                def take(path: Path, prepare: Callable[[Page], None], size: str, dark: bool) -> None:
                    width, height = SIZES[size]
                    page = browser.new_page(
                        viewport={"width": width, "height": height},
                        base_url=address,
                        color_scheme="dark" if dark else "light",
                    )
                    page.add_init_script(SAME_DEAL)
                    prepare(page)
                    page.evaluate("scrollTo(0, 0)")
                    page.screenshot(path=path)
                    page.close()

                if folder is None:
                    for name, prepare in PICTURES.items():
                        path = IMAGES / f"{name}.png"
                        take(path, prepare, "desktop", dark=name == "play")
                        Image.open(path).quantize(256).save(path, optimize=True)
                else:
                    for name, size, dark in product(pages, SIZES, (False, True)):
                        take(folder / f"{name}-{size}-{'dark' if dark else 'light'}.png", pages[name], size, dark)
                browser.close()
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None, sys.argv[2:])
