"""Plans in own games whose rules no game of the package has, against a search of every sequence of actions."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from planner.games.deckbuilder import rules
from planner.games.deckbuilder.chance_outcomes import without_clean_up
from planner.games.deckbuilder.table_state import Action, State
from planner.planning.plan import Plan, PlanOptions
from tests.games.deckbuilder.small_games import SMALL, load

SCHOLAR = "Scholar: {type: action, cost: 2, effects: {cards: 2}}"
TWO_BUYS = SMALL.replace("buys: 1", "buys: 2").replace("phases:", "plays_before_buys: true\nphases:")


def own_game(folder: Path, text: str, hand: str, functions: str | None = None, **fields: Any) -> tuple[Any, State]:
    """Load a game, and a state in which the first player has this hand."""
    found = load(folder / "own", text, functions)
    players = [{"hand": hand.split(), "deck": ["Coin"] * 3, **fields}, {"hand": ["Coin"] * 3, "deck": ["Coin"] * 3}]
    return found, found.state_from_json({"game": str(folder / "own"), "players": players})


def best_plan(found: Any, state: State, weights: dict[str, int]) -> Plan[State, Action]:
    plan: Plan[State, Action] = next(found.plans(state, {"points": 1, "buying_power": 0, **weights}, PlanOptions()))
    return plan


def most_points(state: State) -> int:
    """Return the most points that the turn can add, by every sequence of legal actions without chance."""
    best, seen, stack = -1000, {state}, [state]
    while stack:
        now = stack.pop()
        if now.ended or (now.phase >= len(now.match.definition.phases) and now.prompt is None):
            best = max(best, rules.scores(now)[0])
            continue
        following = {without_clean_up(now, action, Random(0)) for action in rules.legal_actions(now)} - seen
        seen |= following
        stack += following
    return best - rules.scores(state)[0]


def test_reaction_to_a_purchase_pays_for_the_next(tmp_path: Path) -> None:
    merchant = "Scholar: {type: action, cost: 2, effects: {when: {event: gained, do: {coins: 3}}}}"
    found, state = own_game(tmp_path, TWO_BUYS.replace(SCHOLAR, merchant), "Scholar Coin Coin Coin")
    plan = best_plan(found, state, {})
    assert (plan.status, plan.objective) == ("optimal", 2)
    assert Action("play", "Scholar") in plan.actions
    assert plan.objective == most_points(state)


def test_reaction_to_the_end_of_the_turn_counts(tmp_path: Path) -> None:
    monk = (
        "Scholar: {type: treasure, cost: 2, persistent: true, "
        "on: {event: turn_ends, do: {if: hand >= 2, then: {may: pray, then: {points: 2}}}}}"
    )
    found, state = own_game(tmp_path, SMALL.replace(SCHOLAR, monk), "Scholar Coin Coin Coin")
    plan = best_plan(found, state, {})
    assert (plan.status, plan.objective) == ("optimal", 2)
    assert plan.actions[-2:] == (Action("end"), Action("yes"))
    assert plan.objective == most_points(state)
    weights = {"points": 1, "buying_power": 0}
    assert found.regret(state, plan.actions, Random(1), weights).value == 0
    assert found.regret(state, [*plan.actions[:-1], Action("no")], Random(1), weights).value == 2


def test_card_in_two_piles(tmp_path: Path) -> None:
    other = "  - {name: Other, cards: Field, count: 1}\n"
    text = TWO_BUYS.replace("  - Scholar\n", f"  - Scholar\n{other}").replace("{2: 6, 3: 9}", "{2: 1, 3: 9}")
    found, state = own_game(tmp_path, text, " ".join(["Coin"] * 6))
    plan = best_plan(found, state, {"exposure": 1, "points_denied": 1, "piles_emptied": 1})
    assert (plan.status, plan.terms["points"], plan.terms["piles_emptied"]) == ("optimal", 2, 2)


def test_function_sees_in_which_order_cards_were_discarded(tmp_path: Path) -> None:
    two = "Scholar: {type: action, cost: 2, effects: [{discard: 2}, {call: look}]}"
    function = (
        "def look(game, player, chosen):\n    game.points(player, 3 * (game.zone(player, 'discard')[-1] == 'Coin'))\n"
    )
    found, state = own_game(tmp_path, SMALL.replace(SCHOLAR, two), "Scholar Coin Field Scholar", function)
    plan = best_plan(found, state, {})
    assert (plan.status, plan.objective) == ("optimal", 3)
    assert plan.objective == most_points(state)


def test_choice_that_has_begun_goes_on_with_any_card(tmp_path: Path) -> None:
    field, trash = (
        "Field: {type: victory, cost: 3, points: 1}",
        "Scholar: {type: action, cost: 2, effects: {trash: [0, 2]}}",
    )
    text = SMALL.replace(SCHOLAR, trash).replace(field, field.replace("1}", "-1}"))
    found, state = own_game(tmp_path, text, "Scholar Field Field Scholar")
    for action in (Action("play", "Scholar"), Action("choose", "Scholar", "hand")):
        assert action in found.legal_actions(state)
        state = found.apply(state, action, Random(0))
    plan = best_plan(found, state, {})
    assert (plan.status, plan.objective, plan.actions[0]) == ("optimal", 1, Action("choose", "Field", "hand"))
    assert plan.objective == most_points(state)


def test_match_that_ends_after_the_clean_up(tmp_path: Path) -> None:
    function = "def game_over(game):\n    return game.count(0, 'discard') >= 4\n"
    found, state = own_game(tmp_path, SMALL, "Coin Coin Field", function)
    plan = best_plan(found, state, {"win": 10, "loss": 10})
    assert (plan.outcome, plan.terms["win"], plan.actions[-1]) == ("win", 10, Action("buy", "Coin"))
    state = found.apply(found.apply(state, Action("end"), Random(0)), Action("buy", "Coin"), Random(0))
    assert found.outcome(found.apply(state, Action("end"), Random(0))).reason == "the end of the game"


def test_match_that_the_next_hand_ends(tmp_path: Path) -> None:
    text = SMALL.replace("ends:\n", "counts: {held: {in: hand, card: Field}}\nends:\n  - {if: held >= 1}\n")
    found, state = own_game(tmp_path, text, "Coin Coin Field", deck=["Coin", "Coin", "Coin", "Field"])
    plan = best_plan(found, state, {"win": 10})
    assert (plan.status, plan.stopped) == ("feasible", "chance limit")
    assert best_plan(found, state, {}).status == "optimal"


def test_play_that_ends_the_match_is_not_obvious(tmp_path: Path) -> None:
    text = SMALL.replace(SCHOLAR, SCHOLAR.replace("cards: 2", "actions: 1, coins: 1"))
    text = text.replace("ends:\n", "ends:\n  - {if: coins >= 1, reason: rich}\n")
    found, state = own_game(tmp_path, text, "Scholar")
    rich = state._replace(players=(state.players[0], state.players[1]._replace(points=1)))
    plan = best_plan(found, rich, {"loss": 10})
    assert (plan.status, plan.objective) == ("optimal", 0)
