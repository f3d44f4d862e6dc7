"""The architecture of the package: which package may import which, and where solvers, games, output and chance belong.

docs/development.md explains the packages. Imports inside functions and under TYPE_CHECKING count like all others.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from planner.games import game_names

PACKAGE = Path(__file__).resolve().parents[1] / "planner"
FILES = sorted(PACKAGE.rglob("*.py"))
SHARED = {"errors", "formats"}  # every package may import these
HEARTHSTONE = {f"games.hearthstone.{part}" for part in ("cards", "rules", "turn", "engine")}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "formats": set(),
    "processes": set(),
    "user_code": set(),
    "game": set(),
    "table_view": {"game"},
    "match_options": {"game"},
    "solvers": set(),
    "stats": set(),
    "specification": set(),
    "meta": {"stats"},
    "planning": {"game", "match_options", "solvers"},
    "games": {"game", "user_code"},  # a game is imported when it is asked for
    "games.hearthstone.cards": {"game"},
    "games.hearthstone.rules": {"game", "games.hearthstone.cards"},
    "games.hearthstone.turn": HEARTHSTONE | {"game", "games.hearthstone", "planning", "solvers"},
    # `meta` predicts decks of any game. The modules that feed it with the cards of this game are here.
    "games.hearthstone": HEARTHSTONE | {
        "game", "match_options", "table_view", "planning", "solvers", "meta", "specification",
    },
    "games.spire": {"game", "table_view", "planning", "user_code"},
    "games.deckbuilder": {"game", "planning", "solvers", "table_view", "user_code"},
    "agents": {"game", "games", "match_options", "planning", "processes", "user_code"},
    "arena": set(),
    "arena.match": {"game", "games", "match_options", "planning", "agents", "user_code"},
    "arena.sandbox": {"game", "games", "agents", "processes", "user_code", "arena.match"},
    "arena.tournament": {
        "game", "games", "match_options", "planning", "agents", "processes", "stats", "arena.match", "arena.sandbox",
    },
    "arena.report": {"stats", "arena.match", "arena.tournament"},
    "tuning": {"game", "games", "planning", "agents", "stats", "arena.match", "arena.tournament", "arena.report"},
    "grading": {"game", "planning", "agents", "stats", "user_code"},
    "file_kinds": {"game", "games", "match_options", "planning", "arena.tournament", "tuning"},
    "environment": {"game", "games", "arena.match"},
    "gym": {"game", "games", "agents", "arena.match", "environment"},
    "pettingzoo": {"game", "games", "environment", "gym"},
    "api": {"game", "games", "games.hearthstone", "planning"} | HEARTHSTONE,
    "protocol": {
        "api", "game", "table_view", "games", "games.hearthstone", "planning", "solvers", "agents", "arena.match",
        "user_code",
    }
    | HEARTHSTONE,
    "bench": {
        "api", "protocol", "game", "table_view", "games", "games.hearthstone", "planning", "agents", "solvers",
        "arena.match", "match_options", "processes", "stats",
    }
    | HEARTHSTONE,
}  # fmt: skip
EDGES = {"__init__", "__main__", "cli", "service"}  # these may import everything, but not each other
NAMES_GAMES = {*EDGES, "games", "api", "protocol", "bench"}
SOLVERS = {"highspy", "ortools", "pulp", "gurobipy"}
# User agents may draw from the global generators; the process that runs them seeds those.
SEEDS_GLOBAL_GENERATORS = "arena/sandbox/agent_host.py"


def package_of(name: str) -> str:
    """Return the package of a dotted name below `planner`: the longest one in the table."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        if (prefix := ".".join(parts[:end])) in MAY_IMPORT:
            return prefix
    return parts[0]


