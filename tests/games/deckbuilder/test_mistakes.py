"""Mistakes in the files of a game: each error names the file, the line, the value and what would be right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs
import pytest

from planner.errors import PlannerError
from planner.formats.documents import load_yaml
from planner.formats.values import Fields
from planner.game import AnyGame
from planner.games import game, load_game
from planner.games.deckbuilder import rules
from planner.games.deckbuilder.definition_reader import LIBRARY, read_definition
from planner.games.deckbuilder.game_files import describe_game, game_schema
from planner.games.deckbuilder.menu_bots import read_menu
from planner.games.deckbuilder.table_state import Action, State
from tests.games.deckbuilder.small_games import SMALL, load, write_game


def change(old: str, new: str) -> str:
    assert old in SMALL
    return SMALL.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", ":1: a game is a mapping with title, players"),
        (change("title: Small\n", ""), ":1: title: is missing"),
        (SMALL + "tilte: x\n", ":17: unknown field 'tilte'; did you mean 'title'?"),
        (change("[2, 3]", "[3, 2]"), ":2: players: must be [least, most] between 2 and 8, got [3, 2]"),
        (change("hand_size: 3", "hand_size: many"), ":3: hand_size: unknown quantity 'many'"),
        (change("hand_size: 3", "hand_size: -5"), ":3: hand_size: must be at least 1, got -5"),
        (change("hand_size: 3", "hand_size: 3 +"), ":3: hand_size: must be a sum such as 'cost + 2'"),
        (change("phases: [action, buy, clear]", "phases: [action, buy]"), ":5: phases: must be a list of different phases"),
        (change("{Coin: 6,", "{Coyn: 6,"), ":6: unknown card 'Coyn'; did you mean 'Coin'?"),
        (change("count: 20", "count: -1"), ":8: count: must be between 0 and 1000, got -1"),
        (change("count: 20", "count: 0"), ":8: cards: a pile needs at least one card"),
        (change("{cards: Coin, count: 20}", "{cards: {}}"), ":8: cards: a pile needs at least one card"),
        (change("{2: 6, 3: 9}", "{2: 0, 3: 9}"), ":9: cards: a pile needs at least one card for every number of players"),
        (change("{2: 6, 3: 9}", "{2: 6}"), ":9: count: must have a number for 2, 3 players"),
        (change("  - Scholar\n", "  - Skolar\n"), ":10: unknown card 'Skolar'; did you mean 'Scholar'?"),
        (change("  - Scholar\n", "  - Coin\n"), "two piles have the name 'Coin'"),
        (change("empty: Field", "empty: Feild"), ":12: empty: unknown pile 'Feild'; did you mean 'Field'?"),
        (
            change("cost: 3, points", "cost: 9 - cheap, points") + "counts: {cheap: {in: hand, up_to: 4}}\n",
            ":17: cheap: the count depends on itself",
        ),
        (SMALL + "counts: {all: {in: hand, up_to: all}}\n", ":17: all: the count depends on itself"),
        (change("{cards: 2}", "{crads: 2}"), ":16: unknown word 'crads' in an effect; did you mean 'cards'?"),
        (change("{cards: 2}", "{cards: [1]}"), ":16: cards: must be an integer or a text"),
        (change("{cards: 2}", "{choose: {from: hnad, do: trash}}"), ":16: from: must be one of hand, deck, discard"),
        (change("{cards: 2}", "{choose: {from: hand, do: burn}}"), ":16: do: must be one of trash, discard, hand"),
        (change("{cards: 2}", "{choose: {form: hand}}"), ":16: unknown field 'form'; did you mean 'from'?"),
        (change("{cards: 2}", "{move: {from: hand}}"), ":16: to: is missing"),
        (change("{cards: 2}", "{gain: {type: tresure}}"), ":16: type: no card has the type 'tresure'; did you mean 'treasure'?"),
        (change("{cards: 2}", "{if: hand, then: {cards: 1}}"), ":16: if: must be a comparison such as 'hand < 7', got 'hand'"),
        (change("{cards: 2}", "{cards: 2, trash: 1}"), ":16: a step has one word"),
        (change("{cards: 2}", "{call: shuffle_all}"), ":16: call: unknown function 'shuffle_all'; the game has no `functions` file with a"),
        (change("{cards: 2}", "{run: nothing}"), ":16: run: unknown effect 'nothing'"),
        (change("{cards: 2}", "{when: {event: plaid, do: {cards: 1}}}"), ":16: event: must be one of played, gained"),
        (change("{cards: 2}", "[]").replace("type: action, ", ""), ":16: type: is missing"),
        (SMALL + "effects: {one: {run: two}, two: {run: one}}\n", ":17: one: the effect runs itself without a condition"),
        (change("cost: 2,", "cost: two,"), ":16: cost: unknown quantity 'two'"),
        (change("{actions: 1, buys: 1, coins: 0}", "{}"), ":4: stats: a game needs at least one"),
        (change("type: action,", "type: [],"), ":16: type: must not be an empty list"),
        (SMALL + "first_hands: []\n", ":17: first_hands: must not be an empty list"),
        (SMALL + '  "a\\nb": {type: treasure}\n', ":17: 'a\\nb' cannot be the name of a card: it must be one line"),
        (SMALL + "plays: {by: action}\n", ":17: plays: must name phases (action, buy), got 'by'"),
        (change("cost: 2,", "cost: -4,"), ":16: cost: must be at least 0, got -4"),
        (change("{cards: 2}", "{trash: [3, 1]}"), ":16: trash: must be [least, most], got [3, 1]"),
        (change("{cards: 2}", "{gain: {from: row}}"), ":16: from: the game has no row; `centre` defines one"),
        (SMALL + "kingdom: {count: 1, piles: []}\n", ":17: piles: must have at least one pile"),
        (SMALL + "functions: ../evil.py\n", ":17: functions: must be the name of a .py file beside this one"),
        (SMALL + "functions: own.py\n", "own.py: no such file"),
        (SMALL + "victory: health\n", ":17: health: is missing"),
        (SMALL + "counts: {hand: {in: hand}}\n", ":17: 'hand' cannot be the name of a count"),
        (SMALL + "kingdom: {count: 2, piles: [Coin]}\n", ":17: count: must be between 1 and 1, got 2"),
    ],
)  # fmt: skip
def test_mistake_has_file_line_and_what_would_be_right(tmp_path: Path, text: str, message: str) -> None:
    path = write_game(tmp_path / "small", text)
    with pytest.raises(PlannerError) as caught:
        read_definition(path)
    problem = caught.value.problems[0]
    assert message in problem
    assert "small" in problem
    assert "\n" not in problem


def test_all_mistakes_are_found_at_once(tmp_path: Path) -> None:
    text = change("{cards: 2}", "{crads: 2}").replace("empty: Field", "empty: Feild").replace("count: 20", "count: x")
    with pytest.raises(PlannerError) as caught:
        read_definition(write_game(tmp_path / "small", text))
    assert len(caught.value.problems) == 3


def test_a_mistake_does_not_cause_others(tmp_path: Path) -> None:
    text = change("count: 20", "count: x").replace("players: [2, 3]", "players: [2, three]")
    with pytest.raises(PlannerError) as caught:
        read_definition(write_game(tmp_path / "small", text))
    assert [problem.rpartition("small.yaml:")[2].split(": ")[1] for problem in caught.value.problems] == [
        "players", "count",
    ]  # fmt: skip


def test_mistake_that_concerns_all_cards_is_listed_once(tmp_path: Path) -> None:
    with pytest.raises(PlannerError) as caught:
        read_definition(write_game(tmp_path / "small", SMALL + "currency: coinz\n"))
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("buy: []\n", "bot.yaml:1: buy: must have at least one line"),
        ("buy: [Platinum]\n", "bot.yaml:1: buy: unknown card 'Platinum'"),
        ("buy:\n  - Gold if\n", "bot.yaml:2: buy: unknown card 'Gold if'; did you mean 'Gold'?"),
        ("buy:\n  - Gold if mony > 3\n", "bot.yaml:2: buy: 'mony' is not a number or quantity; did you mean 'money'?"),
        ("buy:\n  - Gold if own(Smiti) > 3\n", "bot.yaml:2: buy: unknown card 'Smiti'; did you mean 'Smithy'?"),
        ("buy:\n  - Gold if money > 3 / 0\n", "bot.yaml:2: buy: '3 / 0' divides by 0"),
        ("buy: [Gold]\nsell: [Gold]\n", "bot.yaml:2: unknown field 'sell'"),
    ],
)
def test_mistakes_in_a_bot(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlannerError) as caught:
        read_menu(path, load_game("dominion").definition)  # type: ignore[attr-defined]
    assert message in str(caught.value)


# -- function files


def play_out(game: AnyGame, limit: int = 200) -> State:
    rng = Random(1)
    state: State = game.start(game.setup_from_words([]), rng)
    for _ in range(limit):
        if state.ended:
            break
        plays = [action for action in game.legal_actions(state) if action.type == "play"]
        actions = plays or game.legal_actions(state)
        state = game.apply(state, actions[int(rng.random() * len(actions))], rng)
    return state


OWN = "def own(game, player, chosen):\n    "
CALL = change("{cards: 2}", "{call: own}").replace("starting_deck: {Coin: 6, Field: 1}", "starting_deck: {Scholar: 3}")


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ("def own(game, player, chosen):\n    raise RuntimeError('oh no')\n", "own.py:2: own: RuntimeError: oh no"),
        ("def own(game, player, chosen):\n    while True:\n        pass\n", "own.py: own does not return within"),
        ("def own(game, player, chosen):\n    game.ask(player, 'hand', 9, 9, 'x')\n", "own.py:2: own: asks for 9 to 9 of "),
        ("def own(game, player, chosen):\n    game.ask(player, 'hands', 0, 1, 'x')\n", "own.py:2: own: unknown zone 'hands'"),
        ("def own(game, player, chosen):\n    game.ask(7, 'supply', 0, 1, 'x')\n", "own.py:2: own: player must be between 0 and 1, got 7"),
        ("def own(game, player, chosen):\n    game.gain(player, 'Gold')\n", "own.py:2: own: unknown card 'Gold'"),
        ("def own(game, player, chosen):\n    game.move(player, 'Field', 'hand', 'trash')\n", "own.py:2: own: Field is not in hand"),
        ("def own(game, player, chosen):\n    game.ask(player, 'supply', 0, 1, 'x', then='nothing')\n", "own.py:2: own: unknown function 'nothing'"),
        ("import nothing_of_this_name\ndef own(game, player, chosen):\n    pass\n", "own.py:1: own: ModuleNotFoundError"),
        ("def own(game):\n    pass\n", "own.py: own: TypeError"),
        (OWN + "try:\n        while True:\n            pass\n    except:\n        pass\n", "own.py: own does not return within"),
        (OWN + "while True:\n        try:\n            while True:\n                pass\n        except BaseException:\n            pass\n", "own.py: own does not return within"),
        (OWN + "try:\n        raise ValueError\n    finally:\n        while True:\n            pass\n", "own.py: own does not return within"),
        ("import contextlib\n" + OWN + "while True:\n        with contextlib.suppress(BaseException):\n            while True:\n                pass\n", "own.py: own does not return within"),
        (OWN + "return 'x'\n", "own.py: own: must return True, False or nothing, got 'x'"),
        (OWN + "yield 1\n", "own.py: own: must not use yield or async"),
        (OWN + "pass\ndef game_over(game):\n    return 'no'\n", "game_over: must return True, False or nothing, got 'no'"),
        (OWN + "game.ask(player, 'hand', 'a', 'b', 'x')\n", "own.py:2: own: asks for a to b of "),
        (OWN + "game.memo = None\n    game.ask_yes(player, 'x')\n", "own.py:3: own: memo must be a dictionary, got null"),
        (OWN + "game.question = 5\n    game.health(9)\n", "own.py:3: own: player must be between 0 and 1, got 9"),
        (OWN + "game.remember(5, 1)\n", "own.py:2: own: remember: the name must be a text, got 5"),
        (OWN + "game.draw(-1)\n", "own.py:2: own: player must be between 0 and 1, got -1"),
        (OWN + "game.run(player, 'x')\n", "own.py:2: own: unknown effect 'x'"),
        (OWN + "game.play(player, 'Field')\n", "own.py:2: own: Field is not in hand of player "),
        ("def own(game, player, chosen):\n    raise SystemExit(3)\n", "own.py:2: own: SystemExit: 3"),
    ],
)  # fmt: skip
def test_function_that_fails_ends_the_match_and_names_its_file(tmp_path: Path, functions: str, message: str) -> None:
    game = load(tmp_path / "small", CALL, functions)
    end = game.outcome(play_out(game))
    assert end is not None
    assert end.points == (0.5, 0.5)
    assert end.reason.startswith("error: ")
    assert message in end.reason


def test_effect_without_an_end_ends_the_match(tmp_path: Path) -> None:
    text = change("{cards: 2}", "{run: again}") + "effects: {again: {if: hand >= 0, then: {run: again}}}\n"
    game = load(tmp_path / "small", text.replace("{Coin: 6, Field: 1}", "{Scholar: 3}"))
    end = game.outcome(play_out(game))
    assert end is not None
    assert "does not end within" in end.reason


def test_syntax_error_of_a_function_file_has_a_line(tmp_path: Path) -> None:
    with pytest.raises(PlannerError, match=r"own.py:2: "):
        load(tmp_path / "small", CALL, "def own(game, player, chosen):\n    return (\n")


def test_start_does_not_import_the_function_file(tmp_path: Path) -> None:
    game = load(tmp_path / "small", CALL, "raise SystemExit('imported')\ndef own(game, player, chosen):\n    pass\n")
    assert not game.start(game.setup_from_words([]), Random(1)).ended


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ("import nothing_of_this_name\n" + OWN + "pass\n", "own.py:1: ModuleNotFoundError: No module named"),
        ("raise SystemExit(3)\n" + OWN + "pass\n", "own.py:1: SystemExit: 3"),
        ("while True:\n    pass\n" + OWN + "pass\n", "import does not return within 200,000 lines"),
        ("\ndef own(game):\n    pass\n", "own.py:2: own: must be a function of (game, player, chosen), got (game)"),
        (OWN + "pass\nown = 5\n", "own.py:1: own: must be a function of (game, player, chosen), got 5"),
        (OWN + "pass\ndel own\n", "own.py:1: own: must be a function of (game, player, chosen), got null"),
        (OWN + "pass\ndef game_over():\n    pass\n", "own.py:3: game_over: must be a function of (game), got ()"),
    ],
)
def test_check_imports_the_function_file(tmp_path: Path, functions: str, message: str) -> None:
    path = write_game(tmp_path / "small", CALL, functions)
    with pytest.raises(PlannerError) as caught:
        describe_game(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_functions_that_no_card_calls_may_have_any_parameters(tmp_path: Path) -> None:
    path = write_game(tmp_path / "small", CALL, "def own(*arguments):\n    pass\ndef helper(number):\n    pass\n")
    assert "functions: own, helper" in describe_game(path)


def test_function_may_choose_react_and_remember(tmp_path: Path) -> None:
    functions = """
