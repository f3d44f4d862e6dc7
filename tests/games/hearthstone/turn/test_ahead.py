"""Looking ahead at the opponent's reply: candidate turns, sampled replies and hidden information."""

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
    own_attack=3, own_remaining_health=3, enemy_attack=3, enemy_remaining_health=3,
    own_health=2, enemy_health=2, cards_in_hand=2,
)  # fmt: skip


def midgame(seed: int, turns: int = 9) -> GameState:
    """Return a state in the middle of a match of class decks."""
    record = play_match(("greedy", "greedy"), MatchSetup.of("mage", "hunter"), seed)
    chance = Random(seed)
    state: Any = record.initial
    for turn in record.turns[:turns]:
        for move in turn.moves:
            if GAME.illegal_reason(state, move.action) is None:
                state = GAME.apply(state, move.action, chance)
    return state


def test_the_reply_changes_the_plan() -> None:
    """Attacking the hero scores more this turn, but the surviving minion would kill our hero."""
    state = {
        "mana": 0,
        "me": {"hero": {"health": 5}, "board": [{"attack": 4, "health": 9}]},
        "enemy": {"hero": {"health": 30}, "board": [{"id": "killer", "attack": 5, "health": 4}]},
    }
    face = Weights(face_damage=3, minion_damage=2, lethal=100)
    assert plan_turn(state, face).actions[0].target == "enemy.hero"
    plan = plan_ahead(state, face)
    assert plan.actions[0].target == "killer"
    assert plan.status == "feasible"  # not optimal for this turn alone, and looking ahead proves nothing
    assert plan.bound == plan_turn(state, face).objective
    ahead = plan.to_dict()["ahead"]
    assert ahead["proved"] is False
    hit = next(turn for turn in ahead["considered"] if turn["actions"][0]["target"] == "enemy.hero")
    assert hit["value"] <= ahead["value"] - 50
    json.dumps(ahead)


def test_the_feared_reply_is_a_legal_line() -> None:
    state = {
        "mana": 0,
        "me": {"hero": {"health": 9}, "board": [{"attack": 1, "health": 1}, {"attack": 1, "health": 1}]},
        "enemy": {"hero": {"health": 30}, "board": [{"id": "big", "attack": 5, "health": 9}]},
    }
    feared = plan_ahead(state, TABLE).considered[0].feared
    assert feared.actions
    for action in feared.actions:  # from the opponent's view, where the opponent is `me`
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
def test_a_single_candidate_has_a_feared_reply_too(board: list[Any]) -> None:
    """With no other turn, or with k=1, there is a feared reply and the agent draws no random numbers."""
    state = {"mana": 0, "me": {"hero": {"health": 5}, "board": board},
             "enemy": {"hero": {"health": 30}, "board": [{"name": "Big", "attack": 3, "health": 9}]}}  # fmt: skip
    feared = plan_ahead(state, TABLE, k=1).to_dict()["ahead"]["feared"]
    assert feared["words"][-1].startswith("Big attacks")
    agent = PlannerAgent(TABLE, ahead=AheadOptions(1))
    before = agent._chance.getstate()
    agent.decide(GAME.state_from_json(state))
    assert agent._chance.getstate() == before


@pytest.mark.parametrize("draws", [True, False])
def test_a_certain_win_with_a_draw_or_random_effect_needs_no_comparison(draws: bool) -> None:
    """The win is certain whatever card is drawn and whichever minion is hit."""
    side_effect = {"do": "draw", "count": 1} if draws else {"do": "damage", "amount": 1, "to": "random friendly minion"}
    kill = {"name": "Kill", "type": "spell", "cost": 1,
            "effects": [side_effect, {"do": "damage", "amount": 4, "to": "enemy hero"}]}  # fmt: skip
    state = {"mana": 1, "me": {"hero": {"health": 9}, "deck": 5, "hand": [{"name": "Kill", "card": kill}],
                               "board": [{"attack": 0, "health": 3}, {"attack": 0, "health": 1}]},
             "enemy": {"hero": {"health": 4}}}  # fmt: skip
    plan = plan_ahead(state, Weights(card_value=-9, own_survival=5, take_lethal=True))
    assert plan.lethal
    assert plan.reveals == 0
    assert plan.considered == ()


@pytest.mark.parametrize("lethal", [0, -3])
def test_a_profile_without_lethal_weight_still_avoids_defeat(lethal: int) -> None:
    state = {"mana": 0, "me": {"hero": {"health": 5}, "board": [{"attack": 4, "health": 9}]},
             "enemy": {"hero": {"health": 30}, "board": [{"id": "killer", "attack": 5, "health": 4}]}}  # fmt: skip
    face = Weights(face_damage=30, minion_damage=1, lethal=lethal, take_lethal=True)
    reply = Weights(face_damage=1)
    assert plan_ahead(state, face, reply).actions[0].target == "killer"
    # Without take_lethal a win scores its weight, and a defeat costs as much, but at least 0.
    assert plan_ahead(state, Weights(face_damage=30, lethal=lethal), reply).actions[0].target == "enemy.hero"


