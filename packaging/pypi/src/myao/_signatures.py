"""The functions of the contract that the package calls and answers, with their types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Union

from . import chat, llm, results, storage
from ._shapes import ListOf, ResultOf, Shape, of
from .errors import ChatError, LlmError, MemoryFailure, SettingFault, StorageError
from .types import Channel, Context, Item, KeptSpan, KeptText, MemoryType, Message, Scope, Timestamp, User

CONTRACT = "0.2.0"
"""The version of the contract."""
Text = Union[str, None]


@dataclass(frozen=True)
class Signature:
    """The types of a function."""

    takes: list[Shape]
    returns: Shape


def function(*takes: Any, returns: Any = None, fails: Any = None) -> Signature:
    """A function that takes and returns these, and may fail with an error of the contract."""
    result = of(returns)
    return Signature(list(map(of, takes)), ResultOf(result, of(fails)) if fails else result)


IMPORTS: dict[str, dict[str, Signature]] = {
    "storage": {
        "list-channels": function(returns=list[Channel], fails=StorageError),
        "list-messages": function(storage.MessageQuery, returns=list[Message], fails=StorageError),
        "list-marked": function(str, str, int, returns=list[storage.Marked], fails=StorageError),
        "list-strikes": function(returns=list[storage.Strike], fails=StorageError),
        "list-memories": function(storage.MemoryQuery, returns=list[storage.StoredMemory], fails=StorageError),
        "read-spans": function(list[KeptSpan], returns=list[KeptText], fails=StorageError),
        "list-items": function(storage.ItemQuery, returns=Union[list[Item], None], fails=StorageError),
        "list-due": function(storage.DueQuery, returns=storage.Due, fails=StorageError),
        "get-backlog": function(str, Text, str, returns=storage.Backlog, fails=StorageError),
        "save-memory": function(storage.MemoryDraft, returns=storage.StoredMemory, fails=StorageError),
        "list-deferrals": function(Scope, str, returns=list[storage.Deferral], fails=StorageError),
        "defer": function(Scope, str, storage.Deferral, fails=StorageError),
    },
    "recall": {
        "find-candidates": function(storage.RecallQuery, returns=storage.Candidates, fails=StorageError),
        "terms": function(str, returns=list[str]),
    },
    "llm": {
        "complete": function(llm.Request, returns=llm.Completion, fails=LlmError),
        "complete-all": function(list[llm.Request]),
        "context-window": function(llm.Agent, returns=Union[int, None]),
        "count-tokens": function(llm.Agent, list[str], returns=list[int]),
    },
    "chat": {
        "post": function(chat.PostRequest, returns=chat.PostOutcome, fails=ChatError),
        "thread": function(str, str, int, returns=list[Message], fails=ChatError),
        "history": function(str, str, int, returns=list[Message], fails=ChatError),
        "permalink": function(str, str, returns=str, fails=ChatError),
        "get-user": function(str, returns=User, fails=ChatError),
    },
    "settings": {"get": function(returns=list[tuple[str, str]])},
    "log": {"write": function(Literal["debug", "info", "warn", "error"], str)},
}
IMPORTS["llm"]["complete-all"] = Signature(
    IMPORTS["llm"]["complete-all"].takes, ListOf(IMPORTS["llm"]["complete"].returns)
)

_MAKE: dict[str, Any] = {"fails": MemoryFailure}
EXPORTS: dict[str, dict[str, Signature]] = {
    "about": {
        "describe": function(returns=results.ComponentInfo),
        "check": function(list[tuple[str, str]], returns=list[SettingFault]),
    },
    "memory-generator": {
        "next-steps": function(list[results.DoneStep], Timestamp, returns=results.Batch, **_MAKE),
        "generate-channel": function(str, Timestamp, returns=results.Entry),
        "generate-thread": function(str, str, Timestamp, returns=results.Entry),
        "generate-workspace": function(Timestamp, returns=results.Entry),
    },
    "memory-summarizer": {
        "summarize": function(Context, Scope, MemoryType, Text, returns=results.Summary, **_MAKE),
        "render-prompt": function(Context, Scope, MemoryType, Text, returns=str, **_MAKE),
    },
    "reply-prompt": {
        "render-reply": function(Context, results.Occasion, Timestamp, returns=str, **_MAKE),
        "render-judgment": function(Context, Timestamp, returns=str, **_MAKE),
    },
    "context-builder": {"build": function(results.BuildRequest, Timestamp, returns=Context, **_MAKE)},
    "searcher": {"search": function(results.SearchRequest, Timestamp, returns=results.SearchResult, **_MAKE)},
    "marks": {"read-marks": function(str, Timestamp, returns=results.ChannelMarks, **_MAKE)},
    "responder": {
        "reply-to-mention": function(results.Target, Timestamp, returns=results.Answer, **_MAKE),
        "judge": function(results.Target, Timestamp, returns=results.Judgment, **_MAKE),
        "reply-unasked": function(results.Target, Timestamp, returns=results.Answer, **_MAKE),
        "ask": function(results.Question, Timestamp, returns=results.Response, **_MAKE),
    },
}
