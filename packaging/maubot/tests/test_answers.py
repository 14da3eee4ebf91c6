"""The bot remembers rooms, and answers mentions there with links to its sources."""

import unittest
from typing import Any
from urllib.parse import quote

from .homeserver import DOMAIN
from .world import World


class Answers(World):
    def start_with(self, **options: Any) -> None:
        """Starts the bot with other options, until the end of the test."""
        self.bot.stop()
        self.bot.configure(**options)
        self.addCleanup(self.bot.start)
        self.addCleanup(lambda: self.bot.configure(history_events=1000, rooms=[]))
        self.addCleanup(self.bot.stop)
        self.bot.start()

    def test_a_mention_is_answered_with_a_link_to_the_source(self) -> None:
        room = self.room("works")
        said = self.alice.say(room, "The crane comes on 3 March at 7:30.")
        self.bob.say(room, "Lunch is ordered for 24 people.")
        asked = self.bob.mention(room, self.bot.account.id, "Myao: when does the crane come?")
        content = self.bot.answer_to(room, self.alice, asked)["content"]
        self.assertRegex(content["body"], r"messages:\n+● “The crane comes on 3 March at 7:30\.” .*\[1\]")
        address = f"https://matrix.to/#/{quote(room)}/{quote(said)}?via={DOMAIN}"
        self.assertIn(f'<a href="{address}">', content["formatted_body"])
        self.assertEqual(content["m.relates_to"], {"m.in_reply_to": {"event_id": asked}})
        self.assertEqual(content["msgtype"], "m.notice")

    def test_a_thread_is_a_thread(self) -> None:
        room = self.room("threads")
        root = self.alice.say(room, "Which paint do we take for the hall?")
        in_thread = self.alice.reply_in_thread(root)
        self.bob.say(room, "The hall is painted in sage green.", **in_thread)
        asked = self.alice.mention(room, self.bot.account.id, "@Myao what colour is the hall painted in?", **in_thread)
        relates = self.bot.answer_to(room, self.bob, asked)["content"]["m.relates_to"]
        self.assertEqual((relates["rel_type"], relates["event_id"]), ("m.thread", root))

    def test_the_name_in_a_text_is_a_mention_where_the_program_says_nothing(self) -> None:
        room = self.room("names")
        self.alice.say(room, "The key is with Mrs Ito.")
        asked = self.bob.say(room, "myao, who has the key?")
        self.assertIn("Mrs Ito", self.bot.answer_to(room, self.alice, asked)["content"]["body"])

    def test_what_is_said_in_a_private_room_stays_there(self) -> None:
        secret, public = self.room("board", public=False), self.room("hall")
        self.alice.say(secret, "The pelican contract is worth 4711 euros.")
        self.alice.say(public, "The lobby gets new lamps.")
        asked = self.bob.mention(public, self.bot.account.id, "Myao: what is the pelican contract worth?")
        inside = self.bob.mention(secret, self.bot.account.id, "Myao: what is the pelican contract worth?")
        self.assertIn("4711", self.bot.answer_to(secret, self.alice, inside)["content"]["body"])
        self.assertNotIn("4711", self.bot.answer_to(public, self.alice, asked)["content"]["body"])
        self.alice.say(public, "The pelican statue stands in the yard since 2019.")
        asked = self.bob.mention(secret, self.bot.account.id, "Myao: where does the pelican statue stand?")
        body = self.bot.answer_to(secret, self.alice, asked)["content"]["body"]
        self.assertIn("yard", body)

    def test_what_was_said_before_the_bot_came_is_remembered_and_not_answered(self) -> None:
        room = self.alice.create_room("old", public=True, invite=[self.bob])
        self.bob.join(room)
        self.alice.say(room, "The boiler was checked on 12 May.")
        old = self.bob.mention(room, self.bot.account.id, "Myao: when was the boiler checked?")
        self.alice.ask("POST", f"/rooms/{room}/invite", {"user_id": self.bot.account.id})
        self.bot.account.join(room)
        asked = self.bob.mention(room, self.bot.account.id, "Myao: when was the boiler checked?")
        self.assertIn("12 May", self.bot.answer_to(room, self.alice, asked)["content"]["body"])
        self.assertEqual(self.bot.answers_to(room, self.alice, old), [])

    def test_without_history_what_is_said_since_the_bot_came_is_remembered(self) -> None:
        room = self.alice.create_room("forgotten", public=True, invite=[self.bob])
        self.alice.say(room, "The boat was sold on 2 April.")
        self.start_with(history_events=0)
        self.bot.account.join(room)
        self.bob.join(room)
        asked = self.bob.mention(room, self.bot.account.id, "Myao: when was the boat sold?")
        self.assertNotIn("2 April", self.bot.answer_to(room, self.alice, asked)["content"]["body"])
        self.assertNotIn("The boat was sold on 2 April.", self.bot.stored(room))

    def test_only_the_rooms_that_are_named_are_remembered(self) -> None:
        named, other = self.room("named"), self.room("other")
        self.alice.say(other, "The otter was fed at noon.")
        self.wait_until_stored(other, "The otter was fed at noon.")
        self.alice.ask("PUT", f"/directory/room/{quote('#named:' + DOMAIN)}", {"room_id": named})
        self.start_with(rooms=[f"#named:{DOMAIN}"])
        self.alice.mention(other, self.bot.account.id, "Myao: when was the otter fed?")
        asked = self.alice.mention(named, self.bot.account.id, "Myao: when was the otter fed?")
        self.assertNotIn("noon", self.bot.answer_to(named, self.alice, asked)["content"]["body"])
        self.assertEqual(self.bot.answers(other, self.alice), [])

    def test_encrypted_rooms_are_left_out(self) -> None:
        room = self.room("sealed", encrypted=True)
        self.alice.mention(room, self.bot.account.id, "Myao: the safe opens with 9000.")
        other = self.room("open")
        asked = self.alice.mention(other, self.bot.account.id, "Myao: how does the safe open?")
        self.assertNotIn("9000", self.bot.answer_to(other, self.alice, asked)["content"]["body"])
        self.assertIn(f"{room} is encrypted", self.bot.log())
        self.assertEqual(self.bot.stored(room), [])
        self.assertEqual(self.bot.answers(room, self.alice), [])

    def test_programs_are_not_answered(self) -> None:
        room = self.room("programs")
        notice = self.alice.mention(room, self.bot.account.id, "Myao: build 17 failed", msgtype="m.notice")
        asked = self.alice.mention(room, self.bot.account.id, "Myao: what did build 17 do?")
        self.bot.answer_to(room, self.bob, asked)
        self.assertEqual(self.bot.answers_to(room, self.bob, notice), [])


if __name__ == "__main__":
    unittest.main()