def test_the_reply_is_described_to_the_player() -> None:
    state = {"mana": 0, "me": {"hero": {"health": 5}, "board": [{"attack": 1, "health": 1}]},
             "enemy": {"hero": {"health": 30}, "board": [{"name": "Big", "attack": 5, "health": 9}]}}  # fmt: skip
    words = plan_ahead(state, TABLE).to_dict()["ahead"]["feared"]["words"]
    assert words[-1] == "Big attacks your hero (5 -> 0); your hero dies"


@pytest.mark.parametrize("seed", range(4))
def test_hidden_cards_do_not_affect_the_plan(seed: int) -> None:
    """Shuffling the enemy's hand and both decks leaves the decision unchanged."""
    state = midgame(seed)
    rng = Random(seed)
    cards = [*state.enemy.hand, *state.enemy.deck]
    rng.shuffle(cards)
    hand_size = len(state.enemy.hand)
    my_deck = list(state.me.deck)
    rng.shuffle(my_deck)
    other = state._replace(
        enemy=state.enemy.with_cards(tuple(cards[:hand_size]), tuple(cards[hand_size:])),
        me=state.me.with_cards(state.me.hand, tuple(my_deck)),
    )
    assert state != other
    options: dict[str, Any] = {"k": 4, "samples": 2, "seed": seed, "effort": 2000}
    first, second = plan_ahead(state, TABLE, **options), plan_ahead(other, TABLE, **options)
    assert first.actions == second.actions
    assert [turn.value for turn in first.considered] == [turn.value for turn in second.considered]


def test_the_seed_decides_the_samples() -> None:
    state = observe(midgame(2), midgame(2).seat)
    values = [
        [turn.value for turn in plan_ahead(state, TABLE, k=4, samples=2, seed=seed, effort=2000).considered]
        for seed in (1, 1, 2)
    ]
    assert values[0] == values[1]
    assert values[0] != values[2]


def test_samples_come_from_the_hidden_pool() -> None:
    """With a pool of copies of one card, the opponent holds only that card in every sample."""
    state = midgame(3)
    card = load_deck("warrior").cards[0]
    plan = plan_ahead(state, TABLE, k=3, samples=2, hidden_pool=[card] * 30, effort=2000)
    for turn in plan.considered:
        for reply in turn.replies:
            if reply.state.seat != state.seat:
                assert {hand_card.card for hand_card in reply.state.me.hand} <= {card}


def test_played_cards_leave_the_hidden_pool() -> None:
    """The pool remembers them for the match, also after they died."""
    deck = load_deck("warrior")
    minions = [card for card in dict.fromkeys(deck.cards) if card.type == "minion"][:3]
    hidden_pool = HiddenPool(minions)
    before = midgame(3)._replace(seat=0)
    board = tuple(new_minion(f"m{index}", card, index) for index, card in enumerate(minions))
    hidden_pool.look(before._replace(enemy=before.enemy._replace(board=board[:2])))
    assert hidden_pool.pool(before) == [minions[2]]
    hidden_pool.look(before._replace(enemy=before.enemy._replace(board=board[:1])))  # the same minion again
    assert hidden_pool.pool(before) == [minions[2]]
    hand = hidden_pool.sample(observe(before, 0), Random(1)).enemy.hand
    assert {hand_card.card for hand_card in hand} <= {minions[2]}


def test_samples_follow_the_prediction() -> None:
    """Most sampled cards are in the deck of the class, and visible cards update the prediction."""
    state = midgame(3)
    hero_class = state.enemy.hero.hero_class
    deck = load_deck(hero_class)
    opponent = Opponent(load_metagame(), hero_class)
    plan = plan_ahead(state, TABLE, k=3, samples=3, hidden_pool=opponent, effort=2000)
    sampled = [card.card for turn in plan.considered for reply in turn.replies for card in reply.state.me.hand]
    assert sampled
    assert sum(card in deck.cards for card in sampled) > len(sampled) / 2  # variants have some other cards
    assert (
        opponent.predict().decks.max() == Opponent(load_metagame(), hero_class).predict().decks.max()
    )  # no visible cards
    rare = next(card for card in deck.cards if card.type == "minion" and card.card_class == hero_class)
    enemy = state.enemy._replace(board=(new_minion("m", rare, 1),))
    plan_ahead(state._replace(enemy=enemy), TABLE, k=2, samples=1, hidden_pool=opponent, effort=2000)
    assert list(opponent.predict().decks) != list(Opponent(load_metagame(), hero_class).predict().decks)


