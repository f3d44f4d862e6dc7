"""A language model as an agent, against a real HTTP server on this machine that answers well, badly or not at all."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest

from planner.agents.agent_spec import agent_spec, make_agent
from planner.agents.chat_endpoint import MAX_REPLY_BYTES
from planner.agents.language_model import LanguageModelAgent, read_choice
from planner.arena.match.referee import play_match
from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.runner import run_tournament
from planner.errors import PlannerError
from planner.game import AnyGame
from planner.games import load_game
from tests.games import tribute

KEY = "secret-key-of-the-test"
Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def say(text: Any) -> Answer:
    def answer(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        reply = {"choices": [{"message": {"content": text}}], "usage": {"total_tokens": 7}}
        send(handler, json.dumps(reply).encode())

    return answer


def status(code: int) -> Answer:
    return lambda handler, request: send(handler, b"{}", code)


def garbage(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    send(handler, b"\xff\x00<html>")


def endless(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    send(handler, b"x" * (MAX_REPLY_BYTES + 100_000))


def never(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    time.sleep(1.5)


def drip(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(15):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)


def slowly(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    time.sleep(0.1)
    say("1")(handler, request)


class Server:
    """Answers each request by the next answer of the list, and then always by the last one."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(request)
                outer.keys.append(self.headers["Authorization"])
                answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                with suppress(OSError):  # the client has gone
                    answer(self, request)

            def log_message(self, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_port}/v1/chat/completions"
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("TEST_KEY", KEY)
    running = Server()
    yield running
    running.close()


def model_file(folder: Path, **fields: Any) -> Path:
    path = folder / "model.yaml"
    settings = {"model": "test", "reasoning": False, "timeout": 0.5, **fields}
    path.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in settings.items()), encoding="utf-8")
    return path


def decide(server: Server, folder: Path, *answers: Answer, **fields: Any) -> tuple[LanguageModelAgent, Any, Any]:
    """Return the agent, its decision in a battle, and the state."""
    server.answers = list(answers)
    game = load_game("spire")
    path = model_file(folder, address=server.address, record="calls.jsonl", **fields)
    agent = make_agent(f"llm:{path}", 1, game)
    assert isinstance(agent, LanguageModelAgent)
    state = game.start(game.setup_from_words(["starter"]), Random(1))
    return agent, agent.decide(state), state


def test_a_good_reply_is_the_action_with_this_number(server: Server, tmp_path: Path) -> None:
    agent, action, state = decide(server, tmp_path, say(" 2\n"), key_variable="TEST_KEY")
    assert action == load_game("spire").legal_actions(state)[1]
    assert (agent.decisions, agent.fallbacks, len(server.requests)) == (1, 0, 1)
    assert server.keys == [f"Bearer {KEY}"]
    prompt = server.requests[0]["messages"][1]["content"]
    assert "Jaw Worm 40/40" in prompt
    assert "1. You play Defend" in prompt
    assert "and nothing else" in prompt
    line = json.loads((tmp_path / "calls.jsonl").read_text(encoding="utf-8"))
    assert line["fallback"] is False
    assert line["calls"][0]["reply"] == " 2\n"
    assert line["calls"][0]["tokens"] == 7


def test_a_model_may_reason_before_it_answers(server: Server, tmp_path: Path) -> None:
    _, action, state = decide(server, tmp_path, say("7 damage is most.\n\nACTION: 3"), reasoning=True)
    assert action == load_game("spire").legal_actions(state)[2]
    assert "step by step" in server.requests[0]["messages"][1]["content"]


def test_names_can_be_anonymous(server: Server, tmp_path: Path) -> None:
    decide(server, tmp_path, say("1"), names="anonymous")
    sent = json.dumps(server.requests)
    assert "Card" in sent
    for name in ("Jaw Worm", "Strike", "Defend", "spire"):
        assert name not in sent


@pytest.mark.parametrize(
    ("answer", "problem", "requests"),
    [
        (say("I cannot help with that."), "it is not a number", 3),
        (say("0"), "0 is not the number of an action; they go from 1 to", 3),
        (say("999"), "999 is not the number of an action", 3),
        (say(""), "it is empty", 3),
        (say("1" * 200_000), "it is longer than 100,000 characters", 3),
        (say(None), "the reply has no text", 3),
        (say({"a": 1}), "the reply has no text", 3),
        (garbage, "did not answer as a chat endpoint does", 3),
        (endless, "a reply of more than 1,000,000 bytes", 3),
        (status(429), "HTTP status 429", 3),
        (status(500), "HTTP status 500", 3),
        (status(302), "HTTP status 302", 3),
        (never, "no reply within 0.5 s", 1),
        (drip, "no reply within 0.5 s", 1),
    ],
)
def test_a_bad_endpoint_costs_the_decision_only(
    server: Server, tmp_path: Path, answer: Answer, problem: str, requests: int
) -> None:
    begin = time.perf_counter()
    agent, action, state = decide(server, tmp_path, answer)
    assert action == load_game("spire").default_action(state)
    assert (agent.fallbacks, len(server.requests)) == (1, requests)
    assert problem in json.loads((tmp_path / "calls.jsonl").read_text(encoding="utf-8"))["calls"][-1]["problem"]
    assert time.perf_counter() - begin < 5


