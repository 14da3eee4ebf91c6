"""What the functions of `Memory` take and return, as the exports of the contract document it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Union

from .chat import Already
from .errors import MemoryFailure
from .storage import Deferral
from .types import (
    F32,
    U64,
    Citation,
    Coverage,
    Engine,
    ItemChange,
    KeptSpan,
    KeptText,
    LeftOut,
    MemoryType,
    Message,
    MessageRef,
    OtherReason,
    Scope,
    Source,
    Timestamp,
)


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The numbers that a setting accepts, both ends included."""

    min: int
    max: int


@dataclass(frozen=True, slots=True)
class Choice:
    """The names of which a setting accepts one."""

    names: list[str]


SettingValues = Union[Literal["text", "switch"], NumberRange, Choice]
"""What a setting accepts: any text, `true` or `false`, a whole number, or a name."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of the component."""

    key: str
    """The last part of `templates.NAME` stands for the name of a template."""
    accepts: SettingValues
    default: Union[str, None]
    """`None` if `meaning` says it, or if there is none."""
    meaning: str


@dataclass(frozen=True, slots=True)
class ComponentInfo:
    """A component, its versions and its settings."""

    name: str
    version: str
    contract: str
    settings: list[Setting]


@dataclass(frozen=True, slots=True)
class Made:
    """A memory that was made and saved in this run."""

    scope: Scope
    scope_id: str
    memory_type: MemoryType
    version: int
    engine: Engine
    source_message_count: int
    truncated: bool
    coverage: Coverage


SkipReason = Union[
    Literal["no-new-messages", "not-due", "outside-window", "nothing-to-summarize", "unchanged"], OtherReason
]
"""Why nothing was made."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Nothing was made, and why."""

    reason: SkipReason


@dataclass(frozen=True, slots=True)
class Deferred:
    """Something due failed before and is deferred."""

    deferral: Deferral


@dataclass(frozen=True, slots=True)
class Failed:
    """Something due could not be made, and why. The next run tries it again."""

    error: MemoryFailure


Outcome = Union[Literal["done"], Skipped, Deferred, Failed]
"""The outcome for one channel, thread or workspace."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened to one channel, thread or workspace."""

    scope: Scope
    scope_id: str
    channel_name: str
    made: list[Made]
    """What was made and saved, in order."""
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ThreadStep:
    """The step of a thread: `generate_thread`."""

    channel_id: str
    thread_ts: str


@dataclass(frozen=True, slots=True)
class ChannelStep:
    """The step of a channel: `generate_channel`."""

    channel_id: str


Step = Union[ThreadStep, ChannelStep, Literal["workspace"]]
"""A step of a run: a call for one place."""


@dataclass(frozen=True, slots=True)
class DoneStep:
    """A step that has ended."""

    step: Step
    made: bool
    """Whether something was made and saved."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The steps to take next, side by side if you like. None if the run is over."""

    steps: list[Step]
    later: int
    """How many threads and channels are due after them."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What a context is for."""

    channel_id: str
    target_thread_ts: str | None = None
    since: Timestamp | None = None
    message_limit: int | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """What is answered."""

    channel_id: str
    thread_ts: str | None
    """The thread to answer in; `None` for the top level."""
    message_ts: str
    """The mention, or the newest message that nobody answered."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that was posted."""

    text: str
    engine: Engine
    truncated: bool
    left_out: LeftOut
    posted: list[str]
    citations: list[Citation]
    records: list[KeptSpan]


Answer = Union[Reply, Already]
"""What became of an answer: it was posted, or the message was answered before."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """Whether to answer unasked."""

    should_respond: bool
    reason: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Question:
    """A question that is not part of a conversation."""

    text: str
    channel_id: str | None = None
    """The channel in which it is asked. `None`: only what everybody may see is known."""
    since: Timestamp | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """An answer that is returned and not posted."""

    text: str
    """In Markdown. It cites its sources as `[1]`."""
    engine: Engine
    found_nothing: bool
    truncated: bool
    left_out: LeftOut
    sources: list[Source]
    citations: list[Citation]


@dataclass(frozen=True, slots=True)
class Summary:
    """The text of a memory, and how it was made."""

    text: str
    engine: Engine | None
    truncated: bool
    coverage: Coverage
    citations: list[Citation]
    records: list[KeptSpan]
    items: list[ItemChange]


Occasion = Literal["mention", "unasked"]
"""Why a reply is written."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to look for."""

    text: str
    since: Timestamp | None = None
    until: Timestamp | None = None
    limit: int = 20


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that was found."""

    at: MessageRef
    channel_name: str
    message: Message
    score: float
    terms: list[str]
    similarity: F32 | None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found, best first, and how the request was understood."""

    hits: list[Hit]
    since: Timestamp | None
    until: Timestamp | None


@dataclass(frozen=True, slots=True)
class ReplacedLine:
    """A line of a memory that a correction replaces."""

    memory: U64
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction, and what it replaces."""

    said: KeptText
    replaces: list[ReplacedLine]


@dataclass(frozen=True, slots=True)
class ChannelMarks:
    """The marks of a channel, oldest first."""

    pinned: list[KeptText] = field(default_factory=list[KeptText])
    corrections: list[Correction] = field(default_factory=list[Correction])
