"""A component in wasmtime, with a limit on memory and on time.

wasmtime hands records over as objects with the contract's names as attributes, and variants as `Variant`, or without it
where the Python type alone tells the case. Here records become dicts, in both directions.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wasmtime import Config, Engine, Store
from wasmtime.component import Component, Linker, Record, Variant

from store import Refusal

VERSION = "0.2.0"
DEADLINE_SECONDS = 60.0
MEMORY_BYTES = 256 << 20

Imports = dict[str, dict[str, Callable[..., Any]]]


def to_python(value: Any) -> Any:
    """Records as dicts."""
    if isinstance(value, Record):
        return {name: to_python(inner) for name, inner in vars(value).items()}
    if isinstance(value, list):
        return [to_python(item) for item in value]
    if isinstance(value, Variant):
        return Variant(value.tag, to_python(value.payload))
    return value


def to_wasm(value: Any) -> Any:
    """Dicts as records."""
    if isinstance(value, dict):
        record = Record()
        for name, inner in value.items():
            setattr(record, name, to_wasm(inner))
        return record
    if isinstance(value, list):
        return [to_wasm(item) for item in value]
    if isinstance(value, Variant):
        return Variant(value.tag, to_wasm(value.payload))
    return value


def _import(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(_store: Any, *arguments: Any) -> Any:
        try:
            return to_wasm(function(*map(to_python, arguments)))
        except Refusal as refusal:
            # An error of the contract; any other exception ends the call with a trap.
            return to_wasm(refusal.error)

    return call


class Plugin:
    """A component with its imports: `{"log": {"write": function}, …}`. Every call has an instance of its own, so
    that a trap leaves nothing behind. A plugin is for one thread at a time."""

    def __init__(
        self,
        wasm: Path,
        imports: Imports,
        deadline_seconds: float = DEADLINE_SECONDS,
        memory_bytes: int = MEMORY_BYTES,
    ):
        config = Config()
        # The deadline: a running component is stopped at the next epoch.
        config.epoch_interruption = True
        # Compiled code is kept in wasmtime's cache folder.
        config.cache = True
        self._engine = Engine(config)
        self._component = Component.from_file(self._engine, wasm)
        self._deadline_seconds = deadline_seconds
        self._memory_bytes = memory_bytes
        self._linker = Linker(self._engine)
        with self._linker.root() as root:
            # Of WASI, only what seeds hash maps: the same for every call. wasmtime would lend clocks and randomness with it.
            for name in self._component.type.imports(self._engine):
                if name.startswith("wasi:random/insecure-seed@"):
                    with root.add_instance(name) as instance:
                        instance.add_func("insecure-seed", lambda _store: (0, 0))
            for interface, functions in imports.items():
                with root.add_instance(f"myao:memory/{interface}@{VERSION}") as instance:
                    for name, function in functions.items():
                        instance.add_func(name, _import(function))
        # A component that asks for anything else of the machine ends its call.
        self._linker.define_unknown_imports_as_traps(self._component)

    def call(self, interface: str, export: str, *arguments: Any) -> Any:
        """Calls an export. A result's error is a `Variant`; a trap, the deadline's too, is a `wasmtime.Trap`."""
        store = Store(self._engine)
        store.set_limits(memory_size=self._memory_bytes)
        store.set_epoch_deadline(1)
        instance = self._linker.instantiate(store, self._component)
        index = instance.get_export_index(store, f"myao:memory/{interface}@{VERSION}")
        function = instance.get_func(store, instance.get_export_index(store, export, index))
        assert function is not None, f"the component has no {interface}.{export}"
        deadline = threading.Timer(self._deadline_seconds, self._engine.increment_epoch)
        deadline.start()
        try:
            result = function(store, *map(to_wasm, arguments))
            function.post_return(store)
            return to_python(result)
        finally:
            deadline.cancel()
