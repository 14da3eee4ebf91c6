"""Waits for what other programs do: looks again until a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
SECONDS = 90


def wait_for(what: str, look: Callable[[], T | None | bool], seconds: float = SECONDS) -> T:
    """The first value that is true."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found  # type: ignore[return-value]
        if time.monotonic() > deadline:
            raise AssertionError(f"after {seconds} s there is no {what}")
        time.sleep(0.05)
