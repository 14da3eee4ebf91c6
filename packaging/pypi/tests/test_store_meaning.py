"""An embedder of the program finds messages by what they mean, and its vectors go with what they are of."""

import re
import unittest
from collections.abc import Callable, Sequence

from myao import Embedder, Memory, MemoryStore
from myao.storage import RecallQuery
from tests.stores import StoreTest, in_a_file

TOPICS = [re.compile(topic, re.IGNORECASE) for topic in ("crane|lifting|クレーン", "lunch|canteen|昼食", "paint|colour")]
QUERY = RecallQuery(["nowhere"], "lifting", [], None, "99.0", 9, 0)


class Meanings(StoreTest):
    """An embedder that knows three topics, and notes what it reads."""

    def setUp(self) -> None:
        self.read = list[str]()
        self.while_it_reads: Callable[[], None] = lambda: None
        super().setUp()
        self.given(Embedder("topics", self.embed))
        self.store.add_channel("C2", "secret", is_private=True)
        self.store.add_user("U1", "aki")
        self.say("1.0", said="The crane comes on Friday.")
        self.say("2.0", channel="C2", said="The second crane is broken.")
        for second in range(3, 9):
            self.say(f"{second}.0", said=f"The canteen has number {second}.")
        for second in range(9, 15):
            self.say(f"{second}.0", said=f"番号は {second} です。")
        self.say("15.0", said="クレーンは金曜日に来ます。")

    def given(self, embedder: Embedder) -> None:
        """The same store is opened with an embedder."""
        self.store._embedder = embedder  # pyright: ignore[reportPrivateUsage]

    def embed(self, texts: list[str], is_question: bool) -> Sequence[Sequence[float]]:
        if not is_question:
            self.read += texts
            self.while_it_reads()
        return [[*(bool(topic.search(text)) for topic in TOPICS), 0.2 + len(text) % 7 / 100] for text in texts]

    def found(self, *seen: str) -> dict[str, float | None]:
        found = self.store.find_candidates(QUERY, list(seen or ("C1",)))
        return {message.at.ts.split(".")[0]: message.similarity for message in found.messages}

    def test_messages_are_found_in_other_words_and_in_the_other_language(self) -> None:
        self.assertEqual(set(self.found()), {"1", "15"})
        self.assertEqual(set(self.found("C1", "C2")), {"1", "2", "15"})

    def test_what_another_place_holds_changes_no_similarity(self) -> None:
        before = self.found()
        for second in range(20, 60):
            self.say(f"{second}.0", channel="C2", said=f"lifting {second}")
        self.found("C1", "C2")
        self.assertEqual(self.found(), before)

    def test_each_text_is_read_once_and_again_when_it_changes_or_the_model_does(self) -> None:
        self.found()
        self.assertEqual((len(self.read), self.read[0]), (14, "aki: The crane comes on Friday."))
        self.say("1.0", said="The paint is dry.", edited_at=50)
        self.assertEqual(set(self.found()), {"15"})
        self.assertEqual(self.read[14:], ["aki: The paint is dry."])
        self.given(Embedder("others", self.embed))
        self.found()
        self.assertEqual(len(self.read), 29)

    def test_a_vector_goes_with_its_message_and_is_not_made_of_what_is_gone(self) -> None:
        self.while_it_reads = lambda: self.store.delete_message("C1", "15.0")
        self.assertEqual(set(self.found()), {"1"})
        for second in (1, *range(3, 15)):
            self.store.delete_message("C1", f"{second}.0")
        with self.store._read():  # pyright: ignore[reportPrivateUsage]
            self.assertEqual(self.store._one("SELECT count(*) FROM vectors"), 0)  # pyright: ignore[reportPrivateUsage]

    def test_an_embedder_that_breaks_its_promise_is_named(self) -> None:
        for vectors in ([], [[]], [[float("nan")]]):
            self.given(Embedder("broken", lambda _texts, _is_question, made=vectors: made))
            self.fails("unavailable", self.found, "no vector for each of 1 texts")

    def test_vectors_that_mean_nothing_break_no_search(self) -> None:
        self.given(Embedder("zeros", lambda texts, _: [[0.0, 0.0] for _ in texts]))
        self.assertEqual(self.found(), {})


class InTheMemory(unittest.IsolatedAsyncioTestCase):
    async def test_a_search_of_the_memory_finds_by_meaning(self) -> None:
        def embed(texts: list[str], _: bool) -> Sequence[Sequence[float]]:
            return [[bool(TOPICS[0].search(text)), 0.2 + len(text) % 7 / 100] for text in texts]

        store = MemoryStore(embedder=Embedder("topics", embed))
        self.addCleanup(store.close)
        store.add_channel("C1", "general", is_private=False)
        for second in range(1, 12):
            store.say("C1", "U1", f"The canteen has number {second}.", second)
        ts = store.say("C1", "U1", "クレーンは金曜日に来ます。", 20)
        async with await Memory.load(storage=store) as memory:
            found = await memory.search("lifting machine", 100, channel_id="C1")
        self.assertEqual(found.hits[0].at.ts, ts)


MeaningsInAFile = in_a_file(Meanings)
