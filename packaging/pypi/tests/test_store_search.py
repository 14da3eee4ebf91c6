"""How the stores split texts and find them."""

import unittest

from myao.storage import RecallQuery
from myao.terms import MAX_TERM_CHARS, terms
from tests.stores import StoreTest, in_a_file


class Terms(unittest.TestCase):
    def test_texts_are_split_as_the_contract_says(self) -> None:
        for text, expected in {
            "The crane, it comes on March 3rd!": "the crane it comes on march 3rd",
            "Straße naïve Привет": "straße naïve привет",
            " — … !?": "",
            "障害": "障害",
            "林さん、雨": "林さ さん 雨",
            "預算。サーバー": "預算 サー ーバ バー",
            "第3四半期": "第 3 四半 半期",
            "A-1234": "a 1234 a-1234",
            "v1.2.3です": "v1 2 3 v1.2.3 です",
            "see https://example.com/a?b=1": "see https example com a example.com/a b 1",
            ":party_parrot: 🎉": "party parrot party_parrot 🎉",
            "a--b c.": "a b c",
            "Alice's and Bob’s": "alice and bob",
            "o'clock": "o clock",
            "ＡＰＩ－１２": "api 12 api-12",
            "ｻｰﾊﾞｰ": "サー ーバ バー",
            "か\u3099ぞう": "がぞ ぞう",
            "Cafe\u0301": "café",
            "well‑known": "well known well-known",
            "हिन्दी ❤️": "हिन्दी ❤",
        }.items():
            self.assertEqual(terms(text), expected.split(), text)

    def test_what_is_too_long_for_a_word_is_left_out(self) -> None:
        long = "x" * (MAX_TERM_CHARS + 1)
        self.assertEqual(terms(f"{long} a"), ["a"])
        self.assertEqual(terms(long[1:]), [long[1:]])


class Search(StoreTest):
    def find(self, *wanted: str, seen: tuple[str, ...] = ("C1",), **more: object):
        query = {
            "terms": list(wanted),
            "text": "",
            "channels": [],
            "since": None,
            "until": "999.0",
            "limit": 9,
            "neighbours": 0,
        }
        return self.store.find_candidates(RecallQuery(**query | more), list(seen))  # type: ignore[arg-type]

    def fill(self) -> None:
        self.say("1.0", said="the crane comes")
        self.say("2.0", said="the crane goes")
        self.say("3.0", said="lunch", thread="1.0")
        self.say("4.0", said="dinner")

    def test_messages_with_the_rarest_and_most_terms_are_found(self) -> None:
        self.fill()
        found = self.find("crane", "goes", "nothing", limit=1)
        self.assertEqual([message.message.text for message in found.messages], ["the crane goes"])
        self.assertEqual(
            [(count.term, count.messages) for count in found.counts], [("crane", 2), ("goes", 1), ("nothing", 0)]
        )
        self.assertEqual(found.message_count, 4)
        self.assertEqual((found.messages[0].counts, found.messages[0].length), ([1, 1, 0], 3))

    def test_without_terms_the_newest_are_found(self) -> None:
        self.fill()
        self.assertEqual([found.at.ts for found in self.find(limit=2).messages], ["3.000000", "4.000000"])

    def test_bounds_and_channels_are_kept_to(self) -> None:
        self.fill()
        self.channel("C2", "other")
        self.say("5.0", channel="C2", said="a crane")
        seen = ("C1", "C2")
        texts = lambda **more: [found.at.ts for found in self.find("crane", **more).messages]
        self.assertEqual(texts(), ["1.000000", "2.000000"])
        self.assertEqual(texts(seen=seen), ["1.000000", "2.000000", "5.000000"])
        self.assertEqual(texts(seen=seen, channels=["C2"]), ["5.000000"])
        self.assertEqual(texts(since="1.5", until="4.0", seen=seen), ["2.000000"])
        self.assertEqual(self.find("crane", seen=()).message_count, 0)

    def test_neighbours_are_of_the_thread_and_of_the_top_level(self) -> None:
        self.fill()
        self.assertEqual([found.at.ts for found in self.find("lunch", neighbours=1).messages], ["1.000000", "3.000000"])
        found = self.find("comes", neighbours=1).messages
        self.assertEqual([one.at.ts for one in found], ["1.000000", "2.000000", "3.000000"])

    def test_what_is_deleted_or_edited_is_not_found(self) -> None:
        self.fill()
        self.store.delete_message("C1", "1.0")
        self.say("2.0", said="the train goes", edited_at=9)
        found = self.find("crane")
        self.assertEqual((found.messages, found.counts[0].messages, found.message_count), ([], 0, 3))


SearchInAFile = in_a_file(Search)
