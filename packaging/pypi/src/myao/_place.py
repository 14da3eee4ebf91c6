"""A store as a call for one place sees it: what a private channel holds reaches no call for another place.

docs/privacy.md of the project says why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .chat import PostRequest
from .errors import CallError
from .llm import Request
from .storage import (
    Backlog,
    Candidates,
    Due,
    DueQuery,
    Given,
    ItemQuery,
    MemoryDraft,
    MemoryQuery,
    MessageQuery,
    RecallQuery,
    StoredMemory,
    Strike,
)
from .types import Channel, Item, KeptSpan, KeptText, Message, Scope

WORKSPACE = "the workspace"
SCHEDULE = "the schedule"

Ask = Callable[..., Any]
"""Calls a function of the store by its name, and waits for its answer."""


class Place:
    """The store of one call. `place` is a channel's id, `WORKSPACE` or `SCHEDULE`; a call that only looks saves nothing."""

    def __init__(self, ask: Ask, place: str, *, only_looks: bool, can_search: bool):
        self._ask = ask
        self._place = place
        self._only_looks = only_looks
        self._can_search = can_search
        self._private: dict[str, bool] | None = None
        self._messages = dict[tuple[str, str], str]()
        self._memories = dict[int, str]()
        self._origins = {place} if place not in (WORKSPACE, SCHEDULE) else set[str]()

    def list_channels(self) -> list[Channel]:
        return [channel for channel in self._channels() if self._sees(channel.id)]

    def list_messages(self, query: MessageQuery) -> list[Message]:
        self._hears(query.channel_id)
        return self._hand_over(query.channel_id, self._ask("list_messages", query))

    def list_marked(self, channel_id: str, until: str, limit: int) -> Any:
        self._hears(channel_id)
        marked = self._ask("list_marked", channel_id, until, limit)
        self._hand_over(channel_id, [mark.message for mark in marked])
        return marked

    def list_strikes(self) -> list[Strike]:
        """Nothing: what corrections strike is kept by the program."""
        return []

    def list_items(self, query: ItemQuery) -> list[Item] | None:
        """None: items are kept by the program."""
        if query.channel_id is not None:
            self._hears(query.channel_id)
        return None

    def list_memories(self, query: MemoryQuery) -> list[StoredMemory]:
        for thread in query.threads:
            self._owns("thread", thread)
        return self._shown(self._ask("list_memories", query))

    def read_spans(self, spans: list[KeptSpan]) -> list[KeptText]:
        seen = [span for span in spans if self._sees(span.message.channel_id)]
        texts: list[KeptText] = self._ask("read_spans", seen)
        self._origins.update(text.span.message.channel_id for text in texts)
        return texts

    def list_due(self, query: DueQuery) -> Due:
        if self._place != SCHEDULE:
            self._refuse("what is due")
        due: Due = self._ask("list_due", query)
        # Deciding what is due needs no names.
        return replace(due, channels=_without_names(due.channels), threads=_without_names(due.threads))

    def get_backlog(self, channel_id: str, thread_ts: str | None, until: str) -> Any:
        self._hears(channel_id)
        return self._ask("get_backlog", channel_id, thread_ts, until)

    def save_memory(self, draft: MemoryDraft) -> StoredMemory:
        self._writes(draft.scope, draft.scope_id)
        given = Given(sorted(self._origins), dict(self._messages), dict(self._memories))
        return self._ask("save_memory", draft, given)

    def list_deferrals(self, scope: Scope, scope_id: str) -> Any:
        self._owns(scope, scope_id)
        return self._ask("list_deferrals", scope, scope_id)

    def defer(self, scope: Scope, scope_id: str, deferral: Any) -> None:
        self._writes(scope, scope_id)
        return self._ask("defer", scope, scope_id, deferral)

    def find_candidates(self, query: RecallQuery) -> Candidates:
        if not self._can_search:
            return Candidates()
        seen = [channel.id for channel in self._channels() if self._sees(channel.id)]
        found: Candidates = self._ask("find_candidates", query, seen)
        messages = [message for message in found.messages if message.at.channel_id in seen]
        for message in messages:
            self._hand_over(message.at.channel_id, [message.message])
        return replace(found, messages=messages)

    def may_ask_model(self, request: Request) -> None:
        """Refuses a prompt that is for another place."""
        self._owns(request.purpose.scope, request.purpose.scope_id)

    def may_post(self, request: PostRequest) -> None:
        """Refuses a post in another place, or of a call that only looks."""
        self._hears(request.channel_id)
        if self._only_looks:
            self._refuse("a post")

    def may_link(self, channel_id: str) -> None:
        """Refuses the address of a message that is not shown here. An answer may quote any public channel."""
        if not self._sees(channel_id):
            self._refuse(f"the address of what is said in {channel_id}")

    def hears(self, channel_id: str) -> None:
        """Refuses to read another channel on the platform."""
        self._hears(channel_id)

    def _channels(self) -> list[Channel]:
        channels: list[Channel] = self._ask("list_channels")
        self._private = {channel.id: channel.is_private for channel in channels}
        return channels

    def _shown(self, memories: list[StoredMemory]) -> list[StoredMemory]:
        """The memories all of whose channels may be shown here."""
        if not memories:
            return []
        origins: list[list[str] | None] = self._ask("channels_of", [memory.id for memory in memories])
        shown = list[StoredMemory]()
        for memory, channels in zip(memories, origins):
            if channels is not None and all(map(self._sees, channels)):
                shown.append(memory)
                self._memories[memory.id] = memory.content
                self._origins.update(channels)
        return shown

    def _hand_over(self, channel_id: str, messages: list[Message]) -> list[Message]:
        self._origins.add(channel_id)
        self._messages.update({(channel_id, message.ts): message.text for message in messages})
        return messages

    def _sees(self, channel_id: str) -> bool:
        """Whether what comes from a channel may be shown here. A channel that is not known is private."""
        if channel_id == self._place:
            return True
        if self._place == SCHEDULE:
            return False
        if self._private is None:
            self._channels()
        return self._private is not None and self._private.get(channel_id) is False

    def _hears(self, channel_id: str) -> None:
        if channel_id != self._place:
            self._refuse(f"what is said in {channel_id}")

    def _owns(self, scope: Scope, scope_id: str) -> None:
        own = {"workspace": WORKSPACE, "channel": scope_id, "thread": scope_id.rpartition(":")[0]}[scope]
        if own != self._place:
            self._refuse(f"the memory of {scope_id}")

    def _writes(self, scope: Scope, scope_id: str) -> None:
        self._owns(scope, scope_id)
        if self._only_looks:
            self._refuse("a save")

    def _refuse(self, what: str) -> None:
        raise CallError("out-of-place", f"the component asked for {what} in a call for {self._place}")


def _without_names(backlogs: list[Backlog]) -> list[Backlog]:
    return [replace(backlog, channel=replace(backlog.channel, name="")) for backlog in backlogs]
