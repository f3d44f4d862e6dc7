"""The formal model of Ha (2024), section 4, as tests: the pre- and postconditions of each schema over generated states.

The model has no mana and no keywords, so cards here cost nothing and have no text. Its `battled_this_turn` is the set of
minions without attacks left. Its minions attack in the turn in which they are summoned; ours need charge for that, so
the attackers here were summoned before. docs/reference/rules.md has the table of schemas, functions and tests.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.errors import PlannerError
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, Play
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.match_flow import end_turn, outcome, pass_turn, start_match, start_turn
from planner.games.hearthstone.rules.resolve import IllegalActionError, apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, Minion, Player, new_minion
from tests.build import card, minion, player

LIMITS = st.integers(1, 9)
STATS = st.tuples(st.integers(0, 9), st.integers(1, 12))
CARDS = STATS.map(lambda both: card(*both, cost=0))
MINIONS = st.builds(lambda both, left: minion(*both, attacks_left=left), STATS, st.integers(0, 1))


@st.composite
def rulesets(draw: st.DrawFn, minimum: int = 0) -> Ruleset:
    """Draw rules with any limits and a starting hand of at least `minimum` cards; fatigue is always 1."""
    hand = draw(st.integers(minimum + 1, 10))
    first = draw(st.integers(minimum, hand - 1))
    return Ruleset(
        "formal",
        hero_health=draw(st.integers(1, 40)),
        board_limit=draw(LIMITS),
        hand_limit=hand,
        starting_hand=(first, first + 1),
        coin=False,
        mulligan=True,  # separates the start of the match from the first turn, as the model does
        fatigue_growth=0,
    )


@st.composite
def states(draw: st.DrawFn) -> GameState:
    """Draw any state of a match, sometimes one after its end."""
    rules = draw(rulesets())

    def side(name: str, first: int) -> Player:
        return player(
            name,
            board=draw(st.lists(MINIONS, max_size=rules.board_limit)),
            hand=draw(st.lists(CARDS, max_size=rules.hand_limit)),
            deck=draw(st.lists(CARDS, max_size=4)),
            health=draw(st.integers(1, 30)),
            first=first,
        )

    seat, turn = draw(st.integers(0, 1)), draw(st.integers(1, 50))
    return GameState(side("me", 1), side("enemy", 101), rules, turn=turn, seat=seat, clock=1000)


def attempt(state: GameState, action: Action) -> tuple[GameState, str]:
    """Return the state after the action, or the same state and the reason if the action is illegal."""
    before = repr(state)
    try:
        return apply(state, action), ""
    except IllegalActionError as error:
        assert repr(state) == before
        return state, str(error)


def battled(player: Player) -> set[str]:
    return {minion.id for minion in player.board if minion.attacks_left == 0}


def stats(player: Player) -> list[tuple[str, int, int]]:
    return [(minion.id, minion.attack, minion.health) for minion in player.board]


def decks_of(sizes: tuple[int, int]) -> tuple[Deck, Deck]:
    first, second = (
        Deck(f"deck {size}", "mage", tuple(Card(f"card {number}", attack=1, health=1) for number in range(size)))
        for size in sizes
    )
    return first, second


def shuffled(decks: tuple[Deck, Deck], seed: int) -> list[list[str]]:
    """Return the order of both decks after the generator with this seed has shuffled them."""
    rng, orders = Random(seed), []
    for seat, deck in enumerate(decks):
        order = [f"p{seat + 1}.{number + 1}" for number in range(len(deck.cards))]
        rng.shuffle(order)
        orders.append(order)
    return orders


SIZES = st.tuples(st.integers(1, 14), st.integers(1, 14))


def starts(player: Player, order: list[str], count: int, health: int) -> None:
    """Check the common postcondition of the four start schemas."""
    assert [card.id for card in player.hand] == order[:count]
    assert [card.id for card in player.deck] == order[count:]
    assert player.board == ()
    assert player.hero.health == health


# -- 4.1 cards and minions


@given(CARDS)
def test_init_minion_has_health_and_no_negative_attack(printed: Card) -> None:
    made = new_minion("x", printed, 1)
    assert made.health == printed.health > 0
    assert made.attack == printed.attack >= 0


def test_init_minion_refuses_a_card_that_would_die_at_once(tmp_path: Path) -> None:
    path = tmp_path / "cards.yaml"
    path.write_text("- {name: Ghost, attack: 1, health: 0}\n", encoding="utf-8")
    with pytest.raises(PlannerError, match="starts with at least 1"):
        catalogue.standard().extended(path)


# -- 4.2 player state


@given(states(), st.data())
def test_board_holds_only_living_minions_up_to_its_limit(state: GameState, data: st.DataObject) -> None:
    for _ in range(6):
        actions = legal_actions(state)
        if not actions:
            break
        state = apply(state, data.draw(st.sampled_from(actions)))
        for side in (state.me, state.enemy):
            assert len(side.board) <= state.rules.board_limit
            assert all(minion.health > 0 for minion in side.board)


@given(rulesets(), SIZES, st.integers(0, 99))
def test_init_player_state_has_health_an_empty_board_and_all_its_cards(
    rules: Ruleset, sizes: tuple[int, int], seed: int
) -> None:
    state = start_match(decks_of(sizes), rules, Random(seed))
    for seat, size in enumerate(sizes):
        side = state.player(seat)
        assert side.hero.health == rules.hero_health > 0
        assert side.board == ()
        assert sorted(held.card.name for held in side.hand + side.deck) == sorted(f"card {n}" for n in range(size))


@pytest.mark.parametrize("sizes", [(0, 5), (5, 0)])
def test_init_player_state_refuses_an_empty_deck(sizes: tuple[int, int]) -> None:
    with pytest.raises(PlannerError, match="deck 0: is empty"):
        start_match(decks_of(sizes), Ruleset(), Random(0))


# -- 4.3 turns


@given(rulesets(), SIZES)
def test_init_turn_state_begins_with_player_one(rules: Ruleset, sizes: tuple[int, int]) -> None:
    assert start_match(decks_of(sizes), rules, Random(0)).seat == 0


@given(states())
def test_change_turn_player_gives_the_turn_to_the_opponent_and_changes_nothing_else(state: GameState) -> None:
    after = end_turn(state)
    assert after.seat == 1 - state.seat
    for seat in (0, 1):
        assert after.player(seat) == state.player(seat)


# -- 4.4 the start of a match


@given(rulesets(), st.integers(1, 14), st.integers(1, 14), st.integers(0, 99))
def test_p1_normal_start(rules: Ruleset, more: int, other: int, seed: int) -> None:
    count = rules.starting_hand[0]
    decks = decks_of((count + more, other))  # the precondition of the schema: the deck is larger than the hand
    first = start_match(decks, rules, Random(seed)).player(0)
    starts(first, shuffled(decks, seed)[0], count, rules.hero_health)
    assert len(first.deck) == more


@given(rulesets(), st.integers(1, 14), st.integers(1, 14), st.integers(0, 99))
def test_p2_normal_start_draws_one_more(rules: Ruleset, more: int, other: int, seed: int) -> None:
    count = rules.starting_hand[0]
    decks = decks_of((other, count + more))
    second = start_match(decks, rules, Random(seed)).player(1)
    starts(second, shuffled(decks, seed)[1], count + 1, rules.hero_health)
    assert len(second.deck) == more - 1


@given(rulesets(minimum=1), st.data(), st.integers(1, 14), st.integers(0, 99))
def test_p1_draw_deck_draws_a_small_deck_completely(rules: Ruleset, data: st.DataObject, other: int, seed: int) -> None:
    size = data.draw(st.integers(1, rules.starting_hand[0]))
    decks = decks_of((size, other))
    first = start_match(decks, rules, Random(seed)).player(0)
    starts(first, shuffled(decks, seed)[0], size, rules.hero_health)
    assert first.deck == ()


@given(rulesets(minimum=1), st.data(), st.integers(1, 14), st.integers(0, 99))
def test_p2_draw_deck_draws_a_small_deck_completely(rules: Ruleset, data: st.DataObject, other: int, seed: int) -> None:
    size = data.draw(st.integers(1, rules.starting_hand[0]))
    decks = decks_of((other, size))
    second = start_match(decks, rules, Random(seed)).player(1)
    starts(second, shuffled(decks, seed)[1], size, rules.hero_health)
    assert second.deck == ()


# -- 4.5 passing turns


@given(states())
def test_turn_draw(state: GameState) -> None:
    me = state.me
    assume(me.deck)
    after = start_turn(state)
    if len(me.hand) < state.rules.hand_limit:
        assert after.me.hand == (*me.hand, me.deck[0])
    else:
        assert after.me.hand == me.hand  # the hand of the model has no limit; ours burns cards
    assert after.me.deck == me.deck[1:]
    assert stats(after.me) == stats(me)
    assert after.me.hero == me.hero
    assert after.enemy == state.enemy
    assert battled(after.me) == set()


@given(states())
def test_turn_fatigue(state: GameState) -> None:
    me = state.me._replace(deck=())
    after = start_turn(state._replace(me=me))
    assert after.me.hero.health == me.hero.health - 1
    assert (after.me.hand, after.me.deck) == (me.hand, ())
    assert stats(after.me) == stats(me)
    assert after.enemy == state.enemy
    assert battled(after.me) == set()


@given(states())
def test_pass_turn_is_change_turn_player_then_start_turn(state: GameState) -> None:
    after = pass_turn(state)
    assert after == start_turn(end_turn(state)) == apply(state, EndTurn())
    assert after.seat == 1 - state.seat
    assert after.player(state.seat) == state.me


# -- 4.6 summoning


@given(states(), st.data())
def test_summon_minion_success(state: GameState, data: st.DataObject) -> None:
    assume(state.me.hand and len(state.me.board) < state.rules.board_limit)
    held = data.draw(st.sampled_from(state.me.hand))
    after, reason = attempt(state, Play(held.id))
    assert reason == ""
    assert after.me.hand == tuple(other for other in state.me.hand if other.id != held.id)
    assert after.me.board[:-1] == state.me.board
    came = after.me.board[-1]
    assert (came.id, came.card, came.attack, came.health) == (held.id, held.card, held.card.attack, held.card.health)
    assert (after.me.deck, after.me.hero) == (state.me.deck, state.me.hero)
    assert after.enemy == state.enemy
    assert battled(after.me) == battled(state.me)


@given(states(), st.data())
def test_summon_minion_failure_changes_nothing_and_has_a_reason(state: GameState, data: st.DataObject) -> None:
    elsewhere = [card.id for card in state.me.deck + state.enemy.hand] + [m.id for m in state.me.board]
    absent = data.draw(st.sampled_from([*elsewhere, "missing"]))
    after, reason = attempt(state, Play(absent))
    assert after is state
    assert reason == f"{absent} is not in your hand"
    if state.me.hand and len(state.me.board) >= state.rules.board_limit:
        after, reason = attempt(state, Play(state.me.hand[0].id))
        assert after is state
        assert reason == f"your board is full ({state.rules.board_limit})"


# -- 4.7 combat against players


def ready(minions: tuple[Minion, ...]) -> list[Minion]:
    """Return the minions that can attack. The model also allows attacks with 0 attack."""
    return [minion for minion in minions if minion.attacks_left > 0 and minion.attack > 0]


@given(states(), st.data())
def test_minion_attack_player_success(state: GameState, data: st.DataObject) -> None:
    assume(ready(state.me.board))
    attacker = data.draw(st.sampled_from(ready(state.me.board)))
    after, reason = attempt(state, Attack(attacker.id, ENEMY_HERO))
    assert reason == ""
    assert after.enemy.hero.health == state.enemy.hero.health - attacker.attack
    assert battled(after.me) == battled(state.me) | {attacker.id}
    assert after.enemy._replace(hero=state.enemy.hero) == state.enemy
    assert stats(after.me) == stats(state.me)
    assert after.me._replace(board=state.me.board) == state.me


@given(states(), st.data())
def test_minion_attack_player_failure_changes_nothing_and_has_a_reason(state: GameState, data: st.DataObject) -> None:
    cannot = [minion.id for minion in state.me.board if minion not in ready(state.me.board)]
    elsewhere = [minion.id for minion in state.enemy.board] + [card.id for card in state.me.hand]
    attacker = data.draw(st.sampled_from([*cannot, *elsewhere, "missing", MY_HERO]))
    after, reason = attempt(state, Attack(attacker, ENEMY_HERO))
    assert after is state
    assert reason in (
        f"{attacker} has no attack",
        f"{attacker} has no attacks left",
        f"{attacker} is not on your board",
        "your hero has no attack",
    )


# -- 4.8 combat between minions


def updated(board: tuple[Minion, ...], fighter: Minion, damage: int) -> list[tuple[str, int, int]]:
    """Apply damage as the model's update_minion does: dead minions are removed."""
    health = fighter.health - damage
    hurt = [(m.id, m.attack, health if m.id == fighter.id else m.health) for m in board]
    return [body for body in hurt if body[2] > 0]


