"""Weight profiles for any game: the weights of the objective's terms, hard rules that a plan must keep, and options.

A game defines its vocabulary: a `HardRule` with the rules that exist, and a `Profile` with its terms. Reading,
validation, exact numbers and the JSON schema of profile files are here.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList, YamlMapping, is_file_name, load_yaml, shipped_folder
from planner.formats.json_schema import (
    TEXT,
    FileKind,
    Schema,
    any_of,
    enum_schema,
    list_schema,
    number_schema,
    object_schema,
    schema_of,
)
from planner.formats.values import ErrorCollector, Fields, unknown_field
from planner.formats.values import read_field as checked_field

Number: TypeAlias = int | float
FIELDS = ("game", "description", "weights", "forbid", "require")  # of a profile file
_LocationOf: TypeAlias = Callable[[str], str]

# Limits on weights and scale keep every objective far below 2**53, where a solver's floats stop being exact.
LIMIT = 10**6


@dataclass(frozen=True)
class RuleKind:
    """One kind of hard rule: its section in a file, and the value that it takes."""

    under: Literal["forbid", "require"]
    takes: Literal["word", "number", ""]
    words: tuple[str, ...] = ()  # empty: any text
    positive: bool = False  # a positive number, decimals allowed; otherwise a non-negative integer


@dataclass(frozen=True)
class HardRule:
    """One hard rule: a kind that the game has, with the number or the word that this kind takes."""

    kinds: ClassVar[Mapping[str, RuleKind]]
    example: ClassVar[str]  # for error messages

    kind: str
    number: Number = 0
    word: str = ""

    def __post_init__(self) -> None:
        kind = self.kinds.get(self.kind)
        if kind is None:
            raise PlannerError(f"{quote(self.kind)} is not a rule{did_you_mean(self.kind, self.kinds)}")
        with _located(self.kind):
            if kind.takes != "word" and self.word != "":
                raise PlannerError(f"does not take a word, got {quote(self.word)}")
            if kind.takes == "word":
                self._check_word(kind.words)
            if kind.takes != "number" and self.number != 0:
                raise PlannerError(f"does not take a number, got {quote(self.number)}")
            if kind.takes == "number":
                object.__setattr__(self, "number", self._checked_number(kind))

    def _check_word(self, words: tuple[str, ...]) -> None:
        if not isinstance(self.word, str) or not self.word.strip():
            raise PlannerError(f"must be a {'word' if words else 'card name'}, got {quote(self.word)}")
        if words and self.word not in words:
            hint = "" if did_you_mean(self.word, words) else f"; one of {', '.join(words)}"
            raise PlannerError(f"{unknown_field(self.word, words)}{hint}")

    def _checked_number(self, kind: RuleKind) -> Number:
        number = checked_number(self.number)
        if kind.positive:
            if number <= 0:
                raise PlannerError(f"must be above 0, got {number}")
        elif number < 0 or not isinstance(number, int):
            raise PlannerError(f"must be an integer, at least 0, got {number}")
        return number

    @classmethod
    def read(cls, item: object) -> Self:
        """Read one item of a list of rules in a file."""
        if isinstance(item, str):
            if item in cls.kinds and (takes := cls.kinds[item].takes):
                raise PlannerError(f"{item}: needs a {takes} after a colon")
            return cls(item)
        if not isinstance(item, YamlMapping) or len(item) != 1:
            raise PlannerError(f"must be one rule, such as {cls.example}, got {quote(item)}")
        ((kind, value),) = item.items()
        takes = cls.kinds[kind].takes if kind in cls.kinds else "number"  # the constructor rejects an unknown kind
        if not takes:
            raise PlannerError(f"{kind}: does not take a value, got {quote(value)}")
        return cls(kind, word=value) if takes == "word" else cls(kind, number=value)


@dataclass(frozen=True, init=False)
class Profile:
    """A playing style. Weights are magnitudes: `term_signs` says which terms count negatively."""

    game: ClassVar[str]
    default: ClassVar[str]  # the name of the default profile
    strongest: ClassVar[str] = ""  # the name of the profile that wins most matches; advice for people uses it
    term_signs: ClassVar[Mapping[str, int]]  # of every term, in display order: those that are required come first
    required: ClassVar[tuple[str, ...]]  # terms that a file must name; the others weigh 0 unless a profile sets them
    spellings: ClassVar[Mapping[str, str]] = {}  # other names for terms
    rules: ClassVar[type[HardRule]]
    options: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}  # the game's own fields, and their readers
    is_default_game: ClassVar[bool] = False  # a file that names no game is for this game

    # The required terms, and the others that have a weight, in the order of `term_signs`: equal weights have one form.
    weights: tuple[tuple[str, Number], ...]
    name: str
    description: str
    forbid: tuple[HardRule, ...]
    require: tuple[HardRule, ...]
    has_further_terms: bool = field(init=False, repr=False, compare=False)  # a term that is not required has a weight
    _scale: int = field(init=False, repr=False, compare=False)
    # What one unit of each of these terms earns, times `integer_scale()`.
    signed_terms: tuple[tuple[str, int], ...] = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        weights: Iterable[tuple[str, Number]] = (),
        *,
        name: str = "custom",
        description: str = "",
        forbid: Iterable[HardRule] = (),
        require: Iterable[HardRule] = (),
        **values: Any,
    ) -> None:
        """Set weights and options by name, such as `lethal=3`; a weight by name replaces that of `weights`."""
        # The class is frozen: its fields are set once, here.
        fields = vars(self)
        for key, read in self.options.items():
            if key in values:
                fields[key] = checked_field(values, key, read)
                del values[key]
        fields.update(name=name, description=description, forbid=tuple(forbid), require=tuple(require))
        for under in ("forbid", "require"):
            for rule in fields[under]:
                with _located(under):
                    self._check_rule(rule, under)
        self._set_weights(self._read_terms((dict(weights) | values).items() if values else weights))

    def _set_weights(self, values: dict[str, Number]) -> None:
        """Set the weights to these checked numbers, and what follows from them; a term that is absent weighs 0."""
        required = self.required
        weights: dict[str, Number] = dict.fromkeys(required, 0) | values
        if len(weights) > len(required):
            weights = {term: weights[term] for term in self.term_signs if term in required or weights.get(term)}
        scale, integers = 1, weights
        if type(sum(weights.values())) is not int:  # some are decimals
            fractions = {term: exact(weight) for term, weight in weights.items()}
            scale = math.lcm(*[weight.denominator for weight in fractions.values()])
            integers = {term: int(weight * scale) for term, weight in fractions.items()}
        if scale > LIMIT:
            raise PlannerError(f"weights: together they need a scale factor above {LIMIT}; round them")
        directions = self.term_signs
        signed = tuple([(term, directions[term] * weight) for term, weight in integers.items()])
        has_further_terms = len(weights) > len(required)
        vars(self).update(
            weights=tuple(weights.items()), has_further_terms=has_further_terms, _scale=scale, signed_terms=signed
        )

    @classmethod
    def of(cls, source: Self | str | os.PathLike[str] | Mapping[str, Number]) -> Self:
        """Return a profile by name, from the path of a YAML file, or from a mapping of term to number."""
        if isinstance(source, cls):
            return source
        if isinstance(source, str):
            is_path = is_file_name(source) or "/" in source or os.sep in source
            return cls.load(source) if is_path else cls.named(source)
        if type(source) is not dict and isinstance(source, os.PathLike):
            return cls.load(source)
        if type(source) is dict or isinstance(source, Mapping):  # the first check is much faster
            numbers = tuple(source.values())
            try:
                make: Callable[..., Self] = _profile_of
                return make(cls, tuple(source), numbers, tuple(map(type, numbers)))
            except TypeError:  # a value that is not hashable is not a number either
                return cls(source.items())
        raise PlannerError(f"weights: must be the name of a profile, a path or a mapping, got {quote(source)}")

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the profiles for this game that are part of the package."""
        paths = sorted(shipped_folder("weights").glob("*.yaml"))
        return tuple(path.stem for path in paths if cls._is_for_this_game(_game_of(path)))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a YAML file, which names the profile and must contain all required terms."""
        path = Path(path)
        return cls.read(Fields.of_file(path, "a profile", "with description and weights"), path.stem)

    @classmethod
    def read(cls, file: Fields, called: str) -> Self:
        """Read the fields of a YAML file."""
        path = file.path
        data, collector = file.entry, ErrorCollector()
        if "weights" not in data and (term := next((key for key in data if key in cls.term_signs), None)):
            raise file.error(f"{term}: the terms of a profile belong under 'weights:'", term)
        with collector:
            file.check_keys((*FIELDS, *cls.options), ("weights",))
        fields: dict[str, Any] = {}
        with collector:
            if not cls._is_for_this_game(data.get("game")):
                raise file.error(f"game: {quote(data.get('game'))} is not {cls.game!r}", "game")
        description = collector.attempt(lambda: file.read("description", _line, ""), "")
        with collector:
            fields["weights"] = cls._file_terms(path, data).items() if "weights" in file else ()
        for under in ("forbid", "require"):
            with collector:
                fields[under] = cls._file_rules(path, data, under)
        for key, read in cls.options.items():
            with collector:
                fields |= {key: file.read(key, read)} if key in file else {}
        collector.raise_if_any()
        with _located(f"{path}:{data.lines['weights']}"):
            return cls(name=called, description=description.strip(), **fields)

    @classmethod
    def term_names(cls, given: Iterable[object]) -> tuple[str, ...]:
        """Return the terms with these names, in either spelling."""
        return tuple(cls._read_terms(((str(key), 0) for key in given), lambda _: "terms"))

    if not TYPE_CHECKING:  # otherwise every misspelt attribute would pass for a weight

        def __getattr__(self, term: str) -> Number:
            """Return the weight of a term, such as `weights.lethal`."""
            if term in type(self).term_signs:
                return self.terms().get(term, 0)
            raise AttributeError(f"{type(self).__name__!r} has no attribute {term!r}")

    def terms(self) -> dict[str, Number]:
        """Return the weights of the required terms, and of the further terms that have one."""
        return dict(self.weights)

    def with_weights(self, **changes: Number) -> Self:
        """Return the same profile with other weights for these terms."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def digest_content(self) -> dict[str, Any]:
        """Return what distinguishes this profile in the digest of an experiment."""
        further = self.terms()
        required = {term: further.pop(term) for term in self.required}
        rules = {"forbid": self.forbid, "require": self.require}
        texts = {"name": self.name, "description": self.description}
        return required | {"extra": tuple(further.items())} | texts | rules | self.changed_options()

    def negative_costs(self) -> list[str]:
        """Return the cost terms with a negative weight: a weight is a magnitude, so that rewards the cost."""
        return [term for term, weight in self.weights if self.term_signs[term] < 0 and weight < 0]

    def changed_options(self) -> dict[str, Any]:
        """Return the options that differ from the default."""
        return {key: value for key in self.options if (value := getattr(self, key)) != getattr(type(self), key)}

    def integer_scale(self) -> int:
        """Return the smallest factor that makes every weight an integer."""
        return self._scale

    def scaled(self) -> dict[str, int]:
        """Return every weight times `integer_scale()`: an objective in these is exact."""
        return {term: self.term_signs[term] * weight for term, weight in self.signed_terms}

    @classmethod
    def _is_for_this_game(cls, game: object) -> bool:
        return game == cls.game or (game is None and cls.is_default_game)

    @classmethod
    def named(cls, name: str) -> Self:
        """Return a profile of the package by its name; a path is not accepted, so the name may be untrusted."""
        shipped_profile: Callable[[object, str], Self] = _shipped_profile
        return shipped_profile(cls, name)

    @classmethod
    def _file_terms(cls, path: Path, data: YamlMapping) -> dict[str, Number]:
        terms, location = data["weights"], f"{path}:{data.lines['weights']}: weights"
        if not isinstance(terms, YamlMapping):
            raise PlannerError(f"{location}: must be a mapping of term to number, got {quote(terms)}")
        values: dict[str, Number] = {}
        collector = ErrorCollector()
        for item in terms.items():
            with collector:
                read = cls._read_terms([item], lambda key: f"{path}:{terms.lines[key]}")
                if twice := next((term for term in read if term in values), None):
                    raise PlannerError(f"{path}:{terms.lines[item[0]]}: {item[0]}: {twice} is given twice")
                values |= read
        collector.raise_if_any()
        if missing := [term for term in cls.required if term not in values]:
            raise PlannerError(f"{location}: {', '.join(missing)}: {'is' if len(missing) == 1 else 'are'} missing")
        return values

    @classmethod
    def _read_terms(
        cls, items: Iterable[tuple[str, Any]], location: _LocationOf = lambda _: "weights"
    ) -> dict[str, Number]:
        """Return the numbers by term; the keys may be in either spelling."""
        values: dict[str, Number] = {}
        spellings, term_signs, limit = cls.spellings, cls.term_signs, LIMIT
        for key, value in items:
            term = key if key in term_signs else spellings.get(key, key)
            if type(value) is int and -limit <= value <= limit and term in term_signs and term not in values:
                values[term] = value  # the common case; the code below handles the others and the errors
                continue
            with _located(location(key)):
                if term not in cls.term_signs:
                    known = (*cls.term_signs, *cls.spellings)
                    raise PlannerError(f"{quote(key)} is not a term{did_you_mean(key, known)}")
                with _located(key):
                    if term in values:
                        raise PlannerError(f"{term} is given twice")
                    values[term] = checked_number(value)
        return values

    @classmethod
    def _file_rules(cls, path: Path, data: YamlMapping, under: str) -> tuple[HardRule, ...]:
        items = data.get(under, YamlList())
        if not isinstance(items, YamlList):
            raise PlannerError(f"{path}:{data.lines[under]}: {under}: must be a list of rules, got {quote(items)}")
        rules = []
        collector = ErrorCollector()
        for index, item in enumerate(items):
            with collector, _located(f"{path}:{items.lines[index]}"), _located(under):
                rules.append(cls.rules.read(item))
                cls._check_rule(rules[-1], under)
        collector.raise_if_any()
        return tuple(rules)

    @classmethod
    def _check_rule(cls, rule: HardRule, under: str) -> None:
        if not isinstance(rule, cls.rules):
            raise PlannerError(f"must be a {cls.rules.__name__}, got {quote(rule)}")
        if (right := rule.kinds[rule.kind].under) != under:
            raise PlannerError(f"{rule.kind} belongs under {right}")


