"""The state behind the table page, and the match behind the play page: no browser is needed for these."""

from __future__ import annotations

import json
from random import Random

import pytest

from planner import PlannerError, plan_turn
from planner.arena.match.replay import verify_log
from planner.games.hearthstone import GAME, Attack, MatchSetup
from planner.games.hearthstone.cards.card import HIDDEN
from planner.games.hearthstone.cards.keywords import NAMES, names
from planner.games.hearthstone.rules.actions import Mulligan
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.protocol import answer_request
from planner.service.pages.human_match import HumanMatch
from planner.service.pages.table_editor import (
    EMPTY,
    EXAMPLES,
    FIRST_EXAMPLE,
    ZONES,
    TableEditor,
    read_table,
    search_cards,
)
from planner.service.pages.weight_panel import weights_from_text
from planner.service.standings import replay_game
from tests.games.hearthstone.turn.random_effects import effect_case


def editor(text: str = EXAMPLES[FIRST_EXAMPLE]) -> TableEditor:
    return TableEditor(read_table(text))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_has_a_best_turn(name: str) -> None:
    state = read_table(EXAMPLES[name])
    assert plan_turn(state).status == "optimal"
    assert read_table(GAME.state_to_text(state)) == state


def test_every_keyword_has_an_example() -> None:
    assert {name.replace("_", " ").capitalize() for name in NAMES} <= set(EXAMPLES)


def test_random_changes_are_undone_one_by_one() -> None:
    rng, table = Random(4), editor()
    states = [table.state]
    for _ in range(200):
        zone, other = rng.choice(ZONES), rng.choice(ZONES)
        change = rng.choice(("add", "remove", "copy", "move", "update"))
        try:
            if change == "add":
                table.add(zone, rng.choice(("Chillwind Yeti", "Fireball", "No such card")))
            elif change == "remove":
                table.remove(zone, rng.randrange(4))
            elif change == "copy":
                table.copy(zone, rng.randrange(4))
            elif change == "move":
                table.move(zone, rng.randrange(4), other, rng.randrange(5))
            else:
                table.update(zone, rng.randrange(4), health=rng.randrange(-1, 9))
        except (PlannerError, IndexError):
            assert table.state == states[-1], "an invalid change must change nothing"
        if table.state != states[-1]:
            states.append(table.state)
    assert len(states) > 30
    for state in reversed(states[:-1]):
        table.undo()
        assert table.state == state
    assert not table.can_undo
    for state in states[1:]:
        table.redo()
        assert table.state == state


def test_a_new_change_clears_the_redo_list() -> None:
    table = editor()
    table.remove("me.board", 0)
    table.undo()
    table.remove("me.board", 1)
    assert not table.can_redo


def test_cards_keep_their_numbers_when_they_change_zones() -> None:
    table = editor("5 mana | me 20hp: Own 4/4 taunt | hand: Fireball, Made (3) 2/5 rush | enemy 9hp")
    table.move("me.hand", 1, "me.board", 0)
    assert [(m.card.name, m.attack, m.health) for m in table.state.me.board] == [("Made", 2, 5), ("Own", 4, 4)]
    with pytest.raises(PlannerError, match="Fireball is a spell"):
        table.move("me.hand", 0, "me.board", 0)
    table.move("me.board", 1, "me.hand", 0)
    assert [(card.card.name, card.cost) for card in table.state.me.hand] == [("Own", 0), ("Fireball", 4)]


def test_a_custom_card_has_no_unknown_effects() -> None:
    table = editor("5 mana | me 20hp | enemy 9hp: 2/3")
    table.add_custom("me.board", "<b>Guard</b>", 0, 4, 3, ["taunt", "frozen"])
    table.add_custom("me.hand", "Runner", 2, 3, 1, ["rush"])
    table.add_custom("me.hand", "Runner", 3, 5, 1, [])
    plan = plan_turn(table.state)
    assert (plan.status, plan.ignored) == ("optimal", ())
    (guard,) = table.state.me.board
    assert (guard.card.name, guard.attack, names(guard.keywords)) == ("<b>Guard</b>", 4, ["taunt", "frozen"])
    assert [(card.cost, card.card.attack) for card in table.state.me.hand] == [(2, 3), (3, 5)]
    assert read_table(GAME.state_to_text(table.state)) == table.state
    table.move("me.hand", 0, "me.board", 0)
    assert table.state.me.board[0].attack == 3
    with pytest.raises(PlannerError):
        table.add_custom("me.board", "Missing", 0, 1, 0, [])


