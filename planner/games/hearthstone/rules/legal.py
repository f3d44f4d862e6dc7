"""Legal actions, and why others are illegal. `illegal_reason` and `legal_actions` share their checks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar, overload

from planner.errors import quote
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import Target
from planner.games.hearthstone.cards.keywords import (
    CANNOT_ATTACK,
    CHARGE,
    ELUSIVE,
    FROZEN,
    IMMUNE,
    MAGNETIC,
    RUSH,
    STEALTH,
    TAUNT,
    TRADEABLE,
    attacks_per_turn,
)
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.mutable_state import ENEMY, HERO, ME
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import (
    ENEMY_HERO,
    MY_HERO,
    AnyPlayer,
    AnyState,
    GameState,
    HandCard,
    Hero,
    Minion,
    hero_attack,
    is_over,
)
from planner.games.hearthstone.rules.targeting import condition_holds, matching_spots

TRADE_COST = 1
_UNTARGETABLE = STEALTH | IMMUNE
_ATTACKS_AT_ONCE = CHARGE | RUSH
_Thing = TypeVar("_Thing", HandCard, Minion)

# Actions are values, and a match needs the same ones again and again: a cached one is six times as fast.
_play = lru_cache(maxsize=20_000)(Play)
_attack = lru_cache(maxsize=20_000)(Attack)
_use_power = lru_cache(maxsize=20_000)(HeroPower)
_END_TURN = EndTurn()


# -- all legal actions


def legal_actions(state: GameState) -> list[Action]:
    """Return what the player may do in this turn: cards in hand order, then attacks, hero power, end of turn."""
    if is_over(state) or (state.turn < 1 and awaits_mulligan(state)):
        return []
    me, mana, rules = state.me, state.me.mana, state.rules
    has_room = len(me.board) < rules.board_limit
    actions: list[Action] = []
    for hand_card in me.hand:
        card = hand_card.card
        if has_room and card.needs_no_choice:  # then only mana can be missing
            if hand_card.cost <= mana:
                actions.append(_play(hand_card.id))
            continue
        if hand_card.cost <= mana and _play_problem(state, hand_card) is None:
            actions += [_play(hand_card.id, target) for target in play_targets(state, card)]
        if card.keywords & TRADEABLE and _trade_problem(state, hand_card) is None:
            actions.append(Trade(hand_card.id))
    attackers = [minion for minion in me.board if minion.attacks_left and attacker_problem(minion, rules) is None]
    hero_attacks = (me.weapon is not None or me.hero.attack_this_turn) and hero_attacker_problem(me) is None
    if attackers or hero_attacks:
        targets = _attack_targets(state.enemy)
        for minion in attackers:
            only_minions = _rush_problem(minion, rules) is not None
            for target in targets:
                if not (only_minions and target == ENEMY_HERO):
                    actions.append(_attack(minion.id, target))
        if hero_attacks:
            actions += [_attack(MY_HERO, target) for target in targets]
    if me.power is not None and _power_problem(state) is None:
        actions += [_use_power(target) for target in power_targets(state, me.power)]
    actions.append(_END_TURN)
    return actions


# -- why an action is illegal


def illegal_reason(state: AnyState, action: Action) -> str | None:
    """Return why the action is not legal now, or None if it is."""
    if is_over(state):
        return "the match is over"
    if state.turn < 1 and awaits_mulligan(state):
        if isinstance(action, Mulligan):
            return _mulligan_problem(state, action)
        return "the match has not begun: the mulligan comes first"
    match action:
        case Attack():
            return _attack_problem(state, action)
        case Play():
            hand_card = _find(state.me.hand, action.card)
            if hand_card is None:
                return f"{action.card} is not in your hand"
            problem = _play_problem(state, hand_card)
            return problem or _target_problem(hand_card.card.name, action.target, play_targets(state, hand_card.card))
        case HeroPower():
            if state.me.power is None:
                return "you have no hero power"
            problem = _power_problem(state)
            return problem or _target_problem(state.me.power.name, action.target, power_targets(state, state.me.power))
        case Trade():
            hand_card = _find(state.me.hand, action.card)
            return f"{action.card} is not in your hand" if hand_card is None else _trade_problem(state, hand_card)
        case EndTurn():
            return None
        case Batch():
            return _batch_problem(state, action)
        case Mulligan():
            return "the mulligan is over"
    return f"{action!r} is not an action"


def _batch_problem(state: AnyState, batch: Batch) -> str | None:
    if state.rules.execution != "printed":
        return f"the rules {state.rules.name} do not allow a batch: their execution is {state.rules.execution}"
    landing = _landing(state, batch.actions)
    return None if all(landing) else f"a batch cannot carry out {batch.actions[landing.index(False)]}"


def landing_actions(state: AnyState, actions: Sequence[Play | Attack]) -> tuple[Play | Attack, ...]:
    """Return those of the actions that a batch carries out.

    Section 6.5 of Guo (2025) checks the mana and the room for a card, and for an attack whether the minion can still
    attack. It does not check whether the target or the attacker is alive, nor taunt.
    """
    return tuple(action for action, lands in zip(actions, _landing(state, actions), strict=True) if lands)


def _landing(state: AnyState, actions: Sequence[Play | Attack]) -> list[bool]:
    mana, room = state.me.mana, state.rules.board_limit - len(state.me.board)
    hand = {held.id: held for held in state.me.hand if held.card.needs_no_choice}
    attacks = {minion.id: minion.attacks_left for minion in state.me.board if _can_attack_in_batch(minion)}
    targets = {ENEMY_HERO, *(minion.id for minion in state.enemy.board)}
    landing = []
    for action in actions:
        if isinstance(action, Play):
            held = hand.get(action.card)
            lands = held is not None and action.target is None and room > 0 and mana >= held.cost
            if held is not None and lands:
                del hand[action.card]
                mana, room = mana - held.cost, room - 1
                keywords = held.card.keywords
                attacks[action.card] = attacks_per_turn(keywords) if keywords & _ATTACKS_AT_ONCE else 0
        else:
            lands = attacks.get(action.attacker, 0) > 0 and action.target in targets
            if lands:
                attacks[action.attacker] -= 1
        landing.append(lands)
    return landing


def _can_attack_in_batch(minion: Minion) -> bool:
    is_ready = not minion.fresh or minion.keywords & _ATTACKS_AT_ONCE
    return bool(is_ready) and not minion.keywords & (FROZEN | CANNOT_ATTACK)


def _find(zone: Sequence[_Thing], name: str) -> _Thing | None:
    for thing in zone:
        if thing.id == name:
            return thing
    return None


def _attack_problem(state: AnyState, action: Attack) -> str | None:
    me, enemy = state.me, state.enemy
    minion = None
    if action.attacker == MY_HERO:
        problem = hero_attacker_problem(me)
    else:
        minion = _find(me.board, action.attacker)
        if minion is None:
            return f"{action.attacker} is not on your board"
        problem = attacker_problem(minion, state.rules)
    if problem is not None:
        return problem
    if action.target not in _attack_targets(enemy):
        return _unattackable_reason(enemy, action.target)
    return _rush_problem(minion, state.rules) if minion is not None and action.target == ENEMY_HERO else None


def _target_problem(name: str, target: str | None, targets: list[str | None]) -> str | None:
    if target in targets:
        return None
    if target is None:
        return f"{name} needs a target: one of {', '.join(map(str, targets))}" if targets else f"{name} has no target"
    if targets in ([None], []):
        return f"{name} takes no target" if targets else f"{name} has no target"
    return f"{target} is not a target for {name}"


def _attack_targets(enemy: AnyPlayer) -> list[str]:
    """Return the ids that may be attacked: the taunt minions, or without any, all visible characters, the hero last."""
    taunts: list[str] = []
    others: list[str] = []
    for minion in enemy.board:
        keywords = minion.keywords
        if not keywords & _UNTARGETABLE:
            (taunts if keywords & TAUNT else others).append(minion.id)
    if taunts:
        return taunts
    if not enemy.hero.keywords & _UNTARGETABLE:
        others.append(ENEMY_HERO)
    return others


def _unattackable_reason(enemy: AnyPlayer, name: str) -> str:
    target = enemy.hero if name == ENEMY_HERO else _find(enemy.board, name)
    if target is None:
        return f"{name} is not on the enemy's board"
    label = "the enemy hero" if name == ENEMY_HERO else name
    if target.keywords & _UNTARGETABLE:
        return f"{label} is immune" if target.keywords & IMMUNE else f"{label} is in stealth"
    if name == ENEMY_HERO:
        return f"a taunt minion protects {label}"
    return f"{label} does not have taunt, but another enemy minion does"


def attacker_problem(minion: Minion, rules: Ruleset) -> str | None:
    """Return why this minion of the player to move cannot attack now, or None."""
    if minion.attack <= 0 and rules.attack_required:
        return f"{minion.id} has no attack"
    problem = _exhaustion(minion.id, minion)
    if problem is None and minion.fresh and rules.summoning_sickness and not minion.keywords & _ATTACKS_AT_ONCE:
        return f"{minion.id} was summoned this turn and has neither charge nor rush"
    return problem


def hero_attacker_problem(me: AnyPlayer) -> str | None:
    """Return why the hero of the player to move cannot attack now, or None."""
    return "your hero has no attack" if hero_attack(me) <= 0 else _exhaustion("your hero", me.hero)


def _exhaustion(name: str, attacker: Minion | Hero) -> str | None:
    if attacker.attacks_left <= 0:
        return f"{name} has no attacks left"
    if attacker.keywords & (FROZEN | CANNOT_ATTACK):
        return f"{name} is frozen" if attacker.keywords & FROZEN else f"{name} cannot attack"
    return None


def _rush_problem(minion: Minion, rules: Ruleset) -> str | None:
    if minion.fresh and rules.summoning_sickness and not minion.keywords & CHARGE:
        return f"{minion.id} has rush: it cannot attack a hero in its first turn"
    return None


def _play_problem(state: AnyState, hand_card: HandCard) -> str | None:
    me, card = state.me, hand_card.card
    if hand_card.cost > me.mana:
        return f"{card.name} costs {hand_card.cost}, you have {me.mana} mana"
    is_full = len(me.board) >= state.rules.board_limit
    if card.type == "minion":
        if is_full and not (can_merge(card, me.cards_played > 0) and _mechs(me)):
            return _board_is_full(state)
    elif card.type == "hidden":
        return _unknown_effect(card) if card.unread else "a hidden card cannot be played"
    elif card.type == "spell" and is_full and _only_summons(card):
        return _board_is_full(state)
    elif card.type == "spell" and me.weapon is None and card.buffs_weapon:
        return f"{card.name} needs a weapon, and you have none"
    elif card.type == "spell" and card.random_minion_effects and not _has_random_targets(state, card):
        return f"{card.name} has no target"
    return None


def _has_random_targets(state: AnyState, spell: Card) -> bool:
    """Return whether every effect on random minions that would happen has a minion to act on."""
    combo = state.me.cards_played > 0
    for effect, target in spell.random_minion_effects:
        if effect.combo is not None and effect.combo is not combo:
            continue
        if effect.condition and not condition_holds(effect.condition, state.me, state.enemy, played=spell):
            continue
        if not matching_spots(target, state.me, state.enemy):
            return False
    return True


def _board_is_full(state: AnyState) -> str:
    return f"your board is full ({state.rules.board_limit})"


def _unknown_effect(card: Card) -> str:
    return f"the effect of {card.name} is not known"


def _only_summons(spell: Card) -> bool:
    """Return whether the spell only summons minions for its owner."""
    effects = spell.on("play")
    return bool(effects) and all(effect.do == "summon" and effect.side == "friendly" for effect in effects)


def _power_problem(state: AnyState) -> str | None:
    me = state.me
    power = me.power
    if power is None or me.power_used:
        return "your hero power was used this turn"
    if power.type == "hidden":
        return _unknown_effect(power)
    if power.cost > me.mana:
        return f"{power.name} costs {power.cost}, you have {me.mana} mana"
    summons = [effect for effect in power.effects if effect.do == "summon"]
    if summons:
        if len(me.board) >= state.rules.board_limit:
            return _board_is_full(state)
        on_board = {minion.card.name for minion in me.board}
        if any(len(effect.card) > 1 and on_board.issuperset(effect.card) for effect in summons):
            return f"{power.name} has no new minion to summon"
    return None


def _trade_problem(state: AnyState, hand_card: HandCard) -> str | None:
    if not hand_card.card.keywords & TRADEABLE:
        return f"{hand_card.card.name} is not tradeable"
    if state.me.mana < TRADE_COST:
        return f"a trade costs {TRADE_COST} mana, you have {state.me.mana}"
    if not state.me.deck:
        return "your deck is empty: there is no card to trade for"
    return None


# -- targets


def can_merge(card: Card, combo: bool) -> bool:
    """Return whether the card may be played onto a mech. If it also has a target, the player chooses that instead."""
    return card.keywords & MAGNETIC != 0 and card.target(combo) is None


def _mechs(me: AnyPlayer) -> list[str | None]:
    return [minion.id for minion in me.board if "mech" in minion.card.tribes]


def play_targets(state: AnyState, card: Card) -> list[str | None]:
    """Return the targets among which the player chooses when playing the card; [None] if there is no choice."""
    if card.needs_no_choice:
        return [None]
    combo = state.me.cards_played > 0
    effect = card.choice(combo)
    target = None if effect is None else effect.to
    if (
        effect is not None
        and effect.condition
        and not condition_holds(effect.condition, state.me, state.enemy, played=card)
    ):
        return [None] if card.type != "spell" else []
    if target is None:
        if can_merge(card, combo):
            has_room = len(state.me.board) < state.rules.board_limit
            return ([None] if has_room else []) + _mechs(state.me)
        return [None]
    targets: list[str | None] = list(_choices(state, target, by_spell=card.type == "spell"))
    # Without a target the battlecry does not happen, but the minion can be played; a spell needs its target.
    return targets if targets or card.type == "spell" else [None]


def power_targets(state: AnyState, power: Card) -> list[str | None]:
    """Return the targets among which the player chooses when using the hero power."""
    target = power.target(False)
    return [None] if target is None else list(_choices(state, target, by_spell=True))


def _choices(state: AnyState, target: Target, by_spell: bool) -> list[str]:
    choices: list[str] = []
    for side, position in matching_spots(target, state.me, state.enemy):
        if position == HERO:
            if side == ME or not state.enemy.hero.keywords & _UNTARGETABLE:
                choices.append(MY_HERO if side == ME else ENEMY_HERO)
            continue
        minion = (state.me, state.enemy)[side].board[position]
        if not minion.keywords & ((_UNTARGETABLE if side == ENEMY else 0) | (ELUSIVE if by_spell else 0)):
            choices.append(minion.id)
    return choices


# -- the mulligan


def awaits_mulligan(state: AnyState) -> bool:
    """Return whether the mulligan comes next. A caller that counts turns from 0 has mana in turn 0."""
    return state.turn < 1 and not (state.me.mana or state.me.board or state.enemy.board)


class MulliganOptions(Sequence[Mulligan]):
    """Every choice of cards to replace, created on demand, since a large hand has millions."""

    def __init__(self, state: GameState) -> None:
        self._hand = [card.id for card in state.me.hand]

    def __len__(self) -> int:
        return 1 << len(self._hand)

    @overload
    def __getitem__(self, index: int) -> Mulligan: ...
    @overload
    def __getitem__(self, index: slice) -> list[Mulligan]: ...
    def __getitem__(self, index: int | slice) -> Mulligan | list[Mulligan]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        bits = range(len(self))[index]
        return Mulligan(tuple(card_id for bit, card_id in enumerate(self._hand) if bits >> bit & 1))


def _mulligan_problem(state: AnyState, action: Mulligan) -> str | None:
    cards = action.cards
    if not isinstance(cards, tuple | list) or not all(isinstance(name, str) for name in cards):
        return f"mulligan: must be a list of ids, got {quote(cards)}"
    hand = {card.id for card in state.me.hand}
    for name in cards:
        if name not in hand:
            return f"mulligan: {name} is not in the starting hand of player {state.seat + 1}"
        if cards.count(name) > 1:
            return f"mulligan: duplicate id {name}"
    return None
