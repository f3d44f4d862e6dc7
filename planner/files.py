"""Reading files from strangers: data only, and every refusal is one line with the place and the value."""

from __future__ import annotations

import difflib
import re
import reprlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import yaml

LONGEST_FILE: Final = 64 * 2**20  # bytes: the log of a long match has one
_LONGEST_YAML: Final = 2 * 2**20  # it takes a second to read
LONGEST_REFUSAL: Final = 290  # signs
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")


class PlannerError(Exception):
    """A refusal that a person reads: one line with the place, the value and what would be right.

    Where a reader has found several things wrong, the line is the first of them, and `faults` has them all.
    """

    longest: int | None = LONGEST_REFUSAL

    def __init__(self, message: str = "", *others: str) -> None:
        self.faults = tuple(shortened(one, self.longest) for one in (message, *others))
        super().__init__(self.faults[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.faults


class Located(dict[str, Any]):
    """A YAML mapping that remembers the line of each key, and its own."""

    lines: Mapping[str, int]
    line: int


class LocatedList(list[Any]):
    """A YAML list that remembers the line of each item."""

    lines: list[int]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the C one is 10 times faster
    """Plain data only: a SafeLoader builds no Python objects."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> Located:
    result = Located()
    lines: dict[str, int] = {}
    for key_node, value_node in node.value:
        # The text as written: YAML would read the key `on` as true.
        key = key_node.value if isinstance(key_node, yaml.ScalarNode) else str(key_node.value)
        line = key_node.start_mark.line + 1
        if key in result:
            problem = f"{key} stands here twice"
            raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
        result[key] = loader.construct_object(value_node, deep=True)
        lines[key] = line
    result.lines = lines
    result.line = node.start_mark.line + 1
    return result


def _sequence(loader: _Loader, node: yaml.SequenceNode) -> LocatedList:
    result = LocatedList(loader.construct_object(child, deep=True) for child in node.value)
    result.lines = [child.start_mark.line + 1 for child in node.value]
    return result


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_SEQUENCE_TAG, _sequence)


def read_text(path: Path) -> str:
    """The file's text, or a one-line refusal."""
    try:
        with path.open("rb") as file:
            return decoded(file, str(path))
    except FileNotFoundError:
        raise PlannerError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise PlannerError(f"{path}: is a folder, not a file") from None
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise PlannerError(f"{show(str(path))} is not a path: it holds a NUL") from None


def decoded(file: BinaryIO, where: str) -> str:
    """The text in an open file or stream, which may have no end."""
    content = file.read(LONGEST_FILE + 1)
    if len(content) > LONGEST_FILE:
        raise PlannerError(f"{where}: more than {LONGEST_FILE // 2**20} MB")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise PlannerError(f"{where}: is not UTF-8 text") from None


def _check_depth(text: str) -> None:
    """The C loader recurses without a limit: some ten thousand brackets would end the whole process."""
    if sum(map(text.count, "[{-?:")) < 1000:  # each level needs one of these: no need to look closer
        return
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > 100:
            raise RecursionError


def load_yaml(path: Path) -> Any:
    """The file's data; mappings come as `Located`, lists as `LocatedList`."""
    return parse_yaml(read_text(path), path)


def parse_yaml(text: str, path: Path) -> Any:
    """The data in this text, which is refused as if it were the file of this name."""
    if len(text) > _LONGEST_YAML:
        raise PlannerError(f"{path}: more than {_LONGEST_YAML // 2**20} MB of YAML")
    try:
        _check_depth(text)
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        raise PlannerError(f"{place}: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise PlannerError(f"{path}: {str(error).splitlines()[0]}") from None
    except ValueError as error:  # a date or a number that YAML recognises but Python cannot hold
        raise PlannerError(f"{path}: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise PlannerError(f"{path}: nested too deeply") from None


def shipped(kind: str) -> Path:
    """The folder of the `weights`, `decks` or `experiments` that come with the package."""
    package = Path(__file__).resolve().parent
    installed = package / "_shipped"  # a wheel carries them inside the package (setup.py)
    # Beside an installed package stand other people's packages: `experiments` there would not be ours.
    return (installed if installed.is_dir() else package.parent) / kind


class _Short(reprlib.Repr):
    """A few values of the first levels: a small file can hold a value with billions of parts (by aliases)."""

    repr_Located = reprlib.Repr.repr_dict  # noqa: N815 (reprlib looks for the class's name)
    repr_LocatedList = reprlib.Repr.repr_list  # noqa: N815

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxlist, self.maxdict, self.maxstring, self.maxother = 2, 4, 4, 60, 60

    def repr_int(self, x: int, level: int) -> str:
        """Python refuses to write numbers of thousands of digits."""
        return super().repr_int(x, level) if x.bit_length() < 1000 else f"a number of {x.bit_length()} bits"


def show(value: object) -> str:
    """The value as one short line for a message; no address in memory, since that differs from run to run."""
    return _ADDRESS.sub("", _Short().repr(value))


def shortened(text: str, longest: int | None) -> str:
    """The text with its middle left out, if it is longer: the place stands in front, what would be right at the end."""
    if longest is None or len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail - 3]}...{text[-tail:]}"


def printable(text: str) -> str:
    """The text on one line, without signs that would steer a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))


def stable(text: str) -> str:
    """What a stranger's code said, in words that are the same in every run: on one line, and without addresses."""
    return _ADDRESS.sub("", printable(text))


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the known word nearest to this one, or nothing."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""
