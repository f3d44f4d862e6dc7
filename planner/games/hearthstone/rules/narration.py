"""Describe actions and turns in English, from the states before and after."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.keywords import DIVINE_SHIELD, FROZEN, MAGNETIC, REBORN, names
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.random_choices import CERTAIN_ONLY
from planner.games.hearthstone.rules.resolve import resolve_action
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, Hero, Minion, Player

HeroNames = tuple[str, str]  # by seat


class _Event(NamedTuple):
    """Something that happened."""

    text: str
    character: str = ""  # the id of the character whose numbers changed
    fatal: bool = False


# -- names and numbers


def hero_names(state: GameState) -> HeroNames:
    """Return the classes of the heroes, numbered if both are the same."""
    first, second = (state.player(seat).hero.hero_class.capitalize() for seat in (0, 1))
    return (f"{first} 1", f"{second} 2") if first == second else (first, second)


def format_card(card: Card) -> str:
    """Format a card, such as `Wolfrider 3/1 charge`."""
    stats = f" {card.attack}/{card.health}" if card.type in ("minion", "weapon") else ""
    return " ".join([f"{card.name}{stats}", *format_keywords(card.keywords)])


def format_keywords(keywords: int) -> list[str]:
    """Return the keywords as words, such as `divine shield`."""
    return [name.replace("_", " ") for name in names(keywords)]


def format_status(minion: Minion) -> list[str]:
    """Return the keywords of a minion, and whether it is silenced."""
    return format_keywords(minion.keywords) + (["silenced"] if minion.silenced else [])


def format_health(hero: Hero) -> str:
    """Format the health of a hero: `27`, or `27+5` with armor."""
    return f"{hero.health}+{hero.armor}" if hero.armor else str(hero.health)


# -- actions


def describe_action(
    state: GameState,
    action: Action,
    after: GameState | None = None,
    heroes: HeroNames | None = None,
    hidden: Collection[int] | None = None,
) -> str:
    """Describe an action and, if the state after it is known, its consequences, those for the player first.

    With `hidden`, the reader sees no deck, and not the hands of these seats.
    """
    heroes = hero_names(state) if heroes is None else heroes
    head = _describe_head(state, action, heroes)
    if after is None or isinstance(action, Mulligan):
        return head
    events: list[_Event] = []
    for seat, hero_id in ((state.seat, MY_HERO), (1 - state.seat, ENEMY_HERO)):
        old, new = state.player(seat), after.player(seat)
        events.extend(_player_events(old, new, hero_id, heroes[seat], action))
        if hidden is None:
            events.extend(_hand_events(old, new, heroes[seat]))
        else:
            events.extend(_visible_hand_events(old, new, heroes[seat], seat in hidden))
    if isinstance(action, Attack):
        for event in events:
            if event.character == action.target:  # what happened to the target follows its name
                events.remove(event)
                if event.fatal:
                    head = head.replace(" attacks ", " attacks and kills ", 1)
                else:
                    head += event.text.removeprefix(_character_name(state, action.target, heroes))
                break
    return "; ".join([head, *(event.text for event in events)])


def describe_for(before: GameState, action: Action, after: GameState, seat: int | None) -> str:
    """Describe an action and its consequences as the player in this seat learns them; None is a spectator.

    Cards that this player does not see are counted, not named: those that the other one draws, trades or puts back, and
    those that leave a deck.
    """
    heroes = hero_names(before)
    if seat != before.seat:
        if isinstance(action, Mulligan):
            count = len(action.cards)
            return f"replaces {_count_cards(count)}" if count else "keeps the starting hand"
        if isinstance(action, Trade):
            return "trades a card"
    return describe_action(before, action, after, heroes, hidden=tuple(other for other in (0, 1) if other != seat))


def _count_cards(count: int) -> str:
    return "a card" if count == 1 else f"{count} cards"


def describe_turn(
    state: GameState, actions: Iterable[Action], briefly: bool = False, reader: int | None = None
) -> list[str]:
    """Describe the actions of a plan with their certain consequences; `briefly` leaves the consequences out.

    The reader is the player in this seat; by default, the player whose turn it is.
    """
    state = observe(state, state.seat)
    seat = state.seat if reader is None else reader
    heroes: HeroNames = ("your hero", "the enemy hero") if seat == 0 else ("the enemy hero", "your hero")
    lines = []
    for action in actions:
        after = resolve_action(state, action, CERTAIN_ONLY).to_state()
        line = describe_action(state, action, after, heroes)
        lines.append(line.partition(";")[0] if briefly else line)
        state = after
    return lines


def _describe_head(state: GameState, action: Action, heroes: HeroNames) -> str:
    def on(target: str | None) -> str:
        return "" if target is None else f" on {_character_name(state, target, heroes)}"

    def card(card_id: str) -> Card:
        return next((hand_card.card for hand_card in state.me.hand if hand_card.id == card_id), HIDDEN)

    match action:
        case Attack(attacker, target):
            return f"{_character_name(state, attacker, heroes)} attacks {_character_name(state, target, heroes)}"
        case Play(card_id, chosen):
            verb = "casts" if card(card_id).type == "spell" else "plays"
            return f"{verb} {format_card(card(card_id))}{on(chosen)}"
        case HeroPower(chosen):
            return f"uses {state.me.power.name if state.me.power else 'hero power'}{on(chosen)}"
        case Trade(card_id):
            return f"trades {card(card_id).name}"
        case EndTurn():
            return "ends the turn"
        case Batch(parts):
            names = {held.id: held.card.name for held in state.me.hand}

            def name(character_id: str) -> str:
                return names.get(character_id) or _character_name(state, character_id, heroes)

            described = [
                f"plays {name(part.card)}"
                if isinstance(part, Play)
                else f"{name(part.attacker)} attacks {name(part.target)}"
                for part in parts
            ]
            return f"at once: {', '.join(described)}" if described else "does nothing"
        case Mulligan(cards):
            replaced = [hand_card.card.name for hand_card in state.me.hand if hand_card.id in cards]
            return f"puts {', '.join(replaced)} back" if replaced else "keeps the starting hand"


def _character_name(state: GameState, character_id: str, heroes: HeroNames) -> str:
    if character_id == MY_HERO:
        return heroes[state.seat]
    if character_id == ENEMY_HERO:
        return heroes[1 - state.seat]
    minions = (*state.me.board, *state.enemy.board)
    return next((minion.card.name for minion in minions if minion.id == character_id), character_id)


# -- consequences


def _player_events(before: Player, after: Player, hero_id: str, hero: str, action: Action) -> list[_Event]:
    events: list[_Event] = []
    if (before.hero.health, before.hero.armor) != (after.hero.health, after.hero.armor):
        events.append(_Event(f"{hero} ({format_health(before.hero)} -> {format_health(after.hero)})", hero_id))
    if after.hero.health <= 0 < before.hero.health:
        events.append(_Event(f"{hero} dies"))
    if after.hero.keywords & FROZEN & ~before.hero.keywords:
        events.append(_Event(f"{hero} is frozen"))
    if after.hero.attack_this_turn > before.hero.attack_this_turn:
        more = after.hero.attack_this_turn - before.hero.attack_this_turn
        events.append(_Event(f"{hero} gains {more} attack this turn"))
    events.extend(_board_events(before, after, action))
    if after.weapon is None and before.weapon is not None:
        events.append(_Event(f"{before.weapon.card.name} breaks"))
    elif after.weapon is not None and (before.weapon is None or after.weapon.card != before.weapon.card):
        was_played = isinstance(action, Play) and len(after.hand) < len(before.hand)
        if not was_played or after.weapon.card.token:  # otherwise the action names it
            events.append(_Event(f"{hero} equips {format_card(after.weapon.card)}"))
    if after.fatigue > before.fatigue:
        events.append(_Event(f"{hero}'s deck is empty"))
    return events


def _board_events(before: Player, after: Player, action: Action) -> list[_Event]:
    events: list[_Event] = []
    remaining = {minion.id: minion for minion in after.board}
    for minion in before.board:
        now = remaining.pop(minion.id, None)
        if now is None:
            returned = any(card.id == minion.id for card in after.hand)
            text = f"{minion.card.name} {'returns to the hand' if returned else 'dies'}"
            events.append(_Event(text, minion.id, fatal=not returned))
        else:
            events.extend(_minion_events(minion, now))
    played = action.card if isinstance(action, Play) else None
    events.extend(_Event(f"{format_card(m.card)} joins") for m in remaining.values() if m.id != played)
    for hand_card in before.hand:
        if hand_card.id == played and hand_card.card.type == "minion" and played not in remaining:
            # A minion that merges into a mech does not die.
            on_own_minion = any(minion.id == getattr(action, "target", None) for minion in before.board)
            if not (hand_card.card.keywords & MAGNETIC and on_own_minion):
                events.append(_Event(f"{hand_card.card.name} dies"))
    return events


def _minion_events(before: Minion, after: Minion) -> list[_Event]:
    name = before.card.name
    events: list[_Event] = []
    old, new = (before.attack, before.health), (after.attack, after.health)
    if after.card != before.card:
        return [_Event(f"{name} becomes {format_card(after.card)}")]
    if before.keywords & ~after.keywords & REBORN and not after.silenced:
        return [_Event(f"{name} dies and is reborn as {new[0]}/{new[1]}")]
    if old != new:
        events.append(_Event(f"{name} ({old[0]}/{old[1]} -> {new[0]}/{new[1]})", before.id))
    lost, gained = before.keywords & ~after.keywords, after.keywords & ~before.keywords
    if lost & DIVINE_SHIELD:
        events.append(_Event(f"{name} loses its divine shield"))
    if after.silenced and not before.silenced:
        events.append(_Event(f"{name} is silenced"))
    if gained & FROZEN:
        events.append(_Event(f"{name} is frozen"))
    if gained & ~FROZEN:
        events.append(_Event(f"{name} gains {', '.join(format_keywords(gained & ~FROZEN))}"))
    return events


def _hand_events(before: Player, after: Player, hero: str) -> list[_Event]:
    drawn, created, burned = _new_cards(before, after)
    events = []
    if drawn:
        events.append(_Event(f"{hero} draws {', '.join(drawn)}"))
    if created:
        events.append(_Event(f"{hero} gets {', '.join(created)}"))
    if burned:
        events.append(_Event(f"{hero}'s hand is full: {', '.join(burned)} burns"))
    return events


def _visible_hand_events(before: Player, after: Player, hero: str, is_hidden: bool) -> list[_Event]:
    """Return the events of a hand and a deck for a reader who sees no deck, and perhaps not this hand."""
    drawn, created, burned = _new_cards(before, after)
    new = [*drawn, *created]
    events = []
    if new:  # whether a hidden card comes from the deck shows in the size of the deck
        words = _count_cards(len(new)) if is_hidden else ", ".join(new)
        events.append(_Event(f"{hero} {'draws' if drawn and not created else 'gets'} {words}"))
    if burned:
        events.append(_Event(f"{hero}'s hand is full: {_count_cards(len(burned))} lost"))
    return events


def _new_cards(before: Player, after: Player) -> tuple[list[str], list[str], list[str]]:
    """Return the names of the cards that were drawn, that came from elsewhere, and that left the deck otherwise."""
    ids_before = {card.id for card in before.hand} | {minion.id for minion in before.board}
    deck = {card.id for card in before.deck}
    new = [card for card in after.hand if card.id not in ids_before]
    drawn = [card.card.name for card in new if card.id in deck]
    created = [card.card.name for card in new if card.id not in deck]
    ids_after = {card.id for card in (*after.deck, *after.hand)} | {minion.id for minion in after.board}
    return drawn, created, [card.card.name for card in before.deck if card.id not in ids_after]
