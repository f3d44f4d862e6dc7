"""The entities of a match, packet by packet, and the own turns that are in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from planner.games.hearthstone.logs.reading import LoggedMatch
from planner.games.hearthstone.rules.actions import Action, Attack, HeroPower, Play, Trade
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO


@dataclass(frozen=True)
class Thing:
    """An entity: a card, a hero, a player, the game itself. Tags are numbers by the name of the tag."""

    id: int
    card_id: str
    tags: dict[str, int]

    def __getitem__(self, tag: str) -> int:
        return self.tags.get(tag, 0)


class Done(NamedTuple):
    """An action that the player took: the board before it, and what it was; None where we cannot say."""

    before: Board
    action: Action | None
    card_id: str  # of what was played, or of the attacker


class OwnTurn(NamedTuple):
    """One turn of the friendly player, as it was."""

    number: int  # of both players together
    start: Board
    actions: tuple[Done, ...]
    end: Board


class Board(NamedTuple):
    """All entities at one moment, seen by one of the players."""

    things: dict[int, Thing]
    friendly: int  # the number of the player who looks
    shown: tuple[tuple[str, int], ...]  # what the opponent has shown of its deck: card id and mana at that moment

    def players(self) -> tuple[Thing, Thing]:
        """The one who looks, and the opponent."""
        found = {thing["PLAYER_ID"]: thing for thing in self.things.values() if thing["CARDTYPE"] == _PLAYER}
        return found[self.friendly], found[3 - self.friendly]

    @property
    def turn(self) -> int:
        """The number of the turn, of both players together."""
        return next((thing["TURN"] for thing in self.things.values() if thing["CARDTYPE"] == _GAME), 0)

    def zone(self, player: int, zone: str) -> list[Thing]:
        """A player's cards in this zone, by their places."""
        wanted = _ZONES[zone]
        held = [one for one in self.things.values() if one["ZONE"] == wanted and one["CONTROLLER"] == player]
        cards = (one for one in held if one["CARDTYPE"] != _PLAYER)
        return sorted(cards, key=lambda one: (one["ZONE_POSITION"], one.id))


_GAME, _PLAYER, _HERO_POWER = 1, 2, 10  # of the tag CARDTYPE
_ZONES = {"PLAY": 1, "DECK": 2, "HAND": 3, "GRAVEYARD": 4, "SECRET": 7}
_MAIN_ACTION, _MAIN_COMBAT = 10, 11  # of the tag STEP
_COMPLETE = 3  # of the tag STATE
_DECK_ACTION = "DECK_ACTION"
SENSELESS = (KeyError, ValueError, TypeError, AttributeError, RecursionError)  # what packets of a broken log lead to


class Tracker:
    """Carries packets out on a set of entities, and takes down each own turn as it goes by."""

    def __init__(self, match: LoggedMatch) -> None:
        self.things: dict[int, dict[str, int]] = {}
        self.cards: dict[int, str] = {}
        self.friendly = 0
        self.turns: list[OwnTurn] = []
        self._players: dict[int, int] = {}  # the entity of each player's number
        self._game = 1
        self._start: Board | None = None
        self._done: list[Done] = []
        self._shown: list[tuple[str, int]] = []
        self._match = match
        self.problem = match.problem

    def run(self, friendly: int | None = None) -> list[OwnTurn]:
        """The own turns of the match, as far as it makes sense: `problem` says why no farther.

        Who is the friendly player is found out where it is not said.
        """
        try:
            self.follow(friendly)
            self._close()
        except SENSELESS as error:
            self.problem = self.problem or f"a packet makes no sense ({type(error).__name__})"
        return self.turns

    def follow(self, friendly: int | None = None) -> None:
        """As far as the match goes; an own turn that has not ended stays in `started`."""
        self.friendly = friendly_player(self._match.packets) if friendly is None else friendly
        for packet in self._match.packets:
            self.take(packet, 0)

    @property
    def started(self) -> Board | None:
        """The start of the own turn that is being played."""
        return self._start

    def board(self) -> Board:
        """Everything as it is now."""
        things = {number: Thing(number, self.cards.get(number, ""), dict(tags)) for number, tags in self.things.items()}
        return Board(things, self.friendly, tuple(self._shown))

    # -- packets

    def take(self, packet: Any, depth: int) -> None:
        """Carry one packet out, with all that is in it."""
        kind = type(packet).__name__
        if kind == "CreateGame":
            self._game = packet.entity
            self._set(packet.entity, packet.tags)
            for player in packet.players:
                self._players[player.player_id] = entity = _number(player.entity)
                self._set(entity, player.tags)
        elif kind in ("FullEntity", "ShowEntity", "ChangeEntity"):
            number = _number(packet.entity)
            if packet.card_id:
                self.cards[number] = packet.card_id
            self._set(number, packet.tags)
        elif kind == "HideEntity":
            self._set(_number(packet.entity), [("ZONE", packet.zone)])
        elif kind == "TagChange":
            self._change(packet)
        elif kind == "Block":
            self._block(packet, depth)
        elif kind == "SubSpell":
            for inner in packet.packets:
                self.take(inner, depth + 1)

    def _set(self, number: int, tags: Iterable[tuple[Any, Any]]) -> None:
        held = self.things.setdefault(number, {})
        for tag, value in tags:
            held[_tag(tag)] = int(value) if isinstance(value, int) else 0

    def _change(self, packet: Any) -> None:
        number = _number(packet.entity)
        name, value = _tag(packet.tag), packet.value
        step = name == "STEP" and number == self._game
        over = (name == "STATE" and number == self._game and value == _COMPLETE) or name == "PLAYSTATE"
        if (step and value not in (_MAIN_ACTION, _MAIN_COMBAT)) or over:
            self._close()
        self._set(number, [(packet.tag, value)])
        if step and value == _MAIN_ACTION:
            self._open()

    def _open(self) -> None:
        """A turn begins, if it is an own one; old logs say MAIN_ACTION again after every attack."""
        if self._start is None and self._mine():
            self._start, self._done = self.board(), []

    def _mine(self) -> bool:
        entity = self._players.get(self.friendly)
        return entity is not None and self.things[entity].get("CURRENT_PLAYER") == 1

    def _close(self) -> None:
        if self._start is not None:
            number = self.things[self._game].get("TURN", 0)
            self.turns.append(OwnTurn(number, self._start, tuple(self._done), self.board()))
        self._start = None

    def _block(self, packet: Any, depth: int) -> None:
        block = _block(packet.type)
        if depth == 0 and block in ("PLAY", "ATTACK", _DECK_ACTION):
            if self.things.get(self._game, {}).get("STEP") == _MAIN_ACTION:
                self._open()  # a log that begins in the middle of a turn
            entity = _number(packet.entity)
            owner = self.things.get(entity, {}).get("CONTROLLER")
            if owner == self.friendly and self._start is not None:
                before, played = self.board(), self.cards.get(entity, "")
                self._done.append(Done(before, _action(before, packet, block), played))
            elif owner is not None and owner != self.friendly and block == "PLAY":
                self._opponents(packet, entity)
                return
        for inner in packet.packets:
            self.take(inner, depth + 1)

    def _opponents(self, packet: Any, entity: int) -> None:
        """A card that the opponent plays is shown within the block; one that something made is not of its deck."""
        mana = self._mana(self.things[entity]["CONTROLLER"])
        from_hand = self.things[entity].get("ZONE") == _ZONES["HAND"]
        for inner in packet.packets:
            self.take(inner, 1)
        if from_hand and entity in self.cards and not self.things[entity].get("CREATOR"):
            self._shown.append((self.cards[entity], mana))

    def _mana(self, player: int) -> int:
        tags = self.things.get(self._players.get(player, -1), {})
        return mana_of(tags)


