"""What an action does. `apply` takes a state and gives the next; the effects of cards are carried out here.

The order in which things happen is written down in docs/rules.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Final

from planner.cards.card import Card
from planner.cards.effects import HOOKS, Effect, Target
from planner.cards.keywords import ECHO, LIFESTEAL, MAGNETIC, STEALTH, TRADEABLE
from planner.files import PlannerError
from planner.rules.actions import Action, Attack, EndTurn, HeroPower, Play, Trade
from planner.rules.legal import TRADE_COST, fits, fits_hero, merges, verify
from planner.rules.state import ENEMY_HERO, MY_HERO, GameState, Minion, hero_attack
from planner.rules.table import CERTAIN_ONLY, ENEMY, HERO, ME, Chance, ChanceError, Table

Spot = tuple[int, int]  # side, place
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
        from planner.rules.match import pass_turn  # noqa: PLC0415  (match builds on this module)

        return pass_turn(state, rng)
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


def settle(table: Table) -> None:
    """Remove the dead, carry out what their deaths set loose, and repeat until nobody dies."""
    while table.restless():
        table.refresh_auras()
        dead = table.take_dead()
        if not dead:
            return
        for side, minion in dead:
            if not minion.silenced:
                for effect in minion.card.on("death"):
                    carry_out(table, side, effect, source=minion)
        for side, minion in dead:
            table.rebirth(side, minion)


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
        me.hand.append(held._replace(id=table.new_id(), cost=max(1, held.cost), echo=True))
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
        new = tuple(card for card in effect.made if card.name not in here)
        # One of several, and one that is not there yet.
        carried = replace(effect, made=new) if len(effect.made) > 1 else effect
        carry_out(table, ME, carried, chosen=action.target, kept=power.keywords & LIFESTEAL)


def _trade(table: Table, action: Trade) -> None:
    me = table.sides[ME]
    card = me.take_card(action.card)
    me.mana -= TRADE_COST
    table.draw(ME)
    place = table.choose_at_random(len(me.deck) + 1)
    me.deck = (*me.deck[:place], card, *me.deck[place:])


# -- effects


def carry_out(
    table: Table,
    side: int,
    effect: Effect,
    source: Minion | None = None,
    chosen: str | None = None,
    bonus: int = 0,
    kept: int = 0,
) -> None:
    """Carry out one effect for the player on `side`. `bonus` is spell damage, `kept` the source's keywords."""
    if source is not None and effect.do == "damage":
        kept |= source.keywords
    try:
        _CARRY_OUT[effect.do](table, side, effect, source, chosen, bonus, kept)
    except ChanceError:
        if table.rng is not CERTAIN_ONLY:
            raise


def _spots(table: Table, side: int, target: Target, source: Minion | None, chosen: str | None) -> list[Spot]:
    """The characters that the target names, own side first; those already doomed to die still count."""
    if target.select == "chosen":
        return _find(table, side, chosen) if chosen is not None else []
    if target.select == "self":
        return _find(table, side, source.id) if source is not None else []
    spots: list[Spot] = []
    for number in (side, 1 - side):
        if target.side != "any" and (target.side == "friendly") != (number == side):
            continue
        if target.what != "minion" and fits_hero(target, table.sides[number].hero):
            spots.append((number, HERO))
        if target.what != "hero":
            spots.extend(
                (number, place)
                for place, minion in enumerate(table.sides[number].board)
                if fits(target, minion) and not (target.other and source is not None and minion.id == source.id)
            )
    return spots


def _find(table: Table, side: int, name: str) -> list[Spot]:
    if name == MY_HERO:
        return [(side, HERO)]
    if name == ENEMY_HERO:
        return [(1 - side, HERO)]
    for number in (side, 1 - side):
        place = table.sides[number].place(name)
        if place is not None:
            return [(number, place)]
    return []


def _targets(table: Table, side: int, effect: Effect, source: Minion | None, chosen: str | None) -> list[Spot]:
    assert effect.to is not None  # the catalogue checks
    spots = _spots(table, side, effect.to, source, chosen)
    if effect.to.select != "random":
        return spots
    living = [spot for spot in spots if table.alive(*spot)]
    return [living[table.choose_at_random(len(living))]] if living else []


def _damage(
    table: Table, side: int, effect: Effect, source: Minion | None, chosen: str | None, bonus: int, kept: int
) -> None:
    amount = effect.amount + bonus
    if not effect.split:
        for spot in _targets(table, side, effect, source, chosen):
            table.damage(*spot, amount, kept, side)
        return
    assert effect.to is not None
    for _ in range(amount):
        living = [spot for spot in _spots(table, side, effect.to, source, chosen) if table.alive(*spot)]
        if not living:
            return
        table.damage(*living[table.choose_at_random(len(living))], 1, kept, side)


def _each(change: Callable[[Table, Spot, Effect], None]) -> Callable[..., None]:
    """An effect that does the same to each of its targets."""

    def carry(
        table: Table, side: int, effect: Effect, source: Minion | None, chosen: str | None, *_: object
    ) -> None:
        for spot in _targets(table, side, effect, source, chosen):
            change(table, spot, effect)

    return carry


def _armor(table: Table, side: int, effect: Effect, *_: object) -> None:
    hero = table.sides[side].hero
    table.sides[side].hero = hero._replace(armor=hero.armor + effect.amount)


def _summon(table: Table, side: int, effect: Effect, *_: object) -> None:
    owner = side if effect.side == "friendly" else 1 - side
    for _times in range(effect.count):
        if len(table.sides[owner].board) < table.rules.board_limit:
            table.summon(owner, effect.made[table.choose_at_random(len(effect.made))])


def _draw(table: Table, side: int, effect: Effect, *_: object) -> None:
    for _times in range(effect.count):
        table.draw(side)


def _equip(table: Table, side: int, effect: Effect, *_: object) -> None:
    table.equip(side, effect.made[0])


def _mana(table: Table, side: int, effect: Effect, *_: object) -> None:
    owner, limit, amount = table.sides[side], table.rules.mana_limit, effect.amount
    if effect.crystals:
        before = owner.crystals
        owner.crystals = max(0, min(limit, before + amount))
        amount = 0 if effect.empty else owner.crystals - before
    owner.mana = max(0, min(limit, owner.mana + amount))


def _hook(table: Table, side: int, effect: Effect, source: Minion | None, chosen: str | None, *_: object) -> None:
    spots = _targets(table, side, effect, source, chosen) if effect.to is not None else []
    HOOKS[effect.name](table, side, source, spots)


_CARRY_OUT: Final[dict[str, Callable[..., None]]] = {
    "damage": _damage,
    "heal": _each(lambda table, spot, effect: table.heal(*spot, effect.amount)),
    "armor": _armor,
    "buff": _each(
        lambda table, spot, effect: table.buff(
            *spot, effect.attack, effect.health, effect.keywords, effect.this_turn
        )
    ),
    "summon": _summon,
    "destroy": _each(lambda table, spot, _: table.destroy(*spot)),
    "silence": _each(lambda table, spot, _: table.silence(*spot)),
    "freeze": _each(lambda table, spot, _: table.freeze(*spot)),
    "draw": _draw,
    "equip": _equip,
    "mana": _mana,
    "hook": _hook,
}