def test_cards_are_found_by_a_part_of_their_name() -> None:
    assert [card.name for card in search_cards("chillwind y", ("minion",))] == ["Chillwind Yeti"]
    assert all(card.type == "minion" for card in search_cards("", ("minion",)))
    assert search_cards("<script>", ("minion", "spell", "weapon")) == []


@pytest.mark.parametrize("text", ["", "  ", "{", "[]", "nonsense", '{"mana": 1}', "1 mana | me 0hp | enemy 3hp"])
def test_an_invalid_state_is_an_error_of_one_line(text: str) -> None:
    with pytest.raises(PlannerError) as refused:
        read_table(text)
    assert "\n" not in str(refused.value)


def test_a_state_may_name_its_game() -> None:
    assert read_table(json.dumps({"game": "hearthstone", **EMPTY})) == read_table(json.dumps(EMPTY))
    with pytest.raises(PlannerError, match="the table does not support spire"):
        read_table('{"game": "spire", "enemies": [{"name": "Goblin"}]}')
    with pytest.raises(PlannerError, match="game: must be one of"):
        read_table('{"game": "chess"}')


def test_weights_in_a_link() -> None:
    assert weights_from_text("aggro_face") == Weights.of("aggro_face")
    assert weights_from_text("lethal:20,own_health:1.5").terms()["own_health"] == 1.5
    for text in ("missing", "../aggro_face.yaml", "lethal:x", "lethal:nan", "no_such_term:3", "lethal:1e99", ":"):
        with pytest.raises(PlannerError):
            weights_from_text(text)


def test_steps_and_ending_add_up_to_the_score() -> None:
    for seed in range(40):
        state, weights = effect_case(seed)
        if weights.forbid or weights.require:
            continue
        plan = answer_request({"state": GAME.state_to_json(state), "weights": weights.terms(), "steps": True})
        earned = sum(sum(step["earned"].values()) for step in plan["steps"]) + sum(plan["ending"].values())
        assert earned == pytest.approx(plan["objective"]), seed
        assert [step["action"] for step in plan["steps"]] == plan["actions"]
        for step in plan["steps"]:
            GAME.state_from_json(step["state"])


def test_only_listed_tournaments_are_replayed() -> None:
    for folder in ("/tmp", "../results/thesis", "."):
        with pytest.raises(PlannerError, match="no such results"):
            replay_game(folder, 1)


# -- a match of a person


def test_cards_that_the_opponent_replaces_stay_hidden() -> None:
    match = HumanMatch(GAME, MatchSetup.of("mage", "warrior"), 1, "random", 5)
    replaced = tuple(card.id for card in match.state.me.hand[:2])
    assert match.act(Mulligan(replaced)) == "replaces 2 cards"
    mine = match.state.me.hand[0]
    assert mine.card.name in match.act(Mulligan((mine.id,)))


def test_a_match_follows_the_rules_and_becomes_a_log() -> None:
    match = HumanMatch(GAME, MatchSetup.of("mage", "warrior"), 1, "random", 5)
    rng = Random(1)
    while match.outcome is None and len(match.record().turns) < 12:
        view = match.view()
        assert view.seat == 1
        assert all(card.card is HIDDEN for card in view.enemy.hand), "the opponent's hand stays hidden"
        match.act(rng.choice(list(GAME.legal_actions(match.state))))
    with pytest.raises(PlannerError):
        match.act(Attack("missing", "enemy.hero"))
    log = json.loads(json.dumps(match.record().to_dict()))
    assert log["agents"] == ["random", "you"]
    assert verify_log(log).problem is None
