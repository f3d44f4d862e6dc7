"""Tables in the browser: people play each other, leave and return, and watch, with nothing hidden in any frame."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from planner.arena.match.replay import verify_log
from tests.browser.conftest import NewVisitor, press
from tests.service.conftest import served_bare
from tests.service.tables.test_table_kills import Server

MY_TURN = re.compile("Your turn|Which")


def arrive_as(visitor: NewVisitor, name: str, phone: bool = False) -> Page:
    """Let a visitor arrive who keeps all messages from the server in `frames_of`."""
    page = visitor(phone=phone)
    frames_of(page)
    page.goto("/play")
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Your name").press("Tab")
    return page


_FRAMES: dict[Page, list[str]] = {}


def frames_of(page: Page) -> list[str]:
    """Return all texts that the page has received over WebSockets since the first call."""
    if page not in _FRAMES:
        texts = _FRAMES[page] = []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: texts.append(str(frame))))
    return _FRAMES[page]


def create(page: Page, title: str, seats: tuple[str, ...] = ("person", "person"), public: bool = True) -> str:
    """Create a table for Hearthstone in the dialog; return its address."""
    press(page, "Create a table …")
    page.get_by_label("Title").fill(title)
    for index, seat in enumerate(seats, start=1):
        page.get_by_label(f"Seat {index}", exact=True).select_option(seat)
    if not public:
        page.get_by_label("Public: in the list of tables").uncheck()
    press(page, "Create table")
    page.wait_for_url("**/table/*")
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    return page.url


def start_match(ann: Page, bob: Page, address: str) -> None:
    """Let the second person join by the link, and both be ready."""
    bob.goto(address)
    press(bob, "Join")
    press(bob, "Ready")
    press(ann, "Ready")
    for page in (ann, bob):
        expect(page.locator("card-table")).to_be_visible()


def keep_cards(page: Page) -> None:
    expect(page.locator("#whose")).to_have_text("Which cards do you replace?")
    press(page, "Confirm none")
    expect(page.locator("#whose")).not_to_have_text(re.compile("Which|Sending"))


def play_some(page: Page, count: int) -> None:
    """Make up to so many moves by clicking highlighted cards and targets, then end the turn."""
    for _ in range(count):
        card = page.locator("card-table .side.bottom .legal").first
        if not card.count():
            break
        lines = page.locator(".log .line").count()
        card.click()
        target = page.locator("card-table .legal-target").first
        if target.count():
            target.click()
        expect(page.locator(".log .line").nth(lines)).to_be_visible()
        expect(page.locator("#whose:visible", has_text="Sending")).to_have_count(0)
    if page.locator("#whose:visible", has_text="Your turn").count():
        page.keyboard.press("e")
        expect(page.locator("#whose:visible", has_text=MY_TURN)).to_have_count(0)


AUTOPLAY = """() => {
  let turn = "", clicks = 0;
  const cost = (card) => Number(card.querySelector(".cost")?.textContent ?? 0);
  setInterval(() => {
    const find = (selector) => document.querySelector(selector);
    const buttons = [...document.querySelectorAll("#actions button.main")];
    const confirm = buttons.find((button) => button.textContent.startsWith("Confirm"));
    const choice = find(".menu button") ?? find("card-table .legal-target");
    if (find("#result") || find("#actions").hidden) return;
    if (confirm) return (confirm.disabled ? find("card-table .card.legal") : confirm).click();
    if (choice) return choice.click();
    const now = String(document.querySelectorAll(".log .turn").length);
    if (now !== turn) [turn, clicks] = [now, 0];
    const piles = [...document.querySelectorAll("card-table .zone.grid .legal")].sort((a, b) => cost(b) - cost(a));
    const card = find("card-table .zone.hand .legal") ?? piles[0] ?? find("card-table .side.bottom .legal");
    (clicks++ < 12 && card ? card : buttons.at(-1))?.click();
  }, 10);
}"""  # clicks what is highlighted, as a quick player does
EMPTY_PILES = """() => {
  const name = (card) => card.querySelector(".name")?.textContent ?? "";
  const left = (card) => Number(card.querySelector(".count")?.textContent.replace(/\\D/g, "") ?? 1);
  setInterval(() => {
    const find = (selector) => [...document.querySelectorAll(selector)];
    if (find("#result").length || document.querySelector("#actions").hidden) return;
    const buttons = find("#actions button.main");
    const confirm = buttons.find((button) => button.textContent.startsWith("Confirm"));
    const choice = find(".menu button")[0] ?? find("card-table .legal-target")[0];
    if (confirm) return (confirm.disabled ? find("card-table .card.legal")[0] : confirm).click();
    if (choice) return choice.click();
    const piles = find("card-table .zone.grid .legal").filter((card) => !["Copper", "Curse"].includes(name(card)));
    const money = find("card-table .zone.hand .legal").find((card) => name(card) === "Copper");
    (piles.sort((a, b) => left(a) - left(b))[0] ?? money ?? buttons.at(-1))?.click();
  }, 5);
}"""  # buys from the smallest pile: a game of Dominion ends when three piles are empty


def turns(*pages: Page) -> Iterator[Page]:
    """Yield the page of the person whose turn it is, until the match is over."""
    for _ in range(300):
        for page in pages:
            if page.locator("#result").count():
                return
            if page.locator("#whose:visible", has_text="Your turn").count():
                yield page
        pages[0].wait_for_timeout(20)
    raise AssertionError("the match does not end")


def frames(page: Page) -> list[dict[str, Any]]:
    """Return the frames of tables that the page has received."""
    messages = (json.loads(text) for text in frames_of(page))
    return [message for message in messages if message.get("type") == "table"]


def hand_names(frame: dict[str, Any]) -> set[str]:
    """Return the names of the cards in all hands of a view."""
    zones = [zone for side in frame["view"]["sides"] for zone in side.get("zones", ())]
    return {
        card["name"]
        for zone in zones
        if zone["id"].endswith(".hand")
        for card in zone.get("cards", ())
        if "name" in card
    }


def assert_nothing_is_hidden_in(spectator: Page, *players: Page) -> None:
    """Check every frame that the spectator received against what the players had in their hands at that moment."""
    seen = [frame for frame in frames(spectator) if frame["view"] is not None]
    assert len(seen) > 20
    private: dict[int, set[str]] = {}
    for player in players:
        for frame in frames(player):
            if frame["view"] is not None:
                private.setdefault(frame["table"]["version"], set()).update(hand_names(frame))
    compared = 0
    shown = ""  # what has been open to all so far: boards and moves
    for frame in seen:
        assert hand_names(frame) == set()
        assert frame["moves"] == []
        zones = [zone for side in frame["view"]["sides"] for zone in side["zones"]]
        for zone in zones:
            if zone["id"].endswith((".hand", ".deck")):
                assert all(set(card) == {"id", "face_down"} for card in zone.get("cards", ()))
        shown += json.dumps([zone for zone in zones if zone["id"].endswith((".board", ".equipment"))])
        shown += " ".join(
            line["words"] for line in frame["log"]["lines"] if re.match("plays|casts|trades", line["words"])
        )
        text = json.dumps(frame)
        for name in private.get(frame["table"]["version"], set()):
            if name not in shown:
                compared += 1
                assert name not in text, f"{name} is in a hand, and in a frame of the spectator"
    assert compared > 20


def test_two_people_play_each_other_to_the_end(visitor: NewVisitor, tmp_path: Path) -> None:
    ann, bob, carl = arrive_as(visitor, "Ann"), arrive_as(visitor, "Bob"), arrive_as(visitor, "Carl")
    address = create(ann, "Friday")
    expect(carl.get_by_role("link", name="Friday")).to_be_visible()  # public tables appear in the lobby at once
    expect(ann.locator("#status")).to_contain_text("Waiting for 1 player")
    expect(ann.get_by_label("Invitation link")).to_have_value(address)  # also where a page may not write the clipboard
    start_match(ann, bob, address)
    carl.get_by_role("link", name="Friday").click()
    expect(carl.get_by_text("You are watching")).to_be_visible()
    first, second = (ann, bob) if ann.locator("#whose", has_text="Which").count() else (bob, ann)
    keep_cards(first)
    keep_cards(second)

    # Chat is text, never markup.
    bob.get_by_label("Say something").fill("<img src=x onerror=alert(1)> hello")
    bob.get_by_label("Say something").press("Enter")
    expect(ann.locator("#chat")).to_contain_text("Bob: <img src=x onerror=alert(1)> hello")
    assert ann.locator("img").count() == 0
    # A spectator may have the name of a player.
    carl.get_by_label("Say something").fill("I am Bob")
    carl.get_by_label("Say something").press("Enter")
    expect(ann.locator("#chat")).to_contain_text("Carl (watching): I am Bob")

    for count, page in enumerate(turns(ann, bob)):
        if count == 8:  # the rest of the match goes quickly
            for player in (ann, bob):
                player.evaluate(AUTOPLAY)
            break
        if count == 3:  # a reload loses nothing
            before = page.locator(".log .line").all_inner_texts()
            page.reload()
            expect(page.locator("#whose")).to_have_text("Your turn")
            assert page.locator(".log .line").all_inner_texts() == before
        if count == 5:  # one of them closes the page, is waited for, and returns
            other = bob if page is ann else ann
            other.goto("about:blank")
            expect(page.locator(".dot.off")).to_have_count(1)
            play_some(page, 0)
            expect(page.locator("[data-leaves]")).to_contain_text(re.compile(r"gone; replaced in (1:00|0:\d\d)"))
            other.goto(address)
            expect(other.locator("#whose")).to_have_text("Your turn")
            expect(page.locator("[data-leaves]")).to_have_count(0)
            continue
        play_some(page, 2)
    for page in (ann, bob, carl):
        expect(page.locator("#result")).to_contain_text(re.compile("win"), timeout=60_000)
    assert_nothing_is_hidden_in(carl, ann, bob)

    with ann.expect_download() as download:
        press(ann, "Save log")
    log = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert log["agents"] == ["Ann", "Bob"]
    assert verify_log(log).ok

    # A rematch has the same people, one seat further.
    press(ann, "Rematch")
    ann.wait_for_url(lambda url: url != address)
    bob.get_by_role("link", name="Go to the rematch").click()
    expect(bob.locator("[data-seat='0']")).to_contain_text("Bob (you)")
    expect(bob.locator("[data-seat='1']")).to_contain_text("Ann")
    carl.get_by_role("link", name="Review game").click()
    expect(carl.locator("#who")).to_contain_text("(Ann) against")
    ann.goto("/play")
    expect(ann.locator("#ended")).to_contain_text(re.compile(r"Friday\s*Bob\s*(won|lost)"))
    ann.locator("#ended").get_by_role("link", name="Review").click()
    expect(ann.locator("#who")).to_contain_text("(Ann) against")


def test_an_invitation_is_in_no_list_and_moves_to_another_device(visitor: NewVisitor) -> None:
    ann, bob = arrive_as(visitor, "Ann"), arrive_as(visitor, "Bob")
    address = create(ann, "Secret", public=False)
    expect(bob.get_by_text("Open tables")).to_be_visible()
    bob.reload()
    expect(bob.get_by_role("link", name="Secret")).to_have_count(0)
    bob.goto(address)
    press(bob, "Join")
    expect(bob.locator("[data-seat='1']")).to_contain_text("Bob (you)")
    # Bob goes on with his phone: a private link carries the secret behind the `#`.
    bob.goto("/play")
    expect(bob.locator("#mine")).to_contain_text("Secret")
    press(bob, "Link for another device")
    link = bob.get_by_label("Link", exact=True).input_value()
    assert "#secret=" in link
    phone = visitor(phone=True)
    phone.goto(link)
    expect(phone.locator("#mine")).to_contain_text("Secret")
    assert "secret" not in phone.url
    phone.goto(address)
    expect(phone.locator("[data-seat='1']")).to_contain_text("Bob (you)")


def test_shared_cards_a_silent_chat_and_a_person_who_leaves(visitor: NewVisitor) -> None:
    ann, bob, carl = arrive_as(visitor, "Ann"), arrive_as(visitor, "Bob"), arrive_as(visitor, "Carl")
    address = create(ann, "Shared")
    start_match(ann, bob, address)
    carl.goto(address)
    hidden = carl.locator("card-table .zone.hand .card:not(.back)")
    expect(carl.get_by_text("You are watching")).to_be_visible()
    expect(hidden).to_have_count(0)
    ann.once("dialog", lambda question: question.dismiss())  # Bob could look on from another browser
    ann.get_by_label("Spectators may see my cards").click()
    expect(ann.get_by_label("Spectators may see my cards")).not_to_be_checked()
    ann.once("dialog", lambda question: question.accept())
    ann.get_by_label("Spectators may see my cards").check()
    carl.get_by_label("View").select_option("as Ann sees it")
    expect(hidden.first).to_be_visible()
    ann.get_by_label("Spectators may see my cards").uncheck()
    expect(hidden).to_have_count(0)
    press(ann, "Switch the chat off")
    expect(bob.get_by_label("Say something")).to_be_hidden()
    first, second = (ann, bob) if ann.locator("#whose", has_text="Which").count() else (bob, ann)
    keep_cards(first)
    keep_cards(second)
    bob.once("dialog", lambda question: question.accept())
    press(bob, "Leave")
    expect(ann.locator("[data-seat='1']")).to_contain_text("plays for Bob")
    expect(ann.locator("#whose")).to_have_text("Your turn")
    # The match began between people: it stays fair for the one who left.
    expect(ann.get_by_role("button", name="Take back")).to_have_count(0)
    expect(ann.locator("#advice")).to_be_hidden()


def test_the_list_of_tables_says_who_sits_there(visitor: NewVisitor) -> None:
    ann, bob = arrive_as(visitor, "Ann"), arrive_as(visitor, "Bob")
    address = create(ann, "Listed")
    row = bob.get_by_role("row").filter(has_text="Listed")
    expect(row).to_contain_text("Ann, free seat")
    row.get_by_role("link", name="Join").click()
    press(bob, "Join")
    expect(bob.locator("[data-seat='1']")).to_contain_text("Bob (you)")
    bob.goto("/play")
    expect(bob.locator("#mine").get_by_role("row").filter(has_text="Listed")).to_contain_text("Continue")
    eve = visitor()
    eve.goto("/")
    row = eve.get_by_role("row").filter(has_text="Listed")
    expect(row).to_contain_text("Ann, Bob")
    expect(row.get_by_role("link", name="Watch")).to_have_attribute("href", address.removeprefix(eve.url.rstrip("/")))


def test_a_restart_of_the_server_loses_nothing(browser: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path / "tables.db")
    page = browser.new_page(base_url=f"http://127.0.0.1:{server.port}")
    try:
        page.goto("/play")
        press(page, "Hearthstone against greedy")
        keep_cards(page)
        expect(page.locator("#whose")).to_have_text("Your turn")
        before = page.locator(".log .line").all_inner_texts()
        server.kill()
        expect(page.get_by_role("status").first).to_have_text("The connection is lost; trying again …")
        press(page, "End turn")  # the page sends it when the server is there again
        server.start()
        expect(page.locator(".log .turn").nth(2)).to_be_visible()
        expected = [*before, "ends the turn; Warrior draws a card"]
        assert page.locator(".log .line").all_inner_texts()[: len(expected)] == expected
        expect(page.locator("#whose")).to_have_text("Your turn")
        page.go_back()
        expect(page.locator("#mine")).to_contain_text("Continue")
        page.go_forward()
        expect(page.locator("#whose")).to_have_text("Your turn")
    finally:
        page.close()
        server.kill()


def test_a_refused_connection_says_why(browser: Browser) -> None:
    with served_bare("workers=1, proxies=('127.0.0.1',), address_connections=1") as server:
        context = browser.new_context(base_url=server.url, extra_http_headers={"X-Forwarded-For": "203.0.113.7"})
        first, second = context.new_page(), context.new_page()
        first.goto("/play")
        expect(first.locator("#quick button").first).to_be_visible()
        second.goto("/play")
        expect(second.get_by_role("status")).to_contain_text("Too many connections from your network address")
        first.goto("/")
        expect(second.get_by_role("status")).to_have_text("")
        context.close()


def test_a_link_replaces_another_player_only_after_a_question(visitor: NewVisitor) -> None:
    ann = arrive_as(visitor, "Ann")
    own = ann.evaluate("localStorage.getItem('planner.secret')")
    questions = list[str]()

    def answer(agree: bool) -> Callable[[Dialog], None]:
        def handle(question: Dialog) -> None:
            questions.append(question.message)
            question.accept() if agree else question.dismiss()

        return handle

    for agree in (False, True):
        ann.once("dialog", answer(agree))
        ann.goto("/")
        ann.goto(f"/play#secret={'x' * 40}&name=Eve")
        expect(ann.get_by_label("Your name")).to_have_value("Eve" if agree else "Ann")
        assert "secret" not in ann.url
    assert len(questions) == 2
    assert "“Eve”" in questions[0]
    assert "“Ann”" in questions[0]
    before = ann.evaluate("JSON.parse(localStorage.getItem('planner.before'))")
    assert before == {"secret": own, "name": "Ann"}


def test_a_match_against_an_agent_with_advice_and_take_back(page: Page) -> None:
    page.goto("/play")
    press(page, "Hearthstone against greedy")
    page.wait_for_url("**/table/*")
    keep_cards(page)
    expect(page.locator("#whose")).to_have_text("Your turn")
    expect(page.get_by_label("Weights of the advice")).to_have_value("champion_standard")
    followed = 0
    for _ in range(3):
        press(page, "Suggest")
        expect(page.locator("#suggestion")).to_be_visible()
        move = page.get_by_role("button", name="Play this move", exact=True)
        while move.count() and followed < 4:
            lines = page.locator(".log .line").count()
            move.click()
            expect(page.locator(".log .line")).not_to_have_count(lines)
            followed += 1
        lines = page.locator(".log .line").count()
        press(page, "End turn")
        expect(page.locator(".log .line").nth(lines + 1)).to_be_visible()  # the agent has moved
        expect(page.locator("#whose")).to_have_text("Your turn")
    assert followed >= 1
    expect(page.locator(".log .turn").first).to_be_visible()
    before = page.locator(".log .line").count()
    press(page, "Take back")
    expect(page.locator(".log .line")).not_to_have_count(before)
    assert page.locator(".log .line").count() < before
    expect(page.locator("#whose")).to_have_text("Your turn")
    page.locator("#setup summary").click()
    expect(page.locator("#setup")).to_contain_text("not counted")


def start_dominion(visitor: NewVisitor, player: str) -> tuple[Page, Page]:
    """Let two people play Dominion with an agent in the third seat; `player` clicks for them."""
    ann, bob = arrive_as(visitor, "Ann"), arrive_as(visitor, "Bob")
    press(ann, "Create a table …")
    ann.get_by_label("Game", exact=True).select_option("dominion")
    ann.get_by_label("Players", exact=True).select_option("3")
    ann.get_by_label("Seat 2", exact=True).select_option("person")
    ann.get_by_label("Seat 3", exact=True).select_option("agent workshop_gardens")  # which empties piles quickly
    press(ann, "Witch")  # the kingdom has ten piles: one more is not taken
    expect(ann.get_by_text("10 of 10")).to_be_visible()
    press(ann, "Create table")
    ann.wait_for_url("**/table/*")
    start_match(ann, bob, ann.url)
    for page in (ann, bob):
        expect(page.locator("card-table .zone.grid .card").nth(15)).to_be_visible()
        page.evaluate(player)
    return ann, bob


def test_dominion_with_an_agent_in_the_third_seat_is_played_to_the_end(visitor: NewVisitor) -> None:
    ann, bob = start_dominion(visitor, EMPTY_PILES)
    expect(bob.locator(".log .turn").nth(8)).to_be_visible(timeout=60_000)  # everybody has moved three times
    bob.reload()
    expect(bob.locator(".log .turn").nth(8)).to_be_visible()
    bob.evaluate(EMPTY_PILES)
    for page in (ann, bob):
        expect(page.locator("#result")).to_contain_text(re.compile("win|draw"), timeout=120_000)
    for frame in frames(ann):
        for side in frame["view"]["sides"] if frame["view"] else ():
            for zone in side.get("zones", ()):
                if zone["id"].endswith(".hand") and side.get("seat") != frame["you"]["seat"]:
                    assert all("name" not in card for card in zone.get("cards", ()))


@pytest.mark.long
def test_a_longer_game_of_dominion_in_which_everything_is_played(visitor: NewVisitor) -> None:
    ann, bob = start_dominion(visitor, AUTOPLAY)
    for page in (ann, bob):
        expect(page.locator("#result")).to_contain_text(re.compile("win|draw"), timeout=300_000)


def test_a_card_shows_its_text_beside_its_keywords_also_to_screen_readers(page: Page) -> None:
    page.goto("/play")
    press(page, "Dominion against dominion money")
    militia = page.locator("card-table .card", has_text="Militia").first
    text = "+2 coins. Each other player discards down to 3 cards."
    expect(militia).to_contain_text(f"attack. {text}")
    expect(militia).to_have_attribute("aria-label", re.compile(re.escape(text)))
    militia.hover()
    expect(page.get_by_role("tooltip")).to_contain_text(text)


def test_a_battle_uses_the_same_table(page: Page) -> None:
    page.goto("/play")
    press(page, "Spire")
    page.wait_for_url("**/table/*")
    card = page.locator("card-table .zone.hand .card.legal").first  # the deal is random: any card
    name = card.locator(".name").inner_text()
    card.click()
    target = page.locator("card-table .legal-target")
    if target.count():
        target.first.click()
    expect(page.locator(".log .line").first).to_contain_text(name)
    press(page, "End turn")
    expect(page.locator(".log .line").nth(1)).to_contain_text("ends the turn")
    expect(page.locator("#whose")).to_have_text("Your turn")


def test_the_keyboard_alone_is_enough_and_a_phone_shows_the_end_of_the_turn(visitor: NewVisitor) -> None:
    page = visitor(phone=True)
    page.goto("/play")

    def go(to: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("(to) => document.activeElement.matches(to)", to):
                return
        raise AssertionError(f"{to} cannot be reached with Tab")

    expect(page.get_by_role("button", name="Hearthstone against greedy")).to_be_visible()
    go("#quick button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/table/*")
    expect(page.locator("#whose")).to_have_text("Which cards do you replace?")
    go("card-table .card.legal")
    page.keyboard.press("Enter")
    expect(page.locator("card-table .card.chosen")).to_have_count(1)
    go("#actions button.main")
    page.keyboard.press("Enter")
    expect(page.locator("#whose")).to_have_text("Your turn")
    box = page.get_by_role("button", name="End turn", exact=True).bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 844, "End turn is above the fold"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    go("#actions button.main")
    page.keyboard.press("Enter")
    expect(page.locator(".log .turn").nth(2)).to_be_visible()
    expect(page.locator("#whose")).to_have_text("Your turn")


def test_an_unknown_table_is_an_error(page: Page) -> None:
    page.goto("/table/nothing")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("link", name="Go to the tables").click()
    expect(page.get_by_role("heading", name="Play")).to_be_visible()
