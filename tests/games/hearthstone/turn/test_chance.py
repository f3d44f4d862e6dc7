"""Every outcome that chance can have, with its probability: by hand, by a tree without merges, and at the limit."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb

import pytest

from planner import plan_turn
from planner.games.hearthstone.rules.actions import Action, Play
from planner.games.hearthstone.rules.match_flow import end_of_turn_effects
from planner.games.hearthstone.rules.mutable_state import ChanceError, ScriptedChoices
from planner.games.hearthstone.rules.resolve import IllegalActionError, resolve_action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_text import action_from_text, state_from_text
from planner.games.hearthstone.turn import scoring
from planner.games.hearthstone.turn.exhaustive_search import allowed_actions, best_by_search
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.scoring import Run, outcomes, replay, transitions
from tests.build import effect, minion, spell
from tests.build import state as build_state
from tests.games.hearthstone.turn.random_effects import effect_case

PLAY = action_from_text("play me.hand.0")
POWER = action_from_text("power")
HALF = Fraction(1, 2)
BOMB = (
    'cards: {"name": "Bomb", "type": "spell", "cost": 1, "effects": [{"do": "damage", "amount": 2, "to": "enemy hero"},'
    ' {"do": "damage", "amount": 9, "split": true, "to": "all enemy characters"}, {"do": "armor", "amount": 3}]}'
)
CROWD = "1/9, 1/9, 1/9, 1/9, 1/9"  # nine missiles among them and the hero come to more outcomes than are listed


def doing(state: GameState, action: Action) -> Run:
    return lambda rng: resolve_action(state, action, rng)


def faces(state: str, action: Action = PLAY) -> dict[tuple[int, ...], Fraction | int]:
    """How probable each outcome is: health of the enemy hero, then of the enemy minions."""
    whole = state_from_text(state)
    found = {}
    for probability, table, _ in outcomes(doing(whole, action)):
        enemy = table.to_state().enemy
        found[enemy.hero.health, *(minion.health for minion in enemy.board)] = probability
    return found


def tree(run: Run, choices: tuple[int, ...] = (), probability: Fraction = Fraction(1)) -> Counter[object]:
    """The same outcomes by following every choice on its own: simple, and slow."""
    try:
        return Counter({run(ScriptedChoices(choices)).snapshot(): probability})
    except ChanceError as stop:
        found: Counter[object] = Counter()
        for choice in range(stop.count):
            found.update(tree(run, (*choices, choice), probability / stop.count))
        return found


# -- what is certain


def test_what_is_certain_has_one_outcome() -> None:
    assert faces("4 mana | me 30hp | hand: Consecration | enemy 30hp: 1/3") == {(28, 1): 1}
    assert faces("1 mana | me 30hp | hand: Arcane Missiles | enemy 30hp") == {(27,): 1}


def test_dice_that_change_nothing_have_one_outcome() -> None:
    assert faces("2 mana | me 30hp | hand: Minefield | enemy 30hp: 1/3 immune, 1/3 immune") == {(30, 3, 3): 1}


# -- by hand


def test_split_damage_never_hits_dead_minions() -> None:
    found = faces("1 mana | me 30hp | hand: Arcane Missiles | enemy 30hp: 1/1")
    assert found == {(28,): Fraction(7, 8), (27, 1): Fraction(1, 8)}


def test_missiles_on_two_that_live_are_binomial() -> None:
    found = faces("7 mana | me 30hp | hand: Mask of C'Thun | enemy 30hp: 1/20")
    assert found == {(30 - hits, 10 + hits): Fraction(comb(10, hits), 2**10) for hits in range(11)}


def test_missiles_on_three_are_multinomial() -> None:
    found = faces("1 mana | me 30hp | hand: Arcane Missiles | enemy 30hp: 1/9, 1/9")
    assert len(found) == 10  # ways to split three hits, of the 27 runs
    assert found[27, 9, 9] == Fraction(1, 27)
    assert found[28, 8, 9] == Fraction(3, 27)
    assert found[29, 8, 8] == Fraction(6, 27)


def test_spell_damage_adds_a_missile() -> None:
    found = faces("1 mana | me 30hp: Kobold Geomancer | hand: Arcane Missiles | enemy 30hp: 1/9")
    assert found == {(30 - hits, 5 + hits): Fraction(comb(4, hits), 2**4) for hits in range(5)}


def test_a_totem_that_is_not_there_yet() -> None:
    for here, missing in (("", 4), (": Healing Totem", 3), (": Healing Totem, Searing Totem", 2)):
        state = state_from_text(f"2 mana | me 30hp{here} | power Totemic Call | enemy 30hp")
        found = outcomes(doing(state, POWER))
        assert [outcome.probability for outcome in found] == [Fraction(1, missing)] * missing
        assert len({outcome.table.to_state().me.board[-1].card.name for outcome in found}) == missing


def test_dice_at_the_end_of_the_turn() -> None:
    state = state_from_text("0 mana | me 30hp: Ragnaros the Firelord | enemy 8hp: 3/9")
    assert sorted(outcome.probability for outcome in outcomes(lambda rng: end_of_turn_effects(state, rng))) == [
        HALF,
        HALF,
    ]
    found = replay(state, []).amounts
    assert (found["lethal"], found["face_damage"], found["minion_damage"]) == (HALF, 4, 4)
    assert (found["board_clear"], found["enemy_threat"]) == (0, 3)


def test_an_average_of_what_each_outcome_and_its_end_earn() -> None:
    # Half of the 7 of 8 in which the 1/1 falls leave nothing; the firelord then has only the hero.
    state = state_from_text("1 mana | me 30hp: Ragnaros the Firelord | hand: Arcane Missiles | enemy 30hp: 1/1")
    found = replay(state, [PLAY]).amounts
    alone, both = Fraction(7, 8), Fraction(1, 8)
    assert found["face_damage"] == alone * (2 + 8) + both * (3 + 4)
    assert found["minion_damage"] == alone * 1 + both * 4
    assert found["board_clear"] == alone + both * HALF
    assert found["enemy_threat"] == both * HALF


def test_the_end_that_a_replay_states_leaves_the_dice_out() -> None:
    state = state_from_text("1 mana | me 30hp | hand: Arcane Missiles | enemy 30hp: 1/1")
    end = replay(state, [PLAY]).end
    assert (end.me.mana, len(end.me.hand), end.enemy) == (0, 0, state.enemy)


# -- against the tree


def test_merged_outcomes_are_those_of_the_whole_tree() -> None:
    compared = 0
    for seed in range(300):
        state, weights = effect_case(seed)
        for action in allowed_actions(state, weights):
            run = doing(state, action)
            found = transitions(state, action)
            assert sum(one.probability for one in found) == 1
            if 1 < len(found) < 40:
                listed = {outcome.table.snapshot(): outcome.probability for outcome in outcomes(run)}
                assert listed == tree(run), f"seed {seed}: {action}"
                compared += 1
    assert compared > 20


# -- the limit


def test_at_the_limit_only_what_is_certain_counts() -> None:
    state = state_from_text(f"1 mana | me 30hp | hand: Bomb | enemy 30hp: {CROWD} | {BOMB}")
    (outcome,) = outcomes(doing(state, PLAY))
    assert not outcome.complete
    after = outcome.table.to_state()
    assert outcome.probability == 1
    assert (after.enemy.hero.health, after.me.hero.armor, after.me.mana) == (28, 3, 0)
    assert [minion.health for minion in after.enemy.board] == [9] * 5
    found = replay(state, [PLAY]).amounts
    assert (found["face_damage"], found["minion_damage"], found["card_value"]) == (2, 0, 1)


def test_the_limit_is_on_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    # The beginning is one run; each missile is then tried on both from each of 1, 2, 3 splits so far: 1 + 2 + 4 + 6.
    state = state_from_text("1 mana | me 30hp | hand: Arcane Missiles | enemy 30hp: 1/9")
    monkeypatch.setattr(scoring, "MAX_RUNS", 13)
    assert len(outcomes(doing(state, PLAY))) == 4
    monkeypatch.setattr(scoring, "MAX_RUNS", 12)
    assert len(outcomes(doing(state, PLAY))) == 1


def test_dice_end_the_turn_also_beyond_the_limit() -> None:
    """What comes after them would be planned on a board that will not be there."""
    state = state_from_text(f"1 mana | me 30hp: 2/2 | hand: Bomb | enemy 30hp: {CROWD} | {BOMB}")
    attack = action_from_text("attack me.board.0 -> enemy.board.0")
    with pytest.raises(IllegalActionError, match="chance decides"):
        replay(state, [PLAY, attack])
    _, line = best_by_search(state, Weights.of({"face_damage": 2, "minion_damage": 3}))
    assert line == [attack, PLAY]


def test_a_traded_card_may_lie_anywhere_in_the_deck() -> None:
    """A draw after the trade does not bring it back for sure: two cards drawn, or one drawn and one played."""
    state = state_from_text("6 mana | me 10hp | power Life Tap | hand: Impatient Shopkeep | deck: 5 | enemy 30hp")
    assert best_by_search(state, Weights.of({"cards_drawn": 1, "card_value": 1}))[0] == 2


@pytest.mark.parametrize("solver", ["auto", "highs"])
def test_every_pair_of_random_targets_is_equally_likely(solver: str) -> None:
    """Of three minions two die: each of the three pairs with probability 1/3."""
    storm = spell(effect("destroy", "random 2 enemy minions"))
    before = build_state(hand=[storm], enemy=[minion(1, 1), minion(2, 2), minion(4, 4)])
    found = transitions(before, Play("me.hand.0"))
    assert sorted((one.state.enemy.board[0].attack, one.probability) for one in found) == [
        (1, Fraction(1, 3)),
        (2, Fraction(1, 3)),
        (4, Fraction(1, 3)),
    ]
    plan = plan_turn(before, {"enemy_threat": 3}, solver=solver)
    assert (plan.status, plan.objective) == ("optimal", -7.0)
