"""The pages say what is true: their code runs, their commands work, their links lead somewhere, nothing is left out.

docs/development.md says how a page marks what is run.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

import planner
from planner.arena.tournament.experiment_file import load_experiment
from planner.cli import app, main

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BOTS = ROOT / "docs" / "how-to" / "bots.md"
PAGES = [README, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUNNABLE = ("bots", "games", "environment", "designers")  # their code runs
RUN = [page for page in PAGES if page == README or page.stem in RUNNABLE]
EXAMPLE = ROOT / "experiments" / "example_bot.py"
TIME = re.compile(r"\d+(\.\d+)? m?s\b")


class Block(NamedTuple):
    """A fenced block of a page, and the one that follows it directly."""

    page: Path
    line: int
    kind: str
    text: str
    then: str = ""

    @property
    def id(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = list(re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    result = []
    for number, match in enumerate(found):
        block = Block(page, text.count("\n", 0, match.start()) + 1, match[1], match[2])
        after = found[number + 1] if number + 1 < len(found) else None
        if after and after[1] == "text" and not text[match.end() : after.start()].strip():
            block = block._replace(then=after[2])
        result.append(block)
    return result


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """The command lines of a block, and what the page shows as their output."""
    if block.kind == "sh":
        yield from ((line, "") for line in block.text.splitlines() if line.startswith("planner "))
    elif block.kind == "console":
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            yield line, output


ALL_BLOCKS = [block for page in PAGES for block in blocks(page)]
PYTHON = [block for block in ALL_BLOCKS if block.page in RUN and block.kind == "python"]
COMMANDS = [(block, *pair) for block in ALL_BLOCKS if block.page in RUN for pair in commands(block)]
TOURNAMENTS = [line for _, line, _ in COMMANDS if line.startswith("planner tournament")]
QUICK = [case for case in COMMANDS if case[1] not in TOURNAMENTS]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place to run in, as a reader has it: the checkout's data, and the files that the pages show."""
    for name in ("decks", "experiments", "weights"):
        (tmp_path / name).symlink_to(ROOT / name)
    for block in ALL_BLOCKS:
        name = re.match(r"# (\w+\.(?:yaml|py))\n", block.text)
        if block.kind in ("yaml", "python") and name:
            (tmp_path / name[1]).write_text(block.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def plain(text: str) -> list[str]:
    return [TIME.sub("TIME", line.rstrip()) for line in text.strip("\n").splitlines()]


def missing_part(shown: str, printed: str) -> str | None:
    """The first stretch of lines that the page shows and the program did not print in that place."""
    actual, at = plain(printed), 0
    for stretch in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE):
        wanted = plain(stretch)
        places = (n for n in range(at, len(actual) - len(wanted) + 1) if actual[n : n + len(wanted)] == wanted)
        place = next(places, None)
        if place is None:
            return stretch
        at = place + len(wanted)
    return None


def test_a_page_that_shows_something_else_is_noticed() -> None:
    printed = "one\ntwo  \nthree in 2.5 ms\nfour\n"
    assert missing_part("one\n...\nthree in 7 ms\nfour\n", printed) is None
    assert missing_part("...\nfour\n", printed) is None
    assert missing_part("one\nthree in 7 ms\n", printed) is not None
    assert missing_part("four\n...\none\n", printed) is not None


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.id)
@pytest.mark.usefixtures("folder")
def test_python_runs_and_prints_what_the_page_says(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block.text, block.id, "exec"), {"__name__": "__main__"})
    if block.then:
        assert plain(capsys.readouterr().out) == plain(block.then)


