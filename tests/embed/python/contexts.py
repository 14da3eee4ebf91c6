"""Contexts as JSON, in the shape of tests/goldens/context.json."""

from datetime import datetime

from store import Value


def timestamp(text: str) -> Value:
    time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    offset = time.utcoffset()
    assert offset is not None, f"{text} has no offset"
    return {"unix-seconds": int(time.timestamp()), "utc-offset-seconds": int(offset.total_seconds())}


def read_message(message: Value) -> Value:
    user = message["user"]
    return {
        "ts": message["ts"],
        "user": {"id": user["id"], "name": user["name"], "is-bot": user.get("is_bot", False)},
        "text": message["text"],
        "timestamp": timestamp(message["timestamp"]),
        "thread-ts": message.get("thread_ts"),
        "edited-at": timestamp(message["edited_at"]) if message.get("edited_at") else None,
    }


def read_context(context: Value) -> Value:
    history = context["conversation_history"]
    threads = history.get("thread_messages", {})
    texts = ("long_term_memory", "short_term_memory")
    memories = context.get("channel_memories", {}).values()
    return {
        "persona": {"name": context["persona"]["name"], "system-prompt": context["persona"]["system_prompt"]},
        "conversation-history": {
            "channel-id": history["channel_id"],
            "channel-name": history["channel_name"],
            "top-level-messages": [read_message(message) for message in history["top_level_messages"]],
            "threads": [
                {"thread-ts": ts, "messages": [read_message(message) for message in messages]}
                for ts, messages in threads.items()
            ],
        },
        "workspace-long-term-memory": context.get("workspace_long_term_memory"),
        "workspace-short-term-memory": context.get("workspace_short_term_memory"),
        "channel-memories": [
            {
                "channel-id": memory["channel_id"],
                "channel-name": memory["channel_name"],
                **{text.replace("_", "-"): memory.get(text) for text in texts},
                "short-term-memory-history": memory.get("short_term_memory_history", []),
            }
            for memory in memories
        ],
        "thread-memories": [
            {"thread-ts": ts, "content": content} for ts, content in context.get("thread_memories", {}).items()
        ],
        "target-thread-ts": context.get("target_thread_ts"),
        "notes": None,
    }
