"""Boards with multiplied effects and with reactions to actions, on which the bound must count each of them in full."""

from __future__ import annotations

from typing import Any, Final

import pytest

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.state import GameState, Minion
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from tests.build import card, effect, minion, player, power_card, spell, state, weapon, weapon_card

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from planner.games.hearthstone.turn.native import best_turns, compare_bound
from tests.games.hearthstone.engine.test_bound_boards import Board, check_board
from tests.games.hearthstone.engine.test_bound_effects import COSTLY, FACE, free, idle


def hits(times: str, *hand: Card, **fields: Any) -> GameState:
    """Return a state with a spell that damages the enemy hero this often."""
    return state(0, hand=(free(effect("damage", "enemy hero", amount=1, times=times)), *hand), **fields)


def with_attack(before: GameState, attack: int, attacks: int = 0) -> GameState:
    """Return the state with a hero that has this attack and this many attacks left."""
    hero = before.me.hero._replace(attack_this_turn=attack, attacks_left=attacks)
    return before._replace(me=before.me._replace(hero=hero))


LOUD: Final = effect("damage", "enemy hero", amount=1, times="attack", on="death")
DESTROY: Final = free(effect("destroy", "chosen friendly minion"), name="Destroy")
GROWTH: Final = effect("mana", amount=1, crystals=True, makes=COSTLY, on="death")
TIMES: Final = {
    "cards in hand": Board(hits("hand", COSTLY, COSTLY), FACE, 2),
    "cards in hand after one was drawn": Board(hits("hand", free(effect("draw", count=3))), FACE, 3),
    "cards in hand after one was added": Board(
        hits("hand", free(effect("add", makes=COSTLY, count=3))), FACE, 3
    ),
    "cards in hand after one has returned": Board(
        hits("hand", free(effect("return", "all friendly minions")), board=[idle(0, 1, of=COSTLY)] * 3), FACE, 3
    ),
    "cards in hand in the place of crystals": Board(
        hits("hand", board=[minion(1, 1, "", GROWTH)] * 2, enemy=[minion(1, 9)], crystals=10), FACE, 2
    ),
    "cards in the hand of the enemy": Board(hits("enemy hand", enemy=player("enemy", hand=4, first=9)), FACE, 4),
    "health": Board(hits("health", health=7), FACE, 7),
    "health after it was restored": Board(
        hits("health", free(effect("heal", "friendly hero", amount=3)), health=7), FACE, 10
    ),
    "health after a buff": Board(
        hits("health", free(effect("buff", "friendly hero", health=3)), health=30), FACE, 33, bounded=False
    ),
    "the health of the enemy": Board(hits("enemy health", enemy_health=7), FACE, 7),
    "armor": Board(hits("armor", armor=7), FACE, 7),
    "armor after more of it": Board(hits("armor", free(effect("armor", amount=1)), armor=7), FACE, 8, bounded=False),
    "crystals": Board(hits("crystals", crystals=4), FACE, 4),
    "crystals after more of them": Board(
        hits("crystals", free(effect("mana", amount=1, crystals=True, empty=True)), crystals=4), FACE, 5
    ),
    "attack of the weapon": Board(with_attack(hits("weapon_attack", weapon=weapon(4, 1)), 0), FACE, 4),
    "attack of a weapon that is better than printed": Board(
        with_attack(hits("weapon_attack", weapon=weapon(4, 1)._replace(attack=7)), 0), FACE, 7
    ),
    "attack of another weapon": Board(
        with_attack(hits("weapon_attack", free(effect("equip", makes=weapon_card(6, 1))), weapon=weapon(4, 1)), 0),
        FACE, 6,
    ),
    "attack of the improved weapon": Board(
        with_attack(
            hits("weapon_attack", free(effect("hone", attack=1, health=0)), weapon=weapon(4, 1)), 0
        ),
        FACE, 5, bounded=False,
    ),
    "attack of the hero": Board(with_attack(hits("hero_attack", weapon=weapon(4, 1)), 3), FACE, 7),
    "attack of the hero after a buff": Board(
        with_attack(hits("hero_attack", free(effect("buff", "friendly hero", attack=1, this_turn=True))), 3),
        FACE, 4, bounded=False,
    ),
    "printed attack": Board(state(0, [idle(4, 1, "", LOUD)], hand=[DESTROY]), FACE, 4),
    "more attack than printed": Board(state(0, [idle(9, 1, of=card(4, 1, "", LOUD))], hand=[DESTROY]), FACE, 9),
    "attack that an aura takes": Board(
        state(
            0, [idle(2, 1, of=card(0, 1, "", LOUD), aura_attack=-3)],
            [minion(0, 1, "", effect("buff", "all enemy minions", attack=-3, on="aura"))],
            hand=[DESTROY, free(effect("destroy", "chosen enemy minion"))],
        ),
        FACE, 5,
    ),
    "attack that returns where an aura takes the place of a loss for this turn": Board(
        state(
            0, [idle(1, 1, "", effect("draw", count=1, times="attack", on="death"), attack_this_turn=-8)],
            hand=[
                card(0, 1, "", effect("buff", "all other friendly minions", attack=-5, on="aura"), cost=0),
                DESTROY,
                DESTROY,
            ],
            deck=9,
        ),
        {"cards_drawn": 1}, 5,
    ),
    "attack that is set": Board(
        state(
            0, [idle(4, 1, "", LOUD)],
            hand=[DESTROY, free(effect("set_attack", "chosen friendly minion", amount=9))],
        ),
        FACE, 9,
    ),
    "attack after a buff": Board(
        state(0, [idle(4, 1, "", LOUD)], hand=[DESTROY, free(effect("buff", "chosen friendly minion", attack=1))]),
        FACE, 5, bounded=False,
    ),
    "attack of a mech that was merged": Board(
        state(
            1, [idle(4, 1, of=card(4, 1, "", LOUD, tribes=("mech",)))],
            hand=[DESTROY, card(2, 1, "magnetic", tribes=("mech",))],
        ),
        FACE, 6, bounded=False,
    ),
    "own minions": Board(hits("all friendly minions", board=[idle(0, 1)] * 7), FACE, 7),
    "enemy minions": Board(hits("all enemy minions", enemy=[minion(0, 1)] * 3), FACE, 3),
    "enemy minions after one more": Board(
        hits(
            "all enemy minions", free(effect("summon", makes=card(0, 1), side="enemy", count=2)), enemy=[minion(0, 1)] * 2,
        ),
        FACE, 4,
    ),
    "heroes": Board(hits("all heroes"), FACE, 2),
    "summoned minions": Board(
        state(0, [idle(0, 1)] * 3, hand=[free(effect("summon", makes=card(2, 1), times="all friendly minions"))]),
        {"own_attack": 1}, 6,
    ),
    "drawn cards": Board(
        state(0, [idle(0, 1)] * 3, hand=[free(effect("draw", count=1, times="all friendly minions"))], deck=5),
        {"cards_drawn": 1}, 3,
    ),
    "added cards": Board(
        state(0, [idle(0, 1)] * 3, hand=[free(effect("add", makes=COSTLY, times="all friendly minions"))]),
        {"cards_in_hand": 1}, 3,
    ),
}  # fmt: skip
QUIET: Final = free(effect("armor", amount=0), name="Quiet")


