"""Channels and messages of the stores."""

from dataclasses import replace
from typing import Any

from myao import InvalidArgument, Timestamp
from tests.stores import READ, StoreTest, in_a_file


class Messages(StoreTest):
    def test_unknown_names_never_overwrite_known_ones(self) -> None:
        self.store.add_user("U1", "Aki")
        self.say("1.0")
        self.channel("C1", "")
        self.store.add_user("U1", "")
        self.assertEqual(self.store.list_channels()[0].name, "general")
        self.assertEqual(self.store.list_messages(READ)[0].user.name, "Aki")

    def test_the_newest_top_level_messages_are_no_replies(self) -> None:
        self.say("1.0")
        self.say("2.0", thread="1.0")
        self.say("3.0")
        self.say("4.0", thread="1.0")
        self.assertEqual(self.ids(limit=1, keep="newest-top-level"), ["3.000000"])

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

    def test_a_message_of_more_than_100000_characters_is_kept_cut_with_a_note(self) -> None:
        for ts, word, note in (("1.0", "log 🙂 ", "too long]"), ("2.0", "記録 ", "保存していません]")):
            self.say(ts, said=word * 5_000_000)
            said = self.store.list_messages(READ)[-1].text
            self.assertEqual(len(said), 100_000)
            self.assertTrue(said.startswith(word * 9) and said.endswith(note))
        self.say("3.0", said="🙂" * 100_000)
        self.assertEqual(self.store.list_messages(READ)[-1].text, "🙂" * 100_000)

    def test_what_is_no_truth_value_is_refused(self) -> None:
        for value in ("false", None, 0):
            wrong: Any = value
            with self.assertRaisesRegex(InvalidArgument, "is_private .*expected True or False"):
                self.store.add_channel("C1", "general", is_private=wrong)
            with self.assertRaisesRegex(InvalidArgument, "is_bot"):
                self.store.add_user("U1", "Aki", is_bot=wrong)
            with self.assertRaisesRegex(InvalidArgument, "is_bot"):
                self.store.add_message("C1", "1.0", "U1", "hello", is_bot=wrong)
            with self.assertRaisesRegex(InvalidArgument, "is_pinned"):
                self.store.pin_message("C1", "1.0", wrong)

    def test_times_after_the_year_9999_are_refused(self) -> None:
        for change in ({"ts": "999999999999.0"}, {"ts": "1.0", "edited_at": 2**53 // 1000}):
            with self.assertRaises(InvalidArgument) as raised:
                self.say(**change)  # type: ignore[arg-type]
            self.assertEqual(raised.exception.code, "invalid-time")
        self.assertEqual(self.ids(), [])

    def test_a_lone_surrogate_is_refused_by_name_and_nothing_is_written(self) -> None:
        half = "a\ud83d"
        writes = (
            lambda: self.store.add_message("C1", "1.0", "U1", half),
            lambda: self.store.add_message("C1", "1.0", "U1", "hello", author_name=half),
            lambda: self.store.say("C1", half, "hello", 5),
            lambda: self.store.add_user("U1", half),
            lambda: self.store.add_channel("C1", half, is_private=False),
        )
        for write in writes:
            with self.assertRaises(InvalidArgument) as raised:
                write()
            self.assertEqual(raised.exception.code, "lone-surrogate")
        self.assertEqual((self.ids(), self.store.list_channels()[0].name), ([], "general"))

    def test_messages_of_one_second_have_ids_in_order(self) -> None:
        ids = [self.store.say("C1", "Aki", "hello", 5) for _ in range(3)]
        self.assertEqual(ids, ["5.000001", "5.000002", "5.000003"])
        self.assertEqual(self.store.list_messages(READ)[0].user.name, "Aki")


MessagesInAFile = in_a_file(Messages)
