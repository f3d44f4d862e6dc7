"""The words of the card language: atomic actions (verbs), targets, conditions, events and functions.

Every word is registered under a name together with the function that carries it out. The words that come with the game
are in `built_in_words`; a designer's file adds others to an `Extension` (`extensions`). Readers, texts, schemas, rules
and planner know words only by what is registered here.
"""

from __future__ import annotations

import inspect
import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from planner.errors import PlannerError, did_you_mean, quote

PILES: Final = ("hand", "draw", "discard", "exhaust")
MAX_CARDS: Final = 1000  # in one pile
MAX_NUMBER: Final = 9999  # the largest number on a card, so that sums stay small
OwnerKind: TypeAlias = Literal["card", "status", "move"]
ActsOn: TypeAlias = Literal["fighters", "cards", "nothing"]
FieldKind: TypeAlias = Literal["number", "status", "pile", "turns"]
# What a function returns: fighters, true or false, the new value of an event, a text, or nothing that counts. Only
# those that return a value or nothing may change the battle.
Returns: TypeAlias = Literal["fighters", "truth", "value", "text", "nothing"]
# The words of an action, such as `{"amount": "6"}`, and whether it affects its own fighter: returns a phrase.
TextFunction: TypeAlias = Callable[[Mapping[str, str], bool], str]
Text: TypeAlias = str | TextFunction
_Function = TypeVar("_Function", bound=Callable[..., Any])
_Word = TypeVar("_Word")
_FIELD_KINDS: Final[Mapping[str, FieldKind]] = {"status": "status", "into": "pile", "turns": "turns"}
_SUBJECTS: Final[Mapping[str, ActsOn]] = {"target": "fighters", "targets": "fighters", "card": "cards"}
_NAME: Final = re.compile(r"[a-z][a-z0-9_' -]*")
_NO_FIELDS: Final = frozenset({"do", "to", "if", "and", "battle", "source", "target", "targets", "card"})
_NEVER_RUNS: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR  # when it is called
_ANYONE: Final[tuple[OwnerKind, ...]] = ("card", "status", "move")


def field_kind(name: str) -> FieldKind:
    """Return what a field of an action holds: the names of some fields decide it, all others are numbers."""
    return _FIELD_KINDS.get(name, "number")


# -- words