@pytest.mark.parametrize("seconds", [1e-9, 0.2])
def test_a_time_limit_stops_the_sampling(seconds: float) -> None:
    state = midgame(4)
    begin = perf_counter()
    plan = plan_ahead(state, TABLE, k=20, samples=1000, time_limit=seconds)
    assert plan.seconds <= perf_counter() - begin < 5  # all samples would take a minute
    assert plan.seconds > 0.9 * seconds  # includes the time of looking ahead
    assert all(GAME.illegal_reason(state, action) is None for action in plan.actions[:1])
    assert len({len(turn.replies) for turn in plan.considered}) <= 1  # every turn has the same number of samples


@pytest.mark.parametrize(
    ("options", "message"),
    [({"k": 0}, "k: must be between 1 and 1000, got 0"), ({"samples": "x"}, "samples: must be an integer, between 1 and 1000, got 'x'"), ({"k": 10**9}, "k: "), ({"seed": [1]}, "seed: "),
     ({"hidden_pool": ["Wisp"]}, "hidden_pool: 'Wisp' is not a card"),
     ({"hidden_pool": 7}, "hidden_pool: 7 is neither a list of cards nor an Opponent")],
)  # fmt: skip
def test_invalid_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlannerError, match=message):
        plan_ahead({"mana": 0, "me": {"hero": {"health": 1}}, "enemy": {"hero": {"health": 1}}}, TABLE, **options)


@pytest.mark.parametrize("ahead", [8, True, {"k": 8}])
def test_an_agent_refuses_invalid_ahead_options(ahead: Any) -> None:
    """The constructor refuses them, not the first decision."""
    with pytest.raises(PlannerError, match="is not AheadOptions, such as"):
        PlannerAgent(TABLE, ahead=ahead)
    with pytest.raises(PlannerError, match="'no_such_profile' is not a profile"):
        PlannerAgent(TABLE, ahead=AheadOptions(reply="no_such_profile"))


def test_looking_ahead_is_not_supported_for_spire() -> None:
    with pytest.raises(PlannerError, match="looking ahead is not supported for spire"):
        PlannerAgent("spire_balanced", "spire", ahead=AheadOptions())


def test_matches_with_looking_ahead_are_reproducible() -> None:
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
    records = []
    for _ in range(2):
        agent = PlannerAgent(TABLE, seed=5, hidden_pool=setup.decks[1].cards, ahead=AheadOptions(4, 2))
        records.append(play_match((agent, "greedy"), setup, seed=8))
    assert records[0].turns[5].moves[0].action == records[1].turns[5].moves[0].action
    assert records[0].outcome == records[1].outcome
    assert records[0].outcome.reason in ("damage", "fatigue")


@pytest.mark.parametrize("seed", range(3))
def test_more_candidate_turns_never_lower_the_value(seed: int) -> None:
    """With the same samples, the best of more turns is at least as good."""
    state = midgame(seed)
    options: dict[str, Any] = {"samples": 2, "seed": seed, "effort": 2000}
    values = [plan_ahead(state, TABLE, k=k, **options).considered[0].value for k in (1, 2, 4, 8)]
    assert values == sorted(values)


def test_more_samples_choose_better() -> None:
    """On separate samples, the choice from 12 samples has a higher value than the choice from one."""
    gain = 0.0
    for seed in range(8):
        state = midgame(seed)
        reference = plan_ahead(state, TABLE, k=6, samples=24, seed=1000 + seed, effort=1000).considered
        values = {turn.plan.actions: turn.value for turn in reference}
        few, many = (
            plan_ahead(state, TABLE, k=6, samples=samples, seed=seed, effort=1000).actions for samples in (1, 12)
        )
        if values:
            gain += values[many] - values[few]
    assert gain > 0


@pytest.mark.long
def test_looking_ahead_wins_about_half_of_the_matches() -> None:
    """Plays each seed from both seats against the same profile without looking ahead."""
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
    points = 0.0
    for seed in range(100):
        for seat in (0, 1):
            agents: list[Any] = [PlannerAgent(TABLE), PlannerAgent(TABLE)]
            hidden_pool = setup.decks[1 - seat].cards
            agents[seat] = PlannerAgent(TABLE, seed=seed, hidden_pool=hidden_pool, ahead=AheadOptions(8, 3))
            points += play_match(agents, setup, seed).outcome.points[seat]
    assert points >= 95  # of 200


def test_the_reply_can_use_another_profile() -> None:
    """An opponent whose profile penalises every action never attacks."""
    passive = Weights(face_damage=-5, minion_damage=-5, card_value=-5, own_survival=1)
    plan = plan_ahead(midgame(5), TABLE, reply_weights=passive, k=3, samples=2, effort=2000)
    assert plan.considered
    replies = [reply for turn in plan.considered for reply in turn.replies]
    assert all(not any(type(action).__name__ == "Attack" for action in reply.actions) for reply in replies)
    usual = plan_ahead(midgame(5), TABLE, k=3, samples=2, effort=2000)
    assert any(reply.actions for turn in usual.considered for reply in turn.replies)
