"""The analysis board as a visitor uses it: editing, the best turn, turns of one's own, links."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qs, quote, urlsplit

from playwright.sync_api import Browser, Page, expect

from planner import plan_turn
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from tests.browser.conftest import NewVisitor, press
from tests.service.conftest import served
from tests.service.test_examples import EXAMPLES, FIRST

LETHAL = state_from_text(EXAMPLES[FIRST])
SCORE = "#score"
TWINS = "1 mana | me 30hp: 2/2, 2/2, 2/2 | hand: Stonetusk Boar, Stonetusk Boar | enemy 30hp: 3/2"


def open_board(page: Page, state: str = EXAMPLES[FIRST], weights: str = "aggro_face") -> None:
    page.goto(f"/analysis#state={quote(state)}&weights={weights}")


def expect_score(page: Page, value: float) -> None:
    expect(page.locator(SCORE)).to_have_text(f"{value:g}")


def edit(page: Page) -> None:
    press(page, "Edit board")


def thing(id_: str) -> str:
    return f"[data-id='{id_}']"


def names(page: Page, zone: str) -> list[str]:
    return page.locator(f"[data-zone='{zone}'] .card:not(.slot) .name").all_inner_texts()


def add(page: Page, zone: str, part: str, name: str) -> None:
    """Add a card by searching for its name."""
    press(page, f"Add a card to {zone}")
    page.get_by_label("Search cards").fill(part)
    page.locator(".results button", has_text=name).first.click()
    expect(page.get_by_role("group", name=re.compile(zone, re.IGNORECASE))).to_contain_text(name[:8])
    expect(page.locator("dialog")).to_have_count(0)


def hero(page: Page, seat: int, **numbers: int) -> None:
    page.locator(thing(f"seat.{seat}")).click()
    for label, value in numbers.items():
        page.get_by_label(label.replace("_", " ").capitalize(), exact=True).fill(str(value))
    press(page, "Save")
    expect(page.locator("dialog")).to_have_count(0)


def test_a_board_can_be_built_by_hand_and_its_turn_stepped_through(page: Page) -> None:
    open_board(page)
    expect_score(page, 265)
    press(page, "Clear")
    expect_score(page, 0 + Weights.of("aggro_face").board_clear)
    edit(page)
    for part, name in (("yeti", "Chillwind Yeti"), ("raptor", "Bloodfen Raptor"), ("boulderfist", "Boulderfist Ogre")):
        add(page, "your board", part, name)
    for part, name in (("wolfr", "Wolfrider"), ("stonetusk", "Stonetusk Boar"), ("shieldmasta", "Sen'jin Shieldmasta")):
        add(page, "your hand", part, name)
    add(page, "enemy board", "sen'jin", "Sen'jin Shieldmasta")
    add(page, "enemy board", "magma", "Magma Rager")
    hero(page, 1, health=12)
    hero(page, 0, health=9, mana=4, crystals=4)
    expect_score(page, 265)
    expect(page.locator(".tag.win")).to_have_text("lethal")
    expect(page.locator("#lethal")).to_have_text("Lethal: this turn wins.")

    steps = page.locator("#best .steps button.step")
    expect(steps).to_have_count(7)
    expect(page.locator("svg .arrow.best")).to_have_count(7)
    for number in range(1, 8):
        press(page, "Next action")
        expect(page.locator(".caption")).to_contain_text(f"After action {number} of 7")
        expect(steps.nth(number - 1)).to_have_class(re.compile("now"))
        expect(page.locator("svg .arrow.best")).to_have_count(7 - number)
    life = page.locator(thing("seat.1") + " .life")
    expect(life).to_have_text("0")
    expect(page.get_by_role("button", name="Next action")).to_be_disabled()
    press(page, "Previous action")
    expect(life).to_have_text("6")
    press(page, "Before the turn")
    expect(life).to_have_text("12")
    assert names(page, "seat.0.hand") == ["Wolfrider", "Stonetusk Boar", "Sen'jin Shieldmasta"]


def test_arrows_lead_from_attackers_to_targets(page: Page) -> None:
    open_board(page)
    expect(page.locator("svg .arrow.best")).to_have_count(7)
    attacks = [action for action in plan_turn(LETHAL, "aggro_face").actions if type(action).__name__ == "Attack"]
    drawn = page.locator("svg .arrow:has(line)")
    expect(drawn).to_have_count(len(attacks))
    for index, attack in enumerate(attacks):
        target = "seat.1" if attack.target == "enemy.hero" else attack.target
        expect(drawn.nth(index)).to_have_attribute("data-from", attack.attacker)
        expect(drawn.nth(index)).to_have_attribute("data-to", target)


def test_an_alternative_is_stepped_through(page: Page) -> None:
    open_board(page)
    expect_score(page, 265)
    rows = page.locator("#next-best button.step")
    expect(rows).to_have_count(4)
    texts = rows.all_inner_texts()
    assert len(set(texts)) == 4
    rows.nth(2).click()
    expect(page.locator("#line-title")).to_have_text("Another turn")
    expect(rows.nth(2)).to_have_attribute("aria-current", "true")
    loss = float(re.match(r"−([\d.]+)", texts[2]).group(1))  # type: ignore[union-attr]
    expect_score(page, 265 - loss)
    press(page, "Next action")
    expect(page.locator(".caption")).to_contain_text("After action 1 of")
    press(page, "Back to the suggested turn")
    expect(page.locator("#line-title")).to_have_text("Suggested turn")


def test_a_turn_of_ones_own_shows_its_loss_and_a_link_carries_it(page: Page, visitor: NewVisitor) -> None:
    open_board(page)
    expect_score(page, 265)
    # Attack the taunt with the Ogre, then with the Raptor; go back and play the Boar instead.
    page.locator(thing("me.board.2")).click()
    expect(page.locator(thing("enemy.board.0"))).to_have_class(re.compile("legal-target"))
    page.locator(thing("enemy.board.0")).click()
    best = plan_turn(LETHAL, "aggro_face").objective
    actions = [{"type": "attack", "attacker": "me.board.2", "target": "enemy.board.0"}]
    loss = best - _score(actions)
    expect(page.locator("#own-turn")).to_contain_text(f"{loss:g} points lost")
    expect(page.locator("#best")).to_contain_text(f"{best - loss:g}")  # the score of this turn, not of the best one
    expect(page.locator("#best")).not_to_contain_text("proved best")
    page.locator(thing("me.hand.1")).click()
    expect(page.locator(".caption")).to_contain_text("After action 2 of 2")
    press(page, "Previous action")
    page.locator(thing("me.hand.0")).click()
    actions.append({"type": "play", "card": "me.hand.0", "target": None})
    expect(page.locator("#own-turn")).to_contain_text(f"{best - _score(actions):g} points lost")
    expect(page.locator("#variations .tree button[aria-current]")).to_contain_text("plays Wolfrider")
    expect(page.locator("#variations li")).to_have_count(3)  # a common beginning and two ends

    press(page, "Share")
    link = page.locator("#link").input_value()
    fields = parse_qs(urlsplit(link).fragment)
    assert fields["weights"] == ["aggro_face"]
    assert len(json.loads(fields["tree"][0])[0]) == 3
    other = visitor()
    other.goto(link)
    expect(other.locator("#own-turn")).to_contain_text(f"{best - _score(actions):g} points lost")
    expect(other.locator("#variations li")).to_have_count(3)
    expect(other.locator("#variations")).to_contain_text("plays Stonetusk Boar")
    expect(other.locator("#profile")).to_have_value("aggro_face")
    other.locator("#variations .tree button", has_text="plays Stonetusk Boar").click()
    expect(other.locator(".caption")).to_contain_text("plays Stonetusk Boar")


def _score(actions: list[dict[str, object]]) -> float:
    from planner.protocol import answer_request

    state = GAME.state_to_json(LETHAL)
    answer = answer_request({"request": "turn", "state": state, "weights": "aggro_face", "actions": actions})
    score: float = answer["score"]
    return score


def test_equal_minions_are_distinguished(page: Page) -> None:
    open_board(page, TWINS)
    rows = page.locator("#next-best button.step")
    expect(rows).to_have_count(4)
    assert len(set(rows.all_inner_texts())) == 4, "the same turn with another of the equal minions is not listed"
    steps = page.locator("#best .steps li")
    expect(steps.filter(has_text="from the left").first).to_be_visible()
    boar = steps.filter(has_text="plays Stonetusk Boar").first
    expect(boar).to_contain_text(re.compile("−.* if excluded"))
    boar.get_by_role("button", name=re.compile("^Exclude")).click()
    expect(page.locator("#best .steps")).not_to_contain_text("plays Stonetusk Boar")


def test_the_plan_changes_at_the_end_of_a_weights_range(page: Page) -> None:
    open_board(page)
    expect_score(page, 265)
    shown = page.locator("[data-range=own_survival]")
    plan = plan_turn(LETHAL, "aggro_face")
    end = next(found for found in plan.ranges() if found.term == "own_survival").high
    assert end is not None
    expect(shown).to_contain_text(f"to {end.at}")
    lines = page.locator("#best .steps button.step > span:nth-child(2)")
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
    expect(page.locator("#profile")).to_have_value("custom")


def test_an_excluded_win_is_not_called_a_preference(page: Page) -> None:
    open_board(page)
    expect_score(page, 265)
    first = page.locator("#best .steps li").first
    expect(first).to_contain_text("−85 if excluded")
    first.get_by_role("button", name=re.compile("^Exclude")).click()
    expect_score(page, 265 - 85)
    expect(page.locator("#best .steps")).not_to_contain_text("plays Wolfrider")
    expect(page.locator("#lethal")).to_contain_text("excluded actions")
    page.locator(".chips button", has_text="excluded").click()
    expect_score(page, 265)


def test_cards_are_edited_moved_dragged_and_changes_undone(page: Page) -> None:
    open_board(page)
    expect_score(page, 265)
    edit(page)
    expect(page.get_by_role("button", name="Undo (Ctrl+Z)")).to_be_disabled()
    yeti = page.locator(thing("me.board.0"))
    yeti.click()
    page.get_by_label("Attack", exact=True).fill("1")
    press(page, "taunt")
    press(page, "Save")
    expect(yeti.locator("[data-counter=attack]")).to_have_text("1")
    expect(yeti).to_have_class(re.compile("has-taunt"))
    page.locator(thing("me.board.2")).click()
    press(page, "Remove")
    expect(page.locator(thing("me.board.2"))).to_have_count(0)
    press(page, "Undo (Ctrl+Z)")
    expect(page.locator(thing("me.board.2"))).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(yeti.locator("[data-counter=attack]")).to_have_text("4")
    expect_score(page, 265)
    press(page, "Redo (Ctrl+Y)")
    expect(yeti.locator("[data-counter=attack]")).to_have_text("1")
    page.locator(thing("me.board.0")).drag_to(page.locator(thing("me.board.2")))
    expect(page.locator(thing("me.board.1")).locator(".name")).to_have_text("Chillwind Yeti")
    page.locator(thing("me.hand.0")).drag_to(page.locator(thing("me.board.0")))
    expect(page.locator(thing("me.board.0")).locator(".name")).to_have_text("Wolfrider")
    assert len(names(page, "seat.0.hand")) == 2
    # An invalid change is refused with its reason, and nothing changes.
    page.locator(thing("me.board.1")).click()
    page.get_by_label("Health", exact=True).fill("0")
    press(page, "Save")
    expect(page.locator(".toast.error")).to_contain_text("health")
    press(page, "Close")
    expect(page.locator(thing("me.board.1")).locator("[data-counter=health]")).to_have_text("2")
    page.reload()  # the address contains the board
    expect(page.locator(thing("me.board.0")).locator(".name")).to_have_text("Wolfrider")


def test_import_refuses_what_is_not_a_state_and_links_have_a_limit(page: Page) -> None:
    open_board(page)
    press(page, "Import or export")
    page.get_by_label("JSON or text").fill('{"mana": 3}')
    press(page, "Import")
    expect(page.locator("dialog .problem")).to_contain_text("is missing")
    deck = ["Chillwind Yeti", "Bloodfen Raptor"] * 600
    state = {"mana": 1, "me": {"hero": {"health": 30}, "deck": deck}, "enemy": {"hero": {"health": 30}}}
    page.get_by_label("JSON or text").fill(json.dumps({"game": "hearthstone", **state}))
    press(page, "Import")
    expect(page.locator("dialog")).to_have_count(0)
    press(page, "Share")
    expect(page.locator(".toast.error")).to_contain_text("too large for a link")


def test_text_from_users_is_not_markup_and_long_names_fit(page: Page) -> None:
    evil = "<img src=x onerror=document.title=1><b>bold</b>"
    open_board(page)
    edit(page)
    press(page, "Add a card to your board")
    page.get_by_text("Custom card").click()
    page.get_by_label("Name", exact=True).fill(evil)
    press(page, "Add card")
    expect(page.locator(thing("me.board.3")).locator(".name")).to_have_text(evil)
    expect(page.locator("#best .steps")).to_contain_text("<b>bold</b>")
    assert page.locator("img[src=x]").count() == 0
    minion = {"name": "\u202e" + 60 * "y", "attack": 2, "health": 2}
    state = {"mana": 1, "me": {"hero": {"health": 30}, "board": [minion]}, "enemy": {"hero": {"health": 30}}}
    open_board(page, json.dumps(state))
    page.reload()
    expect(page.locator("#best .steps")).to_contain_text(60 * "y" + " attacks the enemy hero (30 → 28)")
    assert "\u202e" not in page.locator("body").inner_text()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto("/analysis?state=" + "%3Cscript%3Ealert(1)%3C/script%3E")
    expect(page.get_by_role("alert").first).to_contain_text("The link has an invalid state")
    expect(page).to_have_title("Analysis · planner")


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    open_board(page)
    expect_score(page, 265)

    def go(to: str) -> None:
        for _ in range(80):
            page.keyboard.press("Tab")
            if page.evaluate("(to) => document.activeElement.matches(to)", to):
                return
        raise AssertionError(f"{to} cannot be reached with Tab")

    # A turn of one's own: a card, then its target.
    go(thing("me.board.2"))
    page.keyboard.press("Enter")
    page.locator("h1").first.evaluate("() => document.activeElement.blur()")
    go(thing("enemy.board.0"))
    page.keyboard.press("Enter")
    expect(page.locator("#own-turn")).to_be_visible()
    page.keyboard.press("Home")
    go("[data-focus='mode edit']")
    page.keyboard.press("Enter")
    go(thing("me.board.0"))
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(thing("me.board.1")).locator(".name")).to_have_text("Chillwind Yeti")
    expect(page.locator(thing("me.board.1"))).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.locator(thing("me.board.2"))).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator(thing("me.board.2"))).to_have_count(1)
    go(".card.slot")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Search cards")).to_be_focused()
    page.keyboard.type("river croc")
    expect(page.locator(".results button")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("card-table")).to_contain_text("River Crocolisk")
    expect(page.locator("dialog")).to_have_count(0)  # until then the dialog gets the keys
    page.keyboard.press("Control+z")
    expect(page.locator("card-table")).not_to_contain_text("River Crocolisk")
    expect(page.locator("#best .steps button.step").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".caption")).to_contain_text("After action 1 of")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".caption")).not_to_contain_text("After action")


def test_the_page_works_on_a_phone(visitor: NewVisitor) -> None:
    page = visitor(phone=True)
    seven, others = ", ".join(["Chillwind Yeti"] * 7), ", ".join(["Sen'jin Shieldmasta"] * 7)
    open_board(page, f"9 mana | me 30hp: {seven} | enemy 30hp: {others}")
    expect(page.locator(SCORE)).to_be_visible()
    wide, seen = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide <= seen
    tops = [
        page.locator(part).first.evaluate("(e) => e.getBoundingClientRect().top")
        for part in ("card-table", SCORE, ".bars", ".weights")
    ]
    assert tops == sorted(tops), "the best turn is right below the table"
    # Touch screens cannot drag: pick a card up and drop it.
    open_board(page, "4 mana | me 30hp: Chillwind Yeti, River Crocolisk | hand: Wolfrider, Fireball | enemy 30hp")
    page.reload()
    press(page, "Edit board")
    page.locator(thing("me.hand.0")).tap()
    page.get_by_role("button", name="Move", exact=True).tap()
    expect(page.locator(".caption")).to_contain_text("Click where to put the card")
    page.locator(thing("me.board.1")).tap()
    expect(page.locator(".caption")).not_to_contain_text("Click where")
    assert names(page, "seat.0.board") == ["Chillwind Yeti", "Wolfrider", "River Crocolisk"]


def test_an_old_answer_is_not_shown_for_a_new_board(page: Page) -> None:
    """A worker may hang: until the new answer is there, the page must not call anything the best turn."""
    open_board(page)
    expect(page.locator("#best")).to_contain_text("proved best")
    page.route("**/plan", lambda _: None)  # no answer arrives
    edit(page)
    hero(page, 1, health=29)
    expect(page.locator("#best")).to_contain_text("Searching")
    expect(page.locator("#best")).not_to_contain_text("proved best")
    expect(page.locator(SCORE)).to_have_count(0)
    expect(page.locator("svg .arrow.best")).to_have_count(0)
    page.unroute_all(behavior="ignoreErrors")


def test_spell_damage_is_shown_where_it_is_in_force(page: Page) -> None:
    open_board(page, "4 mana | me 30hp: Kobold Geomancer, Soot Spewer | hand: Fireball | enemy 20hp")
    expect(page.locator(thing("seat.0"))).to_contain_text("spell damage 2")
    expect(page.locator(thing("me.board.0"))).to_have_attribute("aria-label", re.compile("1 spell damage"))
    edit(page)
    page.locator(thing("me.board.0")).click()
    expect(page.locator("dialog")).to_contain_text("Spell damage +1.")


def test_an_unknown_card_prevents_a_proof(page: Page) -> None:
    state = {"mana": 5, "me": {"hero": {"health": 30}, "hand": [{"name": "Unknown Card", "cost": 2}]}}
    open_board(page, json.dumps({**state, "enemy": {"hero": {"health": 30}}}))
    expect(page.locator("#proof")).to_contain_text("Not proved")


def test_the_browser_asks_for_the_token(browser: Browser) -> None:
    token = "0123456789abcdef"
    with served("--workers", "1", PLANNER_TOKEN=token) as started:
        address = started.url.rstrip("/")
        assert started.client.get("/analysis").status_code == 401
        with browser.new_context(base_url=address, http_credentials={"username": "me", "password": token}) as context:
            page = context.new_page()
            page.goto("/analysis")
            expect(page.locator(SCORE)).to_be_visible()
            page.goto("/play")
            expect(page.get_by_text("No table is open now")).to_be_visible()  # the WebSocket has the token too
