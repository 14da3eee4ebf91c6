"""A workspace in memory: the import `storage`, as wit/storage.wit documents it. A platform puts its own database here.

Values are dicts with the contract's own names (`scope-id`); values.py turns them into those of wasmtime.
"""

import re
from typing import Any

from wasmtime.component import Variant

SCOPES = ["workspace", "channel", "thread"]
TYPES = ["long-term", "short-term"]
MARK = re.compile(r"\s*@.{0,200}?(remember|覚えて|correction|訂正)", re.IGNORECASE | re.DOTALL)

Value = dict[str, Any]


class Refusal(Exception):
    """An error of an import: `error` is that of the contract."""

    def __init__(self, case: str, detail: Any = None):
        super().__init__(f"{case}: {detail}")
        self.error = Variant(case, detail)


def key(ts: str) -> tuple[int, int]:
    """A message id as numbers: seconds, then sequence."""
    parts = re.fullmatch(r"([0-9]+)\.([0-9]{1,6})", ts)
    if not parts:
        raise Refusal("invalid", f"`{ts}` is no message id")
    return int(parts[1]), int(parts[2])


def is_in(message: Value, thread_ts: str) -> bool:
    return thread_ts in (message["ts"], message.get("thread-ts"))


class Store:
    def __init__(self, utc_offset_seconds: int, workspace_id: str):
        self.utc_offset_seconds = utc_offset_seconds
        self.workspace_id = workspace_id
        self.channels: dict[str, Value] = {}
        self.users: dict[str, Value] = {}
        self.messages: dict[str, list[Value]] = {}  # by channel, in order of their ids
        self.memories: list[Value] = []  # the current texts
        self.origins: dict[int, set[str]] = {}  # the channels that a memory was made from, by its id
        self.deferrals: dict[tuple[str, str, str], Value] = {}
        self.changed_threads: set[str] = set()  # with a summarised message that was changed
        self.settled: dict[str, set[str]] = {}  # messages that do not wait, of channels with a version
        self.last_id = 0

    def put(self, message: Value) -> None:
        """Takes a message in, in place of an earlier one with its id."""
        written = self.messages.get(message["channel-id"], [])
        others = [other for other in written if other["ts"] != message["ts"]]
        if len(others) < len(written):
            thread = message.get("thread-ts") or message["ts"]
            self.changed_threads.add(f"{message['channel-id']}:{thread}")
        in_order = sorted([*others, message], key=lambda message: key(message["ts"]))
        self.messages[message["channel-id"]] = in_order

    def list_channels(self) -> list[Value]:
        return sorted(self.channels.values(), key=lambda channel: (channel["name"], channel["id"]))

    def list_messages(self, query: Value) -> list[Value]:
        there = self._until(query["channel-id"], query["until"])
        whole = query["whole-thread"]
        since = key(query["since"]) if query["since"] is not None else (0, 0)
        in_whole = [m for m in there if whole is not None and is_in(m, whole)]
        between = [m for m in there if m not in in_whole and key(m["ts"]) >= since]
        if query["only-new"]:
            between = [m for m in between if self._waits(m)]
        if query["keep"] == "newest-top-level":
            between = [m for m in between if m.get("thread-ts") is None]
        limit = query["limit"]
        kept = between[:limit] if query["keep"] == "oldest" else between[max(0, len(between) - limit) :]
        first = [m for m in in_whole if m["ts"] == whole]
        replies = [m for m in in_whole if m["ts"] != whole]
        picked = kept + first + replies[max(0, len(replies) - query["thread-limit"]) :]
        begun = {m.get("thread-ts") for m in picked}
        return [self.show(m, there) for m in there if m in picked or m["ts"] in begun]

    def list_marked(self, channel_id: str, until: str, limit: int) -> list[Value]:
        """The newest messages of people that may be marks. This store knows neither guests nor pins."""
        there = self._until(channel_id, until)
        may_be = [m for m in there if not self.users[m["user-id"]]["is-bot"] and MARK.match(m["text"])]
        newest = may_be[max(0, len(may_be) - limit) :]
        return [{"message": self.show(message, there), "is-pinned": False} for message in newest]

    def show(self, message: Value, there: list[Value]) -> Value:
        """A message as the component sees it, among those that are there."""
        has_replies = any(other.get("thread-ts") == message["ts"] for other in there)
        return {
            "ts": message["ts"],
            "user": self.users[message["user-id"]],
            "text": message["text"],
            "timestamp": {
                "unix-seconds": key(message["ts"])[0],
                "utc-offset-seconds": self.utc_offset_seconds,
            },
            "thread-ts": message.get("thread-ts") or (message["ts"] if has_replies else None),
            "edited-at": None,
        }

    def read_spans(self, spans: list[Value]) -> list[Value]:
        def part(span: Value, message: Value) -> Value:
            shown = self.show(message, [])
            text = shown["text"][span["start"] : span["start"] + span["length"]]
            return {"span": span, "user": shown["user"], "timestamp": shown["timestamp"], "text": text}

        def there(of: Value) -> list[Value]:
            return [m for m in self.messages.get(of["channel-id"], []) if m["ts"] == of["ts"]]

        return [part(span, message) for span in spans for message in there(span["message"])]

    def saved(self) -> list[Value]:
        """The current texts, ordered by scope, scope id, type and version."""

        def place(m: Value) -> tuple:
            return SCOPES.index(m["scope"]), m["scope-id"], TYPES.index(m["memory-type"]), m["version"]

        return sorted(self.memories, key=place)

    def list_memories(self, query: Value) -> list[Value]:
        until = query["until"]

        def is_there(memory: Value) -> bool:
            return until is None or memory["updated-at"]["unix-seconds"] <= key(until)[0]

        def is_wanted(memory: Value) -> bool:
            if memory["scope"] == "workspace":
                return query["workspace"]
            if memory["scope"] == "thread":
                return memory["scope-id"] in query["threads"]
            channels = query["channels"]
            if channels.tag == "none" or (channels.tag == "one" and channels.payload != memory["scope-id"]):
                return False
            if memory["memory-type"] == "long-term" or memory["version"] == 0:
                return True
            versions = [m for m in self._versions("channel", memory["scope-id"], "short-term") if is_there(m)]
            if versions.index(memory) >= len(versions) - query["history-limit"]:
                return True
            merged = self._merged_through("channel", memory["scope-id"], "long-term")
            return query["unmerged"] and memory["id"] > merged

        wanted = [memory for memory in self.saved() if is_there(memory) and is_wanted(memory)]
        return wanted if query["citations"] else [{**memory, "citations": [], "records": []} for memory in wanted]

    def list_due(self, query: Value) -> Value:
        def is_recent(backlog: Value) -> bool:
            latest = backlog["latest-message-ts"]
            return latest is not None and key(latest) >= key(query["window-start"])

        def is_channel_due(backlog: Value) -> bool:
            if backlog["unmerged-count"] > 0:
                return True
            if backlog["new-message-count"] == 0:
                return False
            if backlog["short-term-version"] is None:
                return is_recent(backlog)
            is_over = key(backlog["latest-message-ts"]) <= key(query["idle-since"])
            return query["always"] or is_over or backlog["new-message-count"] >= query["message-threshold"]

        def is_thread_due(backlog: Value) -> bool:
            is_known = backlog["short-term-version"] is not None
            return backlog["new-message-count"] > 0 and (is_known or is_recent(backlog))

        until, ids = query["until"], sorted(self.channels)
        channels = [self.get_backlog(id, None, until) for id in ids]
        threads = [
            self.get_backlog(id, thread_ts, until)
            for id in ids
            for thread_ts in sorted({m["thread-ts"] for m in self.messages.get(id, []) if "thread-ts" in m}, key=key)
        ]
        return {
            "channels": [backlog for backlog in channels if is_channel_due(backlog)],
            "threads": [backlog for backlog in threads if is_thread_due(backlog)],
            "workspace-long-term": self._is_workspace_due("long-term"),
            "workspace-short-term": self._is_workspace_due("short-term"),
        }

    def _is_workspace_due(self, memory_type: str) -> bool:
        merged = self._merged_through("workspace", self.workspace_id, memory_type)
        public = [id for id, channel in self.channels.items() if not channel["is-private"]]
        newest = [self._versions("channel", id, memory_type)[-1:] for id in public]
        return any(memory["id"] > merged for versions in newest for memory in versions)

    def get_backlog(self, channel_id: str, thread_ts: str | None, until: str) -> Value:
        there = self._until(channel_id, until)
        scope_id = channel_id if thread_ts is None else f"{channel_id}:{thread_ts}"
        versions = self._versions("channel" if thread_ts is None else "thread", scope_id, "short-term")
        newest = versions[-1] if versions else None
        through = newest and newest["source-latest-message-ts"]
        if thread_ts is not None:
            # Until there is a reply there is no thread.
            has_replies = any(m.get("thread-ts") == thread_ts != m["ts"] for m in there)
            there = [m for m in there if has_replies and is_in(m, thread_ts)]
        after = [m for m in there if through is None or key(m["ts"]) > key(through)]
        news = [m for m in there if self._waits(m)] if thread_ts is None else after
        is_changed = newest is not None and scope_id in self.changed_threads
        merged = self._merged_through("channel", channel_id, "long-term")
        unmerged = [memory for memory in versions if thread_ts is None and memory["id"] > merged]
        return {
            "channel": self._channel(channel_id),
            "thread-ts": thread_ts,
            "latest-message-ts": there[-1]["ts"] if there else None,
            "new-message-count": len(news) + is_changed,
            "late-message-count": sum(m not in after for m in news),
            # Nothing is deleted here.
            "lost-lines": False,
            "short-term-version": newest and newest["version"],
            "summarized-through": through,
            "unmerged-count": len(unmerged),
        }

    def save_memory(self, draft: Value) -> Value:
        """Nothing is changed before every check is made: the save is atomic."""
        subject = draft["scope"], draft["scope-id"], draft["memory-type"]
        scope, scope_id, _ = subject
        if scope == "workspace" and scope_id != self.workspace_id:
            raise Refusal("invalid", f"`{scope_id}` is not this workspace")
        if scope != "workspace":
            self._channel(scope_id.split(":")[0])
        if not draft["content"].strip():
            raise Refusal("invalid", f"the memory of {scope_id} is empty")
        current = self._versions(*subject)
        newest = current[-1] if current else None
        if draft["expected"] != (newest and newest["id"]):
            raise Refusal("conflict", f"{scope_id} has a newer memory: read again")
        number = newest["version"] + 1 if newest else 1
        version = {"overwrite": 1, "new-version": number, "stand-in": 0}[draft["mode"]]
        stand_ins = [m for m in self._texts(*subject) if m["version"] == 0]
        replaced = stand_ins + (current if draft["mode"] == "overwrite" else [])
        created = [m["created-at"] for m in replaced if m["version"] == version]
        copied = ("scope", "scope-id", "memory-type", "content", "engine", "source-message-count")
        self.last_id += 1
        memory = {
            **{name: draft[name] for name in (*copied, "source-latest-message-ts", "merged-through", "records")},
            "citations": [{**line, "by-program": self._is_by_program(line)} for line in draft["citations"]],
            "id": self.last_id,
            "version": version,
            "created-at": created[0] if created else draft["now"],
            "updated-at": draft["now"],
        }
        self.memories = [m for m in self.memories if m not in replaced] + [memory]
        if draft["mode"] != "stand-in":
            self.deferrals.pop(subject, None)
            self.changed_threads.discard(scope_id)
            if subject == ("channel", scope_id, "short-term"):
                self._settle(scope_id, set(draft["source-messages"]))
        return memory

    def _is_by_program(self, line: Value) -> bool:
        """Whether programs wrote all messages of a line."""

        def is_program(of: Value) -> bool:
            written = self.messages.get(of["channel-id"], [])
            return any(m["ts"] == of["ts"] and self.users[m["user-id"]]["is-bot"] for m in written)

        return bool(line["messages"]) and all(is_program(of) for of in line["messages"])

    def _waits(self, message: Value) -> bool:
        """Whether a message is in no version of its channel yet."""
        return message["ts"] not in self.settled.get(message["channel-id"], set())

    def _settle(self, channel_id: str, taken: set[str]) -> None:
        """What a version was made from does not wait any more, nor what is older than the first version. The first
        message of a thread may be far older than the rest."""
        written = self.messages.get(channel_id, [])
        begun = {m.get("thread-ts") for m in written if m["ts"] in taken}
        first = next((n for n, m in enumerate(written) if m["ts"] in taken and m["ts"] not in begun), 0)
        history = {m["ts"] for m in written[:first]}
        self.settled[channel_id] = self.settled.get(channel_id, history) | taken

    def list_deferrals(self, scope: str, scope_id: str) -> list[Value]:
        found = [self.deferrals.get((scope, scope_id, memory_type)) for memory_type in TYPES]
        return [deferral for deferral in found if deferral]

    def defer(self, scope: str, scope_id: str, deferral: Value) -> None:
        self.deferrals[scope, scope_id, deferral["memory-type"]] = deferral

    def _texts(self, *subject: str) -> list[Value]:
        texts = [m for m in self.memories if (m["scope"], m["scope-id"], m["memory-type"]) == subject]
        return sorted(texts, key=lambda memory: memory["version"])

    def _versions(self, *subject: str) -> list[Value]:
        """The versions of a memory, oldest first, without stand-ins."""
        return [memory for memory in self._texts(*subject) if memory["version"] > 0]

    def _merged_through(self, *subject: str) -> int:
        versions = self._versions(*subject)
        return (versions[-1]["merged-through"] if versions else None) or 0

    def _channel(self, id: str) -> Value:
        if id not in self.channels:
            raise Refusal("not-found", f"channel {id} is not stored")
        return self.channels[id]

    def _until(self, channel_id: str, until: str) -> list[Value]:
        """What is in a channel up to then."""
        self._channel(channel_id)
        return [m for m in self.messages.get(channel_id, []) if key(m["ts"]) <= key(until)]
