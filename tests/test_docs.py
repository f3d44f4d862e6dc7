"""The documentation is true: its code runs, its commands work, its links and paths exist, and nothing public is missing.

docs/development.md explains how a page marks the blocks that are run.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

import planner
from planner.arena.tournament.experiment_file import load_experiment
from planner.cli import app, main
from planner.protocol import REQUESTS
from planner.protocol.plan_request import AHEAD_FIELDS, PLAN_FIELDS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
CHANGELOG = ROOT / "CHANGELOG.md"
API = DOCS / "reference" / "api.md"
GAMES = DOCS / "how-to" / "games.md"
FORMULATION = DOCS / "explanation" / "formulation.md"
FIRST_BOT = DOCS / "tutorials" / "first_bot.md"
PAGES = [README, CHANGELOG, ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
EXAMPLE = ROOT / "experiments" / "example_bot.py"
TIME = re.compile(r"\d+(\.\d+)? m?s\b")


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def without_code(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", read(page), flags=re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block of a page, and the text block that directly follows it."""

    page: Path
    line: int
    kind: str
    text: str
    output: str = ""

    @property
    def id(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> list[Block]:
    text = read(page)
    matches = list(re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    result = []
    for number, match in enumerate(matches):
        block = Block(page, text.count("\n", 0, match.start()) + 1, match[1], match[2])
        after = matches[number + 1] if number + 1 < len(matches) else None
        if after and after[1] == "text" and not text[match.end() : after.start()].strip():
            block = block._replace(output=after[2])
        result.append(block)
    return result


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Yield the command lines of a block, each with the output that the page shows."""
    if block.kind == "sh":
        yield from ((line, "") for line in block.text.splitlines() if line.startswith("planner "))
    elif block.kind == "console":
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            yield line, output


ALL_BLOCKS = [block for page in PAGES for block in blocks(page)]
PYTHON = [block for block in ALL_BLOCKS if block.kind == "python"]
COMMANDS = [(block, *pair) for block in ALL_BLOCKS for pair in commands(block)]
TOURNAMENTS = [line for _, line, _ in COMMANDS if line.startswith("planner tournament")]
QUICK = [case for case in COMMANDS if case[1] not in TOURNAMENTS]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder as a reader has it: the checkout's data, and the files that the pages show."""
    for name in ("decks", "experiments", "weights"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "results" / "thesis", tmp_path / "results" / "thesis")  # `planner report` writes into it
    for block in ALL_BLOCKS:
        name = re.match(r"# (\w+\.(?:yaml|py))\n", block.text)
        if block.kind in ("yaml", "python") and name:
            (tmp_path / name[1]).write_text(block.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def normalised(text: str) -> list[str]:
    return [TIME.sub("TIME", line.rstrip()) for line in text.strip("\n").splitlines()]


def missing_part(shown: str, printed: str) -> str | None:
    """Return the first run of lines that the page shows and the program did not print at that point."""
    actual, start = normalised(printed), 0
    for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE):
        expected = normalised(part)
        matches = (
            n for n in range(start, len(actual) - len(expected) + 1) if actual[n : n + len(expected)] == expected
        )
        index = next(matches, None)
        if index is None:
            return part
        start = index + len(expected)
    return None


def test_missing_part_finds_a_difference() -> None:
    printed = "one\ntwo  \nthree in 2.5 ms\nfour\n"
    assert missing_part("one\n...\nthree in 7 ms\nfour\n", printed) is None
    assert missing_part("...\nfour\n", printed) is None
    assert missing_part("one\nthree in 7 ms\n", printed) is not None
    assert missing_part("four\n...\none\n", printed) is not None


# -- code and commands


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.id)
@pytest.mark.usefixtures("folder")
def test_python_block_runs_and_prints_what_the_page_shows(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block.text, block.id, "exec"), {"__name__": "__main__"})
    if block.output:
        assert normalised(capsys.readouterr().out) == normalised(block.output)


