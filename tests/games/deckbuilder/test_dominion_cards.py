"""Every card of Dominion in one scenario or more, written from the rule book."""

from __future__ import annotations

from typing import Any

import pytest

from planner.games import game
from tests.games.deckbuilder.scenarios import Scenario

KINGDOM = [
    "Cellar", "Chapel", "Moat", "Village", "Workshop", "Militia", "Remodel", "Smithy", "Market", "Mine",
]  # fmt: skip


def turn(hand: str, top: str = "", other: str = "Copper*5", other_top: str = "", **more: Any) -> Scenario:
    """The first player has a hand and a known deck; so has the second."""
    fields = {key: more.pop(key) for key in ("left", "turn", "stats", "trash", "phase") if key in more}
    third = more.pop("third", None)
    other_more = more.pop("other_more", {})
    card = hand.split(",", maxsplit=1)[0].partition("*")[0].strip()
    kingdom = KINGDOM if card in KINGDOM or card in BASIC else [card, *KINGDOM[1:]]
    players = [{"hand": hand, "top": top, **more}, {"hand": other, "top": other_top, **other_more}]
    return Scenario("dominion", *players, *([third] if third else []), kingdom=kingdom, **fields)


BASIC = ("Copper", "Silver", "Gold", "Estate", "Duchy", "Province", "Curse")

# Cost and types, from the public rules.
PRINTED = {
    "0 treasure": "Copper", "3 treasure": "Silver", "6 treasure": "Gold", "0 curse": "Curse",
    "2 victory": "Estate", "4 victory": "Gardens", "5 victory": "Duchy", "8 victory": "Province",
    "2 action": "Cellar, Chapel", "2 action reaction": "Moat",
    "3 action": "Harbinger, Merchant, Vassal, Village, Workshop, Chancellor, Woodcutter",
    "4 action": "Moneylender, Poacher, Remodel, Smithy, Throne Room, Feast",
    "4 action attack": "Bureaucrat, Militia, Spy, Thief",
    "5 action": "Council Room, Festival, Laboratory, Library, Market, Mine, Sentry",
    "5 action attack": "Bandit, Witch", "6 action": "Artisan, Adventurer",
}  # fmt: skip


def test_cost_and_types_of_every_card() -> None:
    expected = {card: line for line, cards in PRINTED.items() for card in cards.split(", ")}
    cards = game("dominion").definition.cards  # type: ignore[attr-defined]
    assert {card.name: f"{card.cost.constant} {' '.join(card.types)}" for card in cards} == expected
    assert len(cards) == 7 + 26 + 6


# -- treasures and victory cards


@pytest.mark.parametrize(("card", "coins"), [("Copper", 1), ("Silver", 2), ("Gold", 3)])
def test_treasures_give_coins(card: str, coins: int) -> None:
    after = turn(f"{card}, Estate", phase="buy").do(f"play {card}")
    assert after.stat("coins") == coins
    after.is_in("played", card)


@pytest.mark.parametrize(("card", "points"), [("Estate", 1), ("Duchy", 3), ("Province", 6), ("Curse", -1)])
def test_victory_cards_are_worth_points_and_cannot_be_played(card: str, points: int) -> None:
    table = turn(f"{card}, Copper")
    assert table.score() == points
    assert f"play {card}" not in table.legal()


def test_gardens_are_worth_a_point_for_every_ten_cards() -> None:
    table = turn("Gardens*2, Copper*3", deck="Copper*14")
    assert table.score() == 2  # 19 cards: 1 each
    table = turn("Gardens*2, Copper*3", deck="Copper*14", discard="Curse")
    assert table.score() == 3  # 20 cards: 2 each, less the Curse


# -- cards that only add numbers


