"""Every card of Caveman, and the questions that its rules leave open and that the definition settles."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from planner.games import game
from planner.games.deckbuilder.observation import observe
from tests.games.deckbuilder.scenarios import Scenario


def turn(hand: str, top: str = "Wood, Bone, Stone, Club", **more: Any) -> Scenario:
    fields = {key: more.pop(key) for key in ("tops", "phase", "turn", "left") if key in more}
    other = more.pop("other", {"hand": "Wood*3"})
    return Scenario("caveman", {"hand": hand, "top": top, **more}, other, **fields)


def test_cost_and_number_of_every_card() -> None:
    definition = game("caveman").definition
    piles = {
        pile.name: {definition.cards[card].name: counts[0] for card, counts in pile.cards} for pile in definition.piles
    }
    assert piles == {
        "Wood": {"Wood": 40}, "Bone": {"Bone": 30}, "Stone": {"Stone": 15},
        "Club": {"Club": 15}, "Sling": {"Sling": 10}, "Spear": {"Spear": 5},
        "Pile 3": {"Hunter": 10, "Gatherer": 10, "Farmer": 10},
        "Pile 4": {"Toolmaker": 10, "Artist": 10, "Priest": 10},
        "Pile 5": {"Prophet": 10, "Warrior": 10}, "Pile 7": {"Elder": 10, "Sacrifice": 10},
    }  # fmt: skip
    costs = {"Wood": 0, "Bone": 3, "Stone": 6, "Club": 4, "Sling": 6, "Spear": 10}
    for card in definition.cards:
        pile = next(name for name, cards in piles.items() if card.name in cards)
        assert card.cost is not None
        assert card.cost.constant == (costs[pile] if pile in costs else int(pile.removeprefix("Pile ")))
    assert sorted(definition.cards[card].name for card in definition.starting_deck) == ["Bone"] * 2 + ["Wood"] * 4


def test_start_of_a_match() -> None:
    state = game("caveman").start(game("caveman").setup_from_words([]), Random(1))
    assert [(len(player.hand), player.health) for player in state.players] == [(3, 20), (3, 20)]
    assert dict(zip(state.match.definition.stats, state.stats, strict=True)) == {"actions": 2, "buys": 1, "treasure": 0}


@pytest.mark.parametrize(("card", "treasure"), [("Wood", 1), ("Bone", 2), ("Stone", 4), ("Hunter", 2)])
def test_treasures_and_hunter_give_treasure(card: str, treasure: int) -> None:
    assert turn(f"{card}, Wood").do(f"play {card}").stat("treasure") == treasure


@pytest.mark.parametrize(("card", "damage"), [("Club", 1), ("Sling", 2), ("Spear", 4)])
def test_weapons_damage_the_opponent_and_cost_no_action(card: str, damage: int) -> None:
    for phase in ("action", "buy"):
        after = turn(f"{card}, Wood", phase=phase).do(f"play {card}")
        assert after.state.players[1].health == 20 - damage
        assert after.state.players[0].health == 20
        assert after.stat("actions") == 2


def test_gatherer_gives_an_action() -> None:
    assert turn("Gatherer, Hunter").do("play Gatherer").stat("actions") == 2


def test_farmer_gives_a_buy_and_a_treasure() -> None:
    after = turn("Farmer, Wood").do("play Farmer")
    assert (after.stat("buys"), after.stat("treasure"), after.stat("actions")) == (2, 1, 1)


@pytest.mark.parametrize(("old", "new"), [("Wood", "Bone"), ("Bone", "Stone")])
def test_toolmaker_changes_a_treasure_into_the_next_better_one(old: str, new: str) -> None:
    after = turn(f"Toolmaker, {old}, Club").do("play Toolmaker", f"choose {old}")
    after.is_in("hand", f"{new}, Club")
    after.is_in("trash", old)


def test_toolmaker_changes_one_treasure_other_than_a_stone_or_none() -> None:
    after = turn("Toolmaker, Stone").do("play Toolmaker")
    assert after.state.prompt is None
    after.is_in("hand", "Stone")
    after = turn("Toolmaker, Club, Wood, Stone").do("play Toolmaker")
    assert after.legal() == ["choose Wood", "done"]
    after.do("done").is_in("hand", "Club, Wood, Stone")
    turn("Toolmaker, Wood*2").do("play Toolmaker", "choose Wood").is_in("hand", "Bone, Wood")


def test_artist_draws_two() -> None:
    turn("Artist").do("play Artist").is_in("hand", "Wood, Bone")


def test_priest_trashes_for_health_without_an_upper_limit() -> None:
    after = turn("Priest, Wood*2, Bone").do("play Priest", "choose Wood", "choose Wood")
    assert after.state.players[0].health == 22
    after.is_in("trash", "Wood*2")
    assert turn("Priest, Wood").do("play Priest", "done").state.players[0].health == 20


def test_prophet_exchanges_the_top_cards_unseen() -> None:
    after = turn("Prophet, Wood", "Bone*3, Spear", other={"hand": "Wood*3", "top": "Club"}).do("play Prophet")
    after.is_in("hand", "Wood, Bone*3")
    given = after.zone("unseen") + after.zone("unseen", 1)
    assert sorted(given.elements()) == ["Club", "Spear"]
    assert after.zone("unseen").total() == after.zone("unseen", 1).total() == 1


def test_prophet_hides_the_own_deck_from_its_owner() -> None:
    """The owner cannot know which card is in the own discard pile, nor therefore which are left in the deck."""
    after = turn("Prophet, Wood", "Bone*3", deck="Spear, Club", other={"hand": "Wood*3", "deck": "Stone, Club"})
    after.do("play Prophet")
    view = observe(after.state, 0)
    assert set(view.players[0].deck) == set(view.players[0].unseen) == {-1}
    names = after.state.match.definition.cards
    pool = sorted(names[card].name for card in view.pool)
    assert pool == ["Club", "Club", "Spear", "Stone", "Wood", "Wood", "Wood"]  # with the other hand


def test_prophet_shuffles_an_empty_deck_first() -> None:
    after = turn("Prophet, Wood", "Bone*3", discard="Spear", other={"hand": "Wood*3", "discard": "Club"})
    after.do("play Prophet")
    assert sorted((after.zone("unseen") + after.zone("unseen", 1)).elements()) == ["Club", "Spear"]


def test_unseen_cards_are_known_again_when_all_have_been_drawn() -> None:
    after = turn("Prophet, Artist*2, Wood", "Bone*3, Spear", other={"hand": "Wood*3", "top": "Club"})
    after.do("play Prophet", "play Artist")
    assert not after.state.players[0].mixed
    assert after.zone("unseen").total() == 0


def test_warrior_draws_and_may_trash() -> None:
    after = turn("Warrior, Bone").do("play Warrior", "choose Wood")
    after.is_in("trash", "Wood")
    after.is_in("hand", "Bone")
    assert after.stat("actions") == 3
    turn("Warrior, Bone").do("play Warrior", "done").is_in("trash", "")


def test_elder_gives_everything() -> None:
    after = turn("Elder, Hunter").do("play Elder")
    assert (after.stat("actions"), after.stat("buys"), after.stat("treasure")) == (2, 2, 2)
    after.is_in("hand", "Hunter, Wood")


def test_sacrifice_gains_a_card_up_to_four_and_trashes_itself() -> None:
    after = turn("Sacrifice, Hunter", tops={"Pile 5": "Warrior"}).do("play Sacrifice")
    after.is_in("hand", "Hunter, Wood")
    assert "choose Warrior" not in after.legal()
    after.do("choose Club").is_in("trash", "Sacrifice")
    after.is_in("discard", "Club")
    assert after.stat("actions") == 2


def test_shuffled_pile_shows_its_top_card_only() -> None:
    after = turn("Wood*2, Bone", tops={"Pile 3": "Farmer"}, phase="buy").do("play Wood", "play Bone")
    assert "buy Farmer" in after.legal()
    assert "buy Hunter" not in after.legal()
    assert after.left("Pile 3") == 30
    after.do("buy Farmer")
    assert after.left("Pile 3") == 29


def test_match_ends_without_health() -> None:
    after = turn("Spear, Wood", other={"hand": "Wood*3", "health": 4}).do("play Spear")
    end = game("caveman").outcome(after.state)
    assert end is not None
    assert (end.points, end.reason) == ((1.0, 0.0), "no health left")


def test_turn_limit_compares_health() -> None:
    after = Scenario("caveman", {"hand": "Wood"}, {"hand": "Wood", "health": 19}, turn=120, active=1).do("end", "end")
    end = game("caveman").outcome(after.state)
    assert end is not None
    assert (end.points, end.reason, end.rounds) == ((1.0, 0.0), "turn limit", 60)
