"""Experiment files: all fields, and one line for every error."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.arena.match.referee import TimeLimits
from planner.arena.tournament.experiment import SprtOptions
from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError
from planner.formats.documents import shipped_folder
from planner.planning.plan import PlanOptions

GOOD = """name: mine
agents:
- random
- greedy
decks: [mage, warrior]
games: 3
"""


def read(tmp_path: Path, text: str) -> object:
    path = tmp_path / "x.yaml"
    path.write_text(text, encoding="utf-8")
    return load_experiment(path)


def refused(tmp_path: Path, text: str) -> str:
    with pytest.raises(PlannerError) as caught:
        read(tmp_path, text)
    message = str(caught.value)
    assert "\n" not in message
    return message.removeprefix(f"{tmp_path}/")


STUDIES = [path for path in sorted(shipped_folder("experiments").glob("*.yaml")) if not path.stem.startswith("tune_")]


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_shipped_experiments_can_be_read(path: Path) -> None:
    experiment = load_experiment(path)
    assert experiment == load_experiment(path.stem)
    assert experiment.name == path.stem
    assert len(experiment.agents) >= 2
    count, games = len(experiment.agents), len(schedule(experiment.with_games(2)))
    if experiment.seats == 1:
        assert games == 2 * count * len(experiment.setups)
    else:
        meetings = {"all": count**2, "round_robin": count * (count - 1), "gauntlet": 2 * (count - 1)}
        assert games == 2 * meetings[experiment.pairs]


def test_studies_are_those_of_guo() -> None:
    thesis, exact = load_experiment("thesis"), load_experiment("exact")
    assert (thesis.games, thesis.setups[0].rules.name, len(schedule(thesis))) == (1000, "thesis_printed", 49_000)
    assert {entry.spec.options.formulation for entry in thesis.agents} == {"thesis"}
    assert {entry.spec.options.formulation for entry in exact.agents} == {"exact"}
    assert [deck.name for deck in thesis.setups[0].decks] == ["Thesis paladin", "Thesis warrior"]
    effects, no_effects = load_experiment("effects"), load_experiment("no_effects")
    assert effects.setups == no_effects.setups
    assert [setup.decks[0] == setup.decks[1] for setup in effects.setups] == [True] * 11
    assert (effects.setups[0].rules.coin, effects.games, effects.seed) == (True, no_effects.games, no_effects.seed)


def test_all_fields(tmp_path: Path) -> None:
    profile = (
        (shipped_folder("weights") / "aggro_face.yaml").read_text(encoding="utf-8").replace("lethal: 20", "lethal: 7")
    )
    (tmp_path / "style.yaml").write_text(profile, encoding="utf-8")
    path = tmp_path / "ab.yaml"
    path.write_text(
        """
description: An A/B test.
agents:
  - {name: new, profile: style.yaml, formulation: thesis, time_limit: 0.5}
  - {profile: aggro_face}