@pytest.mark.parametrize(
    ("card", "drawn", "actions", "buys", "coins"),
    [
        ("Village", 1, 2, 1, 0),
        ("Smithy", 3, 0, 1, 0),
        ("Market", 1, 1, 2, 1),
        ("Laboratory", 2, 1, 1, 0),
        ("Festival", 0, 2, 2, 2),
        ("Woodcutter", 0, 0, 2, 2),
        ("Moat", 2, 0, 1, 0),
    ],
)
def test_simple_action(card: str, drawn: int, actions: int, buys: int, coins: int) -> None:
    after = turn(f"{card}, Estate", "Silver, Gold, Duchy, Province").do(f"play {card}")
    after.is_in("hand", ", ".join(["Estate", "Silver", "Gold", "Duchy"][: drawn + 1]))
    assert (after.stat("actions"), after.stat("buys"), after.stat("coins")) == (actions, buys, coins)


# -- second edition


def test_cellar_discards_first_and_then_draws() -> None:
    after = turn("Cellar, Estate*2, Copper", "Gold, Silver, Duchy").do(
        "play Cellar", "choose Estate", "choose Estate", "done"
    )
    after.is_in("hand", "Copper, Gold, Silver")
    after.is_in("discard", "Estate*2")
    assert after.stat("actions") == 1


def test_cellar_may_discard_nothing() -> None:
    turn("Cellar, Estate", "Gold").do("play Cellar", "done").is_in("hand", "Estate")


def test_cellar_can_draw_what_it_discarded() -> None:
    """A shuffle between discarding and drawing takes the discarded cards in."""
    after = turn("Cellar, Estate, Curse", "").do("play Cellar", "choose Estate", "choose Curse")
    after.is_in("hand", "Estate, Curse")
    after.is_in("discard", "")


@pytest.mark.parametrize("card", ["Cellar", "Chapel", "Remodel"])
def test_a_card_cannot_use_itself(card: str) -> None:
    after = turn(f"{card}, Copper, Estate").do(f"play {card}")
    assert f"choose {card}" not in after.legal()


def test_chapel_trashes_up_to_four() -> None:
    after = turn("Chapel, Estate*3, Curse, Copper")
    after.do("play Chapel", "choose Estate", "choose Estate", "choose Curse", "choose Estate")
    after.is_in("trash", "Estate*3, Curse")
    after.is_in("hand", "Copper")


def test_chapel_may_trash_nothing() -> None:
    after = turn("Chapel, Estate, Curse").do("play Chapel", "done")
    after.is_in("trash", "")


def test_moat_protects_its_holder_only() -> None:
    after = turn("Witch, Estate", "Gold, Gold", "Moat, Copper*4", third={"hand": "Copper*5"})
    after.do("play Witch")
    assert after.to_move() == 1
    assert after.legal() == ["yes", "no"]
    after.do("yes")
    after.is_in("discard", "", 1)
    after.is_in("hand", "Moat, Copper*4", 1)
    after.is_in("discard", "Curse", 2)


def test_moat_need_not_be_shown() -> None:
    after = turn("Witch", "Gold, Gold", "Moat, Copper*4").do("play Witch", "no")
    after.is_in("discard", "Curse", 1)


@pytest.mark.parametrize("attack", ["Militia", "Bureaucrat"])
def test_moat_stops_attacks_on_the_hand(attack: str) -> None:
    after = turn(f"{attack}, Copper", "", "Moat, Estate*4").do(f"play {attack}", "yes")
    after.is_in("hand", "Moat, Estate*4", 1)


@pytest.mark.parametrize("attack", ["Bandit", "Thief", "Spy"])
def test_moat_stops_attacks_that_reveal(attack: str) -> None:
    after = turn(f"{attack}, Copper", "", "Moat, Copper*4", "Gold, Silver").do(f"play {attack}", "yes")
    assert after.top(1) == ["Gold", "Silver"]
    assert after.state.prompt is None


def test_council_room_is_no_attack() -> None:
    after = turn("Council Room, Estate", "Gold*5", "Moat, Copper*4", "Silver*2").do("play 'Council Room'")
    assert after.to_move() == 0
    after.is_in("hand", "Moat, Copper*4, Silver", 1)
    after.is_in("hand", "Estate, Gold*4")
    assert after.stat("buys") == 2


