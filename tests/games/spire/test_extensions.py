"""Extensions: the file of the documentation passes the tests of all battles; mistakes are reported; nothing else runs."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planner import plan_turn
from planner.cli import main
from planner.errors import PlannerError
from planner.games import load_game
from planner.games.spire import battle_rules
from planner.games.spire.battle_planner import TERM_SIGNS, BattleWeights
from planner.games.spire.battle_state import Battle
from planner.games.spire.battle_text import describe_card
from planner.games.spire.spire_game import Spire
from planner.planning.plan import PlanOptions
from tests.games.spire.battles import act, amounts, end, play, titles
from tests.games.spire.naive_turn import best

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "battles.md"
# Words that look at the order of the hand, one of each kind; none of them declares that it ignores the order.
ORDERED = """
from planner.games.spire.extensions import Extension

words = Extension()

@words.verb("throw first", text="discard your first card and deal {amount} times its cost to {target}")
def throw_first(battle, source, target, amount):
    if battle.hand:
        card = battle.hand.pop(0)
        battle.discard.append(card)
        battle.attack(source, [target], amount * card.cost, 1)

@words.condition("last is attack", "your last card is an attack")
def last_is_attack(battle, source):
    return bool(battle.hand) and battle.hand[-1].type == "attack"

words.define(cards={
    "Throw": {"cost": 0, "type": "skill", "does": [{"do": "throw first", "amount": 3, "to": "chosen enemy"}]},
    "Finish": {"cost": 1, "type": "skill", "does": [
        {"do": "block", "amount": 8, "to": "self", "if": "last is attack"}, {"do": "draw", "amount": 2}]},
})
"""
EVERY_KIND = """
from planner.games.spire.extensions import Extension

words = Extension()
words.verb("nod", text="nod")(lambda battle, source: None)
words.target("nearest enemy")(lambda battle, source: battle.living_enemies()[:1])
words.group("left enemy", "left enemies")(lambda battle, source: battle.living_enemies()[:1])
words.group("new card in hand", "new cards in hand", pile="hand")(lambda battle, source, card: True)
words.condition("card is new", "your first card is new")(lambda battle, source: True)
words.function("leftmost")(lambda battle, owner, active, value: value)
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Spire]:
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "words.py") -> Spire:
        (tmp_path / name).write_text(text, encoding="utf-8")
        game = load_game(f"./{name}")
        assert isinstance(game, Spire)
        return game

    return write


def documented() -> str:
    text = PAGE.read_text(encoding="utf-8")
    block = re.search(r"```python\n(# thorns\.py\n.*?)```", text, re.DOTALL)
    assert block is not None
    return block[1]


@pytest.fixture
def thorns(write: Callable[[str, str], Spire]) -> Spire:
    return write(documented(), "thorns.py")


def random_state(game: Spire, rng: Random, cards: list[str], enemies: list[str], hand: int = 4) -> Battle:
    """Return a turn in the middle of a battle, with cards of the extension and of the game."""
    titles = [*cards, *cards, "Strike", "Defend", "Bash+"]
    statuses = [{"status": name, "amount": rng.randint(1, 3)} for name in ("cursed", "bloodlust", "strength", "weak")]
    library = game.setup_from_words(["starter"]).library
    known = [entry for entry in statuses if entry["status"] in library.statuses]
    return game.state_from_json({
        "health": rng.randint(3, 60), "energy": rng.randint(1, 4), "block": rng.choice((0, 4)),
        "statuses": rng.sample(known, rng.choice((0, 1, 2))),
        "hand": [rng.choice(titles) for _ in range(rng.randint(1, hand))],
        "draw": [rng.choice(titles) for _ in range(rng.randint(0, 2))],
        "enemies": [
            {"name": rng.choice(enemies), "health": rng.randint(1, 12), "statuses": rng.sample(known, rng.choice((0, 1)))}
            for _ in range(rng.randint(1, 3))
        ],
    })  # fmt: skip


def check_plan(game: Spire, state: Battle, rng: Random) -> None:
    weights = BattleWeights.of({term: rng.choice((0, 0, 1, 2, 7, -1)) for term in TERM_SIGNS})
    if rng.random() < 0.3:
        weights = BattleWeights.of("spire_balanced")
    if game.outcome(state) is not None:
        return
    plan = next(game.plans(state, weights, PlanOptions()))
    exact = {term: Fraction(str(weight)) for term, weight in weights.terms().items()}
    assert plan.status == "optimal"
    assert plan.objective == pytest.approx(float(best(state, exact))), game.state_to_text(state)


