"""Runs a component in wasmtime: one engine, a fresh instance for each call, and limits on memory and time."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from wasmtime import Config, Engine, Store, WasmtimeError
from wasmtime.component import Component, Linker

from . import _cache, _wasmtime
from ._shapes import ShapeError
from ._signatures import CONTRACT, EXPORTS, IMPORTS, Signature
from .errors import CallError, ConfigurationError, ContractError, InvalidArgument

TICK_SECONDS = 0.1
# What the engine below is made with; compiled code depends on it.
ENGINE_SETTINGS = "epoch-interruption"

_wasmtime.mend()


@dataclass(frozen=True)
class Limits:
    """What a call may use up, and how many run at once."""

    compute_seconds: float = 60.0
    """How long the component may compute in one call. The time inside imports does not count."""
    wait_seconds: float = 600.0
    """How long one `async` function of a store, model or chat may take. A plain one needs its own timeout."""
    memory_bytes: int = 256 << 20
    """Linear memory of one call. The default is enough for contexts of about 100,000 messages."""
    concurrent_calls: int = 16
    """How many calls of a `Memory` run at once, each in a thread and an instance of its own."""
    concurrent_completions: int = 16
    """How many requests of one call a model is sent side by side."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if not getattr(self, field.name) > 0:
                raise InvalidArgument(
                    "invalid-limit", f"Limits.{field.name} is {getattr(self, field.name)}: expected more than 0"
                )


class _Machine:
    """The engine of this process, and the thread that moves its epoch while calls run."""

    def __init__(self) -> None:
        config = Config()
        config.epoch_interruption = True
        self.engine = Engine(config)
        # By what they are compiled from. The memories of a process share them; they are few, and stay.
        self._components = dict[bytes, Component]()
        self._compiling = threading.Lock()
        self._running = 0
        self._changed = threading.Condition()
        self._ticker: threading.Thread | None = None

    def component(self, wasm: bytes, cache_folder: Path | None) -> Component:
        """The compiled component."""
        digest = hashlib.sha256(wasm).digest()
        with self._compiling:
            component = self._components.get(digest)
            if component is None:
                component = _cache.load_or_compile(self.engine, wasm, cache_folder, ENGINE_SETTINGS)
                self._components[digest] = component
            return component

    def __enter__(self) -> None:
        with self._changed:
            self._running += 1
            # After a fork, the child has no ticker.
            if self._ticker is None or not self._ticker.is_alive():
                self._ticker = threading.Thread(target=self._tick, name="myao-epoch", daemon=True)
                self._ticker.start()
            self._changed.notify()

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._running -= 1

    def _tick(self) -> None:
        stopped = threading.Event()
        while True:
            with self._changed:
                while self._running == 0:
                    self._changed.wait()
            stopped.wait(TICK_SECONDS)
            self.engine.increment_epoch()


_machine: _Machine | None = None
_machine_lock = threading.Lock()


def machine() -> _Machine:
    """The one of this process."""
    global _machine
    with _machine_lock:
        _machine = _machine or _Machine()
        return _machine


Answerer = Callable[[str, str, list[Any]], Any]
"""Answers an import: its interface, its function and the arguments."""


class _Call:
    """A call that runs in this thread: it answers the imports, and knows what went wrong in one of them."""

    def __init__(self, answer: Answerer, store: Store, compute_seconds: float):
        self._answer, self._store = answer, store
        self._seconds_left = compute_seconds
        self.failure: BaseException | None = None
        self._resume()

    def _resume(self) -> None:
        """The component computes from now on: its deadline is the time that is left."""
        self._resumed_at = time.monotonic()
        # One more, because the tick that is under way is short.
        self._store.set_epoch_deadline(max(0, round(self._seconds_left / TICK_SECONDS)) + 1)

    def import_called(self, interface: str, name: str, signature: Signature, arguments: tuple[Any, ...]) -> Any:
        """Answers the component. No exception but wasmtime's own may pass it: it keeps others for whichever call of the
        process ends next."""
        self._seconds_left -= time.monotonic() - self._resumed_at
        try:
            decoded = [shape.decode(argument) for shape, argument in zip(signature.takes, arguments)]
            try:
                value = self._answer(interface, name, decoded)
            except ContractError as error:
                value = error
            result = self._encode(interface, name, signature, value)
            self._resume()
            return result
        except BaseException as error:
            self.failure = error
            raise WasmtimeError(f"the import {interface}.{name} failed") from None

    def _encode(self, interface: str, name: str, signature: Signature, value: Any) -> Any:
        try:
            return signature.returns.encode(value)
        except ShapeError as error:
            if isinstance(value, ContractError):
                # A function without errors, or an error of another interface.
                raise value from None
            function = f"{interface}.{name.replace('-', '_')}"
            raise ConfigurationError("wrong-type", f"{function} returned a wrong value: {error}") from None


