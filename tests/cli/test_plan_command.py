"""`planner plan`, `planner weights` and `planner solvers`: the output for people and for programs, and errors."""

from __future__ import annotations

import importlib.metadata
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from planner import plan_turn, solvers
from planner.cli import main
from planner.cli.plan_command import read_state
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from planner.games.hearthstone.turn.turn_plan import linear_model
from planner.solvers.lp_format import sanitized

LETHAL = str(Path(__file__).resolve().parents[2] / "experiments" / "states" / "lethal.json")
LINE = "4 mana | me 30hp: Chillwind Yeti | hand: Wolfrider | enemy 9hp armor=2: Bloodfen Raptor, Ooze 1/1 taunt"
WEAPON = "0 mana | me 9hp windfury | weapon Fiery War Axe 3/2 | enemy 20hp: Bloodfen Raptor 3/2"
CAREFUL = """description: Never with the guard.
weights: {W1: 20, W2: 2, W3: 18, W4: 3, W5: 1.5, W6: 3, W7: 1, W8: 10}
forbid: [{attack_with: taunt}, own_hero_death]
require: [{keep_mana: 2}]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "line.txt").write_text(LINE + "\n", encoding="utf-8")
    (tmp_path / "weapon.txt").write_text(WEAPON, encoding="utf-8")
    (tmp_path / "careful.yaml").write_text(CAREFUL, encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: str) -> str:
        code = main(list(arguments))
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return str(out)

    return call


def feed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))


# -- output for people


def test_the_turn_is_shown(run: Any) -> None:
    text = run("plan", LETHAL, "--weights", "aggro_face")
    assert "hand   Wolfrider (3), Stonetusk Boar (1), Sen'jin Shieldmasta (4); 4 mana" in text
    assert "╔═Sen'jin Shieldmasta═╗ ╭─Magma Rager─╮" in text
    assert "Best turn for aggro_face (score 265):" in text
    assert "  7  Boulderfist Ogre attacks the enemy hero (6 -> 0); the enemy hero dies" in text
    assert "end the turn" not in text  # the match is over
    assert re.search(r"Proved: no legal turn scores more \(\w+, [\d.]+ ms\)\.", text)
    assert "Lethal: this turn wins." in text
    assert max(map(len, text.splitlines())) <= 100
    assert "\x1b" not in text


def test_the_terms_add_up(run: Any) -> None:
    text = run("plan", LETHAL, "--weights", "keep_alive")
    rows = re.findall(r"^  (\w+)( \(cost\))? +(\S+) +(\S+) +(\S+) *$", text, re.MULTILINE)
    rows = [row for row in rows if row[0] != "term"]
    assert tuple(row[0] for row in rows) == TERMS
    assert [row[0] for row in rows if row[1]] == ["enemy_threat", "damage_taken"]
    for _, cost, amount, weight, score in rows:
        assert float(amount) >= 0
        assert float(weight) >= 0
        assert float(score) == float(amount) * float(weight) * (-1 if cost else 1)
    assert "-0" not in text
    assert re.search(rf"total +{sum(float(row[-1]) for row in rows):g}\b", text)
    assert "--explain says whether another turn kills" in text


def test_explain_shows_losses_and_alternatives(run: Any) -> None:
    text = run("plan", LETHAL, "--weights", "keep_alive", "--explain", "-k", "3", "--solver", "highs")
    assert re.search(r"  1  plays Sen'jin Shieldmasta 3/5 taunt +-40 if excluded", text)
    assert "Lethal exists, but these weights prefer this turn." in text
    listed = text.split("Next best turns:\n")[1]
    assert [int(worth) for worth in re.findall(r"^ +(\d+) +\(-?\d+\)  ", listed, re.MULTILINE)] == [406, 399]


def test_explain_works_with_the_default_solver(run: Any) -> None:
    assert "if excluded" in run("plan", LETHAL, "--explain", "-k", "2")


def test_explain_shows_how_far_lethal_is(run: Any) -> None:
    Path("known.txt").write_text(LINE.replace("Ooze ", ""))
    text = run("plan", "known.txt", "--explain", "-k", "1")
    assert "No lethal: the most damaging turn leaves the enemy hero 7 health and armor." in text
    assert "Next best" not in text
    assert "Lethal: unknown" in run("plan", "line.txt", "--explain", "-k", "1")  # the effects of an Ooze are not known


def test_ranges_show_how_far_weights_can_move(run: Any) -> None:
    text = run("plan", LETHAL, "--weights", "aggro_face", "--ranges")
    (row,) = re.findall(r"^  lethal +(\S+) +(\S+) +(\S+) +turn (\d) *$", text, re.MULTILINE)
    weight, low, high, turn = row
    assert (weight, high) == ("20", "any")
    assert f"  turn {turn}  (" in text
    # At the end of the range another turn has the same score, and beyond it a higher one.
    kept, other = ({**plan_profile("aggro_face"), "lethal": float(low) + step} for step in (0.5, -0.5))
    state = read_state(LETHAL)[1]
    best = plan_turn(state, "aggro_face").actions
    assert plan_turn(state, kept).actions == best
    assert plan_turn(state, other).actions != best


def plan_profile(name: str) -> dict[str, float]:
    return dict(plan_turn(read_state(LETHAL)[1], name).weights.terms())


def test_ranges_in_json(run: Any) -> None:
    unproved = ("plan", LETHAL, "--formulation", "thesis", "--ranges")
    assert "No ranges: this turn is not proved to be the best one." in run(*unproved)
    assert json.loads(run(*unproved, "--json"))["ranges"] is None  # as over the pipe and HTTP
    ranges = json.loads(run("plan", LETHAL, "--json", "--ranges"))["ranges"]
    assert list(ranges) == list(TERMS)
    assert ranges["lethal"].keys() == {"weight", "low", "low_exact", "below", "high", "high_exact", "above"}


def test_the_next_best_turns(run: Any) -> None:
    text = run("plan", LETHAL, "-k", "2", "--solver", "highs", "--weights", "aggro_face")
    assert re.search(r"234  \(-31\)  \w", text.split("Next best turns:\n")[1])


def test_turns_with_the_same_score(run: Any) -> None:
    assert re.search(r"^ +135 +\(same\)  \w", run("plan", LETHAL, "-k", "2", "--solver", "highs"), re.MULTILINE)


def test_an_empty_turn(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"0 mana | me 30hp | enemy 12hp")
    text = run("plan", "-")
    assert "hand   nothing; 0 mana" in text
    assert "end the turn" in text


def test_weapons_armor_and_keywords_are_shown(run: Any) -> None:
    text = run("plan", "weapon.txt", "--weights", "value_trade")
    assert "you    health 9, Fiery War Axe 3/2, windfury" in text
    assert "your hero attacks and kills Bloodfen Raptor; your hero (9 -> 6)" in text
    assert "enemy  health 9+2" in run("plan", "line.txt")


def test_the_second_seat_can_be_the_player(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"3 mana seat=1 turn=6 | me 30hp | hand: Wolfrider | enemy 3hp")
    assert "Wolfrider attacks the enemy hero (3 -> 0); the enemy hero dies" in run("plan", "-")


def test_ignored_effects_are_named(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"3 mana | me 30hp: Raid Leader | enemy 12hp")
    text = run("plan", "-", "--formulation", "thesis")
    assert "Planned without the effects of: Raid Leader." in text


def test_a_time_limit_is_reported(run: Any) -> None:
    text = run("plan", LETHAL, "--solver", "highs", "--time-limit", "0.000001")
    assert "A turn for true_balanced" in text
    assert re.search(r"Not proved: the search was stopped; no legal turn scores more than \d+ ", text)


def test_the_thesis_formulation_can_claim_more_than_it_scores(run: Any) -> None:
    text = run("plan", LETHAL, "--formulation", "thesis", "--weights", "aggro_face")
    found = re.search(r"Not proved: the thesis formulation claims (\d+); by the rules its turn scores (\d+)", text)
    assert found is not None
    assert int(found[1]) > int(found[2])
    assert "Best turn for" not in text


def test_an_explanation_of_a_turn_that_is_not_the_best(run: Any) -> None:
    text = run("plan", LETHAL, "--formulation", "thesis", "--weights", "aggro_face", "--explain", "-k", "2")
    assert "+37 if excluded" in text
    assert "Lethal exists, but not in this turn." in text
    assert re.search(r"^Best turns:\n +265 +\(\+37\)  plays Wolfrider", text, re.MULTILINE)


def test_the_thesis_formulation_proves_only_its_own_optimum(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"3 mana | me 30hp | hand: Wolfrider | enemy 30hp")
    text = run("plan", "-", "--formulation", "thesis")
    assert "Proved: the best turn of the thesis formulation" in text
    assert "no legal turn scores more" not in text


# -- output for programs


def without_time(plan: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key != "seconds"}


@pytest.mark.parametrize("options", [{}, {"solver": "cpsat"}, {"weights": "careful.yaml"}, {"formulation": "thesis"}])
def test_json_is_only_the_plan(run: Any, options: dict[str, str]) -> None:
    arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
    printed = json.loads(run("plan", LETHAL, "--json", *arguments))
    assert without_time(printed) == without_time(plan_turn(json.loads(Path(LETHAL).read_text()), **options).to_dict())


def test_json_with_an_explanation(run: Any) -> None:
    plan = json.loads(run("plan", LETHAL, "--json", "--explain", "-k", "2"))
    assert plan["explanation"]["lethal_exists"] is True
    assert len(plan["explanation"]["loss_without"]) == len(plan["actions"])


def test_json_with_next_best_turns(run: Any) -> None:
    plan = json.loads(run("plan", LETHAL, "--json", "-k", "3", "--solver", "highs"))
    worths = [plan["objective"], *(other["objective"] for other in plan["next_best"])]
    assert len(worths) == 3
    assert worths == sorted(worths, reverse=True)


@pytest.mark.parametrize("formulation", ["exact", "thesis"])
def test_the_linear_program_is_written(run: Any, folder: Path, formulation: str) -> None:
    text = run("plan", LETHAL, "--formulation", formulation, "--write-lp", "turn.lp")
    assert text.splitlines()[-1] == "The linear program is in turn.lp."
    lp = (folder / "turn.lp").read_text(encoding="ascii")
    model = linear_model(json.loads(Path(LETHAL).read_text()), "true_balanced", formulation)
    assert all(name in lp for name in sanitized(model.var_names, "x"))
    assert "Subject To" in lp
    json.loads(run("plan", LETHAL, "--json", "--write-lp", "again.lp"))  # nothing but the plan on stdout


@pytest.mark.parametrize("content", [LINE.encode(), b"\xef\xbb\xbf" + LINE.encode(), b"\n  " + LINE.encode() + b"\n\n"])
def test_a_state_can_be_a_line_of_text(content: bytes, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    feed(monkeypatch, content)
    assert read_state("-") == read_state("line.txt")


def test_json_from_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"\n" + Path(LETHAL).read_bytes())
    assert read_state("-") == read_state(LETHAL)


# -- errors

FILES = {
    "cut.json": b'{"mana": 3,\n "me": {',
    "list.json": b"[]",
    "empty.json": b" \n",
    "word.txt": b"hello",
    "binary.json": b"\xff\xfe",
    "twice.json": b'{"mana": 1, "mana": 2}',
    "deep.json": b'{"mana": ' + b"[" * 100_000,
    "long.json": b'{"mana": ' + b"9" * 5000 + b"}",
    "dead.json": b'{"mana": 1, "me": {"hero": {"health": 0}}, "enemy": {"hero": {"health": 1}}}',
    "flat.yaml": b"# mine\nlethal: 5\nface_damage: 3\n",
    "over.json": b'{"mana": 1, "finished": true, "me": {"hero": {"health": 0}}, "enemy": {"hero": {"health": 1}}}',
}
ERRORS = [
    (["plan"], "Missing argument 'STATE'"),
    (["plan", "none.json"], "none.json: no such file"),
    (["plan", '{"mana": 1}'], "STATE: must be a file, or - to read from standard input; got the state itself"),
    (["plan", "1 mana | me 9hp | enemy 9hp"], "STATE: must be a file, or - to read from standard input; got the state"),
    (["plan", "."], ".: is a folder, not a file"),
    (["plan", "cut.json"], "cut.json:2:"),
    (["plan", "list.json"], "list.json: state: must be an object, got []"),
    (["plan", "empty.json"], "empty.json: is empty"),
    (["plan", "word.txt"], "word.txt: column 1: expected a number of mana"),
    (["plan", "binary.json"], "binary.json: is not UTF-8 text"),
    (["plan", "twice.json"], "twice.json: duplicate key 'mana'"),
    (["plan", "deep.json"], "deep.json: nested too deeply"),
    (["plan", "long.json"], "long.json: "),
    (["plan", "dead.json"], "dead.json: me.hero.health: must be at least 1, got 0"),
    (["plan", "over.json"], "the match is over"),
    (["plan", LETHAL, "--weights", "agro_face"], "'agro_face' is not a profile; did you mean 'aggro_face'?"),
    (["plan", LETHAL, "--weights", "none.yaml"], "none.yaml: no such file"),
    (["plan", LETHAL, "--solver", "higs"], "unknown solver 'higs'; did you mean 'highs'?"),
    (
        ["plan", LETHAL, "--formulation", "exat"],
        "must be one of exact, thesis, thesis_every_minion, thesis_keywords; got 'exat'; did you mean 'exact'?",
    ),
    (["plan", LETHAL, "--formulation", "thesis", "-k", "3"], "'thesis' does not support next best plans"),
    (["plan", LETHAL, "--time-limit", "0"], "time_limit: must be a positive number of seconds, got 0.0"),
    (["plan", LETHAL, "--time-limit", "nan"], "'--time-limit': must be a number, got nan"),
    (["plan", LETHAL, "-k", "-1"], "-k"),
    (["plan", LETHAL, "--write-lp", "no/such/turn.lp"], "no/such/turn.lp: No such file"),
    (["weights", "aggro_face", "agro_face"], "'agro_face' is not a profile; did you mean 'aggro_face'?"),
    (["weights", "word.yaml"], "word.yaml: no such file"),
    (["weights", "flat.yaml"], "flat.yaml:2: lethal: the terms of a profile belong under 'weights:'"),
]


@pytest.mark.parametrize(("arguments", "message"), ERRORS, ids=[" ".join(a).replace(LETHAL, "ok") for a, _ in ERRORS])
def test_errors_are_one_line(
    arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert len(err) < 300


@pytest.mark.parametrize(("content", "message"), [(b"", "stdin: is empty"), (b"\xff", "stdin: is not UTF-8 text"),
                                                  (b'{"mana"', "stdin:1:8: ")])  # fmt: skip
def test_errors_name_stdin(
    content: bytes, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, content)
    assert main(["plan", "-"]) == 2
    assert message in capsys.readouterr().err


NEGATIVE = CAREFUL.replace("W4: 3", "W4: -3")


def test_a_negative_weight_of_a_cost_is_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The old output showed the weight of a cost as -3: a user who copied it rewarded the cost."""
    (folder / "negative.yaml").write_text(NEGATIVE, encoding="utf-8")
    warning = "warning: weights: enemy_threat is a cost; its negative weight rewards it\n"
    assert main(["plan", LETHAL, "--weights", "negative.yaml", "--json"]) == 0
    assert capsys.readouterr().err == warning
    assert main(["check", "negative.yaml", "--no-color"]) == 0
    assert "warning: enemy_threat is a cost" in capsys.readouterr().out
    assert main(["weights", "negative.yaml", "--no-color"]) == 0
    assert "warning: enemy_threat is a cost" in capsys.readouterr().out


