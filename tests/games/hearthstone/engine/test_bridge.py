"""States are converted to the engine and back without loss, and unsupported states are declined."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from planner.games.hearthstone.engine import available

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from planner.games.hearthstone import _engine
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import link_effects
from planner.games.hearthstone.cards.effect_vocabulary import HOOKS, card_hook
from planner.games.hearthstone.rules.actions import Attack, EndTurn, Play, Trade
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, HandCard
from tests.build import CARD, FACE, card, effect, minion, play, player, spell, state
from tests.games.hearthstone.engine.both import Recorder, compare, compare_legality

HOOKED = spell(effect("hook", name="engine.test"))
PARENT = card(1, 1, "", effect("summon", makes=card(1, 1, "", effect("hook", name="engine.test", on="death"))))


@pytest.fixture(autouse=True)
def _hook() -> Iterator[None]:
    card_hook("engine.test")(lambda *_: None)
    yield
    del HOOKS["engine.test"]


@pytest.mark.parametrize(
    "unsupported",
    [
        pytest.param(state(hand=[HOOKED]), id="a Python function"),
        pytest.param(state(deck=[PARENT]), id="a created card with a Python function"),
        pytest.param(state(board=[minion(1, 1)] * 17, rules=Ruleset(board_limit=16)), id="too many minions"),
        pytest.param(state(rules=Ruleset(board_limit=17)), id="too large a board limit"),
        pytest.param(state(hand=33), id="too many cards in hand"),
        pytest.param(state(rules=Ruleset(hand_limit=33)), id="too large a hand limit"),
        pytest.param(state(health=2**30), id="too much health"),
        pytest.param(state(hand=[spell(effect("draw", count=10**5))]), id="too many repetitions"),
        pytest.param(state(hand=[HandCard("me.hand.0", card(1, 1), 1, 1 / 3)]), id="a value that is not a decimal"),
        pytest.param(state(hand=[HandCard("me.hand.0", card(1, 1), 1, True)]), id="a value that is not a number"),
        pytest.param(state()._replace(cause="boredom"), id="an unknown cause"),
        pytest.param(state(hand=[card(1, 1, tribes=("poet",))]), id="an unknown tribe"),
    ],
)
def test_unsupported_states_are_declined(unsupported: GameState) -> None:
    assert _engine.supports(state(hand=[card(1, 1)], board=[minion(1, 1)] * 16, rules=Ruleset(board_limit=16)))
    assert not _engine.supports(unsupported)
    assert _engine.legal_actions(unsupported) is None
    assert _engine.apply(unsupported, EndTurn(), []) is None
    assert _engine.end_of_turn_effects(unsupported, []) is None


def test_numbers_that_grow_too_large_are_declined() -> None:
    endless = state(enemy=player("enemy", deck=[], fatigue=10**4), rules=Ruleset(fatigue_growth=10**6))
    assert _engine.supports(endless)
    assert _engine.apply(endless, EndTurn(), []) is None


@pytest.mark.parametrize("action", [Play("me.hand.9"), Attack("me.board.0", "missing"), Trade("x"), "play"])
def test_actions_with_unknown_ids_are_declined(action: Play) -> None:
    assert _engine.apply(state(board=[minion(1, 1)]), action, []) is None


def test_an_illegal_action_is_refused() -> None:
    with pytest.raises(ValueError, match="illegal action"):
        _engine.apply(state(board=[minion(1, 1)], hand=[card(1, 1)]), Attack(CARD, FACE), [])


def test_other_objects_are_declined() -> None:
    assert _engine.legal_actions((1, 2, 3)) is None  # type: ignore[arg-type]


def test_cards_with_equal_names_are_distinguished() -> None:
    for amount in range(1, 9):
        bolt = spell(effect("damage", "enemy hero", amount=amount), name="Bolt")
        before = state(hand=[bolt])
        result = _engine.apply(before, Play(CARD), [])
        assert result is not None
        assert result[0] == play(before)
        assert result[0].enemy.hero.health == 30 - amount


def test_a_card_that_summons_itself() -> None:
    weed = Card("Weed", attack=1, health=1, cost=1, effects=(effect("summon", on="death", count=2),))
    object.__setattr__(weed.effects[0], "card", ("Weed",))
    link_effects(weed, {"Weed": weed}, "Weed")
    before = state(board=[minion(1, 1, of=weed)], hand=[spell(effect("destroy", "all minions"))])
    assert [one.card.name for one in compare(before, Play(CARD), Recorder(1)).me.board] == ["Weed", "Weed"]


def test_custom_cards_are_freed() -> None:
    custom = spell(effect("armor", amount=1))
    first = weakref.ref(custom)
    assert _engine.supports(state(hand=[custom]))
    del custom
    for _ in range(25_000):
        assert _engine.supports(state(hand=[spell(effect("armor", amount=1))]))
    gc.collect()
    assert first() is None


def test_new_ids_skip_ids_in_use() -> None:
    token = card(1, 1, name="Token")
    present, removed = minion(1, 5, id="new.1001"), minion(1, 1, id="new.1003")
    twice = spell(effect("destroy", "all enemy minions"), effect("summon", makes=token, count=2))
    before = state(board=[present], enemy=[removed], hand=[twice, spell(effect("summon", makes=token), name="Again")])
    after = compare(before, Play(CARD), Recorder(1))
    assert [one.id for one in after.me.board] == ["new.1001", "new.1002", "new.1004"]
    assert compare(after, Play("me.hand.1"), Recorder(1)).me.board[-1].id == "new.1006"


def test_a_new_id_is_not_that_of_a_minion_that_just_died() -> None:
    # Otherwise the deathrattle of the parent would hit its child, or two minions would have one id after reborn.
    token = card(3, 5, name="Token")
    deathrattles = effect("summon", makes=token, count=2, on="death"), effect("damage", "self", amount=2, on="death")
    parent = minion(1, 1, "reborn", *deathrattles, id="new.1003")
    storm = spell(effect("destroy", "all minions"))
    after = compare(state(board=[parent], hand=[storm]), Play(CARD), Recorder(1))
    assert [(one.id, one.health) for one in after.me.board] == [("new.1001", 5), ("new.1004", 5), ("new.1003", 1)]


def test_a_new_id_may_be_that_of_a_played_card() -> None:
    echo = spell(effect("armor", amount=1), words="echo", cost=2)
    before = state(hand=[HandCard("new.1001", echo, 2)])
    assert [hand_card.echo for hand_card in compare(before, Play("new.1001"), Recorder(1)).me.hand] == [True]


def test_card_values_are_unchanged() -> None:
    echoing = spell(effect("armor", amount=1), words="echo", value=0.1)
    after = compare(state(hand=[echoing]), Play(CARD), Recorder(1))
    assert [hand_card.value for hand_card in after.me.hand] == [0.1]


def test_every_legal_action_of_the_largest_state() -> None:
    bolt = spell(effect("damage", "chosen character", amount=1), cost=0, words="tradeable")
    rules = Ruleset(board_limit=16, hand_limit=32)
    largest = state(board=[minion(1, 1)] * 16, enemy=[minion(1, 1)] * 16, hand=[bolt] * 32, rules=rules)
    assert len(compare_legality(largest)) == 32 * 35 + 16 * 17 + 1


def test_a_healed_hero_did_not_die_of_fatigue() -> None:
    breath = spell(effect("draw", count=1), effect("heal", "friendly hero", amount=5))
    after = compare(state(hand=[breath], deck=[], health=1), Play(CARD), Recorder(1))
    assert (after.me.hero.health, after.cause) == (5, "")
