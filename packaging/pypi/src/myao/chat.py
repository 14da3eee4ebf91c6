"""What a chat platform is asked and returns, as `wit/chat.wit` documents it, and what a chat is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Union

from .storage import MaybeAwaitable
from .types import Citation, User


@dataclass(frozen=True, slots=True)
class PostRequest:
    """What to post."""

    channel_id: str
    thread_ts: str | None
    """`None` for the top level."""
    text: str
    """In Markdown."""
    answers: str
    """The message that it answers. A message is answered once."""
    may_notify: list[User]
    """People whom the post may notify if the text names them with `@`. It notifies nobody else, and no channel."""
    citations: list[Citation]
    """Which messages each line was made from. If one of them is edited or deleted later, take the post back."""


@dataclass(frozen=True, slots=True)
class Posted:
    """It was posted."""

    ids: list[str]
    """The ids of the messages, in order: long texts become several."""


@dataclass(frozen=True, slots=True)
class Already:
    """The message was answered before, and nothing was posted."""

    ids: list[str]
    """The ids of the earlier posts, in order."""


PostOutcome = Union[Posted, Already]
"""What became of a post."""


class Chat(Protocol):
    """A chat platform, as far as a reply needs it. `post` is all that it must have; it may be plain or `async`.

    It may also have these, plain or `async`. What is left out knows nothing.

    - `thread(channel_id, thread_ts, limit) -> list[Message]`: a thread's first message and its newest replies, at most
      `limit` of these, oldest first
    - `history(channel_id, until, limit) -> list[Message]`: the newest top-level messages of a channel up to `until`, at
      most `limit`, oldest first
    - `permalink(channel_id, ts) -> str`: the web address of a message
    - `get_user(id) -> User`: a person or program
    """

    def post(self, request: PostRequest) -> MaybeAwaitable[PostOutcome]:
        """Posts an answer, unless the message was answered before."""
        ...
