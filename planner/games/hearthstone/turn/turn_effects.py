"""Which card effects can matter in a turn, and the same turn without them.

A turn is vanilla where no card effect can matter any more: only minions without effects are left to play, and minions
and heroes are left to attack. A plan that ignores effects is made and certified for the game without them, names the
ignored cards, and is legal in the game with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.effect_reads import Reads, card_reads
from planner.games.hearthstone.cards.effect_vocabulary import REACTIONS
from planner.games.hearthstone.cards.keywords import ECHO, MAGNETIC, REBORN, TRADEABLE
from planner.games.hearthstone.rules.actions import Action, Play
from planner.games.hearthstone.rules.legal import TRADE_COST, awaits_mulligan, illegal_reason, legal_actions
from planner.games.hearthstone.rules.resolve import apply_verified
from planner.games.hearthstone.rules.state import MY_HERO, GameState, HandCard, Minion, is_over
from planner.games.hearthstone.turn.hearthstone_weights import Weights

_HIDDEN_TYPE: Final = HIDDEN.type


def is_vanilla(state: GameState) -> bool:
    """Return whether every remaining action of this turn is a play of a vanilla minion or an attack without effects.

    A turn under other rules of attacks, or with more minions than the rules allow, is never vanilla: programs and the
    solver of vanilla turns do not know them.

    The engine answers the same question (`is_vanilla` in engine/vanilla/), and a test compares the answers.
    """
    mine, theirs, rules = state.me.board, state.enemy.board, state.rules
    return (
        rules.summoning_sickness
        and rules.attack_required
        and max(len(mine), len(theirs)) <= rules.board_limit
        and not any(minion.aura_attack or minion.aura_health for minion in (*mine, *theirs))
        and not awaits_mulligan(state)
        and not any(_has_active_effect(minion, ("death", "aura", "turn_end", *REACTIONS)) for minion in mine)
        and not any(_has_active_effect(minion, ("death", "aura")) for minion in theirs)
        and not _effects_in_hand(state)
    )


def is_vanilla_card(card: Card) -> bool:
    """Return whether the card is a minion without an effect in the turn in which it is played."""
    has_effects = any(effect.on != "turn_start" for effect in card.effects)
    return card.type == "minion" and not card.keywords & (ECHO | MAGNETIC) and not has_effects


def program_applies(state: GameState, weights: Weights) -> bool:
    """Return whether the exact program covers the rest of this turn: it is vanilla, and only the eight terms count."""
    return not is_over(state) and not weights.has_further_terms and is_vanilla(state)


def _has_active_effect(minion: Minion, triggers: tuple[str, ...]) -> bool:
    """Silence removes an effect, and reborn restores it."""
    if not minion.card.effects or (minion.silenced and not minion.keywords & REBORN):
        return False
    return any(effect.on in triggers for effect in minion.card.effects)


def _effects_in_hand(state: GameState) -> bool:
    """A vanilla turn gains no mana, so a card that is too expensive now stays unplayed."""
    me = state.me
    power = me.power
    if power is not None and power.type != "hidden" and not me.power_used and power.cost <= me.mana:
        return True
    for held in me.hand:
        card = held.card
        if held.cost <= me.mana and card.type != "hidden" and not is_vanilla_card(card):
            return True
        if card.keywords & TRADEABLE and me.mana >= TRADE_COST and me.deck:
            return True
    return False


def cards_within_reach(state: GameState) -> Iterator[Card]:
    """Yield the cards in play and in hand, and all cards that they can create, each once."""
    queue: list[Card] = [minion.card for player in (state.me, state.enemy) for minion in player.board]
    queue += [held.card for player in (state.me, state.enemy) for held in player.hand]
    queue += [power for player in (state.me, state.enemy) if (power := player.power) is not None]
    queue += [weapon.card for player in (state.me, state.enemy) if (weapon := player.weapon) is not None]
    known: set[int] = set()
    while queue:
        card = queue.pop()
        if id(card) in known:
            continue
        known.add(id(card))
        yield card
        for effect in card.effects:
            queue += effect.made


def _can_restore_effects(state: GameState, *, mine: bool) -> bool:
    """Return whether a silenced minion of this side can have its effects again in this turn.

    It has them where a card within reach gives it reborn, or returns it to the own hand.
    """
    return any(
        (card.keywords & MAGNETIC and card.keywords & REBORN)
        or any(
            effect.keywords & REBORN or effect.do == "hook" or (mine and effect.do == "return")
            for effect in card.effects
        )
        for card in cards_within_reach(state)
    )


def reads_within_reach(state: GameState) -> Reads:
    """Return what any card within reach reads of a state beyond the obvious numbers."""
    reads = Reads.NOTHING
    for card in cards_within_reach(state):
        reads |= card_reads(card)
    return reads


# -- the same game without effects

_HARM = ("damage", "destroy", "silence", "freeze")


def without_effects(state: GameState) -> tuple[GameState, tuple[str, ...]]:
    """Return the state with blank cards, and the names of the cards that are thereby ignored."""
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


def unknown_effects(state: GameState) -> tuple[str, ...]:
    """Return the names of the cards in this turn whose effects are not known in full.

    That covers both boards, the own hand, weapons and hero power, and the cards that these can create. An own card
    that is face down counts too.
    """
    me, enemy = state.me, state.enemy
    minions = me.board + enemy.board
    if me.power is None and me.weapon is None and enemy.weapon is None:
        for thing in minions + me.hand:
            card = thing.card
            if card.unread or card.type == _HIDDEN_TYPE or (card.effects and card.unread_cards):
                break
        else:
            return ()  # most turns
    boards: list[Card] = []
    for player in (me, enemy):
        restored = any(minion.silenced for minion in player.board) and _can_restore_effects(state, mine=player is me)
        boards += [
            minion.card for minion in player.board if not minion.silenced or minion.keywords & REBORN or restored
        ]
    weapons = [player.weapon.card for player in (me, enemy) if player.weapon is not None]
    powers = [] if me.power is None or me.power_used else [me.power]
    names: list[str] = []
    hand = [held.card for held in me.hand]
    for card in (*boards, *hand, *weapons, *powers):
        names += card.unread_cards
    for card in hand:
        if card.type == _HIDDEN_TYPE and card == HIDDEN:
            names.append(card.name)
    return tuple(dict.fromkeys(names)) if names else ()


def with_targets(state: GameState, actions: Sequence[Action]) -> list[Action]:
    """Return the actions as the game with effects allows them, as far as they stay legal and certain.

    Where a card needs a target, it gets the first one that fits: an enemy for harm, a friend for help.
    """
    done: list[Action] = []
    for planned in actions:
        action: Action | None = planned
        if isinstance(planned, Play) and illegal_reason(state, planned) is not None:
            plays = [other for other in legal_actions(state) if isinstance(other, Play) and other.card == planned.card]
            action = min(plays, key=lambda play: _unfit(state, play), default=None)
        if action is None or illegal_reason(state, action) is not None:
            return done
        done.append(action)
        try:
            state = apply_verified(state, action)
        except ValueError:  # chance decides
            return done
    return done


def _unfit(state: GameState, play: Play) -> bool:
    """Return whether the card would harm a friend or help an enemy."""
    card = next(held.card for held in state.me.hand if held.id == play.card)
    harms = any(effect.chosen and effect.do in _HARM for effect in card.on("play"))
    mine = play.target == MY_HERO or any(minion.id == play.target for minion in state.me.board)
    return harms == mine


def without_targets(actions: Iterable[Action]) -> list[Action]:
    """Return the same actions for the game without effects, where no card needs a target."""
    return [Play(action.card) if isinstance(action, Play) else action for action in actions]
