"""What is legal, and why not. `verify` and `legal_actions` ask the same questions, so they cannot disagree."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

from planner.games.hearthstone.cards.card import Card
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
)
from planner.games.hearthstone.cards.targets import Target
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.asked import fits, fits_hero, is_given
from planner.games.hearthstone.rules.mulligan import mulligan_problem
from planner.games.hearthstone.rules.state import (
    ENEMY_HERO,
    MY_HERO,
    GameState,
    HandCard,
    Minion,
    Player,
    hero_attack,
    is_over,
)

TRADE_COST = 1
_HIDDEN_FROM_ATTACKS = STEALTH | IMMUNE
_AT_ONCE = CHARGE | RUSH
_Thing = TypeVar("_Thing", HandCard, Minion)

# Actions are values, and a match asks for the same ones over and over: to look one up is six times as fast.
_play = lru_cache(maxsize=20_000)(Play)
_attack = lru_cache(maxsize=20_000)(Attack)
_use_power = lru_cache(maxsize=20_000)(HeroPower)
_END_TURN = EndTurn()


def awaits_mulligan(state: GameState) -> bool:
    """Has nothing happened yet? A caller whose turns count from 0 has mana in its first."""
    return state.turn < 1 and not (state.me.mana or state.me.board or state.enemy.board)


def legal_actions(state: GameState) -> list[Action]:
    """All that the player may do in this turn: cards in hand order, then attacks, hero power, end of turn."""
    if is_over(state) or (state.turn < 1 and awaits_mulligan(state)):
        return []
    me, mana = state.me, state.me.mana
    room = len(me.board) < state.rules.board_limit
    actions: list[Action] = []
    for held in me.hand:
        card = held.card
        if room and card.plain:  # mana is all that is left to ask for
            if held.cost <= mana:
                actions.append(_play(held.id))
            continue
        if held.cost <= mana and _play_problem(state, held) is None:
            actions += [_play(held.id, target) for target in play_targets(state, card)]
        if card.keywords & TRADEABLE and _trade_problem(state, held) is None:
            actions.append(Trade(held.id))
    attackers = [minion for minion in me.board if minion.attacks_left and _attacker_problem(minion) is None]
    swinging = (me.weapon is not None or me.hero.attack_this_turn) and _hero_attacker_problem(me) is None
    if attackers or swinging:
        targets = _attackable(state.enemy)
        for minion in attackers:
            name, rushes = minion.id, _rush_problem(minion) is not None
            for target in targets:
                if not (rushes and target == ENEMY_HERO):
                    actions.append(_attack(name, target))
        if swinging:
            actions += [_attack(MY_HERO, target) for target in targets]
    if me.power is not None and _power_problem(state) is None:
        actions += [_use_power(target) for target in power_targets(state, me.power)]
    actions.append(_END_TURN)
    return actions


def verify(state: GameState, action: Action) -> str | None:
    """Why this action is not legal now, or None if it is."""
    if is_over(state):
        return "the match is over"
    if state.turn < 1 and awaits_mulligan(state):
        if isinstance(action, Mulligan):
            return mulligan_problem(state, action)
        return "the match has not begun: the mulligan comes first"
    match action:
        case Attack():
            return _verify_attack(state, action)
        case Play():
            held = _find(state.me.hand, action.card)
            if held is None:
                return f"{action.card} is not in your hand"
            problem = _play_problem(state, held)
            return problem or _verify_choice(held.card.name, action.target, play_targets(state, held.card))
        case HeroPower():
            if state.me.power is None:
                return "you have no hero power"
            problem = _power_problem(state)
            return problem or _verify_choice(state.me.power.name, action.target, power_targets(state, state.me.power))
        case Trade():
            held = _find(state.me.hand, action.card)
            return f"{action.card} is not in your hand" if held is None else _trade_problem(state, held)
        case EndTurn():
            return None
        case Mulligan():
            return "the mulligan is over"
    return f"{action!r} is not an action"


def _find(zone: tuple[_Thing, ...], name: str) -> _Thing | None:
    for thing in zone:
        if thing.id == name:
            return thing
    return None


def _verify_attack(state: GameState, action: Attack) -> str | None:
    me, enemy = state.me, state.enemy
    minion = None
    if action.attacker == MY_HERO:
        problem = _hero_attacker_problem(me)
    else:
        minion = _find(me.board, action.attacker)
        if minion is None:
            return f"{action.attacker} is not on your board"
        problem = _attacker_problem(minion)
    if problem is not None:
        return problem
    if action.target not in _attackable(enemy):
        return _out_of_reach(enemy, action.target)
    return _rush_problem(minion) if minion is not None and action.target == ENEMY_HERO else None


def _verify_choice(name: str, target: str | None, targets: list[str | None]) -> str | None:
    if target in targets:
        return None
    if target is None:
        return f"{name} needs a target: one of {', '.join(map(str, targets))}" if targets else f"{name} has no target"
    if targets in ([None], []):
        return f"{name} takes no target" if targets else f"{name} has no target"
    return f"{target} is not a target for {name}"


def _attackable(enemy: Player) -> list[str]:
    """Whom an attack may name: the taunt minions, or where there are none, everybody in sight, the hero last."""
    guards: list[str] = []
    others: list[str] = []
    for minion in enemy.board:
        kept = minion.keywords
        if not kept & _HIDDEN_FROM_ATTACKS:
            (guards if kept & TAUNT else others).append(minion.id)
    if guards:
        return guards
    if not enemy.hero.keywords & _HIDDEN_FROM_ATTACKS:
        others.append(ENEMY_HERO)
    return others


def _out_of_reach(enemy: Player, name: str) -> str:
    """Why this target is not one of the attackable."""
    target = enemy.hero if name == ENEMY_HERO else _find(enemy.board, name)
    if target is None:
        return f"{name} is not on the enemy's board"
    who = "the enemy hero" if name == ENEMY_HERO else name
    if target.keywords & _HIDDEN_FROM_ATTACKS:
        return f"{who} is immune" if target.keywords & IMMUNE else f"{who} is in stealth"
    return f"a taunt minion protects {who}" if name == ENEMY_HERO else f"{who} has no taunt and a taunt minion stands"


def _attacker_problem(minion: Minion) -> str | None:
    if minion.attack <= 0:
        return f"{minion.id} has no attack"
    if minion.attacks_left <= 0:
        return f"{minion.id} has no attacks left"
    kept = minion.keywords
    if kept & (FROZEN | CANNOT_ATTACK):
        return f"{minion.id} is frozen" if kept & FROZEN else f"{minion.id} cannot attack"
    if minion.fresh and not kept & _AT_ONCE:
        return f"{minion.id} came into play this turn and has neither charge nor rush"
    return None


def _hero_attacker_problem(me: Player) -> str | None:
    if hero_attack(me) <= 0:
        return "your hero has no attack"
    if me.hero.attacks_left <= 0:
        return "your hero has no attacks left"
    if me.hero.keywords & FROZEN:
        return "your hero is frozen"
    return None


def _rush_problem(minion: Minion) -> str | None:
    if minion.fresh and not minion.keywords & CHARGE:
        return f"{minion.id} has rush: no attack on a hero in its first turn"
    return None


def _play_problem(state: GameState, card: HandCard) -> str | None:
    me = state.me
    if card.cost > me.mana:
        return f"{card.card.name} costs {card.cost}, you have {me.mana} mana"
    kind = card.card.type
    if kind == "minion":
        full = len(me.board) >= state.rules.board_limit
        if full and not (merges(card.card, me.cards_played > 0) and _mechs(me)):
            return f"your board is full ({state.rules.board_limit})"
    elif kind == "hidden":
        return _not_known(card.card) if card.card.unread else "a hidden card cannot be played"
    elif kind == "spell" and len(me.board) >= state.rules.board_limit and _only_summons(card.card):
        return f"your board is full ({state.rules.board_limit})"
    elif kind == "spell" and me.weapon is None and card.card.hones:
        return f"{card.card.name} makes a weapon better, and you have none"
    return None


def _not_known(card: Card) -> str:
    return f"what {card.name} does is not known"


def _only_summons(spell: Card) -> bool:
    """Does this spell do nothing but put minions onto its owner's board?"""
    effects = spell.on("play")
    return bool(effects) and all(effect.do == "summon" and effect.side == "friendly" for effect in effects)


