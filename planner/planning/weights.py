"""A playing style as data, for any game: the weights of the objective's terms, and hard rules that a plan must keep.

A game brings its vocabulary: a `HardRule` with the rules that exist, and a `Profile` with one field for each term
that a file must name. Everything else (reading, refusing, exact numbers) is here.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList, YamlMapping, load_yaml, shipped_folder
from planner.formats.values import ErrorCollector, Fields, unknown_field
from planner.formats.values import read_field as checked_field

Number: TypeAlias = int | float
FIELDS = ("game", "description", "weights", "forbid", "require")  # of a file
_PlaceOf: TypeAlias = Callable[[str], str]

# Bounds on weight and scale keep every objective far below 2**53, where a solver's floats stop being exact.
LIMIT = 10**6


@dataclass(frozen=True)
class RuleKind:
    """One kind of hard rule: where it stands in a file, and what stands behind its colon."""

    under: Literal["forbid", "require"]
    takes: Literal["word", "number", ""]
    words: tuple[str, ...] = ()  # empty: any text
    positive: bool = False  # a number above 0, decimals allowed; otherwise a whole number of 0 or more


@dataclass(frozen=True)
class HardRule:
    """One hard rule: a kind that the game has, with the number or the word that this kind takes."""

    kinds: ClassVar[Mapping[str, RuleKind]]
    example: ClassVar[str]  # as a refusal shows what a rule looks like

    kind: str
    number: Number = 0
    word: str = ""

    def __post_init__(self) -> None:
        kind = self.kinds.get(self.kind)
        if kind is None:
            raise PlannerError(f"{quote(self.kind)} is not a rule{did_you_mean(self.kind, self.kinds)}")
        with _place(self.kind):
            if kind.takes != "word" and self.word != "":
                raise PlannerError(f"takes no word such as {quote(self.word)}")
            if kind.takes == "word":
                self._check_word(kind.words)
            if kind.takes != "number" and self.number != 0:
                raise PlannerError(f"takes no number such as {quote(self.number)}")
            if kind.takes == "number":
                object.__setattr__(self, "number", self._checked_number(kind))

    def _check_word(self, words: tuple[str, ...]) -> None:
        if not isinstance(self.word, str) or not self.word.strip():
            raise PlannerError(f"{quote(self.word)} is not a {'word' if words else 'card name'}")
        if words and self.word not in words:
            hint = "" if did_you_mean(self.word, words) else f"; one of {', '.join(words)}"
            raise PlannerError(f"{unknown_field(self.word, words)}{hint}")

    def _checked_number(self, kind: RuleKind) -> Number:
        number = checked_number(self.number)
        if kind.positive:
            if number <= 0:
                raise PlannerError(f"{number} is not above 0")
        elif number < 0 or not isinstance(number, int):
            raise PlannerError(f"{number} is not a whole number of 0 or more")
        return number

    @classmethod
    def read(cls, item: object) -> Self:
        """The rule that one item of a file's list stands for."""
        if isinstance(item, str):
            if item in cls.kinds and (takes := cls.kinds[item].takes):
                raise PlannerError(f"{item}: needs a {takes} behind a colon")
            return cls(item)
        if not isinstance(item, YamlMapping) or len(item) != 1:
            raise PlannerError(f"{quote(item)} is not one rule, such as {cls.example}")
        ((kind, value),) = item.items()
        takes = cls.kinds[kind].takes if kind in cls.kinds else "number"  # the constructor refuses an unknown kind
        if not takes:
            raise PlannerError(f"{kind}: takes no value such as {quote(value)}")
        return cls(kind, word=value) if takes == "word" else cls(kind, number=value)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A playing style. Weights are magnitudes: which term counts negatively is the objective's business.

    A game's own class adds one field, 0 unless given, for each of its `required` terms.
    """

    game: ClassVar[str]
    default: ClassVar[str]  # the name of the profile that is taken where none is given
    signs: ClassVar[Mapping[str, int]]  # of every term, in the order in which terms are shown
    required: ClassVar[tuple[str, ...]]  # what a file must name; the others weigh 0 unless a profile sets them
    spellings: ClassVar[Mapping[str, str]] = {}  # other names for terms
    rules: ClassVar[type[HardRule]]
    habits: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}  # a game's own fields, and their readers
    unmarked: ClassVar[bool] = False  # is a file that names no game one of this game's?

    extra: tuple[tuple[str, Number], ...] = ()
    name: str = "custom"
    description: str = ""
    forbid: tuple[HardRule, ...] = ()
    require: tuple[HardRule, ...] = ()
    _scale: int = field(init=False, repr=False, compare=False)
    _scaled: tuple[tuple[str, int], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values = self._read_terms([*((term, getattr(self, term)) for term in self.required), *self.extra])
        for term in self.required:
            object.__setattr__(self, term, values[term])
        # One form for equal weights: zeros left out, in the registry's order.
        extra = tuple((term, values[term]) for term in self.further() if values.get(term))
        object.__setattr__(self, "extra", extra)
        scale = math.lcm(*(exact(value).denominator for value in values.values() if type(value) is not int))
        if scale > LIMIT:
            raise PlannerError(f"weights: together they need a scale factor above {LIMIT}; round them")
        object.__setattr__(self, "_scale", scale)
        scaled = tuple(
            (term, value * scale if type(value) is int else int(exact(value) * scale))
            for term, value in self.terms().items()
        )
        object.__setattr__(self, "_scaled", scaled)
        for key, read in self.habits.items():
            object.__setattr__(self, key, checked_field(vars(self), key, read))
        for under in ("forbid", "require"):
            rules = tuple(getattr(self, under))
            for rule in rules:
                with _place(under):
                    self._check_rule(rule, under)
            object.__setattr__(self, under, rules)

    @classmethod
    def of(cls, source: Self | str | os.PathLike[str] | Mapping[str, Number]) -> Self:
        """A profile by its name, from a YAML file's path or a mapping of term to number (0 if missing)."""
        if isinstance(source, cls):
            return source
        if isinstance(source, os.PathLike):
            return cls.load(source)
        if isinstance(source, str):
            is_path = source.endswith((".yaml", ".yml")) or "/" in source or os.sep in source
            return cls.load(source) if is_path else cls.named(source)
        if isinstance(source, Mapping):
            return cls(**cls._fields(cls._read_terms(source.items())))
        raise PlannerError(f"weights: {quote(source)} is not a profile's name, a path or a mapping")

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the profiles for this game that come with the package."""
        paths = sorted(shipped_folder("weights").glob("*.yaml"))
        return tuple(path.stem for path in paths if cls._is_ours(_game_of(path)))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The profile in a YAML file, named after it; all required terms must be there."""
        path = Path(path)
        return cls.read(Fields.of_file(path, "a profile", "with description and weights"), path.stem)

    @classmethod
    def read(cls, file: Fields, called: str) -> Self:
        """The profile in these fields of a YAML file."""
        path = file.path
        file.check_keys((*FIELDS, *cls.habits), ("weights",))
        data, collector = file.entry, ErrorCollector()
        fields: dict[str, Any] = {}
        with collector:
            if not cls._is_ours(data.get("game")):
                raise file.error(f"game: {quote(data.get('game'))} is not {cls.game!r}", "game")
        description = ""
        with collector:
            description = file.read("description", _line, "")
        with collector:
            fields |= cls._fields(cls._file_terms(path, data))
        for under in ("forbid", "require"):
            with collector:
                fields[under] = cls._file_rules(path, data, under)
        for key, read in cls.habits.items():
            with collector:
                fields |= {key: file.read(key, read)} if key in file else {}
        collector.raise_if_any()
        with _place(f"{path}:{data.lines['weights']}"):
            return cls(name=called, description=description.strip(), **fields)

    @classmethod
    def term_names(cls, given: Iterable[object]) -> tuple[str, ...]:
        """The terms that are meant, in either spelling."""
        return tuple(cls._read_terms(((str(key), 0) for key in given), lambda _: "terms"))

    @classmethod
    def further(cls) -> tuple[str, ...]:
        """The terms beyond the required ones."""
        return tuple(term for term in cls.signs if term not in cls.required)

    def terms(self) -> dict[str, Number]:
        """The required terms with their weights, and the further ones that have a weight."""
        return {term: getattr(self, term) for term in self.required} | dict(self.extra)

    def negative_costs(self) -> list[str]:
        """Return the cost terms with a negative weight: a weight is a magnitude, so that rewards the cost."""
        return [term for term, weight in self.terms().items() if self.signs[term] < 0 and weight < 0]

    def own_habits(self) -> dict[str, Any]:
        """The habits in which this profile differs from the default."""
        return {key: value for key in self.habits if (value := getattr(self, key)) != getattr(type(self), key)}

    def integer_scale(self) -> int:
        """The smallest factor that makes every weight a whole number."""
        return self._scale

    def scaled(self) -> dict[str, int]:
        """Every term with its weight times `integer_scale()`: an objective in these is exact."""
        return dict(self._scaled)

    @classmethod
    def _is_ours(cls, game: object) -> bool:
        return game == cls.game or (game is None and cls.unmarked)

    @classmethod
    def named(cls, name: str) -> Self:
        """A profile that comes with the package, by its name and nothing else: a stranger may choose it."""
        shipped_profile: Callable[[object, str], Self] = _shipped_profile
        return shipped_profile(cls, name)

    @classmethod
    def _file_terms(cls, path: Path, data: YamlMapping) -> dict[str, Number]:
        given, place = data["weights"], f"{path}:{data.lines['weights']}: weights"
        if not isinstance(given, YamlMapping):
            raise PlannerError(f"{place}: {quote(given)} is not a mapping of term to number")
        values: dict[str, Number] = {}
        collector = ErrorCollector()
        for item in given.items():
            with collector:
                found = cls._read_terms([item], lambda key: f"{path}:{given.lines[key]}")
                if twice := next((term for term in found if term in values), None):
                    raise PlannerError(f"{path}:{given.lines[item[0]]}: {item[0]}: {twice} is given twice")
                values |= found
        collector.raise_if_any()
        if missing := [term for term in cls.required if term not in values]:
            raise PlannerError(f"{place}: {', '.join(missing)}: {'is' if len(missing) == 1 else 'are'} missing")
        return values

    @classmethod
    def _read_terms(cls, given: Iterable[tuple[str, Any]], place: _PlaceOf = lambda _: "weights") -> dict[str, Number]:
        """The numbers by term, in either spelling."""
        values: dict[str, Number] = {}
        for key, value in given:
            term = cls.spellings.get(key, key)
            if type(value) is int and -LIMIT <= value <= LIMIT and term in cls.signs and term not in values:
                values[term] = value  # as nearly all weights are; the rest is for the others and for refusals
                continue
            with _place(place(key)):
                if term not in cls.signs:
                    known = (*cls.signs, *cls.spellings)
                    raise PlannerError(f"{quote(key)} is not a term{did_you_mean(key, known)}")
                with _place(key):
                    if term in values:
                        raise PlannerError(f"{term} is given twice")
                    values[term] = checked_number(value)
        return values

    @classmethod
    def _fields(cls, values: Mapping[str, Number]) -> dict[str, Any]:
        """The values as arguments of the constructor."""
        fields: dict[str, Any] = {term: value for term, value in values.items() if term in cls.required}
        return fields | {"extra": tuple((term, value) for term, value in values.items() if term not in cls.required)}

    @classmethod
    def _file_rules(cls, path: Path, data: YamlMapping, under: str) -> tuple[HardRule, ...]:
        given = data.get(under, YamlList())
        if not isinstance(given, YamlList):
            raise PlannerError(f"{path}:{data.lines[under]}: {under}: {quote(given)} is not a list of rules")
        rules = []
        collector = ErrorCollector()
        for index, item in enumerate(given):
            with collector, _place(f"{path}:{given.lines[index]}"), _place(under):
                rules.append(cls.rules.read(item))
                cls._check_rule(rules[-1], under)
        collector.raise_if_any()
        return tuple(rules)

    @classmethod
    def _check_rule(cls, rule: HardRule, under: str) -> None:
        if not isinstance(rule, cls.rules):
            raise PlannerError(f"{quote(rule)} is not a {cls.rules.__name__}")
        if (right := rule.kinds[rule.kind].under) != under:
            raise PlannerError(f"{rule.kind} belongs under {right}")


