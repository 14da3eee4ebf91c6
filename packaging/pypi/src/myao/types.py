"""The records that all interfaces of the contract use, as `wit/types.wit` documents them.

Names are the contract's with underscores. An option is its value or `None`, and an enum is one of some strings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal, Union

Scope = Literal["workspace", "channel", "thread"]
"""What a memory is about: all channels together, one channel, or one thread."""
MemoryType = Literal["long-term", "short-term"]
"""How far back a memory reaches: the whole past as one text, or the recent past."""
Engine = Literal["llm", "extractive", "imported"]
"""What made a text: a language model, sentences picked from the input, or another program."""

U64 = Annotated[int, "u64"]
S64 = Annotated[int, "s64"]
S32 = Annotated[int, "s32"]
F32 = Annotated[float, "f32"]


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A point in time, with the UTC offset in which it is shown."""

    unix_seconds: S64
    """Seconds since 1970; not milliseconds."""
    utc_offset_seconds: S32 = 0
    """32400 for Japan."""


@dataclass(frozen=True, slots=True)
class OtherReason:
    """What has no case of its own."""

    code: str
    """A short name for programs, which holds nothing that people wrote."""
    text: str
    """What happened, in words."""


@dataclass(frozen=True, slots=True)
class User:
    """Who wrote a message."""

    id: str
    name: str
    """The name to show, never an id."""
    is_bot: bool = False
    """Whether a program wrote it."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. The component never gets deleted messages."""

    ts: str
    """Its id: Unix seconds, a full stop and a sequence of at most six digits (`1709287200.000001`)."""
    user: User
    text: str
    """As a person reads it: no `<@U1>`, no `&amp;`."""
    timestamp: Timestamp
    thread_ts: str | None = None
    """The first message of its thread; `None` for a top-level message without replies."""
    edited_at: Timestamp | None = None
    """When it was last edited; `text` is the edited text."""
    is_for_bot: bool = False
    """True if it was addressed to the bot: by a mention, or in a conversation with the bot alone."""


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel of the workspace."""

    id: str
    name: str
    """Without `#`."""
    is_private: bool
    """Whether only invited members see it."""


@dataclass(frozen=True, slots=True)
class MessageRef:
    """A message of any channel."""

    channel_id: str
    ts: str


@dataclass(frozen=True, slots=True)
class Citation:
    """Which messages a line of a text was made from. Positions are counted in Unicode scalar values, as by `str`."""

    start: int
    length: int
    messages: list[MessageRef]
    by_program: bool = False
    """Whether there are messages, and programs wrote all of them. The store knows it: in a draft it is not read."""


@dataclass(frozen=True, slots=True)
class KeptSpan:
    """A part of a message that is kept word for word, because a text made from the message does not have it."""

    message: MessageRef
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class KeptText:
    """A kept part of a message with its words."""

    span: KeptSpan
    user: User
    timestamp: Timestamp
    text: str


ItemKind = Literal["decision", "task", "question", "fact"]
"""The kind of an item."""
ItemState = Literal["open", "done", "dropped", "superseded", "unknown"]
"""The state of an item."""


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a message that says what was decided, is to be done, is asked or is true, and what became of it."""

    kind: ItemKind
    title: KeptText
    state: ItemState
    owner: User | None
    due: str | None
    """As `2026-08-07`."""
    state_since: str
    state_source: MessageRef | None


@dataclass(frozen=True, slots=True)
class NewState:
    """An item has this state."""

    state: ItemState


@dataclass(frozen=True, slots=True)
class NewOwner:
    """This person is to do it. Somebody who is only named has the empty id."""

    owner: User


@dataclass(frozen=True, slots=True)
class NewDue:
    """An item is due on this day."""

    due: str


ItemEvent = Union[Literal["noted"], NewState, NewOwner, NewDue]
"""The change of an item."""


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A change of an item, and the message that says so."""

    kind: ItemKind
    title: KeptSpan
    message: MessageRef
    event: ItemEvent


@dataclass(frozen=True, slots=True)
class Thread:
    """The messages of one thread, oldest first; the thread's first message is the first."""

    thread_ts: str
    messages: list[Message]


@dataclass(frozen=True, slots=True)
class ConversationHistory:
    """A channel's recent messages."""

    channel_id: str
    """The empty string for the workspace."""
    channel_name: str
    top_level_messages: list[Message] = field(default_factory=list[Message])
    threads: list[Thread] = field(default_factory=list[Thread])


@dataclass(frozen=True, slots=True)
class ChannelMemory:
    """What is remembered of a channel."""

    channel_id: str
    channel_name: str
    long_term_memory: str | None = None
    short_term_memory: str | None = None
    """The newest one; the last element of the history, if there is one."""
    short_term_memory_history: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class ThreadMemory:
    """What is remembered of a thread."""

    thread_ts: str
    content: str


@dataclass(frozen=True, slots=True)
class Persona:
    """Who the bot is."""

    name: str
    system_prompt: str
    """The text that opens every prompt."""


@dataclass(frozen=True, slots=True)
class Source:
    """What bears on a question: a message, or a line of a memory."""

    channel_name: str
    user: User | None
    timestamp: Timestamp | None
    text: str
    messages: list[MessageRef]


@dataclass(frozen=True, slots=True)
class Notes:
    """What prompts show besides messages and memories."""

    now: Timestamp | None = None
    late: list[MessageRef] = field(default_factory=list[MessageRef])
    programs: bool = False
    program_lines: list[str] = field(default_factory=list[str])
    namesakes: list[User] = field(default_factory=list[User])
    records: list[KeptText] = field(default_factory=list[KeptText])
    pinned: list[KeptText] = field(default_factory=list[KeptText])
    corrections: list[KeptText] = field(default_factory=list[KeptText])
    sources: list[Source] = field(default_factory=list[Source])
    items: list[Item] | None = None
    """The open items of the channel; `None` asks for no items."""
    remarks: list[str] = field(default_factory=list[str])
    answer_max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that a prompt is rendered from."""

    persona: Persona
    conversation_history: ConversationHistory
    """The messages of the current channel; empty for the workspace."""
    workspace_long_term_memory: str | None = None
    workspace_short_term_memory: str | None = None
    """Retired; shown only if the setting `memory.legacy_workspace_short_term` is on."""
    channel_memories: list[ChannelMemory] = field(default_factory=list[ChannelMemory])
    thread_memories: list[ThreadMemory] = field(default_factory=list[ThreadMemory])
    target_thread_ts: str | None = None
    """The thread to summarise or to answer in."""
    notes: Notes | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How much was left out around the target so that a prompt fits the model."""

    other_channels: int
    workspace: int
    messages: int
    channel: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a memory's text was made from, and what was left out."""

    messages: int
    covered: int
    left_out: LeftOut
    chunks: int
    calls: int
    unfounded: int
    doubtful: int
    refused: int
    records: int
    late: int
    refused_items: int