@pytest.mark.parametrize(("block", "line", "shown"), QUICK, ids=[f"{block.id}:{line}" for block, line, _ in QUICK])
@pytest.mark.usefixtures("folder")
def test_command_works_and_prints_what_the_page_shows(
    block: Block, line: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(shlex.split(line)[1:])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    assert missing_part(shown, out) is None, out


@pytest.mark.parametrize("line", TOURNAMENTS)
@pytest.mark.usefixtures("folder")
def test_tournament_command_names_a_valid_experiment(line: str) -> None:
    assert load_experiment(shlex.split(line)[2]).agents


@pytest.mark.long
@pytest.mark.usefixtures("folder")
def test_quick_tournament_can_be_played(capsys: pytest.CaptureFixture[str]) -> None:
    line = next(line for line in TOURNAMENTS if "--games" in line)
    assert main(shlex.split(line)[1:]) == 0
    assert "matrix.csv" in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_every_page_parses(page: Path) -> None:
    for block in blocks(page):
        if block.kind in ("python", "py"):
            ast.parse(block.text, block.id)


# -- pages, links and paths


def test_readme_and_changelog_stay_short() -> None:
    assert len(read(README).splitlines()) <= 150
    assert len(read(CHANGELOG).splitlines()) <= 60


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_exist(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page)):
        if not link.startswith("http"):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{page.name}: {link}"
            assert target.is_relative_to(ROOT), f"{page.name}: {link}"
            assert not anchor or anchor in anchors(target), f"{page.name}: {link}"


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", read(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_front_page_links_every_page() -> None:
    front = read(DOCS / "index.md")
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md") if page.name != "index.md"]
    assert [page for page in pages if f"({page})" not in front] == []


def test_page_names_are_unique() -> None:
    names = Counter(page.name for page in PAGES)
    assert [name for name, count in names.items() if count > 1] == []


# Phrases that report to a project manager instead of to a user; tests/test_language.py checks single words.
AVOIDED = re.compile(
    r"\b(everybody|habits|one's own|of ours|so many|document 00\d|was asked for|was wanted)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_use_plain_words(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", without_code(page))
    assert AVOIDED.findall(text) == []


GENERATED = ("results/quick", "results/analysis.ipynb", "results/mine", "results/thesis-20", "build/")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
SUFFIXES = (".py", ".cpp", ".hpp", ".md", ".yaml", ".yml", ".ipynb", ".sh", ".pl", ".json", ".toml", ".png", "/")


