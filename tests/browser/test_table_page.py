"""The table page and its plan, as a visitor uses them."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, expect

from planner import plan_turn
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.service.pages.table_editor import EXAMPLES, FIRST_EXAMPLE
from tests.service.conftest import served

LETHAL = state_from_text(EXAMPLES[FIRST_EXAMPLE])
SCORE = "#score"


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def expect_score(page: Page, value: float) -> None:
    expect(page.locator(SCORE)).to_have_text(f"{value:g}")


def add(page: Page, zone: str, part: str, name: str) -> None:
    """Add a card by searching for its name."""
    press(page, f"Add a card to {zone}")
    page.get_by_label("Search cards").fill(part)
    page.locator(".results button", has_text=name).first.click()
    expect(page.get_by_role("group", name=re.compile(zone, re.IGNORECASE))).to_contain_text(name[:8])
    expect(page.locator(".q-dialog")).to_have_count(0)


def hero(page: Page, who: str, **numbers: int) -> None:
    page.locator(f"#{who}-hero").click()
    for label, value in numbers.items():
        page.get_by_label(label.replace("_", " ").capitalize(), exact=True).fill(str(value))
    press(page, "Save")
    expect(page.locator(".q-dialog")).to_have_count(0)


def names(page: Page, zone: str) -> list[str]:
    return page.locator(f".card[id^='{zone}'] .name").all_inner_texts()


def test_a_board_can_be_built_by_hand(page: Page) -> None:
    page.goto("/?weights=aggro_face")
    expect_score(page, 265)
    press(page, "Clear")
    expect_score(page, 0 + Weights.of("aggro_face").board_clear)
    for part, name in (("yeti", "Chillwind Yeti"), ("raptor", "Bloodfen Raptor"), ("boulderfist", "Boulderfist Ogre")):
        add(page, "your board", part, name)
    for part, name in (("wolfr", "Wolfrider"), ("stonetusk", "Stonetusk Boar"), ("shieldmasta", "Sen'jin Shieldmasta")):
        add(page, "your hand", part, name)
    add(page, "enemy board", "sen'jin", "Sen'jin Shieldmasta")
    add(page, "enemy board", "magma", "Magma Rager")
    hero(page, "enemy", health=12)
    hero(page, "me", health=9, mana=4, crystals=4)
    expect_score(page, 265)
    expect(page.locator(".tag.win")).to_have_text("lethal")
    expect(page.locator("#lethal")).to_have_text("Lethal: this turn wins.")

    steps = page.locator(".steps button.step")
    expect(steps).to_have_count(7)
    for number in range(1, 8):
        press(page, "Next action")
        expect(page.locator(".banner")).to_contain_text(f"After action {number} of 7")
        expect(steps.nth(number - 1)).to_have_class(re.compile("now"))
    expect(page.locator("#enemy-hero .life")).to_have_text("0")
    expect(page.get_by_role("button", name="Next action")).to_be_disabled()
    press(page, "Previous action")
    expect(page.locator("#enemy-hero .life")).to_have_text("6")
    press(page, "Before the turn")
    expect(page.locator("#enemy-hero .life")).to_have_text("12")
    assert names(page, "me-hand") == ["Wolfrider", "Stonetusk Boar", "Sen'jin Shieldmasta"]


def test_the_plan_changes_at_the_end_of_a_weights_range(page: Page) -> None:
    page.goto("/?weights=aggro_face")
    expect_score(page, 265)
    shown = page.locator("[data-range=own_survival]")
    expect(shown).to_contain_text("to ")
    plan = plan_turn(LETHAL, "aggro_face")
    end = next(found for found in plan.ranges() if found.term == "own_survival").high
    assert end is not None
    expect(shown).to_contain_text(f"to {end.at}")
    lines = page.locator(".steps button.step > span:nth-child(2)")
    before = [line.replace("->", "→") for line in GAME.describe_turn(plan.state, plan.actions)]
    expect(lines).to_have_text(before)

    def weigh(value: float) -> None:
        field = page.locator("input[data-term=own_survival]")
        field.fill(f"{value:g}")
        field.press("Tab")
        weights = {**Weights.of("aggro_face").terms(), "own_survival": value}
        expect_score(page, plan_turn(LETHAL, weights).objective)

    weigh(float(end.at) - 0.25)
    expect(lines).to_have_text(before)
    weigh(float(end.at) + 0.25)
    expect(lines).not_to_have_text(before)
    expect(page.get_by_label("Profile")).to_have_value("custom")


def test_undo_and_redo(page: Page) -> None:
    page.goto("/")
    expect_score(page, 265)
    expect(page.get_by_role("button", name="Undo (Ctrl+Z)")).to_be_disabled()
    page.locator("#me-board-0").click()
    page.get_by_label("Attack", exact=True).fill("1")
    press(page, "taunt")
    press(page, "Save")
    expect(page.locator("#me-board-0 .attack")).to_have_text("1")
    expect(page.locator("#me-board-0")).to_have_class(re.compile("taunt"))
    page.locator("#me-board-2").click()
    press(page, "Remove")
    expect(page.locator("#me-board-2")).to_have_count(0)
    press(page, "Undo (Ctrl+Z)")
    expect(page.locator("#me-board-2")).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(page.locator("#me-board-0 .attack")).to_have_text("4")
    expect_score(page, 265)
    press(page, "Redo (Ctrl+Y)")
    expect(page.locator("#me-board-0 .attack")).to_have_text("1")


def test_a_link_contains_the_table(page: Page, browser: Browser, address: str) -> None:
    page.goto("/?weights=keep_alive")
    page.locator("#enemy-board-0").click()
    page.get_by_label("Health", exact=True).fill("2")
    press(page, "Save")
    expect(page.locator("#enemy-board-0 .health")).to_have_text("2")
    page.reload()  # the address contains the table too
    expect(page.locator("#enemy-board-0 .health")).to_have_text("2")
    press(page, "Share")
    link = page.locator("textarea").last
    expect(link).to_have_value(re.compile("^http.*state="))
    with browser.new_context() as context:
        other = context.new_page()
        other.goto(link.input_value())
        expect(other.locator("#enemy-board-0 .health")).to_have_text("2")
        expect(other.get_by_label("Profile")).to_have_value("keep_alive")
        expect(other.locator(SCORE)).to_have_text(page.locator(SCORE).inner_text())


def test_a_table_that_is_too_large_for_a_link_is_refused(page: Page) -> None:
    page.goto("/")
    press(page, "Import or export")
    deck = ["Chillwind Yeti", "Bloodfen Raptor"] * 600
    state = {"mana": 1, "me": {"hero": {"health": 30}, "deck": deck}, "enemy": {"hero": {"health": 30}}}
    page.locator("textarea").last.fill(json.dumps({"game": "hearthstone", **state}))
    press(page, "Import")
    expect(page.locator(".q-dialog")).to_have_count(0)
    press(page, "Share")
    expect(page.locator(".q-notification")).to_contain_text("too large for a link")


def test_an_action_can_be_excluded(page: Page) -> None:
    page.goto("/?weights=aggro_face")
    expect_score(page, 265)
    first = page.locator(".steps li").first
    expect(first).to_contain_text("−85 if excluded")
    first.get_by_role("button", name=re.compile("^Exclude")).click()
    expect_score(page, 265 - 85)
    expect(page.locator(".steps")).not_to_contain_text("plays Wolfrider")
    page.locator(".chips button", has_text="excluded").click()
    expect_score(page, 265)


def test_text_from_users_is_not_markup(page: Page) -> None:
    evil = "<img src=x onerror=document.title=1><b>bold</b>"
    page.goto("/")
    press(page, "Add a card to your board")
    page.get_by_text("Custom card").click()
    page.get_by_label("Name", exact=True).fill(evil)
    press(page, "Add card")
    expect(page.locator("#me-board-3 .name")).to_have_text(evil)
    expect(page.locator(".steps")).to_contain_text("<b>bold</b>")
    assert page.locator("img[src=x]").count() == 0


def test_long_names_and_direction_marks_do_not_break_the_page(page: Page) -> None:
    minion = {"name": "\u202e" + 60 * "y", "attack": 2, "health": 2}
    state = {"mana": 1, "me": {"hero": {"health": 30}, "board": [minion]}}
    page.goto("/?" + urlencode({"state": json.dumps({**state, "enemy": {"hero": {"health": 30}}})}))
    expect(page.locator(".steps")).to_contain_text(60 * "y" + " attacks the enemy hero (30 → 28)")
    assert "\u202e" not in page.locator("body").inner_text()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto("/?state=" + "%3Cscript%3Ealert(1)%3C/script%3E")
    expect(page.get_by_role("alert").first).to_contain_text("The link has an invalid state")
    assert page.title() == "Table · planner"


def test_an_invalid_change_is_refused_with_its_reason(page: Page) -> None:
    page.goto("/")
    page.locator("#me-board-0").click()
    page.get_by_label("Health", exact=True).fill("0")
    press(page, "Save")
    expect(page.locator(".q-notification")).to_contain_text("health")
    press(page, "Close")
    expect(page.locator("#me-board-0 .health")).to_have_text("5")
    press(page, "Import or export")
    page.locator("textarea").last.fill('{"mana": 3}')
    press(page, "Import")
    expect(page.locator(".q-dialog .problem")).to_contain_text("is missing")


def test_a_card_can_be_dragged(page: Page) -> None:
    page.goto("/")
    expect_score(page, 265)
    page.locator("#me-board-0").drag_to(page.locator("#me-board-2"))
    expect(page.locator("#me-board-1 .name")).to_have_text("Chillwind Yeti")
    page.locator("#me-hand-0").drag_to(page.locator("#me-board-0"))
    expect(page.locator("#me-board-0 .name")).to_have_text("Wolfrider")
    assert len(names(page, "me-hand")) == 2


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    page.goto("/?weights=aggro_face")
    expect_score(page, 265)

    def go(to: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("(to) => document.activeElement.matches(to)", to):
                return
        raise AssertionError(f"{to} cannot be reached with Tab")

    go("#me-board-0")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("#me-board-1 .name")).to_have_text("Chillwind Yeti")
    expect(page.locator("#me-board-1")).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.locator("#me-board-2")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator("#me-board-2")).to_have_count(1)
    go(".card.slot")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Search cards")).to_be_focused()
    page.keyboard.type("river croc")
    expect(page.locator(".results button")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".table")).to_contain_text("River Crocolisk")
    expect(page.get_by_label("Search cards")).to_have_count(0)  # until then the dialog gets the keys
    page.keyboard.press("Control+z")
    expect(page.locator(".table")).not_to_contain_text("River Crocolisk")
    page.keyboard.press("Control+z")
    expect(page.locator("#me-board-0 .name")).to_have_text("Chillwind Yeti")
    expect_score(page, 265)
    page.locator("body").press("ArrowRight")
    expect(page.locator(".banner")).to_contain_text("After action 1 of 7")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".banner")).to_have_count(0)


def test_the_page_works_on_a_phone(browser: Browser, address: str) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}, base_url=address, has_touch=True) as context:
        page = context.new_page()
        page.goto("/?" + "state=9 mana | me 30hp: " + ", ".join(["Chillwind Yeti"] * 7) + " | enemy 30hp: "
                  + ", ".join(["Sen'jin Shieldmasta"] * 7))  # fmt: skip
        expect(page.locator(SCORE)).to_be_visible()
        wide, seen = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert wide <= seen
        tops = [
            page.locator(part).first.evaluate("(e) => e.getBoundingClientRect().top")
            for part in (".table", SCORE, ".bars", ".weights")
        ]
        assert tops == sorted(tops), "the best turn is right below the table"
        # Touch screens cannot drag: pick a card up and drop it.
        page.goto("/?state=4 mana | me 30hp: Chillwind Yeti, River Crocolisk | hand: Wolfrider, Fireball | enemy 30hp")
        for card, to in (("#me-hand-0", "#me-board-1"), ("#me-board-0", None)):
            page.locator(card).tap()
            page.get_by_role("button", name="Move", exact=True).tap()
            expect(page.locator(".banner")).to_contain_text("Click where to put the card")
            expect(page.locator(".q-dialog")).to_have_count(0)
            where = page.locator(to) if to else page.get_by_role("button", name="Drop at the end of your board")
            where.tap()
            expect(page.locator(".banner")).to_have_count(0)
        expect(page.locator("#me-board-2 .name")).to_have_text("Chillwind Yeti")
        assert names(page, "me-board") == ["Wolfrider", "River Crocolisk", "Chillwind Yeti"]
        page.locator("#me-hand-0").tap()
        page.get_by_role("button", name="Move", exact=True).tap()
        page.get_by_role("button", name="Drop at the end of enemy board").tap()
        expect(page.locator(".q-notification")).to_contain_text("Fireball is a spell: a board holds only minions")
        assert names(page, "me-hand") == ["Fireball"]


def test_two_visitors_do_not_see_each_other(page: Page, browser: Browser, address: str) -> None:
    page.goto("/?weights=aggro_face")
    expect_score(page, 265)
    with browser.new_context(base_url=address) as context:
        other = context.new_page()
        other.goto("/?weights=aggro_face")
        expect_score(other, 265)
        page.locator("#me-board-2").click()
        press(page, "Remove")
        expect(page.locator("#me-board-2")).to_have_count(0)
        press(other, "Next action")
        expect(other.locator(".banner")).to_contain_text("After action 1 of 7")
        expect(other.locator("#me-board-2")).to_have_count(1)
        expect(page.locator(".banner")).to_have_count(0)
        expect_score(other, 265)


def test_an_unknown_card_prevents_a_proof(page: Page) -> None:
    page.goto("/?state=3 mana | me 30hp: Nobodys Card 3/3 | enemy 20hp: 2/2")
    expect(page.locator(SCORE)).to_be_visible()
    expect(page.get_by_text("the effects of these cards are not fully known: Nobodys Card")).to_be_visible()
    expect(page.locator(".range:visible")).to_have_count(0)


def test_the_browser_asks_for_the_token(browser: Browser) -> None:
    token = "0123456789abcdef0123"
    with served("--workers", "1", "--token", token) as started:
        with browser.new_context(http_credentials={"username": "anybody", "password": token}) as context:
            page = context.new_page()
            page.goto(started.url)
            expect_score(page, 265)
        with browser.new_context(http_credentials={"username": "anybody", "password": "a guess"}) as context:
            refused = context.new_page().goto(started.url)
            assert refused is not None
            assert refused.status == 401
