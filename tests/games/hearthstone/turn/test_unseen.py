"""The pool of the opponent's hidden cards: what it remembers of this match and this seat, and the ids of sampled cards."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from planner import PlannerAgent, PlannerError, plan_ahead, play_match
from planner.games.hearthstone import GAME, MatchSetup, load_deck
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.metagame import Opponent, load_metagame
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state import GameState, new_minion
from planner.games.hearthstone.turn.look_ahead import HiddenPool
from planner.planning.plan import AheadOptions

MINIONS = [card for card in dict.fromkeys(load_deck("warrior").cards) if card.type == "minion"][:3]


def facing(cards: Sequence[Card], turn: int, seat: int = 0) -> GameState:
    """A state of this turn, seen from this seat, with these minions on the other side."""
    state: Any = GAME.state_from_json(
        {"mana": 3, "me": {"hero": {"health": 30}}, "enemy": {"hero": {"health": 30}, "hand": 2, "deck": 5}}
    )
    board = tuple(new_minion(f"m{place}", card, place) for place, card in enumerate(cards))
    return state._replace(turn=turn, seat=seat, enemy=state.enemy._replace(board=board))  # type: ignore[no-any-return]


def test_another_match_is_not_the_one_before() -> None:
    unseen = HiddenPool(MINIONS)
    unseen.look(facing(MINIONS[:1], turn=7))
    assert unseen.pool(facing((), turn=9)) == MINIONS[1:]
    unseen.look(facing((), turn=1))
    assert unseen.pool(facing((), turn=1)) == MINIONS
    unseen.look(facing(MINIONS[:1], turn=3))  # by the same id as in the first match
    assert unseen.pool(facing((), turn=5)) == MINIONS[1:]


def test_each_seat_has_a_memory_of_its_own() -> None:
    """One agent may sit on both sides of a match."""
    unseen = HiddenPool(MINIONS)
    unseen.look(facing(MINIONS[:1], turn=3, seat=0))
    unseen.look(facing(MINIONS[1:2], turn=4, seat=1))
    assert unseen.pool(facing((), turn=5, seat=0)) == MINIONS[1:]
    assert unseen.pool(facing((), turn=6, seat=1)) == [MINIONS[0], MINIONS[2]]


def test_a_prediction_forgets_with_it() -> None:
    opponent = Opponent(load_metagame(), "warrior")
    unknown = list(opponent.predict().decks)
    unseen = HiddenPool(opponent)
    unseen.look(facing(MINIONS, turn=7))
    assert list(opponent.predict().decks) != unknown
    unseen.look(facing((), turn=2))
    assert list(opponent.predict().decks) == unknown


def test_an_agent_plays_its_second_match_as_if_it_were_the_first() -> None:
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")

    def agent() -> PlannerAgent:
        return PlannerAgent("champion", seed=5, hidden_pool=setup.decks[1].cards, ahead=AheadOptions(3, 1), effort=300)

    used = agent()
    play_match((used, "greedy"), setup, seed=1)
    again, fresh = (play_match((one, "greedy"), setup, seed=2) for one in (used, agent()))
    moves = [[move.action for turn in record.turns for move in turn.moves] for record in (again, fresh)]
    assert moves[0] == moves[1]
    assert used._chance.getstate() != Random(5).getstate()  # it has looked ahead


@pytest.mark.parametrize("predicted", [True, False])
def test_a_sampled_card_has_an_id_of_its_own(predicted: bool) -> None:
    """Ids are the caller's: a minion that was played may still have the one of its place in the hand."""
    held = [{"id": f"card {place}", "name": "?"} for place in range(3)]
    state: Any = GAME.state_from_json(
        {
            "mana": 0,
            "me": {"hero": {"health": 30}, "board": [{"id": "enemy.hand.1", "attack": 1, "health": 1}]},
            "enemy": {"hero": {"health": 30, "class": "mage"}, "hand": held, "deck": 4,
                      "board": [{"id": "enemy.hand.0", "attack": 1, "health": 1},
                                {"id": "enemy.hand.0+", "attack": 1, "health": 1}]},
        }
    )  # fmt: skip
    unseen = HiddenPool(Opponent(load_metagame(), "mage") if predicted else None)
    found = unseen.sample(observe(state, 0), Random(1))
    ids = [one.id for player in (found.me, found.enemy) for pile in player[1:4] for one in pile]
    assert len(found.enemy.hand) == 3
    assert len(set(ids)) == len(ids)


def test_a_prediction_learns_of_cards_alone() -> None:
    """A minion in a caller's state may have any id, or none."""
    state = {"mana": 0, "me": {"hero": {"health": 9}, "board": [{"attack": 1, "health": 2}]},
             "enemy": {"hero": {"health": 30, "class": "mage"}, "hand": 3, "deck": 9,
                       "board": [{"attack": 1, "health": 1}, {"name": "No", "attack": 1, "health": 1}]}}  # fmt: skip
    plan = plan_ahead(state, "champion", k=2, samples=3, hidden_pool=Opponent(load_metagame(), "mage"))
    assert len(plan.considered[0].replies) == 3


def test_what_only_samples_is_no_prediction() -> None:
    with pytest.raises(PlannerError, match="is neither a list of cards nor an Opponent"):
        HiddenPool(Random)  # type: ignore[arg-type]