@cache
def repository_paths() -> frozenset[str]:
    """All files and folders of the repository, each also by every tail of its path."""
    skipped = {".git", ".venv", "__pycache__", "build", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
    result = set()
    for top, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in skipped]
        for name in [*files, *(f"{name}/" for name in folders)]:
            parts = (Path(top).relative_to(ROOT) / name).parts
            end = "/" if name.endswith("/") else ""
            result |= {"/".join(parts[start:]) + end for start in range(len(parts))}
    return frozenset(result)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_paths_exist(page: Path) -> None:
    named = [text for text in re.findall(r"`([^`\n]+)`", without_code(page)) if PATH.fullmatch(text)]
    paths = [
        text
        for text in named
        if "/" in text
        and text.endswith(SUFFIXES)
        and not text.startswith(GENERATED)
        and not re.search(r"[A-Z]{4}", text)
    ]
    assert [path for path in paths if path not in repository_paths()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_tests_exist(page: Path) -> None:
    named = set(re.findall(r"`(?:[\w/.]+::)?(test_\w+)`", read(page)))
    if named:
        defined = {
            name for path in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def (test_\w+)", read(path))
        }
        assert named - defined == set()


def test_site_builds_without_a_warning(tmp_path: Path) -> None:
    if importlib.util.find_spec("mkdocs") is None:
        pytest.skip("mkdocs is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (built.returncode, re.findall(r"^WARNING.*", built.stderr, re.MULTILINE)) == (0, []), built.stderr
    html = "".join(read(page) for page in (tmp_path / "site").rglob("*.html"))
    assert re.findall(r'(?:<script[^>]*src|<link[^>]*href)="https?://[^"]*', html) == []


# -- the integer program that the page on formulations prints

SYMBOLS = {
    "Y": "me_board_0",
    "R": "me_board_1",
    "O": "me_board_2",
    "W": "me_hand_0",
    "B": "me_hand_1",
    "S": "me_hand_2",
    "T": "enemy_board_0",
    "M": "enemy_board_1",
    "H": "hero",
}


def lp_name(name: str) -> str:
    """Translate `part[Y,T]` into the name that the LP file uses."""
    stem, _, arguments = name.partition("[")
    parts = [SYMBOLS.get(part, part) for part in arguments.rstrip("]").split(",") if part]
    numbered = stem in ("part", "last", "dead", "guard")  # these count the attacks of one unit
    return "_".join([stem, *parts, *(["0"] if numbered else [])])


def coefficients(expression: str) -> dict[str, int]:
    pairs = re.findall(r"([+-])? *(\d+)? *([A-Za-z_]\w*(?:\[[\w,]*\])?|(?<=\d)(?!\w))", expression.replace("−", "-"))
    return {lp_name(name) if "[" in name else name: int(f"{sign}{number or 1}") for sign, number, name in pairs if name}


def test_formulation_page_shows_the_program_of_the_lp_file(capsys: pytest.CaptureFixture[str]) -> None:
    state = str(ROOT / "experiments" / "states" / "lethal.json")
    assert main(["plan", state, "--weights", "aggro_face", "--write-lp", "-"]) == 0
    program = capsys.readouterr().out
    section = read(FORMULATION).split("## A turn as mathematics")[1].split("\n## ")[0]
    shown = "\n".join(block for block in re.findall(r"```text\n(.*?)```", section, re.DOTALL))

    objective = coefficients(re.search(r"obj:(.*?)Subject To", program, re.DOTALL)[1])  # type: ignore[index]
    constant = objective.pop("objective_constant")
    printed, _, printed_constant = shown.partition("maximise")[2].partition("clear")
    assert coefficients(printed + "clear") == objective
    assert int(printed_constant.split("\n")[0].replace("−", "-").replace(" ", "")) == constant

    rows = re.findall(r"^ (\w+):(.*?)(<=|>=) (\d+)$", program.partition("Subject To")[2], re.MULTILINE | re.DOTALL)
    written = {name: (coefficients(left), sense, int(bound)) for name, left, sense, bound in rows}
    senses = {"≤": "<=", "≥": ">="}
    on_page = {
        lp_name(name): (coefficients(left), senses[sense], int(bound))
        for name, left, sense, bound in re.findall(r"^([\w\[\],]+): (.*) ([≤≥]) (\d+)$", shown, re.MULTILINE)
    }
    assert on_page == written


# -- commands


def every_command(command: Any = None, path: tuple[str, ...] = ("planner",)) -> Iterator[tuple[tuple[str, ...], Any]]:
    command = typer.main.get_command(app) if command is None else command
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from every_command(child, (*path, name))


CALLS = list(every_command())


@pytest.mark.parametrize(("path", "command"), CALLS, ids=[" ".join(path) for path, _ in CALLS])
def test_every_command_is_documented(path: tuple[str, ...], command: Any) -> None:
    page = read(DOCS / "reference" / "commands.md")
    group = " ".join(path[:2])  # the help of a group lists its commands
    assert re.search(rf"{group}\b", page), f"no page mentions {group}"
    assert len(command.help) > 20
    assert re.search(rf"{' '.join(path)}\b", command.epilog), f"{' '.join(path)} --help has no example"


def test_commands_page_lists_every_option_of_plan() -> None:
    command = next(command for path, command in CALLS if path == ("planner", "plan"))
    options = {option for parameter in command.params for option in parameter.opts if option.startswith("-")}
    page = read(DOCS / "reference" / "commands.md")
    assert [option for option in options - {"--help", "-h", "--no-color"} if not re.search(rf"`{option}\b", page)] == []


def test_protocol_page_lists_every_request_and_field() -> None:
    page = read(DOCS / "reference" / "protocol.md")
    assert [name for name in (*REQUESTS, *PLAN_FIELDS, *AHEAD_FIELDS) if f"`{name}`" not in page] == []


def test_statistics_page_names_existing_functions() -> None:
    section = read(DOCS / "reference" / "statistics.md").split("## Functions")[1].split("\n## ")[0]
    modules = [
        importlib.import_module(f"planner.stats.{path.stem}") for path in (ROOT / "planner" / "stats").glob("[a-z]*.py")
    ]
    for name in re.findall(r"`(?:\w+\.)?(\w+)\(", section):
        assert any(hasattr(thing, name) for module in modules for thing in (module, *vars(module).values())), name
    for module, name in re.findall(r"`(\w+)\.(\w+)\(", section):
        assert hasattr(importlib.import_module(f"planner.stats.{module}"), name), f"{module}.{name}"


# -- the public interface


def public_names() -> list[str]:
    """The names that docs/reference/api.md lists."""
    named = re.findall(r"^\| `(planner\.[\w.]+)` \|", read(API), re.MULTILINE)
    return sorted({*named, *(f"planner.{name}" for name in planner.__all__)})


def has_docstring(thing: Any) -> bool:
    text = inspect.getdoc(thing) or ""
    return bool(text) and not text.startswith(f"{getattr(thing, '__name__', '')}(")  # generated for named tuples


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_exists_and_has_a_docstring(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    thing = getattr(importlib.import_module(module), attribute)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        assert has_docstring(thing), f"{name} has no docstring"
    if inspect.isclass(thing):
        for method, value in vars(thing).items():
            function = getattr(value, "__func__", value)
            if not method.startswith("_") and inspect.isfunction(function):
                assert has_docstring(function), f"{name}.{method} has no docstring"


def test_api_page_lists_exactly_the_exported_names() -> None:
    hearthstone = "planner.games.hearthstone"
    modules = ("planner", hearthstone, f"{hearthstone}.metagame", "planner.gym", "planner.pettingzoo", "planner.meta")
    exported = {f"{module}.{name}" for module in modules for name in importlib.import_module(module).__all__}
    assert set(public_names()) == exported


def test_examples_import_only_public_names() -> None:
    """Code copied from a page depends on nothing that may move.

    The page on battles shows how to extend them, and the page on the specification explains our own code.
    """
    texts = {block.id: block.text for block in PYTHON if block.page.name not in ("battles.md", "specification.md")}
    texts[EXAMPLE.name] = read(EXAMPLE)
    used = {
        (place, f"{node.module}.{alias.name}")
        for place, text in texts.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("planner")
        for alias in node.names
    }
    assert {(place, name) for place, name in used if name not in public_names()} == set()


def test_games_page_lists_the_whole_protocol() -> None:
    page = read(GAMES)
    methods = {name for kind in (planner.Game, planner.BaseGame) for name in vars(kind) if not name.startswith("_")}
    assert sorted(name for name in methods if not re.search(rf"`{name}`", page)) == []


def test_state_page_shows_real_errors() -> None:
    minion = {"attack": 1, "health": 1}
    hero = {"hero": {"health": 9}}
    invalid: list[dict[str, Any]] = [
        {"enemy": {**hero, "board": [minion, minion, {"attack": 1, "health": 0}]}},
        {"me": {**hero, "board": [minion] * 8}},
        {"me": {**hero, "hand": [{"name": "Wolfrider", "keywords": ["tuant"]}]}},
        {"me": {**hero, "board": [{**minion, "id": "a"}, {**minion, "id": "a"}]}},
        {"mana": -1},
        {"me": {"hero": {"helth": 9}}},
    ]
    messages = []
    for fields in invalid:
        with pytest.raises(planner.PlannerError) as error:
            planner.plan_turn({"mana": 1, "me": hero, "enemy": hero, **fields})
        messages.append(str(error.value))
    section = read(DOCS / "reference" / "state.md").split("## Errors")[1]
    shown = re.findall(r"```text\n(.*?)```", section, re.DOTALL)[0]
    assert shown.splitlines() == messages


# -- the example bot


def test_example_bot_is_shown_in_the_tutorial_and_short() -> None:
    text = read(EXAMPLE)
    assert text in [block.text for block in blocks(FIRST_BOT)]
    assert len(text.splitlines()) < 40


def test_example_bot_runs_as_a_program(tmp_path: Path) -> None:
    result = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert re.fullmatch(r"finisher against greedy: player [12] wins by .* in round \d+\n", result.stdout)
