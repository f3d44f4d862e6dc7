"""Carry out actions: `apply` takes a state and an action and returns the next state."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Final

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.keywords import ECHO, LIFESTEAL, MAGNETIC, STEALTH, TRADEABLE
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.effect_resolution import (
    carry_out,
    refresh_auras,
    resolve_deaths,
    trigger_effects,
)
from planner.games.hearthstone.rules.legal import TRADE_COST, can_merge, illegal_reason
from planner.games.hearthstone.rules.match_flow import mulligan, pass_turn
from planner.games.hearthstone.rules.mutable_state import ENEMY, HERO, ME, MutableState
from planner.games.hearthstone.rules.random_choices import Chance
from planner.games.hearthstone.rules.state import ENEMY_HERO, GameState, Minion
from planner.games.hearthstone.rules.targeting import Origin

_ONLY_ON_CARDS: Final = ECHO | MAGNETIC | TRADEABLE  # keywords without a meaning on the board


class IllegalActionError(PlannerError):
    """An action that the rules do not allow in this state."""


def apply(state: GameState, action: Action, rng: Random | None = None) -> GameState:
    """Return the state after an action. An illegal action raises `IllegalActionError` with the reason."""
    reason = illegal_reason(state, action)
    if reason is not None:
        raise IllegalActionError(reason)
    return apply_verified(state, action, rng)


def apply_verified(state: GameState, action: Action, rng: Random | None = None) -> GameState:
    """Do what `apply` does for an action that is known to be legal."""
    if isinstance(action, EndTurn):
        return pass_turn(state, rng)
    if isinstance(action, Mulligan):
        return mulligan(state, action.cards, rng)
    return resolve_action(state, action, rng).to_state()


def resolve_action(state: GameState, action: Action, rng: Chance | None = None) -> MutableState:
    """Carry out a legal action other than the end of the turn, and keep the damage and the cards that it counted."""
    result = MutableState(state, rng)
    carry_out_action(result, action)
    return result


def carry_out_action(result: MutableState, action: Action) -> None:
    """Carry out a legal action other than the end of the turn on a mutable state."""
    trigger, attacker = "", None
    if isinstance(action, Attack):
        me = result.sides[ME]
        position = me.position_of(action.attacker)
        attacker = None if position is None else me.board[position]
        _attack(result, action, attacker, position or 0)
        trigger = "after_swing" if attacker is None else "after_attack"
    elif isinstance(action, Play):
        trigger = "after_cast" if _play(result, action).type == "spell" else ""
    elif isinstance(action, HeroPower):
        _use_power(result, action)
        trigger = "after_power"
    elif isinstance(action, Batch):
        for part in action.actions:
            if isinstance(part, Play):
                _play(result, part)
            else:
                position = result.sides[ME].position_of(part.attacker) or 0
                _attack(result, part, result.sides[ME].board[position], position)
    else:
        assert isinstance(action, Trade)
        _trade(result, action)
    resolve_deaths(result)
    if trigger and result.has_effects and not result.hero_died():
        trigger_effects(result, trigger, attacker)


def _attack(state: MutableState, action: Attack, attacker: Minion | None, position: int) -> None:
    me, enemy = state.sides
    if attacker is None:
        weapon = me.weapon
        position, attack = HERO, me.hero.attack_this_turn + (weapon.attack if weapon else 0)
        keywords = (weapon.keywords if weapon else 0) | me.hero.keywords
        me.hero = me.hero._replace(attacks_left=me.hero.attacks_left - 1, keywords=me.hero.keywords & ~STEALTH)
    else:
        me.board[position] = attacker.with_attacks(
            attacker.attacks_left - 1, attacker.fresh, attacker.keywords & ~STEALTH
        )
        if attacker.card.effects and attacker.card.on("attack"):
            trigger_effects(state, "attack", attacker, deaths=False)
            current = me.position_of(action.attacker)
            if current is None or (action.target != ENEMY_HERO and enemy.position_of(action.target) is None):
                return  # the attacker or the target has left the board
            position = current
        attack, keywords = me.board[position].attack, me.board[position].keywords
    if action.target == ENEMY_HERO:
        dealt = state.damage(ENEMY, HERO, attack, keywords & ~LIFESTEAL)
    else:
        target_position = enemy.position_of(action.target) or 0
        target = enemy.board[target_position]
        # Both fighters deal damage at the same time: what the attack does to the target does not weaken the target, and
        # lifesteal heals after both.
        dealt = state.damage(ENEMY, target_position, attack, keywords & ~LIFESTEAL)
        taken = state.damage(ME, position, target.attack, target.keywords & ~LIFESTEAL)
        if taken and target.keywords & LIFESTEAL:
            state.heal(ENEMY, HERO, taken)
    if dealt and keywords & LIFESTEAL:
        state.heal(ME, HERO, dealt)
    if position == HERO:
        state.use_weapon(ME)


def _play(state: MutableState, action: Play) -> Card:
    me = state.sides[ME]
    hand_card = me.take_card(action.card)
    me.mana -= hand_card.cost
    card = hand_card.card
    me.overload += card.overload
    combo = me.cards_played > 0
    me.cards_played += 1
    if card.keywords & ECHO:
        # The copy costs at least 1, otherwise a free card could be played without end.
        me.hand += (hand_card._replace(id=state.new_id(), cost=max(1, hand_card.cost), echo=True),)
    if card.type == "minion":
        if action.target is not None and can_merge(card, combo):
            _merge(state, card, action.target)
            return card
        state.summon(ME, card, hand_card.id)
    elif card.type == "weapon":
        state.equip(ME, card)
    elif card.type == "spell":
        trigger_effects(state, "cast")
        if state.hero_died():  # the match ends before the spell happens
            return card
    if not card.effects:
        return card
    refresh_auras(state)  # the effects act on minions under the current auras
    source = me.board[-1] if card.type == "minion" else None
    _play_effects(state, card, action.target, combo, source)
    return card


def _play_effects(state: MutableState, card: Card, target: str | None, combo: bool, source: Minion | None) -> None:
    spell_damage = state.sides[ME].spell_damage() if card.type == "spell" else 0
    origin = Origin(ME, source, target, spell_damage, card.keywords & LIFESTEAL)
    for index, effect in enumerate(card.on("play")):
        if effect.combo is None or effect.combo is combo:
            state.checkpoint("play", index, source, spell_damage)
            carry_out(state, effect, origin)


def _merge(state: MutableState, card: Card, target: str) -> None:
    """Merge a magnetic minion into a mech, which gains its attack, health and keywords."""
    position = state.sides[ME].position_of(target) or 0
    state.buff(ME, position, card.attack, card.health, card.keywords & ~_ONLY_ON_CARDS, this_turn=False)


def _use_power(state: MutableState, action: HeroPower) -> None:
    me = state.sides[ME]
    power = me.power
    assert power is not None  # the action is legal
    me.mana -= power.cost
    me.power_used = True
    on_board = {minion.card.name for minion in me.board}
    origin = Origin(ME, chosen=action.target, keywords=power.keywords & LIFESTEAL)
    for index, effect in enumerate(power.on("play")):
        if effect.do == "summon" and len(effect.made) > 1:  # one of several minions that is not on the board yet
            missing = tuple(card for card in effect.made if card.name not in on_board)
            effect = replace(effect, made=missing)  # noqa: PLW2901
        state.checkpoint("power", index)
        carry_out(state, effect, origin)


def _trade(state: MutableState, action: Trade) -> None:
    me = state.sides[ME]
    card = me.take_card(action.card)
    me.mana -= TRADE_COST
    state.draw(ME)
    index = state.choose_at_random(len(me.deck) + 1)
    me.deck = (*me.deck[:index], card, *me.deck[index:])