@dataclass(frozen=True, eq=False)
class Verb:
    """An atomic action."""

    name: str
    acts_on: ActsOn
    required: tuple[str, ...]  # fields
    defaults: Mapping[str, Any]  # of the optional fields
    function: Callable[..., Any]
    each: bool  # whether the function is called once for each target, and not once for all
    text: Text
    short: Text  # as the intent of an enemy
    ignores_hand_order: bool

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the names of all fields."""
        return (*self.required, *self.defaults)


@dataclass(frozen=True, eq=False)
class Group:
    """Fighters, or cards of a pile, from which a target is selected."""

    name: str
    pile: str  # empty for fighters
    # Fighters: called with the battle and the acting fighter, returns the fighters. Cards: called with the battle, the
    # acting fighter and a card, returns whether it belongs to the group.
    function: Callable[..., Any]
    owners: tuple[OwnerKind, ...]  # whose actions may have this target
    ignores_hand_order: bool


class Target(NamedTuple):
    """The target of an action: how it is selected, from which group, and for cards how many."""

    how: str  # fixed, this, chosen, random, all
    group: Group
    number: int = 1
    text: str = ""
    plural: str = ""  # in texts, for more than one card

    @property
    def acts_on(self) -> ActsOn:
        """Return whether this target consists of fighters or of cards."""
        return "cards" if self.how == "this" or self.group.pile else "fighters"

    def describe(self) -> str:
        """Return the target as texts name it."""
        return self.text if self.number == 1 else f"{self.number} {self.how} {self.plural}"


@dataclass(frozen=True, eq=False)
class Condition:
    """A question about the battle, on which an action can depend."""

    name: str
    field: str  # what follows the name: a number, or `status`; empty for nothing
    function: Callable[..., bool]
    text: str
    ignores_hand_order: bool


class Event(NamedTuple):
    """An event to which statuses can react."""

    name: str
    changes_value: bool  # otherwise it is a moment


NO_TARGET: Final = Target("nothing", Group("nothing", "", lambda _battle, _source: [], _ANYONE, True))

# Called with the battle, the fighter that has the status, the active status, and the value that the event may change
# (0 for a moment). Returns the new value.
StatusFunction: TypeAlias = Callable[[Any, Any, Any, int], int]


class NamedFunction(NamedTuple):
    """A function that status definitions name with `call`."""

    function: StatusFunction  # for a moment; what it returns does not count
    value_function: StatusFunction
    ignores_hand_order: bool


# -- the registry


class Vocabulary:
    """Words by name. An extension starts with the words of its base.

    A word that does not declare `ignores_hand_order` is taken to depend on the order of the hand, so the planner cannot
    merge turns that lead to the same cards. None of the words that come with the game depends on it.
    """

    def __init__(self, base: Vocabulary | None = None) -> None:
        self._all_ignore_hand_order = base is None
        self.verbs: dict[str, Verb] = dict(base.verbs) if base else {}
        self.targets: dict[str, Target] = dict(base.targets) if base else {}
        self.card_nouns: list[str] = list(base.card_nouns) if base else []  # that take a number: `2 chosen NOUN`
        self.conditions: dict[str, Condition] = dict(base.conditions) if base else {}
        self.events: dict[str, Event] = dict(base.events) if base else {}
        self.functions: dict[str, NamedFunction] = dict(base.functions) if base else {}

    def guard(self, name: str, function: _Function, returns: Returns) -> _Function:  # noqa: ARG002  (extensions use it)
        """Return the function in the form in which a battle calls it."""
        return function

    def verb(
        self, name: str, text: Text, short: Text = "", ignores_hand_order: bool = False
    ) -> Callable[[_Function], _Function]:
        """Register an atomic action.

        Its parameters decide what it is: `battle, source`, then `target` (called for each living target), `targets`
        (called once with all of them), `card` or none of these, then its fields. A field with a default is optional.
        `text` is a phrase with the fields in braces, such as `"steal {amount} health from {target}"`.
        """

        def register(function: _Function) -> _Function:
            _check_new(name, self.verbs, "action")
            subject, fields = _read_parameters(name, function)
            acts_on = _SUBJECTS.get(subject, "nothing")
            required = tuple(field for field, default in fields.items() if default is inspect.Parameter.empty)
            defaults = {field: default for field, default in fields.items() if field not in required}
            full = self._text(name, text, (*fields, *(("target", "card") if subject else ())))
            brief = self._text(name, short or ("{amount} " + name if "amount" in fields else name), tuple(fields))
            self.verbs[name] = Verb(
                name, acts_on, required, defaults, self.guard(name, function, "nothing"), subject == "target", full,
                brief, ignores_hand_order or self._all_ignore_hand_order,
            )  # fmt: skip
            return function

        return register

    def target(
        self, name: str, text: str = "", owners: tuple[OwnerKind, ...] = _ANYONE,
        ignores_hand_order: bool = False,
    ) -> Callable[[_Function], _Function]:  # fmt: skip
        """Register a fixed target: a function of the battle and the acting fighter that returns fighters."""
        ignored = ignores_hand_order or self._all_ignore_hand_order

        def register(function: _Function) -> _Function:
            _check_new(name, self.targets, "target")
            _check_parameters(name, function, "battle", "source")
            _check_template(name, text or name, ())
            group = Group(name, "", self.guard(name, function, "fighters"), owners, ignored)
            self.targets[name] = Target("fixed", group, text=text or name)
            return function

        return register

    def group(
        self, one: str, many: str, pile: str = "", every: str = "", texts: tuple[str, str] | None = None,
        ignores_hand_order: bool = False,
    ) -> Callable[[_Function], _Function]:  # fmt: skip
        """Register what `chosen ONE`, `random ONE` and `all MANY` select from; for cards also `2 chosen MANY`.

        The function returns the fighters of the group. For cards, it returns whether one card belongs to the group.
        `texts` replace `one` and `many` in the texts of cards; `every` replaces `all MANY`.
        """
        ignored = ignores_hand_order or self._all_ignore_hand_order

        def register(function: _Function) -> _Function:
            if pile:
                pile_name(pile)
            _check_parameters(one, function, "battle", "source", *(["card"] if pile else []))
            guarded = self.guard(one, function, "truth" if pile else "fighters")
            group = Group(one, pile, guarded, _ANYONE, ignored)
            singular, plural = texts or (one, many)
            for phrase in (singular, plural):
                _check_template(one, phrase, ())
            for how in ("chosen", "random", "all"):
                name = f"{how} {one}" if how != "all" else every or f"all {many}"
                phrase = f"a {how} {singular}" if how != "all" else every or f"all {plural}"
                other = f"{how} {many}" if how != "all" else f"all {one}"
                for form in (name, other) if pile else (name,):  # of cards, both forms are understood
                    _check_new(form, self.targets, "target")
                    self.targets[form] = Target(how, group, 1, phrase, plural)
            if pile:
                self.card_nouns += [one, many]
            return function

        return register

    def condition(self, name: str, text: str, ignores_hand_order: bool = False) -> Callable[[_Function], _Function]:
        """Register a condition: a function of the battle, the acting fighter and, if it has one, a number or status."""
        ignored = ignores_hand_order or self._all_ignore_hand_order

        def register(function: _Function) -> _Function:
            _check_new(name, self.conditions, "condition")
            subject, fields = _read_parameters(name, function)
            if subject or len(fields) > 1:
                named = ", ".join((*([subject] if subject else []), *fields))
                raise PlannerError(f"{name}: a condition has at most one field, a number or status, got {named}")
            field = next(iter(fields), "")
            if field_kind(field) not in ("number", "status"):
                raise PlannerError(f"{name}: the field of a condition must be a number or status, got {field}")
            _check_template(name, text, tuple(fields))
            guarded = self.guard(name, function, "truth")
            self.conditions[name] = Condition(name, field, guarded, text, ignored)
            return function

        return register

    def event(self, name: str, changes_value: bool = False) -> None:
        """Register an event; a verb broadcasts it with `battle.broadcast` or `battle.changed`."""
        _check_new(name, self.events, "event")
        self.events[name] = Event(name, changes_value)

    def function(self, name: str, ignores_hand_order: bool = False) -> Callable[[_Function], _Function]:
        """Register a function under a name that status definitions can use (`call: name`)."""
        ignored = ignores_hand_order or self._all_ignore_hand_order

        def register(function: _Function) -> _Function:
            _check_new(name, self.functions, "function")
            _check_parameters(name, function, "battle", "owner", "active", "value")
            moment, value = self.guard(name, function, "nothing"), self.guard(name, function, "value")
            self.functions[name] = NamedFunction(moment, value, ignored)
            return function

        return register

    def _text(self, name: str, text: Text, fields: tuple[str, ...]) -> Text:
        if callable(text):
            _check_parameters(name, text, "words", "own")
            return self.guard(name, text, "text")
        _check_template(name, text, fields)
        return text

    # -- reading

    def read_target(self, value: Any) -> Target:
        """Read the value of `to`."""
        if not isinstance(value, str):
            raise PlannerError(f"{quote(value)} is not a target, such as chosen enemy")
        if value in self.targets:
            return self.targets[value]
        match = re.fullmatch(r"([1-9]\d?) ((?:chosen|random|all) .+)", value)
        if match and match[2] in self.targets and self.targets[match[2]].group.pile:
            target = self.targets[match[2]]
            if target.how == "all":
                raise PlannerError(f"{quote(value)}: all takes no number")
            return target._replace(number=int(match[1]))
        if pile := re.fullmatch(r"(?:[1-9]\d? )?(?:chosen|random|all) cards? in (\w+)", value):
            pile_name(pile[1])
        return look_up(self.targets, value, "a target")

    def split_condition(self, value: Any) -> tuple[Condition, str]:
        """Return the condition that a text such as `health below 20` begins with, and the rest of the text."""
        if not isinstance(value, str):
            raise PlannerError(f"{quote(value)} is not a condition, such as health below 20")
        for name in sorted(self.conditions, key=len, reverse=True):
            if value == name or value.startswith(name + " "):
                return self.conditions[name], value[len(name) + 1 :]
        hint = did_you_mean(value, self.conditions) or f"; must begin with one of {', '.join(self.conditions)}"
        raise PlannerError(f"{quote(value)} is not a condition{hint}")


def look_up(table: Mapping[str, _Word], name: Any, what: str) -> _Word:
    """Return what is registered under this name; `what` is such as "a status"."""
    if not isinstance(name, str) or name not in table:
        hint = did_you_mean(name, table) or (f"; must be one of {', '.join(table)}" if table else "; there is none")
        raise PlannerError(f"{quote(name)} is not {what}{hint}")
    return table[name]


def pile_name(value: Any) -> str:
    """Return the name of a pile."""
    if not isinstance(value, str) or value not in PILES:
        raise PlannerError(f"{quote(value)} is not a pile; must be one of {', '.join(PILES)}")
    return value


def _check_new(name: str, known: Mapping[str, Any], kind: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise PlannerError(f"{quote(name)} is not a name: it must consist of small letters, digits and spaces")
    if name in known:
        raise PlannerError(f"{name}: duplicate name: this {kind} exists already")


def _parameters(name: str, function: Callable[..., Any]) -> list[inspect.Parameter]:
    if not inspect.isfunction(function):
        raise PlannerError(f"{name}: must be a function written with def or lambda, got {quote(function)}")
    if function.__code__.co_flags & _NEVER_RUNS:
        raise PlannerError(f"{name}: must be a plain function, without async and yield: a call would not run it")
    parameters = list(inspect.signature(function).parameters.values())
    for parameter in parameters:
        if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise PlannerError(f"{name}: {parameter}: every parameter must have a name of its own, without *")
    return parameters


def _check_parameters(name: str, function: Callable[..., Any], *expected: str) -> None:
    """Check that a function takes these values; their names are free."""
    parameters = _parameters(name, function)
    if len(parameters) != len(expected):
        names = ", ".join(parameter.name for parameter in parameters)
        raise PlannerError(f"{name}: the parameters must be {', '.join(expected)}, got {names or 'none'}")


def _read_parameters(name: str, function: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    """Return the subject (`target`, `targets`, `card` or nothing) and the fields with their defaults."""
    parameters = _parameters(name, function)
    names = [parameter.name for parameter in parameters]
    if names[:2] != ["battle", "source"]:
        raise PlannerError(f"{name}: the first parameters must be battle and source, got {', '.join(names) or 'none'}")
    subject = names[2] if len(names) > 2 and names[2] in _SUBJECTS else ""
    fields = {parameter.name: parameter.default for parameter in parameters[3 if subject else 2 :]}
    for field, default in fields.items():
        if field in _NO_FIELDS:
            raise PlannerError(f"{name}: {field} is not a possible name of a field")
        if default is not inspect.Parameter.empty:
            _check_default(name, field, default)
    return subject, fields


def _check_default(name: str, field: str, default: Any) -> None:
    kind = field_kind(field)
    if kind == "pile":
        if default not in PILES:
            raise PlannerError(f"{name}: {field}: the default must be one of {', '.join(PILES)}, got {quote(default)}")
    elif kind == "status":
        if not isinstance(default, str):  # whether it exists, the reader of a card checks
            raise PlannerError(f"{name}: {field}: the default must be the name of a status, got {quote(default)}")
    elif type(default) is not int or not 0 <= default <= MAX_NUMBER:
        raise PlannerError(
            f"{name}: {field}: the default must be an integer from 0 to {MAX_NUMBER}, got {quote(default)}"
        )


def _check_template(name: str, text: Any, fields: tuple[str, ...]) -> None:
    if not isinstance(text, str) or not text.strip() or not text.isprintable():
        raise PlannerError(f"{name}: text: {quote(text)} is not a phrase of one line")
    try:
        used = {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
        if not used - set(fields):
            text.format(**dict.fromkeys(fields, "1"))
    except (ValueError, LookupError, AttributeError) as error:
        raise PlannerError(f"{name}: text: {quote(text)}: {error}") from None
    if unknown := sorted(used - set(fields)):
        hint = did_you_mean(unknown[0], fields) or f"; must be one of {', '.join(fields) or 'none'}"
        raise PlannerError(f"{name}: text: {{{unknown[0]}}} is not a field of {name}{hint}")
