"""Answers mentions: the chat of the memory, and the work that begins answers, sends them and takes them back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from logging import Logger

from maubot.matrix import parse_formatted
from mautrix.errors import MForbidden, MLimitExceeded, MNotFound
from mautrix.types import EventID, MatrixURI, RoomID
from myao import Already, ChatError, Memory, Message, MyaoError, Posted, PostOutcome, PostRequest, Target, User

from .events import ANSWERS, ROUND, Raw, local_part
from .inbox import Inbox
from .ledger import Ledger
from .ledger_answers import Answer
from .matrix import Matrix

# In both languages: a room of Matrix has none.
TAKEN_BACK = (
    "A message that this answer was made from was edited, deleted, or is no longer visible here. "
    "この答えのもとになった発言が編集・削除されたか、ここでは見られなくなりました。"
)
_FIRST_WAIT_SECONDS = 5
_LONGEST_WAIT_SECONDS = 900
_SIDE_BY_SIDE = 4
# A message of Matrix has at most 65,536 bytes; the text is in it twice, and a letter may have four.
_MOST_CHARS = 6000


class Room:
    """The chat of the memory. An answer is kept before it is sent, and sent as one transaction: once."""

    def __init__(self, matrix: Matrix, ledger: Ledger, inbox: Inbox, clock: Callable[[], float]):
        self._matrix, self._ledger, self._inbox, self._clock = matrix, ledger, inbox, clock
        self._begun = dict[str, int]()

    def begin(self, mention: str) -> None:
        """Notes what the answer that is begun now may have read: nothing that changes later."""
        self._begun[mention] = self._ledger.changes()

    def end(self, mention: str) -> None:
        """Notes that the answer has ended, whether or not it was posted."""
        self._begun.pop(mention, None)

    async def post(self, request: PostRequest) -> PostOutcome:
        """See `myao.Chat`."""
        found = self._ledger.event_of(request.channel_id, request.answers)
        answer = found and self._ledger.answer(found[0])
        if found is None or answer is None:
            raise ChatError("not-found", "the message that is answered is gone")
        if answer.event_id is not None:
            return Already([self._id_of(answer.event_id)])
        if answer.state == "waiting":
            sources = [(message.channel_id, message.ts) for line in request.citations for message in line.messages]
            notifies = " ".join(user.id for user in request.may_notify if f"@{user.name}" in request.text)
            since = self._begun.get(answer.mention, 0)
            if not self._ledger.write(answer.mention, _cut(request.text), notifies, sources, since):
                raise ChatError("unavailable", "a message changed while the answer was made from it")
        return Posted([await self.send(answer.mention)])

    async def send(self, mention: str) -> str:
        """Sends an answer that was kept, and returns its id."""
        answer = self._ledger.answer(mention)
        if answer is None or answer.state != "written" or answer.text is None:
            raise ChatError("unavailable", "the answer was taken back before it was sent")
        content = await self._content(answer)
        try:
            event_id = await self._matrix.send(answer.room_id, content, f"{mention} {answer.round}")
        except (MForbidden, MNotFound) as error:
            raise ChatError("not-allowed", str(error)) from error
        except MLimitExceeded as error:
            raise ChatError("rate-limited", None) from error
        except Exception as error:
            # Whether it has arrived, the room will tell.
            self._inbox.fall_behind()
            raise ChatError("unavailable", str(error) or type(error).__name__) from error
        self._ledger.sent(mention, answer.room_id, event_id, answer.round)
        return self._id_of(event_id)

    async def _content(self, answer: Answer) -> Raw:
        body, html = await parse_formatted(answer.text or "")
        thread = self._ledger.thread_of(answer.mention)
        relates: Raw = {"m.in_reply_to": {"event_id": answer.mention}}
        if thread is not None:
            relates |= {"rel_type": "m.thread", "event_id": thread, "is_falling_back": False}
        return {
            "msgtype": "m.notice",
            "body": body,
            "format": "org.matrix.custom.html",
            "formatted_body": html,
            "m.mentions": {"user_ids": (answer.notifies or "").split()},
            "m.relates_to": relates,
            ANSWERS: answer.mention,
            ROUND: answer.round,
        }

    def _id_of(self, event_id: str) -> str:
        # The event comes with the next sync; until then its time is now.
        return self._ledger.ts_of(event_id) or f"{int(self._clock())}.000000"

    def thread(self, channel_id: str, thread_ts: str, limit: int) -> list[Message]:
        """Nothing: what the bot may read is stored, first messages of threads too."""
        return []

    def history(self, channel_id: str, until: str, limit: int) -> list[Message]:
        """Nothing: a room's history is stored when the bot comes."""
        return []

    def permalink(self, channel_id: str, ts: str) -> str:
        """See `myao.Chat`."""
        found = self._ledger.event_of(channel_id, ts)
        if found is None:
            raise ChatError("not-found", f"message {ts} of {channel_id}")
        return MatrixURI.build(RoomID(channel_id), EventID(found[0]), via=[self._matrix.server]).matrix_to_url

    def get_user(self, id: str) -> User:
        """See `myao.Chat`."""
        return User(id, local_part(id))


