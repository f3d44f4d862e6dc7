"""One question to a chat endpoint of the OpenAI-compatible form, or to a recording of earlier answers.

Whatever the endpoint does, the caller gets a `ChatReply`: with a text, or with an error of one line. A reply has a
limit of time and of bytes. The key never leaves this module except in the request itself.
"""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from planner.errors import PlannerError, quote, stable_message
from planner.formats.documents import parse_json, read_text
from planner.formats.values import Fields, as_mapping, boolean, integer, number, one_of, seconds, text

MAX_REPLY_BYTES: Final = 1_000_000
MAX_ERROR_LENGTH: Final = 200
REAL, ANONYMOUS = "real", "anonymous"
TIMED_OUT: Final = "no reply within"
Message = Mapping[str, str]


@dataclass(frozen=True)
class ChatSettings:
    """What the file of a language model says."""

    model: str
    address: str = ""
    key_variable: str = ""  # the environment variable with the key
    reasoning: bool = True
    names: str = REAL  # of cards, in prompts
    retries: int = 2  # further attempts at one decision
    timeout: float = 60.0  # seconds for one reply
    max_tokens: int = 2000
    temperature: float = 0.0
    record: Path | None = None
    replay: Path | None = None

    @classmethod
    def of_file(cls, path: Path) -> ChatSettings:
        """Read the YAML file."""
        file = Fields.of_file(path, "a language model", "with address and model")
        file.check_keys(_READERS, ("model",))
        given = {key: file.read(key, read) for key, read in _READERS.items() if key in file}
        for key in ("record", "replay"):
            if key in given:
                given[key] = path.parent / given[key]
        if ("address" in given) == ("replay" in given):
            raise file.error("give either an address or a recording to replay")
        return cls(**given)


def _address(value: Any) -> str:
    parts = urlsplit(text(value))
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise PlannerError(f"must be such as http://127.0.0.1:8000/v1/chat/completions, got {quote(value)}")
    return str(value)


_READERS: Final[dict[str, Any]] = {
    "address": _address,
    "model": text,
    "key_variable": text,
    "reasoning": boolean,
    "names": lambda value: one_of(value, (REAL, ANONYMOUS)),
    "retries": lambda value: integer(value, 0, 10),
    "timeout": seconds,
    "max_tokens": lambda value: integer(value, 1, 1_000_000),
    "temperature": lambda value: float(number(value, 0, 2)),
    "record": text,
    "replay": text,
}


@dataclass(frozen=True)
class ChatReply:
    """What came back: the text, or why there is none."""

    text: str | None
    error: str | None
    tokens: int | None  # of prompt and reply together, where the endpoint says so
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the reply as JSON values."""
        return {"reply": self.text, "error": self.error, "tokens": self.tokens, "seconds": self.seconds}


class ChatEndpoint:
    """Asks the endpoint of the settings."""

    def __init__(self, settings: ChatSettings) -> None:
        self._settings = settings
        self._key = ""
        if settings.key_variable:
            self._key = os.environ.get(settings.key_variable, "")
            if not self._key or not self._key.isascii() or not self._key.isprintable():
                raise PlannerError(f"key_variable: the environment variable {settings.key_variable} has no key")

    def ask(self, messages: Sequence[Message]) -> ChatReply:
        """Return the answer to these messages."""
        begin = time.perf_counter()
        answers: queue.SimpleQueue[tuple[str | None, str | None, int | None]] = queue.SimpleQueue()
        # A server that sends a byte now and then would outlast any timeout of the socket.
        threading.Thread(target=lambda: answers.put(self._post(messages)), daemon=True).start()
        try:
            reply, error, tokens = answers.get(timeout=self._settings.timeout)
        except queue.Empty:
            reply, error, tokens = None, f"{TIMED_OUT} {self._settings.timeout:g} s", None
        return ChatReply(reply, error, tokens, round(time.perf_counter() - begin, 3))

    def _post(self, messages: Sequence[Message]) -> tuple[str | None, str | None, int | None]:
        # Imported here: most agents need no network, and the import takes longer than many a command.
        import urllib.error  # noqa: PLC0415
        import urllib.request  # noqa: PLC0415

        class RefuseRedirects(urllib.request.HTTPRedirectHandler):
            """A redirect would send the key to another server."""

            def redirect_request(self, *_: Any, **__: Any) -> None:
                return None

        settings = self._settings
        body = {
            "model": settings.model,
            "messages": list(messages),
            "max_tokens": settings.max_tokens,
            "temperature": settings.temperature,
        }
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(settings.address, json.dumps(body).encode(), headers, method="POST")
        limit = settings.timeout + 1  # `ask` waits no longer than the timeout; this ends the thread
        deadline = time.monotonic() + limit
        try:
            opener = urllib.request.build_opener(RefuseRedirects)
            with opener.open(request, timeout=limit) as response:
                content = b""
                while time.monotonic() < deadline and (chunk := response.read1(65_536)):
                    content += chunk
                    if len(content) > MAX_REPLY_BYTES:
                        return None, f"a reply of more than {MAX_REPLY_BYTES:,} bytes", None
            return self._read(content)
        except urllib.error.HTTPError as error:
            return None, f"HTTP status {error.code}", None
        except Exception as error:  # whatever goes wrong on the way costs an attempt, never the match
            return None, self._safe(f"{type(error).__name__}: {error}")[:MAX_ERROR_LENGTH], None

    def _read(self, content: bytes) -> tuple[str | None, str | None, int | None]:
        """Return the text and the tokens of an answer."""
        try:
            answer = json.loads(content)
            reply = answer["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            return None, "the endpoint did not answer as a chat endpoint does", None
        usage = answer.get("usage")
        total = usage.get("total_tokens") if isinstance(usage, dict) else None
        tokens = total if type(total) is int and total >= 0 else None
        if not isinstance(reply, str):
            return None, "the reply has no text", tokens
        return self._safe(reply, one_line=False), None, tokens

    def _safe(self, words: str, one_line: bool = True) -> str:
        """Return words of the endpoint without the key, which it might repeat."""
        words = words.replace(self._key, "***") if self._key else words
        words = words.encode("utf-8", "replace").decode()
        return stable_message(words) if one_line else words


class RecordedChat:
    """Answers from a recording, without a network: the same replies to the same messages, in the same order."""

    def __init__(self, path: Path, seed: int) -> None:
        self._replies: dict[str, deque[ChatReply]] = defaultdict(deque)
        for count, line in enumerate(read_text(path).splitlines(), 1):
            place = f"{path}:{count}"
            entry = as_mapping(parse_json(line, place))
            if entry.get("seed") != seed:
                continue
            try:
                for call in entry["calls"]:
                    reply = ChatReply(call["reply"], call["error"], call["tokens"], call["seconds"])
                    self._replies[json.dumps(call["messages"])].append(reply)
            except (KeyError, TypeError):
                raise PlannerError(f"{place}: is not a line of a recording") from None

    def ask(self, messages: Sequence[Message]) -> ChatReply:
        """Return the recorded answer to these messages."""
        replies = self._replies.get(json.dumps(list(messages)))
        return replies.popleft() if replies else ChatReply(None, "the recording has no reply to this", None, 0.0)


def append_line(path: Path, entry: Mapping[str, Any]) -> None:
    """Append a JSON line; several processes may write to the file."""
    line = json.dumps(entry, ensure_ascii=False) + "\n"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)
    except OSError as error:
        raise PlannerError(f"record: {path}: cannot be written: {error.strerror}") from None
