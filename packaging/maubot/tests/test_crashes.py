"""Nothing is lost or posted twice: not by a kill -9 at the worst moments, an absence, or a restart of the homeserver."""

import unittest

from .world import World


class Crashes(World):
    def kill_when_held(self) -> None:
        """Kills the bot when it waits for the answer to a request."""
        self.bot.wait_for("held request", self.proxy.held.is_set)
        self.bot.kill()
        self.proxy.release()

    def assert_answered_once(self, room: str, asked: str, word: str) -> None:
        self.assertIn(word, self.bot.answer_to(room, self.alice, asked)["content"]["body"])
        # The answer to something later shows that there will be no second one.
        later = self.bob.mention(room, self.bot.account.id, "Myao: and what else is there?")
        self.bot.answer_to(room, self.alice, later)
        self.assertEqual(len(self.bot.answers_to(room, self.alice, asked)), 1)

    def test_killed_between_sending_and_noting(self) -> None:
        room = self.room("sent")
        self.alice.say(room, "The ferry leaves from pier 4.")
        self.proxy.hold(r"PUT .*/send/m\.room\.message/", after_handing_on=True)
        asked = self.bob.mention(room, self.bot.account.id, "Myao: from which pier does the ferry leave?")
        self.kill_when_held()
        self.assertEqual(len(self.bot.answers_to(room, self.alice, asked)), 1)
        self.bot.start()
        self.assert_answered_once(room, asked, "pier 4")

    def test_killed_before_sending(self) -> None:
        room = self.room("unsent")
        self.alice.say(room, "The tent is kept in locker 12.")
        self.proxy.hold(r"PUT .*/send/m\.room\.message/", after_handing_on=False)
        asked = self.bob.mention(room, self.bot.account.id, "Myao: where is the tent kept?")
        self.kill_when_held()
        self.assertEqual(self.bot.answers_to(room, self.alice, asked), [])
        self.bot.start()
        self.assert_answered_once(room, asked, "locker 12")

    def test_redacted_while_the_bot_was_dead_with_the_answer_sent(self) -> None:
        room = self.room("sent and redacted")
        said = self.alice.say(room, "The vault opens with marmot31.")
        self.proxy.hold(r"PUT .*/send/m\.room\.message/", after_handing_on=True)
        asked = self.bob.mention(room, self.bot.account.id, "Myao: how does the vault open?")
        self.kill_when_held()
        self.assertIn("marmot31", self.bot.answers_to(room, self.alice, asked)[0]["content"]["body"])
        self.alice.redact(room, said)
        self.bot.start()
        self.bot.wait_for("answer to go", lambda: not self.bot.answers_to(room, self.alice, asked))
        self.assertFalse(any("marmot31" in text for text in [*self.bot.stored(room), *self.bot.memories()]))

    def test_redacted_while_the_bot_was_dead_with_the_answer_unsent(self) -> None:
        room = self.room("unsent and redacted")
        said = self.alice.say(room, "The chest opens with badger58.")
        self.proxy.hold(r"PUT .*/send/m\.room\.message/", after_handing_on=False)
        asked = self.bob.mention(room, self.bot.account.id, "Myao: how does the chest open?")
        self.kill_when_held()
        self.alice.redact(room, said)
        self.bot.start()
        self.assertNotIn("badger58", self.bot.answer_to(room, self.alice, asked)["content"]["body"])

    def test_killed_after_the_client_took_what_was_said_and_before_it_was_stored(self) -> None:
        room = self.room("taken")
        self.alice.say(room, "Begin.")
        self.wait_until_stored(room, "Begin.")
        self.proxy.hold(r"GET .*/state/m\.room\.name", after_handing_on=False)
        # The bot looks at a room that is renamed before it stores what comes with that.
        self.alice.set_state(room, "m.room.name", {"name": "taken and named"})
        texts = [f"Crate {number} is in hall {number}." for number in range(3)]
        for text in texts:
            self.alice.say(room, text)
        syncs = self.proxy.syncs

        def is_taken() -> bool:
            self.alice.say(room, "Is it taken?")
            return self.proxy.syncs >= syncs + 2

        self.bot.wait_for("client that has taken what was said", is_taken)
        self.kill_when_held()
        self.assertEqual(self.bot.stored(room), ["Begin."])
        self.bot.start()
        self.wait_until_stored(room, *texts)
        self.assertEqual(self.bot.stored(room)[1:4], texts)

    def test_what_happened_while_the_bot_was_away_is_stored_once_and_answered(self) -> None:
        room, other = self.room("away"), self.room("away too")
        edited = self.alice.say(room, "The meeting is on Monday.")
        redacted = self.bob.say(room, "My phone number is 555-0188.")
        self.wait_until_stored(room, "The meeting is on Monday.", "My phone number is 555-0188.")
        self.bot.stop()
        # More than a sync brings at once.
        texts = [f"Item {number} of the list is number {number * 7}." for number in range(120)]
        for number, text in enumerate(texts):
            self.alice.say(room, text)
            if number == 5:
                self.alice.edit(room, edited, "The meeting is on Thursday.")
                self.bob.redact(room, redacted)
                asked = self.bob.mention(room, self.bot.account.id, "Myao: when is the meeting?")
        root = self.alice.say(other, "Who brings the cake?")
        self.bob.say(other, "Carl brings the cake.", **self.alice.reply_in_thread(root))
        self.bot.start()
        self.wait_until_stored(room, texts[-1])
        stored = [text for text in self.bot.stored(room) if text.startswith(("Item", "The meeting", "My phone"))]
        self.assertEqual(stored, ["The meeting is on Thursday.", *texts])
        self.wait_until_stored(other, "Who brings the cake?", "Carl brings the cake.")
        self.assert_answered_once(room, asked, "Thursday")

    def test_more_than_a_sync_brings_while_the_bot_runs(self) -> None:
        room = self.room("flood")
        # While this request is held, nothing is read.
        self.proxy.hold(r"GET .*/sync", after_handing_on=False)
        self.alice.say(room, "Begin.")
        self.bot.wait_for("held sync", self.proxy.held.is_set)
        texts = [f"Drop {number} fell." for number in range(130)]
        for text in texts:
            self.bob.say(room, text)
        self.proxy.release()
        self.wait_until_stored(room, texts[-1])
        self.assertEqual([text for text in self.bot.stored(room) if text.startswith("Drop")], texts)

    def test_the_homeserver_starts_again(self) -> None:
        room = self.room("restart")
        self.alice.say(room, "The mast is 31 metres high.")
        self.wait_until_stored(room, "The mast is 31 metres high.")
        self.server.stop()
        self.server.start()
        asked = self.bob.mention(room, self.bot.account.id, "Myao: how high is the mast?")
        self.assert_answered_once(room, asked, "31 metres")


if __name__ == "__main__":
    unittest.main()
