"""A look at the reply: what is compared, what is feared, what is never seen."""

from __future__ import annotations

import json
from random import Random
from time import perf_counter
from typing import Any

import pytest

from planner import PlannerAgent, PlannerError, plan_ahead, plan_turn, play_match
from planner.games.hearthstone import GAME, MatchSetup, load_deck
from planner.games.hearthstone.metagame import Opponent, load_metagame
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state import GameState, new_minion
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.look_ahead import HiddenPool
from planner.planning.plan import AheadOptions

TABLE = Weights(
    lethal=100, name="table",
    extra=(("own_attack", 3), ("own_remaining_health", 3), ("enemy_attack", 3), ("enemy_remaining_health", 3),
           ("own_health", 2), ("enemy_health", 2), ("cards_in_hand", 2)),
)  # fmt: skip


def midgame(seed: int, turns: int = 9) -> GameState:
    """A state in the middle of a match of class decks."""
    record = play_match(("greedy", "greedy"), MatchSetup.of("mage", "hunter"), seed)
    chance = Random(seed)
    state: Any = record.initial
    for turn in record.turns[:turns]:
        for move in turn.moves:
            if GAME.illegal_reason(state, move.action) is None:
                state = GAME.apply(state, move.action, chance)
    return state


def test_the_reply_is_looked_at() -> None:
    """By itself it is as good to hit the hero, but the minion left alive would kill our hero."""
    state = {
        "mana": 0,
        "me": {"hero": {"health": 5}, "board": [{"attack": 4, "health": 9}]},
        "enemy": {"hero": {"health": 30}, "board": [{"id": "killer", "attack": 5, "health": 4}]},
    }
    face = Weights(face_damage=3, minion_damage=2, lethal=100)
    assert plan_turn(state, face).actions[0].target == "enemy.hero"
    plan = plan_ahead(state, face)
    assert plan.actions[0].target == "killer"
    assert plan.status == "feasible"  # by its own turn it is not the best, and the look ahead proves nothing
    assert plan.bound == plan_turn(state, face).objective
    answer = plan.to_dict()["ahead"]
    assert answer["proved"] is False
    hit = next(one for one in answer["considered"] if one["actions"][0]["target"] == "enemy.hero")
    assert hit["value"] <= answer["value"] - 50
    json.dumps(answer)


def test_what_it_fears_is_a_line_of_actions() -> None:
    state = {
        "mana": 0,
        "me": {"hero": {"health": 9}, "board": [{"attack": 1, "health": 1}, {"attack": 1, "health": 1}]},
        "enemy": {"hero": {"health": 30}, "board": [{"id": "big", "attack": 5, "health": 9}]},
    }
    feared = plan_ahead(state, TABLE).considered[0].feared
    assert feared.actions
    for action in feared.actions:  # as the opponent sees it: it is `me` there
        assert GAME.illegal_reason(feared.state, action) is None
        break
    assert feared.state.seat == 1


def test_a_certain_win_needs_no_comparison() -> None:
    state = {"mana": 0, "me": {"hero": {"health": 1}, "board": [{"attack": 4, "health": 1}]},
             "enemy": {"hero": {"health": 4}, "board": [{"attack": 9, "health": 4}]}}  # fmt: skip
    plan = plan_ahead(state, TABLE)
    assert plan.outcome == "win"
    assert plan.considered == ()
    assert plan.to_dict()["ahead"] is None


@pytest.mark.parametrize("board", [[], [{"attack": 1, "health": 1}]])
def test_a_single_turn_has_its_fear_too(board: list[Any]) -> None:
    """Where there is no other turn, or no other is asked for; and later decisions keep their luck."""
    state = {"mana": 0, "me": {"hero": {"health": 5}, "board": board},
             "enemy": {"hero": {"health": 30}, "board": [{"name": "Big", "attack": 3, "health": 9}]}}  # fmt: skip
    feared = plan_ahead(state, TABLE, k=1).to_dict()["ahead"]["feared"]
    assert feared["words"][-1].startswith("Big attacks")
    agent = PlannerAgent(TABLE, ahead=AheadOptions(1))
    before = agent._chance.getstate()
    agent.decide(GAME.state_from_json(state))
    assert agent._chance.getstate() == before


@pytest.mark.parametrize("draws", [True, False])
def test_nor_does_a_win_that_shows_something_on_its_way(draws: bool) -> None:
    """A draw, or chance about something else: the kill is certain all the same."""
    by_the_way = {"do": "draw", "count": 1} if draws else {"do": "damage", "amount": 1, "to": "random friendly minion"}
    kill = {"name": "Kill", "type": "spell", "cost": 1,
            "effects": [by_the_way, {"do": "damage", "amount": 4, "to": "enemy hero"}]}  # fmt: skip
    state = {"mana": 1, "me": {"hero": {"health": 9}, "deck": 5, "hand": [{"name": "Kill", "card": kill}],
                               "board": [{"attack": 0, "health": 3}, {"attack": 0, "health": 1}]},
             "enemy": {"hero": {"health": 4}}}  # fmt: skip
    plan = plan_ahead(state, Weights(card_value=-9, own_survival=5, take_lethal=True))
    assert plan.lethal
    assert plan.reveals == 0
    assert plan.considered == ()


