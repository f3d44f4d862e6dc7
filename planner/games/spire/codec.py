"""States and actions as JSON values. Readers refuse in one line with the place."""

from __future__ import annotations

from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.games.spire.fields import JsonFields
from planner.games.spire.library import Card, Library
from planner.games.spire.places import PILES, Place
from planner.games.spire.rules import MOST_ENEMIES, MOST_PLAYS, PLAYER
from planner.games.spire.state import Action, Battle, Enemy, Held, Limits, Pending

HEALTH: Final = 80
MOST_CARDS: Final = 1000


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
        **library_to_json(state.library),
    }
    if state.pending is not None:
        card, played, step, picked, goes_to = state.pending
        found["pending"] = {
            "card": card.title, "played": played.title, "step": step, "picked": list(picked), "goes_to": goes_to,
        }  # fmt: skip
    return found


def library_to_json(library: Library) -> dict[str, Any]:
    """What does not come with the game."""
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


STATE_FIELDS: Final = (
    "game", "turn", "health", "max_health", "block", "statuses", "energy", *PILES, "enemies", "played",
    "energy_per_turn", "cards_per_turn", "library", "anonymous", "pending",
)  # fmt: skip
HELD_FIELDS: Final = ("status", "amount", "turns")
ENEMY_FIELDS: Final = ("name", "health", "max_health", "block", "statuses", "move", "run")
PENDING_FIELDS: Final = ("card", "played", "step", "picked", "goes_to")


def state_from_json(data: Any) -> Battle:
    """From that form; only the enemies are required."""
    fields = JsonFields(data, "", STATE_FIELDS)
    if fields.data.get("game", "spire") != "spire":
        raise PlannerError(f"game: {quote(fields.data['game'])} is not 'spire'")
    library = fields.library()
    limits = Limits(fields.number("energy_per_turn", 3), fields.number("cards_per_turn", 5))
    max_health = fields.number("max_health", max(HEALTH, fields.number("health", HEALTH)), least=1)
    health = fields.number("health", max_health)
    if health > max_health:
        raise PlannerError(f"health: {health} is more than max_health {max_health}")
    piles = {name: _cards(fields, name, library) for name in PILES}
    enemies = [
        _enemy(enemy, f"enemies[{place}]", library) for place, enemy in enumerate(fields.items("enemies", MOST_ENEMIES))
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


def _cards(fields: JsonFields, name: str, library: Library) -> tuple[Card, ...]:
    given = fields.items(name, MOST_CARDS, [])
    found = [library.card(title, Place(f"{fields.at(name)}[{place}]")) for place, title in enumerate(given)]
    return tuple(sorted(found, key=lambda card: card.order))


def _statuses(fields: JsonFields, library: Library) -> tuple[Held, ...]:
    found: list[Held] = []
    for place, item in enumerate(fields.items("statuses", 100, [])):
        one = JsonFields(item, f"{fields.at('statuses')}[{place}]", HELD_FIELDS)
        name = one.word("status", tuple(library.statuses))
        status = library.statuses[name]
        if status.stacking != "apart" and any(held.status is status for held in found):
            raise PlannerError(f"{one.place}: {name} stands here twice")
        found.append(Held(status, one.number("amount", least=1), one.number("turns", 0)))
    return tuple(sorted(found, key=lambda held: held.status.rank))


def _enemy(data: Any, place: str, library: Library) -> Enemy:
    fields = JsonFields(data, place, ENEMY_FIELDS)
    kind = library.enemies[fields.word("name", tuple(library.enemies))]
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
    fields = JsonFields(data, "pending", PENDING_FIELDS)
    library = state.library
    played = library.card(fields.data.get("played"), Place("pending.played"))  # type: ignore[arg-type]
    card = library.card(fields.data.get("card", played.title), Place("pending.card"))
    step = fields.number("step")
    if step >= len(played.program) or played.program[step].how != "chosen":
        raise PlannerError(f"pending.step: {step}: {played.title} asks nothing there")
    run = played.program[step]
    picked = tuple(fields.items("picked", 100, []))
    size = len(getattr(state, run.whom)) if run.whom in PILES else 0
    for place, pick in enumerate(picked):
        valid = isinstance(pick, int) and not isinstance(pick, bool) and 0 <= pick < size and pick not in picked[:place]
        if not valid:
            raise PlannerError(f"pending.picked[{place}]: {quote(pick)} is not the place of another card")
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
    """From that form, or from a plan's, which also has the `name` of a card: the place decides."""
    kind = JsonFields(data, place, ("type", "card", "fighter", "name")).word("type", tuple(_NAMED))
    key = _NAMED[kind]
    fields = JsonFields(data, place, ("type", *((key,) if key else ()), *(("name",) if key == "card" else ())))
    if not key:
        return Action(kind)
    if key == "fighter" and fields.data.get(key) == "player":
        return Action(kind, PLAYER)
    return Action(kind, fields.number(key))


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
    raise PlannerError(f"action: {quote(text)} is not one of play N, fighter N, card N, end")
