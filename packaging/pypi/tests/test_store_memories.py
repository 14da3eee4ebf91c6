"""Memories and deferrals of the stores."""

from typing import Any

from myao import Timestamp
from myao.storage import Deferral, MemoryQuery, One, StoredMemory
from tests.stores import ALL, DUE, StoreTest, draft, in_a_file, long_term, short_term, stand_in, thread_memory

NOTHING = MemoryQuery(None, False, "none", 100, False, [], False)


def labels(memories: list[StoredMemory]) -> list[str]:
    return [f"{memory.scope_id} {memory.memory_type} {memory.version}" for memory in memories]


class Saving(StoreTest):
    def test_saved_memory_is_listed_as_it_was_returned(self) -> None:
        self.say("1.0")
        self.say("2.0", thread="1.0")
        sources = {"source_channel_id": "C1", "source_messages": ["1.0", "2.0"]}
        short = self.save(short_term("C1", "2.000000", **sources))
        long = self.save(long_term("C1", short, source_memories=[short.id]))
        workspace = self.save(draft("workspace", "default", "long-term", merged_through=long.id))
        thread = self.save(thread_memory("1.000000", "2.000000"))
        self.assertEqual((short.version, short.created_at), (1, Timestamp(500)))
        self.assertEqual(short.source_latest_message_ts, "2.000000")
        self.assertEqual(long.merged_through, short.id)
        self.assertEqual(self.listed(), [workspace, long, short, thread])

    def test_versions_count_up_and_ids_grow(self) -> None:
        saved = self.save_versions("1.0", "2.0", "3.0")
        self.assertEqual([memory.version for memory in saved], [1, 2, 3])
        ids = [memory.id for memory in saved] + [self.save(long_term("C1", saved[0])).id]
        self.assertEqual(ids, sorted(set(ids)))

    def test_overwritten_memory_takes_a_greater_id_and_keeps_its_creation_time(self) -> None:
        first = self.save(short_term("C1", "1.0", mode="overwrite", now=Timestamp(100)))
        newer = {"mode": "overwrite", "now": Timestamp(200), "content": "a newer text", "expected": first.id}
        second = self.save(short_term("C1", "1.0", **newer))
        self.assertGreater(second.id, first.id)
        self.assertEqual((second.version, second.content), (1, "a newer text"))
        self.assertEqual((second.created_at, second.updated_at), (Timestamp(100), Timestamp(200)))
        self.assertEqual(self.listed(), [second])

    def test_overwriting_replaces_all_versions(self) -> None:
        saved = self.save_versions("1.0", "2.0")
        memory = self.save(short_term("C1", "3.0", mode="overwrite", expected=saved[1].id))
        self.assertEqual(self.listed(), [memory])
        self.assertEqual(self.save(short_term("C1", "4.0", expected=memory.id)).version, 2)

    def test_stale_expectation_is_a_conflict_and_writes_nothing(self) -> None:
        first = self.save(short_term("C1", "1.0"))
        for expected in (None, first.id + 1):
            self.fails("conflict", lambda: self.save(short_term("C1", "2.0", expected=expected)))
        self.assertEqual(self.listed(), [first])

    def test_empty_text_is_refused(self) -> None:
        for content in ("", " \n"):
            self.fails("invalid", lambda: self.save(short_term("C1", "1.0", content=content)))
        self.assertEqual(self.listed(), [])

    def test_unknown_sources_are_refused_and_nothing_is_saved(self) -> None:
        self.say("1.0")
        for unknown in (
            {"source_channel_id": "C1", "source_messages": ["1.0", "7.0"]},
            {"source_memories": [77]},
            {"merged_through": 77},
        ):
            self.fails("invalid", lambda: self.save(short_term("C1", "1.0", **unknown)), "7")
        self.assertEqual(self.listed(), [])

    def test_memory_of_an_unknown_channel_is_not_found(self) -> None:
        self.fails("not-found", lambda: self.save(short_term("C9", "1.0")), "C9")
        self.fails("not-found", lambda: self.save(thread_memory("1.0", "1.0", scope_id="C9:1.0")), "C9")
        self.fails("invalid", lambda: self.save(draft("workspace", "another", "long-term")), "another")


