#!/usr/bin/env python3
"""Checks a data set against README.md: `check.py` the project's own set, `check.py --form DIR` the form of any set.

Prints what the set has, and what is wrong with it; the exit code is 1 if anything is wrong.
"""

import collections
import json
import pathlib
import re
import sys
import unicodedata
from datetime import datetime

HERE = pathlib.Path(__file__).parent
NOTHING_FOUND = json.loads((HERE / "nothing-found.json").read_text(encoding="utf-8"))["patterns"]
EVENT_KEYS = {
    "person": ({"id", "name"}, {"bot"}),
    "channel": ({"id", "name", "audience", "members"}, set()),
    "message": ({"id", "channel", "author", "text"}, {"thread"}),
    "edit": ({"message", "text"}, set()),
    "delete": ({"message"}, set()),
}
PATTERN_LISTS = ("outranked", "forbidden", "leak_targets")
QUESTION_KEYS = (
    {"id", "kind", "language", "at", "channel", "asker", "text", "expected", "answer"},
    {"workspace", "required", "evidence", "note", *PATTERN_LISTS},
)
AUDIENCES = {"everybody", "members", "members-and-outsiders"}
OWN_KINDS = (
    "recent old exact-number changed-since who when two-places other-language never-said private deleted edited"
).split()
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
# Customers' names that stand in English talk as well.
NAMES = re.compile("みどり農協|青空農園|あおば農園")
# Words that say nothing about what is asked.
COMMON = set(
    "a an and are as at be been by can did do does for from get has have how i if in is it its me must my no not of on "
    "or our so that the there they this to us was we were what when where which who will with you".split()
)


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def plain(text):
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).lower())


def found(pattern, text):
    """Whether the text contains the pattern, by the rules of README.md."""
    if isinstance(pattern, dict):
        return re.search(pattern["regex"], plain(text), re.IGNORECASE) is not None
    word = plain(pattern)
    before = {"letter": "(?<![a-z])", "digit": r"(?<![0-9])(?<![0-9][.,])", "other": ""}[side(word[0])]
    after = {"letter": "(?![a-z])", "digit": r"(?![0-9])(?![.,][0-9])", "other": ""}[side(word[-1])]
    return re.search(before + re.escape(word) + after, plain(text)) is not None


def side(letter):
    return "letter" if re.match("[a-z]", letter) else "digit" if re.match("[0-9]", letter) else "other"


def any_found(patterns, text):
    return any(found(pattern, text) for pattern in patterns)


def wrong(question, answer):
    """Why an answer is wrong, by the rules of README.md; `None` if it is right."""
    leaks = [target for target in question.get("leak_targets", []) if not found(target, question["text"])]
    for name, unwanted in (("forbidden", question.get("forbidden", [])), ("leak_targets", leaks)):
        if any_found(unwanted, answer):
            return f"it holds something of `{name}`"
    if question["expected"] == "nothing":
        patterns = [{"regex": pattern} for pattern in NOTHING_FOUND]
        return None if any_found(patterns, answer.partition("\n")[0]) else "it does not say that nothing was found"
    required = question.get("required", [])
    missing = [group for group in required if not any_found(group, answer)]
    if missing:
        return f"it lacks {missing}"
    for line in answer.splitlines():
        if required and any_found(required[0], line):
            return None
        if any_found(question.get("outranked", []), line):
            return "something outranked comes first"
    return None


class Workspace:
    """What is known after the events so far."""

    def __init__(self):
        self.people, self.channels, self.messages = {}, {}, {}
        self.withdrawn = []  # (message id, text) that edits and deletions took back
        self.second = None

    def visible(self, place):
        """The messages that a channel may see."""
        sees_open = self.channels[place]["audience"] != "members-and-outsiders"
        return {
            id: message
            for id, message in self.messages.items()
            if message["channel"] == place or (sees_open and self.channels[message["channel"]]["audience"] == "everybody")
        }

    def quoted(self, message):
        return f"{self.people[message['author']]['name']}: {message['text']}"