def own(game, player, chosen):
    if chosen is None:
        game.listen("gained", "reward")
        game.ask(player, ["hand", "discard"], 0, 2, "discard up to two cards", then="second")
        return
def second(game, player, chosen):
    game.memo["number"] = len(chosen)
    for card in chosen:
        game.move(player, card, "hand", "discard")
    if not game.ask_yes(player, "draw instead", then="third"):
        raise ValueError
def third(game, player, chosen):
    if chosen:
        game.draw(player, game.memo["number"])
def reward(game, player, chosen):
    game.add("coins", 5)
    return True
def game_over(game):
    return game.empty_piles() > 0
"""
    game, rng = load(tmp_path / "small", CALL.replace("buys: 1", "buys: 2"), functions), Random(1)
    state = game.start(game.setup_from_words([]), rng)
    state = game.apply(state, game.legal_actions(state)[0], rng)
    assert json.loads(json.dumps(game.state_to_json(state)))["prompt"]["message"] == "discard up to two cards"
    assert game.state_from_json(game.state_to_json(state)) == state
    state = game.apply(state, game.action_from_text("choose Scholar hand"), rng)
    state = game.apply(state, game.action_from_text("done"), rng)
    assert rules.legal_actions(state) == (("yes", "", ""), ("no", "", ""))
    state = game.apply(state, game.action_from_text("yes"), rng)
    assert len(state.players[0].hand) == 2
    state = game.apply(state, game.action_from_text("buy Coin"), rng)
    assert (state.stats[2], state.listeners) == (5, ())  # the reaction has happened once and is used up


@pytest.mark.parametrize("shuffled", ["true", "false"])
def test_card_that_is_given_back_lies_on_the_others_of_its_pile(tmp_path: Path, shuffled: str) -> None:
    pile = f"{{name: Both, shuffled: {shuffled}, cards: {{Field: 2, Scholar: 2}}}}"
    text = CALL.replace("- {cards: Field, count: {2: 6, 3: 9}}\n  - Scholar", f"- {pile}").replace(
        "empty: Field", "empty: Both"
    )
    found = load(
        tmp_path / "small", text, "def own(game, player, chosen):\n    game.give_back(player, 'Scholar', 'hand')\n"
    )
    state = found.start(found.setup_from_words([]), Random(1))
    before = [*state.below[1], state.tops[1]]
    state = found.apply(state, found.legal_actions(state)[0], Random(1))
    scholar = found.definition.ids["Scholar"]  # type: ignore[attr-defined]
    assert (state.tops[1], state.left[1]) == (scholar, 5)
    assert sorted(state.below[1]) == sorted(before)


def test_hanging_function_does_not_stop_a_tournament(tmp_path: Path) -> None:
    load(tmp_path / "small", CALL, "def own(game, player, chosen):\n    while True:\n        pass\n")
    text = "game: ./small\nname: t\ngames: 2\nagents: [random, {name: other, agent: random}]\n"
    (tmp_path / "t.yaml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", "from planner.cli import main; main()", "tournament", "t.yaml", "--workers", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


# -- schemas


@pytest.mark.parametrize("name", ["dominion", "ascension", "caveman"])
def test_schema_accepts_the_shipped_games(name: str) -> None:
    schema = game_schema()
    jsonschema_rs.meta.validate(schema)
    document = json.loads(json.dumps(load_yaml(LIBRARY / name / f"{name}.yaml")))
    assert list(jsonschema_rs.validator_for(schema).iter_errors(document)) == []


@pytest.mark.parametrize("wrong", ["hand_sise: 3", "victory: money", "cards: {Coin: {typ: treasure}}", "piles: 3"])
def test_schema_finds_wrong_names_and_types(wrong: str) -> None:
    import yaml

    document = yaml.safe_load(SMALL) | yaml.safe_load(wrong)
    assert not jsonschema_rs.validator_for(game_schema()).is_valid(json.loads(json.dumps(document)))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"phase": "clear"}, "phase: 'clear' needs a prompt"),
        ({"game": "chess"}, "game: must be 'dominion', got 'chess'"),
        ({"game": ["x"]}, "game: must be 'dominion'"),
        ({"listeners": [{"event": "played", "block": 0, "position": 0, "player": 0}]}, r"listeners\[0\].position: "),
        ({"listeners": [{"event": "played", "block": -1, "position": 0, "player": 0}]}, r"listeners\[0\].position: "),
        ({"frames": [{"block": -1, "position": 0, "player": 0, "owner": 0}]}, r"frames\[0\].block: the game has no"),
        ({"frames": [{"block": 0, "position": 0, "player": 0, "owner": 0, "memo": "{}"}]}, r"frames\[0\].memo: "),
        (
            {"listeners": [{"event": "played", "block": 0, "position": 0, "player": 0, "memo": "[" * 100_000}]},
            r"listeners\[0\].memo: must be the text of a JSON object",
        ),
        (
            {
                "frames": [{"block": 0, "position": 0, "player": 0, "owner": 0}],
                "prompt": {"seat": 0, "kind": "yes", "low": 0, "high": 0},
            },
            "prompt.kind: the last of frames asks for ",
        ),
    ],
)
def test_mistake_in_a_state_is_one_line(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(PlannerError, match=message) as caught:
        game("dominion").state_from_json({"players": [{"hand": ["Copper"]}, {}], **fields})
    assert "\n" not in str(caught.value)


def test_actions_of_wrong_types_are_illegal() -> None:
    found = game("dominion")
    state = found.state_from_json({"players": [{"hand": ["Copper"]}, {}]})
    for wrong in (Action("play", 5), Action("play", ["x"]), Action(5), 5, None):  # type: ignore[arg-type]
        reason = found.illegal_reason(state, wrong)
        assert reason is not None
        assert "is not legal now" in reason
    with pytest.raises(PlannerError, match=r"action\.card: unknown card"):
        found.action_from_json({"type": "play", "card": ["x"]})


def test_turns_of_players_follow_the_turn_of_the_match() -> None:
    state = game("dominion").state_from_json({"players": [{}, {}, {}], "turn": 5, "active": 1})
    assert [player.turns for player in state.players] == [2, 2, 1]


@pytest.mark.parametrize("players", ["two", "2.5", "5", "true"])
def test_number_of_players_of_an_experiment_is_checked(tmp_path: Path, players: str) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(f"players: {players}\n", encoding="utf-8")
    with pytest.raises(PlannerError, match=r"experiment.yaml:1: players: must be "):
        game("dominion").setups_from_file(Fields.of_file(path, "an experiment", ""))  # type: ignore[attr-defined]


@pytest.mark.parametrize("word", ["random:²", "random:x", "random:-1"])
def test_seed_of_a_random_kingdom_is_checked(word: str) -> None:
    with pytest.raises(PlannerError, match="setup: must be such as random:7"):
        game("dominion").setup_from_words([word])


@pytest.mark.parametrize("kingdom", [5, 0, False, {}, ["Copper"] * 10, ["Market"] * 10, [["Market"]], {"Market": 1}])
def test_mistake_in_a_kingdom_is_one_line(kingdom: Any) -> None:
    with pytest.raises(PlannerError, match="kingdom: "):
        game("dominion").setup_from_json({"kingdom": kingdom})
