"""States, actions and setups as JSON. Cards are named; a hidden card is `?`."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.json_schema import Schema, integer_schema, list_schema, object_schema
from planner.formats.values import (
    as_list,
    as_mapping,
    boolean,
    first_unknown_key,
    integer,
    join_path,
    read_field,
    unknown_field,
)
from planner.games.deckbuilder import rules
from planner.games.deckbuilder.definition import Definition
from planner.games.deckbuilder.effects import ZONES, Choose, ChooseOne, Gain, May, When
from planner.games.deckbuilder.steps import ASK, CALL, CARDS, OPTION, choose_options, gain_options
from planner.games.deckbuilder.table import Table
from planner.games.deckbuilder.table_state import (
    EMPTY,
    HIDDEN,
    ZONE_BASE,
    Action,
    Decision,
    Frame,
    Listener,
    Match,
    Player,
    Setup,
    State,
)

UNKNOWN: Final = "?"
ACTION_TYPES: Final = ("play", "buy", "use", "choose", "done", "yes", "no", "end")
_CARD_ZONES: Final = (
    "hand", "deck", "top", "discard", "unseen", "played", "in_play", "looked", "revealed", "aside", "pool",
)  # fmt: skip
_SORTED_ZONES: Final = ("hand", "deck", "unseen", "played", "in_play", "looked", "revealed", "aside", "pool")
_STATE_FIELDS: Final = (
    "game", "setup", "players", "supply", "centre", "trash", "stats", "active", "turn", "phase", "bought", "used",
    "reserve", "frames", "prompt", "listeners", "memory", "ended", "pool",
)  # fmt: skip
_ASKING: Final[dict[type, str]] = {Choose: CARDS, Gain: CARDS, May: ASK, ChooseOne: OPTION}
_MAX_CARDS: Final = 2000  # of one zone
_MAX: Final = 1_000_000


# -- setups


def setup_to_json(setup: Setup) -> dict[str, Any]:
    """Return the setup as JSON values."""
    data: dict[str, Any] = {"players": setup.players}
    if setup.name:
        data["kingdom"] = setup.name
    elif setup.piles:
        data["kingdom"] = list(setup.piles)
    return data


def setup_from_json(definition: Definition, data: Any) -> Setup:
    """Read a setup: `players`, and `kingdom` as the name of a set or a list of piles."""
    entry = as_mapping(data)
    if (unknown := first_unknown_key(entry, ("players", "kingdom"))) is not None:
        raise PlannerError(f"setup: {unknown_field(unknown, ('players', 'kingdom'))}")
    players = definition.min_players
    if "players" in entry:
        players = read_field(
            entry, "players", lambda value: integer(value, definition.min_players, definition.max_players), "setup"
        )
    kingdom = entry.get("kingdom")
    if kingdom is None:
        return make_setup(definition, players)
    if isinstance(kingdom, str):
        return make_setup(definition, players, kingdom)
    return make_setup(definition, players, "", tuple(as_list(kingdom)))


def make_setup(definition: Definition, players: int, name: str = "", piles: Sequence[Any] = ()) -> Setup:
    """Return a setup with a named set, with these piles, or with the first set of the game."""
    known = [pile.name for pile in definition.choices]
    if name:
        if not definition.choices:
            raise PlannerError(f"kingdom: {definition.title} has no piles to choose, got {quote(name)}")
        if name not in definition.sets:
            hint = did_you_mean(name, definition.sets) or f"; known sets: {', '.join(definition.sets) or 'none'}"
            raise PlannerError(f"kingdom: {quote(name)} is not a set of {definition.title}{hint}")
        return Setup(players, name, tuple(sorted(definition.sets[name], key=known.index)))
    if piles:
        for pile in piles:
            if pile not in known:
                raise PlannerError(f"kingdom: unknown pile {quote(pile)}{did_you_mean(pile, known)}")
        if len(piles) != definition.chosen_piles or len(set(piles)) != len(piles):
            raise PlannerError(
                f"kingdom: a match has {definition.chosen_piles} different piles, got {len(set(piles))} of {len(piles)}"
            )
        return Setup(players, "", tuple(sorted(piles, key=known.index)))
    if definition.sets:
        return make_setup(definition, players, next(iter(definition.sets)))
    return Setup(players, "", tuple(known[: definition.chosen_piles]))


def random_setup(definition: Definition, players: int, rng: Random) -> Setup:
    """Return a setup with a random choice of piles."""
    known = [pile.name for pile in definition.choices]
    chosen = set(rng.sample(known, definition.chosen_piles))
    return Setup(players, "", tuple(name for name in known if name in chosen))


# -- actions


def action_to_json(action: Action) -> dict[str, Any]:
    """Return the action as JSON values."""
    data = {"type": action.type}
    if action.zone == "options":
        data["option"] = action.card
    elif action.card:
        data["card"] = action.card
        if action.zone:
            data["from"] = action.zone
    return data


def action_from_json(definition: Definition, data: Any, place: str = "action") -> Action:
    """Read an action; errors begin with `place`."""
    if not isinstance(data, Mapping):
        raise PlannerError(f"{place}: must be an object, got {quote(data)}")
    if (unknown := first_unknown_key(data, ("type", "card", "from", "option"))) is not None:
        raise PlannerError(f"{place}: {unknown_field(unknown, ('type', 'card', 'from', 'option'))}")
    kind = data.get("type")
    if kind not in ACTION_TYPES:
        raise PlannerError(f"{place}.type: must be one of {', '.join(ACTION_TYPES)}; got {quote(kind)}")
    if kind == "choose" and "option" in data:
        option = data["option"]
        if not isinstance(option, str) or not option:
            raise PlannerError(f"{place}.option: must be a text, got {quote(option)}")
        return Action(kind, option, "options")
    if kind not in ("play", "buy", "use", "choose"):
        return Action(kind)
    card = data.get("card")
    if not isinstance(card, str) or (card != UNKNOWN and card not in definition.ids):
        raise PlannerError(f"{place}.card: unknown card {quote(card)}{did_you_mean(card, definition.ids)}")
    if kind != "choose":
        return Action(kind, str(card))
    zone = data.get("from", "hand")
    if zone not in ZONES:
        raise PlannerError(f"{place}.from: must be one of {', '.join(ZONES)}; got {quote(zone)}")
    return Action(kind, str(card), zone)


def action_to_text(action: Action) -> str:
    """Return the action as one line, such as `choose Copper discard`; names with blanks are quoted."""
    return shlex.join(part for part in action if part)


def action_from_text(definition: Definition, text: str) -> Action:
    """Read the line that `action_to_text` writes."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise PlannerError(f"action: {quote(text)}: {error}") from None
    if not words or len(words) > 3:
        raise PlannerError(f"action: must be such as 'play Smithy', got {quote(text)}")
    data: dict[str, str] = {"type": words[0]}
    if words[2:] == ["options"]:
        data["option"] = words[1]
    else:
        data.update(zip(("card", "from"), words[1:], strict=False))
    return action_from_json(definition, data)


