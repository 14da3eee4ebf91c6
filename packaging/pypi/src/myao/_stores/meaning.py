"""How similar messages are to a question, by the program's embedder."""

from __future__ import annotations

import re
import statistics
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timezone as _timezone
from datetime import tzinfo
from itertools import chain
from math import isfinite, sqrt
from operator import mul
from pathlib import Path

from ..errors import StorageError
from .due import Waiting

At = tuple[str, int]
"""A channel's id and a message's."""

_AT_ONCE = 64
_MOST_CHARS = 6_000
# Fewer messages have no mean that says anything.
_LEAST_COMPARED = 8
# The largest number of a stored vector; cosines need no length.
_LARGEST = 127
_SPACELESS = re.compile("[\u3041-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True)
class Embedder:
    """Your embedder: it finds messages in other words, and in another language."""

    model: str
    """Its name. Vectors of another model are made anew."""
    embed: Callable[[list[str], bool], Iterable[Iterable[float]]]
    """Makes a vector for each text; all have one length. `True`: the text is what is looked for, and not a message."""


class Meaning(Waiting):
    """Vectors of messages. They are made at a search, and go with what they are of."""

    def __init__(
        self, path: str | Path, *, workspace_id: str = "default", timezone: tzinfo = _timezone.utc,
        embedder: Embedder | None = None,
    ):  # fmt: skip
        """Opens a file, and makes it if it is not there. `:memory:` is a database that ends with the store. Times are shown
        in `timezone`; `workspace_id` is the setting `workspace_scope_id`. Without an `embedder`, messages are found by their
        words."""
        super().__init__(path, workspace_id=workspace_id, timezone=timezone)
        self._embedder = embedder

    def _similarities(self, said: str, seen: str, until: int) -> dict[At, float]:
        """By how many standard deviations messages are more similar to a text than the mean of those in the same script:
        embedders find texts in the question's language too similar."""
        if self._embedder is None or not said:
            return {}
        [question] = self._embed(self._embedder, [said], is_question=True)
        self._complete(self._embedder, seen, until)
        by_script: dict[bool, list[tuple[At, float]]] = {False: [], True: []}
        sql = (
            "SELECT m.channel_id, m.ts, m.text, v.vector FROM messages AS m JOIN vectors AS v USING (channel_id, ts)"
            " WHERE m.channel_id IN (SELECT value FROM json_each(?)) AND m.is_deleted = 0 AND m.ts <= ? AND v.model = ?"
        )
        with self._read():
            for channel_id, ts, text, stored in self._all(sql, seen, until, self._embedder.model):
                vector = array("b", stored)
                length = sum(map(mul, vector, vector)) * sum(map(mul, question, question))
                # A vector of zeros means nothing.
                if length > 0 and len(vector) == len(question):
                    cosine = sum(map(mul, vector, question)) / sqrt(length)
                    by_script[_is_spaceless(text)].append(((channel_id, ts), cosine))
        groups = [group for group in by_script.values() if group]
        if any(len(group) < _LEAST_COMPARED for group in groups):
            groups = [list(chain(*groups))]
        return {at: similarity for group in groups for at, similarity in _scaled(group)}

    def _complete(self, embedder: Embedder, seen: str, until: int) -> None:
        """Makes the vectors that are missing."""
        sql = (
            "SELECT * FROM messages AS m WHERE channel_id IN (SELECT value FROM json_each(?)) AND is_deleted = 0 AND ts <= ?"
            " AND NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.channel_id = m.channel_id AND v.ts = m.ts AND v.model = ?)"
        )
        with self._read():
            missing = [(row, self._message(row, None)) for row in self._all(sql, seen, until, embedder.model)]
        for first in range(0, len(missing), _AT_ONCE):
            batch = missing[first : first + _AT_ONCE]
            texts = [f"{message.user.name}: {message.text}" for _, message in batch]
            vectors = self._embed(embedder, texts, is_question=False)
            with self._write():
                for (row, message), vector in zip(batch, vectors):
                    # What it said when it was read is gone if it has changed.
                    self._run(
                        "INSERT OR REPLACE INTO vectors (channel_id, ts, model, vector) SELECT channel_id, ts, ?, ?"
                        " FROM messages WHERE channel_id = ? AND ts = ? AND is_deleted = 0 AND text = ?",
                        *(embedder.model, vector.tobytes(), row["channel_id"], row["ts"], message.text),
                    )

    def _embed(self, embedder: Embedder, texts: list[str], *, is_question: bool) -> list[array[int]]:
        made = [
            [float(number) for number in vector]
            for vector in embedder.embed([text[:_MOST_CHARS] for text in texts], is_question)
        ]
        if len(made) != len(texts) or not all(vector and all(map(isfinite, vector)) for vector in made):
            raise StorageError("unavailable", f"the embedder returned no vector for each of {len(texts)} texts")
        return [_stored(vector) for vector in made]


def _stored(vector: list[float]) -> array[int]:
    largest = max(map(abs, vector)) or 1
    return array("b", (round(number / largest * _LARGEST) for number in vector))


def _is_spaceless(text: str) -> bool:
    """For the most part without spaces between words: Japanese, Chinese."""
    return len(_SPACELESS.findall(text)) * 3 >= max(sum(map(str.isalpha, text)), 1)


def _scaled(group: list[tuple[At, float]]) -> list[tuple[At, float]]:
    cosines = [cosine for _, cosine in group]
    deviation = statistics.pstdev(cosines) if len(group) >= _LEAST_COMPARED else 0
    if deviation == 0:
        return []
    mean = statistics.fmean(cosines)
    return [(at, (cosine - mean) / deviation) for at, cosine in group]
