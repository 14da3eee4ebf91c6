"""A team's memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, Union

from . import _cache, _given, _host
from ._engine import Limits, Plugin
from ._place import SCHEDULE, WORKSPACE
from ._run import Run
from ._signatures import CONTRACT
from .chat import Chat
from .errors import ConfigurationError, InvalidArgument
from .llm import Llm, NoLlm
from .results import (
    Answer,
    Batch,
    BuildRequest,
    ChannelMarks,
    ChannelStep,
    ComponentInfo,
    DoneStep,
    Entry,
    Judgment,
    Occasion,
    Question,
    Response,
    SearchRequest,
    SearchResult,
    Step,
    Summary,
    Target,
    ThreadStep,
)
from .storage import Storage
from .types import Context, MemoryType, Scope, Timestamp

Now = Union[int, float, datetime, Timestamp]
"""A time: seconds since 1970, a `datetime` with a time zone, or a `Timestamp`. It also says in which offset times are shown."""
Functions = Mapping[str, Callable[..., Any]]
"""Functions by their names, in place of an object that has them."""
DEFAULT_CACHE = _cache.default_folder()
T = TypeVar("T")
_COMPONENTS = Path(__file__).parent / "components"


class Memory:
    """A team's memory: makes memories of what is said, and answers people.

    `await Memory.load(...)` makes one. Functions may be called side by side, from any event loop; each call runs in a
    thread, with an instance of the component of its own.
    """

    component: ComponentInfo
    """The component and its versions."""

    def __init__(self, plugin: Plugin, given: _host.Given):
        self._plugin = plugin
        self._functions = given
        self._is_closed = False
        self._threads = ThreadPoolExecutor(given.limits.concurrent_calls, thread_name_prefix="myao")

    @classmethod
    async def load(
        cls,
        *,
        storage: Storage | Functions | None = None,
        llm: Llm | Functions | None = None,
        chat: Chat | Functions | None = None,
        settings: Mapping[str, str | int | bool] | None = None,
        log: _host.Log | None = None,
        limits: Limits | None = None,
        cache_folder: str | Path | None = DEFAULT_CACHE,
        component: str | Path | None = None,
    ) -> Memory:
        """Loads the component and checks what it is given.

        Without a `storage` the small component is loaded, which has `summarize`, `render_prompt` and the like. Without an
        `llm`, texts are made without a model. Without a `chat`, nothing is posted. `settings` are those of the contract.
        `log` gets a level and a line; without it, the logger `myao` does. Compiled code is kept in `cache_folder`, unless
        it is `None`. `component` is a file in place of the one in this package.

        Raises `ConfigurationError` if something is missing, unknown or of the wrong kind, before anything runs.
        """
        given = _host.Given(
            None if storage is None else _given.functions("storage", storage, _given.STORAGE, _given.RECALL),
            _given.functions("llm", NoLlm() if llm is None else llm, _given.LLM, _given.LLM_OPTIONAL),
            None if chat is None else _given.functions("chat", chat, _given.CHAT, _given.CHAT_OPTIONAL),
            _given.settings(settings),
            log or _host.write_log,
            limits or Limits(),
        )
        if storage is None and chat is not None:
            raise ConfigurationError("missing-storage", "a chat was given, but no storage to answer from")
        if llm is None:
            _refuse_model(given.settings)
        wasm = Path(component) if component else _COMPONENTS / f"myao_{'summarizer' if storage is None else 'bot'}.wasm"
        folder = None if cache_folder is None else Path(cache_folder)
        plugin = await asyncio.to_thread(Plugin, wasm, folder, given.limits)
        memory = cls(plugin, given)
        memory.component = await memory._call(None, "about", "describe")
        await memory._check()
        return memory

    async def _check(self) -> None:
        if self.component.contract.rpartition(".")[0] != CONTRACT.rpartition(".")[0]:
            found = f"component {self.component.version} is made for contract {self.component.contract}"
            raise ConfigurationError("incompatible-version", f"{found}, and this package for {CONTRACT}")
        faults = await self._call(None, "about", "check", self._functions.settings)
        if faults:
            told = [
                f"{fault.key}: {fault.detail}" + (f" (it takes {fault.range})" if fault.range else "")
                for fault in faults
            ]
            raise ConfigurationError("invalid-settings", "; ".join(told))

    def close(self) -> None:
        """Ends the threads, once the calls that are under way have ended."""
        self._is_closed = True
        self._threads.shutdown(wait=False)

    async def __aenter__(self) -> Memory:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    async def generate(self, now: Now, *, on_entry: Callable[[Entry], None] | None = None) -> list[Entry]:
        """A run: makes everything that is due. The steps of a batch run side by side, within `Limits.concurrent_calls`.

        Returns what happened, in order of the steps; `on_entry` gets each entry as soon as there is one. A step that ends
        with an error is an entry, too: `Failed`, whose error has the cause as `__cause__`. What was made before is saved,
        and the next run tries the rest again. Raises only if it cannot be read at first what is due.
        """
        time = _given.time(now)
        run = Run(dict(self._functions.settings).get("workspace_scope_id", "default"))

        async def take(step: Step) -> Entry:
            try:
                entry = await self._take(step, time)
            except Exception as error:
                entry = run.failed(step, error)
            if on_entry:
                on_entry(entry)
            return entry

        batch = await self.next_steps([], time)
        while batch.steps:
            run.end(batch.steps, await asyncio.gather(*map(take, batch.steps)))
            try:
                batch = run.admit(await self.next_steps(run.done, time))
            except Exception as error:
                run.entries.append(run.failed("workspace", error))
                break
        return run.entries

    async def next_steps(self, done: list[DoneStep], now: Now) -> Batch:
        """The steps to take next in a run in which these were taken already. `generate` does it for you."""
        self._needs_storage("next_steps")
        return await self._call(SCHEDULE, "memory-generator", "next-steps", done, _given.time(now), only_looks=True)

    async def _take(self, step: Step, now: Timestamp) -> Entry:
        match step:
            case ThreadStep(channel_id, thread_ts):
                return await self.generate_thread(channel_id, thread_ts, now)
            case ChannelStep(channel_id):
                return await self.generate_channel(channel_id, now)
            case _:
                return await self.generate_workspace(now)

    async def generate_channel(self, channel_id: str, now: Now) -> Entry:
        """Makes what is due in one channel."""
        self._needs_storage("generate_channel")
        return await self._call(channel_id, "memory-generator", "generate-channel", channel_id, _given.time(now))

    async def generate_thread(self, channel_id: str, thread_ts: str, now: Now) -> Entry:
        """Makes the memory of one thread, if it has a new message."""
        self._needs_storage("generate_thread")
        return await self._call(
            channel_id, "memory-generator", "generate-thread", channel_id, thread_ts, _given.time(now)
        )

    async def generate_workspace(self, now: Now) -> Entry:
        """Merges the channels' memories into the workspace's, if one of them changed."""
        self._needs_storage("generate_workspace")
        return await self._call(WORKSPACE, "memory-generator", "generate-workspace", _given.time(now))

    async def reply_to_mention(self, target: Target, now: Now) -> Answer:
        """Answers a mention, and posts the answer, unless it was answered before."""
        self._needs_chat("reply_to_mention", target)
        return await self._call(target.channel_id, "responder", "reply-to-mention", target, _given.time(now))

    async def judge(self, target: Target, now: Now) -> Judgment:
        """Decides whether an answer would help. Without a model, it decides against it."""
        self._needs_chat("judge", target)
        return await self._call(target.channel_id, "responder", "judge", target, _given.time(now), only_looks=True)

    async def reply_unasked(self, target: Target, now: Now) -> Answer:
        """Answers unasked, and posts the answer, unless the message was answered before."""
        self._needs_chat("reply_unasked", target)
        return await self._call(target.channel_id, "responder", "reply-unasked", target, _given.time(now))

    async def ask(self, question: str | Question, now: Now) -> Response:
        """Answers a question, and returns the answer. Nothing is posted or saved.

        It is answered from what may be seen in `Question.channel_id`, or from what everybody may see if there is none.
        """
        self._needs_storage("ask")
        asked = Question(question) if isinstance(question, str) else _expect(question, Question, "question")
        place = WORKSPACE if asked.channel_id is None else asked.channel_id
        return await self._call(place, "responder", "ask", asked, _given.time(now), only_looks=True)

    async def search(self, request: str | SearchRequest, now: Now, *, channel_id: str | None = None) -> SearchResult:
        """Finds messages among those that may be seen in a channel, or by everybody."""
        self._needs_storage("search")
        wanted = SearchRequest(request) if isinstance(request, str) else _expect(request, SearchRequest, "request")
        place = WORKSPACE if channel_id is None else channel_id
        return await self._call(place, "searcher", "search", wanted, _given.time(now), only_looks=True)

    async def read_marks(self, channel_id: str, now: Now) -> ChannelMarks:
        """What people pinned and corrected in a channel, and which lines of its memories that replaces."""
        self._needs_storage("read_marks")
        return await self._call(channel_id, "marks", "read-marks", channel_id, _given.time(now), only_looks=True)

    async def build_context(self, request: BuildRequest, now: Now) -> Context:
        """The context of a channel or thread, from your store."""
        self._needs_storage("build_context")
        place = _expect(request, BuildRequest, "request").channel_id or WORKSPACE
        return await self._call(place, "context-builder", "build", request, _given.time(now), only_looks=True)

    async def summarize(
        self, context: Context, scope: Scope, memory_type: MemoryType, existing_memory: str | None = None
    ) -> Summary:
        """The text of one memory from a context."""
        return await self._of_context("memory-summarizer", "summarize", context, scope, memory_type, existing_memory)

    async def render_prompt(
        self, context: Context, scope: Scope, memory_type: MemoryType, existing_memory: str | None = None
    ) -> str:
        """The exact prompt that `summarize` would send."""
        return await self._of_context(
            "memory-summarizer", "render-prompt", context, scope, memory_type, existing_memory
        )

    async def render_reply(self, context: Context, occasion: Occasion, now: Now) -> str:
        """The exact prompt of a reply."""
        return await self._of_context("reply-prompt", "render-reply", context, occasion, _given.time(now))

    async def render_judgment(self, context: Context, now: Now) -> str:
        """The exact prompt of a judgment."""
        return await self._of_context("reply-prompt", "render-judgment", context, _given.time(now))

    async def _of_context(self, interface: str, export: str, context: Context, *arguments: Any) -> Any:
        _expect(context, Context, "context")
        return await self._call(None, interface, export, context, *arguments, only_looks=True)

    async def _call(
        self, place: str | None, interface: str, export: str, *arguments: Any, only_looks: bool = False
    ) -> Any:
        """Calls an export for a place, or without one for what the caller put together."""
        if self._is_closed:
            raise InvalidArgument("closed", f"{export} is called after close()")
        loop = asyncio.get_running_loop()
        host = _host.Host(self._functions, loop, place, only_looks=only_looks)
        call = loop.run_in_executor(self._threads, self._plugin.call, host.answer, interface, export, list(arguments))
        try:
            return await call
        except asyncio.CancelledError:
            host.cancel()
            raise

    def _needs_storage(self, function: str) -> None:
        if self._functions.storage is None:
            raise InvalidArgument("missing-storage", f"{function} needs a store: Memory.load(storage=...)")

    def _needs_chat(self, function: str, target: object) -> None:
        self._needs_storage(function)
        _expect(target, Target, "target")
        if self._functions.chat is None:
            raise InvalidArgument("missing-chat", f"{function} needs a chat: Memory.load(chat=...)")


def _expect(value: T, cls: type[T], name: str) -> T:
    if not isinstance(value, cls):
        raise InvalidArgument("wrong-type", f"{name} is a {type(value).__name__}: expected a {cls.__name__}")
    return value


def _refuse_model(settings: list[tuple[str, str]]) -> None:
    for key, value in settings:
        if key in ("engines.memory", "engines.response") and value == "llm":
            raise ConfigurationError("missing-llm", f"{key} is llm, but no llm was given: Memory.load(llm=...)")
