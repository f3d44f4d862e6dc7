"""The tournament page: from the matrix to a game, and a running tournament."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import press
from tests.service.conftest import served
from tests.service.test_results_routes import grow, results

__all__ = ["results"]  # a fixture


@pytest.fixture(scope="module")
def address(results: Path) -> Iterator[str]:
    """The address of a server in that folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(results)
        with served("--workers", "1", "--time-limit", "5") as started:
            yield started.url.rstrip("/")


def test_from_the_matrix_to_a_game(page: Page) -> None:
    page.goto("/tournaments?results=done")
    cells = page.locator("table.matrix td button")
    expect(cells).to_have_count(4)
    expect(page.locator("#progress")).to_have_text("16 games")
    expect(page.locator(".interval")).to_have_count(2)
    scores = cells.all_inner_texts()
    press(page, "Show lengths")
    expect(page.get_by_text("Average length in rounds")).to_be_visible()
    assert cells.all_inner_texts() != scores
    page.get_by_role("button", name=re.compile("^greedy against random:")).click()
    expect(page.locator("#pairing")).to_have_text("greedy against random")
    games = page.locator("table.list td a")
    expect(games).to_have_count(4)
    games.nth(1).click()
    expect(page.locator("#who")).to_have_text("Paladin (greedy) against Warrior (random)", timeout=15_000)
    press(page, "Next action")
    expect(page.locator(".caption")).to_contain_text("1 of ")
    page.go_back()
    expect(page.locator("#pairing")).to_have_text("greedy against random")  # the pairing is in the address
    facts = page.locator(".facts")
    expect(facts).to_contain_text("Thesis paladin, Thesis warrior")
    expect(facts).to_contain_text("Seed")
    with page.expect_download() as download:
        page.get_by_role("link", name="matrix.csv").click()
    assert "greedy" in Path(download.value.path()).read_text(encoding="utf-8")


def test_results_that_cannot_be_read_are_not_shown_with_the_matrix_of_others(page: Page, results: Path) -> None:
    folder = results / "results" / "broken"
    folder.mkdir()
    (folder / "manifest.json").write_text('{"finished": true}', encoding="utf-8")
    page.goto("/tournaments?results=done")
    expect(page.locator("table.matrix")).to_have_count(1)
    page.locator("select#results").select_option("broken")
    expect(page.get_by_role("alert")).to_contain_text("matrix.csv")
    expect(page.locator("table.matrix")).to_have_count(0)
    page.locator("select#results").select_option("done")
    expect(page.locator("table.matrix")).to_have_count(1)


def test_a_running_tournament_updates_itself(page: Page, results: Path) -> None:
    page.goto("/tournaments?results=going")
    expect(page.locator("#progress")).to_have_text("Running: 3 of 16 games")
    page.get_by_role("button", name=re.compile("^random against greedy:")).click()
    games = page.locator("table.list td a")
    expect(games).to_have_count(1)
    page.get_by_role("button", name=re.compile("^random against greedy:")).focus()
    with (results / "results" / "going" / "journal.jsonl").open("ab") as journal:
        journal.write(b'12345678 {"game":[9,0,"dam')  # an incomplete line
    grow(results / "results" / "going", 5)  # removes the incomplete line, as a resumed run does
    expect(page.locator("#progress")).to_have_text("Running: 8 of 16 games", timeout=10_000)
    expect(games).to_have_count(2)
    expect(page.get_by_role("button", name=re.compile("^random against greedy:"))).to_be_focused()
    games.nth(1).click()
    expect(page.locator("#who")).to_have_text("Paladin (random) against Warrior (greedy)")
    expect(page.get_by_role("alert")).to_have_count(0)
    press(page, "Next action")
    expect(page.locator(".caption")).to_contain_text("1 of ")
