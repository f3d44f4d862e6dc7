"""Writing a model as a CPLEX LP file, in the subset of the format that HiGHS, CBC and Gurobi read alike."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TextIO

if TYPE_CHECKING:
    from planner.solvers.linear_model import LinearModel

# CBC reads at most 100 characters of a name and cuts lines at 255 or so; ten terms of these names stay below.
NAME_LENGTH = 60
LINE_LENGTH = 200


def sanitized(names: Iterable[str], first: str) -> list[str]:
    """Return unique names of letters, digits and underscores, none of which is a number or a keyword.

    `first` begins every name that does not begin with a safe letter: `e5` reads as a number, `free`, `st` and
    `inf` are keywords.
    """
    taken: set[str] = set()
    result = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:NAME_LENGTH]
        if not plain or not plain[0].isalpha() or plain.lower() in _KEYWORDS or re.match(r"[eE]\d*$", plain):
            plain = f"{first}_{plain}" if plain else first
        unique = plain
        number = 2
        while unique.lower() in taken:
            unique = f"{plain}_{number}"
            number += 1
        taken.add(unique.lower())
        result.append(unique)
    return result


_KEYWORDS = frozenset(
    {
        *("max", "maximize", "maximise", "maximum", "min", "minimize", "minimise", "minimum"),
        *("subject", "to", "st", "such", "that", "bounds", "bound", "free", "inf", "infinity", "end"),
        *("general", "generals", "gen", "integer", "integers", "int", "binary", "binaries", "bin"),
        *("semi", "sos", "sos1", "sos2", "range", "ranges", "obj", "objective"),
    }
)


def write(model: LinearModel, stream: TextIO, names: Sequence[str] | None = None) -> None:
    """Write the model; `names` replaces the sanitised names of the variables."""
    if names is None:
        # Programs read a constant in the objective differently, but a fixed variable alike.
        *variables, constant = sanitized([*model.var_names, "objective constant"], "x")
        stream.write(f"\\ {re.sub(r'[^ -~]+', ' ', model.name)}\n")
    else:
        variables, constant = list(names), "constant"
    objective = [(variables[i], value) for i, value in model.objective]
    if model.constant or not variables:
        objective.append((constant, model.constant))
    # Programs read an empty objective differently, too; a zero coefficient is unambiguous.
    objective = objective or [(variables[0], 0.0)]
    lines = [_Line("obj", objective, "", None)]
    lines += _rows(model, variables, objective[0][0])
    known = {name for line in lines for name, _ in line.terms}
    # Some programs do not know a variable that occurs neither in a row nor in the objective.
    lines += [_Line(f"use {name}", [(name, 1.0)], ">=", -1e30) for name in variables if name not in known]
    rows = [line.name for line in lines[1:]]
    titles = ["obj", *(sanitized(rows, "r") if names is None else [f"r{i}" for i in range(len(rows))])]

    stream.write("Maximize\n")
    for number, (title, line) in enumerate(zip(titles, lines, strict=True)):
        if number == 1:
            stream.write("Subject To\n")
        end = [] if line.bound is None else [f"{line.sense} {_number(line.bound)}"]
        _write_wrapped(stream, f" {title}:", [*_terms(line.terms), *end])
    if len(lines) == 1:
        stream.write("Subject To\n")
    stream.write("Bounds\n")
    if model.constant or not variables:
        stream.write(f" {constant} = 1\n")
    _write_bounds(model, stream, variables)
    stream.write("End\n")


class _Line(NamedTuple):
    name: str
    terms: list[tuple[str, float]]
    sense: str
    bound: float | None


def _rows(model: LinearModel, variables: Sequence[str], some_name: str) -> Iterator[_Line]:
    for row, name in enumerate(model.row_names):
        # A row without variables keeps its meaning with a zero coefficient.
        terms = [(variables[i], value) for i, value in model.row(row)] or [(some_name, 0.0)]
        lower, upper = model.row_bounds(row)
        if lower == upper:
            yield _Line(name, terms, "=", lower)
        elif math.isinf(lower) and math.isinf(upper):
            yield _Line(name, terms, ">=", -1e30)
        else:
            # Two rows instead of a range, which programs read differently.
            both = not math.isinf(lower) and not math.isinf(upper)
            if not math.isinf(lower):
                yield _Line(f"{name} low" if both else name, terms, ">=", lower)
            if not math.isinf(upper):
                yield _Line(f"{name} high" if both else name, terms, "<=", upper)


def _write_bounds(model: LinearModel, stream: TextIO, variables: Sequence[str]) -> None:
    binaries, generals = [], []
    for i, name in enumerate(variables):
        lower, upper = model.var_bounds(i)
        if model.is_integer(i) and (lower, upper) == (0, 1):
            binaries.append(name)
            continue
        if model.is_integer(i):
            generals.append(name)
        if lower == upper:
            stream.write(f" {name} = {_number(lower)}\n")
        elif math.isinf(lower) and math.isinf(upper):
            stream.write(f" {name} free\n")
        else:
            low = "-inf" if math.isinf(lower) else _number(lower)
            stream.write(f" {low} <= {name}\n" if math.isinf(upper) else f" {low} <= {name} <= {_number(upper)}\n")
    for title, members in (("Generals", generals), ("Binaries", binaries)):
        if members:
            _write_wrapped(stream, title + "\n", members)


def _terms(pairs: Iterable[tuple[str, float]]) -> Iterator[str]:
    return (f"{'-' if value < 0 else '+'} {_number(abs(value))} {name}" for name, value in pairs)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _write_wrapped(stream: TextIO, head: str, words: Iterable[str]) -> None:
    line = head
    for word in words:
        if len(line) + len(word) > LINE_LENGTH:
            stream.write(line + "\n")
            line = ""
        line += " " + word
    stream.write(line + "\n")
