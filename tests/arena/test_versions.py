"""Comparison of two versions of cards, rules or decks with paired games that share a seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from planner.agents.agent_spec import agent_spec
from planner.arena.match.referee import agent_seed, play_match
from planner.arena.tournament.experiment import Entry, Experiment
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.version_comparison import (
    AgentChange,
    _findings,
    compare_versions,
    paired_fixtures,
    verdict,
)
from planner.cli import main
from planner.errors import PlannerError
from planner.games import game
from planner.games.hearthstone import MatchSetup
from planner.stats.intervals import shift

RANDOM, GREEDY = agent_spec("random"), agent_spec("greedy")
SHORT = "{hero_health: 8}"


def setups(rules: str = SHORT) -> list[tuple[MatchSetup, MatchSetup]]:
    pairs = (("mage", "warrior"), ("warrior", "mage"))
    return [(MatchSetup.of(*pair), MatchSetup.of(*pair, rules)) for pair in pairs]


# -- the statistics


@pytest.mark.parametrize("seed", range(3))
def test_shift_is_the_paired_t_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    before, after = rng.choice([0, 0.5, 1], (2, 40))
    change = shift(before, after, 1.0)
    expected = stats.ttest_rel(after, before).confidence_interval(0.95)
    assert change.change == pytest.approx(((after - before).mean(), expected.low, expected.high))
    assert (change.games, change.before, change.after) == (40, before.mean(), after.mean())
    assert change.clear == (expected.low > 0 or expected.high < 0)


def test_equal_games_do_not_give_certainty() -> None:
    change = shift([1, 0, 1], [1, 0, 1], 1.0)
    assert change.change.estimate == 0
    assert change.change.high == -change.change.low > 0.3
    assert not change.clear
    many = shift([1.0] * 1000, [1.0] * 1000, 1.0)
    assert 0 < many.change.high < 0.01


def test_equal_changes_do_not_give_certainty() -> None:
    """Two equal changes may be chance; twenty are clear."""
    two, twenty = (shift([0.0] * games, [1.0] * games, 1.0) for games in (2, 20))
    assert (two.change.estimate, two.change.high, two.clear) == (1, 1, False)
    assert 0.6 < twenty.change.low < 0.9
    assert twenty.clear
    worse = shift([1.0] * 20, [0.0] * 20, 1.0)
    assert worse.change == pytest.approx((-1, -1, -twenty.change.low))
    rounds = shift([5, 6, 7], [6, 7, 8])
    assert rounds.change.low < 0 < rounds.change.high
    assert not shift([5, 6, 7], [5, 6, 7]).clear


@pytest.mark.parametrize("share", [0.02, 0.1, 0.9, 0.98])
def test_shift_covers_the_true_value(share: float) -> None:
    rng, held = np.random.default_rng(1), 0
    for _ in range(400):
        change = shift(np.zeros(20), (rng.random(20) < share).astype(float), 1.0).change
        held += change.low <= share <= change.high
    assert held / 400 > 0.9


# -- the games


def test_paired_games_share_seed_agents_and_seats() -> None:
    both = tuple(one for pair in setups() for one in pair)
    entries = tuple(Entry(str(number), spec) for number, spec in enumerate((RANDOM, GREEDY)))
    fixtures = list(paired_fixtures(Experiment("x", entries, both, 8, seed=3)))
    assert [one.position for one in fixtures] == list(range(2 * 2 * 8))
    for before, after in zip(fixtures[::2], fixtures[1::2], strict=True):
        assert (before.seed, before.agents, before.number) == (after.seed, after.agents, after.number)
        assert (before.setup % 2, after.setup) == (0, before.setup + 1)
    assert len({one.seed for one in fixtures}) == 2 * 8  # every pair of games has its own seed
    for setup in range(4):
        seats = [one.agents for one in fixtures if one.setup == setup]
        assert {seats.count(pair) for pair in ((0, 0), (0, 1), (1, 0), (1, 1))} == {2}


def by_hand(seed: int, games: int) -> dict[str, list[tuple[float, float]]]:
    """Play the same games one by one."""
    both = tuple(one for pair in setups() for one in pair)
    experiment = Experiment("x", (Entry("1", RANDOM), Entry("2", GREEDY)), both, games, seed=seed)
    records = []
    for one in paired_fixtures(experiment):
        agents = [
            experiment.agents[agent].spec.make(game("hearthstone"), agent_seed(one.seed, seat))
            for seat, agent in enumerate(one.agents)
        ]
        records.append((one, play_match(agents, both[one.setup], one.seed)))
    pairs = list(zip(records[::2], records[1::2], strict=True))
    first = [(old.outcome.points[0], new.outcome.points[0]) for (_, old), (_, new) in pairs]
    mage = [(old.outcome.points[one.setup // 2], new.outcome.points[one.setup // 2]) for (one, old), (_, new) in pairs]
    return {
        "first seat": first, "pairing": mage,
        "rounds": [(float(old.rounds), float(new.rounds)) for (_, old), (_, new) in pairs],
    }  # fmt: skip


def test_findings_agree_with_single_games() -> None:
    comparison = compare_versions("hearthstone", setups(), [RANDOM, GREEDY], 8, seed=5, workers=2)
    expected = by_hand(5, 8)
    assert (comparison.games, comparison.untouched) == (16, 0)
    assert comparison.other_winner == sum(old != new for old, new in expected["first seat"])
    assert [(one.what, one.name, one.against) for one in comparison.findings] == [
        ("pairing", "Sparks", "Iron Vanguard"), ("first seat", "", ""), ("rounds", "", ""),
    ]  # fmt: skip
    for one in comparison.findings:
        before, after = zip(*expected[one.what], strict=True)
        assert one.shift == shift(before, after, None if one.what == "rounds" else 1.0)
    rounds = comparison.findings[-1].shift
    assert rounds.clear
    assert rounds.change.high < 0  # heroes with 8 health live less long


def test_number_of_workers_does_not_matter() -> None:
    one, two = (compare_versions("hearthstone", setups(), [RANDOM], 4, workers=count) for count in (1, 2))
    assert one == two


def test_equal_setups_are_not_played() -> None:
    same = MatchSetup.of("hunter", "warrior")
    comparison = compare_versions("hearthstone", [*setups(), (same, same)], [RANDOM], 2, workers=1)
    assert (comparison.games, comparison.untouched) == (4, 1)
    with pytest.raises(PlannerError, match="the two versions are equal"):
        compare_versions("hearthstone", [(same, same)], [RANDOM], 2)


def test_findings_of_decks_against_others() -> None:
    matches = [("mage", "warrior"), ("hunter", "mage")]
    pairs = [(MatchSetup.of(*one), MatchSetup.of(*one, SHORT)) for one in matches]
    comparison = compare_versions("hearthstone", pairs, [RANDOM], 4, workers=1)
    decks = {(one.what, one.name, one.against): one.shift for one in comparison.findings}
    one, two = decks["pairing", "Sparks", "Iron Vanguard"], decks["pairing", "The Pack", "Sparks"]
    assert decks["deck", "Sparks", ""].games == one.games + two.games == 8
    assert decks["deck", "Sparks", ""].change.estimate == pytest.approx((one.change.estimate - two.change.estimate) / 2)


# -- the command


CARDS = "- {name: Fireball, type: spell, cost: 4, effects: [{do: damage, amount: %d, to: chosen character}]}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "old.yaml": CARDS % 6, "new.yaml": CARDS % 12, "blitz.yaml": "hero_health: 10\n",
        "small.yaml": "{name: Small, class: mage, cards: [2 x Wolfrider, 2 x Fireball]}",
        "smaller.yaml": "{name: Small, class: mage, cards: [2 x Wolfrider, 2 x Chillwind Yeti]}",
        "one.yaml": "decks: [mage]\nagents: [random]\ngames: 3\n",
        "two.yaml": "decks: [mage]\nagents: [random]\ngames: 3\nrules: {hero_health: 9}\n",
        "three.yaml": "decks: [mage]\nagents: [greedy]\ngames: 3\n",
        "zap.yaml": "cards: {Zap: {cost: 0, type: attack, does: [{do: attack, amount: 1, to: chosen enemy}]}}\n",
        "zzap.yaml": "cards: {Zap: {cost: 0, type: attack, does: [{do: attack, amount: 30, to: chosen enemy}]}}\n",
        "fight.yaml": "{deck: [Zap, Strike, Defend, Defend, Defend, Defend], enemies: [Goblin]}",
        "style.yaml": "weights: {}\n",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["compare", *arguments, "--json", "--workers", "1"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


@pytest.mark.usefixtures("folder")
def test_every_kind_of_version_can_be_compared(capsys: pytest.CaptureFixture[str]) -> None:
    few = ("--games", "3")
    small = ("--rules", "{deck_size: 4}", "--cards", "old.yaml")
    kinds = {
        "cards": compare_json(capsys, "old.yaml", "new.yaml", *few),
        "rules": compare_json(capsys, "standard", "blitz.yaml", "--decks", "mage", "--agents", "random", *few),
        "deck": compare_json(capsys, "small.yaml", "smaller.yaml", "--decks", "small.yaml", *small, *few),
        "experiment": compare_json(capsys, "one.yaml", "two.yaml"),
    }
    ours = compare_json(capsys, "standard", "new.yaml", *few)
    assert (ours["kind"], ours["games"], ours["untouched"]) == ("cards", 9, 1)
    assert {kind: comparison["kind"] for kind, comparison in kinds.items()} == {kind: kind for kind in kinds}
    assert (kinds["cards"]["games"], kinds["cards"]["untouched"]) == (9, 1)  # warriors have no Fireball
    assert [one["what"] for one in kinds["rules"]["findings"]] == ["first seat", "rounds"]
    assert compare_json(capsys, "mage", "hunter", "--decks", "warrior", "--agents", "random", *few)["kind"] == "deck"
    assert kinds["experiment"]["games"] == 3
    assert kinds["deck"]["games"] == 6


_BOT = """from planner.games.hearthstone import EndTurn
class Sleeper:
    name = "sleeper"
    def decide(self, state):
        return EndTurn()
