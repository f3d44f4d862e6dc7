"""Read text, YAML and JSON from untrusted sources: plain data only, with file and line in every error."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Final

import yaml

from planner.errors import PlannerError, quote

STDIN: Final = "-"
MAX_FILE_BYTES: Final = 64 * 2**20  # the log of a long match fits
_MAX_YAML_CHARACTERS: Final = 2 * 2**20  # takes about a second to parse
_MAX_YAML_DEPTH: Final = 100


# -- text


def is_file_name(source: object) -> bool:
    """Return whether this names a YAML file, or standard input, rather than something that comes with the package."""
    return isinstance(source, Path) or str(source).endswith((".yaml", ".yml")) or str(source) == STDIN


def stdin_bytes() -> BinaryIO:
    """Return standard input as a stream of bytes."""
    if sys.stdin is None:  # closed by the caller: `planner engine <&-`
        raise PlannerError("standard input is closed")
    return sys.stdin.buffer


@cache
def _text_of_stdin(stdin: BinaryIO) -> str:
    return decode_stream(stdin, "stdin")


def read_text(path: Path) -> str:
    """Return the content of a UTF-8 text file; `-` is standard input, which can be read several times."""
    if str(path) == STDIN:
        return _text_of_stdin(stdin_bytes())
    with reading_errors(path), path.open("rb") as file:
        return decode_stream(file, str(path))


@contextmanager
def reading_errors(path: Path) -> Iterator[None]:
    """Turn what opening and reading this file raises into a PlannerError."""
    try:
        yield
    except FileNotFoundError:
        raise PlannerError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise PlannerError(f"{path}: is a folder, not a file") from None
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise PlannerError(f"{quote(str(path))}: a path must not contain a NUL character") from None


def decode_stream(file: BinaryIO, source: str) -> str:
    """Return the text of an open file or stream, which may be endless; `source` names it in errors."""
    content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise PlannerError(f"{source}: is larger than the limit of {MAX_FILE_BYTES // 2**20} MB")
    return decode_text(content, source)


def decode_text(content: bytes, source: str) -> str:
    """Return the text that these bytes are in UTF-8; `source` names it in errors."""
    try:
        return content.decode("utf-8-sig")  # without a byte order mark
    except UnicodeDecodeError:
        raise PlannerError(f"{source}: is not UTF-8 text") from None


def shipped_folder(kind: str) -> Path:
    """Return the folder of the `weights`, `decks` or `experiments` that come with the package."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "_shipped"  # a wheel carries the top-level folders inside the package
    # Next to an installed package lie other packages: a folder `experiments` there is not ours.
    return (installed if installed.is_dir() else package.parent) / kind


# -- YAML


class YamlMapping(dict[str, Any]):
    """A YAML mapping that knows its own line and the line of each key."""

    lines: Mapping[str, int]
    line: int


class YamlList(list[Any]):
    """A YAML list that knows the line of each item."""

    lines: list[int]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the C loader is 10 times faster
    """A safe loader, which builds no Python objects, with line numbers."""


def _construct_mapping(loader: _Loader, node: yaml.MappingNode) -> YamlMapping:
    result = YamlMapping()
    lines: dict[str, int] = {}
    for key_node, value_node in node.value:
        # The text as written: YAML would read the key `on` as true.
        key = key_node.value if isinstance(key_node, yaml.ScalarNode) else str(key_node.value)
        if key in result:
            raise yaml.constructor.ConstructorError(None, None, f"duplicate key {key!r}", key_node.start_mark)
        result[key] = loader.construct_object(value_node, deep=True)
        lines[key] = key_node.start_mark.line + 1
    result.lines = lines
    result.line = node.start_mark.line + 1
    return result


def _construct_list(loader: _Loader, node: yaml.SequenceNode) -> YamlList:
    result = YamlList(loader.construct_object(child, deep=True) for child in node.value)
    result.lines = [child.start_mark.line + 1 for child in node.value]
    return result


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _construct_mapping)
_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_SEQUENCE_TAG, _construct_list)


def load_yaml(path: Path) -> Any:
    """Return the data of a YAML file; mappings are `YamlMapping`, lists are `YamlList`."""
    return parse_yaml(read_text(path), path)


def parse_yaml(text: str, path: Path) -> Any:
    """Return the data of this YAML text; errors name `path` as its file."""
    if len(text) > _MAX_YAML_CHARACTERS:
        raise PlannerError(f"{path}: YAML files may have at most {_MAX_YAML_CHARACTERS // 2**20} MB")
    try:
        _check_depth(text)
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        raise PlannerError(f"{place}: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise PlannerError(f"{path}: {str(error).splitlines()[0]}") from None
    except ValueError as error:  # a date or number that YAML recognises but Python cannot represent
        raise PlannerError(f"{path}: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise PlannerError(f"{path}: nested too deeply") from None


def _check_depth(text: str) -> None:
    """Raise RecursionError for deep nesting: the C loader recurses without a limit and would crash the process."""
    if sum(map(text.count, "[{-?:")) < 1000:  # every level needs one of these characters
        return
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _MAX_YAML_DEPTH:
            raise RecursionError


# -- JSON


def parse_json(content: str | bytes, source: str) -> Any:
    """Return the data of this JSON text; errors begin with `source` and, for syntax errors, line and column."""
    text = content if isinstance(content, str) else decode_text(content, source)
    try:
        return json.loads(text, object_pairs_hook=_object_without_duplicates)
    except json.JSONDecodeError as error:
        raise PlannerError(f"{source}:{error.lineno}:{error.colno}: invalid JSON: {error.msg}") from None
    except RecursionError:
        raise PlannerError(f"{source}: nested too deeply") from None
    except PlannerError as error:
        raise PlannerError(f"{source}: {error}") from None
    except ValueError:
        raise PlannerError(f"{source}: contains a number with thousands of digits") from None


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):  # json would silently keep the last value
        duplicate = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise PlannerError(f"duplicate key {quote(duplicate)}")
    return result
