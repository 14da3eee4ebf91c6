"""A call that does not end, one that needs too much memory, and one that looks at the clock: each is an error, and the next
call works.

    python limits.py SUMMARIZER.wasm CONTEXT.json WORKSPACE.json FAULTY.wasm
"""

import json
import sys
from pathlib import Path

import wasmtime

import imports
from component import Plugin
from contexts import read_context
from store import Value

wasm, context_json, workspace_json, faulty_wasm = map(Path, sys.argv[1:])
context = read_context(json.loads(context_json.read_text()))
settings = json.loads(workspace_json.read_text())["settings"]
model = imports.ScriptedModel({}, {})
plugin = Plugin(wasm, imports.of_summarizer(model, settings))


def render(plugin: Plugin, context: Value, existing: str | None = None) -> str:
    return plugin.call("memory-summarizer", "render-prompt", context, "channel", "short-term", existing)


def ends(what: str, plugin: Plugin, context: Value, existing: str | None = None) -> None:
    try:
        render(plugin, context, existing)
    except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
        print(f"{what}: {str(error).splitlines()[-1].strip()}")
    else:
        sys.exit(f"{what}: the call ended well")


loop = "{% for a in range(10000) %}{% for b in range(10000) %}{{ a }}{% endfor %}{% endfor %}"
endless = settings | {"templates.memory_prompt.j2": loop}
ends("endless", Plugin(wasm, imports.of_summarizer(model, endless), deadline_seconds=0.5), context)
long = context | {"workspace-long-term-memory": "much " * (8 << 20)}
ends("too long", Plugin(wasm, imports.of_summarizer(model, settings), memory_bytes=16 << 20), long)
faulty = Plugin(faulty_wasm, imports.of_summarizer(model, settings))
ends("clock", faulty, context, "tell time and chance")
ends("machine", faulty, context, "tell of the machine")
print(f"the next call: {len(render(plugin, context))} characters")
