"""A call that does not end, and one that needs too much memory: each is an error, and the next call works.

    python limits.py SUMMARIZER.wasm CONTEXT.json WORKSPACE.json
"""

import json
import sys
from pathlib import Path

import wasmtime

import imports
from component import Plugin
from contexts import read_context
from store import Value

wasm, context_json, workspace_json = map(Path, sys.argv[1:])
context = read_context(json.loads(context_json.read_text()))
settings = json.loads(workspace_json.read_text())["settings"]
model = imports.ScriptedModel({}, {})
plugin = Plugin(wasm, imports.of_summarizer(model, settings))


def render(plugin: Plugin, context: Value) -> str:
    return plugin.call("memory-summarizer", "render-prompt", context, "channel", "short-term", None)


def ends(what: str, plugin: Plugin, context: Value) -> None:
    try:
        render(plugin, context)
    except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
        print(f"{what}: {str(error).splitlines()[-1].strip()}")
    else:
        sys.exit(f"{what}: the call ended well")


loop = "{% for a in range(10000) %}{% for b in range(10000) %}{{ a }}{% endfor %}{% endfor %}"
endless = settings | {"templates": [{"name": "memory_prompt.j2", "source": loop}]}
ends("endless", Plugin(wasm, imports.of_summarizer(model, endless), deadline_seconds=0.5), context)
long = context | {"workspace-long-term-memory": "much " * (8 << 20)}
ends("too long", Plugin(wasm, imports.of_summarizer(model, settings), memory_bytes=16 << 20), long)
print(f"the next call: {len(render(plugin, context))} characters")
