"""Games that start from given positions, and games that the match runner adjudicates."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from planner.agents.agent_spec import agent_spec
from planner.arena.match.fast_matches import check_match, match_player
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import TimeLimits, play_match, seeds_of_match
from planner.arena.match.replay import verify_log
from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.experiment_file import read_experiment
from planner.arena.tournament.rerun import game_numbers, rerun_game
from planner.arena.tournament.runner import run_tournament
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError
from planner.games import load_game
from planner.games.hearthstone import engine
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.match_setup import MatchSetup
from planner.match_options import Adjudication, Resign, StartPosition, is_adjudicated, read_positions
from tests.arena.helpers import SHORT, decks
from tests.arena.tournaments import rows
from tests.arena.tournaments import small as small_tournament

TABLES = ("games.parquet", "matrix.csv", "ratings.csv")
MIDDLE = Adjudication(max_turns=7)
CLEAR = Adjudication(resign=Resign(turns=3, score=0.8))
BOTH = Adjudication(max_turns=12, resign=Resign(turns=2, score=0.9))


def positions(count: int = 4, turns: int = 6) -> list[StartPosition]:
    """Return states from the middle of random matches, of both seats, with cards in both decks."""
    found: list[StartPosition] = []
    for seed in range(count):
        rng = Random(seed)
        state = GAME.start(MatchSetup(decks(), SHORT), rng)
        while state.turn < turns + seed % 2:
            state = GAME.apply(state, rng.choice(list(GAME.legal_actions(state))[:20]), rng)
        found.append(StartPosition(f"test:{seed + 1}", state))
    return found


def position_file(folder: Path, count: int = 3) -> Path:
    path = folder / "openings.txt"
    lines = [GAME.state_to_text(position.state) for position in positions(count)]
    path.write_text("# from random matches\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def experiment(folder: Path, **fields: object) -> Experiment:
    """Return an experiment of two agents over three positions."""
    position_file(folder)
    document = {"agents": ["greedy", "random"], "positions": "openings.txt", "games": 6, "seed": 3, "audit": 1}
    return read_experiment(json.dumps({**document, **fields}), folder / "mine.yaml")


# -- matches


@pytest.mark.parametrize("adjudication", [Adjudication(), MIDDLE, CLEAR, BOTH], ids=["none", "turns", "resign", "both"])
@pytest.mark.parametrize("names", [("greedy", "random"), ("aggro_face", "greedy"), ("random", "true_balanced")])
@pytest.mark.skipif(not engine.available(), reason="needs the compiled engine")
def test_engine_and_match_runner_play_the_same_matches(names: tuple[str, str], adjudication: Adjudication) -> None:
    specs = [agent_spec(name) for name in names]
    reasons = set()
    for setup in (*positions(), MatchSetup(decks(), SHORT)):
        player = match_player(GAME, setup, specs, TimeLimits(), adjudication)
        assert player is not None
        for seed, match in enumerate(player.play([seeds_of_match(seed, 2) for seed in range(8)], with_moves=True)):
            assert match is not None
            check_match(match, play_match(names, setup, seed, GAME, adjudication=adjudication))
            reasons.add(match.reason.partition(":")[0])
    assert ("adjudication" in reasons) == (adjudication != Adjudication())


def test_start_shuffles_the_decks_and_keeps_everything_else() -> None:
    position = positions()[1]
    first, second = (play_match(("random", "random"), position, seed).initial for seed in (1, 2))
    before = position.state
    assert first.me.deck != second.me.deck
    for after in (first, second):
        assert sorted(after.me.deck) == sorted(before.me.deck)
        assert after.me._replace(deck=()) == before.me._replace(deck=())
        assert after.enemy._replace(deck=()) == before.enemy._replace(deck=())
        assert (after.turn, after.seat, after.rules) == (before.turn, before.seat, before.rules)


@pytest.mark.parametrize("adjudication", [Adjudication(), MIDDLE, CLEAR])
def test_log_of_such_a_match_is_verified(adjudication: Adjudication) -> None:
    for position in positions(2):
        record = play_match(("greedy", "random"), position, 5, digests=True, adjudication=adjudication)
        log = json.loads(json.dumps(record.to_dict()))
        assert verify_log(log).problem is None
        read = MatchRecord.from_dict(log)
        assert (read.setup, read.adjudication, read.outcome) == (position, adjudication, record.outcome)


def test_log_with_another_adjudication_is_refused() -> None:
    record = play_match(("greedy", "random"), MatchSetup(decks(), SHORT), 5, digests=True, adjudication=MIDDLE)
    assert record.outcome.reason == "adjudication: 7 turns"
    assert record.outcome.points == (0.5, 0.5)
    assert len([turn for turn in record.turns if turn.number]) == 7
    log = record.to_dict()
    problems = {
        "never": verify_log({key: value for key, value in log.items() if key != "adjudication"}).problem,
        "earlier": verify_log({**log, "adjudication": {"max_turns": 6}}).problem,
        "later": verify_log({**log, "adjudication": {"max_turns": 8}}).problem,
        "winner": verify_log({**log, "outcome": {**log["outcome"], "points": [1, 0]}}).problem,
    }
    assert "the match is not over" in str(problems["never"])
    assert "turn 7: expected more turns" in str(problems["earlier"])
    assert "the match is not over" in str(problems["later"])
    assert "the end: expected player 1 wins" in str(problems["winner"])


def test_resign_needs_the_estimate_for_so_many_turns_in_a_row() -> None:
    setup = MatchSetup(decks(), SHORT)
    record = play_match(("greedy", "random"), setup, 2, digests=True, adjudication=CLEAR)
    assert record.outcome.reason == "adjudication: estimate of 0.8 or more for 3 turns"
    assert record.outcome.winner == 0
    # The estimates after each turn, from the states before the next turn's first move.
    numbers = [turn.number for turn in record.turns for _ in turn.moves]
    after = [record.states[index] for index in range(1, len(numbers)) if numbers[index - 1] not in (0, numbers[index])]
    shares = [GAME.estimate_points(state)[0] >= 0.8 for state in (*after, record.final)]
    assert shares[-3:] == [True] * 3
    assert not any(all(shares[end - 3 : end]) for end in range(3, len(shares)))


@pytest.mark.parametrize(("game_name", "setup"), [("spire", "starter"), ("dominion", "First Game")])
def test_other_games_start_from_states_and_are_adjudicated(game_name: str, setup: str) -> None:
    game = load_game(game_name)
    rng = Random(1)
    state = game.start(game.setup_from_words([setup]), rng)
    for _ in range(12):
        state = game.apply(state, rng.choice(list(game.legal_actions(state))), rng)
    position = StartPosition("test", state)
    agents = ["random"] * game.seats(state)
    for rules in (Adjudication(), Adjudication(max_turns=2), Adjudication(resign=Resign(2, 0.51))):
        record = play_match(agents, position, 3, game, digests=True, adjudication=rules)
        assert verify_log(json.loads(json.dumps(record.to_dict()))).problem is None
    short = play_match(agents, position, 3, game, adjudication=Adjudication(max_turns=2)).outcome
    assert is_adjudicated(short.reason)
    assert set(short.points) == ({0.0} if len(agents) == 1 else {0.5})


# -- tournaments


def test_each_position_is_played_from_both_seats(tmp_path: Path) -> None:
    loaded = experiment(tmp_path, pairs="round_robin", agents=["greedy", "random", "aggro_face"])
    games = [(loaded.setups[game.setup].name, game.agents, game.pair, game.seed) for game in schedule(loaded)]
    assert {name for name, *_ in games} == {"openings:2", "openings:3", "openings:4"}
    for name, agents, pair, seed in games:
        assert (name, agents[::-1], pair, seed) in games


def test_resumed_run_with_positions_and_adjudication_has_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where `rerun_game` looks for the file of the positions
    loaded = experiment(tmp_path, max_turns=20, resign={"turns": 2, "score": 0.9})
    whole = run_tournament(loaded, tmp_path / "whole", workers=1)
    folder = run_tournament(loaded, tmp_path / "again", workers=2)
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "finished": False}))
    journal.write_bytes(b"".join(lines[:7]) + lines[7][:20])  # as after kill -9 in the middle of a line
    for name in TABLES:
        (folder / name).unlink()
    run_tournament(loaded, tmp_path / "again", workers=2, resume=True)
    assert [(whole / name).read_bytes() for name in TABLES] == [(folder / name).read_bytes() for name in TABLES]
    games = rows(whole)
    adjudicated = [game for game in games if is_adjudicated(game["reason"])]
    assert 0 < len(adjudicated) < len(games)
    counts = json.loads((whole / "manifest.json").read_text())["adjudicated"]
    assert sum(counts.values()) == len(adjudicated)
    assert game_numbers(whole) == list(range(24))
    for number in (0, 5, adjudicated[0]["game"]):
        record, problem = rerun_game(whole, number)
        assert problem is None
        assert verify_log(record).problem is None


def test_match_runner_plays_the_tables_of_the_engine(tmp_path: Path) -> None:
    loaded = experiment(tmp_path, resign={"turns": 2, "score": 0.9}, audit=0)
    fast = run_tournament(loaded, tmp_path / "fast", workers=1)
    for game, row in zip(schedule(loaded), rows(fast), strict=True):
        names = [loaded.names[agent] for agent in game.agents]
        record = play_match(names, loaded.setups[game.setup], game.seed, adjudication=loaded.adjudication)
        winner = -1 if record.outcome.winner is None else record.outcome.winner
        assert (row["winner"], row["reason"], row["rounds"]) == (winner, record.outcome.reason, record.outcome.rounds)


def test_off_by_default_and_old_digests_stay_valid(tmp_path: Path) -> None:
    plain = small_tournament()
    assert plain.adjudication == Adjudication()
    assert replace(plain, adjudication=Adjudication()).digest == plain.digest
    assert replace(plain, adjudication=MIDDLE).digest != plain.digest
    folder = run_tournament(plain, tmp_path, workers=1)
    assert "adjudicated" not in json.loads((folder / "manifest.json").read_text())
    assert b"adjudicated" not in (folder / "matrix.csv").read_bytes()


# -- mistakes


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"decks": "mage"}, "decks: remove it"),
        ({"rules": "thesis"}, "rules: remove it"),
        ({"positions": "nothing.txt"}, "nothing.txt: no such file"),
        ({"pairs": "first"}, "pairs: with positions, agents play each of them from both seats; use gauntlet"),
        ({"swap": "none"}, "swap: with positions, agents play each of them from both seats; use seats"),
        ({"open_decks": True}, "open_decks: needs decks"),
        ({"max_turns": 0}, "max_turns: must be between 1 and 1000000, got 0"),
        ({"resign": {"turns": 3}}, "resign: score: is missing"),
        ({"resign": {"turns": 3, "score": 0.5}}, "resign: score: must be above 0.5"),
        ({"resign": {"turns": 3, "score": 0.9, "elo": 1}}, "resign: unknown field 'elo'"),
        ({"resign": 3}, "resign: must be a mapping such as {turns: 4, score: 0.9}, got 3"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, fields: dict[str, object], message: str) -> None:
    with pytest.raises(PlannerError) as error:
        experiment(tmp_path, **fields)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("4 mana | me 9hp | enemy 12hp: 9/9 tunt", "states.txt:1:"),
        ('{"mana": 1, "me": {"hero": {"health": 9}, "hand": 2}, "enemy": {"hero": {"health": 9}}}', "unknown cards"),
        ('{"finished": true, "mana": 1, "me": {"hero": {"health": 0}}, "enemy": {"hero": {"health": 9}}}', "over"),
        ("  # nothing", "contains no states"),
        ('{"game": "dominion", "mana": 1}', "states.txt:1: game: the matches are of hearthstone"),
    ],
)
def test_bad_positions_name_the_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "states.txt"
    path.write_text(line + "\n")
    with pytest.raises(PlannerError) as error:
        read_positions(GAME, path)
    assert "states.txt" in str(error.value)
    assert message in str(error.value)


def test_positions_may_name_their_game_and_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "states.txt"
    line = json.dumps({"game": "hearthstone", **GAME.state_to_json(positions(1)[0].state)})
    path.write_text(f"\ufeff{line}\n", encoding="utf-8")
    assert [position.state for position in read_positions(GAME, path)] == [positions(1)[0].state]
