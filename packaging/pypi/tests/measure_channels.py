"""Measures a run over 200 channels with a model that takes a second, 16 at once. Its figures are those of a machine with
nothing else to do, so it is no test:

    python -m tests.measure_channels
"""

import asyncio
import resource
import time

from myao import Completion, Memory, MemoryStore, Request

CHANNELS, MESSAGES, AT_ONCE = 200, 50, 16
NOW = 1772420400


class Model:
    """Takes a second, and gives a line that the messages hold."""

    def __init__(self) -> None:
        self.calls = 0

    async def complete(self, request: Request) -> Completion:
        self.calls += 1
        await asyncio.sleep(1)
        number = request.purpose.scope_id.lstrip("C") if request.purpose.scope == "channel" else "0"
        return Completion(f"- Aki: the crane number {number}-1 comes on 2 March to the harbour.")


async def main() -> None:
    store, model = MemoryStore(), Model()
    for channel in range(CHANNELS):
        store.add_channel(f"C{channel}", f"room-{channel}", is_private=False)
        for message in range(MESSAGES):
            said = f"The crane number {channel}-{message} comes on {message % 28 + 1} March to the harbour."
            store.say(f"C{channel}", "Aki", said, NOW - 9000 + message)
    memory = await Memory.load(storage=store, llm=model, settings={"engines.memory": "llm"})
    begun = time.monotonic()
    entries = await memory.generate(NOW)
    took = time.monotonic() - begun
    assert all(entry.outcome == "done" for entry in entries), entries
    # Those of the channels side by side, and then those of the workspace.
    of_channels = 2 * CHANNELS
    ideal = -(-of_channels // AT_ONCE) + (model.calls - of_channels)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{model.calls} calls in {took:.1f} s: {took / ideal:.2f} times the ideal of {ideal} s; {megabytes:.0f} MB at most"
    )


if __name__ == "__main__":
    asyncio.run(main())
