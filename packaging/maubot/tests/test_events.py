"""Events as other programs send them: nothing in them is trusted, and texts become what a person reads."""

import unittest
from typing import Any

from myao_matrix.events import Edited, Redacted, Said, as_read, mentions, newest_edit, read

ALICE, BOT = "@alice:example.test", "@myao:example.test"


def message(**changes: Any) -> dict[str, Any]:
    event = {"event_id": "$1", "sender": ALICE, "type": "m.room.message", "origin_server_ts": 1772411400123}
    return event | {"content": {"msgtype": "m.text", "body": "Good morning"}} | changes


def said(**content: Any) -> Said:
    found = read(message(content={"msgtype": "m.text", "body": "Good morning"} | content))
    assert isinstance(found, Said)
    return found


class Reading(unittest.TestCase):
    def test_hostile_events_are_nothing(self) -> None:
        values: list[Any] = [None, 7, "x", [], {}, True, {"event_id": 7}, {"user_ids": 7}, 2**70]
        for key in ("content", "event_id", "sender", "type", "origin_server_ts", "unsigned", "state_key"):
            for value in values:
                read(message(**{key: value}))
        for key in ("body", "msgtype", "m.relates_to", "m.new_content", "m.mentions", "dev.myao.answers"):
            for value in values:
                read(message(content={"msgtype": "m.text", "body": "x", key: value}))
                newest_edit(message(unsigned={"m.relations": value}))
        self.assertIsNone(read({}))

    def test_what_is_not_said_is_nothing(self) -> None:
        for changes in ({"type": "m.room.encrypted"}, {"type": "m.reaction"}, {"state_key": ""}, {"content": {}}):
            self.assertIsNone(read(message(**changes)))
        self.assertIsNone(read(message(content={"msgtype": "m.text", "body": " \n"})))

    def test_the_quote_of_an_older_program_is_left_out(self) -> None:
        reply = {"m.relates_to": {"m.in_reply_to": {"event_id": "$0"}}}
        self.assertEqual(said(body="> <@bob:x> a\n> b\n\nYes.\n> mine", **reply).text, "Yes.\n> mine")
        self.assertEqual(said(body="> not a reply").text, "> not a reply")

    def test_an_emote_names_who_does_it(self) -> None:
        self.assertEqual(said(msgtype="m.emote", body="waves").text, "* alice waves")

    def test_threads_edits_and_redactions(self) -> None:
        self.assertEqual(said(**{"m.relates_to": {"rel_type": "m.thread", "event_id": "$0"}}).thread, "$0")
        new = {"m.new_content": {"msgtype": "m.text", "body": "Hello"}}
        edit = read(message(content={"body": "* Hello", "m.relates_to": {"rel_type": "m.replace", "event_id": "$0"}} | new))
        assert isinstance(edit, Edited)
        self.assertEqual((edit.of, edit.text), ("$0", "Hello"))
        redaction = {"event_id": "$2", "type": "m.room.redaction", "sender": ALICE}
        # Older and newer versions of rooms.
        self.assertEqual(read(redaction | {"redacts": "$0", "content": {}}), Redacted("$0"))
        self.assertEqual(read(redaction | {"content": {"redacts": "$0"}}), Redacted("$0"))
        self.assertEqual(read(message(content={}, unsigned={"redacted_because": redaction})), Redacted("$1"))

    def test_the_sender_says_who_is_mentioned_and_else_the_text_does(self) -> None:
        self.assertTrue(mentions(said(**{"m.mentions": {"user_ids": [BOT]}}), BOT, "Myao"))
        self.assertFalse(mentions(said(body="Myao is nice", **{"m.mentions": {}}), BOT, "Myao"))
        for text, is_asked in (("what says myao?", True), (f"{BOT} hi", True), ("Myaomi is here", False), ("hi", False)):
            self.assertEqual(mentions(said(body=text), BOT, "Myao"), is_asked, text)

    def test_a_mention_reads_as_elsewhere(self) -> None:
        for text in ("Myao: remember this", "@myao remember this", f"{BOT} remember this", f"{BOT}, remember this"):
            self.assertEqual(as_read(text, BOT, "Myao"), "@Myao remember this")
        self.assertEqual(as_read("Ask Myao", BOT, "Myao"), "Ask Myao")
        self.assertEqual(as_read("Myaomi is here", BOT, "Myao"), "Myaomi is here")


if __name__ == "__main__":
    unittest.main()
