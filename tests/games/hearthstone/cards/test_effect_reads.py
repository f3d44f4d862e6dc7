"""Effects read no more of a state than they declare (cards/effect_reads.py), which is what merging states rests on.

Generated, not listed: every operation with every kind of target and trigger is carried out on random states, and again
on the same states with the positions, or the arrivals, of two minions exchanged. Where the results differ by more than
that exchange, the effect must have declared it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from fractions import Fraction
from random import Random
from typing import Any, Final

import pytest

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_reads import Reads, acts_in_arrival_order, card_reads, effect_reads
from planner.games.hearthstone.cards.effect_vocabulary import EFFECTS, Effect
from planner.games.hearthstone.cards.keywords import REBORN
from planner.games.hearthstone.rules.actions import Play
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.state import GameState, Minion
from planner.games.hearthstone.turn.scoring import transitions
from tests.build import FILLER, MINE, card, effect, minion, player, spell, state

TOKEN: Final = card(1, 1, name="Token")
BOMB: Final = card(1, 1, "", effect("damage", "all minions", amount=1, on="death"), name="Bomb")
TARGETS: Final = (
    *("all minions", "all friendly minions", "all other enemy minions", "all characters", "chosen minion"),
    *("chosen enemy character", "random minion", "random 2 enemy minions", "random 2 friendly minions", "self"),
)
FIELDS: Final[dict[str, list[dict[str, Any]]]] = {
    "damage": [{"amount": 2}, {"amount": 2, "split": True}],
    "heal": [{"amount": 2}],
    "armor": [{"amount": 2}],
    "buff": [{"attack": 1, "health": -2}, {"keywords": "reborn"}, {"keywords": "taunt divine_shield"}],
    "summon": [{"makes": TOKEN, "count": 2}, {"makes": BOMB, "side": "enemy"}],
    "set_attack": [{"amount": 1}],
    "set_health": [{"amount": 1}],
    "transform": [{"makes": TOKEN}, {"makes": BOMB}],
    "draw": [{"count": 2}, {"count": 1, "side": "enemy"}],
    "discard": [{"count": 1}],
    "add": [{"makes": TOKEN, "count": 2}, {"makes": BOMB, "side": "enemy"}],
    "equip": [{"makes": Card("Blade", type="weapon", cost=1, attack=2, health=2)}],
    "hone": [{"attack": 1}],
    "mana": [{"amount": 1}, {"amount": 1, "crystals": True}],
}
ORDINARY: Final = sorted(set(EFFECTS) - {"hook"})  # a hook is any function: it counts as reading everything


def effects(do: str, trigger: str) -> Iterator[Effect]:
    required, optional = EFFECTS[do]
    targets = (
        [to for to in TARGETS if trigger == "play" or not to.startswith("chosen")]
        if "to" in (*required, *optional)
        else [None]
    )
    for fields in FIELDS.get(do, [{}]):
        for to in targets:
            if to != "self" or trigger == "death":  # a spell has no self
                yield effect(do, to, on=trigger, **fields)


def random_state(tested: Effect, rng: Random) -> GameState:
    """A state in which playing the first card carries the effect out."""

    def random_minion() -> Minion:
        health = rng.randint(1, 4)
        return minion(
            rng.randint(0, 3), health, rng.choice(("", "taunt", "divine_shield")), hurt=rng.randint(0, health - 1)
        )

    enemies = [random_minion() for _ in range(rng.randint(2, 4))]
    friends = [random_minion() for _ in range(rng.randint(2, 4))]
    if tested.on == "play":
        played = spell(tested)
    else:
        friends.insert(0, minion(1, 1, "", tested))
        played = spell(effect("destroy", "chosen minion"))
    hand = [played, *[FILLER] * rng.choice((0, 3, 8, 9))]  # nearly full hands, so that what is returned may not fit
    theirs = player("enemy", board=enemies, hand=rng.choice((0, 8, 9)), first=101)
    return state(board=friends, enemy=theirs, hand=hand, deck=3)


def exchanged(before: GameState, what: Reads, rng: Random) -> GameState:
    """The same state with the positions, or the arrivals, of two minions of one side exchanged."""
    side = rng.choice(("me", "enemy"))
    player_ = getattr(before, side)
    board = list(player_.board)
    first, second = rng.sample(range(len(board)), 2)
    if what is Reads.BOARD_POSITION:
        board[first], board[second] = board[second], board[first]
    else:
        arrivals = board[first].entered, board[second].entered
        board[first] = board[first]._replace(entered=arrivals[1])
        board[second] = board[second]._replace(entered=arrivals[0])
    return before._replace(**{side: player_._replace(board=tuple(board))})


def view(after: GameState) -> Hashable:
    """What a state is without positions, and without arrivals where they cannot matter any more."""
    ordered = [m for m in (*after.me.board, *after.enemy.board) if m.keywords & REBORN or acts_in_arrival_order(m.card)]
    rank = {m.id: number for number, m in enumerate(sorted(ordered, key=lambda m: m.entered), 1)}

    def board(minions: tuple[Minion, ...]) -> Hashable:
        return frozenset(Counter(m._replace(entered=rank.get(m.id, 0)) for m in minions).items())

    return tuple(
        (one._replace(board=(), hand=()), board(one.board), frozenset(Counter(one.hand).items()))
        for one in (after.me, after.enemy)
    )


def results(before: GameState) -> dict[Hashable, Fraction] | None:
    """Every result of the action under test with its probability, by its view; None where it is not legal."""
    action = next((a for a in legal_actions(before) if isinstance(a, Play) and a.card == "me.hand.0"), None)
    if action is None:
        return None
    if action.target is not None:  # the same target in both states: the minion with the effect, or the first one
        action = Play("me.hand.0", MINE if Play("me.hand.0", MINE) in legal_actions(before) else "enemy.board.0")
    found: dict[Hashable, Fraction] = {}
    for transition in transitions(before, action):
        key = view(transition.state)
        found[key] = found.get(key, Fraction(0)) + Fraction(transition.probability)
    return found


def noticed(tested: Effect, what: Reads, seeds: range) -> bool:
    """Whether some state shows that the effect reads this."""
    for seed in seeds:
        rng = Random(f"{tested.do} {seed}")
        before = random_state(tested, rng)
        expected = results(before)
        if expected is not None and results(exchanged(before, what, rng)) != expected:
            return True
    return False


@pytest.mark.parametrize("trigger", ["play", "death"])
@pytest.mark.parametrize("do", ORDINARY)
def test_an_effect_reads_no_more_than_it_declares(do: str, trigger: str) -> None:
    for tested in effects(do, trigger):
        for what in (Reads.BOARD_POSITION, Reads.ARRIVAL_ORDER):
            if what not in effect_reads(tested):
                assert not noticed(tested, what, range(12)), (tested, what)


@pytest.mark.parametrize(
    ("tested", "what"),
    [
        (effect("return", "all minions"), Reads.BOARD_POSITION),
        (effect("return", "all friendly minions"), Reads.BOARD_POSITION),
        (effect("transform", "all minions", makes=BOMB), Reads.ARRIVAL_ORDER),
        (effect("buff", "all minions", keywords="reborn"), Reads.ARRIVAL_ORDER),
    ],
)
def test_the_check_notices_what_is_declared(tested: Effect, what: Reads) -> None:
    """Without these declarations the test above fails."""
    assert what in effect_reads(tested)
    assert noticed(tested, what, range(40))


def test_every_operation_is_declared_and_an_unknown_one_reads_everything() -> None:
    assert effect_reads(Effect("something new")) is Reads.EVERYTHING
    assert effect_reads(Effect("hook", name="x")) is Reads.EVERYTHING
    assert card_reads(spell(effect("damage", "all minions", amount=1))) is Reads.NOTHING
    for do in ORDINARY:
        assert list(effects(do, "play")), do
