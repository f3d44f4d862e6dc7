"""Seeds from seeds: one number decides a match, and each part of it gets randomness of its own."""

from __future__ import annotations

import hashlib


def derive_seed(seed: int, *parts: object) -> int:
    """A seed for the part of the match that the words name: the same in every process and on every machine."""
    text = "/".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
