"""Read states from the JSON form: one pass over each object, driven by the tables of state_fields.py.

A field that is absent gets the default that a player would expect. Invalid input raises a PlannerError that names the
place and the value.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, TypeVar

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.values import as_list, as_mapping, integer, read_field, unknown_field
from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.card_format import CARD_FIELDS, parse_card
from planner.games.hearthstone.cards.catalogue import Catalogue, link_effects
from planner.games.hearthstone.cards.field_kinds import MAX_NUMBER
from planner.games.hearthstone.rules.effect_resolution import refresh_auras
from planner.games.hearthstone.rules.entities import ABSENT, BLANK_CARD, REQUIRED, Entity
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.ruleset import Ruleset, ruleset_from_json
from planner.games.hearthstone.rules.state import (
    ENEMY_HERO,
    MY_HERO,
    GameState,
    HandCard,
    Hero,
    Minion,
    Player,
    Weapon,
    hidden_cards,
    is_over,
    last_entered,
    new,
)
from planner.games.hearthstone.rules.state_fields import (
    HAND_CARD,
    HERO,
    HERO_POWER,
    MAX_HIDDEN_CARDS,
    MINION,
    PLAYER,
    STATE,
    WEAPON,
    HeroSource,
    PlayerSource,
)
from planner.games.hearthstone.rules.unlisted_cards import DEFAULT_NAMES, real_card, unlisted_card, unlisted_card_of

_Entry = Mapping[str, Any]
_Place = tuple[str, int]  # the zone and the index
_Thing = TypeVar("_Thing", Minion, HandCard)
_NAME_ONLY: Final[_Entry] = {}  # what is given of a minion whose place has only the name of its card
_MAX_CACHED_BYTES: Final = 1000  # of the description of a card
_GENERATED_ID: Final = re.compile(r"new\.([1-9][0-9]*)")  # the ids of what effects create


class _Draft:
    """An entity whose fields are being read: it has the attributes of the entity, some of them still ABSENT."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__ = values

    def given(self, name: str, default: Any) -> Any:
        """Return the value of a field, or the default if the object does not have the field."""
        value = self.__dict__[name]
        return default if value is ABSENT else value


# -- cards that a state describes


def _describe_card(entry: _Entry) -> Card:
    if not all(isinstance(key, str) for key in entry):
        raise PlannerError(f"{quote(entry)} has keys that are not strings")
    card = parse_card(entry, lambda _key, problem, _item=None: PlannerError(problem))
    if card.name == HIDDEN.name:
        raise PlannerError(f"the name {card.name!r} is reserved for hidden cards")
    return card


def _cached_card(entry: Any) -> Card | None:
    """Return a card that was described in the same way before: the states of a match repeat their descriptions."""
    try:
        described = marshal.dumps(entry, 2)  # distinguishes 1 from 1.0 and true, as the reader does
    except ValueError:  # not plain data
        return None
    return _card_without_effects(described) if len(described) <= _MAX_CACHED_BYTES else None


@lru_cache(maxsize=1024)
def _card_without_effects(described: bytes) -> Card | None:
    card = _describe_card(marshal.loads(described))
    return None if card.effects else card  # effects are linked with the cards of their own state


@lru_cache(maxsize=1000)
def _ids_of_hidden_cards(zone: str, count: int) -> dict[str, _Place | None]:
    """Return the ids of the hidden cards of a zone, each with its place."""
    return {card.id: (zone, index) for index, card in enumerate(hidden_cards(zone, count))}


# -- the reader


