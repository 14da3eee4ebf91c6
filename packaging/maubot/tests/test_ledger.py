"""The bot's own database: ids that stay, and one bot at a time."""

import tempfile
import unittest
from pathlib import Path

from myao import ConfigurationError
from myao_matrix.events import Edited, Said
from myao_matrix.ledger import Ledger

ROOM, ALICE, NOW = "!room:example.test", "@alice:example.test", 1772411400


def said(event: str, seconds: float = NOW, thread: str | None = None) -> Said:
    return Said(event, ALICE, int(seconds * 1000), "…", thread, False, None, None)


class Ids(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "bot.db"
        self.ledger = Ledger(self.path)
        self.addCleanup(lambda: self.ledger.close())
        self.ledger.set_room(ROOM, is_private=False, is_encrypted=False)

    def ts(self, event: str, seconds: float = NOW, thread: str | None = None) -> str:
        kept = self.ledger.keep(ROOM, said(event, seconds, thread), NOW, asks=False)
        assert kept
        return kept.ts

    def test_messages_of_a_second_have_ids_in_order_which_survive(self) -> None:
        first = [self.ts(event) for event in ("$a", "$b")]
        self.assertEqual(first, [f"{NOW}.000001", f"{NOW}.000002"])
        self.ledger.close()
        self.ledger = Ledger(self.path)
        self.assertEqual([self.ts(event) for event in ("$b", "$a", "$c")], [first[1], first[0], f"{NOW}.000003"])
        self.assertEqual(self.path.stat().st_mode & 0o077, 0)

    def test_nothing_is_from_the_future(self) -> None:
        self.assertEqual(self.ts("$a", NOW + 1e9), f"{NOW}.000001")
        self.assertEqual(self.ts("$b", -5), "0.000001")

    def test_a_thread_without_its_first_message_is_none(self) -> None:
        self.ts("$root")
        in_thread = self.ledger.keep(ROOM, said("$a", thread="$root"), NOW, asks=False)
        outside = self.ledger.keep(ROOM, said("$b", thread="$unknown"), NOW, asks=False)
        assert in_thread and outside
        self.assertEqual((in_thread.thread, outside.thread), (f"{NOW}.000001", None))
        other = self.ledger.keep("!other:example.test", said("$c", thread="$root"), NOW, asks=False)
        assert other
        self.assertIsNone(other.thread)

    def test_the_newest_edit_counts_in_whatever_order_they_come(self) -> None:
        self.ts("$a")
        newer = Edited("$2", "$a", ALICE, (NOW + 2) * 1000, "second", None)
        older = Edited("$1", "$a", ALICE, (NOW + 1) * 1000, "first", None)
        self.assertIsNotNone(self.ledger.edit(ROOM, newer, NOW + 5, asks=False).edited)
        self.assertIsNone(self.ledger.edit(ROOM, older, NOW + 5, asks=False).edited)
        again = self.ledger.edit(ROOM, newer, NOW + 5, asks=False).edited
        assert again
        self.assertEqual(again.edited_at, NOW + 2)

    def test_an_edit_of_the_far_future_or_past_is_not_the_last_one(self) -> None:
        self.ts("$a")
        for number, ms in enumerate((2**53 - 1, 2**70, 0, -1)):
            self.ledger.edit(ROOM, Edited(f"$odd{number}", "$a", ALICE, ms, "odd", None), NOW + number, asks=False)
        edited = Edited("$0", "$a", ALICE, (NOW + 9) * 1000, "right", None)
        self.assertIsNotNone(self.ledger.edit(ROOM, edited, NOW + 9, asks=False).edited)

    def test_what_was_redacted_does_not_come_back(self) -> None:
        self.ledger.redact(ROOM, "$a")
        self.assertIsNone(self.ledger.keep(ROOM, said("$a"), NOW, asks=True))
        self.assertEqual(self.ledger.open_answers(NOW), [])

    def test_another_room_redacts_nothing_here(self) -> None:
        self.ts("$a")
        self.assertEqual(self.ledger.redact("!other:example.test", "$a").deleted, [])
        self.assertIsNotNone(self.ledger.kept("$a"))

    def test_an_answer_from_what_changed_meanwhile_is_not_kept(self) -> None:
        source = self.ts("$a")
        self.ledger.keep(ROOM, said("$mention"), NOW, asks=True)
        begun = self.ledger.changes()
        self.ledger.edit(ROOM, Edited("$1", "$a", ALICE, NOW * 1000, "changed", None), NOW, asks=False)
        self.assertFalse(self.ledger.write("$mention", "old words", "", [(ROOM, source)], begun))
        self.assertTrue(self.ledger.write("$mention", "new words", "", [(ROOM, source)], self.ledger.changes()))
        self.ledger.redact(ROOM, "$a")
        [answer] = self.ledger.open_answers(NOW)
        self.assertEqual((answer.state, answer.text), ("taken-back", None))

    def test_an_answer_that_arrives_after_its_mention_was_asked_again_is_redacted(self) -> None:
        source = self.ts("$a")
        self.ledger.keep(ROOM, said("$mention"), NOW, asks=True)
        self.assertTrue(self.ledger.write("$mention", "old words", "", [(ROOM, source)], self.ledger.changes()))
        self.ledger.edit(ROOM, Edited("$1", "$a", ALICE, NOW * 1000, "changed", None), NOW, asks=False)
        self.ledger.ask_again("$mention")
        self.assertTrue(self.ledger.write("$mention", "new words", "", [(ROOM, source)], self.ledger.changes()))
        self.ledger.sent("$mention", ROOM, "$late", 0)
        self.ledger.sent("$mention", ROOM, "$new", 1)
        self.assertEqual([(of.state, of.event_id) for of in self.ledger.open_answers(NOW)], [("taken-back", "$late")])
        self.assertIsNone(self.ledger.keep(ROOM, said("$late"), NOW, asks=False))
        answer = self.ledger.answer("$mention")
        assert answer
        self.assertEqual((answer.state, answer.event_id), ("sent", "$new"))

    def test_a_second_bot_does_not_start(self) -> None:
        with self.assertRaisesRegex(ConfigurationError, "another bot"):
            Ledger(self.path)


if __name__ == "__main__":
    unittest.main()
