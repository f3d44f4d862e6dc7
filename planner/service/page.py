"""The page at /docs, made here: nothing is loaded from elsewhere, and there is nothing to run."""

from __future__ import annotations

import json
from html import escape
from typing import Any, Final

_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "pre{overflow:auto;padding:.8rem;border:1px solid #8888;border-radius:.4rem;max-height:30rem}"
    "code{font-size:.9em}summary{cursor:pointer}td{vertical-align:top;padding-right:1rem}"
)


def docs_page(description: dict[str, Any]) -> str:
    """Every request of this OpenAPI description, and the schemas."""
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>planner</title><style>{_STYLE}</style>",
        f"<h1>planner {escape(description['info']['version'])}</h1><p>{escape(description['info']['description'])}</p>",
        "<p>The same for machines: <a href=openapi.json>openapi.json</a></p>",
    ]
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            parts.append(_operation(method.upper(), path, operation))
    parts.append("<h2>Schemas</h2>")
    for name, schema in description["components"]["schemas"].items():
        parts.append(f"<details><summary><code>{escape(name)}</code></summary>{_json(schema)}</details>")
    return "\n".join(parts)


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    parts = [f"<h2><code>{method} {escape(path)}</code></h2><p>{escape(operation.get('description', ''))}</p>"]
    for parameter in operation.get("parameters", []):
        parts.append(f"<p><code>?{escape(parameter['name'])}=</code> {_json(parameter['schema'])}</p>")
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        example = content.get("example")
        parts.append(f"<p>Body: <code>{escape(kind)}</code></p>{_json(content['schema'])}")
        if example is not None:
            command = f"curl http://127.0.0.1:8000{path} -d '{json.dumps(example)}'"
            parts.append(f"<pre><code>{escape(command)}</code></pre>")
    rows = [f"<tr><td>{status}<td>{escape(one['description'])}" for status, one in operation["responses"].items()]
    return "\n".join([*parts, f"<details><summary>Answers</summary><table>{''.join(rows)}</table></details>"])


def _json(value: Any) -> str:
    return f"<pre><code>{escape(json.dumps(value, indent=1))}</code></pre>"
