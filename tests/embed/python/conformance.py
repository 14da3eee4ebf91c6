"""Checks a store against the contract: the component runs each check over an empty store, through the store's imports.
Prints what came of each check: `passed`, or what was skipped or failed.

    python conformance.py CONFORMANCE.wasm
"""

import json
import sys
from pathlib import Path
from typing import Any

from component import Plugin
from imports import no_recall
from store import Store, Value

SUITE = "myao:conformance/suite"
STORAGE = (
    "list-channels list-messages list-marked list-memories read-spans list-due get-backlog save-memory list-deferrals defer"
)


def suite_over(store: Store, wasm: Path) -> Plugin:
    """The checks over one store, which must be empty."""

    def add_user(user: Value) -> None:
        store.users[user["id"]] = user

    def add_channel(channel: Value) -> None:
        store.channels[channel["id"]] = channel

    platform = {
        "add-user": add_user,
        "add-channel": add_channel,
        "put-message": store.put,
        "delete-message": store.delete,
    }
    storage = {name: getattr(store, name.replace("-", "_")) for name in STORAGE.split()}
    return Plugin(wasm, {"storage": storage, "recall": no_recall(), "myao:conformance/platform": platform})


def new_store() -> Store:
    return Store(0, "default")


def run(check: str, wasm: Path) -> Any:
    try:
        outcome = suite_over(new_store(), wasm).call(SUITE, "run", check)
    except Exception as error:
        # The store raised what is no error of the contract.
        return {"failed": repr(error)}
    return outcome.tag if outcome.payload is None else {outcome.tag: outcome.payload}


wasm = Path(sys.argv[1])
outcomes = {check: run(check, wasm) for check in suite_over(new_store(), wasm).call(SUITE, "checks")}
print(json.dumps(outcomes, ensure_ascii=False, indent=2))
if any("failed" in outcome for outcome in outcomes.values() if isinstance(outcome, dict)):
    sys.exit(1)