class Reading(StoreTest):
    def fill(self) -> None:
        self.channel("C2", "another")
        self.say("1.0")
        self.save(thread_memory("2.0", "3.0"))
        self.save(thread_memory("1.0", "3.0"))
        self.save(thread_memory("1.0", "3.0", scope_id="C2:1.0"))
        self.save(short_term("C2", "1.0"))
        versions = self.save_versions("1.0", "2.0")
        self.save(long_term("C1", versions[1]))
        self.save(draft("workspace", "default", "short-term"))
        self.save(draft("workspace", "default", "long-term"))

    def test_memories_are_ordered_by_scope_id_type_and_version(self) -> None:
        self.fill()
        expected = ["default long-term 1", "default short-term 1", "C1 long-term 1", "C1 short-term 1"]
        expected += ["C1 short-term 2", "C2 short-term 1", "C1:1.000000 short-term 1", "C1:2.000000 short-term 1"]
        self.assertEqual(labels(self.listed()), expected)

    def test_only_the_scopes_asked_for_are_read(self) -> None:
        self.fill()
        self.assertEqual(self.listed(NOTHING), [])
        self.assertEqual(labels(self.listed(NOTHING, channels=One("C2"))), ["C2 short-term 1"])
        self.assertEqual(len(self.listed(NOTHING, workspace=True)), 2)
        threads = self.listed(NOTHING, threads=["C2:1.000000", "C2:9.000000"])
        self.assertEqual(labels(threads), ["C2:1.000000 short-term 1"])
        self.assertEqual(self.listed(NOTHING, channels=One("C9")), [])

    def test_history_limit_takes_the_newest_versions(self) -> None:
        versions = self.save_versions("1.0", "2.0", "3.0")
        self.save(long_term("C1", versions[2]))
        read = lambda limit: labels(self.listed(NOTHING, channels="all", history_limit=limit, unmerged=True))
        self.assertEqual(read(2), ["C1 long-term 1", "C1 short-term 2", "C1 short-term 3"])
        self.assertEqual(read(0), ["C1 long-term 1"])

    def test_unmerged_versions_come_however_old(self) -> None:
        versions = self.save_versions("1.0", "2.0", "3.0", "4.0")
        read = lambda unmerged: self.listed(NOTHING, channels=One("C1"), history_limit=1, unmerged=unmerged)
        self.assertEqual(read(True), versions)
        self.save(long_term("C1", versions[1]))
        self.assertEqual(read(True)[1:], versions[2:])
        self.assertEqual(read(False)[1:], versions[3:])

    def test_memories_made_after_until_do_not_exist_yet(self) -> None:
        self.say("1.0")
        late = {"now": Timestamp(900)}
        first = self.save(short_term("C1", "1.0"))
        long = self.save(long_term("C1", first))
        second = self.save(short_term("C1", "1.0", expected=first.id, **late))
        merged = self.save(long_term("C1", second, expected=long.id, **late))
        workspace = self.save(draft("workspace", "default", "long-term", **late))
        thread = self.save(thread_memory("1.000000", "1.0", **late))
        read = lambda until, limit, unmerged: self.listed(until=until, history_limit=limit, unmerged=unmerged)
        for until in ("500.0", "899.999999"):
            self.assertEqual(read(until, 1, False), [first])
        self.assertEqual(read("899.999999", 0, True), [])
        self.assertEqual(read("499.999999", 9, True), [])
        for until in (None, "900.0"):
            self.assertEqual(read(until, 1, False), [workspace, merged, second, thread])
        self.fails("invalid", lambda: read("yesterday", 1, False))