solver: highs
rules: standard
decks: {first: mage, second: hunter}
swap: seats_and_decks
pairs: gauntlet
games: 10
seed: 9
move_time: 2
game_time: 30
sprt: {elo0: 0, elo1: 20, beta: 0.1}
""",
        encoding="utf-8",
    )
    experiment = load_experiment(path)
    assert experiment.names == ["new", "aggro_face"]
    new, old = (entry.spec for entry in experiment.agents)
    assert new.weights is not None
    assert new.weights.terms()["lethal"] == 7
    assert new.options == PlanOptions("highs", "thesis", 0.5)
    assert old.options == PlanOptions("highs", "exact", None)
    assert [[deck.hero_class for deck in setup.decks] for setup in experiment.setups] == [
        ["mage", "hunter"],
        ["hunter", "mage"],
    ]
    assert experiment.limits == TimeLimits(2.0, 30.0)
    assert experiment.sprt == SprtOptions(0, 20, 0.05, 0.1)
    assert experiment.name == "ab"
    assert "An A/B test" in experiment.text


def test_old_name_of_a_gauntlet_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(GOOD + "pairs: cross\n", encoding="utf-8")
    old = load_experiment(path)
    path.write_text(GOOD + "pairs: gauntlet\n", encoding="utf-8")
    assert old.pairs == "gauntlet"
    assert old.digest == load_experiment(path).digest


@pytest.mark.parametrize(
    ("given", "pairs"),
    [
        ("mage", ["mm"]),
        ("[mage, hunter]", ["mm", "mh", "hm", "hh"]),
        ("{pool: [mage, hunter], mirror: true}", ["mm", "hh"]),
        ("{first: mage, second: hunter}", ["mh"]),
    ],
)
def test_decks(tmp_path: Path, given: str, pairs: object) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(GOOD.replace("[mage, warrior]", given), encoding="utf-8")
    setups = load_experiment(path).setups
    assert ["".join(deck.hero_class[0] for deck in setup.decks) for setup in setups] == pairs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("games: 3", "gmes: 3"), "x.yaml:6: unknown field 'gmes'; did you mean 'games'?"),
        (("games: 3\n", ""), "x.yaml:1: games: is missing"),
        (("games: 3", "games: 0"), "x.yaml:6: games: must be between 1 and 1000000000000, got 0"),
        (("games: 3", f"games: {10**15}"), "x.yaml:6: games: must be between 1 and"),
        (("games: 3", "games: many"), "x.yaml:6: games: must be an integer, between 1 and"),
        (("games: 3", "games: 3\nseed: -1"), "x.yaml:7: seed: must be at least 0, got -1"),
        (("games: 3", "games: 3\nrules: thesys"), "x.yaml:7: rules: unknown ruleset 'thesys'; did you mean 'thesis'?"),
        (
            ("games: 3", "games: 3\npairs: al"),
            "x.yaml:7: pairs: must be one of all, round_robin, gauntlet, first; got 'al';",
        ),
        (("games: 3", "games: 3\nswap: [a]"), "x.yaml:7: swap: must be one of seats, seats_and_decks, none; got ['a']"),
        (("games: 3", "games: 3\nmove_time: 0"), "x.yaml:7: move_time: must be a positive number of seconds, got 0"),
        (("games: 3", "games: 3\nsprt: 1"), "x.yaml:7: sprt: needs elo0 and elo1"),
        (("games: 3", "games: 3\nsprt: {elo0: 0, elo1: 9000}"), "x.yaml:7: elo1: must be between -4000 and 4000"),
        (("games: 3", "games: 3\nsprt: {elo0: 5, elo1: 1}"), "x.yaml:7: sprt: needs elo0 below elo1"),
        (
            ("games: 3", "games: 3\nsprt: {elo0: 0, elo1: 1}"),
            "x.yaml:7: sprt: needs two or more agents and 'pairs: gauntlet'",
        ),
        (("- greedy", "- greddy"), "x.yaml:4: 'greddy' is not an agent; did you mean 'greedy'?"),
        (("- greedy", "- random"), "x.yaml:4: agents: duplicate agent 'random'; give one of them a 'name'"),
        (("- greedy", "- 7"), "x.yaml:4: must be a name, got 7"),
        (
            ("- greedy", "- {agent: greedy, solver: highs}"),
            "x.yaml:4: 'greedy' is not a planner: it does not support solver",
        ),
        (("- greedy", "- {profile: greedy}"), "x.yaml:4: profile: 'greedy' is not a weight profile; write 'agent:"),
        (("- greedy", "- {name: x}"), "x.yaml:4: an agent needs exactly one of 'profile', 'agent' and 'command'"),
        (
            ("- greedy", "- {command: ls, agent: greedy}"),
            "x.yaml:4: an agent needs exactly one of 'profile', 'agent' and",
        ),
        (("- greedy", "- {command: ''}"), "x.yaml:4: command: must be a name, got ''"),
        (("- greedy", '- {command: "\'ls"}'), 'x.yaml:4: command: "\'ls": No closing quotation'),
        (
            ("- greedy", "- {command: ls, solver: highs}"),
            "x.yaml:4: 'cmd:ls' is not a planner: it does not support solver",
        ),
        (("name: mine", "memory: 1"), "x.yaml:1: memory: must be between 64 and 1048576, got 1"),
        (("name: mine", "audit: -1"), "x.yaml:1: audit: must be at least 0, got -1"),
        (("name: mine", "start_time: 0"), "x.yaml:1: start_time: must be a positive number of seconds, got 0"),
        (("- greedy", "- {agent: greedy, nmae: x}"), "x.yaml:4: unknown field 'nmae'; did you mean"),
        (("- greedy", "- {agent: greedy, name: 'a\\nb'}"), "x.yaml:4: name: must be a name of"),
        (
            ("- greedy", "- {profile: aggro_face, solver: hihgs}"),
            "x.yaml:4: solver: unknown solver 'hihgs'; did you mean",
        ),
        (
            ("- greedy", "- {profile: aggro_face, formulation: thesys}"),
            "x.yaml:4: formulation: must be one of exact, thesis, thesis_every_minion, thesis_keywords; got 'thesys'",
        ),
        (
            ("- greedy", "- {profile: aggro_face, time_limit: -1}"),
            "x.yaml:4: time_limit: must be a positive number of seconds, got -1",
        ),
        (("- greedy", "- none.yaml"), "none.yaml: no such file"),
        (("[mage, warrior]", "[mage, warior]"), "x.yaml:5: decks: unknown deck 'warior'; did you mean 'warrior'?"),
        (("[mage, warrior]", "{first: mage}"), "x.yaml:5: decks: needs 'first' and 'second', or a 'pool'"),
        (("[mage, warrior]", "{first: mage, secnd: mage}"), "x.yaml:5: unknown field 'secnd'; did you mean"),
        (
            ("[mage, warrior]", "[]"),
            "x.yaml:5: decks: must be a deck, a list of decks, or 'first' and 'second', got []",
        ),
        (("[mage, warrior]", "{pool: [mage], mirror: 3}"), "x.yaml:5: mirror: must be true or false, got 3"),
        (("name: mine", "name: ../mine"), "x.yaml:1: name: must be a name of"),
        (("agents:\n- random\n- greedy", "agents: random"), "x.yaml:2: agents: must be a list such as '- aggro_face'"),
    ],
)
def test_errors_are_one_line(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert change[0] in GOOD
    assert message in refused(tmp_path, GOOD.replace(*change))


def test_files_that_are_not_experiments(tmp_path: Path) -> None:
    assert refused(tmp_path, "- a list").endswith("an experiment is a mapping with agents, games and what they play")
    with pytest.raises(PlannerError, match="'thesys' is not an experiment; did you mean 'thesis'"):
        load_experiment("thesys")
    with pytest.raises(PlannerError, match=r"none\.yaml: no such file"):
        load_experiment("none.yaml")
