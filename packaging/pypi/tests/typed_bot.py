"""A bot with a model and a chat. The README quotes it, and pyright checks it."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

from myao import (
    Already,
    Completion,
    Failed,
    LlmError,
    Memory,
    MemoryStore,
    Posted,
    PostOutcome,
    PostRequest,
    Request,
    Target,
)


def post(url: str, asked: dict[str, Any]) -> Any:
    """Sends JSON, and waits for the answer."""
    request = HttpRequest(url, json.dumps(asked).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=120) as response:
        return json.load(response)


class Model:
    """Asks a server that speaks the protocol of OpenAI."""

    async def complete(self, request: Request) -> Completion:
        messages = [{"role": "system", "content": request.system_prompt}]
        asked = {"model": "gpt-oss", "messages": messages, "max_tokens": request.max_tokens}
        try:
            answer = await asyncio.to_thread(post, "http://127.0.0.1:8080/v1/chat/completions", asked)
        except OSError as error:
            raise LlmError("unavailable", str(error)) from error
        choice = answer["choices"][0]
        return Completion(choice["message"]["content"], "length" if choice["finish_reason"] == "length" else "stop")


class Terminal:
    """A chat that prints what is posted."""

    def __init__(self) -> None:
        self._posted = dict[str, list[str]]()

    async def post(self, request: PostRequest) -> PostOutcome:
        if request.answers in self._posted:
            return Already(self._posted[request.answers])
        print(request.text)
        self._posted[request.answers] = [f"{int(time.time())}.000001"]
        return Posted(self._posted[request.answers])


async def main() -> None:
    """Answers what is typed."""
    store = MemoryStore()
    store.add_channel("C1", "general", is_private=False)
    memory = await Memory.load(
        storage=store,
        llm=Model(),
        chat=Terminal(),
        settings={"persona.name": "Mia", "engines.memory": "llm", "engines.response": "llm"},
    )
    while said := input("> "):
        ts = store.say("C1", "you", said, time.time())
        await memory.reply_to_mention(Target("C1", None, ts), time.time())
        for entry in await memory.generate(time.time()):
            if isinstance(entry.outcome, Failed):
                print(f"{entry.scope_id}: {entry.outcome.error.text} ({entry.outcome.error.retry})")


if __name__ == "__main__":
    asyncio.run(main())
