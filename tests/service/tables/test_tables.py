"""People, agents and spectators at the tables of a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from planner.arena.match.replay import verify_log
from planner.cli import main
from tests.service.conftest import Served, served, served_bare
from tests.service.tables.table_client import Client, connected, play_out, seated

AGAINST_AGENT = [{"kind": "person"}, {"kind": "agent", "agent": "greedy"}]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with short waiting times."""
    folder = tmp_path_factory.mktemp("tables")
    settings = f"workers=1, agent_pause=0.0, journal=__import__('pathlib').Path({str(folder / 'tables.db')!r})"
    with served_bare(settings, log=folder / "log") as server:
        yield server
    log = (folder / "log").read_text(encoding="utf-8")
    assert "Traceback" not in log, log[-3000:]


def with_clients(server: Served, names: str, test: Callable[..., Awaitable[Any]]) -> Any:
    """Run a test with a connected client for each name."""

    async def run() -> Any:
        async with asyncio.timeout(60):
            clients: list[Client] = []
            async with _all(server.port, names.split(), clients):
                return await test(*clients)

    return asyncio.run(run())


class _all:  # noqa: N801  (used like a function)
    def __init__(self, port: int, names: list[str], clients: list[Client]) -> None:
        self._contexts = [connected(port, name) for name in names]
        self._clients = clients

    async def __aenter__(self) -> None:
        self._clients += [await context.__aenter__() for context in self._contexts]

    async def __aexit__(self, *error: Any) -> None:
        for context in self._contexts:
            await context.__aexit__(*error)


# -- a whole match


def test_two_people_play_to_the_end_and_the_log_is_true(tables: Served) -> None:
    async def test(ann: Client, bob: Client, eve: Client) -> None:
        table = await seated(ann, bob)
        await eve.ok("watch", table=table)
        count = await play_out([ann, bob], Random(1))
        await eve.until(lambda frame: frame["table"]["status"] == "ended")
        assert ann.frame["table"]["outcome"]["points"] in ([1, 0], [0, 1], [0.5, 0.5])
        lines = [line for frame in ann.frames for line in frame["log"]["lines"]]
        assert len(lines) == count == ann.frame["table"]["moves"]
        assert all({"turn", "seat", "words"} <= set(line) for line in lines)
        # The log can be downloaded and replayed, and the match is counted.
        log = tables.client.get(f"/tables/{table}/log").json()
        verdict = verify_log(log)
        assert (verdict.ok, verdict.moves, log["agents"]) == (True, count, ["ann", "bob"])
        counted = {entry["player"]: entry for entry in tables.client.get("/players?game=hearthstone").json()["players"]}
        assert counted[ann.player]["games"] == 1
        assert counted[ann.player]["rate"] + counted[bob.player]["rate"] == 1
        assert await eve.error("move", table=table, move=count, action={"type": "end_turn"}) == (
            "you do not sit at this table"
        )

    with_clients(tables, "ann bob eve", test)


def test_leaving_hands_the_seat_to_an_agent_or_ends_the_match(tables: Served) -> None:
    async def test(ann: Client, bob: Client) -> None:
        table = await seated(ann, bob, options={"decks": ["hunter", "priest"]})
        await bob.ok("leave", table=table)
        frame = await ann.until(lambda frame: frame["table"]["status"] == "ended" or frame["table"].get("notice"))
        assert frame["table"]["notice"] == "bob left; greedy plays on"
        assert not frame["table"]["take_back"]
        await ann.move(Random(1))
        await ann.until(lambda frame: frame["moves"])
        assert await ann.error("suggest", table=table) == "suggestions are for matches against agents"
        assert await ann.error("take_back", table=table) == (
            "only the creator can take back moves, and only against agents"
        )
        await ann.ok("leave", table=table)
        await ann.until(lambda frame: frame["table"]["status"] == "ended")
        counted = {entry["player"]: entry for entry in tables.client.get("/players").json()["players"]}
        assert {name: (counted[name]["games"], counted[name]["rate"]) for name in (ann.player, bob.player)} == {
            ann.player: (1, 0.0),
            bob.player: (1, 0.0),  # who left has lost, although an agent plays on
        }
        second = await seated(ann, bob, options={"decks": ["hunter", "priest"]}, leave={"then": "remove"})
        await bob.ok("leave", table=second)
        frame = await ann.until(lambda frame: frame["table"]["status"] == "ended")
        assert (frame["table"]["outcome"]["points"], frame["table"]["notice"]) == ([1, 0], "bob left")

    with_clients(tables, "ann bob", test)


