"""One scenario for each card with more than a battlecry: triggers, auras, combos and statuses."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import Effect, Target
from planner.games.hearthstone.cards.keywords import FROZEN, IMMUNE, TAUNT, names
from planner.games.hearthstone.rules.actions import Attack, EndTurn, Play
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.state import GameState
from tests.games.hearthstone.cards.helpers import (
    CARDS,
    DOOM,
    PING,
    SPARE,
    attack_targets,
    called,
    choices,
    facts,
    find,
    play,
    round_later,
    run,
    scene,
)

COVERED: set[str] = set()
KILL = Card("Kill", type="spell", effects=(Effect("destroy", to=Target.parse("chosen minion")),))


def about(*cards: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Record the cards that a test covers."""

    def note(story: Callable[[], None]) -> Callable[[], None]:
        COVERED.update(cards)
        return story

    return note


def test_every_card_with_more_than_a_battlecry_has_a_test() -> None:
    later = {
        name
        for name, card in CARDS.items()
        if any(effect.on != "play" or effect.combo is not None for effect in card.effects)
    }
    assert later <= COVERED


def killed(name: str, by: str = "me") -> tuple[GameState, GameState]:
    """Before and after the death of a minion of mine, `card`, by my spell, or by one of the enemy's in its turn."""
    state = play(name, KILL)
    spell = "card.1"
    if by == "enemy":
        hand = scene(KILL).me.hand
        state, spell = run(state._replace(enemy=state.enemy._replace(hand=hand)), EndTurn()), "card"
    return state, run(state, Play(spell, "card"))


def changes(before: GameState, after: GameState, *apart_from: str) -> dict[str, tuple[Any, Any]]:
    """Which facts of which character changed: {"me.hero health": (20, 18)}."""
    old, new = facts(before), facts(after)
    changed: dict[str, tuple[Any, Any]] = {}
    for name in old.keys() | new.keys():
        if name not in apart_from:
            was, now = old.get(name, {}), new.get(name, {})
            for key in was.keys() | now.keys():
                if was.get(key) != now.get(key):
                    changed[f"{name} {key}"] = (was.get(key), now.get(key))
    return changed


SPENT = ("me", "card")  # the spell and the minion that dies


@about("Leper Gnome")
def test_leper_gnome_damages_the_enemy_hero_when_it_dies() -> None:
    assert changes(*killed("Leper Gnome"), *SPENT) == {"enemy.hero health": (22, 20)}


@about("Leper Gnome")
def test_leper_gnome_killed_in_the_enemy_turn_damages_the_enemy_hero() -> None:
    # It is the enemy's turn, so `me` is the enemy of the gnome.
    assert changes(*killed("Leper Gnome", by="enemy"), "enemy", *SPENT) == {"me.hero health": (22, 20)}


@about("Zombie Chow")
def test_zombie_chow_heals_the_enemy_hero_when_it_dies() -> None:
    assert changes(*killed("Zombie Chow"), *SPENT) == {"enemy.hero health": (22, 27)}
    assert changes(*killed("Zombie Chow", by="enemy"), "enemy", *SPENT) == {"me.hero health": (22, 27)}


@about("Loot Hoarder")
def test_loot_hoarder_draws_a_card_for_its_owner() -> None:
    before, after = killed("Loot Hoarder", by="enemy")
    assert [card.id for card in after.enemy.hand] == [*(card.id for card in before.enemy.hand), "my.0"]
    assert after.me.deck == before.me.deck


@about("Explosive Sheep")
def test_explosive_sheep_damages_every_minion_but_no_hero() -> None:
    before, after = killed("Explosive Sheep")
    hurt = {
        f"{minion.id} health": (minion.health, minion.health - 2) for minion in (*before.me.board, *before.enemy.board)
    }
    del hurt["card health"]
    assert changes(before, after, *SPENT, "enemy") == hurt


@about("Explosive Sheep")
def test_two_sheep_trigger_each_other() -> None:
    state = run(scene(CARDS["Explosive Sheep"], CARDS["Explosive Sheep"], PING), Play("card"), Play("card.1"))
    after = run(state, Play("card.2", "card"))
    mech = find(after, "mech")
    assert mech is not None
    assert mech.health == 36
    assert not called(after, "Explosive Sheep")