def test_harbinger_puts_a_discarded_card_onto_the_deck() -> None:
    after = turn("Harbinger", "Copper", discard="Gold, Estate").do("play Harbinger", "choose Gold discard")
    assert after.top() == ["Gold"]
    after.is_in("discard", "Estate")
    after.is_in("hand", "Copper")
    assert after.stat("actions") == 1


def test_harbinger_may_leave_the_discard_pile_alone() -> None:
    after = turn("Harbinger", "Copper", discard="Estate, Gold").do("play Harbinger", "done")
    after.is_in("discard", "Estate, Gold")


def test_merchant_makes_the_first_silver_worth_more() -> None:
    after = turn("Merchant, Moat, Silver*2", "Copper*2").do("play Merchant")
    after.is_in("hand", "Moat, Silver*2, Copper")
    assert after.stat("actions") == 1
    after.do("end", "play Copper")
    assert after.stat("coins") == 1
    assert after.do("play Silver").stat("coins") == 4
    assert after.do("play Silver").stat("coins") == 6


def test_two_merchants_add_two_coins_to_the_first_silver() -> None:
    after = turn("Merchant*2, Silver*2", "Copper, Copper").do("play Merchant", "play Merchant", "play Silver")
    assert after.stat("coins") == 4
    assert after.do("play Silver").stat("coins") == 6


def test_vassal_plays_the_discarded_action() -> None:
    after = turn("Vassal", "Village, Gold").do("play Vassal", "choose Village discard")
    after.is_in("played", "Vassal, Village")
    after.is_in("hand", "Gold")
    assert (after.stat("coins"), after.stat("actions")) == (2, 2)


def test_vassal_may_leave_the_action_and_cannot_play_a_treasure() -> None:
    turn("Vassal, Copper", "Village, Gold").do("play Vassal", "done").is_in("discard", "Village")
    after = turn("Vassal, Copper", "Gold", discard="Village").do("play Vassal")
    after.is_in("discard", "Village, Gold")
    assert after.state.prompt is None  # an older Village in the discard pile is not the discarded card


def test_workshop_gains_up_to_four() -> None:
    after = turn("Workshop").do("play Workshop")
    assert "choose Smithy" in after.legal()
    assert "choose Market" not in after.legal()
    assert "choose Gold" not in after.legal()
    after.do("choose Smithy").is_in("discard", "Smithy")
    assert after.left("Smithy") == 9


def test_gains_cannot_be_paid_up_with_coins() -> None:
    after = turn("Workshop", stats={"actions": 1, "coins": 5}).do("play Workshop")
    assert "choose Market" not in after.legal()
    after = turn("Remodel, Estate*2", stats={"actions": 1, "coins": 5}).do("play Remodel", "choose Estate")
    assert "choose Market" not in after.legal()


def test_bureaucrat_gains_a_silver_onto_the_deck_and_others_put_a_victory_card_back() -> None:
    after = turn("Bureaucrat", "Gold", "Estate, Duchy, Copper*3").do("play Bureaucrat")
    assert after.top() == ["Silver", "Gold"]
    assert after.to_move() == 1
    after.do("choose Duchy").is_in("hand", "Estate, Copper*3", 1)
    assert after.top(1) == ["Duchy"]


def test_bureaucrat_does_nothing_to_a_hand_without_victory_cards() -> None:
    after = turn("Bureaucrat, Copper", "", "Copper*5").do("play Bureaucrat")
    assert after.to_move() == 0
    after.is_in("hand", "Copper*5", 1)


def test_militia_makes_others_discard_down_to_three() -> None:
    after = turn("Militia, Copper", "", "Copper*2, Estate*2, Gold").do("play Militia")
    assert after.to_move() == 1
    after.do("choose Estate", "choose Estate").is_in("hand", "Copper*2, Gold", 1)
    after.is_in("discard", "Estate*2", 1)
    assert after.stat("coins") == 2