@pytest.mark.parametrize("game", ["hearthstone", "dominion"])
def test_the_log_of_a_match_that_people_leave_is_replayed(
    tables: Served, game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def test(ann: Client, bob: Client, eve: Client) -> str:
        people = [ann, bob, eve][: 2 if game == "hearthstone" else 3]
        person = {"kind": "person"}
        table = await seated(*people, game=game, seats=[person] * len(people), leave={"then": "remove"})
        await play_out(people, Random(1), limit=9)
        moves = max(client.frame["table"]["moves"] for client in people)
        frame = await ann.until(lambda frame: frame["table"]["moves"] == moves)
        waiting = [client for client in people if client.frame["you"]["seat"] != frame["view"]["to_move"]]
        for client in waiting:
            await client.ok("leave", table=table)
        last = next(client for client in people if client not in waiting)
        frame = await last.until(lambda frame: frame["table"]["status"] == "ended")
        assert frame["table"]["outcome"]["winner"] == frame["you"]["seat"]
        return table

    table = with_clients(tables, "ann bob eve", test)
    file = tmp_path / "match.json"
    file.write_bytes(tables.client.get(f"/tables/{table}/log").content)
    assert main(["replay", str(file)]) == 0
    assert ("wins by forfeit after " if game == "hearthstone" else "forfeited: ") in capsys.readouterr().out


def test_a_rematch_rotates_the_seats_and_what_belongs_to_them(tables: Served) -> None:
    async def test(ann: Client, bob: Client, eve: Client) -> None:
        table = await seated(ann, bob, options={"decks": ["hunter", "priest"]}, leave={"then": "remove"})
        assert await ann.error("rematch", table=table) == "the match is not over"
        await play_out([ann, bob], Random(5))
        new = (await ann.ok("rematch", table=table))["table"]
        assert (await bob.ok("rematch", table=table))["table"] == new  # one rematch for both
        assert await eve.error("rematch", table=table) == "you do not sit at this table"
        frame = await bob.until(lambda frame: frame["table"].get("next"))
        assert frame["table"]["next"] == new
        await ann.ok("watch", table=new)
        frame = await ann.until(lambda frame: frame["table"]["id"] == new)
        assert [seat["name"] for seat in frame["table"]["seats"]] == ["bob", "ann"]
        assert frame["table"]["options"]["decks"] == ["priest", "hunter"]

    with_clients(tables, "ann bob eve", test)


def test_an_agent_plays_and_its_moves_can_be_taken_back(tables: Served) -> None:
    async def test(ann: Client) -> None:
        table = await seated(ann, seats=AGAINST_AGENT, seed=7)
        rng = Random(3)
        assert await ann.error("take_back", table=table) == (
            "only the creator can take back moves, and only against agents"
        )
        await ann.move(rng)
        await ann.until(lambda frame: frame["moves"])  # the agent has chosen its mulligan
        before = ann.frame
        end = next(move for move in before["moves"] if move["action"]["type"] == "end_turn")
        await ann.ok("move", table=table, move=before["table"]["moves"], action=end["action"])
        after = await ann.until(lambda frame: frame["moves"] and frame["view"]["turn"] == 3)
        assert after["table"]["moves"] > before["table"]["moves"] + 1
        await ann.ok("take_back", table=table)
        back = await ann.until(lambda frame: frame["table"]["moves"] == before["table"]["moves"])
        assert back["view"] == before["view"]
        assert back["log"] == {"from": before["table"]["moves"], "lines": []}
        suggestion = await ann.ok("suggest", table=table)
        assert suggestion["status"] == "optimal"
        assert suggestion["move"] == before["table"]["moves"]

    with_clients(tables, "ann", test)


def test_battles_are_played_alone(tables: Served) -> None:
    async def test(ann: Client) -> None:
        await seated(ann, game="spire")
        assert await play_out([ann], Random(2), limit=30) > 5

    with_clients(tables, "ann", test)


def test_agents_play_each_other_while_anyone_watches(tables: Served) -> None:
    async def test(ann: Client) -> None:
        agents = [{"kind": "agent", "agent": "random"}, {"kind": "agent", "agent": "greedy"}]
        table = (await ann.ok("create", game="hearthstone", seats=agents))["table"]
        await ann.ok("watch", table=table)
        await ann.until(lambda frame: frame["table"]["moves"] >= 10)
        assert ann.frame["you"]["seat"] is None

    with_clients(tables, "ann", test)


# -- messages that come again, and messages that must be refused


def test_a_move_that_is_sent_again_is_played_once(tables: Served) -> None:
    async def test(ann: Client, bob: Client) -> None:
        table = await seated(ann, bob)
        message = await ann.move(Random(1))
        for _ in range(3):
            await ann.ok("move", **message)
        await bob.until(lambda frame: frame["table"]["moves"] == 1)
        other = {**message, "choice": ["p1.999"]}
        assert await ann.error("move", **other) == "move: 1 moves were played, this one is for 0"
        assert await bob.error("move", **message) == "move: 1 moves were played, this one is for 0"
        assert ann.frame["table"]["moves"] == 1
        await bob.move(Random(1))
        await ann.until(lambda frame: frame["moves"])
        end = {"table": table, "move": 2, "action": {"type": "end_turn"}}
        await asyncio.gather(*(ann.ok("move", **end) for _ in range(5)))
        await bob.until(lambda frame: frame["table"]["moves"] == 3)
        assert ann.frame["table"]["moves"] == 3

    with_clients(tables, "ann bob", test)


def test_only_its_player_moves_a_seat(tables: Served) -> None:
    async def test(ann: Client, bob: Client) -> None:
        table = await seated(ann, bob)
        keep = {"type": "mulligan", "cards": []}
        assert await bob.error("move", table=table, move=0, action=keep) == "it is not your turn"
        assert "is not in the starting hand" in await ann.error("move", table=table, move=0, choice=["p2.1"])
        assert await ann.error("move", table=table, move=5, action=keep) == (
            "move: 0 moves were played, this one is for 5"
        )
        assert await ann.error("move", table=table, move="0", action=keep) == (
            "move: must be the number of moves before this one"
        )

    with_clients(tables, "ann bob", test)


def test_hostile_messages_get_an_error_and_the_connection_goes_on(tables: Served) -> None:
    async def test(ann: Client, bob: Client) -> None:
        table = await seated(ann, bob)
        cases: list[tuple[dict[str, Any], str]] = [
            ({"type": "nonsense"}, "type: must be one of"),
            ({"type": "watch", "table": 7}, "table: must be the id of a table"),
            ({"type": "watch", "table": "../../etc/passwd"}, "table: there is no such table"),
            ({"type": "watch", "table": "\ud800"}, "table: there is no such table"),
            ({"type": "\ud800"}, "type: must be one of"),
            ({"type": "move", "table": table, "move": -1, "action": {"type": "end_turn"}}, "move: must be the number"),
            ({"type": "move", "table": table, "move": 0, "action": {"type": "mulligan", "cards": [{}]}}, ""),
            ({"type": "move", "table": table, "move": 0, "choice": [[]]}, "choice: must be a list of ids"),
            ({"type": "move", "table": table, "move": 0, "action": [1]}, "action"),
            ({"type": "move", "table": table, "move": 0}, ""),
            ({"type": "create", "game": "planner.cli:main"}, "game: must be one of"),
            ({"type": "create", "game": "hearthstone", "seats": [{"kind": "agent", "agent": "cmd:id"}]}, "seats[0].agent: must"),
            ({"type": "create", "game": "hearthstone", "seats": [{"kind": "person"}, 7]}, "seats[1]: must be an object"),
            ({"type": "create", "game": "hearthstone", "seats": []}, "seats: hearthstone has 2, got 0"),
            ({"type": "create", "game": "hearthstone", "options": {"decks": ["a.yaml", "mage"]}}, "options.decks[0]"),
            ({"type": "create", "game": "hearthstone", "seed": 4}, "seed: the creator would know"),
            ({"type": "create", "game": "hearthstone", "clock": {"seconds": -1}}, "clock.seconds: must be between 1"),
            ({"type": "create", "game": "hearthstone", "leave": {"wait": 0}}, "leave.wait: must be between 1 and 86400"),
            ({"type": "create", "game": "hearthstone", "title": "x" * 61}, "title: is 61 characters long; the limit is 60"),
            ({"type": "chat", "table": table, "text": "x" * 301}, "text: is 301 characters long; the limit is 300"),
            ({"type": "chat", "table": table, "text": 3}, "text: must be a text"),
            ({"type": "share", "table": table, "on": "yes"}, "on: must be true or false"),
            ({"type": "chat_on", "table": table, "on": False, "more": 1}, "unknown field 'more'"),
            ({"type": "hello", "secret": "x" * 40}, "type: must be one of"),
        ]  # fmt: skip
        for message, reason in cases:
            kind = message.pop("type")
            assert (await ann.error(kind, **message)).startswith(reason), (kind, message)
        for text in ("{", "[]", "null", '"x"', "[" * 5000, '{"type": "ping", "id": {}}', '{"a":1,"a":2}'):
            await ann.raw(text)
        await ann.ok("ping")
        assert ann.frame["table"]["moves"] == 0

    with_clients(tables, "ann bob", test)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"type": "chat", "text": "x" * 20_000}),
        json.dumps({"type": "chat", "text": "\u4e2d" * 6_000}, ensure_ascii=False),
        "x" * 100_000,
    ],
    ids=["characters", "bytes", "frame"],
)
def test_a_message_that_is_too_long_closes_the_connection(tables: Served, text: str) -> None:
    async def test(ann: Client) -> None:
        await ann.raw(text)
        assert await ann.closed() == 1009

    with_clients(tables, "ann", test)


