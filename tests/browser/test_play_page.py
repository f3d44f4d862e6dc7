"""A match against an agent, and its review on the match page."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from planner.arena.match.replay import verify_log
from tests.browser.test_table_page import press


def begin(page: Page, seed: int, **choices: str) -> None:
    page.goto("/play")
    for label, value in choices.items():
        page.get_by_label(label.replace("_", " ").capitalize(), exact=True).click()
        page.get_by_role("option", name=value, exact=True).click()
    page.get_by_label("Seed").fill(str(seed))
    press(page, "Start")
    expect(page.locator("#whose")).to_be_visible()


def my_turn(page: Page) -> bool:
    """Wait until it is our turn; False when the match is over."""
    expect(page.locator("#over").or_(page.locator("#whose", has_text="Your turn"))).to_be_visible(timeout=20_000)
    return page.locator("#over").count() == 0


def test_a_whole_match_against_random(page: Page, tmp_path: Path) -> None:
    begin(page, 4, opponent="random")
    press(page, "Keep all cards")
    followed = 0
    while my_turn(page):
        press(page, "Suggest")
        expect(page.locator("#suggestion")).to_be_visible()
        for _ in range(page.locator("#suggestion li").count()):
            lines = page.locator(".log div").count()
            press(page, "Play this move")
            expect(page.locator(".log div")).not_to_have_count(lines)
            followed += 1
            if not page.locator("#suggestion").count():
                break
        if page.locator("#over").count() == 0 and page.locator("#whose", has_text="Your turn").count():
            press(page, "End turn")
            expect(page.locator("#whose", has_text="random is thinking").or_(page.locator("#over"))).to_be_visible()
    assert followed > 5
    expect(page.locator(".score")).to_have_text("You win")

    with page.expect_download() as download:
        press(page, "Save log")
    saved = tmp_path / "match.json"
    download.value.save_as(saved)
    log = json.loads(saved.read_text(encoding="utf-8"))
    assert log["agents"] == ["you", "random"]
    assert verify_log(log).ok

    # The log can be opened, stepped through and judged.
    page.goto("/match")
    page.locator("input[type=file]").set_input_files(saved)
    expect(page.locator("#who")).to_have_text("Mage (you) against Warrior (random)")
    last = sum(len(turn["moves"]) for turn in log["turns"])
    press(page, "To the end")
    expect(page.locator(".banner")).to_contain_text(f"{last} of {last}")
    press(page, "Previous action")
    expect(page.locator(".banner")).to_contain_text(f"{last - 1} of {last}")
    turns = page.locator(".chart button")
    expect(turns).to_have_count(sum(turn["turn"] > 0 for turn in log["turns"]))
    expect(turns.last).to_have_attribute("aria-label", re.compile("points lost"), timeout=20_000)
    turns.nth(3).click()
    expect(page.locator("#planned li").first).to_be_visible()
    expect(page.locator(".turns .step.now")).to_contain_text("Turn 4")


def test_an_illegal_move_is_refused_with_its_reason(page: Page) -> None:
    begin(page, 4, opponent="random")
    first = page.locator(".zone.hand .card").first
    first.click()
    expect(first).to_have_class(re.compile("chosen"))
    press(page, "Replace 1 card")
    expect(page.get_by_role("button", name="End turn")).to_be_visible()
    expensive = page.locator(".zone.hand .card:not(.legal)").first
    expensive.click()
    expect(page.locator(".q-notification").first).to_contain_text("mana")
    page.locator("#enemy-hero").click()
    expect(page.locator(".q-notification").first).to_contain_text("click your own card first")
    assert page.locator(".log div").count() == 2  # the two mulligans


def test_a_match_survives_a_lost_connection(page: Page) -> None:
    begin(page, 4, opponent="random")
    page.get_by_role("button", name="Keep all cards").click()
    expect(page.locator("#whose")).to_have_text("random is thinking …")
    page.evaluate("window.socket.io.reconnectionDelay(3500); window.socket.io.engine.close()")
    expect(page.locator("#whose")).to_have_text("Your turn", timeout=25_000)
    expect(page.locator(".log div")).to_have_count(2)  # the two mulligans: ours once


def test_a_battle_is_played_by_its_text_picture(page: Page) -> None:
    page.goto("/play")
    page.get_by_label("Game", exact=True).click()
    page.get_by_role("option", name="spire", exact=True).click()
    expect(page.get_by_label("Scenario", exact=True)).to_be_visible()
    press(page, "Start")
    expect(page.locator("pre.picture")).to_be_visible()
    actions = page.locator(".panel:has(pre.picture) button")
    expect(actions).not_to_have_count(0)
    actions.first.click()
    expect(page.locator(".log div")).to_have_count(1)
    press(page, "Review game")
    expect(page.locator("#who")).to_contain_text("you")
    press(page, "To the end")
    expect(page.locator("pre.picture")).to_be_visible()
    expect(page.locator(".chart button")).to_have_attribute("aria-label", re.compile("points lost|not judged"))
    expect(page.locator("#planned li").first.or_(page.get_by_text("Not judged"))).to_be_visible()


def test_an_invalid_match_is_an_error(page: Page, tmp_path: Path) -> None:
    for content in (b"{", b"\xff\xfe", b'{"match_log": 2}', b"<script>alert(1)</script>"):
        page.goto("/match")
        bad = tmp_path / "bad.json"
        bad.write_bytes(content)
        page.locator("input[type=file]").set_input_files(bad)
        expect(page.get_by_role("alert")).to_be_visible()
    page.goto("/match?results=../../etc&game=1")
    expect(page.get_by_role("alert")).to_contain_text("no such results")
    page.goto("/match?results=thesis&game=x")
    expect(page.get_by_role("alert")).to_contain_text("is not a game number")
    page.goto("/match?log=guessed")
    expect(page.get_by_role("alert")).to_contain_text("has expired")


def test_the_focus_stays_when_the_table_is_redrawn(page: Page) -> None:
    begin(page, 4, opponent="random")
    page.get_by_role("button", name="Keep all cards").focus()
    page.keyboard.press("Enter")
    for _ in range(2):
        expect(page.get_by_role("button", name="End turn")).to_be_focused(timeout=15_000)
        page.keyboard.press("Enter")
        expect(page.locator("#whose")).to_have_text("random is thinking …")
