#!/usr/bin/env python3
"""Takes rules of language out one by one, and shows what is lost: `ablate.py [--only GROUP] SET...`.

The component is built once with a switch in each function of `RULES`; then it is measured without a model, natively, with
every group switched off in turn. Each SET is a folder in the form of README.md. The sources are restored afterwards.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUEST = ROOT / "guest/src"
# A group, the file and function of a rule, and what the function returns when it is off.
RULES = [
    ("distances of times", "grounding/founded.rs", "is_between", "false"),
    ("results", "grounding/founded.rs", "is_result", "false"),
    ("parts of values", "grounding/founded.rs", "in_parts", "false"),
    ("possible dates", "grounding/days.rs", "possible", "BTreeSet::new()"),
    ("half and double", "grounding/founded.rs", "in_other_words", "false"),
    ("names", "grounding/names.rs", "unheard", "Vec::new()"),
    ("and a half", "text/values/reading.rs", "with_half", ""),
    ("spans of days", "text/values/reading.rs", "ranges", ""),
    ("two-part numbers", "text/values/reading.rs", "joined", "None"),
    ("fractions", "text/values/reading.rs", "is_fraction", "false"),
    ("numbers in words", "text/values/reading.rs", "in_words", ""),
    ("named weeks", "text/dates/mod.rs", "weeks", ""),
    ("weekdays of months", "text/dates/mod.rs", "weekdays_of_months", ""),
    ("facts in words", "text/facts.rs", "stands_out", "false"),
    ("programs and code", "extractive/messages.rs", "factor", "1.0"),
    ("decisions", "text/cues.rs", "decision", "0.0"),
]
SWITCH = """
/// Only while `tests/eval/ablate.py` measures.
mod ablation {
    pub(crate) fn off(rule: &str) -> bool {
        static OFF: std::sync::OnceLock<String> = std::sync::OnceLock::new();
        OFF.get_or_init(|| std::env::var("MYAO_ABLATE").unwrap_or_default()) == rule
    }
}
"""


def instrument():
    for group, file, function, value in RULES:
        path = GUEST / file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        found = re.search(rf"\bfn {function}\b(?:<[^(]*>)?\(", text)
        if not found:
            sys.exit(f"there is no `{function}` in {path.relative_to(ROOT)}: its line in RULES goes")
        body = text.index("{\n", found.end()) + 2
        path.write_text(f'{text[:body]}if crate::ablation::off("{group}") {{ return {value}; }}\n{text[body:]}', "utf-8")
    library = GUEST / "lib.rs"
    library.write_text(library.read_text(encoding="utf-8") + SWITCH, "utf-8")


def build(folder):
    """The tests that measure, by their names."""
    command = "cargo test --release -p myao-memory --lib --test grounding --no-run --message-format=json".split()
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    artifacts = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    tests = {}
    for artifact in artifacts:
        if artifact.get("executable"):
            tests[artifact["target"]["name"]] = shutil.copy(artifact["executable"], folder)
    return tests


def run(test, arguments, group, **environment):
    command = [test, "--nocapture", "--include-ignored", *arguments]
    environment = {**os.environ, "MYAO_ABLATE": group, **environment}
    done = subprocess.run(command, cwd=ROOT / "guest", env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


def measure(tests, group, sets):
    """The share of required texts that the newest memories hold for each set, and what the corpora count."""
    figures = []
    if not group or any(rule[0] == group and rule[1].startswith(("extractive/", "text/")) for rule in RULES):
        for folder in sets:
            said = run(tests["myao_memory"], ["required_texts_held"], group, MYAO_TEST_DATA_SET=str(folder))
            found = re.search(r"(\d+) required; the newest memories hold (\d+), five versions (\d+)", said)
            figures.append("/".join(found.groups()[1:] + found.groups()[:1]) if found else "?")
    if not group or any(rule[0] == group and rule[1].startswith(("grounding/", "text/")) for rule in RULES):
        said = run(tests["grounding"], [], group)
        figures += re.findall(r"^corpus (.*)$", said, re.MULTILINE) or ["?"]
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="GROUP", action="append", default=[])
    parser.add_argument("--built", metavar="DIR", type=pathlib.Path, help="measure with what an earlier run built")
    parser.add_argument("sets", metavar="SET", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    folder = (arguments.built or ROOT / "target/ablation").resolve()
    names = {"myao_memory": "myao_memory-*", "grounding": "grounding-*"}
    if not arguments.built:
        if subprocess.run(["git", "diff", "--quiet", "--", "guest/src"], cwd=ROOT).returncode:
            sys.exit("guest/src has changes that are not committed: they would be lost")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            instrument()
            build(folder)
        finally:
            subprocess.run(["git", "checkout", "--quiet", "--", "guest/src"], cwd=ROOT, check=True)
    tests = {name: str(next(folder.glob(pattern))) for name, pattern in names.items()}
    sets = [folder.resolve() for folder in arguments.sets]
    for group in ["", *(arguments.only or dict.fromkeys(rule[0] for rule in RULES))]:
        print(f"| {group or 'all rules'} | {' | '.join(measure(tests, group, sets))} |", flush=True)


main()
