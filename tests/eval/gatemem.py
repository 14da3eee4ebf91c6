#!/usr/bin/env python3
"""Brings GateMem (arXiv 2606.18829) into the form of README.md: `gatemem.py FROM TO [DOMAIN...]`.

FROM has `DOMAIN-episodes.jsonl` and `DOMAIN-checkpoints.jsonl`, or both as `.gz`; without domains all are taken.
TO gets `conversations.jsonl` and `questions.jsonl`.
"""

import gzip
import json
import pathlib
import sys
from datetime import datetime, timedelta, timezone

CHANNEL = "talk"
SECOND = timedelta(seconds=1)
# When an episode begins that has no times.
BEGIN = datetime(2026, 1, 5, 9, tzinfo=timezone.utc)


def read(folder, name):
    plain, packed = folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz"
    with gzip.open(packed, "rt", encoding="utf-8") if packed.exists() else open(plain, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def domains(folder):
    return sorted({path.name.split("-episodes.jsonl")[0] for path in folder.glob("*-episodes.jsonl*")})


def times(turns):
    """When each turn was said: a second after the last one if it has no time, or none behind it."""
    at, next = {}, None
    for turn in turns:
        said = turn.get("timestamp")
        time = datetime.fromisoformat(said) if said else next or BEGIN
        time = time if time.tzinfo else time.replace(tzinfo=timezone.utc)
        at[turn["turn_id"]] = time if next is None else max(time, next)
        next = at[turn["turn_id"]] + SECOND
    return at


def events(episode, at):
    workspace, begin = episode["episode_id"], min(at.values()).isoformat()
    people = {person["principal_id"]: person for person in episode["entities"]["principals"]}
    for id, person in people.items():
        is_bot = {"bot": True} if person["role"] == "agent" else {}
        name = {"id": id, "name": person["display_name"]}
        yield {"event": "person", "workspace": workspace, "at": begin, **name, **is_bot}
    channel = {"id": "C1", "name": CHANNEL, "audience": "everybody", "members": list(people)}
    yield {"event": "channel", "workspace": workspace, "at": begin, **channel}
    for turn in episode["turns"]:
        said = {"id": turn["turn_id"], "channel": "C1", "author": turn["speaker"]["principal_id"], "text": turn["text"]}
        yield {"event": "message", "workspace": workspace, "at": at[turn["turn_id"]].isoformat(), **said}


def question(checkpoint, at):
    spec, expected = checkpoint["judge_spec"], checkpoint["expected_action"]
    is_answered = expected in ("answer", "answer_redacted")
    included = spec.get("include", []) if is_answered else []
    return {
        "workspace": checkpoint["episode_id"],
        "id": checkpoint["checkpoint_id"],
        "kind": checkpoint["query_type"],
        "language": "en",
        "at": at[checkpoint["as_of_turn_id"]].isoformat(),
        "channel": "C1",
        "asker": checkpoint["asker"]["principal_id"],
        "text": checkpoint["query_text"],
        "expected": "answer" if is_answered else "nothing",
        "answer": "; ".join(included),
        "required": [[{"regex": pattern}] for pattern in included],
        "forbidden": [{"regex": pattern} for pattern in spec.get("not_include", [])],
        "leak_targets": checkpoint.get("leak_targets", []),
    }


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def main():
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    conversations, questions = [], []
    for domain in sys.argv[3:] or domains(source):
        asked = read(source, f"{domain}-checkpoints")
        for episode in read(source, f"{domain}-episodes"):
            at = times(episode["turns"])
            conversations += events(episode, at)
            of_episode = [one for one in asked if one["episode_id"] == episode["episode_id"]]
            questions += sorted((question(one, at) for one in of_episode), key=lambda one: one["at"])
    target.mkdir(parents=True, exist_ok=True)
    write(target / "conversations.jsonl", conversations)
    write(target / "questions.jsonl", questions)
    print(f"{len(conversations)} events, {len(questions)} questions")


if len(sys.argv) < 3:
    sys.exit(__doc__)
main()