# -- states


def state_to_json(name: str, state: State) -> dict[str, Any]:
    """Return the complete state as JSON values; fields that are empty are omitted."""
    definition = state.match.definition
    names = [card.name for card in definition.cards]

    def cards(zone: Sequence[int]) -> list[str]:
        return [names[card] if card >= 0 else UNKNOWN for card in zone]

    players = []
    for player in state.players:
        entry: dict[str, Any] = {zone: cards(getattr(player, zone)) for zone in _CARD_ZONES if getattr(player, zone)}
        if player.top:
            entry["top_seen"] = list(player.top_seen)
        entry |= {"points": player.points, "health": player.health, "turns": player.turns}
        players.append(entry | ({"mixed": True} if player.mixed else {}))
    supply = []
    piles = state.match.piles
    for slot, (top, left, below) in enumerate(zip(state.tops, state.left, state.below, strict=True)):
        pile: dict[str, Any] = {"pile": piles[slot].name if slot < len(piles) else "row"}
        pile |= {"card": names[top] if top != EMPTY else None, "left": left}
        supply.append(pile | ({"below": cards(below)} if below else {}))
    data: dict[str, Any] = {
        "game": name,
        "setup": setup_to_json(state.match.setup),
        "players": players,
        "supply": supply,
        "trash": cards(state.trash),
        "stats": dict(zip(definition.stats, state.stats, strict=True)),
        "active": state.active,
        "turn": state.turn,
        "phase": definition.phases[state.phase] if state.phase < len(definition.phases) else "clear",
    }
    more: dict[str, Any] = {
        "centre": cards(state.centre),
        "bought": state.bought,
        "used": cards(state.used),
        "reserve": state.reserve,
        "frames": [_frame_to_json(frame, names) for frame in state.frames],
        "prompt": _prompt_to_json(state.prompt, names) if state.prompt is not None else None,
        "listeners": [
            {**listener._asdict(), "source": names[listener.source] if listener.source >= 0 else ""}
            for listener in state.listeners
        ],
        "memory": dict(state.memory),
        "ended": state.ended,
        "pool": cards(state.pool),
    }
    return data | {key: value for key, value in more.items() if value}


