"""Turns the package's values into those of wasmtime and back.

wasmtime makes a record an object with the contract's names as attributes, and a variant a `Variant`; or, if the Python
types of its cases all differ, just what the case holds. A shape knows the type of a value in the contract, checks a value
against it, and names the place of a fault.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union

from wasmtime.component import Record, Variant

from . import chat, errors, results, storage
from . import types as types_
from ._given import has_lone_surrogate
from .types import OtherReason

INTEGERS = {"u32": (0, 2**32), "u64": (0, 2**64), "s32": (-(2**31), 2**31), "s64": (-(2**63), 2**63)}


class ShapeError(Exception):
    """A value has not the shape of the contract. `path` is where, from the inside to the outside."""

    def __init__(self, problem: str):
        self.problem, self.path = problem, list[str]()
        super().__init__(problem)

    def __str__(self) -> str:
        place = "".join(reversed(self.path)).lstrip(".")
        return f"{place}: {self.problem}" if place else self.problem


class Shape:
    """The type of a value in the contract."""

    classes: frozenset[type]
    """The Python types that wasmtime tells its cases apart by."""

    def encode(self, value: Any) -> Any:
        """The value for wasmtime. Raises `ShapeError`."""
        raise NotImplementedError

    def decode(self, value: Any) -> Any:
        """The package's value."""
        raise NotImplementedError


class Nothing(Shape):
    """No value."""

    classes = frozenset({object})

    def encode(self, value: Any) -> None:
        if value is not None:
            raise ShapeError(f"expected None, got {_told(value)}")

    def decode(self, value: Any) -> None:
        return None


class Plain(Shape):
    """A text, a number or a truth value."""

    def __init__(self, type_: type, width: str = "u32"):
        self._type = type_
        self._bounds = INTEGERS.get(width)
        self.classes = frozenset({type_})

    def encode(self, value: Any) -> Any:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if self._type is float and is_whole:
            return float(value)
        if not isinstance(value, self._type) or (self._type is int and not is_whole):
            raise ShapeError(f"expected {self._type.__name__}, got {_told(value)}")
        if self._type is str and has_lone_surrogate(value):
            raise ShapeError("it has a lone surrogate: expected a text of whole characters")
        if self._type is int and self._bounds and not self._bounds[0] <= value < self._bounds[1]:
            raise ShapeError(f"{value} is not from {self._bounds[0]} to {self._bounds[1] - 1}")
        return value

    def decode(self, value: Any) -> Any:
        return value


class Enum(Shape):
    """One of some names."""

    classes = frozenset({str})

    def __init__(self, names: tuple[str, ...]):
        self._names = names

    def encode(self, value: Any) -> Any:
        if value not in self._names:
            raise ShapeError(f"expected one of {', '.join(self._names)}, got {_told(value)}")
        return value

    def decode(self, value: Any) -> Any:
        return value


class ListOf(Shape):
    """A list."""

    classes = frozenset({list})

    def __init__(self, item: Shape):
        self._item = item

    def encode(self, value: Any) -> list[Any]:
        if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
            raise ShapeError(f"expected a list, got {_told(value)}")
        encoded = list[Any]()
        for number, item in enumerate(value):
            try:
                encoded.append(self._item.encode(item))
            except ShapeError as error:
                error.path.append(f"[{number}]")
                raise
        return encoded

    def decode(self, value: Any) -> list[Any]:
        return [self._item.decode(item) for item in value]


class TupleOf(Shape):
    """A tuple."""

    classes = frozenset({tuple})

    def __init__(self, *items: Shape):
        self._items = items

    def encode(self, value: Any) -> tuple[Any, ...]:
        return tuple(shape.encode(item) for shape, item in zip(self._items, value))

    def decode(self, value: Any) -> tuple[Any, ...]:
        return tuple(shape.decode(item) for shape, item in zip(self._items, value))


class Option(Shape):
    """A value or `None`."""

    def __init__(self, some: Shape):
        self._some = some
        self.classes = some.classes | {object}

    def encode(self, value: Any) -> Any:
        return None if value is None else self._some.encode(value)

    def decode(self, value: Any) -> Any:
        return None if value is None else self._some.decode(value)


