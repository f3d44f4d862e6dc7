"""Generated cards, and playtests of cards."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from planner.agents.agent_spec import agent_spec
from planner.arena.tournament.version_comparison import playtest
from planner.cli import main
from planner.games import game
from planner.games.spire import battle_rules
from planner.games.spire.battle_codec import scenario
from planner.games.spire.battle_text import describe_card
from planner.games.spire.built_in_words import BUILT_IN
from planner.games.spire.card_generator import card_ranges, generate_cards, range_at
from planner.games.spire.card_library import library_with, load_library
from tests.arena.tournaments import left_behind

CARDS = """cards:
  Hammer: {cost: 0, type: attack, does: [{do: attack, amount: 30, to: all enemies}]}
  Curse: {cost: 0, type: skill, does: [{do: damage, amount: 25, to: self}]}
"""


def test_seed_determines_the_generated_cards() -> None:
    assert generate_cards(20, 1, library_with()) == generate_cards(20, 1, library_with())
    assert generate_cards(20, 1, library_with()) != generate_cards(20, 2, library_with())
    assert len(generate_cards(20, 1, library_with())["cards"]) == 20


def test_generated_cards_are_valid_and_within_the_ranges() -> None:
    limits = card_ranges(library_with())
    verbs, shapes = set(), set()
    for seed in range(30):
        data = generate_cards(20, seed, library_with())
        library = library_with(data)
        for name in data["cards"]:
            card = library.card(name)
            assert describe_card(card)
            assert card.cost in limits.costs
            shapes.add("and" if any(len(step.operations) > 1 for step in card.program) else "single")
            better = card if card.next is None else card.next
            gained = []
            for step, upgraded in zip(card.program, better.program, strict=True):
                for (verb, arguments, _), other in zip(step.operations, upgraded.operations, strict=True):
                    verbs.add(verb.name)
                    if verb.name == "energy":
                        gained += [arguments["amount"], other.arguments["amount"]]
                    status = arguments.get("status")
                    ranges = limits.statuses[status.name] if status else limits.amounts.get(verb.name)
                    if ranges is None:
                        continue
                    low, high = range_at(ranges, card.cost)
                    hits = arguments.get("hits", 1)
                    assert (low if hits == 1 else 1) <= arguments["amount"]
                    assert arguments["amount"] * hits <= high
            assert len(gained) <= 2  # one gain, and the same one after an upgrade
            assert all(gain <= max(card.cost, min(card.cost + 1, 2)) for gain in gained)
    assert verbs == set(BUILT_IN.verbs) - {"damage"}
    assert shapes == {"and", "single"}


@pytest.mark.parametrize("seed", range(5))
def test_battles_with_generated_cards_end(seed: int) -> None:
    rng, setup = Random(seed), scenario("starter")
    library = library_with(generate_cards(20, seed, library_with()))
    for name in library.custom["cards"]:
        setup = battle_rules.with_card(setup, name, library)
    state = battle_rules.start(setup, rng)
    while legal := battle_rules.legal_actions(state):
        state = battle_rules.apply(state, legal[int(rng.random() * len(legal))], rng)
    assert battle_rules.outcome(state) is not None


def test_playtest_separates_a_good_card_from_a_bad_one(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(CARDS, encoding="utf-8")
    library, spire = load_library(path), game("spire")
    specs = [agent_spec(name, spire) for name in ("random", "spire_aggressive")]
    for name in ("starter", "starter_anonymous"):
        setup = scenario(name)
        good = next(playtest(spire, setup, [battle_rules.with_card(setup, "Hammer", library)], specs, 40, 1))
        bad = next(playtest(spire, setup, [battle_rules.with_card(setup, "Curse", library)], specs, 40, 1))
        assert all(effect.change["health"].low > 0 for effect in good)
        assert bad[0].change["health"].high < 0  # the random agent plays the curse
        assert abs(bad[1].change["health"].estimate) < 3  # the planner does not, but the curse replaces a card in hand
        again = next(playtest(spire, setup, [battle_rules.with_card(setup, "Hammer", library)], specs, 40, 1))
        assert again == good


def test_generate_and_playtest_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new.yaml"
    assert main(["generate", "--game", "spire", "--count", "3", "--seed", "1", "--out", str(path)]) == 0
    assert len(load_library(path).custom["cards"]) == 3
    assert main(["generate", "--count", "3", "--seed", "1"]) == 0
    assert capsys.readouterr().out == path.read_text(encoding="utf-8")
    assert main(["playtest", str(path), "--games", "5", "--agents", "random,spire_careful"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("spire_careful") == 4  # for each card, and over all cards
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generate", "--game", "chess"], "error: 'chess' is not a game"),
        (["generate", "--game", "hearthstone"], "error: --game: must be spire or an extension of it such as ./thorns.py, got 'hearthstone'"),
        (["playtest", "none.yaml"], "error: none.yaml: no such file"),
        (["playtest", "x.yaml"], "error: x.yaml:5: Zap: does: attack needs a target, such as to: chosen enemy"),
        (["playtest", "y.yaml"], "error: y.yaml: contains no cards"),
        (["playtest", "x.yaml", "--scenario", "startr"],
         "error: scenario: 'startr' is not a scenario; did you mean 'starter'?"),
    ],
)  # fmt: skip
def test_invalid_arguments_are_rejected_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.yaml").write_text(
        "cards:\n  Zap:\n    cost: 1\n    type: attack\n    does: [{do: attack, amount: 1}]\n", encoding="utf-8"
    )
    Path("y.yaml").write_text("cards: {}\n", encoding="utf-8")
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(message)


def test_ranges_grow_with_the_cost() -> None:
    ranges = card_ranges(library_with())
    assert ranges.amounts["block"] == {1: (5, 8)}  # without Impervious, which exhausts itself
    assert range_at(ranges.amounts["block"], 0) == (2, 4)  # without a card of this cost: in proportion to cost + 1
    assert range_at(ranges.amounts["block"], 3) == (10, 16)
    assert ranges.amounts["attack"] == {0: (6, 6), 1: (6, 15), 2: (8, 12)}  # without the 0 of Batter
    assert range_at(ranges.amounts["attack"], 2) == (8, 15)  # no less than for 1 energy
    assert [range_at(ranges.amounts["energy"], cost) for cost in range(5)] == [(1, 1), (1, 2), (1, 2), (1, 3), (1, 4)]
    assert range_at(ranges.amounts["draw"], 1) == (2, 2)


def test_playtest_of_several_cards_shows_verdicts_and_agents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cards.yaml").write_text(CARDS, encoding="utf-8")
    out = tmp_path / "playtest.csv"
    assert (
        main(["playtest", str(tmp_path / "cards.yaml"), "--agents", "random,first", "--games", "30", "--out", str(out)])
        == 0
    )
    shown = capsys.readouterr().out
    assert "too strong: Hammer" in shown
    assert "dead: Curse" in shown
    assert "clearly better" in shown
    rows = [line.split(",") for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row[:3] for row in rows[1:]] == [
        ["Hammer", "too strong", "random"], ["Hammer", "too strong", "first"],
        ["Curse", "dead", "random"], ["Curse", "dead", "first"],
    ]  # fmt: skip
    assert all(len(row) == len(rows[0]) for row in rows)


def test_playtest_with_agents_of_a_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("class Own:\n    name = 'own'\n    def decide(self, state): raise ValueError")
    (tmp_path / "bot.py").write_text(
        "import json\nwhile True: print(json.dumps(json.loads(input())['legal'][-1]), flush=True)"
    )
    spire, mark = game("spire"), f"MARK={tmp_path}"
    specs = [agent_spec(name, spire) for name in ("own:Own", f"cmd:env '{mark}' {sys.executable} bot.py")]
    setup = scenario("starter")
    changes = next(playtest(spire, setup, [setup], specs, 2, 1))
    assert [change.change["health"].estimate for change in changes] == [0, 0]
    assert left_behind(mark) == []


def test_added_definitions_do_not_hide_those_of_the_game(tmp_path: Path) -> None:
    path = tmp_path / "hammer.yaml"
    path.write_text("cards:\n  Hammer: {cost: 0, type: skill, does: [{do: draw, amount: 1}]}\n", encoding="utf-8")
    library = game("spire").with_cards([path]).library(generate_cards(2, 1, library_with()))  # type: ignore[attr-defined]
    assert library.card("Hammer").cost == 0
    assert len(library.custom["cards"]) == 3