def test_a_retry_says_what_was_wrong(server: Server, tmp_path: Path) -> None:
    agent, action, state = decide(server, tmp_path, status(500), say("99"), slowly)
    assert action == load_game("spire").legal_actions(state)[0]
    assert agent.fallbacks == 0
    assert "99 is not the number of an action" in server.requests[2]["messages"][3]["content"]


def test_no_server_at_all_costs_the_decision_only(server: Server, tmp_path: Path) -> None:
    server.close()
    agent, _, _ = decide(server, tmp_path, say("1"))
    assert agent.fallbacks == 1


def test_the_key_is_written_nowhere(server: Server, tmp_path: Path) -> None:
    decide(server, tmp_path, say(f"your key is {KEY}"), key_variable="TEST_KEY")
    recorded = (tmp_path / "calls.jsonl").read_text(encoding="utf-8")
    assert "your key is ***" in recorded
    assert KEY not in recorded


@pytest.mark.parametrize(
    ("game", "setup"),
    [
        (load_game("hearthstone"), load_game("hearthstone").setup_from_words(["mage", "warrior"])),
        (load_game("caveman"), load_game("caveman").setup_from_words([])),
        (tribute.GAME, tribute.Court()),
    ],
    ids=["hearthstone", "caveman", "tribute"],
)
def test_a_recorded_match_replays_without_the_server(server: Server, tmp_path: Path, game: AnyGame, setup: Any) -> None:
    """Also with the errors that happened, and with a recording of the replay that equals the first, byte for byte."""
    server.answers = [say("2"), status(500), say("1"), say("three"), say("2")]
    path = model_file(tmp_path, address=server.address, record="calls.jsonl")
    agents = [f"llm:{path}", *["random"] * (game.seats(game.start(setup, Random(1))) - 1)]
    first = play_match(agents, setup, 5, game, digests=True)
    server.close()
    model_file(tmp_path, replay="calls.jsonl", record="again.jsonl")
    second = play_match(agents, setup, 5, game, digests=True)
    assert [[(move.action, move.digest) for move in turn.moves] for turn in first.turns] == [
        [(move.action, move.digest) for move in turn.moves] for turn in second.turns
    ]
    assert (tmp_path / "calls.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()
    assert len((tmp_path / "calls.jsonl").read_text(encoding="utf-8").splitlines()) > 3


def test_an_experiment_names_the_file_relative_to_itself(tmp_path: Path) -> None:
    model_file(tmp_path, address="http://127.0.0.1:9/v1")
    text = "agents: ['llm:model.yaml', random]\ndecks: mage\ngames: 1\nname: own\n"
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    experiment = load_experiment(str(tmp_path / "e.yaml"))
    assert list(experiment.names) == ["model", "random"]
    assert experiment.agents[0].spec.agent == f"llm:{tmp_path / 'model.yaml'}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model: a\n", "give either an address or a recording"),
        ("address: http://a/\n", "model: is missing"),
        ("model: a\naddress: file:///etc/passwd\n", "address: must be such as"),
        ("model: a\naddress: http://a/\nretries: 99\n", "retries: must be between 0 and 10"),
        ("model: a\naddress: http://a/\nkey: b\n", "unknown field 'key'"),
    ],
)
def test_a_mistake_in_the_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlannerError, match=message):
        agent_spec(f"llm:{path}")


def test_a_missing_key_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    path = model_file(tmp_path, address="http://a/", key_variable="NO_SUCH_KEY")
    with pytest.raises(PlannerError, match="NO_SUCH_KEY has no key"):
        make_agent(f"llm:{path}", 1)


@pytest.mark.parametrize("reply", ["2.", "action 2", "2 3", "-2", "+2", "٢", "2\n3"])
def test_only_a_number_counts(reply: str) -> None:
    assert read_choice(reply, 5, False)[0] is None
    assert read_choice("2", 5, False) == (1, None)


def test_tables_of_a_tournament_count_the_fallbacks(server: Server, tmp_path: Path) -> None:
    server.answers = [say("1"), say("nonsense"), say("1"), say("nonsense")]  # and nonsense ever after
    model_file(tmp_path, address=server.address, retries=0, record="calls.jsonl")
    text = "game: spire\nagents: ['llm:model.yaml', first]\nscenarios: [bomb]\ngames: 1\nseed: 3\nname: own\n"
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    folder = run_tournament(load_experiment(str(tmp_path / "e.yaml")), str(tmp_path / "out"), 1)
    table = pd.read_csv(Path(folder) / "decisions.csv").set_index("agent")
    lines = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text(encoding="utf-8").splitlines()]
    assert table["fallbacks"].to_dict() == {"model": sum(line["fallback"] for line in lines), "first": 0}
    assert table["fallbacks"]["model"] == len(lines) - 2


def test_a_tournament_with_a_missing_key_does_not_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    model_file(tmp_path, address="http://a/", key_variable="NO_SUCH_KEY")
    text = "game: spire\nagents: ['llm:model.yaml', first]\nscenarios: [bomb]\ngames: 1\n"
    (tmp_path / "e.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(PlannerError, match="NO_SUCH_KEY has no key"):
        run_tournament(load_experiment(str(tmp_path / "e.yaml")), str(tmp_path / "out"), 1)
    assert not (tmp_path / "out").exists()
