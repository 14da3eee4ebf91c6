"""The steps of one run, and what came of them."""

from __future__ import annotations

from .errors import CallError, MemoryFailure, MyaoError
from .results import Batch, ChannelStep, DoneStep, Entry, Failed, Step, ThreadStep
from .types import OtherReason, Scope


class Run:
    """What a run has done so far."""

    def __init__(self, workspace_id: str):
        self.done = list[DoneStep]()
        self.entries = list[Entry]()
        self._workspace_id = workspace_id

    def end(self, steps: list[Step], entries: list[Entry]) -> None:
        """Notes the steps of a batch that have ended."""
        self.entries += entries
        self.done += [DoneStep(step, bool(entry.made)) for step, entry in zip(steps, entries)]

    def admit(self, batch: Batch) -> Batch:
        """The batch, if all its steps are new: a thread or a channel comes once in a run, and the workspace only after
        another step. So a run ends, whatever the component asks for."""
        before = [done.step for done in self.done]
        for step in batch.steps:
            if (before[-1:] == [step]) if step == "workspace" else step in before:
                raise CallError("repeated-step", "the component wants to take a step again that is done")
            before.append(step)
        return batch

    def failed(self, step: Step, error: Exception) -> Entry:
        """The entry of a step that ended with an error. The text of an error that is not ours may be what people wrote."""
        text = error.text if isinstance(error, MyaoError) else f"the step ended with {type(error).__name__}"
        failure = MemoryFailure("other", OtherReason("call-failed", text))
        failure.__cause__ = error
        scope, scope_id = self._subject(step)
        return Entry(scope, scope_id, "", [], Failed(failure))

    def _subject(self, step: Step) -> tuple[Scope, str]:
        match step:
            case ThreadStep(channel_id, thread_ts):
                return "thread", f"{channel_id}:{thread_ts}"
            case ChannelStep(channel_id):
                return "channel", channel_id
            case _:
                return "workspace", self._workspace_id
