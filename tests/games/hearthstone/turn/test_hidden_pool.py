"""The pool of the opponent's hidden cards: its memory per match and seat, and the ids of sampled cards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planner import PlannerAgent, PlannerError, plan_ahead, play_match
from planner.arena.tournament.experiment_file import load_experiment
from planner.games.hearthstone import GAME, MatchSetup, load_deck
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.metagame import Opponent, load_metagame, opponent_of
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state import GameState, new_minion
from planner.games.hearthstone.turn.look_ahead import HiddenPool
from planner.planning.plan import AheadOptions
from tests.meta.metagame_files import metagame_to_json

MINIONS = [card for card in dict.fromkeys(load_deck("warrior").cards) if card.type == "minion"][:3]


def facing(cards: Sequence[Card], turn: int, seat: int = 0) -> GameState:
    """Return a state of this turn and seat with these minions on the enemy board."""
    state: Any = GAME.state_from_json(
        {"mana": 3, "me": {"hero": {"health": 30}}, "enemy": {"hero": {"health": 30}, "hand": 2, "deck": 5}}
    )
    board = tuple(new_minion(f"m{index}", card, index) for index, card in enumerate(cards))
    return state._replace(turn=turn, seat=seat, enemy=state.enemy._replace(board=board))  # type: ignore[no-any-return]


def test_a_new_match_resets_the_pool() -> None:
    hidden_pool = HiddenPool(MINIONS)
    hidden_pool.look(facing(MINIONS[:1], turn=7))
    assert hidden_pool.pool(facing((), turn=9)) == MINIONS[1:]
    hidden_pool.look(facing((), turn=1))
    assert hidden_pool.pool(facing((), turn=1)) == MINIONS
    hidden_pool.look(facing(MINIONS[:1], turn=3))  # the same id as in the first match
    assert hidden_pool.pool(facing((), turn=5)) == MINIONS[1:]


def test_each_seat_has_its_own_memory() -> None:
    """One agent may play both sides of a match."""
    hidden_pool = HiddenPool(MINIONS)
    hidden_pool.look(facing(MINIONS[:1], turn=3, seat=0))
    hidden_pool.look(facing(MINIONS[1:2], turn=4, seat=1))
    assert hidden_pool.pool(facing((), turn=5, seat=0)) == MINIONS[1:]
    assert hidden_pool.pool(facing((), turn=6, seat=1)) == [MINIONS[0], MINIONS[2]]


@pytest.mark.parametrize("name", ["No such card", "\ud800"])
def test_a_minion_with_any_name_does_not_disturb_a_prediction(name: str) -> None:
    opponent = Opponent(load_metagame(), "warrior")
    initial = list(opponent.predict().decks)
    HiddenPool(opponent).look(facing([Card(name, attack=1, health=1)], turn=7))
    assert list(opponent.predict().decks) == initial


def test_a_new_match_resets_the_prediction() -> None:
    opponent = Opponent(load_metagame(), "warrior")
    initial = list(opponent.predict().decks)
    hidden_pool = HiddenPool(opponent)
    hidden_pool.look(facing(MINIONS, turn=7))
    assert list(opponent.predict().decks) != initial
    hidden_pool.look(facing((), turn=2))
    assert list(opponent.predict().decks) == initial


def test_an_agent_keeps_no_memory_between_matches() -> None:
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")

    def agent() -> PlannerAgent:
        return PlannerAgent("champion", seed=5, hidden_pool=setup.decks[1].cards, ahead=AheadOptions(3, 1), effort=300)

    used = agent()
    play_match((used, "greedy"), setup, seed=1)
    again, fresh = (play_match((player, "greedy"), setup, seed=2) for player in (used, agent()))
    moves = [[move.action for turn in record.turns for move in turn.moves] for record in (again, fresh)]
    assert moves[0] == moves[1]
    assert used._chance.getstate() != Random(5).getstate()  # the look-ahead drew random numbers


@pytest.mark.parametrize("predicted", [True, False])
def test_sampled_cards_have_unique_ids(predicted: bool) -> None:
    """The caller chooses the ids: a minion on the board may have the id of a position in the hand."""
    hand = [{"id": f"card {index}", "name": "?"} for index in range(3)]
    state: Any = GAME.state_from_json(
        {
            "mana": 0,
            "me": {"hero": {"health": 30}, "board": [{"id": "enemy.hand.1", "attack": 1, "health": 1}]},
            "enemy": {"hero": {"health": 30, "class": "mage"}, "hand": hand, "deck": 4,
                      "board": [{"id": "enemy.hand.0", "attack": 1, "health": 1},
                                {"id": "enemy.hand.0+", "attack": 1, "health": 1}]},
        }
    )  # fmt: skip
    hidden_pool = HiddenPool(Opponent(load_metagame(), "mage") if predicted else None)
    sampled = hidden_pool.sample(observe(state, 0), Random(1))
    ids = [entity.id for player in (sampled.me, sampled.enemy) for zone in player[1:4] for entity in zone]
    assert len(sampled.enemy.hand) == 3
    assert len(set(ids)) == len(ids)


def test_a_prediction_ignores_minions_without_a_card() -> None:
    """A minion in a caller's state may have any name, or no name."""
    state = {"mana": 0, "me": {"hero": {"health": 9}, "board": [{"attack": 1, "health": 2}]},
             "enemy": {"hero": {"health": 30, "class": "mage"}, "hand": 3, "deck": 9,
                       "board": [{"attack": 1, "health": 1}, {"name": "No", "attack": 1, "health": 1}]}}  # fmt: skip
    plan = plan_ahead(state, "champion", k=2, samples=3, hidden_pool=Opponent(load_metagame(), "mage"))
    assert len(plan.considered[0].replies) == 3


