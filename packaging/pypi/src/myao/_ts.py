"""Message ids as numbers, which is the only way to compare them."""

from __future__ import annotations

import re

from .errors import StorageError

SEQUENCES = 1_000_000
_TS = re.compile(r"([0-9]{1,12})\.([0-9]{1,6})")


def key(ts: str) -> int:
    """A message id as a number."""
    parts = _TS.fullmatch(ts)
    if not parts:
        raise StorageError("invalid", f"`{ts}` is no message id: expected seconds, a full stop and at most six digits")
    return int(parts[1]) * SEQUENCES + int(parts[2])


def text(key: int) -> str:
    """The usual form of a message id."""
    return f"{key // SEQUENCES}.{key % SEQUENCES:06}"