class StateReader:
    """Read one state. The parts of a state share its cards, its ruleset and the ids read so far."""

    def __init__(self, cards: Catalogue) -> None:
        self._cards = cards
        self._by_word = cards.by_word
        self._own_cards: dict[str, Card] = {}  # cards that the state defines; they go before the catalogue's
        self._all_cards: dict[str, Card] | None = None
        self._ids: dict[str, _Place | None] = {MY_HERO: None, ENEMY_HERO: None}  # the place of each id
        self._hidden_ids: list[dict[str, _Place | None]] = []  # the same for the hidden cards of each zone
        self._last_generated_id = 0  # the largest N of the ids `new.N`
        self._rules: Ruleset

    def state(self, value: object) -> GameState:
        """Read a whole state."""
        entry = as_mapping_at(value, "state")
        values = STATE.plain_reader(entry, None) if type(entry) is dict else None
        if values is None:
            values = STATE.values(self._fields(STATE, entry, "").__dict__)
        mana, me_entry, enemy_entry, turn, seat, clock, cause, finished, ruleset, cards = values
        self._rules = rules = ruleset_from_json(ruleset)
        if cards:
            self._define_cards(cards)
        mana = self._check_mana(mana, "mana")
        me = self._player(me_entry, "me", new(PlayerSource, (mana, min(mana, rules.mana_limit))), finished)
        enemy = self._player(enemy_entry, "enemy", new(PlayerSource, (0, me.crystals)), finished)
        # Minions that enter later must be younger than those on the boards.
        clock = max(0 if clock is ABSENT else clock, last_entered(me, enemy), self._last_generated_id)
        state = new(GameState, (me, enemy, rules, turn, seat, clock, cause))
        if finished != is_over(state):
            if finished:
                raise PlannerError("finished: true, but both heroes are alive and the turn limit is not reached")
            raise PlannerError(f"turn: {state.turn} is above the limit of {rules.turn_limit}, but finished is not true")
        for minion in me.board + enemy.board:
            if minion.card.effects and minion.card.aura:
                return self._under_auras(state, (me_entry, enemy_entry))
        return state

    # -- objects and their fields

    def _fields(self, entity: Entity, entry: _Entry, path: str) -> Any:
        """Validate every field of an object. Absent fields have their constant default, or are ABSENT."""
        values = entity.defaults.copy()
        readers = entity.readers
        for key, value in entry.items():
            reader = readers.get(key)
            if reader is None:
                in_card = key in CARD_FIELDS and "card" in readers
                problem = f"unknown field {quote(key)}; it belongs into 'card'" if in_card else ""
                raise PlannerError(f"{path or 'state'}: {problem or unknown_field(key, sorted(readers))}")
            name, read = reader
            try:
                values[name] = read(value)
            except PlannerError as error:
                raise PlannerError(f"{_join(path, key)}: {error}") from None
        for field in entity.fields:
            if field.default is REQUIRED and values[field.name] is ABSENT:
                raise PlannerError(f"{_join(path, field.key)}: is missing")
        return _Draft(values)

    def _fields_or_name(self, entity: Entity, value: object, path: str) -> Any:
        """Read an object, or the name or number of a card in its place."""
        if type(value) is dict:
            return self._fields(entity, value, path)
        if isinstance(value, str) or type(value) is int:
            return self._fields(entity, {"name": value}, path)
        return self._fields(entity, as_mapping_at(value, path), path)

    def _read_all(
        self, entries: Sequence[Any], entity: Entity, read: Callable[[Any, str, int], _Thing], zone: str
    ) -> tuple[_Thing, ...]:
        """Read the objects of a zone: those that are plain by the generated reader, all others by `read`."""
        if not entries:
            return ()
        plain_reader, find_card, ids = entity.plain_reader, self._find_card, self._ids
        things = []
        for index, entry in enumerate(entries):
            thing = plain_reader(entry, find_card, zone, index) if type(entry) is dict else None
            if thing is None:
                thing = read(entry, zone, index)
            else:
                name = thing.id
                if name in ids or self._hidden_ids or name[:4] == "new.":
                    self._register_id(name, zone, index)
                else:
                    ids[name] = zone, index
            things.append(thing)
        return tuple(things)

    @staticmethod
    def _fill_in(entity: Entity, draft: Any, source: object) -> None:
        """Compute the defaults of the fields that are still absent."""
        values = draft.__dict__
        for name, derived in entity.derived.items():
            if values[name] is ABSENT:
                values[name] = derived.default(source, draft)

    def _check_mana(self, mana: Any, path: str) -> int:
        if type(mana) is int and 0 <= mana <= self._rules.most_mana:
            return mana
        return read_field({path: mana}, path, lambda value: integer(value, 0, self._rules.most_mana))

    def _register_id(self, name: str, zone: str, index: int) -> None:
        """Remember the id of an object; every id must be unique."""
        for ids in (self._ids, *self._hidden_ids):
            if name not in ids:
                continue
            place = ids[name]
            used_by = "a hero" if place is None else f"{place[0]}[{place[1]}]"
            raise PlannerError(f"{zone}[{index}].id: duplicate id {quote(name)}, also used by {used_by}")
        if name[:4] == "new." and (generated := _GENERATED_ID.fullmatch(name)):
            digits = generated[1]
            if len(digits) > len(str(MAX_NUMBER)) or int(digits) > MAX_NUMBER:
                raise PlannerError(f"{zone}[{index}].id: ids of this form end at new.{MAX_NUMBER}, got {quote(name)}")
            self._last_generated_id = max(self._last_generated_id, int(digits))
        self._ids[name] = (zone, index)

    # -- cards

    def _define_cards(self, entries: Iterable[Any]) -> None:
        """Read the state's own cards. They are linked together at the end, since one may create another."""
        for index, entry in enumerate(entries):
            card = self._parse_card(entry, f"cards[{index}]")
            if card.name in self._own_cards:
                raise PlannerError(f"cards[{index}]: duplicate card {quote(card.name)}")
            self._own_cards[card.name] = card
        for index, card in enumerate(self._own_cards.values()):
            if card.effects:
                link_effects(card, self._known_cards(), f"cards[{index}]")

    def _parse_card(self, value: object, path: str) -> Card:
        entry = as_mapping_at(value, path)
        try:
            return _cached_card(entry) or _describe_card(entry)
        except PlannerError as error:
            raise PlannerError(f"{path}: {error}") from None

    def _known_cards(self) -> dict[str, Card]:
        if self._all_cards is None:  # merged only for states that describe cards, and for error messages
            self._all_cards = {**self._cards, **self._own_cards}
        return self._all_cards

    def _card(self, draft: Any, path: str, types: tuple[str, ...]) -> Card | None:
        """Return the card that an object names or describes; None if it has no name, or an unknown one."""
        card: Card | None
        name = draft.name
        if draft.card is not ABSENT:
            card = self._parse_card(draft.card, f"{path}.card")
            if card.effects:
                link_effects(card, self._known_cards(), f"{path}.card")
            if name is not ABSENT and name != card.name:
                raise PlannerError(f"{path}.name: {quote(name)} differs from its card {quote(card.name)}")
        elif name is ABSENT:
            return None
        else:
            card = self._find_card(name, types)
            if card is None:
                return None
        if card.type not in types:
            expected = " or ".join(kind for kind in types if kind != "hidden").replace("_", " ")
            actual = "hidden card" if card.type == "hidden" else card.type.replace("_", " ")
            raise PlannerError(f"{path}: {quote(card.name)} is a {actual}, not a {expected}")
        return card

    def _find_card(self, name: str, types: tuple[str, ...]) -> Card | None:
        """Return the card with this name: the state's own, the catalogue's, or one of these types of the real game."""
        card = self._own_cards.get(name) or self._by_word.get(name)
        if card is None:
            if name == HIDDEN.name:
                return HIDDEN
            card = real_card(name)
            if card is not None and card.type not in types:
                return None
        return card

    def _unknown_card(self, name: str, path: str, alternative: str) -> PlannerError:
        suggestion = did_you_mean(name, self._known_cards())
        return PlannerError(f"{path}.name: unknown card {quote(name)}{suggestion} (or give {alternative})")

    def _require(self, draft: Any, path: str, *keys: str) -> None:
        """Check that the numbers of an unlisted card are given."""
        absent = [key for key in keys if getattr(draft, key) is ABSENT]
        if len(absent) == len(keys) and draft.name is not ABSENT:
            raise self._unknown_card(draft.name, path, f"its {' and '.join(keys)}")
        if absent:
            raise PlannerError(f"{path}.{absent[0]}: is missing")

    # -- players

    def _player(self, value: object, side: str, source: PlayerSource, finished: bool) -> Player:
        entry = as_mapping_at(value, side)
        if side == "me" and "mana" in entry:
            raise PlannerError("me.mana: belongs at the top of the state, beside me and enemy")
        values = PLAYER.plain_reader(entry, source) if type(entry) is dict else None
        if values is None:
            draft = self._fields(PLAYER, entry, side)
            self._fill_in(PLAYER, draft, source)
            values = PLAYER.values(draft.__dict__)
        hero, board, hand, deck, mana, crystals, overload, locked, fatigue, weapon, power, power_used, played = values
        if mana is not source.mana:
            self._check_mana(mana, f"{side}.mana")
        rules = self._rules
        if weapon is not None:
            weapon = self._weapon(weapon, f"{side}.weapon")
        if power is not None:
            power = self._hero_power(power, f"{side}.hero_power")
        if len(board) > rules.board_limit:
            raise PlannerError(f"{side}.board: {len(board)} minions; the limit is {rules.board_limit}")
        hero = self._hero(hero, f"{side}.hero", weapon, finished)
        minions = self._read_all(board, MINION, self._minion, f"{side}.board")
        hand = self._zone(hand, f"{side}.hand", rules.largest_hand)
        deck = self._zone(deck, f"{side}.deck", MAX_NUMBER)
        numbers = mana, crystals, overload, locked, fatigue
        return new(Player, (hero, minions, hand, deck, *numbers, weapon, power, power_used, played))

    def _hero(self, value: object, path: str, weapon: Weapon | None, finished: bool) -> Hero:
        source = new(HeroSource, (self._rules.hero_health, weapon.keywords if weapon else 0))
        hero = HERO.plain_reader(value, source) if type(value) is dict else None
        if hero is None:
            draft = self._fields(HERO, as_mapping_at(value, path), path)
            self._fill_in(HERO, draft, source)
            hero = new(Hero, HERO.values(draft.__dict__))
        if not finished:
            _check_health(hero, path)
        _check_max_health(hero, path)
        return hero

    def _weapon(self, value: object, path: str) -> Weapon:
        draft = self._fields_or_name(WEAPON, value, path)
        card = self._card(draft, path, ("weapon",))
        if card is None:
            self._require(draft, path, "attack", "durability")
            name, keywords = draft.given("name", DEFAULT_NAMES["weapon"]), draft.given("keywords", 0)
            card = unlisted_card(name, "weapon", 0, draft.attack, draft.durability, keywords, 1)
        draft.card = card
        self._fill_in(WEAPON, draft, card)
        return new(Weapon, WEAPON.values(draft.__dict__))

    def _hero_power(self, value: object, path: str) -> Card:
        draft = self._fields_or_name(HERO_POWER, value, path)
        card = self._card(draft, path, ("hero_power",))
        if card is not None:
            return _with_given(card, draft, "cost")
        if draft.name is ABSENT:
            raise PlannerError(f"{path}.name: is missing")
        if draft.cost is ABSENT:
            raise self._unknown_card(draft.name, path, "its cost")
        return unlisted_card(draft.name, "hidden", draft.cost, 0, 0, 0, 1)

    def _minion(self, value: object, board: str, index: int) -> Minion:
        """Read a minion. What differs from its card has happened to it."""
        path = f"{board}[{index}]"
        draft = self._fields_or_name(MINION, value, path)
        card = self._card(draft, path, ("minion",))
        if card is None:
            self._require(draft, path, "attack", "health")
            self._fill_in(MINION, draft, BLANK_CARD)
        else:
            card = _with_given(card, draft, "tribes", "spell_damage")
            self._fill_in(MINION, draft, card)
        _check_max_health(draft, path)
        if draft.id is ABSENT:
            draft.id = f"{board}.{index}"
        self._register_id(draft.id, board, index)
        if card is None:
            name = draft.given("name", DEFAULT_NAMES["minion"])
            card = unlisted_card_of(draft, name, draft.given("tribes", ()), draft.given("spell_damage", 0))
        draft.card = card
        return new(Minion, MINION.values(draft.__dict__))

    def _under_auras(self, state: GameState, entries: tuple[_Entry, _Entry]) -> GameState:
        """Add what auras give to the numbers that are as printed; numbers that a caller gives include it already."""
        refreshed = MutableState(state, None)
        refresh_auras(refreshed)
        me, enemy = (
            player._replace(board=tuple(map(self._under_aura, player.board, side.board, entry.get("board", ()))))
            for player, side, entry in zip((state.me, state.enemy), refreshed.sides, entries, strict=True)
        )
        return state._replace(me=me, enemy=enemy)

    def _under_aura(self, before: Minion, after: Minion, entry: object) -> Minion:
        given = entry if isinstance(entry, Mapping) else _NAME_ONLY
        if "aura_attack" in given or "aura_health" in given:
            return before
        listed = "name" in given and self._find_card(before.card.name, MINION.made_from.types) is not None
        if not (listed or "card" in given or given is _NAME_ONLY):
            # The card is not known: all numbers are given, or derived from given ones.
            minion = before._replace(aura_attack=after.aura_attack, aura_health=after.aura_health)
            card = minion.card
            return minion._replace(card=unlisted_card_of(minion, card.name, card.tribes, card.spell_damage))
        if "attack" in given:
            after = after._replace(attack=before.attack)
        if "health" in given:
            after = after._replace(health=before.health)
        if "max_health" in given:
            after = after._replace(max_health=before.max_health)
        elif "health" in given:
            after = after._replace(max_health=max(before.health, after.card.health + after.aura_health))
        return after

    # -- hands and decks

    def _zone(self, value: object, zone: str, limit: int) -> tuple[HandCard, ...]:
        """Read a hand or a deck: a list of cards, or the number of hidden cards."""
        if type(value) is int:
            limit = min(limit, MAX_HIDDEN_CARDS)
            if not 0 <= value <= limit:
                raise PlannerError(f"{zone}: must be between 0 and {limit}, got {value}")
            ids = _ids_of_hidden_cards(zone, value)
            if ids.keys().isdisjoint(self._ids.keys()):
                self._hidden_ids.append(ids)
                return hidden_cards(zone, value)
            value = [HIDDEN.name] * value
        if value == ():  # absent
            return ()
        if type(value) is not list:
            value = read_field({zone: value}, zone, as_list)
        if len(value) > limit:
            raise PlannerError(f"{zone}: {len(value)} cards; the limit is {limit}")
        return self._read_all(value, HAND_CARD, self._hand_card, zone)

    def _hand_card(self, value: object, zone: str, index: int) -> HandCard:
        path = f"{zone}[{index}]"
        draft = self._fields_or_name(HAND_CARD, value, path)
        card = self._card(draft, path, HAND_CARD.made_from.types)
        if draft.id is ABSENT:
            draft.id = f"{zone}.{index}"
        self._register_id(draft.id, zone, index)
        if card is None:
            card = self._unlisted_hand_card(draft, path)
        else:
            if draft.type not in (ABSENT, card.type):
                raise PlannerError(f"{path}.type: {draft.type!r}, but {quote(card.name)} is a {card.type}")
            with_numbers = _with_given(card, draft, "attack", "health", "keywords")
            if card.type in ("minion", "weapon"):
                _check_health(with_numbers, path)
            elif with_numbers.attack or with_numbers.health or (card.type == "hidden" and with_numbers != card):
                key = "attack" if with_numbers.attack else "health" if with_numbers.health else "keywords"
                raise PlannerError(f"{path}.{key}: a {card.type} card has no {key}")
            card = _with_given(with_numbers, draft, "tribes", "spell_damage")
        draft.card = card
        self._fill_in(HAND_CARD, draft, card)
        return new(HandCard, HAND_CARD.values(draft.__dict__))

    def _unlisted_hand_card(self, draft: Any, path: str) -> Card:
        """Return the card of an unknown name: a minion or weapon with its numbers, or a spell that cannot be played."""
        kind = draft.type
        without_stats = draft.name is not ABSENT and draft.attack is ABSENT and draft.health is ABSENT
        if kind == "spell" or (without_stats and kind is ABSENT):
            if draft.cost is ABSENT:
                if draft.name is ABSENT:
                    raise PlannerError(f"{path}.cost: is missing")
                raise self._unknown_card(draft.name, path, "its cost, and for a minion attack and health")
            for key in ("attack", "health", "spell_damage"):
                if getattr(draft, key) not in (ABSENT, 0):
                    raise PlannerError(f"{path}.{key}: a spell has no {key}, got {getattr(draft, key)}")
            name, keywords = draft.given("name", DEFAULT_NAMES["spell"]), draft.given("keywords", 0)
            return unlisted_card(name, "hidden", draft.cost, 0, 0, keywords, draft.given("value", 1))
        kind = draft.given("type", "minion")
        self._require(draft, path, "cost", "attack", "health")
        _check_health(draft, path)
        printed = draft.cost, draft.attack, draft.health, draft.given("keywords", 0), draft.given("value", 1)
        others = draft.given("tribes", ()), draft.given("spell_damage", 0)
        return unlisted_card(draft.given("name", DEFAULT_NAMES[kind]), kind, *printed, *others)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key  # the fields of the state itself


def as_mapping_at(value: object, path: str) -> _Entry:
    """Return a JSON object, or raise an error with its place."""
    if type(value) is dict:  # much faster than a check for any mapping
        return value
    return read_field({path: value}, path, as_mapping)


def _check_health(thing: Any, path: str) -> None:
    if thing.health < 1:
        raise PlannerError(f"{path}.health: must be at least 1, got {thing.health}")


def _check_max_health(draft: Any, path: str) -> None:
    if draft.max_health < draft.health:
        raise PlannerError(f"{path}.max_health: must be at least the health of {draft.health}, got {draft.max_health}")


def _with_given(card: Card, draft: _Draft, *names: str) -> Card:
    """Return the card with those of its fields that were given."""
    changes = {
        name: value for name in names if (value := draft.given(name, ABSENT)) not in (ABSENT, getattr(card, name))
    }
    return replace(card, **changes) if changes else card
