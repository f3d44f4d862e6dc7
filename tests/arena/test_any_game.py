"""The arena works the same for every game: the same tests for games of one to four seats."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest

from planner.agents.agent_spec import agent_spec
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import TimeLimits, agent_seed, play_match
from planner.arena.match.replay import verify_log, walk
from planner.arena.tournament.experiment import Entry, Experiment
from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.rerun import rerun_game
from planner.arena.tournament.run_store import JOURNAL
from planner.arena.tournament.runner import Progress, run_tournament
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError
from planner.game import AnyGame, HasPrompts
from planner.games import game, load_game
from planner.games.hearthstone.match_setup import MatchSetup
from tests.arena.rude import BEHAVIOURS
from tests.arena.tournaments import ROOT
from tests.games import toy, tribute

RUDE = "tests.arena.rude:Rude"
TOY = "tests.games.toy:GAME"
TRIBUTE = "tests.games.tribute:GAME"


@dataclass(frozen=True)
class Case:
    """A game, different setups, and fast agents."""

    of: str
    setups: Callable[[], tuple[Any, ...]]
    seats: int
    agents: tuple[str, ...] = ("random",) * 4
    games: int = 4  # of tournaments, for each seating

    @property
    def game(self) -> AnyGame:
        return load_game(self.of)

    def play(self, seed: int = 7, digests: bool = True) -> MatchRecord:
        return play_match(self.agents[: self.seats], self.setups()[0], seed, self.of, digests=digests)

    def experiment(self, *agents: str, games: int = 0, **changes: Any) -> Experiment:
        names = agents or ("random", "other")
        specs = [agent_spec("random" if name == "other" else name, self.game) for name in names]
        entries = tuple(Entry(name.rpartition(":")[2], spec) for name, spec in zip(names, specs, strict=True))
        limits = TimeLimits(move_time=30.0, game_time=100.0)
        setups = self.setups()
        found = Experiment(
            "any", entries, setups, games or self.games, self.of, self.seats, 7, limits=limits, folders=(str(ROOT),)
        )
        return replace(found, **changes)


def _toy(players: int) -> tuple[Any, ...]:
    return toy.Race(players, 40, 30), toy.Race(players, 60, 40)  # type: ignore[attr-defined]


def _hearthstone() -> tuple[Any, ...]:
    decks = ("thesis_paladin", "thesis_warrior")
    return MatchSetup.of(*decks, rules="thesis"), MatchSetup.of("mage", "warrior")


def _spire() -> tuple[Any, ...]:
    return tuple(game("spire").setup_from_json({"scenario": name}) for name in ("starter", "batter"))


def _dominion(players: int = 2) -> tuple[Any, ...]:
    of = game("dominion")
    return tuple(of.with_seats(of.setup_from_words([name]), players) for name in ("First Game", "Deck Top"))


def _only(name: str) -> tuple[Any, ...]:
    return (game(name).setup_from_words([]),)


CASES = {
    "hearthstone": Case("hearthstone", _hearthstone, 2, ("greedy", "random")),
    "two players": Case(TOY, lambda: _toy(2), 2),
    "one player": Case(TOY, lambda: _toy(1), 1),
    "three players": Case(TOY, lambda: _toy(3), 3),
    "four players": Case(TRIBUTE, lambda: (tribute.Court(4), tribute.Court(4, coins=3)), 4),
    "spire": Case("spire", _spire, 1),
    "dominion": Case("dominion", _dominion, 2),
    "dominion, three players": Case("dominion", lambda: _dominion(3), 3, ("bigmoney", "random", "bigmoney"), 1),
    "caveman": Case("caveman", lambda: _only("caveman"), 2, ("clubs", "hunters")),
    "ascension": Case("ascension", lambda: _only("ascension"), 2, ("runes", "power")),
}


LONG = ("caveman", "ascension")  # random matches last up to 100 rounds
PARAMS = [pytest.param(case, id=name, marks=[pytest.mark.long] * (name in LONG)) for name, case in CASES.items()]


@pytest.fixture(params=PARAMS)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def rows(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / "games.parquet").to_pylist()
    return found


# -- what a game promises


def test_legality_checks_agree(case: Case) -> None:
    """`illegal_reason` and `legal_actions` agree; JSON, text and pickle round-trip; `apply` does not modify states."""
    of, rng = case.game, Random(3)
    state = of.start(case.setups()[0], rng)
    met = 0
    while of.outcome(state) is None:
        actions = of.legal_actions(state)
        assert list(of.legal_actions(of.observe(state, of.to_move(state)))) == list(actions)
        for action in actions[:20]:
            assert of.illegal_reason(state, action) is None
            assert of.action_from_json(json.loads(json.dumps(of.action_to_json(action)))) == action
            assert of.action_from_text(of.action_to_text(action)) == action
        assert of.illegal_reason(state, of.default_action(state)) is None
        choice = of.decide_prompt(state) if isinstance(of, HasPrompts) else None
        assert choice is None or of.illegal_reason(state, choice) is None
        if met % 7 == 0:
            assert of.state_from_json(json.loads(json.dumps(of.state_to_json(state)))) == state
            assert of.state_from_text(of.state_to_text(state)) == state
            there = pickle.loads(pickle.dumps(state))  # as an agent in another process gets it
            assert of.state_to_text(there) == of.state_to_text(state)
            assert list(of.legal_actions(there)) == list(actions)
            assert of.show(state)
            assert len(of.seat_names(state)) == of.seats(state) == case.seats
        action = actions[int(rng.random() * len(actions))]
        rng_state = rng.getstate()
        after = of.apply(state, action, rng)
        rng.setstate(rng_state)
        assert of.apply(state, action, rng) == after
        assert "\n" not in of.describe_action(state, action, after)
        assert (of.turn(after), 0) >= (of.turn(state), 0)
        state, met = after, met + 1
    assert not of.legal_actions(state)
    end = of.outcome(state)
    assert end is not None
    assert len(end.points) == case.seats
    assert of.setup_from_json(json.loads(json.dumps(of.setup_to_json(case.setups()[0])))) == case.setups()[0]


@pytest.mark.parametrize("junk", [None, 7, "end", [], {}, object(), ("play",), float("nan")])
def test_legality_of_any_value_can_be_checked(case: Case, junk: Any) -> None:
    of = case.game
    state = of.start(case.setups()[0], Random(3))
    why = of.illegal_reason(state, junk)
    assert why
    assert "\n" not in why


# -- matches, logs and replays


def test_seed_decides_the_match(case: Case) -> None:
    one, same, other = case.play(), case.play(), case.play(8)
    assert one.to_dict(seconds=False) == same.to_dict(seconds=False)
    assert one.to_dict(seconds=False) != other.to_dict(seconds=False)


def test_log_verifies_and_tampering_is_found(case: Case) -> None:
    text = json.dumps(case.play().to_dict())
    verdict = verify_log(json.loads(text), case.game)
    assert verdict.ok, verdict.problem
    assert verdict.moves == len(list(walk(verdict.record))) > 0
    last = json.loads(text)["turns"][-1]

    def tampered(change: Callable[[dict[str, Any]], object]) -> str | None:
        log = json.loads(text)
        change(log)
        return verify_log(log, case.game).problem

    place = f"turn {last['turn']}, action {len(last['moves'])} ("
    for found, change in (
        ("the deal: ", lambda log: log.update(start="0" * 16)),
        (place, lambda log: log["turns"][-1]["moves"][-1].update(digest="0" * 16)),
        ("the end: ", lambda log: log["turns"][-1]["moves"].pop()),
        ("the end: ", lambda log: log["outcome"].update(reason="magic")),
        ("the end: ", lambda log: log["outcome"].update(rounds=99)),
        ("the end: ", lambda log: log["outcome"].update(points=[0.125] * case.seats)),
        (f"turn {last['turn']}: ", lambda log: log["turns"][-1].update(seat=5)),
    ):
        assert str(tampered(change)).startswith(found)


def test_match_needs_an_agent_for_each_seat(case: Case) -> None:
    with pytest.raises(PlannerError, match=f"agents: this match needs {case.seats} agents, got 5"):
        play_match(["random"] * 5, case.setups()[0], 7, case.of)


# -- tournaments


def test_number_of_workers_does_not_matter(case: Case, tmp_path: Path) -> None:
    experiment = case.experiment()
    folders = [run_tournament(experiment, tmp_path / str(workers), workers=workers) for workers in (1, 2)]
    tables = {path.name for path in folders[0].glob("*.csv")} - {"decisions.csv"} | {"games.parquet"}
    assert ("summary.csv" in tables) == (case.seats == 1)
    assert ("places.csv" in tables) == (case.seats > 2)
    assert {"ratings.csv", "matrix.csv"} <= tables or case.seats == 1
    for name in tables:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name


def test_interrupted_run_can_be_resumed(case: Case, tmp_path: Path) -> None:
    def stop_early(progress: Progress) -> None:
        if progress.done >= 3:
            raise KeyboardInterrupt

    experiment = case.experiment()
    with pytest.raises(KeyboardInterrupt):
        run_tournament(experiment, tmp_path / "cut", workers=1, watch=stop_early)
    journal = tmp_path / "cut" / "any" / JOURNAL
    journal.write_bytes(journal.read_bytes()[:-9])  # as if the power had gone within a line
    whole = run_tournament(experiment, tmp_path / "whole", workers=1)
    assert rows(run_tournament(experiment, tmp_path / "cut", workers=1, resume=True)) == rows(whole)


def test_agent_that_breaks_the_rules_loses_only_its_own_games(case: Case, tmp_path: Path) -> None:
    more: dict[str, Any] = {"pairs": "gauntlet"} if case.seats >= 2 else {}
    games = 9 if case.seats <= 2 else 4
    experiment = case.experiment("random", RUDE, games=games, limits=TimeLimits(1.0, 30.0), **more)
    played = rows(run_tournament(experiment, tmp_path, workers=2))
    done = set()
    for row in played:
        seats = [seat for seat in range(case.seats) if row[f"p{seat + 1}"] == "Rude"]
        if not seats:
            assert row["reason"].split(":")[0] not in ("crash", "illegal action", "time")
            continue
        how = {seat: list(BEHAVIOURS)[agent_seed(row["seed"], seat) % len(BEHAVIOURS)] for seat in seats}
        done.update(how.values())
        if case.seats > 2:  # the only agent that plays by the rules is alone at last
            reasons = [row[f"p{seat + 1}_forfeit"] for seat in range(case.seats)]
            assert all(reasons[seat].startswith(BEHAVIOURS[misbehaviour]) for seat, misbehaviour in how.items())
            assert reasons[row["winner"]] == ""
            assert sorted(row[f"p{seat + 1}_place"] for seat in range(case.seats)) == list(range(1, case.seats + 1))
            continue
        assert row["reason"].startswith(BEHAVIOURS[how[seats[0]]]), how
        assert row["winner"] == (1 - seats[0] if case.seats == 2 else -1)
    assert done == set(BEHAVIOURS)


def test_any_game_of_a_tournament_can_be_played_again(case: Case, tmp_path: Path) -> None:
    text = f"game: {case.of}\nagents: [random, {{name: other, agent: random}}]\ngames: 2\nname: again\n"
    if case.of == TOY:
        setups = [list(race) for race in case.setups()]
        fields = [dict(zip(("players", "goal", "limit"), race, strict=True)) for race in setups]
        text += f"setups: {json.dumps(fields)}\n"
    elif case.of == TRIBUTE:
        text += f"setups: {json.dumps([case.game.setup_to_json(setup) for setup in case.setups()])}\n"
    elif case.of == "hearthstone":
        text += "decks: [mage, warrior]\n"
    elif case.of == "dominion":
        text += f"kingdoms: [First Game, Deck Top]\nplayers: {case.seats}\n"
        text += "pairs: first\n" if case.seats > 2 else ""  # random matches are long
    elif case.of == "spire":
        text += "scenarios: [starter, batter]\n"
    path = tmp_path / "again.yaml"
    path.write_text(text, encoding="utf-8")
    folder = run_tournament(load_experiment(path), tmp_path, workers=2)
    for row in rows(folder):
        record, problem = rerun_game(folder, row["game"])
        assert problem is None
        assert verify_log(json.loads(json.dumps(record.to_dict())), case.game).ok
        assert record.outcome.reason == row["reason"]
    games = pq.read_table(folder / "games.parquet").to_pandas()
    games.loc[1, "rounds"] += 1
    games.to_parquet(folder / "games.parquet")
    _, problem = rerun_game(folder, 1)
    assert re.fullmatch(r"rounds: \d+ in the table, \d+ when played again", str(problem))
    with pytest.raises(PlannerError, match="game 99 does not exist; games are 0 to "):
        rerun_game(folder, 99)


def test_agents_have_the_same_seeds_in_games_of_one_seat() -> None:
    case = CASES["one player"]
    games = schedule(case.experiment("random", "other", RUDE, games=3))
    assert len(games) == 3 * 3 * 2  # games, agents, setups
    seeds_by_game = {(fixture.number, fixture.setup): set[int]() for fixture in games}
    for fixture in games:
        seeds_by_game[fixture.number, fixture.setup].add(fixture.seed)
    assert all(len(seeds) == 1 for seeds in seeds_by_game.values())
    assert len({seed for seeds in seeds_by_game.values() for seed in seeds}) == len(seeds_by_game)
    alone = {(fixture.number, fixture.setup): fixture.seed for fixture in schedule(case.experiment("random", games=2))}
    assert all(seeds_by_game[key] == {seed} for key, seed in alone.items())  # whatever other agents take part


def test_toy_game_is_short() -> None:
    assert len(toy.SOURCE.splitlines()) < 80


def test_invalid_setup_of_the_toy_is_one_line() -> None:
    with pytest.raises(PlannerError, match=r"^setup: .*gaol.* is not a setup of .*unexpected keyword argument 'gaol'$"):
        CASES["one player"].game.setup_from_words(['{"players": 1, "gaol": 20}'])