class RecordOf(Shape):
    """A record, as one of the package's dataclasses."""

    classes = frozenset({Record})

    def __init__(self, cls: type):
        self._cls = cls
        hints = typing.get_type_hints(cls, include_extras=True)
        self._fields = [(f.name, f.name.replace("_", "-"), of(hints[f.name])) for f in dataclasses.fields(cls)]

    def encode(self, value: Any) -> Record:
        if not isinstance(value, self._cls):
            raise ShapeError(f"expected {self._cls.__name__}, got {_told(value)}")
        record = Record()
        for name, contract_name, shape in self._fields:
            try:
                setattr(record, contract_name, shape.encode(getattr(value, name)))
            except ShapeError as error:
                error.path.append(f".{name}")
                raise
        return record

    def decode(self, value: Any) -> Any:
        return self._cls(*[shape.decode(getattr(value, name)) for _, name, shape in self._fields])


class Case:
    """A case of a variant: `holds` is the shape of what it holds, `make` makes the package's value of that, and `take`
    takes it out again. `is_it` says whether a value of the package is this case."""

    def __init__(
        self, holds: Shape, make: Callable[[Any], Any], take: Callable[[Any], Any], is_it: Callable[[Any], bool]
    ):
        self.holds, self.make, self.take, self.is_it = holds, make, take, is_it


def name_alone(name: str) -> Case:
    """A case that holds nothing: its name."""
    return Case(Nothing(), lambda _: name, lambda _: None, lambda value: value == name)


def itself(cls: type) -> Case:
    """A case that holds a record: that record."""
    return Case(of(cls), lambda value: value, lambda value: value, lambda value: isinstance(value, cls))


def wrapped(cls: type) -> Case:
    """A case that holds a value: a dataclass with that value as its only field."""
    (field,) = dataclasses.fields(cls)
    holds = of(typing.get_type_hints(cls, include_extras=True)[field.name])
    return Case(holds, cls, lambda value: getattr(value, field.name), lambda value: isinstance(value, cls))


def raised(cls: type[errors.ContractError], code: str, holds: Shape) -> Case:
    """A case of an error: an exception with its name as the code."""
    return Case(holds, lambda value: cls(code, value), lambda error: error.detail, lambda error: error.code == code)


class VariantOf(Shape):
    """A variant."""

    def __init__(self, name: str, cases: dict[str, Case]):
        self._name, self._cases = name, cases
        seen = set[type]()
        # As wasmtime decides it: two cases of one Python type need their names.
        self.tagged = False
        for case in cases.values():
            self.tagged |= bool(case.holds.classes & seen)
            seen |= case.holds.classes
        self.classes = frozenset({Variant}) if self.tagged else frozenset(seen)

    def encode(self, value: Any) -> Any:
        for tag, case in self._cases.items():
            if case.is_it(value):
                held = case.holds.encode(case.take(value))
                return Variant(tag, held) if self.tagged else held
        raise ShapeError(f"expected {self._name}, got {_told(value)}")

    def decode(self, value: Any) -> Any:
        if self.tagged:
            case = self._cases[value.tag]
            return case.make(case.holds.decode(value.payload))
        for case in self._cases.values():
            if (value is None and object in case.holds.classes) or type(value) in case.holds.classes:
                return case.make(case.holds.decode(value))
        raise ShapeError(f"expected {self._name}, got {_told(value)}")


class ResultOf(VariantOf):
    """A result. An error is an exception, in both directions a value here."""

    def __init__(self, ok: Shape, err: Shape):
        is_error: Callable[[Any], bool] = lambda value: isinstance(value, errors.ContractError)
        same: Callable[[Any], Any] = lambda value: value
        super().__init__(
            "a result",
            {"err": Case(err, same, same, is_error), "ok": Case(ok, same, same, lambda value: not is_error(value))},
        )


class ErrorOf(VariantOf):
    """An error of the contract."""

    def __init__(self, cls: type[errors.ContractError], holds: dict[str, Any]):
        cases = {code: raised(cls, code, of(holds[code]) if code in holds else Nothing()) for code in cls.RETRIES}
        super().__init__(cls.__name__, cases)
        self._cls = cls

    def encode(self, value: Any) -> Any:
        if not isinstance(value, self._cls):
            raise ShapeError(f"expected {self._cls.__name__}, got {_told(value)}")
        try:
            return super().encode(value)
        except ShapeError as error:
            error.path.append(f"{self._cls.__name__}({value.code!r})")
            raise