@about("Abomination")
def test_abomination_damages_every_character() -> None:
    before, after = killed("Abomination")
    everybody = ["me.hero", "enemy.hero", "mech", "beast", "murloc", "plain", "e.whole", "e.beast", "e.murloc"]
    old = facts(before)
    assert changes(before, after, *SPENT, "enemy") == {
        f"{name} health": (old[name]["health"], old[name]["health"] - 2) for name in everybody
    }


@about("Harvest Golem")
def test_harvest_golem_summons_a_golem_when_it_dies() -> None:
    before, after = killed("Harvest Golem", by="enemy")
    assert len(after.enemy.board) == len(before.enemy.board)
    (golem,) = called(after, "Damaged Golem")
    assert golem == after.enemy.board[-1]
    assert (golem.attack, golem.health, golem.fresh) == (2, 1, True)


@about("Savannah Highmane")
def test_savannah_highmane_summons_two_hyenas_if_there_is_room() -> None:
    _, after = killed("Savannah Highmane")
    assert [(hyena.attack, hyena.health) for hyena in called(after, "Hyena")] == [(2, 2), (2, 2)]
    state = scene(CARDS["Savannah Highmane"], CARDS["Wisp"], CARDS["Wisp"], KILL)
    full = run(state, Play("card"), Play("card.1"), Play("card.2"))
    assert len(full.me.board) == 7
    assert len(called(run(full, Play("card.3", "card")), "Hyena")) == 1


@about("Tirion Fordring")
def test_tirion_equips_a_sword_when_he_dies() -> None:
    before, after = killed("Tirion Fordring", by="enemy")
    assert before.enemy.weapon is None
    weapon = after.enemy.weapon
    assert weapon is not None
    assert (weapon.card.name, weapon.attack, weapon.durability) == ("Ashbringer", 5, 3)
    assert after.me.weapon is None


@about("Timber Wolf", "Raid Leader", "Stormwind Champion", "Murloc Warleader", "Murloc Warleader (Vanilla)")
@pytest.mark.parametrize(
    "name", ["Timber Wolf", "Raid Leader", "Stormwind Champion", "Murloc Warleader", "Murloc Warleader (Vanilla)"]
)
def test_an_aura_ends_when_its_source_dies_or_is_silenced(name: str) -> None:
    state = scene(CARDS[name], KILL, CARDS["Silence"])
    under = run(state, Play("card"))
    old = facts(state)
    assert any(facts(under)[character]["attack"] > old[character]["attack"] for character in ("beast", "murloc"))
    for spell in ("card.1", "card.2"):
        after = facts(run(under, Play(spell, "card")))
        for character in ("mech", "beast", "murloc", "plain", "e.whole", "e.beast", "e.murloc"):
            # When an aura ends, health is only reduced to the new maximum, as in the real game.
            health = min(facts(under)[character]["health"], old[character]["max_health"])
            assert after[character] == {**old[character], "health": health}


@about("Stormwind Champion")
def test_two_champions_buff_each_other_and_new_minions() -> None:
    champion = CARDS["Stormwind Champion"]
    state = scene(champion, champion, CARDS["Wisp"])
    state = run(state._replace(me=state.me._replace(mana=20)), Play("card"), Play("card.1"), Play("card.2"))
    assert [(minion.attack, minion.health) for minion in state.me.board[-3:]] == [(8, 8), (8, 8), (3, 3)]


@about("Eviscerate")
def test_eviscerate_deals_four_after_another_card() -> None:
    alone = scene(CARDS["Eviscerate"], CARDS["Wisp"])
    state = run(alone, Play("card.1"))
    assert choices(state) == choices(alone) | {"card.1"}
    after = run(state, Play("card", "enemy.hero"))
    assert after.enemy.hero.health == 22 - 4


@about("SI:7 Agent")
def test_si7_agent_shoots_only_after_another_card() -> None:
    alone = scene(CARDS["SI:7 Agent"], CARDS["The Coin"])
    assert choices(alone) == {None}
    combo = run(alone, Play("card.1"))
    assert choices(combo) >= {"enemy.hero", "me.hero", "e.whole", "plain"}
    assert None not in choices(combo)
    assert run(combo, Play("card", "enemy.hero")).enemy.hero.health == 20


