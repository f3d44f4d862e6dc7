"""The decks of the project, decks of users, and errors in deck files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import CLASSES
from planner.games.hearthstone.cards.decks import Deck, deck_names, load_deck
from planner.games.hearthstone.cards.keywords import names
from tests.games.hearthstone.cards.expected import SIMPLE
from tests.games.hearthstone.cards.helpers import CARDS

THESIS = ("thesis_paladin", "thesis_warrior")
KEPT = {"charge", "rush", "taunt"}


def test_there_is_a_deck_for_every_class_and_the_two_of_the_thesis() -> None:
    assert deck_names() == sorted([*CLASSES, *THESIS])


@pytest.mark.parametrize("name", deck_names())
def test_a_shipped_deck_is_legal(name: str) -> None:
    deck = load_deck(name)
    assert deck.hero_class == name.removeprefix("thesis_")
    assert len(deck.cards) == 30
    assert max(Counter(card.name for card in deck.cards).values()) <= 2
    assert all(card.card_class in ("neutral", deck.hero_class) and not card.token for card in deck.cards)
    assert deck.power == CARDS.hero_powers[deck.hero_class]


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_deck_has_only_simple_cards_as_printed(name: str) -> None:
    deck = load_deck(name)
    simple = {card.name: card for card in SIMPLE}
    assert all(CARDS[card.name] is card and card.name in simple for card in deck.cards)
    own = {card.name for card in deck.cards if card.card_class == name}
    assert len(own) >= min(4, sum(card.card_class == name for card in SIMPLE))


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_deck_has_the_card_types_of_its_class(name: str) -> None:
    kinds = {card.type for card in SIMPLE if card.card_class == name} | {"minion"}
    assert {card.type for card in load_deck(name).cards} == kinds


@pytest.mark.parametrize("name", deck_names())
def test_a_shipped_deck_has_cheap_and_expensive_cards(name: str) -> None:
    costs = [card.cost for card in load_deck(name).cards]
    assert sum(cost <= 2 for cost in costs) >= 6
    assert sum(cost >= 6 for cost in costs) >= 4
    assert 2.5 <= sum(costs) / len(costs) <= 4.5


@pytest.mark.parametrize("name", THESIS)
def test_a_thesis_deck_has_fifteen_vanilla_minions_twice(name: str) -> None:
    deck = load_deck(name)
    counts = Counter(card.name for card in deck.cards)
    assert len(counts) == 15
    assert set(counts.values()) == {2}
    for card in deck.cards:
        printed = CARDS[card.name]
        assert (card.type, card.effects, card.overload, card.spell_damage, card.text) == ("minion", (), 0, 0, "")
        assert (card.cost, card.attack, card.health) == (printed.cost, printed.attack, printed.health)
        assert set(names(card.keywords)) == set(names(printed.keywords)) & KEPT
    assert {1, 2, 3, 4, 6, 7, 8} <= {card.cost for card in deck.cards} <= set(range(1, 9))


def in_deck(deck: Deck, name: str) -> tuple[int, int, int, list[str]]:
    card = next(card for card in deck.cards if card.name == name)
    return card.cost, card.attack, card.health, names(card.keywords)


def test_the_cards_of_the_thesis_have_its_numbers() -> None:
    paladin, warrior = load_deck("thesis_paladin"), load_deck("thesis_warrior")
    assert in_deck(paladin, "Righteous Protector") == (1, 1, 1, ["taunt"])
    assert in_deck(paladin, "Argent Squire") == (1, 1, 1, [])
    assert in_deck(paladin, "Chillblade Champion") == (4, 3, 2, ["charge"])
    assert in_deck(paladin, "Leeroy Jenkins") == (5, 6, 2, ["charge"])
    assert in_deck(paladin, "Tirion Fordring") == (8, 6, 6, ["taunt"])
    assert in_deck(warrior, "Warbot") == (1, 1, 3, ["rush"])
    assert in_deck(warrior, "Town Crier") == (1, 1, 2, ["rush"])
    assert in_deck(warrior, "Armorsmith") == (2, 1, 4, [])


# -- decks of users

HEAD = "name: Mine\nclass: mage\ncards:\n"
MAGE = [card.name for card in SIMPLE if card.card_class == "mage" and " (" not in card.name]
GOOD = "".join(f"  - 2 x {name}\n" for name in (*MAGE[:13], "Wisp", "Wolfrider"))
FOURTEEN = "".join(GOOD.splitlines(keepends=True)[:14])


def write(folder: Path, text: str) -> Path:
    file = folder / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_deck_of_a_user(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + GOOD)
    for which in (file, str(file)):
        deck = load_deck(which)
        assert (deck.name, deck.hero_class, len(deck.cards)) == ("Mine", "mage", 30)
        assert deck.power is CARDS["Fireblast"]


def test_the_ruleset_sets_size_and_copies(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + "  - 3x Wolfrider\n  - 1 x  Wisp\n")
    deck = load_deck(file, size=4, copies=3)
    assert [card.name for card in deck.cards] == ["Wolfrider", "Wolfrider", "Wolfrider", "Wisp"]


def test_a_deck_with_cards_of_a_user(tmp_path: Path) -> None:
    extra = tmp_path / "cards.yaml"
    extra.write_text("- {name: Grue, cost: 3, attack: 3, health: 3}\n", encoding="utf-8")
    file = write(tmp_path, HEAD + FOURTEEN + "  - 2 x Grue\n")
    assert load_deck(file, CARDS.extended(extra)).cards[-1].name == "Grue"


BAD = {
    "unknown card": (
        HEAD + FOURTEEN + "  - 2 x Wolfridr\n",
        "mine.yaml:18: unknown card 'Wolfridr'; did you mean 'Wolfrider'?",
    ),
    "31 cards": (HEAD + GOOD + "  - 1 x Chillwind Yeti\n", "mine.yaml:3: 31 cards; a deck has 30"),
    "29 cards": (HEAD + FOURTEEN + "  - 1 x Wolfrider\n", "mine.yaml:3: 29 cards; a deck has 30"),
    "three copies": (
        HEAD + "  - 3 x Wolfrider\n",
        "mine.yaml:4: 3 x Wolfrider; a deck has 1 to 2 copies of a card",
    ),
    "three copies in two lines": (
        HEAD + GOOD + "  - 1 x Wisp\n",
        "mine.yaml:19: 3 x Wisp; a deck has 1 to 2 copies of a card",
    ),
    "no copy": (HEAD + GOOD + "  - 0 x Wisp\n", "mine.yaml:19: 0 x Wisp; a deck has 1 to 2 copies of a card"),
    "wrong class": (
        HEAD + "  - 2 x Backstab\n",
        "mine.yaml:4: Backstab is a rogue card, but this is a mage deck",
    ),
    "token": (
        HEAD + "  - 2 x Wisp\n  - 2 x Whelp\n",
        "mine.yaml:5: Whelp is created by other cards and cannot be in a deck",
    ),
    "hero power": (
        HEAD + "  - 2 x Fireblast\n",
        "mine.yaml:4: Fireblast is created by other cards and cannot be in a deck",
    ),
    "bad line": (HEAD + "  - Wolfrider\n", "mine.yaml:4: 'Wolfrider' must have the form '2 x Wolfrider'"),
    "line is a number": (HEAD + "  - 2\n", "mine.yaml:4: 2 must have the form '2 x Wolfrider'"),
    "line is a mapping": (
        HEAD + "  - Wolfrider: 2\n",
        "mine.yaml:4: {'Wolfrider': 2} must have the form '2 x Wolfrider'",
    ),
    "endless count": (HEAD + f"  - {'9' * 5000} x Wisp\n", "mine.yaml:4: "),
    "unknown class": (
        "name: Mine\nclass: magus\ncards:\n" + GOOD,
        "mine.yaml:2: class: unknown class 'magus'; did you mean 'mage'?",
    ),
    "neutral class": ("name: Mine\nclass: neutral\ncards:\n" + GOOD, "mine.yaml:2: class: unknown class 'neutral'"),
    "class that resembles none": (
        "name: Mine\nclass: wizard\ncards:\n" + GOOD,
        "mine.yaml:2: class: unknown class 'wizard'; use one of deathknight, demonhunter, druid, ",
    ),
    "class is a list": ("name: Mine\nclass: [mage]\ncards:\n" + GOOD, "mine.yaml:2: class: unknown class ['mage']"),
    "no class": ("name: Mine\ncards:\n" + GOOD, "mine.yaml:1: class: is missing"),
    "no name": ("class: mage\ncards:\n" + GOOD, "mine.yaml:1: name: is missing"),
    "no cards": ("name: Mine\nclass: mage\n", "mine.yaml:1: cards: is missing"),
    "nothing under cards": (HEAD, "mine.yaml:3: cards: must be a list of lines such as '2 x Wolfrider'"),
    "empty list of cards": ("name: Mine\nclass: mage\ncards: []\n", "mine.yaml:3: 0 cards; a deck has 30"),
    "cards is text": (
        "name: Mine\nclass: mage\ncards: 2 x Wolfrider\n",
        "mine.yaml:3: cards: must be a list of lines such as '2 x Wolfrider'",
    ),
    "unknown field": (
        HEAD + GOOD + "wildcards: []\n",
        "mine.yaml:19: unknown field 'wildcards'",
    ),
    "misspelt field": (
        HEAD + GOOD + "keep_keyword: [taunt]\n",
        "mine.yaml:19: unknown field 'keep_keyword'; did you mean 'keep_keywords'?",
    ),
    "unknown keyword to keep": (
        HEAD + GOOD + "keep_keywords: [tount]\n",
        "mine.yaml:19: keep_keywords: unknown keyword 'tount'; did you mean 'taunt'?",
    ),
    "keywords no list": (
        HEAD + GOOD + "keep_keywords: taunt\n",
        "mine.yaml:19: keep_keywords: must be a list, got 'taunt'",
    ),
    "not a mapping": ("- 2 x Wolfrider\n", "mine.yaml:1: a deck is a mapping with name, class and cards"),
    "empty file": ("", "mine.yaml:1: a deck is a mapping with name, class and cards"),
    "broken YAML": (HEAD + "  - [2 x Wisp\n", "mine.yaml:5: "),
}


@pytest.mark.parametrize("case", BAD, ids=str)
def test_a_wrong_deck_is_refused_in_one_line_with_file_line_and_reason(case: str, tmp_path: Path) -> None:
    text, message = BAD[case]
    with pytest.raises(PlannerError) as refusal:
        load_deck(write(tmp_path, text))
    said = str(refusal.value)
    assert "\n" not in said
    assert len(said) < len(str(tmp_path)) + 200
    assert said.startswith(f"{tmp_path}/{message}")


def test_an_unknown_deck_is_reported_with_a_suggestion() -> None:
    with pytest.raises(PlannerError) as refusal:
        load_deck("thesis_paladn")
    assert str(refusal.value).startswith("unknown deck 'thesis_paladn'; did you mean 'thesis_paladin'?")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlannerError, match="no such file"):
        load_deck(tmp_path / "none.yaml")
