"""Contexts as JSON, in the shape of tests/goldens/context.json."""

from datetime import datetime
from typing import Any

from myao.types import (
    ChannelMemory,
    Context,
    ConversationHistory,
    Message,
    Persona,
    Thread,
    ThreadMemory,
    Timestamp,
    User,
)


def timestamp(text: str) -> Timestamp:
    time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    offset = time.utcoffset()
    assert offset is not None, f"{text} has no offset"
    return Timestamp(int(time.timestamp()), int(offset.total_seconds()))


def read_message(message: dict[str, Any]) -> Message:
    user = message["user"]
    return Message(
        ts=message["ts"],
        user=User(user["id"], user["name"], user.get("is_bot", False)),
        text=message["text"],
        timestamp=timestamp(message["timestamp"]),
        thread_ts=message.get("thread_ts"),
        edited_at=timestamp(message["edited_at"]) if message.get("edited_at") else None,
    )


def read_context(context: dict[str, Any]) -> Context:
    history = context["conversation_history"]
    threads = history.get("thread_messages", {})
    return Context(
        persona=Persona(**context["persona"]),
        conversation_history=ConversationHistory(
            history["channel_id"],
            history["channel_name"],
            list(map(read_message, history["top_level_messages"])),
            [Thread(ts, list(map(read_message, messages))) for ts, messages in threads.items()],
        ),
        workspace_long_term_memory=context.get("workspace_long_term_memory"),
        workspace_short_term_memory=context.get("workspace_short_term_memory"),
        channel_memories=[ChannelMemory(**memory) for memory in context.get("channel_memories", {}).values()],
        thread_memories=[ThreadMemory(ts, content) for ts, content in context.get("thread_memories", {}).items()],
        target_thread_ts=context.get("target_thread_ts"),
    )
