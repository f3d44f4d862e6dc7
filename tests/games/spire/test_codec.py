"""States, actions and setups as data: round trips, defaults, and refusals with their place."""

from __future__ import annotations

import json
import pickle
from random import Random
from typing import Any

import pytest

from planner.errors import PlannerError
from planner.games.spire import codec, rules, setups
from planner.games.spire.game import GAME
from planner.games.spire.library import unreadable
from planner.games.spire.state import END, Action
from planner.games.spire.words import description
from tests.games.spire.random_battles import random_state

JAW = {"enemies": [{"name": "Jaw Worm"}]}
ASKS = {"played": "Survivor", "step": 1}


def test_only_the_enemies_are_required() -> None:
    state = codec.state_from_json(JAW)
    assert (state.health, state.energy, state.turn, state.hand) == (80, 3, 1, ())
    assert (state.enemies[0].health, state.enemies[0].kind.moves[state.enemies[0].move].name) == (44, "Chomp")


@pytest.mark.parametrize("seed", range(30))
def test_states_go_through_json_and_text(seed: int) -> None:
    state = random_state(Random(seed), odd=seed % 2 == 0)
    assert codec.state_from_json(json.loads(json.dumps(codec.state_to_json(state)))) == state
    assert GAME.state_from_text(GAME.state_to_text(state)) == state
    assert pickle.loads(pickle.dumps(state)) == state


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "enemies: is missing"),
        ({"enemies": []}, "enemies: there is nobody to fight"),
        ({"enemies": [{"name": "Jaw Wurm"}]},
         ("enemies[0].name: must be one of Jaw Worm, Acid Slime, Spike Slime, Goblin, Hobgoblin, Leech; got 'Jaw Wurm'"
          "; did you mean 'Jaw Worm'?")),
        ({"enemies": [{"name": "Goblin"}] * 5}, "enemies: 5 are too many; at most 4"),
        ({"enemies": [{"name": "Goblin", "helth": 3}]},
         "enemies[0]: unknown field 'helth'; did you mean 'health'?"),
        ({"enemies": [{"name": "Goblin", "health": -1}]}, "enemies[0].health: must be between 0 and 9999, got -1"),
        ({"enemies": [{"name": "Goblin", "move": "Run"}]},
         "enemies[0].move: must be one of Strike, Guard; got 'Run'"),
        ({**JAW, "hand": ["Strik"]}, "hand[0]: 'Strik' is not a card; did you mean 'Strike'?"),
        ({**JAW, "hand": "Strike"}, "hand: must be a list, got 'Strike'"),
        ({**JAW, "energy": 2.5}, "energy: must be an integer, between 0 and 9999, got 2.5"),
        ({**JAW, "health": 90, "max_health": 80}, "health: 90 is more than max_health 80"),
        ({**JAW, "statuses": [{"status": "week", "amount": 1}]},
         ("statuses[0].status: must be one of strength, vigor, weak, vulnerable, after image, tolerance, bomb; got 'week'"
          "; did you mean 'weak'?")),
        ({**JAW, "statuses": [{"status": "weak"}]}, "statuses[0].amount: is missing"),
        ({**JAW, "statuses": [{"status": "weak", "amount": 1}] * 2}, "statuses[1]: weak stands here twice"),
        ({**JAW, "game": "chess"}, "game: 'chess' is not 'spire'"),
        ({**JAW, "pending": {"played": "Strike", "step": 7}}, "pending.step: 7: Strike asks nothing there"),
        ({**JAW, "pending": ASKS}, "pending.picked: Survivor has nothing left to ask"),
        ({**JAW, "hand": ["Bash"], "pending": {**ASKS, "picked": [1]}},
         "pending.picked[0]: 1 is not the place of another card"),
        ({**JAW, "library": {"cards": {"X": {}}}}, "library: X: cost is missing"),
        ({**JAW, "library": {"cards": {"X": {1, 2}}}}, "library: is not made of JSON values"),
        ([], "state: must be an object, got []"),
    ],
)  # fmt: skip
def test_states_refused_in_one_line(data: Any, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        codec.state_from_json(data)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "action", [Action("play", 3), Action("fighter", 1), Action("fighter", rules.PLAYER), Action("card", 0), END]
)
def test_actions_go_through_json_and_text(action: Action) -> None:
    assert codec.action_from_json(codec.action_to_json(action)) == action
    assert codec.action_from_text(codec.action_to_text(action)) == action


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"type": "pley"}, "action.type: must be one of play, fighter, card, end; got 'pley'; did you mean 'play'?"),
        ({"type": "play"}, "action.card: is missing"),
        ({"type": "play", "card": "Strike"}, "action.card: must be an integer, between 0 and 9999, got 'Strike'"),
        ({"type": "end", "card": 1}, "action: unknown field 'card'"),
        ("play", "action: must be an object, got 'play'"),
    ],
)
def test_actions_refused_in_one_line(data: Any, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        codec.action_from_json(data)
    assert str(caught.value) == message
    for text in ("", "play", "play x", "end 3", "dance 1", "play 1 2"):
        with pytest.raises(PlannerError):
            codec.action_from_text(text)


@pytest.mark.parametrize("name", setups.scenario_names())
def test_scenarios(name: str) -> None:
    setup = setups.scenario(name)
    assert setups.setup_from_json(json.loads(json.dumps(setups.setup_to_json(setup)))) == setup
    state = rules.start(setup, Random(1))
    assert (state.health, state.energy, len(state.hand)) == (80, 3, 5)
    assert codec.state_from_json(codec.state_to_json(state)) == state


def test_the_decks_are_those_of_the_facts() -> None:
    decks = {name: sorted(setups.scenario(name).deck) for name in setups.scenario_names()[:5]}
    common = ["Defend"] * 4 + ["Strike"] * 5
    assert decks == {
        "starter": sorted([*common, "Bash"]),
        "batter": sorted([*common, "Batter", "Stimulate"]),
        "tolerate": sorted(["Strike", *["Defend"] * 3, "Tolerate"]),
        "bomb": sorted([*common, "Bomb"]),
        "suffer": sorted([*common, "Suffer"]),
    }


def test_anonymous_scenarios_are_the_same_battles_under_other_names() -> None:
    plain, hidden = setups.scenario("starter"), setups.scenario("starter_anonymous")
    assert not set(plain.deck) & set(hidden.deck)
    texts = [[description(setup.library.card(title)) for title in setup.deck] for setup in (plain, hidden)]
    assert [text.replace("vulnerable", unreadable("vulnerable")) for text in texts[0]] == texts[1]
    assert not set(plain.library.statuses) & set(hidden.library.statuses)
    rng = Random(3)
    one, other = rules.start(plain, Random(7)), rules.start(hidden, Random(7))
    while legal := rules.legal_actions(one):
        assert rules.legal_actions(other) == legal
        action = rng.choice(legal)
        seed = rng.random()
        one, other = rules.apply(one, action, Random(seed)), rules.apply(other, action, Random(seed))
    assert (one.health, one.turn) == (other.health, other.turn)
    assert rules.outcome(one) == rules.outcome(other)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"scenario": "startr"}, "scenario: 'startr' is not a scenario; did you mean 'starter'?"),
        ({"deck": ["Strike"]}, "setup.enemies: is missing"),
        ({"deck": [], "enemies": ["Goblin"]}, "setup.deck: a battle needs cards and enemies"),
        ({"deck": ["Strike"], "enemies": ["Gobblin"]},
         "setup.enemies[0]: 'Gobblin' is not an enemy; did you mean 'Goblin'?"),
        ({"deck": ["Strike"], "enemies": ["Goblin"], "health": 0},
         "setup.health: must be between 1 and 9999, got 0"),
    ],
)  # fmt: skip
def test_setups_refused_in_one_line(data: Any, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        setups.setup_from_json(data)
    assert str(caught.value) == message


def test_why_not() -> None:
    state = codec.state_from_json({**JAW, "hand": ["Bash", "Strike"], "energy": 1})
    assert rules.illegal_reason(state, Action("play", 1)) == "hand.1: Bash costs 2, but there is only 1 energy"
    assert rules.illegal_reason(state, Action("play", 2)) == "hand.2: there are 2 cards in hand"
    assert rules.illegal_reason(state, Action("fighter", 0)) == "no question is asked"
    assert rules.illegal_reason(state, 3) == "3 is not an action"
    asked = codec.state_from_json({"enemies": [{"name": "Goblin"}] * 2, "pending": {"played": "Strike", "step": 0}})
    assert rules.illegal_reason(asked, END) == "a question is asked: Strike: which enemy?"
    assert rules.illegal_reason(asked._replace(health=0), END) == "the battle is over"
