"""What waits in the stores."""

from dataclasses import replace

from myao import Timestamp
from tests.stores import ALWAYS, DUE, StoreTest, draft, in_a_file, long_term, short_term, thread_memory


class Due(StoreTest):
    def backlog(self, thread: str | None = None, until: str = "10000.0"):
        return self.store.get_backlog("C1", thread, until)

    def test_never_summarized_channel_is_due_with_a_message_in_the_window(self) -> None:
        for id, name in (("C0", "first"), ("C2", "old"), ("C3", "empty")):
            self.channel(id, name)
        self.say("100.0")
        self.say("5000.0")
        self.say("9999.0", channel="C0")
        self.say("4999.9", channel="C2")
        self.assertEqual(self.due_channels(), ["C0", "C1"])

    def test_channel_without_new_messages_is_not_due(self) -> None:
        self.say("6000.0")
        self.say("7000.0")
        self.save(long_term("C1", self.save_versions("7000.0")[0]))
        self.assertEqual(self.due_channels(ALWAYS), [])
        self.assertEqual((self.backlog().new_message_count, self.backlog().unmerged_count), (0, 0))

    def test_channel_with_a_new_message_is_due_when_idle_or_full_or_always(self) -> None:
        self.say("6000.0")
        self.say("9000.000001")
        self.save(long_term("C1", self.save_versions("6000.0")[0]))
        self.assertEqual(self.due_channels(), [])
        for query in (ALWAYS, replace(DUE, idle_since="9000.000001"), replace(DUE, message_threshold=1)):
            self.assertEqual(self.due_channels(query), ["C1"])

    def test_channel_with_an_unmerged_version_is_due(self) -> None:
        self.say("6000.0")
        versions = self.save_versions("6000.0", "6000.0")
        self.assertEqual(self.due_channels(), ["C1"])
        self.assertEqual(self.backlog().unmerged_count, 2)
        merged = self.save(long_term("C1", versions[0]))
        self.assertEqual(self.backlog().unmerged_count, 1)
        self.save(long_term("C1", versions[1], expected=merged.id))
        self.assertEqual(self.due_channels(), [])

    def test_messages_after_until_do_not_exist_yet(self) -> None:
        self.channel("C2", "later")
        self.say("10001.0", channel="C2")
        self.channel("C3", "gone")
        self.say("4000.0", channel="C3")
        self.say("11000.0", channel="C3")
        for ts in ("6000.0", "9500.0", "10001.0", "10002.0"):
            self.say(ts)
        self.say("10003.0", thread="9500.0")
        due = self.store.list_due(DUE)
        self.assertEqual(due.threads, [])
        self.assertEqual(due.channels, [self.backlog()])
        self.assertEqual((self.backlog().latest_message_ts, self.backlog().new_message_count), ("9500.000000", 2))
        self.save(long_term("C1", self.save_versions("9500.0")[0]))
        self.assertEqual(self.due_channels(ALWAYS), [])

    def test_backlog_counts_what_is_in_no_version_yet(self) -> None:
        for ts in ("1.0", "2.0", "3.0"):
            self.say(ts)
        self.assertEqual((self.backlog().new_message_count, self.backlog().short_term_version), (3, None))
        self.save(short_term("C1", "2.0"))
        after = self.backlog(until="9.0")
        self.assertEqual((after.new_message_count, after.short_term_version), (1, 1))
        self.assertEqual((after.summarized_through, after.latest_message_ts), ("2.000000", "3.000000"))
        self.say("4.0")
        self.assertEqual(self.backlog(until="9.0").new_message_count, 2)
        self.assertEqual(self.backlog(until="3.0").new_message_count, 1)

    def test_late_messages_wait_until_a_version_is_made_from_them(self) -> None:
        for ts in ("1.0", "20.0", "30.0", "60.0"):
            self.say(ts)

        def version(expected: int | None, latest: str, *messages: str) -> int:
            sources = {"source_channel_id": "C1", "source_messages": list(messages)}
            return self.save(short_term("C1", latest, expected=expected, **sources)).id

        first = version(None, "30.0", "20.0", "30.0")
        self.say("10.0")
        self.say("25.0")
        self.say("26.0", thread="1.0")

        def waits(until: str) -> tuple[int, int]:
            backlog = self.backlog(until=until)
            return backlog.new_message_count, backlog.late_message_count

        self.assertEqual(waits("99.0"), (4, 3))
        self.assertEqual(waits("25.0"), (2, 2))
        self.assertEqual(self.due_channels(ALWAYS), ["C1"])
        new = {"only_new": True, "until": "99.0"}
        read = lambda limit, keep, since=None: [ts[:2] for ts in self.ids(limit=limit, keep=keep, since=since, **new)]
        self.assertEqual(read(9, "oldest"), ["1.", "10", "25", "26", "60"])
        self.assertEqual(read(2, "oldest"), ["10", "25"])
        self.assertEqual(read(1, "newest"), ["60"])
        self.assertEqual(read(9, "oldest", "26.5"), ["60"])
        second = version(first, "30.0", "10.0", "20.0", "25.0")
        self.assertEqual(waits("99.0"), (2, 1))
        version(second, "60.0", "1.0", "26.0", "60.0")
        self.assertEqual(waits("99.0"), (0, 0))
        self.assertEqual(read(9, "oldest"), [])

    def test_deleted_messages_do_not_wait(self) -> None:
        self.say("6000.0")
        self.say("7000.0", thread="6000.0")
        self.store.delete_message("C1", "7000.0")
        self.assertEqual(self.due_threads(), [])
        self.assertEqual(self.backlog(until="9999.0").new_message_count, 1)
        self.store.delete_message("C1", "6000.0")
        self.assertEqual(self.due_channels(), [])
        self.assertIsNone(self.backlog(until="9999.0").latest_message_ts)

    def test_thread_is_due_with_a_reply_and_again_with_a_new_one(self) -> None:
        self.say("100.0")
        self.say("6000.0", thread="100.0")
        due = self.store.list_due(DUE).threads
        self.assertEqual(due, [self.backlog("100.0")])
        self.assertEqual((due[0].thread_ts, due[0].new_message_count), ("100.000000", 2))
        self.assertEqual(due[0].latest_message_ts, "6000.000000")
        self.save(thread_memory("100.0", "6000.0"))
        self.assertEqual(self.due_threads(), [])
        self.say("6001.0", thread="100.0")
        self.assertEqual(self.due_threads(), ["100.000000"])
        self.assertEqual((self.backlog("100.0").new_message_count, self.backlog("100.0").short_term_version), (1, 1))

    def test_first_message_alone_is_no_thread(self) -> None:
        self.say("6000.0")
        self.assertEqual(self.due_threads(), [])
        nothing = self.backlog("6000.0")
        self.assertEqual((nothing.new_message_count, nothing.latest_message_ts), (0, None))

    def test_thread_whose_first_message_comes_late_counts_it(self) -> None:
        self.say("7000.0", thread="6000.0")
        self.assertEqual(self.backlog("6000.0").new_message_count, 1)
        self.say("6000.0")
        self.assertEqual(self.backlog("6000.0").new_message_count, 2)

    def test_thread_of_which_a_summarized_message_changed_is_due_again(self) -> None:
        self.say("100.0")
        self.say("6000.0", thread="100.0")
        self.say("6500.0", thread="100.0")
        newest = self.save(thread_memory("100.0", "6500.0", now=Timestamp(6600)))
        self.assertEqual(self.due_threads(), [])
        for change in (
            lambda: self.say("6000.0", thread="100.0", said="another text", edited_at=7000),
            lambda: self.store.delete_message("C1", "6000.0"),
        ):
            change()
            again = self.backlog("100.0")
            self.assertEqual(again.new_message_count, 1)
            self.assertEqual(self.store.list_due(DUE).threads, [again])
            newest = self.save(thread_memory("100.0", "6500.0", expected=newest.id, now=Timestamp(8000)))
            self.assertEqual(self.due_threads(), [])

    def test_thread_outside_the_window_is_not_due(self) -> None:
        self.say("100.0")
        self.say("4999.0", thread="100.0")
        self.say("10001.0", thread="100.0")
        self.assertEqual(self.due_threads(), [])

    def test_workspace_is_due_when_a_channel_memory_is_newer(self) -> None:
        def flags() -> tuple[bool, bool]:
            due = self.store.list_due(DUE)
            return due.workspace_long_term, due.workspace_short_term

        self.assertEqual(flags(), (False, False))
        short = self.save(short_term("C1", "1.0"))
        self.assertEqual(flags(), (False, True))
        long = self.save(long_term("C1", short))
        self.assertEqual(flags(), (True, True))
        self.save(draft("workspace", "default", "long-term", merged_through=long.id))
        self.save(draft("workspace", "default", "short-term", merged_through=short.id))
        self.assertEqual(flags(), (False, False))
        self.save(long_term("C1", short, expected=long.id))
        self.assertEqual(flags(), (True, False))


DueInAFile = in_a_file(Due)
