"""Players and cards in the JSON form. Whatever is a default when read is left out, or written for the reader's sake."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.effects import EFFECTS, Effect
from planner.games.hearthstone.cards.keywords import attacks_per_turn, names
from planner.games.hearthstone.rules.codec_fields import HELD, MOST_HIDDEN, printed_on, real_card
from planner.games.hearthstone.rules.codec_read import body
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player, Weapon

Out = dict[str, Any]
Types = tuple[str, ...]
_MINIONS: Final = ("minion",)  # the types of cards that fit a place
_WEAPONS: Final = ("weapon",)
_POWERS: Final = ("hero_power",)
_PLAIN_EFFECT: Final = Effect("")
_PLAIN_CARD: Final = Card("")


def card_to_dict(card: Card) -> Out:
    """The card in the words of a card file."""
    out: Out = {"name": card.name}
    for key in ("type", "cost", "attack", "health"):
        _put(out, key, getattr(card, key), getattr(_PLAIN_CARD, key))
    if card.keywords:
        out["keywords"] = names(card.keywords)
    if card.effects:
        out["effects"] = [_effect_to_dict(effect) for effect in card.effects]
    _put(out, "class", card.card_class, "neutral")
    _put(out, "tribes", list(card.tribes), [])
    for key in ("overload", "spell_damage", "value", "id", "text", "token", "unread"):
        _put(out, key, getattr(card, key), getattr(_PLAIN_CARD, key))
    return out


def _effect_to_dict(effect: Effect) -> Out:
    needs, may = EFFECTS[effect.do]
    out: Out = {"do": effect.do}
    for key in ("on", *needs, *may, "combo", "given", "times"):
        value = getattr(effect, key)
        if key in needs or value != getattr(_PLAIN_EFFECT, key):
            out[key] = _effect_value(key, value)
    return out


def _effect_value(key: str, value: Any) -> Any:
    if key == "to":
        return str(value)
    if key == "keywords":
        return names(value)
    if key == "card":
        return value[0] if len(value) == 1 else list(value)
    return value


def _put(out: Out, key: str, value: Any, default: Any) -> None:
    if value != default:
        out[key] = value


class Writer:
    """Writes the parts of one state. A card is written by name where the name is enough to read it back."""

    def __init__(self, state: GameState, cards: Catalogue, full: bool) -> None:
        self._cards = cards
        self._rules = state.rules
        self._full = full
        self._auras = any(minion.card.aura for minion in state.me.board + state.enemy.board)
        self._own: dict[str, Card] = {}  # which card a name stands for, where the state decides it
        placed = list(_placed(state))
        odd = [one[0] for one in placed if not (self._in_catalogue(one[0]) or _is_made_up(*one))]
        if not odd:
            return
        # A name can stand for one card only. First come those that effects make, since an effect has but a name;
        # then the catalogue's, so that a variant does not push out the original; the rest is written in place.
        for card in odd:
            self._claim_made(card)
        for card, _, _ in placed:
            if self._in_catalogue(card):
                self._own.setdefault(card.name, card)
        for card in odd:
            self._own.setdefault(card.name, card)

    def _claim_made(self, card: Card) -> None:
        for effect in card.effects:
            for made in effect.made:
                if made.name not in self._own:
                    self._own[made.name] = made
                    if not self._in_catalogue(made):
                        self._claim_made(made)

    def _in_catalogue(self, card: Card) -> bool:
        return card == HIDDEN or (card.name in self._cards and self._cards[card.name] == card)

    def definitions(self) -> list[Out]:
        """The state's own cards."""
        return [card_to_dict(card) for card in self._own.values() if not self._in_catalogue(card)]

    def _card(self, out: Out, card: Card, made_up: Card, types: Types) -> bool:
        """The card's name, and the whole card where that and the entry's numbers do not say it all.

        Returns whether the name alone says it all.
        """
        known = self._own.get(card.name) or self._cards.find(card.name)
        out["name"] = card.name
        enough = card in (HIDDEN, known)
        if enough:
            return True
        if known is not None or not _is_made_up(card, made_up, types):
            out["card"] = card_to_dict(card)
            return False
        _put(out, "tribes", list(card.tribes), [])
        _put(out, "spell_damage", card.spell_damage, 0)
        return False

    def player(self, player: Player, side: str, crystals: int) -> Out:
        """One player; `crystals` is the default."""
        out: Out = {"hero": self._hero(player.hero, player.weapon)}
        if side == "enemy":
            _put(out, "mana", player.mana, 0)
        if player.weapon is not None:
            out["weapon"] = self._weapon(player.weapon)
        if player.power is not None:
            power: Out = {}
            enough = self._card(power, player.power, _made_up_power(player.power), _POWERS)
            if "card" not in power:
                power["cost"] = player.power.cost
            out["hero_power"] = player.power.name if enough else power
        _put(out, "hero_power_used", player.power_used, False)
        out["board"] = [self._minion(minion, f"{side}.board.{n}") for n, minion in enumerate(player.board)]
        for key, cards in (("hand", player.hand), ("deck", player.deck)):
            if cards or (key == "hand" and side == "me"):
                out[key] = self._zone(cards, f"{side}.{key}", whole=key == "hand")
        _put(out, "crystals", player.crystals, crystals)
        for key in ("overload", "locked", "fatigue", "cards_played"):
            _put(out, key, getattr(player, key), 0)
        return out

    def _hero(self, hero: Hero, weapon: Weapon | None) -> Out:
        out: Out = {"health": hero.health}
        if self._full or hero.armor:
            out["armor"] = hero.armor
        _put(out, "max_health", hero.max_health, max(self._rules.hero_health, hero.health))
        if hero.keywords:
            out["keywords"] = names(hero.keywords)
        _put(out, "attack_this_turn", hero.attack_this_turn, 0)
        if hero.keywords_this_turn:
            out["keywords_this_turn"] = names(hero.keywords_this_turn)
        swings = attacks_per_turn(hero.keywords | (weapon.keywords if weapon else 0))
        _put(out, "attacks_left", hero.attacks_left, swings)
        _put(out, "class", hero.hero_class, "neutral")
        return out

    def _weapon(self, weapon: Weapon) -> Out:
        out: Out = {}
        self._card(out, weapon.card, _made_up_weapon(weapon), _WEAPONS)
        out.update(attack=weapon.attack, durability=weapon.durability, keywords=names(weapon.keywords))
        return out

    def _minion(self, minion: Minion, default_id: str) -> Out:
        out: Out = {"id": minion.id} if self._full or minion.id != default_id else {}
        known = self._card(out, minion.card, _made_up_minion(minion), _MINIONS)
        out["attack"], out["health"] = minion.attack, minion.health
        printed = minion.card.health if known or "card" in out else 0  # on a card that is made up: what is said here
        _put(out, "max_health", minion.max_health, max(printed, minion.health))
        out["keywords"] = names(minion.keywords)
        if self._full or minion.attacks_left != attacks_per_turn(minion.keywords):
            out["attacks_left"] = minion.attacks_left
        _put(out, "summoned_this_turn", minion.fresh, False)
        for key in ("entered", "silenced", "attack_this_turn"):
            _put(out, key, getattr(minion, key), 0)
        for key in ("aura_attack", "aura_health"):  # under an aura the default is what it gives
            _put(out, key, getattr(minion, key), None if self._auras else 0)
        if minion.keywords_this_turn:
            out["keywords_this_turn"] = names(minion.keywords_this_turn)
        return out

    def _zone(self, cards: tuple[HandCard, ...], place: str, whole: bool) -> list[Any] | int:
        hidden = tuple(HandCard(f"{place}.{n}", HIDDEN, 0) for n in range(len(cards)))
        if cards and cards == hidden and len(cards) <= MOST_HIDDEN:
            return len(cards)
        return [self._held(held, f"{place}.{n}", whole) for n, held in enumerate(cards)]

    def _held(self, held: HandCard, default_id: str, whole: bool) -> Out | str:
        """A card in a hand, or in a deck: there, more than the name only where something differs from the card."""
        card = held.card
        out: Out = {"id": held.id} if (self._full and whole) or held.id != default_id else {}
        known = self._card(out, card, _made_up_held(held), HELD)
        if known and held[2:] == (card.cost, card.value, False) and (not whole or card == HIDDEN):
            return out if "id" in out else card.name
        out["cost"] = held.cost
        if card.type == "weapon" and not known and "card" not in out:
            out["type"] = card.type
        if card.type in ("minion", "weapon"):
            out.update(attack=card.attack, health=card.health)
        out["keywords"] = names(card.keywords)
        if (self._full and whole) or held.value != (card.value if known or "card" in out else 1):
            out["value"] = held.value
        _put(out, "echo", held.echo, False)
        return out


