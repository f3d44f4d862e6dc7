"""Agents that are data files: a menu of cards to buy, in order and under conditions.

    buy:
      - Province if money > 18
      - Gold
      - Silver

At each purchase and each gain the first line that is possible and whose condition holds decides; a line is skipped if
its card would end the match and lose it. Everything else follows simple rules: play actions that give actions first,
then the most expensive; discard what cannot be played, then the cheapest; trash what `trash` lists.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList
from planner.formats.json_schema import TEXT, Schema, list_schema, object_schema
from planner.formats.values import ErrorCollector, Fields, as_list, text
from planner.games.deckbuilder import rules
from planner.games.deckbuilder.amounts import Amount, compare
from planner.games.deckbuilder.definition import Definition
from planner.games.deckbuilder.definition_reader import load_definition
from planner.games.deckbuilder.effects import NO_BLOCK, AddStat, Choose, Gain
from planner.games.deckbuilder.steps import ASK, CARDS
from planner.games.deckbuilder.table import owned_cards
from planner.games.deckbuilder.table_state import DONE, END, YES, ZONE_BASE, Action, Decision, State

FIELDS: Final[Mapping[str, str]] = {
    "title": "what the bot is called in tables",
    "buy": "the menu: cards to buy, in order, each with or without a condition",
    "play": "actions to play first, in this order",
    "trash": "cards to trash where that is possible",
}
QUANTITIES: Final[Mapping[str, str]] = {
    "own(CARD)": "copies of a card among all own cards",
    "left(CARD)": "cards left in its pile",
    "money": "what all own treasures give together",
    "treasures": "number of own treasures",
    "cards": "number of own cards",
    "turn": "number of the own turn",
    "empty_piles": "number of empty piles",
}
_LINE: Final = re.compile(r"(?P<card>.+?)(?:\s+if\s+(?P<condition>.+))?")
_CONDITION: Final = re.compile(r"\s*(.+?)\s*(<=|>=|==|!=|<|>)\s*(.+?)\s*")
_OPERAND: Final = re.compile(r"(?:(?P<word>own|left)\((?P<card>[^)]+)\)|(?P<name>[a-z_]+)|(?P<number>\d{1,5}))"
                             r"(?:\s*/\s*(?P<divisor>\d{1,4}))?")  # fmt: skip
_PLAIN: Final = ("money", "treasures", "cards", "turn", "empty_piles")
TREASURE: Final = "treasure"
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Operand:
    """A number or a quantity, which may be divided."""

    kind: str  # number, own, left, or a name of `_PLAIN`
    value: int  # the number, or the card
    divisor: int = 1


@dataclass(frozen=True)
class MenuLine:
    """A card, and the conditions under which it is wanted."""

    card: int
    conditions: tuple[tuple[Operand, str, Operand], ...] = ()


@dataclass(frozen=True)
class Menu:
    """What a bot buys, plays first and trashes."""

    name: str
    buy: tuple[MenuLine, ...]
    play: tuple[int, ...]
    trash: tuple[MenuLine, ...]


# -- reading


def read_menu(path: Path, definition: Definition) -> Menu:
    """Read the file of a bot."""
    fields = Fields.of_file(path, "a bot", "with buy")
    fields.check_keys(FIELDS, ("buy",))
    errors = ErrorCollector()
    lines: dict[str, tuple[MenuLine, ...]] = {}
    for key in ("buy", "trash"):
        lines[key] = _read_list(fields, key, partial(_read_line, definition=definition), errors)
    play = _read_list(fields, "play", partial(_card, definition=definition), errors)
    errors.raise_if_any()
    if not lines["buy"]:
        raise fields.error("buy: must have at least one line", "buy")
    fields.read("title", partial(text, maximum=100))
    return Menu(path.stem, lines["buy"], play, lines["trash"])


def _read_list(fields: Fields, key: str, read: Callable[[Any], _Value], errors: ErrorCollector) -> tuple[_Value, ...]:
    """Return the items of a list; every mistake is collected with the line of its item."""
    values: list[_Value] = []
    with errors:
        fields.read(key, as_list)
    items = fields.entry.get(key)
    for item, line in zip(items, items.lines, strict=True) if isinstance(items, YamlList) else ():
        with errors:
            try:
                values.append(read(item))
            except PlannerError as error:
                raise PlannerError(f"{fields.path}:{line}: {key}: {error}") from None
    return tuple(values)


def _read_line(value: Any, definition: Definition) -> MenuLine:
    match = _LINE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise PlannerError(f"must be such as 'Gold' or 'Duchy if left(Province) <= 4', got {quote(value)}")
    card = _card(match["card"], definition)
    conditions = []
    for part in match["condition"].split(" and ") if match["condition"] else ():
        relation = _CONDITION.fullmatch(part)
        if relation is None:
            raise PlannerError(f"{quote(part)} is not a condition such as 'own(Smithy) < 2'")
        left, operator, right = relation.groups()
        conditions.append((_operand(left, definition), operator, _operand(right, definition)))
    return MenuLine(card, tuple(conditions))


def _operand(word: str, definition: Definition) -> Operand:
    match = _OPERAND.fullmatch(word)
    if match is None or (match["name"] is not None and match["name"] not in _PLAIN):
        hint = did_you_mean(word, _PLAIN) or f"; known are {', '.join(QUANTITIES)}"
        raise PlannerError(f"{quote(word)} is not a number or quantity{hint}")
    divisor = int(match["divisor"] or 1)
    if divisor == 0:
        raise PlannerError(f"{quote(word)} divides by 0")
    if match["number"] is not None:
        return Operand("number", int(match["number"]), divisor)
    if match["name"] is not None:
        return Operand(match["name"], 0, divisor)
    return Operand(match["word"], _card(match["card"], definition), divisor)


def _card(value: Any, definition: Definition) -> int:
    if not isinstance(value, str) or value not in definition.ids:
        hint = did_you_mean(value, definition.ids) or f"; {definition.title} has no such card (--game names the game)"
        raise PlannerError(f"unknown card {quote(value)}{hint}")
    return definition.ids[value]


def menu_schema() -> Schema:
    """Return the JSON schema of a bot."""
    return object_schema({key: TEXT if key == "title" else list_schema(TEXT) for key in FIELDS}, ("buy",))


@cache
def menu_files(folder: Path) -> Mapping[str, Path]:
    """Return the bots in the folder `bots` of a game, by name."""
    return {path.stem: path for path in sorted((folder / "bots").glob("*.yaml"))}


# -- playing


class CardValues:
    """What a bot knows about the cards of a game before the match."""

    def __init__(self, definition: Definition) -> None:
        cards = definition.cards
        self.playable = [card.playable for card in cards]
        self.cost = [card.cost.constant if card.cost is not None else 0 for card in cards]
        self.is_treasure = [TREASURE in card.types for card in cards]
        self.money, self.actions = [], []
        currency = {index for card in cards for index in card.currencies}
        for card in cards:
            steps = definition.blocks[card.effects] if card.effects != NO_BLOCK else ()
            added = [(step.stat, step.amount.constant) for step in steps if isinstance(step, AddStat)]
            self.money.append(sum(amount for stat, amount in added if stat in currency))
            self.actions.append(sum(amount for stat, amount in added if stat == definition.actions_stat))
        self.is_action = definition.is_action
        self.only_trashes = [
            card.effects != NO_BLOCK and all(map(_is_optional_trash, definition.blocks[card.effects])) for card in cards
        ]


def _is_optional_trash(step: object) -> bool:
    return isinstance(step, Choose) and step.do == "trash" and step.then == NO_BLOCK and step.low == Amount(0)


class MenuBot:
    """Plays by a menu. It makes no random choices."""

    def __init__(self, menu: Menu, definition: Definition) -> None:
        self.name = menu.name
        self._menu = menu
        self._definition = definition
        self._values = CardValues(definition)

    def decide(self, state: State) -> Action:
        """Return the action that the menu and the simple rules give."""
        if state.prompt is not None:
            return self._answer(state, state.prompt)
        actions = rules.legal_actions(state)
        ids, values = self._definition.ids, self._values
        plays = [ids[action.card] for action in actions if action.type == "play"]
        plays = [card for card in plays if not values.only_trashes[card] or self._has_junk(state)]
        if plays:
            return Action("play", self._definition.cards[self._first_play(plays)].name)
        uses = [action for action in actions if action.type == "use"]
        if uses:
            return uses[0]
        buys = [ids[action.card] for action in actions if action.type == "buy"]
        if buys:
            free = [card for card in buys if not self._definition.cards[card].kept]
            card = self._first_gain(state, buys)
            if card is None and free:  # a reward costs nothing that could be kept
                card = max(free, key=lambda other: (values.cost[other], -other))
            if card is not None:
                return Action("buy", self._definition.cards[card].name)
        return END

    def _first_play(self, plays: Sequence[int]) -> int:
        """Return the card to play: those of the file first, then those that give actions, then the dearest."""
        for card in self._menu.play:
            if card in plays:
                return card
        values = self._values
        return max(plays, key=lambda card: (values.actions[card] > 0, values.cost[card], -card))

    def _has_junk(self, state: State) -> bool:
        """Return whether the hand has a card that the bot trashes."""
        return self._first_line(state, self._menu.trash, state.players[rules.to_move(state)].hand) is not None

    # -- decisions inside cards

    def _answer(self, state: State, prompt: Decision) -> Action:
        if prompt.kind == ASK:
            return YES
        if prompt.kind != CARDS:
            return Action("choose", prompt.labels[prompt.options[0]], "options")
        frame = state.frames[-1]
        step = self._definition.blocks[frame.block][frame.position] if frame.block >= 0 else None
        remaining = list((Counter(prompt.options) - Counter(prompt.picked)).elements())
        must = len(prompt.picked) < prompt.low
        code: int | None
        if isinstance(step, Gain) or step is None:
            code = self._best_gain(state, remaining)
        elif isinstance(step, Choose):
            code = self._choice(state, prompt, step, remaining, frame.player)
        else:
            code = None
        if code is None:
            if not must:
                return DONE
            code = min(remaining, key=self._keep_value)
        return rules.choice_action(self._definition, code)

    def _choice(
        self, state: State, prompt: Decision, step: Choose, remaining: Sequence[int], player: int
    ) -> int | None:
        """Return what to choose, or None where the choice is optional and nothing is wanted."""
        worst, best = partial(min, key=self._keep_value), partial(max, key=self._keep_value)
        own = player == prompt.seat
        if step.do == "trash":
            if not own:
                return int(best(remaining))
            if step.then != NO_BLOCK:  # for something else
                return int(worst(remaining))
            wanted = self._first_line(
                _without_picked(state, prompt), self._menu.trash, [code % ZONE_BASE for code in remaining]
            )
            return next((code for code in remaining if code % ZONE_BASE == wanted), None)
        if step.do == "discard":
            junk = [code for code in remaining if not self._values.playable[code % ZONE_BASE]]
            if not own:
                return next((code for code in remaining if code not in junk), None)
            return int(worst(junk or remaining)) if junk or prompt.low else None
        if step.do in ("play", "take"):
            return int(best(remaining))
        if step.do == "aside":
            actions = self._definition.actions_stat
            return remaining[0] if actions >= 0 and state.stats[actions] == 0 else None
        if step.do == "top" and prompt.low == 0:
            useful = [code for code in remaining if self._values.playable[code % ZONE_BASE]]
            return int(best(useful)) if useful else None
        return int(worst(remaining)) if prompt.low else None

    def _keep_value(self, code: int) -> tuple[bool, int, int]:
        """Return a key by which cards are kept: playable ones first, then by cost."""
        card = code % ZONE_BASE
        return (code >= 0 and self._values.playable[card], self._values.cost[card] if code >= 0 else 0, -card)

    def _best_gain(self, state: State, codes: Sequence[int]) -> int | None:
        cards = [code % ZONE_BASE for code in codes]
        card = self._first_gain(state, cards)
        if card is None:
            return max(codes, key=self._keep_value)
        return codes[cards.index(card)]

    # -- menus

    def _first_gain(self, state: State, possible: Collection[int]) -> int | None:
        """Return the card of the first line for purchases that is possible and does not lose the match."""
        return self._first_line(state, self._menu.buy, [card for card in possible if not _ends_lost(state, card)])

    def _first_line(self, state: State, lines: Sequence[MenuLine], possible: Collection[int]) -> int | None:
        """Return the card of the first line that is possible and whose conditions hold."""
        for line in lines:
            if line.card in possible and all(
                self._holds(state, left, operator, right) for left, operator, right in line.conditions
            ):
                return line.card
        return None

    def _holds(self, state: State, left: Operand, operator: str, right: Operand) -> bool:
        return compare(self._value(state, left) * right.divisor, operator, self._value(state, right) * left.divisor)

    def _value(self, state: State, operand: Operand) -> int:
        if operand.kind == "number":
            return operand.value
        if operand.kind == "left":
            return sum(left for top, left in zip(state.tops, state.left, strict=True) if top == operand.value)
        if operand.kind == "empty_piles":
            return state.empty_piles
        player = state.players[rules.to_move(state)]
        if operand.kind == "turn":
            return player.turns
        owned = owned_cards(player)
        if operand.kind == "own":
            return owned.count(operand.value)
        if operand.kind == "cards":
            return len(owned)
        values = self._values
        treasures = [card for card in owned if card >= 0 and values.is_treasure[card]]
        return len(treasures) if operand.kind == "treasures" else sum(values.money[card] for card in treasures)


def _without_picked(state: State, prompt: Decision) -> State:
    """Return the state without the cards of the hand that are already picked, so that conditions do not count them."""
    player = state.players[prompt.seat]
    hand = Counter(player.hand) - Counter(code for code in prompt.picked if code < ZONE_BASE)  # the hand is zone 0
    players = list(state.players)
    players[prompt.seat] = player._replace(hand=tuple(sorted(hand.elements())))
    return state._replace(players=tuple(players))


def _ends_lost(state: State, card: int) -> bool:
    """Return whether taking the last card of a pile ends the match, and the player loses it.

    What a card does on purchase can change who wins, so such a card is never refused.
    """
    kind = state.match.definition.cards[card]
    slots = [
        slot
        for slot, pile in enumerate(state.match.piles)
        if state.tops[slot] == card and state.left[slot] == 1 and not pile.permanent
    ]
    if not slots or not kind.kept or kind.on_gain != NO_BLOCK:
        return False
    seat, slot = rules.to_move(state), slots[0]
    own = state.players[seat]
    players = list(state.players)
    players[seat] = own._replace(discard=(*own.discard, card))
    left = (*state.left[:slot], 0, *state.left[slot + 1 :])
    outcome = rules.outcome(rules.after_turn(state._replace(players=tuple(players), left=left)))
    return outcome is not None and outcome.places[seat] > 1 and not rules.after_turn(state).ended


def make_bot(path: Path, definition: Definition, _rng: Random) -> MenuBot:
    """Return the bot of a file."""
    return MenuBot(_cached_menu(path, definition.path), definition)


@cache
def _cached_menu(path: Path, definition_path: Path) -> Menu:
    return read_menu(path, load_definition(definition_path))
