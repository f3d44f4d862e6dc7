"""Another simulator replays plans from their JSON alone: up to `reveals`, every action names an existing id.

The other simulator runs the same rules with different ids, and gives every reborn minion a new id. It reads only
`actions`, `creates` and `reveals` from a plan.
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
    """A simulator with its own ids; `names` maps each id of the plan to the id of this simulator."""

    def __init__(self, state: GameState, rng: Random) -> None:
        self.rng = rng
        self.names: dict[str, str] = {name: name for name in HEROES}
        self.state = self.with_own_ids(state, set())
        for zone, entities in zones(state).items():
            for entity, renamed in zip(entities, zones(self.state)[zone], strict=True):
                self.names[entity.id] = renamed.id

    def with_own_ids(self, state: GameState, known_ids: set[str]) -> GameState:
        """Return the state with a new random id for every entity whose id is not in `known_ids`."""

        def rename(entities: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(
                entity if entity.id in known_ids else entity._replace(id=f"e{self.rng.randrange(10**9)}")
                for entity in entities
            )

        me, enemy = (
            side._replace(board=rename(side.board), hand=rename(side.hand), deck=rename(side.deck))
            for side in (state.me, state.enemy)
        )
        return state._replace(me=me, enemy=enemy)

    def apply(self, action: dict[str, Any], creates: list[dict[str, str]]) -> MutableState:
        """Apply one action of the plan, and match the created entities by zone and position."""
        action_fields = {
            key: self.names[value] if key in ("card", "attacker", "target") and value else value
            for key, value in action.items()
        }
        own_action = action_from_dict(action_fields)
        assert illegal_reason(self.state, own_action) is None
        # A clock that differs from the plan's, so that generated ids differ too.
        table = resolve_action(self.state._replace(clock=self.state.clock + self.rng.randrange(1, 50)), own_action)
        after, created_ids = table.to_state(), set(table.created_ids)
        ids_before = {entity.id for entities in zones(self.state).values() for entity in entities}
        deck_ids_after = {card.id for side in (after.me, after.enemy) for card in side.deck}
        deck_ids_before = {card.id for side in (self.state.me, self.state.enemy) for card in side.deck}
        known_ids = (ids_before | deck_ids_after | deck_ids_before) - created_ids
        self.state = self.with_own_ids(after, known_ids)
        created = {
            zone: [new for old, new in zip(zones(after)[zone], entities, strict=True) if old.id in created_ids]
            for zone, entities in zones(self.state).items()
        }
        assert [entry["zone"] for entry in creates] == [zone for zone in ZONES for _ in created[zone]]
        for entry in creates:
            entity = created[entry["zone"]].pop(0)
            assert entity.card.name == entry["name"]
            self.names[entry["id"]] = entity.id
        return table


def replay_from_json(state: GameState, weights: Any, rng: Random, **options: Any) -> tuple[int, int]:
    """Replay a plan up to `reveals`; return the number of replayed actions and of the entities they created."""
    state_json = json.loads(json.dumps(state_to_dict(state)))
    turn_plan = plan_turn(state_json, weights, **options)
    plan = json.loads(json.dumps(turn_plan.to_dict()))
    assert len(plan["creates"]) == len(plan["actions"])
    certain = len(plan["actions"]) if plan["reveals"] is None else plan["reveals"]
    other = OtherSimulator(state_from_dict(state_json), rng)
    for index in range(certain):
        other.apply(plan["actions"][index], plan["creates"][index])
    if plan["reveals"] is None:  # the turn is deterministic, so both simulators end in the same state
        end, names = turn_plan.end, other.names
        assert other.state.me.hero == end.me.hero
        assert other.state.enemy.hero == end.enemy.hero
        for zone in ("me.board", "enemy.board", "me.hand"):  # not enemy.hand: cards that the enemy draws are hidden
            assert [names[entity.id] for entity in zones(end)[zone]] == [
                entity.id for entity in zones(other.state)[zone]
            ]
    return certain, sum(map(len, plan["creates"][:certain]))


def replay_random_states(seed: int, count: int, **options: Any) -> tuple[int, int]:
    """Replay the plans of `count` random states; return the total numbers of actions and of created entities."""
    rng = Random(seed)
    actions = created = 0
    for _ in range(count):
        state = random_state(rng, most_minions=4, most_cards=4)
        weights = {"card_value": 3, "own_attack": 1, "enemy_threat": 1, "face_damage": 1}
        new_actions, new_created = replay_from_json(state, weights, rng, effort=3000, **options)
        actions, created = actions + new_actions, created + new_created
    return actions, created


def test_replay_random_states_with_effects() -> None:
    actions, created = replay_random_states(31, 150)
    assert actions > 300
    assert created > 30


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_replay_random_states_with_effects_at_length(seed: int) -> None:
    actions, created = replay_random_states(seed, 500)
    assert actions > 800
    assert created > 80


def test_replay_positions_of_matches() -> None:
    rng = Random(5)
    positions = random_positions("texts", 5, 40)
    assert sum(replay_from_json(state, weights, rng, effort=3000)[0] for weights, state in positions) > 60


def test_replay_plans_of_the_python_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planner.games.hearthstone.turn.native.best_turns", lambda *_, **__: None)
    assert replay_random_states(7, 12)[0] > 10


@pytest.mark.parametrize(
    ("text", "weights", "created"),
    [
        # An echo copy, and its copy.
        ("4 mana | me 30hp | hand: (2) 3/3 echo | enemy 30hp", {"card_value": 1},
         [[("new.1", "Minion", "me.hand")], [("new.3", "Minion", "me.hand")]]),
        # A deathrattle that summons a token: the plan names the token's id.
        ("1 mana | me 30hp: Harvest Golem 2/1 | hand: Whirlwind | enemy 30hp", {"card_value": 1},
         [[("new.1", "Damaged Golem", "me.board")]]),
        # Reborn: a new minion with the id of the old one.
        ("1 mana | me 30hp: 2/1 reborn | hand: Whirlwind | enemy 30hp: 1/1 reborn", {"card_value": 1},
         [[("me.board.0", "Minion", "me.board"), ("enemy.board.0", "Minion", "enemy.board")]]),
        # The hero power summons a recruit; an attack creates nothing.
        ("2 mana | me 30hp: 1/1 | power Reinforce | enemy 1hp", {"lethal": 1, "token_worth": 1},
         [[("new.1", "Silver Hand Recruit", "me.board")], []]),
        # One of four totems at random: the plan ends with this action and lists no created entity.
        ("2 mana | me 30hp | power Totemic Call | enemy 30hp", {"token_worth": 1}, [[]]),
    ],
    ids=["echo", "deathrattle", "reborn", "hero power", "chance"],
)  # fmt: skip
def test_creates(text: str, weights: dict[str, float], created: list[list[tuple[str, str, str]]]) -> None:
    plan = plan_turn(state_from_text(text), weights)
    fields = ("id", "name", "zone")
    assert plan.to_dict()["creates"] == [
        [dict(zip(fields, entity, strict=True)) for entity in action] for action in created
    ]


def test_generated_ids_never_reuse_an_id_of_the_state() -> None:
    """The minion `new.1` dies in the first action; the second action summons a token with another id."""
    board = [{"id": "new.1", "attack": 1, "health": 1}]
    me = {"hero": {"health": 30}, "board": board, "hero_power": "Reinforce"}
    state = {"mana": 2, "me": me, "enemy": {"hero": {"health": 30}, "board": [{"attack": 1, "health": 1}]}}
    for variant in (state, {**state, "clock": 0}, {**state, "me": {**me, "hero": {"health": 30, "class": "Paladin"}}}):
        plan = plan_turn(variant, {"minion_damage": 9, "token_worth": 1})
        assert plan.state.clock == 1
        created = [entity["id"] for action in plan.to_dict()["creates"] for entity in action]
        assert created == ["new.2"]
