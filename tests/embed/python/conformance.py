"""Checks the stores of the package against the contract: the component runs each check over an empty store. Prints what came
of each check: `passed`, or what was skipped or failed.

    python conformance.py CONFORMANCE.wasm
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from myao import MemoryStore, SqliteStore
from myao._signatures import IMPORTS, Signature
from myao.errors import ContractError
from myao.storage import Given
from myao.terms import terms
from wasmtime import Engine
from wasmtime import Store as Calls
from wasmtime.component import Component, Linker

SUITE = "myao:conformance/suite@0.2.0"
engine = Engine()
component = Component.from_file(engine, Path(sys.argv[1]))


class Workspace:
    """The imports over one store, which must be empty. All channels of the checks are public."""

    def __init__(self, store: SqliteStore):
        self.store = store
        self.channels: list[str] = []

    def answer(self, name: str, arguments: list[Any]) -> Any:
        if name == "terms":
            return terms(*arguments)
        if name == "find-candidates":
            return self.store.find_candidates(*arguments, sorted(self.channels))
        if name == "save-memory":
            (draft,) = arguments
            heard = [draft.source_channel_id] if draft.source_channel_id else []
            return self.store.save_memory(draft, Given(channels=heard, messages={}, memories={}))
        return getattr(self.store, name.replace("-", "_"))(*arguments)

    def function(self, name: str, signature: Signature) -> Callable[..., Any]:
        def call(_calls: Any, *arguments: Any) -> Any:
            decoded = [shape.decode(argument) for shape, argument in zip(signature.takes, arguments)]
            try:
                value = self.answer(name, decoded)
            except ContractError as error:
                value = error
            return signature.returns.encode(value)

        return call

    def add_user(self, _calls: Any, user: Any) -> None:
        self.store.add_user(user.id, user.name, is_bot=getattr(user, "is-bot"))

    def add_channel(self, _calls: Any, channel: Any) -> None:
        self.channels.append(channel.id)
        self.store.add_channel(channel.id, channel.name, is_private=getattr(channel, "is-private"))

    def put_message(self, _calls: Any, message: Any) -> None:
        of = vars(message)
        edited_at = of["edited-at"] and getattr(of["edited-at"], "unix-seconds")
        more = {"thread_ts": of["thread-ts"], "edited_at": edited_at}
        self.store.add_message(of["channel-id"], of["ts"], of["user-id"], of["text"], **more)

    def delete_message(self, _calls: Any, channel_id: str, ts: str) -> None:
        self.store.delete_message(channel_id, ts)

    def call(self, export: str, *arguments: str) -> Any:
        linker = Linker(engine)
        with linker.root() as root:
            for interface in ("storage", "recall"):
                with root.add_instance(f"myao:memory/{interface}@0.2.0") as instance:
                    for name, signature in IMPORTS[interface].items():
                        instance.add_func(name, self.function(name, signature))
            with root.add_instance("myao:conformance/platform@0.2.0") as instance:
                for name in ("add-user", "add-channel", "put-message", "delete-message"):
                    instance.add_func(name, getattr(self, name.replace("-", "_")))
        linker.define_unknown_imports_as_traps(component)
        calls = Calls(engine)
        made = linker.instantiate(calls, component)
        index = made.get_export_index(calls, export, made.get_export_index(calls, SUITE))
        return made.get_func(calls, index)(calls, *arguments)


def run(store: SqliteStore, check: str) -> Any:
    try:
        outcome = Workspace(store).call("run", check)
    except Exception as error:
        # The store raised what is no error of the contract.
        return {"failed": repr(error)}
    return outcome.tag if outcome.payload is None else {outcome.tag: outcome.payload}


checks = Workspace(MemoryStore()).call("checks")
with TemporaryDirectory() as folder:
    outcomes = {
        "MemoryStore": {check: run(MemoryStore(), check) for check in checks},
        "SqliteStore": {check: run(SqliteStore(f"{folder}/{check}.db"), check) for check in checks},
    }
print(json.dumps(outcomes, ensure_ascii=False, indent=2))
if any(outcome != "passed" for of_store in outcomes.values() for outcome in of_store.values()):
    sys.exit(1)
