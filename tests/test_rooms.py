"""The house rules of the design: which room may import which, who may name a solver, print, or roll dice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.games import game_names

PACKAGE = Path(__file__).resolve().parents[1] / "planner"
HEARTHSTONE = {f"games.hearthstone.{part}" for part in ("cards", "rules", "turn", "engine")}
TOOLS = {"files", "reading", "kinds"}  # for every room
MAY_IMPORT = {
    "files": set(),
    "reading": set(),
    "kinds": set(),
    "plugins": set(),
    "game": set(),
    "solvers": set(),
    "planning": {"game", "solvers"},
    "games.hearthstone.cards": {"game"},
    "games.hearthstone.rules": {"game", "games.hearthstone.cards"},
    "games.hearthstone.turn": HEARTHSTONE | {"game", "games.hearthstone", "planning", "solvers"},
    "games.hearthstone": HEARTHSTONE | {"game", "planning", "agents", "solvers", "meta"},
    "games.spire": {"game", "planning"},
    "games": {"game", "plugins"},  # a game is imported when somebody asks for it
    "agents": {"game", "games", "planning", "plugins"},
    "stats": set(),
    "meta": {"arena", "stats"},  # of the arena only the style of its figures
    "arena": {"game", "games", "planning", "agents", "stats"},
    "bench": {"game", "games", "games.hearthstone", "planning", "agents", "arena", "requests", "solvers", "turns"}
    | HEARTHSTONE,
    "tuning": {"games", "planning", "agents", "arena", "stats", "results"},
    "environment": {"game", "games", "arena"},  # a match in somebody else's hands
    "gym": {"game", "games", "agents", "arena", "environment"},  # the same, as Gymnasium knows it
    "results": {"arena", "stats"},  # finished tables, for notebooks
}
EDGES = {"__init__", "__main__", "cli", "requests", "service", "turns"}  # thin edges over all rooms
SOLVERS = {"highspy", "ortools", "pulp", "gurobipy"}
# Agents of strangers may draw from the general generator; their own process seeds it with what was handed in.
SEEDS_FOR_OTHERS = "arena/host.py"
FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(name: str) -> str:
    """The room that a dotted name below `planner` belongs to: the most particular one that is known."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        if (found := ".".join(parts[:end])) in MAY_IMPORT:
            return found
    return parts[0]


def room(path: Path) -> str:
    """The room that a file of the package belongs to."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return room_of(".".join(part for part in parts if part != "__init__" or len(parts) == 1))


def imports(tree: ast.AST, path: Path) -> Iterator[str]:
    """The dotted names that a file imports, wherever in it that happens."""
    package = ("planner", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            yield from (".".join((*base, *([node.module] if node.module else []), alias.name)) for alias in node.names)


def broken_rules(path: Path, text: str) -> list[str]:
    """The house rules that this text breaks, if it stands in this file."""
    tree, here, found = ast.parse(text), room(path), []
    for name in imports(tree, path):
        first, _, rest = name.partition(".")
        there = room_of(rest)
        if first == "planner" and here not in EDGES and there not in {here, *TOOLS, *MAY_IMPORT[here]}:
            found.append(f"{here} imports {name}")
        if first in SOLVERS and here != "solvers":
            found.append(f"{here} names the solver {first}")
        if first == "random" and name not in ("random", "random.Random"):
            found.append(f"{name} is global randomness")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print" and here != "cli":
            found.append(f"line {node.lineno}: prints")
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            owner = ast.unparse(node.value)
            handed_in = node.attr in ("Random", "Generator", "default_rng")
            if node.attr == "seed" and path == PACKAGE / SEEDS_FOR_OTHERS:
                continue
            if owner in ("random", "np.random", "numpy.random") and not handed_in:
                found.append(f"line {node.lineno}: {owner}.{node.attr} is global randomness")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_keeps_the_rules_of_its_room(path: Path) -> None:
    assert broken_rules(path, path.read_text(encoding="utf-8")) == []


# One word means one thing outside the games and within each game; these mean two, and why.
TWO_MEANINGS = {
    "Status": "a solver's, and what a fighter in a battle suffers from: that game's own word",
}


def defined_classes() -> dict[str, list[str]]:
    """Every public class by name: the game in which it is defined, or nothing for the rest of the house."""
    found: dict[str, list[str]] = {}
    for path in FILES:
        parts = path.relative_to(PACKAGE).parts
        place = parts[1] if parts[0] == "games" and len(parts) > 2 else ""
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(place)
    return found


def test_one_name_for_one_thing() -> None:
    twice = {
        name
        for name, places in defined_classes().items()
        if len(places) > len(set(places)) or (len(places) > 1 and "" in places)
    }
    assert twice == set(TWO_MEANINGS)


def test_only_the_games_and_the_edges_name_a_game() -> None:
    """`games/__init__.py` lists them, and the benchmark measures them."""
    named = re.compile("|".join(game_names()), re.IGNORECASE)
    free = [path for path in FILES if room(path).partition(".")[0] not in {*EDGES, "games", "bench"}]
    found = [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in free
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if named.search(line)
    ]
    assert found == []


def test_every_room_is_known() -> None:
    assert {room(path) for path in FILES} <= EDGES | set(MAY_IMPORT)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("games/hearthstone/cards/x.py", "from planner.games.hearthstone.rules import state"),
        ("games/hearthstone/cards/x.py", "def f():\n    import planner.games.hearthstone.rules.state"),
        ("games/hearthstone/rules/x.py", "from ..turn import plan"),
        ("games/hearthstone/rules/x.py", "from .. import turn"),
        ("planning/x.py", "from planner.games.hearthstone.rules import state"),
        ("solvers/x.py", "from planner.games.hearthstone.cards.card import Card"),
        ("agents/x.py", "from planner.arena import match"),
        ("files.py", "from planner.games.hearthstone.cards import card"),
        ("games/hearthstone/turn/x.py", "import highspy"),
        ("cli/x.py", "from ortools.sat.python import cp_model"),
        ("games/hearthstone/turn/x.py", "print(1)"),
        ("games/hearthstone/rules/x.py", "import random\nrandom.shuffle([])"),
        ("games/hearthstone/rules/x.py", "from random import choice"),
        ("arena/x.py", "import numpy as np\nnp.random.seed(1)"),
    ],
)
def test_a_broken_rule_is_found(place: str, text: str) -> None:
    assert broken_rules(PACKAGE / place, text)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("games/hearthstone/rules/x.py", "from random import Random\nfrom planner.games.hearthstone.cards import card"),
        ("solvers/x.py", "from planner.formats.documents import nearest"),
        ("games/hearthstone/rules/x.py", "from .state import GameState"),
        ("solvers/x.py", "import highspy"),
        ("cli/x.py", "print(1)\nfrom planner.arena import match"),
        ("arena/x.py", "import random\nimport numpy as np\nrng = random.Random(1), np.random.default_rng(2)"),
    ],
)
def test_what_is_allowed_is_not_complained_about(place: str, text: str) -> None:
    assert broken_rules(PACKAGE / place, text) == []
