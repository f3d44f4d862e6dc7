"""Loading metagames, and the opponent model that agents use."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random

import pytest

from planner.errors import PlannerError
from planner.formats.documents import shipped_folder
from planner.games.hearthstone import GAME, MatchSetup, load_deck
from planner.games.hearthstone.cards.card import HIDDEN
from planner.games.hearthstone.metagame import Opponent, load_metagame
from tests.meta.metagame_files import metagame_to_json
from tests.meta.small import STUDY


def test_shipped_metagame_has_legal_decks_of_every_class() -> None:
    known = load_metagame()
    assert len(known.classes) == 11
    assert all(sum(count for _, count in deck.cards) == 30 for deck in known.decks)
    assert known.max_copies == 2


def test_metagame_round_trips_through_its_file(tmp_path: Path) -> None:
    known = load_metagame()
    path = tmp_path / "decks.json"
    path.write_text(metagame_to_json(known), encoding="utf-8")
    again = load_metagame(path)
    assert again.decks == known.decks
    assert again.costs == known.costs


def test_decks_from_a_folder(tmp_path: Path) -> None:
    shutil.copy(shipped_folder("decks") / "mage.yaml", tmp_path)
    (tmp_path / "notes.md").write_text("not a deck")
    assert [deck.player_class for deck in load_metagame(tmp_path).decks] == ["mage"]
    (tmp_path / "bad.txt").write_text("no code at all\n")
    with pytest.raises(PlannerError, match=r"bad\.txt: 'no code at all' is not a deck code"):
        load_metagame(tmp_path)
    (empty := tmp_path / "empty").mkdir()
    with pytest.raises(PlannerError, match="no deck files"):
        load_metagame(empty)


def test_decks_from_codes(tmp_path: Path) -> None:
    deck_codes = pytest.importorskip("planner.games.hearthstone.cards.deck_codes")
    pytest.importorskip("hearthstone")
    codes = [deck_codes.deck_to_code(load_deck(name)) for name in ("mage", "warrior")]
    (tmp_path / "mine.txt").write_text("# two of them\n" + "\n".join(codes) + "\n")
    known = load_metagame(tmp_path)
    assert sorted(deck.player_class for deck in known.decks) == ["mage", "warrior"]
    assert known.archetypes == ("mine", "mine")
    assert all(deck.multiset.total() == 30 for deck in known.decks)


def test_decks_from_a_tournament() -> None:
    known = load_metagame(Path(__file__).resolve().parents[2] / "results" / "field")
    assert sum(deck.win_rate or 0 for deck in known.decks) == pytest.approx(1, abs=0.01)


ONE = {"class": "mage", "cards": {"Fireball": 2}}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("{", "invalid JSON"),
        ("[]", "must be an object"),
        ({}, "decks: is missing"),
        ({"decks": []}, "decks: must have between 1 and 20,000 items, got 0"),
        ({"decks": [3]}, r"decks\[0\]: must be an object, got 3"),
        ({"decks": [{**ONE, "cards": {"Firebal": 2}}]}, r"decks\[0\].cards: 'Firebal' is not a card"),
        ({"decks": [{**ONE, "cards": {}}]}, "must have at least one card"),
        ({"decks": [{**ONE, "cards": {"Fireball": 0}}]}, r"cards.Fireball: must be between 1 and 100, got 0"),
        ({"decks": [{**ONE, "win_rate": 57}]}, r"win_rate: must be between 0 and 1, got 57"),
        ({"decks": [{**ONE, "game": 57}]}, "did you mean 'games'"),
        ({"decks": [{**ONE, "games": float("nan")}]}, "games: must be a number, at least 0, got "),
        ({"series": {"data": {"MAGE": [{"deck_list": "[[1]]", "archetype_id": 1, "win_rate": 1, "total_games": 1}]}}},
         "must be a list of"),
        ({"series": {"data": {"MAGE": 3}}}, "series.data.MAGE: must be a list, got 3"),
    ],
)  # fmt: skip
def test_invalid_file_is_rejected_in_one_line(tmp_path: Path, data: object, why: str) -> None:
    path = tmp_path / "decks.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    with pytest.raises(PlannerError, match=why) as caught:
        load_metagame(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("number", [999_999_999, 10**30])
def test_unknown_card_number_is_rejected(tmp_path: Path, number: int) -> None:
    path = tmp_path / "decks.json"
    deck = {"deck_list": f"[[{number},1]]", "archetype_id": 1, "win_rate": 50, "total_games": 1}
    path.write_text(json.dumps({"series": {"data": {"MAGE": [deck]}}}))
    with pytest.raises(PlannerError, match=rf"MAGE\[0\].deck_list: {number} is not a card"):
        load_metagame(path)


def test_samples_replace_exactly_the_hidden_cards() -> None:
    state = GAME.start(MatchSetup.of("mage", "warrior"), Random(1))
    observed = GAME.observe(state, 0)
    opponent = Opponent(load_metagame(), "warrior")
    hidden = sum(held.card == HIDDEN for held in (*observed.enemy.hand, *observed.enemy.deck))
    assert hidden >= 30
    one, again, other = (opponent.sample(observed, seed) for seed in (1, 1, 2))
    assert one == again != other
    assert one.me == observed.me
    assert [held.id for held in one.enemy.hand] == [held.id for held in observed.enemy.hand]
    cards = [held.card for held in (*one.enemy.hand, *one.enemy.deck)]
    assert HIDDEN not in cards[:30]
    assert {card.card_class for card in cards if card != HIDDEN} <= {"neutral", "warrior"}
    assert max(cards.count(card) for card in cards if card != HIDDEN) <= 2


def test_opponent_holds_no_third_copy_of_a_seen_card() -> None:
    opponent = Opponent(load_metagame(), "mage")
    opponent.see("Fireball", 4)
    opponent.see("Fireball", 6)
    hands = [opponent.sample_hand(10, seed) for seed in range(40)]
    assert not any(card.name == "Fireball" for hand in hands for card in hand)


@pytest.mark.skipif(not STUDY.exists(), reason="the decks of Schwensfeier 2019 are not available")
def test_real_decks_are_predicted_and_sampled() -> None:
    opponent = Opponent(load_metagame(STUDY), "paladin")
    opponent.see("Baku the Mooneater")
    likely = opponent.predict(mana=10).top_decks(1)[0][0]
    assert load_metagame(STUDY).archetypes[likely] == "Odd Paladin"
    assert len(opponent.sample_hand(5, 3)) == 5
