"""What people take back is gone from everything that was made from it."""

from myao import StorageError
from myao.storage import Given, StoredMemory
from myao.types import Citation, MessageRef
from tests.stores import StoreTest, draft, in_a_file, long_term, short_term

CODE, LUNCH = MessageRef("C1", "1.000000"), MessageRef("C1", "2.000000")
TEXT = "- the code is 7\n- lunch at noon"
LINES = [Citation(0, 15, [CODE]), Citation(16, 15, [LUNCH])]


class Erasing(StoreTest):
    def remember(self, citations: list[Citation] = LINES) -> StoredMemory:
        self.say("1.0", said="the code is 7")
        self.say("2.0", said="lunch at noon")
        sources = {"source_channel_id": "C1", "source_messages": ["1.000000", "2.000000"]}
        return self.save(short_term("C1", "2.0", content=TEXT, citations=citations, **sources))

    def contents(self) -> list[str]:
        return [memory.content for memory in self.store.memories()]

    def test_lines_that_cite_a_deleted_message_go_and_the_others_stay(self) -> None:
        self.remember()
        self.store.delete_message("C1", "1.0")
        [memory] = self.store.memories()
        self.assertEqual(memory.content, "- lunch at noon")
        self.assertEqual(memory.citations, [Citation(0, 15, [LUNCH])])

    def test_an_edit_takes_the_old_words_back_and_the_message_waits_again(self) -> None:
        self.remember()
        self.assertEqual(self.store.get_backlog("C1", None, "9.0").new_message_count, 0)
        self.say("1.0", said="the code is secret", edited_at=5)
        self.assertEqual(self.contents(), ["- lunch at noon"])
        backlog = self.store.get_backlog("C1", None, "9.0")
        self.assertEqual((backlog.new_message_count, backlog.lost_lines), (2, True))

    def test_lines_without_a_message_go_with_every_message_that_the_call_was_given(self) -> None:
        self.remember([Citation(0, 15, []), LINES[1]])
        self.say("3.0")
        self.store.delete_message("C1", "3.0")
        self.assertEqual(self.contents(), [TEXT])
        self.store.delete_message("C1", "2.0")
        self.assertEqual(self.contents(), ["-"])

    def test_what_was_made_from_a_memory_goes_with_it(self) -> None:
        first = self.remember()
        given = Given(["C1"], {}, {first.id: first.content})
        merged = self.save(
            long_term("C1", first, source_memories=[first.id], content=TEXT, citations=[Citation(0, 15, []), LINES[1]])
        )
        self.save(
            draft("workspace", "default", "long-term", source_memories=[merged.id], content="the code is 7"), given
        )
        self.store.delete_message("C1", "1.0")
        self.assertEqual(self.contents(), ["-", "- lunch at noon", "- lunch at noon"])

    def test_a_save_from_what_has_changed_is_a_conflict(self) -> None:
        first = self.remember()
        self.channel("C2", "other")
        message, memory = {("C1", "1.000000"): "the code is 7"}, {first.id: first.content}
        self.save(short_term("C2", "1.0"), Given(["C1"], message, memory))
        self.store.delete_message("C1", "1.0")
        for given in (Given(["C1"], message, {}), Given(["C1"], {}, memory)):
            self.fails("conflict", lambda: self.save(draft("workspace", "default", "long-term"), given), "read again")

    def test_words_that_are_gone_are_in_no_page_of_the_file(self) -> None:
        self.remember()
        self.store.delete_message("C1", "1.0")
        dump = "\n".join(self.store._connection.iterdump())
        self.assertNotIn("the code", dump)
        self.assertNotIn("'code'", dump)

    def test_a_channel_that_becomes_private_takes_back_what_was_made_from_it_elsewhere(self) -> None:
        own = self.remember()
        self.channel("C2", "other")
        self.say("1.0", channel="C2")
        sources = {"source_channel_id": "C2", "source_messages": ["1.0"]}
        self.save(short_term("C2", "1.0", **sources), Given(["C1"], {}, {own.id: own.content}))
        self.save(draft("workspace", "default", "long-term"), Given(["C1"], {}, {}))
        self.assertEqual(len(self.listed()), 3)
        self.store.add_channel("C1", "general", is_private=True)
        self.assertEqual(self.listed(), [memory for memory in self.listed() if memory.scope_id == "C1"])
        self.assertEqual(self.contents(), [TEXT])
        self.assertEqual(self.store.get_backlog("C2", None, "9.0").new_message_count, 1)
        late = Given(["C1"], {}, {})
        self.fails("conflict", lambda: self.save(draft("workspace", "default", "long-term"), late))

    def test_citations_have_to_be_lines_of_the_text(self) -> None:
        for line in (Citation(0, 99, []), Citation(0, 0, []), Citation(0, 1, [MessageRef("C1", "9.0")])):
            with self.assertRaises(StorageError):
                self.save(short_term("C1", "1.0", citations=[line]))


ErasingInAFile = in_a_file(Erasing)
