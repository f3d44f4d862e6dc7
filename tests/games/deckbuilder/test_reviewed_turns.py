"""Turns on which reading the code showed a false proof: own games that bend an assumption, and cards of Dominion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest
import yaml

from planner import plan_turn, plan_turns
from planner.games import game as game_named
from planner.games import load_game
from planner.games.deckbuilder import buy_program, rules
from planner.games.deckbuilder.chance_outcomes import without_clean_up
from planner.games.deckbuilder.deck_plan import regret
from planner.games.deckbuilder.deck_turn import buys_are_last, is_turn_over
from planner.games.deckbuilder.table_state import END, YES, Action, State
from planner.solvers.backend import Solution, SolveStatus

GAME = """
title: Small
players: [2, 3]
hand_size: 5
victory: points
ties: fewer_turns
plays_before_buys: true
stats: {actions: 1, buys: 1, coins: 0}
currency: coins
phases: [action, buy, clear]
plays: {action: action, buy: treasure}
starting_deck: {Copper: 7, Estate: 3}
piles:
  - {cards: Copper, count: 20}
  - {cards: Silver, count: 20}
  - {cards: Gold, count: 20}
  - {cards: Estate, count: 8}
  - {cards: Province, count: 8}
ends:
  - {empty: Province, reason: no Provinces left}
cards:
  Copper: {type: treasure, cost: 0, effects: {coins: 1}}
  Silver: {type: treasure, cost: 3, effects: {coins: 2}}
  Gold: {type: treasure, cost: 6, effects: {coins: 3}}
  Idle: {type: action, cost: 9, effects: {actions: 1}}
  Estate: {type: victory, cost: 2, points: 1}
  Province: {type: victory, cost: 8, points: 6}
