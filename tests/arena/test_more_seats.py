"""Matches and tournaments of more than two seats: turns with reactions, forfeits, schedules, tests and reports."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from planner import load_results
from planner.agents.agent_spec import agent_spec
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import TimeLimits, play_match
from planner.arena.match.replay import verify_log, walk_turns
from planner.arena.tournament.early_stopping import Stopping
from planner.arena.tournament.experiment import Entry, Experiment, SprtOptions
from planner.arena.tournament.game_result import Result, forfeited, half_points, other_seats, result_of
from planner.arena.tournament.journal import Journal
from planner.arena.tournament.runner import Progress, run_tournament
from planner.arena.tournament.schedule import UNPAIRED, Fixture, schedule
from planner.cli import main
from planner.errors import PlannerError
from planner.game import Outcome
from tests.arena.tournaments import ROOT
from tests.games import toy, tribute
from tests.games.tribute import Court, Realm

TRIBUTE = tribute.GAME
RUDE = "tests.arena.rude:Rude"
CRASHING = "tests.arena.rude:Crashing"


class Scripted:
    """Demands once a turn and always pays; misbehaves at the decision with this number."""

    def __init__(self, fault_at: int | None = None, fault: str = "raise") -> None:
        self.name, self.fault_at, self.fault, self.decisions = "scripted", fault_at, fault, 0

    def decide(self, state: Realm) -> Any:
        self.decisions += 1
        if self.decisions == self.fault_at:
            if self.fault == "raise":
                raise ZeroDivisionError("no")
            return "nonsense"
        if state.asked:
            return "pay"
        return "rest" if state.demands else "demand"


def play(*agents: Scripted, limit: int = 8) -> MatchRecord:
    return play_match(list(agents), Court(len(agents), 6, limit), 3, TRIBUTE, digests=True)


# -- outcomes


def test_places_are_shared_and_points_are_the_share_of_others_beaten() -> None:
    outcome = Outcome.ranked((5, 9, 5, 1), "coins", 3)
    assert outcome.places == (2, 1, 2, 4)
    assert outcome.points == pytest.approx((0.5, 1.0, 0.5, 0.0))
    assert (outcome.winner, str(outcome)) == (1, "player 2 wins by coins")
    shared = Outcome.ranked(((3, -1), (3, -1), (3, -2)), "coins", 3)
    assert shared.places == (1, 1, 3)
    assert (shared.winner, str(shared)) == (None, "player 1 and player 2 share first place by coins")
    assert str(Outcome.ranked((1, 1, 1), "coins", 3)) == "a draw by coins"
    assert Outcome.ranked((2, 1), "coins", 3) == Outcome((1.0, 0.0), "coins", 3)
    assert Outcome.ranked((1, 1), "coins", 3).points == (0.5, 0.5)


# -- turns


def test_decisions_of_others_do_not_split_a_turn() -> None:
    record = play(Scripted(), Scripted(), Scripted())
    assert [turn.number for turn in record.turns] == list(range(1, 9))
    assert [turn.seat for turn in record.turns] == [(number - 1) % 3 for number in range(1, 9)]
    for turn in record.turns:
        own, following, last = turn.seat, (turn.seat + 1) % 3, (turn.seat + 2) % 3
        assert [turn.seat_of(move) for move in turn.moves] == [own, following, last, own]
        assert [move.seat for move in turn.moves] == [None, following, last, None]
    assert result_of(0, record, 0.0).turns == 8
    # 8 turns: two decisions in own turns, one in each other turn.
    assert result_of(0, record, 0.0).decisions == (2 * 3 + 5, 2 * 3 + 5, 2 * 2 + 6)
    for before, turn, chance in walk_turns(record):  # as judging a turn sees it: all decisions of the turn
        state = before
        for move in turn.moves:
            assert TRIBUTE.turn(state) == turn.number
            state = TRIBUTE.apply(state, move.action, chance)
        assert TRIBUTE.turn(state) == turn.number + 1


def test_log_names_the_seat_of_a_reaction_and_a_wrong_one_is_found() -> None:
    record = play(Scripted(), Scripted(), Scripted())
    log = json.loads(json.dumps(record.to_dict()))
    assert [move.get("seat") for move in log["turns"][0]["moves"]] == [None, 1, 2, None]
    assert json.loads(json.dumps(MatchRecord.from_dict(log, TRIBUTE).to_dict())) == log
    log["turns"][0]["moves"][1]["seat"] = 2
    problem = str(verify_log(log, TRIBUTE).problem)
    assert problem.startswith("turn 1, action 2 (")
    assert problem.endswith("expected player 3, actual player 2 decides")


def test_limit_of_actions_counts_those_of_the_deciding_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planner.arena.match.referee.MAX_TURN_ACTIONS", 2)
    assert play(Scripted(), Scripted(), Scripted()).forfeits == ()  # four decisions in a turn, two of its owner
    monkeypatch.setattr("planner.arena.match.referee.MAX_TURN_ACTIONS", 1)
    record = play(Scripted(), Scripted(), Scripted())
    assert [(lost.seat, lost.reason) for lost in record.forfeits] == [
        (seat, "illegal action: no end of the turn after 1 actions") for seat in (0, 1)
    ]


# -- forfeits


@pytest.mark.parametrize("fault", ["raise", "illegal"])
def test_others_play_on_after_a_forfeit(fault: str) -> None:
    record = play(Scripted(), Scripted(2, fault), Scripted())
    assert record.outcome.reason == "coins"
    assert len(record.turns) == 8
    (forfeit,) = record.forfeits
    assert (forfeit.seat, forfeit.reason.split(":")[0]) == (1, "crash" if fault == "raise" else "illegal action")
    assert record.outcome.places[1] == 3
    moves = [(turn.seat_of(move), move.action) for turn in record.turns for move in turn.moves]
    after = [action for seat, action in moves[forfeit.move :] if seat == 1]
    assert set(after) == {"refuse", "rest"}  # the default actions
    result = result_of(5, record, 0.1)
    assert (result.places, result.forfeits) == (record.outcome.places, ("", forfeit.reason, ""))


def test_forfeited_seat_is_last_even_if_it_had_the_most_points() -> None:
    class Greedy(Scripted):
        def decide(self, state: Realm) -> Any:
            action = super().decide(state)
            return "refuse" if action == "pay" else action

    def shields(game: Any, setup: Court, rng: Random) -> Realm:
        return Realm(setup, (90, 5, 3), (True, False, False))

    game = type("Rich", (tribute.Tribute,), {"start": shields})()
    agents = [Scripted(3), Greedy(), Greedy()]
    record = play_match(agents, Court(3), 3, game)
    assert record.final.coins[0] == 90
    assert record.outcome.places[0] == 3


def test_last_seat_without_a_forfeit_wins_and_the_first_forfeit_is_last() -> None:
    record = play(Scripted(2), Scripted(4), Scripted(), Scripted(3))
    assert [forfeit.seat for forfeit in record.forfeits] == [0, 3, 1]
    assert record.outcome.places == (4, 2, 1, 3)
    assert record.outcome.reason.startswith("crash: ZeroDivisionError")
    assert verify_log(json.loads(json.dumps(record.to_dict())), TRIBUTE).ok


def test_forfeit_by_game_time_lets_the_others_play_on() -> None:
    class Slow(Scripted):
        def decide(self, state: Realm) -> Any:
            import time

            time.sleep(0.06)
            return super().decide(state)

    agents = [Slow(), Scripted(), Scripted()]
    record = play_match(agents, Court(3), 3, TRIBUTE, limits=TimeLimits(1.0, 0.1))
    assert [forfeit.reason for forfeit in record.forfeits] == ["time: more than 0.1 s in one game"]
    assert record.outcome.reason == "coins"


def test_replay_checks_the_moves_after_a_forfeit() -> None:
    record = play(Scripted(), Scripted(2), Scripted())
    log = json.loads(json.dumps(record.to_dict()))
    assert verify_log(log, TRIBUTE).ok
    without = {key: value for key, value in log.items() if key != "forfeits"}
    assert str(verify_log(without, TRIBUTE).problem).startswith("the end: ")
    earlier = {**log, "forfeits": [{**log["forfeits"][0], "move": 0}]}
    assert "the default action, after the forfeit of player 2" in str(verify_log(earlier, TRIBUTE).problem)
    with pytest.raises(PlannerError, match=r"log: forfeits\[0\].seat: must be between 0 and 2, got 7"):
        verify_log({**log, "forfeits": [{"seat": 7, "move": 1, "reason": "time: x"}]}, TRIBUTE)


def test_game_lost_with_its_process_ranks_only_that_seat_last() -> None:
    result = forfeited(Fixture(4, (0, 1, 2), 0, 0, 1, -1), 1, 7, "crash: the process ended", 0.5)
    assert (result.places, result.forfeits, result.winner) == ((1, 3, 1), ("", "crash: the process ended", ""), -1)
    assert [half_points(result, seat, other_seats(seat, 3)) for seat in range(3)] == [3, 0, 3]


def test_journal_keeps_places_and_forfeits(tmp_path: Path) -> None:
    played = result_of(0, play(Scripted(), Scripted(2), Scripted()), 0.0)
    clean = result_of(1, play(Scripted(), Scripted(), Scripted()), 0.0)
    journal = Journal(tmp_path / "journal.jsonl", 2)
    journal.append([played, clean], 0.1)
    for result in (played, clean):
        kept = journal[result.position]
        assert (kept.places, kept.forfeits) == (result.places, result.forfeits)
    journal.close()


# -- schedules


def experiment(*agents: str, seats: int = 3, games: int = 1, **changes: Any) -> Experiment:
    names = agents or ("a", "b", "c")
    entries = tuple(Entry(name, agent_spec(name if ":" in name else "random", TRIBUTE)) for name in names)
    setups = (Court(seats), Court(seats, coins=3))
    limits = TimeLimits(move_time=30.0, game_time=100.0)
    values = {"limits": limits, "folders": (str(ROOT),), "seed": 7, **changes}
    return Experiment("more", entries, setups, games, TRIBUTE.name, seats, **values)


@pytest.mark.parametrize(("agents", "seats", "pairs", "games"), [
    (3, 3, "round_robin", 6), (5, 3, "round_robin", 60), (4, 4, "round_robin", 24), (2, 3, "all", 8), (3, 4, "all", 81),
    (3, 3, "gauntlet", 6), (3, 4, "gauntlet", 8), (3, 4, "first", 2),
])  # fmt: skip
def test_all_seat_orders_are_balanced(agents: int, seats: int, pairs: str, games: int) -> None:
    plan = schedule(experiment(*"abcdefgh"[:agents], seats=seats, games=2, pairs=pairs))
    assert len(plan) == 2 * games
    assert [fixture.position for fixture in plan] == list(range(2 * games))
    assert Counter(fixture.agents for fixture in plan).most_common()[0][1] == 2
    if pairs == "first":
        assert {fixture.pair for fixture in plan} == {UNPAIRED}
        return
    by_pair: dict[int, list[Fixture]] = {}
    for fixture in plan:
        if fixture.pair != UNPAIRED:
            by_pair.setdefault(fixture.pair, []).append(fixture)
        else:
            assert len(set(fixture.agents)) == 1
    for fixtures in by_pair.values():
        assert len({fixture.seed for fixture in fixtures}) == 1
        assert [fixture.position for fixture in fixtures] == list(
            range(fixtures[0].position, fixtures[0].position + len(fixtures))
        )
        orders = set(permutations(fixtures[0].agents))
        assert {fixture.agents for fixture in fixtures} == orders
        for seat in range(seats):  # each agent sits in each seat equally often
            counts = Counter(fixture.agents[seat] for fixture in fixtures)
            assert all(
                count * seats == len(fixtures) * fixtures[0].agents.count(agent) for agent, count in counts.items()
            )
    assert len({fixture.seed for fixture in plan if fixture.pair != UNPAIRED}) == len(by_pair)


def test_game_does_not_depend_on_other_agents() -> None:
    few, many = (schedule(experiment(*names, pairs="round_robin")) for names in ("abc", "dcba"))
    seeds = {frozenset(fixture.agents): fixture.seed for fixture in many}
    assert few[0].seed == seeds[frozenset({1, 2, 3})]


@pytest.mark.parametrize(("changes", "message"), [
    ({"swap": "seats_and_decks"}, "swap: seats_and_decks needs a game of two seats"),
    ({"open_decks": True}, "open_decks: needs a game of two seats"),
    ({"pairs": "round_robin", "seats": 4}, "pairs: round_robin needs as many agents as the 4 seats, got 3"),
])  # fmt: skip
def test_fields_for_two_seats_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PlannerError, match=message):
        experiment(**changes)


def test_too_many_seatings_are_refused() -> None:
    with pytest.raises(PlannerError, match=r"pairs: all with 9 agents and 7 seats gives 4,782,969 seatings; the limit"):
        schedule(experiment(*"abcdefghi", seats=7))


# -- tournaments


def test_hostile_agent_is_last_and_the_others_play_on(tmp_path: Path) -> None:
    folder = run_tournament(
        experiment(RUDE, "a", games=2, pairs="gauntlet", limits=TimeLimits(1.0, 30.0)), tmp_path, workers=2
    )
    rows = pq.read_table(folder / "games.parquet").to_pylist()
    assert len(rows) == 6
    for row in rows:
        seat = next(seat for seat in (1, 2, 3) if row[f"p{seat}"] == "tests.arena.rude:Rude")
        assert row["reason"] == "coins"
        assert row[f"p{seat}_place"] == 3
        assert row[f"p{seat}_forfeit"].split(":")[0] in ("crash", "illegal action", "time")
        assert not any(row[f"p{other}_forfeit"] for other in (1, 2, 3) if other != seat)


@pytest.mark.parametrize("swap", ["seats", "none"])
def test_sequential_test_with_three_seats(swap: str) -> None:
    """The first agent finishes ahead of an opponent in 3 of 4 cases, about 191 Elo."""
    test = experiment("a", "b", games=300, pairs="gauntlet", swap=swap, sprt=SprtOptions(0, 100))
    rng, results = Random(2), dict[int, Result]()
    for fixture in schedule(test):
        own = fixture.agents.index(0)
        beaten = sum(rng.random() < 0.75 for _ in range(2))
        others = iter((1, 3) if beaten == 1 else (2, 3) if beaten == 2 else (1, 2))
        places = tuple(3 - beaten if seat == own else next(others) for seat in range(3))
        results[fixture.position] = Result(fixture.position, places.index(1), "", 1, 1, (1, 1, 1), places=places)
    rule = Stopping(results, schedule(test))
    rule.update()
    length = len(rule.positions())
    assert rule.stopped
    assert rule.summary()["sprt"]["decision"] == "accept H1"
    assert 5 < length < 200
    assert length % 3 == 0 or swap == "none"
    # The other way round the first agent loses.
    mirrored = {
        key: result._replace(places=tuple(4 - place for place in result.places)) for key, result in results.items()
    }
    rule = Stopping(mirrored, schedule(test))
    rule.update()
    assert rule.summary()["sprt"]["decision"] == "accept H0"


# -- commands and reports

EXPERIMENT = f"""
game: {TRIBUTE.name}
name: court
setups: [{{players: 3}}]
agents: [random, {{name: other, agent: random}}, {{name: rude, agent: "{CRASHING}"}}]
pairs: round_robin
games: 1
"""


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 0
    return capsys.readouterr().out


def test_tournament_report_and_replay_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("court.yaml").write_text(EXPERIMENT, encoding="utf-8")
    output = run(capsys, "tournament", "court.yaml", "--workers", "2")
    assert "Row agent finished ahead of the column agent, %" in output
    assert "mean place" in output
    run(capsys, "report", "court")
    page = Path("results/court/report.html").read_text(encoding="utf-8")
    for words in ("Who finished ahead of whom", "Plackett and Luce", "mean place", "Forfeits", "seat 3", "place 3"):
        assert words in page, words
    assert "Elo" in run(capsys, "report", "court", "--figures", "paper")
    written = {path.name for path in Path("paper").iterdir()}
    assert {"ahead.tex", "places.tex", "ratings.tex", "ahead.svg", "places.pdf"} <= written
    tables = json.loads(run(capsys, "report", "court", "--json"))
    assert [row["place_3"] for row in tables["places"]][-1] == 6  # the agent that crashes
    assert len(tables["seats"]) == 3 * 4
    output = run(capsys, "replay", "results/court", "--number", "0")
    assert "rude" in output
    assert "forfeited: " in output
    with pytest.raises(PlannerError, match=r"more than two seats have no matrix of pairings; read places\.csv"):
        load_results("court")


def test_play_takes_as_many_agents_as_seats(capsys: pytest.CaptureFixture[str]) -> None:
    setup = '{"players": 2, "coins": 4, "limit": 5}'
    output = run(capsys, "play", setup, "--game", TRIBUTE.name, "--agents", "random,random,random")
    assert "player 3 is played by random" in output
    assert "> player 2: " in output  # a decision in the turn of another
    assert "Coins after 2 rounds: 1" in output
    toy_setup = '{"players": 3, "goal": 10}'
    assert main(["play", toy_setup, "--game", toy.GAME.name, "--agents", "random,random"]) == 2  # type: ignore[attr-defined]
    assert capsys.readouterr().err == "error: agents: this match needs 3 agents, got 2\n"


@pytest.mark.parametrize("pairs", ["gauntlet", "all"])
def test_progress_agrees_with_the_tables(tmp_path: Path, pairs: str) -> None:
    """Seats of the same agent are not compared."""
    states: list[Progress] = []
    folder = run_tournament(experiment("a", CRASHING, pairs=pairs), tmp_path, workers=1, watch=states.append)
    places = pd.read_csv(folder / "places.csv")
    assert states[-1].games == list(places["games"])
    shares = [points / games for points, games in zip(states[-1].points, states[-1].games, strict=True)]
    assert shares == pytest.approx(list(places["score"]), abs=1e-4)


def test_a_game_with_too_many_seats_is_refused() -> None:
    """The heartbeat of a worker has room for fifteen; the loss of seat 17 would count for seat 1."""
    assert len(schedule(experiment("a", "b", seats=15, pairs="gauntlet"))) == 15
    with pytest.raises(PlannerError, match="at most 15 seats, this one has 16"):
        experiment("a", "b", seats=16, pairs="gauntlet")
