"""The rules around the cards: turns, shuffling, ends, ties, what is known of a deck, and events."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from planner.game import AnyGame
from planner.games import game
from planner.games.deckbuilder import rules
from planner.games.deckbuilder.observation import observe
from planner.games.deckbuilder.table_state import State
from tests.games.deckbuilder.scenarios import Scenario
from tests.games.deckbuilder.small_games import SMALL, load

DOMINION = game("dominion")
KINGDOM = "Size Distortion"


def start(players: int = 2, words: str = "First Game") -> State:
    state: State = DOMINION.start(DOMINION.with_seats(DOMINION.setup_from_words([words]), players), Random(3))
    return state


# -- setups


@pytest.mark.parametrize(("players", "copper", "victory", "curses"), [(2, 46, 8, 10), (3, 39, 12, 20), (4, 32, 12, 30)])
def test_supply_by_number_of_players(players: int, copper: int, victory: int, curses: int) -> None:
    state = start(players, "Sleight of Hand")
    left = dict(zip((pile.name for pile in state.match.piles), state.left, strict=True))
    assert (left["Copper"], left["Silver"], left["Gold"], left["Curse"]) == (copper, 40, 30, curses)
    assert {left[name] for name in ("Estate", "Duchy", "Province", "Gardens")} == {victory}
    assert left["Cellar"] == 10
    assert len(state.players) == players
    assert all(len(player.hand) == len(player.deck) == 5 for player in state.players)


def test_every_set_has_ten_piles_and_can_be_played() -> None:
    definition = DOMINION.definition  # type: ignore[attr-defined]
    assert len(definition.kingdom.sets) == 11
    for name, piles in definition.kingdom.sets.items():
        assert len(set(piles)) == 10
        assert len(start(2, name).tops) == 17
    assert {pile.name for pile in definition.kingdom.piles} == {
        pile for piles in definition.kingdom.sets.values() for pile in piles
    }


def test_random_kingdoms_depend_on_the_seed_only() -> None:
    one, same, other = (DOMINION.setup_from_words([word]) for word in ("random:5", "random:5", "random:6"))
    assert one == same != other


# -- turns


def test_cards_are_bought_after_the_treasures_with_shared_coins() -> None:
    table = Scenario("dominion", {"hand": "Gold*3, Copper", "deck": "Copper*9"}, {"hand": "Copper*5"}, kingdom=KINGDOM,
                     phase="buy", stats={"buys": 2})  # fmt: skip
    table.do("play Gold", "play Gold", "play Gold", "buy Gold")
    assert "play Copper" not in table.legal()  # all treasures are played before the first buy
    assert "buy Silver" in table.legal()
    assert "buy Festival" not in table.legal()  # 3 coins are left
    table.do("buy Silver")
    assert table.to_move() == 1  # nothing is left to do
    assert table.zone("discard") + table.zone("deck") + table.zone("hand") == {"Gold": 4, "Silver": 1, "Copper": 10}


def test_action_without_an_action_left_cannot_be_played() -> None:
    table = Scenario("dominion", {"hand": "Smithy*2", "top": "Copper*3"}, {"hand": "Copper*5"})
    table.do("play Smithy")
    assert "play Smithy" not in table.legal()
    assert "play Copper" in table.legal()  # the buy phase has begun by itself


def test_draw_takes_the_rest_of_the_deck_before_the_shuffle() -> None:
    table = Scenario("dominion", {"hand": "Smithy", "deck": "Gold", "discard": "Estate*4"}, {"hand": "Copper*5"})
    table.do("play Smithy")
    table.is_in("hand", "Gold, Estate*2")
    table.is_in("deck", "Estate*2")
    table.is_in("discard", "")


def test_deck_is_shuffled_only_when_a_card_is_needed() -> None:
    table = Scenario("dominion", {"hand": "Smithy", "deck": "Gold*3", "discard": "Estate"}, {"hand": "Copper*5"})
    table.do("play Smithy")
    table.is_in("discard", "Estate")


def test_attacks_concern_the_others_in_turn_order() -> None:
    hands: list[dict[str, Any]] = [{"hand": "Copper*2, Estate*2, Gold"} for _ in range(3)]
    table = Scenario("dominion", hands[0], {"hand": "Militia, Copper"}, hands[1], hands[2], active=1)
    table.do("play Militia")
    order = []
    for _ in range(3):
        order.append(table.to_move())
        table.do("choose Estate", "choose Estate")
    assert order == [2, 3, 0]


# -- ends and ties


def finish(players: list[dict[str, Any]], active: int, left: dict[str, int]) -> Any:
    table = Scenario("dominion", *players, kingdom=KINGDOM, active=active, phase="buy", left=left, turn=20 + active)
    table.do("end")
    return DOMINION.outcome(table.state)


def test_match_ends_without_provinces_or_with_three_empty_piles() -> None:
    players = [{"hand": "Copper", "deck": "Province"}, {"hand": "Copper"}]
    assert finish(players, 0, {"Province": 0}).reason == "no Provinces left"
    assert finish(players, 0, {"Curse": 0, "Estate": 0, "Chapel": 0}).reason == "three empty piles"
    assert finish(players, 0, {"Curse": 0, "Estate": 0}) is None


def test_tie_goes_to_the_player_with_fewer_turns() -> None:
    equal = [{"hand": "Copper", "turns": 10}, {"hand": "Copper", "turns": 9}]
    assert finish(equal, 0, {"Province": 0}).points == (0.0, 1.0)
    equal = [{"hand": "Copper", "turns": 10}, {"hand": "Copper", "turns": 10}]
    assert finish(equal, 1, {"Province": 0}).points == (0.5, 0.5)


def test_places_of_four_players() -> None:
    players = [{"hand": "Copper", "deck": deck, "turns": 5} for deck in ("Duchy", "Province", "Duchy", "Estate")]
    assert finish(players, 3, {"Province": 0}).points == pytest.approx((0.5, 1.0, 0.5, 0.0))


# -- what is known of a deck


def known_top(state: State, seat: int, owner: int) -> list[int]:
    return list(observe(state, seat).players[owner].top)


def test_bureaucrats_victory_card_is_known_to_all() -> None:
    table = Scenario("dominion", {"hand": "Bureaucrat, Copper"}, {"hand": "Estate, Copper*4"}, kingdom=KINGDOM)
    table.do("play Bureaucrat")
    for seat in (0, 1):
        assert known_top(table.state, seat, 1) == [DOMINION.definition.ids["Estate"]]  # type: ignore[attr-defined]
        assert known_top(table.state, seat, 0) == [DOMINION.definition.ids["Silver"]]  # type: ignore[attr-defined]


def test_artisans_card_is_known_to_its_owner_only() -> None:
    table = Scenario("dominion", {"hand": "Artisan, Copper"}, {"hand": "Copper*5"}, kingdom=KINGDOM)
    table.do("play Artisan", "choose Festival", "choose Copper hand")
    assert known_top(table.state, 0, 0) == [DOMINION.definition.ids["Copper"]]  # type: ignore[attr-defined]
    assert known_top(table.state, 1, 0) == [-1]


def test_sentrys_cards_are_seen_by_their_owner_only() -> None:
    table = Scenario(
        "dominion", {"hand": "Sentry", "top": "Copper, Gold, Curse"}, {"hand": "Copper*5"}, kingdom=KINGDOM
    )
    table.do("play Sentry")
    assert len(observe(table.state, 0).players[0].looked) == 2
    assert observe(table.state, 1).players[0].looked == (-1, -1)
    table.do("done", "done", "choose Curse looked", "choose Gold looked")
    assert known_top(table.state, 1, 0) == [-1, -1]


def test_shuffle_makes_a_known_card_unknown() -> None:
    table = Scenario("ascension", {"hand": "Apprentice", "top": "Mystic", "discard": "Militia"}, {"hand": "Apprentice*5"},
                     stats={"power": 2, "runes": 0}, row="")  # fmt: skip
    table.do("buy 'Cavern Horror'", "yes")
    assert table.state.players[0].top == ()
    table.is_in("deck", "Mystic, Militia")


# -- events and hand sizes of other games


def small(tmp_path: Path, old: str, new: str, more: str = "") -> AnyGame:
    assert old in SMALL
    return load(tmp_path / "small", SMALL.replace(old, new) + more)


@pytest.mark.parametrize(
    ("event", "coins"), [("turn_begins", 7), ("drawn", 0), ("played", 0), ("gained", 0), ("turn_ends", 0)]
)
def test_cards_in_play_react_to_events_of_their_owner(tmp_path: Path, event: str, coins: int) -> None:
    card = f"{{type: building, cost: 0, persistent: true, on: {{event: {event}, do: {{coins: 7, points: 1}}}}}}"
    found = small(tmp_path, "  Scholar: {type: action, cost: 2, effects: {cards: 2}}", f"  Scholar: {card}")
    table = Scenario(
        found, {"hand": "Coin*3", "in_play": "Scholar", "deck": "Coin*5"}, {"hand": "Coin*3", "deck": "Coin*5"}
    )
    before = table.state
    table.do("play Coin", "play Coin", "play Coin", "buy Coin")
    while table.to_move() == 1:
        table.do("end")
    points = table.state.players[0].points
    assert points == {"turn_begins": 1, "drawn": 0, "played": 3, "gained": 1, "turn_ends": 1}[event]
    assert table.stat("coins") == coins
    assert before.players[1].points == table.state.players[1].points == 0


def test_attacked_and_shuffled_are_events(tmp_path: Path) -> None:
    text = SMALL.replace(
        "effects: {cards: 2}", "effects: [{attack: {cards: 1}}, {when: {event: shuffled, do: {coins: 3}}}]"
    )
    text += "  Wall: {type: building, persistent: true, on: {event: attacked, do: {points: 2}}}\n"
    found = load(tmp_path / "small", text.replace("cards:\n  Coin: {type", "cards:\n  Coin: {type"))
    table = Scenario(found, {"hand": "Scholar*2, Coin", "discard": "Coin*2"}, {"hand": "Coin", "in_play": "Wall", "deck": "Coin"},
                     stats={"actions": 2})  # fmt: skip
    table.do("play Scholar")
    assert table.state.players[1].points == 2


def test_next_hands_are_not_counted_in_a_turn(tmp_path: Path) -> None:
    """A count of events concerns this turn: neither the first hands nor those drawn at the end of a turn."""
    found = small(tmp_path, "{cards: 2}", "{cards: 2, coins: drawn_now}", "counts: {drawn_now: {event: drawn}}\n")
    state = found.start(found.setup_from_words([]), Random(1))
    assert state.memory == ()
    while rules.to_move(state) == 0:
        state = found.apply(state, found.legal_actions(state)[-1], Random(1))
    assert state.memory == ()


def test_costs_can_be_divided(tmp_path: Path) -> None:
    """What can be paid for and what is shown agree."""
    found = small(tmp_path, "cost: 2, effects", "cost: 7 / 2, effects")
    table = Scenario(found, {"hand": "Coin*3"}, {"hand": "Coin"}).do("play Coin", "play Coin", "play Coin")
    assert rules.cost_of(table.state, found.definition.ids["Scholar"]) == 3
    assert "buy Scholar" in table.legal()


def test_hand_size_can_vary(tmp_path: Path) -> None:
    found = small(tmp_path, "hand_size: 3", "hand_size: 2 + turns\nfirst_hands: [1, 3]")
    state = found.start(found.setup_from_words([]), Random(1))
    assert [len(player.hand) for player in state.players] == [1, 3]
    state = found.apply(state, found.legal_actions(state)[-1], Random(1))
    while rules.to_move(state) == 0:
        state = found.apply(state, found.legal_actions(state)[-1], Random(1))
    assert len(state.players[0].hand) == 3


def test_cards_of_a_pile_with_an_order_come_in_that_order(tmp_path: Path) -> None:
    found = small(tmp_path, "  - Scholar\n", "  - {name: Mixed, cards: {Scholar: 1, Mine: 1}}\n",
                  "  Mine: {type: treasure, cost: 1, effects: {coins: 2}}\n")  # fmt: skip
    table = Scenario(found, {"hand": "Coin*3"}, {"hand": "Coin"}, phase="buy", stats={"buys": 3, "coins": 5})
    assert "buy Mine" not in table.legal()
    table.do("buy Scholar")
    assert "buy Mine" in table.legal()