def _line(value: Any) -> str:
    if not isinstance(value, str) or "\n" in value.strip():
        raise PlannerError(f"{quote(value)} is not one line of text")
    return value


def exact(number: Number) -> Fraction:
    """The decimal that was written: 0.1 is 1/10, not the float nearest to it."""
    return Fraction(number if isinstance(number, int) else str(number))


def checked_number(value: object) -> Number:
    """The value as a plain int or float, or a refusal."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral | float):
        raise PlannerError(f"{quote(value)} is not a number")
    number = float(value) if isinstance(value, float) else int(value)
    if isinstance(number, float) and not math.isfinite(number):
        raise PlannerError(f"{number} is not a finite number")
    if abs(number) > LIMIT:
        raise PlannerError(f"{quote(number)} is too large; at most {LIMIT} either way")
    if exact(number).denominator > LIMIT:
        raise PlannerError(f"{number} needs a scale factor above {LIMIT}; round it to six decimals")
    return number


@cache
def _game_of(path: Path) -> object:
    data = load_yaml(path)
    return data.get("game") if isinstance(data, YamlMapping) else None


@lru_cache(maxsize=64)  # a bot names its profile at every turn; reading YAML takes longer than many a turn
def _shipped_profile(kind: Any, name: str) -> Any:
    # Found in the list, never made into a path: names come from strangers. The other files are not opened for it.
    path = next((path for path in shipped_folder("weights").glob("*.yaml") if path.stem == name), None)
    if path is None or not kind._is_ours(_game_of(path)):
        names = kind.names()
        hint = did_you_mean(name, names) or f"; there are {', '.join(names)}"
        raise PlannerError(f"weights: {quote(name)} is not a profile{hint}")
    return kind.load(path)


@contextmanager
def _place(place: str) -> Iterator[None]:
    """Put the place in front of a refusal from within."""
    try:
        yield
    except PlannerError as error:
        raise PlannerError(f"{place}: {error}") from None