class StandIns(StoreTest):
    def test_stand_in_is_version_zero_beside_the_versions(self) -> None:
        first = self.save(short_term("C1", "1.0"))
        beside = self.save(stand_in(first, short_term("C1", "2.0")))
        self.assertEqual(beside.version, 0)
        self.assertGreater(beside.id, first.id)
        self.assertEqual(self.listed(), [beside, first])
        self.assertEqual(self.save(short_term("C1", "2.0", expected=first.id)).version, 2)

    def test_stand_in_takes_the_place_of_an_earlier_one(self) -> None:
        made = lambda content, now: stand_in(None, short_term("C1", "1.0", content=content, now=Timestamp(now)))
        first = self.save(made("first", 100))
        second = self.save(made("second", 200))
        self.assertGreater(second.id, first.id)
        self.assertEqual((second.created_at, second.updated_at), (Timestamp(100), Timestamp(200)))
        self.assertEqual(self.listed(), [second])

    def test_saved_memory_sets_its_stand_in_aside(self) -> None:
        self.channel("C2", "other")
        self.say("1.0")
        for mode in ("new-version", "overwrite"):
            newest = next((m for m in reversed(self.listed()) if (m.scope_id, m.version > 0) == ("C1", True)), None)
            self.save(stand_in(newest, short_term("C1", "1.0")))
            other = self.save(stand_in(None, short_term("C2", "1.0")))
            thread = self.save(stand_in(None, thread_memory("1.0", "2.0")))
            made = self.save(short_term("C1", "2.0", mode=mode, expected=newest and newest.id))
            self.assertEqual(self.listed(), [made, other, thread])

    def test_stand_ins_are_no_expectation(self) -> None:
        beside = self.save(stand_in(None, short_term("C1", "1.0")))
        for mode in ("new-version", "overwrite", "stand-in"):
            self.fails("conflict", lambda: self.save(short_term("C1", "2.0", mode=mode, expected=beside.id)))
        made = self.save(short_term("C1", "2.0"))
        # A stand-in is refused if the memory itself was made in the meantime.
        self.fails("conflict", lambda: self.save(stand_in(None, short_term("C1", "2.0"))))
        self.assertEqual(self.listed(), [made])

    def test_stand_ins_are_listed_outside_the_history_limit(self) -> None:
        self.channel("C2", "other")
        self.say("1.0")
        versions = self.save_versions("1.0", "2.0", "3.0")
        merged = self.save(long_term("C1", versions[1]))
        beside = self.save(stand_in(versions[-1], short_term("C1", "4.0")))
        alone = self.save(stand_in(None, short_term("C2", "1.0")))
        for limit, unmerged, start in [(0, False, 3), (0, True, 2), (1, False, 2), (2, True, 1), (9, False, 0)]:
            listed = self.listed(NOTHING, channels="all", history_limit=limit, unmerged=unmerged)
            self.assertEqual(listed, [merged, beside, *versions[start:], alone])
        of_thread = self.save(thread_memory("1.000000", "2.0"))
        thread = self.save(stand_in(of_thread, thread_memory("1.000000", "2.0")))
        workspace = self.save(stand_in(None, draft("workspace", "default", "short-term")))
        others = self.listed(NOTHING, workspace=True, threads=[thread.scope_id], history_limit=0)
        self.assertEqual(others, [workspace, thread, of_thread])

    def test_stand_ins_change_no_backlog(self) -> None:
        self.say("150.0")
        self.say("7000.0", thread="150.0")

        def seen() -> tuple[Any, ...]:
            backlogs = [self.store.get_backlog("C1", thread, "10000.0") for thread in (None, "150.0")]
            return (*backlogs, self.due_channels(), self.due_threads())

        for summarized in (False, True):
            before = seen()
            newest = {memory.scope: memory for memory in self.listed(ALL) if memory.memory_type == "short-term"}
            self.save(stand_in(newest.get("channel"), short_term("C1", "7000.0")))
            self.save(stand_in(newest.get("thread"), thread_memory("150.0", "7000.0")))
            self.assertEqual(seen(), before)
            self.assertEqual((before[0].new_message_count, len(before[3])), (1 if summarized else 2, 1))
            if not summarized:
                self.save(short_term("C1", "150.0"))
                self.save(thread_memory("150.0", "150.0"))
                self.assertEqual(self.store.get_backlog("C1", None, "10000.0").unmerged_count, 1)

    def test_stand_ins_make_no_workspace_due(self) -> None:
        def flags() -> tuple[bool, bool]:
            due = self.store.list_due(DUE)
            return due.workspace_long_term, due.workspace_short_term

        self.save(stand_in(None, short_term("C1", "1.0")))
        self.assertEqual(flags(), (False, False))
        made = self.save(short_term("C1", "1.0"))
        workspace = draft("workspace", "default", "short-term", merged_through=made.id)
        self.save(stand_in(None, workspace))
        self.assertEqual(flags(), (False, True))
        self.save(workspace)
        self.save(stand_in(made, short_term("C1", "1.0")))
        self.assertEqual(flags(), (False, False))


