"""The bot stops when it is told to, whatever comes at that moment."""

import asyncio
import unittest
import unittest.mock
from collections.abc import Callable, Coroutine
from typing import Any

from myao_matrix.answers import Answering
from myao_matrix.inbox import Inbox

Work = Coroutine[Any, Any, None]


class Stopping(unittest.IsolatedAsyncioTestCase):
    async def ends(self, run: Callable[[float], Work], come: Work) -> None:
        """Fails if the work goes on after something came and it was cancelled, both at once."""
        work = asyncio.create_task(run(60))
        # Until it waits.
        for _ in range(10):
            await asyncio.sleep(0)
        await come
        work.cancel()
        done, _ = await asyncio.wait([work], timeout=5)
        self.assertTrue(done and work.cancelled())

    async def test_the_inbox_ends_while_an_event_comes(self) -> None:
        server: Any = unittest.mock.AsyncMock()
        server.joined_rooms.return_value = []
        anything: Any = unittest.mock.MagicMock()
        inbox = Inbox(
            server, anything, anything, name="Myao", rooms=[], history_events=1, clock=anything, log=anything,
            on_stored=anything,
        )  # fmt: skip
        await self.ends(inbox.run, inbox.take({"data": {"next_batch": "1"}}))

    async def test_answering_ends_while_it_is_woken(self) -> None:
        anything: Any = unittest.mock.Mock()
        answering = Answering(anything, anything, anything, anything, anything, now=anything, log=anything)

        async def wake() -> None:
            answering.wake()

        await self.ends(answering.run, wake())


if __name__ == "__main__":
    unittest.main()
