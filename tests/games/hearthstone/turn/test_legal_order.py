"""`find_legal_order` finds an order whenever one exists: compared with a search of every order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from planner import plan_turn
from planner.games.hearthstone.cards import keywords as kw
from planner.games.hearthstone.rules.actions import Action, Attack, Play
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.resolve import IllegalActionError, apply_verified
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.legal_order import VanillaChoice, _search, find_legal_order
from planner.games.hearthstone.turn.scoring import Earned, replay
from planner.games.hearthstone.turn.vanilla_units import Hit, enemy_lives, own_units, possible_hits
from planner.planning.plan import Clock
from tests.games.hearthstone.turn.random_states import random_state

EAGER = Weights(card_value=9, minion_damage=2, face_damage=1, enemy_threat=1)


def crowded(seed: int, free_slots: int = 0) -> GameState:
    """Return a state with a nearly full board, rush minions in hand, and often a taunt minion."""
    rng = Random(seed)
    state = random_state(rng, 3, 3, density=0.05, exact_size=True)
    hand = tuple(
        hand_card._replace(
            card=hand_card.card.__class__(hand_card.card.name, attack=2, health=2, keywords=kw.RUSH), cost=1
        )
        for hand_card in state.me.hand
    )
    board = state.enemy.board
    if rng.random() < 0.7:
        board = (board[0]._replace(keywords=kw.TAUNT), *board[1:])
    rules = Ruleset(name=f"board{3 + free_slots}", board_limit=3 + free_slots)
    me = state.me._replace(hand=hand, mana=3)
    return state._replace(rules=rules, me=me, enemy=state.enemy._replace(board=board))


def choices(state: GameState, rng: Random) -> Iterator[VanillaChoice]:
    """Yield random attacks with all cards that can be paid: some choices have a legal order, and some do not."""
    units, targets = own_units(state, EAGER), enemy_lives(state.enemy)
    plays = [Play(unit.id) for unit in units if unit.held is not None]
    for _ in range(4):
        paths: list[list[Hit]] = []
        for unit in units:
            first_hits = [hit for hit in possible_hits(unit, targets, True, EAGER) if hit.source == unit.start]
            paths.append([rng.choice(first_hits)] if first_hits and rng.random() < 0.7 else [])
        yield VanillaChoice(state, units, plays, paths)


def has_any_order(state: GameState, remaining: Sequence[Action]) -> bool:
    """Return whether some order of these actions is legal, by trying all of them."""
    return not remaining or any(
        has_any_order(apply_verified(state, action), [other for other in remaining if other != action])
        for action in remaining
        if illegal_reason(state, action) is None
    )


def test_an_order_is_found_exactly_when_one_exists() -> None:
    found = missing = 0
    for seed in range(22):
        state = crowded(seed, free_slots=seed % 2)

        def certify(actions: Sequence[Action], state: GameState = state) -> Earned | None:
            try:
                return replay(state, actions)
            except IllegalActionError:
                return None

        for choice in choices(state, Random(f"choices {seed}")):
            ordered = find_legal_order(choice, certify, Clock(None))
            attacks = [
                Attack(unit.id, hit.target)
                for unit, path in zip(choice.units, choice.paths, strict=True)
                for hit in path
            ]
            actions: list[Action] = [*choice.plays, *attacks]
            assert (ordered is not None) == has_any_order(state, actions), f"seed {seed}"
            if ordered is not None:
                assert sorted(map(str, ordered[0])) == sorted(map(str, actions))
                assert ordered[1] == replay(state, ordered[0])
            searched = _search(choice, certify, Clock(None))
            assert (searched is None) == (ordered is None), f"seed {seed}: the usual order hides a fault of the search"
            found += ordered is not None
            missing += ordered is None
    assert found > 5, "too few choices have an order: the test proves little"
    assert missing > 5, "too few choices have no order: the test proves little"


def test_the_action_that_ends_the_match_comes_last() -> None:
    """Two attacks of one minion kill the hero: the card and the other attacks must come before the second of them."""
    passive = {"attack": 1, "health": 1, "attacks_left": 0}
    state = {
        "mana": 5,
        "me": {
            "hero": {"health": 3},
            "board": [
                {"attack": 2, "health": 2},
                {"attack": 5, "health": 2, "keywords": ["charge", "reborn"], "summoned_this_turn": True},
                {"attack": 5, "health": 2, "attacks_left": 2},
                *[passive] * 4,
            ],
            "hand": [{"attack": 3, "health": 5, "cost": 5}],
        },
        "enemy": {"hero": {"health": 9}, "board": [{"attack": 3, "health": 2}, {"attack": 4, "health": 1}]},
    }
    terms = ("lethal", "face_damage", "own_survival", "minion_damage", "damage_taken")
    plan = plan_turn(state, dict.fromkeys(terms, 1))
    assert plan.objective == 29
    assert plan.lethal
    assert plan.actions[-1] == Attack("me.board.2", "enemy.hero")
