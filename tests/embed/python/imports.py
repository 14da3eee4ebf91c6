"""A model that answers from a script, and a platform that keeps its posts."""

import sys
from typing import Any

from myao import (
    Already,
    ChatError,
    Completion,
    LlmError,
    Message,
    OtherReason,
    Posted,
    PostOutcome,
    PostRequest,
    Request,
    Timestamp,
    User,
)

Value = dict[str, Any]


class ScriptedModel:
    """Answers each purpose with one text after the other, the last one again and again."""

    def __init__(self, answers: dict[str, list[Value]], context_windows: dict[str, int | None]):
        self.requests: list[Request] = []
        self._answers = answers
        self._context_windows = context_windows
        self._asked: dict[str, int] = {}

    def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        purpose = request.purpose
        names = (purpose.agent, purpose.scope_id, purpose.memory_type)
        of = " ".join(name for name in names if name)
        missing = {"other": {"code": "no-answer", "text": f"no answer to {of}"}}
        answers = self._answers.get(of, [{"error": missing}])
        n = self._asked.get(of, 0)
        self._asked[of] = n + 1
        answer = answers[min(n, len(answers) - 1)]
        for case, detail in answer.get("error", {}).items():
            raise LlmError(case, OtherReason(**detail) if case == "other" else detail)
        given = {name.replace("-", "_"): value for name, value in answer.items()}
        return Completion(**{"model": "scripted"} | given)

    def complete_all(self, requests: list[Request]) -> list[Completion | LlmError]:
        """One after the other, so that the script's answers come in order."""
        return list(map(self._result, requests))

    def _result(self, request: Request) -> Completion | LlmError:
        try:
            return self.complete(request)
        except LlmError as error:
            return error

    def context_window(self, agent: str) -> int | None:
        return self._context_windows.get(agent)


class Platform:
    """Knows some messages, and keeps what is posted."""

    def __init__(self, users: dict[str, User], messages: list[Value], utc_offset_seconds: int):
        self.posts: list[PostRequest] = []
        self._users = users
        self._messages = messages
        self._utc_offset_seconds = utc_offset_seconds

    def post(self, request: PostRequest) -> PostOutcome:
        """A second after the message that it answers."""
        seconds, sequence = request.answers.split(".")
        ids = [f"{int(seconds) + 1}.{sequence}"]
        if any(post.answers == request.answers for post in self.posts):
            return Already(ids)
        self.posts.append(request)
        return Posted(ids)

    def thread(self, channel_id: str, thread_ts: str, limit: int) -> list[Message]:
        of_channel = [m for m in self._messages if m["channel-id"] == channel_id]
        shown = [self._show(m) for m in of_channel if thread_ts in (m["ts"], m.get("thread-ts"))]
        replies = [m for m in shown if m.ts != thread_ts]
        return [m for m in shown if m.ts == thread_ts] + replies[max(0, len(replies) - limit) :]

    def history(self, channel_id: str, until: str, limit: int) -> list[Message]:
        of_channel = [m for m in self._messages if m["channel-id"] == channel_id and "thread-ts" not in m]
        shown = [self._show(m) for m in of_channel if float(m["ts"]) <= float(until)]
        return shown[max(0, len(shown) - limit) :]

    def permalink(self, channel_id: str, ts: str) -> str:
        return f"https://chat.example/{channel_id}/{ts}"

    def get_user(self, id: str) -> User:
        if id not in self._users:
            raise ChatError("not-found", id)
        return self._users[id]

    def _show(self, message: Value) -> Message:
        seconds = int(message["ts"].split(".")[0])
        time = Timestamp(seconds, self._utc_offset_seconds)
        return Message(message["ts"], self._users[message["user-id"]], message["text"], time, message.get("thread-ts"))


def write(level: str, line: str) -> None:
    """The component never logs the text of messages or memories."""
    print(f"{level}: {line}", file=sys.stderr)