def reacting(on: str, **fields: Any) -> Minion:
    """Return a minion that damages the enemy hero."""
    return minion(0, 9, "", effect("damage", "enemy hero", amount=3, on=on), **{"attacks_left": 0} | fields)


def later(on: str, words: str = "", cost: int = 0) -> Card:
    """Return the same minion as a card."""
    return card(1, 9, words, effect("damage", "enemy hero", amount=3, on=on), cost=cost)


REACTIONS: Final = {
    **{
        f"two spells, {on}": Board(state(0, [reacting(on)], hand=[QUIET, QUIET]), FACE, 6)
        for on in ("cast", "after_cast")
    },
    "a copy of an echo card": Board(
        state(3, [reacting("cast")], hand=[spell(effect("armor", amount=0), words="echo")]), FACE, 9
    ),
    "a spell that an effect adds": Board(
        state(0, [reacting("cast")], hand=[free(effect("add", makes=QUIET, count=2))]), FACE, 9
    ),
    "two spells after the minion is played": Board(state(0, hand=[QUIET, QUIET, later("cast")]), FACE, 6),
    "the hero power": Board(
        state(0, [reacting("after_power")], power=power_card(effect("armor", amount=0), cost=0)), FACE, 3
    ),
    "the attack of the hero": Board(state(0, [reacting("after_swing")], weapon=weapon(1, 1)), FACE, 4),
    "the second attack of the hero": Board(
        state(
            0, [reacting("after_swing")], weapon=weapon(1, 2),
            hand=[free(effect("buff", "friendly hero", keywords="windfury"))],
        ),
        FACE, 8,
    ),
    **{
        f"an attack of the minion, {on}": Board(state(0, [reacting(on, attacks_left=2)._replace(attack=1)]), FACE, 8)
        for on in ("attack", "after_attack")
    },
    "an attack that the minion is given": Board(
        state(
            0, [reacting("attack", attacks_left=1)._replace(attack=1)],
            hand=[free(effect("buff", "chosen friendly minion", keywords="windfury"))],
        ),
        FACE, 8,
    ),
    "an attack of a minion that is played": Board(state(0, hand=[later("attack", "charge")]), FACE, 4),
    "an attack with rush": Board(
        state(0, enemy=[minion(0, 9)], hand=[later("attack", "rush")]), FACE, 3
    ),
    "an attacker that is transformed": Board(
        state(0, [minion(1, 1, "", effect("transform", "self", makes=card(9, 1), on="attack"))], hand=[QUIET]),
        FACE, 9, bounded=False,
    ),
    "the reaction of an attacker that a deathrattle transforms": Board(
        state(
            0, [minion(1, 9)],
            [minion(0, 1, "taunt", effect("transform", "all enemy minions", makes=later("after_attack"), on="death"))],
        ),
        FACE, 3,
    ),
    "more attacks with a weapon from a reaction": Board(
        with_attack(
            state(
                0, [minion(1, 9, "", effect("equip", makes=weapon_card(2, 3, "windfury"), on="after_attack"))],
                hand=[free(effect("hone", attack=1, health=0))],
            ),
            3, attacks=2,
        ),
        FACE, 19, bounded=False,
    ),
    "mana for more spells": Board(
        state(
            1, [minion(1, 1, "", effect("mana", amount=1, on="cast")), reacting("cast")],
            hand=[spell(effect("armor", amount=0), words="echo", name="Echo"), QUIET],
        ),
        FACE, 31, bounded=False,
    ),
    "spells for more spells": Board(
        state(
            2, [minion(0, 1, "", effect("add", makes=spell(effect("armor", amount=0), name="Gift"), on="after_cast")),
                reacting("cast")],
            hand=[QUIET],
        ),
        FACE, 9, bounded=False,
    ),
    "attacks for more attacks": Board(
        state(
            0, [minion(1, 9, "", effect("buff", "all friendly minions", keywords="windfury", on="attack")),
                reacting("attack", attacks_left=1)._replace(attack=1)],
        ),
        FACE, 10, bounded=False,
    ),
    "minions that return for more attacks": Board(
        state(
            1, [minion(1, 9, "charge", effect("return", "self", on="after_attack"),
                       effect("damage", "enemy hero", amount=3, on="attack"))],
        ),
        FACE, 8, bounded=False,
    ),
    "spells from a later minion that has died": Board(
        state(
            0,
            hand=[
                card(0, 1, "", effect("add", makes=QUIET, count=2, on="cast"), cost=0),
                free(effect("destroy", "all friendly minions"), name="Destroy all"),
                later("cast"),
            ],
        ),
        FACE, 6, bounded=False,
    ),
    "a spell that a reaction of a later minion has added": Board(
        state(
            0, enemy=[minion(1, 9)],
            hand=[card(1, 1, "charge", effect("add", makes=QUIET, on="attack"), cost=0), later("cast")],
        ),
        FACE, 4, bounded=False,
    ),
    "a spell in hand after the one that a reaction of another minion has added": Board(
        state(
            1,
            [minion(1, 1, "", effect("add", makes=QUIET, on="after_attack"))],
            hand=[later("cast", cost=1)],
        ),
        FACE, 4, bounded=False,
    ),
}  # fmt: skip
BOARDS: Final = {"times": TIMES, "reactions": REACTIONS}


@pytest.mark.parametrize(
    "board",
    [pytest.param(board, id=f"{group}: {name}") for group, boards in BOARDS.items() for name, board in boards.items()],
)
def test_the_bound_counts_the_effect_in_full(board: Board) -> None:
    check_board(board)


def test_a_card_that_a_reaction_draws_may_be_known() -> None:
    """Its effects are not counted, so there is no bound."""
    drawing = minion(0, 9, "", effect("draw", count=1, on="after_cast"))
    before = state(0, [drawing], hand=[QUIET], deck=[card(5, 1, "charge", cost=0)])
    weights = Weights.of(dict.fromkeys(TERMS, 0) | FACE)
    best, compared = best_turns(before, weights), compare_bound(before, weights, effort=1000)
    assert best is not None
    assert compared is not None
    assert (best.turns[0].score, compared.bounded) == (5, 0)
