"""The narrator: what happened in the words of someone who knows the game, from two states and the action between."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.keywords import DIVINE_SHIELD, FROZEN, MAGNETIC, REBORN, names
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.match import observe
from planner.games.hearthstone.rules.resolve import carried
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, Hero, Minion, Player
from planner.games.hearthstone.rules.table import CERTAIN_ONLY

Names = tuple[str, str]  # of the heroes, by seat


class Event(NamedTuple):
    """One thing that happened."""

    text: str
    who: str = ""  # the id of the character whose numbers changed
    fatal: bool = False


def hero_names(state: GameState) -> Names:
    """The heroes' classes, numbered where both are of one class."""
    first, second = (state.player(seat).hero.hero_class.capitalize() for seat in (0, 1))
    return (f"{first} 1", f"{second} 2") if first == second else (first, second)


def narrate(before: GameState, action: Action, after: GameState | None, heroes: Names | None = None) -> str:
    """The action first; where it is known what it led to, that follows, the player's own side first."""
    heroes = hero_names(before) if heroes is None else heroes
    head = _head(before, action, heroes)
    if after is None or isinstance(action, Mulligan):
        return head
    events: list[Event] = []
    for seat, hero_id in ((before.seat, MY_HERO), (1 - before.seat, ENEMY_HERO)):
        events.extend(_changes(before.player(seat), after.player(seat), hero_id, heroes[seat], action))
    if isinstance(action, Attack):
        for event in events:
            if event.who == action.target:  # what the target suffered belongs right behind its name
                events.remove(event)
                if event.fatal:
                    head = head.replace(" attacks ", " attacks and kills ", 1)
                else:
                    head += event.text.removeprefix(_character(before, action.target, heroes))
                break
    return "; ".join([head, *(event.text for event in events)])


def narrate_turn(
    state: GameState, actions: Iterable[Action], briefly: bool = False, reader: int | None = None
) -> list[str]:
    """The actions of a plan, told to the player whose turn it is, or to the one in the seat of the `reader`; briefly:
    without what they lead to."""
    state = observe(state, state.seat)
    seat = state.seat if reader is None else reader
    heroes: Names = ("your hero", "the enemy hero") if seat == 0 else ("the enemy hero", "your hero")
    lines = []
    for action in actions:
        after = carried(state, action, CERTAIN_ONLY).state()
        told = narrate(state, action, after, heroes)
        lines.append(told.partition(";")[0] if briefly else told)
        state = after
    return lines


def card_words(card: Card) -> str:
    """A card as one would read it out: `Wolfrider 3/1 charge`."""
    stats = f" {card.attack}/{card.health}" if card.type in ("minion", "weapon") else ""
    kept = " ".join(keyword_words(card.keywords))
    return f"{card.name}{stats}{' ' if kept else ''}{kept}"


def keyword_words(keywords: int) -> list[str]:
    """Keywords for a reader."""
    return [name.replace("_", " ") for name in names(keywords)]


def hero_words(hero: Hero) -> str:
    """A hero's life: `27`, or `27+5` with armor."""
    return f"{hero.health}+{hero.armor}" if hero.armor else str(hero.health)


def _head(state: GameState, action: Action, heroes: Names) -> str:
    match action:
        case Attack(attacker, target):
            return f"{_character(state, attacker, heroes)} attacks {_character(state, target, heroes)}"
        case Play(card_id, target):
            card = next((held.card for held in state.me.hand if held.id == card_id), HIDDEN)
            at = f" on {_character(state, target, heroes)}" if target is not None else ""
            return f"{'casts' if card.type == 'spell' else 'plays'} {card_words(card)}{at}"
        case HeroPower(target):
            at = f" on {_character(state, target, heroes)}" if target is not None else ""
            return f"uses {state.me.power.name if state.me.power else 'hero power'}{at}"
        case Trade(card_id):
            card = next((held.card for held in state.me.hand if held.id == card_id), HIDDEN)
            return f"trades {card.name}"
        case EndTurn():
            return "ends the turn"
        case Mulligan(cards):
            away = [held.card.name for held in state.me.hand if held.id in cards]
            return f"puts {', '.join(away)} back" if away else "keeps the starting hand"


def _character(state: GameState, name: str, heroes: Names) -> str:
    if name == MY_HERO:
        return heroes[state.seat]
    if name == ENEMY_HERO:
        return heroes[1 - state.seat]
    return next((m.card.name for m in (*state.me.board, *state.enemy.board) if m.id == name), name)


