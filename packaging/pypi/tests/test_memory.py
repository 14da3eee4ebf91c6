"""What a memory does: runs, places, functions that are plain or async, and limits."""

import asyncio
import os
import threading
import unittest
import unittest.mock
from collections.abc import Callable
from pathlib import Path
from typing import Any

from myao import (
    Already,
    CallError,
    Completion,
    Entry,
    Failed,
    InvalidArgument,
    Limits,
    LlmError,
    Memory,
    MemoryStore,
    Posted,
    Question,
    Reply,
    Request,
    Target,
)
from myao._engine import Plugin, machine
from myao._place import Place
from myao.storage import DueQuery
from myao.types import Context, ConversationHistory, Message, Persona, Timestamp, User

NOW = 1772420400
LLM = {"engines.memory": "llm", "engines.response": "llm"}
FAULTY = Path(os.environ["MYAO_FAULTY"])
CONTEXT = Context(Persona("Mia", "You are Mia."), ConversationHistory("C1", "general"))


def store_of(channels: int, **more: Any) -> MemoryStore:
    store = MemoryStore(**more)
    for number in range(channels):
        store.add_channel(f"C{number}", f"room-{number}", is_private=False)
        store.say(f"C{number}", "Aki", f"The crane number {number} comes on 3 March.", NOW - 9000)
    return store


def answer(request: Request) -> Completion:
    """Copies a line that the messages hold, which is a memory."""
    number = request.purpose.scope_id.lstrip("C") if request.purpose.scope == "channel" else "0"
    return Completion(f"- Aki: crane number {number} comes on 3 March.")


class Gate:
    """A model that answers once so many prompts wait."""

    def __init__(self, count: int):
        self.waiting, self.most, self._count, self._opened = 0, 0, count, asyncio.Event()

    async def complete(self, request: Request) -> Completion:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        if self.waiting >= self._count:
            self._opened.set()
        await asyncio.wait_for(self._opened.wait(), 20)
        self.waiting -= 1
        return answer(request)


