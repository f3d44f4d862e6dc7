"""The menu bots: their results against each other, and the compiled loop against the rules in Python."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from planner.games import game
from planner.games.deckbuilder import rules
from planner.games.deckbuilder.bot_games import compile_games, play_in_python
from planner.games.deckbuilder.codec import make_setup
from planner.games.deckbuilder.definition_reader import read_definition
from planner.games.deckbuilder.menu_bots import Menu, MenuBot, menu_files, read_menu
from planner.games.deckbuilder.observation import observe
from tests.games.deckbuilder.scenarios import Scenario
from tests.games.deckbuilder.small_games import SMALL, write_game

DEFINITION = game("dominion").definition  # type: ignore[attr-defined]
KINGDOM = (
    "Council Room", "Festival", "Moat", "Village", "Workshop", "Militia", "Gardens", "Smithy", "Laboratory", "Witch",
)  # fmt: skip
SETUP = make_setup(DEFINITION, 2, KINGDOM)
BOTS = ("bigmoney", "bigmoney_ultimate", "bigmoney_smithy", "bigmoney_witch", "bigmoney_militia", "workshop_gardens")

# Wins of the first, wins of the second and ties in percent, measured with a public simulator whose bots these are.
MEASURED = {
    ("bigmoney_ultimate", "bigmoney"): (82, 15, 3),
    ("bigmoney_smithy", "bigmoney"): (93, 5, 1),
    ("bigmoney_smithy", "bigmoney_ultimate"): (71, 23, 6),
    ("bigmoney_witch", "bigmoney_ultimate"): (94, 5, 1),
    ("bigmoney_witch", "bigmoney_smithy"): (84, 14, 2),
    ("bigmoney_militia", "bigmoney_ultimate"): (69, 25, 6),
    ("bigmoney_militia", "bigmoney_smithy"): (32, 62, 6),
    ("workshop_gardens", "bigmoney_ultimate"): (97, 3, 0),
    ("workshop_gardens", "bigmoney_smithy"): (83, 16, 1),
    ("workshop_gardens", "bigmoney_witch"): (84, 12, 4),
}


def menu(name: str) -> Menu:
    return read_menu(menu_files(DEFINITION.path.parent)[name], DEFINITION)


PAIRS = [*((one, BOTS[(i + 1) % len(BOTS)]) for i, one in enumerate(BOTS)), ("bigmoney_witch", "workshop_gardens")]


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_compiled_games_are_those_of_the_python_rules(pair: tuple[str, str]) -> None:
    menus = [menu(name) for name in pair]
    play = compile_games(DEFINITION, SETUP, menus)
    if play is None:
        pytest.skip("the engine is not compiled")
    seeds = range(30 if "workshop_gardens" in pair else 12)  # many of these end with three empty piles
    assert [tuple(result) for result in play(seeds)] == [
        play_in_python(DEFINITION, SETUP, menus, seed) for seed in seeds
    ]


def test_all_supported_cards_agree_in_both_languages(tmp_path: object) -> None:
    """A bot that buys one card after the other meets actions that draw, give buys, protect and attack."""
    lines = [f"{card} if own({card}) < 2" for card in ("Laboratory", "Village", *KINGDOM) if card != "Gardens"]
    path = tmp_path / "all.yaml"  # type: ignore[operator]
    path.write_text("buy:\n" + "".join(f"  - {line}\n" for line in ("Province", *lines, "Silver")), encoding="utf-8")
    menus = [read_menu(path, DEFINITION), menu("bigmoney_militia")]
    play = compile_games(DEFINITION, SETUP, menus)
    if play is None:
        pytest.skip("the engine is not compiled")
    assert [tuple(result) for result in play(range(25))] == [
        play_in_python(DEFINITION, SETUP, menus, seed) for seed in range(25)
    ]


def test_other_cards_are_left_to_the_python_rules() -> None:
    setup = make_setup(DEFINITION, 2, "Deck Top")
    assert compile_games(DEFINITION, setup, [menu("bigmoney"), menu("bigmoney")]) is None
    caveman = game("caveman").definition  # type: ignore[attr-defined]
    own = read_menu(menu_files(caveman.path.parent)["clubs"], caveman)
    assert compile_games(caveman, make_setup(caveman, 2), [own, own]) is None


@pytest.mark.parametrize("pair", MEASURED, ids="-".join)
def test_bots_play_as_strong_as_measured_elsewhere(pair: tuple[str, str]) -> None:
    """2,000 games, both seats: wins, losses and ties within 4 percentage points."""
    menus = [menu(name) for name in pair]
    first, second = compile_games(DEFINITION, SETUP, menus), compile_games(DEFINITION, SETUP, menus[::-1])
    if first is None or second is None:
        pytest.skip("the engine is not compiled")
    results: Counter[int] = Counter()
    for sign, games in ((1, first(range(1000))), (-1, second(range(1000, 2000)))):
        for one, two, turns_one, turns_two in games:
            keys = (one, -turns_one), (two, -turns_two)
            results[sign * ((keys[0] > keys[1]) - (keys[0] < keys[1]))] += 1
    for result, measured in zip((1, -1, 0), MEASURED[pair], strict=True):
        assert abs(results[result] / 20 - measured) <= 4, results


def decisions_of_a_turn(bot: MenuBot, table: Scenario) -> list[str]:
    """Return the cards that a bot buys and chooses in the turn of the first seat."""
    cards = []
    while table.state.active == 0 and not table.state.ended:
        action = bot.decide(observe(table.state, 0))
        table.state = rules.apply(table.state, action, table.rng)
        cards += [action.card] if action.type in ("buy", "choose") else []
    return cards


@pytest.mark.parametrize(("points", "bought"), [(6, "Province"), (5, "Gold")])
def test_bot_does_not_end_a_match_that_it_loses(points: int, bought: str) -> None:
    """The last Province makes 12 or 11 points, against 12 of an opponent with as many turns."""
    table = Scenario(
        "dominion", {"hand": "Gold*3", "turns": 9, "points": points}, {"hand": "Copper*5", "turns": 9, "points": 12},
        kingdom="First Game", left={"Province": 1},
    )  # fmt: skip
    assert decisions_of_a_turn(MenuBot(menu("bigmoney"), DEFINITION), table) == [bought]


def test_bot_does_not_gain_the_last_card_of_a_third_pile_when_it_loses() -> None:
    table = Scenario(
        "dominion", {"hand": "Workshop"}, {"hand": "Copper*5", "points": 12}, kingdom=KINGDOM,
        left={"Curse": 0, "Duchy": 0, "Workshop": 1},
    )  # fmt: skip
    assert decisions_of_a_turn(MenuBot(menu("workshop_gardens"), DEFINITION), table) == ["Estate", "Copper"]


@pytest.mark.parametrize(
    ("card", "pile", "bought"),
    [
        ("{type: victory, cost: 0, on_gain: {points: 5}}", "count: 1", "Barn"),
        ("{type: victory, cost: 0, kept: false, effects: {points: 5}}", "count: 1", "Barn"),
        ("{type: victory, cost: 0, points: 1}", "count: 1, permanent: true", "Barn"),
        ("{type: victory, cost: 0, points: 1}", "count: 1", "Coin"),
    ],
)
def test_bot_refuses_a_last_card_only_if_it_empties_the_pile_and_loses(
    tmp_path: Path, card: str, pile: str, bought: str
) -> None:
    text = SMALL.replace("  - Scholar\n", f"  - {{cards: Barn, {pile}}}\n") + f"  Barn: {card}\n"
    definition = read_definition(
        write_game(tmp_path / "small", text.replace("{empty: Field,", "{if: empty_piles >= 1,"))
    )
    (tmp_path / "barn.yaml").write_text("title: Barn\nbuy: [Barn, Coin]\n", encoding="utf-8")
    bot = MenuBot(read_menu(tmp_path / "barn.yaml", definition), definition)
    state = rules.start(definition, make_setup(definition, 2), Random(1))
    state = state._replace(players=(state.players[0], state.players[1]._replace(points=3)))
    bought_cards = []
    while state.active == 0 and not state.ended:
        action = bot.decide(observe(state, 0))
        state = rules.apply(state, action, Random(1))
        bought_cards += [action.card] if action.type == "buy" else []
    assert bought_cards == [bought]


def test_conditions_do_not_count_cards_that_are_already_picked() -> None:
    """With four Coppers, `Copper if money > 2` trashes two of them at once, not four."""
    table = Scenario("dominion", {"hand": "Chapel, Copper*4"}, {"hand": "Copper*5"}, kingdom="Big Money")
    bot = MenuBot(menu("chapel_engine"), DEFINITION)
    table.do("play Chapel")
    while table.state.prompt is not None:
        table.state = rules.apply(table.state, bot.decide(observe(table.state, 0)), table.rng)
    table.is_in("trash", "Copper*2")


@pytest.mark.parametrize(("hand", "played"), [("Chapel, Estate", "Chapel"), ("Chapel, Copper*2", "Militia")])
def test_bot_plays_a_card_that_only_trashes_where_there_is_junk(hand: str, played: str) -> None:
    """With little money a Copper is kept, so that Chapel would do nothing and Militia is played instead."""
    table = Scenario("dominion", {"hand": f"{hand}, Militia"}, {"hand": "Copper*5"}, kingdom=("Chapel", *KINGDOM[1:]))
    action = MenuBot(menu("chapel_engine"), DEFINITION).decide(observe(table.state, 0))
    assert action == ("play", played, "")