class Answering:
    """Answers what is asked, and takes back what may not be told any more."""

    def __init__(
        self, room: Room, memory: Memory, matrix: Matrix, ledger: Ledger, inbox: Inbox, *,
        now: Callable[[], datetime], log: Logger,
    ):  # fmt: skip
        self._room, self._memory, self._matrix, self._ledger, self._inbox = room, memory, matrix, ledger, inbox
        self._now, self._log = now, log
        self._woken = asyncio.Event()
        self._under_way = dict[str, asyncio.Task[None]]()
        self._free = asyncio.Semaphore(_SIDE_BY_SIDE)

    def wake(self) -> None:
        """Says that there may be something to do."""
        self._woken.set()

    async def run(self, look_seconds: float) -> None:
        """Works until it is cancelled."""
        try:
            while True:
                # See `Inbox._next`.
                timer = asyncio.get_running_loop().call_later(look_seconds, self.wake)
                try:
                    await self._woken.wait()
                finally:
                    timer.cancel()
                self._woken.clear()
                # What was taken back meanwhile must be known before anything is sent.
                if not self._inbox.is_behind:
                    for answer in self._ledger.open_answers(self._now().timestamp()):
                        self._begin(answer)
        finally:
            for task in self._under_way.values():
                task.cancel()

    def _begin(self, answer: Answer) -> None:
        # Nothing else is done about an answer that is being made or sent.
        if answer.mention in self._under_way:
            return
        task = asyncio.create_task(self._do(answer))
        self._under_way[answer.mention] = task

        def ended(_: object) -> None:
            del self._under_way[answer.mention]
            self.wake()

        task.add_done_callback(ended)

    async def _do(self, answer: Answer) -> None:
        try:
            if answer.state == "taken-back":
                await self._take_back(answer)
            elif answer.state == "written":
                await self._room.send(answer.mention)
            else:
                async with self._free:
                    await self._answer(answer)
        except Exception as error:
            self._failed(answer, error)

    async def _answer(self, answer: Answer) -> None:
        kept = self._ledger.kept(answer.mention)
        if kept is None:
            return self._ledger.give_up(answer.mention)
        self._room.begin(answer.mention)
        try:
            await self._memory.reply_to_mention(Target(answer.room_id, kept.thread, kept.ts), self._now())
        finally:
            self._room.end(answer.mention)
        self._log.info(f"Answered a mention in {answer.room_id}")

    async def _take_back(self, answer: Answer) -> None:
        if answer.event_id is None:
            # Everything is read, and it is not there: it was not sent.
            return self._ledger.ask_again(answer.mention)
        try:
            await self._matrix.redact(answer.room_id, answer.event_id, TAKEN_BACK)
        except MNotFound:
            pass
        self._ledger.redacted(answer.mention)
        self._log.info(f"Took an answer back in {answer.room_id}")

    def _failed(self, answer: Answer, error: Exception) -> None:
        wait = min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2**answer.failures)
        if isinstance(error, MyaoError) and error.retry == "never" and answer.state == "waiting":
            self._log.warning(f"A mention in {answer.room_id} cannot be answered: {error.text}")
            return self._ledger.give_up(answer.mention)
        self._log.warning(f"An answer in {answer.room_id} waits, and is tried again in {wait} s: {error}")
        self._ledger.put_off(answer.mention, self._now().timestamp() + wait)


def _cut(text: str) -> str:
    """A text that fits into a message, cut between lines."""
    return text if len(text) <= _MOST_CHARS else text[:_MOST_CHARS].rpartition("\n")[0] or text[:_MOST_CHARS]
