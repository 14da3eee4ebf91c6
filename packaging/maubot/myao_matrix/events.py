"""Events of Matrix become what happened: somebody said something, changed it, or took it back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Union

Raw = dict[str, Any]
"""An event as the homeserver sends it."""
ANSWERS = "dev.myao.answers"
"""The key in an answer's content with the event id of the mention: by it, the bot knows its answers again."""
ROUND = "dev.myao.round"
"""The key with how often the mention was asked again before this answer."""
STATE = ("m.room.name", "m.room.canonical_alias", "m.room.join_rules", "m.room.encryption")
"""The state that decides what a room is called and who may see what is said there."""
_NOT_SAID = ("m.key.verification.request", "m.bad.encrypted")


@dataclass(frozen=True)
class Said:
    """A message."""

    event_id: str
    sender: str
    ms: int
    """When it was sent, as the sender's homeserver says, in milliseconds."""
    text: str
    thread: str | None
    """The event id of its thread's first message."""
    is_notice: bool
    """Whether a program wrote it."""
    mentions: frozenset[str] | None
    """Whom it mentions; `None` if the sender's program does not say."""
    answers: str | None
    """The mention that it answers, if it claims to be an answer of this bot."""
    round: int = 0
    """How often the mention was asked again before."""


@dataclass(frozen=True)
class Edited:
    """A new text of a message."""

    event_id: str
    of: str
    sender: str
    ms: int
    text: str
    mentions: frozenset[str] | None


@dataclass(frozen=True)
class Redacted:
    """A message, an edit or something else was taken back."""

    of: str


Happened = Union[Said, Edited, Redacted]


def read(raw: Raw) -> Happened | None:
    """What an event says happened; `None` if nothing that is remembered. Nothing in an event is trusted to have its type."""
    raw = _dict(raw)
    content, unsigned = _dict(raw.get("content")), _dict(raw.get("unsigned"))
    event_id = _id(raw.get("event_id"))
    if event_id is None or "state_key" in raw:
        return None
    if raw.get("type") == "m.room.redaction":
        # Where it stands depends on the room's version.
        of = _id(content.get("redacts") or raw.get("redacts"))
        return None if of is None else Redacted(of)
    if "redacted_because" in unsigned:
        return Redacted(event_id)
    sender, ms = _id(raw.get("sender")), raw.get("origin_server_ts")
    if raw.get("type") != "m.room.message" or sender is None or not isinstance(ms, int):
        return None
    relates = _dict(content.get("m.relates_to"))
    related = _id(relates.get("event_id"))
    if relates.get("rel_type") == "m.replace":
        text = _text(_dict(content.get("m.new_content")), sender, is_reply=False)
        if text is None or related is None:
            return None
        return Edited(event_id, related, sender, ms, text, _mentions(content))
    is_reply = "m.in_reply_to" in relates
    text = _text(content, sender, is_reply=is_reply)
    if text is None:
        return None
    thread = related if relates.get("rel_type") == "m.thread" else None
    return Said(
        event_id,
        sender,
        ms,
        text,
        thread,
        content.get("msgtype") == "m.notice",
        _mentions(content),
        _id(content.get(ANSWERS)),
        _count(content.get(ROUND)),
    )


def newest_edit(raw: Raw) -> Edited | None:
    """The newest edit that the homeserver sends along with a message."""
    relations = _dict(_dict(raw.get("unsigned")).get("m.relations"))
    edit = read(_dict(relations.get("m.replace")))
    return edit if isinstance(edit, Edited) and edit.of == raw.get("event_id") else None


def mentions(said: Said | Edited, user_id: str, name: str) -> bool:
    """Whether a message mentions somebody. What the sender's program says counts; where it does not say, the text does."""
    if said.mentions is not None:
        return user_id in said.mentions
    return user_id in said.text or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said.text, re.IGNORECASE) is not None


def as_read(text: str, user_id: str, name: str) -> str:
    """A text as a person reads it: the bot is mentioned as `@name`, as other platforms write it."""
    text = text.replace(user_id, f"@{name}")
    begin = re.match(rf"\s*@?{re.escape(name)}(?!\w)\s*[:,]?\s*", text, re.IGNORECASE)
    return f"@{name} {text[begin.end() :]}".rstrip() if begin else text


def local_part(user_id: str) -> str:
    """The name of somebody without a display name: `alice` of `@alice:example.org`."""
    return user_id.removeprefix("@").partition(":")[0] or user_id


def member_of(raw: Raw) -> tuple[str, str] | None:
    """Who is in the room as an event says, and what they are called there."""
    raw = _dict(raw)
    content, user_id = _dict(raw.get("content")), _id(raw.get("state_key"))
    if raw.get("type") != "m.room.member" or content.get("membership") != "join" or user_id is None:
        return None
    return user_id, called(content, user_id)


def called(content: Raw, user_id: str) -> str:
    """What the content of a membership calls somebody."""
    return whole(str(content.get("displayname") or local_part(user_id)))


def dicts(events: list[Any]) -> list[Raw]:
    """Those that are events at all."""
    return [event for event in events if isinstance(event, dict)]


def whole(text: str) -> str:
    """A text without halves of characters, which JSON may have and no file takes."""
    return text.encode(errors="replace").decode()


def _id(value: Any) -> str | None:
    return value if isinstance(value, str) and whole(value) == value else None


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _text(content: Raw, sender: str, *, is_reply: bool) -> str | None:
    body = content.get("body")
    if not isinstance(body, str) or content.get("msgtype") in _NOT_SAID:
        return None
    if is_reply and body.startswith("> "):
        # Older programs quote the message that is answered.
        lines = body.split("\n")
        quoted = next((number for number, line in enumerate(lines) if not line.startswith(">")), len(lines))
        body = "\n".join(lines[quoted:]).removeprefix("\n")
    if content.get("msgtype") == "m.emote":
        body = f"* {local_part(sender)} {body}"
    return whole(body) if body.strip() else None


def _mentions(content: Raw) -> frozenset[str] | None:
    if "m.mentions" not in content:
        return None
    users = _dict(content["m.mentions"]).get("user_ids")
    return frozenset(user for user in users if isinstance(user, str)) if isinstance(users, list) else frozenset()


def _dict(value: Any) -> Raw:
    return value if isinstance(value, dict) else {}