@pytest.mark.parametrize(("block", "line", "shown"), QUICK, ids=[f"{block.id}:{line}" for block, line, _ in QUICK])
@pytest.mark.usefixtures("folder")
def test_a_command_works_and_prints_what_the_page_shows(
    block: Block, line: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(shlex.split(line)[1:])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    assert missing_part(shown, out) is None, out


@pytest.mark.parametrize("line", TOURNAMENTS)
@pytest.mark.usefixtures("folder")
def test_a_tournament_can_be_played(line: str) -> None:
    assert load_experiment(shlex.split(line)[2]).agents


@pytest.mark.long
@pytest.mark.usefixtures("folder")
def test_the_tournament_for_a_quick_look_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    line = next(line for line in TOURNAMENTS if "--games" in line)
    assert main(shlex.split(line)[1:]) == 0
    assert "matrix.csv" in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_every_page_can_be_read(page: Path) -> None:
    for block in blocks(page):
        if block.kind == "python":
            ast.parse(block.text, block.id)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not link.startswith("http"):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{page.name}: {link}"
            assert target.is_relative_to(ROOT), f"{page.name}: {link}"
            assert not anchor or anchor in anchors(target), f"{page.name}: {link}"


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_readme_leads_to_every_page() -> None:
    text = README.read_text(encoding="utf-8")
    assert [page.name for page in PAGES if page != README and f"{page.name})" not in text] == []


# -- commands


def every_command(command: Any = None, path: tuple[str, ...] = ("planner",)) -> Iterator[tuple[tuple[str, ...], Any]]:
    command = typer.main.get_command(app) if command is None else command
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from every_command(child, (*path, name))


CALLS = list(every_command())


@pytest.mark.parametrize(("path", "command"), CALLS, ids=[" ".join(path) for path, _ in CALLS])
def test_every_command_is_documented(path: tuple[str, ...], command: Any) -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    group = " ".join(path[:2])  # what belongs to a group, its help lists
    assert re.search(rf"{group}\b", pages), f"no page mentions {group}"
    assert len(command.help) > 20
    assert re.search(rf"{' '.join(path)}\b", command.epilog), f"{' '.join(path)} --help has no example"


# -- the public interface


def public_names() -> list[str]:
    """What docs/how-to/bots.md calls public."""
    named = re.findall(r"^\| `(planner\.[\w.]+)` \|", BOTS.read_text(encoding="utf-8"), re.MULTILINE)
    return sorted({*named, *(f"planner.{name}" for name in planner.__all__)})


def described(thing: Any) -> bool:
    own = inspect.getdoc(thing) or ""
    return bool(own) and not own.startswith(f"{getattr(thing, '__name__', '')}(")  # as named tuples and dataclasses do


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_is_there_and_documented(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    thing = getattr(importlib.import_module(module), attribute)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        assert described(thing), f"{name} has no docstring"
    if inspect.isclass(thing):
        for method, value in vars(thing).items():
            function = getattr(value, "__func__", value)
            if not method.startswith("_") and inspect.isfunction(function):
                assert described(function), f"{name}.{method} has no docstring"


def test_the_page_names_exactly_what_the_packages_export() -> None:
    ours = "planner.games.hearthstone"
    fronts = ("planner", ours, f"{ours}.metagame", "planner.gym", "planner.meta")
    exported = {f"{front}.{name}" for front in fronts for name in importlib.import_module(front).__all__}
    assert set(public_names()) == exported


def test_pages_and_examples_import_only_what_is_public() -> None:
    """Whoever copies from a page relies on nothing that may move."""
    texts = {block.id: block.text for block in PYTHON}
    used = {
        (where, f"{node.module}.{alias.name}")
        for where, text in texts.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("planner")
        for alias in node.names
    }
    assert {(where, name) for where, name in used if name not in public_names()} == set()


def test_the_page_of_games_names_the_whole_protocol() -> None:
    page = (ROOT / "docs" / "how-to" / "games.md").read_text(encoding="utf-8")
    functions = [name for name in vars(planner.Game) if not name.startswith("_") and name != "name"]
    short = {re.sub(r"_(from|to)_(json|text)$", "", name) for name in functions}
    assert len(functions) > 25
    assert [name for name in short if not re.search(rf"`{name}", page)] == []


# -- the example bot


def test_the_example_bot_is_the_readmes_and_short() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert text in [block.text for block in blocks(README)]
    assert len(text.splitlines()) < 40


def test_the_example_bot_needs_only_what_is_public() -> None:
    used = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(EXAMPLE.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert used - set(public_names()) == set()


def test_the_example_bot_runs_as_a_program(tmp_path: Path) -> None:
    found = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    assert re.fullmatch(r"finisher against greedy: player [12] wins by .* in round \d+\n", found.stdout)