def test_plans_equal_exhaustive_search_on_200_states(thorns: Spire) -> None:
    for seed in range(200):
        rng = Random(seed)
        check_plan(thorns, random_state(thorns, rng, ["Bite", "Curse", "Bloodlust", "Bite+"], ["Bat", "Goblin"]), rng)


def test_plans_with_words_that_read_the_order_equal_exhaustive_search(write: Callable[[str], Spire]) -> None:
    game = write(ORDERED)
    for seed in range(40):
        rng = Random(seed)
        state = random_state(game, rng, ["Throw", "Finish"][seed % 2 :], ["Goblin"], 2)
        check_plan(game, state._replace(energy=min(state.energy, 2), enemies=state.enemies[:1]), rng)


def test_order_of_drawn_cards_counts_by_expectation(write: Callable[[str], Spire]) -> None:
    state = write(ORDERED).state_from_json({
        "hand": ["Finish", "Finish"], "draw": ["Strike", "Defend"], "energy": 2,
        "enemies": [{"name": "Jaw Worm", "move": "Bellow"}],
    })  # fmt: skip
    plan = plan_turn(state, {"block_kept": 1})
    assert (plan.objective, plan.reveals) == ((8 + 5) / 2, 0)  # Finish again if Strike was drawn last, else Defend


@pytest.mark.parametrize(
    ("action", "ignores"),
    [
        ({"do": "draw", "amount": 1}, True),
        ({"do": "nod"}, False),
        ({"do": "block", "amount": 1, "to": "nearest enemy"}, False),
        ({"do": "block", "amount": 1, "to": "all left enemies"}, False),
        ({"do": "discard", "to": "chosen new card in hand"}, False),
        ({"do": "draw", "amount": 1, "if": "card is new"}, False),
    ],
)
def test_unknown_words_are_taken_to_read_the_order(
    write: Callable[[str], Spire], action: dict[str, Any], ignores: bool
) -> None:
    game = write(EVERY_KIND)
    card = {"Test": {"cost": 0, "type": "skill", "does": [action]}}
    setup = {"deck": ["Strike"], "enemies": ["Goblin"], "library": {"cards": card}}
    assert game.setup_from_json(setup).library.ignores_hand_order == ignores
    status = {"good": True, "stacking": "add", "on": [{"event": "turn_start", "call": "leftmost"}]}
    assert not game.setup_from_json({**setup, "library": {"statuses": {"odd": status}}}).library.ignores_hand_order


def test_cards_that_stay_keep_their_order_when_others_leave(write: Callable[[str], Spire]) -> None:
    game = write("""
from planner.games.spire.extensions import Extension
words = Extension()

@words.verb("sort out", text="discard the attacks of {card}")
def sort_out(battle, source, card):
    if card.card.type == "attack":
        card.goes_to = "discard"

does = [{"do": "sort out", "to": "all cards in hand"}]
words.define(cards={"Sort": {"cost": 0, "type": "skill", "does": does}})
""")
    hand = ["Defend", "Strike", "Bomb", "Sort", "Bash", "Armaments", "Survivor"]
    after = play(game.state_from_json({"hand": hand, "enemies": [{"name": "Goblin"}]}), "Sort")
    assert (titles(after.hand), titles(after.discard)) == (
        ["Defend", "Bomb", "Armaments", "Survivor"],
        ["Strike", "Bash", "Sort"],
    )


def test_states_survive_json_text_and_pickle(thorns: Spire) -> None:
    rng = Random(4)
    for number in range(10):
        state = thorns.start(thorns.setup_from_words(["crypt" if number % 2 else "crypt_anonymous"]), rng)
        while thorns.outcome(state) is None:
            data = json.loads(json.dumps(thorns.state_to_json(state)))
            assert data["game"] == "./thorns.py"
            assert thorns.state_from_json(data) == state
            assert thorns.state_from_text(thorns.state_to_text(state)) == state
            assert thorns.show(state)
            action = rng.choice(thorns.legal_actions(state))
            assert thorns.describe_action(state, action)
            state = thorns.apply(state, action, rng)
        assert pickle.loads(pickle.dumps(state)) == state
    setup = thorns.setup_from_words(["crypt"])
    assert pickle.loads(pickle.dumps(setup)).library is setup.library
    assert thorns.setup_from_json(json.loads(json.dumps(thorns.setup_to_json(setup)))) == setup


