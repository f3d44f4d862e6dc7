"""Every card of Ascension: Valley of the Ancients in a scenario."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from planner.games import game
from tests.games.deckbuilder.scenarios import Scenario

DEATH, LIFE, IMMORTALITY = "Temple of Death", "Temple of Life", "Temple of Immortality"


def turn(hand: str, top: str = "Mystic, Militia, Apprentice", row: str = "", **more: Any) -> Scenario:
    fields = {key: more.pop(key) for key in ("stats", "reserve", "turn", "active") if key in more}
    other = more.pop("other", {"hand": "Apprentice*5"})
    left = {
        temple: 0 for temple in (DEATH, LIFE, IMMORTALITY) if temple in f"{more.get('in_play')}{other.get('in_play')}"
    }
    return Scenario("ascension", {"hand": hand, "top": top, **more}, other, row=row, left=left, **fields)


def power(amount: int, row: str, **more: Any) -> Scenario:
    return turn("Apprentice", row=row, stats={"power": amount, "runes": 0}, **more)


def runes(amount: int, row: str, hand: str = "Apprentice", **more: Any) -> Scenario:
    return turn(hand, row=row, stats={"runes": amount, "power": 0}, **more)


# -- the deck


def test_centre_deck_has_99_cards_18_of_each_faction_and_27_monsters() -> None:
    definition = game("ascension").definition
    assert definition.centre is not None
    numbers: dict[str, int] = {}
    for card, counts in definition.centre.cards:
        kind = definition.cards[card]
        numbers[kind.faction or kind.types[0]] = numbers.get(kind.faction or kind.types[0], 0) + counts[0]
    assert numbers == {"Enlightened": 18, "Lifebound": 18, "Mechana": 18, "Void": 18, "monster": 27}


# Copies, cost and honour of each card of the centre deck, from the public card data; for monsters copies and cost.
PRINTED = {
    "Enlightened hero": "Blind Seer 3 2 1; Ominous Augur 2 3 1; Jubilant Monk 2 3 1; Keeper of Secrets 3 4 2;"
    " Fist of the Dragon 2 4 3; Flanking Askara 2 5 3; Isla, Serene Prodigy 1 8 6",
    "Enlightened construct": "Sacred Pot 2 1 1; Templar Outpost 1 6 4",
    "Lifebound hero": "Ancient Stag 3 2 1; Cheerful Consort 2 2 1; Alosyan Guide 2 3 1; Sirewood Elder 2 3 2;"
    " Burial Guardian 3 4 2; Qadim Stalker 2 5 3; Caretaker Zahral 1 6 4; Asalas, the Impaler 1 7 5",
    "Lifebound construct": "Pathfinder's Totem 2 1 1",
    "Mechana hero": "Resourceful Trader 3 2 1; Brother Marius 1 3 2; Excavator Pilot 3 4 2; Salvagemaster Mila 1 7 5",
    "Mechana construct": "Forgemaster's Suit 2 1 1; Stormsmith Anvil 2 4 4; Siegemaster's Ram 2 5 5;"
    " K-YL3 Repairbot 2 6 6; Tyranyx, the Pillager 1 7 7; Reckless Excavator 1 8 8",
    "Void hero": "Shadowridge Scout 3 2 1; Spiteful Gladiator 2 3 2; Excavation Sentry 2 3 1; Soulsnare Hunter 3 4 2;"
    " Silenced Prophet 2 5 3; Endbringer Jora 1 6 4; Randall, Umbral Sage 1 7 4",
    "Void construct": "Beacon of the Lost 2 1 1; Deranged Dirge 2 4 2",
    " monster": "Cavern Horror 3 2 0; Hellfrost Imps 6 3 0; Crypt Lurker 3 4 0; Starved Abomination 3 4 0;"
    " Death's Widow 3 4 0; Grave Golem 2 5 0; Iku's Minions 2 5 0; Mutated Scavenger 2 6 0;"
    " Kan'zir, the Ravager 1 6 0; Hurras, Sea's Fury 1 7 0; Iku, Valley Tyrant 1 10 0",
}

KEPT_AND_PERSISTENT = {"hero": (True, False), "construct": (True, True), "monster": (False, False)}


def test_copies_cost_and_honour_of_every_card_of_the_centre_deck() -> None:
    expected = {}
    for kind, line in PRINTED.items():
        for entry in line.split("; "):
            name, *numbers = entry.rsplit(maxsplit=3)
            expected[name] = (kind, *map(int, numbers))
    definition = game("ascension").definition
    assert definition.centre is not None
    found = {}
    for index, counts in definition.centre.cards:
        card = definition.cards[index]
        assert len(set(counts)) == 1  # for any number of players
        assert card.cost is not None
        assert (card.kept, card.persistent) == KEPT_AND_PERSISTENT[card.types[0]]
        numbers = counts[0], card.cost.constant, card.points.constant
        found[card.name] = (f"{card.faction} {card.types[0]}", *numbers)
    assert found == expected


def test_base_cards_cost_honour_and_piles() -> None:
    definition = game("ascension").definition
    cards = {card.name: (card.cost and card.cost.constant, card.points.constant) for card in definition.cards}
    assert [cards[name] for name in ("Apprentice", "Militia", "Mystic", "Heavy Infantry", "Cultist")] == [
        (None, 0), (None, 0), (3, 1), (2, 1), (2, 0),
    ]  # fmt: skip
    piles = {pile.name: (pile.cards[0][1][0], pile.permanent, pile.for_sale) for pile in definition.piles}
    assert piles == {
        "Mystic": (20, False, True), "Heavy Infantry": (20, False, True), "Cultist": (1, True, True),
        LIFE: (1, False, False), DEATH: (1, False, False), IMMORTALITY: (1, False, False),
    }  # fmt: skip
    names = [definition.cards[card].name for card in definition.starting_deck]
    assert sorted(names) == ["Apprentice"] * 8 + ["Militia"] * 2


@pytest.mark.parametrize(("players", "honour"), [(2, 60), (3, 90), (4, 120)])
def test_reserve_by_number_of_players(players: int, honour: int) -> None:

    found = game("ascension")
    assert found.start(found.with_seats(found.setup_from_words([]), players), Random(1)).reserve == honour


def test_round_is_finished_after_the_reserve_is_used_up() -> None:
    after = power(2, "", top="", reserve=1).do("buy Cultist", "end")
    assert not after.state.ended  # the second player has a turn as well
    after.do("end")
    assert after.state.ended == "the reserve is used up"
    assert after.score() == 1


def test_tie_goes_to_the_later_player() -> None:
    after = power(2, "", top="", reserve=0, other={"hand": "Apprentice*5", "points": 1}).do("buy Cultist", "end", "end")
    end = game("ascension").outcome(after.state)
    assert end is not None
    assert end.winner == 1


# -- base cards


@pytest.mark.parametrize(
    ("card", "stat", "amount"),
    [("Apprentice", "runes", 1), ("Militia", "power", 1), ("Mystic", "runes", 2), ("Heavy Infantry", "power", 2)],
)
def test_base_cards(card: str, stat: str, amount: int) -> None:
    assert turn(f"{card}, Militia").do(f"play '{card}'").stat(stat) == amount


def test_cultist_can_be_defeated_again_and_again() -> None:
    after = power(4, "").do("buy Cultist", "buy Cultist")
    assert after.state.players[0].points == 2
    assert after.left("Cultist") == 1


@pytest.mark.parametrize(("temple", "points"), [(DEATH, 5), (LIFE, 5), (IMMORTALITY, 10)])
def test_temples_are_worth_honour_to_who_controls_them(temple: str, points: int) -> None:
    assert turn("Apprentice", "", in_play=temple).score() == points


# -- temples and keystones


def test_life_keystone_takes_the_temple_from_another_player() -> None:
    after = power(4, "Starved Abomination", other={"hand": "Apprentice*5", "in_play": LIFE})
    after.do("buy 'Starved Abomination'")
    after.is_in("in_play", LIFE)
    after.is_in("in_play", "", 1)
    assert after.state.players[0].points == 3


def test_second_life_keystone_gives_immortality_and_runes() -> None:
    after = power(4, "Starved Abomination", in_play=LIFE).do("buy 'Starved Abomination'")
    after.is_in("in_play", f"{LIFE}, {IMMORTALITY}")
    assert after.stat("runes") == 2


def test_death_keystone_takes_the_temple_and_later_banishes() -> None:
    power(4, "Crypt Lurker").do("buy 'Crypt Lurker'").is_in("in_play", DEATH)
    after = power(4, "Crypt Lurker", in_play=DEATH, discard="Militia").do("buy 'Crypt Lurker'")
    after.do("choose Militia discard")
    after.is_in("in_play", f"{DEATH}, {IMMORTALITY}")
    after.is_in("trash", "Militia, Crypt Lurker")


def test_temple_of_immortality_acquires_the_next_card_of_the_named_faction() -> None:
    after = runes(2, "Shadowridge Scout", in_play=IMMORTALITY).refill_with("Spiteful Gladiator")
    after.do(f"use '{IMMORTALITY}'", "choose Void", "buy 'Shadowridge Scout'")
    assert after.zone("discard")["Shadowridge Scout"] == 1
    assert after.zone("discard")["Spiteful Gladiator"] >= 1
    assert f"use {IMMORTALITY}" not in after.legal()


def test_temple_of_immortality_does_nothing_for_another_faction() -> None:
    after = runes(2, "Shadowridge Scout", in_play=IMMORTALITY).refill_with("Ancient Stag")
    after.do(f"use '{IMMORTALITY}'", "choose Void", "buy 'Shadowridge Scout'")
    after.is_in("discard", "Shadowridge Scout")


# -- Enlightened


def test_blind_seer_draws_and_has_serenity() -> None:
    after = turn("Blind Seer, Militia").do("play 'Blind Seer'")
    after.is_in("hand", "Militia, Mystic")
    after.is_in("in_play", LIFE)
    turn("Blind Seer, Militia", discard="Militia").do("play 'Blind Seer'").is_in("in_play", "")


def test_ominous_augur_acquires_up_to_five_into_the_hand_with_serenity() -> None:
    after = turn("Ominous Augur, Militia", row="Qadim Stalker, K-YL3 Repairbot").do("play 'Ominous Augur'")
    assert "choose K-YL3 Repairbot" not in after.legal()
    after.do("choose 'Qadim Stalker'").is_in("hand", "Militia, Qadim Stalker")
    after = turn("Ominous Augur, Militia", row="Qadim Stalker", discard="Militia")
    after.do("play 'Ominous Augur'", "choose 'Qadim Stalker'").is_in("discard", "Militia, Qadim Stalker")


def test_jubilant_monk_takes_cards_until_one_is_no_enlightened_or_base_hero() -> None:
    after = turn("Jubilant Monk", "Mystic, Blind Seer, Heavy Infantry, Apprentice, Militia").do("play 'Jubilant Monk'")
    after.is_in("hand", "Mystic, Blind Seer, Heavy Infantry, Apprentice")
    assert after.top() == ["Militia"]


def test_keeper_of_secrets_gives_a_keystone_when_both_are_played() -> None:
    after = turn("Keeper of Secrets, Militia, Apprentice, Mystic").do("play 'Keeper of Secrets'", "choose Militia")
    after.do("choose 'Heavy Infantry'", "play Mystic")
    after.is_in("in_play", "")
    after.do("play 'Heavy Infantry'").is_in("in_play", DEATH)
    after.is_in("trash", "Militia")


def test_keeper_of_secrets_counts_what_was_played_before() -> None:
    after = turn("Keeper of Secrets, Militia*2", played="Mystic, Heavy Infantry").do("play 'Keeper of Secrets'")
    after.do("choose Mystic supply").is_in("in_play", DEATH)


def test_fist_of_the_dragon_defeats_the_monster_that_takes_the_place() -> None:
    after = turn("Fist of the Dragon", row="Mystic").refill_with("Mutated Scavenger")
    after.do("play 'Fist of the Dragon'", "choose 'Cavern Horror'")
    assert after.state.players[0].points == 4
    assert after.zone("trash")["Cavern Horror"] == 1
    assert after.stat("runes") == 5


def test_flanking_askara_copies_the_next_hero_up_to_three() -> None:
    after = turn("Flanking Askara, Burial Guardian, Spiteful Gladiator, Apprentice", discard="Militia")
    after.do("play 'Flanking Askara'", "play 'Burial Guardian'", "play 'Spiteful Gladiator'")
    assert after.stat("runes") == 2  # the Guardian costs 4 and is not copied
    assert after.stat("power") == 4
    assert after.do("play Mystic").stat("runes") == 4  # only one copy


def test_isla_acquires_from_the_row_and_shuffles_herself_in() -> None:
    scenario = Scenario(
        "ascension",
        {"hand": ["Isla, Serene Prodigy", "Militia"], "discard": ["Mystic"]},
        {"hand": "Apprentice*5"},
        row="Qadim Stalker",
    )
    scenario.do("play 'Isla, Serene Prodigy'")
    scenario.is_in("discard", "")
    assert scenario.zone("deck") == {"Isla, Serene Prodigy": 1, "Mystic": 1, "Qadim Stalker": 1}
    scenario.is_in("played", "")


def test_sacred_pot_draws_once_a_turn_with_serenity() -> None:
    after = turn("Apprentice", in_play="Sacred Pot").do("use 'Sacred Pot'")
    after.is_in("hand", "Apprentice, Mystic")
    assert "use Sacred Pot" not in after.legal()
    assert "use Sacred Pot" not in turn("Apprentice", in_play="Sacred Pot", discard="Militia").legal()


def test_templar_outpost_defeats_a_small_monster_of_the_row() -> None:
    after = turn("Apprentice", row="Crypt Lurker, Mutated Scavenger", in_play="Templar Outpost")
    after.do("use 'Templar Outpost'")
    assert "choose Mutated Scavenger" not in after.legal()
    assert "choose Cultist" not in after.legal()
    after.do("choose 'Crypt Lurker'").is_in("in_play", f"Templar Outpost, {DEATH}")


# -- Lifebound


def test_ancient_stag_unites_with_another_lifebound_hero_before_or_after() -> None:
    after = turn("Ancient Stag, Cheerful Consort").do("play 'Ancient Stag'")
    after.is_in("in_play", "")
    after.do("play 'Cheerful Consort'").is_in("in_play", LIFE)
    after = turn("Ancient Stag, Cheerful Consort").do("play 'Cheerful Consort'", "play 'Ancient Stag'")
    after.is_in("in_play", LIFE)
    assert after.state.players[0].points == 4


def test_cheerful_consort_gives_honour_and_a_card() -> None:
    after = turn("Cheerful Consort").do("play 'Cheerful Consort'")
    after.is_in("hand", "Mystic")
    assert after.state.players[0].points == 1


def test_alosyan_guide_goes_to_the_hand_after_a_lifebound_hero() -> None:
    after = runes(3, "Alosyan Guide", "Apprentice", played="Cheerful Consort").do("buy 'Alosyan Guide'")
    after.is_in("hand", "Apprentice, Alosyan Guide")
    runes(3, "Alosyan Guide").do("buy 'Alosyan Guide'").is_in("discard", "Alosyan Guide")
    assert turn("Alosyan Guide, Militia").do("play 'Alosyan Guide'").state.players[0].points == 3


def test_sirewood_elder_draws_when_united() -> None:
    after = turn("Sirewood Elder, Ancient Stag").do("play 'Sirewood Elder'", "play 'Ancient Stag'")
    after.is_in("hand", "Mystic")
    assert after.stat("runes") == 2


def test_burial_guardian_waits_for_a_lifebound_card() -> None:
    after = turn("Burial Guardian, Apprentice", row="Ancient Stag, Shadowridge Scout").do("play 'Burial Guardian'")
    after.do("buy 'Ancient Stag'").is_in("in_play", DEATH)
    after = turn("Burial Guardian, Apprentice", row="Pathfinder's Totem").do("play 'Burial Guardian'")
    after.do('buy "Pathfinder\'s Totem"').is_in("in_play", DEATH)  # a construct is a Lifebound card too


def test_qadim_stalker_gives_both_and_honour_when_united() -> None:
    after = turn("Qadim Stalker, Ancient Stag").do("play 'Ancient Stag'", "play 'Qadim Stalker'")
    assert (after.stat("runes"), after.stat("power"), after.state.players[0].points) == (2, 2, 5)


def test_caretaker_zahral_puts_the_next_hero_onto_the_deck() -> None:
    after = turn("Caretaker Zahral, Militia").do("play 'Caretaker Zahral'", "buy Mystic", "choose Mystic discard")
    assert after.top()[:2] == ["Mystic", "Mystic"]


def test_asalas_gives_power_equal_to_the_cost_of_the_next_hero() -> None:
    after = Scenario("ascension", {"hand": ["Asalas, the Impaler", "Apprentice"]}, {"hand": "Apprentice*5"}, row="")
    after.do("play 'Asalas, the Impaler'", "play Apprentice", "buy Mystic")
    assert after.stat("power") == 3


def test_pathfinders_totem_gives_a_rune_when_united() -> None:
    totem = "Pathfinder's Totem"
    assert f"use {totem}" not in turn("Ancient Stag, Militia", in_play=totem).legal()
    after = turn("Ancient Stag, Militia", in_play=totem).do("play 'Ancient Stag'", f'use "{totem}"')
    assert after.stat("runes") == 1


# -- Mechana


def test_resourceful_trader_waits_for_a_construct() -> None:
    after = turn("Resourceful Trader, Apprentice", row="Sacred Pot").do("play 'Resourceful Trader'")
    after.do("play Apprentice", "buy 'Sacred Pot'").is_in("in_play", DEATH)


def test_brother_marius_counts_factions_of_constructs() -> None:
    after = turn("Brother Marius, Militia", in_play="Sacred Pot, Templar Outpost, Beacon of the Lost")
    assert after.do("play 'Brother Marius'").stat("runes") == 3


def test_excavator_pilot_needs_two_constructs() -> None:
    turn("Excavator Pilot, Militia", in_play="Sacred Pot").do("play 'Excavator Pilot'").is_in("in_play", "Sacred Pot")
    after = turn("Excavator Pilot, Militia", in_play="Sacred Pot*2").do("play 'Excavator Pilot'")
    after.is_in("in_play", f"Sacred Pot*2, {LIFE}")


def test_salvagemaster_mila_lets_constructs_enter_play() -> None:
    after = turn("Salvagemaster Mila, Militia", row="Stormsmith Anvil, Sacred Pot")
    after.do("play 'Salvagemaster Mila'", "buy 'Stormsmith Anvil'", "choose 'Stormsmith Anvil' discard")
    after.is_in("in_play", "Stormsmith Anvil")
    assert "use Stormsmith Anvil" in after.legal()  # a Mechana construct has entered play


@pytest.mark.parametrize(
    ("card", "stat", "amount"),
    [("Forgemaster's Suit", "points", 1), ("Stormsmith Anvil", "runes", 1), ("Siegemaster's Ram", "power", 2)],
)
def test_mechana_constructs_work_when_one_is_played_or_with_a_temple(card: str, stat: str, amount: int) -> None:
    def gained(scenario: Scenario) -> int:
        return scenario.state.players[0].points if stat == "points" else scenario.stat(stat)

    assert f"use {card}" not in turn("Apprentice", in_play=card).legal()
    after = turn(f"{card}, Apprentice").do(f'play "{card}"', f'use "{card}"')
    assert gained(after) == amount
    after = turn("Apprentice", in_play=f"{card}, {LIFE}").do(f'use "{card}"')
    assert gained(after) == amount
    assert f"use {card}" not in after.legal()


def test_repairbot_draws_a_card() -> None:
    after = turn("K-YL3 Repairbot, Apprentice").do("play 'K-YL3 Repairbot'", "use 'K-YL3 Repairbot'")
    after.is_in("hand", "Apprentice, Mystic")


def test_tyranyx_can_be_paid_with_power_and_lets_power_pay_for_mechana_constructs() -> None:
    pillager = "Tyranyx, the Pillager"
    after = Scenario(
        "ascension",
        {"hand": "Apprentice"},
        {"hand": "Apprentice*5"},
        stats={"runes": 3, "power": 4},
    )
    ids = after.state.match.definition.ids
    after.state = after.state._replace(tops=(*after.state.tops[:-1], ids[pillager]))
    after.do(f"buy '{pillager}'")
    assert (after.stat("runes"), after.stat("power")) == (0, 0)
    owned = Scenario(
        "ascension",
        {"hand": "Apprentice", "in_play": [pillager]},
        {"hand": "Apprentice*5"},
        stats={"runes": 0, "power": 4},
        row="Stormsmith Anvil, Burial Guardian",
    )
    assert "buy Stormsmith Anvil" in owned.legal()
    assert "buy Burial Guardian" not in owned.legal()
    assert "buy Stormsmith Anvil" not in power(4, "Stormsmith Anvil").legal()


def test_reckless_excavator_gives_a_keystone_of_choice() -> None:
    after = turn("Sacred Pot, Forgemaster's Suit", in_play="Reckless Excavator")
    assert "use Reckless Excavator" not in after.legal()
    after.do('play "Forgemaster\'s Suit"', "use 'Reckless Excavator'", "choose 'Death keystone'")
    after.is_in("in_play", f"Reckless Excavator, Forgemaster's Suit, {DEATH}")


# -- Void


def test_shadowridge_scout_echoes() -> None:
    after = turn("Shadowridge Scout, Militia", discard="Beacon of the Lost").do("play 'Shadowridge Scout'")
    after.is_in("in_play", DEATH)
    after = turn("Shadowridge Scout, Militia", discard="Mystic").do("play 'Shadowridge Scout'")
    after.is_in("in_play", "")
    assert after.stat("power") == 2


def test_acquired_card_turns_echo_on_and_serenity_off() -> None:
    """Cards that are acquired go to the discard pile at once; played ones only at the end of the turn."""
    after = runes(2, "Shadowridge Scout", "Spiteful Gladiator, Blind Seer").do("buy 'Shadowridge Scout'")
    assert after.do("play 'Spiteful Gladiator'").stat("power") == 4
    after.do("play 'Blind Seer'").is_in("in_play", "")
    two = turn("Spiteful Gladiator*2, Militia").do("play 'Spiteful Gladiator'", "play 'Spiteful Gladiator'")
    assert two.stat("power") == 4


def test_excavation_sentry_discards_the_top_card_and_banishes() -> None:
    after = turn("Excavation Sentry, Apprentice", "Militia").do("play 'Excavation Sentry'", "choose Militia discard")
    after.is_in("trash", "Militia")
    assert after.stat("power") == 2


def test_soulsnare_hunter_waits_for_a_monster_of_the_row() -> None:
    after = turn("Soulsnare Hunter, Heavy Infantry*2", row="Crypt Lurker")
    after.do("play 'Soulsnare Hunter'", "play 'Heavy Infantry'", "play 'Heavy Infantry'", "buy Cultist")
    after.is_in("in_play", "")
    after.do("buy 'Crypt Lurker'").is_in("in_play", f"{DEATH}, {LIFE}")


def test_silenced_prophet_draws_discards_and_banishes() -> None:
    after = turn("Silenced Prophet", "Mystic, Militia").do("play 'Silenced Prophet'", "choose Militia discard")
    after.is_in("hand", "Mystic")
    after.is_in("trash", "Militia")


def test_endbringer_jora_pays_for_monsters_before_and_after() -> None:
    after = Scenario(
        "ascension", {"hand": "Endbringer Jora, Militia"}, {"hand": "Apprentice*5"},
        stats={"power": 5, "runes": 0}, row="Hellfrost Imps, Mutated Scavenger",
    )  # fmt: skip
    after.refill_with("Mystic").do("buy 'Hellfrost Imps'", "play 'Endbringer Jora'")
    assert (after.stat("runes"), after.stat("power")) == (2, 5)
    after.do("play Militia", "buy 'Mutated Scavenger'")
    assert after.stat("runes") == 2 + 2 + 5


def test_randall_takes_a_void_card_from_the_discarded_deck() -> None:
    after = Scenario(
        "ascension",
        {"hand": ["Randall, Umbral Sage", "Militia"], "deck": "Mystic, Shadowridge Scout"},
        {"hand": "Apprentice*5"},
    )
    after.do("play 'Randall, Umbral Sage'")
    after.is_in("hand", "Militia, Shadowridge Scout")
    after.is_in("discard", "Mystic")
    assert after.stat("power") == 3


def test_beacon_of_the_lost_gives_power_with_echo() -> None:
    after = turn("Apprentice", in_play="Beacon of the Lost", discard="Shadowridge Scout")
    assert after.do("use 'Beacon of the Lost'").stat("power") == 1
    assert "use Beacon of the Lost" not in turn("Apprentice", in_play="Beacon of the Lost").legal()


def test_deranged_dirge_gives_power_every_turn_and_can_be_destroyed() -> None:
    after = turn("Deranged Dirge, Militia").do("play 'Deranged Dirge'")
    assert after.stat("power") == 1
    after.do("use 'Deranged Dirge'", "choose Militia hand")
    after.is_in("discard", "Deranged Dirge")
    after.is_in("trash", "Militia")
    later = turn("Apprentice", in_play="Deranged Dirge").do("end", "end")
    assert later.to_move() == 0
    assert later.stat("power") == 1


# -- monsters


def test_defeated_monster_goes_to_the_void_and_its_place_is_refilled_first() -> None:
    after = power(3, "Hellfrost Imps").refill_with("Hellfrost Imps")
    after.do("buy 'Hellfrost Imps'")
    assert "choose Hellfrost Imps" in after.legal()  # the one that has just taken the place
    after.do("done").is_in("trash", "Hellfrost Imps")


def test_cavern_horror_may_shuffle_the_discard_pile_into_the_deck() -> None:
    after = power(2, "", discard="Mystic").do("buy 'Cavern Horror'", "yes")
    after.is_in("discard", "")
    assert after.zone("deck")["Mystic"] == 2
    assert after.state.players[0].points == 1


def test_hellfrost_imps_defeat_each_other() -> None:
    after = power(3, "Hellfrost Imps*2").refill_with("Mystic").do("buy 'Hellfrost Imps'", "choose 'Hellfrost Imps'")
    assert after.state.players[0].points == 4


def test_deaths_widow_destroys_constructs_or_draws() -> None:
    after = power(4, "Death's Widow", other={"hand": "Apprentice*5", "in_play": "Sacred Pot, Beacon of the Lost"})
    after.do('buy "Death\'s Widow"')
    assert after.to_move() == 1
    after.do("choose 'Sacred Pot'").is_in("discard", "Sacred Pot", 1)
    after.is_in("hand", "Apprentice")
    power(4, "Death's Widow").do('buy "Death\'s Widow"').is_in("hand", "Apprentice, Mystic")


def test_grave_golem_copies_a_hero_among_the_discarded_cards() -> None:
    after = power(5, "Grave Golem", other={"hand": "Apprentice*5", "top": "Heavy Infantry"})
    after.do("buy 'Grave Golem'", "choose 'Heavy Infantry'")
    assert after.stat("power") == 2
    after.is_in("discard", "Heavy Infantry", 1)


def test_ikus_minions_cost_less_with_a_temple() -> None:
    minions = "Iku's Minions"
    assert f"buy {minions}" not in power(4, minions).legal()
    after = power(3, minions, in_play=f"{LIFE}, {DEATH}", discard="Militia").do(
        f'buy "{minions}"', "choose Militia discard"
    )
    assert after.stat("power") == 0
    assert after.state.players[0].points == 4


def test_mutated_scavenger_gives_honour_and_runes() -> None:
    after = power(6, "Mutated Scavenger").do("buy 'Mutated Scavenger'")
    assert (after.stat("runes"), after.state.players[0].points) == (5, 4)


def test_kanzir_takes_temples_and_constructs_of_opponents() -> None:
    after = Scenario(
        "ascension",
        {"hand": "Apprentice", "in_play": [DEATH]},
        {"hand": "Apprentice*5", "in_play": [LIFE, "Sacred Pot"]},
        stats={"power": 6, "runes": 0},
        left={LIFE: 0, DEATH: 0},
    )
    ids = after.state.match.definition.ids
    after.state = after.state._replace(tops=(*after.state.tops[:-1], ids["Kan'zir, the Ravager"]))
    after.do('buy "Kan\'zir, the Ravager"')
    after.is_in("in_play", "", 1)
    after.is_in("discard", "Sacred Pot", 1)
    after.is_in("in_play", DEATH)
    assert after.left(LIFE) == 1


def test_hurras_gives_both_keystones() -> None:
    after = Scenario("ascension", {"hand": "Apprentice"}, {"hand": "Apprentice*5"}, stats={"power": 7, "runes": 0})
    ids = after.state.match.definition.ids
    after.state = after.state._replace(tops=(*after.state.tops[:-1], ids["Hurras, Sea's Fury"]))
    after.do('buy "Hurras, Sea\'s Fury"').is_in("in_play", f"{LIFE}, {DEATH}")
    assert after.state.players[0].points == 4


@pytest.mark.parametrize(("temples", "cost"), [([], 10), ([LIFE], 8), ([LIFE, DEATH, IMMORTALITY], 4)])
def test_iku_costs_two_less_for_each_temple(temples: list[str], cost: int) -> None:
    for amount in (cost - 1, cost):
        after = Scenario(
            "ascension", {"hand": "Apprentice", "in_play": temples}, {"hand": "Apprentice*5"},
            stats={"power": amount, "runes": 0}, left=dict.fromkeys(temples, 0),
        )  # fmt: skip
        ids = after.state.match.definition.ids
        after.state = after.state._replace(tops=(*after.state.tops[:-1], ids["Iku, Valley Tyrant"]))
        assert ("buy Iku, Valley Tyrant" in after.legal()) == (amount == cost)


def test_empty_centre_deck_is_made_again_from_the_void() -> None:
    after = power(2, "")
    after.state = after.state._replace(
        centre=(), trash=tuple(sorted((0, after.state.match.definition.ids["Sacred Pot"])))
    )
    after.do("buy 'Cavern Horror'", "no")
    assert after.row()["Sacred Pot"] == 1
    assert after.zone("trash") == {"Apprentice": 1, "Cavern Horror": 1}