@pytest.mark.parametrize("lethal", [0, -3])
def test_who_gives_a_win_no_weight_fears_defeat_all_the_same(lethal: int) -> None:
    state = {"mana": 0, "me": {"hero": {"health": 5}, "board": [{"attack": 4, "health": 9}]},
             "enemy": {"hero": {"health": 30}, "board": [{"id": "killer", "attack": 5, "health": 4}]}}  # fmt: skip
    face = Weights(face_damage=30, minion_damage=1, lethal=lethal, take_lethal=True)
    reply = Weights(face_damage=1)
    assert plan_ahead(state, face, reply).actions[0].target == "killer"
    # Without the option a kill earns its weight, and a defeat costs as much, but never less than 0.
    assert plan_ahead(state, Weights(face_damage=30, lethal=lethal), reply).actions[0].target == "enemy.hero"


def test_the_reply_is_described_to_the_player() -> None:
    state = {"mana": 0, "me": {"hero": {"health": 5}, "board": [{"attack": 1, "health": 1}]},
             "enemy": {"hero": {"health": 30}, "board": [{"name": "Big", "attack": 5, "health": 9}]}}  # fmt: skip
    words = plan_ahead(state, TABLE).to_dict()["ahead"]["feared"]["words"]
    assert words[-1] == "Big attacks your hero (5 -> 0); your hero dies"


@pytest.mark.parametrize("seed", range(4))
def test_hidden_cards_are_never_looked_at(seed: int) -> None:
    """The enemy's hand and both decks are permuted and exchanged: the decision stays the same."""
    state = midgame(seed)
    rng = Random(seed)
    cards = [*state.enemy.hand, *state.enemy.deck]
    rng.shuffle(cards)
    held = len(state.enemy.hand)
    mine = list(state.me.deck)
    rng.shuffle(mine)
    other = state._replace(
        enemy=state.enemy.with_cards(tuple(cards[:held]), tuple(cards[held:])),
        me=state.me.with_cards(state.me.hand, tuple(mine)),
    )
    assert state != other
    options: dict[str, Any] = {"k": 4, "samples": 2, "seed": seed, "effort": 2000}
    one, two = plan_ahead(state, TABLE, **options), plan_ahead(other, TABLE, **options)
    assert one.actions == two.actions
    assert [found.value for found in one.considered] == [found.value for found in two.considered]


def test_the_seed_decides() -> None:
    state = observe(midgame(2), midgame(2).seat)
    values = [
        [one.value for one in plan_ahead(state, TABLE, k=4, samples=2, seed=seed, effort=2000).considered]
        for seed in (1, 1, 2)
    ]
    assert values[0] == values[1]
    assert values[0] != values[2]


def test_open_decks_are_what_is_sampled() -> None:
    """With a list of nothing but one card the opponent holds that card in every sample."""
    state = midgame(3)
    card = load_deck("warrior").cards[0]
    plan = plan_ahead(state, TABLE, k=3, samples=2, hidden_pool=[card] * 30, effort=2000)
    for one in plan.considered:
        for reply in one.replies:
            if reply.state.seat != state.seat:
                assert {held.card for held in reply.state.me.hand} <= {card}


def test_cards_that_were_seen_are_not_held_any_more() -> None:
    """Also when they have died since: the pool remembers them for the match."""
    deck = load_deck("warrior")
    minions = [card for card in dict.fromkeys(deck.cards) if card.type == "minion"][:3]
    unseen = HiddenPool(minions)
    before = midgame(3)._replace(seat=0)
    board = tuple(new_minion(f"m{place}", card, place) for place, card in enumerate(minions))
    unseen.look(before._replace(enemy=before.enemy._replace(board=board[:2])))
    assert unseen.pool(before) == [minions[2]]
    unseen.look(before._replace(enemy=before.enemy._replace(board=board[:1])))  # the same one again
    assert unseen.pool(before) == [minions[2]]
    held = unseen.sample(observe(before, 0), Random(1)).enemy.hand
    assert {one.card for one in held} <= {minions[2]}


def test_a_prediction_says_what_is_sampled() -> None:
    """Most of it is the class's deck and its variants; and the prediction learns the visible cards."""
    state = midgame(3)
    hero_class = state.enemy.hero.hero_class
    known = load_deck(hero_class)
    opponent = Opponent(load_metagame(), hero_class)
    plan = plan_ahead(state, TABLE, k=3, samples=3, hidden_pool=opponent, effort=2000)
    held = [card.card for one in plan.considered for reply in one.replies for card in reply.state.me.hand]
    assert held
    assert sum(card in known.cards for card in held) > len(held) / 2  # variants have some others
    assert opponent.predict().decks.max() == Opponent(load_metagame(), hero_class).predict().decks.max()  # nothing seen
    rare = next(card for card in known.cards if card.type == "minion" and card.card_class == hero_class)
    enemy = state.enemy._replace(board=(new_minion("m", rare, 1),))
    plan_ahead(state._replace(enemy=enemy), TABLE, k=2, samples=1, hidden_pool=opponent, effort=2000)
    assert list(opponent.predict().decks) != list(Opponent(load_metagame(), hero_class).predict().decks)


