"""The words of the code base: none of the private words that it once used instead of the field's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
SUFFIXES = {".py", ".pyi", ".cpp", ".hpp", ".md", ".yaml", ".css", ".js", ".html", ".ipynb"}
# What to write instead: index or position; characters; again; vanilla minions; attack or hit; describe; decklist; value
# or score; prune; OMIT_DEFAULT_FROM_DIGEST; the name of the thing or person.
PRIVATE_WORDS = (
    *(
        "anew",
        "blow",
        "blows",
        "bodies",
        "brought",
        "errand",
        "foretell",
        "foretold",
        "hopeless",
        "left_out",
        "leave_out",
    ),
    *("nobody", "plainest", "signs", "somebody", "stranger", "strangers", "struck", "told", "whoever", "why_not"),
    *("is none of", "stands twice", "stands here twice", "is not known here", "tell_turn", "only_bodies"),
)
# Names of cards, of a folder of results, and of the plus or minus of a weight.
NAMES = ("Searing Blow", "searing_blow", "left_out_archetypes", "term_signs", "TERM_SIGNS")
WORD = re.compile(rf"(?<![A-Za-z])({'|'.join(map(re.escape, PRIVATE_WORDS))})(?![A-Za-z])", re.IGNORECASE)


def text_files() -> list[Path]:
    roots = [PROJECT / name for name in ("planner", "tests", "docs", "experiments", "weights", "decks")]
    paths = [path for root in roots for path in sorted(root.rglob("*")) if path.suffix in SUFFIXES]
    return [*paths, *(PROJECT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"))]


def private_words(text: str) -> list[str]:
    for name in NAMES:
        text = text.replace(name, "")
    return [
        f"{number}: {match[0]}" for number, line in enumerate(text.splitlines(), 1) for match in WORD.finditer(line)
    ]


def test_no_private_words() -> None:
    here = Path(__file__)
    found = [
        f"{path.relative_to(PROJECT)}:{word}"
        for path in text_files()
        if path != here and path.is_file()
        for word in private_words(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "line", ["Only bodies are left", "x = tell_turn(y)", "def blow_of(self):", "STRUCK = 1", "'x' is not known here"]
)
def test_private_words_are_found(line: str) -> None:
    assert private_words(line)


@pytest.mark.parametrize(
    "line", ["Searing Blow costs 2", "a lightning strike", "designs and assignments", "below the limit"]
)
def test_other_words_are_not(line: str) -> None:
    assert private_words(line) == []