def package_of_file(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return package_of(".".join(part for part in parts if part != "__init__" or len(parts) == 1))


def imported_names(tree: ast.AST, path: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports, wherever in it the import is."""
    package = ("planner", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            yield from (".".join((*base, *([node.module] if node.module else []), alias.name)) for alias in node.names)


def violations(path: Path, text: str) -> list[str]:
    """Return the rules that this text breaks if it is the content of this file."""
    tree, here, broken = ast.parse(text), package_of_file(path), []
    for name in imported_names(tree, path):
        first, _, below = name.partition(".")
        there = package_of(below)
        if first == "planner" and here not in EDGES and there not in {here, *SHARED, *MAY_IMPORT[here]}:
            broken.append(f"{here} imports {name}")
        if first in SOLVERS and here != "solvers":
            broken.append(f"{here} names the solver {first}")
        if first == "random" and name not in ("random", "random.Random"):
            broken.append(f"{name} is global randomness")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print" and here != "cli":
            broken.append(f"line {node.lineno}: prints")
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            owner = ast.unparse(node.value)
            is_generator = node.attr in ("Random", "Generator", "default_rng")
            if node.attr == "seed" and path == PACKAGE / SEEDS_GLOBAL_GENERATORS:
                continue
            if owner in ("random", "np.random", "numpy.random") and not is_generator:
                broken.append(f"line {node.lineno}: {owner}.{node.attr} is global randomness")
    return broken


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_file_obeys_the_rules_of_its_package(path: Path) -> None:
    assert violations(path, path.read_text(encoding="utf-8")) == []


def test_every_package_is_in_the_table() -> None:
    assert {package_of_file(path) for path in FILES} <= EDGES | set(MAY_IMPORT)


# -- cycles


def node_of(package: str) -> str:
    """Return the node of a package in the graph of imports: a game is one node, with all its parts."""
    parts = package.split(".")
    return ".".join(parts[:2]) if parts[0] == "games" else package


@cache
def import_graph() -> Mapping[str, frozenset[str]]:
    """Return for each package the packages it imports. `planner/__init__.py` re-exports all of them and is left out."""
    graph: dict[str, set[str]] = {}
    for path in FILES:
        here = node_of(package_of_file(path))
        for name in imported_names(ast.parse(path.read_text(encoding="utf-8")), path):
            first, _, below = name.partition(".")
            if first == "planner" and here != "__init__":
                graph.setdefault(here, set()).add(node_of(package_of(below)))
    return {package: frozenset(imported - {package}) for package, imported in graph.items()}


def find_cycle(graph: Mapping[str, frozenset[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_packages_import_each_other() -> None:
    assert find_cycle(import_graph()) == []


def test_a_cycle_is_found() -> None:
    graph = {"a": frozenset({"b"}), "b": frozenset({"c"}), "c": frozenset({"a"}), "d": frozenset({"a"})}
    assert set(find_cycle(graph)) == {"a", "b", "c"}


# -- names

# A class name has one meaning outside the games and within each game. These have two meanings, for this reason.
TWO_MEANINGS = {
    "Status": "of a solver, and of a fighter in a battle: the word of that game",
}


def class_names() -> dict[str, list[str]]:
    """Return for every public class name the games that define it; "" stands for the rest of the code base."""
    owners: dict[str, list[str]] = {}
    for path in FILES:
        parts = path.relative_to(PACKAGE).parts
        owner = parts[1] if parts[0] == "games" and len(parts) > 2 else ""
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                owners.setdefault(node.name, []).append(owner)
    return owners


def test_a_class_name_has_one_meaning() -> None:
    ambiguous = {
        name
        for name, owners in class_names().items()
        if len(owners) > len(set(owners)) or (len(owners) > 1 and "" in owners)
    }
    assert ambiguous == set(TWO_MEANINGS)


def test_only_games_and_edges_name_a_game() -> None:
    """The registry lists the games, and the benchmark measures them."""
    name = re.compile("|".join(game_names()), re.IGNORECASE)
    neutral = [path for path in FILES if package_of_file(path).partition(".")[0] not in NAMES_GAMES]
    named = [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in neutral
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if name.search(line)
    ]
    assert named == []


# -- the rules themselves


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("games/hearthstone/cards/x.py", "from planner.games.hearthstone.rules import state"),
        ("games/hearthstone/cards/x.py", "def f():\n    import planner.games.hearthstone.rules.state"),
        ("games/hearthstone/rules/x.py", "from ..turn import plan"),
        ("games/hearthstone/rules/x.py", "from .. import turn"),
        ("games/hearthstone/x.py", "from planner.arena.match import referee"),
        ("games/spire/x.py", "from planner.agents import agent_spec"),
        ("planning/x.py", "from planner.games.hearthstone.rules import state"),
        ("solvers/x.py", "from planner.games.hearthstone.cards.card import Card"),
        ("agents/x.py", "from planner.arena.match import referee"),
        ("meta/x.py", "from planner.arena.report import report_plots"),
        ("arena/match/x.py", "from planner.arena.tournament import runner"),
        ("errors.py", "from planner.games.hearthstone.cards import card"),
        ("games/hearthstone/turn/x.py", "import highspy"),
        ("cli/x.py", "from ortools.sat.python import cp_model"),
        ("games/hearthstone/turn/x.py", "print(1)"),
        ("games/hearthstone/rules/x.py", "import random\nrandom.shuffle([])"),
        ("games/hearthstone/rules/x.py", "from random import choice"),
        ("arena/match/x.py", "import numpy as np\nnp.random.seed(1)"),
    ],
)
def test_a_violation_is_found(path: str, text: str) -> None:
    assert violations(PACKAGE / path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("games/hearthstone/rules/x.py", "from random import Random\nfrom planner.games.hearthstone.cards import card"),
        ("solvers/x.py", "from planner.errors import did_you_mean"),
        ("games/hearthstone/rules/x.py", "from .state import GameState"),
        ("solvers/x.py", "import highspy"),
        ("cli/x.py", "print(1)\nfrom planner.arena.match import referee"),
        ("arena/match/x.py", "import random\nimport numpy as np\nrng = random.Random(1), np.random.default_rng(2)"),
    ],
)
def test_code_within_the_rules_is_accepted(path: str, text: str) -> None:
    assert violations(PACKAGE / path, text) == []