@given(states(), st.data())
def test_minion_attack_minion_success(state: GameState, data: st.DataObject) -> None:
    assume(ready(state.me.board) and state.enemy.board)
    attacker = data.draw(st.sampled_from(ready(state.me.board)))
    defender = data.draw(st.sampled_from(state.enemy.board))
    after, reason = attempt(state, Attack(attacker.id, defender.id))
    assert reason == ""
    assert stats(after.me) == updated(state.me.board, attacker, defender.attack)
    assert stats(after.enemy) == updated(state.enemy.board, defender, attacker.attack)
    lives = {attacker.id} & {minion.id for minion in after.me.board}
    assert battled(after.me) == battled(state.me) | lives
    assert after.me._replace(board=state.me.board) == state.me
    assert after.enemy._replace(board=state.enemy.board) == state.enemy


@given(states(), st.data())
def test_minion_attack_minion_failure_changes_nothing_and_has_a_reason(state: GameState, data: st.DataObject) -> None:
    mine = [minion.id for minion in state.me.board]
    able = [minion.id for minion in ready(state.me.board)]
    theirs = [minion.id for minion in state.enemy.board]
    attacker = data.draw(st.sampled_from([*mine, *theirs, "missing"]))
    target = data.draw(st.sampled_from([*mine, *theirs, "missing", MY_HERO]))
    assume(attacker not in able or target not in theirs)
    after, reason = attempt(state, Attack(attacker, target))
    assert after is state
    assert reason.split(" ", 1)[0] in (attacker, target)