def test_words_of_the_documentation_do_what_it_says(thorns: Spire) -> None:
    state = thorns.state_from_json({
        "hand": ["Curse", "Bite", "Strike", "Defend", "Bloodlust"], "energy": 9, "health": 50, "max_health": 80,
        "enemies": [{"name": "Goblin", "health": 30}, {"name": "Bat", "health": 13}],
    })  # fmt: skip
    library = state.library
    assert describe_card(library.card("Bite+")) == "Steal 6 health from a chosen enemy."
    assert describe_card(library.card("Curse")).endswith(
        "If there are at least 2 enemies, upgrade a chosen attack in hand."
    )
    cursed = play(state, "Curse", "Bite")  # only attacks can be chosen
    assert titles(cursed.hand) == ["Bite+", "Strike", "Defend", "Bloodlust"]
    assert amounts(cursed.enemies[1].statuses) == {"cursed": 2}
    bitten = play(play(cursed, "Bloodlust"), "Bite+", 0)
    assert (bitten.enemies[0].health, bitten.health, bitten.block) == (30 - 6, 50 + 6, 3)
    again = play(cursed, "Bite+", 1)  # doubled, and a tenth of the victim's 13 health
    assert (again.enemies[1].health, again.health) == (0, 50 + 13)
    alone = thorns.state_from_json({"hand": ["Curse", "Bite"], "enemies": [{"name": "Bat", "health": 9}]})
    assert titles(play(alone, "Curse").hand) == ["Bite"]
    after = end(alone)
    assert after.health == 80 - 5
    assert "Suck: 5 drain" in thorns.show(alone)


def test_anonymous_names_hide_the_words_of_statuses_in_conditions(write: Callable[[str], Spire]) -> None:
    game = write("""
from planner.games.spire.extensions import Extension
words = Extension()
words.define(
    cards={"Rage": {"cost": 0, "type": "skill", "does": [{"do": "energy", "amount": 1, "if": "has weak"}]}},
    scenarios={"rage": {"deck": {"Rage": 5}, "enemies": ["Goblin"]}},
)
""")
    named, anonymous = (game.start(game.setup_from_words([name]), Random(1)) for name in ("rage", "rage_anonymous"))
    assert describe_card(named.hand[0]) == "If you have weak, gain 1 energy."
    assert "weak" not in describe_card(anonymous.hand[0])
    assert act(anonymous, battle_rules.legal_actions(anonymous)[0]).energy == 3


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"drain", text', '"attack", text', r"thorns.py:\d+: attack: duplicate name: this action exists already"),
        ("def drain(battle, source, target, amount)", "def drain(source, target, amount)",
         r"thorns.py:\d+: drain: the first parameters must be battle and source, got source, target, amount"),
        ("steal {amount} health", "steal {amonut} health",
         r"thorns.py:\d+: drain: text: \{amonut\} is not a field of drain; did you mean 'amount'\?"),
        ('"do": "drain", "amount": "4 (6)"', '"do": "drian", "amount": "4 (6)"',
         r"thorns.py: Bite: does: do: 'drian' is not an action; did you mean 'drain'\?"),
        ('"enemies at least 2"', '"enemies at lest 2"',
         r"thorns.py: Curse: does: if: 'enemies at lest 2' is not a condition; did you mean 'enemies at least'\?"),
        ('"enemies at least 2"', '"enemies at least"', "enemies at least needs a number, such as enemies at least 5"),
        ('"event": "drained"', '"event": "draned"', r"bloodlust: on: event: must be one of .*; did you mean 'drained'\?"),
        ('"to": "weakest enemy"', '"to": "weakst enemy"', r"'weakst enemy' is not a target; did you mean 'weakest enemy'\?"),
        ('"call": "share of the victim"', '"call": "share"', r"'share' is not a function"),
        ("extension = Extension()", "extension = Extension(", r"thorns.py:\d+: .*never closed"),
        ("extension = Extension()", "extension = Extension()\nother = Extension()", "must contain one Extension, got 2"),
        ("extension = Extension()", "extension = 1 / 0", r"thorns.py:\d+: ZeroDivisionError"),
        ("statuses={", "states={", r"thorns.py:\d+: define: 'states' is not one of"),
    ],
)  # fmt: skip
def test_mistake_is_one_line_with_the_place(
    write: Callable[[str, str], Spire], before: str, after: str, message: str
) -> None:
    text = documented()
    assert before in text
    with pytest.raises(PlannerError, match=message) as caught:
        write(text.replace(before, after, 1), "thorns.py")
    assert "\n" not in str(caught.value)


