"""Players and cards from the JSON form. What is not said has the default that a player would expect."""

from __future__ import annotations

import marshal
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.values import join_path, missing_field, one_of, read_field
from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.catalogue import LARGEST, Catalogue, link, parse_card, tribes
from planner.games.hearthstone.cards.effects import MOST_THINGS
from planner.games.hearthstone.cards.keywords import attacks_per_turn
from planner.games.hearthstone.rules.codec_fields import (
    ENEMY_FIELDS,
    HELD,
    HELD_FIELDS,
    HERO_FIELDS,
    MINION_FIELDS,
    MOST_ATTACKS,
    MOST_HIDDEN,
    MY_FIELDS,
    POWER_FIELDS,
    UNNAMED,
    WEAPON_FIELDS,
    Entry,
    alive,
    any_id,
    check_fields,
    check_list,
    check_object,
    flag,
    hero_class,
    keyword_bits,
    made_before,
    number,
    real_card,
    signed,
    without_card,
    worth,
)
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import (
    ENEMY_HERO,
    MY_HERO,
    HandCard,
    Hero,
    Minion,
    Player,
    Weapon,
    face_down,
)

_LONGEST_KEPT: Final = 1000  # bytes of a description
_UNHEARD: Final = "a card that is not known"


class Reader:
    """What the parts of a state share: the cards that names stand for, the rules, and the ids seen so far."""

    __slots__ = ("_all", "cards", "clock", "finished", "ids", "made_up_minions", "minions", "own", "rules")

    def __init__(self, cards: Catalogue, rules: Ruleset, finished: bool) -> None:
        self.cards = cards
        self.rules = rules
        self.finished = finished
        self.own: dict[str, Card] = {}  # the state's own cards go before the catalogue's
        self.ids: dict[str, str] = {}
        self.clock = 0  # the latest of the ids `new.N`
        self.minions: dict[str, Entry] = {}  # what the caller said of each minion
        self.made_up_minions: set[str] = set()  # those without a known card
        self._all: dict[str, Card] | None = None

    # -- cards

    def define(self, entries: list[Any] | tuple[Any, ...]) -> None:
        """The state's own cards. They are linked when all are there, since one may make another."""
        for place, entry in enumerate(entries):
            card = self._parse(entry, f"cards[{place}]")
            if card.name in self.own:
                raise PlannerError(f"cards[{place}]: {quote(card.name)} stands here twice")
            self.own[card.name] = card
        for place, card in enumerate(self.own.values()):
            if card.effects:
                link(card, self._found(), f"cards[{place}]")

    def _parse(self, entry: object, place: str) -> Card:
        given = check_object(entry, place)
        try:
            return _known_card(given) or _new_card(given)
        except PlannerError as error:
            raise PlannerError(f"{place}: {error}") from None

    def _found(self) -> dict[str, Card]:
        if self._all is None:  # put together only for states that describe cards
            self._all = {**self.cards, **self.own}
        return self._all

    def card(self, entry: Entry, place: str, types: tuple[str, ...]) -> Card | None:
        """The card that an entry names or describes; None: it has a name that nobody knows, or none."""
        card: Card | None
        if "card" in entry:
            card = self._parse(entry["card"], f"{place}.card")
            if card.effects:
                link(card, self._found(), f"{place}.card")
            if entry.get("name", card.name) != card.name:
                raise PlannerError(f"{place}.name: {quote(entry['name'])}, but its card is {quote(card.name)}")
        elif "name" in entry:
            name = any_id(entry, "name", place)
            card = HIDDEN if name == HIDDEN.name else self.own.get(name) or self.cards.find(name)
            if card is None and (known := real_card(name)) is not None and known.type in types:
                card = known
        else:
            return None
        if card is not None and card.type not in types:
            wanted = " or ".join(kind for kind in types if kind != "hidden").replace("_", " ")
            raise PlannerError(f"{place}: {quote(card.name)} is a {card.type.replace('_', ' ')}, not a {wanted}")
        return card

    def not_a_card(self, entry: Entry, place: str, needs: str) -> PlannerError:
        """The refusal of a name that nobody knows, and what would be enough all the same."""
        name = any_id(entry, "name", place)
        return PlannerError(
            f"{place}.name: {quote(name)} is not a card{did_you_mean(name, self._found())} (or give {needs})"
        )

    def made_up(self, entry: Entry, place: str, kind: str, *needed: str) -> Card:
        """A card that only this state knows, from the numbers that it needs; its body's is the last of them."""
        absent = [key for key in needed if key not in entry]
        if len(absent) == len(needed) and "name" in entry:
            raise self.not_a_card(entry, place, f"its {' and '.join(needed)}")
        if absent:
            raise missing_field(absent[0], place)
        health = alive(entry, needed[-1], None, place)
        return body(
            self.called(entry, kind, place),
            kind,
            number(entry, "cost", 0, place),
            number(entry, "attack", None, place),
            number(entry, "max_health", health, place, 1),
            keyword_bits(entry, "keywords", 0, place),
            worth(entry, 1, place),
            read_field(entry, "tribes", tribes, place) if "tribes" in entry else (),
            number(entry, "spell_damage", 0, place, most=MOST_THINGS),
        )

    def called(self, entry: Entry, kind: str, place: str) -> str:
        """The name of a card that only this state knows."""
        return any_id(entry, "name", place) if "name" in entry else UNNAMED[kind]

    def unknown_text(self, entry: Entry, place: str, kind: str) -> Card:
        """A spell or a hero power that nobody knows: it is there, and no plan uses it."""
        for key in ("attack", "health", "spell_damage"):
            if number(entry, key, 0, place):
                raise PlannerError(f"{place}.{key}: {quote(entry[key])}, but a {kind} has no {key}")
        cost, kept = number(entry, "cost", None, place), keyword_bits(entry, "keywords", 0, place)
        return body(self.called(entry, kind, place), "hidden", cost, 0, 0, kept, worth(entry, 1, place))

    def variant(self, card: Card, entry: Entry, place: str) -> Card:
        """The card with the tribes and the spell damage that the entry gives it."""
        kinds = read_field(entry, "tribes", tribes, place) if "tribes" in entry else card.tribes
        more = number(entry, "spell_damage", card.spell_damage, place, most=MOST_THINGS)
        same = kinds == card.tribes and more == card.spell_damage
        return card if same else replace(card, tribes=kinds, spell_damage=more)

    def identify(self, entry: Entry, place: str, default: str) -> str:
        """The entry's id, which nothing else may have."""
        name = any_id(entry, "id", place) if "id" in entry else default
        if name in self.ids or name in (MY_HERO, ENEMY_HERO):
            owner = self.ids.get(name, "a hero")
            raise PlannerError(f"{place}.id: {quote(name)} is also the id of {owner}")
        if name.startswith("new."):
            self.clock = max(self.clock, made_before(name, place))
        self.ids[name] = place
        return name

    # -- players

    def player(self, state: Entry, side: str, mana: int, crystals: int) -> Player:
        """One player; `mana` and `crystals` are the defaults."""
        if side not in state:
            raise missing_field(side)
        entry = check_object(state[side], side)
        if side == "me" and "mana" in entry:
            raise PlannerError("me.mana: stands at the top of the state, beside me and enemy")
        check_fields(entry, MY_FIELDS if side == "me" else ENEMY_FIELDS, side)
        rules = self.rules
        weapon = self.weapon(entry["weapon"], f"{side}.weapon") if entry.get("weapon") is not None else None
        power = self.power(entry["hero_power"], f"{side}.hero_power") if entry.get("hero_power") is not None else None
        board = check_list(entry, "board", side)
        if len(board) > rules.board_limit:
            raise PlannerError(f"{side}.board: {len(board)} minions, the board holds {rules.board_limit}")
        most = max(rules.hand_limit, *rules.starting_hand)
        return Player(
            self.hero(entry, side, weapon),
            tuple([self.minion(one, f"{side}.board[{n}]", f"{side}.board.{n}") for n, one in enumerate(board)]),
            self.zone(entry, side, "hand", most),
            self.zone(entry, side, "deck", LARGEST),
            number(entry, "mana", mana, side, most=max(rules.mana_limit, rules.mana_start)),
            number(entry, "crystals", crystals, side),
            number(entry, "overload", 0, side),
            number(entry, "locked", 0, side),
            number(entry, "fatigue", 0, side),
            weapon,
            power,
            flag(entry, "hero_power_used", side),
            number(entry, "cards_played", 0, side),
        )

    def hero(self, player: Entry, side: str, weapon: Weapon | None) -> Hero:
        """A player's hero."""
        if "hero" not in player:
            raise missing_field("hero", side)
        place = f"{side}.hero"
        entry = check_object(player["hero"], place)
        check_fields(entry, HERO_FIELDS, place)
        if self.finished:
            health = number(entry, "health", None, place, -LARGEST)
        else:
            health = alive(entry, "health", None, place)
        # An effect that takes health from a hero takes it from the most as well.
        most = number(entry, "max_health", max(self.rules.hero_health, health), place, -LARGEST)
        if most < health:
            raise PlannerError(f"{place}.max_health: {most} is below the health of {health}")
        kept = keyword_bits(entry, "keywords", 0, place)
        swings = attacks_per_turn(kept | (weapon.keywords if weapon else 0))
        return Hero(
            health,
            most,
            number(entry, "armor", 0, place),
            kept,
            signed(entry, "attack_this_turn", place),
            number(entry, "attacks_left", swings, place, most=MOST_ATTACKS),
            hero_class(entry, place),
            keyword_bits(entry, "keywords_this_turn", 0, place),
        )

    def weapon(self, given: object, place: str) -> Weapon:
        """A weapon by name, or with its numbers."""
        entry = _named(given, WEAPON_FIELDS, place)
        card = self.card(entry, place, ("weapon",)) or self.made_up(entry, place, "weapon", "attack", "durability")
        return Weapon(
            card,
            number(entry, "attack", card.attack, place),
            alive(entry, "durability", card.health, place),
            keyword_bits(entry, "keywords", card.keywords, place),
        )

    def power(self, given: object, place: str) -> Card:
        """A hero power by name, with its own cost if it has one."""
        entry = _named(given, POWER_FIELDS, place)
        card = self.card(entry, place, ("hero_power",))
        if card is None:
            if "name" not in entry:
                raise missing_field("name", place)
            if "cost" not in entry:
                raise self.not_a_card(entry, place, "its cost")
            return self.unknown_text(entry, place, "hero_power")
        cost = number(entry, "cost", card.cost, place)
        return card if cost == card.cost else replace(card, cost=cost)

    def minion(self, given: object, place: str, default_id: str) -> Minion:
        """A minion by name, or with its numbers; what differs from its card has happened to it."""
        entry = _named(given, MINION_FIELDS, place)
        known = self.card(entry, place, ("minion",))
        if known is None:
            card = self.made_up(entry, place, "minion", "attack", "health")
        else:
            card = self.variant(known, entry, place)
        health = alive(entry, "health", card.health, place)
        most = number(entry, "max_health", max(card.health, health), place, 1)
        if most < health:
            raise PlannerError(f"{place}.max_health: {most} is below the health of {health}")
        silenced = flag(entry, "silenced", place)
        kept = keyword_bits(entry, "keywords", 0 if silenced else card.keywords, place)
        name = self.identify(entry, place, default_id)
        self.minions[name] = entry
        minion = Minion(
            name,
            card,
            number(entry, "attack", card.attack, place),
            health,
            most,
            kept,
            number(entry, "attacks_left", attacks_per_turn(kept), place, most=MOST_ATTACKS),
            flag(entry, "summoned_this_turn", place),
            number(entry, "entered", 0, place),
            silenced,
            signed(entry, "attack_this_turn", place),
            keyword_bits(entry, "keywords_this_turn", 0, place),
            signed(entry, "aura_attack", place),
            signed(entry, "aura_health", place),
        )
        if known is not None:
            return minion
        self.made_up_minions.add(name)
        return without_card(minion)

    # -- cards in a hand or a deck

    def zone(self, player: Entry, side: str, key: str, most: int) -> tuple[HandCard, ...]:
        """A hand or a deck: a list of cards, or how many cards nobody has seen."""
        if key not in player:
            return ()
        given = player[key]
        if type(given) is int:
            number(player, key, None, side, most=min(most, MOST_HIDDEN))
            if self.ids.keys().isdisjoint(places := _places(side, key, given)):
                self.ids.update(places)
                return face_down(f"{side}.{key}", given)
            given = [HIDDEN.name] * given
        given = check_list({key: given}, key, side)
        if len(given) > most:
            raise PlannerError(f"{side}.{key}: {len(given)} cards, the {key} holds {most}")
        return tuple([self.held(one, f"{side}.{key}[{n}]", f"{side}.{key}.{n}") for n, one in enumerate(given)])

    def held(self, given: object, place: str, default_id: str) -> HandCard:
        """A card by name, or a minion with its numbers; numbers other than the printed make it a card of its own."""
        entry = _named(given, HELD_FIELDS, place)
        card = self.card(entry, place, (*HELD, "hidden"))
        name = self.identify(entry, place, default_id)
        kind = read_field(entry, "type", lambda given: one_of(given, HELD), place) if "type" in entry else ""
        if card is None:
            card = self.unknown_held(entry, place, kind)
        elif len(entry) > 1:
            if kind and kind != card.type:
                raise PlannerError(f"{place}.type: {quote(kind)}, but {quote(card.name)} is a {card.type}")
            card = self.variant(self.printed(entry, place, card), entry, place)
        cost = number(entry, "cost", card.cost, place)
        return HandCard(name, card, cost, worth(entry, card.value, place), flag(entry, "echo", place))

    def unknown_held(self, entry: Entry, place: str, kind: str) -> Card:
        """A card that nobody knows: a body with its numbers, or where it has none, something that stays in the hand."""
        bodiless = "name" in entry and "attack" not in entry and "health" not in entry
        if kind == "spell" or (bodiless and not kind):
            if "cost" not in entry and "name" in entry:
                raise self.not_a_card(entry, place, "its cost, of a minion also attack and health")
            return self.unknown_text(entry, place, "spell")
        return self.made_up(entry, place, kind or "minion", "cost", "attack", "health")

    def printed(self, entry: Entry, place: str, card: Card) -> Card:
        """The card with the attack, health and keywords that the entry gives it."""
        kept = keyword_bits(entry, "keywords", card.keywords, place)
        attack = number(entry, "attack", card.attack, place)
        has_body = card.type in ("minion", "weapon")
        health = alive(entry, "health", card.health, place) if has_body else number(entry, "health", 0, place)
        if attack == card.attack and health == card.health and kept == card.keywords:
            return card
        if not has_body and (attack or health or card.type == "hidden"):
            key = "attack" if attack else "health" if health else "keywords"
            raise PlannerError(f"{join_path(place, key)}: {quote(entry[key])}, but a {card.type} card has no {key}")
        return replace(card, attack=attack, health=health, keywords=kept)