_known: dict[Any, Shape] = {}


def of(hint: Any) -> Shape:
    """The shape of a type of the package."""
    if hint in _known:
        return _known[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        shape: Shape = Plain(arguments[0], arguments[1])
    elif hint is None or hint is type(None):
        shape = Nothing()
    elif hint in (str, int, bool, float):
        shape = Plain(hint)
    elif origin is Literal:
        shape = Enum(arguments)
    elif origin is list:
        shape = ListOf(of(arguments[0]))
    elif origin is tuple:
        shape = TupleOf(*map(of, arguments))
    elif origin in (Union, types.UnionType) and type(None) in arguments:
        shape = Option(of(Union[tuple(argument for argument in arguments if argument is not type(None))]))
    elif dataclasses.is_dataclass(hint):
        shape = RecordOf(typing.cast(type, hint))
    else:
        raise TypeError(f"{hint} is no type of the contract")
    _known[hint] = shape
    return shape


def _told(value: Any) -> str:
    """A value in an error: its type, and never its text."""
    if inspect.isawaitable(value):
        return f"a {type(value).__name__} that nobody awaited: await it, or make the function `async`"
    return "None" if value is None else f"a {type(value).__name__}"


_other = {"other": OtherReason}
_text = dict.fromkeys(
    ("not-found", "conflict", "unavailable", "invalid", "refused", "invalid-request", "not-allowed"), str
)
_seconds = {"rate-limited": Union[int, None], "context-too-long": Union[int, None]}
_known[errors.StorageError] = ErrorOf(errors.StorageError, _text | _other)
_known[errors.LlmError] = ErrorOf(errors.LlmError, _text | _seconds | _other)
_known[errors.ChatError] = ErrorOf(errors.ChatError, _text | _seconds | _other)
_known[errors.BadAnswer] = ErrorOf(
    errors.BadAnswer,
    {
        "wrong-language": errors.LanguageMismatch,
        "too-long": errors.TokenExcess,
        "shrunk": errors.Shrinkage,
        "malformed": str,
        **_other,
    },
)
_known[errors.MemoryFailure] = ErrorOf(
    errors.MemoryFailure,
    {
        "unsupported-combination": errors.Combination,
        "invalid-ts": str,
        "invalid-time": storage.Timestamp,
        "invalid-settings": list[errors.SettingFault],
        "template": errors.TemplateFault,
        "storage": errors.StorageError,
        "llm": errors.LlmError,
        "chat": errors.ChatError,
        "bad-answer": errors.BadAnswer,
        "prompt-too-long": errors.TokenExcess,
        **_other,
    },
)
_skip_reasons = ("no-new-messages", "not-due", "outside-window", "nothing-to-summarize", "unchanged")
_known[results.SkipReason] = VariantOf(
    "SkipReason", {name: name_alone(name) for name in _skip_reasons} | {"other": itself(OtherReason)}
)
_known[results.Outcome] = VariantOf(
    "Outcome",
    {
        "done": name_alone("done"),
        "skipped": wrapped(results.Skipped),
        "deferred": wrapped(results.Deferred),
        "failed": wrapped(results.Failed),
    },
)
_known[results.Step] = VariantOf(
    "Step",
    {
        "thread": itself(results.ThreadStep),
        "channel": wrapped(results.ChannelStep),
        "workspace": name_alone("workspace"),
    },
)
_known[results.SettingValues] = VariantOf(
    "SettingValues",
    {
        "text": name_alone("text"),
        "switch": name_alone("switch"),
        "number": itself(results.NumberRange),
        "choice": wrapped(results.Choice),
    },
)
_known[results.Answer] = VariantOf("Answer", {"posted": itself(results.Reply), "already": wrapped(chat.Already)})
_known[chat.PostOutcome] = VariantOf("PostOutcome", {"posted": wrapped(chat.Posted), "already": wrapped(chat.Already)})
_known[types_.ItemEvent] = VariantOf(
    "ItemEvent",
    {
        "noted": name_alone("noted"),
        "state": wrapped(types_.NewState),
        "owner": wrapped(types_.NewOwner),
        "due": wrapped(types_.NewDue),
    },
)
_known[storage.ChannelFilter] = VariantOf(
    "ChannelFilter", {"none": name_alone("none"), "one": wrapped(storage.One), "all": name_alone("all")}
)
