"""What is wrong is told before anything runs, with the remedy."""

import pickle
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from myao import (
    BadAnswer,
    ChatError,
    Completion,
    ConfigurationError,
    InvalidArgument,
    Limits,
    LlmError,
    Memory,
    MemoryFailure,
    MemoryStore,
    MyaoError,
    OtherReason,
    Question,
    Request,
    StorageError,
    Timestamp,
)
from myao._given import time


class Model:
    async def complete(self, request: Request) -> Completion:
        return Completion("an answer")


class Errors(unittest.IsolatedAsyncioTestCase):
    async def refused(self, code: str, *told: str, **given: Any) -> None:
        with self.assertRaises(ConfigurationError) as raised:
            await Memory.load(**given)
        self.assertEqual((raised.exception.code, raised.exception.retry), (code, "after-repair"))
        for words in told:
            self.assertIn(words, raised.exception.text)

    async def test_missing_functions_are_named_with_those_that_look_like_them(self) -> None:
        class Store:
            def listChannels(self) -> list[Any]:
                return []

        missing = (
            "storage has no list_channels, list_messages",
            "channels_of",
            "is listChannels meant to be list_channels?",
        )
        await self.refused("missing-function", *missing, storage=Store())
        await self.refused("missing-function", "llm has no complete", llm={})
        await self.refused("missing-function", "chat has no post", storage=MemoryStore(), chat=Model())

    async def test_unknown_functions_are_named(self) -> None:
        functions = {"complete": Model().complete}
        await self.refused("unknown-function", "llm has complete_every", llm=functions | {"complete_every": print})

        class Counting(Model):
            def count_token(self, agent: str, texts: list[str]) -> list[int]:
                return []

        await self.refused("unknown-function", "llm has count_token, which is none of", "count_tokens", llm=Counting())

    async def test_functions_have_to_take_what_they_are_given(self) -> None:
        # `self` is lost: the function is that of the class.
        await self.refused("wrong-arguments", "llm.complete(self, request", llm={"complete": Model.complete})
        await self.refused("wrong-type", "llm.complete is no function, but a str", llm={"complete": "an answer"})
        await self.refused("wrong-type", "make one of it with Model()", llm=Model)

    async def test_what_nobody_awaited_is_told(self) -> None:
        async def later() -> Any:
            return None

        await self.refused("awaitable", "storage is a coroutine that nobody awaited", storage=later())
        await self.refused("awaitable", "settings", settings=later())

        class Later:
            def __await__(self) -> Any:
                return iter(())

        class Late(Model):
            def count_tokens(self, agent: str, texts: list[str]) -> Any:
                return [Later() for _ in texts]

        store = MemoryStore()
        store.add_channel("C1", "general", is_private=False)
        store.say("C1", "Aki", "The crane comes on 3 March.", 1000)
        memory = await Memory.load(storage=store, llm=Late(), settings={"engines.memory": "llm"})
        self.addCleanup(memory.close)
        with self.assertRaises(ConfigurationError) as raised:
            await memory.generate_channel("C1", 2000)
        told = "llm.count_tokens returned a wrong value: [0]: expected int, got a Later that nobody awaited"
        self.assertIn(told, raised.exception.text)

    async def test_settings_are_checked(self) -> None:
        await self.refused("invalid-settings", "memory.langauge", settings={"memory.langauge": "ja"})
        await self.refused("invalid-settings", "memory.language", "ja", settings={"memory.language": "xx"})
        wrong = {"memory.short_term_window_hours": 0, "persona.nam": "Mia"}
        await self.refused(
            "invalid-settings", "memory.short_term_window_hours", "1 to 87600", "persona.nam", settings=wrong
        )
        await self.refused("invalid-settings", "persona.name has no value", settings={"persona.name": None})
        await self.refused("invalid-settings", "persona.name is a list", settings={"persona.name": ["Mia"]})
        await self.refused("invalid-settings", "expected a dict", settings="persona.name=Mia")
        await self.refused(
            "missing-llm", "engines.memory is llm, but no llm was given", settings={"engines.memory": "llm"}
        )

    async def test_a_component_of_another_contract_is_refused_with_both_named(self) -> None:
        wasm = Path(__file__).parent / "other-contract.wat"
        await self.refused("incompatible-version", "other-contract.wat", "0.3.0", "0.2.0", component=wasm)
        await self.refused("no-component", "nowhere.wasm", component="nowhere.wasm")

    async def test_calls_that_lack_something_are_told(self) -> None:
        async with await Memory.load() as small, await Memory.load(storage=MemoryStore()) as memory:
            for call in (small.generate(0), memory.reply_to_mention(None, 0), memory.ask(7, 0)):  # type: ignore[arg-type]
                with self.assertRaises(InvalidArgument):
                    await call
            with self.assertRaises(InvalidArgument) as raised:
                await memory.ask(Question("crane", 7), 0)  # type: ignore[arg-type]
            self.assertIn("ask: channel_id: expected str, got a int", str(raised.exception))

    async def test_a_question_that_is_too_long_or_half_a_character_is_refused_by_name(self) -> None:
        async with await Memory.load(storage=MemoryStore()) as memory:
            for text in ("x" * 4001, "いつ？" * 1_500_000):
                for call in (memory.ask(text, 0), memory.search(text, 0)):
                    with self.assertRaises(MemoryFailure) as raised:
                        await call
                    failure = raised.exception
                    self.assertEqual((failure.detail.code, failure.retry), ("question-too-long", "never"))
                    self.assertIn("4000", failure.text)
            self.assertTrue((await memory.ask("x" * 4000, 0)).found_nothing)
            with self.assertRaisesRegex(InvalidArgument, "ask: text: it has a lone surrogate"):
                await memory.ask("a\ud83d", 0)

    async def test_a_closed_memory_and_a_limit_of_nothing_are_told(self) -> None:
        memory = await Memory.load(storage=MemoryStore())
        memory.close()
        with self.assertRaises(InvalidArgument) as raised:
            await memory.generate(1000)
        self.assertEqual(raised.exception.code, "closed")
        with self.assertRaises(InvalidArgument) as raised:
            Limits(concurrent_calls=0)
        self.assertIn("Limits.concurrent_calls is 0", raised.exception.text)

    async def test_an_error_of_a_store_is_raised_and_that_of_a_program_as_it_is(self) -> None:
        class Broken(MemoryStore):
            def list_due(self, query: Any) -> Any:
                raise self.error

            error: Exception = StorageError("unavailable", "the disk is full")

        store = Broken()
        async with await Memory.load(storage=store) as memory:
            with self.assertRaises(MemoryFailure) as raised:
                await memory.generate(1000)
            failure = raised.exception
            self.assertEqual((failure.code, failure.detail, failure.retry), ("storage", Broken.error, "later"))
            self.assertEqual(failure.text, "storage: the disk is full")
            store.error = ZeroDivisionError("a mistake")
            with self.assertRaises(ZeroDivisionError):
                await memory.generate(1000)