@about("Vilespine Slayer")
def test_vilespine_slayer_kills_only_after_another_card() -> None:
    alone = scene(CARDS["Vilespine Slayer"], CARDS["Wisp"])
    after = run(alone, Play("card"))
    assert len(after.enemy.board) == 3
    combo = run(alone, Play("card.1"))
    assert choices(combo) == {"mech", "beast", "murloc", "plain", "card.1", "e.whole", "e.beast", "e.murloc"}
    after = run(combo, Play("card", "e.whole"))
    assert [minion.id for minion in after.enemy.board] == ["e.beast", "e.murloc"]


@about("Doomsayer")
def test_doomsayer_triggers_at_the_start_of_its_owners_turn() -> None:
    state = run(play("Doomsayer"), EndTurn())
    assert len(state.me.board) + len(state.enemy.board) == 8
    after = run(state, EndTurn())
    assert after.me.board == after.enemy.board == ()
    assert (after.me.hero.health, after.enemy.hero.health) == (20, 22)


@about("Demolisher")
def test_demolisher_shoots_a_random_enemy_at_the_start_of_its_owners_turn() -> None:
    hit = set()
    for seed in range(20):
        state = run(play("Demolisher"), EndTurn(), rng=Random(seed))
        after = run(state, EndTurn(), rng=Random(seed))
        hurt = [
            name
            for name in ("enemy.hero", "e.whole", "e.beast", "e.murloc")
            if facts(after)[name]["health"] == facts(scene())[name]["health"] - 2
        ]
        assert len(hurt) == 1
        hit.update(hurt)
        assert facts(after)["me.hero"]["health"] == 20
    assert hit == {"enemy.hero", "e.whole", "e.beast", "e.murloc"}


@about("Shade of Naxxramas")
def test_shade_grows_each_turn_and_stays_hidden() -> None:
    state = round_later(round_later(play("Shade of Naxxramas")))
    shade = find(state, "card")
    assert shade is not None
    assert (shade.attack, shade.health, shade.max_health, names(shade.keywords)) == (4, 4, 4, ["stealth"])


@about("Young Priestess")
def test_young_priestess_buffs_one_other_minion() -> None:
    helped = set()
    for seed in range(20):
        after = run(play("Young Priestess"), EndTurn(), rng=Random(seed))
        grown = [minion.id for minion in after.enemy.board if minion.max_health > minion.card.health]
        assert len(grown) == 1
        assert sum(minion.max_health - minion.card.health for minion in after.enemy.board) == 1
        helped.update(grown)
    assert helped == {"mech", "beast", "murloc", "plain"}


@about("Young Priestess")
def test_young_priestess_alone_has_no_effect() -> None:
    state = scene(CARDS["Young Priestess"])
    after = run(state._replace(me=state.me._replace(board=())), Play("card"), EndTurn())
    assert [(minion.attack, minion.health) for minion in after.enemy.board] == [(2, 1)]


@about("Imp Master")
def test_imp_master_loses_health_and_summons_an_imp_each_turn() -> None:
    state = scene(CARDS["Imp Master"])
    state = run(state._replace(me=state.me._replace(board=())), Play("card"))
    for turn in range(1, 5):
        state = round_later(state)
        master = find(state, "card")
        assert master is not None
        assert (master.health, len(called(state, "Imp"))) == (5 - turn, turn)
    assert len(called(round_later(state), "Imp Master")) == 0


@about("Mana Tide Totem")
def test_mana_tide_totem_draws_at_the_end_of_its_owners_turn() -> None:
    state = play("Mana Tide Totem")
    after = run(state, EndTurn())
    assert [card.id for card in after.enemy.hand] == ["spare", "my.0"]
    assert [card.id for card in run(after, EndTurn()).me.hand] == ["spare", "my.0", "my.1"]  # plus the draw of the turn


@about("Healing Totem")
def test_healing_totem_heals_its_owners_minions() -> None:
    after = run(play("Healing Totem"), EndTurn())
    assert {minion.id: minion.health for minion in after.enemy.board} == {
        "mech": 40,
        "beast": 38,
        "murloc": 40,
        "plain": 21,
        "card": 2,
    }
    assert after.enemy.hero.health == 20
    assert [minion.health for minion in after.me.board] == [40, 30, 38]


@about("Frail Ghoul")
def test_frail_ghoul_has_charge_and_dies_at_the_end_of_the_turn() -> None:
    state = play("Frail Ghoul")
    assert "enemy.hero" in attack_targets(state, "card")
    assert find(run(state, EndTurn()), "card") is None