@cache
def _tag(tag: Any) -> str:
    """A tag's name; replay files have its number."""
    from hearthstone.enums import GameTag  # noqa: PLC0415  (an extra)

    return str(getattr(tag, "name", None) or (GameTag(tag).name if tag in set(GameTag) else tag))


@cache
def _block(kind: Any) -> str:
    """The same for the kind of a block."""
    from hearthstone.enums import BlockType  # noqa: PLC0415  (an extra)

    return str(getattr(kind, "name", None) or (BlockType(kind).name if kind in set(BlockType) else kind))


def mana_of(tags: dict[str, int]) -> int:
    """What a player can spend now."""
    have = tags.get("RESOURCES", 0) + tags.get("TEMP_RESOURCES", 0)
    return max(have - tags.get("RESOURCES_USED", 0) - tags.get("OVERLOAD_LOCKED", 0), 0)


def _number(entity: Any) -> int:
    """The entity's number; a player may be meant by a reference, which learns its number in time."""
    found = getattr(entity, "entity_id", entity)
    return int(found) if found is not None else -1


def _action(board: Board, packet: Any, block: str) -> Action | None:
    entity = board.things.get(_number(packet.entity))
    if entity is None:
        return None
    target = _number(packet.target) if packet.target else 0
    if block == "ATTACK" and not target:
        target = next(
            (
                inner.value
                for inner in packet.packets
                if type(inner).__name__ == "TagChange" and _tag(inner.tag) == "PROPOSED_DEFENDER"
            ),
            0,
        )
    aimed = name_of(board, target) if target else None
    if block == _DECK_ACTION:
        return Trade(name_of(board, entity.id))
    if block == "ATTACK":
        return Attack(name_of(board, entity.id), aimed) if aimed else None
    if entity["CARDTYPE"] == _HERO_POWER:
        return HeroPower(aimed)
    return Play(name_of(board, entity.id), aimed) if entity["ZONE"] == _ZONES["HAND"] else None


def name_of(board: Board, number: int) -> str:
    """The id of an entity in our states."""
    me, enemy = board.players()
    for player, name in ((me, MY_HERO), (enemy, ENEMY_HERO)):
        if player["HERO_ENTITY"] == number or player.id == number:
            return name
    return f"e{number}"


def friendly_player(packets: Iterable[Any]) -> int:
    """The number of the player whose cards the log shows from the beginning; 1 where it shows neither's."""
    seen = {1: 0, 2: 0}
    owner: dict[int, int] = {}
    for packet in _flat(packets):
        kind = type(packet).__name__
        if kind in ("FullEntity", "ShowEntity"):
            tags = {_tag(tag): value for tag, value in packet.tags}
            number = _number(packet.entity)
            owner[number] = tags.get("CONTROLLER", owner.get(number, 0))
            if packet.card_id and tags.get("ZONE") == _ZONES["HAND"] and owner[number] in seen:
                seen[owner[number]] += 1
        elif kind == "TagChange" and _tag(packet.tag) == "STEP" and packet.value == _MAIN_ACTION:
            break
    return 2 if seen[2] > seen[1] else 1


def _flat(packets: Iterable[Any]) -> Iterator[Any]:
    for packet in packets:
        yield packet
        yield from _flat(getattr(packet, "packets", ()))
