"""A model behind a server that speaks the protocol of OpenAI."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import ClientError, ClientSession, ClientTimeout
from myao import Completion, LlmError, Request
from myao.llm import FinishReason

from .options import Server

_ATTEMPTS = 3
_TIMEOUT = ClientTimeout(total=300)
_LONGEST_WAIT_SECONDS = 30
_REASONS: dict[str, FinishReason] = {"stop": "stop", "length": "length", "content_filter": "content-filter"}


class Model:
    """Asks the server; what may pass by itself is tried again."""

    def __init__(self, http: ClientSession, server: Server):
        self._http, self._server = http, server

    async def complete(self, request: Request) -> Completion:
        """See `myao.Llm`."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return await self._ask(request)
            except LlmError as error:
                if error.retry != "later" or attempt == _ATTEMPTS:
                    raise
                wait = error.detail if isinstance(error.detail, int) else 2**attempt
            await asyncio.sleep(min(wait, _LONGEST_WAIT_SECONDS))
        raise AssertionError("the last attempt raises")

    async def _ask(self, request: Request) -> Completion:
        asked: dict[str, Any] = {
            "model": self._server.id,
            "messages": [{"role": "system", "content": request.system_prompt}],
            "max_tokens": request.max_tokens,
        }
        if request.answer_schema is not None:
            schema = {"name": "answer", "schema": json.loads(request.answer_schema)}
            asked["response_format"] = {"type": "json_schema", "json_schema": schema}
        headers = {"Authorization": f"Bearer {self._server.api_key}"} if self._server.api_key else {}
        url = f"{self._server.base_url}/chat/completions"
        try:
            async with self._http.post(url, json=asked, headers=headers, timeout=_TIMEOUT) as response:
                if response.status != 200:
                    raise _error(response.status, response.headers.get("Retry-After"), await response.text())
                answer = await response.json(content_type=None)
        except asyncio.TimeoutError as error:
            raise LlmError("timed-out") from error
        except (ClientError, ValueError) as error:
            raise LlmError("unavailable", f"{url}: {error}") from error
        return _completion(answer)


def _completion(answer: Any) -> Completion:
    try:
        choice, usage = answer["choices"][0], answer.get("usage") or {}
        text, reason = choice["message"]["content"] or "", _REASONS.get(choice["finish_reason"], "other")
        tokens = usage.get("prompt_tokens"), usage.get("completion_tokens")
        return Completion(str(text), reason, str(answer.get("model") or ""), *tokens)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise LlmError("unavailable", f"the model's server answered in another form: {error!r}") from error


def _error(status: int, retry_after: str | None, text: str) -> LlmError:
    if status == 429:
        return LlmError("rate-limited", int(retry_after) if retry_after and retry_after.isdecimal() else None)
    if status == 413 or (status == 400 and "context" in text):
        return LlmError("context-too-long", None)
    if status >= 500 or status == 408:
        return LlmError("unavailable", f"the model's server answered with status {status}")
    return LlmError("invalid-request", f"the model's server answered with status {status}: look at model.* in the configuration")
