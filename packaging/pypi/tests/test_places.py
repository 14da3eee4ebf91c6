"""A component that does not keep to its place gets nothing of another: tests/trespassing-component/ of the project."""

import asyncio
import os
import unittest
from pathlib import Path
from typing import Any

from myao import CallError, Limits, MemoryFailure, MemoryStore, Target
from myao import _given as given
from myao._engine import Plugin
from myao._host import Given, Host, write_log
from myao._place import SCHEDULE, WORKSPACE
from myao.storage import Given as GivenToCall
from tests.stores import short_term

FAULTY = Path(os.environ["MYAO_FAULTY"])
SECRET = "swordfish"
TS = "5.000001"


class Places(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.plugin = Plugin(FAULTY.with_name("trespassing.wasm"), None, Limits())
        self.store = MemoryStore()
        for id, is_private in (("C1", False), ("C2", False), ("P1", True)):
            self.store.add_channel(id, "hidden" if is_private else f"room-{id}", is_private=is_private)
            self.store.say(id, "Aki", f"@myao remember: {SECRET if is_private else 'lunch'} in {id}", 5)
            content = SECRET if is_private else "lunch"
            self.store.save_memory(short_term(id, TS, content=content), GivenToCall([id], {}, {}))
        self.reached = list[str]()

    async def told(self, place: str, command: str, *, only_looks: bool = False) -> str:
        """What a call for a place gets."""

        def reach(name: str) -> Any:
            return lambda *arguments: self.reached.append(name) or []

        functions = Given(
            given.functions("storage", self.store, given.STORAGE, given.RECALL),
            {"complete": reach("complete")},
            {name: reach(name) for name in given.CHAT},
            [("persona.system_prompt", command)],
            write_log,
            Limits(),
        )
        host = Host(functions, asyncio.get_running_loop(), place, only_looks=only_looks)
        arguments = [Target("C1", None, TS), given.time(1000)]
        with self.assertRaises(MemoryFailure) as raised:
            await asyncio.to_thread(self.plugin.call, host.answer, "responder", "judge", arguments)
        return raised.exception.text

    async def refused(self, place: str, command: str, **more: Any) -> None:
        with self.subTest(place=place, command=command):
            with self.assertRaises(CallError) as raised:
                await self.told(place, command, **more)
            self.assertEqual((raised.exception.code, self.reached), ("out-of-place", []))

    async def test_what_is_for_another_place_ends_the_call(self) -> None:
        commands = [
            "messages P1 -",
            "messages C2 -",
            "marked P1",
            "backlog P1 -",
            "deferrals channel P1",
            "defer channel C2",
        ]
        commands += [
            "deferrals workspace default",
            f"memories - P1:{TS}",
            f"post P1 - {TS}",
            f"thread P1 {TS}",
            "history C2",
        ]
        commands += [
            "ask channel P1",
            "ask workspace default",
            "ask-both channel C1 channel P1",
            "due",
            f"save channel P1 {TS}",
        ]
        for command in commands:
            await self.refused("C1", command)
        for command in ("messages C1 -", "due", "deferrals channel C1", "ask channel C1"):
            await self.refused(WORKSPACE, command)
        for command in ("messages C1 -", "deferrals workspace default", "defer channel C1", "ask channel C1"):
            await self.refused(SCHEDULE, command)

    async def test_a_call_that_only_looks_writes_nothing(self) -> None:
        for command in ("defer channel C1", f"post C1 - {TS}", f"save channel C1 {TS}"):
            await self.refused("C1", command, only_looks=True)

    async def test_what_is_private_is_in_no_answer_elsewhere(self) -> None:
        everything = f"channels\nmemories all\nfind {SECRET}\nfind remember\nwords P1 {TS}"
        self.assertIn(SECRET, await self.told("P1", everything))
        for place in ("C1", "C2", WORKSPACE):
            told = await self.told(place, everything)
            self.assertIn("lunch", told)
            # What is looked for is counted, and nothing has it.
            self.assertNotIn(SECRET, told.replace(f'term: "{SECRET}", messages: 0', ""))
            self.assertNotIn("hidden", told)
            self.assertIn("message-count: 2", told)
        told = await self.told(SCHEDULE, f"channels\nmemories all\nfind {SECRET}\ndue")
        self.assertNotIn("lunch", told)
        for name in (SECRET, "hidden", "room"):
            self.assertNotIn(name, told.replace(f'term: "{SECRET}", messages: 0', ""))
