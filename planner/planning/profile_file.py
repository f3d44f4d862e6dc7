"""Weight profiles as a kind of file: what is in one, and its schema."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
from planner.planning.weights import FIELDS, LIMIT, Profile, RuleKind


def profile_kind(profiles: type[Profile]) -> FileKind:
    """The profiles of one game."""

    def read(path: Path, _rules: str) -> list[str]:
        found = profiles.load(path)
        weights = {term: value for term, value in found.terms().items() if value}
        terms = (f"{term} {value:g}{' (cost)' * (profiles.signs[term] < 0)}" for term, value in weights.items())
        lines = [", ".join(terms) or "all 0"]
        for under, rules in (("never", found.forbid), ("always", found.require)):
            lines += [f"{under} {rule.kind}{f': {rule.word or rule.number}' * bool(rule.word or rule.number)}"
                      for rule in rules]  # fmt: skip
        lines += [f"{habit}: {str(value).lower()}" for habit, value in found.own_habits().items()]
        lines += [f"warning: {term} is a cost; its negative weight rewards it" for term in found.negative_costs()]
        return lines

    return FileKind("profile", profiles.game, lambda: profile_schema(profiles), read)


def profile_schema(profiles: type[Profile]) -> Schema:
    """The schema of a game's profiles, from its terms and its hard rules."""
    number = number_schema(-LIMIT, LIMIT)
    spellings: dict[str, list[str]] = {}
    for spelling, term in profiles.spellings.items():
        spellings.setdefault(term, []).append(spelling)
    terms = object_schema(dict.fromkeys((*profiles.signs, *profiles.spellings), number))
    one_each = [
        {"oneOf": [{"required": [name]} for name in (term, *spellings.get(term, ()))]} for term in profiles.required
    ]
    here: Mapping[str, Schema] = {
        "game": {"enum": [profiles.game, None]} if profiles.unmarked else {"const": profiles.game},
        "description": {"type": "string", "pattern": r"^\s*[^\n]*\s*$"},
        "weights": {**terms, "allOf": one_each},
        **{under: list_schema(_rules(profiles.rules.kinds, under)) for under in ("forbid", "require")},
    }
    habits = {key: schema_of(read) for key, read in profiles.habits.items()}
    needed = ["weights", *([] if profiles.unmarked else ["game"])]
    return object_schema({key: here[key] for key in FIELDS} | habits, needed)


def _rules(kinds: Mapping[str, RuleKind], under: str) -> Schema:
    here = {name: kind for name, kind in kinds.items() if kind.under == under}
    bare = [name for name, kind in here.items() if not kind.takes]
    taking = [object_schema({name: _behind(kind)}, [name]) for name, kind in here.items() if kind.takes]
    return any_of(*([enum_schema(bare)] if bare else []), *taking) if here else {"not": {}}


def _behind(kind: RuleKind) -> Any:
    """What stands behind the rule's colon."""
    if kind.takes == "word":
        return enum_schema(kind.words) if kind.words else {**TEXT, "pattern": r"\S"}
    if kind.positive:
        return {"type": "number", "exclusiveMinimum": 0, "maximum": LIMIT}
    return {"type": "integer", "minimum": 0, "maximum": LIMIT}