def _new_card(given: Entry) -> Card:
    if not all(isinstance(key, str) for key in given):
        raise PlannerError(f"{quote(given)} has fields that are not text")
    card = parse_card(given, lambda _, why: PlannerError(why))
    if card.name == HIDDEN.name:
        raise PlannerError(f"the name {card.name!r} stands for a card that nobody can see")
    return card


def _known_card(given: Any) -> Card | None:
    """A card that was described like this before: the states of a match describe the same ones again and again."""
    try:
        described = marshal.dumps(given, 2)  # tells 1 from 1.0 and true, as a reader does
    except ValueError:  # not plain data
        return None
    return _described_card(described) if len(described) <= _LONGEST_KEPT else None


@lru_cache(maxsize=1024)
def _described_card(described: bytes) -> Card | None:
    card = _new_card(marshal.loads(described))
    return None if card.effects else card  # effects are linked with the cards of their own state


@lru_cache(maxsize=1000)
def _places(side: str, key: str, count: int) -> dict[str, str]:
    """The ids of so many cards that nobody can see, and where they are."""
    return {held.id: f"{side}.{key}[{n}]" for n, held in enumerate(face_down(f"{side}.{key}", count))}


@lru_cache(maxsize=4096, typed=True)  # one card for equal bodies: what is worked out about it is worked out once
def body(
    name: str,
    kind: str,
    cost: int,
    attack: int,
    health: int,
    keywords: int,
    value: int | float,
    kinds: tuple[str, ...] = (),
    spell_damage: int = 0,
) -> Card:
    """The card of which only the numbers are known; where it has a name, there may be a text that nobody knows."""
    unread = "" if name == UNNAMED.get(kind) else _UNHEARD
    return Card(
        name, kind, cost, attack, health, keywords,
        value=value, tribes=kinds, spell_damage=spell_damage, unread=unread,
    )  # fmt: skip


def _named(given: object, known: frozenset[str], place: str) -> Entry:
    """An entry, or just the name of a card, or its number."""
    if isinstance(given, str) or type(given) is int:
        return {"name": given}
    entry = check_object(given, place)
    check_fields(entry, known, place)
    return entry