def _power_problem(state: GameState) -> str | None:
    me = state.me
    power = me.power
    if power is None or me.power_used:
        return "your hero power was used this turn"
    if power.type == "hidden":
        return _not_known(power)
    if power.cost > me.mana:
        return f"{power.name} costs {power.cost}, you have {me.mana} mana"
    summons = [effect for effect in power.effects if effect.do == "summon"]
    if summons:
        if len(me.board) >= state.rules.board_limit:
            return f"your board is full ({state.rules.board_limit})"
        here = {minion.card.name for minion in me.board}
        if any(len(effect.card) > 1 and here.issuperset(effect.card) for effect in summons):
            return f"{power.name} has nothing new to summon"
    return None


def _trade_problem(state: GameState, card: HandCard) -> str | None:
    if not card.card.keywords & TRADEABLE:
        return f"{card.card.name} is not tradeable"
    if state.me.mana < TRADE_COST:
        return f"a trade costs {TRADE_COST} mana, you have {state.me.mana}"
    if not state.me.deck:
        return "your deck is empty: nothing to trade for"
    return None


def merges(card: Card, combo: bool) -> bool:
    """May it be played onto a mech? Where it asks for a target of its own, that is what the player chooses."""
    return card.keywords & MAGNETIC != 0 and card.target(combo) is None