def test_a_binary_message_closes_the_connection(tables: Served) -> None:
    async def test(ann: Client) -> None:
        await ann.raw(b'{"type": "ping"}')
        assert await ann.closed() == 1003  # not "too long"

    with_clients(tables, "ann", test)


def test_a_deck_building_move_with_a_card_that_is_no_text_is_an_error(tables: Served) -> None:
    async def test(ann: Client, bob: Client) -> None:
        table = await seated(ann, bob, game="dominion")
        mover = ann if ann.frame["moves"] else bob
        action = {"type": "buy", "card": []}
        assert await mover.error("move", table=table, move=0, action=action) == "action.card: unknown card []"

    with_clients(tables, "ann bob", test)


def test_hello_comes_first_and_needs_a_long_secret(tables: Served) -> None:
    async def run() -> None:
        import websockets

        for first, reason in (
            ({"type": "ping"}, "the first message must be hello"),
            ({"type": "hello", "secret": "short"}, "secret: must be 32 to 64 characters"),
            ({"type": "hello"}, "secret: must be 32 to 64 characters"),
        ):
            async with websockets.connect(f"ws://127.0.0.1:{tables.port}/tables/socket") as socket:
                await socket.send(json.dumps(first))
                assert reason in json.loads(await socket.recv())["error"]
                with pytest.raises(websockets.ConnectionClosed):
                    await asyncio.wait_for(socket.recv(), 10)

    asyncio.run(run())