class Runs(unittest.IsolatedAsyncioTestCase):
    async def load(self, **given: Any) -> Memory:
        memory = await Memory.load(**given)
        self.addCleanup(memory.close)
        return memory

    async def test_a_run_makes_what_is_due_and_the_next_one_nothing(self) -> None:
        store = store_of(3)
        memory = await self.load(storage=store)
        seen = list[Entry]()
        entries = await memory.generate(NOW, on_entry=seen.append)
        self.assertEqual([entry.scope_id for entry in entries], ["C0", "C1", "C2", "default"])
        self.assertEqual(sorted(seen, key=lambda entry: entry.scope_id), entries)
        self.assertEqual({entry.outcome for entry in entries}, {"done"})
        self.assertEqual(await memory.generate(NOW + 1), [])
        self.assertEqual(len(store.memories()), 7)

    async def test_steps_wait_for_the_model_side_by_side_within_the_limit(self) -> None:
        model = Gate(4)
        memory = await self.load(storage=store_of(9), llm=model, settings=LLM, limits=Limits(concurrent_calls=4))
        entries = await memory.generate(NOW)
        self.assertEqual((len(entries), model.most), (10, 4))
        self.assertEqual({entry.outcome for entry in entries}, {"done"})

    async def test_a_step_that_ends_with_an_error_is_an_entry_and_the_others_go_on(self) -> None:
        def complete(request: Request) -> str:
            if request.purpose.scope_id == "C1":
                raise KeyError("a mistake")
            return answer(request).text

        memory = await self.load(storage=store_of(3), llm={"complete": complete}, settings=LLM)
        entries = await memory.generate(NOW)
        self.assertEqual([entry.outcome == "done" for entry in entries], [True, False, True, True])
        failed = entries[1].outcome
        assert isinstance(failed, Failed)
        self.assertEqual((entries[1].scope_id, failed.error.detail.code), ("C1", "call-failed"))
        self.assertEqual(failed.error.text, "the step ended with KeyError")
        self.assertIsInstance(failed.error.__cause__, KeyError)
        self.assertEqual([entry.scope_id for entry in await memory.generate(NOW)], ["C1"])

    async def test_the_workspace_may_be_merged_after_every_channel(self) -> None:
        memory = await self.load(storage=store_of(3), settings={"memory.workspace_merge_per_channel": True})
        entries = [entry.scope_id for entry in await memory.generate(NOW)]
        self.assertEqual(entries, ["C0", "default", "C1", "default", "C2", "default"])

    async def test_many_calls_with_errors_at_once_do_not_mix_them_up(self) -> None:
        async def complete(request: Request) -> Completion:
            await asyncio.sleep(0)
            number = int(request.purpose.scope_id.lstrip("C"))
            if number % 3 == 0:
                raise LlmError("unavailable", f"model {number} is away")
            if number % 3 == 1:
                raise KeyError(number)
            return answer(request)

        memory = await self.load(storage=store_of(30), llm={"complete": complete}, settings=LLM)

        async def take(number: int) -> Any:
            try:
                return (await memory.generate_channel(f"C{number}", NOW)).outcome
            except KeyError as error:
                return error.args[0]

        for number, outcome in enumerate(await asyncio.gather(*map(take, range(30)))):
            if number % 3 == 0:
                self.assertIsInstance(outcome, Failed)
                self.assertEqual(outcome.error.detail, LlmError("unavailable", f"model {number} is away"))
            else:
                self.assertEqual(outcome, number if number % 3 == 1 else "done")

    async def test_requests_of_one_call_are_side_by_side_whether_plain_or_async(self) -> None:
        barrier, threads = threading.Barrier(2), set[int]()

        def plain(request: Request) -> Completion:
            # The parts of a long channel come two at least at once.
            if len(threads) < 2:
                threads.add(threading.get_ident())
                barrier.wait(20)
            return answer(request)

        small: dict[str, Callable[..., Any]] = {"context_window": lambda agent: 6000}
        for complete in (plain, Gate(2).complete):
            store = store_of(1)
            for number in range(60):
                store.say(
                    "C0", "Aki", f"The crane number 0 comes on 3 March. {'It is tall. ' * 20}", NOW - 8000 + number
                )
            memory = await self.load(storage=store, llm=small | {"complete": complete}, settings=LLM)
            entry = await memory.generate_channel("C0", NOW)
            self.assertEqual(entry.outcome, "done")
            self.assertGreater(entry.made[0].coverage.chunks, 1)

    async def test_a_store_may_be_async_and_runs_in_the_loop_of_the_caller(self) -> None:
        plain, loop = store_of(2), asyncio.get_running_loop()

        class Async:
            def __getattr__(self, name: str) -> Any:
                async def function(*arguments: Any) -> Any:
                    assert asyncio.get_running_loop() is loop
                    await asyncio.sleep(0)
                    return getattr(plain, name)(*arguments)

                return function

        functions = [name for name in dir(plain) if not name.startswith("_")]
        contract = {name: getattr(Async(), name) for name in functions if name in STORE}
        memory = await self.load(storage=contract)
        self.assertEqual([entry.outcome for entry in await memory.generate(NOW)], ["done"] * 3)
        self.assertIn("crane", (await memory.ask("When does the crane come?", NOW)).text)

    async def test_what_is_private_is_told_in_its_own_channel_alone(self) -> None:
        store = store_of(1)
        store.add_channel("P1", "people", is_private=True)
        store.say("P1", "Ren", "The crane is sold for 480 euros.", NOW - 9000)
        memory = await self.load(storage=store)
        await memory.generate(NOW)
        for question, knows in (
            (Question("What of the crane?", "P1"), True),
            (Question("What of the crane?", "C0"), False),
        ):
            response = await memory.ask(question, NOW)
            self.assertEqual("480" in response.text, knows)
        self.assertNotIn("480", (await memory.ask("What of the crane?", NOW)).text)
        elsewhere = [memory.content for memory in store.memories() if memory.scope_id != "P1"]
        self.assertFalse(any("480" in content for content in elsewhere))
        self.assertEqual(
            [hit.at.channel_id for hit in (await memory.search("crane", NOW, channel_id="C0")).hits], ["C0"]
        )

    async def test_what_is_deleted_while_the_model_writes_is_in_no_memory(self) -> None:
        store = store_of(1)
        secret = store.say("C0", "Ren", "The code is swordfish.", NOW - 8000)
        prompts = list[str]()

        def complete(request: Request) -> Completion:
            prompts.append(request.system_prompt)
            store.delete_message("C0", secret)
            return Completion("- Ren: the code is swordfish.\n- Aki: crane number 0 comes on 3 March.")

        memory = await self.load(storage=store, llm={"complete": complete}, settings=LLM)
        entry = await memory.generate_channel("C0", NOW)
        self.assertIn("swordfish", prompts[0])
        assert isinstance(entry.outcome, Failed)
        self.assertEqual((entry.outcome.error.detail.code, entry.outcome.error.retry), ("conflict", "later"))
        again = await self.load(storage=store, llm={"complete": answer}, settings=LLM)
        self.assertEqual((await again.generate_channel("C0", NOW)).outcome, "done")
        self.assertNotIn("swordfish", "".join(memory.content for memory in store.memories()))

    async def test_a_mention_is_answered_once(self) -> None:
        posts = list[str]()

        class Chat:
            async def post(self, request: Any) -> Any:
                if posts:
                    return Already(["1.000001"])
                posts.append(request.text)
                return Posted(["1.000001"])

        store = store_of(1)
        ts = store.say("C0", "Ren", "@myao When does the crane come?", NOW)
        memory = await self.load(storage=store, chat=Chat())
        answer = await memory.reply_to_mention(Target("C0", None, ts), NOW)
        assert isinstance(answer, Reply)
        self.assertEqual((answer.text, answer.posted), (posts[0], ["1.000001"]))
        self.assertEqual(await memory.reply_to_mention(Target("C0", None, ts), NOW), Already(["1.000001"]))

    async def test_an_answer_links_what_it_quotes_from_another_channel(self) -> None:
        store = store_of(1)
        store.add_channel("P1", "people", is_private=True)
        said = store.say("C0", "Ren", "The pelican statue stands in the yard.", NOW - 60)
        asked = {
            channel: store.say(channel, "Aki", "@myao Where does the pelican statue stand?", NOW)
            for channel in ("P1", "C0")
        }
        chat: dict[str, Callable[..., Any]] = {
            "post": lambda request: Posted(["1.000001"]),
            "thread": lambda *_: [],
            "history": lambda *_: [],
            "permalink": lambda channel_id, ts: f"https://chat.example/{channel_id}/{ts}",
            "get_user": lambda id: User(id, id),
        }
        memory = await self.load(storage=store, chat=chat)
        for channel, ts in asked.items():
            answer = await memory.reply_to_mention(Target(channel, None, ts), NOW)
            assert isinstance(answer, Reply)
            self.assertIn(f"(https://chat.example/C0/{said})", answer.text)

    async def test_a_context_is_summarized_without_a_store(self) -> None:
        memory = await self.load()
        said = Message("1772411400.000001", User("U1", "Aki"), "The crane comes on 3 March.", Timestamp(NOW - 9000))
        context = Context(CONTEXT.persona, ConversationHistory("C1", "general", [said]))
        summary = await memory.summarize(context, "channel", "short-term")
        self.assertIn("3 March", summary.text)
        self.assertIn("3 March", await memory.render_prompt(context, "channel", "short-term"))
        self.assertIn("3 March", await memory.render_reply(context, "mention", NOW))
        with self.assertRaises(InvalidArgument):
            await memory.generate(NOW)

    async def test_the_log_gets_lines_and_never_what_people_wrote(self) -> None:
        lines = list[str]()
        memory = await self.load(storage=store_of(1), log=lambda level, line: lines.append(f"{level}: {line}"))
        await memory.generate(NOW)
        self.assertTrue(any(line.startswith("info: saved version 1") for line in lines), lines)
        self.assertNotIn("crane", "\n".join(lines))


