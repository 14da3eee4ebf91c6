"""What the homeserver tells becomes messages of the memory: nothing is lost, and nothing comes twice.

The client of maubot saves its sync token before it hands the events on, so the bot keeps a token of its own, and saves it
when everything before it is stored. At each start, and after each error, it reads what it has missed since then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from logging import Logger
from typing import Any

from myao import SqliteStore

from .database import Change
from .events import (
    STATE,
    Edited,
    Happened,
    Raw,
    Redacted,
    Said,
    as_read,
    called,
    dicts,
    local_part,
    member_of,
    mentions,
    newest_edit,
    read,
    whole,
)
from .ledger import Ledger
from .matrix import Matrix

_MOST_WAITING = 100
"""How many answers of the homeserver wait in memory. What is beyond them is read again later."""


class Inbox:
    """Stores what happens in the rooms."""

    def __init__(
        self, matrix: Matrix, ledger: Ledger, store: SqliteStore, *, name: str, rooms: list[str], history_events: int,
        clock: Callable[[], float], log: Logger, on_stored: Callable[[], None],
    ):  # fmt: skip
        self._matrix, self._ledger, self._store = matrix, ledger, store
        self._name, self._wanted, self._history_events = name, rooms, history_events
        self._clock, self._log, self._on_stored = clock, log, on_stored
        self._synced = asyncio.Queue[Raw | None]()
        self._is_behind = True
        self._is_catching_up = False
        self._allowed: set[str] | None = None

    @property
    def is_behind(self) -> bool:
        """Whether something may have happened that is not stored."""
        return self._is_behind or self._is_catching_up

    def fall_behind(self) -> None:
        """Lets the bot look at what happened: whether a message that it sent has arrived."""
        self._is_behind = True

    async def take(self, event: dict[str, Any]) -> None:
        """Takes one answer of the homeserver to `/sync`."""
        if self._synced.qsize() < _MOST_WAITING:
            self._synced.put_nowait(event["data"])
        else:
            self._is_behind = True

    async def run(self, retry_seconds: float) -> None:
        """Stores what comes, in order, until it is cancelled."""
        while True:
            try:
                if self._is_behind:
                    await self._catch_up()
            except Exception:
                self._log.exception("Cannot read what was said while the bot was away: it is tried again")
                await asyncio.sleep(retry_seconds)
                continue
            data = await self._next(retry_seconds)
            if data is None:
                continue
            try:
                await self._store_all(data)
            except Exception:
                self._log.exception("Cannot store what was said: it is read again")
                self._is_behind = True

    async def _next(self, longest_seconds: float) -> Raw | None:
        """The next answer of the homeserver, or `None` after that time."""
        # `asyncio.wait_for` of Python 3.10 and 3.11 goes on if it is cancelled while something comes.
        timer = asyncio.get_running_loop().call_later(longest_seconds, self._synced.put_nowait, None)
        try:
            return await self._synced.get()
        finally:
            timer.cancel()

    async def _catch_up(self) -> None:
        """Reads what happened in every room since the position."""
        # What falls behind from now on is not read by this.
        self._is_behind, self._is_catching_up = False, True
        try:
            position = self._ledger.position()
            if self._allowed is None and self._wanted:
                self._allowed = {await self._matrix.resolve(room) for room in self._wanted}
            joined = list(filter(self._is_remembered, await self._matrix.joined_rooms()))
            for room_id in set(self._ledger.rooms()).difference(joined):
                self._leave(room_id)
            for room_id in joined:
                if self._ledger.is_read(room_id) and position is not None:
                    await self._look_at(room_id)
                    missed = await self._matrix.messages(room_id, before=None, after=position, limit=None)
                    self._keep_names(room_id, missed)
                    await self._keep(room_id, missed)
                else:
                    await self._read_history(room_id, answers=position is not None)
        except BaseException:
            self._is_behind = True
            raise
        finally:
            self._is_catching_up = False
        self._log.info(f"Ready: {len(joined)} rooms are remembered")
        self._on_stored()

    async def _store_all(self, data: Raw) -> None:
        rooms = data.get("rooms", {})
        for room_id, joined in rooms.get("join", {}).items():
            if self._is_remembered(room_id):
                await self._store_room(room_id, joined)
        for room_id in rooms.get("leave", {}):
            if room_id in self._ledger.rooms():
                self._leave(room_id)
        # Without this, what is missed before an error would be passed over.
        if not self._is_behind:
            self._ledger.save_position(data["next_batch"])
        self._on_stored()

    async def _store_room(self, room_id: str, joined: Raw) -> None:
        timeline = joined.get("timeline", {})
        events = dicts(timeline.get("events", []))
        if not self._ledger.is_read(room_id):
            return await self._read_history(room_id, answers=True, newest=events)
        states = [*dicts(joined.get("state", {}).get("events", [])), *events]
        if any(event.get("type") in STATE for event in states):
            await self._look_at(room_id)
        self._keep_names(room_id, states)
        # Without a position, this is the first time: what was asked before is not answered.
        before, after = timeline.get("prev_batch"), self._ledger.position()
        if timeline.get("limited"):
            limit = self._history_events if after is None else None
            events = [*await self._matrix.messages(room_id, before=before, after=after, limit=limit), *events]
        await self._keep(room_id, events, answers=after is not None)

    async def _read_history(self, room_id: str, *, answers: bool, newest: Sequence[Raw] = ()) -> None:
        """Reads what was said in a room before the bot came, and since. Only what was asked since then is answered."""
        await self._look_at(room_id)
        names = await self._matrix.names(room_id)
        self._ledger.set_names(room_id, [(user_id, whole(str(name or local_part(user_id)))) for user_id, name in names.items()])
        limit = self._history_events
        events = dicts(await self._matrix.messages(room_id, before=None, after=None, limit=limit)) if limit else list[Raw]()
        read_already = {str(event.get("event_id")) for event in events}
        events += [event for event in newest if str(event.get("event_id")) not in read_already]
        came = [number for number, event in enumerate(events) if self._is_own_join(event)]
        since = came[-1] if came and answers else len(events)
        await self._keep(room_id, events[max(0, since - limit) : since], answers=False)
        await self._keep(room_id, events[since:])
        self._ledger.set_read(room_id, True)

    async def _look_at(self, room_id: str) -> None:
        """Reads what a room is called, and who may see it: everybody if anybody may join, and it is not encrypted."""
        name, alias, rules, encryption = [await self._matrix.state(room_id, of) for of in STATE]
        is_encrypted = bool(encryption.get("algorithm"))
        is_private = rules.get("join_rule") != "public" or is_encrypted
        title = name.get("name") or str(alias.get("alias") or "").removeprefix("#").partition(":")[0] or "unnamed room"
        if is_encrypted and not self._ledger.is_encrypted(room_id):
            self._log.warning(f"{room_id} is encrypted: what is said there is not remembered, and mentions are not answered")
        # First the ledger: it keeps answers from being sent that the room must not see any more.
        change = self._ledger.set_room(room_id, is_private=is_private, is_encrypted=is_encrypted)
        self._store.add_channel(room_id, whole(str(title)), is_private=is_private)
        self._delete(change)

    def _leave(self, room_id: str) -> None:
        """The bot hears no more of a room: it is shown nowhere else, and read again if the bot comes back."""
        change = self._ledger.set_room(room_id, is_private=True, is_encrypted=self._ledger.is_encrypted(room_id))
        self._ledger.set_read(room_id, False)
        self._store.add_channel(room_id, "", is_private=True)
        self._delete(change)

    async def _keep(self, room_id: str, raws: Iterable[Raw], *, answers: bool = True) -> None:
        """Stores events, oldest first."""
        happened = [event for event in map(read, raws) if event]
        if self._ledger.is_encrypted(room_id):
            happened = [event for event in happened if isinstance(event, Redacted)]
        older = [event for id in self._missing(happened) for event in await self._fetch(room_id, id)]
        await self._find_names(room_id, [*older, *happened])
        # Each event is a transaction or two, which must not keep the event loop waiting.
        lost_edits = await asyncio.to_thread(self._write, room_id, older, False)
        lost_edits += await asyncio.to_thread(self._write, room_id, happened, answers)
        for id, lost_edit in lost_edits:
            await self._read_again(room_id, id, lost_edit)

    def _missing(self, happened: Sequence[Happened]) -> list[str]:
        """Messages that others belong to, and that are not stored: first messages of threads, and what was edited."""
        coming = {event.event_id for event in happened if isinstance(event, Said)}
        named = dict.fromkeys(
            event.thread if isinstance(event, Said) else event.of
            for event in happened
            if isinstance(event, (Said, Edited))
        )
        return [id for id in named if id and id not in coming and not self._ledger.knows(id)]

    async def _fetch(self, room_id: str, event_id: str) -> list[Happened]:
        raw = await self._matrix.event(room_id, event_id)
        if raw is None:
            return []
        return [event for event in (read(raw), newest_edit(raw)) if event]

    async def _read_again(self, room_id: str, event_id: str, lost_edit: str) -> None:
        """Gives a message the text that it has without the edit that was taken back."""
        raw = await self._matrix.event(room_id, event_id)
        said = raw and read(raw)
        change = self._ledger.reset(event_id, lost_edit, self._clock())
        self._delete(change)
        kept = change.edited
        if kept is None:
            return
        if raw is None or not isinstance(said, Said):
            self._delete(self._ledger.redact(room_id, event_id))
            return
        self._say(room_id, kept.ts, kept.thread, said, kept.edited_at)
        if edit := newest_edit(raw):
            await asyncio.to_thread(self._write, room_id, [edit], False)

    async def _find_names(self, room_id: str, happened: Sequence[Happened]) -> None:
        for user_id in {event.sender for event in happened if not isinstance(event, Redacted)}:
            if self._ledger.name(room_id, user_id) is None:
                member = await self._matrix.state(room_id, "m.room.member", user_id)
                self._ledger.set_names(room_id, [(user_id, called(member, user_id))])

    def _keep_names(self, room_id: str, events: list[Raw]) -> None:
        self._ledger.set_names(room_id, [member for member in map(member_of, events) if member])

    def _write(self, room_id: str, happened: Sequence[Happened], answers: bool) -> list[tuple[str, str]]:
        """Stores events. Returns messages that lost an edit, with the edit: the homeserver must be asked for them.

        What can never be stored is logged and passed over: else the room would wait for it for ever."""
        lost_edits = list[tuple[str, str]]()
        for event in happened:
            try:
                # An answer begun when a change is noted but not yet stored would tell the old text as if it were new.
                with self._ledger.alone():
                    lost_edits += self._write_one(room_id, event, answers)
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                which = event.of if isinstance(event, Redacted) else event.event_id
                self._log.error(f"{which} of {room_id} cannot be stored, and is left out: {error!r}")
        return lost_edits

    def _write_one(self, room_id: str, event: Happened, answers: bool) -> list[tuple[str, str]]:
        match event:
            case Said():
                kept = self._ledger.keep(room_id, event, self._clock(), asks=answers and self._is_asked(event))
                if event.answers and event.sender == self._matrix.user_id:
                    self._ledger.sent(event.answers, room_id, event.event_id, event.round)
                    kept = kept and self._ledger.kept(event.event_id)
                if kept:
                    self._say(room_id, kept.ts, kept.thread, event, None)
            case Edited():
                change = self._ledger.edit(room_id, event, self._clock(), asks=answers and self._is_asked(event))
                self._delete(change)
                if change.edited:
                    self._say(room_id, change.edited.ts, change.edited.thread, event, change.edited.edited_at)
            case Redacted():
                change = self._ledger.redact(room_id, event.of)
                self._delete(change)
                if change.reread:
                    return [(change.reread, event.of)]
        return []

    def _say(self, room_id: str, ts: str, thread: str | None, event: Said | Edited, edited_at: int | None) -> None:
        is_own = event.sender == self._matrix.user_id
        self._store.add_message(
            room_id,
            ts,
            event.sender,
            as_read(event.text, self._matrix.user_id, self._name),
            thread_ts=thread,
            edited_at=edited_at,
            # The memory knows its own answers by the name.
            author_name=self._name if is_own else self._ledger.name(room_id, event.sender) or local_part(event.sender),
            is_bot=is_own or (isinstance(event, Said) and event.is_notice),
        )

    def _delete(self, change: Change) -> None:
        for room_id, ts in change.deleted:
            self._store.delete_message(room_id, ts)

    def _is_remembered(self, room_id: str) -> bool:
        return not self._wanted or (self._allowed is not None and room_id in self._allowed)

    def _is_asked(self, event: Said | Edited) -> bool:
        if event.sender == self._matrix.user_id or (isinstance(event, Said) and event.is_notice):
            return False
        return mentions(event, self._matrix.user_id, self._name)

    def _is_own_join(self, event: Raw) -> bool:
        if event.get("state_key") != self._matrix.user_id:
            return False
        unsigned = event.get("unsigned")
        before = unsigned.get("prev_content") if isinstance(unsigned, dict) else None
        return member_of(event) is not None and (not isinstance(before, dict) or before.get("membership") != "join")
