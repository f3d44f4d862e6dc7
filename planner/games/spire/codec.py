"""States, actions and setups as JSON values. Readers refuse in one line with the place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from planner.files import PlannerError, load_yaml, nearest, show
from planner.games.spire import language
from planner.games.spire.language import PILES, Place
from planner.games.spire.library import Card, Library, library_of, unreadable
from planner.games.spire.rules import MOST_ENEMIES, MOST_PLAYS, PLAYER, Setup
from planner.games.spire.state import Action, Battle, Enemy, Held, Limits, Pending

HEALTH: Final = 80
ANONYMOUS: Final = "_anonymous"
_SCENARIOS: Final = Path(__file__).with_name("data") / "scenarios.yaml"
_MOST_CARDS: Final = 1000


# -- states


def state_to_json(state: Battle) -> dict[str, Any]:
    """The state, whole."""
    found: dict[str, Any] = {
        "game": "spire",
        "turn": state.turn,
        "health": state.health,
        "max_health": state.max_health,
        "block": state.block,
        "statuses": [_held_to_json(held) for held in state.statuses],
        "energy": state.energy,
        **{pile: [card.title for card in getattr(state, pile)] for pile in PILES},
        "enemies": [_enemy_to_json(enemy) for enemy in state.enemies],
        "played": state.played,
        "energy_per_turn": state.limits.energy,
        "cards_per_turn": state.limits.cards,
        **_library_to_json(state.library),
    }
    if state.pending is not None:
        card, played, step, picked, goes_to = state.pending
        found["pending"] = {
            "card": card.title, "played": played.title, "step": step, "picked": list(picked), "goes_to": goes_to,
        }  # fmt: skip
    return found


def _library_to_json(library: Library) -> dict[str, Any]:
    found: dict[str, Any] = {"library": library.added} if library.added else {}
    return found | {"anonymous": True} if library.is_anonymous else found


def _held_to_json(held: Held) -> dict[str, Any]:
    found: dict[str, Any] = {"status": held.status.name, "amount": held.amount}
    return found | {"turns": held.turns} if held.turns else found


def _enemy_to_json(enemy: Enemy) -> dict[str, Any]:
    return {
        "name": enemy.kind.name,
        "health": enemy.health,
        "max_health": enemy.max_health,
        "block": enemy.block,
        "statuses": [_held_to_json(held) for held in enemy.statuses],
        "move": enemy.kind.moves[enemy.move].name,
        "run": enemy.run,
    }


class _Fields:
    """An object of strangers, read field by field."""

    def __init__(self, data: Any, place: str, known: Sequence[str]) -> None:
        if not isinstance(data, dict):
            raise PlannerError(f"{place or 'state'}: {show(data)} is not an object")
        self.data, self.place = data, place
        for key in data:
            if key not in known:
                raise PlannerError(f"{self.at(str(key))}: is not known here{nearest(str(key)[:80], known)}")

    def at(self, key: str) -> str:
        """The place of a field."""
        return f"{self.place}.{key}" if self.place else key

    def number(self, key: str, default: int | None, least: int = 0) -> int:
        """A whole number."""
        if key not in self.data and default is not None:
            return default
        if key not in self.data:
            raise PlannerError(f"{self.at(key)}: is missing")
        return language.whole(self.data[key], Place(self.at(key)), least)

    def items(self, key: str, most: int, needed: bool = False) -> list[Any]:
        """A list."""
        if needed and key not in self.data:
            raise PlannerError(f"{self.at(key)}: is missing")
        found = self.data.get(key, [])
        if not isinstance(found, list | tuple):
            raise PlannerError(f"{self.at(key)}: {show(found)} is not a list")
        if len(found) > most:
            raise PlannerError(f"{self.at(key)}: {len(found)} are too many; at most {most}")
        return list(found)

    def word(self, key: str, known: Sequence[str], default: str) -> str:
        """One of these."""
        found = self.data.get(key, default)
        if found not in known:
            hint = nearest(str(found)[:80], known) or f"; one of {', '.join(known)}"
            raise PlannerError(f"{self.at(key)}: {show(found)} is not known here{hint}")
        return str(found)

    def truth(self, key: str) -> bool:
        """True or false; false where it is absent."""
        found = self.data.get(key, False)
        if not isinstance(found, bool):
            raise PlannerError(f"{self.at(key)}: {show(found)} is not true or false")
        return found

    def library(self) -> Library:
        """What exists in this battle."""
        added = self.data.get("library") or {}
        if not isinstance(added, dict):
            raise PlannerError(f"{self.at('library')}: {show(added)} is not an object")
        try:
            return library_of(added, self.truth("anonymous"))
        except (TypeError, RecursionError):  # not JSON values: nothing that could be written down
            raise PlannerError(f"{self.at('library')}: is not made of JSON values") from None


_STATE: Final = (
    "game", "turn", "health", "max_health", "block", "statuses", "energy", *PILES, "enemies", "played",
    "energy_per_turn", "cards_per_turn", "library", "anonymous", "pending",
)  # fmt: skip


def state_from_json(data: Any) -> Battle:
    """From that form; only the enemies are required."""
    fields = _Fields(data, "", _STATE)
    if fields.data.get("game", "spire") != "spire":
        raise PlannerError(f"game: {show(fields.data['game'])} is not 'spire'")
    library = fields.library()
    limits = Limits(fields.number("energy_per_turn", 3), fields.number("cards_per_turn", 5))
    max_health = fields.number("max_health", max(HEALTH, fields.number("health", HEALTH)), least=1)
    health = fields.number("health", max_health)
    if health > max_health:
        raise PlannerError(f"health: {health} is more than max_health {max_health}")
    piles = {name: _cards(fields, name, library) for name in PILES}
    enemies = [
        _enemy(enemy, f"enemies[{place}]", library)
        for place, enemy in enumerate(fields.items("enemies", MOST_ENEMIES, needed=True))
    ]
    if not enemies:
        raise PlannerError("enemies: there is nobody to fight")
    state = Battle(
        library, limits, health, max_health, fields.number("block", 0), _statuses(fields, library),
        fields.number("energy", limits.energy), piles["hand"], piles["draw"], piles["discard"], piles["exhaust"],
        tuple(enemies), fields.number("turn", 1, least=1), fields.number("played", 0), None,
    )  # fmt: skip
    if state.played > MOST_PLAYS:
        raise PlannerError(f"played: {state.played} is more than the {MOST_PLAYS} after which a battle ends")
    pending = fields.data.get("pending")
    return state if pending is None else state._replace(pending=_pending(pending, state))


def _cards(fields: _Fields, name: str, library: Library) -> tuple[Card, ...]:
    given = fields.items(name, _MOST_CARDS)
    found = [library.card(title, Place(f"{fields.at(name)}[{place}]")) for place, title in enumerate(given)]
    return tuple(sorted(found, key=lambda card: card.order))


def _statuses(fields: _Fields, library: Library) -> tuple[Held, ...]:
    found: list[Held] = []
    for place, item in enumerate(fields.items("statuses", 100)):
        one = _Fields(item, f"{fields.at('statuses')}[{place}]", ("status", "amount", "turns"))
        name = one.word("status", tuple(library.statuses), "")
        status = library.statuses[name]
        if status.stacking != "apart" and any(held.status is status for held in found):
            raise PlannerError(f"{one.place}: {name} stands here twice")
        found.append(Held(status, one.number("amount", None, least=1), one.number("turns", 0)))
    return tuple(sorted(found, key=lambda held: held.status.rank))


def _enemy(data: Any, place: str, library: Library) -> Enemy:
    fields = _Fields(data, place, ("name", "health", "max_health", "block", "statuses", "move", "run"))
    kind = library.enemies[fields.word("name", tuple(library.enemies), "")]
    max_health = fields.number("max_health", max(kind.health[1], fields.number("health", kind.health[1])), least=1)
    health = fields.number("health", max_health)
    if health > max_health:
        raise PlannerError(f"{place}.health: {health} is more than max_health {max_health}")
    names = [move.name for move in kind.moves]
    move = names.index(fields.word("move", names, names[kind.first or 0]))
    statuses = _statuses(fields, library)
    if health == 0 and statuses:
        raise PlannerError(f"{place}.statuses: the dead have none")
    return Enemy(kind, health, max_health, fields.number("block", 0), statuses, move, fields.number("run", 1, least=1))


def _pending(data: Any, state: Battle) -> Pending:
    fields = _Fields(data, "pending", ("card", "played", "step", "picked", "goes_to"))
    library = state.library
    played = library.card(fields.data.get("played"), Place("pending.played"))  # type: ignore[arg-type]
    card = library.card(fields.data.get("card", played.title), Place("pending.card"))
    step = fields.number("step", None)
    if step >= len(played.program) or played.program[step].how != "chosen":
        raise PlannerError(f"pending.step: {step}: {played.title} asks nothing there")
    run = played.program[step]
    picked = tuple(fields.items("picked", 100))
    size = len(getattr(state, run.whom)) if run.whom in PILES else 0
    for place, pick in enumerate(picked):
        valid = isinstance(pick, int) and not isinstance(pick, bool) and 0 <= pick < size and pick not in picked[:place]
        if not valid:
            raise PlannerError(f"pending.picked[{place}]: {show(pick)} is not the place of another card")
    options = size - len(picked) if run.whom in PILES else sum(enemy.health > 0 for enemy in state.enemies)
    if len(picked) >= max(run.number, 1) or options < 1:
        raise PlannerError(f"pending.picked: {played.title} has nothing left to ask")
    return Pending(card, played, step, picked, fields.word("goes_to", ("discard", "exhaust"), "discard"))


# -- actions


_NAMED: Final[dict[str, str]] = {"play": "card", "fighter": "fighter", "card": "card", "end": ""}


def action_to_json(action: Action) -> dict[str, Any]:
    """`{"type": "play", "card": 2}` and so on; a fighter is the place of an enemy, or `player`."""
    key = _NAMED[action.type]
    if not key:
        return {"type": action.type}
    return {"type": action.type, key: "player" if key == "fighter" and action.place == PLAYER else action.place}


def action_from_json(data: Any, place: str = "action") -> Action:
    """From that form."""
    kind = _Fields(data, place, ("type", "card", "fighter")).word("type", tuple(_NAMED), "")
    key = _NAMED[kind]
    fields = _Fields(data, place, ("type", key) if key else ("type",))
    if not key:
        return Action(kind)
    if key == "fighter" and fields.data.get(key) == "player":
        return Action(kind, PLAYER)
    return Action(kind, fields.number(key, None))


def action_to_text(action: Action) -> str:
    """`play 2`, `fighter 0`, `fighter player`, `card 1`, `end`."""
    return " ".join(str(part) for part in action_to_json(action).values())


def action_from_text(text: str) -> Action:
    """From that line."""
    kind, *rest = (text.split() if isinstance(text, str) else []) or [""]
    data: dict[str, Any] = {"type": kind}
    if kind in _NAMED and len(rest) == (1 if _NAMED[kind] else 0):
        if rest:
            data[_NAMED[kind]] = int(rest[0]) if rest[0].isdecimal() and len(rest[0]) < 6 else rest[0]
        return action_from_json(data)
    raise PlannerError(f"action: {show(text)} is not one of play N, fighter N, card N, end")


# -- setups


def setup_to_json(setup: Setup) -> dict[str, Any]:
    """The deck, card by card, and the enemies."""
    return {
        "name": setup.name,
        "deck": list(setup.deck),
        "enemies": list(setup.enemies),
        "health": setup.health,
        "energy_per_turn": setup.limits.energy,
        "cards_per_turn": setup.limits.cards,
        **_library_to_json(setup.library),
    }


_SETUP: Final = (
    "scenario", "name", "deck", "enemies", "health", "energy_per_turn", "cards_per_turn", "library", "anonymous",
)  # fmt: skip


def setup_from_json(data: Any) -> Setup:
    """From that form; `{"scenario": "starter"}` is short for one that comes with the game."""
    if isinstance(data, dict) and "scenario" in data:
        fields = _Fields(data, "", ("scenario",))
        return scenario(fields.data["scenario"])
    fields = _Fields(data, "setup", _SETUP[1:])
    library = fields.library()
    return _setup(fields, library, fields.items("deck", _MOST_CARDS, needed=True))


def _setup(fields: _Fields, library: Library, titles: list[str]) -> Setup:
    deck = [
        library.card(title, Place(f"{fields.at('deck')}[{place}]")).title for place, title in enumerate(titles)
    ]
    enemies = fields.items("enemies", MOST_ENEMIES, needed=True)
    for place, name in enumerate(enemies):
        if not isinstance(name, str) or name not in library.enemies:
            where = f"{fields.at('enemies')}[{place}]"
            raise PlannerError(f"{where}: {show(name)} is not an enemy{nearest(str(name)[:80], library.enemies)}")
    if not deck or not enemies:
        raise PlannerError(f"{fields.at('deck')}: a battle needs cards and enemies")
    limits = Limits(fields.number("energy_per_turn", 3), fields.number("cards_per_turn", 5))
    name = fields.data.get("name", "")
    if not isinstance(name, str):
        raise PlannerError(f"{fields.at('name')}: {show(name)} is not a name")
    health = fields.number("health", HEALTH, least=1)
    added = json.dumps(library.added)
    return Setup(tuple(deck), tuple(enemies), health, limits, name, added, library.is_anonymous)


def scenario_names() -> tuple[str, ...]:
    """The scenarios that come with the game, each also in its anonymous form."""
    names = tuple(_scenarios())
    return (*names, *(name + ANONYMOUS for name in names))


@cache
def _scenarios() -> Mapping[str, Any]:
    found: Mapping[str, Any] = load_yaml(_SCENARIOS)["scenarios"]
    return found


def scenario(name: Any) -> Setup:
    """The scenario of this name, or in a YAML file."""
    if isinstance(name, str) and name.endswith((".yaml", ".yml")):
        data = load_yaml(Path(name))
        return setup_from_json(data if not isinstance(data, dict) else {"name": Path(name).stem, **data})
    names = scenario_names()
    if not isinstance(name, str) or name not in names:
        hint = nearest(str(name)[:80], names) or f"; there are {', '.join(names)}"
        raise PlannerError(f"scenario: {show(name)} is not a scenario{hint}")
    plain = name.removesuffix(ANONYMOUS)
    hidden = name != plain
    entry = _scenarios()[plain]
    fields = _Fields({**entry, "name": name}, f"scenario {name}", _SETUP)
    rename: Callable[[str], str] = unreadable if hidden else str
    titles = [rename(title) for title in Counter(entry["deck"]).elements()]
    return _setup(fields, library_of(anonymous=hidden), titles)
