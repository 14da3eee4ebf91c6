"""A store as a call for one place sees it (docs/privacy.md): what a private channel holds reaches no call for another
place."""

from collections.abc import Callable
from typing import Any

from store import Refusal, Store, Value

WORKSPACE = "the workspace"
SCHEDULE = "the schedule"


class StoreAt:
    """The import `storage` of one call. `place` is a channel's id, `WORKSPACE` or `SCHEDULE`."""

    def __init__(self, store: Store, place: str):
        self._store = store
        self._place = place
        self._given: set[int] = set()  # the memories that the call was given

    def imports(self) -> dict[str, Callable[..., Any]]:
        store = self._store
        return {
            "list-channels": lambda: [channel for channel in store.list_channels() if self._sees(channel["id"])],
            "read-spans": lambda spans: store.read_spans(
                [span for span in spans if self._sees(span["message"]["channel-id"])]
            ),
            "list-messages": lambda query: self._hears(query["channel-id"]) or store.list_messages(query),
            "list-marked": lambda channel_id, *rest: self._hears(channel_id) or store.list_marked(channel_id, *rest),
            "list-memories": self._list_memories,
            "list-due": self._list_due,
            "get-backlog": lambda channel_id, *rest: self._hears(channel_id) or store.get_backlog(channel_id, *rest),
            "save-memory": self._save_memory,
            "list-deferrals": lambda *subject: self._owns(*subject) or store.list_deferrals(*subject),
            "defer": lambda scope, scope_id, deferral: self._owns(scope, scope_id)
            or store.defer(scope, scope_id, deferral),
        }

    def _list_memories(self, query: Value) -> list[Value]:
        origins = self._store.origins
        seen = [m for m in self._store.list_memories(query) if all(map(self._sees, origins.get(m["id"], ())))]
        self._given.update(memory["id"] for memory in seen)
        return seen

    def _list_due(self, query: Value) -> Value:
        if self._place != SCHEDULE:
            self._refuse("what is due")
        return self._store.list_due(query)

    def _save_memory(self, draft: Value) -> Value:
        self._owns(draft["scope"], draft["scope-id"])
        memory = self._store.save_memory(draft)
        own = {self._place} & self._store.channels.keys()
        self._store.origins[memory["id"]] = own.union(*(self._store.origins.get(id, ()) for id in self._given))
        return memory

    def _sees(self, channel_id: str) -> bool:
        """Whether what comes from a channel may be shown here."""
        return channel_id == self._place or not self._store.channels[channel_id]["is-private"]

    def _hears(self, channel_id: str) -> None:
        if channel_id != self._place:
            self._refuse(f"the messages of {channel_id}")

    def _owns(self, scope: str, scope_id: str) -> None:
        own = WORKSPACE if scope == "workspace" else scope_id.split(":")[0]
        if own != self._place:
            self._refuse(f"the memory of {scope_id}")

    def _refuse(self, what: str) -> None:
        raise Refusal("invalid", f"{what} is not for {self._place}")
