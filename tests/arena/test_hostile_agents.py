"""A hostile user agent only loses its own games; other games are not affected."""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from planner.agents.agent_spec import AgentSpec
from planner.agents.user_agents import make_user_agent
from planner.arena.match.referee import TimeLimits, agent_seed
from planner.arena.match.replay import verify_log
from planner.arena.tournament import game_worker
from planner.arena.tournament.experiment import Entry
from planner.arena.tournament.game_worker import FixturePlayer
from planner.arena.tournament.run_store import JOURNAL, STDERR
from planner.arena.tournament.runner import run_tournament
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError
from planner.game import Agent
from tests.arena.hostile import BEHAVIOURS, behaviour_of
from tests.arena.tournaments import HOSTILE, ROOT, left_behind, rows, small


def test_hostile_agent_loses_only_its_own_games(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One tournament with every kind of misbehaviour; the other games are the same as without it."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv("PLANNER_TEST_MARK", mark)
    limits = TimeLimits(move_time=1.0, game_time=30.0)
    experiment = small("random", "greedy", f"{HOSTILE}:Rotating", games=13, pairs="gauntlet", limits=limits)
    played = rows(run_tournament(experiment, tmp_path, workers=2))
    assert len(played) == 13 * 4
    done = set()
    for row in played:
        seats = [seat for seat, name in enumerate((row["p1"], row["p2"])) if name == "Rotating"]
        if seats:
            misbehaviour = behaviour_of(agent_seed(row["seed"], seats[0]))
            done.add(misbehaviour)
            # It passes until turn 3, so no game has ended before; agents that only write output may end regularly.
            assert row["reason"].startswith(BEHAVIOURS[misbehaviour][1]), misbehaviour
            assert row["winner"] == 1 - seats[0], misbehaviour
            assert row["turns"] >= 3
    assert done == set(BEHAVIOURS)
    monkeypatch.delenv("PLANNER_TEST_MARK")
    assert left_behind(mark) == []
    without = replace(experiment, name="without", agents=experiment.agents[:2])
    columns = ("p1", "p2", "number", "seed", "winner", "reason", "rounds", "p1_decisions", "p2_decisions")
    others = [[row[c] for c in columns] for row in played if "Rotating" not in (row["p1"], row["p2"])]
    assert others == [[row[c] for c in columns] for row in rows(run_tournament(without, tmp_path, workers=1))]
    assert "noise" not in "".join(capfd.readouterr())


def test_agent_that_modifies_cards_does_not_change_games(tmp_path: Path) -> None:
    """An agent that modifies every card plays the same games as an honest one with the same seeds."""
    agents = (f"{HOSTILE}:Honest", f"{HOSTILE}:Mutates")
    honest, mutates = (small("random", agent, games=2, pairs="gauntlet") for agent in agents)
    # The seed of a game depends on the names.
    renamed = replace(mutates, name="other", agents=(mutates.agents[0], Entry("Honest", mutates.agents[1].spec)))
    assert renamed.agents[1].spec.agent.endswith("Mutates")
    first, second = (rows(run_tournament(each, tmp_path, workers=1)) for each in (honest, renamed))
    assert first == second


def test_late_answers_and_bad_mulligans_lose(tmp_path: Path) -> None:
    agents = ("random", f"{HOSTILE}:Slow", f"{HOSTILE}:BadMulligan")
    experiment = small(*agents, games=1, pairs="gauntlet", limits=TimeLimits(0.3, 100.0), rules="standard")
    slow, slow_too, bad, bad_too = rows(run_tournament(experiment, tmp_path, workers=2))
    assert slow["reason"] == slow_too["reason"] == "time: no decision within 0.3 s"
    assert bad["reason"] == bad_too["reason"] == "illegal action: mulligan: must be a list of ids, got [7]"
    assert [row["winner"] for row in (slow, slow_too, bad, bad_too)] == [0, 1, 0, 1]


def test_game_time_is_limited(tmp_path: Path) -> None:
    experiment = small("random", f"{HOSTILE}:Slow", games=1, pairs="first", limits=TimeLimits(50.0, 1.0))
    (row,) = rows(run_tournament(experiment, tmp_path, workers=1))
    assert (row["winner"], row["reason"], row["turns"]) == (0, "time: more than 1 s in one game", 4)


def test_agent_that_hangs_in_its_constructor_loses_on_time(tmp_path: Path) -> None:
    limits = TimeLimits(60.0, 100.0, start_time=3.0)
    experiment = small("random", f"{HOSTILE}:HangsWhenMade", games=1, pairs="gauntlet", limits=limits)
    first, second = rows(run_tournament(experiment, tmp_path, workers=2))
    assert [(row["winner"], row["reason"]) for row in (first, second)] == [
        (0, "time: it is not created within 3 s"), (1, "time: it is not created within 3 s")
    ]  # fmt: skip


def test_hanging_import_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "sleepy.py").write_text("import time\ntime.sleep(1000)\n")
    experiment = small("random", "sleepy:Bot", limits=TimeLimits(60.0, 100.0, start_time=2.0), folders=(str(tmp_path),))
    with pytest.raises(PlannerError, match="agent 'sleepy:Bot': time: its module is not imported within 2 s"):
        run_tournament(experiment, tmp_path / "out")


