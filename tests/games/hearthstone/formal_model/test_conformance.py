"""The rules under the ruleset `ha` satisfy the specification: every state, every transition, every refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from planner.errors import PlannerError
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.formal_model.conformance import Judge, state_values, values_before_the_deal
from planner.games.hearthstone.rules.actions import Attack, EndTurn, Play
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.match_flow import start_match
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import ENEMY_HERO, GameState, Player
from planner.games.hearthstone.rules.state_json import state_from_dict, state_to_dict
from planner.specification.notation import Name, Specification
from planner.specification.values import concrete_set
from tests.build import card, minion, player
from tests.games.hearthstone.formal_model.matches import HA, first_state, problems


@pytest.mark.parametrize("seed", range(6))
def test_random_matches_of_small_decks(seed: int) -> None:
    assert list(problems(seed, deck_size=6)) == []


def test_a_random_match_of_large_decks() -> None:
    assert list(problems(100, attempts=1)) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(200, 220))
def test_many_random_matches(seed: int) -> None:
    for number in range(10):
        assert list(problems(1000 * seed + number, deck_size=6 + seed % 25, attempts=6)) == []


# -- the judge notices


def wrong_transitions(change: Callable[[Ruleset], Ruleset]) -> int:
    """Return how many transitions of matches under changed rules the specification refuses."""
    count = 0
    for seed in range(2):
        rng = Random(seed)
        state = first_state(rng, 5)
        judge = Judge(state)
        state = state._replace(rules=change(state.rules))
        for _ in range(40):
            actions = legal_actions(state)
            if not actions:
                break
            action = rng.choice(actions)
            after = apply(state, action)
            count += bool(list(judge.transition(state, action, after)))
            count += any(list(judge.legality(state, other)) for other in [*actions, EndTurn()][:3])
            state = after
    return count


@pytest.mark.parametrize(
    "change",
    [
        lambda rules: replace(rules, fatigue_growth=1),
        lambda rules: replace(rules, draws_per_turn=2),
        lambda rules: replace(rules, board_limit=rules.board_limit + 1),
    ],
    ids=["growing fatigue", "two draws", "a larger board"],
)
def test_other_rules_violate_the_specification(change: Callable[[Ruleset], Ruleset]) -> None:
    assert wrong_transitions(change) > 0
    assert wrong_transitions(lambda rules: rules) == 0


def board_of(**fields: object) -> GameState:
    mine = player("me", board=[minion(0, 2), minion(2, 2, fresh=True)], hand=[card(1, 1, cost=0)], deck=[card(1, 1)])
    return GameState(mine, player("enemy", board=[minion(1, 1)], deck=[]), replace(HA, **fields))  # type: ignore[arg-type]


def fight_problems(judged_by: Specification | None = None) -> list[str]:
    """Return what is wrong with any action on a board where every number differs and any fighter may die."""
    mine = player("me", board=[minion(1, 4), minion(3, 2), minion(0, 6)], hand=[card(2, 7, cost=0)], deck=[card(1, 1)])
    state = GameState(mine, player("enemy", board=[minion(2, 3), minion(5, 1)], deck=[card(2, 2)]), HA)
    judge = Judge(state, judged_by)
    return [wrong for action in legal_actions(state) for wrong in judge.transition(state, action, apply(state, action))]


def test_fights() -> None:
    assert fight_problems() == []


@pytest.mark.parametrize(
    ("fields", "action"),
    [
        ({"summoning_sickness": True}, Attack("me.board.1", ENEMY_HERO)),
        ({"attack_required": True}, Attack("me.board.0", "enemy.board.0")),
        ({"board_limit": 2}, None),
    ],
)
def test_the_switches_of_the_ruleset_are_needed(fields: dict[str, object], action: Attack | None) -> None:
    state, literal = board_of(**fields), board_of()
    tried = action or Play("me.hand.0")
    assert list(Judge(literal).legality(literal, tried)) == []
    assert list(Judge(literal).legality(state, tried)) != []


# -- states that are not states


def invalid_states() -> Iterator[tuple[str, GameState]]:
    """Yield states that the reader of states refuses as well, or that no match can reach."""
    state = board_of(board_limit=2)
    me, enemy = state.me, state.enemy

    def with_me(changed: Player) -> GameState:
        return state._replace(me=changed)

    yield "three minions on a board for two", with_me(me._replace(board=(*me.board, minion(1, 1, id="x"))))
    yield "a dead minion", with_me(me._replace(board=(me.board[0]._replace(health=0),)))
    yield "negative attack", with_me(me._replace(board=(me.board[0]._replace(attack=-1),)))
    twice = me.hand[0]._replace(id=me.board[0].id)
    yield "a card in the hand and on the board", with_me(me._replace(hand=(twice,)))
    yield "a card in the hand and in the deck", with_me(me._replace(deck=(me.hand[0],)))
    yield "a card in the deck and on the board", with_me(me._replace(deck=(twice,)))
    yield "a card twice in the deck", with_me(me._replace(deck=(me.deck[0], me.deck[0])))
    for zone in ("hand", "deck"):
        yield f"a card of both players, {zone}", state._replace(enemy=enemy._replace(**{zone: (me.hand[0],)}))
    yield "a minion of both players", state._replace(enemy=enemy._replace(board=(me.board[0],)))


INVALID = dict(invalid_states())


@pytest.mark.parametrize("name", INVALID)
def test_invalid_states_violate_an_invariant(name: str) -> None:
    state = INVALID[name]
    assert list(Judge(state).state(state)) != []
    with pytest.raises(PlannerError):
        state_from_dict(state_to_dict(state))


def test_only_minions_on_a_board_count_as_having_attacked() -> None:
    state = board_of()
    judge = Judge(state)
    for name, expected in (("me.board.1", True), ("enemy.board.0", True), ("me.hand.0", False), ("gone", False)):
        values = state_values(state) | {"battled_this_turn": concrete_set([name])}
        assert judge.interpreter.holds(Name("GameState"), values) is expected


def start_problems(judged_by: Specification | None = None) -> list[str]:
    """Return the starts that differ: an empty deck, a dead player, a card on the board, the second player first."""
    state = start_match((_deck(3), _deck(2)), HA, Random(1))
    wrong = {
        "an empty deck": state._replace(me=state.me._replace(hand=(), deck=())),
        "a dead player": state._replace(enemy=state.enemy._replace(hero=state.enemy.hero._replace(health=0))),
        "a minion at the start": state._replace(me=state.me._replace(board=(minion(1, 1, id="x"),))),
        "the second player first": state._replace(seat=1),
    }
    judge = Judge(state, judged_by)
    found = ["the start"] if list(judge.deal(state)) else []
    return found + [
        name
        for name, other in wrong.items()
        if judge.interpreter.holds(Name("InitGameState"), values_before_the_deal(other)) is True
    ]


def _deck(size: int) -> Deck:
    return Deck(f"deck {size}", "mage", tuple(card(1, number + 1) for number in range(size)))


def test_only_proper_starts_are_starts() -> None:
    assert start_problems() == []
