"""Take the pictures of the web pages: `python docs/screenshots.py` in a checkout with `make setup` and Chromium."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

expect.set_options(timeout=15_000)
IMAGES = Path(__file__).parent / "images"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu")
SERVE = "import sys; from planner.cli import main; sys.exit(main(['serve', '--port', '0', '--workers', '2']))"


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def board(page: Page) -> None:
    """Four of the seven actions of the README's turn."""
    page.set_viewport_size({"width": 1280, "height": 1010})
    page.goto("/?weights=aggro_face")
    for number in range(1, 5):
        press(page, "Next action")
        expect(page.locator(".banner")).to_contain_text(f"{number} of 7")
    page.wait_for_timeout(2000)  # the ranges come after the plan


def play(page: Page) -> None:
    """A match against the greedy agent in the middle of a turn, with a suggestion."""
    page.emulate_media(color_scheme="dark")
    page.goto("/play")
    page.get_by_label("Seed").fill("4")
    press(page, "Start")
    press(page, "Keep all cards")
    my_turn = page.locator("#whose", has_text="Your turn")
    for _ in range(4):
        expect(my_turn).to_be_visible()
        press(page, "Suggest")
        expect(page.locator("#suggestion")).to_be_visible()
        for _ in range(page.locator("#suggestion li").count()):
            move = page.get_by_role("button", name="Play this move", exact=True)
            if not move.count():
                break
            lines = page.locator(".log div").count()
            move.click()
            expect(page.locator(".log div")).not_to_have_count(lines)
        press(page, "End turn")
        expect(page.locator("#whose", has_text="is thinking")).to_be_visible()
    expect(my_turn).to_be_visible()
    press(page, "Suggest")
    expect(page.locator("#suggestion")).to_be_visible()


def match(page: Page) -> None:
    """A game of the committed study at its 49th action."""
    page.goto("/tournament?results=effects")
    page.locator("table.square td button").first.click()
    page.locator("table.list td a").first.click()
    expect(page.locator("#who")).to_contain_text("against", timeout=60_000)
    for number in range(1, 50):
        press(page, "Next action")
        expect(page.locator(".banner")).to_contain_text(f"{number} of ")
    expect(page.locator(".chart button").last).to_have_attribute(
        "aria-label", re.compile("lost|regret"), timeout=60_000
    )


def tournament(page: Page) -> None:
    """The committed reproduction of Guo (2025), with the games of one pairing."""
    page.goto("/tournament?results=thesis")
    page.locator("table.square td button").nth(2).click()
    expect(page.locator("#pairing")).to_be_visible()


def main() -> None:
    """Take each picture on a server of its own."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    server = subprocess.Popen([sys.executable, "-c", SERVE], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
            for name, prepare in (("table", board), ("play", play), ("match", match), ("tournament", tournament)):
                page = browser.new_page(viewport={"width": 1280, "height": 860}, base_url=address)
                prepare(page)
                path = IMAGES / f"{name}.png"
                page.screenshot(path=path)
                Image.open(path).quantize(256).save(path, optimize=True)
                page.close()
            browser.close()
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
