"""What a plan leaves out: cards that nobody knows, and what the thesis's formulation does not know: texts of cards,
spells, weapons in hand, hero powers.

Such a plan is made and certified for the game without them, says which they are, and is legal in the game with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from planner.games.hearthstone.cards.card import HIDDEN
from planner.games.hearthstone.cards.keywords import REBORN
from planner.games.hearthstone.rules.actions import Action, Play
from planner.games.hearthstone.rules.legal import legal_actions, verify
from planner.games.hearthstone.rules.resolve import apply_verified
from planner.games.hearthstone.rules.state import MY_HERO, GameState, HandCard, Minion
from planner.games.hearthstone.turn.exhaustive import reborn_is_given

_HARM = ("damage", "destroy", "silence", "freeze")


def without_texts(state: GameState) -> tuple[GameState, tuple[str, ...]]:
    """The state with blank cards, and the names of what is thereby ignored."""
    me = state.me
    ignored: list[str] = []

    def blank(thing: Any) -> Any:
        card = thing.card
        if not card.effects:
            return thing
        if not isinstance(thing, HandCard) or thing.cost <= me.mana:
            ignored.append(card.name)
        return thing._replace(card=replace(card, effects=()))

    def side(cards: Iterable[HandCard | Minion]) -> tuple[Any, ...]:
        return tuple(blank(card) for card in cards)

    mine = me._replace(board=side(me.board), hand=side(me.hand))
    enemy = state.enemy._replace(board=side(state.enemy.board))
    ignored += [held.card.name for held in me.hand if held.card.type in ("spell", "weapon") and held.cost <= me.mana]
    if me.power is not None and not me.power_used and me.power.cost <= me.mana:
        ignored.append(me.power.name)
    return (state._replace(me=mine, enemy=enemy), tuple(dict.fromkeys(ignored))) if ignored else (state, ())


def unread(state: GameState) -> tuple[str, ...]:
    """The cards of this turn whose texts are not known in full: on both boards, in hand, in the heroes' hands, and what
    these can make. A card of our own that is face down is one of them."""
    me, enemy = state.me, state.enemy
    minions = (*me.board, *enemy.board)
    # One that was silenced comes back with its text.
    returning = any(one.silenced for one in minions) and reborn_is_given(state)
    boards = [one.card for one in minions if not one.silenced or one.keywords & REBORN or returning]
    weapons = [player.weapon.card for player in (me, enemy) if player.weapon is not None]
    powers = [] if me.power is None or me.power_used else [me.power]
    cards = (*boards, *(held.card for held in me.hand), *weapons, *powers)
    unseen = (HIDDEN.name,) if any(held.card == HIDDEN for held in me.hand) else ()
    return tuple(dict.fromkeys((*(name for card in cards for name in card.unread_cards), *unseen)))


def with_targets(state: GameState, actions: Sequence[Action]) -> list[Action]:
    """The actions as the game with texts allows them: with a target where a card wants one (an enemy for harm, a friend
    for help, the first of those), and only as far as they stay legal and certain."""
    done: list[Action] = []
    for planned in actions:
        action: Action | None = planned
        if isinstance(planned, Play) and verify(state, planned) is not None:
            plays = [other for other in legal_actions(state) if isinstance(other, Play) and other.card == planned.card]
            action = min(plays, key=lambda play: _unfit(state, play), default=None)
        if action is None or verify(state, action) is not None:
            return done
        done.append(action)
        try:
            state = apply_verified(state, action)
        except ValueError:  # chance decides what comes of it
            return done
    return done


def _unfit(state: GameState, play: Play) -> bool:
    """Would this target be helped by what harms, or harmed by what helps?"""
    card = next(held.card for held in state.me.hand if held.id == play.card)
    harms = any(effect.chosen and effect.do in _HARM for effect in card.on("play"))
    mine = play.target == MY_HERO or any(minion.id == play.target for minion in state.me.board)
    return harms == mine


def without_targets(actions: Iterable[Action]) -> list[Action]:
    """The same actions in the game without texts, where no card wants a target."""
    return [Play(action.card) if isinstance(action, Play) else action for action in actions]
