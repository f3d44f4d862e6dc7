"""The content hash of the engine's C++ sources.

The build compiles the hash into the engine: CMakeLists.txt runs this file as a script. In a checkout, the package
compares it with the sources as they are now.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path


def source_hash(folder: Path) -> str | None:
    """Return the hash of all C++ files below `folder`, or None if there are none."""
    sources = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.[ch]pp")}
    if not sources:
        return None
    digest = hashlib.sha256()
    for name in sorted(sources):
        # Line endings are normalised, because git may check out either kind.
        content = sources[name].read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def write_definition(target: Path) -> None:
    """Write the C++ file that defines the hash of the sources beside this script."""
    value = source_hash(Path(__file__).parent)
    name = "const char* const engine_source_hash"
    target.write_text(f'extern {name};\n{name} = "{value}";\n', encoding="utf-8")


if __name__ == "__main__":
    write_definition(Path(sys.argv[1]))