@pytest.mark.parametrize("hand", ["Copper, Estate, Gold", "Gold, Estate", ""])
def test_militia_does_nothing_to_three_cards_or_fewer(hand: str) -> None:
    after = turn("Militia, Copper", "", hand).do("play Militia")
    assert after.to_move() == 0
    after.is_in("hand", hand, 1)


def test_moneylender_trashes_a_copper_for_three_coins() -> None:
    after = turn("Moneylender, Copper*2, Silver").do("play Moneylender")
    assert after.legal() == ["choose Copper", "done"]
    after.do("choose Copper").is_in("hand", "Copper, Silver")
    assert after.stat("coins") == 3
    after.is_in("trash", "Copper")


def test_moneylender_may_keep_the_copper() -> None:
    after = turn("Moneylender, Copper, Silver").do("play Moneylender", "done")
    assert after.stat("coins") == 0
    after.is_in("hand", "Copper, Silver")


def test_poacher_discards_a_card_for_each_empty_pile() -> None:
    after = turn("Poacher, Copper, Estate", "Gold", left={"Moat": 0, "Chapel": 0}).do(
        "play Poacher", "choose Estate", "choose Copper"
    )
    after.is_in("hand", "Gold")
    assert (after.stat("actions"), after.stat("coins")) == (1, 1)
    turn("Poacher, Copper, Estate", "Gold, Silver").do("play Poacher").is_in("hand", "Copper, Estate, Gold")


def test_remodel_gains_a_card_costing_up_to_two_more() -> None:
    after = turn("Remodel, Estate, Gold").do("play Remodel", "choose Estate")
    assert "choose Smithy" in after.legal()
    assert "choose Market" not in after.legal()
    after.do("choose Smithy").is_in("trash", "Estate")
    after = turn("Remodel, Estate, Gold").do("play Remodel", "choose Gold", "choose Province")
    after.is_in("discard", "Province")


def test_remodel_may_gain_the_same_card() -> None:
    after = turn("Remodel, Silver, Estate").do("play Remodel", "choose Silver", "choose Silver")
    after.is_in("discard", "Silver")
    after.is_in("trash", "Silver")


def test_throne_room_resolves_the_first_play_completely() -> None:
    after = turn("Throne Room, Cellar, Estate, Curse", "Gold, Silver").do("play 'Throne Room'", "choose Cellar")
    after.do("choose Estate", "choose Curse")
    after.is_in("hand", "Gold, Silver")  # the first Cellar has drawn before the second asks
    after.do("choose Gold", "done")
    assert after.zone("hand").total() == 2
    assert after.stat("actions") == 2


def test_throne_room_on_throne_room_plays_two_actions_twice() -> None:
    after = turn("Throne Room*2, Market, Festival", "Copper*2").do(
        "play 'Throne Room'", "choose 'Throne Room'", "choose Market", "choose Festival"
    )
    assert after.stat("actions") == 0 + 2 + 4
    assert after.stat("buys") == 1 + 2 + 2
    assert after.stat("coins") == 2 + 4
    after.is_in("played", "Throne Room*2, Market, Festival")


def test_throne_room_may_play_nothing() -> None:
    after = turn("Throne Room, Smithy*2, Copper", "Copper*6").do("play 'Throne Room'")
    assert after.legal() == ["choose Smithy", "done"]  # a treasure cannot be played
    after.do("done").is_in("hand", "Smithy*2, Copper")


def test_throne_room_plays_one_action() -> None:
    after = turn("Throne Room, Village*2", "Copper*6").do("play 'Throne Room'", "choose Village")
    after.is_in("hand", "Village, Copper*2")


def test_throne_room_costs_one_action_in_all() -> None:
    assert turn("Throne Room, Smithy", "Copper*6").do("play 'Throne Room'", "choose Smithy").stat("actions") == 0


def test_bandit_trashes_a_treasure_other_than_copper() -> None:
    after = turn("Bandit, Copper", "", "Copper*5", "Silver, Copper, Gold").do("play Bandit")
    assert after.top(1) == ["Gold"]
    after.is_in("discard", "Gold")
    after.is_in("trash", "Silver")
    after.is_in("discard", "Copper", 1)


