"""What is edited or redacted is told no more: not by the memory, not in answers to come, and not in those that were given."""

import unittest

from .world import World


class Changes(World):
    options = {"settings": {"memory.short_term_history.message_threshold": 1}}

    def ask(self, room: str, question: str) -> tuple[str, str]:
        """Asks, and returns the question's event id and the answer's text."""
        asked = self.bob.mention(room, self.bot.account.id, f"Myao: {question}")
        return asked, self.bot.answer_to(room, self.alice, asked)["content"]["body"]

    def wait_until_remembered(self, word: str) -> None:
        self.bot.wait_for(f"memory of {word}", lambda: any(word in text for text in self.bot.memories()))

    def wait_until_gone(self, room: str, word: str) -> None:
        """Waits until nothing says a word any more: no message, no memory, no answer."""

        def is_gone() -> bool:
            own = [event["content"]["body"] for event in self.bot.answers(room, self.alice)]
            return not any(word in text for text in [*own, *self.bot.stored(room), *self.bot.memories()])

        self.bot.wait_for(f"end of {word}", is_gone)

    def test_an_edit_changes_what_is_told(self) -> None:
        room = self.room("edits")
        said = self.alice.say(room, "The tram to the fair is the blue line.")
        self.assertIn("blue", self.ask(room, "which tram goes to the fair?")[1])
        self.wait_until_remembered("blue")
        self.alice.edit(room, said, "The tram to the fair is the crimson line.")
        # Two edits in one second.
        self.alice.edit(room, said, "The tram to the fair is the orange line.")
        self.wait_until_stored(room, "The tram to the fair is the orange line.")
        self.wait_until_gone(room, "blue")
        self.wait_until_gone(room, "crimson")
        self.assertIn("orange", self.ask(room, "which tram goes to the fair?")[1])

    def test_what_is_redacted_is_gone_and_so_is_the_answer_that_quotes_it(self) -> None:
        room = self.room("redactions")
        said = self.alice.say(room, "The alarm is turned off with zebra77.")
        asked, answer = self.ask(room, "how is the alarm turned off?")
        self.assertIn("zebra77", answer)
        self.wait_until_remembered("zebra77")
        self.alice.redact(room, said)
        self.wait_until_gone(room, "zebra77")
        taken_back = [event for event in self.alice.events(room) if "redacted_because" in event.get("unsigned", {})]
        reasons = [event["unsigned"]["redacted_because"]["content"].get("reason") for event in taken_back]
        self.assertEqual(len(reasons), 2)
        self.assertIn("deleted", reasons[1])
        self.assertNotIn("zebra77", self.ask(room, "how is the alarm turned off?")[1])
        self.assertEqual(self.bot.answers_to(room, self.alice, asked), [])

    def test_without_its_edit_a_message_says_what_it_said_before(self) -> None:
        room = self.room("edits taken back")
        said = self.alice.say(room, "The gate closes at eight.")
        self.alice.edit(room, said, "The gate closes at nine.")
        last = self.alice.edit(room, said, "The gate closes at midnight.")
        self.wait_until_stored(room, "The gate closes at midnight.")
        self.alice.redact(room, last)
        self.wait_until_stored(room, "The gate closes at nine.")
        self.assertEqual(self.bot.stored(room), ["The gate closes at nine."])

    def test_nobody_edits_what_another_said(self) -> None:
        room = self.room("strangers")
        said = self.alice.say(room, "The rent is 900 euros.")
        self.bob.edit(room, said, "The rent is 9 euros.")
        self.alice.say(room, "That is all.")
        self.wait_until_stored(room, "That is all.")
        self.assertEqual(self.bot.stored(room), ["The rent is 900 euros.", "That is all."])

    def test_with_a_question_its_answer_goes(self) -> None:
        room = self.room("questions")
        self.alice.say(room, "The ladder is behind the shed.")
        asked, answer = self.ask(room, "where is the ladder?")
        self.assertIn("shed", answer)
        self.bob.redact(room, asked)
        self.bot.wait_for("answer to go", lambda: not self.bot.answers(room, self.alice))

    def test_an_edit_may_ask(self) -> None:
        room = self.room("late mentions")
        self.alice.say(room, "The spare wheel is in the cellar.")
        asked = self.bob.say(room, "where is the spare wheel?")
        content = {"msgtype": "m.text", "body": "Myao: where is the spare wheel?"}
        relates = {"rel_type": "m.replace", "event_id": asked}
        self.bob.mention(room, self.bot.account.id, "* …", **{"m.new_content": content, "m.relates_to": relates})
        self.assertIn("cellar", self.bot.answer_to(room, self.alice, asked)["content"]["body"])

    def test_when_a_room_becomes_private_answers_elsewhere_are_taken_back(self) -> None:
        opened, other = self.room("lab"), self.room("canteen")
        self.alice.say(opened, "The walrus prototype is ready in week 40.")
        self.wait_until_stored(opened, "The walrus prototype is ready in week 40.")
        asked, answer = self.ask(other, "when is the walrus prototype ready?")
        self.assertIn("week 40", answer)
        inside, _ = self.ask(opened, "when is the walrus prototype ready?")
        self.alice.set_state(opened, "m.room.join_rules", {"join_rule": "invite"})
        self.bot.wait_for("answer to go", lambda: not self.bot.answers_to(other, self.alice, asked))
        self.assertEqual(len(self.bot.answers_to(opened, self.alice, inside)), 1)
        self.assertNotIn("week 40", self.ask(other, "when is the walrus prototype ready?")[1])

    def test_what_was_said_in_a_room_that_the_bot_had_to_leave_is_not_told_elsewhere(self) -> None:
        left, other = self.room("left"), self.room("stays")
        self.alice.say(left, "The heron nest has 5 eggs.")
        self.wait_until_stored(left, "The heron nest has 5 eggs.")
        asked, answer = self.ask(other, "how many eggs has the heron nest?")
        self.assertIn("5 eggs", answer)
        self.alice.ask("POST", f"/rooms/{left}/kick", {"user_id": self.bot.account.id})
        self.bot.wait_for("answer to go", lambda: not self.bot.answers_to(other, self.alice, asked))
        self.assertNotIn("5 eggs", self.ask(other, "how many eggs has the heron nest?")[1])

    def test_nothing_of_it_stays_on_the_disk(self) -> None:
        room = self.room("disk")
        said = self.alice.say(room, "The password of the printer is quokka42.")
        self.ask(room, "what is the password of the printer?")
        self.wait_until_remembered("quokka42")
        self.alice.redact(room, said)
        self.wait_until_gone(room, "quokka42")
        self.bot.stop()
        self.assertFalse([name for name, held in self.bot.bytes_on_disk().items() if b"quokka42" in held])
        self.bot.start()


if __name__ == "__main__":
    unittest.main()
