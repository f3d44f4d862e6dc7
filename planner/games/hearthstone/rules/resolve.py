"""What an action does: `apply` takes a state and gives the next."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Final

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.keywords import ECHO, LIFESTEAL, MAGNETIC, STEALTH, TRADEABLE
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.effects import carry_out, set_off, settle
from planner.games.hearthstone.rules.legal import TRADE_COST, merges, verify
from planner.games.hearthstone.rules.match import mulligan, pass_turn
from planner.games.hearthstone.rules.state import ENEMY_HERO, GameState, Minion
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
    answer, attacker = "", None
    if isinstance(action, Attack):
        attacker = next((minion for minion in state.me.board if minion.id == action.attacker), None)
        _attack(table, action, attacker)
        answer = "after_swing" if attacker is None else "after_attack"
    elif isinstance(action, Play):
        answer = "after_cast" if _play(table, action).type == "spell" else ""
    elif isinstance(action, HeroPower):
        _use_power(table, action)
        answer = "after_power"
    else:
        assert isinstance(action, Trade)
        _trade(table, action)
    settle(table)
    if answer and not table.over():
        set_off(table, answer, attacker)
    return table


# -- actions


def _attack(table: Table, action: Attack, attacker: Minion | None) -> None:
    me, enemy = table.sides
    if attacker is None:
        weapon = me.weapon
        place, power = HERO, me.hero.attack_this_turn + (weapon.attack if weapon else 0)
        kept = (weapon.keywords if weapon else 0) | me.hero.keywords
        me.hero = me.hero._replace(attacks_left=me.hero.attacks_left - 1, keywords=me.hero.keywords & ~STEALTH)
    else:
        place = me.place(action.attacker) or 0
        me.board[place] = attacker.with_attacks(attacker.attacks_left - 1, attacker.fresh, attacker.keywords & ~STEALTH)
        if attacker.card.effects and attacker.card.on("attack"):
            set_off(table, "attack", attacker, dying=False)
            here = me.place(action.attacker)
            if here is None or (action.target != ENEMY_HERO and enemy.place(action.target) is None):
                return  # one of the two is not there any more
            place = here
        power, kept = me.board[place].attack, me.board[place].keywords
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


def _play(table: Table, action: Play) -> Card:
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
            return card
        table.summon(ME, card, held.id)
    elif card.type == "weapon":
        table.equip(ME, card)
    elif card.type == "spell":
        set_off(table, "cast", dying=False)
    if not card.effects:
        return card
    table.refresh_auras()  # its effects meet the minions as they now are
    source = me.board[-1] if card.type == "minion" else None
    _run_effects(table, card, action.target, combo, source)
    return card


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