def test_file_without_an_extension_may_be_meant_as_an_agent(write: Callable[[str, str], Spire]) -> None:
    with pytest.raises(
        PlannerError, match="must contain one Extension, got 0; an agent is named by its class, such as"
    ):
        write("class Bot: ...", "my_bot.py")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("target.helth -= 1", r"words.py:7: hit: AttributeError"),
        ("while True:\n        amount += 1", "words.py: hit does not return within 200,000 lines"),
        ("import random; target.block = random.randrange(9000)", "has another result with the same random numbers"),
        ("target.block = -3", "words.py:5: hit: block of .*: must be between 0 and 9999, got -3"),
    ],
)
def test_check_finds_mistakes_in_functions(
    write: Callable[[str], Spire], capsys: pytest.CaptureFixture[str], body: str, message: str
) -> None:
    write(f"""
from planner.games.spire.extensions import Extension
words = Extension()

@words.verb("hit", text="hit {{target}} for {{amount}}")
def hit(battle, source, target, amount):
    {body}

words.define(cards={{"Hit": {{"cost": 0, "type": "skill", "does": [{{"do": "hit", "amount": 1, "to": "all enemies"}}]}}}})
""")
    assert main(["check", "./words.py"]) == 1
    assert re.search(message, capsys.readouterr().out)


def test_function_error_ends_a_command_with_one_line(
    write: Callable[[str], Spire], capsys: pytest.CaptureFixture[str]
) -> None:
    write(
        ORDERED.replace("battle.hand.pop(0)", "battle.hand.pup(0)")
        + """
words.define(scenarios={"throws": {"deck": {"Throw": 9}, "enemies": ["Goblin"]}})
"""
    )
    assert main(["play", "throws", "--game", "./words.py", "--agents", "first"]) == 2
    error = capsys.readouterr().err
    assert re.search(r"words.py:9: throw first: AttributeError", error)
    assert error.count("\n") == 1


def test_state_or_log_cannot_make_python_run_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("raise SystemExit('run')", encoding="utf-8")
    with pytest.raises(PlannerError, match=r"^game: must be one of"):
        plan_turn({"game": "./evil.py", "enemies": [{"name": "Goblin"}]})
    with pytest.raises(PlannerError, match=r"SystemExit: run"):
        load_game("./evil.py")


def test_extension_in_a_tournament_with_processes(thorns: Spire, tmp_path: Path) -> None:
    experiment = "game: ./thorns.py\nagents: [first, spire_balanced]\nscenarios: [crypt]\ngames: 3\nseed: 2\n"
    (tmp_path / "small.yaml").write_text(experiment, encoding="utf-8")
    assert main(["tournament", "small.yaml", "--workers", "2"]) == 0
    summary = (tmp_path / "results" / "small" / "summary.csv").read_text(encoding="utf-8")
    assert "spire_balanced" in summary


def test_cards_in_yaml_can_use_the_words(thorns: Spire, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = "cards:\n  Gulp: {cost: 2, type: attack, does: [{do: drain, amount: 9, to: weakest enemy}]}\n"
    (tmp_path / "more.yaml").write_text(card, encoding="utf-8")
    extended = thorns.with_cards([tmp_path / "more.yaml"])
    state: Any = extended.state_from_json({"hand": ["Gulp"], "enemies": [{"name": "Bat", "health": 12}]})
    assert play(state, "Gulp").enemies[0].health == 3
    assert main(["check", "more.yaml", "--game", "./thorns.py"]) == 0
    assert main(["check", "more.yaml", "--game", "spire"]) == 1
    assert "'drain' is not an action" in capsys.readouterr().out


EXECUTION = """
from planner.games.spire.extensions import Extension

extension = Extension()


@extension.verb("execute", text="lose {amount} health", ignores_hand_order=True)
def execute(battle, source, target, amount):
    target.health -= amount


card = {"cost": 1, "type": "skill", "does": [{"do": "execute", "amount": 30, "to": "chosen enemy"}]}
extension.define(cards={"Execution": card}, scenarios={"duel": {"deck": {"Execution": 5}, "enemies": ["Goblin"]}})
"""


def test_less_than_no_health_counts_as_none(write: Callable[[str, str], Spire]) -> None:
    game = write(EXECUTION, "execution.py")
    state = game.state_from_json({"hand": ["Execution"], "energy": 1, "enemies": [{"name": "Goblin", "health": 6}]})
    (plan,) = game.plans(state, BattleWeights.of("spire_balanced"), PlanOptions())
    earned = {term: plan.terms[term] for term in ("damage_dealt", "enemies_killed", "victory")}
    assert earned == {"damage_dealt": 12, "enemies_killed": 10, "victory": 100}
    assert (plan.lethal, plan.outcome) == (True, "win")
