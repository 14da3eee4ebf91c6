"""The imports beside `storage`, in memory: a model that answers from a script, a platform that keeps its posts,
settings and a log."""

import sys
from typing import Any

from wasmtime.component import Variant

from component import Imports
from place import StoreAt
from store import Refusal, Store, Value, key


class ScriptedModel:
    """Answers each purpose with one text after the other, the last one again and again."""

    def __init__(self, answers: dict[str, list[Value]], context_windows: dict[str, int | None]):
        self.requests: list[Value] = []
        self._answers = answers
        self._context_windows = context_windows
        self._asked: dict[str, int] = {}

    def complete(self, request: Value) -> Value:
        self.requests.append(request)
        purpose = request["purpose"]
        names = (purpose["agent"], purpose["scope-id"], purpose["memory-type"])
        of = " ".join(name for name in names if name)
        answers = self._answers.get(of, [{"error": {"other": {"code": "no-answer", "text": f"no answer to {of}"}}}])
        n = self._asked.get(of, 0)
        self._asked[of] = n + 1
        answer = answers[min(n, len(answers) - 1)]
        for case, detail in answer.get("error", {}).items():
            raise Refusal(case, detail)
        unknown = {"finish-reason": "stop", "model": "scripted", "input-tokens": None, "output-tokens": None}
        return unknown | answer

    def _result(self, request: Value) -> Any:
        try:
            return self.complete(request)
        except Refusal as refusal:
            return refusal.error

    def imports(self) -> dict[str, Any]:
        return {
            "complete": self.complete,
            "complete-all": lambda requests: [self._result(request) for request in requests],
            "context-window": lambda agent: self._context_windows.get(agent),
            # A token for each character: never too few.
            "count-tokens": lambda _agent, texts: [len(text) for text in texts],
        }


class Platform:
    """Knows some messages, and keeps what is posted. The store lends it names."""

    def __init__(self, store: Store, messages: list[Value]):
        self.posts: list[Value] = []
        self._store = store
        self._messages = messages

    def post(self, request: Value) -> Variant:
        """A second after the message that it answers. Outcome and error both have names, so the result needs them too."""
        is_first = all(post["answers"] != request["answers"] for post in self.posts)
        if is_first:
            self.posts.append(request)
        seconds, sequence = request["answers"].split(".")
        outcome = "posted" if is_first else "already"
        return Variant("ok", Variant(outcome, [f"{int(seconds) + 1}.{sequence}"]))

    def thread(self, channel_id: str, thread_ts: str, limit: int) -> list[Value]:
        of_channel = [m for m in self._messages if m["channel-id"] == channel_id]
        shown = self._show([m for m in of_channel if (m.get("thread-ts") or m["ts"]) == thread_ts])
        replies = [m for m in shown if m["ts"] != thread_ts]
        return [m for m in shown if m["ts"] == thread_ts] + replies[max(0, len(replies) - limit) :]

    def history(self, channel_id: str, until: str, limit: int) -> list[Value]:
        of_channel = [m for m in self._messages if m["channel-id"] == channel_id and "thread-ts" not in m]
        shown = self._show([m for m in of_channel if key(m["ts"]) <= key(until)])
        return shown[max(0, len(shown) - limit) :]

    def get_user(self, id: str) -> Value:
        if id not in self._store.users:
            raise Refusal("not-found", id)
        return self._store.users[id]

    def _show(self, messages: list[Value]) -> list[Value]:
        return [self._store.show(message, messages) for message in messages]

    def imports(self) -> dict[str, Any]:
        return {
            "post": self.post,
            "thread": self.thread,
            "history": self.history,
            "permalink": lambda channel_id, ts: f"https://chat.example/{channel_id}/{ts}",
            "get-user": self.get_user,
        }


def write(level: str, line: str) -> None:
    """The component never logs the text of messages or memories."""
    print(f"{level}: {line}", file=sys.stderr)


def no_recall() -> dict[str, Any]:
    """This host cannot search."""
    nothing = {"messages": [], "memories": [], "records": [], "counts": [], "message-count": 0}
    return {"find-candidates": lambda _query: nothing, "terms": lambda _text: []}


def of_summarizer(model: ScriptedModel, settings: dict[str, str]) -> Imports:
    """What the smallest component needs."""
    pairs = list(settings.items())
    return {"llm": model.imports(), "settings": {"get": lambda: pairs}, "log": {"write": write}}


def of_bot(store: StoreAt, model: ScriptedModel, platform: Platform, settings: dict[str, str]) -> Imports:
    """What the whole component needs for a call in one place."""
    more = {"storage": store.imports(), "recall": no_recall(), "chat": platform.imports()}
    return of_summarizer(model, settings) | more
