"""What the bot asks of the homeserver, in the homeserver's own words."""

from __future__ import annotations

import hashlib
from typing import Any

from maubot.matrix import MaubotMatrixClient
from mautrix.api import Method, Path
from mautrix.errors import MForbidden, MNotFound
from mautrix.types import RoomAlias

from .events import Raw

_PAGE = 100


class Matrix:
    """The homeserver, as the bot's account sees it."""

    def __init__(self, client: MaubotMatrixClient):
        self._client = client
        self.user_id = str(client.mxid)

    @property
    def server(self) -> str:
        """The name of the bot's homeserver."""
        return self.user_id.partition(":")[2]

    async def joined_rooms(self) -> list[str]:
        """The rooms that the bot is in."""
        return list(map(str, await self._client.get_joined_rooms()))

    async def display_name(self) -> str | None:
        """The bot's name."""
        try:
            return await self._client.get_displayname(self._client.mxid)
        except MNotFound:
            return None

    async def resolve(self, room: str) -> str:
        """The id of a room that is given by its id or an alias."""
        if room.startswith("!"):
            return room
        return str((await self._client.resolve_room_alias(RoomAlias(room))).room_id)

    async def state(self, room_id: str, event_type: str, key: str = "") -> Raw:
        """The content of a state event; empty if there is none."""
        try:
            return await self._get(Path.v3.rooms[room_id].state[event_type][key])
        except MNotFound:
            return {}

    async def names(self, room_id: str) -> dict[str, str | None]:
        """Who is in a room, with their names there."""
        joined = (await self._get(Path.v3.rooms[room_id].joined_members))["joined"]
        return {user_id: member.get("display_name") for user_id, member in joined.items()}

    async def event(self, room_id: str, event_id: str) -> Raw | None:
        """An event; `None` if there is none that the bot may see."""
        try:
            return await self._get(Path.v3.rooms[room_id].event[event_id])
        except (MForbidden, MNotFound):
            return None

    async def messages(self, room_id: str, *, before: str | None, after: str | None, limit: int | None) -> list[Raw]:
        """Events of a room, oldest first: those between two sync tokens, at most so many of the newest. `None`: no bound."""
        found = list[Raw]()
        while limit is None or len(found) < limit:
            count = _PAGE if limit is None else min(_PAGE, limit - len(found))
            page = await self._get(
                Path.v3.rooms[room_id].messages, {"dir": "b", "from": before, "to": after, "limit": str(count)}
            )
            found += page.get("chunk", [])
            before = page.get("end")
            if not before or not page.get("chunk"):
                break
        return found[::-1]

    async def send(self, room_id: str, content: Raw, transaction: str) -> str:
        """Sends a message. The same transaction is one message, however often it is sent."""
        path = Path.v3.rooms[room_id].send["m.room.message"][_token(transaction)]
        return (await self._client.api.request(Method.PUT, path, content, sensitive=True))["event_id"]

    async def redact(self, room_id: str, event_id: str, reason: str) -> None:
        """Takes an own message back."""
        path = Path.v3.rooms[room_id].redact[event_id][_token(f"redact {event_id}")]
        await self._client.api.request(Method.PUT, path, {"reason": reason})

    async def _get(self, path: Any, query: dict[str, str | None] | None = None) -> Any:
        given = {key: value for key, value in (query or {}).items() if value is not None}
        return await self._client.api.request(Method.GET, path, query_params=given)


def _token(transaction: str) -> str:
    return f"myao-{hashlib.sha256(transaction.encode()).hexdigest()[:32]}"
