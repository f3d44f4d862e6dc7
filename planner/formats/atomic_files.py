"""Write files atomically: a reader finds the old file or the new one, never a part, even after a power cut."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from planner.errors import file_errors


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces the one at `path`, with its permissions, when the block ends without an error."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(path, part)
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):  # on a full disk an incomplete file is in the way
            part.unlink()
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    with replacing(path) as file:
        file.write(content)


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write these files into the folder, each atomically; raise a PlannerError if one cannot be written."""
    with file_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with file_errors(folder / name):
            write_bytes(folder / name, content)