class Check:
    def __init__(self, events, questions, is_own):
        self.events, self.questions, self.is_own = events, questions, is_own
        self.faults, self.overlaps = [], []
        self.workspaces = collections.defaultdict(Workspace)
        self.last = {}
        self.place = ""

    def expect(self, holds, what):
        if not holds:
            self.faults.append(f"{self.place}: {what}")
        return holds

    def run(self):
        waiting_in = collections.defaultdict(list)
        for question in self.questions:
            waiting = waiting_in[question.get("workspace", "default")]
            last = waiting[-1]["at"] if waiting else question["at"]
            self.place = question["id"]
            self.expect(self.time(last) <= self.time(question["at"]), "the time descends")
            waiting.append(question)
        for number, event in enumerate(self.events, 1):
            name, at = event.get("workspace", "default"), self.time(event["at"])
            while waiting_in[name] and self.time(waiting_in[name][0]["at"]) < at:
                self.question(self.workspaces[name], waiting_in[name].pop(0))
            self.place = f"conversations.jsonl:{number}"
            self.expect(at >= self.last.get(name, at), "the time descends")
            self.last[name] = at
            self.event(self.workspaces[name], event, at)
        for name, questions in waiting_in.items():
            for question in questions:
                self.question(self.workspaces[name], question)
        self.place = "questions.jsonl"
        ids = collections.Counter(question["id"] for question in self.questions)
        self.expect(max(ids.values()) == 1, f"ids stand twice: {[id for id, n in ids.items() if n > 1]}")

    def time(self, text):
        time = datetime.fromisoformat(text)
        self.expect(time.tzinfo is not None, f"{text} has no offset")
        return time

    def keys(self, value, needed, optional):
        self.expect(needed <= value.keys(), f"lacks {needed - value.keys()}")
        self.expect(value.keys() <= needed | optional, f"has {value.keys() - needed - optional}")

    def event(self, space, event, at):
        if not self.expect(event["event"] in EVENT_KEYS, f"unknown event {event['event']}"):
            return
        needed, optional = EVENT_KEYS[event["event"]]
        self.keys(event, needed | {"event", "at"}, optional | {"workspace"})
        getattr(self, event["event"])(space, event, at)

    def person(self, space, event, _at):
        space.people[event["id"]] = event

    def channel(self, space, event, _at):
        self.expect(event["audience"] in AUDIENCES, f"unknown audience {event['audience']}")
        self.expect(set(event["members"]) <= space.people.keys(), "unknown members")
        space.channels[event["id"]] = event

    def message(self, space, event, at):
        second = int(at.timestamp())
        self.expect(second != space.second, "two messages in one second")
        space.second = second
        self.expect(event["id"] not in space.messages, "the id stands twice")
        self.expect(event["text"].strip(), "no text")
        is_known = event["author"] in space.people and event["channel"] in space.channels
        if not self.expect(is_known, "unknown author or channel"):
            return
        if self.is_own:
            self.expect(event["author"] in space.channels[event["channel"]]["members"], "the author is no member")
        if "thread" in event:
            first = space.messages.get(event["thread"])
            self.expect(first and first["channel"] == event["channel"] and "thread" not in first, "no such thread")
        space.messages[event["id"]] = dict(event)

    def edit(self, space, event, _at):
        if self.expect(event["message"] in space.messages, "no such message"):
            message = space.messages[event["message"]]
            self.expect(message["text"] != event["text"], "the edit changes nothing")
            space.withdrawn.append((event["message"], message["text"]))
            message["text"] = event["text"]

    def delete(self, space, event, _at):
        if self.expect(event["message"] in space.messages, "no such message"):
            space.withdrawn.append((event["message"], space.messages.pop(event["message"])["text"]))

    def question(self, space, question):
        self.place = question["id"]
        self.keys(question, *QUESTION_KEYS)
        lists = {name: question.get(name, []) for name in ("required", "evidence", *PATTERN_LISTS)}
        for pattern in [p for group in lists["required"] for p in group] + [p for n in PATTERN_LISTS for p in lists[n]]:
            if isinstance(pattern, dict):
                self.expect(not re.search(r"\(\?[=!<]|\\[1-9]", pattern["regex"]), "look-around or back-reference")
                re.compile(pattern["regex"])
        if not self.expect(question["channel"] in space.channels, "asked in an unknown channel"):
            return
        self.expect(question["asker"] in space.channels[question["channel"]]["members"], "the asker is no member")
        self.expect(question["expected"] in ("answer", "nothing"), "unknown `expected`")
        visible = space.visible(question["channel"])
        unseen = [id for group in lists["evidence"] for id in group if id not in visible]
        if not self.expect(not unseen, f"evidence that cannot be seen there and then: {unseen}"):
            return
        if question["expected"] == "nothing":
            self.expect(not lists["required"] and not lists["evidence"], "nothing can be required of nothing")
        if self.is_own:
            self.own(space, question, lists, visible)

    def own(self, space, question, lists, visible):
        if question["expected"] == "answer":
            if self.expect(lists["required"] and lists["evidence"], "nothing is required, or no evidence"):
                self.evidence(space, question, lists, visible)
        else:
            self.expect(lists["forbidden"] or lists["leak_targets"], "an answer could not be wrong")
        self.expect(wrong(question, question["answer"]) is None, f"`answer`: {wrong(question, question['answer'])}")
        shown = [space.quoted(message) for message in visible.values()]
        withheld = [text for _, text in space.withdrawn]
        withheld += [message["text"] for id, message in space.messages.items() if id not in visible]
        for target in lists["leak_targets"]:
            self.expect(not found(target, question["text"]), f"the question tells {target}")
            self.expect(not any(found(target, text) for text in shown), f"{target} can be seen")
        if lists["leak_targets"]:
            self.expect(any(any_found(lists["leak_targets"], text) for text in withheld), "no leak target was ever said")
        if lists["outranked"]:
            self.expect(any(any_found(lists["outranked"], text) for text in shown), "nothing outranked was ever said")
        self.kind(space, question, lists, visible)

    def evidence(self, space, question, lists, visible):
        firsts = "\n".join(space.quoted(visible[group[0]]) for group in lists["evidence"])
        why = wrong(question, firsts)
        self.expect(why is None or "note" in question, f"the evidence as an answer: {why}, and no note says why")
        asked = terms(question["text"])
        self.overlaps.append((len(asked & terms(firsts)) / len(asked), question["id"]))

    def kind(self, space, question, lists, visible):
        kind, leaks = question["kind"], lists["leak_targets"]
        asked_in_private = space.channels[question["channel"]]["audience"] != "everybody"
        evidence = [id for group in lists["evidence"] for id in group]
        at = self.time(question["at"])
        ages = [(at - self.time(space.messages[id]["at"])).days for id in evidence]
        if kind == "recent":
            self.expect(max(ages, default=9) <= 1, "the evidence is not recent")
        elif kind == "old":
            self.expect(min(ages, default=0) >= 14, "the evidence is not two weeks old")
        elif kind == "changed-since":
            self.expect(lists["outranked"], "no older value")
        elif kind == "two-places":
            texts = [space.quoted(message) for message in visible.values()]
            alone = [t for t in texts if all(any_found(group, t) for group in lists["required"])]
            self.expect(len(lists["evidence"]) > 1 and not alone, f"one message is enough: {alone}")
        elif kind == "other-language":
            spoken = {language(space.messages[id]["text"]) for id in evidence}
            self.expect(question["language"] not in spoken, "the evidence is in the question's language")
        elif kind == "never-said":
            self.expect(question["expected"] == "nothing", "never said, but an answer is expected")
        elif kind == "private" and asked_in_private:
            in_place = all(space.messages[id]["channel"] == question["channel"] for id in evidence)
            self.expect(evidence and in_place, "no evidence in the private channel")
        elif kind in ("private", "deleted"):
            gone = {id for id, _ in space.withdrawn if id not in space.messages}
            texts = [text for id, text in space.withdrawn if id in gone]
            if kind == "private":
                texts = [message["text"] for id, message in space.messages.items() if id not in visible]
            self.expect(any(any_found(leaks, text) for text in texts), "no leak target of that kind")
        elif kind == "edited":
            before = [text for id, text in space.withdrawn if id in evidence]
            self.expect(any(any_found(leaks, text) for text in before), "the evidence said nothing else before")
        else:
            self.expect(kind in OWN_KINDS, f"unknown kind {kind}")
        self.expect(question["language"] == language(question["text"]), "another language is stated")

    def whole(self):
        """What the own set must have as a whole."""
        self.place = "the set"
        messages = [event for event in self.events if event["event"] == "message"]
        channels = {event["id"]: event["audience"] for event in self.events if event["event"] == "channel"}
        asked = collections.Counter((q["kind"], q["language"]) for q in self.questions)
        spoken = collections.Counter(language(message["text"]) for message in messages)
        self.expect(len(messages) >= 300, "fewer than 300 messages")
        self.expect(sorted(channels.values()) == ["everybody"] * 4 + ["members"], "other channels")
        self.expect(0.4 <= spoken["ja"] / len(messages) <= 0.6, "languages are not balanced")
        for kind in OWN_KINDS:
            self.expect(sum(n for (own, _), n in asked.items() if own == kind) >= 5, f"fewer than five of {kind}")
        self.overlaps.sort()
        middle = self.overlaps[len(self.overlaps) // 2][0]
        copied = [f"{id} {share:.2f}" for share, id in self.overlaps if share > 0.6]
        self.expect(middle <= 0.4, f"half of the questions share {middle:.0%} of their words with the evidence")
        self.expect(len(copied) * 10 <= len(self.overlaps), f"questions copy their evidence: {copied}")
        edits = collections.Counter(event["event"] for event in self.events)
        print(f"{len(messages)} messages {dict(spoken)}, {edits['edit']} edits, {edits['delete']} deletions")
        for kind in OWN_KINDS:
            print(f"{kind:15} ja {asked[kind, 'ja']:2}  en {asked[kind, 'en']:2}")
        answers = sum(q["expected"] == "answer" for q in self.questions)
        print(f"{len(self.questions)} questions, {answers} with an answer; words in common with the evidence: {middle:.0%}")


def language(text):
    return "ja" if JAPANESE.search(NAMES.sub("", text)) else "en"


def terms(text):
    """Words, and pairs of Japanese letters that are not both hiragana."""
    words = {word for word in re.findall(r"[a-z0-9]+", plain(text)) if word not in COMMON}
    for run in re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]+", plain(text)):
        pairs = {run[at : at + 2] for at in range(len(run) - 1)}
        words |= {pair for pair in pairs if not re.fullmatch(r"[\u3040-\u309f]+", pair)}
    return words


def rules():
    """The cases of judging.json, which the tests of `make eval` read, too."""
    faults = []
    for case in json.loads((HERE / "judging.json").read_text(encoding="utf-8")):
        why = wrong({"text": case.pop("question", "?"), "expected": "answer", **case}, case["answer"])
        if (why is None) != case["right"]:
            faults.append(f"judging.json, {case['rule']}: {why}")
    return faults


def main():
    is_own = "--form" not in sys.argv
    folder = HERE / "data" if is_own else pathlib.Path(sys.argv[sys.argv.index("--form") + 1])
    check = Check(read(folder / "conversations.jsonl"), read(folder / "questions.jsonl"), is_own)
    check.run()
    if is_own:
        check.whole()
        check.faults += rules()
    print("\n".join(check.faults))
    return 1 if check.faults else 0


sys.exit(main())