# -- 4.9 the end


def ended(state: GameState, first: int, second: int) -> GameState:
    """Return the state with these healths of P1 and P2."""
    mine, theirs = (first, second) if state.seat == 0 else (second, first)
    return state._replace(
        me=state.me._replace(hero=state.me.hero._replace(health=mine)),
        enemy=state.enemy._replace(hero=state.enemy.hero._replace(health=theirs)),
    )


def winner_by_damage(over: GameState) -> int | None:
    end = outcome(over)
    assert end is not None
    assert end.reason == "damage"
    return end.winner


ALIVE, DEAD = st.integers(1, 30), st.integers(-30, 0)


@given(states(), ALIVE, DEAD)
def test_p1_win(state: GameState, first: int, second: int) -> None:
    assert winner_by_damage(ended(state, first, second)) == 0


@given(states(), DEAD, ALIVE)
def test_p2_win(state: GameState, first: int, second: int) -> None:
    assert winner_by_damage(ended(state, first, second)) == 1


@given(states(), DEAD, DEAD)
def test_tie(state: GameState, first: int, second: int) -> None:
    assert winner_by_damage(ended(state, first, second)) is None


@given(states(), st.integers(-30, 30), st.integers(-30, 30), st.data())
def test_match_end_is_exactly_one_of_the_three_and_nothing_follows(
    state: GameState, first: int, second: int, data: st.DataObject
) -> None:
    over = ended(state, first, second)
    cases = [first > 0 >= second, second > 0 >= first, first <= 0 and second <= 0]
    end = outcome(over)
    assert sum(cases) == (end is not None)
    if end is not None:
        assert cases[2 if end.winner is None else end.winner]
        action = data.draw(st.sampled_from([EndTurn(), *legal_actions(state)]))
        assert attempt(over, action) == (over, "the match is over")
