"""Channels and messages of the stores."""

from dataclasses import replace

from myao import Timestamp
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

    def test_messages_of_one_second_have_ids_in_order(self) -> None:
        ids = [self.store.say("C1", "Aki", "hello", 5) for _ in range(3)]
        self.assertEqual(ids, ["5.000001", "5.000002", "5.000003"])
        self.assertEqual(self.store.list_messages(READ)[0].user.name, "Aki")


MessagesInAFile = in_a_file(Messages)
