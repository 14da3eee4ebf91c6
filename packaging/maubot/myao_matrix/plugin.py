"""The plugin: puts the parts together, and runs them while the instance runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import Any

from maubot.plugin_base import Plugin
from mautrix.client import InternalEventType
from mautrix.util.config import BaseProxyConfig
from myao import ConfigurationError, Failed, Memory, SqliteStore

from .answers import Answering, Room
from .events import local_part
from .inbox import Inbox
from .ledger import Ledger
from .matrix import Matrix
from .model import Model
from .options import Config, Options, read

_LOOK_SECONDS = 5
"""How often to look for answers that are due again, and what was missed."""


class MyaoBot(Plugin):
    """Remembers the rooms of its account, and answers there."""

    clock: Callable[[], float] = staticmethod(time.time)
    """Seconds since 1970."""

    @classmethod
    def get_config_class(cls) -> type[BaseProxyConfig]:
        """See maubot."""
        return Config

    async def start(self) -> None:
        """Begins to work. Raises `ConfigurationError` if the configuration cannot work."""
        self._tasks = list[asyncio.Task[None]]()
        matrix = Matrix(self.client)
        assert self.config is not None
        options = read(self.config, await self._display_name(matrix))
        self._ledger, self._store = _open(options, self.id)
        inbox = Inbox(
            matrix,
            self._ledger,
            self._store,
            name=options.name,
            rooms=options.rooms,
            history_events=options.history_events,
            clock=self.clock,
            log=self.log,
            on_stored=lambda: answering.wake(),
        )
        room = Room(matrix, self._ledger, inbox, self.clock)
        model = Model(self.http, options.server) if options.server else None
        self._memory = await Memory.load(storage=self._store, llm=model, chat=room, settings=options.settings)

        def now() -> datetime:
            return datetime.fromtimestamp(self.clock(), options.timezone)

        answering = Answering(room, self._memory, matrix, self._ledger, inbox, now=now, log=self.log)
        self._inbox = inbox
        # Before anything is read: what happens from here on is not missed.
        self.client.add_event_handler(InternalEventType.SYNC_SUCCESSFUL, inbox.take, wait_sync=True)
        self._begin(inbox.run(_LOOK_SECONDS))
        self._begin(answering.run(_LOOK_SECONDS))
        self._begin(self._make_memories(options.tick_seconds, now))

    async def stop(self) -> None:
        """Ends everything. What is under way is begun anew at the next start."""
        if hasattr(self, "_inbox"):
            self.client.remove_event_handler(InternalEventType.SYNC_SUCCESSFUL, self._inbox.take)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if hasattr(self, "_memory"):
            self._memory.close()
        if hasattr(self, "_ledger"):
            self._ledger.close()
            self._store.close()

    async def _display_name(self, matrix: Matrix) -> str:
        try:
            return await matrix.display_name() or local_part(matrix.user_id)
        except Exception as error:
            self.log.warning(f"The bot is called as in its id, because its name cannot be read: {error}")
            return local_part(matrix.user_id)

    async def _make_memories(self, tick_seconds: float, now: Callable[[], datetime]) -> None:
        """Makes the memories that are due, at every tick."""
        while True:
            try:
                for entry in await self._memory.generate(now()):
                    if isinstance(entry.outcome, Failed):
                        self.log.warning(f"The memory of {entry.scope_id} is not made: {entry.outcome.error.text}")
            except Exception:
                self.log.exception("Memories are not made: it is tried again")
            await asyncio.sleep(tick_seconds)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work))


def _open(options: Options, instance: str) -> tuple[Ledger, SqliteStore]:
    folder = Path(options.data_folder).absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError("no-database", f"data_folder {folder} cannot be made: {error.strerror}") from error
    ledger = Ledger(folder / f"{instance}-matrix.db")
    return ledger, SqliteStore(folder / f"{instance}.db", timezone=options.timezone)