def test_names_titles_and_chat_are_one_line_of_visible_text(tables: Served) -> None:
    async def run() -> None:
        async with connected(tables.port, "<b>An\u202en</b>\n") as ann, connected(tables.port, "Bob") as bob:
            table = await seated(ann, bob, title=" two\tlines\n ")
            await bob.ok("chat", table=table, text="<script>alert(1)</script>\x00")
            frame = await ann.until(lambda frame: frame["chat"]["lines"])
            assert frame["chat"]["lines"][0]["text"] == "<script>alert(1)</script>\ufffd"
            assert frame["table"]["seats"][0]["name"] == "<b>An\ufffdn</b>"
            assert frame["table"]["title"] == "two lines"
            assert await bob.error("chat_on", table=table, on=False) == "only the creator of the table can do this"
            await ann.ok("chat_on", table=table, on=False)
            assert await bob.error("chat", table=table, text="hello?") == "the chat is off"

    asyncio.run(run())


def test_limit_of_tables_for_one_player(tables: Served) -> None:
    async def test(ann: Client) -> None:
        for _ in range(5):
            await ann.ok("create", game="spire")
        assert await ann.error("create", game="spire") == "you have 5 tables that are not over; finish or leave one"

    with_clients(tables, "ann", test)


def test_the_limit_holds_for_many_pages_at_once_and_leaving_frees_a_table(tables: Served) -> None:
    async def run() -> None:
        async with AsyncExitStack() as stack:
            secret = "limit" * 8
            pages = [await stack.enter_async_context(connected(tables.port, "ann", secret)) for _ in range(12)]
            answers = await asyncio.gather(*(page.send("create", game="hearthstone") for page in pages))
            made = [answer["table"] for answer in answers if answer["type"] == "ok"]
            assert len(made) == 5
            await pages[0].ok("leave", table=made[0])  # no other person is there: the table is closed
            assert tables.client.get(f"/tables/{made[0]}").json()["table"]["status"] == "ended"
            await pages[0].ok("create", game="hearthstone")
            bob = await stack.enter_async_context(connected(tables.port, "bob"))
            await bob.ok("join", table=made[1])
            await pages[0].ok("leave", table=made[1])  # a person waits there: the table is theirs now
            assert tables.client.get(f"/tables/{made[1]}").json()["table"]["creator"] == bob.player
            watched = {"game": "hearthstone", "seats": [{"kind": "agent", "agent": "random"}] * 2, "sit": False}
            agents = (await pages[0].ok("create", **watched))["table"]
            assert await bob.error("leave", table=agents) == "you do not sit at this table"
            await pages[0].ok("leave", table=agents)
            # A rematch is a table, too.
            played = await seated(pages[0], bob, leave={"then": "remove"})
            await bob.ok("leave", table=played)
            await pages[0].ok("create", game="hearthstone")
            assert (await pages[0].error("rematch", table=played)).startswith("you have 5 tables")

    asyncio.run(run())


