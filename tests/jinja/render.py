"""Renders prompts with Python's Jinja2, as the other side of the differential test.

Reads JSON lines from standard input, each an object with

    context                      in the shape of tests/goldens/context.json
    scope, memory_type           "thread" | "channel" | "workspace", "short_term" | "long_term"
    existing_memory              a string or null
    legacy_workspace_short_term  a bool
    templates                    optional: sources by name, in place of those in templates/

and writes one JSON line for each: {"prompt": ...} or {"error": ...}.
"""

import json
import sys
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader, StrictUndefined, TemplateError

TEMPLATES = FileSystemLoader(Path(__file__).resolve().parents[2] / "templates")


@lru_cache
def environment(*overrides):
    result = Environment(
        loader=ChoiceLoader([DictLoader(dict(overrides)), TEMPLATES]),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    # Not strftime: its %Y drops leading zeros on some platforms.
    result.filters["format_timestamp"] = lambda time: time.replace(tzinfo=None).isoformat(" ", "seconds")
    return result


def with_datetime(message):
    # Python before 3.11 does not read the "Z".
    return {**message, "timestamp": datetime.fromisoformat(message["timestamp"].replace("Z", "+00:00"))}


def newest_short_term_memory(channel):
    history = channel["short_term_memory_history"]
    return history[-1] if history else channel["short_term_memory"]


def template_context(request):
    context, scope, memory_type = request["context"], request["scope"], request["memory_type"]
    history = context["conversation_history"]
    threads = {ts: [with_datetime(m) for m in messages] for ts, messages in history["thread_messages"].items()}
    channels = {
        channel_id: {**channel, "short_term_memory": newest_short_term_memory(channel)}
        for channel_id, channel in context["channel_memories"].items()
    }
    legacy = request["legacy_workspace_short_term"]
    merges_channel = scope == "channel" and memory_type == "long_term"
    current = channels.get(history["channel_id"])
    return {
        "persona": context["persona"],
        "scope": scope,
        "memory_type": memory_type,
        "existing_memory": request["existing_memory"],
        "workspace_long_term_memory": context["workspace_long_term_memory"],
        "workspace_short_term_memory": context["workspace_short_term_memory"] if legacy else None,
        "channel_memories": channels,
        "current_channel_name": history["channel_name"],
        "top_level_messages": [with_datetime(m) for m in history["top_level_messages"]],
        "thread_messages": threads,
        "thread_summaries": context["thread_summaries"],
        "late_messages": [with_datetime(m) for m in context["late_messages"]],
        "has_late_messages": bool(context["late_messages"]),
        "programs": [{**p, "times": [datetime.fromisoformat(t) for t in p["times"]]} for p in context["programs"]],
        "program_lines": context["program_lines"],
        "records": [with_datetime(m) for m in context["records"]],
        "pinned": [with_datetime(m) for m in context["pinned"]],
        "corrections": [with_datetime(m) for m in context["corrections"]],
        "today": context["today"],
        "asks_for_items": context["asks_for_items"],
        "items": context["items"],
        "target_thread_ts": context["target_thread_ts"],
        "target_thread_messages": threads.get(context["target_thread_ts"], []),
        "channel_short_term_memory": current["short_term_memory"] if merges_channel and current else None,
    }


def render(request):
    jinja = environment(*request.get("templates", {}).items())
    try:
        return {"prompt": jinja.get_template("memory_prompt.j2").render(template_context(request))}
    except TemplateError as error:
        return {"error": str(error)}


def main():
    # All of the input before any output, so that neither side waits for a full pipe.
    requests = [json.loads(line) for line in sys.stdin.buffer.read().split(b"\n") if line]
    for request in requests:
        print(json.dumps(render(request)))


if __name__ == "__main__":
    main()