@about("Ragnaros the Firelord")
def test_ragnaros_cannot_attack_but_damages_an_enemy() -> None:
    state = play("Ragnaros the Firelord")
    burnt = set()
    for seed in range(20):
        later = round_later(state, rng=Random(seed))
        assert attack_targets(later, "card") == set()
        assert illegal_reason(later, Attack("card", "enemy.hero")) == "card cannot attack"
        ((name, (before, after)),) = changes(state, later, "me", "enemy", "match", "card").items()
        assert before - after == 8
        burnt.add(name)
    assert burnt == {"enemy.hero health", "e.whole health", "e.beast health", "e.murloc health"}


@about("Ancient Watcher", "Ironbeak Owl", "Silence")
def test_a_silenced_watcher_can_attack() -> None:
    state = round_later(play("Ancient Watcher", CARDS["Ironbeak Owl"], CARDS["Silence"]))
    assert attack_targets(state, "card") == set()
    for silencer in ("card.1", "card.2"):
        after = run(state, Play(silencer, "card"))
        assert "enemy.hero" in attack_targets(after, "card")


@about("Ironbeak Owl")
def test_the_owl_removes_keywords_buffs_and_deathrattles() -> None:
    hand = [CARDS["Ironbeak Owl"], KILL, CARDS["Blessing of Might"]]
    state = round_later(play("Tirion Fordring", *hand))
    state = run(state, Play("card.3", "card"), Play("card.1", "card"))
    tirion = find(state, "card")
    assert tirion is not None
    assert (tirion.attack, tirion.health, tirion.keywords, tirion.silenced) == (6, 6, 0, True)
    assert run(state, Play("card.2", "card")).me.weapon is None


@about("Water Elemental")
def test_water_elemental_freezes_minions_for_one_attack() -> None:
    state = round_later(play("Water Elemental"))
    state = run(state, Attack("card", "e.whole"), EndTurn())
    whole = find(state, "e.whole")
    assert whole is not None
    assert whole.keywords & FROZEN
    assert illegal_reason(state, Attack("e.whole", "enemy.hero")) == "e.whole is frozen"
    again = run(state, EndTurn(), EndTurn())
    assert "enemy.hero" in attack_targets(again, "e.whole")


@about("Water Elemental")
def test_water_elemental_freezes_a_hero() -> None:
    state = run(round_later(play("Water Elemental")), Attack("card", "enemy.hero"))
    assert state.enemy.hero.keywords & FROZEN
    armed = state._replace(enemy=state.enemy._replace(hand=scene(CARDS["Arcanite Reaper"]).me.hand))
    theirs = run(armed, EndTurn(), Play("card"))
    assert illegal_reason(theirs, Attack("me.hero", "enemy.hero")) == "your hero is frozen"


@about("Frostbolt")
def test_frostbolt_freezes_a_friendly_minion_until_it_has_missed_an_attack() -> None:
    state = play("Frostbolt", target="mech")
    assert illegal_reason(state, Attack("mech", "enemy.hero")) == "mech is frozen"
    assert "enemy.hero" in attack_targets(round_later(state), "mech")


@about("Bestial Wrath")
def test_bestial_wrath_makes_a_beast_immune_for_the_turn() -> None:
    state = run(play("Bestial Wrath", target="beast"), Attack("beast", "e.whole"))
    beast, whole = find(state, "beast"), find(state, "e.whole")
    assert beast is not None
    assert whole is not None
    assert (beast.health, whole.health) == (37, 35)
    assert beast.keywords & IMMUNE
    theirs = run(state, EndTurn())
    assert "beast" in attack_targets(theirs, "e.whole")


@about("V-07-TR-0N")
def test_mega_windfury_attacks_four_times_at_once() -> None:
    state = play("V-07-TR-0N")
    for times in range(4):
        assert "enemy.hero" in attack_targets(state, "card"), times
        state = run(state, Attack("card", "enemy.hero"))
    assert attack_targets(state, "card") == set()
    assert state.enemy.hero.health == 22 - 16


