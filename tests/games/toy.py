"""The example game of docs/how-to/games.md, executed from the page; the arena's tests also use it."""

from __future__ import annotations

import re
from pathlib import Path

_PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "games.md"
SOURCE = re.findall(r"^```python\n(.*?)^```$", _PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[0]

exec(compile(SOURCE, str(_PAGE), "exec"))
