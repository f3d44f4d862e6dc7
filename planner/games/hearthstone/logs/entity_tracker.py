"""Apply the packets of a match to its entities, and record the turns of the player whose log it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError
from planner.games.hearthstone.logs.power_log import LoggedMatch
from planner.games.hearthstone.rules.actions import Action, Attack, HeroPower, Play, Trade
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO

_GAME, _PLAYER, _HERO_POWER = 1, 2, 10  # values of the tag CARDTYPE
_ZONES: Final = {"PLAY": 1, "DECK": 2, "HAND": 3, "GRAVEYARD": 4, "SECRET": 7}
_MAIN_ACTION, _MAIN_COMBAT = 10, 11  # values of the tag STEP
_COMPLETE: Final = 3  # value of the tag STATE
_DECK_ACTION: Final = "DECK_ACTION"
BROKEN_LOG_ERRORS: Final = (KeyError, ValueError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True)
class LoggedEntity:
    """A card, a hero, a player or the game itself; missing tags are 0."""

    id: int
    card_id: str
    tags: dict[str, int]

    def __getitem__(self, tag: str) -> int:
        return self.tags.get(tag, 0)


class Board(NamedTuple):
    """All entities at one moment, from the view of one player."""

    entities: dict[int, LoggedEntity]
    friendly: int  # the number of this player
    shown: tuple[tuple[str, int], ...]  # cards that the opponent has played from its deck: card id, mana at that moment

    def players(self) -> tuple[LoggedEntity, LoggedEntity]:
        """Return the friendly player and the opponent; raise an error if one of them is not in the log."""
        players = {entity["PLAYER_ID"]: entity for entity in self.entities.values() if entity["CARDTYPE"] == _PLAYER}
        if missing := {self.friendly, 3 - self.friendly} - set(players):
            raise PlannerError(f"the log does not describe player {min(missing)}")
        return players[self.friendly], players[3 - self.friendly]

    @property
    def turn(self) -> int:
        """Return the number of the turn; the turns of both players are counted together."""
        return next((entity["TURN"] for entity in self.entities.values() if entity["CARDTYPE"] == _GAME), 0)

    def zone(self, player: int, zone: str) -> list[LoggedEntity]:
        """Return a player's cards in this zone, by position."""
        cards = [
            entity
            for entity in self.entities.values()
            if entity["ZONE"] == _ZONES[zone] and entity["CONTROLLER"] == player and entity["CARDTYPE"] != _PLAYER
        ]
        return sorted(cards, key=lambda entity: (entity["ZONE_POSITION"], entity.id))


class LoggedAction(NamedTuple):
    """An action of the player."""

    before: Board
    action: Action | None  # None if it is not one of our actions
    card_id: str  # of the played card or of the attacker


class LoggedTurn(NamedTuple):
    """One turn of the friendly player."""

    number: int  # the turns of both players are counted together
    start: Board
    actions: tuple[LoggedAction, ...]
    end: Board


