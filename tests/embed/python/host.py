"""Runs the components on imports in memory, and prints what came of it as JSON:

    python host.py BOT.wasm SUMMARIZER.wasm CONTEXT.json WORKSPACE.json

tests/tests/embed/ compares the output with that of other hosts.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wasmtime.component import Variant

import imports
from component import Plugin
from contexts import read_context
from place import SCHEDULE, WORKSPACE, StoreAt
from store import Store, Value

bot_wasm, summarizer_wasm, context_json, workspace_json = map(Path, sys.argv[1:])


def plain(value: Any) -> Any:
    """A value of the contract as JSON that looks the same from every host: cases of variants by their names, with what
    they hold if they hold something."""
    if isinstance(value, Variant):
        return value.tag if value.payload is None else {value.tag: plain(value.payload)}
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def answer(value: Any) -> Value:
    """An answer, whose cases hold different types, so that wasmtime hands over what they hold without their names."""
    return {"posted" if isinstance(value, dict) else "already": value}


def result(value: Any) -> Value:
    """A result, whose error is a `Variant`."""
    return {"err": value} if isinstance(value, Variant) else {"ok": value}


context = read_context(json.loads(context_json.read_text()))
script = json.loads(workspace_json.read_text())
settings = script["settings"]


def at(unix_seconds: int) -> Value:
    return {"unix-seconds": unix_seconds, "utc-offset-seconds": script["utc-offset-seconds"]}


def prompts(plugin: Callable[[Value], Plugin], now: Value) -> Value:
    """Every prompt of the context. The specification's worked prompts have a scope, a memory type and an existing
    memory; some show what is retired."""
    worked = [
        ("channel", "long-term", context["channel-memories"][0]["long-term-memory"], False),
        ("channel", "short-term", None, False),
        ("thread", "short-term", None, True),
        ("workspace", "long-term", context["workspace-long-term-memory"], False),
        ("workspace", "short-term", None, True),
    ]
    prompts = {}
    for scope, memory_type, existing, is_retired in worked:
        summarizer = plugin(settings | {"memory.legacy_workspace_short_term": str(is_retired).lower()})
        prompt = summarizer.call("memory-summarizer", "render-prompt", context, scope, memory_type, existing)
        prompts[f"{scope}-{memory_type}"] = prompt
    replies = plugin(settings)
    prompts["reply"] = replies.call("reply-prompt", "render-reply", context, "mention", now)
    prompts["judgment"] = replies.call("reply-prompt", "render-judgment", context, now)
    return prompts


def bot(place: str) -> Plugin:
    """The component for a call in one place."""
    return Plugin(bot_wasm, imports.of_bot(StoreAt(store, place), model, platform, settings))


def take(step: Value | str | None, now: Value) -> Value:
    """One step of a run: a thread, a channel's id or, with `None`, the workspace."""
    if isinstance(step, dict):
        channel_id, thread_ts = step["channel-id"], step["thread-ts"]
        return bot(channel_id).call("memory-generator", "generate-thread", channel_id, thread_ts, now)
    if isinstance(step, str):
        return bot(step).call("memory-generator", "generate-channel", step, now)
    return bot(WORKSPACE).call("memory-generator", "generate-workspace", now)


def run_steps(now: Value) -> Value:
    """Makes everything that is due, one step after the other."""
    done, entries = [], []
    while steps := bot(SCHEDULE).call("memory-generator", "next-steps", done, now)["steps"]:
        for step in steps:
            entry = take(step, now)
            done.append({"step": step, "made": entry["made"] != []})
            entries.append(entry)
    return {"now": now, "entries": entries}


def generate(run: Value) -> Value:
    """One run over what there is by then."""
    for message in run["messages"]:
        store.put(message)
    now = at(run["now"])
    channels = run.get("generate-channels", [])
    threads = run.get("generate-threads", [])
    return {
        "report": run_steps(now),
        "channels": [take(id, now) for id in channels],
        "threads": [take({"channel-id": id, "thread-ts": ts}, now) for id, ts in threads],
    }


store = Store(script["utc-offset-seconds"], settings["workspace_scope_id"])
store.users = {user["id"]: user for user in script["users"]}
store.channels = {channel["id"]: channel for channel in script["channels"]}
model = imports.ScriptedModel(script["answers"], script["context-windows"])
platform = imports.Platform(store, script["known-to-the-platform"])
silent = imports.ScriptedModel({}, {})
empty = StoreAt(Store(0, settings["workspace_scope_id"]), WORKSPACE)
now = at(script["runs"][0]["now"])
then = at(script["runs"][-1]["now"])
mention, judged, asked = script["mention"], script["judged"], script["asked"]

summarizing = imports.ScriptedModel(script["answers-of-the-summarizer"], {})
summarizer = Plugin(summarizer_wasm, imports.of_summarizer(summarizing, settings))


def summarize(scope: str) -> Any:
    return summarizer.call("memory-summarizer", "summarize", context, scope, "short-term", None)


came = {
    "memory": {
        "prompts": prompts(lambda settings: Plugin(bot_wasm, imports.of_bot(empty, silent, platform, settings)), now),
        "runs": [generate(run) for run in script["runs"]],
        "memories": store.saved(),
        "deferrals": [store.list_deferrals("thread", scope_id) for scope_id in script["threads"]],
        "mention": answer(bot(mention["channel-id"]).call("responder", "reply-to-mention", mention, then)),
        "judged": bot(judged["channel-id"]).call("responder", "judge", judged, then),
        "asked": bot(asked["channel-id"]).call("responder", "ask", asked | {"since": None}, then),
        "posts": platform.posts,
        "requests": model.requests,
    },
    "summarizer": {
        "prompts": prompts(lambda settings: Plugin(summarizer_wasm, imports.of_summarizer(silent, settings)), now),
        "summary": summarize("channel"),
        "refused": result(summarize("workspace")),
        "failed": result(summarize("thread")),
        "requests": summarizing.requests,
    },
}
print(json.dumps(plain(came), ensure_ascii=False, indent=2, sort_keys=True))
