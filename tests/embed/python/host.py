"""Runs the components of the package `myao` on imports in memory, and prints what came of it as JSON:

    python host.py CONTEXT.json WORKSPACE.json

tests/tests/embed/ compares the output with that of other hosts.
"""

import asyncio
import dataclasses
import json
import sys
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import imports
from contexts import read_context
from myao import (
    Already,
    ContractError,
    Deferred,
    Failed,
    Limits,
    Memory,
    MemoryFailure,
    MemoryStore,
    Question,
    Skipped,
    Target,
    Timestamp,
    User,
)

Value = dict[str, Any]
# One step after the other, so that the script's answers come in order.
ONE_BY_ONE = Limits(concurrent_calls=1)

context_json, workspace_json = map(Path, sys.argv[1:])
context = read_context(json.loads(context_json.read_text()))
script = json.loads(workspace_json.read_text())
settings: dict[str, str] = script["settings"]


def plain(value: Any) -> Any:
    """A value of the package as JSON that looks the same from every host: the contract's own names, and cases of variants
    by their names, with what they hold if they hold something."""
    match value:
        case ContractError():
            return value.code if value.detail is None else {value.code: plain(value.detail)}
        case Skipped(held) | Deferred(held) | Failed(held) | Already(held):
            return {type(value).__name__.lower(): plain(held)}
        case list():
            return list(map(plain, value))
        case dict():
            return {name: plain(inner) for name, inner in value.items()}
        case _ if dataclasses.is_dataclass(value):
            fields = dataclasses.fields(value)
            return {field.name.replace("_", "-"): plain(getattr(value, field.name)) for field in fields}
        case _:
            return value


def answer(value: Any) -> Any:
    """An answer, which is a case of a variant: a reply was posted."""
    return value if isinstance(value, Already) else {"posted": value}


def at(unix_seconds: int) -> Timestamp:
    return Timestamp(unix_seconds, script["utc-offset-seconds"])


now, then = at(script["runs"][0]["now"]), at(script["runs"][-1]["now"])
users = {user["id"]: User(user["id"], user["name"], user["is-bot"]) for user in script["users"]}
store = MemoryStore(
    workspace_id=settings["workspace_scope_id"], timezone=timezone(timedelta(seconds=script["utc-offset-seconds"]))
)
for user in users.values():
    store.add_user(user.id, user.name, is_bot=user.is_bot)
for channel in script["channels"]:
    store.add_channel(channel["id"], channel["name"], is_private=channel["is-private"])
platform = imports.Platform(users, script["known-to-the-platform"], script["utc-offset-seconds"])
silent = imports.ScriptedModel({}, {})


async def prompts(**given: Any) -> Value:
    """Every prompt of the context. The specification's worked prompts have a scope, a memory type and an existing
    memory; some show what is retired."""
    worked = [
        ("channel", "long-term", context.channel_memories[0].long_term_memory, False),
        ("channel", "short-term", None, False),
        ("thread", "short-term", None, True),
        ("workspace", "long-term", context.workspace_long_term_memory, False),
        ("workspace", "short-term", None, True),
    ]
    prompts = Value()
    for scope, memory_type, existing, is_retired in worked:
        retired = {"memory.legacy_workspace_short_term": is_retired}
        memory = await Memory.load(llm=silent, log=imports.write, settings=settings | retired, **given)
        prompts[f"{scope}-{memory_type}"] = await memory.render_prompt(context, scope, memory_type, existing)
    memory = await Memory.load(llm=silent, log=imports.write, settings=settings, **given)
    prompts["reply"] = await memory.render_reply(context, "mention", now)
    prompts["judgment"] = await memory.render_judgment(context, now)
    return prompts


async def generate(memory: Memory, run: Value) -> Value:
    """One run over what there is by then."""
    for message in run["messages"]:
        to = {"thread_ts": message.get("thread-ts")}
        store.add_message(message["channel-id"], message["ts"], message["user-id"], message["text"], **to)
    now = at(run["now"])
    return {
        "report": {"now": now, "entries": await memory.generate(now)},
        "channels": [await memory.generate_channel(id, now) for id in run.get("generate-channels", [])],
        "threads": [await memory.generate_thread(id, ts, now) for id, ts in run.get("generate-threads", [])],
    }


async def remember() -> Value:
    """What the whole component makes of the workspace."""
    model = imports.ScriptedModel(script["answers"], script["context-windows"])
    given: Value = {"storage": store, "chat": platform, "limits": ONE_BY_ONE}
    memory = await Memory.load(llm=model, log=imports.write, settings=settings, **given)
    mention, judged = (
        Target(of["channel-id"], of["thread-ts"], of["message-ts"]) for of in (script["mention"], script["judged"])
    )
    asked = Question(script["asked"]["text"], script["asked"]["channel-id"])
    return {
        "prompts": await prompts(**given),
        "runs": [await generate(memory, run) for run in script["runs"]],
        "memories": store.memories(),
        "deferrals": [store.list_deferrals("thread", scope_id) for scope_id in script["threads"]],
        "mention": answer(await memory.reply_to_mention(mention, then)),
        "judged": await memory.judge(judged, then),
        "asked": await memory.ask(asked, then),
        "posts": platform.posts,
        "requests": model.requests,
    }


async def summarize() -> Value:
    """What the smallest component makes of the context."""
    model = imports.ScriptedModel(script["answers-of-the-summarizer"], {})
    memory = await Memory.load(llm=model, log=imports.write, settings=settings)

    async def result(scope: Any) -> Value:
        try:
            return {"ok": await memory.summarize(context, scope, "short-term")}
        except MemoryFailure as error:
            return {"err": error}

    return {
        "prompts": await prompts(),
        "summary": (await result("channel"))["ok"],
        "refused": await result("workspace"),
        "failed": await result("thread"),
        "requests": model.requests,
    }


async def main() -> None:
    came = {"memory": await remember(), "summarizer": await summarize()}
    print(json.dumps(plain(came), ensure_ascii=False, indent=2, sort_keys=True))


asyncio.run(main())