class Ends(unittest.IsolatedAsyncioTestCase):
    async def load(self, **given: Any) -> Memory:
        memory = await Memory.load(**given)
        self.addCleanup(memory.close)
        return memory

    async def test_a_call_that_does_not_end_is_ended_and_the_next_one_works(self) -> None:
        loop = "{% for a in range(10000) %}{% for b in range(10000) %}{{ a }}{% endfor %}{% endfor %}"
        endless = {"templates.memory_prompt.j2": loop}
        memory = await self.load(settings=endless, limits=Limits(compute_seconds=0.3))
        with self.assertRaises(CallError) as raised:
            await memory.render_prompt(CONTEXT, "channel", "short-term")
        self.assertEqual((raised.exception.code, raised.exception.retry), ("too-long", "later"))
        self.assertIn("Limits.compute_seconds", raised.exception.text)
        self.assertIn("Mia", await memory.render_judgment(CONTEXT, NOW))

    async def test_time_in_an_import_does_not_count_as_computing(self) -> None:
        ticks, passed = 0, threading.Event()
        engine = machine().engine
        tick = engine.increment_epoch

        def count() -> None:
            nonlocal ticks
            ticks += 1
            tick()
            if ticks >= 6:
                passed.set()

        def complete(request: Request) -> Completion:
            self.assertTrue(passed.wait(20))
            return answer(request)

        memory = await self.load(
            storage=store_of(1), llm={"complete": complete}, settings=LLM, limits=Limits(compute_seconds=0.3)
        )
        with unittest.mock.patch.object(engine, "increment_epoch", count):
            self.assertEqual((await memory.generate_channel("C0", NOW)).outcome, "done")

    async def test_an_import_that_waits_too_long_ends_its_call(self) -> None:
        cancelled = asyncio.Event()

        async def complete(request: Request) -> Completion:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.set()
                raise
            return answer(request)

        limits = Limits(wait_seconds=0.1)
        memory = await self.load(storage=store_of(1), llm={"complete": complete}, settings=LLM, limits=limits)
        with self.assertRaises(CallError) as raised:
            await memory.generate_channel("C0", NOW)
        self.assertIn("llm.complete took longer than 0.1 s", raised.exception.text)
        await asyncio.wait_for(cancelled.wait(), 20)

    async def test_who_cancels_a_call_cancels_what_it_waits_for(self) -> None:
        asked, cancelled = asyncio.Event(), asyncio.Event()

        async def complete(request: Request) -> Completion:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()
            return answer(request)

        memory = await self.load(storage=store_of(1), llm={"complete": complete}, settings=LLM)
        call = asyncio.create_task(memory.generate(NOW))
        await asyncio.wait_for(asked.wait(), 20)
        call.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await call
        await asyncio.wait_for(cancelled.wait(), 20)

    async def test_a_call_that_needs_too_much_memory_traps(self) -> None:
        memory = await self.load(limits=Limits(memory_bytes=16 << 20))
        long = Context(CONTEXT.persona, CONTEXT.conversation_history, workspace_long_term_memory="much " * (8 << 20))
        with self.assertRaises(CallError) as raised:
            await memory.render_prompt(long, "channel", "short-term")
        self.assertEqual((raised.exception.code, raised.exception.retry), ("trapped", "after-repair"))
        self.assertIn("Limits.memory_bytes", raised.exception.text)
        self.assertIn("Mia", await memory.render_prompt(CONTEXT, "channel", "short-term"))

    async def test_a_component_that_looks_at_the_machine_is_ended(self) -> None:
        plugin = await asyncio.to_thread(Plugin, FAULTY, None, Limits())
        for what, interface in (
            ("tell time and chance", "wasi:clocks/"),
            ("tell of the machine", "wasi:cli/environment"),
        ):
            with self.assertRaises(CallError) as raised:
                plugin.call(print, "memory-summarizer", "render-prompt", [CONTEXT, "channel", "short-term", what])
            self.assertIn(interface, raised.exception.text)

    async def test_a_component_that_asks_for_another_place_is_ended(self) -> None:
        def ask(name: str, *_: Any) -> Any:
            self.fail(f"{name} reached the store")

        place = Place(ask, "C1", only_looks=True, can_search=True)
        for trespass in (
            lambda: place.list_due(DueQuery("1.0", "1.0", "1.0", 1, False)),
            lambda: place.get_backlog("C2", None, "1.0"),
            lambda: place.list_deferrals("workspace", "default"),
            lambda: place.list_deferrals("thread", "C2:1.0"),
            # A call that only looks saves nothing in its own place either.
            lambda: place.defer("channel", "C1", None),
        ):
            with self.assertRaises(CallError) as raised:
                trespass()
            self.assertEqual(raised.exception.code, "out-of-place")


STORE = (
    *("list_channels", "list_messages", "list_marked", "list_memories", "read_spans", "list_due", "get_backlog"),
    *("save_memory", "list_deferrals", "defer", "channels_of", "find_candidates"),
)

if __name__ == "__main__":
    unittest.main()
