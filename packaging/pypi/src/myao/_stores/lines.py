"""The lines of a memory's text, with the messages that they were made from."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ..types import Citation, MessageRef

Line = tuple[int, int, list[MessageRef]]
"""Where it begins, its length, and the messages."""
NOTHING_LEFT = "-"
"""What a text whose lines are all erased reads: a memory is never empty."""


def write(lines: Iterable[Line]) -> str:
    """Lines as JSON."""
    return json.dumps(
        [[start, length, [[of.channel_id, of.ts] for of in messages]] for start, length, messages in lines]
    )


def read(stored: str) -> list[Line]:
    """Lines from JSON."""
    return [(start, length, [MessageRef(*of) for of in messages]) for start, length, messages in json.loads(stored)]


def are_in_order(content: str, lines: list[Citation]) -> bool:
    """Whether the lines follow one another within the text."""
    end = 0
    for line in lines:
        if line.start < end or line.length < 1:
            return False
        end = line.start + line.length
    return end <= len(content)


def without(content: str, lines: list[Line], gone: set[int]) -> tuple[str, list[Line]]:
    """The text without some of its lines, and the lines that stay, in their new places. The space after a line goes with
    it."""
    kept, stay, end = "", list[Line](), 0
    for number, (start, length, messages) in enumerate(lines):
        between = content[end : max(start, end)]
        kept += between.lstrip() if number - 1 in gone else between
        if number not in gone:
            stay.append((len(kept), length, messages))
            kept += content[start : start + length]
        end = start + length
    if not stay:
        return NOTHING_LEFT, []
    return (kept + content[end:]).rstrip(), stay
