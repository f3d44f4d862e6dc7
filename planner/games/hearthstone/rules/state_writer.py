"""Write states in the JSON form. Reading what was written, with the same catalogue, gives an equal state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.card_format import card_to_dict
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.keywords import names
from planner.games.hearthstone.rules.entities import BLANK_CARD, Derived, Entity, Written
from planner.games.hearthstone.rules.ruleset import STANDARD, ruleset_to_json
from planner.games.hearthstone.rules.state import (
    GameState,
    HandCard,
    Minion,
    Player,
    Weapon,
    hidden_cards,
    is_over,
    last_entered,
)
from planner.games.hearthstone.rules.state_fields import (
    HAND_CARD,
    HAND_CARD_TYPES,
    HERO,
    MAX_HIDDEN_CARDS,
    MINION,
    PLAYER,
    STATE,
    WEAPON,
    HeroSource,
    PlayerSource,
)
from planner.games.hearthstone.rules.unlisted_cards import real_card, unlisted_card, unlisted_card_of

JsonObject = dict[str, Any]


def write_state(state: GameState, cards: Catalogue, full: bool) -> JsonObject:
    """Return the JSON form. If not `full`, leave out ids and numbers that have their default."""
    return _StateWriter(state, cards, full).state(state)


def _put(out: JsonObject, key: str, value: Any, default: Any) -> None:
    if value != default:
        out[key] = value


class _StateWriter:
    """Write one state. A card is written by name where the name is enough to read it back."""

    def __init__(self, state: GameState, cards: Catalogue, full: bool) -> None:
        self._cards = cards
        self._rules = state.rules
        self._always = {Written.ALWAYS}
        if full:
            self._always.add(Written.IN_FULL)
        if any(minion.card.aura for minion in state.me.board + state.enemy.board):
            self._always.add(Written.UNDER_AURAS)
        self._full = full
        self._names: dict[str, Card] = {}  # the card that a name stands for, where the state decides it
        things = list(_things(state))
        described = [_card_of(thing) for thing in things if not self._is_known(thing)]
        if not described:
            return
        # A name stands for one card only. Cards that effects create go first, since an effect has only a name; then the
        # catalogue's, so that a variant does not replace the original. All other cards are written in place.
        for card in described:
            self._claim_created(card)
        for card in map(_card_of, things):
            if self._in_catalogue(card):
                self._names.setdefault(card.name, card)
        for card in described:
            self._names.setdefault(card.name, card)

    def _claim_created(self, card: Card) -> None:
        for effect in card.effects:
            for created in effect.made:
                if created.name not in self._names:
                    self._names[created.name] = created
                    if not self._in_catalogue(created):
                        self._claim_created(created)

    def _in_catalogue(self, card: Card) -> bool:
        return card == HIDDEN or (card.name in self._cards and self._cards[card.name] == card)

    def _is_known(self, thing: _Thing) -> bool:
        return self._in_catalogue(_card_of(thing)) or _is_unlisted(thing)

    def state(self, state: GameState) -> JsonObject:
        """Write the whole state."""
        me, enemy = state.me, state.enemy
        out: JsonObject = {"mana": me.mana}
        mine = PlayerSource(me.mana, min(me.mana, self._rules.mana_limit))
        out["me"] = self._player(me, "me", mine)
        out["enemy"] = self._player(enemy, "enemy", PlayerSource(0, me.crystals))
        self._fields(out, STATE, state, last_entered(me, enemy))
        _put(out, "finished", is_over(state), False)
        _put(out, "ruleset", ruleset_to_json(state.rules), STANDARD)
        if definitions := [card_to_dict(card) for card in self._names.values() if not self._in_catalogue(card)]:
            out["cards"] = definitions
        return out

    def _fields(self, out: JsonObject, entity: Entity, thing: object, source: object) -> None:
        """Add the fields that the description of the entity says."""
        for name, key, default, written, write in entity.writers:
            value = getattr(thing, name)
            if written not in self._always:
                usual = default.default(source, thing) if type(default) is Derived else default
                if value == usual:
                    continue
            out[key] = value if write is None else write(value)

    def _card(self, out: JsonObject, thing: _Thing) -> bool:
        """Add the card's name, and the whole card where the name and the numbers of the object do not determine it.

        Returns whether the name alone determines it.
        """
        card = _card_of(thing)
        known = self._names.get(card.name) or self._cards.find(card.name)
        out["name"] = card.name
        if card in (HIDDEN, known):
            return True
        if known is not None or not _is_unlisted(thing):
            out["card"] = card_to_dict(card)
            return False
        _put(out, "tribes", list(card.tribes), [])
        _put(out, "spell_damage", card.spell_damage, 0)
        return False

    def _player(self, player: Player, side: str, source: PlayerSource) -> JsonObject:
        hero: JsonObject = {}
        weapon_keywords = player.weapon.keywords if player.weapon else 0
        self._fields(hero, HERO, player.hero, HeroSource(self._rules.hero_health, weapon_keywords))
        out: JsonObject = {"hero": hero}
        if player.weapon is not None:
            weapon: JsonObject = {}
            out["weapon"] = weapon
            self._card(weapon, player.weapon)
            self._fields(weapon, WEAPON, player.weapon, player.weapon.card)
        if player.power is not None:
            power: JsonObject = {}
            by_name = self._card(power, player.power)
            if "card" not in power:
                power["cost"] = player.power.cost
            out["hero_power"] = player.power.name if by_name else power
        self._fields(out, PLAYER, player, source)
        out["board"] = [self._minion(minion, f"{side}.board.{index}") for index, minion in enumerate(player.board)]
        if player.hand or side == "me":
            out["hand"] = self._zone(player.hand, f"{side}.hand", in_hand=True)
        if player.deck:
            out["deck"] = self._zone(player.deck, f"{side}.deck", in_hand=False)
        return out

    def _minion(self, minion: Minion, default_id: str) -> JsonObject:
        out: JsonObject = {"id": minion.id} if self._full or minion.id != default_id else {}
        by_name = self._card(out, minion)
        # The defaults of a minion whose card is not written come from its own numbers.
        self._fields(out, MINION, minion, minion.card if by_name or "card" in out else BLANK_CARD)
        return out

    def _zone(self, cards: tuple[HandCard, ...], zone: str, in_hand: bool) -> list[Any] | int:
        if 0 < len(cards) <= MAX_HIDDEN_CARDS and cards == hidden_cards(zone, len(cards)):
            return len(cards)
        return [self._hand_card(card, f"{zone}.{index}", in_hand) for index, card in enumerate(cards)]

    def _hand_card(self, hand_card: HandCard, default_id: str, in_hand: bool) -> JsonObject | str:
        """Write a card of a hand, or of a deck: there only the name, unless something differs from the card."""
        card = hand_card.card
        full = self._full and in_hand
        out: JsonObject = {"id": hand_card.id} if full or hand_card.id != default_id else {}
        by_name = self._card(out, hand_card)
        changed: JsonObject = {}
        self._fields(changed, HAND_CARD, hand_card, card)
        as_printed = hand_card.cost == card.cost and hand_card.value == card.value and not changed
        if by_name and as_printed and (not in_hand or card == HIDDEN):
            return out if "id" in out else card.name
        out["cost"] = hand_card.cost
        if card.type == "weapon" and not by_name and "card" not in out:
            out["type"] = card.type
        if card.type in ("minion", "weapon"):
            out.update(attack=card.attack, health=card.health)
        out["keywords"] = names(card.keywords)
        if full or hand_card.value != (card.value if by_name or "card" in out else 1):
            out["value"] = hand_card.value
        out.update(changed)
        return out


# -- the cards that a reader substitutes for names that it does not know

_Thing = Minion | Weapon | HandCard | Card  # a card here is a hero power


def _things(state: GameState) -> Iterator[_Thing]:
    """Yield everything in the state that has a card."""
    for player in (state.me, state.enemy):
        yield from player.board
        yield from player.hand
        yield from player.deck
        yield from (thing for thing in (player.weapon, player.power) if thing is not None)


def _card_of(thing: _Thing) -> Card:
    return thing if isinstance(thing, Card) else thing.card


def _is_unlisted(thing: _Thing) -> bool:
    """Return whether a reader would make its card from its numbers, since no real card that fits has its name."""
    card = _card_of(thing)
    substitute, types = _substitute(thing, card)
    return card == substitute and ((real := real_card(card.name)) is None or real.type not in types)


def _substitute(thing: _Thing, card: Card) -> tuple[Card, tuple[str, ...]]:
    """Return the card that a reader would make from the numbers of the thing, and the types of cards that fit."""
    match thing:
        case Minion():
            return unlisted_card_of(thing, card.name, card.tribes, card.spell_damage), ("minion",)
        case Weapon(_, attack, durability, keywords):
            return unlisted_card(card.name, "weapon", 0, attack, durability, keywords, 1), ("weapon",)
        case HandCard(_, _, cost, value) if card.type in ("minion", "weapon"):
            numbers = cost, card.attack, card.health, card.keywords, value
            return unlisted_card(card.name, card.type, *numbers, card.tribes, card.spell_damage), HAND_CARD_TYPES
        case HandCard(_, _, cost, value):
            return unlisted_card(card.name, "hidden", cost, 0, 0, card.keywords, value), HAND_CARD_TYPES
        case Card():
            return unlisted_card(card.name, "hidden", card.cost, 0, 0, 0, 1), ("hero_power",)
