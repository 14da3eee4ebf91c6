"""What a store is asked and returns, as `wit/storage.wit` and `wit/recall.wit` document it, and what a store is."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar, Union

from .types import (
    F32,
    U64,
    Channel,
    Citation,
    Coverage,
    Engine,
    ItemChange,
    KeptSpan,
    KeptText,
    MemoryType,
    Message,
    MessageRef,
    Scope,
    Timestamp,
)

T = TypeVar("T")
MaybeAwaitable = Union[T, Awaitable[T]]
"""What a plain function returns, or an `async` one."""

Keep = Literal["newest", "newest-top-level", "oldest"]
"""Which messages to return if there are more than the limit."""
SaveMode = Literal["overwrite", "new-version", "stand-in"]
"""How a memory is kept: as version 1 in place of all versions, as the next version, or as version 0 beside them."""


@dataclass(frozen=True, slots=True)
class One:
    """One channel's memories."""

    channel_id: str


ChannelFilter = Union[Literal["none", "all"], One]
"""Whose memories to read: no channel's, every channel's, or one's."""


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A saved memory: the contract's record `memory`."""

    id: U64
    """Greater than all before it in the workspace."""
    scope: Scope
    scope_id: str
    """The workspace scope id, a channel id, or `CHANNEL:THREAD_TS`."""
    memory_type: MemoryType
    version: int
    """1 for a memory that is overwritten; counts up if versions are kept; 0 for a stand-in."""
    content: str
    engine: Engine
    created_at: Timestamp
    updated_at: Timestamp
    source_message_count: int
    source_latest_message_ts: str | None
    merged_through: U64 | None
    """The newest memory that was merged into it."""
    citations: list[Citation] = field(default_factory=list[Citation])
    records: list[KeptSpan] = field(default_factory=list[KeptSpan])


@dataclass(frozen=True, slots=True)
class MessageQuery:
    """Which messages to read. All bounds are inclusive."""

    channel_id: str
    since: str | None
    until: str
    limit: int
    keep: Keep
    whole_thread: str | None
    """This thread is read up to `until`, outside `since` and `limit`: its first message and its newest replies."""
    thread_limit: int
    only_new: bool
    """Whether to leave out messages that do not wait. Outside `whole_thread`."""


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """Which memories to read."""

    until: str | None
    workspace: bool
    channels: ChannelFilter
    history_limit: int
    """How many short-term versions of each channel to read: the newest ones."""
    unmerged: bool
    """Whether to read also every version that is not merged into its channel's long-term memory yet."""
    threads: list[str]
    """The thread memories with these scope ids."""
    citations: bool


@dataclass(frozen=True, slots=True)
class ItemQuery:
    """Which items to list."""

    channel_id: str | None
    """One channel's; `None` for those of every channel."""
    since: str | None
    until: str
    closed: bool
    """Whether to list those too that are not open."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits to be summarised in a channel or a thread, as of a point in time."""

    channel: Channel
    thread_ts: str | None
    latest_message_ts: str | None
    new_message_count: int
    late_message_count: int
    lost_lines: bool
    short_term_version: int | None
    summarized_through: str | None
    unmerged_count: int


@dataclass(frozen=True, slots=True)
class DueQuery:
    """What decides whether something is due."""

    until: str
    window_start: str
    idle_since: str
    message_threshold: int
    always: bool


@dataclass(frozen=True, slots=True)
class Due:
    """What may be due. Exact for threads; it lacks no channel that is due."""

    channels: list[Backlog]
    threads: list[Backlog]
    workspace_long_term: bool
    workspace_short_term: bool


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A memory to save. The save is atomic: all of it or nothing."""

    scope: Scope
    scope_id: str
    memory_type: MemoryType
    mode: SaveMode
    expected: U64 | None
    """The newest memory that the writer saw. The save raises `conflict` if it is no longer the newest."""
    content: str
    engine: Engine
    now: Timestamp
    source_channel_id: str
    source_messages: list[str]
    source_memories: list[U64]
    source_message_count: int
    source_latest_message_ts: str | None
    merged_through: U64 | None
    truncated: bool
    coverage: Coverage
    citations: list[Citation]
    records: list[KeptSpan]
    items: list[ItemChange]
    """Changes of the channel's items that the messages make. The stores of the package keep none."""


@dataclass(frozen=True, slots=True)
class Deferral:
    """A memory that could not be made, and is tried again later."""

    memory_type: MemoryType
    until: Timestamp
    failures: int
    reason: str


