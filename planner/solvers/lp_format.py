"""Writing a model as a CPLEX LP file that HiGHS, CBC, SCIP and Gurobi read alike."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from planner.solvers.model import LinearModel

# CBC reads at most 100 characters of a name and cuts lines at 255 or so; ten terms of these names stay below.
NAME_LENGTH = 60
LINE_LENGTH = 200


def sanitized(names: Iterable[str], first: str) -> list[str]:
    """Unique names of letters, digits and underscores, none of which a reader takes for a number or a keyword.

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
    variables = list(names) if names is not None else sanitized(model.var_names, "x")
    rows = sanitized(model.row_names, "r") if names is None else [f"r{i}" for i in range(model.num_rows)]
    if names is None:
        stream.write(f"\\ {re.sub(r'[^ -~]+', ' ', model.name)}\n")
    stream.write("Maximize\n")
    objective: list[tuple[str, float]] = [(variables[i], c) for i, c in model.objective]
    if model.constant:
        # A constant in the objective is read differently by different programs; a fixed variable is not.
        objective.append((_constant_name(variables), model.constant))
    # An empty objective is read differently too: a zero coefficient says the same everywhere.
    _write_lines(stream, " obj:", _terms(objective or [(variables[0], 0.0)] if variables else []))
    stream.write("Subject To\n")
    unused = set(range(model.num_vars)) - {i for i, _ in model.objective}
    for row in range(model.num_rows):
        pairs = model.row(row)
        unused.difference_update(i for i, _ in pairs)
        _write_row(stream, rows[row], [(variables[i], c) for i, c in pairs], model.row_bounds(row), variables)
    for i in sorted(unused):
        # A variable that stands in no row and not in the objective would be unknown to some readers.
        _write_lines(stream, f" use_{i}:", [f"+ 1 {variables[i]}", ">= -1e30"])
    _write_bounds(model, stream, variables)
    stream.write("End\n")


def _constant_name(variables: Sequence[str]) -> str:
    name = "objective_constant"
    while name in variables:
        name += "_"
    return name


def _write_row(
    stream: TextIO,
    name: str,
    pairs: list[tuple[str, float]],
    bounds: tuple[float, float],
    variables: Sequence[str],
) -> None:
    lower, upper = bounds
    if not variables:
        return
    terms = _terms(pairs or [(variables[0], 0.0)])
    if lower == upper:
        _write_lines(stream, f" {name}:", [*terms, f"= {_number(lower)}"])
    elif math.isinf(lower) and math.isinf(upper):
        _write_lines(stream, f" {name}:", [*terms, ">= -1e30"])
    else:
        # Two rows instead of a range: the range form is where the readers differ.
        if not math.isinf(lower):
            suffix = "" if math.isinf(upper) else "_low"
            _write_lines(stream, f" {name}{suffix}:", [*terms, f">= {_number(lower)}"])
        if not math.isinf(upper):
            suffix = "" if math.isinf(lower) else "_high"
            _write_lines(stream, f" {name}{suffix}:", [*terms, f"<= {_number(upper)}"])


def _write_bounds(model: LinearModel, stream: TextIO, variables: Sequence[str]) -> None:
    binaries, generals = [], []
    stream.write("Bounds\n")
    if model.constant:
        stream.write(f" {_constant_name(variables)} = 1\n")
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
            _write_lines(stream, title + "\n", members)


def _terms(pairs: Iterable[tuple[str, float]]) -> Iterator[str]:
    return (f"{'-' if value < 0 else '+'} {_number(abs(value))} {name}" for name, value in pairs)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _write_lines(stream: TextIO, head: str, words: Iterable[str]) -> None:
    line = head
    for word in words:
        if len(line) + len(word) > LINE_LENGTH:
            stream.write(line + "\n")
            line = ""
        line += " " + word
    stream.write(line + "\n")
