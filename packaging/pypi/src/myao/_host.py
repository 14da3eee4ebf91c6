"""Answers the imports of one call, which runs in a thread of its own. What is `async` runs in the caller's event loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ._engine import Limits
from ._given import Functions
from ._place import SCHEDULE, Place
from .errors import CallError, ChatError, LlmError, StorageError
from .llm import Completion, Request
from .terms import terms
from .types import OtherReason

Log = Callable[[str, str], Any]

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warn": logging.WARNING, "error": logging.ERROR}
_logger = logging.getLogger("myao")


def write_log(level: str, line: str) -> None:
    """The log of a memory that is given none: the logger `myao`. A line never contains what people wrote."""
    _logger.log(_LEVELS[level], "%s", line)


def _completion(answer: Any) -> Any:
    """An answer may be the text alone."""
    return Completion(answer) if isinstance(answer, str) else answer


@dataclass(frozen=True)
class Given:
    """What the program gave: functions that were checked."""

    storage: Functions | None
    llm: Functions
    chat: Functions | None
    settings: list[tuple[str, str]]
    log: Log
    limits: Limits


class Host:
    """The imports of one call in one place."""

    def __init__(self, given: Given, loop: asyncio.AbstractEventLoop, place: str | None, *, only_looks: bool):
        self._given = given
        self._loop = loop
        self._cancelled = False
        self._waiting = set[Future[Any]]()
        can_search = given.storage is not None and "find_candidates" in given.storage
        # A context that the caller put together is of no place: nothing is read for it.
        self._checks_prompts = place is not None
        self._place = Place(self._ask_store, place or SCHEDULE, only_looks=only_looks, can_search=can_search)

    def cancel(self) -> None:
        """The caller does not wait any more: what is under way in the event loop is cancelled, and the next import ends
        the call."""
        self._cancelled = True
        for future in list(self._waiting):
            future.cancel()

    def answer(self, interface: str, name: str, arguments: list[Any]) -> Any:
        """Answers an import."""
        if self._cancelled:
            raise concurrent.futures.CancelledError
        name = name.replace("-", "_")
        match interface:
            case "settings":
                return self._given.settings
            case "log":
                return self._wait(self._given.log(*arguments), "log")
            case "recall" if name == "terms":
                # Without a search they find nothing.
                return terms(*arguments) if self._given.storage and "find_candidates" in self._given.storage else []
            case "storage" | "recall":
                return getattr(self._place, name)(*arguments)
            case "llm":
                return getattr(self, f"_{name}")(*arguments)
            case _:
                return self._ask_chat(name, arguments)

    def _ask_store(self, name: str, *arguments: Any) -> Any:
        if self._given.storage is None:
            raise StorageError("unavailable", "no store was given: Memory.load(storage=...)")
        return self._wait(self._given.storage[name](*arguments), f"storage.{name}")

    def _ask_chat(self, name: str, arguments: list[Any]) -> Any:
        if self._given.chat is None:
            raise ChatError("other", OtherReason("no-chat", "no chat was given: Memory.load(chat=...)"))
        if name == "post":
            self._place.may_post(*arguments)
        elif name == "permalink":
            self._place.may_link(arguments[0])
        elif name != "get_user":
            self._place.hears(arguments[0])
        if name not in self._given.chat:
            if name in ("thread", "history"):
                return []
            raise ChatError("not-found", f"this chat has no {name}")
        return self._wait(self._given.chat[name](*arguments), f"chat.{name}")

    def _complete(self, request: Request) -> Any:
        self._check_prompt(request)
        return _completion(self._wait(self._given.llm["complete"](request), "llm.complete"))

    def _complete_all(self, requests: list[Request]) -> list[Any]:
        for request in requests:
            self._check_prompt(request)
        if "complete_all" in self._given.llm:
            return self._wait(self._given.llm["complete_all"](requests), "llm.complete_all")
        if inspect.iscoroutinefunction(self._given.llm["complete"]):
            return self._wait(self._side_by_side(requests), "llm.complete")
        with ThreadPoolExecutor(self._given.limits.concurrent_completions) as threads:
            return list(threads.map(self._complete_one, requests))

    async def _side_by_side(self, requests: list[Request]) -> list[Any]:
        free = asyncio.Semaphore(self._given.limits.concurrent_completions)

        async def complete(request: Request) -> Any:
            async with free:
                try:
                    return _completion(await self._given.llm["complete"](request))
                except LlmError as error:
                    return error

        return await asyncio.gather(*map(complete, requests))

    def _complete_one(self, request: Request) -> Completion | LlmError:
        try:
            return self._complete(request)
        except LlmError as error:
            return error

    def _context_window(self, agent: str) -> Any:
        if "context_window" not in self._given.llm:
            return None
        return self._wait(self._given.llm["context_window"](agent), "llm.context_window")

    def _count_tokens(self, agent: str, texts: list[str]) -> Any:
        if "count_tokens" not in self._given.llm:
            # A token for each character: never too few.
            return list(map(len, texts))
        return self._wait(self._given.llm["count_tokens"](agent, texts), "llm.count_tokens")

    def _check_prompt(self, request: Request) -> None:
        if self._checks_prompts:
            self._place.may_ask_model(request)

    def _wait(self, value: Any, what: str) -> Any:
        """The value; that of an awaitable after it was awaited in the event loop."""
        if not inspect.isawaitable(value):
            return value
        awaitable = value

        async def awaited() -> Any:
            return await awaitable

        future = asyncio.run_coroutine_threadsafe(awaited(), self._loop)
        self._waiting.add(future)
        try:
            if self._cancelled:
                future.cancel()
            return future.result(self._given.limits.wait_seconds)
        except concurrent.futures.TimeoutError:
            if future.done():
                raise
            future.cancel()
            seconds = self._given.limits.wait_seconds
            raise CallError("too-long", f"{what} took longer than {seconds} s (Limits.wait_seconds)", "later") from None
        finally:
            self._waiting.discard(future)