"""


def test_experiment_provides_its_agents_and_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files are found relative to the experiment. The output warns that one game is not enough."""
    (tmp_path / "sleeping_bot.py").write_text(_BOT, encoding="utf-8")
    text = "decks: {first: mage, second: warrior}\nagents: ['sleeping_bot:Sleeper']\ngames: 1\nseed: 4\n"
    versions = {"old": "", "new": "rules: {hero_health: 5}\n", "hasty": "rules: {hero_health: 5}\nmove_time: 1\n"}
    paths = [str(tmp_path / f"{name}.yaml") for name in versions]
    for path, rest in zip(paths, versions.values(), strict=True):
        Path(path).write_text(text + rest, encoding="utf-8")
    report = compare_json(capsys, *paths[:2])
    assert report == compare_json(capsys, *paths[:2], "--seed", "4")
    assert report["games"] == 1
    assert not any(one["clear"] for one in report["findings"])
    assert main(["compare", paths[0], paths[2]]) == 2
    assert "have the same agents, limits" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_battles_can_be_compared(capsys: pytest.CaptureFixture[str]) -> None:
    report = compare_json(capsys, "zap.yaml", "zzap.yaml", "--game", "spire", "--decks", "fight.yaml", "--games", "6")
    by_name = {one["what"]: one for one in report["findings"]}
    assert set(by_name) == {"setup", "rounds", "health", "cards"}
    assert by_name["rounds"]["change"] < 0
    assert by_name["setup"]["name"] == "fight"


