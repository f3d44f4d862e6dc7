"""Deck codes: round trips, use wherever a deck is accepted, and errors in one line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from planner.cli import main
from planner.errors import PlannerError
from planner.games.hearthstone import MatchSetup
from planner.games.hearthstone.cards.decks import Deck, deck_names, load_deck
from planner.games.hearthstone.cards.real_cards import real_cards
from tests.games.hearthstone.cards.real import SHARED, needs_real_cards, real

pytestmark = needs_real_cards
DECKS = SHARED / "meta_2019" / "Decks.json"


def _code(cards: dict[int, int], hero: int = 637, side: list[tuple[int, int, int]] | None = None) -> str:
    from hearthstone.deckstrings import write_deckstring
    from hearthstone.enums import FormatType

    return str(write_deckstring(list(cards.items()), [hero], FormatType.FT_WILD, side or []))


def _round_trip(deck: Deck) -> Deck:
    from planner.games.hearthstone.cards.deck_codes import deck_from_code, deck_to_code

    return deck_from_code(deck_to_code(deck), deck.name)


@pytest.mark.parametrize("name", [name for name in deck_names() if not name.startswith("thesis")])
def test_shipped_decks_round_trip(name: str) -> None:
    deck = load_deck(name)
    back = _round_trip(deck)
    names = Counter(card.id.removeprefix("VAN_") for card in deck.cards)
    assert Counter(card.id.removeprefix("VAN_") for card in back.cards) == names
    assert back.hero_class == deck.hero_class


@pytest.mark.skipif(not DECKS.exists(), reason="the decks of 2019 are not beside this checkout")
def test_every_deck_of_2019_round_trips() -> None:
    """Card lists are compared, not codes: printings of one card are one card."""
    from planner.games.hearthstone.cards.deck_codes import deck_from_code

    found, heroes = 0, {"druid": 274, "hunter": 31, "mage": 637, "paladin": 671, "priest": 813, "rogue": 930,
                        "shaman": 1066, "warlock": 893, "warrior": 7}  # fmt: skip
    for hero_class, decks in json.loads(DECKS.read_text())["series"]["data"].items():
        for entry in decks:
            listed = dict(json.loads(entry["deck_list"]))
            deck = deck_from_code(_code(listed, heroes[hero_class.lower()]))
            assert len(deck.cards) == sum(listed.values())
            assert deck.hero_class == hero_class.lower()
            assert Counter(_round_trip(deck).cards) == Counter(deck.cards)
            by_number = Counter({real(str(number)): 0 for number in listed})
            by_number.update({real(str(number)): count for number, count in listed.items()})
            assert by_number == Counter(deck.cards)
            found += 1
    assert found == 956


def _thirty() -> dict[int, int]:
    """Return thirty cards for a mage: the first fifteen by number, twice."""
    fit = [one for one in real_cards().collectible() if one.classes in (("mage",), ("neutral",))]
    return {one.dbf: 2 for one in fit[:15]}


def test_a_code_is_accepted_wherever_a_deck_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = _code(_thirty())
    assert MatchSetup.of(code, "warrior").decks[0].hero_class == "mage"
    monkeypatch.chdir(tmp_path)
    assert main(["play", code, "warrior", "--agents", "greedy,greedy", "--quiet"]) == 0
    (tmp_path / "e.yaml").write_text(
        f"name: codes\nagents: [greedy, random]\ndecks: {{first: {code}, second: mage}}\ngames: 1\nseed: 1\n"
    )
    assert main(["tournament", "e.yaml", "--workers", "1", "--out", "out"]) == 0


def test_import_writes_a_playable_file_that_exports_the_same_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code = _code(_thirty())
    assert main(["decks", "import", code, "--name", "My Mage!"]) == 0
    assert "Written to my_mage.yaml" in " ".join(capsys.readouterr().out.split())
    deck = load_deck("my_mage.yaml")
    assert Counter(deck.cards) == Counter(load_deck(code).cards)
    assert main(["decks", "export", "my_mage.yaml"]) == 0
    assert Counter(load_deck(capsys.readouterr().out.strip()).cards) == Counter(deck.cards)
    assert main(["decks", "import", code, "--name", "My Mage!"]) == 2  # nothing is overwritten
    assert "exists already" in capsys.readouterr().err


def test_pasted_texts_are_read() -> None:
    pasted = f"### Tempo\n# Class: Mage\n# 2x (1) Arcane Missiles\n#\n{_code(_thirty())}\n#\n# To use it, copy it"
    assert load_deck(pasted).name == "Tempo"


def test_sideboards_are_preserved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    owner = real_cards().named("E.T.C., Band Manager").dbf
    inside = real_cards().named("Fire Fly").dbf
    cards = {**dict(list(_thirty().items())[:14]), owner: 1, real_cards().named("Wisp").dbf: 1}
    assert main(["decks", "import", _code(cards, side=[(inside, 1, owner)]), "--name", "band"]) == 0
    assert "sideboard of E.T.C., Band Manager: Fire Fly" in capsys.readouterr().out
    deck = load_deck("band.yaml")
    assert [(card.name, of.name) for card, of in deck.sideboard] == [("Fire Fly", "E.T.C., Band Manager")]
    assert _round_trip(deck).sideboard == deck.sideboard


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("AAECAa0GCAhlla", "is not a complete deck code"),
        ("AAE", "is not a deck code"),
        ("AAEBAQcAAA==", "is not a complete deck code"),
        ("AAEB" + "A" * 3000, "is not a deck code"),
        ("AAEBAf//////////////////////////////////////////", "deck code"),
        ("AAEBAgIHBwA=", "deck code"),
    ],
)
def test_wrong_codes_are_refused_in_one_line(code: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decks", "import", code]) == 2
    error = capsys.readouterr().err
    assert why in error
    assert error.count("\n") == 1
    assert len(error) < 300


def test_unknown_numbers_are_reported() -> None:
    with pytest.raises(PlannerError, match="unknown dbf numbers 999999, 1234567"):
        load_deck(_code({315: 1, 999999: 1, 1234567: 2}))
    with pytest.raises(PlannerError, match="unknown dbf numbers 999999"):
        load_deck(_code({315: 1}, hero=999999))
    with pytest.raises(PlannerError, match="more than 100 cards"):
        load_deck(_code({315: 10**9}))
    with pytest.raises(PlannerError, match="4 cards; a deck has 30"):
        load_deck(_code({315: 2, 41323: 2}))


def test_a_card_that_is_not_real_has_no_code() -> None:
    from planner.games.hearthstone.cards.card import Card
    from planner.games.hearthstone.cards.deck_codes import deck_to_code

    with pytest.raises(PlannerError, match="Gate Warden is not a card of the real game"):
        deck_to_code(Deck("mine", "mage", (Card("Gate Warden", health=1),)))


def test_the_format_survives_and_the_clipboard_block_can_be_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code = _code(_thirty())
    assert main(["decks", "import", code, "--out", "wild.yaml"]) == 0
    standard = Path("wild.yaml").read_text().replace("format: wild", "format: standard")
    assert "format: standard" in standard
    Path("standard.yaml").write_text(standard)
    capsys.readouterr()
    assert main(["decks", "export", "standard.yaml"]) == 0
    exported = capsys.readouterr().out.strip()
    assert exported != code
    Path("clipboard.txt").write_text(f"### My Deck\n# Class: Mage\n# Format: Standard\n{exported}\n# a note\n")
    assert main(["decks", "import", "clipboard.txt", "--out", "again.yaml"]) == 0
    deck = load_deck("again.yaml")
    assert (deck.name, deck.format) == ("My Deck", "standard")
    assert main(["decks", "import", "clipboard.txt", "--out", "-"]) == 0
    assert "format: standard" in capsys.readouterr().out
