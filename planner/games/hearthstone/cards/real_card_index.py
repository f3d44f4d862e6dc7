"""The cards of the real game as printed, from the package `hearthstone-data`, in an index that is built once.

The file of the package has a hundred megabytes and takes seconds to read. The index is a small database in the user's
cache folder, one for each version of the package.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from contextlib import suppress
from functools import cache
from importlib import util
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError
from planner.formats.values import MAX_INTEGER
from planner.games.hearthstone.cards.keywords import BIT, NAMES, STATUSES, TAG

INSTALL: Final = "pip install 'turn-planner[cards]'"
_FORMAT: Final = 2  # of the index file; part of its name

_TYPES: Final = ("MINION", "SPELL", "WEAPON", "HERO", "LOCATION")
_HERO_POWER: Final = "hero_power"  # not a card: the index knows only the ids
_CREATED_TYPES: Final = ("MINION", "SPELL", "WEAPON")  # the types of cards that other cards can create
_KEYWORDS: Final = {TAG[name]: name for name in NAMES if not BIT[name] & STATUSES}
# Tags of effects that the text may not mention: then the card is never read completely.
_UNMENTIONED: Final = (
    "BATTLECRY",
    "DEATHRATTLE",
    "InvisibleDeathrattle",
    "SECRET",
    "COLOSSAL",
    "DORMANT",
    "TITAN",
    "AURA",
)
_TRIBES: Final = {"MECHANICAL": "mech"}


class Printed(NamedTuple):
    """One card of the real game. Words are lower case; `text` has the markup of the package."""

    id: str
    dbf: int
    name: str
    type: str
    cost: int
    attack: int
    health: int  # a weapon's durability, a hero card's armor
    classes: tuple[str, ...]
    set: str
    tribes: tuple[str, ...]
    keywords: tuple[str, ...]
    overload: int
    spell_damage: int
    collectible: bool
    related: int  # the dbf number of a card that is shown beside it
    unmentioned: tuple[str, ...]  # tags of effects that the text may not mention
    text: str


@cache
def installed() -> bool:
    """Return whether the packages of the extra `cards` are installed."""
    return util.find_spec("hearthstone") is not None and util.find_spec("hearthstone_data") is not None


class Index:
    """The printed cards in a small database; a lookup reads only the cards it returns."""

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base
        self._lock = Lock()  # a service uses several threads

    def _rows(self, query: str, *values: object) -> list[tuple[str]]:
        try:
            with self._lock:
                return self._base.execute(query, values).fetchall()
        except UnicodeEncodeError:  # a lone surrogate, which is in no name
            return []

    def _query(self, condition: str, *values: object) -> list[Printed]:
        rows = self._rows(f"SELECT row FROM printed {condition}", *values)
        return [_from_row(json.loads(row)) for (row,) in rows]

    def named(self, name: str) -> list[Printed]:
        """Return all cards with this name, ignoring case."""
        return self._query("WHERE folded = ? ORDER BY dbf", name.casefold())

    def by_dbf(self, number: int) -> Printed | None:
        """Return the card with this dbf number, or None."""
        if abs(number) > MAX_INTEGER:  # SQLite has no such numbers
            return None
        return next(iter(self._query("WHERE dbf = ?", number)), None)

    def by_id(self, name: str) -> Printed | None:
        """Return the card with this id, or None."""
        return next(iter(self._query("WHERE id = ?", name.upper())), None)

    def made_by(self, name: str) -> list[Printed]:
        """Return the tokens of the card with this id; their ids continue it with a `t` and a number."""
        first = name.upper() + "T"
        return self._query("WHERE id >= ? AND id < ? ORDER BY dbf", first, first[:-1] + "U")

    def is_hero_power(self, name: str) -> bool:
        """Return whether this is the id of a hero power."""
        return bool(self._rows("SELECT id FROM hero_powers WHERE id = ?", name.upper()))

    def collectible(self) -> list[Printed]:
        """Return every card that can be in a deck."""
        return self._query("WHERE collectible ORDER BY dbf")


def index_file() -> Path:
    """Return the path of the index of the installed version."""
    from importlib import metadata  # noqa: PLC0415  (slow to import)

    return _cache_folder() / f"real_cards_{metadata.version('hearthstone-data')}_{_FORMAT}.sqlite"


@cache
def index() -> Index:
    """Return the index of the installed version; build it if it does not exist."""
    if not installed():
        raise PlannerError(f"real cards need an extra: {INSTALL}")
    path = index_file()
    with suppress(OSError, sqlite3.Error, ValueError):
        return _open(path)
    printed = _read_package()
    with suppress(OSError, sqlite3.Error):
        _write(path, printed)
        return _open(path)
    base = sqlite3.connect(":memory:", check_same_thread=False)  # there is no folder that can be written
    _fill(base, printed)
    return Index(base)


def _open(path: Path) -> Index:
    base = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    (count,) = base.execute("SELECT count(*) FROM printed").fetchone()  # compared with the number that was written
    if base.execute("PRAGMA user_version").fetchone() != (count,):
        raise ValueError(path)
    return Index(base)


def _write(path: Path, printed: list[Printed]) -> None:
    """Write the index atomically: two processes may do this at the same time."""
    import tempfile  # noqa: PLC0415  (once for each version of the package)

    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        part = Path(folder) / path.name
        base = sqlite3.connect(part)
        _fill(base, printed)
        base.close()
        part.replace(path)


def _fill(base: sqlite3.Connection, printed: list[Printed]) -> None:
    base.execute("CREATE TABLE printed (id TEXT PRIMARY KEY, dbf INTEGER, folded TEXT, collectible INTEGER, row TEXT)")
    rows = [
        (card.id.upper(), card.dbf, card.name.casefold(), card.collectible, json.dumps(card, ensure_ascii=False))
        for card in printed
        if card.type != _HERO_POWER
    ]
    base.executemany("INSERT INTO printed VALUES (?, ?, ?, ?, ?)", rows)
    base.execute("CREATE TABLE hero_powers (id TEXT PRIMARY KEY)")
    powers = [(card.id.upper(),) for card in printed if card.type == _HERO_POWER]
    base.executemany("INSERT OR IGNORE INTO hero_powers VALUES (?)", powers)
    for key in ("dbf", "folded", "collectible"):
        base.execute(f"CREATE INDEX by_{key} ON printed ({key})")
    base.execute(f"PRAGMA user_version = {len(rows)}")
    base.commit()


def _from_row(row: list[Any]) -> Printed:
    return Printed._make(tuple(value) if isinstance(value, list) else value for value in row)


def _cache_folder() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home())
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base).absolute() / "turn-planner"


def _read_package() -> list[Printed]:
    from hearthstone import cardxml  # noqa: PLC0415  (an extra, and slow to import)

    database, _ = cardxml.load_dbf()
    entities = [card for card in database.values() if card.type.name in _TYPES]
    sets = {card.card_set for card in entities if card.collectible}
    wanted = (
        card for card in entities if card.collectible or (card.card_set in sets and card.type.name in _CREATED_TYPES)
    )
    powers = (card for card in database.values() if card.type.name.lower() == _HERO_POWER)
    return [_printed(card) for card in (*wanted, *powers)]


def _printed(card: Any) -> Printed:
    from hearthstone.enums import GameTag  # noqa: PLC0415

    tags = {tag.name: value for tag, value in card.tags.items() if isinstance(tag, GameTag) and isinstance(value, int)}
    kind = card.type.name.lower()
    return Printed(
        id=card.card_id,
        dbf=card.dbf_id,
        name=card.english_name,
        type=kind,
        cost=card.cost,
        attack=card.atk,
        health=_health(kind, card, tags),
        classes=tuple(hero_class.name.lower() for hero_class in card.classes),
        set=card.card_set.name.lower(),
        tribes=tuple(_TRIBES.get(race.name, race.name.lower()) for race in card.races),
        keywords=tuple(word for tag, word in _KEYWORDS.items() if tags.get(tag)),
        overload=tags.get("OVERLOAD", 0),
        spell_damage=tags.get("SPELLPOWER", 0),
        collectible=bool(card.collectible),
        related=tags.get("COLLECTION_RELATED_CARD_DATABASE_ID", 0),
        unmentioned=tuple(tag.lower() for tag in _UNMENTIONED if tags.get(tag)),
        text=card.english_description or "",
    )


def _health(kind: str, card: Any, tags: dict[str, int]) -> int:
    if kind == "hero":
        return tags.get("ARMOR", 0)
    return int(tags.get("DURABILITY", 0) or card.health) if kind == "weapon" else int(card.health)
