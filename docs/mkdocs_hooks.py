"""MkDocs hooks: show figures of `results/` in the site without a second copy of them under `docs/`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
FIGURE = re.compile(r"\((?:\.\./)+(results/[\w/]+\.png)\)")


def on_files(files: Files, *, config: Any) -> Files:
    """Add each figure that a page shows to the files of the site."""
    pages = [file.content_string for file in files if file.is_documentation_page()]
    for path in sorted({match for page in pages for match in FIGURE.findall(page)}):
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Point links to a figure at its place in the site, one folder closer than in the repository."""
    up = "../" * page.file.src_uri.count("/")
    return FIGURE.sub(rf"({up}\1)", markdown)
