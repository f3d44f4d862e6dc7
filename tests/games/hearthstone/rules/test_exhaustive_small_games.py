"""Small games explored completely: every sequence of actions, each state once, with all checks."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.rules.match_flow import outcome
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, Player
from tests.build import card, effect, player, power_card, spell, weapon_card
from tests.games.hearthstone.rules.invariants import check_legal, check_state, check_step

RULES = Ruleset(
    "tiny", board_limit=2, hand_limit=3, mana_limit=3, starting_hand=(1, 1), fatigue_growth=0, turn_limit=10
)
BOLT = effect("damage", "chosen character", amount=1)


def small(mine: list[Card], theirs: list[Card], health: int = 4, power: Card | None = None) -> GameState:
    """Return two players with these cards in hand and no deck, so that fatigue ends every match."""

    def side(name: str, cards: list[Card]) -> Player:
        return player(name, hand=cards, deck=[], health=health, mana=2, crystals=2, power=power)

    return GameState(side("me", mine), side("enemy", theirs), RULES)


GAMES = {
    "plain": small([card(1, 1), card(1, 2)], [card(2, 1), card(1, 1)]),
    "charge and taunt": small([card(1, 1, "charge"), card(1, 1, "taunt")], [card(1, 2, "taunt"), card(1, 1, "rush")]),
    "shield and poison": small(
        [card(1, 1, "divine_shield charge")], [card(1, 1, "poisonous rush"), card(0, 2, "taunt")]
    ),
    "reborn": small(
        [card(1, 1, "reborn rush"), card(1, 1, "rush")], [card(1, 1, "reborn taunt"), card(2, 1)], health=3
    ),
    "windfury and stealth": small([card(1, 2, "windfury rush")], [card(1, 1, "stealth"), card(1, 1, "lifesteal")]),
    "freeze": small([card(1, 2, "freeze rush"), card(1, 1)], [card(1, 2, "freeze"), card(1, 1, "charge")], health=3),
    "spells": small([spell(BOLT), card(1, 1)], [spell(effect("destroy", "chosen minion")), card(1, 1, "elusive")]),
    "deathrattles": small(
        [card(1, 1, "rush", effect("summon", makes=card(1, 1, name="Token"), on="death")), card(1, 1)],
        [card(1, 1, "", effect("damage", "all characters", amount=1, on="death")), card(1, 2)],
        health=3,
    ),
    "weapons": small([weapon_card(1, 2), card(1, 1)], [weapon_card(1, 1, "windfury"), card(1, 2, "taunt")]),
    "powers": small([card(1, 1)], [card(1, 2)], power=power_card(BOLT, cost=1)),
    "auras": small(
        [card(0, 1, "", effect("buff", "all other minions", attack=1, health=1, on="aura")), card(1, 1)],
        [card(1, 1), spell(effect("silence", "all minions"))],
    ),
    "echo and magnetic": small(
        [card(1, 1, "magnetic", tribes=("mech",)), card(0, 1, "echo", tribes=("mech",))], [card(1, 1)]
    ),
}


def explore(start: GameState) -> Counter[str]:
    """Count the different final states by outcome, and check every edge of the graph."""
    rng = Random(0)
    seen, waiting, ends = {start}, [start], Counter[str]()
    while waiting:
        state = waiting.pop()
        check_state(state)
        ends[str(outcome(state) or "running")] += 1
        for action in check_legal(state, rng, refused=2):
            after = apply(state, action)
            check_step(state, action, after)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return ends


@pytest.mark.parametrize("name", GAMES)
def test_every_sequence_keeps_the_invariants_and_ends(name: str) -> None:
    ends = explore(GAMES[name])
    assert ends["running"] > 10
    assert ends["player 1 wins by damage"] + ends["player 2 wins by damage"] > 0


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_every_sequence_with_a_third_card_each_keeps_the_invariants_and_ends(name: str) -> None:
    game = GAMES[name]
    mine = [*(held.card for held in game.me.hand), card(1, 1)]
    theirs = [*(held.card for held in game.enemy.hand), card(1, 1)]
    assert explore(small(mine, theirs, health=3, power=game.me.power))["running"] > 10


def test_every_outcome_is_reached() -> None:
    ends = explore(GAMES["deathrattles"])
    assert {"player 1 wins by damage", "player 2 wins by damage", "a draw by damage"} <= set(ends)
    assert any("fatigue" in end for end in ends)


def test_players_without_cards_pass_until_the_turn_limit() -> None:
    ends = explore(small([], [], health=30))
    # Both players can only pass, until fatigue or the turn limit ends the match.
    assert ends == Counter({"running": 10, "a draw by turn limit": 1})
