"""The real game's cards as they are printed, from the package `hearthstone-data`: an index that is made once and kept.

The package's file has a hundred megabytes and takes seconds to read. What we need of it is kept as a small database in
the user's cache, one for each version of the package.
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
from planner.games.hearthstone.cards.keywords import BIT, NAMES, STATUSES, TAG

INSTALL: Final = "pip install 'turn-planner[cards]'"
_FORMAT: Final = 1  # of the kept file: another number, another file

_TYPES: Final = ("MINION", "SPELL", "WEAPON", "HERO", "LOCATION")
_MADE: Final = ("MINION", "SPELL", "WEAPON")  # what other cards can make
_KEYWORDS: Final = {TAG[name]: name for name in NAMES if not BIT[name] & STATUSES}
# What a card can have without a word about it in its text: such a card is never read in full.
_UNSEEN: Final = ("BATTLECRY", "DEATHRATTLE", "InvisibleDeathrattle", "SECRET", "COLOSSAL", "DORMANT", "TITAN", "AURA")
_TRIBES: Final = {"MECHANICAL": "mech"}


class Printed(NamedTuple):
    """One card of the real game. Words are lower case; `text` is as the package has it, with its marks."""

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
    related: int  # the dbf id of a card that it shows beside it
    unseen: tuple[str, ...]  # what else its tags say that it has
    text: str


@cache
def installed() -> bool:
    """Are the packages of the extra `cards` here?"""
    return util.find_spec("hearthstone") is not None and util.find_spec("hearthstone_data") is not None


class Index:
    """The printed cards in a small database: a look at one card reads one card."""

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base
        self._lock = Lock()  # a service asks from several threads

    def _ask(self, condition: str, *values: object) -> list[Printed]:
        with self._lock:
            rows = self._base.execute(f"SELECT row FROM printed {condition}", values).fetchall()
        return [_from_row(json.loads(row)) for (row,) in rows]

    def named(self, name: str) -> list[Printed]:
        """All cards of this name, in any case of its letters."""
        return self._ask("WHERE folded = ? ORDER BY dbf", name.casefold())

    def by_dbf(self, number: int) -> Printed | None:
        """The card with this number."""
        return next(iter(self._ask("WHERE dbf = ?", number)), None)

    def by_id(self, name: str) -> Printed | None:
        """The card with this id in the game."""
        return next(iter(self._ask("WHERE id = ?", name.upper())), None)

    def made_by(self, name: str) -> list[Printed]:
        """What belongs to the card with this id: the game calls it so, with a `t` and a number behind."""
        first = name.upper() + "T"
        return self._ask("WHERE id >= ? AND id < ? ORDER BY dbf", first, first[:-1] + "U")

    def collectible(self) -> list[Printed]:
        """Every card that can be in a deck."""
        return self._ask("WHERE collectible ORDER BY dbf")


def index_file() -> Path:
    """Where the index of the version that is installed is kept."""
    from importlib import metadata  # noqa: PLC0415  (a while, for this alone)

    return _cache_folder() / f"real_cards_{metadata.version('hearthstone-data')}_{_FORMAT}.sqlite"


@cache
def index() -> Index:
    """The index of the version that is installed; made where it is not there yet."""
    if not installed():
        raise PlannerError(f"the real cards are an extra: {INSTALL}")
    kept = index_file()
    with suppress(OSError, sqlite3.Error, ValueError):
        return _opened(kept)
    found = _read_package()
    with suppress(OSError, sqlite3.Error):
        _keep(kept, found)
        return _opened(kept)
    base = sqlite3.connect(":memory:", check_same_thread=False)  # nowhere to keep it
    _fill(base, found)
    return Index(base)


def _opened(path: Path) -> Index:
    base = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    (count,) = base.execute("SELECT count(*) FROM printed").fetchone()  # is it whole?
    if base.execute("PRAGMA user_version").fetchone() != (count,):
        raise ValueError(path)
    return Index(base)


def _keep(path: Path, found: list[Printed]) -> None:
    """Whole or not at all: two processes may do this at the same time."""
    import tempfile  # noqa: PLC0415  (once for each version of the package)

    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        part = Path(folder) / path.name
        base = sqlite3.connect(part)
        _fill(base, found)
        base.close()
        part.replace(path)


def _fill(base: sqlite3.Connection, found: list[Printed]) -> None:
    base.execute("CREATE TABLE printed (id TEXT PRIMARY KEY, dbf INTEGER, folded TEXT, collectible INTEGER, row TEXT)")
    rows = [
        (one.id.upper(), one.dbf, one.name.casefold(), one.collectible, json.dumps(one, ensure_ascii=False))
        for one in found
    ]
    base.executemany("INSERT INTO printed VALUES (?, ?, ?, ?, ?)", rows)
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
    wanted = (card for card in entities if card.collectible or (card.card_set in sets and card.type.name in _MADE))
    return [_printed(card) for card in wanted]


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
        classes=tuple(one.name.lower() for one in card.classes),
        set=card.card_set.name.lower(),
        tribes=tuple(_TRIBES.get(race.name, race.name.lower()) for race in card.races),
        keywords=tuple(word for tag, word in _KEYWORDS.items() if tags.get(tag)),
        overload=tags.get("OVERLOAD", 0),
        spell_damage=tags.get("SPELLPOWER", 0),
        collectible=bool(card.collectible),
        related=tags.get("COLLECTION_RELATED_CARD_DATABASE_ID", 0),
        unseen=tuple(tag.lower() for tag in _UNSEEN if tags.get(tag)),
        text=card.english_description or "",
    )


def _health(kind: str, card: Any, tags: dict[str, int]) -> int:
    if kind == "hero":
        return tags.get("ARMOR", 0)
    return int(tags.get("DURABILITY", 0) or card.health) if kind == "weapon" else int(card.health)
