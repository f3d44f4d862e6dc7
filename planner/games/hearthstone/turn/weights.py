"""A playing style as data: the weights of the objective's terms, and hard rules that a plan must keep."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from planner.files import Located, LocatedList, PlannerError, load_yaml, nearest, shipped, show

Number: TypeAlias = int | float
_PlaceOf: TypeAlias = Callable[[str], str]

TERMS = (
    "lethal", "board_clear", "face_damage", "enemy_threat",
    "own_survival", "minion_damage", "damage_taken", "card_value",
)  # fmt: skip
# The thesis's names for the same eight terms.
SPELLINGS = {f"W{number}": term for number, term in enumerate(TERMS, start=1)}
# Later terms are added here. They weigh 0 unless a profile sets them, so old profiles keep their meaning.
EXTRA_TERMS: tuple[str, ...] = (
    "own_health", "damage_to_come", "cards_drawn", "mana_unused", "weapon_durability", "token_worth",
)  # fmt: skip

# Bounds on weight and scale keep every objective far below 2**53, where a solver's floats stop being exact.
LIMIT = 10**6

KEYWORDS = (
    "taunt", "charge", "rush", "windfury", "mega_windfury",
    "divine_shield", "poisonous", "lifesteal", "stealth", "reborn",
)  # fmt: skip


@dataclass(frozen=True)
class _Kind:
    under: Literal["forbid", "require"]
    takes: Literal["word", "number", ""]
    words: tuple[str, ...] = ()  # empty: any text


RULES: Mapping[str, _Kind] = {
    "attack_with": _Kind("forbid", "word", (*KEYWORDS, "hero")),
    "attack_on": _Kind("forbid", "word", ("hero", "minions")),
    "trade_below": _Kind("forbid", "number"),
    "own_hero_death": _Kind("forbid", ""),
    "play": _Kind("forbid", "word"),
    "keep_mana": _Kind("require", "number"),
    "keep_minions": _Kind("require", "number"),
    "keep_cards": _Kind("require", "number"),
}


@dataclass(frozen=True)
class Rule:
    """One hard rule: a kind from `RULES`, with the number or the word that this kind takes."""

    kind: str
    number: Number = 0
    word: str = ""

    def __post_init__(self) -> None:
        kind = RULES.get(self.kind)
        if kind is None:
            raise PlannerError(f"{show(self.kind)} is not a rule{nearest(str(self.kind), RULES)}")
        with _place(self.kind):
            if kind.takes != "word" and self.word != "":
                raise PlannerError(f"takes no word such as {show(self.word)}")
            if kind.takes == "word":
                self._check_word(kind.words)
            if kind.takes != "number" and self.number != 0:
                raise PlannerError(f"takes no number such as {show(self.number)}")
            if kind.takes == "number":
                object.__setattr__(self, "number", self._checked_number())

    def _check_word(self, words: tuple[str, ...]) -> None:
        if not isinstance(self.word, str) or not self.word.strip():
            raise PlannerError(f"{show(self.word)} is not a {'word' if words else 'card name'}")
        if words and self.word not in words:
            hint = nearest(self.word, words) or f"; one of {', '.join(words)}"
            raise PlannerError(f"{show(self.word)} is not known here{hint}")

    def _checked_number(self) -> Number:
        number = checked_number(self.number)
        if self.kind == "trade_below":
            if number <= 0:
                raise PlannerError(f"{number} is not above 0")
        elif number < 0 or not isinstance(number, int):
            raise PlannerError(f"{number} is not a whole number of 0 or more")
        return number


@dataclass(frozen=True, kw_only=True)
class Weights:
    """A playing style. Weights are magnitudes: which term counts negatively is the objective's business."""

    lethal: Number = 0
    board_clear: Number = 0
    face_damage: Number = 0
    enemy_threat: Number = 0
    own_survival: Number = 0
    minion_damage: Number = 0
    damage_taken: Number = 0
    card_value: Number = 0
    extra: tuple[tuple[str, Number], ...] = ()
    name: str = "custom"
    description: str = ""
    forbid: tuple[Rule, ...] = ()
    require: tuple[Rule, ...] = ()
    _scale: int = field(init=False, repr=False, compare=False)
    _scaled: tuple[tuple[str, int], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values = _terms([*((term, getattr(self, term)) for term in TERMS), *self.extra])
        for term in TERMS:
            object.__setattr__(self, term, values[term])
        # One form for equal weights: zeros left out, in the registry's order.
        extra = tuple((term, values[term]) for term in EXTRA_TERMS if values.get(term))
        object.__setattr__(self, "extra", extra)
        scale = math.lcm(*(exact(value).denominator for value in values.values()))
        if scale > LIMIT:
            raise PlannerError(f"weights: together they need a scale factor above {LIMIT}; round them")
        object.__setattr__(self, "_scale", scale)
        scaled = tuple((term, int(exact(value) * scale)) for term, value in self.terms().items())
        object.__setattr__(self, "_scaled", scaled)
        for under in ("forbid", "require"):
            rules = tuple(getattr(self, under))
            for rule in rules:
                with _place(under):
                    _check_list(rule, under)
            object.__setattr__(self, under, rules)

    @classmethod
    def of(cls, source: Weights | str | os.PathLike[str] | Mapping[str, Number]) -> Weights:
        """Weights from a profile's name, a YAML file's path or a mapping of term to number (0 if missing)."""
        if isinstance(source, Weights):
            return source
        if isinstance(source, os.PathLike):
            return load_profile(source)
        if isinstance(source, str):
            is_path = source.endswith((".yaml", ".yml")) or "/" in source or os.sep in source
            return load_profile(source) if is_path else _profile(source)
        if isinstance(source, Mapping):
            return cls(**_fields(_terms(source.items())))
        raise PlannerError(f"weights: {show(source)} is not a profile's name, a path or a mapping")

    def terms(self) -> dict[str, Number]:
        """The eight terms with their weights, and the further ones that have a weight."""
        return {term: getattr(self, term) for term in TERMS} | dict(self.extra)

    def integer_scale(self) -> int:
        """The smallest factor that makes every weight a whole number."""
        return self._scale

    def scaled(self) -> dict[str, int]:
        """Every term with its weight times `integer_scale()`: an objective in these is exact."""
        return dict(self._scaled)


def exact(number: Number) -> Fraction:
    """The decimal that was written: 0.1 is 1/10, not the float nearest to it."""
    return Fraction(number if isinstance(number, int) else str(number))


def checked_number(value: object) -> Number:
    """The value as a plain int or float, or a refusal."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral | float):
        raise PlannerError(f"{show(value)} is not a number")
    number = float(value) if isinstance(value, float) else int(value)
    if not math.isfinite(number):
        raise PlannerError(f"{number} is not a finite number")
    if abs(number) > LIMIT:
        raise PlannerError(f"{show(number)} is too large; at most {LIMIT} either way")
    if exact(number).denominator > LIMIT:
        raise PlannerError(f"{number} needs a scale factor above {LIMIT}; round it to six decimals")
    return number


def profile_names() -> tuple[str, ...]:
    """The names of the profiles that come with the package."""
    return tuple(sorted(path.stem for path in shipped("weights").glob("*.yaml")))


def load_profile(path: str | os.PathLike[str]) -> Weights:
    """The profile in a YAML file, named after it; all eight terms must be there."""
    path = Path(path)
    data = load_yaml(path)
    if data is None:
        raise PlannerError(f"{path}:1: the file is empty")
    if not isinstance(data, Located):
        raise PlannerError(f"{path}:1: {show(data)} is not a mapping with description and weights")
    known = ("description", "weights", "forbid", "require")
    for key in data:
        if key not in known:
            place = f"{path}:{data.lines[key]}"
            raise PlannerError(f"{place}: {show(key)} is not known here{nearest(key, known)}")
    if "weights" not in data:
        raise PlannerError(f"{path}:{data.line}: weights: missing")
    description = data.get("description", "")
    if not isinstance(description, str) or "\n" in description.strip():
        line = data.lines["description"]
        raise PlannerError(f"{path}:{line}: description: {show(description)} is not one line of text")
    values = _file_terms(path, data)
    fields = _fields(values) | {under: _rules(path, data, under) for under in ("forbid", "require")}
    with _place(f"{path}:{data.lines['weights']}"):
        return Weights(name=path.stem, description=description.strip(), **fields)


@lru_cache(maxsize=64)  # a bot names its profile at every turn; reading YAML takes longer than many a turn
def _profile(name: str) -> Weights:
    names = profile_names()
    if name not in names:
        hint = nearest(name, names) or f"; there are {', '.join(names)}"
        raise PlannerError(f"weights: {show(name)} is not a profile{hint}")
    return load_profile(shipped("weights") / f"{name}.yaml")


def _file_terms(path: Path, data: Located) -> dict[str, Number]:
    given, place = data["weights"], f"{path}:{data.lines['weights']}: weights"
    if not isinstance(given, Located):
        raise PlannerError(f"{place}: {show(given)} is not a mapping of term to number")
    values = _terms(given.items(), lambda key: f"{path}:{given.lines[key]}")
    if missing := [term for term in TERMS if term not in values]:
        raise PlannerError(f"{place}: missing {', '.join(missing)}")
    return values


def _terms(given: Iterable[tuple[str, Any]], place: _PlaceOf = lambda _: "weights") -> dict[str, Number]:
    """The numbers by term, in either spelling."""
    known = (*TERMS, *EXTRA_TERMS)
    values: dict[str, Number] = {}
    for key, value in given:
        term = SPELLINGS.get(key, key)
        with _place(place(key)):
            if term not in known:
                raise PlannerError(f"{show(key)} is not a term{nearest(str(key), (*known, *SPELLINGS))}")
            with _place(key):
                if term in values:
                    raise PlannerError(f"{term} is given twice")
                values[term] = checked_number(value)
    return values


def _fields(values: Mapping[str, Number]) -> dict[str, Any]:
    """The values as arguments of `Weights`."""
    fields: dict[str, Any] = {term: value for term, value in values.items() if term in TERMS}
    return fields | {"extra": tuple((term, value) for term, value in values.items() if term not in TERMS)}


def _rules(path: Path, data: Located, under: str) -> tuple[Rule, ...]:
    given = data.get(under, LocatedList())
    if not isinstance(given, LocatedList):
        raise PlannerError(f"{path}:{data.lines[under]}: {under}: {show(given)} is not a list of rules")
    rules = []
    for index, item in enumerate(given):
        with _place(f"{path}:{given.lines[index]}"), _place(under):
            rules.append(_rule(item))
            _check_list(rules[-1], under)
    return tuple(rules)


def _rule(item: object) -> Rule:
    if isinstance(item, str):
        if item in RULES and (takes := RULES[item].takes):
            raise PlannerError(f"{item}: needs a {takes} behind a colon")
        return Rule(item)
    if not isinstance(item, Located) or len(item) != 1:
        raise PlannerError(f"{show(item)} is not one rule, such as own_hero_death or keep_mana: 2")
    ((kind, value),) = item.items()
    takes = RULES[kind].takes if kind in RULES else "number"  # Rule itself refuses an unknown kind
    if not takes:
        raise PlannerError(f"{kind}: takes no value such as {show(value)}")
    return Rule(kind, word=value) if takes == "word" else Rule(kind, number=value)


def _check_list(rule: Rule, under: str) -> None:
    if not isinstance(rule, Rule):
        raise PlannerError(f"{show(rule)} is not a Rule")
    if RULES[rule.kind].under != under:
        raise PlannerError(f"{rule.kind} belongs under {RULES[rule.kind].under}")


@contextmanager
def _place(place: str) -> Iterator[None]:
    """Put the place in front of a refusal from within."""
    try:
        yield
    except PlannerError as error:
        raise PlannerError(f"{place}: {error}") from None
