"""A thousand messages with edits and redactions, a restart of the homeserver and of the bot, and kills at any moment."""

import random
import unittest
from dataclasses import dataclass, field

from .world import World

MESSAGES = 1000
SEED = 22


@dataclass
class Talk:
    """What was said in a room."""

    room: str
    said: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Event ids and texts as they read now."""
    gone: list[str] = field(default_factory=list[str])
    """Words that must not be told any more."""
    mentions: list[str] = field(default_factory=list[str])
    root: str = ""


def around(word: bytes, held: bytes) -> bytes:
    """A word with what stands before and behind it."""
    at = held.index(word)
    return held[max(0, at - 200) : at + 100]


class Thousand(World):
    options = {"settings": {"memory.short_term_history.message_threshold": 20}}

    def test_nothing_is_lost_or_posted_twice_and_nothing_redacted_is_told(self) -> None:
        chance = random.Random(SEED)
        talks = [Talk(self.room(f"hall {number}", public=number != 1)) for number in range(3)]
        for number in range(MESSAGES):
            self.say(chance.choice(talks), number, chance)
            if number in (150, 450, 800):
                self.bot.kill()
                self.bot.start(ready=False)
            elif number == 300:
                self.server.stop()
                self.server.start()
            elif number == 600:
                self.bot.stop()
            elif number == 700:
                # A hundred messages that it did not hear.
                self.bot.start(ready=False)
        for talk in talks:
            self.check(talk)
        self.bot.stop()
        on_disk = self.bot.bytes_on_disk()
        words = [word.encode() for talk in talks for word in talk.gone]
        told = [(name, around(word, held)) for name, held in on_disk.items() for word in words if word in held]
        self.assertEqual(told, [])

    def say(self, talk: Talk, number: int, chance: random.Random) -> None:
        who = chance.choice((self.alice, self.bob))
        text = f"Crate {number} has the code quokka{number}q."
        what = chance.random()
        if what < 0.06 and talk.said:
            at = chance.randrange(len(talk.said))
            event, old = talk.said[at]
            author = self.authors[event]
            if chance.random() < 0.5:
                author.redact(talk.room, event)
                del talk.said[at]
            else:
                author.edit(talk.room, event, text)
                talk.said[at] = (event, text)
            if "code" in old:
                talk.gone.append(old.split()[-1].rstrip("."))
        if 0.06 <= what < 0.1 and talk.said:
            # Asked of something that may change later.
            crate = chance.choice(talk.said)[1].split()[1]
            text = f"Myao: what is the code of crate {crate}?"
            event = who.mention(talk.room, self.bot.account.id, text)
            talk.mentions.append(event)
        elif what < 0.06:
            # The new text is that of an edit, or of nothing.
            return
        elif what < 0.2 and talk.root:
            event = who.say(talk.room, text, **who.reply_in_thread(talk.root))
        else:
            event = who.say(talk.room, text)
            talk.root = talk.root or event
        self.authors[event] = who
        if event not in talk.mentions:
            talk.said.append((event, text))

    def check(self, talk: Talk) -> None:
        room = talk.room
        expected = [text for _, text in talk.said]

        def has_everything() -> bool:
            return [text for text in self.bot.stored(room) if text.startswith("Crate")] == expected

        try:
            self.bot.wait_for("all that was said", has_everything)
        except AssertionError:
            self.assertEqual([text for text in self.bot.stored(room) if text.startswith("Crate")], expected)
            raise

        def all_answered() -> bool:
            return len(self.sent(room)) >= len(talk.mentions)

        self.bot.wait_for("answer to every mention", all_answered)

        def told() -> list[tuple[str, str]]:
            answers = [event["content"]["body"] for event in self.bot.answers(room, self.alice)]
            texts = [*answers, *self.bot.memories(), *self.bot.stored(room)]
            return [(word, text) for text in texts for word in talk.gone if word in text]

        try:
            self.bot.wait_for("end of all that was redacted", lambda: not told())
        except AssertionError:
            self.assertEqual(told(), [])
            raise
        self.assertGreater(min(len(talk.mentions), len(talk.gone)), 3)
        # Each mention has one answer, though some were taken back.
        self.assertEqual(len(self.sent(room)), len(talk.mentions))
        answered = [event["content"]["dev.myao.answers"] for event in self.bot.answers(room, self.alice)]
        self.assertEqual(len(answered), len(set(answered)))
        self.assertLessEqual(set(answered), set(talk.mentions))

    def sent(self, room: str) -> list[str]:
        """All its messages, those that it took back too."""
        events = self.alice.events(room)
        return [
            event["event_id"]
            for event in events
            if event["sender"] == self.bot.account.id and event["type"] == "m.room.message"
        ]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.authors = {}


if __name__ == "__main__":
    unittest.main()
