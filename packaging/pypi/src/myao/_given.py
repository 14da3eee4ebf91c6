"""Checks what a program gives before anything runs: the functions of a store, model and chat, settings and times."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, cast

from .errors import ConfigurationError, InvalidArgument
from .types import Timestamp

Functions = dict[str, Callable[..., Any]]

# How many arguments each function takes.
STORAGE = {
    "list_channels": 0,
    "list_messages": 1,
    "list_marked": 3,
    "list_memories": 1,
    "read_spans": 1,
    "list_due": 1,
    "get_backlog": 3,
    "save_memory": 2,
    "list_deferrals": 2,
    "defer": 3,
    "channels_of": 1,
}
RECALL = {"find_candidates": 2}
LLM = {"complete": 1}
LLM_OPTIONAL = {"complete_all": 1, "context_window": 1, "count_tokens": 2}
CHAT = {"post": 1}
CHAT_OPTIONAL = {"thread": 3, "history": 3, "permalink": 2, "get_user": 1}

_LATEST_SECOND = 253_402_300_799
_CLOSE = 0.8


def functions(name: str, given: Any, required: dict[str, int], optional: dict[str, int]) -> Functions:
    """The functions of an object, or of a mapping from names to functions."""
    if inspect.isawaitable(given):
        _close(given)
        raise ConfigurationError(
            "awaitable", f"{name} is a {type(given).__name__} that nobody awaited: write `await` before it"
        )
    if inspect.isclass(given):
        raise ConfigurationError(
            "wrong-type", f"{name} is the class {given.__name__}: make one of it with {given.__name__}()"
        )
    known = required | optional
    is_mapping = isinstance(given, Mapping)
    names = (
        list(map(str, cast(Any, given))) if is_mapping else [other for other in dir(given) if not other.startswith("_")]
    )
    missing = [function for function in required if function not in names]
    if missing:
        also = _alike(missing, [other for other in names if other not in known])
        raise ConfigurationError("missing-function", f"{name} has no {_all(missing)}{also}")
    # An object may have functions of its own; what a mapping has besides, or what looks like an optional one, is a mistake.
    absent = [function for function in optional if function not in names]
    unknown = [other for other in names if other not in known and (is_mapping or _close_to(other, absent))]
    if unknown:
        raise ConfigurationError(
            "unknown-function", f"{name} has {_all(unknown)}, which is none of {_all(list(known))}"
        )
    found = Functions()
    for function, count in known.items():
        if function in names:
            value = cast(Any, given)[function] if is_mapping else getattr(given, function)
            _check_function(f"{name}.{function}", value, count)
            found[function] = value
    return found


def _check_function(name: str, value: Any, count: int) -> None:
    if not callable(value):
        raise ConfigurationError("wrong-type", f"{name} is no function, but a {type(value).__name__}")
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        # Some functions that are not written in Python do not tell what they take.
        return
    try:
        signature.bind(*range(count))
    except TypeError:
        raise ConfigurationError("wrong-arguments", f"{name}{signature} is called with {count} arguments") from None


def _close_to(name: str, names: list[str]) -> list[str]:
    plain = {other.replace("_", "").lower(): other for other in names}
    found = difflib.get_close_matches(name.replace("_", "").replace("-", "").lower(), plain, 1, _CLOSE)
    return [plain[other] for other in found]


def _alike(missing: list[str], others: list[str]) -> str:
    pairs = [(function, alike) for function in missing for alike in _close_to(function, others)]
    return "".join(f"; is {alike} meant to be {function}?" for function, alike in pairs)


def _all(names: list[str]) -> str:
    return ", ".join(names)


def settings(given: Any) -> list[tuple[str, str]]:
    """The settings as the contract has them: texts."""
    if given is None:
        return []
    if inspect.isawaitable(given):
        _close(given)
        raise ConfigurationError("awaitable", "settings is something that nobody awaited: write `await` before it")
    if not isinstance(given, Mapping):
        raise ConfigurationError(
            "invalid-settings", f"settings is a {type(given).__name__}: expected a dict of keys and values"
        )
    pairs = list[tuple[str, str]]()
    for key, value in cast("Mapping[Any, Any]", given).items():
        if not isinstance(key, str):
            raise ConfigurationError("invalid-settings", f"settings: the key {key!r} is no text")
        match value:
            case bool():
                pairs.append((key, str(value).lower()))
            case int() | str():
                pairs.append((key, str(value)))
            case None:
                raise ConfigurationError(
                    "invalid-settings", f"settings: {key} has no value: leave it out for its default"
                )
            case _:
                what = f"settings: {key} is a {type(value).__name__}: expected a text, a whole number or a truth value"
                raise ConfigurationError("invalid-settings", what)
    return pairs


def time(given: Any, name: str = "now") -> Timestamp:
    """A time: seconds since 1970, a `datetime` with a time zone, or a `Timestamp`."""
    match given:
        case Timestamp():
            seconds, offset = given.unix_seconds, given.utc_offset_seconds
        case datetime():
            utc_offset = given.utcoffset()
            if utc_offset is None:
                raise InvalidArgument(
                    "invalid-time",
                    f"{name} is a datetime without a time zone: take datetime.now(timezone.utc), or .astimezone()",
                )
            seconds, offset = int(given.timestamp()), int(utc_offset.total_seconds())
        case bool():
            raise InvalidArgument("invalid-time", f"{name} is a truth value: expected seconds since 1970")
        case int() | float():
            seconds, offset = int(given), 0
        case _:
            what = "something that nobody awaited" if inspect.isawaitable(given) else f"a {type(given).__name__}"
            _close(given)
            raise InvalidArgument(
                "invalid-time", f"{name} is {what}: expected seconds since 1970, a datetime or a Timestamp"
            )
    if seconds > _LATEST_SECOND:
        text = f"{name} is {seconds}, which is after the year 9999: times are in seconds, not in milliseconds"
        raise InvalidArgument("invalid-time", text)
    if seconds < 0:
        raise InvalidArgument("invalid-time", f"{name} is {seconds}, which is before 1970")
    return Timestamp(seconds, offset)


def flag(given: Any, name: str) -> None:
    """Refuses what is neither True nor False: `"false"` would be true."""
    if not isinstance(given, bool):
        raise InvalidArgument("wrong-type", f"{name} is a {type(given).__name__}: expected True or False")


def has_lone_surrogate(given: Any) -> bool:
    """Whether a text has half of a character: no file and no component takes it."""
    try:
        given.encode()
    except UnicodeEncodeError:
        return True
    return False


def _close(given: Any) -> None:
    """Ends a coroutine that will not be awaited, so that Python does not warn of it, too."""
    if inspect.iscoroutine(given):
        given.close()
