"""Splits texts into the terms by which messages and memories are found, as `recall.terms` of the contract says."""

from __future__ import annotations

import unicodedata
from collections.abc import Generator, Iterator

MAX_TERM_CHARS = 64
"""Longer terms are left out: they are no words."""
# A part of this length behind an apostrophe is an ending: `'s`, `'ll`.
_MAX_ENDING_CHARS = 2
_JOINERS = {mark: mark for mark in "-_./:@+"} | dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-")
_APOSTROPHES = "'’"

# Han, kana, Hangul, Thai, Lao, Myanmar, Khmer.
_WITHOUT_SPACES = (
    *((0x3005, 0x3007), (0x3041, 0x3096), (0x309D, 0x309F), (0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF)),
    *((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF), (0xAC00, 0xD7A3)),
    *((0x0E01, 0x0E3A), (0x0E40, 0x0E4E), (0x0E81, 0x0ECE), (0x1000, 0x103F), (0x1780, 0x17D3)),
)
# Marks inside words that do not count as letters.
_COMBINING = (
    *((0x300, 0x36F), (0x591, 0x5C7), (0x64B, 0x65F), (0x93C, 0x93C), (0x94D, 0x94D), (0x9CD, 0x9CD), (0xA4D, 0xA4D)),
    *((0xACD, 0xACD), (0xB4D, 0xB4D), (0xBCD, 0xBCD), (0xC4D, 0xC4D), (0xCCD, 0xCCD), (0xD4D, 0xD4D)),
)
_VARIATION_SELECTORS = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
_EMOJI = ((0x2600, 0x27BF), (0x1F300, 0x1F3FA), (0x1F400, 0x1FAFF))


def terms(text: str) -> list[str]:
    """The terms of a text in their order, repeated ones too."""
    found = list[str]()
    # No term reaches over white space, and neither does the normal form.
    for chunk in text.split():
        # Letter by letter: in a whole word, Python gives a final sigma another form.
        normal = "".join(letter.lower() for letter in unicodedata.normalize("NFKC", chunk))
        found.extend(_split(normal))
    return found


def _split(normal: str) -> Iterator[str]:
    at = 0
    while at < len(normal):
        kind = _kind(normal[at])
        if kind == "word":
            at = yield from _words(normal, at)
        elif kind == "pair":
            end = _end_of_run(normal, at, kind)
            run = normal[at:end]
            yield from [run] if len(run) == 1 else map("".join, zip(run, run[1:]))
            at = end
        else:
            if kind == "symbol":
                yield normal[at]
            at += 1


def _words(normal: str, begin: int) -> Generator[str, None, int]:
    """Words that are joined by single marks, and then all of them as one term. Returns where they end."""
    parts, whole, is_ending = 0, "", False
    while True:
        end = _end_of_run(normal, begin, "word")
        word = normal[begin:end]
        if not (is_ending and len(word) <= _MAX_ENDING_CHARS):
            parts += 1
            whole += word
            if len(word) <= MAX_TERM_CHARS:
                yield word
        mark = normal[end : end + 1]
        goes_on = end + 1 < len(normal) and _kind(normal[end + 1]) == "word"
        if goes_on and mark in _APOSTROPHES:
            is_ending = True
        elif goes_on and mark in _JOINERS:
            is_ending = False
            whole += _JOINERS[mark]
        else:
            is_joined = any(mark in _JOINERS for mark in whole)
            if parts > 1 and is_joined and len(whole) <= MAX_TERM_CHARS:
                yield whole
            return end
        begin = end + 1


def _end_of_run(normal: str, start: int, kind: str) -> int:
    end = start
    while end < len(normal) and _kind(normal[end]) == kind:
        end += 1
    return end


def _kind(letter: str) -> str:
    if letter.isascii():
        return "word" if letter.isalnum() else "other"
    code = ord(letter)
    if _is_in(code, _WITHOUT_SPACES):
        return "pair"
    if _is_alphanumeric(letter) or _is_in(code, _COMBINING):
        return "word"
    return "symbol" if _is_in(code, _EMOJI) else "other"


def _is_alphanumeric(letter: str) -> bool:
    # `str.isalnum` leaves out vowel signs, which are letters of their words. Variation selectors are none.
    if letter.isalnum():
        return True
    is_sign = unicodedata.category(letter) in ("Mc", "Mn") and unicodedata.combining(letter) == 0
    return is_sign and not _is_in(ord(letter), _VARIATION_SELECTORS)


def _is_in(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)