@dataclass(frozen=True, slots=True)
class Marked:
    """A message that people may have marked: pinned, or written as a correction."""

    message: Message
    is_pinned: bool


@dataclass(frozen=True, slots=True)
class Strike:
    """A message that a correction strikes, as its author picked it."""

    message: MessageRef
    correction: str


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """What to look for."""

    terms: list[str]
    text: str
    """What is asked, for a store that also finds messages by their meaning."""
    channels: list[str]
    """The channels whose messages to find; empty for all that the call may see."""
    since: str | None
    until: str
    limit: int
    neighbours: int


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message that has some of the terms or a similar meaning, or stands beside one."""

    at: MessageRef
    channel_name: str
    message: Message
    counts: list[int]
    """How often each term of the query stands in its text."""
    length: int
    """How many terms its text has."""
    similarity: F32 | None = None


@dataclass(frozen=True, slots=True)
class TermCount:
    """How many messages have a term."""

    term: str
    messages: int


@dataclass(frozen=True, slots=True)
class Candidates:
    """What was found."""

    messages: list[FoundMessage] = field(default_factory=list[FoundMessage])
    counts: list[TermCount] = field(default_factory=list[TermCount])
    message_count: int = 0


@dataclass(frozen=True, slots=True)
class Given:
    """What the call of a memory was given. A store keeps it with the memory."""

    channels: list[str]
    """The channels that the memory is made from. It is shown only where all of them may be shown."""
    messages: dict[tuple[str, str], str]
    """By channel id and message id, their texts. If one reads differently by now, the save is a `conflict`."""
    memories: dict[int, str]
    """By memory id, their texts. If one reads differently or has gone by now, the save is a `conflict`."""


class Storage(Protocol):
    """One workspace: its messages, channels and memories. `SqliteStore` is one, and `MemoryStore`.

    Each function may be plain or `async`. A plain one runs in the thread of its call, and may be called from several
    threads at once; an `async` one runs in your event loop. A store knows nothing of places: the package opens it for
    each call, and hands on only what may be shown there.
    """

    def list_channels(self) -> MaybeAwaitable[list[Channel]]:
        """All channels, ordered by name and then by id."""
        ...

    def list_messages(self, query: MessageQuery) -> MaybeAwaitable[list[Message]]:
        """Messages of one channel, oldest first. The first message of every thread of which a reply is returned comes
        with it, outside `since` and `limit`."""
        ...

    def list_marked(self, channel_id: str, until: str, limit: int) -> MaybeAwaitable[list[Marked]]:
        """The newest messages of a channel up to `until`, at most `limit`, that people may have marked, oldest first."""
        ...

    def list_memories(self, query: MemoryQuery) -> MaybeAwaitable[list[StoredMemory]]:
        """Memories, ordered by scope, scope id, type and version."""
        ...

    def read_spans(self, spans: list[KeptSpan]) -> MaybeAwaitable[list[KeptText]]:
        """The words of parts of messages, in the order given, without those that have gone."""
        ...

    def list_due(self, query: DueQuery) -> MaybeAwaitable[Due]:
        """What may be due."""
        ...

    def get_backlog(self, channel_id: str, thread_ts: str | None, until: str) -> MaybeAwaitable[Backlog]:
        """What waits in one channel, or in one of its threads."""
        ...

    def save_memory(self, draft: MemoryDraft, given: Given) -> MaybeAwaitable[StoredMemory]:
        """Saves one memory with what its call was given, and returns it as it was saved. Ends its deferral, unless it is
        a stand-in."""
        ...

    def list_deferrals(self, scope: Scope, scope_id: str) -> MaybeAwaitable[list[Deferral]]:
        """The deferred memories of one workspace, channel or thread, by memory type."""
        ...

    def defer(self, scope: Scope, scope_id: str, deferral: Deferral) -> MaybeAwaitable[None]:
        """Defers a memory; replaces an earlier deferral of it."""
        ...

    def channels_of(self, memory_ids: list[int]) -> MaybeAwaitable[list[list[str] | None]]:
        """For each memory, the channels that it was made from (`Given.channels`); `None` if that is not known. Such a
        memory is shown nowhere."""
        ...


class Recall(Protocol):
    """What a store has besides if it can search. Without it, nothing is found by its terms."""

    def find_candidates(self, query: RecallQuery, channels: list[str]) -> MaybeAwaitable[Candidates]:
        """What has one of the terms (`myao.terms` splits texts). `channels` are those that the call may see: nothing else
        is found or counted, and of memories only those that were made from these alone."""
        ...
