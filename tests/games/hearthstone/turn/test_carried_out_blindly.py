"""Plans carried out by another simulator, from their JSON alone: up to `reveals` no action names what is not there.

The other simulator is our referee under another name for everything: its own ids, which differ from
ours, and a new one for every reborn minion. It knows of a plan only `actions`, `creates` and `reveals`.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from planner import plan_turn
from planner.bench.benchmark_positions import random_positions
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.resolve import resolve_action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_json import action_from_dict, state_from_dict, state_to_dict
from planner.games.hearthstone.rules.state_text import state_from_text
from tests.games.hearthstone.generated import random_state

HEROES = ("me.hero", "enemy.hero")
ZONES = ("me.board", "me.hand", "enemy.board", "enemy.hand")


def zones(state: GameState) -> dict[str, list[Any]]:
    sides = {"me": state.me, "enemy": state.enemy}
    return {zone: list(getattr(sides[zone.split(".")[0]], zone.split(".")[1])) for zone in ZONES}


class OtherSimulator:
    """Knows a match by ids of its own; `names` is what the caller has written down: the plan's id for each of them."""

    def __init__(self, state: GameState, rng: Random) -> None:
        self.rng = rng
        self.names: dict[str, str] = {name: name for name in HEROES}
        self.state = self.renamed(state, {})
        for zone, things in zones(state).items():
            for thing, mine in zip(things, zones(self.state)[zone], strict=True):
                self.names[thing.id] = mine.id

    def renamed(self, state: GameState, kept: dict[str, str]) -> GameState:
        """The state with an id of this simulator's for all that has none of them."""

        def own(things: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(one._replace(id=kept.get(one.id) or f"e{self.rng.randrange(10**9)}") for one in things)

        me, enemy = (
            side._replace(board=own(side.board), hand=own(side.hand), deck=own(side.deck))
            for side in (state.me, state.enemy)
        )
        return state._replace(me=me, enemy=enemy)

    def carry_out(self, action: dict[str, Any], creates: list[dict[str, str]]) -> MutableState:
        """Carry out one action of the plan, and find new cards by zone and position."""
        words = {key: self.names[value] if key in ("card", "attacker", "target") and value else value
                 for key, value in action.items()}  # fmt: skip
        done = action_from_dict(words)
        assert illegal_reason(self.state, done) is None
        # Its own numbering: a clock that has nothing to do with the plan's.
        table = resolve_action(self.state._replace(clock=self.state.clock + self.rng.randrange(1, 50)), done)
        after, fresh = table.to_state(), set(table.created_ids)
        here = {one.id for things in zones(self.state).values() for one in things}
        decks = {one.id for side in (after.me, after.enemy) for one in side.deck}
        drawn = {one.id for side in (self.state.me, self.state.enemy) for one in side.deck}
        kept = {name: name for name in (here | decks | drawn) - fresh}
        self.state = self.renamed(after, kept)
        arrived = {
            zone: [now for was, now in zip(zones(after)[zone], things, strict=True) if was.id in fresh]
            for zone, things in zones(self.state).items()
        }
        assert [one["zone"] for one in creates] == [zone for zone in ZONES for _ in arrived[zone]]
        for one in creates:
            mine = arrived[one["zone"]].pop(0)
            assert mine.card.name == one["name"]
            self.names[one["id"]] = mine.id
        return table


def carry_out_blindly(state: GameState, weights: Any, rng: Random, **options: Any) -> tuple[int, int]:
    """Carry a plan out up to what it reveals; how many actions that were, and how many things they made."""
    given = json.loads(json.dumps(state_to_dict(state)))
    answer = plan_turn(given, weights, **options)
    plan = json.loads(json.dumps(answer.to_dict()))
    assert len(plan["creates"]) == len(plan["actions"])
    certain = len(plan["actions"]) if plan["reveals"] is None else plan["reveals"]
    other = OtherSimulator(state_from_dict(given), rng)
    for place in range(certain):
        other.carry_out(plan["actions"][place], plan["creates"][place])
    if plan["reveals"] is None:  # nothing was left to chance: it ends where the plan says
        end, names = answer.end, other.names
        assert other.state.me.hero == end.me.hero
        assert other.state.enemy.hero == end.enemy.hero
        for zone in ("me.board", "enemy.board", "me.hand"):  # the cards that the enemy draws stay hidden
            assert [names[one.id] for one in zones(end)[zone]] == [one.id for one in zones(other.state)[zone]]
    return certain, sum(map(len, plan["creates"][:certain]))


def generated(seed: int, count: int, **options: Any) -> tuple[int, int]:
    rng = Random(seed)
    actions = made = 0
    for _ in range(count):
        state = random_state(rng, most_minions=4, most_cards=4)
        more = carry_out_blindly(state, {"card_value": 3, "own_attack": 1, "enemy_threat": 1, "face_damage": 1},
                                 rng, effort=3000, **options)  # fmt: skip
        actions, made = actions + more[0], made + more[1]
    return actions, made


def test_generated_turns_with_texts() -> None:
    actions, made = generated(31, 150)
    assert actions > 300
    assert made > 30


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_generated_turns_with_texts_at_length(seed: int) -> None:
    actions, made = generated(seed, 500)
    assert actions > 800
    assert made > 80


def test_turns_of_matches() -> None:
    rng = Random(5)
    played = random_positions("texts", 5, 40)
    assert sum(carry_out_blindly(state, weights, rng, effort=3000)[0] for weights, state in played) > 60


def test_the_search_without_the_engine_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planner.games.hearthstone.turn.native.best_turns", lambda *_, **__: None)
    assert generated(7, 12)[0] > 10


@pytest.mark.parametrize(
    ("text", "weights", "made"),
    [
        # An echo copy, and its copy.
        ("4 mana | me 30hp | hand: (2) 3/3 echo | enemy 30hp", {"card_value": 1},
         [[("new.1", "Minion", "me.hand")], [("new.3", "Minion", "me.hand")]]),
        # A golem that leaves another, which attacks at once: the token is named by the plan's own action.
        ("1 mana | me 30hp: Harvest Golem 2/1 | hand: Whirlwind | enemy 30hp", {"card_value": 1},
         [[("new.1", "Damaged Golem", "me.board")]]),
        # Reborn: the id is the old one, and the one who has it is new.
        ("1 mana | me 30hp: 2/1 reborn | hand: Whirlwind | enemy 30hp: 1/1 reborn", {"card_value": 1},
         [[("me.board.0", "Minion", "me.board"), ("enemy.board.0", "Minion", "enemy.board")]]),
        # Recruits for the hero power; an attack makes nothing.
        ("2 mana | me 30hp: 1/1 | power Reinforce | enemy 1hp", {"lethal": 1, "token_worth": 1},
         [[("new.1", "Silver Hand Recruit", "me.board")], []]),
        # One of four totems at random: the plan ends there, and does not say which.
        ("2 mana | me 30hp | power Totemic Call | enemy 30hp", {"token_worth": 1}, [[]]),
    ],
    ids=["echo", "deathrattle", "reborn", "hero power", "chance"],
)  # fmt: skip
def test_what_an_action_makes(text: str, weights: dict[str, float], made: list[list[tuple[str, str, str]]]) -> None:
    plan = plan_turn(state_from_text(text), weights)
    names = ("id", "name", "zone")
    assert plan.to_dict()["creates"] == [[dict(zip(names, one, strict=True)) for one in action] for action in made]


def test_a_callers_own_id_is_never_given_again() -> None:
    """Its minion `new.1` dies in the first action, and in the second a token comes."""
    board = [{"id": "new.1", "attack": 1, "health": 1}]
    me = {"hero": {"health": 30}, "board": board, "hero_power": "Reinforce"}
    state = {"mana": 2, "me": me, "enemy": {"hero": {"health": 30}, "board": [{"attack": 1, "health": 1}]}}
    for given in (state, {**state, "clock": 0}, {**state, "me": {**me, "hero": {"health": 30, "class": "Paladin"}}}):
        plan = plan_turn(given, {"minion_damage": 9, "token_worth": 1})
        assert plan.state.clock == 1
        made = [one["id"] for action in plan.to_dict()["creates"] for one in action]
        assert made == ["new.2"]