def _is_made_up(card: Card, made_up: Card, types: Types) -> bool:
    """Would a reader make up this card? Not where the name is a real card's of these types, which it would take."""
    return card == made_up and ((real := real_card(card.name)) is None or real.type not in types)


def _made_up_minion(minion: Minion) -> Card:
    """The card that a reader makes up for this minion, if its name is unknown."""
    card = minion.card
    return body(card.name, "minion", 0, *printed_on(minion), 1, card.tribes, card.spell_damage)


def _made_up_weapon(weapon: Weapon) -> Card:
    return body(weapon.card.name, "weapon", 0, weapon.attack, weapon.durability, weapon.keywords, 1)


def _made_up_held(held: HandCard) -> Card:
    card = held.card
    if card.type not in ("minion", "weapon"):
        return body(card.name, "hidden", held.cost, 0, 0, card.keywords, held.value)
    printed = card.attack, card.health, card.keywords
    return body(card.name, card.type, held.cost, *printed, held.value, card.tribes, card.spell_damage)


def _made_up_power(power: Card) -> Card:
    return body(power.name, "hidden", power.cost, 0, 0, 0, 1)


def _placed(state: GameState) -> Iterator[tuple[Card, Card, Types]]:
    """Every card of the state, with the card that a reader would make up in its place and the types that fit there."""
    for player in (state.me, state.enemy):
        for minion in player.board:
            yield minion.card, _made_up_minion(minion), _MINIONS
        for held in (*player.hand, *player.deck):
            yield held.card, _made_up_held(held), HELD
        if player.weapon is not None:
            yield player.weapon.card, _made_up_weapon(player.weapon), _WEAPONS
        if player.power is not None:
            yield player.power, _made_up_power(player.power), _POWERS
