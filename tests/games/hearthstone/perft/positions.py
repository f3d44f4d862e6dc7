"""Fixed states with the number of action sequences of each length that start there.

A sequence that ends the match early counts only for the lengths that it reaches, as in chess. The numbers of PLAIN
states were counted by the naive rules, those of the others with `illegal_reason` over all conceivable actions. The
tests count them again with `legal_actions`.
"""

from __future__ import annotations

from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from tests.build import FILLER, card, effect, minion, player, power_card, spell, state, weapon, weapon_card

BOLT = effect("damage", "chosen character", amount=2)
TOKEN = card(1, 1, "rush", name="Token")

# name: state, counts of sequences of 1, 2, 3, ... actions
PLAIN: dict[str, tuple[GameState, tuple[int, ...]]] = {
    "empty": (state(), (1, 1, 2, 2, 4, 6)),
    "two against two": (
        state(3, [minion(2, 3), minion(3, 2)], [minion(2, 2), minion(4, 4)], [card(3, 3, cost=3)]),
        (8, 42, 145, 435, 1596, 5347),
    ),
    "a wall": (
        state(2, [minion(2, 3), minion(3, 2)], [minion(1, 5, "taunt"), minion(4, 1)], [card(2, 2, cost=2)]),
        (4, 16, 61, 196, 596, 1824),
    ),
    "two walls, one hidden": (
        state(0, [minion(2, 3), minion(3, 2)], [minion(1, 2, "taunt"), minion(1, 2, "taunt stealth"), minion(5, 5)]),
        (3, 16, 80, 302, 701, 2302),
    ),
    "chargers in hand": (
        state(5, [minion(1, 1)], [minion(2, 2)], [card(3, 1, "charge", cost=3), card(2, 2, "charge", cost=2)]),
        (5, 21, 80, 258, 745, 1959),
    ),
    "rush in hand": (
        state(
            5, [minion(1, 1)], [minion(2, 2), minion(1, 1)], [card(3, 1, "rush", cost=3), card(2, 2, "rush", cost=2)]
        ),
        (6, 28, 116, 409, 1260, 3999),
    ),
    "windfury": (
        state(0, [minion(2, 5, "windfury"), minion(1, 1)], [minion(1, 3), minion(2, 2, "taunt")]),
        (3, 14, 49, 98, 299, 881),
    ),
    "shields": (
        state(0, [minion(2, 2, "divine_shield"), minion(3, 3)], [minion(3, 1, "divine_shield taunt"), minion(1, 1)]),
        (3, 11, 40, 90, 222, 587),
    ),
    "poison": (
        state(0, [minion(1, 1, "poisonous"), minion(0, 4)], [minion(7, 7), minion(1, 2, "poisonous")]),
        (4, 10, 37, 72, 163, 397),
    ),
    "stealth on both sides": (
        state(1, [minion(2, 2, "stealth"), minion(1, 3)], [minion(2, 2, "stealth"), minion(1, 1)], [card(1, 1)]),
        (6, 24, 76, 245, 890, 3088),
    ),
    "reborn": (
        state(
            2,
            [minion(2, 1, "reborn"), minion(1, 2)],
            [minion(2, 2, "reborn taunt")],
            [card(1, 1, "rush reborn", cost=2)],
        ),
        (4, 14, 39, 100, 246, 593),
    ),
    "frozen": (
        state(1, [minion(2, 2, "frozen"), minion(1, 3)], [minion(3, 3, "frozen")], [card(1, 1)]),
        (4, 8, 13, 46, 162, 454),
    ),
    "lifesteal at the edge": (
        state(
            0,
            [minion(2, 2, "lifesteal"), minion(3, 3)],
            player("enemy", board=[minion(2, 2, "lifesteal")], health=5),
            health=2,
        ),
        (5, 14, 21, 43, 79, 133),
    ),
    "lethal": (
        state(2, [minion(3, 3), minion(2, 2)], [minion(1, 1)], [card(2, 1, "charge", cost=2)], enemy_health=5),
        (6, 25, 72, 167, 395, 985),
    ),
    "a full board": (
        state(3, [minion(1, 1)] * 7, [minion(1, 1), minion(1, 1)], [card(1, 1, cost=1), card(2, 2, "charge", cost=2)]),
        (22, 360, 4303, 38752),
    ),
    "a small board": (
        state(4, [minion(1, 1)], [minion(1, 1)], [card(1, 1)] * 3, rules=Ruleset("small", board_limit=2)),
        (6, 20, 48, 108, 295, 752),
    ),
    "new and tired": (
        state(
            0,
            [minion(2, 2, fresh=True), minion(3, 3, attacks_left=0), minion(1, 1, "rush", fresh=True)],
            [minion(1, 1)],
        ),
        (2, 6, 12, 50, 130, 280),
    ),
    "fatigue at the door": (
        state(0, [minion(1, 1)], player("enemy", health=3, deck=[]), deck=[], health=4),
        (2, 2, 3, 3, 0, 0),
    ),
}

