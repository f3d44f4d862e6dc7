"""A small game for any number of players, in which all others decide within a player's turn; for tests of the arena.

In a turn a player demands coins of all others, who pay or refuse one after the other, or rests. Who refuses
loses a coin, which leaves the game. Hidden from the others: whether a player holds a shield, which pays for it.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from planner import BaseGame, Outcome, PlannerError

ACTIONS = ("pay", "refuse", "demand", "rest")


class Court(NamedTuple):
    players: int = 3
    coins: int = 6
    limit: int = 12  # turns


class Realm(NamedTuple):
    court: Court
    coins: tuple[int, ...]
    shields: tuple[bool | None, ...]  # None: unknown to the observer
    turn: int = 1
    asked: int = 0  # of the players after the one whose turn it is; 0: none
    demands: int = 0  # in this turn


class Tribute(BaseGame[Realm, str, Court]):
    name = f"{__name__}:GAME"

    def start(self, setup: Court, rng: Random) -> Realm:
        return Realm(setup, (setup.coins,) * setup.players, tuple(rng.random() < 0.5 for _ in range(setup.players)))

    def seats(self, state: Realm) -> int:
        return state.court.players

    def turn(self, state: Realm) -> int:
        return state.turn

    def owner(self, state: Realm) -> int:
        return (state.turn - 1) % state.court.players

    def to_move(self, state: Realm) -> int:
        return (self.owner(state) + state.asked) % state.court.players

    def legal_actions(self, state: Realm) -> list[str]:
        if self.outcome(state) is not None:
            return []
        if state.asked:
            return ["pay", "refuse"]
        return ["demand", "rest"] if state.demands < 2 else ["rest"]

    def apply(self, state: Realm, action: str, rng: Random) -> Realm:
        coins, mover, owner = list(state.coins), self.to_move(state), self.owner(state)
        if action == "rest":
            return state._replace(turn=state.turn + 1, asked=0, demands=0)
        if action == "demand":
            return state._replace(asked=1, demands=state.demands + 1)
        if not state.shields[mover] and coins[mover]:
            coins[mover] -= 1
            coins[owner] += action == "pay" and rng.random() < 0.8
        return state._replace(coins=tuple(coins), asked=(state.asked + 1) % state.court.players)

    def outcome(self, state: Realm) -> Outcome | None:
        if state.turn <= state.court.limit:
            return None
        return Outcome.ranked(state.coins, "coins", -(-state.court.limit // state.court.players))

    def observe(self, state: Realm, seat: int) -> Realm:
        shields = tuple(own if seat == other else None for other, own in enumerate(state.shields))
        return state._replace(shields=shields)

    def state_to_json(self, state: Realm) -> dict[str, Any]:
        return {**state._asdict(), "court": list(state.court)}

    def state_from_json(self, data: Any) -> Realm:
        court = Court(*data["court"])
        tuples = {key: tuple(data[key]) for key in ("coins", "shields")}
        return Realm(**{**data, "court": court, **tuples})

    def action_to_json(self, action: str) -> dict[str, Any]:
        return {"do": action}

    def action_from_json(self, data: Any, place: str = "action") -> str:
        if not isinstance(data, dict) or data.get("do") not in ACTIONS:
            raise PlannerError(f"{place}: {data!r} is not one of {', '.join(ACTIONS)}")
        return str(data["do"])

    def setup_to_json(self, setup: Court) -> dict[str, Any]:
        return setup._asdict()

    def setup_from_json(self, data: Any) -> Court:
        return Court(**data)

    def with_seats(self, setup: Court, seats: int) -> Court:
        return setup._replace(players=seats)


GAME = Tribute()
