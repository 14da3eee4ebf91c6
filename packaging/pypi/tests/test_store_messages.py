"""Channels and messages of the stores."""

from dataclasses import replace

from myao import Timestamp
from tests.stores import READ, StoreTest, in_a_file


class Messages(StoreTest):
    def test_channels_are_ordered_by_name_and_then_by_id(self) -> None:
        for id, name in [("C3", "b"), ("C2", "a"), ("C1", "b")]:
            self.channel(id, name)
        self.assertEqual([channel.id for channel in self.store.list_channels()], ["C2", "C1", "C3"])

    def test_unknown_names_never_overwrite_known_ones(self) -> None:
        self.store.add_user("U1", "Aki")
        self.say("1.0")
        self.channel("C1", "")
        self.store.add_user("U1", "")
        self.assertEqual(self.store.list_channels()[0].name, "general")
        self.assertEqual(self.store.list_messages(READ)[0].user.name, "Aki")

    def test_messages_come_oldest_first_within_inclusive_bounds(self) -> None:
        self.channel("C2", "other")
        self.say("3.5", channel="C2")
        for ts in ("4.0", "2.0", "3.0", "5.0"):
            self.say(ts)
        self.assertEqual(self.ids(since="3.0", until="4.0"), ["3.000000", "4.000000"])

    def test_messages_are_ordered_numerically(self) -> None:
        for ts in ("1000.000002", "999.000009", "1000.000010"):
            self.say(ts)
        self.assertEqual(self.ids(until="1000.000002"), ["999.000009", "1000.000002"])

    def test_limit_keeps_the_newest_or_the_oldest(self) -> None:
        for ts in ("1.0", "2.0", "3.0"):
            self.say(ts)
        self.assertEqual(self.ids(limit=2), ["2.000000", "3.000000"])
        self.assertEqual(self.ids(limit=2, keep="oldest"), ["1.000000", "2.000000"])
        self.assertEqual(self.ids(limit=0), [])

    def test_the_newest_top_level_messages_are_no_replies(self) -> None:
        self.say("1.0")
        self.say("2.0", thread="1.0")
        self.say("3.0")
        self.say("4.0", thread="1.0")
        self.assertEqual(self.ids(limit=1, keep="newest-top-level"), ["3.000000"])

    def test_first_message_of_a_thread_comes_with_its_replies(self) -> None:
        self.say("1.0")
        self.say("2.0")
        self.say("3.0", thread="1.0")
        self.say("4.0")
        messages = self.store.list_messages(replace(READ, since="2.5", limit=2))
        threads = [(message.ts, message.thread_ts) for message in messages]
        self.assertEqual(threads, [("1.000000", "1.000000"), ("3.000000", "1.000000"), ("4.000000", None)])

    def test_whole_thread_is_read_outside_since_and_limit(self) -> None:
        for ts in ("1.0", "3.0", "5.0"):
            self.say(ts)
        for ts in ("2.0", "4.0", "6.0", "8.0"):
            self.say(ts, thread="1.0")
        query = {"since": "3.5", "until": "7.0", "limit": 1, "thread_limit": 9}
        thread = ["1.000000", "2.000000", "4.000000", "5.000000", "6.000000"]
        self.assertEqual(self.ids(whole_thread="1.0", **query), thread)
        self.assertEqual(self.ids(whole_thread="77.0", **query), ["1.000000", "6.000000"])

    def test_long_thread_keeps_its_first_message_and_its_newest_replies(self) -> None:
        for ts in ("1.0", "2.0", "6.0"):
            self.say(ts)
        for ts in ("3.0", "4.0", "5.0"):
            self.say(ts, thread="1.0")
        kept = {0: ["1"], 2: ["1", "4", "5"], 3: ["1", "3", "4", "5"]}
        for limit, seconds in kept.items():
            expected = sorted(f"{second}.000000" for second in [*seconds, "2", "6"])
            self.assertEqual(self.ids(whole_thread="1.0", thread_limit=limit), expected)
        earlier = self.ids(whole_thread="1.0", thread_limit=1, until="4.5")
        self.assertEqual(earlier, ["1.000000", "2.000000", "4.000000"])

    def test_first_message_names_its_thread_once_there_is_a_reply(self) -> None:
        self.say("1.0", thread="1.0")
        self.say("5.0", thread="1.0")
        thread_at = lambda until: self.store.list_messages(replace(READ, until=until))[0].thread_ts
        self.assertIsNone(thread_at("4.0"))
        self.assertEqual(thread_at("5.0"), "1.000000")
        self.store.delete_message("C1", "5.0")
        self.assertIsNone(thread_at("5.0"))

    def test_deleted_message_is_not_returned_and_never_comes_back(self) -> None:
        self.say("1.0")
        self.say("2.0", thread="1.0")
        self.store.delete_message("C1", "1.0")
        self.say("1.0")
        self.say("1.0", edited_at=9)
        self.assertEqual(self.ids(), ["2.000000"])
        self.assertEqual(self.ids(limit=0, whole_thread="1.0", thread_limit=9), ["2.000000"])

    def test_deletion_before_the_message_arrives_counts(self) -> None:
        self.store.delete_message("C1", "1.0")
        self.say("1.0")
        self.assertEqual(self.ids(), [])

    def test_edit_replaces_the_text_and_an_older_one_changes_nothing(self) -> None:
        self.say("1.0")
        self.say("1.0", said="second", edited_at=20)
        self.say("1.0", said="first", edited_at=10)
        self.say("1.0")
        message = self.store.list_messages(READ)[0]
        self.assertEqual((message.text, message.edited_at), ("second", Timestamp(20)))

    def test_authors_have_names_and_never_ids(self) -> None:
        self.store.add_user("U1", "Aki")
        self.say("1.0", author_name="Deploys")
        self.say("2.0")
        self.store.add_message("C1", "3.0", "U9", "hello")
        names = [message.user.name for message in self.store.list_messages(READ)]
        self.assertEqual(names, ["Deploys", "Aki", "(unknown user)"])

    def test_unknown_channel_is_not_found(self) -> None:
        self.fails("not-found", lambda: self.store.list_messages(replace(READ, channel_id="C9")), "C9")
        self.fails("not-found", lambda: self.store.get_backlog("C9", None, "9.0"), "C9")
        self.fails("not-found", lambda: self.say("1.0", channel="C9"), "C9")

    def test_what_is_no_message_id_is_invalid(self) -> None:
        self.fails("invalid", lambda: self.store.list_messages(replace(READ, until="yesterday")), "yesterday")
        self.fails("invalid", lambda: self.store.get_backlog("C1", "yesterday", "9.0"), "yesterday")

    def test_marks_of_people_are_listed_and_those_of_programs_only_if_pinned(self) -> None:
        self.store.add_user("B1", "buildbot", is_bot=True)
        self.say("1.0", said="@myao remember: the code is 7")
        self.say("2.0", said="do you remember?")
        self.store.add_message("C1", "3.0", "B1", "@myao correction: all is well")
        self.store.add_message("C1", "4.0", "B1", "build 7")
        self.store.pin_message("C1", "4.0")
        marked = self.store.list_marked("C1", "9.0", 9)
        self.assertEqual(
            [(mark.message.ts, mark.is_pinned) for mark in marked], [("1.000000", False), ("4.000000", True)]
        )
        self.assertEqual(len(self.store.list_marked("C1", "9.0", 1)), 1)

    def test_messages_of_one_second_have_ids_in_order(self) -> None:
        ids = [self.store.say("C1", "Aki", "hello", 5) for _ in range(3)]
        self.assertEqual(ids, ["5.000001", "5.000002", "5.000003"])
        self.assertEqual(self.store.list_messages(READ)[0].user.name, "Aki")


MessagesInAFile = in_a_file(Messages)