def _frame_to_json(frame: Frame, names: Sequence[str]) -> dict[str, Any]:
    data = frame._asdict()
    data["source"] = names[frame.source] if frame.source >= 0 else ""
    data["chosen"] = list(frame.chosen)
    return data


def _prompt_to_json(prompt: Decision, names: Sequence[str]) -> dict[str, Any]:
    def codes(values: Sequence[int]) -> list[Any]:
        if prompt.kind != "cards":
            return list(values)
        return [[ZONES[code // ZONE_BASE], names[code % ZONE_BASE]] if code >= 0 else UNKNOWN for code in values]

    data: dict[str, Any] = {"seat": prompt.seat, "kind": prompt.kind, "low": prompt.low, "high": prompt.high}
    more = {
        "options": codes(prompt.options),
        "picked": codes(prompt.picked),
        "labels": list(prompt.labels),
        "message": prompt.message,
    }
    return data | {key: value for key, value in more.items() if value}


class _StateReader:
    """Reads a state of one game."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition

    def read(self, data: Any) -> State:
        if not isinstance(data, Mapping):
            raise PlannerError(f"state: must be an object, got {quote(data)}")
        if (unknown := first_unknown_key(data, _STATE_FIELDS)) is not None:
            raise PlannerError(unknown_field(unknown, _STATE_FIELDS))
        definition = self._definition
        entries = read_field(data, "players", as_list)
        setup_data = dict(as_mapping(data.get("setup", {})))
        setup_data.setdefault("players", len(entries))
        setup = setup_from_json(definition, setup_data)
        if len(entries) != setup.players:
            raise PlannerError(f"players: the match has {setup.players} players, got {len(entries)}")
        fresh = rules.start(definition, setup, Random(0))
        seats = len(entries)

        def number(key: str, default: int, maximum: int = _MAX, minimum: int = 0) -> int:
            return read_field(data, key, lambda value: integer(value, minimum, maximum)) if key in data else default

        tops, left, below = self._supply(data, fresh)
        phases = (*definition.phases, "clear")
        phase = data.get("phase", phases[0])
        if phase not in phases:
            raise PlannerError(f"phase: must be one of {', '.join(phases)}; got {quote(phase)}")
        prompt = self._prompt(data["prompt"], seats) if data.get("prompt") is not None else None
        frames = self._frames(data, seats)
        if prompt is not None and not frames:
            raise PlannerError("prompt: needs the effect that asks in frames")
        for index, frame in enumerate(frames[:-1] if prompt is not None else frames):
            if frame.block == CALL and "asked" in json.loads(frame.memo or "{}"):
                raise PlannerError(f"frames[{index}].memo: asks, but only the last of frames can wait for a prompt")
        ended = data.get("ended", "")
        if not isinstance(ended, str):
            raise PlannerError(f"ended: must be a text, got {quote(ended)}")
        if phase == phases[-1] and prompt is None and not ended:
            raise PlannerError(f"phase: {phase!r} needs a prompt, since nothing else can be done in it")
        active, turn = number("active", 0, seats - 1), number("turn", 1, minimum=1)

        def turns(seat: int) -> int:
            return max(0, (turn - 1 - (active - seat) % seats) // seats + 1)

        state = State(
            match=Match(definition, setup),
            players=tuple(
                self._player(entry, f"players[{seat}]", seats, turns(seat)) for seat, entry in enumerate(entries)
            ),
            tops=tops,
            left=left,
            below=below,
            centre=self._cards(data, "centre", fresh.centre),
            trash=self._cards(data, "trash", ()),
            stats=self._stats(data),
            active=active,
            turn=turn,
            phase=phases.index(phase),
            bought=read_field(data, "bought", boolean) if "bought" in data else False,
            used=self._cards(data, "used", ()),
            reserve=number("reserve", 0 if "turn" in data else fresh.reserve),
            frames=frames,
            prompt=prompt,
            listeners=self._listeners(data, seats),
            memory=self._memory(data),
            ended=ended,
            pool=self._cards(data, "pool", ()),
        )
        if prompt is not None:
            self._check_prompt(state, prompt, frames[-1])
        return state

    # -- parts

    def _card(self, value: Any, place: str) -> int:
        if value == UNKNOWN:
            return HIDDEN
        ids = self._definition.ids
        if not isinstance(value, str) or value not in ids:
            raise PlannerError(f"{place}: unknown card {quote(value)}{did_you_mean(value, ids)}")
        return ids[value]

    def _cards(
        self, data: Mapping[str, Any], key: str, default: tuple[int, ...], path: str = "", keep_order: bool = False
    ) -> tuple[int, ...]:
        if key not in data:
            return default
        place = join_path(path, key)
        values = read_field(data, key, as_list, path)
        if len(values) > _MAX_CARDS:
            raise PlannerError(f"{place}: has {len(values)} cards; the limit is {_MAX_CARDS}")
        cards = [self._card(value, f"{place}[{index}]") for index, value in enumerate(values)]
        return tuple(cards) if keep_order else tuple(sorted(cards))

    def _player(self, data: Any, path: str, seats: int, turns: int) -> Player:
        if not isinstance(data, Mapping):
            raise PlannerError(f"{path}: must be an object, got {quote(data)}")
        known = (*_CARD_ZONES, "top_seen", "points", "health", "turns", "mixed")
        if (unknown := first_unknown_key(data, known)) is not None:
            raise PlannerError(f"{join_path(path, str(unknown))}: {unknown_field(unknown, known)}")
        zones = {zone: self._cards(data, zone, (), path, zone not in _SORTED_ZONES) for zone in _CARD_ZONES}
        everyone = (1 << seats) - 1
        seen = (everyone,) * len(zones["top"])
        if "top_seen" in data:
            values = read_field(data, "top_seen", as_list, path)
            seen = tuple(read_field({"top_seen": value}, "top_seen", _mask(everyone), path) for value in values)
            if len(seen) != len(zones["top"]):
                raise PlannerError(f"{path}.top_seen: must have a number for each card of top")

        def number(key: str, default: int, minimum: int = 0) -> int:
            return read_field(data, key, lambda value: integer(value, minimum, _MAX), path) if key in data else default

        return Player(
            **zones,
            top_seen=seen,
            points=number("points", 0, -_MAX),
            health=number("health", self._definition.health),
            turns=number("turns", turns),
            mixed=read_field(data, "mixed", boolean, path) if "mixed" in data else False,
        )

    def _supply(
        self, data: Mapping[str, Any], fresh: State
    ) -> tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...]]:
        if "supply" not in data:
            return fresh.tops, fresh.left, fresh.below
        entries = read_field(data, "supply", as_list)
        if len(entries) != len(fresh.tops):
            raise PlannerError(f"supply: the match has {len(fresh.tops)} piles, got {len(entries)}")
        tops, left, below = [], [], []
        piles = fresh.match.piles
        for slot, entry in enumerate(entries):
            path = f"supply[{slot}]"
            name = piles[slot].name if slot < len(piles) else "row"
            if not isinstance(entry, Mapping) or entry.get("pile") != name:
                raise PlannerError(f"{path}: must be an object with the pile {name!r}, got {quote(entry)}")
            if (unknown := first_unknown_key(entry, ("pile", "card", "left", "below"))) is not None:
                raise PlannerError(f"{path}: {unknown_field(unknown, ('pile', 'card', 'left', 'below'))}")
            number = read_field(entry, "left", lambda value: integer(value, 0, _MAX_CARDS), path)
            card = entry.get("card")
            tops.append(EMPTY if card is None else self._card(card, f"{path}.card"))
            if (tops[-1] == EMPTY) != (number == 0):
                raise PlannerError(f"{path}.left: must be 0 for an empty pile and above 0 for others, got {number}")
            left.append(number)
            shuffled = slot < len(piles) and piles[slot].shuffled
            below.append(self._cards(entry, "below", (), path, not shuffled))
        return tuple(tops), tuple(left), tuple(below)

    def _stats(self, data: Mapping[str, Any]) -> tuple[int, ...]:
        stats = self._definition.stats
        entry = as_mapping(data.get("stats", {}))
        if (unknown := first_unknown_key(entry, stats)) is not None:
            raise PlannerError(f"stats: {unknown_field(unknown, stats)}")
        return tuple(
            read_field(entry, stat, lambda value: integer(value, 0, _MAX), "stats") if stat in entry else start
            for stat, start in zip(stats, self._definition.stat_starts, strict=True)
        )

    def _frames(self, data: Mapping[str, Any], seats: int) -> tuple[Frame, ...]:
        frames = []
        for index, entry in enumerate(as_list(data.get("frames", []))):
            path = f"frames[{index}]"
            if not isinstance(entry, Mapping) or first_unknown_key(entry, Frame._fields) is not None:
                raise PlannerError(f"{path}: must be an object with {', '.join(Frame._fields)}; got {quote(entry)}")
            blocks = self._definition.blocks
            block = read_field(entry, "block", partial(integer, minimum=-2, maximum=len(blocks) - 1), path)
            limit = {-1: len(self._definition.function_names), -2: len(blocks)}.get(block)
            highest = max(0, (len(blocks[block]) if limit is None else limit) - 1)
            position = read_field(entry, "position", partial(integer, minimum=0, maximum=highest), path)
            player, owner = (
                read_field(entry, key, lambda value: integer(value, 0, seats - 1), path) for key in ("player", "owner")
            )
            source = entry.get("source", "")
            frames.append(
                Frame(
                    block,
                    position,
                    player,
                    owner,
                    self._card(source, f"{path}.source") if source else -1,
                    read_field({"chosen": [], **entry}, "chosen", self._chosen, path),
                    self._frame_memo(entry.get("memo", ""), block, f"{path}.memo"),
                )
            )
            if block == CALL and not limit:
                raise PlannerError(f"{path}.block: the game has no functions, got {block}")
        return tuple(frames)

    def _chosen(self, value: Any) -> tuple[int, ...]:
        return tuple(integer(card, -1, len(self._definition.cards) - 1) for card in as_list(value))

    @staticmethod
    def _frame_memo(value: Any, block: int, place: str) -> str:
        """Read what a frame remembers: a function a JSON object, a step that is repeated a number."""
        if block == CALL:
            return _call_memo(value, place)
        if not isinstance(value, str) or (value and not (value.isascii() and value.isdigit())):
            raise PlannerError(f"{place}: must be the text of a whole number, got {quote(value)}")
        return value

    def _check_prompt(self, state: State, prompt: Decision, frame: Frame) -> None:
        """Refuse a prompt that does not fit what waits for it. The prompt of another seat has no options."""
        kind, options = ASK, prompt.options
        labels: tuple[str, ...] = ()
        table = Table(state, Random(0))
        if frame.block == CALL:
            memo = json.loads(frame.memo or "{}")
            if not memo and not prompt.options:  # of another seat
                return
            kind, labels = memo.get("asked", ""), tuple(memo.get("labels", ()))
            zones = {code // ZONE_BASE for code in prompt.options if code >= 0}
            options = tuple(z * ZONE_BASE + card for z in zones for card in table.zone(z, prompt.seat) if card >= 0)
        elif frame.block >= 0:
            step = self._definition.blocks[frame.block][frame.position]
            kind = _ASKING.get(type(step), "")
            if isinstance(step, Choose):
                options = choose_options(table, frame, step)
            elif isinstance(step, Gain):
                options = gain_options(table, frame, step)
            elif isinstance(step, ChooseOne):
                labels = step.texts
        if prompt.kind != kind:
            raise PlannerError(f"prompt.kind: the last of frames asks for {kind or 'nothing'}, got {prompt.kind}")
        if prompt.options and prompt.labels != labels:
            raise PlannerError(f"prompt.labels: must be those of the last of frames: {', '.join(labels) or 'none'}")
        if kind == CARDS and Counter(prompt.options) - Counter(options):
            raise PlannerError("prompt.options: must be cards among which the last of frames lets the player choose")
        if prompt.low > min(len(prompt.options), prompt.high):
            raise PlannerError(f"prompt.low: must be at most high and the number of options, got {prompt.low}")

    def _prompt(self, data: Any, seats: int) -> Decision:
        entry = as_mapping(data)
        if (unknown := first_unknown_key(entry, Decision._fields)) is not None:
            raise PlannerError(f"prompt: {unknown_field(unknown, Decision._fields)}")
        kind = entry.get("kind")
        if kind not in ("cards", "yes", "option"):
            raise PlannerError(f"prompt.kind: must be cards, yes or option; got {quote(kind)}")
        labels = tuple(map(str, as_list(entry.get("labels", []))))

        def codes(key: str) -> tuple[int, ...]:
            values = as_list(entry.get(key, []))
            if kind != "cards":
                return tuple(integer(value, 0, max(0, len(labels) - 1)) for value in values)
            result = []
            for value in values:
                if value == UNKNOWN:
                    result.append(HIDDEN)
                    continue
                if not isinstance(value, list) or len(value) != 2 or value[0] not in ZONES or value[1] == UNKNOWN:
                    raise PlannerError(f"prompt.{key}: must be pairs of a zone and a card, got {quote(value)}")
                result.append(ZONES.index(value[0]) * ZONE_BASE + self._card(value[1], f"prompt.{key}"))
            return tuple(result)

        options, picked = codes("options"), codes("picked")
        if Counter(picked) - Counter(options):
            raise PlannerError("prompt.picked: must be among the options")
        return Decision(
            seat=read_field(entry, "seat", lambda value: integer(value, 0, seats - 1), "prompt"),
            kind=str(kind),
            low=read_field(entry, "low", lambda value: integer(value, 0, _MAX_CARDS), "prompt"),
            high=read_field(entry, "high", lambda value: integer(value, 0, _MAX_CARDS), "prompt"),
            options=options,
            picked=picked,
            labels=labels,
            message=str(entry.get("message", ""))[:200],
        )

    def _listeners(self, data: Mapping[str, Any], seats: int) -> tuple[Listener, ...]:
        result = []
        for index, entry in enumerate(as_list(data.get("listeners", []))):
            path = f"listeners[{index}]"
            if not isinstance(entry, Mapping) or first_unknown_key(entry, Listener._fields) is not None:
                raise PlannerError(f"{path}: must be an object with {', '.join(Listener._fields)}")
            blocks = self._definition.blocks
            block = read_field(entry, "block", partial(integer, minimum=-1, maximum=len(blocks) - 1), path)
            highest = len(self._definition.function_names if block < 0 else blocks[block]) - 1
            source = entry.get("source", "")
            position = read_field(entry, "position", partial(integer, minimum=0, maximum=max(0, highest)), path)
            if highest < 0 or (block >= 0 and not isinstance(blocks[block][position], When)):
                raise PlannerError(f"{path}.position: must be that of a step `when`, got {position} of block {block}")
            result.append(
                Listener(
                    str(entry.get("event", "")),
                    block,
                    position,
                    read_field(entry, "player", lambda value: integer(value, 0, seats - 1), path),
                    self._card(source, f"{path}.source") if source else -1,
                    _call_memo(entry.get("memo", ""), f"{path}.memo"),
                )
            )
        return tuple(result)

    def _memory(self, data: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
        entry = as_mapping(data.get("memory", {}))
        return tuple(sorted((str(key), integer(value, -_MAX, _MAX)) for key, value in entry.items()))


def _mask(everyone: int) -> Any:
    return lambda value: integer(value, 0, everyone)


def _call_memo(value: Any, place: str) -> str:
    """Read what a call of a function remembers: a text with a JSON object, or nothing."""
    try:
        memo = json.loads(value or "{}")
        if (
            isinstance(value, str)
            and isinstance(memo.get("memo", {}), dict)
            and isinstance(memo.get("event", ""), str)
            and memo.get("asked", ASK) in (CARDS, ASK, OPTION)
            and isinstance(memo.get("labels", []), list)
        ):
            return value
    except (AttributeError, TypeError, ValueError):
        pass
    raise PlannerError(f"{place}: must be the text of a JSON object as a function leaves it, got {quote(value)}")


def state_from_json(definition: Definition, data: Any) -> State:
    """Read a state of this game."""
    return _StateReader(definition).read(data)


def state_schema(definition: Definition) -> Schema:
    """Return the JSON schema of a state."""
    card: Schema = {"enum": [UNKNOWN, *(card.name for card in definition.cards)]}
    cards, number = list_schema(card), integer_schema(0, _MAX)
    player = object_schema(
        dict.fromkeys(_CARD_ZONES, cards)
        | {"top_seen": list_schema(number), "points": integer_schema(-_MAX, _MAX), "health": number, "turns": number}
        | {"mixed": {"type": "boolean"}}
    )
    anything: Schema = {}
    properties = dict.fromkeys(_STATE_FIELDS, anything) | {"players": list_schema(player, 1), "trash": cards}
    return object_schema(properties, ("players",))