@about("Leeroy Jenkins")
def test_leeroy_has_charge_and_summons_no_whelps_onto_a_full_board() -> None:
    state = play("Leeroy Jenkins")
    assert run(state, Attack("card", "enemy.hero")).enemy.hero.health == 16
    crowd = scene()
    board = (*crowd.enemy.board, *crowd.me.board[:3])
    crowded = scene(CARDS["Leeroy Jenkins"])._replace(enemy=crowd.enemy._replace(board=board))
    crowded = crowded._replace(me=crowded.me._replace(board=()))
    assert len(called(run(crowded, Play("card")), "Whelp")) == 1


@about("Feral Spirit")
def test_feral_spirit_summons_two_wolves_and_locks_a_crystal() -> None:
    state = run(play("Feral Spirit"), EndTurn())
    wolves = called(state, "Spirit Wolf")
    assert len(wolves) == 2
    assert all(wolf.keywords == TAUNT for wolf in wolves)
    assert attack_targets(state, "e.whole") == {wolf.id for wolf in wolves}
    assert run(state, EndTurn()).me.mana == 9


@about("Arathi Weaponsmith", "Doomhammer")
def test_a_hero_attacks_with_an_equipped_weapon() -> None:
    state = run(play("Arathi Weaponsmith"), Attack("me.hero", "enemy.hero"))
    assert state.enemy.hero.health == 20
    assert attack_targets(state, "me.hero") == set()
    state = run(play("Doomhammer"), Attack("me.hero", "enemy.hero"), Attack("me.hero", "enemy.hero"))
    assert state.enemy.hero.health == 18
    assert attack_targets(state, "me.hero") == set()
    state = round_later(state)
    assert state.me.mana == 8
    assert run(state, Attack("me.hero", "enemy.hero"), Attack("me.hero", "enemy.hero")).enemy.hero.health == 14


@about("The Coin", "Innervate", "Wild Growth")
def test_mana_and_crystals() -> None:
    def crystals(name: str, mana: int, crystals: int) -> tuple[int, int, int]:
        """Return mana and crystals after the card, and mana in the next turn."""
        state = scene(CARDS[name])
        after = run(state._replace(me=state.me._replace(mana=mana, crystals=crystals)), Play("card"))
        return after.me.mana, after.me.crystals, round_later(after).me.mana

    for name in ("The Coin", "Innervate"):
        assert crystals(name, 2, 4) == (3, 4, 5)
        assert crystals(name, 10, 10) == (10, 10, 10)
    assert crystals("Wild Growth", 3, 4) == (0, 5, 6)
    assert crystals("Wild Growth", 10, 10) == (7, 10, 10)
    state = scene(CARDS["Wild Growth"])
    assert "Excess Mana" in [held.card.name for held in run(state, Play("card")).me.hand]


@about("Flame Imp")
def test_flame_imp_can_kill_its_own_hero() -> None:
    state = scene(CARDS["Flame Imp"])
    state = state._replace(me=state.me._replace(hero=state.me.hero._replace(health=3)))
    assert run(state, Play("card")).me.hero.health == 0


@about("Embalming Ritual")
def test_a_minion_with_reborn_from_a_spell_returns_as_printed() -> None:
    state = play("Embalming Ritual", CARDS["Blessing of Might"], DOOM, target="plain")
    state = run(state, Play("card.1", "plain"), Play("card.2"))
    assert [(minion.id, minion.attack, minion.health, minion.keywords) for minion in state.me.board] == [
        ("plain", 3, 1, 0)
    ]


@about("Zilliax")
def test_a_merged_mech_fights_with_the_added_numbers() -> None:
    state = run(scene(CARDS["Zilliax"], SPARE), Play("card", "mech"), Attack("mech", "e.whole"))
    mech, whole = find(state, "mech"), find(state, "e.whole")
    assert mech is not None
    assert whole is not None
    assert (mech.attack, mech.health, whole.health) == (6, 42, 34)  # the shield absorbed the damage
    assert names(mech.keywords) == ["taunt", "rush", "lifesteal"]
    assert state.me.hero.health == 26


@about("Backstab", "Devastate")
def test_heroes_are_not_minion_targets() -> None:
    for name in ("Backstab", "Devastate"):
        state = scene(CARDS[name])
        whole = state._replace(me=state.me._replace(hero=state.me.hero._replace(health=30)))
        assert choices(whole) == choices(state)
        assert not choices(state) & {"me.hero", "enemy.hero"}
