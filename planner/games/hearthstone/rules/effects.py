"""The effects of cards, carried out on a table, and the deaths that follow.

The order in which things happen is written down in docs/reference/rules.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from planner.games.hearthstone.cards.effects import HOOKS, MOST_THINGS, Effect
from planner.games.hearthstone.cards.keywords import REBORN
from planner.games.hearthstone.cards.targets import Target
from planner.games.hearthstone.rules.asked import fits, fits_hero, how_many, is_given
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, Minion, in_hand
from planner.games.hearthstone.rules.table import CERTAIN_ONLY, HERO, ME, ChanceError, Table

Spot = tuple[int, int]  # side, place


def settle(table: Table) -> None:
    """Remove the dead, carry out what their deaths set loose, and repeat until nobody dies."""
    while True:
        dying, auras = table.unrest()
        if auras:
            table.refresh_auras()
        elif not dying:
            return
        table.mark_fallen_heroes()
        eventful = [
            (side, minion)
            for side, minion in table.take_dead()
            if minion.card.effects or minion.keywords & REBORN  # of other deaths nothing comes
        ]
        if not eventful:
            return
        for side, minion in eventful:
            if not minion.silenced:
                for effect in minion.card.on("death"):
                    carry_out(table, side, effect, source=minion)
        for side, minion in eventful:
            table.rebirth(side, minion)


def set_off(table: Table, trigger: str, only: Minion | None = None, dying: bool = True) -> None:
    """Carry out the effects with this trigger of the minions of `me`, in order of entering the board; `only`: of this
    one, if it has stood there since.

    Minions die after all of them, or, unless `dying`, with whatever comes next: who is at 0 health still acts, and can
    still be healed. The first effect that kills a hero ends the match: the others come too late.
    """
    me = table.sides[ME]
    waiting = [minion for minion in me.board if minion.card.effects and minion.card.on(trigger)]
    if only is not None:
        waiting = [minion for minion in waiting if (minion.id, minion.entered) == (only.id, only.entered)]
    if not waiting:
        return
    for before in sorted(waiting, key=lambda minion: minion.entered):
        minion = next((m for m in me.board if m.id == before.id), None)  # as earlier effects have left it
        if minion is None or minion.silenced:
            continue
        for effect in minion.card.on(trigger):
            carry_out(table, ME, effect, source=minion)
        table.refresh_auras()
        if table.over():
            break
    if dying:
        settle(table)


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
    if effect.given and not _may_happen(table, side, effect, source, chosen):
        return
    if effect.times:
        effect = _multiplied(table, side, effect, source)
    if source is not None and effect.do == "damage":
        kept |= source.keywords
    try:
        _CARRY_OUT[effect.do](table, side, effect, source, chosen, bonus, kept)
    except ChanceError:
        if table.rng is not CERTAIN_ONLY:
            raise


def _may_happen(table: Table, side: int, effect: Effect, source: Minion | None, chosen: str | None) -> bool:
    condition = effect.condition
    assert condition is not None
    if condition.asked != "target":
        sides = table.sides
        return is_given(condition, sides[side], sides[1 - side], my_turn=side == ME, source=source)
    if chosen is None:
        return False  # of nobody anything is so, or not so
    found = _find(table, side, chosen)
    return _is_so_of(table, side, condition.word, found[0] if found else None) != condition.negated


def _is_so_of(table: Table, side: int, word: str, spot: Spot | None) -> bool:
    """What is asked of a chosen target; it may have left the table by now."""
    if not word:
        return True
    if spot is None:
        return False
    if word == "alive":
        return table.alive(*spot)
    if word == "friendly":
        return spot[0] == side
    return spot[1] != HERO and word in table.sides[spot[0]].board[spot[1]].card.tribes


def _multiplied(table: Table, side: int, effect: Effect, source: Minion | None) -> Effect:
    assert effect.quantity is not None
    times = how_many(effect.quantity, table.sides[side], table.sides[1 - side], source)
    amount = effect.amount * times
    return replace(
        effect,
        amount=min(MOST_THINGS, amount) if effect.split else amount,
        attack=effect.attack * times,
        health=effect.health * times,
        count=min(MOST_THINGS, effect.count * times),
    )


def _spots(table: Table, side: int, target: Target, source: Minion | None, chosen: str | None) -> list[Spot]:
    """The characters that the target names, own side first; those already doomed to die still count."""
    if target.select == "chosen":
        return _find(table, side, chosen) if chosen is not None else []
    if target.select == "self":
        found = _find(table, side, source.id) if source is not None else []
        return [spot for spot in found if fits(target, table.sides[spot[0]].board[spot[1]])]
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
    found: list[Spot] = []
    for left in range(effect.to.count, 0, -1):
        if living:
            found.append(living.pop(table.choose_at_random(len(living), left)))
    return found


def _damage(
    table: Table, side: int, effect: Effect, source: Minion | None, chosen: str | None, bonus: int, kept: int
) -> None:
    amount = effect.amount + bonus
    if not effect.split:
        for spot in _targets(table, side, effect, source, chosen):
            table.damage(*spot, amount, kept, side)
        return
    assert effect.to is not None
    for hits in range(amount, 0, -1):
        living = [spot for spot in _spots(table, side, effect.to, source, chosen) if table.alive(*spot)]
        if not living:
            return
        table.damage(*living[table.choose_at_random(len(living), hits)], 1, kept, side)


def _each(change: Callable[[Table, Spot, Effect], None]) -> Callable[..., None]:
    """An effect that does the same to each of its targets."""

    def carry(table: Table, side: int, effect: Effect, source: Minion | None, chosen: str | None, *_: object) -> None:
        for spot in _targets(table, side, effect, source, chosen):
            change(table, spot, effect)

    return carry


def _armor(table: Table, side: int, effect: Effect, *_: object) -> None:
    hero = table.sides[side].hero
    table.sides[side].hero = hero.with_health(hero.health, hero.armor + effect.amount, hero.keywords)


def _summon(table: Table, side: int, effect: Effect, *_: object) -> None:
    owner = side if effect.side == "friendly" else 1 - side
    for _times in range(effect.count):
        if len(table.sides[owner].board) < table.rules.board_limit:
            table.summon(owner, effect.made[table.choose_at_random(len(effect.made))])


def _draw(table: Table, side: int, effect: Effect, *_: object) -> None:
    for _times in range(effect.count):
        table.draw(side if effect.side == "friendly" else 1 - side)


def _discard(table: Table, side: int, effect: Effect, *_: object) -> None:
    owner = table.sides[side]
    if effect.count >= len(owner.hand):  # all of them: nobody chooses
        owner.hand = ()
    for _times in range(effect.count):
        if owner.hand:
            place = table.choose_at_random(len(owner.hand))
            owner.hand = owner.hand[:place] + owner.hand[place + 1 :]


def _add(table: Table, side: int, effect: Effect, *_: object) -> None:
    owner = table.sides[side if effect.side == "friendly" else 1 - side]
    for _times in range(effect.count):
        if len(owner.hand) < table.rules.hand_limit:
            card = effect.made[table.choose_at_random(len(effect.made))]
            owner.hand += (in_hand(table.new_id(), card),)


def _transform(table: Table, side: int, effect: Effect, source: Minion | None, chosen: str | None, *_: object) -> None:
    for spot in _targets(table, side, effect, source, chosen):
        table.transform(*spot, effect.made[table.choose_at_random(len(effect.made))])


def _return(table: Table, side: int, effect: Effect, source: Minion | None, chosen: str | None, *_: object) -> None:
    spots = _targets(table, side, effect, source, chosen)
    # Places change as they leave.
    leaving = [(owner, table.sides[owner].board[place].id) for owner, place in spots if place != HERO]
    for owner, name in leaving:
        table.to_hand(owner, name)


def _hone(table: Table, side: int, effect: Effect, *_: object) -> None:
    table.hone(side, effect.attack, effect.health, effect.keywords)


def _disarm(table: Table, side: int, effect: Effect, *_: object) -> None:
    table.disarm(side if effect.side == "friendly" else 1 - side)


def _equip(table: Table, side: int, effect: Effect, *_: object) -> None:
    table.equip(side, effect.made[0])


def _mana(table: Table, side: int, effect: Effect, *_: object) -> None:
    owner, limit, amount = table.sides[side], table.rules.mana_limit, effect.amount
    if effect.crystals:
        before = owner.crystals
        owner.crystals = max(0, min(limit, before + amount))
        if effect.made and amount > 0 and owner.crystals == before and len(owner.hand) < table.rules.hand_limit:
            instead = effect.made[table.choose_at_random(len(effect.made))]
            owner.hand += (in_hand(table.new_id(), instead),)
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
        lambda table, spot, effect: table.buff(*spot, effect.attack, effect.health, effect.keywords, effect.this_turn)
    ),
    "summon": _summon,
    "destroy": _each(lambda table, spot, _: table.destroy(*spot)),
    "set_attack": _each(lambda table, spot, effect: table.set_attack(*spot, effect.amount)),
    "set_health": _each(lambda table, spot, effect: table.set_health(*spot, effect.amount)),
    "return": _return,
    "transform": _transform,
    "silence": _each(lambda table, spot, _: table.silence(*spot)),
    "freeze": _each(lambda table, spot, _: table.freeze(*spot)),
    "draw": _draw,
    "discard": _discard,
    "add": _add,
    "equip": _equip,
    "hone": _hone,
    "disarm": _disarm,
    "mana": _mana,
    "hook": _hook,
}
