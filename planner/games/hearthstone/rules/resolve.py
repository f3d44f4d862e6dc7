"""What an action does: `apply` takes a state and gives the next."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Final

from planner.files import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.keywords import ECHO, LIFESTEAL, MAGNETIC, STEALTH, TRADEABLE
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.effects import carry_out, settle
from planner.games.hearthstone.rules.legal import TRADE_COST, merges, verify
from planner.games.hearthstone.rules.match import mulligan, pass_turn
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, Minion, hero_attack
from planner.games.hearthstone.rules.table import ENEMY, HERO, ME, Chance, Table

_OF_CARDS: Final = ECHO | MAGNETIC | TRADEABLE  # keywords that mean nothing on a board


class IllegalActionError(PlannerError):
    """An action that the rules do not allow in this state."""


def apply(state: GameState, action: Action, rng: Random | None = None) -> GameState:
    """The state after this action. An illegal one raises `IllegalActionError`, and says why not."""
    problem = verify(state, action)
    if problem is not None:
        raise IllegalActionError(problem)
    return apply_verified(state, action, rng)


def apply_verified(state: GameState, action: Action, rng: Random | None = None) -> GameState:
    """`apply` for an action that comes from `legal_actions`: not verified again."""
    if isinstance(action, EndTurn):
        return pass_turn(state, rng)
    if isinstance(action, Mulligan):
        return mulligan(state, action.cards, rng)
    return carried(state, action, rng).state()


def carried(state: GameState, action: Action, rng: Chance | None = None) -> Table:
    """The table after a verified action other than the end of the turn, with its account of what happened."""
    table = Table(state, rng)
    if isinstance(action, Attack):
        _attack(table, state, action)
    elif isinstance(action, Play):
        _play(table, action)
    elif isinstance(action, HeroPower):
        _use_power(table, action)
    else:
        assert isinstance(action, Trade)
        _trade(table, action)
    settle(table)
    return table


# -- actions


def _attack(table: Table, state: GameState, action: Attack) -> None:
    me, enemy = table.sides
    if action.attacker == MY_HERO:
        place, power = HERO, hero_attack(state.me)
        weapon = me.weapon
        kept = (weapon.keywords if weapon else 0) | me.hero.keywords
        me.hero = me.hero._replace(attacks_left=me.hero.attacks_left - 1, keywords=me.hero.keywords & ~STEALTH)
    else:
        place = me.place(action.attacker) or 0
        minion = me.board[place]
        power, kept = minion.attack, minion.keywords
        me.board[place] = minion.with_attacks(minion.attacks_left - 1, minion.fresh, kept & ~STEALTH)
    if action.target == ENEMY_HERO:
        dealt = table.damage(ENEMY, HERO, power, kept & ~LIFESTEAL)
    else:
        target_place = enemy.place(action.target) or 0
        target = enemy.board[target_place]
        # Both blows fall at the same time: what the first does to a fighter does not weaken the second,
        # and lifesteal heals after both.
        dealt = table.damage(ENEMY, target_place, power, kept & ~LIFESTEAL)
        back = table.damage(ME, place, target.attack, target.keywords & ~LIFESTEAL)
        if back and target.keywords & LIFESTEAL:
            table.heal(ENEMY, HERO, back)
    if dealt and kept & LIFESTEAL:
        table.heal(ME, HERO, dealt)
    if place == HERO:
        table.wear_weapon(ME)


def _play(table: Table, action: Play) -> None:
    me = table.sides[ME]
    held = me.take_card(action.card)
    me.mana -= held.cost
    card = held.card
    me.overload += card.overload
    combo = me.cards_played > 0
    me.cards_played += 1
    if card.keywords & ECHO:
        # The copy costs something, or one card could be played without end.
        me.hand += (held._replace(id=table.new_id(), cost=max(1, held.cost), echo=True),)
    if card.type == "minion":
        if action.target is not None and merges(card, combo):
            _magnetize(table, card, action.target)
            return
        table.summon(ME, card, held.id)
    elif card.type == "weapon":
        table.equip(ME, card)
    if not card.effects:
        return
    table.refresh_auras()  # its effects meet the minions as they now are
    source = me.board[-1] if card.type == "minion" else None
    _run_effects(table, card, action.target, combo, source)


def _run_effects(table: Table, card: Card, target: str | None, combo: bool, source: Minion | None) -> None:
    bonus = table.sides[ME].spell_damage() if card.type == "spell" else 0
    kept = card.keywords & LIFESTEAL
    for effect in card.on("play"):
        if effect.combo is None or effect.combo is combo:
            carry_out(table, ME, effect, source=source, chosen=target, bonus=bonus, kept=kept)


def _magnetize(table: Table, card: Card, target: str) -> None:
    """Merge into a mech: it gains the card's attack, health and keywords."""
    place = table.sides[ME].place(target) or 0
    table.buff(ME, place, card.attack, card.health, card.keywords & ~_OF_CARDS, this_turn=False)


def _use_power(table: Table, action: HeroPower) -> None:
    me = table.sides[ME]
    power = me.power
    assert power is not None  # verified
    me.mana -= power.cost
    me.power_used = True
    here = {minion.card.name for minion in me.board}
    for effect in power.on("play"):
        if effect.do == "summon" and len(effect.made) > 1:  # one of several, and one that is not there yet
            effect = replace(effect, made=tuple(card for card in effect.made if card.name not in here))  # noqa: PLW2901
        carry_out(table, ME, effect, chosen=action.target, kept=power.keywords & LIFESTEAL)


def _trade(table: Table, action: Trade) -> None:
    me = table.sides[ME]
    card = me.take_card(action.card)
    me.mana -= TRADE_COST
    table.draw(ME)
    place = table.choose_at_random(len(me.deck) + 1)
    me.deck = (*me.deck[:place], card, *me.deck[place:])