# -- seats, lobby, spectators


def test_a_private_table_is_in_no_list_and_its_address_is_the_invitation(tables: Served) -> None:
    async def test(ann: Client, bob: Client) -> None:
        await bob.ok("lobby", on=True)
        hidden = (await ann.ok("create", game="hearthstone", public=False))["table"]
        shown = (await ann.ok("create", game="hearthstone", title="come"))["table"]
        async with asyncio.timeout(10):
            while shown not in json.dumps(bob.messages):
                await asyncio.sleep(0.05)
        assert hidden not in json.dumps(bob.messages)
        listed = [entry["id"] for entry in tables.client.get("/tables").json()["tables"]]
        assert shown in listed
        assert hidden not in listed
        await bob.ok("watch", table=hidden)
        await bob.ok("join", table=hidden)
        assert await bob.error("join", table=hidden) == "you already sit at this table"

    with_clients(tables, "ann bob", test)


def test_a_table_starts_when_all_are_ready(tables: Served) -> None:
    async def test(ann: Client, bob: Client, eve: Client) -> None:
        table = (await ann.ok("create", game="hearthstone"))["table"]
        for client in (ann, bob, eve):
            await client.ok("watch", table=table)
        await ann.ok("ready", table=table)
        assert (await ann.until(lambda frame: frame["table"]["seats"][0]["ready"]))["table"]["status"] == "open"
        assert "has not started" in await ann.error("move", table=table, move=0, action={"type": "end_turn"})
        assert await eve.error("ready", table=table) == "you do not sit at this table"
        await bob.ok("join", table=table, seat=1)
        assert await eve.error("join", table=table) == "no seat is free"
        await bob.ok("leave", table=table)  # before the start: the seat is free again
        await eve.ok("join", table=table)
        await eve.ok("ready", table=table)
        await ann.until(lambda frame: frame["table"]["status"] == "playing")
        assert [seat["name"] for seat in ann.frame["table"]["seats"]] == ["ann", "eve"]

    with_clients(tables, "ann bob eve", test)