RICH: dict[str, tuple[GameState, tuple[int, ...]]] = {
    "bolts": (
        state(4, [minion(2, 2)], [minion(1, 2), minion(2, 3)], [spell(BOLT, cost=2), spell(BOLT, cost=2)]),
        (14, 112, 442, 968, 3404, 9320),
    ),
    "battlecries": (
        state(
            4,
            [minion(2, 2)],
            [minion(1, 2), minion(2, 3, "elusive")],
            [card(1, 1, "", BOLT, cost=2), spell(BOLT, cost=2)],
        ),
        (13, 100, 403, 1005, 4091, 13452),
    ),
    "deathrattles": (
        state(
            2,
            [minion(2, 1, "", effect("summon", makes=TOKEN, count=2, on="death")), minion(1, 4)],
            [minion(1, 1, "", effect("damage", "all minions", amount=1, on="death")), minion(2, 2, "taunt")],
            [card(1, 1, "rush", cost=2)],
        ),
        (4, 20, 87, 262, 759, 2451),
    ),
    "weapons": (
        state(
            2,
            [minion(1, 1)],
            [minion(2, 3), minion(1, 1)],
            [weapon_card(2, 2, "windfury", cost=2)],
            weapon=weapon(3, 1),
        ),
        (8, 39, 132, 429, 1047, 3202),
    ),
    "hero power": (
        state(4, [minion(1, 1)], [minion(1, 1), minion(2, 1)], [card(2, 2, cost=2)], power=power_card(BOLT)),
        (10, 52, 165, 436, 1721, 6394),
    ),
    "silence and a wall": (
        state(
            2,
            [minion(3, 3)],
            [minion(1, 4, "taunt"), minion(2, 2, "stealth")],
            [spell(effect("silence", "chosen enemy minion"))],
        ),
        (3, 10, 28, 75, 193, 479),
    ),
    "an aura": (
        state(
            3,
            [minion(1, 1), minion(2, 2)],
            [minion(2, 2)],
            [card(1, 1, "", effect("buff", "all other friendly minions", attack=1, health=1, on="aura"), cost=3)],
        ),
        (6, 24, 61, 139, 398, 1091),
    ),
    "combo and coin": (
        state(
            2,
            [minion(1, 1)],
            [minion(2, 2)],
            [
                spell(effect("mana", amount=1), cost=0, name="Coin"),
                card(1, 1, "", effect("damage", "chosen enemy character", amount=2, combo=True), cost=2),
                FILLER,
            ],
        ),
        (5, 18, 47, 102, 277, 698),
    ),
    "echo": (
        state(3, [], [minion(1, 1)], [spell(effect("damage", "all enemy minions", amount=1), words="echo")]),
        (2, 4, 6, 9, 13, 19),
    ),
    "magnets": (
        state(
            3,
            [minion(1, 1, tribes=("mech",)), minion(2, 2, tribes=("mech",))],
            [minion(1, 1, "taunt")],
            [card(1, 1, "magnetic windfury", tribes=("mech",)), card(2, 2, "magnetic rush", cost=2, tribes=("mech",))],
        ),
        (9, 57, 240, 716, 1736, 4870),
    ),
    "frost and immunity": (
        state(
            3,
            [minion(2, 2)],
            player("enemy", board=[minion(2, 2, "immune taunt"), minion(1, 1)]),
            [
                spell(effect("freeze", "chosen character")),
                spell(effect("buff", "chosen friendly minion", keywords="immune", this_turn=True)),
            ],
        ),
        (8, 37, 114, 306, 923, 2368),
    ),
}