def _seed(_store: object) -> tuple[int, int]:
    return (0, 0)


class Plugin:
    """A component, compiled and linked. Calls may run in several threads at once."""

    def __init__(self, wasm: Path, cache_folder: Path | None, limits: Limits):
        self._machine = machine()
        self._limits = limits
        self._running = threading.local()
        self._name = wasm.name
        engine = self._machine.engine
        try:
            content = wasm.read_bytes()
        except OSError as error:
            raise ConfigurationError("no-component", f"the component {wasm} cannot be read: {error}") from error
        try:
            self._component = self._machine.component(content, cache_folder)
        except WasmtimeError as error:
            raise ConfigurationError("no-component", f"{wasm} is no component: {error}") from error
        self._linker = self._link(engine, self._component)

    def _link(self, engine: Engine, component: Component) -> Linker:
        linker = Linker(engine)
        wanted = component.type.imports(engine)
        self._check_versions([*wanted, *component.type.exports(engine)])
        with linker.root() as root:
            for name in wanted:
                interface = name.removeprefix("myao:memory/").partition("@")[0]
                # Of WASI, only what seeds hash maps: the same for every call.
                if name.startswith("wasi:random/insecure-seed@"):
                    with root.add_instance(name) as instance:
                        instance.add_func("insecure-seed", _seed)
                elif name.startswith("myao:memory/") and interface in IMPORTS:
                    with root.add_instance(name) as instance:
                        for function, signature in IMPORTS[interface].items():
                            instance.add_func(function, self._import(interface, function, signature))
        # A component that asks for anything else of the machine ends its call.
        linker.define_unknown_imports_as_traps(component)
        return linker

    def _check_versions(self, interfaces: list[str]) -> None:
        """Refuses a component of another contract. Components of one series fit: 0.2.1 is of 0.2."""
        ours = [name for name in interfaces if name.startswith("myao:memory/")]
        versions = sorted({name.partition("@")[2] for name in ours})
        series = CONTRACT.rpartition(".")[0]
        if not ours or any(version.rpartition(".")[0] != series for version in versions):
            found = f"version {', '.join(versions)} of the contract" if ours else "another contract"
            raise ConfigurationError(
                "incompatible-version",
                f"{self._name} is made for {found}, and this package for version {CONTRACT}: "
                "take the component that comes with the package, or a package that fits it",
            )
        self._version = versions[0]

    def _import(self, interface: str, name: str, signature: Signature) -> Callable[..., Any]:
        # wasmtime keeps the function until the linker goes, which goes with this object: it must not hold it.
        running = self._running

        def call(_store: Any, *arguments: Any) -> Any:
            return running.call.import_called(interface, name, signature, arguments)

        return call

    def call(self, answer: Answerer, interface: str, export: str, arguments: list[Any]) -> Any:
        """Calls an export in a fresh instance, in this thread, and returns its value or raises its error."""
        signature = EXPORTS[interface][export]
        encoded = list[Any]()
        for shape, argument in zip(signature.takes, arguments):
            try:
                encoded.append(shape.encode(argument))
            except ShapeError as error:
                raise InvalidArgument("wrong-type", f"{export.replace('-', '_')}: {error}") from None
        store = Store(self._machine.engine)
        store.set_limits(memory_size=self._limits.memory_bytes)
        call = self._running.call = _Call(answer, store, self._limits.compute_seconds)
        try:
            with self._machine:
                instance = self._linker.instantiate(store, self._component)
                index = instance.get_export_index(store, f"myao:memory/{interface}@{self._version}")
                index = index and instance.get_export_index(store, export, index)
                function = index and instance.get_func(store, index)
                if not function:
                    raise ConfigurationError("not-offered", f"{self._name} has no {interface}.{export}")
                value = function(store, *encoded)
        except WasmtimeError as error:
            raise call.failure or self._ended(export, error) from None
        finally:
            self._running.call = None
            store.close()
        result = signature.returns.decode(value)
        if isinstance(result, ContractError):
            raise result
        return result

    def _ended(self, export: str, error: WasmtimeError) -> CallError:
        """Says why a call trapped, without what wasmtime tells of its stack."""
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        why = lines[-1] if lines else "unknown"
        if "wasm trap: interrupt" in why:
            text = f"{export} computed longer than {self._limits.compute_seconds} s (Limits.compute_seconds)"
            return CallError("too-long", text, "later")
        text = f"{export} ended: {why}. It may need more memory (Limits.memory_bytes is {self._limits.memory_bytes})"
        return CallError("trapped", text)