def _line(value: Any) -> str:
    if not isinstance(value, str) or "\n" in value.strip():
        raise PlannerError(f"must be one line of text, got {quote(value)}")
    return value


def exact(number: Number) -> Fraction:
    """Return the decimal as it was written: 0.1 is 1/10, not the nearest float."""
    return Fraction(number if isinstance(number, int) else str(number))


def checked_number(value: object) -> Number:
    """Return the value as a plain int or float within the limits."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral | float):
        raise PlannerError(f"must be a number, got {quote(value)}")
    number = float(value) if isinstance(value, float) else int(value)
    if isinstance(number, float) and not math.isfinite(number):
        raise PlannerError(f"must be a finite number, got {quote(number)}")
    if abs(number) > LIMIT:
        raise PlannerError(f"must be between -{LIMIT} and {LIMIT}, got {quote(number)}")
    if exact(number).denominator > LIMIT:
        raise PlannerError(f"{number} needs a scale factor above {LIMIT}; round it to six decimals")
    return number


@cache
def _game_of(path: Path) -> object:
    data = load_yaml(path)
    return data.get("game") if isinstance(data, YamlMapping) else None


@lru_cache(maxsize=64)  # a bot that gives its weights as a mapping gives the same at every turn
def _profile_of(kind: Any, terms: tuple[str, ...], numbers: tuple[Number, ...], _types: tuple[type, ...]) -> Any:
    # The types distinguish 1 from 1.0 and true, as the reader does.
    return kind(zip(terms, numbers, strict=True))


@lru_cache(maxsize=64)  # a bot names its profile at every turn, and reading YAML takes longer than planning
def _shipped_profile(kind: Any, name: str) -> Any:
    # The name is looked up in the list and never used as a path, since it may be untrusted. Other files stay closed.
    path = next((path for path in shipped_folder("weights").glob("*.yaml") if path.stem == name), None)
    if path is None or not kind._is_for_this_game(_game_of(path)):
        names = kind.names()
        hint = did_you_mean(name, names) or f"; there are {', '.join(names)}"
        raise PlannerError(f"weights: {quote(name)} is not a profile{hint}")
    return kind.load(path)


@contextmanager
def _located(location: str) -> Iterator[None]:
    """Put the location in front of an error from within."""
    try:
        yield
    except PlannerError as error:
        raise PlannerError(f"{location}: {error}") from None


# -- profile files


def profile_kind(profiles: type[Profile]) -> FileKind:
    """Return the kind of file that holds a profile of this game."""

    def summarise(path: Path, _rules: str) -> list[str]:
        profile = profiles.load(path)
        weights = {term: value for term, value in profile.terms().items() if value}
        terms = (f"{term} {value:g}{' (cost)' * (profiles.term_signs[term] < 0)}" for term, value in weights.items())
        lines = [", ".join(terms) or "all 0"]
        lines += [f"warning: {term} is a cost; its negative weight rewards it" for term in profile.negative_costs()]
        for under, rules in (("never", profile.forbid), ("always", profile.require)):
            for rule in rules:
                value = rule.word or rule.number
                lines.append(f"{under} {rule.kind}: {value}" if value else f"{under} {rule.kind}")
        lines += [f"{option}: {str(value).lower()}" for option, value in profile.changed_options().items()]
        return lines

    return FileKind("profile", profiles.game, lambda: profile_schema(profiles), summarise)


def profile_schema(profiles: type[Profile]) -> Schema:
    """Return the JSON schema of a game's profiles, from its terms, hard rules and options."""
    number = number_schema(-LIMIT, LIMIT)
    spellings: dict[str, list[str]] = {}
    for spelling, term in profiles.spellings.items():
        spellings.setdefault(term, []).append(spelling)
    terms = object_schema(dict.fromkeys((*profiles.term_signs, *profiles.spellings), number))
    one_each = [
        {"oneOf": [{"required": [name]} for name in (term, *spellings.get(term, ()))]} for term in profiles.required
    ]
    fields: Mapping[str, Schema] = {
        "game": {"enum": [profiles.game, None]} if profiles.is_default_game else {"const": profiles.game},
        "description": {"type": "string", "pattern": r"^\s*[^\n]*\s*$"},
        "weights": {**terms, "allOf": one_each},
        **{under: list_schema(_rules_schema(profiles.rules.kinds, under)) for under in ("forbid", "require")},
    }
    options = {key: schema_of(read) for key, read in profiles.options.items()}
    required = ["weights", *([] if profiles.is_default_game else ["game"])]
    return object_schema({key: fields[key] for key in FIELDS} | options, required)


def _rules_schema(kinds: Mapping[str, RuleKind], under: str) -> Schema:
    section = {name: kind for name, kind in kinds.items() if kind.under == under}
    bare = [name for name, kind in section.items() if not kind.takes]
    taking = [object_schema({name: _value_schema(kind)}, [name]) for name, kind in section.items() if kind.takes]
    return any_of(*([enum_schema(bare)] if bare else []), *taking) if section else {"not": {}}


def _value_schema(kind: RuleKind) -> Any:
    if kind.takes == "word":
        return enum_schema(kind.words) if kind.words else {**TEXT, "pattern": r"\S"}
    if kind.positive:
        return {"type": "number", "exclusiveMinimum": 0, "maximum": LIMIT}
    return {"type": "integer", "minimum": 0, "maximum": LIMIT}