@pytest.mark.parametrize("seconds", [1e-9, 0.2])
def test_a_time_limit_leaves_the_best_turn(seconds: float) -> None:
    state = midgame(4)
    begin = perf_counter()
    plan = plan_ahead(state, TABLE, k=20, samples=1000, time_limit=seconds)
    assert plan.seconds <= perf_counter() - begin < 5  # all samples would take a minute
    assert plan.seconds > 0.9 * seconds  # the look ahead counts as well
    assert all(GAME.illegal_reason(state, action) is None for action in plan.actions[:1])
    assert len({len(one.replies) for one in plan.considered}) <= 1  # no turn is judged by more luck than another


@pytest.mark.parametrize(
    ("options", "message"),
    [({"k": 0}, "k: must be between 1 and 1000, got 0"), ({"samples": "x"}, "samples: must be an integer, between 1 and 1000, got 'x'"), ({"k": 10**9}, "k: "), ({"seed": [1]}, "seed: "),
     ({"unseen": ["Wisp"]}, "unseen: 'Wisp' is not a card"),
     ({"unseen": 7}, "unseen: 7 is neither a list of cards nor an Opponent")],
)  # fmt: skip
def test_refusals(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlannerError, match=message):
        plan_ahead({"mana": 0, "me": {"hero": {"health": 1}}, "enemy": {"hero": {"health": 1}}}, TABLE, **options)


@pytest.mark.parametrize("ahead", [8, True, {"k": 8}])
def test_an_agent_refuses_what_is_no_look_ahead(ahead: Any) -> None:
    """When it is made, not when it is to move."""
    with pytest.raises(PlannerError, match="is not AheadOptions, such as"):
        PlannerAgent(TABLE, ahead=ahead)
    with pytest.raises(PlannerError, match="'no_such_profile' is not a profile"):
        PlannerAgent(TABLE, ahead=AheadOptions(reply="no_such_profile"))


def test_battles_have_no_reply() -> None:
    with pytest.raises(PlannerError, match="looking ahead is not supported for spire"):
        PlannerAgent("spire_balanced", "spire", ahead=AheadOptions())


def test_agents_that_look_ahead_play_whole_matches_again() -> None:
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
    games = []
    for _ in range(2):
        agent = PlannerAgent(TABLE, seed=5, hidden_pool=setup.decks[1].cards, ahead=AheadOptions(4, 2))
        games.append(play_match((agent, "greedy"), setup, seed=8))
    assert games[0].turns[5].moves[0].action == games[1].turns[5].moves[0].action
    assert games[0].outcome == games[1].outcome
    assert games[0].outcome.reason in ("damage", "fatigue")


@pytest.mark.parametrize("seed", range(3))
def test_more_turns_never_look_worse(seed: int) -> None:
    """With the same samples, the best of more turns is at least as good."""
    state = midgame(seed)
    options: dict[str, Any] = {"samples": 2, "seed": seed, "effort": 2000}
    values = [plan_ahead(state, TABLE, k=k, **options).considered[0].value for k in (1, 2, 4, 8)]
    assert values == sorted(values)


def test_more_samples_choose_better() -> None:
    """Judged by samples of its own, the choice of many samples scores more than the choice of one."""
    gained = 0.0
    for seed in range(8):
        state = midgame(seed)
        judged = plan_ahead(state, TABLE, k=6, samples=24, seed=1000 + seed, effort=1000).considered
        values = {one.plan.actions: one.value for one in judged}
        few, many = (
            plan_ahead(state, TABLE, k=6, samples=samples, seed=seed, effort=1000).actions for samples in (1, 12)
        )
        if values:
            gained += values[many] - values[few]
    assert gained > 0


@pytest.mark.long
def test_looking_ahead_sees_more_than_the_turn() -> None:
    """Over matches with the same luck it wins more often than it loses against itself without the look."""
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
    points = 0.0
    for seed in range(100):
        for seat in (0, 1):
            agents: list[Any] = [PlannerAgent(TABLE), PlannerAgent(TABLE)]
            unseen = setup.decks[1 - seat].cards
            agents[seat] = PlannerAgent(TABLE, seed=seed, hidden_pool=unseen, ahead=AheadOptions(8, 3))
            points += play_match(agents, setup, seed).outcome.points[seat]
    assert points >= 95  # of 200


def test_the_reply_of_another_profile() -> None:
    """Who likes nothing that can be done does nothing."""
    idle = Weights(face_damage=-5, minion_damage=-5, card_value=-5, own_survival=1)
    found = plan_ahead(midgame(5), TABLE, reply_weights=idle, k=3, samples=2, effort=2000)
    assert found.considered
    replies = [reply for one in found.considered for reply in one.replies]
    assert all(not any(type(action).__name__ == "Attack" for action in reply.actions) for reply in replies)
    usual = plan_ahead(midgame(5), TABLE, k=3, samples=2, effort=2000)
    assert any(reply.actions for one in usual.considered for reply in one.replies)