def test_memory_is_limited_and_stderr_is_kept(tmp_path: Path) -> None:
    """Output is kept in its own file and does not change the tables."""
    agents = ("random", f"{HOSTILE}:Hoards", f"{HOSTILE}:Talks")
    experiment = small(*agents, games=1, pairs="gauntlet", memory=200)
    folder = run_tournament(experiment, tmp_path, workers=2)
    played = rows(folder)
    reasons = {row["reason"] for row in played if "Hoards" in (row["p1"], row["p2"])}
    assert all(reason.startswith("crash: MemoryError (hostile.py:") for reason in reasons)
    said = {line["game"]: line for line in map(json.loads, (folder / STDERR).read_text().splitlines())}
    talks = [row for row in played if "Talks" in (row["p1"], row["p2"])]
    assert set(said) == {row["game"] for row in played}
    assert all("MemoryError" in str(line) for game, line in said.items() if game not in {row["game"] for row in talks})
    for row in talks:
        (text,) = (said[row["game"]][seat] for seat in ("p1", "p2") if row[seat] == "Talks")
        assert text.startswith(f"turn {1 + (row['p2'] == 'Talks')}\nxxxx")
        assert re.search(r"\n\.\.\. \(\d+ bytes left out\)\n", text)
        assert len(text) < 4200
    assert b"xxxx" not in (folder / "games.parquet").read_bytes() + (folder / JOURNAL).read_bytes()
    player = FixturePlayer(experiment)
    try:
        record = player.match(schedule(experiment)[talks[0]["game"]], digests=True)
    finally:
        player.close()
    log = json.loads(json.dumps(record.to_dict()))
    assert any(text.startswith("turn ") for text in log["stderr"])
    assert "stderr" not in record.to_dict(seconds=False)
    assert verify_log(log).record.stderr == record.stderr


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("no_such_module:Bot", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        (f"{HOSTILE}:Raise", "tests.arena.hostile has no class Raise; did you mean 'Raises'?"),
        (f"{HOSTILE}:NoAgent", "NoAgent is not an agent: it has no decide()"),
        (f"{HOSTILE}:Unmakable", "cannot be created: RuntimeError: not today"),
        (f"{HOSTILE}:DiesWhenMade", "its process ended (exit code 4)"),
    ],
)
def test_agent_that_cannot_play_is_refused_at_the_start(tmp_path: Path, agent: str, message: str) -> None:
    with pytest.raises(PlannerError, match=r"agent '.*:.*': ") as caught:
        run_tournament(small("random", agent), tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not any(tmp_path.iterdir())


@dataclass(frozen=True)
class Trusted(AgentSpec):
    """A user's class that runs in the worker process, as a built-in agent does."""

    @property
    def is_user_code(self) -> bool:
        return False

    def make(self, game: object, seed: int, hidden_pool: object = None) -> Agent:
        return make_user_agent(self.agent, seed, [str(ROOT)])


@pytest.mark.parametrize(
    ("misbehaviour", "reason"),
    [("HangsDeaf", "time: no decision within 0.5 s"), ("Dies", "crash: the process ended (exit code 3)")],
)
def test_worker_that_hangs_or_dies_is_replaced(misbehaviour: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver of a built-in agent can hang or crash, too."""
    monkeypatch.setattr(game_worker, "GRACE_SECONDS", 0.2)
    plain = small(games=2, pairs="gauntlet", limits=TimeLimits(0.5, 100.0))
    experiment = replace(plain, agents=(plain.agents[0], Entry("bad", Trusted(f"{HOSTILE}:{misbehaviour}"))))
    watched = game_worker.Guard()
    try:
        bad = watched.play(experiment, schedule(experiment)[:2])
        assert [(r.winner, r.reason, r.turns) for r in bad] == [(0, reason, 4), (1, reason, 3)]
        fine = watched.play(plain, schedule(plain)[:])
        assert [r.reason for r in fine] == ["damage"] * 4
    finally:
        watched.close()


def test_nested_answers_lose_the_game_only(tmp_path: Path) -> None:
    experiment = small("random", f"{HOSTILE}:Nests", games=1, pairs="first")
    (row,) = rows(run_tournament(experiment, tmp_path, workers=1))
    assert (row["winner"], row["reason"]) == (0, "illegal action: what came is not an answer")


def test_an_error_in_the_worker_ends_the_run_with_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    plain = small(games=1, pairs="first")
    experiment = replace(plain, agents=(plain.agents[0], Entry("bad", Trusted(f"{HOSTILE}:NoAgent"))))
    watched = game_worker.Guard()
    try:
        with pytest.raises(PlannerError, match=r"NoAgent is not an agent: it has no decide\(\)"):
            watched.play(experiment, schedule(experiment)[:])
    finally:
        watched.close()
    assert capfd.readouterr().err == ""