def test_bandit_leaves_the_choice_to_the_attacked_player() -> None:
    after = turn("Bandit", "", "Copper*5", "Silver, Gold").do("play Bandit")
    assert after.to_move() == 1
    after.do("choose Silver").is_in("discard", "Gold", 1)


@pytest.mark.parametrize("attack", ["Bandit", "Thief"])
def test_attack_with_one_card_left_shuffles_and_reveals_another(attack: str) -> None:
    after = turn(f"{attack}, Copper", "", "Copper*5", "Estate", other_more={"discard": "Silver"}).do(f"play {attack}")
    after.is_in("trash", "Silver")
    assert after.zone("discard", 1) + after.zone("revealed", 1) == {"Estate": 1}


def test_library_draws_to_seven_and_sets_actions_aside() -> None:
    after = turn("Library, Copper*4", "Village, Smithy, Gold, Estate, Silver").do("play Library")
    assert after.legal() == ["choose Village", "done"]  # one card after the other
    after.do("choose Village looked", "done")  # the Smithy is kept
    assert after.top() == ["Silver"]
    after.is_in("hand", "Copper*4, Gold, Smithy, Estate")
    after.is_in("discard", "Village")
    after.is_in("aside", "")


def test_library_draws_nothing_into_a_hand_of_seven() -> None:
    after = turn("Library, Copper*7", "Gold").do("play Library")
    after.is_in("hand", "Copper*7")
    assert after.top() == ["Gold"]


def test_library_does_not_shuffle_in_what_it_set_aside() -> None:
    after = turn("Library, Copper*4", "Village", discard="Gold").do("play Library", "choose Village looked")
    after.is_in("hand", "Copper*4, Gold")  # deck and discard pile are used up
    after.is_in("discard", "Village")


def test_mine_upgrades_a_treasure_into_the_hand() -> None:
    after = turn("Mine, Copper, Silver").do("play Mine", "choose Silver", "choose Gold")
    after.is_in("hand", "Copper, Gold")
    after.is_in("trash", "Silver")


def test_mine_trashes_a_treasure_and_gains_one_costing_up_to_three_more() -> None:
    after = turn("Mine, Copper, Estate").do("play Mine")
    assert after.legal() == ["choose Copper", "done"]
    assert after.do("choose Copper").legal() == ["choose Copper", "choose Silver"]


def test_mine_may_take_the_same_or_a_cheaper_treasure_and_no_other_card() -> None:
    after = turn("Mine, Silver").do("play Mine", "choose Silver")
    assert after.legal() == ["choose Copper", "choose Silver", "choose Gold"]
    after.do("choose Copper").is_in("hand", "Copper")


def test_mine_need_not_trash_a_treasure() -> None:
    after = turn("Mine, Silver").do("play Mine", "done")
    after.is_in("hand", "Silver")
    after.is_in("trash", "")


def test_sentry_trashes_discards_and_orders() -> None:
    after = turn("Sentry, Copper", "Silver, Curse, Estate, Gold").do("play Sentry")
    assert after.top() == ["Gold"]
    after.is_in("hand", "Copper, Silver")
    assert after.stat("actions") == 1
    after.do("choose Curse looked", "done", "choose Estate looked")
    after.is_in("trash", "Curse")
    after.is_in("discard", "Estate")


def test_sentry_puts_back_in_any_order() -> None:
    after = turn("Sentry, Copper", "Silver, Gold, Village").do("play Sentry", "done")
    assert after.legal() == ["choose Gold", "choose Village", "done"]
    after.do("done", "choose Village looked", "choose Gold looked")
    assert after.top() == ["Gold", "Village"]


def test_witch_gives_curses_in_turn_order_while_there_are_some() -> None:
    after = turn("Witch", "Gold*3", "Copper*5", third={"hand": "Copper*5"}, left={"Curse": 1}).do("play Witch")
    after.is_in("discard", "Curse", 1)
    after.is_in("discard", "", 2)
    after.is_in("hand", "Gold*2")