class EntityTracker:
    """Applies packets to a set of entities, and records the turns of the friendly player."""

    def __init__(self, match: LoggedMatch) -> None:
        self.tags: dict[int, dict[str, int]] = {}  # by entity
        self.card_ids: dict[int, str] = {}  # by entity
        self.friendly = 0
        self.turns: list[LoggedTurn] = []
        self._players: dict[int, int] = {}  # entities by player number
        self._game = 1
        self.turn_start: Board | None = None  # of the friendly player's unfinished turn
        self._actions: list[LoggedAction] = []
        self._shown: list[tuple[str, int]] = []
        self._match = match
        self.problem = match.problem

    def run(self, friendly: int | None = None) -> list[LoggedTurn]:
        """Return the turns of the match up to the first invalid packet, which `problem` reports.

        The friendly player is detected if it is not given.
        """
        try:
            self.follow(friendly)
            self._end_turn()
        except PlannerError as error:
            self.problem = self.problem or str(error)
        except BROKEN_LOG_ERRORS as error:
            self.problem = self.problem or f"invalid packet ({type(error).__name__})"
        return self.turns

    def follow(self, friendly: int | None = None) -> None:
        """Apply all packets; an unfinished turn stays in `turn_start`."""
        self.friendly = detect_friendly_player(self._match.packets) if friendly is None else friendly
        for packet in self._match.packets:
            self.apply(packet, 0)

    def board(self) -> Board:
        """Return a copy of all entities."""
        entities = {
            number: LoggedEntity(number, self.card_ids.get(number, ""), dict(tags))
            for number, tags in self.tags.items()
        }
        return Board(entities, self.friendly, tuple(self._shown))

    # -- packets

    def apply(self, packet: Any, depth: int) -> None:
        """Apply one packet and all packets inside it."""
        kind = type(packet).__name__
        if kind == "CreateGame":
            self._game = packet.entity
            self._set_tags(packet.entity, packet.tags)
            for player in packet.players:
                self._players[player.player_id] = entity = _entity_id(player.entity)
                self._set_tags(entity, player.tags)
        elif kind in ("FullEntity", "ShowEntity", "ChangeEntity"):
            number = _entity_id(packet.entity)
            if packet.card_id:
                self.card_ids[number] = packet.card_id
            self._set_tags(number, packet.tags)
        elif kind == "HideEntity":
            self._set_tags(_entity_id(packet.entity), [("ZONE", packet.zone)])
        elif kind == "TagChange":
            self._change_tag(packet)
        elif kind == "Block":
            self._apply_block(packet, depth)
        elif kind == "SubSpell":
            for inner in packet.packets:
                self.apply(inner, depth + 1)

    def _set_tags(self, number: int, tags: Iterable[tuple[Any, Any]]) -> None:
        present = self.tags.setdefault(number, {})
        for tag, value in tags:
            present[_tag_name(tag)] = int(value) if isinstance(value, int) else 0

    def _change_tag(self, packet: Any) -> None:
        number = _entity_id(packet.entity)
        name, value = _tag_name(packet.tag), packet.value
        is_step = name == "STEP" and number == self._game
        is_over = (name == "STATE" and number == self._game and value == _COMPLETE) or name == "PLAYSTATE"
        if (is_step and value not in (_MAIN_ACTION, _MAIN_COMBAT)) or is_over:
            self._end_turn()
        self._set_tags(number, [(packet.tag, value)])
        if is_step and value == _MAIN_ACTION:
            self._begin_turn()

    def _begin_turn(self) -> None:
        """Begin a turn of the friendly player; old logs repeat MAIN_ACTION after every attack."""
        if self.turn_start is None and self._is_friendly_turn():
            self.turn_start, self._actions = self.board(), []

    def _is_friendly_turn(self) -> bool:
        entity = self._players.get(self.friendly)
        return entity is not None and self.tags[entity].get("CURRENT_PLAYER") == 1

    def _end_turn(self) -> None:
        if self.turn_start is not None:
            number = self.tags[self._game].get("TURN", 0)
            self.turns.append(LoggedTurn(number, self.turn_start, tuple(self._actions), self.board()))
        self.turn_start = None

    def _apply_block(self, packet: Any, depth: int) -> None:
        block = _block_name(packet.type)
        if depth == 0 and block in ("PLAY", "ATTACK", _DECK_ACTION):
            if self.tags.get(self._game, {}).get("STEP") == _MAIN_ACTION:
                self._begin_turn()  # the log begins in the middle of a turn
            entity = _entity_id(packet.entity)
            owner = self.tags.get(entity, {}).get("CONTROLLER")
            if owner == self.friendly and self.turn_start is not None:
                before, card_id = self.board(), self.card_ids.get(entity, "")
                self._actions.append(LoggedAction(before, _read_action(before, packet, block), card_id))
            elif owner is not None and owner != self.friendly and block == "PLAY":
                self._apply_opponents_play(packet, entity)
                return
        for inner in packet.packets:
            self.apply(inner, depth + 1)

    def _apply_opponents_play(self, packet: Any, entity: int) -> None:
        """Apply a block that reveals a card of the opponent; a created card does not belong to its deck."""
        player = self._players.get(self.tags[entity]["CONTROLLER"], -1)
        mana = available_mana(self.tags.get(player, {}))
        from_hand = self.tags[entity].get("ZONE") == _ZONES["HAND"]
        for inner in packet.packets:
            self.apply(inner, 1)
        if from_hand and entity in self.card_ids and not self.tags[entity].get("CREATOR"):
            self._shown.append((self.card_ids[entity], mana))


