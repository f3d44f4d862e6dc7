"""Which texts of a turn need to be tried, and which not: because another is as good, or because they earn nothing."""

from __future__ import annotations

from collections.abc import Mapping

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effects import Effect
from planner.games.hearthstone.cards.keywords import ECHO, IMMUNE, STEALTH
from planner.games.hearthstone.rules.actions import Action, HeroPower, Play, Trade
from planner.games.hearthstone.rules.state import GameState, Minion
from planner.games.hearthstone.turn.promise import Promise


def never_on_our_own(state: GameState, promise: Promise) -> set[str]:
    """The spells and the power (under "") that need not be used on our own.

    Whatever a turn earns that so harms our own, the same turn earns no less with that damage dealt to the enemy
    hero at its end: where no weight is negative, he cannot die before that, room is not scarce, and no text looks
    at wounds or at cards played or leaves something to chance.
    """
    me = state.me
    cards = [(held.id, held.card) for held in me.hand] + ([("", me.power)] if me.power else [])
    standing = [minion.card for player in (me, state.enemy) for minion in player.board if minion.card.effects]
    harmful = {name for name, card in cards if card.type != "minion" and _only_harms(card)}
    if (
        not harmful
        or not promise.valid
        or state.enemy.hero.keywords & (IMMUNE | STEALTH)
        or len(me.board) + sum(_newcomers(card) for card in (*(card for _, card in cards), *standing))
        > state.rules.board_limit
        or any(_looks_around(effect) for _, card in cards for effect in card.effects)
        or any(_looks_around(e) for p in (me, state.enemy) for minion in p.board for e in minion.card.effects)
        or promise.may_die(state)
    ):
        return set()
    return harmful


def futile_chances(state: GameState, promise: Promise) -> set[str]:
    """The cards and the power (under "") about which chance decides, and which earn nothing whatever it decides."""
    me = state.me
    cards = [(held.id, held.card, held.value) for held in me.hand]
    if me.power is not None:
        cards.append(("", me.power, 0))
    return {
        name
        for name, card, value in cards
        if any(effect.random for effect in card.effects) and promise.most_by(state, card, value) <= 0
    }


def one_of_each(state: GameState, actions: list[Action], health: Mapping[str, int]) -> list[Action]:
    """One action of those that differ only in which of two equal cards or minions they name."""
    alike: dict[str, object] = {
        minion.id: (minion._replace(id="", entered=_age(minion)), health.get(minion.id, 0), number)
        for number, player in enumerate((state.me, state.enemy))
        for minion in player.board
    }
    alike.update((held.id, held._replace(id="")) for held in state.me.hand)
    seen = set()
    found = []
    for action in actions:
        names = (
            (action.card, action.target) if isinstance(action, Play)
            else ("", action.target) if isinstance(action, HeroPower)
            else ("trade", getattr(action, "card", None))
        )  # fmt: skip
        key = tuple(alike.get(name, name) if name is not None else None for name in names)
        if key not in seen:
            seen.add(key)
            found.append(action)
    return found


def _age(minion: Minion) -> int:
    """It orders the effects of those who die or act together."""
    return minion.entered if minion.card.effects else 0


def _only_harms(card: Card) -> bool:
    """Does it do nothing but damage to any character that is chosen?"""
    (effect, *others) = card.effects or (None,)
    if effect is None or others or effect.do != "damage" or effect.to is None or card.keywords or card.overload:
        return False
    return effect.on == "play" and (effect.to.select, effect.to.side, effect.to.what) == ("chosen", "any", "character")


def _looks_around(effect: Effect) -> bool:
    """Does it depend on wounds, on cards played, or on whom chance can choose?"""
    return effect.combo is not None or effect.random or (effect.to is not None and effect.to.damaged is not None)


def _newcomers(card: Card) -> int:
    """How many of our minions it can bring at most."""
    summoned = sum(effect.count for effect in card.effects if effect.do == "summon")
    return summoned + int(card.type == "minion") * (10 if card.keywords & ECHO else 1)


def name_of(action: Action) -> str:
    """The card that it plays; "" for the hero power."""
    return action.card if isinstance(action, Play | Trade) else ""


def target_of(action: Action) -> str | None:
    return action.target if isinstance(action, Play | HeroPower) else None


def we_may_die(state: GameState) -> bool:
    """Could all that may harm our hero this turn kill him?"""
    me = state.me
    cards = [held.card for held in me.hand] + [minion.card for p in (me, state.enemy) for minion in p.board]
    cards += [me.power] if me.power is not None else []
    effects = [effect for card in cards for effect in card.effects]
    if any(effect.do in ("destroy", "hook") for effect in effects):
        return True
    spells = sum(card.spell_damage for card in cards)
    harm = sum(effect.amount + spells for effect in effects if effect.do == "damage")
    draws = sum(effect.count for effect in effects if effect.do == "draw") - len(me.deck)
    harm += sum(state.rules.fatigue_start + state.rules.fatigue_growth * (me.fatigue + n) for n in range(draws))
    harm += me.hero.attacks_left * max((minion.attack for minion in state.enemy.board), default=0)
    return harm >= me.hero.health + me.hero.armor