def _mechs(me: Player) -> list[str | None]:
    return [minion.id for minion in me.board if "mech" in minion.card.tribes]


def play_targets(state: GameState, card: Card) -> list[str | None]:
    """The choices when playing this card: [None] where there is nothing to choose."""
    if card.plain:
        return [None]
    combo = state.me.cards_played > 0
    choice = card.choice(combo)
    target = None if choice is None else choice.to
    if choice is not None and choice.condition and not is_given(choice.condition, state.me, state.enemy, played=card):
        return [None] if card.type != "spell" else []
    if target is None:
        if merges(card, combo):
            room = len(state.me.board) < state.rules.board_limit
            return ([None] if room else []) + _mechs(state.me)
        return [None]
    found: list[str | None] = list(_choices(state, target, by_spell=card.type == "spell"))
    # A battlecry without a target is lost, and the minion is played all the same; a spell needs its target.
    return found if found or card.type == "spell" else [None]


def power_targets(state: GameState, power: Card) -> list[str | None]:
    """The choices when using this hero power."""
    target = power.target(False)
    return [None] if target is None else list(_choices(state, target, by_spell=True))


def _choices(state: GameState, target: Target, by_spell: bool) -> list[str]:
    found: list[str] = []
    for player, hero_name, friendly in ((state.me, MY_HERO, True), (state.enemy, ENEMY_HERO, False)):
        if target.side != "any" and (target.side == "friendly") != friendly:
            continue
        hero = player.hero
        hidden = not friendly and hero.keywords & _HIDDEN_FROM_ATTACKS
        if target.what != "minion" and not hidden and fits_hero(target, hero):
            found.append(hero_name)
        if target.what != "hero":
            untouchable = (0 if friendly else _HIDDEN_FROM_ATTACKS) | (ELUSIVE if by_spell else 0)
            found += [m.id for m in player.board if not m.keywords & untouchable and fits(target, m)]
    return found