class Times(unittest.TestCase):
    def test_times_are_seconds_datetimes_or_timestamps(self) -> None:
        tokyo = timezone(timedelta(hours=9))
        for given, expected in {
            1772420400: Timestamp(1772420400),
            1772420400.7: Timestamp(1772420400),
            Timestamp(5, 32400): Timestamp(5, 32400),
            datetime(2026, 3, 2, 12, tzinfo=tokyo): Timestamp(1772420400, 32400),
        }.items():
            self.assertEqual(time(given), expected)

    def test_other_times_are_refused_with_the_remedy(self) -> None:
        for given, told in [
            (1772420400000, "not in milliseconds"),
            (Timestamp(1772420400000), "not in milliseconds"),
            (-1, "before 1970"),
            (datetime(2026, 3, 2), "without a time zone: take datetime.now(timezone.utc)"),
            ("2026-03-02", "now is a str"),
            (True, "a truth value"),
            (None, "NoneType"),
        ]:
            with self.assertRaises(InvalidArgument) as raised:
                time(given)
            self.assertEqual((raised.exception.code, raised.exception.retry), ("invalid-time", "never"))
            self.assertIn(told, raised.exception.text)


class Contract(unittest.TestCase):
    def test_errors_say_what_happened_and_whether_a_retry_may_help(self) -> None:
        for error, text, retry in [
            (LlmError("rate-limited", 30), "too many calls: wait 30 s", "later"),
            (LlmError("timed-out"), "timed out", "later"),
            (ChatError("other", OtherReason("odd", "it is odd")), "it is odd", "after-repair"),
            (MemoryFailure("llm", LlmError("refused", "no")), "llm: no", "never"),
            (MemoryFailure("bad-answer", BadAnswer("empty")), "bad answer: empty", "later"),
        ]:
            self.assertEqual((error.text, error.retry), (text, retry))
            self.assertIsInstance(error, MyaoError)
            self.assertEqual(pickle.loads(pickle.dumps(error)), error)

    def test_an_error_has_a_case_of_the_contract(self) -> None:
        with self.assertRaises(InvalidArgument) as raised:
            StorageError("gone", "it is gone")
        self.assertIn("expected one of not-found, conflict", str(raised.exception))