@pytest.mark.usefixtures("folder")
def test_change_is_described_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["compare", "standard", "blitz.yaml", "--agents", "random", "--games", "6", "--workers", "1"]
    assert main([*command, "--no-color"]) == 0
    out = capsys.readouterr().out
    assert "standard and blitz.yaml: two versions of rules. 24 games in each version, on the same seeds" in out
    assert "rounds shorter (" in out
    assert "Sparks against Iron Vanguard, %" in out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("old.yaml", "old.yaml"), "the two versions are equal"),
        (("old.yaml", "blitz.yaml"), "old.yaml contains cards, blitz.yaml rules: both files must be of the same kind"),
        (("old.yaml", "none.yaml"), "none.yaml: no such file"),
        (("standard", "standart"), "unknown ruleset 'standart'; did you mean 'standard'?"),
        (("standard", "blitz.yaml", "--rules", "thesis"), "--rules: cannot be combined with two versions of rules"),
        (("style.yaml", "style.yaml"), "style.yaml: a profile cannot be compared"),
        (("one.yaml", "three.yaml"), "two versions of an experiment must have the same agents"),
        (("zap.yaml", "zzap.yaml"), "zap.yaml: belongs to spire; add --game spire"),
        (("old.yaml", "new.yaml", "--agents", "gredy"), "'gredy' is not an agent; did you mean 'greedy'?"),
        (("old.yaml", "new.yaml", "--decks", "mag"), "unknown deck 'mag'; did you mean 'mage'?"),
        (("standard", "blitz.yaml", "--decks", "mage,warrior,hunter", "--games", "100000"), "--games: 100,000 games of"),
    ],
)  # fmt: skip
def test_versions_that_cannot_be_compared(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *arguments]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert (out, err.count("\n")) == ("", 1)


def test_measures_are_compared_although_the_first_game_has_none() -> None:
    spire = game("spire")
    setup = spire.setup_from_words(["starter"])
    experiment = Experiment("x", (Entry("first", agent_spec("first", spire)),), (setup, setup), 2, "spire", 1)
    fixtures = list(paired_fixtures(experiment))
    old, new = (Result(0, 0, "won", 3, 3, (3,), measures={"health": health}) for health in (20.0, 30.0))
    lost = Result(0, -1, "crash", 1, 1, (0,))
    pairs = [(fixtures[0], lost, new), (fixtures[2], old, new)]
    found = {finding.what: finding.shift for finding in _findings(spire, experiment, pairs)}
    assert (found["health"].games, found["health"].change.estimate) == (1, 10)


def test_verdict_needs_wider_intervals_for_several_agents() -> None:
    """With five games, Student's quantiles grow faster than those of a normal distribution."""
    differences = [14.0, 26.0, 16.0, 24.0, 20.0]
    changes = [AgentChange(name, 5, {}, {"health": differences}) for name in "abcd"]
    exact = stats.ttest_1samp(differences, 0).confidence_interval(1 - 0.05 / 4)
    assert verdict(changes, "health", exact.low - 0.01, 0) == "too strong"
    assert verdict(changes, "health", exact.low + 0.01, 0) == "undecided"
