#!/usr/bin/env python3
"""Makes a data set of 600 messages with questions in the other language: `pairs.py TO`.

Strews the messages of `pairs.jsonl`, and the two beside each that answer nothing, among those of the project's own set. Each question
is asked at the end, where everybody may read.
"""

import json
import pathlib
import sys
from datetime import datetime, timedelta

HERE = pathlib.Path(__file__).parent


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path, lines):
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def main():
    target = pathlib.Path(sys.argv[1])
    own, pairs = rows(HERE / "data/conversations.jsonl"), rows(HERE / "pairs.jsonl")
    # Everybody has joined by then, and all channels are there.
    settled = max(n for n, event in enumerate(own) if event["event"] in ("person", "channel")) + 1
    channels = {event["id"]: event for event in own if event["event"] == "channel"}
    channel = next(event for event in channels.values() if event["audience"] == "everybody")
    said = [(n, text) for n, pair in enumerate(pairs) for text in (pair["message"], *pair["beside"])]
    # Those of a pair are not beside each other.
    said = said[::3] + said[1::3] + said[2::3]
    at = [datetime.fromisoformat(event["at"]) for event in own]
    first, last, taken = at[settled - 1], at[-1], set(at)
    events, evidence = list(own), {}
    for number, (pair, text) in enumerate(said):
        time = first + timedelta(seconds=int((last - first).total_seconds() * (number + 1) / (len(said) + 1)))
        while time in taken:
            time += timedelta(seconds=1)
        taken.add(time)
        evidence.setdefault(pair, f"p{number}")
        author = channel["members"][number % len(channel["members"])]
        message = {"id": f"p{number}", "channel": channel["id"], "author": author, "text": text}
        events.append({"event": "message", "at": time.isoformat(), **message})
    events.sort(key=lambda event: datetime.fromisoformat(event["at"]))
    asked = {"at": events[-1]["at"], "channel": channel["id"], "asker": channel["members"][0], "expected": "answer"}
    questions = [
        {"id": f"pair-{number}", "kind": f"asked-in-{pair['language']}", "language": pair["language"], **asked, "text": pair["question"],
         "answer": pair["message"], "required": [[pair["message"]]], "evidence": [[evidence[number]]]}
        for number, pair in enumerate(pairs)
    ]
    target.mkdir(parents=True, exist_ok=True)
    write(target / "conversations.jsonl", events)
    write(target / "questions.jsonl", questions)
    print(f"{sum(event['event'] == 'message' for event in events)} messages, {len(questions)} questions")


if len(sys.argv) != 2:
    sys.exit(__doc__)
main()