def test_a_look_ahead_and_an_effort_limit(run: Any) -> None:
    options = ("--effort", "200", "--ahead", "3", "--samples", "2", "--reply-weights", "aggro_face", "--seed", "4")
    text = run("plan", "weapon.txt", *options)
    assert "from 2 samples" in text
    plan = json.loads(run("plan", "weapon.txt", *options, "--json"))
    assert plan["ahead"]["samples"] == 2


# -- weights and solvers


def test_weights_side_by_side(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = run("weights")
    assert re.search(r"^W3  face_damage +18 +6 +10 +1 +1 +5 +2 *$", text, re.MULTILINE)
    assert re.search(r"^W4  enemy_threat cost +3 +8 ", text, re.MULTILINE)
    assert all(re.search(rf"^{name} +\w", text, re.MULTILINE) for name in Weights.names())
    assert max(map(len, text.splitlines())) <= 80


def test_custom_weights_with_hard_rules(run: Any) -> None:
    text = run("weights", "aggro_face", "careful.yaml")
    assert re.search(r"^W5  own_survival +1 +1.5 *$", text, re.MULTILINE)
    assert re.search(r"^careful +Never with the guard\.", text, re.MULTILINE)
    for rule in ("never attack_with: taunt", "never own_hero_death", "always keep_mana: 2"):
        assert re.search(rf"^ +{rule} *$", text, re.MULTILINE)
    assert "keep_alive" not in text


def test_installed_solvers_are_tested(run: Any) -> None:
    text = run("solvers")
    for name in ("highs", "cpsat", "scip", "cbc"):
        version = importlib.metadata.version(solvers.info(name).package)
        assert re.search(rf"^ ?{name} .* {re.escape(version)} +ready ", text, re.MULTILINE)
    assert "auto " in text


def test_a_missing_solver_is_shown_with_its_install_command(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers, "version", lambda name: None if name == "gurobi" else "1.0")
    text = run("solvers")
    assert re.search(r"^ ?gurobi +Gurobi +gurobipy +missing ", text, re.MULTILINE)
    assert f"to install it: {solvers.info('gurobi').install}" in text


def test_a_broken_solver_is_shown_with_the_reason(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    solver = solvers.get("highs")
    monkeypatch.setattr(solver, "usable", lambda: "the licence has ended")
    text = run("solvers")
    assert re.search(r"^ ?highs .* broken ", text, re.MULTILINE)
    assert "the licence has ended" in text