class Deferrals(StoreTest):
    def test_deferrals_are_listed_by_what_they_are_about(self) -> None:
        self.channel("C2", "other")
        short, long = deferral("short-term", 900, 1), deferral("long-term", 1800, 2)
        thread, workspace = deferral("short-term", 3600, 3), deferral("long-term", 7200, 4)
        self.store.defer("channel", "C1", short)
        self.store.defer("channel", "C1", long)
        self.store.defer("thread", "C1:1.0", thread)
        self.store.defer("workspace", "default", workspace)
        self.assertEqual(self.store.list_deferrals("channel", "C1"), [long, short])
        for scope_id in ("C1:1.0", "C1:1.000000"):
            self.assertEqual(self.store.list_deferrals("thread", scope_id), [thread])
        self.assertEqual(self.store.list_deferrals("workspace", "default"), [workspace])
        self.assertEqual(self.store.list_deferrals("channel", "C2"), [])
        self.assertEqual(self.store.list_deferrals("thread", "C1:2.0"), [])

    def test_deferring_again_replaces_the_deferral(self) -> None:
        for until, failures in ((900, 1), (2700, 2)):
            again = deferral("short-term", until, failures)
            self.store.defer("channel", "C1", again)
            self.assertEqual(self.store.list_deferrals("channel", "C1"), [again])

    def test_saved_memory_ends_its_deferral(self) -> None:
        self.channel("C2", "other")
        short, long = deferral("short-term", 900, 1), deferral("long-term", 900, 1)
        for scope_id in ("C1", "C2"):
            self.store.defer("channel", scope_id, short)
            self.store.defer("channel", scope_id, long)
        made = self.save(short_term("C1", "1.0"))
        self.assertEqual(self.store.list_deferrals("channel", "C1"), [long])
        self.save(long_term("C1", made))
        self.assertEqual(self.store.list_deferrals("channel", "C1"), [])
        self.assertEqual(len(self.store.list_deferrals("channel", "C2")), 2)
        self.store.defer("thread", "C1:1.0", short)
        self.save(thread_memory("1.0", "2.0"))
        self.assertEqual(self.store.list_deferrals("thread", "C1:1.0"), [])
        self.store.defer("workspace", "default", long)
        self.save(draft("workspace", "default", "long-term"))
        self.assertEqual(self.store.list_deferrals("workspace", "default"), [])

    def test_stand_in_and_refused_save_end_no_deferral(self) -> None:
        short = deferral("short-term", 900, 1)
        self.store.defer("channel", "C1", short)
        self.save(stand_in(None, short_term("C1", "1.0")))
        self.fails("conflict", lambda: self.save(short_term("C1", "1.0", expected=77)))
        self.fails("invalid", lambda: self.save(short_term("C1", "1.0", source_memories=[77])))
        self.assertEqual(self.store.list_deferrals("channel", "C1"), [short])

    def test_deferral_of_an_unknown_channel_is_not_found(self) -> None:
        for scope, scope_id in (("channel", "C9"), ("thread", "C9:1.0")):
            of: Any = scope
            self.fails("not-found", lambda: self.store.defer(of, scope_id, deferral("short-term", 900, 1)), "C9")
            self.fails("not-found", lambda: self.store.list_deferrals(of, scope_id), "C9")


def deferral(memory_type: Any, until: int, failures: int) -> Deferral:
    return Deferral(memory_type, Timestamp(until), failures, f"the model failed {failures} times")


SavingInAFile = in_a_file(Saving)
ReadingInAFile = in_a_file(Reading)
StandInsInAFile = in_a_file(StandIns)
DeferralsInAFile = in_a_file(Deferrals)