def test_a_spectator_sees_a_seat_only_if_its_player_shares_it(tables: Served) -> None:
    async def test(ann: Client, bob: Client, eve: Client) -> None:
        table = await seated(ann, bob)
        await eve.ok("watch", table=table, seat=0)
        frame = await eve.until(lambda _: True)
        assert frame["view"]["seat"] is None
        assert hands(frame) == [0, 0]
        await ann.ok("share", table=table, on=True)
        frame = await eve.until(lambda frame: frame["view"]["seat"] == 0)
        assert hands(frame) == [3, 0]
        assert frame["moves"] == []
        await ann.ok("share", table=table, on=False)
        frame = await eve.until(lambda frame: frame["view"]["seat"] is None)
        assert hands(frame) == [0, 0]
        assert await eve.error("share", table=table, on=True) == "you do not sit at this table"

    with_clients(tables, "ann bob eve", test)


def hands(frame: dict[str, Any]) -> list[int]:
    """Return the number of open cards in each hand, by seat."""
    zones = {zone["id"]: zone for side in frame["view"]["sides"] for zone in side["zones"]}
    return [sum(not card.get("face_down") for card in zones[f"seat.{seat}.hand"].get("cards", ())) for seat in (0, 1)]


def test_the_table_over_http_is_the_frame_of_the_secret(tables: Served) -> None:
    async def test(ann: Client, bob: Client) -> None:
        table = await seated(ann, bob)
        plain = tables.client.get(f"/tables/{table}").json()
        mine = tables.client.get(f"/tables/{table}", headers={"x-player-secret": ann.secret}).json()
        assert (hands(plain), plain["you"]["seat"], plain["moves"]) == ([0, 0], None, [])
        assert (hands(mine), mine["you"]["seat"]) == ([3, 0], 0)
        assert tables.client.get(f"/tables/{table}/log").status_code == 409
        assert tables.client.get("/tables/nothing").status_code == 404
        assert tables.client.get(f"/tables/{table}", headers={"x-player-secret": "short"}).status_code == 422

    with_clients(tables, "ann bob", test)


def test_several_pages_of_one_player_all_get_the_frames(tables: Served) -> None:
    async def run() -> None:
        async with connected(tables.port, "Ann") as ann, connected(tables.port, "Bob") as bob:
            table = await seated(ann, bob)
            async with connected(tables.port, "Ann", ann.secret) as phone:
                assert phone.player == ann.player
                await phone.ok("watch", table=table)
                await phone.until(lambda frame: frame["you"]["seat"] == 0)
                await phone.move(Random(1))
                await ann.until(lambda frame: frame["table"]["moves"] == 1)
            frame = await bob.until(lambda frame: frame["table"]["moves"] == 1)
            assert frame["table"]["seats"][0]["connected"] is True

    asyncio.run(run())


# -- leaving, clocks, idle tables


def test_who_is_gone_is_waited_for_and_then_replaced(tables: Served) -> None:
    async def run() -> None:
        async with connected(tables.port, "Ann") as ann:
            async with connected(tables.port, "Bob") as bob:
                table = await seated(ann, bob, leave={"wait": 2, "agent": "random"})
                secret = bob.secret
            frame = await ann.until(lambda frame: "leaves_in" in frame["table"]["seats"][1])
            assert 0 < frame["table"]["seats"][1]["leaves_in"] <= 2
            async with connected(tables.port, "Bob", secret) as bob:  # comes back in time
                await bob.ok("watch", table=table)
                await bob.until(lambda frame: frame["you"]["seat"] == 1)
                frame = await ann.until(lambda frame: "leaves_in" not in frame["table"]["seats"][1])
                assert frame["table"]["seats"][1]["connected"] is True
            frame = await ann.until(lambda frame: frame["table"]["seats"][1]["kind"] == "agent")
            assert frame["table"]["notice"] == "Bob was gone for 2 s; random plays on"
            assert (frame["table"]["seats"][1]["name"], frame["table"]["seats"][1]["was"]) == ("random", "Bob")
            await ann.move(Random(1))
            await ann.until(lambda frame: frame["moves"])  # the agent has moved

    asyncio.run(run())


