"""What a language model is asked and answers, as `wit/llm.wit` documents it, and what a model is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from .errors import LlmError
from .storage import MaybeAwaitable
from .types import MemoryType, Scope

Agent = Literal["memory", "response", "judgment"]
"""Who asks: what makes memories, writes replies, or decides whether to reply. Each may have its own model."""
FinishReason = Literal["stop", "length", "content-filter", "other"]
"""Why a model stopped: the answer is complete, cut off, held back, or anything else."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a call is for."""

    agent: Agent
    scope: Scope
    scope_id: str
    memory_type: MemoryType | None
    """The memory that the answer becomes; `None` for a reply or a judgment."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call. The model gets exactly one `system` message, and no `user` message."""

    system_prompt: str
    max_tokens: int
    answer_schema: str | None
    """The JSON schema of the answer, if it should be JSON. The prompt says the same in words."""
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer."""

    text: str
    finish_reason: FinishReason = "stop"
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None


class Llm(Protocol):
    """A language model. `complete` is all that it must have; it may be plain or `async`.

    It may also have these, plain or `async`: `complete_all(requests) -> list[Completion | LlmError]` (without it, the
    requests are sent side by side), `context_window(agent) -> int | None` (without it, not known), and
    `count_tokens(agent, texts) -> list[int]`, never too low (without it, one for each character).
    """

    def complete(self, request: Request) -> MaybeAwaitable[Completion | str]:
        """Asks the model; the text alone is an answer that is complete. Retries inside, and raises `LlmError` only if that did not help."""
        ...


class NoLlm:
    """The model of a memory without one."""

    def complete(self, request: Request) -> Completion:
        """Has no answer."""
        raise LlmError("invalid-request", "no model was given: Memory.load(llm=...)")
