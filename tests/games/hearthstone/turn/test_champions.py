"""The champion profiles, which weight search found: they take every certain win and avoid the death of their hero."""

from __future__ import annotations

import random
from random import Random

import pytest

from planner import PlannerAgent, plan_turn
from planner.games.hearthstone import GAME
from planner.games.hearthstone.rules.actions import Attack
from planner.games.hearthstone.rules.state import GameState, is_over
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.planning.plan import NoTurnError
from tests.games.hearthstone.generated import random_state

CHAMPIONS = ("champion", "champion_standard")
EFFORT = 20_000  # a few random states have millions
KILL = Weights(lethal=1, forbid=(Rule("own_hero_death"),))


def near_the_end(rng: Random) -> GameState | None:
    """Return a state in which either hero may die this turn, or None if the match is over."""
    state = random_state(rng, most_minions=4, most_cards=4)
    low = state._replace(
        me=state.me._replace(hero=state.me.hero._replace(health=rng.randint(1, 5), armor=0)),
        enemy=state.enemy._replace(hero=state.enemy.hero._replace(health=rng.randint(1, 8), armor=0)),
    )
    return None if is_over(low) else low


@pytest.mark.parametrize("name", CHAMPIONS)
def test_champions_take_certain_wins_and_keep_their_hero_alive(name: str) -> None:
    seed = random.randrange(2**32)
    rng, kills, deaths = Random(seed), 0, 0
    for number in range(100):
        state = near_the_end(rng)
        if state is None:
            continue
        context = f"seed {seed}, state {number}: {GAME.state_to_text(state)}"
        try:
            certain = plan_turn(state, KILL, effort=EFFORT)
        except NoTurnError:  # the hero dies in every turn
            deaths += 1
            assert PlannerAgent(name, effort=EFFORT).decide(state) is not None, context
            continue
        plan = plan_turn(state, name, effort=EFFORT)
        assert plan.outcome not in ("loss", "draw"), context
        if certain.status == "optimal" and certain.outcome == "win":
            kills += 1
            assert plan.outcome == "win", context
    assert kills > 10, f"seed {seed}: too few certain wins to test anything"


def test_an_agent_that_cannot_keep_every_rule_keeps_the_others() -> None:
    """My hero dies at the end of this turn in any case; the other rule still applies."""
    doom = {"name": "Doom", "type": "minion", "cost": 1, "attack": 0, "health": 9,
            "effects": [{"do": "damage", "amount": 9, "to": "friendly hero", "on": "turn_end"}]}  # fmt: skip
    state = {"mana": 0, "me": {"hero": {"health": 2}, "weapon": {"name": "Axe", "attack": 3, "durability": 2},
                               "board": [{"name": "Doom", "card": doom, "attack": 0, "health": 9}]},
             "enemy": {"hero": {"health": 30}, "board": [{"attack": 1, "health": 3}]}}  # fmt: skip
    rules = (Rule("own_hero_death"), Rule("attack_on", word="hero"))
    wild = Weights(face_damage=9, minion_damage=1, forbid=rules)
    with pytest.raises(NoTurnError):
        plan_turn(state, wild)
    table = GAME.state_from_json(state)
    assert PlannerAgent(wild).decide(table) == Attack("me.hero", table.enemy.board[0].id)