def _changes(before: Player, after: Player, hero_id: str, hero: str, action: Action) -> list[Event]:
    events: list[Event] = []
    if (before.hero.health, before.hero.armor) != (after.hero.health, after.hero.armor):
        words = f"{hero} ({hero_words(before.hero)} -> {hero_words(after.hero)})"
        events.append(Event(words, hero_id))
    if after.hero.health <= 0 < before.hero.health:
        events.append(Event(f"{hero} dies"))
    if after.hero.keywords & FROZEN & ~before.hero.keywords:
        events.append(Event(f"{hero} is frozen"))
    if after.hero.attack_this_turn > before.hero.attack_this_turn:
        more = after.hero.attack_this_turn - before.hero.attack_this_turn
        events.append(Event(f"{hero} gains {more} attack this turn"))
    events.extend(_board_changes(before, after, action))
    if after.weapon is None and before.weapon is not None:
        events.append(Event(f"{before.weapon.card.name} breaks"))
    elif after.weapon is not None and (before.weapon is None or after.weapon.card != before.weapon.card):
        played = isinstance(action, Play) and len(after.hand) < len(before.hand)
        if not played or after.weapon.card.token:  # the action has named it already
            events.append(Event(f"{hero} equips {card_words(after.weapon.card)}"))
    if after.fatigue > before.fatigue:
        events.append(Event(f"{hero}'s deck is empty"))
    events.extend(_hand_changes(before, after, hero))
    return events


def _board_changes(before: Player, after: Player, action: Action) -> list[Event]:
    events: list[Event] = []
    there = {minion.id: minion for minion in after.board}
    for minion in before.board:
        now = there.pop(minion.id, None)
        if now is None:
            back = any(card.id == minion.id for card in after.hand)
            text = f"{minion.card.name} {'returns to the hand' if back else 'dies'}"
            events.append(Event(text, minion.id, fatal=not back))
        else:
            events.extend(_minion_changes(minion, now))
    played = action.card if isinstance(action, Play) else None
    events.extend(Event(f"{card_words(m.card)} joins") for m in there.values() if m.id != played)
    for held in before.hand:
        if held.id == played and held.card.type == "minion" and played not in there:
            # Nobody dies who was merged into a mech of one's own.
            merged = any(minion.id == getattr(action, "target", None) for minion in before.board)
            if not (held.card.keywords & MAGNETIC and merged):
                events.append(Event(f"{held.card.name} dies"))
    return events


def _minion_changes(before: Minion, after: Minion) -> list[Event]:
    name = before.card.name
    events: list[Event] = []
    old, new = (before.attack, before.health), (after.attack, after.health)
    if before.keywords & ~after.keywords & REBORN and not after.silenced:
        return [Event(f"{name} dies and is reborn as {new[0]}/{new[1]}")]
    if old != new:
        events.append(Event(f"{name} ({old[0]}/{old[1]} -> {new[0]}/{new[1]})", before.id))
    lost, gained = before.keywords & ~after.keywords, after.keywords & ~before.keywords
    if lost & DIVINE_SHIELD:
        events.append(Event(f"{name} loses its divine shield"))
    if after.silenced and not before.silenced:
        events.append(Event(f"{name} is silenced"))
    if gained & FROZEN:
        events.append(Event(f"{name} is frozen"))
    if gained & ~FROZEN:
        events.append(Event(f"{name} gains {', '.join(keyword_words(gained & ~FROZEN))}"))
    return events


def _hand_changes(before: Player, after: Player, hero: str) -> list[Event]:
    held = {card.id for card in before.hand} | {minion.id for minion in before.board}
    deck = {card.id for card in before.deck}
    new = [card for card in after.hand if card.id not in held]
    events = []
    drawn = [card.card.name for card in new if card.id in deck]
    made = [card.card.name for card in new if card.id not in deck]
    if drawn:
        events.append(Event(f"{hero} draws {', '.join(drawn)}"))
    if made:
        events.append(Event(f"{hero} gets {', '.join(made)}"))
    kept = {card.id for card in (*after.deck, *after.hand)} | {minion.id for minion in after.board}
    burned = [card.card.name for card in before.deck if card.id not in kept]
    if burned:
        events.append(Event(f"{hero}'s hand is full: {', '.join(burned)} burns"))
    return events
