"""What the package mends in wasmtime for Python: calls in several threads at once, and the speed of records.

Each part is left alone where a version of wasmtime does not have what it mends.
"""
# pyright: reportPrivateUsage=false, reportAttributeAccessIssue=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from typing import Any

from wasmtime import _ffi
from wasmtime.component import _types as types


class _ForEachThread(threading.local):
    """A set of which each thread has its own."""

    def __init__(self) -> None:
        self._items = set[type]()
        self.add, self.clear = self._items.add, self._items.clear

    def __iter__(self) -> Iterator[type]:
        return iter(self._items)


def _keep(cls: Any, name: str) -> None:
    """Asks a type for its parts once, and not for each value again: a list of messages is then twice as fast."""
    part = getattr(cls, name, None)
    if not isinstance(part, property) or part.fget is None:
        return
    ask, kept = part.fget, f"_kept_{name}"

    def get(self: Any) -> Any:
        if kept not in self.__dict__:
            self.__dict__[kept] = ask(self)
        return self.__dict__[kept]

    setattr(cls, name, property(get))


def _str_to_capi(text: str) -> Any:
    """A text for wasmtime, copied once and not twice."""
    content = text.encode()
    raw = _ffi.wasm_byte_vec_t()
    _ffi.wasm_byte_vec_new_uninitialized(raw, len(content))
    ctypes.memmove(raw.data, content, len(content))
    return raw


def mend() -> None:
    """Mends what this process has loaded."""
    # wasmtime keeps one set for all threads while it tells the cases of a variant apart: two calls at once mix them up.
    if isinstance(getattr(types, "case_test_cache", None), set):
        types.case_test_cache = _ForEachThread()
    for cls, parts in {
        "RecordType": ("fields",),
        "ListType": ("element",),
        "TupleType": ("elements",),
        "VariantType": ("cases",),
        "OptionType": ("payload",),
        "ResultType": ("ok", "err"),
    }.items():
        for part in parts:
            _keep(getattr(types, cls, None), part)
    if hasattr(_ffi, "str_to_capi") and hasattr(_ffi, "wasm_byte_vec_new_uninitialized"):
        _ffi.str_to_capi = _str_to_capi
