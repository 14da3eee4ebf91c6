"""What can go wrong. Every error has a `code` for programs, a `text` for people, and says whether a `retry` may help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .types import MemoryType, OtherReason, Scope, Timestamp

Retry = Literal["never", "later", "after-repair"]
"""Whether the same call may succeed: never, later without any change, or after somebody has changed something."""


class MyaoError(Exception):
    """The base of all errors of this package."""

    code: str
    """A short name for programs, in lower case with hyphens."""
    text: str
    """What is wrong and what helps, in words."""
    retry: Retry

    def __init__(self, code: str, text: str, retry: Retry = "after-repair"):
        super().__init__(text)
        self.code, self.text, self.retry = code, text, retry

    def __reduce__(self) -> Any:
        return type(self), (self.code, self.text, self.retry)


class ConfigurationError(MyaoError):
    """What was given cannot work. It is raised before anything runs."""


class InvalidArgument(MyaoError, ValueError):
    """An argument of a call is wrong. It is raised before anything runs."""

    def __init__(self, code: str, text: str):
        super().__init__(code, text, "never")

    def __reduce__(self) -> Any:
        return type(self), (self.code, self.text)


class CallError(MyaoError):
    """A call was ended: it took too long, used too much memory, trapped, or did what is not allowed in its place."""


class ContractError(MyaoError):
    """An error of the contract: `code` is its case, and `detail` what the case holds."""

    detail: Any
    RETRIES: dict[str, Retry] = {}

    def __init__(self, code: str, detail: Any = None):
        if code not in self.RETRIES:
            cases = ", ".join(self.RETRIES)
            raise InvalidArgument(
                "unknown-error", f"{type(self).__name__} has no case {code!r}: expected one of {cases}"
            )
        super().__init__(code, _words(code, detail), _retry(self.RETRIES[code], detail))
        self.detail = detail

    def __reduce__(self) -> Any:
        return type(self), (self.code, self.detail)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ContractError):
            return NotImplemented
        return (type(self), self.code, self.detail) == (type(other), other.code, other.detail)

    def __hash__(self) -> int:
        return hash((type(self), self.code))


class StorageError(ContractError):
    """Why a function of a store failed. A store raises it: `raise StorageError("not-found", "channel C9 is not stored")`.

    `not-found`, `conflict`, `unavailable` and `invalid` hold a text, `other` an `OtherReason`.
    """

    RETRIES = {
        "not-found": "never",
        "conflict": "later",
        "unavailable": "later",
        "invalid": "never",
        "other": "after-repair",
    }


class LlmError(ContractError):
    """Why a model has no answer. A model raises it, after it has retried: `raise LlmError("rate-limited", 30)`.

    `rate-limited` holds the seconds to wait or `None`, `context-too-long` the limit in tokens or `None`, `timed-out`
    nothing, `other` an `OtherReason`, and the others a text.
    """

    RETRIES = {
        "rate-limited": "later",
        "context-too-long": "never",
        "unavailable": "later",
        "refused": "never",
        "invalid-request": "after-repair",
        "timed-out": "later",
        "other": "after-repair",
    }


class ChatError(ContractError):
    """Why a function of a chat failed. A chat raises it: `raise ChatError("not-allowed", "the bot is not in C9")`.

    `rate-limited` holds the seconds to wait or `None`, `other` an `OtherReason`, and the others a text.
    """

    RETRIES = {
        "rate-limited": "later",
        "not-found": "never",
        "not-allowed": "after-repair",
        "unavailable": "later",
        "invalid": "never",
        "other": "after-repair",
    }


class MemoryFailure(ContractError):
    """Why there is no result: the contract's `error`.

    `storage`, `llm` and `chat` hold a `StorageError`, `LlmError` or `ChatError`, and `bad-answer` a `BadAnswer`.
    """

    RETRIES = {
        "unsupported-combination": "never",
        "missing-target-thread": "never",
        "invalid-ts": "never",
        "invalid-time": "never",
        "invalid-settings": "after-repair",
        "template": "after-repair",
        "storage": "after-repair",
        "llm": "after-repair",
        "chat": "after-repair",
        "bad-answer": "later",
        "prompt-too-long": "after-repair",
        "other": "after-repair",
    }


class BadAnswer(ContractError):
    """Why a model's answer is refused, twice."""

    RETRIES = dict.fromkeys(
        (
            "empty",
            "refusal",
            "question",
            "prompt-repeated",
            "wrong-language",
            "too-long",
            "shrunk",
            "malformed",
            "other",
        ),
        "later",
    )


@dataclass(frozen=True, slots=True)
class Combination:
    """A scope and a memory type."""

    scope: Scope
    memory_type: MemoryType


@dataclass(frozen=True, slots=True)
class TemplateFault:
    """Where a template is wrong."""

    name: str
    line: int
    detail: str


@dataclass(frozen=True, slots=True)
class LanguageMismatch:
    """Two languages, by their English names."""

    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class TokenExcess:
    """A length in tokens, and its limit."""

    tokens: int
    limit: int


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """How much of an existing memory an answer kept."""

    tokens_before: int
    tokens: int
    facts_before: int
    facts_kept: int


@dataclass(frozen=True, slots=True)
class SettingFault:
    """A setting that is not accepted."""

    key: str
    detail: str
    range: str | None
    """What the key takes, in words; `None` if there is no such key."""


def _retry(of_case: Retry, detail: Any) -> Retry:
    if isinstance(detail, OtherReason) and detail.code == "question-too-long":
        return "never"
    return detail.retry if isinstance(detail, ContractError) and not isinstance(detail, BadAnswer) else of_case


def _words(code: str, detail: Any) -> str:
    """An error in words. A case that holds a number or nothing is named."""
    match code, detail:
        case "rate-limited", int():
            return f"too many calls: wait {detail} s"
        case "context-too-long", int():
            return f"the prompt is too long: the limit is {detail} tokens"
        case _, None:
            return code.replace("-", " ")
        case _, str():
            return detail
        case _, OtherReason():
            return detail.text
        case _, ContractError():
            return f"{code.replace('-', ' ')}: {detail.text}"
        case "invalid-time", Timestamp():
            return (
                f"{detail.unix_seconds} s with an offset of {detail.utc_offset_seconds} s is no time from 1970 to 9999"
            )
        case "invalid-settings", _:
            return "; ".join(f"{fault.key}: {fault.detail}" for fault in detail)
        case _:
            return f"{code.replace('-', ' ')}: {detail}"
