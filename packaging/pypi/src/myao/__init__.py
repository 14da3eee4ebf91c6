"""Layered, versioned memory for team chat. See the README, and `Memory`."""

from importlib.metadata import version

from ._engine import Limits
from ._stores.meaning import Embedder
from .chat import Already, Chat, Posted, PostOutcome, PostRequest
from .errors import (
    BadAnswer,
    CallError,
    ChatError,
    ConfigurationError,
    ContractError,
    InvalidArgument,
    LlmError,
    MemoryFailure,
    MyaoError,
    Retry,
    SettingFault,
    StorageError,
)
from .llm import Completion, Llm, Purpose, Request
from .memory import Memory, Now
from .results import Deferred, Entry, Failed, Judgment, Question, Reply, Response, Skipped, Summary, Target
from .sqlite_store import MemoryStore, SqliteStore
from .storage import Recall, Storage
from .types import Channel, Context, Message, OtherReason, Timestamp, User

__version__ = version("myao-memory")

__all__ = [
    "Already",
    "BadAnswer",
    "CallError",
    "Channel",
    "Chat",
    "ChatError",
    "Completion",
    "ConfigurationError",
    "Context",
    "ContractError",
    "Deferred",
    "Embedder",
    "Entry",
    "Failed",
    "InvalidArgument",
    "Judgment",
    "Limits",
    "Llm",
    "LlmError",
    "Memory",
    "MemoryFailure",
    "MemoryStore",
    "Message",
    "MyaoError",
    "Now",
    "OtherReason",
    "PostOutcome",
    "PostRequest",
    "Posted",
    "Purpose",
    "Question",
    "Recall",
    "Reply",
    "Request",
    "Response",
    "Retry",
    "SettingFault",
    "Skipped",
    "SqliteStore",
    "Storage",
    "StorageError",
    "Summary",
    "Target",
    "Timestamp",
    "User",
]