"""
PEEK = [
    {"actions": 1}, {"top": {"count": 3, "to": "looked"}},
    {"choose": {"from": "looked", "count": 2, "ordered": True, "do": "top"}},
    {"move": {"from": "looked", "to": "discard"}}, {"cards": 1},
]  # fmt: skip


def new_card(name: str, **card: Any) -> dict[str, Any]:
    return {"card": (name, card)}


ONE_PHASE = {
    "phases": ["turn", "clear"],
    "plays": None,
    "plays_before_buys": False,
    "stats": {"actions": 1, "buys": 2, "coins": 0},
}


def new_field(card: str, field: str, value: Any) -> dict[str, Any]:
    return {"field": (card, field, value)}


# Name: (changes of the game, the hand, further fields of the player, the best points).
TURNS: dict[str, tuple[dict[str, Any], list[str], dict[str, Any], int]] = {
    "a treasure that counts the played ones": (
        new_card("Bank", type="treasure", cost=7, effects={"coins": "played"}), ["Bank"] + ["Copper"] * 4, {}, 6,
    ),
    "a treasure that is better kept": (
        new_card("Bad", type="treasure", cost=0, effects=[{"coins": -1}, {"buys": 1}]), ["Bad", "Gold", "Gold", "Silver"], {}, 6,
    ),
    "cards that are put back in an order": (
        new_card("Peek", type="action", cost=2, effects=PEEK), ["Peek", "Copper", "Gold", "Copper"],
        {"top": ["Gold", "Estate", "Province"]}, 6,
    ),
    "an ability while buying": (
        new_card("Coffer", type="treasure", cost=3, persistent=True, effects={"coins": 0}, ability={"do": {"coins": 1}}),
        ["Coffer", "Gold", "Gold", "Copper"], {}, 6,
    ),
    "points with a constant": (
        new_card("Plus", type="victory", cost=4, points="owned + 20 / 10"), ["Gold", "Copper"] + ["Estate"] * 8, {}, 3,
    ),
    "points that count other cards": (
        new_card("Duke", type="victory", cost=4, points="estates")
        | {"counts": {"estates": {"in": ["hand", "deck", "discard", "played"], "card": "Estate"}}},
        ["Gold", "Copper"] + ["Estate"] * 8, {}, 8,
    ),
    "a stat that also pays": (
        new_card("Voucher", type="treasure", cost=3, effects={"power": 6})
        | {"stats": {"actions": 1, "buys": 1, "power": 0, "coins": 0}}
        | new_field("Province", "also", {"currency": "power", "if": "hand >= 0"}), ["Voucher", "Silver"], {}, 6,
    ),
    "a card that may draw what is bought first": (
        new_card("Lab", type="action", cost=5, effects={"cards": 2, "actions": 1}) | ONE_PHASE,
        ["Lab", "Gold", "Gold", "Copper"], {}, 6,
    ),
    "an ability that a played card would spoil": (
        new_card("Rest", type="treasure", cost=5, persistent=True, effects={"coins": 0},
                 ability={"if": "played == 0", "do": {"coins": 5}}),
        ["Idle", "Gold"], {"in_play": ["Rest"]}, 6,
    ),
    "a treasure that a played action would spoil": (
        new_card("Solo", type="treasure", cost=5, effects={"coins": "16 - 8 * played"}) | ONE_PHASE,
        ["Idle", "Solo"], {}, 6,
    ),
    "a reaction to the first trashed card": (
        new_card("Burn", type="action", cost=2, effects=[
            {"when": {"event": "trashed", "once": True, "do": {"coins": "cost"}}}, {"trash": 2},
        ]), ["Burn", "Copper", "Gold", "Silver"], {}, 6,
    ),
    "a reaction to the first treasure": (
        new_card("Tax", type="action", cost=2, effects=[
            {"when": {"event": "played", "type": "treasure", "once": True, "do": {"trash": 1}}}, {"coins": 2},
        ]), ["Tax", "Copper", "Gold", "Gold"], {}, 6,
    ),
}  # fmt: skip


def written(tmp_path: Path, changes: dict[str, Any]) -> str:
    game = yaml.safe_load(GAME)
    if "card" in changes:
        name, card = changes.pop("card")
        game["cards"][name] = card
        game["piles"].append({"cards": name, "count": 8})
    if "field" in changes:
        name, field, value = changes.pop("field")
        game["cards"][name][field] = value
    game = {key: value for key, value in (game | changes).items() if value is not None}
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "small.yaml").write_text(yaml.safe_dump(game, sort_keys=False), encoding="utf-8")
    return str(folder)


def best_score(start: State, score: Callable[[State], float]) -> float:
    """Return the best score over every order of plays, choices and purchases, by the rules."""
    scores, visited, last = [], set(), len(start.match.definition.phases) - 1

    def visit(state: State) -> None:
        over = is_turn_over(state, start.turn)
        if over or (state.prompt is None and state.phase == last):
            scores.append(score(state))
        if over or state in visited:
            return
        visited.add(state)
        for action in rules.legal_actions(state):
            if action != END or state.phase != last:
                visit(without_clean_up(state, action, Random(0)))

    visit(start)
    return max(scores)


@pytest.mark.parametrize("name", TURNS)
def test_own_games_that_bend_an_assumption(name: str, tmp_path: Path) -> None:
    changes, hand, more, points = TURNS[name]
    path = written(tmp_path, dict(changes))
    state = {"game": path, "setup": {"players": 2}, "players": [{"hand": hand, **more}, {"hand": ["Copper"] * 5}]}
    start = load_game(path).state_from_json(state)
    assert best_score(start, lambda end: rules.scores(end)[0] - rules.scores(start)[0]) == points
    plan = plan_turn(state, {"points": 1, "buying_power": 0}, effort=100_000)
    assert (plan.status, plan.objective) == ("optimal", points)


@pytest.mark.parametrize(
    "changes",
    [
        {"ties": "later_seat"},
        {"ends": [{"empty": "Province", "if": "turns >= 10", "reason": "late"}]},
        {"ends": [{"if": "empty_piles >= 1", "reason": "one"}, {"if": "empty_piles >= 3", "reason": "three"}]},
    ],
)
def test_own_rules_for_the_end(changes: dict[str, Any], tmp_path: Path) -> None:
    """The last Province makes 6 points each, and ends the match where the rules say so."""
    path = written(tmp_path, changes)
    game = load_game(path)
    players = [{"hand": ["Gold", "Gold", "Silver"]}, {"hand": ["Province", "Copper"]}]
    state = game.state_to_json(game.state_from_json({"game": path, "setup": {"players": 2}, "players": players}))
    for pile in state["supply"]:
        if pile["pile"] == "Province":
            pile["left"] = 1
    start = game.state_from_json(state)

    def score(end: State) -> float:
        points = rules.scores(end)[0] - rules.scores(start)[0]
        after = rules.after_turn(end)
        result = rules.outcome(after).points[0] if after.ended else 0.5  # type: ignore[union-attr]
        return points + 100 * (result == 1) - 100 * (result == 0)

    plan = plan_turn(state, {"points": 1, "buying_power": 0, "win": 100, "loss": 100}, effort=100_000)
    assert (plan.status, plan.objective) == ("optimal", best_score(start, score))


def test_piles_that_are_counted_in_another_way(tmp_path: Path) -> None:
    """The last of three Coppers empties one of the four piles that end the match: `empty_piles + 3 >= 4`."""
    path = written(tmp_path, {"ends": [{"if": "empty_piles + 3 >= 4", "reason": "one"}]})
    game = load_game(path)
    state = game.state_to_json(game.state_from_json({
        "game": path, "setup": {"players": 2}, "players": [{"hand": ["Gold", "Province"]}, {"hand": ["Copper"]}],
    }))  # fmt: skip
    state["supply"][0]["left"] = 1
    plan = plan_turn(state, {"points": 1, "buying_power": 0, "win": 100}, effort=100_000)
    assert (plan.status, plan.outcome) == ("optimal", "win")


@pytest.mark.parametrize(("condition", "outcome"), [("played >= 1", None), ("hand >= 2", None), ("hand == 1", "win")])
def test_an_end_is_tested_after_the_next_hand_is_drawn(condition: str, outcome: str | None, tmp_path: Path) -> None:
    """Whatever is played in the turn, one card is left for the next hand."""
    path = written(tmp_path, {"ends": [{"if": condition, "reason": "end"}], "hand_size": 1})
    state = {
        "game": path, "setup": {"players": 2},
        "players": [{"hand": ["Copper", "Copper", "Province"]}, {"hand": ["Copper"]}],
    }  # fmt: skip
    load_game(path)
    plan = plan_turn(state, {"points": 1, "buying_power": 0, "win": 100}, effort=100_000)
    assert (plan.status, plan.outcome) == ("optimal", outcome)


def test_choosing_among_the_hand_of_another_player_shows_it(tmp_path: Path) -> None:
    effects = {"each_opponent": {"choose": {"from": "hand", "count": 1, "by": "owner", "do": "discard"}}}
    path = written(tmp_path, new_card("Thumb", type="action", cost=2, effects=effects))
    game = load_game(path)
    hands = [{"hand": ["Thumb", "Gold"], "deck": ["Copper"]}, {"hand": ["Copper", "Gold", "Estate"]}]
    state = game.state_from_json({"game": path, "setup": {"players": 2}, "players": hands})
    state = game.apply(state, Action("play", "Thumb"), Random(1))
    seen = game.observe(state, 0)
    assert seen.players[1].hand == state.players[1].hand
    assert game.observe(state, 1).players[0].hand == (-1,)
    assert game.state_from_json(game.state_to_json(seen)) == seen
    assert plan_turn(state, {"points": 1, "buying_power": 0}, effort=1000).actions[0].type == "choose"


def test_a_game_without_a_number_of_purchases_is_searched(tmp_path: Path) -> None:
    path = written(tmp_path, {"stats": {"actions": 1, "coins": 0}})
    assert not buys_are_last(load_game(path).definition)  # type: ignore[attr-defined]
    assert buys_are_last(load_game("dominion").definition)  # type: ignore[attr-defined]


# -- Dominion

KINGDOM = [
    "Market",
    "Festival",
    "Throne Room",
    "Village",
    "Laboratory",
    "Smithy",
    "Moat",
    "Militia",
    "Gardens",
    "Witch",
]


def dominion(
    hand: str, deck: str = "", *, other: str = "Copper, Copper, Copper, Copper, Copper", **more: Any
) -> dict[str, Any]:
    players = [
        {"hand": hand.split(", "), "deck": [card for card in deck.split(", ") if card], **more},
        {"hand": other.split(", ")},
    ]
    return {"game": "dominion", "setup": {"players": 2, "kingdom": KINGDOM}, "players": players}


def actions(plan: Any) -> list[str]:
    return [f"{action.type} {action.card}".strip() for action in plan.actions]


def test_a_card_that_is_drawn_later_may_want_the_one_in_hand() -> None:
    """Market first: then Throne Room, which it draws, plays Festival twice."""
    plan = plan_turn(
        dominion("Festival, Market, Copper, Copper, Copper", "Throne Room"), "dominion_money", effort=100_000
    )
    assert plan.status == "optimal"
    assert actions(plan)[:3] == ["play Market", "play Throne Room", "choose Festival"]


def test_a_forbidden_card_is_not_played_by_another_one() -> None:
    champion = game_named("dominion").profiles.of("dominion_champion")  # type: ignore[attr-defined]
    weights = replace(champion, forbid=(champion.rules("play", word="Militia"),))
    plan = plan_turn(dominion("Throne Room, Militia, Copper, Copper, Copper"), weights)
    assert "choose Militia" not in actions(plan)


def test_a_hidden_card_that_may_be_played_by_a_choice(tmp_path: Path) -> None:
    """The name of a hidden card is not known, so no rule of a profile forbids it."""
    effects = {"each_opponent": {"choose": {"from": "hand", "at_most": 1, "by": "owner", "do": "play"}}}
    path = written(tmp_path, new_card("Puppet", type="action", cost=2, effects=effects))
    hands = [{"hand": ["Puppet", "Gold"], "deck": ["Copper"]}, {"hand": ["Copper", "Gold"]}]
    game = load_game(path)
    seen = game.observe(game.state_from_json({"game": path, "setup": {"players": 2}, "players": hands}), 0)
    assert plan_turn(seen, {"points": 1, "buying_power": 0}, effort=1000).actions


def test_more_purchases_than_are_listed() -> None:
    state = dominion("Gold, Gold, Gold, Gold, Gold", played=["Festival"] * 5)
    state |= {"stats": {"actions": 6, "buys": 6, "coins": 10}, "phase": "buy"}
    best, *others = plan_turns(state, "dominion_money", k=3)
    assert best.objective == plan_turn(state, "dominion_money").objective
    assert all(other.objective <= best.objective for other in others)
    assert best.explain()


def test_hidden_cards_make_a_regret_an_estimate() -> None:
    """Militia meets a Moat that the player does not see."""
    game = load_game("dominion")
    start = game.state_from_json(dominion("Militia, Copper", other="Moat, Copper, Copper, Copper, Copper"))
    plan = plan_turn(start, "dominion_champion")
    played = [Action("play", "Militia"), YES, Action("end")]
    assert regret(game, start, played, Random(1), plan.weights).estimate is not None


def test_treasures_that_are_not_played_count_as_unused() -> None:
    """One Copper can buy nothing that counts: whether it is played or not, one coin is left."""
    game = load_game("dominion")
    start = game.state_from_json(dominion("Copper"))
    weights = game_named("dominion").profiles.of({"points": 1, "buying_power": 0, "coins_unused": 1})  # type: ignore[attr-defined]
    for played in ([Action("end")], [Action("play", "Copper"), Action("end")]):
        assert regret(game, start, played, Random(1), weights).value == 0


def test_a_program_that_finds_nothing_in_time_buys_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoTime:
        limits: ClassVar[list[float | None]] = []

        def solve(self, _model: Any, time_limit: float) -> Solution:
            self.limits.append(time_limit)
            return Solution(SolveStatus.NO_SOLUTION)

    monkeypatch.setattr(buy_program, "get", lambda _name: NoTime())
    plan = plan_turn(dominion("Gold, Gold, Silver"), "dominion_money", solver="highs", time_limit=5)
    assert (plan.status, plan.bought) == ("feasible", ())  # type: ignore[attr-defined]
    assert NoTime.limits
    assert all(limit is not None and limit <= 5 for limit in NoTime.limits)