def test_a_minion_that_stays_on_the_board_counts_once_for_a_prediction() -> None:
    state = {"mana": 3, "turn": 7, "me": {"hero": {"health": 20}, "board": [{"attack": 1, "health": 1}], "hand": []},
             "enemy": {"hero": {"health": 30, "class": "mage"}, "hand": 3, "deck": 9,
                       "board": [{"name": "Water Elemental"}]}}  # fmt: skip
    opponent = Opponent(load_metagame(), "mage")
    plan_ahead(state, "champion", k=2, samples=1, hidden_pool=opponent)
    after_one_plan = list(opponent.predict().decks)
    plan_ahead(state | {"turn": 9}, "champion", k=2, samples=1, hidden_pool=opponent)
    assert list(opponent.predict().decks) == after_one_plan


def test_an_object_that_is_not_an_opponent_is_refused() -> None:
    with pytest.raises(PlannerError, match="is neither a list of cards nor an Opponent"):
        HiddenPool(Random)  # type: ignore[arg-type]


def warrior(state: GameState) -> GameState:
    hero = state.enemy.hero._replace(hero_class="warrior")
    return state._replace(enemy=state.enemy._replace(hero=hero))


def test_a_metagame_predicts_the_opponents_class_for_each_seat() -> None:
    hidden_pool = HiddenPool(predict=partial(opponent_of, load_metagame()))
    seen, other = warrior(facing(MINIONS, turn=7)), warrior(facing((), turn=8, seat=1))
    hidden_pool.look(seen)
    hidden_pool.look(other)
    opponent = Opponent(load_metagame(), "warrior")
    assert hidden_pool.sample(other, Random(1)) == HiddenPool(opponent).sample(other, Random(1))
    for card in MINIONS:
        opponent.see(card.name, seen.enemy.crystals)
    assert hidden_pool.sample(seen, Random(1)) == HiddenPool(opponent).sample(seen, Random(1))
    hidden_pool.look(warrior(facing((), turn=1)))  # another match
    fresh = HiddenPool(Opponent(load_metagame(), "warrior")).sample(seen, Random(1))
    assert hidden_pool.sample(seen, Random(1)) == fresh


def test_a_metagame_without_the_class_knows_only_its_cards() -> None:
    mages = load_metagame().select([deck.player_class == "mage" for deck in load_metagame().decks])
    state = warrior(facing((), turn=3))
    sampled = HiddenPool(predict=partial(opponent_of, mages)).sample(state, Random(1))
    assert sampled == HiddenPool().sample(state, Random(1))


@pytest.mark.parametrize("opponent", ["unknown", "ours"])
def test_an_agent_may_ignore_an_open_decklist(opponent: str) -> None:
    cards = load_deck("mage").cards
    state = warrior(facing((), turn=3))

    def sample(decklist: Sequence[Card] | None, source: str | None) -> GameState:
        return GAME.hidden_pool(decklist, source).sample(state, Random(1))

    assert sample(cards, opponent) == sample(None, opponent) != sample(cards, None)
    assert (sample(None, opponent) == sample(None, None)) == (opponent == "unknown")


def test_an_experiment_names_the_metagame(tmp_path: Path) -> None:
    def agent(opponent: str) -> AheadOptions | None:
        path = tmp_path / "study.yaml"
        options = f"k: 2, samples: 1, opponent: {opponent}"
        path.write_text(f"agents: [{{profile: champion, ahead: {{{options}}}}}]\ndecks: [mage]\ngames: 1\n")
        return load_experiment(path).agents[0].spec.options.ahead

    assert agent("unknown") == AheadOptions(2, 1, opponent="unknown")
    (tmp_path / "known.json").write_text(metagame_to_json(load_metagame()))
    assert agent("known.json") == AheadOptions(2, 1, opponent=str(tmp_path / "known.json"))
    with pytest.raises(PlannerError, match=r"study\.yaml:1: missing\.json: "):
        agent("missing.json")
