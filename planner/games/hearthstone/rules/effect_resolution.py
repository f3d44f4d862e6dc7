"""Carry out the effects of cards: triggers, single effects, auras, and the deaths that follow.

docs/reference/rules.md describes the order in which things happen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from planner.games.hearthstone.cards.effect_vocabulary import HOOKS, MAX_COUNT, Effect, Target
from planner.games.hearthstone.cards.keywords import LIFESTEAL, REBORN
from planner.games.hearthstone.rules.mutable_state import HERO, ME, MutableState
from planner.games.hearthstone.rules.random_choices import CERTAIN_ONLY, ChanceError, ScriptedChoices
from planner.games.hearthstone.rules.state import Minion, in_hand
from planner.games.hearthstone.rules.targeting import (
    Origin,
    Spot,
    condition_holds,
    effect_condition_holds,
    evaluate_quantity,
    matches_minion,
    matching_characters,
    select_targets,
)

_Operation = Callable[[MutableState, Effect, Origin], None]


def resolve_deaths(state: MutableState, phase: str = "") -> None:
    """Remove dead minions and carry out their deathrattles, until no more minions die.

    An action has several phases that end with deaths; `phase` tells them apart.
    """
    while True:
        auras = state.has_effects and _may_change_auras(state)
        if auras:
            refresh_auras(state)
        elif not state.has_dying_minions():
            return
        state.mark_dead_heroes()
        dead = state.remove_dead()
        if not dead:
            return
        active = [(side, minion) for side, minion in dead if minion.card.effects or minion.keywords & REBORN]
        if not (auras or active):
            return  # nothing else can have changed
        for number, (side, minion) in enumerate(active):
            if not minion.silenced:
                for index, effect in enumerate(minion.card.on("death")):
                    state.checkpoint("death", phase, number, index, *active)
                    carry_out(state, effect, Origin(side, minion))
        for side, minion in dead:
            state.resurrect_reborn(side, minion)


def _may_change_auras(state: MutableState) -> bool:
    return any(
        minion.card.aura or minion.aura_attack or minion.aura_health for side in state.sides for minion in side.board
    )


def trigger_effects(state: MutableState, trigger: str, only: Minion | None = None, deaths: bool = True) -> None:
    """Carry out the effects with this trigger on the board of `me`, in the order in which the minions entered it.

    With `only`, carry out the effects of this minion alone, if it has stayed on the board. Minions die after all
    effects: one at 0 health still acts, and may still be healed. Without `deaths`, they die with whatever comes next.
    The first effect that kills a hero ends the match, and the others do not happen.
    """
    if not state.has_effects:
        return
    me = state.sides[ME]
    triggered = [minion for minion in me.board if minion.card.effects and minion.card.on(trigger)]
    if only is not None:
        triggered = [minion for minion in triggered if (minion.id, minion.entered) == (only.id, only.entered)]
    if not triggered:
        return
    triggered.sort(key=lambda minion: minion.entered)
    for number, before in enumerate(triggered, start=1):
        minion = next((m for m in me.board if m.id == before.id), None)  # earlier effects may have changed it
        if minion is None or minion.silenced:
            continue
        for index, effect in enumerate(minion.card.on(trigger)):
            state.checkpoint(trigger, index, minion, *[later.id for later in triggered[number:]])
            carry_out(state, effect, Origin(ME, minion))
        refresh_auras(state)
        if state.hero_died():
            break
    if deaths:
        resolve_deaths(state, trigger)


# -- auras


def refresh_auras(state: MutableState) -> None:
    """Add to each minion what the auras in play give it now, and take back what they no longer give."""
    if not state.has_effects:
        return
    sources: list[tuple[int, Minion, Effect]] = []
    outdated = False
    for number, side in enumerate(state.sides):
        for minion in side.board:
            if minion.card.aura and not minion.silenced:
                sources += [
                    (number, minion, aura) for aura in minion.card.aura if _aura_active(state, aura, number, minion)
                ]
                outdated = True  # the condition of one of its auras may have changed
            elif minion.aura_attack or minion.aura_health:
                outdated = True
    if not (sources or outdated):
        return
    for number, side in enumerate(state.sides):
        for position, minion in enumerate(side.board):
            attack = health = 0
            for owner, source, effect in sources:
                if effect.to is not None and _aura_reaches(effect.to, owner == number, source, minion):
                    attack += effect.attack
                    health += effect.health
            own_attack, this_turn = minion.attack - minion.aura_attack, minion.attack_this_turn
            # A loss for this turn takes no more attack than there is, so less is lost where an aura takes attack away.
            kept = max(0, min(-own_attack - attack, -this_turn))
            own_attack, this_turn = own_attack + kept, this_turn + kept
            attack = max(attack, -own_attack)  # attack is never negative
            if attack != minion.aura_attack or health != minion.aura_health:
                more_health = health - minion.aura_health
                max_health = minion.max_health + more_health
                side.board[position] = minion._replace(
                    attack=own_attack + attack,
                    max_health=max_health,
                    health=minion.health + more_health if more_health > 0 else min(minion.health, max_health),
                    attack_this_turn=this_turn,
                    aura_attack=attack,
                    aura_health=health,
                )


def _aura_active(state: MutableState, aura: Effect, side: int, source: Minion) -> bool:
    condition, sides = aura.condition, state.sides
    return condition is None or condition_holds(
        condition, sides[side], sides[1 - side], my_turn=side == ME, source=source
    )


def _aura_reaches(target: Target, friendly: bool, source: Minion, minion: Minion) -> bool:
    if target.select == "self":
        return source.id == minion.id and matches_minion(target, minion)
    if target.other and source.id == minion.id:
        return False
    if target.side != "any" and (target.side == "friendly") != friendly:
        return False
    return target.what != "hero" and matches_minion(target, minion)


# -- single effects


def carry_out(state: MutableState, effect: Effect, origin: Origin) -> None:
    """Carry out one effect."""
    state.has_effects = True
    if effect.given and not effect_condition_holds(state, effect, origin):
        return
    if effect.times:
        effect = _multiplied(state, effect, origin)
    try:
        _OPERATIONS[effect.do](state, effect, origin)
    except ChanceError:
        if state.rng is not CERTAIN_ONLY:
            raise


def _multiplied(state: MutableState, effect: Effect, origin: Origin) -> Effect:
    assert effect.quantity is not None
    factor = evaluate_quantity(effect.quantity, *origin.players(state), origin.source)
    amount = effect.amount * factor
    return replace(
        effect,
        amount=min(MAX_COUNT, amount) if effect.split else amount,
        attack=effect.attack * factor,
        health=effect.health * factor,
        count=min(MAX_COUNT, effect.count * factor),
    )


def _damage(state: MutableState, effect: Effect, origin: Origin) -> None:
    amount = effect.amount + origin.spell_damage
    keywords = origin.keywords | (origin.source.keywords if origin.source else 0)
    if not effect.split:
        for spot in select_targets(state, effect, origin):
            state.damage(*spot, amount, keywords, origin.side)
        return
    target = effect.to
    assert target is not None

    def living(now: MutableState) -> list[Spot]:
        return [spot for spot in matching_characters(now, target, origin) if now.is_alive(*spot)]

    def hit(now: MutableState, spot: Spot) -> None:
        now.damage(*spot, 1, keywords, origin.side)

    # Whether a target can be hit again depends only on how often it was hit, so only these numbers matter, not their
    # order. Lifesteal is the exception: it heals a hero between the hits.
    at_once = isinstance(state.rng, ScriptedChoices) and state.rng.lists_outcomes and not keywords & LIFESTEAL
    if at_once and amount > 0 and len(spots := living(state)) > 1:
        assert isinstance(state.rng, ScriptedChoices)
        hits = state.rng.next_hits(len(spots))
        if not hits:
            room = [_points_taken(state, spot, amount, living, hit) for spot in spots]
            raise ChanceError(state, len(spots), amount, room)
        for spot, count in zip(spots, hits, strict=True):
            for _point in range(count):
                hit(state, spot)
        return
    for remaining in range(amount, 0, -1):
        spots = living(state)
        if not spots:
            return
        state.repetition(remaining)
        hit(state, spots[state.choose_at_random(len(spots), remaining)])


def _points_taken(
    state: MutableState,
    spot: Spot,
    amount: int,
    living: Callable[[MutableState], list[Spot]],
    hit: Callable[[MutableState, Spot], None],
) -> int:
    """Return how many of `amount` points of split damage a character can take before it is not a target any more."""
    copy = MutableState(state.to_state(), None)
    copy.doomed_ids = set(state.doomed_ids)
    for taken in range(amount):
        if spot not in living(copy):
            return taken
        hit(copy, spot)
    return amount


def _for_each_target(change: Callable[[MutableState, Spot, Effect], None]) -> _Operation:
    """Return an operation that makes the same change to each target."""

    def operation(state: MutableState, effect: Effect, origin: Origin) -> None:
        for spot in select_targets(state, effect, origin):
            change(state, spot, effect)

    return operation


def _armor(state: MutableState, effect: Effect, origin: Origin) -> None:
    hero = state.sides[origin.side].hero
    state.sides[origin.side].hero = hero.with_health(hero.health, hero.armor + effect.amount, hero.keywords)


def _summon(state: MutableState, effect: Effect, origin: Origin) -> None:
    owner = _affected_side(effect, origin)
    for _time in range(effect.count):
        if len(state.sides[owner].board) < state.rules.board_limit:
            state.summon(owner, effect.made[state.choose_at_random(len(effect.made))])


def _draw(state: MutableState, effect: Effect, origin: Origin) -> None:
    for _time in range(effect.count):
        state.draw(_affected_side(effect, origin))


def _discard(state: MutableState, effect: Effect, origin: Origin) -> None:
    owner = state.sides[origin.side]
    if effect.count >= len(owner.hand):  # the whole hand: no random choice
        owner.hand = ()
    for left in range(effect.count, 0, -1):
        if owner.hand:
            state.repetition(left)
            index = state.choose_at_random(len(owner.hand))
            owner.hand = owner.hand[:index] + owner.hand[index + 1 :]


def _add(state: MutableState, effect: Effect, origin: Origin) -> None:
    owner = state.sides[_affected_side(effect, origin)]
    for _time in range(effect.count):
        if len(owner.hand) < state.rules.hand_limit:
            card = effect.made[state.choose_at_random(len(effect.made))]
            owner.hand += (in_hand(state.new_id(), card),)


def _transform(state: MutableState, effect: Effect, origin: Origin) -> None:
    for spot in select_targets(state, effect, origin):
        state.transform(*spot, effect.made[state.choose_at_random(len(effect.made))])


def _return(state: MutableState, effect: Effect, origin: Origin) -> None:
    spots = select_targets(state, effect, origin)
    # Positions change while minions leave, ids do not.
    leaving = [(owner, state.sides[owner].board[position].id) for owner, position in spots if position != HERO]
    for owner, minion_id in leaving:
        state.return_to_hand(owner, minion_id)


def _buff_weapon(state: MutableState, effect: Effect, origin: Origin) -> None:
    state.buff_weapon(origin.side, effect.attack, effect.health, effect.keywords)


def _destroy_weapon(state: MutableState, effect: Effect, origin: Origin) -> None:
    state.destroy_weapon(_affected_side(effect, origin))


def _equip(state: MutableState, effect: Effect, origin: Origin) -> None:
    state.equip(origin.side, effect.made[0])


def _mana(state: MutableState, effect: Effect, origin: Origin) -> None:
    owner, limit, amount = state.sides[origin.side], state.rules.mana_limit, effect.amount
    if effect.crystals:
        before = owner.crystals
        owner.crystals = max(0, min(limit, before + amount))
        if effect.made and amount > 0 and owner.crystals == before and len(owner.hand) < state.rules.hand_limit:
            instead = effect.made[state.choose_at_random(len(effect.made))]
            owner.hand += (in_hand(state.new_id(), instead),)
        amount = 0 if effect.empty else owner.crystals - before
    owner.mana = max(0, min(limit, owner.mana + amount))


def _hook(state: MutableState, effect: Effect, origin: Origin) -> None:
    spots = select_targets(state, effect, origin) if effect.to is not None else []
    if not isinstance(state.rng, ScriptedChoices):
        HOOKS[effect.name](state, origin.side, origin.source, spots)
        return
    outer, state.rng.in_function = state.rng.in_function, True
    try:
        HOOKS[effect.name](state, origin.side, origin.source, spots)
    finally:
        state.rng.in_function = outer


def _affected_side(effect: Effect, origin: Origin) -> int:
    return origin.side if effect.side == "friendly" else 1 - origin.side


_OPERATIONS: Final[dict[str, _Operation]] = {
    "damage": _damage,
    "heal": _for_each_target(lambda state, spot, effect: state.heal(*spot, effect.amount)),
    "armor": _armor,
    "buff": _for_each_target(
        lambda state, spot, effect: state.buff(*spot, effect.attack, effect.health, effect.keywords, effect.this_turn)
    ),
    "summon": _summon,
    "destroy": _for_each_target(lambda state, spot, _: state.destroy(*spot)),
    "set_attack": _for_each_target(lambda state, spot, effect: state.set_attack(*spot, effect.amount)),
    "set_health": _for_each_target(lambda state, spot, effect: state.set_health(*spot, effect.amount)),
    "return": _return,
    "transform": _transform,
    "silence": _for_each_target(lambda state, spot, _: state.silence(*spot)),
    "freeze": _for_each_target(lambda state, spot, _: state.freeze(*spot)),
    "draw": _draw,
    "discard": _discard,
    "add": _add,
    "equip": _equip,
    "hone": _buff_weapon,
    "disarm": _destroy_weapon,
    "mana": _mana,
    "hook": _hook,
}