def test_who_is_gone_is_removed_where_the_creator_chose_so(tables: Served) -> None:
    async def run() -> None:
        async with connected(tables.port, "Ann") as ann:
            async with connected(tables.port, "Bob") as bob:
                await seated(ann, bob, leave={"wait": 1, "then": "remove"})
            frame = await ann.until(lambda frame: frame["table"]["status"] == "ended")
            assert frame["table"]["outcome"]["points"] == [1, 0]
            assert frame["table"]["notice"] == "Bob was gone for 1 s"

    asyncio.run(run())


def test_a_clock_that_runs_out_loses(tables: Served) -> None:
    async def test(ann: Client, bob: Client) -> None:
        await seated(ann, bob, clock={"seconds": 2, "increment": 1})
        await ann.move(Random(1))
        frame = await bob.until(lambda frame: frame["table"]["moves"] == 1)
        first, second = (seat["clock"] for seat in frame["table"]["seats"])
        assert 2.5 < first <= 3
        assert 1.5 < second <= 2
        frame = await ann.until(lambda frame: frame["table"]["status"] == "ended")
        assert frame["table"]["outcome"] == {
            "points": [1, 0],
            "winner": 0,
            "places": [1, 2],
            "reason": "forfeit: bob ran out of time",
            "rounds": 0,
        }

    with_clients(tables, "ann bob", test)


def test_a_clock_goes_on_while_another_person_leaves(tables: Served) -> None:
    async def test(ann: Client, bob: Client) -> None:
        table = await seated(ann, bob, game="dominion", clock={"seconds": 60, "increment": 5})
        mover, other = (ann, bob) if ann.frame["moves"] else (bob, ann)
        await asyncio.sleep(1.0)
        await other.ok("leave", table=table)
        frame = await mover.until(lambda frame: frame["table"].get("notice"))
        assert frame["table"]["seats"][frame["you"]["seat"]]["clock"] <= 59.0

    with_clients(tables, "ann bob", test)


def test_idle_tables_end_with_a_notice(tmp_path: Path) -> None:
    async def run(port: int) -> None:
        async with connected(port, "Ann") as ann:
            table = (await ann.ok("create", game="hearthstone"))["table"]
            await ann.ok("watch", table=table)
            frame = await ann.until(lambda frame: frame["table"]["status"] == "ended")
            assert frame["table"]["notice"] == "nothing happened for a while, so the table was closed"
            assert frame["table"]["outcome"] is None

    with served_bare("workers=1, open_seconds=1.0") as server:
        asyncio.run(run(server.port))


# -- access


def test_origin_and_token_rules_hold_for_the_socket(tables: Served) -> None:
    import websockets

    async def refused(port: int, **options: Any) -> None:
        with pytest.raises(websockets.InvalidStatus):
            await websockets.connect(f"ws://127.0.0.1:{port}/tables/socket", **options)

    async def run(port: int, token: str) -> None:
        await refused(tables.port, origin="https://elsewhere.example")
        await refused(tables.port, additional_headers={"host": "elsewhere.example"})
        await refused(port)
        await refused(port, additional_headers={"authorization": "Bearer wrong"})
        async with connected(port, additional_headers={"authorization": f"Bearer {token}"}) as client:
            await client.ok("ping")

    token = "0123456789abcdef0123456789abcdef"
    with served("--token", token, "--workers", "1") as server:
        asyncio.run(run(server.port, token))
        assert httpx.get(f"{server.url}tables").status_code == 401