def test_artisan_gains_into_the_hand_and_puts_a_card_onto_the_deck() -> None:
    after = turn("Artisan, Copper", "Estate").do("play Artisan")
    assert "choose Gold" not in after.legal()
    after.do("choose Market", "choose Copper hand").is_in("hand", "Market")
    assert after.top() == ["Copper", "Estate"]


# -- first edition


def test_chancellor_may_put_the_deck_into_the_discard_pile() -> None:
    after = turn("Chancellor", "Gold", deck="Silver, Estate").do("play Chancellor", "yes")
    after.is_in("discard", "Gold, Silver, Estate")
    after.is_in("deck", "")
    after = turn("Chancellor", "Gold", deck="Silver").do("play Chancellor", "no")
    assert after.top() == ["Gold"]
    assert after.stat("coins") == 2


def test_feast_trashes_itself_for_a_card_up_to_five() -> None:
    after = turn("Feast").do("play Feast")
    assert "choose Gold" not in after.legal()
    after.do("choose Market")
    after.is_in("trash", "Feast")
    after.is_in("discard", "Market")


def test_feast_with_throne_room_gains_twice_and_is_trashed_once() -> None:
    after = turn("Throne Room, Feast").do("play 'Throne Room'", "choose Feast", "choose Market", "choose Duchy")
    after.is_in("trash", "Feast")
    after.is_in("discard", "Market, Duchy")


def test_spy_decides_about_every_top_card() -> None:
    after = turn("Spy, Copper", "Silver, Estate, Estate", "Copper*5", "Gold, Silver").do("play Spy")
    assert after.stat("actions") == 1
    assert after.legal() == ["choose Estate", "done"]
    after.do("choose Estate revealed")
    assert (after.top(), after.top(1)) == (["Estate"], ["Silver"])
    assert after.to_move() == 0  # the player of the Spy decides about the other deck too
    after.do("choose Gold revealed")
    after.is_in("discard", "Estate")
    after.is_in("discard", "Gold", 1)


def test_spy_puts_back_what_is_not_discarded_and_all_know_it() -> None:
    after = turn("Spy, Copper", "Silver, Estate", "Copper*5", "Gold").do("play Spy", "done", "done")
    assert after.top() == ["Estate"]
    assert after.top(1) == ["Gold"]
    assert after.state.players[1].top_seen == (0b11,)


def test_thief_trashes_a_treasure_of_the_attackers_choice_and_may_take_it() -> None:
    after = turn("Thief, Copper", "", "Copper*5", "Silver, Gold, Gold", trash=["Silver"]).do("play Thief")
    assert after.to_move() == 0
    assert after.do("choose Gold revealed").to_move() == 0
    assert after.legal() == ["choose Gold", "done"]  # and not what others trashed before
    after.do("choose Gold trash")
    assert after.top(1) == ["Gold"]
    after.is_in("discard", "Gold")
    after.is_in("discard", "Silver", 1)
    after.is_in("trash", "Silver")


def test_thief_may_leave_the_card_in_the_trash() -> None:
    after = turn("Thief, Copper", "", "Copper*5", "Silver, Estate").do("play Thief", "done")
    after.is_in("trash", "Silver")
    after.is_in("discard", "Estate", 1)


def test_adventurer_finds_two_treasures_and_discards_the_rest() -> None:
    after = turn("Adventurer", "Estate, Silver, Gold, Copper").do("play Adventurer")
    after.is_in("hand", "Silver, Gold")
    after.is_in("discard", "Estate")
    assert after.top() == ["Copper"]


def test_adventurer_does_not_shuffle_revealed_cards_in() -> None:
    after = turn("Adventurer, Estate", "Duchy, Silver", discard="Village, Curse").do("play Adventurer")
    after.is_in("hand", "Estate, Silver")
    after.is_in("discard", "Duchy, Village, Curse")