@cache
def _tag_name(tag: Any) -> str:
    """Return a tag's name; replay files have its number."""
    from hearthstone.enums import GameTag  # noqa: PLC0415  (an extra)

    return str(getattr(tag, "name", None) or (GameTag(tag).name if tag in set(GameTag) else tag))


@cache
def _block_name(kind: Any) -> str:
    """Return the name of a block type; replay files have its number."""
    from hearthstone.enums import BlockType  # noqa: PLC0415  (an extra)

    return str(getattr(kind, "name", None) or (BlockType(kind).name if kind in set(BlockType) else kind))


def available_mana(tags: dict[str, int]) -> int:
    """Return the mana that a player can spend now, from the tags of the player.

    The client counts crystals that overload locks as used.
    """
    return max(tags.get("RESOURCES", 0) + tags.get("TEMP_RESOURCES", 0) - tags.get("RESOURCES_USED", 0), 0)


def _entity_id(entity: Any) -> int:
    """Return the number of an entity; a player may be a reference, whose number is filled in later."""
    number = getattr(entity, "entity_id", entity)
    return int(number) if number is not None else -1


def _read_action(board: Board, packet: Any, block: str) -> Action | None:
    entity = board.entities.get(_entity_id(packet.entity))
    if entity is None:
        return None
    target_id = _entity_id(packet.target) if packet.target else 0
    if block == "ATTACK" and not target_id:
        changes = (inner for inner in packet.packets if type(inner).__name__ == "TagChange")
        target_id = next((inner.value for inner in changes if _tag_name(inner.tag) == "PROPOSED_DEFENDER"), 0)
    target = state_id(board, target_id) if target_id else None
    if block == _DECK_ACTION:
        return Trade(state_id(board, entity.id))
    if block == "ATTACK":
        return Attack(state_id(board, entity.id), target) if target else None
    if entity["CARDTYPE"] == _HERO_POWER:
        return HeroPower(target)
    return Play(state_id(board, entity.id), target) if entity["ZONE"] == _ZONES["HAND"] else None


def state_id(board: Board, number: int) -> str:
    """Return the id of an entity in our states."""
    me, enemy = board.players()
    for player, name in ((me, MY_HERO), (enemy, ENEMY_HERO)):
        if player["HERO_ENTITY"] == number or player.id == number:
            return name
    return f"e{number}"


def detect_friendly_player(packets: Iterable[Any]) -> int:
    """Return the number of the player whose first hand the log shows; 1 if it shows neither hand."""
    visible_cards = {1: 0, 2: 0}
    owner: dict[int, int] = {}
    for packet in _flatten(packets):
        kind = type(packet).__name__
        if kind in ("FullEntity", "ShowEntity"):
            tags = {_tag_name(tag): value for tag, value in packet.tags}
            number = _entity_id(packet.entity)
            owner[number] = tags.get("CONTROLLER", owner.get(number, 0))
            if packet.card_id and tags.get("ZONE") == _ZONES["HAND"] and owner[number] in visible_cards:
                visible_cards[owner[number]] += 1
        elif kind == "TagChange" and _tag_name(packet.tag) == "STEP" and packet.value == _MAIN_ACTION:
            break
    return 2 if visible_cards[2] > visible_cards[1] else 1


def _flatten(packets: Iterable[Any]) -> Iterator[Any]:
    for packet in packets:
        yield packet
        yield from _flatten(getattr(packet, "packets", ()))
