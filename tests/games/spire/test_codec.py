"""States, actions and setups as data: round trips, defaults, and errors that name the field."""

from __future__ import annotations

import json
import pickle
from random import Random
from typing import Any

import pytest

from planner.errors import PlannerError
from planner.games.spire import battle_codec, battle_rules
from planner.games.spire.battle_state import END, Action
from planner.games.spire.battle_text import describe_card
from planner.games.spire.card_library import anonymous_name
from planner.games.spire.spire_game import GAME
from tests.games.spire.random_battles import random_state

JAW = {"enemies": [{"name": "Jaw Worm"}]}
SURVIVOR_CHOICE = {"played": "Survivor", "step": 1}


def test_only_the_enemies_are_required() -> None:
    state = battle_codec.state_from_json(JAW)
    assert (state.health, state.energy, state.turn, state.hand) == (80, 3, 1, ())
    assert (state.enemies[0].health, state.enemies[0].kind.moves[state.enemies[0].move].name) == (44, "Chomp")


@pytest.mark.parametrize("seed", range(30))
def test_state_round_trips_through_json_text_and_pickle(seed: int) -> None:
    state = random_state(Random(seed), odd=seed % 2 == 0)
    assert battle_codec.state_from_json(json.loads(json.dumps(battle_codec.state_to_json(state)))) == state
    assert GAME.state_from_text(GAME.state_to_text(state)) == state
    assert pickle.loads(pickle.dumps(state)) == state


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "enemies: is missing"),
        ({"enemies": []}, "enemies: must have between 1 and 4 items, got 0"),
        ({"enemies": [{"name": "Jaw Wurm"}]},
         ("enemies[0].name: must be one of Jaw Worm, Acid Slime, Spike Slime, Goblin, Hobgoblin, Leech; got 'Jaw Wurm'"
          "; did you mean 'Jaw Worm'?")),
        ({"enemies": [{"name": "Goblin"}] * 5}, "enemies: must have between 1 and 4 items, got 5"),
        ({"enemies": [{"name": "Goblin", "helth": 3}]},
         "enemies[0]: unknown field 'helth'; did you mean 'health'?"),
        ({"enemies": [{"name": "Goblin", "health": -1}]}, "enemies[0].health: must be between 0 and 9999, got -1"),
        ({"enemies": [{"name": "Goblin", "move": "Run"}]},
         "enemies[0].move: must be one of Strike, Guard; got 'Run'"),
        ({**JAW, "hand": ["Strik"]}, "hand[0]: 'Strik' is not a card; did you mean 'Strike'?"),
        ({**JAW, "hand": "Strike"}, "hand: must be a list, got 'Strike'"),
        ({**JAW, "energy": 2.5}, "energy: must be an integer, between 0 and 9999, got 2.5"),
        ({**JAW, "health": 90, "max_health": 80}, "health: must be at most max_health 80, got 90"),
        ({**JAW, "statuses": [{"status": "week", "amount": 1}]},
         ("statuses[0].status: must be one of strength, vigor, weak, vulnerable, after image, tolerance, bomb; got 'week'"
          "; did you mean 'weak'?")),
        ({**JAW, "statuses": [{"status": "weak"}]}, "statuses[0].amount: is missing"),
        ({**JAW, "statuses": [{"status": "weak", "amount": 1}] * 2}, "statuses[1]: duplicate status weak"),
        ({**JAW, "game": "chess"}, "game: must be 'spire', got 'chess'"),
        ({**JAW, "pending": {"played": "Strike", "step": 7}}, "pending.step: Strike has no choice in step 7"),
        ({**JAW, "pending": SURVIVOR_CHOICE}, "pending.picked: Survivor has no choice left"),
        ({**JAW, "hand": ["Bash"], "pending": {**SURVIVOR_CHOICE, "picked": [1]}},
         "pending.picked[0]: 1 is not the index of another card"),
        ({**JAW, "library": {"cards": {"X": {}}}}, "library: X: cost: is missing"),
        ({**JAW, "library": {"cards": {"X": {1, 2}}}}, "library: must consist of JSON values"),
        ([], "state: must be an object, got []"),
    ],
)  # fmt: skip
def test_invalid_state_is_rejected_in_one_line(data: Any, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        battle_codec.state_from_json(data)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "action", [Action("play", 3), Action("fighter", 1), Action("fighter", battle_rules.PLAYER), Action("card", 0), END]
)
def test_action_round_trips_through_json_and_text(action: Action) -> None:
    assert battle_codec.action_from_json(battle_codec.action_to_json(action)) == action
    assert battle_codec.action_from_text(battle_codec.action_to_text(action)) == action


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"type": "pley"}, "action.type: must be one of play, fighter, card, end; got 'pley'; did you mean 'play'?"),
        ({"type": "play"}, "action.card: is missing"),
        ({"card": 1}, "action.type: is missing"),
        ({"type": "fighter", "fighter": "me"}, "action.fighter: must be an integer, between 0 and 9999, got 'me'"),
        ({"type": "play", "card": "Strike"}, "action.card: must be an integer, between 0 and 9999, got 'Strike'"),
        ({"type": "end", "card": 1}, "action: unknown field 'card'"),
        ("play", "action: must be an object, got 'play'"),
    ],
)
def test_invalid_action_is_rejected_in_one_line(data: Any, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        battle_codec.action_from_json(data)
    assert str(caught.value) == message
    for text in ("", "play", "play x", "end 3", "dance 1", "play 1 2"):
        with pytest.raises(PlannerError):
            battle_codec.action_from_text(text)


@pytest.mark.parametrize("name", battle_codec.scenario_names())
def test_scenario_round_trips_and_starts(name: str) -> None:
    setup = battle_codec.scenario(name)
    assert battle_codec.setup_from_json(json.loads(json.dumps(battle_codec.setup_to_json(setup)))) == setup
    state = battle_rules.start(setup, Random(1))
    assert (state.health, state.energy, len(state.hand)) == (80, 3, 5)
    assert battle_codec.state_from_json(battle_codec.state_to_json(state)) == state


def test_a_name_that_is_no_text_in_utf_8_is_an_error_of_one_line() -> None:
    for fields in ({"deck": ["\ud800"]}, {"library": {"statuses": {"\ud800": {}}}}):
        data = {"deck": ["Strike"], "enemies": ["Jaw Worm"], "anonymous": True, **fields}
        with pytest.raises(PlannerError) as caught:
            battle_codec.setup_from_json(data)
        assert "\n" not in str(caught.value)


def test_scenarios_have_the_published_decks() -> None:
    decks = {name: sorted(battle_codec.scenario(name).deck) for name in battle_codec.scenario_names()[:5]}
    common = ["Defend"] * 4 + ["Strike"] * 5
    assert decks == {
        "starter": sorted([*common, "Bash"]),
        "batter": sorted([*common, "Batter", "Stimulate"]),
        "tolerate": sorted(["Strike", *["Defend"] * 3, "Tolerate"]),
        "bomb": sorted([*common, "Bomb"]),
        "suffer": sorted([*common, "Suffer"]),
    }


def test_anonymous_scenario_is_the_same_battle_with_other_names() -> None:
    named, anonymous = battle_codec.scenario("starter"), battle_codec.scenario("starter_anonymous")
    assert not set(named.deck) & set(anonymous.deck)
    texts = [[describe_card(setup.library.card(title)) for title in setup.deck] for setup in (named, anonymous)]
    assert [text.replace("vulnerable", anonymous_name("vulnerable")) for text in texts[0]] == texts[1]
    assert not set(named.library.statuses) & set(anonymous.library.statuses)
    rng = Random(3)
    one, other = battle_rules.start(named, Random(7)), battle_rules.start(anonymous, Random(7))
    while legal := battle_rules.legal_actions(one):
        assert battle_rules.legal_actions(other) == legal
        action = rng.choice(legal)
        seed = rng.random()
        one, other = battle_rules.apply(one, action, Random(seed)), battle_rules.apply(other, action, Random(seed))
    assert (one.health, one.turn) == (other.health, other.turn)
    assert battle_rules.outcome(one) == battle_rules.outcome(other)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"scenario": "startr"}, "scenario: 'startr' is not a scenario; did you mean 'starter'?"),
        ({"deck": ["Strike"]}, "setup.enemies: is missing"),
        ({"deck": [], "enemies": ["Goblin"]}, "setup.deck: must have between 1 and 1,000 cards, got 0"),
        ({"deck": ["Strike"], "enemies": ["Gobblin"]},
         ("setup.enemies[0]: must be one of Jaw Worm, Acid Slime, Spike Slime, Goblin, Hobgoblin, Leech; got 'Gobblin'"
          "; did you mean 'Goblin'?")),
        ({"deck": ["Strike"], "enemies": ["Goblin"], "health": 0},
         "setup.health: must be between 1 and 9999, got 0"),
    ],
)  # fmt: skip
def test_invalid_setup_is_rejected_in_one_line(data: Any, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        battle_codec.setup_from_json(data)
    assert str(caught.value) == message


def test_illegal_reason() -> None:
    state = battle_codec.state_from_json({**JAW, "hand": ["Strike", "Bash"], "energy": 1})
    assert battle_rules.illegal_reason(state, Action("play", 1)) == "hand.1: Bash costs 2, but there is only 1 energy"
    assert battle_rules.illegal_reason(state, Action("play", 2)) == "hand.2: there are 2 cards in hand"
    assert battle_rules.illegal_reason(state, Action("fighter", 0)) == "no choice is pending"
    assert battle_rules.illegal_reason(state, 3) == "3 is not an action"
    pending = battle_codec.state_from_json(
        {"enemies": [{"name": "Goblin"}] * 2, "pending": {"played": "Strike", "step": 0}}
    )
    assert battle_rules.illegal_reason(pending, END) == "a choice is pending: Strike: which enemy?"
    assert battle_rules.illegal_reason(pending._replace(health=0), END) == "the battle is over"
