"""The table behind the page, and what the pages ask the workers for: no browser is needed for these."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import pytest
from planner.service.pages.examples import EXAMPLES, FIRST
from planner.service.pages.sitting import Sitting
from planner.service.pages.sketch import EMPTY, ZONES, Sketch, matching, read
from planner.service.pages.weighing import weights_from_text
from planner.service.pages.work import answer

from planner import PlannerError, plan_turn, play_match
from planner.arena.match.replay import verify_log
from planner.games.hearthstone import GAME, Attack, MatchSetup
from planner.games.hearthstone.cards.card import HIDDEN
from planner.games.hearthstone.cards.keywords import NAMES, names
from planner.games.hearthstone.rules.actions import Mulligan
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.spire.scenario_files import scenario
from tests.games.hearthstone.turn.random_texts import text_case

SECONDS = 5.0


def sketch(text: str = EXAMPLES[FIRST]) -> Sketch:
    return Sketch(read(text))


def ask(do: str, **about: Any) -> Any:
    """As a worker answers: through JSON, both ways."""
    return json.loads(json.dumps(answer(json.loads(json.dumps({"do": do, **about})), SECONDS)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_tables_with_a_turn(name: str) -> None:
    state = read(EXAMPLES[name])
    assert plan_turn(state).status == "optimal"
    assert read(GAME.state_to_text(state)) == state


def test_there_is_an_example_for_each_keyword() -> None:
    assert {name.replace("_", " ").capitalize() for name in NAMES} <= set(EXAMPLES)


def test_random_changes_are_undone_one_by_one() -> None:
    rng, table = Random(4), sketch()
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
            assert table.state == states[-1], "a refused change must change nothing"
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


def test_a_new_change_ends_what_could_be_redone() -> None:
    table = sketch()
    table.remove("me.board", 0)
    table.undo()
    table.remove("me.board", 1)
    assert not table.can_redo


def test_cards_keep_what_they_are_from_zone_to_zone() -> None:
    table = sketch("5 mana | me 20hp: Own 4/4 taunt | hand: Fireball, Made (3) 2/5 rush | enemy 9hp")
    table.move("me.hand", 1, "me.board", 0)
    assert [(m.card.name, m.attack, m.health) for m in table.state.me.board] == [("Made", 2, 5), ("Own", 4, 4)]
    with pytest.raises(PlannerError, match="Fireball is a spell"):
        table.move("me.hand", 0, "me.board", 0)
    table.move("me.board", 1, "me.hand", 0)
    assert [(held.card.name, held.cost) for held in table.state.me.hand] == [("Own", 0), ("Fireball", 4)]


def test_a_card_that_is_made_up_is_all_that_it_says() -> None:
    table = sketch("5 mana | me 20hp | enemy 9hp: 2/3")
    table.make_up("me.board", "<b>Guard</b>", 0, 4, 3, ["taunt", "frozen"])
    table.make_up("me.hand", "Runner", 2, 3, 1, ["rush"])
    table.make_up("me.hand", "Runner", 3, 5, 1, [])
    plan = plan_turn(table.state)
    assert (plan.status, plan.ignored) == ("optimal", ())
    (guard,) = table.state.me.board
    assert (guard.card.name, guard.attack, names(guard.keywords)) == ("<b>Guard</b>", 4, ["taunt", "frozen"])
    assert [(held.cost, held.card.attack) for held in table.state.me.hand] == [(2, 3), (3, 5)]
    assert read(GAME.state_to_text(table.state)) == table.state
    table.move("me.hand", 0, "me.board", 0)
    assert table.state.me.board[0].attack == 3
    with pytest.raises(PlannerError):
        table.make_up("me.board", "Nobody", 0, 1, 0, [])


def test_parts_of_names() -> None:
    assert [card.name for card in matching("chillwind y", ("minion",))] == ["Chillwind Yeti"]
    assert all(card.type == "minion" for card in matching("", ("minion",)))
    assert matching("<script>", ("minion", "spell", "weapon")) == []


@pytest.mark.parametrize("text", ["", "  ", "{", "[]", "nonsense", '{"mana": 1}', "1 mana | me 0hp | enemy 3hp"])
def test_what_is_no_table_is_refused(text: str) -> None:
    with pytest.raises(PlannerError) as refused:
        read(text)
    assert "\n" not in str(refused.value)


def test_a_state_says_of_which_game_it_is() -> None:
    assert read(json.dumps({"game": "hearthstone", **EMPTY})) == read(json.dumps(EMPTY))
    with pytest.raises(PlannerError, match="this is a state of spire, which has no table here"):
        read('{"game": "spire", "enemies": [{"name": "Goblin"}]}')
    with pytest.raises(PlannerError, match="game: 'chess' is not one of"):
        read('{"game": "chess"}')


def test_weights_in_a_link() -> None:
    assert weights_from_text("aggro_face") == Weights.of("aggro_face")
    assert weights_from_text("lethal:20,own_health:1.5").terms()["own_health"] == 1.5
    for text in ("nobody", "../aggro_face.yaml", "lethal:x", "lethal:nan", "no_such_term:3", "lethal:1e99", ":"):
        with pytest.raises(PlannerError):
            weights_from_text(text)


# -- what workers do for pages


def test_steps_and_their_end_earn_what_the_plan_is_worth() -> None:
    for seed in range(40):
        state, weights = text_case(seed)
        if weights.forbid or weights.require:
            continue
        found = ask("look", state=GAME.state_to_json(state), weights=weights.terms(), without=[])
        earned = sum(sum(step["earned"].values()) for step in found["steps"]) + sum(found["ending"].values())
        assert earned == pytest.approx(found["plan"]["objective"]), seed
        assert [step["action"] for step in found["steps"]] == found["plan"]["actions"]
        for step in found["steps"]:
            GAME.state_from_json(step["state"])


def test_what_is_ruled_out_is_not_done() -> None:
    state = GAME.state_to_json(read(EXAMPLES[FIRST]))
    first = ask("look", state=state, weights="aggro_face", without=[])["plan"]
    banned = first["actions"][:2]
    other = ask("look", state=state, weights="aggro_face", without=banned)["plan"]
    assert not [action for action in other["actions"] if action in banned]
    more = ask("others", state=state, weights="aggro_face", without=[])
    assert len(more["losses"]) == len(first["actions"])
    assert more["losses"][0] == first["objective"] - ask(
        "look", state=state, weights="aggro_face", without=first["actions"][:1]
    )["plan"]["objective"]  # fmt: skip


def test_nobody_names_a_file_or_a_module() -> None:
    state = copy.deepcopy(EMPTY)
    for weights in ("weights/aggro_face.yaml", "/etc/passwd", "os:system"):
        with pytest.raises(PlannerError, match="is not a profile"):
            ask("look", state=state, weights=weights, without=[])
    for agent in ("os:system", "weights/aggro_face.yaml", "../x"):
        with pytest.raises(PlannerError, match="is not an agent"):
            ask("decide", of="hearthstone", agent=agent, seed=1, state=state)
    for folder in ("/tmp", "../results/thesis", "."):
        with pytest.raises(PlannerError, match="no such results"):
            ask("rerun", folder=folder, number=1)


def test_a_match_is_opened_and_judged() -> None:
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
    record = play_match(("true_balanced", "random"), setup, 3, digests=True)
    text = json.dumps(record.to_dict())
    match = ask("open_log", text=text)
    assert match["problem"] is None
    assert len(match["frames"]) == 1 + sum(turn["moves"] for turn in match["turns"])
    turns = [place for place, turn in enumerate(match["turns"]) if turn["number"]]
    judged = ask("judge", text=text, turns=turns, weights="true_balanced")["turns"]
    assert sorted(map(int, judged)) == turns
    assert all(found["regret"] == 0 for place, found in judged.items() if match["turns"][int(place)]["seat"] == 0)


def test_a_battle_is_opened_and_judged() -> None:
    for agent in ("spire_careful", "random"):
        record = play_match((agent,), scenario("starter"), 3, "spire", digests=True)
        match = ask("open_log", text=json.dumps(record.to_dict()))
        assert (match["profile"], "spire_careful" in match["profiles"]) == ("spire_balanced", True)
        turns = [place for place, turn in enumerate(match["turns"]) if turn["whole"]]
        judged = ask("judge", text=match["log"], turns=turns, weights="spire_careful")["turns"]
        assert sorted(map(int, judged)) == turns
        assert all(found["regret"] == 0 for found in judged.values()) == (agent == "spire_careful")
    with pytest.raises(PlannerError, match="is not a profile"):
        ask("judge", text=match["log"], turns=turns, weights="aggro_face")


def test_what_comes_behind_a_lie_is_not_judged() -> None:
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
    log = play_match(("greedy", "random"), setup, 3, digests=True).to_dict()
    log["turns"][4]["moves"][0]["action"] = {"type": "attack", "attacker": "nobody", "target": "enemy.hero"}
    match = ask("open_log", text=json.dumps(log))
    whole = [place for place, turn in enumerate(match["turns"]) if turn["whole"]]
    assert whole == [0, 1, 2, 3]
    assert len(ask("judge", text=match["log"], turns=whole, weights="true_balanced")["turns"]) >= 3


def test_a_log_that_lies_is_opened_up_to_the_lie() -> None:
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
    log = play_match(("greedy", "random"), setup, 3, digests=True).to_dict()
    log["turns"][4]["moves"][0]["digest"] = "0" * 16
    match = ask("open_log", text=json.dumps(log))
    assert "expected state" in match["problem"]
    assert len(match["frames"]) == 1 + sum(turn["moves"] for turn in match["turns"][:4])


def test_what_the_other_one_puts_back_stays_covered() -> None:
    sitting = Sitting(GAME, MatchSetup.of("mage", "warrior"), 1, "random", 5)
    away = tuple(held.id for held in sitting.state.me.hand[:2])
    assert sitting.act(Mulligan(away)) == "puts 2 cards back"
    mine = sitting.state.me.hand[0]
    assert sitting.act(Mulligan((mine.id,))) == f"puts {mine.card.name} back"


def test_a_sitting_keeps_to_the_rules_and_leaves_a_log() -> None:
    setup = MatchSetup.of("mage", "warrior")
    sitting = Sitting(GAME, setup, 1, "random", 5)
    chance = Random(1)
    while sitting.outcome is None and len(sitting.record().turns) < 12:
        view = sitting.view()
        assert view.seat == 1
        assert all(held.card is HIDDEN for held in view.enemy.hand), "the other hand stays covered"
        sitting.act(chance.choice(list(GAME.legal_actions(sitting.state))))
    with pytest.raises(PlannerError):
        sitting.act(Attack("nobody", "enemy.hero"))
    log = json.loads(json.dumps(sitting.record().to_dict()))
    assert log["agents"] == ["random", "you"]
    assert verify_log(log).problem is None
